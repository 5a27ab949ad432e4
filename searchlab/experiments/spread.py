"""Spreads: how much a mean over runs differs between seeds, or between repetitions where there is one seed.

The spread of a mean is the standard deviation of the means that each seed has by itself, over all boards. Differences
between boards do not count, nor do repetitions of a seed, which are averaged. Seeds that lack a board of the others are
left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.experiments.quantities import means_of, rounded_log
from searchlab.experiments.runs import run_kind_of

if TYPE_CHECKING:
    import pandas as pd

    from searchlab.experiments.quantities import Quantity

SEED, REPETITION = "seed", "repetition"


def have_spreads(results: pd.DataFrame) -> bool:
    """Return whether runs differ in their seeds or repetitions."""
    return any(name in results and results[name].nunique(dropna=False) > 1 for name in (SEED, REPETITION))


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
    one = pd.Series(0, index=results.index)
    case = results.groupby(names, dropna=False, observed=True, sort=False).ngroup() if names else one
    numbers = {
        name: pd.factorize(results[name], use_na_sentinel=False)[0] if name in results else one
        for name in (SEED, REPETITION)
    }
    runs = pd.DataFrame({"case": case, **numbers}, index=results.index).loc[group.index]
    runs = runs.assign(group=group, value=values.astype(float))
    has_seeds = runs.groupby("group")[SEED].transform("nunique") > 1
    runs["replica"] = runs[SEED].where(has_seeds, runs[REPETITION])
    is_geometric = what.aggregate == "geometric mean"
    runs["log"] = np.log(runs["value"].clip(lower=what.smallest)) if is_geometric else 0.0
    of_case = runs.groupby(["group", "replica", "case"], as_index=False)[["value", "log"]].mean()
    wanted = of_case["group"].map(of_case.groupby("group")["case"].nunique())
    complete = of_case[of_case.groupby(["group", "replica"])["case"].transform("size") == wanted]
    found = complete.groupby(["group", "replica"])
    if is_geometric:
        equal = found["value"].min()  # the mean of equal values is that value, even of zeros: see `means_of`
        means = equal.where(equal == found["value"].max(), np.exp(found["log"].mean()))
    else:
        means = found["value"].agg(lambda each: means_of(np.asarray(each, dtype=float)[None, :], what)[0])
    spread: pd.Series[float] = means.map(rounded_log).groupby("group").std(ddof=1).dropna()
    return spread.map(rounded_log)
