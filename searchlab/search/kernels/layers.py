"""The layers of a state space: expand the states of one layer, and sort their successors into the next layer.

Threads divide a layer by states, and the successors by ranges of values, so that no thread waits for another:

    layer    | state | state | state | …                        in parts, each expanded by any free thread
    blocks   | successor | successor | …  | successor | …       unsorted, with repeats; each block is of one thread
    sorted   | range 0        | range 1   | range 2       | …   each successor in the range of its value

Then each range is sorted within the processor's cache, and repeats and known states are removed. The ranges, one after
another, are the next layer. The result depends neither on the bounds of the ranges nor on the number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, pointer_to
from searchlab.compiler.signatures import call_is_goal
from searchlab.model.packed import trailing_zeros
from searchlab.search.kernels.control import FIXED_WIDTH, IS_GOAL, Expansion, Status, successors
from searchlab.search.kernels.graph import ListControl
from searchlab.search.kernels.hash_table import I, U

DIGIT_BITS = 8
DIGITS = 1 << DIGIT_BITS
HALF_WORD = 32
"""The number of bits of half a word; a word has no room for two larger cells."""
RANGED = False
"""Whether each cell has its own range; a constant of a kernel, because it is checked for each successor."""


class LayerControl(ListControl):
    """The progress of expanding a part of a layer, and the counts."""

    bits: int
    """The number of bits per cell."""
    ranged: int
    """The number of cells with their own range; 0 if all cells have the same range."""
    ends_at_goal: int
    """Whether goals end the game, so that they are not expanded."""
    produced: int
    """The number of successors in `out`."""
    dead_ends: int
    goals: int
    ended: int
    """The number of moves that ended the game."""
    largest: int
    """The largest value of a cell so far."""


class LayerArrays(Expansion):
    """The arrays with which a thread expands parts of a layer."""

    layer: Pointer = array(np.uint64, "states", "width")  # the packed states of one depth
    out: Pointer = array(np.uint64, "room", "width")  # the successors of these states
    even_cells: Pointer = array(np.uint64, 1)  # a word with all bits of every other cell; unused with RANGED
    ranged_cells: Pointer = array(np.int64, "ranged", 4)  # the `PackedCell` of each cell with its own range
    control: LayerControl = record(LayerControl)


class SortControl(Record):
    """The sizes for sorting states, and the result."""

    width: int
    """The number of words per state."""
    steps: int
    """The number of steps of a binary search for the range of a state; there are 2 ** steps ranges."""
    met: int
    """The number of sorted arrays of known states, which are removed."""
    kept: int
    """The number of distinct new states that are left of a range."""


class SortArrays(Arrays):
    """The arrays with which a thread sorts states."""

    source: Pointer = array(np.uint64, "states", "width")  # a block of unsorted states
    target: Pointer = array(np.uint64, "sorted", "width")  # the states of all blocks, range by range
    range_of: Pointer = array(np.uint16, "states")  # the range of each state of the block
    bounds: Pointer = array(np.uint64, "ranges", "width")  # the first state of each range after the first
    places: Pointer = array(np.int64, "ranges")  # the number of states in each range; later the place of the next
    spare: Pointer = array(np.uint64, "spare", "width")  # room for the states of the largest range
    counts: Pointer = array(np.int64, DIGITS)
    met: Pointer = array(np.uint64, "met", 2)  # the address and the length of each array of known states
    control: SortControl = record(SortControl)


def expand_layer(s: LayerArrays, budget: int) -> int:
    """Expand the states of the layer up to number `budget`."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    while c.done < min(budget, c.states):
        state_at = address_of(s.layer, c.done * width)
        c.current = c.done
        c.done += 1
        if call_is_goal(s.callees, IS_GOAL, (state_at, address_of(s.tiles, 0))):
            c.goals += 1
            if c.ends_at_goal:
                continue
        first = c.produced
        count = successors(s, state_at, address_of(s.out, first * width), address_of(s.edge_costs, 0))
        kept = first
        for k in range(count):
            for word in range(width):
                value = s.out[(first + k) * width + word]
                s.out[kept * width + word] = value
                if not RANGED and holds_more(value, s.even_cells[0], c.bits, c.largest):
                    c.largest = largest(value, c.bits)
            if RANGED:
                c.largest = max(c.largest, largest_of_ranges(s, kept * width))
            kept += s.terminal[k] == 0
        c.ended += first + count - kept
        c.dead_ends += kept == first
        c.produced = kept
    return Status.EXHAUSTED if c.done == c.states else Status.BUDGET


def holds_more(word: Any, even_cells: Any, bits: int, most: int) -> bool:
    """Return whether a cell of a word exceeds `most`.

    Adding the complement of `most` to a larger cell makes it carry. Every other cell is tested, so that there is room
    for the carry; then the cells between, after a shift.
    """
    if bits > HALF_WORD:
        return word > U(most)
    full = (U(1) << U(bits)) - U(1)
    ones = even_cells // full
    missing = ones * (full - U(most))
    carries = ((word & even_cells) + missing) | (((word >> U(bits)) & even_cells) + missing)
    return ((carries >> U(bits)) & ones) != U(0)


