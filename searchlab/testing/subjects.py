"""What is to be checked: from a component, a function, a name or a file to bound components."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import isfunction, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab import api
from searchlab.bare import bare_heuristic
from searchlab.bound import Bound
from searchlab.components import Domain, Frontier, Heuristic
from searchlab.errors import SearchlabError, UsageError, did_you_mean
from searchlab.loading import is_own
from searchlab.plugins import KINDS
from searchlab.spelling import parse_name
from searchlab.testing.instances import instances

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.board import Board
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.loading import Plugin
    from searchlab.lookup import Registered
    from searchlab.plugins import Plugins

    Checkable = str | Path | Domain | Heuristic | Frontier | Bound | Callable[..., float]

SUBJECT = "tiles"
"""What the first argument of a bare heuristic in a file is called."""


@dataclass(frozen=True)
class Subject:
    """A component that is to be checked.

    Attributes:
        kind: "domain", "heuristic" or "frontier".
        name: as it is spelled.
        source: the plugin it comes from.
        bound: the component with its parameters set; a heuristic once for each domain it is checked on.
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
        domain: the domain a heuristic is checked on, by name; empty for those it is made for.
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
            if isfunction(value) and is_own(value, plugin.module) and [*signature(value).parameters][:1] == [SUBJECT]
        ]
        if not functions:
            raise UsageError(
                f"{file} brings nothing to check: no hook that hands something over, and no function of `{SUBJECT}`"
            )
        return [self._subject(function, str(plugin), {}) for function in functions]

    def _named(self, text: str) -> list[Subject]:
        spelled = parse_name(text)
        if spelled.file:
            self._loaded(spelled.file)
            _, found = self.plugins.in_file(spelled, [self.kind] if self.kind else tuple(KINDS))
            return [self._subject(found.component, str(found.plugin), dict(spelled.parameters))]
        registered = self._registered()
        named = [
            r
            for r in registered
            if spelled.name in (r.component.name, *r.component.aliases) and spelled.plugin in ("", r.plugin.name)
        ]
        if not named:
            names = [name for r in registered for name in (r.component.name, *r.component.aliases)]
            what = self.kind or "component"
            raise UsageError(f"no {what} is called {text!r}: {did_you_mean(spelled.name, names)}")
        return [self._subject(r.component, str(r.plugin), dict(spelled.parameters)) for r in named]

    def _registered(self) -> list[Registered[Any]]:
        kinds = [self.kind] if self.kind else list(KINDS)
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
            component = bare_heuristic(getattr(component, "__name__", "heuristic"), component)
        if isinstance(component, Domain):
            domain = api.domain(component, plugins=self.plugins, **parameters)
            return Subject("domain", str(domain), source, (domain,), self.plugins)
        if isinstance(component, Frontier):
            frontier = api.frontier(component, plugins=self.plugins, **parameters)
            return Subject("frontier", str(frontier), source, (frontier,), self.plugins)
        if isinstance(component, Heuristic):
            on = self._on_domains(component, parameters)
            return Subject("heuristic", str(on[0]), source, tuple(on), self.plugins)
        raise UsageError(f"{component!r:.60} cannot be checked: name a component or a file, or hand one in")

    def _on_domains(self, component: Heuristic, parameters: dict[str, Any]) -> list[BoundHeuristic]:
        """Return a heuristic on each domain it is made for; one that does not say, on the first it fits."""
        if self.domain or component.domains:
            names: Sequence[Any] = [self.domain] if self.domain else sorted(component.domains)
            return [api.heuristic(component, domain=name, plugins=self.plugins, **parameters) for name in names]
        names = [api.DEFAULT_DOMAIN, *(registered.component for registered in self.plugins.all("domain"))]
        reasons = []
        for name in names:
            try:
                bound = api.heuristic(
                    component, domain=api.domain(name, plugins=self.plugins), plugins=self.plugins, **parameters
                )
                assert bound.domain is not None
                board = self.board or instances(bound.domain, self.plugins)[0].board
                bound.arguments(board, bound.forms[0])
            except SearchlabError as error:
                reasons.append(str(error))
            else:
                return [bound]
        raise UsageError(f"heuristic {component.name} fits no domain: {reasons[0]}")
