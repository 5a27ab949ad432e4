"""The uniform signatures of plugin functions inside kernels, and the calls of each by its address.

The first two arguments of every one are blocks of values: `params` (numbers) and `tables` (arrays, as bytes).
"""

from __future__ import annotations

from numba import types

from searchlab.compiler.intrinsics import caller

_numbers, _bytes = types.CPointer(types.float64), types.CPointer(types.uint8)
_words, _tiles = types.CPointer(types.uint64), types.CPointer(types.int64)

ESTIMATE = types.float64(_numbers, _bytes, _words, _tiles)
IS_GOAL = types.boolean(_numbers, _bytes, _words, _tiles)
SUCCESSORS = types.int64(_numbers, _bytes, _words, _words, _tiles, _tiles, _bytes, _numbers, _tiles)
CHANCES = types.int64(_numbers, _bytes, _words, _words, _tiles, _tiles, _numbers)
STEP = types.int64(
    *(_numbers, _bytes, _words, _words, types.int64, types.float64),
    *(_words, _numbers, _tiles, _tiles, _bytes, _numbers, _tiles, _tiles),
)
PRIORITY = types.float64(_numbers, _bytes, types.float64, types.float64)

ARGUMENTS = {
    ESTIMATE: "params, tables, words, tiles",
    IS_GOAL: "params, tables, words, tiles",
    SUCCESSORS: "params, tables, words, out, tiles, out_tiles, terminal, costs, moves",
    CHANCES: "params, tables, words, out, tiles, out_tiles, probabilities",
    STEP: (
        "params, tables, words, parent, has_parent, h, "
        "out, estimates, tiles, out_tiles, terminal, costs, moves, progress"
    ),
    PRIORITY: "params, tables, g, h",
}
"""What the arguments are called in adapters: `words` the packed state, `tiles` and `out_tiles` scratch, `out`
the packed successors, `terminal`, `costs`, `moves` and `estimates` one a successor, `probabilities` one a chance,
`progress` which is worked on."""

call_estimate = caller(ESTIMATE)
call_is_goal = caller(IS_GOAL)
call_successors = caller(SUCCESSORS)
call_chances = caller(CHANCES)
call_step = caller(STEP)
call_priority = caller(PRIORITY)
