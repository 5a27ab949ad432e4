"""`searchlab play`: what it plays, what it prints, and the exit code."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys

import pytest

TRANSCRIPT = """\
Number of moves = 3
3
1 2 3
0 4 6
7 5 8
3
1 2 3
4 0 6
7 5 8
3
1 2 3
4 5 6
7 0 8
3
1 2 3
4 5 6
7 8 0
"""
PLAYERS = """\
import time


def last(board, moves, random, luck=0):
    "The last move."
    return moves[-1].action


def failing(board, moves):
    raise ValueError("no idea")


def wrong(board, moves):
    return "sideways"


def slow(board, moves):
    time.sleep(0.05)
    return moves[0].action


def round_and_round(board, moves):
    print("asked", flush=True)
    while True:
        pass
"""


@pytest.fixture
def players(write):
    return write("players.py", PLAYERS)


def test_a_game_is_played_and_shown(run, sliding):
    """The summary says how it ended, who played what, and shows every board of a short game."""
    ran = run("play", sliding, "--domain", "sliding-tile", "--player", "greedy")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:2] == ["goal reached after 3 moves", "sliding-tile · greedy:heuristic=taxicab · seed 0"]
    assert "right, down, right" in lines
    assert ran.out.endswith(
        "start   1 right   2 down   3 right\n"
        "1 2 3   1 2 3     1 2 3    1 2 3\n"
        "0 4 6   4 0 6     4 5 6    4 5 6\n"
        "7 5 8   7 5 8     7 0 8    7 8 0\n"
    )


def test_without_a_board_the_start_board_is_played(run):
    """By greedy; a long game is folded, and ends with the final board."""
    ran = run("play", "--domain", "2048", "--player", "greedy")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "game over after 535 moves: no move leads on\n2048 · greedy:heuristic=left-weighted · seed"
    )
    assert "532 boards left out; --transcript prints all" in ran.out
    assert ran.out.endswith("512   8   4   2   512   8   4   2\n")
    assert len(ran.out.splitlines()) < 40
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_the_transcript_is_exact(run, sliding):
    """Number of moves, then every board as the domain writes it."""
    assert run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", "--transcript").out == TRANSCRIPT


def test_a_transcript_of_a_lost_game_is_whole(run):
    """What it did not reach is said on standard error."""
    ran = run("play", "--domain", "2048:n=2", "--player", "random", "--transcript")
    assert ran.code == 0
    moves = int(re.match(r"Number of moves: (\d+)\n", ran.out).group(1))
    assert ran.out.count("\n2\n") == moves + 1
    assert ran.err == f"searchlab: game over after {moves} moves: no move leads on\n"


def test_a_game_as_json(run, board10_file):
    """Everything that is known of it; the same seed gives the same."""
    arguments = (
        "play",
        board10_file,
        "--domain",
        "2048",
        "--player",
        "random",
        "--seed",
        4,
        "--max-moves",
        2,
        "--json",
    )
    game = run(*arguments)
    assert game.code == 3
    assert game.json["status"] == "move-limit"
    assert (game.json["moves"], game.json["seed"], game.json["player"]) == (2, 4, "random")
    assert len(game.json["actions"]) == 2
    assert game.json["start"][0] == [256, 8, 0, 2]
    again = run(*arguments).json
    assert {**again, "seconds": 0} == {**game.json, "seconds": 0}


@pytest.mark.parametrize("form", [(), ("--transcript",), ("--json",)])
def test_a_game_is_written_to_a_file(run, sliding, folder, form):
    """What would be printed, and nothing is printed."""
    printed = run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", *form)
    ran = run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", *form, "--output", "game.txt")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    written = (folder / "game.txt").read_text()
    without_times = [
        re.sub(r"[\d.]+( k)? (ms|s|moves/s)|\"seconds\": [^,]*", "", text) for text in (printed.out, written)
    ]
    assert without_times[0] == without_times[1]


def test_the_limit_of_moves(run, sliding):
    """Reached, it is exit code 3; a game that is over by then is over."""
    ran = run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", "--max-moves", 2)
    assert ran.code == 3
    assert ran.out.startswith("stopped after 2 moves, which is the limit\n")
    assert run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", "--max-moves", 3).code == 0


def test_a_function_of_a_file_plays(run, players):
    """With its parameters, or handed over by nothing but its name; a plugin's heuristic judges, too."""
    ran = run("play", "--domain", "2048:n=2", "--player", f"{players}:last:luck=1")
    assert (ran.code, ran.err) == (0, "")
    assert "· last:luck=1 ·" in ran.out
    assert f"{players}:last" not in ran.out


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("failing", r"player failing: ValueError: no idea \(.*players.py, line 10\)"),
        ("wrong", "player wrong returned 'sideways'; the action of a legal move is wanted: down or left"),
    ],
)
def test_an_error_in_a_player_is_one_line_and_the_board(run, players, name, said):
    """Exit code 4, no traceback."""
    ran = run("play", "--domain", "2048", "--player", f"{players}:{name}")
    assert ran.code == 4
    assert re.fullmatch(f"searchlab: error: {said}\n", ran.err)
    assert ran.out.startswith("the game ended with an error after 0 moves\n")
    assert ran.out.endswith("start\n0 0 0 2\n0 0 0 0\n0 0 0 0\n0 0 0 0\n")
    as_json = run("play", "--player", f"{players}:{name}", "--json")
    assert (as_json.code, as_json.json["status"]) == (4, "error")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--player", "gredy"], "no player is called 'gredy': did you mean 'greedy'"),
        (["--player", "random:seed=3"], "player random has no parameter 'seed'"),
        (["--player", "greedy:heuristic=[empty"], "the brackets do not match"),
        (["--player", "players.py:lst"], "players.py has no player 'lst': did you mean 'last'"),
        (["--player", "nowhere.py:lst"], "nowhere.py: no such file"),
        (["--seed", "-1"], "invalid value for '--seed'"),
        (["--max-moves", "many"], "invalid value for '--max-moves'"),
        (["--json", "--transcript"], "--json and --transcript exclude each other"),
        (["--output", "nowhere/game.txt"], "there is no folder nowhere"),
        (["--domain", "chess"], "no domain is called 'chess'"),
        (["none.txt"], "none.txt"),
    ],
)
def test_bad_input_is_one_line(run, players, arguments, said):
    """A name, a number, a file that makes no sense; exit code 2."""
    assert said in run("play", *arguments).error


