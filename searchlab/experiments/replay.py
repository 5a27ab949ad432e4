"""Replaying a recorded game: its moves again, with the chance events of its seed, by the rules of its domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.binding.names import parse_name
from searchlab.board.board import Board
from searchlab.board.files import read_board
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments.components import seeded_domain
from searchlab.experiments.fingerprints import fingerprint, plugin_name
from searchlab.experiments.notation import moves_in, read
from searchlab.experiments.tables import board_text
from searchlab.games.game import GameState, move_limit, random_source
from searchlab.model.games import Game
from searchlab.model.randomness import Randomness
from searchlab.plugins.registry import installed

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from searchlab.binding.player import Move
    from searchlab.model.games import Turn
    from searchlab.plugins.registry import Plugins

    Row = Mapping[str, Any] | pd.Series[Any]

ENDED_BY_RULES = ("goal", "dead")
"""The statuses that follow from a game's moves."""


def replay(row: Row, *, plugins: Plugins | None = None) -> Game:
    """Play a recorded game again, its moves as they were recorded, and compare how it ends.

    Args:
        row: a row of `load_results` of an experiment of games.
        plugins: where the domain is looked up; by default the installed plugins.

    Returns:
        the game, with all boards and all that appeared; player, status, reason and seconds as they were recorded.

    Raises:
        UsageError: its moves were not recorded.
        SearchlabError: it comes to another score, board or end than was recorded: the rules are others now.
    """
    recorded = _plain(row)
    if recorded.get("actions") is None:
        raise UsageError("there are no moves to be played again: they were not recorded, or the row is of no game")
    seed, plugins = int(recorded["seed"] or 0), plugins or installed()
    domain = seeded_domain(recorded["domain"], seed, plugins)
    start = None if recorded["board"] is None else _board(recorded)
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
    )
    difference = _difference(recorded, replayed, status)
    if difference:
        raise _differs(difference, recorded, plugins)
    return replayed


def _plain(row: Row) -> dict[str, Any]:
    """Return a row with None for each missing cell."""
    import pandas as pd

    return {str(name): None if pd.isna(value) else value for name, value in row.items()}


def _board(recorded: Mapping[str, Any]) -> Board:
    """Return the start board of a game; only the name of a large one was recorded."""
    text = recorded["board"]
    try:
        return Board([[int(tile) for tile in line.split()] for line in text.split(" / ")])
    except ValueError:
        if recorded["board_name"] is None:
            raise UsageError(f"the board {text!r} it was played from is no longer known") from None
        return read_board(recorded["board_name"])


def _difference(recorded: Mapping[str, Any], game: Game, status: str) -> str:
    """Say how a game differs from its record, '' if it does not."""
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
    known = [f" {plugin_name(plugin)}={text} " for text in fingerprint(plugin)]
    is_other = recorded["plugins"] is not None and not any(text in f" {recorded['plugins']} " for text in known)
    code = f"; the code of {plugin_name(plugin)} is another than it was played with" if is_other else ""
    return SearchlabError(f"the game does not come to what was recorded of it: {what}{code}")
