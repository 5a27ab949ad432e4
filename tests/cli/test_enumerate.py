"""`searchlab enumerate` shows a state space depth by depth."""

import json
import re
import time

import pytest

from searchlab.cli import main
from searchlab.search.compiled.enumeration import Sorter


@pytest.mark.slow
def test_the_table_ends_with_a_verdict(capsys):
    """A complete enumeration says so, with its sums, and exits with 0."""
    assert main(["enumerate", "--domain", "2048:n=2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["depth", "states", "dead", "ends", "goals", "game", "over", "largest"]
    assert "complete: 53 states, 8 dead ends" in lines
    assert "deepest layer 12, largest tile 16, first after 10 moves" in lines


def test_a_limit_is_named(capsys):
    """An enumeration that a limit ends says which, and exits with 3."""
    assert main(["enumerate", "--max-expansions", "100"]) == 3
    assert "incomplete (expansion-limit)" in capsys.readouterr().out


def test_compiling_and_loading_take_no_time_of_the_enumeration(run, monkeypatch):
    prepare = Sorter.prepare

    def slowly(sorter):
        time.sleep(1)
        prepare(sorter)

    monkeypatch.setattr(Sorter, "prepare", slowly)
    ran = run("enumerate", "--domain", "2048:n=2", "--engine", "compiled", "--time-limit", "0.9s")
    assert ran.code == 0
    assert re.fullmatch(r"[\d.]+ [mµ]s, [\d.,]+ k? ?states/s", ran.out.splitlines()[-1])


def test_json_and_csv_hold_the_layers(capsys, tmp_path):
    """The same table goes to programs as JSON and to a file as CSV."""
    file = tmp_path / "layers.csv"
    assert main(["enumerate", "--domain", "2048:n=2,spawn=corner", "--json", "--csv", str(file)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], len(said["layers"])) == ("complete", 9)
    header, *rows = file.read_text().splitlines()
    assert header == "depth,states,dead_ends,goals,game_over,largest"
    assert [row.split(",")[1] for row in rows] == [str(layer["states"]) for layer in said["layers"]]


def test_a_game_without_a_start_needs_a_board(capsys):
    """Sliding tiles are enumerated from a board that is named."""
    assert main(["enumerate", "--domain", "sliding-tile"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_line_is_longer_than_the_page(run, monkeypatch, width):
    """On a narrow page the least important columns are left out, which is said."""
    monkeypatch.setenv("COLUMNS", str(width))
    ran = run("enumerate", "2048/four-tiles", "--goal", 16, "--max-expansions", 100)
    assert all(len(line) <= width for line in ran.out.splitlines())
    assert ran.out.startswith("depth       states")
    assert ("hidden" in ran.out) == (width < 62)


def test_a_domain_names_the_columns(run, write, folder):
    """In words of its own game, and without those that tell nothing there; programs get all of them."""
    assert run("enumerate", "sliding-tile/example", "--max-expansions", 5).out.split()[:3] == [
        "depth",
        "states",
        "goals",
    ]
    write("words.py", WORDS)
    ran = run("--plugin", "words.py", "enumerate", "--domain", "words", "--engine", "readable", "--csv", "layers.csv")
    lines = ran.out.splitlines()
    assert lines[0].split() == ["depth", "states", "counted", "to", "the", "end", "highest", "number"]
    assert lines[-3:-1] == ["complete: 4 states", "deepest layer 3, highest number 3, first after 3 moves"]
    assert (folder / "layers.csv").read_text().startswith("depth,states,dead_ends,goals,game_over,largest\n")


WORDS = """
from searchlab import Board, Domain, Views, hookimpl

COLUMNS = {"goals": "counted to the end", "largest": "highest number", "dead ends": "", "game over": ""}


def count(board):
    if board.tiles[0, 0] < 3:
        yield "on", Board([[board.tiles[0, 0] + 1]])


@hookimpl
def searchlab_domains():
    is_goal = lambda board: board.tiles[0, 0] == 3
    yield Domain("words", count, is_goal, start=lambda: Board([[0]]), views=Views(layer_columns=COLUMNS))
"""


def test_published_numbers_of_states_are_compared(run, write):
    """Those that ship with the domain, and those beside a board of one's own, which may differ."""
    assert (
        "published: the same 6 numbers (CayleyPy 2026, pancake, 5)\n" in run("enumerate", "--domain", "pancake:n=5").out
    )
    board = write("mine/stack.txt", "1 3\n2 3 1\n")
    source = 'authors = ["A. Bee"]\nyear = 1999\nvenue = "Stacks"\ndomain = "pancake:n=3"\n'
    write("mine/published.toml", f'[[table]]\n{source}rows = [{{ name = "three", layers = [1, 2, 3] }}]\n')
    ran = run("enumerate", board, "--domain", "pancake:n=3")
    assert "published: 3 states at depth 2, not 2 (Bee 1999, three)\n" in ran.out
