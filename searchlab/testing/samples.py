"""Samples to check components on: start boards of a domain, boards that follow from them, and their state spaces.

Boards come from random walks, from solutions, and from changed tiles that give legal boards. A state space is complete
if it is small enough, and a sample otherwise.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabError, UsageError
from searchlab.model.component import all_functions, extra_parameters, resolve
from searchlab.model.limits import Limits
from searchlab.model.strategies import Frontier, Heuristic
from searchlab.plugins.samples import sample_boards, with_parameters
from searchlab.search import solve
from searchlab.search.problem import Problem
from searchlab.search.searcher import Searcher
from searchlab.search.solve import search
from searchlab.search.state_space import StateSpace, costs_to_go, depths_of, wide_packing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Set

    from numpy.random import Generator

    from searchlab.binding.bound import Bound
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.model.component import Parameter
    from searchlab.model.instance import Instance
    from searchlab.plugins.registry import Plugins
    from searchlab.testing.clock import Clock

    Edges = dict[Board, list[Successor]]

NUMBERS_TRIED = 2
"""The number of other values of a numeric parameter."""
SEED = 20_480
"""The seed of all random boards, so that they are the same in every run."""
LONGEST_WALK = 40
WALKS = 1000
SOLUTION_EXPANSIONS = 100_000
"""The limit of expansions of the search for a solution that provides boards."""
DISTORTED = 24
"""The number of boards in which tiles are changed to make other legal boards."""
MOST_WALKED = 120
MOST_OF_SOLUTION = 60
NEAR_GOAL = 10
"""The number of boards of a solution from which successors are added, and the approximate number of successors."""
MOST_SOLVED = 50
"""The number of boards for which exact costs are searched; boards on the way to the goal have known costs, too."""
EXACT_COST_EXPANSIONS = 30_000
"""The limit of expansions of the search for the exact cost of a board."""
CHEAPEST_FIRST = Frontier("cheapest-first", lambda g, h: g, reopen="yes", uses_heuristic=False, optimal_with="always")
NOTHING = Heuristic("nothing", lambda tiles: 0.0)


@dataclass(frozen=True, eq=False)
class Sample:
    """A domain with parameters, and a start board.

    Attributes:
        plugins: the plugins that the domain's own heuristic and frontier are looked up in.
    """

    domain: BoundDomain
    board: Board
    plugins: Plugins

    def __str__(self) -> str:
        rows, columns = self.board.shape
        return f"{self.domain}, {rows} × {columns}"


def samples(domain: BoundDomain, plugins: Plugins) -> list[Sample]:
    """Return the samples of a domain, or its start board if it declares no samples.

    Raises:
        UsageError: the domain has neither samples nor a start board.
        PluginError: the domain fails, or a sample is not a board of the domain.
    """
    return [Sample(each, board, plugins) for each, board in sample_boards(domain)]


def other_samples(
    domain: BoundDomain, known: list[Sample], plugins: Plugins, asked: Set[str] = frozenset()
) -> list[Sample]:
    """Return samples with other parameters, and with the given parameters from the start board.

    A parameter keeps its value if the user or the domain's samples set it, or if there are samples and it affects only
    the start board. Other parameters are changed one at a time; each change gives the smallest possible sample.

    Args:
        domain: the domain.
        known: the samples that are checked in any case.
        plugins: the plugins that the domain's own heuristic and frontier are looked up in.
        asked: the names of the arguments of a heuristic.
    """
    found: list[Callable[[], Sample]] = []
    if domain.component.start is not None and all(sample.domain.values != domain.values for sample in known):
        found.append(partial(_begun, domain, plugins))
    kept = {name for sample in known for name, value in sample.domain.values.items() if value != domain.values[name]}
    if domain.component.samples is not None and known:
        kept |= {*domain.values} - asked - _asked_by_rules(known[0])
    for changed in other_values(domain):
        if not kept & {*changed}:
            found.append(partial(_smallest, with_parameters(domain, changed), plugins))
    return [sample for make in found if (sample := _sample_or_none(make)) is not None]


def _asked_by_rules(sample: Sample) -> set[str]:
    """Return the names of the arguments of a domain's functions, except the start function."""
    component, form = sample.domain.component, sample.domain.packed(sample.board)
    functions = [function for field, function in all_functions(component) if field not in ("start", "samples")]
    functions += [function for _, function in all_functions(form)] if form else []
    return {parameter.name for function in functions for parameter in extra_parameters(function, 0)}


def _begun(domain: BoundDomain, plugins: Plugins) -> Sample:
    return _checked(domain, domain.start(), plugins)


def _smallest(domain: BoundDomain, plugins: Plugins) -> Sample:
    found = samples(domain, plugins)
    if not found:
        raise UsageError(f"{domain.name} has no samples")
    return found[0]


