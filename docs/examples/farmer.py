"""A farmer crosses a river with a wolf, a goat and a cabbage: states are frozensets, not boards."""

from searchlab import Defaults, Domain, Heuristic, Views, plugin

EVERYBODY = frozenset({"farmer", "wolf", "goat", "cabbage"})
FIGHTS = {"wolf", "goat"}, {"goat", "cabbage"}


def start():
    """Everybody is on the left bank."""
    return EVERYBODY


def successors(left):
    """The farmer crosses alone or with one other, whom `sorted` takes in the same order in every run."""
    here = left if "farmer" in left else EVERYBODY - left
    for other in sorted(here):
        crossing = {"farmer", other}
        after = left - crossing if "farmer" in left else left | crossing
        alone = EVERYBODY - after if "farmer" in after else after
        if not any(fight <= alone for fight in FIGHTS):
            yield ("alone" if other == "farmer" else other), after


def is_goal(left):
    """Nobody is left."""
    return not left


def label(left):
    """Both banks, in words."""
    return f"{', '.join(sorted(left)) or 'nobody'} | {', '.join(sorted(EVERYBODY - left)) or 'nobody'}"


def still_here(left):
    """Each passenger on the left bank needs a crossing of the boat, and before that the boat has to come back."""
    crossings = 2 * len(left - {"farmer"})
    return max(1, crossings - 1) if "farmer" in left else crossings


hooks = plugin(
    Domain(
        "farmer",
        successors,
        is_goal,
        summary="wolf, goat and cabbage",
        start=start,
        views=Views(label=label),
        defaults=Defaults(heuristic="still-here"),
    ),
    Heuristic(
        "still-here",
        still_here,
        domains={"farmer"},
        admissible=True,
        consistent=True,
        summary="crossings for the passengers on the left bank",
    ),
)
