"""The player that looks ahead through what chance may do."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from searchlab import Expectimax, LookAhead, Parameter, Player

if TYPE_CHECKING:
    from searchlab import Board, BoundDomain, BoundHeuristic, Move

CUTOFF = 0.01


def expectimax(
    board: Board,
    moves: tuple[Move, ...],
    domain: BoundDomain,
    heuristic: BoundHeuristic,
    depth: int = 0,
    cutoff: float = CUTOFF,
    seconds: float = 0.0,
    threads: int = 1,
) -> str:
    """Return the move after which the most can be expected."""
    if len(moves) == 1:
        return moves[0].action
    action: str = looking_ahead(domain, heuristic, depth, cutoff, seconds, threads).best(board)
    return action


@lru_cache(maxsize=8)
def looking_ahead(
    domain: BoundDomain, heuristic: BoundHeuristic, depth: int, cutoff: float, seconds: float, threads: int
) -> Expectimax:
    """Return what looks ahead for a player, with what it has compiled."""
    return Expectimax(
        LookAhead(domain, heuristic, cutoff), depth=depth or None, seconds=seconds or None, threads=threads
    )


EXPECTIMAX = Player(
    "expectimax",
    expectimax,
    summary="the move after which the most can be expected, whatever chance does",
    parameters=(
        Parameter("heuristic", "", "what judges the boards; by default the domain's own", kind="heuristic"),
        Parameter("depth", 0, "how often chance moves before boards are judged; 0: as suits the board"),
        Parameter("cutoff", CUTOFF, "boards less likely than this are looked at no further"),
        Parameter("seconds", 0.0, "time a move in place of a depth; 0: none"),
        Parameter("threads", 1, "on how many cores it looks ahead"),
    ),
)
