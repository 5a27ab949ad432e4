"""Components around bare functions: what a function of a file is taken for where no hook hands it over."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from searchlab.components import Heuristic, Parameter, Player, extra_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

HEURISTIC_SUBJECTS = ["tiles"]
PLAYER_SUBJECTS = ["board", "moves"]
"""What the first arguments are called of a function that is a player to those who do not say what it is."""


def bare_heuristic(name: str, function: Any) -> Heuristic:
    """Return the heuristic around a function that nothing declares: an estimate, or with `prefer=high` a score."""
    prefer = Parameter("prefer", "low", "low for an estimate, high for a score", ("low", "high"))
    taken = any(parameter.name == "prefer" for parameter in extra_parameters(function))
    return Heuristic(name, function, summary=_summary(function), parameters=() if taken else (prefer,))


def bare_player(name: str, function: Any) -> Player:
    """Return the player around a function that nothing declares."""
    return Player(name, function, summary=_summary(function))


BARE: dict[str, Callable[[str, Any], Any]] = {"heuristic": bare_heuristic, "player": bare_player}
"""What a bare function makes, by the kind that is asked for."""


def kind_of(function: Any) -> str:
    """Return what a function is if nobody says: a player if it begins with `(board, moves`, else a heuristic."""
    return "player" if _subjects(function, 2) == PLAYER_SUBJECTS else "heuristic"


def is_component(function: Any) -> bool:
    """Return whether the names of a function's first arguments say that it is a heuristic or a player."""
    return _subjects(function, 1) == HEURISTIC_SUBJECTS or _subjects(function, 2) == PLAYER_SUBJECTS


def _subjects(function: Any, count: int) -> list[str]:
    try:
        return [*signature(function).parameters][:count]
    except (TypeError, ValueError):  # no function, or one written in C
        return []


def _summary(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]
