"""The contract of a game of chance: what may appear is what does, in every form, and as often as it says."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginError, SearchlabError
from searchlab.games.game import GameState, random_source
from searchlab.model.randomness import Randomness
from searchlab.search.compiled.chances import CompiledChances
from searchlab.testing.boards import SEED
from searchlab.testing.domain_survey import at
from searchlab.testing.explaining import obstacle
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from searchlab.binding.domain import BoundDomain, Event
    from searchlab.board.board import Board
    from searchlab.testing.domains import DomainEvidence

ASKED = 300
"""Boards on which each question is asked."""
DRAWS = 20
"""Draws from a board that are looked at one by one."""
COUNTED = 4000
"""Draws from one board of each instance that are counted."""
FAR = 6.0
"""Standard deviations from what is expected, and events, beyond which a count is thought to be wrong."""
SEEDS = range(5)


def chances(evidence: DomainEvidence) -> Finding:
    """Ask what may appear on each board twice, and look at it."""
    events = 0
    for domain, board in _boards(evidence):
        here = _chance(evidence, domain, board)
        if isinstance(here, Finding):
            return here
        if here != _chance(evidence, domain, board):
            return failed("asked twice, something else may appear, or in another order", at(domain, board))
        twice = next((text for text, count in Counter(event.text for event in here).items() if count > 1), None)
        if twice is not None:
            return failed(f"two events on a board are both called {twice}", at(domain, board))
        for event in here:
            wrong = domain.why_invalid(event.board)
            if wrong:
                what = f"the event {event.text} leads to a board that is none of this game: {wrong}"
                return failed(what, ("from:", board), ("to:", event.board))
        events += len(here)
    return passed(f"{events:,} events: the same when asked twice, their probabilities add up to 1", events=events)


def happens(evidence: DomainEvidence) -> Finding:
    """Let each event happen that may appear."""
    events = 0
    for domain, board in _boards(evidence):
        for event in domain.chance(board):
            try:
                with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                    after = domain.happen(board, event.text)
            except SearchlabError as error:
                return failed(f"chance lists the event {event.text}, but: {error}", at(domain, board))
            if after != event.board:
                said = f"happen({event.text}) {'refuses it' if after is None else 'leads to another board'}"
                shown = () if after is None else (("by happen:", after),)
                return failed(f"{said}, and chance lists it", at(domain, board), ("by chance:", event.board), *shown)
            events += 1
    return passed(f"{events:,} events lead by their texts where chance says", events=events)


def draws(evidence: DomainEvidence) -> Finding:
    """Draw from each board, and begin games."""
    drawn = 0
    for domain, board in _boards(evidence):
        for seed in range(DRAWS):
            wrong = _wrong_draw(evidence, domain, board, seed)
            if wrong:
                return failed(wrong, at(domain, board))
            drawn += 1
    for ground in evidence.on:
        if ground.domain.component.start is None:
            continue
        for seed in SEEDS:
            first, second = (GameState(ground.domain, random_source(ground.domain, Randomness(seed))) for _ in range(2))
            if (first.start, first.opening) != (second.start, second.opening):
                return failed("begun twice with the same seed, a game begins differently", ("once:", first.start))
            wrong = ground.domain.why_invalid(first.start)
            if wrong:
                return failed(f"a game begins with a board that is none: {wrong}", at(ground.domain, first.start))
    return passed(f"{drawn:,} draws are events that chance lists, the same when drawn again", draws=drawn)


def _wrong_draw(evidence: DomainEvidence, domain: BoundDomain, board: Board, seed: int) -> str:
    """Return what is wrong with what is drawn with a seed, an empty text if nothing is."""
    known = {event.text: event.board for event in domain.chance(board)}
    with evidence.clock.calling(lambda: board):
        offers = domain.draw(board, Randomness(seed))
        again = domain.draw(board, Randomness(seed))
    if offers != again:
        return "drawn twice from the same random numbers, something else appears; draw from `random` only"
    if bool(offers) != bool(known):
        return f"chance lists {len(known)} events, but {len(offers)} offers are drawn"
    for text, after in offers:
        if after is not None and known.get(text) != after:
            return f"the event {text} is drawn, which chance does not list, or with another board"
        if after is None and (text in known or domain.happen(board, text) is not None):
            return f"the offer {text} is refused when it is drawn, and elsewhere it is not"
    return ""


def frequencies(evidence: DomainEvidence) -> Finding:
    """Draw from one board of each instance many times, and count."""
    counted = 0
    for instance, boards in evidence.walked:
        domain = instance.domain
        listed = ((board, domain.chance(board)) for board in _after(evidence, domain, boards))
        board, events = next(((board, events) for board, events in listed if len(events) > 1), (instance.board, ()))
        random, counts = Randomness(SEED), Counter[str]()
        goes_on = evidence.clock.until(1 / (10 * len(evidence.walked)))
        for _ in range(COUNTED if events else 0):
            if not goes_on():
                break
            with evidence.clock.calling(lambda board=board: board):  # type: ignore[misc]
                counts.update(offer.text for offer in domain.draw(board, random)[-1:])
        wrong = _unlikely(events, counts)
        if wrong:
            return failed(wrong, at(domain, board))
        counted += counts.total()
    if not counted:
        return skipped("no board was met on which several things may appear")
    return passed(f"{counted:,} draws: each event about as often as its probability says", draws=counted)


def _unlikely(events: tuple[Event, ...], counts: Counter[str]) -> str:
    """Return which count is far from what its event's probability says, an empty text if none is."""
    total = counts.total()
    for event in events:
        expected = event.probability * total
        if abs(counts[event.text] - expected) > FAR * (1 + expected**0.5):
            return f"of {total:,} draws {counts[event.text]:,} are {event.text}, where {expected:,.0f} are expected"
    return ""


