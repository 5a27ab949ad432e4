"""Additive pattern databases: each group of tiles has a table with the fewest moves that the group needs.

The distance of a group counts only the moves of tiles of the group, so distances of groups without common tiles may be
added (Korf and Felner 2002). With `mirror` the mirror image of a board in the main diagonal is looked up as well, and
the larger sum counts (Culberson and Schaeffer 1998): the reflection maps the goal to itself. If the blank of the goal
is not on this diagonal, another reflection that leaves the blank in place is used. If there is none, the mirror image
is the board itself.

With `dual` the board with cells and tiles exchanged is looked up, too: see `dual_lookups`.

Three words are carried along the moves for the board, and three for its mirror image. Two words hold the cells of all
tiles. The third holds the distance of each group, a byte each, and the sum of these distances in the bits above (see
`patterns.PartitionLayout`). A move changes one field and looks up one distance.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Heuristic, Parameter, UsageError, distances
from searchlab_plugins.sliding_tile.domain import UNIT
from searchlab_plugins.sliding_tile.dual_lookups import dual_database, dual_moved, dual_start, dual_value, lookups
from searchlab_plugins.sliding_tile.patterns import (
    FIELDS,
    GROUP,
    NAMED,
    WHOLE,
    WORD,
    PartitionLayout,
    check_groups,
    looked_up,
    parse_groups,
)
from searchlab_plugins.sliding_tile.sums import is_bound_by_groups

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from searchlab import BoundDomain
    from searchlab_plugins.sliding_tile.goals import Shape

Carried = tuple[int, int, int, int, int, int, Any]
SUM = 48
"""The lowest bit of the sum in the word with the distances of all groups and their sum."""
BYTE = 255


def pattern_database(
    tiles: Any, database: Any, fields: Any, parts: Any, dual_database: Any, lookups: Any, mirror: bool = True
) -> int:
    """Sum of the distances of the groups of tiles: the largest of the board, its mirror image and their duals."""
    carried = start(tiles, database, fields, parts, lookups, mirror)
    dual = dual_value(carried[6], database, dual_database, lookups, parts, mirror)
    return max(carried[2] >> SUM, carried[5] >> SUM, dual)


def start(tiles: Any, database: Any, fields: Any, parts: Any, lookups: Any, mirror: bool) -> Carried:
    """Return the cells and distances of a board and of its mirror image, and the numbers for dual lookups."""
    low, high = cells_of(tiles, fields, 0)
    values = distances_of(low, high, database, parts)
    if mirror:
        low_image, high_image = cells_of(tiles, fields, 1)
        image = distances_of(low_image, high_image, database, parts)
    else:
        low_image, high_image, image = 0, 0, 0
    return low, high, values, low_image, high_image, image, dual_start(tiles, fields, lookups)


def cells_of(tiles: Any, fields: Any, side: int) -> tuple[int, int]:
    """Return the words with the cells of all tiles of a board, or (`side` 1) of its mirror image."""
    rows, columns = tiles.shape
    low, high = 0, 0
    for row in range(rows):
        for column in range(columns):
            tile = tiles[row, column]
            if tile and fields[side, tile, GROUP] >= 0:
                field = fields[side, tile, FIELDS + row * columns + column]
                if fields[side, tile, WORD]:
                    high += field
                else:
                    low += field
    return low, high


def distances_of(low: int, high: int, database: Any, parts: Any) -> int:
    """Return a word with the distances of all groups, a byte each, and their sum in the bits above."""
    values = 0
    for group in range(len(parts)):
        distance = looked_up(low, high, group, database, parts)
        values += (distance << 8 * group) + (distance << SUM)
    return values


def moved(
    h: int,
    carried: Carried,
    tile: int,
    source: int,
    target: int,
    database: Any,
    fields: Any,
    parts: Any,
    dual_database: Any,
    lookups: Any,
    mirror: bool,
) -> tuple[int, Carried]:
    """Return the value after a move, and the result of `start` for the board after the move."""
    low, high, values, low_image, high_image, image, dual = carried
    low, high, values = slid(low, high, values, 0, tile, source, target, database, fields, parts)
    if mirror:
        low_image, high_image, image = slid(
            low_image, high_image, image, 1, tile, source, target, database, fields, parts
        )
    dual = dual_moved(dual, tile, source, target, fields, lookups)
    value = max(values >> SUM, image >> SUM, dual_value(dual, database, dual_database, lookups, parts, mirror))
    return value, (low, high, values, low_image, high_image, image, dual)


def slid(
    low: int,
    high: int,
    values: int,
    side: int,
    tile: int,
    source: int,
    target: int,
    database: Any,
    fields: Any,
    parts: Any,
) -> tuple[int, int, int]:
    """Return the cells and distances after a move, which changes one field and one distance."""
    group = fields[side, tile, GROUP]
    if group < 0:
        return low, high, values
    change = fields[side, tile, FIELDS + target] - fields[side, tile, FIELDS + source]
    if fields[side, tile, WORD]:
        high += change
    else:
        low += change
    grown = looked_up(low, high, group, database, parts) - ((values >> 8 * group) & BYTE)
    return low, high, values + (grown << 8 * group) + (grown << SUM)


def build(
    progress: Callable[[float, float], None],
    domain: BoundDomain,
    goals: Any,
    rows: int,
    columns: int,
    groups: str,
    goal: str,
    cost: str,
) -> NDArray[np.uint8]:
    """Return the distances of all tables of a partition, one after another."""
    if cost != UNIT:
        raise UsageError(f"pattern-database counts moves: it is for cost={UNIT}, not cost={cost}; taxicab is for both")
    layout = layout_of((rows, columns), groups, goal)
    found = np.empty(layout.entries, np.uint8)  # takes no memory until it is written
    total = sum(layout.placements(table.tiles) for table in layout.tables)

    def report(done: int, now: Any) -> None:
        progress(done + now.expanded, total)

    done = 0
    # The largest table first: its search takes the most memory, while no other table is filled yet.
    for table in sorted(layout.tables, key=lambda table: -len(table.tiles)):
        tiles = table.tiles
        searched = distances(domain, board=goals[0], keep=tiles, charge=tiles, progress=partial(report, done))
        done += len(searched)
        if table.is_dense:
            side, cells = 1 << layout.bits, rows * columns
            part = found[table.offset : table.offset + side ** len(tiles)]
            part[:] = 0  # for indices without a board: two tiles on one cell, or a cell beyond the last cell
            part.reshape((side,) * len(tiles))[(slice(cells),) * len(tiles)] = searched.dense()
        else:
            found[table.offset : table.offset + len(searched)] = searched.array
        del searched
    return found


def fields(progress: object, rows: int, columns: int, groups: str, goal: str) -> NDArray[np.int64]:
    """Return the fields of all tiles, for a board and for its mirror image: see `PartitionLayout.tiles`."""
    return layout_of((rows, columns), groups, goal).tiles


def parts(progress: object, rows: int, columns: int, groups: str, goal: str) -> NDArray[np.int64]:
    """Return how to look up the distances of groups: see `PartitionLayout.groups`."""
    return layout_of((rows, columns), groups, goal).groups


def layout_of(shape: Shape, groups: str, goal: str) -> PartitionLayout:
    """Return the layout of the lookups of a named or listed partition."""
    return PartitionLayout(parse_groups(groups, shape, goal), shape, goal)


def is_consistent(groups: str, dual: bool) -> bool:
    """Return whether the values of a partition never drop by more than the cost of a move.

    With dual lookups this holds only for exact distances, because a move changes the omitted tile of the dual.

    A distance is the minimum over all places of the blank. If tiles of a group can enclose the blank, as two tiles can
    in a corner, a move of one of them may free a place of the blank with a distance that is smaller by more than 1. A
    single tile cannot enclose the blank, and the distance of a group of all tiles is exact.
    """
    return groups == WHOLE or (
        not dual and groups not in ("", *NAMED) and all(len(group.split()) == 1 for group in groups.split("/"))
    )


PATTERN_DATABASE = Heuristic(
    "pattern-database",
    pattern_database,
    domains=frozenset({"sliding-tile"}),
    admissible=is_bound_by_groups,
    consistent=is_consistent,
    aliases=("pdb",),
    carry=start,
    incremental=moved,
    tables={
        **{"database": build, "fields": fields, "parts": parts},
        **{"dual_database": dual_database, "lookups": lookups},
    },
    parameters=(
        Parameter("groups", "", "5-5-5, 6-6-3, 7-8, … or tiles as 1 2 3/4 5 6; by default as fits", check=check_groups),
        Parameter("mirror", True, "look the mirror image up as well"),
        Parameter("dual", False, "look up the board with cells and tiles exchanged as well"),
    ),
    summary="the sum of the fewest moves of groups of tiles, from tables",
)
