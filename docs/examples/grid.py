# grid.py
"""Ways over grid maps, in the formats of the MovingAI benchmarks: `.scen` files, and the `.map` files they name."""

from math import sqrt
from pathlib import Path

import numpy as np

from searchlab import Board, Domain, Heuristic, Instance, PackedForm, Parameter, Renderer, hookimpl

SIDE = 4096  # a state is a row and a column below this: one machine code serves all maps up to this size
ROWS = np.array([-1, 0, 0, 1, -1, -1, 1, 1])
COLUMNS = np.array([0, -1, 1, 0, -1, 1, -1, 1])
NAMES = ("north", "west", "east", "south", "north-west", "north-east", "south-west", "south-east")


def parse(text, path, ways):
    """Yield the instances of a .scen file; the cost it gives is that of a way with diagonal steps."""
    maps = {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("version"):
            _, name, _, _, x, y, goal_x, goal_y, cost = line.split()
            if name not in maps:
                maps[name] = free_cells((path.parent if path else Path()) / name)
            static = {"grid": maps[name], "file": name, "goal": [int(goal_y), int(goal_x)]}
            yield Instance("", Board([[int(y), int(x)]]), static, optimal=float(cost) or None if ways == 8 else None)


def free_cells(path):
    rows = path.read_text(encoding="utf-8").partition("map\n")[2].split()
    return np.array([[cell in ".GS" for cell in row] for row in rows], np.uint8)


def as_line(board, grid, file, goal):
    (row, column), (height, width) = board.tiles[0], grid.shape
    return " ".join(str(field) for field in (0, file, width, height, column, row, goal[1], goal[0], 0))


def why_invalid(board, grid, goal):
    inside = board.shape == (1, 2) and max(grid.shape) <= SIDE and all(board.tiles[0] < grid.shape)
    return "" if inside and grid[tuple(board.tiles[0])] and grid[tuple(goal)] else "start and goal are free cells"


def steps(tiles, out, costs, grid, ways):
    row, column, count = tiles[0, 0], tiles[0, 1], 0
    for k in range(ways):
        down, right = row + ROWS[k], column + COLUMNS[k]
        if down < 0 or right < 0 or down >= grid.shape[0] or right >= grid.shape[1]:
            continue
        if grid[down, right] and grid[row, right] and grid[down, column]:  # a diagonal step cuts no corner
            out[count, 0, 0], out[count, 0, 1], costs[count] = down, right, sqrt(2) if k > 3 else 1.0
            count += 1
    return count


def there(tiles, goal):
    return tiles[0, 0] == goal[0] and tiles[0, 1] == goal[1]


def direction(board, after, k):
    step = tuple(after.tiles[0] - board.tiles[0])
    return NAMES[[*zip(ROWS, COLUMNS, strict=True)].index(step)]


def octile(tiles, goal, ways):
    """The distance on a map without walls."""
    rows, columns = abs(tiles[0, 0] - goal[0]), abs(tiles[0, 1] - goal[1])
    return rows + columns if ways == 4 else max(rows, columns) + (sqrt(2) - 1) * min(rows, columns)


def on_map(board, grid, goal):
    picture = np.where(grid, ".", "@")
    picture[tuple(goal)], picture[tuple(board.tiles[0])] = "G", "*"
    return "\n".join("".join(row) for row in picture)


def samples():
    grid = [[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 1, 1, 0, 1], [0, 1, 1, 0, 1]]
    for ways in (8, 4):
        yield (
            {"ways": ways},
            Instance("", Board([[2, 1]]), {"grid": np.uint8(grid), "file": "sample.map", "goal": [3, 4]}),
        )


@hookimpl
def searchlab_domains():
    yield Domain(
        "grid",
        packed=lambda board: PackedForm(values=SIDE, max_successors=8, successors=steps, is_goal=there),
        action=direction,
        summary="a way over a map",
        parameters=(Parameter("ways", 8, "4, or 8 with diagonal steps", choices=(4, 8)),),
        static=("grid", "file", "goal"),
        parse=parse,
        format=as_line,
        suffixes=(".scen",),
        why_invalid=why_invalid,
        samples=samples,
        unit_cost=False,
        inverse="same",
        goals=lambda board, goal: [Board([goal])],
        revisited_layers="last-two",
        heuristic="octile",
    )


@hookimpl
def searchlab_heuristics():
    yield Heuristic("octile", octile, domains={"grid"}, admissible=True, consistent=True)


@hookimpl
def searchlab_renderers():
    yield Renderer("map", on_map, domains={"grid"})
