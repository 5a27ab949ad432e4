"""`sl.trace`: record a search step by step; a notebook shows the page on which to follow it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.files import check_writable, write
from searchlab.model.results import search_headline
from searchlab.reports.page import Page
from searchlab.reports.trace import EVENTS, SUFFIX, TraceRecorder
from searchlab.search.solve import problem, search

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Limits
    from searchlab.model.results import Result
    from searchlab.model.strategies import Frontier, Heuristic
    from searchlab.plugins.registry import Plugins


@dataclass(frozen=True, repr=False)
class Trace:
    """A search recorded step by step. A notebook shows the page on which to follow it.

    Attributes:
        result: the result of the search.
        content: the trace in Posthoc's format 1.4.0, see docs/viewing.md.
    """

    result: Result
    content: dict[str, Any]

    def save(self, path: str | Path) -> Path:
        """Write the trace to a file FILE.trace.json for `sl.view`, `searchlab view` and Posthoc; return the path.

        Raises:
            UsageError: the file has another suffix, or cannot be written.
        """
        file = Path(path)
        if not file.name.endswith(SUFFIX):
            raise UsageError(f"{file}: the name of a trace ends in {SUFFIX}")
        check_writable(file)
        write(file, [json.dumps(self.content, allow_nan=False, ensure_ascii=False), "\n"])
        return file

    def page(self) -> Page:
        """Return the page on which to follow the search."""
        from searchlab.reports.trace_page import trace_page

        title = self.content["searchlab"]["name"] or self.result.domain
        return Page(trace_page(self.content, title=title))

    def __repr__(self) -> str:
        return f"<Trace: {len(self.content['events']):,} events; {search_headline(self.result)}>"

    def _repr_html_(self) -> str:
        return self.page()._repr_html_()


def trace(
    board: Board | Instance | str | Path | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
    limits: Limits | None = None,
    events: int = EVENTS,
    plugins: Plugins | None = None,
) -> Trace:
    """Search for a solution of a board, and record every step, as `searchlab solve --trace` does.

    Args:
        board, domain, heuristic, frontier, limits, plugins: as for `solve`.
        events: the largest number of events to record; after that the search continues compiled, if possible.

    Raises:
        UsageError, BoardError: an argument is invalid, or the search cannot be traced.

    >>> import searchlab as sl
    >>> sl.trace("sliding-tile/example").result.actions
    ('right', 'down', 'right')
    """
    chosen = problem(board, domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)
    recorder = TraceRecorder(chosen, events)
    result = search(chosen, limits=limits, engine="readable", batch=1, observer=recorder)
    name = str(board) if isinstance(board, str | Path) else ""
    return Trace(result, json.loads("".join(recorder.parts(result, name))))
