"""`searchlab advise`: the best move of a board, or of many that come in line by line."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from functools import partial
from stat import S_ISREG
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.layout import cut
from searchlab.cli.lines import LONGEST_LINE, read_lines, write_line
from searchlab.cli.options import (
    SECONDS,
    common_options,
    component_option,
    domain_options,
    json_option,
    memory_limit_option,
    player_heuristic_option,
    preset_option,
    seed_option,
)
from searchlab.cli.output import as_json, page_width, put, shows_colour, styled, tell
from searchlab.cli.process import PLUGIN_FAILED, within_limits
from searchlab.cli.progress import evaluation_progress
from searchlab.errors import BoardError, PluginError, SearchlabError
from searchlab.errors.control_characters import one_line
from searchlab.errors.standard_output import standard_output

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.cli.session import Session
    from searchlab.games.advice import Answer, PositionAdviser


MOST_SHOWN = 16
"""Number of moves that the page for people shows."""

OVER = {"goal": "goal reached", "dead": "no legal move is left"}
"""The ways in which a game is over, in words."""


@click.command(
    cls=Command,
    examples=(
        "searchlab advise 2048/board10 --preset classic",
        "searchlab advise 2048/board10 --player expectimax:depth=3 --json",
    ),
)
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@preset_option
@component_option(
    "player", "Player to ask (default: the one that gives hints in games); FILE.py:function names your own."
)
@player_heuristic_option
@click.option("--time-per-move", type=SECONDS, help="Short for the player's parameter seconds.")
@seed_option
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
    heuristic: str | None,
    time_per_move: float | None,
    seed: int,
    json: bool,
) -> int:
    """Show the best move of a board and the value of every move.

    BOARD is a board file, or the name of a board that ships with searchlab (2048/board10), with you to move. Without
    it, or with -, boards are read from standard input, one per line, n × n tiles row by row. Each line is answered at
    once by one line: the best move, then each move with its value, separated by tabs; "over: …" if the game is over; or
    "error: …" if the line is not a board of the game. The default game is 2048 with random tiles, or deterministic 2048
    with --goal.

    Exit codes: 0 every line was answered, even if with an error, 2 a usage error, 4 an error in a plugin, 130
    interrupted.
    """
    from searchlab.cli.arguments import STANDARD_INPUT, DomainChoice, board_and_domain, named_player
    from searchlab.games.advice import PositionAdviser

    choice = DomainChoice(domain, goal, session.plugins, preset, played=True)
    if board is None or board == STANDARD_INPUT:
        game = choice.without_board()
        asked = named_player(game, player, time_per_move, session.plugins, heuristic)
        return 0 if answer_lines(PositionAdviser(asked, seed), game, json=json) else PLUGIN_FAILED
    position, game = board_and_domain(board, choice)
    asked = named_player(game, player, time_per_move, session.plugins, heuristic)
    with evaluation_progress() as show:
        show(f"player {asked} on {board}")
        answer = PositionAdviser(asked, seed).answer(position)
    if json:
        put(as_json({"board": board, "domain": str(game), "player": str(asked), **_as_dict(answer)}), end="")
        return 0
    for line in _page(answer, game, str(asked), page_width(), colour=shows_colour(standard_output())):
        put(line)
    return 0


def _page(answer: Answer, game: BoundDomain, player: str, width: int, *, colour: bool) -> Iterator[str]:
    """Yield the page for people, with lines no wider than `width`."""
    said = f"game over: {OVER[answer.over]}" if answer.over else one_line(answer.action)
    first, *others = wrap(said, width)
    yield styled(first, bold=True, fg="yellow" if answer.over else "green") if colour else first
    yield from (*others, *wrap(f"{game} · {player}", width))
    if answer.values and answer.losses:
        yield ""
        yield from (cut(line, width) for line in _table(answer.values, answer.losses, width))


def _table(values: Mapping[str, float], losses: Mapping[str, float], width: int) -> Iterator[str]:
    """Yield a table of the moves, the best first, ties in the domain's order."""
    from searchlab.cli.layout import table_in_parts
    from searchlab.model.formatting import aligned, counted

    best_first = sorted(values.items(), key=lambda item: -item[1])
    shown = best_first[:MOST_SHOWN]
    worth = aligned([value for _, value in shown])
    lost = aligned([losses[action] for action, _ in shown])
    rows = [(one_line(action), *cells) for (action, _), *cells in zip(shown, worth, lost, strict=True)]
    yield from table_in_parts([("move", "worth", "loss"), *rows], width)
    if len(best_first) > len(shown):
        yield f"and {counted(len(best_first) - len(shown), 'move')} of no higher value; --json shows all"


def _as_dict(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON values."""
    if answer.over:
        return {"move": None, "values": {}, "over": answer.over}
    return {"move": answer.action, "values": answer.values}


def _as_line(answer: Answer) -> str:
    """Return an answer in one line: the best move, then each move with its value, separated by tabs."""
    if answer.over:
        return f"over: {OVER[answer.over]}"
    worth = [f"{one_line(action)}={value!r}" for action, value in (answer.values or {}).items()]
    return "\t".join((one_line(answer.action), *worth))


def answer_lines(advising: PositionAdviser, domain: BoundDomain, *, json: bool) -> bool:
    """Answer each line of standard input as soon as it arrives; return whether no plugin failed."""
    from searchlab.binding.instance_files import plain_board
    from searchlab.board.board import parse_board_line
    from searchlab.model.formatting import counted

    if sys.stdin is not None and sys.stdin.isatty():
        tell(f"boards of {domain} are read from here, one per line; Ctrl-D ends the input")
    all_well, answered = True, 0
    with evaluation_progress() if _is_from_file_to_file() else nullcontext() as show:
        if show:
            show(lambda: f"{counted(answered, 'board')} answered")
        for line in read_lines():
            try:
                board = plain_board(partial(parse_board_line, _text(line)), domain)
                domain.check(board)
                answer = advising.answer(board)
            except SearchlabError as error:
                all_well = all_well and not isinstance(error, PluginError)
                said = one_line(str(error))
                write_line(as_json({"error": said}).rstrip() if json else f"error: {said}")
            else:
                write_line(as_json(_as_dict(answer)).rstrip() if json else _as_line(answer))
            answered += 1
    return all_well


def _is_from_file_to_file() -> bool:
    """Return whether nobody waits for single answers: neither a person nor a program at the other end of a pipe."""
    try:
        return all(stream and S_ISREG(os.fstat(stream.fileno()).st_mode) for stream in (sys.stdin, standard_output()))
    except (OSError, ValueError):  # streams of a program that has no such files
        return False


def _text(line: bytes | None) -> str:
    """Decode a line.

    Raises:
        BoardError: the line is too long or not UTF-8.
    """
    if line is None:
        raise BoardError(f"the line has more than {LONGEST_LINE - 1:,} bytes")
    try:
        return line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BoardError(f"the byte 0x{line[error.start]:02x} is not UTF-8") from None
