"""Convert Python graphs to arrays: dicts of dicts, adjacency lists, lists of edges, and networkx graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import chain, repeat
from math import inf, isfinite
from operator import itemgetter, methodcaller
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Instance

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Iterator

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
        graph: a dict of dicts `{node: {successor: cost}}`; a dict of lists or sets `{node: [successor, …]}`, in which
            every edge costs 1; a list of edges `(node, successor)` or `(node, successor, cost)`; or a networkx graph.
            Edges lead one way, except in an undirected networkx graph. If several edges lead from a node to another,
            the cheapest edge counts.
        start, goal: nodes of the graph.
        positions: x and y of every node, for the heuristic `straight-line` and for pictures.
        weight: the attribute of a networkx edge that holds the cost; an edge without this attribute costs 1.
        name: the name of the instance.

    Raises:
        ValueError: a node is unknown or has no position, or a cost is negative or not a number.

    >>> import searchlab as sl
    >>> roads = {"Arad": {"Sibiu": 140, "Zerind": 75}, "Sibiu": {"Bucharest": 278}, "Zerind": {"Arad": 75}}
    >>> found = sl.solve(instance(roads, "Arad", "Bucharest"), domain="graph", frontier="uniform-cost")
    >>> found.actions, found.cost
    (('Sibiu', 'Bucharest'), 418)
    """
    rows = rows_of(graph)
    numbers = dict(zip(rows, range(len(rows)), strict=True))
    targets = numbers_of(tuple(chain.from_iterable(rows.values())), numbers)
    for what, node in (("start", start), ("goal", goal)):
        if node not in numbers:
            raise ValueError(f"the {what} {node!r:.60} is no node of the graph")
    counts = np.zeros(len(numbers), np.int64)
    counts[: len(rows)] = np.fromiter(map(len, rows.values()), np.int64, len(rows))
    return instance_of_rows(
        np.concatenate([[0], np.cumsum(counts)]),
        targets,
        costs_of(rows, len(targets), weight),
        (numbers[start], numbers[goal]),
        names=names_of(numbers),
        positions=places_of(numbers, positions),
        name=name,
    )


def numbers_of(nodes: tuple[Any, ...], numbers: dict[Any, int]) -> NDArray[np.int64]:
    """Return the numbers of nodes, shape (nodes,); a node that occurs only as a successor gets the next free number."""
    try:
        # Looking up all nodes in one call takes less than half the time of single look-ups.
        found = itemgetter(*nodes)(numbers) if len(nodes) > 1 else [numbers[node] for node in nodes]
    except KeyError:
        found = [numbers.setdefault(node, len(numbers)) for node in nodes]
    return np.fromiter(found, np.int64, len(nodes))


def names_of(nodes: Iterable[Any]) -> list[str]:
    """Return the names of nodes, each in one line and without leading or trailing blanks."""
    names = [*nodes]
    if {*map(type, names)} != {str}:
        names = list(map(str, names))
    text = "".join(names)
    if text.split() == [text] and all(names):  # most names have no blanks
        return names
    return [" ".join(name.split()) or repr(node) for name, node in zip(names, nodes, strict=True)]


def places_of(nodes: Collection[Any], positions: Mapping[Any, tuple[float, float]] | None) -> NDArray[np.float64]:
    """Return x and y of nodes, shape (nodes, 2), or an empty array; raise a ValueError for a node without position."""
    if positions is None:
        return np.array([], np.float64)
    try:
        in_order = [*positions] == [*nodes]  # the usual case
        places = list(positions.values() if in_order else map(positions.__getitem__, nodes))
    except LookupError:
        lacking = next(node for node in nodes if node not in positions)
        raise ValueError(f"the node {lacking!r:.60} has no position") from None
    try:
        if {*map(len, places)} <= {2}:
            return np.fromiter(chain.from_iterable(places), np.float64, 2 * len(places)).reshape(-1, 2)
    except (TypeError, ValueError, OverflowError):  # some position is not a pair of numbers
        pass
    wrong = next(node for node, place in zip(nodes, places, strict=True) if not is_pair(place))
    raise ValueError(f"the position of {wrong!r:.60} is {positions[wrong]!r:.40}, not two numbers x and y")


