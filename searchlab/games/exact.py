"""Solve small games of chance exactly: the expected points of optimal play from every board."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from math import log10
from typing import TYPE_CHECKING, TypeVar, overload

import numpy as np

from searchlab.errors import PluginError, UsageError
from searchlab.errors.cached import cached_property
from searchlab.errors.interrupts import HandlersPass
from searchlab.games.layered_boards import LayeredBoards, Symmetry
from searchlab.model.formatting import memory
from searchlab.model.limits import Limits
from searchlab.plugins import lookup
from searchlab.search.progress import shown_search
from searchlab.search.watch import Stopped, Watch, enumeration_watch

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.games.exact_compiled import LayerSolver
    from searchlab.games.exact_play import ExactPlay
    from searchlab.model.domain import Domain
    from searchlab.model.limits import Progress
    from searchlab.model.strategies import Player
    from searchlab.plugins.registry import Plugins

T = TypeVar("T")

MOST_FILLINGS = 12
"""The most ways to fill a board for which a game is tried, as a power of ten; about one in a thousand is reachable."""
WORD = 63
"""The most bits of a board."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactValues:
    """The exact solution of a small game: `values[board]` is the expected score of optimal play from a board.

    Attributes:
        domain: the game.
        begin: the board at the beginning.
        boards: all boards after moves, numbered, in the form of an array for `sl.exact_value`.
        array: the expected points after each of these boards, by number, float64.

    >>> import searchlab as sl
    >>> values = sl.exact_values("2048-random:n=2")
    >>> values.states, round(values.start, 4)
    (110, 66.9641)
    >>> {move: round(worth, 2) for move, worth in values.moves(sl.Board([[2, 4], [0, 2]])).items()}
    {'down': 63.83, 'left': 63.83}
    """

    domain: BoundDomain
    begin: Board
    boards: NDArray[np.unsignedinteger]
    array: NDArray[np.float64]

    @cached_property
    def _numbered(self) -> LayeredBoards:
        return LayeredBoards(self.boards)

    @property
    def states(self) -> int:
        """The number of boards on which the player moves or the game is over; symmetric boards count once."""
        return self._numbered.states

    @cached_property
    def start(self) -> float:
        """The expected number of points of a whole game, played optimally."""
        return sum(likely * self[board] for board, likely in first_boards(self.domain, self.begin).items())

    def __len__(self) -> int:
        """Return the number of boards after moves; symmetric boards count once."""
        return len(self.array)

    def __getitem__(self, board: Board) -> float:
        """Return the expected points from a board on which the player moves; 0 if the game is over.

        Raises:
            UsageError: the board is never reached.
        """
        return max(self.moves(board).values(), default=0.0)

    def moves(self, board: Board) -> Mapping[str, float]:
        """Return the value of each move: its points plus the expected points after it; empty if the game is over.

        Raises:
            UsageError: the board is never reached.
        """
        if self.domain.is_goal(board):
            return {}
        edges = list(self.domain.edges(board))
        if not edges:
            return {}
        numbers = self._numbered.numbers(np.array([edge.board.tiles for edge in edges]))
        found = {}
        for edge, number in zip(edges, numbers.tolist(), strict=True):
            if number < 0 and not edge.terminal:
                raise UsageError(f"{self.domain.name} never leads to this board: {board!r:.200}")
            to_come = 0.0 if edge.terminal else float(self.array[number])
            found[edge.action] = self.domain.points(board, edge.board) + to_come
        return found


def exact_boards(
    domain: str | Domain | BoundDomain,
    start: Board | None = None,
    *,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    plugins: Plugins | None = None,
) -> NDArray[np.unsignedinteger]:
    """Find all boards after moves of a small game of chance; see `exact_values`."""
    bound = lookup.domain(domain, plugins=plugins)
    with shown_search(progress, limits) as report:
        watch = enumeration_watch(limits, report, None)
        begin = bound.start() if start is None else start
        solver = _solver(bound, begin, watch)
        first = solver.pack(first_boards(bound, begin))
        return _within(watch, lambda: solver.find(first).finished())


@overload
def exact_values(
    domain: str | Domain | BoundDomain,
    start: Board | None = None,
    *,
    boards: NDArray[np.unsignedinteger] | None = None,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    plugins: Plugins | None = None,
) -> ExactValues: ...


