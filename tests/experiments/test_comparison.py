"""Comparing two configurations: pairs, results for figures with a known ratio, and refusals."""

from math import exp, inf

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.comparison import compare


@pytest.fixture
def compared(make_results):
    """Compare two configurations of some records."""

    def compared(records, a, b):
        return compare(sl.load_results(make_results(records)), a, b)

    return compared


@pytest.fixture
def known(make_record):
    """Twelve boards on which A expands a third of what B does, give or take, and takes twice the time."""
    jitter = [0.5, 2, 1, 0.8, 1.25, 1, 4, 0.25, 1, 1, 2, 0.5]
    records = []
    for n, factor in enumerate(jitter):
        records.append(make_record(n, "taxicab", expanded=round(1000 * factor), seconds=0.2, cost=10.0))
        records.append(make_record(n, "misplaced", expanded=3000, seconds=0.1, cost=12.0))
    return records


def measures(comparison):
    return {measure.name: measure for measure in comparison.measures}


def test_a_known_ratio_is_found(compared, known):
    """It is a third, because the factors cancel out."""
    comparison = compared(known, "taxicab", "misplaced")
    of = measures(comparison)
    assert list(of) == ["expanded", "seconds", "cost"]
    expanded = of["expanded"]
    assert expanded.ratio == pytest.approx(1 / 3)
    # The logarithms of the factors have a standard deviation of 0.7302; t of 11 degrees of freedom is 2.201.
    half = 2.201 * 0.7302 / 12**0.5
    assert expanded.interval == pytest.approx((exp(-half) / 3, exp(half) / 3), rel=1e-3)
    assert (expanded.independent, expanded.interval_remark) == (12, "")
    assert expanded.sums == (15_300, 36_000)
    assert (expanded.pairs, expanded.smaller) == (12, (11, 1))
    assert expanded.sign.p == pytest.approx(2 * 13 / 2**12)
    assert expanded.wilcoxon.p < 0.01
    assert of["seconds"].ratio == pytest.approx(2)
    assert of["seconds"].interval is None
    assert of["seconds"].interval_remark == "no interval, because all ratios are equal"
    assert of["seconds"].smaller == (0, 12)
    assert of["seconds"].sign.p == of["seconds"].wilcoxon.p == pytest.approx(2 / 2**12)
    assert of["cost"].sums == (120, 144)
    assert of["cost"].ratio == pytest.approx(10 / 12)


def test_swapping_configurations_inverts_ratios(compared, known):
    one, other = (measures(compared(known, *names)) for names in (("taxicab", "misplaced"), ("misplaced", "taxicab")))
    for name, measure in one.items():
        assert other[name].ratio == pytest.approx(1 / measure.ratio)
        assert other[name].smaller == measure.smaller[::-1]
        assert other[name].sign == measure.sign
        assert other[name].wilcoxon.p == pytest.approx(measure.wilcoxon.p)


def test_figures_are_compared_for_runs_that_both_solved(compared, make_record):
    """The rest says who solves more."""
    records = [
        make_record(1, "taxicab", expanded=5),
        make_record(1, "misplaced", expanded=10),
        *(make_record(n, "taxicab") for n in range(2, 9)),
        *(make_record(n, "misplaced", status="time-limit", expanded=10**9) for n in range(2, 9)),
        make_record(9, "taxicab", status="error"),
        make_record(9, "misplaced", status="unsolvable"),
        make_record(10, "taxicab", status="error"),
        make_record(10, "misplaced"),
        make_record(11, "taxicab"),
    ]
    comparison = compared(records, "taxicab", "misplaced")
    assert [comparison.solved_by(who) for who in ("both", "a", "b", "neither")] == [1, 7, 1, 1]
    assert comparison.coverage.p == pytest.approx(2 * 9 / 256)
    assert comparison.unpaired == (1, 0)
    expanded = measures(comparison)["expanded"]
    assert (expanded.pairs, expanded.sums, expanded.ratio) == (1, (5, 10), pytest.approx(0.5))
    assert expanded.wilcoxon.remark.startswith("fewer than 6 pairs")
    assert comparison.table["board_name"].tolist() == [f"boards/{n}.txt" for n in range(1, 11)]
    assert comparison.table.loc[0, ["status_a", "expanded_a", "expanded_b", "solved_by"]].tolist() == [
        *("solved", 5, 10, "both"),
    ]


