"""Test whether the tiles that appear, and their cells, agree with the chances of the rules.

Each test has a false-alarm rate of `ALARM`, so all tests together have a rate of at most `MOST_TESTS` times `ALARM`.
"""

from __future__ import annotations

from array import array
from math import isqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

SPAWNED = (2, 4)
"""The tiles that may appear."""
COUNTS_OF_EMPTY = (1, 2, 3, 8)
"""The numbers of empty cells for which the tiles are tested separately."""
ALARM = 1e-4
"""The probability that a test fails although the environment conforms."""
FEWEST_EXPECTED = 20
"""The smallest expected count for which the χ² distribution is accurate enough at `ALARM`."""
MOST_TESTS = len(COUNTS_OF_EMPTY) + 4
"""The number of tests: a test for each of these numbers, the cells and the values of all tiles, and of first tiles."""


class SpawnTest(NamedTuple):
    """A test of the tiles that appeared.

    Attributes:
        what: the subject of the test.
        sample: the number of tiles.
        p: the probability of a sample at least as unlikely, or None if there were too few tiles.
        text: the finding, for a fault; or the number of tiles needed.
    """

    what: str
    sample: int
    p: float | None
    text: str

    @property
    def failed(self) -> bool:
        """Whether the sample contradicts the chances."""
        return self.p is not None and self.p < ALARM


class FirstTiles:
    """The tiles with which games begin.

    Args:
        cells: the number of cells of a board.
    """

    def __init__(self, cells: int) -> None:
        self._found = np.zeros(cells, np.int64)
        self._games = self._fours = 0

    def add(self, tiles: Sequence[int]) -> None:
        """Add the tiles of the first board of a game, row by row; all games must begin with equally many tiles."""
        self._games += 1
        self._found += np.array(tiles) > 0
        self._fours += tiles.count(max(SPAWNED))

    def tests(self, p2: float) -> Iterator[SpawnTest]:
        """Yield a test of the cells, and a test of the share of 4s.

        The cells of a game are drawn without replacement. For a number of tiles per game, this divides the variance of
        each count by (cells - 1) / (cells - tiles).

        Args:
            p2: the probability of a 2.
        """
        from scipy.stats import chi2

        what = "first tiles, by cell"
        cells, sample = len(self._found), int(self._found.sum())
        expected, tiles = sample / cells, sample / max(self._games, 1)
        if expected < FEWEST_EXPECTED or tiles == cells:
            yield SpawnTest(what, sample, None, f"{sample:,} tiles are too few")
        else:
            difference = self._found - expected
            statistic = float((difference**2).sum() / expected * (cells - 1) / (cells - tiles))
            p = float(chi2.sf(statistic, cells - 1))
            yield SpawnTest(what, sample, p, _worst_cell(self._found, expected, difference, p))
        yield _fours("first tiles, 4s", sample, self._fours, p2)


class Spawns:
    """The tiles that appeared, stored in arrays."""

    def __init__(self) -> None:
        self._empty, self._cell, self._value = array("Q"), array("B"), array("B")

    def __len__(self) -> int:
        """Return the number of tiles."""
        return len(self._cell)

    def add(self, empty: int, cell: int, value: int) -> None:
        """Add a tile.

        Args:
            empty: the empty cells before the tile appeared, as bits; the cell in row r and column c has the number
                r * side + c.
            cell: the number of the cell of the tile.
            value: the tile, 2 or 4.
        """
        self._empty.append(empty)
        self._cell.append(cell)
        self._value.append(value)

    def tests(self, side: int, p2: float) -> Iterator[SpawnTest]:
        """Yield the tests.

        Args:
            side: the side of the board.
            p2: the probability of a 2.
        """
        cells, is_four = np.array(self._cell, np.int64), np.array(self._value) == max(SPAWNED)
        masks = np.array(self._empty, np.uint64)
        is_empty = (masks[:, None] >> np.arange(side * side, dtype=np.uint64)) & np.uint64(1) == 1
        number = is_empty.sum(axis=1)
        order = (is_empty & (np.arange(side * side) < cells[:, None])).sum(axis=1)
        for count in COUNTS_OF_EMPTY:
            if count < side * side:
                chosen = number == count
                yield _one_count(count, order[chosen], is_four[chosen], p2)
        yield _cells(is_empty, number, cells, side)
        yield _fours("share of 4s", len(is_four), int(is_four.sum()), p2)


