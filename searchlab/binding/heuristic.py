"""`BoundHeuristic`: a heuristic with parameter values, which evaluates one board or many boards at once."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from itertools import chain, islice
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import (
    NUMBERS,
    Bound,
    BoundToDomain,
    NoNumber,
    check_arguments,
    declared,
    exact_number,
    fill_arguments,
    number,
)
from searchlab.binding.combination import own_values
from searchlab.binding.name_space import Computed, NameSpace, Source
from searchlab.binding.names import format_name, format_names
from searchlab.board.board import Board
from searchlab.board.files import as_board
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.instance import Instance, StaticArray
from searchlab.model.strategies import ADDED_TO, ORIGIN, THREADS, Heuristic, ValueNetwork, from_origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.packed import PackedForm
    from searchlab.model.states import State

PART = 512
"""The boards that a thread evaluates at once: as many whatever the number of threads, as values may depend on it."""
Carried = tuple[Any, ...]
"""Whole numbers, and tuples of them, that are kept beside a value."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundHeuristic(BoundToDomain):
    """A heuristic with parameter values, for a domain. `h(board)` returns its value and keeps it on the board.

    Attributes:
        domain: the domain; its parameters fill the heuristic's parameters of the same name.
        named: the combined heuristics, by the parameter that names them.
    """

    component: Heuristic
    domain: BoundDomain | None = None
    named: Mapping[str, tuple[BoundHeuristic, ...]] = field(default_factory=dict)

    def on(self, domain: BoundDomain) -> BoundHeuristic:
        """Return the heuristic, and those it combines, for the static data of another instance of the domain."""
        if domain is self.domain:
            return self
        named = {name: tuple(part.on(domain) for part in parts) for name, parts in self.named.items()}
        return replace(self, domain=domain, named=named)

    @cached_property
    def parts(self) -> tuple[BoundHeuristic, ...]:
        """The combined heuristics."""
        return tuple(chain.from_iterable(self.named.values()))

    @property
    def members(self) -> tuple[Bound, ...]:
        """The heuristic, the heuristics it combines, and the heuristics that these combine."""
        return (self, *chain.from_iterable(part.members for part in self.parts))

    @cached_property
    def _spelled(self) -> str:
        listed = {name: format_names(map(str, parts)) for name, parts in self.named.items()}
        return format_name(self.name, {**self.changed, **listed})

    def sources(self, board: Board | None = None, form: PackedForm | None = None) -> tuple[Source, ...]:
        """Return the sources of arguments: those of any component, models, and those of combined heuristics.

        Args:
            board, form: as for the domain.
        """
        if not isinstance(board, Board):
            board = None
        own, *others = super().sources(board, form)
        if board is not None and self.component.models:
            models: Mapping[str, Any] = self.component.models
            others.append(Source("a model", Computed(models.keys, lambda name: self._model(name, board)), True))
        if not self.named:
            return own, *others
        kinds = {parameter.name: parameter.kind for parameter in self.component.parameters}
        named = {key: parts if kinds[key] == "heuristics" else parts[0] for key, parts in self.named.items()}
        rest = {name: value for name, value in own.values.items() if name not in named}
        sources = Source(own.what, rest), Source("what it combines", named), *others
        return sources if board is None else (*sources, self._of_parts(board, form))

    def _of_parts(self, board: Board, form: PackedForm | None) -> Source:
        """Return the values of combined heuristics, by argument name."""
        names = {part: NameSpace(part.sources(board, form)) for part in self.parts}
        found = {name: (names[part], own) for name, part, own in own_values(self.parts)}
        return Source(
            "a value of a heuristic it combines",
            Computed(
                lambda: [name for name, (values, own) in found.items() if own in values],
                lambda name: found[name][0][found[name][1]],
            ),
            is_complete=True,
        )

    @property
    def prefer(self) -> str:
        """Which values are better, "low" or "high"."""
        return str(self.values.get("prefer", self.component.prefer))

    @property
    def direction(self) -> str:
        """Which values are better, in words, if a parameter decides this, as for a bare function; else `''`."""
        if "prefer" not in self.values:
            return ""
        return "higher is better" if self.prefer == "high" else "lower is better"

    @cached_property
    def admissible(self) -> bool:
        """Whether the heuristic, with these parameters, is declared never to exceed the optimal solution cost.

        Raises:
            UsageError: the function that declares it asks for an unknown argument.
            PluginError: that function fails, or returns neither True nor False.
        """
        return self._declares("admissible")

    @cached_property
    def consistent(self) -> bool:
        """Whether the heuristic, with these parameters, is declared never to drop by more than the cost of a move.

        Raises:
            UsageError, PluginError: as `admissible` does.
        """
        return self._declares("consistent")

    def admissible_added_to(self, others: Sequence[BoundHeuristic]) -> bool:
        """Return whether the sum with the values of other heuristics is declared admissible.

        Raises:
            UsageError: it is not; the message gives the reason.
            PluginError: as for `admissible`.
        """
        return self._declares("admissible", **{ADDED_TO: tuple(others)})

    def _declares(self, claim: str, **given: Any) -> bool:
        stated = getattr(self.component, claim)
        if stated is True and self.domain is not None and self.domain.has_other_costs:
            return False  # most heuristics count moves, and who declared this need not know of these costs
        return declared(f"heuristic {self.name}", claim, stated, given, self.names())

    @property
    def forms(self) -> tuple[Callable[..., Any], ...]:
        """The functions in Python: the function, the batch form, or both."""
        return self.component.forms

    def arguments(self, board: Board, form: Callable[..., Any]) -> dict[str, Any]:
        """Return the arguments of a function of the heuristic by name, for boards of this shape.

        Raises:
            UsageError: an argument is not available, or the network does not support such boards.
        """
        self._check_network(board)
        return fill_arguments(f"heuristic {self.name}", form, self._subjects(form), self.names(board))

    def check_arguments(self, board: Board, form: Callable[..., Any]) -> None:
        """Raise the UsageErrors that `arguments` would raise, without building a table."""
        self._check_network(board)
        if not isinstance(board, Board):
            check_arguments(f"heuristic {self.name}", form, self._subjects(form), self.names(board))
            return
        if (form, board.shape) not in self._fitting:
            check_arguments(f"heuristic {self.name}", form, self._subjects(form), self.names(board))
            self._fitting.add((form, board.shape))

    @cached_property
    def _fitting(self) -> set[tuple[Callable[..., Any], tuple[int, int]]]:
        """Pairs of functions and shapes of boards for which all arguments are available."""
        return set()

    def _model(self, name: str, board: Board) -> Any:
        """Return a model; load it if this process has not done so."""
        from searchlab.binding.models import ModelFile

        called, function = f"model {name} of heuristic {self.name}", self.component.models[name]
        arguments = fill_arguments(called, function, 0, NameSpace(super().sources(board)))
        return ModelFile(called, function, arguments, tuple(map(Path, self._files_among(arguments)))).load()

    def warm_up(self, board: Board, batch: int) -> None:
        """Load the models, and call the batch form with one board and with a whole batch.

        If such a call fails, nothing happens here: the search fails again and shows the board.

        Args:
            board: a board of the shape to be searched.
            batch: the number of boards that are evaluated together.

        Raises:
            UsageError, PluginError: a model cannot be loaded.
        """
        form = self.component.batch
        if form is None or not isinstance(board, Board) or (board.shape, batch) in self._warm:
            return
        if not any(part.component.models for part in self.members):
            return
        self._arguments(board.tiles, form)
        for count in dict.fromkeys((1, batch)):
            with suppress(PluginError), PluginCode(let_through=(UsageError,)):
                self.evaluate_tiles(board.tiles[None].repeat(count, axis=0))
        self._warm.add((board.shape, batch))

    @cached_property
    def _warm(self) -> set[tuple[tuple[int, int], int]]:
        """The shapes of boards and sizes of batches for which the heuristic is warmed up."""
        return set()

    def _subjects(self, form: Callable[..., Any]) -> int:
        """Return the number of positional arguments of a function."""
        return 2 if form is self.component.between is not self.component.function else 1

    def _check_network(self, board: Board) -> None:
        """Raise a UsageError if the network is not for boards of this shape."""
        network = self.network()
        if network is not None:
            if self.domain is not None:
                self.domain.states.need_boards(board, f"the network of heuristic {self.name}")
            try:
                network.check_shape(board.shape)
            except UsageError as error:
                raise UsageError(f"heuristic {self.name}: {error}") from None

    def network(self) -> ValueNetwork | None:
        """Return the network with the heuristic's values, or None.

        Raises:
            UsageError: the parameters name no network.
            PluginError: the function fails, or returns something else.
        """
        function = self.component.network
        if function is None:
            return None
        try:
            with PluginCode(partial(self._failed, function), (UsageError, PluginError)):
                network = function(**fill_arguments(self.name, function, 0, self.names()))
        except UsageError as error:
            raise UsageError(f"heuristic {self.name}: {error}") from error
        if not isinstance(network, ValueNetwork):
            raise PluginError(f"heuristic {self.name}: network returned {shown(network)}, not an NTupleNetwork")
        return network

    def __call__(self, board: Board | Instance | str | Path) -> float:
        """Return the value of a board, an instance or a name; it is computed once for the same board.

        Raises:
            PluginError: the value is not a number.
        """
        heuristic, position = self._at(board)
        try:
            return heuristic.value(position)
        except NoNumber as error:
            raise PluginError(f"heuristic {self.name} returned {error}") from error

    def value(self, board: Board) -> float:
        """Return the value of a board; it is computed once for the same board.

        Raises:
            NoNumber: the function did not return a number.
        """
        if not isinstance(board, Board):
            return self.evaluate(board)
        return board.keep(self._key, lambda: self.evaluate(board))

    def _at(self, board: Board | Instance | str | Path) -> tuple[BoundHeuristic, Board]:
        """Return the heuristic for the static data of a board given as an instance or by name, and the board."""
        if self.domain is None:
            return self, board.start if isinstance(board, Instance) else as_board(board)
        domain, position = self.domain.at(board)
        return self.on(domain), position

    def estimate(self, board: Board) -> float:
        """Return the value of a board such that lower is better: the negative of a score.

        Raises:
            PluginError: the value is NaN, or not a number.
        """
        estimate = self._estimate(self(board), f"heuristic {self.name}")
        return -estimate if self.prefer == "high" else estimate

    def _estimate(self, value: Any, what: str) -> float:
        """Return a value as a number; `what` is the function that returned it, for errors."""
        try:
            estimate = number(value)
        except NoNumber as error:
            raise PluginError(f"{what} returned {error}") from error
        if isnan(estimate):
            raise PluginError(f"{what} returned {shown(value)}, which is not an estimate")
        return estimate

    def evaluate(self, board: Board) -> float:
        """Compute the value of a board, even if it is kept on the board.

        As in compiled code, integers overflow silently and division by zero is an error.

        Raises:
            NoNumber: the function did not return a number.
        """
        import numpy as np

        function = self.component.function
        if function is None:
            return float(self.evaluate_tiles(board.tiles[None])[0])
        if not isinstance(board, Board):
            with np.errstate(divide="raise", invalid="raise", over="ignore"):
                return exact_number(function(board, **self.arguments(board, function)))
        with np.errstate(divide="raise", invalid="raise", over="ignore"):
            return exact_number(function(board.tiles, **self._arguments(board.tiles, function)))

    def on_state(self, start: State) -> Callable[[Any], Any] | None:
        """Return a function of states like this one, with all other arguments filled in; None without a function.

        It takes the state itself, or the tiles of a board of the same shape.
        """
        function = self.component.function
        if function is None:
            return None
        arguments = self.arguments(start, function)
        return partial(function, **arguments) if arguments else function

    def carried(self, board: Board) -> Carried:
        """Return the numbers carried beside the value of a board, or an empty tuple.

        Raises:
            PluginError: `carry` failed, or did not return a tuple of integers and nested tuples.
        """
        function = self.component.carry
        if function is None:
            return ()
        arguments = self._arguments(board.tiles, function)
        with PluginCode(partial(self._failed, function)):
            found = function(board.tiles, **arguments)
        if not isinstance(found, tuple) or not found:
            raise PluginError(f"heuristic {self.name}: carry returned {shown(found)}, not a tuple of whole numbers")
        return self.plain_numbers(found)

    def plain_numbers(self, values: tuple[Any, ...]) -> Carried:
        """Return the numbers from `carry` or `incremental` as Python integers.

        Raises:
            PluginError: a number is not a 64-bit integer.
        """
        return tuple(self.plain_numbers(value) if isinstance(value, tuple) else self._whole(value) for value in values)

    def _whole(self, value: Any) -> int:
        import numpy as np

        if isinstance(value, bool) or not isinstance(value, int | np.integer) or not -(2**63) <= value < 2**63:
            raise PluginError(f"heuristic {self.name}: carry returned {shown(value)}, not a 64-bit integer")
        return int(value)

    def between(self, board: Board | Instance | str | Path, other: Board | Instance | str | Path) -> float:
        """Return the estimate of the cost from one board to another, of the same shape.

        Raises:
            UsageError: the heuristic has no estimates between two boards, or they have different shapes.
            PluginError: the function fails, or does not return a number.
        """
        import numpy as np

        function = self._between()

        (heuristic, start), (_, end) = self._at(board), self._at(other)
        if start.shape != end.shape:
            sizes = " and ".join(f"{rows} × {columns}" for rows, columns in (start.shape, end.shape))
            raise UsageError(f"heuristic {self.name}: expected two boards of the same shape, not of {sizes}")
        arguments = heuristic._arguments(start.tiles, function)
        with (
            PluginCode(partial(self._failed, function)),
            np.errstate(divide="raise", invalid="raise", over="ignore"),
        ):
            value = function(start.tiles, end.tiles, **arguments)
        return self._estimate(value, f"heuristic {self.name}: between")

    def towards(self, other: Board | Instance | str | Path) -> BoundHeuristic:
        """Return the heuristic as an estimate of the cost to another board than the goal, computed by `between`.

        It is compiled like any heuristic, and serves further boards without compiling again.

        Raises:
            UsageError: the heuristic has no estimates between two boards.
        """
        function = self._between()
        return self._with_end(function, next(islice(signature(function).parameters, 1, None)), other)

    def away_from(self, origin: Board | Instance | str | Path | State) -> BoundHeuristic:
        """Return the heuristic as an estimate of the cost from a board, computed by `between`, for backward searches.

        It is compiled like any heuristic, and serves further boards without compiling again.

        Raises:
            UsageError: the heuristic has no estimates between two boards.
        """
        return self._with_end(from_origin(self._between()), ORIGIN, origin)

    def _with_end(self, function: Callable[..., float], name: str, board: Any) -> BoundHeuristic:
        """Return the heuristic with a function that asks for a board by name."""
        heuristic, end = self._at(board)
        component = Heuristic(
            self.component.name,
            function,
            self.component.domains,
            admissible=self.component.admissible,
            consistent=self.component.consistent,
            parameters=self.component.parameters,
            between=self.component.between,
            tables=self.component.tables,
            combine=self.component.combine,
        )
        value = end.tiles.view(StaticArray) if isinstance(end, Board) else end
        return replace(heuristic, component=component, values={**heuristic.values, name: value})

    def _between(self) -> Callable[..., float]:
        """Return the function of two boards; raise a UsageError if there is none."""
        if self.component.between is None:
            raise UsageError(f"heuristic {self.name} has no estimate from one board to another (Heuristic.between)")
        return self.component.between

    def evaluate_together(self, boards: Sequence[Board]) -> None:
        """Evaluate boards of any shapes at once and keep the values on them, if there is a batch form."""
        import numpy as np

        if self.component.batch is None:
            return
        for of_shape in by_shape(boards).values():
            values = self.evaluate_tiles(np.stack([boards[k].tiles for k in of_shape]))
            for k, value in zip(of_shape, values.tolist(), strict=True):
                boards[k].keep(self._key, partial(float, value))

    def evaluate_tiles(self, tiles: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of k boards of one shape, by one call of the batch form or k calls of the function.

        Args:
            tiles: shape (k, rows, columns); must not be written to afterwards.

        Returns:
            the values, shape (k,).

        Raises:
            PluginError: the batch form did not return k numbers.
            NoNumber: the function did not return a number.
        """
        import numpy as np

        tiles.setflags(write=False)
        boards = tiles.view()  # a view of what is read-only cannot be made writable
        form = self.component.batch
        if form is None:
            arguments = self._arguments(tiles[0], self.forms[0])
            with np.errstate(divide="raise", invalid="raise", over="ignore"):
                return np.array([number(self.forms[0](grid, **arguments)) for grid in boards])
        evaluate = partial(self._evaluate_batch, form, self._arguments(tiles[0], form))
        if self.threads == 1 or len(boards) <= PART:
            return evaluate(boards)
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(self.threads) as pool:
            parts = [boards[first : first + PART] for first in range(0, len(boards), PART)]
            return np.concatenate(list(pool.map(evaluate, parts)))

    @cached_property
    def threads(self) -> int:
        """The number of threads that share a large batch; for a combination, the largest number of its parts."""
        own = self.values.get(THREADS.name, 1) if self.component.batch else 1
        return max([own, *(part.threads for part in self.parts)])

    def _evaluate_batch(
        self, form: Callable[..., Any], arguments: Mapping[str, Any], boards: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the values of boards by one call of the batch form."""
        import numpy as np

        with np.errstate(divide="raise", invalid="raise", over="ignore"):
            return self._checked(form(boards, **arguments), len(boards))

    def _checked(self, returned: Any, count: int) -> NDArray[np.float64]:
        """Return the values that the batch form returned, one for each of `count` boards."""
        import numpy as np

        what = f"heuristic {self.name}: its batch form did not return an array of numbers"
        with PluginCode(lambda error: PluginError(f"{what}: {in_one_line(error)}")):
            # NumPy's protocol first: it says what is wrong, as with a tensor that has a gradient.
            by_pointer = hasattr(returned, "__dlpack__") and not hasattr(returned, "__array__")
            values = np.from_dlpack(returned) if by_pointer else np.asarray(returned)
        wanted = f"a number for each of {count} boards is wanted, shape ({count},)"
        if values.shape != (count,):
            raise PluginError(
                f"heuristic {self.name}: its batch form returned an array of shape {values.shape}; {wanted}"
            )
        if values.dtype.kind not in NUMBERS:
            raise PluginError(
                f"heuristic {self.name}: its batch form returned an array of type {values.dtype}; {wanted}"
            )
        return values.astype(np.float64)

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        """The key under which boards keep values; heuristics with the same values may share it."""
        form = self.forms[0]
        are_plain = all(isinstance(value, bool | int | float | str) for value in self.values.values())
        if self.component.tables or self.component.models or self.named or not are_plain:
            return form, self  # the texts of two different arrays may be equal: their middle is left out
        # Two domains may have one name, as after an edit. They are compared field by field, but a method of the one is
        # never equal to that of the other, and is hashed fast.
        domain = (self.domain.component.own_parameters, *self.domain.key) if self.domain else ()
        return (form, domain, *((name, repr(value)) for name, value in self.values.items()))

    @cached_property
    def _filled(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        return {}

    def _arguments(self, tiles: NDArray[np.int64], form: Callable[..., Any]) -> dict[str, Any]:
        """Return `arguments`, computed once for each form and shape of board."""
        key = form, tiles.shape
        if key not in self._filled:
            self._filled[key] = self.arguments(Board(tiles, signed=True), form)
        return self._filled[key]


def by_shape(boards: Sequence[Board]) -> dict[tuple[int, int], list[int]]:
    """Return the indices of the boards of each shape, in order."""
    found: dict[tuple[int, int], list[int]] = {}
    for k, board in enumerate(boards):
        found.setdefault(board.shape, []).append(k)
    return found
