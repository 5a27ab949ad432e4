"""The state that the commands of one command line share: options, settings and plugins."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.cli.output import tell, warn
from searchlab.errors import UsageError
from searchlab.files.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Container

    from searchlab.plugins.registry import PluginProblem, Plugins

SETTINGS_FILE = "searchlab.toml"
FOLDERS_KEY = "plugins_dirs"
FOLDERS_VARIABLE = "SEARCHLAB_PLUGINS_DIR"


@dataclass
class Session:
    """One run of the command line; Click hands it to every command.

    Attributes:
        debug: whether errors show their traceback.
        files: the plugin files named with --plugin.
        folders: the folders named with --plugins-dir.
        without: the plugins switched off with -p no:NAME.
        shipped_only: whether only what ships with searchlab is loaded, and the files named one by one.
        tells_problems: whether a plugin that is left out is told as soon as that is known.
        reads_settings_file: whether `searchlab.toml` in the current folder may add folders of plugins.
        is_of_plugin: whether the command that runs is one that a plugin brings.
    """

    debug: bool = False
    files: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    shipped_only: bool = False
    tells_problems: bool = True
    reads_settings_file: bool = True
    is_of_plugin: bool = False
    _plugins: Plugins | None = None
    _commands: dict[str, Any] | None = None

    @property
    def plugins(self) -> Plugins:
        """The installed plugins, and those of the folders and files.

        Raises:
            UsageError: the settings cannot be read, or a plugin that is not there was to be switched off.
        """
        if self._plugins is None:
            from searchlab.plugins.registry import Plugins

            self._plugins = Plugins(
                self.files,
                self._take_problem,
                folders=() if self.shipped_only else (*self._folders_of_settings(), *self.folders),
                without=self.without,
                third_party=not self.shipped_only,
            )
        return self._plugins

    def commands(self, taken: Container[str]) -> dict[str, Any]:
        """Return the commands that plugins bring, by names that are not `taken`."""
        if self._commands is None:
            self._commands = self.plugins.commands(taken)
        return self._commands

    def _folders_of_settings(self) -> list[Path]:
        """Return the folders that settings name; what the current folder brings in is said, as nobody named it."""
        of_file = folders_of_settings_file() if self.reads_settings_file else []
        if of_file:
            named = ", ".join(map(str, of_file))
            tell(f"{SETTINGS_FILE} in this folder loads the plugins in {named} (--no-plugins loads none)")
        return [*of_file, *folders_of_environment()]

    def _take_problem(self, problem: PluginProblem) -> None:
        if self.tells_problems:
            warn(str(problem))


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
