"""`NameSpace`: the arguments by name of a plugin's functions, from several sources.

A function's first arguments, its *subjects*, are positional: a board, tiles, g and h. All further ones are passed by
name, from a single mapping, whichever component the function belongs to. `docs/plugins.md` shows it in one picture.

A source is added in `Bound.sources` of the component that has it (`BoundDomain.sources` for the domain's). Names in two
sources are refused by `refuse_claims` as soon as both are known.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

MISSING = inspect.Parameter.empty
"""The value of a parameter that has no default: a function asks for it, and somebody else has it."""


class Source(NamedTuple):
    """Some of the available arguments of functions.

    Attributes:
        what: the description of a value in error messages: "a parameter of the domain".
        values: the values by name; they, or the mapping itself, may be computed on access.
        is_complete: whether it has a value for each of its names, so that none is computed to find out.
    """

    what: str
    values: Mapping[str, Any]
    is_complete: bool = False

    @property
    def names(self) -> set[str]:
        """The names with a value, without names that a function merely asks for without a default."""
        return {name for name, value in self.values.items() if value is not MISSING}

    def has(self, name: Any) -> bool:
        """Return whether it has a value of this name."""
        if self.is_complete:
            return name in self.values
        value = self.values.get(name)
        return value is not None and value is not MISSING


class NameSpace(Mapping[str, Any]):
    """Sources in order: the first value for a name counts.

    None, and the mark for a parameter without a default, are not values: the next source is asked.

    >>> names = NameSpace([Source("a parameter", {"goal": 4}), Source("a value of the domain", {"walls": None})])
    >>> dict(names)
    {'goal': 4}
    """

    def __init__(self, sources: Iterable[Source]) -> None:
        self._sources = tuple(sources)

    def __getitem__(self, name: str) -> Any:
        for source in self._sources:
            value = source.values.get(name)
            if value is not None and value is not MISSING:
                return value
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(source.has(name) for source in self._sources)

    def __iter__(self) -> Iterator[str]:
        known = dict.fromkeys(name for source in self._sources for name in source.values)
        return (name for name in known if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class Computed(Mapping[str, Any]):
    """A source with values that are computed on access.

    Args:
        names: the names.
        value: returns the value of a name; None if it has none after all.
    """

    def __init__(self, names: Callable[[], Collection[str]], value: Callable[[str], Any]) -> None:
        self._names, self._value = names, value

    def __getitem__(self, name: str) -> Any:
        if name not in self._names():
            raise KeyError(name)
        return self._value(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __len__(self) -> int:
        return len(self._names())

    def __contains__(self, name: object) -> bool:
        return name in self._names()


def refuse_claims(owner: str, *claims: tuple[str, Collection[str]]) -> None:
    """Refuse a name that two sources claim: it would be unclear which value a function gets.

    Args:
        owner: the name of the component in the error message.
        claims: a description of each source, as in `Source.what`, and its names.

    Raises:
        PluginError: a name is claimed twice.
    """
    claimed: dict[str, str] = {}
    for what, names in claims:
        for name in names:
            if name in claimed:
                raise PluginError(f"{owner}: {name!r} is both {claimed[name]} and {what}: rename one of them")
        claimed.update(dict.fromkeys(names, what))
