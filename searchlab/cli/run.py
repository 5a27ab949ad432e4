"""`searchlab run`: an experiment, from a file or said on the command line; the same command continues it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.figures import counted
from searchlab.cli.layout import folded, page_width
from searchlab.cli.messages import put, tell, warn
from searchlab.cli.options import batch_option, common_options, engine_option, limit_options, limits_of
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from searchlab.cli.session import Session
    from searchlab.experiments.coordinator import State
    from searchlab.experiments.matrix import Matrix

INTERRUPTED = 130
CONTINUES = "the same command continues"
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
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="FOLDER", help="Where results go; by default results/NAME."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Runs done at once; by default one a core.")
@click.option("--executor", default="local", metavar="NAME", help="What does the runs: local (the default), dask.")
@click.option("--retry", metavar="STATUS,…", default="", help="Do runs again that ended like this: error,time-limit.")
@click.option("--dry-run", is_flag=True, help="Show what would be run, and what it would take.")
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

    Exit codes: 0 all is done, however runs ended; 2 a usage error; 130 interrupted.
    """
    from searchlab.experiments import running
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
    made = matrix(experiment, session.plugins)
    if dry_run:
        from searchlab.cli.dry_run import described

        for line in described(made, workers or running.cores()):
            put(line)
        return 0
    folder = output or running.RESULTS / experiment.name
    _tell_skipped(made)
    from searchlab.cli.run_progress import run_progress

    try:
        with run_progress() as watch:
            state = running.carry_out(
                made,
                session.plugins,
                folder=folder,
                executor=executor,
                workers=workers,
                retry=[status.strip() for status in retry.split(",") if status.strip()],
                watch=watch,
                tell=warn,
            )
    except KeyboardInterrupt:
        tell(f"stopped, what was under way is lost; {CONTINUES}")
        raise
    for line in _summary(state, folder):
        put(line)
    return INTERRUPTED if state.stopping and state.kept + state.done < state.total else 0


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
    first = Path(boards[0].rstrip("/")).with_suffix("").name.replace("*", "").strip("-_ ")
    return first or "experiment"


def _tell_skipped(made: Matrix) -> None:
    """Say in a line what makes no sense and is not run."""
    if made.skipped:
        count = sum(skipped.count for skipped in made.skipped)
        tell(f"skipped: {counted(count, 'combination')}; --dry-run says what and why")


def _summary(state: State, folder: Path) -> list[str]:
    """Return what is said in the end."""
    from searchlab.cli.run_progress import statuses

    ended = state.kept + state.done
    left = state.total - ended
    said = [counted(ended, "run")]
    said.append(f"{left:,} left ({CONTINUES})" if left else "all done")
    if state.kept:
        said.append(f"{state.kept:,} done before")
    pieces = [", ".join(said) + ":", *statuses(state).split(" · ")] if state.statuses else [", ".join(said)]
    return [*folded([pieces[0], " · ".join(pieces[1:])], page_width()), f"results: searchlab results {folder}"]
