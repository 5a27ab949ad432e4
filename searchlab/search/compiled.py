"""From a problem to its compiled loop: its functions become machine code, and a kernel family runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.search import run_best_first, run_deepening
from searchlab.search.compiling import kernel_is_cached
from searchlab.search.kernels import best_first, deepening
from searchlab.search.limits import Progress
from searchlab.search.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.limits import Watch
    from searchlab.search.problem import Problem
    from searchlab.search.result import Outcome

    Loop = Callable[[Problem, Watch], Outcome]


def compiled_loop(problem: Problem, progress: Callable[[Progress], None] | None = None) -> Loop:
    """Return the compiled loop for a problem, everything it calls compiled.

    Raises:
        CannotCompile: the domain has no packed form, or a plugin's function cannot be compiled.
    """
    deepens = problem.frontier.component.family == "deepening"
    kernel, signature = (
        (deepening.deepening, deepening.SIGNATURE) if deepens else (best_first.best_first, best_first.SIGNATURE)
    )
    if progress and not kernel_is_cached(kernel, signature):
        progress(Progress("compiling"))
    machine = Machine.of(problem)
    if deepens:
        run_deepening.search_kernel()
        return lambda problem, watch: run_deepening.DeepeningSearch(machine, watch).run()
    run_best_first.search_kernel()
    run_best_first.rehash_kernel()
    return lambda problem, watch: run_best_first.BestFirstSearch(machine, watch).run()
