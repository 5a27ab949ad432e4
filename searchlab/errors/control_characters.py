r"""Show control characters as escapes: text from outside must not move the cursor or change the displayed content.

File names, cells of a store, names and messages of plugins, arguments: each may contain characters that a terminal
obeys instead of showing them. All output of searchlab passes through `escaped` first; colours are added afterwards.
"""

from __future__ import annotations

import re

CONTROL = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
"""A pattern, compiled when it is first needed: C0 without tab and line feed, DEL, C1, bidirectional embeddings and
overrides, halves of surrogate pairs."""


def escaped(text: str) -> str:
    r"""Return a text with control characters as escapes like `\x1b`, except line feeds and tabs.

    >>> escaped("a\x1b[31mb\n")
    'a\\x1b[31mb\n'
    """
    return text if text.isprintable() else re.sub(CONTROL, _escape, text)


def one_line(text: str) -> str:
    r"""Return a text with control characters as escapes, and all white space as single blanks.

    >>> one_line("a\n b\x07")
    'a b\\x07'
    """
    return " ".join(escaped(text).split())


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
