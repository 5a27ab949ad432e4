"""Watch: ends a running search at its limits of time, memory and expansions, or at Ctrl-C."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from math import inf, isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Self

from searchlab.errors import Cancelled, PluginError
from searchlab.errors.interrupts import note_ctrl_c, set_handler, signal_handler
from searchlab.model.limits import Limits, Progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

    from searchlab.model.results import Improvement, Statistics
    from searchlab.model.states import State
    from searchlab.search.readable.node import SearchObserver


REPORT_EVERY = 0.1
"""Seconds between two calls of a progress callback."""
SHARE_OF_MEMORY = 0.5
"""The share of the available memory that a search may take if no limit is given."""
LEAST_GROWTH = 256 * 2**20
"""The number of bytes by which a process may always grow, as room for the interpreter and libraries."""
TOLERANCE = 1.1
"""The factor by which a process may exceed its limit, because the memory of a search is not known more exactly."""
UNLIMITED_EXPANSIONS = 2**62
UNDECIDED = "undecided"
"""The status of an interpreted search that is abandoned for a compiled one; never the status of a result."""


class Stopped(Cancelled, Exception):
    """Ends a search in the middle of an operation.

    Attributes:
        status: the status of the result.
    """

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class Watch:
    """Times a search, notes Ctrl-C, and reports when a limit is reached.

    Use it as a context manager around the search: while it is active in the main thread, Ctrl-C ends the search with
    the status `interrupted`, and a second Ctrl-C raises KeyboardInterrupt at once.

    Attributes:
        memory: the number of bytes that the search may hold.
        expansions: the number of nodes that the search may expand.
        statistics: the statistics so far. Search loops update them in place, so that an error loses nothing.
        began: the time at which the search began, by `time.perf_counter`; before that, the time at which the Watch was
            made. Time that does not count moves it forward.
        resident: the number of bytes that the process occupied when the search began; 0 without a Watchdog.
        is_full: returns whether the process has exceeded its memory; called when the time is up. None without a
            Watchdog, because other work may then share the process.
        on_begin: called when the clocks start; None without a Watchdog.
        observer: notified of every step of a readable search, or None. When the observer is full, the search is
            abandoned with the status UNDECIDED.
        incumbent: the cost of the best solution that the search has found, infinite before the first.
        solutions: the reported solutions, each cheaper than the one before.
        iterations: the limit of each iteration, and the numbers of nodes expanded and generated before it, see
            `begin_iteration`.
        layers_by_f: returns the number of nodes expanded with f = 0, the number generated from them, the same for f =
            1, and so on, for small whole f. None except for best-first searches.
        replay: called with the states, cost, statistics and seconds of a solution: replays it through the rules of the
            domain, and returns it or raises a PluginError. Set while a search runs.
        on_improvement: called with each reported solution, or None.
        undecided_after: the number of seconds after which the search is abandoned with the status UNDECIDED.
        seconds, cpu_seconds: the duration of the search, set when it is over.
    """

    def __init__(self, limits: Limits, progress: Callable[[Progress], None] | None = None, sign: int = 1) -> None:
        from searchlab.model.results import Statistics  # late: every command imports this module before it forks

        self.limits = limits
        self.memory = limits.memory if limits.memory is not None else share_of_memory()
        self.expansions = limits.expansions if limits.expansions is not None else UNLIMITED_EXPANSIONS
        self.seconds = self.cpu_seconds = 0.0
        self.statistics = Statistics()
        self.is_full: Callable[[], bool] | None = None
        self.on_begin: Callable[[], None] | None = None
        self.observer: SearchObserver | None = None
        self.undecided_after = inf
        self.incumbent = inf
        self.solutions: list[Improvement] = []
        self.iterations: list[tuple[float, int, int]] = []
        self.layers_by_f: Callable[[], list[int]] | None = None
        self.replay: Callable[[Sequence[State], float | None, Statistics, float], Improvement] | None = None
        self.on_improvement: Callable[[Improvement], None] | None = None
        self._progress = progress
        self._sign = sign
        self._interrupted = False
        self._given_up = ""
        self._next_report = REPORT_EVERY
        self._previous: Callable[[int, FrameType | None], object] | int | None = None
        self.resident = 0
        self.begin()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            previous = signal_handler(signal.SIGINT)
            if previous not in (None, signal.SIG_IGN):  # a shell lets background jobs ignore Ctrl-C
                self._previous = previous
                set_handler(signal.SIGINT, self._interrupt)
        if self.is_full:
            self.resident = resident_bytes()
        self.begin()
        return self

    def begin(self) -> None:
        """Start the clocks; time before this call does not count."""
        self.began, self._cpu_began = time.perf_counter(), time.process_time()
        if self.on_begin:
            self.on_begin()

    @contextmanager
    def not_counting(self) -> Iterator[None]:
        """Stop the clocks for a block of code that prepares the rest of the search."""
        since, cpu_since = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.began += time.perf_counter() - since
            self._cpu_began += time.process_time() - cpu_since

    def __exit__(self, *_: object) -> None:
        self.note_times()
        if self._previous is not None:
            set_handler(signal.SIGINT, self._previous)

    def note_times(self) -> None:
        """Set `seconds` and `cpu_seconds` to the time since the search began."""
        self.seconds = time.perf_counter() - self.began
        self.cpu_seconds = time.process_time() - self._cpu_began

    def stop(self, statistics: Statistics, open_nodes: int = 0) -> str:
        """Return the status with which the search has to end now, or `""` if it may continue; report progress.

        Call this before each expansion, or between two slices of compiled code.
        """
        seconds = time.perf_counter() - self.began
        if seconds > self.limits.seconds or seconds > self.undecided_after or self._interrupted or self._given_up:
            overdue = self._overdue(seconds)
            if overdue:
                return overdue
        if self.observer is not None and self.observer.is_full:
            return UNDECIDED
        if statistics.expanded >= self.expansions:
            return "expansion-limit"
        if statistics.peak_bytes > self.memory:
            return "memory-limit"
        if self._progress and seconds >= self._next_report:
            self._next_report = seconds + REPORT_EVERY
            best = self._sign * statistics.best_h if isfinite(statistics.best_h) else None
            self._progress(Progress("searching", seconds, statistics.expanded, open_nodes, best, statistics.peak_bytes))
        return ""

    def improved(self, cost: float, path: Callable[[], Sequence[State]]) -> None:
        """Record a solution that is cheaper than the incumbent, and notify listeners.

        The solution is first replayed through the rules of the domain. The clocks stop meanwhile.

        Args:
            cost: the solution cost.
            path: a function that returns the states, start first.

        Raises:
            PluginError: the solution is invalid, has another cost, or is not cheaper than the incumbent.
        """
        seconds = time.perf_counter() - self.began
        if not cost < self.incumbent:
            raise PluginError(f"the search told of a solution of cost {cost:.10g} after one of {self.incumbent:.10g}")
        assert self.replay is not None
        with self.not_counting():
            solution = self.replay(path(), cost, self.statistics, seconds)
            self.incumbent = min(cost, solution.cost)
            if self.solutions and solution.cost >= self.solutions[-1].cost:
                return  # the search has restarted, and has reported this solution or a cheaper one before
            self.solutions.append(solution)
            if self.on_improvement:
                self.on_improvement(solution)

    def begin_iteration(self, limit: float, statistics: Statistics) -> None:
        """Record that an iteration begins, for `Result.layers`.

        Args:
            limit: the bound of the iteration on g + h, or the width of its beam.
            statistics: the statistics so far.
        """
        self.iterations.append((limit, statistics.expanded, statistics.generated))

    def restart(self) -> None:
        """Reset the statistics of a search that restarts. Its solutions stay, and are not reported again."""
        from searchlab.model.results import Statistics

        self.statistics, self.incumbent = Statistics(), inf
        self.iterations.clear()
        self.layers_by_f = None

    def check(self) -> None:
        """Raise Stopped if the time is up or Ctrl-C was pressed; call this in long operations between expansions."""
        overdue = self._overdue(time.perf_counter() - self.began)
        if overdue:
            raise Stopped(overdue)

    def give_up(self, status: str) -> None:
        """End the search with this status when it next calls `stop` or `check`; may be called in any thread."""
        self._given_up = status

    def grant(self, size: int) -> None:
        """Allow the search `size` bytes besides its share of the remaining memory, unless a limit was given."""
        if self.limits.memory is None:
            self.memory = size + max(0, share_of_memory() - int(SHARE_OF_MEMORY * size))

    def _overdue(self, seconds: float) -> str:
        if self._interrupted:
            return "interrupted"
        if self._given_up:
            return self._given_up
        if seconds > self.undecided_after:
            return UNDECIDED
        if seconds <= self.limits.seconds:
            return ""
        return "memory-limit" if self.is_full and self.is_full() else "time-limit"

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        note_ctrl_c()
        if self._interrupted:
            raise KeyboardInterrupt
        self._interrupted = True


def enumeration_watch(limits: Limits | None, progress: Callable[[Progress], None] | None, states: int | None) -> Watch:
    """Return a Watch for an enumeration, whose progress includes the number of all states, if known."""
    return Watch(limits or Limits(), None if progress is None else lambda p: progress(replace(p, states=states)))


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def most_growth(memory: int) -> float:
    """Return the number of bytes by which a process may grow if its search may hold `memory` bytes."""
    return TOLERANCE * max(memory, LEAST_GROWTH)


def share_of_memory() -> int:
    """Return the number of bytes that a search may take if no limit is given; updated once a second."""
    return _share_at(int(time.monotonic()))


@lru_cache(maxsize=1)
def _share_at(second: int) -> int:
    return int(SHARE_OF_MEMORY * available_memory())


CONTAINERS = (
    (Path("/sys/fs/cgroup"), "memory.max", "memory.current", "inactive_file"),
    (Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
)
"""Where Linux reports the memory of a container: the folder, the files with limit and use, and the key of the cache
that the system can drop."""


def available_memory() -> int:
    """Return the number of bytes that this process may still take, within the limits of its container."""
    amounts = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                amounts.append(int(line.split()[1]) * 1024)
    except (OSError, ValueError):
        pass
    for folder, limit, used, cached in CONTAINERS:
        try:
            amounts.append(int((folder / limit).read_text()) - int((folder / used).read_text()))
            statistics = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            amounts[-1] += int(statistics.get(cached, 0))
        except (OSError, ValueError):
            continue
    if not amounts and hasattr(os, "sysconf"):
        amounts.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return max(0, min(amounts, default=4 * 2**30))


def resident_bytes(process: int = 0) -> int:
    """Return the number of unshared bytes that a process has in memory, or 0 if unknown; by default of this process.

    Pages of mapped files do not count: all processes share prepared tables, and the system can drop them.
    """
    try:
        if process and process != os.getpid():
            content = Path(f"/proc/{process}/statm").read_bytes()
        else:
            content = os.pread(_own_statm(os.getpid()), 128, 0)
        _, resident, shared, *_ = content.split()
        return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0


@lru_cache(maxsize=1)
def _own_statm(process: int) -> int:
    # The file stays open: opening it costs a short search more than reading it.
    return os.open(f"/proc/{process}/statm", os.O_RDONLY)
