"""Compiled A* with partial expansion."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiled.best_first import BestFirstSearch
from searchlab.search.kernels.partial_expansion import PartialArrays, PartialControl, partial_expansion

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from searchlab.search.compiled.problem import CompiledProblem


class PartialExpansionSearch(BestFirstSearch):
    """A search that stores a successor only when its turn has come."""

    kernels = ((partial_expansion, PartialArrays, {}),)
    control_kind = PartialControl
    arrays: PartialArrays
    control: PartialControl

    @classmethod
    def compile_callees(cls, compiled: CompiledProblem) -> None:
        """Compile the plugin functions."""
        cls.callees(compiled)

    @classmethod
    def callees(cls, compiled: CompiledProblem) -> NDArray[np.uint64]:
        """Return the rows of the functions that the kernel calls: the goal test, and one for successors and values."""
        return compiled.callee_rows(compiled.step, called=("goal",))

    def start(self) -> int:
        """Put the start on the open list."""
        problem, control = self.problem, self.control
        control.rounds, control.cutoff = not problem.domain.unit_cost, problem.frontier.values.get("cutoff", 0.0)
        self.arrays.least[0] = problem.start_h if problem.estimates else 0.0
        return super().start()

    def least_of(self, nodes: Any) -> float:
        """Return the smallest g + h of the successors that are not stored yet, for these nodes."""
        s = self.arrays
        return float(np.min((s.least if self.control.counts_h else s.costs)[nodes], initial=inf))


class EnhancedPartialExpansionSearch(PartialExpansionSearch):
    """A search that produces a successor only when its turn has come."""

    kernels = ((partial_expansion, PartialArrays, {"SELECTS": True}),)

    @classmethod
    def callees(cls, compiled: CompiledProblem) -> NDArray[np.uint64]:
        """Return the rows of the called functions: the goal test, and one for values and chosen successors."""
        return compiled.callee_rows(compiled.selection, called=("goal",))
