"""Comparing two configurations, case by case.

Runs are paired that agree in everything an experiment varies by intention (board, domain, seed, repetition, limits …)
but in what the configurations say. Figures are compared where both runs of a pair solved their board; of games, which
are paired by their seeds, wherever they are known. Pairs of one board and seed are not independent of each other:
intervals and tests count them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.cases import cases, means_of_units, units
from searchlab.experiments.configurations import configuration
from searchlab.experiments.kinds import GAMES, SEARCHES, kind_of
from searchlab.experiments.selecting import in_order
from searchlab.experiments.statistics import FEWEST_RATIOS, Verdict, ratio_interval, sign_test, wilcoxon_test

if TYPE_CHECKING:
    import pandas as pd

    from searchlab.experiments.configurations import Configuration
    from searchlab.experiments.kinds import Kind

MEASURES = {
    SEARCHES: {"expanded": 1.0, "seconds": 1e-6, "cost": 1e-6},
    GAMES: {"score": 1.0, "moves": 1.0, "seconds": 1e-6},
}
"""What is compared of a kind of runs, and what smaller values count as in ratios."""
FURTHER = {SEARCHES: ("engine", "batch"), GAMES: ()}
"""What may tell runs of one configuration on one board apart besides the axes and what they were done with."""
SIDES = ("a", "b")


@dataclass(frozen=True)
class Measure:
    """A figure of two configurations over the cases both solved, or all games.

    Attributes:
        name: of its column.
        pairs: how many cases these are.
        independent: how many of them are independent: those of one board and seed count once.
        sums: of the figure, of A and of B.
        smaller: in how many cases it is smaller with A, and with B; in the others it is the same.
        ratio: the geometric mean of A's figure divided by B's, over what is independent; None without cases.
        interval: its 95 % confidence interval, by Student's t on the logarithms; None of fewer than 5 independent
            pairs, and where all ratios are the same.
        sign: what the sign test says of the independent pairs: in which direction most of each differ.
        wilcoxon: what the signed-rank test says of their mean logarithms of the ratios.
    """

    name: str
    pairs: int
    independent: int
    sums: tuple[float, float]
    smaller: tuple[int, int]
    ratio: float | None
    interval: tuple[float, float] | None
    sign: Verdict
    wilcoxon: Verdict

    @property
    def interval_remark(self) -> str:
        """Why there is no interval, an empty string where there is one."""
        if self.interval:
            return ""
        if self.independent < FEWEST_RATIOS:
            return f"no interval from fewer than {FEWEST_RATIOS} different boards or seeds"
        return "no interval where all ratios are the same"


@dataclass(frozen=True)
class Comparison:
    """Two configurations, compared.

    Attributes:
        a, b: their names.
        table: a row a case: the axes in which cases differ, `status` and the figures compared of both with `_a` and
            `_b` behind their names, and of searches `solved_by`, which is `both`, `a`, `b` or `neither`.
        unpaired: how many runs of A, and of B, have no counterpart.
        coverage: what the sign test says of the cases that only one solved; None of games.
        measures: the figures compared.
    """

    a: str
    b: str
    table: pd.DataFrame
    unpaired: tuple[int, int]
    coverage: Verdict | None
    measures: tuple[Measure, ...]

    def solved_by(self, who: str) -> int:
        """Return how many cases were solved by `both`, by `a` or `b` alone, or by `neither`."""
        return int((self.table["solved_by"] == who).sum())


def compare(results: pd.DataFrame, a: str, b: str) -> Comparison:
    """Compare two configurations.

    Args:
        results: as `load_results` returns them.
        a, b: configurations, spelled as `searchlab.experiments.configurations` says.

    Raises:
        UsageError: one of them stands for nothing or for several things, or nothing can be paired.
    """
    sides = [configuration(text, results) for text in (a, b)]
    compared = {column for side in sides for column in side.values}
    case = cases(results, compared)
    runs = [side.runs(results) for side in sides]
    if runs[0].index.equals(runs[1].index):
        raise UsageError(f"{a!r} and {b!r} are the same runs; name two configurations")
    indexed = [_by_case(side, of_side, case) for side, of_side in zip(sides, runs, strict=True)]
    kind = kind_of(results)
    table = _paired(indexed, [name for name in kind.axes[1:] if name not in compared], kind)
    if table.empty:
        raise UsageError(_nothing_paired(sides, runs, compared))
    unit = table.pop("unit")
    if kind is SEARCHES:
        both = table[table["solved_by"] == "both"]
    else:
        both = table[table["score_a"].notna() & table["score_b"].notna()]
    return Comparison(
        sides[0].name,
        sides[1].name,
        table,
        unpaired=(len(runs[0]) - len(table), len(runs[1]) - len(table)),
        coverage=_coverage(table["solved_by"], unit) if kind is SEARCHES else None,
        measures=tuple(_measure(name, least, both, unit[both.index]) for name, least in MEASURES[kind].items()),
    )


def _by_case(side: Configuration, runs: pd.DataFrame, case: pd.Series[int]) -> pd.DataFrame:
    """Return the runs of a configuration by case.

    Raises:
        UsageError: there are several of one case.
    """
    of_case = case[runs.index]
    again = of_case.duplicated(keep=False)
    if again.any():
        same = runs[of_case == of_case[again].iloc[0]]
        kind = kind_of(runs)
        may_differ = (*kind.axes, *FURTHER[kind], "plugins", "versions", "attempt")
        differing = {name: same[name].dropna().astype(str).unique() for name in may_differ}
        listed = "; ".join(f"{name} {', '.join(found)}" for name, found in differing.items() if len(found) > 1)
        board = same["board_name"].iloc[0]
        where = f" on {board}" if isinstance(board, str) else ""
        raise UsageError(
            f"{side.name!r} stands for several runs{where} ({listed}); say which, with column=value,… or --where"
        )
    return runs.set_index(of_case.rename("case"))


def _paired(sides: list[pd.DataFrame], axes: list[str], kind: Kind) -> pd.DataFrame:
    """Return a row a case that both have, in the order of the boards."""
    import numpy as np

    common = sides[0].index[sides[0].index.isin(sides[1].index)]
    first, second = (side.loc[common] for side in sides)
    table = first[["board_name", *(name for name in axes if first[name].nunique(dropna=False) > 1)]].copy()
    for name in ("status", *MEASURES[kind]):
        table[f"{name}_a"], table[f"{name}_b"] = first[name], second[name]
    if kind is SEARCHES:
        solved = [(side["status"] == "solved").to_numpy() for side in (first, second)]
        table["solved_by"] = np.select([solved[0] & solved[1], solved[0], solved[1]], ["both", *SIDES], "neither")
    table["unit"] = units(first)
    return in_order(table, list(table.columns[: table.columns.get_loc("status_a")])).reset_index(drop=True)


def _coverage(solved_by: pd.Series[str], unit: pd.Series[int]) -> Verdict:
    """Return what the sign test says of who solved more of the runs on each board."""
    signs = solved_by.map({"a": -1.0, "b": 1.0}).fillna(0.0)
    return sign_test(means_of_units(signs, unit))


def _measure(name: str, least: float, both: pd.DataFrame, unit: pd.Series[int]) -> Measure:
    import numpy as np
    import pandas as pd

    a, b = (both[f"{name}_{side}"].to_numpy(dtype=float) for side in SIDES)
    logs = np.where(a == b, 0.0, np.log(np.maximum(a, least) / np.maximum(b, least)))
    of_each = means_of_units(pd.Series(logs, both.index), unit)
    return Measure(
        name,
        pairs=len(both),
        independent=len(of_each),
        sums=(float(a.sum()), float(b.sum())),
        smaller=(int((a < b).sum()), int((b < a).sum())),
        ratio=float(np.exp(of_each.mean())) if len(of_each) else None,
        interval=ratio_interval(of_each),
        sign=sign_test(means_of_units(pd.Series(np.sign(a - b), both.index), unit)),
        wilcoxon=wilcoxon_test(of_each),
    )


def _nothing_paired(sides: list[Configuration], runs: list[pd.DataFrame], compared: set[str]) -> str:
    """Return why no run of one configuration has a counterpart among those of the other."""
    axes = [name for name in kind_of(runs[0]).axes if name not in compared]
    values = {name: [set(of_side[name].dropna().astype(str)) for of_side in runs] for name in axes}
    apart = [name for name, (first, second) in values.items() if first.isdisjoint(second) and first | second]
    why = f": they have no {' and no '.join(apart)} in common" if apart else ""
    return f"no run of {sides[0].name!r} can be paired with one of {sides[1].name!r}{why}"
