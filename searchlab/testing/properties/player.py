"""The properties of a player: legal moves, randomness only by seed, and equal games in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from searchlab.binding.player import Move
from searchlab.board.board import Board
from searchlab.errors import PluginError
from searchlab.games.compiled_game import compiled_game
from searchlab.games.game import GameState, random_source
from searchlab.model.games import Turn
from searchlab.model.randomness import Randomness
from searchlab.testing.evidence import PLAYER_SEEDS, PlayerEvidence, on_board
from searchlab.testing.report import Finding, Property, failed, info, passed, skipped

if TYPE_CHECKING:
    from searchlab.binding.player import BoundPlayer
    from searchlab.games.compiled_game import CompiledGame
    from searchlab.testing.samples import Sample

    Position = tuple[BoundPlayer, Board, tuple[Move, ...]]

LONGEST_GAME = 2000
"""The moves after which a game is ended."""
COMPARED_MOVES = 200
"""The moves of a game that is also played in compiled code."""


def legal(evidence: PlayerEvidence) -> Finding:
    """Ask for a move on every board."""
    answers = 0
    for player, board, moves in evidence.asked():
        for seed in PLAYER_SEEDS:
            try:
                player.begin(seed)(board, moves)
            except PluginError as error:
                return failed(str(error), on_board(player.domain, board))
            answers += 1
    if not answers:
        return skipped("no board was met on which there is a move to choose")
    return passed(f"{answers:,} answers are legal moves", answers=answers)


def same_seed(evidence: PlayerEvidence) -> Finding:
    """Ask twice with the same seed, the second time in reverse order, and play a game twice."""
    answers = [(*position, _answer(position)) for position in evidence.asked()]
    for player, board, moves, first in reversed(answers):
        second = _answer((player, board, moves))
        if first != second:
            said = f"{first} the first time and {second} the second, with the same seed; let chance come from `random`"
            return failed(said, on_board(player.domain, board))
    for player, sample in evidence.seats:
        one, other = (_game(evidence, player, sample, PLAYER_SEEDS[-1])[0] for _ in range(2))
        differing = [(a, b) for a, b in zip(one, other, strict=False) if a != b]
        if differing:
            said = "a game played again with the same seed is another one; let chance come from `random`"
            return failed(said, ("it went on to:", differing[0][0]), ("and then to:", differing[0][1]))
    return passed(f"asked again with the same seed, it makes the same move on {len(answers)} boards, and in games")


def _answer(position: Position) -> str:
    player, board, moves = position
    return player.begin(PLAYER_SEEDS[-1])(board, moves)


def values(evidence: PlayerEvidence) -> Finding:
    """Compare the player's move with the first move of the highest value."""
    judged = 0
    for player, board, moves in evidence.asked():
        try:
            judgement = player.begin_judging(PLAYER_SEEDS[0])(board, moves)
            made = player.begin(PLAYER_SEEDS[0])(board, moves)
        except PluginError as error:
            return failed(str(error), on_board(player.domain, board))
        if judgement.values is None:
            return skipped("it does not say what it thinks of moves")
        if made != judgement.action:
            said = f"it makes the move {made}, and the first of those with the highest value is {judgement.action}"
            return failed(said, on_board(player.domain, board))
        judged += 1
    if not judged:
        return skipped("no board was met on which there is a move to choose")
    return passed(f"on {judged:,} boards it makes the first of the moves with the highest value", boards=judged)


def pure(evidence: PlayerEvidence) -> Finding:
    """Ask the player about writable boards, and check that it does not change them."""
    asked = 0
    for player, board, moves in evidence.asked():
        given, given_moves = _writable(board), tuple(Move(move.action, _writable(move.board)) for move in moves)
        player.begin(PLAYER_SEEDS[0])(given, given_moves)
        player.begin_judging(PLAYER_SEEDS[0])(given, given_moves)
        for before, after in ((board, given), *((m.board, g.board) for m, g in zip(moves, given_moves, strict=True))):
            if before.tiles.shape != after.tiles.shape or (before.tiles != after.tiles).any():
                what = "the board it is given" if after is given else "the board after a move"
                return failed(f"it changes {what}; work on board.tiles.copy()", on_board(player.domain, before))
        asked += 1
    return passed(f"it left {asked:,} boards as they were", boards=asked)


