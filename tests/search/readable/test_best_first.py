"""The readable best-first search: the order in which it takes nodes, duplicates, dead ends and errors."""

from math import inf, nan

import pytest

import searchlab as sl

HEAPS = ("greedy", "astar", "weighted-astar", "uniform-cost")
QUEUES = ("breadth-first", "depth-first")
DIAMOND = {0: [1, 2], 1: [0, 3], 2: [0, 3], 3: [1, 2]}
STRATEGIES = ("greedy", "astar", "weighted-astar", "uniform-cost", "breadth-first", "depth-first")
BOTH = ("early", "late")
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


def test_the_goal_is_tested_at_expansion_not_at_generation(graph):
    """The goal generated first by an expensive edge is reached by the cheap detour."""
    tried = graph({0: [(1, 5), (2, 1)], 2: [(1, 1)]}, goals={1})
    result = tried.solve("uniform-cost")
    assert (result.cost, result.moves, tried.path(result)) == (2, 2, [0, 2, 1])
    assert result.actions == ("0-2", "2-1")


@pytest.mark.parametrize("frontier", ["greedy", "astar", "weighted-astar", "uniform-cost", "depth-first"])
def test_the_newest_of_equal_nodes_is_expanded_first(graph, frontier):
    """Of successors of equal worth the last generated is expanded first."""
    tried = graph(FAN)
    tried.solve(frontier)
    assert tried.expanded[:2] == [0, 3]


def test_breadth_first_expands_the_oldest(graph):
    """Layer by layer, in the order generated."""
    tried = graph(FAN)
    tried.solve("breadth-first")
    assert tried.expanded == [0, 1, 2, 3, 4, 5, 6]


def test_depth_first_expands_the_last_generated(graph):
    """Down the last branch first, then the one before."""
    tried = graph(FAN)
    tried.solve("depth-first")
    assert tried.expanded == [0, 3, 6, 2, 5, 1, 4]


@pytest.mark.parametrize("frontier", ["astar", "weighted-astar:weight=1"])
def test_the_smaller_h_of_equal_f_is_expanded_first(graph, frontier):
    """With g + h the same, the node nearer to a goal goes first, though it is not the newest."""
    tried = graph({0: [(1, 3), (2, 2), (3, 1)]})
    tried.solve(frontier, {1: 1, 2: 2, 3: 3})
    assert tried.expanded == [0, 1, 2, 3]


def test_greedy_ignores_g(graph):
    """Equal h is decided by age."""
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


def test_the_largest_score_is_expanded_first(graph):
    tried = graph(FAN)
    scores = tried.heuristic({1: 5, 2: 9, 3: 7}, prefer="high")
    tried.solve("greedy", h=scores)
    assert tried.expanded[:3] == [0, 2, 3]


@pytest.mark.parametrize(
    ("fillers", "order"),
    [(1000, ["B", "C", "A"]), (1100, ["B", "A", "C"])],
)
@pytest.mark.parametrize("frontier", ["uniform-cost", "astar"])
def test_large_searches_expand_nodes_in_batches(graph, frontier, fillers, order):
    """From 1,024 expansions on, two of the best class are taken at once, and what they generate comes after."""
    a, b, c = 5000, 5001, 5002
    cheap = [(1 + number, 1) for number in range(fillers)]
    tried = graph({0: [*cheap, (a, 2), (b, 2)], b: [(c, 0)]})
    tried.solve(frontier)
    assert tried.expanded[-3:] == [{"A": a, "B": b, "C": c}[name] for name in order]


def test_weighted_astar_and_greedy_expand_one_node_at_a_time(graph):
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


def test_only_the_parent_is_omitted(graph):
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


def test_late_detection_counts_dropped_nodes(graph):
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


@pytest.mark.slow
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


def test_an_equally_long_path_is_ignored(graph):
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
def test_other_strategies_never_reopen(graph, frontier):
    """Greedy, breadth-first and depth-first leave closed nodes closed, with the path they had."""
    tried = graph({0: [(2, 1), (1, 3)], 1: [(3, 5)], 2: [(4, 1)], 4: [(1, 0)]}, goals={3})
    result = tried.solve(frontier, {2: 4, 4: 4, 3: 9})
    assert (result.reopened, result.cost) == (0, 8)
    assert tried.path(result) == [0, 1, 3]


def test_the_default_of_duplicates_comes_from_the_domain(graph):
    """For A*, weighted A* and uniform-cost; other strategies detect them early."""
    for recommended in BOTH:
        tried = graph(DIAMOND, duplicates=recommended)
        for frontier in ("astar", "weighted-astar", "uniform-cost"):
            assert bool(tried.solve(frontier).duplicates) == (recommended == "late")
        assert tried.solve("greedy").duplicates == 0
        assert tried.solve("astar:duplicates=early").duplicates == 0
        assert tried.solve("astar:duplicates=late").duplicates == 2


