"""`searchlab run`: an experiment, from a file or given on the command line; the same command continues it."""

from __future__ import annotations

import os
import shlex
import textwrap
from math import ceil, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    INPUT_PATH,
    OUTPUT_PATH,
    batch_option,
    common_options,
    component_option,
    engine_option,
    json_option,
    limit_options,
    limits_of,
)
from searchlab.cli.output import as_json, page_width, put, tell, warn
from searchlab.cli.process import INTERRUPTED
from searchlab.cli.progress import generation_progress
from searchlab.errors import UsageError
from searchlab.errors.control_characters import one_line
from searchlab.experiments.progress import shown_progress, status_counts
from searchlab.files import python_file_instead
from searchlab.model.formatting import counted, duration, folded, memory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from searchlab.cli.session import Session
    from searchlab.experiments.matrix import Matrix, Skipped
    from searchlab.experiments.progress import ExperimentState
    from searchlab.experiments.specification import Experiment
    from searchlab.plugins.registry import Plugins

CONTINUES = "rerun the same command to resume"
DRY_BOARDS = 1_000
"""Number of boards that a dry run generates of an entry at most."""

F = TypeVar("F", bound="Callable[..., Any] | click.Command")

_execution_options = (
    click.option(
        "--output",
        type=OUTPUT_PATH,
        metavar="FOLDER",
        help="Folder of the results (default results/NAME).",
    ),
    click.option(
        "--workers", type=click.IntRange(min=1), metavar="N", help="Simultaneous runs (default: one per core)."
    ),
    click.option(
        "--executor",
        default="local",
        metavar="NAME",
        help="Where runs execute: local (default), dask, dask:scheduler-file=FILE, dask:cluster=slurm,config=FILE.toml "
        "(also pbs, sge, lsf …), dask:runner=slurm.",
    ),
    click.option("--retry", metavar="STATUS,…", default="", help="Repeat runs with these outcomes: error,time-limit."),
    click.option("--pin", is_flag=True, help="Bind each worker to its own processor: times vary less."),
    click.option("--dry-run", is_flag=True, help="Show the runs and their number, without doing them."),
)

EXPERIMENT_OPTIONS = (
    *("domain", "heuristic", "frontier", "player", "seeds", "repetitions", "repeat_until", "engine", "batch", "name"),
    *("time_limit", "memory_limit", "max_expansions", "max_moves", "order_seed"),
)
"""The parameters that an experiment file replaces."""
WIDTH = 80
MOST_REASONS, MOST_REASON_LINES, MOST_RUNS = 10, 12, 6
"""The most reasons of failures that are told, the lines of each, and the runs named with it."""
MOST_PARTS = 100_000
SHOWN = 6
"""Number of names of a kind that a dry run lists at most."""


def execution_options(function: F) -> F:
    """Add the options of ExecutionOptions, and --dry-run."""
    for option in reversed(_execution_options):
        function = option(function)
    return function


