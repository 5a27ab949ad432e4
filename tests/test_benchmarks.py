"""The benchmarks: what they run, what they compare with, and how they say what is wrong."""

import json
import math
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
PLUGINS = sl.Plugins(files=[BENCHMARKS / "plugins" / "manhattan.py"])
KORF = "sliding-tile:goal=blank-first"
MOST_COLUMNS = 100


@pytest.fixture(autouse=True)
def folder(monkeypatch):
    """Let the modules of benchmarks/ be imported by their names, as they are when run.py is started."""
    monkeypatch.syspath_prepend(BENCHMARKS)


def all_sets():
    """Return the workloads of the full, of the quick and of the large set."""
    workloads = import_module("workloads").workloads
    return [*workloads("full"), *workloads("quick"), *workloads("large")]


@pytest.mark.parametrize("moves", [20, 23, 25])
def test_the_textbook_program_solves_boards_optimally(moves):
    """Plain A* finds as many moves as breadth-first search has found."""
    textbook = import_module("textbook")
    board = sl.read_board(f"sliding-tile/puzzle8-{moves}")
    found, expanded = textbook.astar(tuple(map(int, board.tiles.ravel())))
    assert found == moves
    assert expanded > 0


def test_the_textbook_program_and_searchlab_start_from_the_same_board():
    """Both sides of the 8-puzzle row solve the same position."""
    textbook = import_module("textbook")
    assert tuple(sl.read_board("sliding-tile/puzzle8-31").tiles.ravel()) == textbook.FARTHEST


@pytest.mark.parametrize("name", ["manhattan-by-goal", "manhattan-by-table", "manhattan-by-numpy"])
@given(tiles=st.permutations(range(16)))
def test_the_third_partys_heuristics_are_the_manhattan_distance(name, tiles):
    """On any board both have the value of taxicab."""
    board = sl.Board(np.array(tiles).reshape(4, 4))
    theirs = sl.heuristic(name, domain=KORF, plugins=PLUGINS)
    assert theirs(board) == sl.heuristic("taxicab", domain=KORF)(board)


@given(tiles=st.permutations(range(16)))
def test_heuristics_with_and_without_fractions_are_the_same_distance(tiles):
    """Both sides of a row about fractions compute the same, but for the fraction."""
    board = sl.Board(np.array(tiles).reshape(4, 4))
    shortened, rounded, by_loops = (
        sl.heuristic(name, domain=KORF, plugins=PLUGINS)(board)
        for name in ("manhattan-shortened", "euclidean-rounded-down", "manhattan-by-arithmetic")
    )
    assert by_loops == sl.heuristic("taxicab", domain=KORF)(board)
    assert shortened == 0.999 * by_loops
    assert rounded == math.floor(sl.heuristic("euclidean", domain=KORF)(board))


@pytest.mark.parametrize("chosen", ["full", "quick", "large"])
def test_workloads_of_a_set_have_different_names(chosen):
    """`--only` finds one of them, and their titles fit the column."""
    workloads = import_module("workloads").workloads(chosen)
    names = [workload.name for workload in workloads]
    assert len(names) == len(set(names))
    assert all(len(workload.title) <= import_module("table").WIDTHS[0] for workload in workloads)


def test_every_target_can_be_judged():
    """A target is one bound, and one on the ratio has a yardstick."""
    for workload in all_sets():
        assert workload.goals
        for goal in workload.goals:
            bounds = [bound for bound in (goal.at_most, goal.at_least) if bound is not None]
            assert len(bounds) <= 1
            assert not bounds or not goal.by_ratio or workload.yardstick


