"""The compiled driver and the readable one have one meaning: the same nodes in the same order, the same figures."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
SCORES = ("distance-weighted", "left-weighted", "left-weighted:corner=0.5", "snake", "column-snake", "empty")
ESTIMATES = ("penalty", "moves-to-go")
COMPILED_OFTEN = {"2048": ("left-weighted", "moves-to-go"), "sliding-tile": ("taxicab", "misplaced")}
"""Heuristics for boards of unusual size: each pair of a size and a heuristic is compiled, which takes a second."""
BEST_FIRST = (
    "greedy",
    "greedy:siblings=first",
    "astar",
    "astar:duplicates=early",
    "astar:duplicates=late",
    "astar:duplicates=early,siblings=first",
    "astar:duplicates=late,siblings=first",
    "weighted-astar:weight=1.5",
    "weighted-astar:weight=3,duplicates=late",
    "weighted-astar:reopen=yes",
    "weighted-astar:reopen=no,duplicates=late",
    "greedy:reopen=yes,duplicates=late",
    "greedy:ties=high-h,order=oldest",
    "greedy:order=random,seed=3",
    "astar:ties=high-h",
    "astar:ties=none,order=oldest",
    "astar:order=random,duplicates=early",
    "astar:order=random,duplicates=late,ties=none",
    "uniform-cost",
    "uniform-cost:duplicates=late",
    "xdp:bound=1.5",
    "xup:bound=1.5",
    "pwxd:bound=1.5",
    "breadth-first",
    "depth-first",
    "beam:width=1",
    "beam:width=7",
    "beam:width=7,closed=yes",
    "cabs",
    "rectangle",
    "rectangle:aspect=20",
    "pea-star",
    "iterative-deepening",
)


def figures(board, engine, **arguments):
    """Everything a search says that does not depend on the machine."""
    result = sl.solve(board, engine=engine, **arguments)
    assert result.engine == engine or result.status == "unsolvable"
    return {name: getattr(result, name) for name in result.__dataclass_fields__ if name not in OF_THE_MACHINE}


def assert_twins(board, **arguments):
    assert figures(board, "compiled", **arguments) == figures(board, "readable", **arguments)


@st.composite
def searches_of_2048(draw):
    n = draw(st.integers(2, 5))
    goal = 2 ** draw(st.integers(3, 17))
    spawn = draw(st.sampled_from(["right-column", "corner"]))
    tile = st.sampled_from([0, 0, 0, 2, 2, 4, 8, min(goal, 64), 32768])
    board = sl.Board(draw(st.lists(st.lists(tile, min_size=n, max_size=n), min_size=n, max_size=n)))
    frontier = draw(st.sampled_from((*BEST_FIRST, "ida-star")))
    heuristics = SCORES + ESTIMATES if n == 4 else COMPILED_OFTEN["2048"]
    if frontier == "ida-star":
        heuristics = [name for name in heuristics if name in ESTIMATES]
    return board, {
        "domain": f"2048:goal={goal},spawn={spawn}",
        "heuristic": draw(st.sampled_from(heuristics)),
        "frontier": frontier,
    }


@st.composite
def searches_of_sliding_tiles(draw):
    n = draw(st.integers(2, 5))
    domain = sl.domain("sliding-tile", goal=draw(st.sampled_from(["blank-last", "blank-first"])))
    tiles = np.arange(n * n)
    goal = np.roll(tiles, -1) if domain.values["goal"] == "blank-last" else tiles
    board = sl.Board(goal.reshape(n, n))
    for choice in draw(st.lists(st.integers(0, 3), max_size=40)):
        neighbors = domain.neighbors(board)
        board = neighbors[choice % len(neighbors)]
    return board, {
        "domain": domain,
        "heuristic": draw(st.sampled_from((*COMPILED_OFTEN["sliding-tile"], *(["euclidean"] if n == 3 else [])))),
        "frontier": draw(st.sampled_from((*BEST_FIRST, "ida-star", "ida-star:table=20", "ibex"))),
    }


@pytest.mark.slow
@given(searches_of_2048(), st.sampled_from([5, 60, 700]))
def test_both_engines_agree_on_2048(search, expansions):
    """Random boards of 2048, both spawn rules, every heuristic and frontier give the same figures and solution."""
    board, arguments = search
    assert_twins(board, limits=sl.Limits(expansions=expansions), **arguments)


@pytest.mark.slow
@given(searches_of_sliding_tiles(), st.sampled_from([5, 60, 700]))
def test_both_engines_agree_on_sliding_tiles(search, expansions):
    """Random boards of sliding tiles, both goals, every heuristic and frontier give the same figures and solution."""
    board, arguments = search
    assert_twins(board, limits=sl.Limits(expansions=expansions), **arguments)


@pytest.mark.slow
@pytest.mark.parametrize("duplicates", ["early", "late,siblings=first"])
def test_both_engines_agree_in_large_batches(duplicates):
    """A search long enough for batches of many nodes is the same in both drivers."""
    board = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
    assert_twins(
        board,
        domain="sliding-tile",
        frontier=f"astar:duplicates={duplicates}",
        heuristic="misplaced",
        limits=sl.Limits(expansions=12_000),
    )


def deceptive(tiles):
    """An inconsistent estimate: it drops by more than a move costs, so closed nodes have to be reopened."""
    h = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            h += (3 + (7 * tile + 5 * row + 3 * column) % 5) * ((tile != 0) & (tile != 3 * row + column + 1))
    return h / 4


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early", "weighted-astar", "greedy", "ida-star"])
def test_both_engines_agree_with_inconsistent_heuristics(frontier):
    """With an estimate that makes the search reopen closed nodes, both drivers reopen the same."""
    board = sl.Board([[1, 5, 2], [4, 0, 3], [7, 8, 6]])
    harder = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
    for start in (board, harder):
        assert_twins(
            start, domain="sliding-tile", heuristic=deceptive, frontier=frontier, limits=sl.Limits(expansions=3000)
        )


def test_reopening_happens_in_the_test_above():
    """The inconsistent estimate does make a search reopen nodes, so that the comparison above means something."""
    board = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
    result = sl.solve(board, domain="sliding-tile", heuristic=deceptive, frontier="weighted-astar")
    assert result.reopened > 0


def shuns_large_tiles(tiles):
    """A score that declares boards with a 16 in the first column dead ends."""
    score = 0.0
    for row in range(tiles.shape[0]):
        if tiles[row, 0] == 16:
            return -float("inf")
        score += tiles[row, 1]
    return score


@pytest.mark.slow
def test_both_engines_omit_dead_ends():
    """Boards whose value is infinite are not stored in either driver, and the search is not a proof."""
    arguments = {
        "domain": "2048:goal=64,n=3",
        "heuristic": sl.heuristic(shuns_large_tiles, domain="2048:goal=64", prefer="high"),
        "limits": sl.Limits(expansions=5000),
    }
    assert_twins(None, **arguments)
    never = sl.heuristic(lambda tiles: -float("inf"), domain="2048", prefer="high")
    assert sl.solve(heuristic=never).status == "exhausted"


def test_both_engines_exhaust_a_state_space():
    """Both drivers visit every reachable board of a small game and prove that its goal is out of reach."""
    arguments = {"domain": "2048:goal=32,n=2,spawn=corner", "heuristic": "empty", "frontier": "greedy"}
    assert_twins(None, **arguments)
    result = sl.solve(domain="2048:goal=16,n=2,spawn=corner", heuristic="empty")
    assert result.status == "unsolvable"


@pytest.mark.slow
def test_the_known_counts_of_greedy_search():
    """`greedy` from the start board expands and generates what games.md says."""
    found = {}
    for name, goal in (
        ("distance-weighted", 2048),
        ("distance-weighted", 8192),
        ("left-weighted", 2048),
        ("left-weighted", 8192),
    ):
        result = sl.solve(domain=f"2048:goal={goal}", heuristic=name, frontier="greedy")
        found[name, goal] = (result.moves, result.expanded, result.generated)
    assert found["distance-weighted", 2048] == (1629, 9095, 17029)
    assert found["distance-weighted", 8192][:2] == (5909, 473_088)
    assert found["left-weighted", 2048] == (1041, 1466, 3672)
    assert found["left-weighted", 8192][:2] == (4181, 39_674)


def test_the_known_count_of_astar():
    """`astar` with the 2018 priority reaches 128 under the corner rule in 117 moves and 117 expansions."""
    result = sl.solve(domain="2048:spawn=corner,goal=128", heuristic="distance-weighted", frontier="astar")
    assert (result.moves, result.expanded, result.optimal) == (117, 117, False)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_which_sibling_is_the_newest_decides_among_equals(engine):
    """Down and left, in this order, both lead from the start board to a 4 in one move more."""
    for siblings, actions in (("last", ("left", "right")), ("first", ("down", "up"))):
        frontier = f"astar:siblings={siblings}"
        result = sl.solve(domain="2048:goal=4", heuristic="moves-to-go", frontier=frontier, engine=engine)
        assert result.actions == actions


@pytest.mark.slow
def test_astar_proves_the_fewest_moves_to_2048():
    """Ties searched in the order of the domain, 84,427 expansions prove 1033 moves minimal."""
    result = sl.solve(domain="2048", heuristic="merges-to-go", frontier="astar:siblings=first")
    assert (result.moves, result.expanded, result.generated, result.optimal) == (1033, 84_427, 206_488, True)


def somewhat_fractional(tiles, bonus=0.5):
    """A whole number for most boards, something else for a few."""
    h = 0
    for row in range(3):
        for column in range(3):
            tile = tiles[row, column]
            h += (tile != 0) & (tile != 3 * row + column + 1)
    return h + bonus if tiles[0, 0] == 3 and tiles[0, 1] == 2 else h


@pytest.mark.slow
@pytest.mark.parametrize("bonus", [0.5, -20.0, 1e6, float("inf")])
@pytest.mark.parametrize(
    "frontier",
    [
        "greedy",
        "astar",
        "astar:duplicates=early,siblings=first",
        "weighted-astar:weight=1.5,siblings=first",
        "weighted-astar:weight=1.5,duplicates=early",
    ],
)
def test_the_heap_takes_over_from_the_buckets_in_the_same_order(bonus, frontier):
    """At the first value that is no small whole number the search goes on as if nothing had happened."""
    heuristic = sl.heuristic(somewhat_fractional, domain="sliding-tile", bonus=bonus)
    board = sl.Board([[8, 6, 7], [2, 5, 4], [3, 0, 1]])
    for expansions in (400, 4000):
        limits = sl.Limits(expansions=expansions)
        assert_twins(board, domain="sliding-tile", heuristic=heuristic, frontier=frontier, limits=limits)


def test_a_beam_reaches_2048_in_the_fewest_moves():
    """A beam of 300 with `column-snake` needs 1,033 moves, and the domain's lower bound proves that optimal."""
    result = sl.solve(heuristic="column-snake", frontier="beam:width=300")
    assert (result.moves, result.optimal) == (1033, True)


def test_ida_star_reproduces_published_counts():
    """`ida-star` with taxicab counts what is published for the easiest of Korf's positions."""
    folder = Path(__file__).parents[2] / "boards/sliding-tile/korf100"
    lines = [line for line in (folder / "published.csv").read_text().splitlines() if not line.startswith("#")]
    for row in csv.DictReader(lines):
        if row["board"] not in ("012", "042", "055", "079"):
            continue
        board = sl.read_board(folder / f"{row['board']}.txt")
        result = sl.solve(board, domain="sliding-tile:goal=blank-first", frontier="ida-star")
        assert result.generated == int(row["idastar_generated_recomputed"]) - 1
        assert result.expanded == int(row["idastar_expanded_recomputed"])
        assert (result.moves, result.optimal) == (int(row["optimal"]), True)
