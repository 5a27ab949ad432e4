"""Names are taken apart and put together as they are spelled everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.binding.names import Spelled, format_name, format_value, parse_name

NAME = st.text("abcdefgh-_.019*", min_size=1).filter(lambda name: not name.endswith(".py"))


def balanced(text):
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if depth < 0:
            return False
    return depth == 0


VALUE = st.text("abc-1.:/=,[] ", max_size=12).filter(balanced)


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("greedy", Spelled("greedy")),
        (" greedy ", Spelled("greedy")),
        ("a*", Spelled("a*")),
        ("2048:goal=64", Spelled("2048", parameters={"goal": "64"})),
        ("2048:goal=64,spawn=corner", Spelled("2048", parameters={"goal": "64", "spawn": "corner"})),
        ("2048: goal = 64 , spawn = corner", Spelled("2048", parameters={"goal": "64", "spawn": "corner"})),
        ("2048:", Spelled("2048")),
        ("2048:goal=64,", Spelled("2048", parameters={"goal": "64"})),
        ("mine/left-heavy", Spelled("left-heavy", plugin="mine")),
        ("mine/left-heavy:corner=-2", Spelled("left-heavy", plugin="mine", parameters={"corner": "-2"})),
        ("f.py:left", Spelled("left", file="f.py")),
        ("some dir/f.py:left", Spelled("left", file="some dir/f.py")),
        ("../a.b/f.py:left:corner=-2,x=y", Spelled("left", file="../a.b/f.py", parameters={"corner": "-2", "x": "y"})),
        ("~/f.py:left", Spelled("left", file="~/f.py")),
        ("max:of=[taxicab,misplaced]", Spelled("max", parameters={"of": "taxicab,misplaced"})),
        ("max:of=[f.py:left,misplaced]", Spelled("max", parameters={"of": "f.py:left,misplaced"})),
        (
            "expectimax:heuristic=[left-weighted:corner=-2],depth=3",
            Spelled("expectimax", parameters={"heuristic": "left-weighted:corner=-2", "depth": "3"}),
        ),
        ("a:b=[c:d=[e,f],g=h]", Spelled("a", parameters={"b": "c:d=[e,f],g=h"})),
        ("a:b=[]", Spelled("a", parameters={"b": ""})),
        ("a:b=c=d", Spelled("a", parameters={"b": "c=d"})),
    ],
)
def test_a_name_is_parsed(text, spelled):
    """Plugin, name, file and parameters, with brackets around values that are names or lists."""
    assert parse_name(text) == spelled


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'': a name is missing; it is spelled NAME or NAME:param=value"),
        ("   ", "a name is missing"),
        (":goal=64", "':goal=64': a name is missing"),
        ("mine/", "'mine/': a name is missing"),
        ("f.py:", "'f.py:': a name is missing"),
        ("2048:goal", "'2048:goal': 'goal' is not param=value"),
        ("2048:64", "'2048:64': '64' is not param=value"),
        ("2048:goal=", "'goal=' is not param=value"),
        ("2048:=64", "'=64' is not param=value"),
        ("2048:goal=64,goal=32", "goal is given twice"),
        ("max:of=[a,b", "the brackets do not match"),
        ("max:of=a],b=[c", "the brackets do not match"),
        ("max:of=[a]]", "the brackets do not match"),
        ("sum:of=[" * 3000 + "]" * 3000, "brackets are nested more than 20 deep"),
        ("sum:of=[" * 21 + "a" + "]" * 21, "brackets are nested more than 20 deep"),
    ],
)
def test_an_invalid_name_is_refused(text, message):
    """The message contains the text and the reason."""
    with pytest.raises(sl.UsageError) as raised:
        parse_name(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (64, "64"),
        (2.0, "2"),
        (2.5, "2.5"),
        (-1.0, "-1"),
        (1e300, "1e+300"),
        (True, "yes"),
        (False, "no"),
        ("corner", "corner"),
        ("a,b", "[a,b]"),
        ("left-weighted:corner=-2", "[left-weighted:corner=-2]"),
        ("", "[]"),
        (" a", "[ a]"),
    ],
)
def test_values_are_formatted_with_brackets_if_necessary(value, text):
    """Whole numbers have no point, and booleans are yes and no."""
    assert format_value(value) == text


@given(NAME, st.dictionaries(st.text("abcdef_", min_size=1), VALUE, max_size=3))
def test_a_formatted_name_is_parsed_back(name, parameters):
    """Any name and any values, if their brackets match."""
    assert parse_name(format_name(name, parameters)) == Spelled(name, parameters=parameters)


@given(st.text(max_size=30))
def test_any_text_is_parsed_or_a_usage_error(text):
    """A parsed name is never empty."""
    try:
        spelled = parse_name(text)
    except sl.UsageError:
        return
    assert spelled.name.strip()
