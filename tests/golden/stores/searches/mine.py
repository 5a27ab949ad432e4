"""A heuristic and a metric of the experiment beside this file."""

from searchlab import Metric, hookimpl

WEIGHT = 2


def corner(tiles):
    """Rate the tile in the first corner."""
    return WEIGHT * abs(tiles[0, 0] - 1)


def branching(result):
    """Return the generated successors of each expanded node."""
    return result.generated / max(1, result.expanded)


@hookimpl
def searchlab_metrics():
    yield Metric("branching", branching, summary="successors of each expanded node")
