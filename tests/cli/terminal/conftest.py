"""A terminal for tests: a process on a pseudo-terminal, and the screen it draws, as lines of text."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from codecs import getincrementaldecoder

import pytest

PATIENCE = 60
PANCAKES = """\
import os
import time

from searchlab import Board, Defaults, Domain, Player, hookimpl


def start(stack):
    return Board([[*range(stack, 0, -1)]])


def successors(board):
    row = board.tiles[0].tolist()
    for k in range(2, len(row) + 1):
        yield f"flip {k}", Board([row[:k][::-1] + row[k:]])


def is_goal(board):
    row = board.tiles[0].tolist()
    return row == sorted(row)


def broken(board):
    if board.tiles[0, 0] == 1:
        raise ValueError("burnt")
    yield from successors(board)


def first(board, moves, seconds=0.0):
    print("a message of the player")
    time.sleep(seconds)
    return moves[0].action


def last(board, moves):
    return moves[-1].action


def endless(board, moves):
    while True:
        pass


def dying(board, moves):
    os._exit(1)


def failing(board, moves):
    raise ValueError("no idea")


@hookimpl
def searchlab_domains():
    from searchlab import Parameter
    stack = (Parameter("stack", 4),)
    yield Domain(
        "pancakes", successors, is_goal, start=start, parameters=stack,
        defaults=Defaults(player="pancakes/first"),
    )
    for player in ("endless", "dying", "failing"):
        yield Domain(
            f"with-{player}", successors, is_goal, start=start, parameters=stack,
            defaults=Defaults(player=f"pancakes/{player}"),
        )
    yield Domain("burnt", broken, is_goal, start=start, parameters=stack)


@hookimpl
def searchlab_players():
    for player in (first, last, endless, dying, failing):
        yield Player(player.__name__, player)
"""
SEQUENCE = re.compile(r"\x1b\[(?P<mark>\??)(?P<numbers>[\d;]*)(?P<final>[A-Za-z])")


class Emulator:
    """What a terminal shows of the characters it was sent: those few things searchlab sends."""

    def __init__(self, columns, rows):
        self.modes = set()
        self.unknown = []
        self.other = None
        self.resize(columns, rows)

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.clear()

    def clear(self):
        self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]
        self.row = self.column = 0
        self.style = ""

    @property
    def lines(self):
        return ["".join(text for text, _ in row).rstrip() for row in self.cells]

    @property
    def text(self):
        return "\n".join(self.lines).rstrip("\n")

    def style_of(self, text):
        """The colours of the first place where a text stands."""
        for row, line in enumerate(self.lines):
            if text in line:
                return self.cells[row][line.index(text)][1]
        raise AssertionError(self.text)

    def feed(self, text):
        """Take characters; return those of a sequence that is not complete."""
        at = 0
        while at < len(text):
            if text[at] == "\x1b":
                match = SEQUENCE.match(text, at)
                if not match:
                    return text[at:]
                self.obey(match["mark"], match["numbers"], match["final"])
                at = match.end()
            else:
                self.put(text[at])
                at += 1
        return ""

    def put(self, character):
        if character == "\n":
            self.row += 1
            if self.row == self.rows:
                self.row -= 1
                self.cells = [*self.cells[1:], [(" ", "")] * self.columns]
        elif character == "\r":
            self.column = 0
        elif character.isprintable():
            if self.column == self.columns and "7" not in self.modes:
                self.put("\r")
                self.put("\n")
            self.column = min(self.column, self.columns - 1)
            self.cells[self.row][self.column] = (character, self.style)
            self.column += 1

    def obey(self, mark, numbers, final):
        if mark and final in "hl":
            on = (final == "h") == (numbers == "1049")  # wrapping and the cursor are on unless switched off
            (self.modes.add if on else self.modes.discard)(numbers)
            if numbers == "1049":
                self.swap(final == "h")
        elif final == "H":
            row, column = map(int, numbers.split(";")) if numbers else (1, 1)
            assert row <= self.rows, "drawn below the screen"
            self.row, self.column = row - 1, column - 1
        elif final == "J":
            self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]
        elif final == "K":
            self.cells[self.row][self.column :] = [(" ", "")] * (self.columns - self.column)
        elif final == "m":
            self.style = "" if numbers in ("", "0") else numbers
        else:
            self.unknown.append(mark + numbers + final)

    def swap(self, alternate):
        if alternate:
            self.other = self.cells, self.row, self.column
            self.clear()
        elif self.other:
            self.cells, self.row, self.column = self.other
            self.other = None

    @property
    def is_up(self):
        """Whether the alternate screen is shown, without a cursor and without wrapping."""
        return {"1049", "25", "7"} <= self.modes


class Process:
    """searchlab on a pseudo-terminal of its own, which is the controlling one of its session."""

    def __init__(self, *arguments, columns=80, rows=24, environment=None, stdout=None, stdin=None, command=None):
        self.ours, self.theirs = pty.openpty()
        self.emulator = Emulator(columns, rows)
        self.set_size(columns, rows)
        self.before = termios.tcgetattr(self.theirs)
        self.raw = b""
        self._rest = ""
        self._decoder = getincrementaldecoder("utf-8")()
        variables = {**os.environ, "TERM": "xterm-256color", **(environment or {})}
        for name in ("COLUMNS", "LINES", "NO_COLOR", "COLORTERM"):
            if name not in (environment or {}):
                variables.pop(name, None)
        self.process = subprocess.Popen(
            command or [sys.executable, "-m", "searchlab", *map(str, arguments)],
            stdin=self.theirs if stdin is None else stdin,
            stdout=self.theirs if stdout is None else stdout,
            stderr=self.theirs,
            env=variables,
            preexec_fn=self._take_terminal,
        )

    def _take_terminal(self):
        os.setsid()
        fcntl.ioctl(self.theirs, termios.TIOCSCTTY, 0)

    def set_size(self, columns, rows):
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        self.emulator.resize(columns, rows)
        self.set_size(columns, rows)

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def read(self, seconds=0.05):
        """Read the output since the last call."""
        while select.select([self.ours], [], [], seconds)[0]:
            piece = os.read(self.ours, 1 << 16)
            self.raw += piece
            self._rest = self.emulator.feed(self._rest + self._decoder.decode(piece))

    def until(self, *texts, gone=()):
        """Wait until all these texts are on the screen, and those others are gone."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read()
            shown = self.emulator.text
            if all(text in shown for text in texts) and not any(text in shown for text in gone):
                return shown
        raise AssertionError(f"{texts} not shown:\n{self.emulator.text}")

    def until_written(self, path, lines):
        """Wait until a file has so many lines; return its text."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read()
            text = path.read_text()
            if text.count("\n") >= lines:
                return text
        raise AssertionError(f"not {lines} lines:\n{text}")

    def after(self, keys, *texts, gone=()):
        self.type(keys)
        return self.until(*texts, gone=gone)

    def finish(self):
        """Wait for its end; return the exit code."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read()
        code = self.process.wait(timeout=1)
        self.read()
        return code

    @property
    def is_restored(self):
        """Whether the terminal is as it was before."""
        return not self.emulator.modes and termios.tcgetattr(self.theirs) == self.before

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal(folder):
    """Start searchlab on a terminal of its own."""
    started = []

    def terminal(*arguments, **options):
        started.append(Process(*arguments, **options))
        return started[-1]

    yield terminal
    for process in started:
        process.close()


@pytest.fixture
def pancakes(write):
    """A plugin with a game whose moves are no directions, and with players that take their time or fail."""
    return write("pancakes.py", PANCAKES)
