"""`searchlab engine`: a player that another program asks for moves, line by line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from searchlab.cli.help import Command
from searchlab.cli.lines import read_lines, write_line
from searchlab.cli.options import (
    SECONDS,
    common_options,
    component_option,
    domain_option,
    goal_option,
    memory_limit_option,
    player_heuristic_option,
    preset_option,
    seed_option,
)
from searchlab.cli.output import tell
from searchlab.cli.process import PLUGIN_FAILED, within_limits

if TYPE_CHECKING:
    from searchlab.binding.player import BoundPlayer
    from searchlab.cli.session import Session


@click.command(
    cls=Command,
    examples=(
        "searchlab engine --player expectimax:depth=1",
        "searchlab engine --preset cs61b --player greedy:heuristic=snake",
    ),
)
@domain_option("the game of searchlab play", "2048-random:n=3")
@goal_option
@preset_option
@component_option(
    "player", "Player that answers (default: the one that gives hints in games); FILE.py:function names your own."
)
@player_heuristic_option
@click.option("--time-per-move", type=SECONDS, help="Short for the player's parameter seconds.")
@seed_option
@memory_limit_option("player")
@common_options
@click.pass_obj
@within_limits()
def engine(
    session: Session,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    player: str | None,
    heuristic: str | None,
    time_per_move: float | None,
    seed: int,
) -> int:
    """Let another program ask a player for moves, line by line.

    Lines are read from standard input, and each is answered at once with one line: "hello 1 player", "new SEED GAME",
    "board TILES" (answered by "move MOVE", and the value of each move if the player has values), and "quit". The page
    docs/program-players.md describes them. A program that answers these lines is a player, too: --player
    program:command=[./bot]. After "hello 1 environment" the program keeps a game instead, and answers "move MOVE" with
    the board and the points.

    "new" may name the game; otherwise the options do. By default it is 2048 with random tiles. The seed of "new"
    replaces --seed.

    Exit codes: 0 every line was answered, even if with an error, 2 a usage error, 4 an error in a plugin, 130
    interrupted.
    """
    from searchlab.cli.arguments import DomainChoice, named_player
    from searchlab.games.program_player import Engine

    choice = DomainChoice(domain, goal, session.plugins, preset, played=True)

    def find(game: str) -> BoundPlayer:
        on = DomainChoice(game, None, session.plugins, played=True) if game else choice
        return named_player(on.without_board(), player, time_per_move, session.plugins, heuristic)

    answers = Engine(f"searchlab {find('')}", find, seed)
    if sys.stdin is not None and sys.stdin.isatty():
        tell("lines are read from here, such as: board 0 2 / 2 0; Ctrl-D or quit ends it")
    for line in read_lines():
        answer = answers.answer(line)
        if answer is None:
            break
        write_line(answer)
    return PLUGIN_FAILED if answers.has_failed else 0
