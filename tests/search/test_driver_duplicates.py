"""States the readable driver meets again: shorter paths, late and early; and moves with which the game is over."""

import pytest

import searchlab as sl

STRATEGIES = ("greedy", "astar", "weighted-astar", "uniform-cost", "breadth-first", "depth-first")
BOTH = ("early", "late")
DIAMOND = {0: [1, 2], 1: [0, 3], 2: [0, 3], 3: [1, 2]}


@pytest.mark.parametrize("duplicates", BOTH)
def test_a_shorter_path_to_an_open_node_replaces_the_longer(graph, duplicates):
    """The path found is the cheap one, and nothing was reopened for it."""
    tried = graph({0: [(1, 9), (2, 1)], 2: [(1, 1)], 1: [(3, 1)]}, goals={3})
    result = tried.solve(f"uniform-cost:duplicates={duplicates}")
    assert (result.cost, tried.path(result), result.reopened) == (3, [0, 2, 1, 3], 0)


def test_a_node_with_a_new_path_counts_as_newest(graph):
    """Of nodes with the same h, the one that just got a shorter path is taken next."""
    tried = graph({0: [(1, 9), (2, 1), (3, 1)], 3: [(1, 1)]})
    tried.solve("greedy", {1: 1, 2: 1})
    assert tried.expanded == [0, 3, 1, 2]


def test_an_equally_long_path_changes_nothing(graph):
    """The first path found stays, and so does the node's place on the open list."""
    tried = graph({0: [(1, 2), (2, 1), (3, 1)], 3: [(1, 1)], 1: [(4, 1)]}, goals={4})
    result = tried.solve("greedy", {1: 1, 2: 1})
    assert tried.expanded == [0, 3, 2, 1]
    assert tried.path(result) == [0, 1, 4]


@pytest.mark.parametrize("duplicates", BOTH)
@pytest.mark.parametrize("frontier", ["astar", "weighted-astar:weight=1"])
def test_a_shorter_path_to_a_closed_node_reopens_it(graph, frontier, duplicates):
    """An inconsistent h closes 1 too early; by the detour over 2 it is expanded again, and the solution is optimal."""
    tried = graph({0: [(1, 3), (2, 1)], 2: [(1, 1)], 1: [(3, 3)]}, goals={3})
    separator = "," if ":" in frontier else ":"
    result = tried.solve(
        f"{frontier}{separator}duplicates={duplicates}", h=tried.heuristic({2: 4, 1: 0}, admissible=True)
    )
    assert tried.expanded == [0, 1, 2, 1]
    assert (result.cost, result.reopened, result.optimal) == (5, 1, True)
    assert tried.path(result) == [0, 2, 1, 3]


@pytest.mark.parametrize("frontier", ["greedy", "breadth-first", "depth-first"])
def test_the_others_never_reopen(graph, frontier):
    """Greedy, breadth-first and depth-first leave closed nodes closed, with the path they had."""
    tried = graph({0: [(2, 1), (1, 3)], 1: [(3, 5)], 2: [(4, 1)], 4: [(1, 0)]}, goals={3})
    result = tried.solve(frontier, {2: 4, 4: 4, 3: 9})
    assert (result.reopened, result.cost) == (0, 8)
    assert tried.path(result) == [0, 1, 3]


def test_the_domain_says_when_duplicates_are_detected(graph):
    """A*, weighted A* and uniform-cost do as the domain recommends, unless told otherwise; the others are early."""
    for recommended in BOTH:
        tried = graph(DIAMOND, duplicates=recommended)
        for frontier in ("astar", "weighted-astar", "uniform-cost"):
            assert bool(tried.solve(frontier).duplicates) == (recommended == "late")
        assert tried.solve("greedy").duplicates == 0
        assert tried.solve("astar:duplicates=early").duplicates == 0
        assert tried.solve("astar:duplicates=late").duplicates == 2


def test_only_strategies_that_reopen_take_the_parameter():
    """Greedy has no parameter duplicates, and no third value is known."""
    with pytest.raises(sl.UsageError, match="frontier greedy has no parameter 'duplicates'"):
        sl.frontier("greedy:duplicates=late")
    with pytest.raises(sl.UsageError, match="duplicates is one of early, late, not never"):
        sl.frontier("astar:duplicates=never")


@pytest.mark.parametrize("duplicates", BOTH)
def test_moves_that_cost_nothing_do_no_harm(graph, duplicates):
    """A circle of free moves is searched once."""
    tried = graph({0: [(1, 0)], 1: [(2, 0)], 2: [(0, 0), (3, 1)], 3: [(0, 0)]}, goals={3})
    result = tried.solve(f"astar:duplicates={duplicates}")
    assert (result.cost, result.moves, result.expanded) == (1, 3, 3)


def test_a_move_that_changes_nothing_does_no_harm(graph):
    """A state that is its own successor is a duplicate like any other."""
    for duplicates in BOTH:
        assert graph({0: [0, 1], 1: [1]}).solve(f"uniform-cost:duplicates={duplicates}").status == "unsolvable"


def test_a_terminal_successor_is_counted_and_not_stored(graph):
    """It is neither evaluated nor expanded, and does not keep the search from proving there is no solution."""
    tried = graph({0: [1, 2], 1: [3]}, terminal={(0, 1)})
    result = tried.solve("greedy")
    assert (result.generated, result.evaluated, result.stored) == (2, 2, 2)
    assert (result.status, tried.expanded) == ("unsolvable", [0, 2])


@pytest.mark.parametrize("frontier", [*STRATEGIES, "ida-star", "iterative-deepening"])
def test_a_terminal_successor_that_is_a_goal_is_a_solution(graph, frontier):
    """The game may be over with the move that wins it."""
    tried = graph({0: [1]}, goals={1}, terminal={(0, 1)})
    assert tried.path(tried.solve(frontier)) == [0, 1]


@pytest.mark.parametrize("duplicates", BOTH)
def test_a_terminal_board_is_not_the_live_board_with_equal_tiles(graph, duplicates):
    """A live 1 is expanded though a terminal 1 was met before it."""
    tried = graph({0: [1, 2], 2: [1], 1: [3]}, goals={3}, terminal={(0, 1)})
    result = tried.solve(f"astar:duplicates={duplicates}")
    assert tried.path(result) == [0, 2, 1, 3]


def test_a_terminal_goal_and_a_live_one_are_two_nodes(graph):
    """The cheap terminal goal does not replace the live one, nor the other way round."""
    tried = graph({0: [(1, 1), (2, 1)], 2: [(1, 5)]}, goals={1}, terminal={(0, 1)})
    result = tried.solve("uniform-cost")
    assert (result.cost, tried.path(result)) == (1, [0, 1])
    other = graph({0: [(1, 9), (2, 1)], 2: [(1, 1)]}, goals={1}, terminal={(0, 1)})
    result = other.solve("uniform-cost")
    assert (result.cost, result.stored) == (2, 4)


def test_a_terminal_move_back_to_the_parent_is_generated(graph):
    """It is another node than the parent, which is live."""
    tried = graph({0: [1], 1: [0]}, terminal={(1, 0)})
    assert tried.solve("breadth-first").generated == 2
