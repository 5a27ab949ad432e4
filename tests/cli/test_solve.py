"""`searchlab solve`: the search, the output, and the exit code."""

from __future__ import annotations

import json
import math
import os

import pytest

import searchlab as sl
from searchlab.cli import plot
from searchlab.cli import solve as solve_module
from searchlab.cli import view as view_module
from searchlab.model.limits import Limits
from searchlab.search.problem import Problem

TRANSCRIPT = """\
Minimum number of moves = 3
3
1 2 3
0 4 6
7 5 8
3
1 2 3
4 0 6
7 5 8
3
1 2 3
4 5 6
7 0 8
3
1 2 3
4 5 6
7 8 0
"""
FIELDS = {
    *("status", "moves", "cost", "actions", "optimal", "expanded", "generated", "evaluated", "reopened", "stored"),
    *("max_open", "seconds", "cpu_seconds", "peak_bytes", "domain", "heuristic", "frontier", "versions"),
}


JUGS = """
import searchlab as sl


def pours(state):
    yield from (("fill", (4, state[1])), ("pour", (state[0] - 1, state[1] + 1)))


jugs = sl.Domain("jugs", pours, lambda state: state[1] == 8, start=lambda: (4, 0))
hooks = sl.plugin(jugs)
"""


@pytest.mark.parametrize("arguments", [["solve", "(4, 1)"], ["solve", "-"], ["solve", "s.txt"], ["run", "s.txt"]])
def test_a_state_that_is_no_board_cannot_be_named(run, write, arguments):
    """A line says what to do instead."""
    write("s.txt", "(4, 1)")
    ran = run("--plugin", write("jugs.py", JUGS), *arguments, "--domain", "jugs", stdin=b"(4, 1)")
    assert ran.error.removeprefix("domains: ") == (
        "the states of jugs are tuples, which cannot be named: leave BOARD out to begin at the start of the domain, "
        "or call sl.solve(STATE, domain=…) in Python"
    )


def test_states_that_are_no_boards_are_called_states(run, write):
    ran = run("--plugin", write("jugs.py", JUGS), "solve", "--domain", "jugs", "--frontier", "breadth-first")
    assert "… 5 states left out; --moves-only or --transcript prints all …" in ran.out


def test_a_board_is_solved_and_shown(solve, board10_file):
    """The summary says how it ended, what searched, and shows every board of a short solution."""
    ran = solve(board10_file, "--domain", "2048")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("solved in 3 moves, optimal\n2048 · left-weighted · greedy · readable engine\n")
    assert "down ×3\n" in ran.out
    assert "\n2048    4   16    4\n" in ran.out
    assert all(len(line) <= 80 for line in ran.out.splitlines())


def test_without_a_board_the_start_board_of_2048_is_searched(solve):
    """A long solution is folded, with its first and last boards, and told how to see all of it."""
    ran = solve()
    assert ran.code == 0
    assert ran.out.startswith("solved in 1,041 moves, at most 1.01 × the optimum\n")
    assert "1,466 expanded · 3,672 generated" in ran.out
    assert "1,038 boards left out; --moves-only or --transcript prints all" in ran.out
    assert len(ran.out.splitlines()) < 40


def test_the_transcript_is_exact(solve, sliding):
    """--transcript prints the worked example of the assignment byte by byte."""
    assert solve(sliding, "--transcript").out == TRANSCRIPT


def test_minimum_is_printed_if_it_is_proved(solve, board10_file):
    """The lower bound of the domain proves the three moves of board10."""
    assert solve(board10_file, "--transcript", "--domain", "2048").out.startswith(
        "Minimum number of moves: 3\n4\n  256"
    )
    assert solve("--goal", 64, "--transcript").out.startswith("Number of moves: ")


def test_moves_only_prints_the_moves_in_one_line(solve, sliding):
    assert solve(sliding, "--moves-only").out == "right down right\n"


