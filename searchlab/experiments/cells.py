"""The cells of tables, as text for people and as plain values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain
from math import isfinite
from typing import TYPE_CHECKING, Any, overload

from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

MISSING = "–"
SIZES = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
"""The sizes from which a number has a decimal less."""
FORMATS = tuple(f"{{:,.{decimals}f}}".format for decimals in range(len(SIZES), -1, -1))
"""For each range of sizes, what writes a number with three digits, and with six decimals at most."""
ZERO = SIZES.index(1.0) + 1
"""The place of zero's format."""
PERCENT = re.compile(r"coverage|decided|reached_\d+(_low|_high)?")
"""The names of columns in percent."""
AT_ONCE = 10_000
"""How many rows of a table are written at once."""
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
    return list(ShownCells(column))


class ShownCells(Sequence[str]):
    """The cells of a column as `shown` returns them, made when they are read: a long table shows few of its columns.

    Args:
        column: the column.
    """

    def __init__(self, column: pd.Series[Any]) -> None:
        from pandas.api.types import is_bool_dtype, is_numeric_dtype

        self._column = column
        self._write: Callable[[pd.Series[Any]], list[str]] = _texts_of_values
        self._texts: NDArray[np.object_] | None = None
        if not is_bool_dtype(column.dtype) and is_numeric_dtype(column.dtype):
            self._write = _writer(column)
        else:
            self._numbers, self._texts = _numbered_texts(column)

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        if isinstance(place, int):
            return self[place : place + 1 or None][0]
        if self._texts is not None:
            texts: list[str] = self._texts[self._numbers[place]].tolist()
            return texts
        return self._write(self._column.iloc[place])

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self[begin : begin + AT_ONCE] for begin in range(0, len(self), AT_ONCE))

    @property
    def different(self) -> set[str]:
        """The different cells."""
        return set(self if self._texts is None else self._texts.tolist())

    @property
    def longest(self) -> int:
        """The number of characters of the longest cell, 0 without cells."""
        if self._texts is not None:
            return max(map(len, self.different), default=0)
        return max(map(len, self._write(_extremes(self._column))), default=0)


def different(cells: Sequence[str]) -> set[str]:
    """Return the different cells of a column that is text."""
    return cells.different if isinstance(cells, ShownCells) else set(cells)


def _numbered_texts(column: pd.Series[Any]) -> tuple[NDArray[np.integer[Any]], NDArray[np.object_]]:
    """Return the texts of the different cells of a column, and the number of each cell's."""
    import numpy as np
    import pandas as pd

    if column.dtype == object:  # in which True is 1
        return np.arange(len(column)), np.array(_texts_of_values(column), dtype=object)
    numbers, values = column.factorize()
    texts = _texts_of_values(pd.Series(values, name=column.name))
    if (numbers < 0).any():
        texts.append(MISSING)  # the last one is that of number -1
    return numbers.astype(np.int32), np.array(texts, dtype=object)


def _texts_of_values(column: pd.Series[Any]) -> list[str]:
    """Return the cells of a column of any values as text."""
    values = plain(column)
    numbers = [value for value in values if isinstance(value, float) and isfinite(value)]
    if all(map(_is_whole, numbers)):
        values = [round(v) if isinstance(v, float) and isfinite(v) else v for v in values]
    return [_shown(value) for value in values]


def _is_whole(number: float) -> bool:
    return abs(number - round(number)) <= ROUNDING * max(1, abs(number))


def _writer(column: pd.Series[Any]) -> Callable[[pd.Series[Any]], list[str]]:
    """Return a function that returns cells of a column of numbers as text."""
    import numpy as np
    from pandas.api.types import is_integer_dtype

    if is_integer_dtype(column.dtype):
        return _integers
    if PERCENT.fullmatch(str(column.name)):
        return _percentages
    values = _known(column)
    values = values[np.isfinite(values)]
    if (np.abs(values - values.round()) <= ROUNDING * np.maximum(1, np.abs(values))).all():
        return _whole_numbers
    return _figures


def _known(column: pd.Series[Any]) -> NDArray[np.float64]:
    """Return the cells of a column of numbers, NaN for a missing one."""
    import numpy as np

    return column.to_numpy(np.float64, na_value=np.nan)


def _integers(cells: pd.Series[Any]) -> list[str]:
    return [MISSING if value is None else f"{value:,}" for value in plain(cells)]


def _percentages(cells: pd.Series[Any]) -> list[str]:
    return [MISSING if value is None else f"{value:.1f}" for value in plain(cells)]


def _whole_numbers(cells: pd.Series[Any]) -> list[str]:
    return [f"{round(value):,}" if isfinite(value) else figure(value) for value in _known(cells).tolist()]


def _figures(cells: pd.Series[Any]) -> list[str]:
    import numpy as np

    values = _known(cells)
    written = [FORMATS[place] for place in _places(values).tolist()]
    texts = [write(value) for write, value in zip(written, values.tolist(), strict=True)]
    for place in np.flatnonzero(~np.isfinite(values)).tolist():
        texts[place] = figure(values[place])
    return texts


def _places(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the place of each number's format among `FORMATS`."""
    import numpy as np

    places = np.searchsorted(SIZES, np.abs(values), side="right")
    places[values == 0] = ZERO
    return places


def _extremes(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return those cells of a column of numbers of which one is the longest as text."""
    import numpy as np
    from pandas.api.types import is_integer_dtype

    is_known = column.notna().to_numpy(dtype=bool)
    found, known = [*np.flatnonzero(~is_known)[:1]], np.flatnonzero(is_known)
    numbers = column.iloc[known].to_numpy(np.int64 if is_integer_dtype(column.dtype) else np.float64)
    of_format = np.where(np.isfinite(numbers), _places(numbers), -1)
    for place in np.unique(of_format).tolist():
        those = np.flatnonzero(of_format == place)
        found += [known[those[numbers[those].argmin()]], known[those[numbers[those].argmax()]]]
    return column.iloc[found]


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
    return FORMATS[bisect_right(SIZES, abs(number)) if number else ZERO](number)


def _shown(value: Any) -> str:
    if value is None:
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return figure(value) if isinstance(value, float) else one_line(str(value))
