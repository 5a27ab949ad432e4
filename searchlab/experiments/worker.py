"""A worker: it loads the plugins once, stays warm, and does one run after another.

It lives in a process of `searchlab.experiments.worker_process`. If a run does not return, the process sends its outcome
and ends, and `searchlab.experiments.worker_pool` starts another.
"""

from __future__ import annotations

import dataclasses
import os
import platform
import socket
import sys
import warnings
from datetime import UTC, datetime
from functools import lru_cache
from typing import IO, TYPE_CHECKING, Any

import msgspec

from searchlab.board.board import FEW_TILES, Board
from searchlab.errors import PluginCode, SearchlabError, UsageError, with_type
from searchlab.errors.printed import Aside, PrintedByPlugins
from searchlab.experiments.components import bind, fingerprints_of, takes_seed
from searchlab.experiments.game_run import play_run, unknown_outcome
from searchlab.experiments.instances import KnownInstances
from searchlab.experiments.machine import Gauge, pin, processor
from searchlab.experiments.messages import Compiling, Done, Improved, Ready, Setup, encode
from searchlab.experiments.quantities import declared_by
from searchlab.experiments.runs import GAMES, SEARCHES
from searchlab.experiments.tables import board_text, stored_cells
from searchlab.model.preparation import CompileProgress, listen_everywhere
from searchlab.model.results import Improvement, Result
from searchlab.plugins.process_state import ProcessState, StateKept, of_worker
from searchlab.plugins.registry import Plugins
from searchlab.search import watchdog
from searchlab.search.searcher import Searcher
from searchlab.search.solve import ObservedRun, versions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.experiments.runs import Rows, Run
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Limits
    from searchlab.model.preparation import Preparation

    Parts = tuple[tuple[str, str], ...]

KEPT = 256
"""The number of combinations of components, and of boards of few tiles, that a worker keeps."""
SEARCHERS_KEPT = 32
"""The number of searchers that a worker keeps. Each has compiled functions, and up to a megabyte of arrays."""


