"""Run the processes that test students' files, with limits of time, memory and output."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from searchlab.errors import MachineError, UsageError
from searchlab.experiments.processes import import_path, python_module
from searchlab.files import reason_of
from searchlab.search.watch import resident_bytes
from searchlab.testing.grading.marks import Mark
from searchlab.testing.grading.process import GradingEvent, GradingTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from searchlab.testing.grading.rubric import Rubric
    from searchlab.testing.grading.submissions import Submission

MODULE = "searchlab.testing.grading.process"
POLL_SECONDS = 0.05
FAMILY_SECONDS = 0.5
"""The seconds between two looks at all processes of a test; the first process is looked at more often."""
GRACE = 5.0
"""The seconds by which a test may exceed its time, so that searchlab can end it itself with a better message."""
LEAST_START_SECONDS = 60.0
"""The least seconds that a process has for importing searchlab and loading the student's file."""
BASE_BYTES = 400 * 2**20
"""The memory of the interpreter, the libraries and the compiler; the limit of a test is added to it."""
MOST_HUNG = 2
"""The number of tests in which a function does not return before its other tests are not tried."""
MUCH = 2**20
"""The printed bytes from which a mark mentions them, because printing takes time."""
PIPE_BYTES = 1 << 16
LOADING = -1


class Stop(Exception):
    """Raised in a thread that runs a process when the grader ends."""


class Printed:
    """The output of a student's code, of which only the first part is kept.

    Args:
        stream: the pipe to read.
        most: the number of bytes to keep per test.
    """

    def __init__(self, stream: IO[bytes], most: int) -> None:
        self._stream, self._most = stream, most
        self._lock = threading.Lock()
        self._kept, self._count = bytearray(), 0
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := os.read(self._stream.fileno(), PIPE_BYTES):
                with self._lock:
                    self._kept += part[: max(0, self._most - len(self._kept))]
                    self._count += len(part)

    def take(self) -> tuple[str, int]:
        """Return the text kept since the last call, and the number of bytes printed."""
        with self._lock:
            text, count = self._kept.decode(errors="replace"), self._count
            self._kept, self._count = bytearray(), 0
        return text, count


