"""Loading: the runs in a store as a pandas DataFrame; only the requested columns are read.

Equal texts of a column are kept once, and a cell is the number of its text, because a million runs have few heuristics
and frontiers. Values that follow from the provenance of a run are computed once for each provenance.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Any, Literal

from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.cells import AT_ONCE
from searchlab.experiments.columns import dtypes
from searchlab.experiments.quantities import METRICS
from searchlab.experiments.requests import VERSIONED, Versions, translated
from searchlab.experiments.runs import SEARCHES, run_kind_of
from searchlab.experiments.store import CERTIFICATES, RECORD, RUN, Store
from searchlab.model.extensions import DECLARABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray
    from pandas.api.extensions import ExtensionArray

    from searchlab.experiments.runs import RunKind

CERTIFIED = "certified"
"""The column that says whether a run has a certificate."""
LEFT_OUT = "left_out"
"""The attribute of a table with a line about the runs that it lacks, as other versions were asked for later."""
LARGEST_INT64 = 2**63 - 1
LARGEST_FLOAT = sys.float_info.max
FINISHED, PROVENANCE, IDENTITY = "finished", "provenance", "identity"
DERIVED = ("host", "machine", "versions", "plugins")
"""The columns that follow from the provenance of a run."""


def read_results(
    path: str | Path,
    columns: Collection[str] | None,
    also: Collection[str] = (),
    *,
    all_attempts: bool = False,
    all_versions: bool | None = False,
    texts: Literal["string", "category"] = "string",
) -> pd.DataFrame:
    """Return the runs in a store as `searchlab.load_results` does.

    Args:
        path, columns, all_attempts, all_versions: as for `searchlab.load_results`; with None for `all_versions` all
            runs are returned, with their names as recorded.
        also: further columns, which may be those of the other kind of runs; `METRICS` stands for all metrics, and
            `RECORD` is the number of the record.
        texts: the type of columns of texts; categories, in the order of the alphabet, take less time and memory.

    Raises:
        UsageError: there are no results, they cannot be read, or there is no such column.
    """
    import pandas as pd

    with Store(path) as store, store.unchanged():
        types = {**column_types(store.kind), **({RECORD: "int64"} if RECORD in also else {})}
        asked = [name for name in types if columns is None or name in columns or name in also]
        with_metrics = columns is None or METRICS in also or not {*columns} <= {*types}
        certificates = _certificates(store.file.parent) if with_metrics else set()
        versions = Versions(store.kind, [] if all_versions is None else store.requests())
        needed = {
            *asked,
            PROVENANCE,
            *([IDENTITY] if certificates else []),
            *versions.columns(dated=all_versions is True),
        }
        told_by = {"board_name", FINISHED, *versions.columns(dated=all_versions is True)}
        coded = needed if texts == "category" else told_by
        runs, metrics = _read(
            store, needed.difference(DERIVED), coded, all_attempts=all_attempts, with_metrics=with_metrics
        )
        provenances = {number: store.provenance(number) for number in runs[PROVENANCE].unique().tolist()}
        plugins = {number: found.get("plugins") or {} for number, found in provenances.items()}
        left_out = ""
        if all_versions:
            runs = versions.dated(runs, plugins)
        elif all_versions is not None:
            numbers = lambda: _numbers(store, all_attempts=all_attempts)  # noqa: E731 - they take time
            kept, left_out = versions.counted(runs, plugins, numbers)
            if not kept.all():
                runs = runs[kept].reset_index(drop=True)
                metrics = metrics.only(kept) if with_metrics else metrics
    runs = versions.with_varied(runs)
    _with_derived(runs, provenances, asked)
    if "board_name" in asked:
        runs["board_name"] = translated(runs["board_name"], {"": None})
    if FINISHED in asked:
        runs[FINISHED] = _times(runs[FINISHED].array, types[FINISHED])
    if texts == "string":
        for name in asked:
            if types[name] == "string" and runs[name].dtype != "string":
                runs[name] = runs[name].astype("string")
    names = metrics.columns(types)
    of_metrics = [metrics.column(name, column) for name, column in names.items()]
    table = pd.concat([runs[asked], *of_metrics], axis="columns") if of_metrics else runs[asked]
    if certificates and CERTIFIED not in table.columns:
        has_certificate = runs[IDENTITY].map(certificate_file).isin(certificates)
        if has_certificate.any():
            table[CERTIFIED] = has_certificate.astype("boolean")
    if columns is not None:
        for name in columns:
            if name not in table.columns:
                known = [each for each in (*types, *table.columns) if each != RECORD]
                raise UsageError(f"there is no column {name!r}: {did_you_mean(name, known)}")
        of_metrics_too = METRICS in also
        table = table[[name for name in table if name in columns or name in asked or of_metrics_too]]
    declared = _declared((provenances[number] for number in runs[PROVENANCE].unique().tolist()), names)
    table.attrs.update({METRICS: declared, LEFT_OUT: left_out})
    return table


def column_types(kind: RunKind = SEARCHES) -> dict[str, Any]:
    """Return the types of the columns of runs as pandas takes them, the statuses as a category of all there are."""
    return with_statuses(dtypes(kind.columns), kind)


def with_statuses(types: Mapping[str, str], kind: RunKind) -> dict[str, Any]:
    """Return types of columns with the statuses as a category of all there are."""
    import pandas as pd

    return {**types, "status": pd.CategoricalDtype(list(kind.statuses))}


def _read(
    store: Store, names: Collection[str], coded: Collection[str], *, all_attempts: bool, with_metrics: bool
) -> tuple[pd.DataFrame, _Metrics]:
    """Return columns of a store, of which these columns of texts have categories, and the metrics of the runs."""
    import pandas as pd

    types = {**dtypes(store.kind.columns), PROVENANCE: "int64", RECORD: "int64"}
    made = {name: _column_of(types[name], store.kind, is_coded=name in coded) for name in sorted(names)}
    alike = store.alike(made)
    metrics, rows = _Metrics(), _Coded()
    parts = {name: column for name, column in made.items() if name not in alike}
    wanted = [*parts, *(["metrics"] if with_metrics else [])]
    to_fill = [*parts.values(), *([metrics] if with_metrics else []), *([rows] if alike else [])]
    number = 0
    for columns in store.columns(wanted, all_attempts=all_attempts, together=alike):
        for part, cells in zip(to_fill, columns, strict=True):
            part.add(cells)
        number += len(columns[0])
    of_row = [json.loads(row) for row in rows.different]
    for place, name in enumerate(alike):
        made[name].add([cells[place] for cells in of_row])
    numbers = rows.numbers()
    arrays = {}
    for name in [*made]:  # what a column was made of is not kept
        array = made.pop(name).array()
        arrays[name] = array.take(numbers) if name in alike else array
    return pd.DataFrame(arrays, index=pd.RangeIndex(number), copy=False), metrics


def _times(texts: Any, dtype: str) -> ExtensionArray:
    """Return a column of times, given a categorical array of their texts."""
    import pandas as pd

    times: Any = pd.to_datetime(texts.categories, utc=True, format="ISO8601").astype(dtype)
    return times.take(texts.codes)  # type: ignore[no-any-return]


class ResultBlocks:
    """A table of runs that is read in blocks of rows, so that it is never in memory as a whole.

    Args:
        path: the folder of the experiment.
        rows: the rows in order, with `RECORD` and those columns that are known already.
        names: the columns of the table, of which others than those of `rows` are read for each block; by default all
            that runs have, and then the further ones of `rows`.
    """

    def __init__(self, path: str | Path, rows: pd.DataFrame, names: Sequence[str] | None = None) -> None:
        of_kind = [column.name for column in run_kind_of(rows).columns]
        further = [str(name) for name in rows.columns if name != RECORD and name not in of_kind]
        self._path, self._rows, self.names = path, rows, [*of_kind, *further] if names is None else names

    @classmethod
    def of(cls, path: str | Path, *, all_versions: bool | None = False) -> ResultBlocks:
        """Return the table that `read_results` returns: read now are only the columns that are not stored as they are.

        Args:
            path, all_versions: as for `read_results`.

        Raises:
            UsageError: there are no results, or they cannot be read.
        """
        also = {RUN, METRICS, RECORD, *VERSIONED, *DERIVED}
        return cls(path, read_results(path, (), also, all_versions=all_versions, texts="category"))

    def __len__(self) -> int:
        return len(self._rows)

    def blocks(self, names: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
        """Yield the rows in blocks, one at least, with some of the columns, by default all.

        Raises:
            UsageError: the file is damaged.
        """
        import pandas as pd

        names = self.names if names is None else names
        with Store(self._path) as store:
            types = dtypes(store.kind.columns)
            to_be_read = [name for name in names if name not in self._rows.columns]
            store.check_cells(to_be_read)
            for first in range(0, len(self) or 1, AT_ONCE):
                rows = self._rows.iloc[first : first + AT_ONCE]
                columns = {name: rows[name].array for name in rows.columns}
                cells = store.cells(to_be_read, rows[RECORD].to_numpy()) if to_be_read else []
                for name, of_column in zip(to_be_read, cells, strict=True):
                    column = _column_of(types[name], store.kind, is_coded=name == FINISHED)
                    column.add(of_column)
                    columns[name] = _times(column.array(), types[FINISHED]) if name == FINISHED else column.array()
                yield pd.DataFrame({name: columns[name] for name in names}, copy=False)


def _numbers(store: Store, *, all_attempts: bool) -> NDArray[np.int64]:
    """Return the numbers of the runs, in the order of the records."""
    runs, _ = _read(store, [RUN], (), all_attempts=all_attempts, with_metrics=False)
    return runs[RUN].to_numpy("int64")


class _Coded:
    """Texts that are read in parts: each different one is kept once, and a number for each cell.

    Args:
        texts: texts that have the first numbers.
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        known = {text: number for number, text in enumerate(texts)}
        self.different: dict[Any, int] = defaultdict(count(len(known)).__next__, known)  # a new text has the next one
        self._parts: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[str | None]) -> None:
        """Add the next cells."""
        import numpy as np

        self._parts.append(np.fromiter(map(self.different.__getitem__, cells), np.int32, len(cells)))

    def numbers(self) -> NDArray[np.int32]:
        """Return the number of each cell, and forget these."""
        return _joined(self._parts, "int32")


