"""Whether a heuristic is a function of the board at all: it answers, always the same, and leaves the board alone."""

from __future__ import annotations

import dis
from dataclasses import replace
from types import BuiltinFunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.functions import CannotCompile
from searchlab.testing.estimates import Unanswered
from searchlab.testing.explaining import codes, obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.testing.estimates import Estimates, HeuristicEvidence

CLOCKS = ("time", "datetime")


def answers(evidence: HeuristicEvidence) -> Finding:
    """Ask for the value of boards of every kind, and compiled of every state there is."""
    fault = evidence.fault("answers")
    if fault:
        return fault
    try:
        values = sum(int(on.everywhere.evaluated.sum()) for on in evidence.every)
    except Unanswered as error:
        on = next(on for on in evidence.every if on.compiled_everywhere is error)
        return failed(str(error), (f"on this board of {on.ground.domain}:", error.board))
    compiled = f", compiled on {values:,}" if values > evidence.looked else ""
    return passed(f"a number on each of {evidence.share}{compiled}", boards=evidence.looked, of=evidence.states)


def deterministic(evidence: HeuristicEvidence) -> Finding:
    """Compare two values of each board, the second asked in the opposite order; look for clocks."""
    because = _because(evidence.on[0])
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
    return evidence.fault("pure") or passed(f"it left {evidence.share} as they were", boards=evidence.looked)


def compiles(evidence: HeuristicEvidence) -> Finding:
    """Compile it for every shape of board it is checked on."""
    if evidence.component.function is None:
        return info("it has a batch form only, which is called in Python with many boards at once")
    for estimates in evidence.every:
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
    if any(isinstance(on.compiled, CannotCompile) for on in evidence.every):
        return skipped("it does not compile")
    fault = evidence.fault("same-compiled")
    if fault:
        return fault
    if evidence.fault("deterministic"):
        return skipped("the same board has no fixed value to compare")
    if all(np.isnan(survey.numbers).all() for survey in evidence.surveys):
        return skipped("it has no value")
    return passed(f"{evidence.share} have the same value", boards=evidence.looked, of=evidence.states)


ANSWERS = (
    Property("answers", "Does it return a number for every legal board?", answers),
    Property("deterministic", "Does the same board always have the same value?", deterministic),
    Property("pure", "Does it leave the tiles it is given as they are?", pure),
    Property("compiles", "Can it be compiled to machine code?", compiles),
    Property("same-compiled", "Has it the same values compiled and interpreted?", same_compiled),
)
