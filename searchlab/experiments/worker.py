"""A worker: it loads the plugins once, stays warm, and does one run after another.

Its process is `searchlab.experiments.worker_process`. A run whose function does not return ends the process after its
outcome was told: the coordinator starts another.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import socket
import sys
import warnings
from datetime import UTC, datetime
from functools import lru_cache, partial
from typing import IO, TYPE_CHECKING, Any

import msgspec

from searchlab.board.board import Board
from searchlab.errors import PluginCode, SearchlabError, UsageError, with_type
from searchlab.experiments.columns import row
from searchlab.experiments.game_parts import bound_game, plugins_of_game
from searchlab.experiments.matches import played, unknown
from searchlab.experiments.messages import Done, Ready, Setup, encode
from searchlab.experiments.parts import bound_parts, plugins_of
from searchlab.experiments.seeds import takes_seed
from searchlab.model.results import Result
from searchlab.plugins.loading import Aside
from searchlab.plugins.process_state import ProcessState, of_worker
from searchlab.plugins.registry import Plugins
from searchlab.search import deadline
from searchlab.search.solve import ObservedRun, search, versions
from searchlab.search.solve import problem as problem_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.experiments.runs import Run
    from searchlab.search.problem import Problem

KEPT = 256
"""So many combinations of names a worker remembers what stands behind."""


class Worker:
    """The plugins of a worker process, and what it has looked up so far.

    Args:
        setup: the coordinator's.
        outgoing: where outcomes are told.
    """

    def __init__(self, setup: Setup, outgoing: IO[bytes]) -> None:
        sys.path[:] = [*setup.path, *(place for place in sys.path if place not in setup.path)]
        self._setup, self._outgoing = setup, outgoing
        self._tell_outside = partial(_tell_cells, outgoing.fileno())
        self._told: list[str] = []
        sys.stdout, sys.stderr = Aside(sys.stdout), Aside(sys.stderr)  # a plugin that closes one closes none
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
            deadline.GRACE = setup.grace
        self._bound = lru_cache(maxsize=KEPT)(partial(bound_parts, plugins=self._plugins))
        self._fingerprints = lru_cache(maxsize=KEPT)(partial(plugins_of, plugins=self._plugins))
        self._bound_game = lru_cache(maxsize=KEPT)(partial(bound_game, plugins=self._plugins))
        self._fingerprints_of_game = lru_cache(maxsize=KEPT)(partial(plugins_of_game, plugins=self._plugins))
        self._remembers = False
        self._state = ProcessState(of_worker())
        outgoing.write(encode(Ready(self._problems(), _provenance(), f"{socket.gethostname()} {os.getpid()}")))

    def run(self, run: Run) -> Done:
        """Do a run; whatever happens is an outcome, and the process is afterwards as it was, or leaves."""
        done, is_intact = self._performed(run)
        return done if self._state.restore() and is_intact else msgspec.structs.replace(done, leaves=True)

    def _performed(self, run: Run) -> tuple[Done, bool]:
        """Do a run; return its outcome, and whether nothing came up to here that is no ordinary exception."""
        refused = self._why_refused(run)
        if refused:
            return msgspec.structs.replace(self._done(unfinished(run, refused)), refused=refused), True
        try:
            with PluginCode(lambda error: SearchlabError(with_type(error)), (SearchlabError,)):
                outcome = self._prepared(run)
                self._remember(run)
                return outcome(), True
        except SearchlabError as error:
            is_intact = error.__cause__ is None or isinstance(error.__cause__, Exception)
            return self._done(unfinished(run, str(error))), is_intact

    def _prepared(self, run: Run) -> Callable[[], Done]:
        """Return what does a run, with everything looked up."""
        limits = (
            run.limits if run.limits.memory is not None else dataclasses.replace(run.limits, memory=self._setup.memory)
        )
        if run.player:
            domain, player = self._bound_game(run.domain, run.player, run.seed if self._takes_seed(run) else None)
            return lambda: self._done(played(run, domain, player, limits, self._leave, self._tell_outside))
        problem = self._problem(run)

        def searched() -> Done:
            with ObservedRun(problem, limits, self._plugins, name=run.start.name, seed=run.seed) as observed_run:
                observed_run.result = search(
                    problem,
                    limits=limits,
                    engine=run.engine,
                    batch=run.batch,
                    on_timeout=lambda result: self._leave(*_told(observed_run.finish(result))),
                    fallback=partial(_tell_result, self._tell_outside),
                )
            return self._done(*_told(observed_run.result))

        return searched

    def _takes_seed(self, run: Run) -> bool:
        """Return whether a part of a game gets its seed, and is another one with another."""
        domain, player = self._bound_game(run.domain, run.player, None)
        return takes_seed(domain, run.domain) or takes_seed(player, run.player)

    def _problem(self, run: Run) -> Problem:
        assert run.start.rows is not None
        domain, heuristic, frontier = self._bound(run.domain, run.heuristic, run.frontier, run.seed)
        return problem_of(
            Board(run.start.rows), domain=domain, heuristic=heuristic, frontier=frontier, plugins=self._plugins
        )

    def _why_refused(self, run: Run) -> str:
        """Return in what this worker's plugins are not the coordinator's, an empty text if they are the same."""
        if run.plugins is None:
            return ""
        try:
            here = self._fingerprints_of(run)
        except UsageError as error:
            return f"the worker on {socket.gethostname()} has not the same plugins: {error}"
        for name, wanted in run.plugins.items():
            if here.get(name) != wanted:
                found = f"is {here[name]} there" if name in here else "is not there"
                return f"the worker on {socket.gethostname()} has not the same plugins: {name} {wanted} {found}"
        return ""

    def _fingerprints_of(self, run: Run) -> dict[str, str]:
        if run.player:
            return self._fingerprints_of_game(run.domain, run.player)
        return self._fingerprints(run.domain, run.heuristic, run.frontier)

    def _remember(self, run: Run) -> None:
        if not self._remembers and run.engine != "readable":
            from searchlab.compiler.functions import remember_functions

            remember_functions()
            self._remembers = True

    def _done(self, cells: Mapping[str, Any], metrics: Mapping[str, Any] | None = None) -> Done:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return Done(dict(cells), dict(metrics or {}), now, self._problems())

    def _leave(self, cells: Mapping[str, Any], metrics: Mapping[str, Any] | None = None) -> None:
        """Tell the outcome of a run that hangs, and end the process: nothing else stops it."""
        self._outgoing.write(encode(msgspec.structs.replace(self._done(cells, metrics), leaves=True)))
        os._exit(0)

    def _problems(self) -> tuple[str, ...]:
        told, self._told[:] = tuple(self._told), []
        return told

    def _take_warning(self, message: Warning | str, *_: Any) -> None:
        self._told.append(str(message))


def unfinished(run: Run, reason: str, status: str = "error", seconds: float = 0.0) -> dict[str, Any]:
    """Return what became of a run that ended outside its search or its game, by column."""
    if run.player:
        return unknown(run, status, reason, seconds)
    board = Board(run.start.rows or ((0,),))
    result = Result(
        status, board, run.domain, run.heuristic, run.frontier, reason, seconds=seconds, versions=dict(versions())
    )
    return row(result) if run.start.rows is not None else {**row(result), "board": None}


def _told(result: Result) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return what became of a search by column, and its metrics."""
    return row(result), result.metrics


def _tell_result(tell: Callable[[dict[str, Any]], int], result: Result) -> int:
    """Tell, in the process that watches this one, what became of a search; return the exit code."""
    return tell(row(result))


def _tell_cells(outgoing: int, cells: dict[str, Any]) -> int:
    """Tell, in the process that watches this one, what became of a run; return the exit code."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    with os.fdopen(os.dup(outgoing), "wb") as stream:
        stream.write(encode(Done(cells, {}, now, leaves=True)))
    return 0


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
