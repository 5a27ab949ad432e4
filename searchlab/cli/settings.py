"""Settings of the command line: what `searchlab.toml` in the current folder says, and the environment."""

from __future__ import annotations

import os
from pathlib import Path

from searchlab.errors import UsageError
from searchlab.toml_files import read_toml

SETTINGS_FILE = "searchlab.toml"
FOLDERS_KEY = "plugins_dirs"
FOLDERS_VARIABLE = "SEARCHLAB_PLUGINS_DIR"


def plugin_folders() -> list[Path]:
    """Return the folders whose plugins every run loads, those of the settings file first.

    Raises:
        UsageError: the settings file cannot be read, or says something it cannot say.
    """
    of_environment = os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)
    return [*_of_file(Path(SETTINGS_FILE)), *map(Path, filter(None, of_environment))]


def _of_file(file: Path) -> list[Path]:
    """Return the folders that a settings file names, seen from where it stands; none without a file."""
    if not file.is_file():
        return []
    folders = read_toml(file, (FOLDERS_KEY,)).get(FOLDERS_KEY, [])
    if not isinstance(folders, list) or not all(isinstance(folder, str) and folder for folder in folders):
        raise UsageError(f'{file}: {FOLDERS_KEY} is a list of folders, like ["plugins"], not {folders!r}')
    return [file.parent / os.path.expanduser(folder) for folder in folders]
