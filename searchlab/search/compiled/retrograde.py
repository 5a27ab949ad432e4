"""Retrograde search: threads fill one table of distances, level by level."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import addresses, allocate, reserve
from searchlab.compiler.functions import compile_successors
from searchlab.errors import PluginCode, PluginError, UsageError
from searchlab.search.compiled.kernel_run import kernel
from searchlab.search.compiled.problem import expansion_sizes
from searchlab.search.kernels.retrograde import (
    DEAR,
    LANES,
    OTHER_TILES,
    UNKNOWN,
    RetrogradeArrays,
    RetrogradeControl,
    settle,
)
from searchlab.search.readable.enumeration import failure_of_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.compiler.machine_code import MachineCode
    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm
    from searchlab.search.compiled.threads import Threads
    from searchlab.search.ranking import Ranking
    from searchlab.search.watch import Watch

STACK = 1 << 14
"""The largest number of states per thread that were reached by free moves and wait."""
WORDS_A_PART = 1 << 15
"""The number of words of the table that a thread processes at a time: about 30 ms if all states are open."""
PARTS_A_THREAD = 8
LARGEST_COST = 100


@dataclass(frozen=True)
class Abstraction:
    """The abstraction for which a table holds distances.

    Attributes:
        domain: the domain, for errors.
        form: the packed form with the predecessors of a state as successors.
        values: the arguments by name for the functions of the form.
        packing: the packing of the states.
        ranking: the ranking of the states.
        other: the tile that represents all unranked tiles.
        charged: the tiles whose moves cost; None if all moves cost.
    """

    domain: BoundDomain
    form: PackedForm
    values: Mapping[str, Any]
    packing: Packing
    ranking: Ranking
    other: int
    charged: frozenset[int] | None


class TooDear(Exception):
    """A move costs more than the present codes of open states allow.

    Attributes:
        cost: the cost of the move.
    """

    def __init__(self, cost: float) -> None:
        super().__init__(cost)
        self.cost = cost


class RetrogradeSearch:
    """Computes the distance of all states of an abstraction to the goals, against the direction of the moves.

    Args:
        abstraction: the abstraction.
        watch: the limits, and the receiver of the progress.
        threads: the threads that share the table.

    Attributes:
        entries: the distance of each state by rank, `UNKNOWN` if unknown, shape (states,).
    """

    def __init__(self, abstraction: Abstraction, watch: Watch, threads: Threads) -> None:
        self.abstraction, self.watch = abstraction, watch
        callee = compile_successors(abstraction.form, abstraction.values, abstraction.packing)
        self._kernel = kernel(settle, RetrogradeArrays, abstraction.packing.words)
        states = len(abstraction.ranking)
        self._padded: NDArray[np.uint8] = reserve(-(-states // LANES) * LANES, np.uint8)
        self.entries = self._padded[:states]
        words = len(self._padded) // LANES
        part = max(1, min(WORDS_A_PART, words // (PARTS_A_THREAD * threads.count)))
        self._parts = [(first, min(words, first + part)) for first in range(0, words, part)]
        self._threads = threads
        count = min(threads.count, len(self._parts))
        self._arrays = [_thread_arrays(abstraction, self._padded, callee) for _ in range(count)]
        self._callee = callee  # kept alive, because a row in the arrays of the threads points to it

    def run(self, goals: Iterable[int]) -> str:
        """Fill the table with the distances to the goals, which are given by rank.

        Returns:
            `''`, or the limit that was reached.
        """
        starts = np.fromiter(goals, np.int64)
        ring = 2 if self.abstraction.domain.unit_cost else 3
        while True:
            try:
                return self._filled(starts, ring)
            except TooDear as error:
                dear = error.cost
            if not 0 <= dear <= LARGEST_COST or dear != int(dear):
                raise UsageError(
                    f"{self.abstraction.domain.name}: a move costs {dear:g}, "
                    f"and distances need whole costs up to {LARGEST_COST}"
                )
            ring = int(dear) + 1

    def _filled(self, starts: NDArray[np.int64], ring: int) -> str:
        """Fill the table, with codes for open states up to `ring` - 1 levels ahead; return a reached limit, or `""`."""
        self.entries[:] = UNKNOWN
        self._padded[len(self.entries) :] = 0
        first_open = UNKNOWN - ring
        self.entries[starts] = first_open
        for arrays in self._arrays:
            arrays.control.update(first_open=first_open, ring=ring, settled=0)
            arrays.control.races = self.abstraction.charged is not None or ring > 2
        level = settled = empty = 0
        with self._threads:
            while empty < ring - 1:
                if level == first_open:
                    if self._is_open(first_open):
                        raise UsageError(f"there are distances above {level - 1}, which a byte has no room for")
                    break
                for arrays in self._arrays:
                    arrays.control.update(level=level, phase=level % ring)
                stopped = self._settle_level()
                if stopped:
                    return stopped
                before, settled = settled, self._settled()
                empty = 0 if settled > before else empty + 1
                level += 1
        return ""

    def _is_open(self, first_open: int) -> bool:
        """Return whether there are open states, whose codes begin with `first_open`."""
        parts = (self._padded[LANES * first : LANES * last] for first, last in self._parts)
        return any(bool(((first_open <= part) & (part < UNKNOWN)).any()) for part in parts)

    def _settle_level(self) -> str:
        """Settle all states of the current distance; return the limit that was reached, or `""`."""
        overflowed = True
        while overflowed:
            for arrays in self._arrays:
                arrays.control.update(waiting=0, marked=0, placed=0, overflowed=0)
            stopped = self._threads.share(self._settle_part, self._parts, self._look)
            if stopped:
                return stopped
            overflowed = any(arrays.control.overflowed for arrays in self._arrays)
        return ""

    def _look(self) -> str:
        self.watch.statistics.expanded = self._settled()
        return self.watch.stop(self.watch.statistics)

    def _settle_part(self, thread: int, part: tuple[int, int], goes_on: Callable[[], bool]) -> None:
        """Settle states in one part of the table, in one of the threads."""
        if not goes_on():
            return
        arrays = self._arrays[thread]
        with PluginCode(partial(failure_of_rules, self.abstraction.domain)):
            status = self._kernel(*addresses(arrays), *part)
        if status == DEAR:
            raise TooDear(arrays.control.cost)
        if status == OTHER_TILES:
            raise PluginError(
                f"domain {self.abstraction.domain.name}: a move adds, removes or changes tiles, "
                f"and distances need moves that only change the places of tiles"
            )

    def _settled(self) -> int:
        return sum(int(arrays.control.settled) for arrays in self._arrays)


def bytes_needed(ranking: Ranking, threads: int) -> int:
    """Return the number of bytes that computing a table with this number of threads takes."""
    return ranking.states + threads * 8 * STACK


def _thread_arrays(abstraction: Abstraction, padded: NDArray[np.uint8], callee: MachineCode) -> RetrogradeArrays:
    packing, ranking, form = abstraction.packing, abstraction.ranking, abstraction.form
    values, most = len(ranking.tiles), max(ranking.counts)
    kind_of = np.full(1 << packing.bits, values + 1, np.int64)
    codes = packing.codes(np.array(ranking.tiles).reshape(-1, 1, 1).repeat(packing.cells, 2))[:, 0]
    other = int(packing.codes(np.full((1, 1, packing.cells), abstraction.other))[0, 0])
    kind_of[other] = values
    kind_of[codes] = np.arange(values)
    charged = np.ones(values + 2, np.uint8)
    if abstraction.charged is not None:
        charged[:values] = [tile in abstraction.charged for tile in ranking.tiles]
        charged[values:] = abstraction.other in abstraction.charged
    cell = np.arange(packing.cells)
    word_of, in_word = np.divmod(cell, packing.cells_per_word)
    cell_at = np.arange(packing.words)[:, None] * packing.cells_per_word + np.arange(64) // packing.bits
    padding = np.zeros(2, np.int64)
    combinations = [[comb(below, number + 1) for below in cell.tolist()] for number in range(most)]
    arrays = allocate(
        RetrogradeArrays,
        {
            **expansion_sizes(form, packing),
            **{"kinds": values + 2, "stack": STACK},
        },
        entries=padded,
        lanes=padded.view(np.uint64),
        callees=np.array([callee.row()], np.uint64),
        terms=ranking.terms,
        combinations=np.array(combinations, np.int64),
        counts=np.concatenate([np.array(ranking.counts), padding]),
        steps=np.concatenate([np.array(ranking.steps), padding]),
        changes=np.concatenate([codes ^ other, padding]).astype(np.uint64),
        kind_of=kind_of,
        charged=charged,
        cell_at=np.minimum(cell_at, packing.cells - 1).ravel(),
        word_of=word_of,
        shift_of=(in_word * packing.bits).astype(np.uint64),
        code_mask=np.full(packing.cells, (1 << packing.bits) - 1, np.uint64),
        control=RetrogradeControl(
            width=packing.words,
            values=values,
            cells=packing.cells,
            most=most,
            stack=STACK,
        ),
    )
    arrays.words[0] = packing.pack_tiles(np.full((1, *packing.shape), abstraction.other))[0]
    return arrays
