"""The readable beam search: layer by layer, keeping only the best nodes of each layer (Lowerre 1976).

There is no closed list: duplicates are merged within a layer. In a space with cycles a beam that is too narrow may
return to an earlier layer. From then on everything would repeat, so the search is over.
"""

from __future__ import annotations

from dis import get_instructions
from functools import partial
from math import inf
from typing import TYPE_CHECKING

from searchlab.model.results import Outcome
from searchlab.model.states import size_of
from searchlab.search.readable.evaluation import estimate_states
from searchlab.search.readable.node import NODE_BYTES, Node, successors

if TYPE_CHECKING:
    from collections.abc import Hashable

    from searchlab.model.strategies import Frontier
    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import SearchObserver
    from searchlab.search.watch import Watch


def beam(problem: Problem, watch: Watch) -> Outcome:
    """Search layer by layer; a layer is tested for goals before it is cut to the best `width` nodes.

    The states of a layer are evaluated together, each once. Among equals the earliest generated stay, and all stay in
    the order of generation.
    """
    domain, statistics, observer = problem.domain, watch.statistics, watch.observer
    bytes_per_node = NODE_BYTES + size_of(problem.board)
    start = Node.of_start(problem)
    layer = _evaluated([start], problem, watch)
    if domain.goal_test(problem.board):
        if observer:
            observer.reached(start)
        return Outcome("solved", statistics, start.path(), 0.0, lambda: inf)
    statistics.stored = len(layer)
    lost = inf if layer else problem.counted(start.h)  # the smallest g + h of what was cut
    by_cost = depends_on_cost(problem.frontier.component)
    earlier: list[Node] = []
    layers_since, layers_until = 0, 1
    while layer:
        following: dict[Hashable, Node] = {}
        cheaper: dict[Hashable, float] = {}
        for node in layer:
            statistics.peak_bytes = max(statistics.peak_bytes, bytes_per_node * (statistics.stored + len(following)))
            status = watch.stop(statistics, len(following))
            if status:
                return Outcome(status, statistics, least_f=partial(_least_f, layer, problem, lost))
            statistics.expanded += 1
            if observer:
                observer.expanded(node)
            for successor in successors(node, problem, statistics, observer):
                known = following.setdefault(successor.key, successor)
                if successor.g < known.g:  # the first path counts
                    cheaper[known.key] = min(successor.g, cheaper.get(known.key, inf))
                if observer and known is not successor:
                    observer.found_duplicate(successor, known)
            if observer:
                observer.closed(node)
        candidates = _evaluated(list(following.values()), problem, watch)
        for node in following.values():
            if node.h == inf or node.key in cheaper:
                lost = min(lost, cheaper.get(node.key, node.g) + problem.counted(node.h))
        statistics.max_open = max(statistics.max_open, len(candidates))
        for node in candidates:
            if domain.goal_test(node.state):
                if observer:
                    observer.reached(node)
                others = [other for other in candidates if other is not node]
                return Outcome("solved", statistics, node.path(), node.g, partial(_least_f, others, problem, lost))
        layer, cut = _best(candidates, problem, observer)
        lost = _least_f(cut, problem, lost)
        statistics.stored += len(layer)
        if layer and _is_same(layer, earlier, by_cost=by_cost):
            break
        # Later layers are compared with one that is replaced after 1, 2, 4, 8 ... layers: a repetition is noticed, and
        # only one layer has to be kept (Brent 1980).
        layers_since += 1
        if layers_since == layers_until:
            earlier, layers_since, layers_until = layer, 0, 2 * layers_until
    return Outcome("exhausted", statistics, least_f=lambda: lost)


def _least_f(nodes: list[Node], problem: Problem, lost: float) -> float:
    """Return the smallest g + h of nodes and of what was cut."""
    return min([lost, *(node.g + problem.counted(node.h) for node in nodes)])


def depends_on_cost(frontier: Frontier) -> bool:
    """Return whether a strategy's priority may depend on g: its code reads g, or cannot be inspected."""
    function = getattr(frontier.priority, "py_func", frontier.priority)
    code = getattr(function, "__code__", None)
    if code is None or code.co_argcount < 1 or {"locals", "vars", "eval", "exec"} & set(code.co_names):
        return True
    g = code.co_varnames[0]
    read = (step.argval for step in get_instructions(code))
    return g in code.co_cellvars or any(g in of if isinstance(of, tuple) else of == g for of in read)


def _is_same(layer: list[Node], earlier: list[Node], *, by_cost: bool) -> bool:
    """Return whether a layer repeats an earlier one, so that the same layers follow.

    The next layer depends on the states in order, on their parents, to which no move leads straight back, and on the
    costs if the priority does.
    """
    return len(layer) == len(earlier) and all(
        a.key == b.key
        and a.parent is not None
        and b.parent is not None
        and a.parent.key == b.parent.key
        and (not by_cost or a.g == b.g)
        for a, b in zip(layer, earlier, strict=True)
    )


def _evaluated(nodes: list[Node], problem: Problem, watch: Watch) -> list[Node]:
    """Evaluate nodes; return them without dead ends."""
    statistics, observer = watch.statistics, watch.observer
    if not problem.estimates:
        if observer:
            for node in nodes:
                observer.evaluated(node, is_dead_end=False)
        return nodes
    for node, h in zip(nodes, estimate_states(problem, [node.state for node in nodes], watch), strict=True):
        node.h = h
        statistics.best_h = min(statistics.best_h, h)
        if observer:
            observer.evaluated(node, is_dead_end=h == inf)
    statistics.evaluated += len(nodes)
    live = [node for node in nodes if node.h != inf]
    statistics.dead_ends += len(nodes) - len(live)
    return live


def _best(nodes: list[Node], problem: Problem, observer: SearchObserver | None) -> tuple[list[Node], list[Node]]:
    """Return the `width` nodes of smallest priority, in the order of generation, and the others."""
    frontier = problem.frontier
    ranked = sorted(range(len(nodes)), key=lambda k: (frontier.priority(nodes[k].g, nodes[k].h), k))
    width = frontier.values["width"]
    if observer:
        for k in ranked[width:]:
            observer.left_out(nodes[k], "beyond the width")
    return [nodes[k] for k in sorted(ranked[:width])], [nodes[k] for k in ranked[width:]]
