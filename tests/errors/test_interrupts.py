"""Exceptions of a program's own signal handlers reach the program, also during a call of a plugin."""

import ctypes
import os
import signal
import subprocess
import sys
from unittest import mock

import pytest

import searchlab as sl
from searchlab.errors.interrupts import HandlersPass, came_from_signal, on_sigterm, raising_swallowed
from searchlab.search.enumeration import enumerate_states


class Stop(Exception):
    """An exception with which a service ends its work."""


def leave(number, frame):
    sys.exit(7)


def stop(number, frame):
    raise Stop


def signalled(tiles):
    """A heuristic that is interrupted by a signal in the middle."""
    signal.raise_signal(signal.SIGTERM)
    return 1


def exiting(tiles):
    """A heuristic that exits all by itself."""
    raise SystemExit(7)


@pytest.fixture(params=[leave, stop])
def handler(request):
    """A handler that the program has set for SIGTERM."""
    before = signal.signal(signal.SIGTERM, request.param)
    yield request.param
    assert signal.getsignal(signal.SIGTERM) is request.param
    signal.signal(signal.SIGTERM, before)


def heuristic(function):
    return sl.Heuristic("interrupted", function, domains={"2048"})


@pytest.mark.parametrize("engine", ["readable", "auto"])
@pytest.mark.parametrize("frontier", ["astar", "beam", "ida-star"])
@pytest.mark.filterwarnings("ignore::searchlab.SearchlabWarning")
def test_exceptions_of_signal_handlers_pass_through_a_search(handler, engine, frontier, board10):
    """SystemExit, and any other exception, of a handler that runs in the middle of a heuristic."""
    with pytest.raises((SystemExit, Stop)):
        sl.solve(board10, heuristic=heuristic(signalled), frontier=frontier, engine=engine)


def test_a_heuristic_that_exits_is_the_error_of_a_plugin(handler, board10):
    """SystemExit that comes from no handler is what the heuristic failed with."""
    result = sl.solve(board10, heuristic=heuristic(exiting), engine="readable")
    assert (result.status, "SystemExit" in result.reason) == ("error", True)


def test_exceptions_of_signal_handlers_pass_through_games_and_enumerations(handler):
    """The same holds while a player chooses and while a domain is asked for successors."""

    def chooses(board, moves):
        signal.raise_signal(signal.SIGTERM)
        return moves[0].action

    def successors(board):
        signal.raise_signal(signal.SIGTERM)
        yield "on", board

    with pytest.raises((SystemExit, Stop)):
        sl.play(player=sl.Player("interrupted", chooses))
    domain = sl.domain(sl.Domain("endless", successors, lambda board: False))
    with pytest.raises((SystemExit, Stop)):
        list(enumerate_states(sl.Board([[1]]), domain, engine="readable"))


def test_a_handler_set_within_the_context_stays():
    before = signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, stop)
    try:
        with HandlersPass():
            signal.signal(signal.SIGTERM, leave)
        assert signal.getsignal(signal.SIGTERM) is leave
    finally:
        signal.signal(signal.SIGTERM, before)


def test_an_enumeration_restores_signal_handlers():
    """It sets handlers when its first layer is computed, and sets them back after its last."""
    before = signal.getsignal(signal.SIGINT)
    domain = sl.domain("2048:n=2,goal=8")
    list(enumerate_states(domain.start(), domain, engine="readable"))
    assert signal.getsignal(signal.SIGINT) is before


SERVICE = """
import signal, sys
import searchlab as sl

signal.signal(signal.SIGTERM, lambda *_: sys.exit("the service ends"))

def started(progress):
    print("searching", flush=True)

result = sl.solve(domain="2048:goal=65536", heuristic="empty", frontier="astar", engine="readable", progress=started)
print(result.status)
"""


def test_sigterm_ends_a_service_during_a_search(tmp_path):
    """SIGTERM in the middle of a search: the program ends as its handler says, at once."""
    script = tmp_path / "service.py"
    script.write_text(SERVICE)
    program = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )
    assert program.stdout.readline() == "searching\n"
    program.terminate()
    output, errors = program.communicate(timeout=60)
    assert (program.returncode, set(output.split()) <= {"searching"}, errors) == (1, True, "the service ends\n")


def with_a_callback(does, then=lambda: None):
    """Call a function by way of C, and then another one, as a compiler does."""
    with raising_swallowed():
        ctypes.CFUNCTYPE(None)(does)()
        then()


def press():
    """Press Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def with_c_code_that_prints(name, then=lambda: None):
    """Let C code print an exception of this name, and then call a function."""
    with raising_swallowed():
        assert ctypes.pythonapi.PyRun_SimpleString(f"raise {name}".encode()) == -1
        then()


def fail_to_import():
    raise ImportError("numpy._core.multiarray failed to import")


@pytest.mark.parametrize("then", [lambda: None, fail_to_import])
def test_ctrl_c_that_c_code_prints_is_raised_in_place_of_the_import_error(capfd, then):
    """NumPy prints what interrupts its import by another extension module, which raises an ImportError instead."""
    before = sys.excepthook
    with pytest.raises(KeyboardInterrupt):
        with_c_code_that_prints("KeyboardInterrupt", then)
    assert capfd.readouterr().err == ""
    with pytest.raises(ImportError):
        with_c_code_that_prints("ValueError", fail_to_import)
    assert capfd.readouterr().err.endswith("ValueError\n")
    assert sys.excepthook is before


def test_ctrl_c_in_a_callback_from_c_is_raised_after_it(capfd):
    """Python would report it with a traceback, and go on as if nobody had pressed it."""
    before, done = sys.unraisablehook, []
    with pytest.raises(KeyboardInterrupt) as raised:
        with_a_callback(press, lambda: done.append("the rest of it"))
    assert done
    assert came_from_signal(raised.value)
    with pytest.raises(Stop):
        with_a_callback(press, lambda: stop(0, None))
    assert capfd.readouterr().err == ""
    assert sys.unraisablehook is before


def test_other_errors_in_a_callback_from_c_are_reported_by_the_hook():
    told = []
    with mock.patch.object(sys, "unraisablehook", lambda unraisable: told.append(unraisable.exc_type)):
        with_a_callback(lambda: 1 // 0)
    assert told == [ZeroDivisionError]


def test_the_first_sigterm_calls_stop_and_the_second_ends_the_process():
    stops = []
    with on_sigterm(lambda: stops.append(1)) as arrived:
        assert not arrived.is_set()
        signal.raise_signal(signal.SIGTERM)
        assert arrived.is_set()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert stops == [1]


def test_a_programs_own_handler_of_sigterm_stays(handler):
    with on_sigterm(lambda: None) as arrived:
        assert signal.getsignal(signal.SIGTERM) is handler
    assert not arrived.is_set()
