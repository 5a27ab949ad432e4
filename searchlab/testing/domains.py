"""The contract of a domain: its rules are always the same, and what it says of its boards is so."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from searchlab.search.readable.enumeration import NEWEST_REVISITED
from searchlab.testing.boards import SEED, walk
from searchlab.testing.domain_survey import DomainSurvey, at
from searchlab.testing.findings import Finding, Property, failed, info, passed, share_of, skipped
from searchlab.testing.grounds import look_in_turn

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.board.board import Board
    from searchlab.search.deadline import Clock
    from searchlab.search.state_space import StateSpace
    from searchlab.testing.grounds import Ground
    from searchlab.testing.instances import Instance

OWN, OTHERS = 0.7, 0.15
"""Shares of the time for looking at boards, with the parameters asked for and with others."""
REPLAYED = 20
MET = 1500
"""States of a large space among which it is looked whether any is met again."""


class DomainEvidence:
    """What is known of a domain on all its grounds.

    Args:
        grounds: what it is checked on.
        others: the same with other parameters, for which there is less time.
    """

    def __init__(
        self, domain: BoundDomain, grounds: list[Ground], others: list[Ground], clock: Clock, allow_interpreted: bool
    ) -> None:
        self.domain, self.on, self.others = domain, grounds, others
        self.clock, self.allow_interpreted = clock, allow_interpreted

    def grounds(self) -> tuple[str, ...]:
        """Return what it was checked on, in words."""
        return tuple(survey.extent() for survey in self.surveys)

    @cached_property
    def surveys(self) -> list[DomainSurvey]:
        """What was found out on each ground, those with other parameters last."""
        surveys = [DomainSurvey(ground) for ground in self.on + self.others]
        for survey in surveys:
            survey.prepare()
        look_in_turn(surveys[: len(self.on)], self.clock, OWN)
        look_in_turn(surveys[len(self.on) :], self.clock, OTHERS)
        return surveys

    def fault(self, name: str) -> Finding | None:
        """Return what is wrong with one property, None if nothing was found."""
        return next((survey.faults[name] for survey in self.surveys if name in survey.faults), None)

    @property
    def looked(self) -> int:
        """How many boards were looked at."""
        return sum(survey.looked for survey in self.surveys)

    @property
    def states(self) -> int:
        """How many boards there are, where that is known."""
        return sum(survey.states for survey in self.surveys)

    @property
    def share(self) -> str:
        """How many of all boards were looked at, in words."""
        return share_of(self.looked, self.states)

    @property
    def walked(self) -> list[tuple[Instance, list[Board]]]:
        """Boards met on walks, by the readable rules, and those of a solution where one is found."""
        return [(survey.ground.instance, survey.walked) for survey in self.surveys[: len(self.on)]]

    def edges(self, domain: BoundDomain, board: Board) -> list[Successor]:
        """Return the successors of a board."""
        with self.clock.calling(lambda: board):
            return list(domain.edges(board))


def successors(evidence: DomainEvidence) -> Finding:
    """Ask for the successors of each board twice, and look at what they are."""
    moves = sum(survey.moves for survey in evidence.surveys)
    said = f"{moves:,} moves of {evidence.share} are the same when asked twice, and lead to legal boards"
    return evidence.fault("successors") or passed(said, moves=moves, boards=evidence.looked, of=evidence.states)


def actions_replay(evidence: DomainEvidence) -> Finding:
    """Look for two moves of one name, and follow walks again by the names of their moves alone."""
    fault = evidence.fault("actions-replay")
    if fault:
        return fault
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
    said = f"the moves of {evidence.share} have different names, and {replayed:,} can be followed again by them"
    return passed(said, moves=replayed)


def goal_test(evidence: DomainEvidence) -> Finding:
    """Ask of each board twice whether it is a goal."""
    goals = sum(survey.goals for survey in evidence.surveys)
    fault = evidence.fault("goal-test")
    if fault:
        return fault
    if not goals:
        return info("no board that was met is a goal: the test is not seen at work", goals=0)
    said = f"{goals:,} of the boards {'is a goal' if goals == 1 else 'are goals'}, each time ({evidence.share})"
    return passed(said, goals=goals)


def dead_ends(evidence: DomainEvidence) -> Finding:
    """Compare `is_dead` with what the moves say."""
    if evidence.domain.component.is_dead is None:
        return skipped("it has no is_dead: that is found out by trying")
    return evidence.fault("dead-ends") or passed(f"is_dead says what the moves say, on {evidence.share}")


def revisited(evidence: DomainEvidence) -> Finding:
    """Compare `revisited_layers` with the depths at which states are met again."""
    declared = evidence.domain.component.revisited_layers
    if declared == "any":
        return skipped('it declares revisited_layers="any", which says nothing')
    for survey in evidence.surveys:
        again = _met_again(survey.space, declared) if survey.space else _met_again_by_walking(evidence, survey)
        if again:
            board, before, depth = again
            said = f"a state of depth {before} is met again at depth {depth}"
            return failed(f'it declares revisited_layers="{declared}", but {said}', at(survey.domain, board))
    return passed(f'no state was met again where revisited_layers="{declared}" excludes it')


def _met_again(space: StateSpace, declared: str) -> tuple[Board, int, int] | None:
    """Return a state of a whole space that is met again where that is excluded, and both depths."""
    reached = space.depths[:, None] + 1
    too_deep = (
        (space.successors >= 0) & ~space.ends & (reached - space.depths[space.successors] > NEWEST_REVISITED[declared])
    )
    found = np.argwhere(too_deep)
    if not len(found):
        return None
    origin, k = found[0]
    state = int(space.successors[origin, k])
    return space.board(state), int(space.depths[state]), int(space.depths[origin]) + 1


def _met_again_by_walking(evidence: DomainEvidence, survey: DomainSurvey) -> tuple[Board, int, int] | None:
    """Return the same of the first layers of a space that is too large."""
    domain, start = survey.domain, survey.ground.instance.board
    declared = domain.component.revisited_layers
    depths = {start: 0}
    goes_on = evidence.clock.until(1 / 10)
    for board in (waiting := [start]):
        if domain.component.ends_at_goal and domain.is_goal(board):
            continue
        for edge in evidence.edges(domain, board):
            if edge.terminal:
                continue
            if edge.board not in depths:
                depths[edge.board] = depths[board] + 1
                waiting.append(edge.board)
            if depths[board] + 1 - depths[edge.board] > NEWEST_REVISITED[declared]:
                return edge.board, depths[edge.board], depths[board] + 1
        if len(waiting) > MET or not goes_on():
            break
    return None


def bounds(evidence: DomainEvidence) -> Finding:
    """Compare `lower_bound` and `why_unsolvable` with what solving costs."""
    component = evidence.domain.component
    if component.lower_bound is None and component.why_unsolvable is None:
        return skipped("it has neither lower_bound nor why_unsolvable")
    fault, known = evidence.fault("bounds"), sum(survey.known for survey in evidence.surveys)
    if not fault and not known:
        return skipped("no board is known to have a solution")
    return fault or passed(f"neither is refuted by {known:,} boards of known cost", boards=known)


def points(evidence: DomainEvidence) -> Finding:
    """Ask what each move earns twice."""
    if evidence.domain.component.points is None:
        return skipped("it has no points")
    moves = sum(survey.earned for survey in evidence.surveys)
    return evidence.fault("points") or passed(f"{moves:,} moves earn what they earn, each time", moves=moves)


RULES = (
    Property("successors", "Are its moves always the same, and lead to legal boards?", successors),
    Property("actions-replay", "Can a game be played again by the names of its moves?", actions_replay),
    Property("goal-test", "Is a goal always a goal?", goal_test),
    Property("dead-ends", "Does is_dead say what the moves say?", dead_ends),
    Property("points", "Does a move always earn the same?", points),
    Property("revisited", "Are states met again only in the layers where it says they are?", revisited),
    Property("bounds", "Are lower_bound and why_unsolvable true?", bounds),
)
