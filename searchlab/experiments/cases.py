"""Cases: what runs of different configurations have to have in common to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container

    import pandas as pd

AXES = (
    "board",
    "domain",
    "heuristic",
    "frontier",
    "seed",
    "repetition",
    "limit_seconds",
    "limit_memory",
    "limit_expansions",
)
"""The columns in which the runs of an experiment differ by intention."""


def cases(results: pd.DataFrame, compared: Container[str]) -> pd.Series[int]:
    """Return the number of each run's case: the same for runs that are alike on all axes but the compared ones.

    A board that could not be read counts by its name.
    """
    axes = [_boards(results) if name == "board" else results[name] for name in AXES if name not in compared]
    if not axes:
        return results["repetition"] * 0
    return results.groupby(axes, dropna=False, sort=False).ngroup()


def _boards(results: pd.DataFrame) -> pd.Series[str]:
    return results["board"].fillna(results["board_name"])
