"""The contract of a player: it answers with a legal move, by chance only as the seed says, and the game ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.player import Move
from searchlab.board.board import Board
from searchlab.errors import PluginError, UsageError
from searchlab.games.game import GameState, random_source
from searchlab.model.randomness import Randomness
from searchlab.testing.boards import walked_boards
from searchlab.testing.findings import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from searchlab.binding.player import BoundPlayer
    from searchlab.search.deadline import Clock
    from searchlab.testing.instances import Instance

    Position = tuple[BoundPlayer, Board, tuple[Move, ...]]

ASKED = 100
"""Boards of an instance that a player is asked about."""
SEEDS = (0, 1, 2)
LONGEST_GAME = 2000
"""Moves after which a game is not followed any further."""


class PlayerEvidence:
    """A player on all its grounds, and the positions it is asked about.

    Args:
        seats: the player as bound to a domain, with an instance of that domain.
        clock: the time there is.
    """

    def __init__(self, seats: list[tuple[BoundPlayer, Instance]], clock: Clock) -> None:
        self.clock = clock
        self._offered = [(self._timed(_seated(player, instance)), instance) for player, instance in seats]

    def grounds(self) -> tuple[str, ...]:
        """Return what it was checked on, in words."""
        counts = [sum(player is seated for player, *_ in self.positions) for seated, _ in self.seats]
        return tuple(f"{count} boards of walks from {i}" for count, (_, i) in zip(counts, self.seats, strict=True))

    def _timed(self, player: BoundPlayer) -> BoundPlayer:
        """Return a player each of whose answers is waited for only so long."""
        component = player.component
        function, values = (form and self._waited_for(form) for form in (component.function, component.values))
        return replace(player, component=replace(component, function=function, values=values))

    def _waited_for(self, form: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(form)
        def timed(board: Board, moves: tuple[Move, ...], **parameters: Any) -> Any:
            with self.clock.calling(lambda: board):
                answer = form(board, moves, **parameters)
                return list(answer) if isinstance(answer, Iterator) else answer

        return timed

    @cached_property
    def seats(self) -> list[tuple[BoundPlayer, Instance]]:
        """The player on each ground that it does not refuse."""
        return [(player, instance) for player, instance, _ in self._taken]

    @cached_property
    def positions(self) -> list[Position]:
        """Boards met on walks on which there is something to choose, with their moves."""
        return [(player, board, moves) for player, _, met in self._taken for board, moves in met]

    @cached_property
    def _taken(self) -> list[tuple[BoundPlayer, Instance, list[tuple[Board, tuple[Move, ...]]]]]:
        """Each ground with its positions, without those of which the player says that it is not for them.

        Raises:
            UsageError: it says so of all.
        """
        taken, refusals = [], []
        for player, instance in self._offered:
            with self.clock.calling():
                boards = walked_boards(instance, ASKED, self.clock.until(1 / (5 * len(self._offered))))
            listed = ((board, tuple(Move(*pair) for pair in instance.domain.successors(board))) for board in boards)
            met = [(board, moves) for board, moves in listed if moves and not instance.domain.is_goal(board)]
            try:
                for board, moves in met[:1]:
                    player.begin(SEEDS[0])(board, moves)
            except UsageError as error:
                refusals.append(error)
                continue
            except PluginError:
                pass  # that it fails is found when it is asked
            taken.append((player, instance, met))
        if refusals and not taken:
            raise refusals[0]
        return taken

    def asked(self) -> Iterator[Position]:
        """Yield positions as long as there is time for one property, as copies: a player may spoil them."""
        goes_on = self.clock.until(1 / 5)
        for player, board, moves in self.positions:
            yield player, Board(board.tiles), tuple(Move(move.action, Board(move.board.tiles)) for move in moves)
            if not goes_on():
                return


def legal(evidence: PlayerEvidence) -> Finding:
    """Ask for a move on every board."""
    answers = 0
    for player, board, moves in evidence.asked():
        for seed in SEEDS:
            try:
                player.begin(seed)(board, moves)
            except PluginError as error:
                return failed(str(error), (_on(player), board))
            answers += 1
    if not answers:
        return skipped("no board was met on which there is a move to choose")
    return passed(f"{answers:,} answers are legal moves", answers=answers)


def same_seed(evidence: PlayerEvidence) -> Finding:
    """Ask twice with the same seed, the second time in reverse order; play a game twice."""
    answers = [(*position, _answer(position)) for position in evidence.asked()]
    for player, board, moves, first in reversed(answers):
        second = _answer((player, board, moves))
        if first != second:
            said = f"{first} the first time and {second} the second, with the same seed; let chance come from `random`"
            return failed(said, (_on(player), board))
    for player, instance in evidence.seats:
        one, other = (_game(evidence, player, instance, SEEDS[-1])[0] for _ in range(2))
        differing = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if differing:
            said = "a game played again with the same seed is another one; let chance come from `random`"
            return failed(said, ("it went on to:", differing[0][0]), ("and then to:", differing[0][1]))
    return passed(f"asked again with the same seed, it makes the same move on {len(answers)} boards, and in games")


def _answer(position: Position) -> str:
    player, board, moves = position
    return player.begin(SEEDS[-1])(board, moves)


def values(evidence: PlayerEvidence) -> Finding:
    """Compare the move it makes with the first of those it thinks the most of."""
    judged = 0
    for player, board, moves in evidence.asked():
        try:
            judgement = player.begin_judging(SEEDS[0])(board, moves)
            made = player.begin(SEEDS[0])(board, moves)
        except PluginError as error:
            return failed(str(error), (_on(player), board))
        if judgement.values is None:
            return skipped("it does not say what it thinks of moves")
        if made != judgement.action:
            said = f"it makes the move {made}, and the first of those with the highest value is {judgement.action}"
            return failed(said, (_on(player), board))
        judged += 1
    if not judged:
        return skipped("no board was met on which there is a move to choose")
    return passed(f"on {judged:,} boards it makes the first of the moves with the highest value", boards=judged)


def pure(evidence: PlayerEvidence) -> Finding:
    """Hand it a board that can be written to, and see whether it did."""
    asked = 0
    for player, board, moves in evidence.asked():
        given, given_moves = _open(board), tuple(Move(move.action, _open(move.board)) for move in moves)
        player.begin(SEEDS[0])(given, given_moves)
        player.begin_judging(SEEDS[0])(given, given_moves)
        for before, after in ((board, given), *((m.board, g.board) for m, g in zip(moves, given_moves, strict=True))):
            if before.tiles.shape != after.tiles.shape or (before.tiles != after.tiles).any():
                what = "the board it is given" if after is given else "the board after a move"
                return failed(f"it changes {what}; work on board.tiles.copy()", (_on(player), before))
        asked += 1
    return passed(f"it left {asked:,} boards as they were", boards=asked)


def plays(evidence: PlayerEvidence) -> Finding:
    """Play a game on each instance."""
    ended = []
    for player, instance in evidence.seats:
        boards, status = _game(evidence, player, instance, SEEDS[0])
        if not status:
            return info(f"a game is not over at move {len(boards):,}", ("so far:", boards[-1]))
        ended.append(f"{len(boards)} moves: {status}")
    return passed(f"games end by their rules ({', '.join(ended)})", games=len(ended))


def _game(evidence: PlayerEvidence, player: BoundPlayer, instance: Instance, seed: int) -> tuple[list[Board], str]:
    """Return the boards of a game after the start, and how it ended; an empty text if there was no time for its end."""
    goes_on = evidence.clock.until(1 / (10 * len(evidence.seats)))
    boards: list[Board] = []
    start = instance.board
    if instance.domain.is_goal(start):  # then the game begins where a walk from there has led
        start = next((board for seated, board, _ in reversed(evidence.positions) if seated is player), start)
    source = random_source(instance.domain, Randomness(seed))
    game = GameState(instance.domain, source, Board(start.tiles))

    def out_of_time(game: GameState) -> str:
        return "cut off" if game.moves >= LONGEST_GAME or (game.moves and not goes_on()) else ""

    status = game.play(player.begin(seed), out_of_time, lambda turn: boards.append(turn.board))
    return boards, "" if status == "cut off" else status


def _seated(player: BoundPlayer, instance: Instance) -> BoundPlayer:
    """Return a player bound to an instance's domain, and its heuristics with it."""
    heuristics = {name: replace(heuristic, domain=instance.domain) for name, heuristic in player.heuristics.items()}
    return replace(player, domain=instance.domain, heuristics=heuristics)


def _open(board: Board) -> Board:
    """Return the same board with tiles that can be written to."""
    opened = Board(board.tiles)
    object.__setattr__(opened, "tiles", np.array(board.tiles))
    return opened


def _on(player: BoundPlayer) -> str:
    return f"on this board of {player.domain}:"


PLAYER_PROPERTIES = (
    Property("legal", "Does it answer with a legal move on every board?", legal),
    Property("same-seed", "Does the same seed give the same moves?", same_seed),
    Property("values", "Does it make the move that its values say is best?", values),
    Property("pure", "Does it leave the board as it is?", pure),
    Property("plays", "Does it play a game to its end?", plays),
)
