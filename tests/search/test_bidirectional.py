"""Bidirectional searches: what they claim follows from the exact costs, and what they lack is named."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab import Frontier, Parameter, Queue
from searchlab.compiler.arrays import SpareArrays
from searchlab.model.costs import exceeds
from searchlab.search.compiled.bidirectional import updates
from searchlab.search.compiled.problem import CompiledProblem
from searchlab.search.solve import problem as make_problem
from tests.search.random_graphs import TwoEndedGraph
from tests.search.test_lower_bounds import claims_hold

FRONTIERS = (
    "bidirectional-breadth-first",
    "bidirectional-breadth-first:bound=2,direction=best-first",
    "mm",
    "mm:bound=1.5,order=oldest",
    "mm:reopen=yes,direction=alternate,order=random,seed=4",
    "nbs",
    "nbs:bound=2,reopen=yes",
    "nbs:reopen=no,siblings=first",
    "dvcbs",
    "dvcbs:bound=1.3,reopen=no,ties=high-h",
    "bae-star",
    "bae-star:direction=cardinality,bound=1.5",
    "bae-star:direction=best-first,ties=none,order=oldest",
)


@pytest.mark.filterwarnings("ignore:bae-star needs a consistent heuristic")
@pytest.mark.parametrize("frontier", FRONTIERS)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 30)))
def test_claims_of_costs_follow_from_the_exact_costs(frontier, seed, expansions):
    graph, bound = TwoEndedGraph(seed), sl.frontier(frontier).bound
    result = graph.solve(frontier, limits=sl.Limits(expansions=expansions))
    claims_hold(result, graph.optimum)
    assert result.expanded_backward <= result.expanded
    if result.cost is not None:
        cells = [state.tile_at(0, 0) for state in result.states]
        assert not exceeds(graph.cost_of(cells[: result.met_at + 1]), result.met_cost)
    if expansions is not None or not graph.declared:
        return
    assert (result.status == "unsolvable") == (graph.optimum == inf)
    # BAE* has no bound without a consistent heuristic, and an inconsistent one needs reopening.
    is_consistent = graph.declared.get("consistent", False)
    if result.cost is not None and (is_consistent or ("bae" not in frontier and "reopen=no" not in frontier)):
        assert not exceeds(result.bound, bound)


TWINS = (
    "bae-star",
    "bae-star:direction=cardinality,bound=1.5,ties=none",
    "mm:reopen=yes,direction=alternate",
    "bidirectional-breadth-first",
    "nbs:bound=2,reopen=yes,ties=high-h",
    "dvcbs",
)
OWN_KERNELS = (
    "bae-star:order=oldest",
    "mm:order=random,seed=4,reopen=yes",
    "nbs:siblings=first",
    "dvcbs:order=oldest,siblings=first",
)
"""Each of these compiles a kernel."""
OF_THE_MACHINE = {"seconds", "cpu_seconds", "peak_bytes", "engine", "versions", "solutions"}


def figures(result):
    """All that a search says and does that does not depend on the machine."""
    kept = {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}
    return {**kept, "found": [(one.cost, one.expanded) for one in result.solutions]}


def same_on_random_graphs(frontier, seed, expansions):
    graph = TwoEndedGraph(seed)
    limits = sl.Limits(expansions=expansions)
    both = [graph.solve(frontier, engine, limits=limits) for engine in ("readable", "compiled")]
    assert [one.engine for one in both] == ["readable", "compiled"]
    assert figures(both[0]) == figures(both[1])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:bae-star needs a consistent heuristic")
@pytest.mark.parametrize("frontier", TWINS)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 30)))
def test_both_engines_do_the_same(frontier, seed, expansions):
    same_on_random_graphs(frontier, seed, expansions)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:bae-star needs a consistent heuristic")
@pytest.mark.parametrize("frontier", OWN_KERNELS)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 30)))
def test_both_engines_do_the_same_in_any_order(frontier, seed, expansions):
    same_on_random_graphs(frontier, seed, expansions)


@pytest.mark.parametrize(
    ("domain", "board", "heuristic"),
    [
        ("sliding-tile", "sliding-tile/puzzle8-24", "taxicab"),
        pytest.param("sliding-tile:cost=inverse", "sliding-tile/puzzle8-20", "taxicab", marks=pytest.mark.slow),
        pytest.param("pancake", "pancake/stack-08-1", "gap", marks=pytest.mark.slow),
        pytest.param("grid-map", "grid-map/maze.scen#5", "octile", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("frontier", ["bae-star", "mm", "nbs", "dvcbs", "bidirectional-breadth-first"])
def test_both_engines_do_the_same_on_puzzles_and_maps(domain, board, heuristic, frontier):
    """Where moves can be undone, the compiled search updates h by moves, also that to the start."""
    limits = sl.Limits(expansions=2000)
    readable, compiled = (
        sl.solve(board, domain=domain, heuristic=heuristic, frontier=frontier, engine=engine, limits=limits)
        for engine in ("readable", "compiled")
    )
    assert figures(readable) == figures(compiled)
    assert readable.expanded


def square_successors(tiles, out, broken):
    """Moves on a square of 5 × 5 places, row by row."""
    if tiles[0, 0] == broken:
        raise ValueError("no moves here")
    row, column = tiles[0, 0] // 5, tiles[0, 0] % 5
    count = 0
    for to_row, to_column in ((row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)):
        if 0 <= to_row < 5 and 0 <= to_column < 5:
            out[count, 0, 0] = 5 * to_row + to_column
            count += 1
    return count


def square_moves(state, broken):
    out = np.zeros((4, 1, 1), np.int64)
    return [(f"to{to}", sl.Board([[to]])) for to in out[: square_successors(state.tiles, out, broken), 0, 0]]


SQUARE = sl.Domain(
    "square",
    square_moves,
    lambda state: state.tile_at(0, 0) == 13,
    parameters=(Parameter("broken", -1),),
    inverse="same",
    goals=lambda board: [sl.Board([[13]])],
    packed=lambda board: sl.PackedForm(
        values=25,
        max_successors=4,
        successors=square_successors,
        is_goal=lambda tiles: tiles[0, 0] == 13,
    ),
)


def half_way(tiles, other):
    rows, columns = tiles[0, 0] // 5 - other[0, 0] // 5, tiles[0, 0] % 5 - other[0, 0] % 5
    return (abs(rows) + abs(columns)) / 2


HALF_WAY = sl.Heuristic("half-way", between=half_way, admissible=True, consistent=True)


@pytest.mark.parametrize("frontier", ["bae-star", "nbs", "dvcbs"])
def test_moves_that_fail_end_a_compiled_search_only_where_they_end_the_readable_one(frontier):
    """The compiled search asks for the moves of a node before it is that node's turn, which may never come."""
    statuses = []
    for broken in range(25):
        domain = sl.domain(SQUARE, broken=broken)
        both = [
            sl.solve(sl.Board([[0]]), domain=domain, heuristic=HALF_WAY, frontier=frontier, engine=engine)
            for engine in ("readable", "compiled")
        ]
        assert [one.engine for one in both] == ["readable", "compiled"]
        # Compiled code also shows the board.
        figures_of_both = [{**figures(one), "reason": (one.reason or "").partition("\n")[0]} for one in both]
        assert figures_of_both[0] == figures_of_both[1]
        statuses.append(both[0].status)
    assert set(statuses) == {"solved", "error"}


