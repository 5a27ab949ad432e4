"""`searchlab play --player NAME` on a terminal: the game is shown while it is played, and the summary after it."""

import json
import re
import signal

import pytest

import searchlab as sl
from searchlab.experiments.worker_pool import end_workers

FASTER = "+" * 40
"""So often that a delay of a minute is none."""


def test_a_game_is_shown_and_summed_up(terminal):
    """The screen shows board, score and moves a second; afterwards the usual output of `play` follows."""
    play = terminal("play", "--player", "random", "--seed", "4", "--delay", "1m")
    screen = play.until("1 move", "moves/s", "score 4", "space pauses · + faster · - slower · q ends the game")
    assert screen.splitlines()[0] == "2048-random · random"
    assert screen.count("┼") == 9
    assert play.emulator.is_up
    play.type(FASTER)
    assert play.finish() == 0
    assert play.is_restored
    assert play.emulator.text.startswith("game over after 47 moves")
    other = terminal("play", "--player", "random", "--seed", "4", "--fast")
    assert other.finish() == 0
    assert b"\x1b[?1049h" not in other.raw
    assert without_time(other) == without_time(play)


def without_time(play):
    return re.sub(r".* moves/s", "", play.emulator.text)


def test_a_watched_game_can_be_paused(terminal):
    """No move is made then, but the window may be resized."""
    play = terminal("play", "--player", "random", "--seed", "4", "--delay", "1m")
    play.until("1 move")
    play.after(" ", "paused", "space goes on")
    play.type(FASTER)
    play.resize(40, 12)
    play.until("1 move", "paused", "space · + - · q")
    play.read(0.3)
    assert "1 move" in play.emulator.text
    play.type(" ")
    assert play.finish() == 0
    slower = terminal("play", "--player", "random", "--seed", "4", "--delay", "0.01")
    slower.type("-" * 40)
    slower.until("space pauses")
    slower.type("q")
    assert slower.finish() == 130


@pytest.mark.parametrize("end", ["q", "\x03"])
def test_a_watched_game_can_be_stopped_while_the_player_thinks(terminal, pancakes, end):
    """The summary says so; the exit code is 130."""
    play = terminal("play", "--plugin", pancakes, "--domain", "pancakes", "--player", "endless")
    play.until("0 moves")
    play.type(end)
    assert play.finish() == 130
    assert play.is_restored
    assert "interrupted after 0 moves" in play.emulator.text


def test_a_killed_watched_game_restores_the_terminal(terminal, pancakes):
    play = terminal("play", "--plugin", pancakes, "--domain", "pancakes", "--player", "endless")
    play.until("0 moves")
    play.process.send_signal(signal.SIGTERM)
    assert play.finish() == -signal.SIGTERM
    assert play.is_restored


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ("failing", "searchlab: error: player failing: ValueError: no idea"),
        ("dying", "searchlab: error: the process in which the player thinks has ended"),
    ],
)
def test_an_error_in_a_player_ends_the_game(terminal, pancakes, player, said):
    """One line and the board; exit code 4."""
    play = terminal("play", "--plugin", pancakes, "--domain", "pancakes", "--player", player)
    assert play.finish() == 4
    assert play.is_restored
    assert said in play.emulator.text
    assert "the game ended with an error after 0 moves" in play.emulator.text
    assert "Traceback" not in play.emulator.text


def test_an_error_in_the_rules_ends_the_game(terminal, pancakes):
    """The moves so far are shown, as without a terminal."""
    arguments = ("play", "--plugin", pancakes, "--domain", "burnt", "--player", "last")
    play = terminal(*arguments, "--delay", "0")
    assert play.finish() == 4
    assert play.is_restored
    assert "searchlab: error: burnt: broken failed: ValueError: burnt" in play.emulator.text
    assert "the game ended with an error after 1 move" in play.emulator.text


def test_limits_of_moves_and_of_time_per_move_hold(terminal, pancakes):
    """`--time-per-move` is a parameter of the player."""
    play = terminal(
        *("play", "--plugin", pancakes, "--domain", "pancakes:stack=6", "--player", "first"),
        *("--max-moves", "3", "--time-per-move", "20ms", "--delay", "0"),
    )
    assert play.finish() == 3
    assert "stopped after 3 moves, which is the limit" in play.emulator.text
    assert "first:seconds=0.02" in play.emulator.text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--player", "greedy", "--time-per-move", "1s"), "--time-per-move: player greedy has no parameter seconds"),
        (("--time-per-move", "1s"), "--time-per-move needs --player"),
        (("--delay", "1s"), "--delay needs --player"),
        (("--fast",), "--fast needs --player"),
        (("--max-moves", "3"), "--max-moves needs --player"),
        (("--max-moves", "0"), "--max-moves needs --player"),
        (("--player", "greedy", "--delay", "soon"), "invalid value for '--delay'"),
        (("--log", "--output", "game.txt"), "--output and --log exclude each other"),
        (("-",), "keys and scripts are read from standard input: name a file for the board"),
    ],
)
def test_invalid_arguments_are_refused(run, arguments, said):
    assert said in run("play", *arguments, stdin=b"").error


