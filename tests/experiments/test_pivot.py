"""Pivots: boards as rows, configurations as columns, the best of each row marked."""

import random

import pandas as pd
import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments.pivot import pivot
from searchlab.experiments.quantities import mean_of, values_of
from tests.exports import text_of


@pytest.fixture
def runs(make_record, make_results):
    """Two heuristics and two frontiers on three boards, of which one is too hard for misplaced."""
    expanded = {"taxicab": (10, 20, 70), "misplaced": (100, 200, 9)}
    records = []
    for heuristic, figures in expanded.items():
        for frontier, factor in (("astar", 1), ("weighted-astar:weight=3", 2)):
            for board, figure in enumerate(figures, 1):
                fails = heuristic == "misplaced" and board == 3
                more = {"status": "time-limit"} if fails else {}
                records.append(make_record(board, heuristic, frontier, expanded=figure * factor, **more))
    return sl.load_results(make_results(records))


def test_a_cell_is_the_figure_or_the_status_of_a_run(runs):
    """Runs that ended at a limit have no figure."""
    made = pivot(runs, ["heuristic", "frontier"])
    assert made.headings == [
        "misplaced/astar",
        "misplaced/weighted-astar:weight=3",
        "taxicab/astar",
        "taxicab/weighted-astar:weight=3",
    ]
    assert made.cells() == [
        ["100", "200", "10", "20"],
        ["200", "400", "20", "40"],
        ["time-limit", "time-limit", "70", "140"],
    ]
    assert made.table.index.tolist() == ["boards/1.txt", "boards/2.txt", "boards/3.txt"]
    assert made.table.dtypes.astype(str).unique().tolist() == ["Int64"]
    assert made.best.to_numpy().tolist() == [[False, False, True, False]] * 3


def test_means_cover_rows_with_figures_of_all_configurations(runs):
    made = pivot(runs, ["heuristic", "frontier"])
    assert made.common == 2
    assert made.means.tolist() == pytest.approx([200**0.5 * 10, 800**0.5 * 10, 200**0.5, 800**0.5])
    assert made.summary()[0] == ("solved, of 3", ["2", "2", "3", "3"])
    assert "geometric mean: over the 2 rows that all 4 solved" in made.notes()


def test_a_configuration_without_figures_is_left_out_of_the_means(runs):
    """A note says so."""
    runs["status"] = runs["status"].mask(runs["heuristic"] == "misplaced", "time-limit")
    made = pivot(runs, ["heuristic", "frontier"])
    assert (made.common, made.means.isna().tolist()) == (3, [True, True, False, False])
    assert made.notes()[1:] == [
        "geometric mean: over the 3 rows that both others solved",
        "solved nothing, not in the means: misplaced/astar, misplaced/weighted-astar:weight=3",
    ]


def test_a_cell_with_several_runs_has_their_mean_if_all_have_figures(runs):
    """Otherwise it has the number of those that have."""
    made = pivot(runs, ["heuristic"])
    assert made.table["taxicab"].tolist() == pytest.approx([200**0.5, 800**0.5, 9800**0.5])
    assert made.cells()[2][0] == "time-limit"
    assert (
        "each cell is the geometric mean of up to 2 runs (they differ in frontier); 1 of 2: only one run has a figure"
        in made.notes()
    )
    runs.loc[runs["board_name"].eq("boards/3.txt") & runs["frontier"].eq("astar"), "status"] = "solved"
    assert pivot(runs, ["heuristic"]).cells()[2][0] == "1 of 2"


def test_a_figure_of_zero_is_zero(make_record, make_results):
    """It counts as 1 in a geometric mean only; one of equal values is that value."""
    figures = {"taxicab": (0, 0), "misplaced": (0, 4)}
    records = [
        make_record(board, heuristic, repetition=n, reopened=figures[heuristic][(board + n) % 2 if board > 1 else 0])
        for board in (1, 2)
        for heuristic in figures
        for n in (1, 2)
    ]
    made = pivot(sl.load_results(make_results(records)), ["heuristic"], "reopened")
    assert made.table.to_numpy().tolist() == [[0, 0], [2, 0]]
    assert made.summary() == [("geometric mean", ["1.41 ± 1.41", "0.00 ± 0.00"])]


