"""Boards as SVG, without a library: one board, or a strip of boards with the moves between them.

A cell is 100 units wide. A large board is shown without its middle, as on a terminal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

from searchlab.board.display import FOLDED_SIDE, board_label, hue_color, ink, power_color, shown_positions
from searchlab.errors.cached import cached_property
from searchlab.errors.control_characters import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from searchlab.binding.motions import Motion
    from searchlab.board.board import Board
    from searchlab.reports.pictures import Pictures

CELL, GAP, BORDER, FOLD = 100, 8, 10, 40
"""The side of a cell, the gap between two cells, the border around all cells, and the width of an omitted middle."""
LARGEST_TEXT = 44
LETTER_WIDTH = 0.7
"""Of a bold digit, as a share of the text's size."""


@dataclass(frozen=True)
class Palette:
    """The colours of the tiles of some boards: a tile has the same colour in all of them.

    Attributes:
        largest: the largest tile.
        of_powers: whether all tiles are powers of two from 2 on, which use the colours of 2048.
        lowest: the lowest tile if it is negative, else 0.
    """

    largest: int
    of_powers: bool
    lowest: int = 0

    @classmethod
    def of(cls, boards: Iterable[Board]) -> Palette:
        """Return the colours for these boards."""
        largest, lowest, of_powers = 0, 0, True
        for board in boards:
            tiles = board.tiles
            largest, lowest = max(largest, board.largest_tile()), min(lowest, int(tiles.min()))
            of_powers = of_powers and not ((tiles & (tiles - 1)) | (tiles == 1)).any()
        return cls(largest, of_powers, lowest)

    def fill(self, tile: int) -> str:
        """Return the background of a tile, as #rrggbb."""
        if self.of_powers:
            return power_color(tile)
        return hue_color((tile - self.lowest) / max(1, self.largest - self.lowest))

    def ink(self, tile: int) -> str:
        """Return the colour of the number on a tile."""
        return ink(self.fill(tile))


@dataclass(frozen=True)
class Geometry:
    """The positions of the cells of boards of one shape.

    Attributes:
        shape: rows and columns.
    """

    shape: tuple[int, int]

    @cached_property
    def rows(self) -> list[int | None]:
        """The rows that are shown, with None in place of omitted ones."""
        return shown_positions(self.shape[0], FOLDED_SIDE)

    @cached_property
    def columns(self) -> list[int | None]:
        """The columns that are shown, with None in place of omitted ones."""
        return shown_positions(self.shape[1], FOLDED_SIDE)

    @cached_property
    def cells(self) -> list[tuple[int, int]]:
        """The cells that are shown, row by row."""
        columns = [column for column in self.columns if column is not None]
        return [(row, column) for row in self.rows if row is not None for column in columns]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """The upper left corner of each of them, as (x, y)."""
        xs, ys = _starts(self.columns)[0], _starts(self.rows)[0]
        return [(xs[column], ys[row]) for row, column in self.cells]

    @property
    def width(self) -> int:
        """Of the whole board."""
        return _starts(self.columns)[1]

    @property
    def height(self) -> int:
        """Of the whole board."""
        return _starts(self.rows)[1]


def _starts(shown: Sequence[int | None]) -> tuple[dict[int, int], int]:
    """Return the start of each row or column, and the end of the board."""
    at, starts = BORDER, {}
    for position in shown:
        if position is None:
            at += FOLD + GAP
        else:
            starts[position] = at
            at += CELL + GAP
    return starts, at - GAP + BORDER


def text_size(text: str) -> float:
    """Return the size of a tile's text that fits into the tile.

    >>> text_size("16"), text_size("2048")
    (44, 30.0)
    """
    return min(LARGEST_TEXT, round(0.84 * CELL / (LETTER_WIDTH * max(1, len(text))), 1))


def board_group(board: Board, palette: Palette) -> Markup:
    """Return the cells and tiles of a board as the content of an SVG element."""
    geometry = Geometry(board.shape)
    pieces = [
        f'<rect class="tray" width="{geometry.width}" height="{geometry.height}" rx="14"/>',
        *(f'<rect class="slot" x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="8"/>' for x, y in geometry.places),
    ]
    for (row, column), (x, y) in zip(geometry.cells, geometry.places, strict=True):
        tile = board.tile_at(row, column)
        if tile:
            pieces.append(
                f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="8" fill="{palette.fill(tile)}"/>'
                f'<text x="{x + CELL // 2}" y="{y + CELL // 2}" dy=".35em" font-size="{text_size(str(tile)):g}" '
                f'fill="{palette.ink(tile)}">{tile}</text>'
            )
    return Markup("".join(pieces))


def board_svg(board: Board, palette: Palette | None = None) -> Markup:
    """Return a board as an SVG element for a page with a style sheet for tray, slot and text."""
    geometry = Geometry(board.shape)
    return Markup('<svg class="board" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        geometry.width, geometry.height, board_label(board), board_group(board, palette or Palette.of([board]))
    )


