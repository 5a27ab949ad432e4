"""The heuristics for sliding tiles have their values, and never say too much."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab_plugins.sliding_tile.goals import goal_tiles

NAMES = ("taxicab", "misplaced", "euclidean")
GOALS = ("blank-last", "blank-first")


def bound(name, goal="blank-last"):
    return sl.heuristic(name, domain=f"sliding-tile:goal={goal}")


def shuffled(smallest=2, largest=5):
    def board(n):
        return st.permutations(range(n * n)).map(lambda tiles: sl.Board(np.reshape(tiles, (n, n))))

    return st.integers(smallest, largest).flatmap(board)


def displacements(board, goal):
    """For each tile out of place but not the blank: how many rows and columns it is off."""
    home = goal_tiles(board.shape, goal).reshape(board.shape)
    for tile in range(1, board.n**2):
        down, right = np.argwhere(home == tile)[0] - np.argwhere(board.tiles == tile)[0]
        if down or right:
            yield abs(int(down)), abs(int(right))


@given(shuffled(), st.sampled_from(GOALS))
def test_the_values_are_sums_over_the_tiles_out_of_place(board, goal):
    """Manhattan distances, their number, and straight-line distances; the blank does not count."""
    off = list(displacements(board, goal))
    assert bound("taxicab", goal)(board) == sum(down + right for down, right in off)
    assert bound("misplaced", goal)(board) == len(off)
    assert bound("euclidean", goal)(board) == pytest.approx(sum((d * d + r * r) ** 0.5 for d, r in off))


def test_the_worked_example(example8):
    """Three tiles are one step off each."""
    assert [bound(name)(example8) for name in NAMES] == [3, 3, 3.0]


@given(st.integers(2, 4), st.sampled_from(GOALS), st.integers(0, 30), st.randoms(use_true_random=False))
def test_no_more_than_the_moves_of_a_random_walk_from_the_goal(n, goal, length, random):
    """After k random moves from the goal no heuristic exceeds k, and each move changes it by 1 at most."""
    domain = sl.domain("sliding-tile", goal=goal)
    board = sl.Board(goal_tiles((n, n), goal).reshape(n, n))
    heuristics = [bound(name, goal) for name in NAMES]
    assert [h(board) for h in heuristics] == [0, 0, 0]
    for moves in range(1, length + 1):
        before = [h(board) for h in heuristics]
        board = random.choice(domain.neighbors(board))
        for value, earlier in zip([h(board) for h in heuristics], before, strict=True):
            assert value <= moves + 1e-9
            assert abs(value - earlier) <= 1 + 1e-9


@pytest.mark.parametrize("goal", GOALS)
def test_no_heuristic_exceeds_the_exact_distance(exact_distances, goal):
    """On all solvable 2 × 2 boards and every hundredth 3 × 3 board, against a search of the whole space."""
    for n, every in ((2, 1), (3, 100)):
        for tiles, distance in list(exact_distances(n, goal).items())[::every]:
            board = sl.Board(np.reshape(tiles, (n, n)))
            assert all(bound(name, goal)(board) <= distance + 1e-9 for name in NAMES)


@given(shuffled())
def test_taxicab_is_the_sharpest(board):
    """No straight line is longer than the way along rows and columns, and a tile out of place is off by 1 or more."""
    taxicab, misplaced, euclidean = (bound(name)(board) for name in NAMES)
    assert misplaced <= euclidean + 1e-9
    assert euclidean <= taxicab + 1e-9


def test_all_are_declared_admissible_and_consistent():
    """A search that relies on it may say that its solution is optimal."""
    for name in NAMES:
        heuristic = bound(name)
        assert (heuristic.admissible, heuristic.consistent, heuristic.prefer) == (True, True, "low")


@pytest.mark.parametrize(("alias", "name"), [("manhattan", "taxicab"), ("hamming", "misplaced")])
def test_aliases_are_the_same_heuristic(alias, name):
    """Other names of the field are known."""
    assert bound(alias).name == name


@pytest.mark.parametrize("heuristic", NAMES)
@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early", "ida-star"])
def test_all_heuristics_find_shortest_solutions(heuristic, frontier):
    """With each of them an 8-puzzle is solved in as few moves as breadth-first takes, and called optimal."""
    board = sl.Board([[1, 3, 5], [4, 2, 0], [7, 8, 6]])
    shortest = sl.solve(board, domain="sliding-tile", frontier="breadth-first", engine="readable").moves
    result = sl.solve(board, domain="sliding-tile", heuristic=heuristic, frontier=frontier, engine="readable")
    assert (result.moves, result.optimal) == (shortest, True)
