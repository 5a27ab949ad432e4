"""A domain given as an explicit graph: searches so small that each step can be foreseen."""

from math import inf

import pytest

import searchlab as sl
from tests.changed_domain import changed


def state_of(board):
    return board.tile_at(0, 0)


class Graph:
    """States are numbers, each the 1 × 1 board of that tile; the search starts at 0.

    Args:
        edges: for each state its successors in order, each a state, or a state and a cost.
        goals: the states that are goals.
        terminal: pairs (from, to) of moves with which the game is over.
        declared: what else the domain declares.
    """

    def __init__(self, edges, goals=(), terminal=(), **declared):
        self.edges = {state: [pair(edge) for edge in successors] for state, successors in edges.items()}
        self.goals = set(goals)
        self.terminal = set(terminal)
        self.taken = []
        self.valued = []
        declared.setdefault("unit_cost", all(cost == 1 for edges in self.edges.values() for _, cost in edges))
        graph = sl.Domain("graph", self.successors, lambda board: state_of(board) in self.goals)
        self.domain = changed(graph, **declared)

    def successors(self, board):
        state = state_of(board)
        self.taken.append(state)
        for to, cost in self.edges.get(state, []):
            yield f"{state}-{to}", sl.Board([[to]]), cost, (state, to) in self.terminal

    def heuristic(self, values, **declared):
        """The heuristic with these values by state; 0 for the states left out."""

        def value(tiles):
            self.valued.append(int(tiles[0, 0]))
            found = values.get(int(tiles[0, 0]), 0)
            return found() if callable(found) else found

        return sl.Heuristic("table", value, **declared)

    def solve(self, frontier, values=None, *, h=None, **arguments):
        """Search with the readable driver; the states expanded are then in `expanded`, in order."""
        self.taken, self.valued = [], []
        result = sl.solve(
            sl.Board([[0]]),
            domain=self.domain,
            heuristic=h or self.heuristic(values or {}),
            frontier=frontier,
            engine="readable",
            **arguments,
        )
        self.expanded = self.taken[: result.expanded]
        return result

    def path(self, result):
        return [state_of(board) for board in result.boards]


def pair(edge):
    return edge if isinstance(edge, tuple) else (edge, 1)


@pytest.fixture(scope="session")
def graph():
    """Makes graphs to search."""
    return Graph


@pytest.fixture(scope="session")
def cheapest():
    """Gives the cost of a cheapest path from 0 to a goal by relaxing all edges until nothing changes."""

    def cost(edges, goals):
        best = {0: 0}
        for _ in edges:
            for state, successors in edges.items():
                for to, step in map(pair, successors):
                    best[to] = min(best.get(to, inf), best.get(state, inf) + step)
        return min((best.get(goal, inf) for goal in goals), default=inf)

    return cost
