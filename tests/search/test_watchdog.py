"""A search whose plugin does not return is noticed by a thread of its own, and nothing else is."""

import os
import signal
import subprocess
import sys
import threading
import time
from math import inf

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.compiler.excuses import excused
from searchlab.model.limits import Limits
from searchlab.search import limits, watchdog
from searchlab.search.limits import Watch
from searchlab.search.watchdog import Watchdog

LONG = 20.0
"""Seconds after which a test that waits for the watchdog has failed."""


class Bites:
    """Takes what a watchdog says, and lets what hangs go on."""

    def __init__(self):
        self.said = []
        self._bitten = threading.Event()

    def __call__(self, status, why):
        self.said.append((status, why))
        self._bitten.set()

    def hang(self, seconds=LONG):
        """Do what a plugin's function does that does not return, until the watchdog bites."""
        return self._bitten.wait(seconds)


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """A watchdog that need not be waited for."""
    monkeypatch.setattr(watchdog, "GRACE", 0.2)


def watched(hang, allowed=None, watch=None):
    """Let something hang under a watchdog; return what it said."""
    bites = Bites()
    with Watchdog(watch or Watch(allowed or Limits()), bites):
        hang(bites)
    return bites.said


def test_a_search_that_does_not_end_with_its_time_is_bitten():
    """The status is that of the limit, and it is said where the search hangs."""
    ((status, why),) = watched(Bites.hang, Limits(seconds=0.05))
    assert status == "time-limit"
    assert why.endswith("did not return")


def test_a_search_that_ends_is_left_alone():
    """It may take its grace, and a limit that has not been reached is none."""
    assert watched(lambda _: None, Limits(seconds=0)) == []
    assert watched(lambda bites: bites.hang(0.6), Limits(seconds=inf)) == []


def test_what_is_compiled_and_loaded_does_not_count():
    """The first search on a machine compiles for seconds, and is not hung."""

    def compiles(bites):
        with excused():
            bites.hang(0.8)

    assert watched(compiles, Limits(seconds=0.05)) == []


def test_time_begins_to_count_when_the_search_begins():
    """What is prepared before may take as long again."""
    watch = Watch(Limits(seconds=0.5))

    def prepares(bites):
        bites.hang(0.55)
        watch.begin()
        bites.hang(0.55)

    assert watched(prepares, watch=watch) == []


def test_ctrl_c_that_is_not_heard_ends_the_search():
    """The handler of the search only notes it; the search that does not ask is bitten after the grace."""

    def interrupted(bites):
        os.kill(os.getpid(), signal.SIGINT)
        bites.hang()

    watch = Watch(Limits())
    with watch:
        ((status, _),) = watched(interrupted, watch=watch)
    assert status == "interrupted"


def test_a_second_ctrl_c_is_not_kept_waiting(monkeypatch):
    """Who presses twice wants out."""
    monkeypatch.setattr(watchdog, "GRACE", 1000.0)
    bites = Bites()
    watch = Watch(Limits())

    def presses_twice():
        with watch, Watchdog(watch, bites):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)
            os.kill(os.getpid(), signal.SIGINT)
            bites.hang()

    with pytest.raises(KeyboardInterrupt):
        presses_twice()
    assert [status for status, _ in bites.said] in ([], ["interrupted"])  # Python may have been quicker


def test_memory_beyond_the_limit_is_told_the_search_first(monkeypatch):
    """A search that asks ends in order; one that does not is bitten."""
    monkeypatch.setattr(watchdog, "LEAST_WATCHED", 2**20)
    monkeypatch.setattr(watchdog, "GRACE_FOR_MEMORY", 0.5)
    held = []
    watch = Watch(Limits(memory=2**20))

    def eats(bites):
        held.append(bytearray(os.urandom(2**20) * 64))
        ends = time.monotonic() + LONG
        while not watch.stop(watch.statistics) and time.monotonic() < ends:
            time.sleep(0.01)

    assert watched(eats, watch=watch) == []
    assert watch.stop(watch.statistics) == "memory-limit"
    held.clear()

    def eats_and_hangs(bites):
        held.append(bytearray(os.urandom(2**20) * 64))
        bites.hang()

    ((status, _),) = watched(eats_and_hangs, Limits(memory=2**20))
    assert status == "memory-limit"


