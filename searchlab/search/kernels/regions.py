"""Retrograde search for the tiles of a pattern in a puzzle with one blank, in which only moves of these tiles cost.

The cells that the blank can reach without moving a tile of the pattern form a region, within which the blank moves for
free. A state is therefore a placement of the tiles and the region of the blank. A placement has few regions. So the
search goes through regions instead of places of the blank, and has no free moves (unlike Korf and Felner 2002). A
placement has four bytes, which also serve as the open list:

    entries   [ distance | settled | even | odd |  distance | settled | even | odd |  … ]

`distance` is the smallest over all regions, 255 before a region is reached; `settled` has a bit for each settled
region; `even` and `odd` have a bit for each region that is open at the next even or odd distance.

The mask of occupied cells has a number (the combinatorial number system, Beckenbach 1964), which is the sum of two
terms looked up by the lower and the higher half of the mask. By this number, `regions` gives the region of each free
cell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, Record, array, record
from searchlab.compiler.intrinsics import compare_and_swap, one_bits, prefetch
from searchlab.model.packed import trailing_zeros
from searchlab.search.kernels.hash_table import I, U

BYTES = 4
"""The number of bytes per placement."""
SETTLED, EVEN = 1, 2
PENDING = 32
"""The number of moves whose placements are being fetched from memory; a power of two."""


class RegionsControl(Record):
    """The sizes, and the progress of filling the table."""

    kept: int
    """The number of tiles of the pattern."""
    cells: int
    most: int
    """The largest number of neighbours of a cell."""
    half: int
    """The number of bits in the lower half of a mask."""
    level: int
    """The distance that is being settled."""
    threads: int
    placed: int
    """Whether `ranks`, `taken`, `cell_of` and `tile_at` describe a placement."""
    reached: int
    """The number of placements reached by this thread so far."""
    settled: int
    """The number of regions settled by this thread so far."""
    waiting: int
    """The number of moves that have ever been pending."""
    marked: int
    """The number of these moves that are done."""


class RegionsArrays(Arrays):
    """The table, and the data that a thread needs to fill it."""

    entries: Pointer = array(np.uint8, "bytes")
    lanes: Pointer = array(np.uint64, "lanes")  # the same, with two placements per word
    regions: Pointer = array(np.uint8, "masks", "cells")
    lower: Pointer = array(np.int64, "halves")  # terms of the number of a mask
    higher: Pointer = array(np.int64, "halves")
    neighbors: Pointer = array(np.int64, "cells", "most")  # of each cell, padded with -1
    steps: Pointer = array(np.int64, "kept")  # see `Ranking.steps`
    ranks: Pointer = array(np.int64, "kinds")  # for each tile, the share of earlier tiles in the rank
    taken: Pointer = array(np.uint64, "kinds")  # for each tile, the cells of earlier tiles
    cell_of: Pointer = array(np.int64, "kept")
    tile_at: Pointer = array(np.int64, "cells")
    pending: Pointer = array(np.int64, PENDING)  # 8 × placement + region
    control: RegionsControl = record(RegionsControl)


def settle_regions(s: RegionsArrays, first: int, last: int) -> int:
    """Settle the open regions at the current distance in the words of the table from `first` to `last`; return 0."""
    c = s.control
    now = EVEN + (c.level & 1)
    looked_for = U(0xFF000000FF) << U(8 * now)
    for lane in range(first, last):
        if s.lanes[lane] & looked_for == U(0):
            continue
        for placement in range(2 * lane, 2 * lane + 2):
            at = placement * BYTES
            found = U(s.entries[at + now])
            if found == U(0):
                continue
            # Plain writes: no other thread touches these bytes of this placement at this distance.
            s.entries[at + now] = 0
            known = U(s.entries[at + SETTLED])
            found &= ~known
            if found == U(0):
                continue
            if known == U(0):
                s.entries[at] = c.level
                c.reached += 1
            s.entries[at + SETTLED] = known | found
            c.settled += 1
            expand(s, placement, found)
    while c.marked < c.waiting:
        mark_pending(s)
    return 0


def expand(s: RegionsArrays, placement: int, found: Any) -> None:
    """Open the states reached by moves of the pattern's tiles.

    Args:
        placement: the placement.
        found: a bit for each region in which the blank may be.
    """
    c = s.control
    cells, kept = c.cells, c.kept
    place(s, placement)
    mask = s.taken[kept]
    regions = mask_number(s, mask) * cells
    for tile in range(kept):
        source = s.cell_of[tile]
        before = s.taken[tile]
        for k in range(c.most):
            target = s.neighbors[source * c.most + k]
            if target < 0 or mask >> U(target) & U(1):
                continue
            if found >> U(s.regions[regions + target]) & U(1) == U(0):
                continue
            after = mask ^ (U(1) << U(source)) ^ (U(1) << U(target))
            region = I(s.regions[mask_number(s, after) * cells + source])
            low, high = min(source, target), max(source, target)
            between = mask & ((U(1) << U(high)) - (U(2) << U(low)))
            # Later tiles between the two cells get one more, or one fewer, free cell before them.
            change = (high - low - one_bits(before & between)) * s.steps[tile]
            passed = between & ~before
            while passed != U(0):
                change += s.steps[s.tile_at[trailing_zeros(I(passed))]]
                passed &= passed - U(1)
            reached = placement + change if target > source else placement - change
            if c.waiting - c.marked == PENDING:
                mark_pending(s)
            s.pending[c.waiting & (PENDING - 1)] = (reached << 3) | region
            prefetch(s.entries, reached * BYTES)
            c.waiting += 1


def mask_number(s: RegionsArrays, mask: Any) -> int:
    """Return the number of a mask among those with the same number of bits."""
    half = U(s.control.half)
    number: int = s.lower[I(mask & ((U(1) << half) - U(1)))] + s.higher[I(mask >> half)]
    return number


def mark_pending(s: RegionsArrays) -> None:
    """Open, for the next distance, the region that has been pending longest, unless it is settled."""
    c = s.control
    pending = s.pending[c.marked & (PENDING - 1)]
    c.marked += 1
    at, bit = (pending >> 3) * BYTES, np.uint8(1 << (pending & 7))
    if s.entries[at + SETTLED] & bit:
        return
    at += EVEN + 1 - (c.level & 1)
    known = s.entries[at]
    if c.threads == 1:
        s.entries[at] = known | bit
        return
    while known & bit == 0:
        found = compare_and_swap(s.entries, at, known, np.uint8(known | bit))
        if found == known:
            return
        known = found


def place(s: RegionsArrays, placement: int) -> None:
    """Find the cells of the tiles, starting with the first tile whose cell differs from the last placement."""
    c = s.control
    kept = c.kept
    tile = I(0)
    if c.placed:
        while tile < kept and 0 <= placement - s.ranks[tile + 1] < s.steps[tile]:
            tile += 1
    c.placed = 1
    left = U(placement - s.ranks[tile])
    while tile < kept:
        step = U(s.steps[tile])
        way = left // step
        left -= way * step
        taken = s.taken[tile]
        free = ~taken
        for _ in range(I(way)):
            free &= free - U(1)
        cell = trailing_zeros(I(free))
        s.cell_of[tile] = cell
        s.tile_at[cell] = tile
        s.taken[tile + 1] = taken | (U(1) << U(cell))
        s.ranks[tile + 1] = s.ranks[tile] + I(way * step)
        tile += 1
