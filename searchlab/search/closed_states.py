"""The closed states that prove that no solution costs less than a bound: all states reached with g + h below it.

A separate pass after the search finds these states from the start and the bound alone. So any search may have found the
bound, whichever states it closed, reopened or dropped. The pass goes in waves. Each wave expands the waiting states
with the smallest g. A state that is reached by a cheaper path later is expanded again in another wave.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import inf, nan
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.binding.bound import can_fill_arguments
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, UsageError
from searchlab.model.costs import exceed, exceeds
from searchlab.model.states import is_board, size_of
from searchlab.search.compiled.enumeration import Enumeration
from searchlab.search.compiled.kernel_run import explained
from searchlab.search.compiled.problem import heuristic_arguments
from searchlab.search.kernels.graph import ENDS_IN_GOAL, LIVE
from searchlab.search.problem import EvaluationError, arithmetic
from searchlab.search.readable.evaluation import estimate_tiles
from searchlab.search.readable.node import NODE_BYTES
from searchlab.search.state_space import CompiledEstimate, Moves
from searchlab.search.watch import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

PIECE = 1 << 18
"""The number of successors that are generated together."""


class ClosedStates(NamedTuple):
    """Distinct states, with the costs of paths to them.

    Attributes:
        states: the tiles of boards, shape (states, rows, columns); a list if the states are not boards.
        costs: g of each state, shape (states,); 0 for all of them if the bound is infinite.
    """

    states: NDArray[Any] | list[State]
    costs: NDArray[np.float64]


class CheaperSolution(Exception):
    """There is a solution that costs less than the bound.

    Attributes:
        state: the goal in which the solution ends.
        cost: the cost of the solution.
    """

    def __init__(self, state: State, cost: float) -> None:
        super().__init__(f"there is a solution of cost {cost:.10g}")
        self.state, self.cost = state, cost


def uses_heuristic(problem: Problem) -> bool:
    """Return whether h of a problem counts: the search uses h, and the heuristic is declared admissible."""
    return problem.estimates and problem.sign == 1 and problem.heuristic.admissible


def closed_states(problem: Problem, bound: float, watch: Watch, *, compiled: bool = True) -> ClosedStates:
    """Return the states that are reached from the start of a problem with g + h below a bound.

    h counts if it is declared admissible, and is 0 otherwise. Each path from the start stays among these states, with
    no g above its cost, or leads to a state with g + h at or above the bound. None of the states is a goal with g below
    the bound.

    Args:
        bound: the bound; infinite for all reachable states.
        watch: ends the pass at the memory limit or Ctrl-C.
        compiled: whether to compile the rules, if possible.

    Raises:
        CheaperSolution: one of the states is a goal.
        Stopped: the states do not fit into memory, or Ctrl-C was pressed.
        UsageError: the boards have different shapes.
        PluginError: a function of the domain or the heuristic failed.
    """
    with watch:
        if compiled and is_board(problem.board):
            try:
                return _Waves(problem, bound, watch).closed()
            except CannotCompile:
                pass
        with arithmetic():
            return _interpreted(problem, bound, watch)


class _Waves:
    """The pass with compiled rules.

    Attributes:
        keys: the packed states found so far, as single values, in ascending order.
        costs: g of each state, by the cheapest path found so far.
        waiting: whether each state is still to be expanded with this g.
    """

    def __init__(self, problem: Problem, bound: float, watch: Watch) -> None:
        self.problem, self.bound, self.watch = problem, bound, watch
        self._enumeration = Enumeration(problem.board, problem.domain, watch)
        self._packing = self._enumeration.packing
        self._h = self._estimates()
        self._most = self._enumeration.form.max_successors
        self.keys = self._as_keys(self._enumeration.layer)
        self.costs = np.zeros(1)
        self.waiting = np.ones(1, bool)
        self._step = 0.0
        """A wave expands states up to this much above the smallest g: the mean cost of a move, as in delta-stepping."""
        self._bytes_per_tile = np.min_scalar_type(problem.board.largest_tile()).itemsize

    def _estimates(self) -> Callable[[NDArray[np.uint64]], NDArray[np.float64]]:
        """Return the function that evaluates packed states."""
        problem, packing = self.problem, self._packing
        if not uses_heuristic(problem):
            return lambda words: np.zeros(len(words))
        component = problem.heuristic.component
        try:
            values = heuristic_arguments(problem.heuristic, problem.domain, self._enumeration.form, problem.board)
            packed = component.packed if component.packed and can_fill_arguments(component.packed, 1, values) else None
            assert component.function is not None
            compiled = CompiledEstimate(component.function, values, packing, packed)
        except CannotCompile:
            return lambda words: estimate_tiles(problem, packing.unpack_tiles(words), self.watch)

        def estimates(words: NDArray[np.uint64]) -> NDArray[np.float64]:
            def failed(error: BaseException) -> EvaluationError:
                return explained(error, problem, packing.unpack(words[compiled.current :][:1])[0])

            with PluginCode(failed):
                values = compiled.values(words)
            if (wrong := np.isnan(values)).any():
                problem.checked(nan, packing.unpack(words[wrong.argmax() :][:1])[0])
            return values

        return estimates

    def closed(self) -> ClosedStates:
        """Return the closed states."""
        if not exceeds(self.bound, max(float(self._h(self._words(self.keys))[0]), 0.0)):
            self.keys, self.costs, self.waiting = self.keys[:0], self.costs[:0], self.waiting[:0]
        while self.waiting.any():
            least = self.costs[self.waiting].min()
            taken = np.flatnonzero(self.waiting & (self.costs <= least + self._step))
            self.waiting[taken] = False
            words, costs = self._words(self.keys[taken]), self.costs[taken]
            size = max(1, PIECE // self._most)
            for first in range(0, len(taken), size):
                self._check_memory()
                self._expand(words[first : first + size], costs[first : first + size])
        pieces = [self.keys[first : first + PIECE] for first in range(0, len(self.keys), PIECE)] or [self.keys]
        tiles = [_small(self._packing.unpack_tiles(self._words(piece))) for piece in pieces]
        return ClosedStates(np.concatenate(tiles), self.costs)

    def _expand(self, words: NDArray[np.uint64], costs: NDArray[np.float64]) -> None:
        """Add the successors of these states."""
        moves = Moves(self._enumeration, words)
        if moves.goals.any():
            self._raise_cheaper_solution(words, costs, int(moves.goals.argmax()))
        origin, k = np.nonzero(moves.kinds == LIVE)
        edges = moves.costs[origin, k]
        reached = costs[origin] + edges if self.bound < inf else np.zeros(len(origin))
        ends, of_end = np.nonzero(moves.kinds == ENDS_IN_GOAL)
        below = np.flatnonzero(exceed(self.bound, costs[ends] + moves.costs[ends, of_end]))
        if len(below):
            at, by = ends[below[0]], of_end[below[0]]
            self._raise_cheaper_solution(moves.words[at, by][None], costs[at] + moves.costs[at, by][None], 0)
        if len(origin):
            self._step = float(edges.mean())
            self._add(moves.words[origin, k], reached)

    def _raise_cheaper_solution(self, words: NDArray[np.uint64], costs: NDArray[np.float64], number: int) -> None:
        raise CheaperSolution(self._packing.unpack(words[number : number + 1])[0], float(costs[number]))

    def _add(self, words: NDArray[np.uint64], costs: NDArray[np.float64]) -> None:
        """Add states that were reached at these costs, or lower the costs of known states."""
        keys = self._as_keys(words)
        order = np.lexsort((costs, keys))
        keys, costs, words = keys[order], costs[order], words[order]
        first = np.ones(len(keys), bool)
        first[1:] = keys[1:] != keys[:-1]
        keys, costs, words = keys[first], costs[first], words[first]
        place = np.searchsorted(self.keys, keys)
        known = np.zeros(len(keys), bool)
        inside = place < len(self.keys)
        known[inside] = self.keys[place[inside]] == keys[inside]
        at, lower = place[known], costs[known]
        cheaper = lower < self.costs[at]
        self.costs[at[cheaper]] = lower[cheaper]
        self.waiting[at[cheaper]] = True
        keys, costs, words, place = keys[~known], costs[~known], words[~known], place[~known]
        if not len(keys):
            return
        kept = exceed(self.bound, costs + np.maximum(self._h(words), 0))
        self.keys = np.insert(self.keys, place[kept], keys[kept])
        self.costs = np.insert(self.costs, place[kept], costs[kept])
        self.waiting = np.insert(self.waiting, place[kept], values=True)

    def _check_memory(self) -> None:
        """Raise Stopped if the states do not fit, or Ctrl-C was pressed."""
        self.watch.check()
        # Inserting states copies each array. In the end the tiles are in memory twice, because writing copies them.
        a_state = 2 * (self.keys.itemsize + 9) + 2 * self._packing.cells * self._bytes_per_tile
        if len(self.keys) * a_state > self.watch.memory:
            raise Stopped("memory-limit")

    def _as_keys(self, words: NDArray[np.uint64]) -> NDArray[Any]:
        """Return packed states, shape (states, words), as an array of single values that can be compared."""
        if words.shape[1] == 1:
            return words[:, 0]
        return np.ascontiguousarray(words.astype(">u8")).view(f"S{8 * words.shape[1]}")[:, 0]

    def _words(self, keys: NDArray[Any]) -> NDArray[np.uint64]:
        """Return the packed states of an array of single values; the inverse of `_as_keys`."""
        if keys.dtype == np.uint64:
            return keys[:, None]
        return np.ascontiguousarray(keys).view(">u8").reshape(len(keys), -1).astype(np.uint64)


def _interpreted(problem: Problem, bound: float, watch: Watch) -> ClosedStates:
    """Return the closed states by the rules in Python (Dijkstra 1959)."""
    domain, estimates = problem.domain, uses_heuristic(problem)
    costs: dict[State, float] = {}
    queue: list[tuple[float, int, State]] = []
    number = count()

    def reach(state: State, cost: float) -> None:
        if cost < costs.get(state, inf):
            h = problem.estimator(state) if estimates else 0.0
            if exceeds(bound, cost + max(h, 0.0)):
                costs[state] = cost
                heappush(queue, (cost, next(number), state))

    reach(problem.board, 0.0)
    while queue:
        watch.check()
        if len(costs) * (NODE_BYTES + size_of(problem.board)) > watch.memory:
            raise Stopped("memory-limit")
        cost, _, state = heappop(queue)
        if cost > costs[state]:
            continue
        if domain.goal_test(state):
            raise CheaperSolution(state, cost)
        for _, after, edge_cost, terminal in domain.edges(state):
            reached = cost + edge_cost if bound < inf else 0.0
            if not terminal:
                reach(after, reached)
            elif domain.goal_test(after) and exceeds(bound, reached):
                raise CheaperSolution(after, reached)
    states, of_states = list(costs), np.array([*costs.values()], np.float64)
    if not is_board(problem.board):
        return ClosedStates(states, of_states)
    shapes = {state.shape for state in states} | {problem.board.shape}
    if len(shapes) > 1:
        raise UsageError("its boards have different shapes")
    tiles = np.array([state.tiles for state in states], np.int64).reshape(-1, *problem.board.shape)
    return ClosedStates(_small(tiles), of_states)


def _small(tiles: NDArray[np.int64]) -> NDArray[Any]:
    """Return tiles as integers of the smallest sufficient type."""
    low, high = (int(tiles.min()), int(tiles.max())) if len(tiles) else (0, 0)
    return tiles.astype(np.result_type(np.min_scalar_type(low), np.min_scalar_type(high)))
