"""Loops in Python over a node store: what they find, count and prove."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from tests.search.random_graphs import RandomGraph
from tests.search.test_lower_bounds import claims_hold

pytestmark = pytest.mark.filterwarnings("ignore::searchlab.SearchlabWarning")


def together(problem, watch, weight=1.0, most=1):
    """Weighted A* that expands the best nodes together."""
    store = sl.NodeStore(problem, watch)
    store.push([0], [0])
    while len(nodes := store.take(most)):
        goals = nodes[store.are_goals(nodes)]
        if len(goals):
            return store.outcome("solved", goals[0])
        if stopped := watch.stop(store.statistics, store.open_nodes):
            return store.outcome(stopped)
        found = store.expand(nodes)
        store.push(found, store.g[found] + weight * store.h[found])
    return store.outcome("exhausted")


def weighted(g, h, weight=1.0):
    return g + weight * h


TOGETHER = sl.Frontier("together", run=together)
ONE_BY_ONE = sl.Frontier("one-by-one", queues=(sl.Queue(weighted),), reopen="yes")


@given(st.integers(0, 2**32), st.sampled_from([1, 2, 50]), st.one_of(st.none(), st.integers(1, 30)))
def test_claims_of_a_loop_follow_from_the_exact_costs(seed, most, expansions):
    graph = RandomGraph(seed)
    limits = sl.Limits(expansions=expansions)
    result = graph.solve(sl.frontier(TOGETHER, most=most, weight=1.5), "auto", limits=limits)
    claims_hold(result, graph.optimum)
    assert result.expanded <= (expansions or 10**6)


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 6), st.one_of(st.none(), st.integers(1, 30)))
def test_local_exploration_claims_what_follows_and_finds_a_solution_where_there_is_one(seed, stall, budget, expansions):
    graph = RandomGraph(seed)
    frontier, limits = f"local-exploration:stall={stall},budget={budget}", sl.Limits(expansions=expansions)
    result = graph.solve(frontier, "auto", limits=limits)
    claims_hold(result, graph.optimum)
    if expansions is None and graph.optimum < float("inf") and graph.shape != "wrong":
        assert result.status == "solved"


def test_local_exploration_is_greedy_search_until_it_is_stuck():
    local, greedy = (sl.solve("sliding-tile/puzzle8-27", frontier=name) for name in ("local-exploration", "greedy"))
    assert greedy.expanded < 1000
    assert (local.actions, local.expanded) == (greedy.actions, greedy.expanded)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 2.0]))
def test_a_loop_that_takes_one_node_at_a_time_does_as_the_declared_strategy(seed, weight):
    graph = RandomGraph(seed)
    loop = graph.solve(sl.frontier(TOGETHER, weight=weight), "auto")
    declared = graph.solve(sl.frontier(ONE_BY_ONE, weight=weight), "compiled")
    figures = ("status", "cost", "expanded", "generated", "lower_bound")
    assert [getattr(loop, name) for name in figures] == [getattr(declared, name) for name in figures]


def test_an_expanded_node_is_not_expanded_again():
    seen = {}

    def run(problem, watch):
        store = sl.NodeStore(problem, watch)
        first = store.expand([0])
        seen["depth"], seen["g"] = store.depth[first].tolist(), store.g[first].tolist()
        seen["again"] = store.expand([0]).tolist()
        return store.outcome("exhausted")

    result = sl.solve("sliding-tile/puzzle8-20", frontier=sl.Frontier("first", run=run))
    assert set(seen["depth"]) == {1}
    assert set(seen["g"]) == {1.0}
    assert seen["again"] == []
    assert (result.status, result.expanded, result.generated) == ("exhausted", 1, len(seen["g"]))
    assert result.lower_bound > 0


def test_a_store_refuses_a_node_it_does_not_have():
    def run(problem, watch):
        store = sl.NodeStore(problem, watch)
        store.push([5], [0])

    result = sl.solve("sliding-tile/puzzle8-20", frontier=sl.Frontier("wrong", run=run))
    assert result.status == "error"
    assert "a node store has the nodes 0 to 0" in result.reason


def test_the_limit_of_memory_ends_a_loop():
    limits = sl.Limits(memory=2 * 2**20)
    result = sl.solve("sliding-tile/korf100/001", frontier=sl.frontier(TOGETHER, most=1000), limits=limits)
    assert result.status == "memory-limit"
