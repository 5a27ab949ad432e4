"""A run that plugins observe: they are told when it begins and ends, and add their metrics to its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from searchlab.errors import in_one_line
from searchlab.experiments.measuring import measured
from searchlab.lifecycle import Run
from searchlab.search.limits import Limits
from searchlab.search.result import Result

if TYPE_CHECKING:
    from types import TracebackType

    from searchlab.plugins import Plugins
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

    def __enter__(self) -> Self:
        self._plugins.tell("run_started", run=self._run)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        run = self._run
        if error is not None:
            self.result = Result("error", run.start, run.domain, run.heuristic, run.frontier, in_one_line(error))
        else:
            self.result = measured(self.result, self._plugins)
        occasion = "run_failed" if self.result.status == "error" else "run_finished"
        self._plugins.tell(occasion, run=run, result=self.result)
