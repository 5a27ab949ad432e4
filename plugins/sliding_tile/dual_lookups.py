"""Dual lookups: a board has the same distance as its dual, in which cells and tiles are exchanged.

In the dual, the tile that belongs on a cell is in the goal cell of the tile on that cell. The moves of a solution, in
reverse, solve the dual, so board and dual need the same number of moves (Felner et al. 2005; Zahavi et al. 2008). In
the dual the walker, the tile that belongs on the blank's cell, plays the part of the blank: each move moves the walker
and one other tile. Take the fewest moves for each group of other tiles, over all places of the walker that end with the
walker on its own cell. The sum of these numbers does not exceed the distance.

The lookups differ from lookups of the board in three ways. A group that contains the walker is looked up without the
walker. The final cell of the walker matters: when the group is at home, its tiles may separate this cell from the
blank's goal cell, and then the group has a table of its own. Tile 0 is an ordinary tile that is in no group: its
taxicab distance is added.

The numbers carried along the moves are two words with the cells of all tiles of the dual, two words for the mirror
image, the distance of tile 0, and the blank's cell on the board.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import Board, distances, one_bits
from searchlab_plugins.sliding_tile.goals import Shape, goal_cells, goal_tiles
from searchlab_plugins.sliding_tile.packed import I
from searchlab_plugins.sliding_tile.patterns import (
    BITS,
    COUNT,
    FIELDS,
    GROUP,
    START,
    WORD,
    WORD_BITS,
    PartitionLayout,
    looked_up,
    parse_groups,
    region_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from searchlab import BoundDomain

TILE, HOME, AWAY, OFFSET, SKIPPED, STEPS = range(6)
"""The columns of `DualLayout.lookups`."""
SAME_TABLE = -1
"""Stands for the group's own table in place of an offset."""
EMPTY = 0
"""The offset of the table of the empty group."""


def dual_start(tiles: Any, fields: Any, lookups: Any) -> Any:
    """Return the carried numbers for the dual of a board, or `()` without dual lookups.

    The compiler knows the number of dimensions of `lookups`, so it omits the code of the other case.
    """
    if lookups.ndim == 1:
        return ()
    rows, columns = tiles.shape
    low, high, low_image, high_image = 0, 0, 0, 0
    of_zero, blank = 0, 0
    for row in range(rows):
        for column in range(columns):
            cell = row * columns + column
            on_cell = tiles[row, column]
            tile, place = lookups[0, cell, 0, TILE], lookups[0, on_cell, 0, HOME]
            low, high = moved_field(low, high, 0, tile, -1, place, fields)
            low_image, high_image = moved_field(low_image, high_image, 1, tile, -1, place, fields)
            if on_cell == 0:
                blank = cell
            if tile == 0:
                of_zero = lookups[0, on_cell, 0, AWAY]
    return low, high, low_image, high_image, of_zero, blank


def dual_moved(carried: Any, tile: int, source: int, target: int, fields: Any, lookups: Any) -> Any:
    """Return the carried numbers after a move: the walker and another tile of the dual exchange their cells."""
    if lookups.ndim == 1:
        return ()
    low, high, low_image, high_image, of_zero, _ = carried
    start, place = lookups[0, 0, 0, HOME], lookups[0, tile, 0, HOME]
    before, after = lookups[0, target, 0, TILE], lookups[0, source, 0, TILE]
    low, high = moved_field(low, high, 0, before, start, place, fields)
    low, high = moved_field(low, high, 0, after, place, start, fields)
    low_image, high_image = moved_field(low_image, high_image, 1, before, start, place, fields)
    low_image, high_image = moved_field(low_image, high_image, 1, after, place, start, fields)
    if before == 0:
        of_zero = lookups[0, tile, 0, AWAY]
    if after == 0:
        of_zero = 0
    return low, high, low_image, high_image, of_zero, source


