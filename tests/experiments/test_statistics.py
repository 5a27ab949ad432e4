"""The statistics are those of the textbooks: worked by hand, and by SciPy's documentation."""

import math

import numpy as np
import pytest

from searchlab.experiments.statistics import (
    RESAMPLES,
    geometric_interval,
    mean_interval,
    sign_test,
    wilcoxon_test,
    wilson_interval,
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


def test_equal_ratios_are_tied_whatever_they_were_computed_from():
    """Without it, the order of ranks would be that of rounding errors."""
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
def test_a_test_says_when_it_means_nothing(test):
    """Where nothing differs there is no p; where fewer than six pairs do, none could be small."""
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


def test_the_interval_of_equal_ratios_is_their_value():
    """However they are drawn, their mean is the same."""
    assert geometric_interval(np.log(np.full(9, 0.25))) == pytest.approx((0.25, 0.25, 0.25))
    assert geometric_interval(np.log([4.0])) == pytest.approx((4, 4, 4))
    assert geometric_interval(np.zeros(0)) is None


def test_the_interval_of_two_ratios_by_hand():
    """Of two values, both draws are the smaller one in a quarter of the samples: it is the end of the interval."""
    assert geometric_interval(np.log([1.0, 16.0])) == pytest.approx((4, 1, 16))


def test_the_interval_is_that_of_scipys_bootstrap():
    """With the same method, up to what chance has in it; and it is the same each time."""
    from scipy.stats import bootstrap

    logs = np.random.default_rng(5).normal(0.5, 0.8, 200)
    mean, low, high = geometric_interval(logs)
    theirs = bootstrap((logs,), np.mean, method="percentile", n_resamples=RESAMPLES).confidence_interval
    assert mean == pytest.approx(math.exp(logs.mean()))
    assert [math.log(low), math.log(high)] == pytest.approx([theirs.low, theirs.high], abs=0.02)
    assert geometric_interval(logs) == (mean, low, high)


def test_intervals_cover_the_truth_as_often_as_they_say():
    """Of 200 samples of 40 ratios around 2, about 95 % have an interval with 2 in it."""
    samples = np.random.default_rng(1).normal(math.log(2), 0.5, (200, 40))
    covered = sum(low <= 2 <= high for _, low, high in map(geometric_interval, samples))
    assert 180 <= covered <= 198


def test_the_interval_of_a_rate_by_wilsons_formula():
    """Centre and width as in the paper; within 0 and 1 also where all or none succeed."""
    for successes, trials in ((0, 5), (5, 5), (3, 20), (77, 300)):
        low, high = wilson_interval(successes, trials)
        z, rate = 1.959964, successes / trials
        centre = (rate + z * z / (2 * trials)) / (1 + z * z / trials)
        half = z / (1 + z * z / trials) * (rate * (1 - rate) / trials + z * z / (4 * trials**2)) ** 0.5
        assert (low, high) == pytest.approx((centre - half, centre + half), abs=1e-6)
        assert 0 <= low <= rate <= high <= 1


def test_the_interval_of_a_mean_lies_around_it():
    """Of equal values it is their value."""
    values = np.array([1.0, 5.0, 2.0, 9.0, 3.0])
    low, high = mean_interval(values)
    assert 1 < low < values.mean() < high < 9
    assert mean_interval(np.array([7.0, 7.0])) == (7, 7)
