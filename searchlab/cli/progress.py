"""Progress displays on standard error: redrawn on a terminal, elsewhere a line every ten seconds or nothing."""

from __future__ import annotations

import time
from collections import deque
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import cache, partial
from math import isfinite
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from searchlab.cli.output import page_width, tell
from searchlab.errors.control_characters import escaped
from searchlab.errors.standard_error import can_redraw, redraw_until
from searchlab.experiments import progress as run_progress
from searchlab.experiments.progress import behind_bar, live_text
from searchlab.model.formatting import counted, duration, folded, memory, rounded, value
from searchlab.model.limits import Progress
from searchlab.model.preparation import CompileProgress, listening
from searchlab.search.progress import progress_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.games.learning.training import Training
    from searchlab.model.limits import Limits
    from searchlab.model.preparation import Preparation, TableProgress
    from searchlab.model.results import Improvement

DELAY = 0.3
"""The seconds a search runs before its display appears."""
NOTICE_GROWTH = 3
"""The growth of the time between two lines about a running search."""
DOT = " · "
SAMPLES = 50
"""Number of samples over which the speed of a training is measured."""


@contextmanager
def live_status() -> Iterator[Callable[[str], None]]:
    """Show a line with a spinner on standard error during the context, if that is a terminal.

    Compiling and preparing meanwhile are shown in place of the line.

    Yields:
        a function that replaces the line; the first call shows it.
    """
    with ExitStack() as stack:
        status: Any = None
        latest = ""

        def show(text: str) -> None:
            nonlocal latest
            latest = text
            draw(lambda: text)

        def show_preparation(preparation: Preparation) -> None:
            if not can_redraw():
                preparation_display()(preparation)
            elif (line := preparation_line(preparation)) is not None:
                draw(line)
            elif latest:
                draw(partial(str, latest))

        def draw(text: Callable[[], str]) -> None:
            nonlocal status
            if not can_redraw():
                return
            from rich.console import Console

            line = _redrawn(text)
            if status:
                status.update(line)
            else:
                status = stack.enter_context(Console(stderr=True, highlight=False).status(line))

        with listening(show_preparation):
            yield show


def preparation_line(preparation: Preparation) -> Callable[[], str] | None:
    """Return a function that returns the progress of a table or function being prepared, None when that is over."""
    if preparation.phase not in ("waiting", "building", "compiling"):
        return None
    if not isinstance(preparation, CompileProgress):
        return lambda: f"{preparation.summary}, {duration(preparation.seconds)}"
    began = time.monotonic()
    return lambda: preparation.summary(preparation.seconds + time.monotonic() - began)


def _redrawn(text: Callable[[], str]) -> Any:
    """Return a text that rich calls for whenever it draws."""
    from rich.text import Text

    class Redrawn:
        def __rich__(self) -> Text:
            return Text(escaped(text()))

    return Redrawn()


@contextmanager
def live_lines() -> Iterator[Callable[[float | None, Sequence[str]], None]]:
    """Show lines on standard error that are redrawn during the context; without a terminal, one line at intervals.

    Yields:
        a function that takes the share done and the lines; with the share None they are shown on a terminal only.
    """
    if not can_redraw():
        printed = 0.0

        def print_some(_: float | None, lines: Sequence[str]) -> None:
            nonlocal printed
            printed = printed or time.monotonic()  # the time before the first lines, compiling say, does not count
            if time.monotonic() - printed >= run_progress.EVERY:
                printed = time.monotonic()
                tell("; ".join(filter(None, lines)))

        yield print_some
        return
    shown = ""
    preparing: Callable[[], str] | None = None

    def show(done: float | None, lines: Sequence[str]) -> None:
        nonlocal shown
        first, *others = lines
        shown = "\n".join([first if done is None else behind_bar(done, first, page_width()), *others])

    def show_preparation(preparation: Preparation) -> None:
        nonlocal preparing
        preparing = preparation_line(preparation)

    with listening(show_preparation), live_text(lambda: preparing() if preparing else shown):
        yield show


@contextmanager
def evaluation_progress(*, piped: bool = False) -> Iterator[Callable[[Callable[[], str] | str], None]]:
    """Show on a terminal the current evaluation and its duration during the context; Ctrl-C prints it, too.

    Evaluations may keep other threads from running most of the time, so nothing large is imported for the line.

    Args:
        piped: whether to print a line every ten seconds if standard error is no terminal.

    Yields:
        a function that takes a description of the current evaluation, or a function that returns it: "heuristic h on
        2048/start".
    """
    display = EvaluationDisplay()
    _evaluations.append(display)
    ended = Event()
    on_terminal, thread = can_redraw(), None
    if on_terminal:
        thread = Thread(target=redraw_until, args=(ended, display.line, DELAY), daemon=True)
    elif piped:
        thread = Thread(target=_print_until, args=(ended, display.text), daemon=True)
    try:
        if thread is not None:
            thread.start()
        with listening(display.prepare) if on_terminal else nullcontext():
            yield display
    except KeyboardInterrupt as error:
        raise KeyboardInterrupt(display.text()) from error
    finally:
        ended.set()
        if thread is not None:
            thread.join()
        _evaluations.remove(display)


