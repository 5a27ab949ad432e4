"""Compiling is announced, on a terminal and elsewhere, and does not count as time of a game or search."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import searchlab as sl
from searchlab.compiler import notice as notices
from searchlab.compiler.notice import CompileNotice, announced, compile_seconds
from searchlab.errors import standard_error
from searchlab.model.preparation import CompileProgress, listening

LINE = "compiling snake … 1 s (first time only)"


@pytest.fixture
def told(monkeypatch):
    """The lines that a process without a terminal prints, which has not compiled anything yet."""
    lines = []
    monkeypatch.setattr(notices, "_seconds", 0.0)
    monkeypatch.setattr(notices, "notice", CompileNotice(lambda: False, lines.append))
    return lines


def compile_for(seconds):
    with announced("snake"):
        time.sleep(seconds)


def test_without_a_terminal_long_compiling_is_announced_once(told, monkeypatch):
    """While the function is compiled."""
    monkeypatch.setattr(notices, "PATIENCE", 0.1)
    with announced("snake"):
        end = time.monotonic() + 10
        while not told and time.monotonic() < end:
            time.sleep(0.01)
    compile_for(0.2)
    assert told == [LINE]


@pytest.mark.parametrize(("given", "seconds"), [(None, 2.0), ("0.5", 0.5), ("inf", notices.LONGEST), ("soon", 2.0)])
def test_an_environment_variable_sets_the_time_before_a_notice(monkeypatch, given, seconds):
    if given is None:
        monkeypatch.delenv(notices.SECONDS_VARIABLE)
    else:
        monkeypatch.setenv(notices.SECONDS_VARIABLE, given)
    assert notices._patience() == seconds


def test_fast_compilations_are_not_announced(told):
    """Logs and documents stay as they are."""
    compile_for(0.0)
    assert told == []


@pytest.mark.slow
def test_many_quick_functions_are_announced_together(told, monkeypatch):
    monkeypatch.setattr(notices, "PATIENCE", 0.2)
    for _ in range(100):
        compile_for(0.01)
    assert told == [LINE]


def test_on_a_terminal_a_line_is_redrawn_and_removed(monkeypatch, capsys):
    """It shows the time of all that was compiled."""
    monkeypatch.setattr(notices, "SHORTEST_DELAY", 0.01)
    monkeypatch.setattr(standard_error, "REDRAWN_EVERY", 0.01)
    notice = CompileNotice(lambda: True)
    notice(CompileProgress("snake", "compiling", 3.4))
    time.sleep(0.8)
    notice(CompileProgress("snake", "compiled", 4.2))
    drawn = capsys.readouterr().err.split("\r\x1b[K")
    assert drawn[1] == "compiling snake … 3 s (first time only)"
    assert drawn[-2] == "compiling snake … 4 s (first time only)"
    assert drawn[-1] == ""


def test_a_listener_gets_the_notices_instead(told, monkeypatch):
    """At the beginning and the end of compiling, even after an error."""
    monkeypatch.setattr(notices, "PATIENCE", 0.0)
    seen = []
    with listening(seen.append), pytest.raises(ZeroDivisionError), announced("snake"):
        raise ZeroDivisionError
    assert [(progress.function, progress.phase) for progress in seen] == [("snake", "compiling"), ("snake", "compiled")]
    assert told == []


def test_the_time_of_the_compiler_is_not_that_of_a_game():
    """Here a player has something compiled for each move."""

    def slow(board, moves):
        with announced("slow"):
            time.sleep(0.2)
        return moves[0].action

    before = compile_seconds()
    game = sl.play(player=slow, most_moves=2)
    assert compile_seconds() - before >= 0.4
    assert game.seconds < 0.3


@pytest.mark.slow
def test_a_new_function_is_announced_and_a_cached_one_is_not():
    """The progress of a search has a phase for it."""
    factor = random.random()  # so that no earlier run of the test has compiled the function

    def mine(tiles):
        return tiles[0, 0] * factor

    phases = []
    for _ in range(2):
        sl.solve("2048/board10", heuristic=mine, progress=phases.append, limits=sl.Limits(expansions=1))
    assert [progress.phase for progress in phases if progress.phase == "compiling"] == ["compiling"] * len(phases)
    assert phases
    first = len(phases)
    sl.solve("2048/board10", heuristic=mine, progress=phases.append, limits=sl.Limits(expansions=1))
    assert len(phases) == first


def test_several_threads_may_compile():
    """The thread that follows one of them is not waited for before it runs."""
    notice = CompileNotice(redraws=lambda: False, tell=lambda line: None)

    def compile_some(_):
        for _ in range(200):
            notice(CompileProgress("mine", "compiling", 0.0))
            notice(CompileProgress("mine", "compiled", 0.0))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(compile_some, range(4)))
