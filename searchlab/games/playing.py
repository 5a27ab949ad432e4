"""Playing: a player makes one move after another until the game is over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from searchlab.binding.player import Move
from searchlab.errors import PluginError, UsageError, shown
from searchlab.errors.interrupts import handlers_pass
from searchlab.model.games import Game, Turn
from searchlab.model.randomness import Randomness
from searchlab.plugins.process_state import state_kept

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Choice
    from searchlab.board.board import Board

    Turns = Generator[Turn, None, str]
    Watcher = Callable[[int, Board], None]

GAME_STATUSES = ("goal", "dead", "move-limit", "interrupted", "error")
MOST_MOVES = 100_000
"""Moves of a game unless another number is given: not every game ends by its rules."""
TELL_EVERY = 0.2
"""Seconds between two calls of a watcher."""


def play(
    board: Board | None,
    domain: BoundDomain,
    player: BoundPlayer,
    seed: int = 0,
    most_moves: int = MOST_MOVES,
    watcher: Watcher | None = None,
) -> Game:
    """Let a player play a game from a board, without one from the opening; see `searchlab.play`."""
    for name, number in (("seed", seed), ("limit of moves", most_moves)):
        if not isinstance(number, int) or number < 0:
            raise UsageError(f"a {name} is a whole number, 0 or more, not {shown(number, 40)}")
    random = Randomness(seed)
    start, events = opened(domain, random) if board is None else (board, ())
    made: list[Turn] = []
    reason = ""
    began = time.perf_counter()
    try:
        with handlers_pass(), state_kept():
            status = _followed(turns(start, domain, player.begin(seed), random, most_moves), made, watcher)
    except KeyboardInterrupt:
        status = "interrupted"
    except PluginError as error:
        status, reason = "error", f"{error}\n{made[-1].board if made else start}"
    return Game(
        status=status,
        start=start,
        opening=events,
        turns=tuple(made),
        reason=reason,
        seconds=time.perf_counter() - began,
        player=str(player),
        domain=str(domain),
        seed=seed,
    )


def opened(domain: BoundDomain, random: Randomness) -> tuple[Board, tuple[str, ...]]:
    """Return the board on which a game begins, and what was drawn for it.

    Raises:
        UsageError: the domain has no start board.
        PluginError: the domain failed.
    """
    board = domain.start()
    domain.check(board)
    drawn: list[str] = []
    for _ in range(domain.opening()):
        board, events = _drawn(board, domain, random)
        drawn += events
        if not events or domain.is_goal(board):
            break
    return board, tuple(drawn)


def turns(board: Board, domain: BoundDomain, choose: Choice, random: Randomness, most_moves: int = MOST_MOVES) -> Turns:
    """Yield the moves of a game as they are made; return the status it ends with.

    Args:
        random: what chance draws from.

    Raises:
        PluginError: the player failed, or chose a move that is not legal; or the domain failed.
    """
    moves_made, is_over = 0, False
    while not domain.is_goal(board):
        edges = () if is_over else domain.all_edges(board)
        if not edges:
            return "dead"
        if moves_made == most_moves:
            return "move-limit"
        action = choose(board, tuple(Move(edge.action, edge.board) for edge in edges))
        edge = next(edge for edge in edges if edge.action == action)
        points = domain.points(board, edge.board)
        is_over = edge.terminal or (domain.is_of_chance and domain.is_goal(edge.board))
        board, events = (edge.board, ()) if is_over else _drawn(edge.board, domain, random)
        yield Turn(action, edge.board, edge.cost, points, events, board)
        moves_made += 1
    return "goal"


def _drawn(board: Board, domain: BoundDomain, random: Randomness) -> tuple[Board, tuple[str, ...]]:
    """Return a board with what is drawn for it, and the texts of that."""
    offers = domain.draw(board, random)
    after = offers[-1].board if offers else board
    assert after is not None
    return after, tuple(offer.text for offer in offers)


def _followed(game: Turns, made: list[Turn], watcher: Watcher | None) -> str:
    """Append the moves of a game to those made, and tell who watches; return the status it ends with."""
    told = time.perf_counter()
    while True:
        try:
            turn = next(game)
        except StopIteration as end:
            return str(end.value)
        made.append(turn)
        if watcher and time.perf_counter() - told > TELL_EVERY:
            watcher(len(made), turn.board)
            told = time.perf_counter()
