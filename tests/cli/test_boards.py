"""`searchlab boards`: boards shown, and boards generated from seeds, printed or as a set of files."""

from __future__ import annotations

import tomllib

import pytest

import searchlab as sl


def test_boards_are_shown_with_their_names(run):
    """As board files whose first line is a comment; those of one game together."""
    ran = run("boards", "show", "2048/board10", "sliding-tile/example", "2048/one-neighbor")
    assert (ran.code, ran.err) == (0, "")
    first, second, third = ran.out.split("# ")[1:]
    assert (first.split("\n")[0], second.split("\n")[0]) == ("2048/board10", "2048/one-neighbor")
    assert third == "sliding-tile/example\n3\n1 2 3\n0 4 6\n7 5 8\n"
    assert sl.Board.parse(f"# {first}") == sl.read_board("2048/board10")


def test_a_folder_of_boards_is_shown(run, write):
    """All of it, and as JSON; their game is printed where only the tiles say it."""
    write("mine/a.txt", "2\n0 2\n4 0\n")
    write("mine/b.txt", "2\n0 2\n0 0\n")
    shown = run("boards", "show", "mine", "--json").json
    assert [(board["board"], board["tiles"]) for board in shown] == [
        ("mine/a.txt", [[0, 2], [4, 0]]),
        ("mine/b.txt", [[0, 2], [0, 0]]),
    ]
    assert (
        run("boards", "show", "mine").err
        == "searchlab: domain 2048, judging by the tiles (--domain NAME chooses one)\n"
    )


def test_without_a_command_help_lists_the_boards_that_ship(run):
    """The same as --help: each set with some of its boards; it is no error."""
    ran = run("boards")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == run("boards", "--help").out
    lines = [line.split() for line in ran.out.partition("Boards that ship")[2].splitlines()]
    assert ["sliding-tile/korf100", "001,", "002,", "003,", "004,", "…"] in lines
    assert ["grid-map", "maze.scen,", "noise.scen,", "rooms.scen"] in lines


def test_a_board_in_place_of_a_command_is_answered_with_how_to_show_it(run):
    """Unless a command is meant."""
    error = run("boards", "sliding-tile/puzzle8 20").error
    assert "generate and show; boards are shown by searchlab boards show 'sliding-tile/puzzle8 20' (" in error
    assert "'shw': did you mean 'show'? There are generate and show (" in run("boards", "shw").error


@pytest.mark.parametrize("name", ["shuffled:n=3", "walk:moves=7", "scattered:tiles=9", "played"])
def test_generated_boards_are_those_of_their_seeds(run, name):
    """Seeds count up from --seed, so that each can be had alone; a board in the output is a board file."""
    bound = sl.generator(name)
    ran = run("boards", "generate", name, "--count", 3, "--seed", 5)
    assert (ran.code, ran.err) == (0, "")
    printed = ran.out.split("# seed ")[1:]
    assert [text.split("\n")[0] for text in printed] == ["5", "6", "7"]
    assert [sl.Board.parse(f"# {text}") for text in printed] == [bound(seed) for seed in (5, 6, 7)]
    assert run("boards", "generate", name, "--seed", 6).out == f"# seed {printed[1]}"
    listed = run("boards", "generate", name, "--seed", 7, "--json").json
    assert listed == [{"seed": 7, "domain": str(bound.domain), "tiles": bound(7).tiles.tolist()}]


