"""The scheduler: submit the runs of an experiment to an executor and add their records to the store.

Runs are submitted in small chunks that take a fraction of a second each, so that little is lost when the process is
killed, Ctrl-C is prompt, and no worker idles at the end. Runs that the store already holds are skipped.
"""

from __future__ import annotations

import random
import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from searchlab.board.board import Board
from searchlab.errors import (
    MachineError,
    PluginCode,
    PluginError,
    SearchlabError,
    UsageError,
    did_you_mean,
    in_one_line,
    with_type,
)
from searchlab.errors.caller import warn_caller
from searchlab.errors.interrupts import on_ctrl_c
from searchlab.experiments import machine
from searchlab.experiments.identities import are_among, as_array, packed
from searchlab.experiments.messages import Setup
from searchlab.experiments.parts import dealt, write_parts
from searchlab.experiments.preparation import prepare_tables
from searchlab.experiments.processes import import_path, own_code
from searchlab.experiments.progress import ExperimentState, shown_progress
from searchlab.experiments.repetitions import Repetitions, identities_of
from searchlab.experiments.requests import Request, board_digest
from searchlab.experiments.runs import GAMES, SEARCHES, RunList, RunRecord
from searchlab.experiments.store import FILE, Store
from searchlab.experiments.tables import board_text, load_results
from searchlab.experiments.worker_pool import end_workers, ended_outside, run_chunk, runs_under_way
from searchlab.files import write
from searchlab.model.formatting import counted, duration, memory
from searchlab.model.preparation import TableProgress, listening
from searchlab.model.run_info import ExperimentInfo
from searchlab.plugins import lookup
from searchlab.plugins.loading import current_folder
from searchlab.plugins.registry import given_or_installed
from searchlab.search.watch import cores, share_of_memory

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from concurrent.futures import Executor

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from searchlab.experiments.matrix import Matrix
    from searchlab.experiments.requests import Code, FullNames
    from searchlab.experiments.runs import Run, RunKind
    from searchlab.experiments.specification import Experiment
    from searchlab.model.preparation import Preparation
    from searchlab.plugins.registry import Plugins

RESULTS = Path("results")
SPECIFICATION = "experiment.json"
CHUNK_SECONDS = 0.3
"""The target duration of a chunk; a chunk has at least one run."""
LARGEST_CHUNK = 400
CHUNKS_PER_WORKER = 2
"""The number of chunks submitted ahead, so that a worker need not wait for the next."""
POLL_SECONDS = 0.1
COMMIT_SECONDS = 0.2
LOST_TIMES = 3
"""The number of times a run is submitted if the executor keeps losing it, before the others are done first."""
OTHER_CODE = (ImportError, AttributeError, TypeError)
"""What a worker raises that has no searchlab, or one without the function or with another form of its arguments."""
NOT_READ = "deserialization"
"""What dask's scheduler says in that case if it runs elsewhere."""
EXECUTOR = PluginCode(lambda error: PluginError(f"the executor failed: {in_one_line(error)}"), (SearchlabError,))
"""The context in which an executor is called."""


