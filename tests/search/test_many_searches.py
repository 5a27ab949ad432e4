"""Many small searches in a loop: what was compiled serves the next one, until something it uses has changed."""

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler import arrays
from searchlab.compiler.dependencies import Dependencies
from searchlab.plugins.registry import Plugins
from searchlab.search.compiled.buckets import MOST_ROOMS

BOARD = sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])
SCALE = 1.0
TABLE = np.ones(9)
FRONTIERS = ["astar", "weighted-astar:weight=1.5", "greedy", "ida-star", "beam:width=4"]
"""A search of each family of kernels."""


def weight():
    return SCALE


def misplaced(tiles):
    count = 0
    for cell in range(tiles.size):
        if tiles[cell // 3, cell % 3] not in (0, cell + 1):
            count += 1
    return weight() * count * TABLE[0]


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
def test_a_loop_looks_through_a_function_once(frontier, captured):
    """The second search finds everything as the first one left it, a function that is passed as it is included."""
    for _ in range(2):
        captured.clear()
        assert sl.solve(BOARD, domain="sliding-tile", heuristic=misplaced, frontier=frontier).status == "solved"
    assert captured == []


def blind(tiles):
    return 0.0


def toward_goal(tiles):
    count = 0.0
    for cell in range(tiles.size):
        if tiles[cell // 3, cell % 3] != (cell + 1) % 9:
            count += 1.0
    return count


guide = blind


def guided(tiles):
    return guide(tiles)


FAR = sl.read_board("sliding-tile/puzzle8-20")


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "astar:duplicates=early", "greedy", "ida-star"])
def test_a_helper_defined_anew_is_noticed(frontier, monkeypatch):
    """The search does what it does with a function that was always so."""
    expected = sl.solve(FAR, domain="sliding-tile", heuristic=toward_goal, frontier=frontier)
    before = sl.solve(FAR, domain="sliding-tile", heuristic=guided, frontier=frontier)
    monkeypatch.setitem(globals(), "guide", toward_goal)
    after = sl.solve(FAR, domain="sliding-tile", heuristic=guided, frontier=frontier)
    assert before.expanded != expected.expanded
    assert after.expanded == expected.expanded
    assert after.actions == expected.actions


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_an_array_that_is_written_to_is_noticed(frontier):
    """Of a default, whose values are copied for compiled code."""
    values = np.ones(9)

    def by_table(tiles, table=values):
        return table[0] * toward_goal(tiles)

    expected = sl.solve(FAR, domain="sliding-tile", heuristic=toward_goal, frontier=frontier)
    assert sl.solve(FAR, domain="sliding-tile", heuristic=by_table, frontier=frontier).expanded == expected.expanded
    values[0] = 0.0
    uniform = sl.solve(FAR, domain="sliding-tile", heuristic=blind, frontier=frontier)
    assert sl.solve(FAR, domain="sliding-tile", heuristic=by_table, frontier=frontier).expanded == uniform.expanded


def test_a_priority_that_changes_is_noticed(monkeypatch):
    """Frontiers that are bare functions are looked at as heuristics are."""

    def priority(g, h):
        return g + weight() * h

    expected = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", frontier="greedy")
    cautious = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", frontier=priority)
    monkeypatch.setitem(globals(), "SCALE", 1000.0)
    hasty = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", frontier=priority)
    assert cautious.expanded != hasty.expanded
    assert hasty.expanded <= expected.expanded * 2


def test_a_function_may_get_other_defaults_or_another_body():
    """The same function object is another heuristic then."""

    def own(tiles, scale=1.0):
        return scale * toward_goal(tiles)

    first = sl.solve(FAR, domain="sliding-tile", heuristic=own, frontier="greedy")
    own.__code__ = (lambda tiles, scale=1.0: scale * 0.0).__code__
    second = sl.solve(FAR, domain="sliding-tile", heuristic=own, frontier="greedy")
    expected = sl.solve(FAR, domain="sliding-tile", heuristic=blind, frontier="greedy")
    assert first.expanded != second.expanded == expected.expanded


