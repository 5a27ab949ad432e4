"""The components around a search: generators, executors, metrics, renderers and learners."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

from searchlab.model.component import Component, Parameter, check_choice, check_function, check_types
from searchlab.model.results import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.model.games import LearnedGame
    from searchlab.model.instance import Instance
    from searchlab.model.results import Value

VALUES = ("number", "whole", "text", "boolean")
DECLARABLE = {"better": ("low", "high"), "scale": ("linear", "log"), "aggregate": ("mean", "geometric mean", "median")}
"""What a metric can say of its values, by field."""
RESULT_COLUMNS = {field.name for field in fields(Result) if field.name != "instance"} | {"board"}
"""The fields of a Result and the columns of a table of results, which no metric can be named after."""


@dataclass(frozen=True)
class DomainExtension(Component):
    """A component around one function that works on domains.

    Attributes:
        name: the name users write.
        function: what it does.
        domains: the domains it is made for, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    name: str
    function: Callable[..., Any]
    domains: Set[str] = frozenset()
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_function(self, "function", *self.subjects, needed=True)


@dataclass(frozen=True)
class Generator(DomainExtension):
    """Makes boards from seeds: the same seed the same board, on every machine and in every version of Python.

    Attributes:
        name: the name users write.
        function: `(random)`: returns a Board or an Instance. `random` is a `random.Random` that nobody else draws from,
            seeded with the seed. Of its methods Python promises for `random()` only that it will always return the
            same, and the generators that ship with searchlab draw from nothing else: `int(random.random() * k)` is one
            of 0 … k − 1. `shuffle`, `choice`, `randrange` and `sample` return the same in Python 3.11 to 3.14. A
            `UsageError` it raises says that its parameters make no sense together.
        domains: the domains it makes boards of, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    function: Callable[..., Board | Instance]
    subjects: ClassVar[tuple[str, ...]] = ("random",)


@dataclass(frozen=True)
class Renderer(DomainExtension):
    """Draws boards as text, for people.

    Attributes:
        name: the name users write.
        function: `(board)`: returns the board's picture, lines of text. They may hold ANSI colours, which are left out
            where nobody can see them.
        domains: the domains it draws boards of, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    function: Callable[..., str]
    subjects: ClassVar[tuple[str, ...]] = ("board",)


@dataclass(frozen=True)
class Learner(DomainExtension):
    """Learns to play a game by playing it: what `searchlab train NAME` starts, stops and continues.

    Attributes:
        name: the name users write.
        function: `(domain, seed)`: returns a `Learning` of a BoundDomain that has not begun, all its chance drawn
            from the seed. A `UsageError` it raises says that it cannot learn that game, or not with these parameters.
        domains: the domains it learns, empty for any.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
        plays: how to use what was learned: a command in which FILE stands for the file's path, as
            `searchlab play --player mine:file=FILE`.
    """

    function: Callable[..., Learning]
    plays: str = ""
    subjects: ClassVar[tuple[str, ...]] = ("domain", "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_types(self, str, "a text", "plays")


class Learning(Protocol):
    """What a Learner's function returns: learning that can stop at any time and continue from a saved state.

    Two attributes are optional: `memory`, the bytes that it may come to take, and `reproducible`, False where the same
    arguments come to something else each time, as with several threads.
    """

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Learn for at most this number of moves and of games; it may stop earlier.

        What is learned must not depend on how the learning is divided into calls, if it is `reproducible`.

        Returns:
            the number of moves made, and the games that ended, each with its `moves`, `score` and `final` board.
        """

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return copies of everything needed to continue from here: arrays of numbers by name."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the state of another Learning made with the same arguments; called before learning.

        Raises:
            ValueError: the state does not fit.
        """

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the learned weights to a file that players can use, replacing it in one step.

        Args:
            about: how they were learned, kept in the file.
        """


@dataclass(frozen=True)
class Executor(Component):
    """Carries out the runs of an experiment, on this machine or on others.

    Attributes:
        name: the name users write.
        function: `(workers)`: returns an object with the interface of `concurrent.futures.Executor` that runs that many
            tasks at once. One that decides the number itself gives it as an attribute `workers`.
        summary: one line for people.
        aliases: other names for it.
        parameters: its own parameters, where checks or choices are wanted beyond what the function's defaults say.
    """

    name: str
    function: Callable[..., Any]
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    subjects: ClassVar[tuple[str, ...]] = ("workers",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_function(self, "function", *self.subjects, needed=True)


@dataclass(frozen=True)
class Metric(Component):
    """A further figure of a run: a further column of a table of results.

    Attributes:
        name: the column's. No result and no other metric may have such a column.
        function: `(result)`: called once after each run, however it ended; returns the value, None where there is none.
        summary: one line for people.
        kind: what the values are: "number", "whole" (a number), "text" or "boolean".
        better: whether less of it is better ("low") or more ("high"): tables mark the best, colours follow.
        scale: the scale on which its differences are seen: "linear", or "log" for what grows by factors.
        aggregate: what sums up several values: "mean", "geometric mean" or "median".
    """

    name: str
    function: Callable[[Result], Value]
    summary: str = ""
    kind: Literal["number", "whole", "text", "boolean"] = "number"
    better: Literal["low", "high"] = "low"
    scale: Literal["linear", "log"] = "linear"
    aggregate: Literal["mean", "geometric mean", "median"] = "mean"
    aliases: ClassVar[tuple[str, ...]] = ()  # type: ignore[misc]
    parameters: ClassVar[tuple[Parameter, ...]] = ()  # type: ignore[misc]
    subjects: ClassVar[tuple[str, ...]] = ("result",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self, "kind", VALUES)
        for field, known in DECLARABLE.items():
            check_choice(self, field, known)
        check_function(self, "function", *self.subjects, known=(), needed=True)
        if not self.name.isprintable():
            msg = f"Metric {self.name!r}: a column's name has characters only that can be seen"
            raise ValueError(msg)
        if self.name.casefold() in RESULT_COLUMNS:
            msg = (
                f"Metric {self.name!r}: every result has a column {self.name.casefold()!r} already; choose another name"
            )
            raise ValueError(msg)
