"""Tables for the scripts of pages: column by column, each text once, deflated.

A hundred thousand runs with 25 columns take a few megabytes this way. `column_data` documents the format, and
`columnar.js` reads it.
"""

from __future__ import annotations

import base64
import json
import zlib
from math import isfinite
from typing import TYPE_CHECKING, Any

from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import plain

if TYPE_CHECKING:
    import pandas as pd

LARGEST_EXACT = 2**53
"""Scripts compute with doubles: whole numbers beyond this are texts."""
DIGITS = 6
"""Of numbers with a fraction."""
LEVEL = 9


def packed(content: Any) -> str:
    """Return plain values as base64 of the deflated JSON, which may stand in a script element as it is."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), LEVEL)).decode()


def column_data(column: pd.Series[Any]) -> dict[str, Any]:
    """Return a column of a table as plain values.

    Returns:
        `name`; `kind`, which is "text", "number", "flag" or "time"; `words`, for text columns, the distinct texts;
        and either `values`, an item per row, or `same`, the only item if all are equal. An item is an index into
        `words`, a number (a text if infinite), 0 or 1 for a flag, the seconds since `from` for a time, or None for a
        missing cell. `whole` is true if no number has a fraction.
    """
    from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype

    name = str(column.name)
    if is_datetime64_any_dtype(column.dtype):
        return {"name": name, "kind": "time", **_times(column)}
    values = plain(column)
    if is_bool_dtype(column.dtype):
        return {"name": name, "kind": "flag", **_shortest([None if value is None else int(value) for value in values])}
    if is_numeric_dtype(column.dtype) and all(map(_is_exact, values)):
        numbers = [None if value is None else _number(value) for value in values]
        whole = all(isinstance(number, int | None) for number in numbers)
        return {"name": name, "kind": "number", "whole": whole, **_shortest(numbers)}
    words: dict[str, int] = {}
    indexes = [None if value is None else words.setdefault(one_line(str(value)), len(words)) for value in values]
    return {"name": name, "kind": "text", "words": list(words), **_shortest(indexes)}


def _is_exact(value: Any) -> bool:
    return value is None or abs(value) < LARGEST_EXACT or not isfinite(value)


def _times(column: pd.Series[Any]) -> dict[str, Any]:
    moments = column.astype(object).where(column.notna(), None)
    seconds = [None if moment is None else round(moment.timestamp()) for moment in moments]
    first = min((value for value in seconds if value is not None), default=0)
    return {"from": first, **_shortest([None if value is None else value - first for value in seconds])}


def _shortest(values: list[Any]) -> dict[str, Any]:
    return {"same": values[0]} if values and values.count(values[0]) == len(values) else {"values": values}


def _number(value: float) -> int | float | str:
    """Return a number with the digits worth reading, integers without a decimal point."""
    if isinstance(value, int):
        return value
    if not isfinite(value):
        return str(float(value))
    rounded = float(value) if value == round(value) else float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
