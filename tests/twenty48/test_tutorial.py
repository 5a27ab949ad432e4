"""The tutorial's heuristic by hand, and its player with and without what it does otherwise than one would."""

import pytest

import searchlab as sl
from searchlab_plugins.twenty48.tutorial import tutorial_line, weight

FULL = [[2, 4, 8, 16], [32, 64, 128, 256], [2, 4, 8, 16], [32, 64, 128, 256]]


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ([0, 0, 0, 0], 1000 + 4 * 250),
        ([2, 0, 2, 0], 1000 + 2 * 250 + 750 - 10 * 4),  # blanks apart, the two are neighbours
        ([2, 2, 2, 2], 1000 + 3 * 750 - 10 * 8),
        ([8, 4, 2, 0], 1000 + 250 - 10 * 14),  # falls only
        ([4, 0, 16, 8], 1000 + 250 - 10 * 28 - 50 * 8),  # rises by 12 and falls by 8
    ],
)
def test_the_score_of_a_line_follows_the_formula(line, score):
    """1000 + 250 a blank + 750 a pair - 10 × the sum - 50 × the lesser of falls and rises."""
    assert tutorial_line(sl.Board([line]).tiles[0]) == score


def test_the_score_is_that_of_rows_and_columns():
    """Each tile is in one of both."""
    board = sl.Board([[2, 2], [0, 4]])
    rows = (1000 + 750 - 40) + (1000 + 250 - 40)
    columns = (1000 + 250 - 20) + (1000 - 60)
    assert sl.heuristic("tutorial")(board) == rows + columns


def test_weights_are_the_probabilities_of_one_cell():
    """0.1 beside 0.9, and all of it where there is one kind of tile."""
    assert [weight(k, 0.9) for k in range(4)] == [0.9, 0.1, 0.9, 0.1]
    assert [weight(k, p2) for p2 in (0.0, 1.0) for k in range(2)] == [1.0] * 4


def made(name, board):
    player = sl.player(name)
    return player.begin(0)(board, tuple(sl.Move(*pair) for pair in player.domain.successors(board)))


@pytest.mark.slow
def test_the_published_player_prefers_to_lose():
    """A lost game is worth 0 to it, and that is more than a board with large tiles."""
    board = sl.Board([[1024, 512, 256, 128], [8, 16, 32, 64], [4, 8, 2, 32], [2, 4, 2, 0]])
    player = sl.player("tutorial")
    assert sl.heuristic("tutorial")(board) < 0
    assert set(dict(player.domain.successors(board))) >= {made("tutorial", board)}
    published = sl.play(board, player="tutorial:sum_spawns=yes,dead_is_zero=yes", seed=1)
    sensible = sl.play(board, player="tutorial", seed=1, most_moves=100)
    assert published.moves < sensible.moves


@pytest.mark.slow
def test_the_published_player_never_reaches_2048():
    """Not even a quarter of it, in these games."""
    for seed in range(3):
        game = sl.play(player="tutorial:sum_spawns=yes,dead_is_zero=yes", seed=seed)
        assert game.boards[-1].largest_tile() <= 1024
