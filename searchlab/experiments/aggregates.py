"""Aggregates: the runs of each configuration or player, summed up and fairly compared.

Searches. Means over the instances that each configuration happened to solve would reward giving up on hard ones. So the
figures of a search are taken over the instances that *all* groups solved; groups that solved nothing are ignored. An
instance is a board together with every other column in which runs differ, except the grouped columns. Without such an
instance, each group has figures of its own, and a note says so. Runs without a solution cannot be compared this way;
they count in the coverage, in PAR2 and in the scores. Several runs of a group on one instance count as solved if all
are solved, and are then averaged: costs by the arithmetic mean, everything else by the geometric mean.

Games. Means are over boards and seeds, because repetitions of a game are the same game. `reached_N` covers at most five
of the largest tiles that games ended with, without the tile that every game reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.experiments.cells import MISSING
from searchlab.experiments.columns import Column, dtypes
from searchlab.experiments.filters import DISTINGUISHING, check_columns, differ_in_code
from searchlab.experiments.machine import different_machines
from searchlab.experiments.pivot import configuration_name
from searchlab.experiments.quantities import EFFORT_STATUSES, QUANTITIES, rounded_log
from searchlab.experiments.runs import GAMES, SEARCHES, run_kind_of
from searchlab.experiments.spread import have_spreads, spreads
from searchlab.experiments.statistics import FEWEST_SCORES, mean_interval, rate_interval
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

SEARCH_COLUMNS = (
    Column("runs", "int64", "the number of runs"),
    Column("solved", "int64", "how many of them found a solution"),
    Column("coverage", "float64", "the same in percent"),
    Column("expanded", "Float64", "geometric means over the cases that all groups solved"),
    Column("seconds", "Float64", "geometric means over the cases that all groups solved"),
    Column("expanded_median", "Float64", "medians over the same cases"),
    Column("seconds_median", "Float64", "medians over the same cases"),
    Column(
        "expanded_spread",
        "Float64",
        "standard deviations of these means over seeds, or repetitions where there is one seed",
    ),
    Column(
        "seconds_spread",
        "Float64",
        "standard deviations of these means over seeds, or repetitions where there is one seed",
    ),
    Column("cost", "Float64", "the sum of the solutions' costs over the same cases"),
    Column(
        "par2",
        "Float64",
        "mean seconds of all runs; a run without a solution counts as twice its time limit; missing if one of these "
        "has none",
    ),
    Column("decided", "float64", "the percentage of runs with a solution or a proof that there is none"),
    Column(
        "score_expanded",
        "Float64",
        "mean of log(v / limit) / log(1 / limit), v being the expansions: 1 for one expansion, 0 at the limit and "
        "without a solution; missing without a limit",
    ),
    Column("score_seconds", "Float64", "the same for seconds, with 1 for 0.01 s and less"),
    Column(
        "score_cost",
        "Float64",
        "mean of the least known cost of the board divided by that of the solution: 1 for a cheapest one, 0 without a "
        "solution",
    ),
)
"""The columns of search aggregates, after the grouped columns."""
OVER = ("common", "solved", "all")
"""The runs that means cover: instances solved by all groups, instances solved by each group itself, or all runs."""
SCORED = {"expanded": ("limit_expansions", 1.0), "seconds": ("limit_seconds", 0.01)}
"""The figures with a score: the column of the limit, at which it is 0, and the value at which it is 1."""
TIMES = {"seconds", "seconds_median", "seconds_spread", "par2", "score_seconds"}
"""The columns of search aggregates that depend on the speed of the machine."""
SMALLEST = {"expanded": 1.0, "seconds": 1e-6}
"""Smaller values count as these in geometric means: a start that is a goal expands nothing."""
SCORE_INTERVAL = "its 95 % interval: Student's t; missing for fewer than 8 games, or equal ones"
GAME_COLUMNS = (
    Column("games", "int64", "the number of games"),
    Column("score", "Float64", "their mean score"),
    Column("score_low", "Float64", SCORE_INTERVAL),
    Column("score_high", "Float64", SCORE_INTERVAL),
    Column("score_spread", "Float64", "the standard deviation of the score over seeds"),
    Column("score_median", "Float64", "the median and the largest"),
    Column("score_best", "Float64", "the median and the largest"),
    Column("moves", "Float64", "the mean number of moves"),
    Column("moves_per_second", "Float64", "all moves divided by all seconds"),
)
"""The columns of game aggregates, after the grouped columns and before the columns of tiles."""
FIGURES = [column.name for column in GAME_COLUMNS if column.name != "games"]
REACHED = "reached_"
MOST_TILES = 5
NO_INTERVAL = f"no interval from fewer than {FEWEST_SCORES} games of different seeds, nor where all scores are alike"
MIXED_CODE = "some runs differ only in the code of their plugins (column plugins), and are counted together"
NEEDED = frozenset(
    (
        *(*SEARCHES.axes, *GAMES.axes, *DISTINGUISHING),
        *("plugins", "host", "machine", "status", "seconds", "expanded", "cost", "optimal_cost"),
        *("score", "largest_tile", "moves"),
    )
)
"""The columns of runs that aggregates are computed from, besides the grouped ones."""
TO_THE_END = ("goal", "dead")
"""The statuses of games that were played to their end."""


@dataclass(frozen=True)
class SearchAggregates:
    """The searches of an experiment, summed up by group.

    Attributes:
        table: one row per group: the grouped columns, then `SEARCH_COLUMNS`.
        solved_by_all: the number of instances that all groups solved.
        of_boards: whether an instance is a board and nothing else.
        lacks_limit: whether a group has no PAR2 because a run without a solution had no time limit.
        over: the runs that means cover, one of `OVER`.
        solved_nothing: the names of the groups that solved no instance, which `solved_by_all` ignores.
        uninformed: the number of groups of runs without a heuristic, which `solved_by_all` ignores: their frontiers
            differ from those of the other groups.
        falls_back: whether means cover the instances solved by each group itself, because none was solved by all.
        domains: the number of domains of the runs.
        mixes_code: whether some runs differ only in the code of their plugins.
        machines: a line if times come from different machines, else empty.
    """

    table: pd.DataFrame
    solved_by_all: int
    of_boards: bool
    lacks_limit: bool
    over: str = "common"
    solved_nothing: tuple[str, ...] = ()
    uninformed: int = 0
    falls_back: bool = False
    domains: int = 1
    mixes_code: bool = False
    machines: tuple[str, ...] = ()

    def shown_columns(self) -> list[str]:
        """Return the names of the columns to show: those that add information to the others."""
        table = self.table
        silent = [name for name in ("score_expanded", "score_seconds") if table[name].isna().all()]
        silent += ["decided"] if table["decided"].equals(table["coverage"]) else []
        silent += [name for name in ("expanded_spread", "seconds_spread") if table[name].isna().all()]
        silent += ["score_cost"] if ((100 * table["score_cost"] - table["coverage"]).abs() < 1e-9).all() else []
        return [str(name) for name in table.columns if name not in silent]

    def notes(self, columns: Collection[str] | None = None) -> list[str]:
        """Return the notes below the table, one line each.

        Args:
            columns: the columns that are shown; by default all.
        """
        what = "board" if self.of_boards else "case"
        shown = set(self.table.columns if columns is None else columns)
        lines = [self._over(what, " and medians" if shown & {"expanded_median", "seconds_median"} else "")]
        if self.solved_nothing and (self.falls_back or (self.over == "common" and self.solved_by_all)):
            lines.append(f"not counted there because they solved nothing: {', '.join(self.solved_nothing)}")
        if self.domains > 1 and not self.solved_by_all and (self.falls_back or self.over == "common"):
            lines.append("domains share no board: compare groups within a domain, with --where domain=NAME")
        if self.uninformed and self.over == "common":
            lines.append(f"{MISSING} in heuristic: runs whose frontier uses none; not compared with the others")
        if self.table[sorted(shown & {"expanded_spread", "seconds_spread"})].notna().any(axis=None):
            lines.append("…_spread: standard deviation of the mean over seeds, or repetitions where there is one seed")
        if not self.of_boards:
            lines.append(f"a case is what runs have in common besides {', '.join(self.grouped_by)}")
        if self.table[sorted(shown & {"score_expanded", "score_seconds"})].notna().any(axis=None):
            lines.append("score_…: 1 is best; 0 at the limit and without a solution")
        elif "score_cost" in shown:
            lines.append("score_cost: the least known cost ÷ the cost; 0 without a solution")
        if self.lacks_limit and "par2" in shown:
            lines.append("par2 cannot be computed where a run without a solution had no time limit")
        lines += self.machines if shown & TIMES else ()
        return [*lines, MIXED_CODE] if self.mixes_code else lines

    def _over(self, what: str, medians: str) -> str:
        """Return a note on the runs that the means cover, and the medians if they are shown."""
        number, solving = self.solved_by_all, len(self.table) - len(self.solved_nothing) - self.uninformed
        who = {1: "the only group", 2: "both groups"}.get(len(self.table), f"all {len(self.table):,} groups")
        if self.solved_nothing or self.uninformed:
            who = {1: "the only other group", 2: "both other groups"}.get(solving, f"all {solving:,} other groups")
        means = f"expanded, seconds: geometric means{medians}; cost: the sum"
        if len(self.table) and not solving and self.over != "all":
            return "nothing was solved, so there are no means of expanded, seconds and cost"
        if self.over == "all":
            return f"{means}; over all runs: those without a solution have what they did until they ended, and no cost"
        own = f"over the {what}s that each group solved itself: do not compare these means between groups"
        if self.falls_back:
            return f"no {what} was solved by {who}; {means}; {own}"
        if self.over == "solved":
            return f"{means}; {own}"
        if not number:
            return f"no {what} was solved by {who}, so there are no means of expanded, seconds and cost"
        return f"{means}; over the {counted(number, what)} that {who} solved"

    @property
    def grouped_by(self) -> list[str]:
        """The columns that were grouped by."""
        return [str(name) for name in self.table.columns if name not in dtypes(SEARCH_COLUMNS)]


@dataclass(frozen=True)
class GameAggregates:
    """The games of an experiment, summed up by group.

    Attributes:
        table: one row per group: the grouped columns, then `GAME_COLUMNS` and the columns of tiles.
        cut_short: the number of games that were not played to their end; they count with the score they had.
        unknown: the number of games without a score, which only the first column counts.
        mixes_code: whether some of the games differ only in the code of their plugins.
        machines: a line if times come from different machines, else empty.
    """

    table: pd.DataFrame
    cut_short: int
    unknown: int
    mixes_code: bool = False
    machines: tuple[str, ...] = ()

    def shown_columns(self) -> list[str]:
        """Return the names of the columns that are shown: all but the intervals of rates."""
        silent = ["score_spread"] if self.table["score_spread"].isna().all() else []
        names = [str(name) for name in self.table.columns if name not in silent]
        return [name for name in names if not name.startswith(REACHED) or name.removeprefix(REACHED).isdecimal()]

    def notes(self, columns: Collection[str] | None = None) -> list[str]:
        """Return the notes below the table, one line each.

        Args:
            columns: the columns that are shown; by default all.
        """
        shown = self.table.columns if columns is None else columns
        parts = (
            [f"{', '.join(means)}: {'means' if len(means) > 1 else 'mean'}"]
            if (means := [name for name in ("score", "moves") if name in shown])
            else []
        )
        if "score_spread" in shown and self.table["score_spread"].notna().any():
            parts.append("score_spread: standard deviation over seeds")
        if "score_low" in shown:
            parts.append("score_low … score_high: 95 % interval")
        if any(str(name).startswith(REACHED) for name in shown):
            parts.append("reached_N: percent of games with a tile of N or more")
        lines = ["; ".join(parts)] if parts else []
        if self.cut_short:
            lines.append(f"not played to their end: {self.cut_short:,}, which count with the score they had")
        has_interval = columns is None or "score_low" in columns
        if has_interval and (self.table["score"].notna() & self.table["score_low"].isna()).any():
            lines.append(NO_INTERVAL)
        if self.unknown:
            lines.append(f"without a score, and left out: {self.unknown:,}")
        lines += self.machines if "moves_per_second" in shown else ()
        return [*lines, MIXED_CODE] if self.mixes_code else lines


def aggregate(
    results: pd.DataFrame, group_by: Sequence[str], over: str | None = None
) -> SearchAggregates | GameAggregates:
    """Sum up runs by the values of some columns; the rows are in the order of these values.

    Args:
        results: as `load_results` returns them.
        group_by: names of columns, usually heuristic and frontier, or player.
        over: the runs that means of searches cover: "common" (instances that all groups solved), "solved" (instances
            that each group itself solved) or "all" (all runs). The default is "common", or "solved" if there is no
            common instance.

    Raises:
        UsageError: a column is unknown or is itself a figure, or `over` is given for games.
    """
    if run_kind_of(results) is not GAMES:
        return aggregate_searches(results, group_by, over)
    if over is not None:
        raise UsageError("over is for searches; means of games include all games")
    return aggregate_games(results, group_by)


def _check_groups(group_by: Sequence[str], results: pd.DataFrame, figures: Container[str], run: str, axis: str) -> None:
    """Raise a UsageError if a grouped column is missing or is itself a figure."""
    check_columns(group_by, results)
    for name in group_by:
        if name in figures:
            raise UsageError(f"{name!r} is a result of {run}, which cannot be grouped by; use {axis}, for example")


def aggregate_searches(results: pd.DataFrame, group_by: Sequence[str], over: str | None = None) -> SearchAggregates:
    """Sum up searches by the values of some columns; see `aggregate`."""
    if over not in (None, *OVER):
        raise UsageError(f"means are over {', '.join(OVER[:-1])} or {OVER[-1]}, not {over!r}")
    types = dtypes(SEARCH_COLUMNS)
    _check_groups(group_by, results, types, "a run", "heuristic")
    groups = results.groupby(list(group_by), dropna=False, observed=True, sort=True)
    table, group = groups.size().rename("runs").reset_index(), groups.ngroup().astype("int32")
    del groups  # it holds as much as two columns
    compared = [*group_by, *(["seed"] if differ_in_having_seeds(results, group_by) else [])]
    runs = _runs(results, group, instance_ids(results, compared).astype("int32"))
    by_instance = _by_instance(runs)
    alone = "heuristic" in group_by and "frontier" not in group_by and results["heuristic"].isna().any()
    uninformed = set(group[results["heuristic"].isna()]) if alone and results["heuristic"].notna().any() else ()
    common = _common(by_instance[~by_instance["group"].isin(uninformed)] if uninformed else by_instance)
    falls_back = over is None and common.empty
    chosen = "solved" if falls_back else over or "common"
    counted = {"common": common, "solved": by_instance[by_instance["solved"]], "all": by_instance}[chosen]
    solving = set(by_instance.loc[by_instance["solved"], "group"])
    means = {**_means(counted), **_spreads(results, runs, counted)}
    del runs, by_instance
    for name, column in {**_totals(results, group), **means}.items():
        table[name] = column.reindex(table.index)
    others = [name for name in SEARCHES.axes[1:] if name not in compared]
    return SearchAggregates(
        table[[*group_by, *types]].astype(types),
        solved_by_all=common["instance"].nunique(),
        of_boards=not any(results[name].nunique(dropna=False) > 1 for name in others),
        lacks_limit=bool(table["par2"].isna().any()),
        over=chosen,
        solved_nothing=tuple(
            configuration_name(group_by, tuple(key))
            for number, key in enumerate(table[list(group_by)].itertuples(index=False, name=None))
            if number not in {*solving, *uninformed}
        ),
        uninformed=len(uninformed),
        falls_back=falls_back and bool(solving),
        domains=results["domain"].nunique(),
        mixes_code=differ_in_code(results),
        machines=tuple(different_machines(results)),
    )


def _runs(results: pd.DataFrame, group: pd.Series[int], instance: pd.Series[int]) -> pd.DataFrame:
    """Return the figures that means are computed from, a row a run."""
    import numpy as np
    import pandas as pd

    solved = results["status"] == "solved"
    logs = {f"log_{name}": np.log(results[name].clip(lower=least)) for name, least in SMALLEST.items()}
    cost = results["cost"].astype("float64").where(solved)
    return pd.DataFrame({"group": group, "instance": instance, "solved": solved, "cost": cost, **logs}, copy=False)


def _scores(results: pd.DataFrame, name: str, solved: pd.Series[bool]) -> pd.Series[float]:
    """Return the score of each run: the logarithm's place between the limit and the best value, as Downward Lab's."""
    import numpy as np
    import pandas as pd

    limit, best = SCORED[name]
    upper = results[limit].astype("float64")
    values = results[name].astype("float64").clip(lower=best)
    wide = upper > best
    scores = pd.Series(np.log(values / upper) / np.log(best / upper.where(wide)), index=values.index).clip(0, 1)
    within = (values <= best).astype("float64")  # where the limit leaves no room between the two
    return scores.where(wide, within).where(solved, 0.0).where(upper.notna())


def _cost_scores(results: pd.DataFrame, cost: pd.Series[float]) -> pd.Series[float]:
    """Return, for each run, the lowest known cost for its board divided by the run's cost; 0 without a solution."""
    import pandas as pd

    board = [results[name] for name in ("domain", "board_name", "board")]
    least = pd.concat([cost, results["optimal_cost"].astype("float64")], axis="columns").min(axis="columns")
    ratio = (least.groupby(board, dropna=False, observed=True, sort=False).transform("min") / cost).where(cost > 0, 1.0)
    return ratio.clip(upper=1.0).where(cost.notna(), 0.0)


