"""The components of runs: looked up by name, and given the full name that identifies them on any machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from searchlab.binding.bound import Bound
from searchlab.binding.names import Spelled, format_name, format_names, parse_name, parse_names
from searchlab.errors import UsageError
from searchlab.experiments.fingerprints import components_named, files_named, fingerprints
from searchlab.model.component import resolve
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.model.strategies import Player
    from searchlab.plugins.found import Found
    from searchlab.plugins.loading import Plugin
    from searchlab.plugins.registry import Plugins

B = TypeVar("B", bound=Bound)

SEED = "seed"
"""The name of the parameter that gets a run's seed."""


@dataclass(frozen=True, eq=False)
class Part(Generic[B]):
    """A component of a run.

    Attributes:
        given: the name as the user wrote it.
        name: the full name: the user's `plugin/` or `FILE.py:`, the first name, the parameters that differ from their
            defaults, in the component's order, and the seed if one was given.
        bound: the component with its parameters.
        full: the name with all parameters.
        found: the component as its plugin brings it.
        further: the other components whose code runs.
        files: the paths of the files that it reads.
    """

    given: str
    name: str
    bound: B
    full: str
    found: Found[Any]
    further: tuple[Found[Any], ...] = ()
    files: tuple[str, ...] = ()

    @property
    def is_seeded(self) -> bool:
        """Whether it gets a run's seed."""
        return takes_seed(self.bound, self.name)

    @property
    def plugin(self) -> Plugin:
        """The plugin that brings it."""
        return self.found.plugin

    @property
    def components(self) -> tuple[Found[Any], ...]:
        """The component itself and the others whose code runs."""
        return self.found, *self.further

    @property
    def key(self) -> tuple[str, ...]:
        """A key that is equal for the same component with the same parameters, however it is spelled."""
        parameters = parse_name(self.name).parameters
        return self.plugin.file, self.bound.name, *(f"{name}={value}" for name, value in parameters.items())


def takes_seed(bound: Bound, name: str) -> bool:
    """Return whether a component gets a run's seed: it has a seed, and the name gives no value for it."""
    return bound.uses_seed and SEED not in parse_name(name).parameters


def domain_part(name: str, plugins: Plugins) -> Part[BoundDomain]:
    """Return a domain by name; see `searchlab.domain`."""
    return _part("domain", name, lookup.domain(name, plugins=plugins), plugins)


def heuristic_part(name: str, domain: BoundDomain | None, plugins: Plugins) -> Part[BoundHeuristic]:
    """Return a heuristic by name, for a domain; its full name contains those of combined heuristics."""
    bound = lookup.heuristic(name, domain=domain, plugins=plugins)
    if not bound.named:
        return _part("heuristic", name, bound, plugins, domain=domain)
    own = domain.component.defaults.heuristic if domain else ""
    listed = {key: [one for one in parse_names(bound.values[key]) if one] or [own] for key in bound.named}
    parts = {key: [heuristic_part(one, domain, plugins) for one in names] for key, names in listed.items()}
    spelled = {key: format_names(part.name for part in of_key) for key, of_key in parts.items()}
    full = {key: format_names(part.full for part in of_key) for key, of_key in parts.items()}
    further = tuple(one for of_key in parts.values() for part in of_key for one in part.components)
    return _part("heuristic", name, bound, plugins, spelled, further, domain, full)


def frontier_part(name: str, plugins: Plugins, domain: BoundDomain | None = None) -> Part[BoundFrontier]:
    """Return a frontier strategy by name; see `searchlab.frontier`.

    Args:
        domain: the domain that further heuristics are for, which the name may contain.

    Raises:
        UsageError: a name or parameter is unknown, or a heuristic belongs to another domain.
    """
    bound = lookup.frontier(name, plugins=plugins)
    parts: list[Part[BoundHeuristic]] = []
    if domain is not None:
        naming = [parameter for parameter in bound.component.own_parameters() if parameter.names_heuristics]
        listed = [one for parameter in naming for one in parse_names(bound.values[parameter.name]) if one]
        parts = [heuristic_part(one, domain, plugins) for one in listed]
    further = tuple(one for part in parts for one in part.components)
    return _part("frontier", name, bound, plugins, further=further)


def player_part(name: str, domain: BoundDomain, plugins: Plugins) -> Part[BoundPlayer]:
    """Return a player by name, for a domain; its full name contains those of its heuristics.

    A heuristic that is the domain's own is omitted.

    Raises:
        UsageError: a name or parameter is unknown, or the player or a heuristic belongs to another domain.
    """
    bound = lookup.player(name, domain=domain, plugins=plugins)
    parts: list[Part[BoundHeuristic]] = []
    spelled, full = {}, {}
    for parameter in bound.component.own_parameters():
        if parameter.name not in bound.heuristics:
            continue
        own, given = lookup.own_heuristic(parameter, domain), bound.values[parameter.name]
        part = heuristic_part(given or own, domain, plugins)
        is_own = not given or (bool(own) and part.key == heuristic_part(own, domain, plugins).key)
        spelled[parameter.name] = "" if is_own else part.name
        full[parameter.name] = part.full if given else part.full.removeprefix(f"{parse_name(own).plugin}/")
        parts.append(part)
    further = tuple(one for part in parts for one in part.components)
    return _part("player", name, bound, plugins, spelled, further, domain, full)


