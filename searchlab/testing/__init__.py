"""The kit for plugin authors: check the contract of heuristics, domains, frontier strategies and players.

`contract_of` makes pytest tests of the contract, and `check` returns reports, as `searchlab plugins check` prints them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from searchlab.testing.contract import Contract, check
    from searchlab.testing.pytest import contract_of
    from searchlab.testing.report import Finding, Property, Report

_HOME = {
    "Contract": "contract",
    "Finding": "report",
    "Property": "report",
    "Report": "report",
    "check": "contract",
    "contract_of": "pytest",
}

__all__ = ["Contract", "Finding", "Property", "Report", "check", "contract_of"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        msg = f"module 'searchlab.testing' has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"searchlab.testing.{_HOME[name]}"), name)
    globals()[name] = value
    return value
