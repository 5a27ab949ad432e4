"""Learning compiled is learning as it is defined, on Board objects: the same weights to the last bit."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.functions import CannotCompile
from searchlab.games.learning.compiled import CompiledLearner
from searchlab.games.learning.td import learned_games
from searchlab.model.randomness import words_of

GAMES = {
    "two by two": (
        {"n": 2, "stop_at": 32, "offers": "any"},
        ((0, 1, 2, 3), (0, 3)),
        {"bits": 2, "base": 500.0, "symmetric": False},
    ),
    "by face values": ({"n": 2}, ((0, 1), (2, 3)), {"powers_of_two": False, "bits": 5}),
    "three by three": ({"n": 3}, ((0, 1, 2, 3), (3, 4, 5)), {"downgrade": 32}),
    "four by four": ({"n": 4}, ((0, 1, 2, 3), (0, 5, 10, 15)), {}),
    "five by five": ({"n": 5}, ((0, 1, 2, 3), (6, 7, 11, 12)), {"symmetric": False, "downgrade": 8}),
}
PLAIN = "two by two", "five by five"
"""Those that are learned without coherence: each case is compiled, which takes its time."""
COMPUTED = [(how, how not in PLAIN) for how in GAMES]


def learned(how, coherent, rate, seed, games, slices=(1 << 16,)):
    """Return what both come to: weights, errors, games, the state of chance."""
    parameters, tuples, of_network = GAMES[how]
    game = sl.domain("2048-random", **parameters)
    n = parameters["n"]
    found = []
    for compiled in (False, True):
        network = sl.NTupleNetwork(n, n, tuples, **of_network)
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


@pytest.mark.parametrize(("how", "coherent"), COMPUTED)
def test_the_weights_and_the_games_are_those_of_the_definition(how, coherent):
    assert_equal(*learned(how, coherent, rate=0.7, seed=3, games=12))


@given(
    st.sampled_from([(how, coherent) for how, coherent in COMPUTED if how.startswith(("two", "three"))]),
    st.floats(0.01, 1),
    st.integers(0, 2**40),
    st.lists(st.integers(1, 30), max_size=20),
)
def test_it_does_not_matter_where_it_is_stopped(computed, rate, seed, slices):
    """Whatever the seed, the rate and the numbers of moves after which it returns."""
    assert_equal(*learned(*computed, rate, seed, 4, slices))


def test_it_gets_better():
    """Points of the first and of the last games."""
    game = sl.domain("2048-random", n=3)
    learning = sl.AfterstateLearning(sl.NTupleNetwork(3, 3, GAMES["three by three"][1]), game, seed=1)
    scores = []
    while len(scores) < 6000:
        scores += [game.score for game in learning.learn(1 << 16, 1000)[1]]
    assert np.mean(scores[-1000:]) > 1.3 * np.mean(scores[:1000])


def has_32_in_the_corner(words):
    return words[0] & 15 >= 5


def test_a_game_is_left_where_tiles_outgrow_the_form():
    """Boards whose tiles a packed form cannot hold are nothing to learn from; the next game goes on."""
    rules = sl.domain("2048-random").component

    def packed(start, stop_at):
        return replace(rules.packed(start, stop_at), outgrown=has_32_in_the_corner)

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
