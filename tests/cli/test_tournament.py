"""`searchlab tournament` plays, continues and ranks; `searchlab results standings` shows the standings again."""

from __future__ import annotations

import json

import pytest

import searchlab as sl
from searchlab.experiments.specification import Experiment
from searchlab.experiments.worker_pool import end_workers

MINE = """\
from searchlab import Player, hookimpl


def first(board, moves, seconds=0.0):
    return moves[0].action


@hookimpl
def searchlab_players():
    yield Player("first", first)
"""


@pytest.fixture(autouse=True)
def no_workers_left():
    """Each test begins with worker processes of its own."""
    yield
    end_workers()


@pytest.fixture
def tournament(run):
    """Let players play a small tournament."""

    def tournament(*arguments):
        return run("tournament", *arguments, "--max-moves", 20, "--workers", 1)

    return tournament


@pytest.fixture
def made_up(make_game, make_results, folder):
    """Two hundred games of two players, recorded."""
    far = [make_game("expectimax:depth=2", k, 70_000.0 + 10 * k, tile=8192 if k % 4 else 4096) for k in range(100)]
    near = [make_game("random", k, 1000.0 + k, tile=128, moves_per_second=5000.0) for k in range(100)]
    return make_results([*far, *near], "made-up")


def sections(text):
    """Return the parts of a page that blank lines separate, each as the words of its lines."""
    return [[line.split() for line in part.splitlines()] for part in text.strip().split("\n\n")]


def test_a_tournament_is_played_and_ranked(tournament):
    """Each player plays the games asked for, with the same seeds; the page ends with the standings, the best first."""
    ran = tournament("random", "greedy", "--games", 3, "--seed", 5)
    assert ran.code == 0
    assert ran.out.startswith("6 games, all done: move-limit 6\nrecord: results/tournament\n\n2048-random ")
    table = sl.load_results("results/tournament")
    assert sorted(zip(table["player"], table["seed"], strict=True)) == [
        (player, seed) for player in ("greedy", "random") for seed in (5, 6, 7)
    ]
    best = max(("greedy", "random"), key=lambda player: table[table["player"] == player]["score"].mean())
    assert sections(ran.out)[1][1][:3] == ["1", best, "3"]
    assert "not played to their end: 6, which count with the score they had" in ran.out
    assert sections(ran.out)[3][1][-1] == "–"
    assert "no interval from fewer than 8 games of different seeds" in ran.out


@pytest.mark.slow
def test_the_same_command_continues_and_shows_the_same(tournament):
    """No game is played twice; more games and another player are added, and only the players asked for are ranked."""
    first = tournament("random", "--games", 2)
    again = tournament("random", "--games", 2)
    assert again.out.startswith("2 games, all done, 2 done before: ")
    assert again.out.split("\n\n", 1)[1] == first.out.split("\n\n", 1)[1]
    more = tournament("random", "greedy", "--games", 3)
    assert more.out.startswith("6 games, all done, 2 done before: ")
    fewer = tournament("greedy", "--games", 1, "--json").json
    assert [(row["player"], row["games"]) for row in fewer["standings"]] == [("greedy", 1)]
    assert len(sl.load_results("results/tournament")) == 6


@pytest.mark.slow
def test_a_tournament_equals_the_experiment_of_a_file(tournament, write, run):
    """The games have the same identities."""
    tournament("random", "greedy", "--games", 2, "--preset", "cs61b", "--name", "mine")
    players = ["random", "greedy"]
    of_game = 'domains = ["2048-random:preset=cs61b"]\nseeds = "1-2"'
    write("mine.toml", f"players = {json.dumps(players)}\n{of_game}\n[limits]\nmoves = 20\n")
    assert "all done, 4 done before" in run("run", "mine.toml", "--workers", 1).out
    frozen = Experiment.from_json((sl.experiments.scheduler.RESULTS / "mine" / "experiment.json").read_text())
    assert frozen.players == tuple(players)


@pytest.mark.slow
def test_json_has_the_table_counts_and_the_folder(tournament):
    found = tournament("random", "greedy", "--games", 4, "--output", "there", "--json").json
    assert (found["record"], found["left"], found["games"], found["cut_short"]) == ("there", 0, 8, 8)
    assert found["statuses"] == {"move-limit": 8}
    table = sl.standings(sl.load_results("there"))
    assert [row["score"] for row in found["standings"]] == table["score"].tolist()
    assert list(found["standings"][0]) == list(table.columns)


