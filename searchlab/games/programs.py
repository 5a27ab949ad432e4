"""Programs in any language that answer line by line.

A line is a word and fields. The word ends at a tab or a blank; tabs separate the fields. The program answers each line
with one line, until `quit`, after which it ends. The first line is `hello VERSION ROLE`, with the answer `hello VERSION
NAME`. The lines that follow depend on the role; see `searchlab.games.program_player` and
`searchlab.games.program_environment`. `error TEXT` is always a possible answer.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import subprocess
import threading
import time
import weakref
from math import inf
from typing import TYPE_CHECKING, Self

import msgspec

from searchlab.errors import PluginError, UsageError, shown
from searchlab.errors.control_characters import one_line
from searchlab.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.board.board import Board

VERSION = "1"
"""The version of the protocol."""
HELLO, QUIT, ERROR = "hello", "quit", "error"
"""The words of lines in every role."""
NEW, READY, BOARD, MOVE = "new", "ready", "board", "move"
"""The words of lines about a game."""
LONGEST_ANSWER = 1 << 20
"""The bytes of an answer without line end at which a program is stopped."""
KEPT_OF_ERRORS = 4096
"""The last bytes of standard error that are kept: the last line is shown if the program fails."""
SECONDS_TO_QUIT = 0.5
"""The seconds that a program may take to end by itself after `quit`."""
SECONDS_TO_DIE = 10
"""The seconds that a busy machine may need to end a killed process."""
LONGEST_WAIT = 86_400.0
"""The longest time in seconds for an answer."""
PIPE_BYTES = 1 << 16
"""The number of bytes that are read at once."""
ONE_LINE = "one line answers each line, and all else that a program prints belongs on standard error"
MOMENT, LONGEST_MOMENT = 0.05, 1.0
"""Seconds between two checks whether a program is late. If they are longer, this process was suspended meanwhile."""
GUARD = "read -r line || sleep 1; kill -9 0"
"""The script of the guard: if this process is gone, its end of the pipe is closed, and the guard kills its group."""


def format_line(word: str, *fields: str) -> str:
    r"""Return a line without its end.

    >>> format_line("board", "2 0 / 0 2", "up", "left")
    'board\t2 0 / 0 2\tup\tleft'
    """
    if not "".join(fields).isprintable():
        fields = tuple(map(format_field, fields))
    return "\t".join((word, *fields))


def format_field(text: str) -> str:
    r"""Return a text as a field: control characters as escapes, and tabs and line feeds as blanks.

    >>> format_field("pick\tup\x07")
    'pick up\\x07'
    """
    return text if text.isprintable() else one_line(text)


def parse_line(line: str) -> tuple[str, list[str]]:
    r"""Return the word and the fields of a line.

    >>> parse_line("move pick up a\tpick up a=1.5")
    ('move', ['pick up a', 'pick up a=1.5'])
    >>> parse_line("ready")
    ('ready', [])
    """
    word, *fields = [part.strip() for part in line.split("\t")]
    if " " not in word:
        return word, fields
    word, _, first = word.partition(" ")
    return word, [first.lstrip(), *fields]


def shown_line(line: Sequence[str]) -> str:
    r"""Return the word and the fields of a line as an error message shows them.

    >>> shown_line(["board", "0 2 / 2 0", "4"])
    "'board 0 2 / 2 0\\t4'"
    """
    word, *fields = line
    tabbed = "\t".join(fields)
    return shown(f"{word} {tabbed}".rstrip())


def format_board(board: Board) -> str:
    """Return a board as a field that `parse_board_line` reads.

    >>> from searchlab import Board
    >>> format_board(Board([[2, 0], [0, 4]]))
    '2 0 / 0 4'
    >>> format_board(Board([[3, 1, 2]]))
    '3 1 2 /'
    """
    # This takes a quarter of the time of joining tiles and rows.
    rows = msgspec.json.encode(board.tiles.tolist())[2:-2].replace(b"],[", b" / ").replace(b",", b" ").decode()
    return f"{rows} /" if board.shape[0] == 1 else rows


def split_command(command: str) -> list[str]:
    """Return the words of a command line, split as a shell does.

    Raises:
        UsageError: a quotation mark is not closed.
    """
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command}: {str(error).lower()}") from None


class Program:
    """A running program that answers each line with one line.

    The program ends when this object is closed or garbage-collected, when the program fails, and when this process ends
    in any way.

    Args:
        command: the command line, which is split into words as a shell does, and started in the current folder.
        role: the role that the program is asked to play, such as `player`.
        seconds: the time to start the program and for the answer to `hello`.

    Attributes:
        command: the command line.
        name: the name that the program gave itself, or `""`.

    Raises:
        UsageError: the program cannot be started.
        PluginError: the program does not answer, or speaks another version of the protocol.
    """

    def __init__(self, command: str, role: str, seconds: float) -> None:
        self.command, self.name = command, ""
        self._asked = HELLO
        self._start()
        version, *name = " ".join(self.ask(HELLO, VERSION, role, expected=HELLO, seconds=seconds)).split() or [""]
        if version != VERSION:
            raise self.failure(f"speaks version {shown(version)} of the protocol, not {VERSION}")
        self.name = " ".join(name)

    @staticmethod
    def check_command(command: str) -> str:
        """Return the reason why a command line cannot be started, or `""`."""
        try:
            words = shlex.split(command)
        except ValueError as error:
            return str(error).lower()
        if not words:
            return "name a program and its arguments, as in command=[./bot --fast]"
        name = words[0]
        file = shutil.which(name)
        if file is not None:
            return _why_no_script(name, file)
        if os.path.isdir(name):
            return f"{name} is a folder"
        if os.path.exists(name):
            return f"{name} is not executable: chmod +x {shlex.quote(name)}, or begin with the program that runs it"
        where = "" if os.path.dirname(name) else " on the PATH; one in this folder is ./NAME"
        return f"there is no program {name}{where}"

    @staticmethod
    def check_seconds(seconds: float) -> str:
        """Return an error message for an invalid time to answer, or `""`."""
        return "" if 0 < seconds <= LONGEST_WAIT else f"a time is above 0, and at most {LONGEST_WAIT:,.0f} s"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        words, pipe, null = split_command(self.command), subprocess.PIPE, subprocess.DEVNULL
        # The guard leads a group of processes. The program and all its child processes join this group.
        guard = subprocess.Popen(["/bin/sh", "-c", GUARD], stdin=pipe, stdout=null, stderr=null, process_group=0)
        try:
            process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, process_group=guard.pid)
        except OSError as error:
            _kill(guard)
            raise UsageError(f"{self.command}: the program cannot be started: {reason_of(error)}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        self._guard, self._process = guard, process
        self._input, self._output = process.stdin.fileno(), process.stdout.fileno()
        self._unasked = select.poll()
        self._unasked.register(self._output, select.POLLIN)
        self._watcher = Watcher(process, guard)
        self._watcher.start()
        self._quit = weakref.finalize(self, _end, os.getpid(), self._watcher)

    @property
    def is_running(self) -> bool:
        """Whether the program can be asked: it was not closed, and has not failed."""
        return self._quit.alive

    def ask(self, word: str, *fields: str, expected: str, seconds: float) -> list[str]:
        """Send a line, and return the fields of the answer.

        Args:
            word, fields: the line.
            expected: the word of the answer.
            seconds: the time for the answer.

        Raises:
            PluginError: the program gives another answer, does not answer in time, or has ended. It is stopped.
        """
        line = self.answer(word, *fields, seconds=seconds)
        if line[0] != expected:
            raise self.unexpected(line, expected)
        return line[1:]

    def answer(self, word: str, *fields: str, seconds: float) -> list[str]:
        """Send a line, and return the word and the fields of the answer.

        Args:
            word, fields: the line.
            seconds: the time for the answer.

        Raises:
            PluginError: the program does not answer in time, or has ended. It is stopped.
        """
        if not self.is_running:
            raise PluginError(f"{self.command}: the program has ended")
        self._asked = word
        answer = None
        try:
            answer = self._answer(format_line(word, *fields), seconds)
        finally:
            if answer is None:
                self._stop()  # a later answer would be taken for the answer to the next line
        found, answered = parse_line(answer)
        return [found, *answered]

    def unexpected(self, answer: Sequence[str], wanted: str) -> PluginError:
        """Stop the program, and return the error for an answer that begins with a word other than `wanted`."""
        word, *fields = answer
        if word == ERROR:
            return self.failure(f"answered {self._asked} by an error: {one_line(' '.join(fields))}")
        return self.failure(
            f"answered {self._asked} by {shown_line(answer)}; a line that begins with {wanted} is wanted"
        )

    def close(self) -> None:
        """End the program: send `quit`, and kill the program if it still runs half a second later."""
        self._quit()

    def failure(self, what: str) -> PluginError:
        """Stop the program, and return the error for a failure, with the last line of the program's standard error.

        Args:
            what: the rest of a sentence that begins with "the program".
        """
        self._stop()
        said = self._watcher.last_line()
        return PluginError(f"{self.command}: the program {what}{said and f' (standard error: {said})'}")

    def _stop(self) -> None:
        if self._quit.detach():
            self._watcher.kill()

    def _answer(self, line: str, seconds: float) -> str:
        """Send a line, and return the line of the answer."""
        if self._unasked.poll(0) and (unasked := _read(self._output)):
            said = shown(unasked.decode(errors="replace").rstrip("\n"))
            raise self.failure(f"wrote {said} before it was sent {self._asked}; {ONE_LINE}")
        self._watcher.until = time.monotonic() + seconds
        self._send(f"{line}\n".encode())
        received = _read(self._output)  # the watcher has the time: a time limit here would take twice as long
        while b"\n" not in received:
            part = _read(self._output)
            if self._watcher.is_late:
                raise self._late(received, seconds)
            if not part:
                raise self.failure(f"{self._how_it_ended()} before it answered {self._asked}")
            received += part
            if len(received) > LONGEST_ANSWER:
                size = f"{len(received):,} bytes without an end of line"
                raise self.failure(f"answered {self._asked} by {size}")
        self._watcher.until = inf
        answer, _, more = received.partition(b"\n")
        if more:
            raise self.failure(f"answered {self._asked} by more than a line; {ONE_LINE}")
        return answer.decode(errors="replace")

    def _late(self, received: bytes, seconds: float) -> PluginError:
        wrote = f": it wrote {shown(received.decode(errors='replace'))} without an end of line" if received else ""
        wanted = "it has to flush each line, or to be given more time"
        return self.failure(f"did not answer {self._asked} within {seconds:g} s{wrote}; {wanted}")

    def _send(self, line: bytes) -> None:
        try:
            while line:
                line = line[os.write(self._input, line) :]
        except OSError:  # the program does not read any more; reading its answer shows the reason
            pass

    def _how_it_ended(self) -> str:
        try:
            code = self._process.wait(SECONDS_TO_QUIT)
        except subprocess.TimeoutExpired:
            return "closed its standard output"
        if code >= 0:
            return f"ended with exit code {code}"
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(-code).name}"
        return f"was ended by signal {-code}"


def _why_no_script(name: str, file: str) -> str:
    """Return an error message for a text file that the system cannot start, or `""`."""
    with contextlib.suppress(OSError), open(file, "rb") as stream:
        head = stream.read(256)
        if head and not head.startswith(b"#!") and head.isascii() and b"\0" not in head:
            return f"{name} is a text, and its first line does not say what runs it, as #!/usr/bin/env python3 does"
    return ""


class Watcher(threading.Thread):
    """Watch a program: kill it when it is late, and keep the end of its standard error.

    So an answer can simply be read; waiting for it with a time limit would take twice as long.

    Args:
        process: the program.
        guard: the leader of the program's group of processes.

    Attributes:
        until: the time, by `time.monotonic`, by which the program must answer, or infinity if no answer is awaited.
        is_late: whether the program was killed because it did not answer in time.
    """

    def __init__(self, process: subprocess.Popen[bytes], guard: subprocess.Popen[bytes]) -> None:
        super().__init__(daemon=True)
        self.until, self.is_late = inf, False
        self.process, self.guard = process, guard
        self._is_over = False
        self._end_of_errors = b""

    def run(self) -> None:
        """Watch until the program has ended."""
        errors = self.process.stderr
        assert errors is not None
        poll = select.poll()
        poll.register(errors, select.POLLIN)
        is_open, before = True, time.monotonic()
        until, paused = inf, 0.0
        with errors:
            while is_open or not self._is_over:
                if not is_open:
                    time.sleep(MOMENT)
                elif poll.poll(MOMENT * 1000):
                    part = _read(errors.fileno())
                    self._end_of_errors = (self._end_of_errors + part)[-KEPT_OF_ERRORS:]
                    is_open = bool(part)
                elif self._is_over:  # a process that left the group still keeps standard error open
                    return
                now = time.monotonic()
                until, paused = self.until, paused if until == self.until else 0.0
                paused += now - before if now - before > LONGEST_MOMENT else 0.0  # this process was suspended
                before = now
                if now > until + paused and not self.is_late:
                    self.is_late = True
                    _kill_group(self.guard)

    def last_line(self) -> str:
        """Return the last line of the standard error of a killed program, or `""` if there is none."""
        self.join(SECONDS_TO_QUIT)
        lines = self._end_of_errors.decode(errors="replace").split("\n")
        return next((one_line(line) for line in reversed(lines) if line.strip()), "")

    def kill(self) -> None:
        """Kill the program and all processes that it started, and release their resources."""
        _kill(self.guard, self.process)
        self._is_over = True


def _read(file: int) -> bytes:
    """Wait until there is something to read, and return it; return `b""` at the end of the file."""
    try:
        return os.read(file, PIPE_BYTES)
    except OSError:
        return b""


def _end(owner: int, watcher: Watcher) -> None:
    """End a program that is no longer needed.

    Args:
        owner: the process that started the program; forks of this process must not end the program.
    """
    if os.getpid() != owner:
        return
    process = watcher.process
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        os.write(process.stdin.fileno(), f"{QUIT}\n".encode())
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_QUIT)
    watcher.kill()


def _kill(guard: subprocess.Popen[bytes], *others: subprocess.Popen[bytes]) -> None:
    """Kill the group of a guard, and release the resources of the processes, except standard error."""
    _kill_group(guard)
    for process in (*others, guard):
        for stream in filter(None, (process.stdin, process.stdout)):
            with contextlib.suppress(OSError):
                stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_DIE if process is guard else SECONDS_TO_QUIT)


def _kill_group(guard: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        os.killpg(guard.pid, signal.SIGKILL)
