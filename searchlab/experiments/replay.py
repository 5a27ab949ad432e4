"""Replay recorded games and solutions by the rules of their domain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from searchlab.binding.chance import Offer
from searchlab.binding.instance_files import named_instance
from searchlab.binding.names import parse_name
from searchlab.board.board import Board
from searchlab.board.files import read_board
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.components import seeded_domain
from searchlab.experiments.fingerprints import fingerprint, plugin_name
from searchlab.experiments.instances import GENERATED, start_name
from searchlab.experiments.notation import moves_in, read
from searchlab.experiments.requests import VERSIONED, undated
from searchlab.experiments.tables import board_text, solutions_of, static_digest
from searchlab.games.game import GameState, move_limit, random_source
from searchlab.model.games import Game
from searchlab.model.instance import Instance, static_from_json
from searchlab.model.randomness import Randomness
from searchlab.model.results import Result
from searchlab.model.states import is_board
from searchlab.plugins import lookup
from searchlab.plugins.registry import given_or_installed
from searchlab.search.solve import problem as problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import Move
    from searchlab.model.games import Turn
    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem

    Row = Mapping[str, Any] | pd.Series[Any]

COUNTS = (
    *("expanded", "generated", "evaluated", "reopened", "duplicates", "stored", "max_open", "peak_bytes", "batch"),
    *("expanded_backward", "met_at"),
)
"""The figures of a search that are recorded."""
RECORDED = "the recorded run"
ACTION = re.compile(r"\([^)]*\)|\S+|\s")
"""What is shown of the rest of a solution as its next action: up to a parenthesis or a blank."""
"""The origin of a replayed run's component names, in error messages."""
ENDED_BY_RULES = ("goal", "dead")
"""The statuses that follow from a game's moves."""


def replay(row: Row, *, plugins: Plugins | None = None) -> Game:
    """Play a recorded game again, move by move, and check that it ends as recorded.

    Args:
        row: a row of `load_results`, of an experiment of games.
        plugins: the plugins that the domain is looked up in; by default the installed ones.

    Returns:
        the game, with all boards and all random events; player, status, reason and seconds are those recorded.

    Raises:
        UsageError: the moves were not recorded.
        SearchlabError: the score, the final board or the status differs from the record, so the rules have changed.
    """
    recorded = _plain(row)
    if recorded.get("actions") is None:
        raise UsageError("there are no moves to replay: they were not recorded, or the row is not a game")
    seed, plugins = int(recorded["seed"] or 0), given_or_installed(plugins).for_data(RECORDED)
    domain, start = recorded_position(recorded, plugins)
    game = GameState(domain, random_source(domain, Randomness(seed)), start)
    turns: list[Turn] = []
    moves = list(moves_in(recorded["actions"]))
    waiting = iter(moves)

    def recorded_move(board: Board, legal: tuple[Move, ...]) -> str:
        return read(next(waiting), [move.action for move in legal])

    try:
        status = game.play(recorded_move, move_limit(len(moves)), turns.append)
    except UsageError as error:
        raise _differs(str(error), recorded, plugins) from None
    replayed = Game(
        status=recorded["status"],
        start=game.start,
        opening=game.opening,
        turns=tuple(turns),
        reason=recorded["reason"] or "",
        seconds=recorded["seconds"],
        player=recorded["player"],
        domain=str(domain),
        seed=seed,
        instance=domain.instance,
    )
    difference = _difference(recorded, replayed, status)
    if difference:
        raise _differs(difference, recorded, plugins)
    return replayed


