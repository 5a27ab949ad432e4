"""Rules of thresholds: `ibex` and its guarantee, and rules of one's own."""

from itertools import pairwise
from math import inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.costs import exceeds
from tests.search.random_graphs import RandomGraph
from tests.search.test_lower_bounds import claims_hold


def step(tiles, out, costs, prices):
    at = tiles[0, 0]
    if at == len(prices):
        return 0
    out[0, 0, 0] = at + 1
    costs[0] = prices[at]
    return 1


def is_last(tiles, prices):
    return tiles[0, 0] == len(prices)


def nothing(tiles):
    return 0.0


def on_a_chain(prices, frontier, engine="compiled"):
    """Search a chain of states from one end to the other, with these costs of its moves and no estimate."""
    form = sl.PackedForm(len(prices) + 1, 1, step, is_goal=is_last, tables={"prices": prices})
    domain = sl.Domain("chain", packed=lambda board: form, unit_cost=False)
    h = sl.Heuristic("nothing", nothing, admissible=True)
    return sl.solve(sl.Board([[0]]), domain=domain, heuristic=h, frontier=frontier, engine=engine)


def guaranteed(nodes, cost, least, c1=2, c2=8):
    """What `ibex` expands at most: see there."""
    return nodes * c1 / (c1 - 1) * (c1 + 2 * c2 * (2 + log2(max(1, cost) / min(1, least))))


@pytest.mark.parametrize("kind", ["alike", "whole", "any size"])
@pytest.mark.slow
def test_ibex_expands_few_nodes_for_costs_of_many_values(kind):
    """Where IDA* expands half of the square of what an iteration has: the bound on `ibex` is below that."""
    random = np.random.default_rng(1)
    prices = {
        "alike": random.uniform(0.5, 1.5, 5000),
        "whole": random.integers(1, 100, 5000).astype(float),
        "any size": np.exp(random.uniform(-8, 8, 5000)),
    }[kind]
    for c1, c2 in ((2, 8), (4, 32)):
        result = on_a_chain(prices, f"ibex:c1={c1},c2={c2}")
        assert (result.status, result.optimal) == ("solved", True)
        assert result.expanded < guaranteed(5000, prices.sum(), prices.min(), c1, c2)
        assert result.expanded < 40 * 5000
    assert on_a_chain(prices, "ida-star").expanded > guaranteed(5000, prices.sum(), prices.min())


@given(st.lists(st.floats(1e-3, 1e4), min_size=1, max_size=40))
def test_ibex_keeps_its_guarantee_on_chains(prices):
    """Which are short enough here that IDA* would often keep it, too."""
    result = on_a_chain(np.array(prices), "ibex", "readable")
    assert (result.status, result.optimal) == ("solved", True)
    assert result.expanded <= guaranteed(len(prices), sum(prices), min(prices))


def tree_of(graph, most):
    """The nodes that an iteration with this threshold enters if it goes on behind goals, and all f among them."""
    values, count = set(), 0
    waiting = [(0, None, 0.0)]
    while waiting:
        state, parent, g = waiting.pop()
        f = g + graph.values.get(state, 0.0)
        if exceeds(f, most):
            continue
        count += 1
        values.add(f)
        if count > 3000:
            return None
        if state not in graph.goals:
            waiting += [(to, state, g + cost) for to, cost in graph.edges[state] if to != parent]
    return count, sorted(values)


@given(st.integers(0, 2**32))
def test_ibex_keeps_its_guarantee_on_graphs(seed):
    """The trees that the paths of random graphs make, but for those of free cycles."""
    graph = RandomGraph(seed)
    if graph.optimum == inf or not graph.declared.get("admissible"):
        return
    tree = tree_of(graph, graph.optimum)
    if tree is None:
        return
    nodes, values = tree
    least = min((b - a for a, b in pairwise(values) if exceeds(b, a)), default=1)
    result = graph.solve("ibex")
    assert result.optimal
    assert result.expanded <= guaranteed(nodes, graph.optimum - values[0], least)


def by_factor(start_h, factor=3.0):
    done = yield start_h + 1
    while True:
        done = yield factor * done.lower


def once(start_h):
    yield inf, 40


def below(start_h):
    while True:
        yield -inf


RULES = {
    rule.__name__: sl.Frontier(rule.__name__, family="deepening", thresholds=rule) for rule in (by_factor, once, below)
}


@pytest.mark.parametrize("rule", RULES)
@given(st.integers(0, 2**32), st.integers(0, 400))
def test_any_rule_is_right(rule, seed, expansions):
    """Claims hold whatever it yields, solutions become cheaper, and both engines do the same."""
    graph = RandomGraph(seed)
    found = []
    for engine in ("readable", "compiled"):
        result = graph.solve(RULES[rule], engine, limits=sl.Limits(expansions=expansions))
        claims_hold(result, graph.optimum)
        assert all(later.cost < earlier.cost for earlier, later in pairwise(result.solutions))
        if result.ended_by in ("solution", "proof") and graph.declared:
            assert result.optimal or result.status == "unsolvable"
        found.append((result.cost, result.lower_bound, result.expanded, result.layers, result.solutions))
    assert found[0] == found[1]


def test_a_rule_of_lower_thresholds_is_ida_star():
    board = "sliding-tile/puzzle8-20"
    ours, theirs = (sl.solve(board, frontier=frontier) for frontier in (RULES["below"], "ida-star"))
    assert (ours.expanded, ours.layers, ours.actions) == (theirs.expanded, theirs.layers, theirs.actions)


def test_moves_in_place_follow_a_rule(monkeypatch):
    """On sliding tiles with equal costs the kernel is another one."""
    for board in ("sliding-tile/puzzle8-24", "sliding-tile/puzzle8-27"):
        for frontier in ("ibex:c1=1.2,c2=1.3", RULES["by_factor"]):
            one, other = (sl.solve(board, frontier=frontier, engine=engine) for engine in ("readable", "compiled"))
            assert one.optimal
            assert (one.expanded, one.layers, one.solutions) == (other.expanded, other.layers, other.solutions)


def yields(*values):
    return lambda start_h: (value for value in values)


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (yields("far"), "thresholds yields 'far', which is not a number"),
        (yields(float("nan")), "thresholds yields nan; it yields a threshold, or a pair of it and the most expansions"),
        (yields((3, 0)), "thresholds yields (3, 0); it yields a threshold"),
        (lambda start_h: [3], "thresholds returned [3], not a generator"),
        (lambda start_h: (1 / 0 for _ in "once"), "ZeroDivisionError"),
    ],
)
@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_what_is_wrong_with_a_rule_is_said(rule, reason, engine):
    wrong = sl.Frontier("wrong", family="deepening", thresholds=rule)
    result = on_a_chain(np.ones(3), wrong, engine)
    assert result.status == "error"
    assert reason in result.reason


def test_rules_are_for_iterative_deepening():
    with pytest.raises(ValueError, match="thresholds= is for the family 'deepening'"):
        sl.Frontier("wrong", lambda g, h: g, thresholds=once)
    with pytest.raises(ValueError, match="with thresholds= a search ends with a proof"):
        sl.Frontier("wrong", family="deepening", thresholds=once, optimal_with="admissible")
    with pytest.raises(TypeError, match="thresholds asks for 'depth'"):
        sl.Frontier("wrong", family="deepening", thresholds=lambda start_h, depth: iter(()))
