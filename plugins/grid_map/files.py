"""The files of the MovingAI benchmarks (Sturtevant 2012): `.scen` files with starts and goals, and `.map` files.

A `.scen` file begins with `version 1`. Each further line is an instance: a bucket of similar difficulty, the name of
the map, the width and height of the map, x and y of the start, x and y of the goal, and the cost of a cheapest path in
8 directions. Two additions make a file self-contained, as `boards generate` writes it: the map may follow below the
instances, which then give its name as `-`; and `-` stands for an unknown cost.
"""

from __future__ import annotations

from math import isfinite
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING

import numpy as np

from searchlab import Board, Instance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

LONGEST_SIDE = 4096
LARGEST_FILE = (LONGEST_SIDE + 2) * (LONGEST_SIDE + 5)
"""The bytes of the file of the largest map, with Windows line endings."""
PASSABLE, IMPASSABLE = ".GS", "@OTW"
"""Passable cells (ground twice, swamp), and impassable cells (out of bounds twice, trees, water)."""
VERSIONS = ("1", "1.0")
FIELDS = "bucket, map, width, height, start x, start y, goal x, goal y, cost"
BELOW = UNKNOWN = "-"


def parse(text: str, folder: Path, ways: int) -> Iterator[Instance | ValueError]:
    """Yield the instances of a `.scen` file, or a ValueError for an invalid instance; instances of a map share it.

    Args:
        text: the content of the file.
        folder: the folder of the maps.
        ways: the directions of a step; the costs in the file are for 8 directions.

    Raises:
        ValueError: the file is invalid; the message names the line.
    """
    lines = text.splitlines()
    end = next((number for number, line in enumerate(lines) if line.split()[:1] == ["type"]), len(lines))
    maps: dict[str, NDArray[np.uint8] | ValueError] = {}
    if end < len(lines):
        maps[BELOW] = read_map(lines[end:], end + 1)
    version = lines[0].split() if lines else []
    if len(version) != 2 or version[0] != "version" or version[1] not in VERSIONS:
        raise ValueError(f"line 1: a .scen file begins with 'version 1', not {lines[0] if lines else ''!r:.40}")
    for number, line in enumerate(lines[1:end], 2):
        if not line.strip():
            continue
        try:
            yield instance(line, folder, maps, ways)
        except ValueError as error:
            yield ValueError(f"line {number}: {error}")


def instance(line: str, folder: Path, maps: dict[str, NDArray[np.uint8] | ValueError], ways: int) -> Instance:
    """Return the instance of a line; a map that is not in `maps` yet is read and added."""
    fields = line.split("\t") if "\t" in line else line.split()
    fields = [field.strip() for field in fields if field.strip()]
    if len(fields) != 9:
        raise ValueError(f"{len(fields)} fields, where an instance has 9: {FIELDS}")
    name = fields[1]
    width, height, x, y, goal_x, goal_y = map(whole_number, fields[2:8])
    optimal = known_cost(fields[8])
    if name not in maps:
        try:
            maps[name] = map_of_file(name, folder)
        except ValueError as error:  # kept, so that the next line does not read the map again
            maps[name] = error
    grid = maps[name]
    if isinstance(grid, ValueError):
        raise grid
    rows, columns = grid.shape
    if (width, height) != (columns, rows):
        raise ValueError(f"the map {name} has {columns} × {rows} cells, not {width} × {height}")
    for what, column, row in (("start", x, y), ("goal", goal_x, goal_y)):
        if not (column < columns and row < rows):
            raise ValueError(f"the {what}, ({column}, {row}), is beside the map of {columns} × {rows}")
        if not grid[row, column]:
            raise ValueError(f"the {what}, ({column}, {row}), is on an impassable cell")
    static = {"grid": grid, "goal": [goal_x, goal_y]}
    return Instance("", Board([[x, y]]), static, optimal=optimal if ways == 8 else None)


