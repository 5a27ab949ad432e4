"""Requests: the runs that each `searchlab run` asked for, and the recorded runs of the version that was requested last.

The version of a component is the code of its plugins together with the files that its parameters name; the version of a
board is its tiles and static data. If a heuristic or a board file is edited and the experiment is run again, the store
holds runs of both versions. The version requested last counts, even if not all its runs are done, and even if runs of
the other version were recorded later. A run that failed before its code was known, such as one of an unreadable board,
has the version of the requests that asked for it.
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
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    from searchlab.binding.names import Spelled
    from searchlab.experiments.runs import RunKind

    Fingerprints = Mapping[str, str]
    Code = Mapping[str, Mapping[str, Mapping[str, str]]]
    FullNames = Mapping[str, Mapping[str, str]]

BOARD = "board_name"
"""The column of boards, which have versions like components."""
BOARD_TEXT = "board"
"""The column with the tiles of a board, by which its versions differ."""
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
        runs: the runs, including those done before: ranges of their numbers in the store, in ascending order, each with
            its last number.
        code: the fingerprints of each component's code and files, by kind, name, and plugin or file.
        boards: the digest of each board, by name.
        full_names: the names of components with all parameters, by kind and name.
    """

    begun: str
    code: Code
    boards: Mapping[str, str]
    full_names: FullNames = field(default_factory=dict)
    runs: tuple[tuple[int, int], ...] = ()

    @property
    def number_of_runs(self) -> int:
        """The number of runs."""
        return sum(last - first + 1 for first, last in self.runs)

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of the runs."""
        for first, last in self.runs:
            yield from range(first, last + 1)

    def asks_for(self, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return, for each number of a run, whether the request includes it."""
        import numpy as np

        bounds = np.array(self.runs, dtype=np.int64).reshape(-1, 2)
        place = np.searchsorted(bounds[:, 0], numbers, side="right") - 1
        asked: NDArray[np.bool_] = (place >= 0) & (numbers <= bounds[place, 1]) if len(bounds) else numbers < 0
        return asked

    def as_json(self) -> str:
        """Return the request as text, without its time."""
        content = {"runs": self.runs, "code": self.code, "boards": self.boards, "full_names": self.full_names}
        return json.dumps(content, sort_keys=True)

    @classmethod
    def from_json(cls, begun: object, content: object, last: int) -> Request:
        """Return the request from a text that `as_json` returned.

        Args:
            begun: the time of the request.
            content: the text.
            last: the largest number of a run in the store.

        Raises:
            ValueError: the text is invalid.
        """
        try:
            found = json.loads(content)  # type: ignore[arg-type]
            runs = tuple(_checked_ranges(found["runs"], last))
            code, boards, full_names = found["code"], found["boards"], found.get("full_names", {})
            is_right = _holds_texts(code, 3) and _holds_texts(boards, 1) and _holds_texts(full_names, 2)
            if isinstance(begun, str) and is_right:
                return cls(begun, code, boards, full_names, runs)
        except (ValueError, TypeError, LookupError, RecursionError):
            pass
        msg = f"the request cannot be read: {shown(content)}"
        raise ValueError(msg)


def ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Return the ranges of consecutive numbers, in ascending order, each with its last number.

    >>> ranges([5, 1, 2, 3, 2])
    ((1, 3), (5, 5))
    """
    import numpy as np

    ascending = np.sort(np.fromiter(numbers, np.int64))
    is_first = np.diff(ascending, prepend=-1) > 1  # numbers begin with 1
    is_last = np.append(is_first[1:], True)[: len(ascending)]
    return tuple(zip(ascending[is_first].tolist(), ascending[is_last].tolist(), strict=True))


def _checked_ranges(found: Any, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges, given as pairs of the first and the last number, up to `most`.

    Raises:
        ValueError, TypeError: the ranges are invalid or not in ascending order.
    """
    before = 0
    for first, last in found:
        if type(first) is not int or type(last) is not int or not before < first <= last:
            msg = "no ascending ranges"
            raise ValueError(msg)
        if first <= most:
            yield first, min(last, most)
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
        self._versions: dict[tuple[str, str], list[tuple[Request, Mapping[str, str]]]] = {}
        self._sources: dict[tuple[str, str], set[str]] = {}
        for request in requests:
            for key, fingerprints in _things(request):
                self._versions.setdefault(key, []).append((request, fingerprints))
                self._sources.setdefault(key, set()).update(fingerprints)

    def columns(self, *, dated: bool) -> list[str]:
        """Return the columns of a store that distinguish the versions of runs, for `dated` or `counted`."""
        if not self._requests and not dated:
            return []
        return [*self._columns, BOARD_TEXT, "provenance", *(["finished"] if dated else [])]

    def counted(
        self, runs: pd.DataFrame, plugins: Mapping[int, Fingerprints], numbers: Callable[[], NDArray[np.int64]]
    ) -> tuple[NDArray[np.bool_], str]:
        """Mark the runs of the versions requested last; return the marks, and a line about other runs or `""`.

        Args:
            runs: with the columns of `columns`.
            plugins: the plugins of each provenance.
            numbers: returns the numbers of the runs.
        """
        import numpy as np

        kept = np.ones(len(runs), dtype=bool)
        if not self._requests or not len(runs):
            return kept, ""
        is_known = runs["provenance"].map({number: bool(found) for number, found in plugins.items()}).to_numpy(bool)
        names: list[tuple[int, str]] = []
        for column in self._columns:
            number, different = _numbered(runs, self._told_by(column))
            is_other = np.array([self._is_other(column, each, plugins) for each in different], dtype=bool)[number]
            if not is_known.all():
                unknown = np.flatnonzero(~is_known)
                is_other[unknown] = self._is_asked_for_otherwise(column, runs.iloc[unknown], numbers()[unknown])
            found = np.flatnonzero(is_other & kept)
            kept[found] = False
            names += zip(found.tolist(), runs[column].iloc[found].astype(str), strict=True)
        if kept.all():
            return kept, ""
        others = Counter(name for _, name in sorted(names))
        listed = [one_line(name) for name, _ in others.most_common(MOST_NAMED)]
        named = ", ".join([*listed, "…"] if len(others) > MOST_NAMED else listed)
        line = f"{counted(others.total(), 'older run')} of {named} left out; --all-versions shows them"
        last = self._requests[-1]
        done = np.unique(numbers()[kept])
        left = last.number_of_runs - int(last.asks_for(done).sum())
        more = f"{line}; {left:,} of the {last.number_of_runs:,} runs asked for last are not done"
        return kept, more if left else line

    @staticmethod
    def _told_by(column: str) -> list[str]:
        """Return the columns that a version depends on: for a board the tiles, for a component the plugins."""
        return [column, BOARD_TEXT if column == BOARD else "provenance"]

    def _is_other(self, column: str, told: tuple[Any, Any], plugins: Mapping[int, Fingerprints]) -> bool:
        """Return whether a board or component, given as in `_told_by`, has another version than was asked for last."""
        name, source = told
        versions = self._versions.get((column, name))
        if versions is None:
            return False
        _, wanted = versions[-1]
        return _differs({"board": board_digest(source)} if column == BOARD else plugins[source], wanted)

    def _is_asked_for_otherwise(self, column: str, runs: pd.DataFrame, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which runs were asked for with another version of their board or component than the last one only."""
        import numpy as np

        is_other = np.zeros(len(runs), dtype=bool)
        for name, group in runs.reset_index(drop=True).groupby(column, sort=False, observed=True):
            versions = self._versions.get((column, str(name)), [])
            others = [request for request, found in versions if _differs(found, versions[-1][1])]
            if others:
                places = group.index.to_numpy()
                same = [request for request, found in versions if not _differs(found, versions[-1][1])]
                by_others, by_same = (_ask_for(requests, numbers[places]) for requests in (others, same))
                is_other[places] = by_others & ~by_same
        return is_other

    def dated(self, runs: pd.DataFrame, plugins: Mapping[int, Fingerprints]) -> pd.DataFrame:
        """Return runs in which components and boards with several versions are named apart by the versions' dates.

        The date of a version is the day, if necessary with the time in UTC, when it was first asked for.

        Args:
            runs: as for `counted`, with the texts of the times when they ended.
            plugins: the plugins of each provenance.
        """
        import pandas as pd

        named = {}
        for column in self._columns:
            number, different = _numbered(runs, self._told_by(column))
            first = runs["finished"].astype("string").groupby(number).min()
            versions = [self._version(column, each, plugins) for each in different]
            dates: dict[str, dict[tuple[str, ...], str]] = {}
            for place, ((name, _), version) in enumerate(zip(different, versions, strict=True)):
                if name and (column == BOARD or (column, name) in self._sources):
                    began = dates.setdefault(name, {})
                    began[version] = min(began.get(version, first[place]), first[place])
            for request in reversed(self._requests):
                for (kind, name), fingerprints in _things(request):
                    if kind == column:
                        version = tuple(fingerprints.get(source, "") for source in sorted(self._sources[kind, name]))
                        if version in dates.get(name, {}):
                            dates[name][version] = request.begun
            labels = {name: _labels(began) for name, began in dates.items() if len(began) > 1}
            texts = [
                f"{name} ({labels[name][version]})" if name in labels else name
                for (name, _), version in zip(different, versions, strict=True)
            ]
            named[column] = pd.Series(pd.Categorical(pd.array(texts, dtype="string")).take(number), runs.index)
        return runs.assign(**named)

    def with_varied(self, runs: pd.DataFrame) -> pd.DataFrame:
        """Return runs in which names spell all parameters in which the names of a component differ.

        A name as it is recorded lacks the parameters with their defaults: `weighted-astar` beside
        `weighted-astar:weight=3` is `weighted-astar:weight=2`.
        """
        full_names: dict[str, dict[str, str]] = {}
        for request in self._requests:
            for kind, of_kind in request.full_names.items():
                full_names.setdefault(kind, {}).update(of_kind)
        renamed = {}
        for column in full_names.keys() & {*self._columns} & {*runs.columns}:
            recorded = [name for name in runs[column].dropna().unique().tolist() if name]
            known = full_names[column]
            with suppress(UsageError):  # a store may hold any text
                names = {undated(name) for name in recorded}
                changed = spell_varied({name: known.get(name, name) for name in names})
                texts = {name: _renamed(name, changed) for name in recorded}
                if any(name != text for name, text in texts.items()):
                    renamed[column] = translated(runs[column], texts)
        return runs.assign(**renamed)

    def _version(self, column: str, told: tuple[Any, Any], plugins: Mapping[int, Fingerprints]) -> tuple[str, ...]:
        name, source = told
        if column == BOARD:
            return (board_digest(source),)
        found = plugins[source]
        return tuple(str(found.get(at, "")) for at in sorted(self._sources.get((column, name), ())))


def _numbered(runs: pd.DataFrame, columns: Sequence[str]) -> tuple[NDArray[np.int64], list[tuple[Any, ...]]]:
    """Return a number for each run, equal where these columns are, and the cells of each number, None if missing."""
    import numpy as np

    of_group = runs.groupby(list(columns), dropna=False, observed=True, sort=False).ngroup()
    numbers = np.asarray(of_group, dtype=np.int64)
    firsts = runs[list(columns)].iloc[np.unique(numbers, return_index=True)[1]].astype(object)
    return numbers, list(firsts.where(firsts.notna(), None).itertuples(index=False, name=None))


def translated(cells: pd.Series[Any], texts: Mapping[str, str | None]) -> pd.Series[Any]:
    """Return a column with categories in which texts are replaced.

    >>> import pandas as pd
    >>> translated(pd.Series(["a", "b", "a"], dtype="category"), {"b": "c"}).tolist()
    ['a', 'c', 'a']
    """
    import pandas as pd

    words = pd.array([texts.get(word, word) for word in cells.cat.categories], dtype="string")
    return pd.Series(
        pd.Categorical(words).take(cells.cat.codes.to_numpy(), allow_fill=True), cells.index, name=cells.name
    )


def _things(request: Request) -> Iterator[tuple[tuple[str, str], Mapping[str, str]]]:
    """Yield the versioned parts of a request: the column and the name, with the fingerprints by source."""
    for name, digest in request.boards.items():
        yield (BOARD, name), {"board": digest}
    for kind, named in request.code.items():
        for name, fingerprints in named.items():
            yield (kind, name), fingerprints


def _differs(found: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Return whether a version, given by its fingerprints, lacks any of those required."""
    # Where two files of a run have one name, their fingerprints are joined.
    return any(not _parts(text) <= _parts(found.get(source)) for source, text in wanted.items())


def _ask_for(requests: Iterable[Request], numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return for each number of a run whether any of the requests asks for it."""
    import numpy as np

    asked = np.zeros(len(numbers), dtype=bool)
    for request in requests:
        asked |= request.asks_for(numbers)
    return asked


def _parts(text: object) -> set[str]:
    return set(str(text or "").split(" and "))


def _labels(began: Mapping[tuple[str, ...], str]) -> dict[tuple[str, ...], str]:
    """Return the dates of versions, just long enough to differ."""
    for length in DATED:
        found = {version: time[:length].replace("T", " ") for version, time in began.items()}
        if len({*found.values()}) == len(found):
            break
    return found


def _renamed(name: str, names: Mapping[str, str]) -> str:
    """Return a name by a table of names, with the date it has."""
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