class Process:
    """A process that works on a task.

    Args:
        task: the task.
        folder: the folder in which it runs.
        rubric: the rubric with the limits.
        stopped: set when the grader ends.
    """

    def __init__(self, task: GradingTask, folder: str, rubric: Rubric, stopped: threading.Event) -> None:
        self._rubric, self._stopped = rubric, stopped
        environment = {**os.environ, "TMPDIR": folder, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}
        environment.pop("COVERAGE_PROCESS_START", None)
        try:
            self._process = subprocess.Popen(
                python_module(MODULE),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=folder,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise MachineError(f"no process can be started: {reason_of(error)}") from None
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self.printed = Printed(self._process.stderr, rubric.output)
        self._events: queue.SimpleQueue[GradingEvent | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()
        with contextlib.suppress(OSError):
            self._process.stdin.write(msgspec.json.encode(task) + b"\n")
            self._process.stdin.flush()

    def _listen(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError, msgspec.DecodeError):
            for line in stream:
                self._events.put(msgspec.json.decode(line, type=GradingEvent))
        self._events.put(None)

    def next_event(self, seconds: float) -> GradingEvent | tuple[str, str]:
        """Return the next event or, if there is none, how the code ended: a word and a reason.

        Args:
            seconds: the time for the event.

        Raises:
            Stop: the grader ends.
        """
        end, look = time.monotonic() + seconds, 0.0
        most = self._rubric.memory + BASE_BYTES
        while True:
            try:
                event = self._events.get(timeout=POLL_SECONDS)
            except queue.Empty:
                if self._stopped.is_set():
                    raise Stop from None
                now = time.monotonic()
                held = resident_bytes(self._process.pid)
                if now > look:
                    held, look = max(held, _bytes_of_session(self._process.pid)), now + FAMILY_SECONDS
                if held > most:
                    return "memory-limit", f"it took more than its {self._rubric.memory / 2**20:,.0f} MiB of memory"
                if now > end:
                    return "time-limit", f"it did not come back within {self._rubric.seconds:g} s"
                continue
            if event is not None:
                return event
            return "died", f"its process ended {self._how_it_died()}"

    def _how_it_died(self) -> str:
        try:
            code = self._process.wait(1)
        except subprocess.TimeoutExpired:
            return "without closing the test"
        if code >= 0:
            return f"with exit code {code} in the middle of a test"
        with contextlib.suppress(ValueError):
            name = signal.Signals(-code).name
            if name == "SIGALRM":
                return "by SIGALRM: a function did not come back and let nothing else run"
            return f"by {name}" + (
                ": ended from outside, or the machine's memory was full" if name == "SIGKILL" else ""
            )
        return f"by signal {-code}"

    def end(self) -> None:
        """End the process and all processes that it started."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for other in _session(self._process.pid):
            with contextlib.suppress(OSError):
                os.kill(other, signal.SIGKILL)
        self._process.wait()
        self.printed.thread.join(0.5)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream:
                with contextlib.suppress(OSError):
                    stream.close()


def _session(leader: int) -> Iterator[int]:
    """Yield the processes of a session, if the system provides them."""
    for entry in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if entry.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == leader:
                    yield int(entry)


def _bytes_of_session(leader: int) -> int:
    return sum(map(resident_bytes, _session(leader)))


class Examiner:
    """Prepare the tests of a rubric, and test students' files, in processes; several threads may use it at once.

    Args:
        rubric: the rubric.
        plugins: the settings of the plugins to load.
    """

    def __init__(self, rubric: Rubric, plugins: Mapping[str, Any]) -> None:
        self.rubric = rubric
        self._plugins = {
            **plugins,
            **{key: tuple(os.path.abspath(path) for path in plugins[key]) for key in ("files", "folders")},
        }
        self._stopped = threading.Event()

    def stop(self) -> None:
        """End all processes; threads that wait for a process raise Stop."""
        self._stopped.set()

    def prepared(self, tests: Sequence[int], keep: Callable[[int, dict[str, Any]], None]) -> None:
        """Prepare tests.

        Args:
            tests: the numbers of the tests.
            keep: called with the number of a test and the figures that it needs.

        Raises:
            UsageError: a test is invalid.
            MachineError: no process can be started.
        """
        current = LOADING
        with self._folder() as folder, self._process("", tests, {}, folder) as process:
            while True:
                event = process.next_event(10 * self.rubric.seconds + LEAST_START_SECONDS)
                where = "" if current == LOADING else f", test {current + 1} ({self.rubric.tests[current].name})"
                if isinstance(event, tuple):
                    raise UsageError(
                        f"{self.rubric.path}{where}: {event[1]}: {process.printed.take()[0].strip()[-300:]}"
                    )
                if event.refused:
                    raise UsageError(f"{self.rubric.path}{where}: {event.refused}")
                if event.is_over:
                    return
                if event.begun is not None:
                    current = event.begun
                elif event.prepared is not None:
                    keep(current, event.prepared)

    def examine(
        self,
        submission: Submission,
        tests: Sequence[int],
        prepared: Mapping[int, dict[str, Any]],
        keep: Callable[[int, Mark], None],
    ) -> str:
        """Test a student's file.

        Args:
            submission: the student's submission.
            tests: the numbers of the tests.
            prepared: the figures that the tests need.
            keep: called with the number of a test and its mark.

        Returns:
            the reason why the file could not be tested, or `""` if it was tested.

        Raises:
            MachineError: no process can be started.
            Stop: `stop` was called.
        """
        waiting = list(tests)
        hung: Counter[str] = Counter()

        def keep_and_count(number: int, mark: Mark) -> None:
            keep(number, mark)
            subject = self.rubric.tests[number].subject
            hung[subject] += mark.ended == "time-limit"
            if hung[subject] == MOST_HUNG:
                for other in [other for other in waiting if self.rubric.tests[other].subject == subject]:
                    waiting.remove(other)
                    keep(other, Mark(0.0, f"not tried: {MOST_HUNG} tests before did not come back", ended="time-limit"))

        while waiting:
            with self._folder() as folder:
                file = _copied(submission, folder)
                with self._process(str(file), waiting, prepared, folder) as process:
                    refusal = self._one_process(process, waiting, keep_and_count)
            if refusal:
                return refusal
        return ""

    def _one_process(self, process: Process, waiting: list[int], keep: Callable[[int, Mark], None]) -> str:
        """Keep the marks of a process until it ends; return the reason why the file could not be loaded, or `""`."""
        current, began = LOADING, time.monotonic()
        while waiting:
            seconds = self.rubric.seconds + GRACE
            event = process.next_event(max(seconds, LEAST_START_SECONDS) if current == LOADING else seconds)
            if isinstance(event, GradingEvent):
                if event.refused:
                    return event.refused
                if event.begun is not None:
                    current, began = event.begun, time.monotonic()
                elif event.mark is not None:
                    waiting.remove(current)
                    keep(current, self._with_output(event.mark, process))
                    if event.mark.ended:
                        return ""  # the function that did not return may still be running
                elif event.is_over:
                    return ""
                continue
            word, reason = event
            process.end()
            said, count = process.printed.take()
            if current == LOADING:
                last = said.strip().splitlines()[-1:] if word == "died" else []
                return f"{reason} while the file was loaded{': ' + last[0][-200:] if last else ''}"
            mark = Mark(0.0, reason, ended=word, seconds=round(time.monotonic() - began, 3))
            waiting.remove(current)
            keep(current, msgspec.structs.replace(mark, printed=said, printed_bytes=count))
            return ""
        return ""

    @staticmethod
    def _with_output(mark: Mark, process: Process) -> Mark:
        text, count = process.printed.take()
        if not count:
            return mark
        message = mark.message if mark.holds or count < MUCH else f"{mark.message} (it printed {count >> 20:,} MiB)"
        return msgspec.structs.replace(mark, message=message, printed=text, printed_bytes=count)

    @contextlib.contextmanager
    def _process(
        self, file: str, tests: Sequence[int], prepared: Mapping[int, dict[str, Any]], folder: str
    ) -> Iterator[Process]:
        needed = {number: prepared[number] for number in tests if number in prepared}
        task = GradingTask(str(self.rubric.path), file, tuple(tests), needed, dict(self._plugins), import_path())
        process = Process(task, folder, self.rubric, self._stopped)
        try:
            yield process
        finally:
            process.end()

    @staticmethod
    @contextlib.contextmanager
    def _folder() -> Iterator[str]:
        """Yield a folder for a process; it is removed afterwards."""
        folder = tempfile.mkdtemp(prefix="searchlab-grade-")
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _copied(submission: Submission, folder: str) -> Path:
    """Copy a student's submission to a folder; return the copy of the file to test."""
    assert submission.file is not None
    for path in submission.files():
        within = path.relative_to(submission.folder) if submission.folder else Path(path.name)
        target = Path(folder) / within
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return Path(folder) / submission.file.name
