"""Boards to try components on: random walks, boards near a solution, and legal boards that no walk leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabError
from searchlab.model.limits import Limits
from searchlab.search import solve
from searchlab.search.solve import search

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.random import Generator

    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.testing.instances import Instance

SEED = 20_480
"""The same boards in every run."""
LONGEST_WALK = 40
WALKS = 1000
EXPANSIONS = 100_000
"""What a search for a solution to take boards from may expand."""
DISTORTED = 24
"""How many boards are changed to others that are legal too."""


class Step(NamedTuple):
    """A step of a walk.

    Attributes:
        edge: the move.
        board: where the walk goes on: the board after the move, in a game of chance with something that appeared.
    """

    edge: Successor
    board: Board


def walked_boards(instance: Instance, most: int, goes_on: Callable[[], bool]) -> list[Board]:
    """Return different boards met on random walks from an instance's board, that one first."""
    generator = np.random.default_rng(SEED)
    met = {instance.board: None}
    for _ in range(WALKS):
        for step in walk(instance, generator):
            met[step.board] = None
            if len(met) == most or not goes_on():
                return list(met)
    return list(met)


def walk(instance: Instance, generator: Generator) -> Iterator[Step]:
    """Yield the steps of one random walk; it ends where the game does."""
    domain, board = instance.domain, instance.board
    ends_at_goal = domain.component.ends_at_goal or domain.is_of_chance
    for _ in range(int(generator.integers(1, LONGEST_WALK))):
        if ends_at_goal and domain.is_goal(board):
            return
        live = [edge for edge in domain.edges(board) if not edge.terminal]
        if not live:
            return
        edge = live[int(generator.integers(len(live)))]
        try:
            events = domain.chance(edge.board)
        except PluginError:  # what is wrong is told where it is asked for
            return
        board = events[int(generator.integers(len(events)))].board if events else edge.board
        yield Step(edge, board)


def solution_boards(instance: Instance, seconds: float) -> list[Board]:
    """Return the boards of a solution that the domain's own heuristic and frontier find, the goal first."""
    try:
        problem = solve.problem(instance.board, domain=instance.domain, plugins=instance.plugins)
        result = search(problem, limits=Limits(seconds=seconds, expansions=EXPANSIONS))
    except SearchlabError:  # the domain has no defaults, or they do not fit: then there is no such solution
        return []
    return list(reversed(result.boards))


def legal_boards(domain: BoundDomain, boards: list[Board], most: int) -> list[Board]:
    """Return boards a search may be given though none of these leads to them: tiles removed, moved, drawn anew.

    None for a domain that does not say which boards are its own.
    """
    if domain.component.why_invalid is None:
        return []
    generator = np.random.default_rng(SEED)
    drawn: dict[Board, None] = {}
    seen = set(boards)
    values = np.unique(np.concatenate([board.tiles.ravel() for board in boards]))
    for board in boards[:: max(1, len(boards) // DISTORTED)]:
        for other in _distorted(board, values, generator):
            if other not in seen and not domain.why_invalid(other):
                drawn[other] = None
    return list(drawn)[:most]


def _distorted(board: Board, values: np.ndarray, generator: Generator) -> Iterator[Board]:
    tiles = board.tiles
    yield Board(np.zeros_like(tiles))
    for value in np.unique(tiles):
        yield Board(np.where(tiles == value, 0, tiles))
    for value in np.unique(tiles):
        yield Board(np.where(tiles == value, 2 * value, tiles))
    yield Board(generator.permutation(tiles.ravel()).reshape(tiles.shape))
    yield Board(generator.choice(values, tiles.shape))
    yield Board(tiles[::-1])
    yield Board(tiles[:, ::-1])
