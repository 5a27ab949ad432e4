"""Progress displays on standard error: redrawn on a terminal, elsewhere a line every ten seconds or nothing."""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from contextlib import ExitStack, contextmanager
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.cli.layout import cut, shown_width
from searchlab.cli.output import page_width, tell
from searchlab.errors.control_characters import escaped, one_line
from searchlab.model.formatting import duration, folded, grouped, memory, rounded
from searchlab.model.limits import Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.experiments.scheduler import ExperimentState
    from searchlab.games.learning.training import Training
    from searchlab.model.limits import Limits

DELAY = 0.3
"""Seconds a search runs before its display appears."""
EVERY = 10.0
"""Seconds between two lines without a terminal."""
REFRESHES = 5
"""Redraws a second."""
DOT = " · "
BAR, SHORTEST_BAR = 24, 4
"""Width of a bar, and the smallest width at which it is shown."""
SHOWN_RUNS = 4
"""Number of runs under way that are shown."""
STEADY = 2.0
"""Seconds after which the rate of runs is used to estimate the time left."""
STOPPING = "stopping: what runs is finished (Ctrl-C again stops now)"
SAMPLES = 50
"""Number of samples over which the speed of a training is measured."""


def is_watched() -> bool:
    """Return whether standard error is a terminal on which a line can be redrawn."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def live_text(text: Callable[[], str]) -> Any:
    """Return a `rich.live.Live` that redraws a text on standard error until it is stopped, and then removes it.

    Args:
        text: returns the current text, lines no longer than the terminal; called in another thread.
    """
    # Imported here, by the thread that works: another would get to run only every few milliseconds.
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    def picture() -> Text:
        return Text(escaped(text()), no_wrap=True, overflow="ellipsis")

    console = Console(stderr=True, highlight=False)
    return Live(get_renderable=picture, console=console, refresh_per_second=REFRESHES, transient=True)


def behind_bar(done: float, text: str, width: int) -> str:
    """Return a text behind a bar of which the share `done` is filled; on a narrow page it is shorter or left out.

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


@contextmanager
def live_status() -> Iterator[Callable[[str], None]]:
    """Show a line with a spinner on standard error while the context lasts, if that is a terminal.

    Yields:
        a function that replaces the line; the first call shows it.
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
        a function that takes the share done and the lines; the share None shows them on a terminal only.
    """
    if not is_watched():
        printed = 0.0

        def print_some(_: float | None, lines: Sequence[str]) -> None:
            nonlocal printed
            printed = printed or time.monotonic()  # the time before the first lines, compiling say, does not count
            if time.monotonic() - printed >= EVERY:
                printed = time.monotonic()
                tell("; ".join(filter(None, lines)))

        yield print_some
        return
    shown = ""

    def show(done: float | None, lines: Sequence[str]) -> None:
        nonlocal shown
        first, *others = lines
        shown = "\n".join([first if done is None else behind_bar(done, first, page_width()), *others])

    with live_text(lambda: shown):
        yield show


@contextmanager
def search_progress(limits: Limits) -> Iterator[SearchDisplay | None]:
    """Show the progress of a search on standard error while the context lasts, if that is a terminal.

    Yields:
        the callback that takes the search's progress; None where nothing is shown.
    """
    if not is_watched():
        yield None
        return
    display = SearchDisplay(limits)
    try:
        yield display
    finally:
        display.clear()


