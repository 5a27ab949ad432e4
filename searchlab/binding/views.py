"""BoundViews: the part of a BoundDomain that calls the functions of its `Views`."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from searchlab.binding.bound import Bound, fill_arguments
from searchlab.binding.motions import Motion, checked_motion, why_impossible
from searchlab.board.board import Board
from searchlab.errors import PluginCode, shown
from searchlab.errors.cached import cached_property
from searchlab.model.component import extra_parameters
from searchlab.model.domain import PATH, PROVED, TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from searchlab.model.domain import Domain
    from searchlab.model.games import Turn
    from searchlab.model.instance import Instance
    from searchlab.model.states import State


class BoundViews(Bound):
    """The pictures, motions, remarks and transcripts of a domain."""

    component: Domain

    def at(self, board: Board | Instance | str | Path | State) -> tuple[Self, Board]:
        """Return the domain with the static data of a state, and the state."""
        raise NotImplementedError

    def format(self, board: Board | Instance | str | Path) -> str:
        """Return the text form of a board."""
        raise NotImplementedError

    def motions(self, board: Board, action: str, after: Board) -> tuple[Motion, ...] | None:
        """Return the motion of each tile that a move moves, or None if the domain does not declare motions.

        Args:
            board: the board before the move.
            action: the move's name.
            after: the board the move leads to.
        """
        function = self.component.views.motions
        if function is None or not isinstance(board, Board):
            return None
        listed = self._each(function, self._wrap(function, 3)(board, action, after), checked_motion)
        motions = tuple(islice(listed, board.tiles.size + 1))
        wrong = why_impossible(motions, board.tiles, after.tiles)
        if wrong:
            raise self._wrong("motions", f"says of the move {action} that {wrong}")
        return motions

    def picture(self, board: Board | Instance | str | Path, path: Sequence[Board] = ()) -> str | None:
        """Return the picture of a board as lines of text, or None if the domain has none.

        Args:
            path: the boards that led to it, the start first, for pictures that show them.
        """
        domain, board = self.at(board)
        return domain._drawn("views.picture", board, path) if self.component.views.picture else None

    def svg(self, board: Board | Instance | str | Path, path: Sequence[Board] = ()) -> str | None:
        """Return a board as an image in SVG, or None if the domain has none.

        Args:
            path: the boards that led to it, the start first, for images that show them.

        Raises:
            PluginError: the function fails, or returns something other than a text that begins with `<svg`.
        """
        if self.component.views.svg is None:
            return None
        domain, board = self.at(board)
        image = domain._drawn("views.svg", board, path)
        if not image.startswith("<svg "):
            raise self._wrong("svg", f"returned {shown(image, 40)}, which does not begin with '<svg '")
        return image

    @cached_property
    def draws_paths(self) -> bool:
        """Whether the picture shows the boards that led to one."""
        function = self.component.views.picture
        return function is not None and any(asked.name == PATH for asked in extra_parameters(function, 1))

    def _drawn(self, field: str, board: Board, path: Sequence[Board]) -> str:
        """Call a function that draws boards, and return its text."""
        function = self.component.get(field)
        boards: Any = tuple(path)
        if isinstance(board, Board):
            boards = np.array([each.tiles for each in path], np.int64).reshape(-1, *board.shape)
        arguments = fill_arguments(self.name, function, 1, self.values, self.names(board), {PATH: boards})
        with PluginCode(partial(self._failed, function)):
            drawn = function(board, **arguments)
        return self._checked_text(field.rpartition(".")[2], drawn)

    def transcript(
        self, start: Board, turns: tuple[Turn, ...], *, proved: bool, text: Callable[[Board], str] | None = None
    ) -> Iterator[str] | None:
        """Return a solution or a played game as pieces of text, or None if the domain has no form of its own for it.

        Args:
            proved: whether no solution has fewer moves.
            text: draws a board; by default `format` does.
        """
        function = self.component.views.transcript
        if function is None:
            return None
        given = {PROVED: proved, TEXT: text or self.format}
        arguments = fill_arguments(self.name, function, 2, self.values, self.names(start), given)
        with self._contained(function):
            pieces = function(start, turns, **arguments)
        if pieces is None:
            return None
        return self._each(function, pieces, lambda piece: self._checked_text("transcript", piece, "yielded"))

    def remark(self, board: Board, after: Board) -> str:
        """Return the domain's remark on the move from one board to the other, `''` if it has none."""
        return " ".join(self._text("views.remark", board, after).split()) if self.component.views.remark else ""
