"""The Python function `heuristic`: by name, bound, or around a function; with parameters, for a domain."""

from functools import partial
from pathlib import Path

import numpy as np
import pytest

import searchlab as sl

PLUGINS = Path(__file__).parents[1] / "plugin_files"
BOARD = sl.Board([[0, 2, 4], [8, 0, 0], [2, 2, 2]])


def test_a_heuristic_by_name_gives_values():
    """Its own parameters can be set, and show in its spelling."""
    assert sl.heuristic("left-weighted")(BOARD) == 1 * 0 + 3 * 8 + 6 * 2 + 2 - 2
    assert sl.heuristic("left-weighted:corner=-2")(BOARD) == 34
    assert sl.heuristic("left-weighted", corner=3)(BOARD) == 44
    assert str(sl.heuristic("left-weighted:corner=-2.0")) == "left-weighted:corner=-2"
    assert str(sl.heuristic("left-weighted:corner=-1")) == "left-weighted"


def test_an_alias_is_the_same_heuristic():
    """It shows under its name."""
    assert str(sl.heuristic("weighted")) == "distance-weighted"


def test_what_a_domain_has_is_filled_from_it():
    """A heuristic's parameter named like one of the domain takes the domain's value."""
    board = sl.domain("2048").start()
    assert sl.heuristic("moves-to-go")(board) == 1033
    assert sl.heuristic("moves-to-go", domain="2048:goal=8")(board) == 5
    assert sl.heuristic("moves-to-go", domain=sl.domain("2048", goal=16))(board) == 10


def test_what_a_domain_has_cannot_be_set_separately():
    """Not in the name and not as a keyword; nor can what it offers."""
    for name, more in (("moves-to-go:goal=8", {}), ("moves-to-go", {"goal": 8})):
        with pytest.raises(sl.UsageError, match="heuristic moves-to-go: goal is filled from the domain; set it there"):
            sl.heuristic(name, **more)
    with pytest.raises(sl.UsageError, match="goal_row is filled from the domain"):
        sl.heuristic("taxicab", goal_row=[1])


def test_a_bound_heuristic_keeps_its_domain_and_values():
    """Bound again it changes only what is said anew."""
    bound = sl.heuristic("moves-to-go", domain="2048:goal=8")
    board = sl.domain("2048").start()
    assert sl.heuristic(bound)(board) == 5
    assert sl.heuristic(bound, domain="2048:goal=16")(board) == 10
    corner = sl.heuristic("left-weighted:corner=-2")
    assert str(sl.heuristic(corner)) == "left-weighted:corner=-2"
    assert str(sl.heuristic(corner, corner=5)) == "left-weighted:corner=5"


def test_a_heuristic_of_another_domain_is_refused():
    """With the domains it is made for, and the heuristics there are for this one."""
    with pytest.raises(sl.UsageError) as raised:
        sl.solve(heuristic="taxicab")
    assert str(raised.value).startswith(
        "heuristic 'taxicab' is made for sliding-tile, not for 2048; for that there are: column-snake, "
    )


def test_a_function_is_a_heuristic():
    """With its parameters, and `prefer` to say that it is a score."""

    def largest(tiles, factor=2):
        return factor * tiles.max()

    assert sl.heuristic(largest)(BOARD) == 16
    assert sl.heuristic(largest, factor=3)(BOARD) == 24
    assert sl.heuristic(largest).prefer == "low"
    assert sl.heuristic(largest, prefer="high").prefer == "high"
    assert sl.heuristic(partial(largest, factor=5))(BOARD) == 40
    with pytest.raises(sl.UsageError, match="prefer is one of low, high, not up"):
        sl.heuristic(largest, prefer="up")


def test_a_function_with_a_parameter_prefer_keeps_it():
    """Then it is its own business what it means."""

    def mine(tiles, prefer="left"):
        return len(prefer)

    assert sl.heuristic(mine, prefer="right")(BOARD) == 5


def test_a_function_in_a_file_is_a_heuristic():
    """`FILE.py:function`, with parameters and `prefer=high`."""
    name = f"{PLUGINS / 'everything.py'}:largest"
    assert sl.heuristic(name)(BOARD) == 8
    score = sl.heuristic(f"{name}:prefer=high")
    assert (score.prefer, str(score)) == ("high", "largest:prefer=high")
    result = sl.solve(domain="2048:goal=16", heuristic=f"{name}:prefer=high", engine="readable")
    assert result.status == "solved"


def test_values_are_plain_numbers_and_kept_on_the_board():
    """A NumPy number comes out as Python's, and the function is called once for a board."""
    calls = []

    def counting(tiles, by=1):
        calls.append(by)
        return np.int64(by) * tiles.sum()

    board = sl.Board(BOARD.tiles)
    once, twice = sl.heuristic(counting), sl.heuristic(counting, by=2)
    assert [once(board), once(board), twice(board), twice(board), once(board)] == [20, 20, 40, 40, 20]
    assert type(once(board)) is int
    assert calls == [1, 2]
    assert once(sl.Board(BOARD.tiles)) == 20
    assert calls == [1, 2, 1]


def test_kept_values_know_the_arrays_they_are_for():
    """Two long arrays that differ in the middle give two values for the same board."""

    def weighted(tiles, weights):
        return int(weights.sum()) + tiles[0, 1]

    zeros = np.zeros(5000, np.int64)
    changed = zeros.copy()
    changed[2500] = 7
    first, second = sl.heuristic(weighted, weights=zeros), sl.heuristic(weighted, weights=changed)
    assert [first(BOARD), second(BOARD), first(BOARD)] == [2, 9, 2]


def test_kept_values_know_the_domain_they_are_for(example8):
    """The same board has another value under another goal."""
    last = sl.heuristic("taxicab")
    first = sl.heuristic("taxicab", domain="sliding-tile:goal=blank-first")
    assert (last(example8), first(example8), last(example8)) == (3, 11, 3)


def test_a_heuristic_must_not_write_to_the_board():
    """The tiles it is given are read-only."""

    def vandal(tiles):
        tiles[0, 0] = 9
        return 0

    with pytest.raises(ValueError, match="read-only"):
        sl.heuristic(vandal)(BOARD)
