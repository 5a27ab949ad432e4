"""The values of moves by players: shipped ones, and broken ones."""

from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games.learning.network import save_network

BOARD = sl.Board([[2, 0, 4], [2, 8, 0], [0, 0, 16]])
GAMES = {
    "greedy": ("2048-random:n=3,preset=tutorial", "2048:n=3", "sliding-tile"),
    "expectimax:depth=1": ("2048-random", "2048", "sliding-tile"),
    "tutorial": ("2048-random",),
    "tutorial:sum_spawns=yes": ("2048-random",),
}


def moves_of(player, board=BOARD):
    return tuple(sl.Move(*pair) for pair in player.domain.successors(board))


def judged(player, board=BOARD):
    """Return a player's values of the moves from a board, by name."""
    moves = moves_of(player, board)
    _, values = player.begin_judging(0)(board, moves)
    return dict(zip([move.action for move in moves], values, strict=True))


def of_values(values, **more):
    return sl.player(sl.Player("p", values=values, **more), domain="2048")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "domain"), [(name, domain) for name, domains in GAMES.items() for domain in domains])
@given(seed=st.integers(0, 200), moves=st.integers(0, 60))
def test_players_make_the_first_move_with_the_highest_value(name, domain, seed, moves):
    start = sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]) if domain == "sliding-tile" else None
    board = sl.play(start, domain=domain, player="random", seed=seed, most_moves=moves).boards[-1]
    player = sl.player(name, domain=domain)
    if not moves_of(player, board) or player.domain.is_goal(board):
        return
    values = judged(player, board)
    best = next(action for action, value in values.items() if value == max(values.values()))
    assert player.begin(0)(board, moves_of(player, board)) == best
    assert player.begin_judging(0)(board, moves_of(player, board)).action == best


def test_greedy_shows_heuristic_values():
    """Of an estimate of a cost the negative, so that higher is better; of points those of the move are added."""
    score, estimate = (sl.player("greedy", domain="2048", heuristic=name) for name in ("snake", "moves-to-go"))
    snake, to_go = (sl.heuristic(name, domain="2048") for name in ("snake", "moves-to-go"))
    after = dict(score.domain.successors(BOARD))
    assert judged(score) == {action: snake(board) for action, board in after.items()}
    assert judged(estimate) == {action: -to_go(board) for action, board in after.items()}
    points = sl.Heuristic("points", lambda tiles: 100.0, prefer="high", of_points=True)
    earning = sl.player("greedy", domain="2048-random", heuristic=points)
    assert judged(earning) == {"up": 104.0, "down": 104.0, "left": 100.0, "right": 100.0}


@pytest.mark.slow
def test_expectimax_shows_expected_values():
    """What Expectimax computes, of the only move, too."""
    player = sl.player("expectimax:depth=1,cutoff=0,heuristic=smooth", domain="2048-random")
    ahead = sl.Expectimax(sl.LookAhead(player.domain, sl.heuristic("smooth", domain=player.domain)), depth=1)
    board = sl.Board([[2, 0, 4, 0], [8, 2, 0, 0], [16, 64, 32, 2], [128, 256, 4, 2]])
    assert judged(player, board) == ahead.values(board)
    only = sl.Board([[2, 4, 2, 4], *[[0, 0, 0, 0]] * 3])
    assert judged(player, only) == ahead.values(only)
    assert list(judged(player, only)) == ["down"]


@pytest.mark.slow
def test_ntuple_shows_expected_points(tmp_path):
    """Those of the move and those its network says are still to come."""
    network = sl.NTupleNetwork(3, 3, ((0, 1, 2, 3), (3, 4, 5)), base=5.0)
    network.weights[...] = np.random.default_rng(1).random(network.entries, np.float32)
    save_network(network, tmp_path / "small.network")
    player = sl.player("ntuple", domain="2048-random", file=str(tmp_path / "small.network"))
    expected = {
        action: player.domain.points(BOARD, after) + float(network.values(after.tiles[None])[0])
        for action, after in player.domain.successors(BOARD)
    }
    assert judged(player) == pytest.approx(expected)


def test_move_and_values_are_computed_together():
    calls = []

    def values(board, moves):
        calls.append("values")
        return range(len(moves))

    def function(board, moves):
        calls.append("function")
        return moves[-1].action

    player = of_values(values, function=function)
    assert player.begin_judging(0)(BOARD, moves_of(player)).action == moves_of(player)[-1].action
    assert calls == ["values"]
    assert player.begin(0)(BOARD, moves_of(player)) == moves_of(player)[-1].action
    assert calls == ["values", "function"]


def test_a_player_without_values_gives_only_its_move():
    player = sl.player("random", domain="2048")
    judgement = player.begin_judging(3)(BOARD, moves_of(player))
    assert judgement == (player.begin(3)(BOARD, moves_of(player)), None)


def test_the_only_move_is_made_without_asking():
    """By a player that chooses by its values."""
    player = of_values(lambda board, moves: 1 / 0)
    only = sl.Board([[2, 4], [0, 0]])
    assert player.begin(0)(only, moves_of(player, only)[:1]) == moves_of(player, only)[0].action


