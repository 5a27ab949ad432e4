"""A searcher has the results of `sl.solve`, compiles once, and releases everything when it is closed or dropped."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest

import searchlab as sl
from searchlab.compiler.arrays import Memory
from searchlab.compiler.dependencies import Dependencies
from searchlab.search.compiled.problem import CompiledProblem

FRONTIERS = ["astar", "weighted-astar:weight=1.5", "greedy", "ida-star", "beam:width=4", "breadth-first"]
"""A search of each family of kernels."""
FIGURES = ("status", "moves", "cost", "actions", "expanded", "generated", "evaluated", "stored", "optimal", "engine")
SOLVED = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])


def shuffled(count, n=3, first=0):
    generator = sl.generator(f"shuffled:n={n}")
    return [generator(seed) for seed in range(first, first + count)]


def figures(result):
    return tuple(getattr(result, name) for name in FIGURES)


def toward_goal(tiles):
    count = 0
    for cell in range(tiles.size):
        if tiles[cell // 3, cell % 3] not in (0, cell + 1):
            count += 1
    return count


@pytest.fixture
def captured(monkeypatch):
    """The functions that were looked through."""
    functions = []
    capture = Dependencies.capture

    def noting(self, function):
        functions.append(function)
        return capture(self, function)

    monkeypatch.setattr(Dependencies, "capture", noting)
    return functions


@pytest.mark.slow
@pytest.mark.parametrize("frontier", FRONTIERS)
def test_a_searcher_finds_the_same_results_as_solve(frontier, captured):
    """From boards of two shapes, and with a function of one's own, which it looks through once."""
    boards = [*shuffled(3), *shuffled(2, n=2), *shuffled(2, first=3)]
    for heuristic in ("taxicab", toward_goal):
        chosen = {"domain": "sliding-tile", "heuristic": heuristic, "frontier": frontier}
        with sl.searcher(**chosen) as searcher:
            found = [searcher(board) for board in boards]
            captured.clear()
            assert [figures(searcher(board)) for board in boards[:3]] == [*map(figures, found[:3])]
            assert not {"taxicab", "toward_goal"} & {function.__name__ for function in captured}
        assert [*map(figures, found)] == [figures(sl.solve(board, **chosen)) for board in boards]


def test_boards_may_be_named_or_instances():
    """Each instance brings its static data."""
    with sl.searcher(domain="grid-map", frontier="astar") as searcher:
        for number in (1, 2, 1):
            name = f"grid-map/maze.scen#{number}"
            assert figures(searcher(name)) == figures(sl.solve(name, frontier="astar"))
        (instance,) = sl.domain("grid-map").instances("grid-map/maze.scen#2")
        assert searcher(instance).cost == searcher("grid-map/maze.scen#2").cost
    assert sl.searcher(domain="2048:goal=16")().status == "solved"


def test_each_search_may_have_limits():
    searcher = sl.searcher(domain="sliding-tile", frontier="astar")
    board = sl.read_board("sliding-tile/puzzle8-31")
    assert searcher(board, limits=sl.Limits(expansions=10)).status == "expansion-limit"
    assert searcher(board).status == "solved"


def test_a_searcher_keeps_the_functions_of_its_creation(monkeypatch):
    """Another searcher uses them as they are then."""
    chosen = {"domain": "sliding-tile", "heuristic": lambda tiles: FACTOR * toward_goal(tiles), "frontier": "greedy"}
    board = sl.read_board("sliding-tile/puzzle8-20")
    searcher = sl.searcher(**chosen)
    before = searcher(board)
    monkeypatch.setitem(globals(), "FACTOR", 0)
    assert searcher(board).expanded == before.expanded
    assert sl.searcher(**chosen)(board).expanded != before.expanded


FACTOR = 1


def test_many_is_lazy_and_stops_when_it_is_abandoned():
    taken = []

    def boards():
        for board in shuffled(5):
            taken.append(board)
            yield board

    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        results = searcher.many(boards())
        assert taken == []
        first = [*islice(results, 2)]
        assert [result.status for result in first] == ["solved", "solved"]
        assert len(taken) == 2
        results.close()
        assert [*results] == []
    assert len(taken) == 2


def test_a_board_that_fails_yields_an_error_and_the_next_is_searched():
    """Whether the heuristic fails on it or it is illegal."""

    def brittle(tiles):
        return 1 // (tiles[0, 0] - 3)

    fails = sl.Board([[3, 1, 2], [4, 5, 6], [7, 8, 0]])
    illegal = sl.Board([[1, 1, 2], [4, 5, 6], [7, 8, 0]])
    searcher = sl.searcher(domain="sliding-tile", heuristic=brittle, frontier="greedy")
    results = [*searcher.many([fails, illegal, SOLVED])]
    assert [result.status for result in results] == ["error", "error", "solved"]
    assert "brittle" in results[0].reason
    assert "not a board of sliding-tile" in results[1].reason
    assert [result.start for result in results] == [fails, illegal, SOLVED]
    with pytest.raises(sl.BoardError, match="not a board of sliding-tile"):
        searcher(illegal)
    with pytest.raises(sl.BoardError, match="no-such-board"):
        [*searcher.many(["no-such-board"])]


