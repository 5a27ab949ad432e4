"""A `Recording`: a sequence of boards with the moves between them and curves over them, ready to be shown.

Everything is computed here, by the readable rules and the heuristic; the code that shows a recording knows no game.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabWarning, UsageError
from searchlab.experiments.replay import replay_solution
from searchlab.model.results import heuristic_taken, search_headline
from searchlab.model.states import State, is_board, text_form
from searchlab.reports.pictures import Pictures, own_pictures, state_pictures
from searchlab.search.problem import estimate_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.motions import Motion
    from searchlab.model.games import Game
    from searchlab.model.results import Result
    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem


POINTS = "points"
"""The unit of scores."""


class Step(NamedTuple):
    """A move, and the boards after it.

    Attributes:
        action: the name of the move.
        motions: the motions of tiles during the move itself, None if the game does not provide them.
        after: the board after the move, before a random event.
        board: the board from which the next move is made.
    """

    action: str
    motions: tuple[Motion, ...] | None
    after: Board
    board: Board


@dataclass(frozen=True)
class Curve:
    """A value at each board.

    Attributes:
        name: a word or two.
        explanation: the meaning, in one line.
        values: a number for each board of the recording, None for no value.
        unit: the unit of the values; curves with the same unit share a graph.
        limits: the lowest and highest value of the graph; by default the range of 0 and all values.
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
        title: the name of the board or the player.
        headline: the outcome, in one line.
        kind: the kind of the boards.
        start: the first board.
        steps: the moves, each with the board after it.
        curves: values over the boards, the most important first; possibly none.
        facts: further figures as (name, value).
        command: the command line that reproduces it, or `""`.
    """

    title: str
    headline: str
    kind: Literal["solution", "game"]
    start: Board
    steps: tuple[Step, ...]
    curves: tuple[Curve, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    command: str = ""
    states: tuple[State, ...] = ()
    """The states that the boards stand for, each a board of one tile, where states are not boards."""

    def pictures(self, domain: BoundDomain | None) -> Pictures | None:
        """Return the pictures of the boards, or None if they are drawn as tiles."""
        if not self.states:
            return own_pictures(domain, self.boards)
        if domain is None:
            return Pictures(lambda board, path: text_form(self.states[board.tile_at(0, 0)]))
        drawn = state_pictures(domain, self.states)
        return replace(
            drawn, draw=lambda board, path: drawn.draw(self.states[board.tile_at(0, 0)], self.states[: len(path)])
        )

    @property
    def boards(self) -> tuple[Board, ...]:
        """All boards, the start first."""
        return (self.start, *(step.board for step in self.steps))

    @property
    def actions(self) -> tuple[str, ...]:
        """The moves."""
        return tuple(step.action for step in self.steps)


def of_result(
    result: Result, problem: Problem | None, *, title: str = "", headline: str = "", command: str = ""
) -> Recording:
    """Return the recording of a solution, with the curves of h, f and the remaining cost.

    Args:
        result: the result of a search that found a solution.
        problem: the problem; without it no motions are shown, and there are no curves.
        title: the name of the board.
        headline: the outcome of the search; by default the number of moves.

    Raises:
        UsageError: there is no solution.
    """
    if result.actions is None:
        raise UsageError(f"there is no solution to show: {result.status}")
    facts = (
        ("game" if is_board(result.start) else "domain", result.domain),
        ("heuristic", heuristic_taken(result) if problem is None or problem.estimates else "none"),
        ("frontier", result.frontier),
        ("expanded", f"{result.expanded:,}"),
        ("generated", f"{result.generated:,}"),
        ("seconds", f"{result.seconds:.3g}"),
    )
    states: tuple[State, ...] = ()
    boards: tuple[Board, ...] = result.states
    if not is_board(result.start):
        states, boards = result.states, tuple(Board([[number]]) for number in range(len(result.states)))
    return Recording(
        title=title or result.domain,
        headline=headline or f"solved in {len(result.actions):,} moves",
        kind="solution",
        start=boards[0],
        steps=_steps_of_solution(boards, result.actions, problem.domain if problem and not states else None),
        curves=solution_curves(problem, result.states, result.actions, optimal=result.optimal) if problem else (),
        facts=facts,
        command=command,
        states=states,
    )


def of_game(
    game: Game, domain: BoundDomain | None, *, title: str = "", headline: str = "", command: str = ""
) -> Recording:
    """Return the recording of a game, with the curve of its score.

    Args:
        game: a game that was played or replayed from a record.
        domain: the rules; without them no motions are shown.
        title: the title; by default the player.
        headline: the outcome of the game.
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
    earns = any(scores) if domain is None else domain.component.has_points
    facts = [("game", game.domain), ("player", game.player), ("seed", str(game.seed)), ("moves", f"{game.moves:,}")]
    if earns:
        facts.append(("score", f"{game.score:,.10g}"))
    name = "largest tile" if domain is None else domain.component.views.layer_columns.get("largest", "largest tile")
    if name:
        facts.append((name, f"{game.boards[-1].largest_tile():,}"))
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
    """Return the recording of a solution that an experiment found, by repeating its moves.

    Args:
        row: a row of `load_results` of an experiment of searches.
        plugins: the plugins that names are looked up in.

    Raises:
        UsageError, SearchlabError: see `replay_solution`.
    """
    problem, result = replay_solution(row, plugins=plugins)
    name = row["board_name"]
    title = name if isinstance(name, str) else str(problem.domain)
    return of_result(result, problem, title=title, headline=search_headline(result), command=command)


