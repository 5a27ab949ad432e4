"""A player that has something compiled says so, and what is begun is finished although the game is left."""

import re
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


LOOKS_AHEAD = """
import time
from pathlib import Path

from searchlab import Board, Defaults, Domain, Player, hookimpl
from searchlab.compiler.notice import announced
from searchlab.errors.suspension import suspended


class Slow:
    def prepare(self, board):
        if not Path("compiled").exists():
            Path("begun").touch()
            with suspended(), announced("slow_function"):
                while not Path("go on").exists():
                    time.sleep(0.05)
                Path("compiled").touch()

    def values(self, board):
        self.prepare(board)
        return {"one": 1.0, "two": 2.0}


def successors(board):
    count = int(board.tiles[0, 0])
    yield "one", Board([[count + 1]])
    yield "two", Board([[count + 2]])


@hookimpl
def searchlab_domains():
    yield Domain(
        "counting", successors, lambda board: False, start=lambda: Board([[0]]),
        defaults=Defaults(player="ahead"),
    )


@hookimpl
def searchlab_players():
    yield Player("ahead", looks_ahead=Slow)
"""


@pytest.fixture
def counting(write, folder):
    """Options for a game whose player compiles until a file `go on` is there, before it can give hints."""
    return "--plugin", str(write("counting.py", LOOKS_AHEAD)), "--domain", "counting"


def until_there(file):
    end = time.monotonic() + 30
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert file.exists()


def test_a_waiting_game_compiles_the_functions_of_a_hint(terminal, counting, folder):
    """No message appears, moves are possible meanwhile, and the hint comes at once."""
    play = terminal("play", *counting)
    play.until("0 moves")
    until_there(folder / "begun")
    assert "compiling" not in play.after("1", "1 move")
    (folder / "go on").touch()
    until_there(folder / "compiled")
    assert b"compiling" not in play.raw
    play.after("h", "hint: two", gone=["compiling"])
    play.type("q")
    assert play.finish() == 0
    assert b"compiling" not in play.raw


def test_a_hint_shows_the_time_since_compiling_began(terminal, counting, folder):
    play = terminal("play", *counting)
    until_there(folder / "begun")
    time.sleep(2.5)
    assert re.search("compiling slow_function … [2-9] s", play.after("h", "compiling slow_function"))
    (folder / "go on").touch()
    play.until("hint: two", gone=["compiling"])


def test_a_game_that_is_quit_during_compiling_ends_at_once(terminal, counting, folder):
    """The function is compiled and kept without it."""
    play = terminal("play", *counting)
    play.until("0 moves")
    until_there(folder / "begun")
    play.type("q")
    assert play.finish() == 0
    assert not (folder / "compiled").exists()
    (folder / "go on").touch()
    until_there(folder / "compiled")


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
    until_there(file)