def test_a_board_whose_game_is_guessed_is_told(run, sliding):
    """As for solve."""
    ran = run("play", sliding, "--player", "greedy")
    assert ran.err == "searchlab: domain sliding-tile, judging by the tiles\n"


def test_ctrl_c_ends_a_game_with_what_was_played(players):
    """Exit code 130, the result so far, no traceback."""
    command = [sys.executable, "-m", "searchlab", "play", "--player", f"{players}:round_and_round", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "asked\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, "")
    assert json.loads(out)["status"] == "interrupted"


def test_progress_goes_to_the_terminal(players):
    """A line on standard error while a game goes on, gone at its end."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "searchlab", "play", "--player", f"{players}:slow", "--max-moves", "12", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment)
    out, _ = process.communicate(timeout=120)
    os.close(theirs)
    drawn = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 3
    assert json.loads(out)["moves"] == 12
    assert re.search(r"\d moves", drawn)


def test_players_are_listed_and_shown(run, players):
    """As everything else that plugins bring."""
    assert re.search(r"^  player +random +any legal move", run("plugins").out, re.MULTILINE)
    listed = run("plugins", "list", "--json").json["plugins"]
    assert next(entry["players"] for entry in listed if entry["players"])[0]["name"] == "random"
    shown = run("plugins", "show", "player", "greedy").out
    assert shown.startswith("player greedy\nthe move to the best next board")
    assert "domains     any" in shown
    assert "  heuristic\n" in shown
    assert run("plugins", "show", "greedy").out.count("\nplugin ") == 2
    assert run("plugins", "show", f"{players}:last").out.startswith("player last\nThe last move.\n")
    assert run("plugins", "which", f"{players}:last").out.startswith("player last\n")
