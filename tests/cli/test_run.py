"""`searchlab run`: experiments from files and from the command line, continued runs, and dry runs."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli.progress import EvaluationDisplay, generation_progress
from searchlab.cli.run import dry_run_lines, failure_lines
from searchlab.experiments.matrix import matrix
from searchlab.experiments.specification import Exclusion, Experiment, Generation
from searchlab.experiments.worker_pool import end_workers

READY = Path(__file__).parents[2] / "experiments"
EXPERIMENT = """
boards = ["sliding-tile/puzzle8-20", "broken.txt"]
domains = ["sliding-tile"]
heuristics = ["taxicab", "misplaced"]
frontiers = ["greedy", { name = "beam", width = [5, 50] }]
engine = "readable"

[limits]
expansions = 300
"""


@pytest.fixture(autouse=True)
def no_workers_left():
    """Each test begins with worker processes of its own."""
    yield
    end_workers()


@pytest.fixture
def experiment(folder):
    """An experiment file, one of its boards unreadable."""
    (folder / "some.toml").write_text(EXPERIMENT)
    (folder / "broken.txt").write_text("3\n1 2 x\n")
    return "some.toml"


def test_an_experiment_is_run_and_recorded(run, experiment):
    """An unreadable board is a row that says so; the others are done."""
    ran = run("run", experiment, "--workers", "1")
    assert ran.code == 0
    assert ran.out.startswith("12 runs, all done: ")
    assert ran.out.endswith("results: searchlab results results/some\n")
    table = sl.load_results("results/some")
    assert len(table) == 12
    broken = table[table.board_name == "broken.txt"]
    assert set(broken.status) == {"error"}
    assert broken.reason.str.startswith("broken.txt: line 2").all()
    assert set(table.heuristic) == {"taxicab", "misplaced"}


def test_json_has_counts_statuses_and_the_folder(run, experiment):
    ran = run("run", experiment, "--workers", "1", "--json")
    said = json.loads(ran.out)
    statuses = said.pop("statuses")
    assert said == {"results": "results/some", "runs": 12, "done": 12, "left": 0, "done_before": 0}
    assert sum(statuses.values()) == 12
    assert json.loads(run("run", experiment, "--workers", "1", "--json").out)["done_before"] == 12


@pytest.fixture
def limited_files():
    """Limit the size of files, as on a disk that is full."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def limited_files(size):
        resource.setrlimit(resource.RLIMIT_FSIZE, (before[0] if size is None else size, before[1]))

    yield limited_files
    limited_files(None)


def test_a_full_disk_is_reported_and_the_command_continues_with_room(run, experiment, limited_files):
    """Whichever write fails."""
    command = ("run", experiment, "--workers", "1")
    for size in (0, 4096, 40_000):
        limited_files(size)
        ran = run(*command)
        limited_files(None)
        assert ran.code == 5
        assert ran.out == ""
        assert re.fullmatch(r"searchlab: error: results/some[^\n]*: [^\n]*(full|error)[^\n]*\n", ran.err)
    assert run(*command).out.startswith("12 runs, all done")


VANDAL = """
import os, shutil

def deletes(tiles):
    shutil.rmtree("taken")
    return 0

def replaces(tiles):
    os.rename("taken", "elsewhere")
    os.mkdir("taken")
    return 0
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["deletes", "replaces"])
def test_a_results_folder_that_is_taken_away_is_noticed(run, folder, how):
    """What was done is in nobody's hands, so it is not all done; the same command begins anew."""
    (folder / "vandal.py").write_text(VANDAL)
    command = ("run", "2048/board10", "--engine", "readable", "--frontier", "greedy", "--workers", "1")
    ran = run(*command, "--heuristic", f"vandal.py:{how}", "--max-expansions", "1", "--output", "taken")
    assert (ran.code, ran.out) == (5, "")
    assert ran.err.startswith("searchlab: error: taken: deleted or replaced while being written; the same command")
    assert ran.err.count("\n") == 1
    assert run(*command, "--output", "taken").out.startswith("1 run, all done")


def test_repeating_the_command_does_the_remaining_runs(run, experiment):
    """No run is made twice; --retry repeats runs that failed."""
    run("run", experiment, "--workers", "1")
    ran = run("run", experiment, "--workers", "1")
    assert "12 done before" in ran.out
    ran = run("run", experiment, "--workers", "1", "--retry", "error")
    assert "6 done before" in ran.out
    assert len(sl.load_results("results/some")) == 12
    assert len(sl.load_results("results/some", all_attempts=True)) == 18