def test_one_kind_of_mean_is_used_for_all_configurations(make_record, make_results):
    """The arithmetic one if some figures have no geometric mean."""
    figures = {"taxicab": (0.0, 100.0), "misplaced": (5.0, 10.0)}
    records = [
        make_record(board, heuristic, metrics={"effort": figures[heuristic][board - 1]})
        for board in (1, 2)
        for heuristic in figures
    ]
    results = sl.load_results(make_results(records))
    results.attrs["metrics"] = {"effort": {"scale": "log", "aggregate": "geometric mean"}}
    made = pivot(results, ["heuristic"], "effort")
    assert made.summary() == [("mean", ["7.50", "50.0"])]
    assert "mean: over the 2 rows in which both have a figure" in made.notes()


def test_code_that_differs_within_a_cell_is_named(make_record, make_results):
    """Different code of different configurations is none."""
    records = [make_record(1, h, plugins={h: "1a"}) for h in ("taxicab", "misplaced")]
    made = pivot(sl.load_results(make_results(records)), ["heuristic"])
    assert made.summed == ()
    records.append(make_record(1, "taxicab", plugins={"taxicab": "2b"}))
    made = pivot(sl.load_results(make_results(records, "edited")), ["heuristic"])
    assert "each cell is the geometric mean of up to 2 runs (they differ in plugins)" in made.notes()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_figures_of_many_cells_equal_those_of_single_cells(runs, seed):
    """Computing all cells at once gives the values of computing each alone."""
    chance = random.Random(seed)
    many = pd.concat([runs] * 8, ignore_index=True)
    many["seed"] = pd.array([chance.choice([None, 1, 2, 10]) for _ in many.index], dtype="Int64")
    many["cost"] = pd.array([chance.choice([None, 0.0, chance.random(), 1e6]) for _ in many.index], dtype="Float64")
    many["status"] = pd.array([chance.choice(["solved"] * 9 + ["time-limit"]) for _ in many.index], dtype="string")
    many = many.sample(frac=1, random_state=seed)
    for values in ("expanded", "cost"):
        made = pivot(many, ["heuristic", "frontier"], values, ["board_name", "seed"])
        for (board, number), row in made.table.iterrows():
            for key, figure in row.items():
                of_seed = many["seed"].isna() if pd.isna(number) else many["seed"].eq(number).fillna(False)
                cell = many[of_seed & many["board_name"].eq(board)]
                cell = cell[cell["heuristic"].eq(key[0]) & cell["frontier"].eq(key[1])]
                known = [value for value in values_of(cell, made.what) if value is not None]
                if known and len(known) == len(cell):
                    assert figure == mean_of(known, made.what)
                else:
                    assert pd.isna(figure)
                    ending = made.endings.loc[[(board, number)], [key]].iloc[0, 0]
                    statuses = set(cell["status"])
                    if len(cell) > 1 and (known or len(statuses) > 1):
                        assert ending == f"{len(known)} of {len(cell)}"
                    else:
                        assert ending in ("", *statuses)


def test_the_best_follows_the_direction_of_the_figure(make_game, make_results):
    """Of scores more is better; games from one opening have their seeds as rows."""
    records = [
        make_game(player, seed, 100.0 * seed * len(player)) for player in ("greedy", "random:n=1") for seed in (1, 2)
    ]
    made = pivot(sl.load_results(make_results(records)), ["player"])
    assert made.rows == ["seed"]
    assert made.best["random:n=1"].tolist() == [True, True]
    assert made.means.tolist() == [900, 1500]


def test_equal_figures_are_not_marked(make_record, make_results):
    """If there are two best ones among others, both are marked."""
    costs = {("a", 1): 3.0, ("b", 1): 3.0, ("c", 1): 3.0, ("a", 2): 0.3, ("b", 2): 0.1 + 0.2, ("c", 2): 1.0}
    records = [make_record(board, heuristic, cost=cost) for (heuristic, board), cost in costs.items()]
    made = pivot(sl.load_results(make_results(records)), ["heuristic"], "cost")
    assert made.best.to_numpy().tolist() == [[False, False, False], [True, True, False]]


