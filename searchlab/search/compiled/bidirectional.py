"""Compiled bidirectional search."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from searchlab.compiler.adapters import has_unit_moves, supports_incremental
from searchlab.compiler.arrays import GridRange, allocate, bytes_per, nbytes
from searchlab.compiler.functions import compile_key, compile_successors, compile_update
from searchlab.errors import PluginError, UsageError
from searchlab.model.component import resolve
from searchlab.model.domain import SAME
from searchlab.model.results import Outcome
from searchlab.search.compiled.best_first import signed_seed
from searchlab.search.compiled.growing_table import MOST_NODES, SLOT_BYTES, GrowingTable, TableSearch, most_slots
from searchlab.search.compiled.kernel_run import Kernels, first_numbers
from searchlab.search.compiled.problem import (
    compiled_estimate,
    expansion_sizes,
    form_arguments,
    heuristic_arguments,
)
from searchlab.search.compiled.replay import packed_path
from searchlab.search.kernels.bidirectional import (
    BY_PRIORITY,
    BY_SIZE,
    BY_TURNS,
    COVER,
    EPSILON,
    FIRST_LEAST,
    PAIR,
    UPDATES,
    BidirectionalArrays,
    BidirectionalControl,
    bidirectional,
)
from searchlab.search.kernels.control import Status
from searchlab.search.kernels.open_groups import (
    BACK,
    BESIDES,
    DEPTH,
    FIRST_GROUP_SLOTS,
    GROUP,
    GROUP_AT,
    LOW,
    MOST_GROUPS,
    G,
    H,
)
from searchlab.search.problem import EvaluationError
from searchlab.search.readable.bidirectional import least_pair

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.compiler.arrays import Written
    from searchlab.compiler.machine_code import MachineCode
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.compiled.replay import PackedPath
    from searchlab.search.watch import Watch

RULES = {"alternate": BY_TURNS, "cardinality": BY_SIZE, "best-first": BY_PRIORITY, "pair": PAIR, "cover": COVER}
LEAST_GROUPS = 1 << 12
RESERVED = ("nodes", "groups", "group slots", "class places", "slots", "listed", "clusters", "counts by f")
"""The sizes of arrays that take memory only in written parts."""


class BidirectionalSearch(TableSearch):
    """A search from the start and from the goals."""

    kernels: ClassVar[Kernels] = ((bidirectional, BidirectionalArrays, {}),)
    arrays: BidirectionalArrays
    control: BidirectionalControl

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        problem = self.problem
        self.begins_at_goal = problem.domain.is_goal(problem.board)
        self.starts = [problem.board]
        if not self.begins_at_goal:
            self.starts += dict.fromkeys(problem.domain.goals(problem.board))
        asked = problem.frontier.least_asked
        self.kinds = ("waiting", "ready") if self.is_paired else (*(n for n in ("f", "g") if n in asked), "priority")
        self.callees = callees(compiled)  # kept alive, because the kernel calls them
        self.use(
            allocate(
                BidirectionalArrays,
                self._sizes(),
                reserved=RESERVED,
                spare=compiled.spare,
                callees=np.array([callee.row() if callee else (0, 0, 0) for callee in self.callees], np.uint64),
                control=first_numbers(BidirectionalControl, compiled),
            )
        )
        self._set_control()
        self.fixed_bytes = nbytes(self.arrays, "successors", "cells")
        self.table = GrowingTable(watch, self.control, self.arrays.slots, self.arrays.views)
        self.table.use_nodes(self.arrays.records)

    @property
    def is_paired(self) -> bool:
        """Whether nodes of both directions are taken together."""
        return RULES[self.problem.frontier.direction] >= PAIR

    def _sizes(self) -> dict[str, int]:
        """Return the sizes of the arrays, and record the bytes of a node, a group and an expansion."""
        compiled, memory = self.compiled, self.watch.memory
        heaps, starts = 2 * len(self.kinds), len(self.starts)
        inverse = compiled.problem.domain.inverse_form(compiled.problem.board)
        backwards = expansion_sizes(inverse, compiled.packing) if inverse else {}
        sizes = {name: max(size, backwards.get(name, 0)) for name, size in compiled.sizes.items()}
        sizes["successors"] *= 2  # of the present node and of the next
        sizes.update({"words and more": self.width + BESIDES, "heaps": heaps, "starts": starts})
        of_node, of_listed, of_group, of_place, of_cluster = (
            bytes_per(BidirectionalArrays, name, sizes)
            for name in ("nodes", "listed", "groups", "class places", "clusters")
        )
        is_cover = self.problem.frontier.direction == "cover"
        self.node_bytes = of_node + of_listed * is_cover
        self.group_bytes = of_group + len(self.kinds) * of_place + 2 * of_cluster * is_cover
        # A new node may need a new group, and this group a new list.
        self.step_bytes = compiled.form.max_successors * (self.node_bytes + 2 * self.group_bytes + 4 * SLOT_BYTES)
        more = 2 * (compiled.form.max_successors + starts + 1)
        nodes = min(MOST_NODES, memory // self.node_bytes + more)
        groups = min(MOST_GROUPS, memory // self.group_bytes + LEAST_GROUPS + more)
        return {
            **sizes,
            **{"nodes": nodes, "groups": groups, "group slots": 1 << (4 * groups).bit_length()},
            **{"class places": heaps * groups, "slots": most_slots(self.watch)},
            **{"listed": nodes if is_cover else 1, "clusters": 2 * groups if is_cover else 1},
        }

    def _set_control(self) -> None:
        """Set the initial values of the control record."""
        problem, frontier, form = self.problem, self.problem.frontier, self.compiled.form
        inverse = problem.domain.inverse_form(problem.board)
        heaps = {name: 2 * kind for kind, name in enumerate(self.kinds)}
        asked = {name for queue in problem.queues for name in queue.places}
        self.control.update(
            rule=RULES[frontier.direction],
            order_heap=heaps[self.kinds[-1]],
            class_heaps=2 * len(self.kinds),
            shares_lists=not self.is_paired,
            keeps_stamps=frontier.order == "random" or (self.is_paired and frontier.ties == "none"),
            heap_of_f=heaps.get("f", -1),
            heap_of_g=heaps.get("g", -1),
            nips=not problem.reopens and problem.trusts_consistency,
            asks_back="h_back" in asked,
            asks_depth="depth" in asked,
            updates_to_goal=self.callees[UPDATES] is not None,
            updates_to_start=self.callees[UPDATES + 1] is not None,
            is_whole=problem.domain.unit_cost,
            resets=inverse is not None and has_unit_moves(form) != has_unit_moves(inverse),
            direction=1,
            prepared=-1,
            preparing=-1,
            looks_ahead=1,
            most_successors=len(self.arrays.hashes) // 2,
            described=self.arrays.moves.shape[1],
            slots_of_groups=FIRST_GROUP_SLOTS,
            most_groups=len(self.arrays.group_sizes),
            met=-1,
            second=-1,
            epsilon=problem.epsilon,
            bound=frontier.bound,
            incumbent=inf,
            drops_from=inf,
        )
        self.arrays.least[:EPSILON] = nan  # NaN is unequal to every number
        self.arrays.least[EPSILON] = problem.epsilon
        if frontier.order == "random":
            self.control.random = signed_seed(frontier.values["seed"])

    @classmethod
    def compile_callees(cls, compiled: CompiledProblem) -> None:
        """Compile the plugin functions."""
        callees(compiled)

    def start(self) -> int:
        """Store the start and the goals; the kernel enters them."""
        s, control, problem = self.arrays, self.control, self.problem
        entered = 0
        for number, board in enumerate(self.starts):
            here, there = (problem, problem.backwards) if number == 0 else (problem.backwards, problem)
            h = here.estimate(board) if problem.estimates else 0.0
            control.evaluated += int(problem.estimates)
            if h == inf:
                control.dead_ends += 1
                control.lost = min(control.lost, 0.0 if not control.counts_h else inf)
                continue
            back = 0.0
            if control.asks_back and problem.estimates:
                back = there.estimate(board)
                control.evaluated += 1
            if problem.estimates:
                control.best_h = min(control.best_h, h)
            s.records[entered] = 0
            s.records[entered, : self.width] = self.compiled.packing.pack(board)
            s.starts[entered] = h, back, number > 0
            entered += 1
        control.starts = entered
        while 8 * (entered + self.compiled.form.max_successors + 1) > 5 * control.slots:
            control.slots *= 2
        self.watch.begin()
        return self.first_slice()

    def run(self) -> Outcome:
        """Search until the best solution is good enough or a limit is reached; report each better solution."""
        status, stopped = self.advance(self.start())
        while status == Status.GOAL and not stopped:
            self.account()
            control = self.control
            self.watch.improved(self.cost, self.path)
            control.incumbent = self.watch.incumbent
            control.drops_from = control.incumbent / self.problem.frontier.bound
            # Even at a limit, the kernel first finishes the expansion and takes the next node.
            status, stopped = self.advance(self.slice(self.done))
        return self.end(status, stopped)

    def end(self, status: int, stopped: str) -> Outcome:
        """Return the outcome; solutions have been reported already."""
        if status == Status.NOT_A_NUMBER:
            return super().end(status, stopped)
        self.account()
        self.compiled.first_slice[0] = self.slices.first_of_next
        statistics, control = self.watch.statistics, self.control
        if self.begins_at_goal:
            return Outcome("solved", statistics, [self.problem.board], 0.0, lambda: inf, self.give_back, 0, 0.0)
        is_good_enough = control.lower_bound < inf and control.incumbent < inf
        ended = "solved" if self.problem.frontier.bound > 1 and is_good_enough else "exhausted"
        outcome = Outcome(stopped or ended, statistics, least_f=self.least_f, release=self.give_back)
        if control.incumbent == inf:
            return outcome
        met_at, met_cost = len(self._way_from(control.meeting)) - 1, self._value(control.meeting, G)
        return replace(outcome, met_at=met_at, met_cost=met_cost)

    def call(self, budget: int) -> int:
        """Call the kernel; if looking ahead to the moves of the next node fails, call it again without looking ahead.

        Raises:
            EvaluationError: a plugin function failed.
        """
        control = self.control
        try:
            return super().call(budget)
        except EvaluationError:
            if control.preparing in (-1, control.current):
                raise
        control.looks_ahead, control.preparing = 0, -1
        return super().call(budget)

    def grow(self, status: int) -> str:
        """Enlarge the table: to four times the slots while they take little of the memory, else to twice."""
        slots = 4 * self.control.slots
        if 8 * SLOT_BYTES * slots > self.watch.memory or slots > len(self.table.items):
            return super().grow(status)
        stopped = self.table.refill(slots, self.control.nodes)
        self.account()
        return stopped

    def account(self) -> None:
        """Bring the statistics up to date."""
        super().account()
        self.watch.statistics.expanded_backward = int(self.control.expanded_backward)

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        control, more = self.control, self.compiled.form.max_successors
        if control.nodes + more >= len(self.arrays.records) or control.groups + 2 * more >= control.most_groups:
            return 0
        return max(0, self.watch.memory - self.held()) // self.step_bytes

    def held(self) -> int:
        """Return the number of bytes in use."""
        control = self.control
        groups = self.group_bytes * control.groups + SLOT_BYTES * control.slots_of_groups
        return int(self.fixed_bytes + self.node_bytes * control.nodes + groups + self.table.nbytes)

    def written(self) -> Written:
        """Return the items of reserved arrays that may be nonzero."""
        control = self.control
        return {
            **{"nodes": max(control.nodes, control.starts), "groups": control.groups},
            **{"group slots": control.slots_of_groups, "slots": control.slots},
            "class places": GridRange(control.class_heaps, control.most_groups, 0, control.groups),
            "listed": control.most_listed,
            "clusters": control.groups if control.rule == COVER else 0,
            "counts by f": self.counts_by_f,
        }

    @property
    def cost(self) -> float:
        """The cost of the latest solution."""
        return self._value(self.control.meeting, G) + self._value(self.control.meeting_backward, G)

    def _value(self, node: int, which: int) -> float:
        """Return a value of a node, stored in its group."""
        group = int(self.arrays.records[node, self.width]) >> int(GROUP_AT) & int(GROUP)
        return float(self.arrays.group_values[group, which])

    def _way_from(self, node: int) -> list[int]:
        """Return the nodes from this node back to the beginning of its direction."""
        nodes = [node]
        while (parent := int(self.arrays.records[node, self.width]) & int(LOW)) != node:
            node = parent
            nodes.append(node)
        return nodes

    def path(self) -> PackedPath:
        """Return the states from the start to the goal."""
        there, back = self._way_from(self.control.meeting), self._way_from(self.control.meeting_backward)
        return packed_path(self.compiled, self.arrays.records[:, : self.width], [*there[::-1], *back[1:]])

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return a lower bound on the cost of the solutions that were not found; see the readable search."""
        problem, control = self.problem, self.control
        groups = self.arrays.group_values[: control.groups][self.arrays.group_sizes[: control.groups] > 0]
        groups = groups[groups[:, DEPTH] >= 0]  # the other groups are lists
        counted = groups[:, H] if control.counts_h else 0.0
        is_backward = groups[:, DEPTH] % 2 != 0
        nodes = np.column_stack([groups[:, G] + counted, groups[:, G]])
        least = least_pair(nodes[~is_backward].tolist(), nodes[is_backward].tolist(), problem.epsilon)
        if least < inf and problem.counts_h and control.asks_back and problem.trusts_consistency:
            errors = 2 * groups[:, G] + groups[:, H] - groups[:, BACK]
            least = max(least, float(errors[~is_backward].min() + errors[is_backward].min()) / 2)
        if self.is_paired and problem.counts_h:
            least = max(least, control.lower_bound)
        return problem.rounded_up(min(least, control.lost))

    def failing_board(self) -> Board:
        """Return the board on which a plugin function failed."""
        s, control = self.arrays, self.control
        if control.preparing >= 0:
            words = s.records[control.preparing, : self.width]
        elif 0 <= control.successor < control.successors:
            words = s.out[s.rows[control.successor]]
        else:
            words = s.records[max(0, control.current), : self.width]
        return self.compiled.board_of(words.copy())


