"""The host of plugins: finds them, loads each on its own, and calls their hooks one by one.

A plugin is a module behind an entry point of group `searchlab`, or a Python file, named itself or by its folder. A
broken one is left out with a `Problem` that says in one line what is broken and where it comes from; the rest works on.
Only a file that was named itself must load.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from searchlab.errors import UsageError
from searchlab.plugins import hookspecs
from searchlab.plugins.collecting import handed_over
from searchlab.plugins.loading import Plugin, contained, faulty_hook, load_entry_point, load_file, source
from searchlab.plugins.notifying import why_untold
from searchlab.plugins.sources import check_names, files_in, installed_entry_points, is_on, ships_with_searchlab

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from searchlab.plugins.entry_points import EntryPoint


@dataclass(frozen=True)
class Problem:
    """Why a plugin, or a part of one, was left out."""

    source: str
    what: str

    def __str__(self) -> str:
        return f"plugin {self.source}: {self.what}"


class Host:
    """The plugins of one program run; for its arguments and attributes see `Plugins`."""

    def __init__(
        self,
        files: Iterable[str | Path] = (),
        report: Callable[[Problem], None] | None = None,
        entry_points: Iterable[EntryPoint] | None = None,
        *,
        folders: Iterable[str | Path] = (),
        without: Collection[str] = (),
        third_party: bool = True,
    ) -> None:
        files, folders = tuple(files), tuple(folders)
        self.loaded: list[Plugin] = []
        self.problems: list[Problem] = []
        self.settings: dict[str, Any] = {
            "files": tuple(map(str, files)),
            "folders": tuple(map(str, folders)),
            "without": tuple(without),
            "shipped_only": not third_party,
        }
        self._report_to = report
        self._manager = pluggy.PluginManager(hookspecs.PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._silenced: list[pluggy.HookImpl] = []
        self._reported: set[tuple[str, str]] = set()
        points = list(installed_entry_points() if entry_points is None else entry_points)
        of_folders, named = list(self._files_in(folders)), [Path(file) for file in files]
        check_names(without, [*points, *of_folders, *named])
        for point in points:
            if is_on(point, without) and (third_party or ships_with_searchlab(point)):
                self._load_entry_point(point)
        for path in of_folders:
            if is_on(path, without):
                self._load_found(path)
        for path in named:
            if is_on(path, without):
                self.load_file(path)

    def implementations(self, hook: str) -> list[tuple[pluggy.HookImpl, Plugin]]:
        """Return the implementations of a hook with the plugins they stand in, in the order of the plugins."""
        by_module = {id(plugin.module): plugin for plugin in self.loaded}
        found = getattr(self._manager.hook, hook).get_hookimpls()
        return [(implementation, by_module[id(implementation.plugin)]) for implementation in found]

    def ask(self, hook: str) -> Iterator[tuple[Any, Plugin]]:
        """Yield what each plugin hands over in a hook; one that fails is reported, and hands over nothing."""
        for implementation, plugin in self.implementations(hook):
            try:
                items = handed_over(hook, implementation.function, plugin.file)
            except UsageError as error:
                self.report(plugin, str(error))
                continue
            for item in items:
                yield item, plugin

    def tell(self, occasion: str, **what: Any) -> None:
        """Call the hooks that want to know of an occasion; one that fails is reported, and called no further.

        Args:
            occasion: the hook's name without `searchlab_`.
            what: the hook's arguments; each implementation gets those it asks for.
        """
        hook = f"{hookspecs.PROJECT}_{occasion}"
        for implementation, plugin in self.implementations(hook):
            if implementation not in self._silenced:
                wrong = why_untold(implementation, what, plugin.file)
                if wrong:
                    self._silenced.append(implementation)
                    self.report(plugin, f"{hook} failed: {wrong}; it is called no further")

    def report(self, plugin: Plugin, what: str, about: str = "") -> None:
        """Record what is wrong with a plugin, and tell it.

        Args:
            about: where nothing more is to be said of the same thing, what that is.
        """
        if about:
            if (plugin.file, about) in self._reported:
                return
            self._reported.add((plugin.file, about))
        self._leave_out(Problem(f"{plugin} ({plugin.file})", what))

    def load_file(self, file: str | Path) -> Plugin:
        """Load the plugin in a Python file that somebody named.

        Raises:
            UsageError: it cannot be loaded; one line with the file's name that says why.
        """
        try:
            path = Path(file).expanduser().resolve()
            for plugin in self.loaded:
                if plugin.file == str(path):
                    return plugin
            plugin = load_file(path)
            self._register(plugin)
        except UsageError as error:
            raise UsageError(f"{file}: {error}") from error
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, no such user, a null character
            raise UsageError(f"{file}: {getattr(error, 'strerror', '') or 'no such file'}") from None
        return plugin

    def _load_found(self, path: Path) -> None:
        """Load a plugin from a file that was found in a folder; one that cannot be loaded is a problem."""
        try:
            self.load_file(path)
        except UsageError as error:
            self._leave_out(Problem(str(path), str(error).removeprefix(f"{path}: ")))

    def _files_in(self, folders: Iterable[str | Path]) -> Iterator[Path]:
        """Yield the plugin files of folders; one that cannot be read is a problem."""
        for folder in folders:
            try:
                yield from files_in(Path(folder))
            except UsageError as error:
                self._leave_out(Problem(f"folder {folder}", str(error)))

    def _load_entry_point(self, entry_point: EntryPoint) -> None:
        name, version = source(entry_point)
        try:
            plugin = load_entry_point(entry_point)
        except UsageError as error:
            self._leave_out(Problem(f"{name} {version} ({entry_point.value})", str(error)))
            return
        try:
            self._register(plugin)
        except UsageError as error:
            self.report(plugin, str(error))

    def _register(self, plugin: Plugin) -> None:
        """Take a plugin in, or raise a UsageError that says in one line why not."""
        mistake = faulty_hook(plugin.module)
        if mistake:
            raise UsageError(mistake)
        if self._manager.is_registered(plugin.module):
            msg = "it is registered twice"
            raise UsageError(msg)
        try:
            with contained(plugin.file):
                self._manager.register(plugin.module, name=f"{plugin.name}:{plugin.file}")
        except UsageError:  # a hook with arguments that do not fit
            if self._manager.is_registered(plugin.module):
                self._manager.unregister(plugin.module)
            raise
        self.loaded.append(plugin)

    def _leave_out(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
            if self._report_to is not None:
                self._report_to(problem)