def _one_count(count: int, order: NDArray[np.int64], is_four: NDArray[np.bool_], p2: float) -> SpawnTest:
    """Test cell and tile together for a single number of empty cells, by χ²."""
    from scipy.stats import chisquare

    what = counted(count, "empty cell")
    chances = np.array([[chance / count] * count for chance in (p2, 1 - p2) if chance > 0]).ravel()
    found = np.bincount(order + count * (is_four if 0 < p2 < 1 else 0), minlength=len(chances))
    wanted = int(np.ceil(FEWEST_EXPECTED / chances.min()))
    if len(order) < wanted:
        return SpawnTest(what, len(order), None, f"{len(order):,} tiles, and {wanted:,} are needed")
    p = 1.0 if len(chances) == 1 else float(chisquare(found, chances * len(order)).pvalue)
    by_cell = np.bincount(order, minlength=count)
    text = f"with {what} (row by row) {', '.join(f'{n:,}' for n in by_cell)} tiles appeared in each, "
    return SpawnTest(what, len(order), p, f"{text}{is_four.sum():,} of them 4s; χ² has p = {p:.2g}")


def _cells(is_empty: NDArray[np.bool_], number: NDArray[Any], cells: NDArray[np.int64], side: int) -> SpawnTest:
    """Test how often each cell is chosen, over all tiles.

    The differences between the numbers of tiles in the cells and the expected numbers have mean 0 and a known
    covariance. So their quadratic form with the inverse of the covariance has a χ² distribution (one cell is
    redundant).
    """
    from scipy.stats import chi2

    what = "all tiles, by cell"
    sample = len(cells)
    chances = is_empty / np.maximum(number, 1)[:, None]
    expected = chances.sum(axis=0)
    if sample == 0 or expected.min() < FEWEST_EXPECTED:
        return SpawnTest(what, sample, None, f"{sample:,} tiles are too few")
    found = np.bincount(cells, minlength=side * side)
    difference = found - expected
    covariance = np.diag(expected) - chances.T @ chances
    statistic = float(difference @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ difference)
    p = float(chi2.sf(statistic, side * side - 1))
    scaled = difference / np.sqrt(np.maximum(np.diag(covariance), 1e-9))
    return SpawnTest(what, sample, p, _worst_cell(found, expected, scaled, p))


def _worst_cell(found: NDArray[np.int64], expected: NDArray[Any] | float, scaled: NDArray[Any], p: float) -> str:
    """Describe the cell with the largest deviation from the expected number of tiles, in standard deviations."""
    worst = int(np.argmax(np.abs(scaled)))
    row, column = divmod(worst, isqrt(len(found)))
    about = np.broadcast_to(expected, found.shape)[worst]
    got = counted(int(found[worst]), "tile")
    return f"row {row + 1}, column {column + 1} got {got}, not about {about:,.0f}; χ² has p = {p:.2g}"


def _fours(what: str, sample: int, fours: int, p2: float) -> SpawnTest:
    """Test the share of 4s by the exact binomial test."""
    from scipy.stats import binomtest

    if not sample:
        return SpawnTest(what, 0, None, "no tile appeared")
    p = float(binomtest(fours, sample, 1 - p2).pvalue)
    text = f"{fours / sample:.2%} of {sample:,} tiles are 4s, not {1 - p2:.2%}; p = {p:.2g}"
    return SpawnTest(what, sample, p, text)
