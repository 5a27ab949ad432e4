"""KnownNames: which names an installed plugin brings, remembered from one process to the next.

To find one name, every plugin would have to be asked what it brings, which imports the modules of all of them. What
they brought the last time says which of them to ask. It is no more than that: a plugin that is thought to bring a name
is asked for its components as ever, and where none is found all others are asked, too.

What is remembered of a plugin holds as long as nothing has changed that its names depend on: the files of its package
and of its distribution, their sizes and times, and the installed distributions. Plugins in files are asked each time,
and so are those of which something was left out, or whose components come from modules in other files.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from types import ModuleType
from typing import TYPE_CHECKING, Any

from searchlab.errors import SearchlabError
from searchlab.files import write
from searchlab.files.cache import cache_folder
from searchlab.files.distributions import installed_files, installed_folders
from searchlab.plugins.hookspecs import PROJECT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from pathlib import Path

    from searchlab.plugins.loading import Plugin

FILE = "plugin-names.json"
"""Its name in the cache folder."""
LONGEST = 2**22
"""Bytes that are read of it."""
MOST_PLUGINS = 1000
"""Plugins that are remembered: those of all environments of a user."""
MOST_FILES = 2000
"""A plugin whose package has more files is asked each time: it takes too long to look at them all."""


class KnownNames:
    """The names, by plugin and kind.

    Args:
        path: the file in which they are kept; None keeps none.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[str, Any] | None = None
        self._stamps: dict[str, str] = {}
        self._files: dict[tuple[str, str], list[str]] = {}
        self._has_changed = False

    def may_bring(self, plugin: Plugin, kind: str, name: str) -> bool:
        """Return whether a plugin may bring a component of a kind that has exactly this name or alias."""
        names = self._names(plugin).get(kind)
        return not isinstance(names, list) or name in names

    def remember(self, plugin: Plugin, kind: str, names: Collection[str] | None, modules: Iterable[str] = ()) -> None:
        """Remember all names that a plugin brings of a kind, or, with None, that it has to be asked each time.

        Args:
            modules: those that the components come from; where one may change unseen, it has to be asked each time.
        """
        if self._path is None:
            return
        stamp, known = self._stamp(plugin), self._names(plugin)
        is_known = names is not None and all(self._is_stamped(plugin, module) for module in modules)
        listed = sorted(names or ()) if is_known else None
        if stamp and known.get(kind) != listed:
            kept = {other: known[other] for other in known if other != kind}
            self._all()[plugin.file] = {
                "stamp": stamp,
                "names": kept if listed is None else {**kept, kind: listed},
            }
            self._has_changed = True

    def save(self) -> None:
        """Write what is remembered to the file, if it has changed; a file that cannot be written is left as it is."""
        if self._path is None or not self._has_changed:
            return
        self._has_changed = False
        known = self._all()
        if len(known) > MOST_PLUGINS:  # most of them are of environments that are no more
            known = {file: known[file] for file in self._stamps if file in known}
        with suppress(SearchlabError):
            write(self._path, [json.dumps(known)])

    def _names(self, plugin: Plugin) -> dict[str, Any]:
        """Return what is remembered of a plugin and still holds."""
        stamp = self._stamp(plugin) if self._path is not None else ""
        known = self._all().get(plugin.file) if stamp else None
        if not isinstance(known, dict) or known.get("stamp") != stamp:
            return {}
        names = known.get("names")
        return names if isinstance(names, dict) else {}

    def _all(self) -> dict[str, Any]:
        if self._known is None:
            self._known = {}
            with suppress(OSError, ValueError, RecursionError), open(self._path or "", "rb") as file:
                read = json.loads(file.read(LONGEST))
                self._known = read if isinstance(read, dict) else {}
        return self._known

    def _stamp(self, plugin: Plugin) -> str:
        """Return a digest of what the names of a plugin depend on, `''` if that is not known."""
        if type(plugin.file) is not str:
            return ""
        if plugin.file not in self._stamps:
            states = self._states(plugin)
            is_known = 0 < len(states) <= MOST_FILES
            parts = [repr(plugin[:3]), sys.version, *sorted(states), *installed_distributions()]
            digest = blake2b("\n".join(parts).encode(errors="surrogateescape"), digest_size=16).hexdigest()
            self._stamps[plugin.file] = digest if is_known else ""
        return self._stamps[plugin.file]

    def _states(self, plugin: Plugin) -> list[str]:
        """Return the states of the files that its names may depend on, looked up once; none if they are not known."""
        root = package_of(plugin) if plugin.version else ""
        key = root, plugin.name
        if key not in self._files:
            self._files[key] = [*file_states(root), *other_states(plugin, root)] if root else []
        return self._files[key]

    def _is_stamped(self, plugin: Plugin, module: str) -> bool:
        """Return whether the file of a module is among those that are looked at; ours and Python's need not be."""
        top = module.partition(".")[0]
        if top == PROJECT or top in sys.stdlib_module_names:
            return True
        file = getattr(sys.modules.get(module), "__file__", None)
        return type(file) is str and any(state.startswith(f"{file} ") for state in self._states(plugin))


@cache
def installed_distributions() -> list[str]:
    """Return the names and versions of the installed distributions, as their folders are called."""
    return sorted(map(os.path.basename, installed_folders()))


def known_names() -> KnownNames:
    """Return the names that are remembered in the cache folder, if nobody else can write there."""
    folder = cache_folder()
    return KnownNames(folder.path / FILE if folder.is_private else None)


def package_of(plugin: Plugin) -> str:
    """Return the folder of the package that a plugin is a part of, or its file if it is part of none.

    It is `''` for a module that has changed what it is called, or where it is.
    """
    name = plugin.module.__name__
    if type(name) is not str:
        return ""
    top, _, below = name.partition(".")
    package = sys.modules.get(top)
    file = (getattr(package, "__file__", None) if isinstance(package, ModuleType) else None) or plugin.file
    if type(file) is not str:
        return ""
    is_package = below or os.path.basename(file).startswith("__init__.")
    return os.path.dirname(file) if is_package else file


def file_states(root: str) -> Iterator[str]:
    """Yield the name, size and times of each file in a folder and those below it, or of a single file.

    It ends with one more than MOST_FILES.
    """
    if not os.path.isdir(root):
        yield _state(root)
        return
    folders, count = [root], 0
    while folders:
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if os.path.isdir(entry.path) if entry.is_symlink() else entry.is_dir():
                    if entry.name != "__pycache__":
                        folders.append(entry.path)
                    continue
                yield _state(entry.path)
                count += 1
                if count > MOST_FILES:
                    return


def other_states(plugin: Plugin, root: str) -> Iterator[str]:
    """Yield the states of the files outside its package that are of its distribution.

    Where that lists others, being a link to its sources, they are the modules beside a plugin that is a single one.
    """
    if plugin.name == PROJECT:  # its names are all in the package of its plugins, and its other files are many
        return
    listed = installed_files(plugin.name)
    if plugin.file in listed:
        yield from (_state(path) for path in listed if path != root and not path.startswith(root + os.sep))
    elif not os.path.isdir(root):
        with suppress(OSError), os.scandir(os.path.dirname(root)) as entries:
            yield from (_state(entry.path) for entry in entries if entry.name.endswith(".py") and entry.path != root)


def _state(path: str) -> str:
    try:
        status = os.stat(path)
    except (OSError, ValueError):  # a link to nowhere, as editors make for locks
        return f"{path} -"
    return f"{path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
