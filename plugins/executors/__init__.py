"""Executors, which carry out the runs of an experiment on this machine or on many."""

from __future__ import annotations

from typing import Any

from searchlab import Executor, plugin

# Their libraries are imported when an executor is used.


def local(workers: int) -> Any:
    """Return a thread for each worker process, which waits for it."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(workers, thread_name_prefix="searchlab")


def dask(workers: int, address: str = "") -> Any:
    """Return the workers of the scheduler at an address, by default of a cluster on this machine."""
    from searchlab_plugins.executors.on_dask import cluster

    return cluster(workers, address)


hooks = plugin(
    Executor("local", local, summary="worker processes on this machine"),
    Executor("dask", dask, summary="workers of a dask.distributed scheduler on many machines"),
)
