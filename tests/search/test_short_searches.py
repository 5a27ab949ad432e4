"""A search that is over before its functions would be compiled runs interpreted; any other is compiled."""

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest

import searchlab as sl
from searchlab.cli.solve import is_installed
from searchlab.compiler.cache import compiling_nothing
from searchlab.compiler.notice import compiled_functions
from searchlab.plugins.registry import installed
from searchlab.search.solve import problem, search

HEURISTIC = """
def heuristic(tiles):
    {first}
    return len(tiles) + {never_compiled}
"""
FOREVER = 60.0
COUNTS = ("expanded", "generated", "evaluated", "stored", "reopened", "max_open")


@pytest.fixture
def make(tmp_path):
    """Make a problem with a heuristic that was never compiled."""

    def make(board="sliding-tile/puzzle8-20", frontier="astar", first=""):
        file = tmp_path / "heuristic.py"
        file.write_text(HEURISTIC.format(first=first or "pass", never_compiled=uuid.uuid4().int % 10**9))
        return problem(board, heuristic=f"{file}:heuristic", frontier=frontier)

    return make


def figures(result):
    return (result.status, result.actions, *(getattr(result, name) for name in COUNTS))


@pytest.mark.parametrize("frontier", ["greedy", "ida-star", "beam:width=5"])
def test_a_short_search_compiles_nothing(make, frontier):
    """Its moves and counts are those of the compiled search."""
    short, before = make("2048/board10", frontier), compiled_functions()
    result = search(short, interpreted_seconds=FOREVER)
    assert (result.engine, compiled_functions()) == ("readable", before)
    compiled = search(short)
    assert compiled.engine == "compiled"
    assert figures(compiled) == figures(result)


def test_a_longer_search_restarts_compiled(make):
    """Figures of the first part do not count."""
    longer, told = make(), []
    result = search(longer, interpreted_seconds=1e-9, progress=told.append)
    assert result.engine == "compiled"
    assert "starting" in [progress.phase for progress in told]
    assert figures(result) == figures(search(longer, engine="compiled"))


def test_cached_machine_code_is_used(make):
    """Also where the search would be over at once."""
    short = make("2048/board10", "greedy")
    assert search(short).engine == "compiled"
    assert search(short, interpreted_seconds=FOREVER).engine == "compiled"


def test_a_chosen_engine_is_used(make):
    """Only `auto` leaves it open."""
    short = make("2048/board10", "greedy")
    assert search(short, engine="compiled", interpreted_seconds=FOREVER).engine == "compiled"


def test_a_limit_of_time_or_memory_holds_for_the_compiled_search(make):
    """It does far more within it."""
    result = search(make(), limits=sl.Limits(memory=200_000), interpreted_seconds=FOREVER)
    assert (result.engine, result.expanded > 400) == ("compiled", True)
    result = search(make("2048/board10", "greedy"), limits=sl.Limits(seconds=1e-9), interpreted_seconds=FOREVER)
    assert (result.engine, result.status) == ("compiled", "time-limit")


def test_a_limit_of_expansions_is_the_same_in_both(make):
    """So the interpreted search may end by it."""
    limited = make()
    result = search(limited, limits=sl.Limits(expansions=20), interpreted_seconds=FOREVER)
    assert (result.engine, result.status, result.expanded) == ("readable", "expansion-limit", 20)
    assert figures(search(limited, limits=sl.Limits(expansions=20))) == figures(result)


def test_an_error_of_the_heuristic_is_reported_without_compiling(make):
    """By Python, which names the line."""
    result = search(make(first="tiles[99, 0]"), interpreted_seconds=FOREVER)
    assert (result.engine, result.status) == ("readable", "error")
    assert "out of bounds" in result.reason
    assert "line 3" in result.reason


def test_the_command_line_searches_only_installed_components_without_compiling(make):
    """The author of a file wants to know whether its function can be compiled."""
    board = "sliding-tile/puzzle8-20"
    assert not is_installed(make(), installed())
    assert is_installed(problem(board, heuristic="taxicab", frontier="astar"), installed())
    assert is_installed(problem(board, heuristic="max:of=[taxicab,misplaced]"), installed())
    assert not is_installed(problem("grid-map/maze.scen#1"), installed())


def test_other_threads_may_compile_during_a_short_search(make):
    """Only the context's own thread may compile nothing."""
    other = make("2048/board10", "greedy")
    with compiling_nothing(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(search, other).result().engine == "compiled"
