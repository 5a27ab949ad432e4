"""A survey of a domain: its rules asked twice about one board after another, and compared with their compiled form.

All that is asked about a board is asked while it is at hand, and the properties of the contract read what was found: so
as many boards as possible are looked at in the time there is.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from math import isfinite, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginError, SearchlabWarning
from searchlab.model.costs import exceeds
from searchlab.search.kernels import graph
from searchlab.search.state_space import Moves
from searchlab.testing.boards import solution_boards, walked_boards
from searchlab.testing.findings import failed
from searchlab.testing.grounds import Survey, in_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.board.board import Board
    from searchlab.search.compiled.enumeration import Enumeration
    from searchlab.search.state_space import StateSpace
    from searchlab.testing.findings import Finding
    from searchlab.testing.grounds import Ground

WALKED = 200
MOST_WALKED = 20_000
"""Boards of walks where the state space is too large to be known as a whole."""
SOLUTION = 40
"""Boards of a solution, from the goal backwards, that are looked at besides those of walks."""


class DomainSurvey(Survey):
    """What is found out about a domain on one ground.

    Args:
        ground: what it is checked on.

    Attributes:
        moves: their moves.
        goals: how many of them are goals.
        compared: moves that were compared with the compiled ones.
        known: boards of which it is known what solving them costs, and that bounds were compared with that.
        earned: moves that were asked for their points.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self.ground, self.domain, self.clock = ground, ground.domain, ground.clock
        self.moves = self.goals = self.compared = self.known = self.earned = 0
        self._board: Board = ground.instance.board

    @cached_property
    def walked(self) -> list[Board]:
        """Boards met on walks by the readable rules; of a large space also boards of a solution where one is found."""
        walked = self._walked(WALKED)
        if self.space:
            return walked
        with self.clock.calling(prepares=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", SearchlabWarning)
            solution = solution_boards(self.ground.instance, self.clock.seconds / 20)[:SOLUTION]
        return list(dict.fromkeys(solution + walked))

    def _walked(self, most: int) -> list[Board]:
        """Return boards met on walks; where the rules fail, that is a fault of theirs."""
        try:
            with self.clock.calling():
                return walked_boards(self.ground.instance, most, self.clock.until(1 / 10))
        except PluginError as error:
            self._blame("successors", str(error))
            return [self.ground.instance.board]

    @cached_property
    def space(self) -> StateSpace | None:
        """The whole state space; None where it is too large, or its rules fail."""
        if self.domain.is_of_chance:
            return None
        try:
            space = self.ground.space
        except PluginError as error:
            of_readable = isinstance(self.ground.compiled, CannotCompile)
            self._blame("successors" if of_readable else "same-compiled", str(error))
            return None
        return space if space.complete else None

    @property
    def states(self) -> int:
        """How many boards there are to look at; where that is not known, how many were looked at."""
        return len(self.space) if self.space else self.looked

    def extent(self) -> str:
        """Return on how many boards it was checked, in words."""
        if not self.space:
            return f"{self.looked:,} boards of walks from {self.ground.instance}"
        share = f"all {self.states:,}" if self.looked >= self.states else f"{self.looked:,} of {self.states:,}"
        return f"{share} boards of {self.ground.instance}"

    def prepare(self) -> None:
        """Do what is compiled, or found out once: none of it counts as time for looking at boards."""
        _ = self.walked, self.space, self.ground.compiled

    def _look_at_all(self) -> Iterator[None]:
        """Look at the boards of walks always, and first."""
        self._look_at(self.walked, None)
        if self.space:
            self.looked = 0  # they are boards of the space, too
            for numbers in self.ground.in_order():
                self._look_at(self.space.boards(numbers), numbers)
                yield
            return
        yield
        known = set(self.walked)
        for boards in in_pieces([board for board in self._walked(MOST_WALKED) if board not in known]):
            self._look_at(boards, None)
            yield

    def edges(self, board: Board) -> list[Successor]:
        """Return the successors of a board."""
        return list(self.domain.edges(board))

    def _look_at(self, boards: Sequence[Board], numbers: NDArray[np.int64] | None) -> None:
        """Ask all there is to ask about some boards.

        Args:
            boards: these boards.
            numbers: their numbers in the state space, None where these are not known.
        """
        costs = np.full(len(boards), nan) if numbers is None or not self.space else self.space.costs[numbers]
        found: list[tuple[bool, list[Successor]] | None] = []
        with self.clock.calling(lambda: self._board):
            for k, board in enumerate(boards):
                found.append(self._asked_once(board))
                self._ask_bounds(board, float(costs[k]))
            for board, before in zip(reversed(boards), reversed(found), strict=True):
                if before is not None:
                    self._ask_again(board, *before)
            for k, board in enumerate(boards):
                before = found[k]
                if before is not None:
                    self._ask_validity(board, before[1], None if numbers is None else int(numbers[k]))
                    self._ask_points(board, before[1])
        self.looked += len(boards)
        asked = [k for k, answer in enumerate(found) if answer is not None]
        self._compare([boards[k] for k in asked], [answer for answer in found if answer is not None])

    def _asks(self, name: str, board: Board) -> bool:
        """Return whether a question is still open, about this board."""
        self.clock.call_returned()
        self._board = board
        return name not in self.faults

    def _blame(self, name: str, said: str, *boards: tuple[str, Board]) -> None:
        self.faults.setdefault(name, failed(said, *boards))

    def _asked_once(self, board: Board) -> tuple[bool, list[Successor]] | None:
        """Return whether a board is a goal, and its successors; None where one of these is not answered."""
        asked = "goal-test"
        try:
            self._asks(asked, board)
            is_goal = self.domain.is_goal(board)
            asked = "successors"
            edges = self.edges(board)
            self.goals += is_goal
            self.moves += len(edges)
            asked = "dead-ends"
            if self.domain.component.is_dead is not None and self._asks(asked, board):
                dead = all(edge.terminal for edge in edges)
                if self.domain.is_dead(board) != dead:
                    what = "is dead, though a move leads on" if not dead else "is not dead, though no move leads on"
                    self._blame(asked, f"it says that a board {what}", at(self.domain, board))
        except PluginError as error:
            self._blame(asked, str(error), at(self.domain, board))
            return None if asked != "dead-ends" else (is_goal, edges)
        return is_goal, edges

    def _ask_again(self, board: Board, was_goal: bool, edges: list[Successor]) -> None:
        """Ask the same once more, after other boards: the answers have to be the same."""
        asked = "goal-test"
        try:
            if self._asks(asked, board) and self.domain.is_goal(board) != was_goal:
                said = "asked twice, it says of one board that it is a goal and that it is none"
                self._blame(asked, said, at(self.domain, board))
            asked = "successors"
            if self._asks(asked, board) and self.edges(board) != edges:
                said = "asked twice, a board has other successors, or in another order"
                self._blame(asked, said, at(self.domain, board))
        except PluginError as error:
            self._blame(asked, f"asked a second time, {error}", at(self.domain, board))
        names = [edge.action for edge in edges]
        if len({*names}) < len(names) and self._asks("actions-replay", board):
            twice = next(name for name in names if names.count(name) > 1)
            self._blame("actions-replay", f"two moves from a board are both called {twice}", at(self.domain, board))

    def _ask_bounds(self, board: Board, cost: float) -> None:
        """Compare what is said of a board's solutions with what a cheapest one costs."""
        component = self.domain.component
        if component.lower_bound is None and component.why_unsolvable is None:
            return
        if not isfinite(cost) or not self._asks("bounds", board):
            return
        self.known += 1
        try:
            bound = self.domain.lower_bound(board)
            if exceeds(bound, cost):
                said = f"its lower bound is {bound:g}, but solving costs {cost:g}"
                self._blame("bounds", said, at(self.domain, board))
            wrong = self.domain.why_unsolvable(board)
            if wrong:
                said = f"it says “{wrong}”, but a board is solved at {cost:g}"
                self._blame("bounds", said, at(self.domain, board))
        except PluginError as error:
            self._blame("bounds", str(error), at(self.domain, board))

    def _ask_validity(self, board: Board, edges: list[Successor], number: int | None) -> None:
        """Ask whether moves lead to legal boards: where all states are looked at each once, else each successor."""
        if self.domain.component.why_invalid is None or not self._asks("successors", board):
            return
        led_to = [(board, edge) for edge in edges if number is None or edge.terminal]
        try:
            if number is not None and self.domain.why_invalid(board):
                led_to += self._moves_to(board, number)
            for origin, edge in led_to:
                wrong = self.domain.why_invalid(edge.board)
                if wrong:
                    said = f"the move {edge.action} leads to a board that is none of this game: {wrong}"
                    self._blame("successors", said, ("from:", origin), ("to:", edge.board))
        except PluginError as error:
            self._blame("successors", str(error), at(self.domain, board))

    def _moves_to(self, board: Board, number: int) -> list[tuple[Board, Successor]]:
        """Return the moves that lead to a state by the readable rules."""
        assert self.space is not None
        origins = self.space.boards(np.flatnonzero((self.space.successors == number).any(axis=1)))
        return [(origin, edge) for origin in origins for edge in self.edges(origin) if edge.board == board]

    def _ask_points(self, board: Board, edges: list[Successor]) -> None:
        if self.domain.component.points is None or not self._asks("points", board):
            return
        for edge in edges:
            try:
                earned, again = (self.domain.points(board, edge.board) for _ in range(2))
            except PluginError as error:
                self._blame("points", str(error), ("from:", board), ("to:", edge.board))
                return
            if earned != again:
                said = f"asked twice, the move {edge.action} earns {earned:g} points and then {again:g}"
                self._blame("points", said, ("from:", board), ("to:", edge.board))
            self.earned += 1

    def _compare(self, boards: list[Board], found: list[tuple[bool, list[Successor]]]) -> None:
        """Compare goal tests and successors with those of the compiled rules."""
        compiled = self.ground.compiled
        if isinstance(compiled, CannotCompile) or not boards:
            return
        packing = compiled.packing
        after = [
            edge.board for is_goal, edges in found if not is_goal for edge in edges
        ]  # no search goes on from goals
        tiles = np.array([board.tiles for board in (*boards, *after) if board.shape == packing.shape])
        unpacked = packing.unpack_tiles(packing.pack_tiles(tiles)) if len(tiles) == len(boards) + len(after) else None
        if unpacked is None or (differs := (unpacked != tiles).any(axis=(1, 2))).any():
            self._blame_packing([*boards, *after], packing)
            if unpacked is None or differs[: len(boards)].any():
                return
        if "same-compiled" in self.faults:
            return
        states = packing.pack_tiles(tiles[: len(boards)])
        try:
            with self.clock.calling(lambda: self._board):
                moves = Moves(compiled, states)
        except PluginError as error:
            if len(boards) > 1:
                for one, answer in zip(boards, found, strict=True):
                    self._compare([one], [answer])
            else:
                self._blame("same-compiled", str(error), at(self.domain, boards[0]))
            return
        self._compare_moves(compiled, moves, boards, found)

    def _compare_moves(
        self, compiled: Enumeration, moves: Moves, boards: list[Board], found: list[tuple[bool, list[Successor]]]
    ) -> None:
        goals = np.array([is_goal for is_goal, _ in found])
        other = np.flatnonzero(goals != moves.goals)
        if other.size:
            first = int(other[0])
            said = "compiled it is one" if moves.goals[first] else "compiled it is none"
            said = f"whether a board is a goal: {said}, readable the opposite"
            self._blame("same-compiled", said, at(self.domain, boards[first]))
            return
        counts = np.array([0 if is_goal else len(edges) for is_goal, edges in found])
        is_move = moves.kinds != graph.NO_MOVE
        differs = is_move.sum(axis=1) != counts
        if not differs.any():
            expected = [edge for is_goal, edges in found if not is_goal for edge in edges]
            here = compiled.packing.unpack_tiles(moves.words[is_move])
            tiles = np.array([edge.board.tiles for edge in expected], np.int64).reshape(here.shape)
            differing = (tiles != here).any(axis=(1, 2))
            differing |= moves.costs[is_move] != np.array([float(edge.cost) for edge in expected])
            differing |= (moves.kinds[is_move] != graph.LIVE) != np.array([bool(edge.terminal) for edge in expected])
            differs[np.repeat(np.arange(len(boards)), counts)[differing]] = True
            self.compared += len(expected)
        for first in np.flatnonzero(differs)[:1]:
            self.faults["same-compiled"] = difference(boards[first], found[first][1], listed(compiled, moves, first))

    def _blame_packing(self, boards: list[Board], packing: Any) -> None:
        for board in boards:
            if board.shape != packing.shape:
                said = f"a move leads to a board of another shape, {board.shape[0]} × {board.shape[1]}"
                self._blame("packing", f"{said}, which the packed form does not hold", at(self.domain, board))
                return
            unpacked = packing.unpack(packing.pack(board).reshape(1, -1))[0]
            if unpacked != board:
                said = "packed and unpacked, a board is another one"
                self._blame("packing", said, ("before:", board), ("after:", unpacked))
                return


def listed(compiled: Enumeration, moves: Moves, number: int) -> list[tuple[Board, float, bool]]:
    """Return the compiled moves from one of the states: the board after each, its cost, whether the game is over."""
    there = np.flatnonzero(moves.kinds[number])
    boards = compiled.packing.unpack(moves.words[number, there])
    terminal = moves.kinds[number, there] != graph.LIVE
    return list(zip(boards, moves.costs[number, there].tolist(), terminal.tolist(), strict=True))


def difference(board: Board, expected: list[Successor], here: list[tuple[Board, float, bool]]) -> Finding:
    """Return the first successor in which the compiled rules differ from the readable ones."""
    for k, edge in enumerate(expected):
        if k >= len(here):
            break
        after, cost, terminal = here[k]
        if after != edge.board:
            said = f"successor {k + 1}, {edge.action}, is another board"
            return failed(said, ("from:", board), ("readable:", edge.board), ("compiled:", after))
        if (cost, terminal) != (edge.cost, edge.terminal):
            costs = f"cost {edge.cost:g} readable, {cost:g} compiled"
            ends = f"terminal {edge.terminal} readable, {terminal} compiled"
            return failed(f"successor {k + 1}, {edge.action}: {costs}; {ends}", ("from:", board), ("to:", after))
    return failed(f"{len(expected)} successors readable, {len(here)} compiled", ("from:", board))


def at(domain: BoundDomain, board: Board) -> tuple[str, Board]:
    """Return a board with what is to be said of it."""
    return f"on this board of {domain}:", board
