"""A plugin with a hook that asks for something nobody gives, beside one that is right."""

from searchlab import Heuristic, hookimpl


@hookimpl
def searchlab_frontiers():
    return []


@hookimpl
def searchlab_heuristics(domain):
    yield Heuristic("never-seen", domain)
