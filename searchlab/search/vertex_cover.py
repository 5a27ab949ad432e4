"""The smallest number of expansions of a front-to-end bidirectional search: a vertex cover of pairs of nodes.

Let the heuristic be consistent. Of a pair of a forward node u and a backward node v, u or v must be expanded if f(u),
f(v) and g(u) + g(v) + epsilon are all below the optimal cost (Eckerle, Chen, Sturtevant, Zilles and Holte, "Sufficient
Conditions for Node Expansion in Bidirectional Heuristic Search", ICAPS 2017). Otherwise a solution through both might
be cheaper than the optimum. The pairs are the edges of a bipartite graph, and the expanded nodes of every such search
cover these edges. The graph depends only on g. So a smallest cover consists of all forward nodes up to some g, and of
the backward nodes that are in pairs with other forward nodes (Chen et al., IJCAI 2017).
"""

from __future__ import annotations

from collections import Counter
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from searchlab.errors import UsageError
from searchlab.model.costs import exceeds
from searchlab.model.strategies import Frontier
from searchlab.plugins.lookup import frontier
from searchlab.search.solve import problem as problem_of
from searchlab.search.solve import search
from searchlab.search.watch import Stopped, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.domain import Domain
    from searchlab.model.instance import Instance
    from searchlab.model.limits import Limits
    from searchlab.model.states import State
    from searchlab.model.strategies import Heuristic
    from searchlab.plugins.registry import Plugins
    from searchlab.search.problem import Problem

CHECK_EVERY = 1024
"""The number of nodes between two checks of the limits."""


class VertexCover(NamedTuple):
    """A smallest set of nodes that a front-to-end search must expand.

    Attributes:
        forward, backward: the number of nodes in the set, by direction.
        cost: the optimal solution cost.
    """

    forward: int
    backward: int
    cost: float

    @property
    def nodes(self) -> int:
        """The number of nodes in the set."""
        return self.forward + self.backward


def vertex_cover(
    board: Board | Instance | str | Path | State | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    heuristic: str | Heuristic | BoundHeuristic | Callable[..., float] | None = None,
    limits: Limits | None = None,
    plugins: Plugins | None = None,
) -> VertexCover:
    """Return the smallest number of nodes that a front-to-end bidirectional search expands to prove the optimum.

    `mm`, `nbs` and `dvcbs` expand at least as many nodes. So does A*, because its nodes also cover all pairs.
    `bae-star` may expand fewer, because it uses more information about a pair. The cover is computed from all nodes of
    both directions with g + h below the optimum, by interpreted rules; use it for small instances.

    Args:
        board, domain, heuristic, plugins: as for `solve`. The heuristic must be admissible and consistent.
        limits: the limits of time and expansions.

    Raises:
        UsageError: the domain or the heuristic does not support backward searches; there is no solution; or a limit was
            reached.

    >>> import searchlab as sl
    >>> cover = sl.vertex_cover("sliding-tile/puzzle8-20")
    >>> cover.nodes <= sl.solve("sliding-tile/puzzle8-20", frontier="mm", engine="readable").expanded
    True
    """
    of_pairs = Frontier("vertex-cover", family="bidirectional", choose="pair", bound=1, reopen="unless-consistent")
    asked = problem_of(board, domain=domain, heuristic=heuristic, frontier=frontier(of_pairs), plugins=plugins)
    if not (asked.counts_h and asked.trusts_consistency):
        raise UsageError(
            f"a vertex cover needs a consistent heuristic, and {asked.heuristic.name} is not declared consistent"
        )
    result = search(asked, limits=limits, engine="readable")
    if result.cost is None or not result.optimal:
        raise UsageError(f"{asked.board!r:.80}: no cheapest solution is known: {result.reason or result.ended_by}")
    watch = Watch(limits) if limits else None
    forward, backward = (_counts(asked, result.cost, watch, is_backward=end) for end in (False, True))
    return smallest_cover(forward, backward, result.cost, asked.epsilon)


def _counts(problem: Problem, cost: float, watch: Watch | None, *, is_backward: bool) -> Counter[float]:
    """Return the number of states with g + h below the optimal solution cost, by g."""
    domain, key_of = problem.domain, problem.key_of
    estimate = (problem.backwards if is_backward else problem).estimator
    closed: set[object] = set()
    found: Counter[float] = Counter()
    heap: list[tuple[float, int, State]] = []
    numbers = count()  # states have no order

    def push(g: float, state: State) -> None:
        if exceeds(cost, g + estimate(state)):
            heappush(heap, (g, next(numbers), state))

    for state in domain.goals(problem.board) if is_backward else (problem.board,):
        push(0.0, state)
    while heap:
        g, _, state = heappop(heap)
        key = state if key_of is None else key_of(state)
        if key in closed:
            continue
        closed.add(key)
        found[g] += 1
        if watch and len(closed) % CHECK_EVERY == 0:
            _check(watch, len(closed))
        for after, step in _neighbors(domain, state, is_backward=is_backward):
            push(g + step, after)
    return found


def _neighbors(domain: BoundDomain, state: State, *, is_backward: bool) -> Iterator[tuple[State, float]]:
    if is_backward:
        yield from domain.predecessors(state)
    else:
        yield from ((after, cost) for _, after, cost, ends in domain.edges(state) if not ends)


def _check(watch: Watch, expanded: int) -> None:
    """Raise a UsageError if a limit is reached."""
    try:
        watch.check()
    except Stopped as stopped:
        raise UsageError(f"the vertex cover is not computed: {stopped.status}") from None
    if expanded > watch.expansions:
        raise UsageError("the vertex cover is not computed: expansion-limit")


def smallest_cover(
    forward: Mapping[float, int], backward: Mapping[float, int], cost: float, epsilon: float
) -> VertexCover:
    """Return a smallest cover of all pairs with g + g + epsilon below the optimal solution cost.

    Args:
        forward, backward: the number of nodes by g.
        epsilon: the smallest cost of a move.

    >>> smallest_cover({0: 1, 1: 2, 2: 4}, {0: 1, 1: 5, 2: 9}, 4, 1)
    VertexCover(forward=3, backward=1, cost=4)
    """
    there, back = sorted(forward.items()), sorted(backward.items())
    best = VertexCover(sum(forward.values()), 0, cost)
    needed, first, rest = 0, 0, best.forward
    # From all forward nodes to none: the fewer are in the cover, the more backward nodes must be.
    for g, nodes in reversed(there):
        rest -= nodes
        while first < len(back) and exceeds(cost, g + back[first][0] + epsilon):
            needed += back[first][1]
            first += 1
        if rest + needed < best.nodes:
            best = VertexCover(rest, needed, cost)
    return best
