"""The rules of deterministic 2048, compared with a naive reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.cli.drawing import Drawer
from searchlab.cli.summary import transcript
from searchlab_plugins.twenty48.slides import SHORT

RULES = ("right-column", "corner")
EARLIEST = {4: 2, 8: 5, 16: 10, 32: 19}


def grids(smallest=2, largest=6, tiles=(0, 0, 2, 2, 4, 8)):
    def rows(n):
        return st.lists(st.lists(st.sampled_from(tiles), min_size=n, max_size=n), min_size=n, max_size=n)

    return st.integers(smallest, largest).flatmap(rows)


def edges(domain, board):
    return [(edge.action, edge.board.tiles.tolist(), edge.terminal) for edge in domain.edges(board)]


def layers(domain, most=10**9):
    """The live boards from the start board on, one set for each number of moves."""
    layer, depth = {domain.start()}, 0
    while layer and depth <= most:
        yield layer
        layer = {edge.board for board in layer for edge in domain.edges(board) if not edge.terminal}
        depth += 1


@pytest.mark.parametrize("spawn", RULES)
@given(rows=grids())
def test_successors_equal_those_of_a_naive_implementation(naive_moves, spawn, rows):
    """Boards, order, and which of them end the game, for both rules and sides from 2 to 6."""
    domain = sl.domain("2048", spawn=spawn)
    assert edges(domain, sl.Board(rows)) == naive_moves(rows, spawn)


@pytest.mark.parametrize("spawn", RULES)
def test_successors_of_a_large_board_equal_those_of_a_naive_implementation(naive_moves, spawn):
    """A board beyond the size for sliding line by line has the same moves."""
    rows = np.random.default_rng(1).choice([0, 0, 2, 2, 4, 8], (SHORT + 3, SHORT + 3)).tolist()
    assert edges(sl.domain("2048", spawn=spawn), sl.Board(rows)) == naive_moves(rows, spawn)


@given(rows=grids())
def test_every_move_costs_one_and_adds_two(rows):
    """A live successor's tiles sum to 2 more, a terminal one's to the same."""
    board = sl.Board(rows)
    for spawn in RULES:
        for edge in sl.domain("2048", spawn=spawn).edges(board):
            assert edge.cost == 1
            assert edge.board.tiles.sum() - board.tiles.sum() == (0 if edge.terminal else 2)


def test_the_three_moves_of_board10_end_as_printed(board10):
    """Down, down, down makes 2048 on board10, with the final board of the assignment."""
    domain, board = sl.domain("2048"), board10
    for _ in range(3):
        board = dict(domain.successors(board))["down"]
    assert board == sl.Board([[0, 0, 0, 2], [0, 0, 0, 0], [0, 16, 0, 4], [2048, 4, 16, 4]])
    assert domain.is_goal(board)


def test_a_full_row_at_the_top_can_only_go_down():
    """The printed board with one neighbour has that one."""
    board = sl.Board([[16, 8, 4, 2], [0] * 4, [0] * 4, [0] * 4])
    after = sl.Board([[0, 0, 0, 2], [0] * 4, [0] * 4, [16, 8, 4, 2]])
    assert sl.domain("2048").successors(board) == [("down", after)]


@pytest.mark.parametrize("rows", [[[2, 0], [4, 0]], [[2, 4], [4, 2]], [[2, 0, 4], [0, 0, 8], [0, 2, 4]]])
def test_a_swipe_that_leaves_the_right_column_full_is_no_move(rows):
    """Without room in the right-most column for the next 2, a swipe to the right is none."""
    assert "right" not in dict(sl.domain("2048").successors(sl.Board(rows)))


def test_a_full_right_column_without_a_merge_leaves_no_neighbours():
    """Where no swipe frees the right-most column no swipe is a move."""
    assert sl.domain("2048").neighbors(sl.Board([[2, 4], [4, 2]])) == []
    assert sl.domain("2048").neighbors(sl.Board([[2, 0], [4, 0]])) == []


def test_a_merge_in_the_right_column_makes_room():
    """A full right-most column with a pair in it can be swiped up and down."""
    board = sl.Board([[0, 0, 0, 2], [0, 0, 0, 2], [0, 0, 0, 8], [0, 0, 0, 16]])
    assert sl.domain("2048").successors(board) == [
        ("up", sl.Board([[0, 0, 0, 4], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 2]])),
        ("down", sl.Board([[0, 0, 0, 2], [0, 0, 0, 4], [0, 0, 0, 8], [0, 0, 0, 16]])),
        ("left", sl.Board([[2, 0, 0, 2], [2, 0, 0, 0], [8, 0, 0, 0], [16, 0, 0, 0]])),
    ]


def test_the_corner_rule_ends_the_game_when_the_corner_is_taken():
    """Under the corner rule the board with the taken corner is a successor, and terminal: nothing appears."""
    domain = sl.domain("2048", spawn="corner")
    assert edges(domain, sl.Board([[0, 2], [0, 0]])) == [
        ("down", [[0, 2], [0, 2]], False),
        ("left", [[2, 2], [0, 0]], False),
    ]
    assert edges(domain, sl.Board([[2, 0], [4, 0]])) == [("right", [[0, 2], [0, 4]], True)]


def test_terminal_belongs_to_the_move_and_not_to_the_tiles():
    """The board of a terminal move, asked about by itself, is live and has successors."""
    domain = sl.domain("2048", spawn="corner")
    (edge,) = domain.edges(sl.Board([[2, 0], [4, 0]]))
    assert edge.terminal
    assert domain.successors(edge.board) == [("left", sl.Board([[2, 2], [4, 0]]))]


def test_a_terminal_successor_with_the_goal_is_a_solution():
    """Under the corner rule a last move that makes the goal wins, though the game is over with it."""
    board = sl.Board([[4, 2], [4, 4]])
    domain = sl.domain("2048", spawn="corner", goal=8)
    assert all(edge.terminal and domain.is_goal(edge.board) for edge in domain.edges(board))
    result = sl.solve(board, domain=domain, frontier="breadth-first", engine="readable")
    assert (result.status, result.actions) == ("solved", ("up",))


def test_a_board_is_dead_if_no_swipe_leads_to_a_live_one():
    """Dead: full without pairs, blank, or (corner rule) with terminal moves only."""
    stuck = sl.Board([[2, 4], [4, 2]])
    blank = sl.Board([[0, 0], [0, 0]])
    last = sl.Board([[0, 0], [2, 4]])
    for spawn in RULES:
        domain = sl.domain("2048", spawn=spawn)
        assert domain.is_dead(stuck)
        assert domain.is_dead(blank)
        assert not domain.is_dead(domain.start())
        assert domain.is_dead(last) == (spawn == "corner")


def test_the_goal_is_any_tile_at_least_as_large():
    """A board with the goal or with more than it is won."""
    domain = sl.domain("2048", goal=64)
    assert not domain.is_goal(sl.Board([[32, 32], [32, 32]]))
    assert domain.is_goal(sl.Board([[0, 64], [0, 0]]))
    assert domain.is_goal(sl.Board([[0, 128], [0, 0]]))


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ([[2]], "it is 1 × 1"),
        ([[2, 4, 8]], "it is 1 × 3"),
        ([[2, 4], [8, 0], [0, 0]], "it is 3 × 2"),
        ([[2, 4], [1, 0]], "the tile 1 at row 2, column 1"),
        ([[2, 6], [1, 0]], "the tile 6 at row 1, column 2"),
        ([[2, 2**62 + 2**61], [0, 0]], f"the tile {2**62 + 2**61} at row 1"),
        ([[2, 2**63 - 1], [0, 0]], f"the tile {2**63 - 1} at row 1"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(rows, why):
    """Other shapes and other tiles than powers of two from 2 to 2^62 are named with their place."""
    domain = sl.domain("2048")
    board = sl.Board(rows)
    assert domain.why_invalid(board).startswith(why)
    with pytest.raises(sl.BoardError, match="not a board of 2048"):
        sl.solve(board, domain=domain)


def test_every_power_of_two_makes_a_board():
    """Tiles from 2 to 2^62 are valid, and so is a blank board, which has no moves."""
    domain = sl.domain("2048", goal=2**62)
    powers = sl.Board(np.array([0, 0, *(1 << np.arange(1, 63))]).reshape(8, 8))
    assert domain.why_invalid(powers) == ""
    assert domain.why_invalid(sl.Board([[0, 0], [0, 0]])) == ""
    assert domain.neighbors(sl.Board([[0, 0], [0, 0]])) == []


@pytest.mark.parametrize("n", [2, SHORT + 1])
def test_a_merge_beyond_the_largest_tile_is_an_error_of_the_board(n):
    """Two tiles 2^62 that meet make no tile: that is said, rather than a wrong number shown."""
    tiles = np.zeros((n, n), np.int64)
    tiles[0, :2] = 2**62
    with pytest.raises(sl.PluginError, match=r"too large|between 0 and 2\^63 - 1"):
        sl.domain("2048", goal=2**62).neighbors(sl.Board(tiles))


@pytest.mark.parametrize(("n", "goal", "hopeless"), [(2, 16, False), (2, 32, True), (3, 512, False), (3, 1024, True)])
def test_a_goal_too_large_for_the_board_is_unsolvable_at_once(n, goal, hopeless):
    """T > 2^(n × n) cannot be made of 2s on n × n, and the domain says so without a search."""
    domain = sl.domain("2048", goal=goal, n=n)
    assert bool(domain.why_unsolvable(domain.start())) == hopeless
    if hopeless:
        result = sl.solve(domain=domain)
        assert (result.status, result.expanded, result.optimal) == ("unsolvable", 0, False)
        assert f"a tile {goal} cannot be made on {n} × {n}" in result.reason


def test_a_goal_too_large_for_the_board_is_searched_if_the_tiles_suffice():
    """With a sum of T or more the argument does not hold: such a board is not called unsolvable."""
    domain = sl.domain("2048", goal=32)
    assert domain.why_unsolvable(sl.Board([[16, 8], [4, 2]]))
    assert not domain.why_unsolvable(sl.Board([[16, 8], [8, 2]]))
    assert sl.solve(sl.Board([[16, 8], [0, 8]]), domain=domain, engine="readable").moves == 2


def test_the_unsolvable_are_unsolvable():
    """On every 2 × 2 board that is called unsolvable for 32, trying everything finds no 32."""
    domain = sl.domain("2048", goal=32)
    tiles = (0, 2, 4, 8, 16)
    claimed = [
        board
        for board in (sl.Board([[a, b], [c, d]]) for a in tiles for b in tiles for c in tiles for d in tiles)
        if domain.why_unsolvable(board)
    ]
    seen, todo = set(claimed), list(claimed)
    while todo:
        for after in domain.neighbors(todo.pop()):
            assert not domain.is_goal(after)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    assert len(claimed) > 300


@pytest.mark.parametrize("n", [2, 4, 7])
def test_the_start_board_is_a_two_in_the_upper_right(n):
    """One 2, in the corner where the next ones appear."""
    start = sl.domain("2048", n=n).start()
    assert start.n == n
    assert start.size() == 1
    assert start.tile_at(0, n - 1) == 2


def test_from_the_start_board_2x2_has_53_boards_up_to_16():
    """The complete enumeration of the right-column rule on 2 × 2."""
    boards = set().union(*layers(sl.domain("2048", n=2)))
    assert len(boards) == 53
    assert max(board.largest_tile() for board in boards) == 16


def test_no_tile_appears_earlier_than_proved_and_it_does_appear_then():
    """On 4 × 4 the first 4, 8, 16 and 32 come after T/2 + log2(T) − 2 moves."""
    first = {}
    boards = layers(sl.domain("2048"), most=10)
    for depth, layer in enumerate(boards):
        first.setdefault(max(board.largest_tile() for board in layer), depth)
    assert first == {2: 0, 4: 2, 8: 5, 16: 10}


def test_moves_to_go_is_the_earliest_move_for_every_tile_up_to_65536():
    """The lower bound of the start board is the number of moves known to be attained."""
    attained = {**EARLIEST, 64: 36, 128: 69, 256: 134, 512: 263, 1024: 520, 2048: 1033, 4096: 2058, 8192: 4107}
    attained |= {16384: 8204, 32768: 16397, 65536: 32782}
    for goal, moves in attained.items():
        domain = sl.domain("2048", goal=goal)
        assert domain.lower_bound(domain.start()) == moves


def test_breadth_first_finds_the_first_32_after_19_moves_and_calls_it_optimal():
    """A tile's earliest move is the length of a shortest solution."""
    for goal in (4, 8, 16):
        result = sl.solve(domain=f"2048:goal={goal}", frontier="breadth-first", engine="readable")
        assert (result.moves, result.optimal) == (EARLIEST[goal], True)
    result = sl.solve(domain="2048:goal=32", frontier="astar", heuristic="moves-to-go", engine="readable")
    assert (result.moves, result.optimal) == (19, True)


