"""Chance, FileFormat, Views and Defaults: the parts of a Domain besides its rules.

The Domain checks their functions, because it knows the names that they may ask for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from searchlab.errors import shown
from searchlab.model.component import Declared, check_choice, check_name_tuple, check_types

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from searchlab.board.board import Board
    from searchlab.model.instance import Instance

LAYER_COLUMNS = ("dead ends", "goals", "game over", "largest")
"""The columns of the table of an enumeration, besides the depth and the number of states."""


@dataclass(frozen=True)
class Chance(Declared):
    """Random events after each move. They make a domain a game of chance, which is played and not searched.

    Attributes:
        events: `(board)`: yields `(event, board, probability)` for each event that may follow a move to this board, in
            a fixed order; yields nothing if no event can follow. `event` is a short, unique text of one line, and
            `board` is the board after the event. Probabilities are positive and add up to 1. (`Domain.successors`
            yields the boards before the event.) By default the events are those of `PackedForm.chances`, interpreted,
            with the names event-1, event-2, …
        draw: `(board, random)`: draws one event with the numbers of a `Randomness`, and yields `(event, board)`. For
            each event that is offered and refused first, it yields `(event, None)`. By default one number is drawn, and
            the event is the first whose cumulative probability exceeds it. A domain without `events` uses
            `PackedForm.draws`, if it has this.
        opening: `()`: returns the number of events before the first move.
        apply: `(board, event)`: returns the board after this event, or None if the event is refused. Raises a
            `ValueError` for an invalid event. By default the event is looked up in `events`.
        points: `(board, after)`: returns the points of the move from `board` to `after`, a number. The score of a game
            is the sum of its points. "packed": the successor function of the packed form writes the points.
        symmetric: whether turning or mirroring a board changes nothing in the game except the names of moves and
            events. `sl.exact_values` then treats such boards as one.
    """

    events: Callable[..., Iterable[tuple[str, Board, float]]] | None = None
    draw: Callable[..., Iterable[tuple[str, Board | None]]] | None = None
    opening: Callable[..., int] | None = None
    apply: Callable[..., Board | None] | None = None
    points: Callable[..., float] | Literal["packed"] | None = None
    symmetric: bool = False

    def __post_init__(self) -> None:
        check_types(self, bool, "True or False", "symmetric")


@dataclass(frozen=True)
class FileFormat(Declared):
    """A domain's own text format, and the files in it.

    Attributes:
        parse: `(text)`: yields the instances of a file: an Instance, or a Board for an instance that has only a board.
            Raises a ValueError if the text is invalid or in another format; yields a ValueError in place of a single
            invalid instance. It may ask for `path`, the file's Path (None for standard input), and for `folder`, the
            Path of the file's folder, to read other files that the text names.
        format: `(board)`: returns the text form for transcripts and files, if it differs from `str(board)`. If there is
            a `parse`, it must read this text as one instance with the same board and static data.
        suffixes: the suffixes of files in this format, such as `(".scen",)`. Such a file belongs to this domain unless
            the user names another, and an error of `parse` is final. Other files are also tried as board files.
    """

    parse: Callable[..., Iterable[Instance | Board | ValueError]] | None = None
    format: Callable[..., str] | None = None
    suffixes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name_tuple(self, "suffixes")
        wrong = next((s for s in self.suffixes if not s.startswith(".") or len(s) < 2 or s == ".txt"), None)
        if wrong is not None:
            msg = f"FileFormat: a suffix is like '.scen', and not that of board files, '.txt': {shown(wrong)}"
            raise ValueError(msg)
        if self.suffixes and self.parse is None:
            msg = "FileFormat: suffixes need a function parse(text) that reads such files"
            raise ValueError(msg)


@dataclass(frozen=True)
class Views(Declared):
    """How a domain's boards, moves and games are shown to people.

    Attributes:
        label: `(state)`: returns a one-line text for a state that is not a board. By default a text is shown as it is,
            any other state as its `repr`.
        picture: `(board)`: returns the board as lines of text, for boards whose numbers say little, such as a map with
            a position on it. Commands show it in place of tiles and of `FileFormat.format`, unless it is too large;
            pages show it if there is no `svg`. ANSI colours are allowed; they are removed if the output shows none. It
            may ask for `path`, the boards that led to this one, start first: an array (boards, rows, columns), empty if
            unknown. `searchlab solve` then shows one picture with the path instead of one for each move.
        svg: `(board)`: returns the board as an image for pages, a text that begins with `<svg
            xmlns="http://www.w3.org/2000/svg" viewBox="0 0 width height"`. Pages show it on light and dark backgrounds
            without style sheets, so it must contain all its colours. It may ask for `path`, like `picture`. A series of
            images takes little space if they differ in few places.
        motions: `(board, action, after)`: yields the motions of tiles in a move from `board` to `after`, for
            animations. A moving tile is `((row, column), (row, column))`, source and target; a vanishing tile is
            `((row, column), None)`. Unlisted tiles stay, tiles with the same target merge, and a tile in a cell without
            source appears. 0 is a blank cell.
        remark: `(board, after)`: returns a line for the person who made the move from `board` to `after`, or `""`.
        transcript: `(start, turns)`: yields a solution or a played game as `--transcript` prints it, in strings with
            line ends; or returns None for the usual form. `turns` is a tuple of `Turn`. It may ask for `proved`,
            whether no solution has fewer moves, and for `text`, a function `(board)` that returns the text of a board,
            drawn by the user's renderer if one is chosen.
        layer_columns: other names for the columns `dead ends`, `goals`, `game over` and `largest` (the largest tile so
            far) in the table of an enumeration; `""` omits a column. The page of a game uses the name of the largest
            tile, too.
    """

    label: Callable[..., str] | None = None
    picture: Callable[..., str] | None = None
    svg: Callable[..., str] | None = None
    motions: Callable[..., Iterable[Any]] | None = None
    remark: Callable[..., str] | None = None
    transcript: Callable[..., Iterable[str] | None] | None = None
    layer_columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns = self.layer_columns
        is_text = isinstance(columns, Mapping) and all(isinstance(name, str) for name in columns.values())
        if not is_text or not set(columns) <= set(LAYER_COLUMNS):
            names = ", ".join(LAYER_COLUMNS)
            msg = f"Views: layer_columns is a dict of texts for some of {names}, not {columns!r:.60}"
            raise TypeError(msg)


@dataclass(frozen=True)
class Defaults(Declared):
    """The recommendations of a domain, used if the user names nothing else.

    Attributes:
        heuristic: the name of a heuristic.
        afterstate_heuristic: the name of the heuristic with which players that look ahead evaluate boards after a move,
            by default `heuristic`; or a function `()` of parameters that returns the name.
        frontier: the name of a frontier strategy.
        player: the name of the best player, which gives hints; by default `greedy`.
        duplicates: when a search detects duplicates: `early` if many states are reached repeatedly, `late` if few are.
    """

    heuristic: str = ""
    afterstate_heuristic: str | Callable[..., str] = ""
    frontier: str = "astar"
    player: str = ""
    duplicates: Literal["early", "late"] = "early"

    def __post_init__(self) -> None:
        check_types(self, str, "a text", "heuristic", "frontier", "player")
        if not callable(self.afterstate_heuristic):
            check_types(self, str, "a text or a function of its parameters", "afterstate_heuristic")
        check_choice(self, "duplicates", ("early", "late"))
