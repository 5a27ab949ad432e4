"""The machine of runs: its facts, processors for workers, and times that come from several machines."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import searchlab as sl
from searchlab.errors import UsageError
from searchlab.experiments import machine
from searchlab.experiments.comparison import compare
from searchlab.experiments.machine import Gauge, different_machines, processor
from searchlab.experiments.specification import Experiment

on_linux = pytest.mark.skipif(not machine.can_pin(), reason="no sched_setaffinity")
HOLDS = """
import sys
from searchlab.experiments.machine import pin
held = pin()
import os
print(*os.sched_getaffinity(0), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def cpuinfo(tmp_path, monkeypatch):
    """Two processors as Linux describes them."""
    file = tmp_path / "cpuinfo"
    text = "processor\t: 0\nmodel name\t: A  Model\ncpu MHz\t\t: 1000.5\n\n"
    file.write_text(text + text.replace(": 0", ": 1").replace("1000.5", "3000"))
    monkeypatch.setattr(machine, "CPUINFO", file)
    monkeypatch.setattr(sys, "platform", "linux")


def test_the_model_of_the_processor_is_named(cpuinfo):
    assert processor() == "A Model"


@pytest.mark.parametrize(("usable", "clock"), [({0}, 1000.5), ({0, 1}, 3000.0), ({7}, None)])
def test_the_clock_is_that_of_a_processor_that_may_be_used(cpuinfo, monkeypatch, usable, clock):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: usable, raising=False)
    monkeypatch.setattr(os, "getloadavg", lambda: (1.25, 0, 0), raising=False)
    assert Gauge().read() == (1.25, clock)


def test_load_and_clock_are_measured_once_a_second(cpuinfo, monkeypatch):
    loads = iter([1.0, 2.0])
    monkeypatch.setattr(os, "getloadavg", lambda: (next(loads), 0, 0), raising=False)
    gauge = Gauge()
    assert [gauge.read()[0] for _ in range(100)] == [1.0] * 100
    monkeypatch.setattr(machine, "MEASURED_EVERY", 0.0)
    assert gauge.read()[0] == 2.0


def test_a_system_that_tells_nothing_is_no_error(monkeypatch):
    monkeypatch.setattr(sys, "platform", "plan9")
    monkeypatch.delattr(os, "getloadavg", raising=False)
    assert Gauge().read() == (None, None)
    assert isinstance(processor(), str)


@on_linux
def test_each_process_that_is_pinned_has_a_processor_of_its_own(tmp_path, monkeypatch):
    """Until it ends, even if it is killed; where none is left, a line says so."""
    usable = os.sched_getaffinity(0)
    command, environment = [sys.executable, "-c", HOLDS], {**os.environ, "TMPDIR": str(tmp_path)}

    def start():
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(command, env=environment, **pipes)

    processes = [start() for _ in usable]
    try:
        assert sorted(int(process.stdout.readline()) for process in processes) == sorted(usable)
        late = start()
        assert f"and all {len(usable)} usable processors are taken" in late.communicate()[1]
        processes[0].kill()
        processes[0].wait()
        processes.append(start())
        assert int(processes[-1].stdout.readline()) in usable
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def test_a_system_that_cannot_pin_is_told_before_anything_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "can_pin", lambda: False)
    experiment = Experiment(boards=["sliding-tile/example"], frontiers=["astar"], engine="readable")
    with pytest.raises(UsageError, match=r"^--pin: this system cannot bind a process to a processor; leave it out$"):
        sl.run(experiment, folder=tmp_path / "r", pin=True)
    assert not (tmp_path / "r").exists()


def test_runs_note_the_processor_the_load_and_the_clock(tmp_path):
    experiment = Experiment(boards=["sliding-tile/example"], frontiers=["astar"], engine="readable")
    table = sl.run(experiment, folder=tmp_path / "r", workers=1, pin=machine.can_pin())
    assert processor() in table["machine"][0]
    if Path("/proc/cpuinfo").exists():
        assert table["load"][0] >= 0


@pytest.fixture
def of_two_machines(make_record, make_results):
    """Runs of A* on one machine, and of greedy search on another."""

    def on(record, host, model):
        known = {"host": host, "system": "Linux 6", "processor": model, "cores": 8}
        return replace(record, provenance={"machine": known})

    boards = range(1, 7)
    fast = [on(make_record(board, frontier="astar", expanded=10 * board), "fast", "Model A") for board in boards]
    slow = [on(make_record(board, frontier="greedy", expanded=board), "slow", "Model B") for board in boards[:4]]
    return make_results([*fast, *slow])


REMARK = (
    "times come from 2 machines and cannot be compared between them: fast (6 runs, Linux 6, Model A, 8 cores); "
    "slow (4 runs, Linux 6, Model B, 8 cores)"
)


def test_comparisons_and_reports_warn_of_times_from_different_machines(of_two_machines):
    from searchlab.reports.report import load_experiment

    results = sl.load_results(of_two_machines)
    assert different_machines(results) == [REMARK]
    compared = compare(results, "astar", "greedy")
    assert compared.machines == (REMARK,)
    assert REMARK in " ".join(" ".join(compared.lines(100)).split())
    assert REMARK in load_experiment(of_two_machines, sl.Plugins(), "none").remarks
    assert different_machines(results[results["host"] == "fast"]) == []


def test_the_command_warns_of_times_from_different_machines(of_two_machines, capsys):
    from searchlab.cli.program import main

    assert main(["compare", str(of_two_machines), "astar", "greedy"]) == 0
    assert REMARK in " ".join(capsys.readouterr().out.split())


def test_tables_of_groups_and_boards_warn_where_they_show_times(of_two_machines, capsys):
    from searchlab.cli.program import main

    def out(*options):
        assert main(["results", str(of_two_machines), *options]) == 0
        return " ".join(capsys.readouterr().out.split())

    assert REMARK in out("--group-by", "frontier")
    assert REMARK in out("--pivot", "frontier", "--values", "seconds")
    assert REMARK in sl.group(of_two_machines, "frontier").notes
    for options in (
        ("--group-by", "frontier", "--columns", "frontier,expanded"),
        ("--group-by", "frontier", "--where", "host=fast"),
        ("--pivot", "frontier", "--values", "expanded"),
    ):
        assert "machines" not in out(*options)


def test_machines_that_are_not_known_are_not_compared(of_two_machines):
    results = sl.load_results(of_two_machines)
    assert different_machines(results.drop(columns="host")) == []
    results.loc[0, "machine"] = None
    results.loc[1:, "host"] = None
    assert different_machines(results) == []
