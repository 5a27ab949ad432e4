"""The rules for the compiled engine, run interpreted, are the readable rules."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.packing import Packing
from searchlab_plugins.twenty48 import bytewise, packed, rowwise

RULES = ("right-column", "corner")
LAYER_20 = 51_956


def grids(smallest, largest, tiles):
    def rows(n):
        return st.lists(st.lists(st.sampled_from(tiles), min_size=n, max_size=n), min_size=n, max_size=n)

    return st.integers(smallest, largest).flatmap(rows)


def readable(board, spawn):
    edges = sl.domain("2048", goal=32768, spawn=spawn).edges(board)
    return [(edge.board.tiles.tolist(), edge.terminal) for edge in edges]


def pack(tiles):
    """The word of a 4 × 4 board: four bits a cell, row by row, the first cell lowest."""
    exponents = [int(tile).bit_length() - 1 if tile else 0 for tile in np.ravel(tiles)]
    return sum(exponent << (4 * cell) for cell, exponent in enumerate(exponents))


def unpack(word):
    exponents = [(int(word) >> (4 * cell)) & 15 for cell in range(16)]
    return np.array([2**exponent if exponent else 0 for exponent in exponents]).reshape(4, 4).tolist()


@pytest.mark.parametrize("spawn", RULES)
@given(rows=grids(2, 6, (0, 0, 2, 2, 4, 8)))
def test_the_form_for_any_size_has_the_readable_successors(spawn, rows):
    """The form for any size writes the same boards in the same order, and marks the same as terminal."""
    board = sl.Board(rows)
    out = np.full((4, board.n, board.n), 77)
    terminal = np.full(4, 77, np.uint8)
    count = packed.successors(board.tiles, out, terminal, spawn)
    assert [(out[k].tolist(), bool(terminal[k])) for k in range(count)] == readable(board, spawn)


@pytest.mark.parametrize("spawn", RULES)
@given(rows=grids(4, 4, (0, 0, 2, 2, 4, 8, 16384)))
def test_the_form_for_4_by_4_has_the_readable_successors(spawn, rows):
    """The form for 4 × 4 writes the same boards in the same order, and marks the same as terminal."""
    board = sl.Board(rows)
    out = np.full((4, 1), 77, np.uint64)
    terminal = np.full(4, 77, np.uint8)
    words = np.array([pack(board.tiles)], np.uint64)
    count = rowwise.expand(words, out, terminal, rowwise.slid_rows(), spawn)
    assert [(unpack(out[k, 0]), bool(terminal[k])) for k in range(count)] == readable(board, spawn)


@given(grids(4, 4, (0, 2, 4, 1024, 2048, 16384)), st.sampled_from([4, 2048, 4096, 32768]))
def test_all_forms_agree_on_goals(rows, goal):
    """Cell by cell, row by row and readable, a board is a goal or it is none."""
    board = sl.Board(rows)
    expected = sl.domain("2048", goal=goal).is_goal(board)
    words = np.array([pack(board.tiles)], np.uint64)
    assert bool(packed.is_goal(board.tiles, goal)) == expected
    assert bool(rowwise.is_packed_goal(words, goal.bit_length() - 1)) == expected


@given(grids(4, 4, (0, 2, 4, 8, 32768)))
def test_transposing_a_word_transposes_the_board(rows):
    """Rows and columns change places, and twice is not at all."""
    word = np.uint64(pack(rows))
    assert unpack(rowwise.transpose(word)) == np.transpose(rows).tolist()
    assert rowwise.transpose(rowwise.transpose(word)) == word


def test_every_row_in_the_table_slides_by_the_rules(naive_slide):
    """All 65,536 packed rows, both ways; two 32768s stay at four bits."""
    table = rowwise.slid_rows()
    for row in range(0, 1 << 16, 7):
        line = unpack(row)[0]
        for towards_end in (0, 1):
            slid = naive_slide(line[::-1])[::-1] if towards_end else naive_slide(line)
            assert unpack(table[towards_end, row])[0] == [min(tile, 32768) for tile in slid]


@pytest.mark.parametrize("spawn", RULES)
@given(rows=grids(4, 4, (0, 0, 2, 2, 4, 8, 32768, 32768)))
def test_the_form_with_bytes_has_the_readable_successors(spawn, rows):
    """The form for goal 65536 writes the same boards in the same order, two 32768s merging included."""
    board = sl.Board(rows)
    packing = Packing.of(sl.domain("2048", goal=65536).packed(board), board)
    out, terminal = np.zeros((4, 2), np.uint64), np.zeros(4, np.uint8)
    count = bytewise.expand(packing.pack(board), out, terminal, bytewise.slid_bytes(), spawn)
    found = [(after.tiles.tolist(), bool(over)) for after, over in zip(packing.unpack(out), terminal, strict=True)]
    assert found[:count] == readable(board, spawn)


@given(grids(4, 4, (0, 2, 4, 32768, 65536)))
def test_the_form_with_bytes_finds_goals(rows):
    """With goal 65536 a board is a goal where one of its tiles is 65536."""
    board, domain = sl.Board(rows), sl.domain("2048", goal=65536)
    packing = Packing.of(domain.packed(domain.start()), board)
    assert bool(bytewise.is_goal(packing.pack(board))) == (board.largest_tile() >= 65536)


def test_the_form_fits_the_goal_and_the_size():
    """4 × 4 up to 32768 goes by nibbles, 65536 by bytes; beyond that, and for any other size, cell by cell."""
    domain = sl.domain("2048", goal=32768)
    four, five = domain.start(), sl.domain("2048", n=5).start()
    assert (domain.packed(four).bits, domain.packed(four).values) == (4, 16)
    assert domain.packed(four).words.successors is rowwise.expand
    assert sl.domain("2048", goal=65536).packed(four).words.successors is bytewise.expand
    assert sl.domain("2048", goal=131072).packed(four).words.successors is None
    assert domain.packed(five).words.successors is None


def test_layer_20_has_the_known_number_of_boards():
    """From the start board of 4 × 4, 20 moves lead to 51,956 different boards."""
    layer = np.array([pack(sl.domain("2048").start().tiles)], np.uint64)
    slid = rowwise.slid_rows()
    for _ in range(20):
        columns = rowwise.transpose(layer)
        after = []
        for direction in range(4):
            lines = columns if direction < 2 else layer
            moved = rowwise.slide_rows(slid, direction % 2, lines)
            changed = moved[moved != lines]
            after.append(rowwise.transpose(changed) if direction < 2 else changed)
        after = np.concatenate(after)
        layer = np.unique([word | two for word in after if (two := rowwise.spawned_two(word, False))])
    assert len(layer) == LAYER_20