def test_every_search_can_be_set_up():
    """The boards, domains, heuristics and frontiers of the workloads exist and fit each other."""
    searches = [workload.searchlab for workload in all_sets() if workload.searchlab.name == "one_search.py"]
    assert searches
    for program in searches:
        options = dict(argument.removeprefix("--").partition("=")[::2] for argument in program.arguments)
        if "enumerate" in options:
            assert sl.domain(options["domain"]).start()
            continue
        text = options.get("board")
        board = (sl.Board.parse if "\n" in text else sl.read_board)(text) if text else None
        parts = {kind: options.get(kind) for kind in ("domain", "heuristic", "frontier")}
        plugins = sl.Plugins(files=[options["plugin"]]) if "plugin" in options else sl.Plugins()
        assert import_module("searchlab.search.solve").problem(board, **parts, plugins=plugins)


def test_programs_of_all_workloads_exist():
    programs = [program for workload in all_sets() for program in (workload.searchlab, workload.yardstick) if program]
    for program in programs:
        source = BENCHMARKS / "yardstick" / f"{program.name}.cpp" if program.is_cpp else BENCHMARKS / program.name
        assert program.name in ("searchlab", "python", "g++") or source.is_file()


@pytest.mark.parametrize(
    ("output", "found"),
    [
        ("solved in 1,041 moves, at most 1.01 × the optimum", {"moves": 1041}),
        ("Usage: searchlab [OPTIONS] COMMAND", {"usage": "searchlab"}),
        ('{"moves": 31, "user": 0.5}', {"moves": 31, "user": 0.5}),
    ],
)
def test_figures_are_parsed_from_program_output(output, found):
    """What searchlab prints for people is understood, and the JSON of all other programs."""
    assert import_module("measuring").printed(output) == found


def test_measured_programs_read_their_modules_from_pycache(monkeypatch, tmp_path):
    """Whatever the environment says: the uncounted run writes what the others read."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    measuring = import_module("measuring")
    code = "import json, sys; print(json.dumps({'writes': not sys.dont_write_bytecode}))"
    assert measuring.measure(measuring.Program("python", ("-c", code)), tmp_path).found["writes"]


def test_a_wrong_result_fails(tmp_path):
    """A program that finds something else than it has to is a failure that names both."""
    measuring, run = import_module("measuring"), import_module("run")
    with pytest.raises(measuring.Failure, match=r"textbook\.py .*moves is 31, has to be 30"):
        run.checked(measuring.Program("textbook.py"), {"moves": 30}, tmp_path)


def test_an_expected_number_may_have_bounds(tmp_path):
    """What differs from machine to machine has to be between two numbers; a figure that is missing is not."""
    measuring, run, workloads = map(import_module, ("measuring", "run", "workloads"))
    textbook = measuring.Program("textbook.py")
    assert run.checked(textbook, {"moves": workloads.Between(30, 31)}, tmp_path).found["moves"] == 31
    for name, between in (("moves", (32, 40)), ("cost", (0, 40))):
        with pytest.raises(measuring.Failure, match=f"{name} is .*has to be from {between[0]} to {between[1]}"):
            run.checked(textbook, {name: workloads.Between(*between)}, tmp_path)


SMALL = {
    "one_search.py": (
        ("--domain=sliding-tile", "--board=sliding-tile/puzzle8-20", "--heuristic=taxicab", "--frontier=astar"),
        {"moves": 20, "cost": 20, "optimal": True},
    ),
    "one_look.py": (("1", "1", "0100220034104781"), {"tried": 160}),
    "one_advice.py": (("greedy", "40"), {"boards": 40}),
    "one_experiment.py": (
        (
            *("--domain=2048", "--board=2048/board10", "--heuristic=empty", "--frontier=greedy"),
            *("--repetitions=3", "--workers=1"),
        ),
        {"runs": 3},
    ),
    "one_grid.py": (("40", "30", "2", "--check"), {}),
    "one_loop.py": (("searcher", "1"), {"calls": 200, "moves": 4355}),
    "one_training.py": (("2000",), {"learned": 2000}),
    "one_game.py": (("greedy", "--games", "2"), {"games": 2, "played": 808, "score": 10744}),
    "one_table.py": (("places", "1,2"), {"entries": 240}),
    "one_rules.py": (("puzzle", "searchlab"), {"cost": 31}),
    "one_plan.py": (("searchlab", "search", "gripper-2", "hmax", "astar"), {"cost": 5}),
    "one_map_run.py": (("searches", "maze", "2"), {"runs": 2}),
}
"""Arguments of each program that make it end soon, and what it finds."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_program_measures_the_work_alone(name, tmp_path):
    """Each says what the part took that is compared, which is less than its whole process, and what it found."""
    measuring, run = import_module("measuring"), import_module("run")
    arguments, expected = SMALL[name]
    figures = run.checked(measuring.Program(name, arguments), expected, tmp_path)
    if name == "one_experiment.py":
        assert figures.wall > 0
    else:
        assert 0 <= figures.cpu < figures.process