class _Texts(_Coded):
    """A column of texts that is read in parts.

    Args:
        is_coded: whether the column has categories.
    """

    def __init__(self, *, is_coded: bool) -> None:
        super().__init__()
        self._is_coded = is_coded

    def array(self) -> ExtensionArray:
        """Return the column."""
        import pandas as pd

        different: ExtensionArray = pd.array([*self.different], dtype="string")
        return (pd.Categorical(different) if self._is_coded else different).take(self.numbers())


class _Statuses(_Coded):
    """A column of statuses that is read in parts."""

    def __init__(self, kind: RunKind) -> None:
        super().__init__(kind.statuses)
        self._statuses = kind.statuses

    def array(self) -> ExtensionArray:
        """Return the column."""
        import pandas as pd

        return pd.Categorical.from_codes(self.numbers().astype("int8"), pd.Index(self._statuses))


class _Numbers:
    """A column of numbers that is read in parts.

    Args:
        dtype: its type in pandas.
    """

    def __init__(self, dtype: str) -> None:
        self._dtype, self._in_numpy = dtype, "float64" if dtype.lower() == "float64" else "int64"
        self._parts: list[NDArray[Any]] = []
        self._missing: list[NDArray[np.bool_]] = []

    def add(self, cells: Sequence[float | None]) -> None:
        """Add the next cells."""
        import numpy as np

        if self._in_numpy == "float64":
            self._parts.append(np.array(cells, dtype=np.float64))  # None is NaN
            return
        if self._dtype != "Int64":
            self._parts.append(np.array(cells, dtype=np.int64))
            return
        given = np.array(cells, dtype=object)
        missing = given == None  # noqa: E711 - of each cell
        given[missing] = 0
        self._parts.append(given.astype(np.int64))
        self._missing.append(missing)

    def array(self) -> ExtensionArray | NDArray[Any]:
        """Return the column."""
        import numpy as np
        import pandas as pd

        values = _joined(self._parts, self._in_numpy)
        if self._dtype == "Float64":
            return pd.arrays.FloatingArray(values, np.isnan(values))
        if self._dtype == "Int64":
            return pd.arrays.IntegerArray(values, _joined(self._missing, "bool"))
        return values.astype(self._dtype, copy=False)


