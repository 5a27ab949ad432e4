"""A plugin's function that does not return is noticed, and ends what waits for it; nothing else does."""

import _thread
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from math import inf

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.errors import alarm
from searchlab.errors.suspension import suspended
from searchlab.model.limits import Limits
from searchlab.search import watchdog
from searchlab.search.call_stack import location
from searchlab.search.watch import Watch
from searchlab.search.watchdog import UNCAUGHT, Watchdog, watchdog_thread

LONG = 20.0
"""Seconds after which a test that waits for the watchdog has failed."""


class OnTimeout:
    """Takes what a watchdog says, and lets what hangs go on."""

    def __init__(self):
        self.said = []
        self._called = threading.Event()

    def __call__(self, status, why):
        self.said.append((status, why))
        self._called.set()

    def hang(self, seconds=LONG):
        """Do what a plugin's function does that does not return, until the watchdog calls this."""
        return self._called.wait(seconds)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A watchdog that need not be waited for."""
    monkeypatch.setattr(watchdog, "GRACE", 0.2)


def watched(hang, allowed=None, watch=None):
    """Let something hang under a watchdog; return what it said."""
    on_timeout = OnTimeout()
    with Watchdog(watch or Watch(allowed or Limits()), on_timeout):
        hang(on_timeout)
    return on_timeout.said


def test_a_search_that_exceeds_its_time_is_ended():
    """The status is that of the limit, and it is said where the search hangs."""
    ((status, why),) = watched(OnTimeout.hang, Limits(seconds=0.05))
    assert status == "time-limit"
    assert why.endswith("did not return")


def test_a_search_that_ends_is_left_alone():
    """It may take its grace, and a limit that has not been reached is none."""
    assert watched(lambda _: None, Limits(seconds=0)) == []
    assert watched(lambda on_timeout: on_timeout.hang(0.6), Limits(seconds=inf)) == []


def test_compiling_and_loading_do_not_count():
    """The first search on a machine compiles for seconds, and is not hung."""

    def compiles(on_timeout):
        with suspended():
            on_timeout.hang(0.8)

    assert watched(compiles, Limits(seconds=0.05)) == []


def test_time_begins_to_count_when_the_search_begins():
    """What is prepared before may take as long again."""
    watch = Watch(Limits(seconds=0.5))

    def prepares(on_timeout):
        on_timeout.hang(0.55)
        watch.begin()
        on_timeout.hang(0.55)

    assert watched(prepares, watch=watch) == []


def test_an_ignored_ctrl_c_ends_the_search_after_a_grace_period():

    def interrupted(on_timeout):
        os.kill(os.getpid(), signal.SIGINT)
        on_timeout.hang()

    watch = Watch(Limits())
    with watch:
        ((status, _),) = watched(interrupted, watch=watch)
    assert status == "interrupted"


def test_a_second_ctrl_c_ends_the_search_at_once(monkeypatch):
    """Who presses twice wants out."""
    monkeypatch.setattr(watchdog, "GRACE", 1000.0)
    on_timeout = OnTimeout()
    watch = Watch(Limits())

    def presses_twice():
        with watch, Watchdog(watch, on_timeout):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
            on_timeout.hang()

    with pytest.raises(KeyboardInterrupt):
        presses_twice()
    assert [status for status, _ in on_timeout.said] in ([], ["interrupted"])  # Python may have been quicker


def test_a_search_beyond_its_memory_may_end_by_itself(monkeypatch):
    """A search that asks ends in order; one that does not is ended."""
    monkeypatch.setattr("searchlab.search.watch.LEAST_GROWTH", 2**20)
    monkeypatch.setattr(watchdog, "GRACE_FOR_MEMORY", 0.5)
    held = []
    watch = Watch(Limits(memory=2**20))

    def eats(on_timeout):
        held.append(bytearray(os.urandom(2**20) * 64))
        ends = time.monotonic() + LONG
        while not watch.stop(watch.statistics) and time.monotonic() < ends:
            time.sleep(0.01)

    assert watched(eats, watch=watch) == []
    assert watch.stop(watch.statistics) == "memory-limit"
    held.clear()

    def eats_and_hangs(on_timeout):
        held.append(bytearray(os.urandom(2**20) * 64))
        on_timeout.hang()

    ((status, _),) = watched(eats_and_hangs, Limits(memory=2**20))
    assert status == "memory-limit"


@pytest.fixture
def resident(monkeypatch):
    """What the process is said to occupy, in `resident[0]`."""
    resident = [0]
    for module in ("watchdog", "watch"):
        monkeypatch.setattr(f"searchlab.search.{module}.resident_bytes", lambda: resident[0])
    return resident


def test_memory_beyond_the_limit_takes_precedence_over_time(resident, monkeypatch):
    monkeypatch.setattr(watchdog, "GRACE_FOR_MEMORY", 1000.0)

    def eats(on_timeout):
        resident[0] = 2**40
        on_timeout.hang()

    ((status, why),) = watched(eats, Limits(seconds=0))
    assert status == "memory-limit"
    assert why.endswith("did not return; the process took 1024.0 GiB")


def test_a_late_check_reports_the_memory_limit(resident, monkeypatch):
    """A function may keep all other threads from running."""
    monkeypatch.setattr(Watchdog, "check", lambda dog, interrupts: None)
    watch = Watch(Limits(seconds=0))
    told = []

    def eats(on_timeout):
        told.append(watch.stop(watch.statistics))
        resident[0] = 2**40
        told.append(watch.stop(watch.statistics))

    assert watched(eats, watch=watch) == []
    assert told == ["time-limit", "memory-limit"]


def test_the_memory_of_a_hanging_search_is_reported(resident):

    def eats_slowly(on_timeout):
        resident[0] = 2**29
        on_timeout.hang()

    ((status, why),) = watched(eats_slowly, Limits(seconds=0, memory=2**40))
    assert status == "time-limit"
    assert why.endswith("did not return; the process took 0.5 GiB")


def test_memory_taken_before_a_search_does_not_count(resident):
    watch = Watch(Limits())

    def prepares(on_timeout):
        with suspended():
            resident[0] = 2**40
            with watch:
                pass
        on_timeout.hang(0.5)

    assert watched(prepares, watch=watch) == []


def test_the_reported_place_is_in_a_plugin_and_not_in_a_library():
    """A function that hangs in the standard library is the plugin's all the same."""

    def waits():
        threading.Event().wait(0.3)

    found = []
    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(0.1)
    import sys

    found.append(location(sys._current_frames().get(thread.ident)))
    thread.join()
    assert found[0].startswith("waits (")
    assert "compiled" in location(None)


