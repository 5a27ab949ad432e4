"""The conformance suite of 2048: ours conforms, and each planted fault is found by its check."""

import json

import numpy as np
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.testing.conformance.environment import MOVES, GameEnvironment
from searchlab.testing.conformance.rules import SlidingRules
from searchlab.testing.conformance.spawns import Spawns
from searchlab.testing.conformance.suite import FAULT, HOLDS, UNTESTED, conformance
from searchlab.testing.conformance.vectors import vectors
from tests.testing.conformance import environments


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
    assert checks["mean of best-play"] == ("mean of best-play", UNTESTED, "the environment failed")
    found = faults(environments.CannotSet, moves=200)
    assert list(found) == ["set"]
    assert found["set"].endswith("): ValueError: not yet (1 time)")


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (environments.Flat(), "no square board"),
        (environments.NoStep(), "has no method step"),
    ],
)
def test_what_is_no_environment_is_refused(made, message):
    with pytest.raises(UsageError, match=message):
        GameEnvironment(made)


def test_uniform_tiles_pass_in_nearly_all_samples():
    """The false-alarm rate of a test is about that of its p-value: here of 5 %."""
    alarms = np.zeros(3)
    for seed in range(200):
        random, spawns = np.random.default_rng(seed), Spawns()
        for _ in range(450):
            empty = random.permutation(4)[:2].tolist()
            spawns.add(sum(1 << cell for cell in empty), empty[random.integers(2)], 2 if random.random() < 0.9 else 4)
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
        legal = rules.legal(board)
        assert [move for move in MOVES if vector[move] is not None] == legal
        overs += not legal
    assert overs == 20
