"""Pivots: a figure of the runs with boards as rows and configurations as columns, the best of each row marked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import MISSING, is_missing, shown
from searchlab.experiments.filters import DISTINGUISHING, check_columns, differ_in_code, in_order
from searchlab.experiments.machine import different_machines
from searchlab.experiments.page import CONFIGURATION, MARKED, Table, TextColumn
from searchlab.experiments.quantities import SAYS_WHICH, Quantity, mean_of, means_of, quantity, suited_to, values_of
from searchlab.experiments.runs import GAMES, run_kind_of
from searchlab.experiments.spread import have_spreads, spreads

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray
    from pandas.api.extensions import ExtensionArray

ROWS = "board_name"
ALIASES = {"board": ROWS}
"""Columns under another name: a board stands for its name, not for its tiles."""
FIGURES = ("expanded", "score")
"""The default figures, of searches and of games."""
NEEDED = frozenset((*DISTINGUISHING, "plugins", "status", "host", "machine"))
"""The columns of runs that a pivot is made of, besides those of its rows, configurations and figures."""
SPREAD = "spread"
"""Stands behind the name of a figure whose spread over seeds and repetitions a column has."""
NEAREST = 1e-9
"""Values that differ by less, relative to their size, are equally good: sums of floats differ in the last digits."""


@dataclass(frozen=True)
class Pivot:
    """A figure of the runs, with a row per board and a column per configuration.

    Attributes:
        table: the figures, missing if a configuration has none; index and columns have one level for each requested
            column.
        endings: the same shape: the outcome of runs without a figure ("time-limit", "2 of 5"), else "".
        best: the same shape: whether a figure is the best of its row; never if all are equal.
        what: the quantity of the figure; None for text.
        means: the mean of each configuration over the rows in which all have a figure; missing without such rows.
        common: the number of these rows.
        solved: the number of rows in which each configuration has a figure.
        total: the number of rows.
        summed: the columns in which the runs of a cell differ.
        most: the number of runs in the fullest cell.
        spreads: the shape of `table`: the standard deviation of a figure over seeds and repetitions, missing if there
            are none.
        spreads_of_means: the same of the means.
        machines: a line if figures are times from different machines, else empty.
    """

    table: pd.DataFrame
    endings: pd.DataFrame
    best: pd.DataFrame
    name: str
    what: Quantity | None
    means: pd.Series[float] | None
    common: int
    solved: pd.Series[int]
    total: int
    summed: tuple[str, ...]
    most: int
    spreads: pd.DataFrame
    spreads_of_means: pd.Series[float]
    machines: tuple[str, ...] = ()

    @property
    def rows(self) -> list[str]:
        """The names of the columns that distinguish rows."""
        return [one_line(str(name)) for name in self.table.index.names]

    @property
    def headings(self) -> list[str]:
        """The names of the configurations, as `searchlab compare` takes them."""
        return [configuration_name(self.table.columns.names, key) for key in self.table.columns]

    def frame(self) -> pd.DataFrame:
        """Return the table as files hold it: the row names as columns, and one heading per configuration.

        Beside each configuration with spreads stands a column with these.
        """
        import pandas as pd

        columns: dict[str, pd.Series[Any]] = {}
        for place, heading in enumerate(self._unique_headings()):
            columns[heading] = self.table.iloc[:, place]
            if (spread := self.spreads.iloc[:, place]).notna().any():
                columns[f"{heading} {SPREAD}"] = spread
        return pd.DataFrame(columns, index=self.table.index).reset_index()

    def _unique_headings(self) -> list[str]:
        """Return headings that differ from the names of the row columns."""
        return [f"{heading} " if heading in self.rows else heading for heading in self.headings]

    def head(self, number: int) -> Pivot:
        """Return the first rows; the means still cover all rows."""
        return replace(
            self,
            table=self.table.head(number),
            endings=self.endings.head(number),
            best=self.best.head(number),
            spreads=self.spreads.head(number),
        )

    def cells(self) -> list[list[str]]:
        """Return the cells as text, row by row: figures for people, or the outcomes of the runs."""
        columns = []
        for place in range(len(self.table.columns)):
            texts, endings = shown(self.table.iloc[:, place].rename(self.name)), self.endings.iloc[:, place]
            spreads = self._spread_texts(self.spreads.iloc[:, place])
            columns.append(
                [ending or text + spread for text, ending, spread in zip(texts, endings, spreads, strict=True)]
            )
        return [list(row) for row in zip(*columns, strict=True)] if len(self.table) else []

    @staticmethod
    def _spread_texts(spreads: pd.Series[float]) -> list[str]:
        """Return the spreads of figures as texts, `""` for a figure without a spread."""
        return ["" if text == MISSING else f" ± {text}" for text in shown(spreads)]

    def row_names(self) -> list[list[str]]:
        """Return the names of each row, one for each row column."""
        keys = (key if isinstance(key, tuple) else (key,) for key in self.table.index)
        return [[MISSING if part is None else one_line(str(part)) for part in key] for key in keys]

    def summary(self) -> list[tuple[str, list[str]]]:
        """Return the labelled rows below the table: the number of figures of each configuration, and the means."""
        if self.what is None:
            return []
        with_figure = [f"{count:,}" for count in self.solved]
        rows = (
            [(f"{'solved' if self.what.needs_solution else 'figures'}, of {self.total:,}", with_figure)]
            if (self.solved < self.total).any()
            else []
        )
        if self.means is not None and self.common > 1:
            texts, spreads = shown(self.means.astype("Float64")), self._spread_texts(self.spreads_of_means)
            rows.append((self.what.aggregate, [text + spread for text, spread in zip(texts, spreads, strict=True)]))
        return rows

    @staticmethod
    def _levels(index: pd.Index[Any]) -> list[tuple[str, list[str]]]:
        """Return the names of the levels of an index, each with the texts of its keys."""
        keys = [key if isinstance(key, tuple) else (key,) for key in index]
        return [
            (one_line(str(level)), [MISSING if key[place] is None else one_line(str(key[place])) for key in keys])
            for place, level in enumerate(index.names)
        ]

    def shown(self) -> Table:
        """Return the pivot as a table for people and papers, the means below and the best figures bold."""
        names, cells, below = self.row_names(), self.cells(), self.summary()
        labels = [label for label, _ in below]
        columns = [
            TextColumn(name, [*(row[n] for row in names), *([""] * len(labels) if n else labels)], is_text=True)
            for n, name in enumerate(self.rows)
        ]
        levels = self._levels(self.table.columns)
        for place, (heading, *parts) in enumerate(zip(self.headings, *(names for _, names in levels), strict=True)):
            best = frozenset(number for number, mark in enumerate(self.best.iloc[:, place]) if mark)
            texts = [*(row[place] for row in cells), *(row[place] for _, row in below)]
            columns.append(TextColumn(heading, texts, is_text=self.what is None, bold=best, parts=tuple(parts)))
        return Table(
            columns,
            self.notes(),
            labels=len(self.rows),
            levels=[level for level, _ in levels],
            summary=len(below),
            frame=self.frame(),
        )

    def _repr_html_(self) -> str:
        return self.shown().html()

    def notes(self) -> list[str]:
        """Return remarks that explain the table, a line each."""
        if self.what is None:
            lines = [f"{one_line(self.name)} of each run"]
        else:
            marked = f"{one_line(self.name)}: {'less' if self.what.better == 'low' else 'more'} is better"
            lines = [f"{marked}, {MARKED} the best of a row" if self.best.to_numpy().any() else marked]
        if self.most > 1 and self.what:
            differing = f" (they differ in {', '.join(self.summed)})" if self.summed else ""
            few = f"; 1 of {self.most:,}: only one run has a figure" if (self.endings != "").to_numpy().any() else ""
            lines.append(f"each cell is the {self.what.aggregate} of up to {self.most:,} runs{differing}{few}")
        if self.spreads.notna().any(axis=None) or self.spreads_of_means.notna().any():
            lines.append("±: the standard deviation of the figure over seeds, or repetitions where there is one seed")
        nothing = [heading for heading, count in zip(self.headings, self.solved, strict=True) if not count]
        if self.what and self.means is not None and self.common > 1:
            lines.append(f"{self.what.aggregate}: over the {self.common:,} rows {self._who(nothing)}")
        elif self.what and self.means is not None and self.total > 1:
            lines.append("no mean: there are no two rows in which all configurations have a figure")
        if self.what and nothing and len(nothing) < len(self.headings):
            without = "solved nothing" if self.what.needs_solution else "no figures"
            lines.append(f"{without}, not in the means: {', '.join(nothing)}")
        return [*lines, *self.machines]

    def _who(self, nothing: Sequence[str]) -> str:
        number = len(self.headings) - len(nothing)
        others = " others" if nothing else ""
        who = {1: "the other one" if nothing else "it", 2: f"both{others}"}.get(number, f"all {number:,}{others}")
        if self.what and self.what.needs_solution:
            return f"that {who} solved"
        return f"in which {who} {'has' if number == 1 else 'have'} a figure"


def configuration_name(columns: Sequence[Hashable], key: Any) -> str:
    """Return the name of a configuration; missing parts, like the heuristic of breadth-first search, are omitted.

    >>> configuration_name(["heuristic", "frontier"], ("taxicab", "astar")), configuration_name(["seed"], 3)
    ('taxicab/astar', 'seed=3')
    """
    parts = key if isinstance(key, tuple) else (key,)
    named = [(column, part) for column, part in zip(columns, parts, strict=True) if not is_missing(part)]
    return "/".join(str(part) if column in CONFIGURATION else f"{column}={part}" for column, part in named) or MISSING


def pivot(results: pd.DataFrame, columns: Sequence[str], values: str | None = None, rows: Sequence[str] = ()) -> Pivot:
    """Return a figure of the runs with boards as rows and configurations as columns.

    Several runs in one cell (seeds, repetitions, or boards if rows are domains) are summed up by the mean that suits
    the figure, but only if every run has the figure: means over different sets of solved boards cannot be compared.

    Args:
        results: as `load_results` returns them.
        columns: the names of the columns that distinguish configurations: heuristic, frontier; player.
        values: the column of the figure: by default `expanded`, or `score` for games. A text column shows the texts of
            the runs.
        rows: the columns that distinguish the rows: by default the board, or the seed for games from one opening.

    Raises:
        UsageError: there is no such column, or a column is given twice.

    >>> import pandas as pd
    >>> runs = pd.DataFrame({"board_name": ["a", "a", "b", "b"], "heuristic": ["h", "g", "h", "g"], "frontier": "astar",
    ...                      "status": ["solved", "solved", "solved", "time-limit"], "expanded": [10, 20, 7, 99]})
    >>> pivot(runs, ["heuristic"]).frame()
      board_name     g   h
    0          a    20  10
    1          b  <NA>   7
    """
    import numpy as np
    import pandas as pd

    kind = run_kind_of(results)
    name = values or FIGURES[kind is GAMES]
    if not columns:
        raise UsageError("a pivot needs columns that tell configurations apart: heuristic and frontier, or player")
    rows = rows or (["seed"] if kind is GAMES and results[ROWS].nunique(dropna=False) < 2 else [ROWS])
    columns, rows = ([ALIASES.get(each, each) for each in listed] for listed in (columns, rows))
    _check(results, columns, rows, name)
    what = quantity(name, results) if _is_number(results[name]) else None
    if what is not None:
        what = suited_to(values_of(results, what), what)
    (row_of_run, row_keys), (column_of_run, column_keys) = (_numbered(results, listed) for listed in (rows, columns))
    index, header = (_index(keys, listed) for keys, listed in ((row_keys, rows), (column_keys, columns)))
    cells = _Cells(results, row_of_run * len(column_keys) + column_of_run, (len(row_keys), len(column_keys)))
    table, endings = cells.figures(what) if what else (cells.texts(name), np.full(cells.shape, "", dtype=object))
    table.index, table.columns = index, header
    endings_table = pd.DataFrame(endings, index=index, columns=header, dtype=object)
    differing = [
        each
        for each in DISTINGUISHING
        if each not in (*rows, *columns) and each in results and results[each].nunique(dropna=False) > 1
    ]
    differing += ["plugins"] if differ_in_code(results) else []
    made = _marked(table, endings_table, name, what, tuple(differing), cells.most)
    if what is None:
        return made
    made = replace(made, machines=tuple(different_machines(results)) if what.is_timed else ())
    return _with_spreads(made, results, row_of_run, column_of_run, what)


def _with_spreads(
    made: Pivot, results: pd.DataFrame, row: NDArray[np.int64], column: NDArray[np.int64], what: Quantity
) -> Pivot:
    """Return a pivot with the spreads of its figures and means over seeds and repetitions.

    Args:
        results: the runs.
        row, column: the numbers of each run's row and column.
        what: the quantity of the figure.
    """
    import numpy as np
    import pandas as pd

    if not have_spreads(results):
        return made
    known = made.table.notna().to_numpy(dtype=bool)
    value = pd.Series(values_of(results, what), results.index, dtype="float64")
    of_cell, of_column = (pd.Series(each, results.index) for each in (row * known.shape[1] + column, column))
    has_figure = known[row, column]
    complete = np.asarray(known[:, made.solved.to_numpy(dtype=int) > 0].all(axis=1))
    is_common = has_figure & complete[row]
    of_cells = spreads(results, of_cell[has_figure], value[has_figure], what).reindex(range(known.size))
    of_means = spreads(results, of_column[is_common], value[is_common], what).reindex(range(known.shape[1]))
    return replace(
        made,
        spreads=_numbers(of_cells.to_numpy(dtype=float).reshape(known.shape), made.table),
        spreads_of_means=pd.Series(of_means.to_numpy(dtype=float), index=made.table.columns).astype("Float64"),
    )


def _numbers(values: NDArray[Any], like: pd.DataFrame) -> pd.DataFrame:
    """Return numbers as a table with the index and the columns of another; NaN is missing."""
    import pandas as pd

    return pd.DataFrame(values, index=like.index, columns=like.columns).astype("Float64")


def _check(results: pd.DataFrame, columns: Sequence[str], rows: Sequence[str], values: str) -> None:
    check_columns([*columns, *rows, values], results)
    listed = [*rows, *columns]
    for name in listed:
        if name == values or listed.count(name) > 1:
            raise UsageError(f"{name} is asked for twice: rows, configurations and values are different columns")
        if results[name].dtype == "Float64" or name in ("seconds", "cpu_seconds"):
            raise UsageError(f"{name} is a result of a run, which distinguishes neither rows nor configurations")


def _is_number(column: pd.Series[Any]) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype)


def _key(parts: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a key that equals itself: NaN does not."""
    return tuple(None if is_missing(part) else part for part in parts)


