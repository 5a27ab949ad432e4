"""Runs that are made when they are read are those that an experiment lists."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from searchlab.experiments.identities import packed
from searchlab.experiments.runs import Run, RunInstance, RunList, RunSeries

PARTS = {"domain": "sliding-tile", "heuristic": "taxicab", "frontier": "greedy:order=random"}
GAME = {"domain": "2048", "player": "random"}
FIRST = [
    Run(RunInstance("a", ((1, 2), (3, 0))), PARTS, seed=4, plugins={"p": "1"}, repeat_until=5.0),
    Run(RunInstance("b", ((1, 2), (0, 3)), static="abc"), PARTS, plugins={"p": "1"}),
    Run(RunInstance("", None), GAME, seed=7, repetition=3),
]
SERIES = [(FIRST[0], (4, 9, 0), 2), (FIRST[1], (None,), 1), (FIRST[2], (7, 8), 3)]


@pytest.fixture
def listed():
    """Each of the runs, made one by one."""
    return [
        replace(first, seed=seed, repetition=first.repetition + further)
        for first, seeds, repetitions in SERIES
        for seed, further in product(seeds, range(repetitions))
    ]


@pytest.fixture
def runs():
    """The same runs, in series."""
    return RunList(RunSeries(*each) for each in SERIES)


def test_runs_are_those_of_the_series_in_order(runs, listed):
    assert list(runs) == listed
    assert [runs[place] for place in range(-len(runs), len(runs))] == [*listed, *listed]
    assert list(runs[3:8:2]) == listed[3:8:2]
    with pytest.raises(IndexError):
        runs[len(runs)]
    assert runs.those(np.arange(len(runs)) % 3 == 1) == listed[1::3]
    assert list(runs.repeated) == listed[:6]
    assert {instance.name for instance in runs.instances} == {"a", "b", ""}


def test_identities_are_those_of_each_run(runs, listed):
    assert runs.identities == RunList.of(listed).identities == packed(run.identity for run in listed)


def test_a_run_that_comes_again_is_left_out(runs, listed):
    assert runs.distinct() is runs
    assert list(RunList.of([*listed[2:], *listed]).distinct()) == [*listed[2:], *listed[:2]]


def test_no_runs():
    assert list(RunList([])) == []
    assert RunList.of([]).identities == b""
    assert len(RunList([]).distinct()) == 0
