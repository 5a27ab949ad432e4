"""Requests: the runs that each `searchlab run` asked for, and the recorded runs of the version that was requested last.

The version of a component is the code of its plugins together with the files that its parameters name; the version of a
board is its tiles and static data. If a heuristic or a board file is edited and the experiment is run again, the store
holds runs of both versions. The version requested last counts, even if not all its runs are done, and even if runs of
the other version were recorded later.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import format_name, format_names, parse_name, parse_names
from searchlab.errors import UsageError, shown
from searchlab.errors.control_characters import one_line
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from searchlab.binding.names import Spelled
    from searchlab.experiments.runs import RunKind

    Row = dict[str, Any]
    Code = Mapping[str, Mapping[str, Mapping[str, str]]]
    FullNames = Mapping[str, Mapping[str, str]]

BOARD = "board_name"
"""The column of boards, which have versions like components."""
DIGITS = 12
MOST_NAMED = 3
"""The most components that the line about older runs names."""
DATED = (10, 16, 19, 23)
"""How many characters of a time tell versions apart: a date, with minutes, seconds, milliseconds."""
DATE = re.compile(r" \(\d{4}-\d\d-\d\d( \d\d:\d\d(:\d\d(\.\d{3})?)?)?\)$")
VERSIONED = ("heuristic", "player", "frontier", "domain", BOARD)
"""The columns that have versions; if several differ, messages name the first."""


@dataclass(frozen=True)
class Request:
    """The runs that a `searchlab run` asked for.

    Attributes:
        begun: the time in UTC, ISO 8601.
        identities: the identities of the runs, including those done before.
        code: the fingerprints of each component's code and files, by kind, name, and plugin or file.
        boards: the digest of each board, by name.
        full_names: the names of components with all parameters, by kind and name.
    """

    begun: str
    identities: frozenset[str]
    code: Code
    boards: Mapping[str, str]
    full_names: FullNames = field(default_factory=dict)

    def as_json(self, places: Mapping[str, int]) -> str:
        """Return the request as text, without its time; runs are given by their numbers in a store."""
        runs: list[list[int]] = []
        for number in sorted(places[identity] for identity in self.identities):
            if runs and runs[-1][1] == number - 1:
                runs[-1][1] = number
            else:
                runs.append([number, number])
        content = {"runs": runs, "code": self.code, "boards": self.boards, "full_names": self.full_names}
        return json.dumps(content, sort_keys=True)

    @classmethod
    def from_json(cls, begun: object, content: object, identities: Mapping[int, str]) -> Request:
        """Return the request from a text that `as_json` returned.

        Args:
            begun: the time of the request.
            content: the text.
            identities: the identities of runs, by their numbers in the store.

        Raises:
            ValueError: the text is invalid.
        """
        try:
            found = json.loads(content)  # type: ignore[arg-type]
            numbers = list(_numbers(found["runs"], max(identities, default=0)))
            code, boards, full_names = found["code"], found["boards"], found.get("full_names", {})
            is_right = _holds_texts(code, 3) and _holds_texts(boards, 1) and _holds_texts(full_names, 2)
            if isinstance(begun, str) and is_right:
                known = frozenset(identities[number] for number in numbers if number in identities)
                return cls(begun, known, code, boards, full_names)
        except (ValueError, TypeError, LookupError, RecursionError):
            pass
        msg = f"the request cannot be read: {shown(content)}"
        raise ValueError(msg)


def _numbers(ranges: Any, most: int) -> Iterator[int]:
    """Yield the numbers in ranges, given as pairs of the first and the last number, up to `most`.

    Raises:
        ValueError, TypeError: the ranges are invalid or not in ascending order.
    """
    before = 0
    for first, last in ranges:
        if not before < first <= last:
            msg = "no ascending ranges"
            raise ValueError(msg)
        yield from range(first, min(last, most) + 1)
        before = last


def _holds_texts(value: object, depth: int) -> bool:
    """Return whether a value consists of objects, nested `depth` deep, with texts in the innermost."""
    if not depth:
        return isinstance(value, str)
    return isinstance(value, dict) and all(_holds_texts(each, depth - 1) for each in value.values())


@lru_cache(maxsize=4096)
def board_digest(text: str | None) -> str:
    """Return the digest of a board, given its text in the column `board`; `""` for an unreadable board."""
    return hashlib.sha256((text or "").encode()).hexdigest()[:DIGITS]


class Versions:
    """The versions of components and boards that were requested last.

    Args:
        kind: the kind of the runs.
        requests: the requests, the latest last; empty if unknown.
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
        """Return the rows of the versions requested last, and a line about the other rows, `""` if there are none.

        Args:
            rows: rows of a store.
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
        """Return the column of a component or a board requested last in another version, `""` if there is none."""
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

    def with_varied(self, rows: Sequence[Row]) -> list[Row]:
        """Return rows in which names spell all parameters in which the names of a component differ.

        A name as it is recorded lacks the parameters with their defaults: `weighted-astar` beside
        `weighted-astar:weight=3` is `weighted-astar:weight=2`.
        """
        full_names: dict[str, dict[str, str]] = {}
        for request in self._requests:
            for kind, names in request.full_names.items():
                full_names.setdefault(kind, {}).update(names)
        renamed = {}
        for column in full_names.keys() & {*self._columns}:
            present = {undated(row[column]) for row in rows if row[column]}
            known = full_names[column]
            with suppress(UsageError):  # a store may hold any text
                changed = spell_varied({name: known.get(name, name) for name in present})
                renamed[column] = {name: text for name, text in changed.items() if name != text}
        if not any(renamed.values()):
            return list(rows)
        return [{**row, **{column: _renamed(row[column], names) for column, names in renamed.items()}} for row in rows]

    def _version(self, column: str, row: Row) -> tuple[str, ...]:
        if column == BOARD:
            return (board_digest(row["board"]),)
        found = row["provenance"].get("plugins") or {}
        return tuple(str(found.get(source, "")) for source in sorted(self._sources[column, row[column]]))


def _things(request: Request) -> Iterator[tuple[tuple[str, str], Mapping[str, str]]]:
    """Yield the versioned parts of a request: the column and the name, with the fingerprints by source."""
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
    """Return the dates of versions, just long enough to differ."""
    for length in DATED:
        found = {version: time[:length].replace("T", " ") for version, time in began.items()}
        if len({*found.values()}) == len(found):
            break
    return found


def _renamed(name: str | None, names: Mapping[str, str]) -> str | None:
    """Return a name by a table of names, with the date it has."""
    if not name:
        return name
    base = undated(name)
    return names.get(base, base) + name[len(base) :]


def spell_varied(full_names: Mapping[str, str]) -> dict[str, str]:
    """Return names with all the parameters that distinguish names of the same component, nested names included.

    Args:
        full_names: the same names with all parameters.

    >>> list(spell_varied({"beam": "beam:width=100,ties=low", "beam:width=9": "beam:width=9,ties=low"}).values())
    ['beam:width=100', 'beam:width=9']
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    spelled = {name: parse_name(name) for name in sorted(full_names)}
    for name, parsed in spelled.items():
        alike.setdefault((parsed.name, parsed.file), []).append(name)
    found = {}
    for names in alike.values():
        full = {name: parse_name(full_names[name]).parameters for name in names}
        varied = {key for name in names for key in spelled[name].parameters} if len(names) > 1 else set()
        values = {}
        for name in names:
            own = spelled[name].parameters
            order = [*full[name], *(key for key in own if key not in full[name])]
            given = {key: _bare(full[name].get(key, "")) for key in order if key in varied} | {**own}
            values[name] = {key: given[key] for key in order if given.get(key)}
        for key in varied:
            _spell_within(key, values, full)
        for name in names:
            found[name] = _spelled(values[name], spelled[name])
    return found


