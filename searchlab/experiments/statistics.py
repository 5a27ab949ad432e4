"""Statistics: means, ratios and rates with their intervals, and tests of paired figures that assume no distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite, sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

FEWEST_PAIRS = 6
"""With fewer pairs that differ even the clearest outcome has p > 0.05: 2 × 0.5 ** 5 is 0.0625."""
CONFIDENCE = 0.95
FEWEST_RATIOS = 5
"""The fewest ratios for which Student's t on their logarithms misses the true ratio in about 5 % of samples."""
FEWEST_SCORES = 8
"""The fewest scores, or differences of scores, for which Student's t misses the true mean in at most 7 % of samples.
With fewer it misses up to 8 %, because a few scores are large. `tests/experiments/test_miss_rates.py` measures it.
"""
FEWEST_FOR_MEDIAN = 6
"""The fewest values that give the median an interval: it lies between the extremes with 1 - 2 × 0.5 ** 6, 97 %."""
MOST_TIED = 13
"""The most pairs, some of which differ equally much, for which all outcomes are tried; for more of them SciPy's
`wilcoxon` takes the normal distribution."""
DIGITS = 12
"""The decimals to which logarithms are compared, so that equal ratios are ties however they were computed."""
ROUNDING = 1e-12
"""The share of the largest value by which values differ that are equal but for rounding errors."""
LARGEST = 709.0
"""The largest number with a finite exponential."""


@dataclass(frozen=True)
class Verdict:
    """The outcome of a two-sided test of paired figures.

    Attributes:
        pairs: the number of unequal pairs; equal pairs carry no information.
        p: the probability of an outcome at least as extreme if neither side were better; None without unequal pairs.
    """

    pairs: int
    p: float | None

    @property
    def remark(self) -> str:
        """Why it means nothing, '' if it may mean something."""
        if self.pairs == 0:
            return "no pair differs"
        return f"fewer than {FEWEST_PAIRS} pairs differ: it can show nothing" if self.pairs < FEWEST_PAIRS else ""


def mean_interval(values: NDArray[np.floating[Any]], fewest: int, comparisons: int = 1) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a mean by Student's t.

    Args:
        values: independent values, shape (k,).
        fewest: the fewest values that give an interval: `FEWEST_SCORES` or `FEWEST_RATIOS`.
        comparisons: the number of intervals that are to hold together in 95 % of all samples (Bonferroni's correction).

    Returns:
        the ends of the interval; None for too few values, infinite values, or equal values, which have no spread to
            estimate from.

    >>> import numpy as np
    >>> low, high = mean_interval(np.array([1.0, 2, 3, 4, 5]), fewest=5)
    >>> round(low, 2), round(high, 2)
    (1.04, 4.96)
    """
    import numpy as np
    from scipy.special import stdtrit

    number = len(values)
    if number < fewest or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return None
    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = float(values.mean()), float(values.std(ddof=1))
    half = float(stdtrit(number - 1, 1 - (1 - CONFIDENCE) / comparisons / 2)) * deviation / number**0.5
    return (mean - half, mean + half) if isfinite(half) else None


def median_interval(values: NDArray[np.floating[Any]]) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a median, between two of the values: no distribution is assumed.

    The ranks of its ends follow from the binomial distribution (Thompson 1936).

    Args:
        values: independent values, shape (k,).

    Returns:
        the ends of the interval; None for fewer than `FEWEST_FOR_MEDIAN` values.

    >>> import numpy as np
    >>> median_interval(np.array([5.0, 1, 4, 2, 3, 6, 9, 7, 8]))
    (2.0, 8.0)
    """
    import numpy as np
    from scipy.special import bdtr

    number = len(values)
    if number < FEWEST_FOR_MEDIAN:
        return None
    ranks = np.arange(number // 2)
    outside = bdtr(ranks, number, 0.5)  # the probability that at most `ranks` values lie below the median
    rank = int(ranks[outside <= (1 - CONFIDENCE) / 2][-1])
    ordered = np.sort(values)
    return float(ordered[rank]), float(ordered[number - 1 - rank])


def half_interval(number: int) -> Callable[[float, float], float] | None:
    """Return a function for half of the 95 % confidence interval of a mean by Student's t, for many means in turn.

    Args:
        number: how many independent values there are.

    Returns:
        `(total, squares)`: from their sum and the sum of their squares; None for fewer than `FEWEST_SCORES`.

    >>> round(half_interval(9)(45.0, 285.0), 2)  # 1, 2 … 9
    2.11
    """
    if number < FEWEST_SCORES:
        return None
    from scipy.special import stdtrit

    factor = float(stdtrit(number - 1, 1 - (1 - CONFIDENCE) / 2)) / sqrt(number)

    def half(total: float, squares: float) -> float:
        variance = max(0.0, squares - total * total / number) / (number - 1)
        return factor * sqrt(variance)

    return half


def ratio_interval(logs: NDArray[np.floating[Any]]) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a geometric mean.

    Args:
        logs: natural logarithms of ratios, shape (k,).

    Returns:
        the ends of the interval; None if `mean_interval` has none for the logarithms.
    """
    interval = mean_interval(logs.round(DIGITS), FEWEST_RATIOS)
    return interval and (exp(min(interval[0], LARGEST)), exp(min(interval[1], LARGEST)))


def rate_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate (Clopper and Pearson 1934).

    Args:
        successes: a fraction if several values of one sample count as one trial.

    It misses the true rate in at most 5 % of all samples, for any rate and number of trials. Wilson's interval (1927)
    achieves that on average over all rates, but misses rare events in up to 17 % of the samples.

    >>> low, high = rate_interval(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.555, 0.997)
    """
    from scipy.special import betaincinv

    wrong, failures = (1 - CONFIDENCE) / 2, trials - successes
    low = betaincinv(successes, failures + 1, wrong) if successes else 0.0
    high = betaincinv(successes + 1, failures, 1 - wrong) if failures else 1.0
    return float(low), float(high)


def sign_test(differences: NDArray[np.floating[Any]]) -> Verdict:
    """Test whether pairs differ in one direction rather than in the other (the sign test)."""
    from scipy.stats import binomtest

    lower, higher = int((differences < 0).sum()), int((differences > 0).sum())
    pairs = lower + higher
    return Verdict(pairs, float(binomtest(lower, pairs).pvalue) if pairs else None)


def wilcoxon_test(differences: NDArray[np.floating[Any]]) -> Verdict:
    """Test the same with Wilcoxon's signed-rank test (1945), which also weighs how far pairs differ."""
    import numpy as np
    from scipy.stats import permutation_test, rankdata, wilcoxon

    differing = differences.round(DIGITS)
    differing = differing[differing != 0]
    pairs = len(differing)
    if not pairs:
        return Verdict(0, None)
    ranks = rankdata(abs(differing))
    outcome: Any
    if pairs <= MOST_TIED and len(set(ranks.tolist())) < pairs:
        # As `wilcoxon` does here, all signs are tried; it computes one sum after another, which takes seconds.
        signed = (np.copysign(ranks, differing),)
        outcome = permutation_test(
            signed, _sum_of_ranks, permutation_type="samples", n_resamples=2**MOST_TIED, vectorized=True
        )
    else:
        outcome = wilcoxon(differing)
    return Verdict(pairs, float(outcome.pvalue))


def _sum_of_ranks(signed: NDArray[np.float64], axis: int) -> Any:
    """Return the sum of the positive ranks, in each sample."""
    return signed.clip(min=0).sum(axis=axis)
