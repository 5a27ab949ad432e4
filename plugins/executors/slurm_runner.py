"""The runner of a Slurm job: all tasks run the same command, and become the scheduler, the client and the workers."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import time
from typing import Any, NoReturn

from searchlab import MachineError, UsageError
from searchlab_plugins.executors.clusters import INSTALLED_BY, LOGS, NO_PAGES, encryption, encryption_by, imported

NEEDED = ("SLURM_PROCID", "SLURM_NTASKS", "SLURM_JOB_ID")
FEWEST_TASKS = 3
"""A task for the scheduler, a task for the command itself, and a worker."""
IDLE = "1h"
"""The time after which the scheduler ends the job if the task with the command was killed."""
KEYS_SECONDS = 120.0
"""Seconds within which the first task must have started, and its folder of keys must be visible."""


def slurm_runner() -> tuple[str, Any, str]:
    """Return in the task that continues the command; the other tasks serve it until their processes end here.

    Returns:
        the address of the scheduler, the encryption, and the folder with its keys.

    Raises:
        UsageError: this is not a task of a Slurm job, the job has too few tasks, or dask_jobqueue is missing.
        MachineError: the first task does not start.
    """
    missing = [name for name in NEEDED if name not in os.environ]
    if missing:
        raise UsageError(
            f"runner=slurm: no {missing[0]} is set: start it in a job, with srun --ntasks=4 searchlab run …"
        )
    tasks = int(os.environ["SLURM_NTASKS"])
    if tasks < FEWEST_TASKS:
        raise UsageError(
            f"runner=slurm needs {FEWEST_TASKS} tasks or more, for scheduler, command and workers, not {tasks} "
            "(srun --ntasks=N)"
        )
    try:
        slurm = imported("dask_jobqueue.slurm")
    except ImportError:
        raise UsageError(f"runner=slurm needs dask_jobqueue: {INSTALLED_BY['dask_jobqueue']}") from None
    # A requeued job keeps its number, but must not find the files of its first attempt.
    parts = ("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT")
    name = "-".join(os.environ.get(part, "0") for part in parts)
    keys = os.path.join(os.path.abspath(LOGS), f"job-{name}")
    security = _shared(keys, is_first=os.environ["SLURM_PROCID"] == "0")
    threads = int(os.environ.get("SLURM_CPUS_PER_TASK", "1"))
    logging.getLogger("distributed").setLevel(logging.ERROR)  # all tasks write to the output of the command
    before = signal.signal(signal.SIGINT, _leave)  # the runner ends the scheduler and the workers by this signal
    runner = slurm.SLURMRunner(
        scheduler_file=os.path.join(keys, "scheduler.json"),
        scheduler_options={**NO_PAGES, "protocol": "tls://", "security": security, "idle_timeout": IDLE},
        worker_options={"dashboard": False, "nthreads": threads, "security": security},
    )
    signal.signal(signal.SIGINT, before)
    runner.scheduler_comm = None  # not encrypted; the client ends the scheduler
    return str(runner.scheduler_address), security, keys


def remove_keys(keys: str) -> None:
    """Remove the folder with the keys of the job."""
    shutil.rmtree(keys, ignore_errors=True)


def _shared(keys: str, *, is_first: bool) -> Any:
    """Return the encryption of the job: the first task makes the keys, the others wait for them."""
    if is_first:
        made = f"{keys}.new"
        os.makedirs(made, mode=0o700)
        encryption(made)
        os.rename(made, keys)  # so that the others see a complete folder
    ends = time.monotonic() + KEYS_SECONDS
    while not os.path.isdir(keys):
        if time.monotonic() > ends:
            raise MachineError(f"the first task of the job has not made {keys} within {KEYS_SECONDS:g} s")
        time.sleep(0.1)
    return encryption_by(keys)


def _leave(*_: Any) -> NoReturn:
    sys.stdout.flush()
    os._exit(0)
