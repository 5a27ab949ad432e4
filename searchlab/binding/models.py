"""Models that a heuristic's batch form asks for by name: objects of any library, loaded once in a process.

A prepared table is an array that all processes share; a model is whatever a library makes of a file, such as a neural
network, and each process has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from searchlab.binding.tables import content_of
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from pathlib import Path

MOST_KEPT = 8
"""The number of models that a process keeps; those that were asked for last stay."""

_loaded: dict[Hashable, tuple[Any, Mapping[str, Any]]] = {}
"""The models by what they were loaded from, and the arguments, of which keys have the addresses."""
_lock = Lock()


@dataclass(frozen=True)
class ModelFile:
    """A model, and how it is loaded.

    Attributes:
        model: its name for people, "model net of heuristic mine".
        function: returns it.
        arguments: those of the function, by name.
        files: the paths among the arguments, whose content counts.
    """

    model: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    files: tuple[Path, ...] = ()

    def key(self) -> Hashable:
        """Return what tells it from other models: the function, its arguments, and the content of its files."""
        plain = (bool, int, float, str)
        values = ((name, repr(v) if isinstance(v, plain) else id(v)) for name, v in sorted(self.arguments.items()))
        return self.function, *values, *map(content_of, self.files)

    def load(self) -> Any:
        """Return the model, which is loaded if this process does not have it.

        Raises:
            UsageError: a file cannot be read.
            PluginError: the function fails.
        """
        with _lock:
            key = self.key()
            known = _loaded.pop(key, None) or (self._loaded(), self.arguments)
            _loaded[key] = known
            while len(_loaded) > MOST_KEPT:
                del _loaded[next(iter(_loaded))]
        return known[0]

    def _loaded(self) -> Any:
        failed = PluginCode(
            lambda error: PluginError(f"{self.model} cannot be loaded: {in_one_line(error)}"), (PluginError, UsageError)
        )
        with failed:
            try:
                return self.function(**self.arguments)
            except OSError as error:
                said = f"{error.filename}: {error.strerror}" if error.filename else in_one_line(error)
                raise UsageError(f"{self.model} cannot be loaded: {said}") from error
