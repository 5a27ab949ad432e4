"""`searchlab verify`: repeat a sample of recorded runs, and compare their figures."""

from __future__ import annotations

import contextlib
import os
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import INPUT_PATH, common_options, json_option
from searchlab.cli.output import as_json, put, put_wrapped, tell, warn
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.cli.session import Session
    from searchlab.experiments.verification import Repetition

DIFFERS = 1


@click.command(
    cls=Command,
    examples=(
        "searchlab verify results/puzzle8-2",
        "searchlab verify puzzle8-2.zip --sample 100",
    ),
    short_help="Repeat a sample of recorded runs, and compare their figures.",
)
@click.argument("path", type=INPUT_PATH, metavar="ARCHIVE|FOLDER")
@click.option(
    "--sample", type=click.IntRange(min=1), default=20, metavar="N", help="Number of runs to repeat (default 20)."
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=1, metavar="N", help="Random seed of the sample (default 1)."
)
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Simultaneous runs (default: one per core).")
@json_option("the outcome")
@common_options
@click.pass_obj
def verify(session: Session, path: str, sample: int, seed: int, workers: int | None, json: bool) -> int:
    """Repeat a sample of recorded runs, and compare their figures.

    ARCHIVE was written by searchlab archive, and is a zip file or unpacked; FOLDER is an experiment's folder. Costs,
    expansions, solutions and all figures that do not depend on the machine are compared. Times and memory are not
    compared, and runs that ended at a limit of time or memory are not drawn. If figures differ, the versions, plugins
    and processors that differ are named. Nothing is written. Name files of plugins with --plugin.

    Exit codes: 0 all figures are repeated, 1 some are not, 2 a usage error.
    """
    from searchlab.experiments.progress import shown_progress
    from searchlab.experiments.verification import sample_line
    from searchlab.experiments.verification import verify as repeat

    plugins = session.plugins
    for kind in ("files", "folders"):  # which workers load, in the folder of an archive's files
        plugins.settings[kind] = tuple(map(os.path.abspath, plugins.settings[kind]))
    with _results(path) as (folder, how_to_load), shown_progress(True, tell=tell) as watch:
        found = repeat(
            folder,
            plugins,
            sample=sample,
            seed=seed,
            workers=workers,
            on_progress=watch,
            report=warn,
            how_to_load=how_to_load,
        )
    if json:
        runs = [_as_dict(repetition) for repetition in found.repetitions]
        outcome = {"holds": found.holds, "runs": found.runs, "not_drawn": found.left_out, "repeated": runs}
        put(as_json(outcome), end="")
        return 0 if found.holds else DIFFERS
    put_wrapped(f"{path}: {sample_line(found)}")
    others = [repetition for repetition in found.repetitions if not repetition.holds]
    if not others:
        put("their figures are the recorded ones")
        return 0
    put(f"{len(found.repetitions) - len(others):,} with the recorded figures, {len(others):,} not:")
    for lines in (*_failures(others), *(_lines(repetition) for repetition in others if not repetition.failure)):
        put("")
        for line in lines:
            put_wrapped(line)
    return DIFFERS


def _how_to_load(path: str, files: Path, plugin: str) -> str:
    """Return how to load a plugin of an archive.

    Args:
        path: the archive's folder as the user wrote it, `""` for a zip file.
        files: the folder of the archive's files.
        plugin: the plugin's name, or the path of its file below that folder.
    """
    from searchlab.reports.archive import FILES

    if not path:
        return "unpack the archive and run the command in its README.md"
    found = [files / plugin] if plugin.endswith(".py") else sorted(files.rglob(f"{plugin}.py"))
    if len(found) != 1:
        return f"run the command in {os.path.normpath(os.path.join(path, 'README.md'))}"
    file = os.path.normpath(os.path.join(path, FILES, found[0].relative_to(files)))
    return f"add --plugin {shlex.quote(file)}"


def _failures(repetitions: list[Repetition]) -> list[list[str]]:
    """Return why runs cannot be repeated, each reason once with the runs that have it."""
    by_reason: dict[tuple[str, ...], list[Repetition]] = {}
    for repetition in repetitions:
        if repetition.failure:
            by_reason.setdefault((repetition.failure, *repetition.causes), []).append(repetition)
    return [
        [_head(same), *(f"  {line}" for line in (f"cannot be repeated: {reason[0]}", *reason[1:]))]
        for reason, same in by_reason.items()
    ]


def _head(repetitions: list[Repetition]) -> str:
    """Return the number of a run and what it is, or the numbers of several runs."""
    if len(repetitions) > 1:
        *numbers, last = (f"{repetition.row['run']:,}" for repetition in repetitions)
        return f"runs {', '.join(numbers)} and {last}"
    row = repetitions[0].row
    parts = (row["board_name"], row["domain"], row.get("heuristic"), row.get("frontier"), row.get("player"))
    seed = None if row["seed"] is None else f"seed {row['seed']}"
    return f"run {row['run']:,}: {', '.join(str(part) for part in (*parts, seed) if part)}"


@contextlib.contextmanager
def _results(path: str) -> Iterator[tuple[Path, Callable[[str], str] | None]]:
    """Yield the folder of the results of a path, and for an archive how to load each of its plugins.

    In the context names of files are relative to those of the archive.
    """
    from searchlab.reports.archive import FILES, RESULTS, is_archive, unpacked

    with contextlib.ExitStack() as stack:
        folder = Path(path)
        if os.path.isfile(folder) and is_archive(folder):
            folder = stack.enter_context(unpacked(folder))
        elif os.path.isfile(folder) and folder.suffix == ".zip":
            raise UsageError(f"{path}: not an archive of searchlab archive, or a damaged one")
        results = folder / RESULTS
        if not os.path.isdir(results):
            yield folder, None
            return
        results, files = results.absolute(), (folder / FILES).absolute()
        if files.is_dir():
            stack.enter_context(contextlib.chdir(files))
        yield results, partial(_how_to_load, path if folder == Path(path) else "", files)


def _lines(repetition: Repetition) -> list[str]:
    """Return what differs in a run, and what may be the cause."""
    lines = [
        f"  {one.figure} {_shown(one.repeated)}, recorded {_shown(one.recorded)}" for one in repetition.differences
    ]
    causes = repetition.causes or ("the versions, the code of the plugins and the processor are those recorded",)
    return [_head([repetition]), *lines, *(f"  {cause}" for cause in causes)]


def _shown(value: Any) -> str:
    from searchlab.errors.control_characters import one_line

    if value is None:
        return "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = one_line(str(value))
    return text if len(text) <= 40 else f"{text[:37]} …"


def _as_dict(repetition: Repetition) -> dict[str, Any]:
    row = repetition.row
    return {
        "run": row["run"],
        "identity": row["identity"],
        "holds": repetition.holds,
        "differences": {one.figure: [one.recorded, one.repeated] for one in repetition.differences},
        "failure": repetition.failure or None,
        "causes": list(repetition.causes),
    }
