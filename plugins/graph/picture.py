"""Pictures of graphs: the path as a line of names, and as an image."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from searchlab import Board

LONGEST_PATH = 12
"""The most nodes of a path in a text picture; the middle of a longer path is omitted."""
MOST_NAMED, MOST_DRAWN = 60, 1500
"""The most nodes whose names are drawn, and the most edges that are drawn one by one."""
CELLS = 32
"""The cells per side of the drawing of a larger graph: one edge between two cells stands for all edges between them."""
SIZE, MARGIN = 100.0, 8.0
EDGE, NODE, PATH, HERE, GOAL, TEXT = "#b9bfc6", "#7b848e", "#2f7fd0", "#d9480f", "#1f9a4d", "#4d535b"


@lru_cache(maxsize=4)
def listed(names: str) -> Sequence[str]:
    """Return the names of all nodes."""
    return names.split("\n")


def label(node: int, names: str) -> str:
    """Return the name of a node, or the number, from 1, if the graph has no names."""
    return listed(names)[node] if names else str(node + 1)


def picture(board: Board, path: NDArray[np.int64], names: str, listed_goals: NDArray[np.int64]) -> str:
    """Return the path so far as a line of names, and the goal."""
    nodes = [label(node, names) for node in (*path[:, 0, 0].tolist(), board.tile_at(0, 0))]
    if len(path) and path[-1, 0, 0] == board.tile_at(0, 0):
        nodes.pop()
    if len(nodes) > LONGEST_PATH:
        nodes[3 : 4 - LONGEST_PATH] = [f"… {len(nodes) - LONGEST_PATH + 1} more …"]
    return f"{' → '.join(nodes)}   (goal {label(int(listed_goals[0, 0, 0]), names)})"


def svg(
    board: Board,
    path: NDArray[np.int64],
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    listed_goals: NDArray[np.int64],
    names: str,
    positions: NDArray[np.float64],
) -> str:
    """Return the graph as an image: edges, the path so far, the goal (a green ring) and the current node."""
    nodes, goal = len(offsets) - 1, int(listed_goals[0, 0, 0])
    places = scaled(positions if len(positions) else layout(offsets, targets, goal))
    origins = np.repeat(np.arange(nodes), np.diff(offsets))
    ends = np.concatenate([places[origins], places[targets]], axis=1)
    is_large = len(targets) > MOST_DRAWN
    if is_large:
        step = SIZE / CELLS
        ends = (ends // step + 0.5) * step
    drawn = np.unique(np.round(ends, 1), axis=0)
    edges = "".join(f"M{a:g} {b:g}L{c:g} {d:g}" for a, b, c, d in drawn.tolist() if (a, b) < (c, d))
    here = board.tile_at(0, 0)
    walked = places[[*path[:, 0, 0].tolist(), here]].tolist()
    route = "L".join(f"{x:.2f} {y:.2f}" for x, y in walked)
    (x, y), (goal_x, goal_y) = places[here].tolist(), places[goal].tolist()
    dots, words = "", ""
    if nodes <= MOST_NAMED:
        dots = "".join(f'<circle cx="{a:.2f}" cy="{b:.2f}" r="0.9"/>' for a, b in places.tolist())
        words = "".join(
            f'<text x="{a:.2f}" y="{b - 1.6:.2f}">{escape(label(node, names))}</text>'
            for node, (a, b) in enumerate(places.tolist())
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIZE:g} {SIZE:g}">'
        f'<rect width="{SIZE:g}" height="{SIZE:g}" fill="#f6f3ec"/>'
        f'<path d="{edges}" fill="none" stroke="{EDGE}" stroke-width="{0.2 if is_large else 0.4}"/>'
        f'<path d="M{route}" fill="none" stroke="{PATH}" stroke-width="1.2" stroke-linecap="round" '
        f'stroke-linejoin="round"/><g fill="{NODE}">{dots}</g>'
        f'<circle cx="{goal_x:.2f}" cy="{goal_y:.2f}" r="2" fill="none" stroke="{GOAL}" stroke-width="0.9"/>'
        f'<circle cx="{x:.2f}" cy="{y:.2f}" r="1.5" fill="{HERE}"/>'
        f'<g font-size="2.6" font-family="sans-serif" text-anchor="middle" fill="{TEXT}">{words}</g></svg>'
    )


def scaled(positions: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return positions inside the image, y upwards, with the same scale for both axes."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    span = float((high - low).max()) or 1.0
    placed = (positions - (low + high) / 2) / span * (SIZE - 2 * MARGIN)
    upwards: NDArray[np.float64] = placed * [1, -1] + SIZE / 2
    return upwards


def layout(offsets: NDArray[np.int64], targets: NDArray[np.int64], goal: int) -> NDArray[np.float64]:
    """Return positions for the nodes of a graph without positions: columns by the number of edges to the goal."""
    nodes = len(offsets) - 1
    origins = np.repeat(np.arange(nodes), np.diff(offsets))
    layer = np.full(nodes, -1)
    wave = np.array([goal])
    depth = 0
    while len(wave):
        layer[wave] = depth
        depth += 1
        before = origins[np.isin(targets, wave)]
        wave = np.unique(before[layer[before] < 0])
    layer[layer < 0] = depth
    places = np.zeros((nodes, 2))
    for column in range(layer.max() + 1):
        members = np.flatnonzero(layer == column)
        places[members, 0] = -column
        places[members, 1] = np.arange(len(members)) - (len(members) - 1) / 2
    height = np.ptp(places[:, 1]) or 1.0
    width = np.ptp(places[:, 0]) or 1.0
    return places / [width, height]
