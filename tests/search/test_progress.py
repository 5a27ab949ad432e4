"""The progress of a search: a bar in a notebook, a line on request elsewhere, nothing for a short search."""

import sys
import time
from threading import Thread
from types import SimpleNamespace
from typing import ClassVar

import pytest

import searchlab as sl
from searchlab.errors.notebook import _output_of
from searchlab.errors.standard_error import CLEARED
from searchlab.model.limits import Limits, Progress
from searchlab.search import progress as search_progress
from searchlab.search.progress import SearchLine, progress_figures, share_of_limits

BOARD = "sliding-tile/puzzle8-31"


def slow(tiles):
    """Take a millisecond, so that the search of a board with 31 moves lasts as long as its limit."""
    time.sleep(0.001)
    return 0.0


SLOW_SEARCH = {"heuristic": slow, "engine": "readable", "limits": sl.Limits(expansions=150)}


class Notebook:
    """What IPython offers in the kernel of a notebook: it keeps what the outputs of cells show, one after another."""

    def __init__(self):
        self.shown, self.outputs, self.execution_count, self.kernel = [], 0, 1, object()
        self.display = SimpleNamespace(display=self.show)

    def get_ipython(self):
        return self

    def show(self, shown, *, raw, display_id):
        assert raw
        assert display_id
        self.shown.append(shown)
        self.outputs += 1
        return SimpleNamespace(update=lambda shown, raw: self.shown.append(shown))


@pytest.fixture
def notebook(monkeypatch):
    _output_of.cache_clear()  # of the cell of another test
    found = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", found)
    monkeypatch.setitem(sys.modules, "IPython.display", found.display)
    return found


@pytest.fixture
def soon(monkeypatch):
    """Show progress after a moment, and redraw it often."""
    monkeypatch.setattr(search_progress, "DELAY", 0.05)
    monkeypatch.setattr(search_progress, "REDRAWN_EVERY", 0.02)


def test_a_long_search_in_a_notebook_shows_a_bar_that_is_removed(notebook, soon):
    """The bar is the share of the limit."""
    result = sl.solve(BOARD, **SLOW_SEARCH)
    assert result.ended_by == "expansion-limit"
    *drawn, last = notebook.shown
    bars = [shown for shown in drawn if '<progress value="0.' in shown["text/html"]]
    assert bars
    assert " expanded · " in bars[-1]["text/plain"]
    assert last == {"text/html": "", "text/plain": ""}


def test_searches_of_one_cell_share_an_output(notebook, soon):
    """A loop of long searches must not fill the cell with empty outputs; the next cell has an output of its own."""
    with sl.searcher(domain="sliding-tile", heuristic=slow, engine="readable") as searcher:
        for result in searcher.many([BOARD, BOARD], limits=SLOW_SEARCH["limits"]):
            assert result.seconds > 0.1
        assert notebook.outputs == 1
        notebook.execution_count += 1
        searcher(BOARD, limits=SLOW_SEARCH["limits"])
    assert notebook.outputs == 2


def test_a_short_search_shows_nothing(notebook):
    """With the delay that users have: half a second."""
    sl.solve("sliding-tile/puzzle8-20", engine="readable")
    assert notebook.shown == []


def test_improvements_in_a_notebook_show_their_search(notebook, soon):
    """It goes on in a thread that the caller did not start."""
    for _ in sl.improvements(BOARD, **SLOW_SEARCH):
        pass
    assert any("<progress" in shown["text/html"] for shown in notebook.shown)


def test_searches_in_threads_of_the_user_show_nothing(notebook, soon):
    """Several at once would draw over each other."""
    thread = Thread(target=lambda: sl.solve(BOARD, **SLOW_SEARCH))
    thread.start()
    thread.join()
    assert notebook.shown == []


def test_progress_false_shows_nothing_in_a_notebook(notebook, soon):
    sl.solve(BOARD, progress=False, **SLOW_SEARCH)
    assert notebook.shown == []


def test_a_function_is_called_instead_of_the_bar(notebook, soon):
    taken = []
    sl.solve(BOARD, progress=taken.append, **SLOW_SEARCH)
    assert taken[-1].phase == "searching"
    assert notebook.shown == []


@pytest.mark.parametrize("wanted", [None, False])
def test_a_script_shows_nothing_unless_asked(wanted, soon, capsys):
    sl.solve(BOARD, progress=wanted, **SLOW_SEARCH)
    assert capsys.readouterr() == ("", "")


