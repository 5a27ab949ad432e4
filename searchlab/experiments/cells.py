"""The cells of tables, as text for people and as plain values."""

from __future__ import annotations

import re
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    import pandas as pd

MISSING = "–"
DIGITS, MOST_DECIMALS = 3, 6
PERCENT = re.compile(r"coverage|decided|reached_\d+(_low|_high)?")
"""The names of columns in percent."""
FEW = 100
"""The number of cells below which equal ones are not looked for, to make each text once."""
ROUNDING = 1e-9
"""The largest rounding error of an integer, relative to its size."""


def is_text(column: pd.Series[Any]) -> bool:
    """Return whether a column holds text, which is aligned to the left."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_bool_dtype(column.dtype) or not is_numeric_dtype(column.dtype)


def is_missing(value: Any) -> bool:
    """Return whether the value of a cell is missing."""
    import pandas as pd

    return value is None or value is pd.NA or value != value  # NaN is not itself


def shown(column: pd.Series[Any]) -> list[str]:
    """Return the cells of a column as text without line breaks and control characters, a dash for a missing cell.

    Numbers with fractions have three digits, percentages one decimal.
    """
    if len(column) < FEW or column.dtype == object:  # in which True is 1
        return _texts_of(column)
    import numpy as np
    import pandas as pd

    numbers, different = column.factorize()
    texts = [*_texts_of(pd.Series(different, name=column.name)), MISSING]  # the last one is that of number -1
    return np.array(texts, dtype=object)[numbers].tolist()  # type: ignore[no-any-return]


def _texts_of(column: pd.Series[Any]) -> list[str]:
    values = plain(column)
    numbers = [value for value in values if isinstance(value, float)]
    if numbers and PERCENT.fullmatch(str(column.name)):
        return [MISSING if value is None else f"{value:.1f}" for value in values]
    if all(abs(number - round(number)) <= ROUNDING * max(1, abs(number)) for number in numbers if isfinite(number)):
        values = [round(v) if isinstance(v, float) and isfinite(v) else v for v in values]
    if all(type(value) is int for value in values):  # as in most columns of very many cells
        return [f"{value:,}" for value in values]
    return [_shown(value) for value in values]


def plain(column: pd.Series[Any]) -> list[Any]:
    """Return the cells of a column as plain Python values, None for a missing cell, times in ISO 8601."""
    from pandas.api.types import is_datetime64_any_dtype

    values = column.astype(object).where(column.notna(), None).tolist()
    return [v and v.isoformat() for v in values] if is_datetime64_any_dtype(column.dtype) else values


def plain_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table by column, as plain Python values."""
    names = [str(name) for name in table.columns]
    columns = [plain(table[name]) for name in table.columns]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def figure(number: float) -> str:
    """Return a number to three digits and at most six decimals, never with an exponent; a large one in full.

    >>> figure(12345.6), figure(0.00012345), figure(2.0)
    ('12,346', '0.000123', '2.00')
    """
    if not isfinite(number):
        return MISSING if number != number else "infinite"
    size = floor(log10(abs(number))) if number else 0
    return f"{number:,.{min(MOST_DECIMALS, max(0, DIGITS - 1 - size))}f}"


def _shown(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return figure(value) if isinstance(value, float) else one_line(str(value))