def _spell_within(key: str, values: Mapping[str, dict[str, str]], full: Mapping[str, Mapping[str, str]]) -> None:
    """Spell the parameters in which names differ that are the values of a parameter."""
    within: dict[str, str] = {}
    lists: dict[str, list[str]] = {}
    for name, parameters in values.items():
        inner, whole = _names(parameters.get(key, "")), _names(full[name].get(key, ""))
        if len(inner) == len(whole):
            lists[name] = inner
            within.update(zip(inner, whole, strict=True))
    if any(one != two for one, two in within.items()):
        with suppress(UsageError):  # they are values of another kind
            told = spell_varied(within)
            for name, inner in lists.items():
                if inner:
                    values[name][key] = format_names(told[one] for one in inner)


def _names(value: str) -> list[str]:
    """Return the names in the value of a parameter, if it holds names."""
    try:
        return parse_names(value)
    except UsageError:
        return []


def _bare(value: str) -> str:
    """Return the value of a parameter, names in it without their parameters."""
    if "=" not in value:
        return value
    return format_names(_spelled({}, parse_name(one)) for one in _names(value))


def _spelled(parameters: Mapping[str, str], parsed: Spelled) -> str:
    """Return a name with other parameters."""
    prefix = f"{parsed.file}:" if parsed.file else f"{parsed.plugin}/" if parsed.plugin else ""
    return prefix + format_name(parsed.name, parameters)


def undated(name: str) -> str:
    """Return a name without the date that distinguishes its versions.

    >>> undated("mine.py:plus (2026-11-28 10:30)"), undated("mine.py:plus")
    ('mine.py:plus', 'mine.py:plus')
    """
    return DATE.sub("", name)
