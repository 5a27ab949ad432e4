"""Grid maps as the MovingAI benchmarks write them: `.map` files, and `.scen` files with starts and goals on them."""

from math import sqrt
from pathlib import Path

import numpy as np

from searchlab import Board, Domain, Heuristic, Instance, PackedForm, Parameter, hookimpl

SIDE = 4096  # the cells of a state are a row and a column; one code serves maps of up to this size
DIAGONAL = sqrt(2)
ROWS = np.array([-1, 0, 0, 1, -1, -1, 1, 1])
COLUMNS = np.array([0, -1, 1, 0, -1, 1, -1, 1])
NAMES = ("north", "west", "east", "south", "north-west", "north-east", "south-west", "south-east")


def parse(text, path):
    """Yield the instances of a .scen file, or the one of a map with its start and goal."""
    lines = text.splitlines()
    if lines[:1] == ["type octile"]:
        head = dict(line.split(maxsplit=1) for line in lines[: lines.index("map")] if line)
        if "start" not in head or "goal" not in head:
            raise ValueError("a map alone: name a .scen file, or add `start ROW COLUMN` and `goal ROW COLUMN`")
        grid = free_cells(text)
        yield Instance("", Board([cell(head["start"])]), {"grid": grid, "goal": np.array(cell(head["goal"]))})
    elif lines and lines[0].startswith("version 1"):
        maps = {}
        for line in filter(str.strip, lines[1:]):
            _, name, _, _, x, y, goal_x, goal_y, cost = line.split("\t")
            if name not in maps:
                maps[name] = free_cells((path.parent / Path(name).name).read_text(encoding="utf-8"))
            static = {"grid": maps[name], "goal": np.array([int(goal_y), int(goal_x)])}
            yield Instance("", Board([[int(y), int(x)]]), static, optimal=float(cost))
    else:
        raise ValueError("neither a map (type octile) nor a list of starts and goals (version 1)")


def cell(text):
    row, column = text.split()
    return [int(row), int(column)]


def free_cells(text):
    """Return a map as an array, 1 where one can walk."""
    head, _, rows = text.partition("map\n")
    grid = np.array([[letter in ".GS" for letter in row] for row in rows.split()], np.uint8)
    if grid.ndim != 2 or f"height {len(grid)}\nwidth {grid.shape[1]}\n" not in head or max(grid.shape) > SIDE:
        raise ValueError(f"a map is `type octile`, `height`, `width`, `map`, and rows as they say, {SIDE} at most")
    return grid


def as_map(board, grid, goal):
    rows = "\n".join("".join("@."[free] for free in row) for row in grid.tolist())
    (row, column), (down, right) = board.tiles[0].tolist(), goal.tolist()
    size = f"height {len(grid)}\nwidth {grid.shape[1]}"
    return f"type octile\n{size}\nstart {row} {column}\ngoal {down} {right}\nmap\n{rows}"


def why_invalid(board, grid, goal):
    if board.shape != (1, 2):
        return "a position is a row and a column"
    for what, (row, column) in (("start", board.tiles[0]), ("goal", goal)):
        if not (row < grid.shape[0] and column < grid.shape[1] and grid[row, column]):
            return f"its {what}, row {row} and column {column}, is no free cell of the map"
    return ""


def successors(board, grid, ways):
    row, column = board.tiles[0].tolist()
    for k in range(ways):
        down, right = row + int(ROWS[k]), column + int(COLUMNS[k])
        if is_free(grid, row, column, down, right):
            yield NAMES[k], Board([[down, right]]), DIAGONAL if k > 3 else 1.0


def is_free(grid, row, column, down, right):
    """Whether one step leads to a free cell; a diagonal one must not cut a corner."""
    if down < 0 or right < 0 or down >= grid.shape[0] or right >= grid.shape[1]:
        return False
    return grid[down, right] != 0 and grid[row, right] != 0 and grid[down, column] != 0


def is_goal(board, goal):
    return bool((board.tiles[0] == goal).all())


def steps(tiles, out, costs, grid, ways):
    row, column = tiles[0, 0], tiles[0, 1]
    count = 0
    for k in range(ways):
        down, right = row + ROWS[k], column + COLUMNS[k]
        if is_free(grid, row, column, down, right):
            out[count, 0, 0], out[count, 0, 1] = down, right
            costs[count] = DIAGONAL if k > 3 else 1.0
            count += 1
    return count


def there(tiles, goal):
    return tiles[0, 0] == goal[0] and tiles[0, 1] == goal[1]


def packed(board):
    return PackedForm(values=SIDE, max_successors=8, successors=steps, is_goal=there)


def octile(tiles, goal, ways):
    """The distance on an empty map."""
    rows, columns = abs(tiles[0, 0] - goal[0]), abs(tiles[0, 1] - goal[1])
    if ways == 4:
        return float(rows + columns)
    return max(rows, columns) + (DIAGONAL - 1) * min(rows, columns)


def samples():
    rows = ("......", ".@@@..", "...@..", ".@.@..", "......")
    grid = np.array([[letter == "." for letter in row] for row in rows], np.uint8)
    for ways in (8, 4):
        yield {"ways": ways}, Instance("", Board([[2, 2]]), {"grid": grid, "goal": np.array([0, 5])})


@hookimpl
def searchlab_domains():
    yield Domain(
        "grid",
        successors,
        is_goal,
        summary="a way over a map",
        parameters=(Parameter("ways", 8, "of a step: 4, or 8 with diagonal ones", choices=(4, 8)),),
        parse=parse,
        format=as_map,
        suffixes=(".scen", ".grid"),
        static=("grid", "goal"),
        why_invalid=why_invalid,
        packed=packed,
        samples=samples,
        unit_cost=False,
        revisited_layers="last-two",
        heuristic="octile",
    )


@hookimpl
def searchlab_heuristics():
    yield Heuristic("octile", octile, domains={"grid"}, admissible=True, consistent=True, summary="as on an empty map")