class ExecutionOptions(NamedTuple):
    """The options for the execution of an experiment's runs.

    Attributes:
        output: the folder of the results; None for a folder with the experiment's name.
        workers: the number of simultaneous runs; None for one per core.
        executor: the name of the executor.
        retry: statuses of runs to repeat, separated by commas.
        pin: whether each worker is bound to a processor of its own.
        part: the number of the part of the experiment that is executed, from 1; None for the whole experiment.
    """

    output: Path | None
    workers: int | None
    executor: str
    retry: str
    pin: bool = False
    part: int | None = None

    def folder(self, made: Matrix) -> Path:
        """Return the folder of the results, of a part its own."""
        from searchlab.experiments.parts import part_folder

        return self._folder_of_all(made) if self.part is None else part_folder(self._folder_of_all(made), self.part)

    def _folder_of_all(self, made: Matrix) -> Path:
        from searchlab.experiments.scheduler import RESULTS

        return self.output or RESULTS / made.experiment.name

    def _runs_of_part(self, made: Matrix) -> tuple[str, ...] | None:
        """Return the identities of the runs of the part, None for the whole experiment."""
        from searchlab.experiments.parts import read_part

        return None if self.part is None else read_part(self._folder_of_all(made), self.part)

    def write_parts(self, made: Matrix, number: int) -> list[int]:
        """Write the lists of runs for a number of parts; return their lengths."""
        from searchlab.experiments.scheduler import plan_parts

        return plan_parts(made, self._folder_of_all(made), number, self.retried)

    def print_dry_run(self, made: Matrix, plugins: Plugins) -> None:
        """Print the runs of an experiment without doing them, and what the executor would start for them."""
        from searchlab.experiments.scheduler import matrix_of_part, recorded_runs
        from searchlab.plugins import lookup
        from searchlab.search.watch import cores

        folder, part = self.folder(made), self._runs_of_part(made)
        if part is not None:
            made = matrix_of_part(made, part)
        recorded = recorded_runs(made, folder, self.retried)
        for line in dry_run_lines(made, self.workers or cores(), recorded, str(folder)):
            put(line)
        preview = lookup.executor(self.executor, plugins=plugins).preview(self.workers or cores())
        if preview:
            put(f"\n{preview}")

    @property
    def retried(self) -> list[str]:
        """The statuses of runs to repeat."""
        return [status.strip() for status in self.retry.split(",") if status.strip()]

    def execute(self, made: Matrix, plugins: Plugins) -> ExperimentState:
        """Execute the runs of an experiment that are not done, with a progress display; return the last state."""
        from searchlab.experiments import scheduler

        _report_skipped(made)
        try:
            with shown_progress(True, tell=tell) as watch:
                return scheduler.run_matrix(
                    made,
                    plugins,
                    folder=self.folder(made),
                    executor=self.executor,
                    workers=self.workers,
                    retry=self.retried,
                    part=self._runs_of_part(made),
                    pin=self.pin,
                    on_progress=watch,
                    report=warn,
                )
        except KeyboardInterrupt:
            tell(f"stopped; the runs under way are lost; {CONTINUES}")
            raise click.exceptions.Exit(INTERRUPTED) from None


def exit_code(state: ExperimentState) -> int:
    """Return the exit code of a command that executed runs."""
    return INTERRUPTED if state.stopping and state.kept + state.done < state.total else 0


def run_summary(state: ExperimentState, what: str = "run") -> list[str]:
    """Return the number of runs done and left, and the counts of their statuses, in lines."""
    ended = state.kept + state.done
    left = state.total - ended
    said = [counted(ended, what)]
    said.append(f"{left:,} left ({CONTINUES})" if left else "all done")
    if state.kept:
        said.append(f"{state.kept:,} done before")
    pieces = [", ".join(said) + ":", *status_counts(state).split(" · ")] if state.statuses else [", ".join(said)]
    return folded([pieces[0], " · ".join(pieces[1:])], page_width())


def failure_lines(results: pd.DataFrame, folder: Path) -> list[str]:
    """Return each distinct reason of the runs that ended with an error, and the command that lists these runs.

    Args:
        results: the results of the experiment, without others in its folder.
        folder: the folder of the results.
    """
    failed = results[results["status"] == "error"]
    if failed.empty:
        return []
    reasons = failed["reason"].fillna("without a reason")
    counts = reasons.value_counts()
    width = page_width()
    lines = [""]
    for reason, count in list(counts.items())[:MOST_REASONS]:
        runs = sorted(failed["run"][reasons == reason])
        listed = ", ".join(f"{run:,}" for run in runs[:MOST_RUNS]) + (" …" if len(runs) > MOST_RUNS else "")
        head = f"{counted(int(count), 'error')}, {'run' if count == 1 else 'runs'} {listed}: "
        lines += textwrap.wrap(
            f"{head}{one_line(str(reason))}",
            width,
            subsequent_indent="  ",
            max_lines=MOST_REASON_LINES,
            placeholder=f" … (--run {runs[0]} shows all)",
            break_on_hyphens=False,
        )
    if len(counts) > MOST_REASONS:
        lines.append(f"… and {counted(len(counts) - MOST_REASONS, 'further reason')}")
    command = shlex.join(["searchlab", "results", str(folder), "--where", "status=error"])
    return [*lines, f"errors: {command}"]


def _report_skipped(made: Matrix) -> None:
    """Print the number of combinations that are invalid and not run.

    Raises:
        UsageError: no other combination is left.
    """
    if made.skipped:
        count = sum(skipped.count for skipped in made.skipped)
        if not made.runs:
            more = "; --dry-run lists all reasons" if len(made.skipped) > 1 else ""
            raise UsageError(
                f"nothing to run: {counted(count, 'combination')} skipped: {one_line(made.skipped[0].reason)}{more}"
            )
        tell(f"skipped: {counted(count, 'combination')}; --dry-run lists them with the reasons")


