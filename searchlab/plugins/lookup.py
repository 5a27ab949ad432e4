"""Components by name, with their parameters set: `domain("2048:goal=512")`, `heuristic("taxicab")` and their like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound
from searchlab.binding.domain import BoundDomain
from searchlab.binding.extensions import BoundExecutor, BoundGenerator, BoundLearner, BoundRenderer
from searchlab.binding.frontier import BoundFrontier
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.binding.names import parse_name
from searchlab.binding.player import BoundPlayer
from searchlab.errors import UsageError, did_you_mean, shown
from searchlab.model.component import PRESET, resolve
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins.bare import SUBJECTS, bare_component
from searchlab.plugins.registry import installed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.model.component import Parameter
    from searchlab.model.domain import Domain
    from searchlab.model.extensions import Executor, Generator, Learner, Renderer
    from searchlab.model.strategies import Frontier, Heuristic, Player
    from searchlab.plugins.registry import Plugins

DEFAULT_DOMAIN = "searchlab/2048"
"""What is searched where nothing is named."""
DEFAULT_GAME = "searchlab/2048-random"
"""What is played where nothing is named."""


def domain(name: str | Domain | BoundDomain, *, plugins: Plugins | None = None, **parameters: Any) -> BoundDomain:
    """Return a domain by its spelled name (`"2048:goal=512"`), with parameters in the name or as keywords.

    One that has presets takes the name of one as `preset`: what is given beside it goes before, all else is as by
    default.

    Raises:
        UsageError: an unknown name, parameter or preset, or a value that does not fit.
    """
    if isinstance(name, BoundDomain) and not parameters:
        return name
    component, given = _component("domain", name, plugins, parameters)
    return BoundDomain(component, _resolved("domain", component, with_preset(component, given)))


def with_preset(component: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with those of the preset that is among them in its place.

    Raises:
        UsageError: the component has no such preset.
    """
    presets = getattr(component, "presets", {})
    if not presets or PRESET not in given:
        return dict(given)
    wanted = str(given[PRESET])
    if wanted not in presets:
        raise UsageError(f"domain {component.name} has no preset {wanted!r}: {did_you_mean(wanted, presets)}")
    return {**presets[wanted], **{key: value for key, value in given.items() if key != PRESET}}


