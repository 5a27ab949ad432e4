"""The metrics of a result: further figures that plugins compute from it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import plain_text
from searchlab.errors import PluginCode, PluginError, in_one_line, shown

if TYPE_CHECKING:
    from searchlab.model.extensions import Metric
    from searchlab.model.results import Result, Value
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins

NAMES = {"number": "a number", "whole": "a whole number", "text": "a text", "boolean": "True or False"}
LARGEST_WHOLE = 2**63 - 1
"""The largest whole number a column of a table holds."""


def measured(result: Result, plugins: Plugins) -> Result:
    """Return a result with the values of all metrics; that of a metric that fails is missing, which is told once."""
    values: dict[str, Value] = {}
    for registered in plugins.all("metric"):
        metric, plugin = registered.component, registered.plugin
        try:
            with PluginCode(partial(_failed, plugin), ()):
                values[metric.name] = value_of(metric, result)
        except PluginError as error:
            values[metric.name] = None
            what = f"metric {metric.name!r} failed: {error}; its value is missing"
            plugins.report(plugin, what, about=f"metric {metric.name}")
    return replace(result, metrics=values) if values else result


def _failed(plugin: Plugin, error: BaseException) -> PluginError:
    return PluginError(in_one_line(error, plugin.file))


def value_of(metric: Metric, result: Result) -> Value:
    """Return a metric's value as one of Python's own, a text in one line; None for a missing one and for NaN.

    Raises:
        TypeError: it is not of the metric's kind.
    """
    returned: Any = metric.function(result)
    value = returned.item() if hasattr(returned, "item") else returned
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    if not _is_of_kind(value, metric.kind):
        wanted = f"kind={metric.kind!r} means {NAMES[metric.kind]}"
        msg = f"it returned {type(returned).__name__} {shown(returned, 40)}, and {wanted}"
        raise TypeError(msg)
    if metric.kind == "number":
        return float(value)
    if metric.kind == "text":
        return " ".join(plain_text(value).splitlines())
    return value if metric.kind == "boolean" else int.__index__(value)


def _is_of_kind(value: Any, kind: str) -> bool:
    """Return whether a metric of this kind may have this value."""
    if kind == "text":
        return isinstance(value, str)
    if kind == "boolean" or isinstance(value, bool):
        return kind == "boolean" and isinstance(value, bool)
    if kind == "whole":
        return isinstance(value, int) and abs(value) <= LARGEST_WHOLE
    return isinstance(value, int | float)
