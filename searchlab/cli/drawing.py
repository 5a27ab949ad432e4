"""Boards and moves for people: boards aligned, folded or drawn by a renderer, and the sequence that leads to a goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from searchlab.cli.layout import cut, side_by_side
from searchlab.cli.output import Styled, page_width, warn, with_colours, writes_to_terminal
from searchlab.errors import PluginError
from searchlab.errors.control_characters import escaped
from searchlab.model.display import moves_in_words
from searchlab.model.formatting import ELLIPSIS, counted, folded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.extensions import BoundRenderer
    from searchlab.board.board import Board
    from searchlab.plugins.registry import Plugins


SHORT = 6
"""Number of moves up to which every board is shown."""
SHOWN_ENDS = 2
"""Number of boards shown at each end of a longer sequence."""
MOST_LINES_OF_MOVES = 4
LARGEST_PICTURE = (64, 256)
"""The largest picture in lines and columns; larger boards are drawn without the domain's picture."""


class Drawer:
    """Draws boards of a domain with a renderer; without one, or after it failed, as the domain shows them.

    A domain shows boards by its picture, else in its text form.

    Args:
        domain: the game.
        renderer: the renderer, or None.
        colour: whether the output shows colours.
    """

    def __init__(self, domain: BoundDomain, renderer: BoundRenderer | None = None, *, colour: bool = False) -> None:
        self._domain = domain
        self._renderer = renderer
        self._colour = colour
        self._has_picture = domain.component.views.picture is not None

    @property
    def has_picture(self) -> bool:
        """Whether a renderer or the domain draws the boards, and they are no grids of tiles."""
        return self._renderer is not None or self._has_picture

    def text(self, board: Board) -> str:
        """Return a board as a transcript shows it."""
        picture = self._picture(board)
        return self._domain.format(board) if picture is None else picture

    @property
    def has_renderer(self) -> bool:
        """Whether a renderer draws the boards."""
        return self._renderer is not None

    @property
    def draws_paths(self) -> bool:
        """Whether one picture shows all the boards on the way to the last."""
        return self._renderer is None and self._has_picture and self._domain.draws_paths

    def path(self, boards: Sequence[Board], width: int) -> list[str] | None:
        """Return the lines of the picture that shows the way to the last board, or None."""
        picture = self._picture(boards[-1], boards[:-1])
        return None if picture is None else [cut(Styled(line), width) for line in picture.splitlines()]

    def blocks(self, boards: Sequence[Board], width: int) -> list[list[str]]:
        """Return the lines of each board, none wider than `width`; all boards are drawn in the same way."""
        pictures = [picture for picture in map(self._picture, boards) if picture is not None]
        from searchlab.model.states import is_board  # late: it imports NumPy

        if len(pictures) < len(boards) and not is_board(boards[0]):
            return [[cut(Styled(self._domain.states.text(state)), width)] for state in boards]
        if len(pictures) < len(boards):
            return board_blocks(boards, self._domain, width)
        return [[cut(Styled(line), width) for line in picture.splitlines()] for picture in pictures]

    def titled(self, titles: Sequence[str], boards: Sequence[Board]) -> Iterator[str]:
        """Yield the lines of boards with titles: side by side on a terminal, elsewhere one below the other."""
        if not writes_to_terminal():
            for title, board in zip(titles, boards, strict=True):
                yield title
                yield self.text(board)
            return
        width = page_width()
        blocks = self.blocks(boards, width)
        yield from side_by_side([[title, *block] for title, block in zip(titles, blocks, strict=True)], width)

    def _picture(self, board: Board, path: Sequence[Board] = ()) -> Styled | None:
        """Return the picture by the renderer or the domain, or None; one that fails is reported and not used again."""
        picture: str | None
        try:
            if self._renderer is not None:
                picture = self._renderer(board)
            else:
                picture = self._domain.picture(board, path) if self._has_picture else None
                self._has_picture = picture is not None and _is_small(picture)
                picture = picture if self._has_picture else None
        except PluginError as error:
            warn(f"{error}; boards are drawn without it")
            self._renderer, self._has_picture = None, self._renderer is not None and self._has_picture
            return self._picture(board, path)
        return None if picture is None else with_colours(picture if self._colour else click.unstyle(picture))


def _is_small(picture: str) -> bool:
    """Return whether a picture fits a terminal."""
    lines = picture.splitlines()
    most_lines, most_columns = LARGEST_PICTURE
    return len(lines) <= most_lines and max(map(len, lines), default=0) <= most_columns


