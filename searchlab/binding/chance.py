"""What chance does in a domain with its parameters set; whatever a plugin's functions return is checked."""

from __future__ import annotations

from functools import cached_property, partial
from itertools import accumulate, islice
from math import fsum, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from searchlab.binding.bound import Bound, NoNumber, exact_number, number, plain_text
from searchlab.binding.names import format_name
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, UsageError, said, shown
from searchlab.model.checks import PRESET
from searchlab.model.values import resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.model.domain import Domain
    from searchlab.model.randomness import Randomness

T = TypeVar("T")
OFF = 1e-9
"""How far a sum of probabilities may be from 1."""
MOST_OFFERS = 1_000_000
"""Offers of one draw after which it is thought that none will ever be taken."""
RAW = 2.0**64
MOST_EVENTS = 2**17
"""Events after one move after which it is thought to have no end of them."""
END = object()


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
        listed = self._each(function, self._calling(function)(board), self._checked_event)
        events = tuple(islice(listed, MOST_EVENTS + 1))
        if len(events) > MOST_EVENTS:
            raise self._wrong("chance", f"yields more than {MOST_EVENTS:,} events: does it ever end?")
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
        if type(times) is not int or times < 0:
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
        asked = self._asked(function, 2)
        try:
            with PluginCode(partial(self._failed, function), (ValueError, PluginError)):
                after = function(board, event, **asked)
        except ValueError as error:
            raise UsageError(f"{self.name}: {shown(event)} is no event: {said(error)}") from error
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
            points = exact_number(earned)
        except NoNumber as error:
            raise self._wrong("points", f"returned {error} of points") from error
        if not isfinite(points):
            raise self._wrong("points", f"returned {shown(earned)}, which is no number of points")
        return points

    def remark(self, board: Board, after: Board) -> str:
        """Return what a person is told who made the move from one board to the other, an empty text for nothing."""
        return " ".join(self._text("remark", board, after).split()) if self.component.remark else ""

    @cached_property
    def _points(self) -> Callable[[Board, Board], Any]:
        assert self.component.points is not None
        return self._calling(self.component.points, 2)

    def _each(self, function: Callable[..., Any], items: Iterable[Any], checked: Callable[[Any], T]) -> Iterator[T]:
        """Yield what a plugin's function has returned, or yields, item by item, each checked."""
        contained = PluginCode(partial(self._failed, function))
        with contained:
            iterator = iter(items)
        while True:
            with contained:
                item = next(iterator, END)
                if item is END:
                    return
                made = checked(item)
            yield made

    def _checked_event(self, item: Any) -> Event:
        text, board, probability = item
        self._check_text("chance", text)
        if not isinstance(board, Board):
            raise self._wrong("chance", f"yields (event, board, probability) with a Board, not {shown(board)}")
        try:
            likely = number(probability)
        except NoNumber as error:
            raise self._wrong("chance", f"gives {text} the probability {error}") from error
        if not 0 < likely <= 1:
            raise self._wrong("chance", f"gives {text} the probability {shown(probability)}, not one above 0, up to 1")
        return Event(plain_text(text), board, likely)

    def _checked_offer(self, item: Any) -> Offer:
        text, board = item
        self._check_text("draw", text)
        if board is not None and not isinstance(board, Board):
            raise self._wrong("draw", f"yields (event, board) with a Board or None, not {shown(board)}")
        return Offer(plain_text(text), board)

    def _check_text(self, field: str, text: Any) -> None:
        if not isinstance(text, str) or not text or text != " ".join(text.split()):
            raise self._wrong(field, f"calls an event {shown(text)}, which is no text of one line")

    def _wrong(self, field: str, what: str) -> PluginError:
        return PluginError(f"{self.name}: {field} {what}")
