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
"""The declarations of a metric about its values, by field."""
RESULT_COLUMNS = {field.name for field in fields(Result) if field.name != "instance"} | {"board"}
"""The fields of a Result and the columns of a table of results, which no metric can be named after."""


@dataclass(frozen=True)
class DomainExtension(Component):
    """A component around one function that works on domains.

    Attributes:
        name: the name users write.
        function: the function.
        domains: the names of the supported domains, empty for all.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, if checks or choices are wanted beyond the function's defaults.
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
    """Makes boards from seeds: the same seed gives the same board, on every machine and in every version of Python.

    Attributes:
        name: the name users write.
        function: `(random)`: returns a Board or an Instance. `random` is a `random.Random` seeded with the seed. Use
            only its method `random()`, as the generators that ship do: `int(random.random() * k)` is one of 0 … k − 1.
            Python guarantees stable results for this method alone; `shuffle`, `choice`, `randrange` and `sample` return
            the same in Python 3.11 to 3.14. May raise a `UsageError` for invalid combinations of parameters.
        domains: the names of the domains whose boards it makes, empty for all.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, if checks or choices are wanted beyond the function's defaults.
    """

    function: Callable[..., Board | Instance]
    subjects: ClassVar[tuple[str, ...]] = ("random",)


@dataclass(frozen=True)
class Renderer(DomainExtension):
    """Draws boards as text, for people.

    Attributes:
        name: the name users write.
        function: `(board)`: returns the picture of the board as lines of text. ANSI colours are allowed; they are
            removed if the output shows none.
        domains: the names of the supported domains, empty for all.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, if checks or choices are wanted beyond the function's defaults.
    """

    function: Callable[..., str]
    subjects: ClassVar[tuple[str, ...]] = ("board",)


@dataclass(frozen=True)
class Learner(DomainExtension):
    """Learns to play a game by playing it. `searchlab train NAME` starts, stops and continues it.

    Attributes:
        name: the name users write.
        function: `(domain, seed)`: returns a new `Learning` for a BoundDomain. All randomness must come from the seed.
            May raise a `UsageError` if the game or the parameters are not supported.
        domains: the names of the supported domains, empty for all.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, if checks or choices are wanted beyond the function's defaults.
        plays: the command that uses the learned network, with FILE in place of the path, such as `searchlab play
            --player mine:file=FILE`.
    """

    function: Callable[..., Learning]
    plays: str = ""
    subjects: ClassVar[tuple[str, ...]] = ("domain", "seed")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_types(self, str, "a text", "plays")


class Learning(Protocol):
    """The return type of a Learner's function: learning that can stop at any time and continue from a saved state.

    Two attributes are optional: `memory`, the number of bytes that learning may need, and `reproducible`, False if the
    same arguments may give different results, as with several threads.
    """

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Learn for at most this number of moves and of games; it may stop earlier.

        If learning is `reproducible`, the result must not depend on how it is divided into calls.

        Returns:
            the number of moves made, and the finished games, each with `moves`, `score` and `final` board.
        """

    def state(self) -> Mapping[str, NDArray[Any]]:
        """Return copies of everything needed to continue from here: arrays of numbers by name."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from the state of another Learning made with the same arguments; called before learning.

        Raises:
            ValueError: the state does not fit.
        """

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the learned weights to a file for players, replacing it in one step.

        Args:
            about: a description of the training, to be kept in the file.
        """


@dataclass(frozen=True)
class Executor(Component):
    """Carries out the runs of an experiment, on this machine or on others.

    Attributes:
        name: the name users write.
        function: `(workers)`: returns an object with the interface of `concurrent.futures.Executor` that runs this
            number of tasks at once. If it runs another number, the object must have an attribute `workers`.
        summary: a one-line description.
        aliases: other names.
        parameters: the component's own parameters, if checks or choices are wanted beyond the function's defaults.
        preview: `(workers)`: returns a text that `--dry-run` shows, such as the script of a job. It has the same
            parameters as the function, and must not start anything that outlives it.
    """

    name: str
    function: Callable[..., Any]
    summary: str = ""
    aliases: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    preview: Callable[..., str] | None = None
    subjects: ClassVar[tuple[str, ...]] = ("workers",)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_function(self, "function", *self.subjects, needed=True)
        check_function(self, "preview", *self.subjects)


@dataclass(frozen=True)
class Metric(Component):
    """An additional figure of a run: a column in tables of results.

    Attributes:
        name: the name of the column, distinct from all other columns of results.
        function: `(result)`: returns the value, or None. It is called once after each run, even after a failed one.
        summary: a one-line description.
        kind: the type of the values: "number", "whole" (an integer), "text" or "boolean".
        better: whether smaller values are better ("low") or larger ones ("high"). Tables mark the best, and colours
            follow.
        scale: the scale for charts: "linear", or "log" for values that grow by factors.
        aggregate: the summary of several values: "mean", "geometric mean" or "median".
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