def test_json_is_one_object_with_all_fields(solve, sliding):
    ran = solve(sliding, "--json")
    assert ran.out.count("\n") == 1
    assert set(ran.json) >= FIELDS
    assert ran.json["actions"] == ["right", "down", "right"]
    assert (ran.json["status"], ran.json["moves"], ran.json["cost"], ran.json["optimal"]) == ("solved", 3, 3, True)


def test_improvements_are_lines_of_json_before_the_result(solve):
    ran = solve("sliding-tile/puzzle8-27", "--frontier", "cabs", "--json", "--improvements")
    *found, result = map(json.loads, ran.out.splitlines())
    assert [one["cost"] for one in found] == [47, 39, 27]
    assert [one["cost"] for one in result["solutions"]] == [47, 39, 27]
    assert found[-1]["actions"] == result["actions"]


def test_a_search_that_ends_at_its_first_solution_has_one_improvement(solve, sliding):
    first, result = map(json.loads, solve(sliding, "--json", "--improvements").out.splitlines())
    assert (first["cost"], result["ended_by"]) == (3, "solution")


def test_improvements_are_for_json(solve, sliding):
    assert "--improvements is for --json" in solve(sliding, "--improvements").err


def test_a_limit_after_a_solution_is_named_and_the_exit_code_is_0(solve):
    ran = solve("sliding-tile/korf100/002", "--frontier", "cabs", "--max-expansions", "20000")
    assert ran.code == 0
    assert ran.out.startswith("solved in ")
    assert "expansion-limit after 20,000 expansions" in ran.out.replace("\n", " ")


def test_without_a_solution_moves_cost_and_actions_are_null(solve, unsolvable):
    """An unsolvable board exits with 1, and JSON has null for what there is not."""
    ran = solve(unsolvable, "--domain", "sliding-tile", "--json")
    assert ran.code == 1
    assert (ran.json["moves"], ran.json["cost"], ran.json["actions"]) == (None, None, None)


@pytest.mark.parametrize("form", ["--transcript", "--moves-only"])
def test_without_a_solution_standard_output_is_empty(solve, unsolvable, form):
    """One line on standard error says why there is nothing to print."""
    ran = solve(unsolvable, "--domain", "sliding-tile", form)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("searchlab: unsolvable: from this board 1 2 3")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "value", "status"),
    [
        ("--time-limit", "0s", "time-limit"),
        ("--max-expansions", 10, "expansion-limit"),
        ("--memory-limit", "4KiB", "memory-limit"),
    ],
)
def test_a_limit_ends_the_search_with_3(solve, option, value, status):
    """Each limit has its status and the exit code 3, and the figures so far."""
    ran = solve(option, value, "--json")
    assert ran.code == 3
    assert ran.json["status"] == status
    said = solve(option, value).out.splitlines()[0]
    assert said.startswith(f"{status}: no solution found within ")


def test_standard_input_is_read(solve):
    """A board of - comes from standard input."""
    assert solve("-", "--moves-only", stdin=b"3\n1 2 3\n0 4 6\n7 5 8\n").out == "right down right\n"


def test_a_shipped_board_is_found_by_name(solve):
    """A board that ships with searchlab needs no path, and its set.toml names the domain and the optimum."""
    ran = solve("sliding-tile/puzzle8-20", "--frontier", "greedy")
    assert ran.err == ""
    assert "(the known optimum is 20)" in ran.out.splitlines()[0]
    ran = solve("sliding-tile/puzzle8-20", "--frontier", "weighted-astar:weight=1.5")
    assert ran.out.splitlines()[0] == "solved in 20 moves, at most 1.12 × the optimum (20 is the known optimum)"


