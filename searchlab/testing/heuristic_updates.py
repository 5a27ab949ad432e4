"""Whether a heuristic's update along a move gives what the function itself gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.errors import PluginCode, in_one_line
from searchlab.model.component import extra_parameters
from searchlab.search.compiled.machine import asked_for, form_values
from searchlab.testing.estimates import Unanswered, number
from searchlab.testing.findings import Finding, Property, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.testing.estimates import Estimates, HeuristicEvidence


def updates(evidence: HeuristicEvidence) -> Finding:
    """Compare `incremental` with the function along moves, to the last bit."""
    if evidence.component.incremental is None:
        return skipped("it has no incremental form")
    compared = 0
    for on in evidence.every:
        for board in _boards(on, on.clock.looking(1 / (10 * len(evidence.every)))):
            for fields, after in described_moves(on, board):
                try:
                    expected = on.value(after)
                    found = _updated(on, board, fields)
                except Unanswered:
                    return skipped("it does not answer for every board")
                if found != expected:
                    said = f"incremental gives {found!r}, the function {expected!r}"
                    return failed(said, ("before the move:", board), ("after it:", after))
                compared += 1
    if not compared:
        return skipped("the domain does not describe its moves: it is never used")
    return passed(f"the same value after {compared:,} moves", moves=compared)


def _boards(on: Estimates, goes_on: Callable[[], bool]) -> Iterator[Board]:
    """Yield boards of the ground, in the order of looking, as long as there is time."""
    for numbers in on.ground.in_order(goes_on):
        yield from on.ground.space.boards(numbers)


def _updated(on: Estimates, board: Board, fields: dict[str, int]) -> float:
    """Return the value after a move that changes these fields, from that before it."""
    incremental = on.heuristic.component.incremental
    assert incremental is not None
    offered = on.ground.domain.offers(asked_for(incremental), board)
    known = {**offered, **on.arguments, **fields}
    filled = {p.name: known.get(p.name, p.default) for p in extra_parameters(incremental)}
    before = on.value(board)
    with PluginCode(lambda error: Unanswered(f"incremental raises {in_one_line(error)}", board), (Unanswered,)):
        return number(incremental(before, **filled), board)


def described_moves(on: Estimates, board: Board) -> Iterator[tuple[dict[str, int], Board]]:
    """Yield what each move from a board changes, as the domain's packed form says it, and the board after it."""
    from searchlab.board.board import Board

    form = on.ground.domain.packed(board)
    if form is None or not form.move:
        return
    most = form.max_successors
    out = np.zeros((most, *board.shape), np.int64)
    arrays: dict[str, NDArray[Any]] = {
        "moves": np.zeros((most, len(form.move)), np.int64),
        "costs": np.ones(most),
        "terminal": np.zeros(most, np.uint8),
    }
    values = {**form_values(on.ground.domain, form, board), **arrays}
    wanted = extra_parameters(form.successors, 2)
    count = form.successors(board.tiles, out, **{p.name: values.get(p.name, p.default) for p in wanted})
    for k in range(int(count)):
        yield dict(zip(form.move, arrays["moves"][k].tolist(), strict=True)), Board(out[k])


UPDATES = (Property("incremental", "Does its update along a move give the same value?", updates),)
