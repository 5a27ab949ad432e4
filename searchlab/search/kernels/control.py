"""The common part of all kernel families: statuses, the control record of a search, and expanding a node.

A control record holds the options, the state and the counts of a search. Each family adds more fields. Between two
calls, the whole state of a kernel is in its control record and its other arrays.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from searchlab.compiler.arrays import Arrays, Pointer, Record, array, record
from searchlab.compiler.intrinsics import address_of, address_of_field
from searchlab.compiler.signatures import call_step, call_successors
from searchlab.model.costs import MOST_LAYERS, has_layer
from searchlab.search.kernels.hash_table import I, U


class Status(IntEnum):
    """Why a kernel returned."""

    EXHAUSTED = 0
    """There is nothing left to do."""
    GOAL = 1
    """`current` is a goal."""
    BUDGET = 2
    """The budget of expansions is used up."""
    TABLE_FULL = 3
    """The hash table has to grow."""
    NOT_A_NUMBER = 4
    """The heuristic returned NaN."""
    NEGATIVE = 5
    """The heuristic returned an invalid negative value."""
    DEEPER = 6
    """The arrays whose size depends on the depth have to grow."""
    NO_BUCKET = 7
    """Something does not fit into buckets of small whole numbers, so the search has to continue with a heap."""
    EVALUATE = 8
    """Nodes wait to be evaluated in Python."""


class SearchControl(Record):
    """The options and counts of a search that the kernels of all families share."""

    width: int
    """The number of words per state."""
    most_successors: int
    estimates: int
    """Whether the search uses h."""
    sign: int
    """The factor of the heuristic's values in h: 1, or -1 if higher values are better."""
    expanded: int
    generated: int
    evaluated: int
    dead_ends: int
    best_h: float
    """The smallest h so far."""
    counts_h: int
    """Whether h counts in lower bounds."""
    lost: float
    """The smallest g + h of the paths that are followed no further, see `lose`."""
    current: int
    """The node that is being processed."""
    successor: int
    """The number of the successor that is being processed; -1 for the node itself."""
    nodes: int
    """How many node numbers are in use."""


class BestFirstControl(SearchControl):
    """The additional fields of best-first search, with a heap or with buckets."""

    late: int
    """Whether duplicates are detected when a node is taken, not when it is generated."""
    ties: int
    """How h breaks ties: NO_TIES, LOW_H or HIGH_H."""
    reopens: int
    batches: int
    """Whether nodes of one class are taken together."""
    unit_moves: int
    """Whether every move costs 1 and none ends the game."""
    reopened: int
    duplicates: int
    on_open: int
    most_on_open: int
    slots: int
    """The number of slots of the hash table, a power of two."""
    in_table: int
    """The number of taken slots."""
    batch_size: int
    """The number of nodes that were taken together, to be expanded one after another."""
    batch_at: int
    """The position of the next node in the batch."""
    push_count: int
    """How often nodes were put on the open list. It is the stamp of the newest entry, unless ORDER is not NEWEST."""
    random: int
    """The mixed seed of a random order, as a signed number."""
    layer: float
    """The f of the nodes that are being expanded."""
    layer_expanded: int
    """The number of expanded nodes when layers were last counted; `layer_generated` likewise for generated nodes."""
    layer_generated: int
    layers: int
    """One more than the largest f with a count."""

    def copy_counts(self, other: BestFirstControl) -> None:
        """Take over the counts of another search."""
        for name in COUNTS:
            setattr(self, name, getattr(other, name))


COUNTS = (
    *("expanded", "generated", "evaluated", "reopened", "duplicates", "dead_ends"),
    *("on_open", "most_on_open", "best_h", "lost"),
    *("layer", "layer_expanded", "layer_generated", "layers"),
)


NO_TIES, LOW_H, HIGH_H = range(3)


def tie_of(c: BestFirstControl, h: float) -> float:
    """Return the tie-breaker for this h; among nodes with equal priorities, the smallest is taken first."""
    if c.ties == LOW_H:
        return h
    return -h if c.ties == HIGH_H else 0.0


def lose(c: SearchControl, g: float, h: float) -> None:
    """Record that a path is followed no further: a path to a dead end, or a cheaper path to a closed state."""
    c.lost = min(c.lost, g + h if c.counts_h else g)


def enter_layer(c: BestFirstControl, by_f: Pointer, f: float) -> None:
    """Count the nodes that are expanded and generated from now on in the layer of this f.

    Args:
        by_f: the number of nodes expanded with f = 0, the number generated from them, the same for f = 1, and so on.
    """
    if f != c.layer:
        count_layer(c, by_f)
        c.layer = f


