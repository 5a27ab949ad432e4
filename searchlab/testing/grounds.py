"""The ground a component is checked on: an instance, its state space, and boards to try."""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from searchlab.errors import SearchlabWarning
from searchlab.search.compiling import CannotCompile
from searchlab.search.limits import Limits
from searchlab.search.state_space import StateSpace, enumerated_space
from searchlab.testing.boards import SEED, legal_boards
from searchlab.testing.graphs import played_space, readable_space, sampled_space

if TYPE_CHECKING:
    from searchlab.board import Board
    from searchlab.testing.instances import Instance
    from searchlab.testing.patience import Clock

MOST_STATES = 2_000_000
MOST_READABLE = 20_000
TRIED = 200
"""Boards on which a function is called interpreted."""
KEPT = 6
"""State spaces kept for the next component that is checked on them."""

_kept: dict[tuple[int, str, Board, float], tuple[object, StateSpace]] = {}


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
        component = self.domain.component
        key = (id(component), str(self.domain), self.instance.board, self.clock.seconds)
        if key not in _kept:
            with warnings.catch_warnings(), self.clock.calling(prepares=True):
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
        limits = Limits(seconds=self.clock.seconds / 4, expansions=MOST_STATES)
        try:
            return enumerated_space(self.instance.board, self.domain, limits)
        except (CannotCompile, MemoryError):
            return readable_space(self.instance, MOST_READABLE, self.clock.until(1 / 4))

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
