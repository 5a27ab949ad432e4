"""Expectimax: compute the values of moves by looking ahead, to a depth or for a time, in one or more threads."""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from math import inf
from queue import SimpleQueue
from threading import RLock
from typing import TYPE_CHECKING, Protocol

from searchlab.errors import UsageError, shown
from searchlab.errors.caller import warn_caller
from searchlab.games.look_ahead import Interrupted, LookAhead, ReadableExplorer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from searchlab.binding.edges import Successor
    from searchlab.board.board import Board
    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm

    Rules = tuple[tuple[str, object], ...]

LEAST_DEPTH, TILES_LEFT_OUT = 2, 4
"""The default depth is the number of different tiles less `TILES_LEFT_OUT`, and at least `LEAST_DEPTH`."""
DEPTH_WITHOUT_CHANCE = 4
"""The default depth without chance: no outcome is unlikely, so no `cutoff` would make a larger depth affordable."""
MOST_DEPTH = 60
MOST_THREADS = 256
MOST_EXPLORERS = 16
"""The most compiled explorers to keep, one for each packing of boards and their rules."""
BOARDS_A_THREAD = 4
"""The number of boards that wait for each thread."""
ENGINES = ("auto", "readable")


class Explorer(Protocol):
    """Look ahead from boards."""

    @property
    def tries(self) -> int:
        """The number of moves tried so far."""

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves; see `ReadableExplorer.values`."""

    def values_from(self, board: Board, depth: int, goes_on: Callable[[], bool]) -> dict[str, float] | None:
        """Return the values of the moves from a board; see `ReadableExplorer.values_from`."""

    def forget(self) -> None:
        """Forget the values of boards."""


class Expectimax:
    """Compute the expected value of each move of a game, assuming that the best moves follow.

    In a game without chance, this is the best value that can be reached within the depth.

    >>> import searchlab as sl
    >>> game = sl.domain("2048-random")
    >>> ahead = sl.Expectimax(sl.LookAhead(game, sl.heuristic("smooth", domain=game)), depth=1)
    >>> values = ahead.values(sl.Board([[2, 2, 0, 0], [8, 4, 0, 0], [16, 32, 2, 0], [128, 64, 4, 2]]))
    >>> sorted(values, key=values.get)
    ['right', 'left', 'up']

    Args:
        look_ahead: the definition of the value of a move.
        depth: the largest number of chance moves after which boards are judged. By default it depends on the board: the
            number of different tiles minus 4, but at least 2; in a game without chance 4.
        seconds: the time per move, instead of a depth. The search goes deeper and deeper until the time is over.
        threads: the number of threads that share the moves from a board. The values do not depend on it.
        engine: "auto" (compiled if everything can be compiled, else readable with a SearchlabWarning) or "readable".

    Raises:
        UsageError: a number is invalid.
    """

    def __init__(
        self,
        look_ahead: LookAhead,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        engine: str = "auto",
    ) -> None:
        if depth is not None and (wrong := self.check_depth(depth)):
            raise UsageError(f"{wrong}, not {shown(depth, 40)}")
        if seconds is not None and not 0 < seconds < inf:
            raise UsageError(f"the seconds of a move are more than 0, not {shown(seconds, 40)}")
        if wrong := self.check_threads(threads):
            raise UsageError(f"{wrong}, not {shown(threads, 40)}")
        if engine not in ENGINES:
            raise UsageError(f"engine is one of {', '.join(ENGINES)}, not {shown(engine, 40)}")
        self._look_ahead, self._engine = look_ahead, engine
        self._depth, self._seconds, self._threads = depth, seconds, threads
        self._explorers: dict[tuple[Packing, Rules], Explorer] = {}
        self._tried_before = 0  # by explorers that are not kept any more
        self._latest: tuple[PackedForm, tuple[int, int], Explorer] | None = None
        self._readable = ReadableExplorer(look_ahead)
        self._interpreted: set[tuple[int, int]] = set()  # shapes of boards for which nothing can be compiled
        self._turn = RLock()  # an explorer looks ahead from one board at a time
        self._alone: list[Expectimax] = []  # each for one of the threads that share boards

    @staticmethod
    def check_depth(depth: int) -> str:
        """Return an error message for an invalid depth, or `""`; the `check` of a Parameter."""
        is_depth = type(depth) is int and 0 <= depth <= MOST_DEPTH
        return "" if is_depth else f"a depth is a whole number from 0 to {MOST_DEPTH}"

    @staticmethod
    def check_threads(threads: int) -> str:
        """Return an error message for an invalid number of threads, or `""`; the `check` of a Parameter."""
        is_number = type(threads) is int and 1 <= threads <= MOST_THREADS
        return "" if is_number else f"threads are from 1 to {MOST_THREADS}"

    @property
    def definition(self) -> LookAhead:
        """The definition of the value of a move."""
        return self._look_ahead

    @property
    def depth(self) -> int | None:
        """The largest number of chance moves after which boards are judged; None if it depends on the board."""
        return self._depth

    @property
    def seconds(self) -> float | None:
        """The time per move; None if a depth is the limit."""
        return self._seconds

    @property
    def is_plain(self) -> bool:
        """Whether the values are computed for one depth, in one thread, by the best available engine."""
        return self._seconds is None and self._threads == 1 and self._engine == "auto"

    @property
    def tries(self) -> int:
        """The number of moves tried so far."""
        in_turn = sum(explorer.tries for explorer in (self._readable, *self._explorers.values()))
        return self._tried_before + in_turn + sum(alone.tries for alone in self._alone)

    def forget(self) -> None:
        """Forget the values of boards, so that the next call takes as long as the first."""
        with self._turn:
            for explorer in self._explorers.values():
                explorer.forget()
        for alone in self._alone:
            alone.forget()

    def best(self, board: Board) -> str:
        """Return the action of the best move from a board, the first of equally good moves.

        Raises:
            UsageError: there is no move.
            PluginError: the domain or the heuristic failed.
        """
        values = self.values(board)
        if not values:
            raise UsageError("there is no move from this board")
        return max(values, key=values.__getitem__)

    def prepare(self, board: Board) -> None:
        """Compile everything that is needed to look ahead from boards of this shape."""
        with self._turn:
            self._explorer_for(board)

    def values(self, board: Board) -> dict[str, float]:
        """Return the value of each move from a board by action, in the domain's order.

        Several threads may call this method; the calls wait for each other.
        """
        with self._turn:
            return self._values(board)

    def _values(self, board: Board) -> dict[str, float]:
        explorer = self._explorer_for(board)
        if self._seconds is None:
            found = explorer.values_from(board, self._depth_for(board), lambda: True)
            if found is not None:
                return found
        edges = self._look_ahead.domain.all_edges(board)
        if self._seconds is None:
            values = explorer.values(edges, self._depth_for(board), lambda: True)
        else:
            values = self._in_time(explorer, edges, time.monotonic() + self._seconds)
        if self._look_ahead.earns:
            values = [value + self._look_ahead.earned(board, edge) for edge, value in zip(edges, values, strict=True)]
        return {edge.action: value for edge, value in zip(edges, values, strict=True)}

    def values_of(self, boards: Iterable[Board]) -> Iterator[dict[str, float]]:
        """Yield the values of the moves from each of many boards, in order; the threads share the boards."""
        if self._threads == 1:
            yield from map(self.values, boards)
            return
        with self._turn:
            while len(self._alone) < self._threads:
                alone = Expectimax(self._look_ahead, depth=self._depth, seconds=self._seconds, engine=self._engine)
                self._alone.append(alone)
        idle: SimpleQueue[Expectimax] = SimpleQueue()
        for alone in self._alone:
            idle.put(alone)

        def values(board: Board) -> dict[str, float]:
            free = idle.get()
            try:
                return free.values(board)
            finally:
                idle.put(free)

        with ThreadPoolExecutor(self._threads) as pool:
            waiting: deque[Future[dict[str, float]]] = deque()
            for board in boards:
                if len(waiting) == BOARDS_A_THREAD * self._threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(values, board))
            for future in waiting:
                yield future.result()

    def _depth_for(self, board: Board) -> int:
        if self._depth is not None:
            return self._depth
        if not self._look_ahead.domain.is_of_chance:
            return DEPTH_WITHOUT_CHANCE
        different = len(set(board.tiles.ravel().tolist()) - {0})
        return min(MOST_DEPTH, max(LEAST_DEPTH, different - TILES_LEFT_OUT))

    def _in_time(self, explorer: Explorer, edges: Sequence[Successor], deadline: float) -> list[float]:
        """Return the values of the greatest depth that the time allows, at least 1."""
        values = explorer.values(edges, 1, lambda: True)
        for depth in range(2, MOST_DEPTH + 1):
            if time.monotonic() >= deadline:  # a small depth is done before the clock is checked
                break
            try:
                values = explorer.values(edges, depth, lambda: time.monotonic() < deadline)
            except Interrupted:
                break
        return values

    def _explorer_for(self, board: Board) -> Explorer:
        """Return the explorer for boards like this one: compiled for their packing, else readable."""
        if self._engine == "readable" or board.shape in self._interpreted:
            return self._readable
        if self._latest:
            form, shape, explorer = self._latest
            if shape == board.shape and form is self._look_ahead.domain.packed(board):
                return explorer
        from searchlab.compiler.functions import CannotCompile
        from searchlab.games.expectimax_compiled import packing_and_form

        try:
            packing, form = packing_and_form(self._look_ahead, board)
            kind = packing, rules_of(form)
            if kind not in self._explorers:
                explorer = self._compiled(form, board)
                if len(self._explorers) == MOST_EXPLORERS:  # the domain makes new functions for each board
                    self._tried_before += self._explorers.pop(next(iter(self._explorers))).tries
                self._explorers[kind] = explorer
            self._latest = form, board.shape, self._explorers[kind]
            return self._explorers[kind]
        except CannotCompile as error:
            warn_caller(f"{error}; looking ahead runs interpreted, about 1000 times slower")
            self._interpreted.add(board.shape)
            return self._readable

    def _compiled(self, form: PackedForm, board: Board) -> Explorer:
        """Return a new explorer for boards with the packing and the rules of this one."""
        from searchlab.games.expectimax_compiled import CompiledExplorer, ExpectimaxKernel, SharedExplorer

        kernel = ExpectimaxKernel.of(self._look_ahead, form, board, in_threads=self._threads > 1)
        if self._threads == 1:
            return CompiledExplorer(kernel, self._look_ahead)
        return SharedExplorer(kernel, self._look_ahead, self._threads)


def rules_of(form: PackedForm) -> Rules:
    """Return a key that is equal for two forms of a domain only if their rules are the same.

    A domain may return different forms for boards of the same shape, or make an equal form anew for each board.
    """
    named = {**{each.name: getattr(form, each.name) for each in fields(form)}, **form.tables}
    return tuple(
        (name, value if is_hashable(value) else id(value)) for name, value in named.items() if name != "tables"
    )


def is_hashable(value: object) -> bool:
    """Return whether a value is hashable, so that it can be part of a key."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