def test_a_whole_call_takes_longer_than_its_search(tmp_path):
    """Of a program that says nothing of its calls the search counts."""
    measuring = import_module("measuring")
    figures = measuring.measure(measuring.Program("one_search.py", SMALL["one_search.py"][0]), tmp_path)
    assert figures.cpu < figures.whole < figures.process
    assert measuring.Figures(1.0, 0.5, 2.0, {}).whole == 1.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "same"),
    [
        (("search", "gripper-3", "hmax", "astar"), "cost"),
        (("grounding", "blocks-5"), "actions"),
    ],
)
def test_pyperplan_finds_what_searchlab_finds(asked, same, tmp_path):
    """A cheapest plan of the same task; as many actions."""
    pytest.importorskip("pyperplan")
    measuring = import_module("measuring")
    both = [measuring.measure(measuring.Program("one_plan.py", (name, *asked)), tmp_path) for name in PLANNERS]
    assert both[0].found[same] == both[1].found[same]


PLANNERS = ("searchlab", "pyperplan")


@pytest.mark.slow
def test_a_made_up_store_is_grouped_by_both(tmp_path):
    """Over the same runs."""
    measuring, store = import_module("measuring"), str(tmp_path / "store")
    writing = ("--write-only", "--runs", "300", "--folder", store)
    measuring.measure(measuring.Program("large_report.py", writing), tmp_path)
    ours = measuring.Program("searchlab", ("results", store, "--group-by", "heuristic,frontier"))
    sql = measuring.Program("group_by.py", (f"{store}/results.sqlite",))
    assert measuring.measure(ours, tmp_path).found["runs"] == measuring.measure(sql, tmp_path).found["runs"] == 300


@pytest.mark.slow
def test_all_runs_of_a_made_up_experiment_are_done(tmp_path):
    measuring = import_module("measuring")
    arguments = ("--only", "resume", "--runs", "200", "--folder", str(tmp_path))
    measuring.measure(measuring.Program("large_report.py", arguments), tmp_path)
    done = measuring.Program(
        "searchlab", ("run", f"{tmp_path}/resume/resume.toml", "--output", f"{tmp_path}/resume", "--json")
    )
    found = measuring.measure(done, tmp_path).found
    assert (found["runs"], found["done_before"], found["left"]) == (200, 200, 0)


@pytest.mark.parametrize("way", ["solve", "textbook"])
def test_loops_of_searches_solve_the_same_boards(way, tmp_path):
    """Both sides of a row find shortest solutions of the same boards, as the searcher does above."""
    measuring = import_module("measuring")
    loop = measuring.measure(measuring.Program("one_loop.py", (way, "1")), tmp_path)
    assert loop.found == {"calls": 200, "moves": 4355}
    assert loop.call == loop.cpu / 200


def test_a_cold_program_has_an_empty_cache_and_a_separate_folder(tmp_path):
    """Both are deleted afterwards, so that the next run is cold, too."""
    measuring = import_module("measuring")
    code = "import json, os, sys; print(json.dumps({'cache': os.environ['SEARCHLAB_CACHE_DIR'], 'at': sys.argv[1]}))"
    program = measuring.Program("python", ("-c", code, f"{measuring.EMPTY_FOLDER}/results"), cold=True)
    first, second = (measuring.measure(program, tmp_path).found for _ in range(2))
    assert first["cache"] != second["cache"]
    assert Path(first["cache"]).parent == Path(first["at"]).parent
    assert not Path(first["cache"]).parent.exists()


