"""The 2 × 2 × 2 cube: the rules against turned stickers, the tables, and the known numbers of cubes."""

from functools import cache
from inspect import signature

import click
import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.cube2.domain import TURNS, solved
from searchlab_plugins.cube2.picture import picture

DEPTHS = [1, 9, 54, 321, 1847, 9992, 50136, 227536, 870072, 1887748, 623800, 2644]
"""Cubes by the turns that they take, half turns counting as one."""


def stickers(board):
    """The colours of the unfolded cube, on the grid on which it is drawn."""
    lines = [line.replace(" ", "") for line in click.unstyle(picture(board)).splitlines()]
    return np.array([list((line.rjust(4) if len(line) == 2 else line).ljust(8)) for line in lines])


@cache
def cycles():
    """For each face the cells of its stickers and of those around it, in circles, four at a time, clockwise."""
    return {
        "U": ([(0, 2), (0, 3), (1, 3), (1, 2)], [(2, 2), (2, 0), (2, 6), (2, 4)], [(2, 3), (2, 1), (2, 7), (2, 5)]),
        "F": ([(2, 2), (2, 3), (3, 3), (3, 2)], [(1, 2), (2, 4), (4, 3), (3, 1)], [(1, 3), (3, 4), (4, 2), (2, 1)]),
        "R": ([(2, 4), (2, 5), (3, 5), (3, 4)], [(3, 3), (1, 3), (2, 6), (5, 3)], [(2, 3), (0, 3), (3, 6), (4, 3)]),
    }


def turned(grid, turn):
    """The stickers after a turn, each carried to the next cell of its circle."""
    for _ in range({"": 1, "2": 2, "'": 3}[turn[1:]]):
        before = grid.copy()
        for circle in cycles()[turn[0]]:
            for source, target in zip(circle, circle[1:] + circle[:1], strict=True):
                grid[target] = before[source]
    return grid


def test_turns_carry_the_stickers_around():
    """On a walk of 200 turns, each compared with the unfolded cube."""
    domain = sl.domain("cube2")
    board = solved()
    for step in range(200):
        moves = [(action, after) for action, after, *_ in domain.successors(board)]
        assert [action for action, _ in moves] == list(TURNS)
        action, after = moves[step * step % 83 % 9]
        assert (stickers(after) == turned(stickers(board), action)).all()
        board = after
        assert not domain.why_invalid(board)


@pytest.mark.slow
def test_numbers_of_cubes_by_depth_equal_the_known_ones():
    """3,674,160 in all, the last 11 turns away: by enumeration, and in the table."""
    assert sum(DEPTHS) == 3_674_160
    assert [layer.states for layer in sl.state_space(solved(), domain="cube2")] == DEPTHS
    h = sl.heuristic("cube2-distance", domain="cube2")
    distances = h.arguments(solved(), h.component.function)["distances"]
    assert np.bincount(distances.ravel()).tolist() == DEPTHS


@pytest.mark.slow
def test_the_pattern_is_a_lower_bound_and_consistent():
    """On cubes along a walk: never above the distance, and no turn changes either by more than 1."""
    domain = sl.domain("cube2")
    exact, bound = (sl.heuristic(name, domain=domain) for name in ("cube2-distance", "cube2-coordinates"))
    board = sl.generator("scrambled", domain=domain)(4)
    assert exact(solved()) == bound(solved()) == 0
    for step in range(300):
        following = domain.neighbors(board)
        assert bound(board) <= exact(board)
        for h in (exact, bound):
            assert {abs(h(other) - h(board)) for other in following} <= {0, 1}
        assert min(map(exact, following)) == exact(board) - 1 or exact(board) == 0
        board = following[step * step % 89 % 9]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cube2-distance", "cube2-coordinates"])
def test_turns_update_the_value_and_the_coordinates(name):
    domain = sl.domain("cube2")
    h = sl.heuristic(name, domain=domain)
    board = solved()
    update = h.component.incremental
    names = h.names(board)
    arguments = {name: names[name] for name in signature(update).parameters if name in names}
    value, carried = h(board), h.carried(board)
    for step in range(60):
        turn = step * step % 83 % 9
        value, carried = update(value, carried, turn, **arguments)
        board = domain.neighbors(board)[turn]
        assert (value, carried) == (h(board), h.carried(board))


@pytest.mark.slow
def test_the_farthest_cube_takes_eleven_turns():
    """By A* and IDA*; both say that it is optimal."""
    for frontier in ("astar", "ida-star"):
        result = sl.solve("cube2/moves-11", frontier=frontier)
        assert (result.moves, result.optimal) == (11, True)


@pytest.mark.parametrize(
    ("tiles", "said"),
    [
        ([[1, 2, 3]], "two rows of 7"),
        ([[1, 1, 2, 3, 4, 5, 6], [0] * 7], "each of the corners 1 … 7 once"),
        ([[*range(1, 8)], [3, 0, 0, 0, 0, 0, 0]], "between 0 and 2"),
        ([[*range(1, 8)], [1, 0, 0, 0, 0, 0, 0]], "twisted by force"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(tiles, said):
    assert said in sl.domain("cube2").why_invalid(sl.Board(tiles))
