"""The protocol between a game and a program that plays it: `ProgramPlayer` asks, `Engine` answers.

`Engine` also answers the lines of `searchlab.games.program_environment`, after `hello 1 environment`.

| line | answer |
| --- | --- |
| `new SEED GAME SECONDS` | `ready` |
| `board BOARD MOVE …` | `move MOVE`, or `move MOVE MOVE=VALUE …` with the value of each move |
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from searchlab.binding.instance_files import plain_board
from searchlab.binding.player import Judgement
from searchlab.board.board import parse_board_line
from searchlab.errors import PluginError, SearchlabError, UsageError, shown
from searchlab.errors.control_characters import one_line
from searchlab.games.advice import PositionAdviser
from searchlab.games.program_environment import ENVIRONMENT, SET, ServedGame
from searchlab.games.programs import (
    BOARD,
    ERROR,
    HELLO,
    MOVE,
    NEW,
    QUIT,
    READY,
    VERSION,
    Program,
    format_board,
    format_field,
    format_line,
    parse_line,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from searchlab.binding.domain import BoundDomain
    from searchlab.binding.player import BoundPlayer, Move
    from searchlab.board.board import Board

PLAYER = "player"
"""The role of a program that plays."""
OVER = {"goal": "the goal is reached", "dead": "no legal move is left"}
"""The ways in which a game is over, in words."""


class ProgramPlayer:
    """Play games with the moves of a program, which is started for the first game, and again after a failure.

    Args:
        command: the command line.
        domain: the game.
        seconds: the time for a move.
        start: the time to start the program, and to begin a game.

    Attributes:
        command, seconds, start: as given.
    """

    def __init__(self, command: str, domain: BoundDomain, seconds: float, start: float) -> None:
        self.command, self.seconds, self.start = command, seconds, start
        self._game = str(domain)
        self._seed = 0
        self._program: Program | None = None

    def begin(self, seed: int) -> None:
        """Begin a game.

        Args:
            seed: the seed of the program's random numbers.

        Raises:
            UsageError: the program cannot be started.
            PluginError: the program fails.
        """
        self._seed = seed
        self._begun()

    def judgement(self, board: Board, moves: Sequence[Move]) -> Judgement:
        """Return the program's move, with the value of each move if the program gives values.

        Raises:
            UsageError, PluginError: as for `begin`. An answer that is not a legal move is a failure, too.
        """
        program = self._program if self._program is not None and self._program.is_running else self._begun()
        actions = [move.action for move in moves]
        answer = program.ask(BOARD, format_board(board), *actions, expected=MOVE, seconds=self.seconds)
        if len(answer) == 1 and answer[0] in actions:
            return Judgement(answer[0], None)
        named = {format_field(action): action for action in actions}
        if not answer or answer[0] not in named:
            said = f"chose {shown(answer[0])}" if answer else "named no move"
            raise program.failure(f"{said}; a legal move is wanted: {' or '.join(named)}")
        chosen, *values = answer
        return Judgement(named[chosen], self._values(program, values, list(named)) if values else None)

    def _values(self, program: Program, fields: list[str], actions: list[str]) -> tuple[float, ...]:
        """Return the values of moves in the order of the actions."""
        found = {}
        for field in fields:
            action, _, value = field.rpartition("=")
            try:
                found[action] = float(value)
            except ValueError:
                raise program.failure(f"wrote {shown(field)} where MOVE=VALUE is wanted") from None
        if found.keys() != set(actions) or len(fields) != len(actions):
            wanted = f"either the values of all moves are wanted, {', '.join(actions)}, or none"
            raise program.failure(f"gave values of {', '.join(map(shown, found))}; {wanted}")
        if any(value != value for value in found.values()):
            raise program.failure("gave a value that is not a number (nan)")
        return tuple(found[action] for action in actions)

    def _begun(self) -> Program:
        """Return the program after it has begun a game."""
        program = self._program
        if program is None or not program.is_running:
            program = self._program = Program(self.command, PLAYER, self.start)
        details = str(self._seed), self._game, f"{self.seconds:g}"
        program.ask(NEW, *details, expected=READY, seconds=self.start)
        return program


class Engine:
    """Answer the lines of a `ProgramPlayer` with the moves of a player, or those of a `ProgramEnvironment` with a game.

    Args:
        name: the name for `hello`.
        find: returns the player for the game of a name, or for the default game if the name is `""`.
        seed: the seed of the random numbers of player or game before the first `new`.

    Attributes:
        has_failed: whether a plugin has failed.
    """

    def __init__(self, name: str, find: Callable[[str], BoundPlayer], seed: int) -> None:
        self._name, self._find, self._seed = name, find, seed
        self._player: BoundPlayer | None = None
        self._adviser: PositionAdviser | None = None
        self._served: ServedGame | None = None
        self.has_failed = False
        self._answers: dict[str, Callable[[Sequence[str]], str]] = {}
        self._take_role(PLAYER)

    def _take_role(self, role: str) -> None:
        roles = {
            PLAYER: {NEW: self._new, BOARD: self._board},
            ENVIRONMENT: {NEW: self._new_game, MOVE: self._move, SET: self._set},
        }
        if role not in roles:
            raise UsageError(f"this program can be a {PLAYER} or an {ENVIRONMENT}, not {shown(role)}")
        self._answers = {HELLO: self._hello, **roles[role]}

    def answer(self, line: bytes | None) -> str | None:
        """Return the answer to a line, or None for `quit`. An answer that begins with `error` is an error message.

        Args:
            line: the line, or None for a line that is too long.
        """
        if line is None:
            return format_line(ERROR, "the line is too long")
        word, fields = parse_line(line.decode("utf-8-sig", "replace"))
        if word == QUIT:
            return None
        if word not in self._answers:
            known = ", ".join((*self._answers, QUIT))
            return format_line(ERROR, f"{shown(word)} is none of the words that begin a line: {known}")
        try:
            return self._answers[word](fields)
        except SearchlabError as error:
            self.has_failed |= isinstance(error, PluginError)
            return format_line(ERROR, one_line(str(error)))

    def _hello(self, fields: Sequence[str]) -> str:
        version, *role = " ".join(fields).split() or [VERSION]
        if version != VERSION:
            raise UsageError(f"this is version {VERSION} of the protocol, not {version}")
        self._take_role(" ".join(role) or PLAYER)
        name = self._name.partition(" ")[0] if role == [ENVIRONMENT] else self._name  # no player is asked
        return format_line(HELLO, VERSION, name)

    def _new(self, fields: Sequence[str]) -> str:
        self._begin(*self._game_and_seed(fields))
        return READY

    def _game_and_seed(self, fields: Sequence[str]) -> tuple[str, int]:
        seed, _, game = " ".join(fields[:2]).partition(" ")  # people write a blank instead of a tab
        if seed and not (seed.isascii() and seed.isdigit()):
            raise UsageError(f"{shown(seed)} is not a seed: give a whole number, 0 or more")
        return game, int(seed) if seed else self._seed

    def _board(self, fields: Sequence[str]) -> str:
        if not fields:
            raise UsageError(f"expected a board after {BOARD}: its tiles row by row")
        if self._adviser is None or self._player is None:
            self._begin("", self._seed)
        assert self._adviser is not None
        assert self._player is not None
        board = plain_board(partial(parse_board_line, fields[0]), self._player.domain)
        self._player.domain.check(board)
        answer = self._adviser.answer(board)
        if answer.over:
            raise UsageError(f"the game is over: {OVER[answer.over]}")
        values = [f"{action}={value!r}" for action, value in (answer.values or {}).items()]
        return format_line(MOVE, answer.action, *values)

    def _begin(self, game: str, seed: int) -> None:
        self._player = self._find(game)
        self._adviser = PositionAdviser(self._player, seed)

    def _new_game(self, fields: Sequence[str]) -> str:
        self._begin_game(*self._game_and_seed(fields))
        return self._game().begun()

    def _begin_game(self, game: str, seed: int) -> None:
        self._served = ServedGame(self._find(game).domain, seed)

    def _game(self) -> ServedGame:
        if self._served is None:
            self._begin_game("", self._seed)
        assert self._served is not None
        return self._served

    def _move(self, fields: Sequence[str]) -> str:
        if not fields:
            raise UsageError(f"a move is wanted after {MOVE}")
        return self._game().move(fields[0])

    def _set(self, fields: Sequence[str]) -> str:
        if not fields:
            raise UsageError(f"expected a board after {SET}: its tiles row by row")
        return self._game().set(fields[0])
