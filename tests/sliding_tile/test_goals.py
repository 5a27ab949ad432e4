"""Goals of one's own, and boards that are no squares, against searches without the code under test."""

from collections import deque
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab.search.state_space import CompiledEstimate
from searchlab_plugins.sliding_tile.goals import goal_tiles, inwards
from searchlab_plugins.sliding_tile.packed import neighbors
from searchlab_plugins.sliding_tile.patterns import reflection

BOUNDS = [
    "taxicab",
    "misplaced",
    "euclidean",
    "linear-conflict",
    "walking-distance",
    "walking-distance:conflicts=yes",
    "pattern-database",
    "pattern-database:dual=yes",
    "pattern-database:groups=[1 2/3 4],mirror=no,dual=yes",
]
SPACES = [
    ((3, 3), "1 2 3/4 5 6/8 0 7"),
    ((3, 3), "snail"),
    ((2, 3), "blank-last"),
    ((3, 2), "4 0 1 2 3 5"),
    ((2, 4), "1 0 2 3/4 5 6 7"),
]


def distances(shape, goal):
    """The distance from the goal of every board, a tuple of tiles, that can be reached from it."""
    rows, columns = shape
    start = tuple(goal_tiles(shape, goal).tolist())
    found, queue = {start: 0}, deque([start])
    while queue:
        tiles = queue.popleft()
        blank = tiles.index(0)
        row, column = divmod(blank, columns)
        for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
            if 0 <= row + down < rows and 0 <= column + right < columns:
                cell, after = blank + columns * down + right, list(tiles)
                after[blank], after[cell] = after[cell], 0
                after = tuple(after)
                if after not in found:
                    found[after] = found[tiles] + 1
                    queue.append(after)
    return found


def values(h, boards):
    """The values of boards, shape (boards, rows, columns), in machine code."""
    like = sl.Board(boards[0])
    packing = Packing.of(h.domain.packed(like), like)
    arguments = h.arguments(like, h.component.function)
    return CompiledEstimate(h.component.function, arguments, packing).values(packing.pack_tiles(boards))


@pytest.mark.parametrize("name", ["snail", "spiral"])
def test_the_snail_goal_is_a_spiral(name):
    assert goal_tiles((3, 3), name).reshape(3, 3).tolist() == [[1, 2, 3], [8, 0, 4], [7, 6, 5]]
    assert goal_tiles((4, 4), name).reshape(4, 4).tolist() == [
        [1, 2, 3, 4],
        [12, 13, 14, 5],
        [11, 0, 15, 6],
        [10, 9, 8, 7],
    ]
    assert goal_tiles((2, 3), name).reshape(2, 3).tolist() == [[1, 2, 3], [0, 5, 4]]
    assert sorted(inwards((5, 3))) == list(range(15))


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "goal"), SPACES)
def test_heuristics_are_bounds_on_all_boards(shape, goal):
    """And consistent where they declare it; 0 at the goal."""
    exact = distances(shape, goal)
    boards, costs = np.array(list(exact)).reshape(-1, *shape), np.array(list(exact.values()))
    number = {tiles: k for k, tiles in enumerate(exact)}
    rows, columns = shape
    domain = sl.domain("sliding-tile", goal=goal)
    some = range(0, len(costs), max(1, len(costs) // 2000))
    pairs = [
        (k, number[tuple(after.tiles.ravel().tolist())])
        for k in some
        for after in domain.neighbors(sl.Board(boards[k]))
    ]
    for name in BOUNDS:
        h = sl.heuristic(name, domain=domain)
        found = values(h, boards)
        assert found[0] == 0
        assert (found <= costs + 1e-9).all(), name
        if h.consistent:
            assert all(abs(found[k] - found[after]) <= 1 + 1e-9 for k, after in pairs), name
    assert (rows * columns == 9) == (len(costs) == 181_440)


@pytest.mark.parametrize(("shape", "goal"), [*SPACES[2:4], ((2, 2), "snail")])
def test_solvable_boards_are_those_that_reach_the_goal(shape, goal):
    """Of all boards; for 3 × 3 see below."""
    exact, domain = distances(shape, goal), sl.domain("sliding-tile", goal=goal)
    for tiles in permutations(range(shape[0] * shape[1])):
        said = domain.why_unsolvable(sl.Board(np.reshape(tiles, shape)))
        assert (said == "") == (tiles in exact)
        if said:
            other = said.partition("such as goal=")[2].partition(" (")[0]
            assert not sl.domain(f"sliding-tile:goal={other}").why_unsolvable(sl.Board(np.reshape(tiles, shape)))


SHAPES = st.tuples(st.integers(2, 6), st.integers(2, 6))


@settings(deadline=None, max_examples=50)
@given(SHAPES, st.data())
def test_a_walk_from_a_goal_stays_solvable_and_within_bounds(shape, data):
    """Any goal of any rectangle; what a heuristic is not for, it refuses by name."""
    tiles = data.draw(st.permutations(range(shape[0] * shape[1])))
    goal = "/".join(" ".join(map(str, row)) for row in np.reshape(tiles, shape).tolist())
    domain = sl.domain("sliding-tile", goal=goal)
    moves = data.draw(st.integers(0, 12))
    board = sl.generator("walk", domain=domain, moves=moves)(data.draw(st.integers(0, 1000)))
    assert board.shape == shape
    assert domain.why_invalid(board) == domain.why_unsolvable(board) == ""
    for name in ("taxicab", "misplaced", "euclidean"):
        assert sl.heuristic(name, domain=domain)(board) <= moves
    shuffled = sl.generator("shuffled", domain=domain)(1)
    assert domain.why_unsolvable(shuffled) == ""


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "goal"), [((3, 5), "snail"), ((4, 4), "snail"), ((5, 2), "blank-first")])
def test_bounds_hold_on_walks_of_larger_boards(shape, goal):
    """Their value is no more than the moves of the walk, and both engines search alike."""
    domain = sl.domain("sliding-tile", goal=goal)
    n, columns = shape
    for seed, moves in enumerate((6, 14, 22)):
        board = sl.generator("walk", domain=domain, n=n, columns=columns, moves=moves)(seed)
        for name in ("linear-conflict", "walking-distance:conflicts=yes", "pattern-database"):
            if name.startswith("walking") and max(shape) > 4:
                with pytest.raises(sl.UsageError, match="walking-distance is for boards of up to 4 × 4"):
                    sl.heuristic(name, domain=domain)(board)
                continue
            found = [
                sl.solve(board, domain=domain, heuristic=name, frontier="astar", engine=engine)
                for engine in ("compiled", "readable")
            ]
            assert found[0].cost <= moves
            assert [found[0].expanded, found[0].actions] == [found[1].expanded, found[1].actions]
            assert sl.heuristic(name, domain=domain)(board) <= found[0].cost
            deep = sl.solve(board, domain=domain, heuristic=name, frontier="ida-star")
            assert (deep.cost, deep.engine) == (found[0].cost, "compiled")


