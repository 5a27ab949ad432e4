"""Submissions: a Python file or a folder for each student."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from searchlab.errors import UsageError
from searchlab.files import file_error, read_bytes, why_not_utf8

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HIDDEN = (".", "_")
"""The first characters of files and folders that are not submissions."""
MOST_FILES, MOST_BYTES = 500, 50 * 2**20
"""The most files of a submission, and the most bytes."""
FEW = 4
"""The most file names that a message lists."""
DIGITS = 16


@dataclass(frozen=True)
class Submission:
    """The submission of a student.

    Attributes:
        student: the name.
        file: the file to test, or None if it is missing.
        folder: the folder with further files of the submission, or None for a single file.
        refusal: the reason why nothing can be tested, or `""` if the file can be tested.
    """

    student: str
    file: Path | None
    folder: Path | None
    refusal: str = ""

    def files(self) -> list[Path]:
        """Return the files of the submission.

        Raises:
            UsageError: there are too many files, or the files are too large.
        """
        if self.folder is None:
            return [self.file] if self.file else []
        found = sorted(path for path in self.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        if len(found) > MOST_FILES:
            raise UsageError(f"{len(found):,} files; a student hands in {MOST_FILES:,} at most")
        if sum(path.stat().st_size for path in found) > MOST_BYTES:
            raise UsageError(f"more than {MOST_BYTES >> 20} MiB of files")
        return found

    def digest(self) -> str:
        """Return a digest of the files."""
        digest = hashlib.sha256()
        for path in self.files():
            content = read_bytes(path)
            name = path.relative_to(self.folder).as_posix() if self.folder else path.name
            digest.update(f"{name} {len(content)}\n".encode(errors="surrogateescape"))
            digest.update(content)
        return digest.hexdigest()[:DIGITS]


def submissions_in(folder: Path, file: str, students: Iterable[str] = ()) -> list[Submission]:
    """Return the submissions of a class, sorted by the names of the students.

    Args:
        folder: a folder with a Python file or a folder for each student.
        file: the name of the file that a student's folder must contain.
        students: the names of all students, including students without a submission.

    Raises:
        UsageError: there is no such folder, it cannot be read, or it is empty.
    """
    if not folder.is_dir():
        what = "a file; --single grades one" if folder.is_file() else "no such folder"
        raise UsageError(f"{folder}: {what}")
    found: dict[str, Submission] = {}
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith(HIDDEN))
    except OSError as error:
        raise file_error(folder, error) from None
    for path in paths:
        if path.is_dir():
            found[path.name] = submission_of(path, file, path.name)
        elif path.suffix == ".py":
            found[path.stem] = Submission(path.stem, path, None)
        else:
            found.setdefault(path.stem, Submission(path.stem, None, None, f"handed in {path.name}, no Python file"))
    if not found:
        raise UsageError(f"{folder}: nothing was handed in: a file or a folder for each student is wanted here")
    for name in students:
        found.setdefault(name, Submission(name, None, None, "handed in nothing"))
    return [found[name] for name in sorted(found, key=lambda name: (name.casefold(), name))]


def submission_of(path: Path, file: str, student: str) -> Submission:
    """Return the submission in a student's folder, or a single file as a submission.

    Raises:
        UsageError: there is no such file or folder.
    """
    if path.is_file():
        refusal = "" if path.suffix == ".py" else f"handed in {path.name}, no Python file"
        return Submission(student, None if refusal else path, None, refusal)
    if not path.is_dir():
        raise UsageError(f"{path}: no such file or folder")
    wanted = path / file
    try:
        if wanted.is_file():
            return Submission(student, wanted, path)
        others = sorted(other.name for other in path.iterdir() if not other.name.startswith(HIDDEN))
    except OSError as error:
        return Submission(student, None, None, str(file_error(path, error)))
    if not others:
        return Submission(student, None, path, f"handed in nothing: the folder is empty, and {file} is wanted")
    listed = ", ".join(others[:FEW]) + (f" and {len(others) - FEW} more" if len(others) > FEW else "")
    return Submission(student, None, path, f"handed in {listed}, and {file} is wanted")


def students_in(file: Path) -> list[str]:
    """Return the names in the first column of a CSV file, or one per line; a heading `student` is omitted.

    Raises:
        UsageError: the file cannot be read, contains no names, or contains a name twice.
    """
    content = read_bytes(file)
    if wrong := why_not_utf8(content):
        raise UsageError(f"{file}: {wrong}")
    text = content.decode("utf-8-sig")
    names = [row[0].strip() for row in csv.reader(text.splitlines()) if row and row[0].strip()]
    names = names[1:] if names and names[0].lower() in ("student", "students", "name") else names
    if not names:
        raise UsageError(f"{file}: no student is named in it")
    for number, name in enumerate(names):
        if name in names[:number]:
            raise UsageError(f"{file}: {name!r} is named twice")
    return names