def test_experiment_json_repeats_an_experiment(run, experiment):
    """The command that the report shows."""
    run("run", experiment, "--workers", "1")
    again = run("run", "results/some/experiment.json", "--output", "again", "--workers", "1")
    assert again.code == 0
    tables = [sl.load_results(folder).sort_values("identity") for folder in ("results/some", "again")]
    assert tables[0].identity.tolist() == tables[1].identity.tolist()
    refused = run("run", "results/some/experiment.json", "--heuristic", "taxicab")
    assert "--heuristic cannot be combined with an experiment file" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "2048/board10", "--heuristic", "taxicab"), "1 combination skipped: heuristic 'taxicab' is made for"),
        (
            ("run", "2048/board10", "sliding-tile/example", "--domain", "2048", "--heuristic", "taxicab"),
            "2 combinations skipped: .*; --dry-run lists all reasons$",
        ),
        (("tournament", "random", "--domain", "strips"), "1,000 combinations skipped: strips has no start board"),
    ],
)
def test_an_experiment_in_which_everything_is_skipped_is_refused(run, folder, arguments, said):
    """With the reason, and before there are results."""
    assert re.match(f"nothing to run: {said}", run(*arguments).error)
    assert not (folder / "results").exists()


NO_HEURISTIC = """
from searchlab import Board, Domain, plugin

def successors(board):
    row = board.tiles[0]
    for many in range(2, len(row) + 1):
        yield f"turn{many}", Board([[*row[:many][::-1], *row[many:]]])

def is_goal(board):
    return list(board.tiles[0]) == sorted(board.tiles[0])

hooks = plugin(Domain("twist", successors, is_goal, start=lambda: Board([[3, 1, 2, 4]])))
"""


def test_a_domain_without_a_heuristic_runs_frontiers_that_use_none(run, folder):
    """As `solve` does; the others are skipped with the reason, and the table has an empty heuristic."""
    (folder / "twist.py").write_text(NO_HEURISTIC)
    listed = 'frontiers = ["astar", "breadth-first", "uniform-cost"]'
    (folder / "twist.toml").write_text(f'domains = ["twist"]\n{listed}\nengine = "readable"\n')
    plugin = ("--plugin", "twist.py")
    assert "astar on twist" in run("run", "twist.toml", "--dry-run", *plugin).out
    assert run("run", "twist.toml", "--workers", "1", *plugin).code == 0
    table = sl.load_results("results/twist").sort_values("frontier")
    assert table.frontier.tolist() == ["breadth-first", "uniform-cost"]
    assert table.heuristic.isna().all()
    assert (table.cost == 2).all()
    alone = ("--domain", "twist", "--frontier", "uniform-cost", "--engine", "readable", "--output", "x")
    assert run("run", *alone, *plugin).code == 0
    assert sl.load_results("x").identity.tolist() == table.identity.tolist()[1:]
    shown = run("results", "results/twist", "--group-by", "heuristic,frontier").out
    assert re.search(r"^– +breadth-first +1 ", shown, re.MULTILINE)
    needs = run("run", "--domain", "twist", "--frontier", "astar", *plugin).error
    assert needs.startswith("nothing to run: 1 combination skipped: twist has no heuristic of its own: name one")


def test_runs_of_another_experiment_in_the_folder_are_reported(run, experiment):
    """A larger experiment takes over the runs of a smaller one."""
    first = run("run", experiment, "--workers", "1")
    assert "also holds" not in first.out
    folder = ("--output", "results/some", "--workers", "1", "--max-expansions", "9")
    other = run("run", "2048/board10", "--frontier", "greedy", "--engine", "readable", *folder)
    said = "are not part of this experiment, but tables and reports show them, too"
    assert other.out.splitlines()[-2:] == [
        f"12 earlier runs in results/some {said}",
        "without them: searchlab results results/some --where limit_expansions=9",
    ]


