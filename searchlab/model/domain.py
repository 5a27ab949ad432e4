"""Domain: the rules of a game, as a plugin declares them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from searchlab.board.board import Board
from searchlab.errors import BoardError, shown
from searchlab.model.component import (
    Component,
    Declared,
    Parameter,
    check_callable,
    check_choice,
    check_function,
    check_name_set,
    check_presets,
    check_static,
    check_types,
    check_values,
)
from searchlab.model.domain_parts import Chance, Defaults, FileFormat, Views

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Set

    from searchlab.model.instance import Instance
    from searchlab.model.packed import PackedForm
    from searchlab.model.states import State

PACKED = "packed"
"""In place of `Chance.points`: the packed form has them."""
SAME = "same"
NEEDED = ("successors", "is_goal")
ON_BOARDS = {
    **dict.fromkeys((*NEEDED, "why_invalid", "why_unsolvable", "lower_bound", "goals", "smaller"), ("board",)),
    "action": ("board", "after", "k"),
    "chance.events": ("board",),
    "chance.draw": ("board", "random"),
    "chance.apply": ("board", "event"),
    "chance.points": ("board", "after"),
    "files.format": ("board",),
    "views.label": ("state",),
    "views.picture": ("board",),
    "views.svg": ("board",),
    "views.motions": ("board", "action", "after"),
    "views.remark": ("board", "after"),
    "views.transcript": ("start", "turns"),
}
"""The fields of a domain and its parts that are functions of a board, and their arguments by position."""
PATH = "path"
"""The argument name for the boards that led to the drawn board, as an array (boards, rows, columns)."""
PROVED, TEXT = "proved", "text"
"""The argument names of a transcript for whether no solution has fewer moves, and for `(board)`: a board as text."""
FURTHER = {"views.picture": {PATH}, "views.svg": {PATH}, "views.transcript": {PROVED, TEXT}}
"""Further argument names of some of these functions."""
NO_FILES, NO_VIEWS, NO_DEFAULTS = FileFormat(), Views(), Defaults()
LISTED_GOALS = "listed_goals"
"""The argument name for the goals that a domain lists, as an array (goals, rows, columns)."""


def board_in(text: str) -> Board:
    """Return the board whose rows are listed in a text, separated by slashes.

    >>> board_in("1 2 3/4 5 0").shape
    (2, 3)

    Raises:
        BoardError: the text does not list rows of integers, all of the same length.
    """
    rows = [line.split() for line in text.split("/")]
    other = next((word for row in rows for word in row if not WHOLE_NUMBER.fullmatch(word)), None)
    if other is not None:
        raise BoardError(f"{shown(other)} is not a tile: a board lists its tiles row by row, as [{EXAMPLE}]")
    return Board([[int(word) for word in row] for row in rows], signed=True)


def check_board(text: str) -> str:
    """Return an error message for a text that does not list a board, or `""`."""
    try:
        if text:
            board_in(text)
    except BoardError as error:
        return str(error)
    return ""


EXAMPLE = "1 2 3/8 0 4/7 6 5"
WHOLE_NUMBER = re.compile("-?[0-9]+", re.ASCII)
TO = Parameter("to", "", f"a board to reach in place of the goal, as [{EXAMPLE}]", check=check_board)
"""The parameter of every domain that lists its goals and has inverse moves."""


@dataclass(frozen=True)
class Domain(Component):
    """A game: its boards, moves and goal.

    Functions get the arguments shown in brackets by position. They may ask by name for parameters of the domain; a
    function of a board may also ask for `values`, `static` data, and the `tables` of the packed form.

    Attributes:
        name: the name users write.
        successors: `(board)`: yields `(action, board)` for each move, in a fixed order. Costs other than 1 are given by
            `(action, board, cost)`. In `(action, board, cost, terminal)`, `terminal` is true if the move ends the game.
            By default the successor function of the packed form is interpreted.
        is_goal: `(board)`: whether the board is a goal. By default the goal test of the packed form, interpreted;
            without one, the goals are the boards that `goals` lists.
        action: `(board, after, k)`: the name of the k-th move, counted from 0, from `board` to `after`; for a domain
            without `successors`. By default move-1, move-2, …
        summary: a one-line description.
        parameters: the domain's own parameters.
        presets: values for several parameters at once, by name. Users write `NAME:preset=…`, and may set other
            parameters in addition.
        start: `()`: the start state, if the domain has one: a Board or another state. All states of a domain are of one
            kind. A state that is not a board is a text, a number, or a tuple or frozenset of these. It works like a
            board, except for everything that needs tiles: packed forms, tables and players.
        why_invalid: `(board)`: an error message for an illegal board, or `""`.
        why_unsolvable: `(board)`: the reason why there is no solution, as a proof that replaces a search, or `""`.
        lower_bound: `(board)`: a lower bound on the solution cost. If a user sets another goal, `why_unsolvable` and
            `lower_bound` are used only if they ask for `listed_goals`.
        unit_cost: whether every move costs 1; or a function `()` of parameters and static data that returns this.
        inverse: the backward moves. "same" if every move can be undone by a move of the same cost. Otherwise a function
            `(tiles, out)`, like the `successors` of the packed form, that writes the states from which a move leads to
            this one. If it asks for `costs`, it also writes the costs of these moves.
        goals: `(board)`: all goals for boards of this shape, as boards. Functions may ask for `listed_goals`, an array
            (goals, rows, columns) of them. A domain with `goals` and `inverse` has the parameter `to`, a board to reach
            instead.
        smaller: `(board)`: yields boards that are one step smaller, for example by a tile, a disc or an object, the
            smallest first. They are instances if their static data differ. `searchlab shrink` uses this to find small
            examples.
        ends_at_goal: whether a goal ends the game, so that an enumeration does not expand it.
        layered: whether all paths from one board to another have the same number of moves, as when each move adds a
            tile. An enumeration is then several times faster, because a state cannot occur in an earlier layer. Other
            domains compare with the last two layers if `inverse="same"`, otherwise with all layers.
        values: functions `(board)` by name. Each returns a number or an array for boards of this shape, or None if
            there is none. Functions of heuristics and players may ask for these values by name.
        static: the names of the static data of instances, see `Instance`. All functions of the domain, and those of
            heuristics, players and renderers, may ask for them by name.
        tables: prepared tables, as for a heuristic. Functions of a board, of the packed form, and of heuristics and
            players may ask for them.
        packed: `(board)`: the PackedForm for boards of this shape, or None.
        samples: `()`: boards or instances on which the domain and its heuristics are checked, the smallest first. A
            pair `(parameters, board)` replaces defaults of parameters, given by name. By default the start board.
        compatible_with: names of domains whose heuristics, generators, players and renderers also work for this domain.
        chance: a Chance; it makes the domain a game of chance.
        files: a FileFormat, if the domain has its own text form.
        views: a Views: how boards, moves and games are shown to people.
        defaults: a Defaults: the recommended heuristic, frontier strategy and player.
    """

    name: str
    successors: Callable[..., Any] | None = None
    is_goal: Callable[..., bool] | None = None
    action: Callable[..., str] | None = None
    summary: str = ""
    parameters: tuple[Parameter, ...] = ()
    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    start: Callable[..., State] | None = None
    why_invalid: Callable[..., str] | None = None
    why_unsolvable: Callable[..., str] | None = None
    lower_bound: Callable[..., float] | None = None
    unit_cost: bool | Callable[..., bool] = True
    inverse: Callable[..., int] | Literal["", "same"] = ""
    goals: Callable[..., Iterable[State]] | None = None
    smaller: Callable[..., Iterable[State | Instance]] | None = None
    ends_at_goal: bool = False
    layered: bool = False
    values: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    static: tuple[str, ...] = ()
    tables: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    packed: Callable[..., PackedForm | None] | None = None
    samples: Callable[..., Iterable[Any]] | None = None
    compatible_with: Set[str] = frozenset()
    chance: Chance | None = None
    files: FileFormat = NO_FILES
    views: Views = NO_VIEWS
    defaults: Defaults = NO_DEFAULTS

    parts: ClassVar[Mapping[str, type[Declared]]] = {
        "chance": Chance,
        "files": FileFormat,
        "views": Views,
        "defaults": Defaults,
    }

    @classmethod
    def where(cls, field: str) -> str:
        """Return a hint at the part that has a field, or `''` if none has it."""
        for part, kind in cls.parts.items():
            if any(field == known.name for known in fields(kind)):  # type: ignore[arg-type]  # they are dataclasses
                return f"it is one of {kind.__name__}: {part}={kind.__name__}({field}=…)"
        return ""

    def __post_init__(self) -> None:
        super().__post_init__()
        for part, kind in self.parts.items():
            if part == "chance":
                check_types(self, (Chance, type(None)), "a Chance(…), or None", "chance")
            else:
                check_types(self, kind, f"a {kind.__name__}(…)", part)
        check_types(self, bool, "True or False", "ends_at_goal", "layered")
        check_static(self)
        known = {parameter.name for parameter in self.parameters}
        with_static = known | {*self.static}
        check_values(self, known, with_static)
        with_values = with_static | self.values.keys()
        self._check_functions_of_boards(with_values)
        if isinstance(self.inverse, str):
            check_choice(self, "inverse", ("", SAME))
        else:
            check_function(self, "inverse", "tiles", "out")
        self._check_packed()
        check_function(self, "packed", "board", known=with_values)
        for field_ in ("start", "samples"):
            check_function(self, field_, known=known)
        if callable(self.unit_cost):
            check_function(self, "unit_cost", known=with_static)
        else:
            check_types(self, bool, "True, False or a function of its parameters", "unit_cost")
        if callable(self.defaults.afterstate_heuristic):
            self._check_part("defaults.afterstate_heuristic", known=known)
        self._check_part("chance.opening", known=known)
        self._check_part("files.parse", "text", known={*known, "path", "folder"})
        check_presets(self, known)
        check_name_set(self, "compatible_with")

    def _check_functions_of_boards(self, with_values: Set[str]) -> None:
        with_tables = with_values | self.tables.keys()
        if self.goals is not None:
            with_tables = with_tables | {LISTED_GOALS}
        # What tables a packed form has is known when there is a board.
        on_boards = with_tables if self.packed is None else None
        for path, subjects in ON_BOARDS.items():
            needed = path in NEEDED and self.packed is None and (path != "is_goal" or self.goals is None)
            known = on_boards if on_boards is None else on_boards | FURTHER.get(path, set())
            self._check_part(path, *subjects, known=known, needed=needed)

    def _check_part(self, path: str, *subjects: str, known: Container[str] | None, needed: bool = False) -> None:
        """Check a function in a field of the domain or, as in `views.picture`, of a part."""
        function = self.get(path)
        if (function is not None or needed) and (path, function) != ("chance.points", PACKED):
            check_callable(f"Domain {self.name!r}", path, function, *subjects, known=known)

    def get(self, path: str) -> Any:
        """Return the value of a field of the domain or, as in `views.picture`, of a part."""
        return None if path.startswith("chance.") and self.chance is None else attrgetter(path)(self)

    def own_parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters of any component, and `to` if users can set another goal."""
        own = super().own_parameters()
        return own if self.why_one_goal or any(one.name == TO.name for one in own) else (*own, TO)

    @property
    def why_one_goal(self) -> str:
        """The reason why users cannot set another goal, `''` if they can."""
        if self.goals is None:
            return "it does not list its goals (Domain.goals)"
        return "" if self.inverse else "it does not list predecessors (Domain.inverse)"

    @property
    def revisited(self) -> Literal["none", "last-two", "any"]:
        """The earlier layers to which moves from the last layer of an enumeration can lead back."""
        if self.layered:
            return "none"
        return "last-two" if self.inverse == SAME else "any"

    @property
    def has_points(self) -> bool:
        """Whether moves earn points."""
        return self.chance is not None and self.chance.points is not None

    def _check_packed(self) -> None:
        """Raise an error for fields that need a packed form if there is none."""
        if self.packed is not None:
            return
        needs = []
        if self.chance is not None:
            needs += ["chance.points"] if self.chance.points == PACKED else []
            needs += ["chance.events"] if self.chance.events is None else []
        needs += ["inverse"] if callable(self.inverse) else []
        if needs:
            msg = f"Domain {self.name!r}: {needs[0]} needs a packed form: give packed(board)"
            raise ValueError(msg)
