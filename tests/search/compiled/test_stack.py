"""Taking the newest node first does what the readable driver does, without stamps of nodes and entries."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
STATES, DEGREE = 120, 4
FRONTIERS = {
    "plain": sl.Frontier("plain", container="lifo"),
    "blind": sl.Frontier("blind", container="lifo", uses_heuristic=False),
}


def successors(tiles, out, costs, targets, prices):
    for k in range(targets.shape[1]):
        out[k, 0, 0] = targets[tiles[0, 0], k]
        costs[k] = prices[tiles[0, 0], k]
    return targets.shape[1]


def is_goal(tiles, goal: int):
    return tiles[0, 0] == goal


def dead_at_sevens(tiles):
    """An estimate with dead ends."""
    return np.inf if tiles[0, 0] % 7 == 3 else tiles[0, 0] % 5


def random_graph(seed, goal):
    """A graph in which shorter ways to open and closed states are found all the time."""
    random = np.random.default_rng(seed)
    targets = random.integers(0, STATES, (STATES, DEGREE))
    prices = random.integers(0, 9, (STATES, DEGREE)).astype(float)

    def edges(board):
        state = board.tile_at(0, 0)
        for k in range(DEGREE):
            yield str(k), sl.Board([[int(targets[state, k])]]), prices[state, k]

    form = sl.PackedForm(
        values=STATES,
        max_successors=DEGREE,
        successors=successors,
        is_goal=is_goal,
        tables={"targets": targets, "prices": prices, "goal": goal},
    )
    return sl.Domain(
        "random-graph",
        edges,
        lambda board: board.tile_at(0, 0) == goal,
        packed=lambda board: form,
        unit_cost=False,
        defaults=sl.Defaults(duplicates="late"),
    )


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS)
@given(seed=st.integers(0, 2**32 - 1), goal=st.sampled_from([7, STATES]), expansions=st.sampled_from([30, 2000]))
def test_both_engines_agree_on_random_graphs(frontier, seed, goal, expansions):
    """With outdated entries and reopened nodes."""
    domain = random_graph(seed, goal)
    results = [
        sl.solve(
            sl.Board([[0]]),
            domain=domain,
            heuristic=None if frontier == "blind" else dead_at_sevens,
            frontier=FRONTIERS[frontier],
            limits=sl.Limits(expansions=expansions),
            engine=engine,
        )
        for engine in ("compiled", "readable")
    ]
    compiled, readable = (
        {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}
        for result in results
    )
    assert compiled == readable


@pytest.mark.slow
def test_a_node_takes_less_memory_than_in_a_heap():
    """Neither h nor stamps."""
    held = sl.solve(domain="2048:goal=65536", frontier="depth-first", limits=sl.Limits(expansions=100_000))
    assert held.peak_bytes < 42 * held.stored
