"""Requests: what each `searchlab run` asked for, and which recorded runs are of the version that was asked for last.

The version of a component is the code of the plugins that bring it, with the files that its parameters name; that of a
board is its tiles and its static data. If a heuristic or a board file is edited and the experiment is run again, the
store holds runs of both versions. The one that was asked for last counts, even if its runs are not all done, and even
if runs of the other one were recorded later.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown
from searchlab.errors.control_characters import one_line
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from searchlab.experiments.runs import RunKind

    Row = dict[str, Any]
    Code = Mapping[str, Mapping[str, Mapping[str, str]]]

BOARD = "board_name"
"""The column of what has versions besides the components."""
DIGITS = 12
MOST_NAMED = 3
"""The most components that the line about older runs names."""
DATED = (10, 16, 19, 23)
"""How many characters of a time tell versions apart: a date, with minutes, seconds, milliseconds."""
DATE = re.compile(r" \(\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{3})?)?)?\)$")
VERSIONED = ("heuristic", "player", "frontier", "domain", BOARD)
"""The columns of what has versions; where several have another one, the first is named."""


@dataclass(frozen=True)
class Request:
    """What a `searchlab run` asked for.

    Attributes:
        begun: when, in UTC, ISO 8601.
        identities: of its runs, done before or not.
        code: the fingerprints of each component's code and files, by its kind, its name, and the plugin or file.
        boards: the digest of each board, by its name.
    """

    begun: str
    identities: frozenset[str]
    code: Code
    boards: Mapping[str, str]

    def as_json(self, places: Mapping[str, int]) -> str:
        """Return it as text, without its time; its runs are named by their numbers in a store."""
        runs: list[list[int]] = []
        for number in sorted(places[identity] for identity in self.identities):
            if runs and runs[-1][1] == number - 1:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        return json.dumps({"runs": runs, "code": self.code, "boards": self.boards}, sort_keys=True)

    @classmethod
    def from_json(cls, begun: object, content: object, identities: Mapping[int, str]) -> Request:
        """Return the request of a text that `as_json` returned.

        Args:
            begun: its time.
            content: the text.
            identities: of runs, by their numbers in the store.

        Raises:
            ValueError: it is no such text.
        """
        try:
            found = json.loads(content)  # type: ignore[arg-type]
            numbers = list(_numbers(found["runs"], max(identities, default=0)))
            if isinstance(begun, str) and _holds_texts(found["code"], 3) and _holds_texts(found["boards"], 1):
                known = frozenset(identities[number] for number in numbers if number in identities)
                return cls(begun, known, found["code"], found["boards"])
        except (ValueError, TypeError, LookupError, RecursionError):
            pass
        msg = f"what was asked for cannot be read: {shown(content)}"
        raise ValueError(msg)


def _numbers(ranges: Any, most: int) -> Iterator[int]:
    """Yield the numbers in ranges, the first and last of each given, up to a largest one.

    Raises:
        ValueError, TypeError: they are no ranges in ascending order.
    """
    before = 0
    for first, last in ranges:
        if not before < first <= last:
            msg = "no ascending ranges"
            raise ValueError(msg)
        yield from range(first, min(last, most) + 1)
        before = last


def _holds_texts(value: object, depth: int) -> bool:
    """Return whether a value is an object of objects …, in all as many as `depth`, of texts."""
    if not depth:
        return isinstance(value, str)
    return isinstance(value, dict) and all(_holds_texts(each, depth - 1) for each in value.values())


@lru_cache(maxsize=4096)
def board_digest(text: str | None) -> str:
    """Return the digest of a board, given its text in the column `board`; an unreadable one has none."""
    return hashlib.sha256((text or "").encode()).hexdigest()[:DIGITS]


class Versions:
    """The versions of components and boards, of which one was asked for last.

    Args:
        kind: of the runs.
        requests: what was asked for, the last request last; none where nobody knows.
    """

    def __init__(self, kind: RunKind, requests: Sequence[Request]) -> None:
        self._requests = requests
        self._columns = [name for name in VERSIONED if name in (*kind.parts, BOARD)]
        self._last: dict[tuple[str, str], Request] = {}
        self._sources: dict[tuple[str, str], set[str]] = {}
        for request in requests:
            for key, fingerprints in _things(request):
                self._last[key] = request
                self._sources.setdefault(key, set()).update(fingerprints)
        self._outdated_by: dict[tuple[Any, ...], str] = {}

    def counted(self, rows: Iterable[Row]) -> tuple[list[Row], str]:
        """Return the rows of the versions that were asked for last, and a line about the others, '' if there are none.

        Args:
            rows: of a store.
        """
        if not self._requests:
            return list(rows), ""
        kept, others = [], Counter[str]()
        for row in rows:
            column = self._outdated(row)
            if column:
                others[str(row[column])] += 1
            else:
                kept.append(row)
        if not others:
            return kept, ""
        names = [one_line(name) for name, _ in others.most_common(MOST_NAMED)]
        named = ", ".join([*names, "…"] if len(others) > MOST_NAMED else names)
        line = f"{counted(others.total(), 'older run')} of {named} left out; --all-versions shows them"
        wanted = self._requests[-1].identities
        left = len(wanted) - len(wanted & {row["identity"] for row in kept})
        return kept, f"{line}; {left:,} of the {len(wanted):,} runs asked for last are not done" if left else line

    def _outdated(self, row: Row) -> str:
        """Return the column of a component or a board of which another version was asked for last, '' if none was."""
        plugins = row["provenance"].get("plugins")
        if not plugins:  # of a run whose worker was lost, nobody knows the code
            asked = [self._last.get((name, row[name])) for name in self._columns]
            return next((n for n, r in zip(self._columns, asked, strict=True) if r and _lacks(r, row)), "")
        key = (id(plugins), row["board"], *(row[name] for name in self._columns))
        if key not in self._outdated_by:
            self._outdated_by[key] = next((name for name in self._columns if self._is_other(name, row)), "")
        return self._outdated_by[key]

    def _is_other(self, column: str, row: Row) -> bool:
        """Return whether a run's component or board is of another version than was asked for last."""
        request = self._last.get((column, row[column]))
        if request is None:
            return False
        if column == BOARD:
            return request.boards[row[column]] != board_digest(row["board"])
        found = row["provenance"]["plugins"]
        wanted = request.code[column][row[column]]
        # Where two files of a run have one name, their fingerprints are joined.
        return any(not _parts(text) <= _parts(found.get(source)) for source, text in wanted.items())

    def dated(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows in which components and boards with several versions are named apart by the versions' dates.

        The date of a version is the day, if necessary with the time in UTC, when it was first asked for.
        """
        dates: dict[tuple[str, str], dict[tuple[str, ...], str]] = {}
        for row in rows:
            for column in self._columns:
                if row[column] and (column == BOARD or (column, row[column]) in self._sources):
                    began = dates.setdefault((column, row[column]), {})
                    version = self._version(column, row)
                    began[version] = min(began.get(version, row["finished"]), row["finished"])
        for request in reversed(self._requests):
            for key, fingerprints in _things(request):
                version = tuple(fingerprints.get(source, "") for source in sorted(self._sources[key]))
                if version in dates.get(key, {}):
                    dates[key][version] = request.begun
        labels = {key: _labels(began) for key, began in dates.items() if len(began) > 1}
        return [
            {
                **row,
                **{
                    column: f"{row[column]} ({labels[column, row[column]][self._version(column, row)]})"
                    for column in self._columns
                    if (column, row[column]) in labels
                },
            }
            for row in rows
        ]

    def _version(self, column: str, row: Row) -> tuple[str, ...]:
        if column == BOARD:
            return (board_digest(row["board"]),)
        found = row["provenance"].get("plugins") or {}
        return tuple(str(found.get(source, "")) for source in sorted(self._sources[column, row[column]]))


def _things(request: Request) -> Iterator[tuple[tuple[str, str], Mapping[str, str]]]:
    """Yield what a request asked for that has versions: its column and name, with the fingerprints by their source."""
    for name, digest in request.boards.items():
        yield (BOARD, name), {"board": digest}
    for kind, named in request.code.items():
        for name, fingerprints in named.items():
            yield (kind, name), fingerprints


def _lacks(request: Request, row: Row) -> bool:
    return row["identity"] not in request.identities


def _parts(text: object) -> set[str]:
    return set(str(text or "").split(" and "))


def _labels(began: Mapping[tuple[str, ...], str]) -> dict[tuple[str, ...], str]:
    """Return the dates of versions, as long as they have to be to differ."""
    for length in DATED:
        found = {version: time[:length].replace("T", " ") for version, time in began.items()}
        if len({*found.values()}) == len(found):
            break
    return found


def undated(name: str) -> str:
    """Return a name without the date that tells its versions apart.

    >>> undated("mine.py:plus (2026-11-28 10:30)"), undated("mine.py:plus")
    ('mine.py:plus', 'mine.py:plus')
    """
    return DATE.sub("", name)
