"""A run that plugins observe: they are told when it begins and ends, and add their metrics to its result."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from searchlab.errors import in_one_line
from searchlab.model.limits import Limits
from searchlab.model.results import Result
from searchlab.model.run_info import Run
from searchlab.plugins.process_state import state_kept
from searchlab.search.measuring import measured

if TYPE_CHECKING:
    from types import TracebackType

    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem


class Observed:
    """A context in which a search runs: for each beginning plugins are told of, they are told of one end.

    Args:
        problem: what is searched.
        limits: what the search may take.
        plugins: those that observe it.
        name: the board's, as it was named.
        seed: what the board was generated from.

    Attributes:
        result: to be set to the search's result; after the context it is the result with its metrics.
    """

    result: Result

    def __init__(
        self, problem: Problem, limits: Limits | None, plugins: Plugins, *, name: str = "", seed: int | None = None
    ) -> None:
        spelled = (str(problem.domain), str(problem.heuristic), str(problem.frontier))
        self._run = Run(problem.board, *spelled, limits or Limits(), name, seed)
        self._plugins = plugins
        self._kept = ExitStack()

    def __enter__(self) -> Self:
        self._plugins.tell("run_started", run=self._run)
        self._kept.enter_context(state_kept())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._kept.close()
        if error is None:
            self.result = self.ended(self.result)
            return
        run = self._run
        failed = Result("error", run.start, run.domain, run.heuristic, run.frontier, in_one_line(error))
        self._plugins.tell("run_failed", run=run, result=failed)

    def ended(self, result: Result) -> Result:
        """Return a result with its metrics, plugins having been told of it."""
        result = measured(result, self._plugins)
        occasion = "run_failed" if result.status == "error" else "run_finished"
        self._plugins.tell(occasion, run=self._run, result=result)
        return result
