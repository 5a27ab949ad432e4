"""Every solution is replayed through the domain's rules before it is believed."""

import pytest

import searchlab as sl

CHAIN = {0: [1], 1: [2]}


def claims(path):
    """A strategy that says it found this path, whatever the problem."""
    boards = [sl.Board([[state]]) for state in path]
    return sl.Frontier("mine", run=lambda problem, watch: sl.Outcome("solved", sl.Statistics(expanded=7), boards))


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ([0, 2], "move 1 of its solution is none"),
        ([0, 1, 0], "move 2 of its solution is none"),
        ([0, 1], "its solution does not end in a goal"),
        ([1, 2], "its solution does not begin with the start board"),
        ([], "its solution does not begin with the start board"),
    ],
)
def test_a_search_that_lies_is_caught(graph, path, reason):
    """A path the rules do not know is an error with the figures so far, and no solution."""
    result = graph(CHAIN, goals={2}).solve(claims(path))
    assert (result.status, result.reason) == ("error", f"the search and the rules of graph disagree: {reason}")
    assert (result.moves, result.cost, result.actions, result.boards) == (None, None, None, ())
    assert (result.optimal, result.expanded) == (False, 7)


def test_a_search_that_tells_the_truth_is_believed(graph):
    """The same strategy with a real path has solved it."""
    result = graph(CHAIN, goals={2}).solve(claims([0, 1, 2]))
    assert (result.status, result.moves, result.expanded) == ("solved", 2, 7)


def test_a_path_through_a_terminal_board_is_none(graph):
    """With a terminal move the game is over; it can only be the last."""
    over = graph(CHAIN, goals={2}, terminal={(0, 1)})
    assert over.solve(claims([0, 1, 2])).status == "error"
    assert graph(CHAIN, goals={2}, terminal={(1, 2)}).solve(claims([0, 1, 2])).status == "solved"


def test_of_several_moves_to_the_same_board_the_cheapest_counts():
    """A search that minimises cost took that one."""

    def successors(board):
        if board.tile_at(0, 0) == 0:
            for action, cost in (("dear", 5), ("cheap", 1), ("fair", 2)):
                yield action, sl.Board([[1]]), cost

    domain = sl.Domain("roads", successors, lambda board: board.tile_at(0, 0) == 1, unit_cost=False)
    result = sl.solve(sl.Board([[0]]), domain=domain, frontier="uniform-cost", engine="readable")
    assert (result.actions, result.cost, result.optimal) == (("cheap",), 1, True)
