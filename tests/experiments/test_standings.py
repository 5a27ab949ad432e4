"""Standings: means, quantiles and rates with their intervals, paired differences, and which games count."""

from pathlib import Path
from random import Random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.columns import dtypes
from searchlab.experiments.standings import COLUMNS, standings_of
from searchlab.experiments.statistics import rate_interval
from tests.exports import markdown

SCORES = {1: 1000.0, 2: 2000.0, 3: 3000.0, 4: 4000.0, 5: 10_000.0}


@pytest.fixture
def ranked(make_results):
    """Rank the players of some records."""

    def ranked(records, folder="results"):
        found = standings_of(sl.load_results(make_results(records, folder)))
        return found, found.table.set_index("player")

    return ranked


def test_figures_worked_by_hand(ranked, make_game):
    """Means, quantiles between two games, the difference over the same seeds, and moves by time."""
    records = [make_game("good", seed, score, tile=2048, seconds=0.25) for seed, score in SCORES.items()]
    records += [make_game("poor", seed, score - 100 * seed, tile=512) for seed, score in SCORES.items()]
    found, table = ranked(records)
    good, poor = table.loc["good"], table.loc["poor"]
    assert list(table.index) == ["good", "poor"]
    assert good[["games", "score", "score_median", "score_best", "moves"]].tolist() == [5, 4000, 3000, 10_000, 50]
    assert good[["score_5", "score_25", "score_75", "score_95"]].tolist() == pytest.approx([1200, 2000, 4000, 8800])
    assert good[["seconds", "moves_per_second"]].tolist() == pytest.approx([0.25, 200])
    assert good[["pairs", "difference", "difference_low", "difference_high"]].isna().all()
    assert poor[["pairs", "difference"]].tolist() == [5, -300]
    assert poor[["score_low", "score_high", "difference_low", "difference_high"]].isna().all()  # of five games
    assert (found.replaced, found.cut_short, found.unknown) == (0, 0, 0)


def test_intervals_by_the_tables_of_students_t(ranked, make_game):
    """Of nine scores t is 2.306; of three differences at once, each at 1.67 %, it is 3.016 for nine pairs."""
    records = [make_game("good", seed, 1000.0 + 10 * seed) for seed in range(1, 10)]
    records += [make_game("poor", seed, 900.0 + 10 * seed + (-1) ** seed) for seed in range(1, 10)]
    records += [make_game("even", 1, 100.0)]
    _, table = ranked(records)
    of_mean = 2.306 * 10 * 7.5**0.5 / 3  # the variance of 1 to 9 is 7.5
    ends = table.loc["good", ["score_low", "score_high"]].tolist()
    assert ends == pytest.approx([1050 - of_mean, 1050 + of_mean], 1e-4)
    mean, half = -100 - 1 / 9, 3.016 * (80 / 81 * 9 / 8) ** 0.5 / 3
    ends = table.loc["poor", ["difference_low", "difference_high"]].tolist()
    assert ends == pytest.approx([mean - half, mean + half], 1e-4)
    assert table.loc["even", ["difference", "difference_low"]].isna().tolist() == [False, True]


def test_a_game_repeated_is_no_further_evidence(ranked, make_game):
    """Whether all games are repeated or some: means, rates and intervals are those of nine seeds."""
    games = [
        (player, seed, 100.0 * seed**k, tile)
        for k, player in ((1, "a"), (2, "b"))
        for seed, tile in zip(range(1, 10), [64, 128, 128] * 3, strict=True)
    ]
    records = [make_game(p, seed, s, tile=tile, repetition=r) for p, seed, s, tile in games for r in range(4)]
    every, (some, of_some), (_, of_once) = (
        ranked([record for record in records if repeated(record.run)], name)
        for name, repeated in (
            ("every", lambda run: True),
            ("some", lambda run: run.repetition <= run.seed % 3),
            ("once", lambda run: run.repetition == 0),
        )
    )
    columns = [name for name in of_once.columns if name.startswith(("reached", "difference")) or name[-4:] == "_low"]
    once = of_once[["score", "score_high", *columns]].astype(float).to_numpy()
    for table in (every[1], of_some):
        assert table[["score", "score_high", *columns]].astype(float).to_numpy() == pytest.approx(once, nan_ok=True)
    assert (len(every[0].games), len(some.games)) == (72, 36)


