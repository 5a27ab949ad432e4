"""Running an experiment: its matrix, a store in a folder, an executor, and the coordinator between them."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.errors import PluginError, UsageError, did_you_mean
from searchlab.errors.interrupts import told_of_ctrl_c
from searchlab.experiments.coordinator import EXECUTOR, Coordinator
from searchlab.experiments.hands import share_of_memory
from searchlab.experiments.kinds import GAMES, SEARCHES
from searchlab.experiments.messages import Setup
from searchlab.experiments.performing import end_hands
from searchlab.experiments.processes import import_path
from searchlab.experiments.store import Store
from searchlab.files import write
from searchlab.model.run_info import RunningExperiment
from searchlab.plugins.registry import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    import pandas as pd

    from searchlab.experiments.coordinator import State
    from searchlab.experiments.matrix import Matrix
    from searchlab.experiments.spec import Experiment
    from searchlab.plugins.registry import Plugins

RESULTS = Path("results")
SPECIFICATION = "experiment.json"


def run(
    experiment: Experiment | str | Path,
    *,
    folder: str | Path | None = None,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    plugins: Plugins | None = None,
) -> pd.DataFrame:
    """Run an experiment, or what is left of it, and return its results; for their columns see `searchlab.load_results`.

    Args:
        experiment: one, or the path of an experiment file.
        folder: of the results; by default `results/NAME`.
        executor: what does the runs, by name.
        workers: how many runs are done at once; by default as many as there are cores.
        retry: statuses of runs that are tried again.
        plugins: where names are looked up; without it the installed plugins.

    Raises:
        UsageError: the experiment makes no sense, the folder cannot be written, or another process writes it.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    from searchlab.experiments.matrix import matrix
    from searchlab.experiments.results import load_results
    from searchlab.experiments.spec import Experiment, read_experiment

    plugins = plugins or installed()
    said = experiment if isinstance(experiment, Experiment) else read_experiment(experiment)
    place = Path(folder) if folder else RESULTS / said.name
    carry_out(matrix(said, plugins), plugins, folder=place, executor=executor, workers=workers, retry=retry)
    return load_results(place)


def carry_out(
    matrix: Matrix,
    plugins: Plugins,
    *,
    folder: Path,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    watch: Callable[[State], None] = lambda _: None,
    tell: Callable[[str], None] = lambda _: None,
) -> State:
    """Do what is left of an experiment; return how far it came.

    Ctrl-C in the main thread lets the runs that are under way finish; a second raises KeyboardInterrupt at once.

    Args:
        matrix: of the experiment.
        plugins: those the matrix was made with; workers load the same.
        folder: of the results.
        executor: by name.
        workers: how many runs are done at once; by default as many as there are cores.
        retry: statuses that are tried again.
        watch: called a few times a second.
        tell: called with what is to be told of plugins.

    Raises:
        UsageError: the folder cannot be written, or there is no such executor or status.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    at_once, experiment = workers or cores(), matrix.experiment
    kind = GAMES if experiment.players else SEARCHES
    for status in retry:
        if status not in kind.statuses:
            raise UsageError(f"no run ends with status {status!r}: {did_you_mean(status, kind.statuses)}")
    with (
        Store(folder, writes=True, kind=kind) as store,
        _told(plugins, RunningExperiment(experiment.name, folder, len(matrix.runs))),
    ):
        _freeze(experiment, store)
        with _executor(executor, at_once, plugins) as pool:
            coordinator = Coordinator(
                matrix.runs,
                store,
                pool,
                setup_for(plugins, at_once),
                workers=_workers(pool, at_once),
                order_seed=experiment.order_seed,
                retry=retry,
                solutions=experiment.solutions,
                watch=watch,
                tell=tell,
            )
            with told_of_ctrl_c(coordinator.stop):
                return coordinator.run()


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def setup_for(plugins: Plugins, workers: int) -> Setup:
    """Return what workers need to know to load the same plugins."""
    return Setup(**plugins.settings, memory=share_of_memory(workers), path=import_path())


def _freeze(experiment: Experiment, store: Store) -> None:
    """Keep what the experiment is, beside the results and in them."""
    content = experiment.as_json()
    store.specify(content, datetime.now(UTC).isoformat(timespec="seconds"))
    file = store.folder / SPECIFICATION
    if not _holds(file, content.encode()):
        write(file, [content])


def _holds(file: Path, content: bytes) -> bool:
    """Return whether a file holds this; of any other not more is read than that takes."""
    try:
        return file.is_file() and file.stat().st_size == len(content) and file.read_bytes() == content
    except OSError:
        return False


@contextmanager
def _told(plugins: Plugins, experiment: RunningExperiment) -> Iterator[None]:
    """Tell plugins that an experiment begins, and that it is over, however it ended."""
    plugins.notify("experiment_started", experiment=experiment)
    try:
        yield
    finally:
        plugins.notify("experiment_finished", experiment=experiment)


@contextmanager
def _executor(name: str, workers: int, plugins: Plugins) -> Iterator[Any]:
    """Yield the executor of a name; afterwards nothing of it is left, however the context ends."""
    from searchlab.plugins import lookup as by_name

    pool = by_name.executor(name, plugins=plugins)(workers)
    try:
        yield pool
    except BaseException:
        with suppress(PluginError), EXECUTOR:  # the first error is the one to report
            pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        with EXECUTOR:
            pool.shutdown()
    finally:
        end_hands()


def _workers(pool: Any, default: int) -> int:
    """Return how many chunks an executor does at once."""
    with EXECUTOR:
        return max(1, int(getattr(pool, "workers", default)))
