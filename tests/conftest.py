"""Shared by all tests: hypothesis profiles, boards, and generated results."""

import argparse
import gc
import os
import signal

import pytest
from hypothesis import settings

import searchlab as sl
from searchlab.compiler.numba_private import uses_shortcuts, why_plain
from searchlab.experiments.runs import GAMES, SEARCHES, Run, RunInstance, RunRecord
from searchlab.experiments.store import Store
from searchlab.experiments.tables import COLUMNS

# In the background of a shell, or under nohup, tests ignore signals, and so would the programs that they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for name in ("SIGQUIT", "SIGHUP"):  # not on Windows
    number = getattr(signal, name, None)
    if number is not None and signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)  # ignored as before, but a handler is not passed on to programs

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of a thousand processes would compile all modules anew
os.environ.setdefault("SEARCHLAB_CHECK_SECONDS", "0.3")  # also for the processes that tests start
os.environ.setdefault("SEARCHLAB_NOTICE_SECONDS", "inf")  # what the compiler takes depends on what ran before

settings.register_profile("here", deadline=None, max_examples=50)
settings.register_profile("ci", deadline=None, max_examples=20, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "here")


def share(text):
    """Return which of some tests are run: the first, and of how many each is the next one."""
    if text == "all":
        return 0, 1
    first, _, of = text.partition("/")
    if not (first.isdecimal() and of.isdecimal() and int(of)):
        raise argparse.ArgumentTypeError(f"all, or K/N such as 1/4, not {text!r}")
    return int(first) % int(of), int(of)


def pytest_addoption(parser):
    """What takes its time and is asked for: what the documents show, more inputs made by chance, more processes."""
    parser.addoption("--docs", action="store_true", help="Run the code and the commands of README.md and docs/, too.")
    parser.addoption(
        "--docs-share",
        type=share,
        default="all",
        metavar="all|K/N",
        help="With --docs: the Kth of every N; default all.",
    )
    parser.addoption(
        "--slow",
        type=share,
        metavar="all|K/N",
        help="Run the slow tests, too: all of them, or the Kth of every N.",
    )
    parser.addoption(
        "--share",
        type=share,
        default="all",
        metavar="all|K/N",
        help="Of the tests that would be run the Kth of every N; default all.",
    )
    parser.addoption("--apart", action="store_true", help="Try each command in each environment in its own process.")
    parser.addoption("--update-goldens", action="store_true", help="Write tests/golden/commands anew.")
    parser.addoption("--update-docs", action="store_true", help="With --docs: write anew what tutorials show.")
    group = parser.getgroup("fuzz", "inputs made by chance")
    group.addoption("--fuzz-inputs", type=int, default=1000, metavar="N", help="Inputs in all; by default 1000.")
    group.addoption("--fuzz-seed", type=int, default=1, metavar="N", help="Of all inputs; by default 1.")
    group.addoption("--fuzz-only", metavar="NAME:NUMBER", help="Try this one input again.")


