"""Standings: the players of an experiment of games, ranked by their scores.

Players are compared in pairs of games with the same seed and the same board. If a game was played again with other
plugin code or limits, the latest game counts.

`reached_N` covers the tiles from 2048 to the largest tile that a game reached, and the next tile. If no game reached
2048, it covers the last four tiles that were reached, and the next. Tiles that are not powers of two are chosen as for
`results --group-by`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.experiments import aggregates as of_groups
from searchlab.experiments.aggregates import (
    NO_INTERVAL,
    REACHED,
    SCORE_INTERVAL,
    GameAggregates,
    aggregate_games,
    instance_ids,
    sample_ids,
    sample_means,
)
from searchlab.experiments.columns import Column, dtypes
from searchlab.experiments.machine import different_machines
from searchlab.experiments.runs import GAMES, run_kind_of
from searchlab.experiments.statistics import FEWEST_SCORES, mean_interval
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pandas as pd

    from searchlab.experiments.summary import SummaryTable

GROUPS = ("domain", "player")
NEEDED = of_groups.NEEDED | {"finished"}
"""The columns of runs that standings are computed from."""
QUANTILES = {"score_5": 0.05, "score_25": 0.25, "score_75": 0.75, "score_95": 0.95}
"""The quantiles besides the median, by column."""
PAIRED = ("pairs", "difference", "difference_low", "difference_high")
SHOWN = (
    *("domain", "player", "games", "score", "score_low", "score_high", "score_spread", "score_median", "score_best"),
    *("difference", "difference_low", "difference_high", "moves", "moves_per_second"),
)
"""The columns that a summary shows, besides the rates of tiles."""
LIMITS = ("limit_seconds", "limit_memory", "limit_moves")
WHO = "the players of each domain, the best mean score first"
QUANTILE = "quantiles, interpolated between two games"
DIFFERENCE_INTERVAL = "its 95 % interval, likewise; those of a domain hold together"
COLUMNS = (
    Column("domain", "string", WHO),
    Column("player", "string", WHO),
    Column("games", "int64", "the number of games"),
    Column("score", "Float64", "the mean score"),
    Column("score_low", "Float64", SCORE_INTERVAL),
    Column("score_high", "Float64", SCORE_INTERVAL),
    Column("score_spread", "Float64", "the standard deviation of the score over seeds"),
    *(Column(name, "Float64", QUANTILE) for name in ("score_5", "score_25", "score_median", "score_75", "score_95")),
    Column("score_best", "Float64", "the largest"),
    Column("pairs", "Int64", "games compared with those of the first player of the domain; missing for the first"),
    Column(
        "difference", "Float64", "the mean difference from the first player's score in the same game; missing likewise"
    ),
    Column("difference_low", "Float64", DIFFERENCE_INTERVAL),
    Column("difference_high", "Float64", DIFFERENCE_INTERVAL),
    Column("moves", "Float64", "means over games"),
    Column("seconds", "Float64", "means over games"),
    Column("moves_per_second", "Float64", "all moves divided by all seconds"),
)
"""The columns, except the columns of tiles."""
FIRST_TILE = 2048
TILES_BELOW = 3
"""The number of tiles below the largest that have rates, if the largest is below the first tile."""


@dataclass(frozen=True)
class Standings:
    """A table of players, the best first, and the games from which it was computed.

    Attributes:
        table: a row per player and domain, with the columns of this module.
        games: the games that count.
        replaced: the number of omitted games, which were played again later.
        cut_short: the number of games that were not played to their end; they count with the score they had.
        unknown: the number of games without a score; they are in `games`, and in no other column.
    """

    table: pd.DataFrame
    games: pd.DataFrame
    replaced: int
    cut_short: int
    unknown: int

    @property
    def tiles(self) -> list[int]:
        """The tiles with a column of rates."""
        names = (str(name).removeprefix(REACHED) for name in self.table.columns if str(name).startswith(REACHED))
        return [int(name) for name in names if name.isdecimal()]

    def notes(self) -> list[str]:
        """Return remarks that explain the tables."""
        ended = ", ".join(f"{count:,} {status}" for status, count in self.statuses().items())
        notes = [
            f"{counted(len(self.games), 'game')}: {ended}",
            "95 % intervals: of scores by Student's t, of rates by Clopper and Pearson",
        ]
        table = self.table
        if table["difference_low"].notna().any():
            notes.append("the intervals of the differences are corrected for all pairs of players (Bonferroni)")
        if (table["score"].notna() & table["score_low"].isna()).any() or (
            table["difference"].notna() & table["difference_low"].isna()
        ).any():
            notes.append(NO_INTERVAL)
        if table["score_spread"].notna().any():
            notes.append("spread: the standard deviation of the score over seeds")
        if self.cut_short:
            notes.append(f"not played to their end: {self.cut_short:,}, which count with the score they had")
        if self.unknown:
            notes.append(f"without a score, and left out: {self.unknown:,}")
        if self.replaced:
            notes.append(f"played again later, and left out: {counted(self.replaced, 'game')}")
        return [*notes, *different_machines(self.games)]

    def statuses(self) -> dict[str, int]:
        """Return the counts of statuses."""
        counts = self.games["status"].value_counts()
        return {str(status): int(count) for status, count in counts.items() if count}


def standings(results: pd.DataFrame | str | Path) -> SummaryTable:
    """Return the standings of the players of an experiment, the best first: a row per player and domain.

    Args:
        results: games, as `sl.run` and `sl.load_results` return them, or some of these rows; or the folder of an
            experiment.

    Returns:
        a DataFrame with the columns of `searchlab.experiments.standings`.

    Raises:
        UsageError: the results are of searches.
    """
    from searchlab.experiments.summary import runs_of, summary

    found = standings_of(runs_of(results))
    names = [name for name in SHOWN if name != "domain" or found.table["domain"].nunique() > 1]
    names += [f"{REACHED}{tile}" for tile in found.tiles]
    return summary(found.table, names, found.notes())


def standings_of(results: pd.DataFrame) -> Standings:
    """Return the standings with the games they were computed from; for the arguments see `standings`."""
    if run_kind_of(results) is not GAMES:
        raise UsageError("searches have no standings: summarise them with results --group-by")
    instance = instance_ids(results, ("player", *LIMITS))
    games = _latest(results, instance)
    aggregates = aggregate_games(games, GROUPS, _tiles(games["largest_tile"]))
    table = _ranked(aggregates, games, instance)
    return Standings(table, games, len(results) - len(games), aggregates.cut_short, aggregates.unknown)


def _latest(results: pd.DataFrame, instance: pd.Series[int]) -> pd.DataFrame:
    """Return the latest game of each player on each instance, in the order of the records."""
    by_time = results["finished"].sort_values(kind="stable").index
    of_player = results[["player"]].assign(instance=instance).loc[by_time]
    return results[~of_player.duplicated(keep="last").reindex(results.index)]


def _tiles(largest: pd.Series[Any]) -> Sequence[int] | None:
    """Return the tiles with rates, or None for the default of `aggregate_games`."""
    found = {int(tile) for tile in largest.dropna()}
    if not found or any(tile < 1 or tile & (tile - 1) for tile in found):
        return None
    largest_of_all = max(found)
    first = FIRST_TILE if largest_of_all >= FIRST_TILE else max(1, largest_of_all >> TILES_BELOW)
    return [1 << power for power in range(first.bit_length() - 1, largest_of_all.bit_length() + 1)]


def _ranked(aggregates: GameAggregates, games: pd.DataFrame, instance: pd.Series[int]) -> pd.DataFrame:
    """Return the rows of the standings, the best first, with the figures that aggregates lack."""
    import pandas as pd

    sample = sample_ids(games).groupby(instance[games.index]).first()
    table = aggregates.table.sort_values(
        ["domain", "score"], ascending=[True, False], kind="stable", na_position="last", ignore_index=True
    )
    ranked = table["domain"][table["score"].notna()].value_counts()
    rows, first = [], None
    for domain, player in table[list(GROUPS)].itertuples(index=False):
        known = games[(games["domain"] == domain) & (games["player"] == player) & games["score"].notna()]
        scores = known["score"].astype(float).set_axis(instance[known.index])
        paired: Mapping[str, float | None] = {}
        if first is None or first[0] != domain:
            first = (domain, scores)
        else:
            paired = _compared(scores, first[1], sample, pairs_of_players(int(ranked.get(domain, 0))))
        quantiles = {name: scores.quantile(share) for name, share in QUANTILES.items()}
        rows.append({**dict.fromkeys(PAIRED), **quantiles, "seconds": known["seconds"].mean(), **paired})
    further = pd.DataFrame(rows, index=table.index, columns=[*PAIRED, *QUANTILES, "seconds"])
    table = pd.concat([table, further], axis="columns")
    types = {**dtypes(COLUMNS), **{str(name): "Float64" for name in table.columns if str(name).startswith(REACHED)}}
    return table[list(types)].astype(types)


def pairs_of_players(players: int) -> int:
    """Return the number of pairs among a number of players.

    The first of the standings may be the best by chance, so the intervals of the differences must hold for any two
    players. Corrected for the other players only (Holm), they would exclude 0 in 14 % of the tournaments of ten equal
    players, without any correction in 62 %.
    """
    return max(1, players * (players - 1) // 2)


def _compared(
    scores: pd.Series[float], of_first: pd.Series[float], sample: pd.Series[int], comparisons: int
) -> Mapping[str, float | None]:
    """Return the difference of a player's scores to those of the domain's first player, over common instances.

    Args:
        scores, of_first: scores by instance.
        sample: the sample of each instance, as `sample_ids` returns it.
        comparisons: the number of intervals that must hold together.
    """
    pairs = (scores - of_first).dropna()
    if pairs.empty:
        return {"pairs": 0}
    differences = sample_means(pairs, sample)
    interval = mean_interval(differences, FEWEST_SCORES, comparisons) or (None, None)
    return dict(zip(PAIRED, (len(pairs), differences.mean(), *interval), strict=True))
