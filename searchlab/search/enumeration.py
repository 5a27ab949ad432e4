"""Enumeration: the whole state space of a domain from a board, depth by depth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError, SearchlabWarning, UsageError, with_type
from searchlab.interrupts import handlers_pass
from searchlab.search.driver import NODE_BYTES
from searchlab.search.limits import Limits, Watch
from searchlab.search.solving import ENGINES
from searchlab.search.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.search.limits import Progress

    Layers = Generator["Layer", None, str]


@dataclass(frozen=True)
class Layer:
    """The states of one depth.

    Attributes:
        depth: moves from the start.
        states: different states first met at this depth.
        dead_ends: those from which no move leads to a state the game goes on from; goals at which the game ends
            are none.
        goals: those that are goals.
        ended: moves from them with which the game was over.
        largest: the largest tile up to this depth, boards with which the game was over included. A last layer
            without states shows that only such a board holds it.
    """

    depth: int
    states: int
    dead_ends: int
    goals: int
    ended: int
    largest: int


NEWEST_REVISITED = {"none": 0, "last-two": 2, "any": inf}
"""By what a domain declares: how many layers before the new one a state of it may have been met."""


def enumerate_states(
    board: Board,
    domain: BoundDomain,
    *,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    engine: str = "auto",
    hung: Callable[[str, str], None] | None = None,
    words: Callable[[], Callable[[str, str], int]] | None = None,
) -> Layers:
    """Yield the layers of a state space as they are completed, breadth first.

    Args:
        board: the start.
        domain: the game.
        limits: time, memory and expansions it may take.
        progress: called a few times a second.
        engine: "compiled", "readable" or "auto".
        hung: called in another thread, with how it ended and why, when a function of the domain does not return.
            It has to end the process.
        words: the same where that function lets no other thread run: see `searchlab.search.watchdog.Watchdog`.

    Returns:
        how it ended: "complete", or the limit that was reached.

    Raises:
        UsageError, BoardError: before anything is enumerated.
        PluginError: the domain failed, or a layer holds a state that it cannot hold by what the domain declares.
    """
    if engine not in ENGINES:
        raise UsageError(f"engine is one of {', '.join(ENGINES)}, not {engine!r}")
    if domain.is_of_chance:
        raise UsageError(domain.why_not_searched)
    domain.check(board)
    watch = Watch(limits or Limits(), progress)
    layers = _one_by_one(_layers(board, domain, watch, engine))
    return layers if hung is None else _guarded(layers, watch, hung, words)


def _layers(board: Board, domain: BoundDomain, watch: Watch, engine: str) -> Layers:
    """Return what enumerates, compiled if that is wanted and possible."""
    if engine != "readable":
        from searchlab.search.compiling import CannotCompile
        from searchlab.search.run_enumeration import Enumeration

        try:
            return Enumeration(board, domain, watch).layers()
        except CannotCompile as error:
            if engine == "compiled":
                raise UsageError(str(error)) from None
            warnings.warn(f"{error}; the enumeration runs interpreted", SearchlabWarning, stacklevel=4)
    return _readable(board, domain, watch)


def _one_by_one(layers: Layers) -> Layers:
    """Yield the layers; what a signal handler of the program raises while one is computed reaches the program."""
    while True:
        with handlers_pass():
            try:
                layer = next(layers)
            except StopIteration as end:
                return str(end.value)
        yield layer


def _guarded(
    layers: Layers,
    watch: Watch,
    hung: Callable[[str, str], None],
    words: Callable[[], Callable[[str, str], int]] | None,
) -> Layers:
    with Watchdog(watch, hung, words):
        return (yield from layers)


def _readable(board: Board, domain: BoundDomain, watch: Watch) -> Layers:
    """Enumerate on Board objects: what the compiled form has to agree with."""
    statistics = watch.statistics
    met: dict[Board, int] = {board: 0}
    oldest = NEWEST_REVISITED[domain.component.revisited_layers]
    layer, depth, largest = [board], 0, board.largest_tile()
    largest_here = largest
    bytes_a_state = NODE_BYTES + board.tiles.nbytes
    with watch:
        while layer:
            following: dict[Board, None] = {}
            dead_ends = goals = ended = 0
            largest_here = largest
            for state in layer:
                statistics.peak_bytes = bytes_a_state * (len(met) + len(following))
                stopped = watch.stop(statistics, len(layer))
                if stopped:
                    return stopped
                statistics.expanded += 1
                if domain.is_goal(state):
                    goals += 1
                    if domain.component.ends_at_goal:
                        continue
                edges = list(domain.edges(state))
                live = [edge.board for edge in edges if not edge.terminal]
                largest = max(largest, *(edge.board.largest_tile() for edge in edges), 0)
                ended += len(edges) - len(live)
                dead_ends += not live
                following.update(dict.fromkeys(live))
            yield Layer(depth, len(layer), dead_ends, goals, ended, largest_here)
            depth += 1
            again = next((state for state in following if depth - met.get(state, depth) > oldest), None)
            if again is not None:
                raise_revisited(domain, again, met[again], depth)
            layer = [state for state in following if state not in met]
            met.update(dict.fromkeys(layer, depth))
        if largest > largest_here:
            yield Layer(depth, 0, 0, 0, 0, largest)
    return "complete"


def raise_revisited(domain: BoundDomain, board: Board, before: int, depth: int) -> None:
    """Raise that a state is met again in a layer where the domain declares that it cannot be."""
    declared = domain.component.revisited_layers
    right = "any" if declared == "last-two" else 'last-two" or "any'
    said = f"a state of layer {before} is met again in layer {depth}, {board!r:.200}"
    raise PluginError(
        f'domain {domain.name} declares revisited_layers="{declared}", but {said}: declare revisited_layers="{right}"'
    )


def failure_of_rules(domain: BoundDomain, error: BaseException) -> PluginError:
    """Return what a domain's compiled rules raised as a PluginError."""
    return PluginError(f"domain {domain.name}: {with_type(error)}")
