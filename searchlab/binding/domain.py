"""BoundDomain: a domain with its parameters set, what `searchlab.domain("2048:goal=512")` returns."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import LARGEST_INT, NoNumber, exact_number, number, plain_text
from searchlab.binding.chance import OfChance
from searchlab.board.board import Board
from searchlab.errors import BoardError, PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.model.costs import LARGEST_COST, is_cost
from searchlab.model.packed import MOST_SUCCESSORS, PackedForm

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.model.games import Turn


class Successor(NamedTuple):
    """What a move leads to.

    Attributes:
        action: the move's name.
        board: the board after it.
        cost: what it costs.
        terminal: whether the game is over with it: such a board is never expanded.
    """

    action: str
    board: Board
    cost: float = 1
    terminal: bool = False


class BoundDomain(OfChance):
    """A domain with its parameters set.

    >>> import searchlab as sl
    >>> sl.domain("2048", goal=512).start().largest_tile()
    2
    """

    def start(self) -> Board:
        """Return the start board; a UsageError where the game has none."""
        function = self.component.start
        if function is None:
            raise UsageError(f"{self.name} has no start board: name a board file")
        board = self._calling(function, 0)()
        if not isinstance(board, Board):
            raise PluginError(f"{self.name}: start returned {shown(board)}, which is no Board")
        return board

    def edges(self, board: Board) -> Iterator[Successor]:
        """Yield the successors of a board with all that is known of the moves, in the domain's order."""
        following = self._each(self.component.successors, self._successors(board), self._checked)
        yield from islice(following, MOST_SUCCESSORS)
        if next(following, None) is not None:
            what = f"yields more than {MOST_SUCCESSORS:,} moves from one board: does it ever end?"
            raise self._wrong("successors", what)

    def all_edges(self, board: Board) -> tuple[Successor, ...]:
        """Return all that `edges` yields; of the board asked for last it is known: a player asks after the game."""
        latest, edges = self._latest[0]
        if latest is not board:
            edges = tuple(self.edges(board))
            self._latest[0] = board, edges
        return edges

    @cached_property
    def _latest(self) -> list[tuple[Board | None, tuple[Successor, ...]]]:
        """The board asked for last and its edges, in one piece, as several threads may ask."""
        return [(None, ())]

    def _checked(self, item: Any) -> Successor:
        """Return a successor that a search can use."""
        edge = Successor(*item)
        if not isinstance(edge.board, Board):
            msg = f"yields (action, board, …) with a Board, not {type(edge.board).__name__}"
            raise TypeError(msg)
        if not isinstance(edge.action, str):
            msg = f"yields (action, board, …) with a text, not {type(edge.action).__name__}"
            raise TypeError(msg)
        kind = type(edge.cost)
        is_plain = kind is float or (kind is int and edge.cost < LARGEST_INT)
        if not is_plain or type(edge.action) is not str or type(edge.terminal) is not bool:
            edge = self._plain(edge)
        if not is_cost(edge.cost):
            msg = f"the move {edge.action} costs {edge.cost}, and a cost is a number from 0 to {LARGEST_COST:g}"
            raise ValueError(msg)
        if edge.cost != 1 and self.component.unit_cost:
            msg = f"the move {edge.action} costs {edge.cost}, and without unit_cost=False every move costs 1"
            raise ValueError(msg)
        return edge

    def _plain(self, edge: Successor) -> Successor:
        """Return a successor in types of Python's own: one of a plugin's may fail when it is used."""
        try:
            cost = exact_number(edge.cost)
        except NoNumber as error:
            msg = f"the move {edge.action} costs {error}"
            raise ValueError(msg) from error
        return Successor(plain_text(edge.action), edge.board, cost, bool(edge.terminal))

    def successors(self, board: Board) -> list[tuple[str, Board]]:
        """Return (action, board) for each move from a board."""
        return [(edge.action, edge.board) for edge in self.edges(board)]

    def neighbors(self, board: Board) -> list[Board]:
        """Return the boards one move away."""
        return [edge.board for edge in self.edges(board)]

    def is_goal(self, board: Board) -> bool:
        """Return whether a board is solved."""
        return self._truth(self._is_goal, board)

    def is_dead(self, board: Board) -> bool:
        """Return whether no move leads to a live board."""
        if self.component.is_dead is not None:
            return self._truth(self._calling(self.component.is_dead), board)
        return all(edge.terminal for edge in self.edges(board))

    def why_invalid(self, board: Board) -> str:
        """Return what is wrong with a board that cannot be one of this game, else an empty text."""
        return self._text("why_invalid", board) if self.component.why_invalid else ""

    def check(self, board: Board) -> None:
        """Raise a BoardError if a board cannot be one of this game."""
        wrong = self.why_invalid(board)
        if wrong:
            raise BoardError(f"not a board of {self}: {wrong}")

    def why_unsolvable(self, board: Board) -> str:
        """Return why it is known without searching that a board has no solution, else an empty text."""
        return self._text("why_unsolvable", board) if self.component.why_unsolvable else ""

    def lower_bound(self, board: Board) -> float:
        """Return a cost that no solution of a board can be below; 0 where nothing better is known."""
        function = self.component.lower_bound
        bound = self._calling(function)(board) if function else 0
        try:
            return number(bound)
        except NoNumber as error:
            raise self._wrong("lower_bound", f"returned {error}") from error

    def render(self, board: Board) -> str:
        """Return a board's text form in this game's transcripts."""
        return self._text("render", board) if self.component.render else str(board)

    def solution_headline(self, moves: int, *, proved: bool) -> str:
        """Return the first line of a transcript; `proved` if no shorter solution exists."""
        if self.component.solution_headline:
            return self._text("solution_headline", moves, proved)
        return f"{'Minimum number' if proved else 'Number'} of moves: {moves}"

    def printout(self, start: Board, turns: tuple[Turn, ...]) -> Iterator[str] | None:
        """Return the pieces of text as which a played game is printed, None where the game has no form of its own."""
        function = self.component.printout
        pieces = self._calling(function, 2)(start, turns) if function else None
        return None if function is None or pieces is None else self._each(function, pieces, self._piece)

    def _piece(self, piece: Any) -> str:
        if not isinstance(piece, str):
            raise PluginError(f"{self.name}: printout yielded {shown(piece)}, which is no text")
        return plain_text(piece)

    @property
    def offered(self) -> set[str]:
        """The names heuristics may ask this domain for."""
        return {*self.values, *self.component.offers}

    def offers(self, names: set[str], board: Board) -> dict[str, Any]:
        """Return those of these values that the domain offers to heuristics, for boards of this shape."""
        offers = {
            name: self.values[name] if name in self.values else self._offer(name, board)
            for name in names & self.offered
        }
        return {name: value for name, value in offers.items() if value is not None}

    def _offer(self, name: str, board: Board) -> Any:
        """Return what the domain offers under a name, computed once for all boards of a shape."""
        key = name, board.shape
        if key not in self._offers:
            self._offers[key] = self._calling(self.component.offers[name])(board)
        return self._offers[key]

    @cached_property
    def _offers(self) -> dict[tuple[str, tuple[int, int]], Any]:
        return {}

    def packed(self, board: Board) -> PackedForm | None:
        """Return the form for the compiled engine of boards of this shape, None where there is none."""
        function = self.component.packed
        form: PackedForm | None = self._calling(function)(board) if function else None
        if form is not None and not isinstance(form, PackedForm):
            raise PluginError(f"{self.name}: packed returned {shown(form)}, which is no PackedForm")
        return form

    def _truth(self, function: Callable[[Board], Any], board: Board) -> bool:
        """Return a function's answer about a board as a truth value; None, what a forgotten return gives, is none."""
        answer = function(board)
        said = f"{self.name}: a question about a board got the answer"
        if answer is None:
            raise PluginError(f"{said} None, not True or False")
        with PluginCode(lambda e: PluginError(f"{said} {shown(answer)}, not True or False: {in_one_line(e)}")):
            return bool(answer)

    @cached_property
    def _successors(self) -> Callable[[Board], Any]:
        return self._calling(self.component.successors)

    @cached_property
    def _is_goal(self) -> Callable[[Board], Any]:
        return self._calling(self.component.is_goal)
