"""Advisors answer with a move: a player in a separate process, which keeps the screen responsive, or in this one."""

from __future__ import annotations

import os
import select
import signal
import time
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import Pipe
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple, Protocol

from searchlab.binding.player import LooksAhead
from searchlab.errors import SearchlabError
from searchlab.errors.suspension import is_suspended
from searchlab.model.preparation import CompileProgress, listening

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

    from searchlab.binding.player import BoundPlayer, Choice, Judge, Move
    from searchlab.board.board import Board
    from searchlab.games.game import GameState
    from searchlab.model.preparation import Preparation

DEFAULT_SIGNALS = ("SIGINT", "SIGTERM", "SIGQUIT", "SIGTSTP", "SIGCONT", "SIGWINCH")
"""Signals with a default action that the player's process restores."""
STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR = 0, 1, 2
MOMENT = 0.05
"""Seconds between two looks at whether a function is compiled."""


class Advice(NamedTuple):
    """A player's answer.

    Attributes:
        action: the chosen move; `""` if the player failed.
        error: the reason of a failure, in one line.
        values: the value of each legal move, in order; None if not requested, or if the player has none.
    """

    action: str
    error: str = ""
    values: tuple[float, ...] | None = None


class Advisor(Protocol):
    """Answers questions for a move."""

    @property
    def readable(self) -> tuple[int, ...]:
        """File descriptors that become readable when an answer arrives; empty without an open question."""

    @property
    def compiling(self) -> str:
        """The name of the function being compiled before the answer can come, or `""`."""

    @property
    def compile_seconds(self) -> float:
        """How long functions have been compiled for the player in all."""

    def prepare(self, game: GameState) -> None:
        """Compile the functions that values of moves need, while nobody waits for an answer."""

    def ask(self, game: GameState, *, values: bool = False) -> None:
        """Ask for a move on a position, and for the values of all moves if `values` is true."""

    def advice(self) -> Advice | None:
        """Return the answer, or None."""


class ProcessAdvisor:
    """Asks a player in a child process; the first question starts the process, or a preparation for it.

    Args:
        find: returns the player; called in the child process.
        seed: the seed of the player's random numbers.

    Attributes:
        is_thinking: whether a question is open.
    """

    def __init__(self, find: Callable[[], BoundPlayer], seed: int) -> None:
        self._find = find
        self.is_thinking = False
        self._seed = seed
        self._process = 0
        self._line: Connection | None = None
        self._compiling: CompileProgress | None = None
        self._compiling_since = self._compile_seconds = 0.0
        self._dropped = 0

    @property
    def compiling(self) -> str:
        """The name of the function being compiled before the answer can come, or `""`."""
        return self._compiling.function if self._compiling else ""

    @property
    def compile_seconds(self) -> float:
        """How long functions have been compiled for the player in all."""
        since = time.monotonic() - self._compiling_since if self._compiling else 0.0
        return self._compile_seconds + since

    def prepare(self, game: GameState) -> None:
        """Let the process compile the functions that answers need; a question meanwhile is answered afterwards."""
        if self._line is None:
            self._line = self._start()
            with suppress(OSError):
                self._line.send((game.board, None, True))

    def ask(self, game: GameState, *, values: bool = False) -> None:
        """Ask for a move on a position, according to the protocol.

        An open question is dropped and its process killed, unless it is compiling: the next process would compile
        again.
        """
        if self.is_thinking and self._compiling:
            self._dropped += 1
        elif self.is_thinking:
            self.close()
        if self._line is None:
            self._line = self._start()
        with suppress(OSError):  # then there is no answer, either
            self._line.send((game.board, game.legal_moves, values))
        self.is_thinking = True

    @property
    def readable(self) -> tuple[int, ...]:
        """File descriptors that become readable when an answer arrives; empty without an open question."""
        return (self._line.fileno(),) if self._line is not None and self.is_thinking else ()

    def advice(self) -> Advice | None:
        """Return the answer; None while the player thinks, or without a question."""
        while self._line is not None and self.is_thinking and self._line.poll():
            try:
                answer: Advice | tuple[CompileProgress, float] = self._line.recv()
            except (EOFError, OSError):
                self.close()
                return Advice("", "the process in which the player thinks has ended")
            if not isinstance(answer, Advice):
                self._note(*answer)
            elif self._dropped:
                self._dropped -= 1
            else:
                self.is_thinking = False
                return answer
        return None

    def _note(self, progress: CompileProgress, at: float) -> None:
        """Record that a function began to be compiled at a time, or that compiling ended."""
        if self._compiling:
            self._compile_seconds += at - self._compiling_since
        self._compiling = progress if progress.phase == "compiling" else None
        self._compiling_since = at

    def finish(self) -> None:
        """Read pending messages of the process, and close."""
        with suppress(EOFError, OSError):
            while self._line is not None and self._line.poll():
                if not isinstance(said := self._line.recv(), Advice):
                    self._note(*said)
        self.close()

    def close(self) -> None:
        """Kill the process; one that is compiling ends by itself when the function is compiled and cached."""
        self.is_thinking, self._dropped = False, 0
        compiles = self._compiling is not None
        if self._compiling:
            self._note(self._compiling._replace(phase="compiled"), time.monotonic())
        if self._line is not None:
            self._line.close()
            self._line = None
            if compiles:
                return
            with suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(self._process, 0)

    def _start(self) -> Connection:
        ours, theirs = Pipe()
        with _interrupts_put_off():
            self._process = os.fork()
            if self._process == 0:
                ours.close()
                _answer_questions(self._find, self._seed, theirs)
        theirs.close()
        return ours