def plays(evidence: PlayerEvidence) -> Finding:
    """Play a game on each sample."""
    ended = []
    for player, sample in evidence.seats:
        boards, status = _game(evidence, player, sample, PLAYER_SEEDS[0])
        if not status:
            return info(f"a game is not over at move {len(boards):,}", ("so far:", boards[-1]))
        ended.append(f"{len(boards)} moves: {status}")
    return passed(f"games end by their rules ({', '.join(ended)})", games=len(ended))


def same_games(evidence: PlayerEvidence) -> Finding:
    """Play a game in compiled code, on the largest possible board, and the same game on Board objects."""
    if not any(player.component.looks_ahead for player, _ in evidence.seats):
        return skipped("it does not say by looks_ahead what its values are")
    starts: dict[BoundPlayer, Board] = {}
    for player, board, _ in evidence.positions:
        starts.setdefault(player, board)
    for player, start in sorted(starts.items(), key=lambda seat: -seat[1].tiles.size):
        with evidence.clock.calling(lambda start=start: start, prepares=True):  # type: ignore[misc]
            compiled = compiled_game(player.domain, evidence.without_limit(player), start)
        if compiled is not None:
            return _compared(evidence, player, start, compiled)
    return skipped("none of its games is played in compiled code; they are where a game of chance compiles: --domain")


def _compared(evidence: PlayerEvidence, player: BoundPlayer, start: Board, compiled: CompiledGame) -> Finding:
    """Compare a game in compiled code with the same game on Board objects."""
    goes_on, seed, turns = evidence.clock.until(1 / 10), PLAYER_SEEDS[0], list[Turn]()
    game = GameState(player.domain, random_source(player.domain, Randomness(seed)), start)

    def until(game: GameState) -> str:
        return "cut off" if game.moves >= COMPARED_MOVES or (game.moves and not goes_on()) else ""

    game.play(player.begin(seed), until, turns.append)
    random, actions = Randomness(seed), list[str]()
    other = GameState(player.domain, random_source(player.domain, random), start)
    with evidence.clock.calling(lambda: start):
        compiled.let_play(
            *(other, random, len(turns), player.begin(seed), lambda: None),
            lambda played: actions.extend(move.action for move in played),
            lambda turn: actions.append(turn.action),
        )
    for number, (turn, action) in enumerate(zip(turns, actions, strict=False), 1):
        if turn.action != action:
            said = f"its move {number} is {turn.action} on boards, and {action} in compiled code: see looks_ahead"
            before = turns[number - 2].board if number > 1 else start
            return failed(said, on_board(player.domain, before))
    if (len(actions), other.score, other.board) != (len(turns), game.score, game.board):
        return failed("its game in compiled code ends with another score or board", ("on boards:", game.board))
    return passed(f"a game of {len(turns):,} moves is the same in compiled code and on boards", moves=len(turns))


def _game(evidence: PlayerEvidence, player: BoundPlayer, sample: Sample, seed: int) -> tuple[list[Board], str]:
    """Return the boards of a game after the start, and its status, `""` if the game was ended early."""
    goes_on = evidence.clock.until(1 / (10 * len(evidence.seats)))
    boards: list[Board] = []
    start = sample.board
    if sample.domain.is_goal(start):  # then the game begins at the end of a walk from there
        start = next((board for seated, board, _ in reversed(evidence.positions) if seated is player), start)
    source = random_source(sample.domain, Randomness(seed))
    game = GameState(sample.domain, source, Board(start.tiles, signed=True))

    def out_of_time(game: GameState) -> str:
        return "cut off" if game.moves >= LONGEST_GAME or (game.moves and not goes_on()) else ""

    status = game.play(player.begin(seed), out_of_time, lambda turn: boards.append(turn.board))
    return boards, "" if status == "cut off" else status


def _writable(board: Board) -> Board:
    """Return a copy of a board with writable tiles."""
    opened = Board(board.tiles, signed=True)
    object.__setattr__(opened, "_array", np.array(board.tiles))
    return opened


PLAYER_PROPERTIES = (
    Property("legal", "Does it answer with a legal move on every board?", legal),
    Property("same-seed", "Does the same seed give the same moves?", same_seed),
    Property("values", "Does it make the move that its values say is best?", values),
    Property("pure", "Does it leave the board as it is?", pure),
    Property("same-games", "Are its games in compiled code those on Board objects?", same_games),
    Property("plays", "Does it play a game to its end?", plays),
)
