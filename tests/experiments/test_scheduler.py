"""The scheduler makes the runs missing from the store, once, and adds them."""

import dataclasses
import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.errors import MachineError, UsageError
from searchlab.experiments.runs import Run, RunInstance, RunList, RunRecord
from searchlab.experiments.scheduler import Scheduler
from searchlab.experiments.store import Store
from searchlab.experiments.worker_pool import ended_outside

PARTS = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "astar"}
RUNS = [Run(RunInstance("b", ((1, 2, 3), (4, 5, 6), (7, 8, 0))), PARTS, repetition=k) for k in range(40)]


class Pretended:
    """An executor that searches nothing; some chunks are lost, and only the first of a chunk's runs are done."""

    def __init__(self, lost=(), status="solved", most=7):
        self.submitted, self.lost, self.status, self.most = [], set(lost), status, most

    def submit(self, function, setup, runs, seconds):
        future = Future()
        self.submitted.append(runs)
        if len(self.submitted) in self.lost:
            future.set_exception(OSError("gone"))
        else:
            future.set_result(([record(run, self.status) for run in runs[: self.most]], ["left out"]))
        return future


def record(run, status):
    outcome = ended_outside(run, status, "")
    return RunRecord(run, outcome.cells, {}, "here", outcome.finished, {})


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    with Store(tmp_path, writes=True) as store:
        yield store


def cells(store, name, *, all_attempts=False):
    """Return the cells of a column."""
    return [cell for (found,) in store.columns([name], all_attempts=all_attempts) for cell in found]


def kept(store):
    """Return how often each repetition is in the store."""
    return Counter(cells(store, "repetition", all_attempts=True))


def test_every_run_is_done_once(store, setup):
    """The order depends only on the seed; messages of plugins are reported once."""
    told = []
    executor = Pretended()
    state = Scheduler(RUNS, store, executor, setup, workers=2, report=told.append).run()
    assert kept(store) == dict.fromkeys(range(40), 1)
    assert (state.total, state.done, state.kept, state.statuses) == (40, 40, 0, {"solved": 40})
    assert told == ["left out"]
    again = Pretended()
    state = Scheduler(RUNS, store, again, setup, workers=2).run()
    assert (again.submitted, state.kept, state.done) == ([], 40, 0)


def test_nothing_is_begun_where_nothing_can_be_added(store, setup, monkeypatch):
    """Where all runs are done, nothing is to be added."""
    Scheduler(RUNS[:5], store, Pretended(), setup, workers=2).run()
    monkeypatch.setattr(store, "check_can_add", lambda: (_ for _ in ()).throw(UsageError("it is damaged")))
    assert Scheduler(RUNS[:5], store, Pretended(), setup, workers=2).run().kept == 5
    store.number(RunList.of(RUNS).identities)
    executor = Pretended()
    with pytest.raises(UsageError, match="it is damaged"):
        Scheduler(RUNS, store, executor, setup, workers=2).run()
    assert executor.submitted == []


def test_the_order_is_that_of_the_seed(tmp_path, setup):
    """A slow period of the machine then affects all configurations alike."""
    orders = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        executor = Pretended(most=10**6)
        with Store(tmp_path / name, writes=True) as store:
            Scheduler(RUNS, store, executor, setup, workers=1, order_seed=seed).run()
        orders.append([run.repetition for chunk in executor.submitted for run in chunk])
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != sorted(orders[0])


def test_runs_of_a_lost_worker_are_repeated(store, setup):
    """None is lost, none is done twice."""
    told = []
    Scheduler(RUNS, store, Pretended(lost=range(1, 6)), setup, workers=2, report=told.append).run()
    assert kept(store) == dict.fromkeys(range(40), 1)
    assert any("a worker was lost" in line for line in told)


class Disconnected(Pretended):
    """An executor that loses its connection, with it all runs, a few times, and then perhaps for good."""

    def __init__(self, times, *, comes_back):
        super().__init__()
        self.times, self.comes_back, self.waits_for = times, comes_back, ""

    def submit(self, *given):
        future = super().submit(*given)
        self.waits_for = "no answer" if len(self.submitted) <= self.times else ""
        if self.waits_for:
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
        return future

    def check(self):
        if len(self.submitted) > self.times and not self.comes_back:
            raise MachineError("it is gone")
        return self.waits_for


