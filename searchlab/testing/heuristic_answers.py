"""Whether a heuristic is a function of the board at all: it answers, always the same, and leaves the board alone."""

from __future__ import annotations

import contextlib
import dis
from math import isclose
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, PluginError
from searchlab.search.compiling import CannotCompile
from searchlab.testing.estimates import Unanswered
from searchlab.testing.explaining import codes, obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.testing.estimates import Estimates, HeuristicEvidence

CLOCKS = ("time", "datetime")
TOLERANCE = 1e-9
"""Relative difference of two values that are the same but for rounding."""
ODD = " (a legal board, though no search from the boards it is checked on meets it)"
DIFFERENCES = "compiled, whole numbers wrap around at 64 bits, and two truth values add up to 2"


def answers(evidence: HeuristicEvidence) -> Finding:
    """Ask for the value of boards of every kind, and compiled of every state there is."""
    asked = 0
    for estimates in evidence.on:
        ground = estimates.ground
        for kind, boards in (("", ground.boards), (ODD, ground.odd_boards)):
            for board in boards:
                try:
                    estimates.value(board)
                except Unanswered as error:
                    return failed(f"{error}{kind}", _at(estimates, board))
                asked += 1
        try:
            asked += int(estimates.everywhere.evaluated.sum())
        except Unanswered as error:
            return failed(str(error), _at(estimates, error.board))
    return passed(f"a number on each of {asked:,} boards", boards=asked)


def deterministic(evidence: HeuristicEvidence) -> Finding:
    """Compare two values of each board, the second time asked in reverse order; look for clocks."""
    asked = 0
    for estimates in evidence.on:
        boards = estimates.ground.boards + estimates.ground.odd_boards
        first = estimates.values(boards)
        second = estimates.values(list(reversed(boards)))
        for board in boards:
            if first.get(board) != second.get(board):
                one, other = _shown(first.get(board)), _shown(second.get(board))
                what = f"{one} the first time and {other} the second{_because(estimates)}"
                return failed(what, _at(estimates, board))
        asked += len(boards)
    because = _because(evidence.on[0])
    if because:
        return failed(f"its value may change from call to call{because}")
    return passed(f"asked twice, {asked:,} boards have the same value", boards=asked)


def _because(estimates: Estimates) -> str:
    clock = clock_read_by(estimates.function)
    return f": it reads the clock, {clock[0]} in line {clock[1]}" if clock else ""


def clock_read_by(function: Callable[..., Any]) -> tuple[str, int] | None:
    """Return what of the modules of clocks a function uses, and in which line; None if nothing."""
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
    """Call the function on tiles that can be written to, and see whether it did."""
    asked = 0
    for estimates in evidence.on:
        for board in estimates.ground.boards + estimates.ground.odd_boards:
            tiles = board.tiles.copy()
            with contextlib.suppress(PluginError), PluginCode():  # what it raises is the business of another property
                estimates.call(tiles, board)
            if (tiles != board.tiles).any():
                row, column = np.argwhere(tiles != board.tiles)[0].tolist()
                changed = f"{board.tiles[row, column]} to {tiles[row, column]}"
                what = f"it changes the tile at row {row}, column {column} from {changed}; work on tiles.copy()"
                return failed(what, _at(estimates, board))
            asked += 1
    return passed(f"it left {asked:,} boards as they were", boards=asked)


def compiles(evidence: HeuristicEvidence) -> Finding:
    """Compile it for every shape of board it is checked on."""
    if evidence.component.function is None:
        return info("it has a batch form only, which is called in Python with many boards at once")
    for estimates in evidence.on:
        if isinstance(estimates.compiled, CannotCompile):
            found = obstacle(estimates.compiled, estimates.function)
            facts = {"file": found.file, "line": found.line, "what": found.what, "instead": found.instead}
            if evidence.allow_interpreted:
                return info(f"it runs interpreted: {found}", **facts)
            where = f"{found.file}, " if found.line else ""
            return failed(f"{where}{found}. (It still runs, interpreted, about 100 times slower.)", **facts)
    return passed("it becomes machine code")


def same_compiled(evidence: HeuristicEvidence) -> Finding:
    """Compare compiled with interpreted values."""
    asked = 0
    for estimates in evidence.on:
        if isinstance(estimates.compiled, CannotCompile):
            return skipped("it does not compile")
        interpreted = estimates.values(estimates.ground.boards + estimates.ground.odd_boards)
        boards = list(interpreted)
        if not boards:
            return skipped("it has no value")
        try:
            compiled = estimates.compiled_values(boards)
        except Unanswered as error:
            said = f"{error}; interpreted, it is {_shown(interpreted[error.board])}"
            return failed(said, _at(estimates, error.board))
        for board, value in zip(boards, compiled, strict=True):
            if not isclose(value, interpreted[board], rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                if estimates.value(board) != interpreted[board]:
                    return skipped("the same board has no fixed value to compare")
                said = f"{_shown(value)} compiled, {_shown(interpreted[board])} interpreted"
                return failed(f"{said} ({DIFFERENCES})", _at(estimates, board))
        asked += len(boards)
    return passed(f"{asked:,} boards have the same value", boards=asked)


def _at(estimates: Estimates, board: Board) -> tuple[str, Board]:
    return f"on this board of {estimates.ground.domain}:", board


def _shown(value: float | None) -> str:
    return "no number" if value is None else f"{value:.10g}"


ANSWERS = (
    Property("answers", "Does it return a number for every legal board?", answers),
    Property("deterministic", "Does the same board always have the same value?", deterministic),
    Property("pure", "Does it leave the tiles it is given as they are?", pure),
    Property("compiles", "Can it be compiled to machine code?", compiles),
    Property("same-compiled", "Has it the same values compiled and interpreted?", same_compiled),
)