def _column_of(dtype: str, kind: RunKind, *, is_coded: bool) -> _Texts | _Statuses | _Numbers:
    if dtype == "category":
        return _Statuses(kind)
    return _Texts(is_coded=is_coded) if dtype == "string" or dtype.startswith("datetime") else _Numbers(dtype)


def _joined(parts: list[NDArray[Any]], dtype: str) -> NDArray[Any]:
    """Return one array of several, and empty the list."""
    import numpy as np

    joined = np.concatenate([np.empty(0, dtype), *parts], dtype=dtype)
    parts.clear()
    return joined


class _Metrics:
    """The metrics of runs, read in parts. Equal metrics are kept once, and a run has their number."""

    def __init__(self) -> None:
        self._distinct: list[Mapping[str, Any]] = []
        self._number: dict[str, int] = {}
        self._parts: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[Mapping[str, Any]]) -> None:
        """Add the metrics of the next runs."""
        import numpy as np

        number = {place: self._number_of(each) for place, each in dict(zip(map(id, cells), cells, strict=True)).items()}
        self._parts.append(np.fromiter(map(number.__getitem__, map(id, cells)), np.int32, len(cells)))

    def _number_of(self, metrics: Mapping[str, Any]) -> int:
        written = repr(metrics)  # 1, 1.0 and True are equal, and not the same
        if written not in self._number:
            self._number[written] = len(self._distinct)
            self._distinct.append(metrics)
        return self._number[written]

    def only(self, kept: NDArray[np.bool_]) -> _Metrics:
        """Return the metrics of some of the runs."""
        found = _Metrics()
        found._distinct, found._parts = self._distinct, [self._numbers()[kept]]
        return found

    def _numbers(self) -> NDArray[np.int32]:
        """Return the number of each run's metrics."""
        self._parts = [_joined(self._parts, "int32")]
        return self._parts[0]

    def _used(self) -> list[int]:
        """Return the numbers that runs have, in order of first appearance."""
        import numpy as np

        numbers, first = np.unique(self._numbers(), return_index=True)
        used: list[int] = numbers[np.argsort(first)].tolist()
        return used

    def columns(self, taken: Iterable[str]) -> dict[str, str]:
        """Return the column of each metric by the metric's name, in order of first appearance."""
        columns: dict[str, str] = {}
        for name in dict.fromkeys(name for number in self._used() for name in self._distinct[number]):
            column = name
            while column in taken or column in columns.values():
                column = f"metric_{column}"
            columns[name] = column
        return columns

    def column(self, name: str, column: str) -> pd.Series[Any]:
        """Return the values of a metric as a column."""
        import pandas as pd

        used = {*self._used()}
        values = [each.get(name) if number in used else None for number, each in enumerate(self._distinct)]
        type_ = metric_dtype(values, empty="string", mixed="string")
        if type_ == "string":
            values = [value if isinstance(value, str | None) else json.dumps(value) for value in values]
        distinct = pd.Series(values, dtype=object).astype(type_)  # type: ignore[call-overload]
        return pd.Series(distinct.array.take(self._numbers()), name=column)


