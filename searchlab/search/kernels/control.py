"""Statuses, and the fields of the blocks kernels keep their figures in; one numbering for all families.

`control` (int64) says how a search is to be done, where it stands and what it has done; `figures` (float64)
holds what is no whole number. Everything a kernel knows between two calls is in them and in its arrays.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import count
from typing import Any

from searchlab.compiler.arrays import Record
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.signatures import call_successors


class Status(IntEnum):
    """Why a kernel returned."""

    EXHAUSTED = 0
    """Nothing is left to expand."""
    GOAL = 1
    """`current` is a goal."""
    BUDGET = 2
    """As many nodes are expanded as were asked for."""
    TABLE_FULL = 3
    """The hash table has to grow."""
    NOT_A_NUMBER = 4
    """The heuristic returned NaN."""
    NEGATIVE = 5
    """The heuristic returned less than 0 where that makes no sense."""
    DEEPER = 6
    """The arrays by depth have to grow."""
    NO_BUCKET = 7
    """Something does not fit into buckets of small whole numbers: the search has to go on with a heap."""
    EVALUATE = 8
    """Nodes wait to be evaluated in Python."""


class SearchControl(Record):
    """How a search is done and what it has done: what the kernels of all families have in common."""

    width: int
    """Words a state."""
    most_successors: int
    estimates: int
    """Whether the search asks for h."""
    sign: int
    """1, or -1 where more is better: h enters the search times this."""
    expanded: int
    generated: int
    evaluated: int
    dead_ends: int
    best_h: float
    """The smallest h so far."""
    current: int
    """The node that is being worked on."""
    successor: int
    """Which of its successors is being worked on; -1: the node itself."""
    nodes: int
    """Numbers of nodes in use."""


class BestFirstControl(SearchControl):
    """What best-first search has besides, with a heap and with buckets."""

    late: int
    """Whether duplicates are detected when a node is taken, not when it is generated."""
    low_h_ties: int
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
    """Slots of the hash table, a power of two."""
    in_table: int
    """Slots taken."""
    batch_size: int
    """Nodes taken together, to be expanded one after another."""
    batch_at: int
    """Which of them is next."""

    def copy_counts(self, other: BestFirstControl) -> None:
        """Count what another search has done as done by this one."""
        for name in COUNTS:
            setattr(self, name, getattr(other, name))


COUNTS = (
    *("expanded", "generated", "evaluated", "reopened", "duplicates", "dead_ends"),
    *("on_open", "most_on_open", "best_h"),
)


_status, _field, _figure = count(), count(), count()

EXHAUSTED = next(_status)
"""Nothing is left to expand."""
GOAL = next(_status)
"""`CURRENT` is a goal."""
BUDGET = next(_status)
"""As many nodes are expanded as were asked for."""
TABLE_FULL = next(_status)
"""The hash table has to grow."""
NOT_A_NUMBER = next(_status)
"""The heuristic returned NaN."""
NEGATIVE = next(_status)
"""The heuristic returned less than 0 where that makes no sense."""
DEEPER = next(_status)
"""The arrays by depth have to grow."""
NO_BUCKET = next(_status)
"""Something does not fit into buckets of small whole numbers: the search has to go on with a heap."""
EVALUATE = next(_status)
"""Nodes wait to be evaluated in Python."""

# How the search is to be done.
WIDTH = next(_field)
MOST_SUCCESSORS = next(_field)
LATE = next(_field)
ESTIMATES = next(_field)
LOW_H_TIES = next(_field)
REOPENS = next(_field)
BATCHES = next(_field)
CONTAINER = next(_field)
PLAIN_MOVES = next(_field)
"""Every move costs 1 and none ends the game."""
SIGN = next(_field)

# What it has done.
EXPANDED = next(_field)
GENERATED = next(_field)
EVALUATED = next(_field)
REOPENED = next(_field)
DUPLICATES = next(_field)
DEAD_ENDS = next(_field)
ON_OPEN = next(_field)
MOST_ON_OPEN = next(_field)

# Which node it is at, and which of its successors (-1: the node itself).
CURRENT = next(_field)
SUCCESSOR = next(_field)

# Nodes: how many numbers are used, the chain of those given back and its length.
NODES = next(_field)
FREE = next(_field)
FREED = next(_field)

# The hash table: slots (a power of two) and how many are taken.
SLOTS = next(_field)
IN_TABLE = next(_field)

# The open list: what has been pushed, where its entries begin and end, and whether the first is a hole.
STAMP = next(_field)
FIRST = next(_field)
LAST = next(_field)
HOLE = next(_field)

# The batch that is being expanded.
BATCH_SIZE = next(_field)
BATCH_AT = next(_field)
BATCH_BUCKET = next(_field)

# Evaluation together: whether it is done in Python, after how many expansions, when the batch is complete, and when
# no more are allowed; how many nodes wait, and whether their values are there; how many successors of the node that is
# being expanded there are.
IN_PYTHON = next(_field)
BATCH = next(_field)
BATCH_END = next(_field)
MOST_EXPANSIONS = next(_field)
WAITING = next(_field)
VALUED = next(_field)
COUNT = next(_field)

# Buckets: how many values of g and h, how many active buckets and how many chunks there is room for, whether g counts
# (else a bucket is a value of h alone), active ones, the chain of free chunks and the chunks used; whether the priority
# is being asked for its order, and over which values of h it is known to rise where g does not count.
MOST_G = next(_field)
MOST_H = next(_field)
MOST_ACTIVE = next(_field)
MOST_CHUNKS = next(_field)
BY_G = next(_field)
ACTIVE = next(_field)
FREE_CHUNK = next(_field)
CHUNKS = next(_field)
ORDERING = next(_field)
LEAST_H = next(_field)
HIGHEST_H = next(_field)

# Buckets with early detection: whether h of every successor is asked for with the successors (else only of those that
# are new), and where in `out` the successors begin that are being worked on.
FOLLOWS = next(_field)
OUT_FIRST = next(_field)

# Iterative deepening: whether a node is being entered, how deep the arrays are, the depth the search is to go on
# from, and where the board is.
ENTERING = next(_field)
DEPTHS = next(_field)
ROOT = next(_field)
PLACE = next(_field)

# Beam search: how many nodes a layer keeps, the first goal among the candidates (-1: none), and the most candidates
# there were; the layer that later ones are compared with, whether the cost of its nodes counts, how many layers have
# followed it, and after how many the next one takes its place.
BEAM_WIDTH = next(_field)
FOUND = next(_field)
MOST_CANDIDATES = next(_field)
EARLIER_FIRST = next(_field)
EARLIER_LAST = next(_field)
BY_COST = next(_field)
LAYERS_SINCE = next(_field)
LAYERS_UNTIL = next(_field)

# Enumeration: bits a cell, whether goals are not expanded, and what has been counted: goals, moves that ended the
# game, and the largest value of a cell.
BITS = next(_field)
ENDS_AT_GOAL = next(_field)
GOALS = next(_field)
ENDED = next(_field)
LARGEST = next(_field)

CONTROLS = next(_field)

BEST_H = next(_figure)
BOUND = next(_figure)
NEXT_BOUND = next(_figure)

FIGURES = next(_figure)

# Rows of `callees`: address, params and tables of a plugin's function.
SUCCESSORS, IS_GOAL, ESTIMATE, PRIORITY, STEP = range(5)

EXPANSION_BATCH = LARGEST_BATCH = 64
"""Nodes that are taken together at most."""

FIXED_WIDTH = 0
"""Words a state where a kernel is compiled for just that many, 0 where `control[WIDTH]` says it."""


def successors(s: Any, words_at: int) -> int:
    """Write the successors of the state at this address into `out`; return how many there are."""
    return call_successors(
        s.callees,
        SUCCESSORS,
        (
            words_at,
            address_of(s.out, 0),
            address_of(s.tiles, 0),
            address_of(s.out_tiles, 0),
            address_of(s.terminal, 0),
            address_of(s.edge_costs, 0),
            address_of(s.moves, 0),
        ),
    )