def is_pair(place: Any) -> bool:
    """Return whether a position is two numbers."""
    try:
        return len([float(number) for number in place]) == len(place) == 2
    except (TypeError, ValueError, OverflowError):
        return False


def rows_of(graph: Any) -> Mapping[Any, Mapping[Any, Any] | Sequence[Any]]:
    """Return the successors of each node of a graph, with costs as given or without."""
    if hasattr(graph, "adjacency"):  # networkx
        return dict(graph.adjacency())
    if isinstance(graph, Mapping):
        if not any(issubclass(kind, Set) for kind in {*map(type, graph.values())}):
            return graph
        # The order of a set differs from one Python process to the next.
        return {node: sorted(after, key=repr) if isinstance(after, Set) else after for node, after in graph.items()}
    rows: dict[Any, dict[Any, Any]] = {}
    for edge in graph:
        if not isinstance(edge, Sequence) or len(edge) not in (2, 3):
            raise ValueError(f"an edge is (node, successor) or (node, successor, cost), not {edge!r:.60}")
        node, successor, cost = (*edge, 1.0)[:3]
        row = rows.setdefault(node, {})
        row[successor] = min(checked_cost(node, successor, cost), row.get(successor, inf))
    return rows


def costs_of(rows: Mapping[Any, Mapping[Any, Any] | Sequence[Any]], count: int, weight: str) -> NDArray[np.float64]:
    """Return the costs of edges, shape (edges,); raise a ValueError for the first edge with an unusable cost."""
    costs = numbers_in(given_costs(rows), count)
    if costs is None:
        costs = numbers_in(attributes_of(given_costs(rows), weight), count)
    # Otherwise some cost is not a number, or there are parallel edges.
    if costs is not None and costs.min(initial=0) >= 0 and costs.max(initial=0) <= LARGEST_COST:
        return costs
    given = given_costs(rows)
    edges = zip(((node, successor) for node, after in rows.items() for successor in after), given, strict=True)
    return np.array([checked_cost(*ends, cost_of(cost, weight)) for ends, cost in edges], np.float64)


def numbers_in(values: Iterable[Any], count: int) -> NDArray[np.float64] | None:
    """Return values as an array, or None if a value is not a number."""
    try:
        return np.fromiter(values, np.float64, count)
    except (TypeError, ValueError, OverflowError):
        return None


def attributes_of(edges: Iterable[Any], weight: str) -> Iterable[Any]:
    """Return an attribute of networkx edges, 1 if it is missing; the edges themselves if there are parallel edges."""
    listed = list(edges)
    if {*map(type, listed)} != {dict} or dict in {*map(type, chain.from_iterable(map(dict.values, listed)))}:
        return listed
    return map(methodcaller("get", weight, 1.0), listed)


def given_costs(rows: Mapping[Any, Mapping[Any, Any] | Sequence[Any]]) -> Iterator[Any]:
    """Return the costs of edges as given, or 1 for the edges of a list."""
    are_dicts = {kind: issubclass(kind, Mapping) for kind in {*map(type, rows.values())}}
    if are_dicts.keys() == {dict}:
        values: Any = dict.values
        return chain.from_iterable(map(values, rows.values()))
    if all(are_dicts.values()):
        return chain.from_iterable(map(methodcaller("values"), rows.values()))
    return chain.from_iterable(
        after.values() if are_dicts[type(after)] else repeat(1.0, len(after))  # type: ignore[union-attr]
        for after in rows.values()
    )


def cost_of(value: Any, weight: str) -> Any:
    """Return the cost of an edge: a number, an attribute of a networkx edge, or the cheapest of parallel edges."""
    if not isinstance(value, Mapping):
        return value
    if value and all(isinstance(each, Mapping) for each in value.values()):
        return min(each.get(weight, 1.0) for each in value.values())
    return value.get(weight, 1.0)


