# grid.py
"""Ways over grid maps, in the formats of the MovingAI benchmarks: `.scen` files, and the `.map` files they name."""

from functools import cache
from math import sqrt

import numpy as np

from searchlab import Board, Defaults, Domain, FileFormat, Heuristic, Instance, PackedForm, Parameter, Views, plugin

ROWS, COLUMNS = np.array([[-1, 0, 0, 1, -1, -1, 1, 1], [0, -1, 1, 0, -1, 1, -1, 1]])


def free_cells(picture):
    return np.isin([*map(list, picture.split())], [*".GS"])


def parse(text, folder, ways):
    """Yield the instances of a .scen file; the cost it gives is that of a way with diagonal steps."""
    grid = cache(lambda name: free_cells((folder / name).read_text(encoding="utf-8").partition("map\n")[2]))
    for line in text.splitlines():
        if line.strip() and not line.startswith("version"):
            _, name, _, _, x, y, goal_x, goal_y, cost = line.split()
            static = {"grid": grid(name), "goal": [int(goal_y), int(goal_x)]}
            yield Instance("", Board([[int(y), int(x)]]), static, optimal=float(cost) if ways == 8 else None)


def why_invalid(board, grid, goal):
    cells = (*board.tiles, goal)
    is_free = [len(cell) == 2 and all(cell < grid.shape) and grid[tuple(cell)] for cell in cells]
    return "" if all(is_free) and len(cells) == 2 else "start and goal are free cells"


def steps(tiles, out, costs, grid, ways):
    row, column, count = tiles[0, 0], tiles[0, 1], 0
    for k in range(ways):
        down, right = row + ROWS[k], column + COLUMNS[k]
        if not (0 <= down < grid.shape[0] and 0 <= right < grid.shape[1]):
            continue
        if grid[down, right] and grid[row, right] and grid[down, column]:  # a diagonal step cuts no corner
            out[count, 0, 0], out[count, 0, 1], costs[count] = down, right, sqrt(2) if k > 3 else 1.0
            count += 1
    return count


def direction(board, after, k):
    down, right = (after.tiles - board.tiles)[0]
    return ("north", "", "south")[down + 1] + ("west", "", "east")[right + 1]


def octile(tiles, other, ways):
    """The cost on a map without walls."""
    rows, columns = abs(tiles[0, 0] - other[0, 0]), abs(tiles[0, 1] - other[0, 1])
    return rows + columns if ways == 4 else max(rows, columns) + (sqrt(2) - 1) * min(rows, columns)


def on_map(board, grid, goal):
    picture = np.where(grid, ".", "@")
    picture[tuple(goal)], picture[tuple(board.tiles[0])] = "G", "*"
    return "\n".join(map("".join, picture))


SAMPLE = {"grid": free_cells("..... .@@.. ...@. @..@."), "goal": [3, 4]}
DOMAIN = Domain(
    "grid",
    packed=lambda board: PackedForm(values=4096, max_successors=8, successors=steps),  # maps up to this side
    goals=lambda board, goal: [Board([goal])],
    inverse="same",
    unit_cost=False,
    action=direction,
    parameters=(Parameter("ways", 8, "4, or 8 with diagonal steps", choices=(4, 8)),),
    static=("grid", "goal"),
    why_invalid=why_invalid,
    samples=lambda: [Instance("", Board([[2, 1]]), SAMPLE)],
    summary="a way over a map",
    files=FileFormat(parse, suffixes=(".scen",)),
    views=Views(picture=on_map),
    defaults=Defaults(heuristic="octile"),
)
HEURISTIC = Heuristic("octile", between=octile, domains={"grid"}, admissible=True, consistent=True)

hooks = plugin(DOMAIN, HEURISTIC)
