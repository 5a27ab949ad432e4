"""The kinds of charts as data: marks, positions and notes."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

import searchlab as sl
from searchlab.experiments.aggregates import aggregate_games
from searchlab.experiments.statistics import mean_interval
from searchlab.reports import chart_kinds as kinds


def series(chart, name=None):
    """The only series of a chart, or the one of a name."""
    if name is None:
        (found,) = chart.series
        return found
    return next(each for each in chart.series if each.name == name)


def test_a_scatter_puts_unsolved_runs_on_the_rail(two_heuristics):
    chart = kinds.scatter(two_heuristics, "taxicab", "misplaced")
    points = series(chart)
    assert sorted(zip(points.x, points.y, strict=True), key=str) == [
        (10, 100),
        (100, 1000),
        (1000, None),
        (10000, None),
    ]
    assert chart.y.rail.label == "unsolved"
    assert chart.y.place(None) > chart.y.place(10_000)
    assert chart.notes[1] == "on the marked borders, unsolved: taxicab 0, misplaced 2, both 0"
    assert "b3: 1,000 and time-limit" in points.titles


def test_a_scatter_has_equal_axes(two_heuristics):
    chart = kinds.scatter(two_heuristics, "taxicab", "misplaced")
    assert chart.square
    assert (chart.x.low, chart.x.high, chart.x.scale) == (chart.y.low, chart.y.high, "log")
    diagonal = chart.rules[0]
    assert diagonal.strong
    assert diagonal.x == diagonal.y
    assert {rule.label for rule in chart.rules[1:]} == {"10 ×", "100 ×"}
    for rule in chart.rules[1:]:
        ratios = {round(y / x, 6) for x, y in zip(rule.x, rule.y, strict=True)}
        assert ratios <= {0.01, 0.1, 10, 100}
        assert len(ratios) == 1


def test_a_scatter_of_two_configurations_needs_no_names(two_heuristics):
    assert kinds.scatter(two_heuristics) == kinds.scatter(two_heuristics, "misplaced", "taxicab")


def test_a_scatter_has_a_series_for_each_other_difference(searches):
    rows = [{"heuristic": h, "frontier": f} for h in ("taxicab", "misplaced") for f in ("astar", "greedy")]
    chart = kinds.scatter(searches(*rows), "taxicab", "misplaced")
    assert [each.name for each in chart.series] == ["astar", "greedy"]
    assert chart.legend == "frontier"


def test_a_scatter_of_columns_has_a_point_a_run(two_heuristics):
    chart = kinds.scatter(two_heuristics, "seconds", "expanded")
    assert {each.name: len(each.x) for each in chart.series} == {"misplaced": 4, "taxicab": 4}
    assert series(chart, "misplaced").y.count(None) == 2


def test_runs_are_paired_by_repetition(searches):
    rows = [{"heuristic": h, "repetition": n} for h in ("taxicab", "misplaced") for n in (1, 2)]
    assert len(series(kinds.scatter(searches(*rows))).x) == 2


def test_games_pair_by_their_seeds(games):
    table = games(*({"player": p, "seed": s, "score": 10.0 * s} for p in ("greedy", "random") for s in (1, 2, 3)))
    points = series(kinds.scatter(table, "greedy", "random"))
    assert points.x == points.y == (10, 20, 30)


def test_a_proof_of_unsolvability_has_effort_but_no_cost(searches):
    table = searches({"heuristic": "taxicab", "status": "unsolvable", "cost": None}, {"heuristic": "misplaced"})
    assert series(kinds.scatter(table, "taxicab", "misplaced")).x == (100,)
    assert series(kinds.scatter(table, "taxicab", "misplaced", metric="cost")).x == (None,)


def test_a_proof_of_unsolvability_does_not_count_as_solved(searches):
    """As in the table of groups."""
    rows = [
        {"heuristic": h, "board": board, "status": status, "expanded": effort}
        for h in ("taxicab", "misplaced")
        for board, status, effort in (("a", "solved", 10), ("b", "unsolvable", 1000))
    ]
    table = searches(*rows)
    assert [each.name for each in kinds.cactus(table).series] == ["misplaced (1)", "taxicab (1)"]
    assert [max(each.y) for each in kinds.profile(table).series] == [50, 50]
    bars = kinds.bars(table)
    assert (series(bars).x, bars.notes[0]) == (
        (10, 10),
        "geometric means over the only case that both configurations solved",
    )


def test_zero_is_labelled_0_on_a_logarithmic_axis(searches):
    """It is drawn at the place of 1."""
    rows = [
        {"heuristic": h, "board": board, "reopened": reopened}
        for h, figures in {"taxicab": (0, 0), "misplaced": (0, 1000)}.items()
        for board, reopened in zip("ab", figures, strict=True)
    ]
    scatter = series(kinds.scatter(searches(*rows), "taxicab", "misplaced", metric="reopened"))
    assert sorted(zip(scatter.x, scatter.y, strict=True)) == [(1, 1), (1, 1000)]
    assert [title.partition(": ")[2] for title in scatter.titles] == ["0 and 0", "0 and 1,000"]
    bars = series(kinds.bars(searches(*rows), metric="reopened"))
    assert bars.labels == ("31.6", "0")


def test_one_kind_of_mean_is_used_for_all_bars(searches):
    """The arithmetic one if some values have no geometric mean."""
    figures = {"taxicab": (0.0, 100.0), "misplaced": (5.0, 10.0)}
    rows = [
        {"heuristic": h, "board": board, "effort": effort}
        for h, values in figures.items()
        for board, effort in zip("ab", values, strict=True)
    ]
    table = searches(*rows)
    table.attrs["metrics"] = {"effort": {"scale": "log", "aggregate": "geometric mean"}}
    bars = kinds.bars(table, metric="effort")
    assert (series(bars).x, bars.notes[0]) == ((7.5, 50.0), "means over the 2 cases that both configurations solved")
    assert bars.x.label == "effort (mean)"


def test_an_ambiguous_configuration_is_refused(searches):
    rows = [{"heuristic": h, "frontier": f} for h in ("taxicab", "misplaced") for f in ("astar", "greedy")]
    assert mistake("scatter", searches(*rows), "taxicab", "misplaced/astar") == (
        "'taxicab' stands for several runs on b1 (frontier astar, greedy); say which, with column=value,… or --where"
    )


def test_runs_of_different_code_are_not_paired(searches):
    """As for `compare`: the code before and after an edit of a heuristic is two configurations under one name."""
    rows = [{"heuristic": h, "plugins": f"mine={code}"} for h in ("taxicab", "misplaced") for code in ("1a", "2b")]
    assert mistake("scatter", searches(*rows), "taxicab", "misplaced").startswith(
        "'taxicab' stands for several runs on b1 (other code of the plugins); say which"
    )


def test_a_cactus_counts_runs_solved_within_a_limit(two_heuristics):
    chart = kinds.cactus(two_heuristics, metric="expanded")
    assert [each.name for each in chart.series] == ["misplaced (2)", "taxicab (4)"]
    steps = series(chart, "taxicab (4)")
    assert steps.x == (10, 10, 100, 1000, 10_000, chart.x.high)
    assert steps.y == (0, 1, 2, 3, 4, 4)
    assert chart.rules[0].y == (4, 4)


def test_a_cactus_notes_unequal_numbers_of_runs(searches):
    table = searches({"heuristic": "taxicab"}, {"heuristic": "misplaced"}, {"heuristic": "misplaced", "board": "x"})
    assert kinds.cactus(table).notes[1].endswith("misplaced 2, taxicab 1")


def test_an_anytime_profile_is_the_mean_quality_of_all_runs():
    """Two boards: one whose cost falls from 8 to 4, and one that stays unsolved until a cost of 5 at 40 expansions."""
    rows = [
        {"board": "a", "status": "solved", "cost": 4.0, "solutions": "[[0.1,10,8.0],[0.2,20,4.0]]"},
        {"board": "b", "status": "solved", "cost": 5.0, "solutions": "[[0.4,40,5.0]]"},
    ]
    table = pd.DataFrame([{"domain": "d", "board_name": "", "heuristic": "h", "expanded": 100, **row} for row in rows])
    chart = kinds.anytime(table)
    (steps,) = chart.series
    assert steps.x == (chart.x.low, 10, 20, 40, chart.x.high)
    assert steps.y == (0, 25, 50, 100, 100)
    assert steps.titles[0].endswith("2 of 2 solved, 100 % in the end")


def test_an_anytime_profile_has_the_interval_of_its_mean_over_boards():
    """Ten boards with costs from 10 to 19, the best of two configurations being 10 everywhere; two runs a board."""
    rows = [
        {"board": str(board), "heuristic": heuristic, "solutions": f"[[0.1,{5 + board},{cost}]]", "cost": float(cost)}
        for board in range(10)
        for heuristic, cost in (("best", 10), ("worse", 10 + board), ("worse", 10 + board))
    ]
    table = pd.DataFrame([{"domain": "d", "board_name": "", "status": "solved", "expanded": 50, **row} for row in rows])
    best, worse = kinds.anytime(table).series
    qualities = 100 * 10 / np.arange(10.0, 20.0)
    for end, expected in zip((worse.lows[-1], worse.highs[-1]), mean_interval(qualities, 8), strict=True):
        assert end == pytest.approx(expected)
    assert worse.y[-1] == pytest.approx(qualities.mean())
    assert (best.lows[-1], best.highs[-1]) == pytest.approx((100, 100))
    assert kinds.anytime(table[table["board"] < "7"]).series[0].lows == ()


def test_an_anytime_profile_counts_unsolved_runs_and_those_of_earlier_versions(two_heuristics):
    """Without the times of solutions, the end of a run counts as the time of its one."""
    chart = kinds.anytime(two_heuristics)
    assert [(each.name, each.y[-1]) for each in chart.series] == [("misplaced (2)", 50), ("taxicab (4)", 100)]
    with pytest.raises(sl.UsageError, match="anytime has the metrics expanded and seconds"):
        kinds.anytime(two_heuristics, metric="stored")


def test_a_profile_is_that_of_dolan_and_moré(two_heuristics):
    chart = kinds.profile(two_heuristics)
    best, other = series(chart, "taxicab"), series(chart, "misplaced")
    assert (best.x, best.y) == ((1.0, chart.x.high), (100, 100))
    assert other.x == pytest.approx((1.0, 10.0, chart.x.high))
    assert other.y == (0, 50, 50)


def test_in_a_profile_of_games_more_is_better(games):
    table = games({"player": "greedy", "score": 1000.0}, {"player": "random", "score": 250.0})
    assert series(kinds.profile(table), "random").x == pytest.approx((1.0, 4.0, kinds.profile(table).x.high))


def test_unsolved_cases_count_in_a_profile(searches):
    unsolved = {"board": "x", "status": "time-limit"}
    table = searches(
        *({"heuristic": h, **each} for h in ("taxicab", "misplaced") for each in ({}, unsolved)),
    )
    chart = kinds.profile(table)
    assert all(max(each.y) == 50 for each in chart.series)
    assert chart.notes[1] == "1 of the cases no configuration solved"


def test_unreadable_boards_are_separate_cases(searches):
    """They are identified by their names."""
    rows = [
        {"heuristic": h, "board_name": board, "board": pd.NA, "status": "error"}
        for h in ("taxicab", "misplaced")
        for board in ("bad1", "bad2", "bad3")
    ]
    table = searches(*rows, {"heuristic": "taxicab"}, {"heuristic": "misplaced"})
    profile = kinds.profile(table)
    assert profile.notes[1] == "3 of the cases no configuration solved"
    assert all(max(each.y) == 25 for each in profile.series)
    assert len(series(kinds.scatter(table, "taxicab", "misplaced")).x) == 4


def test_configurations_with_and_without_a_seed_are_compared_by_board(searches):
    """The means of several seeds count."""
    rows = [{"heuristic": "noisy", "seed": seed, "expanded": 10**seed} for seed in (1, 3)]
    bars = kinds.bars(searches(*rows, {"heuristic": "taxicab"}))
    assert (series(bars).x, bars.notes[0]) == (
        (100, 100),
        "geometric means over the only case that both configurations solved",
    )
    assert series(kinds.scatter(searches(rows[0], {"heuristic": "taxicab"}), "noisy", "taxicab")).x == (10,)


def test_coverage_is_a_bar_of_statuses_for_each_configuration(two_heuristics):
    chart = kinds.coverage(two_heuristics)
    assert [tick.label for tick in chart.y.ticks] == ["misplaced", "taxicab"]
    solved, stopped = series(chart, "solved"), series(chart, "time-limit")
    assert (solved.starts, solved.x) == ((0, 0), (2, 4))
    assert (stopped.starts, stopped.x, stopped.y) == ((2,), (4,), (0,))
    assert stopped.titles == ("misplaced: 2 of 4 time-limit",)


def test_bars_are_means_over_commonly_solved_cases(two_heuristics):
    chart = kinds.bars(two_heuristics)
    assert series(chart).x == pytest.approx((316.2278, 31.62278))
    assert series(chart).labels == ("316", "31.6")
    assert chart.notes == ("geometric means over the 2 cases that both configurations solved",)


def test_bars_omit_and_name_configurations_that_solved_nothing(two_heuristics):
    table = two_heuristics[~((two_heuristics["heuristic"] == "misplaced") & (two_heuristics["status"] == "solved"))]
    chart = kinds.bars(table)
    assert [tick.label for tick in chart.y.ticks] == ["taxicab"]
    assert chart.notes == (
        "geometric means over the 4 cases that were solved",
        "omitted because they solved nothing: misplaced",
    )


def test_bars_without_common_cases_are_noted_as_not_comparable(searches):
    table = searches(
        {"heuristic": "taxicab"},
        {"heuristic": "misplaced", "board": "x"},
        {"heuristic": "taxicab", "board": "x", "status": "error"},
        {"heuristic": "misplaced", "status": "error"},
    )
    assert "not a fair comparison (misplaced 1, taxicab 1)" in kinds.bars(table).notes[0]


def test_bars_begin_at_zero_and_very_different_values_are_points(searches):
    near = kinds.bars(searches({"heuristic": "taxicab"}, {"heuristic": "misplaced", "expanded": 200}))
    far = kinds.bars(searches({"heuristic": "taxicab"}, {"heuristic": "misplaced", "expanded": 20_000}))
    assert (series(near).mark, near.x.low, series(near).starts) == ("bars", 0, (0, 0))
    assert (series(far).mark, far.x.scale) == ("points", "log")


def test_bars_of_negative_means_begin_at_zero(games):
    chart = kinds.bars(games({"player": "a", "score": -50.0}, {"player": "b", "score": 20.0}))
    assert chart.x.low < -50 < 0 < 20 < chart.x.high
    assert series(chart).starts == (0, 0)


def test_bars_of_games_have_intervals(games):
    table = games(*({"seed": s, "score": 100.0 * s} for s in range(1, 11)))
    bar = series(kinds.bars(table))
    assert bar.x == (550,)
    assert bar.lows[0] == pytest.approx(333.4, abs=0.1)
    assert bar.highs[0] == pytest.approx(766.6, abs=0.1)


def test_a_heat_map_shows_every_board_and_frames_the_best(two_heuristics):
    chart = kinds.heatmap(two_heuristics)
    assert [tick.label for tick in chart.y.ticks] == ["b1", "b2", "b3", "b4"]
    cells = {(cell.x, cell.y): cell for cell in chart.cells}
    assert len(cells) == 8
    assert cells[0, 2].shade is None
    assert cells[0, 2].text == "time limit"
    assert [place for place, cell in cells.items() if cell.best] == [(1, 0), (1, 1)]
    assert (cells[1, 0].shade, cells[1, 3].shade) == (0, 1)
    assert (chart.colours.low, chart.colours.high, chart.colours.missing) == ("10", "10 k", "unsolved")


def test_boards_of_a_heat_map_are_in_their_natural_order(searches):
    table = searches(*({"board_name": f"board{n}", "board": str(n)} for n in (10, 9, 2)))
    assert [tick.label for tick in kinds.heatmap(table).y.ticks] == ["board2", "board9", "board10"]


@pytest.fixture
def weights(searches):
    """Two boards searched with three weights, of which the default is not spelled."""
    rows = []
    for weight, name in ((1.5, "weighted-astar:weight=1.5"), (2, "weighted-astar"), (3, "weighted-astar:weight=3")):
        rows += [{"frontier": name, "board": f"{n}", "expanded": int(100 * n / weight)} for n in (3, 12)]
    return searches(*rows)


def test_scaling_is_over_the_parameter_that_varies_and_knows_its_default(weights):
    chart = kinds.scaling(weights)
    line = series(chart)
    assert chart.x.label == "weight"
    assert [tick.label for tick in chart.x.ticks] == ["1.5", "2", "3"]
    assert line.x == (1.5, 2, 3)
    assert line.y == pytest.approx((400, 300, 200))
    assert chart.notes == ("geometric means over 2 cases solved at every point",)


def test_a_point_of_scaling_without_solutions_is_on_the_rail(weights):
    weights.loc[weights["frontier"] == "weighted-astar", "status"] = "time-limit"
    chart = kinds.scaling(weights)
    assert series(chart).y[1] is None
    assert "at 1 point not all was solved" in chart.notes


def test_scaling_over_a_column_has_a_point_for_each_value(searches):
    table = searches(
        *({"heuristic": h, "board": str(c), "optimal_cost": c, "expanded": n * int(c)} for h, n in
          (("taxicab", 1), ("misplaced", 9)) for c in (20.0, 30.0, 40.0))
    )  # fmt: skip
    chart = kinds.scaling(table, "optimal_cost")
    assert series(chart, "taxicab").y == pytest.approx((20, 30, 40))
    assert series(chart, "misplaced").y == pytest.approx((180, 270, 360))


def test_learning_is_the_curve_that_train_writes():
    table = pd.DataFrame({"games": [1000, 2000], "mean_score": [10.0, 20.0], "reached_2048": [0.1, 0.5]})
    chart = kinds.learning(table)
    assert (series(chart).x, series(chart).y) == ((1000, 2000), (10, 20))
    share = kinds.learning(table, metric="reached_2048")
    assert (series(share).y, share.y.label) == ((10, 50), "% of games with tile 2048")


def test_several_courses_of_learning_are_separate_series():
    table = pd.DataFrame({"games": [1, 2], "mean_score": [1, 2], "course": ["a", "b"]})
    assert [each.name for each in kinds.learning(table).series] == ["a", "b"]


def test_repetitions_of_a_game_are_one_sample_in_bars(games):
    """Their intervals are those of the table of groups, however often each game is played."""
    rows = [
        {"player": p, "seed": seed, "score": 10.0 * seed + (p == "greedy"), "repetition": n}
        for p in ("greedy", "random")
        for seed in range(1, 10)
        for n in range(1, 9)
    ]
    bars = series(kinds.bars(games(*rows)))
    once = series(kinds.bars(games(*(row for row in rows if row["repetition"] == 1))))
    assert (bars.x, bars.lows, bars.highs) == (once.x, once.lows, once.highs)
    groups = aggregate_games(games(*rows), ["player"]).table
    assert bars.lows == pytest.approx(tuple(groups["score_low"]))


def test_scores_are_boxes_and_the_games_themselves(games):
    table = games(*({"seed": s, "score": float(s)} for s in range(1, 102)))
    chart = kinds.scores(table)
    (box,) = chart.boxes
    assert box.quantiles == (6, 26, 51, 76, 96)
    assert len(series(chart).x) == 101
    assert [tick.label for tick in chart.y.ticks] == ["greedy (101)"]


def test_many_games_are_drawn_as_boxes_only(games):
    assert kinds.scores(games(*({"seed": s, "score": float(s)} for s in range(1000)))).series == ()


def test_games_without_a_score_are_counted(games):
    table = games({"score": 1.0}, {"seed": 2, "score": None, "status": "error"})
    assert kinds.scores(table).notes[-1] == "1 game without a score left out"


def test_tiles_reached_are_shares_of_games_with_their_intervals(games):
    """As `results --group-by player` has them; every game has the smallest tile."""
    table = games(*({"player": p, "seed": s, "largest_tile": 256 << (s % 3)} for p in "ab" for s in range(9)))
    chart = kinds.reached(table)
    assert [tick.label for tick in chart.x.ticks] == ["256", "512", "1,024"]
    assert [line.name for line in chart.series] == ["a (9)", "b (9)"]
    expected = aggregate_games(table, ["player"]).table.iloc[0]
    for place, tile in ((1, 512), (2, 1024)):
        line = chart.series[0]
        found = line.y[place], line.lows[place], line.highs[place]
        assert found == tuple(expected[f"reached_{tile}{end}"] for end in ("", "_low", "_high"))
    assert chart.series[0].y[0] == 100.0
    assert mistake("reached", table.assign(largest_tile=pd.NA)) == ("no game has a largest tile")


def test_every_chart_is_plain_data(two_heuristics, games, weights):
    """No infinite value, no NaN: JSON holds it."""
    played = games(*({"player": p, "seed": s, "score": 1.0 + s} for p in "ab" for s in range(9)))
    charts = [kinds.CHART_KINDS[kind](two_heuristics) for kind in ("scatter", "cactus", "profile", "coverage", "bars")]
    charts += [kinds.heatmap(two_heuristics), kinds.scaling(weights), kinds.scores(played), kinds.bars(played)]
    charts += [kinds.reached(played)]
    for chart in charts:
        json.dumps(asdict(chart), allow_nan=False)


@pytest.mark.slow
def test_the_order_in_which_runs_were_done_does_not_matter(two_heuristics, games, weights):
    played = games(*({"player": p, "seed": s, "score": 1.0 + s % 3} for p in "ab" for s in range(20)))
    tables = dict.fromkeys(("scatter", "cactus", "profile", "coverage", "bars", "heatmap"), two_heuristics)
    for kind, table in {**tables, "scaling": weights, "scores": played, "reached": played}.items():
        shuffled = table.sample(frac=1, random_state=1)
        assert kinds.CHART_KINDS[kind](shuffled) == kinds.CHART_KINDS[kind](table), kind


def test_tables_of_results_are_drawn(example8):
    """They have no names of boards."""
    results = [
        sl.solve(example8, domain="sliding-tile", heuristic=name, engine="readable")
        for name in ("taxicab", "misplaced")
    ]
    table = sl.table(results)
    assert series(kinds.bars(table)).labels == tuple(f"{result.expanded}" for result in reversed(results))
    assert [tick.label for tick in kinds.heatmap(table).y.ticks] == ["1 2 3 / 0 4 6 / 7 5 8"]


def mistake(kind, *arguments, **options):
    with pytest.raises(sl.UsageError) as raised:
        kinds.CHART_KINDS[kind](*arguments, **options)
    return str(raised.value)


def test_invalid_arguments_are_refused_with_advice(two_heuristics, games, searches):
    assert "did you mean 'expanded'" in mistake("bars", two_heuristics, metric="expandd")
    assert "limit_seconds identifies runs" in mistake("scatter", two_heuristics, metric="limit_seconds")
    assert "status is not a number" in mistake("bars", two_heuristics, metric="status")
    assert "did you mean 'taxicab'" in mistake("scatter", two_heuristics, "taxicap", "misplaced")
    assert "'taxicab' needs a counterpart" in mistake("scatter", two_heuristics, "taxicab")
    assert "cactus is for searches" in mistake("cactus", games({}))
    assert "reached is for games" in mistake("reached", searches({}))
    assert "there is only one" in mistake("profile", searches({}))
    assert "choose an x among" in mistake("scaling", two_heuristics)
    assert "neither a parameter nor a column" in mistake("scaling", two_heuristics, "wieght")
    assert "there are no runs" in mistake("bars", two_heuristics[:0])
    assert "no run was solved" in mistake("bars", searches({"status": "error"}))
    assert "this is not a table of runs" in mistake("bars", pd.DataFrame({"expanded": [1]}))
    assert "choose what is compared" in mistake(
        "scatter", searches({"heuristic": "a"}, {"heuristic": "b"}, {"heuristic": "c"})
    )


def test_long_names_omit_their_common_parts(searches):
    """They are never cut where they differ, and a note says what they lack."""
    rest = ",tie_breaking=lowest_heuristic_first,reopening=always_if_cheaper"
    table = searches(*({"heuristic": "taxicab", "frontier": f"weighted-astar:weight={w}{rest}"} for w in (1.5, 2, 3)))
    short, note = (
        ["weight=1.5", "weight=2", "weight=3"],
        f"names lack what all of them have in common: weighted-astar:…{rest}",
    )
    cactus, coverage = kinds.cactus(table), kinds.coverage(table)
    assert [each.name.partition(" ")[0] for each in cactus.series] == short
    assert [tick.label for tick in coverage.y.ticks] == short
    assert (cactus.notes[-1], coverage.notes[-1]) == (note, note)
    assert f"weighted-astar:weight=1.5{rest}" in cactus.series[0].titles[0]
    scatter = kinds.scatter(table, *(f"weighted-astar:weight={w}{rest}" for w in (1.5, 2)))
    assert scatter.title == "nodes expanded: weight=1.5 and weight=2"
    assert scatter.x.label == "nodes expanded, weight=1.5"
    assert note in scatter.notes


def test_long_names_with_many_differences_are_numbered(searches):
    """No two of them are shown alike."""
    names = [f"of={'a' * k}{'x' * 90}{'b' * (40 - k)},d={'c' * 70}" for k in (10, 20, 30)]
    chart = kinds.bars(searches(*({"heuristic": name} for name in names)))
    shown = [tick.label for tick in chart.y.ticks]
    assert len(set(shown)) == 3
    assert all(len(name) < 75 for name in shown)