def metric_dtype(values: Iterable[Any], *, empty: str = "Float64", mixed: str = "object") -> str:
    """Return the narrowest type in pandas that holds the values of a metric, None left out.

    Args:
        empty: the type if there are no values.
        mixed: the type if no other holds them all.

    >>> metric_dtype([None, 3]), metric_dtype([3, 0.5]), metric_dtype(["a", None]), metric_dtype([True])
    ('Int64', 'Float64', 'string', 'boolean')
    """
    values = [value for value in values if value is not None]
    classes = set(map(type, values))
    if not values:
        return empty
    if classes == {str}:
        return "string"
    if classes == {bool}:
        return "boolean"
    if classes == {int} and all(abs(value) <= LARGEST_INT64 for value in values):
        return "Int64"
    is_huge = any(type(value) is int and abs(value) > LARGEST_FLOAT for value in values)
    return "Float64" if classes <= {int, float} and not is_huge else mixed


def _with_derived(runs: pd.DataFrame, provenances: Mapping[int, Mapping[str, Any]], wanted: Collection[str]) -> None:
    """Add the requested columns that follow from the provenances."""
    import numpy as np
    import pandas as pd

    cells = [_cells_of_provenance(provenance) for provenance in provenances.values()]
    place_of = {number: place for place, number in enumerate(provenances)}
    places = runs[PROVENANCE].map(place_of).to_numpy(np.int64)
    for name in DERIVED:
        if name in wanted:
            runs[name] = pd.Categorical(pd.array([each[name] for each in cells], dtype="string")).take(places)


def _cells_of_provenance(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells by column that follow from the provenance of a run."""
    machine = provenance.get("machine") or {}
    described = [str(machine[name]) for name in ("system", "processor") if machine.get(name)]
    cores = [f"{machine['cores']} cores"] if machine.get("cores") else []
    return {
        "host": machine.get("host"),
        "machine": ", ".join([*described, *cores]) or None,
        "versions": _listed(provenance.get("versions") or {}),
        "plugins": _listed(provenance.get("plugins") or {}),
    }


def _listed(values: Mapping[str, Any]) -> str | None:
    return " ".join(f"{name}={value}" for name, value in sorted(values.items())) or None


def _declared(provenances: Iterable[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the declarations of recorded metrics by column, as `Quantity` takes them; the last declaration counts.

    Stores may come from an untrusted source: invalid declarations are ignored.
    """
    found: dict[str, dict[str, str]] = {}
    for provenance in provenances:
        for name, declared in (provenance.get("metrics") or {}).items():
            if name in columns and isinstance(declared, dict):
                found[columns[name]] = {
                    key: value for key, value in declared.items() if value in DECLARABLE.get(key, ())
                }
    return found


def certificate_file(identity: str) -> str:
    """Return the name of the certificate of a run, in the folder of the experiment."""
    return f"{CERTIFICATES}/{identity}.zip"


def _certificates(folder: Path) -> set[str]:
    """Return the files of the certificates of runs, in the folder of the experiment."""
    try:
        return {f"{CERTIFICATES}/{name}" for name in os.listdir(folder / CERTIFICATES)}
    except OSError:
        return set()
