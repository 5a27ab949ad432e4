"""Compiled expectimax: the kernel with the rules of a domain and a heuristic inlined, and the threads that run it."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

import numpy as np

from searchlab.binding.bound import can_fill_arguments, fill_arguments
from searchlab.compiler.adapters import Adapter, has_unit_moves
from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.functions import CannotCompile, cached_kernel, compile_kernel, explaining
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, in_one_line
from searchlab.errors.cached import cached_property
from searchlab.games import lines
from searchlab.games.kernels import rules
from searchlab.games.kernels.expectimax import (
    AFTERS,
    GIVEN,
    LEVELS,
    MOVE_AT,
    MOVES,
    TOGETHER,
    VALUES,
    ExpectimaxArrays,
    ExpectimaxControl,
    look,
)
from searchlab.games.learning.lookups import fetch_source, places_source, sum_source
from searchlab.games.look_ahead import Interrupted
from searchlab.search.compiled.kernel_run import KernelRun, Slices
from searchlab.search.compiled.problem import form_arguments, heuristic_arguments
from searchlab.search.kernels.control import Status
from searchlab.search.problem import EvaluationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.edges import Successor
    from searchlab.board.board import Board
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.games.look_ahead import LookAhead
    from searchlab.model.packed import PackedForm

A = TypeVar("A", bound=ExpectimaxArrays)

TABLE_BITS = 14
"""The bits of the index of the table of boards. Entries of boards of one word have 24 bytes: 400 KB fit a core's cache.

Sixteen times as many entries would save less than 2 % of the moves tried and take longer.
"""
MEMORY_BITS = 13
"""The bits of the index of the table of judged boards: 128 KB for boards of one word."""
FEW_WEIGHTS = 1 << 25
"""The most bytes of weights that are not prefetched, because they stay in the processor's caches.

