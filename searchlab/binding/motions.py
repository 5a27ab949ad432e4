"""Motions: the moving tiles of a move, as a domain declares them, and their result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    Cell = tuple[int, int]


class Motion(NamedTuple):
    """A moving tile.

    Attributes:
        source: row and column before the move.
        target: row and column after it; None for a tile that vanishes.
    """

    source: Cell
    target: Cell | None


def checked_motion(item: Any) -> Motion:
    """Return an item of a domain's `motions` as a Motion with plain numbers.

    Raises:
        TypeError, ValueError: the item is invalid.
    """
    source, target = item
    return Motion(_cell(source), None if target is None else _cell(target))


def _cell(item: Any) -> Cell:
    row, column = item
    return row.__index__(), column.__index__()


def arrivals(motions: Sequence[Motion], tiles: NDArray[np.int64]) -> dict[Cell, list[Cell]]:
    """Return the cells from which tiles come to each cell; a tile that stays comes from the cell itself."""
    columns = tiles.shape[1]
    moving = {motion.source for motion in motions}
    cells = (divmod(cell, columns) for cell in tiles.ravel().nonzero()[0].tolist())
    found: dict[Cell, list[Cell]] = {cell: [cell] for cell in cells if cell not in moving}
    for motion in motions:
        if motion.target is not None:
            found.setdefault(motion.target, []).append(motion.source)
    return found


def why_impossible(motions: Sequence[Motion], tiles: NDArray[np.int64], after: NDArray[np.int64]) -> str:
    """Return the reason why motions cannot lead from some tiles to others, or `""` if they can.

    Args:
        motions: the motions of the moving tiles.
        tiles: the face values before the move, shape (rows, columns).
        after: the face values after it.

    >>> import numpy as np
    >>> before, after = np.array([[2, 0, 2]]), np.array([[4, 0, 2]])
    >>> why_impossible([Motion((0, 2), (0, 0))], before, after)
    ''
    >>> why_impossible([], before, after)
    'the 2 at row 1, column 1 stays, and there is a 4 after it'
    """
    moving: set[Cell] = set()
    for source, target in motions:
        if not _is_on(source, tiles) or not tiles[source]:
            return f"a tile moves from {_place(source)}, which is blank"
        if source in moving:
            return f"the {tiles[source]} at {_place(source)} moves twice"
        moving.add(source)
        if target is not None and (not _is_on(target, after) or not after[target]):
            return f"the {tiles[source]} at {_place(source)} moves to {_place(target)}, which is blank after the move"
    for target, sources in arrivals(motions, tiles).items():
        if len(sources) > 1:
            continue
        (source,) = sources
        tile, there = tiles[source], after[target] if _is_on(target, after) else 0
        if tile != there:
            moves = "stays" if source == target else f"moves to {_place(target)}"
            return f"the {tile} at {_place(source)} {moves}, and there is {f'a {there}' if there else 'none'} after it"
    return ""


def _is_on(cell: Cell, tiles: NDArray[np.int64]) -> bool:
    return all(0 <= position < side for position, side in zip(cell, tiles.shape, strict=True))


def _place(cell: Cell) -> str:
    return f"row {cell[0] + 1}, column {cell[1] + 1}"
