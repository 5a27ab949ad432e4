"""The order in which the readable driver takes nodes, and what it counts."""

from math import nan

import pytest

import searchlab as sl

HEAPS = ("greedy", "astar", "weighted-astar", "uniform-cost")
QUEUES = ("breadth-first", "depth-first")
DIAMOND = {0: [1, 2], 1: [0, 3], 2: [0, 3], 3: [1, 2]}
FAN = {0: [1, 2, 3], 1: [4], 2: [5], 3: [6]}


@pytest.mark.parametrize("frontier", [*HEAPS, *QUEUES, "iterative-deepening", "ida-star"])
def test_a_start_that_is_a_goal_is_solved_without_expanding(graph, frontier):
    """0 moves, 0 expanded, 0 generated, and that is optimal where the strategy promises it."""
    result = graph(DIAMOND, goals={0}).solve(frontier)
    assert (result.status, result.moves, result.cost, result.actions) == ("solved", 0, 0, ())
    assert (result.expanded, result.generated) == (0, 0)
    assert [board.tiles.tolist() for board in result.boards] == [[[0]]]


def test_a_start_that_is_a_goal_needs_no_limit(graph):
    """Not even a limit of no expansions, no time and no memory keeps it from being solved."""
    limits = sl.Limits(expansions=0, seconds=0, memory=0)
    assert graph(DIAMOND, goals={0}).solve("astar", limits=limits).status == "solved"


def test_the_goal_is_tested_when_taken_and_not_when_generated(graph):
    """The goal generated first by an expensive edge is reached by the cheap detour."""
    tried = graph({0: [(1, 5), (2, 1)], 2: [(1, 1)]}, goals={1})
    result = tried.solve("uniform-cost")
    assert (result.cost, result.moves, tried.path(result)) == (2, 2, [0, 2, 1])
    assert result.actions == ("0-2", "2-1")


@pytest.mark.parametrize("frontier", ["greedy", "astar", "weighted-astar", "uniform-cost", "depth-first"])
def test_among_equals_the_newest_is_taken(graph, frontier):
    """Of successors of equal worth the last generated is expanded first."""
    tried = graph(FAN)
    tried.solve(frontier)
    assert tried.expanded[:2] == [0, 3]


def test_breadth_first_takes_the_oldest(graph):
    """Layer by layer, in the order generated."""
    tried = graph(FAN)
    tried.solve("breadth-first")
    assert tried.expanded == [0, 1, 2, 3, 4, 5, 6]


def test_depth_first_takes_the_last_generated(graph):
    """Down the last branch first, then the one before."""
    tried = graph(FAN)
    tried.solve("depth-first")
    assert tried.expanded == [0, 3, 6, 2, 5, 1, 4]


@pytest.mark.parametrize("frontier", ["astar", "weighted-astar:weight=1"])
def test_among_equal_f_the_smaller_h_is_taken_first(graph, frontier):
    """With g + h the same, the node nearer to a goal goes first, though it is not the newest."""
    tried = graph({0: [(1, 3), (2, 2), (3, 1)]})
    tried.solve(frontier, {1: 1, 2: 2, 3: 3})
    assert tried.expanded == [0, 1, 2, 3]


def test_greedy_asks_for_h_alone(graph):
    """What a path has cost does not matter to it, nor does h break ties by anything but age."""
    tried = graph({0: [(1, 90), (2, 1), (3, 1)]})
    tried.solve("greedy", {1: 1, 2: 2, 3: 2})
    assert tried.expanded == [0, 1, 3, 2]


def test_weighted_astar_weighs_h(graph):
    """g + w × h decides: a weight of 3 prefers the smaller h, a weight of 1 the smaller g."""
    tried = graph({0: [(1, 1), (2, 4)]})
    tried.solve("weighted-astar:weight=3", {1: 3, 2: 1})
    assert tried.expanded == [0, 2, 1]
    tried.solve("weighted-astar:weight=1", {1: 3, 2: 1})
    assert tried.expanded == [0, 1, 2]


def test_a_score_enters_as_its_negative(graph):
    """With prefer="high" the largest value is taken first."""
    tried = graph(FAN)
    scores = tried.heuristic({1: 5, 2: 9, 3: 7}, prefer="high")
    tried.solve("greedy", h=scores)
    assert tried.expanded[:3] == [0, 2, 3]


