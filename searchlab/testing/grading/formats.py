"""Marks in the formats of other programs: CSV and JSON, JUnit, Gradescope and Classroom 50."""

from __future__ import annotations

import csv
import io
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from searchlab.errors import UsageError
from searchlab.testing.grading.marks import points_of, points_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from searchlab.testing.grading.marks import Grade, Mark, ShownBoard
    from searchlab.testing.grading.rubric import Rubric, RubricTest

ONE_STUDENT = ("gradescope", "classroom50")
"""The formats of services that grade one student at a time."""
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
ENVIRONMENT = {
    "classroom": "CLASSROOM",
    "assignment": "ASSIGNMENT",
    "owner": "OWNER",
    "submission": "SUBMISSION_TAG",
    "commit": "COMMIT_URL",
    "release": "RELEASE_URL",
}
"""The fields of a result of Classroom 50, and the variables that its runner sets for them."""
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""The first characters of texts that a spreadsheet takes for a formula."""


def csv_text(rubric: Rubric, grades: Sequence[Grade]) -> str:
    """Return CSV with a row for each student: points, points of each test, the reason, and remarks for the teacher."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "points", "of", *(test.name for test in rubric.tests), "reason", "remarks"])
    for grade in grades:
        points = [points_text(points_of(test, mark)) for test, mark in grade.pairs]
        row = [grade.student, points_text(grade.points), points_text(rubric.points), *points]
        writer.writerow(list(map(_plain_cell, [*row, grade.reason, "; ".join(grade.remarks)])))
    return out.getvalue()


def _plain_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula, because names and messages contain texts of students."""
    is_formula = text.startswith(FORMULAS) and not _is_number(text)
    return f"'{text}" if is_formula else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_dict(rubric: Rubric, grades: Sequence[Grade]) -> dict[str, Any]:
    """Return the rubric and all grades as plain values, for JSON."""
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
    """Return a mark as text: the message, and the boards that show it below."""
    said = f"not graded: {mark.fault}" if mark.fault else mark.message
    return "\n".join([said, *map(_board_text, mark.boards)])


def _board_text(shown: ShownBoard) -> str:
    width = max(len(str(tile)) for row in shown.tiles for tile in row)
    rows = (" ".join(str(tile).rjust(width) for tile in row) for row in shown.tiles)
    return "\n".join([shown.caption, *(f"  {row}" for row in rows)])


def gradescope(grade: Grade) -> dict[str, Any]:
    """Return the content of Gradescope's `results.json`, by its autograder specifications."""
    tests, board = [], []
    for number, (test, mark) in enumerate(grade.pairs, 1):
        tests.append(
            {
                "name": test.name,
                "number": str(number),
                "score": points_of(test, mark),
                "max_score": test.points,
                "status": "passed" if mark.holds and not mark.fault else "failed",
                "output": explained(mark),
                "visibility": test.visibility,
            }
        )
        if test.leaderboard and mark.figure is not None:
            board.append({"name": test.name, "value": mark.figure, "order": order_of(test)})
    return {
        "execution_time": round(sum(mark.seconds for mark in grade.marks), 3),
        "output": grade.refusal or f"{points_text(grade.points)} of {points_text(grade.rubric.points)} points",
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": board,
    }


def order_of(test: RubricTest) -> str:
    """Return the order of a leaderboard: few nodes are best, or many points."""
    return "desc" if test.form.subject == "player" else "asc"


def check_classroom50(rubric: Rubric, environment: Mapping[str, str]) -> None:
    """Raise a UsageError if a variable of Classroom 50's runner is missing, or the rubric has fractional points."""
    for field, name in ENVIRONMENT.items():
        if not _variables(environment)[field]:
            raise UsageError(f"classroom50: its runner sets the variable {name}, and it is missing")
    for test in rubric.tests:
        if test.points != int(test.points):
            raise UsageError(f"classroom50 takes whole points, and the test {test.name!r} gives {test.points:g}")


def _variables(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that the runner of Classroom 50 sets, with `""` for variables that are not set."""
    found = {field: environment.get(name, "") for field, name in ENVIRONMENT.items()}
    return {**found, "owner": found["owner"] or environment.get("USERNAME", "")}


def classroom50(grade: Grade, environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of Classroom 50's `result.json`, by its schema classroom50/result/v1.

    Args:
        grade: the marks.
        environment: the variables that the runner sets; see `check_classroom50`.
    """
    variables = _variables(environment)
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    tests = []
    for number, (test, mark) in enumerate(grade.pairs, 1):
        is_shown = test.visibility == "visible"
        tests.append(
            {
                "test-name": test.name if is_shown else f"hidden test {number}",
                "passed": mark.holds and not mark.fault,
                "score": int(points_of(test, mark)),
                "max-score": int(test.points),
                **({"output": explained(mark)} if is_shown else {}),
            }
        )
    return {
        "schema": "classroom50/result/v1",
        **variables,
        "assignment_type": environment.get("ASSIGNMENT_TYPE") or "individual",
        "review": environment.get("REVIEW_URL") or variables["commit"],
        "datetime": now,
        "graded_at": now,
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def junit(rubric: Rubric, grades: Sequence[Grade]) -> str:
    """Return JUnit XML: a suite for each student, with the points as properties of each case."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    suites = Element("testsuites", {"name": _for_xml(rubric.title), **_counts(grades)})
    for grade in grades:
        suite = SubElement(suites, "testsuite", {"name": _for_xml(grade.student), **_counts([grade])})
        _add_properties(suite, points=points_text(grade.points), of=points_text(rubric.points))
        for test, mark in grade.pairs:
            name = {"classname": _for_xml(grade.student), "name": _for_xml(test.name), "time": f"{mark.seconds:.3f}"}
            case = SubElement(suite, "testcase", name)
            _add_properties(case, points=points_text(points_of(test, mark)), of=points_text(test.points))
            kind = _kind_of(mark)
            if kind:
                said = _for_xml(mark.fault or mark.message)
                outcome = SubElement(case, kind, message=said)
                if kind != "skipped":
                    outcome.set("type", mark.ended or "does not hold")
                outcome.text = _for_xml(explained(mark))
            if mark.printed:
                SubElement(case, "system-out").text = _for_xml(mark.printed)
    indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suites, encoding="unicode") + "\n"


def _kind_of(mark: Mark) -> str:
    """Return the name of the element for an outcome: `""` if the test holds, `error` if the code did not answer."""
    if mark.fault:
        return "skipped"
    if mark.holds:
        return ""
    return "error" if mark.ended else "failure"


def _counts(grades: Sequence[Grade]) -> dict[str, str]:
    kinds = [_kind_of(mark) for grade in grades for mark in grade.marks]
    seconds = sum(mark.seconds for grade in grades for mark in grade.marks)
    numbers = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    counts = {name: str(kinds.count(kind)) for name, kind in numbers.items()}
    return {"tests": str(len(kinds)), **counts, "time": f"{seconds:.3f}"}


def _add_properties(parent: Any, **values: str) -> None:
    from xml.etree.ElementTree import SubElement

    properties = SubElement(parent, "properties")
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=value)


def _for_xml(text: str) -> str:
    """Return a text without characters that are invalid in XML."""
    return NOT_IN_XML.sub("\ufffd", text)