def moved_field(low: int, high: int, side: int, tile: int, source: int, target: int, fields: Any) -> tuple[int, int]:
    """Return the words with the cells of all tiles after a tile moved to a cell; a source of -1 adds the tile."""
    if fields[side, tile, GROUP] >= 0:
        change = fields[side, tile, FIELDS + target]
        if source >= 0:
            change -= fields[side, tile, FIELDS + source]
        if fields[side, tile, WORD]:
            high += change
        else:
            low += change
    return low, high


def dual_value(carried: Any, database: Any, dual_database: Any, lookups: Any, parts: Any, mirror: bool) -> int:
    """Return the sum of the distances of the dual's groups, or of its mirror image if that is larger."""
    if lookups.ndim == 1:
        return 0
    low, high, low_image, high_image, of_zero, blank = carried
    value = summed(low, high, 0, blank, database, dual_database, lookups, parts)
    if mirror:
        value = max(value, summed(low_image, high_image, 1, blank, database, dual_database, lookups, parts))
    total: int = value + of_zero
    return total


def summed(
    low: int, high: int, side: int, blank: int, database: Any, dual_database: Any, lookups: Any, parts: Any
) -> int:
    """Return the sum of the distances of all groups of the dual or (`side` 1) of its mirror image."""
    value = 0
    for group in range(len(parts)):
        if lookups[side, blank, group, OFFSET] == SAME_TABLE:
            value += looked_up(low, high, group, database, parts)
        else:
            value += looked_up_without(low, high, group, lookups[side, blank, group], dual_database, parts)
    return value


def looked_up_without(low: int, high: int, group: int, lookup: Any, dual_database: Any, parts: Any) -> int:
    """Return the distance of a group without the omitted tile, by rank: see `patterns.looked_up`."""
    first, bits, count = parts[group, START], parts[group, BITS], parts[group, COUNT]
    index, taken, cells = lookup[OFFSET], 0, (1 << bits) - 1
    for tile in range(count):
        if tile != lookup[SKIPPED]:
            shift = first + bits * (count - 1 - tile)
            cell = (low >> shift if shift < WORD_BITS else high >> (shift - WORD_BITS)) & cells
            below = (1 << cell) - 1
            index += (cell - one_bits(taken & below)) * lookup[STEPS + tile]
            taken |= below + 1
    distance: int = I(dual_database[index])
    return distance


@dataclass(frozen=True)
class Pattern:
    """A group of tiles, and the region in which the blank ends.

    Attributes:
        tiles: the group.
        region: the cells that the blank reaches from its final cell without moving these tiles.
    """

    tiles: tuple[int, ...]
    region: frozenset[int]