@pytest.mark.slow
def test_the_standings_of_equal_players_show_no_difference():
    """Of eight tournaments of ten, one may; without allowing for the selection of the best, five would."""
    random = Random(5)
    excluding = 0
    for _ in range(8):
        played = {(f"player {p}", seed): (round(random.gauss(1000, 100)), 7) for p in range(10) for seed in range(9)}
        table = sl.standings(_results(played)).iloc[1:]
        assert table["difference_low"].notna().all()
        excluding += bool(((table["difference_low"] > 0) | (table["difference_high"] < 0)).any())
    assert excluding <= 1


@pytest.mark.parametrize(
    ("reached", "games", "low", "high"),
    [(0, 10, 0.0, 30.85), (9, 10, 55.50, 99.75), (10, 10, 69.15, 100.0), (81, 263, 25.27, 36.76)],
)
def test_intervals_of_rates_equal_published_ones_of_clopper_and_pearson(reached, games, low, high):
    """81 of 263 is an example of Newcombe (1998)."""
    assert [100 * end for end in rate_interval(reached, games)] == pytest.approx([low, high], abs=0.01)


def test_rates_have_intervals(ranked, make_game):
    """Nine of ten games reached 2048, none 4096."""
    _, table = ranked([make_game(seed=seed, tile=2048 if seed < 10 else 1024) for seed in range(1, 11)])
    rates = [name for name in table.columns if name.startswith("reached")]
    assert rates == [f"reached_{tile}{end}" for tile in (2048, 4096) for end in ("", "_low", "_high")]
    assert table.loc["greedy", rates].tolist() == pytest.approx([90, 55.50, 99.75, 0, 0, 30.85], abs=0.01)


@pytest.mark.parametrize(
    ("tiles", "shown"),
    [
        ([2048], [2048, 4096]),
        ([64, 65536], [2048, 4096, 8192, 16384, 32768, 65536, 131072]),
        ([256], [32, 64, 128, 256, 512]),
        ([2], [1, 2, 4]),
        ([15, 24], [24]),
        ([None], []),
    ],
)
def test_which_tiles_have_rates(ranked, make_game, tiles, shown):
    """From 2048 to what was reached, and one more; of weaker players what they reach; of other games as they are."""
    score = None if tiles == [None] else 100.0
    found, _ = ranked([make_game(seed=seed, score=score, tile=tile) for seed, tile in enumerate(tiles)])
    assert found.tiles == shown


def test_columns_and_types_do_not_depend_on_the_games(make_results, make_game):
    results = sl.load_results(make_results([make_game(), make_game("random", score=None, status="error")]))
    for part in (results, results.head(0)):
        table = sl.standings(part)
        types = {name: str(type_) for name, type_ in table.dtypes.items() if not name.startswith("reached")}
        assert types == dtypes(COLUMNS)
    assert sl.standings(results).loc[1, list(dtypes(COLUMNS))[3:]].isna().tolist() == [True] * 10 + [False] + [True] * 6


def test_the_columns_are_documented():
    """In docs/tournaments.md, in the same order, with the same types and descriptions."""
    assert f"\n\n{markdown(COLUMNS)}\n" in (Path(__file__).parents[2] / "docs" / "tournaments.md").read_text(
        encoding="utf-8"
    )
    assert all(column.doc for column in COLUMNS)


def test_players_are_paired_by_common_seeds(ranked, make_game):
    """Games without a score are in no pair."""
    records = [make_game("best", seed, 500.0 * seed) for seed in (1, 2, 3)]
    records += [make_game("some", 2, 400.0), make_game("some", 3, None, status="error"), make_game("some", 9, 1.0)]
    records += [make_game("other", 8, 100.0)]
    found, table = ranked(records)
    assert list(table.index) == ["best", "some", "other"]
    assert table["pairs"].fillna(-1).tolist() == [-1, 1, 0]
    assert table.loc["some", "difference"] == -600
    assert table.loc["some", ["difference_low", "difference_high"]].isna().all()
    assert table.loc["other", ["difference", "difference_low"]].isna().all()
    assert found.unknown == 1


def test_a_player_without_scores_is_the_last(ranked, make_game):
    _, table = ranked([make_game("a", 1, None, status="error"), make_game("z", 1, 10.0), make_game("b", 1, 0.0)])
    assert list(table.index) == ["z", "b", "a"]
    assert table.loc["a", "games"] == 1


