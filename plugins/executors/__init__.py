"""Executors: what does the runs of an experiment, on this machine or on many."""

from collections.abc import Iterator

from searchlab import Executor, hookimpl
from searchlab_plugins.executors import on_dask, on_this_machine


@hookimpl
def searchlab_executors() -> Iterator[Executor]:
    """Return the executors."""
    yield Executor("local", on_this_machine.threads, summary="worker processes on this machine")
    yield Executor("dask", on_dask.cluster, summary="workers of a dask.distributed scheduler, on many machines")
