"""The two kinds of runs, searches and games: what is kept of each, and by what runs of a kind are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.experiments import columns as tables
from searchlab.experiments import game_columns as games
from searchlab.model.results import STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of runs.

    Attributes:
        name: what they are called.
        schema: the version of a store that holds them. Of a later version there is none.
        cells: the columns of what became of one, with their types in pandas.
        limit: the column of the limit that others do not have.
        statuses: how they end.
        named: the columns of what is compared; their values may stand alone.
    """

    name: str
    schema: int
    cells: Mapping[str, str]
    limit: str
    statuses: tuple[str, ...]
    named: tuple[str, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The columns in which the runs of an experiment differ by intention."""
        return "board", "domain", *self.named, "seed", "repetition", "limit_seconds", "limit_memory", self.limit


SEARCHES = Kind("searches", 1, tables.COLUMNS, "limit_expansions", STATUSES, ("heuristic", "frontier"))
GAMES = Kind("games", 2, games.COLUMNS, "limit_moves", games.STATUSES, ("player",))
KINDS = (SEARCHES, GAMES)


def kind_of(results: pd.DataFrame) -> Kind:
    """Return the kind of the runs of a table as `load_results` returns it."""
    return GAMES if "player" in results.columns else SEARCHES
