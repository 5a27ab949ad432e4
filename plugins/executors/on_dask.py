"""The dask executor: the workers of a dask.distributed scheduler, of a named cluster, or of this machine."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from searchlab import MachineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab_plugins.executors.clusters import NamedCluster

CONNECT_SECONDS = 10
"""Seconds within which a scheduler must answer, and after which dask gives up on a lost connection."""
FILE_SECONDS = 30.0
"""Seconds within which a scheduler file must exist and be complete: a shared file system may show it late."""
LONGEST_WAIT = 10.0
"""Seconds without any worker, or without an answer, before this is reported."""
ASK_EVERY = 1.0
"""Seconds between two requests for the list of workers."""
LOGS = [logging.getLogger(name) for name in ("distributed.client", "tornado.application", "asyncio")]
"""Loggers that print tracebacks of a lost connection; `DaskExecutor.check` reports it in one line instead."""
SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable that keeps Python from importing modules from the current folder."""
NEEDS_DASK = "the executor dask needs dask.distributed: pip install distributed"


def connected(
    workers: int, address: str = "", scheduler_file: str = "", cluster: str = "", config: str = "", runner: str = ""
) -> DaskExecutor:
    """Return an executor that carries out runs on dask workers.

    Args:
        workers: the number of processes of a cluster on this machine.
        address: the address of a running scheduler, like tcp://host:8786.
        scheduler_file: the file that a running scheduler has written.
        cluster: the name of a cluster, see `clusters.CLASSES`.
        config: the TOML file of the cluster.
        runner: `slurm` in a Slurm job in which every task runs this command.

    Raises:
        UsageError: dask is not installed, a parameter is invalid, or there is no scheduler.
    """
    dask = _library(address, scheduler_file, cluster, config, runner)
    if cluster:
        from searchlab_plugins.executors.clusters import NamedCluster

        with ExitStack() as closing:
            if cluster == "local":
                closing.enter_context(_safe_path())
            named = NamedCluster(cluster, Path(config) if config else None, workers)
            closing.callback(named.close)
            client = dask.Client(named.cluster)
            return DaskExecutor(client, f"cluster {cluster}", named=named, closing=closing.pop_all())
    if runner:
        from searchlab_plugins.executors.slurm_runner import remove_keys, slurm_runner

        address, security, keys = slurm_runner()
        client = dask.Client(address, security=security, timeout=CONNECT_SECONDS)
        closing = ExitStack()
        closing.callback(remove_keys, keys)
        closing.callback(client.shutdown)  # ends the processes of the scheduler and the workers
        return DaskExecutor(client, "the scheduler of the job", closing=closing)
    if not address and not scheduler_file:
        with ExitStack() as closing:
            closing.enter_context(_safe_path())
            local = dask.LocalCluster(
                n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
            )
            closing.callback(local.close)
            return DaskExecutor(dask.Client(local), closing=closing.pop_all())
    if scheduler_file:
        address = _address_in(Path(scheduler_file))
    try:
        client = dask.Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        where = f" (named by {scheduler_file})" if scheduler_file else ""
        raise UsageError(f"no dask scheduler at {address}{where}: {error}") from None
    return DaskExecutor(client, f"the dask scheduler at {address}")


def preview(
    workers: int, address: str = "", scheduler_file: str = "", cluster: str = "", config: str = "", runner: str = ""
) -> str:
    """Return the script of a job of a named cluster, or `""` for other executors; arguments as for `connected`.

    Raises:
        UsageError: dask is not installed, or a parameter is invalid.
    """
    _library(address, scheduler_file, cluster, config, runner)
    if not cluster:
        return ""
    from searchlab_plugins.executors.clusters import NamedCluster

    named = NamedCluster(cluster, Path(config) if config else None, workers)
    try:
        return named.described()
    finally:
        named.close()


def _library(address: str, scheduler_file: str, cluster: str, config: str, runner: str) -> Any:
    """Check that the parameters go together, and return the module `distributed`, which is only partly typed."""
    given = {"address": address, "scheduler_file": scheduler_file, "cluster": cluster, "runner": runner}
    named = [name for name, value in given.items() if value]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} exclude each other")
    if config and not cluster:
        raise UsageError("config=FILE describes a cluster: give cluster=NAME as well")
    if runner not in ("", "slurm"):
        raise UsageError(f"runner is slurm, not {runner!r}")
    try:
        import distributed
    except ImportError:
        raise UsageError(NEEDS_DASK) from None
    return distributed