@pytest.mark.parametrize("form", ["--json", "--transcript", "--fast"])
def test_another_output_format_shows_no_screen(terminal, form):
    """The output equals that without a terminal."""
    play = terminal("play", "--player", "random", "--domain", "2048-random:n=2", form)
    assert play.finish() == 0
    assert b"\x1b[?1049h" not in play.raw


def test_a_dumb_terminal_shows_no_screen(terminal):
    play = terminal("play", "--player", "random", "--domain", "2048-random:n=2", environment={"TERM": "dumb"})
    assert play.finish() == 0
    assert b"\x1b[?" not in play.raw


def test_a_game_of_a_player_is_logged(run):
    """Its script plays it again, to the same final board."""
    logged = run("play", "--preset", "cs61b", "--player", "random", "--seed", 7, "--log")
    assert (logged.code, logged.err) == (0, "")
    replayed = run("play", "--preset", "cs61b", "--testing", stdin=logged.out.encode())
    game = json.loads(run("play", "--preset", "cs61b", "--player", "random", "--seed", 7, "--json").out)
    lines = replayed.out.splitlines()
    assert lines[-1] == f"E {game['score']} {game['score']}"
    assert sum(line.startswith("D ") for line in lines) == game["moves"]
    value, row, column = map(int, lines[-2].split()[1:])
    tiles = list(map(int, lines[-3].split()[3:]))
    tiles[4 * row + column] = value
    assert tiles == [tile for row in game["final"] for tile in row]


@pytest.mark.slow
def test_a_recorded_game_is_shown_move_by_move(terminal, tmp_path, monkeypatch):
    """The moves lead to the recorded board; afterwards the usual output of `replay` follows."""
    monkeypatch.chdir(tmp_path)
    recorded = sl.run(sl.Experiment(players=["random"], seeds=[4]), folder="games", workers=1)
    end_workers()
    replay = terminal("replay", str(tmp_path / "games"), "--watch", "--delay", "1m")
    screen = replay.until("1 move", "space pauses")
    assert screen.splitlines()[0] == "2048-random · random"
    replay.type(FASTER)
    assert replay.finish() == 0
    assert replay.is_restored
    assert f" {recorded['moves'].iloc[0]} {sl.replay(recorded.iloc[0]).actions[-1]}\n" in replay.emulator.text
    assert replay.emulator.text.endswith("as recorded: the same score, and the same board at the end")


def test_a_solution_is_shown_move_by_move(terminal):
    """Afterwards the usual output of `solve` follows."""
    solve = terminal("solve", "sliding-tile/puzzle8-20", "--watch", "--delay", "1m")
    screen = solve.until("1 move", "space pauses")
    assert screen.splitlines()[0] == "sliding-tile · astar"
    solve.type(FASTER)
    assert solve.finish() == 0
    assert solve.is_restored
    assert "solved in 20 moves, optimal" in solve.emulator.text


def test_a_recorded_solution_is_shown_move_by_move(terminal, tmp_path, monkeypatch):
    """The view is that of `solve`; afterwards the usual output of `replay` follows."""
    monkeypatch.chdir(tmp_path)
    sl.run(sl.Experiment(boards=["sliding-tile/puzzle8-20"]), folder="searches", workers=1)
    end_workers()
    replay = terminal("replay", str(tmp_path / "searches"), "--watch", "--delay", "1m")
    screen = replay.until("1 move", "space pauses")
    assert screen.splitlines()[0] == "sliding-tile · astar"
    replay.type(FASTER)
    assert replay.finish() == 0
    assert replay.emulator.text.endswith("as recorded: the moves lead to a goal, at the same cost")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--watch",), "--watch needs a terminal, and this is not one"),
        (("--delay", "1s"), "--delay is for --watch"),
        (("--watch", "--json"), "--watch and --json exclude each other"),
        (("--watch", "--output", "x.txt"), "--watch and --output exclude each other"),
    ],
)
def test_a_solution_is_watched_on_a_terminal_only(run, arguments, said):
    """And in no other form."""
    assert said in run("solve", *arguments, stdin=b"").error
