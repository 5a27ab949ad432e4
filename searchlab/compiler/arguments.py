"""What functions of a packed form ask for by name, and whether it is there."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from searchlab.model.component import extra_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from searchlab.model.packed import PackedForm
    from searchlab.model.strategies import Heuristic


def can_follow(heuristic: Heuristic, form: PackedForm, values: Mapping[str, Any], *, in_place: bool = False) -> bool:
    """Return whether a heuristic can be updated by the moves of this form: all it asks for is there.

    Args:
        in_place: whether the moves are those that are made in place.
    """
    if in_place and not (form.in_place and form.in_place.describe):
        return False
    return can_be_called(heuristic.incremental, {*form.move, *values})


def can_be_called(function: Callable[..., Any] | None, names: Container[str]) -> bool:
    """Return whether there is a function, and all it asks for after its first argument has one of these names."""
    if function is None:
        return False
    wanted = extra_parameters(function)
    return all(p.name in names or p.default is not inspect.Parameter.empty for p in wanted)


def has_plain_moves(form: PackedForm) -> bool:
    """Return whether every move costs 1 and none ends the game: its successor function asks for neither array."""
    asked = {parameter.name for parameter in extra_parameters(form.expand or form.successors, 2)}
    return not asked & {"costs", "terminal"}
