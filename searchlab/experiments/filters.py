"""Filters: select and sort the rows of a table of results by conditions and short names.

A condition is `COLUMN OPERATOR VALUE`, the operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `~` (contains, ignoring case)
and `!~`. Alternative values are separated by `|` (`status=time-limit|error`); an empty value is a missing cell
(`cost=`). A missing cell differs from every value and is neither smaller nor larger than any.

A run filter selects runs by a short name: `taxicab` (a heuristic), `astar` (a frontier), `taxicab/astar` (both),
`greedy` (a player, for games), or `COLUMN=value,…` for anything else. The plugin and the parameters of a name may be
omitted if only one name in the results matches.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import Spelled, parse_name
from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.columns import LIMITS, is_category
from searchlab.experiments.requests import undated
from searchlab.experiments.runs import GAMES, SEARCHES, run_kind_of
from searchlab.model.component import FALSE, TRUE
from searchlab.model.limits import parse_bytes, parse_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
FORM = re.compile(r"\s*([^=!<>~]+?)\s*(!=|<=|>=|!~|=|<|>|~)(.*)", re.DOTALL)
LONGEST_NUMBER = 20
"""Digits of numbers in texts that are sorted as numbers."""
MOST_DIGITS = 12
"""Digits of the numbers of runs; longer ones are identities."""
IDENTITY = re.compile(r"[0-9a-f]{6,32}")
IN_BYTES = ("peak_bytes", "limit_memory")
DISTINGUISHING = (
    *("domain", "heuristic", "frontier", "player", "seed", "board_name", "repetition"),
    *LIMITS,
)
"""The columns that distinguish the runs of an experiment."""


def differ_in_code(runs: pd.DataFrame) -> bool:
    """Return whether some runs differ only in the code of their plugins, as after an edit between them."""
    if "plugins" not in runs or runs["plugins"].nunique() < 2:
        return False
    alike = [name for name in DISTINGUISHING if name in runs]
    return bool((runs.groupby(alike, dropna=False, observed=True, sort=False)["plugins"].nunique() > 1).any())


def condition_for(wanted: pd.DataFrame, others: pd.DataFrame) -> str:
    """Return a condition on one column that holds for all runs that are wanted and for no others, or `""`."""
    import pandas as pd

    for name in (*LIMITS, *DISTINGUISHING):
        values = wanted[name].unique().tolist() if name in wanted else []
        if len(values) == 1:
            value = "" if pd.isna(values[0]) else f"{values[0]:.15g}" if _is_number(wanted[name]) else str(values[0])
            condition = Condition(name, "=", value)
            if condition.holds(wanted).all() and not condition.holds(others).any():
                return str(condition)
    return ""


@dataclass(frozen=True)
class Condition:
    """A condition on the cells of a column.

    Attributes:
        column: the column's name.
        operator: one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `!~`.
        value: the text behind the operator.
    """

    column: str
    operator: str
    value: str

    def holds(self, results: pd.DataFrame) -> pd.Series[bool]:
        """Return whether the condition holds, row by row.

        Raises:
            UsageError: there is no such column, or the value does not fit it.
        """
        check_columns([self.column], results)
        cells = results[self.column]
        if self.operator in ORDERINGS:
            return _ordered(self, cells)
        found = _contain(self, cells) if self.operator.endswith("~") else _equal(self, cells)
        return ~found if self.operator.startswith("!") else found

    def __str__(self) -> str:
        return f"{self.column}{self.operator}{self.value}"


def parse_condition(text: str) -> Condition:
    """Return the condition that a text says.

    >>> parse_condition("seconds >= 10s")
    Condition(column='seconds', operator='>=', value='10s')

    Raises:
        UsageError: the text is no condition.
    """
    match = FORM.fullmatch(text)
    if not match or _is_broken(text):
        raise UsageError(
            f"{text!r} is not a condition; write for example status=solved, expanded>=1000 or frontier~astar"
        )
    column, sign, value = match.groups()
    return Condition(column, sign, value.strip())


def _is_broken(text: str) -> bool:
    """Return whether a text cannot be encoded, such as an argument that is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def where(results: pd.DataFrame, conditions: Iterable[Condition]) -> pd.DataFrame:
    """Return the rows for which all conditions hold."""
    for condition in conditions:
        results = results[condition.holds(results)]
    return results


def check_columns(names: Iterable[str], results: pd.DataFrame) -> None:
    """Raise a UsageError if a table lacks one of these columns."""
    for name in names:
        if name not in results.columns:
            raise UsageError(f"there is no column {name!r}: {did_you_mean(name, map(str, results.columns))}")


