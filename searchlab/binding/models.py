"""Models that a heuristic's batch form takes by name: objects of any library, loaded once per process.

A prepared table is an array that all processes share; a model is any object that a library loads from a file, such as a
neural network, and each process has its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

from searchlab.binding.tables import content_of
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.files import reason_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping
    from pathlib import Path

MOST_KEPT = 8
"""The number of models that a process keeps; the most recently used ones stay."""

_loaded: dict[Hashable, tuple[Any, Mapping[str, Any]]] = {}
"""The models by their keys, with their arguments, which keeps the addresses in the keys valid."""
_lock = Lock()


@dataclass(frozen=True)
class ModelFile:
    """A model, and its load function.

    Attributes:
        model: the name for people, such as "model net of heuristic mine".
        function: returns the model.
        arguments: the arguments of the function, by name.
        files: the paths among the arguments, whose content counts.
    """

    model: str
    function: Callable[..., Any]
    arguments: Mapping[str, Any]
    files: tuple[Path, ...] = ()

    def key(self) -> Hashable:
        """The key that distinguishes it from other models: the function, the arguments, and the content of files."""
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
                said = f"{error.filename}: {reason_of(error)}" if error.filename else in_one_line(error)
                raise UsageError(f"{self.model} cannot be loaded: {said}") from error
