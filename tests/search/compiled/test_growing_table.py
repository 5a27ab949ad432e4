"""Hash tables grow in place, a range of nodes at a time; a search that ends meanwhile has the right figures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.arrays import reserve
from searchlab.model.limits import Limits
from searchlab.search.compiled import growing_table
from searchlab.search.compiled.growing_table import FIRST_SLOTS, SLOT_BYTES, GrowingTable, most_slots
from searchlab.search.compiled.kernel_run import in_ranges
from searchlab.search.kernels.control import BestFirstControl
from searchlab.search.kernels.hash_table import CLOSED, OPEN
from searchlab.search.watch import Watch

NEVER = 10**9
KORF = {"domain": "sliding-tile:goal=blank-first"}
SEARCHES = (
    {"frontier": "astar", "heuristic": "taxicab"},
    {"frontier": "astar:duplicates=early", "heuristic": "taxicab"},
    {"frontier": "astar", "heuristic": "euclidean"},
    {"frontier": "astar:duplicates=early", "heuristic": "euclidean"},
    {"frontier": "breadth-first"},
)
"""One for each kernel that has a table, and each time of detecting duplicates."""


class StopsAt(Watch):
    """A watch that ends the search when it is asked for the n-th time."""

    def __init__(self, asked, status="interrupted", memory=2**20):
        super().__init__(Limits(memory=memory))
        self._left, self._status = asked, status

    def stop(self, statistics, open_nodes=0):
        self._left -= 1
        return self._status if self._left <= 0 else ""


def noting(ranges):
    return lambda first, last: ranges.append((first, last))


@pytest.mark.parametrize(("count", "most"), [(0, 10), (1, 1), (5000, 5000), (100_000, 30_000)])
def test_ranges_cover_all_numbers_once(count, most):
    """In order, none empty, none too large."""
    ranges = []
    assert in_ranges(noting(ranges), count, most, StopsAt(NEVER), 0) == ""
    assert [number for first, last in ranges for number in range(first, last)] == list(range(count))
    assert all(0 < last - first <= max(most, 4096) for first, last in ranges)


def test_the_watch_is_asked_between_ranges():
    """What it says ends the work, but the limit of expansions does not: that is kept to the node elsewhere."""
    ranges = []
    assert in_ranges(noting(ranges), 10**9, 1000, StopsAt(3), 0) == "interrupted"
    assert len(ranges) == 3
    assert in_ranges(noting([]), 10**4, 1000, StopsAt(1, "expansion-limit"), 0) == ""


def test_a_table_is_refilled_in_place():
    """All its slots are emptied, those that were never used too, before the nodes are entered."""
    control = BestFirstControl(width=1)
    table = GrowingTable(StopsAt(NEVER), control, reserve(8 * FIRST_SLOTS, np.uint32))
    table.use_nodes(np.arange(20, dtype=np.uint64).reshape(10, 2))
    table.items[:FIRST_SLOTS] = 7
    assert table.refill(4 * FIRST_SLOTS, 10) == ""
    slots = table.items[: 4 * FIRST_SLOTS]
    assert control.slots == 4 * FIRST_SLOTS
    assert sorted((slots[slots != 0] & (4 * FIRST_SLOTS - 1)).tolist()) == list(range(1, 11))


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=4), st.integers(12, 24))
def test_python_enters_the_start_like_the_kernel(words, bits):
    """So that a short search compiles nothing for its table."""
    filled = []
    for by_kernel in (False, True):
        control = BestFirstControl(width=len(words))
        table = GrowingTable(StopsAt(NEVER), control, reserve(1 << bits, np.uint32))
        table.use_nodes(np.array([words], np.uint64))
        control.slots = 1 << bits
        table.enter(0, 1) if by_kernel else table.enter_start()
        (slots,) = np.nonzero(table.items)
        filled.append((slots.tolist(), table.items[slots].tolist()))
    assert filled[0] == filled[1]


def test_only_closed_nodes_are_entered_if_flags_are_given():
    """With late detection, open nodes may be the same state."""
    table = GrowingTable(StopsAt(NEVER), BestFirstControl(width=1), reserve(FIRST_SLOTS, np.uint32))
    table.use_nodes(np.zeros((3, 1), np.uint64), np.array([OPEN, OPEN | CLOSED, OPEN], np.uint8))
    table.enter(0, 3)
    entered = table.items[:FIRST_SLOTS][table.items[:FIRST_SLOTS] != 0]
    assert (entered & (FIRST_SLOTS - 1)).tolist() == [2]


def test_a_table_stays_within_the_memory_limit():
    """It may double as long as there are addresses and memory."""
    control = BestFirstControl()
    watch = StopsAt(NEVER, memory=3 * FIRST_SLOTS * SLOT_BYTES)
    table = GrowingTable(watch, control, reserve(most_slots(watch), np.uint32))
    assert table.nbytes == FIRST_SLOTS * SLOT_BYTES
    assert table.may_double(held=2 * table.nbytes)
    assert not table.may_double(held=2 * table.nbytes + 1)
    assert table.refill(2 * FIRST_SLOTS, 0) == ""
    assert not table.may_double(held=0)


def test_the_smallest_limit_leaves_a_table():
    """A search that may hold nothing ends with its limit, not with an error."""
    for options in SEARCHES:
        result = sl.solve(sl.read_board("sliding-tile/korf100/001"), limits=Limits(memory=0), **KORF, **options)
        assert (result.status, result.expanded) == ("memory-limit", 0)


@pytest.mark.parametrize("options", SEARCHES, ids=lambda options: " ".join(options.values()))
def test_a_search_that_ends_while_its_table_grows_has_the_right_figures(options, monkeypatch):
    """They are those of a search that ends after as many expansions."""
    grown = []

    def in_few_ranges(work, count, most, watch, open_nodes):
        grown.append(work.__name__)
        return "time-limit" if grown.count("enter") == 3 else in_ranges(work, count, most, watch, open_nodes)

    monkeypatch.setattr(growing_table, "in_ranges", in_few_ranges)
    board = sl.read_board("sliding-tile/korf100/001")
    ended = sl.solve(board, **KORF, **options)
    monkeypatch.undo()
    again = sl.solve(board, limits=Limits(expansions=ended.expanded), **KORF, **options)
    assert (ended.status, again.status) == ("time-limit", "expansion-limit")
    for figure in ("generated", "evaluated", "reopened", "duplicates", "stored", "max_open"):
        assert getattr(ended, figure) == getattr(again, figure)
    assert ended.peak_bytes >= again.stored * 8


@pytest.mark.parametrize("options", SEARCHES, ids=lambda options: " ".join(options.values()))
def test_the_memory_limit_is_not_exceeded(options):
    """A search ends below its limit, and has used most of it: what stops it is the next doubling of its table."""
    limit = 24 * 2**20
    result = sl.solve(sl.read_board("sliding-tile/korf100/001"), limits=Limits(memory=limit), **KORF, **options)
    assert result.status == "memory-limit"
    assert 0.6 * limit < result.peak_bytes <= limit