def in_order(results: pd.DataFrame, order: Sequence[str], *, empties: bool = False) -> pd.DataFrame:
    """Return the rows of a table, sorted by columns; a `-` before a name sorts in descending order.

    Numbers within texts are compared as numbers (board2 before board10). Missing cells come last; equal rows keep their
    order.

    Args:
        results: the table.
        order: names of columns.
        empties: whether to remove each column from `results` once it is copied, and to number the rows anew: two large
            tables take much memory.

    Raises:
        UsageError: there is no such column.
    """
    names = [name.removeprefix("-") for name in order]
    check_columns(names, results)
    if not names:
        return results
    ascending = [not name.startswith("-") for name in order]
    if not empties:
        return results.sort_values(names, ascending=ascending, key=_sortable, kind="stable", na_position="last")
    import pandas as pd

    attributes, keys = results.attrs, results[list(dict.fromkeys(names))].reset_index(drop=True)
    keys = keys.sort_values(names, ascending=ascending, key=_sortable, kind="stable", na_position="last")
    places, index = keys.index.to_numpy(), pd.RangeIndex(len(keys))
    del keys
    columns = {name: results.pop(name).take(places).set_axis(index) for name in [*results.columns]}
    found = pd.DataFrame(columns, index=index, copy=False)
    found.attrs = attributes
    return found


def numbered_run(results: pd.DataFrame, text: str, where: str) -> pd.DataFrame:
    """Return the rows of one run: all its attempts.

    Args:
        results: as `load_results` returns them.
        text: the number of the run, or at least the first 6 digits of its identity.
        where: the beginning of the error message.

    Raises:
        UsageError: no run matches, or several do.
    """
    text = text.strip().lower()
    if text.isdecimal() and text.isascii() and len(text) <= MOST_DIGITS:
        found = results[results["run"] == int(text)]
    elif IDENTITY.fullmatch(text):
        found = results[results["identity"].str.startswith(text)]
    else:
        raise UsageError(
            f"--run {text!r}: a run is named by its number, or by the first digits of its identity, at least 6"
        )
    number = found["identity"].nunique()
    if number == 1:
        return found
    if number:
        raise UsageError(f"{where}the identities of {number:,} runs begin with {text}; give more digits")
    numbers = f"from {results['run'].min():,} to {results['run'].max():,}" if len(results) else "of none"
    raise UsageError(f"{where}there is no run {text}: the numbers are {numbers}; searchlab results lists them")


def single_run(runs: pd.DataFrame, which: str, where: str, options: str) -> pd.Series[Any]:
    """Return the only run of a table, or the best or worst.

    Args:
        runs: one or more rows of the same kind.
        which: "best" or "worst", by the score of games or the cost of solutions; `""` requires a single run.
        where: the beginning of the error message.
        options: the options that select runs, for the error message.

    Raises:
        UsageError: there are several runs.
    """
    are_games = run_kind_of(runs) is GAMES
    if which:
        figure = "score" if are_games else "cost"
        return in_order(runs, [f"-{figure}" if (which == "best") == are_games else figure]).iloc[0]
    if len(runs) > 1:
        differing = [name for name in DISTINGUISHING if name in runs and runs[name].nunique(dropna=False) > 1]
        columns = ", ".join(differing or ["finished"])
        raise UsageError(
            f"{where}{len(runs):,} {'games' if are_games else 'runs'} are meant, which differ in {columns}: "
            f"say which with {options}, or --best"
        )
    return runs.iloc[0]


def run_with_moves(results: pd.DataFrame, path: str, conditions: Sequence[Condition], which: str) -> pd.Series[Any]:
    """Return the run with recorded moves that the conditions select, or the best or worst of several.

    Args:
        results: the runs of an experiment.
        path: the experiment's name in error messages.
        which: see `single_run`.

    Raises:
        UsageError: no run matches, or several do.
    """
    runs = where(results, conditions)
    if runs.empty:
        raise UsageError(
            f"{path}: none of its {len(results):,} runs meets the conditions; searchlab results lists them"
        )
    shown = runs[runs["actions"].notna()]
    if shown.empty:
        statuses = ", ".join(map(str, runs["status"].unique()))
        raise UsageError(f"{path}: no run that is meant has moves to be shown ({statuses})")
    return single_run(shown, which, f"{path}: ", "--run, --where")