def test_text_columns_show_text(runs):
    """Without a best one, and without means."""
    made = pivot(runs, ["heuristic"], "status")
    assert made.cells()[1:] == [["solved", "solved"], ["time-limit", "solved"]]
    assert (made.summary(), made.notes()) == ([], ["status of each run"])


def test_metrics_declare_their_direction(make_record, make_results):
    """It is recorded, because results are read without their plugins."""
    records = [
        make_record(board, heuristic, metrics={"quality": value, "plain": value})
        for heuristic, value in (("a", 1), ("b", 4))
        for board in (1, 2)
    ]
    declared = {"quality": {"better": "high", "scale": "log", "aggregate": "median"}, "plain": {"better": ["no"]}}
    for record in records:
        record.provenance["metrics"] = declared
    results = sl.load_results(make_results(records))
    made = pivot(results, ["heuristic"], "quality")
    assert made.best["b"].tolist() == [True, True]
    assert (made.what.scale, made.what.aggregate) == ("log", "median")
    assert pivot(results, ["heuristic"], "plain").best["a"].tolist() == [True, True]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((["heuristik"],), "there is no column 'heuristik': did you mean 'heuristic'?"),
        ((["heuristic"], "expandet"), "there is no column 'expandet': did you mean 'expanded'?"),
        ((["heuristic"], "expanded", ["heuristic"]), "heuristic is asked for twice"),
        ((["seconds"],), "seconds is a result of a run"),
        (([],), "a pivot needs columns"),
    ],
)
def test_invalid_arguments_are_refused(runs, arguments, said):
    """The message is one line with a remedy."""
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        pivot(runs, *arguments)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_wider_than_the_page(runs, width):
    """Further configurations follow below."""
    made = pivot(runs, ["heuristic", "frontier"])
    lines = made.shown().in_parts(width)
    assert max(map(len, lines)) <= width
    assert sum(line.startswith("board_name") for line in lines) == {40: 3, 60: 2, 80: 1, 120: 1}[width]
    assert sum(line.count("time-limit") for line in lines) == 2


def test_names_are_shortened_by_their_common_parts(make_record, make_results):
    """A note gives the common parts."""
    records = [make_record(board, frontier=f"weighted-astar:weight={w}") for board in (1, 10) for w in (1.5, 3)]
    made = pivot(sl.load_results(make_results(records)), ["frontier"])
    assert made.shown().in_parts(80)[0].split() == ["board_name", "weight=1.5", "weight=3"]
    assert made.shown().in_parts(80)[2].split()[0] == "10"
    assert made.shown().shortenings() == ["board_name: boards/….txt", "frontier: weighted-astar:…"]


def test_papers_show_the_best_in_bold(runs):
    """And programs get the figures alone."""
    made = pivot(runs[runs["frontier"] == "astar"], ["heuristic"])
    assert r"boards/1.txt & 100 & \textbf{10} \\" in text_of(made.shown(), "latex")
    assert "| boards/3.txt   | time-limit |  **70** |" in text_of(made.shown(), "markdown")
    assert text_of(made.shown(), "csv").splitlines()[3] == "boards/3.txt,,70"


def test_control_characters_and_markup_in_names_are_escaped(make_record, make_results):
    records = [make_record(1, name, reason="<b>\n" * 2500, status="error") for name in ("<script>\x1b[2J", "g\nh")]
    results = sl.load_results(make_results(records))
    made = pivot(results, ["heuristic"], "reason")
    assert all(line.isprintable() and len(line) <= 60 for line in made.shown().in_parts(60))
    assert "<script>" not in made._repr_html_()
    assert "<b>" not in made._repr_html_()


def test_no_runs_are_an_empty_table(runs):
    """With its heading."""
    made = pivot(runs[:0], ["heuristic"])
    assert isinstance(made.table, pd.DataFrame)
    assert (made.table.empty, made.shown().in_parts(80)) == (True, ["board_name"])
