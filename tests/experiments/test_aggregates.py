"""Aggregates are fair: of searches figures over what all groups solved, of games means with intervals."""

import math

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.aggregates import (
    GAME_COLUMNS,
    NO_INTERVAL,
    OVER,
    SEARCH_COLUMNS,
    aggregate,
    aggregate_games,
)
from searchlab.experiments.columns import dtypes


@pytest.fixture
def aggregated(make_results):
    """Sum up records by some columns."""

    def aggregated(records, *group_by, over=None):
        found = aggregate(sl.load_results(make_results(records)), group_by, over)
        return found, found.table.set_index(list(group_by))

    return aggregated


@pytest.fixture
def three_boards(make_record):
    """Two heuristics on three boards: both solve the first and the second, only one the third."""
    return [
        make_record(1, "taxicab", expanded=10, seconds=1.0, cost=4.0),
        make_record(2, "taxicab", expanded=40, seconds=4.0, cost=6.0),
        make_record(3, "taxicab", expanded=10**6, seconds=7.0, cost=50.0),
        make_record(1, "misplaced", expanded=100, seconds=2.0, cost=4.0),
        make_record(2, "misplaced", expanded=400, seconds=8.0, cost=9.0),
        make_record(3, "misplaced", status="time-limit", expanded=10**7, seconds=10.1),
    ]


def test_figures_worked_by_hand(aggregated, three_boards):
    """Means over the two boards that both solved; the third counts in coverage and PAR2."""
    found, table = aggregated(three_boards, "heuristic")
    assert table.dtypes.astype(str).to_dict() == dtypes(SEARCH_COLUMNS)
    taxicab, misplaced = table.loc["taxicab"], table.loc["misplaced"]
    assert taxicab[["runs", "solved", "coverage"]].tolist() == [3, 3, 100]
    assert misplaced[["runs", "solved", "coverage"]].tolist() == [3, 2, pytest.approx(200 / 3)]
    assert (taxicab["expanded"], misplaced["expanded"]) == (pytest.approx(20), pytest.approx(200))
    assert (taxicab["seconds"], misplaced["seconds"]) == (pytest.approx(2), pytest.approx(4))
    assert (taxicab["cost"], misplaced["cost"]) == (10, 13)
    assert (taxicab["par2"], misplaced["par2"]) == (pytest.approx(12 / 3), pytest.approx((2 + 8 + 20) / 3))
    assert (found.solved_by_all, found.of_boards, found.lacks_limit) == (2, True, False)
    assert found.notes() == [
        "expanded, seconds: geometric means and medians; cost: the sum; over the 2 boards that both groups solved",
        "score_…: 1 is best; 0 at the limit and without a solution",
    ]
    assert found.notes(["heuristic", "expanded"]) == [
        "expanded, seconds: geometric means; cost: the sum; over the 2 boards that both groups solved"
    ]


def test_medians_are_over_the_same(aggregated, make_record):
    """The middle one of three."""
    records = [make_record(n, expanded=e, seconds=e / 10) for n, e in enumerate((1, 100, 7))]
    _, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", ["expanded_median", "seconds_median"]].tolist() == pytest.approx([7, 0.7])


def test_the_median_of_an_even_number_is_the_mean_of_two(aggregated, make_record):
    """Not the geometric mean."""
    records = [make_record(n, expanded=e, seconds=e / 10) for n, e in enumerate((1, 10, 1000, 2000))]
    _, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", ["expanded_median", "seconds_median"]].tolist() == pytest.approx([505, 50.5])


def test_columns_that_differ_define_cases(aggregated, make_record):
    """A board with each frontier and seed is a case of its own when heuristics are compared."""
    records = [
        make_record(1, heuristic, frontier, seed=seed, expanded=10)
        for heuristic in ("taxicab", "misplaced")
        for frontier in ("astar", "greedy")
        for seed in (1, 2)
    ]
    records[-1] = make_record(1, "misplaced", "greedy", seed=2, status="error", expanded=0)
    found, table = aggregated(records, "heuristic")
    assert (found.solved_by_all, found.of_boards) == (3, False)
    assert table["solved"].tolist() == [3, 4]
    assert found.notes()[1] == "a case is what runs have in common besides heuristic"


