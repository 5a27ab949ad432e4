"""A plugin that claims names which others have: of a shipped frontier, a shipped alias, and another plugin."""

from searchlab import Frontier, Heuristic, hookimpl


def flat(tiles):
    return 0


@hookimpl
def searchlab_frontiers():
    yield Frontier("greedy", lambda g, h: -h)


@hookimpl
def searchlab_heuristics():
    yield Heuristic("weighted", flat)
    yield Heuristic("left-heavy", flat)
