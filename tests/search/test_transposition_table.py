"""The transposition table of iterative deepening: fewer nodes, the same costs and claims."""

from math import inf

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import searchlab as sl
from tests.search.random_graphs import STATES, RandomGraph


@pytest.mark.parametrize("frontier", ["ida-star", "iterative-deepening"])
@example(2710028, 2)
@given(st.integers(0, 2**32), st.integers(1, 2 * STATES))
def test_the_cost_is_that_without_a_table(frontier, seed, places):
    """Whatever fits into it, and however inconsistent h is.

    With an h that is too large the first solution is not always a cheapest one, and with a table another may be first.
    """
    graph = RandomGraph(seed)
    limits = sl.Limits(expansions=3000)  # cycles of free moves have no end
    plain = graph.solve(frontier, limits=limits)
    result = graph.solve(f"{frontier}:table={places}", limits=limits)
    if plain.status == "expansion-limit":
        return
    assert result.status == plain.status
    if frontier == "ida-star" and graph.shape in ("wrong", "scaled"):
        assert result.cost is None or result.cost >= graph.optimum
        return
    assert (result.cost, result.lower_bound) == (plain.cost, plain.lower_bound)
    assert result.expanded <= plain.expanded


@given(st.integers(0, 2**32))
def test_a_table_for_all_states_ends_on_cycles_of_free_moves(seed):
    """Two states may share a place, so it has room for many times more."""
    graph = RandomGraph(seed)
    result = graph.solve("iterative-deepening:table=100000", limits=sl.Limits(expansions=100_000))
    assert result.status == ("solved" if graph.optimum < inf else "unsolvable")
    assert result.optimal == (graph.optimum < inf)


@pytest.mark.parametrize("board", ["sliding-tile/puzzle8-27", "sliding-tile/puzzle8-31"])
def test_it_saves_nodes(board):
    plain, *with_table = (
        sl.solve(board, frontier=f"ida-star:table={places}", engine="compiled") for places in (0, 100, 10_000)
    )
    assert [result.cost for result in with_table] == [plain.cost, plain.cost]
    few, many = with_table
    assert plain.expanded > few.expanded > many.expanded
    assert (plain.duplicates, few.duplicates > 0, many.duplicates > 0) == (0, True, True)
    assert many.peak_bytes > 10_000 * 20


def test_states_that_are_not_boards_have_places_too():
    steps = {"a": "bc", "b": "d", "c": "d", "d": "e", "e": ""}
    domain = sl.Domain(
        "letters", lambda state: [(to, to) for to in steps[state]], lambda state: False, start=lambda: "a"
    )
    result = sl.solve(domain=domain, frontier="iterative-deepening:table=1000")
    assert (result.status, result.duplicates > 0) == ("unsolvable", True)


def test_the_size_is_checked():
    with pytest.raises(sl.UsageError, match="a table holds 0 to"):
        sl.solve("sliding-tile/puzzle8-20", frontier="ida-star:table=-1")
    with pytest.raises(ValueError, match="every iterative deepening has the option table; rename the parameter"):
        sl.Frontier("own", family="deepening", parameters=(sl.Parameter("table", 1),))


def test_a_table_counts_as_memory():
    result = sl.solve(
        "sliding-tile/puzzle8-27",
        frontier="ida-star:table=100000000",
        engine="compiled",
        limits=sl.Limits(memory=2**20),
    )
    assert result.status == "memory-limit"
