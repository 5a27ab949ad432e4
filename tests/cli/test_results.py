"""`searchlab results` shows, exports and merges the results of an experiment."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from searchlab.cli.results import Selection
from searchlab.experiments import loading
from searchlab.experiments.runs import SEARCHES
from searchlab.reports.export import exported


@pytest.fixture
def folder_of_results(make_record, make_results, folder):
    """Two heuristics with two frontiers on four boards, of which one is too hard for one of them."""
    records = []
    for board in range(1, 5):
        for heuristic in ("taxicab", "misplaced"):
            for frontier in ("astar", "weighted-astar:weight=3"):
                factor = 1 if heuristic == "taxicab" else 10
                record = make_record(board, heuristic, frontier, expanded=board * 100 * factor, seconds=board / 4)
                records.append(record)
    records[-1] = make_record(4, "misplaced", "weighted-astar:weight=3", status="time-limit", seconds=10.0)
    return make_results(records, "folder")


def test_the_table_of_an_experiment(run, folder_of_results):
    """A row a run, what is the same in all said once below, and how the runs ended."""
    ran = run("results", "folder", "--limit", 2)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "run  board_name    heuristic  frontier           status  cost  expanded  seconds",
        "  3  boards/1.txt  misplaced  astar              solved     3     1,000    0.250",
        "  4  boards/1.txt  misplaced  weighted…weight=3  solved     3     1,000    0.250",
        "",
        "the first 2 of 16 rows; 16 runs: 15 solved, 1 time-limit",
        "constant: domain sliding-tile",
        "hidden (narrow terminal): moves, optimal, generated, peak_bytes; --columns shows",
        "them",
    ]


@pytest.mark.parametrize(
    ("columns", "said"), [(80, "geometric means; cost"), (120, "geometric means and medians; cost")]
)
def test_notes_explain_only_shown_columns(run, folder_of_results, monkeypatch, columns, said):
    monkeypatch.setenv("COLUMNS", str(columns))
    ran = run("results", folder_of_results, "--group-by", "heuristic,frontier")
    assert said in ran.out.replace("\n", " ")
    monkeypatch.setenv("COLUMNS", "40")
    assert " more; --columns" in run("results", folder_of_results).out.replace("\n", " ")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_page(run, folder_of_results, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    for options in ([], ["--group-by", "heuristic,frontier"], ["--columns", "board_name,versions,identity,plugins"]):
        lines = run("results", folder_of_results, *options).out.splitlines()
        assert max(map(len, lines)) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_reasons_of_failures_are_never_omitted_or_cut(run, make_record, make_results, folder, monkeypatch, width):
    """It goes on in further lines."""
    monkeypatch.setenv("COLUMNS", str(width))
    reason = "heuristic bad: FloatingPointError (/a/long/folder/of/mine/bad.py, line 7): divided by the number of holes"
    make_results([make_record(1), make_record(2, status="error", reason=reason)], "folder")
    for options in ([], ["--columns", "board_name,domain,heuristic,frontier,status,expanded,reason,versions"]):
        lines = run("results", "folder", *options).out.splitlines()
        assert max(map(len, lines)) <= width
        table = lines[1 : lines.index("")]
        place = lines[0].index("reason")
        shown = "".join(line[place:].split("  ")[0].strip() for line in table[1:])
        assert shown.replace(" ", "") == reason.replace(" ", "")


def test_rows_columns_and_order_are_chosen(run, folder_of_results):
    """Conditions, names and an order, in the order that was typed."""
    ran = run(
        *("results", "--where", "heuristic=misplaced", "--where", "status=solved", "--sort", "-expanded,board_name"),
        *("--columns", "expanded,board_name", folder_of_results, "--limit", "3"),
    )
    assert [line.split() for line in ran.out.splitlines()[:4]] == [
        ["expanded", "board_name"],
        ["4,000", "boards/4.txt"],
        ["3,000", "boards/3.txt"],
        ["3,000", "boards/3.txt"],
    ]
    assert "the first 3 of 7 rows; 7 of 16 runs: 7 solved" in ran.out


def test_columns_of_the_order_are_shown(run, folder_of_results):
    """Though it is not among the columns that are shown by default, and the page is narrow."""
    heading = run("results", "folder", "--sort", "-duplicates,finished").out.splitlines()[0].split()
    assert {"board_name", "duplicates", "finished"} <= set(heading)


def test_groups_are_summed_up(run, folder_of_results, monkeypatch):
    """With what has to be known to read the means."""
    monkeypatch.setenv("COLUMNS", "140")
    ran = run("results", "folder", "--group-by", "heuristic", "--sort", "-coverage")
    header, *rows = [line.split() for line in ran.out.splitlines()[:3]]
    assert header == [
        *("heuristic", "runs", "solved", "coverage", "expanded", "seconds"),
        *("expanded_median", "seconds_median", "cost", "par2", "score_seconds"),
    ]
    assert rows[0][:5] == ["taxicab", "8", "8", "100.0", "203"]
    assert rows[1][:5] == ["misplaced", "8", "7", "87.5", "2,034"]
    assert "over the 7 cases that both groups solved" in " ".join(ran.out.split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_pivot_has_a_row_a_board_and_a_column_a_configuration(run, folder_of_results, monkeypatch, width):
    """The best of a row marked, names short, and what a cell is said below."""
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("results", "folder", "--pivot", "heuristic,frontier", "--values", "cost").out.splitlines()
    assert max(map(len, lines)) <= width
    assert "cost: less is better, * marks the best of a row" in lines
    assert "board_name: boards/….txt" in lines
    lines = run("results", "folder", "--pivot", "heuristic", "--where", "frontier=astar", "--limit", 2).out.splitlines()
    assert lines[:5] == [
        "board_name     misplaced  taxicab",
        "1                  1,000      100*",
        "2                  2,000      200*",
        "",
        "geometric mean     2,213      221",
    ]
    assert lines[6].startswith("the first 2 of 4 rows; 8 of 16 runs: 8 solved")


def test_a_pivot_is_exported(run, folder_of_results):
    """Exact for programs, the best in bold for papers."""
    chosen = ("--pivot", "heuristic", "--where", "frontier=astar", "--where", "board_name=boards/1.txt")
    assert run("results", "export", "folder", *chosen, "--format", "csv").out.splitlines() == [
        "board_name,misplaced,taxicab",
        "boards/1.txt,1000,100",
    ]
    assert json.loads(run("results", "folder", *chosen, "--json").out) == [
        {"board_name": "boards/1.txt", "misplaced": 1000, "taxicab": 100}
    ]
    assert r"\textbf{100}" in run("results", "export", "folder", *chosen, "--format", "latex").out
    assert "**100**" in run("results", "export", "folder", *chosen, "--format", "markdown").out


def test_json_has_exact_figures(run, folder_of_results):
    rows = run("results", "folder", "--json", "--limit", 1).json
    assert (rows[0]["expanded"], rows[0]["seed"], rows[0]["status"]) == (1000, None, "solved")
    assert rows[0]["finished"] == "2026-11-21T12:00:00.250000+00:00"
    (group,) = run("results", "folder", "--group-by", "domain", "--json").json
    assert (group["domain"], group["runs"], group["solved"]) == ("sliding-tile", 16, 15)


def test_all_attempts_are_shown_on_request(run, make_record, make_results, folder):
    """By default the last one counts."""
    make_results([make_record(status="error")], "twice")
    make_results([make_record()], "twice")
    assert "1 run: 1 solved" in run("results", "twice").out
    ran = run("results", "twice", "--all-attempts", "--columns", "attempt,status")
    assert [line.split() for line in ran.out.splitlines()[1:3]] == [["1", "error"], ["2", "solved"]]


def test_the_file_may_be_named_and_show_be_written(run, folder_of_results):
    """All three are the same."""
    shown = run("results", "folder").out
    assert run("results", "show", "folder").out == shown
    assert run("results", "--debug", "show", "folder").out == run("results", "--debug", "folder").out == shown
    assert run("results", "folder/results.sqlite").out == shown


def test_a_message_says_that_there_are_no_runs(run, folder_of_results, make_results):
    """In the folder, or that meet the conditions."""
    make_results([], "empty")
    assert run("results", "empty").out == "there are no runs yet\n"
    assert run("results", "folder", "--where", "expanded>1e9").out == "none of the 16 runs meets the conditions\n"
    assert run("results", "folder", "--where", "expanded>1e9", "--group-by", "heuristic", "--json").json == []
    for format_ in ("latex", "markdown"):
        exported = run("results", "export", "folder", "--where", "expanded>1e9", "--format", format_)
        assert (exported.code, exported.err) == (0, "")
        assert "board" in exported.out


def test_a_folder_named_like_a_command_needs_a_path(run, folder_of_results, folder):
    os.rename(folder_of_results, folder / "merge")
    assert "16 runs" in run("results", "./merge").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "nowhere: no results here; `searchlab run` makes a folder"),
        (["x" * 5000], "no results here"),
        ([], "missing argument 'PATH' (see searchlab results show --help)"),
        (["exprot", "folder"], "no folder and no command is called 'exprot': did you mean 'export'?"),
        (["folder", "--where", "statsu=solved"], "there is no column 'statsu': did you mean 'status'?"),
        (["folder", "--where", "status=slvd"], "no status is called 'slvd': did you mean 'solved'?"),
        (["folder", "--columns", "board_nam"], "there is no column 'board_nam': did you mean 'board_name' or"),
        (["folder", "--sort", "-expandd"], "there is no column 'expandd': did you mean 'expanded'?"),
        (["folder", "--group-by", "heurstic"], "there is no column 'heurstic': did you mean 'heuristic'?"),
        (["folder", "--group-by", "heuristic", "--sort", "evaluated"], "there is no column 'evaluated'"),
        (["folder", "--group-by", ","], "--group-by names no column"),
        (["folder", "--over", "all"], "--over needs groups: add --group-by"),
        (["folder", "--group-by", "heuristic", "--over", "some"], "'some' is not one of"),
        (["folder", "--pivot", ","], "--pivot names no column"),
        (["folder", "--pivot", "heurstic"], "there is no column 'heurstic': did you mean 'heuristic'?"),
        (["folder", "--pivot", "heuristic", "--values", "costs"], "there is no column 'costs': did you mean 'cost'"),
        (["folder", "--pivot", "heuristic", "--columns", "cost"], "--columns is for a table of runs"),
        (["folder", "--values", "cost"], "add --pivot heuristic,frontier"),
        (["folder", "--columns", ""], "--columns names no column"),
        (["folder", "--limit", "-1"], "-1 is not in the range x>=0"),
        (["export", "folder"], "give --output FILE, or a --format to print"),
        (["export", "folder", "--format", "parquet"], "Parquet is not for standard output"),
        (["export", "folder", "--output", "runs.xlsx"], "unknown file extension; use one of"),
        (["export", "folder", "--output", "no/runs.csv"], "there is no folder no"),
        (["export", "folder", "--format", "cvs"], "'cvs' is not one of"),
        (["merge", "folder"], "missing option '--into'"),
        (["merge", "nowhere", "--into", "new"], "nowhere: no results here"),
        (["merge", "folder", "--into", "file"], "file: "),
    ],
)
def test_invalid_arguments_are_refused_without_side_effects(run, folder_of_results, write, folder, arguments, said):
    write("file", "")
    before = sorted(os.listdir(folder))
    assert said in run("results", *arguments).error
    assert sorted(os.listdir(folder)) == before


@pytest.mark.parametrize("ending", ["csv", "json", "tex", "md", "parquet"])
def test_exported_files_are_written_in_the_format_of_their_ending(run, folder_of_results, folder, ending):
    """The command reports the written file."""
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    ran = run("results", "export", "folder", "--output", f"runs.{ending}", "--where", "board_name~/1")
    assert (ran.code, ran.out) == (0, f"runs.{ending}: 4 rows\n")
    content = (folder / f"runs.{ending}").read_bytes()
    begins = {
        "csv": b"board_name,board,",
        "json": b'[\n{"board_name"',
        "tex": b"% constant",
        "md": b"| board ",
        "parquet": b"PAR1",
    }
    assert content.startswith(begins[ending])


def test_exports_for_programs_are_complete(run, folder_of_results):
    """Every column, and no notes."""
    header, *rows = run("results", "export", "folder", "--format", "csv").out.splitlines()
    assert header.split(",") == [column.name for column in SEARCHES.columns]
    assert len(rows) == 16
    assert len(json.loads(run("results", "export", "folder", "--format", "json").out)) == 16


def test_aggregates_are_exported_for_papers(run, folder_of_results):
    """With the notes that tell how to read them."""
    ran = run(
        "results", "export", "folder", "--group-by", "heuristic", "--format", "markdown", "--columns", "heuristic,runs"
    )
    assert ran.out.splitlines()[:4] == [
        "| heuristic | runs |",
        "| --------- | ---: |",
        "| misplaced |    8 |",
        "| taxicab   |    8 |",
    ]
    assert "geometric means" in ran.out


def test_results_of_two_machines_are_merged(run, make_record, make_results, folder):
    """Common runs are kept once; merging again changes nothing."""
    make_results([make_record(n) for n in (1, 2)], "a")
    make_results([make_record(n) for n in (2, 3, 4)], "b")
    ran = run("results", "merge", "a", "b", "--into", "all")
    assert ran.out.splitlines() == ["a: 2 rows taken, 0 here already", "b: 2 rows taken, 1 here already", "all: 4 runs"]
    again = run("results", "merge", "b", "all", "--into", "all")
    assert again.out.splitlines() == [
        "b: 0 rows taken, 3 here already",
        "all: 0 rows taken, 4 here already",
        "all: 4 runs",
    ]
    assert "4 runs: 4 solved" in run("results", "all").out


def test_games_and_searches_are_not_merged(run, make_record, make_game, make_results, folder):
    make_results([make_record(1)], "a")
    make_results([make_game("good", 1, 100.0)], "b")
    refused = run("results", "merge", "a", "b", "--into", "all")
    assert (refused.code, refused.out) == (2, "")
    assert "all holds searches, b games" in refused.err
    assert run("results", "all", "--json").json == []


def test_merging_into_a_running_experiment_is_refused(run, make_record, make_results, folder):
    from searchlab.experiments.store import Store

    make_results([make_record()], "a")
    with Store(folder / "b", writes=True):
        assert "another process is running this experiment" in run("results", "merge", "a", "--into", "b").error


@pytest.mark.slow
def test_a_terminal_shows_the_heading_in_bold(folder_of_results, read_to_end):
    """Unless NO_COLOR is set; the width of the page is that of the terminal."""
    for no_colour in ("", "1"):
        ours, theirs = pty.openpty()
        environment = {**os.environ, "NO_COLOR": no_colour, "TERM": "xterm", "COLUMNS": "80"}
        command = [sys.executable, "-m", "searchlab", "results", str(folder_of_results), "--limit", "1"]
        subprocess.run(command, stdout=theirs, env=environment, check=True)
        os.close(theirs)
        shown = read_to_end(ours)
        assert shown.startswith("run" if no_colour else "\x1b[1mrun")


@pytest.fixture
def games(make_game, make_results, folder):
    """The results of games of two players."""
    records = [make_game("greedy", seed, 1000.0 + seed, tile=128 * (1 + seed % 2)) for seed in range(1, 21)]
    records += [make_game("random", seed, 100.0 + seed) for seed in range(1, 21)]
    return make_results(records, "games")


def test_games_are_shown_by_player_and_seed(run, games):
    """What they came to; without what is not known or the same."""
    ran = run("results", "games", "--limit", 1)
    assert (ran.code, ran.err) == (0, "")
    heading, row, *_ = ran.out.splitlines()
    names = ["run", "player", "seed", "status", "score", "largest_tile", "moves", "seconds", "moves_per_second"]
    assert heading.split() == names
    assert row.split() == ["1", "greedy", "1", "dead", "1,001", "256", "50", "0.500", "100"]
    assert "constant: domain 2048-random" in ran.out


def test_games_are_summed_up_by_player(run, games):
    """Mean scores and the rates of tiles, which have intervals where they are asked for."""
    ran = run("results", "games", "--group-by", "player")
    heading, greedy, random, *_ = ran.out.splitlines()
    names = ["player", "games", "score", "score_low", "score_high", "reached_128", "reached_256"]
    assert heading.split() == names
    assert greedy.split()[:3] + greedy.split()[5:] == ["greedy", "20", "1,010", "100.0", "50.0"]
    assert random.split()[:3] + random.split()[5:] == ["random", "20", "110", "0.0", "0.0"]
    ran = run("results", "games", "--group-by", "player", "--columns", "player,reached_256_low,reached_256_high")
    assert ran.out.splitlines()[1].split() == ["greedy", "27.2", "72.8"]
    (row, _) = json.loads(run("results", "games", "--group-by", "player", "--json").out)
    assert row["reached_256_low"] == pytest.approx(27.20, abs=0.01)


def test_games_are_exported(run, games):
    """Each cell, by the names of the columns."""
    ran = run("results", "export", "games", "--format", "csv", "--where", "player=random", "--where", "status=dead")
    assert len(ran.out.splitlines()) == 21
    assert ran.out.startswith("board_name,board,domain,player,seed,")
    assert "no status is called 'solved'" in run("results", "games", "--where", "status=solved").error


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"all_attempts": True},
        {"all_versions": True},
        {"conditions": ("heuristic=taxicab", "depth>1"), "sort": "-finished,cost", "limit": 4},
        {"columns": "actions,depth,run,finished,host,certified,board_name", "sort": "reason"},
        {"conditions": ("expanded>1e9",)},
    ],
)
@pytest.mark.parametrize("at_once", [1, 3, 10_000])
@pytest.mark.parametrize(("format_", "safe"), [("csv", False), ("csv", True), ("json", False)])
def test_blocks_of_rows_are_written_as_the_whole_table(mixed, monkeypatch, options, at_once, format_, safe):
    whole = Selection(**options).load(mixed, for_people=False).table
    expected = "".join(map(str, exported(whole, format_, safe=safe)))
    monkeypatch.setattr(loading, "AT_ONCE", at_once)
    blocks = Selection(**options).load_blocks(mixed)
    assert "".join(map(str, exported(blocks, format_, safe=safe))) == expected
    assert len(blocks) == len(whole)


@pytest.fixture
def mixed(make_record, make_results):
    """Runs with metrics of several types, some tried again, with a certificate and times of several resolutions."""
    metrics = [
        {"depth": 3},
        {},
        {"depth": 4.5, "name": "=1"},
        {"depth": None, "moves": 1},
        {"depth": True},
        {"depth": 2},
    ]
    records = [
        replace(
            make_record(board, heuristic, expanded=10 * board, reason=reason, plugins={"mine": "1"}, metrics=recorded),
            finished=f"2026-11-21T12:00:0{8 - number}{fraction}Z",
        )
        for number, (board, heuristic, reason, recorded, fraction) in enumerate(
            zip(
                (10, 2, 3, 2, 1, 2),
                3 * ("taxicab", "misplaced"),
                3 * (None, "=é"),
                metrics,
                2 * ("", ".5", ".123456"),
                strict=True,
            )
        )
    ]
    folder = make_results(records, "mixed")
    (Path(folder) / "certificates").mkdir()
    (Path(folder) / "certificates" / f"{records[2].run.identity}.zip").touch()
    return folder


PUBLISHED = """[[table]]
authors = ["A. Bee", "C. Dee", "E. Eff"]
year = 1999
venue = "On puzzles"
domain = "sliding-tile"
heuristic = "taxicab"
counted = "the goal counts as expanded"
rows = [{ name = "A*", frontier = "astar", expanded = 200 }]
"""


def test_published_figures_stand_beside_those_of_runs(run, folder_of_results, write):
    """A row a figure, the source below; as Markdown, too."""
    for board in range(1, 5):
        write(f"boards/{board}.txt", "2\n1 2\n3 0\n")
    write("boards/published.toml", PUBLISHED)
    ran = run("results", "folder", "--published")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "published  frontier  figure    ours  theirs  ratio  boards",
        "A*         astar     expanded   250     200   1.25  4 of 4",
        "",
        "16 runs: 15 solved, 1 time-limit",
        "in all rows: domain sliding-tile, heuristic taxicab",
        "ours, theirs: means over the same boards, ours over all seeds of each; ratio:",
        "ours ÷ theirs",
        "A. Bee, C. Dee, E. Eff: On puzzles (1999); the goal counts as expanded",
    ]
    assert run("results", "folder", "--published", "--json").json[0]["source"] == "Bee et al. 1999"
    exported = run("results", "export", "folder", "--published", "--format", "markdown").out
    assert "| A\\*       | astar    | expanded |  250 |    200 |  1.25 | 4 of 4 |" in exported


def test_published_figures_with_other_options_or_a_faulty_file_are_one_line(run, folder_of_results, write):
    assert (
        "--published shows a table of its own" in run("results", "folder", "--published", "--pivot", "frontier").error
    )
    write("boards/1.txt", "2\n1 2\n3 0\n")
    write("boards/published.toml", PUBLISHED.replace("1999", '"1999"'))
    wanted = "boards/published.toml, line 3: table[1].year: a whole number is wanted"
    assert run("results", "folder", "--published").error.startswith(wanted)
    assert run("boards", "check", "boards", "--domain", "sliding-tile").error.startswith(wanted)
    write("boards/published.toml", PUBLISHED.replace("year", "yeer"))
    assert "yeer: there is no such key: did you mean 'year'?" in run("results", "folder", "--published").error


def test_runs_without_published_figures_say_so(run, folder_of_results):
    ran = run("results", "folder", "--published")
    assert ran.code == 0
    assert "nothing is published of these runs; published.toml beside their boards" in ran.out