@pytest.fixture
def resident(monkeypatch):
    """What the process is said to occupy, in `resident[0]`."""
    resident = [0]
    for module in (limits, watchdog):
        monkeypatch.setattr(module, "resident_bytes", lambda: resident[0])
    return resident


def test_memory_that_is_taken_when_the_time_is_up_is_what_is_told(resident, monkeypatch):
    """Whichever grace is over first."""
    monkeypatch.setattr(watchdog, "GRACE_FOR_MEMORY", 1000.0)

    def eats(bites):
        resident[0] = 2**40
        bites.hang()

    ((status, why),) = watched(eats, Limits(seconds=0))
    assert status == "memory-limit"
    assert why.endswith("did not return; the process took 1024.0 GiB")


def test_a_search_that_asks_late_is_told_of_its_memory(resident, monkeypatch):
    """Though nobody has looked since it was taken: a function can keep all other threads from running."""
    monkeypatch.setattr(Watchdog, "look", lambda dog, interrupts: None)
    watch = Watch(Limits(seconds=0))
    told = []

    def eats(bites):
        told.append(watch.stop(watch.statistics))
        resident[0] = 2**40
        told.append(watch.stop(watch.statistics))

    assert watched(eats, watch=watch) == []
    assert told == ["time-limit", "memory-limit"]


def test_what_a_hung_search_has_taken_is_said(resident):
    """Where the time was up first it shows that memory would have been next."""

    def eats_slowly(bites):
        resident[0] = 2**29
        bites.hang()

    ((status, why),) = watched(eats_slowly, Limits(seconds=0, memory=2**40))
    assert status == "time-limit"
    assert why.endswith("did not return; the process took 0.5 GiB")


def test_memory_taken_before_a_search_begins_is_not_its_own(resident):
    """A compiler's, for example."""
    watch = Watch(Limits())

    def prepares(bites):
        with excused():
            resident[0] = 2**40
            with watch:
                pass
        bites.hang(0.5)

    assert watched(prepares, watch=watch) == []


def test_the_place_is_that_of_a_plugin_and_not_of_a_library():
    """A function that hangs in the standard library is the plugin's all the same."""

    def waits():
        threading.Event().wait(0.3)

    found = []
    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(0.1)
    import sys

    found.append(watchdog.where(sys._current_frames().get(thread.ident)))
    thread.join()
    assert found[0].startswith("waits (")
    assert "compiled" in watchdog.where(None)


def test_signals_go_where_they_went_before():
    """Afterwards nobody listens to signals who did not before."""
    before = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(before)
    watched(lambda _: None)
    after = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(after)
    assert after == before


PROGRAM = """
import time
from searchlab.search import watchdog
from searchlab.model.limits import Limits
from searchlab.search.limits import Watch

def bite(status, why):
    raise RuntimeError("no way to tell")

watchdog.GRACE = 0.1
with watchdog.Watchdog(Watch(Limits(seconds=0.05)), bite):
    time.sleep(600)
"""


def test_a_process_whose_outcome_cannot_be_told_ends_all_the_same():
    """What went wrong is said, for nobody else will."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=120)
    assert done.returncode == watchdog.FAILED
    assert "no way to tell" in done.stderr


def test_ctrl_c_while_the_outcome_is_told_does_not_cut_it_off():
    """The search waits until it is told; then Ctrl-C means what it does elsewhere."""
    told = []

    def bite(status, why):
        signal.raise_signal(signal.SIGINT)  # the main thread hears of it while it waits
        time.sleep(0.3)
        told.append(status)

    def search():
        with Watchdog(Watch(Limits(seconds=0.05)), bite) as dog:
            while not dog._is_over:
                time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        search()
    assert told == ["time-limit"]


def test_a_program_that_uses_searchlab_is_not_watched(capsys):
    """Neither by the command line, called as a function, nor by a search: nothing ever ends the caller's process."""
    assert main(["solve", "2048/board10", "--engine", "readable", "--moves-only"]) == 0
    assert capsys.readouterr().out == "down down down\n"
    assert sl.solve(sl.read_board("2048/board10"), engine="readable").status == "solved"
    assert watchdog._watcher is None
