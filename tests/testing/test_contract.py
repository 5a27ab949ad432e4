"""Everything that ships with searchlab keeps the contract it holds others to."""

import numpy as np
import pytest

import searchlab as sl
from searchlab.testing import check
from searchlab.testing.contract import PROPERTIES
from tests.games.test_programs import command

SHIPPED = [
    (kind, registered.component)
    for kind in PROPERTIES
    for registered in sl.Plugins().all(kind)
    if registered.plugin.name == "searchlab"
    and not any(p.kind in ("file", "command") for p in registered.component.parameters)
]


ONE_SIZE = {("player", "tutorial"): "2048-random:n=4", ("player", "exact"): "2048-random:n=2"}
"""Players that look ahead as `expectimax` does, which is checked on all sizes, with a heuristic that is, too."""


LARGE = {"cube2"}
"""Games that have one size, with millions of boards."""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "component"), SHIPPED, ids=lambda item: item if isinstance(item, str) else item.name)
def test_shipped_components_keep_their_contracts(kind, component):
    """Nothing fails; what is declared of a heuristic is checked on every board of the small games."""
    of_one_size = ONE_SIZE.get((kind, component.name), "")
    start = sl.domain(of_one_size).start() if of_one_size else None
    # What combines heuristics is checked with a domain's own, an estimate: the first domain's own is a score.
    combines = getattr(component, "combine", None) is not None
    domain = "sliding-tile" if combines else of_one_size
    (report,) = check(component, domain=domain, board=start, must_compile=True)
    assert report.kind == kind
    assert report.grounds or kind in ("executor", "metric")
    assert [f"{asked.name}: {finding}" for asked, finding in report.findings if finding.status == "failed"] == []
    if kind == "heuristic" and component.admissible:
        assert report.finding("admissible").status == "passed"
        h = sl.heuristic(component, domain=domain or None)
        assert report.finding("consistent").status in ({"passed"} if h.consistent else {"passed", "info"})
        assert "on all " in report.finding("verdict").message or component.domains <= LARGE or not h.admissible


@pytest.mark.slow
def test_a_program_keeps_the_contract_of_a_player():
    """As far as its program does: one that makes the last move."""
    (report,) = check(f"program:command=[{command('last')}]", kind="player", domain="2048-random:n=2", seconds=5)
    statuses = {asked.name: finding.status for asked, finding in report.findings}
    assert [name for name in ("legal", "same-seed", "pure", "plays") if statuses[name] != "passed"] == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["heuristic", "player"])
def test_a_trained_network_keeps_its_contract(kind, tmp_path):
    """On the boards of its shape."""
    network = sl.NTupleNetwork(3, 3, ((0, 1, 2), (3, 4)))
    network.weights[...] = np.random.default_rng(1).normal(size=network.entries)
    learning = sl.AfterstateLearning(network, sl.domain("2048-random", n=3))
    learning.save(tmp_path / "network.npz", {})
    (report,) = check(f"ntuple:file={tmp_path / 'network.npz'}", kind=kind, domain="2048-random")
    assert report.grounds
    assert all(", 3 × 3" in ground for ground in report.grounds)
    assert [str(finding) for _, finding in report.findings if finding.status == "failed"] == []


@pytest.mark.slow
@pytest.mark.parametrize("spelled", ["weighted-astar:weight=1", "astar:duplicates=early", "astar:duplicates=late"])
def test_frontiers_with_parameters_keep_theirs(spelled):
    """With a weight of 1 the promise is another one."""
    (report,) = check(spelled)
    assert report.passed
    assert report.finding("optimal").facts["solutions"] == 200


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["sliding-tile:goal=blank-first", "2048:spawn=corner"])
def test_domains_with_parameters_keep_their_contracts(domain):
    """The samples follow the parameters."""
    (report,) = check(domain)
    assert report.passed
    parameter = domain.partition(":")[2]
    assert all(parameter in ground for ground in report.grounds)


@pytest.mark.slow
@pytest.mark.parametrize("domain", ["sliding-tile:goal=blank-first", "2048:spawn=corner"])
def test_heuristics_keep_their_contracts_with_other_parameters_of_a_domain(domain):
    """The declarations hold for all parameters of the domain."""
    name = "taxicab" if domain.startswith("sliding") else "moves-to-go"
    (report,) = check(name, domain=domain)
    assert report.passed
    assert report.finding("admissible").status == "passed"
