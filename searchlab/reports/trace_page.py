"""A search trace as one HTML page, on which a search is followed event by event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.board.board import Board
from searchlab.errors.control_characters import one_line
from searchlab.reports.board_svg import Geometry, Palette, board_svg, text_size
from searchlab.reports.recording import Curve
from searchlab.reports.viewer import as_script_data, curves_chart, page_template

if TYPE_CHECKING:
    from collections.abc import Mapping

TYPES = ("source", "generate", "skip", "update", "expand", "close", "goal", "limit")
LISTED = 1000
"""The most expansions that the page lists where there is no script."""


def trace_page(trace: Mapping[str, Any], *, title: str) -> str:
    """Return the page of a trace.

    Args:
        trace: the content of a trace file, which `read_trace` has checked.
        title: what it is of.
    """
    facts, events = trace["searchlab"], trace["events"]
    start = Board(facts["board"])
    shape = start.shape
    nodes = [event["tiles"] for event in events if event["type"] in ("source", "generate")]
    boards = [_board(tiles, shape) for tiles in nodes]
    palette = Palette.of([start, *boards])
    expansions = [event for event in events if event["type"] == "expand"]
    return page_template("trace.html").render(
        title=one_line(title),
        headline=_headline(facts),
        facts=[(name, one_line(value)) for name, value in _facts(facts, events)],
        start=board_svg(start, palette),
        final=board_svg(_board(facts["solution"][-1], shape), palette) if facts["solution"] else "",
        actions=" ".join(map(one_line, facts["actions"] or ())),
        chart=curves_chart(_curves(expansions), len(expansions)),
        expansions=[
            tuple(event.get(name, "") for name in ("number", "id", "pId", "g", "h", "f"))
            for event in expansions[:LISTED]
        ],
        left_out=max(0, len(expansions) - LISTED),
        events=len(events),
        content=as_script_data(_content(facts, events, boards, palette)),
    )


def _board(tiles: list[int], shape: tuple[int, int]) -> Board:
    rows, columns = shape
    return Board([tiles[row * columns : (row + 1) * columns] for row in range(rows)])


def _headline(facts: Mapping[str, Any]) -> str:
    result = facts["result"]
    if result["status"] != "solved":
        return one_line(f"{result['status']}: {result['reason'] or 'no solution'}")
    quality = "optimal" if result["optimal"] else "not proved optimal"
    return f"solved in {result['moves']:,} {'move' if result['moves'] == 1 else 'moves'}, {quality}"


def _facts(facts: Mapping[str, Any], events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    result = facts["result"]
    negative = ", h being its negative" if facts["heuristic"] and facts["sign"] < 0 else ""
    shown = [
        ("game", str(facts["domain"])),
        ("heuristic", f"{facts['heuristic'] or 'none'}{negative}"),
        ("frontier", str(facts["frontier"])),
        ("duplicates", f"detected {facts['duplicates']}"),
        *((name, f"{result[name]:,}") for name in ("expanded", "generated", "reopened")),
        ("at most open", f"{result['max_open']:,}"),
    ]
    if not facts["complete"]:
        traced = sum(event["type"] == "expand" for event in events)
        shown.append(("traced", f"the first {facts['limit']:,} events, {traced:,} expansions"))
    return shown


def _curves(expansions: list[dict[str, Any]]) -> list[Curve]:
    """Return h and f of the nodes in the order of their expansion."""
    h = Curve("h", "of the node that is expanded", tuple(event.get("h") for event in expansions))
    f = Curve("f", "its priority", tuple(event.get("f") for event in expansions))
    return [curve for curve in (h, f) if any(value is not None for value in curve.values)]


def _content(
    facts: Mapping[str, Any], events: list[dict[str, Any]], boards: list[Board], palette: Palette
) -> dict[str, Any]:
    """Return what the script needs: a board for each node, and the events in short."""
    geometry = Geometry(Board(facts["board"]).shape)
    faces: dict[int, int] = {0: 0}
    names: dict[str, int] = {}
    solution = {tuple(tiles) for tiles in facts["solution"]}
    return {
        "types": TYPES,
        "container": facts["container"],
        "ties": facts["ties"],
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


KEYS = {"pId": "p", "from": "o", "number": "n", "why": "w", "known": "k", "by": "b"}
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
