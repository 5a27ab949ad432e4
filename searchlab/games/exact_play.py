"""Judge a player of a small game of chance exactly: follow all games of the player at once.

Boards with the same sum of tiles form a layer, as in `games/exact.py`. Each board has the probability that a game of
the player reaches it. The player is asked once about each reachable board, including turned and mirrored boards: it may
move differently on them, for example because it breaks ties by the order of moves or prefers a corner.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from searchlab.binding.player import Move
from searchlab.compiler.arrays import addresses, replaced
from searchlab.compiler.functions import CannotCompile
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line
from searchlab.games.compiled_game import choice_constants, why_not_compiled
from searchlab.games.exact_compiled import Choices
from searchlab.games.expectimax import Expectimax
from searchlab.games.expectimax_compiled import ExpectimaxKernel, arrays_of
from searchlab.games.kernels.playing import MOVED, ON_BOARDS, GameControl, PolicyArrays, choose_all
from searchlab.model.component import extra_parameters
from searchlab.search.kernels.control import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer
    from searchlab.board.board import Board
    from searchlab.games.exact_compiled import LayerSolver

    Check = Callable[[int], None]

SLICE = 1 << 16
"""The moves tried between two looks at the clock."""
TABLE_BITS, MEMORY_BITS = 20, 18
"""The bits of the index of the tables of known values: 29 MB, enough for most boards of a layer.

Boards of a layer lead to the same boards. With the smaller tables of a game, a depth of 2 takes 1.6 times as long.
"""
AT_ONCE = 1 << 10
"""The Board objects that a player is asked about between two looks at the clock."""


@dataclass(frozen=True, eq=False, repr=False)
class ExactPlay:
    """The average results of a player in a game of chance, computed over all its games: `sl.exact_values(policy=…)`.

    Attributes:
        domain: the game.
        player: the player.
        start: the expected number of points of a whole game.
        length: the expected number of moves of a game.
        tiles: for each tile, the probability that the largest tile at the end of a game is at least this tile.
        states: the number of reachable boards on which the player moves or the game is over; turned and mirrored boards
            count separately.

    >>> import searchlab as sl
    >>> played = sl.exact_values("2048-random:n=2", policy="greedy")
    >>> round(played.start, 4), round(played.length, 4), played.states
    (36.5989, 7.8482, 302)
    >>> {tile: round(chance, 3) for tile, chance in played.tiles.items()}
    {8: 1.0, 16: 0.407, 32: 0.029}
    """

    domain: BoundDomain
    player: BoundPlayer
    start: float
    length: float
    tiles: Mapping[int, float]
    states: int


def why_no_policy(player: BoundPlayer, board: Board) -> str:
    """Return the reason why a player's move is not determined by the board alone, or `""`."""
    component = player.component
    if component.keeps is not None:
        return "it keeps something from move to move"
    asked = component.function or component.values
    if asked is not None and any(parameter.name == "random" for parameter in extra_parameters(asked, 2)):
        return "it asks for random numbers"
    ahead = player.looks_ahead(board)
    if isinstance(ahead, Expectimax) and ahead.seconds is not None:
        return "it has a time per move; give it a depth instead of seconds"
    return ""


def exact_play(player: BoundPlayer, states: Mapping[Board, float], solver: LayerSolver) -> ExactPlay:
    """Follow a player from the first boards to the end of all games.

    Args:
        player: the player, prepared for such boards.
        states: the boards of the first move, with their probabilities.
        solver: the solver of the game, with `weighs` and without symmetry.

    Raises:
        Stopped: a limit was reached, or Ctrl-C was pressed.
        PluginError, UsageError: the player failed.
    """
    packing = solver.packing
    policy = Policy(player, solver, next(iter(states)))
    points = length = 0.0
    count = 0
    largest: dict[int, float] = {}
    first = np.array(list(states.values()))
    for weights, choices in solver.follow(solver.pack(states), first, policy.choose):
        count += len(weights)
        points += float(weights @ choices.points)
        length += float(weights[choices.moves].sum())
        over = choices.ends | ~choices.moves
        at_end = packing.unpack_tiles(choices.afters[over][:, None]).max(axis=(1, 2), initial=0)
        for tile in np.unique(at_end).tolist():
            largest[tile] = largest.get(tile, 0.0) + float(weights[over][at_end == tile].sum())
    tiles = {tile: sum(p for other, p in largest.items() if other >= tile) for tile in sorted(largest)}
    return ExactPlay(player.domain, player, points, length, tiles, count)


