"""Retrograde search by regions of the blank, for tables in which only moves of the tiles of the pattern cost."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.arrays import addresses, allocate, reserve
from searchlab.errors import UsageError
from searchlab.search.compiled.kernel_run import kernel
from searchlab.search.kernels.regions import BYTES, EVEN, RegionsArrays, RegionsControl, settle_regions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    from searchlab.search.compiled.threads import Threads
    from searchlab.search.ranking import Ranking
    from searchlab.search.watch import Watch

UNREACHED = 255
MOST_REGIONS = 8
"""The largest number of regions, which are the bits of a byte."""
LARGEST_MAP = 1 << 26
"""The largest size of a RegionMap, in bytes."""
LANES_A_PART = 1 << 17
"""The number of words of the table that a thread processes at a time."""
PARTS_A_THREAD = 8


@dataclass(frozen=True)
class RegionMap:
    """The regions into which the tiles of a pattern divide the other cells.

    A mask is the set of cells with a tile of the pattern, as bits. All masks of one number of tiles are numbered.

    Attributes:
        regions: the number of the region of each free cell, by the number of the mask, shape (masks, cells), uint8;
            meaningless for occupied cells.
        lower, higher: the number of a mask is the sum of `lower` for the lower half of its bits and `higher` for the
            other bits.
        half: the number of bits in the lower half.
    """

    regions: NDArray[np.uint8]
    lower: NDArray[np.int64]
    higher: NDArray[np.int64]
    half: int

    def number(self, mask: int) -> int:
        """Return the number of a mask."""
        return int(self.lower[mask & ((1 << self.half) - 1)] + self.higher[mask >> self.half])


@lru_cache(maxsize=8)
def region_map(kept: int, neighbors: tuple[tuple[int, ...], ...]) -> RegionMap | None:
    """Return the regions for patterns of `kept` tiles, or None if there are too many.

    Args:
        kept: the number of tiles of the pattern.
        neighbors: the neighbours of each cell.
    """
    cells = len(neighbors)
    if comb(cells, kept) * cells > LARGEST_MAP:
        return None
    taken = np.zeros((comb(cells, kept), cells), bool)
    # Masks are numbered by their largest cell, then by the next largest, and so on.
    tiles = np.array([chosen[::-1] for chosen in combinations(reversed(range(cells)), kept)])[::-1]
    np.put_along_axis(taken, tiles, values=True, axis=1)
    least = np.where(taken, cells, np.arange(cells)).astype(np.uint8)
    changed = True
    while changed:
        before = least.copy()
        for cell, beside in enumerate(neighbors):
            for other in beside:
                both = ~taken[:, cell] & ~taken[:, other]
                least[:, cell] = np.where(both, np.minimum(least[:, cell], least[:, other]), least[:, cell])
        changed = not np.array_equal(before, least)
    numbers = np.cumsum(least == np.arange(cells), axis=1) - 1
    if int(numbers.max(initial=0)) >= MOST_REGIONS:
        return None
    roots = np.minimum(least, cells - 1).astype(np.int64)
    regions = np.ascontiguousarray(np.take_along_axis(numbers, roots, axis=1).astype(np.uint8) & (MOST_REGIONS - 1))
    half = (cells + 1) // 2
    lower = [_term(mask, 0, 0) for mask in range(1 << half)]
    higher = [_term(mask, half, max(0, kept - mask.bit_count())) for mask in range(1 << half)]
    return RegionMap(regions, np.array(lower), np.array(higher), half)


def _term(mask: int, first: int, before: int) -> int:
    """Return the share in the number of a mask of its cells from `first` on, which follow `before` lower cells."""
    cells = [first + bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    return sum(comb(cell, before + place + 1) for place, cell in enumerate(cells))


class RegionSearch:
    """The distances of all placements of the tiles of a pattern, if each of their moves costs 1 and others nothing.

    Args:
        ranking: the ranking of the placements.
        neighbors: the neighbours of each cell, shape (cells, most), padded with -1.
        regions: the regions into which the tiles divide the cells.
        watch: the limits, and the receiver of the progress.
        threads: the threads that share the table.
    """

    def __init__(
        self, ranking: Ranking, neighbors: NDArray[np.int64], regions: RegionMap, watch: Watch, threads: Threads
    ) -> None:
        self.ranking, self.watch, self._regions, self._threads = ranking, watch, regions, threads
        lanes = -(-len(ranking) // 2)
        self._entries: NDArray[np.uint8] = reserve(lanes * 2 * BYTES, np.uint8)
        self._kernel = kernel(settle_regions, RegionsArrays)
        part = max(1, min(LANES_A_PART, lanes // (PARTS_A_THREAD * threads.count)))
        self._parts = [(first, min(lanes, first + part)) for first in range(0, lanes, part)]
        count = min(threads.count, len(self._parts))
        kept, (cells, most) = len(ranking.tiles), neighbors.shape
        self._arrays = [
            allocate(
                RegionsArrays,
                {"kinds": kept + 1, "kept": kept, "cells": cells},
                entries=self._entries,
                lanes=self._entries.view(np.uint64),
                regions=regions.regions,
                lower=regions.lower,
                higher=regions.higher,
                neighbors=np.ascontiguousarray(neighbors, np.int64),
                steps=np.array(ranking.steps, np.int64),
                control=RegionsControl(kept=kept, cells=cells, most=most, half=regions.half, threads=count),
            )
            for _ in range(count)
        ]

    def run(self, goals: Iterable[tuple[int, int]]) -> str:
        """Fill the table with the distances from goals.

        Args:
            goals: the rank of each goal, and the cell of the blank.

        Returns:
            `''`, or the limit that was reached.
        """
        self._entries.view(np.uint32)[:] = UNREACHED
        for rank, blank in goals:
            mask = sum(1 << int(cell) for cell in np.flatnonzero(self.ranking.unranked(rank).ravel() >= 0))
            region = int(self._regions.regions[self._regions.number(mask), blank])
            self._entries[rank * BYTES + EVEN] |= 1 << region
        level, settled, before = 0, 0, -1
        with self._threads:
            while settled > before:
                reached = self._reached()
                for arrays in self._arrays:
                    arrays.control.update(level=level, placed=0, waiting=0, marked=0)
                stopped = self._threads.share(self._settle_part, self._parts, self._look)
                if stopped:
                    return stopped
                # New regions of placements that were reached before do no harm.
                if level >= UNREACHED and self._reached() > reached:
                    raise UsageError(f"there are distances above {UNREACHED - 1}, which a byte has no room for")
                before, settled = settled, sum(int(arrays.control.settled) for arrays in self._arrays)
                level += 1
        return ""

    def distances(self) -> NDArray[np.uint8]:
        """Return the distances by rank, shape (placements,)."""
        return self._entries[::BYTES][: len(self.ranking)].copy()

    def _look(self) -> str:
        self.watch.statistics.expanded = self._reached()
        return self.watch.stop(self.watch.statistics)

    def _reached(self) -> int:
        return sum(int(arrays.control.reached) for arrays in self._arrays)

    def _settle_part(self, thread: int, part: tuple[int, int], goes_on: Callable[[], bool]) -> None:
        if goes_on():
            self._kernel(*addresses(self._arrays[thread]), *part)


def bytes_needed(ranking: Ranking) -> int:
    """Return the number of bytes that computing a table takes, including the table."""
    return (BYTES + 1) * ranking.states
