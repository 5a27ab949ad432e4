"""Retrograde search over all placements of some tiles on a board, with one byte per placement, its distance.

The table of bytes also serves as the open list. A byte below `first_open` is the distance of a settled state, 255 is a
state not met yet, and the values between are codes of open states. The codes are cyclic: with moves that cost up to
`ring` - 1, the code of an open state and the distance being settled give the distance of the state (Dial 1969).

To settle a distance, the search goes through the table, settles each state that is open at this distance and the states
reached from there by free moves, and opens the states reached by other moves. Several threads do this, each for parts
of the table. A byte is changed atomically by `compare_and_swap`, and only towards a smaller distance, so the order of
threads does not matter.

A state is a rank, to which the tiles of each value contribute, one value after another (see `ranking.Ranking`).
Neighbours in the table differ only in the tiles of the last values, so only the difference from the last state is
computed:

    masks   | cells of value 0     | cells of value 1 | … | cells of the last value |     one bit per cell
    taken   | none                 | of value 0       | of values 0 and 1 | …       |     the cells of earlier values
    ranks   | 0                    | of value 0       | of values 0 and 1 | …       |     their share in the rank
    words   | others on all cells  | with value 0     | with 0 and 1      | …       |     the packed states
"""

from __future__ import annotations

from typing import Any

import numpy as np

from searchlab.compiler.arrays import Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, compare_and_swap, one_bits, prefetch
from searchlab.model.packed import trailing_zeros
from searchlab.search.kernels.control import FIXED_WIDTH, Expansion, successors
from searchlab.search.kernels.hash_table import I, U

UNKNOWN = 255
"""The byte of a state that was not met yet."""
LANES = 8
"""The number of states per word of the table."""
ONES, TOPS = 0x0101010101010101, 0x8080808080808080
PENDING = 32
"""The number of moves whose states are being fetched from memory; a power of two."""
DONE, OTHER_TILES, DEAR, OVERFLOW = range(4)
"""The reasons to return: done; a move added or removed tiles; a move costs too much, or not a whole number; the stack
was full, so that states of this distance are still open.
"""


class RetrogradeControl(Record):
    """The sizes and options, and the progress of filling the table."""

    width: int
    """The number of words per state."""
    values: int
    """The number of ranked values."""
    cells: int
    most: int
    """The largest number of tiles of a value."""
    first_open: int
    """The smallest code of an open state."""
    ring: int
    """The number of codes of open states."""
    level: int
    """The distance that is being settled."""
    phase: int
    """`level` modulo `ring`."""
    stack: int
    """The number of states for which the stack has room."""
    placed: int
    """Whether `masks`, `taken`, `ranks` and `words` describe a state."""
    races: int
    """Whether threads may write different bytes for one state; they cannot if all moves cost the same."""
    settled: int
    """The number of states settled by this thread so far."""
    depth: int
    """The number of states on the stack."""
    waiting: int
    """The number of moves that have ever been pending."""
    marked: int
    """The number of these moves that are done."""
    overflowed: int
    """Whether the stack was full."""
    cost: float
    """The cost of a move that costs too much."""


class RetrogradeArrays(Expansion):
    """The table, and the data that a thread needs to fill it."""

    entries: Pointer = array(np.uint8, "states")
    lanes: Pointer = array(np.uint64, "lanes")  # the same, with eight states per word
    words: Pointer = array(np.uint64, "kinds", "width")
    masks: Pointer = array(np.uint64, "kinds")
    taken: Pointer = array(np.uint64, "kinds")
    ranks: Pointer = array(np.int64, "kinds")
    after: Pointer = array(np.uint64, "kinds")  # the changed masks of a successor
    stack: Pointer = array(np.int64, "stack")
    pending: Pointer = array(np.int64, PENDING)  # 256 × state + cost
    terms: Pointer = array(np.int64, "kinds", "most", "cells")  # see `Ranking.terms`
    combinations: Pointer = array(np.int64, "most", "cells")  # the number of sets of 1, 2, … cells below each cell
    counts: Pointer = array(np.int64, "kinds")  # the number of tiles of each value
    steps: Pointer = array(np.int64, "kinds")  # see `Ranking.steps`
    changes: Pointer = array(np.uint64, "kinds")  # XOR turns the code of other tiles into the code of each value
    kind_of: Pointer = array(np.int64, "codes")  # the value of a code; `values` for other tiles, more for unknown ones
    charged: Pointer = array(np.uint8, "kinds")  # whether moves of a value cost
    cell_at: Pointer = array(np.int64, "bits")  # the cell of each bit of a state
    word_of: Pointer = array(np.int64, "cells")
    shift_of: Pointer = array(np.uint64, "cells")
    code_mask: Pointer = array(np.uint64, "cells")
    control: RetrogradeControl = record(RetrogradeControl)


