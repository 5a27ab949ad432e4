"""`searchlab results standings`: who earned how much in the games of an experiment, from its record."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, json_option
from searchlab.cli.selection import path_argument, where_option

if TYPE_CHECKING:
    import pandas as pd


@click.command(short_help="Show the standings of players, the best first.")
@path_argument
@where_option
@json_option("the standings")
@common_options
def standings(path: str, conditions: tuple[str, ...], json: bool) -> None:
    """Show the standings of an experiment of games, the best player first.

    Mean scores with their intervals, quantiles, the difference to the first over the games of the same seeds, how many
    games reached which tiles, moves and time. Of a game that was played again, by other code of a plugin or with other
    limits, the last counts.

    It may be run while the experiment goes on.
    """
    from searchlab.experiments.results import load_results
    from searchlab.experiments.selecting import parse_condition, where

    wanted = [parse_condition(text) for text in conditions]
    show_standings(where(load_results(path), wanted), json=json)


def show_standings(results: pd.DataFrame, *, json: bool, **others: Any) -> None:
    """Print the standings of games, as a page or as JSON.

    Args:
        results: as `load_results` returns them.
        others: what the JSON says besides.
    """
    from searchlab.cli.layout import page_width, shows_colour
    from searchlab.cli.standings_page import as_values, page
    from searchlab.experiments.standings import standings_of

    found = standings_of(results)
    if json:
        put(as_json({**others, **as_values(found)}), end="")
        return
    for line in page(found, page_width(), colour=shows_colour(sys.stdout)):
        put(line)
