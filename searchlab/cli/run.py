"""`searchlab run`: an experiment, from a file or said on the command line; the same command continues it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from searchlab.cli.doing import DRY_BOARDS, Doing, doing_options, exit_code, generating, summary
from searchlab.cli.messages import put
from searchlab.cli.options import batch_option, common_options, engine_option, limit_options, limits_of
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.cli.session import Session

SAYS_WHAT = (
    *("domain", "heuristic", "frontier", "player", "seeds", "repetitions", "engine", "batch", "name"),
    *("time_limit", "memory_limit", "max_expansions", "max_moves", "order_seed"),
)
"""The parameters that say what the experiment is, which a file says as well."""


@click.command()
@click.argument("what", nargs=-1, metavar="EXPERIMENT.toml | BOARDS…")
@click.option("--domain", multiple=True, metavar="NAME", help="A game; may be repeated, like all that follow.")
@click.option("--heuristic", multiple=True, metavar="NAME", help="A heuristic, with its parameters.")
@click.option("--frontier", multiple=True, metavar="NAME", help="A frontier strategy, with its parameters.")
@click.option("--player", multiple=True, metavar="NAME", help="Who plays games, in place of searches.")
@click.option("--seed", "--seeds", "seeds", multiple=True, metavar="N|A-B", help="Of games, and of what takes one.")
@click.option("--repetitions", type=click.IntRange(min=1), default=1, metavar="N", help="How often each is run.")
@engine_option
@batch_option
@limit_options
@click.option("--max-moves", type=click.IntRange(min=0), metavar="N", help="Moves of a game.")
@click.option("--order-seed", type=int, default=1, metavar="N", help="Decides in which order runs are done.")
@click.option("--name", metavar="NAME", help="What the experiment is called; by default as the file or folder.")
@doing_options
@common_options
@click.pass_context
def run(
    context: click.Context,
    what: tuple[str, ...],
    domain: tuple[str, ...],
    heuristic: tuple[str, ...],
    frontier: tuple[str, ...],
    player: tuple[str, ...],
    seeds: tuple[str, ...],
    repetitions: int,
    engine: str,
    batch: int | None,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    max_moves: int | None,
    order_seed: int,
    name: str | None,
    output: Path | None,
    workers: int | None,
    executor: str,
    retry: str,
    dry_run: bool,
) -> int:
    """Run an experiment; the same command continues it.

    Every combination of boards, heuristics and frontiers is a row of its results. EXPERIMENT.toml says what is run; or
    it is said here, with BOARDS being files, folders and shipped sets. With --player each row is a game, and BOARDS may
    be left out: --player greedy --seeds 1-100. The same command again does what is left: what was done is kept,
    whatever happened to the process.

    Exit codes: 0 all is done, however runs ended; 2 a usage error; 5 the machine failed (a full disk, a folder that is
    gone, worker processes that die): the same command continues; 130 interrupted.
    """
    from searchlab.experiments.matrix import matrix
    from searchlab.experiments.spec import Experiment, read_experiment

    session: Session = context.obj
    if not what and not player:
        raise click.UsageError("Missing argument 'EXPERIMENT.toml | BOARDS…': what is to be run?", context)
    if what and what[0].endswith(".toml"):
        _check_alone(context, what)
        experiment = read_experiment(what[0])
    else:
        experiment = Experiment(
            name=name or _name(what),
            boards=what,
            domains=domain,
            heuristics=heuristic,
            frontiers=frontier,
            players=player,
            seeds=_listed(seeds),
            repetitions=repetitions,
            order_seed=order_seed,
            engine=engine,
            batch=batch,
            limits=limits_of(time_limit, memory_limit, max_expansions),
            most_moves=max_moves,
        )
    with generating() as watch:
        made = matrix(experiment, session.plugins, most_generated=DRY_BOARDS if dry_run else None, watch=watch)
    doing = Doing(output, workers, executor, retry)
    if dry_run:
        doing.describe(made)
        return 0
    state = doing.carry_out(made, session.plugins)
    for line in (*summary(state), f"results: searchlab results {doing.folder(made)}"):
        put(line)
    return exit_code(state)


def _check_alone(context: click.Context, what: tuple[str, ...]) -> None:
    """Raise a usage error where something is said that the experiment file says."""
    if len(what) > 1:
        raise click.UsageError(f"{what[0]} is an experiment; {what[1]} beside it makes no sense", context)
    for parameter in SAYS_WHAT:
        source = context.get_parameter_source(parameter)
        if source is click.core.ParameterSource.COMMANDLINE:
            option = f"--{parameter.replace('_', '-')}"
            raise click.UsageError(f"{option} and an experiment file exclude each other; say it in {what[0]}", context)


def _listed(seeds: tuple[str, ...]) -> tuple[int, ...]:
    from searchlab.experiments.seeds import listed_seeds

    try:
        return listed_seeds(seeds)
    except UsageError as error:
        raise UsageError(f"--seeds: {error}") from None


def _name(boards: tuple[str, ...]) -> str:
    """Return what an experiment is called whose boards were named on the command line, or that has none."""
    if not boards:
        return "games"
    try:
        folder_or_file = os.path.basename(os.path.abspath(boards[0]))  # of `.` and `..` as well
    except OSError:  # the current folder is gone
        folder_or_file = os.path.basename(boards[0])
    return os.path.splitext(folder_or_file)[0].replace("*", "").strip("-_ ") or "experiment"
