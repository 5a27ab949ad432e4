"""Plugins and what they bring: components by kind and name, of files by the function, and commands."""

from __future__ import annotations

import os
import warnings
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from searchlab.errors import SearchlabWarning, UsageError, did_you_mean, shown
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.bare import component_in_module, kind_in_module, names_in_module
from searchlab.plugins.collecting import why_refused
from searchlab.plugins.host import Host
from searchlab.plugins.names import Registered, brings, called, claimed_twice, unknown

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from searchlab.binding.names import Spelled
    from searchlab.plugins.loading import Plugin


class Plugins(Host):
    """The plugins of one program run, and what they bring.

    Args:
        files: Python files to load besides the installed plugins and those of folders; each must load.
        report: called with each problem when it arises.
        entry_points: in place of those of the installed distributions.
        folders: folders whose Python files are plugins; names that begin with `_`, `.` or `test_` are passed over.
        without: plugins to leave out, by distribution, entry point or stem of the file.
        third_party: whether other distributions than searchlab itself are asked for plugins.

    Attributes:
        loaded: the plugins that could be loaded.
        problems: what was left out; it grows as hooks are called, which happens when they are needed.
        settings: what it was asked to load, in plain values, so that another process can load the same.

    Raises:
        UsageError: one of the files cannot be loaded, or `without` names no plugin.
    """

    def all(self, kind: str) -> list[Registered[Any]]:
        """Return every component of a kind, one of COMPONENT_TYPES, in the order of the plugins."""
        known = kind, len(self.loaded)
        if known not in self._found:
            found: list[Registered[Any]] = []
            for item, plugin in self.ask(f"searchlab_{kind}s"):
                wrong = why_refused(item, kind, plugin, found)
                if wrong:
                    self.report(plugin, f"searchlab_{kind}s {wrong}")
                else:
                    found.append(Registered(item, plugin))
            self._found[known] = found
        return self._found[known]

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

    def find(
        self, spelled: Spelled, kinds: Sequence[str] = tuple(COMPONENT_TYPES)
    ) -> list[tuple[str, Registered[Any]]]:
        """Return everything of these kinds that a name may stand for, each with its kind.

        What a name in a file stands for is one thing: what the file's hooks bring under it, else what is declared
        there, else what the arguments of the function say, else a heuristic.

        Raises:
            UsageError: it stands for nothing.
        """
        if spelled.file:
            kind = self._kind_in_file(spelled, kinds)
            return [(kind, self.get(kind, spelled))]
        meant = [(kind, item) for kind in kinds for item in self.all(kind) if brings(item, spelled)]
        if not meant:
            registered = [item for kind in kinds for item in self.all(kind)]
            raise UsageError(unknown(kinds[0] if len(kinds) == 1 else "component", spelled, registered))
        return meant

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
        for item, plugin in self.ask("searchlab_commands"):
            if not isinstance(item, click.Command) or not item.name or not isinstance(item.name, str):
                what = f"searchlab_commands returned {shown(item)}, which is no Click command with a name"
                self.report(plugin, what)
            elif item.name in found or item.name in taken:
                self.report(plugin, f"its command {item.name!r} exists already and was left out")
            else:
                found[item.name] = Registered(item, plugin)
        return found

    def _kind_in_file(self, spelled: Spelled, kinds: Sequence[str]) -> str:
        """Return which of these kinds that is what a name in a file stands for."""
        for kind in kinds:
            plugin, brought = self._mentioned_file(kind, spelled.file)
            if called(brought, spelled.name):
                return kind
        said = kind_in_module(plugin.module, spelled.name)
        return next((kind for kind in (said, "heuristic") if kind in kinds), kinds[0])

    def _from_file(self, kind: str, spelled: Spelled) -> Registered[Any]:
        """Return the component that a name in a file stands for, or one around a bare function of this name."""
        plugin, brought = self._mentioned_file(kind, spelled.file)
        meant = called(brought, spelled.name)
        if meant:
            return meant[0]
        try:
            bare = component_in_module(kind, plugin.module, spelled.name)
        except UsageError as error:
            raise UsageError(f"{spelled.file}: {error}") from error
        if bare is not None:
            return Registered(bare, plugin)
        known = [*(item.component.name for item in brought), *names_in_module(plugin.module, kind)]
        raise UsageError(f"{spelled.file} has no {kind} {spelled.name!r}: {did_you_mean(spelled.name, known)}")

    def _mentioned_file(self, kind: str, file: str) -> tuple[Plugin, list[Registered[Any]]]:
        """Return the plugin in a file that a name mentions, and what it brings; its names claim no others.

        Raises:
            UsageError: the file cannot be loaded.
        """
        try:
            path = os.path.realpath(os.path.expanduser(file))
        except ValueError:  # what no file is called; loading it says so
            path = file
        host = self if any(plugin.file == path for plugin in self.loaded) else self._mentioned.get(path)
        if host is None:
            host = Plugins(report=self._leave_out, entry_points=())
        plugin = host.load_file(file)
        if host is not self:
            self._mentioned[path] = host
        return plugin, [item for item in host.all(kind) if item.plugin is plugin]

    @cached_property
    def _found(self) -> dict[tuple[str, int], list[Registered[Any]]]:
        return {}

    @cached_property
    def _mentioned(self) -> dict[str, Plugins]:
        return {}


@cache
def installed() -> Plugins:
    """Return the installed plugins, what the Python functions use unless they are given others; a problem warns."""
    return Plugins(report=lambda problem: warnings.warn(str(problem), SearchlabWarning, stacklevel=2))
