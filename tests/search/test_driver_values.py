"""Values of h that are no estimates: infinite ones, and those that end the readable driver's search with an error."""

from math import inf, nan

import pytest


def test_an_infinite_h_is_a_dead_end(graph):
    """Such a successor is generated and evaluated, but not stored."""
    tried = graph({0: [1, 2], 1: [3]}, goals={3})
    result = tried.solve("astar", {1: inf})
    assert (result.generated, result.evaluated, result.stored, tried.expanded) == (2, 3, 2, [0, 2])


def test_a_score_of_minus_infinity_is_a_dead_end(graph):
    """A score enters as its negative, so the worst score there is is infinite."""
    tried = graph({0: [1, 2]})
    tried.solve("greedy", h=tried.heuristic({1: -inf}, prefer="high"))
    assert tried.expanded == [0, 2]


@pytest.mark.parametrize(
    ("declared", "status"),
    [({}, "exhausted"), ({"admissible": True}, "unsolvable"), ({"admissible": True, "prefer": "high"}, "exhausted")],
)
def test_dead_ends_prove_something_only_where_h_is_admissible(graph, declared, status):
    """Without a solution the outcome is `unsolvable` if h may be trusted, else `exhausted`."""
    tried = graph({0: [1, 2]})
    worst = -inf if declared.get("prefer") == "high" else inf
    assert tried.solve("astar", h=tried.heuristic({1: worst}, **declared)).status == status
    assert tried.solve("astar", h=tried.heuristic({0: worst}, **declared)).status == status
    assert tried.solve("astar", h=tried.heuristic({}, **declared)).status == "unsolvable"


@pytest.mark.parametrize("bad", [nan, -nan])
def test_not_a_number_is_an_error_that_shows_the_board(graph, bad):
    """The search ends with status `error`, a reason with the board, and the figures so far."""
    tried = graph({0: [1, 2], 1: [3]})
    result = tried.solve("greedy", {3: bad, 2: 5})
    assert result.status == "error"
    assert result.reason.startswith("heuristic table returned NaN, which is no estimate\n1\n")
    assert result.reason.endswith("    3")
    assert (result.expanded, result.generated, result.evaluated, result.max_open) == (2, 3, 3, 2)
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())


def test_an_exception_in_h_is_an_error_that_names_its_place(graph):
    """Type, message, file and line of the exception stand in the reason, and the board."""

    def fails():
        msg = "no table\nfor this"
        raise LookupError(msg)

    result = graph({0: [1], 1: [2]}).solve("astar", {2: fails})
    assert result.status == "error"
    first, *board = result.reason.splitlines()
    assert first.startswith("heuristic table: LookupError: no table for this (")
    assert "test_driver_values.py, line " in first
    assert board == ["1", "    2"]


@pytest.mark.parametrize("value", ["text", None, [1, 2]])
def test_what_is_no_number_is_an_error(graph, value):
    """A heuristic that returns something else fails like one that raises."""
    result = graph({0: [1]}).solve("greedy", {1: value})
    assert result.status == "error"
    assert result.reason.startswith(f"heuristic table returned {value!r}, which is no number\n")
