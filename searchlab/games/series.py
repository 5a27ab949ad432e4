"""A series of games, played move by move from outside: by a person, or by the lines of a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.model.games import Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.binding.chance import Offer
    from searchlab.binding.domain import BoundDomain, Successor
    from searchlab.board.board import Board

    Source = Callable[[Board], Iterable[Offer]]


class Observer:
    """Is told what happens in a series of games; this one takes no notice."""

    def begun(self) -> None:
        """A game begins: the board is cleared."""

    def offered(self, event: str) -> None:
        """Something was drawn; it may be refused."""

    def appeared(self, event: str) -> None:
        """What was drawn is on the board."""

    def moved(self, board: Board, score: float, best: float) -> None:
        """A move was made that led to this board; the score is the one before it."""

    def ended(self, score: float, best: float) -> None:
        """A game is over; the best score counts this one."""


class GameSeries:
    """Games of a domain, one after another; `begin` begins each of them.

    Args:
        source: what lets something appear: called with a board after a move, it yields offers, the last of which has a
            board. It is asked only where something can appear.
        start: the board of every game's first move; without it games begin as those of the domain do.
        observer: is told what happens.

    Attributes:
        board: the position.
        start: the board of the first move, and
        opening: what was drawn before it.
        turns: the moves of the game so far.
        score: what they earned.
        best: the largest score of a game that came to its end.
        is_over: whether the game has come to its end.
    """

    def __init__(
        self, domain: BoundDomain, source: Source, start: Board | None = None, observer: Observer | None = None
    ) -> None:
        self.domain = domain
        self.board = self.start = domain.start() if start is None else start
        self.opening: tuple[str, ...] = ()
        self.turns: list[Turn] = []
        self.score: float = 0
        self.best: float = 0
        self.is_over = True
        self._given = start
        self._source = source
        self._observer = observer or Observer()
        self._met: list[Successor] = []
        self._others: Iterator[Successor] = iter(())
        domain.check(self.board)

    def begin(self) -> None:
        """Begin a game; one that is not over yet is given up."""
        self._observer.begun()
        self.turns, self.score, self.opening = [], 0, ()
        self.board = self.domain.start() if self._given is None else self._given
        if self._given is None:
            for _ in range(self.domain.opening()):
                self.board, drawn = self._drawn(self.board)
                self.opening += drawn
        self.start = self.board
        self._settle(is_last=False)

    def edges(self) -> Iterator[Successor]:
        """Yield the moves at hand; each is found only when it is asked for."""
        yield from self._met
        for edge in self._others:
            self._met.append(edge)
            yield edge

    def move(self, action: str) -> Turn | None:
        """Make a move, and let something appear; return None where there is no such move."""
        edge = next((edge for edge in self.edges() if edge.action == action), None)
        if edge is None:
            return None
        points = self.domain.points(self.board, edge.board)
        self._observer.moved(edge.board, self.score, self.best)
        self.score += points
        is_last = edge.terminal or self._ends(edge.board)
        board, drawn = (edge.board, ()) if is_last else self._drawn(edge.board)
        turn = Turn(action, edge.board, edge.cost, points, drawn, board)
        self.turns.append(turn)
        self.board = board
        self._settle(is_last=is_last)
        return turn

    def undo(self) -> bool:
        """Take the last move back; return False where there is none. The best score stays."""
        if not self.turns:
            return False
        self.score -= self.turns.pop().points
        self.board = self.turns[-1].board if self.turns else self.start
        self._set_out()
        return True

    def status(self, most_moves: int) -> str:
        """Return the status with which a player's game is over, an empty text before that; see `Game`."""
        if self.domain.is_goal(self.board):
            return "goal"
        if self.is_over:
            return "dead"
        return "move-limit" if len(self.turns) >= most_moves else ""

    def _settle(self, *, is_last: bool) -> None:
        """Find out whether the game is over on the board that has been reached."""
        self._set_out()
        self.is_over = is_last or self._ends(self.board) or next(self.edges(), None) is None
        if self.is_over:
            self._met, self._others = [], iter(())
            self.best = max(self.best, self.score)
            self._observer.ended(self.score, self.best)

    def _set_out(self) -> None:
        self.is_over = False
        self._met, self._others = [], self.domain.edges(self.board)

    def _ends(self, board: Board) -> bool:
        """Return whether the game ends because its goal is reached."""
        ends = self.domain.is_of_chance or self.domain.component.ends_at_goal
        return ends and self.domain.is_goal(board)

    def _drawn(self, board: Board) -> tuple[Board, tuple[str, ...]]:
        """Return a board with what appears on it, and the texts of what was drawn for that."""
        drawn: list[str] = []
        if self._ends(board) or not self.domain.can_appear(board):
            return board, ()
        for offer in self._source(board):
            drawn.append(offer.text)
            self._observer.offered(offer.text)
            if offer.board is not None:
                self._observer.appeared(offer.text)
                board = offer.board
        return board, tuple(drawn)
