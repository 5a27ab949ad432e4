"""Searches that go on after their first solution: what they tell, and the results they end with."""

import threading

import pytest

import searchlab as sl
from searchlab.model.results import Outcome
from searchlab.search.solve import problem, search

LINE = sl.Domain(
    "line",
    lambda board: [
        ("step", sl.Board([[board.tile_at(0, 0) + 1]]), 1.0),
        ("leap", sl.Board([[board.tile_at(0, 0) + 2]]), 3.0),
        ("dear", sl.Board([[board.tile_at(0, 0) + 3]]), 9.0),
    ],
    lambda board: board.tile_at(0, 0) == 3,
    unit_cost=False,
)
START = sl.Board([[0]])
DEAR, MIDDLE, CHEAP = (9, [0, 3]), (4, [0, 1, 3]), (3, [0, 1, 2, 3])


def tells(*solutions, status="exhausted", error=None, least_f=None):
    """A frontier whose loop tells these solutions, each (cost, tiles), and ends."""

    def run(problem, watch):
        for cost, tiles in solutions:
            watch.statistics.expanded += 10
            watch.improved(cost, lambda tiles=tiles: [sl.Board([[tile]]) for tile in tiles])
        if error:
            raise error
        return Outcome(status, watch.statistics, least_f=least_f and (lambda: least_f))

    return sl.Frontier("teller", run=run)


def solved(frontier, **options):
    asked = problem(START, domain=LINE, frontier=frontier, heuristic=lambda tiles: 0)
    return search(asked, engine="readable", **options)


def test_the_best_solution_is_the_result_and_all_are_told_as_they_come():
    told = []
    result = solved(tells(DEAR, MIDDLE, CHEAP), on_improvement=told.append)
    assert (result.status, result.ended_by, result.cost, result.actions) == ("solved", "exhausted", 3, ("step",) * 3)
    assert [(one.cost, one.expanded, one.moves) for one in result.solutions] == [(9, 10, 1), (4, 20, 2), (3, 30, 3)]
    assert list(result.solutions) == told
    assert result.as_dict()["solutions"][1] == {"seconds": told[1].seconds, "expanded": 20, "cost": 4}


@pytest.mark.parametrize("status", ["time-limit", "memory-limit", "expansion-limit", "interrupted"])
def test_a_search_that_is_ended_after_a_solution_is_solved_and_says_what_ended_it(status):
    result = solved(tells(DEAR, MIDDLE, status=status))
    assert (result.status, result.ended_by, result.cost, result.optimal) == ("solved", status, 4, False)
    assert f"; {status} after" in repr(result)


def test_a_search_that_stops_at_its_first_solution_has_one():
    result = sl.solve(START, domain=LINE, frontier="uniform-cost", engine="readable")
    assert (result.ended_by, result.optimal) == ("solution", True)
    assert [(one.cost, one.expanded) for one in result.solutions] == [(3, result.expanded)]


def test_a_search_without_a_solution_has_none():
    result = sl.solve(START, domain=LINE, frontier="uniform-cost", engine="readable", limits=sl.Limits(expansions=1))
    assert (result.status, result.ended_by, result.solutions) == ("expansion-limit", "expansion-limit", ())
    result = sl.solve(sl.Board([[1, 2, 3], [4, 5, 6], [8, 7, 0]]), domain="sliding-tile")
    assert (result.status, result.ended_by) == ("unsolvable", "proof")


@pytest.mark.parametrize(
    ("solutions", "wrong"),
    [
        ([MIDDLE, (2, [0, 1, 3])], "the solution costs 4, but the search reported 2"),
        ([MIDDLE, (3, [0, 1, 2])], "the solution does not end in a goal"),
        ([MIDDLE, MIDDLE], "the search told of a solution of cost 4 after one of 4"),
    ],
)
def test_a_loop_that_tells_a_wrong_solution_is_an_error_that_keeps_the_ones_before(solutions, wrong):
    result = solved(tells(*solutions))
    assert (result.status, result.ended_by, result.cost, len(result.solutions)) == ("error", "error", 4, 1)
    assert wrong in result.reason
    assert "an error; its best solution by then: 2 moves, cost 4" in repr(result)


def test_an_error_keeps_the_best_solution():
    result = solved(tells(MIDDLE, error=ValueError("broken")))
    assert (result.status, result.cost, result.bound) == ("error", 4, None)
    assert "broken" in result.reason


def test_a_row_of_a_table_has_the_solutions():
    table = sl.table(solved(tells(DEAR, MIDDLE)))
    assert table["ended_by"][0] == "exhausted"
    assert ",20,4.0]]" in table["solutions"][0]


def test_improvements_are_iterated_over_and_the_result_is_returned():
    found = []

    def all_of(generator):
        return (yield from generator)

    searching = all_of(sl.improvements("sliding-tile/puzzle8-27", frontier="cabs"))
    try:
        while True:
            found.append(next(searching).cost)
    except StopIteration as ended:
        result = ended.value
    assert found == [one.cost for one in result.solutions] == [47, 39, 27]
    assert [one.cost for one in sl.improvements("sliding-tile/puzzle8-27", frontier="astar")] == [27]


def test_leaving_the_loop_ends_the_search():
    """Left alone, it would go on for hours."""
    before = threading.active_count()
    for solution in sl.improvements("sliding-tile/korf24/01", frontier="cabs"):
        assert solution.states[0] == sl.read_board("sliding-tile/korf24/01")
        break
    assert threading.active_count() == before


def test_errors_before_the_search_are_raised():
    with pytest.raises(sl.BoardError, match="no such file"):
        next(sl.improvements("sliding-tile/nowhere"))


def test_solve_calls_with_each_improvement():
    told = []
    result = sl.solve("sliding-tile/puzzle8-27", frontier="cabs", on_improvement=told.append)
    assert tuple(told) == result.solutions
    sl.solve("sliding-tile/puzzle8-27", frontier="greedy", on_improvement=told.append)
    assert len(told) == len(result.solutions) + 1
