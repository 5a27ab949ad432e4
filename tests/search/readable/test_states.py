"""Searches in domains whose states are not boards: texts, numbers, tuples and frozensets."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl

ROADS = {
    "Arad": {"Zerind": 75, "Sibiu": 140, "Timisoara": 118},
    "Zerind": {"Oradea": 71, "Arad": 75},
    "Oradea": {"Sibiu": 151, "Zerind": 71},
    "Timisoara": {"Arad": 118},
    "Sibiu": {"Fagaras": 99, "Rimnicu": 80, "Arad": 140, "Oradea": 151},
    "Rimnicu": {"Pitesti": 97, "Sibiu": 80},
    "Fagaras": {"Bucharest": 211, "Sibiu": 99},
    "Pitesti": {"Bucharest": 101, "Rimnicu": 97},
    "Bucharest": {},
}
AIR = {"Arad": 366, "Bucharest": 0, "Fagaras": 176, "Oradea": 380, "Pitesti": 100, "Rimnicu": 193, "Sibiu": 253}
BEST = ("Arad", "Sibiu", "Rimnicu", "Pitesti", "Bucharest")


def roads_from(state):
    return ((to, to, km) for to, km in ROADS[state].items())


ROUTE = sl.Domain("route", roads_from, lambda state: state == "Bucharest", unit_cost=False)
STRAIGHT = sl.Heuristic("straight", lambda state: AIR.get(state, 329), admissible=True)


def pours(state):
    """Two jugs, of 4 and 3 litres."""
    large, small = state
    into_small, into_large = min(large, 3 - small), min(small, 4 - large)
    yield "fill large", (4, small)
    yield "fill small", (large, 3)
    yield "empty large", (0, small)
    yield "empty small", (large, 0)
    yield "pour large", (large - into_small, small + into_small)
    yield "pour small", (large + into_large, small - into_large)


JUGS = sl.Domain("jugs", pours, lambda state: state[0] == 2, start=lambda: (0, 0))


def crossings(left):
    """A farmer, a wolf, a goat and a cabbage; the state is who is on the left bank."""
    everybody = frozenset({"farmer", "wolf", "goat", "cabbage"})
    here = left if "farmer" in left else everybody - left
    for other in sorted(here):
        crossing = frozenset({"farmer", other})
        after = left - crossing if "farmer" in left else left | crossing
        alone = everybody - after if "farmer" in after else after
        if not {"wolf", "goat"} <= alone and not {"goat", "cabbage"} <= alone:
            yield other, after


FARMER = sl.Domain(
    "farmer",
    crossings,
    lambda left: not left,
    start=lambda: frozenset({"farmer", "wolf", "goat", "cabbage"}),
    views=sl.Views(label=lambda left: ", ".join(sorted(left)) or "nobody"),
)


@pytest.fixture(autouse=True)
def _no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_texts_are_searched_with_costs_and_a_plain_function_of_the_state():
    """Without a warning about the engine."""
    result = sl.solve("Arad", domain=ROUTE, heuristic=lambda state: AIR.get(state, 329))
    assert (result.status, result.cost, result.states, result.labels) == ("solved", 418, BEST, BEST)
    assert (result.start, result.engine, result.actions) == ("Arad", "readable", BEST[1:])


@pytest.mark.parametrize("frontier", ["astar", "uniform-cost", "ida-star", "weighted-astar:weight=1", "bfs-tree"])
def test_frontiers_find_the_cheapest_way(frontier):
    heuristic = STRAIGHT
    if frontier == "bfs-tree":
        frontier, heuristic = "astar:duplicates=late", STRAIGHT
    result = sl.solve("Arad", domain=ROUTE, heuristic=heuristic, frontier=frontier)
    assert (result.cost, result.optimal) == (418, True)


@pytest.mark.parametrize("frontier", ["greedy", "beam:width=3", "depth-first", "breadth-first"])
def test_other_frontiers_find_a_way(frontier):
    result = sl.solve("Arad", domain=ROUTE, heuristic=STRAIGHT, frontier=frontier)
    assert result.states[0] == "Arad"
    assert result.states[-1] == "Bucharest"


def test_batches_are_evaluated_state_by_state():
    assert sl.solve("Arad", domain=ROUTE, heuristic=STRAIGHT, batch=10).cost == 418


def test_tuples_are_searched_from_the_start_of_the_domain():
    result = sl.solve(domain=JUGS, frontier="breadth-first")
    assert (result.moves, result.states[0], result.states[-1][0], result.optimal) == (6, (0, 0), 2, True)


def test_frozensets_are_searched_and_shown_by_their_labels():
    result = sl.solve(domain=FARMER, frontier="breadth-first")
    assert (result.moves, result.optimal, result.states[-1]) == (7, True, frozenset())
    assert result.labels[0] == "cabbage, farmer, goat, wolf"
    assert result.labels[-1] == "nobody"
    assert "cabbage, farmer, goat, wolf →" in result._repr_html_()


def test_an_unsolvable_problem_is_proved_to_be():
    result = sl.solve("Bucharest", domain=replace(ROUTE, is_goal=lambda state: False), heuristic=STRAIGHT)
    assert (result.status, result.reason, result.labels) == (
        "unsolvable",
        "no move is possible from this board",
        ("Bucharest",),
    )


def test_parameters_are_filled_in_for_functions_of_states():
    domain = sl.Domain(
        "count",
        lambda state, step: [("add", state + step)],
        lambda state, limit: state >= limit,
        start=lambda: 0,
        parameters=(sl.Parameter("step", 3), sl.Parameter("limit", 10)),
    )
    left = sl.Heuristic("left", lambda state, limit, step: max(0, math.ceil((limit - state) / step)), admissible=True)
    result = sl.solve(domain=sl.domain(domain, limit=7), heuristic=left)
    assert (result.states, result.optimal) == ((0, 3, 6, 9), True)


def test_goals_may_be_listed_in_place_of_a_goal_test():
    domain = sl.Domain("to", roads_from, goals=lambda state: ["Fagaras"], unit_cost=False)
    assert sl.solve("Arad", domain=domain, frontier="uniform-cost").states[-1] == "Fagaras"


def test_moves_of_a_bound_domain_take_the_state():
    domain = sl.domain(JUGS)
    assert domain.start() == (0, 0)
    assert domain.successors((0, 0))[0] == ("fill large", (4, 0))
    assert domain.neighbors((4, 3))[0] == (4, 3)
    assert (domain.is_goal((2, 0)), domain.is_dead((2, 0))) == (True, False)
    assert sl.heuristic(lambda state: state[0], domain=domain)((4, 1)) == 4


def test_a_text_is_the_name_of_a_board_only_if_there_is_one(tmp_path, monkeypatch):
    """For a domain that has no start, which would tell."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sl.BoardError, match=r"Arad\.txt: no such file"):
        sl.solve("Arad.txt", domain=ROUTE)
    named = replace(ROUTE, start=lambda: "Sibiu")
    (tmp_path / "Arad").write_text("1\n0\n")
    assert sl.solve("Arad", domain=named, heuristic=STRAIGHT).start == "Arad"


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda: sl.solve("Arad", domain=ROUTE, engine="compiled"),
            "the compiled engine needs boards, and the states of",
        ),
        (
            lambda: sl.play("Arad", domain=ROUTE, player="random"),
            "a player needs boards, and the states of route are texts",
        ),
        (lambda: sl.play(domain=JUGS, player="random"), "a player needs boards, and the states of jugs are tuples"),
        (lambda: sl.advise("Arad", domain=ROUTE), "a player needs boards"),
        (lambda: sl.state_space("Arad", domain=ROUTE), "an enumeration needs boards"),
        (lambda: sl.state_space(domain=JUGS), "an enumeration needs boards"),
        (lambda: sl.distances(JUGS), "a table of distances needs boards"),
        (lambda: sl.solve(["Arad"], domain=ROUTE), r"route: \['Arad'\] is not a state: a list can change"),
    ],
)
def test_refused_where_boards_are_needed(use, message):
    """In one line that names a way out."""
    with pytest.raises(sl.UsageError, match=message):
        use()


