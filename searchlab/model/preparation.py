"""The preparation of tables and machine code before their use, and the functions that receive its progress."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from searchlab.model.formatting import duration, rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Preparation: TypeAlias = "TableProgress | CompileProgress"
    Listener = Callable[[Preparation], None]


class TableProgress(NamedTuple):
    """The progress of a table that is being prepared.

    Attributes:
        table: the name, such as "table corners of heuristic pdb".
        phase: "waiting" for another process that builds it, "building", "built" (by this process or another), or
            "failed".
        seconds: the seconds since the beginning.
        done: the work done, in units of the table; None if unknown.
        total: the total work, in the same units.
    """

    table: str
    phase: Literal["waiting", "building", "built", "failed"]
    seconds: float = 0.0
    done: float | None = None
    total: float | None = None

    @property
    def summary(self) -> str:
        """The state of the table, in a few words."""
        if self.phase == "waiting":
            return f"waiting for another process to build {self.table}"
        if self.phase != "building":
            return f"{self.table} {self.phase}"
        if self.share is not None:
            return f"building {self.table}, {self.share:.0%}"
        return f"building {self.table}" + (f", {rounded(self.done)} done" if self.done else "")

    @property
    def share(self) -> float | None:
        """The share of the work that is done, None if unknown."""
        return min(1.0, max(0.0, self.done / self.total)) if self.done is not None and self.total else None


class CompileProgress(NamedTuple):
    """A function is being compiled, which happens once on a machine.

    Attributes:
        function: the name of the function.
        phase: "compiling", or "compiled" when that is over, even if it failed.
        seconds: the seconds this process has compiled before; with the phase "compiled", including this function.
    """

    function: str
    phase: Literal["compiling", "compiled"]
    seconds: float = 0.0

    def summary(self, seconds: float) -> str:
        """Return a line about the function being compiled, and the total time this process has compiled.

        >>> CompileProgress("snake", "compiling").summary(4.2)
        'compiling snake … 4 s (first time only)'
        """
        return f"compiling {self.function} … {duration(max(1, int(seconds)))} (first time only)"


_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
_default: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call a function with all preparations in this thread during the context."""
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def listen_everywhere(listener: Listener) -> None:
    """From now on, call a function with all preparations that no other function gets."""
    _default[:] = [listener]


def has_listener_here() -> bool:
    """Return whether `listening` is active in this thread."""
    return _listener.get() is not None


def listener() -> Listener | None:
    """Return the function to call with preparations in this thread, or None."""
    return _listener.get() or next(iter(_default), None)
