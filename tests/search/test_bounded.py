"""Searches with a weight or a bound, and those that go on, equal A* at 1, and keep their factor elsewhere."""

import random

import pytest

import searchlab as sl

AT_ONE = (
    "weighted-astar:weight=1",
    "xdp:bound=1",
    "xup:bound=1",
    "pwxd:bound=1",
    "dynamic-weighting:bound=1",
    *("astar-epsilon:bound=1", "ees:bound=1", "ios:bound=1", "optimistic:bound=1"),
    "alternating:bound=1",
    "ara",
    "ana",
    "dps:bound=1",
    "anytime-weighted",
    "restarting-weighted",
)
"""Those that end with an optimal solution."""
WITHIN_TWO = (
    "weighted-astar:weight=2",
    "xdp:bound=2",
    "xup:bound=2",
    "pwxd:bound=2",
    "dps:bound=2,reopen=yes",
    *("ios:bound=2", "astar-epsilon:bound=2,reopen=yes", "ees:bound=2,reopen=yes", "optimistic:bound=2,reopen=yes"),
    "weighted-astar:weight=2,reopen=yes",
    "xdp:bound=2,reopen=yes",
)
EASIEST = ("009", "012", "019", "042", "047", "055", "079", "093", "094", "097")
"""Korf's boards on which A* with the taxicab distance expands the fewest nodes."""


def costs(boards, frontier, **parts):
    with sl.searcher(frontier=frontier, engine="compiled", **parts) as searcher:
        return [searcher(board) for board in boards]


@pytest.fixture(scope="module")
def stacks():
    """Two hundred stacks of pancakes, shuffled, and their optimal costs."""
    shuffle = random.Random(1)
    boards = [sl.Board([shuffle.sample(range(1, 10), 9)]) for _ in range(200)]
    return boards, [result.cost for result in costs(boards, "astar", domain="pancake:n=9")]


@pytest.mark.parametrize("frontier", AT_ONE)
def test_at_one_stacks_of_pancakes_cost_what_they_cost_with_astar(stacks, frontier):
    boards, optimal = stacks
    results = costs(boards, frontier, domain="pancake:n=9")
    assert [result.cost for result in results] == optimal
    assert all(result.optimal for result in results)


@pytest.mark.parametrize("frontier", WITHIN_TWO)
@pytest.mark.parametrize("heuristic", ["gap", "no-estimate"])
def test_solutions_are_within_the_factor(stacks, frontier, heuristic):
    boards, optimal = stacks
    if heuristic == "no-estimate":
        heuristic = sl.Heuristic("no-estimate", lambda tiles: 0.0, admissible=True, consistent=True)
        boards, optimal = boards[:3], optimal[:3]
    for result, best in zip(costs(boards, frontier, domain="pancake:n=9", heuristic=heuristic), optimal, strict=True):
        assert best <= result.cost <= result.bound * best
        assert result.bound <= 2
        assert "reopen" in frontier or result.reopened == 0


@pytest.mark.slow
@pytest.mark.parametrize("frontier", AT_ONE)
def test_at_one_the_easiest_boards_of_korf_cost_what_they_cost_with_astar(frontier):
    boards = [f"sliding-tile/korf100/{number}" for number in EASIEST]
    parts = {"domain": "sliding-tile:goal=blank-first", "heuristic": "taxicab"}
    optimal = [result.cost for result in costs(boards, "astar", **parts)]
    assert [result.cost for result in costs(boards, frontier, **parts)] == optimal
