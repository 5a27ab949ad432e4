"""`searchlab report`: write experiments as one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import INPUT_PATH, all_versions_option, common_options, page_options
from searchlab.cli.output import check_output, page_written, put, tell
from searchlab.cli.view import stem
from searchlab.errors import UsageError
from searchlab.errors.control_characters import one_line
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from searchlab.cli.session import Session
    from searchlab.reports.report import PlayerChoice

CHOICES = ("first", "none", "all")


@click.command(
    cls=Command,
    examples=("searchlab report results/puzzles --open",),
    short_help="Write a report of experiments as one page.",
)
@click.argument("paths", type=INPUT_PATH, nargs=-1, required=True, metavar="PATH…")
@click.option(
    "--players",
    default="first",
    show_default=True,
    metavar="first|none|all|N,…",
    help="The runs that can be watched: the first solved of each configuration, of games the best and the worst; "
    "none; all; or the runs with these numbers.",
)
@all_versions_option
@page_options("the name of the first experiment")
@common_options
@click.pass_obj
def report(
    session: Session, paths: tuple[str, ...], players: str, all_versions: bool, output: Path | None, opens: bool
) -> None:
    """Write a report of experiments as one page.

    PATH is an experiment's folder, the results file in it, or a folder that `train` writes; several share one report.
    The report is one HTML file that needs no network. It contains a description with the commands to repeat it,
    coverage and means, comparisons with tests, plots to choose from, failures with their reasons, a table of all runs
    to sort and filter with their boards, and solutions and games to watch; for a training, the learning curves.
    """
    from searchlab.files import write
    from searchlab.reports.report import headline, load_experiment, report_page

    choice = _players(players)
    if isinstance(choice, tuple) and len(paths) > 1:
        raise UsageError("--players with numbers is for a single experiment: each has its own numbers")
    path = output or Path(f"{stem(paths[0])}.html")
    check_output(path)
    experiments = [
        load_experiment(each, session.plugins, choice, all_versions=all_versions) for each in dict.fromkeys(paths)
    ]
    write(path, [report_page(experiments)])
    runs = sum(len(each.table) for each in experiments)
    told = counted(runs, "run") if runs or len(experiments) > 1 else headline(experiments[0])
    put(f"{', '.join(one_line(each.name) for each in experiments)}: {told}")
    for each in experiments:
        for remark in each.remarks:
            tell(f"{each.name}: {remark}")
    page_written(path, opens=opens)


def _players(text: str) -> PlayerChoice:
    """Return the choice of runs that can be watched.

    Raises:
        UsageError: the text is not a valid choice.
    """
    for choice in CHOICES:
        if text.strip() == choice:
            return choice  # type: ignore[return-value]
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise UsageError(f"--players {text!r}: write first, none, all, or numbers of runs: 3,17") from None