@pytest.mark.slow
def test_a_note_says_whether_a_bare_function_is_minimised(run, write):
    """It says more if the default heuristic of the game is a score."""
    write("mono.py", "def mono(tiles, weight=1):\n    return weight * (tiles == 0).sum()\n")
    ran = run("solve", "2048/board10", "--heuristic", "mono.py:mono:weight=2", "--max-expansions", 50)
    assert "2048 · mono:weight=2, lower is better · greedy" in ran.out
    assert "for a score, where higher is better, write mono.py:mono:weight=2,prefer=high" in ran.err
    ran = run("solve", "2048/board10", "--heuristic", "mono.py:mono:prefer=high", "--max-expansions", 50)
    assert "mono:prefer=high, higher is better" in ran.out
    assert "write" not in ran.err
    ran = run("evaluate", "2048/board10", "--heuristic", "mono.py:mono", "--heuristic", "empty")
    assert ran.out.endswith("\nmono.py:mono: lower is better\n")
    assert "write mono.py:mono:prefer=high" in ran.err
    ran = run("solve", "sliding-tile/puzzle8-20", "--heuristic", "mono.py:mono", "--frontier", "uniform-cost")
    assert ran.out.splitlines()[1].startswith("sliding-tile · no heuristic · uniform-cost · ")
    assert ran.err == ""
    ran = run("evaluate", "sliding-tile/puzzle8-20", "--heuristic", "mono.py:mono")
    assert (ran.err, ran.out.splitlines()[-1]) == ("", "mono.py:mono: lower is better")


@pytest.mark.parametrize("command", ["solve", "evaluate"])
@pytest.mark.parametrize(("prefer", "hint"), [("low", False), ("high", True)])
def test_a_bare_function_is_used_in_a_domain_whose_heuristic_is_in_a_plugin_file(run, write, command, prefer, hint):
    """The domain's own heuristic, which the note depends on, is not among the installed ones."""
    write(
        "coins.py",
        "import searchlab as sl\n"
        "def moves(board):\n    yield 'take', sl.Board([[board.tile_at(0, 0) - 1]])\n"
        "coins = sl.Domain('coins', moves, lambda board: board.tile_at(0, 0) == 0, start=lambda: sl.Board([[3]]),\n"
        "                  defaults=sl.Defaults(heuristic='left'))\n"
        f"left = sl.Heuristic('left', lambda tiles: tiles[0, 0], domains={{'coins'}}, prefer={prefer!r})\n"
        "hooks = sl.plugin(coins, left)\n",
    )
    write("half.py", "def half(tiles):\n    return tiles[0, 0] / 2\n")
    board = write("3.txt", "1 1\n3\n")
    ran = run(command, board, "--plugin", "coins.py", "--domain", "coins", "--heuristic", "half.py:half")
    assert ran.code == 0, ran
    assert ("write half.py:half:prefer=high" in ran.err) == hint


@pytest.mark.slow
def test_a_known_optimum_that_a_proof_contradicts_is_a_warning(run, write, folder):
    """Which names both, in the table of an experiment, too."""
    write("known/x.txt", "3\n1 2 3\n4 5 6\n0 7 8\n")
    write("known/set.toml", 'domain = "sliding-tile"\n[optimal]\nx = 1\n')
    ran = run("solve", "known/x.txt")
    assert ran.code == 0
    assert "warning: the known optimum is 1, and 2 is proved optimal: one of them is wrong" in ran.err
    sl.run(sl.Experiment(boards=["known"], frontiers=["astar"]), folder=folder / "runs", workers=1)
    shown = run("results", "runs")
    assert "warning: known/x.txt: the known optimum is 1, and 2 is proved optimal" in shown.err


def test_a_domain_inferred_from_the_tiles_is_announced(solve, sliding):
    ran = solve(sliding, "--json")
    assert ran.json["domain"] == "sliding-tile"
    assert ran.err == "searchlab: domain sliding-tile, judging by the tiles (--domain NAME chooses one)\n"


def test_set_toml_names_the_domain_and_goal_overrides_it(solve, write):
    """The domain beside the board is taken with its parameters; --goal changes one of them."""
    board = write("set/b.txt", "2\n3 1\n2 0\n")
    write("set/set.toml", 'domain = "sliding-tile:goal=blank-first"\n')
    assert solve(board, "--json").json["domain"] == "sliding-tile:goal=blank-first"
    assert solve(board, "--json", "--goal", "blank-last").json["domain"] == "sliding-tile"
    assert solve(board, "--json", "--domain", "sliding-tile").json["domain"] == "sliding-tile"


