"""Charts of one search: the recorded steps are those of the search."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import searchlab as sl
from searchlab.reports.search_charts import record, search_charts
from searchlab.search.solve import problem
from searchlab.search.watch import Watch

mpl.use("agg")

FRONTIERS = ("astar", "weighted-astar:weight=3", "greedy", "uniform-cost", "breadth-first", "depth-first")


def recorded(frontier):
    board = sl.read_board("sliding-tile/puzzle8-20")
    posed = problem(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier)
    return board, record(posed, Watch(sl.Limits(expansions=3000)))


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_the_record_is_of_the_search_that_solve_does(frontier):
    board, found = recorded(frontier)
    result = sl.solve(board, domain="sliding-tile", heuristic="taxicab", frontier=frontier,
                      limits=sl.Limits(expansions=3000))  # fmt: skip
    assert (found.status, len(found.g), found.cost) == (result.status, result.expanded, result.cost)
    assert max(found.open_nodes) <= result.max_open <= max(found.open_nodes) + 4
    assert found.closed_nodes[-1] == result.expanded - result.reopened - 1


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_the_charts_hold_every_expansion(frontier):
    _, found = recorded(frontier)
    charts = {chart.kind: chart for chart in search_charts(found)}
    assert sum(charts["search-layers"].series[0].x) == len(found.g)
    lists = charts["search-lists"].series
    assert (lists[0].x[0], lists[0].x[-1]) == (1, len(found.g))
    assert set(charts) == {"search-lists", "search-layers"} | (
        {"search-bounds", "search-map"} if found.problem.estimates else set()
    )


def test_the_f_of_astar_never_falls_and_ends_at_the_cost():
    _, found = recorded("astar")
    f = found.g + found.h
    assert (np.diff(f) >= 0).all()
    assert f[-1] == found.cost == 20
    assert (np.diff(found.best_h) <= 0).all()


def test_the_best_h_of_a_score_is_its_negative():
    posed = problem(sl.read_board("2048/board10"), heuristic="left-weighted", frontier="greedy")
    charts = search_charts(record(posed, Watch(sl.Limits(expansions=100), sign=posed.sign)))
    assert "the heuristic is a score: h is its negative" in charts[1].notes


def test_python_and_command_draw_the_same():
    """The lists, the bounds, the layers and the map, on one figure."""
    axes = sl.plot.search("sliding-tile/puzzle8-20", limits=sl.Limits(expansions=100))
    assert [each.get_xlabel() for each in axes] == ["expansions", "expansions", "nodes expanded", "g"]
    assert len({each.figure for each in axes}) == 1
    plt.close(axes[0].figure)
    with pytest.raises(sl.UsageError, match="has its own search loop"):
        sl.plot.search("sliding-tile/puzzle8-20", frontier="ida-star")
