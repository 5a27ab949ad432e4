"""Load plugins one by one: modules behind entry points, and Python files, singly or by folder.

Loading a plugin does not affect others; one that cannot be loaded raises a UsageError of one line.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import os
import sys
import warnings
from contextlib import contextmanager, nullcontext, redirect_stdout
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from searchlab.errors import PluginCode, UsageError, did_you_mean, in_one_line
from searchlab.errors.printed import Aside
from searchlab.files import LONGEST_TEXT
from searchlab.files.distributions import Distribution, distribution_in, information_folders, text_in
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.hookspecs import HOOKS, PROJECT
from searchlab.plugins.registration import Hooks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib import metadata

    AnyEntryPoint: TypeAlias = "metadata.EntryPoint | EntryPoint"
    FileVersions: TypeAlias = dict[str, tuple[int, int] | None]

NAMING_GROUPS = {f"{PROJECT}.{kind}s": kind for kind in COMPONENT_TYPES}
"""The groups of entry points that name components, each with the kind: NAME = "MODULE", as in group `searchlab`."""
MARK = f"{PROJECT}_impl"
"""The attribute that `@hookimpl` gives a function."""
PRIVATE_PREFIXES = ("_", ".", "test_")
"""The beginnings of names of Python files that are ignored in a folder of plugins."""
FOLDERS = "searchlab_folder_"
"""How the names of the packages begin that are made for folders of plugin files."""
PYTEST_FILE = "conftest.py"
HOOKS_NAME = "hooks"
"""The variable of a module for the return value of `searchlab.plugin`."""
BY_VALUE = attrgetter("value", "name")


class Plugin(NamedTuple):
    """A loaded plugin.

    Attributes:
        name: the name of its distribution, or the stem of its file.
        version: the version of the distribution; `""` for a file.
        file: the file of its module.
        module: the module.
    """

    name: str
    version: str
    file: str
    module: ModuleType

    def __str__(self) -> str:
        return f"{self.name} {self.version}".strip()


class EntryPoint(NamedTuple):
    """A line of a distribution's `entry_points.txt`, with the interface of `importlib.metadata.EntryPoint`.

    Attributes:
        components: the components of the module according to the distribution, as pairs (kind, name); empty if it names
            none.
    """

    name: str
    value: str
    dist: Distribution
    components: frozenset[tuple[str, str]] = frozenset()

    @property
    def module(self) -> str:
        """The module's name."""
        return self.value.partition("[")[0].partition(":")[0].strip()

    def load(self) -> Any:
        """Import the module; return it, or the attribute of it that is named."""
        found: Any = import_module(self.module)
        for attribute in filter(None, self.value.partition("[")[0].partition(":")[2].strip().split(".")):
            found = getattr(found, attribute)
        return found


def installed_entry_points(group: str = PROJECT) -> list[AnyEntryPoint]:
    """Return the entry points of a group, always in the same order.

    For a distribution found twice, they are those that Python would import, which `importlib.metadata` finds, too.
    """
    try:
        found = [point for folder in information_folders(sys.path) for point in _of_distribution(folder, group)]
    except NotImplementedError:
        from importlib import metadata

        return sorted(metadata.entry_points(group=group), key=BY_VALUE)
    return sorted(found, key=BY_VALUE)


def _of_distribution(folder: str, group: str) -> list[EntryPoint]:
    """Return the entry points of a group in one distribution."""
    text = text_in(folder, "entry_points.txt")
    if f"[{group}]" not in text:
        return []
    distribution = distribution_in(folder)
    points: list[tuple[str, str]] = []
    components: dict[str, set[tuple[str, str]]] = {}
    for section, name, value in _lines(text):
        if section == group:
            points.append((name, value))
        elif section in NAMING_GROUPS:
            components.setdefault(value, set()).add((NAMING_GROUPS[section], name))
    return [EntryPoint(name, value, distribution, frozenset(components.get(value, ()))) for name, value in points]


