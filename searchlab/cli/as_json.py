"""JSON that every reader takes: no NaN, no infinity."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any


def as_json(content: Any) -> str:
    """Return one line of JSON; numbers that JSON does not have become null."""
    return json.dumps(_plain(content), allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """Return a value with NumPy's numbers as Python's, and None for those that are not finite."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if isinstance(value, str | int | bool | None) else str(value)