@pytest.mark.parametrize("frontier", ["bae-star", "dvcbs"])
def test_a_compiled_search_stops_at_the_memory_limit(frontier):
    limits = sl.Limits(memory=2_000_000)
    result = sl.solve("sliding-tile/korf100/001", frontier=frontier, engine="compiled", limits=limits)
    assert result.status == "memory-limit"
    assert 1_000_000 < result.peak_bytes <= limits.memory


@pytest.mark.parametrize(
    ("direction", "puzzle", "stack"), [("alternate", 19_996, 6_432), ("cardinality", 17_085, 4_882)]
)
def test_bae_star_expands_what_another_program_does_that_follows_the_same_rules(direction, puzzle, stack):
    """The program of Shperberg et al. 2025, changed in the two rules that docs/both-ends.md names."""
    pancakes = sl.Board([[9, 10, 16, 14, 15, 12, 13, 11, 5, 3, 4, 2, 1, 8, 7, 6]])
    frontier = f"bae-star:direction={direction}"
    assert sl.solve("sliding-tile/korf100/055", heuristic="taxicab", frontier=frontier).expanded == puzzle
    assert sl.solve(pancakes, domain="pancake:n=16", heuristic="gap", frontier=frontier).expanded == stack


def test_estimates_to_both_ends_are_updated_by_moves():
    problem = make_problem("sliding-tile/puzzle8-20", frontier="bae-star")
    assert all(updates(CompiledProblem.of(problem, SpareArrays())))


