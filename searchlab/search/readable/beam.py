"""The readable beam search: layer by layer, keeping only the best nodes of each layer (Lowerre 1976).

Duplicates are merged within a layer: the cheapest of several paths to a state counts. Without a closed list, a beam
that is too narrow may return to an earlier layer in a space with cycles. As everything would repeat from then on, the
search ends. With a closed list, a state of an earlier layer is entered again only by a cheaper path.
"""

from __future__ import annotations

from dis import get_instructions
from functools import partial
from itertools import islice
from math import inf
from typing import TYPE_CHECKING, TypeVar

from searchlab.model.costs import is_shorter
from searchlab.model.results import Outcome
from searchlab.model.states import size_of
from searchlab.search.readable.evaluation import estimate_states
from searchlab.search.readable.node import NODE_BYTES, Node, successors

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from searchlab.model.strategies import Frontier
    from searchlab.search.problem import Problem
    from searchlab.search.readable.node import SearchObserver
    from searchlab.search.watch import Watch

N = TypeVar("N", bound=Node)


class BeamNode(Node):
    """A node with a priority within its layer."""

    __slots__ = ("priority",)

    parent: BeamNode | None
    priority: float


def beam(problem: Problem, watch: Watch) -> Outcome:
    """Search layer by layer with the width of the strategy until a goal is found; see `search_layers`."""
    return search_layers(problem, watch, problem.frontier.values["width"], has_closed=problem.frontier.has_closed)[0]


def search_layers(
    problem: Problem, watch: Watch, width: int, *, has_closed: bool = False, goes_on: bool = False
) -> tuple[Outcome, float]:
    """Search layer by layer; a layer is tested for goals before it is cut to the best `width` nodes.

    The states of a layer are evaluated together, each once. Among equal priorities the nodes generated first are kept.
    The kept nodes stay in the order of generation. Nodes that cannot lead to a solution cheaper than the incumbent of
    the watch are left out.

    Args:
        has_closed: whether a state of an earlier layer is entered again only by a cheaper path.
        goes_on: whether the search goes on after a goal, and reports the cheapest goal of each layer to the watch.

    Returns:
        the outcome, and the smallest g + h of the nodes that were cut because of the width.
    """
    domain, statistics, observer = problem.domain, watch.statistics, watch.observer
    start = BeamNode.of_start(problem)
    rank = ranking(problem, watch)
    layer = evaluated([start], problem, watch)
    if observer and statistics.expanded > 0:  # not the first beam of an anytime search
        observer.begun(start, watch.incumbent)
    if domain.goal_test(problem.board):
        if observer:
            observer.reached(start)
        return Outcome("solved", statistics, start.path(), 0.0, lambda: inf), inf
    stored = len(layer)
    statistics.stored = max(statistics.stored, stored)
    closed = {start.key: start}
    lost = inf if layer else problem.counted(start.h)  # the smallest g + h of the nodes that were dropped
    beyond = inf  # the same, of the nodes that were cut because of the width
    by_cost = depends_on_cost(problem.frontier.component)
    earlier: list[BeamNode] = []
    layers_since, layers_until = 0, 1
    while layer:
        following, status = _following(layer, stored, problem, watch)
        if status:
            return Outcome(status, statistics, least_f=partial(_least_f, layer, problem, lost)), beyond
        candidates = evaluated(list(following.values()), problem, watch)
        dead_ends = [node for node in following.values() if node.h == inf]
        lost = _least_f(dead_ends, problem, lost)
        statistics.max_open = max(statistics.max_open, len(candidates))
        candidates = _within_incumbent(candidates, problem, watch)
        for node in candidates:
            node.priority = rank(node)
        goals = list(islice((node for node in candidates if domain.goal_test(node.state)), None if goes_on else 1))
        if goals:
            goal = min(goals, key=lambda node: node.g) if goes_on else goals[0]
            if observer:
                observer.reached(goal)
            if not goes_on:
                others = [other for other in candidates if other is not goal]
                outcome = Outcome("solved", statistics, goal.path(), goal.g, partial(_least_f, others, problem, lost))
                return outcome, beyond
            watch.improved(goal.g, goal.path)
            candidates = _within_incumbent([node for node in candidates if node not in goals], problem, watch)
        layer, cut = _best(candidates, width, closed if has_closed else {}, observer)
        beyond = _least_f(cut, problem, beyond)
        lost = min(lost, beyond)
        stored += len(layer)
        statistics.stored = max(statistics.stored, stored)
        if has_closed:
            closed.update((node.key, node) for node in layer)
            continue
        if layer and _is_same(layer, earlier, by_cost=by_cost):
            break
        # Layers are compared with one earlier layer, which is replaced after 1, 2, 4, 8 ... layers. This finds every
        # repetition and keeps a single layer (Brent 1980).
        layers_since += 1
        if layers_since == layers_until:
            earlier, layers_since, layers_until = layer, 0, 2 * layers_until
    return Outcome("exhausted", statistics, least_f=lambda: lost), beyond


