"""Search traces: the events of a readable search, in the format of Posthoc.

A trace is a JSON file in version 1.4.0 of Posthoc's format (https://posthoc.pathfinding.ai), so that Posthoc shows it,
too: `views` defines how a board is drawn, and each event has a `type`, the `id` of a node, the id of its parent as
`pId`, its `g` and its `tiles`, row by row. Every generated node has its own id, counted from 0, the start. Nodes with
the same state have the same `state`, the id of the first of them.

- `source`: the start was put on the open list. A search by iterative deepening has such an event for each iteration,
  with its `bound` on f, and a new node.
- `generate`: a successor was generated, by `action`. If it was not kept, `why` is `duplicate` of the node `known`, a
  `shorter path` to that node, `dead end`, `game over`, in iterative deepening `beyond the bound`, or in partial
  expansion `its turn has not come`.
- `skip`: the move `action` from the node `from` straight back to its parent, `id`, was omitted.
- `update`: a known node has got the shorter path of the node `by`; `reopened` if it was closed.
- `expand`: the expansion of a node began; `number` is 1 for the first.
- `close`: all successors of a node are generated; or the node is dropped, being a `duplicate` (`why`) of the node
  `known`, or `beyond the width` of a beam.
- `goal`: a goal was taken from the open list, met in a layer of a beam, or entered by iterative deepening: the end of
  the search.
- `limit`: the limit of events was reached, and the search continued without being traced.

`h` has the sign that the search gives it, and `f` is the priority that orders the open list: g + h for `astar`. In a
beam search `f` is the priority by which a layer is cut; in iterative deepening it is g + h, compared with the bound.
Missing values are omitted. Everything that is not part of Posthoc's format is below `searchlab`. If the game draws
boards as text, `pictures` holds the text of each board by its tiles. If it draws them as SVG, `image` holds the common
beginning and end of the images, and `pictures` the parts between.
"""

from __future__ import annotations

import json
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from searchlab.board.board import Board
from searchlab.errors import UsageError
from searchlab.files import read_text
from searchlab.reports.board_svg import Palette
from searchlab.reports.pictures import own_pictures, shared_ends, state_pictures, without

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping
    from pathlib import Path

    from searchlab.model.results import Result
    from searchlab.model.states import State
    from searchlab.reports.pictures import Pictures
    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import Node

VERSION = "1.4.0"
SUFFIX = ".trace.json"
EVENTS = 20_000
"""The most events that are recorded, unless something else is asked for."""
COLOURS, OTHER_COLOUR = 200, "#d3cabf"
"""The most tiles that have a colour of their own in Posthoc, and the colour of blank cells and all others."""
FORMAT = 1
"""The version of the part below `searchlab`."""


def check_traceable(problem: Problem) -> None:
    """Refuse a search that cannot be traced.

    Raises:
        UsageError: the strategy brings a search of its own, or searches from both ends.
    """
    component = problem.frontier.component
    if component.run is not None:
        raise UsageError(f"{problem.frontier.name} has its own search loop, which cannot be traced")
    if component.is_bidirectional:
        raise UsageError(f"{problem.frontier.name} searches from both ends, and a trace shows one search tree")


