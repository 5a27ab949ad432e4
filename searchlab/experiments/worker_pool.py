"""The pool of worker processes: one for each thread of an executor, replaced when it dies.

`run_chunk` is the task that executors run. Every executor with the interface of `concurrent.futures` can run it, on
this machine or another, because each thread that calls `run_chunk` has a separate worker process.

The worker's Watchdog ends a run that hangs, and its alarm ends a run that lets no other thread run. If neither can do
so, as on Windows, or if the worker takes too much memory, `WorkerProcess` kills it. A run whose process dies is tried
once more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Any

from searchlab.errors import MachineError, SearchlabError, UsageError
from searchlab.experiments.messages import Compiling, Done, Improved, Ready, decode, decode_answer, encode, taken_from
from searchlab.experiments.processes import python_module
from searchlab.experiments.runs import RunRecord
from searchlab.experiments.worker import unfinished
from searchlab.files import reason_of
from searchlab.search.watch import resident_bytes
from searchlab.search.watchdog import GRACE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from io import BufferedReader

    from searchlab.experiments.messages import Setup
    from searchlab.experiments.runs import Run
    from searchlab.model.preparation import CompileProgress

KILL_AFTER_SECONDS = 4.0
"""Seconds by which the pool lets the worker's own Watchdog and alarm act first, before it kills the process."""
LETS_NOTHING_RUN = "a function let no other thread run when the time was up"
POLL_SECONDS = 0.2
QUICK = 0.02
"""Seconds below which the next runs are sent before the last has ended, so that the worker need not wait."""
MOST_AHEAD = 32
"""The most runs that are sent ahead, one more after each quick one: sent together they take less time.

The mean duration of the latest runs, by which the remaining time limits them too, covers about as many.
"""
PIPE_BYTES = 1 << 16
"""Bytes that are read from a worker at once."""
SOON, TOGETHER = 0.002, 0.004
"""Seconds within which an answer comes for the next ones to be taken together, and of which they are."""
TRIES = 2
"""The number of times a run is tried if its process dies."""
STARTS = 3
"""How many worker processes in a row may end before they are ready."""
ENDED_OUTSIDE = ("by SIGTERM", "by SIGKILL")
SECONDS_OF_GRACE = 6.0
"""Seconds after a worker elsewhere died by such a signal, within which its whole machine or job may be ended as well.

A batch system ends all processes of a job, in any order: what is reported after that time is no part of its end.
"""
MEMORY_BEYOND = 2**30
"""Bytes a worker process may hold beyond the limit of the run: the interpreter, libraries, the compiler."""


@dataclass
class CurrentRun:
    """The run that a worker process is doing.

    Attributes:
        run: the run.
        since: the start, by `time.monotonic`, moved forward by the time spent compiling for it.
        compiling: the function that is being compiled for the run, or None.
        compiling_since: the start of that compilation.
        told: the solutions that its search has told of, the best one last.
    """

    run: Run
    since: float
    compiling: CompileProgress | None = None
    compiling_since: float = 0.0
    told: list[Improved] = field(default_factory=list)

    @property
    def compile_seconds(self) -> float:
        """The seconds the worker has spent compiling in all, while it compiles a function; otherwise 0."""
        compiling = self.compiling  # another thread changes it
        return compiling.seconds + time.monotonic() - self.compiling_since if compiling else 0.0

    def note(self, progress: CompileProgress) -> None:
        """Take note that a function is compiled for the run, or that it is done."""
        now = time.monotonic()
        if progress.phase == "compiling":
            self.compiling, self.compiling_since = progress, now
        elif self.compiling:
            self.compiling, self.since = None, self.since + now - self.compiling_since


