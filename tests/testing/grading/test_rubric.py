"""Rubrics: what their phrases mean, and what is refused."""

from __future__ import annotations

import pytest

from searchlab.errors import UsageError
from searchlab.testing.grading.rubric import FORMS, parse_phrase, read_rubric

HEAD = 'file = "h.py"\nheuristic = "h"\nplayer = "p"\ndomain = "sliding-tile"\n'


def written(folder, tests, head=HEAD):
    """Return the path of a rubric with tests."""
    path = folder / "rubric.toml"
    path.write_text(head + tests)
    return path


def with_tests(*phrases):
    """Return the tables of tests."""
    return "".join(f"[[tests]]\ntest = {phrase!r}\n" for phrase in phrases)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_each_form_has_an_example_of_itself(form):
    """What messages suggest is itself a phrase, of this form and of no other."""
    assert parse_phrase(form.example)[0] is form


def test_parts_of_phrases(tmp_path):
    """Names may have parameters, factors and times are optional where a phrase says so."""
    said = {
        "expands less than 0.5 times weighted-sum:of=[taxicab,misplaced],weights=1 2 on a/b c": {
            "factor": "0.5",
            "reference": "weighted-sum:of=[taxicab,misplaced],weights=1 2",
            "boards": "a/b c",
        },
        "solves x within 500ms": {"boards": "x", "time": "500ms"},
        "score of 1 game >= greedy": {"figure": "score", "games": "1", "bound": "greedy"},
        "largest tile of 20 games ≥ 256": {"figure": "largest tile", "games": "20", "bound": "256"},
        "every run on x y has status=solved|unsolvable": {"boards": "x y", "condition": "status=solved|unsolvable"},
    }
    assert {phrase: parse_phrase(phrase)[1] for phrase in said} == said


def test_a_rubric_gives_its_tests_what_they_do_not_say(tmp_path):
    """Names of the top level hold where a test has none, limits have units, and points add up."""
    tests = (
        '[[tests]]\ntest = "admissible"\npoints = 2.5\n'
        '[[tests]]\ntest = "consistent"\nheuristic = "other"\nname = "never drops"\nvisibility = "hidden"\n'
        '[limits]\ntime = "2m"\nmemory = "1GiB"\n'
    )
    rubric = read_rubric(written(tmp_path, tests))
    assert (rubric.points, rubric.seconds, rubric.memory) == (3.5, 120, 2**30)
    assert [(test.name, test.subject, test.visibility) for test in rubric.tests] == [
        ("admissible", "h", "visible"),
        ("never drops", "other", "hidden"),
    ]


def test_files_of_the_teacher_are_found_beside_the_rubric(tmp_path):
    """They count among the rubric's files with what they import, and a change of them changes the test."""
    (tmp_path / "a b").mkdir()
    folder = tmp_path / "a b"
    (folder / "reference.py").write_text("from .helper import x\ndef h(tiles): return x\n")
    (folder / "helper.py").write_text("x = 1\n")
    (folder / "boards").mkdir()
    (folder / "boards" / "1.txt").write_text("2\n1 2\n3 0\n")
    path = written(folder, with_tests("same values as reference.py:h on boards", "solves boards/*.txt within 1s"))
    rubric = read_rubric(path)
    assert {file.name for file in rubric.files} == {"rubric.toml", "reference.py", "helper.py", "1.txt"}
    assert rubric.tests[1].boards == (str(folder / "boards/*.txt"),)
    (folder / "helper.py").write_text("x = 2\n")
    again = read_rubric(path)
    assert again.tests[0].digest != rubric.tests[0].digest
    assert again.tests[1].digest == rubric.tests[1].digest


@pytest.mark.parametrize(
    ("tests", "line", "said"),
    [
        (with_tests("admissable"), 6, "tests[1].test: no test is called 'admissable': did you mean 'admissible'?"),
        (with_tests("optimal"), 6, "'optimal' is not complete: write it as in 'optimal on sliding-tile/puzzle8-*'"),
        (with_tests("expands 270 nodes on x"), 6, "correct programs expand different numbers of nodes"),
        (with_tests("every run on x has expanded=270"), 6, "correct programs expand different numbers of nodes"),
        (with_tests("every run on x has cost"), 6, "'cost' is not a condition"),
        (with_tests("solves x within soon"), 6, "'soon' is not a time"),
        (with_tests("expands less than no times taxicab on x"), 6, "'no' is not a number above 0"),
        (with_tests("score of 0 games >= 1"), 6, "0 games: from 1 to 100,000 are possible"),
        (with_tests("check wurst"), 6, "no property is called 'wurst'"),
        (with_tests("same values as ref.py:h"), 6, "ref.py: no such file beside the rubric"),
        (with_tests("holds none.py:f"), 6, "none.py: no such file beside the rubric"),
        (with_tests("check pure"), 5, "tests[1]: 'check pure': say heuristic = NAME or player = NAME"),
        (with_tests("admissible", "admissible"), 7, "tests[2]: there are two tests 'admissible'"),
        (with_tests("admissible") + "partial = true\n", 7, "'admissible' holds or does not: leave out partial"),
        (with_tests("admissible") + "points = -1\n", 7, "0 points or more are wanted, not -1"),
        (with_tests("admissible") + "points = 'one'\n", 7, "a number is wanted, not the text 'one'"),
        (with_tests("admissible") + "point = 1\n", 7, "there is no such key: did you mean 'points'?"),
        (with_tests("admissible") + "visibility = 'all'\n", 7, "one of visible, hidden, after_due_date"),
        (with_tests("admissible") + "[limits]\ntime = '1s'\n", 8, "limits.time: a test needs 5 s or more"),
        ("tests = []\n", 5, "tests: a rubric has one test or more"),
        ("", 0, "the key 'tests' is missing"),
    ],
)
def test_a_faulty_rubric_is_refused_with_its_line(tmp_path, tests, line, said):
    """The message has the file, the line and the key, and says what to write."""
    path = written(tmp_path, tests)
    with pytest.raises(UsageError) as refused:
        read_rubric(path)
    assert said in str(refused.value)
    assert str(refused.value).startswith(f"{path}{f', line {line}' if line else ''}: ")
