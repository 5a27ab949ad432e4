"""A Domain's fields for chance, points and presets are checked when it is made."""

from dataclasses import fields

import pytest

import searchlab as sl
from tests.changed_domain import changed


def f(board):
    return ()


def make(**fields):
    return changed(sl.Domain("d", f, f, parameters=(sl.Parameter("n", 4), sl.Parameter("p2", 0.9))), **fields)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"chance": 3}, "Domain 'd': chance is a Chance(…), or None, not 3"),
        ({"views": f}, "Domain 'd': views is a Views(…), not <function f"),
        ({"events": 3}, "Domain 'd': chance.events is 3, not a function (board)"),
        ({"events": lambda board, moon: ()}, "chance.events asks for 'moon', which is not a parameter"),
        ({"events": f, "draw": f}, "chance.draw is a function (board, random), not f(board)"),
        ({"events": f, "apply": f}, "chance.apply is a function (board, event), not f(board)"),
        ({"events": f, "points": f}, "chance.points is a function (board, after), not f(board)"),
        ({"transcript": f}, "views.transcript is a function (start, turns), not f(board)"),
        ({"events": f, "opening": f}, "chance.opening asks for 'board', which is not a parameter"),
        ({"draw": lambda board, random: ()}, "chance.events needs a packed form: give packed(board)"),
        ({"afterstate_heuristic": f}, "defaults.afterstate_heuristic asks for 'board', which is not a parameter"),
        ({"compatible_with": "2048"}, "compatible_with is a set of names, not the text '2048'"),
        ({"presets": ["easy"]}, "presets is a dict of parameters' values by name, not ['easy']"),
        ({"presets": {"easy": 3}}, "presets is a dict of parameters' values by name"),
        ({"presets": {"easy": {"m": 3}}}, "the preset 'easy' sets 'm', which is not a parameter"),
        ({"presets": {"a:b": {}}}, "preset 'a:b': a name is a text without any of"),
    ],
)
def test_invalid_fields_are_refused(given, said):
    """The message gives the component, the field and valid values."""
    with pytest.raises((ValueError, TypeError)) as raised:
        make(**given)
    assert said in str(raised.value)


def functions_of(kind, prefix=""):
    """Return the names of the fields that may hold a function, with their parts: `views.picture`."""
    own = [prefix + field.name for field in fields(kind) if "Callable" in field.type and "Mapping" not in field.type]
    parts = getattr(kind, "parts", {})
    return own + [name for part, kind in parts.items() for name in functions_of(kind, f"{part}.")]


def no_arguments():
    """A function that most fields refuse."""


def five_arguments(a, b, c, d, e):
    """A function that the other fields refuse."""


@pytest.mark.parametrize("path", functions_of(sl.Domain))
def test_every_function_is_checked_when_the_domain_is_made(path):
    """A row in `ON_BOARDS` has a function checked; a few have code of their own for it."""
    field = path.rpartition(".")[2]
    given = {"packed": lambda board: None, **({"events": f} if path.startswith("chance.") else {})}
    refused = []
    for wrong in (no_arguments, five_arguments):
        try:
            make(**{**given, field: wrong})
        except (ValueError, TypeError) as error:
            refused.append(field in str(error))
    assert True in refused


def test_a_parameter_named_preset_is_refused_beside_presets():
    parameters = (sl.Parameter("preset", "a"),)
    with pytest.raises(ValueError, match="preset chooses one of its presets, so no parameter can be called that"):
        sl.Domain("d", f, f, parameters=parameters, presets={"easy": {}})
    assert sl.domain(sl.Domain("d", f, f, parameters=parameters), preset="b").values == {"preset": "b"}


def test_chance_with_events_alone_makes_a_game_of_chance():
    assert sl.domain(make(events=f)).is_of_chance
    assert not sl.domain(make()).is_of_chance


def test_a_misspelt_field_is_refused_with_the_nearest_one():
    with pytest.raises(TypeError, match=r"^Domain 'd' has no field 'sucessors': did you mean 'successors'\?"):
        sl.Domain("d", sucessors=f)
    with pytest.raises(TypeError, match=r"^Views has no field 'pictures': did you mean 'picture'\?"):
        sl.Views(pictures=f)
    with pytest.raises(TypeError, match=r"^PackedForm has no field 'sucessors': did you mean 'successors' or"):
        sl.PackedForm(9, 4, sucessors=f)
    with pytest.raises(TypeError, match=r"^Heuristic 'h' has no field 'admisible': did you mean 'admissible'\?"):
        sl.Heuristic("h", f, admisible=True)


def test_a_field_of_a_part_is_refused_with_its_place():
    with pytest.raises(TypeError, match=r"^Domain 'd' has no field 'svg': it is one of Views: views=Views\(svg=…\)$"):
        sl.Domain("d", f, f, svg=f)


def test_a_misspelt_field_in_a_plugin_is_a_problem_of_one_line(tmp_path):
    """The other plugins work."""
    source = "from searchlab import Domain\nDomain('d', len, len, heuristic='h')\n"
    (tmp_path / "mine.py").write_text(source)
    (problem,) = sl.Plugins(folders=[tmp_path]).problems
    assert problem.what.endswith(
        "Domain 'd' has no field 'heuristic': it is one of Defaults: defaults=Defaults(heuristic=…) (line 2)"
    )
