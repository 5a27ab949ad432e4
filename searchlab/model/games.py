"""Games that were played: their turns, and how they ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from searchlab.board.board import Board


class Turn(NamedTuple):
    """A move of a game, and what appeared after it.

    Attributes:
        action: the move's name.
        after: the board after the move.
        cost: what the move cost.
        points: what it earned.
        events: in a game of chance what was drawn after it, what was refused included; nothing where the move ended
            the game.
        board: the board with what appeared: the next move begins from it.
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
        opening: in a game of chance what was drawn before the first move, what was refused included.
        turns: the moves made, each with what appeared after it: enough to play the game again.
        reason: of an error one line on what was wrong, and below it the board.
        seconds: wall time.
        player, domain: as they are spelled.
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
        """How many moves were made."""
        return len(self.turns)

    @property
    def actions(self) -> tuple[str, ...]:
        """The moves made."""
        return tuple(turn.action for turn in self.turns)

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards the moves were made from, the start first, and the final board."""
        return (self.start, *(turn.board for turn in self.turns))

    @property
    def events(self) -> tuple[tuple[str, ...], ...]:
        """What was drawn after each move."""
        return tuple(turn.events for turn in self.turns)

    @property
    def cost(self) -> float:
        """What the moves cost."""
        return sum(turn.cost for turn in self.turns)

    @property
    def score(self) -> float:
        """What the moves earned."""
        return sum(turn.points for turn in self.turns)

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain values, the start and the final board as rows: what `searchlab play --json` prints.

        The boards between follow from the actions and the events.
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
        moves: how many it had.
        score: the points of all of them.
        final: the board it ended with.
    """

    moves: int
    score: float
    final: Board
