"""Costs are compared exactly where they are whole numbers, else up to rounding relative to their size."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.model.costs import contradiction, exceed, exceeds

EQUAL = [(1, 1), (0.1 + 0.2, 0.3), (3.0, 3), (0.0, 0.0), (-2.5, -2.5), (2**60 + 1, 2**60)]
EQUAL += [(inf, inf), (1.0, inf), (nan, 1.0), (1.0, nan)]
ABOVE = [(1e15 + 1, 1e15), (2**53, 2**53 - 1), (9e-10, 1e-10), (5e-324, 0.0), (inf, 1.0), (1.0, -inf), (0.0, -0.5)]


@pytest.mark.parametrize(("value", "bound"), EQUAL)
def test_rounding_is_not_above(value, bound):
    """Nor is a value that is not a number."""
    assert not exceeds(value, bound)
    assert not exceed([value], [bound])[0]


@pytest.mark.parametrize(("value", "bound"), ABOVE)
def test_more_than_rounding_is_above(value, bound):
    """However small the costs are; of whole numbers one is enough, as long as sums of them are exact."""
    assert exceeds(value, bound)
    assert not exceeds(bound, value)
    assert exceed([value], [bound])[0]


numbers = st.floats() | st.integers(-1000, 1000).map(float) | st.floats(0, 1e-9)


@given(numbers, numbers | st.floats(-1e-8, 1e-8))
def test_exceed_equals_exceeds_for_arrays(value, other):
    """Numbers of similar size are tried, too."""
    for bound in (other, value * (1 + other)):
        assert bool(exceed([value], [bound])[0]) == exceeds(value, bound)


@pytest.mark.parametrize(
    ("status", "cost", "known", "proved", "said"),
    [
        ("solved", 2, 3, True, "the known optimum is 3, and 2 is proved optimal"),
        ("solved", 2, 1, True, "the known optimum is 1, and 2 is proved optimal"),
        ("solved", 2, 3, False, "the known optimum is 3, and there is a solution of cost 2"),
        ("unsolvable", None, 3, False, "the known optimum is 3, and it is proved unsolvable"),
        ("solved", 4, 3, False, ""),
        ("solved", 1.23456789, 1.234568, True, ""),
        ("time-limit", None, 3, False, ""),
        ("solved", 2, None, True, ""),
    ],
)
def test_a_known_optimum_is_contradicted_by_a_proof_or_a_cheaper_solution(status, cost, known, proved, said):
    """Not by a dearer solution that nobody proved optimal, nor by fewer digits."""
    assert contradiction(status, cost, known, proved=proved) == said
