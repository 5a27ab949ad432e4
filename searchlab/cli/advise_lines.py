"""`searchlab advise` as part of another program: boards come in line by line, and each line is answered by a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from searchlab.board.lines import parse_board_line
from searchlab.cli.as_json import as_json
from searchlab.cli.messages import tell
from searchlab.cli.scripted import LONGEST_LINE, write_line
from searchlab.errors import BoardError, PluginError, SearchlabError, UsageError
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.advice import Advising


def answer_lines(advising: Advising, domain: BoundDomain, *, json: bool) -> bool:
    """Answer every line of standard input as soon as it is there; return whether no plugin failed on any of them."""
    if sys.stdin is not None and sys.stdin.isatty():
        tell(f"boards of {domain} are read from here, one a line; Ctrl-D ends it")
    all_well = True
    for line in _lines():
        try:
            board = parse_board_line(_text(line))
            domain.check(board)
            answer = advising.answer(board)
        except SearchlabError as error:
            all_well = all_well and not isinstance(error, PluginError)
            said = one_line(str(error))
            write_line(as_json({"error": said}).rstrip() if json else f"error: {said}")
        else:
            write_line(as_json(answer.as_dict()).rstrip() if json else answer.as_line())
    return all_well


def _text(line: bytes | None) -> str:
    """Return a line as text.

    Raises:
        BoardError: it is none.
    """
    if line is None:
        raise BoardError(f"the line has more than {LONGEST_LINE - 1:,} bytes")
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BoardError(f"the byte 0x{line[error.start]:02x} is no text in UTF-8") from None


def _lines() -> Iterator[bytes | None]:
    """Yield the lines of standard input as they come in, None for one that is too long."""
    if sys.stdin is None:
        return
    stream = sys.stdin.buffer
    try:
        while line := stream.readline(LONGEST_LINE):
            is_whole = line.endswith(b"\n") or len(line) < LONGEST_LINE
            yield line if is_whole else None
            while not is_whole:
                rest = stream.readline(LONGEST_LINE)
                is_whole = not rest or rest.endswith(b"\n")
    except OSError as error:
        raise UsageError(f"standard input: {error.strerror}") from None
