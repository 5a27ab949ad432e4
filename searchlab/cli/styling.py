"""Text with colours of our own: the only escape sequences that reach a terminal.

Whatever is printed is escaped, unless it is `Styled`: that was escaped when its colours were added.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from searchlab.errors.control_characters import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")
"""The escape sequences that choose colours; it is a group so that `re.split` keeps them."""


class Styled(str):
    """Text whose escape sequences are ours, and whose other control characters are escaped."""

    __slots__ = ()


def safe(text: str) -> Styled:
    """Return a text as it may be printed."""
    return text if isinstance(text, Styled) else Styled(escaped(text))


def styled(text: str, **style: Any) -> Styled:
    """Return a text in a style, which is said as to `click.style`."""
    return Styled(click.style(escaped(text), **style))


def joined(separator: str, parts: Iterable[str]) -> Styled:
    """Return texts as one, each as it may be printed."""
    return Styled(separator.join(map(safe, parts)))


def with_colours(text: str) -> Styled:
    """Return a text that may choose colours, and nothing else."""
    pieces = COLOUR.split(text)
    return Styled("".join(piece if number % 2 else escaped(piece) for number, piece in enumerate(pieces)))