def test_the_wakeup_descriptor_of_signals_is_restored():
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    watched(lambda _: None)
    after = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(after)
    assert after == before


CANNOT_REPORT = """
import time
from searchlab.search import watchdog
from searchlab.model.limits import Limits
from searchlab.search.watch import Watch

def on_timeout(status, why):
    raise RuntimeError("no way to tell")

watchdog.GRACE = 0.1
with watchdog.Watchdog(Watch(Limits(seconds=0.05)), on_timeout):
    time.sleep(600)
"""


def test_a_process_ends_even_if_the_outcome_cannot_be_reported():
    done = subprocess.run([sys.executable, "-c", CANNOT_REPORT], capture_output=True, text=True, timeout=120)
    assert done.returncode == UNCAUGHT
    assert "no way to tell" in done.stderr


def test_ctrl_c_does_not_cut_off_the_outcome():
    """The search waits for a sign; then Ctrl-C means what it does elsewhere."""
    told = []

    def on_timeout(status, why):
        signal.raise_signal(signal.SIGINT)  # the main thread hears of it while it waits
        time.sleep(0.3)
        told.append(status)

    def search():
        with Watchdog(Watch(Limits(seconds=0.05)), on_timeout) as dog:
            while not dog._is_over:
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        search()
    assert told == ["time-limit"]


def test_a_program_that_uses_searchlab_has_no_alarm(capsys):
    """Neither by the command line, called as a function, nor by a search: nothing ever ends the caller's process."""
    assert main(["solve", "2048/board10", "--engine", "readable", "--moves-only"]) == 0
    assert capsys.readouterr().out == "down down down\n"
    assert sl.solve(sl.read_board("2048/board10"), engine="readable").status == "solved"
    assert not alarm._is_set_up


FORKS = """
import os, signal, sys, time
from searchlab.search import watchdog
from searchlab.model.limits import Limits
from searchlab.search.watch import Watch
from searchlab.search.watchdog import Watchdog

def searches(seconds, code):
    return Watchdog(Watch(Limits(seconds=seconds)), lambda status, why: os._exit(code))

watchdog.GRACE = 0.2
signal.signal(signal.SIGINT, lambda *_: None)
with searches(1000, 8) as searching:
    child = os.fork()
    if not child:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        searching.__exit__()
        with searches(0, 7):
            time.sleep(60)
        os._exit(9)
    _, status = os.waitpid(child, 0)
    time.sleep(0.3)
print(os.waitstatus_to_exitcode(status))
"""


def run(program):
    """Run a program in a process of its own; return its output."""
    # From Python 3.12 on a program that forks beside threads, as one does here, is warned.
    python = [sys.executable, "-W", "ignore::DeprecationWarning"]
    done = subprocess.run([*python, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def times_out(seconds=0.0):
    """Let a search hang that may take so long; return whether its watchdog acted."""
    happened = threading.Event()
    with Watchdog(Watch(Limits(seconds=seconds)), lambda *_: happened.set()):
        return happened.wait(LONG if seconds == 0 else 0.5)


def test_loading_the_searches_starts_no_thread():
    """`searchlab --help` and its like have none."""
    assert run("import _thread, searchlab.search.solve, searchlab.experiments.worker; print(_thread._count())") == "0"


def test_many_searches_have_one_thread():
    """Starting one costs more than a short search."""
    assert times_out()
    before = _thread._count()
    for _ in range(20):
        with Watchdog(Watch(Limits()), lambda *_: None):
            assert _thread._count() == before


def test_the_watchdog_thread_sleeps_between_searches():
    assert times_out()
    ends = time.monotonic() + LONG
    while watchdog_thread()._woken.is_set() and time.monotonic() < ends:
        time.sleep(0.01)
    assert not watchdog_thread()._woken.is_set()
    assert times_out()


def test_a_finished_search_is_released_at_once():
    gc.disable()
    try:
        watch = Watch(Limits())
        kept = weakref.ref(watch)
        with Watchdog(watch, lambda *_: None):
            time.sleep(0.1)
        del watch
        ends = time.monotonic() + LONG
        while kept() and time.monotonic() < ends:  # a round may be under way
            time.sleep(0.01)
        assert kept() is None
    finally:
        gc.enable()


def test_only_the_hanging_one_of_several_searches_is_ended():
    """In threads of one process."""
    found = {}
    threads = [
        threading.Thread(target=lambda seconds=seconds: found.update({seconds: times_out(seconds)}))
        for seconds in (0, 1000)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: True, 1000: False}


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no processes are forked here")
def test_a_forked_process_has_a_separate_watchdog_thread():
    """Its Ctrl-C does not reach its parent."""
    assert run(FORKS) == "7"
