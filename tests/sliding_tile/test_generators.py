"""Sliding-tile boards by chance."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

GOALS = st.sampled_from(["blank-last", "blank-first"])
SEEDS = st.integers(0, 2**64)


@given(SEEDS, st.integers(2, 6), GOALS)
def test_shuffled_boards_can_be_solved(seed, n, goal):
    """Under the goal of their domain."""
    domain = sl.domain("sliding-tile", goal=goal)
    board = sl.generator("shuffled", domain=domain, n=n)(seed)
    assert board.shape == (n, n)
    assert domain.why_unsolvable(board) == ""


def test_all_solvable_boards_are_equally_likely():
    """Of the twelve of 2 × 2 each comes up about as often as the others (chi-squared, p > 0.01)."""
    shuffled = sl.generator("shuffled:n=2")
    counts = Counter(shuffled(seed) for seed in range(2400))
    assert len(counts) == 12
    assert sum((count - 200) ** 2 / 200 for count in counts.values()) < 24.7


@given(SEEDS, st.integers(2, 4), st.integers(0, 30), GOALS)
def test_a_walk_ends_at_most_its_moves_from_the_goal(seed, n, moves, goal):
    """The parity of the distance is that of the number of moves."""
    domain = sl.domain("sliding-tile", goal=goal)
    board = sl.generator("walk", domain=domain, n=n, moves=moves)(seed)
    taxicab = sl.heuristic("taxicab", domain=domain)(board)
    assert domain.why_unsolvable(board) == ""
    assert taxicab <= moves
    assert (taxicab - moves) % 2 == 0


@given(SEEDS)
def test_a_walk_never_undoes_a_move(seed):
    """Two moves from the goal are two moves away from it."""
    assert sl.heuristic("taxicab")(sl.generator("walk:moves=2")(seed)) == 2


@pytest.mark.parametrize(
    ("name", "tiles"),
    [
        ("shuffled:n=3", [[0, 3, 4], [7, 2, 8], [5, 6, 1]]),
        ("walk:n=3,moves=20", [[8, 3, 0], [4, 2, 5], [7, 6, 1]]),
    ],
)
def test_boards_of_a_seed_never_change(name, tiles):
    assert sl.generator(name)(1) == sl.Board(tiles)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("shuffled:n=1", "n=1: the side of a board is between 2 and 1000"),
        ("walk:moves=-1", "moves=-1: a walk has 0 moves or more"),
        ("walk:goal=blank-first", "goal is filled from the domain; set it there"),
    ],
)
def test_invalid_parameters_are_refused(name, said):
    with pytest.raises(sl.UsageError, match=said):
        sl.generator(name)
