"""`searchlab warm-up`: compiled functions, output, and when it is recommended."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from searchlab.compiler import notice
from searchlab.compiler.notice import announced
from searchlab.experiments import warm_up
from searchlab.experiments.warm_up import WarmUpStep, carry_out, steps
from searchlab.plugins.registry import Plugins

pytestmark = pytest.mark.shortcuts


@pytest.fixture
def plugins():
    """What ships."""
    return Plugins(third_party=False)


def test_every_domain_heuristic_frontier_and_learner_that_ships_has_a_step(plugins):
    """What is needed first comes first: each game as its commands play and solve it without options."""
    names = [step.name for step in steps(plugins)]
    first = set(names[: 2 * len(list(plugins.all("domain")))])
    assert "2048 4×4 · left-weighted · greedy" in first
    assert any(name.startswith("2048-random 4×4 · expectimax") for name in first)
    assert any(name.startswith("sliding-tile 5×5 · taxicab") for name in first)
    words = {word for name in names for word in name.replace(",", " ").split()}
    for kind in ("domain", "heuristic", "frontier", "learner"):
        for found in plugins.all(kind):
            is_combination = kind == "heuristic" and found.component.combine  # of what the user names
            assert is_combination or found.component.name in words
    assert len(set(names)) == len(names)


def test_a_step_compiles_the_functions_of_its_command(plugins, monkeypatch):
    """Incompatible components are skipped."""
    called = []
    monkeypatch.setattr(warm_up, "compiled_loop", lambda problem, *_: called.append(problem))
    by_name = {step.name: step for step in steps(plugins)}
    carry_out(by_name["2048 4×4 · snake · greedy"])
    carry_out(by_name["2048 4×4 · snake · ida-star"])
    assert [(problem.heuristic.name, problem.frontier.name) for problem in called] == [("snake", "greedy")]


def test_warm_up_names_compiled_functions_and_compiles_them_once(run, monkeypatch, tmp_path):
    monkeypatch.setattr(notice, "_functions", 0)

    def compile_once():
        if not notice.compiled_functions():
            with announced("snake"):
                pass

    monkeypatch.setattr(
        warm_up, "steps", lambda plugins: [WarmUpStep("one", compile_once), WarmUpStep("other", compile_once)]
    )
    ran = run("warm-up")
    assert ran.code == 0
    assert ran.out.startswith("1 function compiled in ")
    monkeypatch.setattr(warm_up, "steps", lambda plugins: [WarmUpStep("one", lambda: None)])
    monkeypatch.setattr(notice, "_functions", 0)
    assert run("warm-up").out.startswith("everything was compiled before: 1 combination looked at in ")


@pytest.fixture
def environment(tmp_path):
    """The environment of commands with a cache of their own, and notices."""
    return {**os.environ, "SEARCHLAB_CACHE_DIR": str(tmp_path), "TERM": "xterm", "SEARCHLAB_NOTICE_SECONDS": "2"}


@pytest.fixture
def said(environment, read_to_end):
    """Run a command; return what it writes to standard error, a terminal, and then `end`."""

    def said(*arguments, code=0):
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "searchlab", *arguments]
        ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment, check=False)
        assert ran.returncode == code
        os.write(theirs, b"end")
        os.close(theirs)
        return read_to_end(ours)

    return said


@pytest.mark.slow
def test_a_search_without_compiling_recommends_warm_up_once(said):
    assert "solved without compiling, by the readable engine; to compare times" in said("solve", "2048/board10")
    assert "warm-up" not in said("solve", "2048/board10")


@pytest.mark.slow
def test_a_search_without_a_solution_does_not_recommend_warm_up(said):
    assert "warm-up" not in said("solve", "2048/start", "--max-expansions", "1", code=3)


@pytest.mark.slow
def test_the_first_command_on_a_terminal_recommends_warm_up_once(said, environment, tmp_path):
    """Not before functions were compiled, and not if notices are off."""
    assert "warm-up" not in said("boards", "show", "2048/board10")
    (tmp_path / "snake-0123.machine-code").touch()
    environment["SEARCHLAB_NOTICE_SECONDS"] = "inf"
    assert said("boards", "show", "2048/board10") == "end"
    environment["SEARCHLAB_NOTICE_SECONDS"] = "2"
    assert "searchlab warm-up compiles everything now" in said("boards", "show", "2048/board10")
    assert said("boards", "show", "2048/board10") == "end"
