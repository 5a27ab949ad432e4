"""Pictures of a state of a planning task: lines of text, and an image."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from searchlab import Board

WIDTH = 76
DONE, OPEN = "✓", "·"
MOST_DRAWN = 120
"""The number of facts from which an image shows only facts that are true or part of the goal."""
BROAD, LINE, LETTER, GAP = 440, 34, 8.6, 8
"""The width of an image, the height of a line, the width of a letter, and the distance between two facts."""
LOOKS = (
    'fill="none" stroke="#8f979f" stroke-opacity=".45"',
    'fill="#2f6fb0" stroke="#2f6fb0"',
    'fill="none" stroke="#2f9e57" stroke-width="3" stroke-dasharray="6 4"',
    'fill="#2f9e57" stroke="#2f9e57" stroke-width="3"',
)
"""The box of a fact that is false, or true; then the same for facts of the goal."""


def picture(board: Board, facts: str, goal: NDArray[np.int64]) -> str:
    r"""Return the true facts, a line for each predicate, and the goal below: ✓ marks a true fact, · a false fact.

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
    by_predicate = {
        predicate: [arguments or "yes" for fact, arguments in listed if is_true[fact]]
        for predicate, listed in _by_predicate(facts).items()
    }
    by_predicate = {predicate: listed for predicate, listed in by_predicate.items() if listed}
    margin = max(map(len, (*by_predicate, "goal"))) + 2
    wanted = [f"{DONE if is_true[fact] else OPEN} {names[fact]}" for fact in goal.tolist()]
    lines = [_listed(predicate, arguments, margin) for predicate, arguments in by_predicate.items()]
    return "\n".join([*lines, "", _listed("goal", wanted or [f"{DONE} always reached"], margin)])


def svg(board: Board, facts: str, goal: NDArray[np.int64]) -> str:
    """Return an image with a box for each fact, filled if the fact is true, and green if it is part of the goal."""
    is_true, wanted = board.tiles.ravel().tolist(), set(goal.tolist())
    by_predicate = _by_predicate(facts)
    is_drawn = sum(map(len, by_predicate.values())) <= MOST_DRAWN
    pieces: list[str] = []
    y = 0
    for predicate, listed in by_predicate.items():
        shown = [(fact, text) for fact, text in listed if is_drawn or is_true[fact] or fact in wanted]
        if not shown:
            continue
        pieces.append(f'<text x="2" y="{y + 21}" fill="#8f979f">{predicate}</text>')
        left = x = round(LETTER * max(map(len, by_predicate))) + 2 * GAP
        for fact, arguments in shown:
            text = arguments or predicate
            wide = round(LETTER * len(text)) + 2 * GAP
            if x > left and x + wide > BROAD:
                x, y = left, y + LINE
            ink = "#fff" if is_true[fact] else "#8f979f"
            look = LOOKS[2 * (fact in wanted) + is_true[fact]]
            pieces.append(
                f'<rect x="{x}" y="{y + 3}" width="{wide}" height="{LINE - 8}" rx="7" {look}/>'
                f'<text x="{x + GAP}" y="{y + 21}" fill="{ink}">{text}</text>'
            )
            x += wide + GAP
        y += LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {BROAD} {max(y, LINE)}">'
        f'<g font-family="ui-monospace,monospace" font-size="14">{"".join(pieces)}</g></svg>'
    )


def _by_predicate(facts: str) -> dict[str, list[tuple[int, str]]]:
    """Return the number and the arguments of the facts of each predicate, without negations."""
    found: dict[str, list[tuple[int, str]]] = {}
    for fact, name in enumerate(facts.split("\n")):
        if not name.startswith("(not ("):
            predicate, _, arguments = name[1:-1].partition(" ")
            found.setdefault(predicate, []).append((fact, arguments))
    return found


def _listed(word: str, items: list[str], margin: int) -> str:
    """Return a word followed by items, wrapped between items."""
    text = ", ".join(item.replace(" ", "\u00a0") for item in items)
    first = word.ljust(margin)
    lines = fill(
        text, max(WIDTH, margin + 20), initial_indent=first, subsequent_indent=" " * margin, break_long_words=False
    )
    return "\n".join(line.rstrip() for line in lines.replace("\u00a0", " ").split("\n"))
