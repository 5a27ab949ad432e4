"""The display of the progress of a search: in the cell of a notebook, and on request on standard error."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import copy_context
from math import isfinite
from threading import Event, Thread, current_thread, main_thread
from typing import TYPE_CHECKING

from searchlab.errors import UsageError, shown
from searchlab.errors.notebook import cell_output, in_notebook, progress_bar
from searchlab.errors.standard_error import REDRAWN_EVERY, can_redraw, print_line, redraw, redraw_until
from searchlab.model.formatting import duration, memory, rounded
from searchlab.model.limits import Limits, Progress
from searchlab.model.preparation import has_listener_here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DELAY = 0.5
"""Seconds before the progress of a search appears."""
EVERY = 10.0
"""Seconds between two lines if the output cannot be redrawn."""
DOT = " · "


@contextmanager
def shown_search(
    wanted: bool | Callable[[Progress], None] | None, limits: Limits | None
) -> Iterator[Callable[[Progress], None] | None]:
    """Show the progress of a search during the context.

    Args:
        wanted: True to show the progress; None to show it only in a notebook; or a function that receives it instead.
        limits: the limits of the search; the progress bar shows the used share.

    Yields:
        the function that the search calls with its progress, or None if nothing is shown.

    Raises:
        UsageError: `wanted` is none of these.
    """
    if callable(wanted):
        yield wanted
    elif not isinstance(wanted, bool | None):
        raise UsageError(f"progress is True, False or a function, not {shown(wanted)}")
    elif wanted or (wanted is None and _can_show()):
        display = SearchLine(limits or Limits())
        try:
            yield display
        finally:
            display.end()
    else:
        yield None


def _can_show() -> bool:
    """Return whether to show progress by default: in a notebook, if nothing around the search shows progress."""
    return in_notebook() and current_thread() is main_thread() and not has_listener_here()


class SearchLine:
    """A callback that shows the progress of a search in a line, until the search ends.

    A thread draws the line, because no callback is called during compilation and preparation. The first call starts the
    thread, so that a search that ends without a call needs no thread.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._began = time.perf_counter()
        self._latest, self._updated = Progress("starting"), self._began
        self._ended = Event()
        self._thread: Thread | None = None
        self._context = copy_context()  # ipykernel keeps the cell of an output in the context

    def __call__(self, progress: Progress) -> None:
        """Update the figures to be shown."""
        if progress.phase == "searching" or progress.phase != self._latest.phase:
            self._updated = time.perf_counter()
        self._latest = progress
        if self._thread is None:
            self._thread = Thread(target=self._context.run, args=(self._follow,), daemon=True)
            self._thread.start()

    def end(self) -> None:
        """Remove the line."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()

    def _follow(self) -> None:
        draw: Callable[[str], None] = redraw
        delay, every = DELAY, REDRAWN_EVERY
        if in_notebook():
            draw = self._draw_in_cell
        elif not can_redraw():
            draw, delay, every = _print_some, EVERY, EVERY
        redraw_until(self._ended, self._text, delay - (time.perf_counter() - self._began), draw=draw, every=every)

    def _draw_in_cell(self, text: str) -> None:
        cell_output().show([text] if text else [], progress_bar(share_of_limits(self._latest, self._limits)))

    def _text(self) -> str:
        latest, elapsed = self._latest, time.perf_counter() - self._updated
        return DOT.join(progress_figures(latest, latest.seconds + elapsed, self._limits))


def _print_some(text: str) -> None:
    if text:
        print_line(text)


def share_of_limits(progress: Progress, limits: Limits) -> float | None:
    """Return the share of the work or of the limits that is done or used, whichever is larger; None if unknown.

    >>> share_of_limits(Progress("searching", seconds=2.0, expanded=900), Limits(seconds=10, expansions=1_000))
    0.9
    """
    if progress.phase != "searching":
        return None
    taken = [
        (progress.seconds, limits.seconds),
        (progress.expanded, limits.expansions),
        (progress.bytes, limits.memory),
        (progress.expanded, progress.states),
    ]
    return max((min(1.0, figure / limit) for figure, limit in taken if limit and isfinite(limit)), default=None)


def progress_figures(progress: Progress, seconds: float, limits: Limits) -> list[str]:
    """Return the figures of a search that has run for a number of seconds."""
    if progress.phase == "compiling":
        return [f"compiling … {duration(max(1, int(seconds)))} (first time only)"]
    if progress.phase != "searching":
        return [f"{progress.phase} {seconds:.1f} s"]
    limit = f" of {duration(limits.seconds)}" if isfinite(limits.seconds) else ""
    states = f" of {rounded(progress.states)} states" if progress.states else ""
    figures = [f"{seconds:.1f} s{limit}", f"{rounded(progress.expanded)}{states} expanded"]
    if progress.seconds > 0:
        figures.append(f"{rounded(progress.expanded / progress.seconds)}/s")
    figures.append(f"{rounded(progress.open)} open")
    if progress.best is not None:
        figures.append(f"best h {progress.best:.3g}" if abs(progress.best) < 1000 else f"best h {progress.best:,.0f}")
    return [*figures, memory(progress.bytes)]
