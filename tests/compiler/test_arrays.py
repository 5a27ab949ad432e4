"""Arrays are declared once: Python and a kernel see the same items and the same numbers, by the same names."""

import numpy as np
import pytest

from searchlab.compiler import cache
from searchlab.compiler.arrays import (
    MOST_WRITTEN,
    Arrays,
    GridRange,
    Pointer,
    Record,
    SpareArrays,
    addresses,
    allocate,
    array,
    bytes_of,
    bytes_per,
    nbytes,
    record,
    resized,
    with_dtypes,
)
from searchlab.compiler.functions import cached_kernel, compile_kernel
from searchlab.compiler.intrinsics import address_of_field, pointer_to
from searchlab.files.cache import cache_folder_at


class Counted(Record):
    """What is common."""

    last: int
    total: float


class Control(Counted):
    """What a stack has besides."""

    pushed: int


class Stack(Arrays):
    """A stack of pairs."""

    pairs: Pointer = array(np.int32, "entries", 2)
    weights: Pointer = array(np.float64, "entries", fill=1)
    seen: Pointer = array(np.uint8, "kinds")
    control: Control = record(Control)


def push(s: Stack, first: int, count: int) -> int:
    """Push the pairs (k, 2 k), their weights three times what they were."""
    c = s.control
    for k in range(first, first + count):
        s.pairs[2 * c.last] = k
        s.pairs[2 * c.last + 1] = 2 * k
        s.weights[c.last] *= 3
        c.total += s.weights[c.last]
        c.last += 1
        c.pushed += 1
    return c.last


def push_by_address(s: Stack, count: int) -> int:
    """Push nothing, and count it behind the record's back."""
    pointer_to(address_of_field(s.control, "pushed"), np.int64)[0] = count
    return 0


def push_twice(s: Stack, count: int) -> int:
    """Count twice as many as pushed."""
    s.control.pushed = 2 * count
    return 0


@pytest.fixture
def stack():
    return allocate(Stack, {"entries": 5, "kinds": 3}, reserved=("entries",))


def test_arrays_have_the_shape_and_the_content_declared(stack):
    """Also reserved arrays, but these start with zeros."""
    assert (stack.pairs.shape, stack.pairs.dtype) == ((5, 2), np.int32)
    assert (stack.seen.shape, stack.control.last, stack.control.total) == ((3,), 0, 0.0)
    assert allocate(Stack, {"entries": 2, "kinds": 3}).weights.tolist() == [1.0, 1.0]


def test_given_arrays_are_not_allocated():
    """It is used as it is."""
    control, seen = Control(pushed=7), np.ones(4, np.uint8)
    stack = allocate(Stack, {"entries": 1}, control=control, seen=seen)
    assert stack.control is control
    assert stack.seen is seen


def test_a_kernel_works_on_the_same_arrays_and_numbers():
    """By their names, whole numbers and others in one record."""
    stack = allocate(Stack, {"entries": 5, "kinds": 3})
    kernel = compile_kernel(push, Stack)
    assert kernel(*addresses(stack), 4, 2) == 2
    stack.control.total += 0.5
    assert kernel(*addresses(stack), 7, 1) == 3
    assert stack.pairs[:4].tolist() == [[4, 8], [5, 10], [7, 14], [0, 0]]
    assert (stack.control.last, stack.control.pushed, stack.control.total) == (3, 3, 9.5)


def test_a_field_has_an_address(stack):
    """A plugin's function can be given it."""
    compile_kernel(push_by_address, Stack)(*addresses(stack), 11)
    assert (stack.control.last, stack.control.pushed) == (0, 11)


@pytest.mark.shortcuts
def test_a_kernel_that_would_have_to_be_compiled_is_left_out(stack, tmp_path, monkeypatch):
    """By whoever asks for one that is in the cache; where it is, it is loaded."""
    folder = cache_folder_at(tmp_path)
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    assert cached_kernel(push_twice, Stack) is None
    compile_kernel(push_twice, Stack)
    kept = sorted(tmp_path.iterdir())
    cache._in_memory.clear()  # as in another process
    kernel = cached_kernel(push_twice, Stack)
    assert kernel is not None
    assert sorted(tmp_path.iterdir()) == kept, "it was compiled once more"
    kernel(*addresses(stack), 6)
    assert stack.control.pushed == 12


def test_numbers_of_a_record_are_numbers_of_python():
    """Also those inherited; a misspelt one is refused."""
    control = Control(last=2, total=1.5)
    assert (type(control.last), type(control.total)) == (int, float)
    with pytest.raises(AttributeError, match="Control has no field lost"):
        control.update(lost=1)


def test_bytes_follow_from_the_declaration(stack):
    """An entry takes those of a pair and of a weight."""
    assert bytes_per(Stack, "entries", {}) == 2 * 4 + 8
    assert bytes_per(Stack, "entries", {}, unused=("weights",)) == 2 * 4
    assert nbytes(stack, "entries") == bytes_of(Stack, {"entries": 5}, "entries") == 5 * 16
    assert nbytes(stack, "entries", "kinds") == 5 * 16 + 3


def test_resized_arrays_keep_their_content(stack):
    """The rest is as it is declared; the other arrays and the record are the same."""
    stack.pairs[4] = 8, 9
    longer = resized(stack, "entries", 7)
    assert longer.pairs[4:].tolist() == [[8, 9], [0, 0], [0, 0]]
    assert longer.weights[5:].tolist() == [1.0, 1.0]
    assert longer.control is stack.control
    assert longer.seen is stack.seen


