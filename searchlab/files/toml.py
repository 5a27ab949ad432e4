"""TOML files with a fixed set of keys, and where in them something stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.files import read_text

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    Place = tuple[str | int, ...]
    """The keys and the numbers in lists, counted from 0, that lead to something in a TOML file."""

HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=")
LONG_TEXT = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'')


def read_toml(file: Path, keys: Collection[str]) -> dict[str, Any]:
    """Return what a TOML file says.

    Args:
        keys: those it may have.

    Raises:
        UsageError: it cannot be read, or has another key; one line that names the file.
    """
    content, _ = load_toml(file)
    for key in content:
        if key not in keys:
            raise UsageError(f"{file}: unknown key {key!r}: {did_you_mean(key, keys)}")
    return content


def load_toml(file: Path) -> tuple[dict[str, Any], str]:
    """Return what a TOML file says, whatever its keys, and its text.

    Raises:
        UsageError: it cannot be read; one line that names the file.
    """
    import tomllib

    try:
        text = read_text(file)
        return tomllib.loads(text), text
    except UsageError:
        raise
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: {error}") from None


def line_of(text: str, place: Place) -> int:
    r"""Return the number of the line in which something in a TOML text begins, as nearly as can be told.

    That is the line of the innermost key on the way to it that has a line of its own; 0 where none has. Keys within a
    table or a list that stands on several lines have none.

    >>> line_of('a = 1\n[b]\nc = [2, 3]', ("b", "c", 1))
    3
    """
    best, depth = 0, 0
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(LONG_TEXT.sub(_blank, text).splitlines(), 1):
        if header := HEADER.match(line):
            table = tuple(_bare(part) for part in header[2].split("."))
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found = table
        elif key := KEY.match(line):
            found = (*table, _bare(key[1]))
        else:
            continue
        if len(found) > depth and place[: len(found)] == found:
            best, depth = number, len(found)
    return best


def place_name(place: Place) -> str:
    """Return how a place is written for people; numbers count from 1.

    >>> place_name(("generate", 0, "count"))
    'generate[1].count'
    """
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def _blank(text: re.Match[str]) -> str:
    """Return as many lines as a text has, with nothing on them."""
    return '""' + "\n" * text[0].count("\n")


def _bare(key: str) -> str:
    return key.strip().strip("\"'")
