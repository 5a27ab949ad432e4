"""Values of parameters are read in the type of their default, and checked."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.component import resolve

WHOLE = sl.Parameter("depth", 3)
NUMBER = sl.Parameter("weight", 2.0)
SWITCH = sl.Parameter("fast", False)
TEXT = sl.Parameter("mode", "some", choices=("some", "other"))
FREE = sl.Parameter("note", "")
ARRAY = sl.Parameter("table", (1, 2))
ODD = sl.Parameter("odd", 3, check=lambda value: "" if value % 2 else "an odd number is odd")
ALL = (WHOLE, NUMBER, SWITCH, TEXT, FREE, ARRAY, ODD)


def value(parameter, given):
    return resolve("it", [parameter], {parameter.name: given})[parameter.name]


def test_what_is_not_given_has_its_default():
    """All parameters are there, in their order."""
    resolved = resolve("it", ALL, {"depth": "5"})
    assert resolved == {
        "depth": 5,
        "weight": 2.0,
        "fast": False,
        "mode": "some",
        "note": "",
        "table": (1, 2),
        "odd": 3,
    }
    assert list(resolved) == [parameter.name for parameter in ALL]


@pytest.mark.parametrize(
    ("parameter", "given", "expected"),
    [
        (WHOLE, "4", 4),
        (WHOLE, " -4 ", -4),
        (WHOLE, 4, 4),
        (WHOLE, str(2**60 + 1), 2**60 + 1),
        (NUMBER, "4", 4.0),
        (NUMBER, "-.5", -0.5),
        (NUMBER, "1e3", 1000.0),
        (NUMBER, "inf", math.inf),
        (NUMBER, 4, 4.0),
        (SWITCH, "yes", True),
        (SWITCH, "ON", True),
        (SWITCH, "1", True),
        (SWITCH, True, True),
        (SWITCH, "no", False),
        (SWITCH, "False", False),
        (SWITCH, 0, False),
        (TEXT, "other", "other"),
        (FREE, " words of it ", "words of it"),
        (ARRAY, [3], [3]),
        (ODD, "7", 7),
    ],
)
def test_a_value_gets_the_type_of_the_default(parameter, given, expected):
    """From a text or from a value."""
    found = value(parameter, given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("parameter", "given", "message"),
    [
        (WHOLE, "many", "it: depth is a number, not 'many'"),
        (WHOLE, "4.5", "it: depth is a whole number, not '4.5'"),
        (WHOLE, "4.0", "it: depth is a whole number, not '4.0'"),
        (WHOLE, "1e3", "it: depth is a whole number, not '1e3'"),
        (WHOLE, "1_000", "it: depth is a whole number, not '1_000'"),
        (WHOLE, "inf", "it: depth is a whole number, not 'inf'"),
        (WHOLE, "nan", "it: depth is a number, not 'nan'"),
        (WHOLE, True, "it: depth is a number, not 'True'"),
        (WHOLE, "9" * 5000, "it: depth is a"),
        (NUMBER, "", "it: weight is a number, not ''"),
        (NUMBER, "two", "it: weight is a number, not 'two'"),
        (NUMBER, "nan", "it: weight is a number, not 'nan'"),
        (NUMBER, None, "it: weight is a number, not 'None'"),
        (SWITCH, "maybe", "it: fast is yes or no, not 'maybe'"),
        (SWITCH, 2, "it: fast is yes or no, not '2'"),
        (TEXT, "smoe", "it: mode is one of some, other, not smoe"),
        (ARRAY, "3", "it: table cannot be given as text"),
        (ODD, "4", "it: odd=4: an odd number is odd"),
    ],
)
def test_what_does_not_fit_is_refused(parameter, given, message):
    """With the owner, the parameter, and what it takes."""
    with pytest.raises(sl.UsageError) as raised:
        value(parameter, given)
    assert str(raised.value).startswith(message)


def test_an_unknown_parameter_is_answered_with_what_was_meant():
    """The nearest name, and all there are."""
    with pytest.raises(sl.UsageError, match="it has no parameter 'weigth': did you mean 'weight'\\? Available: depth"):
        resolve("it", ALL, {"weigth": 1})
    with pytest.raises(sl.UsageError, match="it has no parameter 'x': none is available"):
        resolve("it", [], {"x": 1})


@given(st.integers(-(2**63), 2**63))
def test_whole_numbers_are_read_exactly(number):
    """However large."""
    assert value(WHOLE, str(number)) == number


@given(st.floats(allow_nan=False))
def test_numbers_are_read_as_python_writes_them(number):
    """The text of a number is the number."""
    assert value(NUMBER, repr(number)) == number
