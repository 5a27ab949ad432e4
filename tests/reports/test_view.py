"""`sl.view` returns a page of a result, a game, a row or a trace; it writes it, opens it, and a notebook shows it."""

import webbrowser

import html5lib
import pandas as pd
import pytest
from browser import wait_for

import searchlab as sl
from searchlab.errors import SearchlabError, SearchlabWarning, UsageError
from searchlab.reports.trace import TraceRecorder
from searchlab.search.solve import problem, search


@pytest.fixture(scope="module")
def solved():
    return sl.solve(sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), domain="sliding-tile", engine="readable")


@pytest.fixture(scope="module")
def played():
    return sl.play(player="greedy", seed=3, most_moves=30)


@pytest.fixture(scope="module")
def trace(tmp_path_factory, solved):
    """The file of a trace."""
    described = problem(solved.start, domain="sliding-tile")
    recorder = TraceRecorder(described)
    result = search(described, engine="readable", batch=1, observer=recorder)
    path = tmp_path_factory.mktemp("trace") / "s.trace.json"
    path.write_text("".join(recorder.parts(result)))
    return path


def test_a_result_a_game_and_a_trace_are_pages(solved, played, trace):
    """That html5lib reads strictly, without any warning."""
    for what in (solved, played, trace, str(trace), (trace, trace)):
        page = sl.view(what)
        html5lib.HTMLParser(strict=True).parse(page.html)
        assert page.path is None
    assert "solved in 3 moves, optimal" in sl.view(solved).html
    assert f"score {played.score:g}" in sl.view(played).html.replace(",", "")


def test_a_board_is_solved_first(solved):
    """By its name or as itself, with the parts that are named; they are for nothing else."""
    html = sl.view("sliding-tile/example", heuristic="misplaced").html
    assert "solved in 3 moves, optimal" in html
    assert "misplaced" in html
    assert "sliding-tile/example" in html
    assert "solved in 3 moves, optimal" in sl.view(solved.start, domain="sliding-tile").html
    with pytest.raises(UsageError, match="there is no solution to show"):
        sl.view("sliding-tile/example", limits=sl.Limits(expansions=1))
    with pytest.raises(UsageError, match="frontier is for a board"):
        sl.view(solved, frontier="greedy")
    with pytest.raises(UsageError, match="advise is for a game that was played, and this is a board"):
        sl.view(solved.start, domain="sliding-tile", advise="greedy")
    with pytest.raises(sl.BoardError, match="nowhere"):
        sl.view("nowhere/to/be/found")


def test_searches_traced_in_python_are_shown_side_by_side(solved):
    """As their files are."""
    traces = tuple(sl.trace(solved.start, domain="sliding-tile", frontier=name) for name in ("astar", "greedy"))
    assert "<p>astar and greedy</p>" in sl.view(traces).html
    assert sl.view(traces[0]).html == traces[0].page().html
    with pytest.raises(UsageError, match="give one trace, or two to show side by side"):
        sl.view((*traces, *traces))


def test_a_page_is_written_and_opened(solved, tmp_path, monkeypatch):
    """To the file that is named, else to one that the system has room for; where there is no browser it says so."""
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or len(opened) < 3)
    page = sl.view(solved, tmp_path / "page.html")
    assert page.path.read_text(encoding="utf-8") == page.html
    assert repr(page) == f"<Page: {tmp_path / 'page.html'}>"
    sl.view(solved, str(tmp_path / "page.html"), open=True)
    temporary = sl.view(solved, open=True)
    assert opened == [page.path.as_uri(), temporary.path.as_uri()]
    with pytest.warns(SearchlabWarning, match="no browser was found"):
        again = sl.view(solved, open=True)
    for written in (temporary, again):
        written.path.unlink()