class SearchDisplay:
    """A callback that shows a search's progress in a line, until it is cleared."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._latest = Progress("starting")
        self._began = self._updated = time.perf_counter()
        self._live: Any = None

    def __call__(self, progress: Progress) -> None:
        """Take the latest figures; show them once the search has run for a moment, or while it is compiled."""
        self._latest, self._updated = progress, time.perf_counter()
        if self._live is None and (progress.phase == "compiling" or self._updated - self._began > DELAY):
            self._live = live_text(self._text)
            self._live.start()

    def clear(self) -> None:
        """Remove the line, so that other lines can be written; further progress shows it again after a moment."""
        if self._live is not None:
            self._live.stop()
        self._live, self._began = None, time.perf_counter()

    def _text(self) -> str:
        seconds = self._latest.seconds + time.perf_counter() - self._updated
        return "\n".join(folded(search_figures(self._latest, seconds, self._limits), page_width(), DOT))


def search_figures(progress: Progress, seconds: float, limits: Limits) -> list[str]:
    """Return the figures of a search that has run for a number of seconds."""
    if progress.phase != "searching":
        return [f"{progress.phase} {seconds:.1f} s"]
    limit = f" of {duration(limits.seconds)}" if isfinite(limits.seconds) else ""
    figures = [f"{seconds:.1f} s{limit}", f"{rounded(progress.expanded)} expanded"]
    if progress.seconds > 0:
        figures.append(f"{rounded(progress.expanded / progress.seconds)}/s")
    figures.append(f"{rounded(progress.open)} open")
    if progress.best is not None:
        figures.append(f"best h {progress.best:.3g}" if abs(progress.best) < 1000 else f"best h {progress.best:,.0f}")
    return [*figures, memory(progress.bytes)]


@contextmanager
def generation_progress() -> Iterator[Callable[[int, int], None]]:
    """Yield a function that shows the number of boards generated, of how many."""
    with live_lines() as show:
        shown = time.monotonic()

        def watch(made: int, of: int) -> None:
            nonlocal shown
            if time.monotonic() - shown >= 1 / REFRESHES:
                shown = time.monotonic()
                show(made / of, [f"{made:,} of {of:,} boards generated"])

        yield watch


@contextmanager
def run_progress() -> Iterator[Callable[[ExperimentState], None]]:
    """Yield a callback that shows the progress of an experiment."""
    if not is_watched():
        yield RunLines()
        return
    display = RunDisplay()
    with live_text(display.text):
        yield display


class RunLines:
    """A callback that prints the progress of an experiment every so often."""

    def __init__(self) -> None:
        self._printed = time.monotonic()
        self._is_stopping = False

    def __call__(self, state: ExperimentState) -> None:
        """Print the progress if it is time, and once that the experiment is stopping."""
        now = time.monotonic()
        if state.stopping and not self._is_stopping:
            self._is_stopping = True
            tell(STOPPING)
        if now - self._printed >= EVERY:
            self._printed = now
            tell(f"{run_figures(state, now)}; {status_counts(state)}")


class RunDisplay:
    """A callback that takes the state of an experiment, and the lines that show it."""

    def __init__(self) -> None:
        self._state: ExperimentState | None = None

    def __call__(self, state: ExperimentState) -> None:
        """Take the latest state."""
        self._state = state

    def text(self) -> str:
        """Return the progress, the counts of statuses and the runs under way for longest, in the terminal's width."""
        if self._state is None:
            return "starting"
        state, now, width = self._state, time.monotonic(), page_width()
        done = (state.kept + state.done) / max(1, state.total)
        lines = [behind_bar(done, run_figures(state, now), width), status_counts(state)]
        longest = sorted(state.under_way, key=lambda current: current.since)[:SHOWN_RUNS]
        lines += [
            cut(f"{duration(now - current.since):>9}  {_run_name(current.run)}", width - 1) for current in longest
        ]
        if state.stopping:
            lines.append(STOPPING)
        return "\n".join(cut(one_line(line), width - 1) for line in lines if line)


def run_figures(state: ExperimentState, now: float) -> str:
    """Return the number of runs done, their rate and an estimate of the time left."""
    ended = state.kept + state.done
    figures = f"{ended:,} of {state.total:,} runs"
    elapsed = now - state.began
    if state.done and elapsed > STEADY:
        rate = state.done / elapsed
        figures += f", {rounded(rate) if rate >= 10 else f'{rate:.2g}'}/s"
        if ended < state.total and not state.stopping:
            figures += f", about {duration((state.total - ended) / rate)} left"
    return figures


def status_counts(state: ExperimentState) -> str:
    """Return each status with its number of runs, the most frequent first."""
    return DOT.join(f"{status} {count:,}" for status, count in state.statuses.most_common())


def _run_name(run: Any) -> str:
    seed = f"seed {run.seed}" if "player" in run.parts and run.seed is not None else ""
    names = [run.instance.name, *(name for kind, name in run.parts.items() if kind != "domain"), seed]
    return DOT.join(filter(None, names))


@contextmanager
def train_progress(games: int) -> Iterator[Callable[[Training], None]]:
    """Yield a callback that shows the progress of a training with this number of games."""
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
        self._samples: deque[tuple[float, int, int]] = deque(maxlen=SAMPLES)

    def after(self, training: Training) -> tuple[float, float]:
        """Return moves and games a second over the last samples, 0 before there are two."""
        sample = time.monotonic(), training.moves, training.curve.games
        self._samples.append(sample)
        seconds, moves, games = (now - before for now, before in zip(sample, self._samples[0], strict=True))
        return (moves / seconds, games / seconds) if seconds > 0 else (0.0, 0.0)


def training_lines(training: Training, games: int, moves_per_second: float, games_per_second: float) -> list[str]:
    """Return lines with the progress of a training, its mean score, its speed and the time left."""
    ended = training.curve.games
    figures = f"{ended:,} of {games:,} games"
    if games_per_second and ended < games:
        figures += f", about {duration((games - ended) / games_per_second)} left"
    score = [f"mean score {grouped(round(training.curve.mean_score))}"] if ended else []
    speed = [f"{rounded(moves_per_second)} moves/s"] if moves_per_second else []
    return [figures, DOT.join(score + speed)]
