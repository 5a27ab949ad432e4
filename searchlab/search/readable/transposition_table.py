"""The readable transposition table: states that iterative deepening need not enter again (Reinefeld and Marsland 1994).

If the present iteration has entered a state by a path of cost g, no path of the same or a larger cost enters it again.
A solution through the second path is no cheaper than a solution through the first, which is found in the same iteration
or is beyond the threshold. Each iteration begins with an empty table, because earlier thresholds were different.

The subtree of a state depends on its path in one other way: the move back to the parent is left out. No solution is
lost by this, as the parent was entered, too, by a path that is no longer than a path through this state. But the
subtree of the parent may be searched later than it would be from this state. If h is too large, the first solution
found may therefore be another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.compiler.packing import Packing
from searchlab.model.costs import is_shorter
from searchlab.model.states import digest, is_board
from searchlab.search.kernels.hash_table import hash_of_numbers, place_of

if TYPE_CHECKING:
    from searchlab.model.states import State
    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import Node


class TranspositionTable:
    """A table of a fixed number of places, each with one state and the g by which it was entered.

    Of two states with the same place the state with the smaller g stays, as its subtree is larger; with equal g the
    newer. States have the same places as in the compiled table, `kernels/deepening.py`.
    """

    def __init__(self, problem: Problem) -> None:
        self.size = problem.frontier.table
        self._nodes: dict[int, Node] = {}
        form = problem.domain.packed(problem.board) if is_board(problem.board) else None
        self._packing = Packing.of(form, problem.board) if form else None

    def begin_iteration(self) -> None:
        """Forget the states of the iteration before."""
        self._nodes.clear()

    def known(self, node: Node) -> Node | None:
        """Return the recorded node of the same state if its g is no larger. Otherwise return None.

        In the second case the node is recorded, unless another state with a smaller g has the place.
        """
        place = self._place(node.state)
        other = self._nodes.get(place)
        if other is not None and other.key == node.key:
            if not is_shorter(node.g, other.g):
                return other
        elif other is not None and other.g < node.g:
            return None
        self._nodes[place] = node
        return None

    def _place(self, state: State) -> int:
        words = self._packing.pack_exactly(state) if self._packing else None
        if words is None:
            mixed = int(digest(state), 16)
        else:
            mixed = hash_of_numbers([words] if isinstance(words, int) else words.tolist())
        return place_of(mixed, self.size)
