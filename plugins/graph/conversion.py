"""Graphs of Python as arrays: adjacency lists, dicts of dicts, lists of edges, networkx's graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain, repeat
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Instance

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

MOST_NODES = 1 << 31
LARGEST_COST = 1e12


def instance(
    graph: Any,
    start: Hashable,
    goal: Hashable,
    *,
    positions: Mapping[Any, tuple[float, float]] | None = None,
    weight: str = "weight",
    name: str = "",
) -> Instance:
    """Return the search from one node of a graph to another, as an instance of the domain `graph`.

    Args:
        graph: a dict of dicts `{node: {successor: cost}}`; a dict of lists or sets `{node: [successor, …]}`, whose
            edges cost 1; a list of edges `(node, successor)` or `(node, successor, cost)`; or a graph of networkx.
            Edges lead one way, except in an undirected graph of networkx. Of several edges from one node to another
            the cheapest counts.
        start, goal: nodes.
        positions: x and y of every node, for the heuristic `straight-line` and for pictures.
        weight: the attribute of networkx's edges that is their cost; edges without it cost 1.
        name: the name of the instance.

    Raises:
        ValueError: a node is unknown or has no position, or a cost is negative or no number.

    >>> import searchlab as sl
    >>> roads = {"Arad": {"Sibiu": 140, "Zerind": 75}, "Sibiu": {"Bucharest": 278}, "Zerind": {"Arad": 75}}
    >>> found = sl.solve(instance(roads, "Arad", "Bucharest"), domain="graph", frontier="uniform-cost")
    >>> found.actions, found.cost
    (('Sibiu', 'Bucharest'), 418)
    """
    if hasattr(graph, "adjacency"):  # networkx
        graph = dict(graph.adjacency())
    origins, successors, given = edges_of(graph)
    listed = graph if isinstance(graph, Mapping) else ()
    numbers = {node: number for number, node in enumerate(dict.fromkeys(chain(listed, origins, successors)))}
    for what, node in (("start", start), ("goal", goal)):
        if node not in numbers:
            raise ValueError(f"the {what} {node!r:.60} is no node of the graph")
    ends = np.array([[numbers[node] for node in side] for side in (origins, successors)], np.int64).T
    lacking = next((node for node in numbers if positions is not None and node not in positions), None)
    if lacking is not None:
        raise ValueError(f"the node {lacking!r:.60} has no position")
    places = [positions[node] for node in numbers] if positions is not None else []
    return array_instance(
        ends,
        costs_of(origins, successors, given, weight),
        (numbers[start], numbers[goal]),
        names=[" ".join(str(node).split()) or repr(node) for node in numbers],
        positions=np.array(places, np.float64).reshape(-1, 2),
        name=name,
    )


def edges_of(graph: Any) -> tuple[list[Hashable], list[Hashable], list[Any]]:
    """Return the nodes that edges lead from, those that they lead to, and their costs as given."""
    if not isinstance(graph, Mapping):
        edges = list(graph)
        wrong = next((edge for edge in edges if not isinstance(edge, Sequence) or len(edge) not in (2, 3)), None)
        if wrong is not None:
            raise ValueError(f"an edge is (node, successor) or (node, successor, cost), not {wrong!r:.60}")
        return [edge[0] for edge in edges], [edge[1] for edge in edges], [(*edge, 1.0)[2] for edge in edges]
    # The order of a set differs from one Python process to the next.
    after = [sorted(each, key=repr) if isinstance(each, Set) else each for each in graph.values()]
    origins = list(chain.from_iterable(repeat(node, len(each)) for node, each in zip(graph, after, strict=True)))
    costs = (each.values() if isinstance(each, Mapping) else repeat(1.0, len(each)) for each in after)
    return origins, list(chain.from_iterable(after)), list(chain.from_iterable(costs))


def costs_of(origins: list[Hashable], successors: list[Hashable], given: list[Any], weight: str) -> NDArray[np.float64]:
    """Return the costs of edges, shape (edges,); a ValueError names the first edge whose cost a search cannot use."""
    try:
        costs = np.array(given)
    except ValueError:  # they are of different lengths, which no cost is
        costs = np.array([None])
    if costs.ndim == 1 and costs.dtype.kind in "biuf" and ((costs >= 0) & (costs <= LARGEST_COST)).all():
        return costs.astype(np.float64)
    edges = zip(origins, successors, given, strict=True)
    return np.array([checked_cost(node, after, cost_of(cost, weight)) for node, after, cost in edges], np.float64)


def cost_of(value: Any, weight: str) -> Any:
    """Return the cost of an edge: a number, or an attribute of networkx's edge; of parallel edges the cheapest."""
    if not isinstance(value, Mapping):
        return value
    if value and all(isinstance(each, Mapping) for each in value.values()):
        return min(each.get(weight, 1.0) for each in value.values())
    return value.get(weight, 1.0)


