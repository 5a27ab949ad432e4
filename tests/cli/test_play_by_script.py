"""`searchlab play --testing`: what it prints for a script, when, and what it says of one that makes no sense."""

import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parents[1] / "golden" / "event_scripts"
CS61B = ("play", "--preset", "cs61b", "--testing")


@pytest.mark.parametrize("name", ["example", "series", "whole-games"])
def test_a_script_is_played(run, name):
    """What happens goes to standard output, and nothing else."""
    ran = run(*CS61B, stdin=(GOLDEN / f"{name}.script").read_bytes())
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (GOLDEN / f"{name}.transcript").read_text()


@pytest.mark.parametrize("script", [b"", b"\xef\xbb\xbf# caf\xe9\r\n\r\nKQuit\r\n"])
def test_a_script_may_be_empty_and_come_from_anywhere(run, script):
    """Line ends, a mark at its beginning and comments in any encoding do not matter; nor does what never comes."""
    ran = run(*CS61B, stdin=script)
    assert (ran.code, ran.out) == ((0, "C\nC\n") if not script else (2, "C\nC\n"))


def test_each_line_is_answered_at_once():
    """A program can hold a conversation with it."""
    command = [sys.executable, "-m", "searchlab", *CS61B]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            said = [process.stdout.readline() for _ in range(2)]
            for line in ("T 2 0 0", "T 2 0 1", "KLeft"):
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
                said.append(process.stdout.readline())
            process.stdin.close()
            assert process.wait(timeout=120) == 0
        finally:
            process.kill()
    assert said == ["C\n", "C\n", "A 2 0 0\n", "A 2 0 1\n", "D 0 0 4 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"]


def test_a_line_that_makes_no_sense_is_named(run):
    """Its number and what is wrong; what was printed before it stays."""
    ran = run(*CS61B, stdin=b"T 2 0 0\nT 2 0 1\nKLeft\nT 5 0 1\n")
    assert ran.code == 2
    assert ran.out.splitlines()[-1].startswith("D 0 0 4 0")
    said = "standard input, line 4: 2048-random: '5 0 1' is no event: 5 is no power of two from 2 to 2^62"
    assert ran.err == f"searchlab: error: {said}\n"


def test_a_script_goes_on_from_a_board(run, write):
    """Which is where every game of it begins, without tiles before the first move."""
    board = write("board.txt", "2\n2 2\n0 4\n")
    script = b"KLeft\nT 2 0 1\nKNew Game\nKDown\nT 2 0 0\n"
    ran = run("play", board, "--domain", "2048-random", "--testing", stdin=script)
    assert ran.out == "C\nC\nD 0 0 4 0 4 0\nA 2 0 1\nC\nD 0 0 0 2 2 4\nA 2 0 0\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--json",), "--json and --testing exclude each other"),
        (("--log",), "--log and --testing exclude each other"),
        (("--player", "greedy"), "--player and --testing exclude each other"),
        (("-",), "keys and scripts are read from standard input: name a file for the board"),
    ],
)
def test_what_does_not_go_together_is_one_line(run, arguments, said):
    assert said in run("play", "--preset", "cs61b", "--testing", *arguments, stdin=b"").error