With 8 MB of weights prefetching took 5 % longer, with 268 MB it took 0.67 of the time.
"""
SLICE = 1 << 15
"""The moves tried between two looks at the clock."""
WHOLE_LOOK = 1 << 17
"""The moves tried in the first slice if there is no time limit: most looks of depth 3 finish within it."""
FIRST_SLICE = 1 << 14
"""The moves tried before sleeping threads are woken: shorter looks are over before they have begun."""
WORTH_SHARING = 1 << 12
"""The moves tried in a look from which the next look of the same depth is shared: sharing costs 4 µs."""
SHARED = ("claims", "bests", "likelihoods", "given", "gate", "table")
"""The arrays that threads share."""


class NotCached(Exception):
    """A kernel is not in the cache."""


@dataclass(frozen=True)
class ExpectimaxKernel:
    """A compiled kernel, and everything needed to call it.

    Attributes:
        call: the kernel.
        params, tables: the parameter values of its plugins.
        form, packing: the domain's rules, and the packing of its boards.
        most_moves, most_chances: the largest number of moves and of random outcomes of a board.
        described: the number of values that describe a move.
        network: the network that the heuristic reads, or None.
        remembers: whether the kernel keeps the values of boards.
    """

    call: Callable[..., Any]
    params: NDArray[np.float64]
    tables: NDArray[np.uint8]
    form: PackedForm
    packing: Packing
    most_moves: int
    most_chances: int
    described: int
    network: NTupleNetwork | None
    remembers: bool

    @cached_property
    def _named(self) -> dict[int, tuple[str, ...]]:
        """The actions of the sets of legal moves that have occurred."""
        return {}

    def actions_of(self, legal: int) -> tuple[str, ...]:
        """Return the actions of legal moves, given as a bit for each action."""
        found = self._named.get(legal)
        if found is None:
            found = tuple(action for place, action in enumerate(self.form.actions) if legal >> place & 1)
            self._named[legal] = found
        return found

    @classmethod
    def of(
        cls,
        look_ahead: LookAhead,
        form: PackedForm,
        board: Board,
        kernel: tuple[Callable[..., int], type[ExpectimaxArrays]] = (look, ExpectimaxArrays),
        further: Callable[[Adapter, Mapping[str, Any]], Mapping[str, Any]] = lambda adapter, values: {},
        *,
        in_threads: bool = False,
        prefetches: bool = False,
        if_cached: bool = False,
    ) -> ExpectimaxKernel:
        """Compile the kernel for boards packed like this one, with all functions inlined.

        Args:
            kernel: the function, and the declaration of its arrays.
            further: returns further constants of the kernel, given the arguments of the rules.
            in_threads: whether threads may share the outcomes.
            prefetches: whether to prefetch a network's weights even if they are few. This pays if every board is
                different; beyond the first move most of few weights were read a moment before.
            if_cached: whether to use the kernel only if it is in the cache.

        Raises:
            NotCached: the kernel would have to be compiled.
            CannotCompile: a function cannot be compiled.
        """
        packing = Packing.of(form, board)
        adapter = Adapter(packing)
        values = form_arguments(look_ahead.domain, form, board)
        most_chances = max(1, form.most_chances)
        rules_inlined = _rules(adapter, look_ahead, form, packing, values)
        judging = _judging(adapter, look_ahead, form, board, prefetches)
        constants: dict[str, Any] = {
            **{"WIDTH": packing.words, "MOST_MOVES": form.max_successors, "MOST_CHANCES": most_chances},
            **{"PLAIN_MOVES": has_unit_moves(form), "DEAD_IS_EVALUATED": look_ahead.dead_is_evaluated},
            **{"WHOLE": look_ahead.whole, "EARNS": look_ahead.earns, "IN_THREADS": in_threads},
            **{"IS_FINITE": judging.is_finite, "REMEMBERS": judging.remembers},
            **rules_inlined,
            **judging.functions,
            **further(adapter, values),
        }
        with explaining(look_ahead.heuristic.forms[0]):
            call = (cached_kernel if if_cached else compile_kernel)(*kernel, constants=constants)
        if call is None:
            raise NotCached(kernel[0].__name__)
        most = form.max_successors, most_chances
        judged_by = judging.network, judging.remembers
        return cls(call, adapter.params, adapter.tables, form, packing, *most, len(form.move), *judged_by)


def packing_and_form(look_ahead: LookAhead, board: Board) -> tuple[Packing, PackedForm]:
    """Return the packing of boards like this one, and their rules.

    Raises:
        CannotCompile: the domain has no compiled rules.
    """
    domain = look_ahead.domain
    form = domain.packed(board)
    if form is None:
        msg = f"domain {domain.name} has no packed form"
        raise CannotCompile(msg)
    if domain.is_of_chance and form.rule("chances") is None:
        msg = f"the packed form of domain {domain.name} says nothing of chance"
        raise CannotCompile(msg)
    return Packing.of(form, board), form


def _rules(
    adapter: Adapter, look_ahead: LookAhead, form: PackedForm, packing: Packing, values: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the functions of the domain's rules, by the names of their placeholders in the kernel.

    Args:
        values: the arguments of the rules.
    """
    moving = adapter.successors(form, values, earns=look_ahead.earns) + "    return count\n"
    # Functions on tiles are large: inlining them takes seconds, and calling them costs hardly any time.
    functions = (
        (rules.after_move, form.words.successors, moving),
        (rules.after_chance, form.words.chances, _chance(adapter, look_ahead, form, packing, values)),
        (rules.is_won, form.words.is_goal, adapter.is_goal(form, values)),
        (rules.is_outgrown, True, adapter.outgrown(form, values)),
        (rules.legal_moves, True, adapter.legal_moves(form, values)),
    )
    return rules.in_place_of(adapter, functions)


def _chance(
    adapter: Adapter, look_ahead: LookAhead, form: PackedForm, packing: Packing, values: Mapping[str, Any]
) -> str:
    """Return the body of a function that writes the random outcomes of a board; without chance it writes the board."""
    written = adapter.chances(form, values) if look_ahead.domain.is_of_chance else "\n    count = I(0)\n"
    stays = "".join(f"        out[{word}] = words[{word}]\n" for word in range(packing.words))
    return (
        f"{written}    if count == 0:\n{stays}        probabilities[0] = 1.0\n        count = I(1)\n    return count\n"
    )


