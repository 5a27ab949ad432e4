"""Look up components by name, and set their parameters: `domain("2048:goal=512")`, `heuristic("taxicab")`."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from searchlab.binding.bound import Bound
from searchlab.binding.combination import combination
from searchlab.binding.domain import BoundDomain
from searchlab.binding.frontier import BoundFrontier
from searchlab.binding.heuristic import BoundHeuristic
from searchlab.binding.names import format_name, parse_name, parse_names
from searchlab.errors import PluginError, UsageError, did_you_mean, shown
from searchlab.model.component import PRESET, resolve
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.model.domain import Domain
from searchlab.model.strategies import for_any_goal
from searchlab.plugins.found import NO_PLUGIN, Found, serves
from searchlab.plugins.plain_functions import SUBJECTS, component_from_function
from searchlab.plugins.registry import given_or_installed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.binding.extensions import BoundExecutor, BoundGenerator, BoundLearner, BoundRenderer
    from searchlab.binding.names import Spelled
    from searchlab.binding.player import BoundPlayer
    from searchlab.model.component import Parameter
    from searchlab.model.extensions import Executor, Generator, Learner, Renderer
    from searchlab.model.strategies import Frontier, Heuristic, Player
    from searchlab.plugins.registry import Plugins

B = TypeVar("B", BoundDomain, BoundHeuristic)

DEFAULT_DOMAIN = "searchlab/2048"
"""The default domain of searches."""
DEFAULT_GAME = "searchlab/2048-random"
"""The default domain of games."""
ON_DOMAINS = ("heuristic", "player", "generator", "renderer", "learner")
"""The kinds of components that work on a domain, which fills some of their parameters."""
NONE_GIVEN: Mapping[str, Any] = MappingProxyType({})
_own_is_sought: ContextVar[bool] = ContextVar("own heuristic", default=False)
"""Whether a domain's own heuristic is being looked up for a heuristic that combines it."""


def domain(name: str | Domain | BoundDomain, *, plugins: Plugins | None = None, **parameters: Any) -> BoundDomain:
    """Return a domain by its name (`"2048:goal=512"`), with parameters in the name or as keywords.

    If the domain has presets, `preset` names a preset; further parameters override those of the preset.

    Raises:
        UsageError: a name, parameter or preset is unknown, or a value is invalid.
    """
    if isinstance(name, BoundDomain) and not parameters:
        return name
    return _bound("domain", BoundDomain, name, plugins, parameters)


