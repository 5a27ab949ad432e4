"""Spreads over seeds and repetitions in tables of boards, groups and games."""

import statistics

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.experiments.aggregates import aggregate
from searchlab.experiments.pivot import pivot
from searchlab.experiments.quantities import QUANTITIES
from searchlab.experiments.spread import have_spreads, spreads

SEEDS = (1, 2, 3)


def runs(*rows, **further):
    """Return runs of one frontier: board, seed, repetition, expanded; further cells are the same in all rows."""
    cells = [
        {
            **{
                "board": board,
                "board_name": board,
                "domain": "d",
                "heuristic": "h",
                "frontier": "f",
                "status": "solved",
            },
            **{"seed": seed, "repetition": repetition, "expanded": expanded, "seconds": expanded / 1000.0},
            **{"cost": 3.0, "optimal_cost": None, "limit_seconds": 9.0, "limit_memory": None, "limit_expansions": 999},
            **{"plugins": None, "engine": "compiled", "batch": 1},
            **further,
        }
        for board, seed, repetition, expanded in rows
    ]
    return pd.DataFrame(cells).astype({"seed": "Int64"})


def spread_of(results, name="expanded"):
    found = spreads(results, pd.Series(0, index=results.index), results[name], QUANTITIES[name])
    return found.get(0)


@given(
    boards=st.integers(1, 4), seeds=st.integers(2, 5), values=st.lists(st.integers(1, 10**6), min_size=20, max_size=20)
)
def test_a_spread_is_the_deviation_of_the_means_of_the_seeds(boards, seeds, values):
    table = runs(
        *((f"b{board}", seed, 1, values[4 * seed - 4 + board]) for board in range(boards) for seed in range(1, seeds))
    )
    table = pd.concat([table, runs(*((f"b{board}", seeds, 1, 7) for board in range(boards)))], ignore_index=True)
    means = [statistics.geometric_mean(found["expanded"]) for _, found in table.groupby("seed")]
    assert spread_of(table) == pytest.approx(statistics.stdev(means), rel=1e-6, abs=1e-6)


def test_repetitions_count_where_there_is_one_seed_and_are_averaged_elsewhere():
    alone = runs(("a", None, 1, 10), ("a", None, 2, 20), ("b", None, 1, 10), ("b", None, 2, 20))
    assert spread_of(alone) == pytest.approx(statistics.stdev([10, 20]))
    again = runs(*(("a", seed, repetition, 10 * seed) for seed in SEEDS for repetition in (1, 2)))
    assert spread_of(again) == pytest.approx(10)


def test_seeds_that_lack_a_board_are_left_out():
    table = runs(*((board, seed, 1, 10 * seed) for board in "ab" for seed in SEEDS), ("a", 4, 1, 9999))
    assert spread_of(table) == pytest.approx(10)
    own = runs(*((f"b{seed}", seed, 1, seed) for seed in SEEDS))  # each board has a seed of its own
    assert spread_of(own) is None


def test_runs_of_one_seed_have_no_spreads():
    table = runs(("a", 1, 1, 10), ("b", 1, 1, 20))
    assert not have_spreads(table)
    assert "±" not in str(pivot(table, ["frontier"]).shown().lines(80))
    found = aggregate(table, ["frontier"])
    assert "expanded_spread" not in found.shown_columns()
    assert found.table["expanded_spread"].isna().all()


@pytest.fixture
def table():
    """Two frontiers, one of which takes no seed, on two boards."""
    seeded = runs(*((board, seed, 1, 10 * seed) for board in "ab" for seed in SEEDS))
    return pd.concat([seeded, runs(("a", None, 1, 5), ("b", None, 1, 5), frontier="plain")], ignore_index=True)


def test_a_table_of_boards_shows_the_spread_behind_each_figure(table):
    made = pivot(table, ["frontier"])
    cell = f"{statistics.geometric_mean([10, 20, 30]):.1f} ± 10"
    assert made.cells() == [[cell, "5"]] * 2
    assert made.summary()[-1] == ("geometric mean", [cell, "5.00"])
    assert list(made.frame().columns) == ["board_name", "f", "f spread", "plain"]
    assert made.frame()["f spread"].tolist() == [10.0, 10.0]
    assert "±: the standard deviation of the figure over seeds, or repetitions where there is one seed" in made.notes()
    assert made.head(1).cells() == [[cell, "5"]]
    assert f"{cell} " in "\n".join(made.shown().in_parts(80))


def test_groups_have_columns_of_spreads(table):
    found = aggregate(table, ["frontier"])
    assert found.table["expanded_spread"].tolist() == [10.0, pd.NA]
    assert found.table["seconds_spread"][0] == pytest.approx(0.01)
    assert {"expanded_spread", "seconds_spread"} <= {*found.shown_columns()}
    assert any(note.startswith("…_spread: standard deviation of the mean over seeds") for note in found.notes())


def test_scores_of_games_spread_over_seeds():
    cells = [
        {
            **{"board": None, "board_name": None, "domain": "2048", "player": player, "status": "dead", "seed": seed},
            **{"repetition": 1, "score": float(10 * seed), "largest_tile": 8, "moves": 5, "seconds": 1.0},
            **{"limit_seconds": None, "limit_memory": None, "limit_moves": None, "plugins": None},
        }
        for player in ("p", "q")
        for seed in SEEDS
    ]
    games = pd.DataFrame(cells)
    found = aggregate(games, ["player"])
    assert found.table["score_spread"].tolist() == [10.0, 10.0]
    assert "score_spread" in found.shown_columns()
    assert np.isclose(spread_of(games[games["player"] == "p"], "score"), 10)


def test_standings_show_the_spread_of_scores_over_seeds(make_game, make_results, capsys):
    from searchlab.cli.program import main

    folder = make_results([make_game(seed=seed, score=100.0 * seed) for seed in SEEDS])
    ranked = sl.standings(folder)
    assert ranked["score_spread"].tolist() == [100.0]
    assert "spread: the standard deviation of the score over seeds" in ranked.notes
    assert main(["results", "standings", str(folder)]) == 0
    head, row, *_ = capsys.readouterr().out.splitlines()
    assert (head.split()[-1], row.split()[-1]) == ("spread", "100")
