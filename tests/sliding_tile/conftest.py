"""The spaces of small puzzles, searched exhaustively and without the code under test."""

from collections import deque
from functools import cache

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab.search.state_space import CompiledEstimate


def reachable(start, n):
    """Every tuple of tiles that can be reached from one, with its distance."""
    steps = [
        [cell + n * down + right for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)) if fits(cell, down, right, n)]
        for cell in range(n * n)
    ]
    distances, queue = {start: 0}, deque([start])
    while queue:
        tiles = queue.popleft()
        blank = tiles.index(0)
        for cell in steps[blank]:
            after = list(tiles)
            after[blank], after[cell] = after[cell], 0
            after = tuple(after)
            if after not in distances:
                distances[after] = distances[tiles] + 1
                queue.append(after)
    return distances


def fits(cell, down, right, n):
    return 0 <= cell // n + down < n and 0 <= cell % n + right < n


@pytest.fixture(scope="session")
def exact_distances():
    """Gives the distance from the goal of every board, as tuples of tiles, that can be reached from it."""

    @cache
    def distances(n, goal):
        ordered = tuple(range(n * n))
        return reachable(ordered if goal == "blank-first" else (*ordered[1:], 0), n)

    return distances


@pytest.fixture(scope="session")
def values_on():
    """Gives the values of many boards of n × n, shape (boards, n²), by a heuristic in machine code."""

    def values(boards, h):
        n = int(len(boards[0]) ** 0.5)
        like = sl.Board(np.reshape(boards[0], (n, n)))
        packing = Packing.of(h.domain.packed(like), like)
        packed = packing.pack_tiles(np.reshape(boards, (-1, n, n)))
        return (
            CompiledEstimate(h.component.function, h.arguments(like, h.component.function), packing)
            .values(packed)
            .astype(int)
        )

    return values
