"""The conformance suite of 2048: ours conforms, and each planted fault is found by its check."""

import json
import random
import sys
from inspect import signature
from types import SimpleNamespace

import numpy as np
import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.cli.conformance import conformance as command
from searchlab.errors import UsageError
from searchlab.testing.conformance.environment import MOVES
from searchlab.testing.conformance.rules import SlidingRules
from searchlab.testing.conformance.spawns import Spawns
from searchlab.testing.conformance.suite import FAULT, HOLDS, UNTESTED, USUAL_MOVES, conformance
from searchlab.testing.conformance.vectors import vectors
from tests.testing.conformance import environments, unusual


def faults(factory, **options):
    """Return the faults of an environment by name, with their texts."""
    options = {"moves": 4000, "games": 50, **options}
    return {check.name: check.text for check in conformance(factory, **options) if check.verdict == FAULT}


def on_three(factory):
    """Return a factory of 3 × 3 cells that has no parameter, so nothing is played beyond the moves."""
    return lambda: factory(3)


def test_our_rules_conform_and_every_row_is_tested():
    checks = {check.name: check for check in conformance(environments.Ours, moves=3000)}
    assert {check.verdict for check in checks.values()} <= {HOLDS, UNTESTED}
    assert checks["slides"].text == "16 rows × 4 moves by set, and 3,000 moves"
    assert "best-play on 2 × 2" in checks["mean of best-play"].text
    assert "66.96 exactly" in checks["mean of best-play"].text


def test_an_environment_of_gymnasium_with_exponents_conforms():
    with pytest.raises(UsageError, match=r"--actions left,up,right,down"):
        faults(environments.Gymnasium)
    assert faults(environments.Gymnasium, actions=("left", "up", "right", "down")) == {}


def test_a_stale_count_of_empty_cells_is_found():
    found = faults(environments.StaleCount, moves=20_000)
    assert "2 empty cells" in found
    assert found["2 empty cells"].startswith("with 2 empty cells (row by row) ")
    assert "all tiles, by cell" in found


def test_a_wrong_share_of_fours_is_found():
    found = faults(environments.ManyFours)
    assert "are 4s, not 10.00%" in found["share of 4s"]


@pytest.mark.slow
def test_a_triple_merged_at_the_wrong_end_is_found_with_the_smallest_row():
    found = faults(on_three(environments.WrongEnd), moves=10_000)
    assert "2 2 2 became " in found["equal tiles"]


def test_a_tile_after_an_illegal_move_is_found():
    found = faults(environments.SpawnsAlways)
    assert found["illegal"].split(" (")[0].endswith(", which is illegal: a tile appeared")


def test_conventions_of_illegal_moves():
    assert faults(environments.EndsAtIllegal, illegal="ends") == {}
    assert "the game ended" in faults(environments.EndsAtIllegal)["illegal"]
    assert faults(environments.RaisesAtIllegal, illegal="raises") == {}
    assert ", which is illegal: ValueError: illegal (" in faults(environments.RaisesAtIllegal)["illegal"]
    assert "did not raise" in faults(environments.Plain, illegal="raises")["illegal"]
    assert "went on" in faults(environments.Plain, illegal="ends")["illegal"]


def test_scores_ends_seeds_and_exceptions():
    assert "earned 5, not 4" in faults(environments.WrongScore)["score"]
    assert "the game is over though" in faults(environments.TooEarly)["end"]
    assert "no parameter for a seed" in faults(environments.NoSeed)["seeds"]
    assert ": ZeroDivisionError: eight (" in faults(environments.Crashes)["slides"]


def test_exceptions_of_reset_and_set_are_faults_and_the_mean_is_not_tested():
    checks = {check.name: check for check in conformance(environments.NeverBegins, moves=4000, games=50)}
    assert checks["start"] == ("start", FAULT, "reset(30) raised ValueError: no more games (10 times)")
    assert checks["mean"] == ("mean", UNTESTED, "the environment failed")
    found = faults(environments.CannotSet, moves=200)
    assert list(found) == ["set"]
    assert found["set"].endswith("): ValueError: not yet (1 time)")


def test_first_tiles_are_tested_by_cell_and_by_value():
    found = faults(unusual.CornerLeftOut)
    assert found["first tiles, by cell"].startswith("row 2, column 2 got 0 tiles, not about 500")
    assert found.keys() == {"first tiles, by cell"}
    assert "0.00% of 2,000 tiles are 4s, not 10.00%" in faults(unusual.FirstTwos)["first tiles, 4s"]


