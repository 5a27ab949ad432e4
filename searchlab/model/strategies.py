"""Heuristic, Frontier and Player: the components a search or a game is made of besides its domain."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import chain
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, runtime_checkable

from searchlab.errors import UsageError, shown
from searchlab.model.component import (
    NAMING_ONE,
    Component,
    Declared,
    Parameter,
    check_callable,
    check_choice,
    check_function,
    check_types,
    extra_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Set

    from searchlab.board.board import Board

MISSING = inspect.Parameter.empty
COMBINED = "combined"
"""The attribute of functions that are composed of the functions of several heuristics and a `combine`."""
NEAREST_OF = "nearest_of"
"""The attribute with the `between` of a heuristic from which a function was made."""
ORIGIN = "origin_"
"""The argument name for the state from which an estimate of the cost begins, see `from_origin`."""
ADDED_TO = "added_to"
"""The argument name by which `admissible` asks for the heuristics whose values are added to its own."""
CONTAINERS = ("heap", "fifo", "lifo")
SELECTIVE = "enhanced-partial-expansion"
FAMILIES = (
    *("best-first", "deepening", "beam", "anytime-beam", "rectangle"),
    *("partial-expansion", SELECTIVE, "bidirectional"),
)
GUARANTEES = ("never", "always", "unit-cost", "admissible")
SUPPLIED = ("domain", "random")
"""The names under which a player's functions receive something else than a parameter."""
KEPT = "kept"
"""The name under which they receive what the player keeps."""


MOST_THREADS = 1024
THREADS = Parameter(
    "threads",
    1,
    "how many threads share a large batch",
    check=lambda count: "" if 1 <= count <= MOST_THREADS else f"threads are from 1 to {MOST_THREADS}",
)
"""The parameter of every heuristic with a batch form."""


@runtime_checkable
class ValueNetwork(Protocol):
    """The interface of an NTupleNetwork, returned by a heuristic's `network`: weights for boards of one shape."""

    @property
    def weights(self) -> Any:
        """The concatenated tables, float32."""

    @property
    def tuples(self) -> tuple[tuple[int, ...], ...]:
        """The cells of each table."""

    def check_shape(self, shape: tuple[int, int]) -> None:
        """Raise a UsageError if the network is not for boards of this shape."""


@runtime_checkable
class MoveValues(Protocol):
    """The interface of an Expectimax, which a player's `looks_ahead` returns: the values of the moves from a board."""

    def values(self, board: Board) -> Mapping[str, float]:
        """Return the value of each move from a board by action, in the domain's order."""

    def prepare(self, board: Board) -> None:
        """Compile the functions that values of moves from boards of this shape need."""


class KeptByPlayer(Protocol):
    """The interface of what a player's `keeps` returns."""

    def begin(self, seed: int) -> None:
        """Begin a game, with this seed for random numbers; called before the first move of each game."""


