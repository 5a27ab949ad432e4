"""A state of a planning task as lines of text: its true facts by predicate, and how far the goal is reached."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from searchlab import Board

WIDTH = 76
DONE, OPEN = "✓", "·"


def picture(board: Board, facts: str, goal: NDArray[np.int64]) -> str:
    r"""Return the true facts, each predicate in a line, and below them the goal: ✓ is true, · is not yet.

    >>> import numpy as np, searchlab as sl
    >>> state = sl.Board([[1, 0, 0, 1]])
    >>> facts = "(at ball rooma)\n(at ball roomb)\n(at-robby rooma)\n(at-robby roomb)"
    >>> print(picture(state, facts, np.array([1, 3])))
    at        ball rooma
    at-robby  roomb
    <BLANKLINE>
    goal      · at ball roomb, ✓ at-robby roomb
    """
    names = [name[1:-1] for name in facts.split("\n")]
    is_true = board.tiles.ravel().tolist()
    by_predicate: dict[str, list[str]] = {}
    for name, holds in zip(names, is_true, strict=False):
        if holds and not name.startswith("not ("):
            predicate, _, arguments = name.partition(" ")
            by_predicate.setdefault(predicate, []).append(arguments or "yes")
    margin = max(map(len, (*by_predicate, "goal"))) + 2
    wanted = [f"{DONE if is_true[fact] else OPEN} {names[fact]}" for fact in goal.tolist()]
    lines = [_listed(predicate, arguments, margin) for predicate, arguments in by_predicate.items()]
    return "\n".join([*lines, "", _listed("goal", wanted or [f"{DONE} always reached"], margin)])


def _listed(word: str, items: list[str], margin: int) -> str:
    """Return a word and the items behind it, wrapped between items."""
    text = ", ".join(item.replace(" ", "\u00a0") for item in items)
    first = word.ljust(margin)
    lines = fill(
        text, max(WIDTH, margin + 20), initial_indent=first, subsequent_indent=" " * margin, break_long_words=False
    )
    return "\n".join(line.rstrip() for line in lines.replace("\u00a0", " ").split("\n"))
