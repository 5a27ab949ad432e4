"""What a worker keeps from one run to the next."""

from searchlab.board.board import FEW_TILES
from searchlab.experiments.worker import start_board


def test_the_start_is_kept_for_the_next_run_with_what_is_known_of_it():
    rows = (tuple(range(FEW_TILES)),)
    assert start_board(rows) is start_board(rows)
    assert start_board(rows).keeps


def test_large_boards_are_made_anew():
    """A worker that kept some hundred of them would need a gigabyte."""
    rows = tuple(tuple(range(row, row + 20)) for row in range(20))
    assert start_board(rows) == start_board(rows)
    assert start_board(rows) is not start_board(rows)