def test_only_best_first_strategies_with_a_heap_have_options():
    """Breadth-first search has none, and there is no third value."""
    with pytest.raises(sl.UsageError, match="frontier breadth-first has no parameter 'duplicates'"):
        sl.frontier("breadth-first:duplicates=late")
    with pytest.raises(sl.UsageError, match="duplicates is one of early, late, not never"):
        sl.frontier("astar:duplicates=never")


@pytest.mark.parametrize("duplicates", BOTH)
def test_circles_of_free_moves_are_searched_once(graph, duplicates):
    tried = graph({0: [(1, 0)], 1: [(2, 0)], 2: [(0, 0), (3, 1)], 3: [(0, 0)]}, goals={3})
    result = tried.solve(f"astar:duplicates={duplicates}")
    assert (result.cost, result.moves, result.expanded) == (1, 3, 3)


def test_a_state_that_is_its_own_successor_is_a_duplicate(graph):
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


def test_an_infinite_h_is_a_dead_end(graph):
    """Such a successor is generated and evaluated, but not stored."""
    tried = graph({0: [1, 2], 1: [3]}, goals={3})
    result = tried.solve("astar", {1: inf})
    assert (result.generated, result.evaluated, result.stored, tried.expanded) == (2, 3, 2, [0, 2])


def test_a_score_of_minus_infinity_is_a_dead_end(graph):
    """A score enters as its negative, so the worst score there is is infinite."""
    tried = graph({0: [1, 2]})
    tried.solve("greedy", h=tried.heuristic({1: -inf}, prefer="high"))
    assert tried.expanded == [0, 2]


@pytest.mark.parametrize(
    ("declared", "status"),
    [({}, "exhausted"), ({"admissible": True}, "unsolvable"), ({"admissible": True, "prefer": "high"}, "exhausted")],
)
def test_dead_ends_prove_unsolvability_only_if_h_is_admissible(graph, declared, status):
    """Without a solution the outcome is `unsolvable` if h may be trusted, else `exhausted`."""
    tried = graph({0: [1, 2]})
    worst = -inf if declared.get("prefer") == "high" else inf
    assert tried.solve("astar", h=tried.heuristic({1: worst}, **declared)).status == status
    assert tried.solve("astar", h=tried.heuristic({0: worst}, **declared)).status == status
    assert tried.solve("astar", h=tried.heuristic({}, **declared)).status == "unsolvable"


@pytest.mark.parametrize("bad", [nan, -nan])
def test_not_a_number_is_an_error_that_shows_the_board(graph, bad):
    """The search ends with status `error`, a reason with the board, and the figures so far."""
    tried = graph({0: [1, 2], 1: [3]})
    result = tried.solve("greedy", {3: bad, 2: 5})
    assert result.status == "error"
    assert result.reason.startswith("heuristic table returned NaN, which is not an estimate\n1\n")
    assert result.reason.endswith("    3")
    assert (result.expanded, result.generated, result.evaluated, result.max_open) == (2, 3, 3, 2)
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())


def test_an_exception_in_h_is_an_error_that_names_its_place(graph):
    """Type, message, file and line of the exception stand in the reason, and the board."""

    def fails():
        msg = "no table\nfor this"
        raise LookupError(msg)

    result = graph({0: [1], 1: [2]}).solve("astar", {2: fails})
    assert result.status == "error"
    first, *board = result.reason.splitlines()
    assert first.startswith("heuristic table: LookupError: no table for this (")
    assert "test_best_first.py, line " in first
    assert board == ["1", "    2"]


@pytest.mark.parametrize("value", ["text", None, [1, 2]])
def test_a_value_that_is_not_a_number_is_an_error(graph, value):
    """A heuristic that returns something else fails like one that raises."""
    result = graph({0: [1]}).solve("greedy", {1: value})
    assert result.status == "error"
    assert result.reason.startswith(f"heuristic table returned {value!r}, which is not a number\n")


def test_a_random_order_depends_on_the_seed(graph):
    """The same seed gives the same order; the seeds of a few searches take each of three equal nodes first."""
    tried = graph({0: [1, 2, 3], 1: [4], 2: [4], 3: [4]}, goals={4})
    firsts = set()
    for seed in range(20):
        tried.solve("greedy:order=random", seed=seed)
        expanded = tried.expanded
        tried.solve(f"greedy:order=random,seed={seed}")
        assert tried.expanded == expanded
        firsts.add(expanded[1])
    assert firsts == {1, 2, 3}


@pytest.mark.parametrize(
    ("frontier", "message"),
    [
        ("greedy:order=random,siblings=first", "greedy: siblings=first has no meaning with order=random"),
        ("greedy:seed=3", "greedy: a seed has no effect without order=random"),
        ("greedy:order=random,seed=-1", "a seed is a whole number from 0 to"),
    ],
)
def test_options_that_contradict_each_other_are_refused(graph, frontier, message):
    with pytest.raises(sl.UsageError, match=message):
        graph({0: [1]}, goals={1}).solve(frontier)
