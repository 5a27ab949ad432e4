"""Random directed graphs as a domain with a packed form, and the exact costs of their cheapest paths."""

from heapq import heappop, heappush
from itertools import pairwise
from math import inf

import numpy as np

import searchlab as sl

STATES, DEGREE = 24, 4
COSTS = ((1,), (0, 1, 2, 5), (0.1, 0.3, 1.7, 2.2), (1, 1000, 12345), (0, 0.5, 1e-3, 7))
SHAPES = ("consistent", "admissible", "wrong", "scaled")
"""Kinds of heuristics: consistent edge by edge; never too large; too large here and there; twice the exact cost."""


def successors(tiles, out, costs, targets, edge_costs):
    count = 0
    for k in range(targets.shape[1]):
        if targets[tiles[0, 0], k] >= 0:
            out[count, 0, 0] = targets[tiles[0, 0], k]
            costs[count] = edge_costs[tiles[0, 0], k]
            count += 1
    return count


def chosen_successors(tiles, out, costs, moves, chosen, targets, edge_costs):
    count = 0
    for k in range(targets.shape[1]):
        if targets[tiles[0, 0], k] >= 0:
            if chosen is None or chosen[count]:
                out[count, 0, 0] = targets[tiles[0, 0], k]
            moves[count, 0] = targets[tiles[0, 0], k]
            costs[count] = edge_costs[tiles[0, 0], k]
            count += 1
    return count


def predecessors(tiles, out, costs, targets, edge_costs):
    count = 0
    for state in range(targets.shape[0]):
        for k in range(targets.shape[1]):
            if targets[state, k] == tiles[0, 0]:
                out[count, 0, 0] = state
                costs[count] = edge_costs[state, k]
                count += 1
    return count


def is_goal(tiles, goals):
    return goals[tiles[0, 0]]


def value(tiles, values):
    return values[tiles[0, 0]]


def value_after(h, target, values):
    return values[target]


def value_between(tiles, other, pairs):
    return pairs[tiles[0, 0], other[0, 0]]


class RandomGraph:
    """A graph with up to `STATES` states, made by a random generator; the search begins at state 0.

    Attributes:
        optimum: the cost of a cheapest path to a goal, infinite if there is none.
        shape: the kind of heuristic, of SHAPES.
        declared: what the heuristic declares.
    """

    def __init__(self, seed):
        random = self.random = np.random.default_rng(seed)
        self.size = int(random.integers(2, STATES + 1))
        costs = COSTS[random.integers(len(COSTS))]
        self.edges = {}
        for state in range(self.size):
            targets = random.choice(self.size, int(random.integers(0, min(DEGREE, self.size) + 1)), replace=False)
            self.edges[state] = [(int(to), float(random.choice(costs))) for to in targets]
        self.goals = {int(state) for state in random.integers(0, self.size, int(random.integers(0, 4)))}
        self.exact = self._exact_costs()
        self.optimum = self.exact[0]
        self.shape = self.shapes[random.integers(len(self.shapes))]
        self.values = self._values()
        self.declared = {
            "consistent": {"admissible": True, "consistent": bool(random.integers(2))},
            "admissible": {"admissible": True},
        }.get(self.shape, {})
        self.domain = self._domain()
        self.heuristic = sl.heuristic(
            sl.Heuristic("value", value, incremental=self.incremental, **self.declared), domain=self.domain
        )

    def _exact_costs(self):
        """The cost of a cheapest path to a goal from each state (Dijkstra 1959)."""
        back = {state: [] for state in self.edges}
        for state, moves in self.edges.items():
            for to, cost in moves:
                back[to].append((state, cost))
        exact = dict.fromkeys(self.edges, inf)
        heap = [(0.0, goal) for goal in self.goals]
        while heap:
            cost, state = heappop(heap)
            if cost < exact[state]:
                exact[state] = cost
                for before, step in back[state]:
                    heappush(heap, (cost + step, before))
        return exact

    def _values(self):
        random = self.random
        if self.shape == "consistent":
            # The largest of some functions |d(x) - d(goal)| is consistent; so is a share of the exact cost.
            share = random.choice([0, 0.3, 1])
            return {state: cost if cost == inf else share * cost for state, cost in self.exact.items()}
        if self.shape == "admissible":
            kept = {state: random.choice([0, 0.25, 0.9, 1]) for state in self.exact}
            return {state: cost * kept[state] if kept[state] else 0.0 for state, cost in self.exact.items()}
        if self.shape == "scaled":
            return {state: 2 * cost for state, cost in self.exact.items()}
        return {state: float(random.choice([0, 0.5, 1, 3, 7, 20, inf])) for state in self.exact}

    def _domain(self):
        targets, costs = np.full((STATES, DEGREE), -1), np.ones((STATES, DEGREE))
        for state, moves in self.edges.items():
            for k, (to, cost) in enumerate(moves):
                targets[state, k], costs[state, k] = to, cost
        goal = np.array([state in self.goals for state in range(STATES)])
        values = np.array([self.values.get(state, 0.0) for state in range(STATES)])
        return sl.domain(
            sl.Domain(
                "graph",
                lambda board: [(f"to{to}", sl.Board([[to]]), cost) for to, cost in self.edges[board.tile_at(0, 0)]],
                lambda board: board.tile_at(0, 0) in self.goals,
                values={"values": lambda board: values, **self._more_values()},
                packed=lambda board: sl.PackedForm(
                    values=STATES,
                    max_successors=self.most_moves,
                    successors=self.successors,
                    move=self.move,
                    is_goal=is_goal,
                    tables={"targets": targets, "edge_costs": costs, "goals": goal},
                ),
                **self._more_of_domain(),
            )
        )

    most_moves = DEGREE
    shapes = SHAPES
    successors, incremental, move = staticmethod(successors), None, ()

    def _more_values(self):
        return {}

    def _more_of_domain(self):
        return {"unit_cost": False}

    def solve(self, frontier, engine="readable", **arguments):
        """Search from state 0."""
        return sl.solve(
            sl.Board([[0]]),
            domain=self.domain,
            heuristic=self.heuristic,
            frontier=frontier,
            engine=engine,
            **arguments,
        )


