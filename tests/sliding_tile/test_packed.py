"""The compiled form of the sliding-tile puzzle, run interpreted, is the readable rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab_plugins.sliding_tile import packed
from searchlab_plugins.sliding_tile.goals import goal_tiles
from searchlab_plugins.sliding_tile.heuristics import taxicab_after

GOALS = ("blank-last", "blank-first")


def shuffled(smallest=2, largest=5):
    """Boards with their tiles in any order, solvable or not."""

    def board(n):
        return st.permutations(range(n * n)).map(lambda tiles: sl.Board(np.reshape(tiles, (n, n))))

    return st.integers(smallest, largest).flatmap(board)


def form_of(board, goal="blank-last"):
    return sl.domain("sliding-tile", goal=goal).packed(board)


@given(shuffled())
def test_successors_of_tiles(board):
    """The form for any size writes the same boards in the same order, with the moved tile."""
    out, moves = np.full((4, board.n, board.n), 77), np.zeros((4, 3), np.int64)
    count = packed.successors(board.tiles, out, moves, None, packed.neighbors(board.shape))
    expected = sl.domain("sliding-tile").neighbors(board)
    assert [sl.Board(tiles) for tiles in out[:count]] == expected
    for after, (tile, source, target) in zip(expected, moves.tolist(), strict=False):
        assert board.tiles.flat[source] == after.tiles.flat[target] == tile
        assert board.tiles.flat[target] == after.tiles.flat[source] == 0


@given(shuffled(2, 4))
def test_successors_of_words(board):
    """The form of one word writes the same boards in the same order, with the same moves."""
    packing = Packing.of(form_of(board), board)
    out, moves = np.zeros((4, 1), np.uint64), np.zeros((4, 3), np.int64)
    count = packed.expand(packing.pack(board), out, moves, None, packed.neighbors(board.shape))
    assert packing.unpack(out[:count]) == sl.domain("sliding-tile").neighbors(board)
    tiles, of_tiles = np.zeros((4, board.n, board.n), np.int64), np.zeros((4, 3), np.int64)
    packed.successors(board.tiles, tiles, of_tiles, None, packed.neighbors(board.shape))
    assert moves[:count].tolist() == of_tiles[:count].tolist()


@given(shuffled(2, 4), st.sampled_from(GOALS))
def test_goals(board, goal):
    """Both compiled goal tests accept the goal and nothing else."""
    domain = sl.domain("sliding-tile", goal=goal)
    ordered = sl.Board(goal_tiles(board.shape, goal).reshape(board.shape))
    form = form_of(board, goal)
    for candidate in (board, ordered):
        offers = {name: domain.names(candidate)[name] for name in ("goal_row", "goal_col")}
        words = Packing.of(form, candidate).pack(candidate)
        assert packed.is_goal(candidate.tiles, **offers) == domain.is_goal(candidate)
        assert packed.is_packed_goal(words, form.tables["goal_word"]) == domain.is_goal(candidate)


@given(shuffled(), st.sampled_from(GOALS))
def test_taxicab_follows_moves(board, goal):
    """The distance of a successor follows from that of its parent and the move."""
    domain = sl.domain("sliding-tile", goal=goal)
    taxicab = sl.heuristic("taxicab", domain=domain)
    distance = domain.names(board)["goal_distance"]
    out, moves = np.zeros((4, board.n, board.n), np.int64), np.zeros((4, 3), np.int64)
    packed.successors(board.tiles, out, moves, None, packed.neighbors(board.shape))
    for after, move in zip(domain.neighbors(board), moves.tolist(), strict=False):
        assert taxicab_after(taxicab(board), *move, distance) == taxicab(after)


@pytest.mark.parametrize(("n", "words"), [(2, 1), (3, 1), (4, 1), (5, 3), (6, 4)])
def test_words_a_state(n, words):
    """Up to 4 × 4 a state is one word."""
    board = sl.Board(np.arange(n * n).reshape(n, n))
    assert Packing.of(form_of(board), board).words == words
