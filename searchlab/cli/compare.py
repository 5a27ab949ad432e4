"""`searchlab compare`: two configurations of an experiment, in sum and instance by instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import all_versions_option, common_options, json_option, path_argument, where_option
from searchlab.cli.output import as_json, put, styled
from searchlab.errors.standard_output import standard_output
from searchlab.experiments.cells import plain_rows
from searchlab.experiments.comparison import SOLVED

if TYPE_CHECKING:
    from searchlab.experiments.comparison import Comparison, Measure
    from searchlab.experiments.statistics import Verdict


@click.command(
    cls=Command,
    examples=(
        "searchlab compare results/puzzles taxicab misplaced",
        "searchlab compare results/puzzles astar ida-star --where heuristic=taxicab",
    ),
    short_help="Compare two configurations of an experiment.",
)
@path_argument
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@where_option
@all_versions_option
@click.option("--all-boards", is_flag=True, help="Show every board, even if there are many.")
@json_option("the comparison")
@common_options
def compare(
    path: str, a: str, b: str, conditions: tuple[str, ...], all_versions: bool, all_boards: bool, json: bool
) -> None:
    """Compare two configurations of an experiment.

    A and B are each a heuristic (taxicab), a frontier (astar), both (taxicab/astar), a player (greedy), or
    COLUMN=value,… for anything else; parameters may be omitted if the name stays unambiguous. Two runs form a pair if
    they agree in board, domain, seed, repetition, limits and everything else that A and B leave open. Ratios are
    geometric means over the boards that both solved, or over all games, with 95 % intervals (Student's t on
    logarithms); the sign test and Wilcoxon's signed-rank test are two-sided.
    """
    from searchlab.cli.arguments import results_at
    from searchlab.cli.output import page_width, shows_colour
    from searchlab.experiments.comparison import NEEDED, Comparer
    from searchlab.experiments.filters import parse_condition, where

    wanted = [parse_condition(text) for text in conditions]
    # COLUMN=value may name any column.
    columns = None if any("=" in side.partition(":")[0] for side in (a, b)) else [each.column for each in wanted]
    results = where(results_at(path, columns, NEEDED, all_versions=all_versions), wanted)
    comparison = Comparer(results).compare(a, b)
    if json:
        put(as_json(as_values(comparison)), end="")
        return
    lines = comparison.lines(page_width(), all_boards=all_boards, rest="--all-boards shows them")
    if shows_colour(standard_output()):
        lines[:2] = [styled(line, bold=True) for line in lines[:2]]
    for line in lines:
        put(line)


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
        "machines": list(compared.machines),
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
        "spread": measure.spread,
        "sign_test": _test(measure.sign),
        "wilcoxon_test": _test(measure.wilcoxon),
    }


def _test(test: Verdict) -> dict[str, Any]:
    return {"pairs": test.pairs, "p": test.p, "remark": test.remark}
