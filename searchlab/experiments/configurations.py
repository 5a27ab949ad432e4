"""Configurations: which runs of an experiment a few words stand for.

`taxicab` (a heuristic), `astar` (a frontier), `taxicab/astar` (both), of games `greedy` (a player), or `COLUMN=value,…`
for everything else. A name may lack its plugin and parameters where only one was run that it can stand for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

from searchlab.binding.names import Spelled, parse_name
from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.kinds import SEARCHES, kind_of
from searchlab.experiments.selecting import Condition, where

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


@dataclass(frozen=True)
class Configuration:
    """Some of an experiment's runs.

    Attributes:
        name: as it was written.
        values: what the cells of some columns are, by column.
    """

    name: str
    values: dict[str, str]

    def runs(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the runs of it."""
        return where(results, [Condition(column, "=", value) for column, value in self.values.items()])


def configuration(text: str, results: pd.DataFrame) -> Configuration:
    """Return what a text stands for among some results.

    Raises:
        UsageError: nothing, or several things.
    """
    text = text.strip()
    listed = _listed(text, results)
    if listed:
        return Configuration(text, {column: value_meant(column, value, results) for column, value in listed.items()})
    meanings = [*_alone(text, results), *_both(text, results)]
    if not meanings:
        raise UsageError(f"nothing that was run is called {text!r}: {did_you_mean(text, _known(text, results))}")
    if len(meanings) > 1:
        spelled = (",".join(f"{column}={value}" for column, value in meaning.items()) for meaning in meanings)
        raise UsageError(f"{text!r} may be several things; write {' or '.join(spelled)}")
    return Configuration(text, meanings[0])


def value_meant(column: str, text: str, results: pd.DataFrame) -> str:
    """Return a value as it stands in a column; a name may lack what it may lack in a configuration.

    Raises:
        UsageError: no run has it, or several have a name that it can stand for.
    """
    if column not in kind_of(results).named:
        if where(results, [Condition(column, "=", text)]).empty:
            values = ", ".join(sorted(results[column].dropna().astype(str).unique()))
            raise UsageError(f"no run has {column}={text}; there are: {values or 'no values'}")
        return text
    present = _present(column, results)
    meant = _meant(text, present)
    if not meant:
        raise UsageError(
            f"no run has {column}={text}: {did_you_mean(text, present if ':' in text else _bare(present))}"
        )
    if len(meant) > 1:
        raise UsageError(f"{column}={text} may be several things; write {' or '.join(meant)}")
    return meant[0]


def _listed(text: str, results: pd.DataFrame) -> dict[str, str]:
    """Return the values of `COLUMN=value,…` by column; a comma ends a value only where a column follows."""
    columns = "|".join(re.escape(str(name)) for name in results.columns)
    if not re.match(rf"\s*(?:{columns})\s*=", text):
        return {}
    parts = (part.partition("=") for part in re.split(rf",(?=\s*(?:{columns})\s*=)", text))
    return {column.strip(): _without_brackets(value.strip()) for column, _, value in parts}


def _without_brackets(value: str) -> str:
    return value[1:-1] if value.startswith("[") and value.endswith("]") else value


def _alone(text: str, results: pd.DataFrame) -> list[dict[str, str]]:
    return [{column: value} for column in kind_of(results).named for value in _meant(text, _present(column, results))]


def _both(text: str, results: pd.DataFrame) -> list[dict[str, str]]:
    """Return all that `heuristic/frontier` may mean; a plugin or a folder brings slashes of its own."""
    pairs = _pairs(results)
    found = []
    for slash in (place for place, character in enumerate(text) if character == "/"):
        heuristics = _meant(text[:slash], {heuristic for heuristic, _ in pairs})
        frontiers = _meant(text[slash + 1 :], {frontier for _, frontier in pairs})
        found += [{"heuristic": h, "frontier": f} for h in heuristics for f in frontiers if (h, f) in pairs]
    return found


def _meant(text: str, present: Iterable[str]) -> list[str]:
    """Return the one name that is spelled so, else all that are, their plugin and some parameters left out.

    Where there are names with just these parameters, others are not meant.
    """
    names = {name: parse_name(name) for name in sorted(present)}
    if text in names:
        return [text]
    try:
        said = parse_name(text)
    except UsageError:
        return []
    meant = [name for name, spelled in names.items() if _stands_for(said, spelled)]
    same = [name for name in meant if said.parameters and names[name].parameters == said.parameters]
    return same or meant


def _stands_for(said: Spelled, spelled: Spelled) -> bool:
    """Return whether a name may stand for another that says more."""
    source = (said.plugin, PurePath(said.file).name)
    if source not in (("", ""), (spelled.plugin, PurePath(spelled.file).name)):
        return False
    return said.name == spelled.name and said.parameters.items() <= spelled.parameters.items()


def _known(text: str, results: pd.DataFrame) -> set[str]:
    """Return what may have been meant, written as much in full as the text is."""
    pairs = {f"{h}/{f}" for h, f in _pairs(results)}
    bare = {f"{parse_name(h).name}/{parse_name(f).name}" for h, f in _pairs(results)}
    alone = {name for column in kind_of(results).named for name in _present(column, results)}
    if "/" in text and pairs:
        return pairs if ":" in text else bare
    return alone if ":" in text else _bare(alone)


def _bare(names: Iterable[str]) -> set[str]:
    return {parse_name(name).name for name in names}


def _present(column: str, results: pd.DataFrame) -> set[str]:
    return set(results[column].dropna())


def _pairs(results: pd.DataFrame) -> set[tuple[str, str]]:
    """Return the heuristics with the frontiers of searches."""
    if kind_of(results) is not SEARCHES:
        return set()
    return set(zip(results["heuristic"], results["frontier"], strict=True))
