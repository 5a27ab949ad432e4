"""The readable form of beam search: layer by layer, of each layer only the best are kept (Lowerre 1976).

There is no closed list: duplicates are merged within a layer, and a search in a space with circles may go on
until a limit ends it.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from searchlab.search.driver import NODE_BYTES, Node
from searchlab.search.evaluating import estimate_boards
from searchlab.search.result import Outcome

if TYPE_CHECKING:
    from searchlab.board import Board
    from searchlab.search.limits import Watch
    from searchlab.search.problem import Problem


def beam(problem: Problem, watch: Watch) -> Outcome:
    """Search layer by layer; a layer is tested for goals before it is cut to the best `width` nodes.

    The states of a layer are evaluated together, each once. Among equals the earliest generated stay, and those
    that stay keep the order they were generated in.
    """
    domain, statistics = problem.domain, watch.statistics
    bytes_a_node = NODE_BYTES + problem.board.tiles.nbytes
    start = Node(problem.board)
    layer = _evaluated([start], problem, watch)
    if domain.is_goal(problem.board):
        return Outcome("solved", statistics, start.path(), 0.0)
    statistics.stored = len(layer)
    while layer:
        following: dict[tuple[Board, bool], Node] = {}
        for node in layer:
            statistics.peak_bytes = max(statistics.peak_bytes, bytes_a_node * (statistics.stored + len(following)))
            status = watch.stop(statistics, len(following))
            if status:
                return Outcome(status, statistics)
            statistics.expanded += 1
            for edge in domain.edges(node.board):
                if node.parent is not None and not edge.terminal and edge.board == node.parent.board:
                    continue
                statistics.generated += 1
                if edge.terminal and not domain.is_goal(edge.board):
                    continue
                successor = Node(edge.board, node, node.g + edge.cost, edge.terminal)
                following.setdefault(successor.state, successor)
        candidates = _evaluated(list(following.values()), problem, watch)
        statistics.max_open = max(statistics.max_open, len(candidates))
        for node in candidates:
            if domain.is_goal(node.board):
                return Outcome("solved", statistics, node.path(), node.g)
        layer = _best(candidates, problem)
        statistics.stored += len(layer)
    return Outcome("exhausted", statistics)


def _evaluated(nodes: list[Node], problem: Problem, watch: Watch) -> list[Node]:
    """Evaluate nodes and return those that are no dead ends."""
    if not problem.estimates:
        return nodes
    statistics = watch.statistics
    for node, h in zip(nodes, estimate_boards(problem, [node.board for node in nodes], watch), strict=True):
        node.h = h
        statistics.best_h = min(statistics.best_h, h)
    statistics.evaluated += len(nodes)
    live = [node for node in nodes if node.h != inf]
    statistics.dead_ends += len(nodes) - len(live)
    return live


def _best(nodes: list[Node], problem: Problem) -> list[Node]:
    """Return the nodes of smallest priority, at most `width`, in the order they have."""
    frontier = problem.frontier
    ranked = sorted(range(len(nodes)), key=lambda k: (frontier.priority(nodes[k].g, nodes[k].h), k))
    return [nodes[k] for k in sorted(ranked[: frontier.values["width"]])]
