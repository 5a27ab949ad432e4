"""The functions of the public face: components by name, and `solve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.bare import bare_frontier, bare_heuristic
from searchlab.bound import Bound, BoundDomain, BoundFrontier
from searchlab.bound_heuristic import BoundHeuristic
from searchlab.components import Domain, Frontier, Heuristic, own_parameters
from searchlab.errors import UsageError
from searchlab.plugins import KINDS, installed
from searchlab.spelling import parse_name
from searchlab.values import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.board import Board
    from searchlab.plugins import Plugins
    from searchlab.search.limits import Limits, Progress
    from searchlab.search.problem import Problem
    from searchlab.search.result import Result

DEFAULT_DOMAIN = "searchlab/2048"


def domain(name: str | Domain | BoundDomain, *, plugins: Plugins | None = None, **parameters: Any) -> BoundDomain:
    """Return a domain by its spelled name (`"2048:goal=512"`), with parameters in the name or as keywords.

    Raises:
        UsageError: an unknown name or parameter, or a value that does not fit.
    """
    if isinstance(name, BoundDomain) and not parameters:
        return name
    component, given = _component("domain", name, plugins, parameters)
    return BoundDomain(component, _resolved("domain", component, given))


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
    plugins = plugins or installed()
    if isinstance(name, BoundHeuristic) and domain is None:
        domain = name.domain
    if callable(name) and not isinstance(name, BoundHeuristic):
        component, given = bare_heuristic(getattr(name, "__name__", "heuristic"), name), parameters
    else:
        component, given = _component("heuristic", name, plugins, parameters)
    bound_domain = _domain_of(component, domain, plugins)
    if component.domains and bound_domain and bound_domain.name not in component.domains:
        fitting = [
            r.component.name
            for r in plugins.all("heuristic")
            if not r.component.domains or bound_domain.name in r.component.domains
        ]
        raise UsageError(
            f"heuristic {component.name!r} is made for {', '.join(sorted(component.domains))}, "
            f"not for {bound_domain.name}; for that there are: {', '.join(sorted(fitting)) or 'none'}"
        )
    offered = bound_domain.offered if bound_domain else set()
    for name_ in given:
        if name_ in offered:
            raise UsageError(f"heuristic {component.name}: {name_} is filled from the domain; set it there")
    own = tuple(p for p in own_parameters(component) if p.name not in offered)
    return BoundHeuristic(component, resolve(f"heuristic {component.name}", own, given), bound_domain)


def frontier(
    name: str | Frontier | BoundFrontier | Callable[..., float], *, plugins: Plugins | None = None, **parameters: Any
) -> BoundFrontier:
    """Return a frontier strategy by its spelled name (`"weighted-astar:weight=2"`), or around a priority of g and h.

    Raises:
        UsageError: an unknown name or parameter, or a value that does not fit.
    """
    if isinstance(name, BoundFrontier) and not parameters:
        return name
    if callable(name) and not isinstance(name, BoundFrontier):
        name = bare_frontier(getattr(name, "__name__", "frontier"), name)
    component, given = _component("frontier", name, plugins, parameters)
    return BoundFrontier(component, _resolved("frontier", component, given))


# Inside `solve` and `problem` these names are arguments.
bind_domain, bind_heuristic, bind_frontier = domain, heuristic, frontier


def solve(
    board: Board | None = None,
    *,
    domain: str | BoundDomain = DEFAULT_DOMAIN,
    heuristic: str | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | BoundFrontier | Callable[..., float] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    engine: str = "auto",
    batch: int | None = None,
    plugins: Plugins | None = None,
) -> Result:
    """Search for a solution of a board.

    Args:
        board: where to start; without it the domain's start board.
        domain: the game, by name or bound.
        heuristic: by name, bound, or simply a function of the tiles; without it the domain's own.
        frontier: the frontier strategy, or simply a priority of g and h; without it the domain's own.
        limits: time, memory and expansions it may take.
        progress: called a few times a second with the search's figures so far.
        engine: "compiled", "readable", or "auto": compiled where everything can be compiled, else readable
            with a SearchlabWarning that says why.
        batch: how many nodes are expanded before the new ones are evaluated together; by default 1, and 1000 where
            the heuristic is evaluated in Python while the rest is compiled, or has a batch form only. Strategies
            that do not order nodes by g and h take no notice of it.
        plugins: where names are looked up; without it the installed plugins.

    Returns:
        the outcome; `result.status` says how it ended, and nothing is raised for a limit or a failed search.

    Raises:
        UsageError, BoardError: before anything is searched.
    """
    from searchlab.search.solving import search

    described = problem(board, domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)
    return search(described, limits=limits, progress=progress, engine=engine, batch=batch)


def problem(
    board: Board | None = None,
    *,
    domain: str | BoundDomain = DEFAULT_DOMAIN,
    heuristic: str | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | BoundFrontier | Callable[..., float] | None = None,
    plugins: Plugins | None = None,
) -> Problem:
    """Return what `solve` would search, with everything looked up and checked; for its arguments see there."""
    from searchlab.board import Board
    from searchlab.search.problem import Problem

    bound_domain = bind_domain(domain, plugins=plugins)
    start = bound_domain.start() if board is None else board
    if not isinstance(start, Board):
        raise UsageError(f"a Board is wanted, not {start!r:.60}; read_board(name) reads one, Board(rows) makes one")
    bound_domain.check(start)
    default = bound_domain.component
    wanted = (default.heuristic or no_estimate) if heuristic is None else heuristic
    bound_heuristic = bind_heuristic(wanted, domain=bound_domain, plugins=plugins)
    bound_frontier = bind_frontier(default.frontier if frontier is None else frontier, plugins=plugins)
    return Problem(start, bound_domain, bound_heuristic, bound_frontier)


def no_estimate(tiles: Any) -> float:
    """Return 0 for every board: what is known of a game whose domain names no heuristic."""
    return 0.0


def _component(kind: str, name: Any, plugins: Plugins | None, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a component and the parameters given for it, in its name or as keywords."""
    if isinstance(name, Bound):
        name, parameters = name.component, {**name.values, **parameters}
    if isinstance(name, KINDS[kind]):
        return name, parameters
    if not isinstance(name, str):
        raise UsageError(f"a {kind} is given by its name, not as {type(name).__name__} {name!r}")
    spelled = parse_name(name)
    for key in parameters:
        if key in spelled.parameters and str(parameters[key]) != spelled.parameters[key]:
            raise UsageError(
                f"{kind} {spelled.name}: {key} is given twice, {spelled.parameters[key]} and {parameters[key]}"
            )
    registered = (plugins or installed()).get(kind, spelled)
    return registered.component, {**spelled.parameters, **parameters}


def _resolved(kind: str, component: Domain | Frontier, given: dict[str, Any]) -> dict[str, Any]:
    return resolve(f"{kind} {component.name}", own_parameters(component), given)


def _domain_of(component: Heuristic, given: str | BoundDomain | None, plugins: Plugins) -> BoundDomain | None:
    """Return the domain a heuristic is to work on."""
    if given is not None:
        return domain(given, plugins=plugins)
    if len(component.domains) == 1:
        return domain(next(iter(component.domains)), plugins=plugins)
    return None
