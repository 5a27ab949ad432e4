"""`sl.play`: a player plays a game, in compiled code where that is possible, else on Board objects."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.compiler.adapters import has_unit_moves
from searchlab.compiler.notice import compile_seconds
from searchlab.errors import PluginError
from searchlab.errors.interrupts import HandlersPass
from searchlab.games.game import DEFAULT_PLAYER, MOST_MOVES, GameState, move_limit, random_source
from searchlab.model.games import Game, LaterTurns
from searchlab.model.randomness import Randomness, whole_number
from searchlab.plugins import lookup
from searchlab.plugins.guess import named_board
from searchlab.plugins.lookup import DEFAULT_GAME
from searchlab.plugins.process_state import StateKept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Choice
    from searchlab.board.board import Board
    from searchlab.games.compiled_game import CompiledGame, Note, PlayedMoves
    from searchlab.games.game import Until
    from searchlab.model.domain import Domain
    from searchlab.model.games import Turn
    from searchlab.model.instance import Instance
    from searchlab.model.strategies import Player
    from searchlab.plugins.registry import Plugins

    Watcher = Callable[[int, Board], None]

WATCH_EVERY = 0.2
"""Seconds between two calls of a watcher."""
SECONDS_ON_BOARDS = 2.0
"""After this time of games in one process those of players that look ahead are worth compiling for."""
WORTHWHILE = "worthwhile"
_on_boards = [0.0]


def play(
    board: Board | Instance | str | Path | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    player: str | Player | BoundPlayer | Callable[..., str] = DEFAULT_PLAYER,
    seed: int = 1,
    most_moves: int = MOST_MOVES,
    watcher: Watcher | None = None,
    plugins: Plugins | None = None,
) -> Game:
    """Let a player play a game.

    Args:
        board: where to start, the player to move, a board, an instance or the name of one: a file, or a board that
            ships; without it the domain's start board, in a game of chance with what appears before the first move.
        domain: the game, by name, as declared or bound; by default 2048 with random tiles, and of a board that is named
            what the `set.toml` beside it says, else the only game its tiles fit.
        player: by name, as declared or bound, or simply a function of a board and its moves.
        seed: of the game's random numbers and of the player's, 0 or more: the same seed gives the same game.
        most_moves: moves after which a game that is not over is ended.
        watcher: called with the number of moves and the board a few times a second.
        plugins: where names are looked up; without it the installed plugins.

    Returns:
        the game; `game.status` says how it ended. A player that fails, or returns what is no legal move, ends it with
        the status `error`; nothing is raised for that.

    Raises:
        UsageError, BoardError: before anything is played.
    """
    if board is None:
        start, bound_domain = None, lookup.domain(DEFAULT_GAME if domain is None else domain, plugins=plugins)
    else:
        start, bound_domain = named_board(board, domain, plugins, default=DEFAULT_GAME, played=True)
    bound_player = lookup.player(player, domain=bound_domain, plugins=plugins)
    seed, most_moves = whole_number(seed), whole_number(most_moves, "limit of moves")
    random = Randomness(seed)
    game = GameState(bound_domain, random_source(bound_domain, random), start)
    bound_player.prepare(game.board)
    course = Course(game, start, seed, watcher)
    if bound_player.component.looks_ahead is not None:
        import searchlab.games.compiled_game  # noqa: F401 - now, rather than while the clock runs
    began, compiled = time.perf_counter(), compile_seconds()
    reason = ""
    try:
        with HandlersPass(), StateKept():
            choose = bound_player.begin(seed)
            status = play_on(game, random, bound_player, choose, most_moves, course.add, course.add_turn)
    except KeyboardInterrupt:
        status = "interrupted"
    except PluginError as error:
        status, reason = "error", f"{error}\n{game.board}"
    return Game(
        status=status,
        start=game.start,
        opening=game.opening,
        turns=course.turns(is_whole=status != "interrupted"),
        reason=reason,
        seconds=time.perf_counter() - began - (compile_seconds() - compiled),
        player=str(bound_player),
        domain=str(bound_domain),
        seed=seed,
        instance=bound_domain.instance,
    )


def play_on(
    game: GameState,
    random: Randomness,
    player: BoundPlayer,
    choose: Choice,
    most_moves: int,
    note: Note,
    on_turn: Callable[[Turn], None],
    check: Callable[[], None] = lambda: None,
    compiling: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> str:
    """Let a player play a game until it is over or has this number of moves.

    Args:
        game, random: the game and its random numbers.
        player, choose: the player, and what `player.begin` returned.
        most_moves: of the game, those made already included.
        note: called now and then with the moves that were made in compiled code.
        on_turn: called after each move that was made on Board objects.
        check: called between slices of compiled code; it raises what ends the game.
        compiling: the context in which something may be compiled.

    Returns:
        the status with which it ends.

    Raises:
        PluginError: the player or the domain failed.
    """
    limit = move_limit(most_moves)
    if player.component.looks_ahead is not None:
        compiled = _compiled(game, player, compiling, if_cached=True)
        if compiled is None:
            status = game.play(choose, _until_worthwhile(limit), on_turn)
            if status != WORTHWHILE:
                return status
            compiled = _compiled(game, player, compiling)
        if compiled is not None:
            compiled.let_play(game, random, most_moves, choose, check, note, on_turn)
    return game.play(choose, limit, on_turn)


def _compiled(
    game: GameState,
    player: BoundPlayer,
    compiling: Callable[[], AbstractContextManager[None]],
    *,
    if_cached: bool = False,
) -> CompiledGame | None:
    with compiling():
        from searchlab.games.compiled_game import compiled_game

        return compiled_game(game.domain, player, game.board, if_cached=if_cached)


def _until_worthwhile(until: Until) -> Until:
    """Return what also ends a game with WORTHWHILE once games in this process took long enough to compile for."""
    last = time.perf_counter() - compile_seconds()

    def stops(game: GameState) -> str:
        nonlocal last
        status = until(game)
        if not status:
            now = time.perf_counter() - compile_seconds()
            _on_boards[0] += now - last
            last = now
        return status or (WORTHWHILE if _on_boards[0] >= SECONDS_ON_BOARDS else "")

    return stops


class FirstMove(NamedTuple):
    """The figures of a game's first move.

    Attributes:
        cost: what it costs.
        earns_whole: whether its points are a whole number.
    """

    cost: float
    earns_whole: bool


def _first_move(game: GameState) -> FirstMove:
    """Return the figures of the first move of a game, asked for once: they are of one type in all games of a domain."""
    known: dict[Any, Any] = game.domain.derived
    if FirstMove not in known:
        edge = next(iter(game.domain.edges(game.start)))
        known[FirstMove] = FirstMove(edge.cost, isinstance(game.domain.points(game.start, edge.board), int))
    found: FirstMove = known[FirstMove]
    return found


class Course:
    """The moves of a game from its beginning on.

    Args:
        game: the game.
        start: the board on which it was begun, None where its opening was drawn.
        seed: of its random numbers.
        watcher: as that of `play`.
    """

    def __init__(self, game: GameState, start: Board | None, seed: int, watcher: Watcher | None = None) -> None:
        self._game, self._start, self._seed, self._watcher = game, start, seed, watcher
        self._moves: list[PlayedMoves | tuple[Turn]] = []
        self._count = 0
        self._turns: list[Turn] = []
        self._watched = time.perf_counter()

    def add(self, played: PlayedMoves) -> None:
        """Add moves that were made in compiled code."""
        self._moves.append(played)
        self._count += len(played)
        self._watch()

    def add_turn(self, turn: Turn) -> None:
        """Add a move that was made on Board objects."""
        self._moves.append((turn,))
        self._count += 1
        self._turns.append(turn)
        self._watch()

    def turns(self, *, is_whole: bool) -> Sequence[Turn]:
        """Return all moves; those of a game in compiled code are made on Board objects when somebody looks at them.

        Args:
            is_whole: whether all moves were added that the game says were made.
        """
        game = self._game
        if len(self._turns) == self._count:
            return tuple(self._turns)
        if not is_whole:
            return self._made()
        score = int(game.score) if _first_move(game).earns_whole else game.score
        return LaterTurns(self._count, self._actions, score, self._cost, game.board, self._made)

    def _cost(self) -> float | None:
        """Return the cost of all moves where each costs the same, else None."""
        form = self._game.domain.packed(self._game.start)
        return _first_move(self._game).cost * self._game.moves if form and has_unit_moves(form) else None

    def _actions(self) -> tuple[str, ...]:
        """Return the names of all moves."""
        return tuple([move.action for moves in self._moves for move in moves])

    def _made(self) -> tuple[Turn, ...]:
        domain = self._game.domain
        game = GameState(domain, random_source(domain, Randomness(self._seed)), self._start)
        turns = tuple(map(game.move, self._actions()))
        return tuple(turn for turn in turns if turn is not None)

    def _watch(self) -> None:
        now = time.perf_counter()
        if self._watcher and now - self._watched > WATCH_EVERY:
            self._watcher(self._count, self._game.board)
            self._watched = now
