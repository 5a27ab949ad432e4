"""An experiment ends with the rows of an undisturbed one, however often its process is killed on the way."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.store import Store

HANGS = Path(__file__).parents[1] / "plugins" / "hangs.py"
KILLS = int(os.environ.get("SEARCHLAB_TEST_KILLS", "6"))
EXPERIMENT = """
name = "survives"
boards = ["sliding-tile/puzzle8-2*", "broken.txt"]
heuristics = ["taxicab", "misplaced"]
frontiers = ["greedy", { name = "beam", width = [5, 50] }]
domains = ["sliding-tile"]
repetitions = 8

[limits]
expansions = 2000
"""
GAMES = """
name = "survives"
players = ["random", "greedy"]
domains = ["2048-random", "2048-random:n=3"]
seeds = "1-60"

[limits]
moves = 150
"""
TOURNAMENT = ("random", "greedy:heuristic=empty", "--max-moves", "400")
GAMES_A_PLAYER = int(os.environ.get("SEARCHLAB_TEST_GAMES", "40"))
"""In the long form 1,000, with more kills, too."""
REPLAYED = 20
TIMES = ("number", "seconds", "cpu_seconds", "peak_bytes", "worker", "finished", "attempt", "moves_per_second")


def command(folder):
    """Return the command that runs the experiment."""
    return [sys.executable, "-m", "searchlab", "run", "experiment.toml", "--output", str(folder), "--workers", "2"]


def rows(folder):
    """Return the rows without what differs from run to run, by identity; each is there once."""
    with Store(folder) as store:
        kept = list(store.rows(all_attempts=True))
    by_identity = {row["identity"]: {k: v for k, v in row.items() if k not in TIMES} for row in kept}
    assert len(by_identity) == len(kept)
    return by_identity


def has_rows(folder):
    """Return whether an experiment has come so far that something is recorded."""
    try:
        with Store(folder) as store:
            return bool(store.statuses())
    except UsageError:
        return False


@pytest.fixture
def experiment(tmp_path, monkeypatch):
    """A folder with an experiment of some hundred runs, one of its boards unreadable."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "experiment.toml").write_text(EXPERIMENT)
    (tmp_path / "broken.txt").write_text("3\n1 2 x\n")
    return tmp_path


@pytest.mark.parametrize("content", [EXPERIMENT, GAMES], ids=["searches", "games"])
def test_killed_at_random_moments_it_ends_with_the_same_rows(experiment, content):
    """Nothing recorded is lost, nothing is half recorded, nothing is done twice; games are the same games."""
    (experiment / "experiment.toml").write_text(content)
    undisturbed = subprocess.run(command("whole"), capture_output=True, text=True, check=False)
    assert undisturbed.returncode == 0, undisturbed.stderr
    expected = rows("whole")
    rng = random.Random(7)
    for _ in range(KILLS):
        process = subprocess.Popen(command("killed"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    ended = subprocess.run(command("killed"), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert rows("killed") == expected
    again = subprocess.run(command("killed"), capture_output=True, text=True, check=False)
    assert f"{len(expected):,} done before" in again.stdout


def test_a_tournament_that_is_killed_ends_with_the_same_table(tmp_path, monkeypatch):
    """Restarted each time, it has the games and the standings of an undisturbed one; those that are tried replay."""
    monkeypatch.chdir(tmp_path)
    program = [sys.executable, "-m", "searchlab", "tournament", *TOURNAMENT, "--games", str(GAMES_A_PLAYER), "--json"]
    undisturbed = subprocess.run([*program, "--output", "whole"], capture_output=True, text=True, check=False)
    assert undisturbed.returncode == 0, undisturbed.stderr
    rng = random.Random(11)
    killed = [*program, "--output", "killed"]
    for _ in range(KILLS):
        process = subprocess.Popen(killed, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 3.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    ended = subprocess.run(killed, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert rows("killed") == rows("whole")
    assert standings(ended) == standings(undisturbed)
    table = sl.load_results("killed")
    assert len(table) == 2 * GAMES_A_PLAYER
    for number in rng.sample(range(len(table)), min(REPLAYED, len(table))):
        assert sl.replay(table.iloc[number]).score == table["score"].iloc[number]


def standings(ended):
    """Return the standings that a tournament printed, without what depends on times."""
    said = json.loads(ended.stdout)["standings"]
    return [{name: value for name, value in row.items() if name not in TIMES} for row in said]


def test_ctrl_c_finishes_what_runs_and_the_next_time_the_rest_is_done(experiment):
    """Once; the exit code says that something is left."""
    process = subprocess.Popen(command("stopped"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not has_rows("stopped") and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert "Traceback" not in err
    assert process.returncode in (0, 130), err
    assert ("left" in out) == (process.returncode == 130)
    ended = subprocess.run(command("stopped"), capture_output=True, text=True, check=False)
    assert ended.returncode == 0
    assert "all done" in ended.stdout


def test_ctrl_c_twice_stops_now(experiment):
    """Though what runs would never end."""
    heuristics = ("--heuristic", "left-weighted", "--heuristic", f"{HANGS}:spins")
    program = [sys.executable, "-m", "searchlab", "run", "2048/board10", *heuristics, "--workers", "2"]
    process = subprocess.Popen([*program, "--output", "hangs"], stderr=subprocess.PIPE, text=True)
    while not has_rows("hangs") and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    while "stopping" not in process.stderr.readline() and process.poll() is None:
        pass
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert err == "searchlab: stopped, what was under way is lost; the same command continues\n"
