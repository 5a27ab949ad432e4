"""The rules of the sliding-tile puzzle: moves, boards, parity, and the form for the compiled engine."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab_plugins.sliding_tile.goals import goal_tiles

GOALS = ("blank-last", "blank-first")
DEPTHS = [1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993]
DEPTHS += [17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2]


def shuffled(smallest=2, largest=5):
    """Boards with their tiles in any order, solvable or not."""

    def board(n):
        return st.permutations(range(n * n)).map(lambda tiles: sl.Board(np.reshape(tiles, (n, n))))

    return st.integers(smallest, largest).flatmap(board)


def test_the_blank_goes_up_left_right_down():
    """From the middle all four moves are there, in this order, named for where the blank goes."""
    board = sl.Board([[1, 2, 3], [4, 0, 5], [6, 7, 8]])
    assert sl.domain("sliding-tile").successors(board) == [
        ("up", sl.Board([[1, 0, 3], [4, 2, 5], [6, 7, 8]])),
        ("left", sl.Board([[1, 2, 3], [0, 4, 5], [6, 7, 8]])),
        ("right", sl.Board([[1, 2, 3], [4, 5, 0], [6, 7, 8]])),
        ("down", sl.Board([[1, 2, 3], [4, 7, 5], [6, 0, 8]])),
    ]


def test_at_the_border_only_the_moves_that_fit_are_left():
    """In each corner of 2 × 2 the blank has two moves, in the fixed order."""
    domain = sl.domain("sliding-tile")
    actions = [
        [action for action, _ in domain.successors(sl.Board(np.roll([0, 1, 2, 3], blank).reshape(2, 2)))]
        for blank in range(4)
    ]
    assert actions == [["right", "down"], ["left", "down"], ["up", "right"], ["up", "left"]]


@given(shuffled())
def test_every_move_costs_one_and_can_be_undone(board):
    """Each successor has the board among its own successors, by the opposite action."""
    opposite = {"up": "down", "down": "up", "left": "right", "right": "left"}
    domain = sl.domain("sliding-tile")
    for edge in domain.edges(board):
        assert (edge.cost, edge.terminal) == (1, False)
        assert dict(domain.successors(edge.board))[opposite[edge.action]] == board


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_goals_are_in_order_with_the_blank_last_or_first(n):
    """1, 2, … row by row, and the blank where the parameter says."""
    ordered = np.arange(n * n)
    last, first = sl.Board(np.roll(ordered, -1).reshape(n, n)), sl.Board(ordered.reshape(n, n))
    assert sl.domain("sliding-tile").is_goal(last)
    assert not sl.domain("sliding-tile").is_goal(first)
    assert sl.domain("sliding-tile", goal="blank-first").is_goal(first)
    assert not sl.domain("sliding-tile", goal="blank-first").is_goal(last)


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[0]], "it is 1 × 1, and the puzzle has 2 rows and 2 columns or more"),
        ([[0, 1, 2]], "it is 1 × 3, and the puzzle has 2 rows and 2 columns or more"),
        ([[1, 2], [3, 4]], "the tile 4 is too large: 2 × 2 holds 0 … 3 once each"),
        ([[1, 2], [3, 2**63 - 1]], f"the tile {2**63 - 1} is too large: 2 × 2 holds 0 … 3 once each"),
        ([[1, 2], [2, 0]], "the tile 2 is there 2 times and 3 is missing: 0 … 3 once each"),
        ([[1, 2], [3, 1]], "the tile 1 is there 2 times and 0 is missing: 0 … 3 once each"),
        ([[0, 0], [0, 0]], "the tile 0 is there 4 times and 1 is missing: 0 … 3 once each"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(rows, why):
    assert sl.domain("sliding-tile").why_invalid(sl.Board(rows)) == why
    with pytest.raises(sl.BoardError, match="not a board of sliding-tile: "):
        sl.solve(sl.Board(rows), domain="sliding-tile")


@given(shuffled())
def test_every_order_of_the_tiles_is_a_board(board):
    """Nothing is wrong with any permutation."""
    assert sl.domain("sliding-tile").why_invalid(board) == ""


@pytest.mark.slow
@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("n", [2, 3])
def test_solvable_boards_are_those_reachable_from_the_goal(exact_distances, n, goal):
    """Parity says of every 2 × 2 board, and of every fortieth 3 × 3 board, whether the goal can be reached."""
    distances = exact_distances(n, goal)
    domain = sl.domain("sliding-tile", goal=goal)
    for number, tiles in enumerate(permutations(range(n * n))):
        if n == 2 or number % 40 == 0:
            board = sl.Board(np.reshape(tiles, (n, n)))
            assert (domain.why_unsolvable(board) == "") == (tiles in distances)
    if n == 3:
        assert np.bincount(list(distances.values())).tolist() == DEPTHS


@given(shuffled(4, 6), st.sampled_from(GOALS), st.integers(0, 40), st.randoms(use_true_random=False))
def test_moves_do_not_change_whether_a_board_is_solvable(board, goal, length, random):
    """After a random walk from any board the answer is the same."""
    domain = sl.domain("sliding-tile", goal=goal)
    answer = domain.why_unsolvable(board)
    for _ in range(length):
        board = random.choice(domain.neighbors(board))
    assert domain.why_unsolvable(board) == answer


@given(shuffled())
def test_swapping_two_tiles_makes_a_board_solvable_or_unsolvable(board):
    """Half of all boards are unsolvable: of two that differ by a swap of tiles exactly one is."""
    domain = sl.domain("sliding-tile")
    tiles = board.tiles.copy().ravel()
    first, second = np.flatnonzero(tiles)[:2]
    tiles[[first, second]] = tiles[[second, first]]
    swapped = sl.Board(tiles.reshape(board.shape))
    assert bool(domain.why_unsolvable(board)) != bool(domain.why_unsolvable(swapped))


@pytest.mark.parametrize("n", [2, 4, 6])
def test_a_board_solvable_with_another_goal_names_it(n):
    """Where n is even every board is solvable under exactly one goal, and the other names it."""
    for goal, other in (GOALS, GOALS[::-1]):
        board = sl.Board(goal_tiles((n, n), other).reshape(n, n))
        result = sl.solve(board, domain=f"sliding-tile:goal={goal}")
        assert (result.status, result.expanded) == ("unsolvable", 0)
        assert f"cannot be reached; goal= sets another goal, such as goal={other}" in result.reason


def test_the_board_of_a_textbook_gets_the_goal_of_a_textbook_as_an_example():
    """Nilsson's board is solved in 5 moves, with another goal than the default."""
    board = sl.Board([[2, 8, 3], [1, 6, 4], [7, 0, 5]])
    result = sl.solve(board, domain="sliding-tile")
    assert (result.status, result.expanded) == ("unsolvable", 0)
    assert result.reason == (
        "from this board 1 2 3 / 4 5 6 / 7 8 0 cannot be reached; "
        "goal= sets another goal, such as goal=snail (1 2 3 / 8 0 4 / 7 6 5)"
    )
    for goal in ("snail", "spiral", "[1 2 3/8 0 4/7 6 5]", "1 2 3 / 8 0 4 / 7 6 5", "1 2 3 8 0 4 7 6 5"):
        assert sl.solve(board, domain=f"sliding-tile:goal={goal}").cost == 5