def test_several_runs_of_a_case_count_together(aggregated, make_record):
    """As where the code of a plugin changed: solved if all are, at their geometric mean, and one case."""
    twice = [make_record(1, expanded=e, plugins={"mine": str(e)}, cost=c) for e, c in ((10, 4.0), (1000, 6.0))]
    other = [make_record(n, "misplaced", expanded=5, cost=4.0) for n in (1, 2)]
    broken = [make_record(2, plugins={"mine": "a"}), make_record(2, status="error", plugins={"mine": "b"})]
    found, table = aggregated([*twice, *other, *broken], "heuristic")
    assert found.solved_by_all == 1
    assert table.loc["taxicab", "expanded"] == pytest.approx(100)
    assert table.loc["taxicab", "cost"] == 5


def test_runs_without_a_time_limit_have_no_par2(aggregated, make_record):
    """A note says so."""
    records = [
        make_record(1, "taxicab", limit=None, seconds=3.0),
        make_record(1, "misplaced", limit=None, status="memory-limit"),
    ]
    found, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", "par2"] == 3
    assert pd.isna(table.loc["misplaced", "par2"])
    assert "par2 cannot be computed where a run without a solution had no time limit" in found.notes()


def test_without_common_instances_means_cover_those_of_each_group(aggregated, make_record):
    """A note says that they cannot be compared."""
    records = [make_record(1, "taxicab", expanded=5), make_record(2, "misplaced", expanded=9)]
    found, table = aggregated(records, "heuristic")
    assert table["expanded"].tolist() == pytest.approx([9, 5])
    assert (found.falls_back, found.over, found.solved_by_all) == (True, "solved", 0)
    assert found.notes()[0] == (
        "no board was solved by both groups; expanded, seconds: geometric means and medians; cost: the sum; "
        "over the boards that each group solved itself: do not compare these means between groups"
    )


def test_groups_of_several_domains_are_advised_to_be_compared_within_one(make_record, make_results):
    """No board is of two domains."""
    runs = sl.load_results(make_results([make_record(1, "taxicab"), make_record(2, "corner")]))
    runs["domain"] = ["sliding-tile", "2048"]
    advice = "domains share no board: compare groups within a domain, with --where domain=NAME"
    assert aggregate(runs, ["domain", "heuristic"]).notes()[1] == advice
    assert aggregate(runs, ["heuristic"], over="common").notes()[1] == advice
    assert advice not in aggregate(runs, ["heuristic"], over="solved").notes()
    assert advice not in aggregate(runs[runs["domain"] == "2048"], ["domain", "heuristic"]).notes()


def test_groups_that_solved_nothing_are_omitted(aggregated, make_record):
    """A note names them; the others are compared over commonly solved cases."""
    records = [make_record(n, h, expanded=10 * n) for n in (1, 2) for h in ("a", "b")]
    records += [make_record(n, "c", status="time-limit") for n in (1, 2)]
    found, table = aggregated(records, "heuristic")
    assert table["expanded"].isna().tolist() == [False, False, True]
    assert table.loc["a", "expanded"] == pytest.approx(math.sqrt(200))
    assert (found.solved_by_all, found.solved_nothing) == (2, ("c",))
    assert found.notes()[0].endswith("over the 2 boards that both other groups solved")
    assert found.notes()[1] == "not counted there because they solved nothing: c"


def test_groups_that_solved_nothing_are_named_without_common_cases_too(aggregated, make_record):
    records = [make_record(1, "a"), make_record(2, "b"), make_record(1, "c", status="time-limit")]
    notes = aggregated(records, "heuristic")[0].notes()
    assert notes[0].startswith("no board was solved by both other groups; ")
    assert notes[1] == "not counted there because they solved nothing: c"