class Policy:
    """The choices of a player on packed boards: in compiled code if the player's games are, else on Board objects.

    Args:
        player: the player.
        solver: the solver, with the packing of the boards.
        board: a board of this shape.
    """

    def __init__(self, player: BoundPlayer, solver: LayerSolver, board: Board) -> None:
        self._domain, self._packing = player.domain, solver.packing
        self._ask = player.begin(0)
        try:
            self._compiled = CompiledPolicy.of(player, solver, board)
        except (CannotCompile, PluginError, UsageError):  # an error of a plugin appears on the first board
            self._compiled = None

    def choose(self, words: NDArray[np.uint64], check: Check) -> Choices:
        """Return the choices on packed boards; `check` is called now and then with the number of boards done."""
        if self._compiled:
            choices, is_left = self._compiled.choose(words, check)
            left = np.flatnonzero(is_left)
        else:
            count = len(words)
            choices = Choices(np.zeros(count, bool), words.copy(), np.zeros(count), np.zeros(count, bool))
            left = np.arange(count)
        for first in range(0, len(left), AT_ONCE):
            some = left[first : first + AT_ONCE]
            for at, board in zip(some.tolist(), self._packing.unpack(words[some, None]), strict=True):
                self._choose_on(board, choices, at)
            check(first + len(some))
        return choices

    def _choose_on(self, board: Board, choices: Choices, at: int) -> None:
        """Write the choice on one board, made on Board objects."""
        edges = [] if self._domain.is_goal(board) else list(self._domain.edges(board))
        if not edges:
            return
        action = self._ask(board, tuple(Move(edge.action, edge.board) for edge in edges))
        edge = next(edge for edge in edges if edge.action == action)
        choices.moves[at] = True
        choices.afters[at] = self._packing.pack(edge.board)[0]
        choices.points[at] = self._domain.points(board, edge.board)
        choices.ends[at] = edge.terminal or self._domain.is_goal(edge.board)


class CompiledPolicy:
    """The choices of a player that looks ahead, by the kernel that plays its games.

    Args:
        kernel: the kernel.
        ahead: the Expectimax with which the player looks ahead.
    """

    def __init__(self, kernel: ExpectimaxKernel, ahead: Expectimax) -> None:
        self._kernel = kernel
        self._game = GameControl(by_board=ahead.depth is None)
        bits = (0, 0) if ahead.depth == 0 else (TABLE_BITS, MEMORY_BITS)
        sizes = {"log": 1, "source": 1}
        self._arrays = arrays_of(PolicyArrays, kernel, ahead.definition, *bits, sizes, game=self._game)
        self._arrays.control.depth = ahead.depth or 0

    @classmethod
    def of(cls, player: BoundPlayer, solver: LayerSolver, board: Board) -> CompiledPolicy | None:
        """Return the choices of a player on boards like this one; None if it does not look ahead by depth.

        Raises:
            CannotCompile: something that the player needs cannot be compiled.
            PluginError, UsageError: the player failed.
        """
        domain, form, packing = player.domain, solver.form, solver.packing
        ahead = player.looks_ahead(board)
        if not isinstance(ahead, Expectimax) or not ahead.is_plain or ahead.definition.domain.key != domain.key:
            return None
        if why_not_compiled(domain, form, packing, ahead, board):
            return None
        is_one_ply = ahead.depth == 0
        kernel = ExpectimaxKernel.of(
            ahead.definition,
            form,
            board,
            (choose_all, PolicyArrays),
            lambda adapter, values: choice_constants(domain, form, packing, adapter, values, is_one_ply=is_one_ply),
            prefetches=is_one_ply,
        )
        return cls(kernel, ahead)

    def choose(self, words: NDArray[np.uint64], check: Check) -> tuple[Choices, NDArray[np.bool_]]:
        """Return the choices on packed boards, and the boards for which the player must be asked on Board objects."""
        count = len(words)
        chosen, points, answer = words.copy(), np.zeros(count), np.full(count, ON_BOARDS, np.uint8)
        arrays = replaced(self._arrays, source=words, chosen=chosen, points_of=points, answer=answer)
        places, game, control = addresses(arrays), self._game, self._arrays.control
        game.logged, game.log_size, game.thinking, control.level = 0, count, 0, 0
        status = Status.BUDGET
        while status == Status.BUDGET:
            try:
                with PluginCode(lambda error: PluginError(in_one_line(error)), ()):
                    status = self._kernel.call(*places, control.tries + SLICE)
            except PluginError:
                # On Board objects the function fails again, with an error that shows the board.
                game.logged, game.thinking, control.level = game.logged + 1, 0, 0
            check(game.logged)
        return Choices(answer == MOVED, chosen, points, np.zeros(count, bool)), answer == ON_BOARDS
