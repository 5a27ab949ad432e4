"""Every domain that ships is searched by every frontier strategy in compiled code."""

import pytest

import searchlab as sl
from searchlab.plugins.registry import installed

EXAMPLES = {
    "2048": ("2048/board10", "2048", "moves-to-go"),
    "cube2": ("cube2/moves-02", "cube2", None),
    "graph": ("graph/romania.edges#1", "graph", None),
    "grid-map": ("grid-map/rooms.scen#1", "grid-map", None),
    "hanoi": ("hanoi/discs-03", "hanoi", None),
    "lights-out": ("lights-out/all-3", "lights-out", None),
    "pancake": ("pancake/stack-05-1", "pancake:cost=heavy", None),
    "sliding-tile": ("sliding-tile/puzzle8-20", "sliding-tile", None),
    "strips": ("strips/gripper-2.pddl", "strips", None),
    "topspin": ("topspin/ring-08-2", "topspin", None),
}
"""For each domain a board that ships, the domain, and a heuristic where its own is not for all frontiers."""
GAMES_OF_CHANCE = {"2048-random"}
FRONTIERS = [registered.component for registered in installed().all("frontier")]


def test_every_shipped_domain_has_an_example():
    shipped = {registered.component.name for registered in installed().all("domain")}
    assert shipped == set(EXAMPLES) | GAMES_OF_CHANCE


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("frontier", [component.name for component in FRONTIERS if component.run is None])
@pytest.mark.parametrize("domain", EXAMPLES)
def test_every_frontier_is_compiled(domain, frontier):
    """Some do not find a solution in so few expansions; a solution is one by the rules, see `replay`."""
    board, spelled, heuristic = EXAMPLES[domain]
    limits = sl.Limits(expansions=20_000)
    if sl.frontier(frontier).component.family == "bidirectional" and not sl.domain(spelled).component.inverse:
        with pytest.raises(sl.UsageError, match="also searches from the goals"):
            sl.solve(board, domain=spelled, heuristic=heuristic, frontier=frontier, limits=limits)
        return
    if frontier == "epea-star" and domain not in ("pancake", "sliding-tile", "topspin"):
        with pytest.raises(sl.UsageError, match="produces only the successors whose turn has come"):
            sl.solve(board, domain=spelled, heuristic=heuristic, frontier=frontier, limits=limits)
        return
    result = sl.solve(board, domain=spelled, heuristic=heuristic, frontier=frontier, limits=limits)
    assert result.engine == "compiled"
    assert result.status in ("solved", "expansion-limit")
