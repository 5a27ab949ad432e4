"""The parameters that are tuned are found in names of components, with their ranges, and get values there."""

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.matrix import matrix
from searchlab.experiments.search_space import SearchSpace
from searchlab.experiments.specification import Experiment, TunedParameter

PLUGIN = """
from searchlab import Frontier, Heuristic, Parameter, hookimpl


def lean(tiles, left=1.0, steps=3, eager=False, mode="soft"):
    return left


def picky(g, h, weight=2.0):
    return g + weight * h


def check(weight):
    return "" if weight >= 1 else "a weight is 1 or more"


@hookimpl
def searchlab_heuristics():
    yield Heuristic(
        "lean",
        lean,
        parameters=(
            Parameter("left", 1.0, low=0.1, high=10, log=True),
            Parameter("steps", 3, low=1, high=9),
            Parameter("mode", "soft", choices=("soft", "hard")),
        ),
    )


@hookimpl
def searchlab_frontiers():
    yield Frontier("picky", picky, parameters=(Parameter("weight", 2.0, check=check),))
"""


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    file = tmp_path_factory.mktemp("plugins") / "leaning.py"
    file.write_text(PLUGIN)
    return sl.Plugins(files=[file])


def space(plugins, *parameters, **experiment):
    given = {"domains": ["sliding-tile"], "boards": ["sliding-tile/puzzle8-20"], **experiment}
    return SearchSpace(matrix(Experiment(**given), plugins), parameters, plugins)


def names(found, **values):
    """Return the names of the components if parameters, with . spelled _, have these values."""
    parts = found.configuration({key.replace("_", "."): value for key, value in values.items()}).parts
    return {kind: part.name for kind, part in parts.items() if kind != "domain"}


def test_a_declared_range_is_taken(plugins):
    (one,) = space(plugins, "heuristic.left", heuristics=["lean"]).dimensions
    assert (one.low, one.high, one.log, one.default, one.holds_default) == (0.1, 10, True, 1.0, True)


def test_a_given_range_takes_precedence_end_by_end(plugins):
    wanted = TunedParameter("heuristic.left", high=0.5, log=False)
    (one,) = space(plugins, wanted, heuristics=["lean"]).dimensions
    assert (one.low, one.high, one.log, one.holds_default) == (0.1, 0.5, False, False)


def test_the_default_is_what_the_experiment_names(plugins):
    (one,) = space(plugins, "heuristic.steps", heuristics=["lean:steps=7"]).dimensions
    assert one.default == 7


def test_switches_and_declared_choices_need_no_range(plugins):
    found = space(plugins, "heuristic.eager", "heuristic.mode", heuristics=["lean"])
    assert [one.choices for one in found.dimensions] == [(False, True), ("soft", "hard")]
    assert names(found, heuristic_eager=True)["heuristic"] == "lean:eager=yes"


def test_values_are_spelled_in_the_names_of_both_components(plugins):
    found = space(
        plugins,
        "heuristic.left",
        TunedParameter("frontier.weight", 1, 4),
        heuristics=["lean:steps=5"],
        frontiers=["picky"],
    )
    assert names(found, heuristic_left=2.5, frontier_weight=3.0) == {
        "heuristic": "lean:left=2.5,steps=5",
        "frontier": "picky:weight=3",
    }
    assert names(found) == {"heuristic": "lean:steps=5", "frontier": "picky"}


def test_the_default_components_of_a_domain_are_tuned_if_none_is_named(plugins):
    found = space(plugins, "frontier.weight", frontiers=["weighted-astar"])
    assert names(found, frontier_weight=5.0) == {
        "heuristic": "searchlab/taxicab",
        "frontier": "weighted-astar:weight=5",
    }


def test_parameters_inside_a_player_are_tuned(plugins):
    game = {"boards": [], "domains": ["2048-random"], "players": ["expectimax:depth=1,heuristic=smooth"]}
    found = space(plugins, "player.heuristic.blanks", TunedParameter("player.depth", 1, 2), **game)
    assert names(found, player_heuristic_blanks=99.0, player_depth=2) == {
        "player": "expectimax:heuristic=[smooth:blanks=99],depth=2"
    }


def test_parameters_of_a_player_s_default_heuristic_are_tuned(plugins):
    game = {"boards": [], "domains": ["2048-random"], "players": ["greedy"]}
    found = space(plugins, "player.heuristic.merges", **game)
    assert names(found, player_heuristic_merges=100.0) == {"player": "greedy:heuristic=[searchlab/smooth:merges=100]"}
    assert names(found) == {"player": "greedy"}


