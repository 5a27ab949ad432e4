"""One thread looks after all searches of a process, and there is none where nothing is searched."""

import _thread
import gc
import subprocess
import sys
import threading
import time
import weakref

import pytest

from searchlab.model.limits import Limits
from searchlab.search import watchdog
from searchlab.search.limits import Watch
from searchlab.search.watchdog import Watchdog, patrol

LONG = 20.0
"""Seconds after which a test that waits for the patrol has failed."""
FORKS = """
import os, signal, sys, time
from searchlab.search import watchdog
from searchlab.model.limits import Limits
from searchlab.search.limits import Watch
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


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A watchdog that need not be waited for."""
    monkeypatch.setattr(watchdog, "GRACE", 0.2)


def run(program):
    """Run a program in a process of its own; return what it printed."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


def bitten(seconds=0.0, bite=lambda: None):
    """Let a search hang that may take so long; return whether it was bitten."""
    happened = threading.Event()

    def bites(status, why):
        happened.set()
        bite()

    with Watchdog(Watch(Limits(seconds=seconds)), bites):
        return happened.wait(LONG if seconds == 0 else 0.5)


def test_loading_the_searches_starts_no_thread():
    """`searchlab --help` and its like have none."""
    assert run("import _thread, searchlab.search.solving, searchlab.experiments.worker; print(_thread._count())") == "0"


def test_many_searches_have_one_thread():
    """Starting one costs more than a short search."""
    assert bitten()
    before = _thread._count()
    for _ in range(20):
        with Watchdog(Watch(Limits()), lambda *_: None):
            assert _thread._count() == before


def test_it_sleeps_where_nothing_is_searched_and_wakes_for_the_next():
    """However long ago the last search was."""
    assert bitten()
    ends = time.monotonic() + LONG
    while not patrol()._sleeps and time.monotonic() < ends:
        time.sleep(0.01)
    assert patrol()._sleeps
    assert bitten()


def test_a_search_that_is_over_is_kept_by_nobody():
    """Nor does it wait for the collector of cycles."""
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


def test_of_several_searches_the_one_that_hangs_is_bitten():
    """In threads of one process."""
    found = {}
    threads = [
        threading.Thread(target=lambda seconds=seconds: found.update({seconds: bitten(seconds)}))
        for seconds in (0, 1000)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: True, 1000: False}


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no processes are forked here")
def test_a_process_that_is_forked_off_has_a_patrol_of_its_own():
    """And its Ctrl-C is not taken for its parent's."""
    assert run(FORKS) == "7"
