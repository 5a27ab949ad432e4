"""A player with its parameters set, for a domain: asked for a move, it gets what its function wants by name."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from searchlab.binding import Bound, filled_parameters
from searchlab.errors import FAILURES, PluginError, UsageError, in_one_line, shown
from searchlab.parameters import extra_parameters
from searchlab.spelling import format_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from searchlab.board import Board
    from searchlab.bound import BoundDomain
    from searchlab.bound_heuristic import BoundHeuristic
    from searchlab.components import Player

    Choice = Callable[[Board, tuple["Move", ...]], str]


class Move(NamedTuple):
    """A legal move: what a player chooses from.

    Attributes:
        action: the move's name.
        board: the board after it.
    """

    action: str
    board: Board


@dataclass(frozen=True, eq=False, repr=False)
class BoundPlayer(Bound):
    """A player with its parameters set, for a domain.

    Attributes:
        domain: whose parameters fill those of the player that have the same name.
        heuristics: the heuristics that its parameters name, also where that is the domain's own by default.
    """

    component: Player
    domain: BoundDomain
    heuristics: Mapping[str, BoundHeuristic] = field(default_factory=dict)

    def __str__(self) -> str:
        return format_name(self.name, {**self._changed, **self.heuristics})

    def arguments(self, board: Board, random: Random) -> dict[str, Any]:
        """Return the arguments of the player's function after the first two, for boards of this shape.

        Raises:
            UsageError: it asks for what nobody gives.
        """
        wanted = extra_parameters(self.component.function, 2)
        supplied = {"domain": self.domain, "random": random, **self.heuristics}
        others = {parameter.name for parameter in wanted} - supplied.keys() - self.values.keys()
        offered = self.domain.offers(others, board)
        return filled_parameters(f"player {self.name}", wanted, supplied, self.values, offered)

    def begin(self, seed: int) -> Choice:
        """Return what chooses the moves of one game: a function `(board, moves)` that returns a legal action.

        It raises a PluginError where the player's fails or returns anything else, and a UsageError where that asks
        for what nobody gives, or says itself that its parameters make no sense.

        Args:
            seed: of the `random` the player's function may ask for.
        """
        function = self.component.function
        random = Random(seed)
        filled: dict[tuple[int, int], dict[str, Any]] = {}

        def choose(board: Board, moves: tuple[Move, ...]) -> str:
            if board.shape not in filled:
                filled[board.shape] = self.arguments(board, random)
            try:
                return self._legal(function(board, moves, **filled[board.shape]), moves)
            except (PluginError, UsageError):
                raise
            except FAILURES as error:
                raise PluginError(f"player {self.name}: {in_one_line(error)}") from error

        return choose

    def _legal(self, action: Any, moves: tuple[Move, ...]) -> str:
        """Return what the player's function returned, if it is the action of a move."""
        actions = [move.action for move in moves]
        if isinstance(action, str) and action in actions:
            return action
        wanted = f"the action of a legal move is wanted: {' or '.join(actions)}"
        raise PluginError(f"player {self.name} returned {shown(action)}; {wanted}")
