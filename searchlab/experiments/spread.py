"""Spreads: the variation of a mean over runs between seeds, or between repetitions if there is only one seed.

The spread of a mean is the standard deviation of the means of single seeds, over all boards. Differences between boards
do not count, nor do repetitions of a seed, which are averaged. Seeds that lack a board of the others are omitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.experiments.quantities import means_of, rounded_log
from searchlab.experiments.runs import run_kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from searchlab.experiments.quantities import Quantity

SEED, REPETITION = "seed", "repetition"


def have_spreads(results: pd.DataFrame) -> bool:
    """Return whether runs differ in their seeds or repetitions."""
    return any(name in results and results[name].nunique(dropna=False) > 1 for name in (SEED, REPETITION))


def _numbered(results: pd.DataFrame, columns: Sequence[str], index: pd.Index[int]) -> pd.Series[int]:
    """Return a number for some runs, equal if the runs have equal cells in those of these columns that exist."""
    import pandas as pd

    listed = [name for name in columns if name in results]
    if not listed:
        return pd.Series(0, index, dtype="int32")
    return results.groupby(listed, dropna=False, observed=True, sort=False).ngroup().astype("int32").loc[index]


def spreads(results: pd.DataFrame, group: pd.Series[int], values: pd.Series[float], what: Quantity) -> pd.Series[float]:
    """Return the spread of the mean of each group that has one, by the group's number.

    Args:
        results: runs, as `load_results` returns them.
        group: the number of each run's group, for some or all of the runs.
        values: the figure of each of these runs, known.
        what: the quantity of the figure, which says how the mean is taken.
    """
    import numpy as np
    import pandas as pd

    names = [name for name in run_kind_of(results).axes if name in results and name not in (SEED, REPETITION)]
    case, seed, repetition = (_numbered(results, listed, group.index) for listed in (names, [SEED], [REPETITION]))
    seeds = pd.DataFrame({"group": group, "seed": seed}).drop_duplicates().groupby("group").size()
    replica = seed.where(group.map(seeds) > 1, repetition)
    del seed, repetition
    values = values.astype(float)
    is_geometric = what.aggregate == "geometric mean"
    log = np.log(values.clip(lower=what.smallest)) if is_geometric else 0.0
    runs = pd.DataFrame({"group": group, "replica": replica, "case": case, "value": values, "log": log}, copy=False)
    del case, replica, values, log
    of_case = runs.groupby(["group", "replica", "case"], as_index=False).mean()
    del runs
    wanted = of_case["group"].map(of_case.groupby("group")["case"].nunique())
    complete = of_case[of_case.groupby(["group", "replica"])["case"].transform("size") == wanted]
    found = complete.groupby(["group", "replica"])
    if is_geometric:
        equal = found["value"].min()  # the mean of equal values is that value, even of zeros: see `means_of`
        means = equal.where(equal == found["value"].max(), np.exp(found["log"].mean()))
    else:
        means = found["value"].agg(lambda each: means_of(np.asarray(each, dtype=float)[None, :], what)[0])
    rounded = np.fromiter(map(rounded_log, means.to_numpy()), np.float64, len(means))
    spread: pd.Series[float] = pd.Series(rounded, means.index).groupby("group").std(ddof=1).dropna()
    return spread.map(rounded_log)
