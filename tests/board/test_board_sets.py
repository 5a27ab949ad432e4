"""The boards that ship with searchlab have the documented sizes, costs and formats."""

import csv
from collections import Counter

import numpy as np
import pytest

import searchlab as sl
from searchlab.board.files import board_set, shipped_boards

ROOT = shipped_boards()["2048/board10"].parents[1]
FOLDERS = sorted({path.parent.relative_to(ROOT).as_posix() for path in shipped_boards().values()})
SLIDING_TILE = [folder for folder in FOLDERS if folder.startswith("sliding-tile")]

DEPTHS = [
    *(1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993),
    *(17110, 23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2),
]
"""How many boards of the 8-puzzle are how many moves from the goal."""


def shipped(folder):
    """Return a folder's set and its boards by name."""
    found = board_set(ROOT / folder)
    return found, {path.stem: board for path, board in sl.read_boards(ROOT / folder).items()}


def published(folder):
    """Return the rows of a folder's published figures by board."""
    with (ROOT / folder / "published.csv").open(encoding="utf-8", newline="") as file:
        return {row.pop("board"): {key: int(value) for key, value in row.items()} for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def moves_from_goal():
    """Return the optimal cost of every solvable board of the 8-puzzle, by its digits row by row."""
    neighbors = [[c for c in range(9) if abs(c // 3 - b // 3) + abs(c % 3 - b % 3) == 1] for b in range(9)]
    moves = {"123456780": 0}
    queue = ["123456780"]
    for state in queue:
        blank = state.index("0")
        for cell in neighbors[blank]:
            after = state.replace("0", "x").replace(state[cell], "0").replace("x", state[cell])
            if after not in moves:
                moves[after] = moves[state] + 1
                queue.append(after)
    return moves


def test_shipped_sets_are_the_documented_ones():
    below = ("", "/korf100", "/korf24", "/snail", "/unsolvable")
    puzzles = ("cube2", "hanoi", "hanoi/hog2-12", "lights-out", "pancake")
    assert ["2048", *puzzles, *(f"sliding-tile{folder}" for folder in below), "topspin"] == FOLDERS


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_shipped_board_is_valid_in_its_domain(folder):
    """Each folder names its domain and its source."""
    found, boards = shipped(folder)
    assert found.source
    domain = sl.domain(found.domain)
    for name, board in boards.items():
        assert domain.why_invalid(board) == "", name


@pytest.mark.parametrize("folder", FOLDERS)
def test_shipped_files_have_the_format_of_their_domain(folder):
    """A board file is a line of comment and the board as the domain prints it, ended by a newline."""
    found, _ = shipped(folder)
    domain = sl.domain(found.domain)
    for path, board in sl.read_boards(ROOT / folder).items():
        comment, text = path.read_bytes().decode("ascii").split("\n", 1)
        assert comment.startswith("# "), path
        assert text == domain.format(board) + "\n", path


@pytest.mark.parametrize("folder", FOLDERS)
def test_boards_of_a_folder_are_different(folder):
    _, boards = shipped(folder)
    assert len(set(boards.values())) == len(boards)


@pytest.mark.parametrize("folder", FOLDERS)
def test_optimal_costs_belong_to_boards_and_respect_lower_bounds(folder):
    found, boards = shipped(folder)
    domain = sl.domain(found.domain)
    for name, cost in found.optimal.items():
        assert cost >= domain.lower_bound(boards[name]), name


@pytest.mark.parametrize("folder", SLIDING_TILE)
def test_sliding_tile_boards_are_solvable_except_the_unsolvable_set(folder):
    """All sliding-tile boards are solvable by parity and have a known cost, except the unsolvable ones."""
    found, boards = shipped(folder)
    domain = sl.domain(found.domain)
    solvable = {name for name, board in boards.items() if not domain.why_unsolvable(board)}
    assert solvable == found.optimal.keys() == (set() if "unsolvable" in folder else boards.keys())


@pytest.mark.parametrize("folder", SLIDING_TILE)
def test_optimal_costs_fit_the_taxicab_distance(folder):
    """An optimal cost is at least the taxicab distance and differs from it by an even number."""
    found, boards = shipped(folder)
    taxicab = sl.heuristic("taxicab", domain=found.domain)
    for name, cost in found.optimal.items():
        slack = cost - taxicab(boards[name])
        assert slack >= 0, name
        assert slack % 2 == 0, name


def test_8_puzzle_costs(moves_from_goal):
    """Breadth-first search gives the costs of the 8-puzzle boards, and both boards of 31 moves are there."""
    assert [count for _, count in sorted(Counter(moves_from_goal.values()).items())] == DEPTHS
    found, boards = shipped("sliding-tile")
    costs = {
        name: moves_from_goal["".join(map(str, board.tiles.ravel()))] for name, board in boards.items() if board.n == 3
    }
    assert costs == {name: found.optimal[name] for name in costs}
    assert sorted(costs.values()) == [3, *range(20, 32), 31]


def test_names_of_15_puzzle_boards_state_their_cost():
    """The 15-puzzle boards are called by their costs, from easy to moderate."""
    found, boards = shipped("sliding-tile")
    names = [name for name, board in boards.items() if board.n == 4]
    assert names == [f"puzzle15-{cost}" for cost in range(12, 41, 4)]
    assert all(name == f"puzzle15-{found.optimal[name]}" for name in names)


def test_no_position_of_korfs_100_is_solvable_with_the_blank_last():
    """Korf's positions belong to the goal with the blank first."""
    blank_last = sl.domain("sliding-tile:goal=blank-last")
    for name, board in shipped("sliding-tile/korf100")[1].items():
        assert "such as goal=blank-first" in blank_last.why_unsolvable(board), name


def test_published_figures_of_the_15_puzzle():
    """The figures of Korf's 100 positions are complete; the four misprints of 1985 are those known."""
    found, boards = shipped("sliding-tile/korf100")
    figures = published("sliding-tile/korf100")
    taxicab = sl.heuristic("taxicab", domain=found.domain)
    assert list(figures) == list(boards) == [f"{k:03d}" for k in range(1, 101)]
    assert {name: row["optimal"] for name, row in figures.items()} == found.optimal
    assert {name: row["manhattan"] for name, row in figures.items()} == {n: taxicab(b) for n, b in boards.items()}
    misprints = [
        name for name, row in figures.items() if row["idastar_generated_1985"] != row["idastar_generated_recomputed"]
    ]
    assert misprints == ["022", "088", "089", "098"]
    assert np.mean(list(found.optimal.values())) == pytest.approx(53.05)


def test_published_figures_of_the_24_puzzle():
    """The figures of the 50 positions of the 24-puzzle are complete."""
    found, boards = shipped("sliding-tile/korf24")
    figures = published("sliding-tile/korf24")
    assert list(figures) == list(boards) == [f"{k:02d}" for k in range(1, 51)]
    assert {name: row["optimal"] for name, row in figures.items()} == found.optimal
    assert np.mean(list(found.optimal.values())) == pytest.approx(100.78)


def test_the_fourteen_fifteen_puzzle_is_solvable_with_the_blank_first():
    """The puzzle of 1880 cannot be solved, and the hint says for which goal it can."""
    why = sl.domain("sliding-tile").why_unsolvable(sl.read_board("sliding-tile/unsolvable/fourteen-fifteen"))
    assert "such as goal=blank-first" in why


def test_the_start_board_is_the_start_board():
    """The file of the start board holds the board 2048 starts with, its cost the bound that is attained."""
    found, boards = shipped("2048")
    domain = sl.domain("2048")
    assert boards["start"] == domain.start()
    assert found.optimal == {name: domain.lower_bound(boards[name]) for name in ("board10", "start")}


def test_board10_is_solved_by_three_swipes_down():
    """From board10 three swipes down, and no fewer, make 2048."""
    domain = sl.domain("2048")
    board = sl.read_board("2048/board10")
    for _ in range(3):
        assert not domain.is_goal(board)
        board = dict(domain.successors(board))["down"]
    assert board.tiles.tolist() == [[0, 0, 0, 2], [0, 0, 0, 0], [0, 16, 0, 4], [2048, 4, 16, 4]]
    assert domain.is_goal(board)


def test_the_board_one_neighbor_has_one_successor():
    successors = sl.domain("2048").successors(sl.read_board("2048/one-neighbor"))
    assert [action for action, _ in successors] == ["down"]


@pytest.mark.parametrize("spawn", ["right-column", "corner"])
def test_the_full_right_column_is_dead(spawn):
    """The board with a full right-most column has no live successor under either rule."""
    board = sl.read_board("2048/right-column-full")
    assert sl.domain("2048", spawn=spawn).is_dead(board)
    assert sl.domain("2048").neighbors(board) == []


@pytest.mark.parametrize("name", [name for name in shipped_boards() if name.startswith("2048/")])
def test_comments_state_the_values_of_heuristics(name):
    """Where the comment of a 2048 board gives values of heuristics, they are those computed."""
    comment = shipped_boards()[name].read_text().split("\n")[0].removeprefix("# ").split(": ")[-1]
    board = sl.read_board(name)
    for part in comment.split(", "):
        heuristic, _, value = part.rpartition(" ")
        if value.isdecimal():
            assert sl.heuristic(heuristic, domain="2048")(board) == int(value), part
