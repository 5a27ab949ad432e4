"""The progress of an experiment: redrawn on a terminal or in a notebook, elsewhere a line every ten seconds."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from searchlab.compiler import notice
from searchlab.errors.control_characters import escaped, one_line
from searchlab.errors.notebook import CellOutput, in_notebook, progress_bar
from searchlab.errors.standard_error import can_redraw, print_line
from searchlab.model.formatting import counted, duration, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.experiments.worker_pool import CurrentRun
    from searchlab.model.preparation import TableProgress

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


@dataclass
class ExperimentState:
    """The progress of an experiment.

    Attributes:
        total: the number of runs.
        kept: the number of runs that were done before.
        done: the number of runs done now.
        statuses: the number of runs by status.
        under_way: the runs that this process's workers are doing; other machines are not included.
        began: the start, by `time.monotonic`.
        stopping: whether no more runs are started.
        table: the table that is being prepared before the runs; None once they may start.
        others: the number of runs in the folder that belong to other experiments.
        waits_for: the reason why the executor does no runs at present, `""` if it does.
    """

    total: int
    kept: int = 0
    done: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    under_way: list[CurrentRun] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)
    stopping: bool = False
    table: TableProgress | None = None
    others: int = 0
    waits_for: str = ""


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
    room = min(BAR, width - len(text) - 2)
    if room < SHORTEST_BAR:
        return text
    filled = int(room * done)
    return f"{'━' * filled}{'╌' * (room - filled)} {text}"


@contextmanager
def shown_progress(
    wanted: bool | None, *, skipped: Sequence[str] = (), tell: Callable[[str], None] = print_line
) -> Iterator[Callable[[ExperimentState], None]]:
    """Yield a callback that shows the progress of an experiment.

    Args:
        wanted: whether to show it; None to show it on a terminal and in a notebook only.
        skipped: lines about combinations that are not run, for a notebook.
        tell: prints a line if nothing can be redrawn.
    """
    if wanted is False:
        yield lambda _: None
    elif in_notebook():
        display = NotebookDisplay(skipped)
        try:
            yield display
        finally:
            display.finish()
    elif can_redraw():
        on_terminal = RunDisplay()
        with live_text(on_terminal.text):
            yield on_terminal
    else:
        yield RunLines(tell) if wanted else lambda _: None


class RunLines:
    """A callback that prints the progress of an experiment at intervals.

    Args:
        tell: prints a line.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._printed = time.monotonic()
        self._is_stopping = self._has_told_of_compiling = False
        self._waits_for = ""

    def __call__(self, state: ExperimentState) -> None:
        """Print the progress if it is due; print once that the experiment is stopping, or why it waits."""
        now = time.monotonic()
        if state.waits_for != self._waits_for:
            self._waits_for = state.waits_for
            if self._waits_for:
                self._tell(self._waits_for)
        if state.stopping and not self._is_stopping:
            self._is_stopping = True
            self._tell(STOPPING)
        if not self._has_told_of_compiling and (line := compile_line(state, notice.PATIENCE)):
            self._has_told_of_compiling = True
            self._tell(line)
        if now - self._printed >= EVERY:
            self._printed = now
            figures = "; ".join(filter(None, [run_figures(state, now), status_counts(state)]))
            self._tell(state.table.summary if state.table else figures)


def compile_line(state: ExperimentState, least: float = 0.0) -> str:
    """Return a line about the function that has been compiling longest, `""` if none has taken `least` seconds."""
    compiling = [(current.compile_seconds, current.compiling) for current in state.under_way]
    seconds, longest = max(compiling, key=lambda pair: pair[0], default=(0.0, None))
    return longest.summary(seconds) if longest and seconds >= least else ""


def table_line(table: TableProgress, width: int) -> str:
    """Return the progress of a table, after a bar if its share is known."""
    text = f"{table.summary}, {duration(table.seconds)}"
    return text if table.share is None else behind_bar(table.share, text, width)


class RunDisplay:
    """A callback that takes the state of an experiment, and the lines that show it."""

    def __init__(self) -> None:
        self._state: ExperimentState | None = None

    def __call__(self, state: ExperimentState) -> None:
        """Take the latest state."""
        self._state = state

    def text(self) -> str:
        """Return the progress, the counts of statuses and the runs under way for longest, in the terminal's width."""
        from shutil import get_terminal_size

        if self._state is None:
            return "starting"
        state, now, width = self._state, time.monotonic(), get_terminal_size().columns
        if state.table:
            return _cut(one_line(table_line(state.table, width)), width - 1)
        lines = [behind_bar(share_done(state), run_figures(state, now), width), status_counts(state)]
        longest = sorted(state.under_way, key=lambda current: current.since)[:SHOWN_RUNS]
        lines += [_line_under_way(current, now) for current in longest]
        lines.append(state.waits_for)
        if state.stopping:
            lines.append(STOPPING)
        return "\n".join(_cut(one_line(line), width - 1) for line in lines if line)


def _line_under_way(current: CurrentRun, now: float) -> str:
    """Return the duration and the name of a run under way, and the function that is compiled for it."""
    name, compiling = _run_name(current.run), current.compiling  # another thread changes it
    if compiling is None:
        return f"{duration(now - current.since):>9}  {name}"
    return f"{'':>9}  {name}{DOT}{compiling.summary(current.compile_seconds)}"


def _cut(line: str, width: int) -> str:
    """Return a line whose end is replaced by "…" if it is wider than `width`."""
    from rich.text import Text

    text = Text(line)
    text.truncate(width, overflow="ellipsis")
    return text.plain


class NotebookDisplay:
    """A callback that shows the progress of an experiment in a notebook's cell, and in the end the outcome.

    Args:
        skipped: lines about combinations that are not run.
    """

    def __init__(self, skipped: Sequence[str] = ()) -> None:
        self._skipped = skipped
        self._state: ExperimentState | None = None
        self._drawn = 0.0
        self._output = CellOutput()

    def __call__(self, state: ExperimentState) -> None:
        """Take the latest state, and show it if it is time."""
        self._state = state
        if time.monotonic() - self._drawn >= 1 / REFRESHES:
            self._drawn = time.monotonic()
            self._draw(ended=False)

    def finish(self) -> None:
        """Show the last state, which stays."""
        if self._state is not None:
            self._draw(ended=True)

    def _draw(self, *, ended: bool) -> None:
        assert self._state is not None
        lines = _lines_in_notebook(self._state, self._skipped, ended=ended)
        self._output.show(lines, "" if ended else progress_bar(share_done(self._state)))


def _lines_in_notebook(state: ExperimentState, skipped: Sequence[str], *, ended: bool) -> list[str]:
    """Return lines about the state, or in the end about the outcome."""
    now = time.monotonic()
    if ended:
        left = state.total - state.kept - state.done
        before = f", {state.kept:,} done before" if state.kept else ""
        rest = f"{left:,} left: run it again to continue" if left else "all done"
        first = f"{counted(state.kept + state.done, 'run')} in {duration(now - state.began)}{before}, {rest}"
    else:
        first = state.table.summary if state.table else run_figures(state, now)
    stopping = [STOPPING] if state.stopping and not ended else []
    compiling = "" if ended else compile_line(state)
    waits_for = "" if ended else state.waits_for
    return [first, *filter(None, [status_counts(state), compiling, waits_for]), *stopping, *skipped]


def share_done(state: ExperimentState) -> float:
    """Return the share that is done of the table that is being prepared, else of the runs, from 0 to 1."""
    if state.table:
        return state.table.share or 0.0
    return (state.kept + state.done) / max(1, state.total)


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