def count_layer(c: BestFirstControl, by_f: Pointer) -> None:
    """Add the nodes that were expanded and generated since the last call to the present layer, if its f has one."""
    if has_layer(c.layer):
        f = int(c.layer)
        by_f[2 * f] += c.expanded - c.layer_expanded
        by_f[2 * f + 1] += c.generated - c.layer_generated
        c.layers = max(c.layers, f + 1)
    c.layer_expanded = c.expanded
    c.layer_generated = c.generated


# The rows of `callees`: address, params and tables of a plugin function.
SUCCESSORS, IS_GOAL, ESTIMATE, PRIORITY, STEP = range(5)

EXPANSION_BATCH = 64
"""The largest number of nodes that are taken together."""

FIXED_WIDTH = 0
"""The number of words per state if a kernel is compiled for a fixed number, or 0 to use `control.width`."""
FIRST_SIBLING = False
"""Whether the first successor of a node counts as its newest, instead of the last; a constant of a kernel."""
NEWEST, OLDEST, RANDOM = range(3)
ORDER = 0
"""Which of the nodes with equal priorities and tie-breakers is taken first; a constant of a kernel."""


GOLDEN, SIGN = U(0x9E3779B97F4A7C15), U(2**63)
MIX = U(0xBF58476D1CE4E5B9), U(0x94D049BB133111EB)
"""The constants of `model.randomness.random_rank`, which kernels compute by themselves."""


COUNTS_BY_F = 2 * MOST_LAYERS
"""The size of `by_f`, see `enter_layer`."""


def stamp_of(count: int, random: int) -> int:
    """Return the stamp of the entry with this number, for an ORDER other than NEWEST; larger stamps come first."""
    if ORDER == OLDEST:
        return -count
    number = U(random) + U(count) * GOLDEN
    number = (number ^ (number >> U(30))) * MIX[0]
    number = (number ^ (number >> U(27))) * MIX[1]
    return I((number ^ (number >> U(31))) ^ SIGN)


class PluginArrays(Arrays):
    """The arrays with which plugin functions are called."""

    callees: Pointer = array(np.uint64, "callees", 3)
    tiles: Pointer = array(np.int64, "cells")


class Expansion(PluginArrays):
    """The arrays that an expansion needs and fills."""

    out: Pointer = array(np.uint64, "successors", "width")
    terminal: Pointer = array(np.uint8, "successors")
    edge_costs: Pointer = array(np.float64, "successors", fill=1)
    out_tiles: Pointer = array(np.int64, "unpacked", "cells")  # of the successors, before they are packed
    moves: Pointer = array(np.int64, "successors", "described")


class EvaluatedExpansion(Expansion):
    """The arrays of an expansion with evaluation of the successors."""

    out_estimates: Pointer = array(np.float64, "successors")
    control: SearchControl = record(SearchControl)


def successors(s: Expansion, words_at: int, out_at: int, costs_at: int) -> int:
    """Write the successors of a state and the costs of the moves; return the number of successors.

    The arguments are the addresses of the state, of the successors and of the costs.
    """
    return call_successors(
        s.callees,
        SUCCESSORS,
        (
            words_at,
            out_at,
            address_of(s.tiles, 0),
            address_of(s.out_tiles, 0),
            address_of(s.terminal, 0),
            costs_at,
            address_of(s.moves, 0),
        ),
    )


def step(s: EvaluatedExpansion, words_at: int, parent_at: int, has_parent: int, h: float, first: int) -> int:
    """Write the successors of a state, except its parent, and their values.

    Args:
        words_at, parent_at: the addresses of the state and of its parent.
        has_parent: whether the state has a parent.
        h: the value of the state by the heuristic.
        first: the position of the first successor in the arrays.

    Returns:
        the number of successors, or -1 for a goal.
    """
    width = FIXED_WIDTH if FIXED_WIDTH else s.control.width
    return call_step(
        s.callees,
        STEP,
        (
            words_at,
            parent_at,
            has_parent,
            h,
            address_of(s.out, first * width),
            address_of(s.out_estimates, first),
            address_of(s.tiles, 0),
            address_of(s.out_tiles, 0),
            address_of(s.terminal, first),
            address_of(s.edge_costs, first),
            address_of(s.moves, 0),
            address_of_field(s.control, "successor"),
        ),
    )


def reverse_successors(s: Expansion, first: int, count: int, width: int) -> None:
    """Reverse the order of the successors of a node, with their costs and whether they end the game."""
    reverse_rows(s.out, first, count, width)
    reverse_rows(s.terminal, first, count, 1)
    reverse_rows(s.edge_costs, first, count, 1)


def reverse_rows(rows: Pointer, first: int, count: int, width: int) -> None:
    """Reverse the order of `count` rows of an array, from row `first` on."""
    for k in range(count // 2):
        for column in range(width):
            low = (first + k) * width + column
            high = (first + count - 1 - k) * width + column
            kept = rows[low]
            rows[low] = rows[high]
            rows[high] = kept
