"""States of any kind: their digest, their text, and values that are no states."""

import subprocess
import sys

import pytest

import searchlab as sl
from searchlab.model.states import DomainStates, Ended, digest, key_function, kind_of, text_form, why_no_state

ODD = ("a", 3, 2.5, None, frozenset({("x", 1), ("y", 2)}), frozenset({"b", "a", "c"}))
SHOW = f"""
from searchlab.model.states import digest, text_form
state = {ODD!r}
print(digest(state), text_form(state))
"""


def test_digest_and_text_form_do_not_depend_on_the_hash_seed():
    """Elements of frozensets come in another order with each seed."""

    def shown(seed):
        run = [sys.executable, "-c", SHOW]
        return subprocess.run(run, env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True).stdout

    assert shown("1") == shown("2") == shown("3") == f"{digest(ODD)} {text_form(ODD)}\n"


def test_equal_states_have_equal_digests_and_others_have_others():
    """1 and True are equal, and so are sets whatever the order; texts and numbers are not."""
    assert digest((1, 2.0, True)) == digest((1.0, 2, 1))
    states = [
        1,
        "1",
        (1,),
        ("1",),
        frozenset({1}),
        ((1,),),
        None,
        "None",
        "",
        (),
        frozenset(),
        1.5,
        ("a", "b"),
        ("a,b",),
    ]
    assert len({digest(state) for state in states}) == len(states)


def test_keys_are_equal_for_equal_boards_only():
    """Also among boards of several shapes with the same bytes, large boards, and boards with which the game is over."""
    key = key_function(sl.Board([[1, 2, 3], [4, 5, 0]]))
    rows = [[[1, 2, 3], [4, 5, 0]], [[1, 2], [3, 4], [5, 0]], [[1, 2, 3], [4, 0, 5]], [[0] * 30] * 30, [[1] * 30] * 30]
    states = [made(sl.Board(grid)) for grid in rows for made in (lambda board: board, Ended)]
    again = [made(sl.Board(grid)) for grid in rows for made in (lambda board: board, Ended)]
    assert list(map(key, states)) == list(map(key, again))
    assert len(set(map(key, states))) == len(states)


def test_text_of_a_state_is_its_label_or_its_repr():
    assert DomainStates("route").text("Arad") == "Arad"
    assert DomainStates("jugs").text((3, 0)) == "(3, 0)"
    assert DomainStates("jugs", lambda state: f"{state[0]} and {state[1]}").text((3, 0)) == "3 and 0"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([1], "use Board(…) or tuple(…)"),
        ({1}, "use frozenset(…)"),
        ({"a": 1}, "use tuple(sorted("),
        (float("nan"), "it equals nothing"),
        (object, "a state is a Board, or a text"),
        (("a", [1]), "use Board(…) or tuple(…)"),
        ((sl.Board([[0]]),), "is not part of a state"),
    ],
)
def test_values_that_are_no_states_are_refused_with_a_way_out(value, message):
    assert message in why_no_state(value)


@pytest.mark.parametrize(
    "value", ["", 0, -1.5, None, True, (), ("a", (1, frozenset({2}))), frozenset(), sl.Board([[0]])]
)
def test_hashable_values_of_plain_python_are_states(value):
    assert why_no_state(value) == ""
    assert kind_of(value)
