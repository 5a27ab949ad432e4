"""Threads share work, and the outcome is that of one thread."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.search.compiled import enumeration
from searchlab.search.compiled.enumeration import Enumeration, Sorter
from searchlab.search.compiled.threads import Threads
from searchlab.search.enumeration import enumerate_states
from searchlab.search.watch import Watch

COUNTS = (2, 3, 7)
SOLVED_8 = sl.Board([[1, 2, 3], [4, 5, 6], [7, 8, 0]])
SOLVED_24 = sl.Board(np.arange(25).reshape(5, 5))


@pytest.fixture
def share_everything(monkeypatch):
    """Thin layers are shared too: in parts, blocks and ranges of a few states."""
    small = {"SMALLEST_PART": 1, "LARGEST_PART": 5, "BLOCK": 7, "WORTH_SHARING": 0, "STATES_SORTED_ALONE": 2}
    for name, value in {**small, "RANGE": 3, "RANGES_JOINED": 2, "GROUPS_A_THREAD": 2}.items():
        monkeypatch.setattr(enumeration, name, value)


def outcome(domain, board, threads, **limits):
    """The layers, with all their states, what was counted, and how it ended."""
    bound = sl.domain(domain) if isinstance(domain, str) else domain
    watch = Watch(sl.Limits(**limits))
    running = Enumeration(board or bound.start(), bound, watch, threads=threads)
    layers, found = running.layers(), []
    while True:
        try:
            layer = next(layers)
        except StopIteration as end:
            return found, end.value, watch.statistics.expanded, watch.statistics.peak_bytes
        except sl.PluginError as error:
            return found, str(error), watch.statistics.expanded > 0, 0
        found.append((layer, running.layer.tobytes()))


CASES = [
    ("2048:n=2", None, {}),
    ("2048:n=3,goal=32", None, {"expansions": 700}),
    ("sliding-tile", SOLVED_8, {"expansions": 1200}),
    ("sliding-tile:goal=blank-first", SOLVED_24, {"expansions": 700}),
    ("2048:n=5", None, {"expansions": 300}),
]


@pytest.mark.slow
@pytest.mark.usefixtures("share_everything")
@pytest.mark.parametrize(("domain", "board", "limits"), CASES)
def test_layers_do_not_depend_on_the_number_of_threads(domain, board, limits):
    """State by state, whatever the threads share, with states of one word and of two, complete and up to a limit."""
    alone = outcome(domain, board, 1, **limits)
    assert len(alone[0]) > 5
    for threads in COUNTS:
        assert outcome(domain, board, threads, **limits) == alone


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "board"), [("2048:n=3", None), ("sliding-tile", SOLVED_8)])
def test_whole_state_spaces_are_the_same(domain, board):
    """In the sizes in which layers are shared by themselves."""
    alone = outcome(domain, board, 1)
    assert alone[1] == "complete"
    assert outcome(domain, board, 2) == alone


@pytest.mark.slow
@pytest.mark.usefixtures("share_everything")
@given(expansions=st.integers(0, 400), memory=st.integers(1, 20_000))
@settings(max_examples=8, deadline=None)
def test_limits_end_an_enumeration_at_the_same_state(expansions, memory):
    for domain, board in (("2048:n=2", None), ("sliding-tile", SOLVED_8)):
        alone = outcome(domain, board, 1, expansions=expansions, memory=memory)
        for threads in COUNTS:
            layers, ended, *counts = outcome(domain, board, threads, expansions=expansions, memory=memory)
            assert (layers, ended) == alone[:2]
            assert counts == list(alone[2:]) or ended == "memory-limit"


def tree(failing=(), loops=0):
    """A binary tree of numbers, whose rules fail at some of them and take their time."""

    def successors(board):
        number = board.tile_at(0, 0)
        for child in (2 * number, 2 * number + 1):
            yield str(child), sl.Board([[child]])

    bad = tuple(failing) or (-1,)

    def step(tiles, out):
        number = tiles[0, 0]
        for one in bad:
            if number == one:
                raise ValueError
        wasted = 0
        for k in range(loops):
            wasted ^= k * number
        if wasted == 1 and number == 0:
            return 0
        out[0, 0, 0] = 2 * number
        out[1, 0, 0] = 2 * number + 1
        return 2

    form = sl.PackedForm(values=1 << 40, max_successors=2, successors=step, is_goal=lambda tiles: False)
    start = sl.Board([[1]])
    packed = {"packed": lambda board: form, "start": lambda: start, "layered": True}
    return sl.domain(sl.Domain("tree", successors, lambda board: False, **packed))


@pytest.mark.usefixtures("share_everything")
@pytest.mark.parametrize("memory", [None, 1300, 1700])
def test_the_first_failing_state_is_reported(memory):
    """By its number in the layer, and unless memory ran out at states before it."""
    domain = tree((37, 45, 46, 63))
    alone = outcome(domain, None, 1, memory=memory)
    if memory is None:
        assert "Board([[37]])" in alone[1]
    for _ in range(3):
        for threads in COUNTS:
            assert outcome(domain, None, threads, memory=memory)[:2] == alone[:2]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_time_is_up_in_the_middle_of_a_layer(threads):
    """Slices are as short in threads."""
    domain = tree(loops=1_000_000)
    limits = sl.Limits(seconds=0.3)
    list(enumerate_states(domain.start(), domain, Watch(sl.Limits(expansions=1)), threads=threads))  # compiles
    began = time.monotonic()
    layers = list(enumerate_states(domain.start(), domain, Watch(limits), engine="compiled", threads=threads))
    assert layers
    assert time.monotonic() - began < 3


@pytest.mark.slow
@pytest.mark.usefixtures("share_everything")
@given(data=st.data(), width=st.sampled_from([1, 2, 3]), threads=st.sampled_from([1, 3]))
@settings(max_examples=60, deadline=None)
def test_states_are_sorted_like_by_numpy(data, width, threads):
    """In blocks of any sizes, with repeats, without those that are met, words that differ in any bits."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    sizes = data.draw(st.lists(st.integers(0, 40), max_size=5))
    bits = data.draw(st.sampled_from([1, 3, 12, 64]))
    shift = data.draw(st.integers(0, 64 - bits))

    def states(count):
        return random.integers(0, (1 << bits) - 1, (count, width), np.uint64, endpoint=True) << np.uint64(shift)

    blocks = [states(size) for size in sizes]
    met = [np.unique(states(size), axis=0) for size in data.draw(st.lists(st.integers(0, 60), max_size=3))]
    left_out = {tuple(row) for rows in met for row in rows.tolist()}
    with Threads(threads) as team:
        sorter = Sorter(width, team)
        sorter.prepare()
        found = sorter.distinct(blocks, met)
    expected = sorted({tuple(row) for block in blocks for row in block.tolist()} - left_out)
    assert [tuple(row) for row in found.tolist()] == expected


