"""Games on the terminal: who plays there, by which means, and the `Game` that results."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from searchlab.cli.scripted import write_line
from searchlab.cli.terminal.advisor import AtOnce, InProcess
from searchlab.cli.terminal.by_hand import ByHand, play_by_line
from searchlab.cli.terminal.watching import Watching
from searchlab.errors import PluginError, UsageError
from searchlab.games.script import QUIT, Log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO

    from searchlab.binding.player import BoundPlayer
    from searchlab.cli.setting import Setting
    from searchlab.cli.terminal.device import Screen
    from searchlab.model.games import Game

TERMINAL = "/dev/tty"
BY_HAND = "by hand"


def shows_games() -> bool:
    """Return whether games can be watched: keys are typed and the screen is drawn on a terminal that can do it."""
    return _is_terminal(sys.stdin) and _is_terminal(sys.stdout) and _has_screen()


def play_by_hand(setting: Setting, *, log: bool, is_output_taken: bool) -> tuple[Game, float]:
    """Let a person play until they quit; return the last game, and the best score of all.

    Args:
        log: whether keys and what is drawn are written to standard output.
        is_output_taken: whether standard output is for something else, so that the game is shown apart from it.

    Raises:
        UsageError: there is no terminal.
        PluginError: the domain failed.
    """
    if not _is_terminal(sys.stdin) or not (is_output_taken or _is_terminal(sys.stdout)):
        raise UsageError("there is no terminal to play on: name a --player, or play by a script with --testing")
    recorded = Log(write_line) if log else None
    began = time.perf_counter()
    series = setting.series(recorded)
    try:
        if _has_screen():
            with _advised(setting.best_player, setting.seed) as advisor, _screen(setting, advisor) as screen:
                ByHand(series, advisor, recorded).play(screen)
        else:
            written = sys.stderr if is_output_taken else sys.stdout
            game = ByHand(series, AtOnce(setting.best_player, setting.seed), recorded)
            play_by_line(game, setting.drawer, written, sys.stdin.readline)
    except KeyboardInterrupt:
        pass
    else:
        if recorded:
            recorded.pressed(QUIT)
    return setting.game(series, BY_HAND, began, series.status or "interrupted"), series.best


def watch(setting: Setting, player: BoundPlayer, delay: float, most_moves: int, called: str = "") -> Game:
    """Show a player's game on the screen; return it.

    Args:
        delay: seconds between two moves, at least.
        most_moves: moves after which it is ended.
        called: what the player is called, by default its name.
    """
    began = time.perf_counter()
    series = setting.series()
    status, reason = "interrupted", ""
    try:
        with _advised(lambda: player, setting.seed) as advisor, _screen(setting, advisor) as screen:
            game = Watching(f"{setting.domain} · {called or player}", series, advisor, delay, most_moves)
            status = game.play(screen)
        reason = game.error
    except KeyboardInterrupt:
        pass
    except PluginError as error:
        status, reason = "error", str(error)
    return setting.game(series, str(player), began, status, reason)


@contextmanager
def _advised(find: Callable[[], BoundPlayer], seed: int) -> Iterator[InProcess]:
    """Have a player think in a process that ends with the context."""
    advisor = InProcess(find, seed)
    try:
        yield advisor
    finally:
        advisor.close()


@contextmanager
def _screen(setting: Setting, advisor: InProcess) -> Iterator[Screen]:
    """Put the screen up for as long as the context lasts."""
    from searchlab.cli.terminal.device import Device, Screen
    from searchlab.cli.terminal.view import Painter, colours_of_terminal

    drawn_on = _drawn_on()
    painter = Painter(setting.domain, setting.drawer, colours_of_terminal(drawn_on))
    with Device(sys.stdin.fileno(), drawn_on) as device:
        device.at_death(advisor.close)
        yield Screen(device, painter)


def _drawn_on() -> int:
    """Return a file descriptor of our own for the terminal.

    Raises:
        UsageError: it cannot be opened.
    """
    if _is_terminal(sys.stdout):
        return os.dup(sys.stdout.fileno())
    try:
        return os.open(TERMINAL, os.O_WRONLY)
    except OSError as error:
        raise UsageError(f"{TERMINAL}, on which the game would be shown: {error.strerror}") from None


def _has_screen() -> bool:
    """Return whether keys can be read one by one, and a screen be drawn."""
    return os.environ.get("TERM", "dumb") != "dumb" and find_spec("termios") is not None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
