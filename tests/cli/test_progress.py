"""The progress of a search on a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time

import searchlab as sl
from searchlab.cli import progress as progress_display
from searchlab.cli.output import tell
from searchlab.cli.process import report_end
from searchlab.cli.progress import (
    SearchDisplay,
    SearchNotices,
    evaluated_now,
    evaluation_progress,
    search_notice,
    search_progress,
)
from searchlab.compiler import notice
from searchlab.compiler.notice import announced
from searchlab.errors.standard_error import CLEARED, redraw
from searchlab.model.limits import Limits, Progress
from searchlab.model.preparation import CompileProgress
from searchlab.search.progress import progress_figures

SLOW = "import time\n\ndef slow(tiles):\n    time.sleep(0.002)\n    return 0.0\n"
ENDLESS = "import time\n\ndef endless(tiles):\n    while True:\n        time.sleep(0.01)\n"


def test_the_line_has_the_figures_of_the_search():
    """Time and limit, nodes, rate, best value and memory, within 80 columns."""
    progress = Progress("searching", 2.0, 2_830_000, 2_490_000, 8.8123, 438_000_000)
    said = progress_figures(progress, 2.04, Limits(seconds=10))
    assert said == ["2.0 s of 10 s", "2.83 M expanded", "1.42 M/s", "2.49 M open", "best h 8.81", "418 MiB"]
    assert len(" · ".join(said)) <= 80


def test_quick_searches_show_nothing(monkeypatch):
    """The display begins only when a search has run for a moment."""
    display = SearchDisplay(Limits())
    display(Progress("searching", 0.1))
    display.clear()
    assert "rich.live" not in sys.modules or display._live is None


def test_a_search_without_figures_is_shown_as_starting(monkeypatch, capsys):
    monkeypatch.setattr(progress_display, "DELAY", 0.02)
    display = SearchDisplay(Limits())
    display.start()
    time.sleep(0.1)
    drawn = capsys.readouterr().err
    assert drawn.startswith(f"{CLEARED}starting 0.")
    display.clear()
    assert capsys.readouterr().err.endswith(CLEARED)


def test_progress_goes_to_the_terminal_and_json_to_the_pipe(write, read_to_end):
    """On a terminal the line is drawn on standard error and is gone at the end; standard output is untouched."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "searchlab", "solve", "--heuristic", f"{write('slow.py', SLOW)}:slow"]
    command += ["--engine", "readable", "--time-limit", "800ms", "--json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment)
    out, _ = process.communicate(timeout=120)
    os.close(theirs)
    drawn = read_to_end(ours)
    assert process.returncode == 3
    assert out.startswith('{"status": "time-limit"')
    assert " of 800 ms · " in drawn
    assert "expanded" in drawn
    assert drawn.rstrip().endswith("\x1b[2K")


def test_a_hanging_heuristic_is_shown_with_its_board_and_ended_by_ctrl_c(write, read_to_end):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "searchlab", "evaluate", "2048/start"]
    command += ["--heuristic", f"{write('endless.py', ENDLESS)}:endless"]
    process = subprocess.Popen(command, stderr=theirs, env={**os.environ, "TERM": "xterm", "COLUMNS": "80"})
    os.close(theirs)
    drawn = b""
    while b"heuristic endless on " not in drawn:
        drawn += os.read(ours, 1000)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    said = read_to_end(ours)
    assert "searchlab: interrupted: heuristic endless on 2048/start" in said


def test_hung_compiled_code_names_the_current_evaluation(capsys):
    """The thread that ends the process reports it; without Ctrl-C, the reason is that of the limit."""
    with evaluation_progress() as show:
        show(lambda: "heuristic h on board 7 of 9")
        assert report_end("interrupted", "a compiled function did not return") == 130
        assert report_end("memory-limit", "a compiled function did not return") == 3
    first, second = capsys.readouterr().err.splitlines()
    assert first == "searchlab: error: interrupted: heuristic h on board 7 of 9"
    assert "a compiled function did not return" in second
    assert evaluated_now() == ""


def test_a_message_clears_the_line_that_is_redrawn(capsys):
    """Or it would stand behind it."""
    redraw("heuristic h on 2048/start")
    tell("warning")
    assert capsys.readouterr().err.endswith(f"{CLEARED}searchlab: warning\n")


def test_a_cleared_line_is_drawn_again():
    """Rows of a table are written between two drawings."""
    display = SearchDisplay(Limits())
    display.prepare(CompileProgress("snake", "compiling", 1.2))
    assert display._live is not None
    assert display._text() == "compiling snake … 1 s (first time only)"
    display.prepare(CompileProgress("snake", "compiled", 1.3))
    assert display._text().startswith("starting ")
    display.clear()
    assert display._live is None
    display(Progress("searching", 0.1))
    assert display._live is None
    display._shown_since -= 1
    display(Progress("searching", 1.1))
    assert display._live is not None
    display.clear()


def test_without_a_terminal_long_compiling_is_announced(monkeypatch):
    told = []
    monkeypatch.setattr(notice, "notice", told.append)
    board = sl.Board([[1, 2], [0, 3]])

    def successors(board):
        with announced("expand"):
            return []

    domain = sl.Domain("still", successors, lambda board: False)
    with search_progress(Limits()) as progress:
        sl.solve(board, domain=domain, frontier="breadth-first", progress=progress, engine="readable")
    assert {(one.function, one.phase) for one in told} == {("expand", "compiling"), ("expand", "compiled")}


def test_without_a_terminal_a_long_search_prints_notices_at_growing_intervals(capsys):
    """With its memory, and the options that limit it."""
    notices = SearchNotices(Limits())
    for tenths in range(1000):
        notices(Progress("searching", tenths / 10, 24_100_000, bytes=2**30))
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        f"searchlab: still searching after {seconds}: 24.1 M expanded, 1 GiB of memory held; "
        "Ctrl-C ends it, --time-limit and --memory-limit would limit it"
        for seconds in ("10 s", "30 s", "1 min 30 s")
    ]


def test_a_limit_that_was_given_is_not_recommended():
    """What is missing is."""
    progress = Progress("searching", 10.0, 1000, bytes=2**20)
    assert search_notice(progress, Limits(60)).startswith("still searching after 10 s of 1 min: ")
    assert search_notice(progress, Limits(60)).endswith("; Ctrl-C ends it, --memory-limit would limit it")
    assert search_notice(progress, Limits(60, 2**30)).endswith("held; Ctrl-C ends it")
