"""The progress of an experiment, on a terminal, in a notebook and in a log."""

import io
import sys
import time
from collections import Counter
from types import SimpleNamespace

import pytest

import searchlab as sl
from searchlab.experiments.progress import (
    ExperimentState,
    RunDisplay,
    RunLines,
    print_line,
    run_figures,
    shown_progress,
    status_counts,
)
from searchlab.experiments.runs import Run, RunInstance
from searchlab.experiments.worker_pool import CurrentRun
from searchlab.model.preparation import CompileProgress


def state(**changes):
    """A state of an experiment, twenty seconds old."""
    run = Run(
        RunInstance("sliding-tile/puzzle15-40", None),
        {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "weighted-astar:weight=1.5"},
    )
    now = time.monotonic()
    return ExperimentState(
        **{
            **{
                "total": 1000,
                "kept": 100,
                "done": 400,
                "statuses": Counter(solved=480, error=20),
                "began": now - 20,
            },
            **{"under_way": [CurrentRun(run, now - 3)]},
            **changes,
        }
    )


def test_the_display_shows_counts_rate_and_remaining_time(monkeypatch):
    """It names the longest run; no line is wider than the terminal."""
    monkeypatch.setenv("COLUMNS", "60")
    display = RunDisplay()
    assert display.text() == "starting"
    display(state(stopping=True, waits_for="no machine is there"))
    lines = display.text().splitlines()
    assert "500 of 1,000 runs, 20/s" in lines[0]
    assert lines[1] == "solved 480 · error 20"
    assert lines[2].strip().startswith("3")
    assert "puzzle15-40 · taxicab · weighted" in lines[2]
    assert lines[3] == "no machine is there"
    assert lines[4].startswith("stopping")
    assert all(len(line) < 60 for line in lines)


def test_without_a_terminal_lines_are_printed_at_intervals(capsys, monkeypatch):
    lines = RunLines(print_line)
    lines(state())
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("searchlab.experiments.progress.EVERY", 0.0)
    lines(state())
    assert capsys.readouterr().err.startswith(
        "searchlab: 500 of 1,000 runs, 20/s, about 25 s left; solved 480 · error 20"
    )


def test_ctrl_c_is_acknowledged_once(capsys):
    lines = RunLines(print_line)
    lines(state(stopping=True))
    lines(state(stopping=True))
    assert capsys.readouterr().err == "searchlab: stopping: what runs is finished (Ctrl-C again stops now)\n"


def test_compiling_is_shown_with_its_run(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    current = state().under_way[0]
    current.note(CompileProgress("taxicab", "compiling", 2.5))
    display = RunDisplay()
    display(state(under_way=[current]))
    assert display.text().splitlines()[2].strip().endswith(" · compiling taxicab … 2 s (first time only)")
    current.compiling_since -= 10
    current.note(CompileProgress("taxicab", "compiled", 12.5))
    assert time.monotonic() - current.since < 0
    assert "compiling" not in display.text()


def test_without_a_terminal_long_compiling_is_printed_once(capsys, monkeypatch):
    monkeypatch.setattr("searchlab.compiler.notice.PATIENCE", 2.0)
    current = state().under_way[0]
    lines = RunLines(print_line)
    for seconds in (0.1, 2.5, 3.5):
        current.note(CompileProgress("taxicab", "compiling", seconds))
        lines(state(under_way=[current]))
    assert capsys.readouterr().err == "searchlab: compiling taxicab … 2 s (first time only)\n"


def test_the_remaining_time_is_not_estimated_too_early():
    """Nor at the end, or when the experiment stops."""
    now = time.monotonic()
    assert run_figures(state(began=now - 1), now) == "500 of 1,000 runs"
    assert run_figures(state(kept=600), now).endswith("/s")
    assert run_figures(state(stopping=True), now).endswith("/s")
    assert status_counts(state(statuses=Counter())) == ""


class Notebook:
    """What IPython offers in the kernel of a notebook, as far as it is used: it keeps what a cell shows."""

    def __init__(self):
        self.shown = []
        self.display = SimpleNamespace(display=self.show)

    def get_ipython(self):
        return SimpleNamespace(kernel=object())

    def show(self, shown, *, raw, display_id):
        assert raw
        assert display_id
        self.shown.append(shown)
        return SimpleNamespace(update=lambda shown, raw: self.shown.append(shown))


@pytest.fixture
def notebook(monkeypatch):
    found = Notebook()
    monkeypatch.setitem(sys.modules, "IPython", found)
    monkeypatch.setitem(sys.modules, "IPython.display", found.display)
    return found


def test_in_a_notebook_a_bar_is_updated_and_the_outcome_stays(notebook, monkeypatch):
    """As plain HTML and text; what was skipped is said with its reason."""
    monkeypatch.setattr("searchlab.experiments.progress.REFRESHES", 1e9)
    with shown_progress(None, skipped=["skipped: 2 combinations: <b> is no score"]) as watch:
        watch(state())
        watch(state(kept=900, done=100))
    first, _, last = notebook.shown
    assert '<progress value="0.5000" max="1"' in first["text/html"]
    assert first["text/plain"].startswith("500 of 1,000 runs, 20/s")
    assert "<progress" not in last["text/html"]
    assert last["text/plain"].startswith("1,000 runs in 20 s, 900 done before, all done\nsolved 480 · error 20\n")
    assert "2 combinations: &lt;b&gt; is no score" in last["text/html"]


def test_a_notebook_is_not_drawn_more_often_than_can_be_seen(notebook):
    """Every drawing is a message to the browser; what is left after an interruption is said."""
    with shown_progress(None) as watch:
        for _ in range(100):
            watch(state(stopping=True))
    assert len(notebook.shown) < 10
    assert "500 left: run it again to continue" in notebook.shown[-1]["text/plain"]


@pytest.mark.parametrize(("wanted", "said"), [(None, ""), (False, ""), (True, "searchlab: 500 of 1,000 runs")])
def test_without_a_terminal_progress_is_printed_only_on_request(wanted, said, capsys, monkeypatch):
    monkeypatch.setattr("searchlab.experiments.progress.EVERY", 0.0)
    with shown_progress(wanted) as watch:
        watch(state())
    err = capsys.readouterr().err
    assert err.startswith(said)
    assert bool(err) == bool(said)


def test_each_wait_of_runs_is_printed_once():
    lines = []
    watch = RunLines(lines.append)
    for waits_for in ("", "no machine", "no machine", "", "no machine"):
        watch(state(waits_for=waits_for))
    assert lines == ["no machine", "no machine"]


def test_progress_false_prints_nothing(notebook, monkeypatch):
    """Neither on a terminal nor in a notebook."""
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with shown_progress(False) as watch:
        watch(state())
    assert (terminal.getvalue(), notebook.shown) == ("", [])


def test_run_calls_a_function_with_the_state(tmp_path):
    """In place of a display; the last state is that of the end."""
    states = []
    experiment = sl.Experiment(boards=["2048/board10"], engine="readable")
    table = sl.run(experiment, folder=tmp_path / "one", workers=1, progress=lambda state: states.append(state.done))
    assert (states[-1], len(table)) == (1, 1)
