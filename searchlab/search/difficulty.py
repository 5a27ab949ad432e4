"""Boards of a given difficulty: a generator draws boards, and the boards within the given ranges are kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from searchlab.errors import UsageError, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from searchlab.binding.extensions import BoundGenerator
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Limits
    from searchlab.search.searcher import Searcher

OPTIMAL, ESTIMATE, EXPANDED = "optimal", "h", "expanded"
"""The measures: the cost of a cheapest solution, the value of the heuristic, and the nodes that a search expands."""
RANGE = re.compile(r"(?P<low>\d+(\.\d+)?)(\.\.(?P<high>\d+(\.\d+)?)?)?")


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, both included."""

    low: float
    high: float

    @classmethod
    def parse(cls, text: str) -> Range:
        """Return the range that a text describes.

        >>> Range.parse("40..50"), Range.parse("40.."), Range.parse("40")
        (Range(low=40.0, high=50.0), Range(low=40.0, high=inf), Range(low=40.0, high=40.0))

        Raises:
            UsageError: the text is not a range.
        """
        found = RANGE.fullmatch(text.strip())
        if not found:
            raise UsageError(f"a range like 40..50, 40.. or 40 is wanted, not {shown(text)}")
        low = float(found["low"])
        high = float(found["high"]) if found["high"] else inf if ".." in text else low
        if high < low:
            raise UsageError(f"the range {text} ends before it begins")
        return cls(low, high)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def stratum(self, value: float, strata: int) -> int:
        """Divide the range into equal parts, and return the number of the part that contains a value, from 0."""
        if self.high == self.low:
            return 0
        return min(strata - 1, int((value - self.low) / (self.high - self.low) * strata))


@dataclass(frozen=True)
class DrawnBoard:
    """A board within the given ranges.

    Attributes:
        seed: the seed from which the generator made it.
        instance: the board with its static data.
        figures: the value of each computed measure, by its name.
    """

    seed: int
    instance: Instance
    figures: Mapping[str, float]


class Draw:
    """Draws boards from a generator until enough are within the given ranges.

    Args:
        generator: makes the boards.
        searcher: measures the boards: its heuristic for h, its searches for the other measures.
        wanted: the range by measure. A board is kept if it is within all ranges.
        count: the number of boards to keep.
        strata: the number of equal parts of the first range; the same number of boards is kept from each.
        limits: the limits of each search. A board whose search reaches a limit is not kept.

    Attributes:
        tried: the number of boards drawn.
        undecided: the number of boards whose search reached a limit.

    Raises:
        UsageError: the strata are invalid.
    """

    def __init__(
        self,
        generator: BoundGenerator,
        searcher: Searcher,
        wanted: Mapping[str, Range],
        *,
        count: int = 1,
        strata: int = 1,
        limits: Limits | None = None,
    ) -> None:
        self._generator, self._searcher, self._wanted = generator, searcher, wanted
        self._count, self._limits = count, limits
        self.tried = self.undecided = 0
        self._first = next(iter(wanted))
        first = wanted[self._first]
        if strata > 1 and not 0 < first.high - first.low < inf:
            raise UsageError(f"strata need a range with two ends, which {self._first} lacks")
        if strata > count:
            raise UsageError(f"{strata} strata need as many boards at least, not {count}")
        self._left = [count // strata + (number < count % strata) for number in range(strata)]

    @property
    def kept(self) -> int:
        """The number of boards that were kept."""
        return self._count - sum(self._left)

    def boards(
        self, seed: int, tries: int, note: Callable[[Draw, str], None] = lambda *_: None
    ) -> Iterator[DrawnBoard]:
        """Yield the boards that are kept, at most `count` of them.

        Args:
            seed: the seed of the first board; each further board has the next seed.
            tries: the largest number of boards to draw.
            note: called before each board is generated and before it is measured, with this draw and what comes now.

        Raises:
            UsageError: the search proves no optimum, and the optimum is a measure.
            PluginError: the generator, or a function of the search, failed.
        """
        for number in range(seed, seed + tries):
            note(self, f"waiting for generator {self._generator} with seed {number}")
            instance = self._generator.instance(number)
            self.tried += 1
            note(self, f"measuring the board of seed {number}")
            figures = self._measured(instance)
            if figures:
                stratum = self._wanted[self._first].stratum(figures[self._first], len(self._left))
                if self._left[stratum]:
                    self._left[stratum] -= 1
                    yield DrawnBoard(number, instance, figures)
            if not any(self._left):
                return

    def _measured(self, instance: Instance) -> dict[str, float] | None:
        """Return the measures of a board; None if a measure is out of range or unknown."""
        figures: dict[str, float] = {}
        wanted, searcher = self._wanted, self._searcher
        if ESTIMATE in wanted or (OPTIMAL in wanted and searcher.heuristic.admissible):
            problem = searcher.problem(instance)
            h = float(problem.heuristic(problem.board))
            if OPTIMAL in wanted and problem.heuristic.admissible and h > wanted[OPTIMAL].high:
                return None  # without a search: no solution costs less than h
            if ESTIMATE in wanted:
                if h not in wanted[ESTIMATE]:
                    return None
                figures[ESTIMATE] = h
        if OPTIMAL in wanted or EXPANDED in wanted:
            result = searcher(instance, limits=self._limits)
            if result.status.endswith("-limit"):
                self.undecided += 1
                return None
            if OPTIMAL in wanted:
                if result.cost is None:
                    return None
                if not result.optimal:
                    said = f"{searcher.frontier} with {searcher.heuristic} proves no optimum"
                    raise UsageError(f"{said}: name a frontier that does, such as astar, and an admissible heuristic")
                figures[OPTIMAL] = float(result.cost)
            if EXPANDED in wanted:
                figures[EXPANDED] = float(result.expanded)
        return figures if all(figures[name] in wanted[name] for name in figures) else None
