"""Results of a search: `Statistics`, the `Outcome` of a search loop, and the `Result` that users see."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, inf
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.errors import UsageError
from searchlab.model.formatting import counted, duration, memory, rounded, value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from searchlab.board.board import Board
    from searchlab.model.display import Display
    from searchlab.model.instance import Instance
    from searchlab.model.states import State

    Value = float | str | bool | None

STATUSES = (
    "solved",
    "unsolvable",
    "exhausted",
    "time-limit",
    "memory-limit",
    "expansion-limit",
    "interrupted",
    "error",
)
LIMITED = ("time-limit", "memory-limit", "expansion-limit", "interrupted")
"""The statuses of searches that were ended from outside."""
ENDINGS = ("solution", "proof", "exhausted", *LIMITED, "error")
"""The reasons for which a search ended, see `Result.ended_by`."""


@dataclass
class Statistics:
    """The figures of a search.

    Attributes:
        expanded: the number of nodes whose successors were produced.
        expanded_backward: the number of them that a bidirectional search expanded from the goals.
        generated: the number of successors produced, except moves straight back to the parent.
        evaluated: the number of calls of the heuristic.
        reopened: the number of closed nodes put back on the open list.
        duplicates: the number of nodes dropped because their state was closed already (late detection).
        dead_ends: the number of successors dropped because of an infinite h.
        stored: the number of nodes kept.
        max_open: the largest number of nodes on the open list.
        peak_bytes: the largest number of bytes that the search held.
        best_h: the smallest h so far; the h of a score is its negative.
    """

    expanded: int = 0
    expanded_backward: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    duplicates: int = 0
    dead_ends: int = 0
    stored: int = 0
    max_open: int = 0
    peak_bytes: int = 0
    best_h: float = inf


@dataclass(frozen=True)
class Outcome:
    """The return value of a search loop.

    Attributes:
        status: one of STATUSES; `exhausted` if no node is left to expand.
        statistics: the figures of the search.
        path: the states from the start to the goal, empty without a solution; or a function that returns them. The time
            of this function is not part of the search time.
        cost: the solution cost according to the search, or None. It must agree with the domain's rules.
        least_f: a function that returns the smallest g + h of everything that was not searched: open nodes, dropped
            paths to closed states that were cheaper, and nodes that were cut off. No undiscovered solution costs less,
            if the heuristic is admissible; otherwise h must not count. Infinite if nothing is left, None if unknown.
        met_at: the number of moves before the point at which the two directions of a bidirectional search met; None for
            other searches and without a solution.
        met_cost: the cost of these moves according to the search.
        release: a function that is called after `path` and `least_f` have been read, so that the memory can serve
            another search. None if there is nothing to release.
    """

    status: str
    statistics: Statistics
    path: Sequence[State] | Callable[[], Sequence[State]] = field(default_factory=list)
    cost: float | None = None
    least_f: Callable[[], float] | None = None
    release: Callable[[], None] | None = None
    met_at: int | None = None
    met_cost: float | None = None

    def states(self) -> Sequence[State]:
        """Return the states from the start to the goal."""
        return self.path() if callable(self.path) else self.path


class OnDemand:
    """A dataclass field that may be given as a function, which is called when the field is first read.

    Args:
        default: the default of the field.
    """

    def __init__(self, default: Any) -> None:
        self._default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        if instance is None:
            return self._default
        value = vars(instance)[self._name]
        if callable(value):
            value = vars(instance)[self._name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        vars(instance)[self._name] = value


class _LooksWhenCopied:
    """A base of dataclasses with fields on demand: a copy, even in another process, has the values of these fields."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in vars(self)}

    def unread(self, name: str) -> Any:
        """Return the value of a field on demand, or the function that returns it if the field has not been read yet."""
        value = vars(self)[name]
        return (lambda: getattr(self, name)) if callable(value) else value


@dataclass(frozen=True, repr=False)
class Improvement(_LooksWhenCopied):
    """A solution that is cheaper than all solutions found before it.

    Attributes:
        seconds: the time at which the solution was found, in seconds since the search began; ignored by comparisons.
        expanded: the number of nodes expanded by then.
        cost: the solution cost.
        actions: the moves; may be given as a function that returns them.
        states: the states, start first; may be given as a function.
        moves: the number of moves.
    """

    seconds: float = field(compare=False)
    expanded: int
    cost: float
    actions: tuple[str, ...] = OnDemand(())  # type: ignore[assignment]
    states: tuple[State, ...] = OnDemand(())  # type: ignore[assignment]
    moves: int = 0

    def __repr__(self) -> str:
        return f"<Improvement: {self}>"

    def __str__(self) -> str:
        moves = "" if self.cost == self.moves else f", {counted(self.moves, 'move')}"
        return f"cost {value(self.cost)}{moves} after {duration(self.seconds)}, {self.expanded:,} expanded"

    def figures(self) -> dict[str, float]:
        """Return time, expansions and cost as plain values."""
        return {"seconds": self.seconds, "expanded": self.expanded, "cost": self.cost}


