"""Draw boards on a page without tiles: as images of the domain, or as lines of text.

An image is an `img` element with the SVG in its address, so that nothing in it runs or is loaded. Images of one game
differ little, for example in a position on a map, so their common beginning and end are stored once per page.
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
    from searchlab.model.states import State

LARGEST_PICTURES = 2**24
"""The most characters that the pictures of a page take without being asked for."""
ENDS = ("", "")


@dataclass(frozen=True)
class Pictures:
    """Draws boards in place of tiles.

    Attributes:
        draw: `(board, path)`: returns a picture; `path` is the sequence of boards that led to this one, the start
            first.
        are_images: whether the pictures are SVG instead of lines of text.
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
    """Yield each board of a sequence together with the boards before it."""
    return ((board, boards[:number]) for number, board in enumerate(boards))


def own_pictures(domain: BoundDomain | None, boards: Sequence[Board]) -> Pictures | None:
    """Return the pictures for the boards of a recording or a search, the start first; None if they are drawn as tiles.

    Boards are also drawn as tiles if pictures would make the page too large to open.
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
    """Return the ways in which a domain draws boards, the best first; the text form if tiles alone are meaningless.

    On a board with a single tile, the tile is the number of a place; 0 is a place as well, not a blank.
    """
    if domain is None:
        return []
    found, is_place = [], board is not None and board.tiles.size == 1
    if domain.component.views.svg is not None:
        found.append(Pictures(lambda board, path: domain.svg(board, path) or "", are_images=True))
    if domain.component.views.picture is not None:
        found.append(Pictures(lambda board, path: click.unstyle(domain.picture(board, path) or "")))
    elif domain.component.files.format is not None and (is_place or domain.instance is not None):
        found.append(Pictures(lambda board, path: domain.format(board)))
    elif is_place:
        found.append(Pictures(lambda board, path: str(board.tile_at(0, 0))))
    return found


def state_pictures(domain: BoundDomain, states: Sequence[State]) -> Pictures:
    """Return the pictures of states that are not boards: as the domain draws them, else their texts.

    If a picture fails, a warning says so, and the texts are used.
    """
    try:
        if domain.component.views.svg is not None:
            domain.svg(states[0])
            return Pictures(lambda state, path: domain.svg(state, path) or "", are_images=True)
        if domain.component.views.picture is not None:
            domain.picture(states[0])
            return Pictures(lambda state, path: click.unstyle(domain.picture(state, path) or ""))
    except PluginError as error:
        warnings.warn(f"{error}; states are shown without it", SearchlabWarning, stacklevel=2)
    return Pictures(lambda state, path: domain.states.text(state))


def shared_ends(texts: Sequence[str]) -> tuple[str, str]:
    """Return the common beginning and end of texts.

    >>> shared_ends(["<a 1>", "<a 21>"])
    ('<a ', '1>')
    """
    begin = common_beginning(texts)
    return begin, common_beginning([text[len(begin) :][::-1] for text in texts])[::-1]


def common_beginning(texts: Sequence[str]) -> str:
    """Return the common beginning of texts, which is that of the first and the last in alphabetical order."""
    first, last = min(texts), max(texts)
    alike = next((place for place, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), None)
    return first[:alike]


def without(text: str, ends: tuple[str, str]) -> str:
    """Return a text without a beginning and an end."""
    begin, end = ends
    return text[len(begin) : len(text) - len(end)]


def picture_data(pictures: Sequence[str], *, are_images: bool) -> dict[str, Any]:
    """Return pictures for the scripts of pages: common beginning and end as `image`, and the parts between them."""
    if not are_images:
        return {"pictures": [escaped(picture) for picture in pictures]}
    ends = shared_ends(pictures)
    return {"image": list(ends), "pictures": [without(picture, ends) for picture in pictures]}
