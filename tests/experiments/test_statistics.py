"""The statistics are those of the textbooks: worked by hand, and by SciPy's documentation."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata

from searchlab.experiments.statistics import (
    mean_interval,
    median_interval,
    rate_interval,
    ratio_interval,
    sign_test,
    wilcoxon_test,
)

CORN = np.array([6.0, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75])
"""The differences in height of Darwin's corn plants, as in SciPy's documentation of `wilcoxon`."""


def test_wilcoxon_of_the_corn_plants():
    """The exact p of SciPy's documentation."""
    test = wilcoxon_test(CORN)
    assert (test.pairs, test.p, test.remark) == (15, 0.041259765625, "")


def test_wilcoxon_of_few_pairs_by_hand():
    """Of six differences of one sign one of the 64 choices of signs is so extreme, and its opposite."""
    assert wilcoxon_test(np.array([1.0, 2, 3, 4, 5, 6])).p == pytest.approx(2 / 64)
    # Ranks 1 to 4, the first negative: a sum of 1 or less has 2 of 16 choices, twice as many on both sides.
    assert wilcoxon_test(np.array([-1.0, 2, 3, 4])).p == pytest.approx(4 / 16)


@given(st.lists(st.integers(-4, 4).filter(bool), min_size=2, max_size=8))
def test_wilcoxon_of_pairs_that_differ_equally_much_tries_all_signs(differences):
    """Of all choices of signs, twice the share whose sum of positive ranks is as extreme on the nearer side."""
    ranks = rankdata(np.abs(differences))
    signs = np.array(list(product([0, 1], repeat=len(differences))))
    sums, observed = signs @ ranks, ranks[np.array(differences) > 0].sum()
    p = min(1, 2 * min(np.mean(sums <= observed), np.mean(sums >= observed)))
    assert wilcoxon_test(np.array(differences, float)).p == pytest.approx(p)


def test_equal_ratios_are_tied_despite_rounding_errors():
    logs = np.log([1 / 3, 3, 2 / 6, 6 / 2, 5 / 15, 9 / 3, 7 / 21])
    exactly = np.array([-1.0, 1, -1, 1, -1, 1, -1])
    assert wilcoxon_test(logs).p == wilcoxon_test(exactly).p


def test_the_sign_test_by_hand():
    """One of eight pairs against the rest: (1 + 8) of 256 outcomes are so extreme, twice as many on both sides."""
    test = sign_test(np.array([-1.0, 5, 2, 8, 1, 1, 3, 9, 0, 0]))
    assert (test.pairs, test.remark) == (8, "")
    assert test.p == pytest.approx(2 * 9 / 256)


def test_the_sign_test_counts_both_sides():
    """Three of fifteen: all outcomes with at most three, on either side."""
    outcomes = sum(math.comb(15, k) for k in range(4))
    assert sign_test(np.repeat([-1.0, 1.0], [3, 12])).p == pytest.approx(2 * outcomes / 2**15)


@pytest.mark.parametrize("test", [sign_test, wilcoxon_test])
def test_a_test_without_enough_differences_has_a_remark(test):
    """With fewer than six, p cannot be small."""
    of_ties = test(np.zeros(20))
    assert (of_ties.pairs, of_ties.p, of_ties.remark) == (0, None, "no pair differs")
    assert test(np.zeros(0)).p is None
    of_five = test(np.array([1.0, 2, 3, 4, 5, 0]))
    assert of_five.p == pytest.approx(2 / 32)
    assert of_five.p > 0.05
    assert of_five.remark.startswith("fewer than 6 pairs differ")
    of_six = test(np.array([1.0, 2, 3, 4, 5, 6]))
    assert of_six.p < 0.05
    assert of_six.remark == ""


SLEEP = np.array([1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4])
"""The hours that ten patients slept longer by one drug than by another: the data of Student (1908)."""


def test_the_interval_of_a_mean_equals_that_of_r_for_students_data():
    """As R's `t.test(extra ~ group, data = sleep, paired = TRUE)` prints it."""
    assert mean_interval(SLEEP, fewest=5) == pytest.approx((0.7001142, 2.4598858))


def test_intervals_that_hold_together_are_wider():
    """Of three, each is one of 98.33 %: t of nine degrees of freedom is 2.933 instead of 2.262."""
    low, high = mean_interval(SLEEP, fewest=5, comparisons=3)
    assert (high - low) / (2.4598858 - 0.7001142) == pytest.approx(2.9333 / 2.2622, abs=1e-4)


def test_too_few_or_equal_values_have_no_interval():
    """They do not say how far others would lie apart; rounding errors are no differences."""
    assert mean_interval(SLEEP[:4], fewest=5) is None
    assert mean_interval(np.full(9, 7.0), fewest=5) is None
    assert mean_interval(np.array([0.1 + 0.2, 0.3] * 5), fewest=5) is None
    assert mean_interval(np.zeros(9), fewest=5) is None
    assert mean_interval(np.array([math.inf, 1, 2, 3, 4, 5]), fewest=5) is None
    assert mean_interval(np.array([1e300, 1, 2, 3, 4, 5]), fewest=5) is None
    assert ratio_interval(np.log([1 / 3, 2 / 6, 5 / 15, 7 / 21, 0.1 / 0.3])) is None
    assert ratio_interval(np.zeros(0)) is None


def test_the_interval_of_ratios_is_that_of_their_logarithms():
    """It is around the geometric mean, and turned round for the ratios the other way."""
    low, high = ratio_interval(SLEEP)
    assert (math.log(low), math.log(high)) == pytest.approx((0.7001142, 2.4598858))
    assert ratio_interval(-SLEEP) == pytest.approx((1 / high, 1 / low))
    assert math.isfinite(ratio_interval(400 * SLEEP)[1])


def test_the_interval_of_a_rate_equals_the_exact_one_of_scipy():
    """As SciPy has it; a fraction of a success lies between."""
    for successes, trials in ((0, 5), (5, 5), (3, 20), (77, 300), (0, 1)):
        theirs = binomtest(successes, trials).proportion_ci(method="exact")
        low, high = rate_interval(successes, trials)
        assert (low, high) == pytest.approx((theirs.low, theirs.high))
        assert 0 <= low <= successes / trials <= high <= 1
    assert rate_interval(3, 20) < rate_interval(3.5, 20) < rate_interval(4, 20)


@pytest.mark.parametrize("number", range(6, 60))
def test_the_interval_of_a_median_is_the_smallest_that_misses_it_in_at_most_5_percent(number):
    """It misses if fewer values than the rank of its lower end lie on one side: as often as a fair coin shows that."""
    low, high = median_interval(np.random.default_rng(1).permutation(np.arange(1.0, number + 1)))
    assert high == number + 1 - low

    def misses(rank):
        return 2 * sum(math.comb(number, heads) for heads in range(rank)) / 2**number

    assert misses(int(low)) <= 0.05 < misses(int(low) + 1)


def test_a_median_of_few_values_has_no_interval():
    assert median_interval(np.arange(5.0)) is None