def test_parts_of_lists_are_numbered(plugins):
    found = space(
        plugins,
        "heuristic.of.2.left",
        TunedParameter("heuristic.weights.1", 0.5, 4),
        heuristics=["weighted-sum:of=[taxicab,lean],weights=[1 2]"],
    )
    assert [one.default for one in found.dimensions] == [1.0, 1.0]
    assert names(found, heuristic_of_2_left=3.0, heuristic_weights_1=2.5)["heuristic"] == (
        "weighted-sum:of=[taxicab,lean:left=3],weights=2.5 2"
    )


class Trial:
    """A trial whose study suggests one value."""

    def __init__(self, value):
        self.value = value

    def suggest_float(self, name, low, high, *, log):
        return self.value


@pytest.mark.parametrize(
    ("suggested", "tried"), [(2.345678, 2.346), (9.99999, 10.0), (0.1, 0.1), (1.23456789, 1.23456789)]
)
def test_tried_values_have_four_digits_or_are_the_default(plugins, suggested, tried):
    """A value is rounded within the range; the default itself is not rounded."""
    (one,) = space(plugins, "heuristic.left", heuristics=["lean:left=1.23456789"]).dimensions
    assert one.suggested_by(Trial(suggested)) == tried


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("blanks", "blanks: the parameters of this experiment are called heuristic.PARAMETER or frontier.PARAMETER"),
        ("player.depth", "player.depth: the parameters of this experiment are called heuristic."),
        ("heuristic.lift", "heuristic lean has no parameter 'lift': "),
        ("frontier.weight", 'frontier.weight has no range: give low and high as { name = "frontier.weight", low ='),
        (TunedParameter("frontier.weight", 0.5, 4), "weight=0.5: a weight is 1 or more"),
        (TunedParameter("heuristic.left", 0, 4), "low is above 0 on a logarithmic scale, not 0"),
        (TunedParameter("heuristic.left", 20), "low and high are two numbers, the second one larger, not 20"),
        (TunedParameter("heuristic.steps", 1.5, 4), "it is a whole number, so low and high are, too"),
        (TunedParameter("heuristic.mode", 1, 2), "only a number has a range, and its default is 'soft'"),
        (TunedParameter("heuristic.left", 1, 2, choices=(1.0, 2.0)), "has choices, so it has no low, high or log"),
        (TunedParameter("heuristic.left", choices=(1.0,)), "two choices or more are needed, not 1"),
        ("heuristic.left.more", "heuristic lean: left is a number, not a component with a parameter more"),
    ],
)
def test_what_cannot_be_tuned_is_one_clear_line(plugins, parameter, said):
    with pytest.raises(UsageError) as raised:
        space(plugins, parameter, heuristics=["lean"], frontiers=["picky"])
    assert str(raised.value).startswith("tune.parameters")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_parameter_named_twice_is_refused(plugins):
    with pytest.raises(UsageError, match=r"heuristic\.left is named twice"):
        space(plugins, "heuristic.left", TunedParameter("heuristic.left"), heuristics=["lean"])


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("heuristic.of.3.left", "parts are named by numbers from 1, and it has 2: taxicab, lean"),
        ("heuristic.of.left", "parts are named by numbers from 1"),
        ("heuristic.of.2", "lean is a heuristic: name a parameter of it"),
        ("heuristic.weights.1", "it is empty: name them"),
    ],
)
def test_a_wrong_place_in_a_list_is_one_clear_line(plugins, parameter, said):
    with pytest.raises(UsageError) as raised:
        space(plugins, parameter, heuristics=["weighted-sum:of=[taxicab,lean]"])
    assert said in str(raised.value)


def test_the_ends_of_all_declared_ranges_are_valid(plugins):
    """What searchlab tune draws by default is never refused."""
    ranged = 0
    for kind in ("heuristic", "frontier", "player"):
        for found in plugins.all(kind):
            for parameter in found.component.own_parameters():
                if parameter.low is not None:
                    ranged += 1
                    for end in (parameter.low, parameter.high):
                        assert not (parameter.check and parameter.check(type(parameter.default)(end)))
                    assert parameter.low <= parameter.default <= parameter.high
    assert ranged > 10