class Judging(NamedTuple):
    """The way boards are judged at the end of looking ahead.

    Attributes:
        functions: the functions of the kernel that judge boards, and the constants that they need.
        is_finite: whether all values are finite and judging never fails.
        remembers: whether it pays to remember the values.
        network: the network of the weights, or None if a function judges.
    """

    functions: dict[str, Any]
    is_finite: bool
    remembers: bool
    network: NTupleNetwork | None = None


def _judging(adapter: Adapter, look_ahead: LookAhead, form: PackedForm, board: Board, prefetches: bool) -> Judging:
    """Return the way boards are judged: by a network's weights, by a table of lines, or by a function."""
    network = cast("NTupleNetwork | None", look_ahead.heuristic.network())
    if network is not None:
        sign = 1.0 if look_ahead.heuristic.prefer == "high" else -1.0
        looking_up = _looking_up(adapter, network, Packing.of(form, board), sign, prefetches)
        return Judging(looking_up, is_finite=False, remembers=True, network=network)
    body, is_finite, is_quick = _evaluation(adapter, look_ahead, form, board)
    judge = adapter.replacing(rules.judge, body, inlined="tiles" not in body)
    return Judging({"judge": judge}, is_finite, remembers=not is_quick)


def _evaluation(adapter: Adapter, look_ahead: LookAhead, form: PackedForm, board: Board) -> tuple[str, bool, bool]:
    """Return the body that judges a board, by a table of lines if there is one, else by a function.

    The other values are whether the body never fails and returns finite values, and whether it is fast.
    """
    heuristic, packing = look_ahead.heuristic, Packing.of(form, board)
    component = heuristic.component
    sign = 1.0 if heuristic.prefer == "high" else -1.0
    if component.function is None:
        msg = f"heuristic {heuristic.name} has a batch form only"
        raise CannotCompile(msg)
    values = heuristic_arguments(heuristic, look_ahead.domain, form, board)
    if component.line is not None and lines.has_line_table(packing) and can_fill_arguments(component.line, 1, values):
        line_values = lines.table(component.line, values, packing, sign)
        if line_values is not None:
            source = lines.sum_source(packing, adapter.value("line", "lines", line_values))
            is_finite = bool(np.isfinite(np.abs(line_values).max() * 2 * packing.rows))
            return f"{source}    return total\n", is_finite, True
    packed = component.packed if component.packed and can_fill_arguments(component.packed, 1, values) else None
    return adapter.estimate(component.function, values, packed, sign), False, False


def _looking_up(
    adapter: Adapter, network: NTupleNetwork, packing: Packing, sign: float, prefetches: bool
) -> dict[str, Any]:
    """Return the constants for finding the weights of all boards after moves in a network, and adding them up."""
    prefetches |= network.weights.nbytes > FEW_WEIGHTS
    weights = adapter.pointer(np.ascontiguousarray(network.weights))
    places, names = fetch_source(network, packing, weights) if prefetches else places_source(network, packing, 1)
    adapter.scope.update(names)
    summed = f"{sum_source(network, weights)}    return {sign} * total\n"
    return {
        "LOOKUPS": network.lookups,
        "find": adapter.replacing(rules.find, places, inlined=False),
        "sum_up": adapter.replacing(rules.sum_up, summed, inlined=False),
    }