def _print_until(ended: Event, text: Callable[[], str]) -> None:
    """Print a line every ten seconds until an event."""
    while not ended.wait(run_progress.EVERY):
        tell(text())


_evaluations: list[EvaluationDisplay] = []


def evaluated_now() -> str:
    """Return the current evaluation of this process and its duration, or `""`; any thread may call this."""
    return _evaluations[-1].text() if _evaluations else ""


class EvaluationDisplay:
    """A callback that takes the current evaluation, and the line that shows it."""

    def __init__(self) -> None:
        self._what: Callable[[], str] | str = ""
        self._began = time.monotonic()
        self._preparing: Callable[[], str] | None = None

    def __call__(self, what: Callable[[], str] | str) -> None:
        """Set the current evaluation."""
        self._what, self._began = what, time.monotonic()

    def prepare(self, preparation: Preparation) -> None:
        """Set the function or table that is being compiled or built."""
        self._preparing = preparation_line(preparation)

    def text(self) -> str:
        """Return the current evaluation, with its duration from one second on."""
        what = self._what if isinstance(self._what, str) else self._what()
        seconds = int(time.monotonic() - self._began)
        return f"{what}, {duration(seconds)}" if what and seconds else what

    def line(self) -> str:
        """Return the same, or the function or table that is being compiled or built."""
        preparing = self._preparing  # another thread draws
        return preparing() if preparing else self.text()


@contextmanager
def search_progress(limits: Limits) -> Iterator[SearchDisplay | SearchNotices]:
    """Show the progress of a search on standard error while the context lasts: without a terminal, now and then.

    Yields:
        the callback that takes the search's progress.
    """
    if not can_redraw():
        with listening(preparation_display()):
            yield SearchNotices(limits)
        return
    display = SearchDisplay(limits)
    try:
        display.start()
        with listening(display.prepare):
            yield display
    finally:
        display.clear()


class ImprovementLines:
    """Prints a line for each improvement while the search goes on; of those in the first moment the last one alone."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def clear(self) -> None:
        """Remove what would be in the way of a line."""

    def improved(self, solution: Improvement) -> None:
        """Take a solution that is cheaper than those before it."""
        if solution.seconds < DELAY:
            self._held.clear()
        self._held.append(str(solution))

    def _print_held(self, progress: Progress) -> None:
        if self._held and progress.seconds > DELAY:
            lines, self._held = self._held, []
            self.clear()
            for line in lines:
                tell(line)


class SearchDisplay(ImprovementLines):
    """A callback that shows a search's progress in a line, until it is cleared.

    Before the first call, a heuristic may keep other threads from running most of the time, on the start board. A line
    by a separate thread, which imports nothing large, says so.
    """

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self._latest = Progress("starting")
        self._shown_since = self._updated = time.perf_counter()
        self._live: Any = None
        self._preparing: Callable[[], str] | None = None
        self._has_started = Event()
        self._starting: Thread | None = None

    def start(self) -> None:
        """Say on a terminal, after a moment, that the search is starting, until there is more to say."""
        self._starting = Thread(target=redraw_until, args=(self._has_started, self._text, DELAY), daemon=True)
        self._starting.start()

    def _end_start(self) -> None:
        self._has_started.set()
        if self._starting is not None:
            self._starting.join()
            self._starting = None

    def __call__(self, progress: Progress) -> None:
        """Take the latest figures; show them once the search has run for a moment."""
        self._latest, self._updated = progress, time.perf_counter()
        self._print_held(progress)
        if self._updated - self._shown_since > DELAY:
            self._show()

    def prepare(self, preparation: Preparation) -> None:
        """Show the function or table that is being compiled or built for the search."""
        self._preparing = preparation_line(preparation)
        if self._preparing:
            self._show()

    def _show(self) -> None:
        self._end_start()
        if self._live is None:
            self._live = live_text(self._text)
            self._live.start()

    def clear(self) -> None:
        """Remove the line, so that other lines can be written; further progress shows it again after a moment."""
        self._end_start()
        if self._live is not None:
            self._live.stop()
        self._live, self._shown_since = None, time.perf_counter()

    def _text(self) -> str:
        preparing = self._preparing  # another thread draws
        if preparing:
            return preparing()
        seconds = self._latest.seconds + time.perf_counter() - self._updated
        return "\n".join(folded(progress_figures(self._latest, seconds, self._limits), page_width(), DOT))


class SearchNotices(ImprovementLines):
    """A callback that says in a line that a search still runs: after ten seconds, and then at growing intervals."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self._limits = limits
        self._next = run_progress.EVERY

    def __call__(self, progress: Progress) -> None:
        """Take the latest figures."""
        self._print_held(progress)
        if progress.phase == "searching" and progress.seconds >= self._next:
            while self._next <= progress.seconds:
                self._next *= NOTICE_GROWTH
            tell(search_notice(progress, self._limits))


