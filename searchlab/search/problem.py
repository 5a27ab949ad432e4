"""Problem: a start board, a domain, a heuristic and a frontier strategy, checked to fit together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, inf, isnan, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.bound import LARGEST_INT, NoNumber, exact_number
from searchlab.binding.name_space import NameSpace
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.component import extra_parameters
from searchlab.model.costs import ROUNDING, exceeds
from searchlab.model.domain import SAME
from searchlab.model.states import key_function
from searchlab.model.strategies import MISSING, QUEUE_VALUES, START, WIDTHS, wrong_width

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from contextlib import AbstractContextManager

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.frontier import BoundFrontier, BoundQueue
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.packed import PackedForm
    from searchlab.model.states import State


OWN_VALUE = QUEUE_VALUES.index("h")
"""The index of the search's own heuristic among the values of a node."""
EVALUATION_BATCH = 1000
"""The number of nodes expanded before new nodes are evaluated together, if Python evaluates them."""
LARGEST_EVALUATION_BATCH = 2**62
"""Larger than any search needs, and small enough for a machine word."""


class EvaluationError(PluginError):
    """A heuristic failed on a board, or returned a value that is not a number.

    Attributes:
        board: the board that was evaluated.
    """

    def __init__(self, message: str, board: Board) -> None:
        super().__init__(message)
        self.board = board


def arithmetic() -> AbstractContextManager[Any]:
    """Return a context in which NumPy computes as compiled code does: integers wrap around, and 1 / 0 is an error."""
    return np.errstate(divide="raise", invalid="raise", over="ignore")


def estimate_of(heuristic: BoundHeuristic, board: Board) -> float:
    """Compute h of a board; lower is better.

    Raises:
        EvaluationError: the heuristic raised an exception, or returned a value that is not a number. NaN is accepted.
    """

    def failed(error: BaseException) -> EvaluationError:
        return EvaluationError(f"heuristic {heuristic.name}: {in_one_line(error)}", board)

    try:
        with PluginCode(failed, (PluginError, NoNumber)):
            h = float(heuristic.evaluate(board))
    except NoNumber as error:
        raise EvaluationError(f"heuristic {heuristic.name} returned {error}", board) from error
    return -h if heuristic.prefer == "high" else h


def is_same(one: BoundHeuristic, other: BoundHeuristic) -> bool:
    """Return whether two heuristics have the same values."""
    return one is other or (one.component == other.component and str(one) == str(other))


