"""A sequence of moves and its boards for people: runs of a move as `down ×3`, the middle of a long one left out."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from searchlab.cli.figures import counted
from searchlab.cli.layout import folded, side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.board.board import Board
    from searchlab.cli.drawing import Drawer

SHORT = 6
"""Of at most so many moves every board is shown."""
SHOWN_ENDS = 2
MOST_LINES_OF_MOVES = 4


def move_lines(actions: Sequence[str], width: int) -> list[str]:
    """Return the moves, runs of one move as `down ×3`, in a few lines."""
    runs = [(action, len(list(run))) for action, run in groupby(actions)]
    texts = [f"{action} ×{times}" if times > 1 else action for action, times in runs]
    lines = folded([*(f"{text}," for text in texts[:-1]), texts[-1]], width)
    if len(lines) <= MOST_LINES_OF_MOVES:
        return lines
    shown = lines[:MOST_LINES_OF_MOVES]
    left_out = sum(times for _, times in runs[sum(line.count(",") for line in shown) :])
    return [*shown, f"… and {counted(left_out, 'more move')}"]


def board_lines(
    boards: Sequence[Board], actions: Sequence[str], drawer: Drawer, width: int, printing: str
) -> list[str]:
    """Return the boards, each below the move that led to it; of many only those at the ends.

    Args:
        boards: the start, and the board after each action.
        printing: what prints the boards that are left out.
    """
    titles = ["start", *(f"{number} {action}" for number, action in enumerate(actions, 1))]
    short = len(boards) <= SHORT + 1
    shown = [n for n in range(len(boards)) if short or not SHOWN_ENDS <= n < len(boards) - SHOWN_ENDS]
    lines = drawer.blocks([boards[n] for n in shown], width)
    blocks = [[titles[n], *block] for n, block in zip(shown, lines, strict=True)]
    if short:
        return side_by_side(blocks, width)
    left_out = counted(len(boards) - len(shown), "board")
    return [
        *side_by_side(blocks[:SHOWN_ENDS], width),
        "",
        *folded(f"… {left_out} left out; {printing} …".split(), width),
        "",
        *side_by_side(blocks[SHOWN_ENDS:], width),
    ]
