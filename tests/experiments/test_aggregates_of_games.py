"""Aggregates of games: means with intervals, and how many games reached which tiles."""

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.aggregates import GAME_COLUMNS, NO_INTERVAL, aggregate_games
from searchlab.experiments.columns import dtypes


@pytest.fixture
def aggregated(make_results):
    """Sum up records by player."""

    def aggregated(records, *group_by):
        found = aggregate_games(sl.load_results(make_results(records)), group_by or ("player",))
        return found, found.table.set_index(list(group_by or ("player",)))

    return aggregated


def test_figures_worked_by_hand(aggregated, make_game):
    """Scores 100, 200 and 600 with tiles 64, 128 and 512; somebody else had 64 always."""
    scores = ((1, 100.0, 64), (2, 200.0, 128), (3, 600.0, 512))
    records = [make_game("good", seed, score, tile=tile) for seed, score, tile in scores]
    records += [make_game("poor", seed, 50.0, tile=64) for seed in (1, 2)]
    found, table = aggregated(records)
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


def test_games_that_were_cut_short_count_and_those_without_a_score_do_not(aggregated, make_game):
    """Both are said."""
    records = [
        make_game("a", 1, 100.0),
        make_game("a", 2, 300.0, status="time-limit"),
        make_game("a", 3, None, status="error"),
        make_game("b", 1, None, status="error"),
    ]
    found, table = aggregated(records)
    assert table.loc["a", ["games", "score"]].tolist() == [3, 200]
    assert table.loc["b", "games"] == 1
    assert table.loc["b"].drop("games").isna().all()
    assert found.notes()[1:] == [
        "not played to their end: 1, which count with the score they had",
        NO_INTERVAL,
        "without a score, and left out: 2",
    ]


def test_eight_games_have_an_interval(aggregated, make_game):
    """By Student's t: with 7 degrees of freedom it is 2.365; seven games have none, nor eight with one score."""
    records = [make_game("a", seed, 100.0 * seed) for seed in range(1, 9)]
    records += [make_game("b", seed, 7.0) for seed in range(1, 9)]
    records += [make_game("c", seed, 100.0 * seed) for seed in range(1, 8)]
    found, table = aggregated(records)
    half = 2.365 * 100 * 6**0.5 / 8**0.5  # the variance of 1 to 8 is 6
    assert table.loc["a", ["score_low", "score_high"]].tolist() == pytest.approx([450 - half, 450 + half], rel=1e-3)
    assert table.loc[["b", "c"], ["score_low", "score_high"]].isna().all(axis=None)
    assert found.notes()[1:] == [NO_INTERVAL]


def test_a_single_game_has_no_interval(aggregated, make_game):
    """And where all reached the same tile there is no rate."""
    _, table = aggregated([make_game()])
    assert table.loc["greedy", ["score_low", "score_high"]].isna().all()
    assert list(table.columns) == list(dtypes(GAME_COLUMNS))


def test_at_most_five_tiles_have_columns(aggregated, make_game):
    """The largest; and one may group by anything."""
    found, _ = aggregated([make_game(seed=k, tile=2**k) for k in range(1, 10)], "player", "status")
    assert [name for name in found.shown_columns() if name.startswith("reached")] == [
        f"reached_{2**k}" for k in range(5, 10)
    ]


@pytest.mark.parametrize(("name", "message"), [("score", "'score' is what a game came to"), ("plaer", "no column")])
def test_what_cannot_be_grouped_by(aggregated, make_game, name, message):
    """One line."""
    with pytest.raises(UsageError, match=message):
        aggregated([make_game()], name)
