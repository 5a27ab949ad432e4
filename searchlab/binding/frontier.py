"""`BoundFrontier`: a frontier strategy with parameter values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import Bound, NoNumber, fill_arguments, number
from searchlab.errors import PluginCode, PluginError, UsageError, did_you_mean, shown
from searchlab.errors.cached import cached_property
from searchlab.model.strategies import END_VALUES, LEAST_VALUES, QUEUE_VALUES, START, names_asked

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.model.results import Outcome
    from searchlab.model.strategies import FinishedIteration, Frontier


class NodeFunction(NamedTuple):
    """A function of a node's values, with the values of its strategy's parameters.

    Attributes:
        function: a priority, or a condition; None for g + h.
        places: where among a node's values each argument is found that it asks for.
        arguments: its other arguments.
        key: its value from a node's values, which begin with those named by QUEUE_VALUES, or in a bidirectional search
            by END_VALUES.
    """

    function: Callable[..., float] | None
    places: Mapping[str, int]
    arguments: Mapping[str, Any]
    key: Callable[[Sequence[float]], float]


class BoundQueue(NamedTuple):
    """One order of the open nodes, with the values of its strategy's parameters; see `Queue`.

    Attributes:
        function: the priority, None for g + h.
        places, arguments, key: see NodeFunction.
        share, focal: as numbers; `focal` is 0 where all nodes may be taken.
        types: where among a node's values those are that tell its type; None where nodes are taken by priority.
        of: the number of the queue by whose priority `focal` tells nodes, -1 for g + h.
        when: the condition on which it gives a node, None for always.
    """

    function: Callable[..., float] | None
    places: Mapping[str, int]
    arguments: Mapping[str, Any]
    key: Callable[[Sequence[float]], float]
    share: float
    focal: float
    types: tuple[int, ...] | None = None
    of: int = -1
    when: NodeFunction | None = None

    @property
    def all_places(self) -> Mapping[str, int]:
        """Where the values are that its priority and its condition ask for."""
        return {**self.places, **(self.when.places if self.when else {})}

    @property
    def changes(self) -> bool:
        """Whether the priority of a node changes while it waits."""
        return not {"f_min", "incumbent"}.isdisjoint(self.places)


def _sum(values: Sequence[float]) -> float:
    return values[0] + values[1]


@dataclass(frozen=True, eq=False, repr=False)
class BoundFrontier(Bound):
    """A frontier strategy with parameter values: priorities of nodes, or a loop of its own.

    Attributes:
        find: returns the heuristics that a parameter of this name names, on a domain; empty where it names none.
    """

    component: Frontier
    find: Callable[[str, BoundDomain], tuple[BoundHeuristic, ...]] | None = None

    def heuristics(self, domain: BoundDomain) -> dict[str, tuple[BoundHeuristic, ...]]:
        """Return the further heuristics that its priorities ask for, by the parameters that name them.

        A parameter that names none stands for the search's own heuristic.

        Raises:
            UsageError: a name is unknown, or a heuristic is not made for the domain.
        """
        naming = [parameter.name for parameter in self.component.own_parameters() if parameter.names_heuristics]
        return {name: self.find(name, domain) if self.find else () for name in naming}

    def queues(self, places: Mapping[str, tuple[int, ...]]) -> tuple[BoundQueue, ...]:
        """Return the queues.

        Args:
            places: where among a node's values those of heuristics are, by the parameters that name them.

        Raises:
            UsageError, PluginError: a share or a factor is none.
        """
        if self.component.is_bidirectional:
            values = {name: k for k, name in enumerate(END_VALUES)}
            of_nodes = (self._of_nodes("a priority", queue.priority, values) for queue in self.component.queues)
            return tuple(BoundQueue(*one, share=1.0, focal=0.0) for one in of_nodes)
        found: list[BoundQueue] = []
        followed: list[Callable[..., float] | None] = []
        lists = {parameter.name for parameter in self.component.own_parameters() if parameter.kind == "heuristics"}
        for queue in self.component.queues:
            if queue.types is not None:
                at = {**{name: (k,) for k, name in enumerate(QUEUE_VALUES)}, **places}
                told = dict.fromkeys(place for name in queue.types for place in at[name])
                share = self._factor("share", queue.share, 0)
                found.append(BoundQueue(None, {}, {}, _sum, share, 0.0, tuple(told)))
                followed.append(None)
                continue
            listed = next((name for name in queue.asked if name in lists), "")
            share = self._factor("share", queue.share, 0)
            focal = 0.0 if queue.focal is None else self._factor("focal", queue.focal, 1)
            known = {**{name: k for k, name in enumerate(QUEUE_VALUES)}, **{name: at[0] for name, at in places.items()}}
            for place in places[listed] if listed else (0,):
                if listed:
                    known[listed] = place
                function, asked, given, key = self._of_nodes("a priority", queue.priority, known)
                when = self._of_nodes("a condition", queue.when, known) if queue.when else None
                limit = 0.0 if focal == inf else focal
                found.append(BoundQueue(function, asked, given, key, share, limit, when=when))
                followed.append(queue.of)
        for k, of in enumerate(followed):
            if of is not None:
                number = next(n for n, one in enumerate(found) if one.function == of and not one.focal)
                found[k] = found[k]._replace(of=number)
        if not any(queue.share > 0 and queue.when is None for queue in found):
            raise UsageError(f"{self.name}: no queue has a share of the nodes")
        if self.component.choose == "alternate" and any(queue.share != int(queue.share) for queue in found):
            raise UsageError(f"{self.name}: a queue gives a whole number of nodes in its turn")
        return tuple(found)

    def _of_nodes(self, what: str, function: Callable[..., float] | None, known: Mapping[str, int]) -> NodeFunction:
        """Return a function of a node's values.

        Args:
            what: what it is, for messages.
            known: where among a node's values each is.
        """
        if function is None:
            return NodeFunction(None, {}, {}, _sum)
        asked = names_asked(function)
        places = {name: known[name] for name in asked if name in known}
        given = {name: self.values[name] for name in asked if name not in places and name in self.values}
        plain, named = partial(function, **given), tuple(places.items())

        def value(values: Sequence[float]) -> float:
            return plain(**{name: values[k] for name, k in named})

        def converted(values: Sequence[float], found: Any) -> float:
            try:
                priority = number(found)
            except NoNumber as error:
                raise PluginError(f"frontier {self.name}: {what} is {error}") from error
            if priority != priority:
                of = ", ".join(f"{name} = {values[k]:g}" for name, k in named)
                raise PluginError(f"frontier {self.name}: {what} of {of} is NaN")
            return priority

        contained = PluginCode(partial(self._failed, function))

        def key(values: Sequence[float]) -> float:
            with contained:
                found = value(values)
            return found if type(found) is float and found == found else converted(values, found)

        return NodeFunction(function, places, given, key)

    @cached_property
    def bound(self) -> float:
        """The factor within which a solution has to be for the search to end; see `Frontier.bound`."""
        return self._factor("bound", self.component.bound, 1)

    @property
    def least_asked(self) -> tuple[str, ...]:
        """The values of LEAST_VALUES that the lower bound of a bidirectional search asks for."""
        function = self.component.lower_bound
        return tuple(name for name in names_asked(function) if name in LEAST_VALUES) if function else ()

    @cached_property
    def lower_bound(self) -> Callable[[Mapping[str, Any]], float]:
        """The lower bound of a bidirectional search, from the values named by LEAST_VALUES."""
        function = self.component.lower_bound
        assert function is not None
        asked, places = names_asked(function), self.least_asked
        given = {name: self.values[name] for name in asked if name not in LEAST_VALUES and name in self.values}
        contained = PluginCode(partial(self._failed, function))

        def bound(values: Mapping[str, Any]) -> float:
            with contained:
                found = function(**{name: values[name] for name in places}, **given)
            try:
                cost = number(found)
            except NoNumber as error:
                raise PluginError(f"frontier {self.name}: its lower bound is {error}") from error
            if cost != cost:
                raise PluginError(f"frontier {self.name}: its lower bound is NaN")
            return cost

        return bound

    @cached_property
    def cost_limit(self) -> float:
        """The cost that no solution exceeds; see `Frontier.cost_limit`."""
        return self._factor("cost_limit", self.component.cost_limit, 0)

    def _factor(self, field: str, stated: Any, least: float) -> float:
        """Return a number that a field states, or a function of the parameters that it is."""
        factor = self._wrap(stated, 0)() if callable(stated) else stated
        try:
            if (found := number(factor)) >= least:
                return found
        except NoNumber:
            pass
        raise PluginError(f"{self.name}: {field} returned {shown(factor)}; it returns a number of {least} or more")

    def restarted(self) -> BoundFrontier | None:
        """Return the strategy with the parameters of its next round, None if there is none.

        Raises:
            PluginError: the function that changes them fails, or returns something else.
        """
        function = self.component.restart
        changed = None if function is None else self._wrap(function, 0)()
        if changed is None:
            return None
        try:
            given = dict(changed)
        except (TypeError, ValueError):
            raise PluginError(f"{self.name}: restart returned {shown(changed)}; it returns a dict, or None") from None
        unknown = next((name for name in given if name not in self.values), None)
        if unknown is not None:
            raise PluginError(f"{self.name}: restart changes {unknown!r}: {did_you_mean(str(unknown), self.values)}")
        return replace(self, values={**self.values, **given})

    def thresholds(self, start_h: float) -> Generator[tuple[float, float], FinishedIteration, None] | None:
        """Return the generator of the thresholds of a search, each with the most expansions; None without a rule."""
        function = self.component.thresholds
        if function is None:
            return None
        return self._thresholds(function, fill_arguments(self.name, function, 0, {START + "h": start_h}, self.values))

    def _thresholds(
        self, function: Callable[..., Any], arguments: Mapping[str, Any]
    ) -> Generator[tuple[float, float], FinishedIteration, None]:
        contained = self._contained(function)
        with contained:
            rule = function(**arguments)
        if not hasattr(rule, "send"):
            raise PluginError(f"{self.name}: thresholds returned {shown(rule)}, not a generator")
        done = None
        while True:
            with contained:
                try:
                    given = rule.send(done)
                except StopIteration:
                    return
            done = yield self._threshold(given)

    def _threshold(self, given: Any) -> tuple[float, float]:
        """Return a threshold that a rule yields, and the most expansions."""
        pair = given if isinstance(given, tuple) and len(given) == 2 else (given, inf)
        try:
            limit, expansions = number(pair[0]), number(pair[1])
        except NoNumber as error:
            raise PluginError(f"{self.name}: thresholds yields {error}") from error
        if limit != limit or not expansions >= 1:
            wanted = "a threshold, or a pair of it and the most expansions, at least 1"
            raise PluginError(f"{self.name}: thresholds yields {shown(given)}; it yields {wanted}")
        return limit, expansions // 1 if expansions < inf else inf

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
        if "duplicates" not in self.values:
            return "early"
        return self.values["duplicates"] or domain.component.defaults.duplicates

    @property
    def takes_first_sibling(self) -> bool:
        """Whether the first successor of a node counts as its newest, instead of the last."""
        return self.values.get("siblings") == "first"

    @property
    def reopen(self) -> str:
        """Whether a shorter path to a closed node reopens it: "yes", "no", or "" if it depends on the heuristic."""
        return str(self.values.get("reopen", "no"))

    @property
    def ties(self) -> str:
        """Which of the nodes with equal priorities is taken first: "low-h", "high-h", or "none"."""
        return self.values["ties"] if self.component.has_order else "none"

    @cached_property
    def order(self) -> str:
        """Which of the nodes that are equal in this, too, is taken first: "newest", "oldest" or "random"."""
        return self.values["order"] if self.component.has_order else "newest"

    @property
    def direction(self) -> str:
        """How a bidirectional search chooses the nodes that it expands; see `Frontier.choose`."""
        return str(self.values.get("direction", self.component.choose))

    @property
    def uses_seed(self) -> bool:
        """Whether the order of nodes depends on the option `seed`, or on a parameter of that name."""
        is_random = self.order == "random" or self.draws
        return super().uses_seed and (is_random or self.component.has_own_seed)

    @property
    def draws(self) -> bool:
        """Whether queues, or nodes of a queue, are drawn at random."""
        component = self.component
        return component.choose == "random" or any(queue.types is not None for queue in component.queues)

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
    def table(self) -> int:
        """How many states the transposition table of iterative deepening holds."""
        return int(self.values.get("table", 0))

    @property
    def guarantee(self) -> str:
        """The condition under which the first solution is optimal, or within a factor; see `Frontier.optimal_with`."""
        return self.component.optimal_with

    @cached_property
    def within(self) -> float:
        """The factor of the optimum within which the first solution is then; see `Frontier.within`."""
        return self._factor("within", self.component.within, 1)
