"""The example of an additive pattern database: lengths of Korf's boards, in both engines."""

from pathlib import Path

import pytest

import searchlab as sl

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "patterns.py"
DOMAIN = "sliding-tile:goal=blank-first"
LENGTHS = {12: 45, 19: 46, 28: 52, 31: 50, 42: 42, 45: 51, 48: 49, 55: 41, 79: 42, 80: 57}
FIRST = sl.Limits(expansions=300)
FIGURES = ("status", "actions", "optimal", "expanded", "generated", "evaluated")


@pytest.fixture(scope="module")
def plugins():
    return sl.Plugins(files=[EXAMPLE])


@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_shortest_solutions_of_ten_of_korfs_boards(plugins, frontier):
    """They are as long as Korf found (1985)."""
    for number, length in LENGTHS.items():
        board = f"sliding-tile/korf100/{number:03d}"
        result = sl.solve(board, domain=DOMAIN, heuristic="patterns", frontier=frontier, plugins=plugins)
        assert (result.engine, result.moves, result.optimal) == ("compiled", length, True)


@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_both_engines_expand_the_same_nodes(plugins, frontier):
    """The first 300, in the same order."""
    figures = []
    for engine in ("compiled", "readable"):
        how = {"heuristic": "patterns", "frontier": frontier, "engine": engine, "limits": FIRST}
        result = sl.solve("sliding-tile/korf100/080", domain=DOMAIN, plugins=plugins, **how)
        figures.append([getattr(result, name) for name in FIGURES])
    assert figures[0] == figures[1]
