"""Marks as CSV, JUnit, Gradescope and Classroom 50 want them, checked by what these document; and the pages."""

from __future__ import annotations

import csv
import json
import re
import stat
import zipfile
from dataclasses import replace
from io import BytesIO
from math import isfinite
from xml.etree import ElementTree

import html5lib
import pytest

from searchlab.cli.output import as_json
from searchlab.errors import UsageError
from searchlab.testing.grading import formats
from searchlab.testing.grading.marks import Grade, Mark, ShownBoard, refused
from searchlab.testing.grading.pages import class_page, page_name, student_page
from searchlab.testing.grading.rubric import VISIBILITIES, read_rubric
from searchlab.testing.grading.scaffold import gradescope_zip

RUBRIC = """\
title = "Heuristics & <more>"
file = "h.py"
heuristic = "h"
player = "p"
domain = "sliding-tile"

[[tests]]
test = "admissible"
points = 3

[[tests]]
test = "expands less than misplaced on sliding-tile/puzzle8-*"
points = 4
partial = true
leaderboard = true

[[tests]]
test = "score of 20 games >= 100"
domain = "2048-random"
points = 2
visibility = "hidden"
leaderboard = true

[[tests]]
test = "holds checks.py:f"
points = 1
"""
BOARD = ShownBoard("the smallest such board:", ((1, 2, 3), (4, 5, 6), (7, 0, 8)))
MARKS = (
    Mark(
        0.0, "2 on a board <that> is solved at 1", (BOARD,), seconds=1.5, printed="\x1b[31m\x00 ]]> é", printed_bytes=9
    ),
    Mark(0.5, "too many nodes", figure=1200.0, seconds=2.0),
    Mark(1.0, "mean score of 20 games: 500", figure=500.0),
    Mark(0.0, "it did not come back within 60 s", ended="time-limit"),
)
RUNNER = {
    "CLASSROOM": "cs1",
    "ASSIGNMENT": "astar",
    "ASSIGNMENT_TYPE": "individual",
    "USERNAME": "ada",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2026-01-01T00-00-00Z-abc1234",
    "COMMIT_URL": "https://example.org/commit/1",
    "RELEASE_URL": "https://example.org/release/1",
}


@pytest.fixture
def rubric(tmp_path):
    """A rubric with four tests, in a folder with what it names."""
    (tmp_path / "checks.py").write_text("def f(module): pass\n")
    path = tmp_path / "rubric.toml"
    path.write_text(RUBRIC)
    return read_rubric(path)


@pytest.fixture
def grades(rubric):
    """Those of a student with a mark of every kind, and of one whose file cannot be loaded."""
    fault = (*MARKS[:3], Mark(0.0, "x", fault="checks.py:f returned 7"))
    said = "zoe.py: SyntaxError: invalid syntax (line 1)"
    return [
        Grade("ada", rubric, MARKS, remarks=("like ben",)),
        Grade("=ben", rubric, fault),
        Grade("zoe", rubric, refused(rubric, said), said),
    ]


def test_points(grades):
    """Part of the points only where the test says so; a fault of the rubric is no grade."""
    assert [grade.points for grade in grades] == [4, 4, 0]
    assert [grade.is_graded for grade in grades] == [True, False, False]
    assert grades[0].reason == "1: 2 on a board <that> is solved at 1"


def test_csv(rubric, grades):
    """A row for each student, and no cell that a spreadsheet takes for a formula."""
    rows = list(csv.DictReader(formats.csv_text(rubric, grades).splitlines()))
    assert [(row["student"], row["points"], row["of"]) for row in rows] == [
        ("ada", "4", "10"),
        ("'=ben", "4", "10"),
        ("zoe", "0", "10"),
    ]
    assert rows[0]["remarks"] == "like ben"
    assert rows[2]["reason"].startswith("zoe.py: SyntaxError")


def check_gradescope(content):
    """Fail unless a value has the fields of https://gradescope-autograders.readthedocs.io/en/latest/specs/."""
    known = {"score", "execution_time", "output", "output_format", "test_output_format", "test_name_format"}
    known |= {"visibility", "stdout_visibility", "extra_data", "tests", "leaderboard"}
    assert {*content} <= known
    assert isinstance(content["execution_time"], int | float)
    assert isinstance(content["output"], str)
    assert content["stdout_visibility"] in VISIBILITIES
    of_test = {"score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags"}
    assert content["tests"]
    for test in content["tests"]:
        assert {*test} <= of_test | {"visibility", "extra_data"}
        assert 0 <= test["score"] <= test["max_score"]
        assert test["status"] in ("passed", "failed")
        assert test["visibility"] in VISIBILITIES
        assert all(isinstance(test[key], str) for key in ("name", "number", "output"))
    for entry in content["leaderboard"]:
        assert {*entry} <= {"name", "value", "order"}
        assert isfinite(entry["value"]) if isinstance(entry["value"], float) else isinstance(entry["value"], str)
        assert entry.get("order", "desc") in ("asc", "desc")


def test_gradescope(grades):
    """Each student's file is as specified; of few nodes and of many points the best come first."""
    contents = [json.loads(as_json(formats.gradescope(grade))) for grade in grades]
    for content in contents:
        check_gradescope(content)
    ada, _, zoe = contents
    assert sum(test["score"] for test in ada["tests"]) == 4
    assert "  7 0 8" in ada["tests"][0]["output"]
    assert [(one["value"], one["order"]) for one in ada["leaderboard"]] == [(1200.0, "asc"), (500.0, "desc")]
    assert zoe["output"].startswith("zoe.py: SyntaxError")
    assert zoe["leaderboard"] == []


