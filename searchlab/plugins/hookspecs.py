"""Every hook a plugin can implement, in one place.

A plugin is a module (an entry point of group `searchlab`, or a file) that registers components by `searchlab.plugin`,
or implements any of these hooks and marks each with `@hookimpl`. Each hook is called on its own: one that fails is
reported and the others are unaffected. Some return what the plugin brings. The others are notified of something; one of
these that fails is not called again.
"""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from collections.abc import Iterable

    import click
    import pandas as pd

    from searchlab.model.domain import Domain
    from searchlab.model.extensions import Executor, Generator, Learner, Metric, Renderer
    from searchlab.model.report_section import ReportSection
    from searchlab.model.results import Result
    from searchlab.model.run_info import ExperimentInfo, RunInfo
    from searchlab.model.strategies import Frontier, Heuristic, Player

PROJECT = "searchlab"

hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a function as the implementation of the hook of the same name."""


@hookspec
def searchlab_domains() -> Iterable[Domain]:  # type: ignore[empty-body]
    """Return the domains this plugin brings."""


@hookspec
def searchlab_heuristics() -> Iterable[Heuristic]:  # type: ignore[empty-body]
    """Return the heuristics this plugin brings."""


@hookspec
def searchlab_frontiers() -> Iterable[Frontier]:  # type: ignore[empty-body]
    """Return the frontier strategies this plugin brings."""


@hookspec
def searchlab_players() -> Iterable[Player]:  # type: ignore[empty-body]
    """Return the players this plugin brings."""


@hookspec
def searchlab_generators() -> Iterable[Generator]:  # type: ignore[empty-body]
    """Return the generators of boards this plugin brings."""


@hookspec
def searchlab_executors() -> Iterable[Executor]:  # type: ignore[empty-body]
    """Return the executors this plugin brings: what does the runs of experiments."""


@hookspec
def searchlab_metrics() -> Iterable[Metric]:  # type: ignore[empty-body]
    """Return the metrics this plugin brings: further columns of a table of results."""


@hookspec
def searchlab_renderers() -> Iterable[Renderer]:  # type: ignore[empty-body]
    """Return the renderers of boards this plugin brings."""


@hookspec
def searchlab_learners() -> Iterable[Learner]:  # type: ignore[empty-body]
    """Return the learners this plugin brings: what learns a game by playing it."""


@hookspec
def searchlab_commands() -> Iterable[click.Command]:  # type: ignore[empty-body]
    """Return further commands for the command line; each appears as `searchlab NAME`."""


@hookspec
def searchlab_report_sections(results: pd.DataFrame) -> Iterable[ReportSection]:  # type: ignore[empty-body]
    """Return further sections for the report of an experiment.

    Args:
        results: its runs, as `searchlab.load_results` returns them: a copy.
    """


@hookspec
def searchlab_run_started(run: RunInfo) -> None:
    """Called before a search begins.

    Args:
        run: what is searched, and how.
    """


@hookspec
def searchlab_run_finished(run: RunInfo, result: Result) -> None:
    """Called after a search that ended in any way but with an error.

    Args:
        run: the same object that the hook got when it began.
        result: how it ended, its metrics included.
    """


@hookspec
def searchlab_run_failed(run: RunInfo, result: Result) -> None:
    """Called in place of `searchlab_run_finished` after a search that ended with an error.

    Args:
        run: the same object that the hook got when it began.
        result: of status `error`; its reason says what went wrong.
    """


@hookspec
def searchlab_experiment_started(experiment: ExperimentInfo) -> None:
    """Called before the first run of an experiment.

    Args:
        experiment: its name, folder and number of runs.
    """


@hookspec
def searchlab_experiment_finished(experiment: ExperimentInfo) -> None:
    """Called after the last run of an experiment.

    Args:
        experiment: the same object that the hook got when it began.
    """


HOOKS = tuple(name for name in globals() if name.startswith(f"{PROJECT}_"))
"""The names of all hooks."""
NOTIFICATIONS = tuple(name for name in HOOKS if signature(globals()[name]).return_annotation == "None")
"""The hooks that are notified of something: those that return nothing."""
