"""Check a certificate by the rules of its domain and the function of its heuristic, called in Python board by board.

A certificate has a set S of states, each with a cost g. It proves that no solution costs less than the bound B if

1. the start is covered at g = 0;
2. no state of S with g below B is a goal, and no move of cost c from it, with g + c below B, ends the game in a goal;
3. every successor of such a state, by a move of cost c, is covered at g + c.

A state t is covered at g if t is in S with a cost of at most g, or if g + h(t) is at least B. By induction along any
path from the start, each state is in S with a cost of at most the cost of the path so far, until a state has a g + h of
at least B. If h is admissible, a path through this state costs B or more. If there is no such state, the path does not
end in a goal at a cost below B. So the costs in the file need not be exact, and h need not be consistent. No move has a
negative cost, so a negative h counts as 0.

Fractional costs are compared as everywhere in searchlab (see `model.costs`): exactly, except for rounding.
"""

from __future__ import annotations

from itertools import pairwise
from math import inf, isnan, prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from searchlab.board.board import boards_of
from searchlab.errors import PluginCode, PluginError, SearchlabError, in_one_line
from searchlab.model.costs import exceeds, is_shorter, same_but_rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from searchlab.model.states import State
    from searchlab.testing.certificate_file import Certificate

PIECE = 4096
"""The number of states with successors that are looked up together."""


class Unproved(SearchlabError):
    """A certificate does not prove its claim.

    Attributes:
        states: the states at fault, each with a caption.
    """

    def __init__(self, message: str, *states: tuple[str, State]) -> None:
        super().__init__(message)
        self.states = states


class Reached(NamedTuple):
    """A state that must be covered at g, and the action and the state of S, with its cost, that lead there."""

    state: State
    g: float
    action: str = ""
    before: State = None
    before_g: float = 0.0


def check(certificate: Certificate, show: Callable[[int], None] = lambda done: None) -> int:
    """Check a certificate; return the number of moves that were made.

    Args:
        certificate: the certificate.
        show: called now and then with the number of checked states.

    Raises:
        Unproved: the claim is not proved; the exception has the states at fault.
    """
    heuristic, moves = certificate.heuristic, 0
    if heuristic is not None and not (heuristic.admissible and heuristic.prefer == "low"):
        raise Unproved(f"heuristic {heuristic.name} is not declared admissible")
    try:
        _check_plan(certificate)
        table = _StateCosts(certificate)
        table.check_covered([Reached(certificate.start, 0.0)])
        for first in range(0, len(certificate.costs), PIECE):
            show(first)
            reached = list(_reached(certificate, first))
            table.check_covered(reached)
            moves += len(reached)
    except PluginError as error:
        raise Unproved(f"the rules or the heuristic failed on a state of the file: {error}") from error
    return moves


def _reached(certificate: Certificate, first: int) -> Iterator[Reached]:
    """Yield the successors of some states of S; raise Unproved for a goal below the bound."""
    domain, bound, last = certificate.domain, certificate.bound, first + PIECE
    states, costs = certificate.states[first:last], certificate.costs[first:last].tolist()
    if not isinstance(states, list):
        states = boards_of(states.astype(np.int64), signed=True)
    for state, g in zip(states, costs, strict=True):
        if not exceeds(bound, g):
            continue
        if domain.goal_test(state):
            raise Unproved(f"a closed state with g = {g:.10g} is a goal", ("goal", state))
        for action, after, cost, terminal in domain.edges(state):
            if not terminal:
                yield Reached(after, g + cost, action, state, g)
            elif exceeds(bound, g + cost) and domain.goal_test(after):
                raise Unproved(f"{action} ends in a goal at g = {g + cost:.10g}", ("from", state), ("goal", after))


