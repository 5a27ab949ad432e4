"""Whether the further forms of a heuristic, for many boards at once and for packed states, are the same heuristic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arguments import can_be_called
from searchlab.compiler.functions import CannotCompile
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.games import lines
from searchlab.search.compiled.machine import heuristic_values
from searchlab.search.state_space import CompiledEstimate
from searchlab.testing.estimates import Unanswered, differ
from searchlab.testing.explaining import obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped
from searchlab.testing.grounds import in_pieces

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.testing.estimates import Estimates, HeuristicEvidence

    Values = NDArray[np.float64]

MOST = 4096
"""Boards that are given to a batch form at once, of a whole state space."""
SINGLE = 1e-5
"""Relative difference of a batch form's values in other batches: it may compute in single precision and in blocks."""
FEW = 7
"""How many boards make a small batch, and how many are evaluated alone."""


def batch_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the batch form with the function on every state there is, and with itself on other batches."""
    if evidence.component.batch is None:
        return skipped("it has no batch form")
    compared = 0
    for on in evidence.every:
        found = _batch_alone(on) or _batch_beside(on)
        if found:
            return found
        if evidence.component.function is not None:
            try:
                found, count = _batch_unlike_function(on, 1 / (5 * len(evidence.every)))
            except Unanswered:
                return skipped("the function does not answer for every board")
            if found:
                return found
            compared += count
    if evidence.component.function is None:
        return passed("it leaves its boards as they are, and the boards beside one do not matter")
    return passed(f"the function's value of each of {compared:,} boards, whatever stands beside it", boards=compared)


def _batch_alone(on: Estimates) -> Finding | None:
    """Return what is wrong with one call on all boards: it raises, or writes into them."""
    boards = on.ground.boards + on.ground.odd_boards
    tiles = np.stack([board.tiles for board in boards])
    given = tiles.copy()
    form = on.heuristic.component.batch
    assert form is not None
    try:
        with PluginCode(), on.clock.calling(), np.errstate(all="ignore"):
            form(given, **on.heuristic.arguments(boards[0], form))
    except PluginError as error:
        return failed(f"it raises {error} for a batch of {len(boards)} boards")
    changed = np.argwhere(given != tiles)
    if changed.size:
        number, row, column = changed[0].tolist()
        what = f"{tiles[number, row, column]} to {given[number, row, column]}"
        said = f"it changes the tile at row {row}, column {column} from {what}; work on boards.copy()"
        return failed(said, ("on this board:", boards[number]))
    return None


def _batch_beside(on: Estimates) -> Finding | None:
    """Return a board whose value depends on the boards beside it, their number or their order."""
    boards = on.ground.boards + on.ground.odd_boards
    tiles = np.stack([board.tiles for board in boards])
    some = np.unique(np.linspace(0, len(boards) - 1, FEW, dtype=np.int64))
    others: tuple[tuple[str, NDArray[np.int64], Callable[[], Values]], ...] = (
        ("in the opposite order", np.arange(len(boards)), lambda: _together(on, tiles[::-1])[::-1]),
        (f"among the first {FEW}", np.arange(min(FEW, len(boards))), lambda: _together(on, tiles[:FEW])),
        ("alone", some, lambda: np.concatenate([_together(on, tiles[k : k + 1]) for k in some])),
    )
    try:
        values = _together(on, tiles)
        for how, numbers, ask in others:
            other = ask()
            differs = np.flatnonzero(differ(other, values[numbers], SINGLE))
            if differs.size:
                at = int(numbers[differs[0]])
                shown = f"{values[at]:.10g} in a batch of {len(boards)} boards, {other[differs[0]]:.10g} {how}"
                return failed(f"its value depends on the boards beside it: {shown}", _at(on, boards[at]))
    except PluginError as error:
        return failed(str(error))
    return None


def _batch_unlike_function(on: Estimates, share: float) -> tuple[Finding | None, int]:
    """Return the state nearest to a goal on which batch form and function differ; and how many were compared."""
    space, everywhere = on.ground.space, on.everywhere
    sign = -1 if on.heuristic.prefer == "high" else 1
    values = np.full(len(space), np.nan)
    looked = np.zeros(len(space), bool)
    for numbers in in_pieces(on.ground.order[everywhere.evaluated[on.ground.order]], on.clock.looking(share), MOST):
        values[numbers] = _together(on, space.packing.unpack_tiles(space.states[numbers]))
        looked[numbers] = True
    expected = sign * everywhere.numbers
    different = np.flatnonzero(looked & differ(values, expected))
    if different.size:
        at = int(different[np.argmin(np.nan_to_num(space.costs[different], nan=np.inf))])
        said = f"the batch form gives {values[at]:.10g}, the function {expected[at]:.10g}"
        return failed(said, _at(on, space.board(at))), int(looked.sum())
    for board in on.ground.odd_boards:
        value = on.value_if_any(board)
        if value is None:
            continue
        found = _together(on, board.tiles[None])
        if differ(found, np.array([value])).any():
            said = f"the batch form gives {found[0]:.10g}, the function {value:.10g}"
            return failed(said, _at(on, board)), int(looked.sum())
    return None, int(looked.sum()) + len(on.ground.odd_boards)


def _together(on: Estimates, tiles: NDArray[np.int64]) -> Values:
    with PluginCode(lambda error: PluginError(f"it raises {in_one_line(error)}")), on.clock.calling():
        return on.heuristic.evaluate_tiles(tiles.copy())


def packed_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the packed form with the function, both compiled, on every state there is, to the last bit."""
    if evidence.component.packed is None:
        return skipped("it has no packed form")
    compared = 0
    for on in evidence.every:
        form = on.ground.domain.packed(on.ground.instance.board)
        if form is None:
            return skipped("the domain has no packed form: it is never used")
        values = heuristic_values(on.heuristic, on.ground.domain, form, on.ground.instance.board)
        if not can_be_called(evidence.component.packed, values):
            return info("it asks for what is not there on these boards: the function is called in its place")
        packing = Packing.of(form, on.ground.instance.board)
        try:
            packed = CompiledEstimate(on.function, values, packing, evidence.component.packed)
            plain = CompiledEstimate(on.function, values, packing)
        except CannotCompile as error:
            found = obstacle(error, evidence.component.packed)
            return failed(f"{found.file}, {found}", line=found.line, what=found.what, instead=found.instead)
        finding, count = _packed_unlike_function(on, packed, plain)
        if finding:
            return finding
        compared += count
    return passed(f"the function's value of each of {compared:,} boards, to the last bit", boards=compared)


