"""Named clusters: a subclass of `distributed.deploy.Cluster`, with arguments from a TOML file, and the jobs it runs."""

from __future__ import annotations

import asyncio
import difflib
import importlib
import inspect
import os
import re
import shutil
import signal
import socket
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from typing import TYPE_CHECKING, Any

from searchlab import MachineError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from concurrent.futures import Future
    from pathlib import Path

CLASSES = {
    "slurm": "dask_jobqueue:SLURMCluster",
    "pbs": "dask_jobqueue:PBSCluster",
    "sge": "dask_jobqueue:SGECluster",
    "lsf": "dask_jobqueue:LSFCluster",
    "htcondor": "dask_jobqueue:HTCondorCluster",
    "oar": "dask_jobqueue:OARCluster",
    "moab": "dask_jobqueue:MoabCluster",
    "kubernetes": "dask_kubernetes.operator:KubeCluster",
    "local": "distributed:LocalCluster",
}
"""The class of each named cluster, as `module:Class`; any other class can be named in this form."""
INSTALLED_BY = {"dask_jobqueue": "pip install dask-jobqueue", "dask_kubernetes": "pip install dask-kubernetes"}
OWN_KEYS = ("jobs", "adapt", "scale")
"""The keys of the file that set the number of jobs and are not arguments of the class; they exclude each other."""
TABLES = {
    "adapt": (
        *("minimum_jobs", "maximum_jobs", "minimum", "maximum", "minimum_cores", "maximum_cores"),
        *("minimum_memory", "maximum_memory", "interval", "wait_count", "target_duration"),
    ),
    "scale": ("jobs", "n", "cores", "memory"),
}
"""The arguments of `Cluster.adapt` and `Cluster.scale`, which set the number of jobs."""
LOGS = "job-logs"
"""The folder, in the current folder, of the output of jobs and of the keys that their workers need."""
KEYS = "keys-"
"""The prefix of the folders with keys in that folder."""
NO_PAGES = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
"""The arguments of a scheduler that serves no dashboard to other machines."""
ROLES = ("scheduler", "worker", "client")
PATIENCE = 60.0
"""Seconds without any worker before this is reported, with the usual causes."""
LOOK_EVERY = 5.0
"""Seconds between two checks for jobs that have no worker."""
IN_VAIN = 3
"""How many times jobs may end without any worker connecting, on average per job, before this is an error."""
STUBBORN = 10
"""How many times dask gives the tasks of lost workers to others before it reports them as failed."""
GIVEN_UP = "launch failed requeued held"
"""The state of a job that Slurm holds back because a node failed to start it."""
LOST_AFTER = "5s"
"""The time before the job of a lost worker is replaced."""
WALLTIME = re.compile(r"(?:(\d+)-)?(\d+):(\d\d)(?::(\d\d))?")
HOURS_FIRST = ("lsf", "oar")
"""The batch systems that read a walltime of two numbers as hours and minutes."""
MARGIN, LONGEST_MARGIN = 0.2, 300.0
"""How early a worker leaves before the walltime ends its job: as a share of the walltime, and at most in seconds."""
REFUSED = re.compile(r"stderr:\s*(.+?)\s*$", re.DOTALL)