class TraceRecorder:
    """Records the events of a search: a `SearchObserver`.

    Args:
        problem: the problem.
        limit: the largest number of events to record.
    """

    def __init__(self, problem: Problem, limit: int = EVENTS) -> None:
        check_traceable(problem)
        self.events: list[dict[str, Any]] = []
        self.is_full = False
        self._problem, self._limit = problem, limit
        self._ids: dict[Node, int] = {}
        self._states: dict[Hashable, int] = {}
        self._numbers: dict[State, int] = {}
        """The numbers of states that are not boards."""
        self._new: dict[Node, dict[str, Any]] = {}
        """The events of generated nodes that are not yet known to be kept."""
        self._expanded = 0

    def begun(self, start: Node, bound: float) -> None:
        """Record that an iteration begins."""
        if self._is_open():
            event = self._record("source", start, state=self._state(start), **self._values(start))
            event.update({"bound": _whole(bound)} if isfinite(bound) else {})
            event.update({"why": "dead end"} if start.h == inf else {})

    def left_out(self, node: Node, why: str) -> None:
        """Record why a node is dropped: in its own event if that is the latest, else as a new event."""
        latest = self.events[-1]
        if latest["type"] == "generate" and latest["id"] == self._ids.get(node):
            latest["why"] = why
        elif self._is_open():
            self._record("close", node, why=why)

    def generated(self, node: Node, action: str, *, is_lost: bool) -> None:
        """Record a successor."""
        if not self._is_open():
            return
        event = self._record("generate", node, state=self._state(node), action=_literal(action))
        if is_lost:
            event["why"] = "game over"
        else:
            self._new[node] = event

    def went_back(self, node: Node, action: str) -> None:
        """Record a move that is left out."""
        parent = node.parent
        assert parent is not None
        if self._is_open():
            self._record("skip", parent, **{"from": self._ids[node]}, action=_literal(action), why="parent")

    def evaluated(self, node: Node, *, is_dead_end: bool) -> None:
        """Add h and f to the event of a node, or record the start."""
        if node.parent is None and not self._ids and self._is_open():
            event = self._record("source", node, state=self._state(node))
        elif node in self._new:
            event = self._new.pop(node)
        else:
            return
        event.update(self._values(node))
        if is_dead_end:
            event["why"] = "dead end"

    def found_duplicate(self, node: Node, known: Node) -> None:
        """Record why a node is dropped: in its own event if it was just generated, else as a new event."""
        if node in self._new:
            self._new.pop(node).update(why="duplicate", known=self._ids[known])
        elif self._is_open():
            self._record("close", node, why="duplicate", known=self._ids[known])

    def improved(self, known: Node, node: Node, *, is_reopened: bool) -> None:
        """Record a shorter path."""
        if node in self._new:
            self._new.pop(node).update(why="shorter path", known=self._ids[known])
        if self._is_open():
            values = self._values(known)
            self._record("update", known, **values, by=self._ids[node], reopened=is_reopened)

    def expanded(self, node: Node) -> None:
        """Record that an expansion begins."""
        if self._is_open():
            self._expanded += 1
            self._record("expand", node, number=self._expanded, **self._values(node))

    def closed(self, node: Node) -> None:
        """Record that it has ended."""
        if self._is_open():
            self._record("close", node)

    def reached(self, node: Node) -> None:
        """Record the end of the search."""
        if self._is_open():
            self._record("goal", node, **self._values(node))

    def _is_open(self) -> bool:
        """Return whether events are still recorded; the last event says that recording stopped."""
        if not self.is_full and len(self.events) >= self._limit:
            self.is_full = True
            latest = self.events[-1]
            self.events.append({"type": "limit", **{name: latest[name] for name in ("id", "pId", "tiles")}})
            self._ids, self._states, self._new = {}, {}, {}
        return not self.is_full

    def _record(self, kind: str, node: Node, **fields: Any) -> dict[str, Any]:
        """Record an event of a node; return it."""
        identity = self._ids.setdefault(node, len(self._ids))
        parent = None if node.parent is None else self._ids[node.parent]
        tiles = self._tiles(node.state)
        event = {"type": kind, "id": identity, "pId": parent, "g": _whole(node.g), **fields, "tiles": tiles}
        self.events.append(event)
        return event

    def _tiles(self, state: State) -> list[int]:
        """Return the tiles of a board, row by row; another state is drawn as a board of one tile, its number."""
        if isinstance(state, Board):
            tiles: list[int] = state.tiles.ravel().tolist()
            return tiles
        return [self._numbers.setdefault(state, len(self._numbers))]

    def _values(self, node: Node) -> dict[str, Any]:
        """Return h and f of a node as far as the search uses them, without infinite values."""
        values = {}
        if self._problem.estimates:
            values["h"] = node.h
        component = self._problem.frontier.component
        if component.family == "deepening":
            values["f"] = node.g + node.h
        elif component.priority is not None:
            values["f"] = self._problem.frontier.priority(node.g, node.h)
        return {name: _whole(value) for name, value in values.items() if isfinite(value)}

    def _state(self, node: Node) -> int:
        return self._states.setdefault(node.key, len(self._ids))

    def trace(self, result: Result, name: str = "") -> dict[str, Any]:
        """Return the trace as `read_trace` returns it.

        Args:
            result: of the search.
            name: the board's.
        """
        return {**self._head(result, name), "events": self.events}

    def parts(self, result: Result, name: str = "") -> Iterator[str]:
        """Yield the trace as JSON, one event per line; arguments as for `trace`."""
        head = self._head(result, name)
        yield json.dumps(head, allow_nan=False, ensure_ascii=False)[:-1] + ', "events": [\n'
        for number, event in enumerate(self.events):
            comma = "," if number < len(self.events) - 1 else ""
            yield json.dumps(event, allow_nan=False, ensure_ascii=False) + comma + "\n"
        yield "]}\n"

    def _head(self, result: Result, name: str) -> dict[str, Any]:
        """Return all but the events."""
        problem = self._problem
        component = problem.frontier.component
        start = problem.board
        rows, columns = start.shape if isinstance(start, Board) else (1, 1)
        facts = {
            "format": FORMAT,
            "name": name,
            "board": start.tiles.tolist() if isinstance(start, Board) else [self._tiles(start)],
            "domain": result.domain,
            "heuristic": result.heuristic if problem.estimates else None,
            "sign": problem.sign,
            "frontier": result.frontier,
            "family": component.family,
            "container": component.container,
            "ties": problem.frontier.ties,
            "order": problem.frontier.order,
            "duplicates": "late" if problem.late else "early",
            "limit": self._limit,
            "complete": not self.is_full,
            "result": {name: getattr(result, name) for name in RESULT},
            "actions": None if result.actions is None else list(result.actions),
            "solution": [self._tiles(state) for state in result.states],
        }
        facts.update(self._pictures(result))
        return {"version": VERSION, "searchlab": facts, **_views(rows, columns, self._colours())}

    def _pictures(self, result: Result) -> dict[str, Any]:
        """Return `pictures` of all boards by their tiles; nothing if boards are drawn as tiles or are too many.

        For images, `image` holds their common beginning and end, and `pictures` the parts between.
        """
        if not isinstance(self._problem.board, Board):
            pictures = state_pictures(self._problem.domain, tuple(self._numbers))
            drawn = {tiles_key([number]): pictures.draw(state, ()) for state, number in self._numbers.items()}
            return self._shared(pictures, drawn)
        shape = self._problem.board.shape
        met = {tuple(event["tiles"]) for event in self.events}
        met.update(tuple(board.tiles.ravel().tolist()) for board in result.boards)
        boards = [self._problem.board, *(Board(np.reshape(tiles, shape), signed=True) for tiles in sorted(met))]
        pictures = own_pictures(self._problem.domain, boards)
        if pictures is None:
            return {}
        drawn = {tiles_key(board.tiles.ravel().tolist()): pictures.draw(board, ()) for board in boards}
        return self._shared(pictures, drawn)

    def _shared(self, pictures: Pictures, drawn: Mapping[str, str]) -> dict[str, Any]:
        """Return pictures by the tiles of boards; of images the common ends apart."""
        if not pictures.are_images:
            return {"pictures": drawn}
        ends = shared_ends(list(drawn.values()))
        return {"image": list(ends), "pictures": {key: without(image, ends) for key, image in drawn.items()}}

    def _colours(self) -> dict[int, str]:
        """Return the colours of the tiles; of very many, those of the smallest."""
        tiles = sorted({tile for event in self.events for tile in event.get("tiles", ()) if tile})
        lowest, largest = (min(0, tiles[0]), tiles[-1]) if tiles else (0, 1)
        palette = Palette(largest, all(tile > 1 and not tile & (tile - 1) for tile in tiles), lowest)
        return {tile: palette.fill(tile) for tile in tiles[:COLOURS]}


