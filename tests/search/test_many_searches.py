"""Many small searches in a loop: each has the result of a single search, with the current functions."""

from types import SimpleNamespace

import numpy as np
import pytest

import searchlab as sl
from searchlab.plugins.registry import Plugins
from searchlab.search import searcher

BOARD = sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])
SCALE = 1.0
TAXICAB = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}


def weight():
    return SCALE


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
def test_a_redefined_helper_is_noticed(frontier, monkeypatch):
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


def test_changed_defaults_or_code_of_a_function_are_noticed():

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
    assert sl.solve(BOARD, **TAXICAB, plugins=plugins).status == "solved"
    file = tmp_path / "mine.py"
    file.write_text(
        "from searchlab import Heuristic, hookimpl\n"
        "def taxicab(tiles): return 0\n"
        "@hookimpl\n"
        "def searchlab_heuristics(): return [Heuristic('taxicab', taxicab, domains={'sliding-tile'})]\n"
    )
    plugins.load_file(file)
    with pytest.raises(sl.UsageError, match="taxicab"):
        sl.solve(BOARD, **TAXICAB, plugins=plugins)


def test_a_file_that_is_edited_is_noticed(tmp_path):
    """As is a file that it imports."""
    file, helper = tmp_path / "edited.py", tmp_path / "edited_helper.py"
    file.write_text("from .edited_helper import FACTOR\n\n\ndef h(tiles):\n    return FACTOR * tiles[0, 0]\n")
    helper.write_text("FACTOR = 1\n")
    chosen = {"domain": "sliding-tile", "heuristic": f"{file}:h", "frontier": "greedy", "engine": "readable"}
    before = sl.solve(FAR, **chosen)
    assert sl.solve(FAR, **chosen).expanded == before.expanded
    (kept,) = searcher._kept
    assert kept.asked.heuristic == f"{file}:h"
    helper.write_text("FACTOR = -1  # and longer\n")
    assert sl.solve(FAR, **chosen).expanded != before.expanded


def test_the_last_searcher_is_kept_for_names_and_installed_components(monkeypatch):
    """And for functions, as long as they and everything that they use have a digest."""

    def searcher_after(**chosen):
        sl.solve(BOARD, **chosen)
        return searcher._kept[0].searcher if searcher._kept else None

    by_name = searcher_after(**TAXICAB)
    assert searcher_after(**TAXICAB) is by_name
    assert searcher_after(**TAXICAB, limits=sl.Limits(seconds=60)) is by_name
    assert searcher_after(**TAXICAB, engine="readable") is not by_name
    bound = {
        "heuristic": sl.heuristic("taxicab"),
        "domain": sl.domain("sliding-tile"),
        "frontier": sl.frontier("astar"),
    }
    assert searcher_after(**bound) is searcher_after(**bound) is not None
    game = sl.domain("sliding-tile")
    assert searcher_after(domain=game, heuristic=guided) is searcher_after(domain=game, heuristic=guided) is not None
    monkeypatch.setitem(globals(), "guide", toward_goal)
    kept = searcher._kept[0].searcher
    assert searcher_after(domain=game, heuristic=guided) is not kept
    settings = SimpleNamespace(factor=1)
    assert searcher_after(domain=game, heuristic=lambda tiles: settings.factor, engine="readable") is None


def test_named_boards_of_one_game_share_a_searcher():
    """Although each names its game."""
    sl.solve("sliding-tile/puzzle8-20", heuristic="taxicab")
    (kept,) = searcher._kept
    sl.solve("sliding-tile/puzzle8-25", heuristic="taxicab")
    assert searcher._kept == [kept]


def half(tiles):
    """A fraction, for which there is no bucket."""
    return 0.5


