"""State spaces as arrays: all states that a search can meet from a board, their moves, and their solution costs."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial
from math import inf
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import addresses, allocate
from searchlab.compiler.functions import compile_estimate
from searchlab.compiler.packing import Packing, RangedPacking
from searchlab.errors import PluginCode
from searchlab.errors.cached import cached_property
from searchlab.model.packed import LARGEST_VALUE
from searchlab.search.compiled.enumeration import Enumeration
from searchlab.search.compiled.kernel_run import KernelRun, Slices, kernel
from searchlab.search.compiled.problem import expansion_sizes
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.graph import (
    ENDS_IN_GOAL,
    LIVE,
    NO_MOVE,
    ListControl,
    MoveArrays,
    MoveControl,
    ValueArrays,
    evaluate_states,
    expand_states,
)
from searchlab.search.readable.enumeration import failure_of_rules
from searchlab.search.watch import Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.model.limits import Limits

SLICE = 1 << 16
"""The largest number of states between two checks of the clock."""
FIRST_SLICE = 16
WIDE_BITS = 63
MOST_KEPT = 64 * 2**20
"""The largest size, in bytes, of the state spaces that are kept."""


@dataclass(frozen=True, eq=False)
class StateSpace:
    """States, numbered from 0, with their moves and costs.

    Attributes:
        packing: the packing of the states.
        states: the packed states, shape (states, words).
        goals: whether each state is a goal, shape (states,).
        successors: the numbers of the states that the moves lead to, shape (states, most moves), -1 for no move. Goals
            have no moves; moves that end the game are included only if they reach a goal.
        edge_costs: the costs of the moves, shape (states, most moves).
        costs: the optimal solution cost, shape (states,); infinite without a solution, NaN if unknown.
        depths: the number of moves from the first state, shape (states,); -1 if unknown.
        ends: whether each move ends the game, shape (states, most moves).
        complete: whether no state that a search can meet is missing.
    """

    packing: Packing
    states: NDArray[np.uint64]
    goals: NDArray[np.bool_]
    successors: NDArray[np.int64]
    edge_costs: NDArray[np.float64]
    costs: NDArray[np.float64]
    depths: NDArray[np.int64]
    ends: NDArray[np.bool_]
    complete: bool = True

    def __len__(self) -> int:
        return len(self.states)

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """All arrays."""
        found = (getattr(self, field.name) for field in fields(self))
        return tuple(each for each in found if isinstance(each, np.ndarray))

    @property
    def nbytes(self) -> int:
        """The size of the arrays in bytes."""
        return sum(each.nbytes for each in self.arrays)

    def boards(self, numbers: Any) -> list[Board]:
        """Return the boards of these states."""
        return self.packing.unpack(self.states[np.asarray(numbers, np.int64)])

    def board(self, number: int) -> Board:
        """Return the board of one state."""
        return self.boards([number])[0]

    @cached_property
    def by_cost(self) -> NDArray[np.int64]:
        """The numbers of the states by cost, the cheapest first, and unknown costs last."""
        return np.argsort(self.costs, kind="stable")


def wide_packing(board: Board, *, signed: bool = False) -> Packing:
    """Return a packing with one word per cell, which fits any board of this shape; `signed` allows negative tiles."""
    if signed:
        ranges = ((-LARGEST_VALUE, LARGEST_VALUE),) * board.tiles.size
        return RangedPacking.of_ranges(*board.shape, ranges)
    return Packing(*board.shape, values=2**WIDE_BITS, bits=WIDE_BITS, powers_of_two=False)


def enumerated_space(board: Board, domain: BoundDomain, limits: Limits) -> StateSpace | None:
    """Return the whole state space from a board, or None if it exceeds the limits.

    The latest state spaces are kept, because checks of several heuristics use the same boards. Their arrays are
    read-only.

    Raises:
        CannotCompile: the domain has no packed form, or it cannot be compiled.
        PluginError: the domain failed.
    """
    enumeration = Enumeration(board, domain, Watch(limits), revisited_layers="any")
    key = _key(enumeration)
    with _lock:
        known = _latest.pop(key, None)
    if known is None:
        space = _enumerated(enumeration)
        if space is None:
            return None
        known = space, enumeration.watch.statistics.expanded
    space, expanded = known
    with _lock:
        if key is not None:
            _latest[key] = known
        while sum(each.nbytes for each, _ in _latest.values()) > MOST_KEPT:
            del _latest[next(iter(_latest))]
    return space if limits.expansions is None or expanded <= limits.expansions else None


_latest: dict[Hashable, tuple[StateSpace, int]] = {}
"""The kept state spaces, the most recently used last, each with the number of expanded states."""
_lock = Lock()


def _key(enumeration: Enumeration) -> Hashable:
    """Return a key of everything that a state space depends on: the start and the rules; None if this is unknown."""
    if any(getattr(function.tables, "kept", ()) or function.arrays for function in enumeration.functions):
        return None  # the content of large arrays may change
    rules = tuple(function.key() for function in enumeration.functions)
    ends_at_goal = enumeration.domain.component.ends_at_goal
    return rules, enumeration.packing, ends_at_goal, enumeration.layer.tobytes()


def _enumerated(enumeration: Enumeration) -> StateSpace | None:
    """Return the whole state space, or None if it exceeds the limits."""
    layers: list[NDArray[np.uint64]] = []
    running = enumeration.layers()
    while True:
        try:
            if next(running).states:
                layers.append(enumeration.layer)
        except StopIteration as end:
            if end.value != "complete":
                return None
            break
    states = np.concatenate(layers)
    moves = Moves(enumeration, states)
    states, successors = _numbered(states, moves)
    goals = np.ones(len(states), bool)
    goals[: len(moves.goals)] = moves.goals
    edge_costs = np.ones(successors.shape)
    expanded = moves.kinds != NO_MOVE
    edge_costs[: len(expanded)][expanded] = moves.costs[expanded]
    costs = costs_to_go(goals, successors, edge_costs)
    depths = depths_of(len(states), [len(layer) for layer in layers], successors)
    ends = np.zeros(successors.shape, bool)
    ends[: len(moves.kinds)] = moves.kinds == ENDS_IN_GOAL
    space = StateSpace(enumeration.packing, states, goals, successors, edge_costs, costs, depths, ends)
    for each in space.arrays:
        each.setflags(write=False)
    return space


class Moves(KernelRun):
    """The moves from each state by the compiled rules of a domain.

    Attributes:
        words: the successors, shape (states, most, words).
        costs: the costs of the moves, shape (states, most).
        kinds: the kinds of the moves, see `kernels.graph`, shape (states, most).
        goals: whether each state is a goal; goals have no known moves.
    """

    def __init__(self, enumeration: Enumeration, states: NDArray[np.uint64]) -> None:
        packing, form = enumeration.packing, enumeration.form
        self.domain, self.slices = enumeration.domain, Slices()
        self.kernel = kernel(expand_states, MoveArrays, packing.words)
        self.control = MoveControl(width=packing.words, states=len(states), most_successors=form.max_successors)
        self.arrays = allocate(
            MoveArrays,
            {**expansion_sizes(form, packing), "states": len(states)},
            states=np.ascontiguousarray(states),
            callees=enumeration.callees,
            control=self.control,
        )
        self.words, self.costs, self.kinds = self.arrays.out, self.arrays.edge_costs, self.arrays.kinds
        self.goals: NDArray[np.bool_] = self.arrays.goals.view(bool)
        self.advance(Status.BUDGET)

    @property
    def done(self) -> int:
        """The number of states with known moves."""
        return self.control.done

    def slice(self, budget: int) -> int:
        """Find the moves of further states."""
        with PluginCode(partial(failure_of_rules, self.domain)):
            return self.kernel(*addresses(self.arrays), budget)

    def stopped(self) -> str:
        """Never stop; Ctrl-C raises an exception between slices."""
        return ""


def _numbered(states: NDArray[np.uint64], moves: Moves) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return all states, including those reached only by moves that end the game, and the numbers of successors."""
    words = states.shape[1]
    is_move = (moves.kinds == LIVE) | (moves.kinds == ENDS_IN_GOAL)
    reached = moves.words[is_move]
    known, place = _distinct(np.concatenate([states, reached]))
    number_of = np.full(known, -1, np.int64)
    number_of[place[: len(states)]] = np.arange(len(states))
    beyond = np.flatnonzero(number_of[place[len(states) :]] < 0)
    _, first = np.unique(place[len(states) :][beyond], return_index=True)
    ends = reached[beyond[first]].reshape(-1, words)
    number_of[place[len(states) :][beyond[first]]] = len(states) + np.arange(len(ends))
    successors = np.full((len(states) + len(ends), is_move.shape[1]), -1, np.int64)
    successors[: len(states)][is_move] = number_of[place[len(states) :]]
    return np.concatenate([states, ends]), successors


