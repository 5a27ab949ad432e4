"""The plugin host: finds plugins, loads each on its own, and looks components up by name.

A plugin is a module behind an entry point of group `searchlab`, or a Python file, named itself or by its folder. A
broken one is left out with a `Problem` that says in one line what is broken and where it comes from; the rest works on.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from inspect import getsourcefile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pluggy

from searchlab import hookspecs
from searchlab.bare import SUCCESSORS, bare_component, function_names
from searchlab.components import Domain, Frontier, Heuristic
from searchlab.errors import SearchlabWarning, UsageError, did_you_mean, shown
from searchlab.handed_over import handed_over, why_refused
from searchlab.loading import Plugin, contained, is_own, load_entry_point, load_file, misspelt_hook, source
from searchlab.lookup import Registered, brings, claimed_twice, unknown
from searchlab.sources import check_names, files_in, installed_entry_points, is_on, ships_with_searchlab
from searchlab.spelling import Spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator

    from searchlab.entry_points import EntryPoint

GROUP = hookspecs.PROJECT
KINDS: dict[str, type[Any]] = {"domain": Domain, "heuristic": Heuristic, "frontier": Frontier}


@dataclass(frozen=True)
class Problem:
    """Why a plugin, or a part of one, was left out."""

    source: str
    what: str

    def __str__(self) -> str:
        return f"plugin {self.source}: {self.what}"


class Plugins:
    """The plugins of one program run.

    Args:
        files: Python files to load besides the installed plugins and those of folders.
        report: called with each problem when it arises.
        entry_points: in place of those of the installed distributions.
        folders: folders whose Python files are plugins; names that begin with `_`, `.` or `test_` are passed over.
        without: plugins to leave out, by distribution, entry point or stem of the file.
        third_party: whether other distributions than searchlab itself are asked for plugins.

    Attributes:
        loaded: the plugins that could be loaded.
        problems: what was left out; it grows as hooks are called, which happens when they are needed.

    Raises:
        UsageError: `without` names no plugin.
    """

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
        self.loaded: list[Plugin] = []
        self.problems: list[Problem] = []
        self._report_to = report
        self._manager = pluggy.PluginManager(GROUP)
        self._manager.add_hookspecs(hookspecs)
        self._found: dict[str, list[Registered[Any]]] = {}
        self._mentioned: dict[str, Plugins] = {}
        points = list(installed_entry_points() if entry_points is None else entry_points)
        paths = [*self._files_in(folders), *map(Path, files)]
        check_names(without, [*points, *paths])
        for point in points:
            if is_on(point, without) and (third_party or ships_with_searchlab(point)):
                self._load_entry_point(point)
        for path in paths:
            if is_on(path, without):
                self.load_file(path)

    def all(self, kind: str) -> list[Registered[Any]]:
        """Return every component of a kind (`domain`, `heuristic`, `frontier`), in the order of the plugins."""
        if kind not in self._found:
            found: list[Registered[Any]] = []
            for item, plugin in self._yielded(f"searchlab_{kind}s"):
                wrong = why_refused(item, KINDS[kind], [r.component for r in found if r.plugin is plugin])
                if wrong:
                    self._report(plugin, f"searchlab_{kind}s {wrong}")
                else:
                    found.append(Registered(item, plugin))
            self._found[kind] = found
        return self._found[kind]

    def get(self, kind: str, spelled: Spelled) -> Registered[Any]:
        """Return the component of this kind and name.

        Raises:
            UsageError: there is none, or two plugins claim the name and the spelling does not say which.
        """
        if spelled.file:
            return self._from_file(kind, spelled)
        registered = self.all(kind)
        matches = [item for item in registered if brings(item, spelled)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(claimed_twice(kind, spelled.name, matches))
        raise UsageError(unknown(kind, spelled, registered))

    def commands(self, taken: Container[str] = ()) -> dict[str, Any]:
        """Return the Click commands that plugins bring, by name; the first plugin to claim a name keeps it.

        Args:
            taken: names no plugin can claim.
        """
        return {name: item.component for name, item in self.registered_commands(taken).items()}

    def registered_commands(self, taken: Container[str] = ()) -> dict[str, Registered[Any]]:
        """Return what `commands` does, each with the plugin that brings it."""
        import click

        found: dict[str, Registered[Any]] = {}
        for item, plugin in self._yielded("searchlab_commands"):
            if not isinstance(item, click.Command) or not item.name or not isinstance(item.name, str):
                what = f"searchlab_commands returned {shown(item)}, which is no Click command with a name"
                self._report(plugin, what)
            elif item.name in found or item.name in taken:
                self._report(plugin, f"its command {item.name!r} exists already and was left out")
            else:
                found[item.name] = Registered(item, plugin)
        return found

    def load_file(self, file: str | Path) -> Plugin | None:
        """Load a plugin from a Python file; None where that failed (the problem is recorded)."""
        try:
            return self._load_file(file)
        except UsageError as error:
            self._leave_out(Problem(str(file), str(error)))
            return None

    def _load_file(self, file: str | Path) -> Plugin:
        """Load a plugin from a Python file, or raise a UsageError that says in one line why not."""
        path = Path(file).expanduser().resolve()
        for plugin in self.loaded:
            if plugin.file == str(path):
                return plugin
        plugin = load_file(path)
        self._register(plugin)
        return plugin

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
            self._report(plugin, str(error))

    def _register(self, plugin: Plugin) -> None:
        """Take a plugin in, or raise a UsageError that says in one line why not."""
        mistake = misspelt_hook(plugin.module)
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
        self._found.clear()

    def _yielded(self, hook: str) -> Iterator[tuple[Any, Plugin]]:
        """Yield what each plugin's implementation of a hook returns, calling each on its own."""
        by_module = {id(plugin.module): plugin for plugin in self.loaded}
        for implementation in getattr(self._manager.hook, hook).get_hookimpls():
            plugin = by_module[id(implementation.plugin)]
            try:
                items = handed_over(hook, implementation.function, plugin.file)
            except UsageError as error:
                self._report(plugin, str(error))
                continue
            for item in items:
                yield item, plugin

    def _from_file(self, kind: str, spelled: Spelled) -> Registered[Any]:
        """Return the component that a name in a file stands for, or one around a bare function of this name."""
        try:
            plugin, brought = self._mentioned_file(kind, spelled.file)
            for item in brought:
                if brings(item, Spelled(spelled.name)):
                    return item
            for item in brought:
                if spelled.name in function_names(item.component):
                    return item
            bare = bare_component(kind, plugin.module, spelled.name)
        except UsageError as error:
            raise UsageError(f"{spelled.file}: {error}") from error
        if bare is not None:
            return Registered(bare, plugin)
        functions = [
            name
            for name, value in vars(plugin.module).items()
            if is_own(value, plugin.module) and not name.startswith(f"{GROUP}_")
        ]
        if kind == "domain":
            functions = [name for name in functions if name == SUCCESSORS]
        known = [*(item.component.name for item in brought), *functions]
        raise UsageError(f"{spelled.file} has no {kind} {spelled.name!r}: {did_you_mean(spelled.name, known)}")

    def in_file(self, spelled: Spelled, kinds: Collection[str] = tuple(KINDS)) -> tuple[str, Registered[Any]]:
        """Return the kind of what a name in a file stands for, and the component.

        A heuristic comes last: any function may make one.

        Raises:
            UsageError: it stands for nothing of these kinds.
        """
        *others, last = sorted(kinds, key="heuristic".__eq__)
        for kind in others:
            try:
                return kind, self.get(kind, spelled)
            except UsageError:
                continue
        return last, self.get(last, spelled)

    def _mentioned_file(self, kind: str, file: str) -> tuple[Plugin, list[Registered[Any]]]:
        """Return the plugin in a file that a name mentions, and what it brings; its names claim no others."""
        path = str(Path(file).expanduser().resolve())
        host = self if any(plugin.file == path for plugin in self.loaded) else self._mentioned.get(path)
        if host is None:
            host = Plugins(report=self._leave_out, entry_points=())
        plugin = host._load_file(path)
        if host is not self:
            self._mentioned[path] = host
        return plugin, [item for item in host.all(kind) if item.plugin is plugin]

    def _report(self, plugin: Plugin, what: str) -> None:
        self._leave_out(Problem(f"{plugin} ({plugin.file})", what))

    def _leave_out(self, problem: Problem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
            if self._report_to is not None:
                self._report_to(problem)


@cache
def installed() -> Plugins:
    """Return the installed plugins, what the Python functions use unless they are given others; a problem warns."""
    return Plugins(report=lambda problem: warnings.warn(str(problem), SearchlabWarning, stacklevel=2))


def source_of(component: Domain | Heuristic | Frontier) -> str:
    """Return the file a component's code stands in."""
    if isinstance(component, Heuristic):
        function: Any = component.function or component.batch
    elif isinstance(component, Domain):
        function = component.successors
    else:
        function = component.run or component.priority
    try:
        return getsourcefile(function) or "" if function else ""
    except TypeError:
        return ""