def run(
    experiment: Experiment | str | Path,
    *,
    folder: str | Path | None = None,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    pin: bool = False,
    progress: bool | Callable[[ExperimentState], None] | None = None,
    plugins: Plugins | None = None,
) -> pd.DataFrame:
    """Run an experiment, or the rest of it, and return the results; for their columns see `searchlab.load_results`.

    The results include only runs of this experiment. Other runs in the folder are omitted, such as runs of a heuristic
    before it was edited. At the end, a SearchlabWarning names each plugin that failed in a worker and each function
    that could not be compiled.

    Args:
        experiment: an experiment, or the path of an experiment file.
        folder: the folder of the results; by default `results/NAME`.
        executor: the name of the executor.
        workers: the number of simultaneous runs; by default the number of cores.
        retry: statuses of runs that are tried again.
        pin: whether each worker is bound to its own processor, so that times vary less.
        progress: whether to show the progress. By default it is shown on a terminal and in a notebook. True shows it
            elsewhere, too, as a line every ten seconds on standard error. A function is called with the state a few
            times a second.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Raises:
        UsageError: the experiment is invalid, the folder cannot be written, or another process writes to it.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    from searchlab.experiments.matrix import matrix
    from searchlab.experiments.specification import Experiment, read_experiment

    plugins = given_or_installed(plugins)
    if not isinstance(experiment, Experiment):
        experiment = read_experiment(experiment)
    place = Path(folder) if folder else RESULTS / experiment.name
    made = matrix(experiment, plugins)
    messages: list[str] = []
    skipped = [f"skipped: {counted(each.count, 'combination')}: {each.reason}" for each in made.skipped]
    with nullcontext(progress) if callable(progress) else shown_progress(progress, skipped=skipped) as on_progress:
        run_matrix(
            made,
            plugins,
            folder=place,
            executor=executor,
            workers=workers,
            retry=retry,
            pin=pin,
            on_progress=on_progress,
            report=messages.append,
        )
    for message in messages:  # only now: as an error, a warning would end the run
        warn_caller(message)
    return results_of(made, load_results(place))


def results_of(matrix: Matrix, results: pd.DataFrame) -> pd.DataFrame:
    """Return the results of an experiment's own runs from all results of a folder."""
    own = identities_of(RunList.of(matrix.runs), int(results["repetition"].max()) if len(results) else 1)
    is_own = are_among(as_array(packed(results["identity"])), as_array(own))
    return results[is_own].reset_index(drop=True)


def recorded_runs(matrix: Matrix, folder: Path, retry: Collection[str] = ()) -> int:
    """Return the number of runs of an experiment that are in a folder already and would not be repeated.

    Args:
        matrix: the matrix of the experiment.
        folder: the folder of the results; it need not exist.
        retry: statuses of runs that are tried again.

    Raises:
        UsageError: the results cannot be read, or are of the other kind; or there is no such status.
    """
    kind = kind_of(matrix.experiment, retry)
    if not (folder / FILE).is_file():
        return 0
    with Store(folder) as store:
        recorded = store.statuses()
        if recorded:
            store.check_takes(kind)
    codes = recorded.codes(RunList.of(matrix.runs).distinct().identities)
    return int((~recorded.left(codes, retry)).sum())


def plan_parts(matrix: Matrix, folder: Path, number: int, retry: Collection[str] = ()) -> list[int]:
    """Write lists of an experiment's remaining runs, one list for each part; return their lengths.

    The folder then holds the experiment with the numbers of its runs, as if it had been started.

    Args:
        matrix: the matrix of the experiment.
        folder: the folder of the results.
        number: the number of parts.
        retry: statuses of runs that are tried again.

    Raises:
        UsageError: there are fewer runs than parts, results of earlier parts are not merged, or the folder cannot be
            written.
        MachineError: the disk is full or fails.
    """
    with Store(folder, writes=True, kind=kind_of(matrix.experiment, retry)) as store:
        runs = RunList.of(matrix.runs).distinct()
        recorded = store.statuses()
        left = runs.those(recorded.left(recorded.codes(runs.identities), retry))
        if number > len(left):
            what = f"{counted(len(left), 'run')} {'is' if len(left) == 1 else 'are'} left"
            raise UsageError(f"--parts {number}: {what}{', and a part has one or more' if left else ''}")
        lists = dealt(left, number, matrix.experiment.order_seed)
        write_parts(folder, lists, recorded)
        _specify(matrix.experiment, store)
        numbers = store.number(runs.identities)
        store.request(_request(runs, matrix.code, matrix.full_names), numbers)
    return [len(each) for each in lists]


