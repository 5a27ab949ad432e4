"""Fractional costs that differ by rounding only are the same cost: of an octile grid, in both engines."""

from math import sqrt

import numpy as np
import pytest

import searchlab as sl

DIAGONAL = sqrt(2)
FIGURES = ("status", "cost", "optimal", "actions", "expanded", "generated", "evaluated", "reopened", "stored")


def is_free(row, column, side, walls):
    return 0 <= row < side and 0 <= column < side and (5 * row * row + 3 * row * column + 7 * column) % 11 > walls


def steps(row, column, side, walls):
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if (down or right) and is_free(row + down, column + right, side, walls):
                yield row + down, column + right, DIAGONAL if down and right else 1.0


def successors(board, side, walls):
    row, column = board.tiles[0].tolist()
    for down, right, cost in steps(row, column, side, walls):
        yield f"{down}-{right}", sl.Board([[down, right]]), cost


def packed_successors(tiles, out, costs, side, walls):
    count = 0
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if (down != 0 or right != 0) and is_free(tiles[0, 0] + down, tiles[0, 1] + right, side, walls):
                out[count, 0, 0] = tiles[0, 0] + down
                out[count, 0, 1] = tiles[0, 1] + right
                costs[count] = DIAGONAL if down != 0 and right != 0 else 1.0
                count += 1
    return count


def is_corner(tiles, side):
    return tiles[0, 0] == side - 1 and tiles[0, 1] == side - 1


GRID = sl.Domain(
    "octile-grid",
    successors,
    lambda board, side: bool(is_corner(board.tiles, side)),
    parameters=(sl.Parameter("side", 60), sl.Parameter("walls", 1)),
    start=lambda: sl.Board([[1, 1]]),
    packed=lambda board, side: sl.PackedForm(
        values=side, max_successors=8, successors=packed_successors, is_goal=is_corner
    ),
    unit_cost=False,
)


def octile(tiles, side):
    down, right = abs(side - 1 - tiles[0, 0]), abs(side - 1 - tiles[0, 1])
    return abs(down - right) + DIAGONAL * min(down, right)


def half(tiles, side):
    return octile(tiles, side) / 2


def solved(engine, frontier, estimate=octile, side=60, walls=1):
    domain = sl.domain(GRID, side=side, walls=walls)
    heuristic = sl.Heuristic(estimate.__name__, estimate, admissible=True, consistent=True)
    return sl.solve(
        sl.Board([[1, 1]]),
        domain=domain,
        heuristic=sl.heuristic(heuristic, domain=domain),
        frontier=frontier,
        engine=engine,
        limits=sl.Limits(expansions=20_000),
    )


@pytest.mark.slow
@pytest.mark.parametrize("duplicates", ["early", "late"])
@pytest.mark.parametrize("estimate", [octile, half])
def test_consistent_estimates_reopen_nothing(duplicates, estimate):
    """Straight and diagonal moves in another order add up to another last digit, which is no shorter path."""
    compiled, readable = (
        solved(engine, f"astar:duplicates={duplicates}", estimate) for engine in ("compiled", "readable")
    )
    assert compiled.status == "solved"
    assert compiled.expanded > 80
    assert compiled.reopened == 0
    assert [getattr(compiled, name) for name in FIGURES] == [getattr(readable, name) for name in FIGURES]
    assert compiled.cost == pytest.approx(cheapest(60), rel=1e-9)
    assert compiled.optimal


@pytest.mark.slow
@pytest.mark.parametrize("duplicates", ["early", "late"])
def test_every_cell_is_expanded_once(duplicates):
    """Where no way leads to the corner; 250 cells were reopened if the last digit counted."""
    compiled, readable = (
        solved(engine, f"astar:duplicates={duplicates}", walls=2) for engine in ("compiled", "readable")
    )
    assert (compiled.status, compiled.expanded, compiled.reopened) == ("unsolvable", 2691, 0)
    assert [getattr(compiled, name) for name in FIGURES] == [getattr(readable, name) for name in FIGURES]


def cheapest(side):
    """Return the cost of a cheapest path, by relaxing all moves until nothing changes."""
    costs = np.full((side, side), np.inf)
    costs[1, 1], changed = 0.0, [(1, 1)]
    while changed:
        place = changed.pop(0)
        for row, column, cost in steps(*place, side, 1):
            if costs[place] + cost < costs[row, column]:
                costs[row, column] = costs[place] + cost
                changed.append((row, column))
    return costs[side - 1, side - 1]


@pytest.mark.slow
def test_rounding_makes_no_further_iteration():
    """Iterative deepening does not begin anew for a bound that is above the last one by rounding only."""
    compiled, readable = (solved(engine, "ida-star", side=16) for engine in ("compiled", "readable"))
    assert [getattr(compiled, name) for name in FIGURES] == [getattr(readable, name) for name in FIGURES]
    assert compiled.cost == pytest.approx(cheapest(16), rel=1e-9)
    assert compiled.expanded == 33


JOINS = 200
CHEAP, DEAR = 1e-3, 0.9e-9


def joined(board, joins):
    """Two ways lead from each join to the next; the one by way of an inner state is cheaper, by less than 1e-9."""
    at, side = board.tiles[0].tolist()
    if side:
        yield "join", sl.Board([[at + 1, 0]]), CHEAP / 2
    elif at < joins:
        so_far = 1 + CHEAP * (at + 1)
        yield "straight", sl.Board([[at + 1, 0]]), CHEAP + DEAR * so_far * (at > 0) + (at == 0)
        yield "aside", sl.Board([[at, 1]]), CHEAP / 2 + (at == 0)


def packed_joined(tiles, out, costs, joins):
    at, side = tiles[0, 0], tiles[0, 1]
    if side:
        out[0, 0, 0], out[0, 0, 1], costs[0] = at + 1, 0, CHEAP / 2
        return 1
    if at >= joins:
        return 0
    so_far = 1 + CHEAP * (at + 1)
    out[0, 0, 0], out[0, 0, 1], costs[0] = at + 1, 0, CHEAP + DEAR * so_far * (at > 0) + (at == 0)
    out[1, 0, 0], out[1, 0, 1], costs[1] = at, 1, CHEAP / 2 + (at == 0)
    return 2


CHAIN = sl.Domain(
    "chain",
    joined,
    lambda board, joins: board.tiles.item(0, 0) == joins,
    parameters=(sl.Parameter("joins", JOINS),),
    start=lambda: sl.Board([[0, 0]]),
    packed=lambda board, joins: sl.PackedForm(
        values=joins + 1,
        max_successors=2,
        successors=packed_joined,
        is_goal=lambda tiles, joins: tiles[0, 0] == joins,
    ),
    unit_cost=False,
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["astar", "uniform-cost"])
@pytest.mark.parametrize("duplicates", ["early", "late"])
def test_differences_that_count_as_rounding_do_not_add_up(engine, frontier, duplicates):
    """Each join is first reached by a way that is longer by 0.9e-9: the solution was dearer by 160 times 1e-9."""
    found = sl.solve(
        sl.Board([[0, 0]]),
        domain=CHAIN,
        heuristic=lambda tiles: 0,
        frontier=f"{frontier}:duplicates={duplicates}",
        engine=engine,
    )
    assert found.cost == pytest.approx(1 + CHEAP * JOINS, rel=1e-11)
