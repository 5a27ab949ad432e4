"""A problem: what makes sense together, and what a solution or the end of a search proves."""

import re
from math import inf

import pytest

import searchlab as sl
from searchlab.search.problem import EvaluationError, Problem

BOARD = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])


def problem(frontier="astar", h="taxicab", **declared):
    domain = sl.domain("sliding-tile")
    if declared:
        h = sl.Heuristic("h", lambda tiles: 1.0, **declared)
    return Problem(BOARD, domain, sl.heuristic(h, domain=domain), sl.frontier(frontier))


def test_estimates_are_the_values_and_scores_their_negatives():
    """A search minimises: of a score it takes the negative, of an estimate the value."""
    assert problem().estimate(BOARD) == 3
    assert problem(prefer="high").estimate(BOARD) == -1
    assert problem(h=lambda tiles: True).estimate(BOARD) == 1.0


def test_prefer_high_makes_a_function_a_score():
    h = sl.heuristic(lambda tiles: 5, domain="sliding-tile", prefer="high")
    assert Problem(BOARD, sl.domain("sliding-tile"), h, sl.frontier("greedy")).estimate(BOARD) == -5


@pytest.mark.parametrize("value", ["no", None, (), 10**400])
def test_a_value_that_is_not_a_number_raises_with_the_board(value):
    """The error says what was returned and keeps the board."""
    with pytest.raises(EvaluationError, match="which is not a number") as raised:
        problem(h=lambda tiles: value).estimate(BOARD)
    assert raised.value.board is BOARD


def test_an_error_in_the_heuristic_raises_with_its_place():
    """The error says what was raised, and in which file and line."""
    with pytest.raises(EvaluationError, match=r"heuristic <lambda>: ZeroDivisionError: .*test_problem.py, line \d+"):
        problem(h=lambda tiles: 1 // 0).estimate(BOARD)


@pytest.mark.parametrize(
    ("frontier", "declared", "optimal"),
    [
        ("astar", {}, False),
        ("astar", {"admissible": True}, True),
        ("astar", {"consistent": True}, False),
        ("astar", {"admissible": True, "prefer": "high"}, False),
        ("weighted-astar:weight=1", {"admissible": True}, True),
        ("weighted-astar:weight=1.5", {"admissible": True}, False),
        ("greedy", {"admissible": True}, False),
        ("uniform-cost", {}, True),
        ("breadth-first", {}, True),
        ("depth-first", {"admissible": True}, False),
        ("iterative-deepening", {}, True),
        ("ida-star", {"admissible": True}, True),
        ("ida-star", {}, False),
    ],
)
def test_a_solution_is_optimal_if_the_strategy_guarantees_it(frontier, declared, optimal):
    """What a strategy guarantees depends on what the heuristic declares."""
    assert (problem(frontier, summary="declared", **declared).guaranteed(3) == 1) == optimal


def test_a_goal_with_a_negative_estimate_is_not_proved_optimal():
    """A goal with a negative h is taken before cheaper ones, however admissible the heuristic is declared."""
    below = sl.Heuristic("below", lambda tiles: -5.0 if tiles[2, 2] == 0 else 0.0, admissible=True)
    for engine in ("compiled", "readable"):
        found = sl.solve(BOARD, domain="sliding-tile", heuristic=sl.heuristic(below), frontier="astar", engine=engine)
        assert (found.status, found.optimal) == ("solved", False)
    plain = sl.Heuristic("plain", lambda tiles: 0.0, admissible=True)
    assert sl.solve(BOARD, domain="sliding-tile", heuristic=sl.heuristic(plain), frontier="astar").optimal


WEIGHTED = sl.Heuristic("h", lambda tiles, weight=1.0: 0 * weight, admissible=lambda weight: weight <= 1)


@pytest.mark.parametrize(("weight", "optimal"), [(1, True), (0.5, True), (2, False)])
def test_declarations_may_depend_on_parameters(weight, optimal):
    """A weight of 1 keeps it admissible; a larger one does not, and nothing is claimed."""
    h = sl.heuristic(WEIGHTED, weight=weight)
    declared = Problem(BOARD, sl.domain("sliding-tile"), h, sl.frontier("astar"))
    assert (h.admissible, h.consistent, declared.guaranteed(3) == 1, declared.complete(1)) == (
        optimal,
        False,
        optimal,
        optimal,
    )


def test_declarations_may_depend_on_parameters_of_the_domain():
    component = sl.Heuristic("h", lambda tiles: 0, consistent=lambda goal: goal == "blank-first")
    declared = [
        sl.heuristic(component, domain=f"sliding-tile:goal=blank-{end}").consistent for end in ("first", "last")
    ]
    assert declared == [True, False]


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (lambda: 1 / 0, "heuristic h: admissible failed: ZeroDivisionError"),
        (lambda: "yes", "heuristic h: admissible returned 'yes'; it returns True or False"),
        (lambda moon: True, "heuristic h asks for 'moon', which has no default and no value here"),
    ],
)
def test_a_failing_declaration_is_an_error_before_the_search(stated, said):
    with pytest.raises(sl.SearchlabError, match=re.escape(said)):
        problem(admissible=stated)


