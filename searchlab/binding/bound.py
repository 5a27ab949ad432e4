"""`Bound`: a component with parameter values; it fills in the arguments by name of a plugin's functions."""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from searchlab.binding.name_space import Computed, NameSpace, Source, refuse_claims
from searchlab.binding.names import format_name
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.component import all_functions, extra_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.packed import PackedForm

NUMBERS = "biuf"
"""The kinds of NumPy types that are numbers: boolean, signed, unsigned and floating-point."""
FREQUENT = frozenset({np.float64, np.int64})
"""The types of NumPy's numbers that functions of plugins return most, which are converted the short way."""
T = TypeVar("T")
END = object()
TABLE = "a prepared table"
INTERPRETED = "_interpreted_"
"""The prefix of the names of our functions that interpret a packed form in Python."""
LARGEST_INT = 2**1023
"""Whole numbers below this can be converted to floating-point numbers."""


_being_filled: ContextVar[tuple[tuple[int, str], ...]] = ContextVar("being filled", default=())
"""The tables whose arguments are being filled in, in this thread."""


@dataclass(frozen=True, eq=False)
class Bound:
    """A component with a value for each of its parameters.

    Attributes:
        component: the component as its plugin declares it.
        values: the values by parameter.
    """

    component: Any
    values: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The component's name."""
        return str(self.component.name)

    def __str__(self) -> str:
        return self._spelled

    @cached_property
    def _spelled(self) -> str:
        return format_name(self.name, self.changed)

    @property
    def uses_seed(self) -> bool:
        """Whether its random numbers depend on a parameter `seed`."""
        return "seed" in self.values

    @property
    def changed(self) -> dict[str, Any]:
        """The values that are not the defaults."""
        defaults = {p.name: p.default for p in self.component.own_parameters()}
        given = {name: value for name, value in self.values.items() if name in defaults}
        return {name: value for name, value in given.items() if not _same(value, defaults[name])}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    @property
    def members(self) -> tuple[Bound, ...]:
        """The component, and the components that its parameters name."""
        return (self,)

    def names(self, board: Board | None = None) -> NameSpace:
        """Return the available arguments by name of the component's functions.

        Args:
            board: a board of the shape; without it, arguments that depend on a board are omitted.
        """
        return NameSpace(self.sources(board))

    def sources(self, board: Board | None = None) -> tuple[Source, ...]:
        """Return the sources of `names`, in the order in which they are asked."""
        return (Source("a parameter of its own", self.values),)

    def tables(self, board: Board) -> Source:
        """Return the component's prepared tables for boards of this shape; each is built when it is first read."""
        declared: Mapping[str, Any] = self.component.tables
        return Source(TABLE, Computed(declared.keys, lambda name: self._table(name, board)), is_complete=True)

    def _table(self, name: str, board: Board) -> NDArray[Any]:
        key = name, board.shape
        if key not in self._tables_at_hand:
            from searchlab.binding.tables import TableBuild, prepared

            called = f"table {name} of {type(self.component).__name__.lower()} {self.name}"
            with self._asking_for(name, called):
                build = self.component.tables[name]
                arguments = fill_arguments(called, build, 1, self.names(board), self._for_tables(board))
            self._tables_at_hand[key] = prepared(TableBuild(called, build, arguments, self._files_among(arguments)))
        return self._tables_at_hand[key]

    def _files_among(self, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the arguments that are paths of files whose content counts."""
        domain: Any = getattr(self, "domain", None)
        components = (self.component, domain.component) if domain is not None else (self.component,)
        parameters = [parameter for component in components for parameter in component.own_parameters()]
        named = {parameter.name for parameter in parameters if parameter.kind == "file"}
        instance = getattr(getattr(self, "domain", self), "instance", None)
        named.update(name for name, value in (instance.static if instance else {}).items() if isinstance(value, Path))
        return tuple(str(arguments[name]) for name in sorted(named) if arguments.get(name))

    @contextmanager
    def _asking_for(self, name: str, called: str) -> Iterator[None]:
        """Refuse a table whose build function asks for the table itself, directly or through others."""
        asked = _being_filled.get()
        if (id(self), name) in asked:
            raise PluginError(f"{called}: to build it takes the table itself")
        before = _being_filled.set((*asked, (id(self), name)))
        try:
            yield
        finally:
            _being_filled.reset(before)

    def _for_tables(self, board: Board) -> Mapping[str, Any]:
        """Return the arguments that only build functions of tables can ask for: place, domain and goals."""
        rows, columns = board.shape
        domain: Any = getattr(self, "domain", self)
        here = {"rows": rows, "columns": columns}
        if domain is None:
            return here
        return Computed(
            lambda: (*here, "domain", *(["goals"] if domain.component.goals else [])),
            lambda name: domain if name == "domain" else domain.goals(board) if name == "goals" else here[name],
        )

    @cached_property
    def _tables_at_hand(self) -> dict[tuple[str, tuple[int, int]], NDArray[Any]]:
        return {}

    def build_tables(self, board: Board, asked: Container[str]) -> None:
        """Build those of the component's tables for boards of this shape that are among these names."""
        for name in self.component.tables:
            if name in asked:
                self._table(name, board)

    def _wrap(self, function: Callable[..., Any], subjects: int = 1) -> Callable[..., Any]:
        """Return a plugin's function of its subjects alone, with parameters filled in; it raises PluginErrors."""
        key = function, subjects
        if key not in self._wrapped:
            self._wrapped[key] = self._wrapping(function, subjects)
        return self._wrapped[key]

    @cached_property
    def _wrapped(self) -> dict[tuple[Callable[..., Any], int], Callable[..., Any]]:
        return {}

    def _contained(self, function: Callable[..., Any]) -> PluginCode:
        """Return the context in which a plugin's function is called."""
        if function not in self._contexts:
            self._contexts[function] = PluginCode(partial(self._failed, function))
        return self._contexts[function]

    @cached_property
    def _contexts(self) -> dict[Callable[..., Any], PluginCode]:
        return {}

    def _wrapping(self, function: Callable[..., Any], subjects: int) -> Callable[..., Any]:
        return self._in_context(function, self._with_arguments(function, subjects), subjects)

    def _in_context(self, blamed: Callable[..., Any], filled: Callable[..., Any], subjects: int) -> Callable[..., Any]:
        """Return a plugin's function whose arguments are filled in, to be called in its context."""
        contained = self._contained(blamed)
        if subjects in (1, 2):
            return contained.guard(filled, subjects)

        def call(*subjects: Any) -> Any:
            with contained:
                return filled(*subjects)

        return call

    def _with_arguments(self, function: Callable[..., Any], subjects: int) -> Callable[..., Any]:
        """Return a plugin's function of its subjects alone, to be called in its context."""
        arguments = fill_arguments(self.name, function, subjects, self.values)
        return partial(function, **arguments) if arguments else function

    def _call(self, owner: str, function: Callable[..., Any], *subjects: Any, **arguments: Any) -> Any:
        """Call a plugin's function that may raise a UsageError; `owner` is prefixed to the message."""
        try:
            with PluginCode(partial(self._failed, function), (UsageError, PluginError)):
                return function(*subjects, **arguments)
        except UsageError as error:
            raise UsageError(f"{owner}: {error}") from error

    def _text(self, field: str, *subjects: Any) -> str:
        """Return the text from one of a plugin's functions; for an error message, None means no error.

        Args:
            field: a field of the component, or of one of its parts, like `views.remark`.
        """
        returned = self._wrap(attrgetter(field)(self.component), len(subjects))(*subjects)
        field = field.rpartition(".")[2]
        if returned is None and field.startswith("why_"):
            return ""
        return self._checked_text(field, returned)

    def _checked_text(self, field: str, value: Any, verb: str = "returned") -> str:
        """Return a value of a plugin's function as a built-in string; anything but a string is an error."""
        if not isinstance(value, str):
            raise self._wrong(field, f"{verb} {shown(value)}, not a text")
        return str(value)

    def _each(self, function: Callable[..., Any], items: Iterable[Any], checked: Callable[[Any], T]) -> Iterator[T]:
        """Yield the items that a plugin's function returned or yields, each checked."""
        contained = self._contained(function)
        with contained:
            iterator = iter(items)
        while True:
            with contained:
                item = next(iterator, END)
                if item is END:
                    return
                made = checked(item)
            yield made

    def _wrong(self, field: str, what: str) -> PluginError:
        return PluginError(f"{self.name}: {field} {what}")

    def _failed(self, function: Callable[..., Any], error: BaseException) -> PluginError:
        name = getattr(function, "__name__", "its function")
        if name.startswith(INTERPRETED):
            name = f"its packed form's {name.removeprefix(INTERPRETED)}"
        return PluginError(f"{self.name}: {name} failed: {in_one_line(error)}")


class BoundToDomain(Bound):
    """A component with parameter values that works on a domain, whose values its functions may ask for, too.

    Attributes:
        domain: the domain, or None.
    """

    domain: Any

    def own_values(self, domain: Any) -> dict[str, Any]:
        """Return the parameter values that a domain does not fill."""
        return {name: value for name, value in self.values.items() if name not in domain.names_given}

    def sources(self, board: Board | None = None, form: PackedForm | None = None) -> tuple[Source, ...]:
        """Return the component's own parameters, which the domain does not fill, the domain's names, and its tables.

        Args:
            board, form: as for the domain.
        """
        if self.domain is None:
            return super().sources(board) if board is None else (*super().sources(board), self.tables(board))
        filled = self.domain.values if board is None else self.domain.names_given
        own = Source("a parameter of its own", {k: value for k, value in self.values.items() if k not in filled})
        if board is None:
            return (own, *self.domain.sources())
        if self.component.tables:
            claims = ("a name of its domain's", self.domain.names_given), (TABLE, self.component.tables)
            refuse_claims(f"{type(self.component).__name__.lower()} {self.name}", *claims)
        return (own, *self.domain.sources(board, form), self.tables(board))


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    with PluginCode():
        same: Any = value == default  # an array for arrays
        return bool(same.all()) if hasattr(same, "all") else bool(same)


def fill_arguments(
    owner: str, function: Callable[..., Any], subjects: int, *sources: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments by name of a plugin's function, after its first `subjects` arguments.

    Args:
        owner: the name of the component in error messages.
        sources: the values by name; the first source that has an argument counts, else its default.

    Raises:
        UsageError: an argument without a default is in none of them.
    """
    arguments = {}
    for parameter in extra_parameters(function, subjects):
        source = next((source for source in sources if parameter.name in source), None)
        value = parameter.default if source is None else source[parameter.name]
        if value is inspect.Parameter.empty:
            raise _no_value(owner, parameter.name)
        arguments[parameter.name] = value
    return arguments


def declared(owner: str, claim: str, stated: bool | Callable[..., bool], *sources: Mapping[str, Any]) -> bool:
    """Return a component's declaration about itself with these parameters.

    Args:
        owner: the name of the component in error messages.
        claim: the field.
        stated: the value of the field: True, False, or a function that returns one and asks for parameters by name.
        sources: the arguments of the function, as for `fill_arguments`.

    Raises:
        UsageError: an argument of the function is not available, or the function refuses these parameters.
        PluginError: the function fails, or returns neither True nor False.
    """
    if isinstance(stated, bool):
        return stated
    arguments = fill_arguments(owner, stated, 0, *sources)
    try:
        failed = f"{owner}: {claim} failed"
        with PluginCode(lambda error: PluginError(f"{failed}: {in_one_line(error)}"), (UsageError, PluginError)):
            found = stated(**arguments)
            if isinstance(found, bool) or getattr(getattr(found, "dtype", None), "kind", "") == "b":
                return bool(found)
    except UsageError as error:
        raise UsageError(f"{owner}: {error}") from error
    raise PluginError(f"{owner}: {claim} returned {shown(found)}; it returns True or False")


def check_arguments(owner: str, function: Callable[..., Any], subjects: int, *sources: Container[str]) -> None:
    """Raise the UsageError that `fill_arguments` would raise; no table is built to find out."""
    for parameter in extra_parameters(function, subjects):
        has_value = any(parameter.name in source for source in sources)
        if not has_value and parameter.default is inspect.Parameter.empty:
            raise _no_value(owner, parameter.name)


def _no_value(owner: str, name: str) -> UsageError:
    return UsageError(f"{owner} asks for {name!r}, which has no default and no value here")


def can_fill_arguments(function: Callable[..., Any], subjects: int, *sources: Container[str]) -> bool:
    """Return whether `fill_arguments` finds a value for each argument that a plugin's function asks for."""
    return all(
        parameter.default is not inspect.Parameter.empty or any(parameter.name in source for source in sources)
        for parameter in extra_parameters(function, subjects)
    )


def asked_names(*components: Any) -> set[str]:
    """Return the names that functions of these components, or packed forms, may ask for, their subjects included.

    Those of `Heuristic.between` are left out: few searches ask for it, and it is then the function of a heuristic.
    """
    of_fields = [named for component in components for named in all_functions(component)]
    functions = [function for field, function in of_fields if field != "between"]
    return {asked.name for function in functions for asked in extra_parameters(function, 0)}


class NoNumber(ValueError):
    """A plugin's function did not return a number; the message shows the value.

    Attributes:
        shown: the returned value, in one line.
        why: the error of converting it to a number, or `""`.
    """

    def __init__(self, value: object, why: str = "") -> None:
        self.shown, self.why = shown(value), why
        what = "not a number"
        if isinstance(value, np.ndarray) and value.size != 1:
            what = f"not a number but an array of shape {value.shape}"
        super().__init__(f"{self.shown}, which is {what}{why and f' ({why})'}")


def number(value: Any) -> float:
    """Return a value from a plugin's function as a float.

    Strings, bytes, complex numbers, dates, and arrays of more than one number are not accepted.

    Raises:
        NoNumber: the value is not a number or too large, or converting it fails.
    """
    kind = type(value)
    if kind is float:
        found: float = value
        return found
    if kind is int and -LARGEST_INT < value < LARGEST_INT:
        return float(value)
    with PluginCode(partial(_no_number, value), (NoNumber,)):
        if isinstance(value, np.generic | np.ndarray):
            is_number = value.dtype.kind in NUMBERS and value.size == 1
        else:  # without these methods `float` would parse it as a text
            is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
        if not is_number:
            raise NoNumber(value)
        return float(value.item() if isinstance(value, np.ndarray) else value)


def exact_number(value: Any) -> float:
    """Return a value that a plugin's function returned as a float, or as an int if it is whole: that is exact.

    Raises:
        NoNumber: see `number`.
    """
    if type(value) in FREQUENT:
        value = value.item()
    found = number(value)
    if type(value) is float:
        return found
    plain = value.item() if isinstance(value, np.generic | np.ndarray) else value
    return int(plain) if isinstance(plain, int) else found


def _no_number(value: Any, error: BaseException) -> NoNumber:
    if type(error) is OverflowError and isinstance(value, int):
        return NoNumber(value, "too large to compute with")
    return NoNumber(value, in_one_line(error))
