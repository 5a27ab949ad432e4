"""Scripts: games as lines of text, recorded while they are played, and played again from the record.

A script has an event a line: `T …` a drawn event of chance, in the spelling of the domain; `K…` a key: `KUp` for the
move `up`, `KNew Game`, `KQuit`; other keys are ignored. A `#` begins a comment, and the end of the script means Quit.
After an event that the domain refuses another one is drawn. A `T` met while a key is wanted is skipped; a key met while
a `T` is wanted is an error.

A transcript has a line for everything that happens: `C` the board is cleared, at first and when a game begins; `A …` an
event appears on the board; `D score best tiles…` a move was made, with the score before it; `E score best` a game is
over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from searchlab.binding.domain import Offer
from searchlab.errors import SearchlabError, UsageError, shown
from searchlab.games.game import GameSeries, Observer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from searchlab.binding.domain import BoundDomain
    from searchlab.board.board import Board

    Write = Callable[[str], None]

NEW_GAME, QUIT = "New Game", "Quit"
KEYS = frozenset({"Up", "Down", "Left", "Right", NEW_GAME, QUIT})
"""The keys that are never ignored."""
COMMENT = "#"


class EndOfScript(SearchlabError):
    """An event is wanted, and the script has no more."""


def key_of(action: str) -> str:
    """Return the key of a move."""
    return action.capitalize()


class Script:
    """The events of a script, read line by line as they are wanted.

    Args:
        lines: the lines of the script.
        name: its name in error messages.
    """

    def __init__(self, lines: Iterable[str], name: str) -> None:
        self._events = self._parsed(lines)
        self._name = name
        self._line = 0

    def key(self) -> str:
        """Return the next key, without its K; Quit at the end of the script."""
        return next((text for kind, text in self._events if kind == "K"), QUIT)

    def offers(self, board: Board, domain: BoundDomain) -> Iterator[Offer]:
        """Yield the events of the script until one is taken; none where nothing can appear on the board.

        Raises:
            EndOfScript: there is no further event.
            UsageError: a key stands there, or a line that is no event of the domain.
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
                raise self._wrong(f"the key {text} where a line T with what is drawn is wanted")
        raise EndOfScript

    def _happened(self, board: Board, event: str, domain: BoundDomain) -> Board | None:
        try:
            return domain.happen(board, event)
        except UsageError as error:
            raise self._wrong(str(error)) from None

    def _parsed(self, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the kind, T or K, and the text of each event."""
        for self._line, line in enumerate(lines, 1):
            content = line.partition(COMMENT)[0].strip()
            if content.startswith("K"):
                yield "K", content[1:]
            elif content.split()[:1] == ["T"]:
                yield "T", " ".join(content.split()[1:])
            elif content:
                raise self._wrong(f"{shown(content, 40)} is no event: a line is T with what is drawn, or K with a key")

    def _wrong(self, what: str) -> UsageError:
        return UsageError(f"{self._name}, line {self._line}: {what}")


class Transcript(Observer):
    """Writes the transcript of games.

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
        """Write the event that is on the board now."""
        self._write(f"A {event}")

    def moved(self, board: Board, score: float, best: float) -> None:
        """Write the scores and the tiles, row by row."""
        self._write(f"D {score} {best} {' '.join(map(str, board.tiles.ravel().tolist()))}")

    def ended(self, score: float, best: float) -> None:
        """Write the final scores."""
        self._write(f"E {score} {best}")


class Log(Observer):
    """Writes a script from which the games can be played again.

    Args:
        write: called with each line.
    """

    def __init__(self, write: Write) -> None:
        self._write = write

    def pressed(self, key: str) -> None:
        """Write a key."""
        self._write(f"K{key}")

    def offered(self, event: str) -> None:
        """Write an event that was drawn."""
        self._write(f"T {event}")


def replay(script: Script, domain: BoundDomain, write: Write, start: Board | None = None) -> None:
    """Play the games of a script, and write their transcript.

    Args:
        script: the script.
        domain: the game.
        write: called with each line of the transcript as soon as it is known.
        start: the board of every game's first move; without it games begin as those of the domain do.

    Raises:
        UsageError: a line of the script makes no sense where it stands.
    """
    transcript = Transcript(write)
    try:
        series = GameSeries(domain, lambda board: script.offers(board, domain), start, transcript)
        while (key := script.key()) != QUIT:
            if key == NEW_GAME:
                series.begin()
            else:
                press(series, key)
    except EndOfScript:
        return


def press(series: GameSeries, key: str) -> None:
    """Make the move of a key, if there is one."""
    action = next((edge.action for edge in series.edges if key_of(edge.action) == key), None)
    if action is not None:
        series.move(action)
