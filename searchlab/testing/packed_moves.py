"""Call the successor function of a packed form, interpreted, for a board."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.compiler.packing import Packing
from searchlab.model.component import extra_parameters
from searchlab.search.compiled.problem import form_arguments

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.packed import PackedForm


class PackedMoves(NamedTuple):
    """The moves from a board, as a packed form lists them.

    Attributes:
        states: the states after the moves, as tiles or words, shape (moves, …).
        numbers: the numbers that describe each move, shape (moves, numbers).
        costs, terminal: the cost of each move, and whether the move ends the game, both of shape (moves,).
        tiles: the tiles of all states, shape (moves, rows, columns).
    """

    states: NDArray[Any]
    numbers: NDArray[np.int64]
    costs: NDArray[np.float64]
    terminal: NDArray[np.uint8]
    tiles: NDArray[np.int64]


def packed_moves(
    domain: BoundDomain, form: PackedForm, board: Board, chosen: NDArray[np.uint8] | None = None
) -> PackedMoves:
    """Return the moves from a board.

    Args:
        chosen: which states the function writes, shape (max_successors,), or None for all. All other states are 0.
    """
    most = form.max_successors
    numbers = np.zeros((most, max(1, len(form.move))), np.int64)
    costs, terminal = np.ones(most), np.zeros(most, np.uint8)
    arrays = {"moves": numbers, "costs": costs, "terminal": terminal, "chosen": chosen}
    of_form = form_arguments(domain, form, board)
    asked = extra_parameters(form.rule("successors"), 2)
    filled = {p.name: arrays[p.name] if p.name in arrays else of_form.get(p.name, p.default) for p in asked}
    with np.errstate(over="ignore"):  # as in compiled code
        if form.words.successors:
            packing = Packing.of(form, board)
            states: NDArray[Any] = np.zeros((most, packing.words), np.uint64)
            count = int(form.words.successors(packing.pack(board), states, **filled))
            tiles = packing.unpack_tiles(states[:count])
        else:
            states = np.zeros((most, *board.shape), np.int64)
            count = int(form.successors(board.tiles, states, **filled))
            tiles = states[:count]
    return PackedMoves(states[:count], numbers[:count], costs[:count], terminal[:count], tiles)
