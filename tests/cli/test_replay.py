"""`searchlab replay` plays a recorded game again, shows it, and reports a game that contradicts its record."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

import searchlab as sl
from searchlab.experiments.specification import Experiment
from searchlab.experiments.worker_pool import end_workers


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Seven games of two players, one from a board, most of them ended by the limit of moves, and where they are."""
    folder = tmp_path_factory.mktemp("recorded") / "games"
    limited = Experiment(players=["random", "greedy"], domains=["2048-random"], seeds=[1, 2, 4], most_moves=60)
    sl.run(limited, folder=folder, workers=1)
    board = Experiment(boards=["2048/board10"], domains=["2048-random"], players=["random"], seeds=[1], most_moves=3)
    sl.run(board, folder=folder, workers=1)
    table = sl.load_results(folder)
    end_workers()
    return folder, table


@pytest.fixture
def games(recorded, folder):
    """A copy of these games in the current folder."""
    results, table = recorded
    shutil.copytree(results, folder / "games")
    return table


def changed(column, value, where="1"):
    """Change the record of some games behind everybody's back."""
    with closing(sqlite3.connect("games/results.sqlite")) as connection, connection:
        connection.execute(f"UPDATE runs SET {column} = ? WHERE {where}", (value,))


def test_a_replayed_game_looks_like_a_played_one(run, games):
    """A line says that it equals the record."""
    ran = run("replay", "games", "--player", "random", "--seed", 4, "--where", "board_name=")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "game over after 47 moves, score 248: no legal move is left\n2048-random · random · seed 4\n"
    )
    assert ran.out.endswith("\nas recorded: the same score, and the same board at the end\n")
    played = run("play", "--player", "random", "--seed", 4, "--fast").out
    assert ran.out.split("moves/s")[1].startswith(played.split("moves/s")[1])


@pytest.mark.parametrize("player", ["random", "greedy"])
def test_every_replayed_game_has_its_recorded_score(run, games, player):
    """JSON equals that of `play`, except for the time and the full name of the player."""
    for row in games[(games["player"] == player) & games["board_name"].isna()].itertuples():
        found = run(
            *("replay", "games", "--player", player, "--seed", row.seed, "--where", "board_name=", "--json")
        ).json
        assert (found["score"], found["moves"], found["status"]) == (row.score, row.moves, row.status)
        expected = sl.play(player=player, seed=int(row.seed), most_moves=60).as_dict()
        assert found == {**expected, "seconds": row.seconds, "player": player}


def test_a_game_is_replayed_in_all_formats(run, games, folder):
    """The moves, all boards, with a renderer, to a file."""
    of_board = ("replay", "games", "--where", "board_name=2048/board10")
    moves = run(*of_board, "--moves-only").out.split()
    assert "".join(move[0] for move in moves) == games["actions"].iloc[-1]
    transcript = run(*of_board, "--transcript")
    assert transcript.out.startswith("Number of moves: 3\n4\n")
    assert transcript.out.count("\n4\n") == 4
    assert "┌" in run(*of_board, "--renderer", "box").out
    assert run(*of_board, "--transcript", "--output", "game.txt").out == ""
    assert (folder / "game.txt").read_text() == transcript.out


def test_the_best_and_the_worst(run, games):
    """Of all games, or of some."""
    assert run("replay", "games", "--best", "--json").json["score"] == games["score"].max()
    assert run("replay", "games", "--worst", "--json").json["score"] == games["score"].min()
    of_greedy = games[games["player"] == "greedy"]
    assert run("replay", "games", "--player", "greedy", "--worst", "--json").json["score"] == of_greedy["score"].min()


def test_a_replayed_game_names_its_limit(run, games):
    """Time and memory, too."""
    for status, said in (("time-limit", "its time was up"), ("memory-limit", "all the memory it might")):
        changed("status", status, "seed = 2 AND player = 'greedy'")
        ran = run("replay", "games", "--player", "greedy", "--seed", 2)
        assert said in ran.out.splitlines()[0]


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("score", 12345.0, "recorded is score 12345.0, and by the rules of 2048-random it is 248"),
        ("actions", "xlll", "the game does not come to what was recorded of it: 'x' is not a move here: "),
        ("actions", None, "there are no moves to replay"),
        ("domain", "2048-radnom", "did you mean '2048-random'?"),
    ],
)
def test_a_game_that_contradicts_its_record_is_refused(run, games, column, value, said):
    """If the code is unchanged, the message does not mention it."""
    changed(column, value)
    error = run("replay", "games", "--player", "random", "--seed", 4).error
    assert said in error
    assert "the code of" not in error


