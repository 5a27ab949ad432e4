"""Read TOML files with a fixed set of keys, and find the line of a value in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.files import read_bytes, why_not_utf8

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    Place = tuple[str | int, ...]
    """The keys and the list indices, from 0, that lead to a value in a TOML file."""

HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]")
KEY = re.compile(r"\s*([\w-]+|\"[^\"]*\"|'[^']*')\s*=")
AT_LINE = re.compile(r"at line (\d+), column")
ESCAPES = "in double quotes a backslash begins an escape; write / or use single quotes"
LONG_TEXT = re.compile(r'"""(?s:.*?)"""|\'\'\'(?s:.*?)\'\'\'')


def read_toml(file: Path, keys: Collection[str]) -> dict[str, Any]:
    """Return the content of a TOML file.

    Args:
        keys: the allowed top-level keys.

    Raises:
        UsageError: the file cannot be read, or has another key; one line that names the file.
    """
    content, _ = load_toml(file)
    for key in content:
        if key not in keys:
            raise UsageError(f"{file}: unknown key {key!r}: {did_you_mean(key, keys)}")
    return content


def load_toml(file: Path) -> tuple[dict[str, Any], str]:
    """Return the content of a TOML file with any keys, and its text.

    Raises:
        UsageError: the file cannot be read; one line that names the file.
    """
    import tomllib

    content = read_bytes(file)
    wrong = why_not_utf8(content)
    if wrong:
        raise UsageError(f"{file}: {wrong}")
    text = content.decode("utf-8-sig")
    try:
        return tomllib.loads(text), text
    except RecursionError:
        raise UsageError(f"{file}: nested too deeply") from None
    except ValueError as error:
        raise UsageError(f"{file}: {error}{_about_backslash(text, str(error))}") from None


def _about_backslash(text: str, said: str) -> str:
    """Return advice on a backslash in the line of a tomllib error, or `""`."""
    found = AT_LINE.search(said)
    lines = text.split("\n")
    if found is None or int(found[1]) > len(lines) or "\\" not in lines[int(found[1]) - 1]:
        return ""
    return f": {ESCAPES}"


def line_of(text: str, place: Place) -> int:
    r"""Return the number of the line where a value in a TOML text begins, as precisely as possible.

    This is the line of the innermost key on the way to the value that begins a line, or 0. Keys inside an inline table
    or a list do not begin a line.

    >>> line_of('a = 1\n[b]\nc = [2, 3]', ("b", "c", 1))
    3
    >>> line_of('[[a]]\n[[a]]\n[a.b]\nc = 1', ("a", 1, "b", "c"))
    4
    """
    best, depth = 0, 0
    table: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(LONG_TEXT.sub(_blank, text).splitlines(), 1):
        if header := HEADER.match(line):
            *outer, last = (_bare(part) for part in header[2].split("."))
            table = ()
            for part in outer:
                table = (*table, part)
                table = (*table, counts[table]) if table in counts else table
            table = (*table, last)
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
    """Return the name of a place for people; list indices count from 1.

    >>> place_name(("generate", 0, "count"))
    'generate[1].count'
    """
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")


def _blank(text: re.Match[str]) -> str:
    return '""' + "\n" * text[0].count("\n")


def _bare(key: str) -> str:
    return key.strip().strip("\"'")