@overload
def exact_values(
    domain: str | Domain | BoundDomain | None = None,
    start: Board | None = None,
    *,
    policy: str | Player | BoundPlayer | Callable[..., str],
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    plugins: Plugins | None = None,
) -> ExactPlay: ...


def exact_values(
    domain: str | Domain | BoundDomain | None = None,
    start: Board | None = None,
    *,
    policy: str | Player | BoundPlayer | Callable[..., str] | None = None,
    boards: NDArray[np.unsignedinteger] | None = None,
    limits: Limits | None = None,
    progress: bool | Callable[[Progress], None] | None = None,
    plugins: Plugins | None = None,
) -> ExactValues | ExactPlay:
    """Solve a small game of chance exactly: the expected points of optimal play from each board, or of a player.

    The algorithm needs moves that keep the sum of all tiles, and chance events that increase it. A layer is the set of
    boards with the same sum. Boards are found layer by layer, and then valued from the last layer back. Turned and
    mirrored boards count as one if the domain declares them equivalent (`Chance.symmetric`).

    With a `policy`, only the boards that the player can reach are found, layer by layer, each with its probability.
    This gives the expected points of whole games, but no values of single boards.

    Args:
        domain: the game, with parameters: `2048-random:n=3`. It must have points, and compiled rules with chance. By
            default the game to which `policy` is bound.
        start: the board on which games begin, before the random events of the opening; by default the domain's start
            board. In games of `2048-random:tiles=0` no tile appears before the first move.
        policy: a player whose move depends on the board alone: a name, a Player, a bound player, or a function of a
            board and its moves.
        boards: the return value of `exact_boards` for this game, if known.
        limits: the limits of time and memory.
        progress: whether to show the progress, as for `solve`. A function is called a few times a second: `expanded`
            boards are done, out of `states` if known.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        an ExactValues; with a `policy` an ExactPlay.

    Raises:
        UsageError: an argument is invalid; the game has too many boards; `boards` belong to another game; a limit was
            reached; a move changes the sum of the tiles, or an event does not increase it; or the player's move depends
            on more than the board: on random numbers, on time or on earlier moves.
        PluginError: the domain or the player failed.
        KeyboardInterrupt: Ctrl-C.
    """
    if policy is not None:
        if boards is not None:
            raise UsageError("boards and policy: a player is followed to the boards that it reaches; leave out boards")
        return _played(policy, domain, start, limits, progress, plugins)
    if domain is None:
        raise UsageError("exact_values needs a domain or a policy, such as the domain 2048-random:n=2")
    return _values(domain, start, boards, limits or Limits(), progress, plugins)


def _values(
    domain: str | Domain | BoundDomain,
    start: Board | None,
    boards: NDArray[np.unsignedinteger] | None,
    limits: Limits,
    progress: bool | Callable[[Progress], None] | None,
    plugins: Plugins | None,
) -> ExactValues:
    from searchlab.games.exact_compiled import OtherBoardsError

    bound, given = lookup.domain(domain, plugins=plugins), boards
    if boards is None:
        began = time.perf_counter()
        boards = exact_boards(bound, start, limits=limits, progress=progress)
        limits = replace(limits, seconds=max(0.0, limits.seconds - (time.perf_counter() - began)))
    known = LayeredBoards(boards)
    begin = bound.start() if start is None else start
    try:
        with shown_search(progress, limits) as report:
            watch = enumeration_watch(limits, report, len(known))
            needed = 8 * len(known)
            if needed > watch.memory:
                raise UsageError(f"the values take {memory(needed)}, and {memory(watch.memory)} may be used")
            solver = _solver(bound, begin, watch)
            values = _within(watch, lambda: solver.evaluate(known))
    except OtherBoardsError:
        if given is not None:
            raise UsageError(f"the boards belong to another game; sl.exact_boards finds those of {bound}") from None
        msg = f"domain {bound.name}: its rules return other boards at the second call"
        raise PluginError(msg) from None
    values.setflags(write=False)
    return ExactValues(bound, begin, boards, values)


