"""TD learning: learn the values of boards from games, by temporal differences of afterstates.

A player makes the move with the largest sum of its points and the value of the board after it, the first of equally
good moves. One move later the value of this board, the afterstate, is corrected. The target is the points of the next
move plus the value of the board after that move, or 0 if the game is over (TD(0) on afterstates: Szubert and Jaśkowski
2014). The error, times the rate, is divided equally among all weights of the board. With temporal coherence (Beal and
Smith 1999; for 2048 Jaśkowski 2018 and Guei et al. 2021) each weight takes only a fraction of its share: the absolute
value of the sum of its errors so far, divided by the sum of their absolute values, or 1 the first time.

A network may have stages, which are phases of a game with weights of their own (Wu et al. 2014, Yeh et al. 2016). A
weight of a later stage starts as the weight of the stage before (Jaśkowski 2018): if it is still 0 when a player values
a board with it, the weight of the stage before is copied.

`learned_games` defines this on Board objects; `AfterstateLearning` computes the same in compiled code.

Several threads may play their own games and correct the same weights without locks. Occasionally a thread overwrites a
correction of another thread, which does no further harm (Hogwild: Niu, Recht, Ré and Wright 2011). Therefore the result
differs between runs.
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
    """Play one game after another, learn from each, and yield it.

    If a board outgrows the packed form of the start board, the game is abandoned, and nothing is learned from this
    board.

    Args:
        network: the network, which is changed.
        errors: the sum of the errors of each weight and the sum of their sizes, shape (2 × entries,), or None without
            temporal coherence.
        domain: the game.
        rate: the fraction of a board's error to correct, 0 … 1.
        random: the source of chance.
    """
    start = domain.start()
    form = domain.packed(start)
    packing, is_outgrown = (Packing.of(form, start), form.words.outgrown) if form else (None, None)
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
    weights, positions, partial = network.weights, len(network.positions), len(network.tuples) - network.whole
    looked_up = weights[entries].astype(np.float64).tolist()
    value = network.base
    for k in range(partial):
        of_tuple = 0.0
        for weight in looked_up[k : positions * partial : partial]:
            of_tuple += weight
        value += of_tuple
    for weight in looked_up[positions * partial :]:
        value += positions * weight
    error = target - value
    share = error * (rate / network.summands)
    for entry in entries.tolist():
        step = share
        if errors is not None:
            total, size = float(errors[2 * entry]), float(errors[2 * entry + 1])
            step = share * (abs(total) / size) if size > 0 else share
            errors[2 * entry : 2 * entry + 2] = total + error, size + abs(error)
        weights[entry] = float(weights[entry]) + step


MOST_THREADS = 256
PIECES = 8
"""The number of parts into which the work of a thread is divided."""


class AfterstateLearning:
    """Learn the values of afterstates as `learned_games` does, in compiled code; a Learner may return it.

    >>> import searchlab as sl
    >>> game = sl.domain("2048-random", n=2)
    >>> learning = sl.AfterstateLearning(sl.NTupleNetwork(2, 2, tuples=((0, 1, 2, 3),)), game, seed=1)
    >>> moves, games = learning.learn(most_moves=1000, most_games=3)
    >>> [(game.moves, game.score) for game in games]
    [(4, 8.0), (7, 24.0), (8, 44.0)]

    Args:
        network: the network, which is changed; with temporal coherence its weights move to an array beside their
            errors. A network with read-only weights (as `read_network` returns) or 16-bit weights stays unchanged, and
            a copy learns.
        domain: the game, with a start board, and a packed form that draws random events.
        seed: the seed of all random numbers.
        rate: the fraction of a board's error to correct, 0 … 1.
        coherent: whether each weight has a learning rate of its own, by temporal coherence.
        in_16_bits: whether `save` writes 16-bit weights, which halves the memory of players.
        threads: the number of games played at once.

    Attributes:
        network: the learned network.
        memory: the bytes of weights and errors once all are used.
        reproducible: whether equal trainings give equal networks; false with several threads.

    Raises:
        UsageError: the domain does not support learning, the network is for other boards, or there is not enough
            memory.
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
        self.memory = network.used * np.dtype(np.float32).itemsize * (WITH_ERRORS if coherent else 1)
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
        if network is not known:  # only now: before, the weights would be in memory twice
            network.begin_as(known)
        self._learners = [first, *map(first.beside, self._random[1:])]

    @staticmethod
    def check_threads(threads: int) -> str:
        """Return an error message for an invalid number of threads, or `""`; the `check` of a Parameter."""
        return "" if 1 <= threads <= MOST_THREADS else f"threads are from 1 to {MOST_THREADS}"

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Learn until a number of moves is made or a number of games is over, whichever comes first.

        Returns:
            the number of moves made, and the games that ended.

        Raises:
            PluginError: the domain failed.
        """
        if self.reproducible:
            return self._learners[0].learn(most_moves, most_games)
        left = _Left(most_moves, most_games, len(self._learners))
        work = [self._pool.submit(left.learn_with, learner) for learner in self._learners]
        wait(work)  # even if a thread fails: the state is consistent only when all threads have stopped
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
        places = np.flatnonzero(seen)  # if few weights are seen, three times as fast as indexing with truth values
        state: dict[str, NDArray[Any]] = {
            "seen": np.packbits(seen),
            "weights": weights[places],
            "random": np.concatenate(self._random),
        }
        if errors is not None:
            state["errors"] = errors[places]  # `take` would copy the errors of all weights first
        return {**state, **self._states()}

    def _states(self) -> dict[str, NDArray[Any]]:
        """Return the position of each thread in its game: the arrays of the threads, concatenated."""
        states = [learner.state() for learner in self._learners]
        return {name: np.concatenate([state[name] for state in states]) for name in states[0]}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state, before anything was learned.

        Raises:
            ValueError: the state does not belong to an object with these arguments.
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
        weights[(weights != 0) & ~seen] = 0  # weights of the network to begin as, if its file has changed since
        weights[seen] = state["weights"]
        if errors is not None:
            errors[seen] = state["errors"]

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the network to a file."""
        network = replace(self.network, about=about)
        save_network(in_16_bits(network) if self._in_16_bits else network, path)


class _Left:
    """The moves and games that are left for threads to learn from; a thread without work takes some of them.

    So a thread that the system suspends does not delay the others.
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
