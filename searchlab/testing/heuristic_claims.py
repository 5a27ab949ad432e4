"""What a heuristic may declare: its values against what solving really costs, and along every move."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.model.costs import exceed
from searchlab.testing.estimates import Unanswered, Values
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.testing.estimates import Estimates, HeuristicEvidence

NOISE = 1e-15
"""How much of what is added up is lost in rounding."""
MOST_COMPARED = 4096
"""Counterexamples of the least cost among which the least board is looked for."""


@dataclass(frozen=True)
class Violation:
    """Where a property does not hold: the case with the least true cost, then the least board.

    Attributes:
        on: the ground it was found on.
        state: the state's number.
        cost: what solving it costs; infinite where there is no solution or the cost is unknown.
        count: how many cases there are on this ground.
    """

    on: Estimates
    state: int
    cost: float
    count: int

    @property
    def board(self) -> Board:
        """The state's board."""
        return self.on.ground.space.board(self.state)

    @property
    def value(self) -> float:
        """The heuristic's value of it."""
        return float(self.on.everywhere.numbers[self.state])


def overestimates(on: Estimates) -> Violation | None:
    """Return the smallest state that is valued above what solving it costs, None if none is."""
    space, values = on.ground.space, on.everywhere
    return _smallest(on, exceed(values.numbers, space.costs) & np.isfinite(space.costs))


def drops(on: Estimates) -> Violation | None:
    """Return the smallest state whose value drops along a move by more than the move costs, None if none does.

    A state with an infinite value does not count: a search never goes on from it.
    """
    space, values = on.ground.space, on.everywhere
    found = np.zeros(len(space), bool)
    for k in range(space.successors.shape[1]):
        found |= _drops_along(on, k)
    return _smallest(on, found & np.isfinite(values.numbers))


def _drops_along(on: Estimates, k: int) -> NDArray[np.bool_]:
    """Return for which states the k-th move drops the value by more than it costs."""
    space, numbers = on.ground.space, on.everywhere.numbers
    costs, after = space.edge_costs[:, k], numbers[space.successors[:, k]]
    bound = costs + after
    with np.errstate(invalid="ignore"):
        beyond_noise = numbers - bound > NOISE * (np.abs(costs) + np.abs(after))
    is_beyond = beyond_noise | ~np.isfinite(after)
    dropped: NDArray[np.bool_] = exceed(numbers, bound) & is_beyond & (space.successors[:, k] >= 0)
    return dropped


def _smallest(on: Estimates, found: NDArray[np.bool_]) -> Violation | None:
    numbers = np.flatnonzero(found)
    if not numbers.size:
        return None
    space = on.ground.space
    costs = np.nan_to_num(space.costs[numbers], nan=inf, posinf=inf)
    least = numbers[costs == costs.min()][:MOST_COMPARED]
    boards = [board.tiles.ravel().tolist() for board in space.boards(least)]
    state = int(least[min(range(len(boards)), key=boards.__getitem__)])
    return Violation(on, state, float(costs.min()), len(numbers))


def _worst(
    grounds: list[Estimates], find: Callable[[Estimates], Violation | None], claim: str = ""
) -> Violation | None:
    """Return the smallest violation on these grounds, of those on which this is claimed if there are any."""
    found = [violation for on in grounds if (violation := find(on))]
    claimed = [violation for violation in found if claim and getattr(violation.on.heuristic, claim)]
    return min(claimed or found, key=lambda violation: violation.cost, default=None)


def goal_value(evidence: HeuristicEvidence) -> Finding:
    """Look at the values of goals: an estimate of the cost to go has to be 0 there."""
    if evidence.is_score:
        return skipped("a score may be anything at a goal")
    count, told = 0, None
    for on in evidence.every:
        goals = np.flatnonzero(on.ground.space.goals & on.everywhere.evaluated)
        values = on.everywhere.numbers[goals]
        count += len(goals)
        if not values.any():
            continue
        least, most = float(values.min()), float(values.max())
        said = f"{least:.10g} … {most:.10g} at {len(goals):,} goals" if least != most else f"{most:.10g} at goals"
        said += ", where nothing is left to pay"
        worst = int(goals[values.argmin() if least < 0 else values.argmax()])
        shown = (
            f"{_shown(on.everywhere.numbers[worst])} on this goal of {on.ground.domain}:",
            on.ground.space.board(worst),
        )
        facts = {"minimum": least, "maximum": most}
        if on.heuristic.admissible and least < 0:
            advice = "an admissible heuristic is 0 there, as a search that meets a worse goal first would take it"
            return failed(f"{said}; {advice}", shown, **facts)
        if (on.heuristic.admissible or on.heuristic.consistent) and most > 0:
            return failed(said, shown, **facts)
        told = told or info(said, **facts)
    if not count:
        return skipped("no goal was met")
    return told or passed(f"0 at each of {count:,} goals", goals=count)


