"""A match: one game of an experiment, played until it is over or a limit is reached."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabError
from searchlab.experiments.columns import board_text
from searchlab.experiments.notation import written
from searchlab.games.game import MOST_MOVES, GameState, move_limit, random_source
from searchlab.model.randomness import Randomness
from searchlab.search.deadline import Watchdog
from searchlab.search.solve import versions
from searchlab.search.watch import Stopped, Watch

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Choice, Move
    from searchlab.experiments.runs import Run
    from searchlab.model.games import Turn
    from searchlab.model.limits import Limits


def played(
    run: Run,
    domain: BoundDomain,
    player: BoundPlayer,
    limits: Limits,
    hung: Callable[[dict[str, Any]], None],
    told_outside: Callable[[dict[str, Any]], int] | None = None,
) -> dict[str, Any]:
    """Play a game; return what became of it, by column of `searchlab.experiments.game_columns`.

    Args:
        run: the game.
        domain, player: what its names stand for.
        limits: what it may take.
        hung: called with what became of it so far, in another thread, when a plugin's function does not return
            although the time is up or the memory is taken. It has to end the process.
        told_outside: the same where that function lets no other thread run: see `searchlab.search.solve.search`.
    """
    match, watch = _Match(run, domain, player), Watch(limits)

    def bite(status: str, why: str) -> None:
        watch.note_times()
        hung(match.cells(status, why, watch))

    def words() -> Callable[[str, str], int]:
        assert told_outside is not None
        return partial(_tell_outside, told_outside, match.cells("time-limit", "", watch), watch.began)

    with Watchdog(watch, bite, words if told_outside else None):
        status, reason = match.played(watch)
    return match.cells(status, reason, watch)


def _tell_outside(
    tell: Callable[[dict[str, Any]], int], so_far: dict[str, Any], began: float, status: str, why: str
) -> int:
    """Tell how a game ended that never comes back, as far as it was known; return the exit code."""
    return tell({**so_far, "status": status, "reason": why, "seconds": time.perf_counter() - began})


def unknown(run: Run, status: str, reason: str, seconds: float = 0.0) -> dict[str, Any]:
    """Return what became of a game of which no more is known than how it ended, by column."""
    return {
        "board": None if run.start.rows is None else board_text(Board(run.start.rows)),
        "domain": run.domain,
        "player": run.player,
        "status": status,
        "reason": reason.partition("\n")[0] or None,
        "score": None,
        "largest_tile": None,
        "moves": None,
        "seconds": seconds,
        "cpu_seconds": 0.0,
        "moves_per_second": None,
        "actions": None,
        "final": None,
        "versions": " ".join(f"{name}={version}" for name, version in sorted(versions().items())),
    }


class _SoFar(NamedTuple):
    """How far a game is."""

    moves: int
    score: float
    board: Board


class _Match:
    """A game while it is played; another thread may ask at any moment how far it is."""

    def __init__(self, run: Run, domain: BoundDomain, player: BoundPlayer) -> None:
        self._run, self._domain, self._player = run, domain, player
        self._seed = run.seed or 0
        self._written: list[str] = []
        self._so_far: _SoFar | None = None

    def played(self, watch: Watch) -> tuple[str, str]:
        """Play the game; return its status, and why where that does not say it."""
        try:
            game = self._begun()
            self._so_far = _SoFar(0, 0.0, game.board)
            self._prepare(game)
            with watch:
                return self._play(game, watch), ""
        except Stopped as stopped:
            return stopped.status, ""
        except PluginError as error:
            return "memory-limit" if isinstance(error.__cause__, MemoryError) else "error", str(error)
        except SearchlabError as error:
            return "error", str(error)
        except MemoryError:
            return "memory-limit", ""

    def cells(self, status: str, reason: str, watch: Watch) -> dict[str, Any]:
        """Return what became of the game so far, by column."""
        cells = unknown(self._run, status, reason, watch.seconds)
        so_far = self._so_far
        if so_far is None:
            return cells
        return {
            **cells,
            "score": float(so_far.score),
            "largest_tile": so_far.board.largest_tile(),
            "moves": so_far.moves,
            "cpu_seconds": watch.cpu_seconds,
            "moves_per_second": so_far.moves / watch.seconds if so_far.moves and watch.seconds else None,
            "actions": "".join(self._written[: so_far.moves]),
            "final": board_text(so_far.board),
        }

    def _begun(self) -> GameState:
        """Return the game before its first move."""
        source = random_source(self._domain, Randomness(self._seed))
        rows = self._run.start.rows
        if rows is None:
            return GameState(self._domain, source)
        board = Board(rows)
        self._domain.check(board)
        return GameState(self._domain, source, board)

    def _prepare(self, game: GameState) -> None:
        """Let the player choose a move before the time runs: the first time, it has to be compiled."""
        if not game.status:
            self._player.begin(self._seed)(game.board, game.legal_moves)

    def _play(self, game: GameState, watch: Watch) -> str:
        """Play the game; return its status."""

        def on_turn(turn: Turn) -> None:
            self._so_far = _SoFar(game.moves, game.score, turn.board)

        most_moves = MOST_MOVES if self._run.most_moves is None else self._run.most_moves
        return game.play(self._choice(watch), move_limit(most_moves), on_turn)

    def _choice(self, watch: Watch) -> Choice:
        """Return what chooses the moves, and writes them down, as long as no limit is reached."""
        choose = self._player.begin(self._seed)

        def chosen(board: Board, moves: tuple[Move, ...]) -> str:
            watch.check()
            action = choose(board, moves)
            self._written.append(written(action, [move.action for move in moves]))
            return action

        return chosen