def animated_boards(
    boards: Sequence[Board], motions: Sequence[Sequence[Motion] | None], palette: Palette
) -> dict[str, Any]:
    """Return boards of one shape, and the motions between them, as `board.js` draws them.

    Args:
        boards: the boards, one after another.
        motions: the motions from each board to the next; None if unknown.
        palette: the colours of the tiles.

    Returns:
        width, height and `places` of the shown cells; `faces`, the appearance of the tiles, the blank first; `boards`
            as indexes of faces; `motions` as alternating numbers of source and target, -1 for a tile that vanishes.
    """
    geometry = Geometry(boards[0].shape)
    faces: dict[int, int] = {0: 0}
    indexes = [
        [faces.setdefault(board.tile_at(*cell), len(faces)) for cell in Geometry(board.shape).cells] for board in boards
    ]
    number_of = {cell: number for number, cell in enumerate(geometry.cells)}
    return {
        "width": geometry.width,
        "height": geometry.height,
        "places": geometry.places,
        "faces": [face(tile, palette) if tile else [] for tile in faces],
        "boards": indexes,
        "motions": [None if each is None else _shown_motions(each, number_of) for each in motions],
    }


def face(tile: int, palette: Palette) -> list[Any]:
    """Return the appearance of a tile: text, background colour, text colour, and font size."""
    return [str(tile), palette.fill(tile), palette.ink(tile), text_size(str(tile))]


def _shown_motions(motions: Sequence[Motion], number_of: dict[tuple[int, int], int]) -> list[int]:
    """Return the motions between shown cells, as alternating numbers of source and target, -1 for nowhere."""
    flat: list[int] = []
    for source, target in motions:
        there = -1 if target is None else number_of.get(target)
        if source in number_of and there is not None:
            flat += [number_of[source], there]
    return flat


IMAGE_WIDTH = 4 * CELL
"""The width of a board that the domain draws."""
VIEW_BOX = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def scaled(image: str, width: int) -> tuple[str, int, int]:
    """Return an SVG as an image to embed in another SVG, with its width and height; without a size it is a square.

    Inside an image no script runs and nothing is loaded, whatever a plugin has drawn.
    """
    size = VIEW_BOX.match(image)
    height = round(width * float(size[2]) / float(size[1])) if size else width
    return f'<image width="{width}" height="{height}" href="data:image/svg+xml,{quote(image)}"/>', width, height


STYLE = """
.tray { fill: #8884 } .slot { fill: #8883 }
text { font-family: system-ui, sans-serif; font-weight: 600; text-anchor: middle }
.note { font-weight: 400; fill: #333 }
@media (prefers-color-scheme: dark) { .note { fill: #ddd } }
"""
SCALE = 0.2
"""Pixels per unit if no size is given for a strip."""
STRIP_NOTE, STRIP_GAP = 60, 70
"""The height of the line below a board of a strip, and the room between two boards."""
MOST_IN_STRIP, STRIP_COLUMNS = 24, 8
"""The largest number of boards in a strip, and the number of boards in a row of it."""


def strip_svg(
    boards: Sequence[Board],
    actions: Sequence[str],
    *,
    between: tuple[int, int] | None = None,
    title: str,
    pictures: Pictures | None = None,
) -> str:
    """Return boards side by side, with the moves between them, as an SVG file.

    Args:
        boards: the boards, the start first.
        actions: the move to each board after the first.
        between: the numbers of the first and the last board, the start being 0; by default all. Of more than
            `MOST_IN_STRIP` boards, both ends are shown.
        title: a description for people who cannot see the picture.
        pictures: draws the boards, if they are images; otherwise they are drawn as tiles.
    """
    palette = Palette.of(boards)

    def drawn(number: int) -> tuple[str, int, int]:
        """Return a board as a piece of SVG, with its width and height."""
        if pictures and pictures.are_images:
            return scaled(pictures.draw(boards[number], boards[:number]), IMAGE_WIDTH)
        geometry = Geometry(boards[number].shape)
        return board_group(boards[number], palette), geometry.width, geometry.height

    first, last = between or (0, len(boards) - 1)
    shown = [None if place is None else first + place for place in shown_positions(last + 1 - first, MOST_IN_STRIP)]
    cells = {number: drawn(number) for number in shown if number is not None}
    width = max(wide for _, wide, _ in cells.values()) + STRIP_GAP
    height = max(high for _, _, high in cells.values()) + STRIP_NOTE
    pieces = []
    for place, number in enumerate(shown):
        line, column = divmod(place, STRIP_COLUMNS)
        x, y = column * width, line * (height + STRIP_GAP // 2)
        if number is None:
            left_out = last + 1 - first - sum(position is not None for position in shown)
            middle = f'x="{x + (width - STRIP_GAP) // 2}"'
            pieces.append(f'<text class="note" {middle} y="{y + height // 2 - 40}" font-size="60">⋯</text>')
            pieces.append(
                f'<text class="note" {middle} y="{y + height // 2 + 20}" font-size="36">{left_out} more</text>'
            )
            continue
        board, wide, high = cells[number]
        note = "start" if number == 0 else f"{number}. {actions[number - 1]}"
        text = min(36, round(1.6 * (width - STRIP_GAP // 2) / max(1, len(note)), 1))
        pieces.append(f'<g transform="translate({x} {y})">{board}')
        pieces.append(
            f'<text class="note" x="{wide // 2}" y="{high + STRIP_NOTE // 2}" '
            f'font-size="{text:g}">{escape(one_line(note))}</text></g>'
        )
    lines = -(-len(shown) // STRIP_COLUMNS)
    whole = min(len(shown), STRIP_COLUMNS) * width - STRIP_GAP, lines * (height + STRIP_GAP // 2) - STRIP_GAP // 2
    content = f"<title>{escape(one_line(title))}</title><style>{STYLE}</style>{''.join(pieces)}"
    size = f'viewBox="0 0 {whole[0]} {whole[1]}" width="{whole[0] * SCALE:g}" height="{whole[1] * SCALE:g}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">{content}</svg>\n'
