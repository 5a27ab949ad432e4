"""What was typed, from the characters a terminal sends for it."""

from __future__ import annotations

import re
from codecs import getincrementaldecoder

ARROWS = {"A": "up", "B": "down", "C": "right", "D": "left"}
NAMES = {"\r": "enter", "\n": "enter", " ": "space", "\x03": "ctrl-c", "\x04": "ctrl-d"}
SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*(?P<csi>[@-~])|O(?P<ss3>.)|[^\[O\x1b])", re.DOTALL)
BEGINNING = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")


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