def test_changed_rules_are_named_if_a_game_contradicts_its_record(run, games):
    """If it does not, nothing is said."""
    with closing(sqlite3.connect("games/results.sqlite")) as connection, connection:
        connection.execute("""UPDATE provenance SET content = replace(content, '"searchlab/twenty48":', '"other":')""")
        connection.execute("DELETE FROM requests")  # or they would be runs of another version than was asked for
    of_random = ("replay", "games", "--player", "random", "--seed", 4)
    assert run(*of_random).out.endswith("as recorded: the same score, and the same board at the end\n")
    changed("score", 1.0)
    assert run(*of_random).error.endswith(
        "it is 248; the code of searchlab/twenty48 is another than it was played with"
    )


BAD = {
    "": "7 games are meant, which differ in player, seed, board_name, limit_moves: say which with --run",
    "--player random": "4 games are meant, which differ in seed, board_name, limit_moves: say which",
    "--player gredy": "no run has player=gredy: did you mean 'greedy'?",
    "--seed 3": "games: no such game among 7 games",
    "--seed many": "'many' is not a whole number",
    "--where scroe>3": "did you mean 'score'?",
    "--where score": "'score' is not a condition",
    "--best --worst": "--best and --worst exclude each other",
    "--best --json --transcript": "--json and --transcript exclude each other",
    "--best --watch --output file": "--watch and --output exclude each other",
    "--best --delay 1s": "--delay is for --watch",
    "--best --watch": "--watch needs a terminal, and this is not one",
    "--best --renderer bx": "did you mean 'box'?",
    "--best --output nowhere/file": "there is no folder nowhere",
}


@pytest.mark.parametrize(("arguments", "said"), BAD.items(), ids=BAD.keys())
def test_invalid_arguments_are_refused(run, games, arguments, said):
    assert said in run("replay", "games", *arguments.split()).error


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "nowhere: no results here"),
        ("empty", "empty: no results here"),
        ("a-file", "a-file: not a file of results"),
    ],
)
def test_a_folder_without_games_is_refused(run, folder, write, path, said):
    (folder / "empty").mkdir()
    write("a-file", "no database")
    assert said in run("replay", path).error


@pytest.fixture(scope="module")
def solutions(tmp_path_factory):
    """Two searches of one board that found a solution, and one that did not."""
    folder = tmp_path_factory.mktemp("solutions") / "searches"
    boards = ["sliding-tile/puzzle8-20"]
    sl.run(Experiment(boards=boards, frontiers=["astar", "greedy"]), folder=folder, workers=1)
    limited = Experiment(boards=boards, heuristics=["misplaced"], frontiers=["astar"], limits=sl.Limits(expansions=5))
    sl.run(limited, folder=folder, workers=1)
    end_workers()
    return folder


def test_a_replayed_solution_looks_like_that_of_solve(run, solutions):
    """With the recorded figures."""
    ran = run("replay", solutions, "--where", "frontier=greedy")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("solved in 22 moves, at most 1.38 × the optimum (the known optimum is 20)\n")
    assert ran.out.endswith("\nas recorded: the moves lead to a goal, at the same cost\n")
    solved = run("solve", "sliding-tile/puzzle8-20", "--frontier", "greedy", "--json").json
    found = run("replay", solutions, "--where", "frontier=greedy", "--json").json
    timed = {"seconds", "cpu_seconds", "solutions", "versions", "layers"}  # layers are not stored
    assert [each["cost"] for each in found["solutions"]] == [each["cost"] for each in solved["solutions"]] == [22]
    assert {key: found[key] for key in found.keys() - timed} == {key: solved[key] for key in solved.keys() - timed}


def test_a_solution_is_replayed_in_all_formats(run, solutions, folder):
    assert len(run("replay", solutions, "--best", "--moves-only").out.split()) == 20
    assert len(run("replay", solutions, "--worst", "--moves-only").out.split()) == 22
    assert run("replay", solutions, "--best", "--transcript").out.startswith("Minimum number of moves = 20\n")
    assert "┌" in run("replay", solutions, "--best", "--renderer", "box").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "2 runs are meant, which differ in frontier: say which with --run, --where, or --best"),
        ("--seed 4", "--seed is for games, and the runs of"),
        ("--player greedy", "--player is for games, and the runs of"),
        ("--where status=expansion-limit", "no run that is meant has moves to be shown (expansion-limit)"),
        ("--where frontier=beam", "none of its 3 runs meets the conditions"),
        ("--best --watch", "--watch needs a terminal, and this is not one"),
    ],
)
def test_invalid_arguments_for_a_solution_are_refused(run, solutions, arguments, said):
    assert said in run("replay", solutions, *arguments.split()).error


def test_a_plan_is_replayed(run, folder):
    """Its actions are texts with blanks, and so is what separates them."""
    assert run("run", "strips/gripper-2.pddl", "--frontier", "greedy", "--name", "plans").code == 0
    found = run("replay", "results/plans", "--moves-only")
    assert (found.code, found.err) == (0, "")
    assert found.out == run("solve", "strips/gripper-2.pddl", "--frontier", "greedy", "--moves-only").out
