"""`searchlab results export`: results as a file for other programs, or for a paper."""

from __future__ import annotations

from pathlib import Path

import click

from searchlab.cli.figures import counted
from searchlab.cli.messages import put, put_exactly
from searchlab.cli.options import common_options
from searchlab.cli.selection import Selection, path_argument, selection_options
from searchlab.errors import UsageError


@click.command(short_help="Write results to a file: CSV, Parquet, JSON, LaTeX, Markdown.")
@path_argument
@click.option(
    "--format",
    "format_",
    type=click.Choice(["csv", "parquet", "json", "latex", "markdown"]),
    metavar="NAME",
    help="csv, parquet, json, latex or markdown; by default what the ending of the file says.",
)
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="By default standard output.")
@click.option("--safe", is_flag=True, help="CSV for a spreadsheet: an apostrophe before texts that look like formulas.")
@selection_options
@common_options
def export(
    path: str,
    format_: str | None,
    output: Path | None,
    safe: bool,
    conditions: tuple[str, ...],
    columns: str | None,
    sort: str | None,
    group_by: str | None,
    limit: int | None,
    all_attempts: bool,
) -> None:
    """Write the results of an experiment, or with --group-by what they come to, as other programs read them.

    CSV, Parquet and JSON hold every cell exactly; LaTeX (for the package booktabs) and Markdown show numbers as
    papers do, and without --columns only what says something.

    A spreadsheet takes a text that begins with = + - or @ for a formula, and runs it: with --safe such texts, in CSV,
    get an apostrophe before them. Use it for results that you did not make yourself.
    """
    from searchlab.files import check_writable, write
    from searchlab.reports.exporting import FOR_PAPERS, exported, format_of

    if output:
        check_writable(output)
        format_ = format_ or format_of(output)
    if not format_:
        raise UsageError("say where to with --output FILE, or in which --format to print")
    if format_ == "parquet" and not output:
        raise UsageError("Parquet is not for standard output; name a file with --output")
    if safe and format_ != "csv":
        raise UsageError(f"--safe is for CSV, which spreadsheets read, not for {format_}")
    selection = Selection(conditions, columns, sort, group_by, limit, all_attempts)
    selected = selection.of(path, for_people=format_ in FOR_PAPERS)
    content = exported(selected.table, format_, selected.notes, safe=safe)
    if output:
        write(output, [content])
        put(f"{output}: {counted(len(selected.table), 'row')}")
    else:
        put_exactly(str(content))
