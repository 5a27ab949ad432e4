"""A game of an experiment, played until it is over or a limit is reached."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from searchlab.board.board import Board
from searchlab.errors import PluginError, SearchlabError
from searchlab.experiments.notation import written
from searchlab.experiments.tables import board_text
from searchlab.games.game import MOST_MOVES, GameState, random_source
from searchlab.games.play import play_on
from searchlab.model.randomness import Randomness
from searchlab.search.watch import Stopped, Watch
from searchlab.search.watchdog import Watchdog

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Choice, Move
    from searchlab.experiments.runs import Run
    from searchlab.games.compiled_game import PlayedMove, PlayedMoves
    from searchlab.model.games import Turn
    from searchlab.model.limits import Limits


def play_run(
    run: Run,
    domain: BoundDomain,
    player: BoundPlayer,
    limits: Limits,
    on_timeout: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Play a game and return its outcome, by the columns of `columns.GAME_OUTCOME` that a store holds.

    Args:
        run: the game.
        domain, player: its components.
        limits: of the game.
        on_timeout: called in another thread, with the outcome so far, when a plugin's function does not return although
            the time is up or the memory is exceeded. It has to end the process.
    """
    board = domain.start() if run.instance.rows is None else Board(run.instance.rows, signed=True)
    player.prepare(board)
    game_run, watch = GameRun(run, domain, player), Watch(limits)

    def time_out(status: str, why: str) -> None:
        watch.note_times()
        on_timeout(game_run.cells(status, why, watch))

    with Watchdog(watch, time_out):
        status, reason = game_run.play(watch)
    return game_run.cells(status, reason, watch)


def unknown_outcome(run: Run, status: str, reason: str, seconds: float = 0.0) -> dict[str, Any]:
    """Return the outcome of a game, by column, if nothing but the status is known."""
    return {
        "board": None
        if run.instance.rows is None
        else board_text(Board(run.instance.rows, signed=True), run.instance.static),
        **run.parts,
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
    }


_prepared: WeakKeyDictionary[BoundPlayer, set[tuple[int, int]]] = WeakKeyDictionary()
"""The shapes of boards on which players have chosen a move before."""


@lru_cache(maxsize=1024)
def _written(played: PlayedMove) -> str:
    return written(played.action, played.actions)


class _GameProgress(NamedTuple):
    """The progress of a game; replaced as a whole, because another thread may read it at any time."""

    moves: int
    score: float
    board: Board


class GameRun:
    """A game that is being played; another thread may call `cells` at any moment."""

    def __init__(self, run: Run, domain: BoundDomain, player: BoundPlayer) -> None:
        self._run, self._domain, self._player = run, domain, player
        self._seed = run.seed or 0
        self._random = Randomness(self._seed)
        self._written: list[str] = []
        self._progress: _GameProgress | None = None

    def play(self, watch: Watch) -> tuple[str, str]:
        """Play the game; return the status and, if the status does not explain itself, the reason."""
        try:
            game = self._begun()
            self._progress = _GameProgress(0, 0.0, game.board)
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
        """Return the outcome of the game so far, by column."""
        cells = unknown_outcome(self._run, status, reason, watch.seconds)
        progress = self._progress
        if progress is None:
            return cells
        return {
            **cells,
            "score": float(progress.score),
            "largest_tile": progress.board.largest_tile(),
            "moves": progress.moves,
            "cpu_seconds": watch.cpu_seconds,
            "moves_per_second": progress.moves / watch.seconds if progress.moves and watch.seconds else None,
            "actions": "".join(self._written[: progress.moves]),
            "final": board_text(progress.board),
        }

    def _begun(self) -> GameState:
        """Return the game before its first move."""
        source = random_source(self._domain, self._random)
        rows = self._run.instance.rows
        if rows is None:
            return GameState(self._domain, source)
        board = Board(rows, signed=True)
        self._domain.check(board)
        return GameState(self._domain, source, board)

    def _prepare(self, game: GameState) -> None:
        """Let the player choose a move before the clock starts if such a board is new to it: it may have to compile.

        Doing this before every game would take a fifth of the time of a short one.
        """
        prepared = _prepared.setdefault(self._player, set())
        if not game.status and game.board.shape not in prepared:
            self._player.begin(self._seed)(game.board, game.legal_moves)
            prepared.add(game.board.shape)

    def _play(self, game: GameState, watch: Watch) -> str:
        """Play the game; return its status."""

        def on_turn(turn: Turn) -> None:
            self._progress = _GameProgress(game.moves, game.score, turn.board)

        most_moves = MOST_MOVES if self._run.most_moves is None else self._run.most_moves

        def note(played: PlayedMoves) -> None:
            self._written.extend(played.each(_written))
            self._progress = _GameProgress(game.moves, game.score, game.board)

        choice, untimed = self._choice(watch), watch.not_counting
        return play_on(game, self._random, self._player, choice, most_moves, note, on_turn, watch.check, untimed)

    def _choice(self, watch: Watch) -> Choice:
        """Return a function that lets the player choose, and records its moves, until a limit is reached."""
        choose = self._player.begin(self._seed)

        def choose_in_time(board: Board, moves: tuple[Move, ...]) -> str:
            watch.check()
            action = choose(board, moves)
            self._written.append(written(action, [move.action for move in moves]))
            return action

        return choose_in_time