def test_a_large_unsolvable_board_is_recognised_at_once():
    """A 300 × 300 board with one swap is answered without a search."""
    tiles = np.roll(np.arange(300 * 300), -1)
    tiles[:2] = 2, 1
    result = sl.solve(sl.Board(tiles.reshape(300, 300)), domain="sliding-tile")
    assert result.status == "unsolvable"


def test_the_worked_example_takes_right_down_right(example8):
    """The example of the assignment, with its boards in order."""
    result = sl.solve(example8, domain="sliding-tile", engine="readable")
    assert (result.actions, result.optimal) == (("right", "down", "right"), True)
    domain = sl.domain("sliding-tile")
    assert [domain.format(board) for board in result.boards] == [
        "3\n1 2 3\n0 4 6\n7 5 8",
        "3\n1 2 3\n4 0 6\n7 5 8",
        "3\n1 2 3\n4 5 6\n7 0 8",
        "3\n1 2 3\n4 5 6\n7 8 0",
    ]


def test_the_headline_says_minimum_only_if_it_is_proved():
    """The first line of a transcript is the assignment's."""
    domain, board = sl.domain("sliding-tile"), sl.Board([[1, 2], [3, 0]])
    text = "2\n1 2\n3 0\n"
    transcripts = [list(domain.transcript(board, (), proved=proved)) for proved in (True, False)]
    assert transcripts == [["Minimum number of moves = 0\n", text], ["Number of moves = 0\n", text]]


