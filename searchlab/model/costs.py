"""Compare costs: exactly if they are integers, else up to a relative rounding error.

The last digits of a sum of many floating-point costs depend on the order of summation, so two sums that differ by less
than `ROUNDING` of their size count as equal. An absolute tolerance would ignore costs of 1e-10.
"""

from __future__ import annotations

from math import inf, isclose
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

ROUNDING = 1e-9
"""The relative difference that counts as rounding."""
WRITTEN = 1e-6
"""The relative difference to a cost written in a file that counts as rounding."""
LAST_DIGITS = 1e-13
"""The relative difference of two paths to a state for which it is not worth while to expand it again.

The sum of a few hundred costs may be off by as much. Each state of a path may lose it, and ten thousand of them
together no more than `ROUNDING`.
"""
EXACT = 2**53
"""Floating-point numbers represent every integer up to this one, so sums of integer costs are exact."""
MOST_LAYERS = 4096
"""Expanded nodes are counted by f if f is a whole number below this one."""
LARGEST_COST = 1e300
"""The largest cost of a move: no path is long enough for a sum of such costs to overflow."""


def exceeds(value: float, bound: float) -> bool:
    """Return whether a value is above a bound by more than rounding; compiled into the kernels, too.

    >>> exceeds(10**15 + 1, 10**15), exceeds(0.1 + 0.2, 0.3), exceeds(3e-10, 2e-10)
    (True, False, True)
    """
    if not value > bound:
        return False
    size = max(abs(value), abs(bound))
    if value - bound > ROUNDING * size:
        return True
    return size == inf or (size <= EXACT and value == int(value) and bound == int(bound))


def is_shorter(cost: float, known: float) -> bool:
    """Return whether a path is shorter, by more than rounding, than the one by which its state was expanded.

    Compiled into the kernels, too.

    >>> is_shorter(10**15, 10**15 + 1), is_shorter(0.3, 0.1 + 0.2), is_shorter(1, 1 + 1e-12)
    (True, False, True)
    """
    if not cost < known:
        return False
    return known - cost > LAST_DIGITS * known or (known <= EXACT and cost == int(cost) and known == int(known))


def has_layer(f: float) -> bool:
    """Return whether nodes with this f are counted together: a small whole number; compiled into the kernels, too.

    >>> [has_layer(f) for f in (0, 41.0, 41.5, -1, float("nan"), 1e9)]
    [True, True, False, False, False, False]
    """
    return f >= 0 and f < MOST_LAYERS and f == int(f)


def exceed(values: ArrayLike, bounds: ArrayLike) -> NDArray[np.bool_]:
    """Return a mask of the values that exceed their bounds (see `exceeds`); NaN never does."""
    values, bounds = np.asarray(values, np.float64), np.asarray(bounds, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.maximum(np.abs(values), np.abs(bounds))
        is_whole = (values == np.floor(values)) & (bounds == np.floor(bounds)) & (size <= EXACT)
        is_exact = is_whole | np.isinf(size)
        above: NDArray[np.bool_] = (values > bounds) & (is_exact | (values - bounds > ROUNDING * size))
    return above


def is_known_cost(cost: float, known: float) -> bool:
    """Return whether a cost equals one given in a file, within the digits that are written there.

    >>> is_known_cost(15.82842712474619, 15.828427), is_known_cost(15.9, 15.828427), is_known_cost(10**8 + 1, 10**8)
    (True, False, False)
    """
    if float(cost).is_integer() and float(known).is_integer():
        return cost == known
    return isclose(cost, known, rel_tol=WRITTEN)


def contradiction(status: str, cost: float | None, known: float | None, *, proved: bool) -> str:
    """Return an error message if the outcome of a search contradicts a known optimal cost, or `""`.

    Args:
        status, cost: the status of the search, and the cost of its solution, None without one.
        known: the optimal cost given in a file, or None.
        proved: whether it is proved that no solution is cheaper.

    >>> contradiction("solved", 2, 3, proved=False)
    'the known optimum is 3, and there is a solution of cost 2'
    >>> contradiction("solved", 4, 3, proved=False)
    ''
    """
    if known is None:
        return ""
    if cost is None:
        return f"the known optimum is {known:.10g}, and it is proved unsolvable" if status == "unsolvable" else ""
    if is_known_cost(cost, known) or not (proved or cost < known):
        return ""
    found = f"{cost:.10g} is proved optimal" if proved else f"there is a solution of cost {cost:.10g}"
    return f"the known optimum is {known:.10g}, and {found}"


def same_but_rounded(cost: float, other: float) -> bool:
    """Return whether two sums may differ only by rounding."""
    return cost == other or abs(cost - other) <= ROUNDING * max(abs(cost), abs(other))
