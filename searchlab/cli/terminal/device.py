"""The terminal during a game: take it and give it back, read keys, draw lines.

Signals are handled at once rather than between two keys, because a plugin may take its time. Signals that end the
process give the terminal back first; Ctrl-Z and `fg` remove the screen and show it again. Output of plugins and
warnings is kept, and printed when the screen is removed.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import signal
import sys
import termios
from codecs import getincrementaldecoder
from contextlib import suppress
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING

from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Self

    from searchlab.cli.terminal.view import Painter, View

UP = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
"""Alternate screen, cursor hidden, no line wrapping, cleared."""
DOWN = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
FATAL_SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
ESCAPE_TIMEOUT = 0.05
"""Seconds to wait for the rest of an escape sequence."""
LOCAL_FLAGS = 3

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
KEY_NAMES = {"\r": "enter", "\n": "enter", " ": "space", "\x03": "ctrl-c", "\x04": "ctrl-d"}
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*(?P<csi>[@-~])|O(?P<ss3>.)|[^\[O\x1b])", re.DOTALL)
INCOMPLETE_SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")

CLEAR, END_OF_LINE = "\x1b[2J", "\x1b[0m\x1b[K"


class Device:
    """A terminal that shows a screen while the context lasts.

    Args:
        keys: the file descriptor to read keys from.
        screen: the file descriptor to draw on; it is closed with the context.

    Attributes:
        times_up: how often the screen was put up; it is blank each time.
    """

    def __init__(self, keys: int, screen: int) -> None:
        self.times_up = 0
        self._keys = keys
        self._screen = screen
        self._keyboard = Keyboard()
        self._before_exit: list[Callable[[], None]] = []
        self._attributes: list[Any] | None = None
        self._kept: dict[int, tuple[int, IO[bytes]]] = {}
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._wakeup_reader, self._wakeup_writer = os.pipe()
        for end in (self._wakeup_reader, self._wakeup_writer):
            os.set_blocking(end, False)
        self._wakeup_before = signal.set_wakeup_fd(self._wakeup_writer, warn_on_full_buffer=False)
        handlers = {signal.SIGTSTP: self._stop, signal.SIGCONT: self._continue, signal.SIGWINCH: self._wake}
        for number, handler in {**dict.fromkeys(FATAL_SIGNALS, self._die), **handlers}.items():
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, handler)
        self._put_up()
        return self

    def __exit__(self, *raised: object) -> None:
        interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not stop this half way
        self._take_down()
        signal.signal(signal.SIGINT, interrupt)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup_before)
        for end in (self._wakeup_reader, self._wakeup_writer, self._screen):
            os.close(end)

    @property
    def size(self) -> tuple[int, int]:
        """Number of columns and of rows."""
        with suppress(OSError):
            size = os.get_terminal_size(self._screen)
            if size.columns and size.lines:
                return size.columns, size.lines
        return 80, 24

    def before_exit(self, call: Callable[[], None]) -> None:
        """Call a function before a signal ends the process."""
        self._before_exit.append(call)

    def write(self, content: bytes) -> None:
        """Draw on the screen; ignore that it is gone."""
        with suppress(OSError):
            while content:
                content = content[os.write(self._screen, content) :]

    def wait(self, seconds: float | None, *others: int) -> list[str]:
        """Wait until keys are typed, one of the other file descriptors is readable, or a signal arrives.

        Args:
            seconds: the longest time to wait; None for no limit.

        Returns:
            the keys; "ctrl-d" at the end of the input.
        """
        if self._keyboard.is_waiting:
            seconds = ESCAPE_TIMEOUT if seconds is None else min(seconds, ESCAPE_TIMEOUT)
        ready, _, _ = select.select([self._keys, self._wakeup_reader, *others], [], [], seconds)
        if self._wakeup_reader in ready:
            with suppress(BlockingIOError):
                os.read(self._wakeup_reader, 1024)
        if self._keys in ready:
            return self._typed()
        if not ready:
            self._keyboard.give_up()
        return []

    def _typed(self) -> list[str]:
        try:
            arrived = os.read(self._keys, 1024)
        except OSError:
            arrived = b""
        return self._keyboard.keys(arrived) if arrived else ["ctrl-d"]

    def _put_up(self) -> None:
        """Take the terminal, unless the screen is up already."""
        if self._kept:
            return
        self.times_up += 1
        for output in _outputs():
            self._keep(output)
        with suppress(termios.error):
            self._attributes = termios.tcgetattr(self._keys)
            wanted = termios.tcgetattr(self._keys)
            wanted[LOCAL_FLAGS] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(self._keys, termios.TCSADRAIN, wanted)
        self.write(UP)

    def _take_down(self) -> None:
        """Give the terminal back, unless that is done already, and print the kept output."""
        if not self._kept:
            return
        self.write(DOWN)
        with suppress(termios.error):
            termios.tcflush(self._keys, termios.TCIFLUSH)
            if self._attributes is not None:
                termios.tcsetattr(self._keys, termios.TCSANOW, self._attributes)
        kept, self._kept = self._kept, {}
        for output, (original, file) in kept.items():
            _flush()
            os.dup2(original, output)
            os.close(original)
            _print_file(file, output)

    def _keep(self, output: int) -> None:
        """Redirect output to the terminal to a temporary file."""
        _flush()
        file = TemporaryFile()  # noqa: SIM115
        self._kept[output] = fcntl.fcntl(output, fcntl.F_DUPFD_CLOEXEC, 3), file
        if os.isatty(output):
            os.dup2(file.fileno(), output)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._take_down()
        handler = signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, handler)

    def _continue(self, number: int, frame: FrameType | None) -> None:
        self._take_down()  # what stopped the process may have come without a warning
        self._put_up()

    def _wake(self, number: int, frame: FrameType | None) -> None:
        """Do nothing: the signal itself wakes `wait`."""

    def _die(self, number: int, frame: FrameType | None) -> None:
        self._take_down()
        for call in self._before_exit:
            call()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _outputs() -> set[int]:
    """Return the file descriptors that may receive output."""
    with suppress(OSError, ValueError, AttributeError):
        return {1, 2, standard_output().fileno()}  # type: ignore[union-attr]
    return {1, 2}


def _flush() -> None:
    for stream in (standard_output(), sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, RuntimeError):
            if stream is not None:
                stream.flush()


def _print_file(file: IO[bytes], output: int) -> None:
    """Print the contents of a file."""
    with file, suppress(OSError):
        file.seek(0)
        while piece := file.read(1 << 16):
            os.write(output, piece)


class Keyboard:
    """Decodes keys from bytes; a character or an escape sequence may arrive in several pieces."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    @property
    def is_waiting(self) -> bool:
        """Whether an escape sequence is incomplete; or the Esc key was pressed, which looks the same."""
        return bool(self._rest)

    def keys(self, arrived: bytes) -> list[str]:
        r"""Return the complete keys: "up", "enter", "ctrl-d", "a" for A too; unused escape sequences are left out.

        >>> Keyboard().keys(b"\x1b[AW\x1bOD\x1b[15~q")
        ['up', 'w', 'left', 'q']
        """
        text = self._rest + self._decoder.decode(arrived)
        self._rest = ""
        keys, at = [], 0
        while at < len(text):
            if text[at] != "\x1b":
                keys.append(KEY_NAMES.get(text[at], text[at].lower()))
                at += 1
            elif sequence := SEQUENCE.match(text, at):
                arrow = ARROWS.get(sequence["csi"] or sequence["ss3"] or "")
                keys += [arrow] if arrow else []
                at = sequence.end()
            elif INCOMPLETE_SEQUENCE.match(text, at):
                self._rest = text[at:]
                break
            else:
                at += 1
        return keys

    def give_up(self) -> None:
        """Drop an incomplete sequence: it was the Esc key, which has no use."""
        self._rest = ""


class Screen:
    """Shows views on a device; it writes the changed lines in one piece, so that nothing flickers.

    Args:
        device: the terminal to draw on.
        painter: turns views into lines.
    """

    def __init__(self, device: Device, painter: Painter) -> None:
        self._device = device
        self._painter = painter
        self._encoding = getattr(standard_output(), "encoding", None) or "utf-8"
        self._state: object = None
        self._shown: list[str] = []

    def show(self, view: View) -> None:
        """Draw a view."""
        size = self._device.size
        lines = self._painter.lines(view, size)
        drawn = ""
        if self._state != (self._device.times_up, size):
            self._state, self._shown, drawn = (self._device.times_up, size), [], CLEAR
        for row in range(max(len(lines), len(self._shown))):
            line = lines[row] if row < len(lines) else ""
            if row >= len(self._shown) or line != self._shown[row]:
                drawn += f"\x1b[{row + 1};1H{line}{END_OF_LINE}"
        self._shown = lines
        if drawn:
            self._device.write(drawn.encode(self._encoding, "searchlab"))

    def wait(self, seconds: float | None, *others: int) -> list[str]:
        """Return the keys that were typed; see `Device.wait`."""
        return self._device.wait(seconds, *others)
