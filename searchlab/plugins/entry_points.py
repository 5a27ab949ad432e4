"""The entry points of installed distributions, found as `importlib.metadata` finds them, in a tenth of the time.

Importing `importlib.metadata` and what it needs takes longer than all the rest of `searchlab --help`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

INFO_FOLDERS = (".dist-info", ".egg-info")


class Named(Protocol):
    """A distribution: what `importlib.metadata.Distribution` and `Distribution` share."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def version(self) -> str: ...  # noqa: D102


class EntryPoint(Protocol):
    """An entry point: what `importlib.metadata.EntryPoint` and `FoundEntryPoint` share."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def value(self) -> str: ...  # noqa: D102

    @property
    def module(self) -> str: ...  # noqa: D102

    @property
    def dist(self) -> Named | None: ...  # noqa: D102

    def load(self) -> Any:
        """Return the object it points to."""


class Distribution(NamedTuple):
    """The name and the version of a distribution."""

    name: str
    version: str


class FoundEntryPoint(NamedTuple):
    """A line of a distribution's `entry_points.txt`."""

    name: str
    value: str
    dist: Distribution

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


def entry_points(group: str) -> list[EntryPoint]:
    """Return the entry points of a group; of a distribution found twice, those of the one Python would import."""
    found: list[EntryPoint] = []
    seen: set[str] = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            if os.path.isfile(folder):
                return _of_archives(group)
            continue
        for name in names:
            distribution = os.path.splitext(name)[0].partition("-")[0].lower().replace("-", "_").replace(".", "_")
            if not name.endswith(INFO_FOLDERS) or distribution in seen:
                continue
            seen.add(distribution)
            found += _of_distribution(os.path.join(folder, name), group)
    return found


def _of_archives(group: str) -> list[EntryPoint]:
    """Return the entry points of a group where distributions may lie in archives."""
    from importlib import metadata

    return list(metadata.entry_points(group=group))


def _of_distribution(folder: str, group: str) -> list[FoundEntryPoint]:
    """Return the entry points of a group that one distribution has."""
    text = _text(folder, "entry_points.txt")
    if f"[{group}]" not in text:
        return []
    head = dict(line.split(": ", 1) for line in _head(folder) if ": " in line)
    name, _, version = os.path.splitext(os.path.basename(folder))[0].partition("-")  # where it does not say, its folder
    distribution = Distribution(head.get("Name") or name, head.get("Version") or version)
    return [FoundEntryPoint(name, value, distribution) for name, value in _section(text, group)]


def _section(text: str, group: str) -> Iterator[tuple[str, str]]:
    """Yield name and value of each line in a section."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line[1:-1].strip()
        elif section == group and "=" in line and not line.startswith(("#", ";")):
            name, _, value = line.partition("=")
            yield name.strip(), value.strip()


def _head(folder: str) -> list[str]:
    """Return the header lines of a distribution's metadata."""
    text = _text(folder, "METADATA") or _text(folder, "PKG-INFO")
    return text.partition("\n\n")[0].splitlines()


def _text(folder: str, name: str) -> str:
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