def test_values_get_arguments_by_name():
    """As a function does: the game, chance, heuristics, the domain's parameters and their own."""
    seen = []

    def values(board, moves, domain, random, heuristic, goal, depth=3):
        seen.append((str(domain), random.random(), str(heuristic), goal, depth))
        return [0] * len(moves)

    player = sl.player(sl.Player("p", values=values), domain="2048:goal=64", depth=5)
    assert str(player) == "p:depth=5,heuristic=left-weighted"
    for _ in range(2):
        player.begin_judging(7)(BOARD, moves_of(player))
    assert seen[0] == seen[1]
    assert seen[0][0::2] == ("2048:goal=64", "left-weighted", 5)
    assert seen[0][3] == 64


@pytest.mark.parametrize(
    "values",
    [
        lambda board, moves: [inf, 0, -inf, 0][: len(moves)],
        lambda board, moves: np.array([3.0, 3.0, -1.0, 2.0])[: len(moves)],
        lambda board, moves: (len(moves) - k for k in range(len(moves))),
        lambda board, moves: {"a": 1, "b": 0, "c": 1, "d": -inf}.values(),
        lambda board, moves: [-inf] * len(moves),
    ],
)
def test_values_may_be_any_sequence_of_numbers(values):
    """Infinite ones, arrays, and what comes one by one; of equal ones the first counts."""
    board = sl.Board([[0, 0, 0], [0, 2, 0], [0, 0, 0]])
    player = of_values(values)
    assert len(moves_of(player, board)) == 4
    judgement = player.begin_judging(0)(board, moves_of(player, board))
    assert judgement.action == moves_of(player, board)[0].action
    assert all(type(value) is float for value in judgement.values)


def fails_late(board, moves):
    yield 1.0
    raise RuntimeError("late")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (lambda board, moves: None, "returned None as its values; a number for each of 3 moves is wanted"),
        (lambda board, moves: 5, "returned 5 as its values; a number for each of 3 moves"),
        (lambda board, moves: [1.0, 2.0], "returned [1.0, 2.0] as its values; a number for each of 3 moves"),
        (lambda board, moves: [1, 2, 3, 4, 5, 6], "returned [1, 2, 3, 4] as its values"),
        (lambda board, moves: [1.0, float("nan"), 2.0], "returned nan as the value of down: not a number"),
        (lambda board, moves: [1.0, 2.0, "3.0"], "returned '3.0' as the value of left: not a number"),
        (lambda board, moves: dict.fromkeys(move.action for move in moves), "'up' as the value of up: not a number"),
        (lambda board, moves: [1.0, 2.0, None], "returned None as the value of left: not a number"),
        (lambda board, moves: np.zeros((3, 2)), "as the value of up: not a number"),
        (lambda board, moves: np.array(1.0), "TypeError: iteration over a 0-d array"),
        (lambda board, moves: [10**400] * 3, "as the value of up: not a number"),
        (lambda board, moves: 1 / 0, "ZeroDivisionError: division by zero"),
        (fails_late, "RuntimeError: late"),
    ],
)
def test_invalid_values_are_an_error_of_one_line(values, said):
    player = of_values(values)
    assert [move.action for move in moves_of(player)] == ["up", "down", "left"]
    for ask in (player.begin(0), player.begin_judging(0)):
        with pytest.raises(sl.PluginError) as raised:
            ask(BOARD, moves_of(player))
        assert str(raised.value).startswith("player p")
        assert said in str(raised.value)
        assert len(str(raised.value).splitlines()) == 1


def test_a_player_that_only_looks_ahead_has_the_values_of_that():
    """Its parameters are those of `looks_ahead`, which is asked once a game."""
    asked = []

    def ahead(domain, depth=0):
        asked.append(depth)
        return sl.Expectimax(sl.LookAhead(domain, sl.heuristic("empty", domain=domain)), depth=depth, engine="readable")

    player = sl.player(sl.Player("p", looks_ahead=ahead), domain="2048-random:n=3", depth=1)
    judge = player.begin_judging(0)
    for _ in range(2):
        values = dict(
            zip([move.action for move in moves_of(player)], judge(BOARD, moves_of(player)).values, strict=True)
        )
    assert values == ahead(player.domain, 1).values(BOARD)
    assert asked == [1, 1]
    assert player.begin(0)(BOARD, moves_of(player)) == max(values, key=values.get)
    for nothing in (None, 5, {"up": 1.0}):
        blind = sl.player(sl.Player("p", looks_ahead=lambda nothing=nothing: nothing), domain="2048-random:n=3")
        with pytest.raises(sl.PluginError, match="player p has no values, and looks_ahead returned no Expectimax"):
            blind.begin(0)(BOARD, moves_of(blind))


def test_a_player_has_a_function_or_values():
    """One of both at least, and each is a function of a board and its moves."""
    with pytest.raises(
        ValueError, match=r"Player 'p': it needs a function\(board, moves\), values\(board, moves\), or"
    ):
        sl.Player("p")
    with pytest.raises(TypeError, match=r"Player 'p': values is 5, not a function \(board, moves\)"):
        sl.Player("p", values=5)
    with pytest.raises(TypeError, match=r"Player 'p': values is a function \(board, moves\), not <lambda>\(board\)"):
        sl.Player("p", values=lambda board: [])