class Worker:
    """Does runs with the plugins of its process.

    Args:
        setup: the first message of the scheduler.
        outgoing: the pipe for outcomes.
    """

    def __init__(self, setup: Setup, outgoing: IO[bytes]) -> None:
        sys.path[:] = [*setup.path, *(place for place in sys.path if place not in setup.path)]
        self._setup, self._outgoing = setup, outgoing
        self._pinned = pin() if setup.pin else None  # before threads are started, which are bound, too
        self._gauge = Gauge()
        self._messages: list[str] = []
        sys.stdout, sys.stderr = PrintedByPlugins(), Aside(sys.stderr)  # a plugin cannot close them
        warnings.showwarning = self._note_warning  # type: ignore[assignment]
        warnings.simplefilter("always")
        self._plugins = Plugins(
            setup.files,
            lambda problem: self._messages.append(str(problem)),
            folders=setup.folders,
            without=setup.without,
            third_party=not setup.shipped_only,
            rereads=False,  # all runs are done with the code whose fingerprint was compared
        )
        if setup.grace is not None:
            watchdog.GRACE = setup.grace
        self._bind = lru_cache(maxsize=KEPT)(self._bind_anew)
        self._searcher = lru_cache(maxsize=SEARCHERS_KEPT)(self._searcher_anew)
        self._fingerprints = lru_cache(maxsize=KEPT)(self._fingerprint_anew)
        self._instances = KnownInstances()
        self._limits = lru_cache(maxsize=KEPT)(self._with_memory)
        self._state = ProcessState(of_worker())
        StateKept.is_worker = True
        listen_everywhere(self._tell_of_compiling)
        provenance = _provenance(self._plugins)
        outgoing.write(encode(Ready(self._take_messages(), provenance, f"{socket.gethostname()} {os.getpid()}")))

    def run(self, run: Run) -> Done:
        """Do a run and return the outcome, even after a failure; then restore the process, or let it end."""
        done, is_intact = self._done_and_intact(run)
        return done if self._state.restore() and is_intact else msgspec.structs.replace(done, leaves=True)

    def _done_and_intact(self, run: Run) -> tuple[Done, bool]:
        """Do a run; return its outcome, and whether only ordinary exceptions were raised."""
        refused = self._why_refused(run)
        if refused:
            return msgspec.structs.replace(self._done(unfinished(run, refused)), refused=refused), True
        try:
            with PluginCode(lambda error: SearchlabError(with_type(error)), (SearchlabError,)):
                return self._play(run) if run.kind is GAMES else self._search(run), True
        except SearchlabError as error:
            is_intact = error.__cause__ is None or isinstance(error.__cause__, Exception)
            return self._done(unfinished(run, str(error))), is_intact

    def _search(self, run: Run) -> Done:
        bound = self._bound(run)
        searcher = self._searcher(bound["domain"], bound.get("heuristic"), bound["frontier"], run.engine, run.batch)
        rows = run.instance.rows
        board = None if rows is None else start_board(rows)
        problem = searcher.problem(self._instance(run, searcher.domain) if run.instance.static else board)
        limits = self._limits(run.limits)
        with ObservedRun(problem, limits, self._plugins, name=run.instance.name, seed=run.seed) as observed_run:
            observed_run.result = searcher.search(
                problem,
                limits=limits,
                on_improvement=self._tell_of_improvement,
                on_timeout=lambda result: self._leave(*_cells_and_metrics(run, observed_run.finish(result))),
            )
        if rows is not None and board is not None and tiles_of(rows) != board.tiles.tobytes():
            # Nothing says what else it wrote to, and the next run may begin on this board: the process ends.
            reason = "the code of a plugin writes into the tiles of a board, which are read-only for NumPy"
            return msgspec.structs.replace(self._done(unfinished(run, reason)), leaves=True)
        return self._done(*_cells_and_metrics(run, observed_run.result))

    def _play(self, run: Run) -> Done:
        bound = self._bound(run)
        if run.instance.static:
            domain = bound["domain"].of(self._instance(run, bound["domain"]))
            bound = {"domain": domain, "player": bound["player"].on(domain)}
        limits = self._limits(run.limits)
        return self._done(play_run(run, bound["domain"], bound["player"], limits, self._leave))

    def _instance(self, run: Run, domain: BoundDomain) -> Instance:
        """Return the instance of a run.

        Raises:
            UsageError: the static data changed after the run was planned.
            SearchlabError: the static data cannot be read.
        """
        return self._instances.find(run.instance, domain, self._plugins)

    def _with_memory(self, limits: Limits) -> Limits:
        """Return a run's limits, with the default memory limit if it has none."""
        return limits if limits.memory is not None else dataclasses.replace(limits, memory=self._setup.memory)

    def _searcher_anew(self, domain: Any, heuristic: Any, frontier: Any, engine: str, batch: int | None) -> Searcher:
        parts = {"domain": domain, "heuristic": heuristic, "frontier": frontier}
        return Searcher(**parts, engine=engine, batch=batch, plugins=self._plugins)

    def _bound(self, run: Run) -> dict[str, Any]:
        """Return the components of a run; components without a seed are the same for all seeds."""
        parts = tuple(run.parts.items())
        bound = self._bind(parts, None)
        takes = any(takes_seed(bound[kind], name) for kind, name in parts)
        return self._bind(parts, run.seed) if takes else bound

    def _bind_anew(self, parts: Parts, seed: int | None) -> dict[str, Any]:
        return bind(dict(parts), seed, self._plugins)

    def _fingerprint_anew(self, parts: Parts) -> dict[str, str]:
        return fingerprints_of(dict(parts), self._plugins)

    def _why_refused(self, run: Run) -> str:
        """Return an error message if this worker's plugins differ from the scheduler's, else ''."""
        if run.plugins is None:
            return ""
        try:
            here = self._fingerprints(tuple(run.parts.items()))
        except UsageError as error:
            return f"the worker on {socket.gethostname()} does not have the same plugins: {error}"
        for name, wanted in run.plugins.items():
            if here.get(name) != wanted:
                found = f"is {here[name]} there" if name in here else "is not there"
                if ":" in name:
                    found += f": {name.partition(':')[2]} uses values that differ when its module is imported"
                return f"the worker on {socket.gethostname()} does not have the same plugins: {name} {wanted} {found}"
        return ""

    def _done(self, cells: Mapping[str, Any], metrics: Mapping[str, Any] | None = None) -> Done:
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        load, clock = self._gauge.read()
        return Done(cells, metrics or {}, now, load, clock, self._take_messages())

    def _leave(self, cells: Mapping[str, Any], metrics: Mapping[str, Any] | None = None) -> None:
        """Send the outcome of a run that does not return, and end the process: nothing else stops the run."""
        self._outgoing.write(encode(msgspec.structs.replace(self._done(cells, metrics), leaves=True)))
        os._exit(0)

    def _take_messages(self) -> tuple[str, ...]:
        """Return the messages about plugins since the last call."""
        messages, self._messages[:] = tuple(self._messages), []
        return messages

    def _tell_of_compiling(self, preparation: Preparation) -> None:
        """Let the scheduler show that a function is compiled; tables were built before the runs."""
        if isinstance(preparation, CompileProgress):
            self._outgoing.write(encode(Compiling(preparation)))

    def _tell_of_improvement(self, solution: Improvement) -> None:
        """Send a solution to the scheduler, so that it survives the end of this process."""
        self._outgoing.write(encode(Improved.of(solution)))

    def _note_warning(self, message: Warning | str, *_: Any) -> None:
        self._messages.append(str(message))