def _numbered(results: pd.DataFrame, columns: Sequence[str]) -> tuple[NDArray[np.int64], list[tuple[Any, ...]]]:
    """Return the number of each run's key, and the keys in their order."""
    import numpy as np

    found = results.groupby(list(columns), dropna=False, observed=True, sort=False).ngroup().to_numpy(np.int64)
    _, firsts = np.unique(found, return_index=True)
    different = results[list(columns)].iloc[firsts].reset_index(drop=True)
    ordered = in_order(different, columns)
    numbers = np.empty(len(different), dtype=np.int64)
    numbers[ordered.index.to_numpy()] = np.arange(len(different))
    return numbers[found], [_key(key) for key in ordered.astype(object).itertuples(index=False, name=None)]


def _index(keys: Sequence[tuple[Any, ...]], names: Sequence[str]) -> pd.Index[Any]:
    import pandas as pd

    if len(names) > 1:
        return pd.MultiIndex.from_tuples(keys, names=list(names))
    index: pd.Index[Any] = pd.Index([key[0] for key in keys], name=names[0], dtype=object)
    return index


class _Cells:
    """The runs of each cell of a table.

    Args:
        runs: as `load_results` returns them.
        cell: the number of each run's cell, row by row.
        shape: the numbers of rows and columns.
    """

    def __init__(self, runs: pd.DataFrame, cell: NDArray[np.int64], shape: tuple[int, int]) -> None:
        import numpy as np

        order = np.argsort(cell, kind="stable")
        self._runs, self._cell, self.shape = runs.iloc[order], cell[order], shape
        self._filled, self._starts, self._sizes = np.unique(self._cell, return_index=True, return_counts=True)

    @property
    def most(self) -> int:
        """The number of runs in the fullest cell."""
        return int(self._sizes.max(initial=0))

    def figures(self, what: Quantity) -> tuple[pd.DataFrame, NDArray[np.object_]]:
        """Return the figure of each cell, and the outcome of the runs in cells without one."""
        import numpy as np
        import pandas as pd

        values = np.array([np.nan if value is None else value for value in values_of(self._runs, what)], dtype=float)
        known = np.add.reduceat(~np.isnan(values), self._starts, dtype=np.int64) if len(values) else self._sizes
        figures = np.full(self.shape, np.nan)
        for size in np.unique(self._sizes):
            chosen = (self._sizes == size) & (known == size)
            alike = values[self._starts[chosen, None] + np.arange(size)]
            figures.flat[self._filled[chosen]] = means_of(alike, what)
        endings = np.full(self.shape, "", dtype=object)
        unknown = known < self._sizes
        if unknown.any():
            endings.flat[self._filled[unknown]] = self._endings(unknown, known, what)
        return pd.DataFrame({place: _column(figures[:, place]) for place in range(self.shape[1])}), endings

    def _endings(self, unknown: NDArray[np.bool_], known: NDArray[np.int64], what: Quantity) -> list[str]:
        """Return the outcomes of the runs, for each cell in which not all runs have a figure."""
        import numpy as np
        import pandas as pd

        numbers, statuses = pd.factorize(self._runs["status"].astype(str).to_numpy(object))
        first, last = (each.reduceat(numbers, self._starts)[unknown] for each in (np.minimum, np.maximum))
        cells = zip(first.tolist(), last.tolist(), known[unknown].tolist(), self._sizes[unknown].tolist(), strict=True)
        endings = []
        for least, most, count, size in cells:
            status = str(statuses[least])
            if size == 1:
                endings.append("" if status == "solved" or what.name in SAYS_WHICH else status)
            else:
                endings.append(status if least == most and not count else f"{count:,} of {size:,}")
        return endings

    def texts(self, name: str) -> pd.DataFrame:
        """Return the different values of a column in each cell."""
        import numpy as np
        import pandas as pd

        known = pd.DataFrame({"cell": self._cell, "value": self._runs[name].to_numpy(object)})
        known = known[self._runs[name].notna().to_numpy()].drop_duplicates()
        parts: dict[int, list[str]] = {}
        for cell, value in zip(known["cell"].tolist(), known["value"], strict=True):
            parts.setdefault(cell, []).append(str(value))
        texts = np.full(self.shape, None, dtype=object)
        texts.flat[list(parts)] = [", ".join(part) or None for part in parts.values()]
        return pd.DataFrame(texts, dtype="string")