RESULT = (
    *(
        "status",
        "reason",
        "moves",
        "cost",
        "optimal",
        "lower_bound",
        "bound",
        "ended_by",
        "expanded",
        "generated",
        "evaluated",
        "reopened",
    ),
    *("duplicates", "stored", "max_open"),
)
"""The figures of the result in a trace."""


def tiles_key(tiles: Iterable[int]) -> str:
    """Return the key of a board's picture, from its tiles row by row."""
    return " ".join(map(str, tiles))


def _literal(text: str) -> str:
    """Return a text that Posthoc does not take for an expression."""
    return text.replace("${{", "$ {{")


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _views(rows: int, columns: int, colours: Mapping[int, str]) -> dict[str, Any]:
    """Return how Posthoc draws the board of an event: a square for each cell, with its tile."""
    shades = json.dumps({str(tile): colour for tile, colour in colours.items()})
    cell = {
        "$": "rect",
        "$for": {"$let": "i", "$from": 0, "$to": rows * columns},
        "x": f"${{{{ $.i % {columns} }}}}",
        "y": f"${{{{ ($.i - $.i % {columns}) / {columns} }}}}",
        "width": 0.94,
        "height": 0.94,
        "fill": f"${{{{ ({shades})[$.tiles[$.i]] || '{OTHER_COLOUR}' }}}}",
        "label": "${{ $.tiles[$.i] ? '' + $.tiles[$.i] : '' }}",
        "label-x": 0.2,
        "label-y": 0.6,
        "label-size": 0.35,
        "label-color": "#1a1612",
        "clear": True,
    }
    return {"views": {"main": [cell]}, "pivot": {"x": columns / 2, "y": rows / 2, "scale": max(rows, columns)}}


