"""Runs that are repeated until the interval of their median time is narrow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from searchlab.experiments.specification import LEAST_REPEATED, MOST_REPEATED
from searchlab.experiments.statistics import FEWEST_FOR_MEDIAN, median_interval

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from searchlab.experiments.runs import Run, RunList

WITHOUT_END = ("error", "time-limit", "memory-limit", "interrupted")
"""Statuses of runs whose time says nothing about the run: further repetitions of these would say no more."""


class Repetitions:
    """The repetitions of runs that have a `repeat_until`, and their times so far.

    Args:
        runs: the runs of an experiment that have one, each repetition a run.
    """

    def __init__(self, runs: Iterable[Run]) -> None:
        self._repeated: dict[str, dict[int, Run]] = {}
        self._times: dict[str, dict[int, tuple[str, float]]] = {}
        for run in runs:
            self._repeated.setdefault(_first(run), {})[run.repetition] = run

    def added(self, recorded: Container[str]) -> Iterator[Run]:
        """Yield the repetitions that were added earlier, up to the last that is recorded of each run.

        Args:
            recorded: the identities of all recorded runs.
        """
        for runs in self._repeated.values():
            further = [
                replace(next(iter(runs.values())), repetition=n) for n in range(max(runs) + 1, MOST_REPEATED + 1)
            ]
            last = max((run.repetition for run in further if run.identity in recorded), default=0)
            for run in further:
                if run.repetition <= last:
                    runs[run.repetition] = run
                    yield run

    def note(self, run: Run, status: str, seconds: float) -> list[Run]:
        """Take note of a run that is done, and return the repetitions that are to be done besides."""
        if run.repeat_until is None:
            return []
        first = _first(run)
        self._times.setdefault(first, {})[run.repetition] = status, seconds
        return self._further(first)

    def _further(self, first: str) -> list[Run]:
        """Return the repetitions to add to those of a run; none as long as some of these are not done."""
        runs, times = self._repeated[first], self._times[first]
        if len(times) < len(runs) or len(runs) >= MOST_REPEATED or not self._is_timed(times) or self._is_settled(first):
            return []
        last = max(runs)
        missing = max(1, FEWEST_FOR_MEDIAN - len(runs))
        further = [replace(runs[last], repetition=last + number) for number in range(1, missing + 1)]
        runs.update({run.repetition: run for run in further})
        return further

    @property
    def unsettled(self) -> int:
        """The number of runs that were repeated most often without an interval as narrow as wanted."""
        return sum(len(times) >= MOST_REPEATED and not self._is_settled(first) for first, times in self._times.items())

    def _is_settled(self, first: str) -> bool:
        """Return whether the interval of the median time of a run is as narrow as wanted."""
        seconds = np.array([seconds for _, seconds in self._times[first].values()])
        percent = next(iter(self._repeated[first].values())).repeat_until
        interval = median_interval(seconds)
        if interval is None or percent is None:
            return False
        median = float(np.median(seconds))
        return max(interval[1] - median, median - interval[0]) <= percent / 100 * median

    @staticmethod
    def _is_timed(times: Mapping[int, tuple[str, float]]) -> bool:
        return all(status not in WITHOUT_END for status, _ in times.values())


def _first(run: Run) -> str:
    """Return the identity of the first repetition of a run."""
    return run.identity if run.repetition == 1 else replace(run, repetition=1).identity


def identities_of(runs: RunList, most: int) -> bytes:
    """Return the identities of runs, and of the repetitions that may have been added to them, as `packed` does.

    Args:
        most: the highest repetition that is wanted.
    """
    further = range(LEAST_REPEATED + 1, min(most, MOST_REPEATED) + 1)
    added = (run.identities([run.seed], further) for run in runs.repeated if run.repetition == 1)
    return runs.identities + b"".join(identity for each in added for identity in each)