def test_equal_figures_have_ratio_1_and_no_p(compared, make_record):
    """Also if both are 0."""
    records = [make_record(n, h, expanded=0, cost=0.0) for n in range(8) for h in ("taxicab", "misplaced")]
    for measure in compared(records, "taxicab", "misplaced").measures:
        assert (measure.ratio, measure.interval, measure.sign.p, measure.wilcoxon.p) == (1, None, None, None)
        assert measure.interval_remark == "no interval, because all ratios are equal"
        assert measure.wilcoxon.remark == "no pair differs"


def test_without_commonly_solved_boards_there_is_no_ratio(compared, make_record):
    """The coverage is reported."""
    comparison = compared([make_record(1), make_record(1, "misplaced", status="error")], "taxicab", "misplaced")
    assert [(m.pairs, m.ratio, m.interval) for m in comparison.measures] == [(0, None, None)] * 3
    assert comparison.solved_by("a") == 1


def test_runs_that_differ_in_the_heuristic_only_are_paired(compared, make_record):
    records = [
        make_record(1, heuristic, frontier, seed=seed, repetition=repetition, expanded=10 * seed if a else 30 * seed)
        for a, heuristic in enumerate(("misplaced", "taxicab"))
        for frontier in ("astar", "greedy")
        for seed in (1, 2)
        for repetition in (1, 2)
    ]
    comparison = compared(records, "taxicab", "misplaced")
    assert len(comparison.table) == 8
    assert comparison.table.columns[:4].tolist() == ["board_name", "frontier", "seed", "repetition"]
    expanded = measures(comparison)["expanded"]
    assert (expanded.ratio, expanded.pairs, expanded.independent) == (pytest.approx(1 / 3), 8, 1)
    assert expanded.interval_remark == "no interval from fewer than 5 different boards or seeds"


def test_pairs_of_one_board_count_once(make_results, make_record):
    """Several frontiers or repetitions do not narrow the intervals."""
    factors = [0.5, 2, 0.7, 0.25, 0.4, 0.6, 0.3]
    records = [
        make_record(n, heuristic, frontier, repetition=r, expanded=1000 * (factor if heuristic == "taxicab" else 1))
        for n, factor in enumerate(factors)
        for heuristic in ("taxicab", "misplaced")
        for frontier in ("astar", "greedy", "weighted-astar")
        for r in (1, 2)
    ]
    records += [
        make_record(n, heuristic, "uniform-cost", status=status, repetition=r)
        for n in range(2)
        for heuristic, status in (("taxicab", "solved"), ("misplaced", "time-limit"))
        for r in (1, 2, 3)
    ]
    results = sl.load_results(make_results(records))
    many = compare(results, "taxicab", "misplaced")
    once = compare(results[results["repetition"] == 1], "taxicab/astar", "misplaced/astar")
    several, one = measures(many)["expanded"], measures(once)["expanded"]
    assert (several.pairs, several.independent, one.pairs) == (42, 7, 7)
    assert several.interval == pytest.approx(one.interval)
    assert (several.sign, several.wilcoxon) == (one.sign, one.wilcoxon)
    assert (many.solved_by("a"), many.coverage.pairs) == (6, 2)


