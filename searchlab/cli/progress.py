"""How far something is, shown on the terminal while it runs; of a search once it has run for a moment."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack, contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.cli.figures import duration, memory, rounded
from searchlab.cli.layout import folded, page_width, shown_width
from searchlab.cli.messages import tell
from searchlab.errors.control_characters import escaped
from searchlab.model.limits import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.model.limits import Limits

DELAY = 0.3
"""Seconds a search has to run before it is worth a display."""
EVERY = 10.0
"""Seconds between two lines where there is no terminal."""
REFRESHES = 5
"""Times a second the display is drawn."""
SEPARATOR = " · "
BAR, SHORTEST_BAR = 24, 4
"""Characters of a bar, and of the shortest that is worth its room."""


@contextmanager
def live_progress(limits: Limits) -> Iterator[LiveDisplay | None]:
    """Show progress on standard error while the context lasts, if that is a terminal.

    Yields:
        what takes a search's progress, None where nothing is shown.
    """
    if not is_watched():
        yield None
        return
    display = LiveDisplay(limits)
    try:
        yield display
    finally:
        display.clear()


@contextmanager
def live_status() -> Iterator[Callable[[str], None]]:
    """Show a line with a spinner on standard error while the context lasts, if that is a terminal.

    Yields:
        what replaces the line; it appears with the first.
    """
    with ExitStack() as stack:
        status: Any = None

        def show(text: str) -> None:
            nonlocal status
            if not is_watched():
                return
            from rich.console import Console
            from rich.text import Text

            line = Text(escaped(text))
            if status:
                status.update(line)
            else:
                status = stack.enter_context(Console(stderr=True, highlight=False).status(line))

        yield show


@contextmanager
def live_lines() -> Iterator[Callable[[float | None, Sequence[str]], None]]:
    """Show lines on standard error that are redrawn while the context lasts; without a terminal, one every so often.

    Yields:
        what takes the share that is done, None before anything is, which only a terminal shows, and the lines.
    """
    if not is_watched():
        told = 0.0

        def tell_some(_: float | None, lines: Sequence[str]) -> None:
            nonlocal told
            told = told or time.monotonic()  # what comes before the first lines, compiling say, is nothing to tell of
            if time.monotonic() - told >= EVERY:
                told = time.monotonic()
                tell("; ".join(filter(None, lines)))

        yield tell_some
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    shown = ""

    def show(done: float | None, lines: Sequence[str]) -> None:
        nonlocal shown
        first, *others = lines
        shown = "\n".join([first if done is None else behind_bar(done, first, page_width()), *others])

    def picture() -> Text:
        return Text(escaped(shown), no_wrap=True, overflow="ellipsis")

    console = Console(stderr=True, highlight=False)
    with Live(get_renderable=picture, console=console, refresh_per_second=REFRESHES, transient=True):
        yield show


def behind_bar(done: float, text: str, width: int) -> str:
    """Return a text behind a bar that shows which share is done; it is shorter, or left out, where the page is narrow.

    >>> behind_bar(0.5, "5 of 10", 80)
    '━━━━━━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌ 5 of 10'
    >>> behind_bar(0.5, "5 of 10", 20)
    '━━━━━╌╌╌╌╌╌ 5 of 10'
    """
    room = min(BAR, width - shown_width(text) - 2)
    if room < SHORTEST_BAR:
        return text
    filled = int(room * done)
    return f"{'━' * filled}{'╌' * (room - filled)} {text}"


def is_watched() -> bool:
    """Return whether standard error is a terminal on which a line can be redrawn."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


class LiveDisplay:
    """One line that is redrawn until it is cleared, and then gone: a callback that takes a search's progress."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._latest = Progress("starting")
        self._began = self._updated = time.perf_counter()
        self._live: Any = None

    def __call__(self, progress: Progress) -> None:
        """Take the newest figures; once the search has run for a moment, or if it is compiled first, show them."""
        self._latest, self._updated = progress, time.perf_counter()
        if self._live is None and (progress.phase == "compiling" or self._updated - self._began > DELAY):
            self._show()

    def clear(self) -> None:
        """Take the line away, for other lines to be written; it comes back in a moment if there is progress."""
        if self._live is not None:
            self._live.stop()
        self._live, self._began = None, time.perf_counter()

    def _show(self) -> None:
        # Imported here, by the thread that searches: another would get to run only every few milliseconds.
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False)
        self._live = Live(get_renderable=self._line, console=console, refresh_per_second=REFRESHES, transient=True)
        self._live.start()

    def _line(self) -> Any:
        from rich.text import Text

        seconds = self._latest.seconds + time.perf_counter() - self._updated
        return Text("\n".join(folded(pieces(self._latest, seconds, self._limits), page_width(), SEPARATOR)))


def pieces(progress: Progress, seconds: float, limits: Limits) -> list[str]:
    """Return what the display says of a search that has run so long."""
    if progress.phase != "searching":
        return [f"{progress.phase} {seconds:.1f} s"]
    limit = f" of {duration(limits.seconds)}" if isfinite(limits.seconds) else ""
    said = [f"{seconds:.1f} s{limit}", f"{rounded(progress.expanded)} expanded"]
    if progress.seconds > 0:
        said.append(f"{rounded(progress.expanded / progress.seconds)}/s")
    said.append(f"{rounded(progress.open)} open")
    if progress.best is not None:
        said.append(f"best h {progress.best:.3g}" if abs(progress.best) < 1000 else f"best h {progress.best:,.0f}")
    return [*said, memory(progress.bytes)]
