"""The players that look no further than the next board."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

BOARD = sl.Board([[2, 0, 4], [2, 8, 0], [0, 0, 16]])


def asked(player, board=BOARD, seed=0):
    """Return the answer of a player on a board."""
    moves = tuple(sl.Move(*pair) for pair in player.domain.successors(board))
    return player.begin(seed)(board, moves)


def test_random_makes_all_legal_moves_equally_often():
    """Of 400 seeds each of the three moves comes up more than 80 times, and the same seed makes the same move."""
    player = sl.player("random", domain="2048")
    made = Counter(asked(player, seed=seed) for seed in range(400))
    assert set(made) == set(dict(player.domain.successors(BOARD))) == {"up", "down", "left"}
    assert min(made.values()) > 80
    assert [asked(player, seed=seed) for seed in range(20)] == [asked(player, seed=seed) for seed in range(20)]


def test_random_draws_from_all_directions_if_idle_swipes_are_moves():
    """As the tutorial's player does, on a board on which three swipes change something."""
    player = sl.player("random", domain="2048-random:preset=tutorial")
    made = Counter(asked(player, seed=seed) for seed in range(400))
    assert set(made) == {"up", "down", "left", "right"}
    assert min(made.values()) > 60


@pytest.mark.parametrize("name", ["left-weighted", "snake", "penalty", "moves-to-go", "empty"])
@given(seed=st.integers(0, 1000))
def test_greedy_makes_the_move_to_the_best_board(name, seed):
    """The highest of a score, the lowest of an estimate; of equals the first in the domain's order."""
    board = sl.play(domain="2048:n=3", player="random", seed=seed, most_moves=seed % 20).boards[-1]
    heuristic = sl.heuristic(name, domain="2048:n=3")
    values = {action: heuristic(after) for action, after in heuristic.domain.successors(board)}
    if not values:
        return
    best = max(values.values()) if heuristic.prefer == "high" else min(values.values())
    first = next(action for action, value in values.items() if value == best)
    assert asked(sl.player("greedy", domain="2048:n=3", heuristic=name), board) == first


def test_greedy_takes_the_first_of_equals():
    """Where nothing tells the boards apart."""
    assert asked(sl.player("greedy", heuristic=lambda tiles: 1)) == "up"


def test_greedy_avoids_dead_ends():
    """An infinite estimate is the worst there is, of a score as of an estimate."""

    def narrow(tiles):
        return np.inf if tiles[0, 0] == 4 else 0

    player = sl.player("greedy", heuristic=narrow)
    assert asked(player, sl.Board([[2, 0], [2, 0]])) == "down"
    score = sl.heuristic(lambda tiles: -narrow(tiles), domain="2048", prefer="high")
    assert asked(sl.player("greedy", heuristic=score), sl.Board([[2, 0], [2, 0]])) == "down"


@pytest.mark.slow
def test_greedy_evaluates_a_batch_at_once():
    """A heuristic with a batch form gets all the boards together."""
    sizes = []

    def batch(boards):
        sizes.append(len(boards))
        return (boards == 0).sum(axis=(1, 2))

    heuristic = sl.Heuristic("blanks", batch=batch, prefer="high")
    game = sl.play(player=sl.player("greedy", heuristic=heuristic), most_moves=5)
    assert game.actions == sl.play(player="greedy:heuristic=empty", most_moves=5).actions
    assert len(sizes) == 5
    assert max(sizes) > 1


@pytest.mark.slow
def test_greedy_without_an_estimate_ends_with_an_error():
    """NaN is none, and a heuristic that fails is named with its place."""
    nan = sl.play(player=sl.player("greedy", heuristic=lambda tiles: float("nan")))
    assert nan.status == "error"
    assert nan.reason.startswith("heuristic <lambda> returned nan, which is not an estimate\n")
    fails = sl.play(player=sl.player("greedy", heuristic=lambda tiles: tiles[9, 9]))
    assert fails.reason.startswith("player greedy: IndexError: ")
    assert "test_simple.py, line" in fails.reason


def test_greedy_solves_a_puzzle_that_needs_no_detour(example8):
    """The worked example, three moves."""
    game = sl.play(example8, domain="sliding-tile", player="greedy")
    assert (game.status, game.actions) == ("goal", ("right", "down", "right"))
