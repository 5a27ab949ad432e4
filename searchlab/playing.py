"""Playing: a player makes one move after another until the game is over."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from searchlab.bound_player import Move
from searchlab.errors import PluginError, UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from searchlab.board import Board
    from searchlab.bound import BoundDomain, Successor
    from searchlab.bound_player import BoundPlayer, Choice

    Turns = Generator[Successor, None, str]
    Watcher = Callable[[int, Board], None]

GAME_STATUSES = ("goal", "dead", "move-limit", "interrupted", "error")
MOST_MOVES = 100_000
"""Moves of a game unless another number is given: not every game ends by its rules."""
TELL_EVERY = 0.2
"""Seconds between two calls of a watcher."""


@dataclass(frozen=True)
class Game:
    """A game that was played.

    Attributes:
        status: `goal`, `dead` (no move is left, or a move ended the game), `move-limit`, `interrupted` or `error`.
        start: the start board.
        actions: the moves made.
        boards: `boards[0]` is the start, `boards[-1]` the final board.
        reason: of an error one line on what was wrong, and below it the board.
        cost: what the moves cost.
        seconds: wall time.
        player, domain: as they are spelled.
        seed: of the player's random numbers.
    """

    status: str
    start: Board = field(repr=False)
    actions: tuple[str, ...] = field(repr=False)
    boards: tuple[Board, ...] = field(repr=False)
    reason: str
    cost: float
    seconds: float
    player: str
    domain: str
    seed: int

    @property
    def moves(self) -> int:
        """How many moves were made."""
        return len(self.actions)

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain values, the start and the final board as rows: what `searchlab play --json` prints.

        The boards between follow from the actions.
        """
        return {
            "status": self.status,
            "reason": self.reason,
            "moves": self.moves,
            "cost": self.cost,
            "seconds": self.seconds,
            "player": self.player,
            "domain": self.domain,
            "seed": self.seed,
            "actions": list(self.actions),
            "start": self.start.tiles.tolist(),
            "final": self.boards[-1].tiles.tolist(),
        }


def play(
    board: Board,
    domain: BoundDomain,
    player: BoundPlayer,
    seed: int = 0,
    most_moves: int = MOST_MOVES,
    watcher: Watcher | None = None,
) -> Game:
    """Let a player play a game from a board; see `searchlab.play`."""
    for name, number in (("seed", seed), ("limit of moves", most_moves)):
        if not isinstance(number, int) or number < 0:
            raise UsageError(f"a {name} is a whole number, 0 or more, not {shown(number, 40)}")
    made: list[Successor] = []
    reason = ""
    began = time.perf_counter()
    try:
        status = _followed(turns(board, domain, player.begin(seed), most_moves), made, watcher)
    except KeyboardInterrupt:
        status = "interrupted"
    except PluginError as error:
        status, reason = "error", f"{error}\n{made[-1].board if made else board}"
    return Game(
        status=status,
        start=board,
        actions=tuple(move.action for move in made),
        boards=(board, *(move.board for move in made)),
        reason=reason,
        cost=sum(move.cost for move in made),
        seconds=time.perf_counter() - began,
        player=str(player),
        domain=str(domain),
        seed=seed,
    )


def turns(board: Board, domain: BoundDomain, choose: Choice, most_moves: int = MOST_MOVES) -> Turns:
    """Yield the moves of a game as they are made; return the status it ends with.

    Raises:
        PluginError: the player failed, or chose a move that is not legal; or the domain failed.
    """
    moves_made, is_over = 0, False
    while not domain.is_goal(board):
        edges = () if is_over else tuple(domain.edges(board))
        if not edges:
            return "dead"
        if moves_made == most_moves:
            return "move-limit"
        action = choose(board, tuple(Move(edge.action, edge.board) for edge in edges))
        edge = next(edge for edge in edges if edge.action == action)
        yield edge
        moves_made, board, is_over = moves_made + 1, edge.board, edge.terminal
    return "goal"


def _followed(game: Turns, made: list[Successor], watcher: Watcher | None) -> str:
    """Append the moves of a game to those made, and tell who watches; return the status it ends with."""
    told = time.perf_counter()
    while True:
        try:
            edge = next(game)
        except StopIteration as end:
            return str(end.value)
        made.append(edge)
        if watcher and time.perf_counter() - told > TELL_EVERY:
            watcher(len(made), edge.board)
            told = time.perf_counter()
