"""Learning depth-first search: learn the exact values of the boards that good play of a small game leads to.

A player makes the move with the largest sum of its points and the value of the board after it, the first of equally
good moves. Boards that were not valued yet have a value that is too high, so that unknown moves are tried.

After a game its boards are processed from the last board back. A backup of a board sets the value of the board after
its best move: to the mean, over all random tiles, of the points and value of the best next move. The value is final if
the best next moves lead to final values. Then the board before in the game is processed. Otherwise the first board
without a final value comes next, which may lead away from the game. After a number of backups the next game begins.
(Learning depth-first search: Bonet and Geffner 2006; labels of solved states: Labeled RTDP, Bonet and Geffner 2003.)

Once the values of all boards after the first move are final, play from the start is optimal, provided that no board is
worth more than the initial value. The rules of the game must be known. The values of all boards that good play leads to
must fit into memory: 31 million for 2048 on 3 × 3 cells.

`learned_games` defines this on Board objects; `DepthFirstLearning` computes the same in compiled code.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.compiler.arrays import addresses, allocate, reserve, resized
from searchlab.compiler.packing import Packing
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.games.game import GameState, random_source
from searchlab.games.learning.network import check_room, save_network
from searchlab.model.games import LearnedGame
from searchlab.model.randomness import Randomness, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.edges import Successor
    from searchlab.binding.player import Move
    from searchlab.board.board import Board
    from searchlab.compiler.adapters import Adapter
    from searchlab.games.learning.network import NTupleNetwork
    from searchlab.model.packed import PackedForm

BACKUPS = 10_000
"""The most backups after a game."""
RECORD = 2
"""The numbers that are kept for a board after a move: the weight, and whether the value is final."""
FIRST_STACK = 1 << 10
"""The number of boards on a line of play that there is room for at first."""


def learned_games(
    network: NTupleNetwork,
    final: NDArray[np.bool_],
    domain: BoundDomain,
    random: Randomness,
    backups: int = BACKUPS,
) -> Iterator[LearnedGame]:
    """Play one game after another, learn from each, and yield it.

    Args:
        network: the network, a single tuple of all cells; it is changed.
        final: whether the value of each weight is final, shape (entries,); it is changed.
        domain: the game.
        random: the source of chance.
        backups: the most backups after a game.
    """
    positions = len(network.positions)
    line: list[Board] = []

    def entry_of(after: Board) -> int:
        return int(network.entries_of(after.tiles[None])[0, 0])

    def value_of(board: Board, move: Successor) -> float:
        value = 0.0 if move.terminal else network.base + positions * float(network.weights[entry_of(move.board)])
        return domain.points(board, move.board) + value

    def best_of(board: Board) -> tuple[float, Successor | None, bool]:
        """Return the value of the best move from a board, the move, and whether this value is final."""
        moves = () if domain.is_goal(board) else domain.all_edges(board)
        if not moves:
            return 0.0, None, True
        value, move = max(((value_of(board, move), move) for move in moves), key=lambda pair: pair[0])
        return value, move, move.terminal or bool(final[entry_of(move.board)])

    def back_up(after: Board) -> Board | None:
        """Set the value of a board after a move; return the board to back up next, or None if the value is final."""
        events = () if domain.is_goal(after) else domain.chance(after)
        best = [(event, best_of(event.board)) for event in events]
        expected = 0.0
        for event, (value, _, _) in best:
            expected += event.probability * value
        network.weights[entry_of(after)] = (expected - network.base) / positions
        unknown = next((event.board for event, (_, _, is_final) in best if not is_final), None)
        final[entry_of(after)] = unknown is None
        return unknown

    def choose(board: Board, _: tuple[Move, ...]) -> str:
        line.append(board)
        best = best_of(board)[1]
        assert best is not None
        return best.action

    while True:
        game = GameState(domain, random_source(domain, random))
        line.clear()
        game.play(choose, lambda _: "")
        left = backups
        while line and left:
            _, move, is_final = best_of(line[-1])
            if move is None or is_final:
                line.pop()
                continue
            unknown = back_up(move.board)
            left -= 1
            if unknown is not None:
                line.append(unknown)
        yield LearnedGame(game.moves, float(game.score), game.board)


class DepthFirstLearning:
    """Learn the exact values of a small game as `learned_games` does, in compiled code; a Learner may return it.

    >>> import searchlab as sl
    >>> game, board = sl.domain("2048-random", n=2), sl.Board([[2, 0], [0, 2]])
    >>> network = sl.NTupleNetwork(2, 2, tuples=((0, 1, 2, 3),), base=500)
    >>> learning = sl.DepthFirstLearning(network, game, seed=1)
    >>> work, games = learning.learn(most_moves=100_000, most_games=100)
    >>> round(max(game.points(board, move.board) + learning.network.value(move.board) for move in game.edges(board)), 3)
    67.696

    Args:
        network: the network, a single tuple of all cells in a single stage; it is changed. Its `base` is the value of
            boards that were not valued yet; no board may be worth more.
        domain: the game, with a start board, and a packed form that lists random outcomes and draws them.
        seed: the seed of all random numbers.
        backups: the most backups after a game.

    Attributes:
        network: the learned network.
        memory: the bytes of all values once all are used.
        reproducible: True: equal trainings give equal networks.

    Raises:
        UsageError: the domain or the network does not support this way of learning, or there is not enough memory.
    """

    reproducible = True

    def __init__(self, network: NTupleNetwork, domain: BoundDomain, *, seed: int = 0, backups: int = BACKUPS) -> None:
        from searchlab.compiler.functions import CannotCompile
        from searchlab.games.kernels.depth_first import DepthFirstArrays, DepthFirstControl
        from searchlab.games.learning.compiled import LOG

        start = domain.start()
        network.check_shape(start.shape)
        has_all_cells = [len(cells) for cells in network.tuples] == [network.rows * network.columns]
        if not has_all_cells or network.lookups != 1 or network.stages or network.downgrade or network.scale:
            raise UsageError("exact values take one tuple of all cells, without stages, and without downgrading")
        form = domain.packed(start)
        if form is None or form.rule("draws") is None or form.rule("chances") is None:
            raise UsageError(
                f"{domain.name} cannot be learned: no packed form that lists random outcomes and draws them"
            )
        self.memory = RECORD * network.used * np.dtype(np.float32).itemsize
        check_room(self.memory, "learning with these tuples")
        self._domain, self._random = domain, words_of(Randomness(seed))
        self._packing = packing = Packing.of(form, start)
        records: NDArray[np.float32] = reserve(RECORD * network.entries, np.float32).reshape(-1, RECORD)
        learned = np.flatnonzero(network.weights)
        records[learned, 0] = network.weights[learned]
        self.network = replace(network, weights=records[:, 0])
        try:
            adapter, self._call = _compiled(self.network, domain, form, packing)
        except CannotCompile as error:
            raise UsageError(f"{domain.name} cannot be learned: {error}") from None
        self._control = DepthFirstControl(
            stack_size=FIRST_STACK, most_backups=backups, opening=domain.opening(), base=network.base
        )
        self._arrays = allocate(
            DepthFirstArrays,
            {
                **{"width": packing.words, "cells": packing.cells, "stack": FIRST_STACK, "log": LOG},
                **{"successors": form.max_successors, "chances": form.most_chances},
                "most written": max(form.max_successors, form.most_chances),
                "described": max(1, len(form.move)),
            },
            params=adapter.params,
            tables=adapter.tables,
            start=packing.pack(start),
            records=records,
            random=self._random,
            control=self._control,
        )

    def learn(self, most_moves: int, most_games: int) -> tuple[int, Sequence[LearnedGame]]:
        """Learn until a number of moves and backups is made or a number of games is over, whichever comes first.

        Returns:
            the number of moves and backups made, and the games that ended.

        Raises:
            PluginError: the domain failed.
        """
        from searchlab.games.kernels.depth_first import OUTGROWN
        from searchlab.games.learning.compiled import LOG
        from searchlab.search.kernels.control import Status

        c, before = self._control, self._control.work
        c.log_size = min(LOG, most_games)
        status = Status.DEEPER
        while status == Status.DEEPER:
            with PluginCode(self._failed):
                status = self._call(*addresses(self._arrays), before + most_moves)
            if status == Status.DEEPER:
                self._make_room(2 * c.stack_size)
        if status == OUTGROWN:
            raise UsageError(f"{self._domain.name} cannot be learned exactly: its boards are packed in several forms")
        s, games = self._arrays, c.logged
        c.logged = 0
        finals = self._packing.unpack(s.log_boards[:games])
        learned = map(LearnedGame, s.log_moves[:games].tolist(), s.log_scores[:games].tolist(), finals)
        return c.work - before, list(learned)

    def _failed(self, error: BaseException) -> PluginError:
        board = self._packing.unpack(self._arrays.state[:1])[0]
        return PluginError(f"{self._domain.name}: {in_one_line(error)}\n{board}")

    def _make_room(self, boards: int) -> None:
        """Make room for this number of boards on a line of play."""
        self._control.stack_size = boards
        self._arrays = resized(self._arrays, "stack", boards)

    def state(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays from which an object made with the same arguments continues."""
        records = self._arrays.records
        seen = records[:, 0] != 0
        np.logical_or(seen, records[:, 1] != 0, out=seen)
        places = np.flatnonzero(seen)
        final = np.packbits(records[places, 1] != 0)
        return {"seen": np.packbits(seen), "weights": records[places, 0], "final": final, **self._position()}

    def _position(self) -> dict[str, NDArray[Any]]:
        """Return copies of the arrays that hold the position in a game."""
        return {
            "random": self._random.copy(),
            "control": self._control.whole_numbers.copy(),
            "figures": self._control.floats.copy(),
            "board": self._arrays.state[0].copy(),
            "line": self._arrays.stack[: self._control.depth].copy(),
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state, before anything was learned.

        Raises:
            ValueError: the state does not belong to an object with these arguments.
        """
        from searchlab.games.kernels.depth_first import GO_BACK, DepthFirstControl

        entries, position = self.network.entries, self._position()
        shapes = {name: array.shape for name, array in position.items()} | {"seen": (-(-entries // 8),)}
        types = {name: array.dtype for name, array in position.items()} | {"seen": np.uint8, "final": np.uint8}
        types["weights"] = np.dtype(np.float32)
        if (
            set(state) != set(types)
            or any(state[name].shape[name == "line" :] != shape[name == "line" :] for name, shape in shapes.items())
            or any(state[name].dtype != dtype for name, dtype in types.items())
        ):
            msg = "it is of other settings, or of another version of searchlab: name another folder"
            raise ValueError(msg)
        seen, line = np.flatnonzero(np.unpackbits(state["seen"], count=entries)), state["line"]
        control = dict(zip(DepthFirstControl.dtype.names or (), state["control"].tolist(), strict=False))
        boards = np.concatenate([state["board"][None], line])
        tiles = self._packing.unpack_tiles(boards)
        if not (
            self._packing.fits(tiles).all()
            and (self._packing.pack_tiles(tiles) == boards).all()
            and (len(state["weights"]), len(state["final"])) == (len(seen), -(-len(seen) // 8))
            and control["phase"] <= GO_BACK
            and control["depth"] == len(line)
            and control["logged"] == 0
            and all(control[name] == getattr(self._control, name) for name in ("opening", "most_backups"))
            and (state["control"] >= 0).all()
            and self.network.base == state["figures"][0]
        ):
            msg = "it is of another game"
            raise ValueError(msg)
        self._control.whole_numbers[...] = state["control"]
        self._control.floats[...] = state["figures"]
        self._make_room(max(FIRST_STACK, 2 * len(line)))
        self._arrays.state[0], self._arrays.stack[: len(line)] = state["board"], line
        self._random[...] = state["random"]
        records = self._arrays.records
        records[seen, 0], records[seen, 1] = state["weights"], np.unpackbits(state["final"], count=len(seen))

    def save(self, path: Path, about: Mapping[str, Any]) -> None:
        """Write the network to a file."""
        save_network(replace(self.network, about=about), path)


def _compiled(network: NTupleNetwork, domain: BoundDomain, form: PackedForm, packing: Packing) -> tuple[Adapter, Any]:
    """Return the adapter that holds the parameters of the domain's rules, and the kernel with these rules inlined."""
    from searchlab.compiler.adapters import Adapter, has_unit_moves
    from searchlab.compiler.functions import compile_kernel, explaining
    from searchlab.games.kernels.depth_first import DepthFirstArrays, learn_depth_first
    from searchlab.games.learning.compiled import finding_places, rules_of_game

    adapter = Adapter(packing)
    constants: dict[str, Any] = {
        **{"WIDTH": packing.words, "SUCCESSORS": form.max_successors, "POSITIONS": len(network.positions)},
        **{"PLAIN_MOVES": has_unit_moves(form), "look_up": finding_places(adapter, network, packing, 1)},
        **rules_of_game(adapter, domain, form),
    }
    with explaining(form.rule("successors")):
        return adapter, compile_kernel(learn_depth_first, DepthFirstArrays, constants=constants)