def domain_chooses(kind: str, name: str, plugins: Plugins) -> bool:
    """Return whether components of different domains share a name, so that the domain of a run chooses.

    Raises:
        UsageError: no component has this name.
    """
    spelled = parse_name(name)
    domains = () if spelled.file else [item.component.domains for item in plugins.find(spelled, [kind])]
    return len(domains) > 1 and all(domains) and len(frozenset().union(*domains)) == sum(map(len, domains))


def check_heuristic(name: str, plugins: Plugins) -> None:
    """Check the name of a heuristic without the domain; if the domain chooses, parameters are checked later.

    Raises:
        UsageError: a name or parameter is unknown, or a value does not fit.
    """
    if not domain_chooses("heuristic", name, plugins):
        heuristic_part(name, None, plugins)


def check_player(name: str, plugins: Plugins) -> None:
    """Check the name of a player without the domain; if the domain chooses, parameters are checked later.

    Raises:
        UsageError: a name or parameter is unknown, or a value does not fit.
    """
    if domain_chooses("player", name, plugins):
        return
    spelled = parse_name(name)
    component: Player = plugins.get("player", spelled).component
    parameters = component.own_parameters()
    values = resolve(f"player {component.name}", parameters, spelled.parameters)
    for parameter in parameters:
        if parameter.names_heuristic and values[parameter.name]:
            lookup.heuristic(values[parameter.name], plugins=plugins)


def bind(parts: Mapping[str, str], seed: int | None, plugins: Plugins) -> dict[str, Any]:
    """Return the components of a run with their parameters, by kind.

    Args:
        parts: the names by kind, as for `Run.parts`; missing kinds are omitted.
        seed: the seed of all components that take one.
        plugins: the plugins that names are looked up in.

    Raises:
        UsageError: a name or a value is invalid.
    """
    domain = seeded_domain(parts["domain"], seed, plugins)
    bound: dict[str, Any] = {"domain": domain}
    for kind, name in parts.items():
        if kind != "domain":
            bound[kind] = _look_up(kind, name, domain, plugins)
            if seed is not None and takes_seed(bound[kind], name):
                bound[kind] = _look_up(kind, name, domain, plugins, **{SEED: seed})
    return bound


def _look_up(kind: str, name: str, domain: BoundDomain, plugins: Plugins, **given: Any) -> Bound:
    if kind == "heuristic":
        return lookup.heuristic(name, domain=domain, plugins=plugins, **given)
    if kind == "frontier":
        return lookup.frontier(name, plugins=plugins, **given)
    return lookup.player(name, domain=domain, plugins=plugins, **given)


def seeded_domain(name: str, seed: int | None, plugins: Plugins) -> BoundDomain:
    """Return a domain by name, with a seed if it takes one."""
    domain = lookup.domain(name, plugins=plugins)
    if seed is None or not takes_seed(domain, name):
        return domain
    return lookup.domain(name, plugins=plugins, **{SEED: seed})


def fingerprints_of(parts: Mapping[str, str], plugins: Plugins) -> dict[str, str]:
    """Return the fingerprints of the plugins whose code runs for these components, as for `Run.plugins`.

    Raises:
        UsageError: there is no such component.
    """
    if "player" in parts:
        domain = domain_part(parts["domain"], plugins)
        player = player_part(parts["player"], domain.bound, plugins)
        return fingerprints((*domain.components, *player.components), (*domain.files, *player.files))
    game = parts["domain"]
    return fingerprints(
        [one for kind, name in parts.items() for one in components_named(kind, name, plugins, game)],
        [file for kind, name in parts.items() for file in files_named(kind, name, plugins, game)],
    )


def _part(
    kind: str,
    name: str,
    bound: B,
    plugins: Plugins,
    heuristics: Mapping[str, str] | None = None,
    further: tuple[Found[Any], ...] = (),
    domain: BoundDomain | None = None,
    full: Mapping[str, str] | None = None,
) -> Part[B]:
    """Return a component of a run.

    Args:
        kind: the kind of the component.
        name: the name as the user wrote it.
        heuristics: the full names of heuristics by parameter; empty ones are omitted.
        further: the other components whose code runs.
        domain: the domain, which chooses if several components share the name.
        full: the names of heuristics with all parameters, by parameter.
    """
    spelled = parse_name(name)
    registered = lookup.declared(kind, spelled, domain, plugins)
    heuristics = heuristics or {}
    listed = {**parse_name(str(bound)).parameters, **heuristics}
    parameters = {key: value for key, value in listed.items() if value or key not in heuristics}
    if SEED in spelled.parameters:
        parameters[SEED] = str(bound.values[SEED])
    prefix = f"{spelled.file}:" if spelled.file else f"{spelled.plugin}/" if spelled.plugin else ""
    first = prefix + _first_name(kind, spelled, registered, plugins, domain)
    full_name = format_name(first, parameters)
    values = {key: value for key, value in bound.values.items() if key != SEED and value not in ("", None)}
    with_all = format_name(first, {**values, **parameters, **(full or {})})
    files = tuple(files_named(kind, full_name, plugins, domain))
    return Part(name, full_name, bound, with_all, registered, further, files)


def _first_name(
    kind: str, spelled: Spelled, registered: Found[Any], plugins: Plugins, domain: BoundDomain | None
) -> str:
    """Return the first name of a component, or the user's name if another component shares the first name."""
    name = str(registered.component.name)
    try:
        found = lookup.declared(kind, Spelled(name, spelled.plugin, spelled.file), domain, plugins)
    except UsageError:
        return spelled.name
    return name if found.component is registered.component or spelled.file else spelled.name
