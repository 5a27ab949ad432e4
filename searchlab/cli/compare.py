"""`searchlab compare`: two configurations of an experiment, case by case and in sum."""

from __future__ import annotations

import sys

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.messages import put
from searchlab.cli.options import common_options, json_option
from searchlab.cli.selection import path_argument, where_option


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
    from searchlab.cli.comparison import as_values, page
    from searchlab.cli.layout import page_width, shows_colour
    from searchlab.experiments import comparing
    from searchlab.experiments.results import load_results
    from searchlab.experiments.selecting import parse_condition, where

    results = where(load_results(path), [parse_condition(text) for text in conditions])
    comparison = comparing.compare(results, a, b)
    if json:
        put(as_json(as_values(comparison)), end="")
        return
    shown = page(comparison, page_width(), colour=shows_colour(sys.stdout), all_boards=all_boards)
    for line in shown.lines():
        put(line)
