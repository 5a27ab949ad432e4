"""`searchlab tune`: plans, and experiment files that cannot be tuned."""

import json
import sqlite3
from contextlib import closing

import pytest

from searchlab.experiments.worker_pool import end_workers

FILE = """
frontiers = ["weighted-astar"]
engine = "readable"
[[generate]]
generator = "shuffled:n=3"
count = 16
[limits]
expansions = 300
[tune]
parameters = ["frontier.weight"]
tries = 2
"""


@pytest.fixture(autouse=True)
def no_workers_left():
    """Each test begins with worker processes of its own."""
    yield
    end_workers()


@pytest.fixture
def tune(run, folder):
    """Tune an experiment file in which a text is replaced."""

    def tune(*options, old="", new=""):
        (folder / "weight.toml").write_text(FILE.replace(old, new) if old else FILE)
        return run("tune", "weight.toml", *options)

    return tune


def test_a_dry_run_shows_parameters_and_sets(tune, folder):
    ran = tune("--dry-run")
    assert ran.code == 0
    assert ran.out == (
        "parameters:\n"
        "  frontier.weight: 1 to 10, on a logarithmic scale; default 2\n"
        "boards: 8 for tuning, 8 for validation\n"
        "tries: 2, sampler tpe\n"
        "runs: 40 at most\n"
    )
    assert not (folder / "results").exists()


@pytest.mark.slow
def test_the_outcome_is_told_in_lines_or_as_json_or_on_a_page(tune, run, folder):
    """The table has both sets; a second call finds all runs."""
    lines = tune("--workers", "1").out.splitlines()
    assert lines[1:2] == ["2 tries, 0 of them ended early"]
    assert "default  searchlab/taxicab / weighted-astar" in lines
    assert [line.split()[:2] for line in lines if line.startswith(("tuning ", "validation "))] == [
        ["tuning", "8"],
        ["validation", "8"],
    ]
    assert lines[-1] == "results: searchlab results results/weight"
    said = tune("--json").json
    assert said["tuning"]["boards"] == said["validation"]["boards"] == 8
    assert said["objective"] == "expanded"
    assert said["unsolved_counts_as"] == 300
    assert [one["try"] for one in said["tries"]] == [1, 2]
    assert json.dumps(said["best"]["values"])
    _check_report(run, folder)


def _check_report(run, folder):
    """A report shows the outcome, or says what is missing; comparisons of tries on different boards are left out."""
    results = folder / "results" / "weight"
    assert run("report", results, "--output", "page.html").code == 0
    page = (folder / "page.html").read_text()
    section = page[page.index('<section id="tuning-0">') : page.index('<section id="runs-0"')]
    assert "<td>validation" in section
    assert " on the validation boards" in section
    assert "the default and all tries" in section
    assert "<svg" in section
    assert "searchlab tune " in page
    assert '<section id="comparison-0">' not in page
    with closing(sqlite3.connect(results / "results.sqlite")) as store, store:
        store.execute("DELETE FROM runs WHERE number = (SELECT max(number) FROM runs)")
    ran = run("report", results, "--output", "page.html")
    assert (ran.code, "the tuning is not complete: runs are missing" in ran.err) == (0, True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("tries = 2", "trys = 2", "weight.toml, line 11: tune.trys: there is no such key: did you mean 'tries'?"),
        ("tries = 2", "tries = 0", "weight.toml, line 11: tune.tries: a whole number from 1 to 100,000 is wanted"),
        ("tries = 2", 'tries = "two"', "line 11: tune.tries: a whole number is wanted, not the text 'two'"),
        ("frontier.weight", "frontier.wieght", "line 10: tune.parameters[1]: frontier weighted-astar has no parameter"),
        ("count = 16", "count = 15", "weight.toml, line 9: tune.validation: too few boards: 7 for tuning and 8 for"),
        ("expansions = 300", 'time = "1s"', "tune.objective: expanded: nothing says what a run without a solution"),
        ('["frontier.weight"]', "[]", "line 10: tune.parameters: name the parameters to tune"),
        ('parameters = ["frontier.weight"]', "", "the key 'parameters' is missing"),
        ("[tune]", "[record]", "record.parameters: there is no such key"),
        ('frontiers = ["weighted-astar"]', 'frontiers = ["astar", "greedy"]', "line 2: frontiers: one is tuned at a"),
    ],
)
def test_what_cannot_be_tuned_is_one_line_with_the_place(tune, old, new, said):
    ran = tune(old=old, new=new)
    assert ran.code == 2
    assert said in ran.error
    assert ran.err.count("\n") == 1


def test_experiments_are_either_tuned_or_run(run, folder, tune):
    """Each of both commands names the other."""
    tune("--dry-run")
    assert "line 9: tune: this experiment is done by searchlab tune, not by run" in run("run", "weight.toml").error
    (folder / "plain.toml").write_text(FILE.partition("[tune]")[0])
    assert "plain: no [tune] table says what to tune" in run("tune", "plain.toml").error
    assert "no such file" in run("tune", "none.toml").error.lower()


def test_retry_takes_statuses_that_runs_have(tune):
    assert "no run ends with status 'eror': did you mean 'error'?" in tune("--retry", "eror").error
