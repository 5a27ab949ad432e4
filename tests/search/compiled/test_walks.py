"""Iterative deepening on one board, changed in place: the same search as the readable one, errors included."""

import re
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search.compiled import in_place, walks
from searchlab.search.compiled.in_place import onward_table
from searchlab.search.compiled.walks import FramesWalk, InPlaceWalk
from searchlab_plugins.sliding_tile.packed import neighbors

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions", "frontier")
HARD = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
MIDDLING = sl.Board([[1, 5, 2], [4, 0, 3], [7, 8, 6]])


def figures(result):
    """Everything a search says that does not depend on the machine."""
    return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}


def assert_twins(board, *, frontier="ida-star", **arguments):
    compiled = sl.solve(board, domain="sliding-tile", frontier=frontier, engine="compiled", **arguments)
    readable = sl.solve(board, domain="sliding-tile", frontier=frontier, engine="readable", **arguments)
    assert figures(compiled) == figures(readable)
    return compiled


@pytest.fixture
def walked(monkeypatch):
    """The kinds of walks that searches made."""
    kinds = []
    for kind in (InPlaceWalk, FramesWalk):
        begin = kind.begin
        monkeypatch.setattr(
            kind, "begin", lambda self, *rest, begin=begin: kinds.append(type(self)) or begin(self, *rest)
        )
    return kinds


def whole(tiles) -> int:
    """Tiles out of place, a whole number and said to be one."""
    count = 0
    for row in range(3):
        for column in range(3):
            tile = tiles[row, column]
            count += (tile != 0) & (tile != 3 * row + column + 1)
    return count


def not_said(tiles):
    """The same, not said to be whole."""
    return whole(tiles)


def fractional(tiles):
    """An inconsistent estimate that is no whole number."""
    return whole(tiles) * 0.7 + 0.3 * (tiles[0, 0] == 2)


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", [whole, not_said, fractional, "taxicab", "misplaced", "euclidean"])
@given(seed=st.integers(0, 2**32 - 1), most=st.sampled_from([1, 40, 2000]))
def test_both_engines_agree_on_random_boards(heuristic, seed, most):
    """Random boards, estimates of both kinds, with and without following the moves."""
    tiles = np.random.default_rng(seed).permutation(9).reshape(3, 3)
    assert_twins(sl.Board(tiles), heuristic=heuristic, limits=sl.Limits(expansions=most))


@pytest.mark.slow
def test_the_in_place_kernel_is_used(walked):
    """Sliding tiles are searched in place, boards too large for it and other games are not."""
    assert_twins(MIDDLING)
    assert_twins(MIDDLING, frontier="iterative-deepening", limits=sl.Limits(expansions=3000))
    assert set(walked) == {InPlaceWalk}
    walked.clear()
    tiles = np.arange(1, 82).reshape(9, 9) % 81
    tiles[8, 7:] = 0, 80
    assert_twins(sl.Board(tiles))
    sl.solve(domain="2048:goal=8", frontier="ida-star", heuristic="moves-to-go", limits=sl.Limits(expansions=100))
    assert set(walked) == {FramesWalk}


LOOKED_UP = np.arange(9, dtype=np.uint64) + np.uint64(2**63)


def now_unsigned(tiles) -> int:
    """Now a whole number of one kind, now of the other, which in machine code is a fraction."""
    return LOOKED_UP[tiles[0, 0]] + LOOKED_UP[0] if tiles[0, 0] else 0


def test_whole_numbers_of_two_kinds_are_refused_with_a_cure():
    """The error is one line that says how to write it."""
    with pytest.raises(
        sl.UsageError, match=r"or signed numbers in one place .*; write `return np.int64\(…\)` in each$"
    ):
        sl.solve(MIDDLING, domain="sliding-tile", heuristic=now_unsigned, frontier="ida-star", engine="compiled")


ODD = np.array([nan, -1.0, -0.25, inf, 0.0, 1e300])


def odd_at_corner(tiles, which=0):
    """An estimate with an odd value where a 5 has come to the corner."""
    h = whole(tiles)
    return ODD[which] if tiles[0, 0] == 5 else 1.0 * h


