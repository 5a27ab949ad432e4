"""Find the components to check, given as a component, a function, a name or a file, and bind them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound
from searchlab.binding.names import parse_name
from searchlab.binding.player import BoundPlayer
from searchlab.errors import SearchlabError, UsageError, shown
from searchlab.model.component import Component
from searchlab.model.component_types import COMPONENT_TYPES, component_kind
from searchlab.model.domain import Domain
from searchlab.model.extensions import Executor, Generator, Learner, Metric, Renderer
from searchlab.model.strategies import Frontier, Heuristic, Player
from searchlab.plugins import lookup
from searchlab.plugins.found import NO_PLUGIN, Found, serves
from searchlab.plugins.plain_functions import (
    SUBJECTS,
    component_from_function,
    component_in_module,
    kind_in_module,
    kind_of_function,
    names_in_module,
)
from searchlab.testing.samples import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.instance import Instance
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins

    Checkable = str | Path | Component | Bound | Callable[..., Any]

CHECKED = tuple(COMPONENT_TYPES)
"""The kinds of components: each has a contract."""


@dataclass(frozen=True)
class Subject:
    """A component to be checked.

    Attributes:
        kind: the kind of the component, one of CHECKED.
        name: the name with parameters.
        source: the plugin of the component.
        bound: the component with parameters, once for each domain that it is checked on; a metric is not bound.
        plugins: the plugins that other names are looked up in.
    """

    kind: str
    name: str
    source: str
    bound: tuple[Any, ...]
    plugins: Plugins


@dataclass(frozen=True)
class Finder:
    """Find the components to check.

    Attributes:
        plugins: the plugins that names are looked up in, and that files are loaded into.
        domain: the name of the domain for checking a heuristic or a player, or `""` for the domains that it supports.
        board: a board or an instance to check on in place of the domain's own.
        kind: the kind of component, or `""` for any kind.
    """

    plugins: Plugins
    domain: str = ""
    board: Board | Instance | None = None
    kind: str = ""

    def find(self, wanted: Checkable) -> list[Subject]:
        """Return the components given by a name, a file or an object; a file stands for all its components.

        Raises:
            UsageError: there are no such components.
        """
        text = str(wanted) if isinstance(wanted, str | Path) else ""
        if text.endswith(".py"):
            return self._in_file(text)
        if text:
            return self._named(text)
        return [self._subject(Found(wanted, NO_PLUGIN))]

    def unchecked(self, wanted: Checkable) -> list[str]:
        """Return descriptions of the parts of a file that have no contract: commands, and hooks for notifications."""
        file = str(wanted) if isinstance(wanted, str | Path) else ""
        if not file.endswith(".py"):
            return []
        plugin = self._loaded(file)
        commands = [f"command {n}" for n, item in self.plugins.registered_commands().items() if item.plugin is plugin]
        return [*commands, *(f"hook {name}" for name in self.plugins.notifications(plugin))]

    def _in_file(self, file: str) -> list[Subject]:
        plugin = self._loaded(file)
        found = [item for kind in self._kinds for item in self.plugins.all(kind) if item.plugin is plugin]
        if not found:
            bare = [(kind_in_module(plugin.module, name), name) for name in names_in_module(plugin.module)]
            made = [component_in_module(kind, plugin.module, name) for kind, name in bare if kind in self._kinds]
            found = [Found(component, plugin) for component in made]
        if not found:
            subjects = ", ".join(f"({', '.join(names)})" for known in SUBJECTS.values() for names in known)
            what = f"no hook that defines something, and no function of any of {subjects}"
            raise UsageError(f"{file} brings nothing to check: {what}")
        return [self._subject(item) for item in found]

    def _named(self, text: str) -> list[Subject]:
        spelled = parse_name(text.rstrip("/") if Path(text).is_dir() else text)
        if spelled.file:
            self._loaded(spelled.file)
        kinds = tuple(COMPONENT_TYPES) if spelled.file and not self.kind else self._kinds
        found = self.plugins.find(spelled, kinds)
        if self.domain and len(found) > 1:
            domain = lookup.domain(self.domain, plugins=self.plugins)
            # As everywhere, the domain chooses among components of the same name.
            found = [item for item in found if serves(item.component, domain)] or found
        return [self._subject(item._replace(values=spelled.parameters)) for item in found]

    @property
    def _kinds(self) -> tuple[str, ...]:
        return (self.kind,) if self.kind else CHECKED

    def _loaded(self, file: str) -> Plugin:
        return self.plugins.load_file(file)

    def _subject(self, found: Found[Any]) -> Subject:
        component, values = found.component, found.values
        if isinstance(component, Bound):
            component, values = component.component, {**component.values, **values}
        if callable(component):
            kind = self.kind if self.kind in SUBJECTS else kind_of_function(component) or "heuristic"
            component = component_from_function(kind, component)
        bound: Sequence[Any]
        if isinstance(component, Domain):
            bound = [lookup.domain(component, plugins=self.plugins, **values)]
        elif isinstance(component, Frontier):
            bound = [lookup.frontier(component, plugins=self.plugins, **values)]
        elif isinstance(component, Heuristic | Player):
            bound = self._on_domains(component, values, found.plugin)
        elif isinstance(component, Component):
            bound = self._extensions(component, values)
        else:
            raise UsageError(f"{shown(component)} cannot be checked: name a component or a file, or hand one in")
        name = component.name if isinstance(component, Metric) else str(bound[0])
        return Subject(component_kind(component), name, str(found.plugin), tuple(bound), self.plugins)

    def _extensions(self, component: Component, parameters: Mapping[str, Any]) -> list[Any]:
        """Return a component with parameters, such as a generator, for each domain that it supports."""
        if isinstance(component, Metric):
            if parameters:
                raise UsageError(f"metric {component.name} has no parameters")
            return [component]
        if isinstance(component, Executor):
            return [lookup.executor(component, plugins=self.plugins, **parameters)]
        names: list[str | None] = [self.domain] if self.domain else [*sorted(component.domains)]
        if not names:
            names = [lookup.DEFAULT_DOMAIN if isinstance(component, Renderer) else None]
        bind: Any = {Generator: lookup.generator, Renderer: lookup.renderer, Learner: lookup.learner}[type(component)]
        return [bind(component, domain=name, plugins=self.plugins, **parameters) for name in names]

    def _on_domains(
        self, component: Heuristic | Player, parameters: Mapping[str, Any], plugin: Plugin
    ) -> list[BoundHeuristic] | list[BoundPlayer]:
        """Return the component for each domain that it supports or, if it names none, for the first domain it fits."""
        bind: Any = lookup.player if isinstance(component, Player) else lookup.heuristic
        if self.domain or component.domains:
            own = {
                name: item.component
                for item in self.plugins.all("domain")
                if item.plugin is plugin
                for name in item.names
            }
            # A plugin means its own domain, even if another plugin has a domain of the same name.
            domains = [self.domain] if self.domain else [own.get(name, name) for name in sorted(component.domains)]
            return [bind(component, domain=domain, plugins=self.plugins, **parameters) for domain in domains]
        reasons = []
        for name in (lookup.DEFAULT_DOMAIN, *(registered.component for registered in self.plugins.all("domain"))):
            try:
                domain = lookup.domain(name, plugins=self.plugins)
                bound = bind(component, domain=domain, plugins=self.plugins, **parameters)
                if self.board is None:
                    first = samples(domain, self.plugins)[0]
                    _check_arguments(bound.on(first.domain), first.board)
                else:
                    on, start = domain.at(self.board)
                    _check_arguments(bound.on(on), start)
            except SearchlabError as error:
                reasons.append(str(error))
            else:
                return [bound]
        raise UsageError(f"{component_kind(component)} {component.name} fits no domain: {reasons[0]}")


def _check_arguments(bound: BoundHeuristic | BoundPlayer, board: Board) -> None:
    """Raise a UsageError if a function asks for an argument that its domain does not have."""
    if isinstance(bound, BoundPlayer):
        bound.check_arguments(board)
    else:
        bound.check_arguments(board, bound.forms[0])