@pytest.mark.parametrize(
    ("spelled", "why"),
    [
        ("2048:goal=12", "goal=12: a goal is a power of two from 4 to 2"),
        ("2048:goal=2", "goal=2: a goal is a power of two"),
        ("2048:goal=0", "goal=0: a goal is a power of two"),
        ("2048:goal=-8", "goal=-8: a goal is a power of two"),
        (f"2048:goal={2**63}", "a goal is a power of two"),
        ("2048:goal=64.0", "goal is a whole number"),
        ("2048:goal=many", "goal is a number, not 'many'"),
        ("2048:spawn=left", "spawn is one of right-column, corner, not left"),
        ("2048:n=1", "n=1: the side of a board is between 2 and 32768"),
        ("2048:n=40000", "the side of a board"),
        ("2048:gaol=64", "no parameter 'gaol': did you mean 'goal'"),
    ],
)
def test_invalid_parameters_are_refused(spelled, why):
    """Each wrong parameter gives one line that names it."""
    with pytest.raises(sl.UsageError, match=why):
        sl.domain(spelled)


def test_the_headline_says_minimum_only_if_it_is_proved():
    """The first line of a transcript is the assignments', with the word Minimum where it is known."""
    domain, board = sl.domain("2048"), sl.Board([[2, 0], [0, 0]])
    drawer = Drawer(domain)
    transcripts = [list(transcript(domain, drawer, board, (), proved=proved)) for proved in (True, False)]
    text = drawer.text(board)
    assert transcripts == [["Minimum number of moves: 0\n", text, "\n"], ["Number of moves: 0\n", text, "\n"]]


def test_a_huge_board_has_neighbors():
    """2048 × 2048 tiles are swiped in all four directions."""
    random = np.random.default_rng(1)
    tiles = np.tile(random.choice([0, 2, 4, 8], (512, 512)), (4, 4))
    board = sl.Board(tiles)
    neighbors = sl.domain("2048").neighbors(board)
    assert len(neighbors) == 3
    assert neighbors[0].tiles.sum() == tiles.sum() + 2