def _played(
    policy: str | Player | BoundPlayer | Callable[..., str],
    domain: str | Domain | BoundDomain | None,
    start: Board | None,
    limits: Limits | None,
    progress: bool | Callable[[Progress], None] | None,
    plugins: Plugins | None,
) -> ExactPlay:
    from searchlab.games.exact_play import exact_play

    player = policy_on(domain, start, policy, plugins)
    begin = player.domain.start() if start is None else start
    with shown_search(progress, limits) as report:
        watch = enumeration_watch(limits, report, None)
        solver = _solver(player.domain, begin, watch, follows=True)
        player.prepare(begin)
        first = first_boards(player.domain, begin)
        return _within(watch, lambda: exact_play(player, first, solver))


def policy_on(
    domain: str | Domain | BoundDomain | None,
    start: Board | None,
    policy: str | Player | BoundPlayer | Callable[..., str],
    plugins: Plugins | None = None,
) -> BoundPlayer:
    """Return a player that can be judged exactly; the arguments are those of `exact_values`.

    Raises:
        UsageError: the player cannot be judged exactly; see `exact_values`.
    """
    from searchlab.games.exact_play import why_no_policy

    player = lookup.player(policy, domain=domain, plugins=plugins)
    begin = player.domain.start() if start is None else start
    _solver(player.domain, begin, Watch(Limits()), follows=True)
    player.check_arguments(begin)
    why = why_no_policy(player, begin)
    if why:
        refused = f"player {player.name} cannot be judged exactly: its move depends on more than the board"
        raise UsageError(f"{refused}: {why}")
    return player


def _within(watch: Watch, work: Callable[[], T]) -> T:
    """Call a function within the limits of a watch, and return its value."""
    try:
        with HandlersPass(), watch:
            return work()
    except MemoryError:
        stopped = "memory-limit"
    except Stopped as error:
        stopped = error.status
    if stopped == "interrupted":
        raise KeyboardInterrupt
    done = f"{watch.statistics.expanded:,} boards were looked at, which took {memory(watch.statistics.peak_bytes)}"
    raise UsageError(f"the exact values are not known yet: {stopped}; {done}")


def _solver(domain: BoundDomain, board: Board, watch: Watch, *, follows: bool = False) -> LayerSolver:
    """Return the solver of a game on boards like this one; with `follows`, the solver that follows a player.

    Raises:
        UsageError: the game cannot be solved.
    """
    from searchlab.compiler.functions import CannotCompile
    from searchlab.compiler.packing import Packing
    from searchlab.games.exact_compiled import LayerSolver

    if not domain.is_of_chance:
        raise UsageError(f"{domain.name} is not a game of chance: searchlab solve finds its solutions")
    domain.check(board)
    form = domain.packed(board)
    if not domain.component.has_points or form is None or form.rule("chances") is None:
        raise UsageError(f"{domain.name} cannot be solved exactly: it needs points, and compiled rules with chance")
    packing = Packing.of(form, board)
    rows, columns = packing.shape
    if not packing.is_uniform:
        raise UsageError(f"{domain.name} cannot be solved exactly: it declares a range of values for each cell")
    power = packing.cells * log10(packing.values)
    if packing.bits * packing.cells > WORD or power > MOST_FILLINGS:
        raise UsageError(
            f"{domain.name} has too many boards to be solved exactly: there are about 10^{power:.0f} ways to fill "
            f"{rows} × {columns} cells, and up to 10^{MOST_FILLINGS} are tried. "
            f"2048-random can be solved with n=2 and n=3"
        )
    is_symmetric = bool(domain.component.get("chance.symmetric")) and not follows
    try:
        return LayerSolver(domain, form, board, Symmetry(packing, is_symmetric), watch, weighs=follows)
    except CannotCompile as error:
        raise UsageError(f"{domain.name} cannot be solved exactly: {error}") from None


def first_boards(domain: BoundDomain, begin: Board) -> dict[Board, float]:
    """Return the boards on which the first move may be made, each with its probability."""
    boards = {begin: 1.0}
    begun: dict[Board, float] = {}
    for _ in range(domain.opening()):
        following: dict[Board, float] = {}
        for board, likely in boards.items():
            # As in a game, the opening is over when a goal is reached or nothing can appear.
            events = () if domain.is_goal(board) else domain.chance(board)
            if not events:
                begun[board] = begun.get(board, 0.0) + likely
            for event in events:
                following[event.board] = following.get(event.board, 0.0) + likely * event.probability
        boards = following
        if not boards:
            break
    for board, likely in boards.items():
        begun[board] = begun.get(board, 0.0) + likely
    return begun