def search_notice(progress: Progress, limits: Limits) -> str:
    """Return a line about the progress and size of a search, and about ways to limit it."""
    limited = isfinite(limits.seconds)
    of = f" of {duration(limits.seconds)}" if limited else ""
    figures = f"{rounded(progress.expanded)} expanded, {memory(progress.bytes)} of memory held"
    missing = ["--time-limit"] * (not limited) + ["--memory-limit"] * (limits.memory is None)
    advice = f"; Ctrl-C ends it, {' and '.join(missing)} would limit it" if missing else "; Ctrl-C ends it"
    return f"still searching after {duration(progress.seconds)}{of}: {figures}{advice}"


@cache
def preparation_display() -> PreparationDisplay:
    """Return the display of tables and of the compiler that commands share."""
    return PreparationDisplay()


class PreparationDisplay:
    """A callback that shows the progress of a table: after a bar on a terminal, elsewhere in a line every ten seconds.

    Compiling is shown as by a `CompileNotice`, or in place of the table that needs it.
    """

    def __init__(self) -> None:
        self._live: Any = None
        self._latest: TableProgress | None = None
        self._compiling: Callable[[], str] | None = None
        self._printed: float | None = None

    def __call__(self, preparation: Preparation) -> None:
        """Take the latest figures."""
        if not isinstance(preparation, CompileProgress):
            self._take_table(preparation)
        elif self._live is not None:
            self._compiling = preparation_line(preparation)
        else:
            from searchlab.compiler.notice import notice

            notice(preparation)

    def _take_table(self, table: TableProgress) -> None:
        ended = table.phase in ("built", "failed")
        self._latest = table
        if can_redraw():
            self._redraw(ended=ended)
        elif not ended and table.seconds - (self._printed or 0.0) >= run_progress.EVERY:
            self._printed = table.seconds
            tell(table.summary)
        if ended and self._printed is not None:
            tell(f"{table.summary} after {duration(table.seconds)}")
        if ended:
            self._printed = None

    def _redraw(self, *, ended: bool) -> None:
        from rich.errors import LiveError

        if ended and self._live is not None:
            self._live.stop()
            self._live = None
        elif not ended and self._live is None:
            live = live_text(self._text)
            with suppress(LiveError):  # another display has the terminal
                live.start()
                self._live = live

    def _text(self) -> str:
        compiling = self._compiling  # another thread draws
        if compiling:
            return compiling()
        return run_progress.table_line(self._latest, page_width() - 1) if self._latest else ""


@contextmanager
def generation_progress() -> Iterator[Callable[[int, int, str], None]]:
    """Show the generation of boards during the context; without a terminal, in a line every ten seconds.

    Yields:
        a function that takes the number of boards made, the number of all, and what comes now:
        "waiting for generator shuffled with seed 7", or `""` after the last board.
    """
    with evaluation_progress(piped=True) as show:

        def watch(made: int, of: int, now: str) -> None:
            show(lambda: "; ".join(filter(None, (f"{made:,} of {counted(of, 'board')} generated", now))))

        yield watch


@contextmanager
def train_progress(games: int) -> Iterator[Callable[[Training], None]]:
    """Yield a callback that shows the progress of a training with this number of games."""
    with live_lines() as show:
        if can_redraw():
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
    if training.is_stopping:
        return ["stopping: a checkpoint is written; Ctrl-C again ends without it"]
    ended = training.curve.games
    figures = f"{ended:,} of {games:,} games"
    if games_per_second and ended < games:
        figures += f", about {duration((games - ended) / games_per_second)} left"
    score = [f"mean score {value(round(training.curve.mean_score))}"] if ended else []
    speed = [f"{rounded(moves_per_second)} moves/s"] if moves_per_second else []
    return [figures, DOT.join(score + speed)]
