"""`searchlab tune`: the best values of parameters, found on some boards and judged on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import INPUT_PATH, common_options, json_option
from searchlab.cli.output import as_json, page_width, put, tell, warn
from searchlab.cli.process import INTERRUPTED
from searchlab.cli.progress import generation_progress
from searchlab.cli.run import CONTINUES, ExecutionOptions, execution_options, run_summary
from searchlab.experiments.progress import shown_progress

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.cli.session import Session


@click.command(
    cls=Command,
    examples=(
        "searchlab tune experiments/tune-smooth.toml --dry-run",
        "searchlab tune experiments/tune-smooth.toml --workers 2",
    ),
)
@click.argument("experiment", type=INPUT_PATH, metavar="EXPERIMENT.toml")
@execution_options
@json_option("the outcome")
@common_options
@click.pass_obj
def tune(
    session: Session,
    experiment: str,
    output: Path | None,
    workers: int | None,
    executor: str,
    retry: str,
    pin: bool,
    dry_run: bool,
    json: bool,
) -> int:
    """Tune parameters of an experiment; rerun to resume.

    The table [tune] of EXPERIMENT.toml names the parameters. Each try gives them other values and runs the experiment
    on the boards for tuning; optuna chooses the values. The best try and the default are then compared on the boards
    for validation, which no try has seen: expect only this gain elsewhere. A game without boards is tuned on its seeds.
    Every run is a row of the results; repeating the command does the remaining runs.

    Exit codes: 0 done, whatever the gain; 2 a usage error, or the default fails; 5 the machine failed (a full disk, a
    folder that is gone, worker processes that die): repeat the command to continue; 130 interrupted.
    """
    from searchlab.experiments.specification import read_experiment
    from searchlab.experiments.tuning import run_tuning, tuning_plan

    with generation_progress() as watch:
        plan = tuning_plan(read_experiment(experiment), session.plugins, on_progress=watch)
    if dry_run:
        for line in plan.lines():
            put(line)
        return 0
    execution = ExecutionOptions(output, workers, executor, retry)
    folder = execution.folder(plan.matrix)
    try:
        with shown_progress(True, tell=tell) as progress:
            outcome = run_tuning(
                plan,
                folder=folder,
                executor=executor,
                workers=workers,
                retry=execution.retried,
                pin=pin,
                on_progress=progress,
                report=warn,
            )
    except KeyboardInterrupt:
        tell(f"stopped; the runs under way are lost; {CONTINUES}")
        raise click.exceptions.Exit(INTERRUPTED) from None
    if json:
        put(as_json(outcome.as_json()), end="")
    else:
        for line in (
            *run_summary(outcome.state),
            *outcome.lines(page_width()),
            "",
            f"results: searchlab results {folder}",
        ):
            put(line)
    return INTERRUPTED if outcome.best is None else 0
