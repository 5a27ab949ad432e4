"""`searchlab evaluate`: the values of heuristics on boards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.messages import show, warn
from searchlab.cli.options import json_option, lookup_options
from searchlab.cli.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.board import Board
    from searchlab.bound import BoundDomain, BoundHeuristic
    from searchlab.cli.subjects import Subject
    from searchlab.plugins import Plugins

HEURISTIC_FAILED = 4
FAILED = "failed"


@click.command()
@click.argument("boards", nargs=-1, required=True, metavar="BOARD…")
@lookup_options
@click.option(
    "--heuristic",
    "heuristics",
    multiple=True,
    metavar="NAME",
    help="May be repeated; FILE.py:function will do. By default all of the board's domain.",
)
@json_option("the values")
@click.pass_obj
def evaluate(
    session: Session,
    boards: tuple[str, ...],
    domain: str | None,
    goal: str | None,
    heuristics: tuple[str, ...],
    as_json: bool,
) -> int:
    """Show the values of heuristics on boards.

    BOARD is a board file, a folder or a pattern of such files, the name of boards that ship with searchlab
    (2048/board10, or all of 2048), or - for standard input.
    """
    from searchlab.cli.subjects import Choice, read_subjects, tell_guess

    choice = Choice(domain, goal, session.plugins)
    subjects = read_subjects(boards)
    domains = [choice.of(subject) for subject in subjects]
    wanted = {str(d): _heuristics(heuristics, d, session.plugins) for d in domains}
    for guess in {str(d): d for s, d in zip(subjects, domains, strict=True) if choice.is_guess(s)}.values():
        tell_guess(guess)
    rows = [_row(s, d, wanted[str(d)]) for s, d in zip(subjects, domains, strict=True)]
    _show(rows, as_json=as_json)
    failed = any(value is None for row in rows for value in row["values"].values())
    return HEURISTIC_FAILED if failed else 0


def _heuristics(names: Sequence[str], domain: BoundDomain, plugins: Plugins) -> dict[str, BoundHeuristic]:
    """Return the heuristics that were named, else all for a domain, by the names under which they are shown."""
    from searchlab import api

    if names:
        named = [(name, api.heuristic(name, domain=domain, plugins=plugins)) for name in names]
    else:
        fitting = [r for r in plugins.all("heuristic") if domain.name in (r.component.domains or {domain.name})]
        named = [
            (f"{r.plugin.name}/{r.component.name}", api.heuristic(r.component, domain=domain, plugins=plugins))
            for r in fitting
        ]
    shown: dict[str, BoundHeuristic] = {}
    for name, heuristic in named:
        taken = shown.get(str(heuristic))
        other = taken is not None and taken.component is not heuristic.component
        shown[name if other else str(heuristic)] = heuristic
    return shown


def _row(subject: Subject, domain: BoundDomain, heuristics: dict[str, BoundHeuristic]) -> dict[str, Any]:
    values = {name: _value(heuristic, subject.board) for name, heuristic in heuristics.items()}
    return {"board": subject.name, "domain": str(domain), "values": values}


def _value(heuristic: BoundHeuristic, board: Board) -> float | None:
    """Return the heuristic's value, None if it fails, which is told."""
    from searchlab.plugins import source_of

    try:
        value = heuristic(board)
        number = float(value)
    except Exception as error:  # noqa: BLE001 - whatever a plugin's own code raises
        what = f"{type(error).__name__}: {error}".removesuffix(": ")
        warn(f"heuristic {heuristic} ({source_of(heuristic.component)}) failed: {what}")
        return None
    return int(value) if isinstance(value, int) or number.is_integer() else number


def _show(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print the values: as JSON, or as a table for each domain."""
    if as_json:
        from searchlab.cli.as_json import as_json as in_json

        show(in_json(rows), end="")
        return
    domains = list(dict.fromkeys(row["domain"] for row in rows))
    for number, domain in enumerate(domains):
        if len(domains) > 1:
            show(f"{'' if number == 0 else chr(10)}{domain}")
        for line in _table([row for row in rows if row["domain"] == domain]):
            show(line)


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table with a board a row; where only the other way round fits the page, with a heuristic a row."""
    from searchlab.cli.figures import value
    from searchlab.cli.layout import page_width, table, table_width

    names = list(rows[0]["values"])
    cells = [[FAILED if v is None else value(v) for v in row["values"].values()] for row in rows]
    by_board = [["board", *names], *([row["board"], *line] for row, line in zip(rows, cells, strict=True))]
    by_heuristic = [["heuristic", *by_board_column] for by_board_column in [[row["board"] for row in rows]]]
    by_heuristic += [list(line) for line in list(zip(*by_board, strict=True))[1:]]
    width = page_width()
    fits = [
        table_width([max(map(len, column)) for column in zip(*lines, strict=True)]) <= width
        for lines in (by_board, by_heuristic)
    ]
    lines = by_heuristic if fits == [False, True] else by_board
    return table(lines[0], lines[1:], width)
