"""`searchlab play`: games by hand, by a player or by a script, the output, and the exit code."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

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
GOLDEN = Path(__file__).parents[1] / "golden" / "event_scripts"
CS61B = ("play", "--preset", "cs61b", "--testing")


@pytest.fixture
def players(write):
    return write("players.py", PLAYERS)


def test_a_game_is_played_and_shown(run, sliding):
    """The summary gives the end of the game, the player and the domain, and shows every board of a short game."""
    ran = run("play", sliding, "--domain", "sliding-tile", "--player", "greedy")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:2] == ["goal reached after 3 moves", "sliding-tile · greedy:heuristic=taxicab · seed 1"]
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
        "game over after 535 moves: no legal move is left\n2048 · greedy:heuristic=left-weighted · seed"
    )
    assert "532 boards left out; --transcript prints all" in ran.out
    assert ran.out.endswith("512   8   4   2   512   8   4   2\n")
    assert len(ran.out.splitlines()) < 40
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_the_transcript_is_exact(run, sliding):
    """Number of moves, then every board as the domain writes it."""
    assert run("play", sliding, "--player", "greedy", "--domain", "sliding-tile", "--transcript").out == TRANSCRIPT


def test_a_transcript_of_a_lost_game_is_whole(run):
    """Standard error says how the game ended."""
    ran = run("play", "--domain", "2048:n=2", "--player", "random", "--transcript")
    assert ran.code == 0
    moves = int(re.match(r"Number of moves: (\d+)\n", ran.out).group(1))
    assert ran.out.count("\n2\n") == moves + 1
    assert ran.err == f"searchlab: game over after {moves} moves: no legal move is left\n"


def test_json_of_a_game_has_all_fields(run, board10_file):
    """The same seed gives the same game."""
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
    """The file gets the output, and nothing is printed."""
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
def test_an_error_in_a_player_is_one_line_with_the_board(run, players, name, said):
    """The exit code is 4, and there is no traceback."""
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
        (["greedy"], "greedy: no such file; a player is named by --player greedy"),
    ],
)
def test_invalid_arguments_are_refused(run, players, arguments, said):
    assert said in run("play", *arguments).error


def test_a_domain_inferred_from_the_tiles_is_announced(run, sliding):
    ran = run("play", sliding, "--player", "greedy")
    assert ran.err == "searchlab: domain sliding-tile, judging by the tiles (--domain NAME chooses one)\n"


def test_ctrl_c_ends_a_game_with_the_moves_so_far(players):
    """The exit code is 130; prints of the player go to standard error."""
    command = [sys.executable, "-m", "searchlab", "play", "--player", f"{players}:round_and_round", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr.readline() == "asked\n"
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=120)
        finally:
            process.kill()
    assert (process.returncode, err) == (130, "")
    assert json.loads(out)["status"] == "interrupted"


def test_progress_is_shown_on_a_terminal(players, read_to_end):
    """The line on standard error vanishes at the end."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "searchlab", "play", "--player", f"{players}:slow", "--max-moves", "12", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment)
    out, _ = process.communicate(timeout=120)
    os.close(theirs)
    drawn = read_to_end(ours)
    assert process.returncode == 3
    assert json.loads(out)["moves"] == 12
    assert re.search(r"\d moves", drawn)


def test_players_are_listed_and_shown(run, players):
    """As everything else that plugins bring."""
    assert re.search(r"^  player +random +a random legal move", run("plugins").out, re.MULTILINE)
    listed = run("plugins", "list", "--json").json["plugins"]
    assert "random" in [player["name"] for entry in listed for player in entry["players"]]
    shown = run("plugins", "show", "player", "greedy").out
    assert shown.startswith("player greedy\nthe move to the board with the best heuristic value")
    assert "domains     any" in shown
    assert "  heuristic\n" in shown
    assert run("plugins", "show", "greedy").out.count("\nplugin ") == 2
    assert run("plugins", "show", f"{players}:last").out.startswith("player last\nThe last move.\n")
    assert run("plugins", "which", f"{players}:last").out.startswith("player last\n")


@pytest.mark.slow
def test_by_default_2048_is_played_with_random_tiles(run):
    """The same seed gives the same game; the outcome tells the score."""
    ran = run("play", "--player", "greedy", "--seed", 3)
    assert (ran.code, ran.err) == (0, "")
    assert re.match(r"game over after \d+ moves, score [\d,]+: no legal move is left\n2048-random · greedy", ran.out)
    game = run("play", "--player", "greedy", "--seed", 3, "--json").json
    assert f"after {game['moves']} moves, score {game['score']:,}:" in ran.out
    assert len(game["opening"]) == 2
    assert len(game["events"]) == len(game["actions"]) == game["moves"]
    assert run("play", "--player", "greedy", "--seed", 4, "--json").json["actions"] != game["actions"]


