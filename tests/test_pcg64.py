"""The numbers of compiled rules are those of `Randomness`."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import searchlab as sl
from searchlab.model.randomness import randomness_of, words_of


@given(st.integers(0, 2**70))
def test_the_numbers_are_the_same(seed):
    """Number after number, and back to a Randomness at any of them."""
    random, words = sl.Randomness(seed), words_of(sl.Randomness(seed))
    with np.errstate(over="ignore"):
        for _ in range(5):
            assert int(sl.next_raw(words)) == random.raw()
    assert [randomness_of(words).raw() for _ in range(2)] == [random.raw()] * 2


def test_compiled_it_draws_the_same():
    """A thousand numbers."""
    words, random = words_of(sl.Randomness(7)), sl.Randomness(7)
    draw = njit(sl.next_raw)
    assert [int(draw(words)) for _ in range(1000)] == [random.raw() for _ in range(1000)]
