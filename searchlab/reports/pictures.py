"""How a page shows boards that are not drawn as tiles: as images of the domain, or as lines of text.

An image is an `img` with the SVG in its address, so that nothing in it runs or is loaded. Images of one game differ
little, a position on a map; what all of them begin and end with is on a page once.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click
from markupsafe import Markup

from searchlab.board.display import board_label
from searchlab.errors import PluginError, SearchlabWarning
from searchlab.errors.control_characters import escaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board

LARGEST_PICTURES = 2**24
"""The most characters that the pictures of a page take without being asked for."""
ENDS = ("", "")


@dataclass(frozen=True)
class Pictures:
    """What draws boards in place of tiles.

    Attributes:
        draw: `(board, path)`: returns a picture; `path` are the boards that led to this one, the start first.
        are_images: whether the pictures are SVG, and not lines of text.
    """

    draw: Callable[[Board, Sequence[Board]], str]
    are_images: bool = False

    def element(self, board: Board, path: Sequence[Board] = ()) -> Markup:
        """Return a board as an element of a page."""
        return picture_element(self.draw(board, path), board, is_image=self.are_images)


def picture_element(picture: str, board: Board, *, is_image: bool) -> Markup:
    """Return the picture of a board as an element of a page."""
    if is_image:
        address = f"data:image/svg+xml,{quote(picture)}"
        return Markup('<img class="board" src="{}" alt="{}">').format(address, board_label(board))
    return Markup('<pre class="board">{}</pre>').format(escaped(picture))


def with_paths(boards: Sequence[Board]) -> Iterator[tuple[Board, Sequence[Board]]]:
    """Yield each of the boards that follow one another, and those before it."""
    return ((board, boards[:number]) for number, board in enumerate(boards))


def own_pictures(domain: BoundDomain | None, boards: Sequence[Board]) -> Pictures | None:
    """Return what draws the boards of a recording or a search, the start first, None where they are drawn as tiles.

    They are drawn as tiles, too, where the pictures would make a page too large to be opened.
    """
    for pictures in choices(domain, boards[0]):
        try:
            first, last = pictures.draw(boards[0], ()), pictures.draw(boards[-1], boards[:-1])
        except PluginError as error:
            warnings.warn(f"{error}; boards are drawn without it", SearchlabWarning, stacklevel=2)
            continue
        begin, end = shared_ends([first, last]) if pictures.are_images else ENDS
        if (max(len(first), len(last)) - len(begin) - len(end)) * len(boards) <= LARGEST_PICTURES:
            return pictures
    return None


def choices(domain: BoundDomain | None, board: Board | None) -> list[Pictures]:
    """Return the ways in which a domain draws boards, the best first; its text form where tiles alone say nothing.

    The only tile of a board is the number of a place rather than a tile that is there or not: 0 is a place as well.
    """
    if domain is None:
        return []
    found, is_place = [], board is not None and board.tiles.size == 1
    if domain.component.svg is not None:
        found.append(Pictures(lambda board, path: domain.svg(board, path) or "", are_images=True))
    if domain.component.picture is not None:
        found.append(Pictures(lambda board, path: click.unstyle(domain.picture(board, path) or "")))
    elif domain.component.format is not None and (is_place or domain.instance is not None):
        found.append(Pictures(lambda board, path: domain.format(board)))
    elif is_place:
        found.append(Pictures(lambda board, path: str(board.tile_at(0, 0))))
    return found


def shared_ends(texts: Sequence[str]) -> tuple[str, str]:
    """Return what texts begin and end with, all of them.

    >>> shared_ends(["<a 1>", "<a 21>"])
    ('<a ', '1>')
    """
    begin = common_beginning(texts)
    return begin, common_beginning([text[len(begin) :][::-1] for text in texts])[::-1]


def common_beginning(texts: Sequence[str]) -> str:
    """Return what all texts begin with: what the first and the last in alphabetical order begin with."""
    first, last = min(texts), max(texts)
    alike = next((place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    return first[:alike]


def without(text: str, ends: tuple[str, str]) -> str:
    """Return a text without its ends."""
    begin, end = ends
    return text[len(begin) : len(text) - len(end)]


def picture_data(pictures: Sequence[str], *, are_images: bool) -> dict[str, Any]:
    """Return pictures for the scripts of pages: `image`, both ends of all of them, and what is between these ends."""
    if not are_images:
        return {"pictures": [escaped(picture) for picture in pictures]}
    ends = shared_ends(pictures)
    return {"image": list(ends), "pictures": [without(picture, ends) for picture in pictures]}
