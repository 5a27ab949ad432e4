"""`optimal`, `solved` and `unsolvable` are said of what is so, whatever costs and values come in the way."""

import os
import subprocess
import sys
from math import inf, nan

import numpy as np
import pytest

import searchlab as sl
from searchlab.search.readable.beam import depends_on_cost
from tests.search.random_graphs import is_goal, successors, value

FRONTIERS = (
    "astar:duplicates=early",
    "astar:duplicates=late",
    "weighted-astar:weight=1,duplicates=early",
    "uniform-cost:duplicates=early",
    "uniform-cost:duplicates=late",
    "breadth-first",
    "greedy",
    "beam",
    "iterative-deepening",
    "ida-star",
)
ENGINES = ("readable", "compiled")
STATES, DEGREE = 8, 3


class Graph:
    """States are numbers; the search begins at 1.

    Args:
        edges: by state, pairs of a state and a cost.
        packed: other edges for the packed form, where they differ.
        values: of the heuristic, by state; 0 for the others.
    """

    def __init__(self, edges, goals, packed=None, values=None):
        self.edges, self.goals = edges, goals
        targets, costs = np.full((STATES, DEGREE), -1), np.ones((STATES, DEGREE))
        for state, moves in (packed or edges).items():
            for k, (to, cost) in enumerate(moves):
                targets[state, k], costs[state, k] = to, cost
        goal = np.array([state in goals for state in range(STATES)])
        of_states = np.array([(values or {}).get(state, 0.0) for state in range(STATES)])
        self.domain = sl.Domain(
            "graph",
            lambda board: [(f"to{to}", sl.Board([[to]]), cost) for to, cost in edges.get(board.tile_at(0, 0), ())],
            lambda board: board.tile_at(0, 0) in goals,
            values={"values": lambda board: of_states},
            unit_cost=False,
            packed=lambda board: sl.PackedForm(
                values=STATES,
                max_successors=DEGREE,
                successors=successors,
                is_goal=is_goal,
                tables={"targets": targets, "edge_costs": costs, "goals": goal},
            ),
        )

    def solve(self, frontier="astar", engine="compiled", **arguments):
        h = sl.Heuristic("value", value, admissible=True)
        arguments = {"domain": self.domain, "heuristic": h, "frontier": frontier, "engine": engine, **arguments}
        return sl.solve(sl.Board([[1]]), **arguments)

    def alike(self, frontier, **arguments):
        """Search in both engines; return what both say."""
        compiled, readable = (self.solve(frontier, engine, **arguments) for engine in ("compiled", "readable"))
        names = ("status", "cost", "optimal", "expanded", "evaluated", "stored", "max_open", "actions")
        said = [{name: getattr(result, name) for name in names} for result in (compiled, readable)]
        assert said[0] == said[1]
        return readable


def two_ways(**values):
    """A cheap way to goal 2 of cost 2 and a dear one to goal 4 of cost 3."""
    return Graph({1: [(2, 2), (3, 1)], 3: [(4, 2)]}, {2, 4}, values={int(name[1:]): h for name, h in values.items()})


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS[:3])
def test_an_estimate_below_0_at_the_goal_proves_nothing(frontier):
    """Such a goal comes before cheaper ones, although no estimate is above what solving costs."""
    found = two_ways(h4=-100.0).alike(frontier)
    assert (found.cost, found.optimal) == (3, False)
    assert two_ways().alike(frontier).optimal
    elsewhere = two_ways(h2=-1.0).alike(frontier)
    assert (elsewhere.cost, elsewhere.optimal) == (2, False)
    assert two_ways(h3=-100.0).alike(frontier).optimal


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "uniform-cost", "iterative-deepening", "ida-star"])
def test_rounded_costs_prove_nothing(frontier):
    """Beyond 2^53 a search adds up other costs than the solution has."""
    large = Graph({1: [(2, 2**53), (5, 2**53 + 2)], 2: [(3, 1)], 3: [(4, 1)], 4: [(5, 1)]}, {5})
    found = large.alike(frontier)
    assert (found.status, found.optimal) == ("solved", False)
    nearly = Graph({1: [(2, 2**53 - 3), (5, 2**53 - 1)], 2: [(3, 1)], 3: [(4, 1)], 4: [(5, 1)]}, {5})
    assert (nearly.alike(frontier).cost, nearly.alike(frontier).optimal) == (2**53 - 1, True)


