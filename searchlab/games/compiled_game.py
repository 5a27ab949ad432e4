"""Games played in compiled code: `kernels/playing.py` with the rules of a domain and the heuristic of a player.

Moves, points and random numbers are the same as with `GameState.play`. That method makes the extraordinary moves
itself: moves to a goal, moves of infinite value, and moves for which a function of a plugin fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from searchlab.binding.bound import fill_arguments
from searchlab.binding.interpreted import asks_for_points
from searchlab.compiler.arrays import addresses
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.errors.cached import cached_property
from searchlab.games import expectimax as depths
from searchlab.games.expectimax import Expectimax
from searchlab.games.expectimax_compiled import (
    MEMORY_BITS,
    TABLE_BITS,
    ExpectimaxKernel,
    NotCached,
    arrays_of,
    packing_and_form,
)
from searchlab.games.kernels import rules
from searchlab.games.kernels.playing import GameArrays, GameControl, nothing_ahead, play, scored_moves
from searchlab.model.randomness import state_of, words_of
from searchlab.search.compiled.kernel_run import KernelRun, Slices
from searchlab.search.kernels.control import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Choice
    from searchlab.board.board import Board
    from searchlab.compiler.adapters import Adapter
    from searchlab.compiler.packing import Packing
    from searchlab.games.game import GameState
    from searchlab.model.games import Turn
    from searchlab.model.packed import PackedForm
    from searchlab.model.randomness import Randomness

    Note = Callable[["PlayedMoves"], None]

T = TypeVar("T")

LOG = 1 << 14
"""The most moves after which the kernel returns."""
WORTH_COMPILING = "worth compiling"
"""Marks games that are worth compiling for, although their machine code is not in the cache."""
MOST_CODES = 64
"""The most different tiles that the kernel can count."""


class PlayedMove(NamedTuple):
    """A move that was made in compiled code.

    Attributes:
        action: the name of the move.
        actions: the names of all legal moves.
    """

    action: str
    actions: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PlayedMoves:
    """Consecutive moves that were made in compiled code; they are named on demand.

    Attributes:
        count: the number of moves.
        names: the object that names the moves.
        states, chosen, legal: the packed board before each move, the index of the move among the legal moves, and the
            kernel's description of the legal moves; see `log_legal`.
    """

    count: int
    names: MoveNames
    states: NDArray[np.uint64]
    chosen: NDArray[np.int64]
    legal: NDArray[np.int64]

    def __len__(self) -> int:
        return self.count

    @cached_property
    def _named(self) -> tuple[Mapping[int, PlayedMove], Sequence[int]]:
        """The distinct moves by number, and the numbers of these moves in order."""
        return self.names.named(self.states, self.chosen, self.legal)

    def __iter__(self) -> Iterator[PlayedMove]:
        different, numbers = self._named
        return map(different.__getitem__, numbers)

    def each(self, function: Callable[[PlayedMove], T]) -> Iterator[T]:
        """Yield the return value of a function for each move; the function is called only once for equal moves."""
        different, numbers = self._named
        return map({number: function(different[number]) for number in set(numbers)}.__getitem__, numbers)


class MoveNames:
    """Name the moves of games on boards of one packed form.

    Args:
        domain, form, packing: the domain of the games, the form, and the packing of boards.
    """

    def __init__(self, domain: BoundDomain, form: PackedForm, packing: Packing) -> None:
        self._domain, self._form, self._packing = domain, form, packing
        self._moves: dict[int, PlayedMove] = {}

    def named(
        self, states: NDArray[np.uint64], chosen: NDArray[np.int64], said: NDArray[np.int64]
    ) -> tuple[Mapping[int, PlayedMove], Sequence[int]]:
        """Return the distinct moves by number, and the number of each move that was made on packed boards.

        Args:
            states, chosen, said: see `PlayedMoves`, which calls `said` `legal`.

        Raises:
            PluginError: the function that returns the legal actions fails.
        """
        form, packing = self._form, self._packing
        if form.legal is None:
            boards = packing.unpack(states)
            legal_actions = (tuple(edge.action for edge in self._domain.edges(board)) for board in boards)
            each = [PlayedMove(actions[k], actions) for k, actions in zip(chosen.tolist(), legal_actions, strict=True)]
            return dict(enumerate(each)), range(len(each))
        legal = said
        if form.words.legal is None:
            places = 1 << np.arange(len(form.actions))
            legal = np.full(len(states), places.sum())
            some = np.flatnonzero(said < len(form.actions))
            if len(some):
                arguments = fill_arguments(self._domain.name, form.legal, 1, self._domain.values)
                with PluginCode(lambda error: PluginError(f"{self._domain.name}: legal failed: {in_one_line(error)}")):
                    legal[some] = np.asarray(form.legal(packing.unpack_tiles(states[some]), **arguments), bool) @ places
        codes: list[int] = (legal * form.max_successors + chosen).tolist()
        for code in set(codes) - self._moves.keys():
            self._moves[code] = self._move_of(code)
        return self._moves, codes

    def _move_of(self, code: int) -> PlayedMove:
        """Return the move of a code: the bits of the legal actions, and the index of the chosen action."""
        legal, chosen = divmod(code, self._form.max_successors)
        actions = tuple(action for place, action in enumerate(self._form.actions) if legal >> place & 1)
        return PlayedMove(actions[chosen], actions)


def compiled_game(
    domain: BoundDomain, player: BoundPlayer, board: Board, *, if_cached: bool = False
) -> CompiledGame | None:
    """Return the compiled game of a player on boards like this one, or None if it cannot be compiled.

    Errors of a plugin appear later, when the game is played on Board objects.

    Args:
        domain, player, board: the game.
        if_cached: whether to return None instead of compiling if the machine code is not in the cache.
    """
    try:
        ahead = player.looks_ahead(board)
        if not isinstance(ahead, Expectimax) or not ahead.is_plain or ahead.definition.domain.key != domain.key:
            return None
        form = domain.packed(board)
        kept = _kept(ahead, domain, board.shape)
        if not kept or kept[0] is not form or (kept[1] is WORTH_COMPILING and not if_cached):
            kept[:] = [form, None]  # a failure is not tried again for every game
            kept[1] = CompiledGame(domain, player, ahead, board, if_cached=if_cached)
        return kept[1] if isinstance(kept[1], CompiledGame) else None
    except NotCached:
        kept[1] = WORTH_COMPILING
        return None
    except (CannotCompile, PluginError, UsageError):
        return None


@lru_cache(maxsize=8)
def _kept(ahead: Expectimax, domain: BoundDomain, shape: tuple[int, int]) -> list[Any]:
    """Return a list, empty at first, that keeps the form and the compiled game with code and large arrays."""
    return []


class _OtherForm(Exception):
    """The domain chooses another packed form for a board."""


class CompiledGame(KernelRun):
    """Play games in compiled code.

    Attributes:
        form: the packed form of the boards.

    Raises:
        CannotCompile: a function that is needed cannot be compiled.
        NotCached: the game would have to be compiled, and `if_cached` is set.
    """

    def __init__(
        self, domain: BoundDomain, player: BoundPlayer, ahead: Expectimax, board: Board, *, if_cached: bool = False
    ) -> None:
        definition = ahead.definition
        self._domain, self._player, self._ahead = domain, player, ahead
        self._idle = Lock()
        self._others: list[CompiledGame] = []  # idle games, for threads that call while this game is playing
        packing, self.form = packing_and_form(definition, board)
        is_one_ply = ahead.depth == 0
        why = why_not_compiled(domain, self.form, packing, ahead, board)
        if self.form.rule("draws") is None:
            why = "nothing is drawn there"
        if why:
            raise CannotCompile(f"games of {domain.name} cannot be played in compiled code: {why}")

        def further(adapter: Adapter, values: Mapping[str, Any]) -> dict[str, Any]:
            drawing = adapter.draws(self.form, values) + "    return count\n"
            drawn = rules.in_place_of(adapter, [(rules.draw, bool(self.form.words.draws), drawing)])
            return {**choice_constants(domain, self.form, packing, adapter, values, is_one_ply=is_one_ply), **drawn}

        self._names = MoveNames(domain, self.form, packing)
        self.slices = Slices()  # for all games, because a short game is a single slice
        self._kernel = ExpectimaxKernel.of(
            definition, self.form, board, (play, GameArrays), further, prefetches=is_one_ply, if_cached=if_cached
        )
        self._game = GameControl(log_size=LOG, by_board=ahead.depth is None)
        sizes = {"log": LOG}
        bits = (0, 0) if is_one_ply else (TABLE_BITS, MEMORY_BITS)
        self._arrays = arrays_of(GameArrays, self._kernel, definition, *bits, sizes, game=self._game)
        self._control = self._arrays.control
        self._control.depth = ahead.depth or 0
        self._addresses = addresses(self._arrays)

    def let_play(
        self,
        game: GameState,
        random: Randomness,
        most_moves: int,
        choose: Choice,
        check: Callable[[], None],
        note: Note,
        on_turn: Callable[[Turn], None],
    ) -> None:
        """Play a game until it is over, has this number of moves, or cannot be continued in compiled code.

        Args:
            game, random: the game and its random numbers.
            choose: the player, which makes the moves on Board objects.
            check, note: see `play`.
            on_turn: called after each move on Board objects.
        """
        playing: CompiledGame | None = self
        is_first = not game.is_ended  # the kernel itself finds out whether the game is over on its first board
        while playing and (is_first or not game.status) and game.moves < most_moves:
            is_first = False
            is_same_form = playing.play(game, random, most_moves, check, note)
            if is_same_form and not game.status and game.moves < most_moves:
                turn = game.move(choose(game.board, game.legal_moves))
                assert turn is not None
                on_turn(turn)
                is_same_form = self._domain.packed(game.board) is playing.form
            if not is_same_form:
                playing = compiled_game(self._domain, self._player, game.board)

    def play(self, game: GameState, random: Randomness, most_moves: int, check: Callable[[], None], note: Note) -> bool:
        """Continue a game until it has this number of moves or the next move must be made on Board objects.

        Args:
            game, random: the game, on a board of this packed form, and its random numbers, which are brought up to date
                whenever `note` is called.
            check: called between slices; it raises an exception to end the game.
            note: called after each slice with the moves made in it.

        Returns:
            whether the next board still has this packed form.
        """
        if self._idle.acquire(blocking=False):
            try:
                return self._play(game, random, most_moves, check, note)
            finally:
                self._idle.release()
        # Another thread is playing, or a callback of this thread between two slices: each game needs its own arrays.
        try:
            other = self._others.pop()
        except IndexError:
            other = CompiledGame(self._domain, self._player, self._ahead, game.board)
        try:
            return other.play(game, random, most_moves, check, note)
        finally:
            self._others.append(other)

    def _play(
        self, game: GameState, random: Randomness, most_moves: int, check: Callable[[], None], note: Note
    ) -> bool:
        self._state, self._random, self._check, self._note = game, random, check, note
        g, s = self._game, self._arrays
        s.board[0], s.random[:] = self._kernel.packing.pack(game.board), words_of(random)
        g.moves, g.score, g.logged, g.thinking = game.moves, float(game.score), 0, 0
        g.most_moves = self._most_moves = most_moves
        self._begun = self._standing()
        try:
            self.advance(Status.BUDGET)
            self._take()
        except _OtherForm:
            return False
        return True

    @property
    def done(self) -> int:
        """The number of moves tried so far."""
        return self._control.tries

    def slice(self, budget: int) -> int:
        """Continue the game; if a function of a plugin fails, stop before the move for which it fails."""
        try:
            with PluginCode(lambda error: PluginError(in_one_line(error)), ()):
                status: int = self._kernel.call(*self._addresses, budget)
                return status
        except PluginError:
            self._again(self._game.moves)
            return Status.GOAL

    def stopped(self) -> str:
        """Bring the game up to date, and check whether it may continue."""
        self._take()
        self._check()
        return ""

    def grow(self, status: int) -> str:
        """Empty the log."""
        return self.stopped()

    def _standing(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], int, float]:
        """Return the state of the game at the beginning of the log."""
        s, g = self._arrays, self._game
        return s.board[0].copy(), s.random.copy(), g.moves, g.score

    def _again(self, moves: int) -> None:
        """Repeat the moves of the log, up to this number of moves of the game."""
        s, g, c = self._arrays, self._game, self._control
        s.board[0], s.random[:], g.moves, g.score = self._begun
        g.logged, g.thinking, g.most_moves, c.level = 0, 0, moves, 0
        self._kernel.call(*self._addresses, 2**62)
        g.most_moves = self._most_moves

    def _take(self) -> None:
        """Bring the game up to date with the moves of the log, as long as the boards have this packed form.

        Raises:
            _OtherForm: a board has another packed form.
        """
        s, g, packing = self._arrays, self._game, self._kernel.packing
        if not g.logged:
            return
        board = packing.unpack(s.board[:1])[0]
        is_other = self._domain.packed(board) is not self.form
        if is_other:
            # The form changes only once, so bisection finds the first such board.
            first, last = 0, g.logged
            while last - first > 1:
                middle = (first + last) // 2
                there = packing.unpack(s.log_boards[middle : middle + 1])[0]
                first, last = (middle, last) if self._domain.packed(there) is self.form else (first, middle)
            self._again(self._begun[2] + last)
            board = packing.unpack(s.board[:1])[0]
        log = slice(g.logged)
        # Copies: the next slice writes to the log.
        logged = s.log_boards[log].copy(), s.log_chosen[log].astype(np.int64), s.log_legal[log].astype(np.int64)
        played = PlayedMoves(g.logged, self._names, *logged)
        self._state.go_on_from(board, g.moves, g.score)
        self._random.state = state_of(s.random)
        g.logged = 0
        self._begun = self._standing()
        self._note(played)
        if is_other:
            raise _OtherForm


def why_not_compiled(domain: BoundDomain, form: PackedForm, packing: Packing, ahead: Expectimax, board: Board) -> str:
    """Return the reason why moves of such a player cannot be chosen in compiled code, or `""`."""
    if domain.packed(board) is not form:
        return "it makes a new packed form each time"
    if ahead.depth is None and not (packing.is_uniform and packing.values <= MOST_CODES):
        return "its boards have too many different tiles"
    if not domain.is_of_chance:
        return "nothing is drawn there"
    if domain.component.has_points and not asks_for_points(form.rule("successors")):
        return "its packed form does not write the points of moves"
    return ""


def choice_constants(
    domain: BoundDomain,
    form: PackedForm,
    packing: Packing,
    adapter: Adapter,
    values: Mapping[str, Any],
    *,
    is_one_ply: bool,
) -> dict[str, Any]:
    """Return the constants of the kernels of `kernels/playing.py`, besides those of expectimax and the draw."""
    scored = adapter.successors(form, values, earns=domain.component.has_points) + "    return count\n"
    replaced = rules.in_place_of(adapter, [(scored_moves, False, scored)])
    if is_one_ply:
        replaced["expectimax"] = nothing_ahead  # with it, compiling would take twice the time
    return {
        **replaced,
        **{"LEAST_DEPTH": depths.LEAST_DEPTH, "LEFT_OUT": depths.TILES_LEFT_OUT, "MOST_DEPTH": depths.MOST_DEPTH},
        **{"CELLS": packing.cells, "BITS": packing.bits if packing.is_uniform else 1},
    }