class Iteration(NamedTuple):
    """The work of one iteration of a search, or of a best-first search on all nodes with the same f.

    Attributes:
        limit: the iteration's bound on g + h, or its width; for a best-first search f = g + h; for a bidirectional
            search the lower bound.
        expanded, generated: the number of nodes expanded and generated in this iteration, or with this f.
    """

    limit: float
    expanded: int
    generated: int


@dataclass(frozen=True, repr=False)
class Result(_LooksWhenCopied):
    """The result of a search.

    Attributes:
        status: `solved`, `unsolvable` (proved), `exhausted`, `time-limit`, `memory-limit`, `expansion-limit`,
            `interrupted` or `error`. Once there is a solution, the status is `solved` whatever ended the search, except
            for an error.
        ended_by: why the search ended:

            - `solution`: at its first solution, or at one that is good enough.
            - `proof`: nothing that is left can be cheaper, or there is no solution.
            - `exhausted`: no node is left to expand, but this proves nothing.
            - `time-limit`, `memory-limit`, `expansion-limit`: a limit was reached.
            - `interrupted`: the user interrupted it.
            - `error`: it failed.

        reason: one line with the reason, if the status does not say enough.
        moves: the number of moves of the solution; None without a solution.
        cost: the solution cost; None without a solution.
        actions: the names of the solution's moves.
        states: the states of the solution, start first; empty without a solution.
        boards: the same, if states are boards; otherwise a UsageError.
        solutions: every Improvement: each solution that was cheaper than all before it. The last one is the solution of
            this result. A search that ends at its first solution has one.
        layers: the work of each Iteration: for deepening searches and anytime beams by iteration, for best-first
            searches by f, for bidirectional searches by lower bound. Empty for other searches, and if f or the bound is
            not always an integer from 0 to 4,095.
        labels: the states as texts; without a solution only the start. Empty if states are boards.
        optimal: whether the solution is proved to be optimal.
        lower_bound: the proved lower bound on the solution cost; None after an error and if there is no solution.
        bound: the proved bound on cost / optimal cost, 1 for an optimal solution; None if nothing is proved.
        bound_by: the source of `bound`: "search" (cost / lower_bound), "domain" (the same with the domain's own lower
            bound), "weight" (the guarantee of the strategy), or `""`.
        met_at: the index in `states` at which the two directions of a bidirectional search met; else None.
        met_cost: the cost of the moves before `met_at`.
        expanded, expanded_backward, generated, evaluated, reopened, duplicates, stored, max_open: see `Statistics`.
        seconds, cpu_seconds: wall time and processor time (user and system) of the search alone.
        peak_bytes: the largest number of bytes that the search held.
        start: the start state, a board in most domains.
        domain, heuristic, frontier: the names, with parameters that differ from the defaults. The heuristic is `""` if
            the frontier uses none.
        engine: "compiled" or "readable".
        batch: the number of nodes expanded before their successors were evaluated together; 1 for each at once.
        versions: the versions of searchlab and of the libraries it computes with.
        metrics: the values of plugins' metrics by name; None for a missing value.
        instance: the instance with the static data of the search; None if there are none.
        direction: whether higher or lower values of the heuristic are better, in words, if a parameter decides this;
            else `""`.
    """

    status: str
    start: State
    domain: str
    heuristic: str
    frontier: str
    reason: str = ""
    moves: int | None = None
    cost: float | None = None
    actions: tuple[str, ...] | None = OnDemand(None)  # type: ignore[assignment]
    states: tuple[State, ...] = OnDemand(())  # type: ignore[assignment]
    optimal: bool = False
    lower_bound: float | None = None
    bound: float | None = None
    bound_by: str = ""
    ended_by: str = ""
    solutions: tuple[Improvement, ...] = ()
    layers: tuple[Iteration, ...] = OnDemand(())  # type: ignore[assignment]
    met_at: int | None = None
    met_cost: float | None = None
    expanded: int = 0
    expanded_backward: int = 0
    generated: int = 0
    evaluated: int = 0
    reopened: int = 0
    duplicates: int = 0
    stored: int = 0
    max_open: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_bytes: int = 0
    engine: str = "compiled"
    batch: int = 1
    versions: dict[str, str] = field(default_factory=dict)
    metrics: Mapping[str, Value] = field(default_factory=dict)
    instance: Instance | None = None
    direction: str = ""
    labels: tuple[str, ...] = ()

    @property
    def boards(self) -> tuple[Board, ...]:
        """The boards of the solution; `boards[0]` is the start. Empty without a solution.

        Raises:
            UsageError: the states are not boards.
        """
        from searchlab.model.states import is_board, kind_of  # late: it imports NumPy

        if self.states and not is_board(self.start):
            raise UsageError(f"result.boards: the states of {self.domain} are {kind_of(self.start)}; use result.states")
        return self.states

    def __repr__(self) -> str:
        took = [f"{self.expanded:,} expanded", duration(self.seconds)] if self.stored else []
        return f"<Result: {self._display().line(*search_setting(self)[:3], *took)}>"

    def __str__(self) -> str:
        return self._display().text()

    def _repr_html_(self) -> str:
        return self._display().html()

    def _display(self) -> Display:
        from searchlab.model.display import Display

        return Display(
            search_headline(self),
            search_setting(self),
            search_figures(self),
            self.states or (self.start,),
            self.actions or (),
            self.reason if self.status == "error" else "",
            self.labels,
        )

    @classmethod
    def of_fields(cls, **fields: Any) -> Result:
        """Return a result with all its fields given.

        The constructor of a frozen dataclass sets each field by a call, which takes 10 µs.
        """
        result = cls.__new__(cls)
        vars(result).update(fields)
        return result

    def with_metrics(self, metrics: Mapping[str, Value]) -> Result:
        """Return the result with the values of metrics."""
        return Result.of_fields(**{**vars(self), "metrics": metrics})

    def as_dict(self) -> dict[str, Any]:
        """Return the fields as plain values, as in `searchlab solve --json` and in the rows of tables."""
        hidden = ("start", "states", "labels", "instance", "direction")
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__ if name not in hidden}
        solutions = [solution.figures() for solution in self.solutions]
        told = {"solutions": solutions, "layers": [layer._asdict() for layer in self.layers]}
        return {**fields, "actions": None if self.actions is None else list(self.actions), **told}


