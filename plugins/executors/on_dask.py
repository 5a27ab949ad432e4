"""The dask executor: the workers of a dask.distributed scheduler, or of a cluster of processes on this machine."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from concurrent.futures import Executor, Future
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from searchlab import MachineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

CONNECT_SECONDS = 10
"""The seconds in which a scheduler must answer, and after which dask gives up on a lost connection."""
LONGEST_WAIT = 10.0
"""Seconds without any worker, or without an answer, after which that is reported."""
ASK_EVERY = 1.0
"""Seconds between two questions for the workers."""
CLIENT_LOG = logging.getLogger("distributed.client")
"""Prints tracebacks of a lost connection, which `DaskExecutor.check` reports in one line."""
SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable that keeps Python from importing from the current folder."""


def cluster(workers: int, address: str = "") -> Executor:
    """Return an executor whose runs are carried out by dask workers.

    Args:
        workers: the number of processes of a cluster on this machine.
        address: the address of a running scheduler, like tcp://host:8786; by default a cluster is started on this
            machine.

    Raises:
        UsageError: dask is not installed, or there is no scheduler at the address.
    """
    try:
        import distributed
    except ImportError:
        msg = "the executor dask needs dask.distributed: pip install distributed"
        raise UsageError(msg) from None
    dask: Any = distributed  # its functions are only partly typed
    if not address:
        # The processes of a local cluster inherit it, also those that replace dead ones: without it Python puts the
        # current folder first on their `sys.path`, and they import modules from there.
        before = os.environ.get(SAFE_PATH)
        os.environ[SAFE_PATH] = before or "1"
        local = dask.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0
        )
        return DaskExecutor(dask.Client(local), local, before)
    try:
        return DaskExecutor(dask.Client(address, timeout=CONNECT_SECONDS), address=address)
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler at {address}: {error}") from None


class DaskExecutor(Executor):
    """The interface of `concurrent.futures` around a dask client.

    Args:
        client: the dask client.
        local: the cluster on this machine, if one was started for it.
        safe_path: the former value of PYTHONSAFEPATH, which is set while the cluster runs.
        address: the address of an external scheduler.

    Attributes:
        workers: the number of simultaneous runs: the threads of all workers.
        workers_per_machine: the largest number of these on one machine.
    """

    def __init__(self, client: Any, local: Any = None, safe_path: str | None = None, address: str = "") -> None:
        self._client, self._local, self._safe_path = client, local, safe_path
        self._scheduler = f"the dask scheduler at {address}" if address else "the dask scheduler"
        self._question: Future[dict[str, int]] | None = None
        self._question_time = -inf
        self._without_workers_since = inf
        CLIENT_LOG.addFilter(self._is_logged)
        # dask gives the tasks of a dead worker to others; the scheduler of the experiment repeats those that fail.
        self._executor = client.get_executor(pure=False, retries=0)

    @property
    def workers(self) -> int:
        """The present number of threads of all workers, at least 1."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    @property
    def workers_per_machine(self) -> int:
        """The present number of threads of the workers on the machine with the most, at least 1."""
        threads: Counter[str | None] = Counter()
        for address, number in self._client.nthreads().items():
            threads[urlsplit(address).hostname] += number
        return max([1, *threads.values()])

    def run_everywhere(self, function: Callable[[], Any]) -> list[Any]:
        """Call a function on each worker, and return the results; none without a connection."""
        return list(self._client.run(function).values()) if self._is_answering else []

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call a function on a worker."""
        self._check_connection()
        future: Future[Any] = self._executor.submit(function, *args, **kwargs)
        return future

    def check(self) -> str:
        """Return the reason why runs wait, if it lasts, else `""`.

        Raises:
            MachineError: the connection to the scheduler was lost for good.
        """
        self._check_connection()
        now = time.monotonic()
        if self._client.status == "running":
            self._ask(now)
        if not self._is_answering:
            return f"{self._scheduler} does not answer"
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
        """Raise a MachineError if the client is closing: it drops what is submitted without an error."""
        if self._client.status in ("closing", "closed"):
            raise MachineError(f"{self._scheduler} is gone; once it runs again, the same command continues")

    def _ask(self, now: float) -> None:
        """Ask the scheduler for its workers at intervals, without waiting for the answer."""
        if self._question is not None and self._question.done():
            question, self._question = self._question, None
            with suppress(Exception):  # a connection that was lost shows in the status of the client
                self._without_workers_since = inf if question.result() else min(self._without_workers_since, now)
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
        self._client.close()
        CLIENT_LOG.removeFilter(self._is_logged)
        if self._local is not None:
            self._local.close()
            if self._safe_path is None:
                os.environ.pop(SAFE_PATH, None)
            else:
                os.environ[SAFE_PATH] = self._safe_path
