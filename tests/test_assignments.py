"""The assignments that ship: their solutions get the marks that stand beside them, and skeletons get few points."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from searchlab.cli import main
from searchlab.testing.grading.rubric import read_rubric

FOLDER = Path(__file__).parents[1] / "assignments"
ASSIGNMENTS = sorted(path.parent for path in FOLDER.glob("*/rubric.toml"))


def each_assignment(test):
    """Parametrize a test with the folders of the assignments."""
    return pytest.mark.parametrize("folder", ASSIGNMENTS, ids=lambda folder: folder.name)(test)


def graded(folder, rubric, output, capsys):
    """Return the rows of the table by the students, and the exit code."""
    code = main(["grade", str(folder), "--rubric", str(rubric), "--output", str(output), "--format", "csv"])
    return {row["student"]: row for row in csv.DictReader(capsys.readouterr().out.splitlines())}, code


def test_three_assignments_ship():
    """Each with a text, a skeleton, a rubric, a model and three faulty solutions."""
    assert len(ASSIGNMENTS) == 3
    for folder in ASSIGNMENTS:
        assert {path.name for path in folder.iterdir() if not path.name.startswith("_")} == {
            *("README.md", "skeleton.py", "rubric.toml", "checks.py", "marks.csv", "solutions")
        }
        assert len([path for path in (folder / "solutions").iterdir() if path.name != "model"]) == 3


@each_assignment
def test_the_text_gives_as_many_points_as_the_rubric(folder):
    """The points in brackets add up to those of all tests."""
    import re

    text = (folder / "README.md").read_text(encoding="utf-8")
    assert sum(map(int, re.findall(r"\((\d+) points?\)", text))) == read_rubric(folder / "rubric.toml").points


@pytest.mark.slow
@each_assignment
def test_solutions_get_the_stated_marks(folder, tmp_path, capsys):
    """The model all points; each faulty one those of what is right in it."""
    rows, code = graded(folder / "solutions", folder / "rubric.toml", tmp_path / "out", capsys)
    with (folder / "marks.csv").open(encoding="utf-8", newline="") as file:
        stated = {row["student"]: row for row in csv.DictReader(file)}
    assert code == 0
    assert {name: float(row["points"]) for name, row in rows.items()} == {
        name: float(row["points"]) for name, row in stated.items()
    }
    assert float(rows["model"]["points"]) == read_rubric(folder / "rubric.toml").points
    for name, row in stated.items():
        assert rows[name]["reason"].startswith(row["reason"]), name


@pytest.mark.slow
@each_assignment
def test_the_skeleton_gets_few_points(folder, tmp_path, capsys):
    """It can be loaded, and nothing is right in it that a student should write."""
    name = read_rubric(folder / "rubric.toml").file
    (tmp_path / "in" / "nobody").mkdir(parents=True)
    (tmp_path / "in" / "nobody" / name).write_bytes((folder / "skeleton.py").read_bytes())
    rows, code = graded(tmp_path / "in", folder / "rubric.toml", tmp_path / "out", capsys)
    assert code == 0
    assert float(rows["nobody"]["points"]) <= 0.1 * float(rows["nobody"]["of"])
