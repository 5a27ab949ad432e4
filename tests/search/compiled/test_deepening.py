"""Iterative deepening on several cores gives the solution and figures of one."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search.compiled import deepening as run_deepening
from searchlab.search.compiled.subtrees import SearchTreeTop, TopNode, add
from searchlab.search.problem import Problem
from searchlab.search.watch import Watch

from .test_walks import HARD, figures


@pytest.fixture(autouse=True)
def _splits_at_once(monkeypatch):
    """Split from the second bound on, however small the search."""
    monkeypatch.setattr(run_deepening, "WORTH_SPLITTING", 1)


def both(board, threads, **arguments):
    return (
        sl.solve(board, frontier=f"ida-star:threads={count}", engine="compiled", **arguments) for count in (threads, 1)
    )


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), threads=st.integers(2, 4))
def test_results_do_not_depend_on_the_number_of_cores(seed, threads):
    """Solution and figures of random 8-puzzle boards."""
    board = sl.Board(np.random.default_rng(seed).permutation(9).reshape(3, 3))
    several, one = both(board, threads, domain="sliding-tile", heuristic="taxicab")
    assert figures(several) == figures(one)


@pytest.mark.slow
def test_games_without_moves_in_place_are_split():
    arguments = {"domain": "2048:goal=16,n=3,spawn=corner", "heuristic": "moves-to-go"}
    several, one = both(None, 3, **arguments)
    assert figures(several) == figures(one)
    assert several.status == "solved"


def fails_on_some(tiles):
    """A misplaced count that fails on some boards."""
    if tiles[0, 0] == 5 and tiles[2, 2] == 7 and tiles[1, 1] == 1:
        raise ValueError("unlucky board")
    count = 0
    for row in range(3):
        for column in range(3):
            tile = tiles[row, column]
            count += (tile != 0) & (tile != 3 * row + column + 1)
    return count


@pytest.mark.slow
def test_the_first_error_in_order_ends_the_search():
    """Where one core would have met it."""
    several, one = both(HARD, 3, domain="sliding-tile", heuristic=fails_on_some)
    assert several.status == "error"
    assert figures(several) == figures(one)


def fails_near_the_start(tiles):
    """A misplaced count that fails two moves from the start."""
    if tiles[2, 0] == 0:
        raise ValueError("blank in the corner")
    return fails_on_some(tiles)


@pytest.mark.slow
def test_an_error_in_the_upper_part_waits_for_its_turn(monkeypatch):
    """It is raised by the thread that builds the upper part, but counts only after the subtrees before it."""
    monkeypatch.setattr(run_deepening, "TASKS_A_THREAD", 4)
    several, one = both(HARD, 2, domain="sliding-tile", heuristic=fails_near_the_start)
    assert several.status == "error"
    assert figures(several) == figures(one)


def test_a_limit_of_expansions_is_exact():
    """It runs on one core then."""
    limits = sl.Limits(expansions=1234)
    several, one = both(HARD, 2, domain="sliding-tile", limits=limits)
    assert several.expanded == 1234
    assert figures(several) == figures(one)


@pytest.mark.slow
def test_a_limit_of_time_ends_all_threads():
    before = threading.active_count()
    result = sl.solve(
        sl.read_board("sliding-tile/korf100/060"),
        domain="sliding-tile:goal=blank-first",
        frontier="ida-star:threads=2",
        limits=sl.Limits(seconds=0.5),
    )
    assert result.status == "time-limit"
    assert result.seconds >= 0.5
    assert result.expanded > 0
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [0, -1, 5000, "two"])
def test_the_number_of_threads_is_checked(threads):
    """The error is one line with the reason."""
    with pytest.raises(sl.UsageError, match="threads"):
        sl.solve(HARD, domain="sliding-tile", frontier=f"ida-star:threads={threads}")


@pytest.mark.parametrize("depth", range(7))
def test_the_upper_part_of_the_tree_equals_that_of_the_search(depth):
    """With its subtrees searched in their order it takes what the whole takes."""
    heuristic = sl.heuristic("taxicab", domain="sliding-tile")
    problem = Problem(HARD, sl.domain("sliding-tile"), heuristic, sl.frontier("ida-star"))
    bound = problem.estimate(HARD) + 2
    watch = Watch(sl.Limits())
    watch.begin()

    def parts(node, depth):
        return list(SearchTreeTop(problem, node, depth, watch).split(bound))

    (whole,) = parts(TopNode((HARD,), 0.0, bound - 2), 40)
    *subtrees, end = parts(TopNode((HARD,), 0.0, bound - 2), depth)
    for part in subtrees:
        (inner,) = parts(part.node, 40)
        add(end.before, inner.before)
    assert end.before == whole.before