def test_boards_of_a_result_with_other_states_are_refused():
    result = sl.solve("Arad", domain=ROUTE, heuristic=STRAIGHT)
    with pytest.raises(sl.UsageError, match=r"the states of route are texts; use result\.states"):
        _ = result.boards
    assert sl.solve("Bucharest", domain=replace(ROUTE, is_goal=lambda state: False)).boards == ()


def test_boards_are_refused_by_a_domain_of_other_states():
    with pytest.raises(sl.BoardError, match="its states are tuples, not boards"):
        sl.solve(sl.Board([[1]]), domain=JUGS)
    with pytest.raises(sl.BoardError, match="no such file"):
        sl.solve("Arad", domain=JUGS)


def test_states_are_refused_by_a_domain_of_boards():
    with pytest.raises(sl.BoardError, match="no such file"):
        sl.solve("Arad", domain="2048")
    with pytest.raises(sl.UsageError, match="a Board is wanted"):
        sl.solve((1, 2), domain="2048")


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        (("a", ["b"]), "is not a state: a list can change"),
        (("a", sl.Board([[0]])), "a state like the one before, not Board"),
        (("a", "b", -1), "a cost is a number from 0"),
        (("a", "b", 2), "without unit_cost=False every move costs 1"),
        ((1, "b"), "with a text, not int"),
        ("b", "missing 1 required positional argument"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_wrong_successors_are_the_domain_s_errors(yielded, message, late):
    """Also after the first thousand states, of which not all are looked into."""

    def successors(state):
        if isinstance(state, int):
            yield from ([yielded] if state == 1700 else [("next", state + 1)])
        else:
            yield yielded

    start = 0 if late else "a"
    if late and yielded[1:2] == ("b",):
        message = "the state 'b' of type str after one of type int, and all states of a domain have the same type"
    result = sl.solve(start, domain=sl.Domain("wrong", successors, lambda state: False))
    assert result.status == "error"
    assert message in result.reason


@pytest.mark.parametrize(
    ("start", "after", "is_refused"),
    [(0, "0", True), ("a", ("a",), True), ((1,), frozenset({1}), True), (0, 0.5, False), (0, True, False)],
)
def test_a_successor_of_another_type_is_refused(start, after, is_refused):
    domain = sl.Domain("mixed", lambda state: [("a", after)] if state == start else [], lambda state: state == after)
    result = sl.solve(start, domain=domain)
    assert result.status == ("error" if is_refused else "solved")
    assert ("all states of a domain have the same type" in result.reason) == is_refused


@pytest.mark.parametrize("items", [2, 3, 4])
@pytest.mark.parametrize(
    ("action", "cost", "message"),
    [(7, 2.5, "with a text, not int"), ("a", -1.0, "costs -1"), ("a", math.nan, "costs nan"), ("a", "2", "costs")],
)
def test_actions_and_costs_of_every_state_are_checked(items, action, cost, message):
    """However many were right before: of pairs, of successors with a cost, and of those that say whether it is over."""
    if items == 2 and cost != 2.5:
        pytest.skip("a pair has no cost")

    def successors(state):
        wrong = state == "1501"
        yield (action if wrong else "a", str(int(state) + 1), cost if wrong else 2.5, False)[:items]

    domain = sl.Domain("wrong", successors, lambda state: state == "3000", unit_cost=False)
    result = sl.solve("0", domain=domain, frontier="uniform-cost")
    assert (result.status, result.expanded) == ("error", 1502)
    assert message in result.reason


def test_costs_are_floats_whatever_numbers_the_rule_yields():
    def successors(state):
        yield "a", str(int(state) + 1), np.float64(0.5) if state == "1501" else 0.5

    domain = sl.Domain("steps", successors, lambda state: state == "3000", unit_cost=False)
    result = sl.solve("0", domain=domain, frontier="uniform-cost")
    assert (result.cost, type(result.cost)) == (1500.0, float)


def test_a_game_that_ends_elsewhere_than_in_a_goal_is_lost():
    """Its state may also be reached by a move after which the game goes on."""
    edges = {("s",): [("x", True), ("m", False)], ("m",): [("x", False), ("t", True)], ("x",): [("t", False)]}

    def successors(state):
        return ((after, (after,), 1, ends) for after, ends in edges.get(state, []))

    domain = sl.Domain("ends", successors, lambda state: state == ("t",))
    result = sl.solve(("s",), domain=domain, frontier="breadth-first")
    assert (result.states, result.generated) == ((("s",), ("m",), ("t",)), 5)
    edges["s",] = [(["x"], True)]
    assert "is not a state: a list can change" in sl.solve(("s",), domain=domain, frontier="breadth-first").reason


def test_a_heuristic_that_fails_names_the_state():
    result = sl.solve("Arad", domain=ROUTE, heuristic=lambda state: {"Arad": 1}[state])
    assert result.status == "error"
    assert "KeyError" in result.reason
    assert result.reason.splitlines()[1] == "Zerind"


def test_none_is_a_state_among_texts():
    """The move straight back to it is left out, and a text in which the solution ends is no name of a file."""
    moves = {None: ["a"], "a": [None, "b"], "b": []}

    def successors(state):
        return ((str(after), after) for after in moves[state])

    result = sl.solve(domain=sl.Domain("mixed", successors, lambda state: state == "b", start=lambda: None))
    assert (result.states, result.generated) == ((None, "a", "b"), 2)
