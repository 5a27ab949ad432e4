"""Declarations are checked when a component is made; values of parameters are read in the type of the default."""

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.component import extra_parameters, resolve
from searchlab.model.strategies import OPTIONS


def f(tiles):
    return 0


def g_plus_h(g, h, weight=1.0, *, turbo=False):
    return g + weight * h


BY_NAME = sl.Parameter("of", "", kind="heuristic")


@pytest.mark.parametrize("name", ["", " ", "a:b", "a/b", "a,b", "a=b", "[a]", 3, None])
def test_names_that_could_not_be_spelled_are_refused(name):
    """Also as an alias, for every kind that has some."""
    with pytest.raises(ValueError, match="a name is a text without any of"):
        sl.Domain(name, f, f)
    makers = (
        lambda name, **more: sl.Heuristic(name, f, **more),
        lambda name, **more: sl.Frontier(name, g_plus_h, **more),
        lambda name, **more: sl.Player(name, f, **more),
    )
    for make in makers:
        with pytest.raises(ValueError, match="a name is a text without any of"):
            make(name)
        with pytest.raises(ValueError, match="a name is a text without any of"):
            make("fine", aliases=("also-fine", name))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sl.Heuristic("h", f, prefer="hihg"), "Heuristic 'h': prefer is one of low, high, not 'hihg'"),
        (lambda: sl.Heuristic("h", f, domains="2048"), "Heuristic 'h': domains is a set of names, not the text '2048'"),
        (lambda: sl.Player("p", f, domains="2048"), "Player 'p': domains is a set of names, not the text '2048'"),
        (lambda: sl.Heuristic("h", f, parameters=(BY_NAME,)), "h': of cannot be the name of a heuristic: only a play"),
        (lambda: sl.Frontier("s", g_plus_h, parameters=(BY_NAME,)), "s': of cannot be the name of a heuristic"),
        (
            lambda: sl.Heuristic("h", f, admissible=1),
            "admissible is True, False or a function of its parameters, not 1",
        ),
        (lambda: sl.Heuristic("h"), "Heuristic 'h': it needs a function(tiles), or a batch(boards)"),
        (
            lambda: sl.Heuristic("h", batch=f, packed=f),
            "line stand beside a function(tiles), not in its place",
        ),
        (lambda: sl.Heuristic("h", f, carry=f), "carry needs incremental(h, carried)"),
        (lambda: sl.Heuristic("h", batch=f, incremental=f), "stand beside a function(tiles), not in its place"),
        (lambda: sl.Heuristic("h", f, aliases="hh"), "Heuristic 'h': aliases is a tuple of names, not the text 'hh'"),
        (
            lambda: sl.Domain("d", f, f, views=sl.Views(layer_columns={"goal": "end"})),
            "layer_columns is a dict of texts for some of dead",
        ),
        (
            lambda: sl.Domain("d", f, f, defaults=sl.Defaults(duplicates="never")),
            "Defaults: duplicates is one of early, late, not 'never'",
        ),
        (lambda: sl.Frontier("s"), "Frontier 's': a heap needs a priority"),
        (
            lambda: sl.Frontier("s", g_plus_h, family="worst-first"),
            "family is one of best-first, deepening, beam",
        ),
        (lambda: sl.Frontier("s", g_plus_h, container="bag"), "container is one of heap, fifo, lifo, not 'bag'"),
        (lambda: sl.Frontier("s", g_plus_h, ties="oldest"), "ties is one of none, low-h, high-h, not 'oldest'"),
        (lambda: sl.Frontier("s", g_plus_h, duplicates="late"), "duplicates is one of early, domain, not 'late'"),
        (lambda: sl.Frontier("s", container="fifo", reopen="yes"), "are for best-first strategies with a heap"),
        (lambda: sl.Frontier("s", lambda g, h, reopen=1: g), "every best-first search has the option reopen"),
        (
            lambda: sl.Frontier("s", g_plus_h, family="beam", parameters=(sl.Parameter("width", 10.0),)),
            "Frontier 's': the default of width is 10.0; a beam is a whole number of nodes wide, from 1 to 2^31",
        ),
        (lambda: sl.Frontier("s", g_plus_h, optimal_with="luck"), "optimal_with is one of never, always"),
    ],
)
def test_invalid_declarations_are_refused(make, message):
    """The error names the component and the field, and states valid values."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make()
    assert message in str(raised.value)


def test_components_never_change():
    """They are values: another one is made by `dataclasses.replace`, and checked again."""
    heuristic = sl.Heuristic("h", f)
    with pytest.raises(dataclasses.FrozenInstanceError):
        heuristic.name = "other"
    with pytest.raises(ValueError, match="prefer is one of"):
        dataclasses.replace(heuristic, prefer="both")


def test_parameters_of_a_function_are_those_of_the_component():
    """Declared parameters replace them and come first."""
    assert [(p.name, p.default) for p in extra_parameters(g_plus_h, 2)] == [("weight", 1.0), ("turbo", False)]
    declared = sl.Parameter("weight", 3.0, "how much")
    strategy = sl.Frontier("s", g_plus_h, parameters=(declared,), reopen="yes", duplicates="domain")
    assert strategy.own_parameters()[0] is declared
    assert [p.name for p in strategy.own_parameters()] == ["weight", "turbo", *OPTIONS]


def choose(board, moves, domain, random, heuristic, goal, depth=3):
    return moves[0].action


def test_arguments_supplied_to_a_player_are_no_parameters():
    """A heuristic is one, chosen by its name."""
    own = sl.Player("p", choose).own_parameters()
    assert [(p.name, p.kind) for p in own] == [("heuristic", "heuristic"), ("goal", ""), ("depth", "")]
    assert [p.default for p in own if p.name in ("heuristic", "depth")] == ["", 3]
    declared = sl.Parameter("heuristic", "empty", "what it likes", kind="heuristic")
    assert sl.Player("p", choose, parameters=(declared,)).own_parameters()[0] is declared
    named = sl.Player("p", lambda board, moves, heuristic="snake": moves[0].action)
    assert named.own_parameters()[0].default == "snake"


def test_what_a_player_keeps_is_no_parameter():
    """The parameters of the function that makes it are the player's; without one, `kept` is a parameter like others."""
    player = sl.Player("p", lambda board, moves, kept, luck=0.0: moves[0].action, keeps=lambda domain, size=3: None)
    assert [(p.name, p.default) for p in player.own_parameters()] == [("luck", 0.0), ("size", 3)]
    plain = sl.Player("p", lambda board, moves, kept=1: moves[0].action)
    assert [p.name for p in plain.own_parameters()] == ["kept"]
    with pytest.raises(TypeError, match="Player 'p': keeps is 5, not a function"):
        sl.Player("p", choose, keeps=5)


