"""Pattern databases have the values of independent searches, are lower bounds, and are kept up to date by moves."""

from collections import deque
from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl
from searchlab_plugins.sliding_tile.goals import goal_tiles
from searchlab_plugins.sliding_tile.pattern_database import PATTERN_DATABASE, moved, pattern_database
from searchlab_plugins.sliding_tile.patterns import NAMED, PartitionLayout, parse_groups

GOALS = ("blank-last", "blank-first")


def heuristic(groups, mirror=False, goal="blank-last", dual=False):
    name = f"pattern-database:groups=[{groups}],mirror={yes_or_no(mirror)},dual={yes_or_no(dual)}"
    return sl.heuristic(name, domain=f"sliding-tile:goal={goal}")


def yes_or_no(value):
    return "yes" if value else "no"


def solved(n, goal="blank-last"):
    return sl.Board(goal_tiles((n, n), goal).reshape(n, n))


def spelled(groups):
    return "/".join(" ".join(map(str, group)) for group in groups)


def moves_of_a_group(group, goal, blank=0):
    """The moves that tiles of the 8-puzzle need at least, by their cells: by 0-1 search with the blank, in a dict.

    Another tile may be in the place of the blank.
    """
    order = goal_tiles((3, 3), goal).tolist()
    start = (order.index(blank), *(order.index(tile) for tile in group))
    costs, wave = {start: 0}, deque([start])
    while wave:
        state = wave.popleft()
        blank, *cells = state
        for cell in range(9):
            if abs(cell // 3 - blank // 3) + abs(cell % 3 - blank % 3) != 1:
                continue
            after = (cell, *(blank if place == cell else place for place in cells))
            cost = costs[state] + (cell in cells)
            if cost < costs.get(after, 99):
                costs[after] = cost
                (wave.append if cell in cells else wave.appendleft)(after)
    least = np.full((9,) * len(group), 99)
    for (_, *cells), cost in costs.items():
        least[tuple(cells)] = min(cost, least[tuple(cells)])
    return least


def independent(boards, goal):
    """The sums of both groups of 4-4 on boards of the 8-puzzle, shape (boards, 9)."""
    cells = np.argsort(boards, axis=1)
    return sum(moves_of_a_group(group, goal)[tuple(cells[:, group].T)] for group in parse_groups("4-4", (3, 3), goal))


def independent_dual(boards, groups, goal):
    """The same on their duals, tile 0 in a group of its own: what a group needs without the tile that is the blank."""
    order = goal_tiles((3, 3), goal)
    belongs = np.argsort(order)
    cells = np.zeros(boards.shape, int)
    cells[:, order] = belongs[boards]  # the tile that belongs on a cell lies where the tile on that cell belongs
    walkers = order[(boards == 0).argmax(axis=1)]
    values = np.zeros(len(boards), int)
    for walker in range(9):
        its = walkers == walker
        for group in ((0,), *groups):
            tiles = [tile for tile in group if tile != walker]
            values[its] += moves_of_a_group(tiles, goal, walker)[tuple(cells[its][:, tiles].T)]
    return values


def mirrored(boards, goal):
    """The boards reflected in the diagonal through the blank's goal, tiles named after where they belong then."""
    order = goal_tiles((3, 3), goal).reshape(3, 3)
    name = np.zeros(9, int)
    name[order] = order.T
    return name[boards.reshape(-1, 3, 3).transpose(0, 2, 1)].reshape(-1, 9)


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
def test_values_on_the_8_puzzle_equal_those_of_independent_searches(exact_distances, goal, values_on):
    """On all 181,440 for one goal: the sum, or that of the mirror image if it is larger; never above the distance."""
    distances = exact_distances(3, goal)
    thinned = 1 if goal == "blank-last" else 97
    boards, exact = (np.array(list(some)[::thinned]) for some in (distances, distances.values()))
    plain, images = independent(boards, goal), independent(mirrored(boards, goal), goal)
    assert np.array_equal(values_on(boards, heuristic("4-4", goal=goal)), plain)
    both = values_on(boards, heuristic("4-4", mirror=True, goal=goal))
    assert np.array_equal(both, np.maximum(plain, images))
    assert (both <= exact).all()
    assert (images > plain).any()


@pytest.mark.slow
def test_a_group_of_all_tiles_has_the_exact_distances(exact_distances, values_on):
    """It is indexed by rank."""
    boards, exact = zip(*list(exact_distances(3, "blank-last").items())[::53], strict=True)
    assert values_on(np.array(boards), heuristic("8")).tolist() == list(exact)


@pytest.mark.slow
@pytest.mark.parametrize(("goal", "groups"), [("blank-last", "8 6 3/1 2/4 5 7"), ("blank-first", "3 1 4/8/2 6")])
def test_dual_lookups_have_the_values_of_independent_searches(exact_distances, goal, groups, values_on):
    """On all 181,440 boards: the largest of up to four sums, and never above the distance.

    Two groups shut the blank's goal cell off. In the second partition 5 and 7 are in no group.
    """
    distances = exact_distances(3, goal)
    boards, exact = np.array(list(distances)), np.array(list(distances.values()))
    images, partition = mirrored(boards, goal), parse_groups(groups, (3, 3), goal)
    h, both = (heuristic(groups, goal=goal, dual=True, mirror=mirror) for mirror in (False, True))
    regular, dual = values_on(boards, heuristic(groups, goal=goal)), independent_dual(boards, partition, goal)
    values = values_on(boards, h)
    assert np.array_equal(values, np.maximum(regular, dual))
    assert (dual > regular).any()
    assert (values <= exact).all()
    of_images = np.maximum(values_on(images, heuristic(groups, goal=goal)), independent_dual(images, partition, goal))
    values = values_on(boards, both)
    assert np.array_equal(values, np.maximum(regular, np.maximum(dual, of_images)))
    assert (values <= exact).all()
    for tiles, value in zip(boards[::9973], values[::9973], strict=True):
        assert both(sl.Board(tiles.reshape(3, 3))) == value


@pytest.mark.parametrize(
    ("groups", "expected"), [("8", True), ("1/2/3", True), ("4-4", False), ("", False), ("1 2/3", False)]
)
def test_only_groups_of_one_tile_or_of_all_are_consistent(groups, expected):
    """Two tiles can shut the blank in, and a table has the smallest distance over its places."""
    assert heuristic(groups).consistent == expected


def test_dual_lookups_are_consistent_only_if_exact():
    """A move changes which tile of the dual is left out."""
    assert heuristic("8", dual=True).consistent
    assert not heuristic("1/2/3", dual=True).consistent


def test_two_tiles_that_shut_the_blank_in_are_not_consistent(exact_distances):
    """A move of one of them changes the sum by 3."""
    h = heuristic("3 7", goal="blank-first")
    assert h.admissible
    domain = sl.domain("sliding-tile:goal=blank-first")
    boards = [sl.Board(np.reshape(tiles, (3, 3))) for tiles in list(exact_distances(3, "blank-first"))[::29]]
    drops = [h(board) - h(after) for board in boards[:600] for after in domain.neighbors(board)]
    assert max(drops) == 3


def test_groups_of_one_tile_equal_the_taxicab_distance():
    """Tiles that are in no group add nothing."""
    board = sl.Board([[1, 2, 3], [4, 5, 6], [8, 7, 0]])
    assert heuristic("7/1/8")(board) == 2
    assert heuristic("8/1")(board) == heuristic("8/1", mirror=True)(board) == 1


@pytest.mark.slow
@pytest.mark.parametrize(("n", "groups"), [(3, "8"), (4, "1 2/15 12 11/3 4"), (5, "3 4/15 20/24 23/1 6/7")])
@pytest.mark.parametrize("dual", [False, True])
def test_moves_update_the_value_and_the_carried_numbers(n, groups, dual):
    """Along a walk they are those of each board; on 5 × 5 the cells take two words, and tables are ranked."""
    h, domain = heuristic(groups, mirror=True, dual=dual), sl.domain("sliding-tile")
    board = solved(n)
    arguments = h.arguments(board, pattern_database)
    value, carried = h(board), h.carried(board)
    for step in range(120):
        following = domain.neighbors(board)
        after = following[step * step % 7 % len(following)]
        (source,), (target,) = (np.flatnonzero(one.tiles.ravel() == 0) for one in (after, board))
        value, carried = moved(value, carried, board.tiles.ravel()[source], source, target, **arguments)
        board = after
        assert (value, carried) == (h(board), h.carried(board))


@pytest.mark.slow
@pytest.mark.parametrize("dual", [False, True])
def test_updating_and_recomputing_give_the_same_search(dual):
    """In machine code; the solution is a cheapest one."""
    h = heuristic("1 2/15 12 11/3 4", mirror=True, dual=dual)
    anew = replace(h, component=replace(PATTERN_DATABASE, incremental=None, carry=None))
    board = sl.generator("walk", domain="sliding-tile", n=4, moves=30)(5)
    found, expected = (sl.solve(board, heuristic=one, frontier="ida-star", domain="sliding-tile") for one in (h, anew))
    assert found.optimal
    assert found.moves == sl.solve(board, heuristic="taxicab", frontier="ida-star", domain="sliding-tile").moves
    assert [found.moves, found.expanded, found.generated] == [expected.moves, expected.expanded, expected.generated]


def test_groups_of_equal_shape_share_a_table_on_5_by_5():
    """The corners' pairs are one table, turned and reflected."""
    text = "3 4/15 20/24 23/1 6/7"
    groups = parse_groups(text, (5, 5), "blank-first")
    layout = PartitionLayout(groups, (5, 5), "blank-first")
    assert len(layout.tables) < len(groups)
    tables = [
        sl.distances("sliding-tile:goal=blank-first", board=solved(5), keep=group, charge=group) for group in groups
    ]
    h = heuristic(text, goal="blank-first")
    for seed in range(20):
        board = sl.generator("shuffled", domain="sliding-tile:goal=blank-first", n=5)(seed)
        assert h(board) == sum(table[board] for table in tables)


@pytest.mark.parametrize("name", NAMED)
def test_named_partitions_have_each_tile_once_and_turn_with_the_goal(name):
    """With the blank last they are those with the blank first, turned by half a turn."""
    n, groups = NAMED[name]
    assert sorted(tile for group in groups for tile in group) == list(range(1, n * n))
    first, last = (parse_groups(name, (n, n), goal) for goal in ("blank-first", "blank-last"))
    assert [[n * n - tile for tile in group] for group in first] == [list(group) for group in last]


def test_the_24_puzzle_needs_two_tables():
    """Three of its groups are one 2 × 3 rectangle each (Korf and Felner 2002)."""
    layout = PartitionLayout(parse_groups("6-6-6-6", (5, 5), "blank-first"), (5, 5), "blank-first")
    assert [len(table.tiles) for table in layout.tables] == [6, 6]
    assert layout.entries == 2 * 127_512_000


@pytest.mark.parametrize(
    ("groups", "fault"),
    [
        ("1 2/2 3", "the tile 2 is there twice"),
        ("1 2/x", "tiles are written 1 2 3/4 5 6"),
        ("1 2//3", "tiles are written 1 2 3/4 5 6"),
        ("1/2/3/4/5/6/7", "there are up to 6 groups"),
        ("1 9", "the tiles of 3 × 3 are 1 … 8, and 9 is none"),
        ("7-8", "groups=7-8 is for boards of 4 × 4: for 3 × 3 there are 4-4 and 8"),
    ],
)
def test_an_invalid_partition_is_refused(groups, fault):
    with pytest.raises(sl.UsageError, match=fault):
        heuristic(groups)(solved(3))


@pytest.mark.slow
def test_every_board_of_up_to_5_by_5_has_a_default_partition():
    """Beyond that there is none, and no other either."""
    assert [heuristic("")(solved(n)) for n in (2, 3, 4, 5)] == [0, 0, 0, 0]
    for groups in ("", "1 2/3"):
        with pytest.raises(sl.UsageError, match="up to 25 cells"):
            heuristic(groups)(solved(6))
