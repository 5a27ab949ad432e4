"""Files of graphs: lists of edges by name, and the formats of the DIMACS challenge on shortest paths (2006).

A `.edges` file has a line `NODE NODE [COST]` for each edge. Edges go both ways unless a line says `directed`. A line
`node NODE` declares a node without edges, and a line `at NODE X Y` gives a position. Each pair of lines `start NODE`
and `goal NODE` is an instance, and a line `optimal COST` may give its optimal cost. Names with blanks are quoted. A
comment begins with `#`.

A `.p2p` file of DIMACS has a line `q START GOAL` for each instance. The graph is in the `.gr` file beside it with the
same name, or else in the only `.gr` file of the folder. A `.co` file with the name of the graph has the positions. A
`.gr` file may also contain lines `q START GOAL`.
"""

from __future__ import annotations

import shlex
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Instance
from searchlab_plugins.graph.conversion import MOST_NODES, array_instance, checked_cost

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

SUFFIXES = (".edges", ".p2p", ".gr")
NODES = {"start": 1, "goal": 1, "optimal": 1, "node": 1, "at": 3, "directed": 0}
"""The first words of lines of a `.edges` file, with the number of words that follow."""
LARGEST_FILE = 2**30
"""The most bytes of a `.gr` file: the largest file of DIMACS, the USA, has 1.4 GB; New York has 13 MB."""


def parse(text: str, path: Path | None) -> Iterator[Instance | ValueError]:
    """Yield the instances of a `.edges`, a `.p2p` or a `.gr` file.

    Raises:
        ValueError: the file is invalid; the message names the line.
    """
    if path is None or path.suffix == ".edges":
        yield from edge_list(text)
        return
    file = path if path.suffix == ".gr" else graph_file(path)
    asked = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line[:1] not in ("a", "c", "p", "")]
    if not asked and path.suffix == ".gr" and not any(path.parent.glob("*.p2p")):
        raise ValueError(
            "a .gr file has no start and no goal: write lines 'q START GOAL' into it, or a .p2p file beside it"
        )
    if asked:
        yield from queries(asked, dimacs_graph(file))


def edge_list(text: str) -> Iterator[Instance]:
    """Yield the instances of a `.edges` file."""
    numbers: dict[str, int] = {}
    ends: list[tuple[int, int]] = []
    costs: list[float] = []
    positions: dict[int, tuple[float, float]] = {}
    asked: dict[str, list[int]] = {"start": [], "goal": []}
    optimal: dict[int, float] = {}
    directed = False
    for line_number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            first, *rest = words
            if first in NODES and len(rest) == NODES[first]:
                if first == "directed":
                    directed = True
                    continue
                if first == "optimal":
                    optimal[len(asked["goal"])] = checked_cost("start", "goal", rest[0])
                    continue
                node = numbers.setdefault(rest[0], len(numbers))
                if first == "at":
                    positions[node] = position(rest[1], rest[2])
                elif first != "node":
                    asked[first].append(node)
                continue
            if len(words) not in (2, 3):
                raise ValueError(
                    f"an edge is NODE NODE COST, and this line has {len(words)} words; quote names with blanks"
                )
            one, other = (numbers.setdefault(word, len(numbers)) for word in words[:2])
            cost = checked_cost(words[0], words[1], words[2] if len(words) == 3 else 1.0)
            ends.append((one, other))
            costs.append(cost)
        except ValueError as error:
            raise ValueError(f"line {line_number}: {error}") from None
    if not asked["start"] or len(asked["start"]) != len(asked["goal"]):
        raise ValueError(
            f"an instance is a line 'start NODE' and a line 'goal NODE': "
            f"there are {len(asked['start'])} starts and {len(asked['goal'])} goals"
        )
    lacking = next((name for name, node in numbers.items() if positions and node not in positions), None)
    if lacking is not None:
        raise ValueError(f"{lacking!r:.60} has no line 'at NODE X Y', and other nodes have one")
    pairs = np.array(ends, np.int64).reshape(-1, 2)
    weights = np.array(costs, np.float64)
    if not directed:
        pairs, weights = np.stack([pairs, pairs[:, ::-1]], axis=1).reshape(-1, 2), np.repeat(weights, 2)
    places = np.array([positions[node] for node in range(len(numbers))] if positions else [], np.float64).reshape(-1, 2)
    are_numbers = all(name == str(number) for number, name in enumerate(numbers, 1))
    names = [] if are_numbers else list(numbers)
    shared = array_instance(pairs, weights, (0, 0), names=names, positions=places)
    for number, (start, goal) in enumerate(zip(asked["start"], asked["goal"], strict=True), 1):
        yield with_ends(shared, start, goal, optimal.get(number))


def with_ends(shared: Instance, start: int, goal: int, optimal: float | None = None) -> Instance:
    """Return an instance with the graph of another instance and a start and goal of its own."""
    return Instance("", Board([[start]]), {**shared.static, "goal": goal}, optimal)


def position(x: str, y: str) -> tuple[float, float]:
    """Parse a position; raise a ValueError if it is not two finite numbers."""
    place = float(x), float(y)
    if not all(map(isfinite, place)):
        raise ValueError(f"a position is two numbers, not {x} {y}")
    return place


