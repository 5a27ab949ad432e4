"""`searchlab plugins check`: the contract of a component, property by property."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from searchlab.board.display import longest_tile
from searchlab.cli.help import Command
from searchlab.cli.layout import side_by_side
from searchlab.cli.options import SECONDS, common_options, json_option, memory_limit_option
from searchlab.cli.output import as_json, page_width, put, put_wrapped, writes_to_terminal
from searchlab.cli.progress import live_status
from searchlab.errors.control_characters import escaped
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from searchlab.cli.session import Session
    from searchlab.model.instance import Instance
    from searchlab.plugins.registry import Plugins
    from searchlab.search.watch import Watch
    from searchlab.testing.contract import Contract
    from searchlab.testing.finder import Subject
    from searchlab.testing.report import Finding, Property, Report

FAILED = 1
BEYOND = 1.25
"""Factor by which the process may exceed the memory limit before it is ended; at the limit the check gives up."""
STYLES = {"passed": "green", "failed": "bold red", "skipped": "dim", "info": "cyan"}
INDENT = " " * 26
LARGEST_SHOWN = 12
"""The longest side of a board to draw; a larger board is shown by name."""


@click.command(
    cls=Command,
    examples=(
        "searchlab plugins check taxicab",
        "searchlab plugins check my_heuristics.py",
    ),
    short_help="Check a heuristic, a domain or any other component.",
)
@click.argument("name", nargs=-1, required=True, metavar="[KIND] NAME|FILE")
@click.option("--domain", metavar="NAME", default="", help="The domain to check a heuristic or a player on.")
@click.option("--board", metavar="BOARD", help="A board to check on in place of the domain's own.")
@click.option(
    "--seconds",
    type=SECONDS,
    show_default="20s, or SEARCHLAB_CHECK_SECONDS",
    help="Processor time for checking boards one by one.",
)
@memory_limit_option("plugin")
@click.option("--thorough", is_flag=True, help="Check every board, however long that takes.")
@click.option("--must-compile", is_flag=True, help="Fail components that run interpreted, which is only slow.")
@click.option("--verbose", is_flag=True, help="Also list the properties that were not asked about, and why.")
@json_option("the findings")
@common_options
@click.pass_obj
def check(
    session: Session,
    name: tuple[str, ...],
    domain: str,
    board: str | None,
    seconds: float | None,
    thorough: bool,
    memory_limit: int | None,
    must_compile: bool,
    verbose: bool,
    json: bool,
) -> int:
    """Check whether a heuristic, a domain or any other component keeps its contract.

    NAME may have parameters, as everywhere; FILE.py checks all components of a file, FILE.py:function one of its
    functions. KIND (domain, heuristic, frontier, player, generator, executor, metric, renderer, learner) distinguishes
    components of the same name.

    For a heuristic it checks that every board has a value, always the same, and is not changed; that the function
    compiles, to the same values; and, by exact costs, whether it is admissible and consistent. The rules of a domain
    are called twice, and compared with their compiled form. A sample of other parameters is checked, too. Other
    components are called twice for boards, pictures, values, moves or results.

    It checks boards for 20 seconds, goals and the deepest first, then the others in random order; the last line gives
    their number. If a game has too many boards to visit all, it checks samples.

    Exit codes: 0 no check failed, 1 a check failed, or some of several components cannot be checked, 2 a usage error.
    """
    from searchlab.cli.arguments import kind_and_name
    from searchlab.cli.process import held_to_limits, report_end
    from searchlab.search.watch import resident_bytes, share_of_memory
    from searchlab.testing.contract import Contract, contracts
    from searchlab.testing.finder import CHECKED, Finder

    kind, wanted = kind_and_name(name, CHECKED)
    chosen = _board(board, domain, wanted, session.plugins)
    session.reports_problems = False
    memory = BEYOND * (share_of_memory() if memory_limit is None else memory_limit)
    reports: list[Report] = []
    contract: Contract | None = None

    def report_hung(status: str, why: str) -> int:
        if status == "interrupted" or contract is None:
            return report_end(status, why, json=json)
        return _print_reports([*reports, contract.ended(f"{status}: {why}")], json=json)

    def begin(subject: Subject) -> Subject:
        watch.resident = resident_bytes()
        return subject

    with _progress() as show, held_to_limits(int(memory), report_hung) as watch:
        finder = Finder(session.plugins, domain, chosen, kind)
        found = contracts(
            map(begin, finder.find(wanted)),
            board=chosen,
            seconds=seconds,
            thorough=thorough,
            memory=memory_limit,
            must_compile=must_compile,
        )
        for each in found:
            if not isinstance(each, Contract):
                reports.append(each)
                continue
            contract = each
            reports.append(contract.report(partial(_begin_property, contract, watch, show)))
            contract = None
    code = _print_reports(reports, json=json, verbose=verbose)
    unchecked = [] if kind or json else finder.unchecked(wanted)
    if unchecked:
        put("")
        put_wrapped(f"not checked: {', '.join(unchecked)}")
    return code


def _begin_property(
    contract: Contract,
    watch: Watch,
    show: Callable[[str, Property, int, int], None],
    asked: Property,
    number: int,
    of: int,
) -> None:
    """Show which property is checked now."""
    from searchlab.search.watch import resident_bytes

    if contract.is_stuck:
        watch.resident = resident_bytes()  # what was taken before the check was given up is known
    show(contract.subject.name, asked, number, of)


def _print_reports(reports: Sequence[Report], *, json: bool, verbose: bool = False) -> int:
    """Print reports; return the exit code.

    Args:
        verbose: whether to print skipped findings in full instead of as a list of names.
    """
    if json:
        put(as_json([report.as_dict() for report in reports]), end="")
    else:
        for number, report in enumerate(reports):
            _print(report, first=number == 0, verbose=verbose)
    return 0 if all(report.passed for report in reports) else FAILED


def _board(name: str | None, domain: str, wanted: str, plugins: Plugins) -> Instance | None:
    """Return the board or the instance to check on; the checked plugin file may define its format."""
    from searchlab.binding.names import parse_name
    from searchlab.cli.arguments import DomainChoice, read_named_board

    if name is None:
        return None
    file = wanted if wanted.endswith(".py") else parse_name(wanted).file
    if file:
        plugins.load_file(file)
    return read_named_board(name, DomainChoice(domain or None, None, plugins)).instance


@contextmanager
def _progress() -> Iterator[Callable[[str, Property, int, int], None]]:
    """Show the property being checked on standard error during the context, if that is a terminal."""
    with live_status() as show:
        show("finding boards to check on …")
        yield lambda name, asked, number, of: show(f"{name}: {asked.question} ({number} of {of})")


def _print(report: Report, *, first: bool, verbose: bool) -> None:
    if not first:
        put("")
    put(f"{report.kind} {report.name}" + (f" ({report.source})" if report.source else ""))
    for ground in report.grounds:
        put_wrapped(f"on {ground}", "  ")
    put("")
    listed = [(asked, finding) for asked, finding in report.findings if verbose or finding.status != "skipped"]
    if writes_to_terminal():
        _print_table(listed)
    else:
        for line in _lines(listed, page_width()):
            put(line)
    skipped = [asked.name for asked, finding in report.findings if (asked, finding) not in listed]
    if skipped:
        head = "not applicable" if report.passed else "not checked"
        put_wrapped(f"{head}: {', '.join(skipped)} (--verbose says why)", "  ")
    put("")
    put_wrapped(_summary(report))


def _summary(report: Report) -> str:
    from searchlab.testing.report import share_of

    failed = [asked.name for asked, finding in report.findings if finding.status == "failed"]
    if failed:
        return f"{report.name} fails {len(failed)} of {len(report.findings)}: {', '.join(failed)}"
    kept = f"{report.name} keeps its contract"
    if report.looked < report.of:
        kept += f" on {share_of(report.looked, report.of)} (--thorough looks at every one)"
    return f"{kept}; it is slow: see compiles" if report.is_interpreted else kept


def _lines(findings: Iterable[tuple[Property, Finding]], width: int) -> list[str]:
    """Return the findings as lines: status, name and, beside them, the message."""
    from textwrap import wrap

    lines = []
    for asked, finding in findings:
        head = f"  {finding.status:<8} {asked.name:<15}"
        room = max(30, width - len(INDENT))
        for number, line in enumerate(wrap(finding.message, room, break_long_words=False)):
            lines.append(f"{head if number == 0 else INDENT}{line}")
        lines += [f"{INDENT}{line}" for line in _boards(finding, room)]
    return lines


def _boards(finding: Finding, width: int) -> list[str]:
    """Return the boards of a finding, side by side below their captions."""
    blocks = []
    for caption, board in finding.boards:
        if max(board.shape) > LARGEST_SHOWN:
            blocks.append([caption, repr(board)])
            continue
        _, *rows = board.text(longest_tile(board) + 1).splitlines()
        blocks.append([caption, *rows])
    return side_by_side(blocks, width) if blocks else []


def _print_table(findings: Iterable[tuple[Property, Finding]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    console: Any = Console(file=standard_output(), highlight=False)
    for asked, finding in findings:
        said = "\n".join([finding.message, *_boards(finding, console.width - len(INDENT))])
        style = STYLES[finding.status]
        quiet = "dim" if finding.status == "skipped" else ""
        table.add_row(Text(finding.status, style), Text(asked.name), Text(escaped(said), quiet))
    console.print(table)
