"""Intervals called 95 % miss the truth in 5 % of all samples, give or take, for the kinds of figures there are.

Where that cannot be held there is none. What is random here has fixed seeds; the scores are of games really played.
"""

from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

from searchlab.experiments.standings import pairs_of_players
from searchlab.experiments.statistics import FEWEST_RATIOS, FEWEST_SCORES, mean_interval, rate_interval, ratio_interval

SCORES = dict(
    zip(
        ("random", "greedy", "expectimax"),
        np.loadtxt(Path(__file__).with_name("scores.csv"), delimiter=",").T,
        strict=True,
    )
)
SIZES = (5, 8, 20, 50)
SAMPLES = 4000
MOST = 0.07
"""Of the samples may miss the truth at a nominal 5 %."""


def intervals(samples, comparisons=1):
    """Return the ends of Student's t intervals of the means of samples, (..., k), all at once."""
    size = samples.shape[-1]
    half = stdtrit(size - 1, 1 - 0.025 / comparisons) * samples.std(axis=-1, ddof=1) / size**0.5
    return samples.mean(axis=-1) - half, samples.mean(axis=-1) + half


def miss_rate(samples, truth):
    low, high = intervals(samples)
    return ((low > truth) | (high < truth)).mean()


@pytest.fixture
def random():
    return np.random.default_rng(11)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("comparisons", [1, 45])
def test_the_intervals_of_these_tests_equal_those_of_the_program(random, size, comparisons):
    samples = random.normal(3, 2, (20, size))
    theirs = zip(*intervals(samples, comparisons), strict=True)
    for sample, ends in zip(samples, theirs, strict=True):
        assert mean_interval(sample, FEWEST_RATIOS, comparisons) == pytest.approx(ends)
    ends = [np.exp(end[0]) for end in intervals(samples)]
    assert ratio_interval(samples[0]) == pytest.approx(ends)
    assert (mean_interval(samples[0], FEWEST_SCORES) is None) == (size < FEWEST_SCORES)


def kinds_of_ratios(random, size):
    """Yield samples of logarithms of ratios, and their true mean."""
    shape = (SAMPLES, size)
    board = random.normal(0, 2, shape)
    yield "paired lognormal", (board + random.normal(0.3, 0.5, shape)) - (board + random.normal(0, 0.5, shape)), 0.3
    yield "normal", random.normal(-1, 3, shape), -1
    logs = {name: np.log(scores) for name, scores in SCORES.items()}
    for a, b in (("greedy", "random"), ("expectimax", "greedy"), ("greedy", "greedy")):
        ratios = random.choice(logs[a], shape) - random.choice(logs[b], shape)
        yield f"{a} / {b}", ratios, logs[a].mean() - logs[b].mean()


@pytest.mark.parametrize("size", [size for size in SIZES if size >= FEWEST_RATIOS])
def test_intervals_of_ratios_have_their_nominal_miss_rate(random, size):
    """From five pairs on."""
    rates = {name: miss_rate(logs, truth) for name, logs, truth in kinds_of_ratios(random, size)}
    assert {name: rate for name, rate in rates.items() if not 0.03 < rate <= MOST} == {}


def kinds_of_scores(random, size):
    """Yield samples of scores and of their differences over the same seeds, and their true mean."""
    shape = (SAMPLES, size)
    yield "normal", random.normal(100, 30, shape), 100
    seed = random.normal(0, 1, shape)
    lognormal = [np.exp(seed + random.normal(0, 0.5, shape)) for _ in range(2)]
    yield "paired lognormal", lognormal[0] - lognormal[1], 0
    for name, scores in SCORES.items():
        yield name, random.choice(scores, shape), scores.mean()
    for a, b in (("greedy", "random"), ("expectimax", "greedy"), ("greedy", "greedy"), ("expectimax", "expectimax")):
        differences = random.choice(SCORES[a], shape) - random.choice(SCORES[b], shape)
        yield f"{a} - {b}", differences, SCORES[a].mean() - SCORES[b].mean()
    row = random.integers(0, 400, shape)
    paired = SCORES["expectimax"] - SCORES["greedy"]
    yield "of the same games", paired[row], paired.mean()


@pytest.mark.parametrize("size", [size for size in SIZES if size >= FEWEST_SCORES])
def test_intervals_of_scores_have_their_nominal_miss_rate(random, size):
    """From eight games on."""
    rates = {name: miss_rate(scores, truth) for name, scores, truth in kinds_of_scores(random, size)}
    assert {name: rate for name, rate in rates.items() if rate > MOST} == {}


def test_intervals_of_five_scores_would_miss_too_often(random):
    """So there are none."""
    scores = SCORES["expectimax"]
    assert miss_rate(random.choice(scores, (40_000, 5)), scores.mean()) > MOST


@pytest.mark.parametrize("trials", [*SIZES, 1, 200])
def test_intervals_of_rates_have_their_nominal_miss_rate(trials):
    """Exactly, over all outcomes, for rates from 0.1 to 99.9 %."""
    low, high = np.transpose([rate_interval(successes, trials) for successes in range(trials + 1)])
    rates = np.linspace(0.001, 0.999, 500)[:, None]
    successes = np.arange(trials + 1)
    ways = np.array([float(comb(trials, k)) for k in successes])
    likely = ways * rates**successes * (1 - rates) ** (trials - successes)
    assert (likely * ((low > rates) | (high < rates))).sum(axis=1).max() <= 0.05


def kinds_of_players(random, players, size):
    """Yield scores of players with the same mean, (samples, players, games)."""
    shape = (SAMPLES // 2, players, size)
    yield "normal", random.normal(100, 30, shape)
    yield "paired lognormal", np.exp(random.normal(0, 1, (shape[0], 1, size)) + random.normal(0, 0.5, shape))
    yield "greedy", random.choice(SCORES["greedy"], shape)
    yield "expectimax", random.choice(SCORES["expectimax"], shape)
    alike = [scores / scores.mean() for scores in SCORES.values()]
    of_each = [random.choice(alike[k % len(alike)], (shape[0], size)) for k in range(players)]
    yield "of other shapes", np.stack(of_each, axis=1)


def differs_from_the_best(scores, comparisons):
    """Return for each tournament whether the interval of a difference to whoever came out best excludes 0."""
    best = scores.mean(axis=2).argmax(axis=1)
    low, high = intervals(scores - scores[np.arange(len(scores)), best][:, None], comparisons)
    return ((low > 0) | (high < 0)).any(axis=1)


@pytest.mark.parametrize("players", [2, 3, 5, 10])
def test_equal_players_rarely_differ_from_the_observed_best(random, players):
    """However many there are: the best is selected, and the intervals allow for it."""
    rates = {
        (name, size): differs_from_the_best(scores, pairs_of_players(players)).mean()
        for size in (8, 20, 50)
        for name, scores in kinds_of_players(random, players, size)
    }
    assert {what: rate for what, rate in rates.items() if rate > MOST} == {}


def test_without_correction_equal_players_would_differ_in_most_tournaments(random):
    """Of ten players; allowing for the nine comparisons shown is not enough."""
    scores = random.normal(100, 30, (SAMPLES, 10, 50))
    assert differs_from_the_best(scores, 1).mean() > 0.5
    assert differs_from_the_best(scores, 9).mean() > 0.1
