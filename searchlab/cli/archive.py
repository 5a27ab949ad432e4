"""`searchlab archive`: write an experiment, with all that it needs to be repeated, as one zip file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import OUTPUT_PATH, common_options, path_argument
from searchlab.cli.output import put, tell
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from searchlab.cli.session import Session

LARGEST_SUPPLEMENT = 50 * 10**6
"""The bytes that conferences take as supplementary material."""


@click.command(
    cls=Command,
    examples=(
        "searchlab archive results/puzzle8-2",
        "searchlab archive results/puzzle8-2 --anonymous --output supplement.zip",
    ),
    short_help="Write an experiment with all it needs as one zip file.",
)
@path_argument
@click.option(
    "--anonymous", is_flag=True, help="Replace names of machines and of the user, and paths, and say how many."
)
@click.option("--output", type=OUTPUT_PATH, metavar="FILE", help="The zip file (default: NAME.zip, here).")
@common_options
@click.pass_obj
def archive(session: Session, path: str, anonymous: bool, output: Path | None) -> None:
    """Write an experiment with all it needs as one zip file.

    PATH is the experiment's folder. The archive has the results, the experiment, boards, the code of plugins, searchlab
    itself, the versions of all packages, a table of all runs, a README with the two commands that verify it on another
    machine, and a description for machines (RO-Crate). Files are found by their names in the results. So run the
    command in the folder in which the experiment was run, and name files of plugins with --plugin.

    With --anonymous the names of machines, the user's name and absolute paths are replaced, for a review in which
    authors must not be known. A plugin or board file that contains such a name is refused; change it first.
    """
    from searchlab.cli.output import check_output
    from searchlab.cli.view import stem
    from searchlab.model.formatting import memory
    from searchlab.reports.archive import write_archive

    file = output or Path(f"{stem(path)}.zip")
    check_output(file)
    report = write_archive(Path(path), file, session.plugins, anonymous=anonymous)
    put(f"{file}: {counted(report.runs, 'run')}, {counted(report.files, 'further file')}, {memory(report.size)}")
    if anonymous:
        said = ", ".join(f"{what} {count:,} ×" for what, count in report.replaced.items())
        put(f"replaced: {said or 'nothing was there to replace'}")
    if report.size > LARGEST_SUPPLEMENT:
        tell("conferences take supplements of up to 50 MB: certificates and solutions are the largest part")
