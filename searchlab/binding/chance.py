"""BoundChance: the part of a BoundDomain that calls the functions of a `Chance`."""

from __future__ import annotations

from functools import partial
from itertools import accumulate
from math import fsum, isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding.bound import Bound, NoNumber, exact_number, fill_arguments, number
from searchlab.board.board import Board
from searchlab.errors import PluginCode, PluginError, UsageError, at_most, message_of, shown
from searchlab.errors.cached import cached_property

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.interpreted import InterpretedForm
    from searchlab.model.domain import Domain
    from searchlab.model.randomness import Randomness

TOLERANCE = 1e-9
"""The largest deviation of a sum of probabilities from 1."""
MOST_OFFERS = 1_000_000
"""The number of refused offers after which a draw is considered endless."""
RAW_NUMBERS = 2.0**64
"""The number of values of `Randomness.raw`."""
MOST_EVENTS = 2**17
"""The number of events after which a chance function is considered endless."""


class Event(NamedTuple):
    """An event that may follow a move.

    Attributes:
        text: the name of the event, unique among the events of a board.
        board: the board after the event.
        probability: the probability of the event, above 0.
    """

    text: str
    board: Board
    probability: float


class Offer(NamedTuple):
    """An event that was drawn, and accepted or refused.

    Attributes:
        text: the name of the event.
        board: the board after the event, None if it is refused.
    """

    text: str
    board: Board | None


