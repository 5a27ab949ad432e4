"""`searchlab advise`: the best move of a board, or of many that come in line by line."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.layout import cut, page_width, shows_colour
from searchlab.cli.leaving import within_limits
from searchlab.cli.messages import put
from searchlab.cli.options import (
    SECONDS,
    common_options,
    domain_options,
    json_option,
    memory_limit_option,
    preset_option,
)
from searchlab.cli.styling import styled
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.advice import Answer
    from searchlab.cli.session import Session

PLUGIN_FAILED = 4
MOST_SHOWN = 16
"""Moves of a board that people are shown."""


@click.command()
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@preset_option
@click.option(
    "--player", metavar="NAME", help="Who is asked; FILE.py:function will do. By default who gives hints in a game."
)
@click.option("--time-per-move", type=SECONDS, help="Short for the player's parameter seconds.")
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, metavar="N", help="Of the player's random numbers; by default 0."
)
@memory_limit_option("player")
@json_option("the answers")
@common_options
@click.pass_obj
@within_limits()
def advise(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    player: str | None,
    time_per_move: float | None,
    seed: int,
    json: bool,
) -> int:
    """Tell the best move of a board, and what every move is worth.

    BOARD is a board file, or the name of a board that ships with searchlab (2048/board10): a position in which it is
    your turn. Without it, or with -, boards are read from standard input, one a line, n × n tiles row by row; each
    line is answered by a line, at once and in order: the best move, and each move with what it is worth, tabs between
    them; "over: …" where the game is over, and "error: …" where the line holds no board of the game. That is by
    default 2048 with random tiles, with --goal deterministic 2048.

    Exit codes: 0 everything was answered, if need be by what is wrong with a line, 2 a usage error, 4 an error in a
    plugin, 130 interrupted.
    """
    from searchlab.cli.advice import Advising
    from searchlab.cli.setting import named_player
    from searchlab.cli.subjects import STANDARD_INPUT, Choice, board_and_domain

    choice = Choice(domain, goal, session.plugins, preset, played=True)
    if board is None or board == STANDARD_INPUT:
        from searchlab.cli.advise_lines import answer_lines

        game = choice.without_board()
        asked = named_player(game, player, time_per_move, session.plugins)
        return 0 if answer_lines(Advising(asked, seed), game, json=json) else PLUGIN_FAILED
    position, game = board_and_domain(board, choice)
    asked = named_player(game, player, time_per_move, session.plugins)
    answer = Advising(asked, seed).answer(position)
    if json:
        put(as_json({"board": board, "domain": str(game), "player": str(asked), **answer.as_dict()}), end="")
        return 0
    for line in _page(answer, game, str(asked), page_width(), colour=shows_colour(sys.stdout)):
        put(line)
    return 0


def _page(answer: Answer, game: BoundDomain, player: str, width: int, *, colour: bool) -> Iterator[str]:
    """Yield what people are shown, lines no longer than `width`."""
    from searchlab.cli.advice import OVER

    said = f"game over: {OVER[answer.over]}" if answer.over else one_line(answer.action)
    first, *others = wrap(said, width)
    yield styled(first, bold=True, fg="yellow" if answer.over else "green") if colour else first
    yield from (*others, *wrap(f"{game} · {player}", width))
    if answer.values:
        yield ""
        yield from (cut(line, width) for line in _table(answer.values, width))


def _table(values: Mapping[str, float], width: int) -> Iterator[str]:
    """Yield a table of the moves, the best first, of equally good ones in the domain's order."""
    from searchlab.cli.figures import aligned, counted
    from searchlab.cli.layout import table

    best_first = sorted(values.items(), key=lambda item: -item[1])
    shown = best_first[:MOST_SHOWN]
    worth = aligned([value for _, value in shown])
    rows = [(one_line(action), text) for (action, _), text in zip(shown, worth, strict=True)]
    yield from table(("move", "worth"), rows, width)
    if len(best_first) > len(shown):
        yield f"and {counted(len(best_first) - len(shown), 'move')} that are worth no more; --json tells all"