def checked_cost(node: Hashable, successor: Hashable, cost: Any) -> float:
    """Return the cost of an edge as a float; a ValueError names the edge if a search cannot use the cost."""
    try:
        number = float(cost)
    except (TypeError, ValueError):
        number = -1.0
    if not isfinite(number) or not 0 <= number <= LARGEST_COST:
        raise ValueError(
            f"the edge from {node!r:.40} to {successor!r:.40} costs {cost!r:.40}; "
            f"a cost is a number from 0 to {LARGEST_COST:g}"
        )
    return number


def array_instance(
    ends: NDArray[np.int64],
    weights: NDArray[np.float64],
    start_and_goal: tuple[int, int],
    *,
    names: list[str],
    positions: NDArray[np.float64],
    name: str = "",
) -> Instance:
    """Return an instance of edges as arrays.

    Args:
        ends: the numbers of the nodes that each edge leads from and to, shape (edges, 2).
        weights: the costs, shape (edges,).
        start_and_goal: the numbers of two nodes.
        names: the names of all nodes, or none: they are then called by their numbers, from 1.
        positions: x and y of all nodes, shape (nodes, 2), or of none, shape (0, 2).
        name: the name of the instance.
    """
    start, goal = start_and_goal
    nodes = max(len(names), len(positions), 1 + max(start, goal, int(ends.max(initial=0))))
    offsets, targets, weights = compressed(ends, weights, nodes)
    origins = np.repeat(np.arange(nodes), np.diff(offsets))
    static = {
        "offsets": offsets,
        "targets": targets,
        "weights": weights,
        "goal": goal,
        "names": "\n".join(names),
        "positions": positions,
        "scale": scale_of(origins, targets, weights, positions),
    }
    return Instance(name, Board([[start]]), static)


def compressed(
    ends: NDArray[np.int64], weights: NDArray[np.float64], nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return edges as compressed rows: offsets (nodes + 1,), targets and weights (edges,).

    The edges of a node keep their order. Of several edges between the same nodes the cheapest stays, at its place.
    """
    place = ends[:, 0] * nodes + ends[:, 1]
    by_ends = np.lexsort((weights, place))
    is_new = np.ones(len(ends), bool)
    is_new[1:] = np.diff(place[by_ends]) != 0
    kept = np.sort(by_ends[is_new])
    kept = kept[np.argsort(ends[kept, 0], kind="stable")]
    offsets = np.searchsorted(ends[kept, 0], np.arange(nodes + 1))
    return offsets.astype(np.int64), np.ascontiguousarray(ends[kept, 1]), weights[kept]


def scale_of(
    origins: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    positions: NDArray[np.float64],
) -> float:
    """Return the largest factor by which straight lines may be multiplied so that no edge is shorter than its line.

    Straight lines times it are consistent, whatever the units of positions and costs. Without positions it is 0.
    """
    if not len(positions):
        return 0.0
    lengths = np.hypot(*(positions[targets] - positions[origins]).T)
    is_long = lengths > 0
    # A little less, so that rounding never makes an estimate too large.
    return float((weights[is_long] / lengths[is_long]).min(initial=np.inf) * (1 - 1e-12)) if is_long.any() else 0.0