@click.command(
    cls=Command,
    examples=(
        "searchlab run 'sliding-tile/puzzle8-2*' --heuristic taxicab --frontier astar",
        "searchlab run experiment.toml --dry-run",
        "searchlab run experiment.toml --workers 2",
    ),
)
@click.argument("what", type=INPUT_PATH, nargs=-1, metavar="EXPERIMENT.toml | BOARDS…")
@click.option(
    "--domain",
    multiple=True,
    metavar="NAME",
    help="Domain, with parameters; may be repeated, like the next four options.",
)
@component_option("heuristic", "Heuristic, with its parameters.", several=True)
@component_option("frontier", "Frontier strategy, with its parameters.", several=True)
@component_option("player", "Player, with its parameters: plays games in place of searches.", several=True)
@click.option(
    "--seed",
    "--seeds",
    "seeds",
    multiple=True,
    metavar="N|A-B",
    help="Random seeds of games, and of components that take a seed: 7, 1-100.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=1,
    metavar="N",
    help="Number of times to do each run (default 1).",
)
@click.option(
    "--repeat-until",
    metavar="PERCENT",
    default="",
    help="Repeat each run 3 to 30 times, until its median time is known within PERCENT (95 % interval): 5%.",
)
@engine_option()
@batch_option
@limit_options
@click.option(
    "--max-moves", type=click.IntRange(min=0), metavar="N", help="Limit of moves of a game (default 100,000)."
)
@click.option(
    "--order-seed", type=int, default=1, metavar="N", help="Random seed of the order of the runs (default 1)."
)
@click.option("--name", metavar="NAME", help="Name of the experiment (default: the name of the file or folder).")
@execution_options
@click.option(
    "--parts",
    type=click.IntRange(min=1, max=MOST_PARTS),
    metavar="N",
    help="Write N shuffled lists of the remaining runs, for as many jobs, and run nothing.",
)
@click.option("--part", type=click.IntRange(min=1), metavar="K", help="Run list K that --parts wrote.")
@json_option("the outcome")
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
    repeat_until: str,
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
    pin: bool,
    dry_run: bool,
    parts: int | None,
    part: int | None,
    json: bool,
) -> int:
    """Run an experiment; rerun the command to resume it.

    Every combination of boards, heuristics and frontiers is a row of the results. The experiment is described by
    EXPERIMENT.toml, by the experiment.json beside earlier results, or by arguments and options, with BOARDS being
    files, folders and shipped sets. With --player each row is a game, and BOARDS may be omitted: --player greedy
    --seeds 1-100. With --domain alone, searches begin at the start of the domain. Repeating the command does the
    remaining runs; finished runs are kept, whatever happened to the process.

    A job array needs no other executor: --parts 20 writes lists of runs, --part K does those of list K into
    FOLDER/parts/K, and searchlab results merge joins these folders.

    Exit codes: 0 all runs are done, whatever their outcome; 2 a usage error; 5 the machine failed (a full disk, a
    folder that is gone, worker processes that die): repeat the command to continue; 130 interrupted.
    """
    from searchlab.experiments.matrix import matrix

    session: Session = context.obj
    if not what and not player and not domain:
        raise click.UsageError("Missing argument 'EXPERIMENT.toml | BOARDS…': name a file or boards", context)
    if parts is not None and (part is not None or dry_run):
        other = "--part" if part is not None else "--dry-run"
        raise click.UsageError(f"--parts writes lists of runs: leave out {other}", context)
    experiment = _experiment(context)
    with generation_progress() as watch:
        most = DRY_BOARDS if dry_run and part is None else None
        made = matrix(experiment, session.plugins, most_generated=most, on_progress=watch)
    execution = ExecutionOptions(output, workers, executor, retry, pin, part)
    if parts is not None:
        _write_parts(execution, made, parts, json=json)
        return 0
    if dry_run:
        execution.print_dry_run(made, session.plugins)
        return 0
    state = execution.execute(made, session.plugins)
    folder = execution.folder(made)
    if json:
        put(as_json(_outcome(state, folder)), end="")
    else:
        _print_outcome(state, made, folder)
    return exit_code(state)


