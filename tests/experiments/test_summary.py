"""Summaries in Python: DataFrames that show as tables for people, with the notes that belong to them."""

import pickle

import html5lib
import pandas as pd
import pytest

import searchlab as sl
from searchlab.experiments.summary import differing, runs_of

BOARDS = [sl.Board([[1, 2, 3], [0, 4, 6], [7, 5, 8]]), sl.Board([[1, 2, 3], [4, 0, 6], [7, 5, 8]])]


@pytest.fixture(scope="module")
def runs():
    """Four searches as a table without the columns that only experiments have."""
    return sl.table(
        sl.solve(board, domain="sliding-tile", heuristic=heuristic, engine="readable")
        for board in BOARDS
        for heuristic in ("taxicab", "misplaced")
    )


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """The folder of an experiment of games."""
    folder = tmp_path_factory.mktemp("games") / "games"
    experiment = sl.Experiment(players=["random", "greedy"], seeds=range(2), most_moves=20)
    sl.run(experiment, folder=folder, workers=1)
    return folder


@pytest.fixture(autouse=True)
def _wide(monkeypatch):
    monkeypatch.setenv("COLUMNS", "150")


def test_notes_of_groups_name_the_boards_of_their_means(runs):
    groups = sl.group(runs, "heuristic")
    heading, first, second, note, *_ = repr(groups).splitlines()
    assert heading.split()[:4] == ["heuristic", "runs", "solved", "coverage"]
    assert (first.split()[0], second.split()[0]) == ("misplaced", "taxicab")
    assert note.endswith("over the 2 boards that both groups solved")
    assert note in groups.notes
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(groups._repr_html_())
    assert [row[0].text for row in tree.iter("tr")] == ["heuristic", "misplaced", "taxicab"]
    assert note in "".join(tree.itertext())


def test_columns_to_group_by_are_by_default_those_that_differ(runs):
    """With commas as on the command line, too."""
    assert list(sl.group(runs)["heuristic"]) == list(sl.group(runs, ["heuristic"])["heuristic"])
    assert list(sl.group(runs, "frontier, heuristic").columns[:2]) == ["frontier", "heuristic"]
    assert differing(runs[runs["heuristic"] == "taxicab"]) == ["heuristic"]
    with pytest.raises(sl.UsageError, match="no column 'heurstic'"):
        sl.group(runs, "heurstic")


def test_a_summary_is_a_dataframe_and_derived_tables_are_plain_ones(runs):
    """It can be pickled as well."""
    groups = sl.group(runs, "heuristic")
    assert isinstance(groups, pd.DataFrame)
    for computed in (groups.head(1), groups[["cost"]], groups.copy(), groups.sort_values("cost")):
        assert type(computed) is pd.DataFrame
    assert repr(pickle.loads(pickle.dumps(groups))) == repr(groups)


def test_a_changed_summary_is_shown_without_outdated_notes(runs):
    groups = sl.group(runs, "heuristic")
    groups["mine"] = 7
    assert "mine" in repr(groups)
    assert "mine" in groups._repr_html_()
    assert "geometric means" not in repr(groups) + groups._repr_html_()


def test_results_show_the_chosen_runs_and_columns_that_differ(runs, games):
    """Equal columns are listed below."""
    solved = sl.results(runs, ["heuristic=taxicab", "status=solved"], sort="-moves")
    assert solved["moves"].tolist() == [3, 2]
    assert "actions" in solved.columns
    heading, *_, counts, same = repr(solved).splitlines()
    assert heading.split()[:3] == ["board_name", "status", "cost"]
    assert counts == "2 of 4 runs: 2 solved"
    assert same == "constant: domain sliding-tile, heuristic taxicab, frontier astar"
    played = sl.results(games, columns="player, seed,score")
    assert repr(played).splitlines()[0].split() == ["player", "seed", "score"]
    assert "<th" in played._repr_html_()
    assert "0 of 4 runs" in repr(sl.results(games, "status=error"))


