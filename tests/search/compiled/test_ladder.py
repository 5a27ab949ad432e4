"""The ladder of an open list with priorities of many values: entries are taken in the order of a heap."""

import pytest

import searchlab as sl
from searchlab.search.compiled import best_first, late_heap
from searchlab.search.kernels.ladder import LARGE_HEAP

OF_THE_MACHINE = ("seconds", "cpu_seconds", "peak_bytes", "engine", "versions")
COARSE = sl.Frontier("coarse", priority=lambda g, h: (4 * g + h) // 3, ties="none")
FRONTIERS = {
    "late": "astar",
    "early": "astar:duplicates=early",
    "early, random": "astar:duplicates=early,order=random,seed=3",
    "late, random": "astar:order=random,seed=3",
    "oldest": "astar:order=oldest",
    "no ties": "uniform-cost",
    "reopening": "weighted-astar:weight=1.5,reopen=yes,duplicates=early",
    "equal keys": COARSE,
    "equal keys, low h": sl.Frontier("coarse-low", priority=lambda g, h: (4 * g + h) // 9, ties="low-h"),
    "equal keys, oldest": sl.frontier(COARSE, order="oldest"),
    "equal keys, random": sl.frontier(COARSE, order="random", seed=3),
    "one key": sl.Frontier("one-key", priority=lambda g, h: 1.5, ties="high-h"),
    "falling keys": sl.Frontier("deep", priority=lambda g, h: h - 10 * g),
    "huge keys": sl.Frontier("huge", priority=lambda g, h: 1e300 * (h > 12) - 1e308 * (h > 9) + g),
    "endless keys": sl.Frontier("endless", priority=lambda g, h: g + 1e308 * (h > 9) * 10),
}


@pytest.fixture
def small_ladder(monkeypatch):
    """A heap of more than 8 entries gets a rung of 4 buckets."""
    for search in (best_first.BestFirstSearch, best_first.BatchedSearch, late_heap.LateHeapSearch):
        ((kernel, arrays, options),) = search.kernels
        monkeypatch.setattr(search, "kernels", ((kernel, arrays, {**options, "LARGE_HEAP": 8, "BUCKETS": 4}),))
    monkeypatch.setattr(best_first, "LARGE_HEAP", 8)


def assert_twins(**arguments):
    compiled, readable = (sl.solve(engine=engine, **arguments) for engine in ("compiled", "readable"))
    assert {name: getattr(compiled, name) for name in compiled.__dataclass_fields__ if name not in OF_THE_MACHINE} == {
        name: getattr(readable, name) for name in readable.__dataclass_fields__ if name not in OF_THE_MACHINE
    }
    return compiled


def inverse_costs(frontier, expansions, **arguments):
    """Return a search whose costs are fractions."""
    return {
        "board": sl.read_board("sliding-tile/korf100/088"),
        "domain": "sliding-tile:cost=inverse,goal=blank-first",
        "heuristic": None if frontier == "uniform-cost" else "taxicab",
        "frontier": frontier,
        "limits": sl.Limits(expansions=expansions),
        **arguments,
    }


@pytest.mark.slow
@pytest.mark.usefixtures("small_ladder")
@pytest.mark.parametrize("name", FRONTIERS)
def test_both_engines_agree_with_many_rungs(name):
    result = assert_twins(**inverse_costs(FRONTIERS[name], 700))
    assert result.max_open > 300


@pytest.mark.slow
@pytest.mark.usefixtures("small_ladder")
def test_both_engines_agree_in_batches_with_many_rungs():
    def misplaced(boards):
        return (boards.reshape(len(boards), -1) != [*range(1, 16), 0]).sum(axis=1) / 3

    heuristic = sl.Heuristic("misplaced-in-numpy", batch=misplaced)
    assert_twins(**inverse_costs("astar:duplicates=early", 700, heuristic=heuristic, batch=7))


@pytest.mark.parametrize("name", ["late", "early", "reopening", "equal keys", "equal keys, low h"])
def test_both_engines_agree_when_the_heap_is_large(name):
    result = assert_twins(**inverse_costs(FRONTIERS[name], 1500))
    assert result.max_open > 2 * LARGE_HEAP


@pytest.mark.parametrize("name", ["late", "early", "equal keys"])
@pytest.mark.parametrize("megabytes", [2, 5, 20])
def test_the_ladder_stays_within_the_memory_limit(name, megabytes):
    """A bucket that would not fit into the heap ends the search: one of equal keys cannot be divided."""
    limit = megabytes * 2**20
    result = sl.solve(engine="compiled", **inverse_costs(FRONTIERS[name], None, limits=sl.Limits(memory=limit)))
    assert result.status == "memory-limit"
    assert 0.5 * limit < result.peak_bytes <= limit


def test_the_sorted_entries_are_counted_as_memory(monkeypatch):
    """An entry of the run takes 40 bytes: key, tie, stamp, item, and a counter for sorting."""
    few = sl.solve(engine="compiled", **inverse_costs("astar", 5)).peak_bytes
    monkeypatch.setattr(best_first, "LARGE_HEAP", LARGE_HEAP + 100)
    assert sl.solve(engine="compiled", **inverse_costs("astar", 5)).peak_bytes == few + 4000