def test_goal_may_be_given_twice_if_equal(solve):
    assert solve("--domain", "2048:goal=16", "--goal", 16, "--json").json["domain"] == "2048:goal=16"


def test_a_heuristic_from_a_plugin_file_is_used(solve, plugin):
    """--plugin and FILE.py:function both find a heuristic, with parameters."""
    named = solve("--goal", 16, "--plugin", plugin, "--heuristic", "first-tile:weight=2", "--json")
    assert (named.code, named.json["heuristic"]) == (0, "first-tile:weight=2")
    mentioned = solve("--goal", 16, "--heuristic", f"{plugin}:first_tile", "--json")
    assert (mentioned.code, mentioned.json["expanded"]) == (0, named.json["expanded"])


def test_a_failing_heuristic_is_an_error_of_one_line_with_exit_code_4(solve, plugin):
    """JSON is still printed."""
    ran = solve("--plugin", plugin, "--heuristic", "failing", "--json")
    assert ran.code == 4
    assert ran.json["status"] == "error"
    told = [line for line in ran.err.splitlines() if ": error: " in line]
    assert len(told) == 1
    assert "ValueError: no idea" in told[0]
    assert "mine.py" in told[0]


def test_the_board_a_heuristic_fails_on_is_shown(solve, plugin):
    """A value that is no number ends the search, and the summary shows the board."""
    ran = solve("--plugin", plugin, "--heuristic", "no-number")
    assert ran.code == 4
    assert "NaN" in ran.err
    assert "it failed on\n4\n" in ran.out


def test_costs_are_printed_if_moves_do_not_cost_1(solve, plugin, sliding):
    ran = solve(sliding, "--plugin", plugin, "--domain", "unchecked", "--json")
    assert (ran.code, ran.json["moves"], ran.json["heuristic"]) == (0, 0, "no_estimate")


@pytest.mark.parametrize("form", [[], ["--json"], ["--transcript"], ["--moves-only"]])
def test_output_writes_to_a_file(solve, folder, sliding, form):
    """Standard output is empty."""
    printed = solve(sliding, "--domain", "sliding-tile", *form)
    ran = solve(sliding, "--domain", "sliding-tile", *form, "--output", "out.txt")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    written = (folder / "out.txt").read_text()
    if "--json" in form:
        assert json.loads(written)["actions"] == printed.json["actions"]
    elif form:
        assert written == printed.out
    else:
        assert written.splitlines()[0] == printed.out.splitlines()[0]
    assert sorted(path.name for path in folder.iterdir()) == ["out.txt", "sliding.txt"]


def test_record_appends_a_row_a_run(solve, folder, sliding):
    """--record makes a file with a header, then appends."""
    for _ in range(2):
        assert solve(sliding, "--record", "runs.csv", "--moves-only").code == 0
    lines = (folder / "runs.csv").read_text().splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("board,domain,heuristic,")
    assert lines[1].startswith("1 2 3 / 0 4 6 / 7 5 8,sliding-tile,taxicab,astar,readable,1,solved,,3,3.0,True,")


def test_batches_are_asked_for_and_shown(solve, sliding):
    """--batch reaches the search, the summary and the JSON; an invalid size is refused."""
    ran = solve(sliding, "--batch", 20, "--domain", "sliding-tile")
    assert "astar · readable engine · batches of 20\n" in ran.out
    assert solve(sliding, "--batch", 20, "--json", "--domain", "sliding-tile").json["batch"] == 20
    assert "batches" not in solve(sliding, "--domain", "sliding-tile").out
    assert "0 is not in the range x>=1" in solve(sliding, "--batch", 0).error
    late = solve(sliding, "--domain", "sliding-tile", "--frontier", "astar:duplicates=late", "--batch", 2)
    assert late.error.startswith("astar cannot detect duplicates late in batches of 2")


