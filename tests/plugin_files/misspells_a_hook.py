"""A plugin with a hook that does not exist."""

from searchlab import Heuristic, hookimpl


@hookimpl
def searchlab_heuristic():
    yield Heuristic("never-seen", len)
