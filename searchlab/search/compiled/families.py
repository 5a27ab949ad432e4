"""The families of kernels, and the choice of the family for a search."""

from __future__ import annotations

from copy import copy
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from searchlab.compiler.functions import CannotCompile
from searchlab.errors.caller import warn_caller
from searchlab.plugins.process_state import StateKept
from searchlab.search.compiled import breadth_first, buckets
from searchlab.search.compiled.kernel_run import within_memory
from searchlab.search.compiled.problem import CompiledProblem, HeuristicInPython
from searchlab.search.problem import EVALUATION_BATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.model.results import Outcome
    from searchlab.search.compiled.deepening import DeepeningSearch
    from searchlab.search.compiled.kernel_run import SearchRun
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch
    from searchlab.search.workspace import Workspace

    Loop = Callable[[Problem, Watch], Outcome]
    SearchClass = type[SearchRun] | type[DeepeningSearch]


FAMILIES = {
    "heap": "best_first.BestFirstSearch",
    "late-heap": "late_heap.LateHeapSearch",
    "in-order": "breadth_first.BreadthFirstSearch",
    "stack": "best_first.StackSearch",
    "late-buckets": "buckets.LateBucketSearch",
    "early-buckets": "buckets.EarlyBucketSearch",
    "class-buckets": "buckets.ClassBucketSearch",
    "queues": "queues.QueueSearch",
    "batched": "best_first.BatchedSearch",
    "beam": "beam.BeamSearch",
    "closed-beam": "beam.ClosedBeamSearch",
    "anytime-beam": "beam.AnytimeBeamSearch",
    "rectangle": "rectangle.RectangleSearch",
    "partial-expansion": "partial_expansion.PartialExpansionSearch",
    "enhanced-partial-expansion": "partial_expansion.EnhancedPartialExpansionSearch",
    "bidirectional": "bidirectional.BidirectionalSearch",
    "deepening": "deepening.DeepeningSearch",
}
"""The class that runs the searches of each family: a module of this package, imported on demand, and a class in it."""


@cache
def family_class(name: str) -> SearchClass:
    """Return the class that runs the searches of a family."""
    module, _, cls = FAMILIES[name].partition(".")
    found: SearchClass = getattr(import_module(f"{__package__}.{module}"), cls)
    return found


def compiled_search(problem: Problem, workspace: Workspace, *, batch_given: bool) -> tuple[Problem, Loop]:
    """Return the problem as it will be searched, and the compiled loop.

    A heuristic that cannot be compiled is evaluated in Python, in batches. A warning gives the reason, unless the
    heuristic has a batch form.

    Args:
        workspace: the workspace of the searcher.
        batch_given: whether the user gave the size of the batches.

    Raises:
        CannotCompile: a function that compiled code needs cannot be compiled.
    """
    try:
        return problem, compiled_loop(problem, workspace)
    except HeuristicInPython as error:
        batched = problem if batch_given else problem.in_batches(None, default=EVALUATION_BATCH)
        by_layers = problem.frontier.component.family in ("beam", "anytime-beam")
        if not by_layers and not batched.takes_batches:
            raise
        if batched.late:
            msg = f"{error}; evaluated in Python it needs duplicates=early, or batches of 2 and more"
            raise CannotCompile(msg) from None
        loop = compiled_loop(batched, workspace, in_python=True)
        if problem.heuristic.component.batch is None:
            together = "layer by layer" if by_layers else f"in batches of {batched.batch:,}"
            warn_caller(f"{error}; it is evaluated in Python, {together}")
        return batched, loop


def compiled_loop(problem: Problem, workspace: Workspace, *, in_python: bool = False) -> Loop:
    """Return the compiled loop for a problem, after everything that it calls is compiled.

    Args:
        workspace: holds compiled functions, and keeps new ones.
        in_python: whether the heuristic is evaluated in Python, and everything else is compiled.

    Raises:
        HeuristicInPython: the heuristic has no form that can be compiled.
        CannotCompile: the domain has no packed form, or a plugin function cannot be compiled.
    """
    key = problem.domain, problem.heuristic, problem.frontier, problem.board.shape, in_python
    known = workspace.refusals.get(key)
    if known is not None:
        raise copy(known)
    compiled: CompiledProblem | None = workspace.problems.get(key)
    if compiled is not None and problem.domain.packed(problem.board) is not compiled.form:
        compiled = None  # a domain may return another form for some boards of a shape
    if compiled is not None:
        compiled = compiled.for_board_of(problem)
        family = _family(compiled, in_python=in_python)
        if family in compiled.prepared:
            return _loop(compiled, family)
    try:
        with StateKept():
            compiled = compiled or CompiledProblem.of(
                problem, workspace.spare, in_python=in_python, known=workspace.known
            )
            family = _family(compiled, in_python=in_python)
            family.prepare(compiled)
            compiled.prepared.add(family)
    except CannotCompile as error:
        workspace.keep(workspace.refusals, key, copy(error))  # a copy without the traceback, which holds frames
        raise
    workspace.keep(workspace.problems, key, compiled)
    return _loop(compiled, family)


def _family(compiled: CompiledProblem, *, in_python: bool) -> SearchClass:
    name = family_name(compiled.problem, compiled.packing.words, compiled.guesses, in_python=in_python)
    return family_class(name)


def _loop(compiled: CompiledProblem, family: SearchClass) -> Loop:
    return lambda problem, watch: within_memory(lambda: family(compiled, watch), watch).run()


def family_name(problem: Problem, words: int, guesses: dict[int, str], *, in_python: bool = False) -> str:
    """Return the name of the family of a search, for states of `words` words.

    Args:
        guesses: earlier guesses, see `buckets.family_name`.
    """
    family = problem.frontier.component.family
    if family != "best-first":
        return "closed-beam" if family == "beam" and problem.frontier.has_closed else family
    if problem.frontier.component.queues:
        return "queues"
    if in_python or problem.batch > 1:
        return "batched"
    if breadth_first.is_in_order(problem):
        return "in-order"
    if problem.frontier.component.container == "lifo":
        return "stack"
    if words > buckets.MOST_WORDS or problem.frontier.component.container != "heap":
        return "heap"
    return buckets.family_name(problem, guesses) or ("late-heap" if problem.late else "heap")
