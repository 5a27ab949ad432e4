"""From a problem to its compiled loop: its functions become machine code, and a kernel family runs them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from searchlab.compiler import functions as compiling
from searchlab.compiler.functions import CannotCompile, kernel_is_cached
from searchlab.errors import SearchlabWarning
from searchlab.model.limits import Progress
from searchlab.plugins.process_state import state_kept
from searchlab.search.compiled import batched as run_batched
from searchlab.search.compiled import beam as run_beam
from searchlab.search.compiled import best_first as run_best_first
from searchlab.search.compiled import buckets as run_buckets
from searchlab.search.compiled import deepening as run_deepening
from searchlab.search.compiled import early_buckets as run_early_buckets
from searchlab.search.compiled import late_buckets as run_late_buckets
from searchlab.search.compiled.machine import HeuristicInPython, Machine
from searchlab.search.compiled.running import roomy
from searchlab.search.kernels import batched, beam, best_first, buckets, deepening, early_buckets
from searchlab.search.problem import EVALUATION_BATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.model.results import Outcome
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

    Loop = Callable[[Problem, Watch], Outcome]

KERNELS: dict[str, list[tuple[Callable[..., Any], Any]]] = {
    "heap": [(best_first.best_first, best_first.SIGNATURE)],
    "late-buckets": [(buckets.late_buckets, buckets.SIGNATURE), (best_first.best_first, best_first.SIGNATURE)],
    "early-buckets": [
        (early_buckets.early_buckets, early_buckets.SIGNATURE),
        (best_first.best_first, best_first.SIGNATURE),
    ],
    "batched": [(batched.batched, batched.SIGNATURE)],
    "beam": [(beam.beam, beam.SIGNATURE)],
    "deepening": [(deepening.deepening, deepening.SIGNATURE)],
}

MOST_MACHINES = 256
_machines: dict[tuple[Any, ...], Machine] = {}


def compiled_search(
    problem: Problem, progress: Callable[[Progress], None] | None = None, *, is_asked: bool
) -> tuple[Problem, Loop]:
    """Return the problem as it will be searched, and its compiled loop.

    A heuristic that cannot be compiled is evaluated in Python, in batches; a warning says why, unless it brings
    a form for batches.

    Args:
        is_asked: the size of the batches was asked for.

    Raises:
        CannotCompile: something that cannot be compiled is needed in compiled code.
    """
    try:
        return problem, compiled_loop(problem, progress)
    except HeuristicInPython as error:
        batched = problem if is_asked else problem.in_batches(None, default=EVALUATION_BATCH)
        by_layers = problem.frontier.component.family == "beam"
        if not by_layers and not batched.takes_batches:
            raise
        if batched.late:
            msg = f"{error}; evaluated in Python it needs duplicates=early, or batches of 2 and more"
            raise CannotCompile(msg) from None
        loop = compiled_loop(batched, progress, in_python=True)
        if problem.heuristic.component.batch is None:
            together = "layer by layer" if by_layers else f"in batches of {batched.batch:,}"
            warnings.warn(f"{error}; it is evaluated in Python, {together}", SearchlabWarning, 5)
        return batched, loop


@state_kept()
def compiled_loop(
    problem: Problem, progress: Callable[[Progress], None] | None = None, *, in_python: bool = False
) -> Loop:
    """Return the compiled loop for a problem, everything it calls compiled.

    Args:
        in_python: but for the heuristic, which is evaluated in Python.

    Raises:
        HeuristicInPython: the heuristic has no form that can be compiled.
        CannotCompile: the domain has no packed form, or a plugin's function cannot be compiled.
    """
    machine = _machine(problem, in_python=in_python)
    words = machine.packing.words
    family = _family(problem, words, in_python=in_python)
    if progress and not all(kernel_is_cached(*kernel, width=words) for kernel in KERNELS[family]):
        progress(Progress("compiling"))
    if family != "deepening":
        machine.compile()
    if family == "deepening":
        new_walk = run_deepening.maker(machine)
        threads = int(problem.frontier.values.get("threads", 1))
        return lambda problem, watch: run_deepening.DeepeningSearch(
            problem, [new_walk() for _ in range(threads)], watch
        ).run()
    if family == "beam":
        run_beam.search_kernel(words)
        run_beam.enter_kernel()
        return lambda problem, watch: roomy(lambda: run_beam.BeamSearch(machine, watch), watch).run()
    run_best_first.enter_kernel()
    if family == "batched":
        run_batched.search_kernel(words)
        return lambda problem, watch: roomy(lambda: run_batched.BatchedSearch(machine, watch), watch).run()
    run_best_first.search_kernel(words)
    if problem.late:
        run_best_first.enter_closed_kernel()
    if family == "heap":
        return lambda problem, watch: roomy(lambda: run_best_first.BestFirstSearch(machine, watch), watch).run()
    if family == "early-buckets":
        run_early_buckets.search_kernel(words)
        step = machine.step if machine.follows else machine.step_without_values
        return lambda problem, watch: roomy(
            lambda: run_early_buckets.EarlyBucketSearch(machine, step, watch), watch
        ).run()
    run_late_buckets.search_kernel(words)
    step = machine.step
    return lambda problem, watch: roomy(lambda: run_late_buckets.LateBucketSearch(machine, step, watch), watch).run()


def _machine(problem: Problem, *, in_python: bool) -> Machine:
    """Return the machine of a problem; where functions are remembered, that of the last problem like it."""
    if not compiling.remembers():
        return Machine.of(problem, in_python=in_python)
    key = problem.domain, problem.heuristic, problem.frontier, problem.board.shape, in_python
    known = _machines.get(key)
    if known is None:
        if len(_machines) >= MOST_MACHINES:
            _machines.clear()
        known = Machine.of(problem, in_python=in_python)
    machine = _machines[key] = known.again(problem)  # the next takes over what this one compiles
    return machine


def _family(problem: Problem, words: int, *, in_python: bool = False) -> str:
    """Return which kernels a search needs."""
    family = problem.frontier.component.family
    if family != "best-first":
        return family
    if in_python or problem.batch > 1:
        return "batched"
    if words > run_buckets.MOST_WORDS or not run_buckets.suits(problem):
        return "heap"
    return "late-buckets" if problem.late else "early-buckets"
