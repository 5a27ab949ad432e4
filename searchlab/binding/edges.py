"""`Successor`, and `Edges`: calls the successor rule of a domain, and checks what it yields.

Most searches in Python spend their time here and in the plugin's functions, so the first thousand states are checked
thoroughly, and then one in 64. The others have the form of the first thousand, or are checked as well: the class of
the state and the cost are looked at for each successor.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import LARGEST_INT, NoNumber, exact_number
from searchlab.board.board import Board
from searchlab.model.costs import LARGEST_COST
from searchlab.model.packed import MOST_SUCCESSORS
from searchlab.model.states import State, why_no_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CHECKED_STATES = 1000
"""The successors of this many states are checked thoroughly."""
CHECKED_EVERY = 64
"""From then on, one in this many states is checked thoroughly."""
WITHOUT_COST, WITH_COST, COMPLETE = 2, 3, 4
"""The numbers of items of a successor: alone, with its cost, and also with whether the move ends the game."""
MIXED = -1
"""In place of a number of items: successors have different ones, or one of them needed more than a look."""


class Successor(NamedTuple):
    """What a move leads to.

    Attributes:
        action: the move's name.
        board: the state after it: a board, in most domains.
        cost: what it costs.
        terminal: whether the game is over with it: such a state is never expanded.
    """

    action: str
    board: State
    cost: float = 1
    terminal: bool = False


def successor_of(edge: tuple[str, State, float, bool]) -> Successor:
    """Return a plain tuple as a Successor, in half the time that its class takes."""
    return tuple.__new__(Successor, edge)


class Edges:
    """The checked successors of states: `of(state)` is a list of them, in the domain's order.

    Its methods are called in the context of the rule, which is to blame for what is wrong.

    Args:
        follow: the rule: yields the successors of a state, as the plugin has them.
        unit_cost: whether every move costs 1.
        few: raises the error for a rule that does not end.
    """

    def __init__(
        self,
        follow: Callable[[State], Iterable[Any]],
        few: Callable[[Iterable[Any]], Iterable[Any]],
        *,
        unit_cost: bool,
    ) -> None:
        self._follow, self._few, self._unit_cost = follow, few, unit_cost
        self._asked = 0
        self._size = 0
        """The number of items that each successor had so far, or MIXED; 0 before the first."""

    def of(self, state: State) -> list[tuple[str, State, float, bool]]:
        """Return the successors of a state.

        Raises:
            PluginError: the rule does not end.
            Exception: it fails, or yields something else.
        """
        self._asked = asked = self._asked + 1
        items = list(islice(self._follow(state), MOST_SUCCESSORS + 1))
        kind = state.__class__
        if kind is Board:
            state.forget_tiles()  # most states are expanded once
        if len(items) > MOST_SUCCESSORS:
            list(self._few(items))
        if asked > CHECKED_STATES and asked % CHECKED_EVERY and self._size != MIXED:
            found = self._alike(items, kind)
            if len(found) == len(items):
                return found
        return [self.checked(item, kind) for item in items]

    def _alike(self, items: list[Any], kind: type) -> list[tuple[str, State, float, bool]]:
        """Return the successors of the usual form: fewer than there are, if one has another."""
        size, most = self._size, LARGEST_COST
        try:
            if size == WITHOUT_COST:
                return [(a, after, 1, False) for a, after in items if after.__class__ is kind]
            if size == WITH_COST and self._unit_cost:
                return [(a, after, 1, False) for a, after, cost in items if cost == 1 and after.__class__ is kind]
            if size == WITH_COST:
                return [
                    (a, after, cost, False) for a, after, cost in items if 0 <= cost <= most and after.__class__ is kind
                ]
            if size == COMPLETE:
                return [
                    item
                    for item in items
                    if item.__class__ is tuple
                    and len(item) == COMPLETE
                    and item[3].__class__ is bool
                    and item[1].__class__ is kind
                    and (item[2] == 1 if self._unit_cost else 0 <= item[2] <= most)
                ]
        except (TypeError, ValueError):
            pass
        return []

    def checked(self, item: Any, kind: type) -> Successor:
        """Return a successor that a search can use.

        Args:
            item: what the rule yields.
            kind: the class of the state before it.

        Raises:
            TypeError, ValueError: it is none. Called in the context, so that the rule is blamed.
        """
        is_tuple = type(item) is tuple
        edge = successor_of((*item, False)) if is_tuple and len(item) == WITH_COST else Successor(*item)
        action, after, cost, terminal = edge
        if type(after) is not kind:
            self._check_state(after, kind)
        elif kind is not Board and kind is not str:
            self._check_plain(after)
        if not isinstance(action, str):
            msg = f"yields (action, board, …) with a text, not {type(action).__name__}"
            raise TypeError(msg)
        is_plain = type(cost) is float or (type(cost) is int and cost < LARGEST_INT)
        if not is_plain or type(action) is not str or type(terminal) is not bool:
            is_tuple = False
            edge = self._plain(edge)
        if not 0 <= edge.cost <= LARGEST_COST:
            msg = f"the move {edge.action} costs {edge.cost}, and a cost is a number from 0 to {LARGEST_COST:g}"
            raise ValueError(msg)
        if edge.cost != 1 and self._unit_cost:
            msg = f"the move {edge.action} costs {edge.cost}, and without unit_cost=False every move costs 1"
            raise ValueError(msg)
        size = len(item) if is_tuple else MIXED
        if size != self._size:
            self._size = MIXED if self._size else size
        return edge

    def _check_state(self, after: State, kind: type) -> None:
        """Refuse a value that is not a state, or a board among others."""
        if issubclass(kind, Board) != isinstance(after, Board):
            wanted = "a Board" if issubclass(kind, Board) else "a state like the one before"
            msg = f"yields (action, board, …) with {wanted}, not {type(after).__name__}"
            raise TypeError(msg)
        self._check_plain(after)

    def _check_plain(self, after: State) -> None:
        wrong = why_no_state(after)
        if wrong:
            msg = f"yields (action, state, …), and {wrong}"
            raise TypeError(msg)

    def _plain(self, edge: Successor) -> Successor:
        """Return a successor in plain types of Python: an instance of a plugin's own class may fail when it is used."""
        try:
            cost = exact_number(edge.cost)
        except NoNumber as error:
            msg = f"the move {edge.action} costs {error}"
            raise ValueError(msg) from error
        return Successor(str(edge.action), edge.board, cost, bool(edge.terminal))