def replay_solution(row: Row, *, plugins: Plugins | None = None) -> tuple[Problem, Result]:
    """Make the moves of a recorded solution again.

    Args:
        row: a row of `load_results` of an experiment of searches.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        the problem, and the result with the recorded figures.

    Raises:
        UsageError: the run found no solution, or its board is no longer known.
        SearchlabError: the moves do not lead to a goal at the recorded cost: the rules have changed.
    """
    recorded, plugins = _plain(row), given_or_installed(plugins).for_data(RECORDED)
    if recorded.get("actions") is None:
        name = f"{recorded['board_name']}: " if recorded.get("board_name") else ""
        raise UsageError(f"{name}the run ended with {recorded['status']}, so there is no solution to show")
    domain, start = recorded_position(recorded, plugins)
    assert start is not None
    names = {"heuristic": recorded["heuristic"], "frontier": recorded["frontier"]}
    problem = problem_of(start, domain=domain, **names, plugins=plugins)
    actions, boards, cost = _followed(problem.board, recorded["actions"], domain)
    if cost != recorded["cost"]:
        raise SearchlabError(f"recorded is cost {recorded['cost']}, and by the rules of {domain} it is {cost}")
    figures: dict[str, Any] = {name: int(recorded[name]) for name in COUNTS if recorded.get(name) is not None}
    return problem, Result(
        status=recorded["status"],
        start=problem.board,
        domain=str(domain),
        heuristic=str(problem.heuristic) if problem.estimates else "",
        frontier=str(problem.frontier),
        reason=recorded["reason"] or "",
        moves=len(actions),
        cost=cost,
        actions=tuple(actions),
        states=tuple(boards),
        labels=() if is_board(boards[0]) else tuple(map(domain.states.text, boards)),
        optimal=bool(recorded["optimal"]),
        lower_bound=recorded.get("lower_bound"),
        bound=recorded.get("bound"),
        bound_by=recorded.get("bound_by") or "",
        ended_by=recorded.get("ended_by") or "",
        solutions=tuple(solutions_of(recorded.get("solutions"))),
        met_cost=recorded.get("met_cost"),
        seconds=float(recorded["seconds"]),
        cpu_seconds=float(recorded["cpu_seconds"] or 0),
        engine=recorded["engine"] or "",
        instance=domain.instance,
        direction=problem.heuristic.direction if problem.estimates else "",
        **figures,
    )


def _followed(start: Board, moves: str, domain: BoundDomain) -> tuple[list[str], list[Board], float]:
    """Return the actions of a solution, the boards that they lead to, the start first, and their cost.

    Args:
        moves: the actions, separated by blanks. An action may have blanks, too, as `(drop ball1 rooma)`: the moves of
            each board tell where it ends, the longest one that fits.

    Raises:
        SearchlabError: they do not lead to a goal.
    """
    actions: list[str] = []
    boards, cost, rest = [start], 0.0, moves
    while rest:
        fitting = [edge for edge in domain.edges(boards[-1]) if f"{rest} ".startswith(f"{edge.action} ")]
        if not fitting:
            move = f"move {len(actions) + 1} of the recorded solution, {ACTION.findall(rest)[0]},"
            raise SearchlabError(f"{move} is no move of {domain} there")
        edge = max(fitting, key=lambda edge: len(edge.action))
        actions.append(edge.action)
        boards.append(edge.board)
        cost += edge.cost
        rest = rest[len(edge.action) + 1 :]
    if not domain.is_goal(boards[-1]):
        raise SearchlabError(f"the recorded solution does not end in a goal of {domain}: its rules are others now")
    return actions, boards, cost


class _Recorded(msgspec.Struct):
    """A game as `Game.as_dict` writes it."""

    status: str
    seconds: float
    player: str
    domain: str
    seed: int
    actions: list[str]
    events: list[list[str]]
    start: list[list[int]]
    final: list[list[int]]
    score: float
    reason: str = ""
    opening: list[str] = []
    static: dict[str, Any] = {}


def replay_record(content: bytes | str, *, plugins: Plugins | None = None) -> Game:
    """Play a game again that `Game.as_dict` has written as JSON, with the moves and the random events after each.

    Raises:
        UsageError: the content is not a recorded game.
        SearchlabError: the score or the board differs from the record: the rules have changed.
    """
    try:
        recorded = msgspec.json.decode(content, type=_Recorded)
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"not a game as searchlab play --json writes it: {error}") from None
    if len(recorded.events) != len(recorded.actions):
        raise UsageError("not a game as searchlab play --json writes it: each move has the events after it")
    domain = seeded_domain(recorded.domain, recorded.seed, given_or_installed(plugins).for_data("the recorded game"))
    domain = _with_static(domain, recorded)
    turns: list[Turn] = []

    def recorded_events(board: Board) -> Iterator[Offer]:
        yield from (Offer(event, domain.apply(board, event)) for event in recorded.events[len(turns)])

    game = GameState(domain, recorded_events, Board(recorded.start, signed=True))
    for number, action in enumerate(recorded.actions, 1):
        turn = game.move(action)
        if turn is None:
            raise SearchlabError(f"move {number} of the recorded game, {action}, is no move of {domain} there")
        if turn.events != tuple(recorded.events[number - 1]):
            raise SearchlabError(f"after move {number} of the recorded game, {action}, {domain} draws something else")
        turns.append(turn)
    replayed = Game(
        status=recorded.status,
        start=game.start,
        opening=tuple(recorded.opening),
        turns=tuple(turns),
        reason=recorded.reason,
        seconds=recorded.seconds,
        player=recorded.player,
        domain=str(domain),
        seed=recorded.seed,
        instance=domain.instance,
    )
    if (replayed.score, replayed.boards[-1]) != (recorded.score, Board(recorded.final, signed=True)):
        raise SearchlabError(f"by the rules of {domain} the game has another score or board than was recorded")
    return replayed