def test_no_two_games_have_the_same_seed():
    seeds = []

    class Listed(environments.Plain):
        def reset(self, seed):
            seeds.append(seed)
            return super().reset(seed)

    conformance(Listed, moves=200, games=50)
    in_games = seeds[40:-80]  # without the starts that are looked at, and the tests of actions and seeds
    assert len(in_games) == len(set(in_games)) >= 1050


def test_rewards_of_none_are_no_points_and_the_rules_count_them():
    checks = {check.name: check for check in conformance(unusual.NoPoints, moves=1000, games=50)}
    assert checks["score"] == ("score", UNTESTED, "the environment has no points")
    assert checks["mean of best-play"].verdict == HOLDS


@pytest.mark.parametrize(
    "environment",
    [
        unusual.Arrays,
        unusual.ChangesLater,
        unusual.Prints,
        unusual.SeedsByArgs,
        unusual.SeedsByMethod,
    ],
)
def test_unusual_environments_conform(environment, capsys):
    assert faults(environment, moves=1000) == {}
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") <= 30


def raised(error):
    raise error


NOT_SQUARE = ", which is no 2 × 2 board of whole numbers ("


@pytest.mark.parametrize(
    ("changed", "check", "text"),
    [
        (lambda *_: raised(unusual.Unspeakable()), "slides", ": Unspeakable ("),
        (lambda *_: raised(SystemExit(3)), "slides", ": SystemExit: 3 ("),
        (lambda *_: raised(GeneratorExit()), "slides", ": GeneratorExit ("),
        (lambda board, *rest: ([[2, 4], [2]], *rest), "slides", f"returned [[2, 4], [2]]{NOT_SQUARE}"),
        (lambda board, *rest: ([[2] * 3] * 3, *rest), "slides", NOT_SQUARE),
        (lambda board, *rest: ([[-2, 0], [0, 2]], *rest), "slides", f"returned [[-2, 0], [0, 2]]{NOT_SQUARE}"),
        (lambda board, *rest: ([[0.5, 0], [0, 2]], *rest), "slides", NOT_SQUARE),
        (lambda board, *rest: (np.array(board) > 0, *rest), "slides", NOT_SQUARE),
        (
            lambda board, *rest: (unusual.OnGraphicsCard(), *rest),
            "slides",
            ": TypeError: it is on the device cuda:0",
        ),
        (lambda board, points, *rest: (board, "many", *rest), "slides", "returned the reward 'many', no number ("),
        (lambda board, points, *rest: (board, float("nan"), *rest), "score", " earned nan, not "),
        (lambda board, points, done, info: (board, points, np.ones(2), info), "slides", " for the end of the game ("),
        (lambda *_: ([[2, 0], [0, 2]], 0, False, {}), "slides", " became "),
    ],
)
def test_values_that_are_none_of_a_step_are_faults_with_the_move(changed, check, text):
    found = faults(lambda: unusual.Returns(changed), moves=300)
    assert text in found[check]


def test_a_game_without_an_end_is_found_and_ends_by_the_rules():
    assert "the game goes on though no move is legal" in faults(unusual.NeverOver, moves=300)["end"]


@pytest.mark.slow
def test_a_factory_that_takes_one_size_is_tested_on_it(monkeypatch):
    monkeypatch.setattr("searchlab.testing.conformance.suite.LARGEST_EXACT", 2)
    (mean,) = [check for check in conformance(unusual.FourByFour, moves=50, games=2) if "mean" in check.name]
    assert (
        "; the exact test was not possible: with n=2 the factory called with (n=2) raised AssertionError" in mean.text
    )


def test_the_side_of_the_game_is_given_to_the_factory():
    checks = conformance(lambda n=4: environments.Plain(n), domain=sl.domain("2048-random:n=2"), moves=100, games=2)
    assert "best-play on 2 × 2" in checks[-1].text
    with pytest.raises(UsageError, match="the factory has no parameter n or size for 2 × 2 cells"):
        conformance(lambda: environments.Plain(2), domain=sl.domain("2048-random:n=2"))
    with pytest.raises(UsageError, match="the factory called with n=2 made 3 rows"):
        conformance(lambda n=4: environments.Plain(3), domain=sl.domain("2048-random:n=2"))


