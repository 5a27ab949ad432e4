"""Estimates between two boards, and moves backwards: those of all shipped domains, on whole small state spaces.

`between(a, b)` never exceeds the cost from a to b, and never drops by more than a move costs, where that is declared;
to a goal it is the heuristic's value.
"""

from math import inf

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

import searchlab as sl
from searchlab.plugins.registry import installed

TILES = ["taxicab", "misplaced", "euclidean", "linear-conflict", "walking-distance"]
SPACES = {
    "pancake": ([[1, 2, 3, 4, 5]], ["gap", "gap:ignore=1", "gap:ignore=2", "lookahead-gap"]),
    "pancake:cost=heavy": ([[1, 2, 3, 4, 5]], ["gap", "gap:ignore=1", "lookahead-gap"]),
    "topspin:k=4": ([[1, 2, 3, 4, 5, 6, 7]], ["breaks", "token-database:tokens=3"]),
    "hanoi:pegs=3": ([[1, 1, 1, 1]], ["misplaced-discs", "disc-database", "disc-database:groups=2/2"]),
    "hanoi:pegs=4": ([[1, 1, 1]], ["misplaced-discs", "disc-database:groups=2/1"]),
    "lights-out": ([[0, 0, 0, 0], [0, 1, 0, 0]], ["lights", "fewest-presses"]),
    "grid-map:ways=4": (None, ["octile", "manhattan-distance"]),
    "grid-map:ways=8": (None, ["octile", "manhattan-distance"]),
    "graph": (None, ["straight-line", "landmarks", "landmarks:count=2"]),
    "sliding-tile": ([[1, 2, 3], [4, 5, 0]], [*TILES, "walking-distance:conflicts=yes", "max:of=[taxicab,misplaced]"]),
    "sliding-tile:cost=heavy": ([[1, 2], [3, 4], [5, 0]], TILES),
    "sliding-tile:cost=inverse": ([[1, 2, 3], [4, 5, 0]], TILES),
}
"""For each domain a board of a small state space, None for the domain's own, and heuristics."""
WITHOUT_INVERSE = {
    "2048": "tiles that have merged are not told apart again",
    "2048-random": "likewise, and it is a game of chance",
    "strips": "what an action makes true or false may have been so before",
}
"""The domains whose moves cannot be taken back, and the reason."""
WITHOUT_BETWEEN = {"pattern-database": "its tables hold for the place of one goal's blank"}
"""The heuristics of other domains that have no estimate between two boards, and the reason."""
MOST_TARGETS = 5


def space(domain, start):
    """Return all boards that a board leads to, and the cheapest cost of a move from each to each."""
    boards, numbers, costs = [start], {start: 0}, {}
    for board in boards:
        for edge in domain.edges(board):
            if edge.board not in numbers:
                numbers[edge.board] = len(boards)
                boards.append(edge.board)
            ends = numbers[board], numbers[edge.board]
            costs[ends] = min(edge.cost, costs.get(ends, inf))
    return boards, costs


def least_costs(count, costs):
    """Return the least cost from each board to each, shape (boards, boards)."""
    ends = np.array([*costs])
    edges = csr_matrix((np.array([*costs.values()], float), ends.T), shape=(count, count))
    return dijkstra(edges)


@pytest.mark.parametrize("spelled", SPACES)
def test_estimates_between_two_boards_keep_what_is_declared(spelled):
    """In both directions where a move cannot be undone at its cost."""
    rows, names = SPACES[spelled]
    domain = sl.domain(spelled)
    sample = sl.Board(rows) if rows else next(iter(domain.component.samples()))
    domain, start = domain.at(sample)
    boards, moves = space(domain, start)
    exact = least_costs(len(boards), moves)
    before, after = np.array([*moves]).T
    prices = np.array([*moves.values()]) * (1 + 1e-9)
    for name in names:
        h = sl.heuristic(name, domain=domain)
        for target in np.random.default_rng(7).permutation(len(boards))[:MOST_TARGETS].tolist():
            to = np.array([h.between(board, boards[target]) for board in boards])
            if h.admissible:
                assert (to <= exact[:, target] + 1e-9).all(), name
            if h.consistent:
                assert (to[before] <= prices + to[after]).all(), name
            if h.consistent and domain.component.inverse != "same":
                back = np.array([h.between(boards[target], board) for board in boards])
                assert (back[after] <= prices + back[before]).all(), name
        for board in boards[:100]:
            assert min(h.between(board, goal) for goal in domain.goals(board)) == pytest.approx(h(board), rel=1e-12)


@pytest.mark.slow
def test_estimates_between_two_cubes_are_exact_or_below():
    """The distance from one to another is that from a third to the solved one: the moves undone, in reverse order."""
    exact, bound = (sl.heuristic(f"cube2-{name}") for name in ("distance", "coordinates"))
    cube = sl.domain("cube2")
    random = np.random.default_rng(3)
    for _ in range(20):
        board, walk = cube.start(), []
        for _ in range(8):
            walk.append(board)
            board = cube.neighbors(board)[random.integers(9)]
        for steps, earlier in enumerate(reversed(walk), 1):
            assert bound.between(board, earlier) <= exact.between(board, earlier) <= steps
            assert exact.between(board, earlier) == exact.between(earlier, board)
            values = [exact.between(near, earlier) for near in cube.neighbors(board)]
            if board != earlier:
                assert min(values) == exact.between(board, earlier) - 1  # so it is exact, by induction


def test_the_reversed_edges_of_a_graph_are_all_of_its_edges():
    domain, _ = sl.domain("graph").at(next(iter(sl.domain("graph").component.samples())))
    nodes = [sl.Board([[node]]) for node in range(8)]
    forward = sorted((node.tile_at(0, 0), e.board.tile_at(0, 0), e.cost) for node in nodes for e in domain.edges(node))
    backward = sorted((b.tile_at(0, 0), node.tile_at(0, 0), c) for node in nodes for b, c in domain.predecessors(node))
    assert len(forward) == 13
    assert forward == backward


def test_domains_and_heuristics_without_are_those_named():
    domains = [sl.domain(registered.component.name) for registered in installed().all("domain")]
    assert {domain.name for domain in domains if not domain.has_inverse} == set(WITHOUT_INVERSE)
    assert {domain.name for domain in domains if domain.component.goals is None} == set(WITHOUT_INVERSE)
    heuristics = [registered.component for registered in installed().all("heuristic")]
    lacking = {h.name for h in heuristics if h.domains - set(WITHOUT_INVERSE) and h.between is None}
    assert lacking == set(WITHOUT_BETWEEN)
