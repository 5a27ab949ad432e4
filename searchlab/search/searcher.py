"""Searcher: many searches with the same components; and `solve`, which keeps the last one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from queue import SimpleQueue
from threading import Event
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeGuard

import numpy as np

from searchlab.binding.domain import BoundDomain
from searchlab.board.board import Board
from searchlab.errors import BoardError, SearchlabError, UsageError
from searchlab.model.component import all_functions
from searchlab.model.instance import Instance
from searchlab.model.results import Result
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_state
from searchlab.plugins.lookup import DEFAULT_DOMAIN
from searchlab.plugins.registry import given_or_installed
from searchlab.search.problem import Problem
from searchlab.search.progress import shown_search
from searchlab.search.solve import NO_ESTIMATE, ObservedRun, are_installed, check_engine, search, seeded
from searchlab.search.watch import Stopped
from searchlab.search.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from pathlib import Path

    from searchlab.binding.bound import Bound
    from searchlab.binding.frontier import BoundFrontier
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.domain import Domain
    from searchlab.model.limits import Limits, Progress
    from searchlab.model.results import Improvement
    from searchlab.model.states import State
    from searchlab.model.strategies import Frontier, Heuristic
    from searchlab.plugins.registry import Plugins


class Searcher:
    """Searches from many boards with the same domain, heuristic and frontier.

    A searcher looks up names, compiles functions and allocates memory once, and releases them when it is closed or
    dropped. So it uses functions as they were when it first called them. Several threads may use it at once.

    >>> import searchlab as sl
    >>> with sl.searcher(domain="sliding-tile", frontier="astar") as searcher:
    ...     searcher("sliding-tile/puzzle8-20").moves
    20

    Args:
        domain: the domain: a name, a declaration or a bound domain.
        heuristic: the heuristic: a name, a declaration, a bound heuristic, or a function of the tiles; by default the
            default heuristic of the domain.
        frontier: the frontier strategy: a name, a declaration, a bound frontier, or a priority of g and h; by default
            the default frontier of the domain.
        engine, batch, seed: as for `solve`.
        plugins: the plugins that names are looked up in and that observe the searches; by default the installed
            plugins.
        replays_twice: whether each solution is replayed on boards and by the compiled rules, as `plugins check` does.

    Attributes:
        domain, heuristic, frontier: the bound components.

    Raises:
        UsageError: a name is unknown, or a value is invalid.
    """

    def __init__(
        self,
        *,
        domain: str | Domain | BoundDomain,
        heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
        frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
        engine: str = "auto",
        batch: int | None = None,
        seed: int | None = None,
        plugins: Plugins | None = None,
        replays_twice: bool = False,
    ) -> None:
        check_engine(engine)
        self.plugins = given_or_installed(plugins)
        self.plugins.allow_files(part for part in (heuristic, frontier) if isinstance(part, str))
        self.domain = lookup.domain(domain, plugins=plugins)
        defaults = self.domain.component.defaults
        wanted = (defaults.heuristic or NO_ESTIMATE) if heuristic is None else heuristic
        self.heuristic = lookup.heuristic(wanted, domain=self.domain, plugins=plugins)
        self.frontier = seeded(defaults.frontier if frontier is None else frontier, seed, plugins)
        self._engine, self._batch = engine, batch
        self._problem: Problem | None = None
        self._workspace: Workspace | None = Workspace(replays_twice=replays_twice)

    def __call__(
        self,
        board: Board | Instance | str | Path | State | None = None,
        *,
        limits: Limits | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
        on_improvement: Callable[[Improvement], None] | None = None,
    ) -> Result:
        """Search for a solution of a board.

        Args:
            board: the start: a board, an instance, or the name of either; by default the start board of the domain.
            limits: the limits of time, memory and expansions.
            progress: whether to show the progress, or a function that receives it, as for `solve`.
            on_improvement: called with each solution that is cheaper than all before it, when it is found.

        Returns:
            the result, as for `solve`.

        Raises:
            UsageError, BoardError: an argument is invalid, or the searcher is closed; raised before the search.
        """
        problem = self.problem(board)
        with shown_search(progress, limits) as report, ObservedRun(problem, limits, self.plugins) as run:
            run.result = self.search(problem, limits=limits, progress=report, on_improvement=on_improvement)
        return run.result

    def many(
        self,
        boards: Iterable[Board | Instance | str | Path | State],
        *,
        limits: Limits | None = None,
        progress: bool | Callable[[Progress], None] | None = None,
    ) -> Iterator[Result]:
        """Yield the result of each board, in order; a search begins when its result is requested.

        A board that cannot be searched yields a result with the status `error`, and the iteration continues. Ctrl-C
        ends the iteration after the result of the interrupted search.

        Args:
            boards, limits, progress: as for a single search; the limits apply to each search.

        Raises:
            UsageError, BoardError: a name refers to no board.
        """
        for board in boards:
            try:
                result = self(board, limits=limits, progress=progress)
            except SearchlabError as error:
                if self._workspace is None or not isinstance(board, Board | Instance):
                    raise
                start = board.start if isinstance(board, Instance) else board
                names = str(self.domain), str(self.heuristic), str(self.frontier)
                result = Result("error", start, *names, str(error), ended_by="error")
            yield result
            if result.ended_by == "interrupted":
                return

    def problem(self, board: Board | Instance | str | Path | State | None = None) -> Problem:
        """Return the problem with a board as its start.

        Raises:
            UsageError, BoardError: there is no such board, or it is not a board of this domain.
        """
        if isinstance(board, Board):
            domain, start = self.domain, board
            domain.check(start)
        else:
            start, domain = named_state(board, self.domain, self.plugins, default=DEFAULT_DOMAIN)
        known = self._problem
        if known is None or domain is not known.domain or getattr(start, "shape", None) != known.board.shape:
            known = Problem(start, domain, self.heuristic.on(domain), self.frontier)
            if isinstance(start, Board):
                self._problem = known
        return known.from_board(start)

    def search(self, problem: Problem, **options: Any) -> Result:
        """Search a problem of this searcher, without notifying plugins; for the options see `search.solve.search`.

        Raises:
            UsageError: the searcher is closed, or the options do not fit the problem.
        """
        if self._workspace is None:
            raise UsageError("the searcher is closed")
        return search(problem, engine=self._engine, batch=self._batch, workspace=self._workspace, **options)

    def close(self) -> None:
        """Release compiled functions and memory. The searcher cannot be used any more; its results stay valid."""
        self._workspace = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Searcher {self.domain}, {self.heuristic}, {self.frontier}>"


searcher = Searcher
"""The public name `sl.searcher`."""


def solve(
    board: Board | Instance | str | Path | State | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    frontier: str | Frontier | BoundFrontier | Callable[..., float] | None = None,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    on_improvement: Callable[[Improvement], None] | None = None,
    engine: str = "auto",
    batch: int | None = None,
    seed: int | None = None,
    plugins: Plugins | None = None,
) -> Result:
    """Search for a solution of a board.

    The last searcher is kept, and reused for the same names and components until their files or functions change. For
    many boards use a `searcher`.

    Args:
        board: the start: a board, an instance, or the name of either (a file, or a board that ships); or a state, if
            the states of the domain are not boards. By default the start of the domain.
        domain: the domain: a name, a declaration or a bound domain; by default 2048. For a board given by name, it is
            by default the domain in the `set.toml` beside the file, or else the only game that the tiles fit.
        heuristic: the heuristic: a name, a declaration, a bound heuristic, or a function of the tiles (or of the state,
            if it is not a board); by default the default heuristic of the domain.
        frontier: the frontier strategy: a name, a declaration, a bound frontier, or a priority of g and h; by default
            the default frontier of the domain.
        limits: the limits of time, memory and expansions.
        progress: whether to show the progress after half a second. By default it is shown in a notebook; with True also
            on a terminal, and elsewhere in a line every ten seconds. A function is called a few times a second with the
            progress so far.
        on_improvement: called with each solution that is cheaper than all before it, when it is found; a search that
            ends at its first solution calls it once.
        engine: "compiled", "readable", or "auto": compiled if everything can be compiled, else readable, with a
            SearchlabWarning that gives the reason.
        batch: the number of nodes expanded before new nodes are evaluated together; by default 1, or 1000 if the
            heuristic is evaluated in Python while the rest is compiled, or has only a batch form. Strategies that do
            not order nodes by g and h ignore it.
        seed: the seed of a frontier with `order=random`, by default 0.
        plugins: the plugins that names are looked up in and that observe the run; by default the installed plugins.

    Returns:
        the result; `result.status` tells how the search ended. A limit or a failed search raises no exception.

    Raises:
        UsageError, BoardError: an argument is invalid; raised before the search.
    """
    start: Any
    game: str | Domain | BoundDomain
    if board is None or isinstance(board, Board | Instance):
        start, game = board, DEFAULT_DOMAIN if domain is None else domain
    else:
        # The set.toml beside the board may name a file that the call names, too.
        given_or_installed(plugins).allow_files(part for part in (domain, heuristic, frontier) if isinstance(part, str))
        start, game = named_state(board, domain, plugins, default=DEFAULT_DOMAIN)
        if game.instance is not None:  # one searcher serves all instances
            start, game = game.instance, replace(game, instance=None)
    asked = _SolveArguments(game, heuristic, frontier, engine, batch, seed, given_or_installed(plugins))
    searcher = _searcher_for(asked)
    try:
        return searcher(start, limits=limits, progress=progress, on_improvement=on_improvement)
    except BoardError:
        if domain is None:
            named_state(board, None, plugins, default=DEFAULT_DOMAIN)  # its error names the games that the board fits
        raise


def improvements(
    board: Board | Instance | str | Path | State | None = None,
    *,
    progress: bool | Callable[[Progress], None] | None = None,
    **arguments: Any,
) -> Generator[Improvement, None, Result]:
    """Search as `solve` does, in a thread, and yield each solution that is cheaper than all before it.

    Leaving the loop ends the search. The generator returns the result of the search.

    >>> import searchlab as sl
    >>> for solution in sl.improvements("sliding-tile/puzzle8-27", frontier="cabs", engine="readable"):
    ...     print(solution.cost, solution.expanded)
    47 47
    39 581
    27 966

    Args:
        board, progress, arguments: as for `solve`.

    Raises:
        UsageError, BoardError: an argument is invalid; raised before the search.
    """
    found: SimpleQueue[Improvement | None] = SimpleQueue()
    left = Event()

    def show(state: Progress) -> None:
        if left.is_set():
            raise Stopped("interrupted")
        if report:
            report(state)

    with shown_search(progress, arguments.get("limits")) as report, ThreadPoolExecutor(1) as pool:
        searching = pool.submit(solve, board, progress=show, on_improvement=found.put, **arguments)
        searching.add_done_callback(lambda _: found.put(None))
        try:
            while (solution := found.get()) is not None:
                yield solution
            return searching.result()
        finally:
            left.set()


class _SolveArguments(NamedTuple):
    """The arguments of `solve` that determine the searcher."""

    domain: Any
    heuristic: Any
    frontier: Any
    engine: str
    batch: int | None
    seed: int | None
    plugins: Plugins

    @property
    def names(self) -> list[str]:
        """The arguments that are names."""
        return [part for part in self[:3] if isinstance(part, str)]


class _KeptSearcher(NamedTuple):
    """The searcher that `solve` keeps.

    Attributes:
        asked: the arguments for which the searcher was made.
        loaded: the number of plugins that were loaded then; a new plugin may define a name that was looked up.
        functions: the functions of the searcher that may change.
        digest: the digest of these functions when the searcher was made.
        searcher: the searcher.
    """

    asked: _SolveArguments
    loaded: int
    functions: tuple[FunctionType, ...]
    digest: str
    searcher: Searcher


_kept: list[_KeptSearcher] = []
"""The last searcher of `solve`, if it can be used again."""


def _searcher_for(asked: _SolveArguments) -> Searcher:
    """Return the last searcher if a new one would be the same, else a new searcher."""
    for kept in _kept[:]:
        same = all(map(_is_same, kept.asked, asked)) and kept.loaded == asked.plugins.loaded_so_far
        if same and asked.plugins.files_are_current(asked.names) and _digest(kept.functions) == kept.digest:
            return kept.searcher
    _kept.clear()  # release memory before more is taken
    domain, heuristic, frontier, engine, batch, seed, plugins = asked
    parts = {"domain": domain, "heuristic": heuristic, "frontier": frontier}
    searcher = Searcher(**parts, engine=engine, batch=batch, seed=seed, plugins=plugins)
    functions = _changing_functions(searcher, asked)
    digest = _digest(functions) if functions is not None else None
    if functions is not None and digest is not None:
        _kept[:] = [_KeptSearcher(asked, plugins.loaded_so_far, functions, digest, searcher)]
    return searcher


def _is_same(kept: Any, asked: Any) -> bool:
    if kept is asked:
        return True
    if isinstance(kept, BoundDomain) and isinstance(asked, BoundDomain):  # a named board binds its domain anew
        same = kept.component is asked.component and kept.instance is asked.instance
        return same and kept.values == asked.values
    return type(kept) is type(asked) and isinstance(kept, str | int) and kept == asked


def _changing_functions(searcher: Searcher, asked: _SolveArguments) -> tuple[FunctionType, ...] | None:
    """Return the functions of a searcher that may change, or None if other things may change, too.

    Functions of components given by name are not among them: files are checked separately, and installed plugins do not
    change.
    """
    parts: list[Bound] = [searcher.domain, *searcher.heuristic.members, searcher.frontier]
    for part in parts:
        of_files = {parameter.name for parameter in part.component.own_parameters() if parameter.kind == "file"}
        for name, value in part.values.items():
            is_plain = isinstance(value, bool | int | float | str)
            if not is_plain or (value and name in of_files):
                return None
    bound = (searcher.domain,), searcher.heuristic.members, (searcher.frontier,)
    objects = [part for part, given in zip(bound, asked[:3], strict=True) if not isinstance(given, str | None)]
    changing = [part for part in chain.from_iterable(objects) if not are_installed((part,), searcher.plugins)]
    functions = [function for part in changing for _, function in all_functions(part.component)]
    # Methods, and functions with defaults of other types, may change in ways that a digest does not show.
    plain = tuple(function for function in functions if _is_plain_function(function))
    return plain if len(plain) == len(functions) else None


def _is_plain_function(function: Any) -> TypeGuard[FunctionType]:
    if type(function) is not FunctionType or function.__kwdefaults__ or vars(function):
        return False
    return all(isinstance(value, bool | int | float | str | np.ndarray | None) for value in function.__defaults__ or ())


def _digest(functions: tuple[FunctionType, ...]) -> str | None:
    """Return a digest of functions and of everything that they use, None if something cannot be hashed.

    A digest takes some 20 µs per function; a new searcher takes a few milliseconds.
    """
    if not functions:
        return ""
    from searchlab.compiler.compile_errors import CannotCompile  # late: components given by name do not need it
    from searchlab.compiler.dependencies import Dependencies

    dependencies = Dependencies()
    try:
        for function in functions:
            dependencies.capture(function)
    except (CannotCompile, ValueError):  # a variable of a closure may have no value
        return None
    return None if dependencies.arrays else dependencies.digest_with()  # the digest leaves out large arrays