def _sortable(cells: pd.Series[Any]) -> pd.Series[Any]:
    """Return what cells are sorted by: texts by the place of each in the order of all, categories by their own order.

    Columns of texts that were read as categories are still declared as texts.
    """
    import pandas as pd

    if isinstance(cells.dtype, pd.CategoricalDtype) and not is_category(str(cells.name)):
        texts = cells
    elif cells.dtype == "string":
        texts = cells.astype("category")
    else:
        return cells
    different = pd.Series(texts.cat.categories)
    padded = different.str.replace(r"\d+", lambda digits: digits.group().zfill(LONGEST_NUMBER), regex=True)
    return padded.rank(method="dense").reindex(texts.cat.codes).set_axis(cells.index)


def _equal(condition: Condition, cells: pd.Series[Any]) -> pd.Series[bool]:
    if not condition.value:
        return cells.isna()
    values = [_typed(condition, cells, value.strip()) for value in condition.value.split("|")]
    return cells.isin(values)


def _contain(condition: Condition, cells: pd.Series[Any]) -> pd.Series[bool]:
    if _is_number(cells):
        raise UsageError(
            f"{condition}: {condition.operator} is for text, and {condition.column} is not a column of text"
        )
    texts = cells.astype("string").str.lower()
    found = cells.isna() & False
    for value in condition.value.split("|"):
        found |= texts.str.contains(value.strip().lower(), regex=False).fillna(value=False).astype(bool)
    return found


def _ordered(condition: Condition, cells: pd.Series[Any]) -> pd.Series[bool]:
    if cells.dtype == "category":
        raise UsageError(f"{condition}: {condition.column} has no order; use =, != or ~")
    compared: pd.Series[bool] = ORDERINGS[condition.operator](cells, _typed(condition, cells, condition.value))
    return compared.fillna(value=False).astype(bool)


def _is_number(cells: pd.Series[Any]) -> bool:
    from pandas.api.types import is_numeric_dtype

    return is_numeric_dtype(cells.dtype)


def _typed(condition: Condition, cells: pd.Series[Any], text: str) -> Any:
    """Return a value, converted to the type of the column's cells."""
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype

    if cells.dtype == "category":
        return _status(condition, cells, text)
    if is_bool_dtype(cells.dtype):
        return _truth(condition, text)
    if is_datetime64_any_dtype(cells.dtype):
        return _time(condition, text)
    return _number(condition, text) if _is_number(cells) else text


def _status(condition: Condition, cells: pd.Series[Any], text: str) -> str:
    statuses = cells.cat.categories
    if text not in statuses:
        raise UsageError(f"{condition}: no {condition.column} is called {text!r}: {did_you_mean(text, statuses)}")
    return text


def _truth(condition: Condition, text: str) -> bool:
    if text.lower() not in TRUE + FALSE:
        raise UsageError(f"{condition}: {condition.column} is yes or no, not {text!r}")
    return text.lower() in TRUE


def _time(condition: Condition, text: str) -> Any:
    import pandas as pd

    try:
        time = pd.Timestamp(text)
    except ValueError:
        raise UsageError(
            f"{condition}: {text!r} is not a date; write for example 2026-11-21 or 2026-11-21T18:30"
        ) from None
    return time.tz_localize("UTC") if time.tzinfo is None else time.tz_convert("UTC")


def _number(condition: Condition, text: str) -> float:
    """Return a number; seconds and bytes may have a unit."""
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        if condition.column.endswith("seconds"):
            return parse_seconds(text)
        if condition.column in IN_BYTES:
            return parse_bytes(text)
        raise UsageError(f"{condition}: {condition.column} is a number, not {text!r}") from None


