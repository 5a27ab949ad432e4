"""An n-tuple network: where its weights stand, and what it makes of boards."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

TUPLES = ((0, 1, 2, 3), (0, 1, 4, 5))


def network(seed=0, tuples=TUPLES, n=4, **others):
    """A network with all sorts of weights."""
    found = sl.NTupleNetwork(n, n, tuples, **others)
    found.weights[...] = np.random.default_rng(seed).normal(size=found.entries)
    return found


def grids(n=4):
    tiles = st.sampled_from([0, 2, 4, 8, 1024, 32768])
    return st.lists(tiles, min_size=n * n, max_size=n * n).map(lambda cells: np.array(cells).reshape(n, n))


def by_hand(network, grid):
    """The value of a board by the definition: every tuple in every position."""
    exponents = np.where(grid > 0, np.log2(np.maximum(grid, 1)).astype(int), 0)
    turned = [np.rot90(flipped, k) for flipped in (exponents, exponents.T) for k in range(4)]
    total, first = network.base, 0
    for cells in network.tuples:
        for position in turned if network.symmetric else [exponents]:
            entry = sum(int(position.ravel()[cell]) << (4 * k) for k, cell in enumerate(cells))
            total += float(network.weights[first + entry])
        first += 16 ** len(cells)
    return total


@given(grids(), st.booleans())
def test_the_value_is_the_sum_of_what_all_tuples_look_up(grid, symmetric):
    of_network = network(base=7.5, symmetric=symmetric)
    assert of_network.value(sl.Board(grid)) == pytest.approx(by_hand(of_network, grid))


@given(grids(3))
def test_boards_that_are_turned_or_mirrored_have_one_value(grid):
    of_network = network(tuples=((0, 1, 2), (3, 4, 7)), n=3)
    values = [of_network.value(sl.Board(np.rot90(one, k))) for one in (grid, grid.T) for k in range(4)]
    assert values == pytest.approx([values[0]] * 8)


def test_boards_are_valued_together_as_alone():
    boards = np.array([[[2, 4, 8, 0]] * 4, [[0, 0, 2, 65536]] * 4, [[2, 0, 0, 0]] * 4])
    values = network().values(boards)
    assert values.tolist() == [network().value(sl.Board(tiles)) for tiles in boards]


def test_a_tile_with_a_code_too_large_counts_as_the_largest():
    assert network(bits=2).value(sl.Board([[8] * 4] * 4)) == network(bits=2).value(sl.Board([[4096] * 4] * 4))


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ((0, 4, TUPLES), "rows and columns"),
        ((3, 4, ((0, 1),)), "only a square board can be turned"),
        ((4, 4, ()), "1 to 1024 tuples"),
        ((4, 4, ((),)), "each of a cell or more"),
        ((4, 4, ((0, 16),)), "the tuple 0 16 does not have cells from 0 to 15, each once"),
        ((4, 4, ((3, 3),)), "the tuple 3 3 does not have cells"),
        ((4, 4, (tuple(range(9)),)), "its tables would have 68,719,476,736 entries"),
    ],
)
def test_what_is_no_network_is_refused(arguments, wrong):
    with pytest.raises(sl.UsageError, match=wrong):
        sl.NTupleNetwork(*arguments)


def test_weights_that_do_not_fit_are_refused():
    with pytest.raises(sl.UsageError, match="256 weights are needed"):
        sl.NTupleNetwork(4, 4, ((0, 1),), weights=np.zeros(17, np.float32))


def test_boards_of_another_shape_are_refused():
    with pytest.raises(sl.UsageError, match="boards of 4 × 4, not of 3 × 3"):
        network().values(np.zeros((1, 3, 3), np.int64))