def _experiment(context: click.Context) -> Experiment:
    """Return the experiment of the file that is named, or the one that arguments and options describe."""
    from searchlab.experiments.specification import Experiment, read_experiment

    given = context.params
    what = given["what"]
    if what and what[0].endswith((".toml", ".json")):
        _check_alone(context, what)
        return read_experiment(what[0])
    for name in what:
        if name.endswith(".py") and os.path.isfile(name):
            raise UsageError(python_file_instead(name, "an experiment (.toml) or a board"))
    return Experiment(
        name=given["name"] or _default_name(what, are_games=bool(given["player"])),
        boards=what,
        domains=given["domain"],
        heuristics=given["heuristic"],
        frontiers=given["frontier"],
        players=given["player"],
        seeds=_seeds(given["seeds"]),
        repetitions=given["repetitions"],
        repeat_until=_percent(given["repeat_until"]),
        order_seed=given["order_seed"],
        engine=given["engine"],
        batch=given["batch"],
        limits=limits_of(given["time_limit"], given["memory_limit"], given["max_expansions"]),
        most_moves=given["max_moves"],
    )


def _print_outcome(state: ExperimentState, made: Matrix, folder: Path) -> None:
    """Print the numbers of runs by status, the errors with their reasons, and a line on other runs in the folder."""
    failures = failure_lines(_failed_runs(made, folder), folder) if state.statuses["error"] else []
    for line in (*run_summary(state), *failures, f"results: searchlab results {folder}"):
        put(line)
    if state.others:
        for line in _about_other_runs(made, folder, state.others):
            put(line)


def _about_other_runs(made: Matrix, folder: Path, number: int) -> Iterator[str]:
    """Yield lines about the runs in a folder that are not part of an experiment: tables show or omit them.

    Args:
        number: how many there are.
    """
    from searchlab.experiments.filters import DISTINGUISHING, condition_for
    from searchlab.experiments.loading import read_results
    from searchlab.experiments.scheduler import results_of

    runs = read_results(folder, ["identity"], DISTINGUISHING)
    own = results_of(made, runs)
    others = runs[~runs["identity"].isin(own["identity"])]
    if len(others):
        are = "is" if len(others) == 1 else "are"
        of_another = f"{are} not part of this experiment, but tables and reports show them, too"
        yield f"{counted(len(others), 'earlier run')} in {folder} {of_another}"
        condition = condition_for(own, others)
        if condition:
            yield f"without them: searchlab results {shlex.quote(str(folder))} --where {shlex.quote(condition)}"
    older = number - len(others)
    if older:
        are = "is" if older == 1 else "are"
        yield f"{counted(older, 'older run')} in {folder} {are} left out of tables; --all-versions shows them"


def _failed_runs(made: Matrix, folder: Path) -> pd.DataFrame:
    """Return the runs of an experiment that ended with an error, in the columns that `failure_lines` needs."""
    import pandas as pd

    from searchlab.experiments.scheduler import results_of
    from searchlab.experiments.store import Store

    with Store(folder) as store:
        failed = pd.DataFrame(store.ended("error"), columns=["run", "identity", "repetition", "reason"])
    return results_of(made, failed.assign(status="error"))


def _write_parts(execution: ExecutionOptions, made: Matrix, number: int, *, json: bool) -> None:
    """Write the lists of runs of parts, and print how many there are."""
    lengths = execution.write_parts(made, number)
    folder = execution.folder(made)
    if json:
        put(as_json({"results": str(folder), "parts": number, "runs": sum(lengths)}), end="")
        return
    of_each = counted(min(lengths), "run")
    of_each = of_each if min(lengths) == max(lengths) else f"{min(lengths):,} or {counted(max(lengths), 'run')}"
    put(f"{counted(sum(lengths), 'run')} in {counted(number, 'part')} of {of_each}")
    put(f"each part: this command with --part K, 1 to {number}, in place of --parts {number}")
    put(f"then: searchlab results merge {shlex.quote(str(folder))}/parts/* --into {shlex.quote(str(folder))}")


def _outcome(state: ExperimentState, folder: Path) -> dict[str, object]:
    """Return the outcome of an experiment as JSON values."""
    ended = state.kept + state.done
    counts = {"runs": state.total, "done": ended, "left": state.total - ended, "done_before": state.kept}
    return {"results": str(folder), **counts, "statuses": dict(state.statuses)}


