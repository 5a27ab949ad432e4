"""A Recording: boards that followed one another, the moves between them, and curves over them, for whoever shows it.

Everything is computed here, by the readable rules and the heuristic; what shows a recording knows no game.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from searchlab.board.board import Board
from searchlab.board.files import read_board
from searchlab.errors import PluginError, SearchlabError, SearchlabWarning, UsageError
from searchlab.search.problem import Problem, estimate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.binding.motions import Motion
    from searchlab.model.games import Game
    from searchlab.model.results import Result
    from searchlab.plugins.registry import Plugins


POINTS = "points"
"""The unit of scores."""


class Step(NamedTuple):
    """A move, and what followed it.

    Attributes:
        action: the move's name.
        motions: which tile went where in the move itself, None where the game does not say.
        after: the board after the move, before anything appeared by chance.
        board: the board the next move is made from.
    """

    action: str
    motions: tuple[Motion, ...] | None
    after: Board
    board: Board


@dataclass(frozen=True)
class Curve:
    """A value at each board.

    Attributes:
        name: in a word or two.
        explanation: what it is, in a line.
        values: a number for each board of the recording, None where there is none.
        unit: what the values are measured in: curves of one unit share a graph.
        limits: the lowest and highest value that the graph shows; without them 0 and all values are shown.
    """

    name: str
    explanation: str
    values: tuple[float | None, ...]
    unit: str = ""
    limits: tuple[float, float] | None = None


@dataclass(frozen=True)
class Recording:
    """A solution or a game.

    Attributes:
        title: what it is of: a board's name, a player.
        headline: how it ended, in one line.
        kind: what the boards are.
        start: the first board.
        steps: the moves, each with the board after it.
        curves: values over the boards, the first being the most important; possibly none.
        facts: further figures as (name, value).
        command: the command line that makes the same again, the empty string where there is none.
    """

    title: str
    headline: str
    kind: Literal["solution", "game"]
    start: Board
    steps: tuple[Step, ...]
    curves: tuple[Curve, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    command: str = ""

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, the start first."""
        return (self.start, *(step.board for step in self.steps))

    @property
    def actions(self) -> tuple[str, ...]:
        """The moves."""
        return tuple(step.action for step in self.steps)


def of_result(result: Result, problem: Problem, *, title: str = "", headline: str = "", command: str = "") -> Recording:
    """Return the recording of a solution, with the curves of h, f and what is left to go.

    Args:
        result: of a search that found a solution.
        problem: what was searched.
        title: the board's name.
        headline: how the search ended; without it the number of moves.

    Raises:
        UsageError: there is no solution.
    """
    if result.actions is None:
        raise UsageError(f"there is no solution to be shown: {result.status}")
    facts = (
        ("game", result.domain),
        ("heuristic", result.heuristic if problem.estimates else "none"),
        ("frontier", result.frontier),
        ("expanded", f"{result.expanded:,}"),
        ("generated", f"{result.generated:,}"),
        ("seconds", f"{result.seconds:.3g}"),
    )
    return Recording(
        title=title or result.domain,
        headline=headline or f"solved in {len(result.actions):,} moves",
        kind="solution",
        start=result.start,
        steps=_steps_of_solution(result.boards, result.actions, problem.domain),
        curves=solution_curves(problem, result.boards, result.actions, optimal=result.optimal),
        facts=facts,
        command=command,
    )


def of_game(game: Game, domain: BoundDomain, *, title: str = "", headline: str = "", command: str = "") -> Recording:
    """Return the recording of a game, with the curve of its score.

    Args:
        game: a game that was played, or played again from its record.
        domain: its rules.
        title: what it is of; without it the player.
        headline: how it ended.
    """
    asked = MotionsOf(domain)
    steps, before, score = [], game.start, 0.0
    scores: list[float | None] = [0]
    for turn in game.turns:
        motions = asked.of(before, turn.action, turn.after)
        steps.append(Step(turn.action, motions, turn.after, turn.board))
        before = turn.board
        score += turn.points
        scores.append(score)
    earns = domain.component.points is not None
    facts = [("game", game.domain), ("player", game.player), ("seed", str(game.seed)), ("moves", f"{game.moves:,}")]
    if earns:
        facts.append(("score", f"{game.score:,.10g}"))
    facts.append(("largest tile", f"{game.boards[-1].largest_tile():,}"))
    return Recording(
        title=title or game.player,
        headline=headline or f"{game.moves:,} moves",
        kind="game",
        start=game.start,
        steps=tuple(steps),
        curves=(Curve("score", "the points of all moves so far", tuple(scores), POINTS),) if earns else (),
        facts=tuple(facts),
        command=command,
    )


