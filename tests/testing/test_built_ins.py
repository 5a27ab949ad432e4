"""Everything that ships with searchlab keeps the contract it holds others to."""

import pytest

import searchlab as sl
from searchlab.testing import check
from searchlab.testing.contract import PROPERTIES

SHIPPED = [
    (kind, registered.component)
    for kind in PROPERTIES
    for registered in sl.Plugins().all(kind)
    if registered.plugin.name == "searchlab"
]


@pytest.mark.parametrize(("kind", "component"), SHIPPED, ids=lambda item: item if isinstance(item, str) else item.name)
def test_what_ships_keeps_its_contract(kind, component):
    """Nothing fails; what is declared of a heuristic is checked on every board of the small games."""
    (report,) = check(component, seconds=60)
    assert report.kind == kind
    assert [f"{asked.name}: {finding}" for asked, finding in report.findings if finding.status == "failed"] == []
    if kind == "heuristic" and component.admissible:
        assert report.finding("admissible").status == report.finding("consistent").status == "passed"
        assert "on all " in report.finding("verdict").message


@pytest.mark.parametrize("spelled", ["weighted-astar:weight=1", "astar:duplicates=early", "astar:duplicates=late"])
def test_frontiers_with_parameters_keep_theirs(spelled):
    """With a weight of 1 the promise is another one."""
    (report,) = check(spelled)
    assert report.passed
    assert report.finding("optimal").facts["solutions"] == 8


@pytest.mark.parametrize("domain", ["sliding-tile:goal=blank-first", "2048:spawn=corner"])
def test_domains_with_parameters_keep_theirs(domain):
    """The samples follow the parameters."""
    (report,) = check(domain)
    assert report.passed
    parameter = domain.partition(":")[2]
    assert all(parameter in ground for ground in report.grounds)


@pytest.mark.parametrize("domain", ["sliding-tile:goal=blank-first", "2048:spawn=corner"])
def test_heuristics_keep_theirs_under_other_rules(domain):
    """What is declared holds whatever the parameters of the domain."""
    name = "taxicab" if domain.startswith("sliding") else "moves-to-go"
    (report,) = check(name, domain=domain)
    assert report.passed
    assert report.finding("admissible").status == "passed"
