"""Screen: draws the lines that have changed, all in one piece, so that nothing flickers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from searchlab.cli.terminal.device import Device
    from searchlab.cli.terminal.painting import Painter, View

CLEAR, END_OF_LINE = "\x1b[2J", "\x1b[0m\x1b[K"


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