def test_the_runs_that_means_cover_can_be_chosen(aggregated, three_boards):
    """Cases that all solved, cases that each solved, or all runs."""
    means = {over: aggregated(three_boards, "heuristic", over=over)[1]["expanded"] for over in OVER}
    assert means["common"].tolist() == pytest.approx([200, 20])
    assert means["solved"].tolist() == pytest.approx([200, 400 ** (1 / 3) * 100])
    assert means["all"].tolist() == pytest.approx([(4e4 * 1e7) ** (1 / 3), 400 ** (1 / 3) * 100])
    with pytest.raises(UsageError, match="means are over common, solved or all, not 'some'"):
        aggregated(three_boards, "heuristic", over="some")


def test_a_proof_of_unsolvability_counts_as_decided(aggregated, make_record):
    """Not as coverage; the column is shown if the two differ."""
    found, table = aggregated([make_record(1), make_record(2, status="unsolvable")], "heuristic")
    assert table.loc["taxicab", ["coverage", "decided"]].tolist() == [50, 100]
    assert "decided" in found.shown_columns()


def test_the_column_decided_is_hidden_if_it_equals_coverage(aggregated, make_record):
    """Empty scores are hidden, too."""
    found, _ = aggregated([make_record(1), make_record(2, status="error")], "heuristic")
    assert not {"decided", "score_expanded"} & {*found.shown_columns()}


def test_scores_worked_by_hand(aggregated, make_record):
    """Halfway between limit and best by logarithm is a half; without a solution it is nothing."""
    records = [
        make_record(1, seconds=0.001),
        make_record(2, seconds=10.0),
        make_record(3, seconds=math.sqrt(10.0 * 0.01)),
        make_record(4, status="time-limit", seconds=3.0),
    ]
    _, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", "score_seconds"] == pytest.approx((1 + 0 + 0.5 + 0) / 4)
    assert pd.isna(table.loc["taxicab", "score_expanded"])  # no limit


def test_the_score_of_costs_compares_with_the_least_known_cost_of_the_board(aggregated, three_boards, make_record):
    """Of any group; it is hidden where it says no more than the coverage."""
    found, table = aggregated(three_boards, "heuristic")
    assert table.loc["taxicab", "score_cost"] == 1
    assert table.loc["misplaced", "score_cost"] == pytest.approx((1 + 6 / 9 + 0) / 3)
    assert "score_cost" in found.shown_columns()


def test_the_score_of_costs_is_hidden_if_it_says_no_more_than_the_coverage(aggregated, make_record):
    found, table = aggregated([make_record(1, cost=0.0), make_record(2, status="time-limit")], "heuristic")
    assert table["score_cost"].tolist() == [0.5]
    assert "score_cost" not in found.shown_columns()


def test_a_limit_below_the_best_value_leaves_two_scores(aggregated, make_record):
    """Solved or not."""
    records = [make_record(n, limit=0.005, seconds=0.004) for n in (1, 2)]
    records.append(make_record(3, limit=0.005, status="time-limit"))
    _, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", "score_seconds"] == pytest.approx(2 / 3)


def test_common_means_without_common_cases_are_missing(aggregated, make_record):
    """A note says so."""
    records = [make_record(1, "taxicab"), make_record(2, "misplaced")]
    found, table = aggregated(records, "heuristic", over="common")
    assert table[["expanded", "seconds", "cost", "expanded_median"]].isna().all(axis=None)
    assert table["coverage"].tolist() == [100, 100]
    assert found.notes()[0].startswith("no board was solved by both groups, so there are no means")


def test_a_start_that_is_a_goal_does_not_spoil_a_mean(aggregated, make_record):
    """No expansion counts as one."""
    _, table = aggregated([make_record(1, expanded=0), make_record(2, expanded=100)], "frontier")
    assert table.loc["astar", "expanded"] == pytest.approx(math.sqrt(100))