def line_form(evidence: HeuristicEvidence) -> Finding:
    """Compare the sum over rows and columns with the function, on every state there is, to the last bit."""
    line = evidence.component.line
    if line is None:
        return skipped("it has no form for lines")
    compared = 0
    for on in evidence.every:
        form = on.ground.domain.packed(on.ground.instance.board)
        if form is None:
            return skipped("the domain has no packed form: it is never used")
        packing = Packing.of(form, on.ground.instance.board)
        if not lines.suits(packing):
            return skipped("the boards are too large for a table of lines: it is never used")
        values = heuristic_values(on.heuristic, on.ground.domain, form, on.ground.instance.board)
        if not can_be_called(line, values):
            return info("it asks for what is not there on these boards: the function is called in its place")
        try:
            of_lines = lines.table(line, values, packing, 1.0)
            plain = CompiledEstimate(on.function, values, packing)
        except CannotCompile as error:
            found = obstacle(error, line)
            return failed(f"{found.file}, {found}", line=found.line, what=found.what, instead=found.instead)
        if of_lines is None:
            return info("it raises on some line of tiles: the function is called in its place")
        finding, count = _lines_unlike_function(on, of_lines, plain)
        if finding:
            return finding
        compared += count
    return passed(f"the function's value of each of {compared:,} boards, to the last bit", boards=compared)


def _lines_unlike_function(on: Estimates, of_lines: Values, plain: CompiledEstimate) -> tuple[Finding | None, int]:
    """Return the state nearest to a goal on which lines and function differ; and how many were compared."""
    states = _states(on, plain.packing)
    try:
        with PluginCode(), on.clock.calling(lambda: plain.packing.unpack(states[[plain.current]])[0]):
            expected = plain.values(states, on.clock.looking(1 / 20))[: plain.done]
    except PluginError:
        return skipped("the function does not answer for every board"), 0
    values = lines.sums(of_lines, states[: plain.done], plain.packing)
    differs = np.flatnonzero(values != expected)
    if differs.size:
        at = int(differs[0])
        said = f"rows and columns add up to {values[at]:.17g}, the function gives {expected[at]:.17g}"
        return failed(said, _at(on, plain.packing.unpack(states[[at]])[0])), plain.done
    return None, plain.done


def _packed_unlike_function(
    on: Estimates, packed: CompiledEstimate, plain: CompiledEstimate
) -> tuple[Finding | None, int]:
    """Return the state nearest to a goal on which packed form and function differ; and how many were compared."""
    states = _states(on, packed.packing)
    try:
        with PluginCode(), on.clock.calling(lambda: packed.packing.unpack(states[[packed.current]])[0]):
            values = packed.values(states, on.clock.looking(1 / 20))
    except PluginError as error:
        board = packed.packing.unpack(states[[packed.current]])[0]
        return failed(f"it raises {error}", _at(on, board)), 0
    try:
        with PluginCode(), on.clock.calling(lambda: plain.packing.unpack(states[[plain.current]])[0]):
            expected = plain.values(states, on.clock.looking(1 / 20))
    except PluginError:
        return skipped("the function does not answer for every board"), 0
    done = min(packed.done, plain.done)
    differs = np.flatnonzero(values[:done] != expected[:done])
    if differs.size:
        at = int(differs[0])
        said = f"the packed form gives {values[at]:.17g}, the function {expected[at]:.17g}"
        return failed(said, _at(on, packed.packing.unpack(states[[at]])[0])), done
    return None, done


def _states(on: Estimates, packing: Packing) -> NDArray[np.uint64]:
    """Return packed states, those nearest to a goal first: all of the space if they are packed like this."""
    space = on.ground.space
    if space.packing == packing:
        states = space.states[space.by_cost]
    else:
        states = np.stack([packing.pack(board) for board in space.boards(space.by_cost)])
    odd = [words for board in on.ground.odd_boards if packing.unpack(words := packing.pack(board)[None])[0] == board]
    return np.concatenate([states, *odd])


def _at(on: Estimates, board: Board) -> tuple[str, Any]:
    return f"on this board of {on.ground.domain}:", board


FORMS = (
    Property("batch", "Has its batch form the same values, whatever the batch?", batch_form),
    Property("packed", "Has its packed form the same values?", packed_form),
    Property("line", "Do the values of rows and columns add up to the same?", line_form),
)