def test_after_an_edit_of_limits_tables_show_all_runs_with_their_limits(run):
    """The message names the condition that omits the earlier runs."""
    arguments = ("run", "2048/board10", "--frontier", "greedy", "--engine", "readable", "--output", "r")
    run(*arguments, "--max-expansions", "9")
    assert "limit_expansions" not in run("results", "r", "--limit", "9").out
    last = run(*arguments, "--max-expansions", "30").out.splitlines()[-2:]
    assert last == [
        "1 earlier run in r is not part of this experiment, but tables and reports show them, too",
        "without them: searchlab results r --where limit_expansions=30",
    ]
    rows = [line.split() for line in run("results", "r").out.splitlines()]
    assert "limit_expansions" in rows[0]
    assert [row[rows[0].index("limit_expansions")] for row in rows[1:3]] == ["9", "30"]
    without = run("results", "r", "--where", "limit_expansions=30").out
    assert "1 of 2 runs: 1 solved" in without
    assert "limit_expansions" not in without


def test_runs_of_former_code_are_said_to_be_omitted(run, write):
    arguments = ("run", "sliding-tile/example", "--frontier", "greedy", "--engine", "readable", "--output", "r")
    for value in (0, 1):
        file = write("mine.py", f"def h(tiles):\n    return {value}\n")
        ran = run(*arguments, "--heuristic", f"{file}:h")
    assert ran.out.splitlines()[-1] == "1 older run in r is left out of tables; --all-versions shows them"
    assert "1 run: " in run("results", "r").out


def test_a_damaged_experiment_file_is_refused(run, folder):
    (folder / "experiment.json").write_text('{"name": "x", "bords": []}')
    refused = run("run", "experiment.json")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert refused.err.startswith("searchlab: error: experiment.json: ")
    (folder / "experiment.json").write_text("{")
    assert run("run", "experiment.json").err.startswith("searchlab: error: experiment.json: no experiment: ")


def test_an_experiment_may_be_given_by_options(run, folder):
    """Impossible combinations are skipped with a reason."""
    ran = run(
        *("run", "2048/board10", "sliding-tile/puzzle8-20", "--heuristic", "left-weighted", "--heuristic", "taxicab"),
        *(
            "--frontier",
            "greedy",
            "--engine",
            "readable",
            "--max-expansions",
            "50",
            "--output",
            "mine",
            "--workers",
            "1",
        ),
    )
    assert ran.code == 0
    assert "skipped: 2 combinations; --dry-run" in ran.err
    table = sl.load_results("mine")
    assert sorted(zip(table.board_name, table.heuristic, strict=True)) == [
        ("2048/board10", "left-weighted"),
        ("sliding-tile/puzzle8-20", "taxicab"),
    ]


def test_python_does_the_same(folder, experiment):
    """And returns the table."""
    table = sl.run(experiment, workers=1)
    assert len(table) == 12
    small = sl.Experiment(
        boards=["2048/board10"], frontiers=["greedy"], engine="readable", limits=sl.Limits(expansions=9)
    )
    assert list(sl.run(small, folder="small", workers=1).status) == ["solved"]


def test_a_dry_run_runs_nothing(run, folder, experiment):
    """It shows the runs and an estimate of their time."""
    ran = run("run", experiment, "--dry-run")
    assert ran.code == 0
    assert re.search(r"^runs +12$", ran.out, re.MULTILINE)
    assert not (folder / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["some.toml", "--heuristic", "taxicab"], "--heuristic cannot be combined with an experiment file"),
        (["some.toml", "more"], "some.toml is an experiment; more cannot be combined with it"),
        (["absent.toml"], "absent.toml"),
        (["absent"], "absent"),
        (["some.toml", "--retry", "eror"], "no run ends with status 'eror': did you mean 'error'"),
        (["some.toml", "--executor", "lokal"], "no executor is called 'lokal': did you mean 'local'"),
        (["some.toml", "--output", "broken.txt"], "broken.txt"),
        (["2048/board10", "--heuristic", "left-wieghted"], "did you mean 'left-weighted'"),
    ],
)
def test_invalid_arguments_are_refused(run, experiment, arguments, said):
    assert said in run("run", *arguments).error


@pytest.mark.parametrize("file", sorted(READY.glob("*.toml")), ids=lambda file: file.stem)
def test_shipped_experiments_are_valid(run, file):
    """Each says how long it takes at most, or limits expansions."""
    ran = run("tune" if "[tune]" in file.read_text() else "run", file, "--dry-run")
    assert ran.code == 0, ran.err
    assert "at most" in ran.out or "expansions" in ran.out
    assert file.stem in (READY / "README.md").read_text()


