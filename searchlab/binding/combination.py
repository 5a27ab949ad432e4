"""Combine heuristics: generate functions from those of the parts, so that all of them compile into one.

Arguments that the parts take from the domain are taken once, under their own names; a part's own parameters and tables
get new names, such as `part1_groups`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from searchlab.errors import UsageError
from searchlab.model.component import extra_parameters
from searchlab.model.strategies import COMBINED, MISSING, Heuristic, is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

PREFER = {"low": "the lower the better", "high": "the higher the better"}
OF_POINTS = {True: "an estimate of the points to come", False: "none of the points to come"}


class CombinedHeuristic(Protocol):
    """A bound heuristic as a part of a combination."""

    @property
    def component(self) -> Heuristic:
        """The declared component."""

    @property
    def values(self) -> Mapping[str, Any]:
        """The parameter values."""

    @property
    def domain(self) -> Any:
        """The domain, or None."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def prefer(self) -> str:
        """Whichever is better, "low" or "high"."""

    @property
    def parts(self) -> Sequence[Any]:
        """The heuristics that it combines itself."""


def combination(component: Heuristic, parts: Sequence[CombinedHeuristic]) -> Heuristic:
    """Return a heuristic with functions generated from its `combine` and the functions of its parts.

    It is updated by moves if all parts are. It then carries the value of each part (a fraction by its bits), and the
    numbers that the part carries.

    Raises:
        UsageError: the parts differ in the direction of better values, or in the estimated quantity.
    """
    prefer = _common(component, parts, [part.prefer for part in parts], PREFER)
    of_points = _common(component, parts, [part.component.of_points for part in parts], OF_POINTS)
    domains = [frozenset(part.component.domains) for part in parts if part.component.domains]
    are_plain = all(part.component.function for part in parts)
    is_updated = are_plain and all(part.component.incremental for part in parts)
    carry, incremental = _updates(component, parts) if is_updated else (None, None)
    has_between = are_plain and all(part.component.between for part in parts)
    return replace(
        component,
        function=_function(component, parts) if are_plain else None,
        batch=None if are_plain else _batch(component, parts),
        carry=carry,
        incremental=incremental,
        between=_function(component, parts, "between", "tiles_", "other_") if has_between else None,
        domains=frozenset.intersection(*domains) if domains else frozenset(),
        prefer=prefer,
        of_points=of_points,
    )


def own_values(parts: Sequence[CombinedHeuristic]) -> Iterator[tuple[str, Any, str]]:
    """Yield the argument names of a combination for each part's own values, with the part and its own name.

    These are the part's parameters, tables and models, and the own values of its parts.
    """
    for k, part in enumerate(parts):
        for name in _own(part):
            yield f"part{k}_{name}", part, name


def _own(part: CombinedHeuristic) -> tuple[str, ...]:
    filled = part.domain.names_given if part.domain else ()
    own = (name for name in part.values if name not in filled)
    return (*own, *part.component.tables, *part.component.models, *(name for name, _, _ in own_values(part.parts)))


def _common(
    component: Heuristic, parts: Sequence[CombinedHeuristic], kinds: list[Any], meaning: Mapping[Any, str]
) -> Any:
    """Return the common kind of all parts."""
    for part, kind in zip(parts, kinds, strict=True):
        if kind != kinds[0]:
            said = f"{parts[0].name} is {meaning[kinds[0]]}, {part.name} is {meaning[kind]}"
            raise UsageError(f"heuristic {component.name}: {said}; combine heuristics of one kind")
    return kinds[0]


def value_of(bits: int) -> float:
    """Return the number that has these bits.

    >>> value_of(bits_of(2.5))
    np.float64(2.5)
    """
    number: float = np.int64(bits).view(np.float64)
    return number


def bits_of(number: float) -> int:
    """Return the bits of a number, as a whole number."""
    return np.float64(number).view(np.int64)  # type: ignore[return-value]  # a NumPy integer, as compiled code needs


