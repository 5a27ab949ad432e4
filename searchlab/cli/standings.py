"""`searchlab results standings`: the standings of the players of an experiment, as a page or as JSON."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.layout import table_in_parts
from searchlab.cli.options import all_versions_option, common_options, json_option, path_argument, where_option
from searchlab.cli.output import as_json, put, styled
from searchlab.errors.standard_output import standard_output
from searchlab.experiments.aggregates import REACHED
from searchlab.experiments.cells import MISSING, figure, plain_rows
from searchlab.experiments.page import shortened, total_width
from searchlab.model.formatting import duration, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    from searchlab.experiments.standings import Standings

    Row = Mapping[str, Any]

NAME_WIDTH = 24
"""Width to which names of players are shortened at most, on a narrow page to less; the full names follow below."""
QUANTILES = {
    "5 %": "score_5",
    "25 %": "score_25",
    "50 %": "score_median",
    "75 %": "score_75",
    "95 %": "score_95",
    "best": "score_best",
}


@click.command(
    cls=Command,
    examples=("searchlab results standings results/tournament",),
    short_help="Show the standings of players, the best first.",
)
@path_argument
@where_option
@all_versions_option
@json_option("the standings")
@common_options
def standings(path: str, conditions: tuple[str, ...], all_versions: bool, json: bool) -> None:
    """Show the standings of an experiment of games, the best player first.

    The table shows mean scores with intervals, quantiles, the difference to the best player over games with the same
    seeds, the share of games that reached each tile, moves and time. If a game was played again with other limits, the
    last game counts.

    The command may be used while the experiment is running.
    """
    from searchlab.cli.arguments import results_at
    from searchlab.experiments.filters import parse_condition, where
    from searchlab.experiments.standings import NEEDED

    wanted = [parse_condition(text) for text in conditions]
    results = results_at(path, [each.column for each in wanted], NEEDED, all_versions=all_versions)
    show_standings(where(results, wanted), json=json)


def show_standings(results: pd.DataFrame, *, json: bool, **others: Any) -> None:
    """Print the standings of games, as a page or as JSON.

    Args:
        results: a table from `load_results`.
        json: whether to print JSON.
        others: further entries of the JSON.
    """
    from searchlab.cli.output import page_width, shows_colour
    from searchlab.experiments.standings import standings_of

    found = standings_of(results)
    if json:
        put(as_json({**others, **as_values(found)}), end="")
        return
    for line in page(found, page_width(), colour=shows_colour(standard_output())):
        put(line)


def page(standings: Standings, width: int, *, colour: bool) -> list[str]:
    """Return standings as lines that fit the page, a section a domain.

    Args:
        standings: the standings.
        width: width of the page.
        colour: whether to use colours.
    """
    rows = plain_rows(standings.table)
    if not rows:
        return ["there are no games"]
    domains = dict.fromkeys(row["domain"] for row in rows)
    sections = [
        section
        for domain in domains
        for section in _of_domain(domain, [row for row in rows if row["domain"] == domain], standings.tiles, width)
    ]
    if colour:
        sections = [[styled(section[0], bold=True), *section[1:]] for section in sections]
    sections.append([part for note in standings.notes() for part in wrap(note, width)])
    return [line for section in sections for line in ("", *section)][1:]


def as_values(standings: Standings) -> dict[str, Any]:
    """Return standings as `--json` prints them."""
    return {
        "games": len(standings.games),
        "statuses": standings.statuses(),
        "cut_short": standings.cut_short,
        "without_score": standings.unknown,
        "replaced": standings.replaced,
        "standings": plain_rows(standings.table),
    }


def _of_domain(domain: str, rows: Sequence[Row], tiles: Iterable[int], width: int) -> list[list[str]]:
    """Return the tables of the players of a domain, each split into parts that fit the page."""
    names = [f"{place} {row['player']}" for place, row in enumerate(rows, 1)]
    sections = [
        _table(domain, ["games", "mean score", "95 % interval", "spread"], names, map(_mean, rows), width),
        _table("scores", QUANTILES, names, ([_score(row[name]) for name in QUANTILES.values()] for row in rows), width),
    ]
    if len(rows) > 1:
        heads = ["pairs", "difference from 1st", "95 % interval"]
        sections.append(_table("same seeds", heads, names[1:], map(_difference, rows[1:]), width))
    tiles = list(tiles)
    if tiles:
        sections.append(_rates(names, rows, tiles, width))
    sections.append(_table("a game", ["moves", "time", "moves/s"], names, map(_game_figures, rows), width))
    sections.append(_full_names(names, sections, width))
    return [block for section in sections if section for block in _blocks(section)]


def _table(
    title: str, heads: Iterable[str], names: Sequence[str], rows: Iterable[Sequence[str]], width: int
) -> list[str]:
    """Return a table of the players, with shortened names if they do not fit beside the other columns."""
    columns = list(zip(*([*heads], *rows), strict=True))
    others = total_width([0, *(max(map(len, column)) for column in columns)])
    longest = max(min(NAME_WIDTH, width // 3), width - others)
    heads, *rows = zip(*columns, strict=True)
    cells = [[shortened(name, longest), *row] for name, row in zip(names, rows, strict=True)]
    return table_in_parts([[shortened(title, longest), *heads], *cells], width)


def _full_names(names: Sequence[str], sections: Sequence[Sequence[str]], width: int) -> list[str]:
    """Return in full the names that all tables shorten."""
    shown = [line for section in sections for line in section]
    cut = [name for name in names if not any(line.startswith(name) for line in shown)]
    return [line for name in cut for line in wrap(name, width, subsequent_indent="  ")]


def _rates(names: Sequence[str], rows: Sequence[Row], tiles: Sequence[int], width: int) -> list[str]:
    """Return a table of the rates of reaching each tile, each with its interval below."""
    rates = ([figure_of(row[f"{REACHED}{tile}"]) for tile in tiles] for row in rows)
    intervals = ([_percent_interval(row, tile) for tile in tiles] for row in rows)
    both = chain.from_iterable(zip(rates, intervals, strict=True))
    of_both = list(chain.from_iterable((name, "  95 % interval") for name in names))
    return _table("reached, % of games", map(str, tiles), of_both, both, width)


def figure_of(percent: float | None) -> str:
    """Return a percentage with one decimal."""
    return MISSING if percent is None else f"{percent:.1f}"


def _percent_interval(row: Row, tile: int) -> str:
    low, high = (row[f"{REACHED}{tile}_{end}"] for end in ("low", "high"))
    return MISSING if low is None else f"{low:.1f} … {high:.1f}"


def _mean(row: Row) -> list[str]:
    return [f"{row['games']:,}", _score(row["score"]), _interval(row, "score"), _score(row["score_spread"])]


def _difference(row: Row) -> list[str]:
    return [f"{row['pairs']:,}", _score(row["difference"]), _interval(row, "difference")]


def _interval(row: Row, name: str) -> str:
    low, high = (row[f"{name}_{end}"] for end in ("low", "high"))
    return MISSING if low is None else f"{_score(low)} … {_score(high)}"


def _game_figures(row: Row) -> list[str]:
    """Return the moves, the time and the rate of a game."""
    moves, seconds, rate = (row[name] for name in ("moves", "seconds", "moves_per_second"))
    return [
        MISSING if moves is None else f"{moves:,.0f}",
        MISSING if seconds is None else duration(seconds),
        MISSING if rate is None else rounded(rate),
    ]


def _score(score: float | None) -> str:
    if score is None:
        return MISSING
    return f"{score:,.0f}" if abs(score) >= 100 or float(score).is_integer() else figure(score)


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line:
            blocks[-1].append(line)
        else:
            blocks.append([])
    return blocks
