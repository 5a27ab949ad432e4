"""`searchlab replay`: a game of an experiment, played again from its record."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.options import SECONDS, common_options, json_option, path_argument, renderer_option, where_option
from searchlab.cli.output import check_output, chosen_form, put, shows_colour
from searchlab.errors import UsageError
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    import pandas as pd

    from searchlab.cli.session import Session

DELAY = 0.05
"""Default of --delay in seconds."""


@click.command()
@path_argument
@click.option("--player", metavar="NAME", help="Who played; parameters may be left out where that leaves no doubt.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="The game's seed.")
@where_option
@click.option("--best", is_flag=True, help="Of several games the one with the largest score.")
@click.option("--worst", is_flag=True, help="Of several games the one with the smallest score.")
@click.option("--watch", is_flag=True, help="Show it move by move on the terminal.")
@click.option("--delay", type=SECONDS, help="Time between two moves that are watched; by default 0.05s.")
@json_option("the game")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board of the game.")
@click.option("--moves-only", is_flag=True, help="Print the moves in one line.")
@renderer_option
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file instead.")
@common_options
@click.pass_obj
def replay(
    session: Session,
    path: str,
    player: str | None,
    seed: int | None,
    conditions: tuple[str, ...],
    best: bool,
    worst: bool,
    watch: bool,
    delay: float | None,
    json: bool,
    transcript: bool,
    moves_only: bool,
    renderer: str | None,
    output: Path | None,
) -> None:
    """Show a recorded game, played again.

    PATH is the experiment's folder; --player, --seed and --where say which game. Its moves are made by the rules of the
    game, and what appeared is drawn by its seed. Where that does not come to the score and the last board that were
    recorded, as the rules are others now, it is refused.

    Exit codes: 0 the game comes to what was recorded; 2 it does not, or a usage error.
    """
    form = chosen_form(watch=watch, json=json, transcript=transcript, moves_only=moves_only)
    chosen_form(watch=watch, output=output is not None)
    which = chosen_form(best=best, worst=worst)
    if delay is not None and not watch:
        raise UsageError("--delay is for --watch")
    check_output(output)
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.drawing import drawer
    from searchlab.cli.summary import GameSummary
    from searchlab.experiments.components import seeded_domain
    from searchlab.experiments.filters import single_run
    from searchlab.experiments.replay import replay as replayed
    from searchlab.experiments.tables import load_results

    games = _select_games(load_results(path), path, player, seed, conditions)
    row = single_run(games, which, "", "--player, --seed and --where")
    game = replayed(row, plugins=session.plugins)
    domain = seeded_domain(row["domain"], game.seed, session.plugins)
    draws = drawer(domain, renderer, session.plugins, colour=output is None and shows_colour(sys.stdout))
    if watch:
        start = None if row.isna()["board"] else game.start
        from searchlab.cli.terminal.app import watch_moves

        setup = GameSetup(domain, start, game.seed, draws, session.plugins)
        watch_moves(setup, game.actions, DELAY if delay is None else delay, game.player)
    GameSummary(game, domain, draws).write(form, output)
    if form in ("", "watch") and not output:
        put("\nas recorded: the same score, and the same board at the end")


def _select_games(
    results: pd.DataFrame, path: str, player: str | None, seed: int | None, conditions: tuple[str, ...]
) -> pd.DataFrame:
    """Return the games that the options select.

    Raises:
        UsageError: there are none, or the runs are searches.
    """
    from searchlab.experiments.filters import parse_condition, resolve_value, where
    from searchlab.experiments.runs import GAMES, run_kind_of

    if run_kind_of(results) is not GAMES:
        raise UsageError(f"{path}: its runs are searches, and only games are replayed")
    games = where(results, [parse_condition(text) for text in conditions])
    if player is not None and not games.empty:
        games = games[games["player"] == resolve_value("player", player, games)]
    if seed is not None:
        games = games[(games["seed"] == seed).fillna(value=False)]
    if games.empty:
        raise UsageError(f"{path}: none of the {counted(len(results), 'game')} is meant; searchlab results lists them")
    return games
