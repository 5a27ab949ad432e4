"""How a network learns from games: temporal differences of afterstates, defined on Board objects.

A player chooses the move after which the points it earns and the value of the board are most, of equally good ones the
first. One move later the value of that board, before anything appeared on it, is corrected towards what it then turns
out to be: the points of the next move and the value of the board after it; 0 where the game was over (TD(0) on
afterstates: Szubert and Jaśkowski 2014). The error, times the rate, is divided among all weights that made the value.
With temporal coherence (Beal and Smith 1999; for 2048 Jaśkowski 2018 and Guei et al. 2021) each weight takes of its
share as much as its errors so far agree: the size of their sum by the sum of their sizes, and all of it the first time.

What is computed is defined here; `learning/compiled.py` computes the same, compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.compiler.packing import Packing
from searchlab.games.game import GameState, random_source
from searchlab.model.games import LearnedGame

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import Move
    from searchlab.board.board import Board
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.games import Turn
    from searchlab.model.randomness import Randomness


def learned_games(
    network: NTupleNetwork,
    errors: NDArray[np.float32] | None,
    domain: BoundDomain,
    rate: float,
    random: Randomness,
) -> Iterator[LearnedGame]:
    """Play and learn, game after game.

    A game is left, and nothing learned from its last board, where the packed form of the domain's start board says
    that the board outgrows it.

    Args:
        network: its weights are changed.
        errors: shape (2 × entries,): of each weight the sum of its errors and of their sizes; None without coherence.
        domain: the game.
        rate: of a board's error that is corrected, 0 … 1.
        random: what chance draws from.
    """
    start = domain.start()
    form = domain.packed(start)
    packing, is_outgrown = (Packing.of(form, start), form.outgrown) if form else (None, None)
    entries: NDArray[np.int64] | None = None

    def outgrown(game: GameState) -> str:
        return "outgrown" if packing and is_outgrown and is_outgrown(packing.pack(game.board)) else ""

    def choose(board: Board, moves: tuple[Move, ...]) -> str:
        values = [domain.points(board, move.board) + network.value(move.board) for move in moves]
        if entries is not None:
            correct(network, errors, entries, max(values), rate)
        return moves[values.index(max(values))].action

    def on_turn(turn: Turn) -> None:
        nonlocal entries
        entries = network.entries_of(turn.after.tiles[None])[0]

    while True:
        game, entries = GameState(domain, random_source(domain, random)), None
        game.play(choose, outgrown, on_turn)
        if entries is not None and (game.is_ended or not outgrown(game)):
            correct(network, errors, entries, 0.0, rate)
        yield LearnedGame(game.moves, float(game.score), game.board)


def correct(
    network: NTupleNetwork,
    errors: NDArray[np.float32] | None,
    entries: NDArray[np.int64],
    target: float,
    rate: float,
) -> None:
    """Move the value of a board, given by where its weights stand, towards a target; one weight after another."""
    weights = network.weights
    looked_up = weights[entries].reshape(len(network.positions), len(network.tuples))
    value = network.base
    for k in range(len(network.tuples)):
        of_tuple = 0.0
        for weight in looked_up[:, k]:
            of_tuple += float(weight)
        value += of_tuple
    error = target - value
    share = error * (rate / network.lookups)
    for entry in entries.tolist():
        step = share
        if errors is not None:
            total, size = float(errors[2 * entry]), float(errors[2 * entry + 1])
            step = share * (abs(total) / size) if size > 0 else share
            errors[2 * entry : 2 * entry + 2] = total + error, size + abs(error)
        weights[entry] = float(weights[entry]) + step
