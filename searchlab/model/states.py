"""States of any kind: boards, and hashable values of plain Python (texts, numbers, tuples and frozensets of these).

A search never asks what a state is. Whatever else needs to know asks here: whether a state is a board, its digest, its
text, and why a value is not a state.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from searchlab.board.board import Board
from searchlab.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

State = Any
"""A Board, or a text, a number, None, or a tuple or frozenset of these."""
DIGITS = 16
KINDS = {str: "texts", int: "numbers", float: "numbers", tuple: "tuples", frozenset: "frozensets"}
"""The names of states, by their class; True is also an int."""
INSTEAD = {
    list: "a list can change: use Board(…) or tuple(…)",
    set: "a set can change: use frozenset(…)",
    dict: "a dict can change: use tuple(sorted(….items()))",
    bytearray: "a bytearray can change: use tuple(…)",
}
STATES = "a state is a Board, or a text, a number, or a tuple or frozenset of these"


@dataclass(frozen=True)
class DomainStates:
    """The states of a domain, as the rest of the program asks of them.

    Attributes:
        domain: the name of the domain, for messages.
        label: returns the text of a state for people, if the domain has its own (`Views.label`).

    >>> states = DomainStates("jugs")
    >>> states.text((3, 0)), states.digest(frozenset({"b", "a"})) == states.digest(frozenset({"a", "b"}))
    ('(3, 0)', True)
    """

    domain: str
    label: Callable[[State], str] | None = None

    def text(self, state: State) -> str:
        """Return a state as people read it: its label, a text as it is, else its text form."""
        if self.label is not None:
            return self.label(state)
        return state if isinstance(state, str) else text_form(state)

    def digest(self, state: State) -> str:
        """Return 16 hexadecimal digits that identify a state on any machine."""
        return digest(state)

    def need_boards(self, state: State, who: str, instead: str = "sl.solve searches them") -> None:
        """Refuse a state that is not a board, on behalf of something that needs tiles.

        Args:
            who: what needs boards.
            instead: the way out, in one clause.

        Raises:
            UsageError: the state is not a board.
        """
        if not is_board(state):
            raise UsageError(f"{who} needs boards, and the states of {self.domain} are {kind_of(state)}; {instead}")


@dataclass(frozen=True)
class Ended:
    """A state, or its key, with which the game is over: it differs from the same state in play.

    Attributes:
        shape: None, in place of that of a board in play.
    """

    state: State
    shape: ClassVar[None] = None


def is_board(state: State) -> bool:
    """Return whether a state is a board."""
    return isinstance(state, Board)


def kind_of(state: State) -> str:
    """Return the name of states like this one: boards, texts, numbers, tuples."""
    return kind_of_class(type(state))


def kind_of_class(of: type) -> str:
    """Return the name of the states of a class, as `kind_of` does for a state."""
    if issubclass(of, Board):
        return "boards"
    return next((word for kind, word in KINDS.items() if issubclass(of, kind)), f"of class {of.__name__}")


def text_form(state: State) -> str:
    """Return a text that is the same for equal states on any machine: the elements of frozensets are sorted.

    >>> text_form(("ab", frozenset({3, 1, 2})))
    "('ab', frozenset({1, 2, 3}))"
    """
    if isinstance(state, tuple):
        items = [text_form(item) for item in state]
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(state, frozenset):
        # Frozensets in it would be compared by inclusion, which is no order.
        are_numbers = all(isinstance(item, int | float) for item in state)
        items = list(map(text_form, sorted(state))) if are_numbers else sorted(map(text_form, state))
        return f"frozenset({{{', '.join(items)}}})" if items else "frozenset()"
    return repr(state)


def digest(state: State) -> str:
    """Return 16 hexadecimal digits that identify a state on any machine; equal states have the same."""
    return hashlib.sha256(_exact_form(state).encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def _exact_form(state: State) -> str:
    """Return a text that is the same for equal states: 1, 1.0 and True are equal, and so are elements in any order."""
    if isinstance(state, Board):
        return state.text()
    if isinstance(state, tuple):
        return f"({','.join(map(_exact_form, state))})"
    if isinstance(state, frozenset):
        return f"{{{','.join(sorted(map(_exact_form, state)))}}}"
    if isinstance(state, float) and not state.is_integer():
        return float.__repr__(state)
    return repr(int(state)) if isinstance(state, bool | int | float) else repr(state)


def why_no_state(value: Any) -> str:
    """Return why a value cannot be a state, `''` if it can.

    >>> why_no_state(("a", [1]))
    '[1] is not a state: a list can change: use Board(…) or tuple(…)'
    """
    if value is None or isinstance(value, Board | str | int):
        return ""
    if isinstance(value, float):
        return "" if value == value else f"{value} is not a state: it equals nothing, not even itself"
    if isinstance(value, tuple | frozenset):
        return next(filter(None, map(_why_no_element, value)), "")
    for kind, instead in INSTEAD.items():
        if isinstance(value, kind):
            return f"{shown(value, 60)} is not a state: {instead}"
    return f"{shown(value, 60)} is not a state: {STATES}"


def _why_no_element(value: Any) -> str:
    return f"{value!r:.40} is not part of a state" if isinstance(value, Board) else why_no_state(value)


def key_function(start: State) -> Callable[[State], Hashable] | None:
    """Return the function by which a search recognises boards; None for other states, which are their own keys.

    Equal boards have equal keys: the bytes of a board are hashed and compared many times faster than the board.
    """
    if not isinstance(start, Board) or not start.key:
        return None
    shape = start.shape

    def key(board: Board | Ended) -> Hashable:
        if board.shape is shape:
            return board.key
        return Ended(key(board.state)) if isinstance(board, Ended) else board

    return key


def size_of(state: State) -> int:
    """Return about how many bytes a state takes that is met for the first time."""
    if isinstance(state, Board):
        return state.tiles.nbytes
    if isinstance(state, tuple | frozenset):
        return sys.getsizeof(state)
    return 0 if isinstance(state, str) else sys.getsizeof(state)