def counts(statistics: Statistics) -> dict[str, Any]:
    """Return the statistics that are fields of a Result."""
    found = {**vars(statistics)}
    del found["dead_ends"], found["best_h"]
    return found


def search_headline(result: Result, *, within: str = "", known_optimum: float | None = None) -> str:
    """Return the outcome of a search, in one line.

    Args:
        result: the result of the search.
        within: how far the limit went that was reached, if any; by default the duration is given.
        known_optimum: the optimal solution cost, if known.
    """
    from searchlab.model.costs import is_known_cost

    within = within or duration(result.seconds)
    if result.moves is not None and result.cost is not None:
        cost = "" if result.cost == result.moves else f", cost {value(result.cost)}"
        quality = quality_of(result.optimal, result.bound)
        if known_optimum is not None and not is_known_cost(result.cost, known_optimum):
            quality += f" (the known optimum is {value(known_optimum)})"
        elif known_optimum is not None and not result.optimal:
            quality += f" ({value(known_optimum)} is the known optimum)"
        solution = f"{counted(result.moves, 'move')}{cost}, {quality}"
        if result.status == "error":
            return f"the search ended with an error; its best solution by then: {solution}"
        ended = f"; {result.ended_by} after {within}" if result.ended_by in LIMITED and not result.optimal else ""
        return f"solved in {solution}{ended}"
    if result.status == "error":
        return "no result: the search ended with an error"
    least = f"; none costs less than {value(result.lower_bound)}" if result.lower_bound else ""
    if result.status == "exhausted":
        return f"exhausted: no solution found, but this search does not exclude that there is one{least}"
    reason = (result.reason or "no solution").splitlines()[0]
    if result.status not in LIMITED:
        return f"{result.status}: {reason}"
    hung = f"; {reason}" if result.reason else ""
    return f"{result.status}: no solution found within {within}{hung}{least}"


def quality_of(optimal: bool, bound: float | None) -> str:
    """Return in words what is proved of the cost of a solution.

    >>> quality_of(False, 1.2501), quality_of(False, None), quality_of(True, 1.0)
    ('at most 1.26 × the optimum', 'not proved optimal', 'optimal')
    """
    if optimal or bound is None:
        return "optimal" if optimal else "not proved optimal"
    return f"at most {ceil(100 * bound - 1e-6) / 100:,.2f} × the optimum"


def search_setting(result: Result) -> list[str]:
    """Return the names of the components and other settings of a search."""
    batches = [f"batches of {result.batch:,}"] if result.batch > 1 else []
    heuristics = [heuristic_taken(result)] if result.heuristic else []
    return [result.domain, *heuristics, result.frontier, f"{result.engine} engine", *batches]


def heuristic_taken(result: Result) -> str:
    """Return the name of the heuristic, with the direction of better values if a parameter decides it."""
    return ", ".join(filter(None, (result.heuristic, result.direction)))


def search_figures(result: Result) -> list[list[str]]:
    """Return the counts and times of a search; empty if there was no search."""
    if not result.stored:
        return []
    done = [f"{result.expanded:,} expanded", f"{result.generated:,} generated", f"{result.evaluated:,} evaluated"]
    if result.expanded_backward:
        met = "" if result.met_at is None else f", met after {counted(result.met_at, 'move')}"
        done[0] += f" ({result.expanded_backward:,} backwards{met})"
    if result.reopened:
        done.append(f"{result.reopened:,} reopened")
    if result.duplicates:
        done.append(counted(result.duplicates, "duplicate"))
    done += [f"{result.stored:,} stored", f"at most {result.max_open:,} open"]
    took = [duration(result.seconds)]
    if result.seconds > 0 and result.expanded:
        took.append(f"{rounded(result.expanded / result.seconds)} nodes/s")
    return [done, [*took, memory(result.peak_bytes)]]
