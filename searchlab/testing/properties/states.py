"""The contract of domains whose states are not boards: texts, numbers, tuples and frozensets."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
from math import inf
from typing import TYPE_CHECKING, Any

from searchlab.errors import PluginError, UsageError
from searchlab.errors.cached import cached_property
from searchlab.experiments.processes import python_module
from searchlab.model.costs import exceeds
from searchlab.model.formatting import counted
from searchlab.model.games import Turn
from searchlab.model.states import digest, is_board
from searchlab.plugins import lookup
from searchlab.plugins.registry import Plugins
from searchlab.testing.properties.heuristic import A_SCORE, verdict_on
from searchlab.testing.properties.views import wrong_picture, wrong_texts
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.states import State

MOST_STATES = 2000
"""The number of states to check, which are those nearest to the start."""
SEEDS = ("1", "2")
"""The hash seeds of the two processes whose moves are compared."""
LONGEST_PROCESS = 60
"""The seconds after which such a process is abandoned."""
LONGEST_WALK = 40


class StateEvidence:
    """The states near the start of a domain, and their moves.

    Args:
        domain: the domain, which has a start.
        plugins: the plugins in which the domain was found.
    """

    def __init__(self, domain: BoundDomain, plugins: Plugins) -> None:
        self.domain, self.plugins = domain, plugins

    @cached_property
    def edges(self) -> dict[State, list[Successor]]:
        """The moves of the states nearest to the start, by state."""
        return near_start(self.domain)

    def grounds(self) -> tuple[str, ...]:
        """Return a description of the states in one line."""
        return (f"{counted(len(self.edges), 'state')} from {self.domain.states.text(self.domain.start())}",)

    @property
    def looked(self) -> int:
        """The number of states that were checked."""
        return len(self.edges)

    states = 0
    """The number of all states, which is unknown."""


def near_start(domain: BoundDomain) -> dict[State, list[Successor]]:
    """Return the moves of the states nearest to the start of a domain, by state."""
    start = domain.start()
    domain.check(start)
    waiting: list[State] = [start]
    met = {start}
    found: dict[State, list[Successor]] = {}
    for state in waiting:
        if len(found) == MOST_STATES:
            break
        found[state] = domain.edges(state)
        for edge in found[state]:
            if edge.terminal:
                continue
            try:
                is_new = edge.board not in met
            except TypeError as error:  # not every state is checked
                raise domain.unhashable(edge.board) from error
            if is_new:
                met.add(edge.board)
                waiting.append(edge.board)
    return found


def _rules(evidence: StateEvidence) -> Finding:
    domain, edges = evidence.domain, evidence.edges
    goals = sum(map(domain.is_goal, edges))
    moves = sum(map(len, edges.values()))
    return passed(f"{counted(len(edges), 'state')} with {counted(moves, 'move')}; {counted(goals, 'goal')}")


def _repeatable(evidence: StateEvidence) -> Finding:
    domain = evidence.domain
    for state, edges in evidence.edges.items():
        if domain.edges(state) != edges:
            return failed(f"other moves from {domain.states.text(state)} when asked again")
    return passed("the same moves when asked again")


def _views(evidence: StateEvidence) -> Finding:
    domain = evidence.domain
    views = domain.component.views
    if not any((views.picture, views.svg, views.remark, views.transcript)):
        return skipped("it has no picture, svg, remark or transcript")
    path, turns = _walk(evidence)
    wrong = wrong_texts(domain, path[0], turns)
    for number, state in enumerate(path):
        wrong = wrong or wrong_picture(domain, state, path[:number])
    return failed(wrong) if wrong else passed(f"a walk of {counted(len(turns), 'move')} can be shown")


def _walk(evidence: StateEvidence) -> tuple[list[State], tuple[Turn, ...]]:
    """Return the states of a walk that meets no state twice, and its moves."""
    path = [evidence.domain.start()]
    turns: list[Turn] = []
    while len(turns) < LONGEST_WALK:
        edges = evidence.edges.get(path[-1], ())
        edge = next((edge for edge in edges if not edge.terminal and edge.board not in path), None)
        if edge is None:
            break
        points = evidence.domain.points(path[-1], edge.board)
        turns.append(Turn(edge.action, edge.board, edge.cost, points, (), edge.board))
        path.append(edge.board)
    return path, tuple(turns)


def _hash_seed(evidence: StateEvidence) -> Finding:
    source = inspect.getsourcefile(inspect.unwrap(evidence.domain.component.successors or main))
    settings = json.dumps([str(evidence.domain), source, evidence.plugins.settings])
    answers = []
    for seed in SEEDS:
        command = python_module("searchlab.testing.properties.states")
        try:
            ended = subprocess.run(
                command,
                input=settings,
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                timeout=LONGEST_PROCESS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return skipped(f"another process took more than {LONGEST_PROCESS} seconds")
        if ended.returncode:
            return skipped("it cannot be loaded by name in another process")
        answers.append(json.loads(ended.stdout))
    first, second = answers
    texts = next((one[0] for one, other in zip(first, second, strict=False) if one != other), None)
    if texts is not None or len(first) != len(second):
        return failed(
            f"the moves from {texts} depend on the hash seed, so that each run may expand other nodes: "
            "a rule that loops over a set takes its elements in the order of sorted(…)"
        )
    return passed("the same moves in the same order with another hash seed")


def main() -> None:
    """Print the moves near the start of the domain that standard input names, as JSON, in a separate process."""
    name, source, settings = json.load(sys.stdin)
    others = {
        "folders": settings["folders"],
        "without": settings["without"],
        "third_party": not settings["shipped_only"],
    }
    try:
        domain = lookup.domain(name, plugins=Plugins(settings["files"], **others))
    except UsageError:  # the file that is checked is not among them
        domain = lookup.domain(name, plugins=Plugins([*settings["files"], source], **others))
    listed = [
        (domain.states.text(state), [(edge.action, digest(edge.board), edge.cost) for edge in edges])
        for state, edges in near_start(domain).items()
    ]
    print(json.dumps(listed))


def has_other_states(bound: Any) -> bool:
    """Return whether the start of a domain is not a board; a start that fails is reported elsewhere."""
    if bound.component.start is None or bound.component.packed is not None:
        return False
    try:
        return not is_board(bound.start())
    except PluginError:
        return False


def _estimates(evidence: HeuristicOnStates) -> Finding:
    values = evidence.values
    return passed(f"a number for each of {counted(len(values), 'state')}, up to {max(values.values()):g}")


def _goal_value(evidence: HeuristicOnStates) -> Finding:
    heuristic = evidence.heuristic
    if heuristic.prefer == "high":
        return skipped("a score may be anything at a goal")
    if not evidence.goals:
        return skipped("no goal was met")
    wrong = next((state for state in evidence.goals if evidence.values[state]), None)
    if wrong is None:
        return passed(f"0 at {counted(len(evidence.goals), 'goal')}")
    said = f"{evidence.values[wrong]:g} for {evidence.domain.states.text(wrong)}, a goal; an estimate must be 0 there"
    return failed(said) if heuristic.admissible or heuristic.consistent else info(said)


def _consistent(evidence: HeuristicOnStates) -> Finding:
    heuristic, values = evidence.heuristic, evidence.values
    if heuristic.prefer == "high":
        return _of_score("consistent", declared=heuristic.consistent)
    if not evidence.moves:
        return skipped("no move was met")
    if evidence.drop is None:
        said = f"it drops along none of {counted(len(evidence.moves), 'move')} by more than they cost"
        return passed(said) if heuristic.consistent else info(f"{said}; not declared")
    (state, edge), texts = evidence.drop, evidence.domain.states.text
    said = (
        f"{values[state]:g} for {texts(state)}, and {values[edge.board]:g} for {texts(edge.board)} "
        f"after the move {edge.action}, which costs {edge.cost:g}"
    )
    if heuristic.consistent:
        return failed(f"declared consistent, and it is {said}")
    return info(f"not consistent: it is {said}")


def _of_score(claim: str, *, declared: bool) -> Finding:
    """Return the finding on a claim about costs for a heuristic that is a score."""
    if declared:
        return failed(f'declared {claim}, but a score (prefer="high") is no estimate of cost')
    return skipped('it is a score (prefer="high"), no estimate of cost')


def _admissible(evidence: HeuristicOnStates) -> Finding:
    heuristic, costs, above = evidence.heuristic, evidence.exact_costs, evidence.above
    if heuristic.prefer == "high":
        return _of_score("admissible", declared=heuristic.admissible)
    if not costs:
        return skipped(f"there are more than {MOST_STATES:,} states, or no goal among them: exact costs are not known")
    if above is None:
        said = f"never above the exact cost of {counted(len(costs), 'state')}"
        return passed(said) if heuristic.admissible else info(f"{said}; not declared")
    state, cost = above
    said = f"{evidence.values[state]:g} for {evidence.domain.states.text(state)}, whose cost is {cost:g}"
    return failed(f"declared admissible, and it is {said}") if heuristic.admissible else info(f"not admissible: {said}")


def _verdict(evidence: HeuristicOnStates) -> Finding:
    if evidence.heuristic.prefer == "high":
        return info(A_SCORE, admissible=False, consistent=False)
    is_admissible = evidence.above is None and all(evidence.values[goal] >= 0 for goal in evidence.goals)
    holding = {
        "admissible": is_admissible if evidence.exact_costs else None,
        "consistent": evidence.drop is None if evidence.moves else None,
    }
    if evidence.is_complete:
        return verdict_on(holding, proved=f"all {counted(len(evidence.edges), 'state')}")
    return verdict_on(holding, looked=f"only the {MOST_STATES:,} states nearest to the start were looked at")


def _answering(check: Callable[[HeuristicOnStates], Finding]) -> Callable[[HeuristicOnStates], Finding]:
    """Return a check that is skipped if the heuristic has no values."""

    def checked(evidence: HeuristicOnStates) -> Finding:
        try:
            _ = evidence.values
        except PluginError:
            return skipped("it does not answer for every state")
        return check(evidence)

    return checked


class HeuristicOnStates(StateEvidence):
    """The values of a heuristic on the states near the start of its domain.

    Args:
        heuristic: the heuristic.
        plugins: the plugins in which the heuristic was found.
    """

    def __init__(self, heuristic: BoundHeuristic, plugins: Plugins) -> None:
        assert heuristic.domain is not None
        super().__init__(heuristic.domain, plugins)
        self.heuristic = heuristic

    @cached_property
    def values(self) -> dict[State, float]:
        """The value of each state."""
        return {state: self.heuristic(state) for state in self.edges}

    @cached_property
    def goals(self) -> list[State]:
        """The states that are goals."""
        return [state for state in self.edges if self.domain.is_goal(state)]

    @cached_property
    def moves(self) -> list[tuple[State, Successor]]:
        """The moves to other states with known values, each with the state that it begins at."""
        return [
            (state, edge)
            for state, edges in self.edges.items()
            for edge in edges
            if not edge.terminal and edge.board in self.values
        ]

    @cached_property
    def drop(self) -> tuple[State, Successor] | None:
        """A move along which the value drops by more than the move costs, if there is one."""
        values = self.values
        drops = ((state, edge) for state, edge in self.moves if exceeds(values[state], edge.cost + values[edge.board]))
        return next(drops, None)

    @cached_property
    def above(self) -> tuple[State, float] | None:
        """A state with a value above the exact cost, and this cost, or None if no such state is known."""
        costs = {state: self.exact_costs.get(state, inf) for state in self.values} if self.exact_costs else {}
        return next(((state, cost) for state, cost in costs.items() if exceeds(self.values[state], cost)), None)

    @property
    def is_complete(self) -> bool:
        """Whether all states that can be reached from the start are known."""
        return len(self.edges) < MOST_STATES

    @cached_property
    def exact_costs(self) -> dict[State, float]:
        """The cost of a cheapest solution of each state that has one; empty if not all states are known."""
        if not self.is_complete:
            return {}
        costs: dict[State, float] = dict.fromkeys(self.goals, 0.0)
        changed = True
        while changed:  # repeats as often as the longest solution has moves
            changed = False
            for state, edges in self.edges.items():
                least = min(
                    (edge.cost + costs.get(edge.board, inf) for edge in edges if not edge.terminal), default=inf
                )
                if least < costs.get(state, inf):
                    costs[state], changed = least, True
        return costs


STATE_PROPERTIES = (
    Property("rules", "Do its functions work, and are all states states?", _rules),
    Property("repeatable", "Are the moves the same when asked again?", _repeatable),
    Property("views", "Can its states and solutions be shown?", _views),
    Property("hash-seed", "Do the moves depend on the hash seed of Python?", _hash_seed),
)
HEURISTIC_PROPERTIES = (
    Property("numbers", "Does it return a number for each state?", _estimates),
    Property("goal-value", "Is it 0 at goals?", _answering(_goal_value)),
    Property("consistent", "Does it never drop by more than a move costs?", _answering(_consistent)),
    Property("admissible", "Is it never above the exact cost?", _answering(_admissible)),
    Property("verdict", "What may it declare?", _answering(_verdict)),
)


if __name__ == "__main__":
    main()
