"""Likeness: copies with other names are found, the skeleton and short files are not."""

from __future__ import annotations

import pytest

from searchlab.testing.grading.likeness import alike
from searchlab.testing.grading.submissions import Submission

SKELETON = "def h(tiles):\n    n = tiles.shape[0]\n    return n\n"
LONG = "def h(tiles):\n    n = tiles.shape[0]\n" + "".join(f"    total = n * {k} + tiles[{k}, 0]\n" for k in range(20))
RENAMED = (
    '"""Mine."""\n' + LONG.replace("total", "summe").replace("n *", "  n  *  ") + "    # my own\n    return summe\n"
)
OTHER = "def h(tiles):\n" + "".join(f"    if tiles[0, {k}] > {k}:\n        print({k})\n" for k in range(10))


@pytest.fixture
def submit(tmp_path):
    """Return the submission of a text."""

    def submit(student, text):
        path = tmp_path / f"{student}.py"
        path.write_text(text)
        return Submission(student, path, None)

    return submit


def test_a_copy_with_other_names_is_like_the_original(submit):
    """Names, comments, docstrings and blanks do not matter; both students get the remark, nobody else."""
    found = alike([submit("ada", LONG), submit("ben", RENAMED), submit("carl", OTHER)], None)
    assert found == {
        "ada": ["much like ben: 100% of 22 statements"],
        "ben": ["much like ada: 100% of 22 statements"],
    }


def test_only_the_most_alike_are_named(submit):
    """Of many copies each names three others."""
    found = alike([submit(f"student{number}", LONG) for number in range(6)], None)
    assert {len(remarks) for remarks in found.values()} == {3}


def test_a_few_more_statements_hide_nothing(submit):
    """What counts is the share of the shorter file."""
    longer = LONG + "".join(f"    print(total, {k})\n" for k in range(30))
    assert "ada" in alike([submit("ada", LONG), submit("ben", longer)], None)


def test_the_skeleton_does_not_count(submit, tmp_path):
    """Two files that leave it as it is, and write little, are not compared."""
    (tmp_path / "given.py").write_text(LONG)
    one, other = submit("ada", LONG + "    return total\n"), submit("ben", LONG + "    return total\n")
    assert alike([one, other], None) != {}
    assert alike([one, other], tmp_path / "given.py") == {}


def test_short_files_are_not_compared(submit):
    """There is one way to write many a short function: 14 statements are too few, 15 are not."""
    lines = ["x = 1\n"] * 15
    assert alike([submit("ada", "".join(lines[:14])), submit("ben", "".join(lines[:14]))], None) == {}
    assert alike([submit("ada", "".join(lines)), submit("ben", "".join(lines))], None) != {}


def test_what_cannot_be_parsed_is_left_out(submit):
    """As are students who handed in nothing."""
    broken = Submission("zoe", None, None, "handed in nothing")
    assert alike([submit("ada", "def h(:\n"), submit("ben", "\0"), broken], None) == {}
