"""The heuristics for 2048 have the values the sources print, and the two lower bounds never say too much."""

from collections import deque
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search.state_space import CompiledEstimate, wide_packing

ONE_TWO = [[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
SEVEN_BOARDS = [
    (ONE_TWO, 0, 0, 8),
    ([[2, 0, 0, 0], [0, 4, 0, 0], [0, 0, 8, 0], [0, 0, 0, 16]], 90, 0, 168),
    ([[2, 0, 0, 2], [0, 4, 4, 0], [8, 0, 8, 0], [0, 16, 0, 16]], 218, 4, 320),
    ([[2, 0, 0, 16], [2, 4, 0, 16], [0, 4, 8, 0], [0, 0, 8, 0]], 114, 2, 212),
    ([[2, 2, 0, 0], [0, 2, 2, 0], [0, 0, 2, 2], [2, 0, 0, 2]], 48, 0, 48),
    ([[2, 2, 2, 0], [0, 4, 4, 4], [8, 8, 8, 0], [0, 16, 16, 16]], 324, 14, 200),
    ([[2, 0, 8, 0], [2, 4, 8, 16], [2, 4, 8, 16], [0, 4, 0, 16]], 216, 14, 200),
]
RULES = ("right-column", "corner")
BOUNDS = ("moves-to-go", "merges-to-go")
ALL = ("distance-weighted", "left-weighted", "snake", "penalty", "column-snake", "empty", *BOUNDS)


def grids(smallest=2, largest=6):
    tile = st.sampled_from([0, 0, 2, 2, 4, 8, 16, 1024])
    return st.integers(smallest, largest).flatmap(
        lambda n: st.lists(st.lists(tile, min_size=n, max_size=n), min_size=n, max_size=n)
    )


def with_last_row(*row):
    return [[0, 0, 0, 2], [0] * 4, [0] * 4, list(row)]


def cells(rows):
    return [(r, c, tile) for r, row in enumerate(rows) for c, tile in enumerate(row)]


@pytest.mark.parametrize(("rows", "weighted", "snake", "penalty"), SEVEN_BOARDS)
def test_the_seven_printed_boards(rows, weighted, snake, penalty):
    """Weighted, snake and penalty of the seven boards of the source."""
    board = sl.Board(rows)
    values = [sl.heuristic(name)(board) for name in ("weighted", "snake", "penalty")]
    assert values == [weighted, snake, penalty]


@pytest.mark.parametrize(
    ("name", "rows", "value"),
    [
        ("distance-weighted", with_last_row(16, 2, 8, 4), 150),
        ("distance-weighted", with_last_row(16, 2, 4, 8), 146),
        ("distance-weighted", [[0, 0, 0, 2], [0] * 4, [2, 0, 0, 0], [8, 0, 4, 0]], 74),
        ("left-weighted", with_last_row(16, 2, 4, 8), 216),
        ("left-weighted", [[32, 16, 2, 2], [64, 16, 8, 0], [128, 2, 0, 0], [256, 0, 0, 0]], 5136),
        ("penalty", ONE_TWO, 8),
        ("empty", ONE_TWO, 15),
        ("empty", [[2, 4], [8, 16]], 0),
        ("column-snake", [[0, 0], [16, 0]], 16),
        ("column-snake", [[16, 0], [0, 0]], 8),
        ("column-snake", [[0, 16], [0, 0]], 4),
        ("column-snake", [[0, 0], [0, 16]], 2),
        ("moves-to-go", ONE_TWO, 1033),
    ],
)
def test_the_printed_values(name, rows, value):
    """Each value the sources print for a board."""
    assert sl.heuristic(name)(sl.Board(rows)) == value


def test_moves_to_go_of_board10_is_three(board10):
    """The bound that proves three moves minimal."""
    assert sl.heuristic("moves-to-go")(board10) == 3
    assert sl.domain("2048").lower_bound(board10) == 3


@given(grids())
def test_distance_weighted_is_the_sum_over_the_distances(rows):
    """Σ tile × Manhattan distance from the upper-right cell."""
    expected = sum(tile * (r + len(rows) - 1 - c) for r, c, tile in cells(rows))
    assert sl.heuristic("distance-weighted")(sl.Board(rows)) == expected


@given(grids(), st.sampled_from([-2.0, -1.0, 0.0, 0.5]))
def test_left_weighted_is_the_sum_of_its_three_terms(rows, corner):
    """First column by growing weights, second column about to merge, and the corner."""
    n = len(rows)
    weights = [sum(n - 2 + k for k in range(r + 1)) for r in range(n)]
    expected = sum(weights[r] * rows[r][0] for r in range(n))
    expected += sum(row[1] for row in rows if row[1] and row[1] in (row[0], row[0] / 2))
    expected += corner * rows[-1][-1]
    assert sl.heuristic("left-weighted", corner=corner)(sl.Board(rows)) == expected


def test_the_weights_of_left_weighted_are_2_5_9_14():
    """On 4 × 4 the rows of the first column have the published weights."""
    left = sl.heuristic("left-weighted")
    tiles = np.eye(4, dtype=np.int64) * 2
    assert [left(sl.Board(np.outer(row, [1, 0, 0, 0]))) / 2 for row in tiles // 1] == [2, 5, 9, 14]


def test_both_further_terms_count_on_2x2():
    """On 2 × 2 the lower-right tile is in the second column too, and both terms take it."""
    left = sl.heuristic("left-weighted")
    assert left(sl.Board([[0, 0], [4, 4]])) == 4 * 1 + 4 - 4
    assert left(sl.Board([[0, 0], [4, 2]])) == 4 * 1 + 2 - 2
    assert left(sl.Board([[0, 0], [4, 8]])) == 4 * 1 - 8


@given(grids())
def test_snake_is_the_sum_of_tiles_in_line_with_the_first_largest(rows):
    """Σ of the smaller tiles in the row and the column of the largest, the first in row-major order."""
    largest = max(map(max, rows))
    at_row, at_column = next((r, c) for r, c, tile in cells(rows) if tile == largest)
    in_line = [tile for r, c, tile in cells(rows) if (r == at_row) != (c == at_column)]
    assert sl.heuristic("snake")(sl.Board(rows)) == sum(tile for tile in in_line if tile < largest)


@given(grids())
def test_penalty_counts_each_edge_twice(rows):
    """Σ over all ordered pairs of neighbours of the absolute difference."""
    n = len(rows)
    expected = 0
    for r, c, tile in cells(rows):
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            if 0 <= r + down < n and 0 <= c + right < n:
                expected += abs(tile - rows[r + down][c + right])
    assert sl.heuristic("penalty")(sl.Board(rows)) == expected


@given(grids())
def test_column_snake_winds_over_the_columns_from_the_lower_left(rows):
    """Σ tile × 0.5^position along the boustrophedon up the first column, down the second."""
    n = len(rows)
    path = [(r if c % 2 else n - 1 - r, c) for c in range(n) for r in range(n)]
    expected = sum(rows[r][c] * 0.5**position for position, (r, c) in enumerate(path))
    assert sl.heuristic("column-snake")(sl.Board(rows)) == pytest.approx(expected, abs=0, rel=1e-12)


@given(grids(), st.integers(2, 16))
def test_moves_to_go_equals_its_formula(rows, k):
    """Twos still to come and to merge; else doublings of the smallest tile that is needed."""
    goal = 2**k
    tiles = sorted((tile for _, _, tile in cells(rows) if tile), reverse=True)
    if tiles and tiles[0] >= goal:
        expected = 0
    elif sum(tiles) < goal:
        expected = (goal - sum(tiles)) // 2 + k - 1
    else:
        used = 0
        for smallest in tiles:
            used += smallest
            if used >= goal:
                break
        expected = (goal // smallest).bit_length() - 1
    assert sl.heuristic("moves-to-go", domain=f"2048:goal={goal}")(sl.Board(rows)) == expected


def missing_or_smallest(tiles, amount, k):
    """Moves to 2^k that takes tiles which add up to an amount: new 2s with their merges, or those of the smallest."""
    tiles = sorted(tiles, reverse=True)
    if amount == 0:
        return 0
    if sum(tiles) < amount:
        return (amount - sum(tiles)) // 2 + k - 1
    enough = next(count for count in range(1, len(tiles) + 1) if sum(tiles[:count]) >= amount)
    return k - tiles[enough - 1].bit_length() + 1


def by_cases(rows, k):
    """The three cases of merges-to-go, on boards whose first column is full."""
    goal, column = 2**k, [row[0] for row in rows]
    outside = [tile for row in rows for tile in row[1:] if tile]
    yield missing_or_smallest([*outside, max(column)], goal, k)
    for at, pair in enumerate(pairwise(column)):
        yield missing_or_smallest([*outside, *column[:at], *column[at + 2 :]], goal, k)
        for z in (2**e for e in range(1, k) if 2**e >= max(pair)):
            smaller = [tile for tile in outside if tile < z]
            yield max(missing_or_smallest(smaller, 2 * z - sum(pair), k), k - min(pair).bit_length() + 1)


@given(grids(2, 4), st.integers(2, 12))
@example([[32, 2, 2, 2], [128, 4, 8, 2], [2, 16, 2, 0], [64, 8, 0, 0]], 8)
def test_merges_to_go_is_the_minimum_of_its_cases(rows, k):
    """Where the first column is full; moves-to-go otherwise."""
    goal = 2**k
    board = sl.Board(rows)
    simple, sharper = (sl.heuristic(name, domain=f"2048:goal={goal}")(board) for name in BOUNDS)
    if simple == 0 or not all(row[0] for row in rows):
        assert sharper == simple
    else:
        assert sharper == max(simple, min(by_cases(rows, k)))


def test_merges_to_go_recognises_a_2_that_is_shut_in():
    """The 2 between 512s can only be wasted, or be made a 512 of more than what there is: a move more at least."""
    shut_in = sl.Board([[64, 32, 4, 2], [512, 128, 0, 0], [2, 512, 8, 2], [512, 4, 16, 4]])
    assert [sl.heuristic(name)(shut_in) for name in BOUNDS] == [133, 134]


def test_merges_to_go_of_the_largest_tiles_stays_within_64_bits():
    """Neither tiles 2^62 nor sums beyond 2^63 overflow."""
    huge = sl.heuristic("merges-to-go", domain=f"2048:goal={2**62}")
    assert huge(sl.Board([[2**61, 2**61], [2**60, 2**61]])) == 1
    assert huge(sl.Board([[2**62, 2], [2, 2]])) == 0
    for rows in ([[2, 2], [2**61, 2]], [[2**61, 2**61], [2**60, 2**60]]):
        assert huge(sl.Board(rows)) == min(by_cases(rows, 62))


def test_moves_to_go_of_the_largest_tiles_stays_within_64_bits():
    """Neither tiles 2^62 nor sums beyond 2^63 overflow."""
    huge = sl.heuristic("moves-to-go", domain=f"2048:goal={2**62}")
    assert huge(sl.Board([[2**62, 2**62], [2**62, 2**62]])) == 0
    assert huge(sl.Board([[2**61, 2**61], [2**61, 2**61]])) == 1
    assert huge(sl.Board([[0, 0], [0, 2]])) == (2**62 - 2) // 2 + 61


def exact_scores(rows):
    """What the scores are on a board of whole numbers of any length, and what their terms add up to in size."""
    n = len(rows)
    second = [row[1] * (row[1] in (row[0], row[0] / 2)) for row in rows]
    left = [sum(n - 2 + k for k in range(r + 1)) * row[0] for r, row in enumerate(rows)]
    by_value = max((tile, -r, -c) for r, c, tile in cells(rows))
    in_line = [tile for r, c, tile in cells(rows) if (r == -by_value[1]) + (c == -by_value[2]) == 1]
    edges = [abs(a - b) for grid in (rows, zip(*rows, strict=True)) for row in grid for a, b in pairwise(row)]
    return {
        "distance-weighted": sum(tile * (r + n - 1 - c) for r, c, tile in cells(rows)),
        "left-weighted": sum(left) + sum(second) - rows[-1][-1],
        "snake": sum(tile for tile in in_line if tile < by_value[0]),
        "penalty": 2 * sum(edges),
        "tutorial": sum(exact_line(line) for grid in (rows, zip(*rows, strict=True)) for line in grid),
    }


def exact_line(line):
    tiles = [tile for tile in line if tile]
    falls = sum(max(0, a - b) for a, b in pairwise(tiles))
    rises = sum(max(0, b - a) for a, b in pairwise(tiles))
    pairs = sum(a == b for a, b in pairwise(tiles))
    return 1000 + 250 * (len(line) - len(tiles)) + 750 * pairs - 10 * sum(tiles) - 50 * min(falls, rises)


@pytest.fixture(scope="module")
def compiled():
    """The scores as compiled code, for boards of 4 × 4 with tiles of any size."""
    packing = wide_packing(sl.Board([[0] * 4] * 4))
    functions = {name: sl.heuristic(name).component.function for name in exact_scores([[0] * 4] * 4)}
    values = {"left-weighted": {"corner": -1.0}}
    return {name: CompiledEstimate(f, values.get(name, {}), packing) for name, f in functions.items()}


LARGE = st.sampled_from([0, 0, 2, 4, 1024, 2**30, 2**52, 2**60, 2**61, 2**62])


@given(st.lists(st.lists(LARGE, min_size=4, max_size=4), min_size=4, max_size=4))
@example([[0, 0, 0, 2], [0] * 4, [0] * 4, [2**62, 0, 0, 0]])
@example([[2**62, 2, 2**62, 2]] * 4)
@example([[2**61] * 3 + [2**62]] * 4)
def test_scores_of_the_largest_tiles_keep_sign_and_order(compiled, rows):
    """Every tile up to 2^62 is legal; interpreted and compiled, sums are right but for the last digits."""
    board = sl.Board(rows)
    for name, exact in exact_scores(rows).items():
        value = sl.heuristic(name)(board)
        assert value == pytest.approx(exact, rel=1e-12, abs=1e-12 * 50 * sum(map(sum, rows)))
        packed = compiled[name].packing.pack(board).reshape(1, -1)
        assert compiled[name].values(packed)[0] == value


@given(grids(4, 4))
def test_scores_of_small_tiles_are_exact(compiled, rows):
    """As whole numbers they were the same."""
    board = sl.Board(rows)
    for name, exact in exact_scores(rows).items():
        packed = compiled[name].packing.pack(board).reshape(1, -1)
        assert compiled[name].values(packed)[0] == sl.heuristic(name)(board) == exact


def exact_distances(domain, starts):
    """The moves to the nearest goal of every live board that can be reached from these, and all its edges."""
    edges, todo, distances, before = {}, list(starts), {}, {}
    while todo:
        board = todo.pop()
        if board in edges:
            continue
        edges[board] = [] if domain.is_goal(board) else list(domain.edges(board))
        for edge in edges[board]:
            if edge.terminal and domain.is_goal(edge.board):
                distances[board] = 1
            elif not edge.terminal:
                before.setdefault(edge.board, []).append(board)
                todo.append(edge.board)
    queue = deque(board for board in edges if domain.is_goal(board))
    distances |= dict.fromkeys(queue, 0)
    queue.extend(board for board, distance in distances.items() if distance == 1)
    while queue:
        board = queue.popleft()
        for earlier in before.get(board, []):
            if earlier not in distances:
                distances[earlier] = distances[board] + 1
                queue.append(earlier)
    return distances, edges


def assert_admissible_and_consistent(domain, starts):
    """The bounds are below every exact distance, drop by at most 1 a move, and are 0 on goals only."""
    simple, sharper = (sl.heuristic(name, domain=domain) for name in BOUNDS)
    distances, edges = exact_distances(domain, starts)
    for board, distance in distances.items():
        assert simple(board) <= sharper(board) <= distance
        assert domain.lower_bound(board) == simple(board)
    for board, successors in edges.items():
        assert (simple(board) == 0) == (sharper(board) == 0) == domain.is_goal(board)
        for edge in successors:
            if not edge.terminal or domain.is_goal(edge.board):
                assert simple(board) <= 1 + simple(edge.board)
                assert sharper(board) <= 1 + sharper(edge.board)
    return len(edges), len(distances)


@pytest.mark.parametrize("spawn", RULES)
@pytest.mark.parametrize("goal", [4, 8, 16, 32])
def test_both_bounds_are_admissible_and_consistent_on_every_2x2_board(spawn, goal):
    """All boards with tiles up to 16 and all that follow from them, against exact distances."""
    every = [sl.Board([[a, b], [c, d]]) for a, b, c, d in product((0, 2, 4, 8, 16), repeat=4)]
    known, solvable = assert_admissible_and_consistent(sl.domain("2048", goal=goal, spawn=spawn), every)
    assert known >= 625
    assert solvable > 100


@pytest.mark.slow
@pytest.mark.parametrize(("spawn", "goal"), [("right-column", 16), ("corner", 16)])
def test_both_bounds_are_admissible_and_consistent_from_the_3x3_start(spawn, goal):
    """The whole space below the start board of 3 × 3, against exact distances."""
    domain = sl.domain("2048", goal=goal, spawn=spawn, n=3)
    known, solvable = assert_admissible_and_consistent(domain, [domain.start()])
    assert known > 1000
    assert solvable > 1000


@given(grids(2, 4))
def test_values_are_of_the_tiles_alone(rows):
    """A value asked again is the same and kept; one computed anew is the same too."""
    for name in ALL:
        h = sl.heuristic(name)
        board = sl.Board(rows)
        assert h(board) == h(board) == h.evaluate(sl.Board(rows))


def test_only_the_two_bounds_are_declared_admissible():
    """Scores and penalty promise nothing, so a search with them proves nothing."""
    declared = {name: sl.heuristic(name).component for name in ALL}
    assert [name for name, h in declared.items() if h.admissible or h.consistent] == [*BOUNDS]
    assert [name for name, h in declared.items() if h.prefer == "low"] == ["penalty", *BOUNDS]
