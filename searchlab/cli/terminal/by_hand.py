"""A person plays a game: with single keys on a screen, or with a command a line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from searchlab.cli.output import joined, page_width
from searchlab.cli.terminal.view import View
from searchlab.games.script import NEW_GAME, key_of
from searchlab.model.formatting import counted, folded, value
from searchlab.model.preparation import CompileProgress

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from searchlab.cli.drawing import Drawer
    from searchlab.cli.terminal.advisor import Advice, Advisor
    from searchlab.cli.terminal.device import Screen
    from searchlab.games.game import GameSeries
    from searchlab.games.script import Log

BY_HAND = "by hand"
"""The player of a game that a person plays."""
LETTERS = {"w": "up", "a": "left", "s": "down", "d": "right"}
DIRECTIONS = frozenset(LETTERS.values())
QUIT_KEYS = ("q", "ctrl-c", "ctrl-d")
REFRESH = 0.5
"""Seconds between two updates of the time a hint takes."""

DOT = " · "
LINE_COMMANDS: dict[str, Callable[[ByHand], None]] = {
    "u": lambda game: game.undo(),
    "n": lambda game: game.new_game(),
    "h": lambda game: game.hint(),
}
QUIT_COMMANDS = ("q", "quit")
COMMAND_HELP = "a command is a move (w a s d, or its name), u, n, h or q"


class ByHand:
    """Games that a person plays, command by command.

    Args:
        series: the games; the first has begun.
        advisor: gives hints.
        log: records keys and events; None to record nothing.

    Attributes:
        message: the line shown to the person: a hint, a refusal, or the end of the game.
        hinted: the advisor's answer about the current position, or None.
    """

    def __init__(self, series: GameSeries, advisor: Advisor, log: Log | None) -> None:
        self.series = series
        self.message = ""
        self.hinted: Advice | None = None
        self._advisor = advisor
        self._log = log
        self._digits = ""
        self._asked_at: float | None = None
        self._announce_position()

    def play(self, screen: Screen) -> None:
        """Play with single keys on a screen until the person quits."""
        screen.show(self.view())
        self._advisor.prepare(self.series)
        while True:
            screen.show(self.view())
            seconds = REFRESH if self._asked_at is not None else None
            for key in screen.wait(seconds, *self._advisor.readable):
                if key in QUIT_KEYS:
                    return
                self.press(key)
            self.take_advice()

    def view(self) -> View:
        """Return the current view."""
        choices = self.choices
        numbers = ("a number chooses a move",) if choices else ()
        arrows = ("arrows or WASD move",) if self._has_directions or not choices else ()
        undo = ("u undo",) if self.can_undo else ()
        return View(
            title=str(self.series.domain),
            figures=self.figures,
            board=self.series.board,
            message=self._waiting or self.message,
            choices=[f"{number} {action}" for number, action in enumerate(choices, 1)],
            keys=(*arrows, *numbers, *undo, "n new game", "h hint", "q quit"),
            keys_in_brief=("WASD", *undo, "n new", "h hint", "q quit"),
        )

    @property
    def figures(self) -> list[str]:
        """Score, best score, number of moves, and the points of the last move."""
        series = self.series
        moves = counted(len(series.turns), "move")
        if not series.domain.component.has_points:
            return [moves]
        earned = series.turns[-1].points if series.turns else 0
        last = [f"+{value(earned)}"] if earned > 0 else []
        return [f"score {value(series.score)}", f"best {value(series.best)}", moves, *last]

    @property
    def can_undo(self) -> bool:
        """Whether moves can be taken back: not if they are written to a stream."""
        return self._log is None or self._log.can_take_back

    @property
    def thinking(self) -> float | None:
        """The seconds the advisor has been thinking about the current position; None if it is not."""
        return None if self._asked_at is None else time.monotonic() - self._asked_at

    @property
    def _waiting(self) -> str:
        """The reason why a requested hint has not arrived, or `""`."""
        if self._asked_at is None:
            return ""
        return compile_text(self._advisor) or f"thinking … {int(self.thinking or 0)} s"

    @property
    def choices(self) -> list[str]:
        """The legal moves that are not directions; the person chooses them by number."""
        return [edge.action for edge in self.series.edges if edge.action not in DIRECTIONS]

    @property
    def _has_directions(self) -> bool:
        return any(edge.action in DIRECTIONS for edge in self.series.edges)

    def press(self, key: str) -> None:
        """Execute the command of a key."""
        digits, self._digits = self._digits, ""
        direction = LETTERS.get(key, key)
        if direction in DIRECTIONS:
            self.move(direction)
        elif key.isdecimal():
            self._take_digit(digits + key)
        elif key == "enter" and digits:
            self.choose(int(digits))
        elif key == "u":
            self.undo()
        elif key == "n":
            self.new_game()
        elif key == "h":
            self.hint()

    def move(self, action: str) -> None:
        """Make a move; if there is no such move, set a message that says so."""
        if self._log:
            self._log.pressed(key_of(action))
        before = self.series.board
        was_over = self.series.is_over
        turn = self.series.move(action)
        if turn is None:
            self.message = "the game is over: n begins a new one" if was_over else "no tile moves that way"
            return
        self.forget_hint()
        self._announce_position()
        self.message = self.message or self.series.domain.remark(before, turn.after)

    def undo(self) -> None:
        """Take the last move back."""
        if not self.can_undo:
            self.message = "a move that is recorded cannot be taken back"
            return
        taken_back = self.series.undo()
        if taken_back and self._log:
            self._log.take_back()
        self.forget_hint()
        self.message = "" if taken_back else "there is no move to take back"

    def new_game(self) -> None:
        """Begin a new game."""
        if self._log:
            self._log.pressed(NEW_GAME)
        self.series.begin()
        self.forget_hint()
        self._announce_position()

    def hint(self) -> None:
        """Ask the advisor for a move; the answer becomes a message."""
        if self.series.is_over:
            self.message = "the game is over: n begins a new one"
        elif self._asked_at is None:
            self._advisor.ask(self.series, values=True)
            self._asked_at = time.monotonic()

    def take_advice(self) -> None:
        """Show the hint if it has arrived and the position has not changed."""
        advice = self._advisor.advice()
        if advice is not None and self._asked_at is not None:
            self.forget_hint()
            self.hinted = advice
            self.message = f"hint: {advice.action}" if advice.action else f"no hint: {advice.error}"

    def forget_hint(self) -> None:
        """Drop the hint, or the question for a hint."""
        self._asked_at, self.hinted = None, None

    def _announce_position(self) -> None:
        """Set the message if the game is over or the goal is reached."""
        series = self.series
        is_goal = series.is_goal
        self.message = "goal reached" if is_goal else ""
        if series.is_over:
            back = ", u takes the last move back" if self.can_undo and series.turns else ""
            ended = "goal reached, the game is over" if is_goal else "game over"
            self.message = f"{ended}: n begins a new one{back}"

    def _take_digit(self, digits: str) -> None:
        """Collect the digits of a move's number; make the move when no further digit can follow."""
        if digits == "0" or int(digits) * 10 > len(self.choices):
            self.choose(int(digits))
        else:
            self._digits = digits
            self.message = f"{digits} … or Enter"

    def choose(self, number: int) -> None:
        """Make the move with this number, counted from 1."""
        choices = self.choices
        if 0 < number <= len(choices):
            self.move(choices[number - 1])
        else:
            self.message = f"there is no move {number}" if choices else ""


