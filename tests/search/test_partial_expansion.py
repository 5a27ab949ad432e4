"""A* with partial expansion: the solutions of A*, and a fraction of what it stores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from tests.search.random_graphs import RandomGraph


def stack(n, seed):
    return sl.generator("any-stack", domain=f"pancake:n={n}").instance(seed).start


@pytest.mark.parametrize("seed", range(4))
def test_pancakes_take_a_tenth_of_the_nodes(seed):
    board, domain = stack(16, seed), "pancake:n=16"
    ours, theirs = (sl.solve(board, domain=domain, frontier=frontier) for frontier in ("pea-star", "astar"))
    assert (ours.cost, ours.optimal) == (theirs.cost, True)
    assert theirs.stored >= 10 * ours.stored
    assert theirs.generated > 10 * ours.generated
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
    assert (result.cost, result.generated, result.stored) == (2, 3, 4)


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
