"""Scripts: games as lines of text, recorded while they are played, and replayed from the record.

A script has one event per line. `T …` is a random event, in the notation of the domain. `K…` is a key: `KUp`, `KDown`,
`KLeft` and `KRight` for the moves `up`, `down`, `left` and `right`; `KNew Game`; `KQuit`; any other move by name, or as
a JSON string (`K"Quit"`) if the name could be mistaken for a key. Other keys are ignored. A `#` begins a comment, and
the end of the script means Quit. If the domain refuses an event, the next event replaces it. A `T` is skipped when a
key is expected; a key is an error when a `T` is expected.

A transcript has a line for each change. `C`: the board is cleared, at first and when a game begins. `A …`: a random
event happens on the board. `D score best tiles…`: a move was made; the score is without this move. `E score best`: a
game is over.
"""

from __future__ import annotations

import errno
import json
import os
from codecs import BOM_UTF8
from contextlib import suppress
from typing import TYPE_CHECKING

from searchlab.binding.chance import Offer
from searchlab.errors import MachineError, SearchlabError, UsageError, shown
from searchlab.errors.control_characters import one_line
from searchlab.files import file_error, is_file_at, read_bytes
from searchlab.games.game import GameSeries, Observer

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board
    from searchlab.games.game import Source

    Write = Callable[[str], None]

NEW_GAME, QUIT = "New Game", "Quit"
DIRECTIONS = {"up": "Up", "down": "Down", "left": "Left", "right": "Right"}
KEYS = frozenset({*DIRECTIONS.values(), NEW_GAME, QUIT})
"""The keys that are never ignored."""
COMMENT, QUOTE = "#", '"'


class EndOfScript(SearchlabError):
    """The script ends where an event is expected."""


def key_of(action: str) -> str:
    """Return the key of a move.

    >>> key_of("up"), key_of("rotate U"), key_of("Quit")
    ('Up', 'rotate U', '"Quit"')
    """
    is_plain = action.isprintable() and action == action.strip() and COMMENT not in action
    if not action or not is_plain or action.startswith(QUOTE) or action in KEYS:
        return json.dumps(action).replace(COMMENT, "\\u0023")
    return DIRECTIONS.get(action, action)


class Script:
    """The events of a script, read line by line on demand.

    Args:
        lines: the lines of the script.
        name: the name of the script in error messages.
    """

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self._events = self._parsed(lines)
        self._name = name
        self._line = 0

    def key(self) -> str:
        """Return the next key, without the K; Quit at the end of the script."""
        return next((text for kind, text in self._events if kind == "K"), QUIT)

    def offers(self, board: Board, domain: BoundDomain) -> Iterator[Offer]:
        """Yield the events of the script until one is taken; yield nothing if nothing can happen on the board.

        Raises:
            EndOfScript: there is no further event.
            UsageError: a key, or a line that is not an event of the domain, comes next.
        """
        if not domain.can_appear(board):
            return
        for kind, text in self._events:
            if kind == "T":
                offer = Offer(text, self._happened(board, text, domain))
                yield offer
                if offer.board is not None:
                    return
            elif text in KEYS:
                raise self._wrong(f"the key {text} in place of a line T with an event")
        raise EndOfScript

    def _happened(self, board: Board, event: str, domain: BoundDomain) -> Board | None:
        try:
            return domain.apply(board, event)
        except UsageError as error:
            raise self._wrong(str(error)) from None

    def _parsed(self, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
        for self._line, line in enumerate(lines, 1):
            content = line.partition(COMMENT)[0].strip()
            if content.startswith("K"):
                yield "K", content[1:]
            elif content.split()[:1] == ["T"]:
                yield "T", " ".join(content.split()[1:])
            elif content:
                raise self._wrong(f"{shown(content, 40)} is not a valid line: write T and an event, or K and a key")

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"{self._name}, line {self._line}: {what}")


class Transcript(Observer):
    """Write the transcript of games.

    Args:
        write: called with each line.
    """

    def __init__(self, write: Write) -> None:
        self._write = write
        write("C")

    def begun(self) -> None:
        """Write that the board is cleared."""
        self._write("C")

    def appeared(self, event: str) -> None:
        """Write the event that happened on the board."""
        self._write(f"A {event}")

    def moved(self, board: Board, score: float, best: float) -> None:
        """Write the scores and the tiles, row by row."""
        self._write(f"D {score} {best} {' '.join(map(str, board.tiles.ravel().tolist()))}")

    def ended(self, score: float, best: float) -> None:
        """Write the final scores."""
        self._write(f"E {score} {best}")


