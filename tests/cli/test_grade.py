"""`searchlab grade`: a class of students' files, each with its row, whatever is wrong with it."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time

import pytest

GOOD = """\
def h(tiles):
    return 0


def word():
    return "hello"
"""
CHECKS = """\
def says_hello(module):
    assert module.word() == "hello", f"word() says {module.word()!r}"
"""
RUBRIC = """\
file = "h.py"
heuristic = "h"
domain = "sliding-tile"

[[tests]]
test = "holds checks.py:says_hello"
points = 2

[[tests]]
test = "same values as reference.py:h on small.txt"
points = 3

[limits]
time = "8s"
memory = "600MiB"
"""
ZERO = "def h(tiles):\n    return {}\n\n\ndef word():\n    return 'hello'\n"
FAULTS = {
    "nothing.py": ("", "1: AttributeError: module 'nothing' has no attribute 'word' (checks.py, line 2)"),
    "no_syntax.py": ("def h(tiles)\n", "no_syntax.py: SyntaxError: expected ':' (line 1)"),
    "null.py": ("\0", "null.py: "),
    "latin.py": (b"x = '\xe9'\n", "latin.py: "),
    "indented.py": ("def h(tiles):\nreturn 0\n", "indented.py: IndentationError"),
    "raises.py": ("1 / 0\n", "raises.py: ZeroDivisionError: division by zero"),
    "leaves.py": ("import sys\nsys.exit(0)\n", "leaves.py: SystemExit"),
    "dies.py": (
        "import os\nos._exit(0)\n",
        "its process ended with exit code 0 in the middle of a test while the file",
    ),
    "killed.py": ("import os\nos.kill(os.getpid(), 9)\n", "its process ended by SIGKILL"),
    "crashes.py": ("import ctypes\nctypes.string_at(0)\n", "its process ended by SIGSEGV"),
    "imports.py": ("import not_there\n", "imports.py: ModuleNotFoundError"),
    "recurses.py": ("def f():\n    f()\nf()\n", "recurses.py: RecursionError"),
    "raises_later.py": (ZERO.format("tiles[9, 9]"), "2: IndexError: index 9 is out of bounds"),
    "text.py": (ZERO.format("'0'"), "2: it returned '0', which is not a number"),
    "none.py": (ZERO.format("None"), "2: it returned None, which is not a number"),
    "nan.py": (ZERO.format("float('nan')"), "2: it returned NaN, which is not a number"),
    "writes.py": (ZERO.format("tiles.fill(0)"), "2: ValueError: assignment destination is read-only"),
    "wrong.py": (ZERO.format("7"), "2: 7, and 0 is right (right on 0 of 1 boards)"),
    "argument.py": ("def h():\n    return 0\ndef word():\n    return 'hello'\n", "2: "),
    "other_name.py": ("def H(tiles):\n    return 0\ndef word():\n    return 'hello'\n", "2: "),
    "dies_later.py": (ZERO.format("__import__('os')._exit(3)"), "2: its process ended with exit code 3"),
    "hangs.py": (ZERO.format("max(0 for _ in iter(int, 1))"), "2: it did not come back within"),
    "sleeps.py": (ZERO.format("__import__('time').sleep(99)"), "2: it did not come back within"),
    "grows.py": (ZERO.format("[bytearray(10**8) for _ in iter(int, 1)]"), "2: it took more than its"),
    "prints.py": ("print('x' * 10**7)\n" + ZERO.format("0"), ""),
    "closes.py": ("import os\nos.close(1)\nos.close(2)\n" + ZERO.format("0"), ""),
    "good.py": (GOOD, ""),
    "notes.txt": ("", "handed in notes.txt, no Python file"),
}


@pytest.fixture
def rubric(write):
    """The file of a rubric with two tests."""
    write("checks.py", CHECKS)
    write("reference.py", "def h(tiles):\n    return 0\n")
    write("small.txt", "2\n1 2\n3 0\n")
    return write("rubric.toml", RUBRIC)


def rows(output):
    """Return the rows of a CSV text by the students."""
    return {row["student"]: row for row in csv.DictReader(output.splitlines())}


def test_a_single_file_is_graded(run, write, rubric):
    """The table has points, and what the numbers of the tests stand for; a second command tests nothing again."""
    write("ada.py", ZERO.format("7"))
    ran = run("grade", "ada.py", "--single", "--rubric", rubric, "--output", "out")
    assert ran.code == 0
    assert "students' files run with your rights" in ran.err
    assert ran.out.splitlines()[:2] == [
        "student  points  1  2  reason",
        "ada           2  2  0  2: 7, and 0 is right (right on 0 of 1 boards)",
    ]
    assert "2: same values as reference.py:h on small.txt (3 points)" in ran.out
    again = run("grade", "ada.py", "--single", "--rubric", rubric, "--output", "out", "--format", "json")
    (student,) = again.json["students"]
    assert (student["points"], student["graded"]) == (2, True)
    assert student["tests"][1]["boards"] == [{"caption": "on this board:", "tiles": [[1, 2], [3, 0]]}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: no such folder"),
        (["ada.py"], "ada.py: a file; --single grades one"),
        (["."], "--output grades/{name}: it lies in ., where its files would count as handed in"),
        (["ada.py", "--single", "--students", "x"], "--students is for a class, not for a single student"),
        (["in", "--students", "x"], "x: no such file"),
    ],
)
def test_misuse_is_refused(run, write, rubric, arguments, said):
    """One line says what is wrong."""
    write("ada.py", GOOD)
    os.mkdir("in")
    name = os.path.basename(os.getcwd())
    assert run("grade", *arguments, "--rubric", rubric).error == said.format(name=name)


@pytest.mark.slow
def test_every_kind_of_fault_has_its_row_and_harms_nobody(run, write, rubric):
    """Thirty students, of whom most hand in something broken: thirty rows, each with its reason, in one command."""
    os.mkdir("in")
    for name, (content, _) in FAULTS.items():
        with open(os.path.join("in", name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    os.mkdir("in/empty")
    write("class.txt", "\n".join([*(name.partition(".")[0] for name in FAULTS), "empty", "absent"]))
    ran = run("grade", "in", "--rubric", rubric, "--students", "class.txt", "--format", "csv", "--output", "out")
    found = rows(ran.out)
    assert len(found) == 30
    assert ran.code == 1
    reasons = {name: found[name.partition(".")[0]]["reason"] for name in FAULTS}
    assert {name: reasons[name][: len(reason)] or reasons[name] for name, (_, reason) in FAULTS.items()} == {
        name: reason for name, (_, reason) in FAULTS.items()
    }
    points = {name: found[name.partition(".")[0]]["points"] for name in FAULTS}
    assert {name for name, got in points.items() if got == "5"} == {
        n for n, (_, reason) in FAULTS.items() if not reason
    }
    assert found["empty"]["reason"].startswith("handed in nothing: the folder is empty")
    assert found["absent"]["reason"] == "handed in nothing"
    assert found["raises_later"]["points"] == "2"
    assert "Traceback" not in ran.err


@pytest.mark.slow
def test_the_same_command_continues_after_a_kill(write, rubric, tmp_path):
    """Marks found before are kept, whenever the command is killed, and are the same in the end."""
    os.mkdir("in")
    for number in range(6):
        write(f"in/student{number}.py", ZERO.format(number % 2))
    command = [sys.executable, "-m", "searchlab", "grade", "in", "--rubric", str(rubric), "--output", "out"]
    command += ["--workers", "2", "--format", "csv"]
    first = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    kept = tmp_path / "out" / "marks"
    end = time.monotonic() + 60
    while len(list(kept.glob("student*.json"))) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    before = {path.name: path.stat().st_mtime_ns for path in kept.glob("student*.json")}
    whole = {name for name in before if len(json.loads((kept / name).read_bytes())["marks"]) == 2}
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {name: row["points"] for name, row in rows(done.stdout).items()} == {
        f"student{number}": "2" if number % 2 else "5" for number in range(6)
    }
    assert all((kept / name).stat().st_mtime_ns == before[name] for name in whole)


@pytest.mark.slow
def test_a_changed_file_or_test_is_tested_again(run, write, rubric):
    """What did not change keeps its mark."""
    os.mkdir("in")
    write("in/ada.py", ZERO.format(7))
    command = ("grade", "in", "--rubric", str(rubric), "--output", "out", "--format", "csv")
    assert rows(run(*command).out)["ada"]["points"] == "2"
    write("reference.py", "def h(tiles):\n    return 7\n")
    assert rows(run(*command).out)["ada"]["points"] == "5"
    write("in/ada.py", ZERO.format(8))
    assert rows(run(*command).out)["ada"]["points"] == "2"


@pytest.mark.slow
def test_a_rubric_that_is_written_to_counts_for_nothing(run, write, rubric):
    """A student's file that changes a file of the teacher is found out."""
    os.mkdir("in")
    write("in/ada.py", f"open({os.path.abspath('reference.py')!r}, 'a').write('#')\n{GOOD}")
    ran = run("grade", "in", "--rubric", rubric, "--output", "out")
    assert ran.code == 2
    assert "changed while students' files were tested: no mark counts" in ran.err