def test_the_domain_has_no_start_board():
    with pytest.raises(sl.UsageError, match="sliding-tile has no start board: name a board file"):
        sl.solve(domain="sliding-tile")


@pytest.mark.parametrize("goal", GOALS)
def test_values_of_the_domain_are_the_goal_row_and_column_of_each_tile(goal):
    """Row and column by tile, for the size of the board."""
    board = sl.Board(goal_tiles((4, 4), goal).reshape(4, 4))
    offers = sl.domain("sliding-tile", goal=goal).names(board)
    assert "other" not in offers
    assert all(board.tile_at(offers["goal_row"][tile], offers["goal_col"][tile]) == tile for tile in range(16))


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("middle", r"a goal is blank-last, blank-first, snail or spiral, or lists its tiles as \[1 2 3/8 0 4/7 6 5\]"),
        ("1 2 3/8 0 4/7 6 -5", "a goal is blank-last"),
        ("1 2 3/8 0 4/7 6 6", "5 is missing: a goal of 9 cells has 0 … 8 once each"),
        ("1 2 3/8 0 4/7 6 5 5", "5 is there twice: a goal of 10 cells has 0 … 9 once each"),
        ("1 2 3/8 0 4/7 6 9", "5 is missing: a goal of 9 cells"),
        ("1 2 3 8/0 4/7 6 5", "its rows are not all of one length"),
        ("1 2 3 4 5 6 0", "7 cells are no board of 2 rows and 2 columns or more"),
        ("1/2/0", "3 cells are no board of 2 rows and 2 columns or more"),
    ],
)
def test_a_wrong_goal_is_refused(goal, said):
    """In one line."""
    with pytest.raises(sl.UsageError, match=said) as error:
        sl.domain(f"sliding-tile:goal=[{goal}]")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("1 2 3/8 0 4/7 6 5", "is 3 × 3, and the board 4 × 4"),
        ("1 2 3 8 0 4 7 6 5", "has 9 cells, and the board 4 × 4"),
    ],
)
def test_a_goal_of_another_shape_is_refused(goal, said):
    """The board says its own."""
    board = sl.Board(goal_tiles((4, 4), "snail").reshape(4, 4))
    with pytest.raises(sl.BoardError, match=f"not a board of sliding-tile:goal={goal}: the goal {said}"):
        sl.solve(board, domain=f"sliding-tile:goal=[{goal}]")


def test_the_size_is_no_parameter():
    """Other domains have n, so it will be tried here: the error says what has it. Other names get no such advice."""
    with pytest.raises(
        sl.UsageError, match=r"goal and to; the board gives 'n' \(generator \w+:n=… makes such boards\)$"
    ):
        sl.domain("sliding-tile:n=3")
    with pytest.raises(sl.UsageError, match=r"no parameter 'colour': there are cost, goal and to$"):
        sl.domain("sliding-tile:colour=3")