def test_of_many_runs_the_first_are_shown(runs):
    """And that there are more is said."""
    many = pd.concat([runs] * 20, ignore_index=True)
    shown = sl.results(many)
    assert len(shown) == 80
    assert "the first 40 of 80 rows" in repr(shown)
    assert len(repr(shown).splitlines()) < 50


def test_a_condition_on_an_unknown_column_is_refused(runs):
    for settings in ({"where": "expnded>3"}, {"columns": "expnded"}, {"sort": "expnded"}):
        with pytest.raises(sl.UsageError, match="no column 'expnded'"):
            sl.results(runs, **settings)


def test_a_pivot_has_a_row_a_board_and_marks_the_best(runs):
    """Configurations are columns; what was changed shows as it is now."""
    table = sl.pivot(runs, "heuristic", values="generated")
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == ["misplaced", "taxicab"]
    assert len(table) == len(BOARDS)
    assert repr(table) == "\n".join(table.shown.lines(150))
    assert "less is better" in repr(table)
    assert "less is better" in table._repr_html_()
    marked = sl.pivot(runs.assign(seconds=[1.0, 2.0, 4.0, 3.0]), values="seconds")._repr_html_()
    assert "less is better, bold is the best of a row" in marked
    assert marked.count("font-weight:bold") == 2
    assert list(sl.pivot(runs).columns) == ["misplaced", "taxicab"]
    table["taxicab"] = 7
    assert "less is better" not in repr(table) + table._repr_html_()


def test_standings_show_the_main_columns_and_notes(games):
    """Quantiles and intervals of rates are in the table, and named below it."""
    ranked = sl.standings(games)
    assert ranked["player"].tolist() == ["greedy", "random"]
    shown = repr(ranked)
    assert shown.splitlines()[0].split()[:3] == ["player", "games", "score"]
    assert "4 games: 4 move-limit" in shown
    assert "further columns: domain, score_5, " in shown
    assert "_low, reached" not in shown


def test_a_comparison_is_shown_as_by_the_command(runs):
    compared = sl.compare(runs, "taxicab", "misplaced")
    assert repr(compared).startswith("<Comparison: A taxicab; B misplaced; 2 pairs; expanded A / B ")
    assert str(compared).splitlines()[:2] == ["A  taxicab", "B  misplaced"]
    assert "two-sided tests" in str(compared)
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parseFragment(compared._repr_html_())
    assert [table.find("thead/tr/th").text for table in tree.iter("table")] == [
        *("solved by both", "two-sided tests", "board_name")
    ]


def test_games_are_compared_from_the_folder_of_their_experiment(games):
    """Pairs are those of a seed."""
    compared = sl.compare(games, "greedy", "random")
    assert list(compared.table["seed"]) == [0, 1]
    assert "2 pairs of games" in compared._repr_html_()


def test_a_table_without_runs_is_refused():
    """In a line."""
    for given in (7, pd.DataFrame({"a": [1]})):
        with pytest.raises(sl.UsageError, match="a table of runs is wanted, or the folder of an experiment"):
            sl.group(given)
    with pytest.raises(sl.UsageError, match="nowhere"):
        sl.group("nowhere")


def test_a_column_that_is_missing_is_named(runs, games):
    """One that cannot be left empty; a table of games is known by its scores."""
    with pytest.raises(sl.UsageError, match=r"and this table has no column expanded, generated$"):
        sl.group(runs.drop(columns=["generated", "expanded", "cost"]))
    with pytest.raises(sl.UsageError, match=r"and this table has no column status$"):
        sl.results(runs.drop(columns="status"))
    with pytest.raises(sl.UsageError, match=r"and this table has no column player$"):
        sl.group(sl.load_results(games).drop(columns="player"))
    assert len(sl.group(runs.drop(columns=["cost", "optimal"]))) == len(sl.group(runs))


def test_other_objects_than_results_are_refused():
    """Games of `sl.play` are told apart."""
    for given in (7, [None], sl.play(player="random", most_moves=0)):
        with pytest.raises(sl.UsageError, match=r"results of sl.solve are wanted, not .*; sl.run returns a table of"):
            sl.table(given)


def test_a_table_of_results_is_not_copied(games):
    results = sl.load_results(games)
    assert runs_of(results) is results
