"""Charts of heuristics against exact costs."""

import re
from math import inf, nan

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import searchlab as sl
from searchlab.reports.heuristic_charts import bins, charts_of_heuristics, domain_of, heuristic_charts, values_of
from searchlab.search.state_space import enumerated_space

mpl.use("agg")

COSTS = np.array([0.0, 1, 1, 2, 2, 2, inf])
VALUES = np.array([0.0, 1, 0, 2, 1, 3, 5])


@pytest.fixture(scope="module")
def space():
    """The 12 boards of 2 × 2 sliding tiles."""
    return enumerated_space(sl.Board([[1, 2], [3, 0]]), sl.domain("sliding-tile"), sl.Limits(60))


def test_a_map_counts_the_boards_of_each_cost_and_value():
    chart, errors = heuristic_charts(COSTS, {"h": VALUES}, about="seven boards")
    assert {cell.title for cell in chart.cells} == {
        "cost 0, value 0: 1 boards",
        "cost 1, value 1: 1 boards",
        "cost 1, value 0: 1 boards",
        "cost 2, value 2: 1 boards",
        "cost 2, value 1: 1 boards",
        "cost 2, value 3: 1 boards",
    }
    assert chart.notes == (
        "seven boards",
        "h: above the line on 1 of 6 boards: it overestimates them",
        "1 boards without a solution are left out",
    )
    assert chart.series[0].y == (0, 0.5, 2)
    assert errors.series[0].y == (0, 0.5, 0)
    assert errors.notes[1] == "mean error over all boards: h 0.167"


def test_maps_of_estimates_share_a_scale():
    """A score has a separate one."""
    values = {"low": VALUES / 2, "high": VALUES, "score": VALUES * 100}
    low, high, score, _ = heuristic_charts(COSTS, values, scores=["score"])
    assert min(low.y.high, high.y.high) >= VALUES[:-1].max()
    assert score.y.high > 100


def test_a_score_has_neither_diagonal_nor_error():
    (chart,) = heuristic_charts(COSTS, {"h": VALUES}, scores=["h"])
    assert chart.rules == ()


def test_dead_ends_and_unknown_values_are_not_drawn():
    values = np.array([0.0, inf, nan, 2, 2, 2, inf])
    chart, _ = heuristic_charts(COSTS, {"h": values})
    assert sum(int(cell.title.split()[-2]) for cell in chart.cells) == 4
    assert "h: takes 1 boards that have a solution for dead ends (an infinite value)" in chart.notes


def test_boards_without_a_solution_are_refused():
    with pytest.raises(sl.UsageError, match="none of the boards has a solution"):
        heuristic_charts(np.array([inf]), {"h": np.array([1.0])})


def test_few_whole_numbers_have_separate_bins():
    assert [each.tolist() if hasattr(each, "tolist") else each for each in bins(np.array([1.0, 3]))] == [[1, 3], 1]
    middles, width = bins(np.linspace(0, 1, 1000))
    assert width == pytest.approx(0.02)
    assert len(np.unique(middles)) <= 64


@pytest.mark.slow
@pytest.mark.parametrize("name", ["taxicab", "euclidean"])
def test_values_equal_those_of_the_heuristic(space, name):
    heuristic = sl.heuristic(name, domain="sliding-tile")
    assert values_of(heuristic, space).tolist() == [heuristic(board) for board in space.boards(range(len(space)))]


def test_uncompilable_heuristics_are_evaluated_in_python(space):
    def odd(tiles):
        return float(len({str(tile) for tile in tiles.ravel()}))

    heuristic = sl.heuristic(odd, domain="sliding-tile")
    assert values_of(heuristic, space).tolist() == [4.0] * len(space)


@pytest.mark.parametrize("name", ["taxicab", "euclidean"])
def test_progress_names_the_board_under_evaluation(space, name):
    """Compiled, it is the one that is evaluated when the text is asked for, interpreted the first of a thousand."""
    told = []
    values_of(sl.heuristic(name, domain="sliding-tile"), space, told.append)
    last = told[-1] if isinstance(told[-1], str) else told[-1]()
    assert re.fullmatch(rf"heuristic {name} on board \d+ of {len(space)}", last)


def raises(tiles):
    return 1 / (tiles[0, 0] - tiles[0, 0])


def raises_in_python(tiles):
    return float(str(tiles[0, 0]) + "?")


def a_list(tiles):
    return [1, 2]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (raises, r"heuristic raises: FloatingPointError: .*test_heuristic_charts\.py, line \d+\), on Board\("),
        (
            raises_in_python,
            r"heuristic raises_in_python: ValueError: .*test_heuristic_charts\.py, line \d+\), on Board",
        ),
        (a_list, r"heuristic a_list returned \[1, 2\], which is not a number, on Board"),
    ],
)
def test_a_heuristic_that_fails_is_named_with_its_line_and_the_board(space, function, said):
    heuristics = {"h": sl.heuristic(function, domain="sliding-tile")}
    with pytest.raises(sl.PluginError, match=said):
        charts_of_heuristics(heuristics, space.board(0), sl.domain("sliding-tile"), seconds=60)


def test_a_batch_form_is_accepted(space):
    heuristic = sl.Heuristic("b", batch=lambda tiles: tiles[:, 0, 0].astype(float), domains={"sliding-tile"})
    bound = sl.heuristic(heuristic, domain="sliding-tile")
    assert values_of(bound, space).tolist() == [float(b.tile_at(0, 0)) for b in space.boards(range(len(space)))]


def test_python_and_command_draw_the_same(space):
    """A map of each heuristic and the error of all, on one figure."""
    axes = sl.plot.heuristic("taxicab", "misplaced", board=space.board(0), domain="sliding-tile")
    assert [each.get_title("left") for each in axes] == ["taxicab", "misplaced", "error per depth"]
    assert len({each.figure for each in axes}) == 1
    plt.close(axes[0].figure)


def zero(tiles):
    return 0.0


def test_heuristics_that_are_no_names_are_drawn_with_their_own(space):
    """Those declared, those bound, and plain functions."""
    declared = sl.Heuristic("nothing", zero, domains={"sliding-tile"})
    bound = sl.heuristic("taxicab", domain="sliding-tile")
    axes = sl.plot.heuristic(declared, bound, zero, board=space.board(0), domain="sliding-tile")
    assert [each.get_title("left") for each in axes] == ["nothing", "taxicab", "zero", "error per depth"]
    plt.close(axes[0].figure)


def test_the_domain_is_that_of_the_first_heuristic_made_for_one():
    """Functions of the tiles are for any domain: none is guessed."""
    names = zero, "taxicab", "snake"
    assert domain_of(names, None, "domain=").name == "sliding-tile"
    with pytest.raises(sl.UsageError, match="heuristic zero is for any domain: name one with domain="):
        sl.plot.heuristic(zero)
    of_two = sl.Heuristic("nothing", zero, domains={"sliding-tile", "2048"})
    with pytest.raises(sl.UsageError, match="heuristic nothing is for 2048 or sliding-tile: name one with domain="):
        sl.plot.heuristic(of_two)


def test_a_plot_of_heuristics_that_cannot_be_drawn_is_refused():
    with pytest.raises(sl.UsageError, match="at least one heuristic"):
        sl.plot.heuristic()
    with pytest.raises(sl.UsageError, match="a game of chance: its boards have no exact costs"):
        sl.plot.heuristic("snake", domain="2048-random")
