"""The random numbers of games: those of PCG64, whatever the version."""

import pytest

import searchlab as sl

GOLDEN = {
    0: [11749869230777074271, 4976686463289251617, 755828109848996024],
    1: [9441442522235856127, 17532960557476522086, 2659275481604167885],
}


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
