"""Search traces as HTML pages: one search followed event by event, or two of the same board side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from searchlab.board.board import Board
from searchlab.board.display import board_label
from searchlab.errors import UsageError
from searchlab.errors.control_characters import escaped, one_line
from searchlab.model.formatting import counted, value
from searchlab.model.results import quality_of
from searchlab.reports.board_svg import Geometry, Palette, board_svg, text_size
from searchlab.reports.pictures import picture_element
from searchlab.reports.recording import Curve
from searchlab.reports.trace import tiles_key
from searchlab.reports.viewer import as_script_data, curves_chart, page_template

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

    Trace = Mapping[str, Any]

TYPES = ("source", "generate", "skip", "update", "expand", "close", "goal", "limit")
COUNTS = ("expanded", "generated", "reopened")
"""The figures of a search."""
DUPLICATES = {
    "beam": "merged within a layer",
    "anytime-beam": "merged with those of earlier layers",
    "rectangle": "dropped, unless the path is cheaper",
    "deepening": "not detected",
}
"""The treatment of duplicates by families other than best-first search."""
PRIORITIES = {"deepening": "g + h, which is compared with the bound"}
"""The meaning of f in these families, unless it is the priority."""
LISTED = 1000
"""The largest number of expansions listed on the page without its script."""


def trace_page(trace: Trace, *, title: str) -> str:
    """Return the page of a trace.

    Args:
        trace: the content of a trace file, which `read_trace` has checked.
        title: the title of the page.
    """
    search = _ShownSearch(trace)
    h = search.curve("h", "of the node that is expanded")
    f = search.curve("f", PRIORITIES.get(_family(search.facts), "its priority"))
    curves = [curve for curve in (h, f if f and not (h and h.values == f.values) else None) if curve]
    return page_template("trace.html").render(
        title=one_line(title),
        headline=search.headline,
        search=search.described(search.palette),
        chart=curves_chart(curves, len(search.expansions)),
        content=as_script_data(search.content(search.palette, {0: 0})),
    )


def trace_pair_page(first: Trace, second: Trace, *, title: str) -> str:
    """Return the page of two searches of one board, side by side.

    Args:
        first, second: the contents of trace files, which `read_trace` has checked.
        title: the board.

    Raises:
        UsageError: the traces are of different boards or games.
    """
    searches = _ShownSearch(first), _ShownSearch(second)
    for name, of_what in (("domain", "games"), ("board", "boards")):
        if first["searchlab"][name] != second["searchlab"][name]:
            raise UsageError(
                f"the two searches are of different {of_what}: side by side they start from the same board"
            )
    names = _names(searches)
    palette = Palette.of([board for search in searches for board in search.boards])
    faces: dict[int, int] = {0: 0}
    steps = max(len(search.expansions) for search in searches)
    key = "h" if all(search.curve("h", "") for search in searches) else "g"
    curves = [
        replace(curve, name=name, values=(*curve.values, *[None] * (steps - len(curve.values))))
        for name, search in zip(names, searches, strict=True)
        if (curve := search.curve(key, f"{key} of the node that is expanded"))
    ]
    return page_template("trace_pair.html").render(
        title=one_line(title),
        headline=f"{names[0]} and {names[1]}",
        names=names,
        searches=[search.described(palette) for search in searches],
        figures=_figures(searches),
        steps=steps,
        chart=curves_chart(curves, steps),
        content=as_script_data(
            {"key": key, "names": names, "searches": [search.content(palette, faces) for search in searches]}
        ),
    )


def _names(searches: tuple[_ShownSearch, _ShownSearch]) -> list[str]:
    """Return short names that distinguish two searches."""
    facts = [search.facts for search in searches]
    names = [str(fact["frontier"]) for fact in facts]
    if facts[0]["heuristic"] != facts[1]["heuristic"]:
        names = [f"{name} with {fact['heuristic'] or 'no heuristic'}" for name, fact in zip(names, facts, strict=True)]
    if names[0] == names[1]:
        names = [f"{names[0]} (first)", f"{names[1]} (second)"]
    return [one_line(name) for name in names]


def _figures(searches: tuple[_ShownSearch, _ShownSearch]) -> list[tuple[str, list[str]]]:
    """Return the figures of both searches, and the number of states that one or both expanded: (name, figures)."""
    figures = [("outcome", [search.headline for search in searches])]
    for name in ("cost", *COUNTS, "max_open"):
        values = [None if _has_no(name, search) else search.facts["result"][name] for search in searches]
        shown = ["–" if value is None else f"{value:,.10g}" for value in values]
        figures.append(("at most open" if name == "max_open" else name, shown))
    if not all(search.facts["complete"] for search in searches):
        figures.append(("traced expansions", [f"{len(search.expansions):,}" for search in searches]))
    first, second = ({tuple(event["tiles"]) for event in search.expansions} for search in searches)
    figures.append(("states expanded", [f"{len(states):,}" for states in (first, second)]))
    figures.append(("of these by both", [f"{len(first & second):,}"] * 2))
    return figures


def _has_no(name: str, search: _ShownSearch) -> bool:
    """Return whether a figure is meaningless for a search: iterative deepening has no open list."""
    return name == "max_open" and _family(search.facts) == "deepening"


class _ShownSearch:
    """A trace, as pages show it.

    Attributes:
        facts: the part of the trace below `searchlab`.
        boards: the board of every generated node.
        expansions: the events of type `expand`.
    """

    def __init__(self, trace: Trace) -> None:
        self.facts, self._events = trace["searchlab"], trace["events"]
        self._start = Board(self.facts["board"], signed=True)
        nodes = [event["tiles"] for event in self._events if event["type"] in ("source", "generate")]
        self.boards = [_board(tiles, self._start.shape) for tiles in nodes]
        self.expansions = [event for event in self._events if event["type"] == "expand"]
        self._pictures: Mapping[str, str] = self.facts.get("pictures") or {}
        self._image: Sequence[str] | None = self.facts.get("image")

    @property
    def palette(self) -> Palette:
        """The colours of the boards."""
        return Palette.of([self._start, *self.boards])

    @property
    def headline(self) -> str:
        """How it ended."""
        return _headline(self.facts)

    def described(self, palette: Palette) -> dict[str, Any]:
        """Return the texts and figures for a page without its script."""
        facts, shape = self.facts, self._start.shape
        return {
            "facts": [(name, one_line(value)) for name, value in _facts(facts, self._events)],
            "start": self._drawn(self._start, palette),
            "final": self._drawn(_board(facts["solution"][-1], shape), palette) if facts["solution"] else "",
            "actions": " ".join(map(one_line, facts["actions"] or ())),
            "expansions": [
                tuple(event.get(name, "") for name in ("number", "id", "pId", "g", "h", "f"))
                for event in self.expansions[:LISTED]
            ],
            "left_out": max(0, len(self.expansions) - LISTED),
            "events": len(self._events),
        }

    def _drawn(self, board: Board, palette: Palette) -> Markup:
        """Return a board as an element of the page: a picture if the trace has one, else tiles."""
        picture = self._pictures.get(_key(board))
        if picture is None:
            return board_svg(board, palette)
        begin, end = self._image or ("", "")
        return picture_element(begin + picture + end, board, is_image=self._image is not None)

    def curve(self, name: str, explanation: str) -> Curve | None:
        """Return a value of the nodes in order of expansion, or None if the search has none."""
        values = tuple(event.get(name) for event in self.expansions)
        return Curve(name, explanation, values) if any(value is not None for value in values) else None

    def content(self, palette: Palette, faces: dict[int, int]) -> dict[str, Any]:
        """Return the data for the script: a board for each node, and the events in short form.

        Args:
            palette: the colours of the tiles.
            faces: the number of each tile, to which the tiles of this search are added; several searches may share it.
        """
        content = _content(self.facts, self._events, self.boards, palette, faces)
        drawn = [self._pictures.get(_key(board)) for board in self.boards]
        if None in drawn:
            return content
        numbers = {text: number for number, text in enumerate(dict.fromkeys(drawn))}
        shown: dict[str, Any] = {"pictures": list(numbers) if self._image else [escaped(str(text)) for text in numbers]}
        if self._image:
            shown.update(image=list(self._image), labels=[board_label(board) for board in self.boards])
        return {**content, **shown, "pictureOf": [numbers[text] for text in drawn]}


def _key(board: Board) -> str:
    return tiles_key(board.tiles.ravel().tolist())


def _family(facts: Mapping[str, Any]) -> str:
    return str(facts.get("family", "best-first"))


def _board(tiles: list[int], shape: tuple[int, int]) -> Board:
    rows, columns = shape
    return Board([tiles[row * columns : (row + 1) * columns] for row in range(rows)], signed=True)


def _headline(facts: Mapping[str, Any]) -> str:
    result = facts["result"]
    if result["status"] != "solved":
        return one_line(f"{result['status']}: {result['reason'] or 'no solution'}")
    quality = quality_of(result["optimal"], result.get("bound"))
    cost = "" if result["cost"] in (None, result["moves"]) else f", cost {value(result['cost'])}"
    return f"solved in {counted(result['moves'], 'move')}{cost}, {quality}"


def _facts(facts: Mapping[str, Any], events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    result = facts["result"]
    negative = ", h being its negative" if facts["heuristic"] and facts["sign"] < 0 else ""
    shown = [
        ("game", str(facts["domain"])),
        ("heuristic", f"{facts['heuristic'] or 'none'}{negative}"),
        ("frontier", str(facts["frontier"])),
        ("duplicates", DUPLICATES.get(_family(facts), f"detected {facts['duplicates']}")),
        *((name, f"{result[name]:,}") for name in COUNTS),
    ]
    if _family(facts) != "deepening":
        shown.append(("at most open", f"{result['max_open']:,}"))
    if not facts["complete"]:
        traced = sum(event["type"] == "expand" for event in events)
        shown.append(("traced", f"the first {facts['limit']:,} events, {traced:,} expansions"))
    return shown


def _content(
    facts: Mapping[str, Any],
    events: list[dict[str, Any]],
    boards: list[Board],
    palette: Palette,
    faces: dict[int, int],
) -> dict[str, Any]:
    geometry = Geometry(Board(facts["board"], signed=True).shape)
    names: dict[str, int] = {}
    solution = {tuple(tiles) for tiles in facts["solution"]}
    return {
        "types": TYPES,
        "family": _family(facts),
        "container": facts["container"],
        "ties": facts["ties"],
        "order": facts.get("order", "newest"),
        "width": geometry.width,
        "height": geometry.height,
        "places": geometry.places,
        "nodes": [
            [faces.setdefault(board.tile_at(*cell), len(faces)) for cell in Geometry(board.shape).cells]
            for board in boards
        ],
        "onPath": [number for number, board in enumerate(boards) if tuple(board.tiles.ravel().tolist()) in solution],
        "events": [_event(event, names) for event in events if event["type"] in TYPES],
        "faces": [
            [str(tile), palette.fill(tile), palette.ink(tile), text_size(str(tile))] if tile else [] for tile in faces
        ],
        "names": [one_line(name) for name in names],
    }


KEYS = {"pId": "p", "bound": "d", "from": "o", "number": "n", "why": "w", "known": "k", "by": "b"}
"""The fields of events as the page calls them; g, h and f are called as they are."""


def _event(event: Mapping[str, Any], names: dict[str, int]) -> dict[str, Any]:
    short: dict[str, Any] = {"t": TYPES.index(event["type"]), "i": event["id"]}
    for name in ("g", "h", "f", *KEYS):
        if event.get(name) is not None:
            short[KEYS.get(name, name)] = event[name]
    if "action" in event:
        short["a"] = names.setdefault(str(event["action"]), len(names))
    if event.get("reopened"):
        short["r"] = 1
    return short