def with_preset(component: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters in which a preset is replaced by the parameters that it sets.

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
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundHeuristic:
    """Return a heuristic by its name, or make one from a function of the tiles. `h(board)` returns its value.

    Args:
        domain: the domain, whose parameters fill the heuristic's parameters of the same name; by default the only
            domain that the heuristic supports, with default parameters.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the heuristic belongs to another domain.
    """
    if isinstance(name, BoundHeuristic) and not parameters and (domain is None or domain is name.domain):
        return name
    return _bound("heuristic", BoundHeuristic, name, plugins, parameters, domain)


def player(
    name: str | Player | BoundPlayer | Callable[..., str],
    *,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundPlayer:
    """Return a player by its name (`"greedy:heuristic=[left-weighted:corner=-2]"`), or make one from a function.

    Args:
        domain: the game, whose parameters fill the player's parameters of the same name. By default the only domain
            that the player supports, with default parameters, or else the default game.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the player belongs to another domain.
    """
    from searchlab.binding.player import BoundPlayer  # late, as below: a search needs none of these

    if isinstance(name, BoundPlayer) and not parameters and (domain is None or domain is name.domain):
        return name
    component, _, values, on = find("player", name, domain, plugins, parameters)
    assert on is not None
    heuristics = {
        parameter.name: _heuristic_in(component, parameter, values[parameter.name], on, plugins)
        for parameter in component.own_parameters()
        if parameter.names_heuristic and parameter.name in values
    }
    return BoundPlayer(component, values, on, heuristics)


def frontier(
    name: str | Frontier | BoundFrontier | Callable[..., float], *, plugins: Plugins | None = None, **parameters: Any
) -> BoundFrontier:
    """Return a frontier strategy by its name (`"weighted-astar:weight=2"`), or make one from a priority of g and h.

    Raises:
        UsageError: a name or parameter is unknown, or a value is invalid.
    """
    if isinstance(name, BoundFrontier) and not parameters:
        return name
    found = find("frontier", name, None, plugins, parameters)
    return BoundFrontier(found.component, found.values, partial(_for_frontier, found, plugins))


def _for_frontier(
    found: Found[Frontier], plugins: Plugins | None, name: str, domain: BoundDomain
) -> tuple[BoundHeuristic, ...]:
    """Return the heuristics that a parameter of a frontier strategy names."""
    parameter = next(one for one in found.component.own_parameters() if one.name == name)
    listed = _listed(parameter, found.values[name])
    return tuple(heuristic(one, domain=domain, plugins=plugins) for one in listed)


def generator(
    name: str | Generator | BoundGenerator,
    *,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundGenerator:
    """Return a generator of boards by its name (`"shuffled:n=3"`). `g(seed)` returns a board.

    Args:
        domain: the domain of the boards; by default the only one that the generator supports.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the generator belongs to another domain.
    """
    from searchlab.binding.extensions import BoundGenerator

    component, _, values, on = find("generator", name, domain, plugins, parameters)
    return BoundGenerator(component, values, on)


def renderer(
    name: str | Renderer | BoundRenderer,
    *,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundRenderer:
    """Return a renderer by its name (`"box"`). `r(board)` returns a picture of the board as lines of text.

    Args:
        domain: the domain of the boards; by default the only one that the renderer supports.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the renderer belongs to another domain.
    """
    from searchlab.binding.extensions import BoundRenderer

    component, _, values, on = find("renderer", name, domain, plugins, parameters)
    return BoundRenderer(component, values, on)


def executor(
    name: str | Executor | BoundExecutor, *, plugins: Plugins | None = None, **parameters: Any
) -> BoundExecutor:
    """Return an executor by its name (`"local"`, `"dask:address=[tcp://host:8786]"`).

    Raises:
        UsageError: a name or parameter is unknown, or a value is invalid.
    """
    from searchlab.binding.extensions import BoundExecutor

    found = find("executor", name, None, plugins, parameters)
    return BoundExecutor(found.component, found.values)


def learner(
    name: str | Learner | BoundLearner,
    *,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    **parameters: Any,
) -> BoundLearner:
    """Return a learner by its name (`"ntuple:rate=0.5"`). `l(seed)` returns a Learning.

    Args:
        domain: the game; by default the only domain that the learner supports, or else the default game.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the learner belongs to another domain.
    """
    from searchlab.binding.extensions import BoundLearner

    component, _, values, on = find("learner", name, domain, plugins, parameters)
    assert on is not None
    return BoundLearner(component, values, on)


def _bound(
    kind: str,
    bound_type: type[B],
    name: Any,
    plugins: Plugins | None,
    parameters: dict[str, Any],
    of: str | Domain | BoundDomain | None = None,
) -> B:
    """Return a component bound to its values and its domain; see `find`.

    Args:
        of: the domain, which may be declared or bound.
    """
    game = domain(of, plugins=plugins) if isinstance(of, Domain) else of
    component, _, values, on = find(kind, name, game, plugins, parameters)
    if kind == "heuristic" and on is not None and on.target is not None and not component.combine:
        component = for_any_goal(component)
    make: Callable[..., B] = bound_type
    if kind == "heuristic" and component.combine:
        named = _named_heuristics(component, values, on, plugins)
        made = make(combination(component, tuple(chain.from_iterable(named.values()))), values, on, named)
        if on is not None:
            with suppress(PluginError):  # a search reports that
                checked: Any = made
                _ = checked.admissible  # refuses now what cannot be combined in this way
        return made
    return make(component, values, on) if kind in ON_DOMAINS else make(component, values)


def find(
    kind: str,
    name: Any,
    domain: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
    parameters: Mapping[str, Any] = NONE_GIVEN,
) -> Found[Any]:
    """Return the component of a name, with its plugin, values and domain.

    The values are those of parameters that the domain does not fill.

    Args:
        kind: the kind of the component.
        name: a name, a component, a bound component, or a function to make a component from.
        domain: the domain; by default the only one that the component supports.
        plugins: the plugins that names are looked up in.
        parameters: values in addition to those in the name.

    Raises:
        UsageError: a name or parameter is unknown, a value is invalid, or the component belongs to another domain.
    """
    if isinstance(name, Bound) and domain is None:
        domain = getattr(name, "domain", None)
    found = _given(kind, name, domain, plugins, parameters)
    component, given = found.component, found.values
    if domain is None and kind == "heuristic" and component.combine:
        domain = _common_domain(component, given, plugins)
    on = _domain_for(kind, component, domain, plugins) if kind in ON_DOMAINS else None
    filled: set[str] = set()
    if on is not None:
        # A generator has no board yet, on whose shape the domain's other values depend.
        filled = set(on.values) if kind == "generator" else on.names_given
    if isinstance(name, Bound):  # the default that it got without a domain is not one that somebody gave
        given = {p: v for p, v in given.items() if p not in filled or p in parameters or p in name.changed}
    for parameter in given:
        if parameter in filled:
            assert on is not None
            how = "it cannot be set"
            if parameter in on.values:
                how = f"set it there, as in {format_name(on.component.name, {parameter: given[parameter]})}"
            raise UsageError(f"{kind} {component.name}: {parameter} is filled from the domain; {how}")
    own = tuple(parameter for parameter in component.own_parameters() if parameter.name not in filled)
    whose = partial(_given_by_board, component, plugins) if kind == "domain" else None
    values = resolve(f"{kind} {component.name}", own, with_preset(component, given), whose)
    return found._replace(values=values, domain=on)


def _given_by_board(domain: Domain, plugins: Plugins | None, name: str) -> str:
    """Return the end of an error message about a parameter that only generators of a domain have, or `""`."""
    names = {domain.name, *domain.compatible_with}
    for generator in (item.component for item in given_or_installed(plugins).all("generator")):
        if names & generator.domains and any(parameter.name == name for parameter in generator.own_parameters()):
            return f"; the board gives {name!r} (generator {generator.name}:{name}=… makes such boards)"
    return ""


def _given(
    kind: str,
    name: Any,
    domain: str | Domain | BoundDomain | None,
    plugins: Plugins | None,
    parameters: Mapping[str, Any],
) -> Found[Any]:
    """Return the component of a name, with the values given in the name or as keywords.

    Args:
        domain: the domain; only components that support it are suggested for an unknown name.
    """
    if isinstance(name, Bound):
        anew = PRESET in parameters and getattr(name.component, "presets", {})
        name, parameters = name.component, parameters if anew else {**name.values, **parameters}
    if isinstance(name, COMPONENT_TYPES[kind]):
        return Found(name, NO_PLUGIN, parameters)
    if kind in SUBJECTS and callable(name):
        return Found(component_from_function(kind, name), NO_PLUGIN, parameters)
    if not isinstance(name, str):
        raise UsageError(f"a {kind} is given by its name, not as {type(name).__name__} {shown(name)}")
    spelled = parse_name(name)
    for key in parameters:
        if key in spelled.parameters and str(parameters[key]) != spelled.parameters[key]:
            raise UsageError(
                f"{kind} {spelled.name}: {key} is given twice, {spelled.parameters[key]} and {parameters[key]}"
            )
    return declared(kind, spelled, domain, plugins)._replace(values={**spelled.parameters, **parameters})


def declared(
    kind: str,
    spelled: Spelled,
    on: str | Domain | BoundDomain | None = None,
    plugins: Plugins | None = None,
) -> Found[Any]:
    """Return the component of a name as its plugin declares it; of several components, the one that supports a domain.

    Args:
        on: the domain; only components that support it are suggested for an unknown name.

    Raises:
        UsageError: the name is unknown; or several plugins claim it, and neither the spelling nor the domain chooses.
    """
    chooses = on is not None and kind in ON_DOMAINS
    return given_or_installed(plugins).get(kind, spelled, domain(on, plugins=plugins) if chooses and on else None)


def _domain_for(
    kind: str, component: Any, game: str | Domain | BoundDomain | None, plugins: Plugins | None
) -> BoundDomain | None:
    """Return the domain of a component: the given domain, or else the only one that the component supports.

    For players and learners it is otherwise the default game.
    """
    if game is None and len(component.domains) == 1:
        game = next(iter(component.domains))
    if game is None and kind in ("player", "learner"):
        game = DEFAULT_GAME
    if game is None:
        return None
    plugins = given_or_installed(plugins)
    on = domain(game, plugins=plugins)
    if not serves(component, on):
        raise UsageError(_of_another_domain(kind, component, on, plugins))
    return on


def _of_another_domain(kind: str, component: Any, domain: BoundDomain, plugins: Plugins) -> str:
    """Return the error message for a component that does not support a domain, with the components that do."""
    others = [item.component for item in plugins.all(kind)]
    fitting = [other.name for other in others if serves(other, domain)]
    return (
        f"{kind} {component.name!r} is made for {', '.join(sorted(component.domains))}, "
        f"not for {domain.name}; for that there are: {', '.join(sorted(fitting)) or 'none'}"
    )


def _named_heuristics(
    component: Heuristic, values: Mapping[str, Any], domain: BoundDomain | None, plugins: Plugins | None
) -> dict[str, tuple[BoundHeuristic, ...]]:
    """Return the heuristics that a heuristic combines, by parameter; by default the domain's own.

    Raises:
        UsageError: a name is unknown, a heuristic belongs to another domain, or there are no heuristics.
    """
    named: dict[str, tuple[BoundHeuristic, ...]] = {}
    for parameter in component.own_parameters():
        if not parameter.names_heuristics:
            continue
        listed = _listed(parameter, values[parameter.name])
        if not listed:
            listed = (_own_heuristic(component, parameter, domain),)
        with _combining(component, is_own=not values[parameter.name]):
            named[parameter.name] = tuple(heuristic(one, domain=domain, plugins=plugins) for one in listed)
    return named


def _listed(parameter: Parameter, value: Any) -> tuple[Any, ...]:
    """Return the names, or objects given instead of names, in the value of a parameter."""
    if isinstance(value, str):
        names = parse_names(value) if parameter.kind == "heuristics" else [value]
        return tuple(name for name in names if name)
    return tuple(value) if isinstance(value, list | tuple) else (value,)


@contextmanager
def _combining(component: Heuristic, *, is_own: bool) -> Iterator[None]:
    """Refuse a combination as a domain's own heuristic if it contains the domain's own heuristic."""
    if is_own and _own_is_sought.get():
        what = "its domain's own heuristic combines the domain's own heuristic"
        raise UsageError(f"heuristic {component.name}: {what}; name those it combines")
    before = _own_is_sought.set(is_own or _own_is_sought.get())
    try:
        yield
    finally:
        _own_is_sought.reset(before)


def own_heuristic(parameter: Parameter, domain: BoundDomain) -> str:
    """Return the name of the domain's heuristic for an empty value of a parameter, `""` if it has none."""
    return (
        domain.afterstate_heuristic
        if parameter.kind == "afterstate_heuristic"
        else str(domain.component.defaults.heuristic)
    )


def _own_heuristic(component: Heuristic | Player, parameter: Parameter, domain: BoundDomain | None) -> str:
    """Return the name of the domain's own heuristic for an empty value of a parameter."""
    own = own_heuristic(parameter, domain) if domain is not None else ""
    if own:
        return own
    wanted = "[NAME,NAME]" if parameter.kind == "heuristics" else "NAME"
    kind = "player" if isinstance(component, COMPONENT_TYPES["player"]) else "heuristic"
    has_none = f"{domain.name} has no heuristic of its own" if domain else "it combines heuristics, and none is named"
    raise UsageError(f"{kind} {component.name}: {has_none}; name one as {parameter.name}={wanted}")


def _common_domain(component: Heuristic, given: Mapping[str, Any], plugins: Plugins | None) -> str | BoundDomain | None:
    """Return the only domain that all combined heuristics support; None if there are several.

    Raises:
        UsageError: there is no such domain.
    """
    common: tuple[str, frozenset[str]] | None = None
    for parameter in component.own_parameters():
        for one in _listed(parameter, given.get(parameter.name, "")) if parameter.names_heuristics else ():
            part = heuristic(one, plugins=plugins)
            domains = frozenset(part.component.domains)
            if not domains:
                continue
            if common is not None and common[1].isdisjoint(domains):
                said = f"{common[0]} is made for {', '.join(sorted(common[1]))}, {part.name} for "
                said += f"{', '.join(sorted(domains))}"
                raise UsageError(f"heuristic {component.name}: {said}; combine heuristics of one domain")
            common = part.name, domains if common is None else common[1] & domains
    return next(iter(common[1])) if common is not None and len(common[1]) == 1 else None


def _heuristic_in(
    component: Player, parameter: Parameter, value: Any, domain: BoundDomain, plugins: Plugins | None
) -> BoundHeuristic:
    """Return the heuristic in a parameter's value; an empty value means the domain's own."""
    return heuristic(value or _own_heuristic(component, parameter, domain), domain=domain, plugins=plugins)
