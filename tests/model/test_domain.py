"""A Domain's fields for chance, points and presets are checked when it is made."""

import pytest

import searchlab as sl


def f(board):
    return ()


def make(**fields):
    return sl.Domain("d", f, f, parameters=(sl.Parameter("n", 4), sl.Parameter("p2", 0.9)), **fields)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"chance": 3}, "Domain 'd': chance is 3, not a function (board)"),
        ({"chance": lambda board, moon: ()}, "chance asks for 'moon', which is no parameter of it"),
        ({"chance": f, "draw": f}, "draw is a function (board, random), not f(board)"),
        ({"chance": f, "happen": f}, "happen is a function (board, event), not f(board)"),
        ({"points": f}, "points is a function (board, after), not f(board)"),
        ({"printout": f}, "printout is a function (start, turns), not f(board)"),
        ({"chance": f, "opening": f}, "opening asks for 'board', which is no parameter"),
        ({"draw": lambda board, random: ()}, "draw is for games of chance, and it has no chance(board)"),
        ({"happen": lambda board, event: None}, "happen is for games of chance"),
        ({"opening": lambda: 1}, "opening is for games of chance"),
        ({"like": "2048"}, "like is a set of names, not the text '2048'"),
        ({"presets": ["easy"]}, "presets is a dict of parameters' values by name, not ['easy']"),
        ({"presets": {"easy": 3}}, "presets is a dict of parameters' values by name"),
        ({"presets": {"easy": {"m": 3}}}, "the preset 'easy' sets 'm', which is no parameter of it"),
        ({"presets": {"a:b": {}}}, "preset 'a:b': a name is a text without any of"),
    ],
)
def test_what_makes_no_sense_is_refused(fields, said):
    """With the component, the field, and what it takes."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make(**fields)
    assert said in str(raised.value)


def test_no_parameter_is_called_as_what_chooses_a_preset():
    """Where there are presets."""
    parameters = (sl.Parameter("preset", "a"),)
    with pytest.raises(ValueError, match="preset chooses one of its presets, so no parameter can be called that"):
        sl.Domain("d", f, f, parameters=parameters, presets={"easy": {}})
    assert sl.domain(sl.Domain("d", f, f, parameters=parameters), preset="b").values == {"preset": "b"}


def test_chance_is_all_a_game_of_chance_needs():
    """And points need no chance."""
    assert sl.domain(make(chance=f)).is_of_chance
    assert not sl.domain(make(points=lambda board, after: 1)).is_of_chance
