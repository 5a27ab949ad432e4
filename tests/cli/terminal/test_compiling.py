"""A player that has something compiled says so, and what is begun is finished although the game is left."""

import time

import pytest

COMPILES = """
import time
from pathlib import Path

from searchlab.compiler.notice import announced
from searchlab.errors.suspension import suspended


def compiles(board, moves, file="", seconds=1.0):
    if not Path(file).exists():
        with suspended(), announced("slow_function"):
            time.sleep(seconds)
            Path(file).touch()
    return moves[0].action
"""


@pytest.fixture
def player(write, folder):
    """The name of a player that takes seconds for its first move, and the file it then writes."""

    def player(seconds):
        file = folder / "compiled"
        return f"{write('mine.py', COMPILES)}:compiles:file={file},seconds={seconds}", file

    return player


def test_a_watched_player_compiles_first(terminal, player):
    """The screen says what and for how long; then the game begins, and its pace is its own."""
    name, _ = player(2)
    play = terminal("play", "--player", name, "--delay", "10s")
    play.until("compiling slow_function … 1 s (first time only)")
    play.until("1 move", gone=["compiling"])
    play.type("q")
    assert play.finish() == 130


def test_a_function_that_is_compiled_is_kept_although_the_game_is_left(terminal, player):
    """The command ends at once; the function is finished without it."""
    name, file = player(3)
    play = terminal("play", "--player", name)
    play.until("compiling slow_function")
    play.type("q")
    assert play.finish() == 130
    assert not file.exists()
    end = time.monotonic() + 30
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert file.exists()
