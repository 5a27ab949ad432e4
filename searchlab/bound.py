"""Components with their parameters set: the objects that `searchlab.domain("2048:goal=512")` and its like return.

A plugin's functions ask for parameters by name; here each gets what it asks for.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.board import Board
from searchlab.components import own_parameters
from searchlab.errors import FAILURES, BoardError, PluginError, UsageError, in_one_line, shown
from searchlab.packed import PackedForm
from searchlab.parameters import extra_parameters
from searchlab.spelling import format_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.components import Domain
    from searchlab.parameters import Parameter


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


@dataclass(frozen=True, eq=False)
class Bound:
    """A component with a value for each of its parameters."""

    component: Any
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The component's name."""
        return str(self.component.name)

    def __str__(self) -> str:
        return self._spelled

    @cached_property
    def _spelled(self) -> str:
        return format_name(self.name, self._changed)

    @property
    def _changed(self) -> dict[str, Any]:
        """The values that are not the defaults."""
        defaults = {p.name: p.default for p in own_parameters(self.component)}
        given = {name: value for name, value in self.values.items() if name in defaults}
        return {name: value for name, value in given.items() if not _same(value, defaults[name])}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def _calling(self, function: Callable[..., Any], subjects: int = 1) -> Callable[..., Any]:
        """Return a plugin's function with what it asks for after its subjects filled in; it raises PluginErrors."""
        filled = filled_parameters(self.name, extra_parameters(function, subjects), self.values)

        def call(*subjects: Any) -> Any:
            try:
                return function(*subjects, **filled)
            except FAILURES as error:
                raise self._failed(function, error) from error

        return call

    def _text(self, field: str, *subjects: Any) -> str:
        """Return the text that one of a plugin's functions returns; None says nothing of what is wrong."""
        returned = self._calling(getattr(self.component, field), len(subjects))(*subjects)
        if returned is None and field.startswith("why_"):
            return ""
        if not isinstance(returned, str):
            raise PluginError(f"{self.name}: {field} returned {shown(returned)}, which is no text")
        return returned

    def _failed(self, function: Callable[..., Any], error: BaseException) -> PluginError:
        name = getattr(function, "__name__", "its function")
        return PluginError(f"{self.name}: {name} failed: {in_one_line(error)}")


def _same(value: Any, default: Any) -> bool:
    """Return whether a value is the default; arrays are compared as a whole."""
    same: Any = value is default or value == default
    return bool(same.all()) if hasattr(same, "all") else bool(same)


def filled_parameters(owner: str, wanted: tuple[Parameter, ...], *sources: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each wanted parameter: from the first source that has it, else its default."""
    filled = {}
    for parameter in wanted:
        source = next((source for source in sources if parameter.name in source), None)
        value = parameter.default if source is None else source[parameter.name]
        if value is inspect.Parameter.empty:
            raise UsageError(f"{owner} asks for {parameter.name!r}, which has no default and no value here")
        filled[parameter.name] = value
    return filled


def number(value: Any) -> float:
    """Return what a plugin's function returned as a number.

    Raises:
        TypeError, ValueError, OverflowError: it is none; a text is none, whatever it says.
    """
    if isinstance(value, str):
        raise TypeError
    return float(value)


class BoundDomain(Bound):
    """A domain with its parameters set.

    >>> import searchlab as sl
    >>> sl.domain("2048", goal=512).start().largest_tile()
    2
    """

    component: Domain

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
        try:
            for item in self._successors(board):
                yield self._checked(Successor(*item))
        except PluginError:
            raise
        except FAILURES as error:
            raise self._failed(self.component.successors, error) from error

    def _checked(self, edge: Successor) -> Successor:
        """Return a successor that a search can use."""
        if not isinstance(edge.board, Board):
            msg = f"yields (action, board, …) with a Board, not {type(edge.board).__name__}"
            raise TypeError(msg)
        if not isinstance(edge.action, str):
            msg = f"yields (action, board, …) with a text, not {type(edge.action).__name__}"
            raise TypeError(msg)
        if not edge.cost >= 0:
            msg = f"the move {edge.action} costs {edge.cost}, and a cost is 0 or more"
            raise ValueError(msg)
        if edge.cost != 1 and self.component.unit_cost:
            msg = f"the move {edge.action} costs {edge.cost}, and without unit_cost=False every move costs 1"
            raise ValueError(msg)
        return edge

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
        except (TypeError, ValueError, OverflowError):
            raise PluginError(f"{self.name}: lower_bound returned {shown(bound)}, which is no number") from None

    def render(self, board: Board) -> str:
        """Return a board's text form in this game's transcripts."""
        return self._text("render", board) if self.component.render else str(board)

    def solution_headline(self, moves: int, *, proved: bool) -> str:
        """Return the first line of a transcript; `proved` if no shorter solution exists."""
        if self.component.solution_headline:
            return self._text("solution_headline", moves, proved)
        return f"{'Minimum number' if proved else 'Number'} of moves: {moves}"

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
        try:
            if answer is not None:
                return bool(answer)
        except FAILURES:
            pass
        raise PluginError(f"{self.name}: a question about a board got the answer {shown(answer)}, not True or False")

    @cached_property
    def _successors(self) -> Callable[[Board], Any]:
        return self._calling(self.component.successors)

    @cached_property
    def _is_goal(self) -> Callable[[Board], Any]:
        return self._calling(self.component.is_goal)
