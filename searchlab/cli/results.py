"""`searchlab results`: the results of an experiment as a table; its other commands are in modules of their names."""

from __future__ import annotations

import os
import sys
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.export import export
from searchlab.cli.merge import merge
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, json_option
from searchlab.cli.selection import Selection, path_argument, selection_options
from searchlab.cli.standings import standings
from searchlab.cli.styling import styled
from searchlab.errors import did_you_mean

if TYPE_CHECKING:
    from searchlab.cli.selection import Selected

IMPORTANCE = (
    *("board_name", "heuristic", "frontier", "status", "coverage", "expanded", "seconds", "par2", "cost", "domain"),
    *("seed", "repetition", "attempt", "runs", "solved", "moves", "expanded_median", "seconds_median", "reason"),
)
OF_GAMES = (
    *("board_name", "player", "seed", "games", "score", "score_low", "score_high", "largest_tile", "status"),
    *("moves_per_second", "moves", "score_median", "seconds", "domain", "repetition", "attempt", "reason"),
)
"""Columns that are left out last where the page is narrow."""


class ShowByDefault(click.Group):
    """A group of commands whose `show` need not be written."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Let `show` have what names none of the commands."""
        first = next((argument for argument in args if not argument.startswith("-")), "")
        if first in self.commands or args[:1] in (["-h"], ["--help"]):
            return super().parse_args(ctx, args)
        if len(args) > 1 and args[0] == first and not os.path.exists(first):
            self._check_misspelt(ctx, first)
        return super().parse_args(ctx, ["show", *args])

    def _check_misspelt(self, ctx: click.Context, name: str) -> None:
        said = did_you_mean(name, self.commands)
        if said.startswith("did"):
            ctx.fail(f"no folder and no command is called {name!r}: {said}")


@click.group(cls=ShowByDefault, subcommand_metavar="[show|standings|export|merge] PATH…")
@common_options
def results() -> None:
    """Show the results of an experiment, export or merge them.

    PATH is the experiment's folder. `searchlab results PATH` is short for `searchlab results show PATH`, whose
    --help tells how to choose rows and columns.
    """


@results.command(short_help="Show results as a table (the default).")
@path_argument
@selection_options
@json_option("the table")
@common_options
def show(
    path: str,
    conditions: tuple[str, ...],
    columns: str | None,
    sort: str | None,
    group_by: str | None,
    limit: int | None,
    all_attempts: bool,
    json: bool,
) -> None:
    """Show the results of an experiment as a table, a row a run.

    PATH is the experiment's folder, or the file of results in it. With --group-by a row sums up the runs of a group:
    how many were solved, and over what all groups solved the geometric means and the medians of expanded and
    seconds, and the sum of the costs; PAR2 counts runs without a solution as twice their time limit. Of games it is
    the mean score, and how many of them reached which tiles.

    It may be run while the experiment goes on.
    """
    selection = Selection(conditions, columns, sort, group_by, limit, all_attempts)
    selected = selection.of(path, for_people=not json)
    if json:
        from searchlab.reports.cells import plain_rows

        put(as_json(plain_rows(selected.table)), end="")
        return
    importance = (
        list(selected.table.columns)
        if columns
        else [*selection.grouped_by, *IMPORTANCE[:1], *selection.sorted_by, *_importance(selected)]
    )
    for line in _page(selected, importance):
        put(line)


def _importance(selected: Selected) -> list[str]:
    """Return the columns that are left out last where the page is narrow, those first that are left out last."""
    from searchlab.experiments.game_aggregates import REACHED
    from searchlab.experiments.kinds import GAMES, kind_of

    if kind_of(selected.runs) is not GAMES:
        return list(IMPORTANCE)
    rates = [str(name) for name in selected.table.columns if str(name).startswith(REACHED)]
    first = OF_GAMES.index("moves_per_second")
    return [*OF_GAMES[:first], *reversed(rates), *OF_GAMES[first:]]


def _page(selected: Selected, importance: list[str]) -> list[str]:
    """Return what is shown to people."""
    from searchlab.cli.fitting import columns_of, fitted
    from searchlab.cli.layout import page_width, shows_colour

    if selected.runs.empty:
        return [f"none of the {selected.total:,} runs is meant" if selected.total else "there are no runs yet"]
    width = page_width()
    notes = list(selected.notes)
    (heading, *lines), left_out = fitted(columns_of(selected.table), width, importance)
    if left_out:
        notes.append(f"left out, as the page is narrow: {', '.join(left_out)} (--columns chooses)")
    if shows_colour(sys.stdout):
        heading = styled(heading, bold=True)
    summary = wrap(_summary(selected), width)
    return [heading, *lines, "", *summary, *(line for note in notes for line in wrap(note, width))]


def _summary(selected: Selected) -> str:
    """Return how many runs there are, and how they ended."""
    counts = selected.runs["status"].value_counts()
    ended = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    number = len(selected.runs)
    of_total = "" if number == selected.total else f" of {selected.total:,}"
    shown = len(selected.table)
    first = "" if shown == selected.rows else f"the first {shown:,} of {selected.rows:,} rows; "
    return f"{first}{number:,}{of_total} run{'s' * (number != 1)}: {ended}"


results.add_command(standings)
results.add_command(export)
results.add_command(merge)