def queries(asked: list[tuple[int, str]], shared: Instance) -> Iterator[Instance | ValueError]:
    """Yield an instance for each line `q START GOAL`, or a ValueError for an invalid line.

    Args:
        asked: the lines with their numbers.
        shared: an instance with the graph.
    """
    nodes = len(shared.static["offsets"]) - 1
    for line_number, line in asked:
        words = line.split()
        try:
            if words[:1] != ["q"] or len(words) != 3:
                raise ValueError(f"{line!r:.40} is no query: q START GOAL")
            start, goal = (whole_number(word, nodes) for word in words[1:])
            yield with_ends(shared, start - 1, goal - 1)
        except ValueError as error:
            yield ValueError(f"line {line_number}: {error}")


def graph_file(path: Path) -> Path:
    """Return the `.gr` file of a `.p2p` file."""
    own = path.with_suffix(".gr")
    found = [own] if own.is_file() else sorted(path.parent.glob("*.gr"))
    if len(found) != 1:
        raise ValueError(
            f"the graph is {own.name} beside it, which is not there; the folder has {len(found)} .gr files"
        )
    return found[0]


def dimacs_graph(path: Path) -> Instance:
    """Return an instance with the graph of a `.gr` file, from node 1 to node 1.

    Raises:
        ValueError: the file is invalid; the message names the line.
    """
    if path.stat().st_size > LARGEST_FILE:
        raise ValueError(f"{path.name}: larger than {LARGEST_FILE:,} bytes")
    nodes, arcs = header(path)
    table = numbers_after(path, "a", 3)
    if len(table) != arcs:
        raise ValueError(f"{path.name}: the header announces {arcs} arcs, and there are {len(table)}")
    ends = table[:, :2].astype(np.int64) - 1
    if len(ends) and not (ends.min() >= 0 and ends.max() < nodes):
        raise ValueError(f"{path.name}: an arc names a node outside 1 to {nodes}")
    if len(table) and not table[:, 2].min() >= 0:
        raise ValueError(f"{path.name}: an arc has a negative cost")
    places = np.zeros((0, 2))
    coordinates = path.with_suffix(".co")
    if coordinates.is_file():
        listed = numbers_after(coordinates, "v", 3)
        if sorted(listed[:, 0].tolist()) != list(range(1, nodes + 1)):
            raise ValueError(f"{coordinates.name}: it has no position for each of the {nodes} nodes")
        places = listed[np.argsort(listed[:, 0]), 1:]
    weights = table[:, 2].astype(np.float64)
    # Without positions the number of nodes would follow from the edges.
    loops = np.concatenate([ends, [[nodes - 1, nodes - 1]]])
    return array_instance(loops, np.append(weights, 0.0), (0, 0), names=[], positions=places)


def header(path: Path) -> tuple[int, int]:
    """Return the numbers of nodes and arcs of a `.gr` file."""
    with path.open(encoding="ascii", errors="replace") as file:
        words = next((line.split() for line in file if line.strip() and not line.startswith("c")), [])
    if words[:2] == ["p", "sp"] and len(words) == 4:
        return whole_number(words[2], MOST_NODES), whole_number(words[3], LARGEST_FILE)
    raise ValueError(f"{path.name}: a .gr file has a line 'p sp NODES ARCS' before its arcs")


def numbers_after(path: Path, letter: str, count: int) -> NDArray[np.float64]:
    """Return the numbers in all lines that begin with a letter, shape (lines, count)."""
    with path.open(encoding="ascii", errors="replace") as file:
        lines = [line[2:] for line in file if line.startswith(f"{letter} ")]
    found = np.array(" ".join(lines).split(), dtype=object)
    try:
        return found.astype(np.float64).reshape(len(lines), count)
    except ValueError:
        raise ValueError(f"{path.name}: a line that begins with {letter!r} has not {count} numbers") from None


def whole_number(text: str, most: int) -> int:
    """Parse a whole number from 1 to `most`; raise a ValueError for any other text."""
    if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
        raise ValueError(f"{text!r:.40} is no number from 1 to {most}")
    return int(text)


def number(value: float) -> str:
    """Return the shortest text that reads back as the number."""
    return repr(int(value) if value.is_integer() else value)


def format_instance(
    board: Board,
    offsets: NDArray[np.int64],
    targets: NDArray[np.int64],
    weights: NDArray[np.float64],
    goal: int,
    names: str,
    positions: NDArray[np.float64],
) -> str:
    """Return an instance as the text of a `.edges` file."""
    nodes = len(offsets) - 1
    called = [shlex.quote(name) for name in names.split("\n")] if names else [str(node + 1) for node in range(nodes)]
    lines = ["directed", *(() if len(positions) else (f"node {name}" for name in called))]
    lines += [f"at {called[node]} {number(x)} {number(y)}" for node, (x, y) in enumerate(positions.tolist())]
    origins = np.repeat(np.arange(nodes), np.diff(offsets)).tolist()
    edges = zip(origins, targets.tolist(), weights.tolist(), strict=True)
    lines += [f"{called[origin]} {called[target]} {number(weight)}" for origin, target, weight in edges]
    return "\n".join([*lines, f"start {called[board.tile_at(0, 0)]}", f"goal {called[goal]}"])
