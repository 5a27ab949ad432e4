"""Invalid input is reported in one line, with exit code 2."""

from __future__ import annotations

import json
import re

import pytest

import searchlab as sl
from searchlab.cli.program import BUILT_IN

BOARDS = {
    "empty": ("", "empty"),
    "only comments": ("# nothing\n", "no board"),
    "too few tiles": ("2\n2 0\n4\n", "1 tiles where the row has 2"),
    "too many tiles": ("2\n2 0\n4 0\n8 0\n", "has 4 tiles, here are 6"),
    "no power of two": ("2\n3 0\n5 0\n", "no game"),
    "a repeated tile": ("2\n1 1\n2 0\n", "no game"),
    "negative": ("2\n-2 0\n0 0\n", "negative"),
    "huge": ("2\n99999999999999999999999 0\n0 0\n", "too large"),
    "words": ("2\n2 x\n0 0\n", "'x' is not a whole number"),
    "one cell": ("1\n9\n", "1 tile may be of any game"),
    "binary": (b"\x00\x01\x02", "a binary file"),
    "not UTF-8": (b"2\n\xff\xfe 0\n0 0\n", "a binary file"),
}


@pytest.mark.parametrize(("content", "said"), BOARDS.values(), ids=BOARDS.keys())
@pytest.mark.parametrize("command", ["solve", "evaluate", "neighbors"])
def test_an_invalid_board_is_refused(run, write, command, content, said):
    """The error names the file and the fault."""
    error = run(command, write("bad.txt", content)).error
    assert error.startswith("bad.txt: ")
    assert said in error


@pytest.mark.parametrize(
    ("content", "domain", "said"),
    [
        ("2\n3 0\n2 4\n", "2048", "the tile 3 at row 1, column 1 is no power of two"),
        ("2\n1 1\n2 0\n", "sliding-tile", "the tile 1 is there 2 times"),
        ("1 2\n2 0\n", "2048", "it is 1 × 2"),
    ],
)
def test_a_board_of_another_game(solve, write, content, domain, said):
    """A board that is none of the domain that was named is refused with the file's name."""
    error = solve(write("bad.txt", content), "--domain", domain).error
    assert error.startswith(f"bad.txt: not a board of {domain}: ")
    assert said in error


def test_a_board_of_several_games_needs_a_domain(run, write, plugin):
    """If the tiles fit no game, the error about the likely one is shown."""
    error = run("solve", write("bad.txt", "2\n1 1\n2 0\n"), "--plugin", plugin).error
    assert "; for sliding-tile: the tile 1 is there 2 times and 3 is missing" in error
    assert "; name the game with --domain" in error
    assert len(error) < 200


@pytest.mark.parametrize("command", ["solve", "evaluate", "neighbors"])
def test_a_python_file_is_no_board(run, write, command):
    """The error says how to load it."""
    said = "mine.py: a Python file, not a board; --plugin mine.py loads it"
    name = write("mine.py", "from searchlab import Heuristic\n")
    assert run(command, name).error == said
    assert run(command, name, "--domain", "strips").error == said


def test_a_python_file_is_neither_an_experiment_nor_a_board(run, write):
    """Whether or not a board is named, too; a file that does not exist is reported as such."""
    name = write("mine.py", "from searchlab import Heuristic\n")
    said = "mine.py: a Python file, not an experiment (.toml) or a board; --plugin mine.py loads it"
    assert run("run", name).error == said
    assert run("run", "2048/board10", name).error == said
    assert run("run", "nowhere.py").error.endswith("nowhere.py: no such file")
    said = "mine.py: a Python file, not an experiment (.toml); --plugin mine.py loads it"
    assert run("tune", name).error == said
    with pytest.raises(sl.UsageError, match=re.escape(said)):
        sl.run(name)


def test_paths_without_a_board_file_are_refused(run, folder):
    """No such file, a directory, a misspelt shipped board, a name too long for a file."""
    assert run("solve", "nowhere.txt").error == "nowhere.txt: no such file"
    assert "a directory" in run("solve", folder).error
    assert "did you mean '2048/board10'?" in run("solve", "2048/bord10").error
    assert "too long" in run("solve", "x" * 5000).error
    assert "no boards here" in run("evaluate", "*.board").error


@pytest.mark.parametrize("argument", ["1 2 / 3 0", "-1 0 / 2 1"])
def test_tiles_in_place_of_a_file(run, argument):
    """Whether or not they begin like an option, it is said where a board comes from."""
    said = "a board stands in a file, or comes from standard input, which is called -"
    assert said in run("solve", argument).error
    assert said in run("solve", "--", argument).error


def test_standard_input_that_is_empty(run):
    """Standard input is named as the source."""
    assert run("solve", "-", stdin=b"").error.startswith("standard input: empty")