def of_run(row: Mapping[str, Any] | pd.Series[Any], plugins: Plugins, *, command: str = "") -> Recording:
    """Return the recording of a solution that an experiment found: its moves are made again.

    Args:
        row: a row of `load_results` of an experiment of searches.
        plugins: where names are looked up.

    Raises:
        UsageError: the run found no solution, or its board is no longer known.
        SearchlabError: the moves do not lead to a goal: the rules are others now.
    """
    from searchlab.plugins import lookup

    cells: dict[str, Any] = {str(name): None if _is_missing(value) else value for name, value in row.items()}
    name = str(cells.get("board_name") or "")
    if cells.get("actions") is None:
        raise UsageError(f"{name}: the run ended with {cells['status']}, so there is no solution to be shown")
    domain = lookup.domain(str(cells["domain"]), plugins=plugins)
    heuristic = lookup.heuristic(str(cells["heuristic"]), domain=domain, plugins=plugins)
    frontier = lookup.frontier(str(cells["frontier"]), plugins=plugins)
    problem = Problem(_recorded_board(cells), domain, heuristic, frontier)
    actions = tuple(str(cells["actions"]).split())
    boards = _boards_of(problem.board, actions, domain)
    optimal = bool(cells["optimal"])
    cost = float(cells["cost"])
    facts = [
        ("game", str(domain)),
        ("heuristic", str(cells["heuristic"]) if problem.estimates else "none"),
        ("frontier", str(cells["frontier"])),
        ("expanded", f"{int(cells['expanded']):,}"),
        ("generated", f"{int(cells['generated']):,}"),
        ("seconds", f"{float(cells['seconds']):.3g}"),
    ]
    quality = "optimal" if optimal else "not proved optimal"
    costing = "" if cost == len(actions) else f", cost {cost:,.10g}"
    return Recording(
        title=name or str(domain),
        headline=f"solved in {len(actions):,} {'move' if len(actions) == 1 else 'moves'}{costing}, {quality}",
        kind="solution",
        start=problem.board,
        steps=_steps_of_solution(boards, actions, domain),
        curves=solution_curves(problem, boards, actions, optimal=optimal),
        facts=tuple(facts),
        command=command,
    )


def solution_curves(
    problem: Problem, boards: Sequence[Board], actions: Sequence[str], *, optimal: bool
) -> tuple[Curve, ...]:
    """Return h at each board of a solution; of an estimate also f and what the rest of the solution costs.

    A heuristic that fails on one of the boards has no curve, and a warning says so.
    """
    if not problem.estimates:
        return ()
    try:
        values = [estimate_of(problem.heuristic, board) for board in boards]
    except PluginError as error:
        warnings.warn(f"{error}; there is no curve of it", SearchlabWarning, stacklevel=2)
        return ()
    h = Curve("h", str(problem.heuristic), _plain(problem.sign * value for value in values))
    if problem.sign < 0:
        return (h,)
    g = _costs_so_far(boards, actions, problem.domain)
    left = "the exact cost to go" if optimal else "the cost of the rest of this solution"
    curves = [h, Curve("to go", left, _plain(g[-1] - cost for cost in g))]
    f = _priorities(problem, g, values)
    if f != values:
        curves.append(Curve("f", f"the priority of {problem.frontier}", _plain(f)))
    return tuple(curves)


def _priorities(problem: Problem, g: Sequence[float], h: Sequence[float]) -> list[float]:
    component = problem.frontier.component
    if component.priority is None or component.family == "deepening":
        return [cost + value for cost, value in zip(g, h, strict=True)]
    return [problem.frontier.priority(cost, value) for cost, value in zip(g, h, strict=True)]


def _costs_so_far(boards: Sequence[Board], actions: Sequence[str], domain: BoundDomain) -> list[float]:
    """Return what the moves up to each board cost."""
    costs = [0.0]
    for number, action in enumerate(actions):
        cost = 1.0 if domain.component.unit_cost else _edge(domain, boards[number], action, boards[number + 1]).cost
        costs.append(costs[-1] + cost)
    return costs


def _edge(domain: BoundDomain, board: Board, action: str, after: Board) -> Successor:
    return next(edge for edge in domain.edges(board) if (edge.action, edge.board) == (action, after))


def _plain(values: Iterable[float]) -> tuple[float | None, ...]:
    """Return numbers, None for those that are not finite."""
    return tuple(value if isfinite(value) else None for value in values)


def _steps_of_solution(boards: Sequence[Board], actions: Sequence[str], domain: BoundDomain) -> tuple[Step, ...]:
    asked = MotionsOf(domain)
    return tuple(
        Step(action, asked.of(boards[number], action, boards[number + 1]), boards[number + 1], boards[number + 1])
        for number, action in enumerate(actions)
    )


class MotionsOf:
    """Asks a domain which tile goes where; after it has failed once it is asked no further, and a warning says so."""

    def __init__(self, domain: BoundDomain) -> None:
        self._ask: Callable[[Board, str, Board], tuple[Motion, ...] | None] | None = domain.motions

    def of(self, board: Board, action: str, after: Board) -> tuple[Motion, ...] | None:
        """Return the motions of a move, None where they are not known."""
        if self._ask is None:
            return None
        try:
            return self._ask(board, action, after)
        except PluginError as error:
            self._ask = None
            warnings.warn(f"{error}; boards are shown without it", SearchlabWarning, stacklevel=4)
            return None


def _recorded_board(cells: Mapping[str, Any]) -> Board:
    """Return the board of a run; of a large one only the name was recorded."""
    try:
        return Board([[int(tile) for tile in line.split()] for line in str(cells["board"]).split(" / ")])
    except ValueError:
        if cells["board_name"] is None:
            raise UsageError(f"the board {cells['board']!r} is no longer known") from None
        return read_board(str(cells["board_name"]))


def _boards_of(start: Board, actions: Sequence[str], domain: BoundDomain) -> list[Board]:
    """Return the boards that moves lead to, the start first.

    Raises:
        SearchlabError: they do not lead to a goal.
    """
    boards = [start]
    for number, action in enumerate(actions, 1):
        after = next((edge.board for edge in domain.edges(boards[-1]) if edge.action == action), None)
        if after is None:
            raise SearchlabError(f"move {number} of the recorded solution, {action}, is no move of {domain} there")
        boards.append(after)
    if not domain.is_goal(boards[-1]):
        raise SearchlabError(f"the recorded solution does not end in a goal of {domain}: its rules are others now")
    return boards


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and isnan(value))