def test_a_goal_selects_a_game_that_has_one(run):
    assert "\n2048:goal=16 · greedy" in run("play", "--player", "greedy", "--goal", 16).out


@pytest.mark.parametrize("arguments", [("--preset", "cs61b"), ("--domain", "2048-random", "--preset", "cs61b")])
def test_a_preset_is_chosen_by_its_name(run, arguments):
    """Without a domain it is the game that has such a preset."""
    ran = run("play", "--player", "greedy", *arguments, "--max-moves", 5)
    assert (ran.code, ran.err) == (3, "")
    assert "\n2048-random:preset=cs61b · greedy" in ran.out


def test_a_board_is_played_by_a_preset(run, board10_file):
    """From the position it is."""
    game = run("play", board10_file, "--player", "greedy", "--preset", "cs61b", "--json").json
    assert (game["domain"], game["opening"], game["start"][0]) == ("2048-random:preset=cs61b", [], [256, 8, 0, 2])


def test_a_board_of_2048_is_played_by_chance(run, board10_file):
    """Where nothing says which game it is; it is searched without."""
    played = ("play", board10_file, "--player", "greedy")
    said = "searchlab: domain {}, judging by the tiles (--domain NAME chooses one)\n"
    assert run(*played, "--max-moves", 1).err == said.format("2048-random")
    assert run(*played, "--goal", 2048).err == said.format("2048")
    assert run("solve", board10_file, "--time-limit", "60s").err == said.format("2048")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--preset", "cs61"],
            "no game has a preset 'cs61': did you mean 'cs61b'? There are classic, cs61b and tutorial",
        ),
        (["--domain", "2048", "--preset", "cs61b"], "domain 2048 has no parameter 'preset'"),
        (["--domain", "2048-random:preset=classic", "--preset", "cs61b"], "preset is given twice, classic and cs61b"),
    ],
)
def test_an_unknown_preset_is_refused_with_the_known_ones(run, arguments, said):
    assert said in run("play", *arguments).error


def test_the_tutorial_is_printed_in_its_form(run):
    """As its transcript."""
    ran = run("play", "--preset", "tutorial", "--player", "random", "--seed", 1, "--transcript")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("+--------+--------+--------+--------+\n|        |")
    assert ran.out.count("Human move\n==========\n+---") == ran.out.count("Computer move\n=============\n+---") > 10
    final = re.search(r"Score: (\d+)\nFinal Score: (\d+)\n$", ran.out)
    assert final.group(1) == final.group(2)
    game = run("play", "--preset", "tutorial", "--player", "random", "--seed", 1, "--json").json
    assert game["score"] == int(final.group(1))
    assert all(0 not in row for row in game["final"])


def test_the_random_player_of_the_tutorial_draws_from_all_directions(run):
    """A tile appears although nothing has moved."""
    game = run("play", "--preset", "tutorial", "--player", "random", "--seed", 1, "--json").json
    assert {*game["actions"]} == {"up", "down", "left", "right"}
    assert all(len(events) == 1 for events in game["events"])


GAMES_OF_MINE = """\
from searchlab import Board, Chance, Domain, hookimpl


def successors(board):
    yield "on", Board([[board.tile_at(0, 0) + 1]])


def chance(board):
    yield "calm", board, 0.5


@hookimpl
def searchlab_domains():
    common = {"start": lambda: Board([[0]]), "presets": {"classic": {}, "mine": {}}}
    yield Domain("broken", successors, lambda board: False, **common, chance=Chance(chance))
    yield Domain("other", successors, lambda board: board.tile_at(0, 0) > 2, presets={"mine": {}})
"""


def test_games_of_plugins_may_have_presets(run, write):
    """A preset of several domains needs a domain, except for the default one."""
    mine = write("mine.py", GAMES_OF_MINE)
    assert "broken and other have a preset 'mine': say which" in run("--plugin", mine, "play", "--preset", "mine").error
    ran = run("--plugin", mine, "play", "--player", "greedy", "--preset", "classic", "--max-moves", 0)
    assert (ran.code, ran.out.splitlines()[1][:11]) == (3, "2048-random")


