"""The forms of a heuristic in Python: a function of the tiles, a batch form, or both."""

import threading

import numpy as np
import pandas as pd
import pytest

import searchlab as sl
from searchlab.search.readable.evaluation import values_of_tiles

BOARD = sl.Board([[0, 2, 4], [8, 0, 0], [2, 2, 2]])
SMALL = sl.Board([[2, 0], [0, 64]])
FILE = '''
"""A plugin whose heuristic has a batch form only."""

from searchlab import Heuristic, hookimpl


def largest_of_each(boards, factor=1):
    """Return the largest tiles."""
    if (boards == 64).any():
        raise ValueError("64 is too much")
    return factor * boards.max(axis=(1, 2))


@hookimpl
def searchlab_heuristics():
    yield Heuristic("largest", batch=largest_of_each, domains={"2048"}, prefer="high", summary="largest tile")
'''


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "largest.py"
    path.write_text(FILE)
    return path


def test_a_batch_form_alone_gives_values_of_boards():
    """One board is a batch of one, and its value is a plain number that is kept."""
    sizes = []

    def total(boards, factor=1, goal=0):
        sizes.append(boards.shape)
        return factor * boards.sum(axis=(1, 2)) + goal

    h = sl.heuristic(sl.Heuristic("total", batch=total), domain="2048:goal=16", factor=2)
    board = sl.Board(BOARD.tiles)
    assert [h(board), h(board)] == [56.0, 56.0]
    assert type(h(board)) is float
    assert sizes == [(1, 3, 3)]
    assert str(h) == "total:factor=2"


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ([8], r"heuristic given returned \[8\], which is not a number"),
        (None, "heuristic given returned None, which is not a number"),
        (np.arange(3), r"returned array\(\[0, 1, 2\]\), which is not a number but an array of shape \(3,\)"),
    ],
)
def test_a_value_that_is_not_a_number_is_refused(returned, said):
    """Calling the heuristic raises the same error as a search."""
    with pytest.raises(sl.PluginError, match=said):
        sl.heuristic(sl.Heuristic("given", lambda tiles: returned))(BOARD)


@pytest.mark.parametrize("returned", [3, True, np.int8(3), np.array([3]), np.array(3)])
def test_integers_of_any_type_become_ints(returned):
    """They are exact, and can be written as JSON."""
    value = sl.heuristic(sl.Heuristic("given", lambda tiles: returned))(BOARD)
    assert (type(value), value) == (int, int(np.asarray(returned).item()))


@pytest.mark.parametrize(
    "values", [[1, 2], (True, False), np.array([1, 2], np.uint8), pd.Series([1.5, 2], index=[7, 3])]
)
def test_batch_values_may_be_any_sequence_of_numbers(values):
    """Lists, arrays of any number type, and a Series, whose index is ignored."""
    h = sl.heuristic(sl.Heuristic("given", batch=lambda boards: values))
    found = h.evaluate_tiles(np.zeros((2, 3, 3), np.int64))
    assert (found.dtype, found.tolist()) == (np.float64, [float(value) for value in values])


def test_a_function_beside_a_batch_form_gives_the_values_of_single_boards():
    """The batch form is for many."""
    h = sl.heuristic(sl.Heuristic("both", lambda tiles: 1, batch=lambda boards: [2] * len(boards)))
    assert h(BOARD) == 1
    assert h.evaluate_tiles(np.zeros((3, 2, 2), np.int64)).tolist() == [2, 2, 2]


def test_function_and_batch_form_may_have_different_parameters():
    """All can be set on the heuristic, and each form gets those that it asks for."""
    both = sl.Heuristic("both", lambda tiles, a=1: a, batch=lambda boards, a=1, b=2: [a + b] * len(boards))
    h = sl.heuristic(both, a=10, b=20)
    assert (h(BOARD), h.evaluate_tiles(np.zeros((1, 2, 2), np.int64)).tolist()) == (10, [30])
    assert str(h) == "both:a=10,b=20"


def test_a_batch_form_with_an_unknown_argument_is_refused():
    """The error names it before the search, even if the function needs nothing."""
    for forms in ({}, {"function": lambda tiles: 0}):
        needy = sl.Heuristic("needy", batch=lambda boards, weights: weights, **forms)
        with pytest.raises(sl.UsageError, match="heuristic needy asks for 'weights', which has no default"):
            sl.solve(heuristic=sl.heuristic(needy, domain="2048"))