NAMES = {
    "--domain 2408": "did you mean '2048'?",
    "--domain sliding-tile": "no start board",
    "--domain=": "a name is missing",
    "--heuristic left-wieghted": "did you mean 'left-weighted'",
    "--heuristic taxicab": "heuristic 'taxicab' is made for sliding-tile, and without a board 2048 is searched: "
    "name a board ('searchlab boards' lists some) or a --domain",
    "--heuristic taxicab --domain 2048": "made for sliding-tile, not for 2048; for that there are: column-snake",
    "--heuristic left-weighted:crner=2": "did you mean 'corner'?",
    "--heuristic left-weighted:corner=much": "corner is a number, not 'much'",
    "--heuristic left-weighted:corner": "is not param=value",
    "--heuristic=": "a name is missing",
    "--heuristic nowhere.py:f": "nowhere.py: no such file",
    "--frontier gredy": "did you mean 'greedy'?",
    "--frontier weighted-astar:weight=0": "a weight is at least 1",
    "--frontier ida-star": "needs an estimate",
    "--goal 100": "a goal is a power of two",
    "--goal=": "goal is a number",
    "--goal 64 --domain 2048:goal=128": "goal is given twice, 128 and 64",
    "--domain 2048:spawn=middle": "spawn is one of right-column, corner, not middle",
    "--domain 2048:n=1": "n=1",
    "--time-limit soon": "'soon' is not a time",
    "--time-limit 10000000000": "is too long: a time is at most 100 years",
    "--memory-limit 5XB": "is not an amount of memory",
    "--memory-limit 0MiB": "0 is not a limit of memory; leave the option out for the default",
    "--max-expansions -1": "-1 is not in the range",
    "--max-expansions many": "'many' is not a whole number",
    "--engine fast": "'fast' is not one of 'auto', 'compiled', 'readable'",
    "2048/board10 --to 2": "2048: no board can take the place of the goal: it does not list its goals",
    "sliding-tile/puzzle8-20 --to 1/2": "the board to reach is 2 × 1, and this one 3 × 3",
    "sliding-tile/puzzle8-20 --to nowhere": "--to nowhere: no such file",
    "sliding-tile/puzzle8-20 --to 1/2 --goal snail": "--goal and --to both set the goal",
    "sliding-tile/puzzle8-20 --to sliding-tile/puzzle8-31 --heuristic pdb": "has no estimate from one board",
    "--json --transcript": "--json and --transcript exclude each other",
    "--heuristc greedy": "did you mean '--heuristic'?",
    "--plugin nowhere.py": "nowhere.py: no such file",
    "--plugin .": ".: a directory",
    "--output nowhere/out.txt": "there is no folder nowhere",
    "--output .": "a directory",
    "--output=": "a name is missing",
    "--record nowhere/runs.csv": "there is no folder nowhere",
    "--record .": "a directory",
    "one.txt two.txt": "unexpected extra argument",
}


@pytest.mark.parametrize(("arguments", "said"), NAMES.items(), ids=NAMES.keys())
def test_invalid_names_and_values_are_refused(run, arguments, said):
    """Before the search."""
    assert said.lower() in run("solve", *arguments.split(" ")).error.lower()


@pytest.mark.parametrize("command", ["play", "advise 2048/board10", "view game.json --advise="])
def test_an_empty_name_of_a_player_is_not_the_default(run, write, command):
    write("game.json", json.dumps(sl.play(player="random", most_moves=1).as_dict()))
    player = () if "--advise=" in command else ("--player=",)
    assert run(*command.split(" "), *player).error == "'': a name is missing; it is spelled NAME or NAME:param=value,…"


@pytest.mark.parametrize(
    "command", ["archive", "grade --rubric=r.toml", "replay", "report", "results", "run", "tune", "verify", "view"]
)
def test_an_empty_path_is_not_the_current_folder(run, command):
    assert ": a name is missing (see searchlab " in run(*command.split(" "), "").error


@pytest.mark.parametrize("name", ["nothing.zip", "x" * 300])
def test_what_is_no_archive_is_not_verified(run, write, name):
    """A file that is cut, or a name too long for a file."""
    if name == "nothing.zip":
        write(name, b"PK\x03\x04")
    said = "not an archive of searchlab archive, or a damaged one" if name == "nothing.zip" else "no results here"
    assert run("verify", name).error.startswith(f"{name}: {said}")


@pytest.mark.parametrize("command", ["run 2048/board10 --frontier greedy", "tournament random", "train ntuple"])
def test_an_empty_output_is_not_the_current_folder(run, folder, command):
    """It is what a variable of a shell leaves that is not set."""
    assert "'--output': a name is missing" in run(*command.split(" "), "--output", "").error
    assert list(folder.iterdir()) == []


def test_a_usage_error_names_the_help_of_the_command(run):
    assert run("solve", "--nonsense").error.endswith("(see searchlab solve --help)")
    assert run("evaluate").error == "missing argument 'BOARD…' (see searchlab evaluate --help)"


def test_a_misspelt_command_is_guessed(run, plugin):
    """Commands of plugins are among those that may be meant."""
    *others, last = sorted(BUILT_IN)
    known = f"{', '.join(others)} and {last}"
    assert f"did you mean 'solve'? There are {known}" in run("sovle").error
    ran = run("--plugin", plugin, "gret")
    assert ran.code == 2
    assert "did you mean 'greet'" in ran.err


def test_a_set_toml_that_is_wrong_is_named(run, write):
    """A domain that set.toml misspells is reported with the file."""
    write("set/set.toml", 'domain = "2084"\n')
    assert run("solve", write("set/b.txt", "2\n2 0\n0 0\n")).error.startswith("set/set.toml: no domain is called")


def test_a_record_with_other_columns_is_refused(run, write):
    """Nothing is appended to another file."""
    other = write("other.csv", "a,b\n1,2\n")
    assert run("solve", "--record", other).error.startswith("other.csv: not a record")
    lines_of_old = write("old.csv", "a,b\rc,d\r")
    assert run("solve", "--record", lines_of_old).error.startswith("old.csv: not a record")
    assert (run("solve", "--record", write("empty.csv", ""), "--goal", 4, "--engine", "readable")).code == 0


def test_a_process_prints_the_same_errors_as_main(process):
    ran = process("solve", "nowhere.txt")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "searchlab: error: nowhere.txt: no such file\n"
