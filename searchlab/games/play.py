"""`sl.play`: let a player play a game, in compiled code if possible, else on Board objects."""

from __future__ import annotations

import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from searchlab.binding.player import BoundPlayer
from searchlab.compiler.adapters import has_unit_moves
from searchlab.compiler.notice import compile_seconds
from searchlab.errors import PluginError
from searchlab.errors.interrupts import HandlersPass
from searchlab.games.game import DEFAULT_PLAYER, MOST_MOVES, GameState, move_limit, random_source
from searchlab.model.games import Game, LaterTurns
from searchlab.model.randomness import Randomness, whole_number
from searchlab.plugins import lookup
from searchlab.plugins.domain_of_board import named_board
from searchlab.plugins.lookup import DEFAULT_GAME
from searchlab.plugins.process_state import StateKept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import Choice
    from searchlab.board.board import Board
    from searchlab.games.compiled_game import CompiledGame, Note, PlayedMoves
    from searchlab.games.game import Until
    from searchlab.model.domain import Domain
    from searchlab.model.games import Turn
    from searchlab.model.instance import Instance
    from searchlab.model.strategies import Player
    from searchlab.plugins.registry import Plugins

    ShowProgress = Callable[[int, Board], None]

REPORT_EVERY = 0.2
"""Seconds between two calls of `progress`."""
SECONDS_ON_BOARDS = 2.0
"""The seconds of games in a process after which compiling pays for players that look ahead."""
WORTHWHILE = "worthwhile"
_on_boards = [0.0]


def play(
    board: Board | Instance | str | Path | None = None,
    *,
    domain: str | Domain | BoundDomain | None = None,
    player: str | Player | BoundPlayer | Callable[..., str] = DEFAULT_PLAYER,
    seed: int = 1,
    most_moves: int = MOST_MOVES,
    progress: ShowProgress | None = None,
    plugins: Plugins | None = None,
) -> Game:
    """Let a player play a game.

    Args:
        board: the start, with the player to move: a board, an instance, or a name (a file, or a board that ships). By
            default the domain's start board, in a game of chance after the random events of the opening.
        domain: the game: a name, a Domain or a bound domain. By default the domain of a bound player, or else 2048 with
            random tiles. For a board given by name, it is by default the domain in the `set.toml` beside the file, or
            else the only game that the tiles fit.
        player: the player: a name, a Player, a bound player, or a function of a board and its moves.
        seed: the seed of the random numbers of game and player, 0 or more. The same seed gives the same game.
        most_moves: the number of moves after which an unfinished game is ended.
        progress: a function that is called with the number of moves and the board, a few times a second.
        plugins: the plugins that names are looked up in; by default the installed ones.

    Returns:
        the game; `game.status` says how it ended. If a player fails or returns an illegal move, the status is `error`
            and no exception is raised.

    Raises:
        UsageError, BoardError: an argument is invalid.
    """
    if board is None:
        bound_to = player.domain if isinstance(player, BoundPlayer) else DEFAULT_GAME
        start, bound_domain = None, lookup.domain(bound_to if domain is None else domain, plugins=plugins)
    else:
        start, bound_domain = named_board(
            board, domain, plugins, default=DEFAULT_GAME, needed_by="a player", played=True
        )
    bound_player = lookup.player(player, domain=bound_domain, plugins=plugins)
    seed, most_moves = whole_number(seed), whole_number(most_moves, "limit of moves")
    random = Randomness(seed)
    game = GameState(bound_domain, random_source(bound_domain, random), start)
    bound_player.prepare(game.board)
    course = Course(game, start, seed, progress)
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
        player, choose: the player, and the return value of `player.begin`.
        most_moves: the largest number of moves of the game, including moves made before.
        note: called now and then with moves made in compiled code.
        on_turn: called after each move made on Board objects.
        check: called between slices of compiled code; it raises an exception to end the game.
        compiling: the context for compiling.

    Returns:
        the status at the end.

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
    """Return a function like `until` that also ends a game, with WORTHWHILE, once compiling pays."""
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
        cost: the cost of the move.
        earns_whole: whether its points are an integer.
    """

    cost: float
    earns_whole: bool


def _first_move(game: GameState) -> FirstMove:
    """Return the figures of a game's first move, computed once, because all games of a domain have the same types."""
    found = _first_moves.get(game.domain)
    if found is None:
        edge = next(iter(game.domain.edges(game.start)))
        found = FirstMove(edge.cost, isinstance(game.domain.points(game.start, edge.board), int))
        _first_moves[game.domain] = found
    return found


_first_moves: WeakKeyDictionary[BoundDomain, FirstMove] = WeakKeyDictionary()


class Course:
    """The moves of a game from the beginning.

    Args:
        game: the game.
        start: the start board, or None if the opening was drawn.
        seed: the seed of the random numbers.
        progress: as for `play`.
    """

    def __init__(self, game: GameState, start: Board | None, seed: int, progress: ShowProgress | None = None) -> None:
        self._game, self._start, self._seed, self._progress = game, start, seed, progress
        self._moves: list[PlayedMoves | tuple[Turn]] = []
        self._count = 0
        self._turns: list[Turn] = []
        self._reported = time.perf_counter()

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
        """Return all moves; moves made in compiled code are repeated on Board objects on demand.

        Args:
            is_whole: whether the moves added are all moves that the game has counted.
        """
        game = self._game
        if len(self._turns) == self._count:
            return tuple(self._turns)
        if not is_whole:
            return self._made()
        score = int(game.score) if _first_move(game).earns_whole else game.score
        return LaterTurns(self._count, self._actions, score, self._cost, game.board, self._made)

    def _cost(self) -> float | None:
        """Return the cost of all moves if each costs the same, else None."""
        form = self._game.domain.packed(self._game.start)
        return _first_move(self._game).cost * self._game.moves if form and has_unit_moves(form) else None

    def _actions(self) -> tuple[str, ...]:
        return tuple([move.action for moves in self._moves for move in moves])

    def _made(self) -> tuple[Turn, ...]:
        domain = self._game.domain
        game = GameState(domain, random_source(domain, Randomness(self._seed)), self._start)
        turns = tuple(map(game.move, self._actions()))
        return tuple(turn for turn in turns if turn is not None)

    def _watch(self) -> None:
        now = time.perf_counter()
        if self._progress and now - self._reported > REPORT_EVERY:
            self._progress(self._count, self._game.board)
            self._reported = now
