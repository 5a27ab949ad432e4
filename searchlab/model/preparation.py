"""What is made ready before it can be used, prepared tables and machine code, and who is called with its progress."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from searchlab.model.formatting import duration, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Preparation: TypeAlias = "TableProgress | CompileProgress"
    Watcher = Callable[[Preparation], None]


class TableProgress(NamedTuple):
    """The progress of a table that is being prepared.

    Attributes:
        table: its name, "table corners of heuristic pdb".
        phase: "waiting" for another process that builds it, "building", "built" (by this process or
            another), or "failed".
        seconds: since it began.
        done: what is done of it, in units of its own; None if that is not known.
        total: what there is to do, in the same units.
    """

    table: str
    phase: Literal["waiting", "building", "built", "failed"]
    seconds: float = 0.0
    done: float | None = None
    total: float | None = None

    @property
    def summary(self) -> str:
        """What happens to the table, in a few words."""
        if self.phase == "waiting":
            return f"waiting for another process to build {self.table}"
        if self.phase != "building":
            return f"{self.table} {self.phase}"
        if self.share is not None:
            return f"building {self.table}, {self.share:.0%}"
        return f"building {self.table}" + (f", {rounded(self.done)} done" if self.done else "")

    @property
    def share(self) -> float | None:
        """The share that is done, None if it is not known."""
        return min(1.0, max(0.0, self.done / self.total)) if self.done is not None and self.total else None


class CompileProgress(NamedTuple):
    """A function is being compiled, which happens once on a machine.

    Attributes:
        function: its name.
        phase: "compiling", or "compiled" when that is over, also if it failed.
        seconds: how long this process has compiled before; with the phase "compiled", this function included.
    """

    function: str
    phase: Literal["compiling", "compiled"]
    seconds: float = 0.0

    def summary(self, seconds: float) -> str:
        """Say what is compiled, and for how long this process has done that in all.

        >>> CompileProgress("snake", "compiling").summary(4.2)
        'compiling snake … 4 s (first time only)'
        """
        return f"compiling {self.function} … {duration(max(1, int(seconds)))} (first time only)"


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_default: list[Watcher] = []


@contextmanager
def watched(by: Watcher) -> Iterator[None]:
    """While the context lasts, call a function with what is prepared in this thread."""
    before = _watcher.set(by)
    try:
        yield
    finally:
        _watcher.reset(before)


def watch_all(by: Watcher) -> None:
    """From now on, call a function with what is prepared wherever nobody else watches."""
    _default[:] = [by]


def is_watched_here() -> bool:
    """Return whether `watched` says who watches in this thread."""
    return _watcher.get() is not None


def watcher() -> Watcher | None:
    """Return the function that is to be called with what is prepared in this thread, None for none."""
    return _watcher.get() or next(iter(_default), None)
