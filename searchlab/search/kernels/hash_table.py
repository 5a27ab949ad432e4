"""The hash table of states: open addressing with linear probing; the number of slots is a power of two.

    slot        [ tag of the hash | number of the node + 1 ]      uint32; 0 is empty

The top bits of the hash of a state give the position of its slot. The next lower bits form the tag, as many as the node
number leaves free. Thanks to the tag, a probe reads the state of a node only if it is very likely equal. A table that
is too full is emptied and refilled as a larger table in the same place; this is possible because the nodes hold all
data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, Record, array, record
from searchlab.compiler.intrinsics import leading_zeros, prefetch

if TYPE_CHECKING:
    from collections.abc import Iterable

U: Any = np.uint64
I: Any = np.int64  # noqa: E741 - the twin of U
MULTIPLIER = U(0x9E3779B97F4A7C15)
SLOT_BITS = U(32)
WORD = 2**64 - 1
AHEAD = 32
"""The slot of a node is fetched this many nodes before the node is entered."""

OPEN, CLOSED, TERMINAL = 1, 2, 4
"""The flags of a node: on the open list, expanded, reached by a move that ends the game."""


CLOSED_ONLY = False
"""Whether only closed nodes are entered; a constant of a kernel."""


class TableControl(Record):
    """The sizes of a table and of its nodes."""

    slots: int
    """The number of slots, a power of two."""
    width: int
    """The number of words per state."""
    stride: int
    """The number of words from one state to the next."""


class TableArrays(Arrays):
    """A table and the nodes that are entered into it."""

    slots: Pointer = array(np.uint32, "slots")
    words: Pointer = array(np.uint64, "nodes", "stride")
    flags: Pointer = array(np.uint8, "nodes")
    control: TableControl = record(TableControl)


def hash_of(words: Any, at: int, width: int) -> Any:
    """Return the hash of a state, which has `width` words from position `at` on."""
    mixed = U(0)
    for word in range(width):
        mixed ^= words[at + word]
        mixed ^= mixed >> U(32)
        mixed *= MULTIPLIER
        mixed ^= mixed >> U(29)
    return mixed


def same_words(left: Any, left_at: int, right: Any, right_at: int, width: int) -> bool:
    """Return whether two states are equal word by word."""
    for word in range(width):  # noqa: SIM110 - numba compiles loops, not generators
        if left[left_at + word] != right[right_at + word]:
            return False
    return True


def slot_of(mixed: Any, mask: int) -> int:
    """Return the slot where probing for a hash begins, in a table of `mask` + 1 slots."""
    return I(mixed >> U(leading_zeros(mask)))


def tag_of(mixed: Any, mask: int) -> int:
    """Return the tag of a hash, shifted to its position in a slot."""
    return I((mixed << U(64 - leading_zeros(mask))) >> SLOT_BITS) & ~mask


def entry_of(mixed: Any, mask: int, node: int) -> Any:
    """Return the content of a slot for a node."""
    return np.uint32(tag_of(mixed, mask) | (node + 1))


def node_in(entry: int, mask: int) -> int:
    """Return the node in a slot with this content, -1 if the slot is empty."""
    return (entry & mask) - 1


def put(slots: Any, mask: int, mixed: Any, node: int) -> None:
    """Enter a node whose state is not in the table yet."""
    slot = slot_of(mixed, mask)
    while slots[slot] != 0:
        slot = (slot + 1) & mask
    slots[slot] = entry_of(mixed, mask, node)


def hash_of_numbers(words: Iterable[int]) -> int:
    """Return, in Python, the hash of the state with these words."""
    mixed = 0
    for word in words:
        mixed ^= word
        mixed = (mixed ^ mixed >> 32) * int(MULTIPLIER) & WORD
        mixed ^= mixed >> 29
    return mixed


def place_of(mixed: int, size: int) -> int:
    """Return, in Python, the place for a hash in a table without probing, with `size` places, at most 2^32."""
    return (mixed >> 32) * size >> 32


def slot_and_entry(words: Iterable[int], mask: int, node: int) -> tuple[int, int]:
    """Return, in Python, the slot where probing for a state begins, and the content of a slot for the node.

    This enters the start of a search without `enter`, which takes a third of a second to compile.
    """
    mixed = hash_of_numbers(words)
    bits = mask.bit_length()
    tag = (mixed << bits & WORD) >> 32 & ~mask
    return mixed >> (64 - bits), tag | (node + 1)


def enter(s: TableArrays, first: int, last: int) -> int:
    """Enter the nodes from `first` to `last` - 1, or only the closed ones among them; return 0."""
    c = s.control
    width, stride, mask = c.width, c.stride, c.slots - 1
    for node in range(first, last):
        if node + AHEAD < last:
            prefetch(s.slots, slot_of(hash_of(s.words, (node + AHEAD) * stride, width), mask))
        if not CLOSED_ONLY or s.flags[node] & CLOSED:
            put(s.slots, mask, hash_of(s.words, node * stride, width), node)
    return 0