def test_all_programs_are_tested_with_a_small_size():
    assert {path.name for path in BENCHMARKS.glob("one_*.py")} == {*SMALL}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return what builds a C++ program, without optimizing, which is quicker, and returns the folder it is in."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    folder = tmp_path_factory.mktemp("built")

    def build(name):
        if not (folder / name).exists():
            source = BENCHMARKS / "yardstick" / f"{name}.cpp"
            subprocess.run(["g++", "-Wall", "-Werror", source, "-o", folder / name], check=True)
        return folder

    return build


YARDSTICKS = {
    "sliding_tile": (("bucket", "1 0 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), {"moves": 1, "expanded": 1, "stored": 4}),
    "expectimax": (("1", "1", "0100220034104781"), {"tried": 160}),
    "learn2048": (("100",), {}),
    "grid": (("40", "30", "2"), {}),
    "pancake": (("3", "1", "2"), {"moves": 2}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", YARDSTICKS)
def test_a_yardstick_measures_the_work_alone(name, built):
    """Each says what its search took, user and system apart, and what it found."""
    measuring, run = import_module("measuring"), import_module("run")
    arguments, expected = YARDSTICKS[name]
    figures = run.checked(measuring.Program(name, arguments), expected, built(name))
    assert 0 <= figures.cpu <= figures.process + 0.01


def test_all_yardsticks_but_two_are_tested_with_a_small_size():
    """The enumeration takes too long, and games have a separate test."""
    sources = {path.stem for path in (BENCHMARKS / "yardstick").glob("*.cpp")}
    assert sources - {*YARDSTICKS} == {"enumerate2048", "play2048"}


def test_searches_count_the_same_nodes_breadth_first(built):
    """The yardstick takes the same nodes in the same order as searchlab."""
    measuring = import_module("measuring")
    program = measuring.Program("sliding_tile", ("breadth", import_module("workloads").korf(88), "20000"))
    theirs = measuring.measure(program, built("sliding_tile")).found
    limits = sl.Limits(expansions=20000)
    ours = sl.solve("sliding-tile/korf100/088", domain=KORF, frontier="breadth-first", limits=limits)
    for name in ("expanded", "generated", "stored"):
        assert theirs[name] == getattr(ours, name)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs"), [("greedy", "greedy"), ("expectimax:depth=2,heuristic=smooth", "expectimax:2")]
)
def test_the_same_games_are_played_by_the_yardstick(built, ours, theirs):
    """From the same seeds, move by move."""
    measuring, games = import_module("measuring"), import_module("one_game")
    folder = built("play2048")
    games.prepare(folder / "seeds", 1, None)
    found = measuring.measure(measuring.Program("play2048", (theirs, str(folder / "seeds"))), folder).found
    played = games.played(ours, 1)
    assert all(found[name] == played[name] for name in ("games", "played", "score"))


def test_a_workload_without_an_expected_result_cannot_be_written():
    """Every row checks what was found, on both sides where the yardstick finds anything."""
    for workload in all_sets():
        assert workload.expected or workload.expected_of_ours
        checked = workload.expected or workload.expected_of_yardstick
        assert checked or workload.yardstick is None or workload.yardstick.name in ("python", "g++")
    workloads, measuring = map(import_module, ("workloads", "measuring"))
    with pytest.raises(TypeError, match="expected"):
        workloads.Workload("name", "title", measuring.Program("textbook.py"), ())


def test_the_sides_of_a_row_take_turns_in_going_first(monkeypatch, tmp_path):
    """After the run that is not counted ours goes first, then the yardstick; a short budget leaves one pair."""
    run, workloads, measuring = map(import_module, ("run", "workloads", "measuring"))
    ours, theirs = measuring.Program("ours"), measuring.Program("theirs")
    order = []
    monkeypatch.setattr(run, "checked", lambda program, *_: order.append(program.name))
    workload = workloads.Workload("name", "title", ours, (), theirs, expected={"moves": 1})
    run.interleaved(workload, 3, 60.0, tmp_path)
    assert order == ["ours", *("ours", "theirs"), *("theirs", "ours"), *("ours", "theirs")]
    order.clear()
    run.interleaved(workload, 3, 0.0, tmp_path)
    assert order == ["ours", "ours", "theirs"]


def test_a_busy_machine_is_a_warning():
    """The load is always shown."""
    told = import_module("table").told_load
    assert told(0.1, 1.0) == ["load 0.10 at the start, 1.00 at the end"]
    assert told(1.2, 1.0)[1].startswith("WARNING: the machine had other work")
    assert told(0.1, 999.0)[1].startswith("WARNING: the machine had other work")


def test_a_command_that_skips_rows_fails(monkeypatch, tmp_path, capsys):
    """Rows without a yardstick in C++ run, and their figures are kept; without g++ the others make the exit code 1."""
    run = import_module("run")
    file = tmp_path / "figures.json"
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "--only", "greedy-2048", "--json", str(file)])
    monkeypatch.setattr(run, "interleaved", lambda *_: ([import_module("measuring").Figures(1.0, 0.5, 2.0, {})], []))
    assert run.main() == 0
    assert json.loads(file.read_text(encoding="utf-8"))["rows"][0]["searchlab"][0]["process"] == 2.0
    assert not (tmp_path / "results").exists()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "--only", "astar-korf2"])
    assert run.main() == 1
    assert "g++ is not installed: skipped are astar-korf2" in capsys.readouterr().out


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """Return the file of a measurement that `--keep` wrote, and its figures; nothing was run for it."""
    run, measuring = map(import_module, ("run", "measuring"))
    figures = [measuring.Figures(k, 0.5, k + 1, {"played": 1000, "expanded": 9, "stored": 9}) for k in (1.0, 2.0)]
    monkeypatch.setattr(run, "FOLDER", tmp_path / "results")
    monkeypatch.setattr(run, "buildable", lambda chosen, _: chosen)
    monkeypatch.setattr(run, "interleaved", lambda *_: (figures, figures[:1]))
    monkeypatch.setattr(sys, "argv", ["run.py", "--keep", "--only", "play-greedy,play-ntuple"])
    assert run.main() == 0
    (file,) = (tmp_path / "results").iterdir()
    return file, figures


