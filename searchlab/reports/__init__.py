"""Reports: tables as text, as files for programs and papers, and as charts."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "plot":  # `sl.plot`, imported only when it is asked for
        return import_module("searchlab.reports.plot")
    msg = f"module 'searchlab.reports' has no attribute {name!r}"
    raise AttributeError(msg)
