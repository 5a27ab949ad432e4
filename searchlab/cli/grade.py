"""`searchlab grade`: many students' files, tested by a rubric."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from searchlab.cli.help import Command
from searchlab.cli.options import INPUT_PATH, OUTPUT_PATH, common_options
from searchlab.cli.output import as_json, page_width, put, put_exactly, put_lines, put_wrapped, tell
from searchlab.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.cli.session import Session
    from searchlab.testing.grading.marks import Grade
    from searchlab.testing.grading.rubric import Rubric
    from searchlab.testing.grading.submissions import Submission

NOT_GRADED = 1
TABLE = "table"
FORMATS = (TABLE, "csv", "json", "junit", "gradescope", "classroom50")
NO_SANDBOX = (
    "students' files run with your rights: they can read and delete your files; "
    "run this in a container if you do not trust them"
)
GRADES = "grades.csv"


@click.command(
    cls=Command,
    examples=(
        "searchlab grade handed-in --rubric rubric.toml",
        "searchlab grade handed-in --rubric rubric.toml --students class.csv --output grades/week3",
    ),
    short_help="Grade students' files by a rubric; rerun to resume.",
)
@click.argument("folder", type=INPUT_PATH, metavar="FOLDER", required=False)
@click.option("--rubric", "rubric_file", metavar="FILE.toml", required=True, help="The tests, with their points.")
@click.option("--output", type=OUTPUT_PATH, metavar="DIR", help="Folder of the marks (default: grades/RUBRIC).")
@click.option(
    "--students", "students_file", metavar="FILE", help="Names of all students, one per line or in the first column."
)
@click.option("--single", is_flag=True, help="FOLDER was handed in by a single student: a folder, or a file.")
@click.option("--workers", type=click.IntRange(min=1), metavar="N", help="Simultaneous files (default: one per core).")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=TABLE,
    metavar="NAME",
    help=f"What is printed: {', '.join(FORMATS)} (default: {TABLE}).",
)
@click.option(
    "--scaffold",
    type=click.Choice(["gradescope"]),
    metavar="gradescope",
    help="Write the zip file that Gradescope grades with (default: RUBRIC.zip), and grade nothing.",
)
@common_options
@click.pass_obj
def grade(
    session: Session,
    folder: str | None,
    rubric_file: str,
    output: Path | None,
    students_file: str | None,
    single: bool,
    workers: int | None,
    form: str,
    scaffold: str | None,
) -> int:
    """Grade students' files by a rubric; rerun to resume.

    FOLDER has a Python file for each student, named after the student, or a folder for each student with the file that
    the rubric names. Each file is tested in a separate process, under the rubric's limits of time, memory and output: a
    file that hangs, crashes, prints or does not parse gets a row with the reason, and does not affect other files.

    This is no sandbox. Students' files run with your rights, and can read and delete your files. If you do not trust
    them, test them in a container without write access to the folder of the rubric.

    Marks are kept in the folder of --output as they are found: after Ctrl-C or a crash the same command continues. A
    file or a test that has changed is tested again.

    The folder has a table (grades.csv), a page for the teacher (index.html), and a page for each student, with the
    boards that show the faults. The formats gradescope and classroom50 are for services that grade one student at a
    time: FOLDER is then the work of this student.

    Exit codes: 0 all students are graded, whatever their points; 1 some could not be: nothing handed in, a file that
    cannot be loaded, a test that failed itself; 2 a usage error; 130 interrupted.
    """
    from searchlab.search.watch import cores
    from searchlab.testing.grading.formats import ONE_STUDENT, check_classroom50, csv_text
    from searchlab.testing.grading.likeness import alike
    from searchlab.testing.grading.pages import INDEX, class_page, page_name, student_page
    from searchlab.testing.grading.rubric import read_rubric
    from searchlab.testing.grading.submissions import students_in, submission_of, submissions_in

    rubric = read_rubric(rubric_file)
    if scaffold:
        return _scaffold(rubric, output, folder)
    if folder is None:
        raise UsageError("name the folder with the students' files: searchlab grade FOLDER --rubric FILE.toml")
    if form == "classroom50":
        check_classroom50(rubric, os.environ)
    path, is_class = Path(folder), not (single or form in ONE_STUDENT)
    if students_file and not is_class:
        raise UsageError("--students is for a class, not for a single student")
    students = students_in(Path(students_file)) if students_file else []
    submissions = (
        submissions_in(path, rubric.file, students)
        if is_class
        else [submission_of(path, rubric.file, path.absolute().stem)]
    )
    output = output or Path("grades") / _name_of(rubric)
    _check_output(output, path)
    tell(NO_SANDBOX)
    grades = _graded(rubric, submissions, output, session, workers or cores())
    remarks = alike(submissions, rubric.skeleton)
    for name in {one.student for one in submissions} - set(students) if students else set():
        remarks.setdefault(name, []).append(f"not among the students of {students_file}")
    grades = [
        replace(one, remarks=tuple(remarks.get(submission.student, ())))
        for one, submission in zip(grades, submissions, strict=True)
    ]
    pages = {page_name(one.student): student_page(one) for one in grades}
    _write(output, {GRADES: csv_text(rubric, grades), INDEX: class_page(rubric, grades), **pages})
    _show(form, rubric, grades)
    if form == TABLE:
        put_wrapped(f"written: {output / GRADES}, {output / INDEX} and a page for each student")
    return 0 if all(one.is_graded for one in grades) else NOT_GRADED


def _graded(
    rubric: Rubric, submissions: Sequence[Submission], output: Path, session: Session, workers: int
) -> Sequence[Grade]:
    """Grade what students handed in, and show the progress."""
    from searchlab.cli.progress import live_status
    from searchlab.testing.grading.grading import Grading, GradingProgress

    with live_status() as show:

        def report(progress: GradingProgress) -> None:
            latest = f"; {progress.student}: {progress.test}" if progress.student else ""
            show(f"{progress.done:,} of {progress.of:,} students{latest}")

        try:
            return Grading(rubric, submissions, output, session.plugins.settings, workers, report).run()
        except KeyboardInterrupt:
            raise KeyboardInterrupt("marks are kept; repeat the command to continue") from None


def _show(form: str, rubric: Rubric, grades: Sequence[Grade]) -> None:
    """Print grades in a format."""
    from searchlab.testing.grading import formats

    if form == "csv":
        put_exactly(formats.csv_text(rubric, grades))
    elif form == "json":
        put(as_json(formats.as_dict(rubric, grades)), end="")
    elif form == "junit":
        put_exactly(formats.junit(rubric, grades))
    elif form == "gradescope":
        put(as_json(formats.gradescope(grades[0])), end="")
    elif form == "classroom50":
        put(as_json(formats.classroom50(grades[0], os.environ)), end="")
    else:
        _print(rubric, grades)


def _scaffold(rubric: Rubric, output: Path | None, folder: str | None) -> int:
    """Write the zip file for Gradescope."""
    from searchlab.files import write
    from searchlab.testing.grading.scaffold import gradescope_zip

    if folder is not None:
        raise UsageError("--scaffold writes a zip file and grades nothing: leave out FOLDER")
    file = output or Path(f"{_name_of(rubric)}.zip")
    content, names = gradescope_zip(rubric)
    write(file, [content])
    put_wrapped(f"written: {file}, with {', '.join(names)} and searchlab; upload it as the autograder of an assignment")
    return 0


def _name_of(rubric: Rubric) -> str:
    return rubric.path.parent.name if rubric.path.stem == "rubric" else rubric.path.stem


def _check_output(output: Path, folder: Path) -> None:
    """Raise a UsageError if marks would lie among what students handed in."""
    if folder.is_dir() and output.absolute().is_relative_to(folder.absolute()):
        raise UsageError(f"--output {output}: it lies in {folder}, where its files would count as handed in")


def _write(output: Path, files: dict[str, str]) -> None:
    from searchlab.files import write

    for name, text in files.items():
        os.makedirs((output / name).parent, exist_ok=True)
        write(output / name, [text])


def _print(rubric: Rubric, grades: Sequence[Grade]) -> None:
    """Print a row for each student, and below the table what its numbers stand for."""
    from searchlab.experiments.page import TextColumn, fitted_table
    from searchlab.testing.grading.marks import points_of, points_text

    columns: list[Any] = [
        TextColumn("student", [one.student for one in grades], is_text=True),
        TextColumn("points", [points_text(one.points) for one in grades], is_text=False),
    ]
    for number, test in enumerate(rubric.tests):
        cells = ["-" if one.refusal else points_text(points_of(test, one.marks[number])) for one in grades]
        columns.append(TextColumn(str(number + 1), cells, is_text=False))
    columns.append(TextColumn("reason", [one.reason for one in grades], is_text=True, wraps=True))
    lines, left_out = fitted_table(columns, page_width(), ("student", "points"))
    put_lines(lines)
    put("")
    for number, test in enumerate(rubric.tests, 1):
        put_wrapped(f"{number}: {test.name} ({points_text(test.points)} {'point' if test.points == 1 else 'points'})")
    if left_out:
        put_wrapped(f"no room for {', '.join(left_out)}: --format csv has every column")
    for one in grades:
        for remark in one.remarks:
            put_wrapped(f"{one.student}: {remark}")
    missing = sum(not one.is_graded for one in grades)
    points = [one.points for one in grades]
    mean = f"mean {points_text(sum(points) / len(points))} of {points_text(rubric.points)} points"
    put_wrapped(f"{len(grades):,} students, {mean}" + (f"; {missing:,} not graded" if missing else ""))