@pytest.mark.parametrize(
    ("fillers", "order"),
    [(1000, ["B", "C", "A"]), (1100, ["B", "A", "C"])],
)
@pytest.mark.parametrize("frontier", ["uniform-cost", "astar"])
def test_large_searches_take_nodes_in_batches(graph, frontier, fillers, order):
    """From 1,024 expansions on, two of the best class are taken at once, and what they generate comes after."""
    a, b, c = 5000, 5001, 5002
    cheap = [(1 + number, 1) for number in range(fillers)]
    tried = graph({0: [*cheap, (a, 2), (b, 2)], b: [(c, 0)]})
    tried.solve(frontier)
    assert tried.expanded[-3:] == [{"A": a, "B": b, "C": c}[name] for name in order]


def test_weighted_astar_and_greedy_take_one_at_a_time(graph):
    """However many nodes were expanded, what is generated now may come next."""
    a, b, c = 5000, 5001, 5002
    tried = graph({0: [*range(1, 1100), a, b], b: [c]})
    for frontier in ("greedy", "weighted-astar"):
        tried.solve(frontier, {**dict.fromkeys((a, b), 1), c: 0 if frontier == "weighted-astar" else 1})
        assert tried.expanded[-3:] == [b, c, a]


def test_the_successor_that_leads_straight_back_is_not_generated(graph):
    """On a path with edges both ways only the steps forward count, and the start does not."""
    result = graph({0: [1], 1: [0, 2], 2: [1, 3]}, goals={3}).solve("astar")
    assert (result.expanded, result.generated, result.evaluated, result.stored) == (3, 3, 4, 4)


def test_only_the_parent_is_left_out(graph):
    """A successor that was expanded already, but is not the parent, is generated."""
    result = graph({0: [1], 1: [2], 2: [0, 1]}).solve("breadth-first")
    assert (result.expanded, result.generated) == (3, 3)


def test_a_strategy_without_heuristic_evaluates_nothing(graph):
    """h is not called, and what it would say does not matter."""
    tried = graph(DIAMOND, goals={3})
    for frontier in ("uniform-cost", *QUEUES, "iterative-deepening"):
        result = tried.solve(frontier, {1: nan})
        assert (result.status, result.evaluated, tried.valued) == ("solved", 0, [])


def test_stored_and_open_are_counted(graph):
    """Stored are the nodes kept; the open list is longest when all the fan waits."""
    result = graph(FAN).solve("breadth-first")
    assert (result.stored, result.max_open, result.generated) == (7, 3, 6)
    assert result.peak_bytes > 0


def test_late_detection_keeps_count_of_what_it_drops(graph):
    """Each generated node is evaluated and stored until it is taken and found to be a duplicate."""
    result = graph(DIAMOND).solve("astar:duplicates=late")
    assert (result.expanded, result.generated, result.evaluated) == (4, 5, 6)
    assert (result.duplicates, result.stored, result.reopened) == (2, 4, 0)


def test_early_detection_evaluates_each_state_once(graph):
    """h is asked when a state is first stored, and never again."""
    tried = graph(DIAMOND)
    result = tried.solve("astar:duplicates=early")
    assert sorted(tried.valued) == [0, 1, 2, 3]
    assert (result.expanded, result.generated, result.evaluated) == (4, 5, 4)
    assert (result.duplicates, result.stored) == (0, 4)


@pytest.mark.parametrize(
    ("heuristic", "moves", "expanded", "generated"),
    [("distance-weighted", 1629, 9095, 17029), ("left-weighted", 1041, 1466, 3672)],
)
def test_greedy_reaches_2048_with_the_known_counts(heuristic, moves, expanded, generated):
    """The figures of the rules for greedy from the start board."""
    result = sl.solve(heuristic=heuristic, frontier="greedy", engine="readable")
    assert (result.moves, result.expanded, result.generated) == (moves, expanded, generated)
    assert (result.status, result.optimal) == ("solved", False)


def test_astar_reaches_128_with_the_known_counts():
    """The 2018 priority under the corner rule: 117 moves, 117 expanded."""
    result = sl.solve(
        domain="2048:spawn=corner,goal=128", heuristic="distance-weighted", frontier="astar", engine="readable"
    )
    assert (result.moves, result.expanded) == (117, 117)
