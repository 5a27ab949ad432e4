"""Marks in the formats of other programs: CSV and JSON, JUnit, Gradescope and Classroom 50."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from searchlab.testing.grading.marks import points_of, points_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.testing.grading.marks import Grade, Mark, ShownBoard
    from searchlab.testing.grading.rubric import Rubric

FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of what a spreadsheet takes for a formula."""


def csv_text(rubric: Rubric, grades: Sequence[Grade]) -> str:
    """Return a row for each student: points, points of each test, the reason, and remarks for the teacher."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "points", "of", *(test.name for test in rubric.tests), "reason", "remarks"])
    for grade in grades:
        points = [points_text(points_of(test, mark)) for test, mark in grade.pairs]
        row = [grade.student, points_text(grade.points), points_text(rubric.points), *points]
        writer.writerow(list(map(_plain_cell, [*row, grade.reason, "; ".join(grade.remarks)])))
    return out.getvalue()


def _plain_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula: students choose names, and messages quote their code."""
    is_formula = text.startswith(FORMULAS) and not _is_number(text)
    return f"'{text}" if is_formula else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_dict(rubric: Rubric, grades: Sequence[Grade]) -> dict[str, Any]:
    """Return everything as plain values."""
    return {
        "title": rubric.title,
        "points": rubric.points,
        "students": [
            {
                "student": grade.student,
                "points": grade.points,
                "graded": grade.is_graded,
                "reason": grade.reason or None,
                "remarks": list(grade.remarks),
                "tests": [
                    {
                        "name": test.name,
                        "test": test.phrase,
                        "points": points_of(test, mark),
                        "of": test.points,
                        "holds": mark.holds,
                        "share": mark.share,
                        "message": mark.message,
                        "ended": mark.ended or None,
                        "fault": mark.fault or None,
                        "figure": mark.figure,
                        "visibility": test.visibility,
                        "seconds": mark.seconds,
                        "boards": [{"caption": one.caption, "tiles": one.tiles} for one in mark.boards],
                        "printed": mark.printed or None,
                    }
                    for test, mark in grade.pairs
                ],
            }
            for grade in grades
        ],
    }


def explained(mark: Mark) -> str:
    """Return a mark as text: the message, and below it the boards that show it."""
    said = f"not graded: {mark.fault}" if mark.fault else mark.message
    return "\n".join([said, *map(_board_text, mark.boards)])


def _board_text(shown: ShownBoard) -> str:
    width = max(len(str(tile)) for row in shown.tiles for tile in row)
    rows = (" ".join(str(tile).rjust(width) for tile in row) for row in shown.tiles)
    return "\n".join([shown.caption, *(f"  {row}" for row in rows)])
