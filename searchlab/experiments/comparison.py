"""The comparison of two configurations or players, in pairs of runs on the same instance.

Two runs are a pair if they agree in everything the experiment varies by intention (board, domain, seed, repetition,
limits …) but in what the configurations say. Figures are compared where both runs of a pair solved their board; of
games, which are paired by their seeds, wherever they are known. Pairs of one board and seed are not independent of each
other: intervals and tests count them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.aggregates import instance_ids, sample_ids, sample_means
from searchlab.experiments.filters import in_order, run_filter
from searchlab.experiments.runs import GAMES, SEARCHES, run_kind_of
from searchlab.experiments.statistics import FEWEST_RATIOS, Verdict, ratio_interval, sign_test, wilcoxon_test

if TYPE_CHECKING:
    import pandas as pd

    from searchlab.experiments.filters import RunFilter
    from searchlab.experiments.runs import RunKind

MEASURES = {
    SEARCHES: {"expanded": 1.0, "seconds": 1e-6, "cost": 1e-6},
    GAMES: {"score": 1.0, "moves": 1.0, "seconds": 1e-6},
}
"""The columns that are compared, by kind of runs; smaller values count as these in ratios."""
FURTHER = {SEARCHES: ("engine", "batch"), GAMES: ()}
"""Columns besides the axes in which two runs of one configuration on one instance may differ, by kind of runs."""
SIDES = ("a", "b")


@dataclass(frozen=True)
class Measure:
    """A figure of two configurations, over the instances that both solved or over all pairs of games.

    Attributes:
        name: of its column.
        pairs: the number of pairs.
        independent: the number of independent pairs: those of one board and seed count once.
        sums: of the figure, for A and for B.
        smaller: the number of pairs in which it is smaller with A, and with B; in the others it is equal.
        ratio: the geometric mean of A's figure divided by B's, over the independent pairs; None without pairs.
        interval: its 95 % confidence interval, by Student's t on the logarithms; None for fewer than 5 independent
            pairs, and where all ratios are the same.
        sign: the sign test of the independent pairs: in which direction most of each differ.
        wilcoxon: the signed-rank test of the mean logarithms of their ratios.
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
        """Why there is no interval, '' if there is one."""
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
        table: a row a pair: the axes in which instances differ, `status` and the figures compared of both runs with
            `_a` and `_b` behind their names, and of searches `solved_by`, which is `both`, `a`, `b` or `neither`.
        unpaired: the number of runs of A, and of B, without a counterpart.
        coverage: the sign test of the instances that only one solved; None of games.
        measures: the figures compared.
    """

    a: str
    b: str
    table: pd.DataFrame
    unpaired: tuple[int, int]
    coverage: Verdict | None
    measures: tuple[Measure, ...]

    def solved_by(self, who: str) -> int:
        """Return the number of instances that were solved by `both`, by `a` or `b` alone, or by `neither`."""
        return int((self.table["solved_by"] == who).sum())


def compare(results: pd.DataFrame, a: str, b: str) -> Comparison:
    """Compare two configurations.

    Args:
        results: as `load_results` returns them.
        a, b: run filters, see `searchlab.experiments.filters`.

    Raises:
        UsageError: one of them matches no runs or has several meanings, or no runs can be paired.
    """
    sides = [run_filter(text, results) for text in (a, b)]
    compared = {column for side in sides for column in side.values}
    instance = instance_ids(results, compared)
    runs = [side.runs(results) for side in sides]
    if runs[0].index.equals(runs[1].index):
        raise UsageError(f"{a!r} and {b!r} are the same runs; name two configurations")
    indexed = [_by_instance(side, of_side, instance) for side, of_side in zip(sides, runs, strict=True)]
    kind = run_kind_of(results)
    table = _paired(indexed, [name for name in kind.axes[1:] if name not in compared], kind)
    if table.empty:
        raise UsageError(_nothing_paired(sides, runs, compared))
    sample = table.pop("sample")
    if kind is SEARCHES:
        both = table[table["solved_by"] == "both"]
    else:
        both = table[table["score_a"].notna() & table["score_b"].notna()]
    return Comparison(
        sides[0].name,
        sides[1].name,
        table,
        unpaired=(len(runs[0]) - len(table), len(runs[1]) - len(table)),
        coverage=_coverage(table["solved_by"], sample) if kind is SEARCHES else None,
        measures=tuple(_measure(name, least, both, sample[both.index]) for name, least in MEASURES[kind].items()),
    )


def _by_instance(side: RunFilter, runs: pd.DataFrame, instance: pd.Series[int]) -> pd.DataFrame:
    """Return the runs of a configuration by instance.

    Raises:
        UsageError: there are several runs on one instance.
    """
    of_run = instance[runs.index]
    again = of_run.duplicated(keep=False)
    if again.any():
        same = runs[of_run == of_run[again].iloc[0]]
        kind = run_kind_of(runs)
        may_differ = (*kind.axes, *FURTHER[kind], "plugins", "versions", "attempt")
        differing = {name: same[name].dropna().astype(str).unique() for name in may_differ}
        listed = "; ".join(f"{name} {', '.join(found)}" for name, found in differing.items() if len(found) > 1)
        board = same["board_name"].iloc[0]
        where = f" on {board}" if isinstance(board, str) else ""
        raise UsageError(
            f"{side.name!r} stands for several runs{where} ({listed}); say which, with column=value,… or --where"
        )
    return runs.set_index(of_run.rename("instance"))


def _paired(sides: list[pd.DataFrame], axes: list[str], kind: RunKind) -> pd.DataFrame:
    """Return a row for each instance that both have, in the order of the boards."""
    import numpy as np

    common = sides[0].index[sides[0].index.isin(sides[1].index)]
    first, second = (side.loc[common] for side in sides)
    table = first[["board_name", *(name for name in axes if first[name].nunique(dropna=False) > 1)]].copy()
    for name in ("status", *MEASURES[kind]):
        table[f"{name}_a"], table[f"{name}_b"] = first[name], second[name]
    if kind is SEARCHES:
        solved = [(side["status"] == "solved").to_numpy() for side in (first, second)]
        table["solved_by"] = np.select([solved[0] & solved[1], solved[0], solved[1]], ["both", *SIDES], "neither")
    table["sample"] = sample_ids(first)
    return in_order(table, list(table.columns[: table.columns.get_loc("status_a")])).reset_index(drop=True)


def _coverage(solved_by: pd.Series[str], sample: pd.Series[int]) -> Verdict:
    """Return the sign test of who solved more of the runs on each board."""
    signs = solved_by.map({"a": -1.0, "b": 1.0}).fillna(0.0)
    return sign_test(sample_means(signs, sample))


def _measure(name: str, least: float, both: pd.DataFrame, sample: pd.Series[int]) -> Measure:
    import numpy as np
    import pandas as pd

    a, b = (both[f"{name}_{side}"].to_numpy(dtype=float) for side in SIDES)
    logs = np.where(a == b, 0.0, np.log(np.maximum(a, least) / np.maximum(b, least)))
    ratios = sample_means(pd.Series(logs, both.index), sample)
    return Measure(
        name,
        pairs=len(both),
        independent=len(ratios),
        sums=(float(a.sum()), float(b.sum())),
        smaller=(int((a < b).sum()), int((b < a).sum())),
        ratio=float(np.exp(ratios.mean())) if len(ratios) else None,
        interval=ratio_interval(ratios),
        sign=sign_test(sample_means(pd.Series(np.sign(a - b), both.index), sample)),
        wilcoxon=wilcoxon_test(ratios),
    )


def _nothing_paired(sides: list[RunFilter], runs: list[pd.DataFrame], compared: set[str]) -> str:
    """Return why no run of one configuration has a counterpart among those of the other."""
    axes = [name for name in run_kind_of(runs[0]).axes if name not in compared]
    values = {name: [set(of_side[name].dropna().astype(str)) for of_side in runs] for name in axes}
    apart = [name for name, (first, second) in values.items() if first.isdisjoint(second) and first | second]
    why = f": they have no {' and no '.join(apart)} in common" if apart else ""
    return f"no run of {sides[0].name!r} can be paired with one of {sides[1].name!r}{why}"