def drawer(domain: BoundDomain, name: str | None, plugins: Plugins, *, colour: bool) -> Drawer:
    """Return a Drawer for a domain with the renderer of this name; None for the default.

    Raises:
        UsageError: the domain has no such renderer.
    """
    from searchlab.plugins import lookup

    renderer = None if name is None else lookup.renderer(name, domain=domain, plugins=plugins)
    return Drawer(domain, renderer, colour=colour)


def board_blocks(boards: Sequence[Board], domain: BoundDomain, width: int) -> list[list[str]]:
    """Return the lines of each board, none wider than `width`; the columns of all boards are equally wide."""
    blocks = [_cells(board, domain) for board in boards]
    widest = max((len(cell) for block in blocks for row in block if len(row) > 1 for cell in row), default=1)
    return [[_line(row, widest, width) for row in block] for block in blocks]


def _line(row: list[str], cell: int, width: int) -> str:
    """Return a row of a board, without its middle if it is wider than `width`."""
    from searchlab.board.display import shown_positions

    if len(row) == 1:
        return cut(row[0], width)
    places = shown_positions(len(row), max(3, (width + 1) // (cell + 1)))
    return " ".join((ELLIPSIS if place is None else row[place]).rjust(cell) for place in places)


def _cells(board: Board, domain: BoundDomain) -> list[list[str]]:
    """Return the texts of a board row by row; one text per row if the domain's form is not a grid."""
    from searchlab.board.display import FOLDED_SIDE, shown_positions

    rows, columns = board.shape
    if max(rows, columns) > FOLDED_SIDE:
        shown_columns = shown_positions(columns, FOLDED_SIDE)
        shown = [
            [ELLIPSIS if None in (row, column) else str(board.tiles[row, column]) for column in shown_columns]
            if row is not None
            else [ELLIPSIS]
            for row in shown_positions(rows, FOLDED_SIDE)
        ]
        return [*shown, [f"({rows} × {columns})"]]
    cells = grid(board, domain)
    return [[line] for line in escaped(domain.format(board)).splitlines()] if cells is None else cells


def grid(board: Board, domain: BoundDomain) -> list[list[str]] | None:
    """Return the texts of a board's tiles row by row; None if the domain's form is not a grid."""
    rows, columns = board.shape
    lines = [line.split() for line in escaped(domain.format(board)).splitlines()]
    if lines and lines[0] in ([str(rows)], [str(rows), str(columns)]):
        lines = lines[1:]
    return lines if len(lines) == rows and all(len(line) == columns for line in lines) else None


def move_lines(actions: Sequence[str], width: int) -> list[str]:
    """Return the moves in a few lines, repeated moves as `down ×3`; the end of a long sequence is left out."""
    runs = moves_in_words(actions)
    texts = [text for text, _ in runs]
    lines = folded([*(f"{text}," for text in texts[:-1]), texts[-1]], width)
    if len(lines) <= MOST_LINES_OF_MOVES:
        return lines
    shown = lines[:MOST_LINES_OF_MOVES]
    left_out = sum(times for _, times in runs[sum(line.count(",") for line in shown) :])
    return [*shown, f"… and {counted(left_out, 'more move')}"]


def board_lines(
    boards: Sequence[Board], actions: Sequence[str], drawer: Drawer, width: int, printing: str
) -> list[str]:
    """Return the boards, each below the move that led to it; of many only the first and the last.

    If one picture shows the way to the last board, it is the only one.

    Args:
        boards: the start, and the board after each action.
        actions: the moves.
        drawer: draws the boards.
        width: the width of the page.
        printing: the options that print all boards, for the note on omitted ones.
    """
    path = drawer.path(boards, width) if drawer.draws_paths else None
    if path is not None:
        return path
    titles = ["start", *(f"{number} {action}" for number, action in enumerate(actions, 1))]
    short = len(boards) <= SHORT + 1
    shown = [n for n in range(len(boards)) if short or not SHOWN_ENDS <= n < len(boards) - SHOWN_ENDS]
    lines = drawer.blocks([boards[n] for n in shown], width)
    blocks = [[titles[n], *block] for n, block in zip(shown, lines, strict=True)]
    if short:
        return side_by_side(blocks, width)
    from searchlab.model.states import is_board  # late: it imports NumPy

    left_out = counted(len(boards) - len(shown), "board" if is_board(boards[0]) else "state")
    return [
        *side_by_side(blocks[:SHOWN_ENDS], width),
        "",
        *folded(f"… {left_out} left out; {printing} …".split(), width),
        "",
        *side_by_side(blocks[SHOWN_ENDS:], width),
    ]