def test_a_mirror_image_leaves_the_blank_of_the_goal_in_place():
    """In the main diagonal as before, in another line, or there is none."""
    cells = np.arange(9)
    assert (reflection((3, 3), 0) == cells.reshape(3, 3).T.ravel()).all()
    assert reflection((3, 3), 2).tolist() == [8, 5, 2, 7, 4, 1, 6, 3, 0]
    assert reflection((3, 3), 3).tolist() == [6, 7, 8, 3, 4, 5, 0, 1, 2]
    assert reflection((2, 3), 1).tolist() == [2, 1, 0, 5, 4, 3]
    assert reflection((2, 3), 5).tolist() == list(range(6))
    for shape in ((3, 3), (2, 3), (4, 4), (3, 5)):
        reached = [set(row[: row[4]].tolist()) for row in neighbors(shape)]
        for blank in range(shape[0] * shape[1]):
            image = reflection(shape, blank)
            assert image[blank] == blank
            assert all({int(image[cell]) for cell in reached[at]} == reached[image[at]] for at in range(len(image)))


@pytest.mark.parametrize(
    ("name", "domain", "said"),
    [
        ("pattern-database:groups=4-4", "sliding-tile:goal=snail", "groups=4-4 is for goal=blank-last and blank-first"),
        ("pattern-database:groups=5-5-5", "sliding-tile", "groups=5-5-5 is for boards of 4 × 4"),
    ],
)
def test_partitions_that_were_published_are_for_their_goals(name, domain, said):
    """Tiles that are listed are for any."""
    board = sl.Board(goal_tiles((3, 3), "snail").reshape(3, 3))
    with pytest.raises(sl.UsageError, match=said):
        sl.heuristic(name, domain=domain)(board)
    assert sl.heuristic("pattern-database:groups=8", domain="sliding-tile:goal=snail")(board) == 0


@pytest.mark.parametrize(
    ("name", "domain", "shape"),
    [
        ("shuffled:n=2,columns=5", "sliding-tile", (2, 5)),
        ("walk", "sliding-tile:goal=[1 2 3/5 0 4]", (2, 3)),
        ("walk:n=3,columns=2", "sliding-tile:goal=[1 2 3 5 0 4]", (3, 2)),
        ("shuffled", "sliding-tile:goal=snail", (4, 4)),
    ],
)
def test_generators_make_boards_of_the_shape_that_is_asked_for_or_of_the_goal(name, domain, shape):
    assert sl.generator(name, domain=domain)(1).shape == shape


def test_a_generator_refuses_boards_that_the_goal_is_not_for():
    with pytest.raises(sl.UsageError, match="is 2 × 3, and the board 3 × 3"):
        sl.generator("shuffled:n=3", domain="sliding-tile:goal=[1 2 3/5 0 4]")(1)