@dataclass(frozen=True)
class RunFilter:
    """Selects some runs of an experiment.

    Attributes:
        name: the text that the user wrote.
        values: the cells of some columns, by column.
    """

    name: str
    values: dict[str, str]

    def runs(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the rows of these runs."""
        return where(results, [Condition(column, "=", value) for column, value in self.values.items()])


def run_filter(text: str, results: pd.DataFrame) -> RunFilter:
    """Return the filter that a text means for these results.

    Raises:
        UsageError: the text matches no runs, or has several meanings.
    """
    text = text.strip()
    conditions = _conditions(text, results)
    if conditions:
        return RunFilter(text, {column: resolve_value(column, value, results) for column, value in conditions.items()})
    meanings = [*_alone(text, results), *_both(text, results)]
    if not meanings:
        raise UsageError(f"nothing that was run is called {text!r}: {did_you_mean(text, _suggestions(text, results))}")
    if len(meanings) > 1:
        spelled = (",".join(f"{column}={value}" for column, value in meaning.items()) for meaning in meanings)
        raise UsageError(f"{text!r} may be several things; write {' or '.join(spelled)}")
    return RunFilter(text, meanings[0])


def resolve_value(column: str, text: str, results: pd.DataFrame) -> str:
    """Return the value of a column that a text denotes; the plugin and the parameters of a component may be omitted.

    Raises:
        UsageError: the text matches no value, or several.
    """
    if column not in run_kind_of(results).compared:
        if where(results, [Condition(column, "=", text)]).empty:
            values = ", ".join(sorted(results[column].dropna().astype(str).unique()))
            raise UsageError(f"no run has {column}={text}; there are: {values or 'no values'}")
        return text
    present = _present(column, results)
    matching = _matching(text, present)
    if not matching:
        raise UsageError(
            f"no run has {column}={text}: {did_you_mean(text, present if ':' in text else _bare(present))}"
        )
    if len(matching) > 1:
        raise UsageError(f"{column}={text} may be several things; write {' or '.join(matching)}")
    return matching[0]


def _conditions(text: str, results: pd.DataFrame) -> dict[str, str]:
    """Return the values of `COLUMN=value,…` by column; a comma ends a value only where a column follows."""
    columns = "|".join(re.escape(str(name)) for name in results.columns)
    if not re.match(rf"\s*(?:{columns})\s*=", text):
        return {}
    parts = (part.partition("=") for part in re.split(rf",(?=\s*(?:{columns})\s*=)", text))
    return {column.strip(): _without_brackets(value.strip()) for column, _, value in parts}


def _without_brackets(value: str) -> str:
    return value[1:-1] if value.startswith("[") and value.endswith("]") else value


def _alone(text: str, results: pd.DataFrame) -> list[dict[str, str]]:
    return [
        {column: value}
        for column in run_kind_of(results).compared
        for value in _matching(text, _present(column, results))
    ]


def _both(text: str, results: pd.DataFrame) -> list[dict[str, str]]:
    """Return the possible meanings of `heuristic/frontier`; each slash is tried, since names may contain some."""
    pairs = _pairs(results)
    found = []
    for slash in (place for place, character in enumerate(text) if character == "/"):
        heuristics = _matching(text[:slash], {heuristic for heuristic, _ in pairs})
        frontiers = _matching(text[slash + 1 :], {frontier for _, frontier in pairs})
        found += [{"heuristic": h, "frontier": f} for h in heuristics for f in frontiers if (h, f) in pairs]
    return found


def _matching(text: str, present: Iterable[str]) -> list[str]:
    """Return the names that a text matches: the equal name, else names that add a plugin or parameters to it.

    Names with exactly the parameters of the text take precedence.
    """
    names = {name: parse_name(undated(name)) for name in sorted(present)}
    if text in names:
        return [text]
    try:
        wanted = parse_name(text)
    except UsageError:
        return []
    matching = [name for name, spelled in names.items() if _matches(wanted, spelled)]
    same = [name for name in matching if wanted.parameters and names[name].parameters == wanted.parameters]
    return same or matching


def _matches(wanted: Spelled, name: Spelled) -> bool:
    """Return whether a name has all the given parts, and possibly a plugin and more parameters."""
    source = (wanted.plugin, PurePath(wanted.file).name)
    if source not in (("", ""), (name.plugin, PurePath(name.file).name)):
        return False
    return wanted.name == name.name and wanted.parameters.items() <= name.parameters.items()


def _suggestions(text: str, results: pd.DataFrame) -> set[str]:
    """Return the names to suggest for a text, with parameters if the text has any."""
    pairs = {f"{h}/{f}" for h, f in _pairs(results)}
    bare = {f"{parse_name(undated(h)).name}/{parse_name(undated(f)).name}" for h, f in _pairs(results)}
    alone = {name for column in run_kind_of(results).compared for name in _present(column, results)}
    if "/" in text and pairs:
        return pairs if ":" in text else bare
    return alone if ":" in text else _bare(alone)


def _bare(names: Iterable[str]) -> set[str]:
    return {parse_name(undated(name)).name for name in names}


def _present(column: str, results: pd.DataFrame) -> set[str]:
    return set(results[column].dropna())


def _pairs(results: pd.DataFrame) -> set[tuple[str, str]]:
    if run_kind_of(results) is not SEARCHES:
        return set()
    named = results[results["heuristic"].notna()]
    return set(zip(named["heuristic"], named["frontier"], strict=True))
