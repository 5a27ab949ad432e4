"""The hash table of states: open addressing with linear probing, at most three quarters full.

A slot is a uint64: the node's number plus one in the low 32 bits (0: empty), the upper half of the state's
hash in the high 32 bits, so that a probe touches the node store only where the state is very likely the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from searchlab.search.kernels.intrinsics import prefetch

U: Any = np.uint64
I: Any = np.int64  # noqa: E741 - the twin of U
MULTIPLIER = U(0x9E3779B97F4A7C15)
NUMBER = U(0xFFFFFFFF)
UPPER_HALF = U(0xFFFFFFFF00000000)
AHEAD = 16
"""So many nodes ahead of the one being entered, slots are fetched."""


def hash_of(words: Any, at: int, width: int) -> Any:
    """Return the hash of the state whose `width` words begin at `at`."""
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


def find(
    slots: Any,
    mask: int,
    mixed: Any,
    words: Any,
    at: int,
    terminal: int,
    node_words: Any,
    node_flags: Any,
    width: int,
) -> int:
    """Return the node of a state, or where to put it: -1 - slot."""
    slot = I(mixed & U(mask))
    upper = mixed & UPPER_HALF
    while slots[slot] != U(0):
        entry = slots[slot]
        if (entry & UPPER_HALF) == upper:
            node = I(entry & NUMBER) - 1
            if (node_flags[node] & TERMINAL) == terminal and same_words(words, at, node_words, node * width, width):
                return node
        slot = (slot + 1) & mask
    return -1 - slot


def entry_of(mixed: Any, node: int) -> Any:
    """Return what a slot holds for a node."""
    return (mixed & UPPER_HALF) | U(node + 1)


def fill(slots: Any, count: int, words: Any, flags: Any, nodes: int, wanted: int, width: int) -> None:
    """Enter those of the first `nodes` nodes that have the wanted flags into an empty table of `count` slots."""
    mask = count - 1
    for node in range(nodes):
        if node + AHEAD < nodes:
            prefetch(slots, I(hash_of(words, (node + AHEAD) * width, width) & U(mask)))
        if flags[node] & wanted == wanted:
            mixed = hash_of(words, node * width, width)
            slot = I(mixed & U(mask))
            while slots[slot] != U(0):
                slot = (slot + 1) & mask
            slots[slot] = entry_of(mixed, node)


_words, _flags = types.CPointer(types.uint64), types.CPointer(types.uint8)
FILL = types.void(_words, types.int64, _words, _flags, types.int64, types.int64, types.int64)

OPEN, CLOSED, TERMINAL = 1, 2, 4
"""Bits of a node's flags: on the open list, expanded, reached by a move that ends the game."""
