"""TableProgress: how far a prepared table is, and who is called with it."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from searchlab.model.formatting import rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Watcher = Callable[["TableProgress"], None]


@dataclass(frozen=True)
class TableProgress:
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
        return f"building {self.table}" + (f", {rounded(self.done)}" if self.done else "")

    @property
    def share(self) -> float | None:
        """The share that is done, None if it is not known."""
        return min(1.0, max(0.0, self.done / self.total)) if self.done is not None and self.total else None


_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)
_default: list[Watcher] = []


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """While the context lasts, call a function with the progress of tables that are prepared in this thread."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def watch_all(watcher: Watcher) -> None:
    """From now on, call a function with the progress of tables wherever nobody else watches."""
    _default[:] = [watcher]


def table_watcher() -> Watcher | None:
    """Return the function that is to be called with the progress of tables in this thread, None for none."""
    return _watcher.get() or next(iter(_default), None)
