"""The smallest plugin: one heuristic."""

from searchlab import Heuristic, hookimpl


def left_heavy(tiles):
    """Sum of the first column, the lower rows counting more."""
    score = 0
    for row in range(tiles.shape[0]):
        score += (row + 1) * tiles[row, 0]
    return score


@hookimpl
def searchlab_heuristics():
    yield Heuristic("left-heavy", left_heavy, domains={"2048"}, prefer="high", summary="heavy left column")
