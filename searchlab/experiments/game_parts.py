"""The parts of a game: its domain and its player by name, with the spelling that stands for them anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.binding.names import parse_name
from searchlab.experiments.fingerprints import fingerprints
from searchlab.experiments.parts import Part, heuristic_part, part
from searchlab.experiments.seeds import PARAMETER, takes_seed
from searchlab.model.component import resolve
from searchlab.plugins import lookup

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.binding.player import BoundPlayer
    from searchlab.model.strategies import Player
    from searchlab.plugins.registry import Plugins


def check_player(name: str, plugins: Plugins) -> None:
    """Find out whether a player's name makes sense, whatever it is to play.

    Raises:
        UsageError: an unknown name or parameter, or a value that does not fit.
    """
    spelled = parse_name(name)
    component: Player = plugins.get("player", spelled).component
    parameters = component.own_parameters()
    values = resolve(f"player {component.name}", parameters, spelled.parameters)
    for parameter in parameters:
        if parameter.kind == "heuristic" and values[parameter.name]:
            lookup.heuristic(values[parameter.name], plugins=plugins)


def player_part(name: str, domain: BoundDomain, plugins: Plugins) -> Part[BoundPlayer]:
    """Return a player by name, for a domain; heuristics other than the domain's own are spelled as parts are.

    Raises:
        UsageError: an unknown name or parameter, or a player or a heuristic of another domain.
    """
    bound = lookup.player(name, domain=domain, plugins=plugins)
    heuristics = {
        parameter: heuristic_part(bound.values[parameter] or domain.component.heuristic, domain, plugins)
        for parameter in bound.heuristics
    }
    own = _own(domain, plugins) if heuristics else None
    others = {key: found.name if own is None or found.key != own.key else "" for key, found in heuristics.items()}
    return part("player", name, bound, plugins, others, tuple(found.plugin for found in heuristics.values()))


def bound_game(domain: str, player: str, seed: int | None, plugins: Plugins) -> tuple[BoundDomain, BoundPlayer]:
    """Return what a game's names stand for, its seed given to all that takes one.

    Raises:
        UsageError: a name or a value makes no sense.
    """
    of_domain = seeded_domain(domain, seed, plugins)
    of_player = lookup.player(player, domain=of_domain, plugins=plugins)
    if seed is not None and takes_seed(of_player, player):
        of_player = lookup.player(player, domain=of_domain, plugins=plugins, **{PARAMETER: seed})
    return of_domain, of_player


def seeded_domain(name: str, seed: int | None, plugins: Plugins) -> BoundDomain:
    """Return a domain by name, with a seed if it takes one."""
    domain = lookup.domain(name, plugins=plugins)
    if seed is None or not takes_seed(domain, name):
        return domain
    return lookup.domain(name, plugins=plugins, **{PARAMETER: seed})


def plugins_of_game(domain: str, player: str, plugins: Plugins) -> dict[str, str]:
    """Return the fingerprints of the plugins whose code a game with these names runs, as `Run.plugins` has them.

    Raises:
        UsageError: a name stands for nothing.
    """
    of_player = player_part(player, lookup.domain(domain, plugins=plugins), plugins)
    of_domain = part("domain", domain, lookup.domain(domain, plugins=plugins), plugins)
    return fingerprints((*of_domain.plugins, *of_player.plugins), (*of_domain.files, *of_player.files)).current


def _own(domain: BoundDomain, plugins: Plugins) -> Part[BoundHeuristic] | None:
    """Return a domain's own heuristic, None where it has none."""
    name = domain.component.heuristic
    return heuristic_part(name, domain, plugins) if name else None