def test_tiny_costs_are_compared():
    """A solution of 5e-10 is not as good as one of 2e-10, and the lower bound of a domain is not met by it."""
    graph = Graph({1: [(6, 1e-10), (2, 1e-10), (4, 5e-10)], 2: [(4, 1e-10)]}, {4})
    assert graph.alike("astar").cost == 2e-10
    domain = sl.Domain("graph", graph.domain.successors, graph.domain.is_goal, lower_bound=lambda board: 2e-10)
    dear = sl.Domain(
        "graph",
        lambda board: [e for e in graph.domain.successors(board) if e[0] != "to2"],
        graph.domain.is_goal,
        lower_bound=domain.lower_bound,
        unit_cost=False,
    )
    found = sl.solve(sl.Board([[1]]), domain=dear, frontier="depth-first", engine="readable")
    assert (found.cost, found.optimal) == (5e-10, False)


@pytest.mark.parametrize("cost", [inf, nan, -1.0, 1e301])
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_invalid_costs_are_refused_in_both_engines(frontier, cost):
    """Also if only the packed form has them."""
    edges = {1: [(2, 1), (3, 1)], 3: [(4, 1)]}
    wrong = {1: [(2, cost), (3, 1)], 3: [(4, 1)]}
    for engine in ENGINES:
        found = Graph(wrong, {4}).solve(frontier, engine)
        assert (found.status, f"the move to2 costs {cost}" in found.reason) == ("error", True)
    found = Graph(edges, {4}, packed=wrong).solve(frontier)
    assert found.status == "error"
    assert "a move of the packed form costs something that is no number from 0 to 1e+300" in found.reason


@pytest.mark.parametrize("cost", [0.5, 3.0])
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_a_packed_form_with_other_costs_is_an_error(frontier, cost):
    """Cheaper or dearer than the rules: what the search took the solution to cost is compared with the replay."""
    found = Graph({1: [(2, 1)], 2: [(4, 1)]}, {4}, packed={1: [(2, cost)], 2: [(4, 1)]}).solve(frontier)
    assert found.status == "error"
    assert found.reason == (
        f"the search and the rules of graph disagree: the solution costs 2, but the search reported {cost + 1:g}; "
        "the costs of graph's packed form are others"
    )


@pytest.mark.parametrize("frontier", FRONTIERS)
def test_a_solution_may_be_cheaper_than_the_search_knows(frontier):
    """The search may find the cheaper of two moves to a board later."""
    found = Graph({1: [(2, 3), (2, 1)], 2: [(4, 1)]}, {4}).alike(frontier)
    assert (found.status, found.cost) == ("solved", 2)
    reopening = Graph(
        {1: [(2, 1), (3, 5)], 2: [(3, 1)], 3: [(5, 1)], 5: [(4, 1)]}, {4}, values={2: 9.0, 3: 0.0, 5: 0.0, 4: 0.0}
    )
    assert reopening.alike(frontier).status == "solved"


@pytest.mark.parametrize("frontier", [*FRONTIERS, "depth-first", "weighted-astar:weight=3,duplicates=late"])
@pytest.mark.parametrize("h", [inf, -3.0, 0.5])
def test_a_start_that_is_a_goal_is_solved_with_any_estimate(frontier, h):
    found = Graph({1: [(2, 1)]}, {1}, values={1: h}).alike(frontier)
    assert (found.status, found.moves, found.cost, found.optimal, found.expanded) == ("solved", 0, 0, True, 0)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("frontier", ["astar", "greedy", "beam", "ida-star"])