def largest_of_ranges(s: LayerArrays, state: int) -> int:
    """Return the largest value of a state with a range per cell; `state` is its position in `out`."""
    most = s.control.largest
    for cell in range(s.control.ranged):
        at = 4 * cell
        bits = U(s.ranged_cells[at + 2])
        if bits != U(0):
            code = (s.out[state + s.ranged_cells[at]] >> U(s.ranged_cells[at + 1])) << (U(64) - bits) >> (U(64) - bits)
            most = max(most, I(code) + s.ranged_cells[at + 3])
    return most


def largest(word: Any, bits: int) -> int:
    """Return the largest value of a cell in a word."""
    if bits > HALF_WORD:
        return I(word)
    most = I(0)
    while word != U(0):
        most = max(most, I(word & ((U(1) << U(bits)) - U(1))))
        word >>= U(bits)
    return most


def find_ranges(s: SortArrays, states: int) -> int:
    """Find the range of each state of a block, and count the states of each range."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    for state in range(states):
        found = I(0)
        for step in range(c.steps - 1, -1, -1):
            half = I(1) << step
            # A sum instead of a branch, which would be unpredictable.
            found += half * (not is_less(s.source, state, s.bounds, found + half - 1, width))
        s.range_of[state] = found
        s.places[found] += 1
    return Status.EXHAUSTED


def move_to_ranges(s: SortArrays, states: int) -> int:
    """Move each state of a block to its range."""
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    for state in range(states):
        place = s.places[s.range_of[state]]
        s.places[s.range_of[state]] = place + 1
        for word in range(width):
            s.target[place * width + word] = s.source[state * width + word]
    return Status.EXHAUSTED


def sort_range(s: SortArrays, first: int, last: int) -> int:
    """Sort the states of `target` from `first` to `last`; leave the distinct new states at the beginning."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    c.kept = 0
    if first == last:
        return Status.EXHAUSTED
    states = pointer_to(address_of(s.target, first * width), np.uint64)
    is_in_spare = sort_by_digits(states, s.spare, s.counts, last - first, width)
    ordered = s.spare if is_in_spare else states
    kept = I(0)
    for state in range(last - first):
        if state == 0 or is_less(ordered, state - 1, ordered, state, width):
            for word in range(width):
                states[kept * width + word] = ordered[state * width + word]
            kept += 1
    for row in range(c.met):
        met = pointer_to(s.met[2 * row], np.uint64)
        kept = leave_out(states, kept, met, I(s.met[2 * row + 1]), width)
    c.kept = kept
    return Status.EXHAUSTED


def sort_by_digits(states: Any, spare: Any, counts: Any, length: int, width: int) -> bool:
    """Sort states by radix sort, the last digit first; return whether the result is in `spare`.

    The digits of a word contain only bits that differ between states, which are few in a range of values.
    """
    source, target, is_in_spare = states, spare, False
    for word in range(width - 1, -1, -1):
        differing = U(0)
        for state in range(length):
            differing |= source[state * width + word] ^ source[word]
        while differing != U(0):
            shift = U(trailing_zeros(I(differing)))
            differing &= ~(U(DIGITS - 1) << shift)
            for digit in range(DIGITS):
                counts[digit] = 0
            for state in range(length):
                counts[I((source[state * width + word] >> shift) & U(DIGITS - 1))] += 1
            place = I(0)
            for digit in range(DIGITS):
                count = counts[digit]
                counts[digit] = place
                place += count
            for state in range(length):
                digit = I((source[state * width + word] >> shift) & U(DIGITS - 1))
                place = counts[digit]
                counts[digit] = place + 1
                for k in range(width):
                    target[place * width + k] = source[state * width + k]
            source, target, is_in_spare = target, source, not is_in_spare
    return is_in_spare


def leave_out(states: Any, count: int, met: Any, length: int, width: int) -> int:
    """Remove the states of a sorted array from sorted states; return the number of remaining states."""
    kept, at = I(0), I(0)
    for state in range(count):
        # Search ahead in steps that double, then in steps that halve, because the array may be much longer.
        step = I(1)
        while at + step <= length and is_less(met, at + step - 1, states, state, width):
            at += step
            step *= 2
        step //= 2
        while step > 0:
            if at + step <= length and is_less(met, at + step - 1, states, state, width):
                at += step
            step //= 2
        if at == length or is_less(states, state, met, at, width):
            for word in range(width):
                states[kept * width + word] = states[state * width + word]
            kept += 1
    return kept


def is_less(states: Any, state: int, others: Any, other: int, width: int) -> bool:
    """Return whether a state precedes another: its first differing word is smaller."""
    if width == 1:
        return states[state] < others[other]
    for word in range(width):
        one, two = states[state * width + word], others[other * width + word]
        if one != two:
            return one < two
    return False