class Log(Observer):
    """Write a script from which games can be replayed.

    Args:
        write: called with each line.
        head: facts about the games by name, written as comments at the beginning.

    Attributes:
        can_take_back: whether moves can be taken back after they were written.
    """

    can_take_back = False

    def __init__(self, write: Write, head: Mapping[str, str]) -> None:
        self._write = write
        for name, value in head.items():
            write(f"{COMMENT} {name}: {one_line(value)}")

    def pressed(self, key: str) -> None:
        """Write a key."""
        self._write(f"K{key}")

    def offered(self, event: str) -> None:
        """Write an event that was drawn."""
        self._write(f"T {event}")

    def take_back(self) -> None:
        """Take the last move back, if `can_take_back`."""
        raise NotImplementedError

    def commit(self) -> None:
        """Called when a move and its random event have been written."""


class ScriptFile(Log):
    """A script in a file that contains only complete moves, even if the program is killed; moves can be taken back.

    The file is created by the first key. An existing file is continued; see `continued`.

    Args:
        path: the file.
        head: the comments of a new file, as for `Log`.

    Raises:
        UsageError: the file exists but cannot be read.
    """

    can_take_back = True

    def __init__(self, path: Path, head: Mapping[str, str]) -> None:
        self.path = path
        self.is_new = not path.exists()
        self._content = b"" if self.is_new else _content(path)
        self._pending = bytearray()
        self._size = 0
        self._file = -1
        self._moves: list[int] = []
        self._key_at = 0
        self._line_at = len(BOM_UTF8) if self._content.startswith(BOM_UTF8) else 0
        self._has_key = self._is_open = False
        self._is_replaying = not self.is_new
        self._lacks_newline = bool(self._content) and not self._content.endswith(b"\n")
        if self._lacks_newline:
            self._content += b"\n"
        super().__init__(self._add, head if self.is_new else {})

    @property
    def is_there(self) -> bool:
        """Whether the file exists: a new file exists once a key was written, unless it was deleted since."""
        if self._file < 0:
            return self.path.exists()
        return is_file_at(self.path, os.fstat(self._file))

    def check(self) -> None:
        """Raise a MachineError if the file or its folder was deleted or replaced since it was opened."""
        if self._file >= 0 and not self.is_there:
            raise MachineError(f"{self.path}: deleted or replaced while it was written; the moves in it are lost")

    @property
    def head(self) -> dict[str, str]:
        """The comments at the beginning of the file, by name."""
        said = {}
        for line in self._content.decode("utf-8-sig", errors="replace").splitlines():
            if not line.startswith(COMMENT):
                break
            name, colon, value = line.removeprefix(COMMENT).partition(":")
            if colon:
                said[name.strip()] = value.strip()
        return said

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file; new events are not written until `is_at_end`."""
        at = self._line_at
        for line in self._content[at:].splitlines(keepends=True):
            self._line_at, at = at, at + len(line)
            yield line.decode()

    def at_key(self) -> None:
        """Note that the line read last is the key of the next move."""
        self._key_at, self._has_key = self._line_at, True

    def is_at_end(self) -> None:
        """Write from here on: after the line that was read last, or in place of it if it is Quit."""
        self._is_replaying = False
        line = self._content[self._line_at :].partition(b"\n")[0]
        is_quit = line.partition(COMMENT.encode())[0].strip() == f"K{QUIT}".encode()
        self._size = self._line_at + (0 if is_quit or not line else len(line) + 1)
        if self._lacks_newline and self._size == len(self._content):
            self._size -= 1
            self._pending += b"\n"

    def pressed(self, key: str) -> None:
        """Write a key."""
        self._key_at, self._has_key = self._size + len(self._pending), True
        super().pressed(key)

    def begun(self) -> None:
        """Note that moves of earlier games cannot be taken back."""
        self._moves.clear()

    def moved(self, board: Board, score: float, best: float) -> None:
        """Remember the position in the file at which the move begins."""
        self._moves.append(self._key_at)

    def take_back(self) -> None:
        """Take the last move back, so that the file ends before this move."""
        at = self._moves.pop()
        if at < self._size:
            self._cut(at)
            self._pending.clear()
        else:
            del self._pending[at - self._size :]

    def commit(self) -> None:
        """Write all lines since the last call in one piece, if there was a key.

        Raises:
            MachineError: the file is gone, or there is no space.
        """
        if not self._has_key or not self._pending:
            return
        self._open()
        self.check()
        piece = bytes(self._pending)
        try:
            if os.write(self._file, piece) < len(piece):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise file_error(self.path, error) from None
        self._size += len(piece)
        self._pending.clear()

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _add(self, line: str) -> None:
        if not self._is_replaying:
            self._pending += f"{line}\n".encode()

    def lock(self) -> None:
        """Open the file for this process alone.

        Raises:
            UsageError: the file cannot be opened, or another process uses it.
        """
        flags = os.O_WRONLY | os.O_APPEND | (os.O_CREAT | os.O_EXCL if self.is_new else 0)
        try:
            self._file = os.open(self.path, flags | getattr(os, "O_BINARY", 0), 0o666)
            if fcntl is not None:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise UsageError(f"{self.path}: another process plays on it") from None
        except OSError as error:
            raise file_error(self.path, error) from None

    def _open(self) -> None:
        """Open the file for appending, in place of its end."""
        if self._file < 0:
            self.lock()
        if not self._is_open:
            self._truncate(self._size)
            self._is_open = True

    def _cut(self, at: int) -> None:
        self._open()
        self._truncate(at)
        self._size = at

    def _truncate(self, at: int) -> None:
        try:
            os.ftruncate(self._file, at)
        except OSError as error:
            raise file_error(self.path, error) from None


def _content(path: Path) -> bytes:
    """Return all bytes of a script, because the file may be cut at the beginning of any move."""
    content = read_bytes(path)
    try:
        content.decode()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: no script: it is not UTF-8") from None
    return content


def continued(file: ScriptFile, domain: BoundDomain, source: Source, start: Board | None = None) -> GameSeries:
    """Replay the games of a script file; return the series at the end of the file, where it continues and is recorded.

    Args:
        file: the script, which may be new.
        domain: the game.
        source: the source of chance at the end of the script. Events are drawn from it during the replay, too, so that
            random numbers continue as without a break if no move was taken back.
        start: see `replay`.

    Raises:
        UsageError: a line of the script is invalid in its place.
    """
    script = Script(file.lines() if not file.is_new else (), str(file.path))
    is_read = file.is_new

    def offers(board: Board) -> Iterator[Offer]:
        nonlocal is_read
        drawn = source(board)
        if not is_read:
            try:
                yield from script.offers(board, domain)
            except EndOfScript:
                is_read = True
                file.is_at_end()
            else:
                return
        yield from drawn

    series = GameSeries(domain, offers, start, file)
    while not is_read:
        key = script.key()
        if key == QUIT:
            is_read = True
            file.is_at_end()
        else:
            file.at_key()
            _press_or_begin(series, key)
    return series


def _press_or_begin(series: GameSeries, key: str) -> None:
    if key == NEW_GAME:
        series.begin()
    else:
        press(series, key)


def replay(script: Script, domain: BoundDomain, write: Write, start: Board | None = None) -> None:
    """Replay the games of a script, and write their transcript.

    Args:
        script: the script.
        domain: the game.
        write: called with each line of the transcript as soon as it is known.
        start: the board of every game's first move; by default the domain's own beginning.

    Raises:
        UsageError: a line of the script is invalid in its place.
    """
    transcript = Transcript(write)
    try:
        series = GameSeries(domain, lambda board: script.offers(board, domain), start, transcript)
        while (key := script.key()) != QUIT:
            _press_or_begin(series, key)
    except EndOfScript:
        return


def press(series: GameSeries, key: str) -> None:
    """Make the move of a key, if there is one; old scripts have only the first letter of each move, as a capital."""
    actions = [edge.action for edge in series.edges]
    spelled = [action for action in actions if key_of(action) == key]
    action = next(iter(spelled or [action for action in actions if action.capitalize() == key]), None)
    if action is not None:
        series.move(action)
