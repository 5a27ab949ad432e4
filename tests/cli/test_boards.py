"""`searchlab boards`: boards shown, and boards generated from seeds, printed or as a set of files."""

from __future__ import annotations

import tomllib

import pytest

import searchlab as sl
from searchlab.board.files import board_set


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


def test_a_board_in_place_of_a_command_is_refused_with_the_command_to_show_it(run):
    error = run("boards", "sliding-tile/puzzle8 20").error
    expected = "searchlab boards lists all, searchlab boards show 'sliding-tile/puzzle8 20' shows one ("
    assert f"check, generate and show; {expected}" in error
    assert "'shw': did you mean 'show'? There are check, generate and show (" in run("boards", "shw").error


@pytest.mark.parametrize("name", ["shuffled:n=3", "walk:moves=7", "scattered:tiles=9", "played"])
def test_generated_boards_follow_from_their_seeds(run, name):
    """Seeds count up from --seed, so that each board can be generated alone."""
    bound = sl.generator(name)
    ran = run("boards", "generate", name, "--count", 3, "--seed", 5)
    assert (ran.code, ran.err) == (0, "")
    printed = ran.out.split("# seed ")[1:]
    assert [text.split("\n")[0] for text in printed] == ["5", "6", "7"]
    assert [sl.Board.parse(f"# {text}") for text in printed] == [bound(seed) for seed in (5, 6, 7)]
    assert run("boards", "generate", name, "--seed", 6).out == f"# seed {printed[1]}"
    listed = run("boards", "generate", name, "--seed", 7, "--json").json
    assert listed == [{"seed": 7, "domain": str(bound.domain), "tiles": bound(7).tiles.tolist()}]


SLOW = """
import time
import searchlab as sl


def slow(random):
    if random.random() > 0.9:
        raise KeyboardInterrupt
    time.sleep(0.3)
    return sl.Board([[1, 2], [3, 0]])


hooks = sl.plugin(sl.Generator("slow", slow, domains={"sliding-tile"}))
"""


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ([], "0 of 1 board generated; waiting for generator slow with seed 4"),
        (["--h", "0.."], "0 of 1 board, 0 drawn; waiting for generator slow with seed 4"),
    ],
)
def test_a_slow_generator_is_named_at_intervals(run, write, monkeypatch, options, line):
    """With the boards made so far and the seed, even before the first board."""
    monkeypatch.setattr("searchlab.cli.progress.run_progress.EVERY", 0.1)
    file = write("slow.py", SLOW)
    ran = run("--plugin", file, "boards", "generate", "slow", "--seed", 4, *options)
    assert ran.code == 0
    assert f"searchlab: {line}" in ran.err.splitlines()


def test_ctrl_c_names_the_generator_that_does_not_return(run, write):
    """With the number of boards made before."""
    ran = run("--plugin", write("slow.py", SLOW), "boards", "generate", "slow", "--count", 3)
    assert ran.code == 130
    assert ran.err == "searchlab: interrupted: 1 of 3 boards generated; waiting for generator slow with seed 2\n"


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


def test_a_generated_set_names_generator_and_seeds(run, folder):
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
        (("played", "--count", "1_000_001"), "1000001 is not in the range 1<=x<=1000000"),
        (("played", "--seed", -1), "invalid value for '--seed'"),
        (("played", "--output", "file.txt"), "file.txt: a file; name a new folder"),
        (("played", "--output", "no/such"), "no/such: there is no folder no"),
        (("played", "--renderer", "bax"), "no renderer is called 'bax': did you mean 'box'?"),
        ((), "missing argument 'GENERATOR'"),
    ],
)
def test_invalid_arguments_are_refused(run, write, arguments, said):
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


def test_a_generator_without_a_domain_needs_one(run, write):
    """Invalid boards are an error of the plugin: exit code 4."""
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


MAP = "type octile\nheight 2\nwidth 3\nmap\n.GS\n@TW\n"
LINE = "1 small.map 3 2 0 0 2 0 2.0\n"
BELOW, RIGHT = LINE.replace("3 2 0 0", "3 2 0 1"), LINE.replace("3 2 0 0", "3 2 1 1")
SCEN = f"version 1\n{LINE}{BELOW}{LINE}{RIGHT}"


