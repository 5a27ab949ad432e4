"""`searchlab play`: play a game, or let a player play it."""

from __future__ import annotations

import time
from secrets import randbits
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.lines import write_line
from searchlab.cli.options import (
    DELAY,
    OUTPUT_PATH,
    SECONDS,
    common_options,
    component_option,
    delay_option,
    domain_options,
    json_option,
    memory_limit_option,
    output_option,
    player_heuristic_option,
    preset_option,
    renderer_option,
)
from searchlab.cli.output import check_output, chosen_form, put, shows_colour, tell_error
from searchlab.cli.process import INTERRUPTED, LIMIT_REACHED, PLUGIN_FAILED, within_limits
from searchlab.cli.progress import live_status
from searchlab.errors import PluginError, UsageError
from searchlab.errors.standard_output import standard_output
from searchlab.model.formatting import counted, value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Move
    from searchlab.board.board import Board
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.session import Session
    from searchlab.games.script import Log
    from searchlab.model.games import Game

EXIT_CODES = {"goal": 0, "dead": 0, "move-limit": LIMIT_REACHED, "error": PLUGIN_FAILED, "interrupted": INTERRUPTED}
OF_A_PLAYER = ("heuristic", "time_per_move", "delay", "fast", "max_moves")
"""The options that make sense only for a player."""
SEED_BITS = 32
"""Number of bits of a seed that is drawn for a person's games."""


@click.command(
    cls=Command,
    examples=(
        "searchlab play",
        "searchlab play --player expectimax:depth=2 --delay 0.5s",
        "searchlab play --browser --preset cs61b",
    ),
)
@click.argument("board", required=False, metavar="[BOARD|-]")
@domain_options
@preset_option
@component_option(
    "player",
    "Player to use (default: you); FILE.py:function names your own. 'searchlab plugins list player' lists the names.",
)
@player_heuristic_option
@click.option("--time-per-move", type=SECONDS, help="Short for the player's parameter seconds.")
@delay_option
@click.option("--fast", is_flag=True, help="Do not show the moves of a player.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="N",
    help="Random seed (default 1; games you play yourself differ each time).",
)
@click.option(
    "--max-moves", type=click.IntRange(min=0), metavar="N", help="Limit of moves of a game (default 100,000)."
)
@memory_limit_option("player")
@json_option("the game")
@click.option("--transcript", is_flag=True, help="Print the number of moves and every board of the game.")
@renderer_option
@output_option
@click.option("--browser", is_flag=True, help="Play in the browser.")
@click.option(
    "--record",
    type=OUTPUT_PATH,
    metavar="FILE",
    help="With --browser: the script that records the games (default GAME-DATE.script); an existing file is continued.",
)
@click.option("--log", is_flag=True, help="Print keys and random tiles as they come: a script for --testing.")
@click.option("--testing", is_flag=True, help="Play by a script on standard input, and print what happens.")
@common_options
@click.pass_obj
@within_limits()
def play(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    player: str | None,
    heuristic: str | None,
    time_per_move: float | None,
    delay: float | None,
    fast: bool,
    seed: int | None,
    max_moves: int | None,
    json: bool,
    transcript: bool,
    renderer: str | None,
    output: Path | None,
    browser: bool,
    record: Path | None,
    log: bool,
    testing: bool,
) -> int:
    """Play a game, or let a player play it.

    BOARD is a board file, the name of a board that ships with searchlab (2048/board10), or - for standard input: a
    position in which it is the player's turn. Without BOARD the game begins with the opening of the domain: by default
    2048 with random tiles, with --goal deterministic 2048.

    On a terminal you play with arrow keys or WASD; the game of a --player is shown there while it is played. With
    --browser you do all this on a page of this machine: play, ask for hints, watch the player and take over. Ctrl-C
    ends it.

    Exit codes: 0 the game is over (with the goal reached or no move left) or you quit, 2 a usage error, 3 the limit of
    moves was reached, 4 an error in a plugin, 5 the machine failed (a full disk), 130 interrupted.
    """
    form = _checked_form(click.get_current_context().params)
    from searchlab.cli.arguments import GameSetup
    from searchlab.cli.drawing import drawer

    start, chosen, seed = _named_game(session, board, domain, goal, preset, record, seed)
    if testing:
        play_by_script(chosen, start)
        return 0
    draws = drawer(chosen, renderer, session.plugins, colour=output is None and shows_colour(standard_output()))
    if player is None:
        setup = GameSetup(chosen, start, randbits(SEED_BITS) if seed is None else seed, draws, session.plugins)
        return _play_by_hand(setup, form, output, record, browses=browser)
    setup = GameSetup(chosen, start, 1 if seed is None else seed, draws, session.plugins)
    bound = setup.player(player, time_per_move, heuristic)
    if browser:
        game, _ = _play_in_browser(setup, bound, form, record, delay, max_moves)
    else:
        game = _play_with_player(setup, bound, max_moves, delay, form, is_shown=not (output or fast))
    return _report_game(game, setup, form, output)