class _StateCosts:
    """The costs of the states of a certificate, looked up by tiles."""

    def __init__(self, certificate: Certificate) -> None:
        self.certificate = certificate
        states, costs = certificate.states, certificate.costs
        if isinstance(states, list):
            self.known = dict(zip(states, costs.tolist(), strict=True))
            return
        keys = self._keys(states)
        order = np.argsort(keys, kind="stable")
        self.keys, self.costs = keys[order], costs[order]

    def _keys(self, tiles: Any) -> Any:
        """Return the tiles of each board as a single value, which NumPy can sort and compare."""
        size = prod(tiles.shape[1:])
        return np.ascontiguousarray(tiles).reshape(-1, size).view(f"S{tiles.dtype.itemsize * size}")[:, 0]

    def costs_of(self, states: Sequence[State]) -> list[float]:
        """Return the cost of each state, or infinity for a state that is not in S."""
        of_file = self.certificate.states
        if isinstance(of_file, list):
            return [self.known.get(state, inf) for state in states]
        wrong_shape = [number for number, state in enumerate(states) if state.shape != of_file.shape[1:]]
        found = np.full(len(states), inf)
        if len(self.keys) and len(states) and not wrong_shape:
            tiles = np.stack([state.view() for state in states])
            small = tiles.astype(of_file.dtype)
            keys = self._keys(small)
            place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
            same = (self.keys[place] == keys) & (small == tiles).all(axis=(1, 2))
            found[same] = self.costs[place[same]]
        return found.tolist()

    def check_covered(self, reached: Sequence[Reached]) -> None:
        """Raise Unproved for a state that is not covered."""
        bound = self.certificate.bound
        for one, known in zip(reached, self.costs_of([one.state for one in reached]), strict=True):
            if known <= one.g or (known < inf and not is_shorter(one.g, known)):
                continue
            h = self._h(one.state)
            if not exceeds(bound, one.g + h) or (one.action and not exceeds(bound, one.before_g + self._h(one.before))):
                continue
            wrong = f"closed with g = {known:.10g}" if known < inf else "not closed"
            below = "finite" if bound == inf else f"below {bound:.10g}"
            fault = f"is {wrong}, and its g + h = {one.g:.10g} + {h:.10g} is {below}"
            if not one.action:
                raise Unproved(f"the start {fault}", ("start", one.state))
            raise Unproved(
                f"the successor by {one.action} of a closed state {fault}",
                (f"closed, g = {one.before_g:.10g}", one.before),
                (one.action, one.state),
            )

    def _h(self, state: State) -> float:
        """Return h of a state, at least 0."""
        heuristic = self.certificate.heuristic
        if heuristic is None:
            return 0.0
        with PluginCode(lambda error: PluginError(f"heuristic {heuristic.name}: {in_one_line(error)}")):
            h = float(heuristic.evaluate(state))
        if isnan(h):
            raise Unproved("h is not a number", ("of this state", state))
        return max(h, 0.0)


def _check_plan(certificate: Certificate) -> None:
    """Raise Unproved if there is a plan that is not a solution of the claimed cost."""
    plan, domain, total = certificate.plan, certificate.domain, 0.0
    if not plan:
        if certificate.cost is not None:
            raise Unproved("the claim has a cost without a plan")
        return
    if certificate.bound == inf:
        raise Unproved("no solution, says the claim, and has one")
    if plan[0] != certificate.start:
        raise Unproved("the plan does not begin at the start", ("start", certificate.start), ("plan", plan[0]))
    for number, (before, after) in enumerate(pairwise(plan), 1):
        edges = [edge for edge in domain.edges(before) if edge.board == after]
        costs = [cost for _, _, cost, terminal in edges if not terminal or number == len(plan) - 1]
        if not costs:
            raise Unproved(f"no move makes step {number} of the plan", ("before", before), ("after", after))
        total += min(costs)
    if not domain.goal_test(plan[-1]):
        raise Unproved("the plan does not end in a goal", ("its end", plan[-1]))
    if not same_but_rounded(total, certificate.cost or 0.0):
        raise Unproved(f"the plan costs {total:.10g}, and the claim says {certificate.cost:.10g}")