@dataclass(frozen=True)
class DualLayout:
    """The lookups of the distances of the dual's groups, for each cell of the blank.

    Attributes:
        layout: the layout of the board's lookups.
    """

    layout: PartitionLayout

    @cached_property
    def patterns(self) -> dict[tuple[int, int], tuple[int, Pattern]]:
        """The omitted tile (-1 for none) and the pattern to look up, by (blank's cell, group).

        The pattern is turned like the group's table.
        """
        belongs = goal_cells(self.layout.shape, self.layout.goal)
        found = {}
        for group, (table, tiles, turn) in enumerate(self.layout.shared):
            cells = [int(belongs[tile]) for tile in table.tiles]
            for blank, end in enumerate(turn.tolist()):
                skipped = cells.index(end) if end in cells else -1
                kept = [place for place in range(len(tiles)) if place != skipped]
                region = region_of(end, {cells[place] for place in kept}, self.layout.shape)
                found[blank, group] = skipped, Pattern(tuple(table.tiles[place] for place in kept), region)
        return found

    @cached_property
    def offsets(self) -> dict[Pattern, int]:
        """The offset of each table that the board's lookups do not have, or 0 for the empty group."""
        end, offsets = 1, {}
        for pattern in self._others():
            if not pattern.tiles:
                offsets[pattern] = EMPTY
            elif pattern not in offsets:
                offsets[pattern] = end
                end += self.layout.placements(pattern.tiles)
        return offsets

    def _others(self) -> Iterator[Pattern]:
        blank = int(goal_cells(self.layout.shape, self.layout.goal)[0])
        for skipped, pattern in self.patterns.values():
            if skipped >= 0 or blank not in pattern.region:
                yield pattern

    @property
    def entries(self) -> int:
        """The number of entries of these tables, including the entry of the empty group."""
        return 1 + sum(self.layout.placements(pattern.tiles) for pattern in self.offsets if pattern.tiles)

    @cached_property
    def lookups(self) -> NDArray[np.int64]:
        """The lookups by side (1 for the mirror image), cell of the blank, and group.

        The shape is (2, cells, groups, 5 + most tiles). The columns are

        - `TILE`: the tile that belongs on the cell;
        - `HOME`: the cell on which the tile with the number of the cell belongs;
        - `AWAY`: the taxicab distance of that cell from the blank's goal cell;
        - `OFFSET`: the offset of the table;
        - `SKIPPED`: the omitted tile of the group, -1 for none;
        - `STEPS` and further columns: the factor of each tile in the rank.
        """
        layout = self.layout
        cells, groups, most = layout.cells, len(layout.parts), max(map(len, layout.parts))
        rows = np.zeros((2, cells, groups, STEPS + most), np.int64)
        rows[..., TILE] = goal_tiles(layout.shape, layout.goal)[:, None]
        belongs = goal_cells(layout.shape, layout.goal)
        row, column = np.divmod(belongs, layout.shape[1])
        rows[..., HOME] = belongs[:, None]
        rows[..., AWAY] = (abs(row - row[0]) + abs(column - column[0]))[:, None]
        for (blank, group), (skipped, pattern) in self.patterns.items():
            lookup, count = rows[0, blank, group], len(pattern.tiles)
            lookup[OFFSET], lookup[SKIPPED] = self.offsets.get(pattern, SAME_TABLE), skipped
            kept = [place for place in range(len(layout.parts[group])) if place != skipped]
            for number, place in enumerate(kept):
                lookup[STEPS + place] = perm(cells - number - 1, count - number - 1)
        rows[1, ..., OFFSET:] = rows[0, layout.reflection, ..., OFFSET:]
        return rows


def dual_database(
    progress: Callable[[float, float], None],
    domain: BoundDomain,
    rows: int,
    columns: int,
    groups: str,
    goal: str,
    dual: bool,
) -> NDArray[np.uint8]:
    """Return the distances of all additional tables for dual lookups, or a single entry without dual lookups."""
    if not dual:
        return np.zeros(1, np.uint8)
    shape = rows, columns
    layout = DualLayout(PartitionLayout(parse_groups(groups, shape, goal), shape, goal))
    found = np.empty(layout.entries, np.uint8)
    found[EMPTY], done = 0, 0

    def report(done: int, now: Any) -> None:
        progress(done + now.expanded, layout.entries)

    for pattern, offset in sorted(layout.offsets.items(), key=lambda item: -len(item[0].tiles)):
        if pattern.tiles:
            tiles = pattern.tiles
            searched = distances(
                with_blank_on(min(pattern.region), domain, shape, goal),
                board=Board(goal_tiles(shape, goal).reshape(shape)),
                keep=tiles,
                charge=tiles,
                progress=partial(report, done),
            )
            found[offset : offset + len(searched)] = searched.array
            done += len(searched)
    return found


def with_blank_on(cell: int, domain: BoundDomain, shape: Shape, goal: str) -> BoundDomain:
    """Return the domain with another goal, in which the blank and the tile that belongs on a cell are exchanged."""
    tiles = goal_tiles(shape, goal).copy()
    tiles[goal_cells(shape, goal)[0]], tiles[cell] = tiles[cell], 0

    def goals(board: Board) -> Iterator[Board]:
        yield Board(tiles.reshape(board.shape))

    return replace(domain, component=replace(domain.component, goals=goals))


def lookups(progress: object, rows: int, columns: int, groups: str, goal: str, dual: bool) -> NDArray[np.int64]:
    """Return `DualLayout.lookups`, or an array of one dimension without dual lookups."""
    if not dual:
        return np.zeros(1, np.int64)
    shape = rows, columns
    return DualLayout(PartitionLayout(parse_groups(groups, shape, goal), shape, goal)).lookups