def compile_text(advisor: Advisor) -> str:
    """Return the function being compiled for an answer, with the time so far, or `""`."""
    function = advisor.compiling
    return CompileProgress(function, "compiling").summary(advisor.compile_seconds) if function else ""


def play_by_line(game: ByHand, drawer: Drawer, written: TextIO, read: Callable[[], str]) -> None:
    """Play with a command a line until the person quits; the position is printed after each.

    Args:
        written: the stream on which the game is shown.
        read: returns the next line; an empty string at the end of the input.
    """
    while True:
        print(_text_page(game, drawer), end="", file=written, flush=True)
        line = read()
        is_move = line.strip() in game.choices  # as it is typed: a move U is no command u
        command = line.strip() if is_move else line.strip().lower()
        if not line or (command in QUIT_COMMANDS and not is_move):
            return
        _execute(game, command)
        game.take_advice()


def _text_page(game: ByHand, drawer: Drawer) -> str:
    """Return the position and the prompt."""
    width = page_width()
    view = game.view()
    lines = ["", *folded(view.figures, width, DOT), *drawer.blocks([view.board], width)[0]]
    lines += [*folded(view.choices, width, "  "), *([view.message] if view.message else [])]
    return joined("\n", (*lines, f"({DOT.join(view.keys_in_brief)}) "))


def _execute(game: ByHand, command: str) -> None:
    if command in game.choices:
        game.move(command)
    elif (direction := LETTERS.get(command, command)) in DIRECTIONS:
        game.move(direction)
    elif command.isdecimal():
        game.choose(int(command))
    elif command in LINE_COMMANDS:
        LINE_COMMANDS[command](game)
    else:
        game.message = COMMAND_HELP
