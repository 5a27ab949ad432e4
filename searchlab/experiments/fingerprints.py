"""Fingerprints of plugins: equal for the same code on any machine and day, different for other code."""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import parse_name, parse_names
from searchlab.errors import UsageError
from searchlab.experiments.import_values import values_digest
from searchlab.files import open_to_read
from searchlab.games.programs import split_command
from searchlab.model.component import COMMAND
from searchlab.plugins.loading import code_files
from searchlab.plugins.lookup import declared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from searchlab.binding.bound import Bound
    from searchlab.binding.domain import BoundDomain
    from searchlab.model.component import Component
    from searchlab.plugins.found import Found
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins

DIGITS = 16


@cache
def fingerprint(plugin: Plugin) -> str:
    """Return the version of a plugin and a digest of its code, computed once per process.

    The code of an installed plugin is every `*.py` file of its package, or its single module. The code of a plugin file
    is the file and the files it imports from its folder; importing from a subfolder adds every `*.py` file of that
    subfolder. Docstrings, comments, layout and data files do not count. Nor does the version of an editable
    installation: the code itself identifies it.
    """
    files = ((name, _significant(_content_of(file))) for name, file in sorted(_files(plugin)))
    version = "" if _is_editable(plugin.name) else plugin.version
    return f"{version} {_digest_of_files(files)}".strip()


@cache
def _is_editable(distribution: str) -> bool:
    """Return whether a distribution is installed as a link to its source; the recorded version may then be out of date.

    In the source folder, `python -m` finds another description of the distribution than other processes do.
    """
    return any(map(_is_link, metadata.distributions(name=distribution)))


def _is_link(distribution: metadata.Distribution) -> bool:
    try:
        said = distribution.read_text("direct_url.json")  # see PEP 610
        return bool(said and json.loads(said)["dir_info"]["editable"])
    except (LookupError, TypeError, ValueError, OSError):
        return False


def _content_of(file: Path) -> bytes:
    return file.read_bytes() if file.is_file() else b""


