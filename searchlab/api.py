"""The functions of the public face: components by name, `solve` and `play`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab import playing
from searchlab.bare import SUBJECTS, bare_component
from searchlab.bound import Bound, BoundDomain, BoundFrontier
from searchlab.bound_accessories import BoundExecutor, BoundGenerator, BoundRenderer
from searchlab.bound_heuristic import BoundHeuristic
from searchlab.bound_player import BoundPlayer
from searchlab.components import own_parameters
from searchlab.errors import UsageError
from searchlab.kinds import KINDS
from searchlab.plugins import installed
from searchlab.spelling import parse_name
from searchlab.values import resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.accessories import Executor, Generator, Renderer
    from searchlab.board import Board
    from searchlab.components import Domain, Frontier, Heuristic, Player
    from searchlab.parameters import Parameter
    from searchlab.playing import Game, Watcher
    from searchlab.plugins import Plugins
    from searchlab.search.limits import Limits, Progress
    from searchlab.search.problem import Problem
    from searchlab.search.result import Result

DEFAULT_DOMAIN = "searchlab/2048"
DEFAULT_PLAYER = "searchlab/greedy"


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
            the player is made for, as it is by default, else 2048.

    Raises:
        UsageError: an unknown name or parameter, a value that does not fit, or a player of another domain.
    """
    component, values, bound_domain = _fitted("player", name, domain, plugins, parameters)
    assert bound_domain is not None
    heuristics = {
        parameter.name: _heuristic_in(component, parameter, values[parameter.name], bound_domain, plugins)
        for parameter in own_parameters(component)
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


# Inside `solve`, `problem` and `play` these names are arguments.
bind_domain, bind_heuristic, bind_frontier, bind_player = domain, heuristic, frontier, player


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
        plugins: where names are looked up, and who observes the run; without it the installed plugins.

    Returns:
        the outcome; `result.status` says how it ended, and nothing is raised for a limit or a failed search.

    Raises:
        UsageError, BoardError: before anything is searched.
    """
    from searchlab.experiments.observing import Observed
    from searchlab.search.solving import search

    described = problem(board, domain=domain, heuristic=heuristic, frontier=frontier, plugins=plugins)
    with Observed(described, limits, plugins or installed()) as observed:
        observed.result = search(described, limits=limits, progress=progress, engine=engine, batch=batch)
    return observed.result


def problem(
    board: Board | None = None,
    *,
    domain: str | BoundDomain = DEFAULT_DOMAIN,
    heuristic: str | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | BoundFrontier | Callable[..., float] | None = None,
    plugins: Plugins | None = None,
) -> Problem:
    """Return what `solve` would search, with everything looked up and checked; for its arguments see there."""
    from searchlab.search.problem import Problem

    bound_domain = bind_domain(domain, plugins=plugins)
    start = _start(board, bound_domain)
    default = bound_domain.component
    wanted = (default.heuristic or no_estimate) if heuristic is None else heuristic
    bound_heuristic = bind_heuristic(wanted, domain=bound_domain, plugins=plugins)
    bound_frontier = bind_frontier(default.frontier if frontier is None else frontier, plugins=plugins)
    return Problem(start, bound_domain, bound_heuristic, bound_frontier)


def play(
    board: Board | None = None,
    *,
    domain: str | BoundDomain = DEFAULT_DOMAIN,
    player: str | BoundPlayer | Callable[..., str] = DEFAULT_PLAYER,
    seed: int = 0,
    most_moves: int = playing.MOST_MOVES,
    watcher: Watcher | None = None,
    plugins: Plugins | None = None,
) -> Game:
    """Let a player play a game.

    Args:
        board: where to start; without it the domain's start board.
        domain: the game, by name or bound.
        player: by name, bound, or simply a function of a board and its moves.
        seed: of the player's random numbers, 0 or more: the same seed gives the same game.
        most_moves: moves after which a game that is not over is ended.
        watcher: called with the number of moves and the board a few times a second.
        plugins: where names are looked up; without it the installed plugins.

    Returns:
        the game; `game.status` says how it ended. A player that fails, or returns what is no legal move, ends it with
        the status `error`; nothing is raised for that.

    Raises:
        UsageError, BoardError: before anything is played.
    """
    bound_domain = bind_domain(domain, plugins=plugins)
    start = _start(board, bound_domain)
    bound_player = bind_player(player, domain=bound_domain, plugins=plugins)
    return playing.play(start, bound_domain, bound_player, seed, most_moves, watcher)


def no_estimate(tiles: Any) -> float:
    """Return 0 for every board: what is known of a game whose domain names no heuristic."""
    return 0.0


def _component(kind: str, name: Any, plugins: Plugins | None, parameters: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return a component and the parameters given for it, in its name or as keywords."""
    if isinstance(name, Bound):
        name, parameters = name.component, {**name.values, **parameters}
    if isinstance(name, KINDS[kind]):
        return name, parameters
    if kind in SUBJECTS and callable(name):
        return bare_component(kind, name), parameters
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


def _resolved(kind: str, component: Domain | Frontier | Executor, given: dict[str, Any]) -> dict[str, Any]:
    return resolve(f"{kind} {component.name}", own_parameters(component), given)


def _start(board: Board | None, domain: BoundDomain) -> Board:
    """Return the board to start from, which is checked to be one of the domain."""
    from searchlab.board import Board

    start = domain.start() if board is None else board
    if not isinstance(start, Board):
        raise UsageError(f"a Board is wanted, not {start!r:.60}; read_board(name) reads one, Board(rows) makes one")
    domain.check(start)
    return start


def _fitted(
    kind: str, name: Any, domain: str | BoundDomain | None, plugins: Plugins | None, parameters: dict[str, Any]
) -> tuple[Any, dict[str, Any], BoundDomain | None]:
    """Return a component that works on a domain, the values of the parameters that does not fill, and the domain.

    Without a domain it is the one a bound component is bound to, else the only one the component is made for; a
    player plays 2048 if nothing says otherwise.

    Raises:
        UsageError: it is made for other domains, or a parameter that is filled is given.
    """
    plugins = plugins or installed()
    if isinstance(name, Bound) and domain is None:
        domain = getattr(name, "domain", None)
    component, given = _component(kind, name, plugins, parameters)
    if domain is None and len(component.domains) == 1:
        domain = next(iter(component.domains))
    if domain is None and kind == "player":
        domain = DEFAULT_DOMAIN
    if domain is None:
        return component, resolve(f"{kind} {component.name}", own_parameters(component), given), None
    on = bind_domain(domain, plugins=plugins)
    if component.domains and on.name not in component.domains:
        raise UsageError(_of_another_domain(kind, component, on.name, plugins))
    # What else a domain offers depends on the shape of a board, and where one is generated there is none yet.
    filled = set(on.values) if kind == "generator" else on.offered
    for parameter in given:
        if parameter in filled:
            raise UsageError(f"{kind} {component.name}: {parameter} is filled from the domain; set it there")
    own = tuple(parameter for parameter in own_parameters(component) if parameter.name not in filled)
    return component, resolve(f"{kind} {component.name}", own, given), on


def _of_another_domain(kind: str, component: Any, domain: str, plugins: Plugins) -> str:
    """Return an error about a component that is not made for a domain, with those that are."""
    others = [item.component for item in plugins.all(kind)]
    fitting = [other.name for other in others if not other.domains or domain in other.domains]
    return (
        f"{kind} {component.name!r} is made for {', '.join(sorted(component.domains))}, "
        f"not for {domain}; for that there are: {', '.join(sorted(fitting)) or 'none'}"
    )


def _heuristic_in(
    component: Player, parameter: Parameter, value: Any, domain: BoundDomain, plugins: Plugins | None
) -> BoundHeuristic:
    """Return the heuristic that a parameter's value names; an empty value means the domain's own."""
    wanted = value or domain.component.heuristic
    if not wanted:
        what = f"{domain.name} has no heuristic of its own; name one as {parameter.name}=NAME"
        raise UsageError(f"player {component.name}: {what}")
    return bind_heuristic(wanted, domain=domain, plugins=plugins)
