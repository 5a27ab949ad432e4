"""The parts of a run: components by name, with the spelling and the plugin that stand for them anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from searchlab.binding.bound import Bound
from searchlab.binding.names import Spelled, format_name, parse_name
from searchlab.errors import UsageError
from searchlab.experiments.fingerprints import files_named, fingerprints
from searchlab.experiments.seeds import PARAMETER, takes_seed
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins, Registered

B = TypeVar("B", bound=Bound)


@dataclass(frozen=True, eq=False)
class Part(Generic[B]):
    """A component as runs name it.

    Attributes:
        said: as it was written.
        name: its spelling: the user's `plugin/` or `FILE.py:`, its first name, the parameters that are not as they
            are by default, in its own order, and a seed wherever one was given.
        bound: the component with its parameters.
        plugin: whose it is.
        further: whose else code it runs.
        files: what it reads, by their paths.
    """

    said: str
    name: str
    bound: B
    plugin: Plugin
    further: tuple[Plugin, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def is_seeded(self) -> bool:
        """Whether it gets a run's seed."""
        return takes_seed(self.bound, self.name)

    @property
    def plugins(self) -> tuple[Plugin, ...]:
        """The plugins whose code it runs."""
        return self.plugin, *self.further

    @property
    def key(self) -> tuple[str, ...]:
        """What is equal for the same component with the same parameters, however it is spelled."""
        parameters = parse_name(self.name).parameters
        return self.plugin.file, self.bound.name, *(f"{name}={value}" for name, value in parameters.items())


def domain_part(name: str, plugins: Plugins) -> Part[BoundDomain]:
    """Return a domain by name; see `searchlab.domain`."""
    return part("domain", name, lookup.domain(name, plugins=plugins), plugins)


def heuristic_part(name: str, domain: BoundDomain | None, plugins: Plugins) -> Part[BoundHeuristic]:
    """Return a heuristic by name, for a domain; see `searchlab.heuristic`."""
    return part("heuristic", name, lookup.heuristic(name, domain=domain, plugins=plugins), plugins)


def frontier_part(name: str, plugins: Plugins) -> Part[BoundFrontier]:
    """Return a frontier strategy by name; see `searchlab.frontier`."""
    return part("frontier", name, lookup.frontier(name, plugins=plugins), plugins)


def bound_parts(
    domain: str, heuristic: str, frontier: str, seed: int | None, plugins: Plugins
) -> tuple[BoundDomain, BoundHeuristic, BoundFrontier]:
    """Return what a run's names stand for, the run's seed given to all that takes one.

    Raises:
        UsageError: a name or a value makes no sense.
    """
    given = {} if seed is None else {PARAMETER: seed}
    of_domain = lookup.domain(domain, plugins=plugins)
    if takes_seed(of_domain, domain):
        of_domain = lookup.domain(domain, plugins=plugins, **given)
    of_heuristic = lookup.heuristic(heuristic, domain=of_domain, plugins=plugins)
    if takes_seed(of_heuristic, heuristic):
        of_heuristic = lookup.heuristic(heuristic, domain=of_domain, plugins=plugins, **given)
    of_frontier = lookup.frontier(frontier, plugins=plugins)
    if takes_seed(of_frontier, frontier):
        of_frontier = lookup.frontier(frontier, plugins=plugins, **given)
    return of_domain, of_heuristic, of_frontier


def plugins_of(domain: str, heuristic: str, frontier: str, plugins: Plugins) -> dict[str, str]:
    """Return the fingerprints of the plugins whose code a run with these names uses, as `Run.plugins` has them.

    Raises:
        UsageError: a name stands for nothing.
    """
    named = {"domain": domain, "heuristic": heuristic, "frontier": frontier}
    return fingerprints(
        [plugins.get(kind, parse_name(name)).plugin for kind, name in named.items()],
        [file for kind, name in named.items() for file in files_named(kind, name, plugins)],
    ).current


def part(
    kind: str,
    name: str,
    bound: B,
    plugins: Plugins,
    others: Mapping[str, str] | None = None,
    further: tuple[Plugin, ...] = (),
) -> Part[B]:
    """Return a component as runs name it.

    Args:
        kind: of the component.
        name: as it was written.
        others: the values of parameters that are to be spelled so; one that is empty is left out.
        further: the plugins whose code it runs besides.
    """
    spelled = parse_name(name)
    registered = plugins.get(kind, spelled)
    others = others or {}
    listed = {**parse_name(str(bound)).parameters, **others}
    parameters = {key: value for key, value in listed.items() if value or key not in others}
    if PARAMETER in spelled.parameters:
        parameters[PARAMETER] = str(bound.values[PARAMETER])
    prefix = f"{spelled.file}:" if spelled.file else f"{spelled.plugin}/" if spelled.plugin else ""
    full_name = prefix + format_name(_first_name(kind, spelled, registered, plugins), parameters)
    return Part(name, full_name, bound, registered.plugin, further, tuple(files_named(kind, full_name, plugins)))


def _first_name(kind: str, spelled: Spelled, registered: Registered[Any], plugins: Plugins) -> str:
    """Return a component's first name, or the one it was called by where the first means another one, too."""
    name = str(registered.component.name)
    try:
        found = plugins.get(kind, Spelled(name, spelled.plugin, spelled.file))
    except UsageError:
        return spelled.name
    return name if found.component is registered.component or spelled.file else spelled.name
