"""Errors in the code of a domain or of a priority end a search with one line that names their place."""

import dataclasses

import pytest

import searchlab as sl

CHAIN = {0: [1], 1: [2]}


def raising(*_):
    msg = "broken rules"
    raise LookupError(msg)


@pytest.mark.parametrize("function", ["successors", "is_goal", "lower_bound"])
@pytest.mark.parametrize("frontier", ["astar", "depth-first", "ida-star"])
def test_an_exception_in_a_domain_is_an_error_that_names_its_place(graph, function, frontier):
    """The search ends with status `error`; nothing is raised."""
    tried = graph(CHAIN, goals={2})
    broken = dataclasses.replace(tried.domain, **{function: raising})
    h = tried.heuristic({})
    result = sl.solve(sl.Board([[0]]), domain=broken, heuristic=h, frontier=frontier, engine="readable")
    assert result.status == "error"
    assert result.reason.startswith("graph: raising failed: LookupError: broken rules (")
    assert "test_domain_errors.py, line " in result.reason
    assert (result.moves, result.boards) == (None, ())


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        (sl.Board([[1]]), "TypeError"),
        (("on",), "TypeError"),
        (("on", [[1]]), "with a Board, not list"),
        (("on", sl.Board([[1]]), -1), "the move on costs -1, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), float("nan")), "the move on costs nan, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), float("inf")), "the move on costs inf, and a cost is a number from 0 to 1e+300"),
        (("on", sl.Board([[1]]), 10**400), "the move on costs 1000"),
        (("on", sl.Board([[1]]), 2), "the move on costs 2, and without unit_cost=False every move costs 1"),
    ],
)
def test_successors_that_no_search_can_use_are_an_error(item, reason):
    """No action, no board, a cost below nothing, or another cost than was declared."""
    domain = sl.Domain("odd", lambda board: [item], lambda board: False)
    result = sl.solve(sl.Board([[0]]), domain=domain, frontier="breadth-first", engine="readable")
    assert result.status == "error"
    assert result.reason.startswith("odd: <lambda> failed: ")
    assert reason in result.reason


def test_an_exception_in_a_priority_is_an_error(graph):
    """As everywhere in a plugin's code."""
    broken = sl.Frontier("broken", lambda g, h: 1 / h)
    result = graph(CHAIN).solve(broken, {0: 1})
    assert result.status == "error"
    assert result.reason.startswith("broken: <lambda> failed: ZeroDivisionError")


def test_a_domain_that_fails_before_the_search_raises(graph):
    """What is wrong with a board, and whether it is solvable, is asked before; an error there names the function."""
    for function in ("why_invalid", "why_unsolvable"):
        broken = dataclasses.replace(graph(CHAIN).domain, **{function: raising})
        with pytest.raises(sl.PluginError, match="graph: raising failed: LookupError: broken rules"):
            sl.solve(sl.Board([[0]]), domain=broken, engine="readable")
