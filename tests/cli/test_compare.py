"""`searchlab compare`: two configurations in sum, in tests, and board by board."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def compared(make_record, make_results, folder):
    """Thirty boards: 27 both solve, with a ratio of 1 to 4, two only A, one neither."""
    records = []
    for n in range(30):
        records.append(make_record(n, "taxicab", expanded=100 + n, seconds=0.1, status="solved" if n < 29 else "error"))
        status = "solved" if n < 27 else "time-limit"
        records.append(make_record(n, "misplaced", expanded=4 * (100 + n), seconds=0.1, status=status))
    return make_results(records, "folder")


def test_the_page_of_a_comparison(run, compared):
    """Who solves more, sums and ratios, tests, and the boards, those first that only one solved."""
    ran = run("compare", "folder", "taxicab", "misplaced/astar")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[:5] == [
        "A  taxicab",
        "B  misplaced/astar",
        "",
        "30 pairs of runs: A solved 29, B 27; only A 2, only B 0, neither 1",
        "who solves more, sign test: fewer than 6 pairs differ: it can show nothing",
    ]
    assert [" ".join(line.split()) for line in lines[6:10]] == [
        "solved by both sum A sum B A less B less A / B 95 % interval",
        "expanded 3,051 12,204 27 0 0.250 –",
        "seconds 2.70 2.70 0 0 1.00 –",
        "cost 81 81 0 0 1.00 –",
    ]
    assert "expanded, seconds, cost: no interval, because all ratios are equal" in lines
    assert ["expanded", "27", "<", "0.001", "<", "0.001"] in [line.split() for line in lines]
    assert "seconds, cost: no pair differs" in lines
    boards = [line.split() for line in lines if line.startswith("boards/")]
    assert boards[0] == ["boards/27.txt", "only", "A", "127", "time-limit", *boards[0][5:]]
    assert boards[2] == ["boards/0.txt", "both", "100", "400", "0.250", *boards[2][5:]]
    assert len(boards) == 20
    assert "… and 10 more pairs, solved 9 by both, 1 by neither; --all-boards shows them" in lines


def test_all_boards_are_shown_on_request(run, compared):
    ran = run("compare", "folder", "taxicab", "misplaced", "--all-boards")
    assert ran.out.count("boards/") == 30
    assert "more pairs" not in ran.out


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_page(run, compared, monkeypatch, width):
    """The figures of both sides are shown or left out together."""
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("compare", "folder", "taxicab", "misplaced").out.splitlines()
    assert max(map(len, lines)) <= width
    (heading,) = [line for line in lines if line.startswith("board_name")]
    assert all((f"{name} A" in heading) == (f"{name} B" in heading) for name in ("expanded", "seconds", "cost"))


def test_json_has_all_figures_and_boards(run, compared):
    found = run("compare", "folder", "taxicab", "misplaced", "--json").json
    assert (found["a"], found["b"], found["pairs"]) == ("taxicab", "misplaced", 30)
    assert found["solved_by"] == {"a": 2, "b": 0, "both": 27, "neither": 1}
    assert found["coverage_sign_test"]["p"] == 0.5
    expanded = found["measures"]["expanded"]
    assert (expanded["pairs"], expanded["sum_a"], expanded["smaller_a"]) == (27, 3051, 27)
    assert expanded["ratio"] == pytest.approx(0.25)
    assert (expanded["interval"], expanded["independent"]) == (None, 27)
    assert expanded["interval_remark"] == "no interval, because all ratios are equal"
    assert expanded["sign_test"]["p"] == pytest.approx(2 / 2**27)
    assert found["measures"]["cost"]["wilcoxon_test"] == {"pairs": 0, "p": None, "remark": "no pair differs"}
    assert len(found["boards"]) == 30
    assert found["boards"][28]["cost_b"] is None


def test_few_boards_have_no_interval_even_with_repetitions(run, make_record, make_results, folder):
    """A line says why, and how many pairs count."""
    records = [
        make_record(n, heuristic, repetition=r, expanded=expanded + n, seconds=0.1 + n * expanded / 1000 + r / 100)
        for n in range(4)
        for r in range(1, 4)
        for heuristic, expanded in (("taxicab", 100), ("misplaced", 300))
    ]
    make_results(records, "few")
    lines = run("compare", "few", "taxicab", "misplaced").out.splitlines()
    assert "expanded, seconds, cost: no interval from fewer than 5 different boards or seeds" in lines
    assert "in A / B and the tests, pairs of one board count once: 4 of them" in lines


def test_some_of_the_runs_are_compared(run, compared):
    """Runs that meet a condition are compared; runs without a counterpart are counted."""
    ran = run("compare", "folder", "taxicab", "misplaced", "--where", "status=solved", "--json")
    assert (ran.json["pairs"], ran.json["unpaired"]) == (27, {"a": 2, "b": 0})
    shown = run("compare", "folder", "taxicab", "misplaced", "--where", "status=solved").out
    assert "without a counterpart, and left out: 2 of A, 0 of B" in shown


def test_a_comparison_without_common_solutions_says_so(run, make_record, make_results, folder):
    """The boards are shown."""
    make_results([make_record(1), make_record(1, "misplaced", status="error")], "folder")
    ran = run("compare", "folder", "taxicab", "misplaced")
    assert "no board was solved by both, so there is nothing to compare in sum" in ran.out
    assert ran.out.splitlines()[-1].split()[:3] == ["boards/1.txt", "only", "A"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["taxcab", "misplaced"], "nothing that was run is called 'taxcab': did you mean 'taxicab'?"),
        (["taxicab", "taxicab"], "are the same runs"),
        (["taxicab"], "missing argument 'B' (see searchlab compare --help)"),
        (["taxicab", "misplaced", "--where", "x=1"], "there is no column 'x'"),
        (["taxicab", "misplaced", "--where", "board_name~nothing"], "nothing that was run is called 'taxicab'"),
    ],
)
def test_invalid_arguments_are_refused_with_the_valid_ones(run, compared, arguments, said):
    assert said in run("compare", "folder", *arguments).error


@pytest.fixture
def games(make_game, make_results, folder):
    """Thirty games of two players with the same seeds, and one of another seed."""
    records = [make_game("greedy", seed, 400.0 + seed) for seed in range(1, 31)]
    records += [make_game("random", seed, 100.0 + seed) for seed in range(1, 30)]
    return make_results(records, "games")


def test_the_page_of_a_comparison_of_games(run, games):
    """Sums, ratios and tests, then seed by seed."""
    ran = run("compare", "games", "greedy", "random")
    assert (ran.code, ran.err) == (0, "")
    lines = [" ".join(line.split()) for line in ran.out.splitlines()]
    assert lines[:5] == [
        "A greedy",
        "B random",
        "",
        "without a counterpart, and left out: 1 of A, 0 of B",
        "",
    ]
    assert lines[5] == "games sum A sum B A less B less A / B 95 % interval"
    assert lines[6].startswith("score 12,035 3,335 0 29 3.62 3.5")
    assert "A / B: geometric mean over 29 pairs of games, of the score above 1 where A earns" in lines
    assert "score 29 < 0.001 < 0.001" in lines
    assert "1 401 101 50 50 dead dead" in lines
    assert lines[-1] == "… and 9 more pairs; --all-boards shows them"
    assert run("compare", "games", "greedy", "random", "--all-boards").out.splitlines()[-1].split()[:2] == ["29", "429"]


def test_json_of_a_comparison_of_games_has_no_figures_of_solving(run, games):
    found = json.loads(run("compare", "games", "greedy", "random", "--json").out)
    assert set(found) == {"a", "b", "pairs", "unpaired", "measures", "machines", "games"}
    score = found["measures"]["score"]
    assert score["ratio"] == pytest.approx(3.62, abs=0.05)
    assert score["interval"] == pytest.approx([3.54, 3.69], abs=0.01)
    assert score["interval_remark"] == ""
    assert found["games"][0]["score_a"] == 401
