"""`searchlab compare`: two configurations of an experiment, in sum and instance by instance."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.options import common_options, json_option, path_argument, where_option
from searchlab.cli.output import as_json, put, styled
from searchlab.errors.control_characters import one_line
from searchlab.experiments.cells import MISSING, figure, plain_rows, shown
from searchlab.experiments.comparison import SIDES
from searchlab.experiments.page import Column, fits, fitted_table, shortened
from searchlab.model.formatting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from searchlab.experiments.comparison import Comparison, Measure
    from searchlab.experiments.statistics import Verdict

MOST_BOARDS = 20
"""Number of boards that are shown by default; those that only one side solved come first."""
SOLVED = {"a": "only A", "b": "only B", "both": "both", "neither": "neither"}
FURTHER = ("seconds", "cost")
"""Columns of each board besides the expansions, if the page is wide enough."""
LEAST_P = 0.001


@click.command(short_help="Compare two configurations of an experiment.")
@path_argument
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@where_option
@click.option("--all-boards", is_flag=True, help="Show every board, also where there are many.")
@json_option("the comparison")
@common_options
def compare(path: str, a: str, b: str, conditions: tuple[str, ...], all_boards: bool, json: bool) -> None:
    """Compare two configurations of an experiment.

    A and B are each a heuristic (taxicab), a frontier (astar), both (taxicab/astar), a player (greedy), or
    COLUMN=value,… for all else; parameters may be left out where that leaves no doubt. Runs are paired that agree in
    board, domain, seed, repetition, limits and whatever A and B do not say. Ratios are geometric means over what both
    solved, or over all games, with 95 % intervals (Student's t on logarithms); the sign test and Wilcoxon's signed-rank
    test are two-sided.
    """
    from searchlab.cli.output import page_width, shows_colour
    from searchlab.experiments.comparison import compare as compared
    from searchlab.experiments.filters import parse_condition, where
    from searchlab.experiments.tables import load_results

    results = where(load_results(path), [parse_condition(text) for text in conditions])
    comparison = compared(results, a, b)
    if json:
        put(as_json(as_values(comparison)), end="")
        return
    shown = page(comparison, page_width(), colour=shows_colour(sys.stdout), all_boards=all_boards)
    for line in shown.lines():
        put(line)


@dataclass(frozen=True)
class Page:
    """A comparison on a page.

    Attributes:
        comparison: the comparison.
        width: width of the page.
        colour: whether to use colours.
        all_boards: whether to show every board.
    """

    comparison: Comparison
    width: int
    colour: bool = False
    all_boards: bool = False

    def lines(self) -> list[str]:
        """Return the page, no line longer than its width."""
        sections = [self._names(), self._coverage(), self._measures(), self._tests(), self._boards()]
        return [line for section in sections if section for line in ("", *section)][1:]

    def _names(self) -> list[str]:
        compared = self.comparison
        lines = [shortened(f"{letter}  {name}", self.width) for letter, name in (("A", compared.a), ("B", compared.b))]
        return [styled(line, bold=True) for line in lines] if self.colour else lines

    def _coverage(self) -> list[str]:
        compared = self.comparison
        assert compared.coverage is not None
        only = {who: compared.solved_by(who) for who in SOLVED}
        lines = [
            f"{counted(len(compared.table), 'pair')} of runs: A solved {only['both'] + only['a']:,}, "
            f"B {only['both'] + only['b']:,}; only A {only['a']:,}, only B {only['b']:,}, neither {only['neither']:,}",
            f"who solves more, sign test: {compared.coverage.remark or f'p {_p(compared.coverage)}'}",
        ]
        return [part for line in [*lines, *self._unpaired()] for part in wrap(line, self.width)]

    def _unpaired(self) -> list[str]:
        """Return a line on runs without a counterpart, if there are any."""
        of_a, of_b = self.comparison.unpaired
        return [f"without a counterpart, and left out: {of_a:,} of A, {of_b:,} of B"] if of_a or of_b else []

    def _measures(self) -> list[str]:
        both = self.comparison.solved_by("both")
        if not both:
            return ["no board was solved by both, so there is nothing to compare in sum"]
        note = f"A / B: geometric mean over the {counted(both, 'pair')} that both solved, below 1 where A needs less"
        return self._sums("solved by both", note)

    def _sums(self, heading: str, note: str) -> list[str]:
        """Return a table of the sums of both sides and their ratios, and a note on these."""
        measures = self.comparison.measures
        columns = [
            Column(heading, [measure.name for measure in measures], is_text=True),
            Column("sum A", [_number(measure.sums[0]) for measure in measures], is_text=False),
            Column("sum B", [_number(measure.sums[1]) for measure in measures], is_text=False),
            Column("A less", [f"{measure.smaller[0]:,}" for measure in measures], is_text=False),
            Column("B less", [f"{measure.smaller[1]:,}" for measure in measures], is_text=False),
            Column("A / B", [_ratio(measure.ratio) for measure in measures], is_text=False),
            Column("95 % interval", [_interval(measure) for measure in measures], is_text=False),
        ]
        lines, _ = fitted_table(columns, self.width, [heading, "A / B", "95 % interval", "sum A", "sum B"])
        notes = [note, *_for_each((measure.name, measure.interval_remark) for measure in measures)]
        if measures[0].independent < measures[0].pairs:
            notes.append(
                f"in A / B and the tests, pairs of one board and seed count once: {measures[0].independent:,} of them"
            )
        return [*lines, *(part for each in notes for part in wrap(each, self.width))]

    def _tests(self) -> list[str]:
        measures = self.comparison.measures
        if not measures[0].pairs:
            return []
        columns = [
            Column("two-sided tests", [measure.name for measure in measures], is_text=True),
            Column("pairs that differ", [f"{measure.sign.pairs:,}" for measure in measures], is_text=False),
            Column("sign test, p", [_p(measure.sign) for measure in measures], is_text=False),
            Column("Wilcoxon, p", [_p(measure.wilcoxon) for measure in measures], is_text=False),
        ]
        lines, _ = fitted_table(columns, self.width, ["two-sided tests", "sign test, p", "Wilcoxon, p"])
        remarks = _for_each((measure.name, measure.wilcoxon.remark) for measure in measures)
        return [*lines, *(part for remark in remarks for part in wrap(remark, self.width))]

    def _boards(self) -> list[str]:
        table = self.comparison.table
        order = table["solved_by"].map({who: place for place, who in enumerate(SOLVED)})
        table = table.iloc[order.argsort(kind="stable")]
        most = len(table) if self.all_boards else MOST_BOARDS
        folded = table.iloc[most:]
        lines = self._table(table.iloc[:most])
        if folded.empty:
            return lines
        counts = [f"{count:,} by {SOLVED[str(who)]}" for who, count in folded["solved_by"].value_counts().items()]
        more = f"… and {counted(len(folded), 'more pair')}, solved {', '.join(counts)}; --all-boards shows them"
        return [*lines, *wrap(more, self.width)]

    def _table(self, table: pd.DataFrame) -> list[str]:
        """Return a row for each board: the expansions of each side, or its status if it did not solve the board."""
        last = list(table.columns).index("status_a")
        axes = [Column(one_line(str(name)), shown(table[name]), is_text=True) for name in table.columns[:last]]
        columns = [*axes, Column("solved by", [SOLVED[who] for who in table["solved_by"]], is_text=True)]
        columns += _columns_of_sides(table, "expanded")
        further = [
            [Column("A / B", _ratios(table), is_text=False)],
            *(_columns_of_sides(table, name) for name in FURTHER),
        ]
        for added in further:
            columns += added if fits([*columns, *added], self.width) else []
        return fitted_table(columns, self.width, ["board_name", "expanded A", "expanded B"])[0]


@dataclass(frozen=True)
class GamesPage(Page):
    """A comparison of games on a page: every pair counts, and each seed is a row."""

    def _coverage(self) -> list[str]:
        return [part for line in self._unpaired() for part in wrap(line, self.width)]

    def _measures(self) -> list[str]:
        pairs = self.comparison.measures[0].pairs
        if not pairs:
            return ["no pair of games has scores, so there is nothing to compare"]
        note = f"A / B: geometric mean over {counted(pairs, 'pair')} of games, of the score above 1 where A earns more"
        return self._sums("games", note)

    def _boards(self) -> list[str]:
        table = self.comparison.table
        shown_rows = table if self.all_boards else table.head(MOST_BOARDS)
        left_out = len(table) - len(shown_rows)
        last = list(table.columns).index("status_a")
        axes = [Column(one_line(str(name)), shown(shown_rows[name]), is_text=True) for name in table.columns[:last]]
        columns = [column for column in axes if set(column.cells) != {MISSING}]
        for name in ("score", "moves", "status"):
            added = [Column(f"{name} {s.upper()}", shown(shown_rows[f"{name}_{s}"]), is_text=False) for s in SIDES]
            columns += added if name == "score" or fits([*columns, *added], self.width) else []
        lines, _ = fitted_table(columns, self.width, ["seed", "score A", "score B"])
        more = [f"… and {counted(left_out, 'more pair')}; --all-boards shows them"] if left_out else []
        return [*lines, *more]


def page(comparison: Comparison, width: int, *, colour: bool, all_boards: bool) -> Page:
    """Return the page of a comparison of searches or of games."""
    kind = GamesPage if comparison.coverage is None else Page
    return kind(comparison, width, colour=colour, all_boards=all_boards)


def as_values(compared: Comparison) -> dict[str, Any]:
    """Return a comparison as `searchlab compare --json` prints it."""
    rows = plain_rows(compared.table)
    if compared.coverage is None:
        of_kind: dict[str, Any] = {"games": rows}
    else:
        solved_by = {who: compared.solved_by(who) for who in SOLVED}
        of_kind = {"solved_by": solved_by, "coverage_sign_test": _test(compared.coverage), "boards": rows}
    return {
        "a": compared.a,
        "b": compared.b,
        "pairs": len(compared.table),
        "unpaired": dict(zip("ab", compared.unpaired, strict=True)),
        "measures": {measure.name: _measure(measure) for measure in compared.measures},
        **of_kind,
    }


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "pairs": measure.pairs,
        "independent": measure.independent,
        "sum_a": measure.sums[0],
        "sum_b": measure.sums[1],
        "smaller_a": measure.smaller[0],
        "smaller_b": measure.smaller[1],
        "ratio": measure.ratio,
        "interval": measure.interval,
        "interval_remark": measure.interval_remark,
        "sign_test": _test(measure.sign),
        "wilcoxon_test": _test(measure.wilcoxon),
    }


def _for_each(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """Return a line for each remark with the names of the measures it is about."""
    names: dict[str, list[str]] = {}
    for name, remark in remarks:
        if remark:
            names.setdefault(remark, []).append(name)
    return [f"{', '.join(about)}: {remark}" for remark, about in names.items()]


def _test(test: Verdict) -> dict[str, Any]:
    return {"pairs": test.pairs, "p": test.p, "remark": test.remark}


def _p(test: Verdict) -> str:
    if test.p is None:
        return MISSING
    return f"< {LEAST_P}" if test.p < LEAST_P else f"{test.p:.3f}"


def _number(number: float) -> str:
    return f"{number:,.0f}" if number.is_integer() else figure(number)


def _ratio(ratio: float | None) -> str:
    return MISSING if ratio is None else figure(ratio)


def _interval(measure: Measure) -> str:
    return " … ".join(map(figure, measure.interval)) if measure.interval else MISSING


def _columns_of_sides(table: pd.DataFrame, name: str) -> list[Column]:
    """Return a column for each side: the figure if it solved the board; else the status, or a dash for FURTHER."""
    columns = []
    for side in SIDES:
        values, statuses = shown(table[f"{name}_{side}"]), table[f"status_{side}"]
        unsolved = [MISSING if name in FURTHER else str(status) for status in statuses]
        pairs = zip(values, unsolved, statuses == "solved", strict=True)
        columns.append(Column(f"{name} {side.upper()}", [v if s else u for v, u, s in pairs], is_text=False))
    return columns


def _ratios(table: pd.DataFrame) -> list[str]:
    """Return the ratio of expansions of each board; a dash if not both solved it."""
    a, b = (table[f"expanded_{side}"].clip(lower=1) for side in "ab")
    both = table["solved_by"] == "both"
    return [figure(ratio) if solved else MISSING for ratio, solved in zip(a / b, both, strict=True)]
