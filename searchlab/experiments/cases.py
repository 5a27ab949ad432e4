"""Cases: what runs of different configurations have to have in common to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.experiments.kinds import kind_of

if TYPE_CHECKING:
    from collections.abc import Container

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray


def cases(results: pd.DataFrame, compared: Container[str]) -> pd.Series[int]:
    """Return the number of each run's case: the same for runs that are alike on all axes but the compared ones.

    A board that could not be read counts by its name.
    """
    wanted = [name for name in kind_of(results).axes if name not in compared]
    axes = [_boards(results) if name == "board" else results[name] for name in wanted]
    if not axes:
        return results["repetition"] * 0
    return results.groupby(axes, dropna=False, sort=False).ngroup()


def units(results: pd.DataFrame) -> pd.Series[int]:
    """Return the number of what each run was measured on: its board and seed.

    Runs that share it are not independent of each other: repetitions of a game are the same game, and a board that is
    hard for one search, or with one goal, is hard for another.
    """
    return results.groupby([_boards(results), results["seed"]], dropna=False, sort=False).ngroup()


def means_of_units(values: pd.Series[Any], unit: pd.Series[int]) -> NDArray[np.float64]:
    """Return the mean of the values of each unit, in order, so that sums of them are the same to the last digit.

    Args:
        values: in whatever order the runs were done.
        unit: the numbers of `units`, with the same index or a larger one.
    """
    import numpy as np

    values = values.astype(float).sort_values()
    return np.asarray(values.groupby(unit[values.index].to_numpy()).mean().sort_values(), dtype=np.float64)


def _boards(results: pd.DataFrame) -> pd.Series[str]:
    return results["board"].fillna(results["board_name"])