def settle(s: RetrogradeArrays, first: int, last: int) -> int:
    """Settle the states of the present distance in the words of the table from `first` to `last`."""
    c = s.control
    now, level = np.uint8(c.first_open + c.phase), np.uint8(c.level)
    looked_for = U(now) * U(ONES)
    for word in range(first, last):
        differences = s.lanes[word] ^ looked_for
        # The lowest byte that is 0 is marked; bytes that are not 0 may be marked, too.
        marks = (differences - U(ONES)) & ~differences & U(TOPS)
        while marks != U(0):
            state = word * LANES + (trailing_zeros(I(marks)) >> 3)
            marks &= marks - U(1)
            if s.entries[state] != now:
                continue
            s.entries[state] = level  # a plain write: no other thread touches open states of this distance
            s.stack[0] = state
            c.depth = 1
            while c.depth > 0:
                c.depth -= 1
                failed = expand(s, s.stack[c.depth])
                if failed:
                    return failed
    while c.marked < c.waiting:
        mark_pending(s)
    return OVERFLOW if c.overflowed else DONE


def expand(s: RetrogradeArrays, state: int) -> int:
    """Mark the states reached by moves from a settled state; return `DONE`, or the reason if this is impossible."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    values, dearest = c.values, c.ring - 1
    place(s, state)
    c.settled += 1
    words_at = values * width
    count = successors(s, address_of(s.words, words_at), address_of(s.out, 0), address_of(s.edge_costs, 0))
    for k in range(count):
        changed, kinds, charged = values, U(0), False
        for word in range(width):
            before, after = s.words[words_at + word], s.out[k * width + word]
            different = before ^ after
            while different != U(0):
                cell = s.cell_at[word * 64 + trailing_zeros(I(different))]
                shift, mask = s.shift_of[cell], s.code_mask[cell]
                different &= ~(mask << shift)
                was, now = s.kind_of[I((before >> shift) & mask)], s.kind_of[I((after >> shift) & mask)]
                if now > values:
                    return OTHER_TILES
                bit = U(1) << U(cell)
                s.after[was] = (s.after[was] if kinds >> U(was) & U(1) else s.masks[was]) ^ bit
                kinds |= U(1) << U(was)
                s.after[now] = (s.after[now] if kinds >> U(now) & U(1) else s.masks[now]) ^ bit
                kinds |= U(1) << U(now)
                changed = min(changed, was)
                changed = min(changed, now)
                charged |= s.charged[was] != 0
        target = rank_from(s, changed, kinds)
        if target < 0:
            return OTHER_TILES
        price = s.edge_costs[k] if charged else 0.0
        if not price <= dearest or price != np.floor(price):
            c.cost = price
            return DEAR
        if price == 0.0:
            reach(s, target)
        else:
            if c.waiting - c.marked == PENDING:
                mark_pending(s)
            s.pending[c.waiting & (PENDING - 1)] = (target << 8) | I(price)
            prefetch(s.entries, target)
            c.waiting += 1
    return DONE


def rank_from(s: RetrogradeArrays, first: int, kinds: Any) -> int:
    """Return the rank of a successor, -1 if its tiles are not those of the state.

    Args:
        first: the first value with tiles in other cells.
        kinds: a bit for each value with its mask in `after`; the others are unchanged.
    """
    c = s.control
    values, cells, most = c.values, c.cells, c.most
    taken, rank = s.taken[first], s.ranks[first]
    for kind in range(first, values):
        mask = s.after[kind] if kinds >> U(kind) & U(1) else s.masks[kind]
        if mask == U(0):
            return -1
        # The first tile is handled before the loop, because most values have only one tile.
        lowest = mask & (~mask + U(1))
        before = trailing_zeros(I(mask)) - one_bits(taken & (lowest - U(1)))
        rank += s.terms[kind * most * cells + before]
        left, number, tiles = mask ^ lowest, I(1), s.counts[kind]
        while left != U(0):
            if number == tiles:
                return -1
            lowest = left & (~left + U(1))
            before = trailing_zeros(I(left)) - one_bits(taken & (lowest - U(1)))
            rank += s.terms[(kind * most + number) * cells + before]
            left ^= lowest
            number += 1
        if number != tiles:
            return -1
        taken |= mask
    return rank


def mark_pending(s: RetrogradeArrays) -> None:
    """Mark the state that has been pending longest."""
    c = s.control
    pending = s.pending[c.marked & (PENDING - 1)]
    c.marked += 1
    mark(s, pending >> 8, pending & 255)


def reach(s: RetrogradeArrays, state: int) -> None:
    """Settle a state reached by a free move, and put it on the stack, unless it has a distance as small already."""
    c = s.control
    if not mark(s, state, 0):
        return
    if c.depth < c.stack:
        s.stack[c.depth] = state
        c.depth += 1
    else:
        # No other thread touches a settled state.
        s.entries[state] = np.uint8(c.first_open + c.phase)
        c.overflowed = 1


def mark(s: RetrogradeArrays, state: int, cost: int) -> bool:
    """Open a state, or settle it if the move is free, if this makes its distance smaller; return whether it does."""
    c = s.control
    phase = c.phase + cost
    if phase >= c.ring:
        phase -= c.ring
    better = np.uint8(c.first_open + phase) if cost > 0 else np.uint8(c.level)
    known = s.entries[state]
    while True:
        if known < c.first_open:
            return False
        if known != UNKNOWN:
            ahead = I(known) - c.first_open - c.phase
            if ahead < 0:
                ahead += c.ring
            if ahead <= cost:
                return False
        if c.races == 0:
            s.entries[state] = better
            return True
        found = compare_and_swap(s.entries, state, known, better)
        if found == known:
            return True
        known = found


def place(s: RetrogradeArrays, state: int) -> None:
    """Compute the words and masks of a state, starting with the first value whose cells differ from the last state."""
    c = s.control
    values = c.values
    kind = I(0)
    if c.placed:
        while kind < values and 0 <= state - s.ranks[kind + 1] < s.steps[kind]:
            kind += 1
    c.placed = 1
    left = U(state - s.ranks[kind])
    while kind < values - 1:
        step = U(s.steps[kind])
        way = left // step
        left -= way * step
        place_value(s, kind, I(way))
        kind += 1
    if kind < values:
        place_value(s, kind, I(left))


def place_value(s: RetrogradeArrays, kind: int, way: int) -> None:
    """Place the tiles of a value on the cells left by earlier values, given the number of the placement."""
    c = s.control
    width = FIXED_WIDTH if FIXED_WIDTH else c.width
    taken, mask = s.taken[kind], U(0)
    s.ranks[kind + 1] = s.ranks[kind] + way * s.steps[kind]
    words = (kind + 1) * width
    for word in range(width):
        s.words[words + word] = s.words[words - width + word]
    for number in range(s.counts[kind] - 1, -1, -1):
        before = way
        if number > 0:
            before = c.cells - 1
            while s.combinations[number * c.cells + before] > way:
                before -= 1
            way -= s.combinations[number * c.cells + before]
        free = ~taken
        for _ in range(before):
            free &= free - U(1)
        cell = trailing_zeros(I(free))
        mask |= U(1) << U(cell)
        s.words[words + s.word_of[cell]] ^= s.changes[kind] << s.shift_of[cell]
    s.masks[kind] = mask
    s.taken[kind + 1] = taken | mask
