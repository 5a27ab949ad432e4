"""Standard output is for the answer: the prints of plugins go to standard error, up to a limit."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

PRINTS = """\
import ctypes
import os

import click

from searchlab import hookimpl

libc = ctypes.CDLL(None)


def prints(tiles):
    print("empty is", 7)
    return (tiles == 0).sum()


def calls_c(tiles):
    libc.printf(b"from C\\n")
    os.write(1, b"raw\\n")
    return int((tiles == 0).sum())


@click.command("hello")
def hello():
    print("printed", flush=True)
    click.echo("echoed")
    os.write(1, b"written\\n")


@hookimpl
def searchlab_commands():
    yield hello
"""
LEFT_OUT = "searchlab: {} prints more than 20 lines; the rest is left out"


@pytest.fixture
def searchlab(folder):
    """Run the command line in a process of its own, with the plugin there."""
    (folder / "prints.py").write_text(PRINTS)

    def searchlab(*arguments):
        command = [sys.executable, "-m", "searchlab", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    return searchlab


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "who"), [("compiled", "a plugin"), ("readable", "prints.py")])
def test_prints_of_a_heuristic_are_not_part_of_the_answer(searchlab, engine, who):
    done = searchlab("solve", "2048/board10", "--heuristic", "prints.py:prints", "--json", "--engine", engine)
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "solved")
    assert 20 <= done.stderr.splitlines().count("empty is 7") <= 21  # some is evaluated in Python in any case
    assert done.stderr.splitlines()[-1] == LEFT_OUT.format(who)


def test_prints_of_c_code_are_not_part_of_the_answer(searchlab):
    """Even what C keeps in a buffer until the process ends; its lines are not counted."""
    done = searchlab("solve", "2048/board10", "--heuristic", "prints.py:calls_c", "--json", "--engine", "readable")
    assert json.loads(done.stdout)["status"] == "solved"
    assert {"from C", "raw"} <= set(done.stderr.splitlines())


@pytest.mark.slow
def test_prints_in_other_commands_are_not_part_of_the_answer(searchlab):
    check = searchlab("plugins", "check", "prints.py:prints", "--json", "--seconds", "1", "--domain", "2048")
    assert isinstance(json.loads(check.stdout), list)
    play = searchlab("play", "--player", "greedy:heuristic=prints.py:prints", "--json", "--max-moves", "9")
    assert json.loads(play.stdout)["moves"] == 9
    evaluated = searchlab("evaluate", "2048/board10", "--heuristic", "prints.py:prints", "--json")
    assert "empty" not in evaluated.stdout


def test_prints_in_workers_are_not_part_of_the_answer(searchlab):
    done = searchlab("run", "2048/board10", "--heuristic", "prints.py:prints", "--engine", "readable", "--workers", "1")
    assert "empty" not in done.stdout
    assert done.stderr.splitlines().count("empty is 7") == 20
    assert LEFT_OUT.format("prints.py") in done.stderr.splitlines()


def test_a_command_of_a_plugin_keeps_its_output(searchlab):
    done = searchlab("--plugin", "prints.py", "hello")
    assert (done.stdout, done.stderr) == ("printed\nechoed\nwritten\n", "")


def test_a_program_that_searches_keeps_its_streams(folder):
    (folder / "prints.py").write_text(PRINTS)
    (folder / "program.py").write_text(
        "import searchlab as sl\n"
        "sl.solve('2048/board10', heuristic='prints.py:prints', engine='readable')\n"
        "print('end')\n"
    )
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, timeout=120)
    lines = done.stdout.splitlines()
    assert (lines[-1], lines.count("empty is 7") > 20, done.stderr) == ("end", True, "")
