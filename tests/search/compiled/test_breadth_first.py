"""Breadth-first search on a queue of packed states does what the readable one does, node by node."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search.compiled.best_first import BestFirstSearch

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
STATES = 3000
DEGREE = 4
FAILS = 9
"""A degree at which the rules fail."""
GOAL, FAILING_TEST = 1, 2


def successors(tiles, out, targets, degrees):
    state = tiles[0, 0]
    count = degrees[state]
    if count > targets.shape[1]:
        raise ValueError("not from here")
    for k in range(count):
        out[k, 0, 0] = targets[state, k]
    return count


def ending_successors(tiles, out, terminal, targets, degrees, ends):
    """Write the successors, and which of the moves end the game."""
    count = successors(tiles, out, targets, degrees)
    for k in range(count):
        terminal[k] = ends[tiles[0, 0], k]
    return count


def is_goal(tiles, kinds):
    if kinds[tiles[0, 0]] == 2:
        raise ValueError("not to be tested")
    return kinds[tiles[0, 0]] == 1


class RandomGraph:
    """A graph with equal successors, loops and moves there and back; some moves may end the game."""

    def __init__(self, seed, states, failing=(), untestable=(), goals=0, ending=0.0):
        random = np.random.default_rng(seed)
        shape = (STATES, DEGREE)
        near = np.arange(STATES)[:, None] + random.integers(-9, 90, shape)
        self.targets = np.where(random.random(shape) < 0.97, near, random.integers(0, STATES, shape)) % states
        self.degrees = random.integers(1, DEGREE + 1, STATES)
        self.kinds = np.zeros(STATES, np.int64)
        self.kinds[random.integers(states // 2, states, goals)] = GOAL
        self.ends = random.random(shape) < ending if ending else None
        self.degrees[list(failing)] = FAILS
        self.kinds[list(untestable)] = FAILING_TEST

    def domain(self):
        def edges(board):
            state = board.tile_at(0, 0)
            if self.degrees[state] == FAILS:
                raise ValueError("not from here")
            for k in range(self.degrees[state]):
                over = self.ends is not None and bool(self.ends[state, k])
                yield str(k), sl.Board([[int(self.targets[state, k])]]), 1, over

        def board_is_goal(board):
            return is_goal(board.tiles, self.kinds)

        tables = {"targets": self.targets, "degrees": self.degrees, "kinds": self.kinds}
        writes = successors
        if self.ends is not None:
            writes, tables["ends"] = ending_successors, self.ends.astype(np.uint8)
        form = sl.PackedForm(values=STATES, max_successors=DEGREE, successors=writes, is_goal=is_goal, tables=tables)
        return sl.Domain("random-graph", edges, board_is_goal, packed=lambda board: form)

    def figures(self, engine, expansions):
        limits = sl.Limits(expansions=expansions)
        result = sl.solve(sl.Board([[0]]), domain=self.domain(), frontier="breadth-first", engine=engine, limits=limits)
        assert result.engine == engine
        left_out = {*OF_THE_MACHINE, "max_open", "reason"} if result.status == "error" else OF_THE_MACHINE
        return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in left_out}


@st.composite
def graphs(draw):
    states = draw(st.sampled_from([5, 300, STATES]))
    some = st.lists(st.integers(1, states - 1), max_size=1)
    failing, untestable = draw(st.sampled_from([((), ()), ((), ()), (draw(some), ()), ((), draw(some))]))
    goals, ending = draw(st.sampled_from([0, 1, states])), draw(st.sampled_from([0.0, 0.1, 0.9]))
    return RandomGraph(draw(st.integers(0, 2**32 - 1)), states, failing, untestable, goals, ending)


@pytest.fixture(autouse=True)
def in_order(monkeypatch):
    """Every search here runs on a queue."""
    monkeypatch.setattr(BestFirstSearch, "run", None)


@pytest.mark.slow
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graphs(), st.sampled_from([1, 40, 900]))
def test_both_engines_agree_on_random_graphs(graph, expansions):
    """In figures, paths and errors, also if rules or a goal test fail in a batch."""
    compiled, readable = (graph.figures(engine, expansions) for engine in ("compiled", "readable"))
    assert compiled == readable


def test_an_error_in_a_batch_names_its_node():
    """The nodes before it in the batch count as expanded, and the message shows the board that failed."""
    graph = RandomGraph(seed=1, states=STATES, failing=range(1000, 1100))
    compiled, readable = (graph.figures(engine, 10**6) for engine in ("compiled", "readable"))
    assert compiled == readable
    assert (compiled["status"], compiled["expanded"] > 64) == ("error", True)
    found = sl.solve(sl.Board([[0]]), domain=graph.domain(), frontier="breadth-first", engine="compiled")
    assert "ValueError: not from here" in found.reason
    assert 1000 <= int(found.reason.splitlines()[-1]) < 1100


def test_a_long_way_is_followed_back():
    """From the goal to the start over many nodes with one child each, and with none."""
    graph = RandomGraph(seed=2, states=STATES)
    graph.targets[:, 0] = np.arange(1, STATES + 1)
    graph.targets[:, 1:] = 0
    graph.degrees[:] = 2
    graph.kinds[STATES - 1] = GOAL
    graph.targets[STATES - 1, 0] = 0
    result = sl.solve(sl.Board([[0]]), domain=graph.domain(), frontier="breadth-first", engine="compiled")
    assert (result.status, result.moves, result.cost, result.optimal) == ("solved", STATES - 1, STATES - 1, True)


def test_a_goal_that_ends_the_game_is_another_node_than_the_same_board():
    """Both are kept where both are met before one of them is taken."""
    graph = RandomGraph(seed=3, states=STATES, ending=0.5)
    graph.degrees[:] = DEGREE
    graph.targets[0] = 1, 2, 2, 1
    graph.ends[0] = 0, 1, 0, 1
    graph.kinds[:] = 0
    graph.kinds[2] = GOAL
    compiled, readable = (graph.figures(engine, 10**6) for engine in ("compiled", "readable"))
    assert compiled == readable
    assert (compiled["generated"], compiled["status"]) == (4 + DEGREE, "solved")


def test_2048_is_searched_without_a_heap():
    """Its moves cost 1, and some end the game."""
    searches = [
        sl.solve(domain="2048:n=3,goal=64", frontier="breadth-first", engine=engine, limits=sl.Limits(expansions=700))
        for engine in ("compiled", "readable")
    ]
    compiled, readable = (
        {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}
        for result in searches
    )
    assert compiled == readable