def _sample_or_none(make: Callable[[], Sample]) -> Sample | None:
    """Return a sample, or None if its parameters do not fit its boards."""
    try:
        return make()
    except SearchlabError:
        return None


def other_values(bound: Bound) -> list[dict[str, Any]]:
    """Return other values for the parameters that have their defaults, one parameter at a time.

    The values are all choices, both truth values, or a few numbers; names of files and heuristics do not change.
    """
    found: list[dict[str, Any]] = []
    for parameter in bound.component.own_parameters():
        if parameter.kind or parameter.default is inspect.Parameter.empty or parameter.name not in bound.values:
            continue
        value = bound.values[parameter.name]
        if not isinstance(value, bool | int | float | str) or value != parameter.default:
            continue
        fitting = []
        for other in _others(parameter, value):
            try:
                resolve(bound.name, (parameter,), {parameter.name: other})
            except SearchlabError:
                continue
            fitting.append({parameter.name: other})
        found += fitting if parameter.choices else fitting[:NUMBERS_TRIED]
    return found


def _others(parameter: Parameter, value: Any) -> list[Any]:
    if parameter.choices:
        return [choice for choice in parameter.choices if choice != value]
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [other for other in dict.fromkeys((2 * value, value // 2, value + 1, value - 1)) if other != value]
    if isinstance(value, float):
        return [other for other in dict.fromkeys((2 * value, value / 2, value + 1)) if other != value]
    return []


def _checked(domain: BoundDomain, board: Board | Instance, plugins: Plugins) -> Sample:
    domain, start = domain.at(board)
    domain.check(start)
    return Sample(domain, start, plugins)


class WalkStep(NamedTuple):
    """A step of a walk.

    Attributes:
        edge: the move.
        events: the event after the move, in a game of chance.
        board: the board from which the walk continues: after the move and, in a game of chance, after the event.
    """

    edge: Successor
    events: tuple[str, ...]
    board: Board


def walked_boards(sample: Sample, most: int, goes_on: Callable[[], bool]) -> list[Board]:
    """Return the distinct boards of random walks from a sample's board, which comes first."""
    generator = np.random.default_rng(SEED)
    met = {sample.board: None}
    for _ in range(WALKS):
        for step in walk(sample, generator):
            met[step.board] = None
            if len(met) == most or not goes_on():
                return list(met)
    return list(met)


def walk(sample: Sample, generator: Generator) -> Iterator[WalkStep]:
    """Yield the steps of a random walk; it ends with the game."""
    domain, board = sample.domain, sample.board
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
        except PluginError:  # the check of chance reports it
            return
        event = events[int(generator.integers(len(events)))] if events else None
        board = event.board if event else edge.board
        yield WalkStep(edge, (event.text,) if event else (), board)


def solution_boards(sample: Sample, seconds: float) -> list[Board]:
    """Return the boards of a solution that the domain's own heuristic and frontier find, the goal first."""
    try:
        problem = solve.problem(sample.board, domain=sample.domain, plugins=sample.plugins)
        result = search(problem, limits=Limits(seconds=seconds, expansions=SOLUTION_EXPANSIONS))
    except SearchlabError:  # the domain has no defaults, or they do not fit
        return []
    return list(reversed(result.boards))


def legal_boards(domain: BoundDomain, boards: list[Board], most: int) -> list[Board]:
    """Return legal boards that are not among the given boards: with tiles removed, moved, or drawn at random.

    There are no such boards if the domain does not declare which boards are legal.
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
        yield Board(np.where(tiles == value, 0, tiles), signed=True)
    for value in np.unique(tiles):
        yield Board(np.where(tiles == value, 2 * value, tiles), signed=True)
    yield Board(generator.permutation(tiles.ravel()).reshape(tiles.shape), signed=True)
    yield Board(generator.choice(values, tiles.shape), signed=True)
    yield Board(tiles[::-1], signed=True)
    yield Board(tiles[:, ::-1], signed=True)


def readable_space(sample: Sample, most: int, goes_on: Callable[[], bool]) -> StateSpace | None:
    """Return the whole state space by the readable rules, or None if it has too many states or takes too long."""
    domain = sample.domain
    edges: Edges = {}
    layer = [sample.board]
    bounds = [0]
    while layer:
        following: dict[Board, None] = {}
        for board in layer:
            if len(edges) == most or not goes_on():
                return None
            edges[board] = useful_edges(domain, board)
            following.update((edge.board, None) for edge in edges[board])
        bounds.append(len(edges))
        layer = [board for board in following if board not in edges]
    space = _space(domain, edges, {})
    costs = costs_to_go(space.goals, space.successors, space.edge_costs)
    depths = depths_of(len(space), [last - first for first, last in pairwise(bounds)], space.successors)
    return replace(space, costs=costs, depths=depths, complete=True)


def sampled_space(sample: Sample, clock: Clock) -> StateSpace:
    """Return boards of walks and of a solution with their moves, and with exact costs as far as these are found."""
    domain, seconds = sample.domain, clock.seconds / 10
    searcher = cheapest_first(domain)
    costs = exact_costs(searcher, sample.board, seconds / 4)  # compiles the rules for all further boards
    boards = solution_boards(sample, seconds)[:MOST_OF_SOLUTION]
    goes_on = clock.until(1 / 5)
    beside = [edge.board for board in boards[1:NEAR_GOAL] for edge in useful_edges(domain, board)]
    boards += beside[:: max(1, len(beside) // NEAR_GOAL)]
    boards += walked_boards(sample, MOST_WALKED, goes_on)
    edges = {boards[0]: useful_edges(domain, boards[0])}  # at least one board, however slow the machine is
    edges |= {board: useful_edges(domain, board) for board in boards[1:] if goes_on()}
    for board in [board for board in edges if board not in costs][:MOST_SOLVED]:
        if not goes_on():
            break
        if board not in costs:
            costs.update(exact_costs(searcher, board, seconds / 4))
    return _space(domain, edges, costs)


def played_space(sample: Sample, clock: Clock) -> StateSpace:
    """Return boards of walks through a game of chance with their moves, without goals and costs."""
    boards = walked_boards(sample, MOST_WALKED, clock.until(1 / 5))
    space = _space(sample.domain, {board: useful_edges(sample.domain, board) for board in boards}, {})
    return replace(space, goals=np.zeros_like(space.goals), costs=np.full_like(space.costs, nan))


def cheapest_first(domain: BoundDomain) -> Searcher:
    """Return a searcher for exact costs, which uses no heuristic."""
    return Searcher(domain=domain, heuristic=NOTHING, frontier=CHEAPEST_FIRST)


def useful_edges(domain: BoundDomain, board: Board) -> list[Successor]:
    """Return the moves that a search makes: no moves from a goal, and terminal moves only to a goal."""
    if domain.is_goal(board):
        return []
    return [edge for edge in domain.edges(board) if not edge.terminal or domain.is_goal(edge.board)]


def exact_costs(searcher: Searcher, board: Board, seconds: float, *, readable: bool = False) -> dict[Board, float]:
    """Return the exact costs of a board and of all boards on a cheapest path, empty if no solution is found.

    Args:
        searcher: see `cheapest_first`.
        board: the board.
        seconds: the time limit.
        readable: whether to search by the readable rules, so that nothing is compiled for a board of a new shape.
    """
    problem = Problem(board, searcher.domain, searcher.heuristic, searcher.frontier)
    limits = Limits(seconds=seconds, expansions=EXACT_COST_EXPANSIONS)
    result = search(problem, limits=limits, engine="readable") if readable else searcher.search(problem, limits=limits)
    if result.status == "unsolvable":
        return {board: inf}
    costs: dict[Board, float] = {}
    left = result.cost or 0
    for at, action in zip(result.boards, result.actions or (), strict=False):
        costs[at] = left
        left -= next(edge.cost for edge in searcher.domain.edges(at) if edge.action == action)
    if result.boards:
        costs[result.boards[-1]] = 0
    return costs


def _space(domain: BoundDomain, edges: Edges, costs: dict[Board, float]) -> StateSpace:
    """Return the state space of some edges; boards without edges of their own have unknown moves and costs."""
    boards = list(dict.fromkeys([*edges, *(edge.board for listed in edges.values() for edge in listed)]))
    other = next((board for board in boards if board.shape != boards[0].shape), None)
    if other is not None:
        here, there = (f"{rows} × {columns}" for rows, columns in (boards[0].shape, other.shape))
        raise PluginError(f"{domain.name}: its moves lead from boards of {here} to boards of {there}")
    number = {board: at for at, board in enumerate(boards)}
    most = max(1, *map(len, edges.values()))
    successors = np.full((len(boards), most), -1, np.int64)
    edge_costs, ends = np.ones((len(boards), most)), np.zeros((len(boards), most), bool)
    for board, listed in edges.items():
        for k, edge in enumerate(listed):
            at = number[board], k
            successors[at], edge_costs[at], ends[at] = number[edge.board], edge.cost, edge.terminal
    packing = wide_packing(boards[0], signed=domain.has_signed_cells(boards[0]))
    goals = np.array([domain.is_goal(board) for board in boards])
    known = np.where(goals, 0, np.array([costs.get(board, nan) for board in boards]))
    states = np.stack([packing.pack(board) for board in boards])
    unknown = np.full(len(boards), -1)
    return StateSpace(packing, states, goals, successors, edge_costs, known, unknown, ends, complete=False)
