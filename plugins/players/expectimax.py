"""The expectimax player, which looks ahead through the events of chance."""

from __future__ import annotations

from functools import lru_cache
from math import inf, isfinite
from typing import TYPE_CHECKING

from searchlab import Expectimax, LookAhead, Parameter, Player

if TYPE_CHECKING:
    from searchlab import BoundDomain, BoundHeuristic

CUTOFF, CUTOFF_OF_NETWORKS = 0.01, 0.03
AS_SUITS = -1.0


def looks_ahead(
    domain: BoundDomain,
    heuristic: BoundHeuristic,
    depth: int = 0,
    cutoff: float = AS_SUITS,
    seconds: float = 0.0,
    threads: int = 1,
    dead: str = "",
) -> Expectimax:
    """Return an Expectimax that computes the expected value of each move."""
    if cutoff == AS_SUITS:
        cutoff = CUTOFF if heuristic.component.network is None else CUTOFF_OF_NETWORKS
    return looking_ahead(domain, heuristic, depth, cutoff, seconds, threads, float(dead) if dead else None)


@lru_cache(maxsize=32)
def looking_ahead(
    domain: BoundDomain,
    heuristic: BoundHeuristic,
    depth: int,
    cutoff: float,
    seconds: float,
    threads: int,
    dead: float | None,
) -> Expectimax:
    """Return the Expectimax of a player, which is kept, because it holds compiled functions."""
    return Expectimax(
        LookAhead(domain, heuristic, cutoff, dead), depth=depth or None, seconds=seconds or None, threads=threads
    )


def check_cutoff(cutoff: float) -> str:
    """Return an error message for an invalid probability below which boards are not expanded, or `""`."""
    return "" if cutoff == AS_SUITS or 0 <= cutoff <= 1 else f"a probability is between 0 and 1, or {AS_SUITS:g}"


def check_seconds(seconds: float) -> str:
    """Return an error message for an invalid time per move, or `""`."""
    return "" if 0 <= seconds < inf else "a time is 0 or more"


def check_dead(dead: str) -> str:
    """Return an error message for an invalid value of a board without moves, or `""`."""
    try:
        return "" if not dead or isfinite(float(dead)) else "a finite number is wanted"
    except ValueError:
        return "a number is wanted"


EXPECTIMAX = Player(
    "expectimax",
    looks_ahead=looks_ahead,
    summary="the move with the best expected value, by looking ahead",
    parameters=(
        Parameter(
            "heuristic", "", "what judges the boards; by default as the domain says", kind="afterstate_heuristic"
        ),
        Parameter(
            "depth",
            0,
            "how often chance moves before boards are judged; 0: as suits the board",
            check=Expectimax.check_depth,
        ),
        Parameter(
            "cutoff",
            AS_SUITS,
            f"boards less likely are looked at no further; {AS_SUITS:g}: {CUTOFF}, of networks {CUTOFF_OF_NETWORKS}",
            check=check_cutoff,
        ),
        Parameter("seconds", 0.0, "time a move in place of a depth; 0: none", check=check_seconds),
        Parameter("threads", 1, "on how many cores it looks ahead", check=Expectimax.check_threads),
        Parameter(
            "dead",
            "",
            "what a board without moves is worth; by default 0 where the heuristic is a score, else -1e9",
            check=check_dead,
        ),
    ),
)
