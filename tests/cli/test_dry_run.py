"""What an experiment will do is told on a page of 80 columns."""

import pytest

import searchlab as sl
from searchlab.cli.progress import generation_progress
from searchlab.cli.run import dry_run_lines
from searchlab.experiments.file_format import Exclusion, Generation
from searchlab.experiments.matrix import matrix
from searchlab.experiments.spec import Experiment


def told(workers=2, **experiment):
    """Return the lines for an experiment."""
    return dry_run_lines(matrix(Experiment(**experiment), sl.Plugins()), workers)


def test_the_matrix_its_counts_and_what_is_skipped():
    """An axis a line, then reasons with what they are about, then what it takes."""
    lines = told(
        name="two games",
        description="A description that does not fit on one line because it goes on and on, word after word.",
        boards=["2048/board10", "2048/start", "sliding-tile/example"],
        heuristics=["snake", "taxicab"],
        frontiers=["greedy", "ida-star"],
        seeds=[4, 5],
        repetitions=3,
        exclude=[Exclusion(heuristic="penalty")],
        limits=sl.Limits(10.0, 2**30, 5000),
    )
    assert lines == [
        "two games",
        "A description that does not fit on one line because it goes on and on, word",
        "after word.",
        "",
        "boards         3",
        "domains        2  2048, sliding-tile",
        "heuristics     2  snake, taxicab",
        "frontiers      2  greedy, ida-star",
        "seeds          2  4, 5",
        "repetitions    3",
        "combinations  72",
        "skipped       60",
        "runs          12",
        "",
        "skipped:",
        "24  heuristic 'taxicab' is made for sliding-tile, not for 2048; for that there",
        "    are: column-snake, distance-weighted, empty, left-weighted, moves-to-go,",
        "    ntuple, penalty, smooth, snake, tutorial",
        "      taxicab on 2048",
        "12  nothing in it takes a seed: it runs once, without one",
        "      snake with greedy, taxicab with greedy, taxicab with ida-star",
        "12  ida-star needs an estimate of the cost to go, and snake is a score (higher",
        "    is better); take another heuristic or frontier",
        "      snake with ida-star on 2048",
        "12  heuristic 'snake' is made for 2048, not for sliding-tile; for that there",
        "    are: euclidean, misplaced, taxicab",
        "      snake on sliding-tile",
        "excludes nothing: heuristic penalty",
        "",
        "limits of a run: 10 s, 1 GiB, 5,000 expansions",
        "at most 1 min: 12 runs, 2 at a time",
    ]


def test_of_many_things_the_first_are_listed():
    """Every line fits the page."""
    lines = told(boards=["sliding-tile/korf100"], frontiers=[f"beam:width={width}" for width in range(1, 200)])
    assert "frontiers        199  beam:width=1, beam:width=2, beam:width=3, beam:width=4," in lines
    assert "                      beam:width=5, beam:width=6, … and 193 more" in lines
    assert "runs          19,900" in lines
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("limits", "workers", "last"),
    [
        (sl.Limits(), 4, "no time limit: nobody knows how long it takes; 14 runs, 4 at a time"),
        (sl.Limits(60.0), 4, "at most 4 min: 14 runs, 4 at a time"),
        (sl.Limits(60.0), 40, "at most 1 min: 14 runs, 14 at a time"),
    ],
)
def test_what_it_takes(limits, workers, last):
    """As long as the runs that one worker gets, each up to its time limit."""
    lines = told(workers, boards=["2048"], limits=limits)
    assert lines[-1] == last


def test_where_everything_is_skipped_there_is_nothing_to_run():
    """The reasons are above."""
    lines = told(boards=["2048"], heuristics=["taxicab"])
    assert lines[-2:] == ["limits of a run: none", "nothing to run"]


GENERATED = """
frontiers = ["greedy"]
heuristics = ["taxicab", "misplaced"]
limits = {time = 1}

[[generate]]
generator = "shuffled"
domain = "sliding-tile"
count = 1000000
"""


def test_boards_are_generated_when_it_runs(run, write):
    """A dry run of a million makes the first of them, and says so."""
    ran = run("run", write("many.toml", GENERATED), "--dry-run", "--workers", 2)
    assert (ran.code, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    assert "boards 1,000 " in text
    assert "counted on 1,000 of 1,000,000 boards; the others are generated when it runs" in text
    assert "about 2,000,000 runs in all" in text
    assert text.endswith("at most 277 h 46 min: 2,000,000 runs, 2 at a time")


def test_how_many_boards_are_generated_is_shown_where_it_takes_a_while(capsys, monkeypatch):
    """Here every moment is a while; the number of all is that of the experiment."""
    monkeypatch.setattr("searchlab.cli.progress.EVERY", 0.0)
    monkeypatch.setattr("searchlab.cli.progress.REFRESHES", 1e9)
    generate = [Generation("shuffled", "sliding-tile", 3), Generation("shuffled", "sliding-tile", 2, seed=7)]
    with generation_progress() as watch:
        made = matrix(Experiment(generate=generate), sl.Plugins(), watch=watch)
    assert (len(made.runs), made.not_generated) == (5, 0)
    assert capsys.readouterr().err.splitlines() == [
        f"searchlab: {count} of 5 boards generated" for count in range(1, 6)
    ]