def test_limits_may_be_grouped_by(aggregated, make_record):
    """Then boards are what runs with different limits have in common."""
    records = [
        make_record(n, limit=limit, expanded=round(10 * (limit or 0.5))) for n in (1, 2) for limit in (1.0, 60.0, None)
    ]
    found, table = aggregated(records, "limit_seconds")
    assert (found.solved_by_all, found.of_boards) == (2, True)
    assert table["expanded"].tolist() == pytest.approx([10, 600, 5])


def test_runs_without_the_grouped_value_form_a_group(aggregated, make_record):
    """Those without a seed."""
    found, _ = aggregated([make_record(seed=1), make_record(seed=None)], "seed")
    assert found.table["runs"].tolist() == [1, 1]
    assert found.table["seed"].isna().tolist() == [False, True]


def test_no_runs_are_no_groups(aggregated):
    """In a table with all columns."""
    found, _ = aggregated([], "seed")
    assert found.table.columns.tolist() == ["seed", *dtypes(SEARCH_COLUMNS)]
    assert found.table.empty


def test_unreadable_boards_are_distinguished_by_name(aggregated, make_record):
    records = [make_record(n, h, status="error") for n in (1, 2) for h in ("taxicab", "misplaced")]
    unreadable = [type(r)(r.run, {**r.cells, "board": None}, {}, r.worker, r.finished, r.provenance) for r in records]
    found, table = aggregated(unreadable, "heuristic")
    assert table["runs"].tolist() == [2, 2]
    assert found.solved_by_all == 0


@pytest.mark.parametrize(
    ("group_by", "said"),
    [
        ("hueristic", "there is no column 'hueristic': did you mean 'heuristic'"),
        ("expanded", "'expanded' is a result of a run, which cannot be grouped by"),
    ],
)
def test_invalid_group_columns_are_refused(aggregated, make_record, group_by, said):
    """A misspelt column, and figures."""
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        aggregated([make_record()], group_by)


@pytest.fixture
def aggregated_games(make_results):
    """Sum up records by player."""

    def aggregated_games(records, *group_by):
        found = aggregate_games(sl.load_results(make_results(records)), group_by or ("player",))
        return found, found.table.set_index(list(group_by or ("player",)))

    return aggregated_games


def test_figures_of_games_worked_by_hand(aggregated_games, make_game):
    """Scores 100, 200 and 600 with tiles 64, 128 and 512; somebody else had 64 always."""
    scores = ((1, 100.0, 64), (2, 200.0, 128), (3, 600.0, 512))
    records = [make_game("good", seed, score, tile=tile) for seed, score, tile in scores]
    records += [make_game("poor", seed, 50.0, tile=64) for seed in (1, 2)]
    found, table = aggregated_games(records)
    good, poor = table.loc["good"], table.loc["poor"]
    assert good[["games", "score", "score_median", "score_best", "moves"]].tolist() == [3, 300, 200, 600, 50]
    assert good["moves_per_second"] == pytest.approx(100)
    assert good[["score_low", "score_high"]].isna().all()
    assert poor["score"] == 50
    rates = [name for name in table.columns if name not in dtypes(GAME_COLUMNS)]
    assert rates == [f"reached_{tile}{end}" for tile in (128, 512) for end in ("", "_low", "_high")]
    assert good[["reached_128", "reached_512"]].tolist() == pytest.approx([200 / 3, 100 / 3])
    assert (poor["reached_128"], poor["reached_128_low"]) == (0, 0)
    assert good["reached_512_low"] == pytest.approx(0.84, abs=0.01)  # by the tables of Clopper and Pearson
    assert good["reached_512_high"] == pytest.approx(90.57, abs=0.01)
    assert (found.cut_short, found.unknown) == (0, 0)
    assert found.shown_columns() == ["player", *dtypes(GAME_COLUMNS), "reached_128", "reached_512"]
    assert found.notes()[1:] == [NO_INTERVAL]


