"""Advice: the best move of a board and the value of every move."""

from math import inf

import pytest

import searchlab as sl
from searchlab.games.advice import Answer, PositionAdviser

BOARD = sl.Board([[0, 2, 4, 2], [0, 0, 2, 2], [0, 0, 0, 0], [0, 0, 0, 0]])


def test_every_move_has_a_value_and_the_best_is_named():
    """By the player that gives hints, or another."""
    answer = sl.advise(BOARD, player="greedy")
    assert answer.over == ""
    assert answer.values[answer.action] == max(answer.values.values())
    assert list(answer.values) == [action for action, _ in sl.domain("2048-random").successors(BOARD)]
    random = sl.advise(BOARD, player="random")
    assert (random.values, random.losses) == (None, None)


def test_the_loss_of_a_move_is_its_difference_from_the_best():
    """The best move loses nothing, even if its value is infinite."""
    answer = sl.advise(BOARD, player="greedy")
    best = answer.values[answer.action]
    assert answer.losses == {move: best - value for move, value in answer.values.items()}
    assert Answer("", "b", {"a": 0.5, "b": inf, "c": inf}).losses == {"a": inf, "b": 0.0, "c": 0.0}
    assert Answer("", "a", {"a": -inf, "b": -inf}).losses == {"a": 0.0, "b": 0.0}
    assert Answer("dead", "", {}).losses == {}


def test_a_board_may_be_named_and_a_game_over():
    """The game of a board that ships is what its set says."""
    assert sl.advise("2048/board10", player="greedy").action in ("left", "down", "up")
    over = sl.Board([[2, 4, 2, 4], [4, 2, 4, 2], [2, 4, 2, 4], [4, 2, 4, 2]])
    assert sl.advise(over, player="greedy").over == "dead"
    with pytest.raises(sl.BoardError, match="not a board of 2048-random"):
        sl.advise(sl.Board([[3]]))


def test_an_adviser_answers_as_the_player_judges():
    """Without the boards after the moves, which its judging in a game is given."""
    player = sl.player("expectimax:depth=1")
    adviser, judge = PositionAdviser(player, 0), player.begin_judging(0)
    for board in sl.play(player="random", seed=3).boards[::9]:
        moves = tuple(sl.Move(action, after) for action, after in player.domain.successors(board))
        judged = judge(board, moves) if moves else None
        answer = adviser.answer(board)
        assert answer.over == ("" if judged else "dead")
        assert answer.action == (judged.action if judged else "")
        values = judged and dict(zip([move.action for move in moves], judged.values, strict=True))
        assert list((answer.values or {}).items()) == list((values or {}).items())