def test_boards_are_checked(run, write):
    """Board files and instance files: one line per kind of reason, and exit code 1."""
    write("set/small.map", MAP)
    write("set/ways.scen", SCEN)
    write("set/good.scen", f"version 1\n{LINE}")
    write("set/a.txt", "2\n2 4\n0 2\n")
    write("set/b.txt", "2\n2 x\n0 2\n")
    write("set/p.pddl", "(define (problem p)\n (:domain d) (:init) (:goal (p)))")
    write("set/domain.pddl", "(define (domain d) (:predicates (p))\n (:derived (p) (p)))")
    ran = run("boards", "check", "set")
    assert ran.code == 1
    assert sorted(ran.out.splitlines()[1:-1]) == [
        "1 × 'x' is not a whole number; first set/b.txt, line 2",
        "1 × derived predicates are not supported: (:derived …); first set/p.pddl, set/domain.pddl, line 2",
    ]
    assert ran.out.splitlines()[0] == "2 × the start, (0, 1), is on an impassable cell; first set/ways.scen#2, line 3"
    assert ran.out.splitlines()[-1] == "4 boards can be used, 4 cannot"
    listed = run("boards", "check", "set/*.scen", "--json")
    assert (listed.code, listed.json["read"], listed.json["refused"], len(listed.json["reasons"])) == (1, 3, 2, 1)


def test_a_check_of_boards_without_faults_ends_with_0(run):
    """Of all domains; a folder that is not there is a usage error."""
    ran = run("boards", "check", "hanoi", "grid-map")
    assert (ran.code, ran.out) == (0, "43 boards can be used, 0 cannot\n")
    assert run("boards", "check", "nowhere").code == 2
    assert run("boards", "check", "hanoi", "--domain", "nothing").code == 2


@pytest.mark.slow
def test_an_unreadable_instance_does_not_hide_the_others(run, write):
    """They keep their numbers; its error is shown if it is requested."""
    write("small.map", MAP)
    write("ways.scen", SCEN)
    ran = run("boards", "show", "ways.scen", "--json")
    assert [each["board"] for each in ran.json] == ["ways.scen#1", "ways.scen#3"]
    why = "line 3: the start, (0, 1), is on an impassable cell"
    assert ran.err == f"searchlab: warning: ways.scen#2 is left out: {why}; 1 other, too\n"
    assert run("boards", "show", "ways.scen#2").err == f"searchlab: error: ways.scen#2: {why}\n"
    assert run("solve", "ways.scen#3", "--moves-only").out == "east east\n"
    planned = run("run", "ways.scen", "--workers", 1)
    assert planned.err.count("is left out") == 1
    assert planned.out.startswith("1 run, all done: solved 1\n")  # the two are the same


def test_boards_of_a_wanted_difficulty_are_written_with_their_costs(run, folder):
    """An experiment knows them."""
    wanted = ("--optimal", "6..8", "--count", 3, "--frontier", "astar")
    ran = run("boards", "generate", "walk:n=3,moves=10", *wanted, "--output", "set")
    assert ran.code == 0
    assert "3 boards of sliding-tile in set: generator walk:n=3,moves=10, seeds" in ran.out
    assert "drawn kept (" in ran.err
    costs = {path.stem: sl.solve(path, engine="readable").cost for path in (folder / "set").glob("*.txt")}
    assert board_set(folder / "set").optimal == costs
    assert all(6 <= cost <= 8 for cost in costs.values())


def test_too_few_boards_of_a_wanted_difficulty_are_told(run):
    ran = run("boards", "generate", "walk:n=3,moves=4", "--optimal", "20..", "--tries", 5)
    assert (ran.code, ran.out) == (3, "")
    assert "0 boards of 5 drawn kept (0.00%)" in ran.err
    assert "1 fewer than wanted" in ran.err


def test_options_that_measure_need_a_range(run):
    ran = run("boards", "generate", "walk:n=3", "--strata", 2)
    assert ran.code == 2
    assert "add --optimal, --h or --expanded" in ran.err
    ran = run("boards", "generate", "walk:n=3", "--optimal", "many")
    assert "--optimal: a range like 40..50, 40.. or 40 is wanted, not 'many'" in ran.err
