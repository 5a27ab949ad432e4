"""Boards of a wanted difficulty are drawn from a generator and measured by searches."""

from math import inf

import pytest

import searchlab as sl
from searchlab.search.difficulty import Draw, Range


@pytest.fixture
def searcher():
    with sl.searcher(domain="sliding-tile", frontier="astar", engine="readable") as searcher:
        yield searcher


def drawn(searcher, wanted, tries=200, **options):
    draw = Draw(sl.generator("walk:n=3,moves=12"), searcher, wanted, **options)
    return draw, list(draw.boards(1, tries))


def test_boards_are_kept_by_the_cost_of_a_cheapest_solution(searcher):
    draw, boards = drawn(searcher, {"optimal": Range(8, 10)}, count=5)
    assert [each.figures["optimal"] for each in boards] == [searcher(each.instance).cost for each in boards]
    assert all(8 <= each.figures["optimal"] <= 10 for each in boards)
    assert (len(boards), draw.kept) == (5, 5)
    seeds = [each.seed for each in boards]
    assert draw.tried == seeds[-1]
    costs = [searcher(sl.generator("walk:n=3,moves=12")(seed)).cost for seed in range(1, seeds[-1] + 1)]
    assert [seed for seed, cost in enumerate(costs, 1) if 8 <= cost <= 10] == seeds


def test_each_stratum_gets_as_many_boards(searcher):
    _, boards = drawn(searcher, {"optimal": Range(4, 12)}, count=6, strata=2, tries=2000)
    costs = [each.figures["optimal"] for each in boards]
    assert sum(cost < 8 for cost in costs) == 3
    assert len(costs) == 6


def test_several_measures_hold_together(searcher):
    _, boards = drawn(searcher, {"h": Range(4, 6), "expanded": Range(5, 40)}, count=4)
    assert len(boards) == 4
    for each in boards:
        assert searcher.heuristic(each.instance.start) == each.figures["h"]
        assert searcher(each.instance).expanded == each.figures["expanded"]
        assert 4 <= each.figures["h"] <= 6
        assert 5 <= each.figures["expanded"] <= 40


def test_an_admissible_estimate_rejects_a_board_without_a_search(searcher, monkeypatch):
    monkeypatch.setattr(sl.Searcher, "__call__", None)
    draw, boards = drawn(searcher, {"optimal": Range(1, 1)}, tries=3)
    assert (draw.tried, boards) == (3, [])


def test_boards_whose_search_reaches_a_limit_are_not_kept(searcher):
    draw, boards = drawn(searcher, {"optimal": Range(8, inf)}, count=3, tries=20, limits=sl.Limits(expansions=0))
    assert (boards, draw.undecided, draw.tried) == ([], 20, 20)


def test_a_search_without_proof_is_refused():
    with (
        sl.searcher(domain="sliding-tile", frontier="greedy", engine="readable") as greedy,
        pytest.raises(sl.UsageError, match="greedy with taxicab proves no optimum"),
    ):
        drawn(greedy, {"optimal": Range(0, inf)}, count=50)


@pytest.mark.parametrize(
    ("text", "said"),
    [("x", "a range like"), ("5..4", "ends before"), ("", "a range like"), ("-3", "a range")],
)
def test_invalid_ranges_are_refused(text, said):
    with pytest.raises(sl.UsageError, match=said):
        Range.parse(text)


def test_strata_need_a_range_with_two_ends(searcher):
    with pytest.raises(sl.UsageError, match="strata need a range with two ends"):
        drawn(searcher, {"optimal": Range(4, inf)}, count=4, strata=2)
    with pytest.raises(sl.UsageError, match="4 strata need as many boards"):
        drawn(searcher, {"optimal": Range(4, 8)}, count=2, strata=4)
