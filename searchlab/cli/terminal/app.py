"""Play or watch games on the terminal, on a screen or line by line, and return the `Game`."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING

from searchlab.cli.game_record import printed_record
from searchlab.cli.terminal.advisor import DirectAdvisor, running_advisor
from searchlab.cli.terminal.by_hand import BY_HAND, ByHand, play_by_line
from searchlab.cli.terminal.watching import Watching
from searchlab.errors import PluginError, SearchlabError, UsageError
from searchlab.errors.standard_output import standard_output
from searchlab.games.script import QUIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

    from searchlab.binding.player import BoundPlayer
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.terminal.advisor import ProcessAdvisor
    from searchlab.cli.terminal.device import Screen
    from searchlab.model.games import Game

TERMINAL = "/dev/tty"


def shows_games() -> bool:
    """Return whether games can be watched: standard input and output are a terminal with a screen."""
    return _is_terminal(sys.stdin) and _is_terminal(standard_output()) and _has_screen()


def play_by_hand(setup: GameSetup, *, log: bool, is_output_taken: bool) -> tuple[Game, float]:
    """Let a person play until they quit; return the last game and the best score of all games.

    Args:
        log: whether keys and random tiles are written to standard output.
        is_output_taken: whether standard output is used otherwise, so that the game is shown elsewhere.

    Raises:
        UsageError: there is no terminal.
        PluginError: the domain failed.
    """
    if not _is_terminal(sys.stdin) or not (is_output_taken or _is_terminal(standard_output())):
        raise UsageError("there is no terminal to play on: name a --player, or play by a script with --testing")
    recorded = printed_record(setup) if log else None
    with suppress(SearchlabError):  # a player that fails says so when it is asked for a hint
        setup.prepare(setup.player())
    began = time.perf_counter()
    series = setup.series(recorded)
    try:
        if _has_screen():
            with running_advisor(setup.player, setup.seed) as advisor, _screen(setup, advisor) as screen:
                ByHand(series, advisor, recorded).play(screen)
        else:
            written = sys.stderr if is_output_taken else standard_output() or sys.stderr
            game = ByHand(series, DirectAdvisor(setup.player, setup.seed), recorded)
            play_by_line(game, setup.drawer, written, sys.stdin.readline)
    except KeyboardInterrupt:
        pass
    else:
        if recorded:
            recorded.pressed(QUIT)
    return setup.game(series, BY_HAND, began, series.status or "interrupted"), series.best


def watch(setup: GameSetup, player: BoundPlayer, delay: float, most_moves: int, called: str = "") -> Game:
    """Show a player's game on the screen; return it.

    Args:
        delay: the smallest number of seconds between two moves.
        most_moves: the limit of moves.
        called: the player's name in the title; by default the player's own name.

    Raises:
        PluginError: a table cannot be built before the game.
    """
    setup.prepare(player)
    began = time.perf_counter()
    series = setup.series()
    status, reason = "interrupted", ""
    try:
        with running_advisor(lambda: player, setup.seed) as advisor, _screen(setup, advisor) as screen:
            game = Watching(f"{setup.domain} · {called or player}", series, advisor, delay, most_moves)
            status = game.play(screen)
        began += advisor.compile_seconds
        reason = game.error
    except KeyboardInterrupt:
        pass
    except PluginError as error:
        status, reason = "error", str(error)
    return setup.game(series, str(player), began, status, reason)


def watch_moves(setup: GameSetup, actions: Sequence[str], delay: float, called: str) -> None:
    """Show known moves on the screen, from a recorded game or a solution.

    Args:
        actions: the moves.
        delay: the smallest number of seconds between two moves.
        called: the name in the title.

    Raises:
        UsageError: there is no terminal.
    """
    from searchlab.model.strategies import Player
    from searchlab.plugins import lookup

    check_shows_games()
    waiting = iter(actions)
    player = Player("recorded", lambda board, moves: next(waiting))
    watch(setup, lookup.player(player, domain=setup.domain), delay, len(actions), called=called)


def check_shows_games() -> None:
    """Raise a UsageError if --watch cannot show anything."""
    if not shows_games():
        raise UsageError("--watch needs a terminal, and this is not one")


@contextmanager
def _screen(setup: GameSetup, advisor: ProcessAdvisor) -> Iterator[Screen]:
    """Yield a screen that is shown during the context."""
    from searchlab.cli.terminal.device import Device, Screen
    from searchlab.cli.terminal.view import Painter, colours_of_terminal

    terminal = _open_terminal()
    painter = Painter(setup.domain, setup.drawer, colours_of_terminal(terminal))
    with Device(sys.stdin.fileno(), terminal) as device:
        device.before_exit(advisor.close)
        yield Screen(device, painter)


def _open_terminal() -> int:
    """Return a new file descriptor for the terminal.

    Raises:
        UsageError: it cannot be opened.
    """
    stream = standard_output()
    if stream is not None and stream.isatty():
        return os.dup(stream.fileno())
    try:
        return os.open(TERMINAL, os.O_WRONLY)
    except OSError as error:
        raise UsageError(f"{TERMINAL}, on which the game would be shown: {error.strerror}") from None


def _has_screen() -> bool:
    """Return whether the terminal can send single keys and show a screen."""
    return os.environ.get("TERM", "dumb") != "dumb" and find_spec("termios") is not None


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()
