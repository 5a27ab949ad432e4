"""`searchlab plot`: pictures of results, of heuristics and of searches, as files."""

from __future__ import annotations

import os
import re
from xml.etree import ElementTree

import pytest

from searchlab.cli.plot import CHART_KINDS

SVG = "{http://www.w3.org/2000/svg}"
CURVE = "games,mean_moves,mean_score\n1000,50.0,100.5\n2000,60.0,200.5\n"


def texts(path):
    """What is written in a picture."""
    return [element.text for element in ElementTree.parse(path).iter(f"{SVG}text")]


@pytest.fixture
def searches(make_record, make_results, folder):
    """Ten boards, of which misplaced solves eight, with four times the expansions."""
    records = []
    for n in range(10):
        records.append(make_record(n, "taxicab", expanded=100 + n))
        records.append(make_record(n, "misplaced", expanded=400 + n, status="solved" if n < 8 else "time-limit"))
    return make_results(records, "puzzles")


@pytest.fixture
def games(make_game, make_results, folder):
    """Ten games of two players."""
    return make_results([make_game(p, s, 100.0 * s) for p in ("greedy", "random") for s in range(1, 11)], "played")


@pytest.fixture
def course(folder):
    """What `train` writes."""
    (folder / "net").mkdir()
    (folder / "net" / "curve.csv").write_text(CURVE)
    return folder / "net"


def test_a_picture_lies_in_the_current_folder_and_is_named(run, searches, folder):
    ran = run("plot", searches, "scatter", "--x", "taxicab", "--y", "misplaced")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "puzzles-scatter.svg: nodes expanded: taxicab and misplaced",
        "10 pairs of runs; each point is one",
        "on the marked borders, unsolved: taxicab 0, misplaced 2, both 0",
        "below the diagonal misplaced is better: fewer nodes expanded",
    ]
    assert "nodes expanded, misplaced" in texts(folder / "puzzles-scatter.svg")


def test_svg_needs_no_matplotlib(run, searches, folder, monkeypatch):
    """For PNG and PDF, an error says what to install."""
    monkeypatch.setattr("searchlab.reports.matplotlib_chart.find_spec", lambda name: None)
    ran = run("plot", searches, "bars", "--output", "bars.png")
    assert (ran.code, ran.out) == (2, "")
    install = "install it with: pip install matplotlib"
    assert ran.err == f"searchlab: error: bars.png: PNG needs matplotlib; {install}\n"
    assert run("plot", searches, "bars").code == 0
    assert (folder / "puzzles-bars.svg").exists()


def test_every_kind_is_drawn(run, searches, games, course, folder):
    options = {"scaling": ("--x", "limit_seconds")}
    for kind in CHART_KINDS:
        of = {"learning": course, "scores": games, "reached": games}.get(kind, searches)
        if kind != "scaling":
            assert run("plot", of, kind, *options.get(kind, ())).code == 0
            ElementTree.parse(folder / f"{of.name}-{kind}.svg")


def test_the_word_results_is_optional(run, searches):
    assert run("plot", "results", searches, "bars").out == run("plot", searches, "bars").out


def test_a_results_file_is_accepted(run, searches, folder):
    assert run("plot", searches / "results.sqlite", "bars").code == 0
    assert (folder / "puzzles-bars.svg").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "start"), [("a.svg", b"<svg"), ("a.PNG", b"\x89PNG"), ("a.pdf", b"%PDF")])
def test_the_suffix_of_the_output_selects_the_format(run, searches, folder, name, start):
    assert run("plot", searches, "cactus", "--metric", "expanded", "--output", name).code == 0
    assert (folder / name).read_bytes().startswith(start)
    assert sorted(os.listdir(folder)) == sorted(["puzzles", name])


def test_themes(run, searches, folder):
    for theme, ground in (("light", "#ffffff"), ("dark", "#17191c")):
        run("plot", searches, "bars", "--theme", theme)
        drawn = (folder / "puzzles-bars.svg").read_text()
        assert "prefers-color-scheme" not in drawn
        assert f"--ground:{ground}" in drawn


def test_conditions_choose_the_runs(run, searches):
    ran = run("plot", searches, "bars", "--where", "heuristic=taxicab")
    assert "geometric means over the 10 cases that were solved" in ran.out


def test_groups_can_be_chosen(run, searches, folder):
    run("plot", searches, "coverage", "--group-by", "heuristic,frontier")
    assert "misplaced/astar" in texts(folder / "puzzles-coverage.svg")


def test_several_experiments_are_drawn_together(run, make_record, make_results, folder):
    one = make_results([make_record(1, "taxicab")], "one")
    other = make_results([make_record(1, "misplaced")], "other")
    assert run("plot", one, other, "bars").code == 0
    assert {"taxicab", "misplaced"} <= set(texts(folder / "one-bars.svg"))


def test_several_courses_are_drawn_together(run, course, folder):
    (folder / "other").mkdir()
    (folder / "other" / "curve.csv").write_text(CURVE)
    run("plot", course, "other", "learning", "--output", "both.svg")
    assert {"net", "other"} <= set(texts(folder / "both.svg"))


