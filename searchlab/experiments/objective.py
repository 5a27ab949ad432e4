"""The objective of a tuning: a figure of runs, the value that counts if it is missing, and the gain over others."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, log
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, did_you_mean
from searchlab.experiments.quantities import EFFORT_STATUSES, QUANTITIES, Quantity, declared_by
from searchlab.experiments.runs import GAMES, SEARCHES
from searchlab.experiments.specification import SpecificationError, at
from searchlab.experiments.statistics import FEWEST_SCORES, mean_interval, ratio_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.experiments.runs import RunKind
    from searchlab.experiments.specification import Experiment, TuneTable
    from searchlab.plugins.registry import Plugins

OF_LIMIT = {"expanded": "expansions", "seconds": "seconds", "cpu_seconds": "seconds", "peak_bytes": "memory"}
"""Objectives that a limit bounds, so that a run without a solution counts as that limit."""
LIMIT_KEYS = {"seconds": "time", "memory": "memory", "expansions": "expansions"}
"""The keys of these limits in an experiment file."""


@dataclass(frozen=True)
class Objective:
    """The figure that is tuned.

    Attributes:
        quantity: which one it is.
        unsolved: what a run without a solution, or a game without the figure, counts as.
        kind: the kind of the runs.
    """

    quantity: Quantity
    unsolved: float
    kind: RunKind

    @property
    def is_ratio(self) -> bool:
        """Whether figures are compared by their ratio, not by their difference."""
        return self.quantity.aggregate == "geometric mean"

    @property
    def sign(self) -> int:
        """1 if less is better, else -1."""
        return 1 if self.quantity.better == "low" else -1

    def figure(self, row: Mapping[str, Any]) -> float | None:
        """Return the figure of a run, None if it counts as unsolved.

        Args:
            row: the cells of the run, and its metrics, by column.
        """
        value = row.get(self.quantity.name)
        if self.kind is SEARCHES:
            wanted = EFFORT_STATUSES if self.quantity.effort else ("solved",)
            value = value if row["status"] in wanted else None
        return float(value) if isinstance(value, int | float) and isfinite(value) else None

    def scaled(self, value: float) -> float:
        """Return a figure on the scale on which differences count: its logarithm if ratios do."""
        return log(max(value, self.quantity.smallest or 1e-300)) if self.is_ratio else value

    def gain(self, differences: NDArray[np.float64], default: NDArray[np.float64]) -> float:
        """Return the share that is gained; below 0 if figures are worse.

        Args:
            differences: by how much the scaled figures are worse than those of the default, by board.
            default: the scaled figures of the default.
        """
        return self._share(float(differences.mean()), default)

    def interval(self, differences: NDArray[np.float64], default: NDArray[np.float64]) -> tuple[float, float] | None:
        """Return the 95 % confidence interval of the gain, by Student's t; None if all differences are equal."""
        if self.is_ratio:
            ratios = ratio_interval(differences)
            ends = ratios and (log(ratios[0]), log(ratios[1]))
        else:
            ends = mean_interval(differences, FEWEST_SCORES)
        if ends is None:
            return None
        low, high = sorted(self._share(end, default) for end in ends)
        return low, high

    def _share(self, difference: float, default: NDArray[np.float64]) -> float:
        if self.is_ratio:
            return self.sign * (1 - exp(self.sign * difference))
        mean = abs(float(default.mean()))
        return -difference / mean if mean else float("nan")

    def mean(self, scaled: NDArray[np.float64]) -> float:
        """Return the mean of figures, given on their scale."""
        return exp(float(scaled.mean())) if self.is_ratio else float(scaled.mean())


def objective_of(experiment: Experiment, table: TuneTable, plugins: Plugins) -> Objective:
    """Return the objective that an experiment names, by default the expansions of searches and the score of games.

    Raises:
        SpecificationError: there is no such figure, or nothing says what a run without a solution counts as.
    """
    kind = GAMES if experiment.players else SEARCHES
    name = table.objective or ("score" if kind is GAMES else "expanded")
    metrics = {} if kind is GAMES else {one.component.name: one.component for one in plugins.all("metric")}
    known = [*(column for column in QUANTITIES if column in kind.stored), *metrics]
    if name not in known:
        wanted = f"{kind.name} have no figure {name!r:.40}: {did_you_mean(name, known)}"
        raise SpecificationError(("tune", "objective"), wanted)
    quantity = QUANTITIES.get(name) or Quantity(name, name.replace("_", " "), **declared_by(metrics[name]))  # type: ignore[arg-type]
    if table.unsolved is not None:
        with at("tune", "unsolved"):
            if not isfinite(table.unsolved):
                raise UsageError(f"a number is wanted, not {table.unsolved}")
        return Objective(quantity, table.unsolved, kind)
    if name == "score":
        return Objective(quantity, 0.0, kind)
    limit = getattr(experiment.limits, OF_LIMIT[name]) if name in OF_LIMIT else None
    if limit is None or not isfinite(limit):
        without = "a game that fails" if kind is GAMES else "a run without a solution"
        by_limit = f", or {LIMIT_KEYS[OF_LIMIT[name]]} in [limits]" if name in OF_LIMIT else ""
        wanted = f"nothing says what {without} counts as: give unsolved = NUMBER in [tune]{by_limit}"
        raise SpecificationError(("tune", "objective"), f"{name}: {wanted}")
    return Objective(quantity, float(limit), kind)
