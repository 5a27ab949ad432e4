"""Large arrays that functions read as globals are read where they are, and their machine code stays in the cache."""

import gc

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler import cache
from searchlab.compiler.arrays import Arrays, Pointer, addresses, allocate, array
from searchlab.compiler.functions import compile_estimate, compile_kernel
from searchlab.compiler.global_arrays import LARGE
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.packing import Packing
from searchlab.compiler.signatures import call_estimate

BOARD = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
SIZE = LARGE // 8 + 1
TABLE = np.arange(SIZE, dtype=np.int64)
PAIR = (np.arange(2.0 * SIZE).reshape(2, SIZE), np.asfortranarray(np.arange(3.0 * SIZE).reshape(3, SIZE)))


class OneBoard(Arrays):
    """The arrays of a kernel that evaluates one board."""

    callees: Pointer = array(np.uint64, 1, 3)
    words: Pointer = array(np.uint64, "width")
    tiles: Pointer = array(np.int64, 9)
    out: Pointer = array(np.float64, 1)


def one_estimate(s: OneBoard) -> int:
    """A kernel that asks for the value of one board."""
    s.out[0] = call_estimate(s.callees, 0, (address_of(s.words, 0), address_of(s.tiles, 0)))
    return 0


PACKING = Packing(3, 3, 9, 4, powers_of_two=False)


def value_by(callee):
    s = allocate(OneBoard, {}, callees=np.array([callee.row()], np.uint64), words=PACKING.pack(BOARD))
    compile_kernel(one_estimate, OneBoard)(*addresses(s))
    return s.out[0]


def compiled_value(function, **values):
    return value_by(compile_estimate(function, values, PACKING))


def entry(index, table=TABLE):
    return table[index]


def at_the_end(tiles):
    return entry(len(TABLE) - 1) + TABLE[tiles[0, 0]] + PAIR[0][1, tiles[0, 0]] + PAIR[1][2, SIZE - 1]


def reading(table):
    """Return a function of the tiles that reads a table as a free variable."""

    def read(tiles):
        return table[tiles[0, 0]]

    return read


NOTED = np.zeros(0)


def noted(tiles):
    return NOTED[tiles[0, 0]]


def sum_over(tiles, table=TABLE):
    total = 0
    for k in range(table.shape[0]):
        total += table[k]
    return total + tiles[0, 0]


@pytest.fixture
def only_loaded(monkeypatch):
    """Return a function after which machine code comes from the cache on disk, or not at all."""

    def forget():
        monkeypatch.setattr(cache, "_in_memory", {})
        monkeypatch.setattr(cache, "_compile", None)

    return forget


def test_global_arrays_of_any_size_and_order_are_read():
    assert compiled_value(at_the_end) == at_the_end(BOARD.tiles)


def test_functions_with_equal_code_read_their_own_arrays():
    first, second = (reading(np.full(SIZE, value)) for value in (5, 7))
    assert (compiled_value(first), compiled_value(second), compiled_value(first)) == (5, 7, 5)


@pytest.mark.shortcuts
def test_the_content_of_a_global_array_does_not_recompile(only_loaded):
    globals()["NOTED"] = np.full(SIZE + 1, 2.5)
    assert compiled_value(noted) == 2.5
    only_loaded()
    NOTED[:] = 3.5
    assert compiled_value(noted) == 3.5
    globals()["NOTED"] = None
    gc.collect()
    globals()["NOTED"] = np.full(SIZE + 1, 4.5)
    assert compiled_value(noted) == 4.5


def test_a_global_array_lives_as_long_as_its_machine_code():
    globals()["NOTED"] = np.full(SIZE + 2, 2.5)
    former = compile_estimate(noted, {}, PACKING)
    globals()["NOTED"] = np.full(SIZE + 2, 3.5)
    gc.collect()
    assert (compiled_value(noted), value_by(former)) == (3.5, 2.5)


@pytest.mark.shortcuts
def test_large_arguments_are_passed_by_their_address(only_loaded):
    table = np.arange(SIZE + 3, dtype=np.uint16)
    assert compiled_value(sum_over, table=table) == int(table.sum()) + BOARD.tile_at(0, 0)
    only_loaded()
    table.setflags(write=False)
    every_other = np.arange(2 * (SIZE + 3), dtype=np.uint16)[::2]
    for values in (table, every_other, table[::-1]):
        assert compiled_value(sum_over, table=values) == int(values.sum()) + BOARD.tile_at(0, 0)
