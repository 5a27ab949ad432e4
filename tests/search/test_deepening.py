"""The exact behaviour of iterative deepening: thresholds, counts and outcomes of the readable form."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

COUNTS = ("expanded", "generated", "evaluated")


def naive(edges, goals, h):
    """Search recursively as Korf describes it.

    Returns:
        the path to the goal (None without one) and the counts over all iterations.
    """
    counts = dict.fromkeys(COUNTS, 0)

    def asked(state):
        counts["evaluated"] += 1
        return h.get(state, 0)

    def enter(state, parent, g, threshold):
        """The path found below this node, or None, and the smallest f beyond the threshold."""
        if state in goals:
            return [state], inf
        counts["expanded"] += 1
        beyond = inf
        for to, cost in edges.get(state, []):
            if to == parent:
                continue
            counts["generated"] += 1
            f = g + cost + asked(to)
            if f > threshold:
                beyond = min(beyond, f)
                continue
            found, further = enter(to, state, g + cost, threshold)
            if found:
                return [state, *found], inf
            beyond = min(beyond, further)
        return None, beyond

    threshold, path = asked(0), [0] if 0 in goals else None
    while path is None and threshold < inf:
        path, threshold = enter(0, None, 0, threshold)
    return path, counts


@st.composite
def graphs_without_cycles(draw):
    """Graphs whose edges lead from smaller to larger numbers, costs of 0 among them, and values of h."""
    size = draw(st.integers(2, 7))
    edges = {}
    for state in range(size - 1):
        edge = st.tuples(st.integers(state + 1, size - 1), st.sampled_from([0, 0.5, 1, 2]))
        edges[state] = draw(st.lists(edge, max_size=3, unique_by=lambda e: e[0]))
    values = st.sampled_from([0, 0, 0.5, 1, 3, inf])
    h = {state: draw(values) for state in range(size)}
    return edges, draw(st.sets(st.integers(0, size - 1), max_size=2)), h


@given(graphs_without_cycles())
def test_ida_star_equals_a_naive_implementation(graph, drawn):
    """The path and the counts are the same for any graph, costs and h, and the search ends without a solution."""
    edges, goals, h = drawn
    path, counts = naive(edges, goals, h)
    tried = graph(edges, goals)
    result = tried.solve("ida-star", h)
    assert {name: getattr(result, name) for name in COUNTS} == counts
    assert tried.path(result) == (path or [])
    assert result.status in (("solved",) if path else ("unsolvable", "exhausted"))


@given(graphs_without_cycles())
def test_iterative_deepening_is_ida_star_without_estimates(graph, cheapest, drawn):
    """It evaluates nothing, and its solution is a cheapest one."""
    edges, goals, _ = drawn
    path, counts = naive(edges, goals, {})
    tried = graph(edges, goals)
    result = tried.solve("iterative-deepening")
    assert (result.expanded, result.generated) == (counts["expanded"], counts["generated"])
    assert (result.evaluated, tried.path(result)) == (0, path or [])
    if path:
        assert (result.cost, result.optimal) == (cheapest(edges, goals), True)
    else:
        assert result.status == "unsolvable"


def test_the_counts_of_the_worked_example(example8):
    """One iteration of three expansions; of the parents, that are left out, none is counted."""
    result = sl.solve(example8, domain="sliding-tile", frontier="ida-star", engine="readable")
    assert (result.actions, result.optimal) == (("right", "down", "right"), True)
    assert (result.expanded, result.generated, result.evaluated) == (3, 7, 8)


def test_figures_cover_all_iterations(graph):
    """Each threshold starts again, and its figures are added."""
    tried = graph({0: [1], 1: [0, 2], 2: [1, 3]}, goals={3})
    result = tried.solve("ida-star")
    assert tried.expanded == [0, 0, 1, 0, 1, 2, 0, 1, 2]
    assert (result.generated, result.evaluated) == (1 + 2 + 3 + 3, 1 + 1 + 2 + 3 + 3)


def test_successors_beyond_the_threshold_count_as_generated(graph):
    """They are evaluated, and the smallest f among them is the next threshold."""
    tried = graph({0: [(1, 1), (2, 1)], 1: [(3, 1)]}, goals={3})
    result = tried.solve("ida-star", {0: 1, 1: 1, 2: 9})
    assert tried.expanded == [0, 0, 1]
    assert (result.generated, result.cost) == (2 + 1 + 1, 2)


def test_the_goal_is_tested_on_entering(graph):
    """A goal beyond the threshold is not yet a solution; the cheaper way to it is found first."""
    tried = graph({0: [(1, 5), (2, 1)], 2: [(1, 1)]}, goals={1})
    result = tried.solve("ida-star")
    assert (tried.path(result), result.cost) == ([0, 2, 1], 2)


def test_only_the_move_back_is_omitted(graph):
    """A longer circle is walked again and again, one threshold after the other, until the goal is near enough."""
    tried = graph({0: [1], 1: [2], 2: [0, 3], 3: [4]}, goals={4})
    assert tried.path(tried.solve("iterative-deepening")) == [0, 1, 2, 3, 4]


def test_scores_are_refused():
    """A heuristic of which higher is better gives no threshold, and that is said before anything is searched."""
    with pytest.raises(
        sl.UsageError, match="ida-star needs an estimate of the cost to go, and left-weighted is a score"
    ):
        sl.solve(frontier="ida-star", heuristic="left-weighted")
    assert sl.solve(domain="2048:goal=4", frontier="iterative-deepening", engine="readable").moves == 2


def test_negative_estimates_are_refused(graph):
    """The first one met ends the search with an error that shows the board."""
    result = graph({0: [1]}, goals={2}).solve("ida-star", {1: -0.5})
    assert result.status == "error"
    assert result.reason.startswith("heuristic table returned -0.5, and ida-star needs estimates >= 0")
    assert (result.expanded, result.generated) == (1, 1)


def test_not_a_number_is_an_error(graph):
    """As in every search."""
    assert "returned NaN" in graph({0: [1]}).solve("ida-star", {1: nan}).reason


@pytest.mark.parametrize(("admissible", "status"), [(False, "exhausted"), (True, "unsolvable")])
@pytest.mark.parametrize("dead", [0, 1])
def test_dead_ends_prove_unsolvability_only_if_h_is_admissible(graph, admissible, status, dead):
    tried = graph({0: [1], 1: [2]}, goals={2})
    result = tried.solve("ida-star", h=tried.heuristic({dead: inf}, admissible=admissible))
    assert (result.status, result.moves) == (status, None)


def test_the_limit_of_expansions_covers_all_iterations(graph):
    tried = graph({0: [1], 1: [2], 2: [0]}, goals={9})
    result = tried.solve("iterative-deepening", limits=sl.Limits(expansions=50))
    assert (result.status, result.expanded) == ("expansion-limit", 50)


def test_only_the_path_is_stored(graph):
    """The longest path is stored, however many nodes are expanded."""
    tried = graph({state: [2 * state + 1, 2 * state + 2] for state in range(31)}, goals={62})
    result = tried.solve("iterative-deepening")
    assert (result.stored, result.status) == (6, "solved")
    assert result.expanded > 31


@pytest.mark.parametrize("name", ["ida-star", "ida*"])
def test_ida_star_finds_the_same_costs_as_astar(name):
    board = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
    results = [
        sl.solve(board, domain="sliding-tile", frontier=frontier, engine="readable") for frontier in (name, "astar")
    ]
    assert [result.optimal for result in results] == [True, True]
    assert results[0].moves == results[1].moves
