"""`searchlab evaluate`: the values of heuristics on boards."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    common_options,
    component_option,
    domain_options,
    json_option,
    memory_limit_option,
)
from searchlab.cli.output import as_json, put, tell, warn
from searchlab.cli.process import PLUGIN_FAILED, REFUSED, within_limits
from searchlab.cli.progress import evaluation_progress
from searchlab.errors import BoardError, PluginCode, PluginError, UsageError
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.instance_files import NamedInstance
    from searchlab.board.board import Board
    from searchlab.cli.session import Session
    from searchlab.plugins.registry import Plugins


FAILED = "failed"


@click.command(
    cls=Command,
    examples=(
        "searchlab evaluate 2048",
        "searchlab evaluate sliding-tile --heuristic taxicab --heuristic misplaced",
    ),
)
@click.argument("boards", nargs=-1, required=True, metavar="BOARD…")
@domain_options
@component_option(
    "heuristic",
    "Heuristic to show (default: all of the board's domain); FILE.py:function names your own; may be repeated.",
    several=True,
)
@memory_limit_option("heuristics")
@json_option("the values")
@common_options
@click.pass_obj
@within_limits()
def evaluate(
    session: Session,
    boards: tuple[str, ...],
    domain: str | None,
    goal: str | None,
    heuristic: tuple[str, ...],
    json: bool,
) -> int:
    """Show the values of heuristics on boards.

    BOARD is a board file, a folder or a pattern of such files, the name of boards that ship with searchlab
    (2048/board10, or all of 2048), or - for standard input. A file that cannot be used is named in a warning, and
    the others are shown; the exit code is then 1.
    """
    from searchlab.cli.arguments import DomainChoice, direction_hint, read_named_boards, report_guess

    choice = DomainChoice(domain, goal, session.plugins)
    refused: list[BoardError] = []
    named_boards, domains = [], []
    for named in read_named_boards(boards, choice, refused.append):
        try:
            domains.append(choice.of(named))
            named_boards.append(named)
        except BoardError as error:
            refused.append(error)
    if not named_boards:
        raise refused[0]
    for each in refused:
        warn(str(each))
    wanted = {str(d): _heuristics(heuristic, d, session.plugins) for d in domains}
    for guess in {str(d): d for s, d in zip(named_boards, domains, strict=True) if choice.is_guess(s)}.values():
        report_guess(guess)
    without_table: dict[tuple[str, str], set[str]] = {}
    ready: list[tuple[list[BoundHeuristic], list[Board]]] = []
    together: dict[tuple[str, str], tuple[BoundDomain, list[Board]]] = {}
    for named, on in zip(named_boards, domains, strict=True):
        together.setdefault(on.key, (on, []))[1].append(named.board)
    for key, (on, boards_on) in together.items():
        of_domain = wanted[str(on)]
        without_table[key] = _prepare(of_domain, on, boards_on, are_named=bool(heuristic))
        with_table = [h.on(on) for name, h in of_domain.items() if h is not None and name not in without_table[key]]
        ready.append((with_table, boards_on))
    with evaluation_progress() as show:
        for with_tables, boards_on in ready:
            _evaluate_together(with_tables, boards_on, show)
        rows = [
            _row(named, d, wanted[str(d)], without_table[d.key], show)
            for named, d in zip(named_boards, domains, strict=True)
        ]
    _show(rows, json=json)
    if not json:
        for name, shown in {name: h for of_domain in wanted.values() for name, h in of_domain.items()}.items():
            has_values = any(row["values"].get(name) is not None for row in rows)
            if shown is not None and shown.direction and has_values:
                put(f"{name}: {shown.direction}")
                hint = direction_hint(shown, name, session.plugins)
                if hint:
                    tell(hint)
    failed = any(value is None for row in rows for value in row["values"].values())
    if failed:
        return PLUGIN_FAILED
    return REFUSED if refused else 0


def _prepare(
    heuristics: dict[str, BoundHeuristic | None], domain: BoundDomain, boards: Sequence[Board], *, are_named: bool
) -> set[str]:
    """Build the heuristics' tables for boards; return the names of heuristics whose tables fail, after a warning.

    Heuristics that were not named are removed if they have no tables for such boards.
    """
    failed = set()
    for name, heuristic in tuple(heuristics.items()):
        if heuristic is None:
            continue
        try:
            for board in {board.shape: board for board in boards}.values():
                domain.prepare(board, heuristic.on(domain))
        except PluginError as error:
            warn(f"heuristic {heuristic} failed: {error}")
            failed.add(name)
        except UsageError as error:
            if are_named:
                raise
            tell(f"heuristic {heuristic} is left out: {error}")
            del heuristics[name]
    return failed


def _heuristics(names: Sequence[str], domain: BoundDomain, plugins: Plugins) -> dict[str, BoundHeuristic | None]:
    """Return the named heuristics by name; by default all of a domain that need neither a file nor a heuristic.

    A heuristic from an unusable file is None, after a warning, if there is another.
    """
    from searchlab.binding.names import parse_name
    from searchlab.plugins import lookup
    from searchlab.plugins.found import serves

    shown: dict[str, BoundHeuristic | None] = {}
    faults: list[UsageError] = []
    for name in names:
        try:
            shown[name] = lookup.heuristic(name, domain=domain, plugins=plugins)
        except UsageError as error:
            if not parse_name(name).file:
                raise
            faults.append(error)
            shown[name] = None
    if names:
        if all(heuristic is None for heuristic in shown.values()):
            raise faults[0]
        for fault in faults:
            warn(str(fault))
        return shown
    for registered in plugins.all("heuristic"):
        component, plugin = registered.component, registered.plugin
        needs_value = any(parameter.kind and not parameter.default for parameter in component.parameters)
        if serves(component, domain) and not needs_value:
            heuristic = lookup.heuristic(component, domain=domain, plugins=plugins)
            shown[f"{plugin.name}/{component.name}" if str(heuristic) in shown else str(heuristic)] = heuristic
    return shown


def _evaluate_together(
    heuristics: Iterable[BoundHeuristic], boards: Sequence[Board], show: Callable[[str], None]
) -> None:
    """Evaluate all boards in batches; a heuristic that fails here will fail again, on the board in question."""
    for heuristic in heuristics:
        show(f"heuristic {heuristic} on {counted(len(boards), 'board')}")
        with suppress(PluginError, UsageError), PluginCode():
            heuristic.evaluate_together(boards)


def _row(
    named: NamedInstance,
    domain: BoundDomain,
    heuristics: dict[str, BoundHeuristic | None],
    failed: Container[str],
    show: Callable[[str], None],
) -> dict[str, Any]:
    """Return the values of a board by heuristic, None for heuristics that failed."""
    values: dict[str, float | None] = {}
    for name, heuristic in heuristics.items():
        show(f"heuristic {name if heuristic is None else heuristic} on {named.name}")
        if heuristic is None or name in failed:
            values[name] = None
        else:
            values[name] = _value(heuristic.on(domain), named.board)
    return {"board": named.name, "domain": str(domain), "values": values}


def _value(heuristic: BoundHeuristic, board: Board) -> float | None:
    """Return the heuristic's value, or None after a warning if it fails."""
    from searchlab.binding.bound import NoNumber

    try:
        with PluginCode(let_through=(PluginError, UsageError, NoNumber)):
            value = heuristic.value(board)
    except NoNumber as error:
        warn(f"heuristic {heuristic} returned {error}")
        return None
    except PluginError as error:
        warn(f"heuristic {heuristic} failed: {error}")
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _show(rows: list[dict[str, Any]], *, json: bool) -> None:
    """Print the values: as JSON, or as a table for each domain."""
    if json:
        put(as_json(rows), end="")
        return
    domains = list(dict.fromkeys(row["domain"] for row in rows))
    for number, domain in enumerate(domains):
        if len(domains) > 1:
            put(f"{'' if number == 0 else chr(10)}{domain}")
        for line in _table([row for row in rows if row["domain"] == domain]):
            put(line)


def _table(rows: list[dict[str, Any]]) -> list[str]:
    """Return a table with a board a row, or with a heuristic a row if only that fits the page."""
    from searchlab.cli.layout import table_in_parts, table_width
    from searchlab.cli.output import page_width
    from searchlab.model.formatting import value

    names = list(rows[0]["values"])
    cells = [[FAILED if v is None else value(v) for v in row["values"].values()] for row in rows]
    by_board = [["board", *names], *([row["board"], *line] for row, line in zip(rows, cells, strict=True))]
    by_heuristic = [list(column) for column in zip(*by_board, strict=True)]
    by_heuristic[0][0] = "heuristic"
    width = page_width()
    only_other_way_fits = table_width(by_heuristic) <= width < table_width(by_board)
    return table_in_parts(by_heuristic if only_other_way_fits else by_board, width)