def heuristic(
    name: str | Heuristic | BoundHeuristic | Callable[..., float],
    *,
    domain: str | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundHeuristic:
    """Return a heuristic by its spelled name, or around a function of the tiles; `h(board)` is its value.

    Args:
        domain: the domain whose parameters fill the heuristic's of the same name; without it the one domain
            the heuristic is made for, as it is by default.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a heuristic of another domain.
    """
    if isinstance(name, BoundHeuristic) and not parameters and (domain is None or domain is name.domain):
        return name
    return BoundHeuristic(*_fitted("heuristic", name, domain, plugins, parameters))


def player(
    name: str | Player | BoundPlayer | Callable[..., str],
    *,
    domain: str | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundPlayer:
    """Return a player by its spelled name (`"greedy:heuristic=[left-weighted:corner=-2]"`), or around a function.

    Args:
        domain: the domain it plays, whose parameters fill the player's of the same name; without it the one domain
            the player is made for, as it is by default, else the game that is played by default.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a player of another domain.
    """
    component, values, bound_domain = _fitted("player", name, domain, plugins, parameters)
    assert bound_domain is not None
    heuristics = {
        parameter.name: _heuristic_in(component, parameter, values[parameter.name], bound_domain, plugins)
        for parameter in component.own_parameters()
        if parameter.kind == "heuristic" and parameter.name in values
    }
    return BoundPlayer(component, values, bound_domain, heuristics)


def frontier(
    name: str | Frontier | BoundFrontier | Callable[..., float], *, plugins: Plugins | None = None, **parameters: Any
) -> BoundFrontier:
    """Return a frontier strategy by its spelled name (`"weighted-astar:weight=2"`), or around a priority of g and h.

    Raises:
        UsageError: an unknown name or parameter, or a value that does not fit.
    """
    if isinstance(name, BoundFrontier) and not parameters:
        return name
    component, given = _component("frontier", name, plugins, parameters)
    return BoundFrontier(component, _resolved("frontier", component, given))


def generator(
    name: str | Generator | BoundGenerator,
    *,
    domain: str | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundGenerator:
    """Return a generator of boards by its spelled name (`"shuffled:n=3"`); `g(seed)` is a board.

    Args:
        domain: whose boards are wanted; without it the one domain the generator is made for.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a generator of another domain.
    """
    return BoundGenerator(*_fitted("generator", name, domain, plugins, parameters))


def renderer(
    name: str | Renderer | BoundRenderer,
    *,
    domain: str | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundRenderer:
    """Return a renderer by its spelled name (`"box"`); `r(board)` is the board's picture, lines of text.

    Args:
        domain: whose boards are drawn; without it the one domain the renderer is made for, if that is only one.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a renderer of another domain.
    """
    return BoundRenderer(*_fitted("renderer", name, domain, plugins, parameters))


def executor(
    name: str | Executor | BoundExecutor, *, plugins: Plugins | None = None, **parameters: Any
) -> BoundExecutor:
    """Return an executor by its spelled name (`"local"`, `"dask:address=[tcp://host:8786]"`).

    Raises:
        UsageError: an unknown name or parameter, or a value that does not fit.
    """
    component, given = _component("executor", name, plugins, parameters)
    return BoundExecutor(component, _resolved("executor", component, given))


def learner(
    name: str | Learner | BoundLearner,
    *,
    domain: str | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundLearner:
    """Return a learner by its spelled name (`"ntuple:rate=0.5"`); `l(seed)` is a Learning.

    Args:
        domain: the game it learns; without it the one domain it is made for, else the game that is played by default.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a learner of another domain.
    """
    component, values, bound_domain = _fitted("learner", name, domain, plugins, parameters)
    assert bound_domain is not None
    return BoundLearner(component, values, bound_domain)


def _component(kind: str, name: Any, plugins: Plugins | None, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a component and the parameters given for it, in its name or as keywords."""
    if isinstance(name, Bound):
        anew = PRESET in parameters and getattr(name.component, "presets", {})
        name, parameters = name.component, parameters if anew else {**name.values, **parameters}
    if isinstance(name, COMPONENT_TYPES[kind]):
        return name, parameters
    if kind in SUBJECTS and callable(name):
        return bare_component(kind, name), parameters
    if not isinstance(name, str):
        raise UsageError(f"a {kind} is given by its name, not as {type(name).__name__} {shown(name)}")
    spelled = parse_name(name)
    for key in parameters:
        if key in spelled.parameters and str(parameters[key]) != spelled.parameters[key]:
            raise UsageError(
                f"{kind} {spelled.name}: {key} is given twice, {spelled.parameters[key]} and {parameters[key]}"
            )
    registered = (plugins or installed()).get(kind, spelled)
    return registered.component, {**spelled.parameters, **parameters}


def _resolved(kind: str, component: Domain | Frontier | Executor, given: dict[str, Any]) -> dict[str, Any]:
    return resolve(f"{kind} {component.name}", component.own_parameters(), given)


def _fitted(
    kind: str, name: Any, game: str | BoundDomain | None, plugins: Plugins | None, parameters: dict[str, Any]
) -> tuple[Any, dict[str, Any], BoundDomain | None]:
    """Return a component that works on a domain, the values of the parameters that does not fill, and the domain.

    Without a domain it is the one a bound component is bound to, else the only one the component is made for; a
    player plays, and a learner learns, the default game if nothing says otherwise.

    Raises:
        UsageError: it is made for other domains, or a parameter that is filled is given.
    """
    plugins = plugins or installed()
    if isinstance(name, Bound) and game is None:
        game = getattr(name, "domain", None)
    component, given = _component(kind, name, plugins, parameters)
    if game is None and len(component.domains) == 1:
        game = next(iter(component.domains))
    if game is None and kind in ("player", "learner"):
        game = DEFAULT_GAME
    if game is None:
        return component, resolve(f"{kind} {component.name}", component.own_parameters(), given), None
    on = domain(game, plugins=plugins)
    if not serves(component, on):
        raise UsageError(_of_another_domain(kind, component, on, plugins))
    # What else a domain offers depends on the shape of a board, and where one is generated there is none yet.
    filled = set(on.values) if kind == "generator" else on.offered
    for parameter in given:
        if parameter in filled:
            raise UsageError(f"{kind} {component.name}: {parameter} is filled from the domain; set it there")
    own = tuple(parameter for parameter in component.own_parameters() if parameter.name not in filled)
    return component, resolve(f"{kind} {component.name}", own, given), on


def serves(component: Any, domain: BoundDomain) -> bool:
    """Return whether a component that may be made for certain domains is made for this one, or for one it is like."""
    return not component.domains or not {domain.name, *domain.component.like}.isdisjoint(component.domains)


def _of_another_domain(kind: str, component: Any, domain: BoundDomain, plugins: Plugins) -> str:
    """Return an error about a component that is not made for a domain, with those that are."""
    others = [item.component for item in plugins.all(kind)]
    fitting = [other.name for other in others if serves(other, domain)]
    return (
        f"{kind} {component.name!r} is made for {', '.join(sorted(component.domains))}, "
        f"not for {domain.name}; for that there are: {', '.join(sorted(fitting)) or 'none'}"
    )


def _heuristic_in(
    component: Player, parameter: Parameter, value: Any, domain: BoundDomain, plugins: Plugins | None
) -> BoundHeuristic:
    """Return the heuristic that a parameter's value names; an empty value means the domain's own."""
    wanted = value or domain.component.heuristic
    if not wanted:
        what = f"{domain.name} has no heuristic of its own; name one as {parameter.name}=NAME"
        raise UsageError(f"player {component.name}: {what}")
    return heuristic(wanted, domain=domain, plugins=plugins)