def callees(compiled: CompiledProblem) -> tuple[MachineCode | None, ...]:
    """Compile the functions that the kernel calls, and return them in the order of the rows.

    Raises:
        CannotCompile: a function cannot be compiled.
    """
    problem, packing = compiled.problem, compiled.packing
    inverse = problem.domain.inverse_form(problem.board)
    assert inverse is not None
    backwards = compile_successors(
        inverse, form_arguments(problem.domain, inverse, problem.board), packing, compiled.known
    )
    away = compiled_estimate(problem.backwards, inverse, packing, compiled.known) if problem.estimates else None
    frontier, queues = problem.frontier, problem.queues
    priorities: list[MachineCode | None] = [compile_key(q.function, q.places, q.arguments) for q in queues] or [None]
    function, bound = frontier.component.lower_bound, None
    if function is not None:
        places: dict[str, Any] = {name: FIRST_LEAST[name] for name in frontier.least_asked}
        bound = compile_key(function, places, frontier.values, "the lower bound")
    return (
        *(compiled.successors, backwards, compiled.estimate, away, *updates(compiled)),
        *(priorities[0], priorities[-1], compiled.goal, bound),
    )


def updates(compiled: CompiledProblem) -> list[MachineCode | None]:
    """Return the functions that update the estimates to the goals and to the start, None to compute estimates anew.

    The estimate to the start is updated only if moves can be undone, with the start as the goal.
    """
    problem, form, packing = compiled.problem, compiled.form, compiled.packing
    heuristic, component = problem.heuristic, problem.heuristic.component
    if not problem.estimates or component.carry or problem.domain.component.inverse != SAME:
        return [None, None]
    found: list[MachineCode | None] = []
    for domain in (problem.domain, _with_goal(problem.domain, problem.board)):
        code = None
        if domain is not None:
            values = heuristic_arguments(heuristic.on(domain), domain, form, problem.board)
            if supports_incremental(component, form, values):
                code = compile_update(form, component, values, packing, compiled.known)
        found.append(code)
    return found


def _with_goal(domain: BoundDomain, board: Board) -> BoundDomain | None:
    """Return the domain with a board as the goal for heuristics; None if its parameter `goal` cannot be set to it.

    The option `to` will not do: heuristics see it only in `between`, and cannot update the estimate.
    """
    parameters = domain.component.own_parameters()
    if all(parameter.name != "goal" for parameter in parameters):
        return None
    listed = "/".join(" ".join(map(str, row)) for row in board.tiles.tolist())
    try:
        values = resolve(f"domain {domain.name}", parameters, {**domain.values, "goal": listed})
        found = replace(domain, values=values)
        return found if found.goals(board) == (board,) else None
    except (UsageError, PluginError):
        return None
