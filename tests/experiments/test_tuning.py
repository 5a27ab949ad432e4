"""Parameters are tuned on some boards and judged on others; every try is rows of the results."""

import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace

import msgspec
import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.names import parse_name
from searchlab.errors import UsageError
from searchlab.experiments import tuning
from searchlab.experiments.progress import ExperimentState
from searchlab.experiments.runs import RunRecord
from searchlab.experiments.specification import Experiment, Generation, TunedParameter, TuneTable
from searchlab.experiments.store import Store
from searchlab.experiments.tuning import recorded_tuning, tune, tuning_plan

HERE = "left.py:left"
PLUGIN = """
def left(tiles, goal_row, goal_col, factor=1.0, fails=0.0):
    total = 0.0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            tile = tiles[row, column]
            if tile:
                total += abs(goal_row[tile] - row) + abs(goal_col[tile] - column)
    if fails > 0.5:
        raise ValueError("no value")
    return factor * total
"""
LIMIT = 300
FILE = f"""
domains = ["sliding-tile"]
heuristics = ["{HERE}"]
frontiers = ["astar"]
generate = [{{ generator = "shuffled:n=3", count = 20 }}]
engine = "readable"
limits = {{ expansions = {LIMIT} }}

[tune]
parameters = [{{ name = "heuristic.factor", low = 0.5, high = 4.0, log = true }}]
tries = 6
validation = 0.4
"""
SEARCHLAB = [sys.executable, "-m", "searchlab"]
BOARDS = Generation("shuffled:n=3", count=20)


def experiment(**changes):
    """Return an experiment with a factor that A* makes a weight of, small enough for the readable engine."""
    table = TuneTable(
        parameters=(TunedParameter("heuristic.factor", 0.5, 4.0, log=True),),
        **{"tries": 6, "validation": 0.4, **changes.pop("tune", {})},
    )
    given = {
        "name": "tuned",
        "domains": ["sliding-tile"],
        "heuristics": [HERE],
        "frontiers": ["astar"],
        "generate": [BOARDS],
        "engine": "readable",
        "limits": sl.Limits(expansions=LIMIT),
        "tune": table,
    }
    return Experiment(**{**given, **changes})


