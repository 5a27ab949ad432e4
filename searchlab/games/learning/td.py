"""TD learning: a network learns the values of boards from games, by temporal differences of afterstates.

A player makes the move with the largest sum of its points and the value of the board after it, the first of equally
good ones. One move later the value of that board, the afterstate, is corrected towards the points of the next move plus
the value of the board after it; towards 0 when the game is over (TD(0) on afterstates: Szubert and Jaśkowski 2014). The
error, times the rate, is divided equally among all weights that make the value. With temporal coherence (Beal and Smith
1999; for 2048 Jaśkowski 2018 and Guei et al. 2021) each weight takes a part of its share: the size of the sum of its
errors so far divided by the sum of their sizes, and all of it the first time.

A network may have stages, phases of a game with weights of their own (Wu et al. 2014, Yeh et al. 2016). A weight of a
later stage begins as that of the stage before (Jaśkowski 2018): it takes it over when a player values a board for which
it counts, and it is still 0.

`learned_games` defines this on Board objects; `AfterstateLearning` computes the same in compiled code.

Several threads may play games of their own and correct the same weights without locks: now and then one of them
overwrites what another has just written, and that is all (Hogwild: Niu, Recht, Ré and Wright 2011). When that happens
differs from run to run.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.packing import Packing
from searchlab.errors import UsageError
from searchlab.errors.cached import cached_property
from searchlab.games.game import GameState, random_source
from searchlab.games.learning.network import WITH_ERRORS, check_room, in_16_bits, save_network
from searchlab.model.games import LearnedGame
from searchlab.model.randomness import Randomness, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import Move
    from searchlab.board.board import Board
    from searchlab.games.learning.compiled import CompiledLearner
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.games import Turn


def learned_games(
    network: NTupleNetwork,
    errors: NDArray[np.float32] | None,
    domain: BoundDomain,
    rate: float,
    random: Randomness,
) -> Iterator[LearnedGame]:
    """Play one game after another, learn from it, and yield it.

    A game is left, and nothing is learned from its last board, where that board outgrows the packed form of the start
    board.

    Args:
        network: its weights are changed.
        errors: shape (2 × entries,), for each weight the sum of its errors and the sum of their sizes; None without
            temporal coherence.
        domain: the game.
        rate: the share of a board's error that is corrected, 0 … 1.
        random: the random numbers of chance.
    """
    start = domain.start()
    form = domain.packed(start)
    packing, is_outgrown = (Packing.of(form, start), form.outgrown) if form else (None, None)
    entries: NDArray[np.int64] | None = None

    def outgrown(game: GameState) -> str:
        return "outgrown" if packing and is_outgrown and is_outgrown(packing.pack(game.board)) else ""

    def choose(board: Board, moves: tuple[Move, ...]) -> str:
        if network.stages:
            for found in network.entries_of(np.array([move.board.tiles for move in moves])):
                network.take_over(found)
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
    """Move the value of a board towards a target, one weight after another.

    Args:
        network, errors, rate: see `learned_games`.
        entries: the indices of the board's weights.
    """
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


MOST_THREADS = 256
PIECES = 8
"""Into how many parts the work of a thread is divided."""


class AfterstateLearning:
    """Learns the values of afterstates as `learned_games` does, in compiled code; a Learner's function may return it.

    >>> import searchlab as sl
    >>> game = sl.domain("2048-random", n=2)
    >>> learning = sl.AfterstateLearning(sl.NTupleNetwork(2, 2, tuples=((0, 1, 2, 3),)), game, seed=1)
    >>> moves, games = learning.learn(most_moves=1000, most_games=3)
    >>> [(game.moves, game.score) for game in games]
    [(4, 8.0), (7, 24.0), (8, 44.0)]

    Args:
        network: its weights are changed; with temporal coherence they move to an array in which they lie beside their
            errors. One whose weights are read-only, as `read_network` returns it, or of 16 bits stays as it is: another
            that begins as it learns.
        domain: the game; it must have a start board, and a packed form that draws.
        seed: of all random numbers.
        rate: the share of the error of a board's value that is corrected, 0 … 1.
        coherent: whether each weight has a learning rate of its own, by temporal coherence.
        in_16_bits: whether `save` writes weights of 16 bits, for players that take half the memory.
        threads: how many games are played and learned from at once.

    Attributes:
        network: what is learned.
        memory: the bytes that its weights and errors take once all are used.
        reproducible: whether the same learning gives the same network each time; with several threads it does not.

    Raises:
        UsageError: the domain cannot be learned, the network is for other boards, or there is no memory for it.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        domain: BoundDomain,
        *,
        seed: int = 0,
        rate: float = 1.0,
        coherent: bool = True,
        in_16_bits: bool = False,
        threads: int = 1,
    ) -> None:
        from searchlab.compiler.functions import CannotCompile
        from searchlab.games.learning.compiled import CompiledLearner

        network.check_shape(domain.start().shape)
        known = network
        if network.scale or not network.weights.flags.writeable:
            network = replace(network, weights=np.zeros(0, np.float32), scale=0.0, zero=0)
        self.network = network
        self.memory = network.entries * np.dtype(np.float32).itemsize * (WITH_ERRORS if coherent else 1)
        check_room(self.memory, "learning with these tuples")
        self._in_16_bits = in_16_bits
        self.reproducible = threads == 1
        if wrong := self.check_threads(threads):
            raise UsageError(f"{wrong}, not {threads}")
        seeds = [seed, *(Randomness(seed).raw() ^ thread for thread in range(1, threads))]
        self._random = [words_of(Randomness(of_thread)) for of_thread in seeds]
        try:
            first = CompiledLearner(network, domain, rate, self._random[0], coherent)
        except CannotCompile as error:
            raise UsageError(f"{domain.name} cannot be learned: {error}") from None
        if network is not known:  # now that the weights lie beside their errors: before, they would be in memory twice
            network.begin_as(known)
        self._learners = [first, *map(first.beside, self._random[1:])]

    @staticmethod
    def check_threads(threads: int) -> str:
        """Return what is wrong with a number of threads, `""` if nothing is; a Parameter's `check`."""
        return "" if 1 <= threads <= MOST_THREADS else f"threads are from 1 to {MOST_THREADS}"

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Learn until this number of moves was made or of games is over, whichever comes first.

        Returns:
            the number of moves made, and the games that ended.

        Raises:
            PluginError: the domain failed.
        """
        if self.reproducible:
            return self._learners[0].learn(most_moves, most_games)
        left = _Left(most_moves, most_games, len(self._learners))
        work = [self._pool.submit(left.learn_with, learner) for learner in self._learners]
        wait(work)  # also where one of them fails: the state is whole only between two calls
        played = [games for future in work for games in future.result()]
        return most_moves - left.moves, played

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(len(self._learners), thread_name_prefix="learning")

    def state(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays from which an object made with the same arguments continues."""
        weights, errors = self.network.weights, self._learners[0].errors
        seen = weights != 0
        if errors is not None:
            np.logical_or(seen, errors[:, 1] != 0, out=seen)
        places = np.flatnonzero(seen)  # a few per cent: three times as fast as indexing with truth values
        state: dict[str, NDArray[Any]] = {
            "seen": np.packbits(seen),
            "weights": weights[places],
            "random": np.concatenate(self._random),
        }
        if errors is not None:
            state["errors"] = errors[places]  # `take` would copy the errors of all weights first
        return {**state, **self._states()}

    def _states(self) -> dict[str, NDArray[Any]]:
        """Return where each thread is in a game, the arrays of the threads one after another."""
        states = [learner.state() for learner in self._learners]
        return {name: np.concatenate([state[name] for state in states]) for name in states[0]}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state, before anything was learned.

        Raises:
            ValueError: the state is not one of an object made with these arguments.
        """
        entries, errors = self.network.entries, self._learners[0].errors
        states, threads = self._states(), len(self._learners)
        wanted = {"seen", "weights", "random", *states, *(() if errors is None else ("errors",))}
        same = set(state) == wanted and state["seen"].shape == (-(-entries // 8),)
        if not same or any(state[name].shape != array.shape for name, array in states.items()):
            msg = "it is of other settings, or of another version of searchlab: name another folder"
            raise ValueError(msg)
        seen = np.unpackbits(state["seen"], count=entries).view(np.bool_)
        for thread, learner in enumerate(self._learners):
            learner.restore({name: np.split(state[name], threads)[thread] for name in states})
        for random, words in zip(self._random, np.split(state["random"], threads), strict=True):
            random[...] = words
        weights = self.network.weights
        weights[(weights != 0) & ~seen] = 0  # of a network that it began as, if the file has changed since
        weights[seen] = state["weights"]
        if errors is not None:
            errors[seen] = state["errors"]

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the network to a file."""
        network = replace(self.network, about=about)
        save_network(in_16_bits(network) if self._in_16_bits else network, path)


class _Left:
    """The moves and games that threads have still to learn from; each takes some when it has none.

    One that the system lets wait keeps no other waiting.
    """

    def __init__(self, moves: int, games: int, threads: int) -> None:
        self.moves, self._games, self._threads = moves, games, threads
        self._piece = max(1, moves // (PIECES * threads))
        self._lock = Lock()

    def learn_with(self, learner: CompiledLearner) -> list[LearnedGame]:
        """Learn in this thread until nothing is left; return the games that ended."""
        played: list[LearnedGame] = []
        while True:
            with self._lock:
                moves, games = min(self._piece, self.moves), -(-self._games // self._threads)
                self.moves -= moves
                self._games -= games
            if not moves or not games:
                break
            made, ended = learner.learn(moves, games)
            played += ended
            with self._lock:
                self.moves += moves - made
                self._games += games - len(ended)
        with self._lock:
            self.moves += moves
            self._games += games
        return played
