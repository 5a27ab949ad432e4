"""One line in an author's test file makes a test of each property."""

import subprocess
import sys

import pytest

PLUGIN = """
from searchlab import Heuristic, hookimpl


def out_of_place(tiles, goal_row, goal_col):
    count = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            count += tile != 0 and (goal_row[tile] != row or goal_col[tile] != column)
    return count * WEIGHT


WEIGHT = 1


@hookimpl
def searchlab_heuristics():
    yield Heuristic("out-of-place", out_of_place, domains={"sliding-tile"}, admissible=True, consistent=True)
"""
TESTS = """
import searchlab as sl
from searchlab.testing import contract_of

BOARD = sl.Board([[1, 2], [3, 0]])
test_contract = contract_of("mine.py:out_of_place", board=BOARD)
"""


@pytest.fixture
def run(tmp_path):
    """Runs pytest, in a process of its own, on a plugin and a test file beside it."""

    def run(*arguments, plugin=PLUGIN, tests=TESTS, cwd=tmp_path):
        (tmp_path / "mine.py").write_text(plugin)
        (tmp_path / "test_mine.py").write_text(tests)
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", str(tmp_path / "test_mine.py")]
        return subprocess.run([*command, *arguments], cwd=cwd, capture_output=True, text=True, check=False)

    return run


@pytest.mark.slow
def test_each_property_is_a_test(run, tmp_path_factory):
    """Each has the property's name; the file is found beside the test file, wherever pytest is started."""
    ran = run("-rA", cwd=tmp_path_factory.mktemp("elsewhere"))
    assert ran.returncode == 0, ran.stdout
    for name in ("answers", "pure", "compiles", "admissible", "consistent", "verdict"):
        assert f"test_contract[{name}] PASSED" in ran.stdout
    assert "test_contract[incremental] SKIPPED" in ran.stdout
    assert "it has no incremental form" in ran.stdout
    assert "it may declare admissible=True, consistent=True: so it is on all 12 boards" in ran.stdout


@pytest.mark.slow
def test_a_failure_shows_the_board_and_no_traceback(run):
    """The output gives the reason for which a property failed."""
    ran = run(plugin=PLUGIN.replace("WEIGHT = 1", "WEIGHT = 2"))
    assert ran.returncode == 1
    assert "test_contract[admissible] FAILED" in ran.stdout
    assert "declared, but not so: 2 on a board that is solved at a cost of 1" in ran.stdout
    assert "the smallest such board:\n2\n    1    0\n    3    2\n" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "as_pytest.py" not in ran.stdout


def test_an_unknown_name_is_an_error_of_one_line(run):
    """That is an error of the test file, in one line."""
    ran = run(tests=TESTS.replace("out_of_place", "out_of_plase"))
    assert ran.returncode == 2
    assert "mine.py has no heuristic 'out_of_plase': did you mean 'out_of_place'" in ran.stdout
    assert "Traceback" not in ran.stdout
    assert "subjects.py" not in ran.stdout


@pytest.mark.slow
@pytest.mark.slow
def test_components_functions_and_whole_files(run):
    """A component, a function, a file, and a name with its kind are taken alike."""
    tests = """
import searchlab as sl
from searchlab.testing import contract_of

BOARD = sl.Board([[1, 2], [3, 0]])
def zero(tiles):
    return 0
test_function = contract_of(zero, board=BOARD, domain="sliding-tile")
test_component = contract_of(sl.Heuristic("zero", zero, domains={"sliding-tile"}), board=BOARD)
test_bound = contract_of(sl.frontier("weighted-astar:weight=3"))
test_file = contract_of("mine.py", board=BOARD)
test_name = contract_of("greedy", kind="frontier")
"""
    ran = run(tests=tests)
    assert ran.returncode == 0, ran.stdout
    for name in ("test_function[pure]", "test_component[pure]", "test_file[pure]", "test_name[stops]"):
        assert f"{name} PASSED" in ran.stdout
    assert "test_bound[expands-all] PASSED" in ran.stdout


def test_a_file_of_several_components(run):
    """The tests of each have its name."""
    plugin = PLUGIN + "    yield Heuristic('doubled', out_of_place, domains={'sliding-tile'})\n"
    ran = run("--collect-only", "-q", plugin=plugin, tests=TESTS.replace("mine.py:out_of_place", "mine.py"))
    assert "test_contract[doubled-pure]" in ran.stdout
    assert "test_contract[out-of-place-pure]" in ran.stdout


def test_it_is_told_once_that_functions_are_compiled(run, tmp_path):
    """Behind the dots, and not captured with what tests print."""
    tests = """
import time
import searchlab.compiler.notice as notices
from searchlab.compiler.notice import announced
from searchlab.testing.pytest import _compile_notice
from searchlab.model.preparation import listening
notices.PATIENCE = 0.1

def test_compiling(pytestconfig):
    for _ in range(2):
        with listening(_compile_notice(pytestconfig.pluginmanager.getplugin("capturemanager"))), announced("snake"):
            time.sleep(0.5)
"""
    ran = run(tests=tests)
    assert (ran.stdout + ran.stderr).count("searchlab: compiling snake … 1 s (first time only)") == 1


def test_pytest_is_needed_for_tests_alone():
    """`searchlab.testing` and the checks do without it."""
    code = (
        "import sys, searchlab.testing as t; t.check; t.Contract; print('pytest' in sys.modules, 'rich' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"
