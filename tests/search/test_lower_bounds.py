"""What searches claim of costs (`lower_bound`, `bound`, `optimal`, `unsolvable`), against the exact costs of graphs."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.costs import exceeds
from tests.search.random_graphs import DescribedGraph, RandomGraph

FRONTIERS = (
    "greedy",
    "greedy:reopen=yes",
    "greedy:duplicates=late",
    "greedy:duplicates=late,reopen=yes",
    "astar:duplicates=early,reopen=no",
    "astar:duplicates=late,reopen=no",
    "weighted-astar:weight=2,reopen=no,duplicates=early",
    "weighted-astar:weight=2,reopen=no,duplicates=late",
    "weighted-astar:weight=2,reopen=yes",
    "uniform-cost:reopen=no",
    "astar:ties=high-h",
    "astar:ties=none,order=oldest,duplicates=late",
    "weighted-astar:ties=high-h,siblings=first",
    "greedy:ties=low-h,order=random,seed=7",
    "weighted-astar:order=random,duplicates=late,reopen=no,seed=18446744073709551615",
    "astar:duplicates=early",
    "astar:duplicates=late",
    "weighted-astar:weight=1.5,duplicates=early",
    "weighted-astar:weight=3,duplicates=late",
    "uniform-cost:duplicates=early",
    "uniform-cost:duplicates=late",
    "breadth-first",
    "depth-first",
    "xdp:bound=1",
    "xdp:bound=1.5,duplicates=early",
    "xdp:bound=3,duplicates=late",
    "xdp:bound=2,reopen=no",
    "xdp:bound=2,reopen=yes,order=random",
    "beam:width=1",
    "beam:width=3",
    "beam:width=1000",
    "beam:width=1,closed=yes",
    "beam:width=3,closed=yes",
    "beam:width=1000,closed=yes",
    "bead:width=3",
    "bead:width=2,closed=yes",
    "cabs",
    "rectangle",
    "rectangle:aspect=3",
    "ida-star",
    "ida-star:table=3",
    "iterative-deepening",
    "iterative-deepening:table=50",
    "ibex",
    "pea-star",
    "pea-star:cutoff=1",
    "epea-star",
    "epea-star:cutoff=1",
    "ibex:table=7,c1=1.5,c2=3",
    "alternating",
    "alternating:bound=1",
    "alternating:bound=1.5",
    pytest.param("dps:bound=1.5,order=oldest", marks=pytest.mark.slow),
    "dps:bound=3,reopen=no,order=random",
    "pts",
    "pts:cost=3.5",
    "pts:cost=0",
    "ana",
    pytest.param("ana:order=oldest,reopen=no", marks=pytest.mark.slow),
    "type-based:seed=2",
    pytest.param("type-based:reopen=yes,order=oldest", marks=pytest.mark.slow),
    "epsilon-greedy:epsilon=0.5",
    "ara:weight=3,step=1",
    "ara:weight=1",
    "astar-epsilon:bound=1",
    "astar-epsilon:bound=2",
    "ees:bound=1",
    "ees:bound=1.5",
    "ees:bound=3,order=random",
    "ios:bound=1",
    "ios:bound=1.5",
    "ios:bound=1.2,weight=4,reopen=no",
    "optimistic:bound=1",
    "optimistic:bound=1.5",
    "optimistic:bound=2,reopen=no",
    "xup:bound=1",
    "xup:bound=2,reopen=no",
    "xup:bound=1.5,duplicates=late",
    "pwxd:bound=1.5",
    "pwxd:bound=3,reopen=no,order=random",
    "dynamic-weighting:bound=1.5,length=6",
    "anytime-weighted",
    "anytime-weighted:weight=4,reopen=no",
    "restarting-weighted",
    "restarting-weighted:weight=3,factor=0,reopen=no",
)
CLAIMS = ("status", "cost", "actions", "lower_bound", "bound", "bound_by", "optimal")
FIGURES = (*CLAIMS, "expanded", "generated", "duplicates", "stored", "layers")


def claims_hold(result, optimum):
    """Whether everything that a result claims of costs follows from the exact optimum."""
    assert result.status != "error", result.reason
    if result.lower_bound is not None:
        assert not exceeds(result.lower_bound, optimum)
    if result.cost is None:
        assert (result.bound, result.bound_by, result.optimal) == (None, "", False)
        assert result.status != "unsolvable" or optimum == inf
        return
    assert not exceeds(optimum, result.cost)
    assert result.optimal == (result.bound == 1)
    if result.bound is not None:
        assert result.bound >= 1
        assert not exceeds(result.cost, result.bound * optimum)
        assert result.bound_by in ("search", "domain", "weight")
    if result.lower_bound:
        assert result.bound <= result.cost / result.lower_bound * (1 + 1e-12)


@pytest.mark.parametrize("frontier", FRONTIERS)
@given(st.integers(0, 2**32), st.one_of(st.none(), st.integers(0, 30)))
def test_claims_of_costs_follow_from_the_exact_costs(frontier, seed, expansions):
    """In both engines, which say the same, with and without a limit."""
    graph = (DescribedGraph if sl.frontier(frontier).component.selects else RandomGraph)(seed)
    if sl.frontier(frontier).component.family == "deepening":
        expansions = 300 if expansions is None else expansions  # zero-cost cycles have no end
    limits = sl.Limits(expansions=expansions)
    readable, compiled = (graph.solve(frontier, engine, limits=limits) for engine in ("readable", "compiled"))
    claims_hold(readable, graph.optimum)
    assert [getattr(readable, name) for name in FIGURES] == [getattr(compiled, name) for name in FIGURES]
