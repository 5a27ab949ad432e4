"""Generators, renderers, executors and learners with their parameters set: what `searchlab.generator` … return."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from searchlab.binding.bound import Bound, filled_parameters, plain_text
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, UsageError, shown
from searchlab.model.parameters import extra_parameters

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.model.extensions import Executor, Generator, Learner, Learning, Renderer


@dataclass(frozen=True, eq=False, repr=False)
class BoundGenerator(Bound):
    """A generator with its parameters set, for a domain: `g(seed)` is a board.

    Attributes:
        domain: whose parameters fill those of the generator that have the same name, and whose boards it makes; None
            for one that is made for no domain in particular.
    """

    component: Generator
    domain: BoundDomain | None = None

    def __call__(self, seed: int) -> Board:
        """Return the board of a seed, always the same.

        Args:
            seed: a whole number, 0 or more.

        Raises:
            UsageError: no such seed, or parameters that make no sense together.
            PluginError: the generator failed, or made something that is no board of the domain.
        """
        if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
            raise UsageError(f"a seed is a whole number, 0 or more, not {shown(seed, 40)}")
        function = self.component.function
        of_domain = self.domain.values if self.domain else {}
        filled = filled_parameters(f"generator {self.name}", extra_parameters(function), of_domain, self.values)
        try:
            with PluginCode(partial(self._failed, function), (UsageError, PluginError)):
                board = function(Random(seed), **filled)
        except UsageError as error:
            raise UsageError(f"generator {self}: {error}") from error
        wrong = self._what_is_wrong(board)
        if wrong:
            raise PluginError(f"generator {self} made no board from the seed {seed}: {wrong}")
        return board

    def _what_is_wrong(self, made: object) -> str:
        """Return why something is no board of the domain, else an empty text."""
        if not isinstance(made, Board):
            return f"it returned {type(made).__name__} {shown(made, 40)}, not a Board"
        wrong = self.domain.why_invalid(made) if self.domain else ""
        return f"not one of {self.domain}: {wrong}" if wrong else ""


@dataclass(frozen=True, eq=False, repr=False)
class BoundRenderer(Bound):
    """A renderer with its parameters set, for a domain: `r(board)` is the board's picture, lines of text.

    Attributes:
        domain: whose parameters and offers fill the renderer's parameters of the same name.
    """

    component: Renderer
    domain: BoundDomain | None = None

    def __call__(self, board: Board) -> str:
        """Return a board's picture.

        Raises:
            PluginError: the renderer failed, or returned something else than a text.
        """
        function = self.component.function
        wanted = extra_parameters(function)
        offered = self.domain.offers({parameter.name for parameter in wanted}, board) if self.domain else {}
        filled = filled_parameters(f"renderer {self.name}", wanted, offered, self.values)
        with PluginCode(partial(self._failed, function)):
            picture = function(board, **filled)
        if not isinstance(picture, str):
            raise PluginError(f"renderer {self} returned {type(picture).__name__} {shown(picture, 40)}, not a text")
        return plain_text(picture)


@dataclass(frozen=True, eq=False, repr=False)
class BoundExecutor(Bound):
    """An executor with its parameters set: `e(workers)` is an object with the interface of `concurrent.futures`."""

    component: Executor

    def __call__(self, workers: int) -> Any:
        """Return what does as many things at once; whoever asks for it has to shut it down.

        Raises:
            UsageError: something it needs is not there.
            PluginError: the executor failed.
        """
        function = self.component.function
        filled = filled_parameters(f"executor {self.name}", extra_parameters(function), self.values)
        try:
            with PluginCode(partial(self._failed, function), (UsageError, PluginError)):
                return function(workers, **filled)
        except UsageError as error:
            raise UsageError(f"executor {self.name}: {error}") from error


@dataclass(frozen=True, eq=False, repr=False)
class BoundLearner(Bound):
    """A learner with its parameters set, for a domain: `l(seed)` is a Learning that has not begun.

    Attributes:
        domain: the game it learns, whose parameters fill those of the learner that have the same name.
    """

    component: Learner
    domain: BoundDomain

    def __call__(self, seed: int) -> Learning:
        """Return what learns from the games of a seed.

        Raises:
            UsageError: it cannot learn that game, or not with these parameters.
            PluginError: the learner failed.
        """
        function = self.component.function
        wanted = extra_parameters(function, 2)
        filled = filled_parameters(f"learner {self.name}", wanted, self.domain.values, self.values)
        try:
            with PluginCode(partial(self._failed, function), (UsageError, PluginError)):
                return function(self.domain, seed, **filled)
        except UsageError as error:
            raise UsageError(f"learner {self.name}: {error}") from error
