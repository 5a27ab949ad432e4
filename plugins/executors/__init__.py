"""Executors, which carry out the runs of an experiment on this machine or on many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import hookimpl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab import Executor


@hookimpl
def searchlab_executors() -> Iterator[Executor]:
    """Return the executors."""
    from searchlab import Executor

    yield Executor("local", local, summary="worker processes on this machine")
    yield Executor("dask", dask, summary="workers of a dask.distributed scheduler, on many machines")


# Their libraries are imported when an executor is used, because every command loads all plugins.


def local(workers: int) -> Any:
    """Return a thread for each worker process, which waits for it."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(workers, thread_name_prefix="searchlab")


def dask(workers: int, address: str = "") -> Any:
    """Return the workers of the scheduler at an address, without one those of a cluster on this machine."""
    from searchlab_plugins.executors.on_dask import cluster

    return cluster(workers, address)
