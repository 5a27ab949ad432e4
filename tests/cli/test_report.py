"""`searchlab report` writes one page of experiments, or says in a line why not."""

import sqlite3
import webbrowser
from contextlib import closing

import pytest

import searchlab as sl


@pytest.fixture(scope="module")
def experiments(tmp_path_factory):
    """Two searches, one of which reaches its limit, and two games."""
    folder = tmp_path_factory.mktemp("experiments")
    boards = ["sliding-tile/puzzle8-20"]
    limits = sl.Limits(expansions=300)
    searches = sl.Experiment(boards=boards, heuristics=["taxicab", "misplaced"], frontiers=["astar"], limits=limits)
    sl.run(searches, folder=folder / "searches", workers=1)
    games = sl.Experiment(players=["random"], domains=["2048-random"], seeds=[1, 2], most_moves=20)
    sl.run(games, folder=folder / "games", workers=1)
    return folder


@pytest.mark.slow
def test_an_experiment_has_a_report(run, folder, experiments):
    """It is called as the experiment's folder is, and lies in the current folder."""
    ran = run("report", experiments / "searches")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith(": 2 runs\nwritten to searches.html\n")
    page = (folder / "searches.html").read_text(encoding="utf-8")
    assert "expansion-limit" in page
    assert page.count("<template data-player") == 1


@pytest.mark.slow
@pytest.mark.parametrize(("players", "count"), [("none", 0), ("all", 1), ("first", 1)])
def test_the_runs_that_can_be_watched_are_chosen(run, folder, experiments, players, count):
    """Only those that have moves."""
    run("report", experiments / "searches", "--players", players, "--output", "page.html")
    assert (folder / "page.html").read_text(encoding="utf-8").count("<template data-player") == count


def test_runs_are_chosen_by_their_numbers(run, folder, experiments):
    """Those of the page."""
    run("report", experiments / "games", "--players", "2", "--output", "page.html")
    assert '<template data-player="2">' in (folder / "page.html").read_text(encoding="utf-8")


def test_several_experiments_have_one_report(run, folder, experiments):
    """They may be searches and games."""
    ran = run("report", experiments / "searches", experiments / "games", "--output", "all.html")
    assert ran.out.endswith(": 4 runs\nwritten to all.html\n")
    assert (folder / "all.html").read_text(encoding="utf-8").count("<article") == 2


def test_a_report_is_opened_in_the_browser(run, experiments, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    run("report", experiments / "games", "--open")
    assert len(opened) == 1
    assert opened[0].endswith("/games.html")


def test_games_whose_rules_have_changed_are_omitted(run, folder, experiments):
    """A line says so, on the page and on the terminal."""
    import shutil

    shutil.copytree(experiments / "searches", folder / "other")
    with closing(sqlite3.connect(folder / "other" / "results.sqlite")) as connection, connection:
        connection.execute("UPDATE runs SET actions = 'up up' WHERE actions IS NOT NULL")
    ran = run("report", "other")
    assert ran.code == 0
    assert "cannot be watched" in ran.err
    assert "cannot be watched" in (folder / "other.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere: no results here"),
        (("{searches}", "--players", "some"), "--players 'some': write first, none, all, or numbers of runs: 3,17"),
        (("{searches}", "--players", "9"), "--players: there is no run 9; there are 2"),
        (("{searches}", "--players", "0"), "--players: there is no run 0"),
        (("{searches}", "{games}", "--players", "1"), "--players with numbers is for a single experiment"),
        (("{searches}", "--output", "nowhere/page.html"), "there is no folder nowhere"),
        ((), "missing argument 'PATH…'"),
    ],
)
def test_invalid_arguments_are_refused_without_a_file(run, folder, experiments, arguments, said):
    places = {name: experiments / name for name in ("searches", "games")}
    assert said in run("report", *(argument.format(**places) for argument in arguments)).error
    assert list(folder.iterdir()) == []
