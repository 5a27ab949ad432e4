"""Learning an n-tuple network from the games it plays: in slices, to be stopped and gone on with at any time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.memory import reserve
from searchlab.errors import UsageError
from searchlab.games.learning.network_files import save_network
from searchlab.model.randomness import Randomness, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.games import LearnedGame


class AfterstateLearning:
    """Learns the values of afterstates, as `searchlab.games.learning.definition` defines it, in compiled code.

    It is what a Learner's function may return.

    >>> import searchlab as sl
    >>> game = sl.domain("2048-random", n=2)
    >>> learning = sl.AfterstateLearning(sl.NTupleNetwork(2, 2, tuples=((0, 1, 2, 3),)), game, seed=1)
    >>> moves, games = learning.learn(most_moves=1000, most_games=3)
    >>> [(game.moves, game.score) for game in games]
    [(4, 8.0), (7, 24.0), (8, 44.0)]

    Args:
        network: its weights are changed.
        domain: the game; it has to have a start board, and a packed form that draws.
        seed: of all chance.
        rate: of the error of a board's value that is corrected, 0 … 1.
        coherent: whether each weight takes of its share as much as its errors so far agree (temporal coherence).

    Raises:
        UsageError: the domain cannot be learned, or the network is for other boards.
    """

    def __init__(
        self, network: NTupleNetwork, domain: BoundDomain, *, seed: int = 0, rate: float = 1.0, coherent: bool = True
    ) -> None:
        from searchlab.compiler.functions import CannotCompile
        from searchlab.games.learning.compiled import CompiledLearner

        network.check_shape(domain.start().shape)
        self.network = network
        self._errors = reserve(2 * network.entries, np.float32) if coherent else None
        self._random = words_of(Randomness(seed))
        try:
            self._learner = CompiledLearner(network, self._errors, domain, rate, self._random)
        except CannotCompile as error:
            raise UsageError(f"{domain.name} cannot be learned: {error}") from None

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Go on for so many moves or games, whichever comes first.

        Returns:
            how many moves were made, and the games that are over.

        Raises:
            PluginError: the domain failed.
        """
        return self._learner.learn(most_moves, most_games)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return copies of all that another object, made with the same arguments, needs to go on from here."""
        weights = self.network.weights
        seen = weights != 0
        if self._errors is not None:
            np.logical_or(seen, self._errors[1::2] != 0, out=seen)
        places = np.flatnonzero(seen)  # of a few per cent, in a third of the time that truth values take
        state: dict[str, NDArray[Any]] = {
            "seen": np.packbits(seen),
            "weights": weights[places],
            "random": self._random.copy(),
        }
        if self._errors is not None:
            state["errors"] = self._errors.reshape(-1, 2).take(places, axis=0)
        return {**state, **{name: array.copy() for name, array in self._learner.state.items()}}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a state, before anything was learned.

        Raises:
            ValueError: it is no state of an object made with these arguments.
        """
        entries = self.network.entries
        wanted = {"seen", "weights", "random", *self._learner.state, *(() if self._errors is None else ("errors",))}
        if set(state) != wanted or state["seen"].shape != (-(-entries // 8),):
            msg = "it is a state of other settings"
            raise ValueError(msg)
        seen = np.unpackbits(state["seen"], count=entries).view(np.bool_)
        self._learner.restore(state)
        self._random[...] = state["random"]
        self.network.weights[seen] = state["weights"]
        if self._errors is not None:
            self._errors.reshape(-1, 2)[seen] = state["errors"]

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the network to a file."""
        save_network(replace(self.network, about=about), path)
