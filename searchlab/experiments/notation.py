"""A notation for the moves of a game; moves and seed together determine the game.

A move is written as the first letter of its name if no other move of the board begins with it, otherwise as its
position in the domain's order, in parentheses: `ldlu`, `(0)(13)(2)`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LETTERS = re.compile(r"(?P<letter>[^\W\d_])|\((?P<place>\d{1,9})\)")


def written(action: str, actions: Sequence[str]) -> str:
    """Return a move in the notation.

    Args:
        actions: the names of all moves of the board, in the domain's order.

    >>> written("up", ["left", "up"]), written("flip 3", ["flip 2", "flip 3"])
    ('u', '(1)')
    """
    letter = action[:1]
    if LETTERS.fullmatch(letter) and sum(other.startswith(letter) for other in actions) == 1:
        return letter
    return f"({actions.index(action)})"


def moves_in(text: str) -> Iterator[str]:
    """Yield the moves of a text.

    >>> list(moves_in("ld(13)"))
    ['l', 'd', '(13)']

    Raises:
        UsageError: the text is not in the notation.
    """
    end = 0
    for found in LETTERS.finditer(text):
        if found.start() != end:
            break
        end = found.end()
        yield found.group()
    if end != len(text):
        raise UsageError(f"{text[end : end + 10]!r} is not a move: write a letter or (NUMBER)")


def read(move: str, actions: Sequence[str]) -> str:
    """Return the name of a move in the notation.

    Args:
        actions: as for `written`.

    Raises:
        UsageError: it is no move of the board.
    """
    found = LETTERS.fullmatch(move)
    if found and found["place"] and int(found["place"]) < len(actions):
        return actions[int(found["place"])]
    named = [action for action in actions if found and found["letter"] and action.startswith(move)]
    if len(named) != 1:
        raise UsageError(f"{move!r} is not a move here: {', '.join(actions)}")
    return named[0]