def test_boards_of_equal_shape_are_evaluated_together():
    """One call for the boards of a shape; asked for their values later nothing is computed."""
    sizes = []

    def total(boards):
        sizes.append(boards.shape)
        return boards.sum(axis=(1, 2))

    h = sl.heuristic(sl.Heuristic("total", batch=total))
    boards = [sl.Board(board.tiles) for board in (BOARD, SMALL, BOARD)]
    h.evaluate_together(boards)
    assert [h(board) for board in boards] == [20, 66, 20]
    assert sizes == [(2, 3, 3), (1, 2, 2)]
    sl.heuristic(lambda tiles: sizes.append(0)).evaluate_together(boards)
    assert len(sizes) == 2


@pytest.mark.slow
def test_a_batch_form_in_a_file_is_found_by_its_name_and_its_functions(file):
    """FILE.py:function stands for the heuristic with this batch form, including its declarations."""
    for name in ("largest", "largest_of_each"):
        h = sl.heuristic(f"{file}:{name}:factor=3")
        assert (h(BOARD), h.prefer, h.name) == (24, "high", "largest")
    assert sl.solve(domain="2048:goal=16", heuristic=f"{file}:largest").status == "solved"


def sums(boards):
    return boards.sum((1, 2))


def test_several_threads_share_a_large_batch():
    """Each evaluates 512 boards at once, whatever their number, and the values come in order."""
    calls = []

    def noted(boards):
        calls.append((threading.get_ident(), len(boards)))
        return sums(boards)

    tiles = np.arange(1200 * 4).reshape(-1, 2, 2)
    h = sl.heuristic(sl.Heuristic("noted", batch=noted), threads=3)
    assert h.evaluate_tiles(tiles).tolist() == sums(tiles).tolist()
    assert sorted(count for _, count in calls) == [176, 512, 512]
    assert threading.get_ident() not in {thread for thread, _ in calls}
    calls.clear()
    h.evaluate_tiles(tiles[:512])
    sl.heuristic(sl.Heuristic("noted", batch=noted)).evaluate_tiles(tiles)
    assert calls == [(threading.get_ident(), 512), (threading.get_ident(), 1200)]


def test_a_combination_takes_as_many_threads_as_its_parts():
    """The combined batch is shared, with the values of one thread."""
    threads = set()

    def noted(boards):
        threads.add(threading.get_ident())
        return sums(boards)

    part, beside = sl.Heuristic("noted", batch=noted), sl.Heuristic("first", lambda tiles: tiles[0, 0])
    tiles = np.arange(1200 * 4).reshape(-1, 2, 2)
    several, one = (
        sl.heuristic("max", domain="2048", of=(sl.heuristic(part, domain="2048", threads=n), beside)) for n in (2, 1)
    )
    assert several.evaluate_tiles(tiles).tolist() == one.evaluate_tiles(tiles).tolist()
    assert len(threads) > 1


@pytest.mark.parametrize("threads", [0, -1, 2000])
def test_a_number_of_threads_that_makes_no_sense_is_refused(threads):
    with pytest.raises(sl.UsageError, match="threads are from 1 to 1024"):
        sl.heuristic(sl.Heuristic("sums", batch=sums), threads=threads)


def test_only_batches_have_threads():
    """A function alone has none, and a parameter of one's own with this name is one's own."""
    with pytest.raises(sl.UsageError, match="threads"):
        sl.heuristic(sl.Heuristic("plain", lambda tiles: 1), threads=2)
    own = sl.heuristic(sl.Heuristic("own", batch=lambda boards, threads=5: [threads] * len(boards)))
    assert own(sl.Board([[1, 2]])) == 5


def test_the_board_on_which_a_thread_fails_is_named():
    """The error is that of one thread."""

    def fails(boards):
        if (boards == 4001).any():
            raise ValueError("no such tile")
        return sums(boards)

    h = sl.heuristic(sl.Heuristic("fails", batch=fails), threads=2)
    with pytest.raises(sl.PluginError, match="no such tile"):
        values_of_tiles(h, np.arange(1200 * 4).reshape(-1, 2, 2))
