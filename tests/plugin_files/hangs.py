"""Functions that do not return, or take all the memory there is, on some boards."""

import itertools
import os

from searchlab import Defaults, Domain, Heuristic, hookimpl

HELD = {}


def spins(tiles):
    """Never return."""
    while tiles[0, 0] >= 0:
        pass
    return 0


def holds(tiles):
    """Never return, and let no other thread run."""
    return sum(itertools.repeat(tiles[0, 0]))


def spins_at_32(tiles):
    """Do not return where the largest tile is 32."""
    while tiles.max() == 32:
        pass
    return 2048 - tiles.max()


def eats(tiles):
    """Take all memory in one call."""
    taken = [1]
    while tiles[0, 0] >= 0:
        taken.append(len(taken))
    return taken[3]


def hoards(tiles):
    """Take a little more memory with each call."""
    HELD[len(HELD)] = [tiles.sum()] * 100_000
    return 1


def is_refused(tiles):
    """Want more memory than there is."""
    raise MemoryError


def ends(tiles):
    """Take the process down."""
    os._exit(1)


def raises(tiles):
    """Be wrong."""
    return 1 // (tiles[0, 0] - tiles[0, 0])


def endless(board):
    """Yield no successor, and do not end."""
    while board.n:
        pass
    yield "never", board


@hookimpl
def searchlab_heuristics():
    for function in (spins, holds, spins_at_32, eats, hoards, is_refused, ends, raises):
        yield Heuristic(function.__name__.replace("_", "-"), function, domains={"2048"})


@hookimpl
def searchlab_domains():
    yield Domain("endless", endless, lambda board: False, defaults=Defaults(heuristic="zero"))
