"""Enumeration of the whole state space of a domain from a board, depth by depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.errors.caller import warn_caller
from searchlab.errors.interrupts import HandlersPass
from searchlab.model.limits import Limits
from searchlab.plugins.domain_of_board import named_board
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.search.progress import shown_search
from searchlab.search.readable.enumeration import readable_layers
from searchlab.search.solve import check_engine
from searchlab.search.watch import Watch
from searchlab.search.watchdog import Watchdog

ENUMERATION = "an enumeration"

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Progress
    from searchlab.plugins.registry import Plugins
    from searchlab.search.readable.enumeration import Layer, Layers


def enumerate_states(
    board: Board,
    domain: BoundDomain,
    watch: Watch | None = None,
    *,
    engine: str = "auto",
    on_timeout: Callable[[str, str], None] | None = None,
    threads: int | None = None,
) -> Layers:
    """Yield the layers of a state space when they are complete, breadth first.

    Args:
        board: the start.
        domain: the domain.
        watch: the limits, and the clock, which starts when everything is loaded and compiled; by default no limits.
        engine: "compiled", "readable" or "auto".
        on_timeout: called in another thread with (status, reason) when a function of the domain does not return. It
            must end the process.
        threads: the number of threads of compiled code; by default the number of cores. The layers do not depend on it.

    Returns:
        the status: "complete", or the limit that was reached.

    Raises:
        UsageError, BoardError: an argument is invalid; raised before the first layer.
        PluginError: the domain failed, or a layer holds a state that the declarations of the domain exclude.
    """
    check_engine(engine)
    if domain.is_of_chance:
        raise UsageError(domain.why_not_searched)
    domain.check(board)
    domain.states.need_boards(board, ENUMERATION)
    domain.prepare(board)
    watch = watch or Watch(Limits())
    layers = _with_signal_handlers(_layers(board, domain, watch, engine, threads))
    return layers if on_timeout is None else _guarded(layers, watch, on_timeout)


def state_space(
    board: Board | Instance | str | Path | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    engine: str = "auto",
    threads: int | None = None,
    plugins: Plugins | None = None,
) -> list[Layer]:
    """Visit the whole state space of a board, and return its layers, depth by depth, as `searchlab enumerate` does.

    Args:
        board: the start: a board, an instance, or the name of either; by default the domain's start board.
        domain: the game; by default 2048. For a board given by name, it is by default the domain in the `set.toml`
            beside the file, or else the only game that the tiles fit.
        limits: the limits of time, memory and expansions. If a limit is reached, layers are missing, and a warning says
            so.
        progress: whether to show the progress, or a function that receives it, as for `solve`.
        engine: "compiled", "readable" or "auto".
        threads: the number of threads of compiled code; by default the number of cores. The layers do not depend on it.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        the layers; `pandas.DataFrame(layers)` turns them into a table.

    Raises:
        UsageError, BoardError: an argument is invalid.
        PluginError: the domain failed.

    >>> import searchlab as sl
    >>> layers = sl.state_space(domain="2048:n=2,goal=16", engine="readable")
    >>> len(layers), sum(layer.states for layer in layers)
    (11, 49)
    """
    start, bound = named_board(board, domain, plugins, default=DEFAULT_DOMAIN, needed_by=ENUMERATION)
    found: list[Layer] = []
    with shown_search(progress, limits) as report:
        layers = enumerate_states(start, bound, Watch(limits or Limits(), report), engine=engine, threads=threads)
        while True:
            try:
                found.append(next(layers))
            except StopIteration as end:
                ended = end.value
                break
    if ended != "complete":
        warn_caller(f"the enumeration ended before it was complete: {ended}")
    return found


def _layers(board: Board, domain: BoundDomain, watch: Watch, engine: str, threads: int | None) -> Layers:
    """Return the layers from compiled code if wanted and possible, else from the readable enumeration."""
    if engine != "readable":
        from searchlab.compiler.functions import CannotCompile
        from searchlab.search.compiled.enumeration import Enumeration

        try:
            return Enumeration(board, domain, watch, threads=threads).layers()
        except CannotCompile as error:
            if engine == "compiled":
                raise UsageError(str(error)) from None
            warn_caller(f"{error}; the enumeration runs interpreted")
    return readable_layers(board, domain, watch)


def _with_signal_handlers(layers: Layers) -> Layers:
    # An exception that a signal handler of the program raises while a layer is computed has to reach the program.
    while True:
        with HandlersPass():
            try:
                layer = next(layers)
            except StopIteration as end:
                return str(end.value)
        yield layer


def _guarded(layers: Layers, watch: Watch, on_timeout: Callable[[str, str], None]) -> Layers:
    with Watchdog(watch, on_timeout):
        return (yield from layers)