def solution_curves(
    problem: Problem, boards: Sequence[Board], actions: Sequence[str], *, optimal: bool
) -> tuple[Curve, ...]:
    """Return h at each board of a solution; for an estimate also f and the remaining cost.

    A heuristic that fails on a board has no curve, and a warning says so.
    """
    if not problem.estimates:
        return ()
    try:
        values = [estimate_of(problem.heuristic, board) for board in boards]
    except PluginError as error:
        warnings.warn(f"{error}; its curve is omitted", SearchlabWarning, stacklevel=2)
        return ()
    h = Curve("h", str(problem.heuristic), finite_values(problem.sign * value for value in values))
    if problem.sign < 0:
        return (h,)
    g = _costs_so_far(boards, actions, problem.domain)
    left = "the exact cost to go" if optimal else "the cost of the rest of this solution"
    curves = [h, Curve("to go", left, finite_values(g[-1] - cost for cost in g))]
    f = _priorities(problem, g, values)
    if f != values:
        curves.append(Curve("f", f"the priority of {problem.frontier}", finite_values(f)))
    return tuple(curves)


def _priorities(problem: Problem, g: Sequence[float], h: Sequence[float]) -> list[float]:
    component = problem.frontier.component
    if component.priority is None or component.family == "deepening":
        return [cost + value for cost, value in zip(g, h, strict=True)]
    return [problem.frontier.priority(cost, value) for cost, value in zip(g, h, strict=True)]


def _costs_so_far(boards: Sequence[Board], actions: Sequence[str], domain: BoundDomain) -> list[float]:
    """Return the cost of the moves up to each board."""
    costs = [0.0]
    for number, action in enumerate(actions):
        cost = 1.0 if domain.unit_cost else _edge(domain, boards[number], action, boards[number + 1]).cost
        costs.append(costs[-1] + cost)
    return costs


def _edge(domain: BoundDomain, board: Board, action: str, after: Board) -> Successor:
    return next(edge for edge in domain.edges(board) if (edge.action, edge.board) == (action, after))


def finite_values(values: Iterable[float]) -> tuple[float | None, ...]:
    """Return values with None in place of infinite ones and NaN, as curves have them."""
    return tuple(value if isfinite(value) else None for value in values)


def _steps_of_solution(boards: Sequence[Board], actions: Sequence[str], domain: BoundDomain | None) -> tuple[Step, ...]:
    asked = MotionsOf(domain)
    return tuple(
        Step(action, asked.of(boards[number], action, boards[number + 1]), boards[number + 1], boards[number + 1])
        for number, action in enumerate(actions)
    )


class MotionsOf:
    """Asks a domain for the motions of tiles; after a failure it is not asked again, and a warning says so."""

    def __init__(self, domain: BoundDomain | None) -> None:
        self._ask: Callable[[Board, str, Board], tuple[Motion, ...] | None] | None = None
        if domain:
            self._ask = domain.motions

    def of(self, board: Board, action: str, after: Board) -> tuple[Motion, ...] | None:
        """Return the motions of a move, or None if unknown."""
        if self._ask is None:
            return None
        try:
            return self._ask(board, action, after)
        except PluginError as error:
            self._ask = None
            warnings.warn(f"{error}; boards are shown without it", SearchlabWarning, stacklevel=4)
            return None
