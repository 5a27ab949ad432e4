"""Statistics: means and rates with their intervals, and tests of paired figures that assume no distribution."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST_PAIRS = 6
"""With fewer pairs that differ even the clearest outcome has p > 0.05: 2 × 0.5 ** 5 is 0.0625."""
RESAMPLES = 10_000
IN_ONE_GO = 2**20
"""Values drawn at once for the bootstrap, which bounds its memory."""
SEED = 0
DIGITS = 12
"""Logarithms are compared to so many decimals, so that equal ratios are tied whatever they were computed from."""


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


def geometric_interval(logs: NDArray[np.float64]) -> tuple[float, float, float] | None:
    """Return a geometric mean and its 95 % confidence interval.

    Args:
        logs: natural logarithms, (k,).

    Returns:
        the mean and the ends of the interval; None of nothing.
    """
    if not len(logs):
        return None
    low, high = mean_interval(logs)
    return exp(logs.mean()), exp(low), exp(high)


def mean_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % confidence interval of the mean of some values, (k,).

    It is that of the percentile bootstrap (Efron 1979): means of samples drawn with replacement, with a fixed seed.
    """
    import numpy as np

    generator = np.random.default_rng(SEED)
    together = max(1, IN_ONE_GO // len(values))
    means = []
    for first in range(0, RESAMPLES, together):
        drawn = generator.integers(0, len(values), (min(together, RESAMPLES - first), len(values)))
        means.append(values[drawn].mean(axis=1))
    low, high = np.percentile(np.concatenate(means), [2.5, 97.5])
    return float(low), float(high)


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a rate (Wilson 1927), which holds for rates near 0 and 1, too.

    >>> low, high = wilson_interval(9, 10)
    >>> round(low, 3), round(high, 3)
    (0.596, 0.982)
    """
    from scipy.stats import binomtest

    interval = binomtest(successes, trials).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def sign_test(differences: NDArray[np.float64]) -> Verdict:
    """Return what the sign test says, which asks whether pairs differ in one direction rather than in the other."""
    from scipy.stats import binomtest

    lower, higher = int((differences < 0).sum()), int((differences > 0).sum())
    pairs = lower + higher
    return Verdict(pairs, float(binomtest(lower, pairs).pvalue) if pairs else None)


def wilcoxon_test(differences: NDArray[np.float64]) -> Verdict:
    """Return what Wilcoxon's signed-rank test (1945) says: it counts how far pairs differ, too."""
    from scipy.stats import wilcoxon

    differing = differences.round(DIGITS)
    differing = differing[differing != 0]
    if not len(differing):
        return Verdict(0, None)
    outcome: Any = wilcoxon(differing)
    return Verdict(len(differing), float(outcome.pvalue))
