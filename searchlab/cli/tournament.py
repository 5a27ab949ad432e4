"""`searchlab tournament`: players play many games with the same seeds, recorded as an experiment, and are ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    SECONDS,
    common_options,
    domain_option,
    game_limit_options,
    goal_option,
    json_option,
    limits_of,
    preset_option,
)
from searchlab.cli.output import put
from searchlab.cli.run import ExecutionOptions, execution_options, exit_code, failure_lines, run_summary
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.session import Session
    from searchlab.plugins.registry import Plugins


@click.command(
    cls=Command,
    examples=(
        "searchlab tournament greedy random --games 10",
        "searchlab tournament expectimax:depth=1 expectimax:depth=2 --games 100",
    ),
)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER…")
@click.option(
    "--games", type=click.IntRange(min=1), default=1000, metavar="N", help="Games of each player (default 1,000)."
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    metavar="N",
    help="Random seed of the first game (default 1); the next game has the next seed. All players play the same seeds.",
)
@domain_option("the game of searchlab play", "2048-random:n=3")
@goal_option
@preset_option
@click.option("--time-per-move", type=SECONDS, help="Short for the players' parameter seconds.")
@game_limit_options
@click.option("--name", default="tournament", metavar="NAME", help="Name of the experiment (default tournament).")
@execution_options
@json_option("the standings")
@common_options
@click.pass_obj
def tournament(
    session: Session,
    players: tuple[str, ...],
    games: int,
    seed: int,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    time_per_move: float | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_moves: int | None,
    name: str,
    output: Path | None,
    workers: int | None,
    executor: str,
    retry: str,
    pin: bool,
    dry_run: bool,
    json: bool,
) -> int:
    """Let players play many games, and rank them.

    All PLAYERS play games with the same seeds, so that they are compared in pairs. Games are recorded like those of an
    experiment (searchlab run): repeating the command plays the remaining games and shows the standings. searchlab
    results standings shows them, too; searchlab replay shows a game. With more --games or other players, games already
    played count.

    Exit codes: 0 all games are played, whatever their outcome; 2 a usage error; 5 the machine failed (a full disk, a
    folder that is gone, worker processes that die): repeat the command to continue; 130 interrupted.
    """
    from searchlab.cli.arguments import DomainChoice
    from searchlab.cli.standings import show_standings
    from searchlab.experiments.matrix import matrix
    from searchlab.experiments.scheduler import results_of
    from searchlab.experiments.specification import Experiment
    from searchlab.experiments.tables import load_results

    choice = DomainChoice(domain, goal, session.plugins, preset, played=True)
    chosen = choice.without_board()
    experiment = Experiment(
        name=name,
        domains=_domains(choice, chosen),
        players=_named(players, chosen, time_per_move, session.plugins),
        seeds=_seeds(seed, games),
        limits=limits_of(time_limit, memory_limit, None),
        most_moves=max_moves,
    )
    made = matrix(experiment, session.plugins)
    execution = ExecutionOptions(output, workers, executor, retry, pin)
    if dry_run:
        execution.print_dry_run(made, session.plugins)
        return 0
    state = execution.execute(made, session.plugins)
    folder = execution.folder(made)
    played = results_of(made, load_results(folder))
    if not json:
        failures = failure_lines(played, folder) if state.statuses["error"] else []
        for line in (*run_summary(state, "game"), *failures, f"record: {folder}", ""):
            put(line)
    show_standings(played, json=json, record=str(folder), left=state.total - state.kept - state.done)
    return exit_code(state)


def _domains(choice: DomainChoice, chosen: BoundDomain) -> tuple[str, ...]:
    """Return the domains of the experiment; none for the default game."""
    from searchlab.binding.names import with_parameters

    given = {name: value for name in ("goal", "preset") if (value := getattr(choice, name)) is not None}
    if choice.domain is not None:
        return (with_parameters(choice.domain, given),)
    return (str(chosen),) if given else ()


def _named(players: tuple[str, ...], domain: BoundDomain, seconds: float | None, plugins: Plugins) -> tuple[str, ...]:
    """Return the names of the players, with the time per move added for players that take one.

    Raises:
        UsageError: there is no such player, it cannot play the game, or no player takes a time.
    """
    from searchlab.binding.names import with_parameters
    from searchlab.cli.arguments import takes_time
    from searchlab.plugins import lookup

    named = []
    for name in players:
        is_timed = takes_time(lookup.player(name, domain=domain, plugins=plugins)) and seconds is not None
        if is_timed:
            lookup.player(name, domain=domain, plugins=plugins, seconds=seconds)
        named.append(with_parameters(name, {"seconds": seconds}) if is_timed else name)
    if seconds is not None and named == list(players):
        raise UsageError("--time-per-move: none of the players has a parameter seconds")
    return tuple(named)


def _seeds(first: int, count: int) -> tuple[int, ...]:
    from searchlab.experiments.specification import listed_seeds

    try:
        return listed_seeds(f"{first}-{first + count - 1}")
    except UsageError as error:
        raise UsageError(f"--games: {error}") from None
