"""Marks: what one test found out about one student's file, and all of them together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.testing.grading.rubric import Rubric, RubricTest

DECIMALS = 2
"""Of points."""


class ShownBoard(msgspec.Struct, frozen=True):
    """A board that shows why a test fails.

    Attributes:
        caption: what it is.
        tiles: its rows.
    """

    caption: str
    tiles: tuple[tuple[int, ...], ...]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of a test.

    Attributes:
        share: the share of it that holds, from 0 to 1; 1 only if all of it does.
        message: why, in a line.
        boards: the boards that show it, the counterexample first.
        figure: the figure that a leaderboard ranks, None without one.
        ended: why the code did not answer: `"time-limit"`, `"memory-limit"`, `"died"` or `"not loaded"`; else `""`.
        fault: why the test itself failed, which is no fault of the student; `""` if it did not.
        seconds: the wall time it took.
        printed: what the code printed, up to the limit.
        printed_bytes: how much it printed.
    """

    share: float
    message: str
    boards: tuple[ShownBoard, ...] = ()
    figure: float | None = None
    ended: str = ""
    fault: str = ""
    seconds: float = 0.0
    printed: str = ""
    printed_bytes: int = 0

    @property
    def holds(self) -> bool:
        """Whether all of it holds."""
        return self.share >= 1


@dataclass(frozen=True)
class Grade:
    """The marks of a student.

    Attributes:
        student: the name.
        rubric: the rubric.
        marks: the outcome of each test, in order.
        refusal: why nothing could be tested, `""` if something could.
        remarks: hints for the teacher, such as a file that is much like another one.
    """

    student: str
    rubric: Rubric
    marks: tuple[Mark, ...]
    refusal: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The points of all tests."""
        return round(sum(points_of(test, mark) for test, mark in self.pairs), DECIMALS)

    @property
    def pairs(self) -> list[tuple[RubricTest, Mark]]:
        """Each test with its outcome."""
        return list(zip(self.rubric.tests, self.marks, strict=True))

    @property
    def is_graded(self) -> bool:
        """Whether the file was tested, and no test failed by a fault of the rubric."""
        return not self.refusal and not any(mark.fault for mark in self.marks)

    @property
    def reason(self) -> str:
        """Why points are missing, in a line: the refusal, or the first test that does not hold."""
        if self.refusal:
            return self.refusal
        number, found = next(
            ((number, mark) for number, mark in enumerate(self.marks, 1) if not mark.holds or mark.fault), (0, None)
        )
        return f"{number}: {found.fault or found.message}" if found else ""


def points_of(test: RubricTest, mark: Mark) -> float:
    """Return the points that an outcome gives."""
    if mark.holds:
        return test.points
    return min(round(test.points * mark.share, DECIMALS), test.points) if test.partial else 0.0


def points_text(points: float) -> str:
    """Return points as text.

    >>> points_text(3.0), points_text(2.5)
    ('3', '2.5')
    """
    return f"{points:.{DECIMALS}f}".rstrip("0").rstrip(".")


def refused(rubric: Rubric, reason: str) -> tuple[Mark, ...]:
    """Return the marks of a student of whom nothing could be tested."""
    return tuple(Mark(0.0, reason, ended="not loaded") for _ in rubric.tests)


def in_order(grades: Sequence[Grade]) -> list[Grade]:
    """Return grades by the students' names."""
    return sorted(grades, key=lambda grade: grade.student)
