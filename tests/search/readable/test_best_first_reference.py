"""The readable best-first search against a naive search, and against the costs of cheapest paths, on random graphs."""

from math import inf

from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

QUEUES = ("breadth-first", "depth-first")
BOTH = ("early", "late")


def naive(edges, goals, h, key, *, late, reopens):
    """Search as the rules say with a plain list for an open list.

    Returns:
        the states expanded in order, the counts, and the cost of the solution (None without one).
    """
    stamp, expanded, entries, closed = 0, [], [], {}
    counts = dict.fromkeys(("generated", "evaluated", "reopened", "duplicates"), 0)
    best = {}

    def put(state, g, parent):
        nonlocal stamp
        stamp += 1
        if not late:
            entries[:] = [entry for entry in entries if entry[1] != state]
        entries.append((key(g, h[state], stamp), state, g, parent))

    def meet(state, g, parent):
        counts["evaluated"] += 1
        if h[state] < inf:
            best.setdefault(state, g)
            put(state, g, parent)

    meet(0, 0, None)
    if 0 in goals:
        return expanded, counts, 0
    while entries:
        entry = min(entries)
        entries.remove(entry)
        _, state, g, parent = entry
        if late and state in closed and (closed[state] <= g or not reopens):
            counts["duplicates"] += 1
            continue
        if state in goals:
            return expanded, counts, g
        counts["reopened"] += late and state in closed
        closed[state] = g
        expanded.append(state)
        for to, cost in edges.get(state, []):
            if to == parent:
                continue
            counts["generated"] += 1
            if late or to not in best:
                meet(to, g + cost, state)
            elif g + cost < best[to] and (to not in closed or reopens):
                counts["reopened"] += to in closed
                closed.pop(to, None)
                best[to] = g + cost
                put(to, g + cost, state)
    return expanded, counts, None


KEYS = {
    "greedy": lambda g, h: h,
    "astar": lambda g, h: g + h,
    "weighted-astar:weight=2.5": lambda g, h: g + 2.5 * h,
    "uniform-cost": lambda g, h: g,
    "breadth-first": lambda g, h: 0,
    "depth-first": lambda g, h: 0,
}
TIES = {"low-h": 1, "high-h": -1, "none": 0}
OPTIMAL = ("astar", "uniform-cost")


@st.composite
def graphs(draw, costs=(0, 0.5, 1, 1, 2, 5)):
    size = draw(st.integers(2, 8))
    states = st.integers(0, size - 1)
    edge = st.tuples(states, st.sampled_from(costs))
    edges = {state: draw(st.lists(edge, max_size=4, unique_by=lambda e: e[0])) for state in range(size)}
    return edges, draw(st.sets(states, max_size=2))


@given(graphs(), st.data(), st.sampled_from(sorted(KEYS)), st.sampled_from(BOTH), st.booleans())
def test_every_strategy_equals_a_naive_search(graph, drawn, data, frontier, duplicates, reopens):
    """Whatever the graph, costs and h: the same nodes in the same order, the same counts, the same cost."""
    edges, goals = drawn
    asks = frontier not in ("uniform-cost", *QUEUES)
    values = [0, 0, 1, 2, 3.5, 7, inf] if asks else [0]
    h = {state: data.draw(st.sampled_from(values)) for state in edges}
    options = {} if frontier in QUEUES else {"duplicates": duplicates, "reopen": "yes" if reopens else "no"}
    late = bool(options) and duplicates == "late"
    ties, oldest = "none", frontier == "breadth-first"
    if options:
        options |= {"ties": (ties := data.draw(st.sampled_from(sorted(TIES))))}
        options |= {"order": "oldest" if (oldest := data.draw(st.booleans())) else "newest"}

    def key(g, h, stamp):
        return KEYS[frontier](g, h), TIES[ties] * h, stamp if oldest else -stamp

    expanded, counts, cost = naive(edges, goals, h, key, late=late, reopens=bool(options) and reopens)
    tried = graph(edges, goals)
    result = tried.solve(sl.frontier(frontier, **options), h)
    if not asks:
        counts["evaluated"] = 0
    assert tried.expanded == expanded
    assert {name: getattr(result, name) for name in counts} == counts
    assert (result.status == "solved") == (cost is not None)
    if frontier in OPTIMAL and reopens:
        assert result.cost == cost


@given(graphs(), st.data(), st.sampled_from(BOTH))
def test_admissible_estimates_find_cheapest_paths(graph, cheapest, drawn, data, duplicates):
    """A* with any admissible h, consistent or not, is optimal and says so; weighted A* stays within its weight."""
    edges, goals = drawn
    exact = {state: cheapest(moved_start(edges, state), {swap(goal, state) for goal in goals}) for state in edges}
    shares = {state: data.draw(st.sampled_from([0, 0.5, 1])) for state in edges}
    estimates = {state: exact[state] * shares[state] if shares[state] else 0 for state in edges}
    tried = graph(edges, goals, duplicates=duplicates)
    h = tried.heuristic(estimates, admissible=True)
    for frontier, weight in (("astar", 1), ("uniform-cost", 1), ("weighted-astar:weight=2", 2)):
        result = tried.solve(frontier, h=h)
        assert (result.status == "solved") == (exact[0] < inf)
        if exact[0] < inf:
            assert exact[0] <= result.cost <= weight * exact[0]
            assert result.optimal or weight > 1
            assert not result.optimal or result.cost == exact[0]
        else:
            assert result.status == "unsolvable"


def swap(state, start):
    return {0: start, start: 0}.get(state, state)


def moved_start(edges, start):
    """The graph with another state in the place of 0."""
    return {swap(state, start): [(swap(to, start), cost) for to, cost in es] for state, es in edges.items()}


@given(graphs(costs=(1,)), st.sampled_from(sorted(KEYS)))
def test_every_strategy_is_complete(graph, cheapest, drawn, frontier):
    """Each finds a solution where there is one, and proves that there is none where there is none."""
    edges, goals = drawn
    result = graph(edges, goals).solve(frontier)
    fewest = cheapest(edges, goals)
    assert result.status == ("solved" if fewest < inf else "unsolvable")
    if frontier in ("breadth-first", "uniform-cost") and fewest < inf:
        assert (result.moves, result.optimal) == (fewest, True)