def kind_of(experiment: Experiment, retry: Collection[str]) -> RunKind:
    """Return the kind of an experiment's runs; raise a UsageError for a status that such runs do not have."""
    kind = GAMES if experiment.are_games else SEARCHES
    for status in retry:
        if status not in kind.statuses:
            raise UsageError(f"no run ends with status {status!r}: {did_you_mean(status, kind.statuses)}")
    return kind


def run_matrix(
    matrix: Matrix,
    plugins: Plugins,
    *,
    folder: Path,
    executor: str = "local",
    workers: int | None = None,
    retry: Collection[str] = (),
    part: Collection[str] | None = None,
    pin: bool = False,
    on_progress: Callable[[ExperimentState], None] = lambda _: None,
    report: Callable[[str], None] = lambda _: None,
) -> ExperimentState:
    """Do the remaining runs of an experiment; return the final state.

    Ctrl-C in the main thread lets the runs under way finish; a second Ctrl-C raises KeyboardInterrupt at once.

    Args:
        matrix: the matrix of the experiment.
        plugins: the plugins of the matrix; workers load the same.
        folder, executor, workers, on_progress, report: see `executing`.
        retry: statuses of runs that are tried again.
        part: the identities of the runs to be done; by default all.

    Raises:
        UsageError: the folder cannot be written, there is no such executor or status, or the experiment lacks runs of
            the part.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    kind_of(matrix.experiment, retry)
    if part is not None:
        matrix_of_part(matrix, part)  # raises an error for runs that the experiment lacks
    with executing(
        matrix.experiment,
        plugins,
        total=len(matrix.runs),
        folder=folder,
        executor=executor,
        workers=workers,
        pin=pin,
        on_progress=on_progress,
        report=report,
    ) as execute:
        return execute(matrix.runs, matrix.code, matrix.full_names, retry, part)


class Execute(Protocol):
    """A function that does the runs that are not recorded yet, and returns the final state.

    Args:
        runs: the runs.
        code, full_names: of the components, as for `Request`.
        retry: statuses of runs that are tried again.
        part: the identities of the runs to be done; by default all.
        on_record: called with each new record.
    """

    def __call__(  # noqa: D102 - described above
        self,
        runs: Sequence[Run],
        code: Code,
        full_names: FullNames,
        retry: Collection[str] = (),
        part: Collection[str] | None = None,
        on_record: Callable[[RunRecord], None] = lambda _: None,
    ) -> ExperimentState: ...


@contextmanager
def executing(
    experiment: Experiment,
    plugins: Plugins,
    *,
    total: int,
    folder: Path,
    executor: str = "local",
    workers: int | None = None,
    pin: bool = False,
    on_progress: Callable[[ExperimentState], None] = lambda _: None,
    report: Callable[[str], None] = lambda _: None,
) -> Iterator[Execute]:
    """Yield a function that does runs of an experiment and records them, with the same workers at each call.

    Args:
        experiment: the experiment.
        plugins: the plugins that names are looked up in; workers load the same.
        total: the number of runs that is reported to plugins.
        folder: the folder of the results.
        executor: the name of the executor.
        workers: the number of simultaneous runs; by default the number of cores.
        pin: whether each worker is bound to its own processor.
        on_progress: called with the state a few times a second.
        report: called with each message about plugins.

    Raises:
        UsageError: the folder cannot be written, or there is no such executor.
        MachineError: the disk is full, the folder is gone, or worker processes die.
    """
    at_once = min(workers, max(total, cores())) if workers else cores()  # more would share the memory for nothing
    kind, identifier = kind_of(experiment, ()), uuid4().hex
    if pin and executor == "local" and not machine.can_pin():
        raise UsageError(machine.CANNOT_PIN)
    with (
        # First of all: in a job whose tasks all run this command, only one of them gets past it.
        _executor(executor, at_once, plugins, identifier) as pool,
        Store(folder, writes=True, kind=kind) as store,
        _announced(plugins, ExperimentInfo(experiment.name, folder, total)),
        _setup(pool, at_once, plugins, identifier, pin=pin) as setup,
    ):
        _specify(experiment, store)

        def execute(
            runs: Sequence[Run],
            code: Code,
            full_names: FullNames,
            retry: Collection[str] = (),
            part: Collection[str] | None = None,
            on_record: Callable[[RunRecord], None] = lambda _: None,
        ) -> ExperimentState:
            scheduler = Scheduler(
                runs,
                store,
                pool,
                setup,
                workers=at_once,
                order_seed=experiment.order_seed,
                retry=retry,
                part=part,
                code=code,
                full_names=full_names,
                solutions=experiment.solutions,
                on_progress=on_progress,
                on_record=on_record,
                report=report,
            )
            scheduler.prepare_tables(plugins)
            with on_ctrl_c(scheduler.stop):
                return scheduler.run()

        yield execute


def matrix_of_part(matrix: Matrix, part: Collection[str]) -> Matrix:
    """Return the matrix of a part of an experiment.

    Args:
        part: the identities of its runs.

    Raises:
        UsageError: the experiment lacks some of them.
    """
    wanted = as_array(packed(part))
    missing = int((~are_among(wanted, as_array(RunList.of(matrix.runs).identities))).sum())
    if missing:
        what = (
            f"{counted(missing, 'run')} of this part {'has' if missing == 1 else 'have'} changed since --parts wrote it"
        )
        why = "the experiment, a board or a plugin was edited, or another version is installed"
        raise UsageError(f"{what} ({why}): repeat --parts")
    blocks = [replace(block, runs=_those_of(block.runs, wanted)) for block in matrix.blocks]
    return replace(
        matrix,
        runs=_those_of(matrix.runs, wanted),
        skipped=[],
        blocks=tuple(replace(block, skipped=[]) for block in blocks),
    )


def _those_of(runs: Sequence[Run], identities: NDArray[np.bytes_]) -> list[Run]:
    """Return the runs that have one of these identities."""
    all_runs = RunList.of(runs)
    return all_runs.those(are_among(as_array(all_runs.identities), identities))


@contextmanager
def _setup(pool: Any, workers: int, plugins: Plugins, identifier: str, *, pin: bool) -> Iterator[Setup]:
    """Yield the first message to workers, which makes them load the same plugins; end the workers after the context.

    Workers share the memory of a machine. If the executor does not set the memory of a run, each machine is assumed to
    be as large as this one.

    Args:
        pool: the executor.
        workers: the requested number of simultaneous runs.
        identifier: the experiment's identifier among those running at the same time.
        pin: whether each worker is bound to its own processor.
    """
    sharing = _number(pool, "workers_per_machine", _number(pool, "workers", workers))
    share = getattr(pool, "memory", None) or share_of_memory() // sharing
    try:
        yield Setup(
            **plugins.settings,
            memory=share,
            path=import_path(),
            folder=current_folder(),
            experiment=identifier,
            code=own_code() if hasattr(pool, "run_everywhere") else "",
            pin=pin,
        )
    finally:
        if hasattr(pool, "run_everywhere"):  # those of a running scheduler would stay with it
            with suppress(SearchlabError), EXECUTOR:
                pool.run_everywhere(partial(end_workers, identifier))


def _specify(experiment: Experiment, store: Store) -> None:
    """Write the specification of an experiment into the store, and into a file beside it."""
    content = experiment.as_json()
    store.specify(content, datetime.now(UTC).isoformat(timespec="seconds"))
    file = store.folder / SPECIFICATION
    if not _holds(file, content.encode()):
        write(file, [content])


def _holds(file: Path, content: bytes) -> bool:
    """Return whether a file has this content, without reading more than necessary."""
    try:
        return file.is_file() and file.stat().st_size == len(content) and file.read_bytes() == content
    except OSError:
        return False


def _request(runs: RunList, code: Code, full_names: FullNames) -> Request:
    """Return the request of an experiment, without its runs.

    Args:
        runs: the runs.
        code, full_names: see `Request`.
    """
    instances = {instance.name: instance for instance in runs.instances}.values()
    boards = {
        one.name: board_digest(board_text(Board(one.rows, signed=True), one.static) if one.rows else None)
        for one in instances
        if one.name
    }
    return Request(datetime.now(UTC).isoformat(timespec="milliseconds"), code, boards, full_names)


@contextmanager
def _announced(plugins: Plugins, experiment: ExperimentInfo) -> Iterator[None]:
    """Notify plugins of the beginning and the end of an experiment, whatever the outcome."""
    plugins.notify("experiment_started", experiment=experiment)
    try:
        yield
    finally:
        plugins.notify("experiment_finished", experiment=experiment)


@contextmanager
def _executor(name: str, workers: int, plugins: Plugins, identifier: str) -> Iterator[Any]:
    """Yield the executor of a name; after the context shut it down, and end the experiment's worker processes.

    Worker processes of experiments in other threads continue.
    """
    pool = lookup.executor(name, plugins=plugins)(workers)
    try:
        yield pool
    except BaseException:
        with suppress(SearchlabError), EXECUTOR:  # the first error is the one to report
            pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        with EXECUTOR:
            pool.shutdown()
    finally:
        end_workers(identifier)


def _number(pool: Any, name: str, default: int) -> int:
    """Return an attribute of an executor that is a number of simultaneous chunks."""
    with EXECUTOR:
        return max(1, int(getattr(pool, name, default)))


class _WorkerLost(Exception):
    """An executor raised an exception instead of returning the records of a chunk."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


