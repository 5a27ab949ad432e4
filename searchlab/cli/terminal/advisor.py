"""Advisors, who are asked for moves: a player that thinks in a process of its own, so that the screen stays alive."""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress
from multiprocessing import Pipe
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

from searchlab.errors import SearchlabError

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

    from searchlab.binding.player import BoundPlayer, Choice, Move
    from searchlab.board.board import Board
    from searchlab.games.game import GameState

ORDINARY = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP", "SIGCONT", "SIGWINCH")
"""Signals that do to the player's process what they do to any."""
STANDARD_OUTPUT, STANDARD_ERROR = 1, 2


class Advice(NamedTuple):
    """What a player said.

    Attributes:
        action: the move it would make, an empty text if it failed.
        error: what went wrong then, in one line.
    """

    action: str
    error: str = ""


class Advisor(Protocol):
    """Who is asked for moves."""

    @property
    def waited_for(self) -> tuple[int, ...]:
        """The file descriptor that has something to read as soon as there is an answer; none if none is to come."""

    def ask(self, game: GameState) -> None:
        """Ask for a move on a position."""

    def advice(self) -> Advice | None:
        """Return the answer, None where there is none."""


class InProcess:
    """Asks a player for moves, one at a time; its process is started when it is first asked.

    Args:
        find: returns who is asked; it is called in that process.
        seed: of the player's random numbers.
    """

    def __init__(self, find: Callable[[], BoundPlayer], seed: int) -> None:
        self._find = find
        self.is_thinking = False
        self._seed = seed
        self._process = 0
        self._line: Connection | None = None

    def ask(self, game: GameState) -> None:
        """Ask for a move on a position; a question that is still open is dropped, and the process with it."""
        if self.is_thinking:
            self.close()
        if self._line is None:
            self._line = self._started()
        with suppress(OSError):  # then there is no answer, either
            self._line.send((game.board, game.legal_moves))
        self.is_thinking = True

    @property
    def waited_for(self) -> tuple[int, ...]:
        """The file descriptor that has something to read as soon as there is an answer; none if none is to come."""
        return (self._line.fileno(),) if self._line is not None and self.is_thinking else ()

    def advice(self) -> Advice | None:
        """Return what the player said, None as long as it thinks or has not been asked."""
        if self._line is None or not self.is_thinking or not self._line.poll():
            return None
        self.is_thinking = False
        try:
            advice: Advice = self._line.recv()
        except (EOFError, OSError):
            self.close()
            return Advice("", "the process in which the player thinks has ended")
        return advice

    def close(self) -> None:
        """End the process, whatever it does."""
        self.is_thinking = False
        if self._line is not None:
            self._line.close()
            self._line = None
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self._process, 0)

    def _started(self) -> Connection:
        ours, theirs = Pipe()
        self._process = os.fork()
        if self._process == 0:
            ours.close()
            _serve(self._find, self._seed, theirs)
        theirs.close()
        return ours


class AtOnce:
    """Asks a player for moves in this process: the answer is there when `ask` returns."""

    waited_for: tuple[int, ...] = ()

    def __init__(self, find: Callable[[], BoundPlayer], seed: int) -> None:
        self._find = find
        self._seed = seed
        self._choose: Choice | None = None
        self._latest: Advice | None = None

    def ask(self, game: GameState) -> None:
        """Ask for a move on a position."""
        try:
            self._choose = self._choose or self._find().begin(self._seed)
            self._latest = _advice(self._choose, game.board, game.legal_moves)
        except SearchlabError as error:
            self._latest = Advice("", str(error))

    def advice(self) -> Advice | None:
        """Return what the player said, None where it has not been asked since."""
        latest, self._latest = self._latest, None
        return latest


def _serve(find: Callable[[], BoundPlayer], seed: int, line: Connection) -> None:
    """Answer questions until nobody asks any more; then the process is over."""
    try:
        Thread(target=_leave_with_parent, args=(line.fileno(),), daemon=True).start()
        signal.set_wakeup_fd(-1)
        for name in ORDINARY:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)
        choose = find().begin(seed)
        while True:
            line.send(_advice(choose, *line.recv()))
    except SearchlabError as error:
        line.recv()
        line.send(Advice("", str(error)))
    finally:
        os._exit(0)


def _leave_with_parent(line: int) -> None:
    """End this process, whatever the player does, as soon as nobody is at the other end of the line."""
    hung_up = select.poll()
    hung_up.register(line, 0)
    hung_up.poll()
    os._exit(0)


def _advice(choose: Choice, board: Board, moves: tuple[Move, ...]) -> Advice:
    try:
        return Advice(choose(board, moves))
    except SearchlabError as error:
        return Advice("", str(error))