def _checked_form(given: Mapping[str, Any]) -> str:
    """Return the output form of the game, `""` for none; raise an error for contradictory options."""
    form = chosen_form(**{name: given[name] for name in ("json", "transcript", "log", "testing")})
    is_player, is_record, testing = given["player"] is not None, given["record"] is not None, given["testing"]
    chosen_form(player=is_player, testing=testing)
    for name in ("seed", "renderer"):  # a script says what is drawn, and its transcript has no boards
        chosen_form(**{name: given[name] is not None, "testing": testing})
    chosen_form(output=given["output"] is not None, log=given["log"], testing=testing)
    chosen_form(browser=given["browser"], fast=given["fast"], testing=testing)
    chosen_form(record=is_record, log=given["log"])
    if is_record and not given["browser"]:
        raise UsageError("--record is for --browser: on a terminal --log writes the record")
    if not is_player:
        for name in OF_A_PLAYER:
            if given[name] is not None and given[name] is not False:
                raise UsageError(f"--{name.replace('_', '-')} needs --player")
    check_output(given["output"])
    from searchlab.cli.arguments import STANDARD_INPUT

    if not is_player and given["board"] == STANDARD_INPUT:
        raise UsageError("keys and scripts are read from standard input: name a file for the board")
    return form


def _named_game(
    session: Session,
    board: str | None,
    domain: str | None,
    goal: str | None,
    preset: str | None,
    record: Path | None,
    seed: int | None,
) -> tuple[Board | None, BoundDomain, int | None]:
    """Return the start board (None for the opening), the domain and the seed of a game.

    Missing arguments are taken from the last game of a record that is continued.
    """
    from searchlab.binding.names import Spelled
    from searchlab.cli.arguments import DomainChoice, board_and_domain
    from searchlab.errors import BoardError
    from searchlab.plugins.found import called

    start, plugins = None, session.plugins
    if record is not None and (domain, goal, preset, board) == (None, None, None, None):
        from searchlab.cli.game_record import recorded_game

        domain, start, seed = recorded_game(record, seed)
        plugins = plugins.for_data(str(record))
    choice = DomainChoice(domain, goal, plugins, preset, played=True)
    if board is not None:
        try:
            return *board_and_domain(board, choice), seed
        except BoardError as error:
            if called(plugins.all("player"), Spelled(board)):
                raise UsageError(f"{error}; a player is named by --player {board}") from None
            raise
    chosen = choice.without_board()
    if record is not None:
        from searchlab.cli.game_record import with_recorded_data

        chosen = with_recorded_data(chosen, record)
    return start, chosen, seed


def _report_game(game: Game, setup: GameSetup, form: str, output: Path | None) -> int:
    """Print the game of a player in a form, with its end; return the exit code."""
    from searchlab.cli.summary import GameSummary

    if game.status == "error":
        tell_error(game.reason.splitlines()[0])
    GameSummary(game, setup.domain, setup.drawer).write(form, output)
    return EXIT_CODES[game.status]


