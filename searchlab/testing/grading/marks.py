"""Marks: the outcome of a test of a student's file, and all outcomes of a student together."""

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
        caption: the caption.
        tiles: the rows of tiles.
    """

    caption: str
    tiles: tuple[tuple[int, ...], ...]


class Mark(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of a test.

    Attributes:
        share: the share of the test that holds, from 0 to 1; it is 1 only if the whole test holds.
        message: the reason in one line.
        boards: the boards that show the reason, the counterexample first.
        figure: the figure that a leaderboard ranks, or None without a figure.
        ended: why the code did not answer: `"time-limit"`, `"memory-limit"`, `"died"` or `"not loaded"`; else `""`.
        fault: why the test itself failed, which is not the student's fault, or `""` if it did not.
        seconds: the wall time of the test.
        printed: the output of the code, up to the limit.
        printed_bytes: the number of bytes that the code printed.
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
        """Whether the whole test holds."""
        return self.share >= 1


@dataclass(frozen=True)
class Grade:
    """The marks of a student.

    Attributes:
        student: the name.
        rubric: the rubric.
        marks: the outcome of each test, in order.
        refusal: the reason why nothing could be tested, or `""` if the file was tested.
        remarks: hints for the teacher, such as a file that is much like another file.
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
        """Whether the file was tested, and no test failed through a fault of the rubric."""
        return not self.refusal and not any(mark.fault for mark in self.marks)

    @property
    def reason(self) -> str:
        """The reason in one line why points are missing: the refusal, or the first test that does not hold."""
        if self.refusal:
            return self.refusal
        number, found = next(
            ((number, mark) for number, mark in enumerate(self.marks, 1) if not mark.holds or mark.fault), (0, None)
        )
        return f"{number}: {found.fault or found.message}" if found else ""


def points_of(test: RubricTest, mark: Mark) -> float:
    """Return the points for an outcome of a test."""
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
    """Return the marks of a student whose file could not be tested."""
    return tuple(Mark(0.0, reason, ended="not loaded") for _ in rubric.tests)


def in_order(grades: Sequence[Grade]) -> list[Grade]:
    """Return grades sorted by the names of the students."""
    return sorted(grades, key=lambda grade: grade.student)