def _with_static(domain: BoundDomain, recorded: _Recorded) -> BoundDomain:
    """Return the domain with the static data recorded with a game; raise a UsageError if it cannot be found."""
    if not domain.component.static:
        return domain
    if not recorded.static:
        lacking = f"{', '.join(domain.component.static)} belong to it, and are not recorded with the moves"
        raise UsageError(f"a game of {domain} cannot be played again: {lacking}; view it as a run of an experiment")
    try:
        static = static_from_json(recorded.static)
        return domain.of(Instance("", Board(recorded.start, signed=True), static))
    except (TypeError, ValueError) as error:
        raise UsageError(f"not a game as searchlab play --json writes it: {error}") from None


def _plain(row: Row) -> dict[str, Any]:
    """Return a row with None for each missing cell, and names without the dates of versions."""
    import pandas as pd

    cells: dict[str, Any] = {str(name): None if pd.isna(value) else value for name, value in row.items()}
    return {name: undated(value) if name in VERSIONED and value else value for name, value in cells.items()}


def recorded_position(recorded: Mapping[str, Any], plugins: Plugins) -> tuple[BoundDomain, Board | None]:
    """Return the domain of a run, with the static data of its instance, and the start board, or None if there is none.

    Args:
        recorded: the cells of the run by column, None for a missing one.
        plugins: the plugins that names are looked up in.

    Raises:
        UsageError, BoardError: a name is no longer known.
        SearchlabError: the static data has changed.
    """
    seed, plugins = recorded.get("seed"), plugins.for_data(RECORDED)
    domain = seeded_domain(recorded["domain"], None if seed is None else int(seed), plugins)
    text, name = recorded["board"], recorded["board_name"]
    if text is None:
        start = domain.start() if domain.component.start is not None and name is not None else None
        if start is not None and not is_board(start) and start_name(domain, start) == name:
            return domain, start
        return domain, None if name is None else _recorded_board(recorded)
    digest = static_digest(str(text))
    if not digest:
        return domain, _recorded_board(recorded)
    instance = _named_in_table(str(name), domain, plugins)
    if instance.digest != digest:
        raise SearchlabError(f"{name}: its static data is not what it was when the run was done")
    return domain.of(instance), instance.start


def recorded_start(row: Row, plugins: Plugins) -> tuple[BoundDomain, Board | None]:
    """Do as `recorded_position` for a row of `load_results`."""
    return recorded_position(_plain(row), plugins)


def recorded_domain(row: Row, plugins: Plugins) -> BoundDomain:
    """Return the domain of a row of `load_results`; errors as for `recorded_position`."""
    return recorded_start(row, plugins)[0]


def _named_in_table(name: str, domain: BoundDomain, plugins: Plugins) -> Instance:
    """Return the instance of this name in a table of results: from a file, or from a generator."""
    made = GENERATED.fullmatch(name)
    if made is None:
        return named_instance(name, domain).instance
    generator = lookup.generator(made["generator"], domain=made["domain"] or domain.name, plugins=plugins)
    return generator.instance(int(made["seed"]))


def _recorded_board(recorded: Mapping[str, Any]) -> Board:
    """Return the start board of a run, from its name if the board is large: its tiles were not recorded."""
    text = recorded["board"]
    try:
        return Board([[int(tile) for tile in line.split()] for line in str(text).split(" / ")], signed=True)
    except ValueError:
        if recorded["board_name"] is None:
            raise UsageError(f"the board {text!r} it began from is no longer known") from None
        return read_board(str(recorded["board_name"]))


def _difference(recorded: Mapping[str, Any], game: Game, status: str) -> str:
    """Return a line about the difference between a game and its record, `""` if there is none."""
    found = {"score": game.score, "final": board_text(game.boards[-1]), "moves": game.moves}
    if recorded["status"] in ENDED_BY_RULES:
        found["status"] = status
    for name, value in found.items():
        if recorded[name] != value:
            return f"recorded is {name} {recorded[name]}, and by the rules of {game.domain} it is {value}"
    return ""


def _differs(what: str, recorded: Mapping[str, Any], plugins: Plugins) -> SearchlabError:
    """Return an error that says what differs, and whether the code of the rules has changed."""
    plugin = plugins.get("domain", parse_name(recorded["domain"])).plugin
    known = f" {plugin_name(plugin)}={fingerprint(plugin)} "
    is_other = recorded["plugins"] is not None and known not in f" {recorded['plugins']} "
    code = f"; the code of {plugin_name(plugin)} is another than it was played with" if is_other else ""
    return SearchlabError(f"the game does not come to what was recorded of it: {what}{code}")