def _play_by_hand(setup: GameSetup, form: str, output: Path | None, record: Path | None, *, browses: bool) -> int:
    """Let a person play, and print the last game in a form; return the exit code."""
    from searchlab.cli.summary import GameSummary

    if browses:
        game, best = _play_in_browser(setup, None, form, record)
    else:
        from searchlab.cli.terminal.app import play_by_hand

        game, best = play_by_hand(setup, log=form == "log", is_output_taken=bool(form or output))
    if output or form in ("json", "transcript"):
        GameSummary(game, setup.domain, setup.drawer).write(form, output)
    elif not form:
        moves = counted(game.moves, "move")
        has_score = setup.domain.component.has_points
        put(f"score {value(game.score)} after {moves}, best score {value(best)}" if has_score else moves)
    return 0


def _play_in_browser(
    setup: GameSetup,
    player: BoundPlayer | None,
    form: str,
    record: Path | None,
    delay: float | None = None,
    max_moves: int | None = None,
) -> tuple[Game, float]:
    """Let a person or a player play in the browser; return the last game, and the best score of all games."""
    from searchlab.cli.browser.app import Pace, play_in_browser
    from searchlab.cli.game_record import new_record, printed_record, record_in
    from searchlab.games.game import MOST_MOVES

    log: Log | None
    if form == "log":
        log = printed_record(setup)
    elif record is None:
        log = new_record(setup)
    else:
        log = record_in(record, setup)
    pace = Pace(DELAY if delay is None else delay, MOST_MOVES if max_moves is None else max_moves)
    return play_in_browser(setup, player, log, pace)


def _play_with_player(
    setup: GameSetup, player: BoundPlayer, max_moves: int | None, delay: float | None, form: str, *, is_shown: bool
) -> Game:
    """Let a player play; show the game on a terminal, or else the number of moves so far."""
    from searchlab.cli.terminal.app import shows_games, watch
    from searchlab.games.game import MOST_MOVES
    from searchlab.games.play import play as play_game

    most_moves = MOST_MOVES if max_moves is None else max_moves
    if is_shown and not form and shows_games():
        return watch(setup, player, DELAY if delay is None else delay, most_moves)
    with live_status() as show:
        if form == "log":
            return _record_script(setup, player, most_moves)
        return play_game(
            setup.start,
            domain=setup.domain,
            player=player,
            seed=setup.seed,
            most_moves=most_moves,
            progress=lambda moves, board: show(counted(moves, "move")),
            plugins=setup.plugins,
        )


def play_by_script(domain: BoundDomain, start: Board | None) -> None:
    """Play the games of the script on standard input.

    Raises:
        UsageError: a line of the script is invalid at its place.
    """
    from searchlab.games.script import Script, replay

    replay(Script(_script_lines(), "standard input"), domain, write_line, start)


def _record_script(setup: GameSetup, player: BoundPlayer, most_moves: int) -> Game:
    """Let a player play a game, and print keys and random tiles as a script that repeats the game."""
    from searchlab.cli.game_record import printed_record
    from searchlab.games.game import move_limit
    from searchlab.games.script import QUIT, key_of

    setup.prepare(player)
    began = time.perf_counter()
    log = printed_record(setup)
    series = setup.series(log)
    reason = ""
    try:
        choose = player.begin(setup.seed)

        def logged(board: Board, moves: tuple[Move, ...]) -> str:
            action = choose(board, moves)
            log.pressed(key_of(action))
            return action

        status = series.play(logged, move_limit(most_moves))
        log.pressed(QUIT)
    except KeyboardInterrupt:
        status = "interrupted"
    except PluginError as error:
        status, reason = "error", str(error)
    return setup.game(series, str(player), began, status, reason)


def _script_lines() -> Iterator[str]:
    """Yield the lines of the script on standard input as they arrive."""
    from searchlab.cli.lines import LONGEST_LINE, read_lines

    for line in read_lines():
        if line is None:
            raise UsageError(f"standard input: a line has more than {LONGEST_LINE - 1:,} bytes")
        yield line.decode("utf-8-sig", "replace")
