"""The names that functions may ask for; no name has two meanings."""

from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.compiled.problem import form_arguments, heuristic_arguments

START = sl.Board([[0, 0]])
REACH = np.array([3, 5])


def steps(tiles, out, reach):
    return 0


def arrived(tiles, last):
    return tiles[0, 0] == last


def no_moves(board):
    return []


ROUTE = sl.Domain(
    "route",
    no_moves,
    lambda board, last: board.tile_at(0, 0) == last,
    parameters=(sl.Parameter("length", 4),),
    values={"last": lambda board, length: length + board.shape[1], "nothing": lambda board: None},
    packed=lambda board: sl.PackedForm(9, 1, steps, arrived, tables={"reach": REACH}),
)


def route(**fields):
    return sl.domain(replace(ROUTE, **fields))


def test_names_are_parameters_values_and_tables():
    assert {**route().names(START)} == {"length": 4, "last": 6, "reach": REACH}
    assert {**route().names()} == {"length": 4}


def test_values_are_computed_on_demand_and_once():
    asked = []
    domain = route(values={"last": lambda board: asked.append(board) or 1})
    names = domain.names(START)
    assert names["length"] == 4
    assert not asked
    assert (names["last"], names["last"], asked) == (1, 1, [START])


def test_rules_on_boards_may_ask_for_parameters_values_and_tables():
    domain = route(why_unsolvable=lambda board, length, last, reach: f"{length} {last} {reach.tolist()}")
    assert domain.why_unsolvable(START) == "4 6 [3, 5]"
    assert domain.is_goal(sl.Board([[7, 1, 1]]))  # the offer is another one for boards of another shape
    assert not domain.is_goal(sl.Board([[7, 1]]))


def test_the_packed_form_may_ask_for_values():
    domain = route(packed=lambda board, last: sl.PackedForm(9, last, steps, arrived, tables={"reach": REACH}))
    assert domain.packed(START).max_successors == 6


def test_all_forms_of_a_heuristic_may_ask_for_the_same_names():
    def h(tiles, reach, last, weight=2):
        return weight * reach[0] + last

    h = sl.heuristic(sl.Heuristic("h", h), domain=route())
    form = h.domain.packed(START)
    assert (h(START), str(h)) == (12, "h")
    compiled = heuristic_arguments(h, h.domain, form, START)
    assert [compiled[name] for name in ("reach", "last", "length", "weight")] == [REACH, 6, 4, 2]
    assert form_arguments(h.domain, form, START)["last"] == 6


def test_players_and_renderers_may_ask_for_the_same_names():
    def picture(board, length, last, reach, mark="-"):
        return f"{mark}{length}{last}{reach[1]}"

    def player(board, moves, reach, last):
        return moves[last - reach[0] - 3].action

    def on(board):
        return [("on", START)]

    assert sl.renderer(sl.Renderer("r", picture), domain=route(), mark="+")(START) == "+465"
    player = sl.player(sl.Player("p", player), domain=route(successors=on))
    assert player.begin(0)(START, (sl.Move("on", START),)) == "on"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"tables": {"length": 4}}, "route: 'length' is both a parameter of the domain and a table of its packed form"),
        ({"tables": {"last": 5}}, "route: 'last' is both a value of the domain and a table of its packed form"),
    ],
)
def test_a_name_with_two_meanings_is_refused(fields, said):
    domain = route(packed=lambda board: sl.PackedForm(9, 1, steps, arrived, **fields))
    with pytest.raises(sl.PluginError) as error:
        domain.packed(START)
    assert str(error.value) == f"{said}: rename one of them"


def test_a_value_and_a_table_with_equal_content_may_share_a_name():
    domain = route(packed=lambda board: sl.PackedForm(9, 1, steps, arrived, tables={"last": 6}))
    assert domain.packed(START).tables == {"last": 6}


def test_a_value_named_like_a_parameter_is_refused_in_the_declaration():
    with pytest.raises(
        ValueError, match="Domain 'route': 'length' is both a parameter and one of the values: rename one"
    ):
        route(values={"length": lambda board: 4})


def test_a_heuristics_own_parameter_named_like_a_table_is_refused():
    h = sl.heuristic(sl.Heuristic("h", lambda tiles, reach=1: reach), domain=route())
    said = "heuristic h: 'reach' is both a parameter of its own and a table of the packed form of route: rename one"
    with pytest.raises(sl.PluginError, match=said):
        heuristic_arguments(h, h.domain, h.domain.packed(START), START)


def test_an_unknown_argument_is_an_error_of_one_line():
    domain = route(is_goal=lambda board, colour: True)
    with pytest.raises(sl.UsageError, match="route asks for 'colour', which has no default and no value here"):
        domain.is_goal(START)
