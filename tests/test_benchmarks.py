"""The benchmarks: what they run, what they compare with, and how they say what is wrong."""

import json
import re
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


def both_sets():
    """Return the workloads of the full and of the quick set."""
    workloads = import_module("workloads").workloads
    return [*workloads("full"), *workloads("quick")]


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


@pytest.mark.parametrize("chosen", ["full", "quick"])
def test_workloads_of_a_set_have_names_of_their_own(chosen):
    """`--only` with a full name means one workload, and a title fits its column."""
    workloads = import_module("workloads").workloads(chosen)
    names = [workload.name for workload in workloads]
    assert len(names) == len(set(names))
    assert all(len(workload.title) <= import_module("table").WIDTHS[0] for workload in workloads)


def test_every_target_can_be_judged():
    """A target is one bound, and one on the ratio has a yardstick."""
    for workload in both_sets():
        assert workload.goals
        for goal in workload.goals:
            bounds = [bound for bound in (goal.at_most, goal.at_least) if bound is not None]
            assert len(bounds) <= 1
            assert not bounds or not goal.by_ratio or workload.yardstick


def test_every_search_can_be_set_up():
    """The boards, domains, heuristics and frontiers of the workloads exist and fit each other."""
    searches = [workload.searchlab for workload in both_sets() if workload.searchlab.name == "one_search.py"]
    assert searches
    for program in searches:
        options = dict(argument.removeprefix("--").partition("=")[::2] for argument in program.arguments)
        if "enumerate" in options:
            assert sl.domain(options["domain"]).start()
            continue
        text = options.get("board")
        board = (sl.Board.parse if "\n" in text else sl.read_board)(text) if text else None
        parts = {kind: options[kind] for kind in ("domain", "heuristic", "frontier")}
        plugins = sl.Plugins(files=[options["plugin"]]) if "plugin" in options else sl.Plugins()
        assert import_module("searchlab.search.solve").problem(board, **parts, plugins=plugins)


def test_every_program_is_there():
    """What the workloads start lies in benchmarks/ or is built from what lies in benchmarks/yardstick/."""
    programs = [program for workload in both_sets() for program in (workload.searchlab, workload.yardstick) if program]
    for program in programs:
        source = BENCHMARKS / "yardstick" / f"{program.name}.cpp" if program.is_cpp else BENCHMARKS / program.name
        assert program.name == "searchlab" or source.is_file()


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (
            "A* Q=bucket inst1 len=55 exp=4413109 gen=8737073 nodes=7990031 reopened=0 1.478s 2.987 Mexp/s "
            "5.913 Mgen/s rss=202MB 25.9 B/node",
            {"moves": 55, "expanded": 4413109, "generated": 8737073, "generated_rate": 5.913, "bytes_a_node": 25.9},
        ),
        (" d 20 layer 9\nexhausted: total states 156937133 dead ends 1 best tile 128", {"states": 156937133}),
        ("solved in 1,041 moves, not proved optimal", {"moves": 1041}),
        ("Usage: searchlab [OPTIONS] COMMAND", {"usage": "searchlab"}),
        ('{"moves": 31, "user": 0.5}', {"moves": 31, "user": 0.5}),
    ],
)
def test_figures_are_read_from_what_programs_print(output, found):
    """The C++ programs, `searchlab solve` and the Python files are understood."""
    assert import_module("measuring").printed(output) == found


def test_a_wrong_result_fails(tmp_path):
    """A program that finds something else than it has to is a failure that names both."""
    measuring, run = import_module("measuring"), import_module("run")
    with pytest.raises(measuring.Failure, match=r"textbook\.py .*moves is 31, has to be 30"):
        run.checked(measuring.Program("textbook.py"), {"moves": 30}, tmp_path)


def test_a_workload_without_an_expected_result_cannot_be_written():
    """Every row checks what was found."""
    assert all(workload.expected for workload in both_sets())
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


def test_a_busy_machine_is_told():
    """Its load is always shown, with a warning where other programs ran before or beside the benchmark."""
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
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["run.py", "--quick", "--only", "astar-korf2"])
    assert run.main() == 1
    assert "g++ is not installed: skipped are astar-korf2" in capsys.readouterr().out


def test_without_a_compiler_one_line_says_what_is_skipped(monkeypatch, tmp_path, capsys):
    """The workloads measured against C++ are left out, the others stay."""
    monkeypatch.setenv("PATH", str(tmp_path))
    kept = import_module("run").buildable(import_module("workloads").workloads("quick"), tmp_path)
    said = capsys.readouterr().out
    assert "g++ is not installed: skipped are astar-korf2, " in said
    assert said.count("\n") == 2
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


def test_the_recorded_signature_is_one():
    """`python benchmarks/signature.py --check`, which CI runs, compares with it."""
    assert re.fullmatch(r"[0-9a-f]{16}\n", (BENCHMARKS / "signature.txt").read_text(encoding="utf-8"))


def test_ways_over_a_map_cost_what_scipy_says():
    """To 1e-6, by an algorithm and a graph that have nothing in common with a search of ours."""
    grids = import_module("one_grid")
    given = grids.instances(90, 30, 6)
    costs = grids.searched(given)[1]
    assert costs == pytest.approx(grids.dijkstra(given), abs=1e-6)
    assert grids.difference(given, costs) == ""
    costs[2] += 1e-5
    assert grids.difference(given, costs).startswith(f"way 3 costs {costs[2]!r}, by Dijkstra ")
