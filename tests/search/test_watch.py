"""Limits are read as people write them, and a search that reaches one ends there with its figures."""

import os
import signal
import subprocess
import sys
import time
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.model.limits import parse_bytes, parse_seconds
from searchlab.search.watch import Watch, available_memory, resident_bytes

ENDLESS = """
import signal, sys
import searchlab as sl

def said(progress):
    print("searching", flush=True)

result = sl.solve(domain="2048:goal=65536", frontier="breadth-first", engine="readable", progress=said)
print(result.status, result.expanded > 0, result.moves, flush=True)
"""


def line(length):
    """A graph in which 0 … length follow each other."""
    return {state: [state + 1] for state in range(length)}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("500ms", 0.5),
        ("10s", 10),
        ("2m", 120),
        ("2min", 120),
        ("1h", 3600),
        ("7", 7),
        ("1.5", 1.5),
        (".5s", 0.5),
        ("1.", 1),
        (" 3 s ", 3),
        ("3S", 3),
        ("0", 0),
    ],
)
def test_times_are_read_with_their_units(text, seconds):
    """A bare number is seconds."""
    assert parse_seconds(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("200MiB", 200 * 2**20),
        ("2GiB", 2 * 2**30),
        ("1.5kib", 1536),
        ("1TiB", 2**40),
        ("500MB", 500 * 10**6),
        ("3kB", 3000),
        ("2gb", 2 * 10**9),
        ("17", 17),
        ("17b", 17),
        ("0", 0),
    ],
)
def test_amounts_of_memory_are_read_with_their_units(text, amount):
    """A bare number is bytes; KiB counts in 1024s, kB in thousands."""
    assert parse_bytes(text) == amount


@pytest.mark.parametrize("text", ["", "s", "ten", "-1", "1e3", "10x", "1 2", "nan", "inf", "9" * 400, "1,5", "10 GiB"])
def test_an_invalid_time_is_refused(text):
    """With examples of how to write one."""
    with pytest.raises(sl.UsageError, match="is not a time; write for example 500ms, 10s or 2m"):
        parse_seconds(text)


def test_a_time_that_no_timer_holds_is_refused():
    assert parse_seconds("876000h") == 876_000 * 3600
    with pytest.raises(sl.UsageError, match=r"^'876001h' is too long: a time is at most 100 years$"):
        parse_seconds("876001h")


@pytest.mark.parametrize("text", ["", "MiB", "much", "-1", "1e3", "10s", "nan", "inf", "9" * 400, "0x10"])
def test_an_invalid_amount_of_memory_is_refused(text):
    """With examples of how to write one."""
    with pytest.raises(sl.UsageError, match="is not an amount of memory; write for example 200MiB or 2GiB"):
        parse_bytes(text)


@given(st.integers(0, 2**50))
def test_whole_numbers_are_read_exactly(number):
    """No byte is lost."""
    assert parse_bytes(str(number)) == number


@pytest.mark.parametrize("limits", [{"seconds": -1}, {"seconds": nan}, {"memory": -1}, {"expansions": -1}])
def test_negative_limits_are_refused(limits):
    """A negative limit, or one that is no number, is a mistake."""
    with pytest.raises(sl.UsageError, match="0 or more"):
        sl.Limits(**limits)


@pytest.mark.parametrize("limits", [{"memory": 2**63}, {"expansions": 10**20}])
def test_limits_of_more_than_63_bits_are_refused(limits):
    """Neither a kernel nor a file of results holds them."""
    with pytest.raises(sl.UsageError, match=r"is at most 2\^63 - 1, not"):
        sl.Limits(**limits)


def test_without_limits_a_search_may_take_half_of_the_memory_available():
    """Time and expansions are unlimited, memory is not."""
    watch = Watch(sl.Limits())
    assert 0.4 * available_memory() < watch.memory < 0.6 * available_memory()
    assert (watch.limits.seconds, watch.expansions > 2**60) == (inf, True)


def test_granted_memory_adds_to_the_share_of_the_rest():
    """A learner says what it needs; a limit that was given holds all the same."""
    there, size = available_memory(), available_memory() // 2
    watch = Watch(sl.Limits())
    watch.grant(size)
    assert size + 0.4 * (there - size) < watch.memory < size + 0.6 * (there - size)
    watch = Watch(sl.Limits(memory=1000))
    watch.grant(size)
    assert watch.memory == 1000


@pytest.mark.parametrize("frontier", ["astar", "greedy", "uniform-cost", "breadth-first", "depth-first", "ida-star"])
@pytest.mark.parametrize("most", [0, 1, 3])
def test_the_limit_of_expansions_is_exact(graph, frontier, most):
    """The number of nodes allowed is expanded and not one more."""
    tried = graph(line(9), goals={9})
    result = tried.solve(frontier, {state: 9 - state for state in range(9)}, limits=sl.Limits(expansions=most))
    assert (result.status, result.expanded, len(tried.taken)) == ("expansion-limit", most, most)