def test_undrawable_results_are_refused_without_a_file(run, searches, games, course, folder):
    before = sorted(os.listdir(folder))

    def error(*arguments):
        return run("plot", *arguments).error

    assert "the results stand first: searchlab plot PATH scatter" in error("scatter", searches)
    assert "did you mean 'scatter'?" in error(searches, "scater")
    assert "say what to draw: searchlab plot puzzles KIND, with KIND one of scatter, cactus" in error("puzzles")
    assert "PATH is missing: searchlab plot PATH bars" in error("results", "bars")
    assert "missing argument 'KIND'" in error()
    assert "no results here" in error("nowhere", "bars")
    assert "--x is not for cactus, but for scatter, scaling" in error(searches, "cactus", "--x", "weight")
    assert "--metric is not for coverage" in error(searches, "coverage", "--metric", "cost")
    assert "unknown file extension; use .svg, .png or .pdf" in error(searches, "bars", "--output", "x.gif")
    assert "there is no folder nowhere" in error(searches, "bars", "--output", "nowhere/x.svg")
    assert "did you mean 'expanded'?" in error(searches, "bars", "--metric", "expandet")
    assert "did you mean 'taxicab'?" in error(searches, "scatter", "--x", "taxicap", "--y", "misplaced")
    assert "none of the 20 runs meets the conditions" in error(searches, "bars", "--where", "status=error")
    assert "cactus is for searches" in error(games, "cactus")
    assert "searches and games have no picture together" in error(searches, games, "bars")
    assert "--group-by names no column" in error(searches, "bars", "--group-by", ",")
    assert "curve.csv: no such file" in error(searches, "learning")
    (course / "curve.csv").write_text('games,mean_score\n1,"')
    assert "no table of learning" in error(course, "learning")
    (course / "curve.csv").write_text("games,mean_score\n1,x\n")
    assert "mean_score is not a number" in error(course, "learning")
    assert sorted(os.listdir(folder)) == before


def test_a_picture_that_cannot_be_written_replaces_nothing(run, searches, folder):
    (folder / "x.svg").mkdir()
    assert "a directory" in run("plot", searches, "bars", "--output", "x.svg").error


def test_help_lists_the_kinds(run):
    for arguments in (("plot", "-h"), ("plot", "results", "--help")):
        said = run(*arguments).out
        assert [kind for kind in CHART_KINDS if re.search(rf"^  {kind}  ", said, re.MULTILINE)] == list(CHART_KINDS)


def test_a_heuristic_is_drawn_against_the_exact_costs_of_all_boards(run, folder):
    ran = run("plot", "heuristic", "taxicab", "misplaced")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[0] == "heuristic.svg: taxicab; misplaced; error per depth"
    assert "all 181,440 boards of sliding-tile, 3 × 3" in lines
    assert [line for line in lines if "the line" in line] == [
        "taxicab: never above the line: admissible on 181,440 boards",
        "misplaced: never above the line: admissible on 181,440 boards",
    ]
    titles = [element.text for element in ElementTree.parse(folder / "heuristic.svg").iter(f"{SVG}title")]
    assert "cost 31, value 21: 2 boards" in titles


def test_a_heuristic_of_a_file_is_drawn(run, folder):
    (folder / "mine.py").write_text("def ten(tiles):\n    return 10.0\n")
    ran = run("plot", "heuristic", "mine.py:ten", "--domain", "sliding-tile")
    assert ran.code == 0
    assert re.search(r"mine.py:ten: above the line on [\d,]+ of 181,440 boards: it overestimates them", ran.out)


def test_scores_have_no_error(run):
    ran = run("plot", "heuristic", "left-weighted")
    assert ran.out.splitlines()[0] == "heuristic.svg: left-weighted"
    assert "left-weighted: more of this score is better, and it is no estimate of the cost" in ran.out


def test_undrawable_heuristics_are_refused(run, folder):
    (folder / "mine.py").write_text("def ten(tiles):\n    return 10\n")
    no_domain = "heuristic mine.py:ten is for any domain: name one with --domain"
    assert no_domain in run("plot", "heuristic", "mine.py:ten").error
    assert "domain sliding-tile: goal=64: 0 is missing" in run("plot", "heuristic", "taxicab", "--goal", "64").error
    assert "did you mean 'taxicab'?" in run("plot", "heuristic", "taxicap").error
    assert "game of chance" in run("plot", "heuristic", "snake", "--domain", "2048-random:n=3").error
    too_large = run("plot", "heuristic", "taxicab", "--board", "sliding-tile/puzzle15-20", "--time-limit", "1s")
    assert "name a smaller --board" in too_large.error


def test_a_search_is_drawn(run, folder):
    ran = run("plot", "search", "sliding-tile/puzzle8-20")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [  # in lines that fit the terminal
        "search.svg: astar, taxicab: open and closed list; f and h; nodes expanded per f;",
        "nodes expanded of each g and h",
        "solved after 135 expansions, cost 20",
    ]
    assert {"open list", "best h so far", "nodes expanded"} <= set(texts(folder / "search.svg"))


def test_a_search_without_a_heuristic_has_no_h(run):
    ran = run("plot", "search", "sliding-tile/puzzle8-20", "--frontier", "breadth-first", "--max-expansions", "500")
    assert ran.out.splitlines() == [
        "search.svg: breadth-first: open and closed list; nodes expanded per g",
        "expansion-limit after 500 expansions",
    ]


def test_undrawable_searches_are_refused(run):
    assert "its own search loop" in run("plot", "search", "sliding-tile/puzzle8-20", "--frontier", "ida-star").error
    assert "no node was expanded" in run("plot", "search", "sliding-tile/puzzle8-20", "--max-expansions", "0").error