def test_breadth_first_is_optimal_only_if_every_move_costs_1(graph):
    assert graph({0: [1, 2], 1: [3], 2: [3]}, goals={3}).solve("breadth-first").optimal
    cheaper_but_longer = graph({0: [(1, 1), (2, 1)], 1: [(3, 5)], 2: [(4, 1)], 4: [(3, 1)]}, goals={3})
    assert not cheaper_but_longer.solve("breadth-first").optimal


@pytest.mark.parametrize("frontier", ["greedy", "depth-first", "weighted-astar"])
def test_a_cost_equal_to_the_lower_bound_is_optimal_with_any_strategy(graph, frontier):
    """The domain's bound proves it; a bound below the cost proves nothing."""
    edges = {0: [(3, 1), (1, 2)], 1: [(2, 2)], 3: []}
    found = {
        bound: graph(edges, goals={2}, lower_bound=lambda board, bound=bound: bound).solve(frontier, {3: 9})
        for bound in (3, 4)
    }
    assert (found[4].optimal, found[4].bound_by) == (True, "domain")
    assert (found[3].optimal, found[3].lower_bound, found[3].bound, found[3].bound_by) == (False, 3, 4 / 3, "domain")


def test_the_lower_bound_proves_the_three_moves_of_greedy_on_board10(board10):
    """The lower bound of 2048 says three moves, and a solution has three."""
    result = sl.solve(board10, engine="readable")
    assert (result.moves, result.optimal, result.frontier) == (3, True, "greedy")


def test_without_a_solution_nothing_is_optimal(graph):
    """Also where the strategy would guarantee it."""
    assert graph({0: [1]}).solve("uniform-cost").optimal is False


def test_an_exhausted_search_proves_unsolvability_if_nothing_was_cut_off():
    """A frontier that is not complete proves nothing, and neither do dead ends of a heuristic that promises nothing."""
    assert problem().complete(dead_ends=0)
    assert problem().complete(dead_ends=5)
    assert problem(summary="promises nothing").complete(dead_ends=0)
    assert not problem(summary="promises nothing").complete(dead_ends=1)
    assert not problem(prefer="high", admissible=True).complete(dead_ends=1)
    incomplete = sl.frontier(sl.Frontier("some", lambda g, h: h, complete=False))
    assert not Problem(BOARD, sl.domain("sliding-tile"), problem().heuristic, incomplete).complete(dead_ends=0)


def test_an_incomplete_frontier_is_exhausted(graph):
    """Where it finds no solution, none is excluded."""
    some = sl.frontier(sl.Frontier("some", lambda g, h: h, complete=False))
    assert graph({0: [1]}).solve(some).status == "exhausted"
    assert graph({0: [1]}, goals={1}).solve(some).status == "solved"


def test_a_custom_loop_proves_unsolvability_only_if_it_is_complete(graph):
    """It may give up, as the climbing of a hill does."""

    def run(problem, watch):
        return sl.Outcome("exhausted", watch.statistics)

    statuses = [
        graph({0: [1]}).solve(sl.Frontier("hill", run=run, complete=told)).status for told in (None, False, True)
    ]
    assert statuses == ["exhausted", "exhausted", "unsolvable"]
    assert sl.solve("sliding-tile/puzzle8-20", frontier=run, engine="readable").status == "exhausted"


@pytest.mark.parametrize("width", [0, -5, 2**31])
def test_an_invalid_beam_is_refused(width):
    """Whoever declared it; ours checks its parameter itself."""
    beam = sl.Frontier("narrow", lambda g, h: h, family="beam", parameters=(sl.Parameter("width", 100),))
    for engine in ("readable", "compiled"):
        with pytest.raises(sl.UsageError, match=f"narrow: width={width}: a beam is a whole number of nodes wide"):
            sl.solve("sliding-tile/puzzle8-20", frontier=sl.frontier(beam, width=width), engine=engine)


def test_a_heuristic_with_an_unknown_argument_is_refused():
    """Before anything is searched, with the name of what is missing."""

    def needy(tiles, weights):
        return 0

    with pytest.raises(sl.UsageError, match="heuristic needy asks for 'weights', which has no default and no value"):
        problem(h=needy)
    domain = sl.domain("sliding-tile")
    given = sl.heuristic(needy, domain=domain, weights=[1, 2])
    assert Problem(BOARD, domain, given, sl.frontier("astar")).estimate(BOARD) == 0


def test_an_infinite_estimate_can_be_used():
    """Infinite is a dead end, not an error; NaN and, when deepening, negative values are errors."""
    assert problem().checked(inf, BOARD) == inf
    assert problem().checked(-1, BOARD) == -1
    with pytest.raises(EvaluationError, match="returned NaN"):
        problem().checked(float("nan"), BOARD)
    with pytest.raises(EvaluationError, match="returned -1, and ida-star needs estimates >= 0"):
        problem("ida-star").checked(-1, BOARD)
