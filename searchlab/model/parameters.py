"""Parameter: what a component can be told; and the parameters that plugins' functions ask for by name."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from searchlab.model.checks import check_choice, check_function, check_name, check_types

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Parameter:
    """A parameter of a component.

    Attributes:
        name: as it is spelled.
        default: its value when not given; the default's type is the parameter's.
        summary: one line for people.
        choices: the values allowed, empty for any.
        check: returns what is wrong with a value, an empty text if nothing is.
        kind: "heuristic" for a parameter of a player whose value is the name of one, with parameters in brackets
            (`heuristic=[left-weighted:corner=-2]`), an empty text meaning the domain's own; the function is handed
            the BoundHeuristic. "file" for one whose value is the path of a file: what that holds counts when runs of
            an experiment are told apart.
    """

    name: str
    default: Any
    summary: str = ""
    choices: tuple[Any, ...] = ()
    check: Callable[[Any], str] | None = None
    kind: Literal["", "heuristic", "file"] = ""

    def __post_init__(self) -> None:
        check_name("Parameter", self.name)
        check_types(self, str, "a text", "summary")
        check_types(self, (tuple, list), "a tuple of values", "choices")
        check_function(self, "check", "value", known=())
        check_choice(self, "kind", ("", "heuristic", "file"))


@lru_cache(maxsize=512)
def extra_parameters(function: Callable[..., Any], subjects: int = 1) -> tuple[Parameter, ...]:
    """Return the parameters of a plugin's function after its subjects, in order.

    A parameter without a default has `inspect.Parameter.empty` in its place.
    """
    try:
        listed = list(inspect.signature(function).parameters.values())[subjects:]
    except ValueError:  # some functions written in C do not say
        return ()
    return tuple(
        Parameter(p.name, p.default)
        for p in listed
        if p.kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    )
