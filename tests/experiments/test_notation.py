"""The moves of a game are written in few letters, and read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.errors import UsageError
from searchlab.experiments.notation import moves_in, read, written

ACTIONS = st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=6), min_size=1, max_size=40, unique=True)


@given(data=st.data())
def test_notation_is_read_back(data):
    """Names of moves may contain any characters."""
    boards = data.draw(st.lists(ACTIONS, max_size=8))
    chosen = [data.draw(st.sampled_from(actions)) for actions in boards]
    text = "".join(written(action, actions) for action, actions in zip(chosen, boards, strict=True))
    assert [read(move, actions) for move, actions in zip(moves_in(text), boards, strict=True)] == chosen


def test_a_unique_first_letter_is_enough():
    """Otherwise it is the number among the moves."""
    assert [written(action, ["left", "up", "undo"]) for action in ("left", "up", "undo")] == ["l", "(1)", "(2)"]
    assert written("3", ["2", "3"]) == "(1)"


@pytest.mark.parametrize("text", ["l d", "ld(", "(x)", "l()", "-"])
def test_invalid_texts_are_refused(text):
    with pytest.raises(UsageError, match="is not a move: write a letter or"):
        list(moves_in(text))


@pytest.mark.parametrize("move", ["x", "u", "(7)"])
def test_an_impossible_move_is_refused(move):
    """The error lists the possible ones."""
    with pytest.raises(UsageError, match="is not a move here: left, up, undo"):
        read(move, ["left", "up", "undo"])