@pytest.mark.slow
@pytest.mark.parametrize("which", range(len(ODD)), ids=[str(value) for value in ODD])
def test_both_engines_agree_on_odd_values(which):
    """NaN and negative values are errors on the same board after the same work, infinite ones dead ends."""
    heuristic = sl.heuristic(sl.Heuristic("odd-at-corner", odd_at_corner), domain="sliding-tile", which=which)
    result = assert_twins(HARD, heuristic=heuristic, limits=sl.Limits(expansions=20_000))
    assert (result.status == "error") == (not ODD[which] >= 0)


def raises_late(tiles):
    """An estimate that fails on some boards."""
    if tiles[0, 0] == 5 and tiles[1, 1] == 1:
        raise ValueError("a 5 in the corner")
    return whole(tiles)


def out_of_bounds(tiles):
    """An estimate with a wrong index on some boards."""
    return whole(tiles) + 0 * tiles[0, 0 if tiles[0, 0] != 5 else tiles[1, 1]]


@pytest.mark.slow
@pytest.mark.parametrize("heuristic", [raises_late, out_of_bounds])
def test_both_engines_raise_the_same_exceptions(heuristic):
    """With equal message, place, board and figures."""
    result = assert_twins(HARD, heuristic=heuristic)
    assert result.status == "error"
    assert "test_walks.py" in result.reason
    assert result.expanded > 10


def follows(h: int, tile: int, target: int) -> int:
    """Fails where the tile 5 enters the corner."""
    if tile == 5 and target == 0:
        raise ValueError("5 entered the corner")
    return h


def apart(tiles, goal_row, goal_col) -> int:
    """The distances of all tiles from where they belong."""
    rows, columns = sums(tiles, goal_row, goal_col)
    return rows + columns


def sums(tiles, goal_row, goal_col):
    """What is carried beside that: the distances in rows, and those in columns."""
    rows = columns = 0
    for row in range(3):
        for column in range(3):
            tile = tiles[row, column]
            if tile:
                rows += abs(goal_row[tile] - row)
                columns += abs(goal_col[tile] - column)
    return rows, columns


def carried_on(h, carried, tile, source, target, goal_row, goal_col):
    rows, columns = carried
    rows += abs(goal_row[tile] - target // 3) - abs(goal_row[tile] - source // 3)
    columns += abs(goal_col[tile] - target % 3) - abs(goal_col[tile] - source % 3)
    return rows + columns, (rows, columns)


CARRIES = sl.Heuristic("apart", apart, carry=sums, incremental=carried_on, admissible=True, consistent=True)
PLAIN = sl.Heuristic("apart", apart, admissible=True, consistent=True)


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["ida-star", "ida-star:threads=2", "astar"])
def test_carried_numbers_do_not_change_the_search(frontier, monkeypatch):
    """They are updated with each move, and restored when it is undone."""
    monkeypatch.setattr(walks, "FIRST_DEPTHS", 4)  # so that paths have to grow
    searched = [
        sl.solve(HARD, domain="sliding-tile", heuristic=heuristic, frontier=frontier, engine=engine)
        for heuristic, engine in ((CARRIES, "compiled"), (PLAIN, "compiled"), (CARRIES, "readable"))
    ]
    assert searched[0].moves == 31
    assert [figures(result) for result in searched[1:]] == [figures(searched[0])] * 2


@pytest.mark.slow
def test_values_are_updated_instead_of_computed():
    """A wrong update is seen in the nodes."""

    def stuck(h, carried, tile, source, target, goal_row, goal_col):
        return h, carried

    wrong = sl.Heuristic("apart", apart, carry=sums, incremental=stuck)
    given = {"domain": "sliding-tile", "frontier": "ida-star", "engine": "compiled"}
    expanded = [sl.solve(MIDDLING, heuristic=each, **given).expanded for each in (CARRIES, wrong)]
    assert expanded[0] != expanded[1]


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ([1], "carry returned [1], not a tuple of whole numbers"),
        ((), "carry returned (), not a tuple of whole numbers"),
        ((0.5,), "carry returned 0.5, not a 64-bit integer"),
        ((2**63,), "carry returned 9223372036854775808, not a 64-bit integer"),
    ],
)
def test_carried_values_must_be_integers(returned, said):
    wrong = sl.Heuristic("apart", apart, carry=lambda tiles: returned, incremental=carried_on)
    with pytest.raises(sl.PluginError, match=re.escape(said)):
        sl.solve(MIDDLING, domain="sliding-tile", heuristic=wrong, frontier="ida-star", engine="compiled")


