"""`Successor`, and `Edges`: calls the successor rule of a domain, and checks what it yields.

Most searches in Python spend their time here and in the plugin's functions. So the usual successors, built-in tuples of
built-in values, are checked in one loop, and only the others one by one. What is in tuples and frozensets is looked at
for the first thousand states, and then for one in 64.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import LARGEST_INT, NoNumber, exact_number
from searchlab.board.board import Board
from searchlab.errors import shown
from searchlab.model.costs import LARGEST_COST
from searchlab.model.packed import MOST_SUCCESSORS
from searchlab.model.states import Ended, State, kind_of, kind_of_class, why_no_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

CHECKED_STATES = 1000
"""The elements of the successors of this many states are checked."""
CHECKED_EVERY = 64
"""From then on, those of one state in this many are."""
WITHOUT_COST, WITH_COST, COMPLETE = 2, 3, 4
"""The numbers of items of a successor: alone, with its cost, and also with whether the move ends the game."""
Edge = tuple[str, State, float]
"""A move's name, the state after it, and its cost; a state with which the game is over is in an `Ended`."""


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


def successor_of(edge: Edge) -> Successor:
    """Return a plain edge as a Successor, in half the time that its class takes."""
    action, state, cost = edge
    if type(state) is Ended:
        return Successor(action, state.state, cost, True)
    return tuple.__new__(Successor, (action, state, cost, False))


def edge_of(successor: Successor) -> Edge:
    """Return a Successor as a plain edge."""
    action, state, cost, terminal = successor
    return action, Ended(state) if terminal else state, cost


def with_costs(items: list[Any], size: int) -> list[Edge]:
    """Return successors of a number of items as plain edges; none of moves that end the game."""
    if size == WITHOUT_COST:
        return [(action, after, 1) for action, after in items]
    if size == COMPLETE:
        return [(action, after, cost) for action, after, cost, terminal in items if terminal is False]
    return []


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
        self._least: float = 1 if unit_cost else 0.0
        self._most: float = 1 if unit_cost else LARGEST_COST
        self._asked = 0
        self._size = 0
        """The number of items of the successor that was checked last, 0 if it is no tuple."""

    def of(self, state: State) -> list[Edge]:
        """Return the successors of a state.

        Raises:
            PluginError: the rule does not end.
            Exception: it fails, or yields something else.
        """
        items = [*islice(self._follow(state), MOST_SUCCESSORS + 1)]
        if len(items) > MOST_SUCCESSORS:
            list(self._few(items))
        kind, size, least, most = type(state), self._size, self._least, self._most
        if kind is Board:
            state.forget_tiles()  # most states are expanded once
        elif kind is not str and self._looks_inside():
            size = 0
        try:
            edges = items if size == WITH_COST else with_costs(items, size)
            for action, after, cost in edges:
                is_number = type(cost) is float or type(cost) is int
                if type(after) is not kind or type(action) is not str or not is_number or not least <= cost <= most:
                    break
            else:
                if len(edges) == len(items):
                    return edges
        except (TypeError, ValueError):  # an item has another size
            pass
        return [edge_of(self.checked(item, kind)) for item in items]

    def _looks_inside(self) -> bool:
        """Return whether to check what is in tuples and frozensets this time."""
        self._asked += 1
        return self._asked <= CHECKED_STATES or self._asked % CHECKED_EVERY == 0

    def checked(self, item: Any, kind: type) -> Successor:
        """Return a successor that a search can use.

        Args:
            item: what the rule yields.
            kind: the class of the state before it.

        Raises:
            TypeError, ValueError: it is none. Called in the context, so that the rule is blamed.
        """
        edge = Successor(*item)
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
            edge = self._plain(edge)
        if not 0 <= edge.cost <= LARGEST_COST:
            msg = f"the move {edge.action} costs {edge.cost}, and a cost is a number from 0 to {LARGEST_COST:g}"
            raise ValueError(msg)
        if edge.cost != 1 and self._unit_cost:
            msg = f"the move {edge.action} costs {edge.cost}, and without unit_cost=False every move costs 1"
            raise ValueError(msg)
        self._size = len(item) if type(item) is tuple else 0
        return edge

    def _check_state(self, after: State, kind: type) -> None:
        """Refuse a value that is not a state, or a state of another type than the one before.

        Whole numbers and floats are of one type, and so are a tuple and a NamedTuple. None goes with every type.
        """
        if issubclass(kind, Board) != isinstance(after, Board):
            wanted = "a Board" if issubclass(kind, Board) else "a state like the one before"
            msg = f"yields (action, board, …) with {wanted}, not {type(after).__name__}"
            raise TypeError(msg)
        self._check_plain(after)
        is_none = after is None or kind is type(None)
        if not is_none and kind_of(after) != kind_of_class(kind):
            types = f"the state {shown(after, 60)} of type {type(after).__name__} after one of type {kind.__name__}"
            msg = f"yields {types}, and all states of a domain have the same type"
            raise TypeError(msg)

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