def test_runs_lost_with_a_connection_are_always_repeated(store, setup):
    """The state says that the connection is awaited."""
    said, seen = [], set()
    executor = Disconnected(10, comes_back=True)
    watch = lambda state: seen.add(state.waits_for)  # noqa: E731
    Scheduler(RUNS[:2], store, executor, setup, workers=1, on_progress=watch, report=said.append).run()
    assert {*cells(store, "status")} == {"solved"}
    assert said == ["left out"]
    assert seen == {"no answer", ""}


def test_an_executor_that_is_gone_ends_the_experiment(store, setup):
    """The next time the rest is done."""
    with pytest.raises(MachineError, match="it is gone"):
        Scheduler(RUNS, store, Disconnected(1, comes_back=False), setup, workers=1).run()
    Scheduler(RUNS, store, Pretended(), setup, workers=1).run()
    assert kept(store) == dict.fromkeys(range(40), 1)


class Fatal(Pretended):
    """An executor that loses the worker of each chunk with a certain repetition."""

    def __init__(self, repetition, error):
        super().__init__()
        self.repetition, self.error = repetition, error

    def submit(self, function, setup, runs, seconds):
        future = super().submit(function, setup, runs, seconds)
        if any(run.repetition == self.repetition for run in runs):
            future = Future()
            future.set_exception(self.error)
        return future


def test_a_run_that_takes_every_worker_down_ends_the_experiment_after_all_others(store, setup):
    """It is no row with an error, as workers are also ended for other reasons: the same command tries it again."""
    with pytest.raises(MachineError, match="1 run lost 3 workers each, the last one by OSError: gone; once"):
        Scheduler(RUNS, store, Fatal(3, OSError("gone")), setup, workers=1).run()
    assert kept(store) == {k: 1 for k in range(40) if k != 3}
    Scheduler(RUNS, store, Pretended(), setup, workers=1).run()
    assert kept(store) == dict.fromkeys(range(40), 1)


def test_ctrl_c_ends_an_experiment_in_which_workers_were_lost_without_an_error(store, setup):
    """The runs whose workers were lost are left, as others are."""
    scheduler = Scheduler(RUNS, store, Fatal(3, OSError("gone")), setup, workers=1)
    scheduler._on_progress = lambda state: scheduler.stop() if state.done > 30 else None
    assert 30 < scheduler.run().done < 40


@pytest.mark.parametrize("error", [ModuleNotFoundError("No module named 'searchlab'"), AttributeError("run_chunk")])
def test_a_worker_without_this_searchlab_is_refused(store, setup, error):
    """It raises this when it is sent a run."""
    with pytest.raises(
        UsageError, match=f"a worker or its scheduler has no searchlab, or another version: .*{error}.*; install"
    ):
        Scheduler(RUNS, store, Fatal(3, error), setup, workers=1).run()


