"""Parts of a table of results: rows by conditions, columns by name, an order.

A condition is `COLUMN OPERATOR VALUE`, the operators are `=`, `!=`, `<`, `<=`, `>`, `>=`, `~` (contains, whatever the
case) and `!~`. A `|` stands between values of which any will do (`status=time-limit|error`); an empty value is a
missing cell (`cost=`). A missing cell differs from every value and is neither smaller nor larger than any.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.model.component import FALSE, TRUE
from searchlab.model.limits import parse_bytes, parse_seconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
FORM = re.compile(r"\s*([^=!<>~]+?)\s*(!=|<=|>=|!~|=|<|>|~)(.*)", re.DOTALL)
LONGEST_NUMBER = 20
"""Digits of numbers in texts that are ordered as numbers."""
IN_BYTES = ("peak_bytes", "limit_memory")


@dataclass(frozen=True)
class Condition:
    """What the cell of a column is to be.

    Attributes:
        column: its name.
        operator: one of `=`, `!=`, `<`, `<=`, `>`, `>=`, `~`, `!~`.
        value: as it was written.
    """

    column: str
    operator: str
    value: str

    def holds(self, results: pd.DataFrame) -> pd.Series[bool]:
        """Return for which rows it holds.

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
    """Take a condition apart.

    >>> parse_condition("seconds >= 10s")
    Condition(column='seconds', operator='>=', value='10s')

    Raises:
        UsageError: it is none.
    """
    match = FORM.fullmatch(text)
    if not match or _is_broken(text):
        raise UsageError(f"{text!r} is no condition; write for example status=solved, expanded>=1000 or frontier~astar")
    column, sign, value = match.groups()
    return Condition(column, sign, value.strip())


def _is_broken(text: str) -> bool:
    """Return whether a text holds what cannot be written, as an argument of bytes that are no UTF-8 does."""
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


def in_order(results: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """Return a table's rows ordered by columns, by those with a `-` before their name from large to small.

    Numbers in texts count as numbers (board2 before board10). Missing cells come last; rows that are equal keep their
    order.

    Raises:
        UsageError: there is no such column.
    """
    names = [name.removeprefix("-") for name in order]
    check_columns(names, results)
    if not names:
        return results
    ascending = [not name.startswith("-") for name in order]
    return results.sort_values(names, ascending=ascending, key=_sortable, kind="stable", na_position="last")


def _sortable(cells: pd.Series[Any]) -> pd.Series[Any]:
    if cells.dtype != "string":
        return cells
    return cells.str.replace(r"\d+", lambda digits: digits.group().zfill(LONGEST_NUMBER), regex=True)


def _equal(condition: Condition, cells: pd.Series[Any]) -> pd.Series[bool]:
    if not condition.value:
        return cells.isna()
    values = [_typed(condition, cells, value.strip()) for value in condition.value.split("|")]
    return cells.isin(values)


def _contain(condition: Condition, cells: pd.Series[Any]) -> pd.Series[bool]:
    if _is_number(cells):
        raise UsageError(f"{condition}: {condition.operator} is for text, and {condition.column} is none")
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
    """Return a value as the cells of its column are."""
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
            f"{condition}: {text!r} is no date; write for example 2026-11-21 or 2026-11-21T18:30"
        ) from None
    return time.tz_localize("UTC") if time.tzinfo is None else time.tz_convert("UTC")


def _number(condition: Condition, text: str) -> float:
    """Return a number, of seconds and bytes also with a unit."""
    try:
        return int(text) if re.fullmatch(r"[+-]?\d+", text) else float(text)
    except ValueError:
        if condition.column.endswith("seconds"):
            return parse_seconds(text)
        if condition.column in IN_BYTES:
            return parse_bytes(text)
        raise UsageError(f"{condition}: {condition.column} is a number, not {text!r}") from None
