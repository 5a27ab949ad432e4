"""The contract of a domain: its rules are always the same, and what it says of its boards is so."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from searchlab.errors import PluginError, SearchlabWarning
from searchlab.search.enumeration import NEWEST_REVISITED
from searchlab.testing.boards import SEED, solution_boards, walk, walked_boards
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board import Board
    from searchlab.bound import BoundDomain, Successor
    from searchlab.testing.grounds import Ground
    from searchlab.testing.instances import Instance
    from searchlab.testing.patience import Clock

WALKED = 200
SOLUTION = 40
"""Boards of a solution, from the goal backwards, that are looked at besides those of walks."""
REPLAYED = 20
BOUNDED = 500
"""States whose lower bound is compared with their true cost."""
MET = 1500
"""States among which it is looked whether any recurs."""


class DomainEvidence:
    """What is known of a domain on all its grounds."""

    def __init__(self, domain: BoundDomain, grounds: list[Ground], clock: Clock, allow_interpreted: bool) -> None:
        self.domain, self.on, self.clock, self.allow_interpreted = domain, grounds, clock, allow_interpreted

    def grounds(self) -> tuple[str, ...]:
        """Return what it was checked on, in words."""
        return tuple(f"{len(boards)} boards of walks from {instance}" for instance, boards in self.walked)

    @cached_property
    def walked(self) -> list[tuple[Instance, list[Board]]]:
        """Boards met on walks, by the readable rules, and those of a solution where one is found."""
        found = []
        for ground in self.on:
            with self.clock.calling():
                boards = walked_boards(ground.instance, WALKED, self.clock.until(1 / (5 * len(self.on))))
            with self.clock.calling(prepares=True), warnings.catch_warnings():
                warnings.simplefilter("ignore", SearchlabWarning)
                solution = solution_boards(ground.instance, self.clock.seconds / 20)[:SOLUTION]
            found.append((ground.instance, list(dict.fromkeys(solution + boards))))
        return found

    def pairs(self) -> Iterator[tuple[BoundDomain, Board]]:
        """Yield every walked board with its domain."""
        for instance, boards in self.walked:
            for board in boards:
                yield instance.domain, board

    def edges(self, domain: BoundDomain, board: Board) -> list[Successor]:
        """Return the successors of a board."""
        with self.clock.calling(lambda: board):
            return list(domain.edges(board))


def successors(evidence: DomainEvidence) -> Finding:
    """Ask for the successors of each board twice, and look at what they are."""
    moves = 0
    for domain, board in evidence.pairs():
        edges = evidence.edges(domain, board)
        if edges != evidence.edges(domain, board):
            return failed("asked twice, a board has other successors, or in another order", at(domain, board))
        for edge in edges:
            wrong = domain.why_invalid(edge.board)
            if wrong:
                what = f"the move {edge.action} leads to a board that is none of this game: {wrong}"
                return failed(what, ("from:", board), ("to:", edge.board))
        moves += len(edges)
    return passed(f"{moves:,} moves are the same when asked twice, and lead to legal boards", moves=moves)


def actions_replay(evidence: DomainEvidence) -> Finding:
    """Follow walks again by the names of their moves alone."""
    for domain, board in evidence.pairs():
        names = [edge.action for edge in evidence.edges(domain, board)]
        if not all(isinstance(name, str) for name in names):
            return failed("an action is a text", at(domain, board))
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            return failed(f"two moves from a board are both called {twice}", at(domain, board))
    generator = np.random.default_rng(SEED)
    replayed = 0
    for instance, _ in evidence.walked:
        for _ in range(REPLAYED):
            with evidence.clock.calling():
                path = list(walk(instance, generator))
            board = instance.board
            for edge, reached in path:
                following = {e.action: e.board for e in evidence.edges(instance.domain, board)}
                if following.get(edge.action) != edge.board:
                    return failed(f"the move {edge.action} does not lead where it led", at(instance.domain, board))
                board = reached
            replayed += len(path)
    return passed(f"{replayed:,} moves can be followed again by their names", moves=replayed)


def goal_test(evidence: DomainEvidence) -> Finding:
    """Ask of each board twice whether it is a goal."""
    goals = 0
    for domain, board in evidence.pairs():
        with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
            answers = {domain.is_goal(board), domain.is_goal(board)}
        if len(answers) > 1:
            return failed("asked twice, it says of one board that it is a goal and that it is none", at(domain, board))
        goals += answers.pop()
    if not goals:
        return info("no board that was met is a goal: the test is not seen at work", goals=0)
    return passed(f"{goals:,} of the boards {'is a goal' if goals == 1 else 'are goals'}, each time", goals=goals)


def dead_ends(evidence: DomainEvidence) -> Finding:
    """Compare `is_dead` with what the moves say."""
    if evidence.domain.component.is_dead is None:
        return skipped("it has no is_dead: that is found out by trying")
    for domain, board in evidence.pairs():
        dead = all(edge.terminal for edge in evidence.edges(domain, board))
        if domain.is_dead(board) != dead:
            what = "is dead, though a move leads on" if not dead else "is not dead, though no move leads on"
            return failed(f"it says that a board {what}", at(domain, board))
    return passed("is_dead says what the moves say")


def revisited(evidence: DomainEvidence) -> Finding:
    """Compare `revisited_layers` with the depths at which states are met again."""
    declared = evidence.domain.component.revisited_layers
    if declared == "any":
        return skipped('it declares revisited_layers="any", which says nothing')
    for instance, _ in evidence.walked:
        domain = instance.domain
        depths = {instance.board: 0}
        goes_on = evidence.clock.until(1 / 10)
        for board in (waiting := [instance.board]):
            if domain.component.ends_at_goal and domain.is_goal(board):
                continue
            for edge in evidence.edges(domain, board):
                if edge.terminal:
                    continue
                if edge.board not in depths:
                    depths[edge.board] = depths[board] + 1
                    waiting.append(edge.board)
                before = depths[board] + 1 - depths[edge.board]
                if before > NEWEST_REVISITED[declared]:
                    said = f"a state of depth {depths[edge.board]} is met again at depth {depths[board] + 1}"
                    return failed(f'it declares revisited_layers="{declared}", but {said}', at(domain, edge.board))
            if len(waiting) > MET or not goes_on():
                break
    return passed(f'no state was met again where revisited_layers="{declared}" excludes it')


def bounds(evidence: DomainEvidence) -> Finding:
    """Compare `lower_bound` and `why_unsolvable` with what solving costs."""
    component = evidence.domain.component
    if component.lower_bound is None and component.why_unsolvable is None:
        return skipped("it has neither lower_bound nor why_unsolvable")
    compared = 0
    for ground in evidence.on:
        space = ground.space
        for number in space.by_cost[:: max(1, len(space) // BOUNDED)]:
            board, cost = space.board(int(number)), float(space.costs[number])
            if not np.isfinite(cost):
                continue
            bound = ground.domain.lower_bound(board)
            if bound > cost:
                return failed(f"its lower bound is {bound:g}, but solving costs {cost:g}", at(ground.domain, board))
            wrong = ground.domain.why_unsolvable(board)
            if wrong:
                return failed(f"it says “{wrong}”, but a board is solved at {cost:g}", at(ground.domain, board))
            compared += 1
    if not compared:
        return skipped("no board is known to have a solution")
    return passed(f"neither is refuted by {compared:,} boards of known cost", boards=compared)


def points(evidence: DomainEvidence) -> Finding:
    """Ask what each move earns twice."""
    if evidence.domain.component.points is None:
        return skipped("it has no points")
    moves = 0
    for domain, board in evidence.pairs():
        for edge in evidence.edges(domain, board):
            try:
                with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                    earned, again = (domain.points(board, edge.board) for _ in range(2))
            except PluginError as error:
                return failed(str(error), ("from:", board), ("to:", edge.board))
            if earned != again:
                said = f"asked twice, the move {edge.action} earns {earned:g} points and then {again:g}"
                return failed(said, ("from:", board), ("to:", edge.board))
            moves += 1
    return passed(f"{moves:,} moves earn what they earn, each time", moves=moves)


def at(domain: BoundDomain, board: Board) -> tuple[str, Board]:
    """Return a board with what is to be said of it."""
    return f"on this board of {domain}:", board


RULES = (
    Property("successors", "Are its moves always the same, and lead to legal boards?", successors),
    Property("actions-replay", "Can a game be played again by the names of its moves?", actions_replay),
    Property("goal-test", "Is a goal always a goal?", goal_test),
    Property("dead-ends", "Does is_dead say what the moves say?", dead_ends),
    Property("points", "Does a move always earn the same?", points),
    Property("revisited", "Are states met again only in the layers where it says they are?", revisited),
    Property("bounds", "Are lower_bound and why_unsolvable true?", bounds),
)
