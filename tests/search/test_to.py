"""A board in place of the goal: `Domain.to`, in every shipped domain that lists its goals and has inverse moves."""

from dataclasses import replace

import numpy as np
import pytest

import searchlab as sl
from searchlab.plugins.registry import installed

STARTS = {
    "cube2": [[1, 2, 3, 4, 5, 6, 7], [0] * 7],
    "graph": None,
    "grid-map": None,
    "hanoi": [[1, 1, 1]],
    "lights-out": [[0, 0, 0, 0], [0, 1, 0, 0]],
    "pancake": [[1, 2, 3, 4, 5]],
    "sliding-tile": [[1, 2, 3], [4, 5, 0]],
    "topspin": [[1, 2, 3, 4, 5, 6, 7]],
}
"""For each domain a board from which others are reached; None for that of its first sample."""
FRONTIERS = ("astar", "ida-star", "uniform-cost", "weighted-astar:weight=2", "cabs")
STEPS = 4


def positions(spelled, seed):
    """Return a domain, a board at random, and one a few moves away from it."""
    rows = STARTS[spelled]
    domain = sl.domain(spelled)
    domain, board = domain.at(sl.Board(rows) if rows else next(iter(domain.component.samples())))
    random = np.random.default_rng(seed)
    boards = [board]
    for _ in range(2 * STEPS):
        near = domain.neighbors(boards[-1])
        if near:
            boards.append(near[random.integers(len(near))])
    return domain, boards[len(boards) // 2], boards[-1]


def distance(domain, start, goal):
    """Return the least cost from one board to another, by going over the moves until nothing gets cheaper."""
    costs, changed = {start: 0}, [start]
    while changed:
        board = changed.pop(0)
        for edge in domain.edges(board):
            if costs[board] + edge.cost < min(costs.get(edge.board, np.inf), costs.get(goal, np.inf)) - 1e-12:
                costs[edge.board] = costs[board] + edge.cost
                changed.append(edge.board)
    return costs[goal]


def test_the_domains_are_those_with_goals_and_inverse_moves():
    components = [registered.component for registered in installed().all("domain")]
    assert {one.name for one in components if not one.why_one_goal} == set(STARTS)


@pytest.mark.parametrize("spelled", STARTS)
def test_any_board_takes_the_place_of_the_goal(spelled):
    """It alone is a goal, for each search; the cost is the least, no bound is above it, and the solution ends there."""
    for seed in range(2):
        domain, start, other = positions(spelled, seed)
        to = domain.towards(other)
        assert (to.goals(start), to.is_goal(other)) == ((other,), True)
        assert all(to.is_goal(goal) == (goal == other) for goal in domain.goals(start))
        cost = distance(domain, start, other)
        assert to.lower_bound(start) <= cost + 1e-9
        problem = sl.Instance("", start, domain.instance.static) if domain.instance else start
        for frontier in FRONTIERS[: 5 if domain.unit_cost else 4 - seed]:
            result = sl.solve(problem, domain=to, frontier=frontier, engine="readable")
            assert (result.status, result.boards[-1]) == ("solved", other)
            if result.optimal or "=" not in frontier:
                assert result.cost == pytest.approx(cost, rel=1e-9)
            assert result.lower_bound <= cost * (1 + 1e-9)


@pytest.mark.parametrize(
    ("spelled", "start", "reached", "other"),
    [
        ("sliding-tile", [[2, 1, 3], [4, 5, 0]], [[1, 2, 3], [5, 4, 0]], [[1, 2, 3], [4, 5, 0]]),
        ("sliding-tile", [[1, 2, 3], [4, 5, 0]], [[1, 2, 3], [4, 0, 5]], [[2, 1, 3], [4, 5, 0]]),
        ("topspin", [[1, 3, 2, 4, 5, 6, 7]], [[1, 2, 3, 4, 5, 7, 6]], [[1, 2, 3, 4, 5, 6, 7]]),
        ("lights-out", [[1, 0, 0, 0], *[[0] * 4] * 3], [[0, 1, 0, 0], [1, 0, 0, 0], *[[0] * 4] * 2], [[0] * 4] * 4),
    ],
)
def test_what_cannot_be_reached_is_told_without_a_search(spelled, start, reached, other):
    """Whether there is a way between two boards does not depend on the usual goal."""
    domain, board = sl.domain(spelled), sl.Board(start)
    assert domain.towards(sl.Board(reached)).why_unsolvable(board) == ""
    why = domain.towards(sl.Board(other)).why_unsolvable(board)
    assert why
    result = sl.solve(board, domain=domain.towards(sl.Board(other)))
    assert (result.status, result.reason, result.expanded) == ("unsolvable", why, 0)


@pytest.mark.slow
def test_compiled_and_readable_searches_do_the_same():
    domain, start = sl.domain("sliding-tile"), sl.Board([[3, 6, 0], [1, 5, 7], [8, 2, 4]])
    to = domain.towards(sl.Board([[1, 2, 3], [8, 0, 4], [7, 5, 6]]))
    for frontier in ("astar", "ida-star", "beam:width=50"):
        found = [sl.solve(start, domain=to, frontier=frontier, engine=engine) for engine in ("compiled", "readable")]
        assert len({(r.status, r.actions, r.expanded, r.generated, r.evaluated) for r in found}) == 1
    usual, same = sl.solve(start, domain=domain), sl.solve(start, domain=domain.towards(*domain.goals(start)))
    assert (usual.actions, usual.expanded, usual.optimal) == (same.actions, same.expanded, same.optimal)


def test_the_goal_is_part_of_the_name():
    """So it is that of a result, can be given by name, and makes another search of the same board."""
    domain, other = sl.domain("sliding-tile:cost=heavy"), sl.Board([[1, 2, 3], [4, 0, 5]])
    to = domain.towards(other)
    assert str(to) == "sliding-tile:cost=heavy,to=1 2 3/4 0 5"
    assert sl.domain(str(to)).target == other
    assert to.key != domain.key
    assert str(sl.heuristic("taxicab", domain=to)) == "taxicab"
    result = sl.solve(sl.Board([[1, 2, 3], [4, 5, 0]]), domain=str(to))
    assert (result.domain, result.actions) == (str(to), ("left",))


def test_heuristics_estimate_by_their_between():
    """Alone, in combinations, and as further heuristics of a frontier; without it they are refused."""
    to = sl.domain("sliding-tile").towards(sl.Board([[1, 2, 3], [4, 0, 5]]))
    start = sl.Board([[0, 1, 3], [4, 2, 5]])
    assert [sl.heuristic(name, domain=to)(start) for name in ("taxicab", "sum:of=[taxicab,misplaced]")] == [2, 4]
    result = sl.solve(
        start, domain=to, frontier="alternating:heuristics=[misplaced,linear-conflict]", engine="readable"
    )
    assert result.moves == 2
    said = "heuristic pattern-database has no estimate from one board to another"
    for name in ("pattern-database", "max:of=[taxicab,pattern-database]"):
        with pytest.raises(sl.UsageError, match=said):
            sl.heuristic(name, domain=to)


def test_bounds_and_reasons_about_the_usual_goal_are_not_claimed():
    """Those of a domain whose functions do not ask for the listed goals; and it needs no heuristic of its own."""
    component = replace(
        sl.domain("hanoi").component,
        lower_bound=lambda board: 1000,
        why_unsolvable=lambda board: "never",
        defaults=sl.Defaults(),
        ends_at_goal=True,
    )
    start, other = sl.Board([[1, 1]]), sl.Board([[2, 1]])
    to = sl.domain(component).towards(other)
    assert (to.lower_bound(start), to.why_unsolvable(start)) == (0, "")
    result = sl.solve(start, domain=to, engine="readable")
    assert (result.status, result.moves, result.heuristic) == ("solved", 1, "no_estimate")
    assert sl.domain(component).why_unsolvable(start) == "never"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"goals": None, "is_goal": lambda board: False}, r"it does not list its goals \(Domain.goals\)"),
        ({"inverse": ""}, r"it does not list predecessors \(Domain.inverse\)"),
    ],
)
def test_a_domain_that_lacks_something_is_refused_with_its_name(change, said):
    domain = sl.domain(replace(sl.domain("hanoi").component, **change))
    with pytest.raises(sl.UsageError, match=f"hanoi: no board can take the place of the goal: {said}"):
        domain.towards(sl.Board([[1, 1]]))
    with pytest.raises(sl.UsageError, match="'to'"):
        sl.domain(domain.component, to="1 1")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2/3 0", "the board to reach is 2 × 2, and this one 2 × 3"),
        ("1 2 3/4 9 0", "the board to reach is illegal: the tile 9 is too large"),
        ("1 2 3/4 -5 0", "the board to reach is illegal: .* is -5"),
    ],
)
def test_a_board_to_reach_has_to_be_one_of_the_game(text, said):
    with pytest.raises(sl.BoardError, match=said):
        sl.solve(sl.Board([[1, 2, 3], [4, 5, 0]]), domain=f"sliding-tile:to={text}")


@pytest.mark.parametrize(
    ("text", "said"),
    [("1 2/3", "row 2 has 1 tiles, row 1 has 2"), ("1 x", "'x' is not a tile: a board lists its tiles")],
)
def test_a_board_is_listed_row_by_row(text, said):
    with pytest.raises(sl.UsageError, match=said):
        sl.domain("sliding-tile", to=text)


def test_pictures_show_the_board_to_reach():
    domain, start = sl.domain("graph").at(next(iter(sl.domain("graph").component.samples())))
    assert domain.towards(sl.Board([[1]])).picture(start).endswith("(goal b)")