@pytest.hookimpl(optionalhook=True)  # one file is also tested without pytest-xdist
def pytest_xdist_auto_num_workers():
    """Return two processes more than cores for `-n auto`: many tests wait for other processes."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) + 2


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """Let each process begin with a stretch of tests of its own: what a module sets up is set up once."""
    if getattr(config.option, "numprocesses", None) and config.option.dist in ("no", "load"):
        config.option.dist = "worksteal"


def pytest_collection_finish():
    """Let the collector of garbage pass over modules and tests: they stay, and there are millions of objects."""
    gc.collect()
    gc.freeze()


def pytest_configure(config):
    """Declare the marks of what runs with --docs and --slow alone."""
    config.addinivalue_line("markers", "docs: runs what README.md and docs/ show; with --docs")
    config.addinivalue_line("markers", "shortcuts: is about machine code that is kept, which plain numba does not do")
    config.addinivalue_line("markers", "slow: takes seconds of processor time; with --slow, or where it is named")


def pytest_runtest_setup(item):
    """Skip what plain numba does not do: with SEARCHLAB_PLAIN_NUMBA, or a version of numba that is not known."""
    if item.get_closest_marker("shortcuts") and not uses_shortcuts():
        pytest.skip(why_plain())


def all_but(share, items):
    """Return the items that are not in a share of them."""
    first, of = share
    return [item for number, item in enumerate(items) if number % of != first]


def pytest_collection_modifyitems(config, items):
    """Leave out what was not asked for: what the documents show, and slow tests, unless single ones are named.

    CI asks for another share of what the documents show and of the slow tests for each commit, and for another share
    of all tests with another Python.
    """
    shown = [item for item in items if item.get_closest_marker("docs")]
    left_out = all_but(config.getoption("--docs-share"), shown) if config.getoption("--docs") else [*shown]
    slow = [item for item in items if item.get_closest_marker("slow")]
    if config.getoption("--slow"):
        left_out += all_but(config.getoption("--slow"), slow)
    elif not all("::" in argument for argument in config.args):
        left_out += slow
    unwanted = set(left_out)
    left_out += all_but(config.getoption("--share"), [item for item in items if item not in unwanted])
    config.hook.pytest_deselected(items=left_out)
    unwanted = set(left_out)
    items[:] = [item for item in items if item not in unwanted]


@pytest.fixture(scope="session")
def board10():
    """The 2048 board whose shortest solution is down, down, down."""
    return sl.Board([[256, 8, 0, 2], [256, 8, 16, 2], [512, 4, 0, 0], [1024, 0, 0, 0]])


@pytest.fixture(scope="session")
def example8():
    """The 8-puzzle board that takes three moves: right, down, right."""
    return sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]])


@pytest.fixture(scope="session")
def make_record():
    """Make up what became of a run; boards are numbered, and figures of runs without a solution are as they come."""

    def make_record(
        board=1,
        heuristic="taxicab",
        frontier="astar",
        *,
        status="solved",
        limit=10.0,
        seed=None,
        repetition=1,
        metrics=None,
        plugins=None,
        **figures,
    ):
        limits = sl.Limits() if limit is None else sl.Limits(limit)
        instance = RunInstance(f"boards/{board}.txt", ((board, 0), (2, 1)))
        parts = {"domain": "sliding-tile", "heuristic": heuristic, "frontier": frontier}
        parts = {kind: name for kind, name in parts.items() if name is not None}
        run = Run(instance, parts, limits=limits, seed=seed, repetition=repetition, plugins=plugins)
        solution = {"moves": 3, "cost": 3.0, "actions": "up up up"} if status == "solved" else {}
        made = {
            **{name: {"string": None, "bool": False, "int64": 7}.get(type_) for name, type_ in COLUMNS.items()},
            **parts,
            **{"board": f"{board} 0 / 2 1", "engine": "readable", "status": status, "seconds": 0.5, "cpu_seconds": 0.5},
            **solution,
            **figures,
        }
        provenance = {
            "versions": {"searchlab": "1", "python": "3"},
            "machine": {"host": "here", "system": "Linux 6", "processor": "x86_64", "cores": 2},
            "plugins": plugins or {},
        }
        return RunRecord(run, made, metrics or {}, "here 1", "2026-11-21T12:00:00.250+00:00", provenance)

    return make_record


@pytest.fixture(scope="session")
def make_game():
    """Make up what became of a game of some player and seed."""

    def make_game(player="greedy", seed=1, score=100.0, *, status="dead", tile=64, limit=10.0, repetition=1, **figures):
        run = Run(
            RunInstance("", None),
            {"domain": "2048-random", "player": player},
            limits=sl.Limits() if limit is None else sl.Limits(limit),
            seed=seed,
            repetition=repetition,
        )
        known = {"score": score, "largest_tile": tile, "moves": 50, "moves_per_second": 100.0, "actions": "ld" * 25}
        made = {
            **dict.fromkeys(column.name for column in GAMES.of_outcome),
            **{"domain": "2048-random", "player": player, "status": status, "seconds": 0.5, "cpu_seconds": 0.5},
            **(known if score is not None else {}),
            **figures,
        }
        return RunRecord(run, made, {}, "here 1", "2026-11-21T12:00:00.250+00:00", {"versions": {"searchlab": "1"}})

    return make_game


@pytest.fixture
def make_results(tmp_path):
    """Put records into a store; return its folder."""

    def make_results(records, folder="results"):
        kind = GAMES if any(record.run.kind is GAMES for record in records) else SEARCHES
        with Store(tmp_path / folder, writes=True, kind=kind) as store:
            store.add(records)
        return tmp_path / folder

    return make_results
