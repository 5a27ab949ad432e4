"""A person plays where keys cannot be read one by one: a command a line, and the board printed after each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.cli.layout import folded
from searchlab.cli.output import joined, page_width
from searchlab.cli.terminal.by_hand import DIRECTIONS, LETTERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from searchlab.cli.drawing import Drawer
from searchlab.cli.terminal.by_hand import ByHand

DOT = " · "
COMMANDS: dict[str, Callable[[ByHand], None]] = {
    "u": lambda game: game.undo(),
    "n": lambda game: game.new_game(),
    "h": lambda game: game.hint(),
}
QUITTING = ("q", "quit")
USAGE = "a command is a move (w a s d, or its name), u, n, h or q"


def play_by_line(game: ByHand, drawer: Drawer, written: TextIO, read: Callable[[], str]) -> None:
    """Play until the person quits.

    Args:
        written: where the game is shown.
        read: returns the next line that was typed, an empty text where there is none.
    """
    while True:
        print(_page(game, drawer), end="", file=written, flush=True)
        line = read()
        command = line.strip().lower()
        if not line or command in QUITTING:
            return
        _do(game, command)
        game.take_advice()


def _page(game: ByHand, drawer: Drawer) -> str:
    """Return what is to be seen, and the prompt."""
    width = page_width()
    view = game.view()
    lines = ["", *folded(view.figures, width, DOT), *drawer.blocks([view.board], width)[0]]
    lines += [*folded(view.choices, width, "  "), *([view.message] if view.message else [])]
    return joined("\n", (*lines, f"({DOT.join(view.keys_in_brief)}) "))


def _do(game: ByHand, command: str) -> None:
    direction = LETTERS.get(command, command)
    if direction in DIRECTIONS or command in game.choices:
        game.move(direction)
    elif command.isdecimal():
        game.choose(int(command))
    elif command in COMMANDS:
        COMMANDS[command](game)
    else:
        game.message = USAGE