def test_of_a_game_that_was_played_again_the_last_counts(ranked, make_game):
    """With other limits, for example; how many are left out is reported."""
    records = [make_game("a", 1, 100.0, limit=None), make_game("a", 1, 300.0), make_game("b", 1, 250.0)]
    found, table = ranked(records)
    assert found.replaced == 1
    assert table["score"].to_dict() == {"a": 300, "b": 250}
    assert table["games"].tolist() == [1, 1]


def test_the_order_in_which_games_were_done_does_not_matter(make_results, make_game):
    """Every figure is the same to the last digit, the ends of the intervals as well, also where games are repeated."""
    records = [
        make_game(player, seed % 30, 100.1 + seed**k / 7, repetition=1 + seed // 30)
        for k, player in ((2, "a"), (3, "b"))
        for seed in range(40)
    ]
    tables = [
        sl.standings(sl.load_results(make_results(part, f"{number}")))
        for number, part in enumerate((records, records[::-1], records[1::2] + records[::2]))
    ]
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_domains_are_ranked_by_themselves(make_results, make_game):
    """Each has its first."""
    results = sl.load_results(make_results([make_game(p, 1, s) for p, s in (("a", 1.0), ("b", 2.0))]))
    other = results.assign(domain="2048-random:n=3", score=results["score"] * [5, 1]).astype(results.dtypes)
    table = sl.standings(pd.concat([results, other], ignore_index=True))
    assert list(zip(table["domain"], table["player"], strict=True)) == [
        *(("2048-random", "b"), ("2048-random", "a"), ("2048-random:n=3", "a"), ("2048-random:n=3", "b")),
    ]
    assert table["pairs"].fillna(0).tolist() == [0, 1, 0, 1]


def test_searches_have_no_standings(make_results, make_record):
    """One line."""
    with pytest.raises(UsageError, match="searches have no standings"):
        sl.standings(sl.load_results(make_results([make_record()])))


@pytest.mark.slow
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("abc"), st.integers(0, 5)),
        st.tuples(st.integers(0, 10**6), st.integers(1, 16)),
        min_size=1,
        max_size=18,
    )
)
def test_standings_are_ordered_and_consistent(played):
    """Means fall from row to row, quantiles rise, intervals hold their means, and rates fall from tile to tile."""
    table = sl.standings(_results(played))
    assert sorted(table["player"]) == sorted({player for player, _ in played})
    assert table["games"].sum() == len(played)
    assert table["score"].is_monotonic_decreasing
    quantiles = table[["score_5", "score_25", "score_median", "score_75", "score_95", "score_best"]]
    assert quantiles.astype(float).diff(axis="columns").iloc[:, 1:].ge(-1e-6).all(axis=None)
    for _, row in table.iterrows():
        assert pd.isna(row["score_low"]) or row["score_low"] - 1e-6 <= row["score"] <= row["score_high"] + 1e-6
        tiles = [int(name[8:]) for name in table.columns if name.startswith("reached") and name[8:].isdigit()]
        rates = [row[f"reached_{tile}"] for tile in tiles]
        assert rates == sorted(rates, reverse=True)
        assert all(
            row[f"reached_{tile}_low"] - 1e-9 <= row[f"reached_{tile}"] <= row[f"reached_{tile}_high"] + 1e-9
            for tile in tiles
        )
    first = table.iloc[0]["player"]
    for _, row in table.iloc[1:].iterrows():
        seeds = [seed for player, seed in played if player == first and (row["player"], seed) in played]
        assert row["pairs"] == len(seeds)
        if seeds:
            differences = [played[row["player"], seed][0] - played[first, seed][0] for seed in seeds]
            assert row["difference"] == pytest.approx(sum(differences) / len(seeds))


def _results(played):
    """Make up a table of results of games by player and seed, each with a score and the power of its largest tile."""
    from searchlab.experiments.loading import column_types
    from searchlab.experiments.runs import GAMES

    types = column_types(GAMES)
    rows = [
        {
            **dict.fromkeys(types),
            **{"domain": "2048-random", "player": player, "seed": seed, "repetition": 1, "status": "dead"},
            **{"score": score, "largest_tile": 2**power, "moves": 9, "seconds": 0.5, "cpu_seconds": 0.5, "attempt": 1},
        }
        for (player, seed), (score, power) in played.items()
    ]
    table = pd.DataFrame(rows, columns=list(types))
    table["finished"] = pd.to_datetime(table["finished"], utc=True)
    return table.astype(types)
