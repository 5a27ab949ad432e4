"""What is to be checked: from a component, a function, a name or a file to bound components."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isfunction
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from searchlab import api
from searchlab.bare import BARE, is_component, kind_of
from searchlab.bound import Bound
from searchlab.bound_player import BoundPlayer
from searchlab.components import Domain, Frontier, Heuristic, Player
from searchlab.errors import SearchlabError, UsageError, did_you_mean
from searchlab.loading import is_own
from searchlab.plugins import KINDS
from searchlab.spelling import parse_name
from searchlab.testing.instances import instances

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.components import Component
    from searchlab.loading import Plugin
    from searchlab.lookup import Registered
    from searchlab.plugins import Plugins

    Checkable = str | Path | Component | Bound | Callable[..., Any]

CHECKED = ("domain", "heuristic", "frontier", "player")
"""The kinds there is a contract for."""


@dataclass(frozen=True)
class Subject:
    """A component that is to be checked.

    Attributes:
        kind: "domain", "heuristic", "frontier" or "player".
        name: as it is spelled.
        source: the plugin it comes from.
        bound: the component with its parameters set; a heuristic or a player once for each domain it is
            checked on.
        plugins: where other names are looked up.
    """

    kind: str
    name: str
    source: str
    bound: tuple[Any, ...]
    plugins: Plugins


@dataclass(frozen=True)
class Finder:
    """Finds what is to be checked.

    Attributes:
        plugins: where names are looked up; files are loaded into it.
        domain: the domain a heuristic or a player is checked on, by name; empty for those it is made for.
        board: a board to check on in place of the domain's own.
        kind: what a name must be the name of, empty for anything.
    """

    plugins: Plugins
    domain: str = ""
    board: Board | None = None
    kind: str = ""

    def find(self, wanted: Checkable) -> list[Subject]:
        """Return what a name, a file or an object stands for; a file stands for all it brings.

        Raises:
            UsageError: for nothing.
        """
        text = str(wanted) if isinstance(wanted, str | Path) else ""
        if text.endswith(".py"):
            return self._in_file(text)
        if text:
            return self._named(text)
        return [self._subject(wanted, "", {})]

    def _in_file(self, file: str) -> list[Subject]:
        plugin = self._loaded(file)
        brought = [registered for registered in self._registered() if registered.plugin is plugin]
        if brought:
            return [self._subject(registered.component, str(plugin), {}) for registered in brought]
        functions = [
            value
            for value in vars(plugin.module).values()
            if isfunction(value) and is_own(value, plugin.module) and is_component(value)
        ]
        if not functions:
            raise UsageError(
                f"{file} brings nothing to check: no hook that hands something over, and no function of `tiles` or of "
                "`board, moves`"
            )
        return [self._subject(function, str(plugin), {}) for function in functions]

    def _named(self, text: str) -> list[Subject]:
        spelled = parse_name(text)
        if spelled.file:
            plugin = self._loaded(spelled.file)
            found = [r for r in self._registered() if r.plugin is plugin and _is_called(r, spelled.name)]
            if not found:
                kinds = [self.kind] if self.kind else list(KINDS)
                found = [self.plugins.get(self.plugins.kind_in_file(kinds, spelled), spelled)]
            return [self._subject(found[0].component, str(plugin), dict(spelled.parameters))]
        registered = self._registered()
        found = [
            r
            for r in registered
            if spelled.name in (r.component.name, *r.component.aliases) and spelled.plugin in ("", r.plugin.name)
        ]
        if not found:
            names = [name for r in registered for name in (r.component.name, *r.component.aliases)]
            what = self.kind or "component"
            raise UsageError(f"no {what} is called {text!r}: {did_you_mean(spelled.name, names)}")
        return [self._subject(r.component, str(r.plugin), dict(spelled.parameters)) for r in found]

    def _registered(self) -> list[Registered[Any]]:
        kinds = [self.kind] if self.kind else list(CHECKED)
        return [registered for kind in kinds for registered in self.plugins.all(kind)]

    def _loaded(self, file: str) -> Plugin:
        plugin = self.plugins.load_file(file)
        if plugin is None:
            raise UsageError(f"{file}: {self.plugins.problems[-1].what}")
        return plugin

    def _subject(self, component: Any, source: str, parameters: dict[str, Any]) -> Subject:
        if isinstance(component, Bound):
            component, parameters = component.component, {**component.values, **parameters}
        if callable(component) and not isinstance(component, tuple(KINDS.values())):
            kind = self.kind if self.kind in BARE else kind_of(component)
            component = BARE[kind](getattr(component, "__name__", kind), component)
        if isinstance(component, Domain):
            domain = api.domain(component, plugins=self.plugins, **parameters)
            return Subject("domain", str(domain), source, (domain,), self.plugins)
        if isinstance(component, Frontier):
            frontier = api.frontier(component, plugins=self.plugins, **parameters)
            return Subject("frontier", str(frontier), source, (frontier,), self.plugins)
        if isinstance(component, Heuristic | Player):
            on = self._on_domains(component, parameters)
            kind = "player" if isinstance(component, Player) else "heuristic"
            return Subject(kind, str(on[0]), source, tuple(on), self.plugins)
        raise UsageError(f"{component!r:.60} cannot be checked: name a component or a file, or hand one in")

    def _on_domains(
        self, component: Heuristic | Player, parameters: dict[str, Any]
    ) -> list[BoundHeuristic] | list[BoundPlayer]:
        """Return a heuristic or a player on each domain it is made for; one that does not say, on the first it fits."""
        bind: Any = api.player if isinstance(component, Player) else api.heuristic
        if self.domain or component.domains:
            names = [self.domain] if self.domain else sorted(component.domains)
            return [bind(component, domain=name, plugins=self.plugins, **parameters) for name in names]
        reasons = []
        for name in (api.DEFAULT_DOMAIN, *(registered.component for registered in self.plugins.all("domain"))):
            try:
                domain = api.domain(name, plugins=self.plugins)
                bound = bind(component, domain=domain, plugins=self.plugins, **parameters)
                _check_arguments(bound, self.board or instances(domain, self.plugins)[0].board)
            except SearchlabError as error:
                reasons.append(str(error))
            else:
                return [bound]
        kind = "player" if isinstance(component, Player) else "heuristic"
        raise UsageError(f"{kind} {component.name} fits no domain: {reasons[0]}")


def _check_arguments(bound: BoundHeuristic | BoundPlayer, board: Board) -> None:
    """Raise a UsageError if a function asks for what its domain does not give."""
    if isinstance(bound, BoundPlayer):
        bound.arguments(board, Random(0))
    else:
        bound.arguments(board, bound.forms[0])


def _is_called(registered: Registered[Any], name: str) -> bool:
    """Return whether a component has this name, or its function has."""
    component = registered.component
    functions = (getattr(component, attribute, None) for attribute in ("function", "priority", "run", "successors"))
    return name in (component.name, *component.aliases, *(getattr(f, "__name__", "") for f in functions if f))
