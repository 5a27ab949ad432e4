"""The ground a component is checked on: an instance, its state space, and the boards of it in the order of looking."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from functools import cached_property
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.functions import CannotCompile
from searchlab.errors import SearchlabWarning
from searchlab.model.limits import Limits
from searchlab.search.compiled.enumeration import Enumeration
from searchlab.search.state_space import StateSpace, enumerated_space
from searchlab.search.watch import Watch
from searchlab.testing.boards import SEED, legal_boards
from searchlab.testing.graphs import played_space, readable_space, sampled_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from searchlab.board.board import Board
    from searchlab.search.deadline import Clock
    from searchlab.testing.findings import Finding
    from searchlab.testing.instances import Instance

STATES_A_SECOND = 100_000
"""States that a whole state space may have for each second of checking, ten times as many as can be looked at."""
LEAST_STATES = 200_000
"""States that it may always have, those of the 8-puzzle among them."""
MOST_STATES = 2_000_000
MOST_READABLE = 20_000
SPACE_TIME = 1.5
"""Seconds a whole state space may take to be found by the compiled rules, for each second of checking."""
LEAST_SPACE_SECONDS = 2.0
"""Seconds it may always take: the 181,440 states of the 8-puzzle take 0.2."""
TRIED = 200
"""Boards on which a function is called interpreted, where it is not called on as many as there is time for."""
FIRST = 1000
"""Goals, and states that are the farthest from the start, that are looked at before all others."""
FIRST_PIECE, TOGETHER = 16, 512
"""Boards looked at between two looks at the clock, at first and at the most."""
QUICK = 0.1
"""Seconds that these should not exceed."""
LEAST_SHARE = 0.05
"""Of a share of the time, what is too little to go on with."""
KEPT = 8
"""State spaces kept for the next component that is checked on them."""

_kept: dict[tuple[int, str, Board, float, bool], tuple[object, StateSpace]] = {}


class Survey(ABC):
    """A survey looks at one board after another, a few at a time.

    Attributes:
        faults: the first fault of each property of the contract, by the property's name.
        looked: the number of boards looked at.
        is_done: whether all boards were looked at.
    """

    def __init__(self) -> None:
        self.faults: dict[str, Finding] = {}
        self.looked = 0
        self.is_done = False

    def look(self, goes_on: Callable[[], bool]) -> None:
        """Look at more boards, a few at least, while there is time."""
        for _ in self._looking:
            if not goes_on():
                return
        self.is_done = True

    @cached_property
    def _looking(self) -> Iterator[None]:
        return self._look_at_all()

    @abstractmethod
    def _look_at_all(self) -> Iterator[None]:
        """Look at all boards; yield now and then, where it can be interrupted."""


def look_in_turn(surveys: Sequence[Survey], clock: Clock, share: float) -> None:
    """Let surveys look at boards for a share of the time: what one does not need of it is there for the others."""
    waiting, began = surveys, time.process_time()
    while waiting:
        left = share - (time.process_time() - began) / max(clock.seconds, 1e-9)
        if left <= LEAST_SHARE * share and waiting is not surveys:
            return
        for survey, goes_on in zip(waiting, clock.in_turn(left, len(waiting)), strict=True):
            survey.look(goes_on)
        waiting = [survey for survey in waiting if not survey.is_done]


def in_pieces(items: Any, goes_on: Callable[[], bool] = lambda: True, most: int = TOGETHER) -> Iterator[Any]:
    """Yield slices of what can be sliced, as long as there is time, and one at the least."""
    at, size = 0, FIRST_PIECE
    while at < len(items) and (goes_on() or not at):
        began = time.monotonic()
        yield items[at : at + size]
        at += size
        size = min(2 * size, most) if time.monotonic() - began < QUICK else max(1, size // 2)


class Ground:
    """An instance, and what is known of it.

    Args:
        instance: a domain and a board.
        clock: the time there is.
    """

    def __init__(self, instance: Instance, clock: Clock) -> None:
        self.instance, self.domain, self.clock = instance, instance.domain, clock

    @cached_property
    def space(self) -> StateSpace:
        """The whole state space where that is small enough, else a sample of it."""
        component, clock = self.domain.component, self.clock
        key = (id(component), str(self.domain), self.instance.board, clock.seconds, clock.thorough)
        if key not in _kept:
            with warnings.catch_warnings(), clock.calling(prepares=True):
                warnings.simplefilter("ignore", SearchlabWarning)  # what runs interpreted is said elsewhere
                space = self._found_space()
            while len(_kept) >= KEPT:
                del _kept[next(iter(_kept))]
            _kept[key] = component, space
        return _kept[key][1]

    def _found_space(self) -> StateSpace:
        if self.domain.is_of_chance:
            return played_space(self.instance, self.clock)
        return self._whole_space() or sampled_space(self.instance, self.clock)

    def _whole_space(self) -> StateSpace | None:
        seconds, states = max(LEAST_SPACE_SECONDS, SPACE_TIME * self.clock.seconds), MOST_STATES
        if self.clock.thorough:
            seconds = inf
        else:
            states = min(states, max(LEAST_STATES, int(STATES_A_SECOND * self.clock.seconds)))
        try:
            return enumerated_space(self.instance.board, self.domain, Limits(seconds, expansions=states))
        except (CannotCompile, MemoryError):
            most = MOST_STATES if self.clock.thorough else MOST_READABLE
            return readable_space(self.instance, most, self.clock.looking(1 / 4))

    @cached_property
    def compiled(self) -> Enumeration | CannotCompile:
        """The domain's compiled rules for boards of this shape, or why there are none."""
        try:
            with self.clock.calling(prepares=True):
                return Enumeration(self.instance.board, self.domain, Watch(Limits()), revisited_layers="any")
        except CannotCompile as error:
            return error

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The states in the order in which their boards are looked at, until time is up.

        Goals and the deepest states come first, then those next to a goal, then all others at random, each with its
        successors, so that there are moves between those looked at.
        """
        space = self.space
        goals, deepest = np.flatnonzero(space.goals), np.argsort(-space.depths, kind="stable")[:FIRST]
        goals = goals[:: -(-len(goals) // FIRST) or 1]
        shuffled = np.random.default_rng(SEED).permutation(len(space))
        others = np.column_stack([shuffled, space.successors[shuffled]]).ravel()
        listed = np.concatenate([goals, deepest, space.by_cost[:FIRST], others[others >= 0]])
        place = np.empty(len(space), np.int64)
        place[listed[::-1]] = np.arange(len(listed))[::-1]  # of several places the first is written last
        return np.argsort(place, kind="stable")

    def in_order(self, goes_on: Callable[[], bool] = lambda: True) -> Iterator[NDArray[np.int64]]:
        """Yield the states in the order of looking, some at a time, as long as there is time."""
        return in_pieces(self.order, goes_on)

    @cached_property
    def boards(self) -> list[Board]:
        """Boards a search may meet, those nearest to a goal first."""
        space = self.space
        near = space.by_cost[: TRIED // 2]
        others = np.random.default_rng(SEED).permutation(len(space))[: TRIED - len(near)]
        numbers = list(dict.fromkeys([*near.tolist(), *others.tolist()]))
        return space.boards(numbers)

    @cached_property
    def odd_boards(self) -> list[Board]:
        """Legal boards that a search from the instance's board does not meet, as far as that is known."""
        return legal_boards(self.domain, self.boards, TRIED)

    def extent(self) -> str:
        """Return how much of the state space is known, in words."""
        every = f"all {len(self.space):,}" if self.space.complete else f"{len(self.space):,} sampled"
        return f"{every} boards of {self.instance}"
