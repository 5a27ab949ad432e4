"""Frontier strategies that bring a loop of their own."""

import warnings

import pytest

import searchlab as sl

CHAIN = {0: [1], 1: [2]}


def strategy(run, **declared):
    """A frontier strategy with a loop of its own."""
    return sl.Frontier("mine", run=run, **declared)


def test_a_loop_of_its_own_gets_its_parameters(graph):
    """What is set in the name, or the default, is passed by name."""
    seen = []

    def run(problem, watch, width=5, mode="some"):
        seen.append((width, mode, watch.limits.expansions))
        return sl.Outcome("exhausted", sl.Statistics())

    own = sl.frontier(strategy(run, complete=False), width="7")
    result = graph(CHAIN).solve(own, limits=sl.Limits(expansions=3))
    assert seen == [(7, "some", 3)]
    assert (result.status, result.frontier) == ("exhausted", "mine:width=7")


@pytest.mark.parametrize("returned", [None, "solved", sl.Outcome("won", sl.Statistics())])
def test_a_loop_that_returns_no_outcome_is_an_error(graph, returned):
    """Whatever it is instead is shown."""
    result = graph(CHAIN).solve(strategy(lambda problem, watch: returned))
    assert result.status == "error"
    assert result.reason.startswith(f"frontier mine returned {returned!r:.70}")


def test_a_loop_that_raises_is_an_error(graph):
    """With the exception and its place."""
    result = graph(CHAIN).solve(strategy(lambda problem, watch: 1 // 0))
    assert result.status == "error"
    assert result.reason.startswith("frontier mine failed: ZeroDivisionError: ")
    assert "test_own_loops.py, line " in result.reason


def test_a_loop_of_its_own_runs_interpreted_and_says_so(graph):
    """A warning where it matters, none where the readable engine was asked for, an error where the compiled was."""
    domain = sl.domain(graph(CHAIN, goals={0}).domain)
    own = strategy(lambda problem, watch: sl.Outcome("solved", sl.Statistics(), [problem.board]))
    with pytest.warns(sl.SearchlabWarning, match="frontier mine has no compiled form: it runs interpreted") as caught:
        assert sl.solve(sl.Board([[0]]), domain=domain, frontier=own).engine == "readable"
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sl.solve(sl.Board([[0]]), domain=domain, frontier=own, engine="readable")
    with pytest.raises(sl.UsageError, match="frontier mine has no compiled form"):
        sl.solve(sl.Board([[0]]), domain=domain, frontier=own, engine="compiled")
