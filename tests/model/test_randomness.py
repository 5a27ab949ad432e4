"""The random numbers of games are those of PCG64, with any version of NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

import searchlab as sl
from searchlab.model.randomness import state_of, whole_number, words_of

GOLDEN = {
    0: [11749869230777074271, 4976686463289251617, 755828109848996024],
    1: [9441442522235856127, 17532960557476522086, 2659275481604167885],
}


def continued(words):
    """The Randomness that goes on from these words."""
    random = sl.Randomness(0)
    random.state = state_of(words)
    return random


def test_seeds_out_of_arrays_are_seeds():
    """NumPy's whole numbers, for whatever takes a seed; a game is written as JSON with the int."""
    assert type(whole_number(np.int64(3))) is int
    game, board, seed = "2048-random:n=3", sl.Board([[2, 2, 0], [0, 4, 2], [2, 0, 0]]), np.uint8(3)
    played = sl.play(domain=game, player="random", seed=seed, most_moves=np.int64(2))
    assert (type(played.seed), played.boards) == (
        int,
        sl.play(domain=game, player="random", seed=3, most_moves=2).boards,
    )
    for take in (
        lambda of: sl.advise(board, domain=game, player="random", seed=of),
        sl.generator("scattered", domain=game),
    ):
        assert take(seed) == take(3)


@pytest.mark.parametrize("seed", [-1, 1.0, "1", None, True, np.float64(1), np.True_])
def test_an_invalid_seed_is_reported(seed):
    """In one line."""
    for take in (lambda of: sl.play(seed=of), lambda of: sl.advise("2048/board10", seed=of), sl.learner("ntuple")):
        with pytest.raises(sl.UsageError, match=r"a seed is a whole number, 0 or more, not"):
            take(seed)


@pytest.mark.parametrize(("seed", "numbers"), GOLDEN.items())
def test_the_numbers_of_a_seed_never_change(seed, numbers):
    """Games are played again from their seeds."""
    random = sl.Randomness(seed)
    assert [random.raw() for _ in numbers] == numbers


@pytest.mark.parametrize("k", [1, 2, 3, 16, 2**32])
def test_a_choice_takes_the_upper_half_of_a_number(k):
    """One number a choice, all choices about equally often."""
    random, raw = sl.Randomness(7), sl.Randomness(7)
    for _ in range(1000):
        assert 0 <= random.below(k) == (raw.raw() >> 32) * k >> 32 < k


@given(st.integers(0, 2**200))
def test_raw_numbers_equal_those_of_numpy(seed):
    random = sl.Randomness(seed)
    assert [random.raw() for _ in range(5)] == np.random.PCG64(seed).random_raw(5).tolist()


@given(st.integers(0, 2**70))
def test_next_raw_equals_raw(seed):
    """Number after number, and back to a Randomness at any of them."""
    random, words = sl.Randomness(seed), words_of(sl.Randomness(seed))
    with np.errstate(over="ignore"):
        for _ in range(5):
            assert int(sl.next_raw(words)) == random.raw()
    assert [continued(words).raw() for _ in range(2)] == [random.raw()] * 2


def test_compiled_next_raw_equals_raw():
    words, random = words_of(sl.Randomness(7)), sl.Randomness(7)
    draw = njit(sl.next_raw)
    assert [int(draw(words)) for _ in range(1000)] == [random.raw() for _ in range(1000)]
