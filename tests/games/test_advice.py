"""Advice: the best move of a board and the value of every move."""

import pytest

import searchlab as sl

BOARD = sl.Board([[0, 2, 4, 2], [0, 0, 2, 2], [0, 0, 0, 0], [0, 0, 0, 0]])


def test_every_move_has_a_value_and_the_best_is_named():
    """By the player that gives hints, or another."""
    answer = sl.advise(BOARD, player="greedy")
    assert answer.over == ""
    assert answer.values[answer.action] == max(answer.values.values())
    assert list(answer.values) == [action for action, _ in sl.domain("2048-random").successors(BOARD)]
    assert sl.advise(BOARD, player="random").values is None


def test_a_board_may_be_named_and_a_game_over():
    """The game of a board that ships is what its set says."""
    assert sl.advise("2048/board10", player="greedy").action in ("left", "down", "up")
    over = sl.Board([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]])
    assert sl.advise(over, player="greedy").over == "dead"
    with pytest.raises(sl.BoardError, match="not a board of 2048-random"):
        sl.advise(sl.Board([[3]]))
