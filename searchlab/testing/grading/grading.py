"""Grade a class: test the submissions in parallel, keep every mark, and continue after an interruption."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from searchlab.errors import SearchlabError, UsageError
from searchlab.errors.control_characters import one_line
from searchlab.experiments.processes import own_code
from searchlab.files import FolderLock, read_bytes, remove_drafts, write
from searchlab.testing.grading.examiner import Examiner, Stop
from searchlab.testing.grading.marks import Grade, Mark, refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from searchlab.testing.grading.rubric import Rubric
    from searchlab.testing.grading.submissions import Submission

KEPT = "marks"
"""The folder of marks in the output folder: a file for each student, and a file for the figures that tests need."""
PREPARED = "_rubric.json"
TAKEN = "another command is grading into this folder; wait until it is over"
POLL_SECONDS = 0.2
DIGITS = 16


class KeptMarks(msgspec.Struct):
    """The file of a student's marks.

    Attributes:
        marks: the marks, by the digest of everything that they depend on.
        refusals: the reasons why files could not be tested, by the same kind of digest.
    """

    marks: dict[str, Mark] = {}
    refusals: dict[str, str] = {}


class KeptPrepared(msgspec.Struct):
    """The file of the figures that tests need besides students' files.

    Attributes:
        tests: the figures of each test, by the digest of the test.
    """

    tests: dict[str, dict[str, Any]] = {}


@dataclass(frozen=True)
class GradingProgress:
    """The progress of grading.

    Attributes:
        done: the number of graded students.
        of: the number of all students.
        student, test: the student and the test of the last mark.
    """

    done: int
    of: int
    student: str = ""
    test: str = ""


class Grading:
    """Grade students' files by a rubric.

    Args:
        rubric: the rubric.
        submissions: the submissions of the students.
        output: the folder in which marks are kept.
        plugins: the settings of the plugins to load.
        workers: the number of files that are tested at once.
        report: called with the progress, in the calling thread.
    """

    def __init__(
        self,
        rubric: Rubric,
        submissions: Sequence[Submission],
        output: Path,
        plugins: Mapping[str, Any],
        workers: int,
        report: Callable[[GradingProgress], None] = lambda progress: None,
    ) -> None:
        self.rubric, self._submissions, self._output = rubric, submissions, output
        self._workers, self._report = workers, report
        self._examiner = Examiner(rubric, plugins)
        self._code = own_code()
        self._latest = ("", "")

    def run(self) -> list[Grade]:
        """Return the grades of all students.

        Raises:
            UsageError: a test is invalid, or another command writes to the folder.
            MachineError: the machine failed; the same command continues later.
            KeyboardInterrupt: Ctrl-C was pressed; the same command continues later.
        """
        with FolderLock(self._output, TAKEN):
            folder = self._output / KEPT
            folder.mkdir(exist_ok=True)
            remove_drafts(folder)
            prepared = self._prepared(folder / PREPARED)
            before = self._teachers_files()
            grades = self._all(prepared)
            if self._teachers_files() != before:
                raise UsageError(
                    f"a file beside {self.rubric.path} changed while students' files were tested: no mark counts. "
                    "Let students' code run where it cannot write there, as in a container"
                )
            return grades

    def _all(self, prepared: dict[int, dict[str, Any]]) -> list[Grade]:
        of = len(self._submissions)
        executor = ThreadPoolExecutor(max_workers=max(1, self._workers))
        self._report(GradingProgress(0, of))
        try:
            tasks = [executor.submit(self._grade, each, prepared) for each in self._submissions]
            waiting = set(tasks)
            while waiting:
                done, waiting = wait(waiting, POLL_SECONDS, FIRST_COMPLETED)
                for task in done:
                    task.result()
                self._report(GradingProgress(of - len(waiting), of, *self._latest))
        except BaseException:
            self._examiner.stop()
            raise
        finally:
            self._examiner.stop()
            executor.shutdown(cancel_futures=True)
        return [task.result() for task in tasks]

    def _teachers_files(self) -> str:
        digest = hashlib.sha256()
        for path in self.rubric.files:
            with suppress(OSError, SearchlabError):
                digest.update(read_bytes(path))
            digest.update(b"\0")
        return digest.hexdigest()

    def _prepared(self, file: Path) -> dict[int, dict[str, Any]]:
        """Return the figures that the tests need, by the number of the test; kept figures are not computed again."""
        kept = _kept(file, KeptPrepared)
        keys = [self._key(test.digest) for test in self.rubric.tests]
        missing = [number for number, key in enumerate(keys) if key not in kept.tests]

        def keep(number: int, prepared: dict[str, Any]) -> None:
            kept.tests[keys[number]] = prepared
            write(file, [msgspec.json.encode(kept)])

        if missing:
            self._examiner.prepared(missing, keep)
        return {number: kept.tests[key] for number, key in enumerate(keys)}

    def _key(self, *parts: str) -> str:
        return hashlib.sha256("\n".join((self._code, *parts)).encode(errors="surrogateescape")).hexdigest()[:DIGITS]

    def _grade(self, submission: Submission, prepared: dict[int, dict[str, Any]]) -> Grade:
        """Return the grade of a student; marks of earlier commands are reused if nothing has changed."""
        rubric, student = self.rubric, one_line(submission.student)
        if submission.refusal:
            return Grade(student, rubric, refused(rubric, submission.refusal), submission.refusal)
        try:
            digest = submission.digest()
        except (SearchlabError, OSError) as error:
            return Grade(student, rubric, refused(rubric, str(error)), str(error))
        file = self._output / KEPT / f"{submission.student}.json"
        kept = _kept(file, KeptMarks)
        keys = [
            self._key(digest, test.digest, msgspec.json.encode(prepared[number]).decode())
            for number, test in enumerate(rubric.tests)
        ]
        as_whole = self._key(digest)
        kept.marks = {key: mark for key, mark in kept.marks.items() if key in keys and not mark.fault}
        kept.refusals = {key: reason for key, reason in kept.refusals.items() if key == as_whole}
        missing = [number for number, key in enumerate(keys) if key not in kept.marks]

        def keep(number: int, mark: Mark) -> None:
            self._latest = student, rubric.tests[number].name
            kept.marks[keys[number]] = mark
            write(file, [msgspec.json.encode(kept)])

        refusal = kept.refusals.get(as_whole, "")
        if missing and not refusal:
            refusal = self._examiner.examine(submission, missing, prepared, keep)
            if refusal:
                kept.refusals[as_whole] = refusal
                write(file, [msgspec.json.encode(kept)])
        if refusal:
            return Grade(student, rubric, refused(rubric, refusal), refusal)
        return Grade(student, rubric, tuple(kept.marks[key] for key in keys))


def _kept(file: Path, kind: type[Any]) -> Any:
    """Return the content of a file of kept data, which is empty if the file is missing or damaged."""
    with suppress(OSError, SearchlabError, msgspec.DecodeError, UnicodeError, RecursionError):
        if os.path.isfile(file):
            return msgspec.json.decode(read_bytes(file), type=kind)
    return kind()


__all__ = ["Grading", "GradingProgress", "Stop"]