def _digest_of_files(files: Iterable[tuple[str, bytes]]) -> str:
    digest = hashlib.sha256()
    for name, content in files:
        digest.update(f"{len(name)} {name} {len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()[:DIGITS]


def _significant(content: bytes) -> bytes:
    """Return the syntax tree of Python code without docstrings, as words; other content unchanged."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return content
    return " ".join(_tokens(tree)).encode()


def _tokens(tree: ast.AST) -> Iterator[str]:
    """Yield a syntax tree as words, the same in every version of Python that parses it.

    `ast.dump` and `ast.unparse` change from version to version. Fields without a value are left out because newer
    versions add some. An explicit stack takes trees of any depth.
    """
    waiting: list[object] = [tree]
    while waiting:
        item = waiting.pop()
        if isinstance(item, ast.AST):
            yield f"({type(item).__name__}"
            waiting.append(_CLOSE)
            for name, value in reversed(list(ast.iter_fields(item))):
                kept = [each for each in value if not _is_idle(each, item)] if isinstance(value, list) else value
                if kept is not None and kept != [] and name != "kind":  # the kind of a text is whether it has a u
                    waiting += [kept, _Marker(name)]
        elif isinstance(item, list):
            yield f"[{len(item)}"
            waiting += reversed(item)
        elif isinstance(item, _Marker):
            yield item
        else:
            value = hex(item) if type(item) is int else ascii(item)  # decimal digits of large numbers are refused
            yield f"{type(item).__name__}:{value}"


class _Marker(str):
    """A name of a field, or a closing parenthesis, among the values of a tree."""

    __slots__ = ()


_CLOSE = _Marker(")")


def _is_idle(node: object, parent: ast.AST) -> bool:
    """Return whether a part of a tree does nothing: a docstring, or an empty part of an f-string (Python 3.12)."""
    if isinstance(parent, ast.JoinedStr):
        return isinstance(node, ast.Constant) and node.value == ""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def fingerprints(components: Iterable[Found[Any]], files: Iterable[str] = ()) -> dict[str, str]:
    """Return the fingerprints of plugins by name; those of several plugins with one name are joined.

    Values that a component's functions reach have a fingerprint of their own, `PLUGIN:COMPONENT`: see `import_values`.

    Args:
        components: the components of a run.
        files: the paths of files that are read, see `files_named`; each path is the key of the file's fingerprint.
    """
    found: dict[str, set[str]] = {}
    for item in components:
        component, plugin = item.component, item.plugin
        name = plugin_name(plugin)
        found.setdefault(name, set()).add(fingerprint(plugin))
        values = _values(_ById(component), plugin)
        if values:
            found.setdefault(f"{name}:{component.name}", set()).add(values)
    contents = {file: _content(Path(file)) for file in sorted(set(files))}
    return {name: " and ".join(sorted(found[name])) for name in sorted(found)} | contents


class _ById:
    def __init__(self, value: Component) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=1024)
def _values(component: _ById, plugin: Plugin) -> str:
    """Return the digest of the values that a component's functions reach, computed once a process."""
    return values_digest(component.value, dict(_files(plugin)))


def files_named(kind: str, name: str, plugins: Plugins, game: str | BoundDomain | None = None) -> Iterator[str]:
    """Yield the paths in a component's name: parameters of kind "file", including those of nested heuristics.

    The words of a "command" that are files of this machine count; a program that is looked up on the PATH does not.

    Args:
        game: the domain of the component.

    Raises:
        UsageError: there is no such component.
    """
    spelled = parse_name(name)
    for parameter in declared(kind, spelled, game, plugins).component.own_parameters():
        value = spelled.parameters.get(parameter.name, "")
        if parameter.kind == "file" and (value or parameter.default):
            yield str(value or parameter.default)
        elif parameter.kind == COMMAND:
            yield from filter(is_file, split_command(value))
    for heuristic in heuristics_named(kind, name, plugins, game):
        yield from files_named("heuristic", heuristic, plugins, game)


def components_named(
    kind: str, name: str, plugins: Plugins, game: str | BoundDomain | None = None
) -> Iterator[Found[Any]]:
    """Yield a component and the heuristics in its name, each with its plugin.

    Args:
        game: the domain of the component.

    Raises:
        UsageError: there is no such component.
    """
    yield declared(kind, parse_name(name), game, plugins)
    for heuristic in heuristics_named(kind, name, plugins, game):
        yield from components_named("heuristic", heuristic, plugins, game)


def heuristics_named(kind: str, name: str, plugins: Plugins, game: str | BoundDomain | None = None) -> Iterator[str]:
    """Yield the names of heuristics in the name of a component; names nested in these are not yielded."""
    spelled = parse_name(name)
    for parameter in declared(kind, spelled, game, plugins).component.own_parameters():
        value = spelled.parameters.get(parameter.name, "")
        if value and parameter.names_heuristics:
            yield from parse_names(value) if parameter.kind == "heuristics" else [value]


def undeclared_files(bound: Bound) -> Iterator[str]:
    """Yield a warning for each parameter whose value is the path of a file, if its kind is not "file"."""
    for parameter in bound.component.own_parameters():
        value = bound.values.get(parameter.name)
        if parameter.kind or parameter.choices or not isinstance(value, str) or not is_file(value):
            continue
        effect = f"what it holds is not looked at when runs are told apart; declare Parameter({parameter.name!r}, "
        yield f'{bound.name}: {parameter.name}={value} is a file, and {effect}kind="file")'


def is_file(path: str) -> bool:
    """Return whether a text is the path of a file."""
    try:
        return bool(path) and Path(path).is_file()
    except (OSError, ValueError):
        return False


def _content(file: Path) -> str:
    """Return a digest of a file's content."""
    try:
        status = file.stat()
        return _digest(file.resolve(), status.st_mtime_ns, status.st_size)
    except (OSError, UsageError):
        return "cannot be read"


@lru_cache(maxsize=64)
def _digest(file: Path, _changed: int, _size: int) -> str:
    with open_to_read(file) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:DIGITS]


def plugin_name(plugin: Plugin) -> str:
    """Return the name of a plugin, with the module's name if that differs: a distribution may bring several plugins.

    >>> import searchlab as sl
    >>> plugin_name(sl.Plugins().loaded[0])
    'searchlab/combinations'
    """
    module = plugin.module.__name__.rpartition(".")[2]
    return plugin.name if plugin.name.replace(".", "_").replace("-", "_") == module else f"{plugin.name}/{module}"


def _files(plugin: Plugin) -> Iterator[tuple[str, Path]]:
    """Yield the files of a plugin's code, each with a name that is the same on every machine."""
    folders = _package_folders(plugin)
    if not folders:
        root = Path(plugin.file).parent
        for file in code_files(Path(plugin.file)):
            yield file.relative_to(root).as_posix(), file
    for folder in folders:
        for file in folder.rglob("*.py"):
            yield file.relative_to(folder).as_posix(), file


def _package_folders(plugin: Plugin) -> list[Path]:
    """Return the folders of an installed plugin's package; empty for a single module or a plugin file."""
    package = sys.modules.get(plugin.module.__package__ or "")
    return [] if package is None or package.__spec__ is None else list(map(Path, package.__path__))