def test_limits_may_be_compared(compared, make_record):
    """Or anything else runs differ in."""
    records = [make_record(1, limit=1.0, expanded=5, status="time-limit"), make_record(1, limit=60.0, expanded=500)]
    comparison = compared(records, "limit_seconds=1s", "limit_seconds=1m")
    assert comparison.solved_by("b") == 1


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("taxicab", "taxicab", "are the same runs"),
        ("taxicab/astar", "heuristic=taxicab,frontier=astar", "are the same runs"),
        ("taxicab", "greedy", r"'taxicab' stands for several runs on boards/1.txt \(frontier astar, greedy\)"),
        ("taxicab/astar", "euclidean/astar", "they have no board in common"),
    ],
)
def test_incomparable_configurations_are_refused(compared, make_record, a, b, said):
    """Says why."""
    records = [make_record(1, h, f) for h in ("taxicab", "misplaced") for f in ("astar", "greedy")]
    with pytest.raises(UsageError, match=said):
        compared([*records, make_record(9, "euclidean", "astar")], a, b)


def test_games_are_paired_by_their_seeds(make_game, make_results):
    """Games with scores are compared; seeds that only one player has played are omitted."""
    records = [make_game("good", seed, 200.0 * seed, tile=128) for seed in range(1, 9)]
    records += [make_game("poor:k=1", seed, 100.0 * seed) for seed in range(1, 8)]
    records += [make_game("poor:k=1", 8, None, status="error")]
    records += [make_game("poor:k=1", 9, 7.0)]
    found = compare(sl.load_results(make_results(records)), "good", "poor")
    score, moves, seconds = found.measures
    assert (score.name, moves.name, seconds.name) == ("score", "moves", "seconds")
    assert (score.pairs, score.sums, score.smaller) == (7, (5600.0, 2800.0), (0, 7))
    assert score.ratio == pytest.approx(2)
    assert score.interval is None
    assert score.interval_remark == "no interval, because all ratios are equal"
    assert score.sign.p == pytest.approx(2 * 0.5**7)
    assert (moves.ratio, found.unpaired, found.coverage) == (1, (0, 1), None)
    assert list(found.table.columns[:2]) == ["board_name", "seed"]
    assert found.table["seed"].tolist() == list(range(1, 9))


def test_scores_below_0_have_no_ratio_and_are_compared_by_their_differences(make_game, make_results):
    """A game may take points away."""
    records = [make_game("good", seed, 10.0 - seed) for seed in range(1, 13)]
    records += [make_game("poor:k=1", seed, -20.0 - seed * seed) for seed in range(1, 13)]
    score = compare(sl.load_results(make_results(records)), "good", "poor").measures[0]
    assert (score.ratio, score.interval) == (None, None)
    assert score.interval_remark == "no ratio, because a figure is negative or infinite"
    assert (score.wilcoxon.pairs, score.sign.pairs) == (12, 12)
    assert score.wilcoxon.p == pytest.approx(2 * 0.5**12)


def test_infinite_costs_have_no_ratio_and_are_compared_by_their_differences(compared, make_record):
    """A domain may have moves of infinite cost; equal costs do not differ, whether infinite or not."""
    costs = [(inf, inf), (inf, 3.0), (2.0, inf), *[(5.0, inf)] * 6]
    records = []
    for seed in (1, 2):
        for n, (of_a, of_b) in enumerate(costs):
            records.append(make_record(n, "taxicab", seed=seed, expanded=2, cost=of_a))
            records.append(make_record(n, "misplaced", seed=seed, expanded=4, cost=of_b))
    of = measures(compared(records, "taxicab", "misplaced"))
    cost = of["cost"]
    assert (cost.ratio, cost.interval, cost.spread) == (None, None, None)
    assert cost.interval_remark == "no ratio, because a figure is negative or infinite"
    assert (cost.smaller, cost.sums, cost.independent) == ((14, 2), (inf, inf), 9)
    assert cost.sign.pairs == cost.wilcoxon.pairs == 8
    assert 0 < cost.wilcoxon.p < 0.5
    assert (of["expanded"].ratio, of["expanded"].spread) == (0.5, 1.0)


