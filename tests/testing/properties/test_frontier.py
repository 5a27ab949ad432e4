"""The contract of frontier strategies finds those that lose nodes, waver, or promise too much."""

import random
from dataclasses import replace

import pytest

import searchlab as sl
from searchlab.testing import check


def report(frontier, **options):
    (found,) = check(frontier, **options)
    return found


def failing(frontier, **options):
    return {asked.name for asked, finding in report(frontier, **options).findings if finding.status == "failed"}


def best_first(priority, **declared):
    return sl.Frontier("mine", priority, **declared)


@pytest.mark.slow
def test_a_correct_component_passes():
    """A* as anybody would declare it."""
    found = report(best_first(lambda g, h: g + h, reopen="yes", ties="low-h", optimal_with="admissible"))
    assert found.passed
    assert found.finding("optimal").facts == {"solutions": 200}
    assert found.finding("expands-all").facts == {"states": 25}


def test_a_broken_guarantee_fails():
    """Greedy search finds costlier solutions; A* that does not reopen does with an inconsistent estimate."""
    greedy = report(best_first(lambda g, h: h, optimal_with="admissible")).finding("optimal")
    assert "it promises a cheapest solution (admissible), but found one of cost" in greedy.message
    assert failing(best_first(lambda g, h: -h, optimal_with="unit-cost")) == {"optimal"}


def test_a_factor_that_does_not_hold_fails():
    """Two queues take turns until the first goal: nothing bounds its cost, although the optimal ones are often near."""
    queues = sl.Queue(lambda g, h: g + h), sl.Queue(lambda h, depth: h - depth / 10)
    liar = sl.Frontier("liar", queues=queues, reopen="yes", optimal_with="admissible", within=1.2)
    said = report(liar).finding("optimal").message
    assert "it promises a solution within 1.2 × the optimum (admissible), but found one of cost" in said
    assert "steps on uneven-grid" in said


def test_a_bound_that_the_search_proves_holds():
    queues = sl.Queue(), sl.Queue(lambda h, depth: h - depth / 10, focal=1.2)
    found = report(sl.Frontier("honest", queues=queues, bound=1.2, reopen="yes"))
    assert found.passed
    assert found.finding("optimal").facts == {"solutions": 200}


def from_both_ends(priority, lower_bound, **declared):
    queues = (sl.Queue(priority),)
    return sl.Frontier("both", family="bidirectional", queues=queues, lower_bound=lower_bound, bound=1, **declared)


def test_a_lower_bound_of_a_search_from_both_ends_that_is_too_large_fails():
    """So does a priority by which nodes are expanded before their cheapest paths are known, declared to do without."""
    from_the_middle = {"priority": lambda g, h, epsilon: max(g + h, 2 * g + epsilon), "reopen": "unless-consistent"}
    assert report(from_both_ends(lower_bound=lambda f, g, epsilon: max(*f, sum(g) + epsilon), **from_the_middle)).passed
    said = report(from_both_ends(lower_bound=lambda f: f[0] + f[1], **from_the_middle)).finding("optimal").message
    assert "it promises a cheapest solution (admissible), but found one of cost" in said
    greedy = {"priority": lambda h: h, "lower_bound": lambda g, epsilon: sum(g) + epsilon}
    assert report(from_both_ends(reopen="yes", **greedy)).passed
    assert failing(from_both_ends(reopen="unless-consistent", **greedy)) == {"optimal"}


def test_an_invalid_priority_of_a_queue_fails():
    wrong = sl.Frontier("wrong", queues=(sl.Queue(), sl.Queue(lambda g, h: float("nan") if h == 10 else g)))
    assert "a priority of g = 0, h = 10 is NaN" in report(wrong).finding("priority").message


def test_an_invalid_priority_fails():
    """NaN for some g and h, a text, or values that vary."""
    nan = best_first(lambda g, h: float("nan") if h == 10 else h)
    assert "the priority of g = 0, h = 10 is NaN" in report(nan).finding("priority").message
    assert "which is not a number" in report(best_first(lambda g, h: "h")).finding("priority").message
    assert "priority" in failing(best_first(lambda g, h: random.random()))


def test_a_priority_that_does_not_compile_fails():
    """The line and the reason are named."""
    weights = {"h": [2]}
    found = report(best_first(lambda g, h: g + weights["h"][0] * h)).finding("compiles")
    assert found.status == "info"
    assert "it runs interpreted, about 100 times slower: " in found.message
    assert "it uses weights, a dict" in found.message


def in_order(problem, watch, order, most=10**6):
    """Search in an order of its own, `most` states at the most; answers as `Outcome`."""
    waiting, met, parents = [problem.board], {problem.board}, {}
    while waiting and watch.statistics.expanded < most:
        board = waiting.pop(order(len(waiting)))
        if problem.domain.is_goal(board):
            path = [board]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            return sl.Outcome("solved", watch.statistics, path[::-1])
        stopped = watch.stop(watch.statistics, len(waiting))
        if stopped:
            return sl.Outcome(stopped, watch.statistics)
        watch.statistics.expanded += 1
        for after in problem.domain.neighbors(board):
            if after not in met:
                met.add(after)
                parents[after] = board
                waiting.append(after)
    return sl.Outcome("exhausted", watch.statistics)


def test_a_custom_loop_passes():
    """Properties of the compiled driver are skipped."""
    whole = sl.Frontier("mine", run=lambda problem, watch: in_order(problem, watch, lambda size: 0), complete=True)
    found = report(whole)
    assert found.passed
    assert found.finding("compiles").status == "info"
    assert found.finding("expands-all").status == "passed"


def test_a_loop_that_loses_nodes_fails():
    """It says how many were expanded, and of how many."""
    honest = sl.Frontier("mine", run=lambda problem, watch: in_order(problem, watch, lambda size: 0, most=7))
    found = report(replace(honest, complete=True))
    assert "7 of 25 states were expanded before it ended with" in found.finding("expands-all").message
    assert report(honest).finding("expands-all").status == "skipped"


def test_ties_broken_by_chance_fail():
    """The first node that differs is shown."""
    chance = sl.Frontier("mine", run=lambda problem, watch: in_order(problem, watch, random.randrange))
    found = report(chance).finding("deterministic")
    assert found.status == "failed"
    assert "that is expanded is another one" in found.message
    assert found.boards


def test_a_loop_that_ignores_limits_fails():

    def deaf(problem, watch):
        class Deaf:
            statistics = watch.statistics
            stop = staticmethod(lambda statistics, waiting: "")

        return in_order(problem, Deaf, lambda size: 0)

    found = report(sl.Frontier("mine", run=deaf)).finding("stops")
    assert "limited to 5 expansions, it ended with exhausted after 25" in found.message


@pytest.mark.parametrize("wrong", [lambda problem, watch: None, lambda problem, watch: 1 / 0])
def test_a_loop_that_raises_fails(wrong):
    """It is told what is wrong, nothing is raised."""
    assert {"expands-all", "solves"} <= failing(sl.Frontier("mine", run=wrong, complete=True))


def test_a_loop_that_never_ends_is_given_up():
    """After the longest call there may be."""

    def endless(problem, watch):
        while True:
            pass

    found = report(sl.Frontier("mine", run=endless, complete=True), longest_call=0.3)
    assert "did not come back" in found.finding("expands-all").message
