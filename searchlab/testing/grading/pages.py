"""Pages of marks: a page for each student, with the boards that show faults, and a table for the teacher."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from searchlab.board.board import Board
from searchlab.errors.control_characters import escaped
from searchlab.model.formatting import counted
from searchlab.reports.board_svg import board_svg
from searchlab.reports.viewer import page_template
from searchlab.testing.grading.marks import points_of, points_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.testing.grading.marks import Grade, Mark
    from searchlab.testing.grading.rubric import Rubric, RubricTest

PAGES, INDEX = "students", "index.html"
LARGEST_DRAWN = 64
"""The longest side of a board that is drawn."""


def page_name(student: str) -> str:
    """Return the name of a student's page in the folder of marks."""
    return f"{PAGES}/{student}.html"


def student_page(grade: Grade) -> str:
    """Return the page for a student: the tests that the student may see, and the total points of the other tests."""
    shown = [(n, test, mark) for n, (test, mark) in enumerate(grade.pairs, 1) if test.visibility == "visible"]
    others = [(test, mark) for test, mark in grade.pairs if test.visibility != "visible"]
    hidden = ""
    if others:
        points = points_text(sum(points_of(test, mark) for test, mark in others))
        of = points_text(sum(test.points for test, _ in others))
        hidden = f"{len(others)} more {'test' if len(others) == 1 else 'tests'}: {points} of {of} points"
    return page_template("grade_student.html").render(
        title=escaped(f"{grade.rubric.title}: {grade.student}"),
        headline=f"{points_text(grade.points)} of {points_text(grade.rubric.points)} points",
        tests=[_shown(*each) for each in shown],
        hidden=hidden,
    )


def _shown(number: int, test: RubricTest, mark: Mark) -> dict[str, Any]:
    """Return a test as the page shows it."""
    boards = [Board(one.tiles, signed=True) for one in mark.boards]
    return {
        "number": number,
        "name": escaped(test.name),
        "phrase": escaped(test.phrase),
        "points": points_text(points_of(test, mark)),
        "of": points_text(test.points),
        "outcome": "holds" if mark.holds else "partly" if points_of(test, mark) else "fails",
        "message": escaped(f"not graded: {mark.fault}" if mark.fault else mark.message),
        "boards": [
            (escaped(one.caption), board_svg(board))
            for one, board in zip(mark.boards, boards, strict=True)
            if max(board.shape) <= LARGEST_DRAWN
        ],
        "printed": "\n".join(map(escaped, mark.printed.splitlines())) if mark.printed else "",
    }


def class_page(rubric: Rubric, grades: Sequence[Grade]) -> str:
    """Return the page for the teacher: a row for each student, with a link to the student's page."""
    mean = points_text(sum(grade.points for grade in grades) / len(grades))
    rows = [
        {
            "student": escaped(grade.student),
            "page": quote(page_name(grade.student)),
            "points": points_text(grade.points),
            "tests": [points_text(points_of(test, mark)) for test, mark in grade.pairs],
            "reason": escaped(grade.reason),
            "remarks": list(map(escaped, grade.remarks)),
        }
        for grade in grades
    ]
    students = counted(len(grades), "student")
    return page_template("grade_class.html").render(
        title=escaped(rubric.title),
        headline=f"{students}, mean {mean} of {points_text(rubric.points)} points",
        tests=[f"{escaped(test.name)} ({points_text(test.points)})" for test in rubric.tests],
        rows=rows,
    )
