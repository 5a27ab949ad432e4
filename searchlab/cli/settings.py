"""Settings of the command line: what `searchlab.toml` in the current folder says, and the environment."""

from __future__ import annotations

import os
from pathlib import Path

from searchlab.errors import UsageError
from searchlab.files.toml import read_toml

SETTINGS_FILE = "searchlab.toml"
FOLDERS_KEY = "plugins_dirs"
FOLDERS_VARIABLE = "SEARCHLAB_PLUGINS_DIR"


def folders_of_environment() -> list[Path]:
    """Return the folders of plugins that the environment names."""
    return [Path(folder) for folder in os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep) if folder]


def folders_of_settings_file() -> list[Path]:
    """Return the folders of plugins that the settings file in the current folder names; none without a file.

    Raises:
        UsageError: it cannot be read, or says something it cannot say.
    """
    file = Path(SETTINGS_FILE)
    if not file.is_file():
        return []
    folders = read_toml(file, (FOLDERS_KEY,)).get(FOLDERS_KEY, [])
    if not isinstance(folders, list) or not all(isinstance(folder, str) and folder for folder in folders):
        raise UsageError(f'{file}: {FOLDERS_KEY} is a list of folders, like ["plugins"], not {folders!r}')
    return [file.parent / os.path.expanduser(folder) for folder in folders]