def test_a_kept_measurement_records_machine_time_and_commit(kept):
    """`--keep` writes a file from which the rows can be read again."""
    results, (file, figures) = import_module("results"), kept
    (measured,) = results.read([file])
    assert file.name == results.file_name(measured)
    assert {"processor", "cores", "caches", "memory", "compiler", "python"} <= set(measured["machine"])
    assert len(measured["load"]) == 2
    assert re.fullmatch(r"[0-9a-f]{7,}\+?|unknown", measured["commit"])
    assert [row["name"] for row in measured["rows"]] == ["play-greedy", "play-ntuple"]
    goals, ours, yardstick = results.figures_of(measured["rows"][0])
    assert (ours, yardstick) == (figures, figures[:1])
    assert goals[0].quantity == "played_rate"


def test_an_invalid_measurement_is_refused(tmp_path):
    """By the name of the file."""
    file = tmp_path / "other.json"
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"other\.json is no measurement of format 1"):
        import_module("results").read([file])


def test_measurements_are_drawn_and_listed(kept, monkeypatch, tmp_path, capsys):
    """A plot for each goal of each row, a point for each version, and the newest figures as a table."""
    pytest.importorskip("matplotlib")
    history, results, (file, _) = import_module("history"), import_module("results"), kept
    later = json.loads(file.read_text(encoding="utf-8"))
    later |= {"time": "2099-01-01T00:00:00+00:00", "commit": "fedcba9", "is_busy": False}
    for run in later["rows"][0]["yardstick"]:
        run["user"] *= 4
    results.write(later, file.with_name("later.json"))
    files = [file.with_name("later.json"), file]
    monkeypatch.setattr(sys, "argv", ["history.py", *map(str, files), "--folder", str(tmp_path)])
    history.main()
    assert "2099-01-01, fedcba9" in capsys.readouterr().out
    picture = (tmp_path / "history.svg").read_text(encoding="utf-8")
    assert picture.startswith("<?xml")
    assert not (tmp_path / "growth.svg").exists()
    greedy, ntuple = history.series_of(results.read(files))
    assert [point.commit for point in greedy.points] == [results.read([file])[0]["commit"], "fedcba9"]
    assert [point.advantage[1] for point in greedy.points] == pytest.approx([1.0, 3.0])
    assert [point.advantage[1] for point in ntuple.points] == [1.0, 1.0]
    new, old = ntuple._replace(points=ntuple.points[1:]), ntuple._replace(points=ntuple.points[:1])
    assert history.versions([new, old]) == [point.commit for point in ntuple.points]


