"""Aggregates of games: what the games of each player come to.

| column | what it holds |
| --- | --- |
| `games` | how many there are |
| `score` | their mean score |
| `score_low`, `score_high` | its 95 % interval: Student's t; missing for fewer than 8 games, or equal ones |
| `score_median`, `score_best` | the median and the largest |
| `moves` | the mean number of moves |
| `moves_per_second` | all moves by all seconds |
| `reached_N` | the percentage of games whose largest tile is N or more |
| `reached_N_low`, `reached_N_high` | its 95 % interval (Clopper and Pearson 1934) |

The N are the largest tiles games ended with, five at most, without the one that every game reached.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.experiments.cases import means_of_units, units
from searchlab.experiments.selecting import check_columns
from searchlab.experiments.statistics import FEWEST_SCORES, mean_interval, rate_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

COLUMNS = {
    "games": "int64",
    "score": "Float64",
    "score_low": "Float64",
    "score_high": "Float64",
    "score_median": "Float64",
    "score_best": "Float64",
    "moves": "Float64",
    "moves_per_second": "Float64",
}
"""The columns behind those that are grouped by, without those of tiles, with their types in pandas."""
REACHED = "reached_"
MOST_TILES = 5
NO_INTERVAL = f"no interval from fewer than {FEWEST_SCORES} games of different seeds, nor where all scores are alike"
TO_THE_END = ("goal", "dead")
"""How games end that were played to their end."""


@dataclass(frozen=True)
class GameAggregates:
    """The games of an experiment, summed up.

    Attributes:
        table: a row a group; first the columns grouped by, then those of this module.
        cut_short: how many games were not played to their end; they count with what they had come to.
        unknown: how many games of these have no score, and are left out of all columns but the first.
    """

    table: pd.DataFrame
    cut_short: int
    unknown: int

    def telling(self) -> list[str]:
        """Return the names of the columns that people see: all but the intervals of rates."""
        names = map(str, self.table.columns)
        return [name for name in names if not name.startswith(REACHED) or name.removeprefix(REACHED).isdecimal()]

    def notes(self) -> list[str]:
        """Return what has to be known to read the table, in whole lines."""
        lines = [
            "score, moves: means; score_low … score_high: 95 % interval; reached_N: percent of games with a tile of N "
            "or more, whose interval is reached_N_low … reached_N_high"
        ]
        if self.cut_short:
            lines.append(f"not played to their end: {self.cut_short:,}, which count with the score they had")
        if (self.table["score"].notna() & self.table["score_low"].isna()).any():
            lines.append(NO_INTERVAL)
        if self.unknown:
            lines.append(f"without a score, and left out: {self.unknown:,}")
        return lines


def aggregate(results: pd.DataFrame, group_by: Sequence[str], tiles: Sequence[int] | None = None) -> GameAggregates:
    """Return what the games of each group come to, in the order of what is grouped by.

    Args:
        results: as `load_results` returns them, of games.
        group_by: names of columns: mostly player.
        tiles: the N of `reached_N`, where others are wanted.

    Raises:
        UsageError: there is no such column, or it is one of the figures.
    """
    import pandas as pd

    check_columns(group_by, results)
    for name in group_by:
        if name in COLUMNS:
            raise UsageError(f"{name!r} is what a game came to, not what it can be grouped by; player for example can")
    tiles = _tiles(results) if tiles is None else tiles
    groups = results.groupby(list(group_by), dropna=False, observed=True, sort=True)
    table = groups.size().rename("games").reset_index()
    names = [*(name for name in COLUMNS if name != "games"), *(name for tile in tiles for name in _names(tile))]
    unit = units(results)
    figures = [_figures(games, unit[games.index], tiles) for _, games in groups]
    types = {**COLUMNS, **dict.fromkeys(names, "Float64")}
    further = pd.DataFrame(figures, index=table.index, columns=names)
    table = pd.concat([table, further], axis="columns")[[*group_by, *types]]
    return GameAggregates(
        table.astype(types),
        cut_short=int((~results["status"].isin(TO_THE_END) & results["score"].notna()).sum()),
        unknown=int(results["score"].isna().sum()),
    )


def _tiles(results: pd.DataFrame) -> list[int]:
    """Return the largest tiles that tell games apart, in order."""
    return sorted(results["largest_tile"].dropna().unique().tolist())[1:][-MOST_TILES:]


def _figures(games: pd.DataFrame, unit: pd.Series[int], tiles: Sequence[int]) -> dict[str, float | None]:
    """Return the columns of a group of games, all but their number.

    Args:
        unit: the number of the board and seed of each.
    """
    known = games[games["score"].notna()]
    names = [name for name in COLUMNS if name != "games"]
    if known.empty:
        return dict.fromkeys([*names, *(name for tile in tiles for name in _names(tile))])
    scores = means_of_units(known["score"], unit)
    interval = mean_interval(scores, FEWEST_SCORES) or (None, None)
    seconds = known["seconds"].sum()
    figures = (scores.mean(), *interval, known["score"].median(), known["score"].max(), known["moves"].mean())
    found = dict(zip(names, (*figures, known["moves"].sum() / seconds if seconds else None), strict=True))
    for tile in tiles:
        reached = means_of_units((known["largest_tile"] >= tile).fillna(value=False), unit)
        rates = (reached.mean(), *rate_interval(reached.sum(), len(reached)))
        found.update(zip(_names(tile), (100 * rate for rate in rates), strict=True))
    return found


def _names(tile: int) -> tuple[str, str, str]:
    """Return the names of the columns of a tile."""
    return f"{REACHED}{tile}", f"{REACHED}{tile}_low", f"{REACHED}{tile}_high"