def test_invalid_chance_is_an_error_of_one_line(run, write):
    ran = run("--plugin", write("mine.py", GAMES_OF_MINE), "play", "--domain", "broken", "--player", "random")
    assert ran.code == 4
    assert ran.err == "searchlab: error: broken: events yields probabilities that add up to 0.5, not to 1\n"


@pytest.mark.parametrize("command", ["solve", "enumerate"])
def test_a_game_of_chance_is_not_searched(run, command):
    """The error says to play it."""
    error = run(command, "--domain", "2048-random").error
    assert error.endswith(
        "2048-random is a game of chance, which has no path to search for: play it"
        "; sl.exact_values and the player exact solve small ones"
    )


def test_a_game_of_chance_is_shown(run):
    """Its presets, and what serves it."""
    shown = run("plugins", "show", "2048-random").out
    for line in (
        "chance      after each move",
        "presets     classic, cs61b, tutorial",
        "compatible  2048",
        "points      yes",
    ):
        assert f"\n{line}" in shown
    assert "\nfrontier" not in shown


@pytest.mark.parametrize("name", ["example", "series", "whole-games"])
def test_a_script_is_played(run, name):
    """What happens goes to standard output, and nothing else."""
    ran = run(*CS61B, stdin=(GOLDEN / f"{name}.script").read_bytes())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (GOLDEN / f"{name}.transcript").read_text()


@pytest.mark.parametrize("script", [b"", b"\xef\xbb\xbf# caf\xe9\r\n\r\nKQuit\r\n"])
def test_scripts_may_be_empty_and_in_any_encoding(run, script):
    """Line ends, a byte order mark and comments do not matter."""
    ran = run(*CS61B, stdin=script)
    assert (ran.code, ran.out) == ((0, "C\nC\n") if not script else (2, "C\nC\n"))


def test_each_line_of_a_script_is_answered_at_once():
    command = [sys.executable, "-m", "searchlab", *CS61B]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = [process.stdout.readline() for _ in range(2)]
            for line in ("T 2 0 0", "T 2 0 1", "KLeft"):
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
                said.append(process.stdout.readline())
            process.stdin.close()
            assert process.wait(timeout=120) == 0
        finally:
            process.kill()
    assert said == ["C\n", "C\n", "A 2 0 0\n", "A 2 0 1\n", "D 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"]


def test_an_invalid_line_of_a_script_is_named(run):
    """Earlier output stays."""
    ran = run(*CS61B, stdin=b"T 2 0 0\nT 2 0 1\nKLeft\nT 5 0 1\n")
    assert ran.code == 2
    assert ran.out.splitlines()[-1].startswith("D 0 0 4 0")
    said = "standard input, line 4: 2048-random: '5 0 1' is not an event: 5 is no power of two from 2 to 2^62"
    assert ran.err == f"searchlab: error: {said}\n"


def test_a_script_may_start_from_a_board(run, write):
    """Every game of the script then starts there, without opening tiles."""
    board = write("board.txt", "2\n2 2\n0 4\n")
    script = b"KLeft\nT 2 0 1\nKNew Game\nKDown\nT 2 0 0\n"
    ran = run("play", board, "--domain", "2048-random", "--testing", stdin=script)
    assert ran.out == "C\nC\nD 0 0 4 0 4 0\nA 2 0 1\nC\nD 0 0 0 2 2 4\nA 2 0 0\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json",), "--json and --testing exclude each other"),
        (("--log",), "--log and --testing exclude each other"),
        (("--player", "greedy"), "--player and --testing exclude each other"),
        (("--seed", "3"), "--seed and --testing exclude each other"),
        (("--renderer", "box"), "--renderer and --testing exclude each other"),
        (("-",), "keys and scripts are read from standard input: name a file for the board"),
    ],
)
def test_incompatible_options_are_refused(run, arguments, said):
    assert said in run("play", "--preset", "cs61b", "--testing", *arguments, stdin=b"").error


def test_the_heuristic_of_a_player_is_an_option(run, board10_file):
    """Short for its parameter; a player without one, or no player at all, is told so."""
    played = run("play", "--player", "greedy", "--heuristic", "snake", "--max-moves", 2)
    assert "greedy:heuristic=snake" in played.out
    asked = run("advise", board10_file, "--player", "greedy", "--heuristic", "left-weighted:corner=-2", "--json").json
    assert asked["player"] == "greedy:heuristic=[left-weighted:corner=-2]"
    assert "player random takes no heuristic" in run("play", "--player", "random", "--heuristic", "snake").error
    assert "--heuristic needs --player" in run("play", "--heuristic", "snake").error