@pytest.mark.parametrize(("quantity", "advantage"), [("user", 2.0), ("cpu", 1.8), ("played_rate", 1.8)])
def test_more_is_better_in_the_picture(quantity, advantage):
    """Where less time is better, the ratio is turned over; rates are as they are."""
    history, measuring, workloads = map(import_module, ("history", "measuring", "workloads"))
    ours, theirs = (measuring.Figures(seconds, 0.25, 0, {"played": 10}) for seconds in (1.0, 2.0))
    assert history.advantages(workloads.Goal(quantity), [ours], [theirs]) == pytest.approx([advantage])
    assert history.advantages(workloads.Goal("cpu"), [ours], []) == [1.25]


def test_the_kept_measurements_can_be_read():
    """Those that were made name the machine, and whether it was busy."""
    measured = import_module("results").read((BENCHMARKS / "results").glob("*.json"))
    assert measured
    for one in measured:
        assert one["machine"]["caches"].startswith("caches L1d")
        assert one["is_busy"] in (False, True)
        assert one["rows"]


def test_the_page_shows_the_newest_measurements():
    """Its table is what `python benchmarks/history.py --markdown` prints."""
    history, results, table = map(import_module, ("history", "results", "table"))
    page = (BENCHMARKS / "README.md").read_text(encoding="utf-8")
    measured = results.read((BENCHMARKS / "results").glob("*.json"))
    assert "\n".join(history.table_of(measured, table.Style(markdown=True))) in page


def test_without_pyperplan_skipped_rows_are_named(monkeypatch, tmp_path, capsys):
    """And the command that installs it; the others stay."""
    run = import_module("run")
    monkeypatch.setattr(run, "find_spec", lambda name: None)
    chosen = [work for work in import_module("workloads").workloads("quick") if work.name.startswith("planning-")]
    assert [work.name for work in run.buildable(chosen, tmp_path)] == ["planning-small"]
    said = "pyperplan is not installed (pip install -e '.[benchmarks]'): skipped are planning-hmax, planning-ff, "
    assert said in capsys.readouterr().out


def test_the_whole_call_has_a_row(monkeypatch):
    """Between the goals and the whole process, where it was measured."""
    table, workloads, measuring = import_module("table"), import_module("workloads"), import_module("measuring")
    ours = [measuring.Figures(1.0, 0.0, 4.0, {"whole": 3.0})]
    yardstick = [measuring.Figures(2.0, 0.0, 2.0, {})]
    rows = list(table.rows_of("A*", [workloads.Goal("user", at_most=1)], ours, yardstick))
    assert [(row[0], row[3]) for row in rows] == [("A*", "0.50"), ("– whole call", "1.50"), ("– whole process", "2.00")]
    assert [row[0] for row in table.rows_of("A*", [workloads.Goal("user")], yardstick, [])] == ["A*"]


