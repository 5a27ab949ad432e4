"""Turn, Game and LearnedGame: games that were played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from searchlab.errors.cached import cached_property
from searchlab.model.formatting import counted, duration, rounded, value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board.board import Board
    from searchlab.model.display import Display
    from searchlab.model.instance import Instance


class Turn(NamedTuple):
    """A move of a game, and the chance events after it.

    Attributes:
        action: the name of the move.
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


@dataclass(frozen=True, eq=False, repr=False)
class LaterTurns(Sequence[Turn]):
    """The moves of a game that was played in compiled code. Turns are made when they are needed.

    Attributes:
        length: the number of moves.
        name: a function that returns the actions.
        score: the points of all moves.
        cost: a function that returns the cost of all moves, or None if this needs the turns.
        final: the board after the last move.
        make: a function that returns the turns.
    """

    length: int
    name: Callable[[], tuple[str, ...]]
    score: float
    cost: Callable[[], float | None]
    final: Board
    make: Callable[[], tuple[Turn, ...]]

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """The actions of the moves."""
        return self.name()

    @cached_property
    def _made(self) -> tuple[Turn, ...]:
        return self.make()

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, at: int) -> Turn: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Turn, ...]: ...

    def __getitem__(self, at: int | slice) -> Turn | tuple[Turn, ...]:
        return self._made[at]

    def __eq__(self, other: object) -> bool:
        return self._made == (other._made if isinstance(other, LaterTurns) else other)

    def __hash__(self) -> int:
        return hash(self._made)

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._made,)


@dataclass(frozen=True, repr=False)
class Game:
    """A game that was played.

    Attributes:
        status: `goal`, `dead` (no move is left, or a move ended the game), `move-limit`, `interrupted` or `error`.
        start: the board of the first move.
        opening: the chance events drawn before the first move, including refused ones.
        turns: the moves with the events after them; these suffice to replay the game. See also `LaterTurns`.
        reason: for an error, one line with the reason, followed by the board.
        seconds: wall time.
        player, domain: the names with parameters.
        seed: the seed of the random numbers of game and player.
        instance: the instance with the static data of the game; None if there are none.
    """

    status: str
    start: Board
    opening: tuple[str, ...]
    turns: Sequence[Turn]
    reason: str
    seconds: float
    player: str
    domain: str
    seed: int
    instance: Instance | None = None

    @property
    def moves(self) -> int:
        """The number of moves."""
        return len(self.turns)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the moves."""
        if isinstance(self.turns, LaterTurns):
            return self.turns.actions
        return tuple(turn.action for turn in self.turns)

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards before each move, start first, and the final board."""
        return (self.start, *(turn.board for turn in self.turns))

    @property
    def final(self) -> Board:
        """The board after the last move and its random event."""
        if isinstance(self.turns, LaterTurns):
            return self.turns.final
        return self.turns[-1].board if self.turns else self.start

    @property
    def events(self) -> tuple[tuple[str, ...], ...]:
        """The chance events after each move."""
        return tuple(turn.events for turn in self.turns)

    @property
    def cost(self) -> float:
        """The cost of all moves."""
        known = self.turns.cost() if isinstance(self.turns, LaterTurns) else None
        return known if known is not None else sum(turn.cost for turn in self.turns)

    @property
    def score(self) -> float:
        """The points of all moves."""
        if isinstance(self.turns, LaterTurns):
            return self.turns.score
        return sum(turn.points for turn in self.turns)

    def __repr__(self) -> str:
        return f"<Game: {self._display().line(self._largest_tile, *game_setting(self))}>"

    def __str__(self) -> str:
        return f"{self._display().text()}\n\n{self.final}"

    def _repr_html_(self) -> str:
        return self._display(self.boards).html()

    def _display(self, boards: tuple[Board, ...] = ()) -> Display:
        from searchlab.model.display import Display

        (took,) = game_figures(self)
        return Display(
            game_headline(self),
            game_setting(self),
            [[self._largest_tile, *took]],
            boards,
            self.actions,
            self.reason if self.status == "error" else "",
        )

    @property
    def _largest_tile(self) -> str:
        return f"largest tile {self.final.largest_tile():,}"

    def as_dict(self) -> dict[str, Any]:
        """Return the game as plain values, as `searchlab play --json` prints it; start and final board are rows.

        The boards between them follow from the actions and the events. `static` holds the static data of the game, with
        compressed arrays.
        """
        static = self.instance.static if self.instance else {}
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
            "final": self.final.tiles.tolist(),
            **_recorded(static),
        }


def game_headline(game: Game) -> str:
    """Return the outcome of a game, in one line."""
    cost = "" if game.cost == game.moves else f", cost {value(game.cost)}"
    score = f", score {value(game.score)}" if game.score else ""
    after = f"after {counted(game.moves, 'move')}{cost}{score}"
    return {
        "goal": f"goal reached {after}",
        "dead": f"game over {after}: no legal move is left",
        "move-limit": f"stopped {after}, which is the limit",
        "time-limit": f"stopped {after}: its time was up",
        "memory-limit": f"stopped {after}: it took all the memory it might",
        "interrupted": f"interrupted {after}",
        "error": f"the game ended with an error {after}",
    }[game.status]


def game_setting(game: Game) -> list[str]:
    """Return the game, the player, and the seed."""
    return [game.domain, game.player, f"seed {game.seed}"]


def game_figures(game: Game) -> list[list[str]]:
    """Return the counts and times of a game."""
    took = [duration(game.seconds)]
    if game.seconds > 0 and game.moves:
        took.append(f"{rounded(game.moves / game.seconds)} moves/s")
    return [took]


class LearnedGame(NamedTuple):
    """A game that was learned from.

    Attributes:
        moves: the number of moves.
        score: the points of all moves.
        final: the last board.
    """

    moves: int
    score: float
    final: Board


def _recorded(static: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a record with the static data of an instance, empty if there are none."""
    if not static:
        return {}
    from searchlab.model.instance import static_as_json  # late: it loads NumPy

    return {"static": static_as_json(static)}
