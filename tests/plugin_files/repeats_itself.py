"""A plugin that brings a name twice."""

from searchlab import Heuristic, hookimpl


def one(tiles):
    return 1


def two(tiles):
    return 2


@hookimpl
def searchlab_heuristics():
    yield Heuristic("one", one, aliases=("first",))
    yield Heuristic("first", two)
