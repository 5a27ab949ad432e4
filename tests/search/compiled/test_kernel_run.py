"""Slices always stay short, so that limits, progress and Ctrl-C are prompt."""

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.compiled.kernel_run import LARGEST_FIRST, LARGEST_STEP, Slices


def test_a_slice_that_ended_early_does_not_make_the_next_one_longer():
    """The next budget follows from the work done, not from the work allowed."""
    slices = Slices()
    expanded = 0
    for _ in range(50):
        slices.budget(expanded, 2**62)
        slices.done(expanded + 1)
        expanded += 1
    assert slices.budget(expanded, 2**62) - expanded <= LARGEST_STEP


@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early", "breadth-first", "weighted-astar:weight=1.5"])
def test_a_start_that_is_a_goal_is_solved_within_any_limit(frontier):
    """Where a limit is reached before the first expansion, and where an earlier search knows how long slices may be."""
    goal, near = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]]), sl.Board([[1, 2, 3], [4, 5, 6], [7, 0, 8]])
    for limits in (sl.Limits(expansions=0), sl.Limits(seconds=0), sl.Limits(memory=0)):
        for board, found in ((goal, True), (near, False), (goal, True)):
            result = sl.solve(board, domain="sliding-tile", frontier=frontier, limits=limits)
            assert ((result.status == "solved"), result.expanded) == (found, 0), (limits, result)
        assert sl.solve(near, domain="sliding-tile", frontier=frontier).moves == 1


def test_the_first_slice_of_the_next_search_is_short():
    """However quick a search was: the next board may take longer."""
    slices = Slices()
    for expanded in range(0, 10**6, 10**4):
        slices.budget(expanded, 2**62)
        slices.done(expanded + 10**4)
    assert slices.first_of_next == LARGEST_FIRST
    assert Slices().first_of_next == 1


def test_a_search_that_ends_in_its_first_slice_leaves_its_length_to_the_next():
    slices = Slices(first=500)
    slices.budget(0, 2**62)
    slices.done(499)
    assert slices.first_of_next == 500


@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early"])
def test_under_a_time_limit_the_first_slice_is_one_expansion(frontier, monkeypatch):
    """However quick earlier boards were, the functions may be slow on this one."""
    budgets, board = [], sl.Board([[1, 8, 2], [0, 4, 3], [7, 6, 5]])
    monkeypatch.setattr(Slices, "budget", lambda *a, budget=Slices.budget: budgets.append(budget(*a)) or budgets[-1])

    def first_budget(limits):
        for _ in range(3):
            budgets.clear()
            sl.solve(board, domain="sliding-tile", heuristic="misplaced", frontier=frontier, limits=limits)
        return budgets[0]

    assert 1 < first_budget(None) <= LARGEST_FIRST
    assert first_budget(sl.Limits(seconds=60)) == 1


@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early", "breadth-first", "ida-star"])
def test_progress_is_reported_while_tables_grow(frontier):
    """A search of half a second tells its progress a few times, though its slices end early again and again."""
    told = []
    board = sl.read_board("sliding-tile/korf100/001")
    arguments = {"domain": "sliding-tile:goal=blank-first", "frontier": frontier}
    sl.solve(board, limits=sl.Limits(expansions=10), **arguments)
    sl.solve(board, limits=sl.Limits(seconds=0.6), progress=told.append, **arguments)
    assert len(told) >= 2


@pytest.mark.slow
def test_boards_too_large_for_tables_are_solved():
    """A 200 × 200 board one move from its goal is solved, with memory in proportion to the board."""
    tiles = np.roll(np.arange(200 * 200), -1)
    tiles[[-1, -2]] = tiles[[-2, -1]]
    result = sl.solve(sl.Board(tiles.reshape(200, 200)), domain="sliding-tile", limits=sl.Limits(memory=50_000_000))
    assert (result.status, result.moves) == ("solved", 1)


def out_of_bounds(tiles):
    return tiles[9, 0]


@pytest.mark.parametrize("frontier", ["astar", "greedy", "ida-star", "beam"])
def test_an_error_on_the_start_board_is_a_result(frontier):
    """A heuristic that fails at once ends the search with `error`; nothing is raised."""
    board = sl.read_board("sliding-tile/puzzle8-20")
    result = sl.solve(board, domain="sliding-tile", heuristic=out_of_bounds, frontier=frontier)
    assert result.status == "error"
    assert "IndexError" in result.reason


def test_an_invalid_board_is_refused():
    """Rows or a number in place of a Board are a usage error with a remedy."""
    for given in (10, [[0, 2], [2, 0]]):
        with pytest.raises(sl.UsageError, match="a Board is wanted"):
            sl.solve(given)


@pytest.mark.parametrize("limits", [{"memory": 1e7}, {"expansions": 1.5}, {"seconds": "10s"}])
def test_limits_of_wrong_types_are_refused(limits):
    """Limits are numbers, memory and expansions whole ones."""
    with pytest.raises(sl.UsageError):
        sl.Limits(**limits)
