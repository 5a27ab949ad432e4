"""From a problem to a result: what it says, and the engine it comes from."""

import json
import platform

import pytest

import searchlab as sl
from searchlab.model.results import STATUSES

CHAIN = {0: [1], 1: [2]}


def test_a_solution_has_actions_boards_and_cost(graph):
    """As many boards as moves and one more, the start first."""
    result = graph({0: [(1, 2.5)], 1: [(2, 0.5)]}, goals={2}).solve("astar")
    assert (result.status, result.moves, result.cost) == ("solved", 2, 3.0)
    assert result.actions == ("0-1", "1-2")
    assert result.boards == (sl.Board([[0]]), sl.Board([[1]]), sl.Board([[2]]))
    assert result.boards[0] == result.start


def test_a_result_says_what_was_searched_and_with_what():
    """Names as they are spelled, without parameters that have their default, the engine, and versions."""
    result = sl.solve(
        domain="2048:goal=4,spawn=right-column",
        heuristic="left-weighted:corner=-1",
        frontier="weighted-astar:weight=3",
        engine="readable",
    )
    assert (result.domain, result.heuristic, result.frontier) == (
        "2048:goal=4",
        "left-weighted",
        "weighted-astar:weight=3",
    )
    assert result.engine == "readable"
    assert result.versions["python"] == platform.python_version()
    assert {"searchlab", "numpy", "numba"} < set(result.versions)


def test_a_result_as_plain_values_goes_through_json(graph):
    """Everything that a table row holds, null where there is no solution."""
    solved = graph(CHAIN, goals={2}).solve("astar").as_dict()
    assert json.loads(json.dumps(solved)) == solved
    assert solved["actions"] == ["0-1", "1-2"]
    unsolved = graph(CHAIN).solve("astar").as_dict()
    assert (unsolved["moves"], unsolved["cost"], unsolved["actions"]) == (None, None, None)
    required = "status moves cost actions optimal expanded generated evaluated reopened stored max_open seconds"
    required += " cpu_seconds peak_bytes domain heuristic frontier versions"
    assert set(required.split()) <= set(solved)


def test_the_start_may_be_known_to_be_unsolvable(graph):
    """Then nothing is searched, and the reason is the domain's."""
    result = graph(CHAIN, goals={2}, why_unsolvable=lambda board: "odd").solve("astar")
    assert (result.status, result.reason, result.expanded, result.optimal) == ("unsolvable", "odd", 0, False)
    assert result.status in STATUSES


def test_running_out_of_nodes_says_so(graph):
    """A proof by exhaustion names itself."""
    result = graph(CHAIN).solve("astar")
    assert (result.status, result.reason) == ("unsolvable", "every state that can be reached was searched")


def test_what_cannot_be_compiled_runs_interpreted_with_a_warning(graph):
    """One line that names the reason, at the line that asked for the search."""
    tried = graph(CHAIN, goals={2})
    with pytest.warns(sl.SearchlabWarning, match="graph") as caught:
        result = sl.solve(sl.Board([[0]]), domain=tried.domain, frontier="breadth-first")
    assert (result.status, result.engine, len(caught)) == ("solved", "readable", 1)
    assert caught[0].filename == __file__
    with pytest.raises(sl.UsageError, match="graph"):
        sl.solve(sl.Board([[0]]), domain=tried.domain, frontier="breadth-first", engine="compiled")


def test_an_unknown_engine_is_refused(example8):
    """The engines there are, are named."""
    with pytest.raises(sl.UsageError, match="engine is one of auto, compiled, readable, not 'fast'"):
        sl.solve(example8, domain="sliding-tile", engine="fast")
