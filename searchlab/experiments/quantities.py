"""The quantities of runs: the meaning of a column, whether less or more is better, and how it is summarized.

Tables, plots and colours follow from this module. A metric of a plugin makes the same declarations; the table of
results keeps them in `attrs["metrics"]`. An undeclared column is a plain number: less is better, the mean is
arithmetic, the axis linear.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from searchlab.experiments.runs import GAMES, SEARCHES

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

METRICS = "metrics"
"""The key of a table's `attrs` for the declarations of metrics, by column."""
LARGEST = 1e300
"""Larger values have no place on an axis."""
SAYS_WHICH = {
    *(*SEARCHES.axes, *GAMES.axes),
    *("optimal_cost", "attempt", "batch"),
}
"""The columns that identify a run, whatever its outcome."""
EFFORT_STATUSES = ("solved", "unsolvable")
"""The statuses of searches that came to an answer, so that their effort is known."""


@dataclass(frozen=True)
class Quantity:
    """The quantity in a column of a table of runs.

    Attributes:
        name: the column.
        label: the label of an axis.
        unit: "s" or "B" (bytes); an empty string for a number.
        better: whether less of it is better ("low") or more ("high").
        scale: the scale on which its differences are seen.
        aggregate: the mean that suits it.
        smallest: the value that smaller values count as on a logarithmic axis and in a geometric mean, because a start
            that is a goal expands nothing.
        effort: whether searches that proved that there is no solution have it as well.
    """

    name: str
    label: str
    unit: str = ""
    better: Literal["low", "high"] = "low"
    scale: Literal["linear", "log"] = "linear"
    aggregate: Literal["mean", "geometric mean", "median"] = "mean"
    smallest: float | None = None
    effort: bool = False

    @property
    def needs_solution(self) -> bool:
        """Whether only searches that came to an answer have it: solved, or proved to have no solution."""
        return self.effort or self.name in ("cost", "moves")

    @property
    def comparative(self) -> str:
        """The advantage of a better configuration in words: fewer nodes expanded, less memory, a higher score."""
        if self.better == "high":
            return f"a higher {self.label}"
        if self.unit:
            return f"less {self.label}"
        return f"{'fewer' if self.label.split()[0].endswith('s') else 'a smaller'} {self.label}"

    @property
    def is_timed(self) -> bool:
        """Whether it depends on the speed of the machine."""
        return self.unit == "s" or self.name == "moves_per_second"

    @property
    def is_log(self) -> bool:
        """Whether differences of it are seen on a logarithmic scale."""
        return self.scale == "log"


def _effort(name: str, label: str, unit: str = "", smallest: float = 1.0) -> Quantity:
    return Quantity(name, label, unit, "low", "log", "geometric mean", smallest, effort=True)


QUANTITIES = {
    quantity.name: quantity
    for quantity in (
        _effort("expanded", "nodes expanded"),
        _effort("generated", "nodes generated"),
        _effort("evaluated", "evaluations of the heuristic"),
        _effort("reopened", "nodes reopened"),
        _effort("duplicates", "duplicates"),
        _effort("stored", "nodes stored"),
        _effort("max_open", "largest open list"),
        _effort("peak_bytes", "memory", "B"),
        _effort("seconds", "wall time", "s", 1e-6),
        _effort("cpu_seconds", "processor time", "s", 1e-6),
        Quantity("cost", "cost of the solution"),
        Quantity("moves", "moves"),
        Quantity("score", "score", better="high"),
        Quantity("largest_tile", "largest tile", better="high", scale="log", aggregate="geometric mean", smallest=1.0),
        Quantity("moves_per_second", "moves per second", better="high", scale="log", smallest=1e-3),
    )
}
"""The quantities of the columns that results have, by name."""


def quantity(name: str, table: pd.DataFrame | None = None) -> Quantity:
    """Return the quantity of a column.

    Args:
        table: the results that contain the column, with the declarations of plugin metrics.
    """
    known = QUANTITIES.get(name)
    if known:
        return known
    declared = {} if table is None else table.attrs.get(METRICS, {}).get(name, {})
    return Quantity(name, name.replace("_", " "), **declared)


def values_of(runs: pd.DataFrame, what: Quantity, suffix: str = "", *, only_solved: bool = False) -> list[float | None]:
    """Return the values of runs, None if a run is not solved or the table has no value.

    Args:
        suffix: the suffix of the columns, in a table with the runs of two configurations side by side.
        only_solved: whether to return None also for searches that proved that there is no solution.
    """
    import numpy as np
    import pandas as pd

    numbers = (
        pd.to_numeric(runs[f"{what.name}{suffix}"], errors="coerce").astype("Float64").to_numpy(float, na_value=np.nan)
    )
    if f"player{suffix}" not in runs.columns and "player" not in runs.columns and f"status{suffix}" in runs.columns:
        good = EFFORT_STATUSES if what.effort and not only_solved else ("solved",)
        if what.name not in SAYS_WHICH:
            numbers = np.where(runs[f"status{suffix}"].isin(good), numbers, np.nan)
    return [number if abs(number) <= LARGEST else None for number in numbers.tolist()]


def with_place(values: Iterable[float | None], what: Quantity) -> list[float | None]:
    """Return values as drawn on the axis of a quantity; 0 has no place on a logarithmic axis."""
    if not what.is_log or what.smallest is None:
        return list(values)
    return [None if value is None else max(value, what.smallest) for value in values]


def suited_to(values: Iterable[float | None], what: Quantity) -> Quantity:
    """Return a quantity with a mean that these values have: zero and negative values have no geometric mean."""
    if what.aggregate != "geometric mean":
        return what
    placed = with_place(values, what)
    return what if all(value is None or value > 0 for value in placed) else replace(what, aggregate="mean")


def mean_of(values: Iterable[float], what: Quantity) -> float:
    """Return the mean of the known values of a quantity that has one (see `suited_to`); NaN without values.

    The mean of equal values is that value, even if a geometric mean replaces each of them by a larger one.
    """
    import numpy as np

    found = np.array([value for value in values if value == value], dtype=float)
    if not len(found):
        return float("nan")
    return float(means_of(found[None, :], what)[0])


def means_of(values: NDArray[np.float64], what: Quantity) -> NDArray[np.float64]:
    """Return the mean of each row of known values, as `mean_of` does.

    Args:
        values: shape [rows, values of a row], at least one value in a row.
    """
    import numpy as np

    if what.aggregate != "geometric mean":
        return np.median(values, axis=1) if what.aggregate == "median" else values.mean(axis=1)
    means: NDArray[np.float64] = values[:, 0].copy()
    different = (values != values[:, :1]).any(axis=1)
    logarithms = np.log(values[different].clip(what.smallest)).mean(axis=1)
    means[different] = [rounded_log(mean) for mean in np.exp(logarithms).tolist()]
    return means


def rounded_log(value: float) -> float:
    """Return a number without the digits that come from computing with logarithms."""
    return float(f"{value:.12g}")


def declared_by(metric: Any) -> dict[str, str]:
    """Return the declarations of a metric, as `Quantity` takes them."""
    return {"better": metric.better, "scale": metric.scale, "aggregate": metric.aggregate}
