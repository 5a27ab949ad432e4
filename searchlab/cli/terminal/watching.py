"""Watch a player: the screen shows its moves at a pace that people can follow."""

from __future__ import annotations

import time
from math import inf
from typing import TYPE_CHECKING

from searchlab.cli.terminal.by_hand import QUIT_KEYS, compile_text
from searchlab.cli.terminal.view import View
from searchlab.games.game import move_limit
from searchlab.model.formatting import counted, rounded, value

if TYPE_CHECKING:
    from searchlab.cli.terminal.advisor import ProcessAdvisor
    from searchlab.cli.terminal.device import Screen
    from searchlab.games.game import GameSeries

FRAME = 0.04
"""Least number of seconds between two drawings."""
REFRESH = 0.5
"""Seconds after which the figures are redrawn even if no move was made."""
SLOW = 10
"""Moves a second below which a digit after the point is shown."""
PACE = 1.5
"""Factor by which a key shortens or lengthens the delay."""
SHORTEST = 0.005
"""The shortest delay in seconds; shorter delays become none."""


class Watching:
    """A game that a player plays on a screen.

    Args:
        title: the game and the player.
        series: the game, which has begun.
        advisor: asks the player.
        delay: the smallest number of seconds between two moves.
        most_moves: the limit of moves.

    Attributes:
        error: the player's failure in one line, or `""`.
        seconds: the duration of the game so far, without compiling.
    """

    def __init__(self, title: str, series: GameSeries, advisor: ProcessAdvisor, delay: float, most_moves: int) -> None:
        self.series = series
        self.error = ""
        self.seconds = 0.0
        self._title = title
        self._advisor = advisor
        self._delay = delay
        self._until = move_limit(most_moves)
        self._action = ""
        self._is_paused = False
        self._is_drawn = False
        self._moved = self._drawn = -inf

    def play(self, screen: Screen) -> str:
        """Play until the game is over; return the status it ends with."""
        began = time.perf_counter()
        while not (status := self.series.status or self._until(self.series)) and not self.error:
            if not self._action and not self._advisor.is_thinking:
                self._advisor.ask(self.series)
            now = time.perf_counter()
            self.seconds = now - began - self._advisor.compile_seconds
            if now - self._drawn >= FRAME:
                screen.show(self.view())
                self._drawn, self._is_drawn = now, True
            keys = screen.wait(self._timeout(now), *self._advisor.readable)
            if any(key in QUIT_KEYS for key in keys):
                return "interrupted"
            for key in keys:
                self._press(key)
            self._advance()
        return "error" if self.error else status

    def view(self) -> View:
        """Return the current view."""
        series = self.series
        moves = len(series.turns)
        scores = [f"score {value(series.score)}"] if series.domain.component.has_points else []
        figures = [*scores, counted(moves, "move")]
        if moves and self.seconds:
            rate = moves / self.seconds
            figures.append(f"{f'{rate:.1f}' if rate < SLOW else rounded(rate)} moves/s")
        last = series.turns[-1].action if moves else ""
        keys = ("space goes on" if self._is_paused else "space pauses", "+ faster", "- slower", "q ends the game")
        message = "paused" if self._is_paused else compile_text(self._advisor) or last
        return View(self._title, figures, series.board, message, (), keys, ("space", "+ -", "q"))

    def _timeout(self, now: float) -> float:
        """Return the number of seconds to wait for keys and for the player's answer."""
        until_drawn = REFRESH if self._is_drawn else FRAME
        if self._action and not self._is_paused:
            return max(0.0, min(until_drawn, self._moved + self._delay - now))
        return until_drawn

    def _press(self, key: str) -> None:
        if key == "space":
            self._is_paused = not self._is_paused
        elif key in ("+", "="):
            self._delay = self._delay / PACE if self._delay > SHORTEST else 0.0
        elif key == "-":
            self._delay = max(SHORTEST, self._delay * PACE)
        self._drawn = -inf

    def _advance(self) -> None:
        """Take the player's answer if it has arrived, and make the move when the delay is over."""
        advice = self._advisor.advice()
        if advice is not None:
            self._action, self.error = advice.action, advice.error
        now = time.perf_counter()
        if self._action and not self._is_paused and now >= self._moved + self._delay:
            self.series.move(self._action)
            self._action, self._moved, self._is_drawn = "", now, False