def test_a_start_with_an_invalid_estimate_is_an_error(frontier, engine):
    found = Graph({1: [(2, 1)]}, {1}, values={1: nan}).solve(frontier, engine)
    assert (found.status, "NaN" in found.reason) == ("error", True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_start_at_a_goal_is_solved_in_batches(engine):
    """Where nodes are evaluated together, too."""
    found = Graph({1: [(2, 1)]}, {1}, values={1: inf}).solve("astar:duplicates=early", engine, batch=10)
    assert (found.status, found.moves) == ("solved", 0)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_circular_beam_is_exhausted(engine):
    """It omits the way to the goal, so nothing is proved."""
    ring = Graph({1: [(2, 1), (4, 1)], 2: [(3, 1)], 3: [(6, 1)], 6: [(2, 1)], 4: [(5, 1)]}, {5}, values={4: 9.0})
    found = ring.solve("beam:width=1", engine)
    assert (found.status, found.moves, found.optimal) == ("exhausted", None, False)
    assert found.expanded < 20
    assert ring.solve("beam:width=2", engine).status == "solved"
    complete = sl.Frontier("careless", lambda g, h: h, family="beam", parameters=(sl.Parameter("width", 1),))
    assert ring.solve(complete, engine).status == "exhausted"


def test_a_circular_beam_continues_if_its_priority_uses_the_cost():
    """A limit ends the search."""
    ring = Graph({1: [(2, 1)], 2: [(3, 1)], 3: [(6, 1)], 6: [(2, 1)]}, {5})
    of_cost = sl.Frontier("of-cost", lambda g, h: g + h, family="beam", parameters=(sl.Parameter("width", 1),))
    for engine in ENGINES:
        assert ring.solve(of_cost, engine, limits=sl.Limits(expansions=100)).status == "expansion-limit"


def test_the_use_of_g_by_a_priority_is_detected():
    """Code that cannot be analysed counts as using g."""

    def hidden(*values):
        return values[1]

    def nested(g, h):
        return (lambda: g)()

    frontiers = {
        lambda g, h: h: False,
        lambda g, h: h + 0 * g: True,
        hidden: True,
        nested: True,
        max: True,
        lambda g, h: eval("g"): True,
    }
    for priority, asks in frontiers.items():
        component = sl.Frontier("named", lambda g, h: h)
        object.__setattr__(component, "priority", priority)
        assert depends_on_cost(component) is asks


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="the peak of this process alone is told by Linux")
def test_a_wide_beam_counts_its_memory():
    """The memory limit holds, and what is reported is what the process has grown by."""
    program = (
        "import searchlab as sl\n"
        "board = sl.read_board('sliding-tile/korf100/082')\n"
        "told = {'heuristic': 'misplaced', 'frontier': 'beam:width=100000000'}\n"
        "told['domain'] = 'sliding-tile:goal=blank-first'\n"
        "sl.solve(board, **told, limits=sl.Limits(expansions=5000))\n"
        "status = lambda: dict(line.split(':', 1) for line in open('/proc/self/status'))\n"
        "before = int(status()['VmRSS'].split()[0]) * 1024\n"
        "result = sl.solve(board, **told, limits=sl.Limits(memory=100 * 2**20))\n"
        "peak = int(status()['VmHWM'].split()[0]) * 1024\n"  # ru_maxrss counts the process that started this one
        "print(result.status, result.peak_bytes / 2**20, (peak - before) / 2**20)\n"
    )
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    status, told, grown = output.split()
    assert status == "memory-limit"
    assert 60 < float(told) <= 100
    assert float(grown) < 1.15 * float(told) + 10


def unlike_the_rest(tiles, out, costs, terminal, prices, ends):
    """Steps of 2 and 1; what they cost is written only where it is not 1, that one ends the game only where it does."""
    count = 0
    for far in range(2, 0, -1):
        to = tiles[0, 0] + far
        if to < len(prices):
            out[count, 0, 0] = to
            if prices[to] != 1:
                costs[count] = prices[to]
            if ends[to]:
                terminal[count] = 1
            count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize("most", [2, 300])
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_unwritten_costs_and_ends_have_their_defaults(frontier, most):
    """They do not depend on earlier expansions."""
    prices, ends = np.ones(12), np.zeros(12, bool)
    prices[[2, 5]], ends[[3, 7]] = (9, 4), True
    line = sl.Domain(
        "line",
        packed=lambda board: sl.PackedForm(
            12, most, unlike_the_rest, is_goal=lambda tiles: tiles[0, 0] == 11, tables={"prices": prices, "ends": ends}
        ),
        unit_cost=False,
    )
    names = ("status", "cost", "optimal", "expanded", "generated", "reopened", "actions")
    found = [
        [getattr(sl.solve(sl.Board([[0]]), domain=line, frontier=frontier, engine=engine), name) for name in names]
        for engine in ENGINES
    ]
    assert found[0] == found[1]
    assert found[0][0] == "solved"