def checked_cost(node: Hashable, successor: Hashable, cost: Any) -> float:
    """Return the cost of an edge as a float; raise a ValueError that names the edge if the cost is unusable."""
    try:
        number = float(cost)
    except (TypeError, ValueError, OverflowError):
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
) -> Instance:
    """Return an instance of edges in any order; all arguments but `ends` are as for `instance_of_rows`.

    Args:
        ends: the numbers of the source and the target of each edge, shape (edges, 2).
    """
    nodes = max(len(names), len(positions), 1 + max(*start_and_goal, int(ends.max(initial=0))))
    return instance_of_rows(*compressed(ends, weights, nodes), start_and_goal, names=names, positions=positions)


def instance_of_rows(
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    start_and_goal: tuple[int, int],
    *,
    names: list[str],
    positions: NDArray[np.float64],
    name: str = "",
) -> Instance:
    """Return an instance of edges in compressed rows.

    Args:
        offsets: the edges of node k have the numbers `offsets[k]` to `offsets[k + 1] - 1`, shape (nodes + 1,).
        targets: the node that each edge leads to, shape (edges,).
        weights: the cost of each edge, shape (edges,).
        start_and_goal: the numbers of the start and the goal.
        names: the names of all nodes, or an empty list: then the names are the numbers, from 1.
        positions: x and y of all nodes, shape (nodes, 2), or an empty array.
        name: the name of the instance.
    """
    start, goal = start_and_goal
    positions = positions.reshape(-1, 2)
    static = {
        "offsets": offsets,
        "targets": targets,
        "weights": weights,
        "goal": goal,
        "names": "\n".join(names),
        "positions": positions,
        "scale": scale_of(np.diff(offsets), targets, weights, positions),
    }
    return Instance(name, Board([[start]]), static)


def subgraph(
    start: int,
    nodes: NDArray[np.bool_],
    edges: NDArray[np.bool_],
    *,
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    goal: int,
    names: str,
    positions: NDArray[np.float64],
) -> Instance:
    """Return an instance with some of the nodes of another, and with the edges between these nodes.

    Nodes and edges keep their order and their names; a node without a name keeps its number as a name.

    Args:
        start: the number of the start; start and goal must be among the nodes that stay.
        nodes: which nodes stay, shape (nodes,).
        edges: which edges stay if both ends do, shape (edges,).
        offsets, targets, weights, goal, names, positions: the static data of the other instance.
    """
    origins = np.repeat(np.arange(len(nodes)), np.diff(offsets))
    edges = edges & nodes[origins] & nodes[targets]
    numbers = np.cumsum(nodes) - 1
    called = names.split("\n") if names else list(map(str, range(1, len(nodes) + 1)))
    return instance_of_rows(
        np.concatenate([[0], np.cumsum(np.bincount(origins[edges], minlength=len(nodes))[nodes])]),
        numbers[targets[edges]],
        weights[edges],
        (int(numbers[start]), int(numbers[goal])),
        names=[called[node] for node in np.flatnonzero(nodes).tolist()],
        positions=positions[nodes] if len(positions) else positions,
    )


def compressed(
    ends: NDArray[np.int64], weights: NDArray[np.float64], nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return edges as compressed rows: offsets (nodes + 1,), targets and weights (edges,).

    The edges of a node keep their order. If several edges connect the same nodes, only the cheapest edge is kept.
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
    counts: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    positions: NDArray[np.float64],
) -> float:
    """Return the largest factor for straight lines with which no edge costs less than the line between its ends.

    Straight lines times this factor are a consistent heuristic, whatever the units of positions and costs. Without
    positions the factor is 0.

    Args:
        counts: the number of edges from each node, shape (nodes,).
        targets, weights, positions: as for `instance_of_rows`.
    """
    if not len(positions):
        return 0.0
    places = np.ascontiguousarray(positions).view(np.complex128).ravel()
    lengths = np.abs(places[targets] - np.repeat(places, counts))
    has_length = lengths > 0
    if not has_length.all():
        weights, lengths = weights[has_length], lengths[has_length]
    least = (weights / lengths).min(initial=np.inf)
    # Slightly less, so that rounding never makes an estimate too large.
    return float(least * (1 - 1e-12)) if least < np.inf else 0.0
