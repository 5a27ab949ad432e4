"""Toy domains for checking frontier strategies: a token walks on a grid, at equal or at different costs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from searchlab.binding.domain import BoundDomain
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.board.board import Board
from searchlab.model.component import Parameter, resolve
from searchlab.model.domain import Domain
from searchlab.model.packed import PackedForm
from searchlab.model.strategies import Heuristic

if TYPE_CHECKING:
    from collections.abc import Iterator


DIRECTIONS = ((-1, 0), (0, -1), (0, 1), (1, 0))
ACTIONS = ("up", "left", "right", "down")
NOWHERE = -1


def cost_of(row: int, column: int, k: int, steep: int) -> float:
    """Return the cost of the k-th step from a cell: 1 to 4 or, if `steep`, 1 and for a random third 5 to 20."""
    if steep == 0:
        return 1.0 + (3 * row + 5 * column + k) % 4
    number = (7919 * row + 104729 * column + 1299709 * k + 15485863 * steep) % 32452843
    number = number * 48271 % 2147483647
    return 5.0 + number % 16 if number // 16 % 3 == 0 else 1.0


def successors(board: Board, side: int, uneven: bool, steep: int = 0) -> Iterator[tuple[str, Board, float]]:
    """Yield the steps up, left, right and down."""
    row, column = board.tiles[0].tolist()
    for k, (down, right) in enumerate(DIRECTIONS):
        if 0 <= row + down < side and 0 <= column + right < side:
            cost = cost_of(row, column, k, steep) if uneven else 1.0
            yield ACTIONS[k], Board([[row + down, column + right]]), cost


def is_goal(board: Board, goal: int, side: int) -> bool:
    """Return whether the token is on the goal cell; cells are numbered row by row."""
    return bool(board.tiles[0, 0] * side + board.tiles[0, 1] == goal)


def packed_successors(
    tiles: Any, out: Any, costs: Any, moves: Any, chosen: Any, side: int, uneven: bool, steep: int = 0
) -> int:
    """Write the cells after all steps, or only after the chosen steps, and the row and the column of each cell."""
    count = 0
    for k in range(4):
        row = tiles[0, 0] + DIRECTIONS[k][0]
        column = tiles[0, 1] + DIRECTIONS[k][1]
        if 0 <= row < side and 0 <= column < side:
            if chosen is None or chosen[count]:
                out[count, 0, 0] = row
                out[count, 0, 1] = column
            moves[count, 0] = row
            moves[count, 1] = column
            costs[count] = cost_of(tiles[0, 0], tiles[0, 1], k, steep) if uneven else 1.0
            count += 1
    return count


def packed_predecessors(tiles: Any, out: Any, costs: Any, side: int, uneven: bool, steep: int = 0) -> int:
    """Write the cells before a step."""
    count = 0
    for k in range(4):
        row = tiles[0, 0] - DIRECTIONS[k][0]
        column = tiles[0, 1] - DIRECTIONS[k][1]
        if 0 <= row < side and 0 <= column < side:
            out[count, 0, 0] = row
            out[count, 0, 1] = column
            costs[count] = cost_of(row, column, k, steep) if uneven else 1.0
            count += 1
    return count


def goals(board: Board, goal: int, side: int) -> list[Board]:
    """Return the goal cell, if there is one."""
    return [] if goal < 0 else [Board([[goal // side, goal % side]])]


def is_packed_goal(tiles: Any, goal: int, side: int) -> bool:
    """Return whether the token is on the goal cell."""
    there: bool = tiles[0, 0] * side + tiles[0, 1] == goal
    return there


def packed(board: Board, side: int) -> PackedForm:
    """Return the compiled rules."""
    return PackedForm(
        values=side, max_successors=4, successors=packed_successors, is_goal=is_packed_goal, move=("row", "column")
    )


def steps(tiles: Any, goal: int, side: int) -> Any:
    """Return the number of steps to the goal cell: admissible and consistent."""
    return steps_after(0, tiles[0, 0], tiles[0, 1], goal, side)


def steps_after(h: float, row: int, column: int, goal: int, side: int) -> Any:
    """Return the number of steps to the goal cell from the cell after a move."""
    return 0 if goal < 0 else abs(row - goal // side) + abs(column - goal % side)


def steps_between(tiles: Any, other: Any) -> Any:
    """Return the number of steps from a cell to another."""
    return abs(tiles[0, 0] - other[0, 0]) + abs(tiles[0, 1] - other[0, 1])


def every_other(tiles: Any, goal: int, side: int) -> Any:
    """Return the number of steps on every second cell, and 0 on the others: admissible, but not consistent."""
    return every_other_after(0, tiles[0, 0], tiles[0, 1], goal, side)


def every_other_after(h: float, row: int, column: int, goal: int, side: int) -> Any:
    """Return the value of `every_other` for the cell after a move."""
    return 0 if (row + column) % 2 == 0 else steps_after(h, row, column, goal, side)


def every_other_between(tiles: Any, other: Any) -> Any:
    """Return the number of steps to another cell from every second cell, and 0 from the others."""
    if (tiles[0, 0] + tiles[0, 1]) % 2 == 0:
        return 0
    return abs(tiles[0, 0] - other[0, 0]) + abs(tiles[0, 1] - other[0, 1])


def scattered_between(tiles: Any, other: Any) -> Any:
    """Return a value without any relation to the cost."""
    return (7 * tiles[0, 0] + 13 * tiles[0, 1] + other[0, 0]) % 5


def scattered(tiles: Any) -> Any:
    """Return a value without any relation to the goal."""
    return scattered_after(0, tiles[0, 0], tiles[0, 1])


def scattered_after(h: float, row: int, column: int) -> Any:
    """Return the value of `scattered` for the cell after a move."""
    return (7 * row + 13 * column) % 5


def _domain(name: str, *, unit_cost: bool) -> Domain:
    def check_uneven(uneven: bool) -> str:
        return "" if uneven is not unit_cost else "that is the other grid"

    uneven = Parameter("uneven", not unit_cost, check=check_uneven)
    parameters = (Parameter("side", 4), Parameter("goal", NOWHERE), uneven, Parameter("steep", 0))
    return Domain(
        name,
        successors,
        is_goal,
        parameters=parameters,
        start=lambda: Board([[0, 0]]),
        packed=packed,
        unit_cost=unit_cost,
    )


def bound_grid(grid: Domain, *, side: int, goal: int = NOWHERE, steep: int = 0) -> BoundDomain:
    """Return a grid of a size with a goal.

    Args:
        grid: the domain.
        side: the side of the grid.
        goal: the number of the goal cell; by default there is no goal.
        steep: the seed of some large costs, or 0 for none.
    """
    given = {"side": side, "goal": goal, "steep": steep}
    return BoundDomain(grid, resolve(grid.name, grid.own_parameters(), given))


def bound_estimate(heuristic: Heuristic, domain: BoundDomain) -> BoundHeuristic:
    """Return a heuristic for a grid."""
    return BoundHeuristic(heuristic, {}, domain)


GRIDS = (_domain("grid", unit_cost=True), _domain("uneven-grid", unit_cost=False))
ESTIMATES = (
    Heuristic("steps", steps, incremental=steps_after, admissible=True, consistent=True),
    Heuristic("every-other", every_other, incremental=every_other_after, admissible=True),
    Heuristic("scattered", scattered, incremental=scattered_after),
)
GRIDS_BACKWARDS = tuple(replace(grid, inverse=packed_predecessors, goals=goals) for grid in GRIDS)
"""The same grids, for searches from both ends."""
ESTIMATES_BETWEEN = tuple(
    replace(heuristic, between=between)
    for heuristic, between in zip(ESTIMATES, (steps_between, every_other_between, scattered_between), strict=True)
)
"""The same heuristics, for searches from both ends."""