def test_a_factory_that_makes_one_environment_has_a_fault():
    unusual.OnlyOnce.made = False
    found = faults(unusual.OnlyOnce, moves=300)
    assert found == {
        "seeds": "a second environment of the factory: "
        "the factory called with () raised AssertionError: there is one already"
    }


def test_a_call_that_hangs_is_a_fault_with_its_place(monkeypatch):
    monkeypatch.setattr("searchlab.testing.conformance.suite.LONGEST_CALL", 0.5)
    (check,) = conformance(environments.Hangs, moves=4000)
    assert check.name == "answers"
    assert check.verdict == FAULT
    assert check.text.startswith("a call of the environment hangs: it did not come back within 0.5 s: row (")
    assert check.text.endswith("; nothing more was tested")


def split(key):
    chance = random.Random(key)
    return chance.getrandbits(40), chance.getrandbits(40)


JAX = SimpleNamespace(random=SimpleNamespace(PRNGKey=int, split=split), jit=lambda function: function)
"""A stand-in for jax, which may not be there: keys are whole numbers, and nothing is compiled."""


@pytest.mark.parametrize("environment", [unusual.Stateless, unusual.StatelessRows])
def test_environments_of_pgx_conform(environment, monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", JAX)
    assert faults(environment, moves=1000) == {}


def test_environments_of_pgx_need_jax(monkeypatch):
    monkeypatch.setitem(sys.modules, "jax", None)
    with pytest.raises(UsageError, match="needs jax: python -m pip install jax"):
        conformance(unusual.Stateless)


def test_the_number_of_moves_does_not_depend_on_the_time():
    (option,) = [each for each in command.params if each.name == "moves"]
    assert option.default == USUAL_MOVES == signature(conformance).parameters["moves"].default


@pytest.mark.slow
def test_the_program_says_now_and_then_how_far_it_is(monkeypatch, capsys):
    monkeypatch.setattr("searchlab.experiments.progress.EVERY", 0.0)
    name = f"{environments.__file__}:Plain"
    assert main(["conformance", "2048-random:n=2", "--env", name, "--moves", "500"]) == 0
    said = capsys.readouterr()
    assert "of 500 moves played\n" in said.err
    assert "of 2,000 games of best-play\n" in said.err
    assert "games of" not in said.out


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("programm:command=[x]", "no player is called 'programm': did you mean 'program'?"),
        ("env.py", "an environment is given as MODULE:FACTORY"),
        ("no.such.module:Game", "No module named 'no'"),
        (f"{environments.__file__}:Gone", "has no function or class Gone"),
        (f"{environments.__file__}:MOVES", "MOVES in"),
    ],
)
def test_names_of_no_environment_are_usage_errors(name, message, capsys):
    assert main(["conformance", "2048", "--env", name]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (environments.Flat(), "no square board"),
        (environments.NoStep(), "has no method step"),
    ],
)
def test_what_is_no_environment_is_refused(made, message):
    with pytest.raises(UsageError, match=message):
        conformance(lambda: made)


def test_uniform_tiles_pass_in_nearly_all_samples():
    """The false-alarm rate of a test is about that of its p-value: here of 5 %."""
    alarms = np.zeros(3)
    for seed in range(200):
        chance, spawns = np.random.default_rng(seed), Spawns()
        for _ in range(450):
            empty = chance.permutation(4)[:2].tolist()
            spawns.add(sum(1 << cell for cell in empty), empty[chance.integers(2)], 2 if chance.random() < 0.9 else 4)
        tests = {test.what: test.p for test in spawns.tests(2, 0.9)}
        alarms += [tests[what] < 0.05 for what in ("2 empty cells", "all tiles, by cell", "share of 4s")]
    assert (alarms <= 25).all()
    assert (alarms >= 1).all()


def test_vectors_agree_with_the_rules():
    domain = sl.domain("2048-random")
    read = json.loads("".join(vectors(domain)))
    assert len(read["rows"]) == 65536
    rows = {tuple(row): rest for row, *rest in read["rows"]}
    assert rows[0, 2, 2, 2] == [[4, 2, 0, 0], 4, [0, 0, 2, 4], 4]
    assert rows[2, 2, 2, 2] == [[4, 4, 0, 0], 8, [0, 0, 4, 4], 8]
    rules = SlidingRules(domain, 4)
    overs = 0
    for vector in read["boards"]:
        board = tuple(map(tuple, vector["board"]))
        legal = list(rules.legal(board))
        assert [move for move in MOVES if vector[move] is not None] == legal
        overs += not legal
    assert overs == 20
