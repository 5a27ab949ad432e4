"""Evaluation in batches: both drivers expand the same nodes in the same order, whoever evaluates them."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
SIZES = (1, 2, 7, 1000)
EARLY = ("greedy", "astar:duplicates=early", "weighted-astar:weight=3,duplicates=early")
FRONTIERS = (*EARLY, "uniform-cost:duplicates=early", "breadth-first", "depth-first", "beam:width=7")
SOLVED = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
HARD = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
WEIGHTS = {"row": 3, "column": 5}

pytestmark = pytest.mark.filterwarnings("ignore:.*it is evaluated in Python")


def by_dict(tiles):
    """What does not compile: it reads a dict. Inconsistent, so that nodes are reopened, with a few dead ends."""
    rows, columns = np.indices(tiles.shape)
    wrong = (tiles != 0) & (tiles != columns + tiles.shape[1] * rows + 1)
    if int(tiles[0, 0] + 3 * tiles[-1, 0] + tiles[0, -1]) % 13 == 12:
        return inf
    weighted = 3 + (7 * tiles + WEIGHTS.get("row") * rows + WEIGHTS.get("column") * columns) % 5
    return float((weighted * wrong).sum()) / 4


def all_by_dict(boards):
    return [by_dict(tiles) for tiles in boards]


def largest_first(boards):
    """A score of 2048 boards in NumPy, its own parameter and the domain's goal among its arguments."""
    return boards.reshape(len(boards), -1).max(axis=1)


FORMS = {
    "plain": sl.Heuristic("by-dict", by_dict),
    "batch": sl.Heuristic("by-dict", batch=all_by_dict),
    "both": sl.Heuristic("by-dict", by_dict, batch=all_by_dict),
    "score": sl.Heuristic("largest", batch=largest_first, prefer="high"),
}


def figures(result):
    """Everything a search says that does not depend on the machine."""
    return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}


def both_engines(board, **arguments):
    """Search with both engines; the results are the same."""
    compiled, readable = (sl.solve(board, engine=engine, **arguments) for engine in ("compiled", "readable"))
    assert figures(compiled) == figures(readable)
    assert (compiled.engine, readable.engine) == ("compiled", "readable") or compiled.status == "unsolvable"
    return compiled


@st.composite
def boards_of_2048(draw):
    n = draw(st.integers(2, 5))
    goal = 2 ** draw(st.integers(3, 17))
    tile = st.sampled_from([0, 0, 0, 2, 2, 4, 8, min(goal, 64)])
    board = sl.Board(draw(st.lists(st.lists(tile, min_size=n, max_size=n), min_size=n, max_size=n)))
    return f"2048:goal={goal},spawn={draw(st.sampled_from(['right-column', 'corner']))}", board


@st.composite
def boards_of_sliding_tiles(draw):
    n = draw(st.integers(2, 4))
    domain = sl.domain("sliding-tile")
    board = sl.Board(np.roll(np.arange(n * n), -1).reshape(n, n))
    for choice in draw(st.lists(st.integers(0, 3), max_size=40)):
        neighbors = domain.neighbors(board)
        board = neighbors[choice % len(neighbors)]
    return "sliding-tile", board


@pytest.mark.slow
@given(
    boards_of_2048() | boards_of_sliding_tiles(),
    st.sampled_from(FRONTIERS),
    st.sampled_from(["plain", "batch", "both", "score", "compiled"]),
    st.sampled_from(SIZES),
    st.sampled_from([5, 60, 700]),
)
def test_both_engines_agree_in_batches(search, frontier, form, batch, expansions):
    """Random boards of both games, all forms, strategies and sizes of batches give the same figures and solution."""
    domain, board = search
    compiled = "empty" if domain.startswith("2048") else "taxicab"
    heuristic = compiled if form == "compiled" else sl.heuristic(FORMS[form], domain=domain)
    both_engines(
        board,
        domain=domain,
        heuristic=heuristic,
        frontier=frontier,
        batch=batch,
        limits=sl.Limits(expansions=expansions),
    )


