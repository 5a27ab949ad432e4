"""Charts on matplotlib's axes: `sl.plot`, and files."""

import io
import subprocess
import sys

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

import searchlab as sl
from searchlab.reports import chart_kinds as kinds
from searchlab.reports.chart import DARK, LIGHT, Chart, Series, category_axis, linear_axis
from searchlab.reports.matplotlib_chart import draw, save

mpl.use("agg")


@pytest.fixture
def axes():
    """Axes of a figure that pyplot does not know."""
    return Figure().add_subplot()


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def test_a_plot_draws_on_given_axes(two_heuristics, axes):
    assert sl.plot.scatter(two_heuristics, "taxicab", "misplaced", ax=axes) is axes
    assert plt.get_fignums() == []


def test_a_plot_without_axes_creates_a_figure(two_heuristics):
    made = sl.plot.bars(two_heuristics)
    assert plt.get_fignums() == [made.figure.number]


def test_every_function_draws_the_chart_of_its_name(two_heuristics, games, axes):
    """The same names, the same arguments, the title of the same chart."""
    of_games = games(*({"player": p, "seed": s, "score": 1.0 + s} for p in "ab" for s in range(9)))
    for name in ("scatter", "cactus", "profile", "coverage", "bars", "heatmap"):
        drawn = getattr(sl.plot, name)(two_heuristics, ax=Figure().add_subplot())
        assert drawn.get_title(loc="left") == kinds.CHART_KINDS[name](two_heuristics).title
    assert sl.plot.scores(of_games, ax=axes).get_title(loc="left") == "score of games"
    assert sl.plot.reached(of_games, ax=Figure().add_subplot()).get_title(loc="left") == "tiles reached"
    assert set(kinds.CHART_KINDS) <= set(dir(sl.plot))


def test_axes_have_the_scale_the_ticks_and_the_labels_of_the_chart(two_heuristics, axes):
    chart = kinds.scatter(two_heuristics, "taxicab", "misplaced")
    draw(chart, axes)
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", chart.x.label)
    assert axes.get_xlim() == pytest.approx((chart.x.low, chart.x.high))
    assert [label.get_text() for label in axes.get_yticklabels()] == [tick.label for tick in chart.y.ticks]


def test_points_on_a_rail_are_hollow(two_heuristics, axes):
    chart = kinds.scatter(two_heuristics, "taxicab", "misplaced")
    draw(chart, axes)
    solved, unsolved = axes.collections[:2]
    assert len(solved.get_offsets()) == len(unsolved.get_offsets()) == 2
    assert len(unsolved.get_facecolors()) == 0
    assert unsolved.get_offsets()[:, 1].tolist() == [chart.y.rail.at] * 2


def test_the_legend_is_beside_the_axes(two_heuristics, axes):
    legend = sl.plot.cactus(two_heuristics, ax=axes).get_legend()
    assert [text.get_text() for text in legend.get_texts()] == ["misplaced (2)", "taxicab (4)"]
    assert legend.get_bbox_to_anchor().transformed(axes.transAxes.inverted()).x0 > 1


def test_colours_suit_the_background(two_heuristics):
    for ground, colours in (("white", LIGHT), ("black", DARK)):
        axes = Figure().add_subplot(facecolor=ground)
        bars = sl.plot.bars(two_heuristics, ax=axes).patches
        assert {to_hex(bar.get_facecolor()) for bar in bars} == {colours[0]}


def test_dollar_signs_are_no_formulas(searches, axes):
    table = searches({"heuristic": "$x$"}, {"heuristic": "$\\bad{$"})
    sl.plot.coverage(table, ax=axes)
    sl.plot.cactus(table, ax=axes)
    axes.figure.savefig(io.BytesIO(), format="png")


@pytest.mark.slow
@pytest.mark.parametrize(("format_", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_files_are_reproducible_in_all_formats(two_heuristics, format_, start):
    charts = [kinds.heatmap(two_heuristics), kinds.scatter(two_heuristics)]
    written = []
    for _ in range(2):
        stream = io.BytesIO()
        save(charts, stream, format_, theme="dark")
        written.append(stream.getvalue())
    assert written[0].startswith(start)
    assert written[0] == written[1]


def test_drawing_does_not_change_settings_of_matplotlib(two_heuristics):
    before = dict(mpl.rcParams)
    save(kinds.bars(two_heuristics), io.BytesIO(), "png", theme="dark")
    assert dict(mpl.rcParams) == before


def test_importing_searchlab_imports_no_matplotlib():
    """Nor does the SVG need it."""
    code = (
        "import sys, searchlab, searchlab.reports.svg, searchlab.reports.chart_kinds\n"
        "assert not {'matplotlib', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_a_plot_without_matplotlib_is_refused_with_the_remedy(two_heuristics, monkeypatch):
    """Before the computation, which may take a minute."""
    monkeypatch.setattr("searchlab.reports.matplotlib_chart.find_spec", lambda name: None)
    needed = r"^sl\.plot needs matplotlib; install it with: pip install matplotlib$"
    for drawn in (
        lambda: sl.plot.bars(two_heuristics),
        lambda: sl.plot.search("sliding-tile/no-such-board"),
        lambda: sl.plot.heuristic("no-such-heuristic"),
    ):
        with pytest.raises(sl.UsageError, match=needed):
            drawn()


@pytest.mark.parametrize("has_names", [False, True])
def test_points_have_circles_and_intervals(has_names, axes):
    """Intervals are vertical, but horizontal if the vertical axis has names; the points of `hollow` are outlines."""
    y = category_axis(["a", "b", "c"]) if has_names else linear_axis([0.0, 3.0], "y")
    more = {"lows": (0.5, 1.5), "highs": (1.5, 2.5), "areas": (100.0, 400.0), "labels": ("p", "q"), "hollow": True}
    series = Series("", "points", 0, (1.0, 2.0), (1.0, 2.0), **more)
    draw(Chart("scatter", "points", linear_axis([0.0, 3.0], "x"), y, (series,)), axes)
    (lines,) = [found for found in axes.collections if hasattr(found, "get_segments")]
    across = [[1.0, 1.0], [2.0, 2.0]]
    along = [[0.5, 1.5], [1.5, 2.5]]
    found = [[list(line[:, axis]) for line in lines.get_segments()] for axis in (0, 1)]
    assert found == ([along, across] if has_names else [across, along])
    sizes = [list(found.get_sizes()) for found in axes.collections if hasattr(found, "get_sizes")]
    assert [56.25, 225.0] in sizes  # square points: 72 an inch, where pixels are 96
    points = next(
        found for found in axes.collections if hasattr(found, "get_sizes") and list(found.get_sizes()) == [22]
    )
    assert len(points.get_facecolors()) == 0
