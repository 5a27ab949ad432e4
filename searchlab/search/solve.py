"""`solve` searches for a solution of a board: names are looked up, and plugins observe the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError, shown
from searchlab.plugins import lookup as by_name
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.registry import installed

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.limits import Limits, Progress
    from searchlab.model.results import Result
    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem


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
    from searchlab.search.observing import Observed
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

    bound_domain = by_name.domain(domain, plugins=plugins)
    start = start_board(board, bound_domain)
    default = bound_domain.component
    wanted = (default.heuristic or no_estimate) if heuristic is None else heuristic
    bound_heuristic = by_name.heuristic(wanted, domain=bound_domain, plugins=plugins)
    bound_frontier = by_name.frontier(default.frontier if frontier is None else frontier, plugins=plugins)
    return Problem(start, bound_domain, bound_heuristic, bound_frontier)


def no_estimate(tiles: Any) -> float:
    """Return 0 for every board: what is known of a game whose domain names no heuristic."""
    return 0.0


def start_board(board: Board | None, domain: BoundDomain) -> Board:
    """Return the board to start from, which is checked to be one of the domain."""
    from searchlab.board.board import Board

    start = domain.start() if board is None else board
    if not isinstance(start, Board):
        raise UsageError(f"a Board is wanted, not {shown(start)}; read_board(name) reads one, Board(rows) makes one")
    domain.check(start)
    return start
