"""Results that an earlier version recorded read as they did, and the same experiment comes to the same today.

Each folder in tests/golden/stores holds an experiment, a plugin file, results of a process that was ended half-way, and
what the commands said of them then. `--update-goldens` writes the latter anew; nothing writes the results anew.
"""

import shlex
import shutil
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.cli import main
from searchlab.experiments.tables import every_run
from searchlab.experiments.worker_pool import end_workers

STORES = Path(__file__).parents[1] / "golden" / "stores"
PAGES = {
    "searches": {
        "results.csv": "results export results --format csv",
        "results.json": "results export results --format json",
        "attempts.txt": "results results --all-attempts --where status=error --columns board_name,attempt,reason",
        "groups.json": "results results --group-by heuristic,frontier --json",
        "groups.txt": "results results --group-by heuristic,frontier",
        "compare.txt": "compare results taxicab/greedy misplaced/greedy",
    },
    "games": {
        "results.csv": "results export results --format csv",
        "results.json": "results export results --format json",
        "groups.txt": "results results --group-by player",
        "compare.txt": "compare results random mine.py:last --where domain=2048-random:n=3",
        "standings.txt": "results standings results",
        "replay.txt": "replay results --player random --seed 2 --moves-only",
    },
}
RUN = {"searches": "run experiment.toml --plugin mine.py", "games": "run experiment.toml"}
RUNS = {"searches": 54, "games": 14}
"""How many runs each experiment has."""
REPEATABLE = {
    "searches": ["board_name", "heuristic", "frontier", "status", "cost", "expanded", "generated", "actions"],
    "games": ["domain", "player", "seed", "status", "score", "moves", "actions", "final"],
}


@pytest.fixture(params=list(PAGES))
def name(request, tmp_path, monkeypatch):
    """The name of an experiment, in whose folder the test is."""
    shutil.copytree(STORES / request.param, tmp_path / request.param)
    monkeypatch.chdir(tmp_path / request.param)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    yield request.param
    end_workers()


def test_pages_of_stored_results_do_not_change(name, capfd, request):
    changed = []
    for page, line in PAGES[name].items():
        assert main(shlex.split(line)) == 0
        said, golden = capfd.readouterr().out, STORES / name / "pages" / page
        if request.config.getoption("--update-goldens"):
            golden.write_text(said, encoding="utf-8")
        elif not golden.is_file() or golden.read_text(encoding="utf-8") != said:
            changed.append(f"{page}:\n{said}")
    assert not changed, "\n".join(changed)


@pytest.mark.slow
def test_an_edited_number_repeats_runs_and_an_edited_docstring_does_not(name):
    total = RUNS[name]
    file, command = Path("mine.py"), shlex.split(f"{RUN[name]} --workers 1 --output again")
    plain = file.read_text()
    main(command)
    file.write_text(f"# Another comment.\n{plain.replace('experiment', 'experiments')}\n\n")
    main(command)
    assert len(sl.load_results("again", all_attempts=True)) == total
    file.write_text(plain.replace("WEIGHT = 2", "WEIGHT = 3").replace("moves[-1]", "moves[-2 % len(moves)]"))
    main(command)
    after = every_run("again", all_attempts=True)
    with_file = "heuristic" if name == "searches" else "player"
    others = after[~after[with_file].fillna("").str.startswith("mine.py")]
    assert len(after) > total
    assert len(sl.load_results("again")) == total
    assert not others.duplicated(REPEATABLE[name][:3]).any()


@pytest.mark.slow
def test_experiments_have_the_same_outcome_as_stored_results(name):
    """A recorded run and a run of today have the same outcome; `--retry` repeats one that ended with an error."""
    before = sl.load_results("results")
    assert main(shlex.split(f"{RUN[name]} --workers 1 --output again")) == 0
    again = every_run("again")
    assert len(again) == RUNS[name]
    columns = REPEATABLE[name]
    keys = columns[:3]
    if name == "searches":  # then a frontier without a heuristic had the first one of the experiment
        again["heuristic"] = again["heuristic"].fillna("taxicab")
    both = before[columns].merge(again[columns], on=keys, suffixes=("_then", "_now"))
    assert len(both) == len(before)
    if name == "searches":  # then weighted A* reopened nodes, whatever the heuristic
        consistent = both["frontier"].str.startswith("weighted-astar") & ~both["heuristic"].str.contains("corner")
        both = both[~consistent]
    for column in columns[3:]:
        assert both[f"{column}_then"].equals(both[f"{column}_now"]), column