def check_classroom50(content):
    """Fail unless a value keeps the schema classroom50/result/v1, with the rules that its collector adds."""
    required = {"schema", "classroom", "assignment", "assignment_type", "owner", "submission", "commit", "release"}
    required |= {"review", "datetime", "score", "max-score", "tests"}
    assert required <= {*content} <= required | {"graded_at", "submitted_by"}
    assert content["schema"] == "classroom50/result/v1"
    assert content["assignment_type"] in ("individual", "group")
    assert content["submission"].startswith("submit/")
    assert all(content[key] for key in ("classroom", "assignment", "owner", "commit", "release", "review"))
    for key in ("datetime", "graded_at"):
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ", content[key])
    for each in (content, *content["tests"]):
        assert type(each["score"]) is int
        assert type(each["max-score"]) is int
        assert 0 <= each["score"] <= each["max-score"]
    for test in content["tests"]:
        assert {"test-name", "passed", "score", "max-score"} <= {*test}
        assert test["test-name"]
        assert type(test["passed"]) is bool


def test_classroom50(rubric, grades):
    """Each student's file keeps the schema; a hidden test gives away neither its name nor its message."""
    formats.check_classroom50(rubric, RUNNER)
    for grade in grades:
        check_classroom50(json.loads(as_json(formats.classroom50(grade, RUNNER))))
    ada = formats.classroom50(grades[0], {**RUNNER, "OWNER": ""})
    assert (ada["owner"], ada["score"], ada["max-score"]) == ("ada", 4, 10)
    assert ada["tests"][2] == {"test-name": "hidden test 3", "passed": True, "score": 2, "max-score": 2}


def test_classroom50_refuses_what_its_schema_lacks(rubric):
    """Parts of points, and a run outside of its runner."""
    with pytest.raises(UsageError, match="sets the variable RELEASE_URL, and it is missing"):
        formats.check_classroom50(rubric, {key: value for key, value in RUNNER.items() if key != "RELEASE_URL"})
    halved = replace(rubric, tests=(replace(rubric.tests[0], points=2.5),))
    with pytest.raises(UsageError, match=r"takes whole points, and the test 'admissible' gives 2\.5"):
        formats.check_classroom50(halved, RUNNER)


def test_junit(rubric, grades, tmp_path):
    """Counts agree with the cases, each case has one outcome at most, and there is nothing that XML lacks."""
    text = formats.junit(rubric, grades)
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for suite in (root, *root):
        cases = list(suite.iter("testcase"))
        for name, kind in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
            assert int(suite.get(name)) == sum(case.find(kind) is not None for case in cases)
        assert int(suite.get("tests")) == len(cases)
        assert float(suite.get("time")) == pytest.approx(sum(float(case.get("time")) for case in cases))
    for case in root.iter("testcase"):
        assert {*case.attrib} == {"classname", "name", "time"}
        assert sum(case.find(kind) is not None for kind in ("failure", "error", "skipped")) <= 1
        assert {part.tag for part in case} <= {"properties", "failure", "error", "skipped", "system-out"}
    kinds = [[case.find(kind) is not None for kind in ("failure", "error")] for case in root[0].findall("testcase")]
    assert kinds == [[True, False], [True, False], [False, False], [False, True]]
    assert root[1].findall("testcase")[3].find("skipped").get("message") == "checks.py:f returned 7"


def test_junit_is_read_by_junitparser(rubric, grades, tmp_path):
    """The library that others read such files with finds the same outcomes."""
    junitparser = pytest.importorskip("junitparser")
    path = tmp_path / "junit.xml"
    path.write_text(formats.junit(rubric, grades), encoding="utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(path)))
    assert [(suite.name, suite.tests, suite.failures, suite.errors) for suite in suites] == [
        ("ada", 4, 2, 1),
        ("=ben", 4, 2, 0),
        ("zoe", 4, 0, 4),
    ]
    assert [case.is_passed for case in suites[0]] == [False, False, True, False]


def test_pages_are_valid_and_hide_hidden_tests(rubric, grades):
    """The student sees the board that shows the fault, and of a hidden test only the points."""
    for page in (class_page(rubric, grades), *map(student_page, grades)):
        html5lib.HTMLParser(strict=True).parse(page)
    ada = student_page(grades[0])
    assert "Heuristics &amp; &lt;more&gt;: ada" in ada
    assert ada.count('<svg class="board"') == 1
    assert "score of 20 games" not in ada
    assert "1 more test: 2 of 2 points" in ada
    table = class_page(rubric, grades)
    assert 'href="students/%3Dben.html"' in table
    assert page_name("=ben") == "students/=ben.html"
    assert "like ben" in table


def test_the_zip_file_for_gradescope(rubric):
    """Both scripts lie at its root and are executable; the rubric is there with what it names, and searchlab."""
    content, names = gradescope_zip(rubric)
    assert names == ["rubric.toml", "checks.py"]
    with zipfile.ZipFile(BytesIO(content)) as archive:
        for name in ("setup.sh", "run_autograder"):
            info = archive.getinfo(name)
            assert stat.S_IMODE(info.external_attr >> 16) == 0o755
            assert archive.read(name).startswith(b"#!/usr/bin/env bash\n")
        assert {"rubric/rubric.toml", "rubric/checks.py", "searchlab/pyproject.toml"} <= {*archive.namelist()}
        assert "searchlab/searchlab/cli/grade.py" in archive.namelist()
        assert not [name for name in archive.namelist() if name.endswith(".pyc")]
    assert content == gradescope_zip(rubric)[0]
