"""Rankings: number the placements of some tiles on a board, without gaps, from 0.

Tiles with the same value are indistinguishable, and so are all unranked tiles. The values are placed in order: the
tiles with the first value on any cells, the tiles with the next value on any remaining cells, and so on. The cells of
each value form a combination, which has a number in the combinatorial number system (Beckenbach 1964). With one tile of
each value, the rank is the lexicographic rank of partial permutations (Bonet 2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import UsageError
from searchlab.errors.cached import cached_property

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Ranking:
    """The ranking of boards of one shape by the places of the tiles with some values.

    Attributes:
        shape: rows and columns.
        tiles: the values, the most significant in the rank first.
        counts: the number of tiles of each value.
    """

    shape: tuple[int, int]
    tiles: tuple[int, ...]
    counts: tuple[int, ...]

    def __len__(self) -> int:
        return self.states

    @property
    def states(self) -> int:
        """The number of ranks; it may be too large for the length of an array."""
        return prod(self.sizes)

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @cached_property
    def free(self) -> tuple[int, ...]:
        """For each value, the number of cells left for its tiles."""
        return tuple(self.cells - sum(self.counts[:k]) for k in range(len(self.tiles)))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """For each value, the number of combinations of the cells left for its tiles."""
        return tuple(comb(free, count) for free, count in zip(self.free, self.counts, strict=True))

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """For each value, the factor in the rank of the number of its combination."""
        return tuple(prod(self.sizes[k + 1 :]) for k in range(len(self.tiles)))

    @cached_property
    def terms(self) -> NDArray[np.int64]:
        """The contributions of tiles to the rank, shape (values, most tiles of a value, cells).

        `terms[i, j, c]` is for the j-th tile of the i-th value, in the order of the cells, on a cell preceded by c
        cells that are free of tiles of earlier values.
        """
        most = max(self.counts, default=1)
        numbers = [
            [[step * comb(cell, j + 1) for cell in range(self.cells)] for j in range(most)] for step in self.steps
        ]
        return np.array(numbers, np.int64).reshape(len(self.tiles), most, self.cells)

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The position of each value in `tiles`, by value up to the largest; -1 for unranked values."""
        places = np.full(max(self.tiles, default=0) + 1, -1, np.int64)
        places[list(self.tiles)] = np.arange(len(self.tiles))
        return places

    def ranks(self, tiles: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of boards, given their tiles, shape (boards, rows, columns).

        Raises:
            UsageError: a board does not have the ranked tiles.
        """
        flat = tiles.reshape(len(tiles), self.cells)
        ranks = np.zeros(len(flat), np.int64)
        left = np.ones(flat.shape, bool)
        for k, (value, count) in enumerate(zip(self.tiles, self.counts, strict=True)):
            here = flat == value
            if (here.sum(axis=1) != count).any():
                raise UsageError(f"a board that is ranked has {count} of the tile {value}")
            before = np.cumsum(left, axis=1) - left
            which = np.cumsum(here, axis=1) - here
            ranks += (self.terms[k][np.minimum(which, count - 1), before] * here).sum(axis=1)
            left &= ~here
        return ranks

    def unranked(self, rank: int, others: int = -1) -> NDArray[np.int64]:
        """Return the tiles, shape (rows, columns), of a rank; cells without a ranked tile hold `others`."""
        tiles = np.full(self.cells, others, np.int64)
        left = list(range(self.cells))
        for value, count, step in zip(self.tiles, self.counts, self.steps, strict=True):
            way, rank = divmod(rank, step)
            on = []
            for j in reversed(range(count)):
                place = max(place for place in range(len(left)) if comb(place, j + 1) <= way)
                way -= comb(place, j + 1)
                on.append(left[place])
            tiles[on] = value
            left = [cell for cell in left if cell not in on]
        return tiles.reshape(self.shape)


def pattern_rank(tiles: Any, order: Any, terms: Any) -> int:
    """Return the rank of a board; for compiled functions.

    Args:
        tiles: the tiles of the board, shape (rows, columns).
        order: `Ranking.order`.
        terms: `Ranking.terms`.
    """
    columns = tiles.shape[1]
    rank = 0
    for cell in range(tiles.size):
        tile = tiles[cell // columns, cell % columns]
        mine = order[tile] if tile < len(order) else -1
        if mine >= 0:
            taken = same = 0
            for other in range(cell):
                tile = tiles[other // columns, other % columns]
                place = order[tile] if tile < len(order) else -1
                taken += 0 <= place < mine
                same += place == mine
            rank += terms[mine, same, cell - taken]
    return rank
