"""Threads that share the parts of some work; compiled code does each part, so that threads run in parallel."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial
from operator import itemgetter
from threading import Event
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from searchlab.errors import UsageError, shown
from searchlab.model.strategies import MOST_THREADS
from searchlab.search.watch import cores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)

LOOK_EVERY = 0.05
"""Seconds between two checks of the limits and of Ctrl-C."""


class Work(Protocol[P_contra]):
    """A function that does a part of the work."""

    def __call__(self, thread: int, part: P_contra, goes_on: Callable[[], bool]) -> None:
        """Do a part of the work, in the thread of this number; call `goes_on` regularly, and return if it is false."""


class Threads:
    """A context manager with threads that share work, part by part, with the same results as a single thread.

    Args:
        count: the number of threads; by default the number of cores.

    Raises:
        UsageError: the number of threads is invalid.
    """

    def __init__(self, count: int | None = None) -> None:
        if count is not None and (type(count) is not int or not 1 <= count <= MOST_THREADS):
            raise UsageError(f"threads are from 1 to {MOST_THREADS}, not {shown(count, 40)}")
        self.count = min(cores(), MOST_THREADS) if count is None else count
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def share(self, work: Work[P], parts: Sequence[P], look: Callable[[], str], *, alone: bool = False) -> str:
        """Do all parts of some work, begun in order.

        If a part fails, later parts are not begun, earlier parts are finished, and the error of the first failed part
        is raised, as in a single thread.

        Args:
            work: does a part.
            parts: the parts.
            look: returns a status if the work must end now, or `""`; called in this thread.
            alone: whether this thread does everything, because there is too little work to share.

        Returns:
            the status with which the work ended early, or `""` if it is complete.
        """
        if alone or self.count == 1 or len(parts) <= 1:
            return _alone(work, parts, look)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.count)
        shared = _Shared(work, parts)
        running: set[Future[None]] = {
            self._pool.submit(shared.run, thread) for thread in range(min(self.count, len(parts)))
        }
        stopped = ""
        try:
            while running and not stopped:
                _, running = wait(running, LOOK_EVERY)
                stopped = look()
        finally:
            shared.stopped.set()
            wait(running)
        if shared.failures and not stopped:
            raise min(shared.failures, key=itemgetter(0))[1]
        return stopped


def _alone(work: Work[P], parts: Sequence[P], look: Callable[[], str]) -> str:
    """Do all parts in this thread; arguments as for `Threads.share`."""
    stopped = ""

    def goes_on() -> bool:
        nonlocal stopped
        stopped = stopped or look()
        return not stopped

    for part in parts:
        work(0, part, goes_on)
        if stopped:
            break
    return stopped


class _Shared(Generic[P]):
    """Work that threads share; arguments as for `Threads.share`.

    Attributes:
        stopped: set when the work has to end.
        failures: the numbers of the failed parts, and their errors.
    """

    def __init__(self, work: Work[P], parts: Sequence[P]) -> None:
        self._work = work
        self._parts = enumerate(parts)  # taking the next part is atomic
        self.stopped = Event()
        self.failures: list[tuple[int, BaseException]] = []

    def run(self, thread: int) -> None:
        """Do one part after another, in the thread of this number, while there are any."""
        for number, part in self._parts:
            goes_on = partial(self._goes_on, number)
            if not goes_on():
                return
            try:
                self._work(thread, part, goes_on)
            except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
                self.failures.append((number, error))

    def _goes_on(self, number: int) -> bool:
        return not self.stopped.is_set() and all(number < failed for failed, _ in self.failures)
