"""The uniform signatures of plugin functions inside kernels, in numba's notation, and the calls of each by address.

The first two arguments are always blocks of values: `params` (numbers) and `tables` (arrays, as bytes).
"""

from __future__ import annotations

from searchlab.compiler.intrinsics import caller

_NUMBERS, _BYTES = "CPointer(float64)", "CPointer(uint8)"
_WORDS, _TILES = "CPointer(uint64)", "CPointer(int64)"


def signature(returned: str, *passed: str) -> str:
    """Return a signature in numba's notation: the return type, followed by the argument types in parentheses."""
    return f"{returned}({', '.join(passed)})"


ESTIMATE = signature("float64", _NUMBERS, _BYTES, _WORDS, _TILES)
IS_GOAL = signature("boolean", _NUMBERS, _BYTES, _WORDS, _TILES)
SUCCESSORS = signature("int64", _NUMBERS, _BYTES, _WORDS, _WORDS, _TILES, _TILES, _BYTES, _NUMBERS, _TILES)
CHANCES = signature("int64", _NUMBERS, _BYTES, _WORDS, _WORDS, _TILES, _TILES, _NUMBERS)
STEP = signature(
    *("int64", _NUMBERS, _BYTES, _WORDS, _WORDS, "int64", "float64"),
    *(_WORDS, _NUMBERS, _TILES, _TILES, _BYTES, _NUMBERS, _TILES, _TILES),
)
SELECT = signature(
    *("int64", _NUMBERS, _BYTES, _WORDS, "float64", "float64", "float64", "float64"),
    *(_WORDS, _NUMBERS, _TILES, _TILES, _BYTES, _NUMBERS, _TILES, _BYTES),
)
UPDATE = signature("float64", _NUMBERS, _BYTES, _TILES, "int64", "float64")
PRIORITY = signature("float64", _NUMBERS, _BYTES, "float64", "float64")
KEY = signature("float64", _NUMBERS, _BYTES, _NUMBERS)

ARGUMENTS = {
    ESTIMATE: "params, tables, words, tiles",
    IS_GOAL: "params, tables, words, tiles",
    SUCCESSORS: "params, tables, words, out, tiles, out_tiles, terminal, costs, moves",
    CHANCES: "params, tables, words, out, tiles, out_tiles, probabilities",
    STEP: (
        "params, tables, words, parent, has_parent, h, "
        "out, estimates, tiles, out_tiles, terminal, costs, moves, progress"
    ),
    SELECT: (
        "params, tables, words, h, g, low, high, out, estimates, tiles, out_tiles, terminal, costs, moves, chosen"
    ),
    UPDATE: "params, tables, moves, k, h",
    PRIORITY: "params, tables, g, h",
    KEY: "params, tables, values",
}
"""The names of the arguments in adapters: `words` is the packed state, `tiles` and `out_tiles` are scratch, `out` the
packed successors; `terminal`, `costs`, `moves`, `estimates` and `chosen` have an item per successor, `probabilities` an
item per random event; `progress` is the number of the current successor; `values` are those of a node that the priority
of a queue may ask for.
"""

call_estimate = caller(ESTIMATE)
call_is_goal = caller(IS_GOAL)
call_successors = caller(SUCCESSORS)
call_chances = caller(CHANCES)
call_step = caller(STEP)
call_select = caller(SELECT)
call_update = caller(UPDATE)
call_priority = caller(PRIORITY)
call_key = caller(KEY)
