"""Learning depth-first search: compiled it is the same as on Board objects, and it learns the exact values."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.games.learning import depth_first
from searchlab.games.learning.depth_first import learned_games

GAMES = {
    "2048": {"n": 2},
    "in which a move may win": {"n": 2, "stop_at": 16},
    "whose tiles are offered anywhere": {"n": 2, "preset": "cs61b", "p2": 0.5, "stop_at": 16},
}
CELLS = (0, 1, 2, 3)


def network(base=500.0, **others):
    return sl.NTupleNetwork(2, 2, (CELLS,), base=base, codes=6, **others)


def learning(game="2048", **others):
    return sl.DepthFirstLearning(network(), sl.domain("2048-random", **GAMES[game]), seed=3, **others)


def all_games(learning, count, slices=()):
    played, sizes = [], iter(slices)
    while len(played) < count:
        played += learning.learn(next(sizes, 1 << 16), count - len(played))[1]
    return played


def final_of(learning):
    """Return for each weight whether the values of its boards are final."""
    state = learning.state()
    seen = np.flatnonzero(np.unpackbits(state["seen"], count=learning.network.entries))
    final = np.zeros(learning.network.entries, bool)
    final[seen] = np.unpackbits(state["final"], count=len(seen))
    return final


@pytest.fixture(scope="module")
def exact():
    """The exact values of 2 × 2."""
    return sl.exact_values("2048-random:n=2")


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
@given(st.integers(1, 50), st.lists(st.integers(1, 30), max_size=20), st.sampled_from([0.0, 60.0, 500.0]))
def test_compiled_learning_equals_its_definition(game, backups, slices, base):
    """However many backups follow a game, however it is interrupted, and also where boards are worth more than base."""
    domain = sl.domain("2048-random", **GAMES[game])
    defined, final = network(base), np.zeros(6**4, bool)
    games = list(islice(learned_games(defined, final, domain, sl.Randomness(3), backups), 12))
    compiled = sl.DepthFirstLearning(network(base), domain, seed=3, backups=backups)
    assert all_games(compiled, 12, slices) == games
    assert np.array_equal(compiled.network.weights, defined.weights)
    assert np.array_equal(final_of(compiled), final)
    assert final.any()


def test_a_learned_network_plays_best_and_knows_the_exact_values(exact, tmp_path):
    learned = learning()
    all_games(learned, 300)
    learned.save(tmp_path / "network.npz", {})
    player = f"ntuple:file={tmp_path / 'network.npz'}"
    for depth in (0, 1):
        judged = sl.exact_values("2048-random:n=2", policy=f"{player},depth={depth}")
        assert judged.start == pytest.approx(exact.start, abs=1e-6)
    read = sl.read_network(tmp_path / "network.npz")
    game, board = sl.domain("2048-random:n=2"), sl.Board([[2, 0], [0, 2]])
    best = max(game.points(board, edge.board) + read.value(edge.board) for edge in game.edges(board))
    assert best == pytest.approx(exact[board], abs=1e-3)


@pytest.mark.slow
def test_initial_values_that_are_too_low_hide_better_moves(exact, tmp_path):
    """So the result says nothing where boards are worth more than the initial value."""
    low = sl.DepthFirstLearning(network(base=1.0), sl.domain("2048-random:n=2"), seed=3)
    all_games(low, 300)
    low.save(tmp_path / "network.npz", {})
    judged = sl.exact_values("2048-random:n=2", policy=f"ntuple:file={tmp_path / 'network.npz'}")
    assert judged.start < exact.start - 0.1


@pytest.mark.parametrize("moves", [1, 40, 117])
def test_a_continued_training_learns_the_same(moves):
    whole, begun, continued = learning(backups=30), learning(backups=30), learning(backups=30)
    _, played = begun.learn(moves, 40)
    continued.restore(begun.state())
    assert [*played, *all_games(continued, 40 - len(played))] == all_games(whole, 40)
    assert np.array_equal(continued.network.weights, whole.network.weights)
    assert np.array_equal(final_of(continued), final_of(whole))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("line", lambda line: line[1:]),
        ("line", lambda line: line + np.uint64(1 << 40)),
        ("board", lambda board: board + np.uint64(1 << 40)),
        ("control", lambda control: -1 - control),
        ("weights", lambda weights: weights[1:]),
        ("weights", lambda weights: weights.astype(np.float64)),
        ("figures", lambda figures: figures + 1),
        ("seen", lambda seen: seen[1:]),
    ],
)
def test_a_state_of_another_training_is_refused(name, wrong):
    begun = learning()
    begun.learn(50, 1)
    state = begun.state()
    with pytest.raises(ValueError, match="it is of"):
        learning().restore({**state, name: wrong(state[name])})


def test_a_line_with_a_board_without_moves_is_gone_back_over():
    """No file of a state makes the kernel read beyond its arrays."""
    begun = learning()
    begun.learn(50, 1)
    state, dead = begun.state(), sl.Board([[2, 4], [4, 2]])
    control = state["control"].copy()
    state["line"] = np.repeat(np.array([[int(begun._packing.pack(dead)[0])]], np.uint64), 3, 0)
    names = [*type(begun._control).dtype.names]
    control[names.index("depth")], control[names.index("phase")] = 3, 2
    continued = learning()
    continued.restore({**state, "control": control})
    assert len(all_games(continued, 2)) == 2


def test_a_state_without_an_array_is_refused():
    state = learning().state()
    del state["line"]
    with pytest.raises(ValueError, match="it is of other settings"):
        learning().restore(state)


@pytest.mark.slow
def test_a_line_of_play_may_be_longer_than_at_first_expected(monkeypatch):
    long = all_games(learning(), 20)
    monkeypatch.setattr(depth_first, "FIRST_STACK", 2)
    assert all_games(learning(), 20) == long


@pytest.mark.parametrize(
    "unsuitable",
    [
        sl.NTupleNetwork(2, 2, (CELLS, CELLS), codes=6),
        sl.NTupleNetwork(2, 2, ((0, 1),), codes=6),
        sl.NTupleNetwork(2, 2, (CELLS,), codes=6, stages=(8,)),
        sl.NTupleNetwork(2, 2, (CELLS,), codes=6, downgrade=16),
        sl.NTupleNetwork(2, 2, ((0, 1),), codes=6, symmetric=False),
    ],
)
def test_an_unsuitable_network_is_refused(unsuitable):
    with pytest.raises(sl.UsageError, match="one tuple of all cells"):
        sl.DepthFirstLearning(unsuitable, sl.domain("2048-random:n=2"))


def test_a_game_without_chance_is_refused():
    with pytest.raises(sl.UsageError, match="2048 cannot be learned"):
        sl.DepthFirstLearning(network(), sl.domain("2048:n=2"))


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({}, "needs optimism"),
        ({"optimism": 500, "threads": 2}, "threads is not for rule=ldfs"),
        ({"optimism": 500, "rate": 0.5}, "rate is not for rule=ldfs"),
        ({"optimism": 500, "stages": "16"}, "stages is not for rule=ldfs"),
        ({"optimism": 500, "tuples": "0 1"}, "one tuple of all cells"),
    ],
)
def test_the_learner_says_which_parameters_do_not_go_together(parameters, said):
    with pytest.raises(sl.UsageError, match=said):
        sl.learner("ntuple", domain="2048-random:n=2", rule="ldfs", **parameters)(1)


def test_the_learner_refuses_boards_that_are_too_large():
    with pytest.raises(sl.UsageError, match="up to 3 × 3"):
        sl.learner("ntuple", domain="2048-random", rule="ldfs", optimism=1e6)(1)
