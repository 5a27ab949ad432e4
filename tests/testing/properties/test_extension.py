"""The contracts of generators, renderers, metrics, learners and executors find what is wrong with them."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import searchlab as sl
from searchlab.testing import check

SOLVED = [[1, 2, 3], [4, 5, 6], [7, 8, 0]]
numbers = itertools.count()


def report(component, **options):
    (found,) = check(component, **options)
    return found


def failing(component, **options):
    return {
        asked.name: str(finding)
        for asked, finding in report(component, **options).findings
        if finding.status != "passed"
    }


def one_of_two(random):
    return sl.Board([[1, 2, 3], [4, 5, 6], [7, 0, 8]] if random.random() < 0.5 else [[1, 2, 3], [4, 5, 6], [0, 7, 8]])


def unseeded(random):
    shift = next(numbers) % 9
    tiles = [*range(shift, 9), *range(shift)]
    return sl.Board(np.reshape(tiles, (3, 3)).tolist())


def now_and_then_unsolvable(random):
    return sl.Board([SOLVED[0], SOLVED[1], [8, 7, 0]] if random.random() < 0.5 else SOLVED)


@pytest.mark.parametrize(
    ("function", "asked", "said"),
    [
        (unseeded, "same-seed", "gives one board and then another; let all chance come from `random`"),
        (lambda random: sl.Board([[1, 1], [0, 2]]), "boards", "made no board from the seed 0: not one of sliding-tile"),
        (lambda random: "board", "boards", "it returned str 'board', not a Board"),
        (lambda random: 1 / 0, "boards", "ZeroDivisionError"),
        (lambda random: sl.Board(SOLVED), "boards", "all 20 seeds give one board"),
        (now_and_then_unsolvable, "boards", "seeds give boards without a solution"),
    ],
)
def test_generators(function, asked, said):
    """Chance that no seed decides, illegal boards, failures; that boards are alike or unsolvable is said."""
    assert said in failing(sl.Generator("g", function, domains={"sliding-tile"}))[asked]


def test_a_good_generator_passes():
    assert failing(sl.Generator("g", one_of_two, domains={"sliding-tile"})) == {}


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda board: None, "returned NoneType None, not a text"),
        (lambda board: str(next(numbers)), "it draws one board in two ways"),
        (lambda board: str(board.tiles[9]), "IndexError"),
    ],
)
def test_renderers(function, said):
    """With the board."""
    assert said in failing(sl.Renderer("r", function))["draws"]
    assert failing(sl.Renderer("r", str)) == {}


@pytest.mark.parametrize(
    ("function", "kind", "said"),
    [
        (lambda result: result.expanded / result.moves, "number", "ZeroDivisionError"),
        (lambda result: "many", "number", "it returned str 'many', and kind='number' means"),
        (lambda result: next(numbers), "whole", "asked twice about the same result"),
    ],
)
def test_metrics(function, kind, said):
    """Of results of every kind: those without moves, and those without a solution."""
    assert said in failing(sl.Metric("m", function, kind=kind))["values"]
    assert failing(sl.Metric("m", lambda result: result.cost)) == {}


class Counts:
    """Learning that counts the moves it was asked for, and forgets them if told to."""

    def __init__(self, *, forgets=False, most=10):
        self.count, self.forgets, self.most = np.zeros(1), forgets, most

    def learn(self, most_moves, most_games):
        self.count[0] += min(most_moves, self.most)
        return min(most_moves, self.most), []

    def state(self):
        return {"count": self.count.copy()}

    def restore(self, state):
        if not self.forgets:
            self.count = state["count"].copy()

    def save(self, path, about):
        if not self.forgets:
            np.save(f"{path}.npy", self.count)
            path.write_text("saved")


def test_learners():
    """One that makes more moves than it may, or does not go on where it was stopped, or saves nothing."""
    assert failing(sl.Learner("l", lambda domain, seed: Counts())) == {}
    forgetful = failing(sl.Learner("l", lambda domain, seed: Counts(forgets=True)))
    assert "it learns something else: count differs" in forgetful["continues"]
    assert "save wrote no file" in forgetful["saves"]

    class Eager(Counts):
        def learn(self, most_moves, most_games):
            return most_moves + 1, []

    said = failing(sl.Learner("l", lambda domain, seed: Eager()))["learns"]
    assert "it says that it made 301 moves" in said


def test_executors():
    """They return results and exceptions of tasks."""
    assert failing(sl.Executor("e", lambda workers: ThreadPoolExecutor(workers))) == {}

    class Doubles(ThreadPoolExecutor):
        def submit(self, function, *arguments):
            return super().submit(lambda: 2 * function(*arguments))

    assert (
        "the results of 8 tasks are [0, 2, 8," in failing(sl.Executor("e", lambda workers: Doubles(workers)))["tasks"]
    )

    def fails(workers):
        raise RuntimeError("no")

    assert "RuntimeError: no" in failing(sl.Executor("e", fails))["tasks"]