class Growing(Pretended):
    """An executor whose workers come one after another; the runs of none are done before all have come."""

    longest_run, memory = 60.0, 2**30

    def __init__(self):
        super().__init__()
        self.waiting, self.most_waiting = [], 0

    @property
    def workers(self):
        return min(5, 1 + len(self.submitted) // 2)

    def submit(self, function, setup, runs, seconds):
        self.waiting.append((super().submit(function, setup, runs, seconds), Future()))
        self.most_waiting = max(self.most_waiting, len(self.waiting))
        return self.waiting[-1][1]

    def check(self):
        if len(self.waiting) >= 2 * self.workers or len(self.submitted) > 12:
            while self.waiting:
                done, future = self.waiting.pop()
                future.set_result(done.result())
        return ""


def test_workers_that_come_later_get_runs(store, setup):
    """The number of chunks under way follows the executor's number of workers."""
    executor = Growing()
    executor.most = 1
    Scheduler(RUNS, store, executor, setup, workers=1).run()
    assert kept(store) == dict.fromkeys(range(40), 1)
    assert executor.most_waiting >= 8


def test_runs_that_may_take_more_time_or_memory_than_a_job_has_are_reported(store, setup):
    """With limits below that nothing is said."""
    told = []
    Scheduler(RUNS, store, Growing(), setup, workers=1, report=told.append).run()
    assert [line for line in told if "takes more than 1 min" in line and "set a time limit" in line]
    told.clear()
    limits = sl.Limits(seconds=30, memory=3 * 2**30)
    large = [dataclasses.replace(run, limits=limits, repetition=run.repetition + 200) for run in RUNS]
    Scheduler(large, store, Growing(), setup, workers=1, report=told.append).run()
    assert [line.partition(":")[0] for line in told if "may take" in line] == [
        "a run may take 3 GiB, but a job has 2 GiB for each of its runs"
    ]
    told.clear()
    limited = [
        dataclasses.replace(run, limits=sl.Limits(seconds=30, memory=2**30), repetition=run.repetition + 100)
        for run in RUNS
    ]
    Scheduler(limited, store, Growing(), setup, workers=1, report=told.append).run()
    assert not [line for line in told if "takes more" in line or "may take" in line]


def test_statuses_can_be_tried_again(store, setup):
    """The others are kept."""
    Scheduler(RUNS[:5], store, Pretended(status="error"), setup, workers=1).run()
    Scheduler(RUNS[:9], store, Pretended(), setup, workers=1).run()
    state = Scheduler(RUNS, store, Pretended(), setup, workers=1, retry=["error"]).run()
    assert (state.kept, state.done, state.statuses) == (4, 36, {"solved": 40})
    assert kept(store)[0] == 2
    assert kept(store)[8] == 1


def test_an_unreadable_board_is_recorded_as_an_error(store, setup):
    """Workers do not get it."""
    unreadable = Run(RunInstance("broken.txt", None, "broken.txt: empty"), PARTS)
    executor = Pretended()
    Scheduler([unreadable], store, executor, setup, workers=1).run()
    found = [cells(store, name) for name in ("status", "reason", "board")]
    assert (found, executor.submitted) == ([["error"], ["broken.txt: empty"], [None]], [])


def test_stopping_finishes_runs_under_way(store, setup):
    """The other runs are made the next time."""
    begun = threading.Event()

    def watch(state):
        if state.done >= 1:
            scheduler.stop()

    class Slow(Pretended):
        def submit(self, *given):
            begun.set()
            return super().submit(*given)

    scheduler = Scheduler(RUNS, store, Slow(most=1), setup, workers=1, on_progress=watch)
    state = scheduler.run()
    assert 1 <= state.done < 40
    assert len(store.statuses()) == state.done
    Scheduler(RUNS, store, Pretended(), setup, workers=1).run()
    assert kept(store) == dict.fromkeys(range(40), 1)


def test_worker_processes_do_runs(store, setup):
    with ThreadPoolExecutor(2) as executor:
        state = Scheduler(RUNS, store, executor, setup, workers=2).run()
    assert state.statuses == {"solved": 40}
    assert {*cells(store, "moves")} == {0}


@pytest.mark.slow
def test_only_the_runs_of_the_experiment_are_returned(tmp_path, monkeypatch):
    """Others in its folder are kept: those of a heuristic before it was edited."""
    monkeypatch.chdir(tmp_path)

    def expanded(code, board):
        Path("mine.py").write_text(f"def h(tiles):\n    return {code}\n")
        experiment = sl.Experiment(boards=[board], heuristics=["mine.py:h"], frontiers=["astar"], engine="readable")
        return sl.run(experiment, workers=1)["expanded"].tolist()

    first, second = expanded("0", "2048/board10"), expanded("1 - 1", "2048/board10")
    assert first == second == expanded("0", "2048/board10")
    assert len(first) == 1
    assert len(sl.load_results("results/experiment")) == 1
    assert len(sl.load_results("results/experiment", all_versions=True)) == 2


def test_more_workers_than_runs_do_not_share_the_memory(tmp_path):
    """Each would have less than a byte."""
    experiment = sl.Experiment(boards=["sliding-tile/puzzle8-20"], frontiers=["greedy"], engine="readable")
    (status,) = sl.run(experiment, folder=tmp_path / "one", workers=10**12)["status"]
    assert status == "solved"


def test_experiments_in_several_threads_are_independent(tmp_path):
    """Their worker processes go on, and their runs are not shown as its own."""
    boards, seen = ["sliding-tile/puzzle8-20"], []

    def run(name, progress):
        experiment = sl.Experiment(boards=boards, heuristics=["taxicab"], frontiers=["greedy"], repetitions=20)
        return sl.run(experiment, folder=tmp_path / name, workers=1, progress=progress)

    def run_another(_):
        if not seen:  # two of its runs are submitted, and 18 left
            seen.append(0)
            other = threading.Thread(target=run, args=("short", lambda state: seen.append(len(state.under_way))))
            other.start()
            other.join()

    table = run("long", run_another)
    assert table["status"].tolist() == ["solved"] * 20
    assert table["worker"].nunique() == 1
    assert max(seen) <= 1


class Timed(Pretended):
    """An executor whose runs take the seconds that a function of the repetition gives."""

    def __init__(self, seconds, status="solved"):
        super().__init__(status=status)
        self.seconds = seconds

    def submit(self, function, setup, runs, seconds):
        future = super().submit(function, setup, runs, seconds)
        records, said = future.result()
        timed = Future()
        timed.set_result(([self.with_time(one) for one in records], said))
        return timed

    def with_time(self, one):
        return replace(one, cells={**one.cells, "seconds": self.seconds(one.run.repetition)})


def repeated(*heuristics, least=3):
    """Return runs that are repeated until the median time is within 5 %."""
    return [
        Run(RUNS[0].instance, {**PARTS, "heuristic": name}, repetition=number, repeat_until=5.0)
        for name in heuristics
        for number in range(1, least + 1)
    ]


@pytest.mark.parametrize(
    ("seconds", "status", "count"),
    [
        (lambda repetition: 1 + 0.01 * (repetition % 3), "solved", 6),  # the extremes of six values
        (lambda repetition: 1 + 0.5 * (repetition == 2), "solved", 9),  # those but one: an outlier does not count
        (lambda repetition: 1 + 0.5 * (repetition % 2), "solved", 30),
        (lambda repetition: repetition, "time-limit", 3),
        (lambda repetition: repetition, "error", 3),
    ],
)
def test_a_run_is_repeated_until_its_median_time_is_known(store, setup, seconds, status, count):
    told = []
    runs = repeated("taxicab", "misplaced")
    state = Scheduler(runs, store, Timed(seconds, status), setup, workers=2, report=told.append).run()
    assert kept(store) == dict.fromkeys(range(1, count + 1), 2)
    assert (state.total, state.done, state.statuses) == (2 * count, 2 * count, {status: 2 * count})
    said = "2 runs have median times with a wider interval than wanted, after 30 repetitions"
    assert (said in told) is (count == 30)
    again = Scheduler(runs, store, Pretended(), setup, workers=1).run()
    assert (again.total, again.kept, again.done, again.others) == (2 * count, 2 * count, 0, 0)


@pytest.mark.parametrize("stops_after", range(1, 12))
def test_repetitions_continue_where_they_stopped(store, setup, stops_after):
    """Whatever was done when the process ended: the same runs are made as without an end."""

    def stop(state):
        if state.done >= stops_after:
            raise KeyboardInterrupt

    def seconds(repetition):
        return 1 + 0.5 * (repetition == 2)

    executor = Timed(seconds)
    executor.most = 1
    with suppress(KeyboardInterrupt):
        Scheduler(repeated("taxicab", "misplaced"), store, executor, setup, workers=1, on_progress=stop).run()
    Scheduler(repeated("taxicab", "misplaced"), store, Timed(seconds), setup, workers=2).run()
    assert kept(store) == dict.fromkeys(range(1, 10), 2)
    numbers = [number for found in store.columns(["run"]) for number in found[0]]
    assert sorted(numbers) == [*range(1, 19)]