def test_without_a_compiler_skipped_rows_are_named(monkeypatch, tmp_path, capsys):
    """The workloads measured against C++ are left out, the others stay."""
    monkeypatch.setenv("PATH", str(tmp_path))
    kept = import_module("run").buildable(import_module("workloads").workloads("quick"), tmp_path)
    said = [line for line in capsys.readouterr().out.splitlines() if line and "[benchmarks]" not in line]
    assert len(said) == 1
    assert said[0].startswith("g++ is not installed: skipped are astar-korf2, ")
    assert {"puzzle8", "help"} <= {workload.name for workload in kept}
    assert not any(workload.yardstick and workload.yardstick.is_cpp for workload in kept)


def test_a_row_fits_the_terminal():
    """A row holds medians, ratio and target in 100 columns; a missed target is in capitals."""
    measuring, table, workloads = map(import_module, ("measuring", "table", "workloads"))
    ours = [measuring.Figures(seconds, 0.5, seconds + 2, {}) for seconds in (14.0, 90.0, 13.0)]
    cells = table.cells("t" * table.WIDTHS[0], workloads.Goal("user", at_most=0.3), ours, ours)
    assert cells[1:] == ("14.00 +0.50 s", "14.00 +0.50 s", "1.00", "1.00–1.00", "<= 0.30", "NO")
    assert len(table.Style().row(cells)) <= MOST_COLUMNS
    assert table.Style(markdown=True).row(cells).endswith("| 14.00 +0.50 s | 1.00 | 1.00–1.00 | <= 0.30 | NO |")


def test_the_command_explains_itself():
    """`run.py --help` lists its options."""
    done = subprocess.run([sys.executable, BENCHMARKS / "run.py", "--help"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(option in done.stdout for option in ("--pairs", "--budget", "--json", "--quick", "--only", "--markdown"))


def test_the_signature_follows_every_fact():
    """Another fact in one case is another number, and the same facts are the same number."""
    signature = import_module("signature").signature_of
    cases = [("a search", {"expanded": 3, "actions": ("up", "down")}), ("a game", [1.0, "udlr"])]
    told = []
    assert signature(iter(cases), told.append) == signature(iter(cases), told.append)
    assert len(told) == 2 * len(cases)
    assert signature(iter(cases[:1]), told.append) != signature(iter(cases), told.append)
    cases[0][1]["expanded"] = 4
    assert signature(iter(cases), told.append) != signature(iter([cases[0], ("a game", [1.0, "udlu"])]), told.append)


def test_the_recorded_signature_is_a_valid_digest():
    """`python benchmarks/signature.py --check`, which CI runs, compares with it."""
    assert re.fullmatch(r"[0-9a-f]{16}\n", (BENCHMARKS / "signature.txt").read_text(encoding="utf-8"))


def test_paths_over_a_map_have_scipys_costs():
    """To 1e-6, by an algorithm and a graph that have nothing in common with a search of ours."""
    grids = import_module("one_grid")
    given = grids.instances(90, 30, 6)
    costs = grids.searched(given)[1]
    assert costs == pytest.approx(grids.dijkstra(given), abs=1e-6)
    assert grids.difference(given, costs) == ""
    costs[2] += 1e-5
    assert grids.difference(given, costs).startswith(f"way 3 costs {costs[2]!r}, by Dijkstra ")


def test_families_of_kernels_are_compared_on_the_same_nodes():
    families = import_module("families")
    spent = {"user": 1.0, "system": 0.5}
    case = families.Case("breadth-first", "2048", None, None, 3000)
    own, heap = (families.measured(case, spent, by_heap=by_heap) for by_heap in (False, True))
    assert own.nodes == heap.nodes
    assert own.family == heap.family == "in-order"
    assert own.bytes_a_node < heap.bytes_a_node
    assert own.nanoseconds == 500_000
