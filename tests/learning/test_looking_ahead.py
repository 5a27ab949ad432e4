"""A network judges boards in compiled looking ahead as on boards: the same values to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games.learning.network_files import save_network


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The path of a network with all sorts of weights."""
    path = tmp_path_factory.mktemp("networks") / "network.npz"
    network = sl.NTupleNetwork(3, 3, ((0, 1, 2, 3), (3, 4, 5)), base=5.0)
    network.weights[...] = np.random.default_rng(1).normal(scale=100, size=network.entries)
    save_network(network, path)
    return str(path)


GAME = sl.domain("2048-random", n=3)


@given(st.lists(st.sampled_from([0, 0, 0, 2, 4, 8, 2048]), min_size=9, max_size=9), st.integers(0, 1))
def test_values_are_those_on_boards(file, cells, depth):
    """The points of all moves on the way count, and what the network expects at the end."""
    board = sl.Board(np.array(cells).reshape(3, 3))
    ahead = sl.LookAhead(GAME, sl.heuristic("ntuple", domain=GAME, file=file), cutoff=0)
    compiled, readable = (sl.Expectimax(ahead, depth=depth, engine=engine) for engine in ("auto", "readable"))
    assert compiled.values(board) == readable.values(board)


def test_at_one_ply_it_is_the_move_with_the_most_points_and_value(file):
    """What the player was trained to do."""
    network = sl.read_network(file)
    choose = sl.player("ntuple", domain=GAME, file=file)
    game = sl.play(domain=GAME, player=choose, seed=4)
    board = game.turns[0].board
    for turn in game.turns[1:]:
        moves = list(GAME.edges(board))
        worth = [GAME.points(board, edge.board) + network.value(edge.board) for edge in moves]
        assert moves[worth.index(max(worth))].action == turn.action
        board = turn.board
    assert game.moves > 5
