"""A worker process: it loads the plugins once, stays warm, and does one run after another that it reads from a pipe.

Run as `python -m searchlab.experiments.worker`. What plugins print goes to standard error. A run whose function does
not return ends the process after its outcome was told: the coordinator starts another.
"""

from __future__ import annotations

import os
import platform
import queue
import signal
import socket
import sys
import threading
import warnings
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any

from searchlab import api, by_name
from searchlab.board import Board
from searchlab.errors import FAILURES, SearchlabError, UsageError, with_type
from searchlab.experiments.fingerprints import fingerprint
from searchlab.experiments.messages import Done, Ready, Setup, decode, decode_run, encode, read
from searchlab.plugins import Plugins
from searchlab.reports.tables import row
from searchlab.search import watchdog
from searchlab.search.result import Result
from searchlab.search.solving import search, versions

if TYPE_CHECKING:
    from searchlab.experiments.runs import Run
    from searchlab.search.problem import Problem


def main() -> None:
    """Do what the coordinator says until it closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's; it lets runs finish
    incoming, outgoing = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    first = read(incoming)
    if first is None:
        return
    worker = Worker(decode(first, Setup), outgoing)
    for message in _messages(incoming):
        outgoing.write(encode(worker.perform(decode_run(message))))


def _messages(stream: IO[bytes]) -> Any:
    """Yield messages, read by a thread: once the coordinator is gone there is nothing left to finish."""
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()

    def listen() -> None:
        while (message := read(stream)) is not None:
            waiting.put(message)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        yield waiting.get()


class Worker:
    """The plugins of a worker process, and what it has looked up so far.

    Args:
        setup: the coordinator's.
        outgoing: where outcomes are told.
    """

    def __init__(self, setup: Setup, outgoing: IO[bytes]) -> None:
        sys.path[:] = [*setup.path, *(place for place in sys.path if place not in setup.path)]
        self._setup, self._outgoing = setup, outgoing
        self._told: list[str] = []
        warnings.showwarning = self._take_warning  # type: ignore[assignment]
        warnings.simplefilter("always")
        self._plugins = Plugins(
            setup.files,
            lambda problem: self._told.append(str(problem)),
            folders=setup.folders,
            without=setup.without,
            third_party=not setup.shipped_only,
        )
        if setup.grace is not None:
            watchdog.GRACE = setup.grace
        self._bound = lru_cache(maxsize=256)(self._look_up)
        self._fingerprints: dict[str, str] = {}
        self._remembers = False
        outgoing.write(encode(Ready(self._problems(), _provenance(), f"{socket.gethostname()} {os.getpid()}")))

    def perform(self, run: Run) -> Done:
        """Do a run; whatever happens is an outcome."""
        try:
            self._check(run)
            problem = self._problem(run)
        except SearchlabError as error:
            return self._done(failed(run, str(error)))
        except FAILURES as error:  # a plugin's own code, or ours: a run that cannot be done
            return self._done(failed(run, with_type(error)))
        limits = run.limits if run.limits.memory is not None else replace(run.limits, memory=self._setup.memory)
        self._remember(run)
        try:
            result = search(problem, limits=limits, engine=run.engine, batch=run.batch, hung=self._leave)
        except SearchlabError as error:
            result = failed(run, str(error))
        return self._done(result)

    def _problem(self, run: Run) -> Problem:
        assert run.start.rows is not None
        domain, heuristic, frontier = self._bound(run.domain, run.heuristic, run.frontier)
        return api.problem(
            Board(run.start.rows), domain=domain, heuristic=heuristic, frontier=frontier, plugins=self._plugins
        )

    def _look_up(self, domain: str, heuristic: str, frontier: str) -> tuple[Any, Any, Any]:
        bound = by_name.domain(domain, plugins=self._plugins)
        return (
            bound,
            by_name.heuristic(heuristic, domain=bound, plugins=self._plugins),
            by_name.frontier(frontier, plugins=self._plugins),
        )

    def _check(self, run: Run) -> None:
        """Raise a UsageError where this worker's plugins are not the coordinator's."""
        for name, wanted in (run.plugins or {}).items():
            found = self._fingerprint(name)
            if found != wanted:
                here = f"{found} here" if found else "not here"
                raise UsageError(
                    f"plugin {name} on {socket.gethostname()} is not the coordinator's: {wanted} there, {here}"
                )

    def _fingerprint(self, name: str) -> str:
        if name not in self._fingerprints:
            self._fingerprints = {plugin.name: fingerprint(plugin) for plugin in self._plugins.loaded}
        return self._fingerprints.get(name, "")

    def _remember(self, run: Run) -> None:
        if not self._remembers and run.engine != "readable":
            from searchlab.search.compiling import remember_functions

            remember_functions()
            self._remembers = True

    def _done(self, result: Result) -> Done:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Done(row(result), {}, now, self._problems())

    def _leave(self, result: Result) -> None:
        """Tell the outcome of a run that hangs, and end the process: nothing else stops it."""
        self._outgoing.write(encode(self._done(result)))
        os._exit(0)

    def _problems(self) -> tuple[str, ...]:
        told, self._told[:] = tuple(self._told), []
        return told

    def _take_warning(self, message: Warning | str, *_: Any) -> None:
        self._told.append(str(message))


def failed(run: Run, reason: str, status: str = "error", seconds: float = 0.0) -> Result:
    """Return the result of a run that ended outside its search."""
    board = Board(run.start.rows or ((0,),))
    return Result(
        status, board, run.domain, run.heuristic, run.frontier, reason, seconds=seconds, versions=dict(versions())
    )


def _provenance() -> dict[str, Any]:
    """Return what this process computes with."""
    return {
        "versions": dict(versions()),
        "machine": {
            "host": socket.gethostname(),
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
        },
    }


if __name__ == "__main__":
    main()
