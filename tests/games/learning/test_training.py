"""A training that was stopped and continued has the same result, and other settings cannot continue it."""

import os
import time
from itertools import pairwise

import numpy as np
import pytest

import searchlab as sl
from searchlab.files import FolderLock
from searchlab.games.learning import training as module
from searchlab.games.learning.array_files import write_arrays
from searchlab.games.learning.training import CHECKPOINT, LEARNED, PICTURE, TABLE, Training
from searchlab.reports.learning_charts import training_picture

WHAT = {"learner": "ntuple", "domain": "2048-random:n=3", "seed": "1"}
GAMES = 3000


def training(folder, what=WHAT, **parameters):
    """A training on boards of 3 × 3."""
    folder.mkdir(exist_ok=True)
    learner = sl.learner("ntuple", domain="2048-random:n=3", tuples="0 1 2 3/3 4 5", **parameters)
    return Training(folder, what, learner(1), picture=training_picture)


def without_times(folder):
    """The table of a curve without the column of times."""
    return [line.rpartition(",")[0] for line in (folder / TABLE).read_text().splitlines()]


def test_a_stopped_and_continued_training_has_the_same_network(tmp_path):
    """To the byte."""
    assert training(tmp_path / "whole").run(GAMES)
    for games in (1, 700, 1000, 1001, GAMES):
        stopped = training(tmp_path / "stopped")
        assert stopped.resume() == (games > 1)
        assert stopped.run(games)
        assert stopped.curve.games == games
    assert (tmp_path / "stopped" / LEARNED).read_bytes() == (tmp_path / "whole" / LEARNED).read_bytes()
    assert without_times(tmp_path / "stopped") == without_times(tmp_path / "whole")


@pytest.mark.parametrize(("takes", "between"), [(1, 60), (10, 200)])
def test_writing_checkpoints_takes_a_twentieth_of_the_time_at_most(tmp_path, monkeypatch, takes, between):
    """By default there is one a minute, or fewer where they take long."""
    learned = training(tmp_path)
    now, written = 0.0, []

    def learn(moves, games):
        nonlocal now
        now += 5
        if now > 2000:
            learned.stop()
        return 10, []

    def write():
        nonlocal now
        written.append(now)
        now += takes

    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    monkeypatch.setattr(learned.learning, "learn", learn)
    monkeypatch.setattr(learned, "write", write)
    assert not learned.run(GAMES)
    assert {later - earlier - takes for earlier, later in pairwise(written[1:-1])} == {between}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stopped_training_writes_its_state(tmp_path, threads):
    stopped = training(tmp_path, threads=threads)

    def watch(_):
        if stopped.curve.games >= 100:
            stopped.stop()

    assert not stopped.run(10**9, watch)
    again = training(tmp_path, threads=threads)
    assert again.resume()
    assert (again.curve.games, again.moves) == (stopped.curve.games, stopped.moves)
    assert {CHECKPOINT} <= {file.name for file in tmp_path.iterdir()} <= {LEARNED, CHECKPOINT, TABLE, PICTURE}


def test_threads_play_the_requested_number_of_games(tmp_path):
    """The file says that the training is not reproducible."""
    for games in (1, 2, 501, 1003):
        learned = training(tmp_path / "two", threads=2)
        assert learned.resume() == (games > 1)
        assert learned.run(games)
        assert (learned.curve.games, learned.is_reproducible) == (games, False)
    assert sl.read_network(tmp_path / "two" / LEARNED).about["reproducible"] is False
    assert training(tmp_path / "one").run(1)
    assert "reproducible" not in sl.read_network(tmp_path / "one" / LEARNED).about


def test_learning_does_not_depend_on_the_slices(tmp_path, monkeypatch):
    """Slices of a move or two, and as large as they may be."""
    for name, first, largest in (("small", 1, 2), ("large", 1 << 20, 1 << 20)):
        monkeypatch.setattr(module, "FIRST_SLICE", first)
        monkeypatch.setattr(module, "LARGEST_SLICE", largest)
        assert training(tmp_path / name).run(200)
    assert (tmp_path / "small" / LEARNED).read_bytes() == (tmp_path / "large" / LEARNED).read_bytes()


def test_slices_take_about_the_same_time():
    """However long a move takes."""
    for seconds_a_move in (1e-7, 1e-4, 0.01):
        slice_ = module.FIRST_SLICE
        for _ in range(30):
            slice_ = module._next_slice(slice_, slice_, slice_ * seconds_a_move)
        assert slice_ == module.LARGEST_SLICE or 0.5 < slice_ * seconds_a_move / module.SLICE_SECONDS <= 2


@pytest.mark.slow
def test_a_stopped_training_waits_for_its_checkpoint(tmp_path):
    """No game is learned from twice."""
    stopped = training(tmp_path / "stopped")
    state, told = stopped.learning.state, []
    stopped.learning.state = lambda: time.sleep(1.2) or state()

    def watch(_):
        told.append(stopped.is_stopping)
        if stopped.curve.games >= 100:
            stopped.stop()

    assert not stopped.run(10**9, watch)
    assert told[-2:] == [False, True]
    again = training(tmp_path / "stopped")
    assert again.resume()
    assert again.curve.games == stopped.curve.games >= 100
    assert again.run(GAMES)
    assert training(tmp_path / "whole").run(GAMES)
    assert (tmp_path / "stopped" / LEARNED).read_bytes() == (tmp_path / "whole" / LEARNED).read_bytes()