def _by_instance(runs: pd.DataFrame) -> pd.DataFrame:
    means = {name: (name, "mean") for name in ("cost", "log_expanded", "log_seconds")}
    return runs.groupby(["group", "instance"], as_index=False).agg(solved=("solved", "all"), **means)


def _common(by_instance: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the instances that were solved by every group that solved any, for these groups only."""
    solved = by_instance[by_instance["solved"]]
    solved_by = solved.groupby("instance")["group"].nunique()
    return solved[solved["instance"].isin(solved_by.index[solved_by == solved["group"].nunique()])]


def _totals(results: pd.DataFrame, group: pd.Series[int]) -> dict[str, pd.Series[Any]]:
    """Return the figures of each group over all its runs."""
    solved, decided = results["status"] == "solved", results["status"].isin(EFFORT_STATUSES)
    cost = results["cost"].astype("float64").where(solved)
    return {
        "solved": solved.groupby(group).sum(),
        "coverage": 100 * solved.groupby(group).mean(),
        "decided": 100 * decided.groupby(group).mean(),
        "par2": _mean_of_all(results["seconds"].where(solved, 2 * results["limit_seconds"]), group),
        **{f"score_{name}": _mean_of_all(_scores(results, name, solved), group) for name in SCORED},
        "score_cost": _mean_of_all(_cost_scores(results, cost), group),
    }


def _mean_of_all(values: pd.Series[float], group: pd.Series[int]) -> pd.Series[float]:
    """Return the mean of each group; missing if a run of the group has no value."""
    of_group = values.groupby(group)
    return of_group.mean().mask(of_group.count() < of_group.size())


def _means(common: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Return the figures of each group over some instances."""
    import numpy as np

    groups = common.groupby("group")
    figures = {"cost": groups["cost"].sum(min_count=1)}
    for name in SMALLEST:
        values = np.exp(common[f"log_{name}"])
        for figure, mean in (
            (name, np.exp(groups[f"log_{name}"].mean())),
            (f"{name}_median", values.groupby(common["group"]).median()),
        ):
            figures[figure] = mean.map(rounded_log)  # another processor's exp has another last digit
    return figures


def _spreads(results: pd.DataFrame, runs: pd.DataFrame, counted: pd.DataFrame) -> dict[str, pd.Series[float]]:
    """Return the spreads of the means of each group over seeds and repetitions.

    Args:
        results: as `load_results` returns them.
        runs: what `_runs` returns for them.
        counted: the groups and instances that means are over.
    """
    import numpy as np
    import pandas as pd

    names = {name: f"{name}_spread" for name in SMALLEST}
    if not have_spreads(results):
        return {column: pd.Series(dtype="float64") for column in names.values()}
    instances = int(runs["instance"].max()) + 1
    of_runs, of_counted = (each["group"].astype("int64") * instances + each["instance"] for each in (runs, counted))
    chosen = of_runs.isin(of_counted)
    del of_runs, of_counted
    group = runs["group"][chosen]
    return {
        column: spreads(results, group, np.exp(runs[f"log_{name}"][chosen]), QUANTITIES[name])
        for name, column in names.items()
    }


def aggregate_games(
    results: pd.DataFrame, group_by: Sequence[str], tiles: Sequence[int] | None = None
) -> GameAggregates:
    """Sum up games by the values of some columns; see `aggregate`.

    Args:
        results: games, as `load_results` returns them.
        group_by: names of columns.
        tiles: the numbers N of the columns `reached_N`; by default the tiles that distinguish the games.
    """
    import pandas as pd

    types = dtypes(GAME_COLUMNS)
    _check_groups(group_by, results, types, "a game", "player")
    tiles = _tiles(results) if tiles is None else tiles
    groups = results.groupby(list(group_by), dropna=False, observed=True, sort=True)
    table = groups.size().rename("games").reset_index()
    names = [*FIGURES, *(name for tile in tiles for name in _tile_columns(tile))]
    sample = sample_ids(results)
    figures = [_figures(games, sample[games.index], tiles) for _, games in groups]
    types = {**types, **dict.fromkeys(names, "Float64")}
    further = pd.DataFrame(figures, index=table.index, columns=names)
    further["score_spread"] = _score_spreads(results, groups.ngroup()).reindex(table.index)
    table = pd.concat([table, further], axis="columns")[[*group_by, *types]]
    return GameAggregates(
        table.astype(types),
        cut_short=int((~results["status"].isin(TO_THE_END) & results["score"].notna()).sum()),
        unknown=int(results["score"].isna().sum()),
        mixes_code=differ_in_code(results),
        machines=tuple(different_machines(results)),
    )


def _score_spreads(results: pd.DataFrame, group: pd.Series[int]) -> pd.Series[float]:
    """Return the spread of the mean score of each group over seeds and repetitions."""
    import pandas as pd

    if not have_spreads(results):
        return pd.Series(dtype="float64")
    known = results["score"].dropna()
    return spreads(results, group[known.index], known, QUANTITIES["score"])


def _tiles(results: pd.DataFrame) -> list[int]:
    """Return the largest tiles that distinguish the games, in ascending order."""
    return sorted(results["largest_tile"].dropna().unique().tolist())[1:][-MOST_TILES:]


def _figures(games: pd.DataFrame, sample: pd.Series[int], tiles: Sequence[int]) -> dict[str, float | None]:
    """Return the cells of a group of games, but for the number of games.

    Args:
        sample: of each game, as `sample_ids` returns it.
    """
    known = games[games["score"].notna()]
    if known.empty:
        return dict.fromkeys([*FIGURES, *(name for tile in tiles for name in _tile_columns(tile))])
    scores = sample_means(known["score"], sample)
    interval = mean_interval(scores, FEWEST_SCORES) or (None, None)
    seconds = known["seconds"].sum()
    figures = (scores.mean(), *interval, None, known["score"].median(), known["score"].max(), known["moves"].mean())
    found = dict(zip(FIGURES, (*figures, known["moves"].sum() / seconds if seconds else None), strict=True))
    for tile in tiles:
        reached = sample_means((known["largest_tile"] >= tile).fillna(value=False), sample)
        rates = (reached.mean(), *rate_interval(reached.sum(), len(reached)))
        found.update(zip(_tile_columns(tile), (100 * rate for rate in rates), strict=True))
    return found


def _tile_columns(tile: int) -> tuple[str, str, str]:
    return f"{REACHED}{tile}", f"{REACHED}{tile}_low", f"{REACHED}{tile}_high"


def instance_ids(results: pd.DataFrame, compared: Container[str]) -> pd.Series[int]:
    """Return a number for each run; runs that agree on all axes except the compared ones share it.

    Boards that could not be read are compared by name.
    """
    wanted = [name for name in run_kind_of(results).axes if name not in compared]
    axes = [boards_of(results) if name == "board" else results[name] for name in wanted]
    if not axes:
        return results["repetition"] * 0
    return results.groupby(axes, dropna=False, observed=True, sort=False).ngroup()


def sample_ids(results: pd.DataFrame) -> pd.Series[int]:
    """Return a number for each run; runs with the same board and seed share it, because they form one sample.

    Such runs are not independent: repetitions of a game are the same game, and a board that is hard for one search, or
    with one goal, is hard for another.
    """
    return results.groupby([boards_of(results), results["seed"]], dropna=False, observed=True, sort=False).ngroup()


def sample_means(values: pd.Series[Any], sample: pd.Series[int]) -> NDArray[np.float64]:
    """Return the mean value of each sample, sorted so that sums are reproducible to the last digit.

    Args:
        values: the values of runs, in any order.
        sample: the numbers that `sample_ids` returns, with the same index or a larger one.
    """
    import numpy as np

    values = values.astype(float).sort_values()
    return np.asarray(values.groupby(sample[values.index].to_numpy()).mean().sort_values(), dtype=np.float64)


def boards_of(results: pd.DataFrame) -> pd.Series[str]:
    """Return the board of each run, or the board's name (if the table has it) for a board that could not be read."""
    boards = results["board"]
    if "board_name" not in results or boards.notna().all():
        return boards
    return boards.astype("string").fillna(results["board_name"].astype("string"))


def differ_in_having_seeds(results: pd.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether some configurations have seeds and others do not; seeds then do not distinguish cases.

    Args:
        columns: the columns in which configurations differ.
    """
    if not columns or "seed" not in results:
        return False
    has_seed = results["seed"].notna().groupby([results[name] for name in columns], dropna=False, observed=True).any()
    return bool(has_seed.nunique() > 1)
