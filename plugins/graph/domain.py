"""Paths in a directed graph with costs of edges: road maps, curricula, any dict of dicts.

A board is a single cell with the number of a node. The edges are static data in compressed rows: the edges of node `k`
lead to `targets[offsets[k]:offsets[k + 1]]` and cost `weights[offsets[k]:offsets[k + 1]]`. The same machine code serves
a graph of any size.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, Defaults, Domain, FileFormat, Instance, PackedForm, Views
from searchlab_plugins.graph.conversion import MOST_NODES, instance, subgraph
from searchlab_plugins.graph.files import SUFFIXES, format_instance, parse
from searchlab_plugins.graph.heuristics import straight_line_between
from searchlab_plugins.graph.picture import label, picture, svg

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

FEWEST_SUCCESSORS = 8
FINEST = 1024
"""A smaller graph omits at least about 1 / `FINEST` of the nodes or edges."""


def goals(board: Board, goal: int) -> Iterator[Board]:
    """Yield the goal."""
    yield Board([[goal]])


def successors(
    board: Board, offsets: NDArray[np.int64], targets: NDArray[np.int64], weights: NDArray[np.float64], names: str
) -> Iterator[tuple[str, Board, float]]:
    """Yield (action, board, cost) for each edge, in the order of the graph.

    An action is the name of the next node, with `_` for a blank, because actions are listed with blanks between them.
    """
    node = board.tile_at(0, 0)
    edges = slice(offsets[node], offsets[node + 1])
    for after, cost in zip(targets[edges].tolist(), weights[edges].tolist(), strict=True):
        yield label(after, names).replace(" ", "_"), Board([[after]]), int(cost) if cost.is_integer() else cost


def write_successors(tiles: Any, out: Any, costs: Any, offsets: Any, targets: Any, weights: Any) -> int:
    """Write the target and the cost of each edge from a node."""
    node = tiles[0, 0]
    first = offsets[node]
    count: int = offsets[node + 1] - first
    for k in range(count):
        out[k, 0, 0] = targets[first + k]
        costs[k] = weights[first + k]
    return count


def write_predecessors(
    tiles: Any, out: Any, costs: Any, into_offsets: Any, into_edges: Any, origins: Any, weights: Any
) -> int:
    """Write the origin and the cost of each edge to a node."""
    node = tiles[0, 0]
    first = into_offsets[node]
    count: int = into_offsets[node + 1] - first
    for k in range(count):
        edge = into_edges[first + k]
        out[k, 0, 0] = origins[edge]
        costs[k] = weights[edge]
    return count


def into_offsets(board: Board, offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the position in `into_edges` at which the edges to each node begin, shape (nodes + 1,)."""
    found = np.zeros_like(offsets)  # like an array of the instance, so that compiled code serves any shape
    found[1:] = np.cumsum(np.bincount(targets, minlength=len(offsets) - 1))
    return found


def into_edges(board: Board, targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all edges, sorted by the node that they lead to, shape (edges,)."""
    return np.argsort(targets, kind="stable")


def origins(board: Board, offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the node that each edge comes from, shape (edges,)."""
    found = np.empty_like(targets)
    found[:] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return found


def most_edges(board: Board, offsets: NDArray[np.int64], targets: NDArray[np.int64]) -> int:
    """Return the largest number of edges from a node or to a node."""
    return int(max(np.diff(offsets).max(initial=0), np.bincount(targets, minlength=1).max()))


@lru_cache
def form(most: int) -> PackedForm:
    """Return the compiled rules of graphs with at most this number of edges per node."""
    return PackedForm(values=MOST_NODES, max_successors=most, successors=write_successors)


def packed(board: Board, most_edges: int) -> PackedForm:
    """Return the compiled rules; graphs of similar degrees share them, so that the rules are compiled once."""
    return form(max(FEWEST_SUCCESSORS, 1 << max(0, most_edges - 1).bit_length()))


def has_unit_cost(weights: NDArray[np.float64]) -> bool:
    """Return whether every edge costs 1."""
    return bool((weights == 1).all())


def lower_bound(board: Board, listed_goals: NDArray[np.int64], positions: NDArray[np.float64], scale: float) -> float:
    """Return the straight-line distance to the goal, scaled so that no edge is cheaper; 0 without positions."""
    return float(straight_line_between(board.tiles, listed_goals[0], positions, scale))


def why_invalid(board: Board, offsets: NDArray[np.int64], goal: int) -> str:
    """Return an error message if the board or the goal is not a node, or `""`."""
    nodes = len(offsets) - 1
    if board.shape != (1, 1):
        return "a node is a single number"
    for what, node in (("{}", board.tile_at(0, 0)), ("the goal, {},", goal)):
        if not 0 <= node < nodes:
            return f"{what.format(node + 1)} is none of the {nodes} nodes"
    return ""


def smaller(
    board: Board,
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    goal: int,
    names: str,
    positions: NDArray[np.float64],
) -> Iterator[Instance]:
    """Yield the graph without some nodes, at first half of them, then without some edges; start and goal stay."""
    start, all_nodes, all_edges = board.tile_at(0, 0), np.ones(len(offsets) - 1, bool), np.ones(len(targets), bool)
    static: dict[str, Any] = {"offsets": offsets, "targets": targets, "weights": weights, "goal": goal, "names": names}
    for part in parts(len(all_nodes)):
        nodes = all_nodes.copy()
        nodes[part] = False
        nodes[[start, goal]] = True
        if not nodes.all():
            yield subgraph(start, nodes, all_edges, **static, positions=positions)
    for part in parts(len(all_edges)):
        edges = all_edges.copy()
        edges[part] = False
        yield subgraph(start, all_nodes, edges, **static, positions=positions)


def parts(count: int) -> Iterator[slice]:
    """Yield the halves of a sequence, the quarters, and so on down to single items, or to about `FINEST` parts."""
    size = (count + 1) // 2
    while size:
        for first in range(0, count, size):
            yield slice(first, first + size)
        size = (size + 1) // 2 if size > 1 and count < FINEST * size else 0


def samples() -> Iterator[Instance]:
    """Yield a graph of eight nodes, with an edge of cost 0, a dead end and an unreachable node."""
    edges = {
        "a": {"b": 2, "c": 5},
        "b": {"c": 2, "d": 6, "dead end": 1},
        "c": {"d": 0, "a": 5},
        "d": {"e": 2.5, "b": 6},
        "e": {"goal": 1, "c": 4},
        "goal": {"e": 1},
        "dead end": {},
        "source": {"a": 1},
    }
    places = {"a": (0, 0), "b": (1, 1), "c": (2, 0), "d": (2, 0), "e": (3, 1), "goal": (4, 0)}
    places |= {"dead end": (1, 2), "source": (0, 1)}
    yield instance(edges, "a", "goal", positions=places)


DOMAIN = Domain(
    "graph",
    successors,
    summary="shortest paths in graphs: road maps, or any dict of dicts",
    static=("offsets", "targets", "weights", "goal", "names", "positions", "scale"),
    goals=goals,
    packed=packed,
    why_invalid=why_invalid,
    lower_bound=lower_bound,
    smaller=smaller,
    samples=samples,
    unit_cost=has_unit_cost,
    inverse=write_predecessors,
    values={
        "into_offsets": into_offsets,
        "into_edges": into_edges,
        "origins": origins,
        "most_edges": most_edges,
    },
    files=FileFormat(parse, format=format_instance, suffixes=SUFFIXES),
    views=Views(picture=picture, svg=svg, layer_columns={"goals": "goal", "game over": "", "largest": ""}),
    defaults=Defaults(heuristic="searchlab/straight-line"),
)
