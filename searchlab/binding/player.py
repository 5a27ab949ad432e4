"""`BoundPlayer`: a player with parameter values, for a domain."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from weakref import finalize

from searchlab.binding.bound import Bound, BoundToDomain, NoNumber, check_arguments, fill_arguments, number
from searchlab.binding.names import format_name
from searchlab.errors import PluginCode, PluginError, UsageError, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.strategies import KEPT, SUPPLIED, MoveValues

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from random import Random

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.heuristic import BoundHeuristic
    from searchlab.board.board import Board
    from searchlab.model.strategies import KeptByPlayer, Player

    Choice = Callable[[Board, tuple["Move", ...]], str]
    Judge = Callable[[Board, tuple["Move", ...]], "Judgement"]

T = TypeVar("T")


class Move(NamedTuple):
    """A legal move from which a player chooses.

    Attributes:
        action: the name of the move.
        board: the board after the move.
    """

    action: str
    board: Board


class Judgement(NamedTuple):
    """A player's judgement of a position. The function of a player may return one.

    Attributes:
        action: the chosen move.
        values: the value of each move, in the order of the moves; higher is better. None for a player without values.
    """

    action: str
    values: tuple[float, ...] | None


@dataclass(frozen=True, eq=False, repr=False)
class BoundPlayer(BoundToDomain):
    """A player with parameter values, for a domain.

    Attributes:
        domain: the domain; its parameters fill the player's parameters of the same name.
        heuristics: the heuristics that parameters name, by default the domain's own.
    """

    component: Player
    domain: BoundDomain
    heuristics: Mapping[str, BoundHeuristic] = field(default_factory=dict)

    def on(self, domain: BoundDomain) -> BoundPlayer:
        """Return the player and its heuristics for the static data of another instance of the domain."""
        if domain is self.domain:
            return self
        heuristics = {name: heuristic.on(domain) for name, heuristic in self.heuristics.items()}
        return replace(self, domain=domain, heuristics=heuristics)

    @property
    def members(self) -> tuple[Bound, ...]:
        """The player, and the heuristics that its parameters name."""
        return (self, *(member for heuristic in self.heuristics.values() for member in heuristic.members))

    @cached_property
    def _spelled(self) -> str:
        return format_name(self.name, {**self.changed, **self.heuristics})

    def prepare(self, board: Board) -> None:
        """Build the tables of player, domain and heuristics for boards of this shape, and load the heuristics' models.

        Raises:
            PluginError: a table or model cannot be built or loaded.
        """
        self.domain.prepare(board, self)
        for heuristic in self.heuristics.values():
            heuristic.warm_up(board, 1)

    def check_arguments(self, board: Board) -> None:
        """Raise a UsageError if an argument of a function of the player is not available for such boards."""
        supplied, names = {*SUPPLIED, KEPT, *self.heuristics}, self.names(board)
        for form in self.component.forms:
            check_arguments(f"player {self.name}", form, 2, supplied, names)
        for function in filter(None, (self.component.looks_ahead, self.component.keeps)):
            check_arguments(f"player {self.name}", function, 0, supplied - {"random", KEPT}, names)

    def looks_ahead(self, board: Board) -> MoveValues | None:
        """Return the Expectimax with the player's values for boards of this shape, or None.

        Raises:
            PluginError, UsageError: the player's function failed.
        """
        function = self.component.looks_ahead
        if function is None:
            return None
        arguments = self._ahead_arguments.get(board.shape)
        if arguments is None:
            supplied = {"domain": self.domain, **self.heuristics}
            arguments = fill_arguments(f"player {self.name}", function, 0, supplied, self.names(board))
            self._ahead_arguments[board.shape] = arguments
        with PluginCode(
            lambda error: PluginError(f"player {self.name}: {in_one_line(error)}"), (PluginError, UsageError)
        ):
            ahead = function(**arguments)
            return ahead if isinstance(ahead, MoveValues) else None

    @cached_property
    def _ahead_arguments(self) -> dict[tuple[int, int], dict[str, Any]]:
        """The arguments of `looks_ahead` by name, for each shape of boards."""
        return {}

    def begin(self, seed: int) -> Choice:
        """Return a function `(board, moves)` that chooses the moves of one game: it returns a legal action.

        It raises a PluginError if the player's function fails or returns anything else, and a UsageError if an argument
        is not available or a parameter is invalid. If there is only one move, a player that chooses by values is not
        asked.

        Args:
            seed: the seed of the player's `random`.
        """
        function = self.component.function
        if function is not None:
            choose = self._asking(function, seed, self._chosen)
            return lambda board, moves: choose(board, moves).action
        judge = self.begin_judging(seed)
        return lambda board, moves: moves[0].action if len(moves) == 1 else judge(board, moves).action

    def begin_judging(self, seed: int) -> Judge:
        """Return a function `(board, moves)` that judges the positions of one game: it returns a Judgement.

        A player with values makes the first move with the highest value; its `function` is not called. Errors are the
        same as for `begin`.

        Args:
            seed: the seed of the player's `random`.
        """
        if self.component.values is not None:
            return self._asking(self.component.values, seed, self.judged)
        if self.component.looks_ahead is not None:
            return LooksAhead(self)
        assert self.component.function is not None
        return self._asking(self.component.function, seed, self._chosen)

    def _asking(
        self, form: Callable[..., Any], seed: int, checked: Callable[[Any, tuple[Move, ...]], T]
    ) -> Callable[[Board, tuple[Move, ...]], T]:
        """Return a function that calls one of the player's functions and checks its answer."""
        from random import Random

        random = Random(seed)
        lent: list[KeptByPlayer] = []
        filled: dict[tuple[int, int], dict[str, Any]] = {}
        contained = PluginCode(
            lambda error: PluginError(f"player {self.name}: {in_one_line(error)}"), (PluginError, UsageError)
        )

        def ask(board: Board, moves: tuple[Move, ...]) -> T:
            if board.shape not in filled:
                if self.component.keeps is not None and not lent:
                    lent.append(self.lend(board))
                    with contained:
                        lent[0].begin(seed)
                filled[board.shape] = self._arguments(form, board, random, lent)
            with contained:
                return checked(form(board, moves, **filled[board.shape]), moves)

        if self.component.keeps is not None:
            # The game is over when nobody has this function any more.
            finalize(ask, self._kept.extend, lent).atexit = False
        return ask

    def _arguments(
        self, form: Callable[..., Any], board: Board, random: Random, kept: list[KeptByPlayer]
    ) -> dict[str, Any]:
        supplied = {
            "domain": self.domain,
            "random": random,
            **self.heuristics,
            **dict(zip((KEPT,), kept, strict=False)),
        }
        return fill_arguments(f"player {self.name}", form, 2, supplied, self.names(board))

    @cached_property
    def _kept(self) -> list[KeptByPlayer]:
        """The objects that the player keeps and no game is using."""
        return []

    def lend(self, board: Board) -> KeptByPlayer:
        """Return an object that the player keeps, for one game; a new one if games are using all others."""
        if self._kept:
            return self._kept.pop()
        assert self.component.keeps is not None
        supplied = {"domain": self.domain, **self.heuristics}
        arguments = fill_arguments(f"player {self.name}", self.component.keeps, 0, supplied, self.names(board))
        with PluginCode(
            lambda error: PluginError(f"player {self.name}: {in_one_line(error)}"), (PluginError, UsageError)
        ):
            kept: KeptByPlayer = self.component.keeps(**arguments)
        return kept

    def _chosen(self, returned: Any, moves: tuple[Move, ...]) -> Judgement:
        """Return the judgement that a player's function returned; an action becomes a judgement without values."""
        if not isinstance(returned, Judgement):
            return Judgement(self._legal(returned, moves), None)
        action, values = self._legal(returned.action, moves), returned.values
        return Judgement(action, None if values is None else self.judged(values, moves).values)

    def _legal(self, action: Any, moves: tuple[Move, ...]) -> str:
        actions = [move.action for move in moves]
        if isinstance(action, str) and (chosen := str(action)) in actions:
            return chosen
        wanted = f"the action of a legal move is wanted: {' or '.join(actions)}"
        raise PluginError(f"player {self.name} returned {shown(action)}; {wanted}")

    def judged(self, returned: Any, moves: tuple[Move, ...]) -> Judgement:
        """Return the judgement that follows from the value of each move.

        Raises:
            PluginError: the values are invalid.
        """
        given = list(islice(returned, len(moves) + 1)) if isinstance(returned, Iterable) else None
        if given is None or len(given) != len(moves):
            said = shown(returned if given is None else given)
            wanted = f"a number for each of {len(moves)} moves is wanted"
            raise PluginError(f"player {self.name} returned {said} as its values; {wanted}")
        values = tuple(self._value(value, move) for value, move in zip(given, moves, strict=True))
        return Judgement(moves[values.index(max(values))].action, values)

    def _value(self, value: Any, move: Move) -> float:
        what = f"player {self.name} returned {shown(value)} as the value of {move.action}: not a number"
        try:
            worth = number(value)
        except NoNumber as error:
            raise PluginError(f"{what}{error.why and f' ({error.why})'}") from error
        if isnan(worth):
            raise PluginError(what)
        return worth


class LooksAhead:
    """Judges positions by the values that a player computes by looking ahead.

    Args:
        player: a player with a function `looks_ahead`.
    """

    def __init__(self, player: BoundPlayer) -> None:
        self._player = player
        self._known: dict[tuple[int, int], MoveValues | None] = {}

    def __call__(self, board: Board, moves: tuple[Move, ...]) -> Judgement:
        """Return the judgement of a position with these moves."""
        ahead = self._on(board)
        if ahead is None:
            msg = f"player {self._player.name} has no values, and looks_ahead returned no Expectimax"
            raise PluginError(msg)
        return self._player.judged(ahead.values(board).values(), moves)

    def prepare(self, board: Board) -> None:
        """Compile the functions that judging boards of this shape needs."""
        ahead = self._on(board)
        if ahead is not None:
            ahead.prepare(board)

    def _on(self, board: Board) -> MoveValues | None:
        if board.shape not in self._known:
            self._known[board.shape] = self._player.looks_ahead(board)
        return self._known[board.shape]
