"""Strategies with several queues: both engines do the same on random graphs, and what they promise holds."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab import Frontier, Parameter, Queue
from tests.search.random_graphs import RandomGraph
from tests.search.test_lower_bounds import FIGURES, claims_hold

MORE_FIGURES = (*FIGURES, "evaluated", "reopened", "max_open", "ended_by")


def deepest(depth):
    return -depth


def estimate(h):
    return h


def weighted(g, h, weight=3.0):
    return g + weight * h


def potential(g, h, incumbent):
    """How likely a cheaper solution is (Stern et al. 2011)."""
    return h if incumbent == inf else h / (incumbent - g + 1)


def relative(g, h, f_min):
    return (g + 2 * h) / (f_min + 1)


def lower(weight, step):
    return {"weight": max(1.0, weight - step)} if weight > 1 else None


def corrected(g, h, depth, start_h):
    """f corrected by the mean error of h in a move of the path."""
    return g + h + max(0.0, g + h - start_h) / max(1, depth) * (h + 1)


def steps(d, depth, start_d):
    return d + 0.1 * (d + depth - start_d)


def is_promising(g, h, depth, start_h, f_min):
    return corrected(g, h, depth, start_h) <= 1.5 * f_min


def is_early(incumbent, weight, start_h):
    return incumbent > weight * start_h


WEIGHTS = (Parameter("weight", 4.0), Parameter("step", 1.5))
STRATEGIES = {
    "turns": {"queues": (Queue(estimate), Queue(weighted, share=2))},
    "random": {"queues": (Queue(deepest, share=0.2), Queue(estimate, share=0.7)), "choose": "random"},
    "focal": {"queues": (Queue(deepest, focal=2.0),), "reopen": "yes"},
    "bounded": {"queues": (Queue(), Queue(estimate)), "bound": 1.5, "reopen": "yes"},
    "bounded and closed": {"queues": (Queue(), Queue(estimate, focal=2.0)), "bound": 2.0},
    "anytime": {"queues": (Queue(weighted),), "bound": 1, "reopen": "yes", "ties": "low-h"},
    "potential": {"queues": (Queue(potential),), "bound": 1, "reopen": "yes"},
    "relative": {"queues": (Queue(relative, share=3), Queue()), "bound": 1.2, "reopen": "yes"},
    "first": {
        "queues": (
            Queue(steps, focal=1.5, of=corrected, when=is_promising),
            *(Queue(corrected, when=is_promising), Queue()),
        ),
        "choose": "first",
        "bound": 1.5,
        "reopen": "yes",
        "parameters": (Parameter("d", "", kind="heuristic"),),
    },
    "first in rounds": {
        "queues": (Queue(weighted, when=is_early), Queue(estimate, focal=1.2, of=weighted)),
        "choose": "first",
        "bound": 1,
        "restart": lower,
        "parameters": WEIGHTS,
    },
    "rounds": {"queues": (Queue(weighted),), "bound": 1, "restart": lower, "parameters": WEIGHTS},
    "rounds from the start": {
        **{"queues": (Queue(weighted),), "bound": 1, "restart": lower, "restart_from": "start"},
        "parameters": WEIGHTS,
    },
    "rounds within a bound from the start": {
        **{"queues": (Queue(weighted),), "bound": 1.5, "restart": lower, "restart_from": "start", "reopen": "yes"},
        "parameters": WEIGHTS,
    },
    "rounds of two from the start": {
        **{"queues": (Queue(weighted), Queue(estimate)), "restart": lower, "restart_from": "start", "reopen": "yes"},
        "parameters": WEIGHTS,
    },
    "types": {"queues": (Queue(estimate), Queue(types=("h", "g"), share=2))},
    "any": {"queues": (Queue(estimate, share=0.6), Queue(types=(), share=0.4)), "choose": "random", "reopen": "yes"},
    "classes by two values": {
        **{"queues": (Queue(relative), Queue(deepest), Queue(types=("h",))), "bound": 1.5, "reopen": "yes"},
        "ties": "high-h",
    },
    "up to a cost": {"queues": (Queue(potential), Queue(estimate)), "bound": 1, "cost_limit": 5, "reopen": "yes"},
    "types within a bound": {"queues": (Queue(types=("depth",)), Queue()), "bound": 1.5, "reopen": "yes"},
    "types first": {
        **{"queues": (Queue(estimate, when=is_promising), Queue(types=("h",))), "choose": "first"},
        **{"bound": 2, "reopen": "yes"},
    },
    "rounds of types": {"queues": (Queue(types=("g",)),), "bound": 1, "restart": lower, "parameters": WEIGHTS},
    "rounds of two": {"queues": (Queue(weighted), Queue(estimate)), "restart": lower, "parameters": WEIGHTS},
}
BOUNDS = {
    **{"first": 1.5, "first in rounds": 1, "bounded": 1.5, "anytime": 1, "relative": 1.2, "rounds": 1},
    **{"types within a bound": 1.5, "rounds within a bound from the start": 1.5},
}


@pytest.mark.parametrize("name", STRATEGIES)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 30)))
def test_both_engines_do_the_same_with_several_queues(name, seed, expansions):
    graph, frontier = RandomGraph(seed), sl.frontier(Frontier(name, **STRATEGIES[name]))
    limits = sl.Limits(expansions=expansions)
    readable, compiled = (graph.solve(frontier, engine, limits=limits) for engine in ("readable", "compiled"))
    claims_hold(readable, graph.optimum)
    assert [getattr(readable, figure) for figure in MORE_FIGURES] == [
        getattr(compiled, figure) for figure in MORE_FIGURES
    ]
    told, same = ([(one.expanded, one.cost) for one in result.solutions] for result in (readable, compiled))
    assert told == same
    costs = [cost for _, cost in told]
    assert costs == sorted(set(costs), reverse=True)
    is_limited = expansions is not None or "cost_limit" in STRATEGIES[name]
    if not is_limited and graph.optimum < inf and graph.shape != "wrong":
        assert readable.cost is not None
    if expansions is None and graph.optimum < inf and graph.declared:
        assert readable.bound is None or readable.bound <= BOUNDS.get(name, inf) * (1 + 1e-9)


@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_a_condition_that_is_no_number_is_an_error(engine):
    queues = Queue(lambda h: h, when=lambda g: g * float("nan")), Queue()
    result = sl.solve(
        "sliding-tile/puzzle8-20", frontier=Frontier("wrong", queues=queues, choose="first"), engine=engine
    )
    assert (result.status, result.cost) == ("error", None)
    assert "condition" in result.reason
    assert "is NaN" in result.reason


def test_queues_ask_for_the_values_of_further_heuristics():
    board = sl.read_board("sliding-tile/puzzle8-20")
    frontier = sl.frontier(
        Frontier(
            "by-others",
            queues=(Queue(lambda g, other: g + other), Queue(lambda listed, h: listed + h)),
            parameters=(
                Parameter("other", "misplaced", kind="heuristic"),
                Parameter("listed", "misplaced,taxicab", kind="heuristics"),
            ),
        )
    )
    readable, compiled = (
        sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier, engine=engine)
        for engine in ("readable", "compiled")
    )
    assert readable.actions == compiled.actions
    assert [getattr(readable, name) for name in MORE_FIGURES] == [getattr(compiled, name) for name in MORE_FIGURES]
    assert readable.evaluated > 2 * readable.stored - 2  # taxicab is the search's own, and evaluated once


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"queues": (Queue(lambda h, k: h),)}, "asks for 'k'"),
        ({"queues": (Queue(),), "priority": lambda g, h: g}, "queues stand in place of a priority"),
        ({"priority": lambda g, h: g, "bound": 2}, "and restart are for a strategy with queues"),
        ({"queues": (Queue(),), "bound": 0.5}, "a factor of 1 or more"),
        ({"queues": (lambda h: h,)}, "not a tuple of Queue"),
        ({"queues": (Queue(types=("h", "f_min")),)}, "types of queue 1 name 'f_min'"),
        ({"queues": (Queue(estimate, when=is_promising), Queue())}, 'for the rule choose="first"'),
        (
            {"queues": (Queue(estimate, when=is_promising),), "choose": "first"},
            "needs a queue without when=",
        ),
        ({"queues": (Queue(estimate, focal=2, of=deepest), Queue())}, "the priority of no queue without focal"),
        ({"queues": (Queue(estimate, focal=2, of=relative), Queue(relative))}, "which no focal queue can follow"),
        ({"queues": (Queue(lambda start_k: start_k),)}, "asks for 'start_k'"),
    ],
)
def test_a_wrong_declaration_of_queues_is_refused(declared, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Frontier("wrong", **declared)


@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_a_type_is_drawn_as_often_as_any_other_and_then_a_node_of_it(engine):
    graph = RandomGraph(0)  # its rules are those of its edges, which are a star here
    graph.edges = {0: [(1, 1.0), (2, 2.0), (3, 2.0), (4, 2.0)], **{state: [] for state in range(1, 24)}}
    graph.goals, graph.values = {1}, {}
    domain = graph._domain()
    goal_first = {}
    for types in (("g",), ()):
        frontier = Frontier("drawn", queues=(Queue(types=types),), uses_heuristic=False)
        results = [
            sl.solve(sl.Board([[0]]), domain=domain, frontier=sl.frontier(frontier, seed=seed), engine=engine)
            for seed in range(300)
        ]
        goal_first[types] = sum(result.expanded == 1 for result in results)
    assert 110 < goal_first[("g",)] < 190  # it is alone in one of two types
    assert 40 < goal_first[()] < 110  # it is one of four nodes


@pytest.mark.parametrize(
    "declared",
    [
        {"queues": (Queue(relative),)},
        {"queues": (Queue(weighted),), "bound": 1, "restart": lower, "parameters": WEIGHTS},
        {"queues": (Queue(weighted),), "bound": 1, "restart": lower, "restart_from": "start", "parameters": WEIGHTS},
    ],
    ids=["f_min", "rounds", "rounds from the start"],
)
@pytest.mark.parametrize("order", ["newest", pytest.param("oldest", marks=pytest.mark.slow)])
def test_the_order_is_the_same_in_classes_and_one_by_one(declared, order, monkeypatch):
    from searchlab.search.compiled import queues

    board, kinds = sl.read_board("sliding-tile/puzzle15-40"), []
    for few in (True, False):
        monkeypatch.setattr(queues, "has_classes", lambda problem, few=few: few)
        frontier = sl.frontier(Frontier("follows", ties="low-h", **declared), order=order)
        result = sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier, engine="compiled")
        kinds.append([getattr(result, name) for name in (*MORE_FIGURES, "actions")])
        kinds[-1].append([(one.expanded, one.cost) for one in result.solutions])
    assert kinds[0] == kinds[1]
    assert kinds[0][MORE_FIGURES.index("expanded")] > 100


def test_a_search_up_to_a_cost_finds_a_solution_within_it_or_proves_that_there_is_none():
    boards = [sl.read_board(f"sliding-tile/puzzle8-{cost}") for cost in (20, 27, 31)]
    for board in boards:
        best = sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier="astar").cost
        found, none = (
            sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=f"pts:cost={cost}")
            for cost in (best, best - 1)
        )
        assert (found.status, found.cost) == ("solved", best)
        assert (none.status, none.cost) == ("exhausted", None)
        assert best - 1 < none.lower_bound <= best


def test_nodes_are_drawn_by_types_of_further_heuristics():
    board = sl.read_board("sliding-tile/puzzle8-20")
    frontier = Frontier(
        "by-others",
        queues=(Queue(types=("listed", "depth")),),
        parameters=(Parameter("listed", "misplaced,taxicab", kind="heuristics"),),
    )
    readable, compiled = (
        sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier, engine=engine)
        for engine in ("readable", "compiled")
    )
    assert readable.actions == compiled.actions
    assert [getattr(readable, name) for name in MORE_FIGURES] == [getattr(compiled, name) for name in MORE_FIGURES]


def test_an_unknown_further_heuristic_is_refused_before_the_search():
    with pytest.raises(sl.UsageError, match="taxicap"):
        sl.solve("sliding-tile/puzzle8-20", frontier="alternating:heuristics=[taxicap]")


def test_a_further_heuristic_that_fails_is_named_with_its_board(tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text("def wrong(tiles):\n    return 1 / (tiles[0, 0] - 1)\n")
    for engine in ("readable", "compiled"):
        frontier = f"alternating:heuristics=[{file}:wrong]"
        result = sl.solve("sliding-tile/puzzle8-20", frontier=frontier, engine=engine)
        assert result.status == "error"
        assert "heuristic wrong" in result.reason
