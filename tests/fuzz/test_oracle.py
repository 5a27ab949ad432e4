"""Faults of all kinds are found and made small; the same seed makes the same inputs."""

import contextlib
import os
import sys
import time
import warnings
from random import Random

import pytest

import searchlab as sl

from . import oracle
from .mutation import Mutator, shrunk
from .oracle import command, finding, writing_only_in
from .targets import TARGETS


def refuse(text):
    """A reader that refuses its input."""

    def run():
        raise sl.UsageError(text)

    return run


def fail():
    raise sl.PluginError("h: failed")


def wait():
    """What does not end, and catches whatever is to end it."""
    end = time.monotonic() + 2
    while time.monotonic() < end:
        with contextlib.suppress(BaseException):
            time.sleep(0.05)


@pytest.mark.parametrize(
    ("run", "where"),
    [
        (lambda: 1 // 0, "ZeroDivisionError"),
        (lambda: sys.exit(0), "SystemExit"),
        (fail, "PluginError"),
        (refuse(" "), "line"),
        (lambda: warnings.warn("of NumPy", RuntimeWarning, stacklevel=1), "RuntimeWarning"),
        (lambda: warnings.simplefilter("ignore"), "filters"),
        (lambda: os.chdir("/"), "surroundings"),
        (lambda: sys.path.append("/"), "surroundings"),
    ],
)
def test_forbidden_outcomes_are_found(run, where, monkeypatch, tmp_path):
    """Changes of the process are undone for the next input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    found = finding(run)
    assert found is not None
    assert found.where.startswith(where)
    assert os.getcwd() == str(tmp_path)


def test_correct_outcomes_are_no_findings():
    """An input that is taken, and one that is refused."""
    assert finding(lambda: None) is None
    assert finding(refuse("no\nsuch \x1b thing")) is None


def test_a_hang_is_found_even_if_its_exception_is_caught(monkeypatch):
    monkeypatch.setattr(oracle, "PATIENCE", 0.2)
    found = finding(wait)
    assert found is not None
    assert found.where == "hang"


def test_writes_outside_the_folder_are_found(tmp_path):
    """A file that is made, changed or removed; reading is free."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    inside.mkdir()
    outside.mkdir()
    with writing_only_in(inside):
        assert finding(lambda: (inside / "x").write_text("x")) is None
        assert finding(lambda: (inside / "x").read_text()) is None
        for change in (lambda: (outside / "x").write_text("x"), (outside / "x").unlink, (outside / "y").mkdir):
            found = finding(change)
            assert found is not None
            assert found.where == "written"


def test_a_command_that_ends_badly_is_found(tmp_path):
    """By an internal error, or with an exit code that is not documented."""
    plugin = tmp_path / "crashes.py"
    plugin.write_text(
        "import click\nfrom searchlab import hookimpl\n\n"
        "@click.command()\ndef crash():\n    1 // 0\n\n@click.command()\ndef seven():\n    return 7\n\n"
        "@hookimpl\ndef searchlab_commands():\n    return [crash, seven]\n"
    )
    assert command(["solve", "nowhere.txt"]) == (2, "")
    for name in ("crash", "seven"):
        found = finding(lambda name=name: command(["--plugin", str(plugin), name]))
        assert found is not None
        assert found.where.startswith("AssertionError")


def test_an_input_is_made_small():
    assert shrunk("some text with X in it", lambda part: "X" in part) == "X"
    assert shrunk(b"\0" * 1000 + b"\xff", lambda part: b"\xff" in part) == b"\xff"
    assert shrunk(("solve", "--json", "--goal=64"), lambda part: any("64" in word for word in part)) == ("64",)


@pytest.mark.parametrize("name", TARGETS)
def test_the_same_seed_makes_the_same_inputs(name):
    """And another number another input, mostly."""
    made = [TARGETS[name].make(Mutator(Random(f"1/{name}/{number}"))) for number in (*range(20), *range(20))]
    assert made[:20] == made[20:]
    assert len(set(made)) > 10
