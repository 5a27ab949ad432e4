"""Known optimal costs that runs contradict: of a set.toml, or of the files of instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.experiments.cells import is_missing
from searchlab.model.costs import contradiction
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("board_name", "status", "cost", "optimal_cost", "optimal")


def contradicted_optima(table: pd.DataFrame) -> list[str]:
    """Return a line if runs contradict the known optima of their boards: about the first, and the number of others.

    Args:
        table: of runs.
    """
    if not set(NEEDED) <= set(table.columns):
        return []
    rows = table.loc[table["optimal_cost"].notna(), list(NEEDED)]
    number_of = rows.groupby(list(NEEDED[1:]), dropna=False, observed=True, sort=False).ngroup()
    different = ~number_of.duplicated()  # of many runs few differ in these
    texts: dict[int, str] = {}
    for number, (_, status, cost, known, proved) in zip(
        number_of[different], rows[different].itertuples(index=False), strict=True
    ):
        paid = None if is_missing(cost) else float(cost)
        texts[number] = contradiction(str(status), paid, float(known), proved=bool(proved))
    said: dict[str, str] = {}
    contradicting = number_of[number_of.isin([number for number, text in texts.items() if text])]
    for name, number in zip(rows["board_name"][contradicting.index], contradicting, strict=True):
        said.setdefault(str(name), texts[number])
    if not said:
        return []
    name, what = next(iter(said.items()))
    others = f", and so for {counted(len(said) - 1, 'other board')}" if len(said) > 1 else ""
    return [f"{name}: {what}, one of which is wrong{others}"]