def test_concatenated_tables_are_compared(compared, make_record, make_results):
    """Even if index values occur twice."""
    one = sl.load_results(make_results([make_record(n, "taxicab", expanded=n + 1) for n in range(8)], "one"))
    other = sl.load_results(make_results([make_record(n, "misplaced", expanded=2 * n + 2) for n in range(8)], "other"))
    together = pd.concat([one, other])
    assert not together.index.is_unique
    expanded = measures(compare(together, "taxicab", "misplaced"))["expanded"]
    assert (expanded.pairs, expanded.ratio) == (8, pytest.approx(0.5))
    assert sl.group(together, "heuristic")["runs"].tolist() == [8, 8]


def test_repetitions_count_once_in_both_tests(compared, make_record):
    """By the mean of their ratios: of two that point in different directions the larger one decides."""
    records = [
        make_record(n, h, repetition=r, seconds=seconds)
        for n in range(8)
        for h, of_repetition in (("taxicab", (1.0, 3.0)), ("misplaced", (4.0, 2.0)))
        for r, seconds in enumerate(of_repetition, 1)
    ]
    seconds = measures(compared(records, "taxicab", "misplaced"))["seconds"]
    assert (seconds.independent, seconds.sign.pairs, seconds.wilcoxon.pairs) == (8, 8, 8)
    assert seconds.sign.p == pytest.approx(2 / 2**8)


def test_players_that_cannot_be_compared(make_game, make_results):
    """Several games of one seed, several players of a name, nobody of that name, no seed in common."""
    players = ("a:k=1", "a:k=2", "b", "c")
    records = [make_game(player, seed) for player in players for seed in ((1, 2) if player != "c" else (3,))]
    records.append(make_game("b", 1, repetition=2))
    results = sl.load_results(make_results(records))
    for a, b, message in (
        ("a", "c", "'a' may be several things; write player=a:k=1 or player=a:k=2"),
        ("d", "b", "nothing that was run is called 'd'"),
        ("heuristic=a", "b", "nothing that was run is called"),
        ("b", "c", "no run of 'b' can be paired with one of 'c': they have no seed"),
        ("player=b", "player=b", "are the same runs"),
        ("limit_seconds=10", "c", "'limit_seconds=10' stands for several runs"),
    ):
        with pytest.raises(UsageError, match=message):
            compare(results, a, b)


def test_a_heuristic_without_a_seed_is_paired_with_one_that_has_a_seed(make_record, make_results):
    """Each of several seeds is paired with the one run without."""
    records = [make_record(1, "noisy", seed=1), make_record(1, "taxicab")]
    assert len(compare(sl.load_results(make_results(records)), "noisy", "taxicab").table) == 1
    records.append(make_record(1, "noisy", seed=2))
    found = compare(sl.load_results(make_results(records)), "taxicab", "noisy")
    assert (len(found.table), found.unpaired, found.measures[0].independent) == (2, (0, 0), 1)


def test_a_difference_below_that_of_two_seeds_is_said(make_record, make_results):
    """The geometric means over the boards that were solved with every seed are compared."""
    records = [make_record(board, "b", expanded=120) for board in (1, 2)]
    for seed, expanded in ((1, 100), (2, 200)):
        records += [make_record(board, "a", seed=seed, expanded=expanded) for board in (1, 2)]
    found = compare(sl.load_results(make_results(records)), "a", "b")
    assert (found.measures[0].spread, found.measures[0].independent) == (pytest.approx(2), 2)
    assert found.measures[0].spread_remark.endswith("which differ by up to 2.00 ×")
    assert "expanded: A and B differ by less than two seeds of one of them" in " ".join(found.lines(200))
    far = [make_record(3, "b", expanded=10**6), make_record(3, "a", seed=1, expanded=1)]
    expanded = compare(sl.load_results(make_results([*records, *far], "far")), "a", "b").measures[0]
    assert (expanded.spread, expanded.spread_remark) == (pytest.approx(2), "")