class Scheduler:
    """Does the runs of an experiment that its store does not hold.

    Args:
        runs: all runs of the experiment.
        store: holds the records of finished runs, and receives the others.
        executor: runs `run_chunk`.
        setup: the first message to each worker.
        workers: the number of simultaneous chunks, unless the executor has another number.
        order_seed: the seed of the order of runs. The order is random so that a noisy minute affects all configurations
            alike.
        retry: statuses of runs that are tried again.
        part: the identities of the runs to be done; by default all.
        code, full_names: of the components, as for `Request`.
        solutions: whether the moves of solutions and games are recorded.
        on_progress: called with the state a few times a second.
        on_record: called with each new record once it is in the store.
        report: called once with each message about plugins.

    Attributes:
        state: the progress of the experiment.
    """

    def __init__(
        self,
        runs: Iterable[Run],
        store: Store,
        executor: Executor,
        setup: Setup,
        *,
        workers: int,
        order_seed: int = 1,
        retry: Collection[str] = (),
        part: Collection[str] | None = None,
        code: Code | None = None,
        full_names: FullNames | None = None,
        solutions: bool = True,
        on_progress: Callable[[ExperimentState], None] = lambda _: None,
        on_record: Callable[[RunRecord], None] = lambda _: None,
        report: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._on_record = on_record
        self._store, self._executor, self._setup = store, executor, setup
        self._workers, self._solutions, self._on_progress, self._report = workers, solutions, on_progress, report
        self._reported: set[str] = set()
        self._unnumbered: list[str] = []
        recorded = store.statuses()
        asked = RunList.of(runs).distinct()
        store.request(_request(asked, code or {}, full_names or {}), store.number(asked.identities))
        if part is not None:
            asked = RunList.of(_those_of(asked, as_array(packed(part))))
        self._repetitions = Repetitions(asked.repeated)
        if added := list(self._repetitions.added(recorded)):
            asked = RunList.of([*asked, *added])
        codes = recorded.codes(asked.identities)
        is_left = recorded.left(codes, retry)
        left = asked.those(is_left) + self._further_of_recorded(store, asked, retry)
        if left:
            store.check_can_add()
        random.Random(order_seed).shuffle(left)
        self._waiting = deque(left)
        self._records: list[RunRecord] = []
        self._committed = time.monotonic()
        self._mean_seconds = CHUNK_SECONDS
        self._lost: Counter[str] = Counter()
        self._given_up: dict[str, BaseException] = {}  # by the identity of a run: how its worker was lost the last time
        kept = recorded.counts(codes[~is_left])
        others = len(recorded) - int((codes >= 0).sum())
        self.state = ExperimentState(kept.total() + len(left), kept=kept.total(), statuses=kept, others=others)

    def _further_of_recorded(self, store: Store, asked: RunList, retry: Collection[str]) -> list[Run]:
        """Return further repetitions that recorded runs need."""
        runs = {run.identity: run for run in asked.repeated}
        if not runs:
            return []
        further: list[Run] = []
        for identities, statuses, times in store.columns(["identity", "status", "seconds"]):
            for identity, status, seconds in zip(identities, statuses, times, strict=True):
                if identity in runs and status not in retry:
                    further += self._repetitions.note(runs[identity], status, seconds)
        self._unnumbered += [run.identity for run in further]
        return further

    def stop(self) -> None:
        """Start no more runs, but finish runs under way."""
        self.state.stopping = True

    def prepare_tables(self, plugins: Plugins) -> None:
        """Build the tables that the remaining runs need; Ctrl-C stops this.

        Raises:
            PluginError: a table cannot be built.
            MachineError: a table cannot be kept for the workers.
        """

        def show(preparation: Preparation) -> None:
            if isinstance(preparation, TableProgress):
                self.state.table = preparation
                self._on_progress(self.state)

        with listening(show):
            prepare_tables((run for run in self._waiting if not run.instance.fault), plugins)
        self.state.table, self.state.began = None, time.monotonic()

    def run(self) -> ExperimentState:
        """Do the remaining runs; return the final state.

        Raises:
            SearchlabError: the workers cannot do them; earlier records are in the store.
        """
        submitted: dict[Future[tuple[list[RunRecord], list[str]]], tuple[list[Run], float]] = {}
        try:
            self._record_unreadable()
            self._warn_of_limits()
            while self._waiting or submitted:
                self._workers = _number(self._executor, "workers", self._workers)
                if self.state.stopping:
                    self._waiting.clear()
                    for future in list(submitted):
                        if future.cancel():
                            del submitted[future]
                while self._waiting and len(submitted) < CHUNKS_PER_WORKER * self._workers:
                    chunk = self._next_chunk()
                    with EXECUTOR:
                        future = self._executor.submit(run_chunk, self._setup, chunk, CHUNK_SECONDS)
                    submitted[future] = chunk, time.monotonic()
                with EXECUTOR:
                    done = wait(submitted, POLL_SECONDS, FIRST_COMPLETED).done
                    self.state.waits_for = getattr(self._executor, "check", str)()
                for future in done:
                    self._collect(future, *submitted.pop(future))
                self._commit(COMMIT_SECONDS)
                self.state.under_way = runs_under_way(self._setup.experiment)
                self._on_progress(self.state)
        finally:
            self._commit()
        if unsettled := self._repetitions.unsettled:
            what = "has a median time" if unsettled == 1 else "have median times"
            self._report(f"{counted(unsettled, 'run')} {what} with a wider interval than wanted, after 30 repetitions")
        self._on_progress(self.state)
        if self._given_up and not self.state.stopping:
            raise MachineError(
                f"{counted(len(self._given_up), 'run')} lost {LOST_TIMES} workers each, the last one by "
                f"{with_type(next(reversed(self._given_up.values())))}; once that is fixed, the same command continues"
            )
        return self.state

    def _record_unreadable(self) -> None:
        """Record an error for each run whose board could not be read."""
        readable: deque[Run] = deque()
        for run in self._waiting:
            if run.instance.fault:
                outcome = ended_outside(run, "error", run.instance.fault)
                self._add(RunRecord(run, outcome.cells, {}, "", outcome.finished, {}))
            else:
                readable.append(run)
        self._waiting = readable

    def _warn_of_limits(self) -> None:
        """Report runs that may need more memory than a worker has, or more time, so that they would never finish."""
        share = getattr(self._executor, "memory", None)
        largest = max((run.limits.memory or 0 for run in self._waiting), default=0)
        if share and largest > 2 * share:
            self._report(
                f"a run may take {memory(largest)}, but a job has {memory(2 * share)} for each of its runs: beyond "
                "that the batch system may end it; raise the memory of the job"
            )
        longest = float(getattr(self._executor, "longest_run", inf))
        if any(run.limits.seconds > longest for run in self._waiting):
            self._report(
                f"a run that takes more than {duration(longest)} is ended with the job that does it, and begins again "
                "in another one: set a time limit, or a longer walltime"
            )

    def _next_chunk(self) -> list[Run]:
        """Return the runs of a chunk that should take a fraction of a second, fewer towards the end."""
        fair = len(self._waiting) // (CHUNKS_PER_WORKER * self._workers) + 1
        size = max(1, min(LARGEST_CHUNK, fair, int(CHUNK_SECONDS / max(self._mean_seconds, 1e-4))))
        chunk = [self._waiting.popleft()]
        # A run whose worker was lost is submitted alone: it may be what takes workers down.
        is_alone = chunk[0].identity in self._lost
        while self._waiting and len(chunk) < size and not is_alone and self._waiting[0].identity not in self._lost:
            chunk.append(self._waiting.popleft())
        return chunk

    def _collect(self, future: Future[tuple[list[RunRecord], list[str]]], runs: list[Run], submitted_at: float) -> None:
        """Take the records of a chunk; runs that were not done wait again."""
        try:
            with PluginCode(_WorkerLost, (SearchlabError,)):
                records, problems = future.result()
        except _WorkerLost as lost:
            self._lose(runs, lost.error)
            return
        for problem in problems:
            if problem not in self._reported:
                self._reported.add(problem)
                self._report(problem)
        for record in records:
            self._add(record)
        if records:
            latest = (time.monotonic() - submitted_at) / CHUNKS_PER_WORKER / len(records)
            self._mean_seconds += 0.5 * (latest - self._mean_seconds)
        self._waiting.extend(runs[len(records) :])

    def _lose(self, runs: list[Run], error: BaseException) -> None:
        """Submit the runs of a chunk again if the worker was lost; after several losses give them up for now.

        They are never recorded as errors, because a batch system ends workers without any fault of the runs.
        """
        if self.state.waits_for and isinstance(error, CancelledError):  # all are lost, whatever they do
            self._waiting.extend(runs)
            return
        if isinstance(error, OTHER_CODE) or NOT_READ in str(error):
            from searchlab import __version__

            raise UsageError(
                f"a worker or its scheduler has no searchlab, or another version: {with_type(error)}; install "
                f"{__version__} there"
            ) from None
        self._report(f"a worker was lost ({with_type(error)}); its runs are repeated")
        self._mean_seconds = CHUNK_SECONDS
        for run in runs:
            self._lost[run.identity] += 1
            if self._lost[run.identity] < LOST_TIMES:
                self._waiting.append(run)
            else:
                self._given_up[run.identity] = error

    def _add(self, record: RunRecord) -> None:
        if not self._solutions:
            record = replace(record, cells={**record.cells, "actions": None})
        self._records.append(record)
        self.state.done += 1
        status = str(record.cells["status"])
        self.state.statuses[status] += 1
        further = self._repetitions.note(record.run, status, record.cells["seconds"])
        self._waiting.extend(further)
        self.state.total += len(further)
        self._unnumbered += [run.identity for run in further]

    def _commit(self, after: float = 0.0) -> None:
        """Write the records to the store, unless they were written less than `after` seconds ago."""
        if self._records and time.monotonic() - self._committed >= after:
            if self._unnumbered:
                self._store.number(packed(self._unnumbered))
                self._unnumbered = []
            records, self._records = self._records, []
            self._store.add(records)
            for record in records:
                self._on_record(record)
            self._committed = time.monotonic()
