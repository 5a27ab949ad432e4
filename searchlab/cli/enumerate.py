"""`searchlab enumerate`: the whole state space of a board, depth by depth."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import accumulate, count, zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.options import (
    OUTPUT_PATH,
    common_options,
    domain_options,
    engine_option,
    json_option,
    limit_options,
    limits_of,
)
from searchlab.cli.output import as_json, page_width, put, tell_error
from searchlab.cli.process import INTERRUPTED, LIMIT_REACHED, exit_now
from searchlab.errors.cached import cached_property
from searchlab.errors.control_characters import one_line
from searchlab.errors.standard_output import standard_output
from searchlab.model.domain_parts import LAYER_COLUMNS
from searchlab.model.formatting import counted, duration, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.progress import SearchDisplay, SearchNotices
    from searchlab.cli.session import Session
    from searchlab.experiments.published import PublishedRow
    from searchlab.plugins.registry import Plugins
    from searchlab.search.readable.enumeration import Layer, Layers

COLUMNS = ("depth", "states", *LAYER_COLUMNS)
WIDTHS = (5, 13, 11, 11, 13, 9)
IMPORTANCE = (0, 1, 2, 3, 5, 4)
"""The columns by number; the last ones are omitted first on a narrow page."""
EXIT_CODES = {"complete": 0, "interrupted": INTERRUPTED}


@click.command(
    "enumerate",
    cls=Command,
    examples=(
        "searchlab enumerate --domain 2048:n=2",
        "searchlab enumerate sliding-tile/puzzle8-20 --csv depths.csv",
    ),
)
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@engine_option()
@limit_options
@click.option(
    "--threads",
    type=click.IntRange(1, 1024),
    metavar="N",
    help="Number of cores that share the work (default: all). The table is the same.",
)
@click.option("--csv", type=OUTPUT_PATH, metavar="FILE", help="Write the table to a file as well.")
@json_option("the table")
@common_options
@click.pass_obj
def enumerate(  # noqa: A001 - the command's name
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    engine: str,
    time_limit: float | None,
    memory_limit: int | None,
    max_expansions: int | None,
    threads: int | None,
    csv: Path | None,
    json: bool,
) -> int:
    """Visit the whole state space of a board, depth by depth.

    BOARD is a board file, the name of a board that ships with searchlab, or - for standard input; by default it is the
    start board of the domain, and the domain is 2048. If a goal ends the game, the successors of goals are not visited.

    The table shows for each depth the number of new states, of dead ends (no move continues the game), of goals, and of
    moves that end the game, and the largest tile so far. A domain may rename or omit columns; --csv and --json always
    have all of them.

    Exit codes: 0 complete, 2 a usage error, 3 a limit was reached, 4 an error in a plugin, 5 the machine failed (a full
    disk), 130 interrupted.
    """
    from searchlab.cli.arguments import DomainChoice, board_and_domain
    from searchlab.cli.progress import search_progress
    from searchlab.search.enumeration import enumerate_states
    from searchlab.search.watch import Watch

    if csv:
        from searchlab.files import check_writable

        check_writable(csv)
    start, chosen = board_and_domain(board, DomainChoice(domain, goal, session.plugins))
    limits = limits_of(time_limit, memory_limit, max_expansions)
    published = _published(board, chosen, session.plugins)
    table = LayerTable(chosen.component.views.layer_columns, published)

    with search_progress(limits) as progress:
        watch = Watch(limits, progress)

        def finish(status: str, reason: str = "") -> int:
            return _finish(table, watch.began, str(chosen), csv, status, reason, json=json)

        def report_and_exit(status: str, reason: str) -> None:
            progress.clear()
            exit_now(partial(finish, status, reason))

        layers = enumerate_states(start, chosen, watch, engine=engine, threads=threads, on_timeout=report_and_exit)
        status = _follow(layers, table, progress, shown=not json)
    return finish(status)


def _published(board: str | None, domain: BoundDomain, plugins: Plugins) -> PublishedRow | None:
    """Return the published numbers of states beside the board, or among the shipped boards of the domain."""
    from searchlab.board.files import board_folder
    from searchlab.experiments.published import growth

    place = board_folder(board or f"{domain.component.name}/start")
    return growth(str(domain), place[0], plugins) if place else None


def _finish(
    table: LayerTable, began: float, domain: str, csv: Path | None, status: str, reason: str = "", *, json: bool
) -> int:
    """Print the end of an enumeration's output, and write the file; return the exit code.

    Args:
        table: the layers.
        began: the start on the clock of `time.perf_counter`, moved forward by the time that does not count.
        domain: the name of the domain.
        csv: the file, or None.
        status: the status of the enumeration.
        reason: the error message of one that did not return.
        json: whether to print JSON.
    """
    table.verdict, table.seconds = status, time.perf_counter() - began
    if reason:
        tell_error(reason)
    if json:
        put(as_json({"domain": domain, "verdict": table.verdict, "layers": list(map(asdict, table.layers))}), end="")
    else:
        for line in table.summary():
            put(line)
    if csv:
        from searchlab.files import write

        write(csv, (f"{line}\n" for line in table.rows()))
    return EXIT_CODES.get(table.verdict, LIMIT_REACHED)


@dataclass
class LayerTable:
    """The layers of an enumeration, its outcome, and its duration.

    Args:
        names: the domain's names of the columns, see `Views.layer_columns`.
        published: the published numbers of states, if there are any.

    Attributes:
        layers: the layers so far.
        verdict: `complete`, or the status of an incomplete enumeration.
        seconds: the duration.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    published: PublishedRow | None = None
    layers: list[Layer] = field(default_factory=list)
    verdict: str = ""
    seconds: float = 0.0

    def rows(self) -> Iterable[str]:
        """Yield the lines of a CSV file."""
        yield ",".join(name.replace(" ", "_") for name in COLUMNS)
        for layer in self.layers:
            yield ",".join(map(str, _values(layer)))

    @cached_property
    def headings(self) -> list[str]:
        """The headings of the columns; empty for columns that the domain omits."""
        return [one_line(self.names.get(name, name)) for name in COLUMNS]

    @cached_property
    def widths(self) -> list[int]:
        """How wide each column is."""
        further = zip(WIDTHS[1:], self.headings[1:], strict=True)
        return [WIDTHS[0], *(max(width, len(name) + 2) for width, name in further)]

    @cached_property
    def shown(self) -> list[int]:
        """The numbers of the columns that fit the page, in their order; rows are printed before all are known."""
        wanted = [number for number in IMPORTANCE if self.headings[number]]
        ends = accumulate(self.widths[number] for number in wanted)
        return sorted(number for number, end in zip(wanted, ends, strict=True) if end <= page_width())

    def row(self, texts: Sequence[str]) -> str:
        """Return a line of the table from the texts of all columns."""
        return "".join(f"{texts[number]:>{self.widths[number]}}" for number in self.shown)

    def summary(self) -> Iterable[str]:
        """Yield the lines below the table, which fit the page."""
        states = sum(layer.states for layer in self.layers)
        dead_ends = sum(layer.dead_ends for layer in self.layers)
        ended = sum(layer.ended for layer in self.layers)
        verdict = "complete" if self.verdict == "complete" else f"incomplete ({self.verdict})"
        counts = [counted(states, "state")]
        counts += [counted(dead_ends, "dead end")] if self.headings[COLUMNS.index("dead ends")] else []
        counts += [f"{counted(ended, 'move')} with which the game is over"] if ended else []
        lines = [f"{verdict}: {', '.join(counts)}"]
        if self.layers:
            deepest = f"deepest layer {max(layer.depth for layer in self.layers if layer.states)}"
            lines.append(f"{deepest}{self._largest()}")
        lines += self._beside_published()
        lines.append(f"{duration(self.seconds)}, {rounded(states / max(self.seconds, 1e-9))} states/s")
        left_out = [self.headings[number] for number in sorted({*IMPORTANCE} - {*self.shown}) if self.headings[number]]
        if left_out:
            lines.append(f"hidden (narrow terminal): {', '.join(left_out)} (--csv and --json have all)")
        yield ""
        for line in lines:
            yield from wrap(line, page_width())

    def _beside_published(self) -> list[str]:
        """Return a line that says whether the published numbers of states are the same."""
        if self.published is None or not self.layers:
            return []
        source = f"{self.published.paper.short}, {self.published.name}"
        ours = [layer.states for layer in self.layers if layer.states]
        theirs = self.published.layers if self.verdict == "complete" else self.published.layers[: len(ours)]
        for depth, (here, there) in zip(count(), zip_longest(ours, theirs, fillvalue=0), strict=False):
            if here != there:
                return [f"published: {there:,} states at depth {depth}, not {here:,} ({source})"]
        return [f"published: the same {counted(len(ours), 'number')} ({source})"]

    def _largest(self) -> str:
        """Return the remark on the largest tile; `""` if the domain omits it."""
        if not self.headings[COLUMNS.index("largest")]:
            return ""
        most = self.layers[-1].largest
        first = next(layer.depth for layer in self.layers if layer.largest == most)
        name = self.names.get("largest", "largest tile")
        return f", {one_line(name)} {most}, first after {counted(first, 'move')}"


def _follow(layers: Layers, table: LayerTable, progress: SearchDisplay | SearchNotices, *, shown: bool) -> str:
    """Add the layers to the table as they are completed, and print them; return how the enumeration ended."""
    if shown:
        put(table.row(table.headings))
    while True:
        try:
            layer = next(layers)
        except StopIteration as end:
            return str(end.value)
        table.layers.append(layer)
        if shown:
            progress.clear()
            put(table.row([f"{value:,}" for value in _values(layer)]))
            if stream := standard_output():
                stream.flush()


def _values(layer: Layer) -> tuple[int, ...]:
    return layer.depth, layer.states, layer.dead_ends, layer.goals, layer.ended, layer.largest
