"""The registry of plugins: loads plugins, calls their hooks one by one, and finds components by kind and name.

A plugin is a module behind an entry point of the group `searchlab`, or a Python file, given by itself or by its folder.
A broken plugin is omitted, and a `PluginProblem` gives the fault and its origin in one line; the rest works. Only a
file that was given by itself must load.
"""

from __future__ import annotations

import os
import sys
import warnings
from bisect import insort
from copy import copy
from functools import cache, partial
from inspect import getdoc, iscoroutine, isgenerator
from operator import itemgetter
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import pluggy

from searchlab.binding.names import Spelled
from searchlab.binding.names import files_in as files_in_name
from searchlab.errors import SearchlabWarning, UsageError, at_most, did_you_mean, shown
from searchlab.files import reason_of
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins import hookspecs
from searchlab.plugins.found import (
    HOW_TO_REGISTER,
    Found,
    called,
    claimed_twice,
    how_to_load_file,
    named_in_file,
    serves,
    unknown_name,
)
from searchlab.plugins.hookspecs import NOTIFICATIONS, PROJECT
from searchlab.plugins.loading import (
    HOOKS_NAME,
    Plugin,
    are_current,
    code_versions,
    components_of,
    contained,
    distribution_of,
    faulty_hook,
    files_in,
    installed_entry_points,
    load_entry_point,
    load_file,
    plugin_names,
    registered_hooks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence

    import pandas as pd

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.report_section import ReportSection
    from searchlab.plugins.loading import AnyEntryPoint, FileVersions

LAST = sys.maxsize
"""The place of plugins in files: behind all that are installed, in the order in which they are loaded."""
MOST_ITEMS = 10_000
"""The number of items beyond which a hook counts as endless."""
WANTED = "a hook returns a list, or yields"


class PluginProblem(NamedTuple):
    """The reason why a plugin, or a part of a plugin, was omitted.

    Attributes:
        source: the plugin and its origin.
        what: the fault, in one line.
    """

    source: str
    what: str

    def __str__(self) -> str:
        return f"plugin {self.source}: {self.what}"


class Plugins:
    """The loaded plugins and their components.

    Args:
        files: Python files to load in addition to the installed plugins and those of folders; each must load.
        report: called with each PluginProblem when it arises.
        entry_points: entry points that replace those of the installed distributions.
        folders: folders with plugin files; names that begin with `_`, `.` or `test_` are ignored.
        without: plugins to omit, by distribution, entry point or stem of the file.
        third_party: whether to load plugins of other distributions than searchlab itself.
        rereads: whether to load a file named in a component's name again after it was edited.

    Attributes:
        problems: the omissions so far. The list grows as hooks are called, which happens on demand.
        settings: the arguments as plain values, with which another process can load the same plugins.

    Raises:
        UsageError: one of the files cannot be loaded, or `without` names no plugin.
    """

    def __init__(
        self,
        files: Iterable[str | Path] = (),
        report: Callable[[PluginProblem], None] | None = None,
        entry_points: Iterable[AnyEntryPoint] | None = None,
        *,
        folders: Iterable[str | Path] = (),
        without: Collection[str] = (),
        third_party: bool = True,
        rereads: bool = True,
    ) -> None:
        files, folders = tuple(files), tuple(folders)
        self.problems: list[PluginProblem] = []
        self.settings: dict[str, Any] = {
            "files": tuple(map(str, files)),
            "folders": tuple(map(str, folders)),
            "without": tuple(without),
            "shipped_only": not third_party,
        }
        self._report_to, self._rereads = report, rereads
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(hookspecs)
        self._silenced: list[pluggy.HookImpl] = []
        self._reported: set[tuple[str, str]] = set()
        self._loaded: list[tuple[int, Plugin]] = []
        self._waiting: list[tuple[int, AnyEntryPoint]] = []
        self._indexed: dict[int, frozenset[tuple[str, str]]] = {}
        self._broken: dict[tuple[str, str], PluginProblem] = {}
        self._lock = RLock()
        self._found: dict[tuple[str, int], list[Found[Any]]] = {}
        self._brought: dict[tuple[str, int], list[Found[Any]]] = {}
        self._mentioned: dict[str, tuple[Plugins, FileVersions]] = {}
        self._named: set[str] = set()
        self._data = ""
        points = installed_entry_points() if entry_points is None else list(entry_points)
        of_folders, named = list(self._files_in(folders)), [Path(file) for file in files]
        known = {name for origin in (*points, *of_folders, *named) for name in plugin_names(origin)}
        for name in without:
            if name not in known:
                raise UsageError(f"no plugin is called {name!r}: {did_you_mean(name, known)}")
        left_out = set(without)
        for place, point in enumerate(points):
            if not plugin_names(point) & left_out and (third_party or distribution_of(point)[0] == PROJECT):
                if components_of(point):
                    self._waiting.append((place, point))
                else:
                    self._load_entry_point(place, point)
        for path in of_folders:
            if path.stem not in left_out:
                self._load_found(path)
        for path in named:
            if path.stem not in left_out:
                self._report_without_use(self.load_file(path))

    @property
    def loaded(self) -> list[Plugin]:
        """All plugins that could be loaded. Plugins that name their components in entry points are imported now."""
        self._load_waiting(lambda _: True)
        return [plugin for _, plugin in self._loaded]

    @property
    def loaded_so_far(self) -> int:
        """The number of plugins loaded so far; later plugins may claim names, too."""
        return len(self._loaded)

    def for_data(self, source: str) -> Plugins:
        """Return these plugins for names that come from data, such as a `set.toml` or a table of results.

        A Python file in such a name must have been loaded before, or named by the user: data must not run code.

        Args:
            source: the origin of the names, for error messages.
        """
        same = copy(self)
        same._data = source
        return same

    def allow_files(self, names: Iterable[str]) -> None:
        """Let data name the Python files in these names, which a user has chosen."""
        if self._data:
            return
        self._named.update(_full_path(file) for name in names for file in files_in_name(name))

    def check_named(self, file: str, how_to_load: str = "") -> None:
        """Raise a UsageError if only data names a Python file: see `for_data`.

        Args:
            how_to_load: the remedy in the message; by default the option and the argument that name this path.
        """
        path = _full_path(file)
        is_named = (
            path in self._mentioned or path in self._named or any(plugin.file == path for _, plugin in self._loaded)
        )
        if self._data and not is_named:
            raise UsageError(only_in_data(file, self._data, how_to_load))

    @property
    def are_shipped(self) -> bool:
        """Whether no code of third parties was loaded."""
        return not self._mentioned and all(plugin.name == PROJECT for _, plugin in self._loaded)

    def all(self, kind: str) -> list[Found[Any]]:
        """Return all components of a kind, one of COMPONENT_TYPES, in the order of the plugins."""
        found = self._found.get((kind, len(self._loaded)))  # hooks are called again after another file has been loaded
        if found is None:
            self._load_waiting(lambda components: any(kind == other for other, _ in components))
            found = self._found[kind, len(self._loaded)] = self._components(kind)
        return found

    def _exactly(self, kind: str, spelled: Spelled) -> list[Found[Any]]:
        """Return the components with exactly this name.

        A plugin that names its components in entry points is imported only if it names this one.
        """
        if kind == "metric":  # one may be rejected for the name of another
            return [item for item in self.all(kind) if item.is_called(spelled)]
        self._load_waiting(lambda components: (kind, spelled.name) in components)
        return [item for item in self._components(kind) if item.is_called(spelled)]

    def _components(self, kind: str) -> list[Found[Any]]:
        """Return the components of the plugins loaded so far; each plugin is asked once."""
        found: list[Found[Any]] = []
        for implementation, plugin in self._implementations(f"searchlab_{kind}s"):
            found += self._brought_by(implementation, plugin, kind, found)
        return found

    def _brought_by(
        self, implementation: pluggy.HookImpl, plugin: Plugin, kind: str, others: Sequence[Found[Any]]
    ) -> list[Found[Any]]:
        """Return the components that a hook of a plugin returns.

        Args:
            others: the components of this kind that were returned before.
        """
        known = kind, id(implementation)
        if known not in self._brought:
            accepted = list(others)
            first = len(accepted)
            for item in self._items(f"searchlab_{kind}s", implementation, plugin) or ():
                wrong = rejection(item, kind, plugin, accepted)
                if wrong:
                    self.report(plugin, f"searchlab_{kind}s {wrong}")
                else:
                    accepted.append(Found(item, plugin))
            self._brought[known] = accepted[first:]
        return self._brought[known]

    def _load_waiting(self, is_wanted: Callable[[Collection[tuple[str, str]]], bool]) -> None:
        """Import plugins that name their components in entry points and have not been needed so far.

        Args:
            is_wanted: whether to import a plugin, given its components as pairs (kind, name).
        """
        if any(is_wanted(components_of(point)) for _, point in [*self._waiting]):  # another thread may shorten it
            with self._lock:
                for waiting in [*self._waiting]:
                    if is_wanted(components_of(waiting[1])):
                        self._load_entry_point(*waiting)
                        self._waiting.remove(waiting)

    def check_names(self) -> None:
        """Report plugins whose entry points name other components than they register."""
        brought = [(kind, item) for kind in COMPONENT_TYPES for item in self.all(kind)]
        for plugin in self.loaded:
            named = self._indexed.get(id(plugin.module), frozenset())
            names = {(kind, name) for kind, item in brought if item.plugin is plugin for name in item.names}
            for kind, name in sorted(named ^ names if named else ()):
                wrong = "do not name it" if (kind, name) in names else "name it, and the plugin does not bring it"
                self.report(plugin, f"{kind} {name!r}: its entry points {wrong}; correct them, and install it again")

    def get(self, kind: str, spelled: Spelled, domain: BoundDomain | None = None) -> Found[Any]:
        """Return the component with this kind and name. Without an exact match, case is ignored.

        Args:
            domain: the domain. If several components share the name, a component that supports the domain is preferred,
                and only such components are suggested for an unknown name.

        Raises:
            UsageError: the name is unknown; or two plugins claim it, and neither the spelling nor the domain chooses.
        """
        if spelled.file:
            return self._from_file(kind, spelled)
        matches = self._exactly(kind, spelled) or called(self.all(kind), spelled)
        if matches and not any(serves(item.component, domain) for item in matches):
            matches = called(self.all(kind), spelled)  # a plugin that was not asked may bring one
        if len(matches) > 1 and domain is not None:
            # Where none is, the first is returned: the caller refuses it, as it would the only one of the name.
            matches = [item for item in matches if serves(item.component, domain)] or matches[:1]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(claimed_twice(kind, spelled.name, matches))
        fitting = [item for item in self.all(kind) if serves(item.component, domain)]
        raise UsageError(self._why_left_out(kind, spelled) or self._unknown_name(kind, spelled, fitting))

    def is_installed(self, component: Any) -> bool:
        """Return whether a component comes from the plugin of a distribution, which is not edited during a session.

        For a combination of heuristics, the heuristic that combines them counts.
        """
        kind = next(kind for kind, of_kind in COMPONENT_TYPES.items() if isinstance(component, of_kind))
        so_far = self._brought.copy()  # another thread may add to it meanwhile
        asked = (item for known, brought in so_far.items() if known[0] == kind for item in brought)
        item = next((item for item in asked if _is_made_of(item.component, component)), None)
        item = item or next((item for item in self.all(kind) if _is_made_of(item.component, component)), None)
        return item is not None and bool(item.plugin.version)

    def files_are_current(self, names: Iterable[str]) -> bool:
        """Return whether the Python files in names are loaded and unchanged since."""
        for path in (_full_path(file) for name in names for file in files_in_name(name)):
            versions: FileVersions | None = self._mentioned.get(path, (None, None))[1]
            if versions is None and not any(plugin.file == path for _, plugin in self._loaded):
                return False
            if versions and self._rereads and not are_current(versions):
                return False
        return True

    def find(self, spelled: Spelled, kinds: Sequence[str] = tuple(COMPONENT_TYPES)) -> list[Found[Any]]:
        """Return the components of these kinds with a name.

        A name in a file stands for a single component: one from the file's hooks, else one declared in the file, else
        one made from a function, of the kind that its arguments imply, or else a heuristic.

        Raises:
            UsageError: there is no such component.
        """
        if spelled.file:
            return [self.get(self._kind_in_file(spelled, kinds), spelled)]
        known = [item for kind in kinds for item in self.all(kind)]
        found = called(known, spelled)
        if not found:
            kind = kinds[0] if len(kinds) == 1 else "component"
            raise UsageError(self._why_left_out(kind, spelled) or self._unknown_name(kind, spelled, known))
        return found

    def _unknown_name(self, kind: str, spelled: Spelled, registered: Sequence[Found[Any]]) -> str:
        idle = [plugin for _, plugin in self._loaded if not plugin.version and not self._hooks_of(plugin)]
        return unknown_name(kind, spelled, registered, idle)

    def _why_left_out(self, kind: str, spelled: Spelled) -> str:
        """Return the message about a name whose component was omitted, or `""`."""
        if broken := self._broken.get((kind, spelled.name)):
            return f"{kind} {spelled.name!r} cannot be loaded: {broken}"
        about = [problem for problem in self.problems if f" {spelled.name!r}:" in problem.what]
        return f"{kind} {spelled.name!r} was left out: {about[0]}" if about else ""

    def commands(self, taken: Container[str] = ()) -> dict[str, Any]:
        """Return the Click commands of plugins, by name. The first plugin to claim a name keeps it.

        Args:
            taken: names that no plugin can claim.
        """
        return {name: item.component for name, item in self.registered_commands(taken).items()}

    def registered_commands(self, taken: Container[str] = ()) -> dict[str, Found[Any]]:
        """Return the commands, each with its plugin."""
        import click

        found: dict[str, Found[Any]] = {}
        for item, plugin in self._collect("searchlab_commands"):
            if not isinstance(item, click.Command) or not item.name or not isinstance(item.name, str):
                what = f"searchlab_commands returned {shown(item)}, not a Click command with a name"
                self.report(plugin, what)
            elif item.name in found or item.name in taken:
                self.report(plugin, f"its command {item.name!r} exists already and was left out")
            else:
                found[item.name] = Found(item, plugin)
        return found

    def report_sections(self, results: Callable[[], pd.DataFrame]) -> Iterator[tuple[Plugin, list[ReportSection], str]]:
        """Yield each plugin that adds to reports, with its sections, and the reason if sections are missing, else `""`.

        Args:
            results: returns the runs of an experiment. It is called for each plugin, so that each has its own table.
        """
        from searchlab.model.report_section import ReportSection

        hook = f"{PROJECT}_report_sections"
        for implementation, plugin in self._implementations(hook):
            arguments = [results() for _ in implementation.argnames]
            try:
                found = collect(hook, partial(implementation.function, *arguments), plugin.file)
            except UsageError as error:
                yield plugin, [], str(error)
                continue
            sections = [item for item in found if isinstance(item, ReportSection)]
            others = [item for item in found if not isinstance(item, ReportSection)]
            yield plugin, sections, f"{hook} returned {_of_type(others[0])}, not a ReportSection" if others else ""

    def notify(self, occasion: str, **arguments: Any) -> None:
        """Call the hooks for a notification. A hook that fails is reported, and not called again.

        Args:
            occasion: the hook's name without `searchlab_`.
            arguments: the arguments of the hook; each implementation gets those it takes.
        """
        hook = f"{PROJECT}_{occasion}"
        for implementation, plugin in self._implementations(hook):
            if implementation in self._silenced:
                continue
            try:
                with contained(plugin.file):
                    returned = implementation.function(*[arguments[name] for name in implementation.argnames])
                wrong = "it yields, so that nothing in it runs" if isgenerator(returned) else ""
            except UsageError as error:
                wrong = str(error)
            if wrong:
                self._silenced.append(implementation)
                self.report(plugin, f"{hook} failed: {wrong}; it is called no further")

    def notifications(self, plugin: Plugin) -> dict[str, str]:
        """Return the notification hooks of a plugin, with the first lines of their docstrings."""
        return {
            hook: (getdoc(implementation.function) or "").partition("\n")[0]
            for hook in NOTIFICATIONS
            for implementation, listener in self._implementations(hook)
            if listener is plugin
        }

    def report(self, plugin: Plugin, what: str, about: str = "") -> None:
        """Record a problem of a plugin, and report it.

        Args:
            about: the subject, if only the first problem about it is to be recorded.
        """
        if about:
            if (plugin.file, about) in self._reported:
                return
            self._reported.add((plugin.file, about))
        self._leave_out(PluginProblem(f"{plugin} ({plugin.file})", what))

    def _report_without_use(self, plugin: Plugin) -> None:
        """Report a plugin that registers nothing and has nothing that `FILE.py:NAME` could name."""
        from searchlab.plugins.plain_functions import names_in_module

        named = [*names_in_module(plugin.module), *names_in_module(plugin.module, "heuristic")]
        if not self._hooks_of(plugin) and not named:
            self.report(plugin, f"it registers nothing; {HOW_TO_REGISTER}")

    def load_file(self, file: str | Path) -> Plugin:
        """Load the plugin in a Python file.

        Raises:
            UsageError: it cannot be loaded. The message is one line with the file's name and the reason.
        """
        try:
            path = Path(file).expanduser().resolve()
            for _, plugin in self._loaded:
                if plugin.file == str(path):
                    return plugin
            plugin = load_file(path)
            self._register(plugin, LAST)
        except UsageError as error:
            raise UsageError(f"{file}: {error}") from error
        except OSError as error:
            raise UsageError(f"{file}: {reason_of(error)}") from None
        except (RuntimeError, ValueError):  # a loop of links, no such user, a null character
            raise UsageError(f"{file}: no such file") from None
        return plugin

    def _implementations(self, hook: str) -> list[tuple[pluggy.HookImpl, Plugin]]:
        """Return the implementations of a hook, each with its plugin, in the order of the plugins."""
        found = getattr(self._manager.hook, hook).get_hookimpls()
        if not found:
            return []
        places = {}
        for number, (_, plugin) in enumerate([*self._loaded]):
            places[id(plugin.module)] = places[id(registered_hooks(plugin.module))] = number, plugin
        owned = ((id(implementation.plugin), implementation) for implementation in found)
        placed = [(*places[owner], implementation) for owner, implementation in owned if owner in places]
        placed.sort(key=itemgetter(0))
        return [(implementation, plugin) for _, plugin, implementation in placed]

    def _collect(self, hook: str) -> Iterator[tuple[Any, Plugin]]:
        """Yield the items that each plugin returns from a hook. A plugin that fails is reported, and skipped."""
        for implementation, plugin in self._implementations(hook):
            for item in self._items(hook, implementation, plugin) or ():
                yield item, plugin

    def _items(self, hook: str, implementation: pluggy.HookImpl, plugin: Plugin) -> list[Any] | None:
        """Return the items that a plugin returns from a hook. A failure is reported, and None is returned."""
        try:
            return collect(hook, implementation.function, plugin.file)
        except UsageError as error:
            self.report(plugin, str(error))
            return None

    def _kind_in_file(self, spelled: Spelled, kinds: Sequence[str]) -> str:
        """Return the kind of the component with a name in a file, among these kinds."""
        from searchlab.plugins.plain_functions import kind_in_module

        for kind in kinds:
            plugin, brought = self._mentioned_file(kind, spelled.file)
            if named_in_file(brought, spelled.name):
                return kind
        implied = kind_in_module(plugin.module, spelled.name)
        return next((kind for kind in (implied, "heuristic") if kind in kinds), kinds[0])

    def _from_file(self, kind: str, spelled: Spelled) -> Found[Any]:
        """Return the component with a name in a file, or make one from a plain function of this name."""
        from searchlab.plugins.plain_functions import component_in_module, names_in_module

        plugin, brought = self._mentioned_file(kind, spelled.file)
        named = named_in_file(brought, spelled.name)
        if named:
            return named[0]
        try:
            component = component_in_module(kind, plugin.module, spelled.name)
        except UsageError as error:
            raise UsageError(f"{spelled.file}: {error}") from error
        if component is not None:
            return Found(component, plugin)
        known = [*(item.component.name for item in brought), *names_in_module(plugin.module, kind)]
        raise UsageError(f"{spelled.file} has no {kind} {spelled.name!r}: {did_you_mean(spelled.name, known)}")

    def _mentioned_file(self, kind: str, file: str) -> tuple[Plugin, list[Found[Any]]]:
        """Return the plugin in a file mentioned by a name, and its components of a kind.

        The file is loaded into a separate registry, so that its components claim no other names here. It is loaded
        again after it, or a file that it imports from its folder, was edited, for example between cells of a notebook.

        Raises:
            UsageError: the file cannot be loaded.
        """
        path = _full_path(file)
        registry = self if any(plugin.file == path for _, plugin in self._loaded) else self._of_file(path, file)
        plugin = registry.load_file(file)
        return plugin, [item for item in registry.all(kind) if item.plugin is plugin]

    def _of_file(self, path: str, file: str) -> Plugins:
        """Return the registry of a file mentioned by a name.

        Args:
            path: the full path of the file.
            file: the file as mentioned.

        Raises:
            UsageError: only data mentions the file, or it cannot be loaded.
        """
        self.check_named(file)
        registry, versions = self._mentioned.get(path, (None, {}))
        if registry is None or (self._rereads and not are_current(versions)):
            registry, versions = Plugins(report=self._leave_out, entry_points=()), code_versions(Path(path))
            registry.load_file(file)
            self._mentioned[path] = registry, versions
        return registry

    def _load_found(self, path: Path) -> None:
        try:
            self.load_file(path)
        except UsageError as error:
            self._leave_out(PluginProblem(str(path), str(error).removeprefix(f"{path}: ")))

    def _files_in(self, folders: Iterable[str | Path]) -> Iterator[Path]:
        for folder in folders:
            try:
                yield from files_in(Path(folder))
            except UsageError as error:
                self._leave_out(PluginProblem(f"folder {folder}", str(error)))

    def _load_entry_point(self, place: int, entry_point: AnyEntryPoint) -> None:
        name, version = distribution_of(entry_point)
        try:
            plugin = load_entry_point(entry_point)
        except UsageError as error:
            problem = PluginProblem(f"{name} {version} ({entry_point.value})", str(error))
            self._broken.update(dict.fromkeys(components_of(entry_point), problem))
            self._leave_out(problem)
            return
        try:
            self._register(plugin, place)
        except UsageError as error:
            self.report(plugin, str(error))
            return
        if components_of(entry_point):
            self._indexed[id(plugin.module)] = components_of(entry_point)
            for hook in self._hooks_of(plugin) - {f"{PROJECT}_{kind}s" for kind in COMPONENT_TYPES}:
                why = "its entry points name its components, so that it is imported when one of them is used"
                self.report(plugin, f"{hook} may not be called: {why}; move the hook to a module of its own")

    def _hooks_of(self, plugin: Plugin) -> set[str]:
        owners = plugin.module, registered_hooks(plugin.module)
        return {caller.name for owner in owners if owner for caller in self._manager.get_hookcallers(owner) or ()}

    def _register(self, plugin: Plugin, place: int) -> None:
        """Register a plugin's hooks.

        Args:
            place: the position among plugins; smaller positions are called first.

        Raises:
            UsageError: a hook is invalid. The message is one line with the reason.
        """
        mistake = faulty_hook(plugin.module)
        if mistake:
            raise UsageError(mistake)
        if self._manager.is_registered(plugin.module):
            msg = "it is registered twice"
            raise UsageError(msg)
        name, hooks = f"{plugin.name}:{plugin.file}", registered_hooks(plugin.module)
        try:
            with contained(plugin.file):
                self._manager.register(plugin.module, name=name)
                if hooks is not None:
                    self._manager.register(hooks, name=f"{name}:{HOOKS_NAME}")
        except UsageError:  # a hook with arguments that do not fit
            if self._manager.is_registered(plugin.module):
                self._manager.unregister(plugin.module)
            raise
        insort(self._loaded, (place, plugin), key=itemgetter(0))  # in place, as `for_data` shares the list

    def _leave_out(self, problem: PluginProblem) -> None:
        if problem not in self.problems:
            self.problems.append(problem)
            if self._report_to is not None:
                self._report_to(problem)


@cache
def installed() -> Plugins:
    """Return the installed plugins, the default of all Python functions. A problem becomes a warning."""
    return Plugins(report=lambda problem: warnings.warn(str(problem), SearchlabWarning, stacklevel=2))


def given_or_installed(plugins: Plugins | None) -> Plugins:
    """Return the plugins that a caller gave, by default the installed ones.

    Raises:
        UsageError: something else was given, such as the name of a file.
    """
    if plugins is None:
        return installed()
    if not isinstance(plugins, Plugins):
        raise UsageError(f"plugins are an sl.Plugins, such as sl.Plugins(files=['mine.py']), not {shown(plugins)}")
    return plugins


def only_in_data(file: str, source: str, how_to_load: str = "") -> str:
    """Return the error message about a Python file that only data names."""
    how = how_to_load or how_to_load_file(file)
    return f"{file} is not run, because only {source} names it; if you trust its code, {how}"


def collect(hook: str, implementation: Callable[[], Any], file: str) -> list[Any]:
    """Return the items that a plugin's implementation of a hook returns or yields.

    Args:
        hook: the name of the hook.
        file: the plugin's file.

    Raises:
        UsageError: the hook returns no items. The message is one line with the reason.
    """
    with contained(file, f"{hook} failed: "):
        returned = implementation()
    if iscoroutine(returned):
        returned.close()
        raise UsageError(f"{hook} is an async function; {WANTED}")
    if isinstance(returned, str | bytes | dict) or not hasattr(returned, "__iter__"):
        from searchlab.model.component import Component

        one = f"; write yield {type(returned).__name__}(…)" if isinstance(returned, Component) else ""
        raise UsageError(f"{hook} returned {_of_type(returned)}; {WANTED}{one}")
    with contained(file, f"{hook} failed: "):
        return list(at_most(MOST_ITEMS, returned, "components", UsageError))


def rejection(item: Any, kind: str, plugin: Plugin, before: Sequence[Found[Any]]) -> str:
    """Return the reason why an item from a plugin's hook is rejected, or `""`.

    Args:
        before: the components of the same kind that have been accepted.
    """
    wanted = COMPONENT_TYPES[kind]
    if not isinstance(item, wanted):
        return f"returned {_of_type(item)}, not a {wanted.__name__}"
    taken = {name for r in before if r.plugin is plugin for name in r.names}
    twice = next((name for name in (item.name, *item.aliases) if name in taken), "")
    if twice:
        return f"returned {twice!r} twice; the second was left out"
    if kind == "metric":  # a column cannot say whose it is
        column = item.name.casefold()
        rival = next((r for r in before if r.component.name.casefold() == column), None)
        if rival:
            return f"returned {item.name!r}, a metric that {rival.plugin} ({rival.plugin.file}) brings; it was left out"
    return ""


def _full_path(file: str) -> str:
    try:
        return os.path.realpath(os.path.expanduser(file))
    except ValueError:  # no file can be called that; load_file says so
        return file


def _of_type(value: Any) -> str:
    return "None" if value is None else f"{type(value).__name__} {shown(value, 40)}"


def _is_made_of(declared: Any, component: Any) -> bool:
    """Return whether a component is a declared one, or made of a declared heuristic's `combine` or `between`."""
    if declared is component:
        return True
    made_of = (getattr(component, field, None) for field in ("combine", "between"))
    return any(
        function is not None and getattr(declared, field) is function
        for field, function in zip(("combine", "between"), made_of, strict=True)
    )
