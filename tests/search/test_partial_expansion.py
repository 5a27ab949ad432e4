"""A* with partial expansion: the solutions of A*, and a fraction of what it stores; enhanced, of what it generates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from tests.search.random_graphs import DescribedGraph, RandomGraph


def stack(n, seed):
    return sl.generator("any-stack", domain=f"pancake:n={n}").instance(seed).start


@pytest.mark.parametrize("seed", range(4))
def test_pancakes_take_a_tenth_of_the_nodes(seed):
    board, domain = stack(24, seed), "pancake:n=24"
    ours, theirs = (sl.solve(board, domain=domain, frontier=frontier) for frontier in ("pea-star", "astar"))
    assert (ours.cost, ours.optimal) == (theirs.cost, True)
    assert theirs.stored >= 10 * ours.stored
    assert theirs.peak_bytes > 4 * ours.peak_bytes


@pytest.mark.parametrize("cutoff", ["inf", "0", "1"])
@pytest.mark.parametrize("board", ["sliding-tile/puzzle8-24", "sliding-tile/puzzle8-31"])
def test_both_engines_store_the_same(board, cutoff):
    frontier = f"pea-star:cutoff={cutoff}"
    names = ("cost", "expanded", "generated", "evaluated", "stored", "max_open", "layers", "lower_bound", "actions")
    one, other = (sl.solve(board, frontier=frontier, engine=engine) for engine in ("readable", "compiled"))
    assert [getattr(one, name) for name in names] == [getattr(other, name) for name in names]
    assert one.optimal


def test_an_infinite_cutoff_is_astar():
    """As that detects duplicates early, and takes one node at a time."""
    board = "sliding-tile/puzzle8-24"
    ours = sl.solve(board, frontier="pea-star:cutoff=inf", engine="readable")
    theirs = sl.solve(board, frontier="astar:duplicates=early", engine="readable")
    assert (ours.expanded, ours.generated, ours.stored) == (theirs.expanded, theirs.generated, theirs.stored)


def test_nodes_wait_for_each_f_of_their_successors(graph):
    """0 is expanded for 1, then for 2, whose turn comes before that of 3 and of what lies behind 1."""
    tried = graph({0: [1, 2, 3], 1: [4], 2: [5]}, goals={5})
    result = tried.solve("pea-star", {0: 1, 1: 0, 2: 1, 3: 9, 4: 9})
    assert tried.expanded == [0, 1, 0, 2]
    assert (result.cost, result.generated, result.stored) == (2, 8, 4)


@given(st.integers(0, 2**32))
def test_the_solution_is_a_cheapest_one_if_h_is_admissible(seed):
    """Also if it is not consistent, so that nodes are reopened that were expanded in part."""
    graph = RandomGraph(seed)
    result = graph.solve("pea-star")
    if graph.declared.get("admissible"):
        assert (result.cost or graph.optimum) == graph.optimum or abs(result.cost - graph.optimum) < 1e-9
        assert result.optimal == (result.status == "solved")
        assert result.status in ("solved", "unsolvable")


def test_a_shorter_path_opens_a_node_that_is_expanded_in_part(graph):
    """Its successors come again, with their smaller g."""
    edges = {0: [(1, 5), (2, 1)], 2: [(1, 1)], 1: [(3, 1), (4, 3)], 4: [(5, 1)], 3: [(6, 9)]}
    tried = graph(edges, goals={5})
    result = tried.solve("pea-star", {0: 0, 1: 0, 2: 4.5, 3: 0, 4: 0, 5: 0, 6: 0})
    assert (result.cost, tried.path(result)) == (6, [0, 2, 1, 4, 5])


def test_the_cutoff_is_checked():
    with pytest.raises(sl.UsageError, match="a cutoff is 0 or more"):
        sl.solve("sliding-tile/puzzle8-20", frontier="pea-star:cutoff=-1")


def test_what_is_stored_is_limited():
    result = sl.solve(
        stack(40, 5),
        domain="pancake:n=40",
        heuristic="gap:ignore=2",
        frontier="pea-star",
        limits=sl.Limits(memory=2**20),
    )
    assert result.status == "memory-limit"
    assert result.peak_bytes <= 1.1 * 2**20
    assert result.lower_bound >= 30


FIGURES = (
    *("status", "cost", "actions", "optimal", "lower_bound", "bound", "expanded", "generated", "evaluated"),
    *("reopened", "stored", "max_open", "layers"),
)
DOMAINS = (
    ("pancake:n=7", ("gap", "gap:ignore=1", "max:of=[gap,gap:ignore=2]"), ""),
    ("pancake:n=6,cost=heavy", ("gap",), ""),
    ("topspin:n=7,k=4", ("token-database", "token-database:tokens=3"), "turned"),
    ("sliding-tile", ("taxicab", "misplaced"), "walk:n=3"),
    ("sliding-tile:cost=heavy", ("taxicab",), "walk:n=3"),
)


def figures(result):
    return {name: getattr(result, name) for name in FIGURES}


@pytest.mark.slow
@given(
    st.sampled_from(DOMAINS),
    st.integers(0, 2**16),
    st.integers(0, 2),
    st.sampled_from(["", ":cutoff=0.5", ":cutoff=2", ":cutoff=inf"]),
    st.sampled_from([7, 200, None]),
)
def test_both_engines_produce_the_same_when_enhanced(domain, seed, which, cutoff, expansions):
    """And solutions cost what those of A* cost."""
    name, heuristics, generator = domain
    board = sl.generator(generator or "any-stack", domain=name).instance(seed).start
    arguments = {"domain": name, "heuristic": heuristics[which % len(heuristics)]}
    limits = sl.Limits(expansions=expansions)
    one, other = (
        sl.solve(board, frontier=f"epea-star{cutoff}", engine=engine, limits=limits, **arguments)
        for engine in ("compiled", "readable")
    )
    assert figures(one) == figures(other)
    cheapest = sl.solve(board, frontier="astar", **arguments)
    assert one.lower_bound <= cheapest.cost + 1e-9
    if expansions is None:
        assert (one.cost, one.optimal) == (pytest.approx(cheapest.cost), True)


@given(st.integers(0, 2**32), st.sampled_from(["", ":cutoff=1", ":cutoff=inf"]))
def test_enhanced_it_stores_the_same_and_generates_no_more(seed, cutoff):
    """On any graph: each stored node is generated once or, by shorter paths, more often; no turn comes twice."""
    graph = DescribedGraph(seed)
    plain, enhanced = (graph.solve(f"{name}{cutoff}") for name in ("pea-star", "epea-star"))
    assert (enhanced.status, enhanced.cost) == (plain.status, pytest.approx(plain.cost) if plain.cost else plain.cost)
    if plain.status == "unsolvable":
        assert enhanced.stored == plain.stored
        assert enhanced.generated <= plain.generated
    assert enhanced.stored <= enhanced.generated + 1


@pytest.mark.parametrize("seed", range(3))
def test_on_pancakes_it_generates_what_it_stores(seed):
    """A* generates, and plain partial expansion as well, fifteen times as much."""
    board, domain = stack(16, seed), "pancake:n=16"
    astar, plain, enhanced = (
        sl.solve(board, domain=domain, frontier=frontier) for frontier in ("astar", "pea-star", "epea-star")
    )
    assert (enhanced.stored, enhanced.cost) == (plain.stored, astar.cost)
    assert enhanced.stored - 1 <= enhanced.generated < 1.3 * enhanced.stored
    assert min(astar.generated, plain.generated) > 10 * enhanced.generated


def test_without_a_heuristic_costs_decide_which_successors_come():
    graph = DescribedGraph(5)
    blind = sl.Frontier("blind", family="enhanced-partial-expansion", uses_heuristic=False, optimal_with="always")
    one, other = (graph.solve(blind, engine) for engine in ("compiled", "readable"))
    assert figures(one) == figures(other)
    assert one.evaluated == 0
    assert one.cost == graph.solve("uniform-cost").cost


def write_ends(tiles, out, terminal, moves, chosen, goes_on):
    """From 0 to 1 … 5, where the game is over, and on from 6."""
    for k in range(6):
        if chosen is None or chosen[k]:
            out[k, 0, 0] = k + 1
        terminal[k] = k < 5
        moves[k, 0] = k + 1
    return 6 if tiles[0, 0] == 0 else 0


def test_successors_that_lose_the_game_are_generated_when_their_turn_comes():
    values = np.array([2.0, 1.0, 1.0, 5.0, 1.0, 1.0, 1.0])
    domain = sl.Domain(
        "ends",
        packed=lambda board: sl.PackedForm(
            7, 6, write_ends, lambda tiles: tiles[0, 0] == 5, move=("cell",), tables={"goes_on": True}
        ),
        values={"worth": lambda board: values},
    )
    table = sl.Heuristic(
        "table", lambda tiles, worth: worth[tiles[0, 0]], incremental=lambda h, cell, worth: worth[cell]
    )
    arguments = {"domain": domain, "heuristic": table, "frontier": "epea-star"}
    one, other = (sl.solve(sl.Board([[0]]), engine=engine, **arguments) for engine in ("compiled", "readable"))
    assert figures(one) == figures(other)
    # 3 is worth more, so that its turn does not come; 1, 2 and 4 lose, 5 is the goal, and 6 goes on.
    assert (one.status, one.cost, one.generated, one.stored) == ("solved", 1, 5, 3)


@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_a_value_that_is_no_number_is_an_error_that_shows_the_board(engine):
    nan = sl.Heuristic(
        "nan",
        lambda tiles: 0.0 if tiles[0, 0] == 2 else np.nan,
        incremental=lambda h, top, last, below: np.nan,
        domains={"pancake"},
    )
    result = sl.solve(sl.Board([[2, 3, 1]]), domain="pancake", heuristic=nan, frontier="epea-star", engine=engine)
    assert result.status == "error"
    assert "heuristic nan returned NaN" in result.reason
    assert result.reason.split()[-3:] == ["3", "2", "1"]


@pytest.mark.parametrize(
    ("arguments", "lacking"),
    [
        ({"domain": "pancake", "heuristic": "lookahead-gap"}, "lookahead-gap evaluates only what was produced"),
        ({"domain": "hanoi"}, "hanoi produces them all: PackedForm.successors does not ask for chosen"),
        (
            {"domain": "pancake", "heuristic": "of_colours"},
            "of_colours.incremental asks for 'colour', which pancake.* does not offer",
        ),
        (
            {"board": "sliding-tile/puzzle8-20", "domain": "sliding-tile:cost=inverse"},
            "taxicab.incremental asks for 'goal_cost', which sliding-tile",
        ),
        ({"domain": "boards", "heuristic": "zero"}, "boards has no packed form"),
    ],
)
def test_what_is_missing_is_named(arguments, lacking):
    of_colours = sl.Heuristic("of_colours", lambda tiles: 0, incremental=lambda h, colour: 0, domains={"pancake"})
    zero = sl.Heuristic("zero", lambda tiles: 0, incremental=lambda h: 0)
    boards = sl.Domain("boards", lambda board: [], lambda board: True, start=lambda: sl.Board([[0]]))
    given = {"of_colours": of_colours, "boards": boards, "zero": zero}
    found = {name: given.get(value, value) for name, value in arguments.items()}
    with pytest.raises(sl.UsageError, match=f"epea-star produces only .* {lacking}.*; try pea-star"):
        sl.solve(frontier="epea-star", **found)
