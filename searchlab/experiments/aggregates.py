"""Aggregates: what the runs of each configuration come to, fairly compared.

Means over whatever each configuration happened to solve would reward giving up on what is hard. So figures of a search
are taken over the cases that *all* groups solved; a case is a board with whatever else the runs differ in, the grouped
columns left out. Runs that cannot be compared so, for want of a solution, count in the coverage and in PAR2.

| column | what it holds |
| --- | --- |
| `runs` | how many there are |
| `solved` | how many of them ended with a solution |
| `coverage` | the same in percent |
| `expanded`, `seconds` | geometric means over the cases all groups solved |
| `expanded_median`, `seconds_median` | medians over the same |
| `cost` | the sum of the solutions' costs over the same |
| `par2` | mean seconds of all runs, one without a solution counted as twice its time limit; missing without a limit |

Several runs of a group in one case count as solved if all are, and then by their mean, for all but the cost a
geometric one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.cases import cases
from searchlab.experiments.kinds import SEARCHES
from searchlab.experiments.selecting import check_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

COLUMNS = {
    "runs": "int64",
    "solved": "int64",
    "coverage": "float64",
    "expanded": "Float64",
    "seconds": "Float64",
    "expanded_median": "Float64",
    "seconds_median": "Float64",
    "cost": "Float64",
    "par2": "Float64",
}
"""The columns of aggregates behind those that are grouped by, with their types in pandas."""
SMALLEST = {"expanded": 1.0, "seconds": 1e-6}
"""What smaller values count as in geometric means: a start that is a goal expands nothing."""


@dataclass(frozen=True)
class Aggregates:
    """The runs of an experiment, summed up by configuration.

    Attributes:
        table: a row a group; first the columns grouped by, then `COLUMNS`.
        solved_by_all: how many cases all groups solved.
        of_boards: whether a case is a board and nothing else.
        lacks_limit: whether a group has no PAR2 because a run without a solution had no time limit.
    """

    table: pd.DataFrame
    solved_by_all: int
    of_boards: bool
    lacks_limit: bool

    def telling(self) -> list[str]:
        """Return the names of the columns that people see: all."""
        return [str(name) for name in self.table.columns]

    def notes(self) -> list[str]:
        """Return what has to be known to read the table, in whole lines."""
        number, what = self.solved_by_all, "board" if self.of_boards else "case"
        groups = {1: "the only group", 2: "both groups"}.get(len(self.table), f"all {len(self.table):,} groups")
        if number:
            over = f"over the {number:,} {what}{'s' * (number != 1)} that {groups} solved"
            lines = [f"expanded, seconds: geometric means and medians; cost: the sum; {over}"]
        else:
            lines = [f"there is no {what} that {groups} solved, so there are no means of expanded, seconds and cost"]
        if not self.of_boards:
            lines.append(f"a case is what runs have in common besides {', '.join(self.grouped_by)}")
        if self.lacks_limit:
            lines.append("par2 cannot be computed where a run without a solution had no time limit")
        return lines

    @property
    def grouped_by(self) -> list[str]:
        """The columns that were grouped by."""
        return [str(name) for name in self.table.columns if name not in COLUMNS]


def aggregate(results: pd.DataFrame, group_by: Sequence[str]) -> Aggregates:
    """Return what the runs of each group come to, in the order of what is grouped by.

    Args:
        results: as `load_results` returns them.
        group_by: names of columns: mostly heuristic and frontier.

    Raises:
        UsageError: there is no such column, or it is one of the figures.
    """
    check_columns(group_by, results)
    for name in group_by:
        if name in COLUMNS:
            raise UsageError(
                f"{name!r} is what a run came to, not what it can be grouped by; heuristic for example can"
            )
    groups = results.groupby(list(group_by), dropna=False, observed=True, sort=True)
    runs = _runs(results, groups.ngroup(), cases(results, group_by))
    common = _common(runs)
    table = groups.size().rename("runs").reset_index()
    for name, column in {**_totals(runs), **_figures(common)}.items():
        table[name] = column.reindex(table.index)
    others = [name for name in SEARCHES.axes[1:] if name not in group_by]
    return Aggregates(
        table[[*group_by, *COLUMNS]].astype(COLUMNS),
        solved_by_all=common["case"].nunique(),
        of_boards=not any(results[name].nunique(dropna=False) > 1 for name in others),
        lacks_limit=bool(table["par2"].isna().any()),
    )


def _runs(results: pd.DataFrame, group: pd.Series[int], case: pd.Series[int]) -> pd.DataFrame:
    """Return what aggregates are made of, a row a run."""
    import numpy as np
    import pandas as pd

    solved = results["status"] == "solved"
    logs = {f"log_{name}": np.log(results[name].clip(lower=least)) for name, least in SMALLEST.items()}
    penalized = results["seconds"].where(solved, 2 * results["limit_seconds"])
    cost = results["cost"].astype("float64")
    return pd.DataFrame({"group": group, "case": case, "solved": solved, "cost": cost, "penalized": penalized, **logs})


def _common(runs: pd.DataFrame) -> pd.DataFrame:
    """Return the means of the runs by group and case, of the cases that all groups solved."""
    means = {name: (name, "mean") for name in ("cost", "log_expanded", "log_seconds")}
    by_case = runs.groupby(["group", "case"], as_index=False).agg(solved=("solved", "all"), **means)
    solved_by = by_case[by_case["solved"]].groupby("case")["group"].nunique()
    in_all = solved_by.index[solved_by == runs["group"].nunique()]
    return by_case[by_case["case"].isin(in_all)]


def _totals(runs: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Return what all runs of each group come to."""
    groups = runs.groupby("group")
    return {
        "solved": groups["solved"].sum(),
        "coverage": 100 * groups["solved"].mean(),
        "par2": groups["penalized"].mean().mask(groups["penalized"].count() < groups.size()),
    }


def _figures(common: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Return the figures of each group over the cases all groups solved."""
    import numpy as np

    groups = common.groupby("group")
    figures = {"cost": groups["cost"].sum()}
    for name in SMALLEST:
        logs = groups[f"log_{name}"]
        figures[name], figures[f"{name}_median"] = np.exp(logs.mean()), np.exp(logs.median())
    return figures