def _distinct(rows: NDArray[np.uint64]) -> tuple[int, NDArray[np.int64]]:
    """Return the number of distinct rows, and for each row the number of its content; equal rows share a number."""
    if rows.shape[1] == 1:
        different, place = np.unique(rows[:, 0], return_inverse=True)
    else:
        different, place = np.unique(rows, axis=0, return_inverse=True)
    return len(different), place.ravel()


def costs_to_go(
    goals: NDArray[np.bool_], successors: NDArray[np.int64], edge_costs: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the optimal solution cost of each state, infinite without a solution.

    The arguments are those of a `StateSpace`.
    """
    # Waves run from the goals against the direction of the moves. Each wave holds the states that the last wave made
    # cheaper.
    moves = np.flatnonzero(successors.ravel() >= 0)
    moves = moves[np.argsort(successors.ravel()[moves], kind="stable")]  # by the state they lead to
    origins, edges = moves // successors.shape[1], np.maximum(edge_costs.ravel()[moves], 0)  # or it might not end
    first = np.searchsorted(successors.ravel()[moves], np.arange(len(goals) + 1))
    costs = np.where(goals, 0.0, inf)
    wave = np.flatnonzero(goals)
    while len(wave):
        counts = first[wave + 1] - first[wave]
        into = np.repeat(first[wave] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        reached, found = origins[into], np.repeat(costs[wave], counts) + edges[into]
        lower = found < costs[reached]
        reached = reached[lower]
        np.minimum.at(costs, reached, found[lower])
        wave = np.unique(reached)
    return costs


def depths_of(count: int, layers: list[int], successors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the depths of `count` states: states of layers, then states reached only by moves that end the game."""
    depths = np.full(count, count)
    depths[: sum(layers)] = np.repeat(np.arange(len(layers)), layers)
    origins, k = np.nonzero(successors >= sum(layers))
    np.minimum.at(depths, successors[origins, k], depths[origins] + 1)
    return depths


class CompiledEstimate:
    """The function or the packed form of a heuristic, compiled for one packing.

    Raises:
        CannotCompile: the function cannot be compiled; the message gives the reason.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        arguments: Mapping[str, Any],
        packing: Packing,
        packed: Callable[..., Any] | None = None,
    ) -> None:
        self.packing = packing
        self._callee = compile_estimate(function, arguments, packing, packed)
        self._rows = np.array([self._callee.row()], np.uint64)
        self._kernel = kernel(evaluate_states, ValueArrays, packing.words)
        self.control = ListControl()

    def values(self, states: NDArray[np.uint64], goes_on: Callable[[], bool] = lambda: True) -> NDArray[np.float64]:
        """Return the values of packed states, shape (states, words); NaN for states after `goes_on` returned False.

        Exceptions of the function are passed on; then `current` is the number of the failing state.
        """
        self.control = ListControl(width=self.packing.words, states=len(states))
        arrays = allocate(
            ValueArrays,
            {"states": len(states), "cells": self.packing.cells},
            states=np.ascontiguousarray(states),
            callees=self._rows,
            control=self.control,
        )
        evaluation = _Evaluation(self._kernel, arrays, goes_on)
        evaluation.advance(evaluation.slice(FIRST_SLICE))
        values: NDArray[np.float64] = arrays.values
        return values

    @property
    def current(self) -> int:
        """The number of the state that is being evaluated, or that was evaluated last."""
        return self.control.current

    @property
    def done(self) -> int:
        """The number of evaluated states."""
        return self.control.done


class _Evaluation(KernelRun):
    """The evaluation of a list of states."""

    def __init__(self, kernel: Callable[..., int], arrays: ValueArrays, goes_on: Callable[[], bool]) -> None:
        self.kernel, self.arrays, self.goes_on = kernel, arrays, goes_on
        self.slices = Slices()

    @property
    def done(self) -> int:
        return self.arrays.control.done

    def slice(self, budget: int) -> int:
        return self.kernel(*addresses(self.arrays), budget)

    def stopped(self) -> str:
        return "" if self.goes_on() else "interrupted"

    def allowed(self) -> int:
        return SLICE
