"""Loading one plugin: a module behind an entry point, or a Python file; and saying in one line why it cannot be."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
import warnings
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from searchlab.errors import PluginCode, UsageError, did_you_mean, in_one_line
from searchlab.files import LONGEST_TEXT
from searchlab.plugins import hookspecs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from searchlab.plugins.entry_points import EntryPoint

HOOKS = tuple(name for name in vars(hookspecs) if name.startswith("searchlab_"))
MARK = f"{hookspecs.PROJECT}_impl"
"""The attribute `@hookimpl` gives a function."""


@dataclass(frozen=True)
class Plugin:
    """A loaded plugin: its name (distribution or file stem), version, and the file it comes from."""

    name: str
    version: str
    file: str
    module: ModuleType

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


def source(entry_point: EntryPoint) -> tuple[str, str]:
    """Return the name and the version of the distribution an entry point belongs to."""
    distribution = entry_point.dist
    if distribution is None:
        return entry_point.module.split(".")[0], ""
    return distribution.name, distribution.version


def load_entry_point(entry_point: EntryPoint) -> Plugin:
    """Load the plugin behind an entry point.

    Raises:
        UsageError: one line on why it cannot be loaded.
    """
    with contained():
        module = entry_point.load()
    if not isinstance(module, ModuleType):
        raise UsageError(f"{entry_point.value} is a {type(module).__name__}; a plugin is a module")
    return Plugin(*source(entry_point), getattr(module, "__file__", "") or "", module)


def load_file(path: Path) -> Plugin:
    """Load the plugin in a Python file, given by its full path.

    Raises:
        UsageError: one line on why it cannot be loaded.
    """
    if path.suffix != ".py":
        msg = "a plugin file ends in .py"
        raise UsageError(msg)
    if not path.is_file():
        msg = "no such file"
        raise UsageError(msg)
    if path.stat().st_size > LONGEST_TEXT:
        raise UsageError(f"larger than {LONGEST_TEXT >> 20} MiB, the limit for plugin files")
    if path.stem == hookspecs.PROJECT:
        msg = f"a file called {path.name} cannot be told from {hookspecs.PROJECT} itself: rename it"
        raise UsageError(msg)
    try:
        with contained(str(path)):
            return Plugin(path.stem, "", str(path), _imported(path))
    except UsageError as error:
        raise UsageError(f"{error}{_how_to_import(error.__cause__, path)}") from error.__cause__


@contextmanager
def contained(file: str = "") -> Iterator[None]:
    """Let a plugin's own code harm nobody else while it is imported, asked what it brings, or told of something.

    What it prints goes to standard error, for standard output belongs to results; warning filters, standard streams
    and the current folder are afterwards as they were.

    Args:
        file: the plugin's file, which error lines need not repeat.

    Raises:
        UsageError: one line on what it raised, whatever it was.
    """
    folder = _current_folder()
    try:
        with (
            PluginCode(lambda error: UsageError(in_one_line(error, file)), ()),
            warnings.catch_warnings(),
            redirect_stdout(Aside(sys.stderr)),
        ):
            yield
    finally:
        if folder and folder != _current_folder():
            os.chdir(folder)


class Aside:
    """Standard error in the place of standard output; closing it closes nothing."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text."""
        return self._stream.write(text) if self._stream else len(text)

    def flush(self) -> None:
        """Write what waits."""
        if self._stream:
            self._stream.flush()

    def close(self) -> None:
        """Write what waits, and stay open."""
        self.flush()


def _current_folder() -> str:
    """Return the current folder, an empty text if it is gone."""
    with suppress(OSError):
        return os.getcwd()
    return ""


def _imported(path: Path) -> ModuleType:
    """Import a file as a submodule of its folder's package, so that it can shadow no other module."""
    name = f"{_package_of(path.parent)}.{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _package_of(folder: Path) -> str:
    """Return the name of a package made for a folder: within it files import one another, and nobody else sees them."""
    from hashlib import blake2b

    name = f"searchlab_folder_{blake2b(str(folder).encode(), digest_size=8).hexdigest()}"
    if name not in sys.modules:
        package = ModuleType(name, f"The plugin files in {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _how_to_import(error: BaseException | None, path: Path) -> str:
    """Return what to write where a file was to be imported that lies beside the plugin, else an empty text."""
    missing = error.name if isinstance(error, ModuleNotFoundError) and error.name else ""
    beside = missing.isidentifier() and (path.parent / f"{missing}.py").is_file()
    return f"; {missing}.py lies beside it: write from . import {missing}" if beside else ""


def faulty_hook(module: ModuleType) -> str:
    """Return what is wrong with the names and marks of a plugin's hooks, an empty text if nothing is."""
    for name, value in vars(module).items():
        if not inspect.isroutine(value):
            continue
        options = getattr(value, MARK, None)
        hook = (options.get("specname") or name) if options else name
        if options and hook not in HOOKS:
            return f"{hook} is no hook of searchlab: {did_you_mean(hook, HOOKS)}"
        if options and (options.get("wrapper") or options.get("hookwrapper")):
            return f"{hook} is a wrapper, and hooks of searchlab are called one by one: there is nothing to wrap"
        if not options and name.startswith("searchlab_") and is_own(value, module):
            return f"{name} is not marked with @hookimpl"
    return ""


def is_own(value: object, module: ModuleType) -> bool:
    """Return whether something callable was made in this module rather than imported."""
    return callable(value) and getattr(value, "__module__", None) == module.__name__
