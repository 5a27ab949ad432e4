"""`searchlab replay`: repeat the recorded moves of a game or a solution of an experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    DELAY,
    common_options,
    component_option,
    delay_option,
    json_option,
    output_option,
    path_argument,
    renderer_option,
    run_option,
    where_option,
)
from searchlab.cli.output import check_output, chosen_form, put, shows_colour
from searchlab.errors import UsageError
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from searchlab.cli.session import Session


@click.command(
    cls=Command,
    examples=(
        "searchlab replay results/tournament --best",
        "searchlab replay results/tournament --run 3 --watch",
    ),
)
@path_argument
@component_option("player", "Player of the game; parameters may be omitted if that is unambiguous.")
@click.option("--seed", type=click.IntRange(min=0), metavar="N", help="Random seed of the game.")
@run_option
@where_option
@click.option("--best", is_flag=True, help="The game with the largest score, or the cheapest solution.")
@click.option("--worst", is_flag=True, help="The game with the smallest score, or the most expensive solution.")
@click.option("--watch", is_flag=True, help="Show the moves one by one on the terminal.")
@delay_option
@json_option("the game or the result")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board.")
@click.option("--moves-only", is_flag=True, help="Print the moves in one line.")
@renderer_option
@output_option
@common_options
@click.pass_obj
def replay(
    session: Session,
    path: str,
    player: str | None,
    seed: int | None,
    run: str | None,
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
    """Show a recorded game or solution, move by move.

    PATH is the experiment's folder; --run or --where selects the run, for games also --player and --seed. The recorded
    moves are made by the rules of the game, and random tiles are drawn from the seed. If the score or the last board of
    a game, or the cost of a solution, differs from the record because the rules have changed, the command fails.

    Exit codes: 0 the game ends as recorded; 2 it does not, or a usage error.
    """
    form = chosen_form(watch=watch, json=json, transcript=transcript, moves_only=moves_only)
    chosen_form(watch=watch, output=output is not None)
    which = chosen_form(best=best, worst=worst)
    if delay is not None and not watch:
        raise UsageError("--delay is for --watch")
    check_output(output)
    from searchlab.cli.arguments import results_at
    from searchlab.experiments.filters import numbered_run, parse_condition, run_with_moves, single_run
    from searchlab.experiments.runs import GAMES, run_kind_of
    from searchlab.experiments.tables import every_run

    results = results_at(path) if run is None else numbered_run(every_run(path), run, f"{path}: ")
    if run_kind_of(results) is GAMES:
        games = _select_games(results, path, player, seed, conditions)
        row = single_run(games, which, "", "--run, --player, --seed and --where")
        _replay_game(session, row, form, delay, renderer, output)
        return
    for name, value in (("player", player), ("seed", seed)):
        if value is not None:
            raise UsageError(f"--{name} is for games, and the runs of {path} are searches")
    row = run_with_moves(results, path, [parse_condition(text) for text in conditions], which)
    _replay_solution(session, row, form, delay, renderer, output)


def _replay_game(
    session: Session, row: pd.Series[Any], form: str, delay: float | None, renderer: str | None, output: Path | None
) -> None:
    """Play a game again, and show it."""
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.drawing import drawer
    from searchlab.cli.summary import GameSummary
    from searchlab.experiments.replay import recorded_domain
    from searchlab.experiments.replay import replay as replayed

    game = replayed(row, plugins=session.plugins)
    domain = recorded_domain(row, session.plugins)
    draws = drawer(domain, renderer, session.plugins, colour=output is None and shows_colour(standard_output()))
    if form == "watch":
        from searchlab.cli.terminal.app import watch_moves

        start = None if row.isna()["board"] else game.start
        setup = GameSetup(domain, start, game.seed, draws, session.plugins)
        watch_moves(setup, game.actions, DELAY if delay is None else delay, game.player)
    GameSummary(game, domain, draws).write(form, output)
    if form in ("", "watch") and not output:
        put("\nas recorded: the same score, and the same board at the end")


def _replay_solution(
    session: Session, row: pd.Series[Any], form: str, delay: float | None, renderer: str | None, output: Path | None
) -> None:
    """Make the moves of a solution again, and show it as `searchlab solve` does."""
    from searchlab.cli import solve
    from searchlab.cli.drawing import drawer
    from searchlab.cli.summary import SearchSummary
    from searchlab.experiments.replay import replay_solution
    from searchlab.model.limits import Limits

    problem, result = replay_solution(row, plugins=session.plugins)
    draws = drawer(problem.domain, renderer, session.plugins, colour=output is None and shows_colour(standard_output()))
    if form == "watch":
        solve.watch_solution(problem, result, draws, session, DELAY if delay is None else delay)
    known = None if row.isna()["optimal_cost"] else float(row["optimal_cost"])
    SearchSummary(result, problem, Limits(), draws, known).write(form, output)
    if form in ("", "watch") and not output:
        put("\nas recorded: the moves lead to a goal, at the same cost")


def _select_games(
    results: pd.DataFrame, path: str, player: str | None, seed: int | None, conditions: tuple[str, ...]
) -> pd.DataFrame:
    """Return the games that the options select.

    Raises:
        UsageError: there are none.
    """
    from searchlab.experiments.filters import parse_condition, resolve_value, where

    games = where(results, [parse_condition(text) for text in conditions])
    if player is not None and not games.empty:
        games = games[games["player"] == resolve_value("player", player, games)]
    if seed is not None:
        games = games[(games["seed"] == seed).fillna(value=False)]
    if games.empty:
        raise UsageError(f"{path}: no such game among {counted(len(results), 'game')}; searchlab results lists them")
    return games
