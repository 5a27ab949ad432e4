"""The properties of a heuristic: values, other forms, updates along moves, and declarations.

The declarations `admissible` and `consistent` are compared with exact costs and along every move.
"""

from __future__ import annotations

import dis
from dataclasses import dataclass, replace
from functools import partial
from heapq import heappop, heappush
from math import inf, isfinite
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from searchlab.binding.bound import can_fill_arguments
from searchlab.compiler.adapters import supports_incremental
from searchlab.compiler.compile_errors import codes, obstacle
from searchlab.compiler.functions import CannotCompile
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.games import lines
from searchlab.model.component import extra_parameters
from searchlab.model.costs import exceed, exceeds
from searchlab.model.domain import SAME
from searchlab.search.compiled.problem import heuristic_arguments
from searchlab.search.descent import Undecided
from searchlab.search.state_space import CompiledEstimate, costs_to_go
from searchlab.testing.counterexamples import Counterexample, smallest_counterexample
from searchlab.testing.evidence import Unanswered, Values, differ, number, on_board, slices
from searchlab.testing.packed_moves import packed_moves
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped
from searchlab.testing.samples import SEED, cheapest_first, exact_costs, useful_edges

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from searchlab.board.board import Board
    from searchlab.search.state_space import StateSpace
    from searchlab.testing.evidence import Estimates, HeuristicEvidence

    Numbers = NDArray[np.float64]

T = TypeVar("T")
SLOW = "it runs interpreted, about 100 times slower"
A_SCORE = 'a score: prefer="high" says all there is to declare'
CLOCKS = ("time", "datetime")
MOST = 4096
"""The size of a batch in the check of a whole state space."""
SINGLE = 1e-5
"""The relative difference allowed between values in different batches: a form may use single precision and blocks."""
FEW = 7
"""The size of a small batch, and the number of boards that are evaluated individually."""
NOISE = 1e-15
"""The relative rounding error of a sum."""
MOST_COMPARED = 4096
"""The most counterexamples of the least cost among which the least board is looked for."""
PAIRS_SHARE = 0.05
SMALLER_SHARE = 0.1
"""The share of the time for finding smaller counterexamples to a property."""
SOURCES, MOST_REACHED = 50, 100
"""The number of boards, and of boards before and after each of them, that are compared as pairs."""


def answers(evidence: HeuristicEvidence) -> Finding:
    """Ask for the values of boards of every kind, and in compiled code for the value of every state."""
    fault = evidence.fault("answers") or evidence.fault("answers-odd")  # an odd board only if no other board fails
    if fault:
        return fault
    try:
        values = sum(int(estimates.state_values.evaluated.sum()) for estimates in evidence.every)
    except Unanswered as error:
        estimates = next(estimates for estimates in evidence.every if estimates.compiled_state_values is error)
        return failed(str(error), on_board(estimates.ground.domain, error.board))
    compiled = f", compiled on {values:,}" if values > evidence.looked else ""
    return passed(f"a number on each of {evidence.share}{compiled}", boards=evidence.looked, of=evidence.states)


def deterministic(evidence: HeuristicEvidence) -> Finding:
    """Compare two values of each board, the second in the opposite order of boards; look for clocks in the code."""
    because = _because(evidence.own[0])
    fault = evidence.fault("deterministic")
    if fault:
        return replace(fault, message=f"{fault.message}{because}")
    if because:
        return failed(f"its value may change from call to call{because}")
    return passed(f"asked twice, {evidence.share} have the same value", boards=evidence.looked, of=evidence.states)


def _because(estimates: Estimates) -> str:
    clock = clock_read_by(estimates.function)
    return f": it reads the clock, {clock[0]} in line {clock[1]}" if clock else ""


