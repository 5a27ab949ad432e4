"""Linear conflicts and walking distance have the values of independent definitions, and moves keep them up to date."""

from collections import deque
from dataclasses import replace
from functools import cache
from inspect import signature
from itertools import combinations
from operator import itemgetter

import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.sliding_tile.goals import goal_tiles

GOALS = ("blank-last", "blank-first")
NAMES = ("linear-conflict", "walking-distance", "walking-distance:conflicts=yes")


def heuristic(name, goal="blank-last"):
    return sl.heuristic(name, domain=f"sliding-tile:goal={goal}")


def boards_of_the_15_puzzle(goal, count):
    """Half of them are shuffled, half are fewer moves from the goal; as lists of tiles."""
    rng = np.random.default_rng(count)
    boards = [rng.permutation(16).tolist() for _ in range(count // 2)]
    board = goal_tiles((4, 4), goal).tolist()
    before = -1
    while len(boards) < count:
        if rng.random() < 0.02:
            board = goal_tiles((4, 4), goal).tolist()
        blank = board.index(0)
        cells = [cell for cell in beside(blank, 4) if cell != before]
        cell = cells[rng.integers(len(cells))]
        board[blank], board[cell], before = board[cell], 0, blank
        boards.append(list(board))
    return boards


def beside(cell, n):
    row, column = divmod(cell, n)
    reached = ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column))
    return [r * n + c for r, c in reached if 0 <= r < n and 0 <= c < n]


@cache
def homes(n, goal):
    """The row and column where each tile belongs."""
    order = goal_tiles((n, n), goal).tolist()
    return [divmod(order.index(tile), n) for tile in range(n * n)]


