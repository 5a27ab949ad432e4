"""The fewest nodes that searches from both ends have to expand, and how many more they expand."""

from itertools import count, product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.costs import exceeds
from searchlab.search.readable.bidirectional import Bidirectional
from searchlab.search.vertex_cover import smallest_cover
from tests.search.random_graphs import TwoEndedGraph

PUZZLES = ("puzzle8-20", "puzzle8-24", "puzzle8-27")


def necessary(solve, frontier):
    """Search; return the result, and how many nodes were expanded while the lower bound was below the optimum."""
    bounds, expand = [], Bidirectional.expand

    def noted(search, direction, node):
        bounds.append(search.lower_bound)
        expand(search, direction, node)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Bidirectional, "expand", noted)
        result = solve(frontier)
    assert len(bounds) == result.expanded
    return result, sum(exceeds(result.cost, bound) for bound in bounds)


class ConsistentGraph(TwoEndedGraph):
    shapes = ("consistent",)


def consistent_graph(seed):
    """A graph with a solution that costs something and a heuristic that is declared consistent."""
    graphs = (ConsistentGraph(number) for number in count(seed))
    return next(graph for graph in graphs if graph.declared["consistent"] and 0 < graph.optimum < inf)


def cover_of(graph):
    return sl.vertex_cover(sl.Board([[0]]), domain=graph.domain, heuristic=graph.heuristic)


@given(st.integers(0, 2**32))
def test_nbs_expands_at_most_twice_a_smallest_cover_of_random_graphs(seed):
    graph = consistent_graph(seed)
    result, expanded = necessary(graph.solve, "nbs")
    assert result.cost == pytest.approx(graph.optimum)
    assert expanded <= 2 * cover_of(graph).nodes


@pytest.mark.parametrize("frontier", ["mm", "mm:direction=cardinality", "nbs", "dvcbs", "bidirectional-breadth-first"])
@given(st.integers(0, 2**32))
def test_no_search_by_f_and_g_expands_fewer_nodes_than_a_smallest_cover(frontier, seed):
    graph = consistent_graph(seed)
    assert graph.solve(frontier).expanded >= cover_of(graph).nodes


@given(st.integers(0, 2**32))
def test_the_cover_of_a_graph_is_the_smallest_of_all_covers_of_its_pairs(seed):
    """By the theorem of König a smallest cover is as large as a largest matching; here all choices are tried."""
    graph = consistent_graph(seed)
    start, goals = graph.distances[0], graph.distances[:, sorted(graph.goals)].min(axis=1)
    to_goal, from_start = graph.pairs[:, sorted(graph.goals)].min(axis=1), graph.pairs[0]
    epsilon, cost = float(graph.unit_cost), graph.optimum
    forward = [state for state in range(graph.size) if exceeds(cost, start[state] + to_goal[state])]
    backward = [state for state in range(graph.size) if exceeds(cost, goals[state] + from_start[state])]
    pairs = {(u, v) for u, v in product(forward, backward) if exceeds(cost, start[u] + goals[v] + epsilon)}
    matched = {}

    def has_path(u, seen):
        for v in backward:
            if (u, v) in pairs and v not in seen:
                seen.add(v)
                if v not in matched or has_path(matched[v], seen):
                    matched[v] = u
                    return True
        return False

    assert cover_of(graph).nodes == sum(has_path(u, set()) for u in forward)


@pytest.mark.parametrize("name", PUZZLES)
def test_nbs_expands_at_most_twice_a_smallest_cover_of_puzzles(name):
    cover = sl.vertex_cover(f"sliding-tile/{name}")
    solve = {"board": f"sliding-tile/{name}", "engine": "readable"}
    result, expanded = necessary(lambda frontier: sl.solve(frontier=frontier, **solve), "nbs")
    assert cover.cost == result.cost
    assert cover.nodes <= expanded <= 2 * cover.nodes
    assert expanded == sum(layer.expanded for layer in result.layers if layer.limit < result.cost)
    for frontier in ("mm", "dvcbs"):
        assert cover.nodes <= sl.solve(frontier=frontier, **solve).expanded


def test_a_cover_takes_the_direction_with_fewer_nodes():
    assert smallest_cover({0: 1, 1: 10}, {0: 1, 1: 10, 2: 100}, 3, 1) == (1, 1, 3)
    assert smallest_cover({0: 1, 1: 100}, {0: 1, 1: 2}, 2.5, 0) == (0, 3, 2.5)
    assert smallest_cover({}, {0: 1}, 0, 0) == (0, 0, 0)


def test_a_cover_is_refused_where_it_is_not_defined():
    mine = sl.Heuristic("mine", lambda tiles: 0, between=lambda tiles, other: 0, admissible=True)
    with pytest.raises(sl.UsageError, match="mine is not declared consistent"):
        sl.vertex_cover("sliding-tile/puzzle8-20", heuristic=mine)
    with pytest.raises(sl.UsageError, match="no cheapest solution is known"):
        sl.vertex_cover("sliding-tile/puzzle8-20", limits=sl.Limits(expansions=10))
