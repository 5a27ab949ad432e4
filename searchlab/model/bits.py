"""Bit operations for packed rules, in plain Python; in compiled code each is one instruction."""

from __future__ import annotations


def trailing_zeros(value: int) -> int:
    """Return how many zero bits stand below the lowest one of a 64-bit value, 64 for 0.

    >>> trailing_zeros(8), trailing_zeros(0)
    (3, 64)
    """
    value = int(value)
    return (value & -value).bit_length() - 1 if value else 64
