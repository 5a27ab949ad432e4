"""Functions that let no other thread of their process run: they write that they have begun, and do not return."""

import ctypes
import itertools
import re
from pathlib import Path

from searchlab import Defaults, Domain, Learner, Player, hookimpl


def begun():
    """Tell whoever wants to press Ctrl-C now."""
    Path("begun").touch()


def holds(tiles):
    """Never return from a function written in C."""
    begun()
    return sum(itertools.repeat(1))


def matches(tiles):
    """Look for what takes longer than the universe is old."""
    begun()
    return len(re.match(r"(a|aa)+$", "a" * 60 + "b") or "")


def sleeps(tiles):
    """Wait in a library that does not let go of the interpreter."""
    begun()
    return ctypes.PyDLL(None).sleep(600)


def takes(tiles):
    """Take all memory in one call of a function written in C."""
    begun()
    return len(list(itertools.repeat(1)))


def chooses(board, moves):
    """Never choose."""
    return holds(board)


def learns(domain, seed):
    """Never begin to learn."""
    return holds(domain)


def endless(board):
    """Never yield."""
    yield "never", holds(board)


@hookimpl
def searchlab_players():
    yield Player("holding", chooses)


@hookimpl
def searchlab_learners():
    yield Learner("holding", learns)


@hookimpl
def searchlab_domains():
    yield Domain("holding", endless, lambda board: False, defaults=Defaults(heuristic="zero"))
