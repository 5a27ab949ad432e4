"""Domain: the rules of a game, as a plugin declares them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from searchlab.model.component import (
    Component,
    Parameter,
    check_choice,
    check_function,
    check_name_set,
    check_offers,
    check_presets,
    check_static,
    check_types,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Set

    from searchlab.board.board import Board
    from searchlab.model.instance import Instance
    from searchlab.model.packed import PackedForm

PACKED = "packed"
"""In place of a function of boards: the packed form has it."""
SAME = "same"
REVISITED_LAYERS = ("none", "last-two", "any")
LAYER_COLUMNS = ("dead ends", "goals", "game over", "largest")
"""The columns of an enumeration's table besides depth and states."""
OF_CHANCE = ("draw", "opening", "happen", "event")
"""The fields of a domain that need a `chance`."""
NEEDED = ("successors", "is_goal")
ON_BOARDS = {
    **dict.fromkeys(
        (*NEEDED, "why_invalid", "is_dead", "why_unsolvable", "lower_bound", "format", "goals"), ("board",)
    ),
    "action": ("board", "after", "k"),
    "chance": ("board",),
    "draw": ("board", "random"),
    "event": ("board", "after", "k"),
    "happen": ("board", "event"),
    "points": ("board", "after"),
    "remark": ("board", "after"),
    "motions": ("board", "action", "after"),
    "picture": ("board",),
    "svg": ("board",),
    "printout": ("start", "turns"),
}
"""The fields of a domain that are functions of a board, and what they are given by position."""
MAY_BE_PACKED = ("chance", "draw", "points")
"""Those in whose place "packed" may stand."""
DRAWING = ("picture", "svg")
"""The fields that draw a board; their functions may also ask for `PATH`."""
PATH = "path"
"""The argument name for the boards that led to the drawn board, as an array (boards, rows, columns)."""
LISTED_GOALS = "listed_goals"
"""The argument name for the goals that a domain lists, as an array (goals, rows, columns)."""