def compiled_chances(evidence: DomainEvidence) -> Finding:
    """Compare what may appear by the compiled rules with the readable ones."""
    compile_for = cache(CompiledChances.of)
    events = 0
    for instance, _ in evidence.walked:
        form = instance.domain.packed(instance.board)
        try:
            with evidence.clock.calling(prepares=True):
                compiled = compile_for(instance.domain, instance.board)
        except CannotCompile as error:
            return not_compiled(evidence, error, next(filter(None, form.of_chance), None) if form else None)
        for domain, board in _boards(evidence):
            if domain is not instance.domain:
                continue
            expected = [(event.board, event.probability) for event in domain.chance(board)]
            here = compiled.after(board)
            if here != expected:
                return _difference(domain, board, expected, here)
            events += len(expected)
    return passed(f"{events:,} events are the same compiled and readable, to the last bit", events=events)


def not_compiled(evidence: DomainEvidence, error: CannotCompile, function: Callable[..., int] | None) -> Finding:
    """Return what is found where a form cannot be compiled, and where in it that is."""
    said = str(error)
    if function is not None:
        found = obstacle(error, function)
        said = f"{found.file}, {found}"
    return info(said) if evidence.allow_interpreted else failed(said)


def _difference(
    domain: BoundDomain, board: Board, expected: list[tuple[Board, float]], here: list[tuple[Board, float]]
) -> Finding:
    """Return the first event in which the compiled rules differ from the readable ones."""
    for k, ((after, probability), (other, value)) in enumerate(zip(expected, here, strict=False), 1):
        if after != other:
            return failed(f"event {k} is another board", at(domain, board), ("readable:", after), ("compiled:", other))
        if probability != value:
            said = f"event {k} has the probability {probability!r} readable, {value!r} compiled"
            return failed(f"{said}: let both compute it in the same way", at(domain, board))
    return failed(f"{len(expected)} events readable, {len(here)} compiled", at(domain, board))


def _boards(evidence: DomainEvidence) -> Iterator[tuple[BoundDomain, Board]]:
    """Yield boards on which something may appear: those after moves, as long as there is time for one question."""
    goes_on = evidence.clock.until(1 / 10)
    for instance, boards in evidence.walked:
        for board in _after(evidence, instance.domain, boards)[:ASKED]:
            yield instance.domain, board
            if not goes_on():
                break


def _after(evidence: DomainEvidence, domain: BoundDomain, boards: list[Board]) -> list[Board]:
    """Return the boards after the moves from these."""
    after = {edge.board: None for board in boards for edge in evidence.edges(domain, board) if not edge.terminal}
    return list(after)


def _chance(evidence: DomainEvidence, domain: BoundDomain, board: Board) -> tuple[Event, ...] | Finding:
    """Return what may appear on a board, or what is wrong with that."""
    try:
        with evidence.clock.calling(lambda: board):
            return domain.chance(board)
    except PluginError as error:
        return failed(str(error), at(domain, board))


CHANCES = (
    Property("chances", "Is what may appear always the same, with probabilities that add up to 1?", chances),
    Property("happens", "Does an event lead by its text where chance says?", happens),
    Property("draws", "Is what is drawn what may appear?", draws),
    Property("frequencies", "Is it drawn as often as its probability says?", frequencies),
    Property("same-chances", "Are the compiled chances those on Board objects, to the last bit?", compiled_chances),
)
"""What is asked of games of chance besides."""
