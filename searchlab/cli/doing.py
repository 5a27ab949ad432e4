"""Doing the runs of an experiment, for the commands that make one: where results go, progress, and what is said."""

from __future__ import annotations

import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from searchlab.cli.figures import counted
from searchlab.cli.layout import folded, page_width
from searchlab.cli.messages import put, tell, warn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.experiments.coordinator import State
    from searchlab.experiments.matrix import Matrix
    from searchlab.plugins.registry import Plugins

INTERRUPTED = 130
CONTINUES = "the same command continues"

DRY_BOARDS = 1_000
"""A dry run generates no more boards than these of an entry."""

F = TypeVar("F", bound="Callable[..., Any] | click.Command")

_doing_options = (
    click.option(
        "--output", type=click.Path(path_type=Path), metavar="FOLDER", help="Where results go; by default results/NAME."
    ),
    click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Runs done at once; by default one a core."
    ),
    click.option("--executor", default="local", metavar="NAME", help="What does the runs: local (the default), dask."),
    click.option(
        "--retry", metavar="STATUS,…", default="", help="Do runs again that ended like this: error,time-limit."
    ),
    click.option("--dry-run", is_flag=True, help="Show what would be run, and what it would take."),
)


def doing_options(function: F) -> F:
    """Add the options that say how runs are done, and where their results go."""
    for option in reversed(_doing_options):
        function = option(function)
    return function


class Doing(NamedTuple):
    """How the runs of an experiment are done.

    Attributes:
        output: the folder of the results, None for that of the experiment's name.
        workers: how many are done at once, None for one a core.
        executor: what does them, by name.
        retry: statuses of runs that are done again, separated by commas.
    """

    output: Path | None
    workers: int | None
    executor: str
    retry: str

    def folder(self, made: Matrix) -> Path:
        """Return where results go."""
        from searchlab.experiments.running import RESULTS

        return self.output or RESULTS / made.experiment.name

    def describe(self, made: Matrix) -> None:
        """Print what would be done."""
        from searchlab.cli.dry_run import described
        from searchlab.experiments.running import cores

        for line in described(made, self.workers or cores()):
            put(line)

    def carry_out(self, made: Matrix, plugins: Plugins) -> State:
        """Do what is left of an experiment, and show how far it is; return how far it came."""
        from searchlab.cli.run_progress import run_progress
        from searchlab.experiments import running

        _tell_skipped(made)
        try:
            with run_progress() as watch:
                return running.carry_out(
                    made,
                    plugins,
                    folder=self.folder(made),
                    executor=self.executor,
                    workers=self.workers,
                    retry=[status.strip() for status in self.retry.split(",") if status.strip()],
                    watch=watch,
                    tell=warn,
                )
        except KeyboardInterrupt:
            tell(f"stopped, what was under way is lost; {CONTINUES}")
            raise


@contextmanager
def generating() -> Iterator[Callable[[int, int], None]]:
    """Yield what takes how many boards have been generated, and shows it where it takes a while."""
    from searchlab.cli.progress import REFRESHES, live_lines

    with live_lines() as show:
        shown = time.monotonic()

        def watch(made: int, of: int) -> None:
            nonlocal shown
            if time.monotonic() - shown >= 1 / REFRESHES:
                shown = time.monotonic()
                show(made / of, [f"{made:,} of {of:,} boards generated"])

        yield watch


def exit_code(state: State) -> int:
    """Return the exit code of a command that did runs."""
    return INTERRUPTED if state.stopping and state.kept + state.done < state.total else 0


def summary(state: State, what: str = "run") -> list[str]:
    """Return what is said in the end: how many runs are done, and how they ended."""
    from searchlab.cli.run_progress import statuses

    ended = state.kept + state.done
    left = state.total - ended
    said = [counted(ended, what)]
    said.append(f"{left:,} left ({CONTINUES})" if left else "all done")
    if state.kept:
        said.append(f"{state.kept:,} done before")
    pieces = [", ".join(said) + ":", *statuses(state).split(" · ")] if state.statuses else [", ".join(said)]
    return folded([pieces[0], " · ".join(pieces[1:])], page_width())


def _tell_skipped(made: Matrix) -> None:
    """Say in a line what makes no sense and is not run."""
    if made.skipped:
        count = sum(skipped.count for skipped in made.skipped)
        tell(f"skipped: {counted(count, 'combination')}; --dry-run says what and why")
