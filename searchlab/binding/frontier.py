"""`BoundFrontier`: a frontier strategy with parameter values."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound, NoNumber, fill_arguments, number
from searchlab.errors import PluginCode, PluginError, shown
from searchlab.errors.cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.results import Outcome
    from searchlab.model.strategies import Frontier


class BoundFrontier(Bound):
    """A frontier strategy with parameter values: priorities of nodes, or a loop of its own."""

    component: Frontier

    @cached_property
    def priority_values(self) -> tuple[Any, ...]:
        """The values of the priority function's parameters after g and h."""
        function = self.component.priority
        return tuple(fill_arguments(self.name, function, 2, self.values).values()) if function else ()

    @cached_property
    def priority(self) -> Callable[[float, float], float]:
        """The priority of a node, by its g and h; smaller is taken first."""
        function, values = self.component.priority, self.priority_values
        assert function is not None
        with_values = (lambda g, h: function(g, h, *values)) if values else function

        def converted(g: float, h: float, value: Any) -> float:
            try:
                return number(value)
            except NoNumber as error:
                msg = f"frontier {self.name}: the priority of g = {g:g}, h = {h:g} is {error}"
                raise PluginError(msg) from error

        return PluginCode(partial(self._failed, function)).guard(with_values, 2, float, converted)

    def run(self, problem: object, watch: object) -> Outcome:
        """Run the strategy's own loop on a Problem, within the limits of a Watch."""
        assert self.component.run is not None
        arguments = fill_arguments(self.name, self.component.run, 2, self.values)
        outcome: Outcome = self.component.run(problem, watch, **arguments)
        return outcome

    def duplicates(self, domain: BoundDomain) -> str:
        """Return "early" or "late": when this search detects duplicates."""
        if not self.component.has_options:
            return "early"
        return self.values["duplicates"] or domain.component.defaults.duplicates

    @property
    def takes_first_sibling(self) -> bool:
        """Whether the first successor of a node counts as its newest, instead of the last."""
        return self.values.get("siblings") == "first"

    @property
    def reopen(self) -> str:
        """Whether a shorter path to a closed node reopens it: "yes", "no", or "" if it depends on the heuristic."""
        return self.values["reopen"] if self.component.has_options else "no"

    @property
    def ties(self) -> str:
        """Which of the nodes with equal priorities is taken first: "low-h", "high-h", or "none"."""
        return self.values["ties"] if self.component.has_options else "none"

    @property
    def order(self) -> str:
        """Which of the nodes that are equal in this, too, is taken first: "newest", "oldest" or "random"."""
        return self.values["order"] if self.component.has_options else "newest"

    @property
    def uses_seed(self) -> bool:
        """Whether the order of nodes depends on the option `seed`, or on a parameter of that name."""
        return super().uses_seed and (self.order == "random" or self.component.has_own_seed)

    @property
    def takes_batches(self) -> bool:
        """Whether nodes of the best class are taken together.

        This is so where the strategy follows the smallest f that can be proved. Elsewhere the successors of one node
        of a class are often better than the rest of it, and the rest would be expanded in vain.
        """
        component = self.component
        return component.has_options and component.optimal_with in ("always", "admissible") and component.within == 1

    @property
    def has_closed(self) -> bool:
        """Whether a beam enters states of earlier layers again by cheaper paths only."""
        return self.values.get("closed") == "yes"

    @property
    def guarantee(self) -> str:
        """The condition under which the first solution is optimal, or within a factor; see `Frontier.optimal_with`."""
        return self.component.optimal_with

    @cached_property
    def within(self) -> float:
        """The factor of the optimum within which the first solution is then; see `Frontier.within`."""
        stated = self.component.within
        factor = self._wrap(stated, 0)() if callable(stated) else stated
        try:
            if (found := number(factor)) >= 1:
                return found
        except NoNumber:
            pass
        raise PluginError(f"{self.name}: within returned {shown(factor)}; it returns a factor of 1 or more")
