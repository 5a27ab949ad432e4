"""All hooks that a plugin can implement.

A plugin is a module: an entry point of the group `searchlab`, or a file. It registers components with
`searchlab.plugin`, or implements hooks, each marked with `@hookimpl`. Hooks are called one by one; a failure is
reported and does not affect the others. Some hooks return components. The others are notifications; a notification that
fails is not called again.
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
    """Return the domains of this plugin."""


@hookspec
def searchlab_heuristics() -> Iterable[Heuristic]:  # type: ignore[empty-body]
    """Return the heuristics of this plugin."""


@hookspec
def searchlab_frontiers() -> Iterable[Frontier]:  # type: ignore[empty-body]
    """Return the frontier strategies of this plugin."""


@hookspec
def searchlab_players() -> Iterable[Player]:  # type: ignore[empty-body]
    """Return the players of this plugin."""


@hookspec
def searchlab_generators() -> Iterable[Generator]:  # type: ignore[empty-body]
    """Return the generators of boards of this plugin."""


@hookspec
def searchlab_executors() -> Iterable[Executor]:  # type: ignore[empty-body]
    """Return the executors of this plugin, which carry out the runs of experiments."""


@hookspec
def searchlab_metrics() -> Iterable[Metric]:  # type: ignore[empty-body]
    """Return the metrics of this plugin: further columns of a table of results."""


@hookspec
def searchlab_renderers() -> Iterable[Renderer]:  # type: ignore[empty-body]
    """Return the renderers of boards of this plugin."""


@hookspec
def searchlab_learners() -> Iterable[Learner]:  # type: ignore[empty-body]
    """Return the learners of this plugin, which learn a game by playing it."""


@hookspec
def searchlab_commands() -> Iterable[click.Command]:  # type: ignore[empty-body]
    """Return further commands for the command line; each appears as `searchlab NAME`."""


@hookspec
def searchlab_report_sections(results: pd.DataFrame) -> Iterable[ReportSection]:  # type: ignore[empty-body]
    """Return further sections for the report of an experiment.

    Args:
        results: a copy of the runs, as `searchlab.load_results` returns them.
    """


@hookspec
def searchlab_run_started(run: RunInfo) -> None:
    """Called before a search begins.

    Args:
        run: the description of the search.
    """


@hookspec
def searchlab_run_finished(run: RunInfo, result: Result) -> None:
    """Called after a search with any outcome except an error.

    Args:
        run: the object that `searchlab_run_started` got.
        result: the result, including metrics.
    """


@hookspec
def searchlab_run_failed(run: RunInfo, result: Result) -> None:
    """Called in place of `searchlab_run_finished` after a search that ended with an error.

    Args:
        run: the object that `searchlab_run_started` got.
        result: the result with the status `error`, and the error as its reason.
    """


@hookspec
def searchlab_experiment_started(experiment: ExperimentInfo) -> None:
    """Called before the first run of an experiment.

    Args:
        experiment: the name, the folder and the number of runs.
    """


@hookspec
def searchlab_experiment_finished(experiment: ExperimentInfo) -> None:
    """Called after the last run of an experiment.

    Args:
        experiment: the object that `searchlab_experiment_started` got.
    """


HOOKS = tuple(name for name in globals() if name.startswith(f"{PROJECT}_"))
"""The names of all hooks."""
NOTIFICATIONS = tuple(name for name in HOOKS if signature(globals()[name]).return_annotation == "None")
"""The hooks for notifications: those without a return value."""