def test_games_cut_short_count_and_those_without_a_score_do_not(aggregated_games, make_game):
    """Notes say both."""
    records = [
        make_game("a", 1, 100.0),
        make_game("a", 2, 300.0, status="time-limit"),
        make_game("a", 3, None, status="error"),
        make_game("b", 1, None, status="error"),
    ]
    found, table = aggregated_games(records)
    assert table.loc["a", ["games", "score"]].tolist() == [3, 200]
    assert table.loc["b", "games"] == 1
    assert table.loc["b"].drop("games").isna().all()
    assert found.notes()[1:] == [
        "not played to their end: 1, which count with the score they had",
        NO_INTERVAL,
        "without a score, and left out: 2",
    ]


def test_eight_games_have_an_interval(aggregated_games, make_game):
    """By Student's t: with 7 degrees of freedom it is 2.365; seven games have none, nor eight with one score."""
    records = [make_game("a", seed, 100.0 * seed) for seed in range(1, 9)]
    records += [make_game("b", seed, 7.0) for seed in range(1, 9)]
    records += [make_game("c", seed, 100.0 * seed) for seed in range(1, 8)]
    found, table = aggregated_games(records)
    half = 2.365 * 100 * 6**0.5 / 8**0.5  # the variance of 1 to 8 is 6
    assert table.loc["a", ["score_low", "score_high"]].tolist() == pytest.approx([450 - half, 450 + half], rel=1e-3)
    assert table.loc[["b", "c"], ["score_low", "score_high"]].isna().all(axis=None)
    assert found.notes()[1:] == [NO_INTERVAL]


def test_a_single_game_has_no_interval(aggregated_games, make_game):
    """And where all reached the same tile there is no rate."""
    _, table = aggregated_games([make_game()])
    assert table.loc["greedy", ["score_low", "score_high"]].isna().all()
    assert list(table.columns) == list(dtypes(GAME_COLUMNS))


def test_at_most_five_tiles_have_columns(aggregated_games, make_game):
    """The largest; and one may group by anything."""
    found, _ = aggregated_games([make_game(seed=k, tile=2**k) for k in range(1, 10)], "player", "status")
    assert [name for name in found.shown_columns() if name.startswith("reached")] == [
        f"reached_{2**k}" for k in range(5, 10)
    ]


@pytest.mark.parametrize(("name", "message"), [("score", "'score' is a result of a game"), ("plaer", "no column")])
def test_invalid_group_columns_of_games_are_refused(aggregated_games, make_game, name, message):
    """One line."""
    with pytest.raises(UsageError, match=message):
        aggregated_games([make_game()], name)


def test_different_code_under_one_name_is_noted(aggregated, make_record):
    """Such as a heuristic before and after an edit."""
    records = [make_record(1, h, plugins={h: "1a"}) for h in ("taxicab", "misplaced")]
    note = "some runs differ only in the code of their plugins (column plugins), and are counted together"
    found, _ = aggregated(records, "heuristic")
    assert note not in found.notes()
    found, _ = aggregated([*records, make_record(1, "taxicab", plugins={"taxicab": "2b"})], "heuristic")
    assert note in found.notes()


def test_groups_with_and_without_seeds_have_boards_as_common_cases(aggregated, make_record):
    records = [make_record(1, "noisy", seed=seed, expanded=10**seed) for seed in (1, 3)]
    found, table = aggregated([*records, make_record(1, "taxicab", expanded=7)], "heuristic")
    assert (found.solved_by_all, found.of_boards, found.falls_back) == (1, True, False)
    assert table["expanded"].to_dict() == {"noisy": 100, "taxicab": 7}


def test_runs_without_a_heuristic_belong_to_no_heuristic(aggregated, three_boards, make_record):
    """They are no common cases."""
    alone = [make_record(board, None, frontier="uniform-cost", expanded=5000) for board in (1, 2, 3)]
    found, table = aggregated([*three_boards, *alone], "heuristic")
    _, without = aggregated(three_boards, "heuristic")
    assert table.loc[["taxicab", "misplaced"]].equals(without.loc[["taxicab", "misplaced"]])
    assert table.index.isna().sum() == 1
    assert found.solved_nothing == ()
    assert "over the 2 cases that both other groups solved" in found.notes()[0]
    assert found.notes()[1] == "– in heuristic: runs whose frontier uses none; not compared with the others"