def _negative_goals(on: Estimates) -> bool:
    """Return whether the value of some goal is below 0."""
    return bool((on.everywhere.numbers[on.ground.space.goals & on.everywhere.evaluated] < 0).any())


def consistent(evidence: HeuristicEvidence) -> Finding:
    """Compare the values at both ends of every move."""
    unfit = _unfit(evidence, "consistent")
    if unfit:
        return unfit
    violation = _worst(evidence.every, drops, "consistent")
    if violation is None:
        moves = sum(int(_compared_moves(on).sum()) for on in evidence.every)
        if not moves:
            return skipped("no move was met")
        return _holds(evidence, "consistent", f"it drops along none of {moves:,} moves by more than they cost")
    on, state = violation.on, violation.state
    space = on.ground.space
    k = next(k for k in range(space.successors.shape[1]) if _drops_along(on, k)[state])
    after = int(space.successors[state, k])
    drop = f"{_shown(violation.value)} here and {_shown(on.everywhere.numbers[after])} after a move that costs "
    boards = (("before:", violation.board), ("after:", space.board(after)))
    return _violated(evidence, "consistent", f"{drop}{space.edge_costs[state, k]:g}", violation, boards)


def admissible(evidence: HeuristicEvidence) -> Finding:
    """Compare the values with what solving costs."""
    unfit = _unfit(evidence, "admissible")
    if unfit:
        return unfit
    known = _known_costs(evidence)
    if not known:
        return skipped("the exact cost of no board could be found out")
    violation = _worst(evidence.every, overestimates, "admissible")
    if violation is None:
        return _holds(evidence, "admissible", f"never above the true cost, on {known:,} boards of known cost")
    over = f"{_shown(violation.value)} on a board that is solved at a cost of {_shown(violation.cost)}"
    return _violated(evidence, "admissible", over, violation, (("the smallest such board:", violation.board),))


def _known_costs(evidence: HeuristicEvidence) -> int:
    """Return how many boards were evaluated of which it is known what solving them costs."""
    return sum(int((np.isfinite(on.ground.space.costs) & on.everywhere.evaluated).sum()) for on in evidence.every)


def _unfit(evidence: HeuristicEvidence, claim: str) -> Finding | None:
    if not evidence.is_score:
        return None
    if _declares(evidence, claim):
        return failed(f'declared, but a score (prefer="high") is no estimate of cost and never {claim}')
    return skipped('it is a score (prefer="high"), no estimate of cost: the question does not arise')


def _declares(evidence: HeuristicEvidence, *claims: str) -> bool:
    return any(getattr(on.heuristic, claim) for claim in claims for on in evidence.every)


def _holds(evidence: HeuristicEvidence, claim: str, said: str) -> Finding:
    if _declares(evidence, claim):
        return passed(said)
    return info(f"{said}; not declared")


def _violated(
    evidence: HeuristicEvidence, claim: str, said: str, violation: Violation, boards: tuple[tuple[str, Board], ...]
) -> Finding:
    space = violation.on.ground.space
    of = f"{violation.count:,} of {len(space):,} boards of {violation.on.ground.instance}"
    if violation.on in evidence.others:
        of += f", as {violation.on.heuristic}"
    facts = {"value": violation.value, "cost": violation.cost, "boards": violation.count, "of": len(space)}
    if getattr(violation.on.heuristic, claim):
        return failed(f"declared, but not so: {said} ({of})", *boards, **facts)
    return info(f"not {claim}: {said} ({of}); not declared either", *boards, **facts)


def _compared_moves(on: Estimates) -> NDArray[np.bool_]:
    space, evaluated = on.ground.space, on.everywhere.evaluated
    compared: NDArray[np.bool_] = (space.successors >= 0) & evaluated[:, None] & evaluated[space.successors]
    return compared


