"""A plugin of which one hook fails and another works."""

from searchlab import Frontier, Heuristic, hookimpl


@hookimpl
def searchlab_heuristics():
    yield Heuristic("never-seen", len)
    raise LookupError("its table\nis missing")


@hookimpl
def searchlab_frontiers():
    yield Frontier("still-there", lambda g, h: g)
