"""The protocol between searchlab and a program that keeps a game: `ProgramEnvironment` asks, `ServedGame` answers.

| asked | answered |
| --- | --- |
| `new SEED GAME SECONDS` | `board BOARD` |
| `move MOVE` | `board BOARD POINTS`, or `over BOARD POINTS` if the game is over |
| `set BOARD` | `ready`, or `error TEXT` if the program cannot set a board |
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from searchlab.binding.instance_files import plain_board
from searchlab.board.board import Board, parse_board_line
from searchlab.errors import PluginError, UsageError, shown
from searchlab.errors.control_characters import one_line
from searchlab.games.game import GameState, random_source
from searchlab.games.programs import (
    BOARD,
    ERROR,
    MOVE,
    NEW,
    READY,
    Program,
    format_board,
    format_line,
    shown_line,
)
from searchlab.model.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Sequence

    from searchlab.binding.domain import BoundDomain

    Rows = list[list[int]]

ENVIRONMENT = "environment"
"""The role of a program that keeps a game."""
OVER, SET = "over", "set"
ROWS = "the rows of a square board are wanted, with ' / ' between them"
LARGEST_TILE = 1 << 62


class ProgramEnvironment:
    """A game that a program keeps, with the methods of an environment in Python; see `docs/program-environments.md`.

    The program is started at once, and again for the next game after it has failed.

    Args:
        command: the command line.
        domain: the game.
        moves: the names of the actions 0, 1, and so on.
        seconds: the time for a move.
        start: the time to start, to begin a game, and to set a board.

    Raises:
        UsageError: the program cannot be started.
        PluginError: the program does not answer, or speaks another version of the protocol.
    """

    def __init__(self, command: str, domain: BoundDomain, moves: Sequence[str], seconds: float, start: float) -> None:
        self._command, self._game, self._moves = command, str(domain), moves
        self._seconds, self._start = seconds, start
        self._side = self._seed = 0
        self._program = Program(command, ENVIRONMENT, start)

    @property
    def is_running(self) -> bool:
        """Whether the program still runs: it was not closed, and has not failed."""
        return self._program.is_running

    def reset(self, seed: int) -> Rows:
        """Begin a game; return its board.

        Raises:
            PluginError: the program fails.
        """
        if not self.is_running:
            self._program = Program(self._command, ENVIRONMENT, self._start)
        self._seed, self._side = seed, 0
        _, (board, *_) = self._ask(NEW, str(seed), self._game, f"{self._seconds:g}", answers={BOARD: 1})
        rows = self._rows(board)
        self._side = len(rows)
        return rows

    def step(self, action: int) -> tuple[Rows, float, bool, dict[str, Any]]:
        """Make a move; return the board, the points, and whether the game is over.

        Raises:
            PluginError: the program fails, or it answers `error`, which does not end it.
        """
        word, (board, points, *_) = self._ask(MOVE, self._moves[action], answers={BOARD: 2, OVER: 2})
        try:
            earned = float(points)
        except ValueError:
            raise self._program.failure(f"wrote {shown(points)} where the points of a move are wanted") from None
        return self._rows(board), earned, word == OVER, {}

    def set(self, board: Rows) -> None:
        """Put the game on a board.

        Raises:
            PluginError: the program fails.
            NotImplementedError: the program answers `error`, which does not end it.
        """
        if not self.is_running:
            self.reset(self._seed)
        self._ask(SET, format_board(Board(board)), answers={READY: 0})

    def _ask(self, word: str, *fields: str, answers: dict[str, int]) -> tuple[str, list[str]]:
        """Send a line; return the word and the fields of the answer.

        Args:
            answers: the words of valid answers, each with its number of fields.

        Raises:
            PluginError: there is no valid answer.
            NotImplementedError: the answer to `set` is an error.
        """
        program = self._program
        line = program.answer(word, *fields, seconds=self._seconds if word == MOVE else self._start)
        found, *answered = line
        if found == ERROR and word == SET:
            raise NotImplementedError
        if found == ERROR and word == MOVE:
            raise PluginError(f"the program answered {word} by an error: {one_line(' '.join(answered))}")
        if found not in answers:
            raise program.unexpected(line, " or ".join(answers))
        if len(answered) < answers[found]:
            wanted = "a board, a tab and the points of the move are wanted" if word == MOVE else "a board is wanted"
            raise program.failure(f"answered {word} by {shown_line(line)}; after the word {wanted}")
        return found, answered

    def _rows(self, text: str) -> Rows:
        """Parse the rows of a board; stop the program if it wrote anything else."""
        try:
            rows = [[*map(int, row.split())] for row in text.split("/")]
        except ValueError:
            rows = []
        side = self._side or len(rows)
        if side < 2 or len(rows) != side or any(len(row) != side for row in rows):
            size = f"; it had {side} rows" if len(rows) != side > 1 else ""
            raise self._program.failure(f"wrote {shown(text)} where a board is wanted: {ROWS}{size}")
        if any(not 0 <= tile <= LARGEST_TILE for row in rows for tile in row):
            raise self._program.failure(f"wrote {shown(text)} where a board is wanted: its cells are tiles, or 0")
        return rows


class ServedGame:
    """Answer the lines of a `ProgramEnvironment` by a game of searchlab.

    Args:
        domain: the game.
        seed: the seed of the random events.
    """

    def __init__(self, domain: BoundDomain, seed: int) -> None:
        self._game = GameState(domain, random_source(domain, Randomness(seed)))

    def begun(self) -> str:
        """Return the answer to `new`."""
        return format_line(BOARD, format_board(self._game.board))

    def move(self, action: str) -> str:
        """Make a move, and return the answer.

        Raises:
            UsageError: the move is not legal.
        """
        turn = self._game.move(action)
        if turn is None:
            legal = " or ".join(move.action for move in self._game.legal_moves)
            raise UsageError(
                f"{shown(action)} is not legal: {legal}" if legal else "the game is over: no move is legal"
            )
        word = OVER if self._game.is_over else BOARD
        return format_line(word, format_board(self._game.board), f"{turn.points:.15g}")

    def set(self, text: str) -> str:
        """Put the game on a board, and return the answer.

        Raises:
            UsageError: the text is not a board of the game.
        """
        board = plain_board(partial(parse_board_line, text), self._game.domain)
        self._game.domain.check(board)
        self._game.is_ended = False
        self._game.go_on_from(board, 0, 0)
        return READY
