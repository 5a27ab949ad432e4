"""Known optimal costs that runs contradict: of a set.toml, or of the files of instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    rows = table.loc[table["optimal_cost"].notna(), list(NEEDED)].drop_duplicates()
    rows = rows.assign(cost=rows["cost"].astype(object).where(rows["cost"].notna(), None))
    said: dict[str, str] = {}
    for name, status, cost, known, proved in rows.itertuples(index=False):
        paid = None if cost is None else float(cost)
        what = contradiction(str(status), paid, float(known), proved=proved is True)
        if what:
            said.setdefault(str(name), what)
    if not said:
        return []
    name, what = next(iter(said.items()))
    others = f", and so for {counted(len(said) - 1, 'other board')}" if len(said) > 1 else ""
    return [f"{name}: {what}, one of which is wrong{others}"]
