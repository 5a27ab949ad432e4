"""The closed states of a proof: the compiled pass finds those of the readable one."""

import numpy as np
import pytest

import searchlab as sl
from searchlab.model.limits import Limits
from searchlab.search.closed_states import CheaperSolution, closed_states
from searchlab.search.solve import problem as problem_of
from searchlab.search.watch import Stopped, Watch
from tests.search.random_graphs import RandomGraph

WIDE = [[1, 2, 3, 4, 5], [6, 7, 8, 9, 10], [11, 12, 13, 14, 15], [0, 16, 17, 18, 19]]
"""A board whose states take two machine words."""


def closed(problem, bound, *, compiled, memory=None):
    """Return the costs of the closed states by their tiles; or the goal that is below the bound."""
    try:
        found = closed_states(problem, bound, Watch(Limits(memory=memory)), compiled=compiled)
    except CheaperSolution as cheaper:
        return str(cheaper)
    keys = [bytes(np.asarray(tiles, np.int64)) for tiles in found.states]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, found.costs.tolist(), strict=True))


@pytest.mark.slow
def test_the_compiled_pass_finds_the_states_of_the_readable_one():
    """On random graphs, with any heuristic and bounds up to beyond the optimum, and with states of several words."""
    for seed in range(150):
        graph = RandomGraph(seed)
        problem = problem_of(sl.Board([[0]]), domain=graph.domain, heuristic=graph.heuristic, frontier="astar")
        for bound in (graph.optimum, 0.7 * graph.optimum, graph.optimum + 2, float("inf")):
            readable, compiled = (closed(problem, bound, compiled=compiled) for compiled in (False, True))
            if isinstance(readable, str):
                assert isinstance(compiled, str)
            else:
                assert readable == compiled
    problem = problem_of(sl.Board(WIDE), domain="sliding-tile", heuristic="taxicab", frontier="astar")
    readable, compiled = (closed(problem, 12, compiled=compiled) for compiled in (False, True))
    assert readable == compiled
    assert len(readable) > 20


def test_states_that_do_not_fit_into_memory_end_the_pass():
    """As a search ends at its limit of memory."""
    problem = problem_of("sliding-tile/puzzle8-31", heuristic="taxicab", frontier="astar")
    with pytest.raises(Stopped, match="memory-limit"):
        closed(problem, 31, compiled=False, memory=10_000)


def test_a_goal_below_the_bound_is_found():
    """The result that claims the bound is wrong."""
    problem = problem_of("sliding-tile/puzzle8-20", heuristic="taxicab", frontier="astar")
    assert closed(problem, 21, compiled=False) == "there is a solution of cost 20"
