"""The readable enumeration: all states of a domain as Board objects, depth by depth."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import PluginError, with_type
from searchlab.search.readable.node import NODE_BYTES

if TYPE_CHECKING:
    from collections.abc import Generator

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.search.watch import Watch

    Layers = Generator["Layer", None, str]


@dataclass(frozen=True)
class Layer:
    """The states of one depth.

    Attributes:
        depth: the number of moves from the start.
        states: the number of states first met at this depth.
        dead_ends: the number of these states without a move, or with moves that all end the game; goals that end the
            game are not counted.
        goals: the number of these states that are goals.
        ended: the number of moves from these states that end the game.
        largest: the largest tile up to this depth, including boards that end the game. If the largest tile is only on
            such a board, a last layer without states reports it.
    """

    depth: int
    states: int
    dead_ends: int
    goals: int
    ended: int
    largest: int


NEWEST_REVISITED = {"none": 0, "last-two": 2, "any": inf}
"""By the declaration of a domain: how many layers before a new layer its states may have been met already."""

REVISITED_BY = {"none": "layered=True", "last-two": 'inverse="same"'}
"""The declaration in the domain that limits which layers are revisited, for error messages."""


def readable_layers(board: Board, domain: BoundDomain, watch: Watch) -> Layers:
    """Yield the layers from a board, and return the status; the compiled enumeration gives the same layers."""
    statistics = watch.statistics
    met: dict[Board, int] = {board: 0}
    oldest = NEWEST_REVISITED[domain.component.revisited]
    layer, depth, largest = [board], 0, board.largest_tile()
    largest_here = largest
    bytes_per_state = NODE_BYTES + board.tiles.nbytes
    with watch:
        while layer:
            following: dict[Board, None] = {}
            dead_ends = goals = ended = 0
            largest_here = largest
            for state in layer:
                statistics.peak_bytes = bytes_per_state * (len(met) + len(following))
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
                largest = max([largest, *(edge.board.largest_tile() for edge in edges)])
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
    """Raise a PluginError: a state is met again in a layer that the declaration of the domain excludes."""
    declared = domain.component.revisited
    said = f"a state of layer {before} is met again in layer {depth}, {board!r:.200}"
    raise PluginError(f"domain {domain.name} declares {REVISITED_BY[declared]}, but {said}")


def failure_of_rules(domain: BoundDomain, error: BaseException) -> PluginError:
    """Return the PluginError for an exception in the compiled rules of a domain."""
    return PluginError(f"domain {domain.name}: {with_type(error)}")