def start_board(rows: Rows) -> Board:
    """Return the start of a search, the same for all runs of a board if it has few tiles."""
    if sum(map(len, rows)) > FEW_TILES:
        return Board(rows, signed=True)
    if _kept_board(rows).tiles.tobytes() != tiles_of(rows):  # a plugin wrote into it before it failed
        _kept_board.cache_clear()
    return _kept_board(rows)


@lru_cache(maxsize=KEPT)
def tiles_of(rows: Rows) -> bytes:
    """Return the bytes of a board's tiles."""
    return Board(rows, signed=True).tiles.tobytes()


@lru_cache(maxsize=KEPT)
def _kept_board(rows: Rows) -> Board:
    """Return a board that keeps cached values from run to run."""
    board = Board(rows, signed=True)
    board.size()  # stored on the board; once a board stores a value, domains store theirs on it, too
    return board


def unfinished(
    run: Run, reason: str, status: str = "error", seconds: float = 0.0, told: Sequence[Improved] = ()
) -> dict[str, Any]:
    """Return the outcome, by column, of a run that ended outside its search or game.

    Args:
        told: the solutions that its search had told of.
    """
    if run.kind is GAMES:
        return unknown_outcome(run, status, reason, seconds)
    board = Board(run.instance.rows or ((0,),), signed=True)
    domain, heuristic, frontier = (run.parts.get(kind, "") for kind in SEARCHES.parts)
    figures: dict[str, Any] = {"ended_by": status, "seconds": seconds, "versions": dict(versions())}
    if told:
        best, status = told[-1], "error" if status == "error" else "solved"
        actions = best.actions
        figures |= {"moves": len(actions), "cost": best.cost, "actions": actions, "expanded": best.expanded}
        figures["solutions"] = tuple(Improvement(one.seconds, one.expanded, one.cost) for one in told)
    result = Result(status, board, domain, heuristic, frontier, reason, **figures)
    text = None if run.instance.rows is None else board_text(board, run.instance.static)
    return {**stored_cells(result), "board": text}


def _cells_and_metrics(run: Run, result: Result) -> tuple[dict[str, Any], Mapping[str, Any]]:
    """Return the cells of a search; a start that is not a board has no tiles to store, and is known by its name."""
    cells = stored_cells(result)
    return cells if run.instance.rows is not None else {**cells, "board": None}, result.metrics


def _provenance(plugins: Plugins) -> dict[str, Any]:
    """Return the versions and the machine of this process, and the declarations of metrics if there are any."""
    declared = {registered.component.name: declared_by(registered.component) for registered in plugins.all("metric")}
    return {
        **({"metrics": declared} if declared else {}),
        "versions": dict(versions()),
        "machine": {
            "host": socket.gethostname(),
            "system": f"{platform.system()} {platform.release()}",
            "processor": processor(),
            "cores": os.cpu_count(),
        },
    }
