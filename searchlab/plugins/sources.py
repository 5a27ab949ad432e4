"""Where plugins come from: the entry points of distributions, the files of folders; and which are switched off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from searchlab.errors import UsageError, did_you_mean
from searchlab.plugins import hookspecs
from searchlab.plugins.entry_points import entry_points
from searchlab.plugins.loading import source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from searchlab.plugins.entry_points import EntryPoint

NO_PLUGINS = ("_", ".", "test_")
"""How the names of those Python files begin that a folder holds beside its plugins."""
PYTEST_FILE = "conftest.py"


def installed_entry_points() -> list[EntryPoint]:
    """Return the entry points of the installed plugins, always in the same order."""
    return sorted(entry_points(hookspecs.PROJECT), key=lambda point: (point.value, point.name))


def ships_with_searchlab(point: EntryPoint) -> bool:
    """Return whether an entry point is one of searchlab's own distribution."""
    return source(point)[0] == hookspecs.PROJECT


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
    return [path for path in found if not path.name.startswith(NO_PLUGINS) and path.name != PYTEST_FILE]


def names_of(origin: EntryPoint | Path) -> tuple[str, ...]:
    """Return the names under which a plugin can be switched off: distribution and entry point, or the file's stem."""
    return (origin.stem,) if isinstance(origin, Path) else (source(origin)[0], origin.name)


def check_names(without: Iterable[str], origins: Iterable[EntryPoint | Path]) -> None:
    """Raise a UsageError if one of the names to be switched off is that of no plugin."""
    known = {name for origin in origins for name in names_of(origin)}
    for name in without:
        if name not in known:
            raise UsageError(f"no plugin is called {name!r}: {did_you_mean(name, known)}")


def is_on(origin: EntryPoint | Path, without: Collection[str]) -> bool:
    """Return whether a plugin is not switched off."""
    return not any(name in without for name in names_of(origin))
