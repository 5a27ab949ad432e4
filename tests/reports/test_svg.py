"""Charts as SVG: well-formed, light and dark, with tooltips, small, and harmless for any names."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from searchlab.reports import chart_kinds as kinds
from searchlab.reports.chart import DARK, LIGHT, Chart, Series, category_axis, linear_axis
from searchlab.reports.svg import shade_colour, stylesheet, svg

sys.path.insert(0, str(Path(__file__).parents[1]))
from browser import OUTSIDE, OVERLAPPING, channels

SVG = "{http://www.w3.org/2000/svg}"
NASTY = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a&b", "\x1b[31m\0\ufffe", "x" * 10_000)


def parsed(charts, **options):
    return ElementTree.fromstring(svg(charts, **options))


def texts(tree):
    return [element.text for element in tree.iter(f"{SVG}text")]


def titles(tree):
    return [element.text for element in tree.iter(f"{SVG}title")]


def all_charts(two_heuristics, games):
    played = games(*({"player": p, "seed": s, "score": 1.0 + s} for p in "ab" for s in range(9)))
    charts = [kinds.CHART_KINDS[kind](two_heuristics) for kind in ("scatter", "cactus", "profile", "coverage", "bars")]
    return [*charts, kinds.heatmap(two_heuristics), kinds.scores(played), kinds.bars(played)]


def test_every_kind_is_well_formed_and_within_its_frame(two_heuristics, games):
    """Each mark has a place in the picture."""
    for chart in all_charts(two_heuristics, games):
        tree = parsed(chart)
        _, _, width, height = map(float, tree.get("viewBox").split())
        for element in tree.iter(f"{SVG}circle"):
            assert 0 <= float(element.get("cx")) <= width
            assert 0 <= float(element.get("cy")) <= height
        for element in (*tree.iter(f"{SVG}rect"), *tree.iter(f"{SVG}text")):
            if not element.get("width", "").endswith("%"):
                assert 0 <= float(element.get("x")) <= width, (chart.kind, element.text)
                assert 0 <= float(element.get("y")) <= height


def test_axes_legend_and_notes_are_written(two_heuristics):
    chart = kinds.coverage(two_heuristics)
    written = texts(parsed(chart))
    assert {"how runs ended", "runs", "misplaced", "taxicab", "solved", "time-limit"} <= set(written)
    assert "geometric means over the 2 cases that both configurations solved" in texts(
        parsed(kinds.bars(two_heuristics))
    )


def test_points_have_tooltips(two_heuristics):
    assert "b1: 10 and 100" in titles(parsed(kinds.scatter(two_heuristics, "taxicab", "misplaced")))


def test_points_on_a_rail_are_hollow(two_heuristics):
    tree = parsed(kinds.scatter(two_heuristics, "taxicab", "misplaced"))
    hollow = [element for element in tree.iter(f"{SVG}circle") if element.get("fill") == "none"]
    assert [element.find(f"{SVG}title").text for element in hollow] == [
        "b3: 1,000 and time-limit",
        "b4: 10,000 and time-limit",
    ]
    assert len({element.get("cy") for element in hollow}) == 1


@pytest.mark.parametrize("name", NASTY, ids=["script", "image", "ampersand", "characters", "long"])
def test_markup_in_names_is_escaped(searches, name):
    table = searches({"heuristic": name, "board_name": name}, {"heuristic": "taxicab", "board_name": name})
    for chart in (kinds.heatmap(table), kinds.bars(table), kinds.coverage(table), kinds.profile(table)):
        drawn = svg(chart)
        ElementTree.fromstring(drawn)
        drawn.encode()
        assert {element.tag for element in ElementTree.fromstring(drawn).iter()} <= {
            f"{SVG}{tag}" for tag in ("svg", "style", "defs", "pattern", "path", "rect", "circle", "text", "title", "g")
        }
        assert len(drawn) < 60_000


def test_the_svg_is_self_contained(two_heuristics, games):
    for chart in all_charts(two_heuristics, games):
        assert re.findall(r"https?://[^\"' ]+", svg(chart)) == ["http://www.w3.org/2000/svg"]


def test_colours_follow_the_colour_scheme_and_need_no_css(two_heuristics):
    drawn = svg(kinds.scatter(two_heuristics, "taxicab", "misplaced"))
    assert f'fill="{LIGHT[0]}" class="c0"' in drawn
    assert "prefers-color-scheme:dark" in drawn
    assert f"--c0:{DARK[0]}" in drawn


def test_a_theme_can_be_chosen():
    assert LIGHT[0] in stylesheet("light")
    assert DARK[0] not in stylesheet("light")
    assert DARK[0] in stylesheet("dark")
    assert LIGHT[0] not in stylesheet("dark")


def test_a_page_may_hold_the_style_once(two_heuristics):
    assert "<style" not in svg(kinds.bars(two_heuristics), styled=False)


def test_several_charts_are_arranged_in_columns(two_heuristics):
    chart = kinds.bars(two_heuristics)
    one, three = parsed(chart), parsed([chart, chart, chart], columns=2)
    assert float(three.get("width")) > 1.9 * float(one.get("width"))
    assert float(three.get("height")) > 1.9 * float(one.get("height"))
    assert len(three.findall(f"{SVG}g")) == 2


def test_the_same_chart_is_the_same_file(two_heuristics):
    assert svg(kinds.heatmap(two_heuristics)) == svg(kinds.heatmap(two_heuristics))


def test_ten_thousand_points_are_small():
    xs = tuple(float(number % 997) for number in range(10_000))
    ys = tuple(float(number % 613) for number in range(10_000))
    chart = Chart("scatter", "many", linear_axis(xs, "x"), linear_axis(ys, "y"), (Series("", "points", 0, xs, ys),))
    assert len(svg(chart)) < 160_000


def test_a_missing_value_breaks_a_line():
    axis = linear_axis([1.0, None, 3.0], "x", rail="unsolved")
    line = Series("a", "line", 0, (1.0, 2.0, 3.0, 4.0), (1.0, None, 3.0, 3.0))
    tree = parsed(Chart("line", "line", linear_axis([1.0, 4.0], "x"), axis, (line,)))
    paths = [path.get("d") for path in tree.iter(f"{SVG}path") if path.get("stroke-width") == "2"]
    assert paths[0].count("M") == 2


def points(y_axis, **more):
    """Return a chart of three points, the last two near each other, with intervals."""
    lows, highs = (0.5, 1.0, 1.0), (2.5, 4.0, 4.0)
    series = Series("", "points", 0, (1.0, 2.0, 2.1), (1.0, 2.0, 2.0), lows=lows, highs=highs, **more)
    return Chart("scatter", "points", linear_axis([0.0, 4.0], "x"), y_axis, (series,))


@pytest.mark.parametrize(
    ("y_axis", "is_vertical"), [(linear_axis([0.0, 4.0], "y"), True), (category_axis(["a", "b", "c"]), False)]
)
def test_intervals_of_points_are_horizontal_if_the_vertical_axis_has_names(y_axis, is_vertical):
    chart = points(y_axis)
    with_lines = [element.get("d") for element in parsed(chart).iter(f"{SVG}path")]
    bare = replace(chart, series=(replace(chart.series[0], lows=(), highs=()),))
    without = [element.get("d") for element in parsed(bare).iter(f"{SVG}path")]
    intervals = [line for line in with_lines if line not in without]
    assert len(intervals) == 3
    for line in intervals:
        (x1, y1), (x2, y2) = (end.split() for end in line.removeprefix("M").split("L"))
        assert (x1 == x2, y1 == y2) == (is_vertical, not is_vertical)


def test_circles_around_points_have_the_areas_of_the_series():
    chart = points(linear_axis([0.0, 4.0], "y"), areas=(100.0, 400.0, 900.0))
    circles = [element for element in parsed(chart).iter(f"{SVG}circle") if element.get("pointer-events")]
    assert [round(float(circle.get("r"))) for circle in circles] == [6, 11, 17]


def test_labels_of_points_keep_off_each_other_and_off_points():
    chart = points(linear_axis([0.0, 4.0], "y"), labels=("first", "second", "third"))
    tree = parsed(chart)
    labels = [element for element in tree.iter(f"{SVG}text") if element.text in ("first", "second", "third")]
    (first, second, third) = ((float(label.get("x")), float(label.get("y"))) for label in labels)
    marks = [(float(mark.get("cx")), float(mark.get("cy"))) for mark in tree.iter(f"{SVG}circle")]
    assert first[0] > marks[0][0]  # on the right, where nothing is in the way
    assert abs(second[1] - third[1]) > 12 or second[0] + 36 < third[0]
    assert second[0] + 36 < marks[1][0]  # on the left, where the third point is not


def test_hollow_points_are_outlines_in_the_chart_and_its_legend():
    chart = points(linear_axis([0.0, 4.0], "y"), hollow=True)
    chart = replace(chart, series=(replace(chart.series[0], name="published"),))
    circles = list(parsed(chart).iter(f"{SVG}circle"))
    assert [circle.get("fill") for circle in circles] == ["none"] * 4


def test_notes_are_wrapped(two_heuristics):
    chart = replace(kinds.bars(two_heuristics), notes=("word " * 60,))
    assert len([text for text in texts(parsed(chart)) if text.startswith("word")]) > 2


def test_shades_span_the_colour_map():
    assert (shade_colour(0), shade_colour(1), shade_colour(-1), shade_colour(2)) == (
        *("#00224e", "#fee838"),
        *("#00224e", "#fee838"),
    )


LONG = "expectimax:depth=3,heuristic=[left-weighted:corner=-2.5,growth=1.25]"


@pytest.mark.slow
def test_in_a_browser_no_text_is_cut_off_or_lies_on_another(two_heuristics, games, pages, tmp_path):
    """Widths are estimated without asking a font; here they are measured."""
    named = games(*({"player": p, "seed": s, "score": 900.0 + s} for p in (LONG, "b") for s in range(9)))
    charts = [*all_charts(two_heuristics, games), kinds.scores(named), kinds.bars(named), kinds.heatmap(named)]
    file = tmp_path / "page.html"
    file.write_text(f"<!doctype html><meta charset=utf-8><body>{''.join(map(svg, charts))}", encoding="utf-8")
    page = pages.open(file)
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(OVERLAPPING) == []


def test_in_a_browser_the_colours_follow_the_scheme(two_heuristics, pages, tmp_path):
    file = tmp_path / "drawn.svg"
    file.write_text(svg(kinds.bars(two_heuristics)), encoding="utf-8")
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        page = pages.open(file, color_scheme=scheme)
        seen = page.evaluate("getComputedStyle(document.querySelector('rect.c0')).fill")
        assert channels(seen) == channels(colours[0])


@pytest.mark.slow
def test_in_a_browser_charts_fit_the_width_of_a_phone(two_heuristics, pages, tmp_path):
    file = tmp_path / "page.html"
    drawn = svg([kinds.scatter(two_heuristics), kinds.heatmap(two_heuristics)])
    file.write_text(f"<!doctype html><meta name=viewport content='width=device-width'><body>{drawn}", encoding="utf-8")
    page = pages.open(file, width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
