"""Programs in any language that answer line by line.

A line is a word and fields. The word ends at a tab or a blank, the fields are separated by tabs. Each line that a
program is sent is answered by one line, up to `quit`, after which it ends. The first one is `hello VERSION ROLE`,
answered by `hello VERSION NAME`; the lines that follow depend on the role, see `searchlab.games.program_player`. A line
`error TEXT` is an answer, too.
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import shutil
import signal
import subprocess
import time
import weakref
from typing import TYPE_CHECKING, Self

from searchlab.errors import PluginError, UsageError, shown
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from searchlab.board.board import Board

VERSION = "1"
"""The version of the protocol."""
HELLO, QUIT, ERROR = "hello", "quit", "error"
"""The words of lines in every role."""
LONGEST_ANSWER = 1 << 20
"""The bytes of an answer without an end of line at which a program is stopped."""
KEPT_OF_ERRORS = 4096
"""The bytes of standard error that are kept: its end is shown if the program fails."""
SECONDS_TO_QUIT = 0.5
"""How long a program may take to end by itself after `quit`."""
LONGEST_WAIT = 86_400.0
"""The longest time in seconds for an answer."""
PIPE_BYTES = 1 << 16
"""The bytes that are read at once."""
ONE_LINE = "one line answers each line, and all else that a program prints belongs on standard error"
GUARD = "read -r line || sleep 1; kill -9 0"
"""The script of the guard: if this process is gone, its end of the pipe is closed, and the guard kills its group."""


def format_line(word: str, *fields: str) -> str:
    r"""Return a line without its end.

    >>> format_line("board", "2 0 / 0 2", "up", "left")
    'board\t2 0 / 0 2\tup\tleft'
    """
    return "\t".join((word, *map(format_field, fields)))


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
    word, *fields = map(str.strip, line.split("\t"))
    word, blank, first = word.partition(" ")
    return word, [first.lstrip(), *fields] if blank else fields


def format_board(board: Board) -> str:
    """Return a board as a field, which `parse_board_line` reads.

    >>> from searchlab import Board
    >>> format_board(Board([[2, 0], [0, 4]]))
    '2 0 / 0 4'
    >>> format_board(Board([[3, 1, 2]]))
    '3 1 2 /'
    """
    rows = [" ".join(map(str, row)) for row in board.tiles.tolist()]
    return f"{rows[0]} /" if len(rows) == 1 else " / ".join(rows)


def split_command(command: str) -> list[str]:
    """Return the words of a command line, split as a shell does.

    Raises:
        UsageError: a quotation is not closed.
    """
    try:
        return shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command}: {str(error).lower()}") from None


class Program:
    """A running program that answers each line by one line.

    It ends when this object is closed or forgotten, when it fails, and when this process ends, whatever ends it.

    Args:
        command: the command line, split into words as a shell does; it is started in the current folder.
        role: what the program is asked to be, such as "player".
        seconds: the time it has to start and to answer `hello`.

    Attributes:
        command: the command line.
        name: the name that the program gave itself, or `""`.

    Raises:
        UsageError: it cannot be started.
        PluginError: it does not answer, or speaks another version of the protocol.
    """

    def __init__(self, command: str, role: str, seconds: float) -> None:
        self.command, self.name = command, ""
        self._asked = HELLO
        self._received, self._end_of_errors = b"", b""
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
        # The guard leads a group of processes, which the program and all that it starts join.
        guard = subprocess.Popen(["/bin/sh", "-c", GUARD], stdin=pipe, stdout=null, stderr=null, process_group=0)
        try:
            process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, process_group=guard.pid)
        except OSError as error:
            _kill(guard)
            why = error.strerror or str(error)
            raise UsageError(f"{self.command}: the program cannot be started: {why}") from None
        self._guard, self._process = guard, process
        self._quit = weakref.finalize(self, _end, os.getpid(), guard, process)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._input, self._output, self._errors = (
            stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
        )
        self._poll = select.poll()
        for file in (self._input, self._output, self._errors):
            os.set_blocking(file, False)
            if file != self._input:
                self._poll.register(file, select.POLLIN)

    @property
    def is_running(self) -> bool:
        """Whether it can be asked: it was not closed, and has not failed."""
        return self._quit.alive

    def ask(self, word: str, *fields: str, expected: str, seconds: float) -> list[str]:
        """Send a line, and return the fields of the answer.

        Args:
            word, fields: the line.
            expected: the word of the answer.
            seconds: the time for the answer.

        Raises:
            PluginError: the program answers anything else, does not answer in this time, or has ended. It is stopped.
        """
        if not self.is_running:
            raise PluginError(f"{self.command}: the program has ended")
        self._asked = word
        answer = None
        try:
            answer = self._answer(format_line(word, *fields), seconds)
        finally:
            if answer is None:
                self._stop()  # an answer that came later would be taken for that to the next line
        found, answered = parse_line(answer)
        if found == expected:
            return answered
        if found == ERROR:
            raise self.failure(f"answered {word} by an error: {one_line(' '.join(answered))}")
        raise self.failure(f"answered {word} by {shown(answer)}; a line that begins with {expected} is wanted")

    def close(self) -> None:
        """End the program: send it `quit`, and kill it if it is still there half a second later."""
        self._quit()

    def failure(self, what: str) -> PluginError:
        """Stop the program, and return the error for what it did, with the last line of its standard error.

        Args:
            what: the rest of a sentence that begins with "the program".
        """
        if self.is_running:
            for part in iter(lambda: _read(self._errors), None):
                self._end_of_errors = (self._end_of_errors + part)[-KEPT_OF_ERRORS:]
                if not part:
                    break
            self._stop()
        lines = self._end_of_errors.decode(errors="replace").split("\n")
        said = next((one_line(line) for line in reversed(lines) if line.strip()), "")
        return PluginError(f"{self.command}: the program {what}{said and f' (standard error: {said})'}")

    def _stop(self) -> None:
        if self._quit.detach():
            _kill(self._guard, self._process)

    def _answer(self, line: str, seconds: float) -> str:
        """Send a line; return the line that answers it."""
        if self._takes(self._poll.poll(0)):
            said = shown(self._received.decode(errors="replace").rstrip("\n"))
            raise self.failure(f"wrote {said} before it was sent {self._asked}; {ONE_LINE}")
        until = time.monotonic() + seconds
        self._send(f"{line}\n".encode(), until)
        while b"\n" not in self._received:
            left = until - time.monotonic()
            if self._takes(self._poll.poll(max(0.0, left) * 1000)):
                if len(self._received) > LONGEST_ANSWER:
                    size = f"{len(self._received):,} bytes without an end of line"
                    raise self.failure(f"answered {self._asked} by {size}")
            elif left <= 0:
                part = self._received.decode(errors="replace")
                wrote = f": it wrote {shown(part)} without an end of line" if part else ""
                wanted = "it has to flush each line, or to be given more time"
                raise self.failure(f"did not answer {self._asked} within {seconds:g} s{wrote}; {wanted}")
        answer, _, more = self._received.partition(b"\n")
        self._received = b""
        if more:
            raise self.failure(f"answered {self._asked} by more than a line; {ONE_LINE}")
        return answer.decode(errors="replace")

    def _takes(self, ready: Iterable[tuple[int, int]]) -> bool:
        """Read what is there; return whether a part of an answer was among it.

        Raises:
            PluginError: the program has closed its standard output.
        """
        has_part = False
        for file, _ in ready:
            part = _read(file)
            if part and file == self._output:
                self._received += part
                has_part = True
            elif part:
                self._end_of_errors = (self._end_of_errors + part)[-KEPT_OF_ERRORS:]
            elif part is not None and file == self._errors:
                self._poll.unregister(file)
            elif part is not None:
                raise self.failure(f"{self._how_it_ended()} before it answered {self._asked}")
        return has_part

    def _send(self, line: bytes, until: float) -> None:
        while line:
            try:
                line = line[os.write(self._input, line) :]
            except BlockingIOError:  # it does not read; how that goes on shows when its answer is waited for
                if time.monotonic() > until:
                    return
                time.sleep(0.001)
            except OSError:  # it reads no more, likewise
                return

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
    """Return an error message for a text that the system cannot start, or `""`."""
    with contextlib.suppress(OSError), open(file, "rb") as stream:
        head = stream.read(256)
        if head and not head.startswith(b"#!") and head.isascii() and b"\0" not in head:
            return f"{name} is a text, and its first line does not say what runs it, as #!/usr/bin/env python3 does"
    return ""


def _read(file: int) -> bytes | None:
    """Return what there is to read, empty at the end; None if there is nothing now."""
    try:
        return os.read(file, PIPE_BYTES)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _end(owner: int, guard: subprocess.Popen[bytes], process: subprocess.Popen[bytes]) -> None:
    """End a program that is asked no more.

    Args:
        owner: the process that started it; one that was forked from it must not end it.
    """
    if os.getpid() != owner:
        return
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        os.write(process.stdin.fileno(), f"{QUIT}\n".encode())
    with contextlib.suppress(OSError):
        process.stdin.close()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(SECONDS_TO_QUIT)
    _kill(guard, process)


def _kill(guard: subprocess.Popen[bytes], *others: subprocess.Popen[bytes]) -> None:
    """Kill the group of a guard, and release what belongs to its processes."""
    with contextlib.suppress(OSError):
        os.killpg(guard.pid, signal.SIGKILL)
    for process in (*others, guard):
        for stream in filter(None, (process.stdin, process.stdout, process.stderr)):
            with contextlib.suppress(OSError):
                stream.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_QUIT)