def test_what_a_search_from_the_goals_lacks_is_named():
    with pytest.raises(sl.UsageError, match=r"2048 does not list predecessors \(Domain.inverse\)"):
        sl.solve("2048/board10", frontier="mm")
    for declared, lacking in (({"inverse": "same"}, "Domain.goals"), ({}, "Domain.inverse")):
        domain = sl.Domain("ring", lambda state: [("on", (state + 1) % 5)], lambda state: state == 3, **declared)
        with pytest.raises(sl.UsageError, match=lacking):
            sl.solve(0, domain=domain, frontier="bidirectional-breadth-first", engine="readable")
    mine = sl.Heuristic("mine", lambda tiles: 0)
    with pytest.raises(sl.UsageError, match=r"mine has no estimate .* \(Heuristic.between\)"):
        sl.solve("sliding-tile/puzzle8-20", heuristic=mine, frontier="nbs")


def test_a_search_that_needs_a_consistent_heuristic_says_so():
    """Its result claims what follows from g + h."""
    lazy = sl.Heuristic("lazy", lambda tiles: 0, between=lambda tiles, other: 0, admissible=True)
    with pytest.warns(sl.SearchlabWarning, match="needs a consistent heuristic, and lazy is not declared consistent"):
        result = sl.solve("sliding-tile/example", heuristic=lazy, frontier="bae-star", engine="readable")
    assert (result.cost, result.optimal) == (3, True)


def test_a_search_without_a_heuristic_needs_none():
    result = sl.solve(
        "sliding-tile/puzzle8-20", heuristic="misplaced", frontier="bidirectional-breadth-first", engine="readable"
    )
    assert (result.cost, result.optimal, result.ended_by, result.evaluated) == (20, True, "proof", 0)


def test_states_other_than_boards_are_searched_from_both_ends():
    """A ring of 100 states, which is shorter backwards."""
    domain = sl.Domain(
        "ring",
        lambda state: [("on", (state + 1) % 100), ("back", (state - 1) % 100)],
        lambda state: state in (70, 40),
        inverse="same",
        goals=lambda state: (40, 70),
    )

    def between(state, other):
        return min((state - other) % 100, (other - state) % 100) / 2

    def nearest(state):
        return min(between(state, 40), between(state, 70))

    far = sl.Heuristic("far", nearest, between=between, admissible=True, consistent=True)
    for frontier in ("bidirectional-breadth-first", "mm", "nbs", "dvcbs", "bae-star"):
        result = sl.solve(0, domain=domain, heuristic=far, frontier=frontier, engine="readable")
        assert (result.cost, result.states[-1]) == (30, 70)


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"queues": (Queue(lambda g: g),)}, "and lower_bound="),
        ({"choose": "pair", "queues": (Queue(lambda g: g),)}, "stands in place of queues"),
        ({"choose": "random"}, "alternate, cardinality, best-first, pair, cover, not 'random'"),
        ({"queues": (Queue(lambda g, start_h: g),), "lower_bound": lambda g: g[0]}, "asks for 'start_h'"),
        ({"queues": (Queue(lambda g: g),), "lower_bound": lambda g, h: g[0]}, "asks for 'h'"),
        ({"queues": (Queue(lambda g: g, share=2),), "lower_bound": lambda g: g[0]}, "has only a priority"),
        ({"choose": "pair", "reopen": "no"}, "has reopen='yes'"),
        ({"choose": "pair", "parameters": (Parameter("ties", ""),)}, "rename the parameter"),
    ],
)
def test_a_wrong_declaration_is_refused(declared, said):
    with pytest.raises((TypeError, ValueError), match=said):
        Frontier("wrong", family="bidirectional", **{"reopen": "yes", **declared})
    with pytest.raises(ValueError, match="for the family 'bidirectional'"):
        Frontier("wrong", lambda g, h: g, lower_bound=lambda g: 0)


@pytest.mark.parametrize("engine", ["readable", "compiled"])
def test_a_lower_bound_that_is_no_number_is_an_error(engine):
    wrong = Frontier(
        "wrong",
        family="bidirectional",
        queues=(Queue(lambda g, h: g + h),),
        lower_bound=lambda f: f[0] * float("nan"),
        bound=1,
        reopen="yes",
    )
    result = sl.solve("sliding-tile/puzzle8-20", frontier=wrong, engine=engine)
    assert (result.status, result.cost) == ("error", None)
    assert "lower bound is NaN" in result.reason
