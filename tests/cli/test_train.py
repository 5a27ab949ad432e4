"""`searchlab train` trains a network, reports the result, and continues a stopped training."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.files import FolderLock

NTUPLE = "ntuple:tuples=0 1 2 3/3 4 5,optimism=5"
SMALL_WEIGHTS = f"{NTUPLE},weights=uint16"
SLOW = "ntuple:tuples=0 1 2 3/3 4 5,rate=0.5,optimism=5"
TRAIN = "train", NTUPLE
SMALL = ("--domain", "2048-random:n=3")
FEW = ("--games", "20")
PLAYED = "play", "--player"
EVALUATED = "evaluate", "2048/board10", "--heuristic"
SOLVED = "solve", "2048/board10", "--heuristic"


@pytest.mark.slow
def test_the_outcome_and_the_use_of_a_network_are_printed(run):
    ran = run(*TRAIN, *SMALL, *FEW, "--output", "here")
    assert ran.code == 0
    assert ran.out.startswith(f"{NTUPLE} on 2048-random:n=3\n20 games, ")
    assert "learned: here/network.npz" in ran.out
    assert "searchlab play --player ntuple:file=here/network.npz" in ran.out
    played = run("play", *SMALL, "--player", "ntuple:file=here/network.npz", "--json")
    assert played.code == 0
    assert played.json["player"] == "ntuple:file=here/network.npz"


def test_a_memory_limit_that_is_too_small_is_refused_at_once(run):
    """The memory that the learner may need is known before it begins."""
    ran = run("train", "ntuple", "--memory-limit", "50MiB")
    assert ran.code == 2
    assert ran.error == "needs up to 768 MiB of memory, and --memory-limit allows 50 MiB"


@pytest.mark.slow
def test_the_same_command_continues_a_training(run, folder):
    first = run(*TRAIN, *SMALL, *FEW)
    written = [(file.name, file.stat().st_mtime_ns) for file in sorted((folder / "trained" / "ntuple").glob("[cn]*"))]
    again = run(*TRAIN, *SMALL, *FEW)
    assert again.err == "searchlab: after 20 games nothing is left to do; --games 40 goes on\n"
    assert again.out.splitlines()[2:] == first.out.splitlines()[2:]
    assert all((folder / "trained" / "ntuple" / name).stat().st_mtime_ns == then for name, then in written)
    (folder / "trained" / "ntuple" / "network.npz").unlink()
    assert run(*TRAIN, *SMALL, *FEW).code == 0
    assert (folder / "trained" / "ntuple" / "network.npz").exists()
    further = run(*TRAIN, *SMALL, "--games", "25")
    assert further.err == "searchlab: continues in trained/ntuple, after 20 games\n"
    further = run(*TRAIN, *SMALL, "--games", "30", "--json")
    assert (further.json["games"], further.err) == (30, "")
    whole = run(*TRAIN, *SMALL, "--games", "30", "--output", "whole")
    assert whole.code == 0
    network = "network.npz"
    assert (folder / "whole" / network).read_bytes() == (folder / "trained" / "ntuple" / network).read_bytes()


@pytest.mark.slow
def test_weights_of_16_bits_play_and_learn_on(run, folder):
    """The checkpoint has the weights as they are; only what plays is rounded."""
    assert run("train", SMALL_WEIGHTS, *SMALL, *FEW).code == 0
    network = folder / "trained" / "ntuple" / "network.npz"
    assert sl.read_network(network).weights.dtype == "uint16"
    assert run("play", *SMALL, "--player", f"ntuple:file={network}", "--json").code == 0
    further = run("train", SMALL_WEIGHTS, *SMALL, "--games", "30", "--json").json
    assert (
        further["mean_score"] == run(*TRAIN, *SMALL, "--games", "30", "--output", "whole", "--json").json["mean_score"]
    )


@pytest.mark.slow
def test_stages_are_kept_in_the_file_and_played(run, folder):
    """The same games come out when it is stopped between; the file says where stages begin."""
    learner = "ntuple:tuples=0 1 2 3/3 4 5,stages=64/64 32/128,weights=uint16"
    assert run("train", learner, *SMALL, *FEW).code == 0
    assert run("train", learner, *SMALL, "--games", "300").code == 0
    assert run("train", learner, *SMALL, "--games", "300", "--output", "whole").code == 0
    network, whole = folder / "trained" / "ntuple" / "network.npz", folder / "whole" / "network.npz"
    assert network.read_bytes() == whole.read_bytes()
    read = sl.read_network(network)
    assert (read.stages, read.entries) == ((64, 96, 128), 4 * (11**4 + 11**3))
    for player in (f"ntuple:file={network}", f"ntuple:file={network},depth=1,downgrade=128"):
        assert run("play", *SMALL, "--player", player, "--json").code == 0


@pytest.mark.slow
def test_boards_are_downgraded_in_learning_and_then_in_play(run, folder):
    """What is downgraded teaches other weights; a player reads boards so without being told."""
    plain, downgrading = "ntuple:tuples=0 1 2 3 4 5", "ntuple:tuples=0 1 2 3 4 5,downgrade=64"
    for learner, output in ((plain, "plain"), (downgrading, "downgrading")):
        assert run("train", learner, *SMALL, "--games", "300", "--output", output).code == 0
    networks = [sl.read_network(folder / output / "network.npz") for output in ("plain", "downgrading")]
    assert [network.downgrade for network in networks] == [0, 64]
    large, small = sl.Board([[64, 32, 8], [2, 0, 0], [0, 0, 0]]), sl.Board([[32, 16, 8], [2, 0, 0], [0, 0, 0]])
    assert networks[1].value(large) == networks[1].value(small) > 0
    bound = sl.domain("2048-random", n=3)
    file = str(folder / "downgrading" / "network.npz")
    reads = [sl.heuristic("ntuple", domain=bound, file=file, **how) for how in ({}, {"downgrade": 64})]
    assert reads[0](large) == reads[1](large) == networks[1].value(large)
    assert networks[0].value(large) != networks[0].value(small)


@pytest.mark.slow
def test_several_threads_learn_with_a_warning_that_results_vary(run, folder):
    two = *TRAIN, *SMALL, *FEW, "--threads", "2"
    ran = run(*two)
    assert ran.code == 0
    assert ran.err.startswith("searchlab: several threads learn at once: not reproducible")
    assert ran.out.startswith(f"{NTUPLE},threads=2 on 2048-random:n=3\n20 games, ")
    about = sl.read_network(folder / "trained" / "ntuple" / "network.npz").about
    assert (about["learner"], about["reproducible"]) == (f"{NTUPLE},threads=2", False)
    further = run(*two[:-1], "2", "--games", "31", "--json").json
    assert (further["games"], further["reproducible"]) == (31, False)
    assert "threads=2 instead of" in run(*TRAIN, *SMALL, *FEW).error
    assert "threads is given twice, 2 and 3" in run("train", "ntuple:threads=2", "--threads", "3").error


@pytest.mark.slow
def test_json_has_the_figures(run):
    found = run("train", SLOW, *SMALL, *FEW, "--seed", "3", "--json").json
    assert (found["learner"], found["domain"], found["seed"]) == (SLOW, "2048-random:n=3", "3")
    assert (found["games"], found["network"]) == (20, "trained/ntuple/network.npz")
    assert found["best_score"] >= found["mean_score"] > 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nutple",), "no learner is called 'nutple': did you mean 'ntuple'?"),
        (("ntuple:rat=1",), "learner ntuple has no parameter 'rat': did you mean 'rate'?"),
        (("ntuple:rate=0",), "a rate is above 0, up to 1"),
        (("ntuple:optimism=inf",), "points expected are a number up to 1e+20"),
        (("ntuple:optimism=-1e39",), "points expected are a number up to 1e+20"),
        (("ntuple:rule=td0",), "rule"),
        (("ntuple:tuples=[0 1/x]",), "cells are numbered row by row from 0"),
        (("ntuple:weights=uint8",), "weights"),
        (("ntuple:stages=many",), "each begins with one or more different tiles"),
        (("ntuple:stages=[16/]",), "each begins with one or more different tiles"),
        (("ntuple:stages=[16 16]",), "each begins with one or more different tiles"),
        (("ntuple:stages=12",), "each begins with one or more different tiles"),
        (("ntuple:downgrade=3",), "a tile is a power of two, from 4 up, or 0"),
        (("ntuple:stages=[32/16]",), "ever larger sums of different tiles"),
        (("ntuple:tuples=8x6", *SMALL), "does not have cells from 0 to 8"),
        (("ntuple:tuples=[0 16]",), "does not have cells from 0 to 15"),
        (("ntuple", "--domain", "sliding-tile"), "learner 'ntuple' is made for 2048-random, not for sliding-tile"),
        (("ntuple", "--domain", "2048"), "learner 'ntuple' is made for 2048-random, not for 2048"),
        (("ntuple", "--games", "0"), "--games"),
        (("ntuple", "--threads", "0"), "--threads"),
        (("ntuple", "--checkpoint", "soon"), "--checkpoint"),
        (("ntuple", "--output", "file"), "file: a file, not a folder"),
        (("ntuple", "--output", "/proc/nowhere"), "/proc/nowhere: "),
        ((), "missing argument 'LEARNER'"),
    ],
)
def test_invalid_arguments_are_refused(run, folder, arguments, said):
    (folder / "file").write_text("")
    assert said in run("train", *arguments).error
    assert [path.name for path in folder.iterdir()] == ["file"]


def test_a_folder_is_locked_while_a_process_learns(run, folder):
    with FolderLock(folder / "trained" / "ntuple", "here"):
        refused = run(*TRAIN, *SMALL, *FEW).error
    assert refused == "trained/ntuple: another process is learning in this folder"
    assert run(*TRAIN, *SMALL, *FEW).code == 0


def test_other_settings_in_the_same_folder_are_refused(run):
    run(*TRAIN, *SMALL, *FEW)
    refused = run(*TRAIN, *SMALL, *FEW, "--seed", "2").error
    assert refused == "trained/ntuple is a course of learning with seed 1 instead of 2: name another folder"
    assert "rate" in run("train", SLOW, *SMALL, *FEW).error


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals are sent")
@pytest.mark.parametrize(
    ("number", "code", "threads"),
    [(signal.SIGINT, 130, 1), (signal.SIGINT, 130, 2), (signal.SIGTERM, -signal.SIGTERM, 1)],
)
def test_a_signal_stops_a_training_with_a_checkpoint(folder, number, code, threads):
    """The same command continues."""
    command = [sys.executable, "-m", "searchlab", *TRAIN, *SMALL, "--games", "1000000000", "--threads", str(threads)]
    process = subprocess.Popen(
        [*command, "--checkpoint", "1ms"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    checkpoint = folder / "trained" / "ntuple" / "checkpoint.npz"
    while not checkpoint.exists():
        assert process.poll() is None, process.communicate()
    process.send_signal(number)
    out, errors = process.communicate(timeout=120)
    assert process.returncode == code
    *said, last = errors.splitlines()
    assert last == "searchlab: stopped; the same command resumes from here"
    assert len(said) == threads - 1
    assert "learned: " in out
    played = re.search(r"^[\d,]+ games?(?=, )", out, re.MULTILINE)[0]
    again = subprocess.run([*command, "--games", "1"], cwd=folder, capture_output=True, text=True, check=False)
    assert again.returncode == 0
    assert f"after {played}" in again.stderr


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """What training left behind: a folder with a network and a checkpoint."""
    folder = tmp_path_factory.mktemp("trained") / "small"
    assert main([*TRAIN, *SMALL, *FEW, "--output", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("command", [PLAYED, EVALUATED, SOLVED])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ntuple:file=nothing.npz", "nothing.npz: no such file"),
        ("ntuple:file=text.npz", "text.npz is no n-tuple network: it is another kind of file"),
        ("ntuple:file=cut.npz", "cut.npz is no n-tuple network that can be read: it is cut off or damaged"),
        ("ntuple:file=small/checkpoint.npz", "it holds a checkpoint of learning"),
        ("ntuple:file=small/network.npz", "the network is for boards of 3 × 3, not of 4 × 4"),
    ],
)
def test_a_network_for_other_boards_is_refused(small, run, folder, command, name, said):
    (folder / "text.npz").write_text("4\n")
    shutil.copytree(small, folder / "small")
    (folder / "cut.npz").write_bytes((folder / "small" / "network.npz").read_bytes()[:-20])
    assert said in run(*command, name).error


@pytest.mark.slow
def test_the_content_of_a_network_identifies_runs(run, folder):
    of_file = "ntuple:file=small/network.npz"
    command = ["run", "--player", of_file, "--player", f"expectimax:depth=1,heuristic=[{of_file}]", "--seeds", "1-3"]
    command += ["--domain", "2048-random:n=3", "--name", "kept", "--workers", "1"]
    run(*TRAIN, *SMALL, *FEW, "--output", "small")
    assert run(*command).out.startswith("6 runs, all done: ")
    assert run(*command).out.startswith("6 runs, all done, 6 done before: ")
    run(*TRAIN, *SMALL, "--games", "30", "--output", "small")
    assert run(*command).out.startswith("6 runs, all done: ")
    assert "file=small/network.npz" in run("results", "results/kept", "--json").out
