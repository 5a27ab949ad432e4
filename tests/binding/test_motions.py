"""Motions of tiles: those that a domain declares are checked against the boards."""

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.binding.motions import Motion, arrivals
from searchlab.testing import check

BEFORE, AFTER = sl.Board([[2, 0, 2]]), sl.Board([[4, 0, 0]])


def merging(motions):
    """A game of one move, in which two tiles merge, and which says these motions of it."""
    return sl.domain(
        sl.Domain(
            "merging",
            lambda board: [("left", AFTER)] if board == BEFORE else [],
            lambda board: board == AFTER,
            start=lambda: BEFORE,
            views=sl.Views(motions=motions),
        )
    )


def test_tiles_with_the_same_target_have_merged():
    """One of them may have been there before."""
    domain = merging(lambda board, action, after: [((0, 2), (0, 0))])
    motions = domain.motions(BEFORE, "left", AFTER)
    assert motions == (Motion((0, 2), (0, 0)),)
    assert arrivals(motions, BEFORE.tiles) == {(0, 0): [(0, 0), (0, 2)]}


def test_a_domain_without_motions_returns_none():
    assert merging(None).motions(BEFORE, "left", AFTER) is None


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ([((0, 1), (0, 0))], "a tile moves from row 1, column 2, which is blank"),
        ([((0, 9), (0, 0))], "a tile moves from row 1, column 10, which is blank"),
        ([((0, -1), (0, 0))], "a tile moves from row 1, column 0, which is blank"),
        ([((0, 2), (0, 0)), ((0, 2), (0, 0))], "the 2 at row 1, column 3 moves twice"),
        ([((0, 2), (0, 1))], "the 2 at row 1, column 3 moves to row 1, column 2, which is blank after the move"),
        ([((0, 2), (1, 0))], "the 2 at row 1, column 3 moves to row 2, column 1, which is blank after the move"),
        ([((0, 2), None)], "the 2 at row 1, column 1 stays, and there is a 4 after it"),
        ([], "the 2 at row 1, column 1 stays, and there is a 4 after it"),
        ([((0, 0), None)], "the 2 at row 1, column 3 stays, and there is none after it"),
    ],
)
def test_motions_that_contradict_the_boards_are_refused(listed, said):
    """The error names the tile and the cell."""
    with pytest.raises(sl.PluginError) as refused:
        merging(lambda board, action, after: listed).motions(BEFORE, "left", AFTER)
    assert str(refused.value) == f"merging: motions says of the move left that {said}"


@pytest.mark.parametrize("listed", [7, [1], [(1, 2)], [((0, 1), "x")], [((0.5, 1), (0, 0))], [((0, 2), (0, 0, 0))]])
def test_motions_of_a_wrong_type_are_refused(listed):
    with pytest.raises(sl.PluginError, match=r"^merging: "):
        merging(lambda board, action, after: listed).motions(BEFORE, "left", AFTER)


def test_the_contract_compares_motions_with_the_boards():
    """It shows the first wrong move, and counts the correct ones."""
    (wrong,) = check(merging(lambda board, action, after: []), seconds=0.2)
    assert wrong.finding("motions").status == "failed"
    assert wrong.finding("motions").message.endswith("the 2 at row 1, column 1 stays, and there is a 4 after it")
    (right,) = check(merging(lambda board, action, after: [((0, 2), (0, 0))]), seconds=0.2)
    assert right.finding("motions").status == "passed"
    (silent,) = check(merging(None), seconds=0.2)
    assert silent.finding("motions").status == "skipped"


def test_the_contract_finds_motions_that_vary():
    """Motions in another order are others."""
    orders = cycle([((0, 0), (0, 2)), ((0, 2), (0, 0))])

    def changing(board, action, after):
        for cell in next(orders):
            yield cell, (0, 0)

    (found,) = check(merging(changing), seconds=0.2)
    assert (
        found.finding("motions").message == "asked twice, the tiles go elsewhere in the move left, or in another order"
    )


@given(st.lists(st.sampled_from([0, 0, 2, 2, 4, 8]), min_size=16, max_size=16))
def test_tiles_of_2048_slide_and_merge(tiles):
    """The tiles that move to a cell add up to its new tile; without a new tile, none appears."""
    domain = sl.domain("2048-random")
    board = sl.Board(np.reshape(tiles, (4, 4)))
    for action, after in domain.successors(board):
        came = arrivals(domain.motions(board, action, after), board.tiles)
        assert {cell: sum(int(board.tiles[source]) for source in sources) for cell, sources in came.items()} == {
            cell: after.tile_at(*cell) for cell in map(tuple, np.argwhere(after.tiles).tolist())
        }
        assert all(len(sources) <= 2 for sources in came.values())


def test_one_tile_slides_into_the_blank(example8):
    domain = sl.domain("sliding-tile")
    for action, after in domain.successors(example8):
        (motion,) = domain.motions(example8, action, after)
        assert motion.target == (1, 0)
        assert after.tile_at(*motion.target) == example8.tile_at(*motion.source)