class FunctionSource:
    """The source of a function that calls functions of the parts, and its scope.

    Args:
        component: the heuristic that combines the parts.
        parts: the parts.
        subjects: the positional arguments of the function.

    Attributes:
        is_ambiguous: whether two parts take the same argument with different defaults.
    """

    def __init__(self, component: Heuristic, parts: Sequence[CombinedHeuristic], *subjects: str) -> None:
        assert component.combine is not None
        self._combine, self._parts, self._subjects = component.combine, parts, subjects
        self._defaults: dict[str, Any] = {}
        self._scope: dict[str, Any] = {"combine": component.combine, "value_of": value_of, "bits_of": bits_of}
        self._whole = [is_whole(part.component.function) for part in parts]
        self.is_ambiguous = False

    def call(self, k: int, form: str, *subjects: str) -> str:
        """Return the source of a call of a form of the k-th part."""
        function = getattr(self._parts[k].component, form)
        name = f"{form}{k}"
        self._scope[name] = function
        own = {inner: name for name, part, inner in own_values(self._parts) if part is self._parts[k]}
        given = list(subjects)
        for parameter in extra_parameters(function, len(subjects)):
            asked = own.get(parameter.name, parameter.name)
            self._ask(asked, parameter.default)
            given.append(f"{parameter.name}={asked}")
        return f"{name}({', '.join(given)})"

    def _ask(self, name: str, default: Any) -> None:
        known = self._defaults.setdefault(name, default)
        if known is not default and known is not MISSING and default is not MISSING:
            self.is_ambiguous |= type(known) is not type(default) or bool(np.any(known != default))
        if default is MISSING:
            self._defaults[name] = MISSING

    def combined(self, values: str) -> str:
        """Return the source of a call of `combine` with the source of a tuple of values."""
        given = [values]
        for parameter in extra_parameters(self._combine, 1):
            self._ask(parameter.name, parameter.default)
            given.append(f"{parameter.name}={parameter.name}")
        return f"combine({', '.join(given)})"

    def values(self) -> tuple[list[str], str]:
        """Return lines, and the source of a tuple of the values `v0`, `v1`, … of one type, for compiled loops."""
        names = [f"v{k}" for k in range(len(self._parts))]
        if not all(self._whole):
            return [], "".join(f"1.0 * {name}, " for name in names)
        # A function that is annotated `-> int` may return fractions with some parameters. This 0 is one where any
        # of the values is; where none is, nothing is left of it in machine code.
        lines = [f"zero = max(0, min(0, {', '.join(names)}))"]
        return lines, "".join(f"{name} + zero, " for name in names)

    def kept(self, k: int) -> str:
        """Return the source of the number that stands for the value of the k-th part."""
        return f"v{k} | 0" if self._whole[k] else f"bits_of(v{k})"

    def back(self, k: int, kept: str) -> str:
        """Return the source of the value of the k-th part from the number that stands for it."""
        return kept if self._whole[k] else f"value_of({kept})"

    def made(self, lines: Sequence[str]) -> Callable[..., Any]:
        """Return the function with these lines."""
        needed = [name for name, default in self._defaults.items() if default is MISSING]
        optional = [name for name in self._defaults if name not in needed]
        self._scope.update({f"default_{name}": self._defaults[name] for name in optional})
        listed = [*self._subjects, *needed, *(f"{name}=default_{name}" for name in optional)]
        body = "".join(f"    {line}\n" for line in lines)
        exec(f"def combined({', '.join(listed)}):\n{body}", self._scope)  # values are given by name
        function: Callable[..., Any] = self._scope.pop("combined")
        function.__name__ = function.__qualname__ = self._combine.__name__
        function.__doc__, function.__module__ = self._combine.__doc__, self._combine.__module__
        if all(self._whole) and is_whole(self._combine):
            function.__annotations__["return"] = int
        setattr(function, COMBINED, True)
        return function


def _function(
    component: Heuristic, parts: Sequence[CombinedHeuristic], form: str = "function", *subjects: str
) -> Callable[..., Any]:
    subjects = subjects or ("tiles_",)
    source = FunctionSource(component, parts, *subjects)
    lines, values = source.values()
    evaluated = [f"v{k} = {source.call(k, form, *subjects)}" for k in range(len(parts))]
    return source.made([*evaluated, *lines, f"return {source.combined(f'({values})')}"])


def _batch(component: Heuristic, parts: Sequence[CombinedHeuristic]) -> Callable[..., Any]:
    """Return `(boards)`, which is never compiled: some parts have a batch form only."""
    source = FunctionSource(component, parts, "boards_")
    lines, values = source.values()
    names = "".join(f"v{k}, " for k in range(len(parts)))
    evaluated = []
    for k, part in enumerate(parts):
        if part.component.batch:
            evaluated.append(f"v{k} = {source.call(k, 'batch', 'boards_')}")
        else:
            evaluated.append(f"v{k} = [{source.call(k, 'function', 'board')} for board in boards_]")
    each = [f"    {line}" for line in (*lines, f"found.append({source.combined(f'({values})')})")]
    looped = ["found = []", f"for {names} in zip({names}strict=True):", *each, "return found"]
    return source.made([*evaluated, *looped])


def _updates(
    component: Heuristic, parts: Sequence[CombinedHeuristic]
) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    """Return `carry` and `incremental`; None for both if the arguments of the parts are ambiguous."""
    start, update = FunctionSource(component, parts, "tiles_"), FunctionSource(component, parts, "h_", "carried_")
    started, updated, kept = [], [], ""
    for k, part in enumerate(parts):
        started.append(f"v{k} = {start.call(k, 'function', 'tiles_')}")
        before = update.back(k, f"carried_[{k}][0]")
        if part.component.carry:
            started.append(f"n{k} = {start.call(k, 'carry', 'tiles_')}")
            updated.append(f"v{k}, n{k} = {update.call(k, 'incremental', before, f'carried_[{k}][1]')}")
            kept += f"({update.kept(k)}, n{k}), "
        else:
            updated.append(f"v{k} = {update.call(k, 'incremental', before)}")
            kept += f"({update.kept(k)},), "
    lines, values = update.values()
    updated += [*lines, f"return {update.combined(f'({values})')}, ({kept})"]
    carry, incremental = start.made([*started, f"return ({kept})"]), update.made(updated)
    return (None, None) if start.is_ambiguous or update.is_ambiguous else (carry, incremental)
