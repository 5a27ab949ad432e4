"""Heuristics for paths in graphs: the straight line, and distances to landmarks."""

from __future__ import annotations

from math import hypot, inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

DOMAINS = frozenset({"graph"})
MOST_LANDMARKS = 64


def straight_line(tiles: Any, goal: Any, positions: Any, scale: float) -> float:
    """Return the straight-line distance to the goal, scaled so that no edge is cheaper; 0 without positions."""
    return line(tiles[0, 0], goal, positions, scale)


def straight_line_between(tiles: Any, other: Any, positions: Any, scale: float) -> float:
    """Return the scaled straight-line distance to the node of another board; 0 without positions."""
    return line(tiles[0, 0], other[0, 0], positions, scale)


def line(node: int, goal: int, positions: Any, scale: float) -> float:
    """Return the scaled straight-line distance between two nodes; 0 without positions."""
    if positions.shape[0] == 0:
        return 0.0
    distance: float = scale * hypot(positions[node, 0] - positions[goal, 0], positions[node, 1] - positions[goal, 1])
    return distance


def landmarks(tiles: Any, goal: Any, distances: Any) -> float:
    """Return the largest lower bound of all landmarks by the triangle inequality (Goldberg and Harrelson 2005)."""
    return landmark_bound(tiles[0, 0], goal, distances)


def landmarks_between(tiles: Any, other: Any, distances: Any) -> float:
    """Return the largest lower bound of all landmarks on the cost to the node of another board."""
    return landmark_bound(tiles[0, 0], other[0, 0], distances)


def landmark_bound(node: int, goal: int, distances: Any) -> float:
    """Return the largest lower bound of all landmarks on the cost from a node to a goal.

    The bound is infinite if a landmark is reachable from the goal but not from the node, or if the node is reachable
    from a landmark but the goal is not: then no path leads from the node to the goal.
    """
    best = 0.0
    for k in range(distances.shape[1]):
        to_goal, to_node = distances[0, k, goal], distances[0, k, node]
        if to_node < inf:
            if to_goal == inf:
                return inf
            best = max(best, to_goal - to_node)
        from_goal, from_node = distances[1, k, goal], distances[1, k, node]
        if from_goal < inf:
            if from_node == inf:
                return inf
            best = max(best, from_node - from_goal)
    return best


def distances(
    progress: Callable[[float, float], None],
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    count: int,
) -> NDArray[np.float64]:
    """Return the costs from each landmark to all nodes, and from all nodes to each landmark, shape (2, count, nodes).

    The first landmark is the node farthest from node 1. Each further landmark is the node farthest from the landmarks
    before. Costs are infinite if there is no path.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    nodes = len(offsets) - 1
    edges = csr_matrix((np.asarray(weights), np.asarray(targets), np.asarray(offsets)), shape=(nodes, nodes))
    reverse = edges.T.tocsr()
    chosen: list[int] = []
    found = np.full((2, min(count, nodes), nodes), inf)
    nearest = dijkstra(edges, indices=[0])[0]
    for number in range(min(count, nodes)):
        node = int(np.argmax(np.where(np.isfinite(nearest), nearest, -1)))
        chosen.append(node)
        found[0, number] = dijkstra(edges, indices=[node])[0]
        found[1, number] = dijkstra(reverse, indices=[node])[0]
        both = np.minimum(found[0, number], found[1, number])
        nearest = both if number == 0 else np.minimum(nearest, both)
        nearest[chosen] = -1
        progress(number + 1, count)
    return found


def check_count(count: int) -> str:
    """Return an error message for an impossible number of landmarks, or `""`."""
    return "" if 1 <= count <= MOST_LANDMARKS else f"there are 1 to {MOST_LANDMARKS} landmarks"


HEURISTICS = (
    Heuristic(
        "straight-line",
        straight_line,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=straight_line_between,
        summary="the straight-line distance to the goal, scaled to be a lower bound",
    ),
    Heuristic(
        "landmarks",
        landmarks,
        domains=DOMAINS,
        admissible=True,
        consistent=True,
        between=landmarks_between,
        tables={"distances": distances},
        parameters=(Parameter("count", 8, "number of landmarks", check=check_count),),
        summary="a lower bound from distances to landmarks (ALT)",
    ),
)