def ranking(problem: Problem, watch: Watch) -> Callable[[BeamNode], float]:
    """Return the function that computes the priority of a node, including the further heuristics it may use."""
    if not problem.queues:
        priority = problem.frontier.priority
        return lambda node: priority(node.g, node.h)
    key, estimators = problem.queues[0].key, [problem.by(one).estimator for one in problem.further]

    def rank(node: BeamNode) -> float:
        further = [estimator(node.state) for estimator in estimators]
        watch.statistics.evaluated += len(further)
        return key((node.g, node.h, 0.0, -inf, inf, *further))

    return rank


def _following(
    layer: list[BeamNode], stored: int, problem: Problem, watch: Watch
) -> tuple[dict[Hashable, BeamNode], str]:
    """Expand the nodes of a layer.

    Args:
        stored: the number of nodes that are kept from earlier layers.

    Returns:
        the successors by key, each with the cheapest path to its state; and the status of the limit that ended the
        search, or `""`.
    """
    statistics, observer = watch.statistics, watch.observer
    bytes_per_node = NODE_BYTES + size_of(problem.board)
    following: dict[Hashable, BeamNode] = {}
    for node in layer:
        statistics.peak_bytes = max(statistics.peak_bytes, bytes_per_node * (stored + len(following)))
        status = watch.stop(statistics, len(following))
        if status:
            return following, status
        statistics.expanded += 1
        if observer:
            observer.expanded(node)
        for successor in successors(node, problem, statistics, observer):
            assert isinstance(successor, BeamNode)
            known = following.setdefault(successor.key, successor)
            if successor.g < known.g:
                known.parent, known.g = node, successor.g
                if observer:
                    observer.improved(known, successor, is_reopened=False)
            elif observer and known is not successor:
                observer.found_duplicate(successor, known)
        if observer:
            observer.closed(node)
    return following, ""


def _within_incumbent(nodes: list[BeamNode], problem: Problem, watch: Watch) -> list[BeamNode]:
    """Return the nodes that may lead to a solution that is cheaper than the incumbent."""
    if watch.incumbent == inf:
        return nodes
    below, observer = problem.below(watch.incumbent), watch.observer
    within = [node for node in nodes if node.g + problem.counted(node.h) < below]
    if observer:
        for node in nodes:
            if node.g + problem.counted(node.h) >= below:
                observer.left_out(node, "no better than the incumbent")
    return within


def _least_f(nodes: Sequence[Node], problem: Problem, lost: float) -> float:
    """Return the smallest g + h of the nodes, at most `lost`."""
    return min([lost, *(node.g + problem.counted(node.h) for node in nodes)])


def depends_on_cost(frontier: Frontier) -> bool:
    """Return whether a strategy's priority may depend on g: its code reads g, or cannot be inspected."""
    if frontier.queues:
        return "g" in frontier.queues[0].asked
    function = getattr(frontier.priority, "py_func", frontier.priority)
    code = getattr(function, "__code__", None)
    if code is None or code.co_argcount < 1 or {"locals", "vars", "eval", "exec"} & set(code.co_names):
        return True
    g = code.co_varnames[0]
    read = (step.argval for step in get_instructions(code))
    return g in code.co_cellvars or any(g in of if isinstance(of, tuple) else of == g for of in read)


def _is_same(layer: list[BeamNode], earlier: list[BeamNode], *, by_cost: bool) -> bool:
    """Return whether a layer repeats an earlier layer, so that the same layers would follow.

    The next layer depends on the states and their order, on their parents (no move leads straight back there), and on
    the costs if the priority depends on g.
    """
    return len(layer) == len(earlier) and all(
        a.key == b.key
        and a.parent is not None
        and b.parent is not None
        and a.parent.key == b.parent.key
        and (not by_cost or a.g == b.g)
        for a, b in zip(layer, earlier, strict=True)
    )


def evaluated(nodes: list[N], problem: Problem, watch: Watch) -> list[N]:
    """Evaluate nodes, and return all but the dead ends."""
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


def _best(
    nodes: list[BeamNode], width: int, closed: dict[Hashable, BeamNode], observer: SearchObserver | None
) -> tuple[list[BeamNode], list[BeamNode]]:
    """Return the `width` nodes of smallest priority, in the order of generation, and the nodes beyond the width.

    A node whose state was expanded in an earlier layer is dropped, unless its path is cheaper.
    """
    ranked = sorted(range(len(nodes)), key=lambda k: (nodes[k].priority, k))
    kept: list[int] = []
    cut: list[BeamNode] = []
    for k in ranked:
        node = nodes[k]
        known = closed.get(node.key) if len(kept) < width else None
        if known is not None and not is_shorter(node.g, known.g):
            if observer:
                observer.found_duplicate(node, known)
        elif len(kept) < width:
            kept.append(k)
        else:
            cut.append(node)
            if observer:
                observer.left_out(node, "beyond the width")
    return [nodes[k] for k in sorted(kept)], cut