@pytest.mark.slow
@pytest.mark.parametrize("batch", [2, 1000])
@pytest.mark.parametrize("frontier", ["astar", "weighted-astar:weight=3", "greedy"])
def test_both_engines_agree_in_long_searches(frontier, batch):
    """With growing tables, reopened nodes and dead ends."""
    result = both_engines(
        HARD,
        domain="sliding-tile",
        heuristic=by_dict,
        frontier=frontier,
        batch=batch,
        limits=sl.Limits(expansions=9000),
    )
    assert result.expanded > 8 * batch
    assert result.batch == batch
    assert (result.reopened > 0) == (frontier == "weighted-astar:weight=3")
    assert result.evaluated > result.stored


@pytest.mark.slow
@pytest.mark.parametrize("form", ["plain", "batch"])
@pytest.mark.parametrize("frontier", [*EARLY, "breadth-first", "beam:width=7"])
def test_batches_of_one_equal_the_search_without_batches(frontier, form):
    arguments = {"domain": "sliding-tile", "frontier": frontier, "limits": sl.Limits(expansions=3000)}
    plain, heuristic = (sl.heuristic(FORMS[form], domain="sliding-tile") for form in ("plain", form))
    one_by_one = sl.solve(HARD, heuristic=plain, engine="readable", **arguments)
    batches = sl.solve(HARD, heuristic=heuristic, engine="compiled", batch=1, **arguments)
    assert figures(batches) == figures(one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("batch", SIZES)
@pytest.mark.parametrize("moves", [20, 23, 25, 27, 31])
def test_astar_is_optimal_in_batches(moves, batch):
    """With an admissible heuristic the first goal taken ends a cheapest path, for batches of any size."""
    board = sl.read_board(f"sliding-tile/puzzle8-{moves}")
    result = both_engines(board, domain="sliding-tile", heuristic="taxicab", frontier="astar", batch=batch)
    assert (result.moves, result.optimal, result.batch) == (moves, True, batch)


def test_a_goal_does_not_end_a_search_while_something_better_may_wait(graph):
    """Of two goals the one that comes up within a batch is not taken before the batch is evaluated."""
    padding = {0: [(100, 0)], **{100 + k: [(101 + k, 0)] for k in range(40)}}
    edges = {140: [(1, 1), (2, 1), (3, 9)], 1: [(4, 1)], 2: [(5, 1)], 4: [(6, 1)], 5: [(6, 1)]}
    tried = graph({**padding, **edges}, goals={3, 6})
    for batch in SIZES:
        result = tried.solve("astar", {1: 2, 2: 2, 4: 1, 5: 1}, batch=batch)
        assert (result.cost, tried.path(result)[-1]) == (3, 6)


def test_a_batch_is_evaluated_in_the_order_of_generation(graph):
    """As many nodes as the batch has are expanded in the order of their priority, then the new ones are valued."""
    edges = {0: list(range(1, 40)), **{k: [100 + k] for k in range(1, 40)}}
    tried = graph(edges)
    result = tried.solve("greedy", {k: k for k in range(1, 200)}, batch=3)
    assert tried.valued[: 40 + 7] == list(range(40)) + list(range(101, 108))
    assert tried.expanded[:16] == list(range(16))
    assert result.batch == 3


def test_batches_are_small_in_small_searches(graph):
    """A batch has at most an eighth of the expanded nodes, and at least one node."""
    chain = graph({k: [k + 1] for k in range(40)})
    chain.solve("greedy", batch=1000)
    assert chain.valued == list(range(41))


@pytest.mark.parametrize("form", ["plain", "batch"])
@pytest.mark.parametrize("expansions", [0, 1, 17, 100, 1001])
def test_the_limit_of_expansions_cuts_a_batch_short(expansions, form):
    """Exactly the allowed number of nodes is expanded, and their successors are evaluated."""
    heuristic = sl.heuristic(FORMS[form], domain="sliding-tile")
    limits = sl.Limits(expansions=expansions)
    result = both_engines(HARD, domain="sliding-tile", heuristic=heuristic, batch=1000, limits=limits)
    assert (result.status, result.expanded) == ("expansion-limit", expansions)
    assert result.evaluated >= result.stored


def test_a_goal_is_found_with_the_last_expansion_allowed(graph):
    """The nodes that wait when the limit is reached are evaluated, and a goal among them ends the search."""
    chain = {k: [k + 1] for k in range(30)}
    result = graph(chain, goals={30}).solve("greedy", limits=sl.Limits(expansions=30), batch=1000)
    assert (result.status, result.expanded) == ("solved", 30)
