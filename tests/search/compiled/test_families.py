"""Which kernels a search runs on follows from its frontier, its heuristic and the time of detecting duplicates."""

import pytest

import searchlab as sl
from searchlab.search.compiled.families import family_name
from searchlab.search.solve import problem

PUZZLE = sl.Board([[1, 2, 3], [4, 5, 6], [0, 7, 8]])
START = sl.Board([[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])


def weighted_successors(tiles, out, costs):
    """Write the board itself, at a cost."""
    out[0], costs[0] = tiles, 2.0
    return 1


def weighted_tiles():
    form = sl.PackedForm(values=9, max_successors=1, successors=weighted_successors, is_goal=lambda tiles: False)
    return sl.Domain("weighted", lambda board: [("stay", board, 2)], lambda board: False, packed=lambda board: form)


def family(board, words=1, **names):
    return family_name(problem(board, **names), words, {})


@pytest.mark.parametrize("frontier", ["astar", "weighted-astar:weight=1.5", "uniform-cost"])
def test_whole_numbers_mean_buckets(frontier):
    """For both times of detecting duplicates, each game with its own by default."""
    assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=frontier) == "late-buckets"
    assert family(START, domain="2048", heuristic="moves-to-go", frontier=frontier) == "early-buckets"


@pytest.mark.parametrize("order", ["newest", "oldest", "random"])
def test_buckets_suit_every_order_of_equal_nodes(order):
    found = [
        family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=f"{frontier},order={order}")
        for frontier in ("astar:duplicates=late", "astar:duplicates=early", "greedy:ties=low-h")
    ]
    assert found == ["late-buckets", "early-buckets", "class-buckets"]


def test_priorities_without_g_have_buckets_for_values_of_h():
    """Greedy search has them too, with the early detection it always has, for scores and for fractions to come."""
    assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier="greedy") == "class-buckets"
    assert family(START, domain="2048", heuristic="distance-weighted", frontier="greedy") == "class-buckets"


@pytest.mark.parametrize(
    ("heuristic", "frontier"),
    [
        ("distance-weighted", "weighted-astar"),  # 0 at first, but a score enters as its negative
        ("column-snake", "astar"),
        ("moves-to-go", "weighted-astar:weight=1e300"),  # g drowns in it: several classes have one priority
    ],
)
def test_other_priorities_mean_a_heap(heuristic, frontier):
    """Negative values, fractions, and orders that are no order of (g, h)."""
    assert family(START, domain="2048", heuristic=heuristic, frontier=frontier) == "heap"


def test_oldest_first_needs_no_heap_if_every_move_costs_1():
    """Elsewhere a shorter path may be found later, and a strategy that uses h may find dead ends."""
    assert family(PUZZLE, domain="sliding-tile", frontier="breadth-first") == "in-order"
    assert family(START, domain="2048", frontier="breadth-first") == "in-order"
    assert family(PUZZLE, domain=weighted_tiles(), frontier="breadth-first") == "heap"
    own = sl.Frontier("own", container="fifo")
    assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=own) == "heap"


def test_newest_first_is_a_stack():
    """With h, too."""
    assert family(PUZZLE, domain="sliding-tile", frontier="depth-first") == "stack"
    own = sl.Frontier("own", container="lifo")
    assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=own) == "stack"


def test_buckets_are_used_if_each_holds_one_class():
    """A heap is used if ties do not distinguish classes of equal priority, or if g counts only in places."""
    for priority, ties, expected in (
        (lambda g, h: h // 2, "none", "heap"),
        (lambda g, h: h // 2, "low-h", "class-buckets"),
        (lambda g, h: g + h, "none", "heap"),
        (lambda g, h: max(g, h), "low-h", "heap"),
    ):
        frontier = sl.Frontier("own", priority, ties=ties)
        assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=frontier) == expected


@pytest.mark.parametrize(("duplicates", "expected"), [("late", "late-heap"), ("early", "heap")])
def test_fractions_mean_a_heap_for_the_time_of_detecting_duplicates(duplicates, expected):
    board = sl.Board([[5, 2, 3], [4, 1, 6], [8, 7, 0]])  # two tiles are away from their places by the root of 2
    frontier = f"astar:duplicates={duplicates}"
    assert family(board, domain="sliding-tile", heuristic="euclidean", frontier=frontier) == expected


def test_states_of_many_words_mean_a_heap():
    """They would leave chunks that are hardly filled."""
    assert family(PUZZLE, words=17, domain="sliding-tile", heuristic="taxicab", frontier="astar") == "heap"


def test_a_priority_with_a_plateau_means_a_heap():
    """Where two g with one h have the same priority, buckets would not be classes; one far away is noticed later."""
    for plateau in (lambda g, h: (g + 2) // 3 + h, lambda g, h: h + max(0, g - 250)):
        strategy = sl.frontier(sl.Frontier("plateau", plateau, ties="low-h"))
        assert family(PUZZLE, domain="sliding-tile", heuristic="taxicab", frontier=strategy) == "heap"
