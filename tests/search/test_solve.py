"""From a problem to a result: what it says, its engine, the replay of its solution, loops and errors of plugins."""

import dataclasses
import json
import platform
import warnings
from collections import Counter

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


def test_a_result_of_a_search_has_all_fields(graph):
    """It is made without the constructor, which would fill in what is missing."""
    result = graph(CHAIN, goals={2}).solve("astar")
    fields = [field.name for field in dataclasses.fields(sl.Result)]
    assert sorted(vars(result)) == sorted(fields)
    assert result == sl.Result(**{name: getattr(result, name) for name in fields})


def test_a_result_names_its_components_engine_and_versions():
    """Names omit parameters with default values."""
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


def test_as_dict_can_be_written_as_json(graph):
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


def test_an_exhausted_search_states_its_reason(graph):
    """A proof by exhaustion names itself."""
    result = graph(CHAIN).solve("astar")
    assert (result.status, result.reason) == ("unsolvable", "every state that can be reached was searched")


def test_uncompilable_functions_run_interpreted_with_a_warning(graph):
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
        ([0, 2], "move 1 of the solution is not a legal move"),
        ([0, 1, 0], "move 2 of the solution is not a legal move"),
        ([0, 1], "the solution does not end in a goal"),
        ([1, 2], "the solution does not begin with the start board"),
        ([], "the solution does not begin with the start board"),
    ],
)
def test_an_incorrect_path_of_a_custom_loop_is_an_error(graph, path, reason):
    """A path the rules do not know is an error with the figures so far, and no solution."""
    result = graph(CHAIN, goals={2}).solve(claims(path))
    assert (result.status, result.reason) == ("error", f"frontier mine and the rules of graph disagree: {reason}")
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())
    assert (result.optimal, result.expanded) == (False, 7)


def test_a_correct_path_of_a_custom_loop_is_accepted(graph):
    result = graph(CHAIN, goals={2}).solve(claims([0, 1, 2]))
    assert (result.status, result.moves, result.expanded) == ("solved", 2, 7)


def test_a_path_through_a_terminal_board_is_an_error(graph):
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


def strategy(run, **declared):
    """A frontier strategy with a loop of its own."""
    return sl.Frontier("mine", run=run, **declared)


def test_a_custom_loop_gets_its_parameters(graph):
    """What is set in the name, or the default, is passed by name."""
    seen = []

    def run(problem, watch, width=5, mode="some"):
        seen.append((width, mode, watch.limits.expansions))
        return sl.Outcome("exhausted", sl.Statistics())

    own = sl.frontier(strategy(run, complete=False), width="7")
    result = graph(CHAIN).solve(own, limits=sl.Limits(expansions=3))
    assert seen == [(7, "some", 3)]
    assert (result.status, result.frontier) == ("exhausted", "mine:width=7")


@pytest.mark.parametrize("returned", [None, "solved"])
def test_a_loop_that_returns_no_outcome_is_an_error(graph, returned):
    """Whatever it is instead is shown."""
    result = graph(CHAIN).solve(strategy(lambda problem, watch: returned))
    assert result.status == "error"
    assert result.reason.startswith(f"frontier mine returned {returned!r:.70}")


def test_a_loop_that_returns_an_unknown_status_is_an_error(graph):
    """The message names the status and those that a loop may return."""
    result = graph(CHAIN).solve(strategy(lambda problem, watch: sl.Outcome("won", sl.Statistics())))
    assert result.status == "error"
    assert result.reason.startswith(
        "frontier mine returned an Outcome with the status 'won', which is none of solved, "
    )


