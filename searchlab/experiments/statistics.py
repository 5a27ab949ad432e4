"""Statistics: means, ratios and rates with their intervals, and tests of paired figures that assume no distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
DIGITS = 12
"""Logarithms are compared to so many decimals, so that equal ratios are tied whatever they were computed from."""
ROUNDING = 1e-12
"""Values that differ by this share of the largest are alike but for rounding errors."""
LARGEST = 709.0
"""The largest number with a finite exponential."""


@dataclass(frozen=True)
class Verdict:
    """What a two-sided test of paired figures says.

    Attributes:
        pairs: how many pairs there are that differ; those that do not say nothing.
        p: how probable an outcome at least so clear would be if neither side were better; None without such pairs.
    """

    pairs: int
    p: float | None

    @property
    def remark(self) -> str:
        """Why it means nothing, an empty text where it may mean something."""
        if self.pairs == 0:
            return "no pair differs"
        return f"fewer than {FEWEST_PAIRS} pairs differ: it can show nothing" if self.pairs < FEWEST_PAIRS else ""


def mean_interval(values: NDArray[np.floating[Any]], fewest: int, comparisons: int = 1) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a mean by Student's t.

    Args:
        values: independent of each other, (k,).
        fewest: with fewer values there is no interval: `FEWEST_SCORES` or `FEWEST_RATIOS`.
        comparisons: how many intervals are to hold together in 95 % of all samples (Bonferroni's correction).

    Returns:
        its ends; None of too few values, of infinite ones, and of equal ones: they do not say how others would differ.

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


def ratio_interval(logs: NDArray[np.floating[Any]]) -> tuple[float, float] | None:
    """Return the 95 % confidence interval of a geometric mean.

    Args:
        logs: natural logarithms of ratios, (k,).

    Returns:
        its ends; None where `mean_interval` has none of the logarithms.
    """
    interval = mean_interval(logs.round(DIGITS), FEWEST_RATIOS)
    return interval and (exp(min(interval[0], LARGEST)), exp(min(interval[1], LARGEST)))


def rate_interval(successes: float, trials: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate (Clopper and Pearson 1934).

    Args:
        successes: a fraction where several values of one unit count as one trial.

    It misses the true rate in at most 5 % of all samples, whatever the rate and the number of trials; those of Wilson
    (1927) do so on average over all rates, but miss rare events in up to 17 % of the samples.

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
    """Return what the sign test says, which asks whether pairs differ in one direction rather than in the other."""
    from scipy.stats import binomtest

    lower, higher = int((differences < 0).sum()), int((differences > 0).sum())
    pairs = lower + higher
    return Verdict(pairs, float(binomtest(lower, pairs).pvalue) if pairs else None)


def wilcoxon_test(differences: NDArray[np.floating[Any]]) -> Verdict:
    """Return what Wilcoxon's signed-rank test (1945) says: it counts how far pairs differ, too."""
    from scipy.stats import wilcoxon

    differing = differences.round(DIGITS)
    differing = differing[differing != 0]
    if not len(differing):
        return Verdict(0, None)
    outcome: Any = wilcoxon(differing)
    return Verdict(len(differing), float(outcome.pvalue))