class _Facts(msgspec.Struct):
    """The part of a trace below `searchlab`."""

    format: int
    board: list[list[int]]
    domain: str
    heuristic: str | None
    sign: int
    frontier: str
    container: str
    ties: str
    duplicates: str
    limit: int
    complete: bool
    result: dict[str, int | float | str | bool | None]
    actions: list[str] | None
    solution: list[list[int]]
    name: str = ""
    family: str = "best-first"
    pictures: dict[str, str] = {}
    image: tuple[str, str] | None = None
    order: str = "newest"


class _TraceEvent(msgspec.Struct):
    type: str
    id: int
    tiles: list[int] = []
    pId: int | None = None  # noqa: N815  as Posthoc calls it
    known: int | None = None
    by: int | None = None
    origin: int | None = msgspec.field(default=None, name="from")
    number: int | None = None
    g: float | None = None
    h: float | None = None
    f: float | None = None
    bound: float | None = None
    action: str | None = None
    why: str | None = None
    reopened: bool = False


class _PosthocTrace(msgspec.Struct):
    version: str
    searchlab: _Facts
    events: list[_TraceEvent]


def read_trace(path: Path) -> dict[str, Any]:
    """Return the content of a trace of searchlab.

    Raises:
        UsageError: the file cannot be read, or holds something else.
    """
    try:
        text = read_text(path)
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not a search trace: it is not in UTF-8") from None
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise UsageError(f"{path}: not a search trace: it is not JSON") from None
    version = content.get("version") if isinstance(content, dict) else None
    if version != VERSION:
        raise UsageError(f"{path}: not a search trace of version {VERSION}")
    facts = content.get("searchlab")
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise UsageError(f"{path}: a search trace of another program, or of another version of searchlab")
    try:
        trace = msgspec.convert(content, _PosthocTrace)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: a damaged search trace: {error}") from None
    wrong = _what_is_wrong(trace)
    if wrong:
        raise UsageError(f"{path}: a damaged search trace: {wrong}")
    checked: dict[str, Any] = content
    return checked


def _what_is_wrong(trace: _PosthocTrace) -> str:
    """Return why a trace cannot be followed, `''` if it can."""
    facts = trace.searchlab
    missing = [name for name in RESULT if name not in facts.result]
    if missing:
        return f"its result has no {missing[0]}"
    cells = sum(map(len, facts.board))
    if not cells or len({*map(len, facts.board)}) > 1 or any(len(tiles) != cells for tiles in facts.solution):
        return "its boards have different numbers of cells"
    if not trace.events:
        return "it has no events"
    seen = 0
    for number, event in enumerate(trace.events):
        if event.type in ("source", "generate"):
            if event.id != seen or len(event.tiles) != cells or min(event.tiles) < 0:
                return f"event {number} has no id and tiles of a new node"
            seen += 1
        ids = (event.id, event.pId, event.known, event.by, event.origin)
        if any(other is not None and not 0 <= other < seen for other in ids):
            return f"event {number} names a node that was not there before"
        needed = {"generate": (event.pId, event.action), "update": (event.pId, event.by), "skip": (event.origin,)}
        if None in needed.get(event.type, ()):
            return f"event {number} does not say all that an event of the type {event.type} says"
    return ""
