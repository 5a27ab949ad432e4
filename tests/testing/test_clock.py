"""A plugin's function that does not return fails its check, and the other checks go on."""

import threading
import time
from types import SimpleNamespace

import pytest

import searchlab as sl
from searchlab.errors.suspension import suspended
from searchlab.testing import clock as clocks
from searchlab.testing.clock import Clock, NoAnswer

BOARD = sl.Board([[1]])


def test_results_and_exceptions_of_work_are_passed_on():
    """It runs in another thread."""
    clock = Clock(1)
    assert clock.run(threading.current_thread) is not threading.current_thread()
    with pytest.raises(ZeroDivisionError):
        clock.run(lambda: 1 / 0)


def test_a_call_that_takes_too_long_is_given_up(monkeypatch):
    """The board it was asked about is known, and the thread ends."""
    monkeypatch.setattr(clocks, "THREAD", "check of this test")  # functions of other tests may still run
    clock = Clock(1, longest_call=0.1)
    threads, checking = [], []

    def work():
        threads.append(threading.current_thread())
        checking.append(clocks.is_checking())
        with clock.calling(lambda: BOARD):
            while True:
                time.sleep(0.001)

    with pytest.raises(NoAnswer, match=r"within 0\.1 s") as raised:
        clock.run(work)
    assert raised.value.board is BOARD
    threads[0].join(60)
    assert not threads[0].is_alive()
    assert (checking, clocks.is_checking()) == ([True], False)


@pytest.fixture
def passing(monkeypatch):
    """Lets time pass for the clocks alone: `passing(seconds)`."""
    now = [0.0]

    def passing(seconds):
        now[0] += seconds
        time.sleep(2 * clocks.ROUND)  # long enough for the thread that waits to see it

    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic=lambda: now[0], thread_time=lambda: now[0]))
    return passing


def test_only_single_calls_are_timed(passing):
    """Work may take longer than a call if it says that its calls come back, or is between calls."""
    clock = Clock(60, longest_call=10)

    def work():
        passing(15)
        with clock.calling():
            goes_on = clock.until(1)
            for _ in range(3):
                passing(9)
                assert goes_on()
        passing(15)
        return "done"

    assert clock.run(work) == "done"


def test_shares_of_the_time(passing):
    """A share begins when it is asked for."""
    clock = Clock(10)
    first = clock.until(1 / 2)
    passing(4)
    second = clock.until(1 / 2)
    assert first()
    passing(2)
    assert not first()
    assert second()


def test_unused_time_goes_to_the_next_property(passing):
    """The time of those that look at boards in turn is shared out anew at each turn."""
    turns = Clock(10).in_turn(1, 2)
    first = next(turns)
    passing(1)
    assert first()
    second = next(turns)
    passing(8)
    assert second()
    passing(2)
    assert not second()


def test_the_whole_check_has_a_time_limit(passing):
    """A thorough check has none."""
    limit = clocks.OVERALL + clocks.SLOWEST * 2
    hung = threading.Event()

    def work():
        passing(limit + 1)
        return hung.wait(60)

    clock = Clock(2, thorough=True)
    hung.set()
    assert clock.run(work)
    clock = Clock(2)
    hung.clear()
    with pytest.raises(NoAnswer, match="its check was not over within 80 s"):
        clock.run(work)
    hung.set()


def test_abandoned_threads_do_not_take_time_of_others():
    ended = threading.Event()

    def busy():
        while not ended.is_set():
            pass

    other = threading.Thread(target=busy)
    goes_on = Clock(0.1).until(1)
    other.start()
    time.sleep(0.4)
    assert goes_on()
    ended.set()
    other.join()


def test_a_thorough_check_has_no_limit_on_boards(passing):
    """Other properties have one."""
    clock = Clock(1, thorough=True)
    looking, other = clock.looking(1 / 2), clock.until(1 / 2)
    passing(1000)
    assert looking()
    assert not other()


def test_the_time_that_compiling_takes_is_not_counted():
    """What is compiled for a plugin's function within a call is not the plugin's doing."""
    clock = Clock(1, longest_call=0.2)

    def work():
        with clock.calling(lambda: BOARD), suspended():
            time.sleep(0.6)
        return "done"

    assert clock.run(work) == "done"