def halves(board, goal):
    """The vertical and horizontal moves that Manhattan distances and conflicts ask for.

    In each line those tiles step aside, as few as possible, without which no two are in the wrong order.
    """
    n = int(len(board) ** 0.5)
    home = homes(n, goal)
    moves = [0, 0]
    for cell, tile in enumerate(board):
        if tile:
            moves[0] += abs(home[tile][0] - cell // n)
            moves[1] += abs(home[tile][1] - cell % n)
    for k in range(n):
        for side, line in enumerate((board[k * n : k * n + n], board[k::n])):
            places = [home[tile][1 - side] for tile in line if tile and home[tile][side] == k]
            aside = next(
                count
                for count in range(len(places) + 1)
                if any(list(left) == sorted(left) for left in combinations(places, len(places) - count))
            )
            moves[side] += 2 * aside
    return moves


@cache
def walks(n, goal):
    """The distance of every count of tiles by line and home line: by breadth-first search over nested tuples."""
    home = [line for line, _ in homes(n, goal)]
    counts = tuple(tuple(n - (line == home[0]) if line == of else 0 for of in range(n)) for line in range(n))
    distances, wave = {counts: 0}, deque([counts])
    while wave:
        lines = wave.popleft()
        blank = next(line for line in range(n) if sum(lines[line]) < n)
        for other in (blank - 1, blank + 1):
            for of in range(n):
                if 0 <= other < n and lines[other][of]:
                    after = [list(line) for line in lines]
                    after[other][of] -= 1
                    after[blank][of] += 1
                    after = tuple(map(tuple, after))
                    if after not in distances:
                        distances[after] = distances[lines] + 1
                        wave.append(after)
    return distances


def walked(board, goal):
    """The walking distances of rows and of columns."""
    n = int(len(board) ** 0.5)
    home = homes(n, goal)
    both = [[[0] * n for _ in range(n)] for _ in range(2)]
    for cell, tile in enumerate(board):
        if tile:
            for side, line in enumerate(divmod(cell, n)):
                both[side][line][home[tile][side]] += 1
    return [walks(n, goal)[tuple(map(tuple, counts))] for counts in both]


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_values_on_10000_boards_equal_independent_definitions(goal, values_on):
    """With conflicts, each half is the larger one of the walking distance and of Manhattan distances with conflicts."""
    boards = boards_of_the_15_puzzle(goal, 5000)
    conflicts, walking = (np.array([define(board, goal) for board in boards]) for define in (halves, walked))
    assert np.array_equal(values_on(boards, heuristic("linear-conflict", goal)), conflicts.sum(axis=1))
    assert np.array_equal(values_on(boards, heuristic("walking-distance", goal)), walking.sum(axis=1))
    both = np.maximum(conflicts, walking).sum(axis=1)
    assert np.array_equal(values_on(boards, heuristic("walking-distance:conflicts=yes", goal)), both)
    assert (conflicts < walking).any()
    assert (conflicts > walking).any()


def test_the_15_puzzle_has_24964_counts():
    """As Takahashi found; the farthest is 35 moves from the goal's, and the 8-puzzle has 105."""
    h = heuristic("walking-distance")
    steps = h.arguments(sl.Board(goal_tiles((4, 4), "blank-last").reshape(4, 4)), h.component.function)["steps"]
    assert len(steps) == len(walks(4, "blank-last")) == 24_964
    assert steps.max() == max(walks(4, "blank-last").values())
    assert len(walks(3, "blank-last")) == 105


def test_the_worked_conflicts():
    """Two tiles that change places in their row cost two moves more; three in reverse order cost four."""
    h = heuristic("linear-conflict")
    assert h(sl.Board([[2, 1, 3], [4, 5, 6], [7, 8, 0]])) == 2 + 2
    assert h(sl.Board([[3, 2, 1], [4, 5, 6], [7, 8, 0]])) == 4 + 4
    assert h(sl.Board([[7, 2, 3], [4, 5, 6], [1, 8, 0]])) == 4 + 4  # 7, 4, 1 in their column


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("goal", GOALS)
def test_values_on_the_8_puzzle_are_lower_bounds_and_consistent(exact_distances, goal, name, values_on):
    """On every 7th board; no move changes a value by more than 1."""
    h = heuristic(name, goal)
    exact = exact_distances(3, goal)
    boards = list(exact)[::7]
    values = values_on(boards, h)
    assert (values <= [exact[board] for board in boards]).all()
    assert (values >= values_on(boards, heuristic("taxicab", goal))).all() or name == NAMES[1]
    after = []
    for board in boards:
        blank = board.index(0)
        other = list(board)
        cell = beside(blank, 3)[0]
        other[blank], other[cell] = other[cell], 0
        after.append(other)
    assert (abs(values_on(after, h) - values) <= 1).all()


@pytest.mark.parametrize(
    ("n", "name"),
    [(2, NAMES[0]), (4, NAMES[0]), (5, NAMES[0]), (6, NAMES[0]), (2, NAMES[1]), (4, NAMES[1]), (4, NAMES[2])],
)
def test_moves_update_the_value_and_the_carried_numbers(n, name):
    h, domain = heuristic(name), sl.domain("sliding-tile")
    board = sl.Board(np.random.default_rng(n).permutation(n * n).reshape(n, n))
    moved = h.component.incremental
    names = h.names(board)
    arguments = {name: names[name] for name in signature(moved).parameters if name in names}
    value, carried = h(board), h.carried(board)
    for step in range(150):
        following = domain.neighbors(board)
        after = following[step * step % 7 % len(following)]
        (source,), (target,) = (np.flatnonzero(one.tiles.ravel() == 0) for one in (after, board))
        value, carried = moved(value, carried, board.tiles.ravel()[source], source, target, **arguments)
        board = after
        assert (value, carried) == (h(board), h.carried(board))


@pytest.mark.slow
@pytest.mark.parametrize("name", [NAMES[0], NAMES[2]])
def test_updating_and_recomputing_give_the_same_search(name):
    """In machine code; the solution is a cheapest one, and there are fewer nodes than with taxicab."""
    h = heuristic(name)
    anew = replace(h, component=replace(h.component, incremental=None, carry=None))
    board = sl.generator("walk", domain="sliding-tile", n=4, moves=120)(5)
    runs = [
        sl.solve(board, heuristic=one, frontier="ida-star", domain="sliding-tile")
        for one in (h, anew, heuristic("taxicab"))
    ]
    counts = [(run.moves, run.expanded, run.generated) for run in runs]
    assert counts[0] == counts[1]
    assert counts[0][0] == counts[2][0]
    assert all(map(itemgetter(0), counts))
    assert counts[0][2] < counts[2][2]


@pytest.mark.parametrize(
    ("n", "name", "most"), [(7, "linear-conflict", "6 × 6, not 7 × 7"), (5, "walking-distance", "4 × 4, not 5 × 5")]
)
def test_a_board_that_is_too_large_is_refused(n, name, most):
    """The message says up to which size there is one."""
    with pytest.raises(sl.UsageError, match=most):
        heuristic(name)(sl.Board(goal_tiles((n, n), "blank-last").reshape(n, n)))