class WorkerProcess:
    """A worker process and its successors: if it dies, the next run starts another.

    Args:
        setup: the first message to the worker.

    Attributes:
        current: the run under way, or None.
    """

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._ready: Ready | None = None
        self._problems: tuple[str, ...] = ()
        self._closed = False
        self._death = ""
        self._ahead = 0  # runs that may be sent before the last has ended
        self._mean_seconds = 0.0  # of the latest runs
        self._latest: tuple[Ready | None, Mapping[str, str] | None, Mapping[str, Any]] = (None, None, {"plugins": {}})
        self.current: CurrentRun | None = None

    def run(self, runs: Iterable[Run], seconds: float = inf) -> tuple[list[RunRecord], list[str]]:
        """Do runs until the time is over, but at least one.

        Args:
            runs: the runs in order.
            seconds: the time after which no further run is started.

        Returns:
            the records of the runs that were done, in the same order, and messages about plugins.

        Raises:
            UsageError: the worker refuses the runs.
            MachineError: no worker process can be started.
        """
        waiting = deque(runs)
        sent: deque[Run] = deque()
        records: list[RunRecord] = []
        problems: list[str] = []
        tries, began = 0, time.monotonic()
        while True:
            # All that is sent has to be done: the first run is sent alone, for it may be slower than the last chunk's.
            most = self._most_sent(seconds - time.monotonic() + began) if records else 1
            if waiting and len(sent) < (most + 1) // 2:
                following = [waiting.popleft() for _ in range(min(len(waiting), most - len(sent)))]
                sent.extend(following)
                self._send(following)
            if not sent:
                break
            started = time.monotonic()
            answer = self._answer(sent[0], started)
            took = time.monotonic() - started
            self._ahead = min(MOST_AHEAD, self._ahead + 1) if took < QUICK else 0
            self._mean_seconds += (took - self._mean_seconds) / MOST_AHEAD
            if answer is None and tries + 1 < TRIES:
                tries += 1
                waiting.extendleft(reversed(sent))
                sent.clear()
                continue
            run, tries = sent.popleft(), 0
            done = answer if isinstance(answer, Done) else self._lost(run, started)
            if done.refused:
                raise UsageError(done.refused)
            problems += [*self._problems, *done.problems]
            self._problems = ()
            records.append(self._record(run, done))
            if done.leaves:
                self.end()
            if self._process is None:  # the runs that were sent ahead are lost with it
                waiting.extendleft(reversed(sent))
                sent.clear()
        self.current = None
        return records, problems

    def close(self) -> None:
        """Kill the process and start no other."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """Kill the process, if one is running."""
        if self._process is not None:
            process, self._process = self._process, None
            with contextlib.suppress(OSError):
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()

    def _most_sent(self, seconds: float) -> int:
        """Return the number of runs a worker may hold, including the current one, with `seconds` left of the chunk."""
        if seconds <= 0:
            return 0
        seconds = max(seconds, QUICK)  # the worker need not wait at the end of a chunk either
        return int(max(1, min(1 + self._ahead, seconds / max(self._mean_seconds, 1e-6))))

    def _send(self, runs: list[Run]) -> None:
        if self._process is None:
            self._start()
        assert self._process is not None
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it died; that shows when its answer is waited for
            self._process.stdin.write(b"".join(map(encode, runs)))
            self._process.stdin.flush()

    def _start(self) -> None:
        """Start a process and wait until it is ready for runs.

        Raises:
            UsageError: the process refuses all runs.
            MachineError: no process can be started, or several in a row end before they are ready.
        """
        for _ in range(STARTS):
            if self._closed:
                msg = "stopped"
                raise SearchlabError(msg)
            process = self._begin()
            first = self._messages.get()
            if first is not None:
                break
            self._death = _how_it_died(process)
            self.end()
            self._wait_for_end_of_job()
        else:
            raise MachineError(
                f"{STARTS} worker processes in a row ended before they were ready, the last one "
                f"{self._death}; once that is fixed, the same command continues"
            )
        self._ready = decode(first, Ready)
        if self._ready.refused:
            self.end()
            raise UsageError(self._ready.refused)
        self._problems = self._ready.problems

    def _begin(self) -> subprocess.Popen[bytes]:
        """Start a process, send it the setup, and start a thread that receives its messages."""
        folder = self._setup.folder  # of the scheduler, perhaps on another machine
        try:
            process = self._process = subprocess.Popen(
                python_module("searchlab.experiments.worker_process"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                cwd=folder if os.access(folder, os.X_OK) and os.path.isdir(folder) else None,
                start_new_session=True,  # Ctrl-C at the terminal is for the scheduler
            )
        except OSError as error:
            raise MachineError(f"no worker process can be started: {reason_of(error)}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._messages = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(process.stdout, self._messages), daemon=True).start()
        with contextlib.suppress(OSError):
            process.stdin.write(encode(self._setup))
            process.stdin.flush()
        return process

    def _answer(self, run: Run, started: float) -> Done | None:
        before = self.current
        current = self.current = CurrentRun(run, started)
        if before and before.run is run:  # it is tried again: what it told of before its process died is not lost
            current.told = before.told
        limits = run.limits
        memory = limits.memory if limits.memory is not None else self._setup.memory
        while True:
            try:
                message = self._messages.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if memory is not None and self._resident_bytes() > memory + MEMORY_BEYOND:
                    self.end()
                    return self._killed(run, "memory-limit", "ended: its process held too much memory", started)
                began = current.compiling_since if current.compiling else current.since
                if time.monotonic() - began > limits.seconds + GRACE + KILL_AFTER_SECONDS:
                    self.end()
                    return self._killed(run, "time-limit", f"killed: {LETS_NOTHING_RUN}", started)
                continue
            if message is None:
                assert self._process is not None
                self._death = _how_it_died(self._process)
                self.end()
                if self._death == "by SIGALRM":
                    why = f"ended by SIGALRM: {LETS_NOTHING_RUN}; standard error has its traceback"
                    return self._killed(run, "time-limit", why, started)
                return None
            answer = decode_answer(message)
            if isinstance(answer, Done):
                return answer
            if isinstance(answer, Compiling):
                current.note(answer.progress)
            elif not current.told or answer.cost < current.told[-1].cost:
                current.told.append(answer)

    def _resident_bytes(self) -> int:
        return resident_bytes(self._process.pid) if self._process else 0

    def _wait_for_end_of_job(self) -> None:
        """Let a job that is being ended from outside end, so that its runs are repeated elsewhere."""
        if self._setup.code and self._death in ENDED_OUTSIDE:
            time.sleep(SECONDS_OF_GRACE)

    def _lost(self, run: Run, started: float) -> Done:
        self._wait_for_end_of_job()
        why = f"its process died {TRIES} times, the last time {self._death}"
        if self._death == "by SIGKILL":
            why += ": it was ended from outside, or took all memory"
        return self._killed(run, "error", why, started)

    def _killed(self, run: Run, status: str, reason: str, started: float) -> Done:
        told = self.current.told if self.current else ()
        return ended_outside(run, status, reason, time.monotonic() - started, told)

    def _record(self, run: Run, done: Done) -> RunRecord:
        worker = self._ready.worker if self._ready else ""
        provenance = self._provenance(run.plugins)
        return RunRecord(run, done.cells, done.metrics, worker, done.finished, provenance, done.load, done.clock)

    def _provenance(self, plugins: Mapping[str, str] | None) -> Mapping[str, Any]:
        """Return the provenance of a run; the same object for consecutive runs with the same plugins."""
        if self._latest[:2] != (self._ready, plugins):
            made = {**(self._ready.provenance if self._ready else {}), "plugins": dict(plugins or {})}
            self._latest = self._ready, plugins, made
        return self._latest[2]


def _listen(pipe: BufferedReader, messages: queue.SimpleQueue[bytes | None]) -> None:
    """Put each message of a worker process into a queue, and None at the end.

    Answers within a few milliseconds of each other are taken from the pipe together: waking two threads for each would
    take longer than everything else done with it.
    """
    received = bytearray()
    with contextlib.suppress(OSError, ValueError):
        waiting_since = time.monotonic()
        while part := pipe.read1(PIPE_BYTES):
            received += part
            for message in taken_from(received):
                messages.put(message)
            if time.monotonic() - waiting_since < SOON:
                time.sleep(TOGETHER)
            waiting_since = time.monotonic()
    messages.put(None)


def _how_it_died(process: subprocess.Popen[bytes]) -> str:
    """Return how a process ended, after it has closed its pipe."""
    try:
        code = process.wait(1)
    except subprocess.TimeoutExpired:
        return "without an end"
    if code >= 0:
        return f"with exit code {code}"
    try:
        return f"by {signal.Signals(-code).name}"
    except ValueError:
        return f"by signal {-code}"


def ended_outside(run: Run, status: str, reason: str, seconds: float = 0.0, told: Sequence[Improved] = ()) -> Done:
    """Return the outcome of a run that no worker finished: its process was killed, or it never began.

    Args:
        told: the solutions that its search had told of.
    """
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return Done(unfinished(run, reason, status, seconds, told), {}, now)


_processes: dict[tuple[int, Setup], WorkerProcess] = {}
"""The worker processes of this process, by the thread that uses them and their setup."""


def run_chunk(setup: Setup, runs: list[Run], seconds: float) -> tuple[list[RunRecord], list[str]]:
    """Do runs in this thread's worker process until the time is over, but at least one: the task that executors run.

    Returns:
        the records of the runs that were done, which are the first ones, and messages about plugins.
    """
    key = threading.get_ident(), setup
    if key not in _processes:
        _processes[key] = WorkerProcess(setup)
    return _processes[key].run(runs, seconds)


def runs_under_way(experiment: str) -> list[CurrentRun]:
    """Return the runs that this process's workers are doing for an experiment, given by its identifier."""
    found = (process.current for (_, setup), process in list(_processes.items()) if setup.experiment == experiment)
    return [run for run in found if run]


@atexit.register
def end_workers(experiment: str = "") -> None:
    """End the worker processes of this process.

    Args:
        experiment: the identifier of the experiment whose worker processes end; by default all end.
    """
    for key in list(_processes):
        if experiment in ("", key[1].experiment) and (process := _processes.pop(key, None)):
            process.close()
