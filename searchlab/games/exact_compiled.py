"""The solver of small games of chance: forwards layer by layer to find the boards, and backwards to value them.

`games/kernels/exact.py` defines layers. Only boards after moves are kept; the states between them are found again on
the way back, when they are needed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.compiler.adapters import Adapter, has_unit_moves
from searchlab.compiler.arrays import addresses, allocate, replaced, reserve
from searchlab.compiler.functions import compile_kernel, explaining
from searchlab.errors import PluginCode, UsageError
from searchlab.games.kernels import exact as kernels
from searchlab.games.kernels import rules
from searchlab.games.kernels.exact import COUNT, NEW_LAYER, TARGET, WRONG_SUM, SolverArrays
from searchlab.games.kernels.playing import scored_moves
from searchlab.games.layered_boards import LayeredBoards, Symmetry
from searchlab.search.compiled.problem import form_arguments
from searchlab.search.kernels.control import Status
from searchlab.search.readable.enumeration import failure_of_rules
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.packed import PackedForm
    from searchlab.search.watch import Watch

SLICE = 1 << 15
"""The states between two looks at the clock."""
SMALLEST = 1 << 10
"""The slots of the smallest hash table."""
NO_LAYER = -1
"""The layer of an unused table."""
UNASKED = 2**62
"""The sum that kernels use for unused layers: no board has it."""


class OtherBoardsError(Exception):
    """The rules of a game lead to boards that are not among the boards to be valued."""


class BoardTable:
    """A hash table of boards, with a number for each, which kernels fill."""

    def __init__(self, boards: int = 0) -> None:
        self.slots = max(SMALLEST, 1 << (3 * boards // 2).bit_length())
        self.content: NDArray[np.uint64] = np.zeros(2 * self.slots, np.uint64)
        self.count = 0

    @property
    def row(self) -> tuple[int, int, int]:
        """The address, the mask and the number of boards."""
        return self.content.ctypes.data, self.slots - 1, self.count

    @property
    def boards(self) -> NDArray[np.uint64]:
        """The boards of the table, in no particular order."""
        taken = self.content[: self.slots]
        boards: NDArray[np.uint64] = taken[taken != 0] - np.uint64(1)
        return boards

    @property
    def weights(self) -> NDArray[np.float64]:
        """The probabilities of the boards, in the same order."""
        weights: NDArray[np.float64] = self.content[self.slots :].view(np.float64)[self.content[: self.slots] != 0]
        return weights


Tables = dict[int, BoardTable]
"""Tables of boards, by layer."""


class Choices(NamedTuple):
    """The moves of a player on some packed boards.

    Attributes:
        moves: whether the player makes a move on each board; otherwise the game is over.
        afters: the packed boards after the moves, or the boards themselves if there is no move.
        points: the points of the moves, or 0 if there is no move.
        ends: whether the game is over with the board in `afters`.
    """

    moves: NDArray[np.bool_]
    afters: NDArray[np.uint64]
    points: NDArray[np.float64]
    ends: NDArray[np.bool_]


class LayerSolver:
    """Find the boards of a game of chance, and their exact values or, with `weighs`, their probabilities.

    Args:
        domain: the game.
        form, board: the rules, and a board to which they apply.
        symmetry: the symmetry that makes boards equivalent.
        watch: the limits, and the receiver of the progress.
        weighs: whether boards have probabilities, for `follow`.
    """

    def __init__(
        self,
        domain: BoundDomain,
        form: PackedForm,
        board: Board,
        symmetry: Symmetry,
        watch: Watch,
        *,
        weighs: bool = False,
    ) -> None:
        self._domain, self._form, self._symmetry, self._watch = domain, form, symmetry, watch
        packing = symmetry.packing
        adapter = Adapter(packing)
        self._constants = _constants(adapter, form, symmetry, form_arguments(domain, form, board), weighs=weighs)
        self._compiled: dict[str, Callable[..., int]] = {}
        self._arrays = allocate(
            SolverArrays,
            {
                **{"source": 1, "targets": 1, "values": 1, "weights": 1, "cells": packing.cells},
                **{"successors": form.max_successors, "chances": form.most_chances},
                **{"most written": max(form.max_successors, form.most_chances), "described": max(1, len(form.move))},
            },
            params=adapter.params,
            tables=adapter.tables,
        )
        self._control = self._arrays.layer
        self._held = 0
        self.form, self.packing = form, packing

    def pack(self, boards: Iterable[Board]) -> NDArray[np.uint64]:
        """Return packed boards, a word each."""
        packed: NDArray[np.uint64] = self._symmetry.packing.pack_all(list(boards))[:, 0]
        return packed

    def find(self, states: NDArray[np.uint64]) -> LayeredBoards:
        """Return all boards after moves that these packed states lead to.

        Raises:
            Stopped: a limit was reached, or Ctrl-C was pressed.
        """
        boards = LayeredBoards.reserved(self._symmetry, self._watch.memory)
        waiting: Tables = {}
        self._begin(np.unique(self._symmetry.smallest(states)), -1)
        self._run("enter", waiting, lambda layer: {layer: BoardTable()})
        while waiting:
            layer = min(waiting)
            found = waiting.pop(layer).boards
            self._begin(found, layer)
            made: Tables = {NO_LAYER: BoardTable(len(found))}
            self._run("make_moves", made, _no_table)
            afters = np.sort(made[NO_LAYER].boards)
            boards.append(layer, afters, len(found))
            self._held = boards.bytes
            self._check_form(afters)
            self._begin(afters, layer)
            self._run("let_chance", waiting, lambda layer: {layer: BoardTable()})
        return boards

    def follow(
        self,
        states: NDArray[np.uint64],
        weights: NDArray[np.float64],
        choose: Callable[[NDArray[np.uint64], Callable[[int], None]], Choices],
    ) -> Iterator[tuple[NDArray[np.float64], Choices]]:
        """Follow a player from packed states, layer by layer; boards that the player never reaches are omitted.

        Args:
            states, weights: the first states, and their probabilities.
            choose: returns the choices on the states of a layer; now and then it calls its second argument with the
                number of states done.

        Yields:
            the probabilities of the states of a layer, and the choices on them.

        Raises:
            Stopped: as `find`.
        """
        waiting: Tables = {}
        self._begin(states, -1, weights=weights)
        self._run("enter", waiting, lambda layer: {layer: BoardTable()})
        while waiting:
            layer = min(waiting)
            table = waiting.pop(layer)
            order = np.argsort(table.boards)  # looking ahead is faster from similar boards in a row
            states, weights = table.boards[order], table.weights[order]
            del table
            self._check_form(states)
            before = self._control.work

            def check(done: int, before: int = before, states: NDArray[np.uint64] = states) -> None:
                self._control.work = before + done
                self._held = 6 * states.nbytes
                self._check_limits(waiting)

            choices = choose(states, check)
            self._control.work = before + len(states)
            yield weights, choices
            goes_on = choices.moves & ~choices.ends
            made: Tables = {layer: BoardTable()}
            self._begin(choices.afters[goes_on], layer, weights=weights[goes_on])
            self._run("enter", made, self._wrong_sum)
            self._begin(made[layer].boards, layer, weights=made[layer].weights)
            self._run("let_chance", waiting, lambda layer: {layer: BoardTable()})
            self._control.work = before + len(states)  # boards after moves do not count

    def _wrong_sum(self, found: int) -> Tables:
        """Raise the error for a move that leads to a board with this sum."""
        self._refuse(WRONG_SUM)
        raise AssertionError

    def evaluate(self, boards: LayeredBoards) -> NDArray[np.float64]:
        """Return the values of all boards by number, computed from the last layer back.

        Raises:
            OtherBoardsError: the boards belong to another game.
            Stopped: as `find`.
        """
        if not boards.is_of(self._symmetry):
            raise OtherBoardsError
        values: NDArray[np.float64] = reserve(len(boards), np.float64)
        self._arrays = replaced(self._arrays, values=values)
        number_of = {total: layer for layer, total in enumerate(boards.sums.tolist())}

        def tables_of(layer: int) -> Tables:
            """Return a table of the states of a layer, and a table of the places of its boards' values."""
            if layer not in number_of:
                raise OtherBoardsError
            return {layer: BoardTable(), -2 - layer: self._index(boards, number_of[layer])}

        known: Tables = {}
        for number in reversed(range(boards.layers)):
            first, _ = boards.range(number)
            self._held = boards.bytes + 8 * (len(boards) - first)
            self._begin(boards.words(number), int(boards.sums[number]), first)
            self._control.furthest = 0
            self._run("evaluate", known, tables_of)
            # No earlier layer leads to later layers than this one does.
            known = {layer: table for layer, table in known.items() if max(layer, -2 - layer) <= self._control.furthest}
        return values[: len(boards)]

    def _index(self, boards: LayeredBoards, number: int) -> BoardTable:
        """Return a table of the boards of a layer, with their numbers."""
        words, (first, last) = boards.words(number), boards.range(number)
        index = BoardTable(last - first)
        arrays = replaced(self._arrays, source=words)
        self._kernel("index")(*addresses(arrays), *index.row[:2], last - first, first)
        return index

    def _begin(
        self, source: NDArray[np.uint64], layer: int, first: int = 0, weights: NDArray[np.float64] | None = None
    ) -> None:
        """Prepare the kernels for a layer."""
        self._arrays = replaced(self._arrays, source=source)
        if weights is not None:
            self._arrays = replaced(self._arrays, weights=weights)
        self._control.update(at=0, last=len(source), layer=layer, first=first)

    def _run(self, name: str, tables: Tables, more: Callable[[int], Tables]) -> None:
        """Let a kernel work through a layer; enlarge tables, and add tables, when the kernel asks for them."""
        kernel, control = self._kernel(name), self._control
        while True:
            rows = [(*table.row, layer if layer >= 0 else UNASKED) for layer, table in tables.items()]
            self._arrays = replaced(self._arrays, targets=np.array(rows, np.uint64).reshape(-1, TARGET))
            control.targets = len(tables)
            with PluginCode(partial(failure_of_rules, self._domain)):
                status = kernel(*addresses(self._arrays), control.work + SLICE)
            for table, count in zip(tables.values(), self._arrays.targets[:, COUNT].tolist(), strict=True):
                table.count = count
            if status == Status.EXHAUSTED:
                return
            self._check_limits(tables)
            if status == Status.TABLE_FULL:
                layer = list(tables)[control.full]
                tables[layer] = self._grown(tables[layer])
            elif status == NEW_LAYER:
                tables.update(more(control.sum))
            elif status != Status.BUDGET:
                self._refuse(status)

    def _check_limits(self, tables: Tables) -> None:
        watch = self._watch
        held = self._held + sum(table.content.nbytes for table in tables.values())
        watch.statistics.peak_bytes = max(watch.statistics.peak_bytes, held)
        watch.statistics.expanded = self._control.work
        stopped = watch.stop(watch.statistics)
        if stopped:
            raise Stopped(stopped)

    def _refuse(self, status: int) -> None:
        name, layer, found = self._domain.name, self._control.layer, self._control.sum
        if status == WRONG_SUM:
            why = f"after a board whose tiles add up to {layer:,} comes one of {found:,}"
            raise UsageError(
                f"{name} cannot be solved exactly: that takes moves that keep the sum of the tiles, "
                f"and chance that adds to it, and {why}"
            )
        raise OtherBoardsError

    def _grown(self, table: BoardTable) -> BoardTable:
        """Return a table of twice the size with the same boards."""
        larger = BoardTable(table.slots)
        self._kernel("rehash")(*addresses(self._arrays), *table.row[:2], *larger.row[:2])
        larger.count = table.count
        return larger

    def _check_form(self, words: NDArray[np.uint64]) -> None:
        """Raise a UsageError if the domain packs some of these boards in another form."""
        boards = self._symmetry.packing.unpack(words[:1, None])
        if boards and self._domain.packed(boards[0]) is not self._form:
            raise UsageError(f"{self._domain.name} cannot be solved exactly: its boards are packed in several forms")

    def _kernel(self, name: str) -> Callable[..., int]:
        """Return a compiled kernel by its name."""
        if name not in self._compiled:
            function = getattr(kernels, name)
            with explaining(self._form.rule("successors")):
                self._compiled[name] = compile_kernel(function, SolverArrays, constants=self._constants)
        return self._compiled[name]


def _no_table(layer: int) -> Tables:
    raise AssertionError


def _constants(
    adapter: Adapter, form: PackedForm, symmetry: Symmetry, values: Mapping[str, Any], weighs: bool
) -> dict[str, Any]:
    """Return the constants of the kernels: the rules, and the symmetry of boards."""
    packing = symmetry.packing
    functions = (
        (scored_moves, form.words.successors, adapter.successors(form, values, earns=True) + "    return count\n"),
        (rules.after_chance, form.words.chances, adapter.chances(form, values) + "    return count\n"),
        (rules.is_won, form.words.is_goal, adapter.is_goal(form, values)),
    )
    return {
        **rules.in_place_of(adapter, functions),
        "canonical": adapter.replacing(kernels.canonical, f"\n{symmetry.source()}    return word\n"),
        **{"CELLS": packing.cells, "BITS": packing.bits, "POWERS_OF_TWO": packing.powers_of_two},
        **({"WEIGHS": True} if weighs else {}),
        **{"MOST_MOVES": form.max_successors, "MOST_CHANCES": form.most_chances, "PLAIN_MOVES": has_unit_moves(form)},
    }
