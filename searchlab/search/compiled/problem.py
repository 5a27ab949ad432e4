"""The plugin functions of a problem as machine code, with everything that a kernel needs to call them."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.bound import TABLE, can_fill_arguments
from searchlab.binding.name_space import NameSpace, refuse_claims
from searchlab.compiler.adapters import Adapter, supports_incremental
from searchlab.compiler.functions import (
    CannotCompile,
    compile_estimate,
    compile_goal,
    compile_key,
    compile_priority,
    compile_select,
    compile_step,
    compile_successors,
)
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginError
from searchlab.errors.cached import cached_property
from searchlab.model.formatting import counted
from searchlab.model.packed import is_listed_goal
from searchlab.model.strategies import is_whole
from searchlab.search.kernels import control

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundQueue, NodeFunction
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.compiler.arrays import SpareArrays
    from searchlab.compiler.dependencies import FunctionToCompile
    from searchlab.compiler.functions import KnownCode
    from searchlab.compiler.machine_code import MachineCode
    from searchlab.model.packed import PackedForm
    from searchlab.model.strategies import Heuristic
    from searchlab.search.compiled.in_place import InPlaceKernel
    from searchlab.search.problem import Problem


ROWS = ("successors", "goal", "estimate", "priority")
"""The functions of a problem that kernels call, in the order of their rows in `callees`."""


class HeuristicInPython(CannotCompile):
    """The heuristic must be evaluated in Python, even if everything else can be compiled."""


@dataclass(frozen=True)
class CompiledProblem:
    """A problem with its functions as machine code, and with data that searches from boards of the same shape share.

    Attributes:
        problem: the problem.
        packing: the packing of the states.
        form: the packed form of the domain.
        values: the arguments by name for functions of the domain.
        spare: the arrays of the last search of the searcher, for the next search.
        in_python: whether the heuristic is evaluated in Python; then the kernel returns whenever nodes wait.
        known: the compiled functions of the searcher. All instances share them, because they contain no static data.
    """

    problem: Problem
    packing: Packing
    form: PackedForm
    values: Mapping[str, Any]
    spare: SpareArrays
    in_python: bool = False
    known: KnownCode = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        problem: Problem,
        spare: SpareArrays,
        *,
        in_python: bool = False,
        known: KnownCode | None = None,
    ) -> CompiledProblem:
        """Return a problem with its packed form; nothing is compiled yet.

        Args:
            spare: arrays for the searches.
            in_python: whether to leave out the heuristic.
            known: the compiled functions of the searcher.

        Raises:
            CannotCompile: the domain has no packed form.
        """
        form = problem.domain.packed(problem.board)
        if form is None:
            msg = f"domain {problem.domain.name} has no packed form"
            raise CannotCompile(msg)
        packing = Packing.of(form, problem.board)
        values = form_arguments(problem.domain, form, problem.board)
        return cls(problem, packing, form, values, spare, in_python, {} if known is None else known)

    def for_board_of(self, problem: Problem) -> CompiledProblem:
        """Return the same for a problem that differs only in the board, of the same shape; nothing is compiled."""
        compiled = CompiledProblem.__new__(CompiledProblem)
        vars(compiled).update(vars(self), problem=problem, replayed_by=self.replayed_by)
        vars(compiled).pop("start", None)
        return compiled

    @cached_property
    def start(self) -> NDArray[np.uint64]:
        """The packed start board, shape (words,); read-only."""
        words = self.packing.pack(self.problem.board)
        words.setflags(write=False)
        return words

    @cached_property
    def kernels(self) -> dict[type, list[Callable[..., int]]]:
        """The kernels by the class of the search."""
        return {}

    @cached_property
    def prepared(self) -> set[Any]:
        """The classes of searches for which everything is compiled."""
        return set()

    @cached_property
    def replayed_by(self) -> list[tuple[tuple[MachineCode, MachineCode], NDArray[np.uint64]]]:
        """The functions that replay solutions (successors and goal test), and their rows; empty before the first."""
        return []

    @cached_property
    def first_numbers(self) -> dict[Any, NDArray[np.int64]]:
        """The initial contents of control records, see `kernel_run.first_numbers`."""
        return {}

    @cached_property
    def first_slice(self) -> list[int]:
        """The number of expansions of a first slice, see `kernel_run`; a list of one item."""
        return [1]

    @cached_property
    def guesses(self) -> dict[int, str]:
        """The kinds of buckets that suit the priority, see `buckets.family_name`."""
        return {}

    @cached_property
    def rooms(self) -> dict[type, Any]:
        """The latest `buckets.Room` by the class of the search."""
        return {}

    @cached_property
    def _rows(self) -> dict[Any, tuple[NDArray[np.uint64], tuple[MachineCode, ...]]]:
        """The results of `callee_rows`, with the functions, which are kept alive so that their ids stay unique."""
        return {}

    @cached_property
    def callees(self) -> tuple[MachineCode | None, ...]:
        """The compiled functions, in the order of `ROWS`; reading them compiles them.

        Raises:
            HeuristicInPython: the heuristic cannot be compiled; the message gives the reason.
            CannotCompile: another function cannot be compiled.
        """
        return self.successors, self.goal, self.estimate, self.priority

    @cached_property
    def successors(self) -> MachineCode:
        """The successor function; compiled on demand, like the functions below."""
        return compile_successors(self.form, self.values, self.packing, self.known)

    @cached_property
    def goal(self) -> MachineCode:
        """The goal test."""
        return compile_goal(self.form, self.values, self.packing, self.known)

    @cached_property
    def estimate(self) -> MachineCode | None:
        """The heuristic; None if no kernel calls it."""
        problem = self.problem
        return (
            compiled_estimate(problem, self.form, self.packing, self.known)
            if problem.estimates and not self.in_python
            else None
        )

    @cached_property
    def priority(self) -> MachineCode | None:
        """The priority; None for strategies without a priority."""
        frontier = self.problem.frontier
        priority = frontier.component.priority
        return compile_priority(priority, frontier.values, self.known) if priority else None

    @cached_property
    def keys(self) -> tuple[MachineCode, ...]:
        """The priorities of queues, then the conditions of queues that have one."""
        return compiled_keys(self.problem)

    @cached_property
    def further(self) -> tuple[MachineCode, ...]:
        """The further heuristics that priorities of queues use.

        Raises:
            CannotCompile: a heuristic cannot be compiled.
        """
        problem = self.problem
        return tuple(
            compiled_estimate(problem.by(heuristic), self.form, self.packing, self.known)
            for heuristic in problem.further
        )

    @cached_property
    def sizes(self) -> Mapping[str, int]:
        """The sizes of the arrays for an expansion, by their names in the declarations of kernels."""
        return expansion_sizes(self.form, self.packing)

    @cached_property
    def step(self) -> MachineCode:
        """One function for the goal test, the successors and their values; kernels call it once per node."""
        return compile_step(self.form, self.values, self.packing, *self._heuristic(), self.known)

    @cached_property
    def selection(self) -> MachineCode:
        """One function for the values of all successors, and the successors whose f is in a range."""
        return compile_select(self.form, self.values, self.packing, *self._heuristic(), self.known)

    def inlined_step(self, *, whole: bool) -> FunctionToCompile:
        """Return the function that replaces `control.step` in a kernel with the plugin functions inlined.

        Args:
            whole: whether h must be an integer; with other types the function does not compile.
        """
        adapter = Adapter(self.packing)
        heuristic, values = self._heuristic()
        return adapter.inlined_step(control.step, control.STEP, self.form, self.values, heuristic, values, whole=whole)

    @property
    def kinds_of_estimates(self) -> tuple[bool, ...]:
        """Whether h may be an integer in a kernel with the heuristic inlined, the best guess first.

        The return type of `incremental` depends on the type of h: only a function that computes h from scratch shows
        its type.
        """
        heuristic, values = self._heuristic()
        if heuristic is None:
            return (True,)
        incremental = supports_incremental(heuristic, self.form, values)
        function = heuristic.incremental if incremental and heuristic.carry is None else heuristic.function
        return (True, False) if is_whole(function) or not incremental else (False,)

    @cached_property
    def step_without_values(self) -> MachineCode:
        """One function for the goal test and the successors, with 0 as their values."""
        return compile_step(self.form, self.values, self.packing, None, {}, self.known)

    @cached_property
    def in_place(self) -> InPlaceKernel:
        """The kernel that changes one board in place."""
        from searchlab.search.compiled.in_place import InPlaceKernel  # late: only deepening needs it

        carried = self.carried(self.problem.board)
        follows_rule = self.problem.frontier.component.thresholds is not None
        return InPlaceKernel.of(
            self.form, self.values, self.packing, *self._heuristic(), carried, notes_reached=follows_rule
        )

    def carried(self, board: Board) -> tuple[Any, ...]:
        """Return the numbers that an incremental heuristic keeps for a board, or `()`."""
        return self.problem.heuristic.carried(board) if self.problem.estimates else ()

    @cached_property
    def incremental(self) -> bool:
        """Whether each move updates h, so that a step evaluates successors cheaply."""
        heuristic, values = self._heuristic()
        return heuristic is not None and supports_incremental(heuristic, self.form, values)

    def _heuristic(self) -> tuple[Heuristic | None, Mapping[str, Any]]:
        """Return the heuristic and the arguments of its functions by name; None and {} for a search without one."""
        problem = self.problem
        if not problem.estimates:
            return None, {}
        values = heuristic_arguments(problem.heuristic, problem.domain, self.form, problem.board)
        return problem.heuristic.component, values

    def callee_rows(self, *more: MachineCode, called: tuple[str, ...] = ROWS) -> NDArray[np.uint64]:
        """Return a row with address, params and tables for each function, shape (functions, 3); zeros if not called.

        Args:
            more: functions for further rows, after `ROWS`.
            called: the functions in ROWS that a kernel calls.
        """
        key = called, *map(id, more)
        if key not in self._rows:
            callees: list[MachineCode | None] = [getattr(self, name) if name in called else None for name in ROWS]
            rows = [callee.row() if callee else (0, 0, 0) for callee in (*callees, *more)]
            self._rows[key] = np.array(rows, dtype=np.uint64), more
        return self._rows[key][0]

    def board_of(self, words: NDArray[np.uint64]) -> Board:
        """Return the board of a packed state."""
        return self.packing.unpack(words.reshape(1, -1))[0]


def compiled_keys(problem: Problem) -> tuple[MachineCode, ...]:
    """Return the priorities of the queues of a problem, then the conditions of queues with one, as machine code."""
    functions: list[tuple[BoundQueue | NodeFunction, str]] = [(queue, "the priority") for queue in problem.queues]
    functions += [(queue.when, "the condition") for queue in problem.queues if queue.when]
    return tuple(compile_key(one.function, one.places, one.arguments, what) for one, what in functions)


def compiled_estimate(problem: Problem, form: PackedForm, packing: Packing, known: KnownCode) -> MachineCode:
    """Compile the heuristic of a problem, or raise HeuristicInPython."""
    component = problem.heuristic.component
    values = heuristic_arguments(problem.heuristic, problem.domain, form, problem.board)
    assert component.function is not None
    try:
        packed = component.packed if component.packed and can_fill_arguments(component.packed, 1, values) else None
        return compile_estimate(component.function, values, packing, packed, known)
    except CannotCompile as error:
        raise HeuristicInPython(str(error)) from error


def heuristic_arguments(
    heuristic: BoundHeuristic, domain: BoundDomain, form: PackedForm, board: Board
) -> Mapping[str, Any]:
    """Return the arguments, by name, for the compiled forms of a heuristic, for boards of this shape.

    Raises:
        HeuristicInPython: the heuristic has no form that can be compiled.
    """
    function, packing = heuristic.component.function, Packing.of(form, board)
    if function is None:
        msg = f"heuristic {heuristic.name} has a batch form only"
        raise HeuristicInPython(msg)
    own = heuristic.sources(board)[0]
    claims = (own.what, own.names), (f"a table of the packed form of {domain.name}", form.tables)
    refuse_claims(f"heuristic {heuristic.name}", *claims, (TABLE, heuristic.component.tables))
    asked_for = heuristic.arguments(board, function)
    of_packing = {"rows": packing.rows, "columns": packing.columns}
    if packing.is_uniform:
        of_packing["bits"] = packing.bits
    names = NameSpace(heuristic.sources(board, form))
    # The domain computes some values on demand, so the sources must not be copied into one dict.
    return ChainMap(asked_for, names, of_packing)  # type: ignore[arg-type]  # nobody writes to it


def expansion_sizes(form: PackedForm, packing: Packing) -> Mapping[str, int]:
    """Return the sizes of the arrays for an expansion, by their names in the declarations of kernels."""
    most = form.max_successors
    return {
        "width": packing.words,
        "cells": packing.cells,
        "successors": most,
        "unpacked": 1 if form.words.successors else most,  # which writes packed states
        "described": max(1, len(form.move)),
        "counts by f": control.COUNTS_BY_F,
    }


def check_moves_fit(domain: BoundDomain, board: Board) -> None:
    """Raise a PluginError if the interpreted moves from a board fail, or do not fit the packed form."""
    form, moves = domain.packed(board), list(domain.edges(board))
    if form is None:
        return
    if len(moves) > form.max_successors:
        what = f"max_successors={form.max_successors} of its packed form is too small"
        raise PluginError(f"{domain.name}: {what}: this board has {counted(len(moves), 'successor')}")
    for move in moves:
        outside = form.why_no_room(move.board.tiles) if move.board.shape == board.shape else ""
        if outside:
            raise PluginError(f"{domain.name}: its packed form has no room for a successor of this board: {outside}")


def form_arguments(domain: BoundDomain, form: PackedForm, board: Board) -> Mapping[str, Any]:
    """Return the arguments, by name, for the functions of a packed form, for boards of this shape.

    Raises:
        PluginError: a goal does not fit the form, so that no state could be equal to it.
    """
    if form.is_goal is is_listed_goal:
        for goal in domain.goals(board):
            outside = form.why_no_room(goal.tiles)
            if outside:
                raise PluginError(f"{domain.name}: its packed form has no room for a goal: {outside}\n{goal}")
    return NameSpace(domain.sources(board, form))
