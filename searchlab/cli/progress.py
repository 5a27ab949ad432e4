"""Progress displays: redrawn on a terminal, elsewhere a line every ten seconds."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.cli.formatting import duration, grouped, memory, rounded
from searchlab.cli.layout import cut, folded, shown_width
from searchlab.cli.output import page_width, tell
from searchlab.errors.control_characters import escaped, one_line
from searchlab.model.limits import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.experiments.scheduler import State
    from searchlab.games.learning.training import Training
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

SHOWN_RUNS = 4
STEADY = 2.0
"""Seconds after which the rate is worth telling how long it still takes."""
STOPPING = "stopping: what runs is finished (Ctrl-C again stops now)"

LOOKS_BACK = 50
"""Looks at a training over which its speed is taken."""


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
        return Text("\n".join(folded(search_figures(self._latest, seconds, self._limits), page_width(), SEPARATOR)))


def search_figures(progress: Progress, seconds: float, limits: Limits) -> list[str]:
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


@contextmanager
def generation_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield what takes how many boards have been generated, and shows it where it takes a while."""
    with live_lines() as show:
        shown = time.monotonic()

        def watch(made: int, of: int) -> None:
            nonlocal shown
            if time.monotonic() - shown >= 1 / REFRESHES:
                shown = time.monotonic()
                show(made / of, [f"{made:,} of {of:,} boards generated"])

        yield watch


@contextmanager
def run_progress() -> Iterator[Callable[[State], None]]:
    """Yield what takes the state of an experiment and shows it."""
    if not is_watched():
        yield RunLines()
        return
    from rich.console import Console
    from rich.live import Live

    display = RunDisplay()
    console = Console(stderr=True, highlight=False)
    with Live(get_renderable=display.picture, console=console, refresh_per_second=REFRESHES, transient=True):
        yield display


class RunLines:
    """A line on standard error every so often."""

    def __init__(self) -> None:
        self._told = time.monotonic()
        self._told_stopping = False

    def __call__(self, state: State) -> None:
        """Tell how far it is, if the last time is long ago, and once that Ctrl-C was heard."""
        now = time.monotonic()
        if state.stopping and not self._told_stopping:
            self._told_stopping = True
            tell(STOPPING)
        if now - self._told >= EVERY:
            self._told = now
            tell(f"{run_state(state, now)}; {status_counts(state)}")


class RunDisplay:
    """RunLines that are redrawn: how far it is, how runs ended, what is being done."""

    def __init__(self) -> None:
        self._state: State | None = None

    def __call__(self, state: State) -> None:
        """Take the newest state."""
        self._state = state

    def picture(self) -> Any:
        """Return the lines, no wider than the terminal."""
        from rich.text import Text

        if self._state is None:
            return Text("starting")
        state, now, width = self._state, time.monotonic(), page_width()
        done = (state.kept + state.done) / max(1, state.total)
        lines = [behind_bar(done, run_state(state, now), width), status_counts(state)]
        lines += [cut(f"{duration(now - one.since):>9}  {_named(one.run)}", width - 1) for one in _longest(state)]
        if state.stopping:
            lines.append(STOPPING)
        return Text("\n".join(cut(one_line(line), width - 1) for line in lines if line))


def run_state(state: State, now: float) -> str:
    """Return how far an experiment is, how fast, and how long still."""
    ended = state.kept + state.done
    said = f"{ended:,} of {state.total:,} runs"
    elapsed = now - state.began
    if state.done and elapsed > STEADY:
        rate = state.done / elapsed
        said += f", {rounded(rate) if rate >= 10 else f'{rate:.2g}'}/s"
        if ended < state.total and not state.stopping:
            said += f", about {duration((state.total - ended) / rate)} left"
    return said


def status_counts(state: State) -> str:
    """Return how many runs ended how."""
    return " · ".join(f"{status} {count:,}" for status, count in state.statuses.most_common())


def _longest(state: State) -> list[Any]:
    """Return what has been under way longest."""
    return sorted(state.under_way, key=lambda one: one.since)[:SHOWN_RUNS]


def _named(run: Any) -> str:
    """Return what a run is called: a game by its seed."""
    if run.player:
        names = [run.start.name, run.player, "" if run.seed is None else f"seed {run.seed}"]
    else:
        names = [run.start.name, run.heuristic, run.frontier]
    return " · ".join(filter(None, names))


@contextmanager
def train_progress(games: int) -> Iterator[Callable[[Training], None]]:
    """Yield a function that shows the progress of a training with this number of games."""
    with live_lines() as show:
        if is_watched():
            show(None, ["starting"])
        speed = TrainingSpeed()

        def watch(training: Training) -> None:
            show(min(training.curve.games, games) / games, training_lines(training, games, *speed.after(training)))

        yield watch


class TrainingSpeed:
    """The speed of a training, by wall time."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int, int]] = deque(maxlen=LOOKS_BACK)

    def after(self, training: Training) -> tuple[float, float]:
        """Return moves and games a second over the last looks, 0 before there are two."""
        look = time.monotonic(), training.moves, training.curve.games
        self._looks.append(look)
        seconds, moves, games = (now - before for now, before in zip(look, self._looks[0], strict=True))
        return (moves / seconds, games / seconds) if seconds > 0 else (0.0, 0.0)


def training_lines(training: Training, games: int, moves_per_second: float, games_per_second: float) -> list[str]:
    """Return lines with the progress of a training, its mean score, its speed and the time left."""
    ended = training.curve.games
    said = f"{ended:,} of {games:,} games"
    if games_per_second and ended < games:
        said += f", about {duration((games - ended) / games_per_second)} left"
    how_good = [f"mean score {grouped(round(training.curve.mean_score))}"] if ended else []
    how_fast = [f"{rounded(moves_per_second)} moves/s"] if moves_per_second else []
    return [said, " · ".join(how_good + how_fast)]