def test_exceptions_of_incremental_values_show_the_successor():
    """The board that is shown is the one after the move, although the move was never made."""

    def estimate(tiles) -> int:
        if tiles[0, 0] == 5:
            raise ValueError("5 in the corner")
        return 2

    component = sl.Heuristic("odd", estimate, incremental=follows)
    result = assert_twins(HARD, heuristic=component)
    assert result.status == "error"
    assert "5 in the corner" in result.reason


def test_whole_numbers_have_to_be_whole():
    """An annotation that is not true is no silent truncation."""

    def half(tiles) -> int:
        return tiles[0, 0] / 2

    with pytest.raises(sl.UsageError, match="annotated `-> int`"):
        sl.solve(MIDDLING, domain="sliding-tile", heuristic=half, frontier="ida-star", engine="compiled")


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["ida-star", "ida-star:threads=2"])
@pytest.mark.parametrize(
    ("board", "arguments"),
    [
        (HARD, {"domain": "sliding-tile"}),
        (
            None,
            {"domain": "2048:goal=64,spawn=corner", "heuristic": "moves-to-go", "limits": sl.Limits(expansions=500)},
        ),
    ],
)
def test_longer_paths_make_room(monkeypatch, board, arguments, frontier):
    """Where the arrays by depth are too short they grow, in the middle of the search."""
    monkeypatch.setattr(walks, "FIRST_DEPTHS", 2)
    compiled, readable = (
        sl.solve(board, frontier=frontier, engine=engine, **arguments) for engine in ("compiled", "readable")
    )
    assert figures(compiled) == figures(readable)


def test_a_limit_of_memory_holds_for_long_paths(monkeypatch):
    """Arrays that would exceed it are not made."""
    monkeypatch.setattr(walks, "FIRST_DEPTHS", 2)
    result = sl.solve(HARD, domain="sliding-tile", frontier="ida-star", limits=sl.Limits(memory=100))
    assert result.status == "memory-limit"
    assert result.peak_bytes <= 100


def test_places_are_packed_into_words():
    """The table of what is tried next leaves out going back, in the order of the successors."""
    table = neighbors((3, 3))[:, :4]
    onward = onward_table(table, 4)

    def unpacked(word):
        while word != 1:
            yield word & 15
            word >>= 4

    # From the centre to the cell above it: next are left and right, and not back down.
    assert list(unpacked(int(onward[4, 1]))) == [0, 2]
    assert list(unpacked(int(onward[1, 4]))) == [3, 5, 7]
    assert onward[0, 8] == 0


def test_states_beyond_one_word_use_the_other_kernel():
    """Moves to many places need more bits than a word has."""
    form = sl.domain("sliding-tile").packed(HARD)
    assert in_place.fits_in_place(form)
    wide = sl.InPlace(len, np.zeros((16, 16), np.int64), lambda cells, place, to: None, lambda cells, place: False)
    assert not in_place.fits_in_place(sl.PackedForm(9, 16, lambda tiles, out: 0, lambda tiles: False, in_place=wide))
    assert not in_place.fits_in_place(sl.PackedForm(9, 16, lambda tiles, out: 0, lambda tiles: False))


def drops_too_far(h, tile) -> int:
    """An incremental form that does not agree with its function."""
    return h - 3


@pytest.mark.parametrize("frontier", ["ida-star", "ida-star:threads=2"])
def test_forms_that_disagree_are_an_error_and_no_proof(frontier):
    """Where only the compiled value is negative, the search does not pass for exhausted."""
    component = sl.Heuristic("odd", whole, incremental=drops_too_far)
    result = sl.solve(HARD, domain="sliding-tile", heuristic=component, frontier=frontier, engine="compiled")
    assert result.status == "error"
    assert "h is below 0; the function itself says" in result.reason


@pytest.mark.slow
@pytest.mark.parametrize("beyond", [2**52, 2**62, 2**63 - 1])
def test_very_large_whole_numbers_do_not_wrap_around(beyond):
    """A largest number for a dead end ends the path it is on."""

    def estimate(tiles) -> int:
        return beyond if tiles[0, 0] == 5 else whole(tiles)

    assert_twins(HARD, heuristic=estimate, limits=sl.Limits(expansions=3000))