def _lines(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, name and value of each line of an `entry_points.txt`."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line[1:-1].strip()
        elif "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield section, name.strip(), value.strip()


def distribution_of(point: AnyEntryPoint) -> tuple[str, str]:
    """Return the name and the version of the distribution an entry point belongs to."""
    if point.dist is None:
        return point.module.split(".")[0], ""
    return point.dist.name, point.dist.version


def components_of(point: AnyEntryPoint) -> frozenset[tuple[str, str]]:
    """Return the components that a distribution names for a module, as pairs (kind, name); empty if it names none."""
    return point.components if isinstance(point, EntryPoint) else frozenset()


def files_in(folder: Path) -> list[Path]:
    """Return the plugin files of a folder by name: every `*.py` that is neither private nor a test.

    Raises:
        UsageError: there is no such folder, or it cannot be read.
    """
    try:
        found = sorted(path for path in folder.expanduser().iterdir() if path.suffix == ".py" and path.is_file())
    except (FileNotFoundError, NotADirectoryError):
        msg = "no such folder"
        raise UsageError(msg) from None
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(getattr(error, "strerror", "") or str(error)) from None
    return [path for path in found if not path.name.startswith(PRIVATE_PREFIXES) and path.name != PYTEST_FILE]


def plugin_names(origin: AnyEntryPoint | Path) -> set[str]:
    """Return the names by which a plugin can be left out: distribution and entry point, or the file's stem."""
    return {origin.stem} if isinstance(origin, Path) else {distribution_of(origin)[0], origin.name}


def load_entry_point(entry_point: AnyEntryPoint) -> Plugin:
    """Load the plugin behind an entry point.

    Raises:
        UsageError: it cannot be loaded; one line with the reason.
    """
    with contained():
        module = entry_point.load()
    if not isinstance(module, ModuleType):
        raise UsageError(f"{entry_point.value} is a {type(module).__name__}; a plugin is a module")
    return Plugin(*distribution_of(entry_point), getattr(module, "__file__", "") or "", module)


def load_file(path: Path) -> Plugin:
    """Load the plugin in a Python file, given by its full path.

    Raises:
        UsageError: it cannot be loaded; one line with the reason.
    """
    if path.suffix != ".py":
        msg = "a plugin file ends in .py"
        raise UsageError(msg)
    if not path.is_file():
        msg = "no such file"
        raise UsageError(msg)
    if path.stat().st_size > LONGEST_TEXT:
        raise UsageError(f"larger than {LONGEST_TEXT >> 20} MiB, the limit for plugin files")
    if path.stem == PROJECT:
        msg = f"a file called {path.name} cannot be told from {PROJECT} itself: rename it"
        raise UsageError(msg)
    _forget_edited(code_versions(path))
    try:
        with contained(str(path)):
            return Plugin(path.stem, "", str(path), _imported(path))
    except UsageError as error:
        raise UsageError(f"{error}{_how_to_import(error.__cause__, path)}") from error.__cause__


def code_files(file: Path) -> set[Path]:
    """Return a plugin file and the files of its folder that it imports, recursively; for a subfolder all files."""
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _imported_by(one, file.parent)
    return found


def _imported_by(file: Path, root: Path) -> Iterator[Path]:
    """Yield the files that a file in a folder of plugins imports relatively.

    Args:
        root: the folder, beyond which nothing can be imported.
    """
    try:
        is_read = file.is_file() and file.stat().st_size <= LONGEST_TEXT
        tree = ast.parse(file.read_bytes() if is_read else b"")
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            above = [file.parent, *(folder for folder in file.parent.parents if folder.is_relative_to(root))]
            folder = above[min(node.level, len(above)) - 1]
            for name in [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]:
                module, package = folder / f"{name}.py", folder / name
                is_module = module.is_file() and not (package / "__init__.py").is_file()
                yield from [module] if is_module else package.rglob("*.py")


def code_versions(file: Path) -> FileVersions:
    """Return the version of a plugin file, and of each file that it imports from its folder, to detect edits."""
    return {str(one): _version(one) for one in code_files(file)}


def are_current(versions: FileVersions) -> bool:
    """Return whether files are unchanged."""
    return all(_version(file) == version for file, version in versions.items())


_loaded: FileVersions = {}
"""The files that plugins were loaded from, as they were then."""


def _forget_edited(versions: FileVersions) -> None:
    """Let Python import files again if one was edited since, because importing files must be imported again."""
    if any(_loaded.get(file, version) != version for file, version in versions.items()):
        for name, module in list(sys.modules.items()):
            if name.startswith(FOLDERS) and getattr(module, "__file__", None) in versions:
                del sys.modules[name]
    for file in versions:
        _remove_outdated_bytecode(Path(file))
    _loaded.update(versions)


def _remove_outdated_bytecode(file: Path) -> None:
    """Remove the bytecode of a file that was edited since: Python itself compares only whole seconds and the size."""
    try:
        bytecode = Path(importlib.util.cache_from_source(str(file)))
        if bytecode.stat().st_mtime_ns <= file.stat().st_mtime_ns:
            bytecode.unlink()
    except (OSError, NotImplementedError):  # there is none, or the folder is read-only
        pass


def _version(file: str | Path) -> tuple[int, int] | None:
    """Return the time of the last change of a file and its size, or None if it is missing."""
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size


@contextmanager
def contained(file: str = "", prefix: str = "") -> Iterator[None]:
    """Isolate a plugin's code while the plugin is imported, or one of its hooks is called.

    Its prints go to standard error, because standard output belongs to results; warning filters, standard streams and
    the current folder are restored afterwards.

    Args:
        file: the plugin's file, which error lines need not repeat.
        prefix: the beginning of error lines.

    Raises:
        UsageError: the code raised an exception; one line.
    """
    folder = current_folder()
    try:
        with (
            PluginCode(lambda error: UsageError(f"{prefix}{in_one_line(error, file)}"), ()),
            warnings.catch_warnings(),
            nullcontext() if isinstance(sys.stdout, Aside) else redirect_stdout(Aside(sys.stderr)),
        ):
            yield
    finally:
        if folder and folder != current_folder():
            os.chdir(folder)


def current_folder() -> str:
    """Return the current folder, `''` if it was deleted."""
    try:  # `suppress` would take as long as the rest
        return os.getcwd()
    except OSError:
        return ""


def _imported(path: Path) -> ModuleType:
    """Import a file as a submodule of its folder's package, so that it cannot shadow another module."""
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
    """Return the name of a package created for a folder, so that its files, and only these, can import one another."""
    from hashlib import blake2b

    name = f"{FOLDERS}{blake2b(str(folder).encode(), digest_size=8).hexdigest()}"
    if name not in sys.modules:
        package = ModuleType(name, f"The plugin files in {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name


def _how_to_import(error: BaseException | None, path: Path) -> str:
    """Return advice on importing a missing module that lies beside the plugin, `""` if none does."""
    missing = error.name if isinstance(error, ModuleNotFoundError) and error.name else ""
    beside = missing.isidentifier() and (path.parent / f"{missing}.py").is_file()
    return f"; {missing}.py lies beside it: write from . import {missing}" if beside else ""


def registered_hooks(module: ModuleType) -> Hooks | None:
    """Return a module's return value of `searchlab.plugin`, or None if it did not call it."""
    found = vars(module).get(HOOKS_NAME)
    return found if isinstance(found, Hooks) else None


def faulty_hook(module: ModuleType) -> str:
    """Return an error message for the names and marks of a plugin's hooks, or `""`."""
    for name, value in vars(module).items():
        if isinstance(value, Hooks) and name != HOOKS_NAME:
            return f"what plugin() returns is called {name}: assign it to {HOOKS_NAME}"
        if not inspect.isroutine(value):
            continue
        options = getattr(value, MARK, None)
        hook = (options.get("specname") or name) if options else name
        if options and hook not in HOOKS:
            return f"{hook} is not a hook of searchlab: {did_you_mean(hook, HOOKS)}"
        if options and (options.get("wrapper") or options.get("hookwrapper")):
            return f"{hook} is a wrapper, and hooks of searchlab are called one by one: there is nothing to wrap"
        if not options and name.startswith("searchlab_") and is_own(value, module):
            return f"{name} is not marked with @hookimpl"
    return ""


def is_own(value: object, module: ModuleType) -> bool:
    """Return whether something callable was defined in this module rather than imported."""
    return callable(value) and getattr(value, "__module__", None) == module.__name__