def test_a_script_prints_lines_on_request(monkeypatch, capsys):
    monkeypatch.setattr(search_progress, "EVERY", 0.15)
    sl.solve(BOARD, progress=True, **SLOW_SEARCH)
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("searchlab: 0.")
    assert " expanded · " in err


def test_a_terminal_redraws_a_line_on_request_and_clears_it(soon, monkeypatch, capsys):
    monkeypatch.setattr(search_progress, "can_redraw", lambda: True)
    sl.solve(BOARD, progress=True, **SLOW_SEARCH)
    err = capsys.readouterr().err
    assert err.startswith(CLEARED)
    assert "expanded" in err
    assert err.endswith(CLEARED)


def test_the_bar_is_removed_when_a_heuristic_fails(notebook, soon):
    calls = []

    def failing(tiles):
        calls.append(time.sleep(0.001))
        return 0.0 if len(calls) < 200 else 1 / 0

    assert sl.solve(BOARD, heuristic=failing, engine="readable").status == "error"
    assert notebook.outputs == 1
    assert notebook.shown[-1]["text/html"] == ""


class RecordedLine:
    """Takes the place of the line, and counts how often a search reports its progress."""

    made: ClassVar = []

    def __init__(self, limits):
        self.limits, self.reports, self.is_ended = limits, [], False
        self.made.append(self)

    def __call__(self, progress):
        self.reports.append(progress)

    def end(self):
        self.is_ended = True


@pytest.mark.parametrize(
    ("work", "states"),
    [
        (lambda: sl.distances("sliding-tile/example", keep=[1, 2, 3, 4]), 15_120),
        (lambda: sl.state_space(domain="2048:n=2,goal=16", engine="readable"), None),
        (lambda: sl.exact_values("2048-random:n=2"), 67),
        (lambda: sl.exact_values("2048-random:n=2", policy="greedy"), None),
    ],
    ids=["distances", "state_space", "exact_values", "policy"],
)
def test_other_long_work_shows_its_progress_in_the_same_way(work, states, notebook, monkeypatch):
    """Tables of distances and values know how many states there are; turned and mirrored boards count as one."""
    monkeypatch.setattr(RecordedLine, "made", [])
    monkeypatch.setattr(search_progress, "SearchLine", RecordedLine)
    monkeypatch.setattr("searchlab.search.watch.REPORT_EVERY", 0.0)
    work()
    assert RecordedLine.made[-1].reports[-1].states == states
    assert all(line.is_ended for line in RecordedLine.made)


def test_a_search_within_a_search_shows_nothing_of_its_own(notebook, soon):
    """As that of a heuristic, or of a table that a heuristic builds."""

    def searching(tiles):
        sl.solve(BOARD, heuristic=slow, engine="readable", limits=sl.Limits(expansions=100))
        return 0.0

    with sl.searcher(domain="sliding-tile", heuristic=searching, engine="readable") as outer:
        outer(BOARD, limits=sl.Limits(expansions=1))
    bars = [shown for shown in notebook.shown if "<progress" in shown["text/html"]]
    assert bars
    assert all(" 0 expanded" in bar["text/plain"] or " 1 expanded" in bar["text/plain"] for bar in bars)


def test_another_value_of_progress_is_an_error():
    with pytest.raises(sl.UsageError, match="progress is True, False or a function, not 'yes'"):
        sl.solve(BOARD, progress="yes")


def test_compiling_is_shown_with_its_time():
    line = SearchLine(Limits())
    line(Progress("compiling"))
    line(Progress("compiling"))  # another function
    assert line._text() == "compiling … 1 s (first time only)"
    line.end()
    assert progress_figures(Progress("compiling"), 4.2, Limits()) == ["compiling … 4 s (first time only)"]


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        (Limits(), None),
        (Limits(seconds=8), 0.25),
        (Limits(seconds=8, expansions=200), 0.5),
        (Limits(seconds=1), 1.0),
        (Limits(memory=1000), 0.3),
        (Limits(memory=0), None),
    ],
)
def test_the_bar_is_filled_by_the_limit_that_is_closest(limits, share):
    assert share_of_limits(Progress("searching", 2.0, 100, bytes=300), limits) == share
    assert share_of_limits(Progress("compiling"), limits) is None


def test_the_bar_of_a_table_is_filled_by_its_states():
    progress = Progress("searching", 2.0, 300, states=400)
    assert share_of_limits(progress, Limits(seconds=8)) == 0.75
    assert progress_figures(progress, 2.0, Limits())[:2] == ["2.0 s", "300 of 400 states expanded"]
