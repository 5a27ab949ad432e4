"""Fingerprints of plugins: what tells whether two machines, or two days, run the same code."""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.binding.names import parse_name
from searchlab.errors import UsageError
from searchlab.files import open_to_read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from searchlab.binding.bound import Bound
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins

DIGITS = 16


@cache
def fingerprint(plugin: Plugin) -> str:
    """Return a plugin's version and a digest of its code, computed once a process.

    Of an installed plugin that is every `*.py` file of its package, or its single module; of a plugin file that, and
    the files it imports from its folder. Data it reads does not count.
    """
    digest = hashlib.sha256()
    for name, file in sorted(_files(plugin)):
        content = file.read_bytes() if file.is_file() else b""
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    return f"{plugin.version} {digest.hexdigest()[:DIGITS]}".strip()


def fingerprints(plugins: Iterable[Plugin], files: Iterable[str] = ()) -> dict[str, str]:
    """Return the fingerprints of plugins by what they are called; those of several of one name are told together.

    Args:
        plugins: whose code is run.
        files: what is read besides, see `files_named`; each counts as a plugin that is called as its path.
    """
    found: dict[str, set[str]] = {}
    for plugin in plugins:
        found.setdefault(called(plugin), set()).add(fingerprint(plugin))
    told = {name: " and ".join(sorted(found[name])) for name in sorted(found)}
    return told | {file: _content(Path(file)) for file in sorted(set(files))}


def files_named(kind: str, name: str, plugins: Plugins) -> Iterator[str]:
    """Yield the paths in a component's name, and in those of the heuristics it names: the parameters of kind "file".

    Raises:
        UsageError: there is no such component.
    """
    spelled = parse_name(name)
    for parameter in plugins.get(kind, spelled).component.own_parameters():
        value = spelled.parameters.get(parameter.name, "")
        if parameter.kind == "file" and (value or parameter.default):
            yield str(value or parameter.default)
        elif value and parameter.kind == "heuristic":
            yield from files_named("heuristic", value, plugins)


def undeclared_files(bound: Bound) -> Iterator[str]:
    """Yield a line for each text parameter of a component whose value is the path of a file, though nothing says so."""
    for parameter in bound.component.own_parameters():
        value = bound.values.get(parameter.name)
        if parameter.kind or parameter.choices or not isinstance(value, str) or not is_file(value):
            continue
        told = f"what it holds is not looked at when runs are told apart; declare Parameter({parameter.name!r}, "
        yield f'{bound.name}: {parameter.name}={value} is a file, and {told}kind="file")'


def is_file(path: str) -> bool:
    """Return whether a text is the path of a file."""
    try:
        return bool(path) and Path(path).is_file()
    except (OSError, ValueError):
        return False


def _content(file: Path) -> str:
    """Return a digest of what a file holds."""
    try:
        status = file.stat()
        return _digest(file.resolve(), status.st_mtime_ns, status.st_size)
    except (OSError, UsageError):
        return "cannot be read"


@lru_cache(maxsize=64)
def _digest(file: Path, _changed: int, _size: int) -> str:
    with open_to_read(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:DIGITS]


def called(plugin: Plugin) -> str:
    """Return a plugin's name, with its module's where that is another: a distribution may bring several plugins.

    >>> import searchlab as sl
    >>> called(sl.Plugins().loaded[0])
    'searchlab/executors'
    """
    module = plugin.module.__name__.rpartition(".")[2]
    return plugin.name if plugin.name.replace(".", "_").replace("-", "_") == module else f"{plugin.name}/{module}"


def _files(plugin: Plugin) -> Iterator[tuple[str, Path]]:
    """Yield the files of a plugin's code, each with a name that is the same on every machine."""
    package = sys.modules.get(plugin.module.__package__ or "")
    if package is None or package.__spec__ is None:  # a module of its own, or one of a folder of plugins
        for file in _with_imported(Path(plugin.file), set()):
            yield file.name, file
        return
    for folder in map(Path, package.__path__):
        for file in folder.rglob("*.py"):
            yield file.relative_to(folder).as_posix(), file


def _with_imported(file: Path, found: set[Path]) -> set[Path]:
    """Return a file and those of its folder that it imports, and so on."""
    found.add(file)
    for name in _imported(file):
        beside = file.with_name(f"{name}.py")
        if beside not in found and beside.is_file():
            _with_imported(beside, found)
    return found


def _imported(file: Path) -> Iterator[str]:
    """Yield the names that a file imports relatively."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
