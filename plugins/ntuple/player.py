"""The player of a trained network, which looks ahead with it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from searchlab import Expectimax, LookAhead, Parameter, Player, heuristic
from searchlab_plugins.ntuple.trained import DOMAINS, DOWNGRADE, FILE, HEURISTIC, network

if TYPE_CHECKING:
    from searchlab import BoundDomain, NTupleNetwork

CUTOFF = 0.01


def looks_ahead(
    domain: BoundDomain, file: str = "", depth: int = 0, cutoff: float = CUTOFF, downgrade: int = 0
) -> Expectimax:
    """Return an Expectimax that computes the points that a network expects for each move, its own included."""
    return looking_ahead(domain, network(file, downgrade), depth, cutoff, file, downgrade)


@lru_cache(maxsize=8)
def looking_ahead(
    domain: BoundDomain, _: NTupleNetwork, depth: int, cutoff: float, file: str, downgrade: int
) -> Expectimax:
    """Return the Expectimax of a network; it is kept until the content of the file changes."""
    judge = heuristic(HEURISTIC, domain=domain, file=file, downgrade=downgrade)
    return Expectimax(LookAhead(domain, judge, cutoff), depth=depth)


def check_cutoff(cutoff: float) -> str:
    """Return an error message for an invalid probability below which boards are not expanded, or `""`."""
    return "" if 0 <= cutoff <= 1 else "a probability is between 0 and 1"


PLAYER = Player(
    "ntuple",
    looks_ahead=looks_ahead,
    domains=DOMAINS,
    parameters=(
        FILE,
        Parameter("depth", 0, "how often chance moves before boards are judged", check=Expectimax.check_depth),
        Parameter("cutoff", CUTOFF, "boards less likely than this are looked at no further", check=check_cutoff),
        DOWNGRADE,
    ),
    summary="the move with the most points predicted by a trained n-tuple network",
)
