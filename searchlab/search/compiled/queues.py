"""Compiled best-first search with several queues, which may go on after a solution."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from searchlab.compiler.arrays import GridRange, allocate, bytes_per, nbytes
from searchlab.errors import PluginCode
from searchlab.model.costs import exceeds
from searchlab.model.randomness import Randomness, words_of
from searchlab.search.compiled.best_first import signed_seed
from searchlab.search.compiled.growing_table import MOST_NODES, SLOT_BYTES, GrowingTable, TableSearch, most_slots
from searchlab.search.compiled.kernel_run import Kernels, first_numbers, in_ranges, kernel
from searchlab.search.compiled.problem import CompiledProblem, compiled_keys
from searchlab.search.compiled.replay import PackedPath, path_to
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.groups import FIRST_SLOTS
from searchlab.search.kernels.hash_table import OPEN
from searchlab.search.kernels.node_values import KEYS, OTHERS
from searchlab.search.kernels.queues import (
    MOST_IN_NEW_CLASSES,
    POSTPONED,
    QueueArrays,
    QueueControl,
    lose_path,
    queues,
    reopen_classes,
    reopen_range,
    update_all,
)
from searchlab.search.readable.queues import F_MIN, INCUMBENT, needs_f_min

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.frontier import BoundQueue
    from searchlab.board.board import Board
    from searchlab.compiler.arrays import Written
    from searchlab.model.results import Outcome
    from searchlab.search.problem import Problem
    from searchlab.search.watch import Watch

AT_ONCE = 1 << 16
"""The number of nodes that are read together."""
LISTED = 1 << 12
"""The largest number of nodes that an operation of a node store works on in one call."""
LEAST_ENTRIES = 1 << 12
CHANGES_F_MIN, CHANGES_INCUMBENT = 1, 2
GROUPED = ("groups", "group slots", "members", "linked", "class places")
"""The sizes of the arrays of groups."""


def has_classes(problem: Problem) -> bool:
    """Return whether nodes with equal values wait together, in classes.

    They do if priorities change during the search or from round to round, and if the search goes on after a solution,
    because such searches are long.
    """
    component = problem.frontier.component
    in_heaps = [queue for queue in problem.queues if queue.types is None]
    is_plain = component.choose != "first" and not any(queue.focal for queue in in_heaps)
    goes_on = bool(in_heaps) and (component.restart is not None or problem.frontier.bound < inf)
    return is_plain and problem.frontier.order != "random" and (goes_on or any(queue.changes for queue in in_heaps))


def class_values(problem: Problem) -> tuple[int, ...]:
    """Return the indices of the values that define the class of a node: g, h, and other values that priorities use."""
    asked = (place for queue in problem.queues for place in queue.places.values())
    return tuple(sorted({0, 1, *asked} - {F_MIN, INCUMBENT}))


def is_by_f(queue: BoundQueue, *, by_f: bool) -> bool:
    """Return whether a queue is the queue by f, which is kept if f_min has to be known."""
    return by_f and queue.function is None and not queue.focal and queue.types is None


class QueueSearch(TableSearch):
    """One search with several queues."""

    kernels: ClassVar[Kernels] = ((queues, QueueArrays, {}),)
    kind: ClassVar[type[QueueArrays]] = QueueArrays
    control_kind: ClassVar[type[QueueControl]] = QueueControl
    arrays: QueueArrays
    control: QueueControl

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        problem, declared = self.problem, self.problem.queues
        self.heaps = 1 + 2 * len(declared)
        self.has_classes = has_classes(problem)
        types = [queue.types for queue in declared if queue.types is not None]
        repairs = problem.frontier.component.restart is not None and problem.frontier.component.restart_from == "open"
        self.class_sets = (1 + repairs) * self.has_classes
        """The number of sets of groups that are classes; rounds need another set, for nodes that wait for the next."""
        self.told = [class_values(problem)] * self.class_sets + types
        self.by_f = needs_f_min(problem)
        of_heaps = ([-1] if self.by_f else []) + [
            k for k, queue in enumerate(declared) if queue.types is None and not is_by_f(queue, by_f=self.by_f)
        ]
        self.class_heaps = len(of_heaps) * self.has_classes
        self.most_entries, self.most_members, self.most_known = np.zeros(self.heaps, np.int64), 0, 0
        self.round, self._keys = problem, compiled.keys
        self._round_began, self._proved = -1, 0.0
        self.arrays = arrays = allocate(
            self.kind,
            self._sizes(),
            reserved=("nodes", "entries", "slots", *GROUPED, "counts by f"),
            small_pages=("entries", *GROUPED),
            spare=compiled.spare,
            callees=compiled.callee_rows(*compiled.keys, *compiled.further).copy(),
            control=first_numbers(self.control_kind, compiled),
        )
        self.use(arrays)
        self._set_control()
        self._set_queues(of_heaps)
        self.fixed_bytes = nbytes(arrays, "successors", "cells")
        self.table = GrowingTable(watch, self.control, arrays.slots, arrays.views)
        self.table.use_nodes(arrays.words)

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of the arrays, and record the bytes of a node, an entry, a group and an expansion."""
        compiled, memory = self.compiled, self.watch.memory
        further, count, sets = len(self.problem.further), len(self.problem.queues), len(self.told)
        sizes = {
            **compiled.sizes,
            **{"queues": count, "heaps": self.heaps, "further": further, "values": OTHERS + 2 * further + 1},
            **{"listed": LISTED, "found": LISTED * compiled.form.max_successors},  # for node stores
            **{"sets": sets, "told": max([1, *map(len, self.told)])},
        }
        names = ("nodes", "entries", "members", "groups", "class places", "linked")
        of_node, self.entry_bytes, self.member_bytes, of_group, of_place, of_link = (
            bytes_per(QueueArrays, name, sizes) for name in names
        )
        self.node_bytes = of_node + of_link * self.has_classes
        self.group_bytes = of_group + self.class_heaps * of_place
        self.queue_bytes = (count + 1) * self.entry_bytes
        of_groups = sets * (self.group_bytes + 4 * SLOT_BYTES + 4 * self.member_bytes)
        self.step_bytes = compiled.form.max_successors * (self.node_bytes + self.queue_bytes + of_groups)
        nodes = min(MOST_NODES, memory // self.node_bytes + compiled.form.max_successors + 1)
        self.capacity = memory // self.entry_bytes // (count + 1) + LEAST_ENTRIES
        self.most_groups = memory // self.group_bytes // max(1, sets) + LEAST_ENTRIES
        self.most_slots = 1 << (4 * self.most_groups).bit_length()
        has_types = sets > self.class_sets
        return {
            **sizes,
            **{"nodes": nodes, "entries": self.heaps * self.capacity, "slots": most_slots(self.watch)},
            **{"groups": sets * self.most_groups, "group slots": sets * self.most_slots},
            "members": (4 * (memory // self.member_bytes) + LEAST_ENTRIES) * has_types,
            **{"linked": nodes * self.has_classes, "class places": self.class_heaps * self.most_groups},
        }

    def _set_control(self) -> None:
        """Set the initial values of the control record."""
        problem, compiled = self.problem, self.compiled
        component, declared = problem.frontier.component, problem.queues
        self.control.update(
            queues=len(declared),
            further=len(problem.further),
            capacity=self.capacity,
            by_f=self.by_f,
            least_heap=self.by_f and not any(is_by_f(queue, by_f=self.by_f) for queue in declared),
            restarts=component.restart is not None and component.restart_from == "open",
            repeats=component.restart_from == "start",
            is_random=component.choose == "random",
            is_first=component.choose == "first",
            first_further=KEYS + len(compiled.keys),
            turn=-1,
            goal=-1,
            failing=-1,
            total_share=sum(queue.share for queue in declared),
            incumbent=inf,
            drops_from=problem.drops_from,
            bound=problem.frontier.bound,
            f_min=-inf,
            lost_f=inf,
            most_groups=self.most_groups,
            most_slots=self.most_slots,
            values_of_group=max([1, *map(len, self.told)]),
            in_classes=self.has_classes,
            class_heaps=self.class_heaps,
        )
        if problem.frontier.order == "random":
            self.control.random = signed_seed(problem.frontier.values["seed"])

    def _set_queues(self, of_heaps: list[int]) -> None:
        """Describe the queues to the kernel, and the values that define groups of nodes.

        Args:
            of_heaps: the number of the queue of each heap of classes; -1 for the heap by f if it belongs to no queue.
        """
        arrays, problem = self.arrays, self.problem
        declared = problem.queues
        arrays.queue_of_heap[: len(of_heaps)] = of_heaps
        arrays.class_heaps[[k for k in of_heaps if k >= 0]] = [heap for heap, k in enumerate(of_heaps) if k >= 0]
        arrays.sets[:] = -1
        arrays.slots_of_set[:] = FIRST_SLOTS
        with_types = [k for k, queue in enumerate(declared) if queue.types is not None]
        arrays.sets[with_types] = range(self.class_sets, len(self.told))
        for k, told in enumerate(self.told):
            arrays.told[k], arrays.told_by[k, : len(told)] = len(told), told
        for k, queue in enumerate(declared):
            arrays.places[k] = 0 if is_by_f(queue, by_f=self.by_f) else 1 + k
            arrays.shares[k], arrays.focal[k], arrays.limits[k] = queue.share, queue.focal, -inf
            changes = CHANGES_F_MIN * ("f_min" in queue.places) + CHANGES_INCUMBENT * ("incumbent" in queue.places)
            arrays.changes[k], arrays.followed[k] = changes, queue.of
        with_condition = [k for k, queue in enumerate(declared) if queue.when]
        first = KEYS + len(declared)
        arrays.conditions[with_condition] = range(first, first + len(with_condition))
        for k, heuristic in enumerate(problem.further):
            arrays.signs[k] = -1 if heuristic.prefer == "high" else 1
        arrays.turns[:] = words_of(Randomness(problem.frontier.values["seed"]))

    @classmethod
    def prepare(cls, compiled: CompiledProblem) -> None:
        """Compile everything that the search calls."""
        super().prepare(compiled)
        _ = compiled.keys, compiled.further
        kernel(update_all, QueueArrays, compiled.packing.words, **cls.options(compiled))
        if compiled.problem.frontier.component.restart:
            kernel(reopen_range, QueueArrays, compiled.packing.words, **cls.options(compiled))
            if has_classes(compiled.problem) and compiled.problem.frontier.component.restart_from == "open":
                kernel(reopen_classes, QueueArrays, compiled.packing.words, **cls.options(compiled))

    @classmethod
    def options(cls, compiled: CompiledProblem) -> dict[str, Any]:
        """Return the options for compiling all kernels."""
        problem = compiled.problem
        has_types = any(queue.types is not None for queue in problem.queues)
        used = {"HAS_TYPES": has_types, "HAS_CLASSES": has_classes(problem)}
        return {**super().options(compiled), **{name: True for name, is_used in used.items() if is_used}}

    def start(self) -> int:
        """Make the start node 0, and test whether it is a goal, regardless of limits; the kernel enters it."""
        s, control, problem = self.arrays, self.control, self.problem
        h = self.evaluate_start()
        if h == inf:
            return self.dead_start()
        s.words[0] = self.compiled.start
        s.parents[0], s.costs[0], s.estimates[0] = -1, 0.0, h
        others = [problem.by(heuristic).estimate(problem.board) for heuristic in problem.further]
        s.others[0] = others
        control.evaluated += len(others)
        control.nodes = control.in_table = 1
        s.values[OTHERS + len(others) :] = h, *others
        for queue in problem.queues:  # errors of a priority are explained better here than in a kernel
            queue.key((0.0, h, 0.0, control.f_min, inf, *others, h, *others))
        self.table.enter_start()
        self.watch.begin()
        if h >= control.drops_from:
            lose_path(control, 0.0, h)
            return self.dead_start()
        return self.first_slice()

    def run(self) -> Outcome:
        """Search until the search is over or a limit is reached; report each cheaper solution."""
        status, stopped = self.advance(self.start())
        goes_on = self.problem.frontier.bound < inf or self.problem.frontier.component.restart is not None
        while goes_on and status == Status.GOAL and self.control.current:
            status, stopped = self._after_goal()
            if status == Status.BUDGET and not stopped:
                # The kernel takes the next node before it checks a limit, so that a search can end at a limit.
                status, stopped = self.advance(self.slice(self.done))
        return self.end(status, stopped)

    def _after_goal(self) -> tuple[int, str]:
        """Handle the goal that was taken; return a status, and the limit that was reached meanwhile, or `""`."""
        watch, control, s, goal = self.watch, self.control, self.arrays, self.control.current
        if s.costs[goal] < watch.incumbent:
            self.account()
            watch.improved(float(s.costs[goal]), self.path)
            control.incumbent = watch.incumbent
            control.drops_from = min(control.drops_from, watch.incumbent)
            self._call(update_all, CHANGES_INCUMBENT)
        if not (control.restarts or control.repeats):
            return Status.BUDGET, ""
        bound, least = self.problem.frontier.bound, min(self._least(counts_h=True), control.lost_f)
        if bound < inf and not exceeds(control.incumbent, bound * least):
            control.good_enough = 1
            return Status.EXHAUSTED, ""
        frontier = self.round.frontier.restarted()
        if frontier is None and control.repeats and bound < inf:
            return Status.BUDGET, ""
        if frontier is None and (bound == inf or control.expanded == self._round_began):
            return Status.EXHAUSTED, ""
        self._round_began = control.expanded
        if frontier is not None:
            self.round = replace(self.round, frontier=frontier)
        return Status.BUDGET, self._restart()

    def _restart(self) -> str:
        """Begin the next round; return the status with which the search has to end meanwhile, or `""`."""
        s, control = self.arrays, self.control
        if control.repeats:
            self._proved = max(self._proved, self.least_f())
            control.lost = control.lost_f = inf
        self._keys = compiled_keys(self.round)
        s.callees[KEYS : control.first_further] = [code.row() for code in self._keys]
        s.sizes[:], s.holes[:], s.limits[:], control.on_open = 0, 0, -inf, 0
        for k, queue in enumerate(self.round.queues):
            s.shares[k], s.focal[k] = queue.share, queue.focal
        control.total_share = float(s.shares.sum())
        keeps_classes = control.restarts and control.in_classes
        self._empty_groups(self.class_sets if keeps_classes else 0)
        nodes = control.nodes
        stopped = in_ranges(partial(self._call, reopen_range), nodes, nodes, self.watch, nodes)
        if stopped or not keeps_classes:
            return stopped
        groups = int(s.groups[0])
        return in_ranges(partial(self._call, reopen_classes), groups, groups, self.watch, nodes)

    def _empty_groups(self, first: int) -> None:
        """Empty the sets of groups from number `first` on: all sets, or only the types."""
        s, control = self.arrays, self.control
        if not first:
            for heap in range(self.class_heaps):
                s.class_places[heap * self.most_groups : heap * self.most_groups + s.groups[0]] = 0
            s.class_counts[:], control.filled_classes = 0, 0
        self.most_members = max(self.most_members, control.members)
        self.most_known = max(self.most_known, int(s.groups.max(initial=0)))
        for k, slots in enumerate(s.slots_of_set[first:], first):
            s.group_slots[k * self.most_slots : k * self.most_slots + slots] = 0
        s.groups[first:], s.filled_groups[:], s.free_segments[:], control.members = 0, 0, 0, 0

    def _call(self, function: Callable[..., int], *numbers: int) -> None:
        """Call another kernel."""
        with PluginCode(self.explained):
            kernel(function, QueueArrays, self.width, **self.options(self.compiled))(*self.addresses, *numbers)

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        if self.control.nodes + self.compiled.form.max_successors >= len(self.arrays.parents):
            return 0
        # All segments of entries, and all slots, may double at the same time.
        spare = self.member_bytes * self.control.members + SLOT_BYTES * int(self.arrays.slots_of_set.sum())
        if self.control.in_classes and self.control.nodes <= MOST_IN_NEW_CLASSES:
            spare += self.queue_bytes * self.control.on_open  # nodes may be put into heaps one by one
        return max(0, self.watch.memory - self.held() - spare) // self.step_bytes

    def held(self) -> int:
        """Return the number of bytes in use."""
        np.maximum(self.most_entries, self.arrays.sizes, out=self.most_entries)
        entries = self.entry_bytes * int(self.most_entries.sum())
        self.most_members = max(self.most_members, self.control.members)
        entries += self.group_bytes * int(self.arrays.groups.sum()) + self.member_bytes * self.most_members
        slots = self.table.nbytes + SLOT_BYTES * int(self.arrays.slots_of_set.sum())
        return self.fixed_bytes + self.node_bytes * self.control.nodes + entries + slots

    def written(self) -> Written:
        """Return the items of reserved arrays that may be nonzero."""
        control = self.control
        entries = GridRange(self.heaps, self.capacity, 0, min(self.capacity, control.push_count + 1))
        sets = len(self.told)
        groups = GridRange(sets, self.most_groups, 0, max(self.most_known, int(self.arrays.groups.max(initial=0))))
        slots = GridRange(sets, self.most_slots, 0, int(self.arrays.slots_of_set.max(initial=0)))
        return {
            **{"nodes": control.nodes, "entries": entries, "slots": control.slots},
            **{"groups": groups, "group slots": slots, "members": self.most_members},
            "linked": control.nodes * self.has_classes,
            "class places": groups._replace(rows=self.class_heaps),
            "counts by f": self.counts_by_f,
        }

    @property
    def cost(self) -> float:
        """The cost of the path to the goal."""
        return float(self.arrays.costs[self.control.current])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of waiting nodes and of lost paths."""
        control = self.control
        least = min(control.lost, self._least(counts_h=control.counts_h != 0))
        if control.taken and not is_solved:
            least = min(least, self._least_of(np.array([control.current]), counts_h=control.counts_h != 0))
        return max(self._proved, least)

    def _least(self, *, counts_h: bool) -> float:
        """Return the smallest g + h of the waiting nodes, except the goal that stays open."""
        s, control, least = self.arrays, self.control, inf
        for first in range(0, control.nodes, AT_ONCE):
            flags = s.flags[first : min(first + AT_ONCE, control.nodes)]
            nodes = first + np.flatnonzero(flags & (OPEN | POSTPONED) != 0)
            least = min(least, self._least_of(nodes[nodes != control.goal], counts_h=counts_h))
        return least

    def _least_of(self, nodes: Any, *, counts_h: bool) -> float:
        s = self.arrays
        return float(np.min(s.costs[nodes] + (s.estimates[nodes] if counts_h else 0.0), initial=inf))

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        return path_to(self.control.current, self.compiled, self.arrays.words, self.arrays.parents)

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, control = self.arrays, self.control
        words = s.out[control.successor] if control.successor >= 0 else s.words[max(0, control.current)]
        return self.compiled.board_of(words.copy())

    def end(self, status: int, stopped: str) -> Outcome:
        """Return the outcome, as solved if the solution reported before is good enough."""
        outcome = super().end(status, stopped)
        if outcome.status == "exhausted" and self.control.good_enough and self.problem.frontier.bound > 1:
            return replace(outcome, status="solved")
        return outcome