def arrays_of(
    kind: type[A],
    kernel: ExpectimaxKernel,
    look_ahead: LookAhead,
    table_bits: int,
    memory_bits: int,
    sizes: Mapping[str, int] = MappingProxyType({}),
    **given: Any,
) -> A:
    """Return the arrays of a kernel that looks ahead; `sizes` and `given` extend the kernel of expectimax."""
    slots_of_memory = 1 << memory_bits if kernel.remembers else 1
    width, moves, chances = kernel.packing.words, kernel.most_moves, kernel.most_chances
    slots = 1 << table_bits if table_bits else 0
    given.setdefault("table", np.zeros(slots * (width + 2) + 1, np.uint64))
    values = np.ones((LEVELS, VALUES))
    memory = np.full(slots_of_memory * (width + 1), np.nan)
    control = ExpectimaxControl(
        slots=slots,
        last_place=slots_of_memory - 1,
        cutoff=look_ahead.cutoff,
        value_of_dead=look_ahead.worth_of_the_dead,
        value_of_goal=look_ahead.worth_of_a_goal,
    )
    return allocate(
        kind,
        {
            **{"levels": LEVELS, "width": width, "cells": kernel.packing.cells},
            **{"successors": moves, "chances": chances, "most written": max(moves, chances)},
            "described": max(1, kernel.described),
            **{"lookups": kernel.network.lookups if kernel.network else 1, "boards together": max(TOGETHER, moves)},
            "leaves": (chances + 1) * moves,
            "half of chances": (chances + 1) // 2,
            "given": GIVEN + moves * (width + 1),
            **sizes,
        },
        params=kernel.params,
        tables=kernel.tables,
        values=values,
        bits=values.view(np.uint64),
        memory=memory.view(np.uint64),
        memory_values=memory,
        control=control,
        **given,
    )


