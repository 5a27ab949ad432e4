"""Counterexamples on boards that are smaller than those of a sample, found step by step (delta debugging)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from searchlab.errors import BoardError, SearchlabError
from searchlab.model.states import is_board

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board

T = TypeVar("T")


@dataclass(frozen=True)
class Counterexample(Generic[T]):
    """A board that shows a fault.

    Attributes:
        board: the board.
        shown: what it shows, such as a value and a cost.
        steps: how many steps the board is smaller than the one it was looked for from.
        complete: whether no board that is one step smaller shows the fault, too.
    """

    board: Board
    shown: T
    steps: int = 0
    complete: bool = False

    def __str__(self) -> str:
        if not self.steps:
            return "no board one step smaller shows it" if self.complete else ""
        steps = f"{self.steps} step{'s' if self.steps > 1 else ''} smaller than the first that was found"
        return f"{steps}; no board one step smaller shows it" if self.complete else steps


class Undecided(Exception):
    """Whether a board shows a fault could not be found out."""


def smallest_counterexample(
    found: Counterexample[T], domain: BoundDomain, shows: Callable[[Board], T | None], goes_on: Callable[[], bool]
) -> Counterexample[T]:
    """Return a small board that shows the fault that another one shows.

    The first board that the domain calls a step smaller (`Domain.smaller`) and that shows the fault takes its place,
    until there is none: what Zeller and Hildebrandt (2002) call 1-minimal.

    Args:
        found: the counterexample to begin with.
        domain: the domain, with the static data of the board.
        shows: returns what a board shows, None if it does not show the fault; raises Undecided.
        goes_on: whether there is time for another board.
    """
    if domain.component.smaller is None:
        return found
    seen = {found.board}
    while True:
        is_decided = True
        try:
            for board in _smaller(domain, found.board):
                if board is None:
                    is_decided = False
                    continue
                if board in seen:
                    continue
                if not goes_on():
                    return found
                seen.add(board)
                try:
                    shown = shows(board)
                except Undecided:
                    is_decided = False
                    continue
                if shown is not None:
                    found = Counterexample(board, shown, found.steps + 1)
                    break
            else:
                return Counterexample(found.board, found.shown, found.steps, is_decided)
        except SearchlabError:  # a rule of the domain fails: the check of the domain reports it
            return found


def _smaller(domain: BoundDomain, board: Board) -> Iterator[Board | None]:
    """Yield the legal boards that are a step smaller; None for one with other static data, which are not shown."""
    for instance in domain.smaller(board):
        if not is_board(instance.start) or domain.of(instance).key != domain.key:
            yield None
            continue
        try:
            domain.check(instance.start)
        except BoardError:
            continue
        yield instance.start
