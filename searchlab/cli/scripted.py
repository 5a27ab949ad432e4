"""`searchlab play --testing` and `--log`: games as lines of text, each written as soon as it is known."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from searchlab.errors import PluginError, UsageError
from searchlab.errors.control_characters import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Move
    from searchlab.board.board import Board
    from searchlab.cli.setting import Setting
    from searchlab.model.games import Game


LONGEST_LINE = 1 << 16
"""Bytes of a line of standard input, its end included: no more of one is kept in memory."""


def write_line(line: str) -> None:
    """Write a line for a program that reads along, if there is any: standard output may be closed."""
    if sys.stdout is not None:
        sys.stdout.write(f"{escaped(line)}\n")
        sys.stdout.flush()


def play_by_script(domain: BoundDomain, start: Board | None) -> None:
    """Play the games of the script on standard input.

    Raises:
        UsageError: a line of it makes no sense where it stands.
    """
    from searchlab.games.script import Script, replay

    replay(Script(_lines(), "standard input"), domain, write_line, start)


def record(setting: Setting, player: BoundPlayer, most_moves: int) -> Game:
    """Let a player play a game, and write down its moves and what is drawn: a script that plays it again."""
    from searchlab.games.game import move_limit
    from searchlab.games.script import QUIT, Log, key_of

    began = time.perf_counter()
    log = Log(write_line)
    series = setting.series(log)
    reason = ""
    try:
        choose = player.begin(setting.seed)

        def logged(board: Board, moves: tuple[Move, ...]) -> str:
            action = choose(board, moves)
            log.pressed(key_of(action))
            return action

        status = series.play(logged, move_limit(most_moves))
        log.pressed(QUIT)
    except KeyboardInterrupt:
        status = "interrupted"
    except PluginError as error:
        status, reason = "error", str(error)
    return setting.game(series, str(player), began, status, reason)


def _lines() -> Iterator[str]:
    """Yield the lines of standard input as they come in."""
    if sys.stdin is None:
        return
    try:
        while line := sys.stdin.buffer.readline(LONGEST_LINE):
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                raise UsageError(f"standard input: a line has more than {LONGEST_LINE - 1:,} bytes")
            yield line.decode("utf-8-sig", "replace")
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None
