"""Evidence about a component, on which the checks of its properties are based.

A ground is a sample with its state space and an order of its boards. A survey asks a domain or a heuristic about the
boards of a ground, one by one, as many as there is time for, and keeps the first fault of each property. It asks all
questions about a board before it continues with the next board.
"""

from __future__ import annotations

import contextlib
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import wraps
from math import inf, isfinite, isnan, nan
from textwrap import shorten
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from searchlab.binding import bound as binding
from searchlab.binding.domain import BoundDomain
from searchlab.binding.player import Move
from searchlab.board.board import Board
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, PluginError, SearchlabWarning, UsageError, in_one_line
from searchlab.errors.cached import cached_property
from searchlab.model.costs import ROUNDING, exceeds
from searchlab.model.limits import Limits
from searchlab.model.strategies import MoveValues
from searchlab.search.compiled.enumeration import Enumeration
from searchlab.search.kernels import graph
from searchlab.search.problem import Problem
from searchlab.search.solve import search
from searchlab.search.state_space import CompiledEstimate, Moves, StateSpace, enumerated_space, wide_packing
from searchlab.search.watch import Watch
from searchlab.testing.report import Finding, failed, share_of
from searchlab.testing.samples import (
    SEED,
    Sample,
    legal_boards,
    played_space,
    readable_space,
    sampled_space,
    solution_boards,
    walked_boards,
)
from searchlab.testing.toys import (
    ESTIMATES,
    ESTIMATES_BETWEEN,
    GRIDS,
    GRIDS_BACKWARDS,
    NOWHERE,
    bound_estimate,
    bound_grid,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.edges import Successor
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.compiler.packing import Packing
    from searchlab.model.results import Result
    from searchlab.testing.clock import Clock

    Position = tuple[BoundPlayer, Board, tuple[Move, ...]]

T = TypeVar("T")
STATES_A_SECOND = 100_000
"""The most states of a whole state space per second of checking: ten times as many as can be looked at."""
LEAST_STATES = 200_000
"""The states that a whole state space may always have; the 8-puzzle has fewer."""
MOST_STATES = 2_000_000
MOST_READABLE = 20_000
SPACE_TIME = 1.5
"""The seconds for enumerating a whole state space by the compiled rules, per second of checking."""
LEAST_SPACE_SECONDS = 2.0
"""The seconds that the enumeration may always take; the 181,440 states of the 8-puzzle take 0.2."""
TRIED = 200
"""The number of boards for calls that do not continue until the time is up."""
FIRST = 1000
"""The number of goals, and of deepest states, that are looked at first."""
FIRST_SLICE, LARGEST_SLICE = 16, 512
"""The boards between two looks at the clock, at first and at most."""
SLICE_SECONDS = 0.1
"""The seconds that a slice should take."""
LEAST_SHARE = 0.05
"""The part of a share of the time that is too short for another round of surveys."""
KEPT = 8
"""The number of state spaces to keep for the next component that is checked on them."""
_kept: dict[tuple[int, tuple[str, str], Board, float, bool], tuple[object, StateSpace]] = {}
WALKED = 200
MOST_WALKED = 20_000
"""The boards of walks if the state space is too large to be known as a whole."""
SOLUTION = 40
"""The number of boards of a solution, from the goal backwards, in addition to the boards of walks."""
DOMAIN_SHARE, HEURISTIC_SHARE = 0.7, 0.5
"""The shares of the time for looking at boards with the requested parameters."""
OTHERS_SHARE = 0.15
"""The share of the time for looking at boards with other parameters."""
TIMED = 50_000
"""The number of compiled calls that are timed."""
ODD = " (a legal board, though no search from the boards it is checked on meets it)"
NOISE = 1e-6
"""The rounding allowed relative to the largest value, as a part of the rounding allowed relative to each value."""
DIFFERENCES = "compiled, whole numbers wrap around at 64 bits, and two truth values add up to 2"
ALL_ASKED_AGAIN, SOME_ASKED_AGAIN = 20_000, 16
"""A heuristic is asked twice about the first boards, then about every 16th: this halves the time of `--thorough`."""
MOST_EXPANSIONS = 2000
STEEP = 4
"""The number of variants of each grid and goal with other costs."""
SIDE, SIDE_FOR_DEEPENING = 5, 3
START = Board([[0, 0]])
LONGEST_SEARCH = 10.0
"""The time limit of a search in seconds, however little time there is for checking, because speed does not matter."""
ACTIONS_WIDTH = 60
"""The characters of a message for the actions in which the solutions of both engines differ."""
MOST_POSITIONS = 100
"""The boards of a sample on which a player is asked for a move."""
PLAYER_SEEDS = (0, 1, 2)


class Survey(ABC):
    """Ask about one board after another, a few at a time.

    Attributes:
        faults: the first fault of each property of the contract, by the name of the property.
        looked: the number of boards looked at.
        is_done: whether all boards were looked at.
    """

    def __init__(self) -> None:
        self.faults: dict[str, Finding] = {}
        self.looked = 0
        self.is_done = False

    def look(self, goes_on: Callable[[], bool]) -> None:
        """Look at more boards while there is time, and at a few in any case."""
        for _ in self._looking:
            if not goes_on():
                return
        self.is_done = True

    @cached_property
    def _looking(self) -> Iterator[None]:
        return self._look_at_all()

    @abstractmethod
    def _look_at_all(self) -> Iterator[None]:
        """Look at all boards; yield at points of possible interruption."""


def survey_in_turn(surveys: Sequence[Survey], clock: Clock, share: float) -> None:
    """Run surveys in turn for a share of the time; time that a survey does not use goes to the others."""
    waiting, began = surveys, time.thread_time()
    while waiting:
        left = share - (time.thread_time() - began) / max(clock.seconds, 1e-9)
        if left <= LEAST_SHARE * share and waiting is not surveys:
            return
        for survey, goes_on in zip(waiting, clock.in_turn(left, len(waiting)), strict=True):
            survey.look(goes_on)
        waiting = [survey for survey in waiting if not survey.is_done]


def slices(items: Any, goes_on: Callable[[], bool] = lambda: True, most: int = LARGEST_SLICE) -> Iterator[Any]:
    """Yield slices of a sequence while there is time, and at least one slice."""
    at, size = 0, FIRST_SLICE
    while at < len(items) and (goes_on() or not at):
        began = time.monotonic()
        yield items[at : at + size]
        at += size
        size = min(2 * size, most) if time.monotonic() - began < SLICE_SECONDS else max(1, size // 2)


class Ground:
    """A sample on which a component is checked.

    Args:
        sample: a domain and a board.
        clock: the time for checking.
    """

    def __init__(self, sample: Sample, clock: Clock) -> None:
        self.sample, self.domain, self.clock = sample, sample.domain, clock

    @cached_property
    def space(self) -> StateSpace:
        """The whole state space if it is small enough, else a sample of it."""
        component, clock = self.domain.component, self.clock
        key = (id(component), self.domain.key, self.sample.board, clock.seconds, clock.thorough)
        if key not in _kept:
            with warnings.catch_warnings(), clock.calling(prepares=True):
                warnings.simplefilter("ignore", SearchlabWarning)  # another property reports what runs interpreted
                space = self._found_space()
            while len(_kept) >= KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = component, space
        return _kept[key][1]

    def _found_space(self) -> StateSpace:
        if self.domain.is_of_chance:
            return played_space(self.sample, self.clock)
        return self._whole_space() or sampled_space(self.sample, self.clock)

    def _whole_space(self) -> StateSpace | None:
        seconds, states = max(LEAST_SPACE_SECONDS, SPACE_TIME * self.clock.seconds), MOST_STATES
        if self.clock.thorough:
            seconds = inf
        else:
            states = min(states, max(LEAST_STATES, int(STATES_A_SECOND * self.clock.seconds)))
        try:
            return enumerated_space(self.sample.board, self.domain, Limits(seconds, expansions=states))
        except (CannotCompile, MemoryError):
            most = MOST_STATES if self.clock.thorough else MOST_READABLE
            return readable_space(self.sample, most, self.clock.looking(1 / 4))

    @cached_property
    def compiled(self) -> Enumeration | CannotCompile:
        """The compiled rules of the domain for boards of this shape, or the reason why they do not compile."""
        try:
            with self.clock.calling(prepares=True):
                return Enumeration(self.sample.board, self.domain, Watch(Limits()), revisited_layers="any")
        except CannotCompile as error:
            return error

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The states in the order in which their boards are looked at until time is up.

        Goals and the deepest states come first, then states next to a goal, then all other states in random order. Each
        state is followed by its successors, so that there are moves between the boards looked at.
        """
        space = self.space
        goals, deepest = np.flatnonzero(space.goals), np.argsort(-space.depths, kind="stable")[:FIRST]
        goals = goals[:: -(-len(goals) // FIRST) or 1]
        shuffled = np.random.default_rng(SEED).permutation(len(space))
        others = np.column_stack([shuffled, space.successors[shuffled]]).ravel()
        listed = np.concatenate([goals, deepest, space.by_cost[:FIRST], others[others >= 0]])
        place = np.empty(len(space), np.int64)
        place[listed[::-1]] = np.arange(len(listed))[::-1]  # so that the first of several places is written last
        return np.argsort(place, kind="stable")

    def in_order(self, goes_on: Callable[[], bool] = lambda: True) -> Iterator[NDArray[np.int64]]:
        """Yield the states in the order of looking, some at a time, while there is time."""
        return slices(self.order, goes_on)

    @cached_property
    def boards(self) -> list[Board]:
        """Boards that a search may meet, those nearest to a goal first."""
        space = self.space
        near = space.by_cost[: TRIED // 2]
        others = np.random.default_rng(SEED).permutation(len(space))[: TRIED - len(near)]
        numbers = list(dict.fromkeys([*near.tolist(), *others.tolist()]))
        return space.boards(numbers)

    @cached_property
    def odd_boards(self) -> list[Board]:
        """Legal boards that no search from the sample's board is known to meet."""
        return legal_boards(self.domain, self.boards, TRIED)

    def extent(self) -> str:
        """Describe how much of the state space is known."""
        every = f"all {len(self.space):,}" if self.space.complete else f"{len(self.space):,} sampled"
        return f"{every} boards of {self.sample}"


class DomainSurvey(Survey):
    """The survey of a domain on a ground: the readable rules, called twice, and the compiled rules.

    Attributes:
        moves: the number of moves of the boards.
        goals: the number of goals among the boards.
        compared: the number of moves that were compared with compiled moves.
        known: the number of boards with known costs that were compared with bounds.
        earned: the number of moves with checked points.
        shown: the number of moves with checked motions.
        taken_back: the number of moves that were looked up among the inverse moves, or vice versa.
    """

    def __init__(self, ground: Ground) -> None:
        super().__init__()
        self.ground, self.domain, self.clock = ground, ground.domain, ground.clock
        self.moves = self.goals = self.compared = self.known = self.earned = self.shown = self.taken_back = 0
        self._board: Board = ground.sample.board

    @cached_property
    def walked(self) -> list[Board]:
        """The boards of walks by the readable rules; in a large space also those of a solution, if one is found."""
        walked = self._walked(WALKED)
        if self.space:
            return walked
        with self.clock.calling(prepares=True), warnings.catch_warnings():
            warnings.simplefilter("ignore", SearchlabWarning)
            solution = solution_boards(self.ground.sample, self.clock.seconds / 20)[:SOLUTION]
        return list(dict.fromkeys(solution + walked))

    def _walked(self, most: int) -> list[Board]:
        """Return the boards of walks; record a failure of the rules as a fault."""
        try:
            with self.clock.calling():
                return walked_boards(self.ground.sample, most, self.clock.until(1 / 10))
        except PluginError as error:
            self._add_fault("successors", str(error))
            return [self.ground.sample.board]

    @cached_property
    def space(self) -> StateSpace | None:
        """The whole state space, or None if it is too large or the rules fail."""
        if self.domain.is_of_chance:
            return None
        try:
            space = self.ground.space
        except PluginError as error:
            of_readable = isinstance(self.ground.compiled, CannotCompile)
            self._add_fault("successors" if of_readable else "same-compiled", str(error))
            return None
        return space if space.complete else None

    @property
    def states(self) -> int:
        """The number of all boards or, if unknown, of the boards looked at."""
        return len(self.space) if self.space else self.looked

    def extent(self) -> str:
        """Describe on how many boards the domain was checked."""
        if not self.space:
            return f"{self.looked:,} boards of walks from {self.ground.sample}"
        share = f"all {self.states:,}" if self.looked >= self.states else f"{self.looked:,} of {self.states:,}"
        return f"{share} boards of {self.ground.sample}"

    def prepare(self) -> None:
        """Compile and compute everything that is needed once; this is not counted as time for looking at boards."""
        _ = self.walked, self.space, self.ground.compiled

    def _look_at_all(self) -> Iterator[None]:
        """Look at the boards of walks first, and always."""
        self._look_at(self.walked, None)
        if self.space:
            self.looked = 0  # the boards of walks are boards of the space, too
            for numbers in self.ground.in_order():
                self._look_at(self.space.boards(numbers), numbers)
                yield
            return
        yield
        known = set(self.walked)
        for boards in slices([board for board in self._walked(MOST_WALKED) if board not in known]):
            self._look_at(boards, None)
            yield

    def first_faults(self) -> dict[str, Finding]:
        """Return the faults found on the sample's board if the rules fail there."""
        board = self.ground.sample.board
        with self.clock.calling(lambda: board):
            return self.faults if self._asked_once(board) is None else {}

    def edges(self, board: Board) -> list[Successor]:
        """Return the successors of a board."""
        return list(self.domain.edges(board))

    def _look_at(self, boards: Sequence[Board], numbers: NDArray[np.int64] | None) -> None:
        """Ask all questions about some boards.

        Args:
            boards: the boards.
            numbers: the numbers of the boards in the state space, or None if unknown.
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
                    self._ask_motions(board, before[1])
                    self._ask_inverse(board, *before)
                    self._ask_goals(board, before[0])
        self.looked += len(boards)
        asked = [k for k, answer in enumerate(found) if answer is not None]
        self._compare([boards[k] for k in asked], [answer for answer in found if answer is not None])

    def _begin_question(self, name: str, board: Board) -> bool:
        """Remember the board of the next call; return whether the property has no fault yet."""
        self.clock.call_returned()
        self._board = board
        return name not in self.faults

    def _add_fault(self, name: str, said: str, *boards: tuple[str, Board]) -> None:
        self.faults.setdefault(name, failed(said, *boards))

    def _asked_once(self, board: Board) -> tuple[bool, list[Successor]] | None:
        """Return whether a board is a goal, and its successors, or None if a call fails."""
        asked = "goal-test"
        try:
            self._begin_question(asked, board)
            is_goal = self.domain.is_goal(board)
            asked = "successors"
            edges = self.edges(board)
            self.goals += is_goal
            self.moves += len(edges)
        except PluginError as error:
            self._add_fault(asked, str(error), on_board(self.domain, board))
            return None
        return is_goal, edges

    def _ask_again(self, board: Board, was_goal: bool, edges: list[Successor]) -> None:
        """Ask about a board again, after other boards, and compare the answers."""
        asked = "goal-test"
        try:
            if self._begin_question(asked, board) and self.domain.is_goal(board) != was_goal:
                said = "asked twice, it says of one board that it is a goal and that it is none"
                self._add_fault(asked, said, on_board(self.domain, board))
            asked = "successors"
            if self._begin_question(asked, board) and self.edges(board) != edges:
                said = "asked twice, a board has other successors, or in another order"
                self._add_fault(asked, said, on_board(self.domain, board))
        except PluginError as error:
            self._add_fault(asked, f"asked a second time, {error}", on_board(self.domain, board))
        names = [edge.action for edge in edges]
        if len({*names}) < len(names) and self._begin_question("actions-replay", board):
            twice = next(name for name in names if names.count(name) > 1)
            self._add_fault(
                "actions-replay", f"two moves from a board are both called {twice}", on_board(self.domain, board)
            )

    def _ask_bounds(self, board: Board, cost: float) -> None:
        """Compare the bounds of a board with the cost of a cheapest solution."""
        component = self.domain.component
        if component.lower_bound is None and component.why_unsolvable is None:
            return
        if not isfinite(cost) or not self._begin_question("bounds", board):
            return
        self.known += 1
        try:
            bound = self.domain.lower_bound(board)
            if exceeds(bound, cost):
                said = f"its lower bound is {bound:g}, but solving costs {cost:g}"
                self._add_fault("bounds", said, on_board(self.domain, board))
            wrong = self.domain.why_unsolvable(board)
            if wrong:
                said = f"it says “{wrong}”, but a board is solved at {cost:g}"
                self._add_fault("bounds", said, on_board(self.domain, board))
        except PluginError as error:
            self._add_fault("bounds", str(error), on_board(self.domain, board))

    def _ask_validity(self, board: Board, edges: list[Successor], number: int | None) -> None:
        """Check that moves lead to legal boards: each state of a whole state space once, otherwise each successor."""
        if self.domain.component.why_invalid is None or not self._begin_question("successors", board):
            return
        led_to = [(board, edge) for edge in edges if number is None or edge.terminal]
        try:
            if number is not None and self.domain.why_invalid(board):
                led_to += self._moves_to(board, number)
            for origin, edge in led_to:
                wrong = self.domain.why_invalid(edge.board)
                if wrong:
                    said = f"the move {edge.action} leads to an illegal board: {wrong}"
                    self._add_fault("successors", said, ("from:", origin), ("to:", edge.board))
        except PluginError as error:
            self._add_fault("successors", str(error), on_board(self.domain, board))

    def _moves_to(self, board: Board, number: int) -> list[tuple[Board, Successor]]:
        assert self.space is not None
        origins = self.space.boards(np.flatnonzero((self.space.successors == number).any(axis=1)))
        return [(origin, edge) for origin in origins for edge in self.edges(origin) if edge.board == board]

    def _ask_points(self, board: Board, edges: list[Successor]) -> None:
        if not self.domain.component.has_points or not self._begin_question("points", board):
            return
        for edge in edges:
            try:
                earned, again = (self.domain.points(board, edge.board) for _ in range(2))
            except PluginError as error:
                self._add_fault("points", str(error), ("from:", board), ("to:", edge.board))
                return
            if earned != again:
                said = f"asked twice, the move {edge.action} earns {earned:g} points and then {again:g}"
                self._add_fault("points", said, ("from:", board), ("to:", edge.board))
            self.earned += 1

    def _ask_motions(self, board: Board, edges: list[Successor]) -> None:
        if self.domain.component.views.motions is None or not self._begin_question("motions", board):
            return
        for edge in edges:
            try:
                motions, again = (self.domain.motions(board, edge.action, edge.board) for _ in range(2))
            except PluginError as error:
                self._add_fault("motions", str(error), ("from:", board), ("to:", edge.board))
                return
            if motions != again:
                said = f"asked twice, the tiles go elsewhere in the move {edge.action}, or in another order"
                self._add_fault("motions", said, ("from:", board), ("to:", edge.board))
            self.shown += 1

    def _ask_inverse(self, board: Board, is_goal: bool, edges: list[Successor]) -> None:
        """Look up moves among the inverse moves, and vice versa: all moves of the first boards, then one per board."""
        if not self.domain.has_inverse or not self._begin_question("inverse", board):
            return
        try:
            live = [edge for edge in edges if not edge.terminal] if not is_goal else []
            for edge in self._some(live):
                if (board, edge.cost) not in self.domain.predecessors(edge.board):
                    said = f"the move {edge.action}, which costs {edge.cost:g}, is no inverse move of its board"
                    self._add_fault("inverse", said, ("from:", board), ("to:", edge.board))
                self.taken_back += 1
            for before, cost in self._some(self.domain.predecessors(board)):
                if self.domain.is_goal(before):
                    continue  # no search continues from there
                wrong = self.domain.why_invalid(before)
                moves = [] if wrong else [(edge.board, edge.cost) for edge in self.edges(before)]
                if (board, cost) not in moves:
                    said = f"is illegal: {wrong}" if wrong else f"has no move of cost {cost:g} to this one"
                    said = f"a board from which a move is said to lead to another one {said}"
                    self._add_fault("inverse", said, ("from:", before), ("to:", board))
                self.taken_back += 1
        except PluginError as error:
            self._add_fault("inverse", str(error), on_board(self.domain, board))

    def _some(self, moves: list[T]) -> list[T]:
        """Return all moves of the first boards, and later one move per board."""
        if self.taken_back < FIRST or not moves:
            return moves
        return [moves[self.taken_back % len(moves)]]

    @cached_property
    def listed_goals(self) -> frozenset[Board]:
        """The goals that the domain lists for the boards of this ground; each must be a goal."""
        listed = self.domain.goals(self.ground.sample.board)
        for goal in listed:
            wrong = self.domain.why_invalid(goal)
            if wrong or not self.domain.is_goal(goal):
                said = f"is illegal: {wrong}" if wrong else "is none as is_goal says"
                self._add_fault("goals", f"a board that is listed as a goal {said}", on_board(self.domain, goal))
                break
        return frozenset(listed)

    def _ask_goals(self, board: Board, is_goal: bool) -> None:
        if self.domain.component.goals is None or not self._begin_question("goals", board):
            return
        try:
            if is_goal and board not in self.listed_goals:
                self._add_fault("goals", "a goal is not listed among the goals", on_board(self.domain, board))
            elif not is_goal and board in self.listed_goals:
                self._add_fault("goals", "a board is listed that is no goal", on_board(self.domain, board))
        except PluginError as error:
            self._add_fault("goals", str(error), on_board(self.domain, board))

    def _compare(self, boards: list[Board], found: list[tuple[bool, list[Successor]]]) -> None:
        """Compare goal tests and successors with the compiled rules."""
        compiled = self.ground.compiled
        if isinstance(compiled, CannotCompile) or not boards:
            return
        packing = compiled.packing
        after = [
            edge.board for is_goal, edges in found if not is_goal for edge in edges
        ]  # a search does not expand goals
        tiles = np.array([board.tiles for board in (*boards, *after) if board.shape == packing.shape])
        fits = packing.fits(tiles) if len(tiles) == len(boards) + len(after) else None
        if fits is None or not fits.all():
            self._check_packing([*boards, *after], packing)
            if fits is None or not fits[: len(boards)].all():
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
                self._add_fault("same-compiled", str(error), on_board(self.domain, boards[0]))
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
            self._add_fault("same-compiled", said, on_board(self.domain, boards[first]))
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

    def _check_packing(self, boards: list[Board], packing: Any) -> None:
        for board in boards:
            if board.shape != packing.shape:
                said = f"a move leads to a board of another shape, {board.shape[0]} × {board.shape[1]}"
                self._add_fault("packing", f"{said}, which the packed form does not hold", on_board(self.domain, board))
                return
            try:
                packing.pack(board)
            except PluginError as error:
                said, _, _ = str(error).partition("\n")
                self._add_fault("packing", said, on_board(self.domain, board))
                return


def listed(compiled: Enumeration, moves: Moves, number: int) -> list[tuple[Board, float, bool]]:
    """Return the compiled moves from a state: the board after each move, the cost, and whether the move is terminal."""
    there = np.flatnonzero(moves.kinds[number])
    boards = compiled.packing.unpack(moves.words[number, there])
    terminal = moves.kinds[number, there] != graph.LIVE
    return list(zip(boards, moves.costs[number, there].tolist(), terminal.tolist(), strict=True))


def difference(board: Board, expected: list[Successor], here: list[tuple[Board, float, bool]]) -> Finding:
    """Return the finding about the first successor in which the compiled rules differ from the readable rules."""
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


def difference_of_engines(compiled: Result, readable: Result) -> str:
    """Describe how the searches of both engines differ, or return `""` if they do the same."""
    results = compiled, readable
    if len({(r.status, r.actions, r.expanded, r.generated, r.reopened) for r in results}) == 1:
        return ""
    said = [f"{r.status}, {r.expanded:,} expanded, {r.generated:,} generated" for r in results]
    if compiled.actions != readable.actions:
        paths = [r.actions or () for r in results]
        same = next((k for k, (a, b) in enumerate(zip(*paths, strict=False)) if a != b), min(map(len, paths)))
        others = [shorten(" ".join(path[same:]), ACTIONS_WIDTH, placeholder=" …") or "none" for path in paths]
        said = [f"{one}, from move {same + 1} on {other}" for one, other in zip(said, others, strict=True)]
    return f"searched compiled and readable: {said[0]}, and {said[1]}"


def on_board(domain: BoundDomain, board: Board) -> tuple[str, Board]:
    """Return a board with its caption."""
    return f"on this board of {domain}:", board


class SurveyedEvidence(ABC):
    """Evidence from surveys."""

    @cached_property
    def first_faults(self) -> Mapping[str, Finding]:
        """The faults on a start board if a call does not answer there; then nothing else is checked.

        These faults are found before anything is compiled or enumerated.
        """
        return next(filter(None, self._first_faults()), {})

    @abstractmethod
    def _first_faults(self) -> Iterator[Mapping[str, Finding]]:
        """Yield the faults on each start board, empty if all calls answer."""

    @property
    @abstractmethod
    def samples(self) -> Sequence[Sample]:
        """The samples with the requested parameters."""

    @property
    @abstractmethod
    def surveys(self) -> Sequence[Survey]:
        """The surveys of all grounds, with those of changed parameters last."""

    def fault(self, name: str) -> Finding | None:
        """Return the first fault of a property, or None if there is none."""
        return next((survey.faults[name] for survey in self.surveys if name in survey.faults), None)

    @property
    def looked(self) -> int:
        """The number of boards looked at."""
        return sum(survey.looked for survey in self.surveys)

    @property
    @abstractmethod
    def states(self) -> int:
        """The number of all boards, as far as known."""

    @property
    def share(self) -> str:
        """The share of the boards looked at, in words."""
        return share_of(self.looked, self.states)


class DomainEvidence(SurveyedEvidence):
    """The evidence about a domain.

    Args:
        domain: the domain.
        grounds: the grounds with the requested parameters.
        others: the grounds with other parameters, which get less time.
        clock: the time for checking.
        must_compile: whether a domain that runs interpreted fails.
    """

    def __init__(
        self, domain: BoundDomain, grounds: list[Ground], others: list[Ground], clock: Clock, must_compile: bool
    ) -> None:
        self.domain, self.own, self.others = domain, grounds, others
        self.clock, self.must_compile = clock, must_compile

    def grounds(self) -> tuple[str, ...]:
        """Return descriptions of the grounds."""
        return tuple(survey.extent() for survey in self.surveys)

    @property
    def samples(self) -> list[Sample]:
        """The samples with the requested parameters."""
        return [ground.sample for ground in self.own]

    def _first_faults(self) -> Iterator[Mapping[str, Finding]]:
        for ground in self.own:
            yield DomainSurvey(ground).first_faults()

    @cached_property
    def surveys(self) -> list[DomainSurvey]:
        """The surveys of all grounds, with those of changed parameters last."""
        surveys = [DomainSurvey(ground) for ground in self.own + self.others]
        for survey in surveys:
            survey.prepare()
        survey_in_turn(surveys[: len(self.own)], self.clock, DOMAIN_SHARE)
        survey_in_turn(surveys[len(self.own) :], self.clock, OTHERS_SHARE)
        return surveys

    @property
    def states(self) -> int:
        """The number of all boards, as far as known."""
        return sum(survey.states for survey in self.surveys)

    @property
    def walked(self) -> list[tuple[Sample, list[Board]]]:
        """The boards of walks, and of a solution if one is found, on each ground with the requested parameters."""
        return [(survey.ground.sample, survey.walked) for survey in self.surveys[: len(self.own)]]

    def edges(self, domain: BoundDomain, board: Board) -> list[Successor]:
        """Return the successors of a board."""
        with self.clock.calling(lambda: board):
            return list(domain.edges(board))


class Unanswered(Exception):
    """A heuristic did not return a number for a board.

    Attributes:
        board: the board.
    """

    def __init__(self, message: str, board: Board) -> None:
        super().__init__(message)
        self.board = board


@dataclass(frozen=True)
class Values:
    """The values of the states of a space; lower values are better.

    Attributes:
        numbers: the values, with NaN for states that were not evaluated.
        evaluated: whether each state was evaluated.
    """

    numbers: NDArray[np.float64]
    evaluated: NDArray[np.bool_]


class Estimates:
    """A heuristic on a ground.

    Attributes:
        heuristic: the heuristic, bound to the domain of the ground.
        ground: the ground.
        evidence: the evidence that this object belongs to; the evidence sets this attribute.
    """

    evidence: HeuristicEvidence

    def __init__(self, heuristic: BoundHeuristic, ground: Ground) -> None:
        self.heuristic, self.ground, self.clock = heuristic, ground, ground.clock

    @property
    def function(self) -> Callable[..., Any]:
        """The author's function, or the batch form for a single board if there is no function."""
        component = self.heuristic.component
        if component.function:
            return component.function
        batch = self.heuristic.forms[0]
        return lambda tiles, **arguments: batch(tiles[None], **arguments)[0]

    @cached_property
    def arguments(self) -> dict[str, Any]:
        """The further arguments of the function, after the tiles."""
        return self.heuristic.arguments(self.ground.sample.board, self.heuristic.forms[0])

    def value(self, board: Board) -> float:
        """Return the value of a board by the interpreted function.

        Raises:
            Unanswered: the function raised an exception, or did not return a number.
        """
        with self.clock.calling(lambda: board):
            try:
                with PluginCode(lambda error: Unanswered(in_one_line(error), board), (binding.NoNumber,)):
                    value = self.heuristic.evaluate(board)
            except binding.NoNumber as error:
                raise Unanswered(f"it returned {error}", board) from error
            return number(value, board)

    def between(self, board: Board, other: Board) -> float:
        """Return the interpreted estimate from a board to another; raise a PluginError if it fails."""
        with self.clock.calling(lambda: board):
            return self.heuristic.between(board, other)

    def compiled_between(self, boards: Sequence[Board], other: Board) -> NDArray[np.float64]:
        """Return the compiled estimates from boards to another board.

        Raises:
            CannotCompile: the function cannot be compiled.
            PluginError: the function raised an exception.
        """
        towards, packing = self.heuristic.towards(other), self._wide_packing
        function = towards.forms[0]
        estimate = CompiledEstimate(function, towards.arguments(other, function), packing)
        with self.clock.calling(lambda: boards[0]), PluginCode():
            return estimate.values(np.stack([packing.pack(board) for board in boards]))

    def call(self, tiles: NDArray[np.int64], board: Board) -> Any:
        """Call the function itself on tiles, which it may change."""
        with self.clock.calling(lambda: board), np.errstate(all="ignore"):
            return self.function(tiles, **self.arguments)

    def value_if_any(self, board: Board) -> float | None:
        """Return the value of a board by the interpreted function, or None if it has no value."""
        try:
            return self.value(board)
        except Unanswered:
            return None

    @cached_property
    def compiled(self) -> CompiledEstimate | CannotCompile:
        """The function compiled for boards with any tiles, or the reason why it cannot be compiled."""
        return self._compiled_for(self._wide_packing)

    @cached_property
    def uncompiled(self) -> tuple[Callable[..., Any], CannotCompile] | None:
        """The first function that cannot be compiled, and the reason, or None if all functions can be compiled."""
        if isinstance(self.compiled, CannotCompile):
            return self.function, self.compiled
        between, board = self.heuristic.component.between, self.ground.sample.board
        if between is not None:
            try:
                self.compiled_between([board], board)
            except CannotCompile as error:
                return between, error
            except PluginError:
                pass  # reported when pairs of boards are compared
        return None

    @property
    def _wide_packing(self) -> Packing:
        board, domain = self.ground.sample.board, self.ground.domain
        return wide_packing(board, signed=domain.has_signed_cells(board))

    def _compiled_for(self, packing: Any) -> CompiledEstimate | CannotCompile:
        if self.heuristic.component.function is None:
            return CannotCompile("it has a batch form only")
        try:
            return CompiledEstimate(self.function, self.arguments, packing)
        except CannotCompile as error:
            return error

    def compiled_values(self, boards: list[Board]) -> NDArray[np.float64]:
        """Return the values of boards by the compiled function.

        Raises:
            Unanswered: the function raised an exception.
        """
        estimate = self.compiled
        assert isinstance(estimate, CompiledEstimate)
        states = np.stack([estimate.packing.pack(board) for board in boards])
        return self._run(estimate, states, lambda number: boards[number])

    @cached_property
    def state_values(self) -> Values:
        """The values of the states of the space: of all states if compiled, else of as many as there is time for.

        Raises:
            Unanswered: the function raised an exception, or did not return a number.
        """
        if isinstance(self.compiled_state_values, Unanswered):
            raise self.compiled_state_values
        if isinstance(self.compiled_state_values, Values):
            return self.compiled_state_values
        _ = self.evidence.surveys
        for name in ("answers", "answers-odd"):
            if fault := self.survey.faults.get(name):
                raise Unanswered(fault.message, fault.boards[0][1])
        return self._signed(self.survey.numbers, ~np.isnan(self.survey.numbers))

    @cached_property
    def compiled_state_values(self) -> Values | Unanswered | None:
        """The compiled values of the states, or the reason why they are missing; None if nothing is compiled."""
        space = self.ground.space
        estimate = self._compiled_for(space.packing)
        if isinstance(estimate, CannotCompile):
            return None
        try:
            numbers = self._run(estimate, space.states, space.board)
            evaluated = np.arange(len(space)) < estimate.done
            if isnan(numbers[evaluated].sum()) and np.isnan(numbers[evaluated]).any():
                board = space.board(int(np.flatnonzero(np.isnan(numbers) & evaluated)[0]))
                self._complain(board)
                return Unanswered("compiled, it is NaN, which is not a number", board)
        except Unanswered as error:
            return error
        return self._signed(numbers, evaluated)

    @cached_property
    def survey(self) -> HeuristicSurvey:
        """The survey of the interpreted function, which the evidence runs in turn with others."""
        return HeuristicSurvey(self)

    def _run(self, estimate: CompiledEstimate, states: Any, board_of: Callable[[int], Board]) -> NDArray[np.float64]:
        def unanswered(error: BaseException) -> Unanswered:
            board = board_of(estimate.current)
            try:
                self._complain(board)
            except Unanswered as complaint:
                return complaint
            return Unanswered(f"compiled, it raises {in_one_line(error)}", board)

        with PluginCode(unanswered, ()), self.clock.calling(lambda: board_of(estimate.current)):
            return estimate.values(states, self.clock.looking(1 / 5))

    def _complain(self, board: Board) -> None:
        """Raise the error of the interpreted function on a board, which names file and line."""
        self.value(board)

    def _signed(self, numbers: NDArray[np.float64], evaluated: NDArray[np.bool_]) -> Values:
        return Values(-numbers if self.heuristic.prefer == "high" else numbers, evaluated)

    def seconds_a_call(self) -> tuple[float, float | None]:
        """Return the processor seconds of an interpreted call, and of a compiled call, or None if nothing compiles."""
        boards = self.ground.boards
        began = time.thread_time()
        for board in boards:
            self.value_if_any(board)
        interpreted = (time.thread_time() - began) / len(boards)
        estimate = self.compiled
        if isinstance(estimate, CannotCompile):
            return interpreted, None
        states = np.tile(np.stack([estimate.packing.pack(board) for board in boards]), (TIMED // len(boards) + 1, 1))
        began = time.thread_time()
        self._run(estimate, states, lambda number: boards[number % len(boards)])
        return interpreted, (time.thread_time() - began) / len(states)


def number(value: Any, board: Board) -> float:
    """Return the value of a heuristic as a number.

    Raises:
        Unanswered: the value is not a number.
    """
    try:
        found = binding.number(value)
    except binding.NoNumber as error:
        raise Unanswered(f"it returned {error}", board) from error
    if isnan(found):
        raise Unanswered("it returned NaN, which is not a number", board)
    return found


def differ(one: NDArray[np.float64], other: NDArray[np.float64], rounding: float = ROUNDING) -> NDArray[np.bool_]:
    """Return a mask of the values that differ between two forms of a heuristic; fractions must differ beyond rounding.

    Rounding is relative to both values and to the largest value, because a small value may be the difference of two
    large numbers.
    """
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(one - other)
        size = np.maximum(np.abs(one), np.abs(other))
        largest = size[np.isfinite(size)].max(initial=0)
        is_exact = ((one == np.floor(one)) & (other == np.floor(other))) | ~np.isfinite(apart)
        within = ~is_exact & ((apart <= rounding * size) | (apart <= rounding * NOISE * largest))
    alike: NDArray[np.bool_] = (one == other) | within | (np.isnan(one) & np.isnan(other))
    return ~alike


class HeuristicSurvey(Survey):
    """The survey of an interpreted heuristic on a ground.

    Every board is evaluated twice, the second time in reverse order and with writable tiles. The values are compared
    with those of the compiled function.

    Attributes:
        odd: additional legal boards that no search meets.
    """

    def __init__(self, estimates: Estimates) -> None:
        super().__init__()
        self.estimates = estimates
        self.odd = 0

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values by the number of the state, with NaN for boards without a value and boards not looked at."""
        return np.full(len(self.estimates.ground.space), np.nan)

    def first_faults(self) -> dict[str, Finding]:
        """Return the faults found on the sample's board if it has no value."""
        self._estimates_of([self.estimates.ground.sample.board])
        return self.faults if "answers" in self.faults else {}

    def _look_at_all(self) -> Iterator[None]:
        estimates, space = self.estimates, self.estimates.ground.space
        compiled = estimates.compiled_state_values
        self._estimates_of([estimates.ground.sample.board])  # the author knows this board
        self._look_at_odd_boards()
        if isinstance(compiled, Unanswered) and (value := estimates.value_if_any(compiled.board)) is not None:
            self._add_fault("same-compiled", f"{compiled}; interpreted, it is {as_text(value)}", compiled.board)
        for numbers in estimates.ground.in_order():
            if "answers" in self.faults:
                return
            boards = space.boards(numbers)
            values = self._estimates_of(boards)
            self.numbers[numbers] = values
            self.looked += len(boards)
            if isinstance(compiled, Values):
                sign = -1 if estimates.heuristic.prefer == "high" else 1
                values[~compiled.evaluated[numbers]] = nan
                self._compare(boards, values, sign * compiled.numbers[numbers])
            yield

    def _look_at_odd_boards(self) -> None:
        boards = self.estimates.ground.odd_boards
        values = self._estimates_of(boards, is_odd=True)
        self.odd = len(boards)
        answered = ~np.isnan(values)
        asked = [board for board, answers in zip(boards, answered, strict=True) if answers]
        if not asked or isinstance(self.estimates.compiled, CannotCompile):
            return
        try:
            self._compare(asked, values[answered], self.estimates.compiled_values(asked))
        except Unanswered as error:
            value = values[[board == error.board for board in boards]]
            said = f"; interpreted, it is {as_text(float(value[0]))}" if value.size else ""
            self._add_fault("same-compiled", f"{error}{said}", error.board)

    def _estimates_of(self, boards: list[Board], *, is_odd: bool = False) -> NDArray[np.float64]:
        """Return the values of boards, with NaN for boards without a value; record faults."""
        estimates = self.estimates
        values = np.full(len(boards), np.nan)
        for k, board in enumerate(boards):
            try:
                values[k] = estimates.value(board)
            except Unanswered as error:
                self._add_fault("answers-odd" if is_odd else "answers", f"{error}{ODD if is_odd else ''}", board)
        again = 1 if self.looked < ALL_ASKED_AGAIN else SOME_ASKED_AGAIN
        for k in reversed(range(0, len(boards), again)):
            self._ask_again(boards[k], float(values[k]))
        return values

    def _ask_again(self, board: Board, value: float) -> None:
        """Ask for the value of a board again, with writable tiles."""
        tiles = board.tiles.copy()
        again = nan
        with contextlib.suppress(PluginError), PluginCode():  # the first call has reported exceptions
            again = number(self.estimates.call(tiles, board), board)
        if (tiles != board.tiles).any():
            row, column = np.argwhere(tiles != board.tiles)[0].tolist()
            at = f"row {row + 1}, column {column + 1}"
            changed = f"the tile at {at} from {board.tiles[row, column]} to {tiles[row, column]}"
            self._add_fault("pure", f"it changes {changed}; work on tiles.copy()", board)
            return
        if again != value and isnan(again) != isnan(value):  # maybe because tiles are writable in one of the calls
            answer = self.estimates.value_if_any(board)
            again = nan if answer is None else answer
        if again != value and not (isnan(again) and isnan(value)):
            self._add_fault("deterministic", f"{as_text(value)} the first time and {as_text(again)} the second", board)

    def _compare(self, boards: list[Board], values: NDArray[np.float64], compiled: NDArray[np.float64]) -> None:
        """Compare values with compiled values; boards without a value are not compared."""
        if "same-compiled" in self.faults:
            return
        for k in np.flatnonzero(differ(compiled, values) & ~np.isnan(values)):
            if self.estimates.value_if_any(boards[k]) == values[k]:  # otherwise there is no fixed value to compare
                said = (
                    f"{as_text(float(compiled[k]))} compiled, {as_text(float(values[k]))} interpreted ({DIFFERENCES})"
                )
                self._add_fault("same-compiled", said, boards[k])
                return

    def _add_fault(self, name: str, said: str, board: Board) -> None:
        self.faults.setdefault(name, failed(said, on_board(self.estimates.ground.domain, board)))


def as_text(value: float | None) -> str:
    """Return a value as text."""
    return "no number" if value is None or isnan(value) else f"{value:.10g}"


class HeuristicEvidence(SurveyedEvidence):
    """The evidence about a heuristic.

    Args:
        own: the heuristic on each ground.
        others: the heuristic with other parameters of its own or of its domain, which get less time.

    Attributes:
        must_compile: whether the check fails if the heuristic runs interpreted; a heuristic that has only a batch form
            need not compile.
    """

    def __init__(self, own: list[Estimates], others: list[Estimates], clock: Clock, *, must_compile: bool) -> None:
        self.own, self.others, self.clock = own, others, clock
        for estimates in self.every:
            estimates.evidence = self
        self.must_compile = must_compile and own[0].heuristic.component.function is not None

    @property
    def every(self) -> list[Estimates]:
        """The heuristic on all grounds."""
        return self.own + self.others

    @property
    def samples(self) -> list[Sample]:
        """The samples with the requested parameters."""
        return [estimates.ground.sample for estimates in self.own]

    def _first_faults(self) -> Iterator[Mapping[str, Finding]]:
        for estimates in self.own:
            yield HeuristicSurvey(estimates).first_faults()

    @cached_property
    def surveys(self) -> list[HeuristicSurvey]:
        """The surveys of all grounds, with those of changed parameters last."""
        for estimates in self.every:
            for board in estimates.ground.boards:
                estimates.value_if_any(board)  # interpreted first, because a compiled call that hangs cannot be ended
            _ = estimates.compiled_state_values, estimates.ground.order, estimates.ground.odd_boards, estimates.compiled
        surveys = [estimates.survey for estimates in self.every]
        survey_in_turn(surveys[: len(self.own)], self.clock, HEURISTIC_SHARE)
        survey_in_turn(surveys[len(self.own) :], self.clock, OTHERS_SHARE)
        return surveys

    @property
    def states(self) -> int:
        """The number of all states."""
        return sum(len(estimates.ground.space) for estimates in self.every)

    @property
    def share(self) -> str:
        """The share of boards looked at, in words, with the number of boards that no search meets."""
        odd = sum(survey.odd for survey in self.surveys)
        return super().share + (f" and {odd:,} that no search meets" if odd else "")

    @property
    def component(self) -> Any:
        """The heuristic's declaration."""
        return self.own[0].heuristic.component

    @property
    def is_score(self) -> bool:
        """Whether higher is better."""
        return self.own[0].heuristic.prefer == "high"

    def grounds(self) -> tuple[str, ...]:
        """Return descriptions of the grounds."""
        own = [estimates.ground.extent() for estimates in self.own]
        return (*own, *(f"{estimates.ground.extent()} ({estimates.heuristic})" for estimates in self.others))


class FrontierEvidence:
    """The evidence about a frontier strategy: searches on grids."""

    def __init__(self, frontier: BoundFrontier, clock: Clock, *, must_compile: bool) -> None:
        self.frontier, self.clock, self.must_compile = frontier, clock, must_compile
        self.component = frontier.component
        self.side = SIDE_FOR_DEEPENING if self.component.family == "deepening" else SIDE
        both_ends = self.component.is_bidirectional
        self._grids, self._estimates = (GRIDS_BACKWARDS, ESTIMATES_BETWEEN) if both_ends else (GRIDS, ESTIMATES)

    def grounds(self) -> tuple[str, ...]:
        """Return descriptions of the grounds."""
        return (f"walks on a grid of {self.side} × {self.side} cells, with moves of equal and of different costs",)

    @property
    def is_loop(self) -> bool:
        """Whether the frontier has a search loop of its own."""
        return self.component.run is not None

    def problems(self, *, solvable: bool) -> Iterator[Problem]:
        """Yield problems with every grid and heuristic: with a near goal, a far goal, and no goal.

        The heuristics of a grid replace all heuristics that the frontier names, which are made for other domains.
        """
        frontier = replace(self.frontier, find=None)
        for goal in (2, self.side**2 - 2) if solvable else (NOWHERE,):
            for grid in self._grids:
                domain = bound_grid(grid, side=self.side, goal=goal)
                for heuristic in self._estimates:
                    yield Problem(START, domain, bound_estimate(heuristic, domain), frontier)

    def costly_problems(self) -> Iterator[Problem]:
        """Yield the problems with a goal, then many with some large costs, in which promises about costs are broken."""
        yield from self.problems(solvable=True)
        frontier = replace(self.frontier, find=None)
        for steep in range(1, STEEP + 1):
            for goal in range(1, self.side**2):
                domain = bound_grid(self._grids[1], side=self.side, goal=goal, steep=steep)
                for heuristic in self._estimates:
                    if heuristic.admissible:
                        yield Problem(START, domain, bound_estimate(heuristic, domain), frontier)

    def search(self, problem: Problem, engine: str = "readable", expansions: int = MOST_EXPANSIONS) -> Result:
        """Search a problem."""
        engine = "readable" if self.is_loop else engine
        limits = Limits(seconds=max(LONGEST_SEARCH, self.clock.seconds / 20), expansions=expansions)
        with (
            self.clock.calling(lambda: problem.board, prepares=engine != "readable"),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", SearchlabWarning)
            return search(problem, limits=limits, engine="auto" if self.is_loop else engine)

    def followed(self, problem: Problem) -> tuple[Result, list[Board]]:
        """Search a problem with the readable engine; return the result, and the expanded boards in order."""
        taken: list[Board] = []
        component = problem.domain.component

        def successors(board: Board, side: int, uneven: bool, steep: int) -> Any:
            taken.append(board)
            assert component.successors is not None
            return component.successors(board, side, uneven, steep)

        counted = BoundDomain(replace(component, successors=successors), problem.domain.values)
        result = self.search(replace(problem, domain=counted))
        return result, taken[: result.expanded] if result.status != "error" else taken


class PlayerEvidence:
    """The evidence about a player: the positions that the player is asked about.

    Args:
        seats: the player bound to a domain, with a sample of this domain.
        clock: the time for checking.
    """

    def __init__(self, seats: list[tuple[BoundPlayer, Sample]], clock: Clock) -> None:
        self.clock = clock
        self._as_bound: dict[BoundPlayer, BoundPlayer] = {}
        self._offered = [(self._timed(_bound_to(player, sample)), sample) for player, sample in seats]

    def grounds(self) -> tuple[str, ...]:
        """Return descriptions of the grounds."""
        counts = [sum(player is seated for player, *_ in self.positions) for seated, _ in self.seats]
        return tuple(f"{count} boards of walks from {i}" for count, (_, i) in zip(counts, self.seats, strict=True))

    def _timed(self, player: BoundPlayer) -> BoundPlayer:
        """Return the player with a time limit for each answer."""
        component = player.component
        function, values = (form and self._waited_for(form) for form in (component.function, component.values))
        ahead = component.looks_ahead
        if values is None and ahead:
            looked = ahead

            @wraps(looked)
            def looks_ahead(**parameters: Any) -> MoveValues | None:
                move_values = looked(**parameters)
                return _TimedValues(move_values, self.clock) if isinstance(move_values, MoveValues) else None

            ahead = looks_ahead
        timed = replace(player, component=replace(component, function=function, values=values, looks_ahead=ahead))
        self._as_bound[timed] = player
        return timed

    def without_limit(self, player: BoundPlayer) -> BoundPlayer:
        """Return a seated player without the time limit for answers, which prevents compiling."""
        return self._as_bound[player]

    def _waited_for(self, form: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(form)
        def timed(board: Board, *moves: Any, **parameters: Any) -> Any:
            with self.clock.calling(lambda: board):
                answer = form(board, *moves, **parameters)
                return list(answer) if isinstance(answer, Iterator) else answer

        return timed

    @cached_property
    def seats(self) -> list[tuple[BoundPlayer, Sample]]:
        """The player with each sample that the player does not refuse."""
        return [(player, sample) for player, sample, _ in self._taken]

    @cached_property
    def positions(self) -> list[Position]:
        """The boards of walks that are not goals, with their legal moves."""
        return [(player, board, moves) for player, _, met in self._taken for board, moves in met]

    @cached_property
    def _taken(self) -> list[tuple[BoundPlayer, Sample, list[tuple[Board, tuple[Move, ...]]]]]:
        """The samples that the player does not refuse, with their positions.

        Raises:
            UsageError: the player refuses all samples.
        """
        taken, refusals = [], []
        for player, sample in self._offered:
            with contextlib.suppress(UsageError, PluginError):  # a failure or refusal is found when the player is asked
                player.prepare(sample.board)
            with self.clock.calling():
                boards = walked_boards(sample, MOST_POSITIONS, self.clock.until(1 / (5 * len(self._offered))))
            listed = ((board, tuple(Move(*pair) for pair in sample.domain.successors(board))) for board in boards)
            met = [(board, moves) for board, moves in listed if moves and not sample.domain.is_goal(board)]
            try:
                for board, moves in met[:1]:
                    player.begin(PLAYER_SEEDS[0])(board, moves)
            except UsageError as error:
                refusals.append(error)
                continue
            except PluginError:
                pass  # the failure is found when the player is asked
            taken.append((player, sample, met))
        if refusals and not taken:
            raise refusals[0]
        return taken

    def asked(self) -> Iterator[Position]:
        """Yield copies of positions, which a player may change, while there is time for a property."""
        goes_on = self.clock.until(1 / 5)
        for player, board, moves in self.positions:
            copies = tuple(Move(move.action, Board(move.board.tiles, signed=True)) for move in moves)
            yield player, Board(board.tiles, signed=True), copies
            if not goes_on():
                return


class _TimedValues:
    """The values of moves, with a time limit for each call."""

    def __init__(self, values: MoveValues, clock: Clock) -> None:
        self._values, self._clock = values, clock

    def values(self, board: Board) -> Mapping[str, float]:
        """Return the value of each move from a board."""
        with self._clock.calling(lambda: board):
            return self._values.values(board)

    def prepare(self, board: Board) -> None:
        """Compile everything that the values need."""
        with self._clock.calling(lambda: board, prepares=True):
            self._values.prepare(board)


def _bound_to(player: BoundPlayer, sample: Sample) -> BoundPlayer:
    """Return a player and its heuristics, bound to the domain of a sample."""
    heuristics = {name: replace(heuristic, domain=sample.domain) for name, heuristic in player.heuristics.items()}
    return replace(player, domain=sample.domain, heuristics=heuristics)