def test_a_declaration_can_have_other_dtypes():
    """The kernel is compiled for these."""
    whole = with_dtypes(Stack, weights=np.int64)
    stack = allocate(whole, {"entries": 2, "kinds": 1})
    assert compile_kernel(push, whole)(*addresses(stack), 0, 2) == 2
    assert stack.weights.dtype == np.int64
    assert stack.weights.tolist() == [3, 3]


class Counts(Stack):
    """A stack whose entries are counted."""

    counts: Pointer = array(np.int64, "entries")
    weights: Pointer
    seen: Pointer = array(np.int16, "kinds")


def test_a_declaration_has_the_arrays_of_its_base():
    """Its own come first, with those inherited that it names again; the others keep their order."""
    assert list(Counts.declared) == ["counts", "weights", "seen", "pairs", "control"]
    assert list(with_dtypes(Counts, pairs=np.int64).declared) == list(Counts.declared)
    arrays = allocate(Counts, {"entries": 2, "kinds": 3})
    assert (arrays.seen.dtype, arrays.weights.tolist()) == (np.int16, [1.0, 1.0])
    assert compile_kernel(push, Counts)(*addresses(arrays), 4, 2) == 2
    assert arrays.pairs.tolist() == [[4, 8], [5, 10]]


class Marks(Arrays):
    """What may be declared beside a stack."""

    marks: Pointer = array(np.uint8, "kinds")
    weights: Pointer = array(np.int64, "entries")


class MarkedStack(Stack, Marks):
    """Both, and one array more."""

    more: Pointer = array(np.int64, 1)


def test_a_declaration_has_the_arrays_of_all_its_bases():
    """Of two with one name the first base's counts."""
    assert list(MarkedStack.declared) == ["more", "pairs", "weights", "seen", "control", "marks"]
    arrays = allocate(MarkedStack, {"entries": 2, "kinds": 3})
    assert (arrays.weights.dtype, arrays.marks.shape) == (np.float64, (3,))


SIZES = {"entries": 5, "kinds": 3}


def test_released_memory_is_reused_with_initial_values():
    spare = SpareArrays()
    stack = allocate(Stack, SIZES, reserved=("entries",), spare=spare)
    place = addresses(stack)
    stack.pairs[:3], stack.weights[:3], stack.seen[:] = 7, 2.5, 1
    spare.put(stack, {"entries": 3})
    again = allocate(Stack, SIZES, reserved=("entries",), spare=spare)
    assert addresses(again)[:3] == place[:3]
    assert not again.pairs.any()
    assert not again.seen.any()
    assert again.weights.tolist() == 5 * [1.0]
    other = allocate(Stack, SIZES, reserved=("entries",), spare=spare)
    assert addresses(other)[0] != addresses(again)[0], "the memory is in use"


def test_arrays_that_are_written_before_they_are_read_stay_as_they_are():
    arrays = allocate(Stack, SIZES, reserved=("entries",))
    arrays.pairs[:3], arrays.seen[:] = 7, 1
    memory = arrays._memory
    SpareArrays().put(arrays, {"entries": 3}, ("entries",))
    assert (memory.items["pairs"][:3] == 7).all()
    assert not memory.items["seen"].any()


def test_part_of_a_grid_is_made_zero():
    """Only that is made zero again."""
    arrays = allocate(Stack, {"entries": 12, "kinds": 1}, reserved=("entries",))
    arrays.pairs[:] = 1
    memory = arrays._memory
    SpareArrays().put(arrays, {"entries": GridRange(rows=2, width=4, first=1, last=3)})
    assert np.flatnonzero(memory.items["pairs"][:, 0] == 0).tolist() == [1, 2, 5, 6]


def test_memory_that_was_written_to_a_large_extent_is_released():
    """It would take memory from other programs for longer than it saves time."""
    spare, sizes = SpareArrays(), {"entries": MOST_WRITTEN, "kinds": 1}
    arrays = allocate(Stack, sizes, reserved=("entries",), spare=spare)
    spare.put(arrays, {"entries": MOST_WRITTEN})
    assert allocate(Stack, sizes, reserved=("entries",), spare=spare) is not arrays


def test_only_the_latest_block_is_kept():
    """The latest; it is released when arrays of another layout are wanted."""
    spare = SpareArrays()
    made = [allocate(Stack, {"entries": entries, "kinds": 1}, reserved=("entries",)) for entries in (10, 11)]
    for arrays in made:
        spare.put(arrays, {"entries": 0})
    assert spare.take(made[1]._memory.layout) is made[1]
    spare.put(made[1], {"entries": 0})
    assert spare.take(made[0]._memory.layout) not in made
    assert spare.take(made[1]._memory.layout) is not made[1]


def test_a_record_has_the_fields_of_all_its_bases_once():
    """Those that two bases inherit from a third stand at one place."""

    class Weighed(Counted):
        weight: float

    class Both(Control, Weighed):
        more: int

    both = Both(last=1, total=2.5, pushed=3, weight=4.5, more=5)
    assert Both.dtype.names == ("last", "total", "pushed", "weight", "more")
    assert [both.last, both.total, both.pushed, both.weight, both.more] == [1, 2.5, 3, 4.5, 5]
