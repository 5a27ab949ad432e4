"""BoundDomain: a domain with its parameters set, as `searchlab.domain("2048:goal=512")` returns it.

Return values of plugin functions are validated and converted to built-in types. The functions of a `Chance` are called
in `chance.py`, those of `Views` in `views.py`, all others here.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from searchlab.binding.bound import (
    TABLE,
    Bound,
    NoNumber,
    asked_names,
    can_fill_arguments,
    declared,
    fill_arguments,
    number,
)
from searchlab.binding.chance import BoundChance
from searchlab.binding.edges import WITH_COST, Edge, Edges, Successor, successor_of
from searchlab.binding.instance_files import instances_of_name, named_instance, split_name
from searchlab.binding.name_space import Computed, NameSpace, Source, refuse_claims
from searchlab.binding.names import format_name
from searchlab.binding.views import BoundViews
from searchlab.board.board import Board
from searchlab.board.files import board_path
from searchlab.errors import BoardError, PluginCode, PluginError, UsageError, at_most, in_one_line, shown
from searchlab.errors.cached import cached_property
from searchlab.model.component import PRESET, extra_parameters, resolve
from searchlab.model.domain import LISTED_GOALS, TO, board_in
from searchlab.model.formatting import counted
from searchlab.model.instance import Instance, StaticArray
from searchlab.model.packed import MOST_SUCCESSORS, PackedForm, is_listed_goal, is_listed_goal_in_place
from searchlab.model.states import DomainStates, Ended, is_board, kind_of, why_no_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from searchlab.binding.interpreted import InterpretedForm
    from searchlab.model.domain import Domain
    from searchlab.model.states import State

T = TypeVar("T")
MOST_INSTANCES = 1_000_000
"""A function that yields more instances, or more goals, than this is taken for one that never ends."""
RULES = ("successors", "is_goal", "packed", "values", "unit_cost", "inverse", "goals", "tables")
"""The fields of a domain that say what its states, moves and goals are."""
BOARD_FILE = ".txt"
"""The suffix of board files."""


@dataclass(frozen=True, eq=False, repr=False)
class BoundDomain(BoundChance, BoundViews):
    """A domain with its parameters set.

    Methods take a board as a Board, an Instance or a name: a file, an instance in a file (`maze.scen#17`), or a board
    that ships.

    Attributes:
        instance: the instance whose static data the domain's functions get; None if there are no static data.

    >>> import searchlab as sl
    >>> sl.domain("2048", goal=512).start().largest_tile()
    2
    """

    component: Domain
    instance: Instance | None = None

    def of(self, instance: Instance) -> BoundDomain:
        """Return the domain with the static data of an instance, or the domain itself if the instance has none.

        Raises:
            UsageError: the instance lacks static data that the domain declares, or has others.
        """
        declared = self.component.static
        unknown = next((name for name in instance.static if name not in declared), None)
        if unknown is not None:
            named = f"it declares {', '.join(declared)}" if declared else "it declares none"
            raise UsageError(
                f"{self.name}: an instance has the static data {unknown!r}, which the domain does not declare: {named}"
            )
        if not instance.static:
            return self
        lacking = next((name for name in declared if name not in instance.static), None)
        if lacking is not None:
            raise UsageError(f"{self.name}: the instance {instance.name!r} lacks {lacking!r}, which is static data")
        return replace(self, instance=instance)

    @cached_property
    def key(self) -> tuple[str, str]:
        """A key that is equal for the same domain with the same parameters and the same static data."""
        return str(self), self.instance.digest if self.instance else ""

    @cached_property
    def unit_cost(self) -> bool:
        """Whether every move costs 1, with these parameters and static data; False if this is not known yet.

        Raises:
            PluginError: the function that declares it fails, or returns neither True nor False.
        """
        stated = self.component.unit_cost
        names = {**self.values, **(self.instance.values if self.instance else {})}
        if self.instance is None and callable(stated) and not can_fill_arguments(stated, 0, names):
            return False
        return declared(self.name, "unit_cost", stated, names)

    @property
    def has_other_costs(self) -> bool:
        """Whether every move costs 1 with the default parameters, but not with these."""
        stated = self.component.unit_cost
        if not callable(stated) or self.unit_cost:
            return False
        usual = {parameter.name: parameter.default for parameter in self.component.own_parameters()}
        return can_fill_arguments(stated, 0, usual) and declared(self.name, "unit_cost", stated, usual)

    @cached_property
    def afterstate_heuristic(self) -> str:
        """The name of the default heuristic for players that look ahead, `''` if there is none."""
        defaults = self.component.defaults
        stated = defaults.afterstate_heuristic
        return (self._text("defaults.afterstate_heuristic") if callable(stated) else stated) or defaults.heuristic

    def towards(self, other: Board | Instance | str | Path) -> BoundDomain:
        """Return the domain with a board as the goal, as the parameter `to` sets it.

        Raises:
            UsageError: the domain lists no goals or has no inverse moves, or its states are not boards.
        """
        if self.component.why_one_goal:
            raise UsageError(f"{self.name}: no board can take the place of the goal: {self.component.why_one_goal}")
        _, board = self.at(other)
        self.states.need_boards(board, "a board in place of the goal")
        text = "/".join(" ".join(map(str, row)) for row in board.tiles.tolist())
        return replace(self, values={**self.values, TO.name: text})

    @cached_property
    def target(self) -> Board | None:
        """The board that a user has set as the goal, or None; see `towards`."""
        takes_one = TO in self.component.own_parameters()
        return board_in(self.values[TO.name]) if takes_one and self.values.get(TO.name) else None

    def at(self, board: Board | Instance | str | Path | State) -> tuple[BoundDomain, Board]:
        """Return the domain with the static data of a state, and the state; it may be an instance or a name.

        The state is called a Board here, as it is one in most domains.
        """
        if isinstance(board, Board):
            return self, board
        if self.is_plain_state(board):
            state: Any = board
            return self, state
        if not self._has_boards and not isinstance(board, Instance | str | Path):
            raise UsageError(f"{self.name}: {why_no_state(board)}")
        instance = board if isinstance(board, Instance) else named_instance(board, self).instance
        return self.of(instance), instance.start

    def is_plain_state(self, state: Any) -> bool:
        """Return whether a value is a state that is not a board; otherwise it is a board, or the name of one.

        A text is a state if the start of the domain is a text. If the domain has no start, a text is a name if a board
        or a file has this name, or if it ends like a file name.
        """
        if isinstance(state, Board | Instance | Path) or self._has_boards:
            return False
        if not isinstance(state, str):
            return not why_no_state(state)
        if self.component.files.parse is not None or self.component.static:
            return False
        if self.component.start is not None:
            return isinstance(self.start(), str)
        if state.endswith(BOARD_FILE):
            return False
        return board_path(split_name(state)[0]) is None

    def check_named(self) -> None:
        """Raise a UsageError if neither a text nor a file can name a state of this domain."""
        component = self.component
        if component.start is None or component.files.parse is not None or component.static or self._has_boards:
            return
        start = self.start()
        if not isinstance(start, str):
            instead = "leave BOARD out to begin at the start of the domain, or call sl.solve(STATE, domain=…) in Python"
            raise UsageError(f"the states of {self.name} are {kind_of(start)}, which cannot be named: {instead}")

    @cached_property
    def _has_boards(self) -> bool:
        """Whether the states are boards, as the start shows or as features require that need boards."""
        component = self.component
        needs = component.packed, component.chance, callable(component.inverse)
        return any(needs) or (component.start is not None and is_board(self.start()))

    @cached_property
    def states(self) -> DomainStates:
        """Functions of a state that the rest of the program uses."""
        label = self.component.views.label
        return DomainStates(self.name, partial(self._text, "views.label") if label else None)

    def instances(self, name: str | Path) -> list[Instance]:
        """Return the instances of a name: of a file in the domain's own format, of a board file, or of a folder.

        Raises:
            BoardError: there are none, or they cannot be read.
        """
        found = instances_of_name(str(name), self.component.files.suffixes, lambda path: self)
        return [each.instance for each in found]

    def parse(self, text: str, path: Path | None = None) -> list[Instance]:
        """Return the instances in a text in this domain's own format.

        Args:
            text: the content of a file.
            path: the file; the text may name other files in the same folder.

        Raises:
            UsageError: the domain has no format of its own.
            ValueError: the text is in another format, or an instance cannot be read.
            OSError: a file named in the text cannot be read.
        """
        found: list[Instance] = []
        for each in self.parse_each(text, path):
            if isinstance(each, ValueError):
                raise each
            found.append(each)
        return found

    def parse_each(self, text: str, path: Path | None = None) -> list[Instance | ValueError]:
        """Return the instances in a text as `parse` does, and a ValueError in place of each unreadable instance."""
        function = self.component.files.parse
        if function is None:
            raise UsageError(f"{self.name} has no format of its own: its boards are read from board files")
        files = {"path": path, "folder": path.parent if path else Path()}
        arguments = fill_arguments(self.name, function, 1, files, self.values)
        with PluginCode(partial(self._failed, function), (ValueError, OSError, PluginError)):
            found = at_most(MOST_INSTANCES, function(text, **arguments), "instances", partial(self._wrong, "parse"))
            return [self._checked_instance(item) for item in found]

    def _checked_instance(self, item: Any) -> Instance | ValueError:
        if isinstance(item, ValueError):
            return item
        if isinstance(item, Board):
            return Instance("", item)
        if not isinstance(item, Instance):
            raise self._wrong("parse", f"yields instances, not {shown(item)}")
        self.of(item)
        return item

    @cached_property
    def _spelled(self) -> str:
        """The shortest spelling of the name, with a preset if this is shorter."""
        parameters = self.component.own_parameters()
        defaults = {parameter.name: parameter.default for parameter in parameters}
        spellings = [super()._spelled]
        for name, given in self.component.presets.items():
            preset = {**defaults, **resolve(f"domain {self.name}", parameters, given)}
            others = {key: value for key, value in self.values.items() if value != preset[key]}
            spellings.append(format_name(self.name, {PRESET: name, **others}))
        return min(spellings, key=len)

    def start(self) -> State:
        """Return the start state, a Board in most domains.

        Raises:
            UsageError: the domain has no start.
        """
        function = self.component.start
        if function is None:
            what = "an instance, like FILE#1" if self.component.static else "a board file"
            raise UsageError(f"{self.name} has no start board: name {what}")
        board = self._wrap(function, 0)()
        wrong = why_no_state(board)
        if wrong:
            raise PluginError(f"{self.name}: start has to return a state, but {wrong}")
        return board

    def edges(self, board: State) -> list[Successor]:
        """Return the successors of a state in the domain's order, with the cost of each move."""
        return [successor_of(edge) for edge in self.plain_edges(board)]

    @cached_property
    def plain_edges(self) -> Callable[[State], list[Edge]]:
        """A function that returns the successors of a state as plain edges, which are faster to make."""
        return self._contained(self._successor_rule).guard(self._edges_in_context.of)

    @cached_property
    def _edges_in_context(self) -> Edges:
        return Edges(self._successors_in_context, self._few, unit_cost=self.unit_cost)

    def _few(self, successors: Iterable[Any]) -> Iterator[Any]:
        return at_most(MOST_SUCCESSORS, successors, "moves from one board", partial(self._wrong, "successors"))

    def unhashable(self, state: Any) -> PluginError:
        """Return the error for a successor that has no hash, such as a tuple that contains a list."""
        if type(state) is Ended:
            state = state.state
        wrong = why_no_state(state) or "it is not hashable"
        return self._wrong("successors", f"yields the state {shown(state, 60)}: {wrong}")

    def moves_along(self, path: Sequence[Board]) -> list[list[Successor]]:
        """Return the moves between each two consecutive boards of a path, or one move each if all moves cost the same.

        The list ends at the first pair without a move. Only the last move may end the game.
        """
        found: list[list[Successor]] = []
        follow, last = self._successors_in_context, len(path) - 1
        checked, few, unit_cost = self._edges_in_context.checked, self._few, self.unit_cost
        with self._contained(self._successor_rule):  # entering it for each move would take a tenth of the time
            for number, (board, after) in enumerate(pairwise(path), 1):
                moves: list[Successor] = []
                kind = after.__class__
                for item in few(follow(board)):
                    # A move to another board is no part of the path: whatever else is said of it does not matter.
                    is_plain = item.__class__ is tuple and len(item) == WITH_COST and item[1].__class__ is kind
                    if is_plain and item[1] != after:
                        continue
                    edge = checked(item, type(board))
                    if (is_plain or edge.board == after) and (number == last or not edge.terminal):
                        moves.append(edge)
                        if unit_cost:
                            break
                found.append(moves)
                if not moves:
                    break
        return found

    def all_edges(self, board: Board) -> tuple[Successor, ...]:
        """Return the edges from a board. The latest are kept, because game and player both ask for them."""
        latest, edges = self._latest[0]
        if latest is not board:
            edges = tuple(self.edges(board))
            self._latest[0] = board, edges
        return edges

    @cached_property
    def _latest(self) -> list[tuple[Board | None, tuple[Successor, ...]]]:
        """The latest board and its edges, in one tuple, because several threads may ask for them."""
        return [(None, ())]

    def successors(self, board: Board | Instance | str | Path) -> list[tuple[str, Board]]:
        """Return (action, board) for each move from a board."""
        domain, start = self.at(board)
        return [(edge.action, edge.board) for edge in domain.edges(start)]

    def neighbors(self, board: Board | Instance | str | Path) -> list[Board]:
        """Return the boards one move away."""
        domain, start = self.at(board)
        return [edge.board for edge in domain.edges(start)]

    def is_goal(self, board: Board | Instance | str | Path) -> bool:
        """Return whether a board is solved."""
        domain, board = self.at(board)
        return domain.goal_test(board)

    def is_dead(self, board: Board | Instance | str | Path) -> bool:
        """Return whether no move leads to a live board."""
        domain, board = self.at(board)
        return all(edge.terminal for edge in domain.edges(board))

    def why_invalid(self, board: Board | Instance | str | Path) -> str:
        """Return an error message for an invalid board or an invalid board set as the goal; `''` if both are valid."""
        domain, board = self.at(board)
        wrong, target = domain._why_invalid(board), self.target
        if wrong or target is None:
            return wrong
        if target.shape != board.shape:
            of_target, of_board = (f"{rows} × {columns}" for rows, columns in (target.shape, board.shape))
            return f"the board to reach is {of_target}, and this one {of_board}"
        wrong = domain._why_invalid(target)
        return wrong and f"the board to reach is illegal: {wrong}"

    def _why_invalid(self, board: Board) -> str:
        """Return an error message for an invalid board, or `''`."""
        if self.component.static and self.instance is None:
            named = [*self.component.static][:3]
            rest = len(self.component.static) - len(named)
            belong = ", ".join(named) + (f" and {rest} more" if rest else "")
            return f"a board alone is not enough, {belong} belong to it: name an instance"
        if not isinstance(board, Board):
            wrong = f"its states are boards, not {kind_of(board)}" if self._has_boards else why_no_state(board)
            return wrong or (self._text("why_invalid", board) if self.component.why_invalid else "")
        if self.component.start is not None and not self._has_boards:
            return f"its states are {kind_of(self.start())}, not boards"
        # Before the domain is asked, which may not expect tiles below 0; but what it says of others is clearer.
        wrong = self._why_outside(board)
        wrong = wrong or (self._text("why_invalid", board) if self.component.why_invalid else "")
        form = None if wrong else self._form_if_any(board)
        return form.why_no_room(board.tiles) if form else wrong

    def _why_outside(self, board: Board) -> str:
        """Return an error message for a tile outside the range of its cell, or `''`."""
        if self._ranges(board):
            form = self._form_if_any(board)
            return form.why_no_room(board.tiles) if form else ""
        if board.is_signed():
            row, column = np.argwhere(board.tiles < 0)[0].tolist()
            tile = board.tile_at(row, column)
            return f"the tile at row {row + 1}, column {column + 1} is {tile}: a tile is between 0 and 2^63 - 1"
        return ""

    def _form_if_any(self, board: Board) -> PackedForm | None:
        """Return the packed form, or None if there is none or it fails; a search that needs it reports the failure."""
        try:
            return self.packed(board)
        except PluginError:
            return None

    def has_signed_cells(self, board: Board) -> bool:
        """Return whether tiles of boards of this shape may be below 0."""
        return any(low < 0 for low, _ in self._ranges(board))

    def _ranges(self, board: Board) -> Sequence[tuple[int, int]]:
        """Return the range of each cell of boards of this shape; an empty result if all cells are alike."""
        if self.component.packed is None:
            return ()

        def ranges() -> Sequence[tuple[int, int]]:
            form = self._form_if_any(board)
            return form.cells if form else ()

        return self._for_shape("ranges", board, ranges)

    @cached_property
    def _by_shape(self) -> dict[tuple[str, tuple[int, int]], Any]:
        """Values that are computed once for all boards of a shape, by name and shape."""
        return {}

    def _for_shape(self, what: str, board: Board, compute: Callable[[], T]) -> T:
        """Return `compute()`, called once for all boards of this shape."""
        key = what, board.shape
        if key not in self._by_shape:
            self._by_shape[key] = compute()
        found: T = self._by_shape[key]
        return found

    def check(self, board: Board | Instance | str | Path) -> None:
        """Raise a BoardError if a board is invalid in this game."""
        wrong = self.why_invalid(board)
        if wrong:
            raise BoardError(f"not a board of {self}: {wrong}")

    def why_unsolvable(self, board: Board | Instance | str | Path) -> str:
        """Return the reason why a board has no solution, as known without a search; `''` if it may have one."""
        domain, board = self.at(board)
        return domain._text("why_unsolvable", board) if self._knows_of_goals("why_unsolvable") else ""

    def _knows_of_goals(self, field: str) -> bool:
        """Return whether a field may be used: with `to`, its function must ask for the listed goals."""
        function = getattr(self.component, field)
        if function is None or self.target is None:
            return function is not None
        return any(asked.name == LISTED_GOALS for asked in extra_parameters(function))

    def lower_bound(self, board: Board | Instance | str | Path) -> float:
        """Return a lower bound on the solution cost of a board, or 0 if unknown."""
        function = self.component.lower_bound
        if function is None or not self._knows_of_goals("lower_bound"):
            return 0.0
        domain, board = self.at(board)
        try:
            return number(domain._wrap(function)(board))
        except NoNumber as error:
            raise self._wrong("lower_bound", f"returned {error}") from error

    def format(self, board: Board | Instance | str | Path) -> str:
        """Return the text form of a board in this game's transcripts and files."""
        domain, board = self.at(board)
        if self.component.files.format:
            return domain._text("files.format", board)
        return str(board) if isinstance(board, Board) else self.states.text(board)

    @property
    def names_given(self) -> set[str]:
        """The names that functions of heuristics and players can ask this domain for, for every board."""
        listed = {LISTED_GOALS} if self.component.goals else set()
        return {*self.values, *self.component.static, *self.component.values, *self.component.tables, *listed}

    def sources(self, board: Board | None = None, form: PackedForm | None = None) -> tuple[Source, ...]:
        """Return the sources of `names`: parameters, static data, values, tables of the packed form, prepared tables.

        Args:
            board: a board of the shape in question; without it, there are only parameters and static data.
            form: the packed form; by default the form for this board, made when it is needed.
        """
        if not isinstance(board, Board):
            return self._sources_of_rules(None)
        sources = self._sources_of_rules(board)
        tables = form.tables if form else Computed(lambda: self._tables(board), lambda name: self._tables(board)[name])
        listed = (LISTED_GOALS,) if self.component.goals is not None else ()
        goals = Source("the goals it lists", Computed(lambda: listed, lambda name: self._goal_tiles(board)), True)
        return (*sources, Source("a table of its packed form", tables), self.tables(board), goals)

    def _sources_of_rules(self, board: Board | None) -> tuple[Source, ...]:
        """Return the sources that do not depend on the packed form."""
        own = [Source("a parameter of the domain", self.values)]
        if self.instance is not None:
            own.append(Source("static data of the instance", self.instance.values))
        if board is None:
            return tuple(own)
        known = self.component.values.keys()
        return *own, Source("a value of the domain", Computed(lambda: known, lambda name: self._value(name, board)))

    def _value(self, name: str, board: Board) -> Any:
        """Return a value of the domain, or None if it has none; it is computed once for each shape."""
        return self._for_shape(f"value {name}", board, lambda: self._wrap(self.component.values[name])(board))

    def _goal_tiles(self, board: Board) -> NDArray[np.int64]:
        """Return the goals for boards of a shape, an array (goals, rows, columns); they are listed once.

        Raises:
            PluginError: a goal has another shape.
        """

        def stacked() -> NDArray[np.int64]:
            goals = self.goals(board)
            other = next((goal for goal in goals if goal.shape != board.shape), None)
            if other is not None:
                sizes = " and ".join(f"{rows} × {columns}" for rows, columns in (board.shape, other.shape))
                raise self._wrong("goals", f"yields boards of another shape than the one it is given: {sizes}")
            tiles = np.array([goal.tiles for goal in goals], np.int64).reshape(-1, *board.shape)
            tiles.setflags(write=False)
            return tiles.view(StaticArray)

        return self._for_shape("goals", board, stacked)

    def _tables(self, board: Board) -> Mapping[str, Any]:
        """Return the tables of the packed form for boards of this shape; the form is made once."""

        def tables() -> Mapping[str, Any]:
            form = self.packed(board)
            return form.tables if form else {}

        return self._for_shape("tables", board, tables)

    def _wrapping(self, function: Callable[..., Any], subjects: int) -> Callable[..., Any]:
        """Do as `Bound._wrapping`, also for a function whose arguments depend on the board."""
        if not self._asks_for_more(function, subjects):
            return super()._wrapping(function, subjects)
        filled: dict[tuple[int, int], Callable[..., Any]] = {}

        def call(board: Board, *others: Any) -> Any:
            shape = getattr(board, "shape", (0, 0))
            if shape not in filled:
                arguments = fill_arguments(self.name, function, subjects, self.values, self.names(board))
                filled[shape] = self._in_context(function, partial(function, **arguments), subjects)
            return filled[shape](board, *others)

        return call

    def _asks_for_more(self, function: Callable[..., Any], subjects: int) -> bool:
        """Return whether a function asks for more than parameters, and so depends on the shape of its argument."""
        further = [asked for asked in extra_parameters(function, subjects) if asked.name not in self.values]
        known = self.names_given - {*self.values}
        return bool(subjects) and any(p.name in known or p.default is inspect.Parameter.empty for p in further)

    def packed(self, board: Board) -> PackedForm | None:
        """Return the packed form for boards of this shape, or None.

        Raises:
            PluginError: the domain returned something else, or a table has a name with another meaning.
        """
        function = self.component.packed
        if function is None:
            return None
        if not isinstance(board, Board):
            self.states.need_boards(board, f"the packed form of {self.name}")
        # Most domains return the same form again: the latest one is not checked twice.
        key = "form", board.shape
        form: PackedForm | None
        given: PackedForm | None
        checked: PackedForm
        make, given, checked = self._by_shape.get(key, (None, None, None))
        if make is None:
            sources = self.values, NameSpace(self._sources_of_rules(board))
            filled = partial(function, **fill_arguments(self.name, function, 1, *sources))
            make = self._contained(function).guard(filled)
            self._by_shape[key] = make, None, None
        form = make(board)
        if form is None:
            return None
        if form is not given:
            self._check_form(form, board)
            checked = form if self.target is None else _with_listed_goal(form)
            checked = replace(checked, is_goal=is_listed_goal) if self._needs_goal_test(checked) else checked
            self._by_shape[key] = make, form, checked
        return checked

    def _needs_goal_test(self, form: PackedForm) -> bool:
        """Return whether a form has no goal test, so that the goals are those that the domain lists."""
        if form.rule("is_goal") is not None:
            return False
        if self.component.goals is None:
            raise self._wrong("packed", "returned a form without is_goal(tiles), and the domain lists no goals")
        return True

    def _check_form(self, form: Any, board: Board) -> None:
        if not isinstance(form, PackedForm):
            raise PluginError(f"{self.name}: packed returned {shown(form)}, not a PackedForm")
        if form.cells and len(form.cells) != board.tiles.size:
            what = f"declares ranges of {counted(len(form.cells), 'cell')}, and the board has {board.tiles.size:,}"
            raise self._wrong("packed", what)
        self._check_tables(form, board)

    def _check_tables(self, form: PackedForm, board: Board) -> None:
        """Refuse a table with a name that something else has, unless this is an equal value of the domain."""
        claimed = {name for name in form.tables if name not in self.component.values}
        claimed.update(
            name
            for name in form.tables.keys() & self.component.values.keys()
            if not np.array_equal(form.tables[name], self._value(name, board))
        )
        sources = [(source.what, source.values.keys()) for source in self._sources_of_rules(board)]
        refuse_claims(self.name, *sources, ("a table of its packed form", claimed), (TABLE, self.component.tables))

    def prepare(self, board: Board, *users: Bound) -> None:
        """Build the missing tables that functions ask for on boards of this shape.

        Args:
            users: the components that are used with the domain; components that they name are included.

        Raises:
            PluginError: a table cannot be built.
        """
        if not isinstance(board, Board):
            return
        users = tuple([member for user in users for member in user.members])
        if not any(bound.component.tables for bound in (self, *users)):
            return
        form = self.packed(board)
        own = (self.component, form) if form else (self.component,)
        asked = asked_names(*own, *(bound.component for bound in users))
        for bound in (self, *users):
            bound.build_tables(board, asked)

    def digested(self) -> list[Any]:
        """Return rules, parameters and static data, on which a table depends if its function asks for the domain."""
        rules = {name: getattr(self.component, name) for name in RULES}
        return [self.name, dict(self.values), self.instance.digest if self.instance else "", rules]

    @cached_property
    def goal_test(self) -> Callable[[State], bool]:
        """The goal test that searches call, for states given neither as instances nor by name."""
        target, function = self.target, self.component.is_goal
        if target is not None:
            return lambda state: state == target
        if function is not None and not self._asks_for_more(function, 1):
            return self._contained(function).guard(
                self._with_arguments(function, 1), 1, bool, lambda state, answer: self._truth(answer)
            )
        is_goal, truth = self._is_goal, self._truth
        return lambda state: truth(is_goal(state))

    def _truth(self, answer: Any) -> bool:
        """Return the answer of a goal test as a bool; None, as from a forgotten `return`, is refused."""
        if answer is True or answer is False:
            return answer
        said = f"{self.name}: is_goal returned"
        if answer is None:
            raise PluginError(f"{said} None, not True or False")
        with PluginCode(lambda e: PluginError(f"{said} {shown(answer)}, not True or False: {in_one_line(e)}")):
            return bool(answer)

    @cached_property
    def _successors(self) -> Callable[[Board], Any]:
        function = self.component.successors
        return self._wrap(function) if function else self._interpreted_successors

    @cached_property
    def _successors_in_context(self) -> Callable[[Board], Any]:
        """The successors, for callers inside the context of the successor rule; entering it once saves time."""
        function = self.component.successors
        if function is None or self._asks_for_more(function, 1):
            return self._successors
        return self._with_arguments(function, 1)

    @cached_property
    def _is_goal(self) -> Callable[[Board], Any]:
        function = self.component.is_goal
        if function is not None:
            return self._wrap(function)
        if self.component.packed is None:
            return lambda board: board in self.goals(board)
        return lambda board: self._interpreted(board).is_goal(board)

    @property
    def _successor_rule(self) -> Callable[..., Any]:
        """The plugin's function to name in errors about successors."""
        return self.component.successors or self._interpreted_successors

    def _interpreted_successors(self, board: Board) -> Iterator[tuple[str, Board, float, bool]]:
        """Yield the successors from the packed form's function, interpreted, with the names of the moves."""
        for k, move in enumerate(self._interpreted(board).successors(board)):
            action = self._text("action", board, move.board, k) if self.component.action else f"move-{k + 1}"
            yield action, move.board, move.cost, move.terminal

    def _interpreted(self, board: Board) -> InterpretedForm:
        """Return the packed form for boards of this shape, to be interpreted.

        Raises:
            PluginError: the domain has no packed form.
        """
        key = "interpreted form", board.shape
        if key in self._by_shape:
            kept: InterpretedForm = self._by_shape[key]
            return kept
        form = self.packed(board)
        if form is None:
            rows, columns = board.shape
            what = f"has no successors, and no packed form for boards of {rows} × {columns}"
            raise PluginError(f"{self.name} {what}")
        from searchlab.binding.interpreted import InterpretedForm  # late: most domains have rules on boards

        interpreted = InterpretedForm(self.name, form, NameSpace(self.sources(board, form)))
        if form.words.outgrown is None:
            self._by_shape[key] = interpreted
        return interpreted

    @property
    def has_inverse(self) -> bool:
        """Whether the domain lists the predecessors of a state."""
        return self.component.inverse != ""

    def inverse_form(self, board: Board) -> PackedForm | None:
        """Return a packed form for boards of this shape whose successors are the predecessors, or None.

        It is for compiled backward searches; its goals are those of the domain.
        """
        form, inverse = self.packed(board), self.component.inverse
        if form is None or not self.has_inverse:
            return None
        if not callable(inverse):
            return form
        words = replace(form.words, successors=None)
        return replace(form, successors=inverse, words=words, in_place=None, move=())

    def predecessors(self, board: Board | Instance | str | Path) -> list[tuple[Board, float]]:
        """Return the boards from which a move leads to a board, with the costs of these moves.

        Raises:
            UsageError: the domain has no inverse moves.
            PluginError: a function of the domain fails.
        """
        domain, board = self.at(board)
        if not self.has_inverse:
            raise UsageError(f"{self.name} does not list predecessors (Domain.inverse)")
        inverse = self.component.inverse
        if not callable(inverse):
            return [(edge.board, edge.cost) for edge in domain.edges(board)]
        interpreted = domain._interpreted(board)
        most = interpreted.form.max_successors
        return [(move.board, move.cost) for move in interpreted.listed("inverse", inverse, most, board)]

    def goals(self, board: Board | Instance | str | Path) -> tuple[Board, ...]:
        """Return all goals for boards of this shape.

        Raises:
            UsageError: the domain does not list its goals.
            PluginError: a function of the domain fails.
        """
        function = self.component.goals
        if function is None:
            raise UsageError(f"{self.name} does not list its goals (Domain.goals)")
        domain, board = self.at(board)
        if self.target is not None:
            return (self.target,)
        listed = self._each(function, domain._wrap(function)(board), partial(self._checked_goal, board))
        return tuple(at_most(MOST_INSTANCES, listed, "boards", partial(self._wrong, "goals")))

    def smaller(self, board: Board | Instance | str | Path) -> Iterator[Instance]:
        """Yield the boards that are one step smaller, as instances; nothing if the domain does not list them.

        Raises:
            PluginError: a function of the domain fails.
        """
        function = self.component.smaller
        if function is None:
            return
        domain, board = self.at(board)
        static = domain.instance.static if domain.instance else {}

        def as_instance(item: Any) -> Instance:
            return item if isinstance(item, Instance) else Instance("", item, static)

        listed = self._each(function, domain._wrap(function)(board), as_instance)
        yield from at_most(MOST_SUCCESSORS, listed, "smaller boards", partial(self._wrong, "smaller"))

    def _checked_goal(self, board: State, item: Any) -> State:
        if is_board(board) != is_board(item) or why_no_state(item):
            wanted = "boards" if is_board(board) else "states"
            raise self._wrong("goals", f"yields {wanted}, not {shown(item)}")
        return item


def _with_listed_goal(form: PackedForm) -> PackedForm:
    """Return a packed form with a goal test for the only listed goal, which a user has set."""
    in_place = form.in_place and replace(form.in_place, is_goal=is_listed_goal_in_place)
    return replace(form, is_goal=None, words=replace(form.words, is_goal=None), in_place=in_place)
