"""Descend step by step from a board to a small board that still shows the same property (delta debugging)."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from searchlab.errors import BoardError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.model.instance import Instance

T = TypeVar("T")


class Undecided(Exception):  # not an error: the descent goes on with the next board
    """It could not be decided whether a board shows the property."""


class Descended(NamedTuple, Generic[T]):
    """The smallest board so far.

    Attributes:
        instance: the board, with its static data.
        shown: the return value of `shows` for this board.
        steps: the number of times that a smaller board was found.
        complete: whether no board that is one step smaller shows the property.
    """

    instance: Instance
    shown: T
    steps: int
    complete: bool


def descent(
    domain: BoundDomain,
    instance: Instance,
    shown: T,
    shows: Callable[[Instance], T | None],
    goes_on: Callable[[], bool],
    further: Callable[[Instance, T], Iterable[Instance]] = lambda instance, shown: (),
) -> Iterator[Descended[T]]:
    """Yield a board and ever smaller boards with the same property (Zeller and Hildebrandt 2002).

    The first candidate that shows the property replaces the board. This is repeated until no candidate does, so that
    the last board is 1-minimal. Candidates are legal, and each board is a candidate at most once.

    Args:
        domain: the domain; candidates are the boards one step smaller (`Domain.smaller`).
        instance: the board to begin with.
        shown: the return value of `shows` for this board.
        shows: returns the property of a board, None if the board lacks it; may raise Undecided.
        goes_on: returns whether there is time for another board.
        further: returns further candidates, given the smallest board so far and its property.
    """
    seen = {(instance.start, instance.digest)}
    latest = Descended(instance, shown, 0, complete=False)
    yield latest
    while True:
        is_decided = True
        smaller = domain.of(latest.instance).smaller(latest.instance.start)
        for candidate in chain(smaller, further(latest.instance, latest.shown)):
            key = candidate.start, candidate.digest
            if key in seen or not is_legal(domain, candidate):
                continue
            if not goes_on():
                return
            try:
                found = shows(candidate)
            except Undecided:
                is_decided = False
                continue
            seen.add(key)
            if found is not None:
                latest = Descended(candidate, found, latest.steps + 1, complete=False)
                yield latest
                break
        else:
            yield latest._replace(complete=is_decided)
            return


def is_legal(domain: BoundDomain, instance: Instance) -> bool:
    """Return whether a domain accepts a board."""
    try:
        domain.of(instance).check(instance.start)
    except BoardError:
        return False
    return True
