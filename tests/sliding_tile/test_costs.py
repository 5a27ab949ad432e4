"""Sliding tiles that cost their number, or 1 over it."""

from fractions import Fraction
from heapq import heappop, heappush

import pytest

import searchlab as sl

PRICES = {"heavy": Fraction, "inverse": lambda tile: Fraction(1, tile)}
"""What it costs to slide a tile, exactly."""


def moves(tiles, n):
    """Return the board after each move of the blank, and the tile that slides."""
    blank = tiles.index(0)
    row, column = divmod(blank, n)
    for r, c in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
        if 0 <= r < n and 0 <= c < n:
            after = list(tiles)
            after[blank], after[r * n + c] = tiles[r * n + c], 0
            yield tuple(after), tiles[r * n + c]


def cheapest(start, n, price, most):
    """The exact cost of the cheapest way from a board to each of those that cost at most this."""
    costs, found = {}, [(Fraction(0), start)]
    while found:
        cost, tiles = heappop(found)
        if tiles in costs or cost > most:
            continue
        costs[tiles] = cost
        for after, tile in moves(tiles, n):
            if after not in costs:
                heappush(found, (cost + price(tile), after))
    return costs


def board_of(tiles, n):
    return sl.Board([tiles[row * n : row * n + n] for row in range(n)])


@pytest.mark.slow
@pytest.mark.parametrize("cost", PRICES)
def test_all_boards_of_three_tiles_are_solved_optimally(cost):
    exact = cheapest((1, 2, 3, 0), 2, PRICES[cost], 1000)
    assert len(exact) == 12
    domain = sl.domain("sliding-tile", cost=cost)
    for tiles, least in exact.items():
        result = sl.solve(board_of(tiles, 2), domain=domain)
        assert (result.cost, result.optimal) == (pytest.approx(float(least), rel=1e-12), True)


@pytest.mark.slow
@pytest.mark.parametrize(("cost", "most"), [("heavy", 32), ("inverse", 2)])
def test_heuristics_keep_their_declarations_near_the_goal_of_the_8_puzzle(cost, most):
    """`taxicab` is below the cost and drops by no more than a move costs; solutions are cheapest ones."""
    exact = cheapest((1, 2, 3, 4, 5, 6, 7, 8, 0), 3, PRICES[cost], most)
    domain = sl.domain("sliding-tile", cost=cost)
    h = sl.heuristic("taxicab", domain=domain)
    assert h.admissible
    assert h.consistent
    values = {tiles: h(board_of(tiles, 3)) for tiles in exact}
    for tiles, least in exact.items():
        assert values[tiles] <= least + Fraction(1, 10**9)
        for after, tile in moves(tiles, 3):
            assert values[tiles] <= values.get(after, 1000) + PRICES[cost](tile) + Fraction(1, 10**9)
    for tiles in list(exact)[:: len(exact) // 8]:
        for frontier in ("astar", "ida-star"):
            result = sl.solve(board_of(tiles, 3), domain=domain, frontier=frontier)
            assert (result.cost, result.optimal) == (pytest.approx(float(exact[tiles]), rel=1e-9), True)


def test_counts_of_moves_are_bounds_only_if_each_move_costs_1_or_more():
    """A database of moves is refused."""
    for name in ("misplaced", "euclidean", "linear-conflict", "walking-distance"):
        claims = [
            sl.heuristic(name, domain=f"sliding-tile:cost={cost}").admissible for cost in ("unit", "heavy", "inverse")
        ]
        assert claims == [True, True, False]
    board = sl.read_board("sliding-tile/puzzle8-20")
    with pytest.raises(sl.UsageError, match="it is for cost=unit, not cost=heavy"):
        sl.solve(board, domain="sliding-tile:cost=heavy", heuristic="pattern-database:groups=4-4")