class BoundChance(Bound):
    """The events, draws and points of a domain; a domain without a `Chance` has none."""

    component: Domain

    def _interpreted(self, board: Board) -> InterpretedForm:
        """Return the interpreted packed form for boards of this shape."""
        raise NotImplementedError

    @property
    def is_of_chance(self) -> bool:
        """Whether the domain is a game of chance, which is played and not searched."""
        return self.component.chance is not None

    @property
    def why_not_searched(self) -> str:
        """An error message for searches in a game of chance, `""` for other domains."""
        if not self.is_of_chance:
            return ""
        return (
            f"{self.name} is a game of chance, which has no path to search for: play it; "
            f"sl.exact_values and the player exact solve small ones"
        )

    def chance(self, board: Board) -> tuple[Event, ...]:
        """Return the events that may follow a move to this board; none in a domain without chance."""
        if self.component.chance is None:
            return ()
        listed = self._each(self._chance_rule, self._chances(board), self._checked_event)
        events = tuple(at_most(MOST_EVENTS, listed, "events", partial(self._wrong, "events")))
        total = fsum(event.probability for event in events)
        if events and abs(total - 1) > TOLERANCE:
            raise self._wrong("events", f"yields probabilities that add up to {total:.12g}, not to 1")
        return events

    def can_appear(self, board: Board) -> bool:
        """Return whether any event can follow a move to this board."""
        if self.component.chance is None:
            return False
        return any(True for _ in self._each(self._chance_rule, self._chances(board), self._checked_event))

    @cached_property
    def _chances(self) -> Callable[[Board], Any]:
        function = self.component.get("chance.events")
        return self._wrap(function) if function else self._interpreted_chances

    @property
    def _chance_rule(self) -> Callable[..., Any]:
        """The function to name in errors of events."""
        return self.component.get("chance.events") or self._interpreted_chances

    def _interpreted_chances(self, board: Board) -> Iterator[tuple[str, Board, float]]:
        """Yield the events of the packed form, which are named event-1, event-2 and so on."""
        for k, (after, probability) in enumerate(self._interpreted(board).events(board)):
            yield f"event-{k + 1}", after, probability

    def draw(self, board: Board, random: Randomness) -> tuple[Offer, ...]:
        """Draw an event.

        Returns:
            the offers, all refused but the last; empty if no event is possible.
        """
        if self.component.chance is None:
            return ()
        function = self.component.chance.draw
        if function is None:
            is_packed = self.component.chance.events is None and self._interpreted(board).form.draws is not None
            return self._interpreted_draw(board, random) if is_packed else self._drawn_by_probability(board, random)
        offers: list[Offer] = []
        for offer in self._each(function, self._wrap(function, 2)(board, random), self._checked_offer):
            offers.append(offer)
            if offer.board is not None:
                return tuple(offers)
            if len(offers) > MOST_OFFERS:
                break
        if offers:
            raise self._wrong("draw", f"refused every offer ({len(offers):,})")
        return ()

    def _interpreted_draw(self, board: Board, random: Randomness) -> tuple[Offer, ...]:
        """Return the event drawn by the packed form."""
        drawn = self._interpreted(board).drawn(board, random)
        if drawn is None:
            return ()
        text = next((event.text for event in self.chance(board) if event.board == drawn), None)
        if text is None:
            raise self._wrong("draw", "wrote a board to which no event leads")
        return (Offer(text, drawn),)

    def _drawn_by_probability(self, board: Board, random: Randomness) -> tuple[Offer, ...]:
        """Return the first event whose cumulative probability exceeds a random number."""
        events = self.chance(board)
        if not events:
            return ()
        drawn = random.raw() / RAW_NUMBERS
        exceeded = (
            e for e, total in zip(events, accumulate(e.probability for e in events), strict=True) if total > drawn
        )
        event = next(exceeded, events[-1])
        return (Offer(event.text, event.board),)

    def opening(self) -> int:
        """Return the number of events before the first move."""
        function = self.component.get("chance.opening")
        times = self._wrap(function, 0)() if function else 0
        if type(times) is not int or times < 0:
            raise self._wrong("opening", f"returned {shown(times)}, not a number of events")
        return times

    def apply(self, board: Board, event: str) -> Board | None:
        """Return the board after this event, None if it is refused.

        Raises:
            UsageError: no such event can follow.
        """
        function = self.component.get("chance.apply")
        if function is None:
            return self._applied(board, event)
        arguments = fill_arguments(self.name, function, 2, self.values, self.names(board))
        try:
            with PluginCode(partial(self._failed, function), (ValueError, PluginError)):
                after = function(board, event, **arguments)
        except ValueError as error:
            raise UsageError(f"{self.name}: {shown(event)} is not an event: {message_of(error)}") from error
        if after is not None and not isinstance(after, Board):
            raise self._wrong("apply", f"returned {shown(after)}, not a Board")
        return after

    def _applied(self, board: Board, event: str) -> Board:
        events = self.chance(board)
        after = next((known.board for known in events if known.text == event), None)
        if after is None:
            some = ", ".join(known.text for known in events[:3]) or "nothing"
            raise UsageError(f"{self.name}: {shown(event)} is not an event on this board; events are {some} …")
        return after

    def points(self, board: Board, after: Board) -> float:
        """Return the points of the move from one board to the other, 0 in a game without points."""
        earned = self._points(board, after) if self.component.has_points else 0
        try:
            points = exact_number(earned)
        except NoNumber as error:
            raise self._wrong("points", f"returned {error}") from error
        if not isfinite(points):
            raise self._wrong("points", f"returned {shown(earned)}, not a number")
        return points

    @cached_property
    def _points(self) -> Callable[[Board, Board], Any]:
        function = self.component.get("chance.points")
        return self._wrap(function, 2) if callable(function) else self._interpreted_points

    def _interpreted_points(self, board: Board, after: Board) -> float:
        """Return the points that the packed form's successor function writes for the move."""
        from searchlab.binding.interpreted import asks_for_points

        interpreted = self._interpreted(board)
        if not asks_for_points(interpreted.form.successors):
            raise self._wrong("points", "is 'packed', but the packed form's successor function asks for no points")
        earned = (move.points for move in interpreted.successors(board) if move.board == after)
        points = next(earned, None)
        if points is None:
            raise self._wrong("points", "is undefined for a board to which no move leads")
        return points

    def _checked_event(self, item: Any) -> Event:
        text, board, probability = item
        self._check_text("events", text)
        if not isinstance(board, Board):
            raise self._wrong("events", f"yields (event, board, probability) with a Board, not {shown(board)}")
        try:
            likely = number(probability)
        except NoNumber as error:
            raise self._wrong("events", f"gives {text} the probability {error}") from error
        if not 0 < likely <= 1:
            raise self._wrong("events", f"gives {text} the probability {shown(probability)}, not above 0 and up to 1")
        return Event(str(text), board, likely)

    def _checked_offer(self, item: Any) -> Offer:
        text, board = item
        self._check_text("draw", text)
        if board is not None and not isinstance(board, Board):
            raise self._wrong("draw", f"yields (event, board) with a Board or None, not {shown(board)}")
        return Offer(str(text), board)

    def _check_text(self, field: str, text: Any) -> None:
        if not isinstance(text, str) or not text or text != " ".join(text.split()):
            raise self._wrong(field, f"names an event {shown(text)}, not by a text of one line")