def test_a_loop_that_raises_is_an_error(graph):
    """With the exception and its place."""
    result = graph(CHAIN).solve(strategy(lambda problem, watch: 1 // 0))
    assert result.status == "error"
    assert result.reason.startswith("frontier mine failed: ZeroDivisionError: ")
    assert "test_solve.py, line " in result.reason


def test_a_custom_loop_runs_interpreted_with_a_warning(graph):
    """A warning where it matters, none where the readable engine was asked for, an error where the compiled was."""
    domain = sl.domain(graph(CHAIN, goals={0}).domain)
    own = strategy(lambda problem, watch: sl.Outcome("solved", sl.Statistics(), [problem.board]))
    with pytest.warns(sl.SearchlabWarning, match="frontier mine has no compiled form: it runs interpreted") as caught:
        assert sl.solve(sl.Board([[0]]), domain=domain, frontier=own).engine == "readable"
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.solve(sl.Board([[0]]), domain=domain, frontier=own, engine="readable")
    with pytest.raises(sl.UsageError, match="frontier mine has no compiled form"):
        sl.solve(sl.Board([[0]]), domain=domain, frontier=own, engine="compiled")


def raising(*_):
    msg = "broken rules"
    raise LookupError(msg)


@pytest.mark.parametrize("function", ["successors", "is_goal", "lower_bound"])
@pytest.mark.parametrize("frontier", ["astar", "depth-first", "ida-star"])
def test_an_exception_in_a_domain_is_an_error_that_names_its_place(graph, function, frontier):
    """The search ends with status `error`; nothing is raised."""
    tried = graph(CHAIN, goals={2})
    broken = dataclasses.replace(tried.domain, **{function: raising})
    h = tried.heuristic({})
    result = sl.solve(sl.Board([[0]]), domain=broken, heuristic=h, frontier=frontier, engine="readable")
    assert result.status == "error"
    assert result.reason.startswith("graph: raising failed: LookupError: broken rules (")
    assert "test_solve.py, line " in result.reason
    assert (result.moves, result.boards) == (None, ())


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (sl.Board([[1]]), "TypeError"),
        (("on",), "TypeError"),
        (("on", [[1]]), "with a Board, not list"),
        (("on", sl.Board([[1]]), -1), "the move on costs -1, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), float("nan")), "the move on costs nan, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), float("inf")), "the move on costs inf, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), 10**400), "the move on costs 1000"),
        (("on", sl.Board([[1]]), 2), "the move on costs 2, and without unit_cost=False every move costs 1"),
    ],
)
def test_successors_that_no_search_can_use_are_an_error(item, reason):
    """No action, no board, a cost below nothing, or another cost than was declared."""
    domain = sl.Domain("odd", lambda board: [item], lambda board: False)
    result = sl.solve(sl.Board([[0]]), domain=domain, frontier="breadth-first", engine="readable")
    assert result.status == "error"
    assert result.reason.startswith("odd: <lambda> failed: ")
    assert reason in result.reason


def test_an_exception_in_a_priority_is_an_error(graph):
    """As everywhere in a plugin's code."""
    broken = sl.Frontier("broken", lambda g, h: 1 / h)
    result = graph(CHAIN).solve(broken, {0: 1})
    assert result.status == "error"
    assert result.reason.startswith("broken: <lambda> failed: ZeroDivisionError")


def test_a_domain_that_fails_before_the_search_raises(graph):
    """What is wrong with a board, and whether it is solvable, is asked before; an error there names the function."""
    for function in ("why_invalid", "why_unsolvable"):
        broken = dataclasses.replace(graph(CHAIN).domain, **{function: raising})
        with pytest.raises(sl.PluginError, match="graph: raising failed: LookupError: broken rules"):
            sl.solve(sl.Board([[0]]), domain=broken, engine="readable")


def test_a_random_order_takes_each_of_equal_nodes_first_as_often(graph):
    """Among 300 seeds; the probability of such a deviation by chance is below one in ten thousand."""
    tried = graph({0: [1, 2, 3, 4], **{state: [5] for state in (1, 2, 3, 4)}}, {5})
    first = Counter(tried.path(tried.solve(f"greedy:order=random,seed={seed}", {}))[1] for seed in range(300))
    assert sum((count - 75) ** 2 / 75 for count in first.values()) < 21
    assert len(first) == 4
