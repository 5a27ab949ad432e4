"""Exceptions, the containment of plugin code, and suggestions for misspelt names."""

from searchlab.errors.exceptions import (
    BoardError,
    Cancelled,
    MachineError,
    PluginError,
    SearchlabError,
    SearchlabWarning,
    TileIndexError,
    UsageError,
)
from searchlab.errors.plugin_code import (
    PluginCode,
    at_most,
    in_one_line,
    is_from_elsewhere,
    message_of,
    shown,
    source_excerpt,
    with_type,
)
from searchlab.errors.suggestions import did_you_mean

__all__ = [
    "BoardError",
    "Cancelled",
    "MachineError",
    "PluginCode",
    "PluginError",
    "SearchlabError",
    "SearchlabWarning",
    "TileIndexError",
    "UsageError",
    "at_most",
    "did_you_mean",
    "in_one_line",
    "is_from_elsewhere",
    "message_of",
    "shown",
    "source_excerpt",
    "with_type",
]
