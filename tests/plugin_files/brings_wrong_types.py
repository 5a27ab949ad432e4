"""A plugin that returns a few things that are no heuristics, and one that is."""

from searchlab import Frontier, Heuristic, hookimpl


@hookimpl
def searchlab_heuristics():
    return ["text", None, Frontier("a-frontier", lambda g, h: h), Heuristic, Heuristic("right", len)]


@hookimpl
def searchlab_domains():
    return None


@hookimpl
def searchlab_commands():
    return [print, "help"]
