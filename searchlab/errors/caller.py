"""Warnings that point to the line of the user's program that caused them."""

from __future__ import annotations

import sys
import warnings

from searchlab.errors.exceptions import SearchlabWarning
from searchlab.errors.interrupts import OURS


def warn_caller(text: str) -> None:
    """Issue a SearchlabWarning that points to the line outside searchlab that caused the call."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(OURS):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, SearchlabWarning, level)
