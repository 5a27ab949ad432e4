"""Limits: valid and invalid values."""

from __future__ import annotations

import re

import numpy as np
import pytest

import searchlab as sl


def test_whole_numbers_of_numpy_are_limits():
    """They become int, as results and records hold them."""
    limits = sl.Limits(seconds=np.float64(0.5), memory=np.uint32(7), expansions=np.int64(5))
    assert limits == sl.Limits(0.5, 7, 5)
    assert type(limits.expansions) is int
    assert sl.solve("sliding-tile/puzzle8-20", engine="readable", limits=limits).status == "memory-limit"


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"seconds": "1m"}, "a time limit is a number of seconds, not '1m'"),
        ({"seconds": float("nan")}, "a time limit is 0 or more seconds, not nan"),
        ({"memory": 1.0}, "a memory limit is a whole number, not 1.0"),
        ({"expansions": "9"}, "a limit of expansions is a whole number, not '9'"),
        ({"expansions": -1}, "a limit of expansions is 0 or more, not -1"),
        ({"memory": 2**63}, "a memory limit is at most 2^63 - 1"),
    ],
)
def test_an_invalid_limit_is_reported(limits, said):
    """In one line."""
    with pytest.raises(sl.UsageError, match=re.escape(said)):
        sl.Limits(**limits)
