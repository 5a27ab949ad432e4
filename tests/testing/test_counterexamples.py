"""A counterexample is made smaller step by step, until no board that is one step smaller shows the fault."""

import searchlab as sl
from searchlab.search.descent import Undecided
from searchlab.testing.counterexamples import Counterexample, smallest_counterexample

PANCAKE = sl.domain("pancake")
STACK = Counterexample(sl.Board([[4, 2, 6, 1, 5, 3]]), "")


def with_at_least(size):
    return lambda board: f"{board.shape[1]} pancakes" if board.shape[1] >= size else None


def test_the_smallest_board_that_shows_a_fault_is_found():
    found = smallest_counterexample(STACK, PANCAKE, with_at_least(3), lambda: True)
    assert (found.board.shape, found.shown, found.steps, found.complete) == ((1, 3), "3 pancakes", 3, True)
    assert str(found).startswith("3 steps smaller")
    assert str(found).endswith("no board one step smaller shows it")


def test_without_time_the_board_stays_and_nothing_is_claimed():
    found = smallest_counterexample(STACK, PANCAKE, with_at_least(3), lambda: False)
    assert found == STACK
    assert str(found) == ""


def test_nothing_is_claimed_if_a_smaller_board_is_undecided():
    def shows(board):
        if board.shape[1] < 4:
            raise Undecided
        return "at least four"

    found = smallest_counterexample(STACK, PANCAKE, shows, lambda: True)
    assert (found.board.shape, found.steps, found.complete) == ((1, 4), 2, False)
    assert "no board one step smaller" not in str(found)


def test_a_domain_that_knows_no_smaller_boards_keeps_the_board():
    def successors(board):
        yield "stay", board

    domain = sl.Domain("without-smaller", successors, lambda board: True)
    bound = sl.domain(domain)
    assert smallest_counterexample(STACK, bound, with_at_least(1), lambda: True) is STACK


def test_a_domain_whose_function_fails_keeps_the_board():
    def smaller(board):
        raise ValueError("broken")

    bound = sl.domain(sl.Domain("broken-smaller", lambda board: (), lambda board: True, smaller=smaller))
    assert smallest_counterexample(STACK, bound, with_at_least(1), lambda: True) is STACK


def test_a_candidate_of_two_boards_that_is_undecided_counts_for_both():
    def smaller(board):
        return {9: [1, 8], 8: [1]}.get(board.tiles[0][0], [])

    def shows(board):
        if board.tiles[0][0] == 1:
            raise Undecided
        return "more than one"

    domain = sl.Domain(
        "numbers",
        lambda board: (),
        lambda board: True,
        smaller=lambda board: [sl.Board([[number]]) for number in smaller(board)],
    )
    found = smallest_counterexample(Counterexample(sl.Board([[9]]), ""), sl.domain(domain), shows, lambda: True)
    assert (found.board, found.complete) == (sl.Board([[8]]), False)