def test_the_first_error_in_order_is_raised():
    """Those before it are done, and the threads soon begin no more."""
    done = []

    def work(thread, part, goes_on):
        time.sleep(0.03 if part == 2 else 0.001)
        if part in (2, 3, 5):
            raise ValueError(part)
        done.append(part)

    for count in (1, 2, 4):
        done.clear()
        with Threads(count) as team, pytest.raises(ValueError, match="2"):
            team.share(work, range(100_000), lambda: "")
        assert {0, 1} <= set(done)
        assert len(done) < 50_000  # a busy machine may let one thread go on for a while before another one fails


@pytest.mark.parametrize("count", [1, 3])
def test_work_ends_when_look_says_so(count):
    looks = iter(["", "", *100 * ["time-limit"]])

    def work(thread, part, goes_on):
        while goes_on():
            time.sleep(0.001)

    with Threads(count) as team:
        assert team.share(work, range(10), lambda: next(looks)) == "time-limit"


@pytest.mark.parametrize("threads", [0, -1, 5000, 2.0, True, "2"])
def test_an_invalid_number_of_threads_is_refused(threads):
    """The error gives the possible numbers, in Python and on the command line."""
    with pytest.raises(sl.UsageError, match="threads are from 1 to 1024"):
        sl.state_space(domain="2048:n=2", threads=threads, engine="compiled")
    with pytest.raises(sl.UsageError, match="threads are from 1 to 1024"):
        sl.distances("sliding-tile", board=SOLVED_8, threads=threads)
