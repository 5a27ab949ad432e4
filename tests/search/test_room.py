"""Tiles beyond a packed form are never cut: in a start, a successor or a goal they are an error that names the tile."""

from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.problem import Problem
from searchlab.search.solve import search


def jumps(tiles, out):
    k = 0
    columns = tiles.shape[1]
    for column in range(columns):
        if tiles[0, column] == 1:
            for step in (-1, 1):
                to = column + 2 * step
                if 0 <= to < columns and tiles[0, column + step] == 1 and tiles[0, to] == 0:
                    out[k] = tiles
                    out[k, 0, column] = out[k, 0, column + step] = 0
                    out[k, 0, to] = 1
                    k += 1
    return k


def one_left(tiles):
    return (tiles == 1).sum() == 1


PEGS = sl.PackedForm(values=2, max_successors=8, successors=jumps, is_goal=one_left)
BESIDE_NO_CELL = sl.Board([[2, 1, 1, 0, 1, 2]])


def nothing(tiles):
    return 0


def pegs(form, **fields):
    return sl.domain(sl.Domain("pegs", packed=lambda board: form, unit_cost=True, **fields))


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_a_start_with_a_tile_beyond_the_values_is_refused(engine):
    """It once was cut to one bit, and `unsolvable` claimed; with room for it, it is solved in two moves."""
    with pytest.raises(sl.BoardError, match="the tile at row 1, column 1 is 2: a tile is between 0 and 1"):
        sl.solve(BESIDE_NO_CELL, domain=pegs(PEGS), engine=engine)
    assert sl.solve(BESIDE_NO_CELL, domain=pegs(replace(PEGS, values=3)), engine=engine).moves == 2


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "breadth-first", "depth-first", "beam", "ida-star", "greedy"])
def test_a_start_that_cannot_be_packed_is_shown(frontier):
    """Also where nobody has asked whether the board is one of the domain."""
    domain = pegs(PEGS)
    parts = sl.heuristic(nothing, domain=domain), sl.frontier(frontier)
    result = search(Problem(BESIDE_NO_CELL, domain, *parts), engine="compiled")
    assert result.status == "error"
    assert result.reason == f"the packed form has no room for the tile 2 at row 1, column 1\n{BESIDE_NO_CELL}"


# Counting up to a goal: the cell has four bits, and ten values.


def count_up(words, out):
    out[0, 0] = words[0] + np.uint64(1)
    return 1


def count_up_tiles(tiles, out):
    out[0, 0, 0] = tiles[0, 0] + 1
    return 1


def never(tiles):
    return False


@pytest.mark.parametrize("as_words", [False, True])
@pytest.mark.parametrize("frontier", ["astar", "breadth-first", "beam", "depth-first"])
def test_a_successor_beyond_the_values_is_an_error(frontier, as_words):
    """Whether the rules write tiles or packed words; the board that it comes from is shown."""
    form = sl.PackedForm(
        values=10,
        max_successors=1,
        successors=count_up_tiles,
        words=sl.Words(count_up if as_words else None),
        is_goal=never,
    )
    result = sl.solve(sl.Board([[0]]), domain=pegs(form), frontier=frontier, engine="compiled")
    assert result.status == "error"
    assert "no room for a successor of this board: the tile at row 1, column 1 is 10" in result.reason
    assert result.reason.endswith(f"\n{sl.Board([[9]])}")


def test_a_successor_that_is_no_power_of_two_is_an_error():
    """It once was cut to the largest power of two that divides it."""
    form = sl.PackedForm(values=10, max_successors=1, successors=times_three, is_goal=never, powers_of_two=True)
    result = sl.solve(sl.Board([[2]]), domain=pegs(form), frontier="breadth-first", engine="compiled")
    assert "no room for a successor of this board: the tile at row 1, column 1 is 6" in result.reason


def times_three(tiles, out):
    out[0, 0, 0] = 3 * tiles[0, 0]
    return 1


def test_a_goal_without_room_is_an_error():
    """No state is equal to it, and its search would end with `unsolvable`."""
    form = sl.PackedForm(values=10, max_successors=1, successors=count_up_tiles)
    domain = pegs(form, goals=lambda board: [sl.Board([[10]])])
    with pytest.raises(sl.PluginError, match="no room for a goal: the tile at row 1, column 1 is 10"):
        sl.solve(sl.Board([[0]]), domain=domain, frontier="breadth-first", engine="compiled")


def test_distances_from_a_goal_without_room_are_an_error():
    """Of a table of distances, which is found from the goals on."""
    form = sl.PackedForm(values=3, max_successors=1, successors=swapped)
    domain = sl.domain(
        sl.Domain("swaps", packed=lambda board: form, goals=lambda board: [sl.Board([[0, 1, 5]])], inverse="same")
    )
    with pytest.raises(sl.SearchlabError, match="5"):
        sl.distances(domain, board=sl.Board([[5, 1, 0]]))


def swapped(tiles, out):
    out[0] = tiles
    out[0, 0, 0], out[0, 0, 2] = tiles[0, 2], tiles[0, 0]
    return 1


def test_too_many_successors_are_an_error_that_names_max_successors():
    """Compiled and interpreted, where the rules write beyond their array."""
    form = replace(PEGS, values=3, max_successors=1)
    for engine in ("compiled", "readable"):
        result = sl.solve(sl.Board([[0, 1, 1, 0, 1, 1, 0]]), domain=pegs(form), engine=engine)
        assert "max_successors=1 of its packed form is too small" in result.reason, engine
        assert "this board has 4 successors" in result.reason, engine


def test_a_tile_above_the_goal_of_2048_is_kept():
    """Such a start is a goal; its heuristic once saw the goal's tile instead."""
    board = sl.Board([[4096, 2], [2, 2]])
    found = [sl.solve(board, domain="2048", engine=engine) for engine in ("compiled", "readable")]
    assert [(result.status, result.moves, result.boards[0]) for result in found] == [("solved", 0, board)] * 2
