"""Learning compiled is learning as it is defined, on Board objects: the same weights to the last bit."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.arrays import Record
from searchlab.compiler.functions import CannotCompile
from searchlab.games.learning.compiled import CompiledLearner
from searchlab.games.learning.network import in_16_bits
from searchlab.games.learning.td import learned_games
from searchlab.model.randomness import words_of

GAMES = {
    "two by two": (
        {"n": 2, "stop_at": 32, "offers": "any"},
        ((0, 1, 2, 3), (0, 3)),
        {"bits": 2, "base": 500.0, "symmetric": False},
    ),
    "two by two, all cells": ({"n": 2}, ((0, 1), (3, 0, 1, 2), (0, 1, 2, 3)), {"bits": 3, "stages": (8, 16)}),
    "by face values": ({"n": 2}, ((0, 1), (2, 3)), {"powers_of_two": False, "bits": 5}),
    "three by three": ({"n": 3}, ((0, 1, 2, 3), (3, 4, 5)), {"downgrade": 32, "codes": 6}),
    "three by three, all cells": (
        {"n": 3},
        ((0, 1, 2, 3), (8, 0, 1, 2, 3, 4, 5, 6, 7)),
        {"downgrade": 16, "codes": 4},
    ),
    "three by three in stages": ({"n": 3}, ((0, 1, 2, 3), (3, 4, 5)), {"stages": (8, 16, 16 + 8, 32)}),
    "four by four": ({"n": 4}, ((0, 1, 2, 3), (0, 5, 10, 15)), {}),
    "five by five": (
        {"n": 5},
        ((0, 1, 2, 3), (6, 7, 11, 12)),
        {"symmetric": False, "downgrade": 64, "stages": (16, 64)},
    ),
}
PLAIN = "two by two", "five by five"
"""Those that are learned without coherence: each case is compiled, which takes its time."""
COMPUTED = [(how, how not in PLAIN) for how in GAMES]


def learned(how, coherent, rate, seed, games, slices=(1 << 16,), known=0.0):
    """Return what both come to: weights, errors, games, the state of chance. `known` is the share of known weights."""
    parameters, tuples, of_network = GAMES[how]
    game = sl.domain("2048-random", **parameters)
    n = parameters["n"]
    found = []
    for compiled in (False, True):
        network = sl.NTupleNetwork(n, n, tuples, **of_network)
        rng = np.random.default_rng(seed)
        network.weights[...] = (rng.random(network.entries) < known) * rng.normal(size=network.entries)
        errors = np.zeros(2 * network.entries, np.float32) if coherent and not compiled else None
        random = sl.Randomness(seed)
        if compiled:
            words, played = words_of(random), []
            learner = CompiledLearner(network, game, rate, words, coherent)
            sizes = iter(slices)
            while len(played) < games:
                played += learner.learn(next(sizes, 1 << 16), min(2, games - len(played)))[1]
            errors = learner.errors if learner.errors is None else learner.errors.ravel()
        else:
            played = list(islice(learned_games(network, errors, game, rate, random), games))
        found.append((network.weights, errors, played))
    return found


def assert_equal(defined, compiled):
    assert compiled[2] == defined[2]
    assert np.array_equal(compiled[0], defined[0])
    assert defined[1] is None or np.array_equal(compiled[1], defined[1])
    assert defined[0].any()


@pytest.mark.slow
@pytest.mark.parametrize(("how", "coherent"), COMPUTED)
def test_compiled_learning_equals_its_definition(how, coherent):
    games = 3 if how == "five by five" else 12  # each of them takes hundreds of moves
    assert_equal(*learned(how, coherent, rate=0.7, seed=3, games=games))


@pytest.mark.slow
@given(
    st.sampled_from([(how, coherent) for how, coherent in COMPUTED if how.startswith(("two", "three"))]),
    st.floats(0.01, 1),
    st.integers(0, 2**40),
    st.lists(st.integers(1, 30), max_size=20),
    st.sampled_from([0.0, 0.3]),
)
def test_learning_does_not_depend_on_interruptions(computed, rate, seed, slices, known):
    """Whatever the seed, the rate, the numbers of moves after which it returns, and the weights it begins with."""
    assert_equal(*learned(*computed, rate, seed, 4, slices, known))


@pytest.mark.slow
def test_learning_improves_the_score():
    """Points of the first and of the last games."""
    game = sl.domain("2048-random", n=3)
    learning = sl.AfterstateLearning(sl.NTupleNetwork(3, 3, GAMES["three by three"][1]), game, seed=1)
    scores = []
    while len(scores) < 6000:
        scores += [game.score for game in learning.learn(1 << 16, 1000)[1]]
    assert np.mean(scores[-1000:]) > 1.3 * np.mean(scores[:1000])


@pytest.mark.slow
def test_a_weight_of_a_later_stage_begins_with_that_of_the_stage_before():
    """Otherwise boards of a later stage would look worthless, and be avoided."""
    stages = sl.NTupleNetwork(3, 3, ((0, 1),), stages=(8, 16))
    size = stages.stage_entries
    stages.weights[[1, size + 2, 3, size + 3]] = 1.0, 2.0, 3.0, 4.0
    stages.take_over(2 * size + np.array([1, 2, 3, 4]))
    assert stages.weights[2 * size :][[1, 2, 3, 4]].tolist() == [1, 2, 4, 0]
    learned_in_stages = [np.mean([game.score for game in all_games(in_stages(of), 6000)[-1000:]]) for of in ("", "64")]
    assert learned_in_stages[1] > 0.9 * learned_in_stages[0]


def in_stages(stages):
    return sl.learner("ntuple", domain="2048-random:n=3", tuples="0 1 2 3/3 4 5", stages=stages)(1)


def in_threads(threads, **others):
    network = sl.NTupleNetwork(3, 3, GAMES["three by three"][1], codes=11)
    return sl.AfterstateLearning(network, sl.domain("2048-random", n=3), seed=1, threads=threads, **others)


def all_games(learning, count):
    """That many games in all, whatever a call brings."""
    played = []
    while len(played) < count:
        moves, games = learning.learn(3000, count - len(played))
        assert moves <= 3000
        played += games
    assert len(played) == count
    return played


@pytest.mark.slow
@pytest.mark.parametrize("coherent", [True, False])
def test_threads_learn_into_the_same_weights(coherent):
    """Each from games of its own."""
    learning = in_threads(3, coherent=coherent, rate=1.0 if coherent else 0.1)
    assert not learning.reproducible
    first = learning.learn(10**6, 3)[1]
    assert len({game.final for game in first}) == 3
    scores = [game.score for game in all_games(learning, 6001)]
    assert np.mean(scores[-1000:]) > 1.2 * np.mean(scores[:1000])


def test_threads_share_only_weights_and_constant_arrays():
    """What the rules work in, too, is each thread's own: on the other's tiles a draw might never find a blank cell."""
    first, second = (learner._arrays for learner in in_threads(2)._learners)
    own = [name for name in first.declared if not isinstance(getattr(first, name), Record)]
    shared = {name for name in own if np.shares_memory(getattr(first, name), getattr(second, name))}
    assert shared <= {"params", "tables", "start", "records"}
    assert "records" in shared
    assert first.control is not second.control


def test_learning_in_one_thread_is_reproducible():
    alone, named = in_threads(1), sl.learner("ntuple", domain="2048-random:n=3", tuples="0 1 2 3/3 4 5", threads=1)(1)
    assert alone.reproducible
    assert named.reproducible
    assert all_games(alone, 50) == all_games(named, 50)
    assert np.array_equal(alone.network.weights, named.network.weights)


@pytest.mark.slow
def test_smaller_tables_learn_the_same_games():
    """No tile of a 3 × 3 board is above 1024: its 11 codes are enough."""
    small, game = in_threads(1), sl.domain("2048-random", n=3)
    large = sl.AfterstateLearning(sl.NTupleNetwork(3, 3, GAMES["three by three"][1]), game, seed=1)
    assert all_games(small, 200) == all_games(large, 200)
    assert (small.memory, large.memory) == (12 * (11**4 + 11**3), 12 * (16**4 + 16**3))


def test_threads_continue_from_a_saved_state():
    """Each in its own game, with its own random numbers."""
    learning, again = in_threads(2), in_threads(2)
    all_games(learning, 101)
    state = learning.state()
    again.restore(state)
    assert {name: array.tolist() for name, array in again.state().items()} == {
        name: array.tolist() for name, array in state.items()
    }
    all_games(again, 100)
    for other in (in_threads(1), in_threads(3)):
        with pytest.raises(ValueError, match="other settings"):
            other.restore(state)


@pytest.fixture
def known(tmp_path):
    """The file of a network that has learned from 50 games."""
    learning, file = in_threads(1), tmp_path / "known.npz"
    all_games(learning, 50)
    learning.save(file, {})
    return file


def beginning(file, **others):
    return sl.learner("ntuple", domain="2048-random:n=3", begin=str(file), **others)(1)


@pytest.mark.slow
def test_learning_may_begin_with_a_network(known):
    """With the same tuples, or with further ones."""
    before, board = sl.read_network(known), sl.Board([[4, 2, 0], [0, 0, 0], [0, 0, 2]])
    same, larger = beginning(known), beginning(known, tuples="0 1 2 3/3 4 5/0 4 8")
    assert same.network.tuples == before.tuples
    for learning in (same, larger):
        assert learning.network.value(board) == before.value(board) != 0
        all_games(learning, 20)
    sizes = before.entries, larger.network.entries
    assert larger.network.weights[slice(*sizes)].any()
    with pytest.raises(sl.UsageError, match="unless the tuples of that come first"):
        beginning(known, tuples="0 1 2 3")
    with pytest.raises(sl.UsageError, match=r"optimism=5: .* expects 0 of unknown boards"):
        beginning(known, optimism=5.0)
    with pytest.raises(sl.UsageError, match="the network is for boards of 3 × 3, not of 4 × 4"):
        sl.learner("ntuple", domain="2048-random", begin=str(known))(1)
    with pytest.raises(sl.UsageError, match="no such file"):
        beginning(known.with_name("none.npz"))


def test_a_continued_training_ignores_changes_of_its_first_network(known):
    learning = beginning(known)
    all_games(learning, 10)
    state, found = learning.state(), learning.network.weights.copy()
    all_games(learning, 500)
    learning.save(known, {})
    again = beginning(known)
    assert np.count_nonzero(again.network.weights) > np.count_nonzero(found)
    again.restore(state)
    assert np.array_equal(again.network.weights, found)


BOARD = sl.Board([[4, 2, 0], [0, 0, 0], [0, 0, 2]])


@pytest.mark.slow
@pytest.mark.parametrize("coherent", [True, False])
def test_learning_does_not_change_the_network_that_it_begins_with(known, coherent):
    """`read_network` gives the same object to every player."""
    game, read = sl.domain("2048-random", n=3), sl.read_network(known)
    learning = sl.AfterstateLearning(read, game, seed=2, rate=0.1, coherent=coherent)
    before = read.value(BOARD)
    assert learning.network.value(BOARD) == before != 0
    all_games(learning, 50)
    assert learning.network.value(BOARD) != before
    assert sl.read_network(known).value(BOARD) == before


@pytest.mark.slow
@pytest.mark.parametrize("coherent", [True, False])
def test_a_network_of_16_bits_learns_like_one_of_32_bits(known, coherent):
    """Compiled code once took its weights for numbers of 32 bits."""
    game = sl.domain("2048-random", n=3)
    small, games, weights = in_16_bits(sl.read_network(known)), [], []
    for network in (small, small_as_float32(small)):
        learning = sl.AfterstateLearning(network, game, seed=2, rate=0.1, coherent=coherent)
        games.append(all_games(learning, 20))
        weights.append(learning.network.weights)
    assert games[0] == games[1]
    assert np.array_equal(*weights)
    assert small.weights.dtype == np.uint16


def small_as_float32(network):
    weights = (network.weights.astype(np.float64) - network.zero) * network.scale
    return replace(network, weights=weights.astype(np.float32), scale=0.0, zero=0)


@pytest.mark.slow
def test_a_network_learned_with_coherence_learns_without():
    """Its weights are a strided array, of which compiled code once read the wrong ones."""
    game, first = sl.domain("2048-random", n=3), in_threads(1)
    all_games(first, 50)
    alone = replace(first.network, weights=first.network.weights.copy())
    apart, together = (
        sl.AfterstateLearning(network, game, seed=2, rate=0.1, coherent=False) for network in (first.network, alone)
    )
    assert all_games(apart, 20) == all_games(together, 20)
    assert np.array_equal(apart.network.weights, together.network.weights)


@pytest.mark.parametrize("threads", [0, 257])
def test_an_invalid_number_of_threads_is_refused(threads):
    with pytest.raises(sl.UsageError, match=f"threads are from 1 to 256, not {threads}"):
        in_threads(threads)
    with pytest.raises(sl.UsageError, match="threads are from 1 to 256"):
        sl.learner("ntuple", threads=threads)


def has_32_in_the_corner(words):
    return words[0] & 15 >= 5


@pytest.mark.slow
def test_a_game_ends_if_its_tiles_outgrow_the_packed_form():
    """The next game begins."""
    rules = sl.domain("2048-random").component

    def packed(start, stop_at):
        return replace(rules.packed(start, stop_at), words=sl.Words(outgrown=has_32_in_the_corner))

    game = sl.domain(replace(rules, packed=packed), n=3)
    found = []
    for compiled in (False, True):
        network = sl.NTupleNetwork(3, 3, ((0, 1, 2, 3), (0, 4, 5)))
        random = sl.Randomness(2)
        if compiled:
            learner = CompiledLearner(network, game, 0.5, words_of(random), coherent=False)
            games = learner.learn(1 << 16, 30)[1]
        else:
            games = list(islice(learned_games(network, None, game, 0.5, random), 30))
        found.append((network.weights, None, games))
    assert_equal(*found)
    corners = [int(end.final.tiles[0, 0]) for end in found[0][2]]
    assert 32 in corners


def test_domains_that_cannot_be_learned_are_refused():
    network = sl.NTupleNetwork(3, 3, ((0, 1, 2),))
    with pytest.raises(sl.UsageError, match=r"2048 cannot be learned: .*no packed form that draws"):
        sl.AfterstateLearning(network, sl.domain("2048", n=3))
    with pytest.raises(sl.UsageError, match=r"boards of 3 × 3, not of 4 × 4"):
        sl.AfterstateLearning(network, sl.domain("2048-random"))
    with pytest.raises(CannotCompile):
        CompiledLearner(network, sl.domain("2048", n=3), 1.0, words_of(sl.Randomness(0)))
