"""Compiled best-first search with late detection, a heap and a ladder, whose entries contain their states."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.search.compiled.best_first import BestFirstSearch
from searchlab.search.kernels.chunks import CHUNK
from searchlab.search.kernels.hash_table import CLOSED, hash_of_numbers
from searchlab.search.kernels.ladder import KEY, LARGE_HEAP, PARENT, STAMP, STATE, G, H, has_room
from searchlab.search.kernels.late_heap import LateHeapArrays, late_heap

if TYPE_CHECKING:
    from searchlab.search.compiled.problem import CompiledProblem
    from searchlab.search.watch import Watch


class LateHeapSearch(BestFirstSearch):
    """A search in which only closed nodes have numbers, and an entry of the open list contains its state."""

    kernels = ((late_heap, LateHeapArrays, {"STATES": True}),)
    arrays: LateHeapArrays  # type: ignore[assignment]  # closed nodes have numbers, and fewer arrays

    def __init__(self, compiled: CompiledProblem, watch: Watch) -> None:
        super().__init__(compiled, watch)
        successors = compiled.form.max_successors
        self.step_bytes = self.node_bytes + successors * self.entry_bytes
        # A run that becomes part of the heap takes chunks, too.
        self.control.most_pushes = successors + LARGE_HEAP // (CHUNK - 1) + 2

    @staticmethod
    def record_sizes(width: int) -> dict[str, int]:
        """Return the sizes of an entry on the ladder, for states of `width` words; see `kernels.ladder`."""
        return {"plain": 0, "record": STATE + width}

    def start(self) -> int:
        """Make the start the batch, and test whether it is a goal, regardless of limits."""
        s, control = self.arrays, self.control
        h = self.evaluate_start()
        if h == inf:
            return self.dead_start()
        s.batch_words[0], s.batch_links[0] = self.compiled.start, 0
        s.batch_costs[0], s.batch_estimates[0] = 0.0, h
        s.batch_hashes[0] = hash_of_numbers(self.compiled.start.tolist())
        control.batch_size = control.push_count = control.most_on_open = 1
        self.watch.begin()
        return self.first_slice()

    def entries_bytes(self, count: int) -> int:
        """Return the number of bytes for `count` entries that are taken over."""
        return count * self.entry_bytes + (count // (CHUNK - 1) + 2) * self.chunk_bytes

    def write(self, first: int, words: Any, parents: Any, costs: Any, estimates: Any, flags: Any) -> Any:
        """Write closed nodes, and return their numbers, or records of open nodes, and return their positions."""
        s, control, count = self.arrays, self.control, len(words)
        if flags == CLOSED:
            s.words[:count], s.parents[:count] = words, parents
            s.costs[:count], s.flags[:count] = costs, flags
            control.nodes = count
            return np.arange(count)
        written = (control.chunks - 1) * (CHUNK - 1) - (control.near_end - control.near_next)
        chunks, places = np.divmod(np.arange(written, written + count), CHUNK - 1)
        at = (1 + chunks) * CHUNK + 1 + places
        records = s.far_records.view(np.float64)
        records[at, H], records[at, G] = estimates, costs
        s.far_records[at, PARENT], s.far_records[at, STATE:] = parents, words
        if count:
            control.chunks, control.near_next = 2 + int(chunks[-1]), int(at[-1]) + 1
            control.near_end = control.chunks * CHUNK
        return at

    def set_batch(self, nodes: Any) -> None:
        """Make these open nodes, given by the positions of their records, the batch that is taken next."""
        s, control, count = self.arrays, self.control, len(nodes)
        records = s.far_records.view(np.float64)
        s.batch_words[:count], s.batch_links[:count] = s.far_records[nodes, STATE:], s.far_records[nodes, PARENT]
        s.batch_costs[:count], s.batch_estimates[:count] = records[nodes, G], records[nodes, H]
        s.batch_hashes[:count] = [hash_of_numbers(words) for words in s.batch_words[:count].tolist()]
        control.batch_size = count
        for at in nodes.tolist():
            s.far_records[at, 0], control.near = control.near, at

    def append(self, g: int, h: float, entries: Any, stamps: Any) -> None:
        """Append entries of one class to the open list, in the order in which they are taken."""
        self.append_to_heap(g, h, entries, stamps)
        self.arrays.far_records.view(np.float64)[entries, KEY] = self.problem.frontier.priority(g, h)
        self.arrays.far_records.view(np.int64)[entries, STAMP] = stamps

    def allowed(self) -> int:
        """Return the number of expansions for which there is certainly memory."""
        allowed = super().allowed()
        return allowed if has_room(self.control, 0) else 0

    def written(self) -> dict[str, int]:
        """Return the number of items at the front of reserved arrays that may be nonzero."""
        return {**super().written(), "nodes": self.control.nodes + 1}  # with the node to be expanded next

    @property
    def stored(self) -> int:
        """The number of closed nodes, open nodes, and taken nodes that are not yet looked up."""
        control = self.control
        return control.nodes + control.on_open + control.batch_size - control.batch_at

    def least_f(self, *, is_solved: bool = False) -> float:
        """Return the smallest g + h of open nodes and of lost paths."""
        s, control = self.arrays, self.control
        waiting = slice(control.batch_at + is_solved, control.batch_size)
        f = s.batch_costs[waiting] + (s.batch_estimates[waiting] if control.counts_h else 0.0)
        least = min(control.lost, float(np.min(f, initial=inf)))
        least = min(least, self.least_of(s.entries[control.root_removed : control.last]))
        least = min(least, self.least_of(s.run_items[control.run : control.run_end]))
        for end in s.ladder_ends[: control.rungs].ravel().tolist():
            while end:
                first = (end - 1) // CHUNK * CHUNK
                least = min(least, self.least_of(slice(first + 1, end)))
                end = int(s.far_records[first, 0]) * CHUNK
        return least

    def least_of(self, nodes: Any) -> float:
        """Return the smallest g + h of the nodes in these records."""
        records = self.arrays.far_records.view(np.float64)[nodes]
        f = records[:, G] + (records[:, H] if self.control.counts_h else 0.0)
        return float(np.min(f, initial=inf))