@pytest.mark.parametrize("array", range(1, 3))
def test_an_interrupted_checkpoint_leaves_the_one_before(tmp_path, monkeypatch, array):
    """The second Ctrl-C comes while it is written."""
    write_arrays(tmp_path / CHECKPOINT, "it", {}, {"a": np.zeros(3)})
    before, written = (tmp_path / CHECKPOINT).read_bytes(), []
    write_array = np.lib.format.write_array

    def interrupted(stream, content, **options):
        written.append(content)
        write_array(stream, content, **options)
        if len(written) == array:
            raise KeyboardInterrupt

    monkeypatch.setattr(np.lib.format, "write_array", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_arrays(tmp_path / CHECKPOINT, "it", {}, {"a": np.ones(1 << 20)})
    assert os.listdir(tmp_path) == [CHECKPOINT]
    assert (tmp_path / CHECKPOINT).read_bytes() == before


def test_a_folder_that_is_taken_away_is_noticed(tmp_path):
    """By the time files are written."""
    with FolderLock(tmp_path / "taken", "") as lock:
        begun = training(tmp_path / "taken")
        begun.lock = lock
        (tmp_path / "taken").rename(tmp_path / "elsewhere")
        with pytest.raises(sl.MachineError, match="taken: deleted or replaced while being written"):
            begun.run(10)


def test_the_learning_curve_has_a_row_for_every_thousand_games(tmp_path):
    assert training(tmp_path).run(GAMES + 500)
    lines = [line.split(",") for line in (tmp_path / TABLE).read_text().splitlines()]
    assert [line[0] for line in lines] == ["games", "1000", "2000", "3000", "3500"]
    scores = [float(line[lines[0].index("mean_score")]) for line in lines[1:]]
    assert scores[-1] > scores[0] > 0
    reached = [float(share) for line in lines[1:] for share in line[4:-1]]
    assert all(0 <= share <= 1 for share in reached)
    assert "mean score" in (tmp_path / PICTURE).read_text()


def test_a_training_with_other_settings_is_refused(tmp_path):
    training(tmp_path).run(10)
    other = training(tmp_path, {**WHAT, "seed": "2"})
    with pytest.raises(sl.UsageError, match="is a course of learning with seed 1 instead of 2: name another folder"):
        other.resume()


def test_a_network_without_a_checkpoint_is_not_written_over(tmp_path):
    training(tmp_path).run(10)
    (tmp_path / CHECKPOINT).unlink()
    with pytest.raises(sl.UsageError, match=r"network.npz exists, and no checkpoint"):
        training(tmp_path).resume()


def test_a_damaged_checkpoint_is_refused(tmp_path):
    training(tmp_path).run(10)
    whole = (tmp_path / CHECKPOINT).read_bytes()
    for length in range(0, len(whole), 211):
        (tmp_path / CHECKPOINT).write_bytes(whole[:length])
        with pytest.raises(sl.UsageError, match=r"checkpoint.npz is no checkpoint of learning"):
            training(tmp_path).resume()


@pytest.mark.parametrize(
    ("name", "fill", "wrong"),
    [
        ("course", np.nan, "how far the learning has come"),
        ("course", np.inf, "how far the learning has come"),
        ("curve", 0, "its curve cannot be"),
        ("curve", 2000, "its curve cannot be"),
        ("curve", np.nan, "its curve cannot be"),
    ],
)
def test_figures_that_no_games_have_are_refused(tmp_path, name, fill, wrong):
    """They would be shown as nan, or divided by."""
    begun = training(tmp_path)
    begun.run(10)
    with np.load(tmp_path / CHECKPOINT) as content:
        arrays = dict(content)
    arrays[name].fill(fill)
    np.savez(tmp_path / CHECKPOINT, **arrays)
    with pytest.raises(sl.UsageError, match=rf"checkpoint.npz is no checkpoint of learning: .*{wrong}"):
        training(tmp_path).resume()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("entries", lambda array: array + 10**9),
        ("entries", lambda array: array - 10**9),
        ("entries", lambda array: array[1:]),
        ("entries", lambda array: array.astype(np.int32)),
        ("control", lambda array: array - 1),
        ("boards", lambda array: array | np.uint64(2**63)),
        ("weights", lambda array: array[1:]),
        ("errors", lambda array: array[1:]),
        ("random", lambda array: array[1:]),
        ("seen", lambda array: array[1:]),
    ],
)
def test_a_checkpoint_that_would_mislead_compiled_code_is_refused(tmp_path, name, change):
    """It is checked before anything is looked up where it says."""
    begun = training(tmp_path)
    begun.learning.learn(1000, 10**9)
    state = begun.learning.state()
    state[name] = change(state[name])
    arrays = {f"state.{key}": array for key, array in state.items()}
    arrays |= {"course": np.zeros(2), "curve": begun.curve.sums()}
    write_arrays(tmp_path / CHECKPOINT, "checkpoint of learning", {"what": WHAT, "state": list(state)}, arrays)
    with pytest.raises(sl.UsageError, match=r"checkpoint.npz is no checkpoint of learning"):
        training(tmp_path).resume()
