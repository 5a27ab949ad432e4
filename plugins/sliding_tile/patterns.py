"""Partitions of the tiles into patterns, and the layout of their distances in one array.

A pattern is a group of tiles. Named partitions are given for the goal with the blank first, as they were published. For
the goal with the blank last they are rotated by 180 degrees, which takes one goal to the other. For any other goal, and
for boards that are not square, the default groups are consecutive tiles of the goal, row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import perm
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab import UsageError, one_bits
from searchlab_plugins.sliding_tile.goals import BLANK_FIRST, BLANK_LAST, Shape, goal_cells, goal_tiles
from searchlab_plugins.sliding_tile.packed import I, neighbors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Groups = tuple[tuple[int, ...], ...]

WHOLE = "8"
NAMED: dict[str, tuple[int, Groups]] = {
    "4-4": (3, ((1, 2, 3, 4), (5, 6, 7, 8))),
    "3": (2, (tuple(range(1, 4)),)),
    WHOLE: (3, (tuple(range(1, 9)),)),
    "5-5-5": (4, ((1, 4, 5, 8, 9), (2, 3, 6, 7, 10), (11, 12, 13, 14, 15))),
    "6-6-3": (4, ((3, 6, 7, 10, 11, 15), (1, 2, 4, 5, 8, 9), (12, 13, 14))),
    "7-8": (4, (tuple(range(1, 8)), tuple(range(8, 16)))),
    "4-4-4-4-4-4": (
        5,
        ((1, 2, 6, 7), (3, 4, 8, 9), (5, 10, 11, 12), (15, 16, 20, 21), (13, 14, 18, 19), (17, 22, 23, 24)),
    ),
    "6-6-6-6": (
        5,
        ((1, 2, 5, 6, 7, 12), (3, 4, 8, 9, 13, 14), (10, 11, 15, 16, 20, 21), (17, 18, 19, 22, 23, 24)),
    ),
}
"""The named partitions: the side of the board, and the groups for the goal with the blank first. 6-6-3 and 7-8 of the
15-puzzle and 6-6-6-6 of the 24-puzzle are from Korf and Felner (2002)."""
DEFAULTS = {2: "3", 3: "4-4", 4: "5-5-5", 5: "4-4-4-4-4-4"}
"""The partitions with tables that are built in seconds, by the side of the board."""
MOST_CELLS = 25
MOST_GROUPS = 6
"""The most groups: their distances share a word with the sum."""
WORD_BITS = 60
WORDS = 2
DENSE_BITS = 24
"""The most bits of an index that is made of the cells of the tiles, which is faster than an index by rank."""
GROUP, WORD, FIELDS = 0, 1, 2
"""The columns of `PartitionLayout.tiles`."""
BITS, START, COUNT, MASK, OFFSET, CELLS = range(6)
"""The columns of `PartitionLayout.groups`."""


def parse_groups(text: str, shape: Shape, goal: str) -> Groups:
    """Return the tiles of each group of a partition.

    Args:
        text: a name; or groups separated by slashes, with tiles separated by blanks; empty for the default.
        shape: the shape of the board.
        goal: the goal.

    >>> parse_groups("1 2 3 4/5 6 7 8", (3, 3), "blank-last")
    ((1, 2, 3, 4), (5, 6, 7, 8))

    Raises:
        UsageError: the text is invalid, or the groups do not contain each tile of the board once.
    """
    cells = shape[0] * shape[1]
    if cells > MOST_CELLS:
        raise UsageError(f"pattern-database is for boards of up to {MOST_CELLS} cells, not {shape[0]} × {shape[1]}")
    is_published = shape[0] == shape[1] and goal in (BLANK_LAST, BLANK_FIRST)
    if not text and not is_published:
        return in_order(shape, goal)
    named = text or DEFAULTS[shape[0]]
    if named in NAMED:
        side, groups = NAMED[named]
        if shape != (side, side):
            fitting = [name for name, (of, _) in NAMED.items() if shape == (of, of)]
            hint = f"for {side_text(shape)} there are {' and '.join(fitting)}, and" if fitting else "name"
            raise UsageError(f"groups={named} is for boards of {side} × {side}: {hint} tiles like 1 2 3/4 5 6")
        if len(groups) > 1 and not is_published:
            raise UsageError(f"groups={named} is for goal={BLANK_LAST} and {BLANK_FIRST}: name tiles like 1 2 3/4 5 6")
        return tuple(tuple(cells - t for t in group) for group in groups) if goal == BLANK_LAST else groups
    fault = check_groups(text)
    if fault:
        raise UsageError(f"groups={text}: {fault}")
    groups = _listed(text)
    foreign = next((t for group in groups for t in group if not 0 < t < cells), None)
    if foreign is not None:
        raise UsageError(f"groups={text}: the tiles of {side_text(shape)} are 1 … {cells - 1}, and {foreign} is none")
    return groups


def side_text(shape: Shape) -> str:
    """Return the rows and columns of a board for a message."""
    return f"{shape[0]} × {shape[1]}"


def in_order(shape: Shape, goal: str) -> Groups:
    """Return the default partition for any goal: consecutive tiles of the goal, five or four per group.

    >>> in_order((3, 3), "snail")
    ((1, 2, 3, 8), (4, 7, 6, 5))
    """
    tiles = [tile for tile in goal_tiles(shape, goal).tolist() if tile]
    most = 5 if len(tiles) < 16 and len(tiles) != 8 else 4
    return tuple(tuple(tiles[start : start + most]) for start in range(0, len(tiles), most))


def _listed(text: str) -> Groups:
    return tuple(tuple(map(int, group.split())) for group in text.split("/"))


def check_groups(text: str) -> str:
    """Return an error message for a partition that is invalid for any board, or `""`."""
    if not text or text in NAMED:
        return ""
    try:
        groups = _listed(text)
    except ValueError:
        groups = ()
    if not groups or not all(groups):
        return f"tiles are written 1 2 3/4 5 6; {', '.join(NAMED)} are names"
    tiles = [tile for group in groups for tile in group]
    if len(set(tiles)) < len(tiles):
        twice = next(tile for tile in tiles if tiles.count(tile) > 1)
        return f"the tile {twice} is there twice, and its moves would count twice"
    return "" if len(groups) <= MOST_GROUPS else f"there are up to {MOST_GROUPS} groups"


@dataclass(frozen=True)
class DistanceTable:
    """A table of distances, shared by groups that are equal up to rotation and reflection.

    Attributes:
        tiles: the tiles of the table.
        offset: the position of the first entry in the array of all tables.
        is_dense: whether the index is made of the cells of the tiles, instead of being a rank.
    """

    tiles: tuple[int, ...]
    offset: int
    is_dense: bool


@dataclass(frozen=True)
class PartitionLayout:
    """The layout of the lookups of a partition.

    The cells of all tiles are kept in two words, with a field for each tile; the fields of a group are adjacent. A
    field holds the cell after the rotation or reflection that takes the group to the tiles of its table.

    Attributes:
        parts: the partition.
        shape: the shape of the board.
        goal: the goal.
    """

    parts: Groups
    shape: Shape
    goal: str

    @property
    def cells(self) -> int:
        """The number of cells of the board."""
        return self.shape[0] * self.shape[1]

    @property
    def bits(self) -> int:
        """The number of bits of a cell."""
        return (self.cells - 1).bit_length()

    @property
    def fields_a_word(self) -> int:
        """The number of tiles with cells in one word."""
        return WORD_BITS // self.bits

    def placements(self, tiles: tuple[int, ...]) -> int:
        """Return the number of placements of tiles on the board."""
        return perm(self.cells, len(tiles))

    def size(self, tiles: tuple[int, ...]) -> tuple[int, bool]:
        """Return the number of entries of a table, and whether it is dense."""
        wide = self.bits * len(tiles)
        if wide <= DENSE_BITS and self.cells - 1 <= self.fields_a_word:
            return 1 << wide, True
        return self.placements(tiles), False

    @cached_property
    def shared(self) -> tuple[tuple[DistanceTable, tuple[int, ...], NDArray[np.int64]], ...]:
        """The table of each group, the tiles of the group in the table's order, and the table's cell for each cell."""
        found: list[tuple[DistanceTable, tuple[int, ...], NDArray[np.int64]]] = []
        end = 0
        for tiles in self.parts:
            match = next(filter(None, (self._match(tiles, table) for table, _, _ in found)), None)
            if match is None:
                size, is_dense = self.size(tiles)
                match = DistanceTable(tiles, end, is_dense), tiles, np.arange(self.cells)
                end += size
            found.append(match)
        return tuple(found)

    @property
    def tables(self) -> tuple[DistanceTable, ...]:
        """The different tables."""
        return tuple(dict.fromkeys(table for table, _, _ in self.shared))

    @property
    def entries(self) -> int:
        """The number of entries of all tables."""
        return sum(self.size(table.tiles)[0] for table in self.tables)

    def _match(
        self, tiles: tuple[int, ...], table: DistanceTable
    ) -> tuple[DistanceTable, tuple[int, ...], NDArray[np.int64]] | None:
        """Return the entry of `shared` for a group with the same distances as a table, or None for other groups."""
        if len(tiles) != len(table.tiles):
            return None
        belongs = goal_cells(self.shape, self.goal)
        tile_of = {int(belongs[tile]): tile for tile in tiles}
        region, wanted = self._goal_region(tiles), self._goal_region(table.tiles)
        for turn in symmetries(self.shape):
            back = np.argsort(turn)
            cells = [int(back[belongs[tile]]) for tile in table.tiles]
            # The final cell of the blank matters too: a table is for all goals with the blank in one region.
            if set(cells) == set(tile_of) and {int(turn[cell]) for cell in region} == wanted:
                return table, tuple(tile_of[cell] for cell in cells), turn
        return None

    def _goal_region(self, tiles: tuple[int, ...]) -> frozenset[int]:
        """Return the cells that the blank reaches from its goal cell without moving the tiles."""
        belongs = goal_cells(self.shape, self.goal)
        return region_of(int(belongs[0]), {int(belongs[tile]) for tile in tiles}, self.shape)

    @cached_property
    def tiles(self) -> NDArray[np.int64]:
        """The group (-1 for none) and the word of each tile, and the content of its field by cell.

        The shape is (2, cells, 2 + cells). The first half is for the board. The second half is for the mirror image, in
        which each tile and each cell is replaced by its image.
        """
        cells = self.cells
        rows = np.full((2, cells, FIELDS + cells), -1, np.int64)
        start = 0
        for group, (_, tiles, turn) in enumerate(self.shared):
            for place, tile in enumerate(reversed(tiles)):  # the first tile has the highest field
                word, field = divmod(start + place, self.fields_a_word)
                rows[0, tile, :FIELDS] = group, word
                rows[0, tile, FIELDS:] = turn << self.bits * field
            start += len(tiles)
        image = self.reflection
        belongs = goal_cells(self.shape, self.goal)
        tile_at = np.argsort(belongs)
        for tile in range(1, cells):
            twin = tile_at[image[belongs[tile]]]
            rows[1, tile, :FIELDS] = rows[0, twin, :FIELDS]
            rows[1, tile, FIELDS:] = rows[0, twin, FIELDS + image]
        return rows

    @property
    def reflection(self) -> NDArray[np.int64]:
        """The image of each cell under the reflection of the board: see the function `reflection`."""
        return reflection(self.shape, int(goal_cells(self.shape, self.goal)[0]))

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The position of the fields of each group, and how to find the entry in the table, shape (groups, 6).

        The columns are `BITS` of a field, `START`, the first bit of the group, `COUNT` of tiles, `MASK` of the index of
        a dense table (0 for an index by rank), `OFFSET` of the table, and `CELLS` of the board.
        """
        rows = np.zeros((len(self.parts), CELLS + 1), np.int64)
        start = 0
        for row, (table, tiles, _) in zip(rows, self.shared, strict=True):
            count = len(tiles)
            mask = (1 << self.bits * count) - 1 if table.is_dense else 0
            row[:] = self.bits, self.bits * start, count, mask, table.offset, self.cells
            start += count
        return rows


