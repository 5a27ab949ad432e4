"""Aggregates are fair: figures over what all groups solved, coverage and PAR2 over everything."""

import math

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.aggregates import SEARCH_COLUMNS, aggregate
from searchlab.experiments.columns import dtypes


@pytest.fixture
def aggregated(make_results):
    """Sum up records by some columns."""

    def aggregated(records, *group_by):
        found = aggregate(sl.load_results(make_results(records)), group_by)
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
        "expanded, seconds: geometric means and medians; cost: the sum; over the 2 boards that both groups solved"
    ]


def test_medians_are_over_the_same(aggregated, make_record):
    """The middle one of three."""
    records = [make_record(n, expanded=e, seconds=e / 10) for n, e in enumerate((1, 100, 7))]
    _, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", ["expanded_median", "seconds_median"]].tolist() == pytest.approx([7, 0.7])


def test_what_else_runs_differ_in_makes_cases(aggregated, make_record):
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


def test_without_a_time_limit_there_is_no_par2(aggregated, make_record):
    """Of the group that needs one; it is said."""
    records = [
        make_record(1, "taxicab", limit=None, seconds=3.0),
        make_record(1, "misplaced", limit=None, status="memory-limit"),
    ]
    found, table = aggregated(records, "heuristic")
    assert table.loc["taxicab", "par2"] == 3
    assert pd.isna(table.loc["misplaced", "par2"])
    assert "par2 cannot be computed where a run without a solution had no time limit" in found.notes()


def test_where_nothing_is_solved_by_all_there_are_no_means(aggregated, make_record):
    """And that is said, too."""
    found, table = aggregated([make_record(1, "taxicab"), make_record(2, "misplaced")], "heuristic")
    assert table[["expanded", "seconds", "cost", "expanded_median"]].isna().all(axis=None)
    assert table["coverage"].tolist() == [100, 100]
    assert found.notes()[0].startswith("there is no board that both groups solved")


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


def test_runs_without_what_is_grouped_by_are_a_group(aggregated, make_record):
    """Those without a seed."""
    found, _ = aggregated([make_record(seed=1), make_record(seed=None)], "seed")
    assert found.table["runs"].tolist() == [1, 1]
    assert found.table["seed"].isna().tolist() == [False, True]


def test_no_runs_are_no_groups(aggregated):
    """In a table with all columns."""
    found, _ = aggregated([], "seed")
    assert found.table.columns.tolist() == ["seed", *dtypes(SEARCH_COLUMNS)]
    assert found.table.empty


def test_unreadable_boards_are_told_apart_by_name(aggregated, make_record):
    """They have no tiles to go by."""
    records = [make_record(n, h, status="error") for n in (1, 2) for h in ("taxicab", "misplaced")]
    unreadable = [type(r)(r.run, {**r.cells, "board": None}, {}, r.worker, r.finished, r.provenance) for r in records]
    found, table = aggregated(unreadable, "heuristic")
    assert table["runs"].tolist() == [2, 2]
    assert found.solved_by_all == 0


@pytest.mark.parametrize(
    ("group_by", "said"),
    [
        ("hueristic", "there is no column 'hueristic': did you mean 'heuristic'"),
        ("expanded", "'expanded' is what a run came to, not what it can be grouped by"),
    ],
)
def test_what_cannot_be_grouped_by(aggregated, make_record, group_by, said):
    """A misspelt column, and figures."""
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        aggregated([make_record()], group_by)
