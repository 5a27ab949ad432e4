"""A problem's plugin functions as machine code, with what a kernel needs to call them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiling import Callee, CannotCompile
from searchlab.search.packing import Packing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from searchlab.board import Board
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
        values = _domain_values(problem, form)
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
        problem = self.problem
        if not problem.estimates:
            return Callee.step(self.form, self.values, self.packing, None, {})
        arguments = problem.heuristic.arguments(problem.board)
        return Callee.step(
            self.form, self.values, self.packing, problem.heuristic.component, {**self.values, **arguments}
        )

    def callee_rows(self, *more: Callee) -> NDArray[np.uint64]:
        """Return address, params and tables of each function, a row each; zeros for one that is not called."""
        rows = [callee.row() if callee else (0, 0, 0) for callee in (*self.callees, *more)]
        return np.array(rows, dtype=np.uint64)

    def board_of(self, words: NDArray[np.uint64]) -> Board:
        """Return the board of one state's words."""
        return self.packing.unpack(words.reshape(1, -1))[0]


def _domain_values(problem: Problem, form: PackedForm) -> Mapping[str, Any]:
    """Return what a domain's compiled functions may ask for: tables, parameters and what the domain offers."""
    domain = problem.domain
    return {**domain.offers(domain.offered, problem.board), **form.tables}
