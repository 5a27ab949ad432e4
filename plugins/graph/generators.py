"""A generator of road maps: places at random, each with roads to its nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Generator, Parameter
from searchlab_plugins.graph.conversion import array_instance

if TYPE_CHECKING:
    from random import Random

    from searchlab import Instance

MOST_PLACES = 1_000_000
SIDE = 1000
"""The side of the square that contains all places."""


def roads(random: Random, places: int = 100, neighbors: int = 3, detour: float = 0.3) -> Instance:
    """Return a road map with a start and a goal that a path connects.

    Args:
        random: the source of chance.
        places: the number of places.
        neighbors: the number of nearest places to which each place has roads.
        detour: the largest share by which a road is longer than the straight line.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    positions = np.array([[round(random.random() * SIDE, 1) for _ in range(2)] for _ in range(places)])
    found: Any = cKDTree(positions).query(positions, k=min(neighbors + 1, places))
    lengths, near = found
    pairs = {
        (min(a, b), max(a, b)): length
        for a, (row, far) in enumerate(zip(near.tolist(), lengths.tolist(), strict=True))
        for b, length in zip(row, far, strict=True)
        if a != b
    }
    ends = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    weights = np.array([round(pairs[a, b] * (1 + detour * random.random()), 2) for a, b in sorted(pairs)])
    linked = csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(places, places))
    _, part = connected_components(linked, directed=False)
    largest = np.flatnonzero(part == np.bincount(part).argmax()).tolist()
    start, goal = (largest[int(random.random() * len(largest))] for _ in range(2))
    both = np.concatenate([ends, ends[:, ::-1]])
    return array_instance(both, np.concatenate([weights, weights]), (start, goal), names=[], positions=positions)


def check_places(places: int) -> str:
    """Return an error message for an impossible number of places, or `""`."""
    return "" if 2 <= places <= MOST_PLACES else f"there are 2 to {MOST_PLACES:,} places"


def check_neighbors(neighbors: int) -> str:
    """Return an error message for an impossible number of neighbours, or `""`."""
    return "" if 1 <= neighbors <= 100 else "there are 1 to 100 neighbours"


def check_detour(detour: float) -> str:
    """Return an error message for an impossible share, or `""`."""
    return "" if 0 <= detour <= 10 else "a detour is a share from 0 to 10"


GENERATORS = (
    Generator(
        "roads",
        roads,
        domains=frozenset({"graph"}),
        parameters=(
            Parameter("places", 100, "number of places", check=check_places),
            Parameter("neighbors", 3, "nearest places that each has a road to", check=check_neighbors),
            Parameter("detour", 0.3, "how much longer a road is than the straight line, at most", check=check_detour),
        ),
        summary="random places with roads to their nearest neighbours",
    ),
)
