"""A game of an experiment always has a row, from which it can be played again."""

from pathlib import Path

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import SearchlabError, UsageError
from searchlab.experiments import game_run
from searchlab.experiments.runs import GAMES, Run, RunInstance
from searchlab.experiments.specification import Experiment
from searchlab.experiments.store import Store
from searchlab.experiments.worker_pool import WorkerProcess
from searchlab.games import play as playing
from searchlab.search.watch import Watch

PLAYERS = Path(__file__).parents[1] / "plugin_files" / "players_of_all_sorts.py"
BOARD = ((2, 0, 0), (0, 4, 0), (0, 0, 2))


@pytest.fixture
def play(setup, tmp_path):
    """Play games in a worker process; return their rows."""

    def play(*runs):
        worker_process = WorkerProcess(setup)
        records, _ = worker_process.run(runs)
        worker_process.end()
        with Store(tmp_path / "played", writes=True, kind=GAMES) as store:
            store.add(records)
        return sl.load_results(tmp_path / "played").to_dict("records")

    return play


def game(player, domain="2048-random:n=3", rows=None, **others):
    """A game of a player, of one of players_of_all_sorts.py where the name says so."""
    named = player.replace("mine/", f"{PLAYERS}:")
    limits = sl.Limits(others.pop("seconds", 60.0), others.pop("memory", None))
    start = RunInstance("a board" if rows else "", rows)
    return Run(start, {"domain": domain, "player": named}, limits=limits, **{"seed": 1, **others})


def test_a_game_run_equals_the_game_of_play(play):
    """From the opening and from a board."""
    runs = [game("random", seed=seed, rows=rows) for seed in (0, 3) for rows in (None, BOARD)]
    for run, row in zip(runs, play(*runs), strict=True):
        board = None if run.instance.rows is None else sl.Board(run.instance.rows)
        expected = sl.play(board, domain=run.parts["domain"], player=run.parts["player"], seed=run.seed)
        assert (row["status"], row["score"], row["moves"]) == (expected.status, expected.score, expected.moves)
        assert row["actions"] == "".join(action[0] for action in expected.actions)
        assert row["largest_tile"] == expected.boards[-1].largest_tile()
        assert row["moves_per_second"] == pytest.approx(row["moves"] / row["seconds"])
        replayed = sl.replay(row)
        assert (replayed.turns, replayed.opening) == (expected.turns, expected.opening)


@pytest.mark.slow
def test_limits_hold_for_games(play):
    """The moves so far are kept, and can be replayed."""
    rows = play(
        game("random", most_moves=5),
        game("random", seconds=0),
        game("mine/spins", seconds=0.2),
        game("mine/hoards", memory=2**20),
        game("mine/is_refused"),
        game("mine/raises"),
        game("mine/ends"),
        game("random", seed=2),
    )
    assert [row["status"] for row in rows] == [
        *("move-limit", "time-limit", "time-limit", "memory-limit", "memory-limit", "error", "error", "dead"),
    ]
    assert (rows[0]["moves"], rows[1]["moves"]) == (5, 0)
    assert rows[2]["largest_tile"] == 8
    assert "spins" in rows[2]["reason"]
    assert "did not return" in rows[2]["reason"]
    assert rows[5]["largest_tile"] == 16
    assert "its process died 2 times" in rows[6]["reason"]
    assert pd.isna(rows[6]["score"])  # nobody knows how far it came
    for row in rows[:6]:
        assert sl.replay(row).score == row["score"]
    with pytest.raises(UsageError, match="there are no moves to replay"):
        sl.replay(rows[6])


def test_an_unplayable_game_is_an_error_of_the_run(play):
    """A board the domain refuses, a player that is not there."""
    wrong, absent = play(game("random", rows=((3, 5), (2, 2))), game("nobody"))
    assert (wrong["status"], absent["status"]) == ("error", "error")
    assert "nobody" in absent["reason"]


def test_a_seed_is_passed_to_players_that_take_one(play):
    first, second = play(game("mine/counts", seed=1), game("mine/counts", seed=2))
    expected = sl.play(domain="2048-random:n=3", player=sl.player(f"{PLAYERS}:counts:seed=2"), seed=2)
    assert second["score"] == expected.score
    assert first["player"] == second["player"]


def test_a_game_that_contradicts_its_record_is_refused(play):
    """Another score, other moves, another end."""
    (row,) = play(game("random"))
    for change in ({"score": row["score"] + 4}, {"actions": row["actions"][:-1]}, {"status": "goal"}):
        with pytest.raises(SearchlabError, match="does not come to what was recorded"):
            sl.replay({**row, **change})
    with pytest.raises(SearchlabError, match="does not come to what was recorded of it: 'x' is not a move here"):
        sl.replay({**row, "actions": "x" + row["actions"][1:]})


@pytest.mark.slow
def test_every_game_of_an_experiment_can_be_played_again(tmp_path):
    """Of chance and of none, from openings and boards, by players that take their time as well."""
    experiment = Experiment(
        boards=["2048/board10"],
        domains=["2048", "2048-random", "2048-random:preset=cs61b"],
        players=["random", "greedy", "expectimax:seconds=0.001"],
        seeds=[1, 2],
        most_moves=40,
        limits=sl.Limits(60),
    )
    found = sl.run(experiment, folder=tmp_path / "results", workers=1)
    played = found[found["status"] != "error"]
    assert set(played["player"]) == {"random", "greedy", "expectimax:seconds=0.001"}
    for _, row in played.iterrows():
        assert sl.replay(row).score == row["score"]
    again = sl.run(experiment, folder=tmp_path / "results", workers=1)
    assert again.equals(found)


@pytest.mark.slow
def test_games_in_compiled_code_have_the_same_rows(monkeypatch):
    """An experiment goes over to it in the middle of a game, once games have taken some time."""
    domain = sl.domain("2048-random", stop_at=32768)
    player = sl.player("greedy:heuristic=empty", domain=domain)

    def cells(run, seconds):
        played, watch = game_run.GameRun(run, domain, player), Watch(run.limits)
        with monkeypatch.context() as patched:
            patched.setattr(playing, "SECONDS_ON_BOARDS", seconds)
            if seconds:
                patched.setattr(playing, "_compiled", lambda *game, **only: None)
            row = played.cells(*played.play(watch), watch)
        times = ("seconds", "cpu_seconds", "moves_per_second")
        return {name: value for name, value in row.items() if name not in times}

    for others in ({"seed": 1}, {"seed": 2, "most_moves": 50}):
        run = game("greedy:heuristic=empty", "2048-random:stop_at=32768", **others)
        assert cells(run, 0.0) == cells(run, 1e9)
    assert cells(game("greedy", seconds=0), 0.0)["status"] == "time-limit"


def test_a_new_player_is_called_once_before_the_clock_starts():
    """Its functions are compiled then, once for each shape."""
    asked = []

    def first(board, moves):
        asked.append(board.shape)
        return moves[0].action

    player = None
    for n, seed in ((3, 1), (3, 2), (2, 1), (2, 2)):
        domain = sl.domain("2048-random", n=n)
        player = player or sl.player(sl.Player("first", first), domain=domain)
        run = game("first", f"2048-random:n={n}", seed=seed, most_moves=3)
        played, watch = game_run.GameRun(run, domain, player), Watch(run.limits)
        assert played.play(watch)[0] == "move-limit"
    assert asked == [(3, 3)] * (1 + 3 + 3) + [(2, 2)] * (1 + 3 + 3)
