"""Counterexamples on boards that are smaller than those of a sample."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlab.errors import SearchlabError
from searchlab.model.formatting import counted
from searchlab.model.instance import Instance
from searchlab.model.states import is_board
from searchlab.search.descent import Undecided, descent

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board

T = TypeVar("T")


@dataclass(frozen=True)
class Counterexample(Generic[T]):
    """A board that shows a fault.

    Attributes:
        board: the board.
        shown: the evidence of the fault, such as a value and a cost.
        steps: the number of steps by which the board is smaller than the first counterexample.
        complete: whether no board that is a step smaller shows the fault.
    """

    board: Board
    shown: T
    steps: int = 0
    complete: bool = False

    def __str__(self) -> str:
        if not self.steps:
            return "no board one step smaller shows it" if self.complete else ""
        steps = f"{counted(self.steps, 'step')} smaller than the first that was found"
        return f"{steps}; no board one step smaller shows it" if self.complete else steps


def smallest_counterexample(
    found: Counterexample[T], domain: BoundDomain, shows: Callable[[Board], T | None], goes_on: Callable[[], bool]
) -> Counterexample[T]:
    """Return a small board with the same fault as a given counterexample; see `search.descent`.

    Boards with other static data are not tried, because a report cannot show them, and `complete` does not cover them.

    Args:
        found: the counterexample to begin with.
        domain: the domain, with the static data of the board.
        shows: returns the evidence of the fault on a board, or None if the board does not have it; raises Undecided.
        goes_on: returns whether there is time for another board.
    """
    if domain.component.smaller is None:
        return found

    def shows_alone(instance: Instance) -> T | None:
        if not is_board(instance.start) or domain.of(instance).key != domain.key:
            raise Undecided
        return shows(instance.start)

    instance = Instance("", found.board, domain.instance.static if domain.instance else {})
    with suppress(SearchlabError):  # a rule of the domain fails: the check of the domain reports it
        for one in descent(domain, instance, found.shown, shows_alone, goes_on):
            if one.steps or one.complete:
                found = Counterexample(one.instance.start, one.shown, one.steps, one.complete)
    return found