@contextmanager
def _interrupts_put_off() -> Iterator[None]:
    """Handle Ctrl-C at the end of the context: Python callbacks during a fork would lose the KeyboardInterrupt."""
    pressed: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: pressed.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if pressed:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def running_advisor(find: Callable[[], BoundPlayer], seed: int) -> Iterator[ProcessAdvisor]:
    """Yield an advisor whose process ends with the context."""
    advisor = ProcessAdvisor(find, seed)
    try:
        yield advisor
    finally:
        advisor.finish()


class DirectAdvisor:
    """Asks a player in this process: `ask` returns when the answer is there."""

    readable: tuple[int, ...] = ()
    compiling = ""
    compile_seconds = 0.0

    def __init__(self, find: Callable[[], BoundPlayer], seed: int) -> None:
        self._find = find
        self._seed = seed
        self._questioned: Questioned | None = None
        self._latest: Advice | None = None

    def prepare(self, game: GameState) -> None:
        """Do nothing: the person would wait for it."""

    def ask(self, game: GameState, *, values: bool = False) -> None:
        """Ask for a move on a position, as the protocol says."""
        try:
            self._questioned = self._questioned or Questioned(self._find(), self._seed)
        except SearchlabError as error:
            self._latest = Advice("", str(error))
        else:
            self._latest = self._questioned.advice(game.board, game.legal_moves, values=values)

    def advice(self) -> Advice | None:
        """Return the answer to the latest question once; None without a new one."""
        latest, self._latest = self._latest, None
        return latest


class Questioned:
    """A player of one game that answers questions.

    Args:
        player: the player.
        seed: the seed of its random numbers.
    """

    def __init__(self, player: BoundPlayer, seed: int) -> None:
        self._player, self._seed = player, seed
        self._choose: Choice | None = None
        self._judge: Judge | None = None

    def advice(self, board: Board, moves: tuple[Move, ...], *, values: bool) -> Advice:
        """Return the player's answer about a position."""
        try:
            if not values:
                self._choose = self._choose or self._player.begin(self._seed)
                return Advice(self._choose(board, moves))
            self._judge = self._judge or self._player.begin_judging(self._seed)
            action, of_moves = self._judge(board, moves)
        except SearchlabError as error:
            return Advice("", str(error))
        return Advice(action, values=of_moves)

    def prepare(self, board: Board) -> None:
        """Compile the functions that values of moves need; a failing player reports it when asked."""
        with suppress(SearchlabError):
            self._judge = self._judge or self._player.begin_judging(self._seed)
            if isinstance(self._judge, LooksAhead):
                self._judge.prepare(board)


def _answer_questions(find: Callable[[], BoundPlayer], seed: int, line: Connection) -> None:
    """Run the child process: answer questions until the parent closes the line."""
    try:
        Thread(target=_exit_with_parent, args=(line.fileno(),), daemon=True).start()
        signal.set_wakeup_fd(-1)
        for name in DEFAULT_SIGNALS:
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # the end of the line says the same, and lets the compiler finish
        os.dup2(STANDARD_ERROR, STANDARD_OUTPUT)  # what a player prints must not end up in the output
        with listening(partial(_send_if_compiling, line)):
            questioned = Questioned(find(), seed)
            while True:
                board, moves, values = line.recv()
                if moves is None:
                    questioned.prepare(board)
                else:
                    line.send(questioned.advice(board, moves, values=values))
    except SearchlabError as error:
        while line.recv()[1] is None:
            pass
        line.send(Advice("", str(error)))
    finally:
        os._exit(0)


def _send_if_compiling(line: Connection, preparation: Preparation) -> None:
    """Send the name of a function being compiled, and the time; tables were prepared before the game."""
    if isinstance(preparation, CompileProgress):
        line.send((preparation, time.monotonic()))


def _exit_with_parent(line: int) -> None:
    """Exit when the parent is gone, even while the player computes; a function that is compiled is finished."""
    hung_up = select.poll()
    hung_up.register(line, 0)
    hung_up.poll()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR):
        os.dup2(null, stream)  # nobody waits for what this process might still print
    while is_suspended():
        time.sleep(MOMENT)
    os._exit(0)