def replaced(**changes):
    """Return the generation of other boards."""
    return msgspec.structs.replace(BOARDS, **changes)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """The current folder, with a plugin."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "left.py").write_text(PLUGIN)
    return tmp_path


def rows_of(folder, *columns):
    """Return the cells of some columns of all runs in a store."""
    with Store(folder) as store:
        return [cells for some in store.columns(columns) for cells in zip(*some, strict=True)]


def figures(folder):
    """Return what a store says of each run, without what differs from one execution to the next."""
    return {identity: row for identity, *row in rows_of(folder, "identity", "heuristic", "status", "expanded")}


def recorded(folder):
    """Return the number of rows that another process has written so far."""
    try:
        with Store(folder) as store:
            return len(store.statuses())
    except UsageError:
        return 0


def outcome_of(found):
    """Return the outcome without the folder."""
    return {**found.as_json(), "results": ""}


def test_boards_are_split_by_the_seed(here):
    plan, again = (tuning_plan(experiment(), sl.Plugins()) for _ in range(2))
    other = tuning_plan(experiment(tune={"seed": 2}), sl.Plugins())
    assert (len(plan.tuning), len(plan.validation), plan.unit) == (12, 8, "board")
    assert not {*plan.tuning} & {*plan.validation}
    assert plan.validation == again.validation
    assert plan.validation != other.validation


def test_validation_boards_may_be_named(here):
    boards = [BOARDS, Generation("shuffled:n=3", count=9, seed=50)]
    plan = tuning_plan(experiment(generate=boards, tune={"validation": ("*seed 5?",)}), sl.Plugins())
    assert len(plan.validation) == 9
    assert all("seed 5" in name for name in plan.validation)


def test_seeds_are_split_where_there_is_one_board(here):
    table = TuneTable(parameters=("player.heuristic.blanks",), validation=("21-30",))
    games = Experiment(domains=["2048-random"], players=["greedy:heuristic=smooth"], seeds=range(1, 31), tune=table)
    plan = tuning_plan(games, sl.Plugins())
    assert plan.unit == "seed"
    assert plan.validation == [str(seed) for seed in range(21, 31)]
    assert len(plan.tuning) == 20


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tune": {"validation": 0.2}}, "tune.validation: too few boards: 16 for tuning and 4 for validation; each"),
        ({"generate": [Generation("shuffled:n=3", count=1)]}, "too few seeds: "),
        ({"tune": {"validation": 1.5}}, "tune.validation: a share between 0 and 1 is wanted, not 1.5"),
        ({"tune": {"validation": ("korf*",)}}, "tune.validation: korf* is not a board of this experiment"),
        ({"tune": {"tries": 0}}, "tune.tries: a whole number from 1 to 100,000 is wanted, not 0"),
        ({"tune": {"parallel_tries": 0}}, "tune.parallel-tries: a whole number from 1"),
        ({"tune": {"sampler": "tp"}}, "tune.sampler: there is no sampler 'tp': did you mean 'tpe'?"),
        ({"heuristics": [HERE, "misplaced"]}, "heuristics: one is tuned at a time: name the one to tune"),
        ({"limits": sl.Limits(seconds=1)}, "tune.objective: expanded: nothing says what a run without a solution"),
        ({"tune": None}, "tuned: no [tune] table says what to tune"),
    ],
)
def test_a_tuning_that_makes_no_sense_is_one_clear_line(here, changes, said):
    made = replace(experiment(), tune=None) if changes.get("tune", "") is None else experiment(**changes)
    with pytest.raises(UsageError) as raised:
        tuning_plan(made, sl.Plugins())
    assert str(raised.value).startswith(said) or f": {said}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_without_parameters_there_is_nothing_to_tune(here):
    with pytest.raises(UsageError, match=r"tune\.parameters: name the parameters to tune"):
        tuning_plan(replace(experiment(), tune=TuneTable(parameters=())), sl.Plugins())


@pytest.mark.parametrize(("missing", "sampler"), [("optuna", "tpe"), ("cmaes", "cmaes"), ("torch", "gp")])
def test_a_missing_package_is_named(here, monkeypatch, missing, sampler):
    monkeypatch.setattr(tuning, "find_spec", lambda name: None if name == missing else name)
    with pytest.raises(UsageError, match=f"needs {missing}; install it with: pip install {missing}"):
        tuning_plan(experiment(tune={"sampler": sampler}), sl.Plugins())


def test_an_experiment_that_is_tuned_is_not_run(here):
    with pytest.raises(UsageError, match="tune: this experiment is done by searchlab tune, not by run"):
        sl.run(experiment(), progress=False)


def test_the_specification_of_a_tuning_is_kept_as_json(here):
    assert Experiment.from_json(experiment().as_json()) == experiment()


class Figures:
    """Executes runs in no time: a run expands what a function of the board and the factor says.

    Attributes:
        rows: the records that are kept, by identity.
        runs: the runs that were executed.
        stop_after: the number of records after which Ctrl-C is pressed twice.
    """

    def __init__(self, monkeypatch, expands):
        self.expands, self.rows, self.runs, self.stop_after = expands, {}, [], 10**9
        monkeypatch.setattr(tuning, "executing", self.executing)
        monkeypatch.setattr(tuning, "_recorded", lambda *_: dict(self.rows))

    @contextmanager
    def executing(self, *_, **options):
        yield self.execute

    def execute(self, runs, code, full_names, retry=(), on_record=lambda _: None):
        for run in runs:
            if run.identity in self.rows:
                continue
            if len(self.runs) >= self.stop_after:
                raise KeyboardInterrupt
            self.runs.append(run)
            factor = float(parse_name(run.parts["heuristic"]).parameters.get("factor", 1))
            cells = {"status": "solved", "reason": None, "expanded": self.expands(run.instance.name, factor)}
            self.rows[run.identity] = cells
            on_record(RunRecord(run, cells, {}, "", "", {}))
        return ExperimentState(len(runs), done=len(runs))


def best_at_two(board, factor):
    """Return expansions that are fewest with a factor of 2, with noise of each board and each factor."""
    noise = random.Random(f"{board} {factor}").gauss(0, 0.2)
    return 1000 * np.exp(np.log(factor / 2) ** 2 + noise + random.Random(board).gauss(0, 1))


def test_the_outcome_of_recorded_runs_is_that_of_the_tuning(here, monkeypatch):
    """Without a run more; where a run is missing, the tries before it are known, and no best one."""
    figures, wanted = Figures(monkeypatch, best_at_two), experiment()
    found = tune(wanted, progress=False)
    done = len(figures.runs)
    assert outcome_of(recorded_tuning(wanted, found.folder, sl.Plugins())) == outcome_of(found)
    assert len(figures.runs) == done
    del figures.rows[figures.runs[-1].identity]
    partial = recorded_tuning(wanted, found.folder, sl.Plugins())
    assert (partial.best, partial.figures(), partial.names) == (None, None, [])
    assert outcome_of(partial)["tries"] == outcome_of(found)["tries"]


def test_the_table_of_tries_begins_with_the_default_and_has_the_best_in_bold(here, monkeypatch):
    Figures(monkeypatch, best_at_two)
    found = tune(experiment(), progress=False)
    rows = found.table().rows
    assert [cell for cell, _ in rows[0]] == ["default", "1", "12", "–", ""]
    assert [row[0][0] for row in rows[1:]] == ["1", "2", "3", "4", "5", "6"]
    assert [number for number, row in enumerate(rows) if row[0][1]] == [found.best.number]
    gain = rows[found.best.number][3][0]
    assert gain == f"{100 * found.tuning.gain:.1f} %"
    assert gain in "\n".join(found.figures().lines(80))


def without_effect(board, factor):
    return 1000 * np.exp(random.Random(f"{board} {factor}").gauss(0, 0.3) + random.Random(board).gauss(0, 1))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_try_is_the_one_with_the_fewest_expansions_on_all_tuning_boards(here, monkeypatch, seed):
    """Tries that were ended early are none of the best; no try has seen a board for validation."""
    figures = Figures(monkeypatch, best_at_two)
    wanted = experiment(generate=[replaced(count=60)], tune={"tries": 25, "seed": seed})
    found, plan = tune(wanted, progress=False), tuning_plan(wanted, sl.Plugins())
    means = {
        one.number: np.log([best_at_two(board, one.values["heuristic.factor"]) for board in plan.tuning]).mean()
        for one in found.tries
    }
    complete = [one.number for one in found.tries if not one.ended_early]
    assert 0 < len(complete) < 25
    assert found.best.number == min(complete, key=means.get)
    assert all(one.boards in (6, 14, 28) for one in found.tries if one.ended_early)
    assert 1.4 < found.best.values["heuristic.factor"] < 2.8
    assert found.validation.interval[0] > 0
    known = HERE, found.best.name.split(" / ")[0]
    seen = {run.instance.name for run in figures.runs if run.parts["heuristic"] not in known}
    assert seen <= {*plan.tuning}


@pytest.mark.parametrize("sampler", ["tpe", "random", "qmc"])
def test_a_tuning_that_is_interrupted_anywhere_makes_the_same_tries(here, monkeypatch, sampler):
    """After every 37 runs it stops, in the middle of tries, too."""
    wanted = experiment(generate=[replaced(count=40)], tune={"tries": 14, "sampler": sampler, "parallel_tries": 3})
    whole = Figures(monkeypatch, best_at_two)
    found = tune(wanted, progress=False)
    parts = Figures(monkeypatch, best_at_two)
    stops = 0
    for parts.stop_after in range(37, 10**4, 37):
        try:
            again = tune(wanted, progress=False)
        except KeyboardInterrupt:
            stops += 1
        else:
            break
    assert stops > 3
    assert outcome_of(again) == outcome_of(found)
    assert parts.rows == whole.rows
    assert len(parts.runs) == len(whole.runs)


def test_without_pruning_every_try_is_run_on_all_boards(here, monkeypatch):
    Figures(monkeypatch, best_at_two)
    found = tune(experiment(generate=[replaced(count=40)], tune={"tries": 12, "prune": False}), progress=False)
    assert {one.boards for one in found.tries} == {24}


@pytest.mark.slow
def test_the_interval_of_a_parameter_without_effect_holds_0(here, monkeypatch):
    """In 95 of 100 repetitions, but for chance, while the tuning boards show more in most of them."""
    Figures(monkeypatch, without_effect)
    shown, optimistic = 0, 0
    for repetition in range(100):
        boards = [replaced(count=30, seed=1 + 1000 * repetition)]
        found = tune(
            experiment(generate=boards, tune={"tries": 8, "validation": 0.5, "seed": repetition}), progress=False
        )
        interval = found.validation.interval
        shown += interval is not None and not interval[0] <= 0 <= interval[1]
        optimistic += found.optimism > 0
    assert shown <= 10  # of 100 that each exclude 0 with a probability of 0.05, 11 or more do with one of 0.011
    assert optimistic > 60


@pytest.mark.slow
def test_tries_are_rows_and_the_same_call_repeats_none_of_them(here):
    """The gain is that of the figures in the store, and resuming finds the same outcome without a run."""
    found = tune(experiment(), workers=1, progress=False)
    rows = figures("results/tuned")
    assert len(found.tries) == 6
    assert {one.name.split(" / ")[0] for one in found.tries} < {heuristic for heuristic, *_ in rows.values()}
    assert found.state.kept == 0
    assert found.state.done == found.state.total == len(rows)

    table = {
        (board, heuristic): max(1, expanded) if status == "solved" else LIMIT
        for board, heuristic, status, expanded in rows_of(
            "results/tuned", "board_name", "heuristic", "status", "expanded"
        )
    }
    best = found.best.name.split(" / ")[0]
    plan = tuning_plan(experiment(), sl.Plugins())
    for one, boards in ((found.tuning, plan.tuning), (found.validation, plan.validation)):
        default, tuned = (np.array([table[board, name] for board in boards]) for name in (HERE, best))
        assert one.gain == pytest.approx(1 - np.exp(np.log(tuned / default).mean()))
        assert one.unsolved == (np.sum(default == LIMIT), np.sum(tuned == LIMIT))
    assert found.optimism == pytest.approx(found.tuning.gain - found.validation.gain)

    again = tune(experiment(), workers=2, progress=False)
    assert outcome_of(again) == outcome_of(found)
    assert (again.state.done, again.state.kept) == (0, len(rows))
    assert figures("results/tuned") == rows

    more = tune(experiment(tune={"tries": 8}), workers=2, progress=False)
    assert more.tries[:6] == found.tries
    assert len(more.tries) == 8


@pytest.mark.slow
def test_a_tuning_that_is_killed_again_and_again_continues(here):
    """The rows and the outcome are those of a tuning that nobody killed."""
    (here / "tuned.toml").write_text(FILE)
    kills = 0
    while True:
        before = recorded(here / "results/tuned")
        process = subprocess.Popen([*SEARCHLAB, "tune", "tuned.toml", "--workers", "2"], stdout=subprocess.DEVNULL)
        while process.poll() is None and recorded(here / "results/tuned") <= before + 15:
            time.sleep(0.01)
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.wait()
        kills += 1
    assert process.returncode == 0
    assert kills >= 3
    whole = tune("tuned.toml", folder="whole", workers=1, progress=False)
    assert figures("results/tuned") == figures("whole")
    assert outcome_of(tune("tuned.toml", workers=1, progress=False)) == outcome_of(whole)


@pytest.mark.slow
def test_ctrl_c_ends_a_tuning_and_the_same_command_continues(here):
    (here / "tuned.toml").write_text(FILE)
    command = [*SEARCHLAB, "tune", "tuned.toml", "--workers", "1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while recorded(here / "results/tuned") < 10:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "left (rerun the same command to resume)" in out
    assert "95 % interval" not in out
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0


@pytest.mark.slow
def test_spoilt_coefficients_are_found_back(here):
    """Of what smooth loses by two bad coefficients, 80 % and more is found back on games that no try has seen."""
    player, spoilt = "expectimax:depth=1,heuristic=smooth", "smooth:monotonicity=2,total=100"
    table = TuneTable(parameters=("player.heuristic.monotonicity", "player.heuristic.total"), tries=25)
    games = Experiment(
        name="spoilt",
        domains=["2048-random"],
        players=[player.replace("smooth", f"[{spoilt}]")],
        seeds=range(1, 61),
        tune=table,
    )
    found = tune(games, progress=False)
    seeds = [int(seed) for seed in tuning_plan(games, sl.Plugins()).validation]
    shipped = sl.run(replace(games, name="shipped", players=[player], seeds=seeds, tune=None), progress=False)
    loss = shipped["score"].mean() - found.validation.default
    assert loss > 20_000
    assert found.validation.tuned - found.validation.default >= 0.8 * loss
    assert found.validation.interval[0] > 0
    assert any(one.ended_early for one in found.tries)


@pytest.mark.slow
def test_runs_of_a_try_that_fail_count_as_unsolved(here):
    """The try is no better than the default, which is chosen."""
    wanted = TuneTable(parameters=(TunedParameter("heuristic.fails", choices=(0.0, 1.0)),), tries=6)
    found = tune(replace(experiment(), tune=wanted), workers=1, progress=False)
    failing = [one for one in found.tries if one.values["heuristic.fails"] == 1]
    assert failing
    assert all(one.gain < 0 for one in failing)
    assert found.best.number == 0
    assert found.validation.gain == 0
    assert "no try is better than the default on the tuning boards" in str(found)


@pytest.mark.slow
def test_a_default_that_fails_is_an_error(here):
    with pytest.raises(UsageError) as raised:
        tune(experiment(heuristics=[f"{HERE}:fails=1"]), workers=1, progress=False)
    assert str(raised.value).startswith("the default, left.py:left:fails=1 / astar, fails on shuffled:n=3 seed ")
    assert "no value" in str(raised.value)
