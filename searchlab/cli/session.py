"""The state shared by the commands of one command line: options, settings and plugins."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.cli.output import tell, warn
from searchlab.errors import UsageError
from searchlab.files.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from searchlab.model.preparation import Preparation
    from searchlab.plugins.registry import PluginProblem, Plugins

SETTINGS_FILE = "searchlab.toml"
FOLDERS_KEY = "plugins_dirs"
FOLDERS_VARIABLE = "SEARCHLAB_PLUGINS_DIR"
FIRST_COLLECTION = 50_000
"""The number of new objects before the first garbage collection, if no plugin is loaded: imports create no garbage."""


class Session:
    """One run of the command line; Click passes it to every command.

    Attributes:
        debug: whether errors show their traceback.
        files: the plugin files given with --plugin.
        folders: the folders given with --plugins-dir.
        without: the plugins disabled with -p no:NAME.
        shipped_only: whether to load only the shipped plugins and those of `files`.
        reports_problems: whether to warn at once of a plugin that is left out.
        reads_settings_file: whether `searchlab.toml` in the current folder may add folders of plugins.
        is_of_plugin: whether the command belongs to a plugin.
        owns_process: whether the process runs this command line and nothing else.
        arguments: the arguments of the command line; data files may name the Python files among them, too.
    """

    def __init__(self, arguments: Sequence[str] = (), *, owns_process: bool = False) -> None:
        self.owns_process = owns_process
        self.arguments = tuple(arguments)
        self._thresholds = gc.get_threshold()
        if owns_process:
            gc.set_threshold(FIRST_COLLECTION, *self._thresholds[1:])
        self.debug = False
        self.files: tuple[str, ...] = ()
        self.folders: tuple[str, ...] = ()
        self.without: tuple[str, ...] = ()
        self.shipped_only = False
        self.reports_problems = True
        self.reads_settings_file = True
        self.is_of_plugin = False
        self._plugins: Plugins | None = None
        self._commands: dict[str, Any] | None = None

    @property
    def plugins(self) -> Plugins:
        """The registry of the installed plugins and the plugins in folders and files.

        Raises:
            UsageError: the settings cannot be read, or a disabled plugin does not exist.
        """
        if self._plugins is None:
            from searchlab.model.preparation import listen_everywhere
            from searchlab.plugins.registry import Plugins

            listen_everywhere(_show_preparation)
            self._keep_for_good()  # as long as no plugin has anything
            self._plugins = Plugins(
                self.files,
                self._report_problem,
                folders=() if self.shipped_only else (*self._folders_of_settings(), *self.folders),
                without=self.without,
                third_party=not self.shipped_only,
            )
            self._plugins.allow_files(self.arguments)
        return self._plugins

    def end(self) -> None:
        """Prepare for the end of the process, if it is this command line's."""
        if self._plugins is None or self._plugins.are_shipped:
            self._keep_for_good()

    def _keep_for_good(self) -> None:
        # Python collects garbage as it exits: a tenth of a warm `solve` went into looking for it among all that had
        # been imported. What third parties have is not kept, because files in it may still have to be flushed.
        if self.owns_process:
            gc.freeze()
            gc.set_threshold(*self._thresholds)

    def commands(self, taken: Container[str]) -> dict[str, Any]:
        """Return the commands of plugins by name, without names that are taken."""
        if self._commands is None:
            self._commands = self.plugins.commands(taken)
        return self._commands

    def _folders_of_settings(self) -> list[Path]:
        """Return the folders in settings; report those in the current folder's settings, which nobody requested."""
        of_file = folders_of_settings_file() if self.reads_settings_file else []
        if of_file:
            named = ", ".join(map(str, of_file))
            tell(f"{SETTINGS_FILE} in this folder loads the plugins in {named} (--no-plugins loads none)")
        named_in_environment = os.environ.get(FOLDERS_VARIABLE, "").split(os.pathsep)
        return [*of_file, *(Path(folder) for folder in named_in_environment if folder)]

    def _report_problem(self, problem: PluginProblem) -> None:
        if self.reports_problems:
            warn(str(problem))


def _show_preparation(preparation: Preparation) -> None:
    from searchlab.cli.progress import preparation_display

    preparation_display()(preparation)


def folders_of_settings_file() -> list[Path]:
    """Return the plugin folders in the settings file of the current folder; empty without a file.

    Raises:
        UsageError: the file cannot be read, or is invalid.
    """
    file = Path(SETTINGS_FILE)
    if not file.is_file():
        return []
    folders = read_toml(file, (FOLDERS_KEY,)).get(FOLDERS_KEY, [])
    if not isinstance(folders, list) or not all(isinstance(folder, str) and folder for folder in folders):
        raise UsageError(f'{file}: {FOLDERS_KEY} is a list of folders, like ["plugins"], not {folders!r}')
    return [file.parent / os.path.expanduser(folder) for folder in folders]