def whole_number(text: str) -> int:
    """Parse a whole number; raise a ValueError for any other text."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(f"{text!r:.40} is no whole number; the fields are {FIELDS}")
    return int(text)


def known_cost(text: str) -> float | None:
    """Parse a cost; return None for an unknown cost, `-`."""
    if text == UNKNOWN:
        return None
    try:
        cost = float(text)
    except ValueError:
        cost = -1.0
    if not (isfinite(cost) and cost >= 0):
        raise ValueError(f"{text!r:.40} is no cost, a number of 0 or more")
    return cost


def map_of_file(name: str, folder: Path) -> NDArray[np.uint8]:
    """Read the map with a name from a `.scen` file: below the folder of this file or, as is common, beside the file."""
    if name == BELOW:
        raise ValueError("no map follows below the instances")
    path = folder / name
    if not path.is_file():
        path = folder / PureWindowsPath(name).name
    if not path.is_file():
        raise ValueError(f"there is no map {name!r:.80} in its folder")
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ValueError(f"{name}: larger than a map of {LONGEST_SIDE} × {LONGEST_SIDE}")
    try:
        return read_map(content.decode("latin-1").splitlines(), 1)
    except ValueError as error:
        raise ValueError(f"{name}, {error}") from None


def read_map(lines: Sequence[str], first: int) -> NDArray[np.uint8]:
    """Return a map, shape (rows, columns): 1 for a passable cell, 0 for any other cell.

    Args:
        lines: the lines of a `.map` file.
        first: the number of the first line, for errors.

    Raises:
        ValueError: the map is invalid; the message names the line.
    """
    header = [tuple(line.split()) for line in lines[:4]]
    sides = {words[0]: words[1] for words in header[1:3] if len(words) == 2}
    if header[:1] != [("type", "octile")] or sides.keys() != {"height", "width"} or header[3:] != [("map",)]:
        raise ValueError(f"line {first}: a map begins with the lines 'type octile', 'height …', 'width …', 'map'")
    try:
        rows, columns = whole_number(sides["height"]), whole_number(sides["width"])
    except ValueError:
        rows = columns = 0
    if not (0 < rows <= LONGEST_SIDE and 0 < columns <= LONGEST_SIDE):
        raise ValueError(f"line {first + 1}: height and width are whole numbers from 1 to {LONGEST_SIDE}")
    pictured = [line.rstrip() for line in lines[4:]]
    while pictured and not pictured[-1]:
        pictured.pop()
    if len(pictured) != rows:
        raise ValueError(f"line {first + 1}: the height is {rows}, and {len(pictured)} rows follow")
    for number, row in enumerate(pictured, first + 4):
        if len(row) != columns:
            raise ValueError(f"line {number}: the width is {columns}, and this row has {len(row)} cells")
        strange = row.strip(PASSABLE + IMPASSABLE)
        if strange:
            raise ValueError(f"line {number}: {strange[0]!r} is no terrain: {PASSABLE} are passable, {IMPASSABLE} not")
    letters = np.frombuffer("".join(pictured).encode("ascii"), np.uint8).reshape(rows, columns)
    return np.isin(letters, np.frombuffer(PASSABLE.encode(), np.uint8)).astype(np.uint8)


def map_text(grid: NDArray[np.uint8]) -> str:
    """Return the content of a `.map` file."""
    rows, columns = grid.shape
    letters = np.where(grid, ".", "@")
    return "\n".join(["type octile", f"height {rows}", f"width {columns}", "map", *map("".join, letters), ""])


def scenario_line(board: Board, goal: Sequence[int], shape: tuple[int, int], name: str, cost: float | None) -> str:
    """Return the line of an instance; the bucket is a quarter of the cost, as in the benchmarks."""
    (x, y), (goal_x, goal_y) = board.tiles[0].tolist(), goal
    bucket, written = (0, UNKNOWN) if cost is None else (int(cost // 4), f"{cost:.8f}")
    rows, columns = shape
    return "\t".join(map(str, (bucket, name, columns, rows, x, y, goal_x, goal_y, written)))


def format_instance(board: Board, grid: NDArray[np.uint8], goal: NDArray[np.int64]) -> str:
    """Return the content of a `.scen` file with an instance and the map below it."""
    line = scenario_line(board, goal.tolist(), grid.shape, BELOW, None)
    return f"version 1\n{line}\n{map_text(grid)}"