def test_games_are_run_and_continued(run, folder):
    """Players and seeds on the command line; the same command makes the remaining runs."""
    command = ("run", "--player", "random", "--player", "greedy", "--max-moves", 20, "--workers", "1")
    ran = run(*command, "--seeds", "1-3", "--seed", 7)
    assert ran.code == 0
    assert ran.out.startswith("8 runs, all done: move-limit 8")
    assert ran.out.endswith("results: searchlab results results/games\n")
    assert run(*command, "--seeds", "1-4").out.startswith("8 runs, all done, 6 done before: ")
    table = sl.load_results("results/games")
    assert len(table) == 10
    assert set(table["seed"]) == {1, 2, 3, 4, 7}
    assert set(table["moves"]) == {20}


def test_a_dry_run_shows_recorded_runs(run):
    """In the folder that the command would write to; what is repeated is left, and games are told from searches."""
    command = ("run", "--player", "random", "--max-moves", 20, "--time-limit", "1s", "--workers", "1")
    assert run(*command, "--seeds", "1-3").code == 0
    some = run(*command, "--seeds", "1-4", "--dry-run").out.splitlines()
    assert some[-2:] == ["results/games holds 3 runs of these already, 1 left", "at most 1 s: 1 run, 1 at a time"]
    all_done = run(*command, "--seeds", "1-3", "--dry-run").out.splitlines()
    assert all_done[-2:] == ["results/games holds 3 runs of these already, 0 left", "nothing to run"]
    repeated = run(*command, "--seeds", "1-4", "--dry-run", "--retry", "move-limit").out.splitlines()
    assert repeated[-1] == "at most 4 s: 4 runs, 1 at a time"
    said = "results/games: holds games; let searches have a folder of their own"
    assert said in run("run", "2048/board10", "--output", "results/games", "--dry-run").error


def test_a_dry_run_of_games(run, folder):
    """Players in place of heuristics and frontiers."""
    ran = run("run", "2048/board10", "--player", "random", "--player", "nobody", "--seeds", "1-9", "--dry-run")
    assert "players: " in ran.error
    ran = run("run", "2048/board10", "--player", "random", "--seeds", "1-9", "--max-moves", 5, "--dry-run")
    lines = ran.out.splitlines()
    assert [line.split()[:2] for line in lines[2:9]] == [
        *(["boards", "1"], ["domains", "1"], ["players", "1"], ["seeds", "9"], ["repetitions", "1"]),
        *(["combinations", "9"], ["skipped", "0"]),
    ]
    assert "limits of a run: 5 moves" in lines


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "missing argument 'EXPERIMENT.toml | BOARDS…'"),
        (("--seeds", "1-3"), "missing argument"),
        (("--player", "random", "--seeds", "3-1"), "--seeds: the range of seeds '3-1' ends before it begins"),
        (("--player", "random", "--heuristic", "snake"), "heuristics: it is for searches"),
        (("2048/board10", "--max-moves", "3"), "limits.moves: it limits games, and there are no players"),
        (("--player", "random", "--retry", "solved"), "no run ends with status 'solved'"),
    ],
)
def test_invalid_arguments_for_games(run, folder, arguments, said):
    """One line each."""
    assert said in run("run", *arguments).error