class NamedCluster:
    """A cluster of a named class that keeps the number of jobs constant.

    The scheduler runs in this process, and no job is submitted before `start`.

    Args:
        name: a key of `CLASSES`, or a class as `module:Class`.
        config: the TOML file with the arguments of the class.
        workers: the number of processes of a local cluster, unless the file sets it.

    Attributes:
        cluster: the instance of the class.
        memory_of_run: the bytes that a run may take by default, or None if the file sets no memory.
        lifetime: the seconds after which a worker leaves, or `inf` if workers stay.

    Raises:
        UsageError: the file, the class or an argument is invalid, or the batch system is not installed.
    """

    def __init__(self, name: str, config: Path | None, workers: int) -> None:
        self.name, self._file = name, config
        kind = _class_of(name)
        given = _arguments(kind, name, config)
        self._amount = {key: given.pop(key) for key in OWN_KEYS if key in given}
        self._batch: Any = getattr(kind, "job_cls", None)
        if self._batch is not None and config is None:
            raise UsageError(f"cluster {name} needs config=FILE.toml, with cores and memory of a job, and jobs = 10")
        if self._batch is not None and not self._amount:
            raise UsageError(f"{config}: say how many jobs: jobs = 10, or a table [adapt] or [scale]")
        if len(self._amount) > 1:
            raise UsageError(f"{config}: {' and '.join(self._amount)} exclude each other")
        self.lifetime = inf
        self.memory_of_run: int | None = None
        if self._batch is not None:
            self._check_commands()
        self._closing = ExitStack()
        self._started, self._began, self._looked_at = False, time.time(), -inf
        self._look: Future[None] | None = None
        self._absent: set[str] = set()
        self._ended_in_vain = 0
        self._states: dict[str, str] = {}
        self._trouble = ""
        with self._closing as closing:
            closing.callback(_remove_if_empty, LOGS)
            self._complete(kind, given, workers)
            self._logs = str(given.get("log_directory", ""))
            self.cluster = self._made(kind, given)
            self._closing = closing.pop_all()

    def start(self) -> None:
        """Submit the jobs; further calls do nothing.

        Raises:
            UsageError: the batch system refuses the jobs.
        """
        if self._started:
            return
        self._started = True
        try:
            if "adapt" in self._amount:
                self.cluster.adapt(**_underscored(self._amount["adapt"]))
            elif "scale" in self._amount:
                self.cluster.scale(**_underscored(self._amount["scale"]))
            elif "jobs" in self._amount:
                jobs = self._amount["jobs"]
                self.cluster.scale(**({"jobs": jobs} if self._batch is not None else {"n": jobs}))
            if self._batch is not None:
                self.cluster.sync(self._corrected)
        except Exception as error:  # noqa: BLE001 - of any class, and of the commands that it calls
            raise UsageError(f"cluster {self.name} refuses the jobs: {_refusal(error)}") from None
        jobs = [job.job_id for job in dict(self.cluster.workers).values()] if self._batch is not None else []
        if self._trouble and not any(jobs):
            raise UsageError(f"cluster {self.name} refuses the jobs: {self._trouble}")

    def check(self, seconds_without_workers: float) -> str:
        """Replace jobs that have ended, and explain why runs wait.

        Args:
            seconds_without_workers: the seconds since the last worker was lost, negative if there are workers.

        Returns:
            the explanation if runs have waited for long, else `""`.

        Raises:
            MachineError: jobs repeatedly end before their workers have connected.
        """
        now = time.monotonic()
        is_batch = self._batch is not None and self._started
        if is_batch and now - self._looked_at >= LOOK_EVERY and (self._look is None or self._look.done()):
            self._looked_at = now
            if seconds_without_workers < 0:
                self._ended_in_vain = 0
            self._look = asyncio.run_coroutine_threadsafe(self._replace_ended(), self.cluster.loop.asyncio_loop)
        if is_batch and self._ended_in_vain > IN_VAIN * max(1, len(self.cluster.worker_spec)):
            raise MachineError(
                f"the jobs of cluster {self.name} end before their workers reach the scheduler: "
                f"{self._where_logs_are()}; once that is fixed, the same command continues"
            )
        if seconds_without_workers <= PATIENCE:
            return ""
        return (
            f"no worker of cluster {self.name} for {PATIENCE:g} s{self._present_states()}. Usual causes: the queue is "
            "full; no node has that much memory or that many cores; partition, account or walltime is wrong; workers "
            f"cannot reach the scheduler at {self.cluster.scheduler_address} (set interface): {self._where_logs_are()}"
        )

    def described(self) -> str:
        """Return the script of a job, or a note that the cluster has none."""
        if self._batch is not None:
            return str(self.cluster.job_script()).rstrip("\n")
        return f"cluster {self.name} ({type(self.cluster).__name__}) has no job script"

    def close(self) -> None:
        """Cancel the jobs and end the scheduler."""
        if self._look is not None:
            self._look.cancel()
        with suppress(Exception):  # the batch system may be gone; workers end without their scheduler
            self.cluster.close()
        self._closing.close()

    def _check_commands(self) -> None:
        for command in (self._batch.submit_command, self._batch.cancel_command):
            program = str(command or "").split()[:1]
            if program and shutil.which(program[0]) is None:
                raise UsageError(
                    f"cluster {self.name} needs the command {program[0]}: run searchlab where jobs are submitted"
                )

    def _complete(self, kind: Any, arguments: dict[str, Any], workers: int) -> None:
        """Add defaults to the arguments of the class, and set the limits of runs that follow from the arguments."""
        if "security" in _parameters(kind):
            arguments["security"] = self._security(arguments.get("security", True))
        if self.name == "local":
            local = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": None, "memory_limit": 0}
            arguments |= {key: value for key, value in local.items() if key not in arguments}
        if self._batch is None:
            return
        folder = os.path.abspath(LOGS)
        # Each job has one dask worker. Each thread of the worker waits for a process that does the runs.
        given: dict[str, Any] = {"processes": 1, "job_name": "searchlab", "log_directory": folder, "death_timeout": 120}
        # Without -P, Python would import modules from the folder in which the job starts.
        given["python"] = f"{sys.executable} -P"
        arguments |= {key: value for key, value in given.items() if key not in arguments}
        if "dashboard_address" not in arguments.get("scheduler_options", {}):  # anybody could open the pages
            arguments["scheduler_options"] = {**NO_PAGES, **arguments.get("scheduler_options", {})}
        arguments["worker_extra_args"] = ["--no-dashboard", *map(str, arguments.get("worker_extra_args", ()))]
        self._note_lifetime(arguments)
        self._note_memory(arguments)

    def _security(self, given: Any) -> Any:
        """Return the encryption of a cluster: with given key files, with new keys by default, or None if disabled."""
        if isinstance(given, dict):
            return _security_class()(**given)
        if not given:
            return None
        keys = self._closing.enter_context(key_folder(f"{socket.gethostname()}-{os.getpid()}"))
        return encryption(keys)

    def _note_lifetime(self, arguments: dict[str, Any]) -> None:
        """Let workers leave before the walltime, at different times, unless the arguments set a lifetime."""
        import dask

        extra = arguments["worker_extra_args"]
        walltime = arguments.get("walltime") or dask.config.get(f"jobqueue.{self._batch.config_name}.walltime", None)
        if walltime is None or any(argument.startswith("--lifetime") for argument in extra):
            return
        seconds = _seconds(str(walltime), self.name)
        if seconds is None:
            raise UsageError(f"{self._file}: walltime is HH:MM:SS or D-HH:MM:SS, not {walltime!r}")
        margin = min(LONGEST_MARGIN, MARGIN * seconds)
        self.lifetime = seconds - 1.5 * margin
        lifetime = f"{round(seconds - margin)}s"
        arguments["worker_extra_args"] = [
            *extra,
            *("--lifetime", lifetime, "--lifetime-stagger", f"{round(margin / 2)}s"),
        ]

    def _note_memory(self, arguments: Mapping[str, Any]) -> None:
        """Let the runs of a job share half of the job's memory by default; Python itself needs some, too."""
        from dask.utils import parse_bytes

        memory, cores = arguments.get("memory"), arguments.get("cores")
        if memory is not None and cores:
            with suppress(ValueError, TypeError):  # the class reports an invalid value
                self.memory_of_run = parse_bytes(memory) // (2 * int(cores))

    def _made(self, kind: Any, arguments: dict[str, Any]) -> Any:
        """Return a new cluster without any job.

        Raises:
            UsageError: the class refuses the arguments.
        """
        import dask

        settings = {
            "distributed.scheduler.allowed-failures": STUBBORN,
            "distributed.scheduler.work-stealing": False,  # a chunk of runs is short
            "distributed.scheduler.worker-saturation": 1.0,
            "distributed.deploy.lost-worker-timeout": LOST_AFTER,
        }
        self._closing.enter_context(dask.config.set(settings))
        if self._batch is not None:
            arguments = {**arguments, "job_cls": self._patient_jobs()}
        try:
            return kind(**arguments)
        except Exception as error:  # noqa: BLE001 - of any class
            raise UsageError(f"cluster {self.name}: {_refusal(error)}") from None

    def _patient_jobs(self) -> Any:
        """Return a class of jobs that records a refusal of the batch system instead of printing a traceback."""
        from distributed.deploy.spec import ProcessInterface

        started: Any = ProcessInterface.start

        async def start(job: Any) -> None:
            try:
                await self._batch.start(job)
                self._trouble = ""
            except Exception as error:  # noqa: BLE001 - after any error the job has no number, and is tried again
                self._trouble = _refusal(error)
                await started(job)

        return type(self._batch.__name__, (self._batch,), {"start": start})

    async def _corrected(self) -> None:
        await self.cluster

    async def _replace_ended(self) -> None:
        """Replace jobs that ended before their worker connected, and jobs that have lost their worker.

        The cluster does not replace them itself, because it learns about a job only from the job's worker.
        """
        cluster = self.cluster
        present = [str(name) for name in cluster.observed]
        jobs = dict(cluster.workers)
        absent = {name for name in jobs if not any(each == name or each.startswith(f"{name}-") for each in present)}
        queued = await self._queued() if absent else {}
        if queued is not None:
            self._states = queued
            # Only jobs that were already absent at the last check: it takes a moment until the batch system knows a
            # job, and the cluster replaces lost workers itself.
            for name in absent & self._absent:
                state = queued.get(str(jobs[name].job_id), "")
                if cluster.workers.get(name) is jobs[name] and (not state or state.endswith(GIVEN_UP)):
                    del cluster.workers[name]
                    self._ended_in_vain += 1
                    if state:
                        await jobs[name].close()
            self._absent = absent
        if len(cluster.plan) != len(cluster.requested):
            await cluster

    async def _queued(self) -> dict[str, str] | None:
        """Return the state of each of the user's jobs by number, or None if the states are unknown."""
        if str(self._batch.submit_command).split()[:1] != ["sbatch"]:
            return None
        try:
            process = await asyncio.create_subprocess_exec(
                *("squeue", "--me", "--noheader", "--format=%A %T %r"),
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
            out, _ = await process.communicate()
        except OSError:
            return None
        if process.returncode != 0:
            return None
        rows = (line.partition(" ") for line in out.decode(errors="replace").splitlines())
        return {number: state for number, _, state in rows}

    def _present_states(self) -> str:
        """Return the states of the jobs in words, and the last refusal of the batch system."""
        numbers = {str(job.job_id) for job in dict(self.cluster.workers).values()}
        states = sorted({state for number, state in self._states.items() if number in numbers})
        said = ", ".join(states) + (f"; {self._trouble}" if self._trouble else "")
        return f" (jobs: {said})" if said else ""

    def _where_logs_are(self) -> str:
        if not self._logs:
            return "see the output of its jobs"
        try:
            logs = [
                entry for entry in os.scandir(self._logs) if entry.is_file() and entry.stat().st_mtime > self._began
            ]
            newest = max(logs, key=lambda entry: (entry.stat().st_size > 0, entry.stat().st_mtime)).path
        except (OSError, ValueError):
            return f"the jobs' output is in {self._logs}"
        return f"see {newest}"


@contextmanager
def key_folder(name: str) -> Iterator[str]:
    """Make a folder for the keys of a cluster that only this user can read, and remove it at the end.

    Folders that killed processes of this machine have left are removed as well.

    Args:
        name: `HOST-PROCESS`, or any other name that is used only once at a time.

    Raises:
        UsageError: the folder cannot be made.
    """
    folder = os.path.join(os.path.abspath(LOGS), f"{KEYS}{name}")
    try:
        os.makedirs(LOGS, exist_ok=True)
        for old in os.listdir(LOGS):
            host, _, number = old.removeprefix(KEYS).rpartition("-")
            if old.startswith(KEYS) and host == socket.gethostname() and not _is_running(number):
                shutil.rmtree(os.path.join(LOGS, old), ignore_errors=True)
        os.makedirs(folder, mode=0o700)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made: {error.strerror}") from None
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def encryption(keys: str) -> Any:
    """Return the encryption of a cluster with a new pair of keys, which is written to a folder.

    Raises:
        UsageError: the library `cryptography` is not installed.
    """
    try:
        made = _security_class().temporary().get_tls_config_for_role("worker")
    except ImportError:
        raise UsageError("encryption needs the library cryptography: pip install cryptography") from None
    for kind in ("ca_file", "cert", "key"):
        file = os.path.join(keys, f"{kind}.pem")
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as stream:
            stream.write(made[kind])
    return encryption_by(keys)


def encryption_by(keys: str) -> Any:
    """Return the encryption with the keys in a folder."""
    ca_file, cert, key = (os.path.join(keys, f"{kind}.pem") for kind in ("ca_file", "cert", "key"))
    roles = {f"tls_{role}_{kind}": file for role in ROLES for kind, file in (("cert", cert), ("key", key))}
    return _security_class()(tls_ca_file=ca_file, require_encryption=True, **roles)


def _security_class() -> Any:
    """Return `distributed.security.Security`, which has no types."""
    from distributed.security import Security

    return Security


def _is_running(number: str) -> bool:
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, ValueError):
        return False
    except OSError:
        return True
    return True