def test_functions_without_a_signature_have_no_parameters():
    """Some functions of Python are written in C."""
    assert extra_parameters(max) == ()
    assert sl.heuristic(max).name == "max"


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


def test_a_command_has_to_be_given():
    """Its default is checked as if it were."""
    command = sl.Parameter("command", "", check=lambda text: "" if text else "name one", kind="command")
    assert value(command, "./bot --fast") == "./bot --fast"
    with pytest.raises(sl.UsageError, match=r"^it: command=: name one$"):
        resolve("it", [command, WHOLE], {})


def test_a_check_may_allow_more_than_the_choices():
    size = sl.Parameter("size", 1, choices=(1, 3), check=lambda value: "" if value % 2 else "it is odd")
    assert [value(size, given) for given in ("3", "5")] == [3, 5]
    with pytest.raises(sl.UsageError, match="size=4: it is odd"):
        value(size, 4)


def test_omitted_parameters_have_their_defaults():
    """The result has all parameters in the declared order."""
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
        (WHOLE, "1_000", 1000),
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
        (WHOLE, "1__000", "it: depth is a number, not '1__000'"),
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
def test_invalid_values_are_refused(parameter, given, message):
    """The error names the owner and the parameter, and states valid values."""
    with pytest.raises(sl.UsageError) as raised:
        value(parameter, given)
    assert str(raised.value).startswith(message)


def test_an_unknown_parameter_is_refused_with_a_suggestion():
    with pytest.raises(sl.UsageError, match="it has no parameter 'weigth': did you mean 'weight'\\? There are depth"):
        resolve("it", ALL, {"weigth": 1})
    with pytest.raises(sl.UsageError, match="it has no parameter 'x': there are none"):
        resolve("it", [], {"x": 1})


@given(st.integers(-(2**63), 2**63))
def test_whole_numbers_are_read_exactly(number):
    """However large."""
    assert value(WHOLE, str(number)) == number


@given(st.floats(allow_nan=False))
def test_numbers_are_read_back_from_their_repr(number):
    assert value(NUMBER, repr(number)) == number


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"default": 1.0, "low": 2}, "low and high are two numbers, the second one larger, not 2 and None"),
        ({"default": 1.0, "low": 2, "high": 2}, "the second one larger, not 2 and 2"),
        ({"default": 1.0, "low": 0, "high": float("inf")}, "low and high are two numbers"),
        ({"default": 1.0, "low": 0, "high": 2, "log": True}, "low is above 0 on a logarithmic scale, not 0"),
        ({"default": 1, "low": 0.5, "high": 2}, "it is a whole number, so low and high are, too, not 0.5 and 2"),
        ({"default": "a", "low": 0, "high": 2}, "only a number has a range, and its default is 'a'"),
        ({"default": True, "low": 0, "high": 1}, "only a number has a range, and its default is True"),
        ({"default": 1.0, "log": True}, "low and high are two numbers"),
    ],
)
def test_a_parameter_with_an_invalid_range_is_refused(fields, said):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 - the message is compared
        sl.Parameter("weight", **fields)
    assert str(raised.value).startswith("Parameter 'weight': ")
    assert said in str(raised.value)


def test_values_outside_the_range_of_a_parameter_stay_valid():
    """The range is that of `searchlab tune`."""
    ranged = sl.Parameter("weight", 1.0, low=0.5, high=2)
    assert resolve("heuristic h", (ranged,), {"weight": "9"}) == {"weight": 9.0}
