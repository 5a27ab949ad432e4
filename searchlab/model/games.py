"""Turn, Game and LearnedGame: games that were played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from searchlab.board.board import Board


class Turn(NamedTuple):
    """A move of a game, and the chance events after it.

    Attributes:
        action: the move's name.
        after: the board after the move.
        cost: the cost of the move.
        points: the points of the move.
        events: the chance events drawn after the move, including refused ones; empty if the move ended the game.
        board: the board after the events, from which the next move is made.
    """

    action: str
    after: Board
    cost: float
    points: float
    events: tuple[str, ...]
    board: Board


@dataclass(frozen=True)
class Game:
    """A game that was played.

    Attributes:
        status: `goal`, `dead` (no move is left, or a move ended the game), `move-limit`, `interrupted` or `error`.
        start: the board of the first move.
        opening: the chance events drawn before the first move, including refused ones.
        turns: the moves with the events after them; they suffice to replay the game.
        reason: for an error, one line on what was wrong, and below it the board.
        seconds: wall time.
        player, domain: their names with parameters.
        seed: of the game's random numbers and of the player's.
    """

    status: str
    start: Board = field(repr=False)
    opening: tuple[str, ...] = field(repr=False)
    turns: tuple[Turn, ...] = field(repr=False)
    reason: str
    seconds: float
    player: str
    domain: str
    seed: int

    @property
    def moves(self) -> int:
        """The number of moves."""
        return len(self.turns)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the moves."""
        return tuple(turn.action for turn in self.turns)

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards before each move, the start first, and the final board."""
        return (self.start, *(turn.board for turn in self.turns))

    @property
    def events(self) -> tuple[tuple[str, ...], ...]:
        """The chance events after each move."""
        return tuple(turn.events for turn in self.turns)

    @property
    def cost(self) -> float:
        """The cost of all moves."""
        return sum(turn.cost for turn in self.turns)

    @property
    def score(self) -> float:
        """The points of all moves."""
        return sum(turn.points for turn in self.turns)

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain values, which `searchlab play --json` prints; start and final board are rows.

        The boards between them follow from the actions and the events.
        """
        return {
            "status": self.status,
            "reason": self.reason,
            "moves": self.moves,
            "score": self.score,
            "cost": self.cost,
            "seconds": self.seconds,
            "player": self.player,
            "domain": self.domain,
            "seed": self.seed,
            "opening": list(self.opening),
            "actions": list(self.actions),
            "events": list(map(list, self.events)),
            "start": self.start.tiles.tolist(),
            "final": self.boards[-1].tiles.tolist(),
        }


class LearnedGame(NamedTuple):
    """A game that was learned from.

    Attributes:
        moves: the number of its moves.
        score: the points of all of them.
        final: its last board.
    """

    moves: int
    score: float
    final: Board
