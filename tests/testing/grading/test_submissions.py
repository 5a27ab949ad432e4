"""What students hand in: files, folders, other things and nothing."""

from __future__ import annotations

import pytest

from searchlab.errors import UsageError
from searchlab.testing.grading.submissions import students_in, submission_of, submissions_in


def test_each_file_and_each_folder_is_a_student(tmp_path):
    """The name of the file alone, or of the folder with the wanted file; everything else is refused with its reason."""
    (tmp_path / "ada.py").write_text("")
    (tmp_path / "ben").mkdir()
    (tmp_path / "ben" / "h.py").write_text("")
    (tmp_path / "ben" / "notes.txt").write_text("")
    (tmp_path / "carl").mkdir()
    (tmp_path / "carl" / "H.py").write_text("")
    (tmp_path / "dora").mkdir()
    (tmp_path / "emil.ipynb").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / "__pycache__").mkdir()
    found = submissions_in(tmp_path, "h.py", ["ada", "zoe"])
    assert {each.student: each.refusal for each in found} == {
        "ada": "",
        "ben": "",
        "carl": "handed in H.py, and h.py is wanted",
        "dora": "handed in nothing: the folder is empty, and h.py is wanted",
        "emil": "handed in emil.ipynb, no Python file",
        "zoe": "handed in nothing",
    }
    ben = found[1]
    assert [path.name for path in ben.files()] == ["h.py", "notes.txt"]
    before = ben.digest()
    (tmp_path / "ben" / "notes.txt").write_text("more")
    assert ben.digest() != before


def test_students_are_listed_in_the_order_of_the_alphabet(tmp_path):
    for name in ("ben", "Zoe", "Ada", "carl"):
        (tmp_path / f"{name}.py").write_text("")
    assert [each.student for each in submissions_in(tmp_path, "h.py")] == ["Ada", "ben", "carl", "Zoe"]


def test_a_folder_without_anything_is_refused(tmp_path):
    """So are a file, and no folder at all."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "one.py").write_text("")
    for name, said in {
        "empty": "nothing was handed in",
        "one.py": "a file; --single",
        "none": "no such folder",
    }.items():
        with pytest.raises(UsageError, match=said):
            submissions_in(tmp_path / name, "h.py")


def test_too_much_is_refused(tmp_path):
    """A student hands in at most 500 files."""
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "h.py").write_text("")
    for number in range(500):
        (folder / f"{number}.txt").touch()
    with pytest.raises(UsageError, match="501 files; a student hands in 500 at most"):
        submission_of(folder, "h.py", "ada").digest()


def test_names_of_students(tmp_path):
    """One a line, or in the first column of a CSV file with a heading."""
    names = tmp_path / "names"
    names.write_text("ada\n\n ben \n")
    assert students_in(names) == ["ada", "ben"]
    names.write_text('student,mail\n"ada",a@b\nben,\n')
    assert students_in(names) == ["ada", "ben"]
    for text, said in {"": "no student", "ada\nada\n": "'ada' is named twice"}.items():
        names.write_text(text)
        with pytest.raises(UsageError, match=said):
            students_in(names)
    names.write_bytes("ada".encode("utf-16"))
    with pytest.raises(UsageError, match="UTF-16: save it as UTF-8"):
        students_in(names)