def correlation(evidence: HeuristicEvidence) -> Finding:
    """Compare the order of the values with that of the true costs."""
    said, facts = [], {}
    for on in evidence.on:
        space, values = on.ground.space, on.everywhere
        known = np.isfinite(space.costs) & np.isfinite(values.numbers)
        numbers, costs = values.numbers[known], space.costs[known]
        if len(costs) < 2 or costs.min() == costs.max() or numbers.min() == numbers.max():
            continue
        found = facts[str(on.ground.instance)] = round(float(np.corrcoef(numbers, costs)[0, 1]), 4)
        share = numbers.sum() / costs.sum()
        of_it = f", {share:.0%} of it on average" if 0 < share <= 1 and not evidence.is_score else ""
        said.append(f"{found:.2f} with the true cost on {on.ground.instance}{of_it}")
    if not said:
        return skipped("no costs, or no values, that differ")
    tail = " (of the score's negative, as a search takes it)" if evidence.is_score else ""
    return info("; ".join(said) + tail, **facts)


def speed(evidence: HeuristicEvidence) -> Finding:
    """Time it."""
    interpreted, compiled = evidence.on[-1].seconds_a_call()
    said = f"{interpreted * 1e6:.3g} µs a call interpreted"
    facts = {"interpreted_seconds": interpreted, "compiled_seconds": compiled}
    if compiled is None:
        return info(said, **facts)
    return info(f"{compiled * 1e9:.3g} ns a call compiled, {said}", **facts)


def verdict(evidence: HeuristicEvidence) -> Finding:
    """Say what may be declared."""
    if evidence.is_score:
        return info('a score: prefer="high" says all there is to declare', admissible=False, consistent=False)
    holding = {claim: _holding(evidence.on, claim) for claim in ("admissible", "consistent")}
    claims = [claim for claim, holds in holding.items() if holds]
    if not claims:
        return info("it may declare neither admissible nor consistent", **holding)
    whole = [on for on in evidence.on if on.ground.space.complete and on.everywhere.evaluated.all() and _informs(on)]
    text = ", ".join(f"{claim}=True" for claim in claims) + _exceptions(evidence.others, claims)
    if whole:
        proved = " and ".join(on.ground.extent() for on in whole)
        looked, of = sum(on.survey.looked for on in whole), sum(len(on.ground.space) for on in whole)
        partly = (
            f"; compiled and interpreted values were compared on {looked:,} of {of:,} boards" if looked < of else ""
        )
        is_compiled = all(isinstance(on.compiled_everywhere, Values) for on in whole)
        return info(f"it may declare {text}: so it is on {proved}{partly if is_compiled else ''}", **holding)
    return info(f"nothing found speaks against {text}, but only samples were looked at: prove it", **holding)


def _holding(grounds: list[Estimates], claim: str) -> bool | None:
    """Return whether nothing found on these grounds speaks against a claim; None where nothing could."""
    if claim == "consistent":
        return _worst(grounds, drops) is None
    known = any((np.isfinite(on.ground.space.costs) & on.everywhere.evaluated).any() for on in grounds)
    return _worst(grounds, overestimates) is None and not any(map(_negative_goals, grounds)) if known else None


def _exceptions(others: list[Estimates], claims: list[str]) -> str:
    """Return with which other parameters these claims do not hold, in words."""
    told = [
        f"not {claim} as {on.heuristic} on {on.ground.domain}"
        for claim in claims
        for on in others
        if _holding([on], claim) is False
    ]
    return f" ({'; '.join(told)}: declare a function of the parameters)" if told else ""


def _informs(on: Estimates) -> bool:
    return bool(np.isfinite(on.ground.space.costs).any())


def _shown(value: Any) -> str:
    return f"{float(value):.10g}" if isfinite(value) else "infinite"


def _answering(check: Callable[[HeuristicEvidence], Finding]) -> Callable[[HeuristicEvidence], Finding]:
    """Return a check that is skipped where the heuristic does not answer."""

    def checked(evidence: HeuristicEvidence) -> Finding:
        try:
            return check(evidence)
        except Unanswered:
            return skipped("it does not answer for every board")

    return checked


CLAIMS = (
    Property("goal-value", "Is it 0 at goals?", _answering(goal_value)),
    Property("consistent", "Does it never drop by more than a move costs?", _answering(consistent)),
    Property("admissible", "Does it never exceed the cost of a cheapest solution?", _answering(admissible)),
    Property("correlation", "How well does it follow the true cost?", _answering(correlation)),
    Property("speed", "How long does a call take?", _answering(speed)),
    Property("verdict", "What may it declare?", _answering(verdict)),
)
