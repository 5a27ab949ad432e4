"""Games: the rules by which a game proceeds and ends; `games/play.py` lets a player play one.

A game begins with the opening that the domain draws. Then turns follow: a move is chosen and made, it earns points, and
chance adds something to the board. The game is over after a terminal move, and if there is no legal move. A game of
chance, or of a domain with `ends_at_goal`, is also over at a goal. `GameState.move` is the only function that makes a
move on Board objects, and `GameState.play` is the only loop over a player's moves on them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.binding.player import Move
from searchlab.model.games import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.binding.chance import Offer
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.player import Choice
    from searchlab.board.board import Board
    from searchlab.model.randomness import Randomness

    Source = Callable[[Board], Iterable[Offer]]
    Until = Callable[["GameState"], str]

DEFAULT_PLAYER = "searchlab/greedy"
MOST_MOVES = 100_000
"""The default limit of moves of a game: not every game ends by the rules."""


def random_source(domain: BoundDomain, random: Randomness) -> Source:
    """Return a source of chance that draws the events of a domain by random numbers."""
    return lambda board: domain.draw(board, random)


def move_limit(moves: int) -> Until:
    """Return a function that ends a game with the status `move-limit` after this number of moves."""
    return lambda game: "move-limit" if game.moves >= moves else ""


class GameState:
    """The state of a game.

    Args:
        domain: the game.
        source: the source of chance: called with the board after a move, it yields offers; the last offer is taken.
        start: the board of the first move; by default the domain's start board after a drawn opening.

    Attributes:
        start: the board of the first move.
        opening: the events drawn before the first move, including refused ones.
        board: the current board.
        moves: the number of moves made.
        score: the points of these moves.
        is_ended: whether the last move ended the game; no random event followed it.

    Raises:
        UsageError: the domain has no start board.
        PluginError: the domain failed.
    """

    def __init__(self, domain: BoundDomain, source: Source, start: Board | None = None) -> None:
        self.domain = domain
        self._source = source
        self._given = start
        self.begin()

    def begin(self) -> None:
        """Begin the game again."""
        self.moves, self.is_ended = 0, False
        self.score: float = 0
        self.opening: tuple[str, ...] = ()
        if self._given is None:
            board = self.domain.start()
            self.domain.states.need_boards(board, "a player")
            self.domain.check(board)
            for _ in range(self.domain.opening()):
                board, events = self._draw(board)
                self.opening += events
                if not events or self.domain.is_goal(board):
                    break
        else:
            board = self._given
        self.start = board
        self._enter(board)

    def _enter(self, board: Board) -> None:
        self.board = board
        self._is_goal: bool | None = None
        self._edges: tuple[Successor, ...] | None = None

    @property
    def is_goal(self) -> bool:
        """Whether the board is a goal."""
        if self._is_goal is None:
            self._is_goal = self.domain.is_goal(self.board)
        return self._is_goal

    @property
    def edges(self) -> tuple[Successor, ...]:
        """The legal moves; empty if the game is over."""
        if self._edges is None:
            is_over = self.is_ended or (self.is_goal and self._ends_at_goal)
            self._edges = () if is_over else self.domain.all_edges(self.board)
        return self._edges

    @property
    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves as players see them."""
        return tuple(Move(edge.action, edge.board) for edge in self.edges)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended by its rules."""
        return not self.edges

    @property
    def status(self) -> str:
        """`goal`, `dead` if the game is over without a goal, or `""` while it goes on."""
        if self.is_goal:
            return "goal"
        return "dead" if self.is_over else ""

    def move(self, action: str) -> Turn | None:
        """Make a move and the random event after it; return None if there is no such move."""
        edge = next((edge for edge in self.edges if edge.action == action), None)
        if edge is None:
            return None
        points = self.domain.points(self.board, edge.board)
        self._moved(edge.board)
        is_ended = edge.terminal or (self._ends_at_goal and self.domain.is_goal(edge.board))
        board, events = (edge.board, ()) if is_ended else self._draw(edge.board)
        self.moves, self.score, self.is_ended = self.moves + 1, self.score + points, is_ended
        self._enter(board)
        return Turn(action, edge.board, edge.cost, points, events, board)

    def go_on_from(self, board: Board, moves: int, score: float) -> None:
        """Adopt the state of the game after compiled code has made ordinary moves that did not end it."""
        self.moves, self.score = moves, score
        self._enter(board)

    def _moved(self, after: Board) -> None:
        """Called after a move, before chance follows."""

    def play(
        self, choose: Choice, until: Until = lambda game: "", on_turn: Callable[[Turn], None] = lambda turn: None
    ) -> str:
        """Let a player play until the game is over or the goal is reached; a player does not continue from a goal.

        Args:
            choose: called with the board and the legal moves; returns the action of a legal move.
            until: called with this object before each move; returns `""`, or a status to stop with.
            on_turn: called after each move.

        Returns:
            the status at the end.

        Raises:
            PluginError: the player or the domain failed.
        """
        while not (status := self.status or until(self)):
            turn = self.move(choose(self.board, self.legal_moves))
            assert turn is not None
            on_turn(turn)
        return status

    @property
    def _ends_at_goal(self) -> bool:
        return self.domain.is_of_chance or self.domain.component.ends_at_goal

    def _draw(self, board: Board) -> tuple[Board, tuple[str, ...]]:
        """Return the board after a random event, and the events drawn for it."""
        events: list[str] = []
        for offer in self._source(board):
            events.append(offer.text)
            if offer.board is not None:
                board = offer.board
        return board, tuple(events)


class Observer:
    """The base class of observers of a series of games; it ignores all events."""

    def begun(self) -> None:
        """A game begins: the board is cleared."""

    def offered(self, event: str) -> None:
        """An event was drawn; it may be refused."""

    def appeared(self, event: str) -> None:
        """The last drawn event was taken: it is on the board."""

    def moved(self, board: Board, score: float, best: float) -> None:
        """Called after a move to this board; the score does not include the move."""

    def ended(self, score: float, best: float) -> None:
        """Called at the end of a game; the best score includes this game."""


class GameSeries(GameState):
    """Games of a domain, one after another, played move by move by a person or a script.

    Args:
        domain, source: see `GameState`.
        start: the board of every game's first move; by default the domain's own beginning.
        observer: notified of all events.

    Attributes:
        turns: the moves of the current game.
        best: the largest score of a finished game.

    Raises:
        BoardError: the start is not a board of the domain.
    """

    def __init__(
        self, domain: BoundDomain, source: Source, start: Board | None = None, observer: Observer | None = None
    ) -> None:
        domain.check(domain.start() if start is None else start)
        self.turns: list[Turn] = []
        self.best: float = 0
        self._observer = observer or Observer()
        super().__init__(domain, self._observed(source), start)

    def begin(self) -> None:
        """Begin a game; an unfinished game is abandoned."""
        self._observer.begun()
        self.turns.clear()
        super().begin()
        self._conclude()

    def move(self, action: str) -> Turn | None:
        """Make a move and the random event after it; return None if there is no such move."""
        turn = super().move(action)
        if turn is not None:
            self.turns.append(turn)
            self._conclude()
        return turn

    def undo(self) -> bool:
        """Take the last move back, or return False if there is none. The best score stays."""
        if not self.turns:
            return False
        self.score -= self.turns.pop().points
        self.moves, self.is_ended = self.moves - 1, False
        self._enter(self.turns[-1].board if self.turns else self.start)
        return True

    def _moved(self, after: Board) -> None:
        self._observer.moved(after, self.score, self.best)

    def _conclude(self) -> None:
        if self.is_over:
            self.best = max(self.best, self.score)
            self._observer.ended(self.score, self.best)

    def _observed(self, source: Source) -> Source:
        def offers(board: Board) -> Iterator[Offer]:
            for offer in source(board):
                self._observer.offered(offer.text)
                if offer.board is not None:
                    self._observer.appeared(offer.text)
                yield offer

        return offers
