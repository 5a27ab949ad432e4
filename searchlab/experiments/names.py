"""Names with lists of parameters: `{name = "beam", width = [10, 100]}` stands for `beam:width=10`, `beam:width=100`."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from searchlab.binding.names import format_name, format_value, parse_name
from searchlab.errors import UsageError
from searchlab.experiments.decoding import SpecificationError, at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from searchlab.files.toml import Place

NAME = "name"
"""The key of a table that says whose parameters the others are."""


def spelled_out(entry: str | Mapping[str, Any], place: Place) -> list[str]:
    """Return the names that an entry stands for.

    Args:
        entry: a spelled name, or a table with the name and, for each parameter, its value or a list of values: then
            the entry stands for every combination. A value that is a table is itself a name with parameters, a list
            within a list is one value.
        place: where it stands, for errors.

    >>> spelled_out({"name": "beam", "width": [10, 100]}, ())
    ['beam:width=10', 'beam:width=100']

    Raises:
        SpecificationError: a table without a name, an empty list, or a value that cannot be spelled.
    """
    if isinstance(entry, str):
        return [entry.strip()]
    name = entry.get(NAME)
    if not isinstance(name, str):
        raise SpecificationError(place, f'a table here has a {NAME}: {{{NAME} = "beam", width = [10, 100]}}')
    with at(*place, NAME):
        if parse_name(name).parameters:
            raise UsageError(f"parameters stand beside the name {name!r}, not in it")
    listed = {key: _alternatives(value, (*place, key)) for key, value in entry.items() if key != NAME}
    return [format_name(name.strip(), dict(zip(listed, values, strict=True))) for values in product(*listed.values())]


def _alternatives(value: Any, place: Place) -> list[Any]:
    """Return the values that a parameter is to have."""
    if not isinstance(value, list):
        return _one(value, place)
    if not value:
        raise SpecificationError(place, "an empty list leaves nothing to do")
    return [each for number, item in enumerate(value) for each in _one(item, (*place, number))]


def _one(value: Any, place: Place) -> list[Any]:
    """Return a value in a form that can be spelled; of a table there are as many as it has combinations."""
    if isinstance(value, dict):
        return list(spelled_out(value, place))
    if isinstance(value, list):
        return [",".join(format_value(each) for item in value for each in _one(item, place))]
    if isinstance(value, bool | int | float | str):
        return [value]
    raise SpecificationError(place, f"a number, a text or true or false is wanted, not {value}")
