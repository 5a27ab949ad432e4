"""From a problem to a result: what it says, the engine it comes from, and the replay of its solution."""

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


def claims(path):
    """A strategy that says it found this path, whatever the problem."""
    boards = [sl.Board([[state]]) for state in path]
    return sl.Frontier("mine", run=lambda problem, watch: sl.Outcome("solved", sl.Statistics(expanded=7), boards))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ([0, 2], "move 1 of its solution is none"),
        ([0, 1, 0], "move 2 of its solution is none"),
        ([0, 1], "its solution does not end in a goal"),
        ([1, 2], "its solution does not begin with the start board"),
        ([], "its solution does not begin with the start board"),
    ],
)
def test_a_search_that_lies_is_caught(graph, path, reason):
    """A path the rules do not know is an error with the figures so far, and no solution."""
    result = graph(CHAIN, goals={2}).solve(claims(path))
    assert (result.status, result.reason) == ("error", f"the search and the rules of graph disagree: {reason}")
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())
    assert (result.optimal, result.expanded) == (False, 7)


def test_a_search_that_tells_the_truth_is_believed(graph):
    """The same strategy with a real path has solved it."""
    result = graph(CHAIN, goals={2}).solve(claims([0, 1, 2]))
    assert (result.status, result.moves, result.expanded) == ("solved", 2, 7)


def test_a_path_through_a_terminal_board_is_none(graph):
    """With a terminal move the game is over; it can only be the last."""
    over = graph(CHAIN, goals={2}, terminal={(0, 1)})
    assert over.solve(claims([0, 1, 2])).status == "error"
    assert graph(CHAIN, goals={2}, terminal={(1, 2)}).solve(claims([0, 1, 2])).status == "solved"


def test_of_several_moves_to_the_same_board_the_cheapest_counts():
    """A search that minimises cost took that one."""

    def successors(board):
        if board.tile_at(0, 0) == 0:
            for action, cost in (("dear", 5), ("cheap", 1), ("fair", 2)):
                yield action, sl.Board([[1]]), cost

    domain = sl.Domain("roads", successors, lambda board: board.tile_at(0, 0) == 1, unit_cost=False)
    result = sl.solve(sl.Board([[0]]), domain=domain, frontier="uniform-cost", engine="readable")
    assert (result.actions, result.cost, result.optimal) == (("cheap",), 1, True)