def region_of(cell: int, taken: set[int], shape: Shape) -> frozenset[int]:
    """Return the cells that the blank reaches from a cell without entering occupied cells."""
    region, reached = [cell], neighbors(shape)
    for entered in region:
        beside = reached[entered, : reached[entered, 4]].tolist()
        region += [other for other in beside if other not in taken and other not in region]
    return frozenset(region)


def symmetries(shape: Shape) -> Iterator[NDArray[np.int64]]:
    """Yield the rotations and reflections of a board, as the image of each cell, shape (cells,)."""
    cells = np.arange(shape[0] * shape[1]).reshape(shape)
    for quarter in range(4):
        turned = np.rot90(cells, quarter)
        for image in (turned, turned.T):
            if image.shape == shape:
                yield image.ravel()


def reflection(shape: Shape, blank: int) -> NDArray[np.int64]:
    """Return the image of each cell under a reflection that fixes the goal's blank, or the cells if there is none.

    The reflection in the main diagonal is preferred; it fixes a blank in the first or the last cell.
    """
    same = np.arange(shape[0] * shape[1])
    cells = same.reshape(shape)
    for image in (cells.T, cells[::-1, ::-1].T, cells[::-1], cells[:, ::-1]):
        if image.shape == shape and image.ravel()[blank] == blank:
            return image.ravel()
    return same


def looked_up(low: int, high: int, group: int, database: Any, parts: Any) -> int:
    """Look up the distance of a group by the two words with the cells of all tiles."""
    first, mask = parts[group, START], parts[group, MASK]
    if mask:
        index = (low >> first) & mask
    else:
        fields = low >> first | high << WORD_BITS - first if first < WORD_BITS else high >> first - WORD_BITS
        bits, free = parts[group, BITS], parts[group, CELLS]
        shift, cells, taken, index = bits * parts[group, COUNT], (1 << bits) - 1, 0, 0
        while shift > 0:
            shift -= bits
            below = (1 << ((fields >> shift) & cells)) - 1
            index = index * free + one_bits(below & ~taken)
            taken |= below + 1
            free -= 1
    distance: int = I(database[parts[group, OFFSET] + index])
    return distance