def test_names_are_looked_up_again_once_another_plugin_is_loaded(tmp_path):
    """A name that was unambiguous may be claimed by a file."""
    plugins = Plugins()
    h = sl.heuristic("taxicab", plugins=plugins)
    assert sl.heuristic("taxicab", plugins=plugins) is h
    file = tmp_path / "mine.py"
    file.write_text(
        "from searchlab import Heuristic, hookimpl\n"
        "def taxicab(tiles): return 0\n"
        "@hookimpl\n"
        "def searchlab_heuristics(): return [Heuristic('taxicab', taxicab, domains={'sliding-tile'})]\n"
    )
    plugins.load_file(file)
    with pytest.raises(sl.UsageError, match="taxicab"):
        sl.heuristic("taxicab", plugins=plugins)


SMALL = sl.Limits(memory=2**22)
REUSING = {
    "late-buckets": ("sliding-tile", "taxicab", "astar"),
    "early-buckets": ("sliding-tile", "taxicab", "astar:duplicates=early"),
    "by h alone": ("sliding-tile", "taxicab", "greedy"),
    "scores": ("2048:goal=64", "distance-weighted", "greedy"),
    "heap": ("2048:goal=64", "distance-weighted", "weighted-astar"),
    "in-order": ("sliding-tile", None, "breadth-first"),
    "stack": ("2048:goal=64", None, "depth-first"),
}
"""A search of each family whose memory the next one gets."""


@pytest.mark.parametrize("searched", REUSING.values(), ids=REUSING)
def test_the_memory_that_the_next_search_gets_is_zero(searched, monkeypatch):
    """Wherever the kernel may have written, in arrays that take memory as they are used, too."""
    kept = {}
    monkeypatch.setattr(arrays, "_kept", kept)
    domain, heuristic, frontier = searched
    chosen = {"domain": domain, "heuristic": heuristic, "frontier": frontier}
    start = BOARD if domain == "sliding-tile" else sl.domain(domain).start()
    result = sl.solve(start, **chosen, limits=SMALL, engine="compiled")
    assert result.status == "solved"
    (given_back,) = kept.values()
    memory = given_back._memory
    firsts = {name: first for name, *_, first in memory.layout.arrays}
    assert [name for name, items in memory.items.items() if (items != 0).any() and not firsts[name]] == []
    again = sl.solve(start, **chosen, limits=SMALL, engine="compiled")
    assert list(kept.values()) == [given_back], "it was used again"
    assert (again.actions, again.expanded, again.peak_bytes) == (result.actions, result.expanded, result.peak_bytes)


def test_searches_that_end_by_a_limit_give_back_their_memory_as_well(monkeypatch):
    """The next one finds what it would have found alone."""
    kept = {}
    monkeypatch.setattr(arrays, "_kept", kept)
    few = sl.Limits(memory=2**22, expansions=5)
    assert sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", limits=few).status == "expansion-limit"
    assert len(kept) == 1
    found = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", limits=SMALL)
    alone = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", engine="readable")
    assert (found.expanded, found.generated, found.moves) == (alone.expanded, alone.generated, alone.moves)


def test_searches_with_many_memory_limits_forget_rooms_only():
    """Kernels and the length of the first slice serve them all."""
    plugins = Plugins()
    domain = sl.domain("sliding-tile", plugins=plugins)
    heuristic = sl.heuristic("taxicab", domain=domain, plugins=plugins)
    chosen = {"domain": domain, "heuristic": heuristic, "frontier": "astar"}
    remembered = set()
    for more in range(MOST_ROOMS + 2):
        sl.solve(FAR, **chosen, limits=sl.Limits(memory=2**22 + more * 2**12))
        (compiled,) = heuristic.derived.values()
        assert remembered <= set(compiled.remembered)
        remembered = set(compiled.remembered)
    assert len(compiled.rooms) == 2