def clock_read_by(function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return the name of a clock that a function reads, and the line, or None if it reads no clock."""
    scope = getattr(function, "__globals__", {})
    for code in codes(function):
        for instruction in dis.get_instructions(code):
            if not instruction.opname.startswith("LOAD_GLOBAL"):
                continue
            value = scope.get(instruction.argval)
            home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            is_clock = isinstance(value, ModuleType | BuiltinFunctionType | type) and home in CLOCKS
            if is_clock and instruction.positions:
                return str(instruction.argval), instruction.positions.lineno or 0
    return None


def pure(evidence: HeuristicEvidence) -> Finding:
    """Call the function on writable tiles, and check that it does not change them."""
    return evidence.fault("pure") or passed(f"it left {evidence.share} as they were", boards=evidence.looked)


def compiles(evidence: HeuristicEvidence) -> Finding:
    """Compile the heuristic for every shape of the boards that it is checked on."""
    if evidence.component.function is None:
        return info("it has a batch form only, which is called in Python with many boards at once")
    for estimates in evidence.every:
        if estimates.uncompiled is not None:
            function, error = estimates.uncompiled
            found = obstacle(error, function)
            facts = {"file": found.file, "line": found.line, "what": found.what, "instead": found.instead}
            where = f"{found.file}, " if found.line else ""
            said = f"{SLOW}: {where}{found}"
            return failed(said, **facts) if evidence.must_compile else info(said, **facts)
    return passed("it becomes machine code")


def same_compiled(evidence: HeuristicEvidence) -> Finding:
    """Compare compiled with interpreted values."""
    if any(isinstance(estimates.compiled, CannotCompile) for estimates in evidence.every):
        return skipped("it does not compile")
    fault = evidence.fault("same-compiled")
    if fault:
        return fault
    if evidence.fault("deterministic"):
        return skipped("the same board has no fixed value to compare")
    if all(np.isnan(survey.numbers).all() for survey in evidence.surveys):
        return skipped("it has no value")
    return passed(f"{evidence.share} have the same value", boards=evidence.looked, of=evidence.states)


def batch_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the batch form with the function on every state, and with itself in different batches."""
    if evidence.component.batch is None:
        return skipped("it has no batch form")
    compared = 0
    for estimates in evidence.every:
        found = _batch_alone(estimates) or _batch_beside(estimates)
        if found:
            return found
        if evidence.component.function is not None:
            try:
                found, count = _batch_unlike_function(estimates, 1 / (5 * len(evidence.every)))
            except Unanswered:
                return skipped("the function does not answer for every board")
            if found:
                return found
            compared += count
    if evidence.component.function is None:
        return passed("it leaves its boards as they are, and the boards beside one do not matter")
    return passed(f"the function's value of each of {compared:,} boards, whatever stands beside it", boards=compared)


def _batch_alone(estimates: Estimates) -> Finding | None:
    """Return the fault of a single call with all boards: an exception, or changed boards."""
    boards = estimates.ground.boards + estimates.ground.odd_boards
    tiles = np.stack([board.tiles for board in boards])
    given = tiles.copy()
    form = estimates.heuristic.component.batch
    assert form is not None
    try:
        with PluginCode(), estimates.clock.calling(), np.errstate(all="ignore"):
            form(given, **estimates.heuristic.arguments(boards[0], form))
    except PluginError as error:
        return failed(f"it raises {error} for a batch of {len(boards)} boards")
    changed = np.argwhere(given != tiles)
    if changed.size:
        number, row, column = changed[0].tolist()
        what = f"{tiles[number, row, column]} to {given[number, row, column]}"
        said = f"it changes the tile at row {row + 1}, column {column + 1} from {what}; work on boards.copy()"
        return failed(said, ("on this board:", boards[number]))
    return None


def _batch_beside(estimates: Estimates) -> Finding | None:
    """Return the fault of a board with a value that depends on the other boards, on their number or their order."""
    boards = estimates.ground.boards + estimates.ground.odd_boards
    tiles = np.stack([board.tiles for board in boards])
    some = np.unique(np.linspace(0, len(boards) - 1, FEW, dtype=np.int64))
    others: tuple[tuple[str, NDArray[np.int64], Callable[[], Numbers]], ...] = (
        ("in the opposite order", np.arange(len(boards)), lambda: _together(estimates, tiles[::-1])[::-1]),
        (f"among the first {FEW}", np.arange(min(FEW, len(boards))), lambda: _together(estimates, tiles[:FEW])),
        ("alone", some, lambda: np.concatenate([_together(estimates, tiles[k : k + 1]) for k in some])),
    )
    try:
        values = _together(estimates, tiles)
        for how, numbers, ask in others:
            other = ask()
            differs = np.flatnonzero(differ(other, values[numbers], SINGLE))
            if differs.size:
                at = int(numbers[differs[0]])
                shown = f"{values[at]:.10g} in a batch of {len(boards)} boards, {other[differs[0]]:.10g} {how}"
                return failed(
                    f"its value depends on the boards beside it: {shown}", on_board(estimates.ground.domain, boards[at])
                )
    except PluginError as error:
        return failed(str(error))
    return None


def _batch_unlike_function(estimates: Estimates, share: float) -> tuple[Finding | None, int]:
    """Return the fault nearest to a goal on which batch form and function differ, and the number of compared states."""
    space, state_values = estimates.ground.space, estimates.state_values
    sign = -1 if estimates.heuristic.prefer == "high" else 1
    values = np.full(len(space), np.nan)
    looked = np.zeros(len(space), bool)
    for numbers in slices(
        estimates.ground.order[state_values.evaluated[estimates.ground.order]], estimates.clock.looking(share), MOST
    ):
        values[numbers] = _together(estimates, space.packing.unpack_tiles(space.states[numbers]))
        looked[numbers] = True
    expected = sign * state_values.numbers
    different = np.flatnonzero(looked & differ(values, expected))
    if different.size:
        at = int(different[np.argmin(np.nan_to_num(space.costs[different], nan=np.inf))])
        said = f"the batch form gives {values[at]:.10g}, the function {expected[at]:.10g}"
        return failed(said, on_board(estimates.ground.domain, space.board(at))), int(looked.sum())
    for board in estimates.ground.odd_boards:
        value = estimates.value_if_any(board)
        if value is None:
            continue
        found = _together(estimates, board.tiles[None])
        if differ(found, np.array([value])).any():
            said = f"the batch form gives {found[0]:.10g}, the function {value:.10g}"
            return failed(said, on_board(estimates.ground.domain, board)), int(looked.sum())
    return None, int(looked.sum()) + len(estimates.ground.odd_boards)


def _together(estimates: Estimates, tiles: NDArray[np.int64]) -> Numbers:
    with PluginCode(lambda error: PluginError(f"it raises {in_one_line(error)}")), estimates.clock.calling():
        return estimates.heuristic.evaluate_tiles(tiles.copy())


def packed_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the packed form with the function, both compiled, on every state, to the last bit."""
    if evidence.component.packed is None:
        return skipped("it has no packed form")
    compared = 0
    for estimates in evidence.every:
        form = estimates.ground.domain.packed(estimates.ground.sample.board)
        if form is None:
            return skipped("the domain has no packed form: it is never used")
        values = heuristic_arguments(estimates.heuristic, estimates.ground.domain, form, estimates.ground.sample.board)
        if not can_fill_arguments(evidence.component.packed, 1, values):
            return info("it asks for what is not there on these boards: the function is called in its place")
        packing = Packing.of(form, estimates.ground.sample.board)
        try:
            packed = CompiledEstimate(estimates.function, values, packing, evidence.component.packed)
            plain = CompiledEstimate(estimates.function, values, packing)
        except CannotCompile as error:
            found = obstacle(error, evidence.component.packed)
            return failed(f"{found.file}, {found}", line=found.line, what=found.what, instead=found.instead)
        finding, count = _packed_unlike_function(estimates, packed, plain)
        if finding:
            return finding
        compared += count
    return passed(f"the function's value of each of {compared:,} boards, to the last bit", boards=compared)


def line_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the sum over rows and columns with the function, on every state, to the last bit."""
    line = evidence.component.line
    if line is None:
        return skipped("it has no form for lines")
    compared = 0
    for estimates in evidence.every:
        form = estimates.ground.domain.packed(estimates.ground.sample.board)
        if form is None:
            return skipped("the domain has no packed form: it is never used")
        packing = Packing.of(form, estimates.ground.sample.board)
        if not lines.has_line_table(packing):
            return skipped("the boards are too large for a table of lines: it is never used")
        values = heuristic_arguments(estimates.heuristic, estimates.ground.domain, form, estimates.ground.sample.board)
        if not can_fill_arguments(line, 1, values):
            return info("it asks for what is not there on these boards: the function is called in its place")
        try:
            line_values = lines.table(line, values, packing, 1.0)
            plain = CompiledEstimate(estimates.function, values, packing)
        except CannotCompile as error:
            found = obstacle(error, line)
            return failed(f"{found.file}, {found}", line=found.line, what=found.what, instead=found.instead)
        if line_values is None:
            return info("it raises on some line of tiles: the function is called in its place")
        finding, count = _lines_unlike_function(estimates, line_values, plain)
        if finding:
            return finding
        compared += count
    return passed(f"the function's value of each of {compared:,} boards, to the last bit", boards=compared)


def _lines_unlike_function(
    estimates: Estimates, line_values: Numbers, plain: CompiledEstimate
) -> tuple[Finding | None, int]:
    """Return a fault of the sums over lines, and the number of compared states."""
    states = _states(estimates, plain.packing)
    try:
        expected = _compiled_values(estimates, plain, states)
    except PluginError:
        return skipped("the function does not answer for every board"), 0
    values = lines.sums(line_values, states[: len(expected)], plain.packing)
    said = "rows and columns add up to {:.17g}, the function gives {:.17g}"
    return _first_difference(estimates, plain.packing, states, values, expected, said)


def _packed_unlike_function(
    estimates: Estimates, packed: CompiledEstimate, plain: CompiledEstimate
) -> tuple[Finding | None, int]:
    """Return a fault of the packed form, and the number of compared states."""
    states = _states(estimates, packed.packing)
    try:
        values = _compiled_values(estimates, packed, states)
    except PluginError as error:
        board = packed.packing.unpack(states[[packed.current]])[0]
        return failed(f"it raises {error}", on_board(estimates.ground.domain, board)), 0
    try:
        expected = _compiled_values(estimates, plain, states)
    except PluginError:
        return skipped("the function does not answer for every board"), 0
    said = "the packed form gives {:.17g}, the function {:.17g}"
    return _first_difference(estimates, packed.packing, states, values, expected, said)


def _compiled_values(estimates: Estimates, estimate: CompiledEstimate, states: NDArray[np.uint64]) -> Numbers:
    """Return the values of the first states, as many as there is time for.

    Raises:
        PluginError: the function raised an exception.
    """
    with PluginCode(), estimates.clock.calling(lambda: estimate.packing.unpack(states[[estimate.current]])[0]):
        return estimate.values(states, estimates.clock.looking(1 / 20))[: estimate.done]


def _first_difference(
    estimates: Estimates, packing: Packing, states: NDArray[np.uint64], values: Numbers, expected: Numbers, said: str
) -> tuple[Finding | None, int]:
    """Return the fault on the first state with different values, or None, and the number of compared states."""
    compared = min(len(values), len(expected))
    differs = np.flatnonzero(values[:compared] != expected[:compared])
    if not differs.size:
        return None, compared
    first = int(differs[0])
    board = packing.unpack(states[[first]])[0]
    return failed(said.format(values[first], expected[first]), on_board(estimates.ground.domain, board)), compared


def _states(estimates: Estimates, packing: Packing) -> NDArray[np.uint64]:
    """Return all states of the space in this packing, nearest to a goal first, then the boards that no search meets."""
    space = estimates.ground.space
    if space.packing == packing:
        states = space.states[space.by_cost]
    else:
        states = np.stack([packing.pack(board) for board in space.boards(space.by_cost)])
    odd = [packing.pack(board)[None] for board in estimates.ground.odd_boards if packing.fits(board.tiles[None]).all()]
    return np.concatenate([states, *odd])


def updates(evidence: HeuristicEvidence) -> Finding:
    """Compare `incremental` with the function along moves, to the last bit."""
    if evidence.component.incremental is None:
        return skipped("it has no incremental form")
    compared = 0
    for estimates in evidence.every:
        start, domain = estimates.ground.sample.board, estimates.ground.domain
        form = domain.packed(start)
        if form is None or not form.move:
            continue
        offered = heuristic_arguments(estimates.heuristic, domain, form, start)
        if not supports_incremental(evidence.component, form, offered):
            return info("it asks for what is not there on these boards: the function is called in its place")
        for board in _boards(estimates, estimates.clock.looking(1 / (10 * len(evidence.every)))):
            for fields, after in described_moves(estimates, board):
                try:
                    expected, carried = estimates.value(after), estimates.heuristic.carried(after)
                    found, numbers = _updated(estimates, board, fields, offered)
                except Unanswered:
                    return skipped("it does not answer for every board")
                said = f"incremental gives {found!r}, the function {expected!r}" if found != expected else ""
                if not said and numbers != carried:
                    said = f"incremental carries {numbers!r} on, and carry gives {carried!r}"
                if said:
                    return failed(said, ("before the move:", board), ("after it:", after))
                compared += 1
    if not compared:
        return skipped("the domain does not describe its moves: it is never used")
    return passed(f"the same value after {compared:,} moves", moves=compared)


def _boards(estimates: Estimates, goes_on: Callable[[], bool]) -> Iterator[Board]:
    for numbers in estimates.ground.in_order(goes_on):
        yield from estimates.ground.space.boards(numbers)


def _updated(
    estimates: Estimates, board: Board, fields: Mapping[str, int], offered: Mapping[str, Any]
) -> tuple[float, tuple[Any, ...]]:
    """Return the value and the carried numbers after a move with these fields, updated from those before the move."""
    component = estimates.heuristic.component
    incremental = component.incremental
    assert incremental is not None
    wanted = extra_parameters(incremental, len(component.updated))
    filled = {p.name: fields[p.name] if p.name in fields else offered.get(p.name, p.default) for p in wanted}
    before = estimates.value(board)
    with PluginCode(lambda error: Unanswered(f"incremental raises {in_one_line(error)}", board), (Unanswered,)):
        if component.carry is None:
            return number(incremental(before, **filled), board), ()
        value, numbers = incremental(before, estimates.heuristic.carried(board), **filled)
        return number(value, board), estimates.heuristic.plain_numbers(tuple(numbers))


def described_moves(estimates: Estimates, board: Board) -> Iterator[tuple[dict[str, int], Board]]:
    """Yield the fields of each move from a board, as the packed form describes it, and the board after the move."""
    from searchlab.board.board import Board

    form = estimates.ground.domain.packed(board)
    if form is None or not form.move:
        return
    moves = packed_moves(estimates.ground.domain, form, board)
    for numbers, tiles in zip(moves.numbers.tolist(), moves.tiles, strict=True):
        yield dict(zip(form.move, numbers, strict=True)), Board(tiles, signed=True)


@dataclass(frozen=True)
class Violation:
    """The counterexample to a declaration with the least true cost, and of these the least board.

    Attributes:
        estimates: the heuristic on the ground of the counterexample.
        state: the number of the state.
        cost: the exact cost, or infinity if there is no solution or the cost is unknown.
        count: the number of counterexamples on this ground.
    """

    estimates: Estimates
    state: int
    cost: float
    count: int

    @property
    def board(self) -> Board:
        """The board of the state."""
        return self.estimates.ground.space.board(self.state)

    @property
    def value(self) -> float:
        """The value of the heuristic."""
        return float(self.estimates.state_values.numbers[self.state])


def overestimates(estimates: Estimates) -> Violation | None:
    """Return the smallest state with a value above its exact cost, or None."""
    space, values = estimates.ground.space, estimates.state_values
    return _smallest(estimates, exceed(values.numbers, space.costs) & np.isfinite(space.costs))


def drops(estimates: Estimates) -> Violation | None:
    """Return the smallest state with a value that drops along a move by more than the move costs, or None.

    A state with an infinite value does not count, because a search never expands it.
    """
    space, values = estimates.ground.space, estimates.state_values
    found = np.zeros(len(space), bool)
    for k in range(space.successors.shape[1]):
        found |= _drops_along(estimates, k)
    return _smallest(estimates, found & np.isfinite(values.numbers))


def _drops_along(estimates: Estimates, k: int) -> NDArray[np.bool_]:
    """Return a mask of the states with a value that drops along the k-th move by more than the move costs."""
    space, numbers = estimates.ground.space, estimates.state_values.numbers
    costs, after = space.edge_costs[:, k], numbers[space.successors[:, k]]
    dropped: NDArray[np.bool_] = _is_drop(numbers, costs, after) & (space.successors[:, k] >= 0)
    return dropped


def _is_drop(before: ArrayLike, costs: ArrayLike, after: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the moves along which the value drops by more than the cost, beyond rounding."""
    before, costs, after = (np.asarray(numbers, np.float64) for numbers in (before, costs, after))
    bound = costs + after
    with np.errstate(invalid="ignore"):
        beyond_noise = before - bound > NOISE * (np.abs(costs) + np.abs(after))
    dropped: NDArray[np.bool_] = exceed(before, bound) & (beyond_noise | ~np.isfinite(after))
    return dropped


def _smallest(estimates: Estimates, found: NDArray[np.bool_]) -> Violation | None:
    numbers = np.flatnonzero(found)
    if not numbers.size:
        return None
    space = estimates.ground.space
    costs = np.nan_to_num(space.costs[numbers], nan=inf, posinf=inf)
    least = numbers[costs == costs.min()][:MOST_COMPARED]
    boards = [board.tiles.ravel().tolist() for board in space.boards(least)]
    state = int(least[min(range(len(boards)), key=boards.__getitem__)])
    return Violation(estimates, state, float(costs.min()), len(numbers))


def _smallest_violation(grounds: list[Estimates], find: Callable[[Estimates], Violation | None]) -> Violation | None:
    found = [violation for estimates in grounds if (violation := find(estimates))]
    return min(found, key=lambda violation: violation.cost, default=None)


class Drop(NamedTuple):
    """A move along which a value drops too far: both values, the cost of the move, and the board after it."""

    value: float
    cost: float
    value_after: float
    after: Board


def _made_smaller(violation: Violation, shown: T, shows: Callable[[Estimates, Board], T | None]) -> Counterexample[T]:
    """Return the counterexample, or a smaller counterexample if only a sample of the boards was looked at."""
    estimates = violation.estimates
    found = Counterexample(violation.board, shown)
    if estimates.ground.space.complete:
        return found
    goes_on = estimates.clock.until(SMALLER_SHARE)
    return smallest_counterexample(found, estimates.ground.domain, partial(shows, estimates), goes_on)


def _overestimate(estimates: Estimates, board: Board) -> tuple[float, float] | None:
    """Return the value and the exact cost of a board if the value is above the cost, else None.

    Raises:
        Undecided: the cost was not found.
    """
    value = estimates.value_if_any(board)
    if value is None or not value > 0:
        return None
    clock, domain = estimates.clock, estimates.ground.domain
    seconds = SMALLER_SHARE * clock.seconds / 4
    with clock.calling(lambda: board, prepares=True):
        cost = exact_costs(cheapest_first(domain), board, seconds, readable=True).get(board)
    if cost is None:
        raise Undecided
    return (value, cost) if isfinite(cost) and exceeds(value, cost) else None


def _drop(estimates: Estimates, board: Board) -> Drop | None:
    """Return the first move from a board along which the value drops by more than the move costs, or None."""
    value = estimates.value_if_any(board)
    if value is None or not isfinite(value):
        return None
    with estimates.clock.calling(lambda: board):
        edges = useful_edges(estimates.ground.domain, board)
    for edge in edges:
        after = estimates.value_if_any(edge.board)
        if after is not None and _is_drop(value, edge.cost, after):
            return Drop(value, edge.cost, after, edge.board)
    return None


def goal_value(evidence: HeuristicEvidence) -> Finding:
    """Check that the values of goals are 0, if the heuristic estimates the cost to go."""
    if evidence.is_score:
        return skipped("a score may be anything at a goal")
    count, told = 0, None
    for estimates in evidence.every:
        goals = np.flatnonzero(estimates.ground.space.goals & estimates.state_values.evaluated)
        values = estimates.state_values.numbers[goals]
        count += len(goals)
        if not values.any():
            continue
        least, most = float(values.min()), float(values.max())
        values_of = f"values from {least:.10g} to {most:.10g}" if least != most else f"the value {most:.10g}"
        said = f"goals have {values_of}; an estimate must be 0 there"
        worst = int(goals[values.argmin() if least < 0 else values.argmax()])
        shown = (
            f"{_shown(estimates.state_values.numbers[worst])} on this goal of {estimates.ground.domain}:",
            estimates.ground.space.board(worst),
        )
        facts = {"minimum": least, "maximum": most}
        if estimates.heuristic.admissible and least < 0:
            advice = "an admissible heuristic is 0 there, as a search that meets a worse goal first would take it"
            return failed(f"{said}; {advice}", shown, **facts)
        if (estimates.heuristic.admissible or estimates.heuristic.consistent) and most > 0:
            return failed(said, shown, **facts)
        told = told or info(said, **facts)
    if not count:
        return skipped("no goal was met")
    return told or passed(f"0 at each of {count:,} goals", goals=count)


def _has_negative_goal(estimates: Estimates) -> bool:
    """Return whether a goal has a negative value."""
    return bool(
        (estimates.state_values.numbers[estimates.ground.space.goals & estimates.state_values.evaluated] < 0).any()
    )


def consistent(evidence: HeuristicEvidence) -> Finding:
    """Compare the values at both ends of every move."""
    unfit = _unfit(evidence, "consistent")
    if unfit:
        return unfit
    grounds = _judged_on(evidence, "consistent")
    violation = _smallest_violation(grounds, drops)
    if violation is None:
        moves = sum(int(_compared_moves(estimates).sum()) for estimates in grounds)
        if not moves:
            return skipped("no move was met")
        return _holds(evidence, "consistent", f"it drops along none of {moves:,} moves by more than they cost")
    estimates, state = violation.estimates, violation.state
    space = estimates.ground.space
    k = next(k for k in range(space.successors.shape[1]) if _drops_along(estimates, k)[state])
    after = int(space.successors[state, k])
    value_after = float(estimates.state_values.numbers[after])
    drop = Drop(violation.value, float(space.edge_costs[state, k]), value_after, space.board(after))
    found = _made_smaller(violation, drop, _drop)
    drop = found.shown
    said = f"{_shown(drop.value)} here and {_shown(drop.value_after)} after a move that costs {drop.cost:g}"
    facts = {"value": drop.value, "cost": inf if found.steps else violation.cost}
    boards = (("before:", found.board), ("after:", drop.after))
    return _violated(evidence, "consistent", said, violation, boards, found, facts)


def admissible(evidence: HeuristicEvidence) -> Finding:
    """Compare the values with exact costs."""
    unfit = _unfit(evidence, "admissible")
    if unfit:
        return unfit
    grounds = _judged_on(evidence, "admissible")
    known = _count_known_costs(grounds)
    if not known:
        return skipped("the exact cost of no board could be found out")
    violation = _smallest_violation(grounds, overestimates)
    if violation is None:
        return _holds(evidence, "admissible", f"never above the true cost, on {known:,} boards of known cost")
    found = _made_smaller(violation, (violation.value, violation.cost), _overestimate)
    value, cost = found.shown
    over = f"{_shown(value)} on a board that is solved at a cost of {_shown(cost)}"
    boards = (("the smallest such board:", found.board),)
    return _violated(evidence, "admissible", over, violation, boards, found, {"value": value, "cost": cost})


def _count_known_costs(grounds: list[Estimates]) -> int:
    return sum(
        int((np.isfinite(estimates.ground.space.costs) & estimates.state_values.evaluated).sum())
        for estimates in grounds
    )


def _unfit(evidence: HeuristicEvidence, claim: str) -> Finding | None:
    if not evidence.is_score:
        return None
    if _declares(evidence, claim):
        return failed(f'declared, but a score (prefer="high") is no estimate of cost and never {claim}')
    return skipped('it is a score (prefer="high"), no estimate of cost: the question does not arise')


def _declares(evidence: HeuristicEvidence, *claims: str) -> bool:
    return any(getattr(estimates.heuristic, claim) for claim in claims for estimates in evidence.every)


def _judged_on(evidence: HeuristicEvidence, claim: str) -> list[Estimates]:
    """Return the grounds on which the heuristic makes a declaration or, if it makes it nowhere, on which it could.

    A declaration of `True` does not cover moves with costs that differ from those of the domain without parameters.
    """
    declared = [estimates for estimates in evidence.every if getattr(estimates.heuristic, claim)]
    alike = [estimates for estimates in evidence.others if not estimates.ground.domain.has_other_costs]
    return declared or [*evidence.own, *alike]


def _holds(evidence: HeuristicEvidence, claim: str, said: str) -> Finding:
    if _declares(evidence, claim):
        return passed(said)
    return info(f"{said}; not declared")


def _violated(
    evidence: HeuristicEvidence,
    claim: str,
    said: str,
    violation: Violation,
    boards: tuple[tuple[str, Board], ...],
    found: Counterexample[Any],
    facts: Mapping[str, float],
) -> Finding:
    space = violation.estimates.ground.space
    of = f"{violation.count:,} of {len(space):,} boards of {violation.estimates.ground.sample}"
    if violation.estimates in evidence.others:
        of += f", as {violation.estimates.heuristic}"
    if str(found):
        of += f"; shown: {found}"
    facts = {**facts, "boards": violation.count, "of": len(space), **({"steps": found.steps} if found.steps else {})}
    if getattr(violation.estimates.heuristic, claim):
        return failed(f"declared, but not so: {said} ({of})", *boards, **facts)
    return info(f"not {claim}: {said} ({of}); not declared either", *boards, **facts)


def _compared_moves(estimates: Estimates) -> NDArray[np.bool_]:
    space, evaluated = estimates.ground.space, estimates.state_values.evaluated
    compared: NDArray[np.bool_] = (space.successors >= 0) & evaluated[:, None] & evaluated[space.successors]
    return compared


def pairs(evidence: HeuristicEvidence) -> Finding:
    """Compare estimates between two states with the costs of paths, and with the values of the heuristic."""
    compared, goes_on = 0, evidence.clock.until(PAIRS_SHARE)
    for estimates in evidence.every:
        space = estimates.ground.space
        for nth, source in enumerate(np.random.default_rng(SEED).permutation(len(space))[:SOURCES].tolist()):
            reached = _reached(space, source)
            wrong = _wrong_value(estimates, source) or _wrong_from(estimates, source, reached)
            wrong = wrong or _wrong_to(estimates, source, _leading_to(space, source))
            if nth < FEW and not wrong and estimates.uncompiled is None:
                wrong = _wrong_compiled_pair(estimates, source, reached)
            if wrong:
                return wrong
            compared += 2 * len(reached)
            if not goes_on():
                break
    return passed(f"on {compared:,} pairs of boards it keeps what the heuristic declares", pairs=compared)


def _reached(space: StateSpace, source: int) -> dict[int, float]:
    """Return some states that can be reached from a state, the cheapest first, with their costs."""
    costs, waiting = {source: 0.0}, [(0.0, source)]
    settled: dict[int, float] = {}
    while waiting and len(settled) < MOST_REACHED:
        cost, state = heappop(waiting)
        if state in settled:
            continue
        settled[state] = cost
        for after, edge in zip(space.successors[state].tolist(), space.edge_costs[state].tolist(), strict=True):
            if after >= 0 and cost + edge < costs.get(after, inf):
                costs[after] = cost + edge
                heappush(waiting, (cost + edge, after))
    return settled


def _wrong_value(estimates: Estimates, source: int) -> Finding | None:
    """Return a fault if the estimate to the nearest goal differs from the value of the heuristic, or None."""
    domain = estimates.ground.domain
    if domain.component.goals is None:
        return None
    board = estimates.ground.space.board(source)
    goals = domain.goals(board)[:MOST_COMPARED]
    least, value = min((estimates.between(board, goal) for goal in goals), default=inf), estimates.value(board)
    if not goals or not differ(np.array([least]), np.array([value])).any():
        return None
    said = f"to the nearest goal it is {_shown(least)}, and the value is {_shown(value)}"
    return failed(said, on_board(domain, board))


def _leading_to(space: StateSpace, target: int) -> dict[int, float]:
    """Return some states, near and far, from which a state is reached, with the least known costs."""
    goals = np.zeros(len(space), bool)
    goals[target] = True
    costs = costs_to_go(goals, space.successors, space.edge_costs)
    known = np.flatnonzero(np.isfinite(costs))
    nearest = known[np.argsort(costs[known], kind="stable")]
    others = np.random.default_rng(target).permutation(known)
    chosen = np.concatenate([nearest[: MOST_REACHED // 2], nearest[-FEW:], others[: MOST_REACHED // 2 - FEW]])
    return {state: float(costs[state]) for state in chosen.tolist()}


def _wrong_from(estimates: Estimates, source: int, reached: dict[int, float]) -> Finding | None:
    """Return the fault of a pair with an estimate from a state that contradicts the declarations, or None.

    If moves cannot be undone at the same cost, a search that begins at the goals uses the estimates from the start to
    its states. These estimates must not grow by more than a move costs.
    """
    space, heuristic = estimates.ground.space, estimates.heuristic
    is_checked_backwards = heuristic.consistent and estimates.ground.domain.component.inverse != SAME
    boards = dict(zip(reached, space.boards(list(reached)), strict=True))
    start = boards[source]
    there = {state: estimates.between(start, board) for state, board in boards.items()}
    for state, cost in reached.items():
        shown = ("from:", start), ("to:", boards[state])
        if there[state] != estimates.between(start, boards[state]):
            return failed("asked twice, it is not the same", *shown)
        if heuristic.admissible and exceed(there[state], cost):
            said = f"declared admissible: it is {_shown(there[state])}, and a path costs {_shown(cost)}"
            return failed(said, *shown)
        moves = zip(space.successors[state].tolist(), space.edge_costs[state].tolist(), strict=True)
        for after, edge in moves if is_checked_backwards else ():
            if after in there and exceed(there[after], edge + there[state]):
                said = f"declared consistent: {_shown(there[state])} from the start and {_shown(there[after])}"
                shown = ("before:", boards[state]), ("after:", boards[after])
                return failed(f"{said} after a move that costs {edge:g}", ("start:", start), *shown)
    return None


def _wrong_to(estimates: Estimates, target: int, known: dict[int, float]) -> Finding | None:
    """Return the fault of a pair with an estimate to a state that contradicts the declarations, or None."""
    space, heuristic = estimates.ground.space, estimates.heuristic
    end = space.board(target)
    values: dict[int, float] = {}

    def back(state: int) -> float:
        if state not in values:
            values[state] = estimates.between(space.board(state), end)
        return values[state]

    for state, cost in known.items():
        if heuristic.admissible and exceed(back(state), cost):
            said = f"declared admissible: it is {_shown(back(state))}, and a path costs {_shown(cost)}"
            return failed(said, ("from:", space.board(state)), ("to:", end))
        moves = zip(space.successors[state].tolist(), space.edge_costs[state].tolist(), strict=True)
        for after, edge in moves if heuristic.consistent else ():
            if after >= 0 and exceed(back(state), edge + back(after)):
                said = f"declared consistent: {_shown(back(state))} from here and {_shown(back(after))} after a move"
                shown = ("before:", space.board(state)), ("after:", space.board(after))
                return failed(f"{said} that costs {edge:g}", *shown, ("to:", end))
    return None


def _wrong_compiled_pair(estimates: Estimates, source: int, reached: dict[int, float]) -> Finding | None:
    """Return the fault of a pair of boards with a different estimate in compiled code, or None."""
    space = estimates.ground.space
    start, boards = space.board(source), space.boards(list(reached))
    readable = np.array([estimates.between(board, start) for board in boards])
    compiled = estimates.compiled_between(boards, start)
    unlike = np.flatnonzero(readable != compiled)
    if not unlike.size:
        return None
    first = int(unlike[0])
    said = f"compiled it is {_shown(compiled[first])}, and interpreted {_shown(readable[first])}"
    return failed(said, ("from:", boards[first]), ("to:", start))


def correlation(evidence: HeuristicEvidence) -> Finding:
    """Compare the order of the values with the order of the true costs."""
    said, facts = [], {}
    for estimates in evidence.own:
        space, values = estimates.ground.space, estimates.state_values
        known = np.isfinite(space.costs) & np.isfinite(values.numbers)
        numbers, costs = values.numbers[known], space.costs[known]
        if len(costs) < 2 or costs.min() == costs.max() or numbers.min() == numbers.max():
            continue
        found = facts[str(estimates.ground.sample)] = round(float(np.corrcoef(numbers, costs)[0, 1]), 4)
        share = numbers.sum() / costs.sum()
        of_it = f", {share:.0%} of it on average" if 0 < share <= 1 and not evidence.is_score else ""
        said.append(f"{found:.2f} with the true cost on {estimates.ground.sample}{of_it}")
    if not said:
        return skipped("no costs, or no values, that differ")
    tail = " (of the score's negative, as a search takes it)" if evidence.is_score else ""
    return info("; ".join(said) + tail, **facts)


def speed(evidence: HeuristicEvidence) -> Finding:
    """Time the calls of the function."""
    interpreted, compiled = evidence.own[-1].seconds_a_call()
    said = f"{interpreted * 1e6:.3g} µs a call interpreted"
    facts = {"interpreted_seconds": interpreted, "compiled_seconds": compiled}
    if compiled is None:
        return info(said, **facts)
    return info(f"{compiled * 1e9:.3g} ns a call compiled, {said}", **facts)


def verdict(evidence: HeuristicEvidence) -> Finding:
    """Report the declarations that the heuristic could make."""
    if evidence.is_score:
        said, least = A_SCORE, _least_score(evidence.own)
        if least < 0 and not evidence.component.of_points:
            said += (
                f"; boards below 0, down to {least:,.6g}, are worse to expectimax than a lost game, "
                f"unless you add a constant or play with dead=-1e9"
            )
        return info(said, admissible=False, consistent=False)
    holding = {claim: _holds_for(evidence.own, claim) for claim in ("admissible", "consistent")}
    claims = [claim for claim, holds in holding.items() if holds]
    whole = [
        estimates
        for estimates in evidence.own
        if estimates.ground.space.complete and estimates.state_values.evaluated.all() and _informs(estimates)
    ]
    exceptions = _exceptions(evidence.others, claims) if claims else ""
    if whole:
        proved = " and ".join(estimates.ground.extent() for estimates in whole)
        looked, of = (
            sum(estimates.survey.looked for estimates in whole),
            sum(len(estimates.ground.space) for estimates in whole),
        )
        partly = (
            f"; compiled and interpreted values were compared on {looked:,} of {of:,} boards" if looked < of else ""
        )
        is_compiled = all(isinstance(estimates.compiled_state_values, Values) for estimates in whole)
        return verdict_on(holding, exceptions, proved=f"{proved}{partly if is_compiled else ''}")
    return verdict_on(holding, exceptions, looked="only samples were looked at")


def verdict_on(
    holding: Mapping[str, bool | None], exceptions: str = "", *, proved: str = "", looked: str = ""
) -> Finding:
    """Return the finding about the declarations that a heuristic could make.

    Args:
        holding: whether there is no counterexample to each declaration, or None if none could be found.
        exceptions: the limits of these declarations, in words.
        proved: the states for which the declarations are proved, in words.
        looked: how few states were looked at, in words; used if `proved` is empty.
    """
    text = ", ".join(f"{claim}=True" for claim, holds in holding.items() if holds) + exceptions
    if not any(holding.values()):
        return info("it may declare neither admissible nor consistent", **holding)
    if proved:
        return info(f"it may declare {text}: so it is on {proved}", **holding)
    return info(f"nothing found speaks against {text}, but {looked}: prove it", **holding)


def _least_score(grounds: list[Estimates]) -> float:
    """Return the least score of a board in games that can be lost, or infinity if there is no such game."""
    least = inf
    for estimates in grounds:
        space, numbers = estimates.ground.space, estimates.state_values.numbers
        if ((space.successors < 0).all(axis=1) & ~space.goals).any():
            least = min(least, -numbers.max(where=np.isfinite(numbers), initial=-inf))
    return least


def _holds_for(grounds: list[Estimates], claim: str) -> bool | None:
    """Return whether there is no counterexample to a claim on some grounds, or None if none could be found."""
    if claim == "consistent":
        return _smallest_violation(grounds, drops) is None
    known = any(
        (np.isfinite(estimates.ground.space.costs) & estimates.state_values.evaluated).any() for estimates in grounds
    )
    return (
        _smallest_violation(grounds, overestimates) is None and not any(map(_has_negative_goal, grounds))
        if known
        else None
    )


def _exceptions(others: list[Estimates], claims: list[str]) -> str:
    """Describe the other parameters for which some claims fail; a claim of True does not cover other costs."""
    alike = [estimates for estimates in others if not estimates.ground.domain.has_other_costs]
    found = [(claim, estimates) for claim in claims for estimates in alike if _holds_for([estimates], claim) is False]
    if not found:
        return ""
    told = "; ".join(f"not {claim} as {estimates.heuristic} on {estimates.ground.domain}" for claim, estimates in found)
    is_declared = not any(getattr(estimates.heuristic, claim) for claim, estimates in found)
    return f" ({told}{', as it declares' if is_declared else ': declare a function of the parameters'})"


def _informs(estimates: Estimates) -> bool:
    return bool(np.isfinite(estimates.ground.space.costs).any())


def _shown(value: Any) -> str:
    return f"{float(value):.10g}" if isfinite(value) else "infinite"


def _answering(check: Callable[[HeuristicEvidence], Finding]) -> Callable[[HeuristicEvidence], Finding]:
    """Return a check that is skipped if the heuristic has no values."""

    def checked(evidence: HeuristicEvidence) -> Finding:
        try:
            return check(evidence)
        except Unanswered:
            return skipped("it does not answer for every board")

    return checked


ANSWERS = (
    Property("answers", "Does it return a number for every legal board?", answers),
    Property("deterministic", "Does the same board always have the same value?", deterministic),
    Property("pure", "Does it leave the tiles it is given as they are?", pure),
    Property("compiles", "Can it be compiled to machine code?", compiles),
    Property("same-compiled", "Has it the same values compiled and interpreted?", same_compiled),
)
FURTHER_FORMS = (
    Property("batch", "Has its batch form the same values, whatever the batch?", batch_form),
    Property("packed", "Has its packed form the same values?", packed_form),
    Property("line", "Do the values of rows and columns add up to the same?", line_form),
)
UPDATES = (Property("incremental", "Does its update along a move give the same value?", updates),)
CLAIMS = (
    Property("goal-value", "Is it 0 at goals?", _answering(goal_value)),
    Property("consistent", "Does it never drop by more than a move costs?", _answering(consistent)),
    Property("admissible", "Does it never exceed the cost of a cheapest solution?", _answering(admissible)),
    Property("between", "Does the same hold from one board to another?", _answering(pairs)),
    Property("correlation", "How well does it follow the true cost?", _answering(correlation)),
    Property("speed", "How long does a call take?", _answering(speed)),
    Property("verdict", "What may it declare?", _answering(verdict)),
)