@contextmanager
def _safe_path() -> Iterator[None]:
    """Set PYTHONSAFEPATH while a cluster runs on this machine.

    The processes of the cluster inherit the variable, and so do processes that replace dead ones. Without it, Python
    would put the current folder first on `sys.path`, and they would import modules from there.
    """
    before = os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = before or "1"
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(SAFE_PATH, None)
        else:
            os.environ[SAFE_PATH] = before


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file, once it is complete.

    Raises:
        UsageError: the file is not complete within `FILE_SECONDS`.
    """
    import json

    ends, wrong = time.monotonic() + FILE_SECONDS, ""
    while True:
        try:
            return str(json.loads(file.read_bytes())["address"])
        except FileNotFoundError:
            wrong = f"start one with: dask scheduler --scheduler-file {file}"
        except OSError as error:
            raise UsageError(f"the scheduler file {file} cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError):
            wrong = "the file holds no address"
        if time.monotonic() > ends:
            raise UsageError(f"no dask scheduler by the file {file} within {FILE_SECONDS:g} s: {wrong}")
        time.sleep(0.1)


class DaskExecutor(Executor):
    """The interface of `concurrent.futures` around a dask client.

    Args:
        client: the dask client.
        scheduler: the name of the scheduler in messages.
        named: the cluster to submit jobs for with the first task.
        closing: the resources to close at the end.

    Attributes:
        workers: the number of simultaneous runs: the threads of all workers.
        workers_per_machine: the largest number of simultaneous runs on one machine.
        memory: the bytes that a run may take by default, or None if the scheduler of the experiment decides.
        longest_run: the seconds after which the process of a run is ended, whatever the limit of the run.
    """

    def __init__(
        self,
        client: Any,
        scheduler: str = "the dask scheduler",
        *,
        named: NamedCluster | None = None,
        closing: ExitStack | None = None,
    ) -> None:
        self._client, self._scheduler, self._named, self._closing = client, scheduler, named, closing or ExitStack()
        self._question: Future[dict[str, int]] | None = None
        self._question_time = -inf
        self._without_workers_since = inf
        self._threads: dict[str, int] | None = None
        self.memory = named.memory_of_run if named else None
        self.longest_run = named.lifetime if named else inf
        for log in LOGS:
            log.addFilter(self._is_logged)
        # dask gives the tasks of a dead worker to others; the scheduler of the experiment repeats failed tasks.
        self._executor = client.get_executor(pure=False, retries=0)

    @property
    def workers(self) -> int:
        """The number of threads of all workers at the last answer of the scheduler, at least 1."""
        return max(1, sum(self._threads_by_address.values()))

    @property
    def workers_per_machine(self) -> int:
        """The number of threads on the machine with the most threads, at least 1."""
        threads: Counter[str | None] = Counter()
        for address, number in self._threads_by_address.items():
            threads[urlsplit(address).hostname] += number
        return max([1, *threads.values()])

    @property
    def _threads_by_address(self) -> dict[str, int]:
        """The number of threads of each worker, kept by `check`, because the scheduler of the experiment asks often."""
        if self._threads is None:
            self._threads = dict(self._client.nthreads())
        return self._threads

    def run_everywhere(self, function: Callable[[], Any]) -> list[Any]:
        """Call a function on each worker, and return the results; return `[]` if the connection is lost."""
        return list(self._client.run(function).values()) if self._is_answering else []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function on a worker.

        Raises:
            UsageError: the jobs of a named cluster cannot be submitted.
            MachineError: the connection to the scheduler was lost for good.
        """
        self._check_connection()
        if self._named is not None:
            self._named.start()
        future: Future[Any] = self._executor.submit(function, *args, **kwargs)
        return future

    def check(self) -> str:
        """Return the reason why runs wait if they have waited for long, else `""`.

        Raises:
            MachineError: the connection to the scheduler was lost for good, or all jobs end at once.
        """
        self._check_connection()
        now = time.monotonic()
        if self._client.status == "running":
            self._ask(now)
        if not self._is_answering:
            return f"{self._scheduler} does not answer"
        if self._named is not None:
            return self._named.check(now - self._without_workers_since)
        if now - self._without_workers_since > LONGEST_WAIT:
            return f"{self._scheduler} has no workers; runs begin when one has started"
        return ""

    @property
    def _is_answering(self) -> bool:
        is_late = self._question is not None and time.monotonic() - self._question_time > LONGEST_WAIT
        return self._client.status == "running" and not is_late

    def _is_logged(self, record: logging.LogRecord) -> bool:
        return record.levelno > logging.ERROR

    def _check_connection(self) -> None:
        """Raise a MachineError if the client is closing, because it would silently drop new tasks."""
        if self._client.status in ("closing", "closed"):
            raise MachineError(f"{self._scheduler} is gone; once it runs again, the same command continues")

    def _ask(self, now: float) -> None:
        """Ask the scheduler for its workers at intervals, without waiting for the answer."""
        if self._question is not None and self._question.done():
            question, self._question = self._question, None
            with suppress(Exception):  # the status of the client shows that the connection was lost
                self._threads = dict(question.result())
                self._without_workers_since = inf if self._threads else min(self._without_workers_since, now)
        if self._question is None and now - self._question_time >= ASK_EVERY:
            self._question_time = now
            question = self._client.nthreads(asynchronous=True)
            self._question = asyncio.run_coroutine_threadsafe(question, self._client.loop.asyncio_loop)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Disconnect from the cluster, and close it if it was started here."""
        if self._question is not None:
            self._question.cancel()
        if self._client.status == "running":
            self._executor.shutdown(wait=wait and not cancel_futures)
        self._closing.close()
        self._client.close()
        for log in LOGS:
            log.removeFilter(self._is_logged)
