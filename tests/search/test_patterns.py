"""The example of an additive pattern database: lengths of Korf's boards, in both engines."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.testing import check

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "patterns.py"
DOMAIN = "sliding-tile:goal=blank-first"
NEAR = sl.Board([[4, 1, 2, 3], [8, 5, 6, 7], [12, 9, 10, 11], [13, 14, 0, 15]])
LENGTHS = {12: 45, 19: 46, 28: 52, 31: 50, 42: 42, 45: 51, 48: 49, 55: 41, 79: 42, 80: 57}
FIRST = sl.Limits(expansions=300)
FIGURES = ("status", "actions", "optimal", "expanded", "generated", "evaluated")


@pytest.fixture(scope="module")
def plugins():
    return sl.Plugins(files=[EXAMPLE])


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_shortest_solutions_of_ten_of_korfs_boards(plugins, frontier):
    """They are as long as Korf found (1985)."""
    for number, length in LENGTHS.items():
        board = f"sliding-tile/korf100/{number:03d}"
        result = sl.solve(board, domain=DOMAIN, heuristic="patterns", frontier=frontier, plugins=plugins)
        assert (result.engine, result.moves, result.optimal) == ("compiled", length, True)


@pytest.mark.slow
@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_both_engines_expand_the_same_nodes(plugins, frontier):
    """The first 300, in the same order."""
    figures = []
    for engine in ("compiled", "readable"):
        how = {"heuristic": "patterns", "frontier": frontier, "engine": engine, "limits": FIRST}
        result = sl.solve("sliding-tile/korf100/080", domain=DOMAIN, plugins=plugins, **how)
        figures.append([getattr(result, name) for name in FIGURES])
    assert figures[0] == figures[1]


@pytest.mark.slow
def test_the_heuristic_passes_the_contract(plugins):
    """Values carried along a path equal those computed at its end, and the sum is never above the cost."""
    (report,) = check("patterns", domain=DOMAIN, board=NEAR, seconds=0.2, plugins=plugins)
    assert report.passed
    asked = ("answers", "same-compiled", "incremental", "goal-value", "admissible")
    assert [report.finding(name).status for name in asked] == ["passed"] * 5


def test_boards_of_other_sizes_have_no_table(plugins):
    """One line says so."""
    with pytest.raises(sl.UsageError, match="patterns is for boards of 4 × 4"):
        sl.solve("sliding-tile/puzzle8-31", heuristic="patterns", plugins=plugins)
