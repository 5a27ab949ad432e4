"""Generators, renderers, executors and learners with parameter values: the results of `searchlab.generator`, …."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound, BoundToDomain, fill_arguments
from searchlab.board.board import Board
from searchlab.board.files import as_board
from searchlab.errors import PluginCode, PluginError, UsageError, shown
from searchlab.model.instance import Instance
from searchlab.model.randomness import whole_number

if TYPE_CHECKING:
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.extensions import Executor, Generator, Learner, Learning, Renderer


@dataclass(frozen=True, eq=False, repr=False)
class BoundGenerator(BoundToDomain):
    """A generator with parameter values, for a domain: `g(seed)` is a board, or an Instance if it makes instances.

    Attributes:
        domain: the domain of the boards, whose parameters fill the generator's parameters of the same name; None for a
            generator without a domain.
    """

    component: Generator
    domain: BoundDomain | None = None

    def __call__(self, seed: int) -> Any:
        """Return the Board of a seed, or the Instance if it makes instances; always the same.

        Args:
            seed: a non-negative integer.

        Raises:
            UsageError: the seed or a combination of parameters is invalid.
            PluginError: the generator failed, or did not return a board of the domain.
        """
        seed, function = whole_number(seed), self.component.function
        arguments = fill_arguments(f"generator {self.name}", function, 1, self.names())
        made = self._call(f"generator {self}", function, Random(seed), **arguments)
        wrong = self._what_is_wrong(made)
        if wrong:
            raise PluginError(f"generator {self} made no board from the seed {seed}: {wrong}")
        return made

    def instance(self, seed: int) -> Instance:
        """Return the instance of a seed, made from the board if the generator makes boards."""
        made = self(seed)
        return made if isinstance(made, Instance) else Instance("", made)

    def _what_is_wrong(self, made: object) -> str:
        if not isinstance(made, Board | Instance):
            return f"it returned {type(made).__name__} {shown(made, 40)}, not a Board"
        try:
            wrong = self.domain.why_invalid(made) if self.domain else ""
        except UsageError as error:
            return str(error)
        return f"not one of {self.domain}: {wrong}" if wrong else ""


@dataclass(frozen=True, eq=False, repr=False)
class BoundRenderer(BoundToDomain):
    """A renderer with parameter values, for a domain: `r(board)` is a picture of the board as lines of text.

    Attributes:
        domain: the domain, whose parameters and values fill the renderer's parameters of the same name.
    """

    component: Renderer
    domain: BoundDomain | None = None

    def __call__(self, board: Board | Instance | str | Path) -> str:
        """Return the picture of a board, which may be an instance or named.

        Raises:
            PluginError: the renderer failed, or returned something that is no string.
        """
        function = self.component.function
        if self.domain is None:
            renderer, board = self, board.start if isinstance(board, Instance) else as_board(board)
        else:
            domain, board = self.domain.at(board)
            renderer = self if domain is self.domain else replace(self, domain=domain)
        arguments = fill_arguments(f"renderer {self.name}", function, 1, renderer.names(board))
        with PluginCode(partial(self._failed, function)):
            picture = function(board, **arguments)
        if not isinstance(picture, str):
            raise PluginError(f"renderer {self} returned {type(picture).__name__} {shown(picture, 40)}, not a text")
        return str(picture)


@dataclass(frozen=True, eq=False, repr=False)
class BoundExecutor(Bound):
    """An executor with parameter values: `e(workers)` is an object with the interface of `concurrent.futures`."""

    component: Executor

    def __call__(self, workers: int) -> Any:
        """Return an object that runs this number of tasks at once; the caller has to shut it down.

        Raises:
            UsageError: something it needs is not there.
            PluginError: the executor failed.
        """
        function = self.component.function
        arguments = fill_arguments(f"executor {self.name}", function, 1, self.values)
        return self._call(f"executor {self.name}", function, workers, **arguments)

    def preview(self, workers: int) -> str:
        """Return what the executor would start for this number of tasks at once, `""` if it does not say.

        Raises:
            UsageError: something it needs is not there.
            PluginError: the executor failed.
        """
        function, called = self.component.preview, f"the preview of executor {self.name}"
        if function is None:
            return ""
        return str(self._call(called, function, workers, **fill_arguments(called, function, 1, self.values)))


@dataclass(frozen=True, eq=False, repr=False)
class BoundLearner(BoundToDomain):
    """A learner with parameter values, for a domain: `l(seed)` is a new Learning.

    Attributes:
        domain: the game, whose parameters fill the learner's parameters of the same name.
    """

    component: Learner
    domain: BoundDomain

    def __call__(self, seed: int) -> Learning:
        """Return a Learning that plays the games of a seed, a whole number from 0 up.

        Raises:
            UsageError: no such seed; it cannot learn that game, or not with these parameters.
            PluginError: the learner failed.
        """
        seed, function = whole_number(seed), self.component.function
        arguments = fill_arguments(f"learner {self.name}", function, 2, self.names())
        learning: Learning = self._call(f"learner {self.name}", function, self.domain, seed, **arguments)
        return learning
