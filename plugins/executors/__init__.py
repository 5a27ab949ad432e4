"""Executors, which carry out the runs of an experiment on this machine or on many."""

from __future__ import annotations

from typing import Any

from searchlab import Executor, Parameter, plugin

# The libraries of executors are imported when an executor is used.


def local(workers: int) -> Any:
    """Return an executor with a thread for each worker process; the thread waits for the process."""
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(workers, thread_name_prefix="searchlab")


def dask(
    workers: int, address: str = "", scheduler_file: str = "", cluster: str = "", config: str = "", runner: str = ""
) -> Any:
    """Return an executor on a running dask scheduler, a named cluster or, by default, a cluster on this machine."""
    from searchlab_plugins.executors.on_dask import connected

    return connected(workers, address, scheduler_file, cluster, config, runner)


def dask_preview(
    workers: int, address: str = "", scheduler_file: str = "", cluster: str = "", config: str = "", runner: str = ""
) -> str:
    """Return the script of a job of a named cluster."""
    from searchlab_plugins.executors.on_dask import preview

    return preview(workers, address, scheduler_file, cluster, config, runner)


hooks = plugin(
    Executor("local", local, summary="worker processes on this machine"),
    Executor(
        "dask",
        dask,
        preview=dask_preview,
        summary="workers of dask.distributed on many machines: a running scheduler, or jobs of a batch system",
        parameters=(
            Parameter("address", "", "the address of a running scheduler, like [tcp://host:8786]"),
            Parameter("scheduler_file", "", "the file in which a running scheduler says where it is"),
            Parameter("cluster", "", "the kind of cluster that is started: slurm, pbs, sge, lsf, htcondor, …"),
            Parameter("config", "", "the TOML file of the cluster: cores, memory, walltime, queue, jobs …"),
            Parameter("runner", "", "slurm: scheduler, workers and this command are the tasks of one job"),
        ),
    ),
)