def _remove_if_empty(folder: str) -> None:
    with suppress(OSError):
        os.rmdir(folder)


def _class_of(name: str) -> Any:
    """Return the class of a cluster.

    Raises:
        UsageError: there is no such class.
    """
    if name not in CLASSES and ":" not in name:
        near = difflib.get_close_matches(name, CLASSES, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise UsageError(f"no cluster {name!r}: {hint}There are {', '.join(CLASSES)}, or a class as [module:Class]")
    module, _, attribute = CLASSES.get(name, name).partition(":")
    try:
        found = getattr(imported(module), attribute)
    except ImportError as error:
        top = module.partition(".")[0]
        raise UsageError(f"cluster {name} needs {top}: {INSTALLED_BY.get(top, error)}") from None
    except AttributeError:
        raise UsageError(f"cluster {name}: module {module} has no class {attribute!r}") from None
    from distributed.deploy.cluster import Cluster

    if not (isinstance(found, type) and issubclass(found, Cluster)):
        raise UsageError(f"cluster {name} is not a class of distributed.deploy.Cluster")
    return found


def imported(module: str) -> Any:
    """Import a module, and restore the handler of Ctrl-C: dask_jobqueue sets a handler that ends Python at once."""
    top = module.partition(".")[0]
    if threading.current_thread() is not threading.main_thread():
        if top == "dask_jobqueue" and "dask_jobqueue.runner" not in sys.modules:
            raise UsageError("dask_jobqueue can only be imported in the main thread: write import dask_jobqueue there")
        return importlib.import_module(module)
    before = signal.getsignal(signal.SIGINT)
    try:
        return importlib.import_module(module)
    finally:
        if before is not None:
            signal.signal(signal.SIGINT, before)


def _arguments(kind: Any, name: str, file: Path | None) -> dict[str, Any]:
    """Return the content of the file of a cluster, with underscores in keys.

    Raises:
        UsageError: the file cannot be read, or has a key that is not an argument of the class.
    """
    import tomllib

    if file is None:
        return {}
    try:
        given = _underscored(tomllib.loads(file.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise UsageError(f"{file}: no such file") from None
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{file}: {error}") from None
    known = _parameters(kind)
    for key in given:
        if key not in OWN_KEYS and known and key not in known and "**" not in known:
            near = difflib.get_close_matches(key, [*known, *OWN_KEYS], n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"those of {kind.__name__} are {', '.join(sorted(known))}"
            raise UsageError(f"{file}: unknown key {key!r} for cluster {name}: {hint}")
    for key, allowed in TABLES.items():
        table = given.get(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"{file}: {key} is a table, like [{key}]")
        for key_in_table in _underscored(table):
            if key_in_table not in allowed:
                raise UsageError(f"{file}: unknown key {key_in_table!r} in [{key}]: there are {', '.join(allowed)}")
    jobs = given.get("jobs", 1)
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 1:
        raise UsageError(f"{file}: jobs is a whole number from 1 up, not {jobs!r}")
    return given


def _underscored(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in table.items()}


def _parameters(kind: Any) -> set[str]:
    """Return the names of the arguments of a class, with `**` among them if it takes arguments of any name."""
    job = getattr(kind, "job_cls", None)
    classes = [kind]
    if job is not None:  # both pass unknown arguments to their base classes, except to those of distributed
        both = (*inspect.getmro(kind), *inspect.getmro(job))
        classes = [each for each in both if not each.__module__.startswith("distributed.")]
    listed = [
        parameter
        for each in classes
        if "__init__" in vars(each)
        for parameter in inspect.signature(each.__init__).parameters.values()
    ]
    passes_on = any(parameter.kind is parameter.VAR_KEYWORD for parameter in listed) and job is None
    named = {parameter.name for parameter in listed if parameter.kind is not parameter.VAR_KEYWORD}
    return (named | ({"**"} if passes_on else set())) - {"self", "args", "scheduler", "name", "loop", "asynchronous"}


def _seconds(walltime: str, name: str) -> float | None:
    """Parse a walltime, [D-]HH:MM:SS or, for `HOURS_FIRST`, HH:MM; return seconds, or None if it is invalid."""
    matched = WALLTIME.fullmatch(walltime.strip())
    if matched is None or (matched[4] is None and name not in HOURS_FIRST):
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in matched.groups())
    return ((24 * days + hours) * 60 + minutes) * 60.0 + seconds


def _refusal(error: Exception) -> str:
    """Return the message of an error of a class or of a command of the batch system, in one line."""
    matched = REFUSED.search(str(error))
    said = matched[1] if matched else str(error) or type(error).__name__
    return " ".join(said.split())
