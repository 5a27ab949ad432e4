"""How far an experiment is: a bar and what is being done on a terminal, elsewhere a line every so often."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from searchlab.cli.figures import duration, rounded
from searchlab.cli.layout import page_width
from searchlab.cli.messages import tell
from searchlab.cli.progress import EVERY, REFRESHES, behind_bar, is_watched
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.experiments.coordinator import State

SHOWN_RUNS = 4
STEADY = 2.0
"""Seconds after which the rate is worth telling how long it still takes."""
STOPPING = "stopping: what runs is finished (Ctrl-C again stops now)"


@contextmanager
def run_progress() -> Iterator[Callable[[State], None]]:
    """Yield what takes the state of an experiment and shows it."""
    if not is_watched():
        yield Lines()
        return
    from rich.console import Console
    from rich.live import Live

    display = Display()
    console = Console(stderr=True, highlight=False)
    with Live(get_renderable=display.picture, console=console, refresh_per_second=REFRESHES, transient=True):
        yield display


class Lines:
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
            tell(f"{progress(state, now)}; {statuses(state)}")


class Display:
    """Lines that are redrawn: how far it is, how runs ended, what is being done."""

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
        lines = [behind_bar(done, progress(state, now), width), statuses(state)]
        lines += [_shortened(f"{duration(now - one.since):>9}  {_named(one.run)}", width) for one in _longest(state)]
        if state.stopping:
            lines.append(STOPPING)
        return Text("\n".join(_shortened(one_line(line), width) for line in lines if line))


def progress(state: State, now: float) -> str:
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


def statuses(state: State) -> str:
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


def _shortened(line: str, width: int) -> str:
    return line if len(line) < width else f"{line[: width - 2]}…"