def _column(figures: NDArray[np.float64]) -> ExtensionArray:
    """Return the figures as a column, of integers if all are whole (most are, if a cell is one run); NaN is missing."""
    import numpy as np
    import pandas as pd

    missing = np.isnan(figures)
    filled = np.where(missing, 0.0, figures)
    if ((np.abs(filled) < 2**53) & (filled == np.floor(filled))).all():
        return pd.arrays.IntegerArray(filled.astype(np.int64), missing)
    return pd.arrays.FloatingArray(filled, missing)


def _marked(
    table: pd.DataFrame, endings: pd.DataFrame, name: str, what: Quantity | None, summed: tuple[str, ...], most: int
) -> Pivot:
    """Return a pivot with the best of each row marked, and the means."""
    import numpy as np
    import pandas as pd

    known = table.notna()
    solved = pd.Series(known.sum(axis="index"), dtype="int64")
    best = pd.DataFrame(np.zeros(table.shape, dtype=bool), index=table.index, columns=table.columns)
    none = _numbers(np.full(table.shape, np.nan), table), pd.Series(np.nan, index=table.columns, dtype="Float64")
    if what is None:
        return Pivot(table, endings, best, name, what, None, 0, solved, len(table), summed, most, *none)
    numbers = table.to_numpy(dtype=float, na_value=np.nan)
    if len(table.columns) > 1 and len(table):
        filled = np.where(np.isnan(numbers), np.inf if what.better == "low" else -np.inf, numbers)
        extreme = filled.min(axis=1) if what.better == "low" else filled.max(axis=1)
        near = np.isclose(filled, extreme[:, None], rtol=NEAREST, atol=0) & ~np.isnan(numbers)
        best[:] = near & ~near.all(axis=1)[:, None]
    present = [place for place, count in enumerate(solved) if count]
    common = ~np.isnan(numbers[:, present]).any(axis=1) if present else np.zeros(len(table), dtype=bool)
    means = [mean_of(numbers[common, place], what) if solved.iloc[place] else np.nan for place in range(len(solved))]
    of_all = pd.Series(means, index=table.columns, dtype="float64") if what.name not in SAYS_WHICH else None
    return Pivot(table, endings, best, name, what, of_all, int(common.sum()), solved, len(table), summed, most, *none)
