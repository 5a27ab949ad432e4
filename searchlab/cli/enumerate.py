"""`searchlab enumerate`: the whole state space of a board, depth by depth."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.formatting import counted, duration, rounded
from searchlab.cli.options import (
    common_options,
    domain_options,
    engine_option,
    json_option,
    limit_options,
    limits_of,
)
from searchlab.cli.output import as_json, put, tell_error
from searchlab.cli.process import exit_now

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from searchlab.cli.progress import SearchDisplay
    from searchlab.cli.session import Session
    from searchlab.search.readable.enumeration import Layer, Layers

COLUMNS = ("depth", "states", "dead ends", "goals", "game over", "largest")
WIDTHS = (5, 13, 11, 11, 13, 9)
EXIT_CODES = {"complete": 0, "interrupted": 130}
LIMIT_REACHED = 3


@click.command("enumerate")
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@engine_option
@limit_options
@click.option("--csv", type=click.Path(path_type=Path), metavar="FILE", help="Write the table to a file as well.")
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
    csv: Path | None,
    json: bool,
) -> int:
    """Visit the whole state space of a board, depth by depth.

    BOARD is a board file, the name of a board that ships with searchlab, or - for standard input; without it
    the start board of the domain, by default 2048. Where a goal ends the game, goals are not gone on from.

    The table gives for each depth the states first met there, those without a move the game goes on after
    (dead ends), those that are goals, the moves with which the game is over, and the largest tile so far.

    Exit codes: 0 complete, 2 a usage error, 3 a limit was reached, 4 an error in a plugin, 5 the machine failed (a
    full disk), 130 interrupted.
    """
    from searchlab.cli.arguments import DomainChoice, board_and_domain
    from searchlab.cli.progress import search_progress
    from searchlab.search.enumeration import enumerate_states

    if csv:
        from searchlab.files import check_writable

        check_writable(csv)
    start, chosen = board_and_domain(board, DomainChoice(domain, goal, session.plugins))
    limits = limits_of(time_limit, memory_limit, max_expansions)
    table = Table()

    def tell_table() -> int:
        return _tell(table, str(chosen), csv, json=json)

    with search_progress(limits) as progress:

        def leave(status: str, why: str) -> None:
            if progress:
                progress.clear()
            table.end(status)
            tell_error(why)
            exit_now(tell_table)

        def words() -> Callable[[str, str], int]:
            return partial(_tell_outside, table, str(chosen), csv, json=json)

        layers = enumerate_states(
            start, chosen, limits=limits, progress=progress, engine=engine, on_timeout=leave, make_fallback=words
        )
        _follow(layers, table, progress, shown=not json)
    return tell_table()


def _tell_outside(table: Table, domain: str, csv: Path | None, status: str, why: str, *, json: bool) -> int:
    """Tell, in another process, of an enumeration that never comes back; return the exit code."""
    table.end(status)
    tell_error(why)
    return _tell(table, domain, csv, json=json)


def _tell(table: Table, domain: str, csv: Path | None, *, json: bool) -> int:
    """Print what is left to be said once an enumeration is over, and write the file; return the exit code."""
    if json:
        put(
            as_json({"domain": domain, "verdict": table.verdict, "layers": list(map(asdict, table.layers))}),
            end="",
        )
    else:
        for line in table.summary():
            put(line)
    if csv:
        from searchlab.files import write

        write(csv, (f"{line}\n" for line in table.rows()))
    return EXIT_CODES.get(table.verdict, LIMIT_REACHED)


@dataclass
class Table:
    """The layers of an enumeration, how it ended and how long it took."""

    layers: list[Layer] = field(default_factory=list)
    verdict: str = ""
    seconds: float = 0.0
    _began: float = field(default_factory=time.perf_counter)

    def end(self, verdict: str) -> None:
        """Note how it ended, and when."""
        self.verdict, self.seconds = verdict, time.perf_counter() - self._began

    def rows(self) -> Iterable[str]:
        """Yield the lines of a CSV file."""
        yield ",".join(name.replace(" ", "_") for name in COLUMNS)
        for layer in self.layers:
            yield ",".join(map(str, _values(layer)))

    def summary(self) -> Iterable[str]:
        """Yield the lines that stand below the table."""
        states = sum(layer.states for layer in self.layers)
        dead_ends = sum(layer.dead_ends for layer in self.layers)
        ended = sum(layer.ended for layer in self.layers)
        over = f", {counted(ended, 'move')} with which the game is over" if ended else ""
        yield ""
        verdict = "complete" if self.verdict == "complete" else f"incomplete ({self.verdict})"
        yield f"{verdict}: {counted(states, 'state')}, {counted(dead_ends, 'dead end')}{over}"
        if self.layers:
            most = self.layers[-1].largest
            first = next(layer.depth for layer in self.layers if layer.largest == most)
            deepest = max(layer.depth for layer in self.layers if layer.states)
            yield f"deepest layer {deepest}, largest tile {most}, first after {counted(first, 'move')}"
        yield f"{duration(self.seconds)}, {rounded(states / max(self.seconds, 1e-9))} states/s"


def _follow(layers: Layers, table: Table, progress: SearchDisplay | None, *, shown: bool) -> None:
    """Take the layers as they are completed, and show them."""
    if shown:
        put("".join(f"{name:>{width}}" for name, width in zip(COLUMNS, WIDTHS, strict=True)))
    while True:
        try:
            layer = next(layers)
        except StopIteration as end:
            table.end(end.value)
            return
        table.layers.append(layer)
        if shown:
            if progress:
                progress.clear()
            put("".join(f"{value:>{width},}" for value, width in zip(_values(layer), WIDTHS, strict=True)))
            if sys.stdout is not None:
                sys.stdout.flush()


def _values(layer: Layer) -> tuple[int, ...]:
    return layer.depth, layer.states, layer.dead_ends, layer.goals, layer.ended, layer.largest
