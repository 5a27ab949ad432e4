"""The replay of solutions: each is checked against the domain's rules before it is reported.

A replay finds mistakes of a search: a wrong parent, a wrong cost, a last state that is not a goal. A replay on boards,
by the readable rules, also finds mistakes of the packed form, but takes longer than many searches. So a searcher
replays the first solutions on boards, and later solutions by the compiled rules. A sample of the later solutions is
replayed on boards, too.
"""

from __future__ import annotations

import sys
from functools import partial
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from searchlab.errors import PluginError
from searchlab.model.costs import EXACT, same_but_rounded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from searchlab.model.states import State
    from searchlab.search.compiled.replay import PackedPath
    from searchlab.search.problem import Problem

CHECKED_MOVES = 1000
"""The first solutions for boards of a shape are replayed on boards, until they have this many moves together."""
WORTH_COMPILING = 10_000
"""After this many moves, the compiled rules are compiled if the cache does not have them."""
CHECKED_EVERY = 64
"""One in this many of the solutions replayed by compiled rules is replayed on boards, too."""
CHECKED_LENGTH = 1000
"""Solutions with more moves than this are sampled less often, so that the mean cost per solution does not grow."""
COMPILED = "searchlab.search.compiled.replay"
"""The module that defines PackedPath. Readable searches do not import it."""


class Replayed(NamedTuple):
    """A solution, replayed through the domain's rules.

    Attributes:
        actions: the moves, the cheapest if several lead to the same board; or a function that returns them.
        cost: the sum of the costs of the moves.
        most: the sum if the most expensive of several moves is taken.
    """

    actions: tuple[str, ...] | Callable[[], tuple[str, ...]]
    cost: float
    most: float


class OnBoards(NamedTuple):
    """A solution, replayed on boards.

    Attributes:
        actions, cost, most: as in `Replayed`.
        has_whole_float: whether the cost of a move is a float with a whole value, such as 2.0.
    """

    actions: tuple[str, ...]
    cost: float
    most: float
    has_whole_float: bool


class Replays:
    """The replays of a searcher's solutions for boards of one shape.

    Args:
        both: whether every solution is replayed in both ways.

    Attributes:
        moves: the number of moves replayed on boards.
        compiled_from: the value of `moves` from which on solutions are replayed by the compiled rules.
        unchecked: the number of moves replayed by the compiled rules since the last sample, at most CHECKED_LENGTH per
            solution.
        spare: the arrays of the last compiled replay, for the next.
        are_floats: whether costs of the domain include floats with whole values; then sums are floats, too.
    """

    def __init__(self, *, both: bool = False) -> None:
        self._both = both
        self.moves = 0
        self.unchecked: float = CHECKED_EVERY * CHECKED_LENGTH  # the first is a sample, unless it is longer
        self.compiled_from: float = 0 if both else CHECKED_MOVES
        self.are_floats = False
        self.spare: list[Any] = []

    def replay(self, problem: Problem, path: Sequence[State]) -> Replayed | OnBoards | str:
        """Replay a solution; return an error message if it is invalid."""
        words = None if self.moves < self.compiled_from else packed(path)
        if words is not None and not words.is_ready(compiles=self._both or self.moves >= WORTH_COMPILING):
            words, self.compiled_from = None, WORTH_COMPILING if self.moves < WORTH_COMPILING else inf
        if words is None:
            self.moves += len(path)
            return self._on_boards(problem, path)
        found = words.replayed(self.spare)
        self.unchecked += min(len(path), CHECKED_LENGTH)
        is_sample = self._both or self.unchecked >= CHECKED_EVERY * len(path)
        if found is not None and found.most <= EXACT and not is_sample:
            cost = int(found.cost) if found.is_whole and not self.are_floats else found.cost
            return Replayed(found.names or partial(_names_on_boards, problem, words.boards), cost, found.most)
        self.unchecked = 0
        checked = self._on_boards(problem, path)
        if isinstance(checked, str):
            return checked
        if found is None:
            self.compiled_from = inf  # the compiled rules are wrong, or fail: do not use them again
            return "by the compiled rules it is not a solution" if self._both else checked
        if not same_but_rounded(found.cost, checked.cost):
            return f"its moves cost {checked.cost:.10g}, and by the packed form {found.cost:.10g}"
        for name, action in zip(found.names() if found.names else (), checked.actions, strict=False):
            if name != action:
                return f"its move {action} is called {name} by the packed form"
        return checked

    def _on_boards(self, problem: Problem, path: Sequence[State]) -> OnBoards | str:
        found = replay_on_boards(problem, path)
        self.are_floats |= not isinstance(found, str) and found.has_whole_float
        return found


def packed(path: Sequence[State]) -> PackedPath | None:
    """Return the path itself if its states are packed, else None."""
    module = sys.modules.get(COMPILED)
    return path if module is not None and isinstance(path, module.PackedPath) else None


def _names_on_boards(problem: Problem, boards: Callable[[], Sequence[State]]) -> tuple[str, ...]:
    """Return the names of the moves of a solution, by the rules on boards."""
    replayed = replay_on_boards(problem, boards())
    if isinstance(replayed, str):
        raise disagreement(problem, replayed)
    return replayed.actions


def disagreement(problem: Problem, wrong: str) -> PluginError:
    """Return the error for a solution that is invalid by the domain's rules."""
    frontier = problem.frontier
    whose = f"frontier {frontier.name}" if frontier.component.run else "the search"
    return PluginError(f"{whose} and the rules of {problem.domain.name} disagree: {wrong}")


def replay_on_boards(problem: Problem, path: Sequence[State]) -> OnBoards | str:
    """Replay a solution through the readable rules of the domain; return an error message if it is invalid."""
    domain = problem.domain
    if not path or path[0] != problem.board:
        return "the solution does not begin with the start board"
    actions: list[str] = []
    cost: float = 0
    most: float = 0
    has_whole_float = False
    for number, moves in enumerate(domain.moves_along(path), 1):
        if not moves:
            return f"move {number} of the solution is not a legal move"
        move = moves[0] if len(moves) == 1 else min(moves, key=lambda edge: edge.cost)
        actions.append(move.action)
        cost += move.cost
        has_whole_float |= isinstance(move.cost, float) and move.cost.is_integer()
        most += max(edge.cost for edge in moves) if len(moves) > 1 else move.cost
    if not domain.goal_test(path[-1]):
        return "the solution does not end in a goal"
    return OnBoards(tuple(actions), cost, most, has_whole_float)