def test_two_searchers_side_by_side():
    """In turn."""
    boards = shuffled(4)
    one = sl.searcher(domain="sliding-tile", frontier="astar")
    other = sl.searcher(domain="sliding-tile", frontier="greedy")
    pairs = [*zip(one.many(boards), other.many(boards), strict=True)]
    for board, (first, second) in zip(boards, pairs, strict=True):
        assert figures(first) == figures(sl.solve(board, domain="sliding-tile", frontier="astar"))
        assert figures(second) == figures(sl.solve(board, domain="sliding-tile", frontier="greedy"))


@pytest.mark.parametrize("frontier", ["astar", "greedy", "ida-star"])
def test_threads_may_share_a_searcher(frontier):
    boards = shuffled(24)
    searcher = sl.searcher(domain="sliding-tile", frontier=frontier)
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(searcher, boards)]
    assert [*map(figures, found)] == [*map(figures, searcher.many(boards))]


def test_a_closed_searcher_searches_no_more():
    """Its results stay; closing it again changes nothing."""
    with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
        result = searcher(shuffled(1)[0])
    searcher.close()
    assert result.status == "solved"
    for search in (lambda: searcher(SOLVED), lambda: [*searcher.many([SOLVED])]):
        with pytest.raises(sl.UsageError, match="the searcher is closed"):
            search()


@pytest.mark.parametrize(
    "release", [lambda searcher: searcher.close(), lambda searcher: None], ids=["closed", "dropped"]
)
def test_memory_is_released(release, monkeypatch):
    """The arrays and the compiled functions are released."""
    kept = []
    for kind in (Memory, CompiledProblem):

        def noting(self, *arguments, make=kind.__init__, **named):
            kept.append(weakref.ref(self))
            make(self, *arguments, **named)

        monkeypatch.setattr(kind, "__init__", noting)
    searcher = sl.searcher(domain="sliding-tile", frontier="astar")
    results = [*searcher.many(shuffled(3))]
    gc.collect()
    assert len([reference for reference in kept if reference()]) == 2
    release(searcher)
    del searcher
    gc.collect()
    assert [reference() for reference in kept if reference()] == []
    assert all(result.status == "solved" for result in results)


def test_an_uncompilable_function_is_compiled_once(monkeypatch):
    """Each search says why it runs in another way."""

    def counted(tiles):
        return len({*tiles.ravel().tolist()}) * 0

    attempts = []
    compiled = CompiledProblem.of.__func__
    monkeypatch.setattr(
        CompiledProblem, "of", classmethod(lambda cls, *a, **k: (attempts.append(k), compiled(cls, *a, **k))[1])
    )
    searcher = sl.searcher(domain="sliding-tile", heuristic=counted, frontier="greedy")
    for board in shuffled(3):
        with pytest.warns(sl.SearchlabWarning, match="counted"):
            assert searcher(board).status == "solved"
    assert [each["in_python"] for each in attempts] == [False, True]


def test_plugins_are_notified_of_each_search(tmp_path):
    (tmp_path / "counts.py").write_text(
        "from searchlab import hookimpl\n\nfinished = []\n\n\n@hookimpl\n"
        "def searchlab_run_finished(run, result):\n    finished.append(result.moves)\n"
    )
    plugins = sl.Plugins(files=[tmp_path / "counts.py"])
    searcher = sl.searcher(domain="sliding-tile", frontier="astar", plugins=plugins)
    moves = [result.moves for result in searcher.many(shuffled(2))]
    assert plugins.loaded[-1].module.finished == moves


def test_invalid_arguments_are_refused_at_creation():
    for wrong in ({"heuristic": "taxicabb"}, {"engine": "fast"}, {"frontier": "astar:weight=2"}):
        with pytest.raises(sl.UsageError):
            sl.searcher(domain="sliding-tile", **wrong)


def test_functions_are_looked_through_once_for_all_instances(captured):
    """Static data is no part of compiled code: the maps and goals of others are arguments."""
    files = ("grid-map/rooms.scen", "grid-map/noise.scen")
    instances = [instance for file in files for instance in sl.domain("grid-map").instances(file)]
    with sl.searcher(domain="grid-map") as searcher:
        found = [searcher(instance) for instance in instances]
    names = [function.__name__ for function in captured]
    assert 0 < names.count("octile") <= names.count("write_successors") <= 2  # alone, and as part of a step
    assert [result.cost for result in found] == [pytest.approx(instance.optimal) for instance in instances]
