"""The contract of a game that can be learned in compiled code: whole games are those on Board objects."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from searchlab.compiler.functions import CannotCompile
from searchlab.compiler.packing import Packing
from searchlab.games.learning.compiled import CompiledLearner
from searchlab.games.learning.network import NTupleNetwork
from searchlab.games.learning.td import learned_games
from searchlab.model.randomness import Randomness, words_of
from searchlab.testing.boards import SEED
from searchlab.testing.domain_chances import not_compiled
from searchlab.testing.findings import Finding, Property, failed, passed, skipped

if TYPE_CHECKING:
    from searchlab.binding.domain import BoundDomain
    from searchlab.model.games import LearnedGame
    from searchlab.testing.domains import DomainEvidence

GAMES, MOVES = 5, 3000
"""So many games are compared, and those that end within so many moves."""
MOST_BITS = 12
RATE = 0.5


def same_games(evidence: DomainEvidence) -> Finding:
    """Let a small network learn by games, compiled and on boards."""
    compared = 0
    for domain in {str(ground.domain): ground.domain for ground in evidence.on}.values():
        if domain.component.start is None:
            continue
        form = domain.packed(domain.start())
        if form is None or not any(form.of_draw):
            continue
        try:
            with evidence.clock.calling(prepares=True):
                compiled = _compiled(domain)
        except CannotCompile as error:
            return not_compiled(evidence, error, next(filter(None, form.of_draw)))
        with evidence.clock.calling(domain.start):
            games = learned_games(_network(domain), None, domain, RATE, Randomness(SEED))
            defined = list(islice(games, len(compiled)))
        for number, (expected, here) in enumerate(zip(defined, compiled, strict=True), 1):
            if expected != here:
                said = f"game {number} has {_told(expected)} on boards, and {_told(here)} compiled"
                shown = ("on boards it ends with:", expected.final), ("compiled:", here.final)
                return failed(f"{said}: points and draws are to be the same", *shown)
        compared += len(defined)
    if not compared:
        return skipped("no packed form draws, or no game came to its end")
    return passed(f"{compared:,} games have the same moves, points and last boards", games=compared)


def _network(domain: BoundDomain) -> NTupleNetwork:
    """Return a network that tells the first cell's tiles apart."""
    start = domain.start()
    form = domain.packed(start)
    assert form is not None
    packing = Packing.of(form, start)
    bits = min(packing.bits, MOST_BITS)
    return NTupleNetwork(*start.shape, ((0,),), bits, form.powers_of_two, symmetric=False)


def _compiled(domain: BoundDomain) -> list[LearnedGame]:
    """Return the games that are played in compiled code."""
    learner = CompiledLearner(_network(domain), None, domain, RATE, words_of(Randomness(SEED)))
    return learner.learn(MOVES, GAMES)[1]


def _told(game: LearnedGame) -> str:
    return f"{game.moves:,} moves and {np.format_float_positional(game.score, trim='-')} points"


WHOLE_GAMES = (
    Property(
        "same-games", "Are games in compiled code, points and draws included, those on Board objects?", same_games
    ),
)
"""What is asked of games of chance whose packed form draws."""
