"""State spaces over Board objects: whole ones of domains without a compiled form, and sampled ones."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from math import inf, nan
from typing import TYPE_CHECKING

import numpy as np

from searchlab.binding.frontier import BoundFrontier
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.model.limits import Limits
from searchlab.model.strategies import Frontier, Heuristic
from searchlab.search.problem import Problem
from searchlab.search.solve import search
from searchlab.search.state_space import StateSpace, costs_to_go, depths_of, wide_packing
from searchlab.testing.boards import solution_boards, walked_boards

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.board.board import Board
    from searchlab.search.deadline import Clock
    from searchlab.testing.instances import Instance

    Edges = dict[Board, list[Successor]]

MOST_WALKED = 120
MOST_OF_SOLUTION = 60
NEAR_GOAL = 10
"""Boards of the solution whose other successors are looked at, and about as many of these."""
MOST_SOLVED = 50
"""Boards whose exact costs are searched for; those on the way to the goal come with them."""
EXPANSIONS = 30_000
"""What a search for the exact cost of one board may expand."""
CHEAPEST_FIRST = Frontier(
    "cheapest-first", lambda g, h: g, reopens=True, uses_heuristic=False, optimal_with="always", batches=True
)
NOTHING = Heuristic("nothing", lambda tiles: 0.0)


def readable_space(instance: Instance, most: int, goes_on: Callable[[], bool]) -> StateSpace | None:
    """Return the whole state space from a board, by the readable rules; None for too many states or too little time."""
    domain = instance.domain
    edges: Edges = {}
    layer = [instance.board]
    bounds = [0]
    while layer:
        following: dict[Board, None] = {}
        for board in layer:
            if len(edges) == most or not goes_on():
                return None
            edges[board] = _useful_edges(domain, board)
            following.update((edge.board, None) for edge in edges[board])
        bounds.append(len(edges))
        layer = [board for board in following if board not in edges]
    space = _space(domain, edges, {})
    costs = costs_to_go(space.goals, space.successors, space.edge_costs)
    depths = depths_of(len(space), [last - first for first, last in pairwise(bounds)], space.successors)
    return replace(space, costs=costs, depths=depths, complete=True)


def sampled_space(instance: Instance, clock: Clock) -> StateSpace:
    """Return boards of walks and of a solution with their moves, and what solving them costs where that is found."""
    domain, seconds = instance.domain, clock.seconds / 10
    costs = _exact_costs(domain, instance.board, seconds / 4)  # compiles what the others need, too
    boards = solution_boards(instance, seconds)[:MOST_OF_SOLUTION]
    goes_on = clock.until(1 / 5)
    beside = [edge.board for board in boards[1:NEAR_GOAL] for edge in _useful_edges(domain, board)]
    boards += beside[:: max(1, len(beside) // NEAR_GOAL)]
    boards += walked_boards(instance, MOST_WALKED, goes_on)
    edges = {board: _useful_edges(domain, board) for board in boards if goes_on()}
    for board in [board for board in edges if board not in costs][:MOST_SOLVED]:
        if not goes_on():
            break
        if board not in costs:
            costs.update(_exact_costs(domain, board, seconds / 4))
    return _space(domain, edges, costs)


def played_space(instance: Instance, clock: Clock) -> StateSpace:
    """Return boards of walks through a game of chance with their moves; there are neither goals nor costs in it."""
    boards = walked_boards(instance, MOST_WALKED, clock.until(1 / 5))
    space = _space(instance.domain, {board: _useful_edges(instance.domain, board) for board in boards}, {})
    return replace(space, goals=np.zeros_like(space.goals), costs=np.full_like(space.costs, nan))


def _useful_edges(domain: BoundDomain, board: Board) -> list[Successor]:
    """Return the moves a search would go on with: none from a goal, and none that end the game without one."""
    if domain.is_goal(board):
        return []
    return [edge for edge in domain.edges(board) if not edge.terminal or domain.is_goal(edge.board)]


def _exact_costs(domain: BoundDomain, board: Board, seconds: float) -> dict[Board, float]:
    """Return what solving this board and those on a cheapest path costs; nothing where that is not found out."""
    problem = Problem(board, domain, BoundHeuristic(NOTHING, {}, domain), BoundFrontier(CHEAPEST_FIRST, {}))
    result = search(problem, limits=Limits(seconds=seconds, expansions=EXPANSIONS))
    if result.status == "unsolvable":
        return {board: inf}
    costs: dict[Board, float] = {}
    left = result.cost or 0
    for at, action in zip(result.boards, result.actions or (), strict=False):
        costs[at] = left
        left -= next(edge.cost for edge in domain.edges(at) if edge.action == action)
    if result.boards:
        costs[result.boards[-1]] = 0
    return costs


def _space(domain: BoundDomain, edges: Edges, costs: dict[Board, float]) -> StateSpace:
    """Return the states of these edges as arrays; of those beyond, neither moves nor costs are known."""
    boards = list(dict.fromkeys([*edges, *(edge.board for listed in edges.values() for edge in listed)]))
    number = {board: at for at, board in enumerate(boards)}
    most = max(1, *map(len, edges.values()))
    successors = np.full((len(boards), most), -1, np.int64)
    edge_costs, ends = np.ones((len(boards), most)), np.zeros((len(boards), most), bool)
    for board, listed in edges.items():
        for k, edge in enumerate(listed):
            at = number[board], k
            successors[at], edge_costs[at], ends[at] = number[edge.board], edge.cost, edge.terminal
    packing = wide_packing(boards[0])
    goals = np.array([domain.is_goal(board) for board in boards])
    known = np.where(goals, 0, np.array([costs.get(board, nan) for board in boards]))
    states = np.stack([packing.pack(board) for board in boards])
    unknown = np.full(len(boards), -1)
    return StateSpace(packing, states, goals, successors, edge_costs, known, unknown, ends, complete=False)