@dataclass(frozen=True)
class Heuristic(Component):
    """An estimate of the cost from a board to a goal, or a score of a board.

    Only `name` and one of `function`, `batch`, `between` and `combine` are needed. Functions get the arguments shown in
    brackets by position. They may ask by name for more: a parameter with a default is a parameter of the heuristic; a
    parameter named like a parameter, a value or static data of the domain gets its value.

    Functions that give the value of the same board must agree; `incremental`, `packed` and `line` must agree with
    `function` to the last bit.

    Attributes:
        name: the name users write.
        function: `(tiles)`: returns the value of a board, a number. `tiles` is an int64 array (rows, columns) of face
            values; the function must not write to it. Infinity means a dead end, NaN is an error. If there is a
            `between` and no `function`, the value is the smallest estimate to a goal that the domain lists.
        domains: the names of the supported domains, empty for all.
        prefer: "low" for an estimate of the cost to go, "high" for a score.
        summary: a one-line description.
        admissible: whether the value never exceeds the optimal solution cost. True holds for unit costs only, if the
            moves of the domain cost 1 unless a parameter says otherwise. For other costs, give a function that returns
            True or False; it asks for parameters by name as `function` does. If this function asks for `added_to=()`,
            it also gets the BoundHeuristics to which this one is added. If any of them counts the same moves, it
            returns False or raises a UsageError with the reason.
        consistent: whether the value never drops by more than the cost of a move; or a function, as for `admissible`.
        aliases: other names.
        parameters: the heuristic's own parameters, if checks or choices are wanted beyond the function's defaults.
        incremental: `(h, …)`: returns the value of a successor, computed from the value `h` of its parent. It asks by
            name for the numbers that describe a move (see `PackedForm.move`). With `carry` it is `(h, carried, …)`: it
            also gets the numbers carried by the parent, and returns the value and the numbers of the successor.
        batch: `(boards)`: returns the values of k boards at once. `boards` is an int64 array (k, rows, columns); the
            function must not write to it. The result is anything that NumPy converts to an array (k,). This form is for
            NumPy, pandas or a neural network; it is never compiled. A heuristic with a batch form has the parameter
            `threads`, the number of threads that share a large batch, even if it does not declare it.
        packed: `(words)`: for experts: returns the value of a packed state (see `PackedForm`), an array of uint64
            words. The function may ask by name for tables of the form, and for `rows`, `columns` and `bits` (the bits
            of a cell). If an argument is not available, `function` is called instead.
        line: `(line)`: returns the value of one row or column, an int64 array (cells,) of face values. The value of a
            board is the sum over its rows, in order, then its columns. For small boards, expectimax tabulates the
            values of all possible lines.
        between: `(tiles, other)`: estimates the cost from one state to another, for bidirectional and backward
            searches. Both are int64 arrays (rows, columns). The smallest estimate over all goals equals `function`. The
            declarations `admissible` and `consistent` hold for `between` too, for every state `other`. Unless moves can
            be undone at the same cost, the estimates from any fixed state must be consistent as well.
        of_points: whether the value estimates the points still to come after a move to the board. Players then add the
            points of the move itself; the value of a finished game is 0.
        network: `()`: returns an NTupleNetwork with the same values, for which expectimax has compiled code.
        carry: `(tiles)`: returns numbers that are kept beside h and updated by each move, such as the indices of a
            board in pattern databases, so that `incremental` is fast. The result is a tuple of integers, or of such
            tuples. How many there are depends on the parameters alone.
        tables: prepared tables by name, as functions `(progress, …)` that return an array of numbers. Functions of the
            heuristic ask for a table by name, and so do those of other tables. A table's function may also ask for
            `domain` (a BoundDomain), the domain's `goals`, `rows` and `columns`. It may call `progress(done, total)`,
            and pass `progress` to `searchlab.distances`. A table is built on first use. It stays in the cache folder
            until its function or an argument changes, and all processes map it read-only.
        combine: `(values)`: returns the value of a heuristic that combines others, in place of `function`. The others
            are named by parameters of the kind "heuristics"; `values` is the tuple of their values. These are integers
            if all their functions are annotated `-> int`. The other forms, `domains`, `prefer` and `of_points` are
            derived from the combined heuristics, which must agree on them. `admissible` and `consistent` may ask for
            such a parameter, and get a tuple of BoundHeuristics.
        models: models that `batch` asks for by name, such as a neural network, as functions that load and return them.
            These functions ask for parameters by name, for example the path of a file. A process loads a model once,
            before the first search or game that needs it, outside the measured time. To warm up, it then calls `batch`
            with one board and with a whole batch.
    """

    name: str
    function: Callable[..., float] | None = None
    domains: Set[str] = frozenset()
    prefer: Literal["low", "high"] = "low"
    summary: str = ""
    admissible: bool | Callable[..., bool] = False
    consistent: bool | Callable[..., bool] = False
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    incremental: Callable[..., Any] | None = None
    batch: Callable[..., Any] | None = None
    packed: Callable[..., float] | None = None
    line: Callable[..., float] | None = None
    of_points: bool = False
    network: Callable[..., ValueNetwork] | None = None
    between: Callable[..., float] | None = None
    carry: Callable[..., tuple[int, ...]] | None = None
    tables: Mapping[str, Callable[..., Any]] = field(default_factory=dict, hash=False)
    combine: Callable[..., float] | None = None
    models: Mapping[str, Callable[..., Any]] = field(default_factory=dict, hash=False)
    subjects: ClassVar[tuple[str, ...]] = ("tiles",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_types(self, bool, "True or False", "of_points")
        for claim in ("admissible", "consistent"):
            if callable(getattr(self, claim)):
                check_function(self, claim)
            else:
                check_types(self, bool, "True, False or a function of its parameters", claim)
        check_choice(self, "prefer", ("low", "high"))
        subjects = {"function": "tiles", "batch": "boards", "packed": "words", "line": "line", "carry": "tiles"}
        for field_, subject in subjects.items():
            check_function(self, field_, subject)
        check_function(self, "incremental", *self.updated)
        check_function(self, "between", "tiles", "other")
        self._derive_function()
        check_function(self, "network")
        self._check_combine()
        if self.between is not None and self.prefer == "high":
            msg = f"Heuristic {self.name!r}: between needs prefer='low', because a score is not a cost"
            raise ValueError(msg)
        if self.of_points and self.prefer != "high":
            msg = f"Heuristic {self.name!r}: of_points needs prefer='high'"
            raise ValueError(msg)
        if self.carry and not self.incremental:
            msg = f"Heuristic {self.name!r}: carry needs incremental(h, carried), which updates the numbers"
            raise ValueError(msg)
        if self.function is None and self.batch is None and self.combine is None:
            msg = f"Heuristic {self.name!r}: it needs a function(tiles), or a batch(boards)"
            raise ValueError(msg)
        if self.function is None and (self.incremental or self.packed or self.line):
            beside = "incremental, packed and line stand beside a function(tiles), not in its place"
            msg = f"Heuristic {self.name!r}: {beside}"
            raise ValueError(msg)

    def _check_combine(self) -> None:
        """Check that a heuristic that combines others names some, and has no values of its own."""
        check_function(self, "combine", "values")
        if self.combine is None:
            return
        if not any(parameter.names_heuristics for parameter in self.parameters):
            msg = f"Heuristic {self.name!r}: combine needs a Parameter(…, kind='heuristics')"
            raise ValueError(msg)
        if not all(getattr(form, COMBINED, False) for form in self.forms):
            msg = f"Heuristic {self.name!r}: combine stands in place of a function, or batch"
            raise ValueError(msg)

    def _derive_function(self) -> None:
        """Make the function from `between` if there is no other, or again if `dataclasses.replace` has changed it."""
        if getattr(self.function, NEAREST_OF, self.between) is not self.between:
            object.__setattr__(self, "function", None)
        if self.between is not None and not self.forms:
            object.__setattr__(self, "function", to_nearest_goal(self.between))

    @property
    def forms(self) -> tuple[Callable[..., Any], ...]:
        """The functions in Python: the function, the batch form, or both."""
        return tuple(form for form in (self.function, self.batch) if form)

    @property
    def may_name(self) -> tuple[str, ...]:
        """The allowed kinds of parameters: a heuristic that combines others may name them."""
        return ("heuristic", "heuristics") if self.combine else ()

    def _parameters_of_forms(self) -> Iterable[Parameter]:
        return extra_parameters(self.combine, 1) if self.combine else super()._parameters_of_forms()

    def own_parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of any component, and `threads` if many boards are evaluated at once."""
        own = super().own_parameters()
        is_shared = self.batch is not None and self.combine is None
        return (*own, THREADS) if is_shared and all(one.name != THREADS.name for one in own) else own

    @property
    def updated(self) -> tuple[str, ...]:
        """The values that `incremental` updates by a move: the value, and the numbers carried beside it."""
        return ("h", "carried") if self.carry else ("h",)


@lru_cache(maxsize=64)
def for_any_goal(heuristic: Heuristic) -> Heuristic:
    """Return a heuristic that uses only `between`, and so is valid for whatever goals the domain lists.

    Raises:
        UsageError: the heuristic has no `between`.
    """
    if heuristic.between is None:
        raise UsageError(
            f"heuristic {heuristic.name} has no estimate from one board to another (Heuristic.between): "
            "it is for the domain's own goal alone"
        )
    if getattr(heuristic.function, NEAREST_OF, None) is heuristic.between:
        return heuristic
    return Heuristic(
        heuristic.name,
        domains=heuristic.domains,
        summary=heuristic.summary,
        admissible=heuristic.admissible,
        consistent=heuristic.consistent,
        aliases=heuristic.aliases,
        parameters=tuple(one for one in heuristic.own_parameters() if one.default is not MISSING),
        between=heuristic.between,
        tables=heuristic.tables,
    )


def is_whole(function: Callable[..., Any] | None) -> bool:
    """Return whether a function is annotated as returning whole numbers."""
    return getattr(function, "__annotations__", {}).get("return") in (int, "int")


def to_nearest_goal(between: Callable[..., float]) -> Callable[..., float]:
    """Return the function of a heuristic that has only `between`: the least estimate to a goal that the domain lists.

    It asks by name for the arguments of `between`, and for `listed_goals`.

    >>> import numpy as np
    >>> def steps(tiles, other, weight=2):
    ...     return weight * abs(tiles[0, 0] - other[0, 0])
    >>> int(to_nearest_goal(steps)(np.array([[3]]), np.array([[[5]], [[4]]])))
    2
    """
    nearest = _made_of(
        between,
        "def made(tiles, listed_goals{listed}):\n"
        "    least = inf\n"
        "    for k in range(len(listed_goals)):\n"
        "        estimate = between(tiles, listed_goals[k]{given})\n"
        "        if not estimate >= least:\n"  # one that is no number comes through, as an error
        "            least = estimate\n"
        "    return least\n",
    )
    setattr(nearest, NEAREST_OF, between)
    return nearest


def from_origin(between: Callable[..., float]) -> Callable[..., float]:
    """Return the estimate of the cost to a state from another one, which the function asks for as ORIGIN.

    >>> def down(tiles, other, weight=2):
    ...     return weight * max(0, other - tiles)
    >>> from_origin(down)(5, origin_=3), from_origin(down)(3, origin_=5)
    (4, 0)
    """
    return _made_of(between, f"def made(tiles, {ORIGIN}{{listed}}):\n    return between({ORIGIN}, tiles{{given}})\n")


def _made_of(between: Callable[..., float], source: str) -> Callable[..., float]:
    """Return the function `made` that a source defines, with the further parameters of `between`."""
    asked = sorted(extra_parameters(between, 2), key=lambda parameter: parameter.default is not MISSING)
    listed = "".join(f", {one.name}" + f"=default_{one.name}" * (one.default is not MISSING) for one in asked)
    given = "".join(f", {one.name}={one.name}" for one in asked)
    scope: dict[str, Any] = {"between": between, "inf": inf, **{f"default_{one.name}": one.default for one in asked}}
    # Its parameters have the names of those of `between`: values are given by name.
    exec(source.format(listed=listed, given=given), scope)
    made: Callable[..., float] = scope["made"]
    made.__name__ = made.__qualname__ = getattr(between, "__name__", made.__name__)
    made.__doc__, made.__module__ = between.__doc__, between.__module__
    if getattr(between, COMBINED, False):
        setattr(made, COMBINED, True)
    return made


QUEUE_VALUES = ("g", "h", "depth", "f_min", "incumbent")
"""What the priority of a queue may ask for by name, besides the strategy's parameters; see `Queue`."""
TYPE_VALUES = QUEUE_VALUES[:3]
"""Those of them by which nodes may be grouped into types: a node's do not change while it waits."""
END_VALUES = (*TYPE_VALUES, "h_back", "epsilon")
"""What the priority of a bidirectional search may ask for by name, besides the strategy's parameters."""
LEAST_VALUES = ("priority", "f", "g", "epsilon")
"""What the lower bound of a bidirectional search may ask for by name, besides the strategy's parameters."""
START = "start_"
"""What the name of a value begins with that the start has; see `Queue`."""
RULES = ("alternate", "random", "first")
DIRECTIONS = ("alternate", "cardinality", "best-first")
"""The rules for the direction of a bidirectional search that gives the next node."""
BOTH_DIRECTIONS = ("pair", "cover")
"""The rules that choose nodes of both directions together."""


@dataclass(frozen=True)
class Queue(Declared):
    """One order of the open nodes, for a strategy that has several. Every open node waits in all queues.

    A node that is taken from one queue leaves the others, too.

    >>> Queue(lambda g, h, weight: g + weight * h).asked
    ('g', 'h', 'weight')

    The priority asks by name for values of a node or of the search:

    - `g`: the cost of the path to the node
    - `h`: the value of the node by the search's heuristic
    - `depth`: the number of moves on the path
    - `f_min`: the smallest g + h of all open nodes
    - `incumbent`: the cost of the best solution so far, infinite before the first
    - a parameter of the strategy: its value
    - a parameter of the kind "heuristic": the value of the node by this heuristic; by the search's heuristic if the
      parameter is `""`
    - a parameter of the kind "heuristics": the same for a list; there is one queue for each heuristic in it
    - `start_h`, or `start_` followed by a parameter of the kind "heuristic": the value of the start

    A score counts as its negative. If a priority asks for `f_min` or `incumbent`, it is computed again whenever that
    number changes, once for all open nodes with equal values.

    Attributes:
        priority: a function of the values above that returns a number. The node with the smallest is taken first. By
            default this is the node with the smallest g + h, which raises the lower bound of the search.
        share: how many nodes the queue gives in its turn (rule "alternate"), or how often it is drawn relative to the
            others (rule "random"). A queue with share 0 gives none. A number, or a function of the strategy's
            parameters.
        focal: a factor, 1 or more: the queue gives only nodes with g + h up to this factor times `f_min` (focal search,
            Pearl and Kim 1982). Infinity excludes nothing. A number, or a function of the strategy's parameters.
        types: the names of values by which nodes are grouped, to draw them at random from the option `seed` instead of
            in an order (type-based exploration, Xie, Müller, Holte and Imai 2014). Open nodes with equal values form a
            type: first a type is drawn, all being equally likely, then one of its nodes. The names are "g", "h",
            "depth", and parameters of the kinds "heuristic" and "heuristics". With `()` all open nodes are equally
            likely.
        of: with focal: the priority of another queue, to be used in place of g + h. The queue then gives only nodes for
            which this priority is at most the factor times its smallest value over all open nodes.
        when: with the rule "first": a condition on the queue's first node, as a function that asks for values like a
            priority. If it returns False, the next queue is asked.
    """

    priority: Callable[..., float] | None = None
    share: float | Callable[..., float] = 1
    focal: float | Callable[..., float] | None = None
    types: tuple[str, ...] | None = None
    of: Callable[..., float] | None = None
    when: Callable[..., bool] | None = None

    def __post_init__(self) -> None:
        for field_ in ("share", "focal"):
            if callable(getattr(self, field_)):
                check_function(self, field_)
        for field_ in ("priority", "of", "when"):
            check_function(self, field_)
        is_share = callable(self.share) or (is_number(self.share) and self.share >= 0)
        if not is_share:
            msg = f"Queue: share={shown(self.share)}; it is a number, 0 or more, or a function of the parameters"
            raise ValueError(msg)
        if self.focal is not None and not callable(self.focal) and not (is_number(self.focal) and self.focal >= 1):
            msg = f"Queue: focal={shown(self.focal)}; it is a factor of 1 or more, or a function of the parameters"
            raise ValueError(msg)
        if self.of is not None and self.focal is None:
            msg = "Queue: of= needs focal="
            raise ValueError(msg)
        if self.types is None:
            return
        if not isinstance(self.types, tuple | list) or not all(isinstance(name, str) for name in self.types):
            msg = f"Queue: types is {shown(self.types)}, not a tuple of names such as ('h', 'g')"
            raise TypeError(msg)
        if self.priority is not None or self.focal is not None or self.when is not None:
            msg = "Queue: types stand in place of a priority, focal and when: nodes are drawn at random"
            raise ValueError(msg)

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """The functions among the fields."""
        return tuple(value for value in (*self.of_nodes, self.share, self.focal) if callable(value))

    @property
    def of_nodes(self) -> tuple[Callable[..., Any], ...]:
        """The functions that depend on values of a node."""
        return tuple(value for value in (self.priority, self.when) if value is not None)

    @property
    def asked(self) -> tuple[str, ...]:
        """The names that `priority` and `when` ask for, or the names in `types`."""
        if self.types is not None:
            return tuple(self.types)
        own = () if self.priority else ("g", "h")
        return (*own, *(name for function in self.of_nodes for name in names_asked(function)))


def names_asked(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that a function asks for."""
    return tuple(parameter.name for parameter in extra_parameters(function, 0))


def is_number(value: Any) -> bool:
    """Return whether a field is a number, and not a truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


WIDTHS = "a beam is a whole number of nodes wide, from 1 to 2^31 - 1"


CLOSED = Parameter(
    "closed", "no", "whether states of earlier layers are entered again by a cheaper path only", ("no", "yes")
)
"""The option of every beam."""
MOST_STATES = 2**31 - 1
"""The largest transposition table."""


def _check_table(table: int) -> str:
    return "" if 0 <= table <= MOST_STATES else "a table holds 0 to 2^31 - 1 states"


TABLE = Parameter(
    "table", 0, "how many states a transposition table holds, so that they are not entered again", check=_check_table
)
"""The option of every iterative deepening."""


class FinishedIteration(NamedTuple):
    """The outcome of an iteration, sent to the generator of thresholds; see `Frontier.thresholds`.

    Attributes:
        expanded: the number of nodes expanded.
        is_complete: whether the iteration ended before it used up its expansions.
        lower: the smallest g + h that no iteration has searched; no solution costs less if h is admissible. After a
            complete iteration it is the smallest g + h beyond its threshold.
        reached: the largest g + h that the iteration entered.
    """

    expanded: int
    is_complete: bool
    lower: float
    reached: float


def wrong_width(width: Any) -> bool:
    """Return whether a width is invalid for every beam."""
    return isinstance(width, bool) or not isinstance(width, int) or not 1 <= width < 2**31


UNLESS_CONSISTENT = "unless-consistent"
TIES = ("none", "low-h", "high-h")
OPTIONS = ("duplicates", "reopen", "ties", "order", "siblings", "seed")
"""The options of every best-first search with a heap; but for the first also of every bidirectional search."""


def _check_seed(seed: int) -> str:
    return "" if 0 <= seed < 2**64 else "a seed is a whole number from 0 to 2^64 - 1"


@cache
def options(duplicates: str, reopen: str, ties: str) -> tuple[Parameter, ...]:
    """Return the options of a best-first search as parameters, with the defaults that a strategy declares."""
    detected = "when duplicates are detected"
    if duplicates == "domain":
        duplicates, detected = "", f"{detected}; by default as the domain recommends"
    reopened = "whether a shorter path to a closed node reopens it"
    if reopen == UNLESS_CONSISTENT:
        reopen, reopened = "", f"{reopened}; by default unless the heuristic is declared consistent"
    equal = "which of the nodes with equal priorities comes first: with the smaller h, the larger h, or as they come"
    order = "which of those that are equal in this, too: the newest, the oldest, or a random one"
    newest = "which of the successors of one node counts as the newest: the last generated, or the first"
    return (
        Parameter("duplicates", duplicates, detected, ("early", "late")),
        Parameter("reopen", reopen, reopened, ("yes", "no")),
        Parameter("ties", ties, equal, ("low-h", "high-h", "none")),
        Parameter("order", "newest", order, ("newest", "oldest", "random")),
        Parameter("siblings", "last", newest, ("last", "first")),
        Parameter("seed", 0, "the seed of what is random", check=_check_seed),
    )


DIRECTION = "direction"


@cache
def direction_option(default: str) -> Parameter:
    """Return the option of a bidirectional search with a priority, with the default that a strategy declares."""
    chosen = "which direction gives the next node: in turns, that with fewer open nodes, or with the smaller priority"
    return Parameter(DIRECTION, default, chosen, DIRECTIONS)


@dataclass(frozen=True)
class Frontier(Component):
    """A frontier strategy: the order in which a search takes open nodes.

    A strategy of a built-in family is declared as data: a best-first strategy has one `priority`, or several `queues`.
    Any other strategy has its own loop, `run`.

    Attributes:
        name: the name users write.
        priority: `(g, h)`: returns a number; the node with the smallest is taken first. Only for `container="heap"`.
        family: the kind of search:

            - "best-first"
            - "deepening": depth-first below a growing threshold on g + h. Users may set the option `table=`, the size
              of a transposition table.
            - "beam": layer by layer, keeping the best `width` nodes of each. The strategy must have the parameter
              `width` with an integer default. Users may set the option `closed=no|yes`.
            - "anytime-beam": beams of growing width, each twice as wide as the one before. Each is pruned by the best
              solution so far, and the search ends when nothing cheaper can be left.
            - "rectangle": rounds that each expand one more node of each depth and go `aspect` depths deeper. The
              strategy must have the parameter `aspect` with an integer default.
            - "partial-expansion": A* that stores a successor only when its turn has come. The strategy may have a
              parameter `cutoff`.
            - "enhanced-partial-expansion": A* that even generates a successor only when its turn has come. The domain's
              successor function must ask for `chosen` (see `PackedForm`), and the heuristic needs `incremental`.
            - "bidirectional": one search from the start, and one backwards from the goals. Each is guided to the
              other's end; see `lower_bound`.

        container: the order of open nodes: "heap" (by priority), "fifo" (oldest first) or "lifo" (newest first).
        ties: which of several nodes with equal priorities is taken first: "low-h" (smaller h), "high-h" (larger h), or
            "none" (h does not matter). This is the default of the option `ties`.
        duplicates: when duplicates are detected: "early" (when a node is generated), or "domain" (as the domain
            recommends). This is the default of the option `duplicates=early|late`.
        reopen: whether a shorter path to a closed node puts it back on the open list: "yes", "no", or
            "unless-consistent" ("no" if the heuristic is declared consistent, otherwise "yes"). This is the default of
            the option `reopen=yes|no`. A bidirectional search without reopening expands each state in one direction
            only.
        uses_heuristic: whether the strategy uses h at all.
        complete: whether the strategy finds a solution in every finite state space that has one. If so, a search that
            runs out of nodes proves that there is no solution. By default True, but False with `run`. A beam is never
            complete.
        optimal_with: when the first solution is optimal, or within the factor `within`: "never", "always", "unit-cost"
            (if every move costs 1) or "admissible" (if the heuristic is admissible).
        within: the factor of the optimum that the first solution keeps to, under the condition `optimal_with`: 1 for an
            optimal solution, or more. A number, or a function of the strategy's parameters.
        summary: a one-line description.
        aliases: other names.
        parameters: the strategy's own parameters, if checks are wanted beyond the function's defaults.
        run: `(problem, watch)`: the strategy's own loop, on Board objects; returns an Outcome.
        queues: several orders of the open nodes in place of `priority`, see `Queue`. The search detects duplicates
            early. Other families than "best-first" restrict their queues:

            - "beam", "anytime-beam" and "rectangle": one queue. The priority asks for g, h, parameters and heuristics,
              with "rectangle" also for depth.
            - "bidirectional": one queue for both directions, or one for each, forward first. The priority asks for g, h
              (to the other end), `h_back` (from the node's own end to the node), depth, parameters, and `epsilon`, the
              smallest cost of a move as far as it is known: 1 if every move costs 1, otherwise 0.

        choose: the rule for the queue that gives the next node:

            - "alternate": the queues take turns, and each gives `share` nodes.
            - "random": queues are drawn by `share`, from the option `seed`.
            - "first": the first queue with a first node for which `when` holds; a queue without `when` always gives its
              node.

            For a bidirectional search it is the rule for the direction, and the default of the option `direction`:

            - "alternate": the directions take turns.
            - "cardinality": the direction with fewer open nodes.
            - "best-first": the direction with the smaller priority.
            - "pair", without queues: a pair of nodes, one of each direction, for which the lower bound of a solution
              through both is smallest.
            - "cover", without queues: the nodes of a smallest vertex cover of all such pairs.

        bound: with queues: the search continues after a solution until its cost is at most this factor times the
            smallest g + h of all open nodes. Meanwhile it drops nodes whose g + h is not below the cost of the best
            solution. Infinity, the default, ends the search at the first solution; 1 ends it when nothing cheaper is
            left. A number, or a function of the parameters. The search trusts h here, but the result claims only what
            an admissible heuristic proves. A bidirectional search compares with its `lower_bound` instead.
        cost_limit: with queues: the search drops nodes whose g + h exceeds this cost, so that no solution costs more
            (bounded-cost search, Stern, Puzis and Felner 2011). A number, or a function of the parameters. The search
            trusts h here, too. If it finds no solution, this does not prove that there is none; the result's lower
            bound says how much is proved.
        restart: with queues: a function of the parameters, called whenever a goal is taken. It returns a dict of the
            parameters that change for the next round, or None if none does. Between two rounds all open nodes get new
            priorities. A cheaper path to a closed node waits for the next round (Likhachev, Gordon and Thrun 2003). The
            goal stays open; if it is taken again at the same cost, the round has found nothing cheaper. The search ends
            when `bound` holds. Without a bound, or after a round that expanded nothing, it also ends when the
            parameters no longer change.
        restart_from: with restart: where a round begins:

            - "open": at the open nodes of the round before.
            - "start": at the start alone. States of earlier rounds are entered again when the round reaches them, with
              their best paths and without a new evaluation (Richter, Thayer and Ruml 2010). When the parameters no
              longer change, the last round continues until `bound` holds.

        lower_bound: for a bidirectional search with queues: a function that returns a lower bound on the cost of all
            solutions not found yet. It asks by name for `priority`, `f` and `g`: each is a pair with the smallest value
            among the open nodes of either direction, forward first; f is g + h. It may also ask for `epsilon`, see
            `queues`, and for parameters. The search trusts this bound; the claims of the result follow from the open
            nodes alone.
        thresholds: with family="deepening": a generator function, `(start_h, …)`, that yields the threshold on g + h of
            each iteration, or a pair of the threshold and the largest number of expansions. It is sent a
            FinishedIteration after each iteration. It asks by name for h of the start and for parameters of the
            strategy. A threshold below the smallest g + h that was cut off is raised to this value. The same value is
            the next threshold if there is no generator, or once it has returned (IDA*, Korf 1985). With larger
            thresholds the first solution may not be optimal: the search then continues until nothing cheaper is left.
    """

    name: str
    priority: Callable[..., float] | None = None
    family: str = "best-first"
    container: str = "heap"
    ties: Literal["none", "low-h", "high-h"] = "none"
    duplicates: Literal["early", "domain"] = "early"
    reopen: Literal["yes", "no", "unless-consistent"] = "no"
    uses_heuristic: bool = True
    complete: bool | None = None
    optimal_with: Literal["never", "always", "unit-cost", "admissible"] = "never"
    within: float | Callable[..., float] = 1.0
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    run: Callable[..., Any] | None = None
    queues: tuple[Queue, ...] = ()
    choose: Literal["alternate", "random", "first", "cardinality", "best-first", "pair", "cover"] = "alternate"
    bound: float | Callable[..., float] = inf
    cost_limit: float | Callable[..., float] = inf
    restart: Callable[..., Mapping[str, Any] | None] | None = None
    restart_from: Literal["open", "start"] = "open"
    lower_bound: Callable[..., float] | None = None
    thresholds: Callable[..., Generator[Any, FinishedIteration, None]] | None = None
    subjects: ClassVar[tuple[str, ...]] = ("g", "h")  # of `run`: problem and watch

    def __post_init__(self) -> None:
        super().__post_init__()
        check_types(self, bool, "True or False", "uses_heuristic")
        check_types(self, (bool, type(None)), "True or False", "complete")
        check_choice(self, "family", FAMILIES)
        check_choice(self, "container", CONTAINERS)
        check_choice(self, "ties", TIES)
        check_choice(self, "duplicates", ("early", "domain"))
        check_choice(self, "reopen", ("yes", "no", UNLESS_CONSISTENT))
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        known = set(defaults)
        check_function(self, "priority", "g", "h", known=known)
        check_function(self, "run", "problem", "watch", known=known)
        check_choice(self, "optimal_with", GUARANTEES)
        self._check_queues()
        self._check_thresholds()
        if callable(self.within):
            check_function(self, "within", known={parameter.name for parameter in self.own_parameters()})
        elif isinstance(self.within, bool) or not isinstance(self.within, int | float) or not self.within >= 1:
            msg = f"Frontier {self.name!r}: within={shown(self.within)}; it is a factor of 1 or more, or a function"
            raise ValueError(msg)
        self._check_options()
        is_heap = self.run is None and self.container == "heap" and self.family == "best-first"
        if is_heap and not (self.priority or self.queues):
            msg = f"Frontier {self.name!r}: a heap needs a priority(g, h), or queues"
            raise ValueError(msg)
        is_ordered = bool(self.priority or self.queues)
        if self.run is None and self.family == "anytime-beam" and not is_ordered:
            msg = f"Frontier {self.name!r}: an anytime beam needs a priority(g, h), or a queue"
            raise ValueError(msg)
        if self.run is None and self.family == "beam" and not (is_ordered and "width" in known):
            msg = f"Frontier {self.name!r}: a beam needs a priority(g, h), or a queue, and a Parameter called width"
            raise ValueError(msg)
        if self.run is None and self.family == "rectangle" and not (self.queues and "aspect" in known):
            msg = f"Frontier {self.name!r}: a rectangle search needs a queue, and a Parameter called aspect"
            raise ValueError(msg)
        if self.run is None and self.family == "beam" and wrong_width(defaults["width"]):
            msg = f"Frontier {self.name!r}: the default of width is {shown(defaults['width'])}; {WIDTHS}"
            raise ValueError(msg)

    def _check_queues(self) -> None:
        """Check the fields of a strategy with several queues."""
        check_choice(self, "choose", (*DIRECTIONS, *BOTH_DIRECTIONS) if self.is_bidirectional else RULES)
        check_choice(self, "restart_from", ("open", "start"))
        if not isinstance(self.queues, tuple | list) or not all(isinstance(queue, Queue) for queue in self.queues):
            msg = f"Frontier {self.name!r}: queues is {shown(self.queues)}, not a tuple of Queue(…)"
            raise TypeError(msg)
        known = {parameter.name for parameter in self.own_parameters() if parameter.default is not MISSING}
        known.update(self.node_values)
        for number, queue in enumerate(self.queues, 1):
            for function in queue.functions:
                owner, of_node = f"Frontier {self.name!r}: queue {number}", function in queue.of_nodes
                field_ = "priority" if function is queue.priority else "when" if of_node else "its function"
                names = known if of_node else known.difference(self.node_values)
                check_callable(owner, field_, function, known=names)
            if queue.types is not None:
                self._check_types(number, queue.types)
                continue
            lists = {parameter.name for parameter in self.parameters if parameter.kind == "heuristics"}
            if len(lists.intersection(queue.asked)) > 1:
                msg = f"Frontier {self.name!r}: the priority of queue {number} asks for two lists of heuristics"
                raise ValueError(msg)
            self._check_choice(number, queue)
        parameters = known.difference(self.node_values)
        for field_ in ("bound", "cost_limit", "restart"):
            if callable(getattr(self, field_)):
                check_function(self, field_, known=parameters)
        check_function(self, "lower_bound", known=parameters.union(LEAST_VALUES))
        if not callable(self.bound) and not (is_number(self.bound) and self.bound >= 1):
            msg = f"Frontier {self.name!r}: bound={shown(self.bound)}; it is a factor of 1 or more, or a function"
            raise ValueError(msg)
        if not callable(self.cost_limit) and not (is_number(self.cost_limit) and self.cost_limit >= 0):
            msg = f"Frontier {self.name!r}: cost_limit={shown(self.cost_limit)}; it is a cost, or a function"
            raise ValueError(msg)
        if self.restart is not None and not callable(self.restart):
            msg = f"Frontier {self.name!r}: restart is {shown(self.restart)}, not a function of its parameters"
            raise TypeError(msg)
        if self.restart is None and self.restart_from != "open":
            msg = f"Frontier {self.name!r}: restart_from is for a strategy with restart="
            raise ValueError(msg)
        if self.is_bidirectional:
            self._check_directions()
            return
        if self.lower_bound is not None:
            msg = f"Frontier {self.name!r}: lower_bound is for the family 'bidirectional'"
            raise ValueError(msg)
        if not self.queues:
            in_vain = self.restart is not None or self.bound != inf or self.cost_limit != inf
            if in_vain or self.choose != "alternate":
                fields = "choose, bound, cost_limit and restart"
                msg = f"Frontier {self.name!r}: {fields} are for a strategy with queues=(Queue(…), …)"
                raise ValueError(msg)
            return
        if self.run or self.priority or self.family == "deepening" or self.container != "heap":
            msg = f"Frontier {self.name!r}: queues stand in place of a priority, a container and a loop"
            raise ValueError(msg)
        if self.family != "best-first":
            self._check_queue_by_depth()
        if self.duplicates != "early":
            msg = f"Frontier {self.name!r}: with queues duplicates are detected early"
            raise ValueError(msg)

    def _check_directions(self) -> None:
        """Check the fields of a bidirectional strategy."""
        together, priorities = self.choose in BOTH_DIRECTIONS, [queue.priority for queue in self.queues]
        if together and (self.queues or self.lower_bound is not None):
            msg = f"Frontier {self.name!r}: choose={self.choose!r} stands in place of queues and a lower bound"
            raise ValueError(msg)
        if not together and (len(self.queues) not in (1, 2) or self.lower_bound is None):
            msg = (
                f"Frontier {self.name!r}: a bidirectional search needs a queue, or one for each direction, and "
                "lower_bound=; or choose='pair' or 'cover'"
            )
            raise ValueError(msg)
        if None in priorities or any(queue != Queue(queue.priority) for queue in self.queues):
            msg = f"Frontier {self.name!r}: a queue of a bidirectional search has only a priority"
            raise ValueError(msg)
        if self.run or self.priority or self.container != "heap" or self.restart or self.cost_limit != inf:
            fields = "run, priority, container, restart and cost_limit"
            msg = f"Frontier {self.name!r}: {fields} are not for the family 'bidirectional'"
            raise ValueError(msg)
        if self.reopen == "no" or self.duplicates != "early":
            msg = (
                f"Frontier {self.name!r}: a bidirectional search detects duplicates early, and has reopen='yes', or "
                "'unless-consistent' if no closed node is met by a shorter path then"
            )
            raise ValueError(msg)
        if not self.uses_heuristic and {"h", "h_back"}.intersection(*(queue.asked for queue in self.queues)):
            msg = f"Frontier {self.name!r}: its priority asks for h, and uses_heuristic is False"
            raise ValueError(msg)

    def _check_thresholds(self) -> None:
        """Check a rule of thresholds."""
        check_function(self, "thresholds", known={START + "h", *(parameter.name for parameter in self.parameters)})
        if self.thresholds is None:
            return
        if self.family != "deepening" or self.run is not None:
            msg = f"Frontier {self.name!r}: thresholds= is for the family 'deepening'"
            raise ValueError(msg)
        if self.optimal_with != "never":
            promise = f"optimal_with={self.optimal_with!r} is said of first solutions"
            msg = f"Frontier {self.name!r}: {promise}; with thresholds= a search ends with a proof: leave it out"
            raise ValueError(msg)

    def _check_types(self, number: int, types: tuple[str, ...]) -> None:
        """Check the names of the values by which a queue groups nodes."""
        known = (*TYPE_VALUES, *(parameter.name for parameter in self.parameters if parameter.names_heuristics))
        unknown = next((name for name in types if name not in known), None)
        if unknown is not None:
            msg = (
                f"Frontier {self.name!r}: the types of queue {number} name {unknown!r}; nodes are grouped by "
                f"{', '.join(known)}"
            )
            raise ValueError(msg)

    def _check_queue_by_depth(self) -> None:
        """Check the queue of a strategy that orders the nodes of each depth."""
        if len(self.queues) > 1 or self.queues[0].priority is None or len(self.queues[0].functions) > 1:
            msg = f"Frontier {self.name!r}: the family {self.family!r} takes one queue, with only a priority"
            raise ValueError(msg)
        if self.restart is not None or self.bound != inf or self.choose != "alternate":
            msg = f"Frontier {self.name!r}: choose, bound and restart are for the family 'best-first'"
            raise ValueError(msg)
        lists = [parameter.name for parameter in self.parameters if parameter.kind == "heuristics"]
        allowed = ("g", "h", "depth") if self.family == "rectangle" else ("g", "h")
        refused = {*lists, *self.node_values}.difference(allowed).intersection(self.queues[0].asked)
        if refused:
            msg = f"Frontier {self.name!r}: in the family {self.family!r} a priority may not ask for {min(refused)!r}"
            raise ValueError(msg)

    def _check_choice(self, number: int, queue: Queue) -> None:
        """Check what a queue says of others, and of when it gives the next node."""
        owner = f"Frontier {self.name!r}: queue {number}"
        if queue.of is not None:
            others = (one for one in self.queues if one.priority == queue.of and one.focal is None)
            other = next(others, None)
            lists = {parameter.name for parameter in self.parameters if parameter.kind == "heuristics"}
            if other is None:
                msg = f"{owner}: of= is {shown(queue.of)}, which is the priority of no queue without focal"
                raise ValueError(msg)
            if not lists.union(("f_min", "incumbent")).isdisjoint(names_asked(queue.of)):
                msg = f"{owner}: of= asks for f_min, incumbent or a list of heuristics, which no focal queue can follow"
                raise ValueError(msg)
        if queue.when is not None and self.choose != "first":
            msg = f'{owner}: when= is for the rule choose="first"'
            raise ValueError(msg)
        if self.choose == "first" and all(one.when for one in self.queues):
            msg = f'Frontier {self.name!r}: choose="first" needs a queue without when= at the end, or none gives a node'
            raise ValueError(msg)

    @property
    def node_values(self) -> tuple[str, ...]:
        """The names that a priority may ask for, besides parameters."""
        if self.is_bidirectional:
            return END_VALUES
        named = (parameter.name for parameter in self.parameters if parameter.kind == "heuristic")
        return (*QUEUE_VALUES, *(START + name for name in ("h", *named)))

    @property
    def may_name(self) -> tuple[str, ...]:
        """The allowed kinds of parameters: priorities of queues may ask for values of further heuristics."""
        return ("heuristic", "heuristics") if self.queues and not self.is_bidirectional else ()

    def _parameters_of_forms(self) -> Iterable[Parameter]:
        if self.thresholds:
            return (one for one in extra_parameters(self.thresholds, 0) if one.name != START + "h")
        if not self.queues:
            return super()._parameters_of_forms()
        functions = [function for queue in self.queues for function in queue.functions]
        others = self.bound, self.cost_limit, self.restart, self.lower_bound
        functions += [function for function in others if callable(function)]
        asked = (parameter for function in functions for parameter in extra_parameters(function, 0))
        given = {*self.node_values, *(LEAST_VALUES if self.is_bidirectional else ())}
        return (parameter for parameter in asked if parameter.name not in given)

    @property
    def forms(self) -> tuple[Callable[..., Any], ...]:
        """The search loop, or else the priority, if there is one."""
        return tuple(filter(None, (self.run or self.priority,)))

    @property
    def loop(self) -> str:
        """The name of the loop that searches: "queues", or the family."""
        return "queues" if self.queues and self.family == "best-first" else self.family

    @property
    def is_complete(self) -> bool:
        """Whether the strategy finds a solution in every finite state space that has one."""
        declared = self.run is None if self.complete is None else self.complete
        drops_nodes = self.family == "beam" or self.cost_limit != inf
        return declared and not drops_nodes

    @property
    def has_options(self) -> bool:
        """Whether the strategy has the options of a best-first search with a heap, see `options`."""
        return self.run is None and self.family == "best-first" and self.container == "heap"

    @property
    def has_order(self) -> bool:
        """Whether the strategy has the options that order nodes with equal priorities."""
        return self.has_options or self.is_bidirectional

    @property
    def is_bidirectional(self) -> bool:
        """Whether one search begins at the start and another at the goals."""
        return self.family == "bidirectional"

    @property
    def selects(self) -> bool:
        """Whether the search generates only the successors whose turn has come."""
        return self.run is None and self.family == SELECTIVE

    @property
    def option(self) -> Parameter | None:
        """The option that every strategy of this family has; None for a best-first search."""
        return {"beam": CLOSED, "deepening": TABLE}.get(self.family) if self.run is None else None

    def own_parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of any component, followed by the options of the driver."""
        own = super().own_parameters()
        if not self.has_order:
            return (*own, self.option) if self.option else own
        # With queues duplicates are detected early, and with restarts a closed node may wait for the next round.
        waits = self.restart is not None and self.restart_from == "open"
        both = self.is_bidirectional
        fixed = ("duplicates",) * (both or bool(self.queues)) + ("reopen",) * waits + ("seed",) * self.has_own_seed
        given = options(self.duplicates, self.reopen, self.ties)
        turns = (direction_option(self.choose),) if both and self.choose in DIRECTIONS else ()
        return (*own, *turns, *(option for option in given if option.name not in fixed))

    @property
    def has_own_seed(self) -> bool:
        """Whether the strategy has a parameter `seed`, which is then also the seed of a random order."""
        return any(parameter.name == "seed" for parameter in super().own_parameters())

    def _check_options(self) -> None:
        """Raise a ValueError if a parameter has the name of an option, or a field has no effect in this family."""
        names = [parameter.name for parameter in super().own_parameters()]
        if self.option and self.option.name in names:
            of_family = "beam" if self.family == "beam" else "iterative deepening"
            msg = f"Frontier {self.name!r}: every {of_family} has the option {self.option.name}; rename the parameter"
            raise ValueError(msg)
        if self.has_order:
            given = (*OPTIONS, *((DIRECTION,) if self.is_bidirectional else ()))
            taken = [name for name in given if name in names and name != "seed"]
            if taken:
                msg = f"Frontier {self.name!r}: every best-first search has the option {taken[0]}; rename the parameter"
                raise ValueError(msg)
        elif (self.duplicates, self.reopen, self.ties) != ("early", "no", "none"):
            msg = f"Frontier {self.name!r}: duplicates=, reopen= and ties= are for best-first strategies with a heap"
            raise ValueError(msg)


@dataclass(frozen=True)
class Player(Component):
    """A player of a game: it chooses one of the legal moves.

    Only `name` and one of `function`, `values` and `looks_ahead` are needed. Functions may ask by name for `domain` (a
    BoundDomain), `random` (a random.Random, seeded by the game's seed; only `function` and `values`), `heuristic` (a
    BoundHeuristic, chosen by the user's parameter of this name) and, with `keeps`, `kept`. A parameter with a default
    is a parameter of the player; a parameter named like a parameter, a value or static data of the domain gets its
    value.

    Attributes:
        name: the name users write.
        function: `(board, moves)`: returns the action of one of the moves, or a Judgement, which adds the value of
            every move. `moves` is a tuple with a Move `(action, board)` for each legal move, in the domain's order; it
            is never empty. May raise a `UsageError` for invalid parameters.
        values: `(board, moves)`: returns the value of every move, in the order of the moves; higher is better. Values
            may be infinite; NaN is an error. The player makes the first move with the highest value. If there is a
            `function` as well, it must choose the same move.
        looks_ahead: `()`: returns an Expectimax that computes the values of moves. Games are then played in compiled
            code, if domain and heuristic compile. If there are `values` as well, it may return None, and both must give
            the same values, except at goals and for infinite values; such moves are decided by `values`.
        domains: the names of the supported domains, empty for all.
        summary: a one-line description.
        aliases: other names.
        parameters: the player's own parameters, if checks, choices or a summary are wanted beyond the function's
            defaults.
        tables: prepared tables, as for a heuristic.
        keeps: `()`: returns an object that lasts from move to move and from game to game, such as a running program.
            Functions ask for it as `kept`. Its method `begin(seed)` is called before the first move of each game. Games
            played at the same time have one object each. The object is dropped with the player, and must then release
            its resources itself.
    """

    name: str
    function: Callable[..., str | tuple[str, Iterable[float] | None]] | None = None
    domains: Set[str] = frozenset()
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    values: Callable[..., Iterable[float]] | None = None
    tables: Mapping[str, Callable[..., Any]] = field(default_factory=dict, hash=False)
    looks_ahead: Callable[..., MoveValues | None] | None = None
    keeps: Callable[..., KeptByPlayer] | None = None
    subjects: ClassVar[tuple[str, ...]] = ("board", "moves")

    def __post_init__(self) -> None:
        super().__post_init__()
        for field_ in ("function", "values"):
            check_function(self, field_, *self.subjects)
        check_function(self, "looks_ahead")
        check_function(self, "keeps")
        if not self.forms and self.looks_ahead is None:
            msg = f"Player {self.name!r}: it needs a function(board, moves), values(board, moves), or looks_ahead()"
            raise ValueError(msg)

    @property
    def forms(self) -> tuple[Callable[..., Any], ...]:
        """The function, the values, or both; empty if the player only looks ahead."""
        return tuple(form for form in (self.function, self.values) if form)

    @property
    def may_name(self) -> tuple[str, ...]:
        """Kinds of parameters: a player may name a heuristic."""
        return NAMING_ONE

    def _parameters_of_forms(self) -> Iterable[Parameter]:
        others = [extra_parameters(function, 0) for function in (self.looks_ahead, self.keeps) if function]
        for parameter in chain(super()._parameters_of_forms(), *others):
            if parameter.name == "heuristic":
                default = parameter.default if isinstance(parameter.default, str) else ""
                summary = "what judges boards; by default the domain's own"
                yield Parameter("heuristic", default, summary, kind="heuristic")
            elif parameter.name not in SUPPLIED and (parameter.name != KEPT or self.keeps is None):
                yield parameter
