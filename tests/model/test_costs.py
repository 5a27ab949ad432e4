"""Costs are compared exactly where they are whole numbers, else up to rounding relative to their size."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from searchlab.model.costs import exceed, exceeds

EQUAL = [(1, 1), (0.1 + 0.2, 0.3), (3.0, 3), (0.0, 0.0), (-2.5, -2.5), (2**60 + 1, 2**60)]
EQUAL += [(inf, inf), (1.0, inf), (nan, 1.0), (1.0, nan)]
ABOVE = [(1e15 + 1, 1e15), (2**53, 2**53 - 1), (9e-10, 1e-10), (5e-324, 0.0), (inf, 1.0), (1.0, -inf), (0.0, -0.5)]


@pytest.mark.parametrize(("value", "bound"), EQUAL)
def test_rounding_is_not_above(value, bound):
    """Neither is what is no number."""
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
def test_many_are_compared_as_one_is(value, other):
    """The array form is the same comparison; sizes near one another are tried, too."""
    for bound in (other, value * (1 + other)):
        assert bool(exceed([value], [bound])[0]) == exceeds(value, bound)
