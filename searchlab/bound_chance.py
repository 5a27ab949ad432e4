"""What chance does in a domain with its parameters set; whatever a plugin's functions return is checked."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from math import fsum, isfinite
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from searchlab.binding import Bound, number
from searchlab.board import Board
from searchlab.declared import PRESET
from searchlab.errors import FAILURES, PluginError, UsageError, shown
from searchlab.spelling import format_name
from searchlab.values import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.randomness import Randomness
    from searchlab.rules import Domain

T = TypeVar("T")
OFF = 1e-9
"""How far a sum of probabilities may be from 1."""
MOST_OFFERS = 1_000_000
"""Offers of one draw after which it is thought that none will ever be taken."""
RAW = 2.0**64


class Event(NamedTuple):
    """What may appear after a move.

    Attributes:
        text: what tells it from the other events.
        board: the board with it.
        probability: above 0.
    """

    text: str
    board: Board
    probability: float


class Offer(NamedTuple):
    """What was drawn.

    Attributes:
        text: the event.
        board: the board with it, None where it is refused.
    """

    text: str
    board: Board | None


class OfChance(Bound):
    """What a bound domain says of chance, points and presets."""

    component: Domain

    @cached_property
    def _spelled(self) -> str:
        """The shortest spelling: by a preset, where that says more with less."""
        defaults = {parameter.name: parameter.default for parameter in self.component.parameters}
        spellings = [super()._spelled]
        for name, given in self.component.presets.items():
            preset = {**defaults, **resolve(f"domain {self.name}", self.component.parameters, given)}
            others = {key: value for key, value in self.values.items() if value != preset[key]}
            spellings.append(format_name(self.name, {PRESET: name, **others}))
        return min(spellings, key=len)

    @property
    def is_of_chance(self) -> bool:
        """Whether something appears by chance after each move: such a game is played, not searched."""
        return self.component.chance is not None

    @property
    def why_not_searched(self) -> str:
        """Why there is no solution to search for, an empty text where there may be one."""
        return f"{self.name} is a game of chance: play it, there is no path to search for" if self.is_of_chance else ""

    def chance(self, board: Board) -> tuple[Event, ...]:
        """Return what may appear after a move that led to this board; nothing in a game without chance."""
        function = self.component.chance
        if function is None:
            return ()
        events = tuple(self._each(function, self._calling(function)(board), self._checked_event))
        total = fsum(event.probability for event in events)
        if events and abs(total - 1) > OFF:
            raise self._wrong("chance", f"yields probabilities that add up to {total:.12g}, not to 1")
        return events

    def can_appear(self, board: Board) -> bool:
        """Return whether anything can appear on a board that a move has led to."""
        function = self.component.chance
        if function is None:
            return False
        return any(True for _ in self._each(function, self._calling(function)(board), self._checked_event))

    def draw(self, board: Board, random: Randomness) -> tuple[Offer, ...]:
        """Let something appear.

        Returns:
            what was drawn: the last has a board, those before it were refused. Nothing where nothing can appear.
        """
        function = self.component.draw
        if function is None:
            return self._drawn_by_probability(board, random)
        offers: list[Offer] = []
        for offer in self._each(function, self._calling(function, 2)(board, random), self._checked_offer):
            offers.append(offer)
            if offer.board is not None:
                return tuple(offers)
            if len(offers) > MOST_OFFERS:
                break
        if offers:
            raise self._wrong("draw", f"made {len(offers):,} offers, none of which it takes")
        return ()

    def _drawn_by_probability(self, board: Board, random: Randomness) -> tuple[Offer, ...]:
        """Return the first event with which the probabilities so far exceed the number that is drawn."""
        events = self.chance(board)
        if not events:
            return ()
        drawn = random.raw() / RAW
        exceeded = (
            e for e, total in zip(events, accumulate(e.probability for e in events), strict=True) if total > drawn
        )
        event = next(exceeded, events[-1])
        return (Offer(event.text, event.board),)

    def opening(self) -> int:
        """Return how many times something appears before the first move."""
        function = self.component.opening
        times = self._calling(function, 0)() if function else 0
        if isinstance(times, bool) or not isinstance(times, int) or times < 0:
            raise self._wrong("opening", f"returned {shown(times)}, not how many times something appears")
        return times

    def happen(self, board: Board, event: str) -> Board | None:
        """Return a board with this event, None where it is refused.

        Raises:
            UsageError: there is no such event.
        """
        function = self.component.happen
        if function is None:
            return self._happened(board, event)
        try:
            after = function(board, event, **self._asked(function, 2))
        except ValueError as error:
            raise UsageError(f"{self.name}: {shown(event)} is no event: {' '.join(str(error).split())}") from error
        except FAILURES as error:
            raise self._failed(function, error) from error
        if after is not None and not isinstance(after, Board):
            raise self._wrong("happen", f"returned {shown(after)}, which is no Board")
        return after

    def _happened(self, board: Board, event: str) -> Board:
        events = self.chance(board)
        after = next((known.board for known in events if known.text == event), None)
        if after is None:
            some = ", ".join(known.text for known in events[:3]) or "nothing"
            raise UsageError(f"{self.name}: {shown(event)} is no event on this board; what may appear: {some} …")
        return after

    def points(self, board: Board, after: Board) -> float:
        """Return what the move from one board to the other earns; 0 in a game without points."""
        function = self.component.points
        earned = self._points(board, after) if function else 0
        try:
            return index(earned)  # whole numbers stay exact, however large
        except TypeError:
            pass
        try:
            if isfinite(points := number(earned)):
                return points
        except (TypeError, ValueError, OverflowError):
            pass
        raise self._wrong("points", f"returned {shown(earned)}, which is no number of points")

    def remark(self, board: Board, after: Board) -> str:
        """Return what a person is told who made the move from one board to the other, an empty text for nothing."""
        return " ".join(self._text("remark", board, after).split()) if self.component.remark else ""

    @cached_property
    def _points(self) -> Callable[[Board, Board], Any]:
        assert self.component.points is not None
        return self._calling(self.component.points, 2)

    def _each(self, function: Callable[..., Any], items: Iterable[Any], checked: Callable[[Any], T]) -> Iterator[T]:
        """Yield what a plugin's function has returned, or yields, item by item, each checked."""
        try:
            for item in items:
                yield checked(item)
        except PluginError:
            raise
        except FAILURES as error:
            raise self._failed(function, error) from error

    def _checked_event(self, item: Any) -> Event:
        text, board, probability = item
        self._check_text("chance", text)
        if not isinstance(board, Board):
            raise self._wrong("chance", f"yields (event, board, probability) with a Board, not {shown(board)}")
        if not 0 < probability <= 1:
            raise self._wrong("chance", f"gives {text} the probability {shown(probability)}, not one above 0, up to 1")
        return Event(text, board, float(probability))

    def _checked_offer(self, item: Any) -> Offer:
        text, board = item
        self._check_text("draw", text)
        if board is not None and not isinstance(board, Board):
            raise self._wrong("draw", f"yields (event, board) with a Board or None, not {shown(board)}")
        return Offer(text, board)

    def _check_text(self, field: str, text: Any) -> None:
        if not isinstance(text, str) or not text or text != " ".join(text.split()):
            raise self._wrong(field, f"calls an event {shown(text)}, which is no text of one line")

    def _wrong(self, field: str, what: str) -> PluginError:
        return PluginError(f"{self.name}: {field} {what}")