def test_the_page_of_standings(run, made_up):
    """Who earned how much, how the scores are spread, differences, rates with their intervals, and the time."""
    ran = run("results", "standings", "made-up")
    assert (ran.code, ran.err) == (0, "")
    means, scores, pairs, rates, taken, notes = sections(ran.out)
    assert means == [
        ["2048-random", "games", "mean", "score", "95", "%", "interval", "spread"],
        ["1", "expectimax:depth=2", "100", "70,495", *means[1][4:]],
        ["2", "random", "100", "1,050", *means[2][4:]],
    ]
    assert scores[1] == ["1", "expectimax:depth=2", "70,050", "70,248", "70,495", "70,742", "70,940", "70,990"]
    assert pairs[1][:4] == ["2", "random", "100", "-69,446"]
    assert rates[0][-3:] == ["4096", "8192", "16384"]
    assert rates[1] == ["1", "expectimax:depth=2", "100.0", "100.0", "75.0", "0.0"]
    assert rates[2][3:] == ["96.4", "…", "100.0", "96.4", "…", "100.0", "65.3", "…", "83.1", "0.0", "…", "3.6"]
    assert taken[1:] == [
        ["1", "expectimax:depth=2", "50", "500", "ms", "100"],
        ["2", "random", "50", "500", "ms", "100"],
    ]
    assert notes[0] == ["200", "games:", "200", "dead"]
    assert "Student's" in notes[1]
    assert "Bonferroni" in ran.out
    assert "no interval" not in ran.out


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_page(run, make_game, make_results, folder, monkeypatch, width):
    """Names lose their middle and are listed in full, and tables go on below; no figure is cut."""
    monkeypatch.setenv("COLUMNS", str(width))
    long = "expectimax:heuristic=[smooth:blanks=270,monotonicity=47,steepness=4],depth="
    make_results([make_game(f"{long}{d}", s, 1e6 + s / 3, tile=2**17) for d in (2, 3) for s in range(9)])
    ran = run("results", "standings", "results")
    assert max(map(len, ran.out.splitlines())) <= width
    for word in ("131072", "262144", "best", "moves/s", "1,000,003"):
        assert word in ran.out
    assert all(f"{long}{depth}" in "".join(ran.out.split()) for depth in (2, 3))


def test_standings_of_some_of_the_games(run, made_up):
    """Those for which a condition holds; where there are none that is said."""
    found = run("results", "standings", "made-up", "--where", "seed<10", "--json").json
    assert found["games"] == 20
    assert run("results", "standings", "made-up", "--where", "seed>1000").out == "there are no games\n"


def test_results_show_the_games_of_a_tournament(tournament, run):
    tournament("random", "--games", 2)
    assert "2 runs: 2 move-limit" in run("results", "results/tournament").out


def test_time_per_move_is_a_parameter_of_players_that_have_it(run, write):
    """It is part of their names, and of the identity of games."""
    mine = write("mine.py", MINE)
    command = ("tournament", "first", "random", "--plugin", mine, "--games", 3, "--dry-run")
    assert "first, random" in run(*command).out
    assert "first:seconds=0.25, random" in run(*command, "--time-per-move", "250ms").out
    assert "first:seconds=1, random" in run("tournament", "first:seconds=1", *command[2:]).out


def test_a_game_without_chance_is_played_once(tournament):
    """As the players leave nothing to chance either; that is reported."""
    ran = tournament("greedy", "--games", 9, "--goal", 64)
    assert "skipped: 8 combinations; --dry-run lists them with the reasons" in ran.err
    assert ran.out.startswith("1 game, all done: ")


BAD = {
    "": "missing argument 'PLAYER…'",
    "gredy": "no player is called 'gredy': did you mean 'greedy'?",
    "greedy my-file.toml": "no player is called 'my-file.toml'",
    "greedy:depth=2": "player greedy",
    "greedy:heuristic=taxicab": "heuristic 'taxicab' is made for sliding-tile",
    "greedy --games 0": "--games': 0 is not in the range",
    "greedy --games many": "--games': 'many' is not a whole number",
    "greedy --games 1000001": "--games: '1-1000001': there can be 1,000,000 seeds",
    "greedy --seed -1": "--seed': -1 is not in the range",
    "greedy --seed 9223372036854775807": "--games: a seed is at most 2^63 - 1",
    "tutorial --domain sliding-tile": "player 'tutorial' is made for 2048-random, not for sliding-tile",
    "greedy --domain 2408": "did you mean '2048'?",
    "greedy --preset clasic": "did you mean 'classic'?",
    "greedy --goal 100": "a goal is a power of two",
    "greedy --max-expansions 3": "no such option '--max-expansions'",
    "greedy --time-limit soon": "'soon' is not a time",
    "greedy --time-per-move 1s": "--time-per-move: none of the players has a parameter seconds",
    "expectimax:seconds=1 --time-per-move 2s": "seconds is given twice",
    "greedy --name=": "name: one line of text is wanted",
    "greedy --games 1 --executor lokal": "did you mean 'local'?",
    "greedy --games 1 --retry eror": "did you mean 'error'?",
    "greedy --games 1 --output a-file": "a-file",
}


@pytest.mark.parametrize(("arguments", "said"), BAD.items(), ids=BAD.keys())
def test_invalid_arguments_are_refused_before_games_are_played(run, write, arguments, said):
    write("a-file", "")
    assert said in run("tournament", *arguments.split()).error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: no results here"),
        (["searches"], "searches have no standings"),
        (["made-up", "--where", "scroe=1"], "did you mean 'score'?"),
        (["made-up", "--group-by", "player"], "no such option '--group-by'"),
    ],
)
def test_experiments_without_games_have_no_standings(run, made_up, make_record, make_results, arguments, said):
    """One line each."""
    make_results([make_record()], "searches")
    assert said in run("results", "standings", *arguments).error
