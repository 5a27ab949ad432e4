"""The grid maps of the documentation: every frontier finds a way."""

from pathlib import Path

import pytest

import searchlab as sl
from searchlab.testing import check

FILES = Path(__file__).parents[2] / "docs" / "examples"
OPTIMAL = {"astar", "uniform-cost", "ida-star", "iterative-deepening"}
PLUGINS = sl.Plugins(files=[FILES / "grid.py"])
FRONTIERS = sorted(item.component.name for item in PLUGINS.all("frontier"))


@pytest.mark.parametrize("ways", [4, 8])
@pytest.mark.parametrize("frontier", [name for name in FRONTIERS if name != "epea-star"])  # it needs `chosen`
def test_every_frontier_finds_a_way(frontier, ways):
    """Over the map of the samples, with diagonal steps and without; the cheapest where that is claimed."""
    domain = sl.domain("grid", ways=ways, plugins=PLUGINS)
    (sample,) = domain.component.samples()
    start = sl.Instance("", sl.Board([[0, 1]]), sample.static)
    result = sl.solve(start, domain=domain, frontier=frontier, plugins=PLUGINS, engine="readable")
    assert result.status == "solved"
    cheapest = 6 if ways == 4 else 4 + 2**0.5
    assert result.cost >= cheapest - 1e-9
    assert result.cost == pytest.approx(cheapest) or not result.optimal
    assert result.optimal or frontier not in OPTIMAL


def test_the_maps_of_the_docs_pass_the_contract():
    """The domain, and its heuristic to and from every cell; with diagonal steps and without."""
    reports = check(FILES / "grid.py", seconds=0.2)
    assert [(report.kind, report.passed) for report in reports] == [("domain", True), ("heuristic", True)]
    assert all(any("grid:ways=4" in ground for ground in report.grounds) for report in reports)
    assert reports[1].finding("between").status == "passed"
