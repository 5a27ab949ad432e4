"""The progress of a search: a bar in a notebook, a line on request elsewhere, nothing for a short search."""

import sys
import time
from threading import Thread
from types import SimpleNamespace

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