MAZE = """
from pathlib import Path

from searchlab import Board, Domain, Parameter, hookimpl


def successors(board, map):
    for cost, to in enumerate(Path(map).read_text(encoding="utf-8").split()):
        yield f"to-{to}", Board([[int(to)]]), cost + 1


def nothing(tiles):
    return 0


@hookimpl
def searchlab_domains():
    start = {"start": lambda: Board([[1]]), "unit_cost": False}
    map = Parameter("map", "", "where the moves lead"KIND)
    yield Domain("maze", successors, lambda board: board.tile_at(0, 0) == 9, parameters=(map,), **start)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "is_told"), [("", True), (', kind="file"', False)])
def test_an_undeclared_file_parameter_is_reported(run, write, kind, is_told):
    """By `run` before the runs, and by `plugins check`."""
    plugin = write("maze.py", MAZE.replace("KIND", kind))
    write("map.txt", "3 9")
    write("start.txt", "1\n1\n")
    said = "maze: map=map.txt is a file, and what it holds is not looked at when runs are told apart; declare "
    said += "Parameter('map', kind=\"file\")"
    arguments = ("--domain", "maze:map=map.txt", "--heuristic", f"{plugin}:nothing", "--frontier", "uniform-cost")
    ran = run("--plugin", plugin, "run", "start.txt", *arguments, "--engine", "readable", "--output", "results")
    assert (ran.code, ran.err.count(said)) == (0, is_told), ran.err
    ran = run("plugins", "check", "--plugin", plugin, "domain", "maze:map=map.txt")
    assert (said in " ".join(ran.out.split())) is is_told


def told(workers=2, **experiment):
    """Return the lines for an experiment."""
    return dry_run_lines(matrix(Experiment(**experiment), sl.Plugins()), workers)


def test_a_dry_run_shows_axes_counts_and_skipped_combinations():
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
        "    are: column-snake, distance-weighted, empty, left-weighted, max,",
        "    merges-to-go, moves-to-go, ntuple, penalty, smooth, snake, sum, tutorial,",
        "    weighted-sum",
        "      taxicab on 2048",
        "12  nothing in it takes a seed: it runs once, without one",
        "      snake with greedy, taxicab with greedy, taxicab with ida-star",
        "12  ida-star needs an estimate of the cost to go, and snake is a score (higher",
        "    is better); take another heuristic or frontier",
        "      snake with ida-star on 2048",
        "12  heuristic 'snake' is made for 2048, not for sliding-tile; for that there",
        "    are: euclidean, linear-conflict, max, misplaced, pattern-database, sum,",
        "    taxicab, walking-distance, weighted-sum",
        "      snake on sliding-tile",
        "excludes nothing: heuristic penalty",
        "",
        "limits of a run: 10 s, 1 GiB, 5,000 expansions",
        "at most 1 min: 12 runs, 2 at a time",
    ]


def test_a_dry_run_lists_the_first_of_many_items():
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
def test_a_dry_run_estimates_the_duration(limits, workers, last):
    """As long as the runs that one worker gets, each up to its time limit."""
    lines = told(workers, boards=["2048"], limits=limits)
    assert lines[-1] == last


def test_a_dry_run_says_if_everything_is_skipped():
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


def test_a_dry_run_generates_only_the_first_boards(run, write):
    ran = run("run", write("many.toml", GENERATED), "--dry-run", "--workers", 2)
    assert (ran.code, ran.err) == (0, "")
    text = " ".join(ran.out.split())
    assert "boards 1,000 " in text
    assert "counted on 1,000 of 1,000,000 boards; the others are generated when it runs" in text
    assert "about 2,000,000 runs in all" in text
    assert text.endswith("at most 277 h 46 min: 2,000,000 runs, 2 at a time")


def test_a_dry_run_shows_each_block_and_the_union():
    tiles = Experiment(name="tiles", boards=["sliding-tile/example"], heuristics=["taxicab"], frontiers=["greedy"])
    boards = [*tiles.boards, "sliding-tile/puzzle8-20"]
    more = replace(tiles, name="more", boards=boards, description="with another board", limits=sl.Limits(2.0))
    same = replace(tiles, name="same", pair=["heuristics", "frontiers"])
    assert told(name="all", runs=[tiles, more, same], description="Two of them.", order_seed=3) == [
        "all",
        "Two of them.",
        "",
        "tiles",
        *(one for one in TILES),
        "",
        "limits of a run: none",
        "",
        "more: with another board",
        *(one.replace("1", "2") if one.startswith(("boards", "comb", "runs")) else one for one in TILES),
        "",
        "limits of a run: 2 s",
        "",
        "same",
        *TILES[:5],
        "go together   2  heuristics, frontiers",
        *TILES[5:],
        "",
        "limits of a run: none",
        "",
        " 1  tiles",
        " 2  more",
        " 1  same",
        "-1  in several blocks",
        " 3  runs",
        "no time limit: nobody knows how long it takes; 3 runs, 2 at a time",
    ]


TILES = [
    "boards        1",
    "domains       1  sliding-tile",
    "heuristics    1  taxicab",
    "frontiers     1  greedy",
    "seeds         0",
    "repetitions   1",
    "combinations  1",
    "skipped       0",
    "runs          1",
]


def test_a_dry_run_counts_finished_runs_of_generated_boards_only():
    made = matrix(Experiment(generate=[Generation("shuffled", "sliding-tile", 9)]), sl.Plugins(), most_generated=6)
    lines = dry_run_lines(made, 1, recorded=6, folder="results/e")
    assert "results/e holds 6 of the 6 runs counted already, at most 3 are left" in lines


def test_failures_of_other_experiments_in_the_folder_are_not_reported(run, write):
    """Such as those of a heuristic before it was corrected."""
    arguments = ("run", "sliding-tile/example", "--frontier", "greedy", "--engine", "readable", "--output", "r")
    for name in ("worse", "bad"):
        file = write(f"{name}.py", f"def h(tiles):\n    raise ValueError('{name} fails')\n")
        ran = run(*arguments, "--heuristic", f"{file}:h")
    assert "bad fails" in ran.out
    assert "worse fails" not in ran.out
    assert "1 earlier run in r is not part of this experiment" in ran.out


def test_progress_of_generating_boards_is_shown(monkeypatch):
    """The boards of all entries are counted together."""
    shown: list[str] = []
    monkeypatch.setattr(EvaluationDisplay, "__call__", lambda _, what: shown.append(what()))
    generate = [Generation("shuffled", "sliding-tile", 3), Generation("shuffled", "sliding-tile", 2, seed=7)]
    with generation_progress() as watch:
        made = matrix(Experiment(generate=generate), sl.Plugins(), on_progress=watch)
    assert (len(made.runs), made.not_generated) == (5, 0)
    waiting = [f"; waiting for generator shuffled with seed {seed}" for seed in (1, 2, 3, 7, 8)]
    assert shown == [f"{made} of 5 boards generated{now}" for made, now in enumerate([*waiting, ""])]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_each_reason_of_failures_is_printed_once(make_record, make_results, monkeypatch, width):
    """With its runs and the command that lists them."""
    monkeypatch.setenv("COLUMNS", str(width))
    reasons = {1: "bad.py, line 7: <b>no</b>", 2: "bad.py, line 7: <b>no</b>", 3: "word " * 2000, 4: "\x1b[2Jno"}
    records = [make_record(board, status="error", reason=reason) for board, reason in reasons.items()]
    folder = make_results([*records, make_record(5)])
    lines = failure_lines(sl.load_results(folder), folder)
    assert max(map(len, lines[:-1])) <= width
    assert lines[1] == "2 errors, runs 1, 2: bad.py, line 7: <b>no</b>"
    assert r"1 error, run 4: \x1b[2Jno" in lines
    assert "… (--run 3 shows all)" in " ".join(lines)
    assert lines[-1] == f"errors: searchlab results {folder} --where status=error"


def test_an_experiment_is_run_in_parts(run, write):
    """By --parts, --part for each, and `results merge`, which copies certificates; the rest is then nothing."""
    file = write("e.toml", "boards = ['sliding-tile/puzzle8-2[01]']\nfrontiers = ['astar']\nengine = 'readable'\n")
    ran = run("run", file, "--parts", 2)
    assert ran.out.splitlines() == [
        "2 runs in 2 parts of 1 run",
        "each part: this command with --part K, 1 to 2, in place of --parts 2",
        "then: searchlab results merge results/e/parts/* --into results/e",
    ]
    assert "holds" not in run("run", file, "--part", 1, "--dry-run").out
    for number in (1, 2):
        ran = run("run", file, "--part", number)
        assert ran.out.startswith(f"1 run, all done: solved 1\nresults: searchlab results results/e/parts/{number}\n")
        assert run("results", "certify", f"results/e/parts/{number}").code == 0
    assert "holds 1 run of these already, 0 left" in run("run", file, "--part", 1, "--dry-run").out
    merged = run("results", "merge", "results/e/parts/1", "results/e/parts/2", "--into", "results/e")
    assert merged.out.splitlines()[-1] == "results/e: 2 runs"
    assert sl.load_results("results/e")["certified"].tolist() == [True, True]
    assert run("run", file).out.startswith("2 runs, all done, 2 done before: solved 2")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--parts", 2, "--part", 1), "--parts writes lists of runs: leave out --part"),
        (("--parts", 2, "--dry-run"), "--parts writes lists of runs: leave out --dry-run"),
        (("--parts", 2), "--parts 2: 1 run is left, and a part has one or more"),
        (("--part", 2), "results/example/parts.json: no such file"),
        (("--part", 0), "invalid value for '--part'"),
    ],
)
def test_misuse_of_parts(run, options, message):
    ran = run("run", "sliding-tile/example", "--frontier", "astar", *options)
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert message in ran.err
