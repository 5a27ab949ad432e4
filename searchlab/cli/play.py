"""`searchlab play`: let a player play a game."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from searchlab.cli.as_json import as_json
from searchlab.cli.figures import counted
from searchlab.cli.game_summary import GameReport
from searchlab.cli.layout import PLAIN_WIDTH, page_width, shows_colour
from searchlab.cli.messages import tell, tell_error
from searchlab.cli.options import common_options, domain_options, json_option, preset_option, renderer_option
from searchlab.cli.progress import live_status
from searchlab.cli.scripted import play_by_script
from searchlab.cli.written import check_output, form_asked, hand_over
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.cli.session import Session
    from searchlab.playing import Game

EXIT_CODES = {"goal": 0, "dead": 0, "move-limit": 3, "error": 4, "interrupted": 130}


@click.command()
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@preset_option
@click.option("--player", metavar="NAME", help="By default greedy; FILE.py:function will do.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Of all random numbers of the game; by default 0.",
)
@click.option("--max-moves", type=click.IntRange(min=0), metavar="N", help="Moves it may make; by default 100,000.")
@json_option("the game")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board of the game.")
@renderer_option
@click.option("--output", type=click.Path(path_type=Path), metavar="FILE", help="Write to a file instead.")
@click.option("--log", is_flag=True, help="Print keys and random tiles as they come: a script for --testing.")
@click.option("--testing", is_flag=True, help="Play by a script on standard input, and print what happens.")
@common_options
@click.pass_obj
def play(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    player: str | None,
    seed: int,
    max_moves: int | None,
    json: bool,
    transcript: bool,
    renderer: str | None,
    output: Path | None,
    log: bool,
    testing: bool,
) -> int:
    """Let a player play a game.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard
    input: a position in which it is the player's turn. Without it the game begins as games of the domain do, by
    default of 2048 with random tiles.

    Exit codes: 0 the game is over (with the goal reached or no move left), 2 a usage error, 3 the limit of moves was
    reached, 4 an error in a plugin, 130 interrupted.
    """
    form = form_asked(json=json, transcript=transcript, log=log, testing=testing)
    form_asked(player=player is not None, testing=testing)
    check_output(output)
    from searchlab.cli.drawing import drawer
    from searchlab.cli.subjects import STANDARD_INPUT, Choice, board_and_domain

    if testing and board == STANDARD_INPUT:
        raise UsageError("the script is read from standard input: name a file for the board")
    choice = Choice(domain, goal, session.plugins, preset, played=True)
    start, chosen = (None, choice.without_board()) if board is None else board_and_domain(board, choice)
    if testing:
        play_by_script(chosen, start)
        return 0
    colour = output is None and shows_colour(sys.stdout)
    draws = drawer(chosen, renderer, session.plugins, colour=colour)
    game = _played(session, start, chosen, player, seed, max_moves)
    report = GameReport(game, draws)
    if game.status == "error":
        tell_error(game.reason.splitlines()[0])
    elif form == "transcript" and game.status != "goal":
        tell(report.outcome)
    hand_over(_content(report, form, chosen, PLAIN_WIDTH if output else page_width(), colour=colour), output)
    return EXIT_CODES[game.status]


def _played(
    session: Session, start: Board | None, domain: BoundDomain, player: str | None, seed: int, max_moves: int | None
) -> Game:
    """Play the game, and show how far it is to whoever watches."""
    from searchlab import api, playing

    with live_status() as show:
        return api.play(
            start,
            domain=domain,
            player=api.DEFAULT_PLAYER if player is None else player,
            seed=seed,
            most_moves=playing.MOST_MOVES if max_moves is None else max_moves,
            watcher=lambda moves, board: show(counted(moves, "move")),
            plugins=session.plugins,
        )


def _content(report: GameReport, form: str, domain: BoundDomain, width: int, *, colour: bool) -> Iterator[str]:
    """Yield a game in the form that was asked for, piece by piece."""
    game = report.game
    if form == "json":
        yield as_json(game.as_dict())
    elif form == "transcript":
        printout = domain.printout(game.start, game.turns)
        if printout is not None:
            yield from printout
            return
        yield domain.solution_headline(game.moves, proved=False) + "\n"
        for board in game.boards:
            yield report.drawer.text(board) + "\n"
    else:
        yield report.text(width=width, colour=colour)