def test_a_set_of_boards_can_be_read(run):
    """Numbered files and a set.toml; `evaluate` and `solve` know the game, its parameters included."""
    arguments = ("shuffled:n=3", "--domain", "sliding-tile:goal=blank-first", "--count", 10, "--seed", 3)
    ran = run("boards", "generate", *arguments, "--output", "firsts")
    seeds = "generator shuffled:n=3, seeds 3 to 12"
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"10 boards of sliding-tile:goal=blank-first in firsts: {seeds}\n"
    boards = sl.read_boards("firsts")
    assert [path.name for path in boards] == [f"{number:02}.txt" for number in range(1, 11)]
    bound = sl.generator("shuffled:n=3", domain="sliding-tile:goal=blank-first")
    assert list(boards.values()) == [bound(seed) for seed in range(3, 13)]
    assert [row["domain"] for row in run("evaluate", "firsts", "--json").json] == ["sliding-tile:goal=blank-first"] * 10
    solved = run("solve", "firsts/02.txt", "--json", "--frontier", "greedy", "--engine", "readable")
    assert (solved.code, solved.json["domain"]) == (0, "sliding-tile:goal=blank-first")


def test_a_set_says_where_it_comes_from(run, folder):
    """What made it, and from which seeds; a goal may be named on its own."""
    run("boards", "generate", "played:moves=3", "--goal", 64, "--output", "played")
    said = tomllib.loads((folder / "played" / "set.toml").read_text())
    assert said == {
        "domain": "2048:goal=64",
        "source": f"searchlab {sl.__version__}, generator played:moves=3, seed 1",
    }


def test_an_empty_folder_may_be_filled(run, folder):
    """One that holds anything may not."""
    (folder / "new").mkdir()
    assert run("boards", "generate", "played", "--output", "new").code == 0
    before = sorted((path.name, path.read_text()) for path in (folder / "new").iterdir())
    refused = run("boards", "generate", "played", "--seed", 2, "--output", "new")
    assert refused.error == "new: there is something in it already; name a new folder"
    assert sorted((path.name, path.read_text()) for path in (folder / "new").iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("shufled",), "no generator is called 'shufled': did you mean 'shuffled'?"),
        (("shuffled", "--domain", "2048"), "generator 'shuffled' is made for sliding-tile, not for 2048"),
        (("shuffled:n=1",), "generator shuffled: n=1: the side of a board is between 2 and 1000"),
        (("scattered:tiles=17",), "generator scattered:tiles=17: 17 tiles do not fit on 4 × 4"),
        (("played", "--goal", 7), "goal=7: a goal is a power of two from 4 to 2^62"),
        (("played", "--count", 0), "invalid value for '--count'"),
        (("played", "--seed", -1), "invalid value for '--seed'"),
        (("played", "--output", "file.txt"), "file.txt: a file; name a new folder"),
        (("played", "--output", "no/such"), "no/such: there is no folder no"),
        (("played", "--renderer", "bax"), "no renderer is called 'bax': did you mean 'box'?"),
        ((), "missing argument 'GENERATOR'"),
    ],
)
def test_what_makes_no_sense_is_refused(run, write, arguments, said):
    """In one line, with exit code 2, and nothing is written."""
    write("file.txt", "")
    assert said in run("boards", "generate", *arguments).error


ANY_GAME = """\
from searchlab import Board, Generator, hookimpl


def ones(random, n=2):
    return Board([[1] * n] * n)


@hookimpl
def searchlab_generators():
    yield Generator("ones", ones, summary="nothing but ones")
    yield Generator("twos", lambda random: Board([[2, 2], [2, 2]]), summary="nothing but twos")
"""


def test_a_generator_of_any_game_needs_to_be_told_which(run, write):
    """Its boards are checked to be of that game; if they are not, the plugin is to blame: exit code 4."""
    plugin = write("any_game.py", ANY_GAME)
    command = ("--plugin", plugin, "boards", "generate")
    assert "ones makes boards of several games: name one with --domain" in run(*command, "ones").error
    assert run(*command, "twos", "--domain", "2048").out == "# seed 1\n2\n    2    2\n    2    2\n"
    ran = run(*command, "ones", "--domain", "sliding-tile", "--output", "ones")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err == (
        "searchlab: error: generator ones made no board from the seed 1: not one of sliding-tile: "
        "the tile 1 is there 4 times and 0 is missing: 0 … 3 once each\n"
    )
    assert "no such file" in run("evaluate", "ones").error