class CompiledExplorer(KernelRun):
    """Look ahead in one thread.

    Args:
        kernel: the kernel for the shape of the boards.
        look_ahead: the definition of the values.
        table_bits: the number of bits of the index of the table of known values; 0 for no table.
        sharing: the explorer of the main thread, if this explorer takes part in its looks.
        number: the number of this explorer among those that take part, from 1.
        memory_bits: the number of bits of the index of the table of judged boards.

    Attributes:
        tries: the number of moves tried so far, including moves that change nothing.
        failure: the exception in a thread that takes part in another explorer's look.
    """

    def __init__(
        self,
        kernel: ExpectimaxKernel,
        look_ahead: LookAhead,
        table_bits: int = TABLE_BITS,
        sharing: CompiledExplorer | None = None,
        number: int = 0,
        memory_bits: int = MEMORY_BITS,
    ) -> None:
        self.kernel, self._look_ahead = kernel, look_ahead
        self.slices = _EqualSlices()
        shared = {name: getattr(sharing.arrays, name) for name in SHARED} if sharing else {}
        self.arrays: ExpectimaxArrays = arrays_of(
            ExpectimaxArrays, kernel, look_ahead, table_bits, memory_bits, **shared
        )
        self.control = self.arrays.control
        self.control.serves = number
        self.failure: BaseException | None = None
        self._addresses = addresses(self.arrays)
        form, domain = kernel.form, look_ahead.domain
        self._legal: Callable[..., Any] | None = None
        if form.legal:
            self._legal = partial(form.legal, **fill_arguments(domain.name, form.legal, 1, domain.values))

    @property
    def tries(self) -> int:
        """The number of moves tried so far, including moves that change nothing."""
        return self.control.tries

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves; see `ReadableExplorer.values`."""
        self.begin(edges, depth, goes_on)
        self.finish(self.slice(self.tries + SLICE))
        values: list[float] = self.arrays.answers[0, : len(edges)].tolist()
        return values

    def values_from(self, board: Board, depth: int, goes_on: Callable[[], bool]) -> dict[str, float] | None:
        """Return the values of the moves from a board; see `ReadableExplorer.values_from`."""
        if not self.ask(board, depth, goes_on):
            return None
        status = self.first_slice(WHOLE_LOOK)
        actions = self.actions(board)
        if actions is None:
            return None
        self.finish(status)
        return self.named(actions, self.arrays.answers[0, : len(actions)])

    def ask(self, board: Board, depth: int, goes_on: Callable[[], bool], shares: bool = False) -> bool:
        """Prepare for the moves from a board, which the kernel finds; return False if it cannot."""
        words = self.kernel.packing.pack_exactly(board) if self._legal else None
        if words is None:
            return False
        self.arrays.boards[0] = words
        self.control.asked = True
        self._look(depth, goes_on, shares)
        return True

    def first_slice(self, tries: int) -> int:
        """Look ahead for a first slice; if the kernel cannot find the moves, `asked` stays set."""
        try:
            return self.slice(self.tries + tries)
        except PluginError:
            if not self.control.asked:
                raise
            return Status.GOAL

    def actions(self, board: Board) -> Sequence[str] | None:
        """Return the actions of the moves that the kernel found, or None if it found none or they have no names."""
        if self.control.asked or self._legal is None:
            return None
        count, actions = int(self.arrays.numbers[0, MOVES]), self.kernel.form.actions
        if self.control.legal >= 0:
            actions = self.kernel.actions_of(self.control.legal)
        elif count < len(actions):
            with PluginCode():
                legal = np.asarray(self._legal(board.tiles[None]), bool)[0].tolist()
            actions = tuple(compress(actions, legal))
        return actions if count == len(actions) else None

    def named(self, actions: Sequence[str], answers: NDArray[np.float64]) -> dict[str, float]:
        """Return the values by action, including the points of the moves."""
        values = answers + self.arrays.points[0, : len(actions)] if self._look_ahead.earns else answers
        return dict(zip(actions, values.tolist(), strict=True))

    def begin(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool], shares: bool = False) -> None:
        """Prepare to compute the values of moves; with `shares` other threads compute some of them."""
        s, count = self.arrays, len(edges)
        s.afters[0, :count] = self.kernel.packing.pack_all([edge.board for edge in edges])
        s.terminal[0, :count] = [edge.terminal for edge in edges]
        s.numbers[0, MOVES], s.numbers[0, MOVE_AT] = count, 0  # two assignments are faster than one of a list
        s.values[0] = 1.0
        self.control.level, self.control.base, self.control.asked = 0, 0, False
        self._look(depth, goes_on, shares)

    def serve(self, is_over: Callable[[], bool]) -> None:
        """Take part in the looks of another thread, until there has been none for a while."""
        while True:
            try:
                status = self.slice(0)
                if status == Status.EXHAUSTED:
                    return
                if status != Status.BUDGET:
                    self.finish(status)
            except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits for this one
                self.failure = error
            if self.failure or (self.control.inside and is_over()):
                self.control.leaves = True
                self.kernel.call(*self._addresses, 0)

    def close(self) -> None:
        """Wait until the other threads have left this look, and end it."""
        self.control.opens, self.control.closes = False, True
        while self.kernel.call(*self._addresses, 0) == Status.BUDGET:
            pass

    def _look(self, depth: int, goes_on: Callable[[], bool], shares: bool) -> None:
        self.control.depth, self.control.shares, self.control.opens = depth, shares, shares
        self._goes_on = goes_on

    def finish(self, status: int) -> None:
        """Continue from a status of the kernel until the values are known."""
        status, stopped = self.advance(status)
        if stopped:
            raise Interrupted
        if status == Status.NOT_A_NUMBER:
            msg = f"heuristic {self._look_ahead.heuristic.name} returned NaN, which is not an estimate"
            raise EvaluationError(msg, self._board())

    def forget(self) -> None:
        """Forget the values of boards."""
        self.arrays.table[:] = 0
        self.arrays.memory_values[:] = np.nan

    @property
    def done(self) -> int:
        """The number of moves tried so far."""
        return self.control.tries

    def slice(self, budget: int) -> int:
        """Continue to look ahead."""
        with PluginCode(lambda error: EvaluationError(in_one_line(error), self._board())):
            status: int = self.kernel.call(*self._addresses, budget)
            return status

    def stopped(self) -> str:
        """Return `""` as long as the caller wants the values."""
        return "" if self._goes_on() else "interrupted"

    def _board(self) -> Board:
        """Return the board for which a function of a plugin failed."""
        number, of = divmod(self.control.judged, 2)
        boards = self.arrays.afters if of == AFTERS else self.arrays.outcomes
        words = boards.reshape(-1, self.kernel.packing.words)[number]
        return self.kernel.packing.unpack(words[None])[0]


class SharedExplorer:
    """Look ahead in several threads, which share the random outcomes after the moves.

    Args:
        kernel, look_ahead: see `CompiledExplorer`.
        threads: the number of threads.

    Attributes:
        explorers: the explorer of each thread.
    """

    def __init__(self, kernel: ExpectimaxKernel, look_ahead: LookAhead, threads: int) -> None:
        first = CompiledExplorer(kernel, look_ahead)
        others = (CompiledExplorer(kernel, look_ahead, sharing=first, number=number) for number in range(1, threads))
        self.explorers = [first, *others]
        self._pool = ThreadPoolExecutor(threads - 1, thread_name_prefix="expectimax")
        self._serving: list[Future[None]] = [Future() for _ in range(threads - 1)]
        for serving in self._serving:
            serving.cancel()
        self._tried: dict[int, int] = {}
        self._is_over = False

    @property
    def tries(self) -> int:
        """The number of moves tried so far, including moves that change nothing."""
        return sum(explorer.tries for explorer in self.explorers)

    def values(self, edges: Sequence[Successor], depth: int, goes_on: Callable[[], bool]) -> list[float]:
        """Return the values of moves; see `ReadableExplorer.values`."""
        first = self.explorers[0]

        def begin(shares: bool) -> bool:
            first.begin(edges, depth, goes_on, shares)
            return True

        self._look(begin, depth, SLICE)
        values: list[float] = first.arrays.answers[0, : len(edges)].tolist()
        return values

    def values_from(self, board: Board, depth: int, goes_on: Callable[[], bool]) -> dict[str, float] | None:
        """Return the values of the moves from a board; see `ReadableExplorer.values_from`."""
        first = self.explorers[0]
        if not self._look(partial(first.ask, board, depth, goes_on), depth, WHOLE_LOOK):
            return None
        actions = first.actions(board)
        return None if actions is None else first.named(actions, first.arrays.answers[0, : len(actions)])

    def _look(self, begin: Callable[[bool], bool], depth: int, tries: int) -> bool:
        """Look ahead, in one thread if that has been quick before.

        Args:
            begin: prepares the first thread, given whether to share; returns whether this is possible.
            depth: the depth of the look.
            tries: the number of moves that each thread may try between two looks at the clock.

        Returns:
            whether the look is complete.
        """
        first, last = self.explorers[0], self._tried.get(depth, FIRST_SLICE)
        if last < WORTH_SHARING:
            if not begin(False):
                return False
            status = first.first_slice(2 * WORTH_SHARING)
            if status != Status.BUDGET:
                first.finish(status)
                return not first.control.asked
        before, first.control.at_once = self.tries, tries
        if not begin(True):
            return False
        try:
            if last >= FIRST_SLICE:
                self._wake()
            status = first.first_slice(tries if self._all_wait() else FIRST_SLICE)
            if first.control.asked:
                return False
            self._together(status)
        except BaseException:
            self._leave()
            raise
        self._tried[depth] = self.tries - before
        return True

    def _all_wait(self) -> bool:
        return not any(serving.done() for serving in self._serving)

    def _wake(self) -> None:
        """Wake the sleeping threads to wait for a look."""
        for number, other in enumerate(self.explorers[1:]):
            if self._serving[number].done():
                self._serving[number] = self._pool.submit(other.serve, lambda: self._is_over)

    def _together(self, status: int) -> None:
        """Continue from a status of the first thread, together with the others."""
        first, *others = self.explorers
        if status == Status.BUDGET:
            self._wake()
        first.finish(status)
        for other in others:
            if other.failure:
                raise other.failure

    def _leave(self) -> None:
        """Make all threads leave a look that failed or was abandoned."""
        self._is_over = True
        self.explorers[0].close()
        self._is_over = False
        for explorer in self.explorers:
            explorer.failure = None

    def forget(self) -> None:
        """Forget the values of boards."""
        for explorer in self.explorers:
            explorer.forget()


class _EqualSlices(Slices):
    """Slices of equal length: a thread checks the clock every few milliseconds, however slow the heuristic is."""

    def budget(self, expanded: int, allowed: int) -> int:
        return expanded + SLICE

    def done(self, expanded: int) -> None:
        return
