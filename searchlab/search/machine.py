"""A problem's plugin functions as machine code, with what a kernel needs to call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.components import extra_parameters
from searchlab.search.adapters import can_follow
from searchlab.search.compiling import Callee, CannotCompile
from searchlab.search.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.components import PackedForm
    from searchlab.search.problem import Problem


@dataclass(frozen=True)
class Machine:
    """The compiled parts of a problem.

    Attributes:
        problem: what is searched.
        packing: how its states are packed.
        form: the domain's packed form.
        values: what the domain's functions may ask for by name.
        callees: the compiled functions, in the order of the kernels' rows.
    """

    problem: Problem
    packing: Packing
    form: PackedForm
    values: Mapping[str, Any]
    callees: tuple[Callee | None, ...]

    @classmethod
    def of(cls, problem: Problem) -> Machine:
        """Compile what a problem's search calls.

        Raises:
            CannotCompile: with what cannot be, and why.
        """
        form = problem.domain.packed(problem.board)
        if form is None:
            msg = f"domain {problem.domain.name} has no packed form"
            raise CannotCompile(msg)
        packing = Packing.of(form, problem.board)
        values = form_values(problem.domain, form, problem.board)
        heuristic, frontier = problem.heuristic, problem.frontier
        arguments = heuristic.arguments(problem.board) if problem.estimates else {}
        priority = frontier.component.priority
        return cls(
            problem,
            packing,
            form,
            values,
            (
                Callee.successors(form, values, packing),
                Callee.is_goal(form, values, packing),
                Callee.estimate(heuristic.component.function, arguments, packing) if problem.estimates else None,
                Callee.priority(priority, frontier.values) if priority else None,
            ),
        )

    @property
    def most(self) -> int:
        """The most successors a state has."""
        return self.form.max_successors

    def step(self) -> Callee:
        """Compile goal test, successors and their values into one function, for kernels that call it once a node."""
        if not self.problem.estimates:
            return self.step_without_values()
        return Callee.step(
            self.form, self.values, self.packing, self.problem.heuristic.component, self._heuristic_values()
        )

    def step_without_values(self) -> Callee:
        """Compile goal test and successors into one function; their values come out as 0."""
        return Callee.step(self.form, self.values, self.packing, None, {})

    @property
    def follows(self) -> bool:
        """Whether the heuristic is updated by each move, so that a step knows the successors' values for little."""
        problem = self.problem
        return problem.estimates and can_follow(problem.heuristic.component, self.form, self._heuristic_values())

    def _heuristic_values(self) -> dict[str, Any]:
        """Return what the heuristic's functions may ask for by name, besides the move."""
        problem = self.problem
        offered = problem.domain.offers(asked_for(problem.heuristic.component.incremental), problem.board)
        return {**self.form.tables, **offered, **problem.heuristic.arguments(problem.board)}

    def callee_rows(self, *more: Callee) -> NDArray[np.uint64]:
        """Return address, params and tables of each function, a row each; zeros for one that is not called."""
        rows = [callee.row() if callee else (0, 0, 0) for callee in (*self.callees, *more)]
        return np.array(rows, dtype=np.uint64)

    def board_of(self, words: NDArray[np.uint64]) -> Board:
        """Return the board of one state's words."""
        return self.packing.unpack(words.reshape(1, -1))[0]


def form_values(domain: BoundDomain, form: PackedForm, board: Board) -> Mapping[str, Any]:
    """Return what a form's functions ask for: tables, parameters and what the domain offers."""
    functions = (form.successors, form.is_goal, form.expand, form.is_packed_goal)
    return {**domain.offers(asked_for(*functions), board), **form.tables}


def asked_for(*functions: Callable[..., Any] | None) -> set[str]:
    """Return the names of all that functions ask for after their first argument."""
    return {parameter.name for function in functions if function for parameter in extra_parameters(function)}