SMALL = sl.Limits(memory=2**22)
REUSING = {
    "late-buckets": ("sliding-tile", "taxicab", "astar"),
    "early-buckets": ("sliding-tile", "taxicab", "astar:duplicates=early"),
    "by h alone": ("sliding-tile", "taxicab", "greedy"),
    "scores": ("2048:goal=64", "distance-weighted", "greedy"),
    "heap": ("2048:goal=64", "distance-weighted", "weighted-astar"),
    "late heap": ("sliding-tile", sl.Heuristic("half", half), "astar"),
    "early buckets, oldest first": ("sliding-tile", "taxicab", "astar:duplicates=early,order=oldest"),
    "late buckets, oldest first": ("sliding-tile", "taxicab", "astar:order=oldest"),
    "classes, oldest first": ("sliding-tile", "taxicab", "greedy:order=oldest"),
    "early buckets, at random": ("sliding-tile", "taxicab", "astar:duplicates=early,order=random"),
    "late buckets, at random": ("sliding-tile", "taxicab", "astar:order=random"),
    "classes, at random": ("sliding-tile", "taxicab", "greedy:order=random"),
    "in-order": ("sliding-tile", None, "breadth-first"),
    "stack": ("2048:goal=64", None, "depth-first"),
}
"""A search of each family whose memory the next one gets."""


GARBAGE = 10_000
"""The items that no search may read before it writes them; none needs more."""


def spare_of(made):
    return made._workspace.spare._spare


@pytest.mark.parametrize("searched", REUSING.values(), ids=REUSING)
def test_the_memory_that_the_next_search_gets_is_zero_or_written_before_it_is_read(searched):
    """Wherever the kernel may have written, in arrays that take memory as they are used, too."""
    domain, heuristic, frontier = searched
    made = sl.searcher(domain=domain, heuristic=heuristic, frontier=frontier, engine="compiled")
    start = BOARD if domain == "sliding-tile" else sl.domain(domain).start()
    result = made(start, limits=SMALL)
    assert result.status == "solved"
    (kept,) = spare_of(made)
    memory = kept._memory
    firsts = {name: first for name, *_, first in memory.layout.arrays}
    (compiled,) = made._workspace.problems.values()
    (search,) = compiled.prepared
    overwritten = [name for size in search.overwritten for name in memory.layout.reserved[size]]
    zero = [name for name, first in firsts.items() if not first and name not in overwritten]
    assert [name for name in zero if (memory.items[name] != 0).any()] == []
    for name in overwritten:
        memory.items[name][:GARBAGE].view(np.uint8)[...] = 0xA7
    again = made(start, limits=SMALL)
    assert spare_of(made) == [kept], "it was used again"
    assert (again.actions, again.expanded, again.peak_bytes) == (result.actions, result.expanded, result.peak_bytes)
    assert again.layers == result.layers


def test_searches_that_end_by_a_limit_release_their_memory():
    """The next one is not affected."""
    made = sl.searcher(domain="sliding-tile", heuristic="taxicab")
    few = sl.Limits(memory=2**22, expansions=5)
    assert made(FAR, limits=few).status == "expansion-limit"
    assert len(spare_of(made)) == 1
    found = made(FAR, limits=SMALL)
    alone = sl.solve(FAR, domain="sliding-tile", heuristic="taxicab", engine="readable")
    assert (found.expanded, found.generated, found.moves) == (alone.expanded, alone.generated, alone.moves)


def test_searches_may_have_different_memory_limits():
    """The arrays of each have room for as much as it may hold."""
    made = sl.searcher(domain="sliding-tile", heuristic="taxicab", frontier="astar")
    for more in range(3):
        limits = sl.Limits(memory=2**22 + more * 2**12)
        assert made(FAR, limits=limits).expanded == sl.solve(FAR, **TAXICAB).expanded
        (room,) = next(iter(made._workspace.problems.values())).rooms.values()
        assert room.memory == limits.memory


@pytest.mark.parametrize("domain", ["grid-map", None])
def test_instances_that_are_named_share_a_searcher(domain):
    """Each instance brings its own static data, which is no part of the searcher: later solutions are replayed fast."""
    searcher._kept.clear()
    used = set()
    for number in (1, 2, 3):
        name = f"grid-map/rooms.scen#{number}"
        result = sl.solve(name, domain=domain, engine="readable")
        used.add(id(searcher._kept[0].searcher))
        with sl.searcher(domain="grid-map", engine="readable") as fresh:
            expected = fresh(name)
        assert (result.cost, result.actions, result.expanded) == (expected.cost, expected.actions, expected.expanded)
    assert len(used) == 1
