"""What a plugin hands in around a search: generators, executors, metrics, renderers and learners.

As in `searchlab.model.strategies` each is a frozen dataclass around a plain function, which takes its subject first and
after it, by name, the parameters it wants: its own, which have defaults, and those of the domain, which are filled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from searchlab.model.checks import (
    check_choice,
    check_function,
    check_name_set,
    check_names,
    check_parameters,
    check_types,
)
from searchlab.model.parameters import Parameter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.games import LearnedGame
    from searchlab.model.results import Result, Value

VALUES = ("number", "whole", "text", "boolean")
RESULT_COLUMNS = frozenset(
    {
        *("board", "boards", "start", "domain", "heuristic", "frontier", "engine", "batch", "versions", "metrics"),
        *("status", "reason", "moves", "cost", "optimal", "actions", "seconds", "cpu_seconds", "peak_bytes"),
        *("expanded", "generated", "evaluated", "reopened", "duplicates", "stored", "max_open"),
    }
)
"""The fields of a Result and the columns of a table of results: names no metric can have."""


@dataclass(frozen=True)
class Generator:
    """Makes boards from seeds: the same seed the same board, on every machine and in every version of Python.

    Attributes:
        name: as it is spelled.
        function: `(random)`: returns a Board. `random` is a `random.Random` that nobody else draws from, seeded with
            the seed. Of its methods Python promises for `random()` only that it will always return the same, and
            the generators that ship with searchlab draw from nothing else: `int(random.random() * k)` is one of
            0 … k − 1. `shuffle`, `choice`, `randrange` and `sample` return the same in Python 3.11 to 3.14. A
            `UsageError` it raises says that its parameters make no sense together.
        domains: the domains it makes boards of, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    name: str
    function: Callable[..., Board]
    domains: Set[str] = frozenset()
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        check_names(self)
        check_parameters(self, Parameter)
        check_types(self, str, "a text", "summary")
        check_name_set(self, "domains")
        check_function(self, "function", "random", needed=True)


@dataclass(frozen=True)
class Executor:
    """Does the runs of an experiment, on this machine or on others.

    Attributes:
        name: as it is spelled.
        function: `(workers)`: returns an object with the interface of `concurrent.futures.Executor` that does as many
            things at once. Where it decides itself how many these are, it says so in an attribute `workers`.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    name: str
    function: Callable[..., Any]
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        check_names(self)
        check_parameters(self, Parameter)
        check_types(self, str, "a text", "summary")
        check_function(self, "function", "workers", needed=True)


@dataclass(frozen=True)
class Learner:
    """Learns to play a game by playing it: what `searchlab train NAME` begins, stops and goes on with.

    Attributes:
        name: as it is spelled.
        function: `(domain, seed)`: returns a `Learning`, which has not begun: of a BoundDomain, all its chance drawn
            from the seed. A `UsageError` it raises says that it cannot learn that game, or not with these parameters.
        domains: the domains it learns, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
        plays: how what was learned is used: a text in which FILE stands for the file's path, as
            `searchlab play --player mine:file=FILE`.
    """

    name: str
    function: Callable[..., Learning]
    domains: Set[str] = frozenset()
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    plays: str = ""

    def __post_init__(self) -> None:
        check_names(self)
        check_parameters(self, Parameter)
        check_types(self, str, "a text", "summary", "plays")
        check_name_set(self, "domains")
        check_function(self, "function", "domain", "seed", needed=True)


class Learning(Protocol):
    """What a Learner's function returns: learning that can be stopped at any time, and gone on with from a state."""

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Go on for so many moves or games, whichever comes first; it may stop earlier.

        What is learned must not depend on how it is divided into such calls.

        Returns:
            how many moves were made, and the games that ended, each with its `moves`, `score` and `final` board.
        """

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return copies of all that is needed to go on from here: arrays of numbers by name."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from the state of another one made with the same arguments, before anything was learned.

        A ValueError says that it does not fit.
        """

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write what has been learned to a file that players can use, replacing it in one step.

        Args:
            about: how it came to be, to be kept in the file.
        """


@dataclass(frozen=True)
class Metric:
    """A further figure of a run: a further column of a table of results.

    Attributes:
        name: the column's. No result and no other metric may have such a column.
        function: `(result)`: called once after each run, however it ended; returns the value, None where there is none.
        summary: one line for people.
        kind: what the values are: "number", "whole" (a number), "text" or "boolean".
    """

    name: str
    function: Callable[[Result], Value]
    summary: str = ""
    kind: Literal["number", "whole", "text", "boolean"] = "number"
    aliases: ClassVar[tuple[str, ...]] = ()
    parameters: ClassVar[tuple[Parameter, ...]] = ()

    def __post_init__(self) -> None:
        check_names(self)
        check_types(self, str, "a text", "summary")
        check_choice(self, "kind", VALUES)
        check_function(self, "function", "result", known=(), needed=True)
        if not self.name.isprintable():
            msg = f"Metric {self.name!r}: a column's name has characters only that can be seen"
            raise ValueError(msg)
        if self.name.casefold() in RESULT_COLUMNS:
            msg = (
                f"Metric {self.name!r}: every result has a column {self.name.casefold()!r} already; choose another name"
            )
            raise ValueError(msg)


@dataclass(frozen=True)
class Renderer:
    """Draws boards as text, for people.

    Attributes:
        name: as it is spelled.
        function: `(board)`: returns the board's picture, lines of text. They may hold ANSI colours, which are left out
            where nobody can see them.
        domains: the domains it draws boards of, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    name: str
    function: Callable[..., str]
    domains: Set[str] = frozenset()
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        check_names(self)
        check_parameters(self, Parameter)
        check_types(self, str, "a text", "summary")
        check_name_set(self, "domains")
        check_function(self, "function", "board", needed=True)
