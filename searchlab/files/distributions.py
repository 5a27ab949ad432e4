"""Which distributions are installed, and in which versions: read from their folders.

Importing `importlib.metadata`, and the `email` it needs, takes longer than all the rest of `searchlab --help`.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

INFO_FOLDERS = (".dist-info", ".egg-info")


class Distribution(NamedTuple):
    """The name and the version of an installed distribution."""

    name: str
    version: str


def information_folders(path: Iterable[str]) -> Iterator[str]:
    """Yield the metadata folder of each distribution installed on a path like `sys.path`.

    Of a distribution found twice, it is the one that Python would import.

    Raises:
        NotImplementedError: Python also imports from an archive, which has no folders.
    """
    seen: set[str] = set()
    for folder in path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            if os.path.isfile(folder):
                raise NotImplementedError from None
            continue
        for name in names:
            if not name.endswith(INFO_FOLDERS):
                continue
            distribution = _normalised(os.path.splitext(name)[0].partition("-")[0])
            if distribution not in seen:
                seen.add(distribution)
                yield os.path.join(folder, name)


def distribution_in(folder: str) -> Distribution:
    """Return the name and the version of the distribution with this metadata folder."""
    metadata = text_in(folder, "METADATA") or text_in(folder, "PKG-INFO")
    head = dict(line.split(": ", 1) for line in metadata.partition("\n\n")[0].splitlines() if ": " in line)
    name, _, version = os.path.splitext(os.path.basename(folder))[0].partition("-")  # if the metadata has none
    return Distribution(head.get("Name") or name, head.get("Version") or version)


@cache
def installed_version(name: str) -> str:
    """Return the version of a distribution, `''` if it is not installed; it stays the same while a process runs."""
    try:
        folder = _folder_of(name, tuple(sys.path))
        if folder:
            return distribution_in(folder).version
    except NotImplementedError:
        from importlib import metadata

        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            pass
    return ""


@cache
def _folders(path: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(information_folders(path))


@cache
def _folder_of(name: str, path: tuple[str, ...]) -> str:
    """Return the metadata folder of a distribution, `""` if it is not installed."""
    for folder in _folders(path):
        if _normalised(os.path.basename(folder)).startswith(_normalised(name)):
            found = distribution_in(folder)
            if _normalised(found.name) == _normalised(name):
                return folder
    return ""


def text_in(folder: str, name: str) -> str:
    """Return the text of a file in a folder, `""` if there is none."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def _normalised(name: str) -> str:
    return name.lower().replace("-", "_").replace(".", "_")