def test_a_search_that_ends_at_its_limit_has_not_reached_it(graph):
    """Solved or exhausted with the last expansion allowed, it says so."""
    limits = sl.Limits(expansions=3)
    assert graph(line(3), goals={3}).solve("astar", limits=limits).status == "solved"
    assert graph(line(2)).solve("astar", limits=limits).status == "unsolvable"


def test_a_limit_of_time_ends_a_search(graph):
    """Soon after it, with the figures so far and no solution."""
    limits = sl.Limits(seconds=0.05)
    result = sl.solve(domain="2048:goal=65536", frontier="breadth-first", engine="readable", limits=limits)
    assert result.status == "time-limit"
    assert result.expanded > 0
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())
    assert result.seconds >= 0.05
    assert graph(line(3)).solve("astar", limits=sl.Limits(seconds=0)).expanded == 0


def test_a_limit_of_memory_ends_a_search():
    """Far below what it wants the process survives, and what it held is about what it was allowed."""
    limits = sl.Limits(memory=200_000)
    result = sl.solve(domain="2048:goal=65536", frontier="breadth-first", engine="readable", limits=limits)
    assert result.status == "memory-limit"
    assert 200_000 < result.peak_bytes < 220_000
    assert result.stored > 100


def test_progress_is_reported_during_a_search(graph):
    """Every tenth of a second or so: seconds, expansions, the best value as the heuristic gives it."""
    calls = []

    def slow():
        time.sleep(0.06)
        return 50

    tried = graph(line(6))
    tried.solve("greedy", h=tried.heuristic(dict.fromkeys(range(7), slow), prefer="high"), progress=calls.append)
    assert 2 <= len(calls) <= 7
    assert {call.phase for call in calls} == {"searching"}
    assert {call.best for call in calls} == {50}
    assert [call.expanded for call in calls] == sorted(call.expanded for call in calls)
    assert calls[-1].seconds > 0.2
    assert calls[-1].bytes > 0


@pytest.mark.parametrize("frontier", ["greedy", "ida-star"])
def test_ctrl_c_ends_a_search_with_its_figures(graph, frontier):
    """The status is `interrupted`, and afterwards Ctrl-C works as before."""
    handler = signal.getsignal(signal.SIGINT)
    tried = graph(line(9))

    def interrupt():
        signal.raise_signal(signal.SIGINT)
        return 1

    result = tried.solve(frontier, {5: interrupt})
    assert (result.status, result.moves) == ("interrupted", None)
    assert result.expanded > 0
    assert 9 not in tried.taken
    assert signal.getsignal(signal.SIGINT) is handler


def test_a_second_ctrl_c_does_not_wait(graph):
    """Where the heuristic hangs, pressing again leaves at once."""
    handler = signal.getsignal(signal.SIGINT)

    def hang():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        return 1

    with pytest.raises(KeyboardInterrupt):
        graph(line(9)).solve("greedy", {5: hang})
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process")
def test_ctrl_c_ends_a_search_in_another_process():
    """A real SIGINT while it searches: the result is there, and the process goes on."""
    process = subprocess.Popen([sys.executable, "-c", ENDLESS], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "searching\n"
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert said.splitlines()[-1] == "interrupted True None"
    assert process.returncode == 0


def test_outside_the_main_thread_a_search_works_without_ctrl_c(graph):
    """A notebook's or a server's thread may search too."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor() as pool:
        result = pool.submit(graph(line(3), goals={3}).solve, "astar").result()
    assert result.status == "solved"


def test_seconds_cover_the_search_alone(graph):
    """Wall time and processor time are measured around the loop alone."""
    tried = graph(line(3), goals={3})
    result = tried.solve("greedy", {2: lambda: time.sleep(0.5) or 0})
    assert 0 < result.cpu_seconds < 0.5 <= result.seconds


def test_ctrl_c_that_is_ignored_stays_ignored():
    """As of what a shell runs in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with Watch(sl.Limits()):
            assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_file_cache_of_a_container_counts_as_available(tmp_path, monkeypatch):
    for name, content in (
        ("memory.max", f"{2**28}\n"),
        ("memory.current", f"{2**27}\n"),
        ("memory.stat", f"anon 4096\ninactive_file {2**26}\n"),
    ):
        (tmp_path / name).write_text(content)
    container = tmp_path, "memory.max", "memory.current", "inactive_file"
    monkeypatch.setattr("searchlab.search.watch.CONTAINERS", (container,))
    assert available_memory() == 2**27 + 2**26
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() > 2**28


def test_mapped_files_do_not_count_as_memory_of_the_process(tmp_path):
    file = tmp_path / "table"
    with file.open("wb") as empty:
        empty.truncate(2**26)
    before = resident_bytes()
    mapped = np.memmap(file, np.uint8, "r")
    assert int(mapped[::4096].sum()) == 0
    assert resident_bytes() - before < 2**24
    own = np.ones(2**23)
    assert resident_bytes() - before > 0.9 * own.nbytes