class DescribedGraph(RandomGraph):
    """A graph that describes its moves and writes the chosen successors alone."""

    successors, incremental, move = staticmethod(chosen_successors), staticmethod(value_after), ("target",)


class TwoEndedGraph(RandomGraph):
    """A random graph that can be searched backwards, too, with estimates between any two states.

    Attributes:
        distances: the cost of a cheapest path between each two states, shape (states, states).
        unit_cost: whether every move costs 1, which the domain then declares.
    """

    most_moves = STATES

    def _values(self):
        random, kind = self.random, self.shape
        self.unit_cost = all(cost == 1 for moves in self.edges.values() for _, cost in moves)
        self.distances = np.full((STATES, STATES), inf)
        np.fill_diagonal(self.distances, 0)
        for state, moves in self.edges.items():
            for to, cost in moves:
                self.distances[state, to] = min(self.distances[state, to], cost)
        for middle in range(STATES):
            through = self.distances[:, middle, None] + self.distances[None, middle]
            self.distances = np.minimum(self.distances, through)
        if kind == "wrong":
            self.pairs = random.choice([0, 0.5, 1, 3, 7, 20, inf], self.distances.shape)
        else:
            # A share of the distances is consistent; another one for each pair is not.
            shares = {"consistent": random.choice([0, 0.3, 1]), "scaled": 2.0}.get(kind)
            if shares is None:
                shares = random.choice([0, 0.25, 0.9, 1], self.distances.shape)
            known = np.where(self.distances == inf, 0, self.distances)
            self.pairs = np.where((self.distances == inf) & (shares > 0), inf, shares * known)
        return {}

    def _more_values(self):
        return {"pairs": lambda board: self.pairs}

    def _more_of_domain(self):
        goals = [sl.Board([[goal]]) for goal in sorted(self.goals)]
        return {"inverse": predecessors, "goals": lambda board: goals, "unit_cost": self.unit_cost}

    def __init__(self, seed):
        super().__init__(seed)
        component = sl.Heuristic("value", between=value_between, **self.declared)
        self.heuristic = sl.heuristic(component, domain=self.domain)

    def cost_of(self, path):
        """The cost of the cheapest moves along a path."""
        return sum(min(cost for to, cost in self.edges[state] if to == after) for state, after in pairwise(path))
