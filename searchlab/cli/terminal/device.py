"""The terminal while a game is on its screen: taken and given back, its keys read, its lines drawn.

Signals are handled at once rather than between two keys, because a plugin may take its time. Signals that end the
process give the terminal back first; Ctrl-Z and `fg` take the screen down and put it up again. What a plugin or a
warning prints meanwhile is kept, and printed when the screen is down.
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

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any, Self

    from searchlab.cli.terminal.view import Painter, View

UP = b"\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
"""The alternate screen, no cursor, no lines that go on in the next."""
DOWN = b"\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
DEADLY = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
PATIENCE = 0.05
"""Seconds within which the rest of an escape sequence arrives."""
OUTPUTS = (1, 2)
LOCAL_FLAGS = 3

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
NAMES = {"\r": "enter", "\n": "enter", " ": "space", "\x03": "ctrl-c", "\x04": "ctrl-d"}
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*(?P<csi>[@-~])|O(?P<ss3>.)|[^\[O\x1b])", re.DOTALL)
BEGINNING = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")

CLEAR, END_OF_LINE = "\x1b[2J", "\x1b[0m\x1b[K"


class Device:
    """A terminal that shows a screen for as long as the context lasts.

    Args:
        keys: the file descriptor to read keys from.
        screen: the file descriptor to draw on; it is closed with the context.

    Attributes:
        times_up: how many times the screen was put up: each time there is nothing on it.
    """

    def __init__(self, keys: int, screen: int) -> None:
        self.times_up = 0
        self._keys = keys
        self._screen = screen
        self._keyboard = Keyboard()
        self._at_death: list[Callable[[], None]] = []
        self._found: list[Any] | None = None
        self._kept: dict[int, tuple[int, IO[bytes]]] = {}
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._woken, self._waker = os.pipe()
        for end in (self._woken, self._waker):
            os.set_blocking(end, False)
        self._waker_before = signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        handlers = {signal.SIGTSTP: self._stop, signal.SIGCONT: self._go_on, signal.SIGWINCH: self._take_notice}
        for number, handler in {**dict.fromkeys(DEADLY, self._die), **handlers}.items():
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
        signal.set_wakeup_fd(self._waker_before)
        for end in (self._woken, self._waker, self._screen):
            os.close(end)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        with suppress(OSError):
            size = os.get_terminal_size(self._screen)
            if size.columns and size.lines:
                return size.columns, size.lines
        return 80, 24

    def at_death(self, call: Callable[[], None]) -> None:
        """Have something done before a signal ends the process."""
        self._at_death.append(call)

    def write(self, content: bytes) -> None:
        """Draw on the screen; one that is gone takes no notice."""
        with suppress(OSError):
            while content:
                content = content[os.write(self._screen, content) :]

    def wait(self, seconds: float | None, *others: int) -> list[str]:
        """Wait until something happens: keys are typed, one of the other file descriptors has something, a signal.

        Args:
            seconds: how long, None for ever.

        Returns:
            the keys; "ctrl-d" where nobody is left to type any.
        """
        if self._keyboard.is_waiting:
            seconds = PATIENCE if seconds is None else min(seconds, PATIENCE)
        ready, _, _ = select.select([self._keys, self._woken, *others], [], [], seconds)
        if self._woken in ready:
            with suppress(BlockingIOError):
                os.read(self._woken, 1024)
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
        """Take the terminal, unless the screen is up."""
        if self._kept:
            return
        self.times_up += 1
        for output in OUTPUTS:
            self._keep(output)
        with suppress(termios.error):
            self._found = termios.tcgetattr(self._keys)
            wanted = termios.tcgetattr(self._keys)
            wanted[LOCAL_FLAGS] &= ~(termios.ICANON | termios.ECHO)
            termios.tcsetattr(self._keys, termios.TCSADRAIN, wanted)
        self.write(UP)

    def _take_down(self) -> None:
        """Give the terminal back, unless that is done, and print what was kept."""
        if not self._kept:
            return
        self.write(DOWN)
        with suppress(termios.error):
            termios.tcflush(self._keys, termios.TCIFLUSH)
            if self._found is not None:
                termios.tcsetattr(self._keys, termios.TCSANOW, self._found)
        kept, self._kept = self._kept, {}
        for output, (original, file) in kept.items():
            _flush()
            os.dup2(original, output)
            os.close(original)
            _hand_on(file, output)

    def _keep(self, output: int) -> None:
        """Let what is printed on the terminal wait in a file."""
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

    def _go_on(self, number: int, frame: FrameType | None) -> None:
        self._take_down()  # what stopped the process may have come without a warning
        self._put_up()

    def _take_notice(self, number: int, frame: FrameType | None) -> None:
        """That a signal has come wakes whoever waits."""

    def _die(self, number: int, frame: FrameType | None) -> None:
        self._take_down()
        for call in self._at_death:
            call()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError, RuntimeError):
            stream.flush()


def _hand_on(file: IO[bytes], output: int) -> None:
    """Print what a file holds."""
    with file, suppress(OSError):
        file.seek(0)
        while piece := file.read(1 << 16):
            os.write(output, piece)


class Keyboard:
    """Makes keys of what arrives piece by piece, an escape sequence or a character possibly in several pieces."""

    def __init__(self) -> None:
        self._decoder = getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    @property
    def is_waiting(self) -> bool:
        """Whether the rest of an escape sequence is still to come, unless the Esc key itself was meant."""
        return bool(self._rest)

    def keys(self, arrived: bytes) -> list[str]:
        r"""Return the keys that are complete: "up", "enter", "ctrl-d", "a" for A as well; those of no use are left out.

        >>> Keyboard().keys(b"\x1b[AW\x1bOD\x1b[15~q")
        ['up', 'w', 'left', 'q']
        """
        text = self._rest + self._decoder.decode(arrived)
        self._rest = ""
        keys, at = [], 0
        while at < len(text):
            if text[at] != "\x1b":
                keys.append(NAMES.get(text[at], text[at].lower()))
                at += 1
            elif sequence := SEQUENCE.match(text, at):
                arrow = ARROWS.get(sequence["csi"] or sequence["ss3"] or "")
                keys += [arrow] if arrow else []
                at = sequence.end()
            elif BEGINNING.match(text, at):
                self._rest = text[at:]
                break
            else:
                at += 1
        return keys

    def give_up(self) -> None:
        """Take what has arrived of a sequence for the Esc key, which means nothing."""
        self._rest = ""


class Screen:
    """Shows views on a device.

    Args:
        device: what is drawn on.
        painter: makes lines of views.
    """

    def __init__(self, device: Device, painter: Painter) -> None:
        self._device = device
        self._painter = painter
        self._encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
        self._state: object = None
        self._shown: list[str] = []

    def show(self, view: View) -> None:
        """Let the screen show this."""
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
        """Wait until something happens; return the keys that were typed. See `Device.wait`."""
        return self._device.wait(seconds, *others)
