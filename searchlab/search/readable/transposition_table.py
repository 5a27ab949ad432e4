"""The readable transposition table: states that iterative deepening need not enter again (Reinefeld and Marsland 1994).

A state that the present iteration has entered by a path of cost g is not entered again by one that is no cheaper: every
solution through the second path costs no less than one through the first, and that one is found, or is beyond the
threshold, in the same iteration. Nothing is used of an earlier iteration, whose threshold was another.

The path to a state counts for more than its g: the move back to the parent is left out. Nothing is lost by that. The
parent was entered, too, by a path that is no longer than one through this state. But what lies below the parent may be
searched later than it would be through this state: if h is too large, another solution may be the first that is found.
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
    """States with the g by which they were entered, one for each of a number of places.

    Of two states with the same place the one with the smaller g stays, as more lies below it; of equal ones, and of one
    of an earlier iteration, the newer. The places are those of the compiled table, `kernels/deepening.py`.
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
        """Return the node for whose sake this one need not be entered, or None: then it is noted."""
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
