"""From a problem to its compiled loop: its functions become machine code, and a kernel family runs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from searchlab.search import (
    run_beam,
    run_best_first,
    run_buckets,
    run_deepening,
    run_early_buckets,
    run_late_buckets,
    walks,
)
from searchlab.search.compiling import kernel_is_cached
from searchlab.search.kernels import beam, best_first, buckets, deepening, early_buckets
from searchlab.search.limits import Progress
from searchlab.search.machine import Machine
from searchlab.search.packing import Packing
from searchlab.search.running import roomy

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.search.limits import Watch
    from searchlab.search.problem import Problem
    from searchlab.search.result import Outcome

    Loop = Callable[[Problem, Watch], Outcome]

KERNELS: dict[str, list[tuple[Callable[..., Any], Any]]] = {
    "heap": [(best_first.best_first, best_first.SIGNATURE)],
    "late-buckets": [(buckets.late_buckets, buckets.SIGNATURE), (best_first.best_first, best_first.SIGNATURE)],
    "early-buckets": [
        (early_buckets.early_buckets, early_buckets.SIGNATURE),
        (best_first.best_first, best_first.SIGNATURE),
    ],
    "beam": [(beam.beam, beam.SIGNATURE)],
    "deepening": [(deepening.deepening, deepening.SIGNATURE)],
}


def compiled_loop(problem: Problem, progress: Callable[[Progress], None] | None = None) -> Loop:
    """Return the compiled loop for a problem, everything it calls compiled.

    Raises:
        CannotCompile: the domain has no packed form, or a plugin's function cannot be compiled.
    """
    form = problem.domain.packed(problem.board)
    words = Packing.of(form, problem.board).words if form else 1
    family = _family(problem, words)
    if progress and not all(kernel_is_cached(*kernel, width=words) for kernel in KERNELS[family]):
        progress(Progress("compiling"))
    machine = Machine.of(problem)
    if family != "deepening":
        machine.callees  # noqa: B018 - compiled before the search begins
    if family == "deepening":
        new_walk = walks.maker(machine)
        threads = int(problem.frontier.values.get("threads", 1))
        return lambda problem, watch: run_deepening.DeepeningSearch(
            problem, [new_walk() for _ in range(threads)], watch
        ).run()
    if family == "beam":
        run_beam.search_kernel(words)
        return lambda problem, watch: roomy(lambda: run_beam.BeamSearch(machine, watch), watch).run()
    run_best_first.search_kernel(words)
    run_best_first.enter_kernel()
    if problem.late:
        run_best_first.enter_closed_kernel()
    if family == "heap":
        return lambda problem, watch: roomy(lambda: run_best_first.BestFirstSearch(machine, watch), watch).run()
    if family == "early-buckets":
        run_early_buckets.search_kernel(words)
        step = machine.step() if machine.follows else machine.step_without_values()
        return lambda problem, watch: roomy(
            lambda: run_early_buckets.EarlyBucketSearch(machine, step, watch), watch
        ).run()
    run_late_buckets.search_kernel(words)
    step = machine.step()
    return lambda problem, watch: roomy(lambda: run_late_buckets.LateBucketSearch(machine, step, watch), watch).run()


def _family(problem: Problem, words: int) -> str:
    """Return which kernels a search needs."""
    family = problem.frontier.component.family
    if family == "best-first":
        if words > run_buckets.MOST_WORDS or not run_buckets.suits(problem):
            return "heap"
        return "late-buckets" if problem.late else "early-buckets"
    return family
