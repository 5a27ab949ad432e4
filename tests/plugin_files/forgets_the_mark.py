"""A plugin with a hook that is not marked."""

from searchlab import Heuristic


def searchlab_heuristics():
    yield Heuristic("never-seen", len)