@dataclass(frozen=True)
class Problem:
    """A start board, a domain, a heuristic and a frontier strategy.

    Attributes:
        batch: the number of nodes expanded before their new successors are evaluated together; 1 evaluates each
            successor at once.

    Raises:
        UsageError: the parts do not fit together.
    """

    board: Board
    domain: BoundDomain
    heuristic: BoundHeuristic
    frontier: BoundFrontier
    batch: int = 1

    def __post_init__(self) -> None:
        if self.domain.is_of_chance:
            raise UsageError(self.domain.why_not_searched)
        if not isinstance(self.batch, int) or not 1 <= self.batch <= LARGEST_EVALUATION_BATCH:
            raise UsageError(f"a batch is a whole number of nodes, 1 or more, not {self.batch!r:.40}")
        if self.batch > 1 and self.takes_batches and self._late_is_given:
            raise UsageError(
                f"{self.frontier.name} cannot detect duplicates late in batches of {self.batch}: "
                "leave out duplicates=late, or set batch to 1"
            )
        component, values = self.frontier.component, self.frontier.values
        if component.family == "beam" and component.run is None and wrong_width(values["width"]):
            raise UsageError(f"{self.frontier.name}: width={shown(values['width'])}: {WIDTHS}")
        if self.frontier.order == "random" and self.frontier.takes_first_sibling:
            raise UsageError(f"{self.frontier.name}: siblings=first has no meaning with order=random; leave it out")
        if values.get("seed") and not self.frontier.uses_seed:
            raise UsageError(f"{self.frontier.name}: a seed has no effect without order=random")
        if component.queues:
            _ = self.queues  # raises an error now rather than during the search
        if component.is_bidirectional:
            self._check_backwards()
        if component.selects:
            self._check_selects()
        if not self.estimates:
            return
        for form in self.heuristic.forms:
            self.heuristic.check_arguments(self.board, form)
        _ = self.counts_h, self.reopens  # raises an error now rather than after the search
        if component.family == "deepening" and self.heuristic.prefer == "high":
            raise UsageError(
                f"{self.frontier.name} needs an estimate of the cost to go, and {self.heuristic.name} is a score "
                "(higher is better); take another heuristic or frontier"
            )

    def from_board(self, board: Board) -> Problem:
        """Return the same problem with another board of the same shape, without the checks.

        Call this only on a problem that was not searched, because a search stores values that depend on the board.
        """
        problem = Problem.__new__(Problem)
        vars(problem).update(vars(self), board=board)
        return problem

    def _check_backwards(self) -> None:
        """Raise a UsageError if the domain or the heuristic does not support a search from the goals."""
        name, domain, heuristic = self.frontier.name, self.domain, self.heuristic
        if not domain.has_inverse:
            lacking = f"{domain.name} does not list predecessors (Domain.inverse)"
        elif domain.component.goals is None:
            lacking = f"{domain.name} does not list its goals (Domain.goals)"
        elif self.estimates and heuristic.component.between is None:
            lacking = f"{heuristic.name} has no estimate from one board to another (Heuristic.between)"
        else:
            return
        raise UsageError(f"{name} also searches from the goals, and {lacking}")

    def _check_selects(self) -> None:
        """Raise a UsageError if the domain or the heuristic cannot produce only some successors of a node."""
        name, domain, heuristic = self.frontier.name, self.domain, self.heuristic.component
        form = domain.packed(self.board)
        if form is None:
            lacking = f"{domain.name} has no packed form, which can leave successors out (Domain.packed)"
        elif not form.chooses:
            lacking = f"{domain.name} produces them all: PackedForm.successors does not ask for chosen"
        elif self.estimates and heuristic.incremental is None:
            lacking = f"{self.heuristic.name} evaluates only what was produced (it has no Heuristic.incremental)"
        elif self.estimates and (missing := self._missing_after_moves(form)):
            lacking = f"{self.heuristic.name}.incremental asks for {missing!r}, which {domain} does not offer"
        else:
            return
        raise UsageError(f"{name} produces only the successors whose turn has come, and {lacking}; try pea-star")

    def _missing_after_moves(self, form: PackedForm) -> str:
        """Return the first parameter of the update of h by a move that has no source, or `""`."""
        heuristic, names = self.heuristic.component, NameSpace(self.heuristic.sources(self.board, form))
        of_board = extra_parameters(heuristic.carry, 1) if heuristic.carry else ()
        of_move = extra_parameters(heuristic.incremental, len(heuristic.updated)) if heuristic.incremental else ()
        asked = *of_board, *(one for one in of_move if one.name not in form.move)
        return next((one.name for one in asked if one.default is MISSING and one.name not in names), "")

    def prepare(self) -> None:
        """Build the tables and load the models that the problem needs, before the clock of the search starts.

        Raises:
            UsageError: the file of a model cannot be read.
            PluginError: a table or model cannot be built or loaded.
        """
        own = [self.heuristic] if self.estimates else []
        if own and self.frontier.component.is_bidirectional:
            own.append(self.backwards.heuristic)
        self.domain.prepare(self.board, *own, *self.further)
        if self.estimates:
            self.heuristic.warm_up(self.board, self.batch)

    @property
    def estimates(self) -> bool:
        """Whether the search uses the heuristic."""
        return self.frontier.component.uses_heuristic

    @property
    def sign(self) -> int:
        """The factor of the heuristic's values in h: 1, or -1 for a score, because a lower h is better."""
        return -1 if self.heuristic.prefer == "high" else 1

    @cached_property
    def late(self) -> bool:
        """Whether duplicates are detected when a node is taken rather than when it is generated."""
        return self.batch == 1 and self.frontier.duplicates(self.domain) == "late"

    @cached_property
    def reopens(self) -> bool:
        """Whether a shorter path to a closed node reopens it."""
        reopen = self.frontier.reopen
        if reopen:
            return reopen == "yes"
        return not (self.trusts_consistency if self.frontier.component.is_bidirectional else self._keeps_closed)

    @cached_property
    def _keeps_closed(self) -> bool:
        """Whether the guarantee of a strategy holds although closed nodes are never reopened.

        The proof needs a consistent h, and no better node may wait for evaluation when a node is taken.
        """
        return self.estimates and self.sign == 1 and self.batch == 1 and self.heuristic.consistent

    @property
    def takes_batches(self) -> bool:
        """Whether the strategy allows evaluation in batches: it orders nodes by g and h."""
        component = self.frontier.component
        best_first = component.family == "best-first" and component.run is None
        return self.estimates and best_first and component.container == "heap" and not component.queues

    def in_batches(self, batch: int | None, default: int = 1) -> Problem:
        """Return the problem with the size of batches decided.

        Args:
            batch: the size given by the user, None for the default.
            default: the default; ignored if the heuristic can only be evaluated in batches.

        Raises:
            UsageError: the size is not possible for this problem.
        """
        if batch is not None:
            with_batch = replace(self, batch=batch)
            return with_batch if self.takes_batches else self
        if self.heuristic.component.function is None:
            default = EVALUATION_BATCH
        if default == self.batch or not self.takes_batches or self._late_is_given:
            return self
        return replace(self, batch=default)

    @property
    def _late_is_given(self) -> bool:
        # Given by the user; the domain may only recommend late detection.
        return self.frontier.values.get("duplicates") == "late"

    @cached_property
    def _further_and_places(self) -> tuple[tuple[BoundHeuristic, ...], dict[str, tuple[int, ...]]]:
        """The further heuristics, and for each parameter the indices of its heuristics among the values of a node."""
        further: list[BoundHeuristic] = []
        places: dict[str, tuple[int, ...]] = {}
        if not self.frontier.component.queues or self.frontier.component.is_bidirectional:
            return (), places
        for name, heuristics in self.frontier.heuristics(self.domain).items():
            at: list[int] = []
            for one in heuristics or (self.heuristic,):
                same = (k for k, known in enumerate((self.heuristic, *further)) if is_same(one, known))
                if (k := next(same, None)) is None:
                    further.append(one)
                    k = len(further)
                at.append(OWN_VALUE if k == 0 else len(QUEUE_VALUES) + k - 1)
            places[name] = tuple(at)
        # The values of the start follow the values of the node.
        first = len(QUEUE_VALUES) + len(further)
        starts = {START + name: at for name, at in places.items() if len(at) == 1}
        for name, (k,) in {**starts, START + "h": (OWN_VALUE,)}.items():
            places[name] = (first if k == OWN_VALUE else first + k - len(QUEUE_VALUES) + 1,)
        return tuple(further), places

    @property
    def further(self) -> tuple[BoundHeuristic, ...]:
        """The heuristics by which the frontier orders nodes, besides the heuristic of the problem."""
        return self._further_and_places[0]

    @cached_property
    def queues(self) -> tuple[BoundQueue, ...]:
        """The queues of the frontier; empty if it has one priority."""
        return self.frontier.queues(self._further_and_places[1]) if self.frontier.component.queues else ()

    def by(self, heuristic: BoundHeuristic) -> Problem:
        """Return the problem with another heuristic."""
        return replace(self, heuristic=heuristic)

    @cached_property
    def epsilon(self) -> float:
        """The smallest cost of a move; 0 if unknown."""
        return 1.0 if self.domain.unit_cost else 0.0

    def rounded_up(self, bound: float) -> float:
        """Return the smallest possible solution cost given a lower bound: a whole number if every move costs 1."""
        return ceil(bound - min(ROUNDING * bound, 0.25)) if self.domain.unit_cost and 0 < bound < inf else bound

    @cached_property
    def trusts_consistency(self) -> bool:
        """Whether a state is expanded only by a cheapest path: the heuristic is consistent, or there is none."""
        return not self.estimates or (self.sign == 1 and self.heuristic.consistent)

    @property
    def counts_errors(self) -> bool:
        """Whether a bidirectional search uses the known errors of h, which it may only if h is consistent."""
        return self.frontier.component.is_bidirectional and any("h_back" in queue.places for queue in self.queues)

    @cached_property
    def backwards(self) -> Problem:
        """The problem of the search from the goals, whose heuristic estimates the cost from the start to a state.

        If moves can be undone, the heuristic estimates the equal cost from the state to the start.
        """
        if not self.estimates:
            return self
        is_undone = self.domain.component.inverse == SAME
        return self.by((self.heuristic.towards if is_undone else self.heuristic.away_from)(self.board))

    @cached_property
    def key_of(self) -> Callable[[State], Hashable] | None:
        """The function that returns the key of a state, by which a search recognises it; None if states are keys."""
        return key_function(self.board)

    @cached_property
    def estimator(self) -> Callable[[State], float]:
        """A faster `estimate` for the many states of a search; call it within the context of `arithmetic`."""
        heuristic, start = self.heuristic, self.board
        function = heuristic.on_state(start)
        if function is None:
            return self.estimate
        state: State = start

        def failed(error: BaseException) -> EvaluationError:
            return EvaluationError(f"heuristic {heuristic.name}: {in_one_line(error)}", state)

        value_of = PluginCode(failed).guard(function)
        is_high, is_deepening = heuristic.prefer == "high", self.frontier.component.family == "deepening"
        shape, least_int = start.shape if isinstance(start, Board) else None, -LARGEST_INT

        def estimate(asked: State) -> float:
            nonlocal state
            if shape is None:
                subject = asked
            elif asked.shape is shape or asked.shape == shape:
                subject = asked.view()
            else:
                return self.estimate(asked)
            state = asked
            value = value_of(subject)
            kind = value.__class__
            if kind is not float:
                if kind is not int or not least_int < value < LARGEST_INT:
                    try:
                        value = exact_number(value)
                    except NoNumber as error:
                        raise EvaluationError(f"heuristic {heuristic.name} returned {error}", asked) from error
                value = float(value)
            h: float = -value if is_high else value
            return self.checked(h, asked) if h != h or is_deepening else h

        return estimate

    def estimate(self, board: Board) -> float:
        """Return h of a board; lower is better, infinite means a dead end.

        Raises:
            EvaluationError: the heuristic raised an exception, or its value is not a number.
        """
        return self.checked(estimate_of(self.heuristic, board), board)

    @cached_property
    def start_h(self) -> float:
        """The value of `estimate` for the start, computed once."""
        return self.estimate(self.board)

    def estimate_start(self) -> float:
        """Return h of the start; h may be negative if the start is a goal."""
        h = estimate_of(self.heuristic, self.board)
        return h if h < 0 and self.domain.is_goal(self.board) else self.checked(h, self.board)

    def checked(self, h: float, board: Board) -> float:
        """Return h; raise an EvaluationError if a search cannot use it."""
        if isnan(h):
            raise EvaluationError(f"heuristic {self.heuristic.name} returned NaN, which is not an estimate", board)
        if h < 0 and self.frontier.component.family == "deepening":
            raise EvaluationError(
                f"heuristic {self.heuristic.name} returned {h:g}, and {self.frontier.name} needs estimates >= 0",
                board,
            )
        return h

    def largest_within(self, bound: float) -> float:
        """Return the largest g + h within a bound, allowing for rounding unless every move costs 1."""
        # The allowance is less than 1/2, so that whole numbers are compared exactly.
        return bound if self.domain.unit_cost else bound + min(ROUNDING * bound, 0.25)

    @property
    def drops_from(self) -> float:
        """The g + h from which on nodes are dropped before there is a solution: anything above the cost limit."""
        limit = self.frontier.cost_limit
        return inf if limit == inf else nextafter(self.largest_within(limit), inf)

    def below(self, cost: float) -> float:
        """Return the smallest g + h that is not cheaper than this cost, allowing for rounding."""
        return cost if self.domain.unit_cost or cost == inf else cost - min(ROUNDING * cost, 0.25)

    def counted(self, h: float) -> float:
        """Return the part of h that counts in a lower bound: h if it is declared admissible, else 0."""
        return h if self.counts_h else 0.0

    @cached_property
    def counts_h(self) -> bool:
        """Whether h counts in lower bounds: it is stored for open nodes, and declared admissible."""
        return self.estimates and self._is_admissible and self.frontier.component.container != "lifo"

    @cached_property
    def lower_bound(self) -> float:
        """The domain's lower bound on the solution cost from the start, or 0 if unknown."""
        bound = self.domain.lower_bound(self.board)
        return bound if bound > 0 else 0.0

    def guaranteed(self, cost: float, goal: Board | None = None, *, exact: bool = True) -> float:
        """Return the guaranteed bound on the first solution: its cost is at most this factor times the optimum.

        The factor is infinite if the guarantee of the strategy does not apply.

        Args:
            cost: the cost of the solution.
            goal: the goal in which the solution ends; None if no h was below 0.
            exact: whether the search computed exactly this cost.
        """
        guarantee = self.frontier.guarantee
        applies = (exact and self._reopens_enough) and (
            guarantee == "always"
            or (guarantee == "unit-cost" and self.domain.unit_cost)
            or (guarantee == "admissible" and self._is_admissible and self._is_last(cost, goal))
        )
        return self.frontier.within if applies else inf

    @property
    def _reopens_enough(self) -> bool:
        """Whether the search reopens all nodes that the guarantee of the strategy needs reopened."""
        component = self.frontier.component
        if not component.has_options or self.reopens:
            return True
        return component.reopen != "yes" and (self._keeps_closed or not self.estimates)

    @property
    def _is_admissible(self) -> bool:
        return self.heuristic.admissible and self.sign == 1

    def _is_last(self, cost: float, goal: Board | None) -> bool:
        # A goal with a negative h would be taken before cheaper ones.
        return goal is None or not self.estimates or not exceeds(cost, cost + self.estimate(goal))

    def complete(self, dead_ends: int) -> bool:
        """Return whether a search that ran out of nodes has proved that there is no solution.

        Args:
            dead_ends: the number of successors left out because their h was infinite.
        """
        trusted = not dead_ends or self._is_admissible
        return self.frontier.component.is_complete and trusted