@pytest.mark.slow
def test_a_notebook_shows_a_page_in_a_frame(pages, played, tmp_path):
    """The frame may only run the page's script."""
    path = tmp_path / "notebook.html"
    path.write_text(f"<!DOCTYPE html><title>notebook</title>{sl.view(played)._repr_html_()}", encoding="utf-8")
    page = pages.open(path)
    frame = page.frames[1]
    wait_for(frame, "document.querySelectorAll('#board svg').length === 1")
    frame.click("#last")
    assert frame.locator("#position").input_value() == "30"
    pages.requests = [address for address in pages.requests if address != "about:srcdoc"]


def test_a_player_judges_a_game(played):
    """As `searchlab view --advise` has it."""
    page = sl.view(played, advise="greedy:heuristic=empty", threshold=0)
    assert "losses of 0 or more by the values of greedy:heuristic=empty" in page.html


def test_a_row_of_results_is_made_again(tmp_path):
    """Of searches and of games."""
    boards = ["sliding-tile/puzzle8-20"]
    row = sl.run(sl.Experiment(boards=boards, frontiers=["astar"]), folder=tmp_path / "s", workers=1).iloc[0]
    assert "solved in 20 moves, optimal" in sl.view(row).html
    games = sl.Experiment(players=["random"], domains=["2048-random"], seeds=[1], most_moves=5)
    game = sl.run(games, folder=tmp_path / "g", workers=1).iloc[0]
    assert "stopped after 5 moves" in sl.view(dict(game)).html
    with pytest.raises(SearchlabError, match="recorded is cost 7"):
        sl.view(pd.Series({**row, "cost": 7.0}))


def test_a_game_that_has_no_name_here_is_shown_without_its_rules():
    """And a warning says so; with `domain` it has them."""
    domain = sl.domain(
        sl.Domain(
            "walk",
            lambda board: [("on", sl.Board([[board.tile_at(0, 0) + 1]]))],
            lambda board: board.tile_at(0, 0) == 3,
            start=lambda: sl.Board([[1]]),
        )
    )
    result = sl.solve(domain=domain, frontier="breadth-first", engine="readable")
    with pytest.warns(SearchlabWarning, match="nothing slides, and there are no curves"):
        page = sl.view(result)
    assert "solved in 2 moves" in page.html
    with pytest.warns(SearchlabWarning, match="nothing slides"):
        sl.view(sl.play(domain=domain, player="random", most_moves=2))


def test_view_of_an_experiment_equals_the_report(tmp_path):
    """As a page, and in a file; a run that can be watched may be named for one experiment only."""
    experiment = sl.Experiment(boards=["sliding-tile/example"], frontiers=["astar"])
    sl.run(experiment, folder=tmp_path / "one", workers=1)
    page = sl.report(tmp_path / "one", tmp_path / "one.html", players="none")
    assert page.html.startswith("<!DOCTYPE html>")
    assert page.path.read_text(encoding="utf-8") == page.html
    for results, settings in (([], {}), ([tmp_path, tmp_path / "one"], {"players": (1,)}), (tmp_path / "none", {})):
        with pytest.raises(UsageError):
            sl.report(results, **settings)


@pytest.mark.parametrize(
    ("what", "settings", "said"),
    [
        (7, {}, "7 cannot be viewed: a board, a result, a game, a row of load_results or a trace can"),
        ({"a": 1}, {}, "cannot be viewed"),
        ("nothing.trace.json", {}, "nothing.trace.json: no such file"),
        ("nothing.trace.json", {"advise": "greedy"}, "advise is for a game, and this is a search trace"),
        ("nothing.trace.json", {"threshold": 2}, "threshold needs a player that advises"),
    ],
)
def test_unviewable_objects_are_refused(what, settings, said):
    """In one line."""
    with pytest.raises(UsageError) as refused:
        sl.view(what, **settings)
    assert said in str(refused.value)


def test_searches_without_a_solution_and_advice_on_searches_are_refused(solved):
    limited = sl.solve("sliding-tile/puzzle8-31", limits=sl.Limits(expansions=3), engine="readable")
    with pytest.raises(UsageError, match="there is no solution to show: expansion-limit"):
        sl.view(limited)
    with pytest.raises(UsageError, match="advise is for a game"):
        sl.view(solved, advise="greedy")