def _check_alone(context: click.Context, what: tuple[str, ...]) -> None:
    """Raise a UsageError for an argument that contradicts an experiment file."""
    if len(what) > 1:
        raise click.UsageError(f"{what[0]} is an experiment; {what[1]} cannot be combined with it", context)
    for parameter in EXPERIMENT_OPTIONS:
        source = context.get_parameter_source(parameter)
        if source is click.core.ParameterSource.COMMANDLINE:
            option = f"--{parameter.replace('_', '-')}"
            raise click.UsageError(f"{option} cannot be combined with an experiment file; set it in {what[0]}", context)


def _percent(text: str) -> float | None:
    from searchlab.experiments.specification import parse_percent

    try:
        return parse_percent(text) if text else None
    except UsageError as error:
        raise UsageError(f"--repeat-until: {error}") from None


def _seeds(seeds: tuple[str, ...]) -> tuple[int, ...]:
    from searchlab.experiments.specification import listed_seeds

    try:
        return listed_seeds(seeds)
    except UsageError as error:
        raise UsageError(f"--seeds: {error}") from None


def _default_name(boards: tuple[str, ...], *, are_games: bool) -> str:
    """Return the default name of an experiment with these boards: the name of the first file or folder."""
    if not boards:
        return "games" if are_games else "searches"
    try:
        folder_or_file = os.path.basename(os.path.abspath(boards[0]))  # of `.` and `..` as well
    except OSError:  # the current folder is gone
        folder_or_file = os.path.basename(boards[0])
    return os.path.splitext(folder_or_file)[0].replace("*", "").strip("-_ ") or "experiment"


def dry_run_lines(matrix: Matrix, workers: int, recorded: int = 0, folder: str = "") -> list[str]:
    """Return a description of a matrix of runs in lines of at most 80 characters where words allow.

    Args:
        matrix: the runs.
        workers: the number of simultaneous runs.
        recorded: the number of runs that are already done.
        folder: the folder of these.
    """
    experiment = matrix.experiment
    blocks = matrix.blocks or (matrix,)
    lines = [*_wrapped(experiment.name), *_wrapped(experiment.description)]
    for block in blocks:
        lines.append("")
        if matrix.blocks:
            lines += [*_wrapped(f"{block.experiment.name}: {block.experiment.description}".removesuffix(": "))]
        lines += [*_axis_lines(block), *_wrapped(_sample_line(block)), *_skipped_lines(block.skipped)]
        lines += [] if matrix.blocks else _unused_lines(matrix)
        lines += ["", *_wrapped(_limits_line(block.experiment))]
    lines += ["", *_blocks_lines(matrix), *_unused_lines(matrix)] if matrix.blocks else []
    return [
        *lines,
        *_wrapped(f"{folder} holds {_recorded_of(matrix, recorded)}" if recorded else ""),
        *_wrapped(_duration_line(runs_in_all(matrix) - recorded, max(_time_limits(matrix)), workers)),
    ]


def _unused_lines(matrix: Matrix) -> list[str]:
    return [line for text in matrix.unused for line in _wrapped(text, "excludes nothing: ")]


def _blocks_lines(matrix: Matrix) -> list[str]:
    """Return the number of runs of each block, and of all blocks, in lines."""
    counts = [runs_in_all(block) for block in matrix.blocks]
    shared = sum(counts) - runs_in_all(matrix)
    rows = [*((block.experiment.name, count) for block, count in zip(matrix.blocks, counts, strict=True))]
    rows += [("in several blocks", -shared)] if shared else []
    rows.append(("runs", runs_in_all(matrix)))
    width = max(len(f"{count:,}") for _, count in rows)
    return [line for name, count in rows for line in _wrapped(name, f"{count:{width},}  ")]


def _time_limits(matrix: Matrix) -> set[float]:
    return {block.limits.seconds for block in matrix.experiment.blocks}


def _recorded_of(matrix: Matrix, recorded: int) -> str:
    """Return the numbers of runs done and left; an upper bound if boards are yet to be generated."""
    left = runs_in_all(matrix) - recorded
    if matrix.not_generated:
        return f"{recorded:,} of the {counted(len(matrix.runs), 'run')} counted already, at most {left:,} are left"
    return f"{counted(recorded, 'run')} of these already, {left:,} left"


