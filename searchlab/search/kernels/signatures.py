"""The uniform signatures of plugin functions inside kernels, and the calls of each by its address.

The first two arguments of every one are blocks of values: `params` (numbers) and `tables` (arrays, as bytes).
"""

from __future__ import annotations

from numba import types

from searchlab.search.kernels.intrinsics import caller

_numbers, _bytes = types.CPointer(types.float64), types.CPointer(types.uint8)
_words, _tiles = types.CPointer(types.uint64), types.CPointer(types.int64)

ESTIMATE = types.float64(_numbers, _bytes, _words, _tiles)
"""(params, tables, words, scratch for tiles) -> h"""
IS_GOAL = types.boolean(_numbers, _bytes, _words, _tiles)
"""(params, tables, words, scratch for tiles) -> whether it is a goal"""
SUCCESSORS = types.int64(_numbers, _bytes, _words, _words, _tiles, _tiles, _bytes, _numbers)
"""(params, tables, words, out words, scratch for tiles, for successors' tiles, terminal, costs) -> how many"""
PRIORITY = types.float64(_numbers, _bytes, types.float64, types.float64)
"""(params, tables, g, h) -> priority"""

call_estimate = caller(ESTIMATE)
call_is_goal = caller(IS_GOAL)
call_successors = caller(SUCCESSORS)
call_priority = caller(PRIORITY)