@dataclass(frozen=True)
class Domain(Component):
    """A game: its boards, moves and goal.

    Attributes:
        name: the name users write.
        successors: `(board)`: yields `(action, board)` in a fixed order, or `(action, board, cost)`, or
            `(action, board, cost, terminal)`; terminal is true of a board that ends the game. Without it the successors
            are those of the packed form, whose function is then interpreted.
        is_goal: `(board)`: whether it is solved. Without it the packed form says so, interpreted; where that does not
            either, the boards that `goals` lists are the goals.
        action: `(board, after, k)`: where the successors are those of the packed form, the name of the k-th move, from
            0, which leads from one board to the other. Without it they are called move-1, move-2, …
        summary: one line for people.
        parameters: the domain's own; every function may ask for them by name. A function of a board may also ask for
            `offers`, and for the `tables` of the packed form.
        start: `()`: the start board, where the game has one.
        why_invalid: `(board)`: what is wrong with a board that cannot be one of this game, else `''`.
        is_dead: `(board)`: whether no move leads to a live board; without it, the moves are tried.
        why_unsolvable: `(board)`: why there is certainly no solution, so that none is searched for, else `''`.
        lower_bound: `(board)`: a lower bound on the cost of a solution.
        render: another name for `format`, for domains whose text form is for people only.
        solution_headline: `(moves, proved)`: the first line of a transcript.
        offers: further values that heuristics may ask for by name, each a function `(board)` that returns a
            number or an array for boards of this shape, or None if it has none for them.
        packed: `(board)`: the PackedForm for boards of this shape, None if there is none.
        samples: `()`: boards or instances on which heuristics and the domain itself are checked, the smallest first;
            or pairs of parameters, by name, that replace defaults, and such a board. Without it, the start board is
            used.
        unit_cost: whether every move costs 1; or a function of the parameters and the static data, `()`, that returns
            this.
        duplicates: the detection of duplicates that suits it: `early` if many states are met again, `late` if few.
        revisited_layers: the layers of a breadth-first enumeration to which moves from its last layer can lead back,
            from any start: "none" (all paths from the start to a state have the same number of moves), "last-two" (the
            last layer and the one before it, as where every move can be undone) or "any". An enumeration looks for
            repeated states in no others, which saves memory and time. Without it they are "last-two" if `inverse` is
            "same", else "any".
        ends_at_goal: whether a goal ends the game, so that an enumeration does not expand it.
        layer_columns: what the table of an enumeration calls its columns `dead ends`, `goals`, `game over` and
            `largest` (the largest tile so far), where the game has other words; `''` leaves out one that tells nothing.
            The page of a game calls the largest tile so as well.
        heuristic: the default heuristic.
        judge: the default heuristic of players that look ahead, where it is not `heuristic`; or a function of the
            parameters, `()`, that names it.
        frontier: the default frontier strategy.
        player: the best player, who gives hints; by default `greedy`.
        chance: `(board)`: makes it a game of chance, which is played and not searched: the events that may follow a
            move that led to this board. Yields `(event, board, probability)` in a fixed order; the event is a short
            text of one line that distinguishes it from the others; the probabilities, all above 0, add up to 1. Yields
            nothing if no event can follow. `successors` gives the boards before the event. "packed": the events are
            those of the packed form's `chances`.
        event: `(board, after, k)`: where chance is "packed", the text of the k-th event. Without it they are called
            event-1, event-2, …
        draw: `(board, random)`: draws one of the events, by the numbers of a `Randomness`: yields `(event, board)`, and
            before it `(event, None)` for each event that is offered and refused. Without it one number is drawn, and
            the first event is taken at which the cumulative probability exceeds it. "packed": the packed form's `draws`
            draws it.
        opening: `()`: the number of events before the first move.
        happen: `(board, event)`: the board with this event, None if the event is refused. Raises a `ValueError` if it
            is no event. Without it the events are those of `chance`.
        points: `(board, after)`: the points of the move from one board to the other, a number. The score of a game is
            their sum. "packed": those that the packed form's successor function writes.
        remark: `(board, after)`: one line for a person who made the move from one board to the other, `''` for none.
        motions: `(board, action, after)`: which tile goes where in the move that leads from one board to the other, so
            that a viewer can slide it: yields `((row, column), (row, column))`, from and to, of each tile that moves,
            or `((row, column), None)` of one that vanishes. Tiles that are not listed stay; those that go to one cell
            have merged; a tile to whose cell none goes has appeared. 0 is a blank cell.
        inverse: the moves backwards: "same" where every move can be taken back by a move of the same cost; or a
            function `(tiles, out)` like the `successors` of the packed form, which writes the states from which a move
            leads to this one, and to `costs`, if it asks for them, what that move costs.
        goals: `(board)`: all goals that boards of this shape have, as boards. Functions may ask for `listed_goals`: an
            array (goals, rows, columns) of them.
        presets: values for several parameters at once, by name: `NAME:preset=…`. Others may be given beside it.
        like: names of domains whose heuristics, generators, players and renderers serve this one as well.
        printout: `(start, turns)`: a played game as `searchlab play --transcript` prints it: yields strings with
            their line ends, or returns None for the usual form. `turns` is a tuple of `Turn`.
        parse: `(text)`: yields the instances of a file in the domain's own format, each an Instance, or a Board where
            it has no more than that. It may ask for `path`, the file's Path (None for standard input), and for the
            Path `folder` in which it lies, to read the files that are named in it. A ValueError says that the text is
            in another format, or what is wrong with it; one that is yielded in place of an instance says what is
            wrong with that one, and the others are read.
        format: `(board)`: its text form in transcripts and files, where it differs from `str(board)`. With `parse` it
            is the reverse: what parse reads as one instance, with the same board and the same static data.
        picture: `(board)`: the board as people are to see it, lines of text, where its tiles say little: a map with a
            position on it. Commands show it in place of tiles and of `format`, unless it is too large; so do pages
            where there is no `svg`. It may hold ANSI colours, which are left out where nobody can see them, and may ask
            for `path`: the boards that led to this one, the start first, an array (boards, rows, columns), empty where
            they are not known. `searchlab solve` shows a picture with the path once, and not one for each move.
        svg: `(board)`: the board as an image for pages, a text that begins with `<svg xmlns="http://www.w3.org/2000/svg"
            viewBox="0 0 width height"`. A page shows it on a light or dark ground and is not searched for styles: all
            colours are in it. It may ask for `path`, too. Images that differ little in a few places are kept small.
        suffixes: the endings of the names of files in this format, like `(".scen",)`. Such a file is of this domain if
            none is named, and what parse says of it is final; any other is tried as a board file, too.
        static: the names of the static data that each instance brings, see `Instance`. All functions of the domain,
            and those of heuristics, players and renderers, may ask for it by name.
        symmetric: whether turning or mirroring a board makes no difference to the game but for the names of the moves
            and events: `sl.exact_values` takes such boards for one.
        tables: prepared tables, as those of a heuristic; functions of a board, of the packed form, and of heuristics
            and players may ask for them.
    """

    name: str
    successors: Callable[..., Any] | None = None
    is_goal: Callable[..., bool] | None = None
    summary: str = ""
    parameters: tuple[Parameter, ...] = ()
    start: Callable[..., Board] | None = None
    why_invalid: Callable[..., str] | None = None
    is_dead: Callable[..., bool] | None = None
    why_unsolvable: Callable[..., str] | None = None
    lower_bound: Callable[..., float] | None = None
    render: InitVar[Callable[..., str] | None] = None
    solution_headline: Callable[..., str] | None = None
    offers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    packed: Callable[..., PackedForm | None] | None = None
    samples: Callable[..., Iterable[Any]] | None = None
    unit_cost: bool | Callable[..., bool] = True
    duplicates: Literal["early", "late"] = "early"
    revisited_layers: Literal["", "none", "last-two", "any"] = ""
    ends_at_goal: bool = False
    heuristic: str = ""
    frontier: str = "astar"
    player: str = ""
    chance: Callable[..., Iterable[tuple[str, Board, float]]] | Literal["packed"] | None = None
    draw: Callable[..., Iterable[tuple[str, Board | None]]] | Literal["packed"] | None = None
    opening: Callable[..., int] | None = None
    happen: Callable[..., Board | None] | None = None
    points: Callable[..., float] | Literal["packed"] | None = None
    remark: Callable[..., str] | None = None
    motions: Callable[..., Iterable[Any]] | None = None
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    like: Set[str] = frozenset()
    printout: Callable[..., Iterable[str] | None] | None = None
    aliases: tuple[str, ...] = ()
    parse: Callable[..., Iterable[Instance | Board | ValueError]] | None = None
    format: Callable[..., str] | None = None
    suffixes: tuple[str, ...] = ()
    static: tuple[str, ...] = ()
    action: Callable[..., str] | None = None
    event: Callable[..., str] | None = None
    inverse: Callable[..., int] | Literal["", "same"] = ""
    goals: Callable[..., Iterable[Board]] | None = None
    tables: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    layer_columns: Mapping[str, str] = field(default_factory=dict)
    picture: Callable[..., str] | None = None
    symmetric: bool = False
    svg: Callable[..., str] | None = None
    judge: str | Callable[..., str] = ""

    def __post_init__(self, render: Callable[..., str] | None) -> None:
        super().__post_init__()
        if render is not None:  # given anew, by dataclasses.replace, too
            object.__setattr__(self, "format", render)
        check_types(self, str, "a text", "heuristic", "frontier", "player")
        check_types(self, bool, "True or False", "ends_at_goal", "symmetric")
        check_choice(self, "duplicates", ("early", "late"))
        self._check_layer_columns()
        if self.revisited_layers != "":
            check_choice(self, "revisited_layers", REVISITED_LAYERS)
        check_static(self)
        known = {parameter.name for parameter in self.parameters}
        with_static = known | {*self.static}
        check_offers(self, known, with_static)
        with_offers = with_static | self.offers.keys()
        with_tables = with_offers | self.tables.keys()
        if self.goals is not None:
            with_tables = with_tables | {LISTED_GOALS}
        # What tables a packed form has is known when there is a board.
        on_boards = with_tables if self.packed is None else None
        for field_, subjects in ON_BOARDS.items():
            if field_ not in MAY_BE_PACKED or getattr(self, field_) != PACKED:
                needed = field_ in NEEDED and self.packed is None and (field_ != "is_goal" or self.goals is None)
                known_here = on_boards | {PATH} if on_boards is not None and field_ in DRAWING else on_boards
                check_function(self, field_, *subjects, known=known_here, needed=needed)
        if isinstance(self.inverse, str):
            check_choice(self, "inverse", ("", SAME))
        else:
            check_function(self, "inverse", "tiles", "out")
        self._check_packed()
        check_function(self, "packed", "board", known=with_offers)
        for field_ in ("start", "samples", "opening"):
            check_function(self, field_, known=known)
        if callable(self.unit_cost):
            check_function(self, "unit_cost", known=with_static)
        else:
            check_types(self, bool, "True, False or a function of its parameters", "unit_cost")
        if callable(self.judge):
            check_function(self, "judge", known=known)
        else:
            check_types(self, str, "a text or a function of its parameters", "judge")
        check_function(self, "parse", "text", known={*known, "path", "folder"})
        check_function(self, "solution_headline", "moves", "proved", known=())
        check_presets(self, known)
        check_name_set(self, "like")
        needless = next((name for name in OF_CHANCE if getattr(self, name) is not None), "")
        if needless and self.chance is None:
            msg = f"Domain {self.name!r}: {needless} is for games of chance, and it has no chance(board)"
            raise ValueError(msg)

    @property
    def revisited(self) -> str:
        """The layers of an enumeration to which moves can lead back: `revisited_layers`, or what follows without it."""
        return self.revisited_layers or ("last-two" if self.inverse == SAME else "any")

    def _check_packed(self) -> None:
        """Refuse what needs a packed form where there is none."""
        if self.packed is not None:
            return
        needs = [name for name in MAY_BE_PACKED if getattr(self, name) == PACKED]
        needs += ["inverse"] if callable(self.inverse) else []
        if needs:
            msg = f"Domain {self.name!r}: {needs[0]} is that of the packed form, and it has no packed(board)"
            raise ValueError(msg)

    def _check_layer_columns(self) -> None:
        columns = self.layer_columns
        is_text = isinstance(columns, Mapping) and all(isinstance(name, str) for name in columns.values())
        if not is_text or not set(columns) <= set(LAYER_COLUMNS):
            names = ", ".join(LAYER_COLUMNS)
            msg = f"Domain {self.name!r}: layer_columns is a dict of texts for some of {names}, not {columns!r:.60}"
            raise TypeError(msg)