def runs_in_all(matrix: Matrix) -> int:
    """Return the number of runs; if not all boards were generated, an estimate from those that were."""
    of_others = [
        len(each.runs) * each.not_generated // len(each.boards)
        for each in matrix.blocks or (matrix,)
        if each.not_generated
    ]
    return len(matrix.runs) + sum(of_others)


def _sample_line(matrix: Matrix) -> str:
    """Return a remark if not all boards were generated, else `""`."""
    if not matrix.not_generated:
        return ""
    boards, whole = len(matrix.boards), len(matrix.boards) + matrix.not_generated
    made = f"counted on {boards:,} of {whole:,} boards; the others are generated when it runs"
    return f"{made}; about {runs_in_all(matrix):,} runs in all"


def _axis_lines(matrix: Matrix) -> list[str]:
    """Return a line for each axis of the matrix, and for the numbers of combinations and runs."""
    experiment = matrix.experiment
    axes: list[tuple[str, int, Iterable[str]]] = [
        ("boards", len(matrix.boards), ()),
        ("domains", len(matrix.domains), matrix.domains),
        *_work_axes(matrix),
        ("seeds", len(experiment.seeds), map(str, experiment.seeds)),
        *([("go together", len(experiment.pair), experiment.pair)] if experiment.pair else []),
        ("repetitions", experiment.least_repetitions, _repeated(experiment)),
        ("combinations", matrix.combinations, ()),
        ("skipped", matrix.combinations - len(matrix.runs), ()),
        ("runs", len(matrix.runs), ()),
    ]
    name_width = max(len(name) for name, _, _ in axes)
    number_width = max(len(f"{number:,}") for _, number, _ in axes)
    lines = []
    for name, number, listed in axes:
        head = f"{name:{name_width}}  {number:{number_width},}"
        lines += _wrapped(_listed(list(listed)), f"{head}  ") or [head]
    return lines


def _repeated(experiment: Experiment) -> list[str]:
    percent = experiment.repeat_until
    return [] if percent is None else [f"and more, until the median time is within {percent:g} %, at most 30"]


def _work_axes(matrix: Matrix) -> list[tuple[str, int, Iterable[str]]]:
    """Return the axes besides the boards: players, or heuristics and frontiers."""
    if matrix.experiment.are_games:
        return [("players", len(matrix.players), matrix.players)]
    return [
        ("heuristics", len(matrix.heuristics), matrix.heuristics),
        ("frontiers", len(matrix.frontiers), matrix.frontiers),
    ]


def _skipped_lines(skipped: Sequence[Skipped]) -> list[str]:
    """Return the reasons for skipping combinations, each with its count and the names it concerns."""
    if not skipped:
        return []
    width = max(len(f"{each.count:,}") for each in skipped)
    lines = ["", "skipped:"]
    for each in skipped:
        lines += _wrapped(each.reason, f"{each.count:{width},}  ")
        lines += _wrapped(_listed(each.what), " " * (width + 4))
    return lines


def _limits_line(experiment: Experiment) -> str:
    limits = experiment.limits
    said = [
        duration(limits.seconds) if isfinite(limits.seconds) else "",
        "" if limits.memory is None else memory(limits.memory),
        "" if limits.expansions is None else counted(limits.expansions, "expansion"),
        "" if experiment.most_moves is None else counted(experiment.most_moves, "move"),
    ]
    return f"limits of a run: {', '.join(filter(None, said)) or 'none'}"


def _duration_line(runs: int, seconds: float, workers: int) -> str:
    """Return an upper bound of the duration of this number of runs."""
    if not runs:
        return "nothing to run"
    at_once = f"{counted(runs, 'run')}, {min(workers, runs)} at a time"
    if not isfinite(seconds):
        return f"no time limit: nobody knows how long it takes; {at_once}"
    return f"at most {duration(ceil(runs / workers) * seconds)}: {at_once}"


def _listed(names: Sequence[str]) -> str:
    left_out = len(names) - SHOWN
    shown = ", ".join(names[:SHOWN])
    return f"{shown}, … and {left_out:,} more" if left_out > 0 else shown


def _wrapped(text: str, head: str = "") -> list[str]:
    """Return a text in lines, the first of them after `head`, the others indented as far."""
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False)