def test_units_of_limits_are_read():
    """A bare number is seconds or bytes."""
    from searchlab.cli.options import BYTES, SECONDS

    assert [SECONDS.convert(text, None, None) for text in ("500ms", "2m", "3")] == [0.5, 120, 3]
    assert [BYTES.convert(text, None, None) for text in ("2KiB", "5")] == [2048, 5]
    assert Limits().seconds == math.inf


@pytest.mark.slow
def test_a_search_that_a_limit_ends_names_a_command_that_may_help(run):
    """It recommends the domain's defaults or, if these were used, another frontier."""
    ran = run("solve", "2048/diagonal", "--goal", 4096, "--heuristic", "penalty", "--max-expansions", 100)
    assert ran.err == (
        "searchlab: this may help (2048 recommends them): searchlab solve 2048/diagonal --goal 4096 "
        "--max-expansions 100 --heuristic left-weighted --frontier greedy\n"
    )
    ran = run("solve", "sliding-tile/puzzle8-31", "--max-expansions", 100)
    assert ran.err.endswith(
        "searchlab solve sliding-tile/puzzle8-31 --max-expansions 100 --heuristic taxicab --frontier greedy\n"
    )
    for few in (0, 99):  # no search does better with so few
        assert run("solve", "sliding-tile/puzzle8-31", "--max-expansions", few).err == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "may_be_interpreted"), [((), True), (("--json",), False), (("--record", "runs.csv"), False)]
)
def test_measuring_searches_compile_at_once(run, monkeypatch, arguments, may_be_interpreted):
    """A result that is only shown may come from the readable engine, which compiles nothing."""
    from searchlab.search import solve

    given = []
    searched = solve.search
    monkeypatch.setattr("searchlab.cli.solve.INTERPRETED_SECONDS", 0.3)
    monkeypatch.setattr(
        solve,
        "search",
        lambda problem, **named: given.append(named["interpreted_seconds"]) or searched(problem, **named),
    )
    assert run("solve", "2048/board10", *arguments).code == 0
    assert given == [0.3 if may_be_interpreted else 0.0]


def test_the_first_solve_compiles_nothing(process, tmp_path):
    """The output names the engine."""
    environment = {**os.environ, "SEARCHLAB_CACHE_DIR": str(tmp_path)}
    ran = process("solve", "2048/board10", env=environment)
    assert ran.returncode == 0
    assert "2048 · left-weighted · greedy · readable engine\n" in ran.stdout
    assert not list(tmp_path.glob("*.machine-code"))


def test_a_search_is_prepared_once(run, monkeypatch):
    """Its tables and models are built, or looked up, by one call."""
    prepared, prepare = [], Problem.prepare
    monkeypatch.setattr(Problem, "prepare", lambda problem: prepared.append(problem) or prepare(problem))
    assert run("solve", "sliding-tile/puzzle8-20").code == 0
    assert len(prepared) == 1


def test_commands_that_search_name_heuristic_and_frontier_by_the_same_options():
    """Declared once, with the same help."""
    commands = [solve_module.solve, view_module.view, plot.plot.commands["search"]]
    for name in ("heuristic", "frontier"):
        assert len({option.help for command in commands for option in command.params if option.name == name}) == 1


def test_a_plan_file_is_for_actions_that_are_written_as_in_plans(solve, folder):
    """Other domains are refused before the search, in one line."""
    ran = solve("sliding-tile/puzzle8-20", "--plan-file", "moves.plan")
    assert ran.error.startswith("--plan-file is for actions like '(move rooma roomb)', and sliding-tile has 'left'")
    assert not (folder / "moves.plan").exists()


def test_without_a_plan_the_plan_file_stays_as_it_is(solve, folder):
    """A search that ends at a limit says so, and changes no file."""
    (folder / "old.plan").write_text("(old)\n")
    ran = solve("strips/gripper-8.pddl", "--max-expansions", "3", "--plan-file", "old.plan")
    assert (ran.code, (folder / "old.plan").read_text()) == (3, "(old)\n")
    assert "searchlab: old.plan: not written, there is no plan\n" in ran.err
