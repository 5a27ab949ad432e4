"""PackedForm and InPlace: a domain's rules for the compiled engine, as plain functions on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown
from searchlab.model.component import Declared, check_callable, check_types

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

WORD_BITS = 64
MOST_SUCCESSORS = 2**17
MOST_CHANCES = 2**32
LARGEST_VALUE = 2**63 - 1
"""The largest value of a cell, and with a minus the lowest."""


@dataclass(frozen=True)
class InPlace(Declared):
    """Moves that change a board where it lies, each of cost 1, none of which ends the game.

    A board is at a *place* (in the sliding-tile puzzle the blank's cell), on which alone it depends what moves it
    has: each leads to another place, and going straight back takes it back. The functions may ask for tables,
    parameters and values by name like those of the PackedForm.

    Attributes:
        place: `(cells)`: the place of a board, 0 … places - 1; cells is its (rows × columns,) int64 array.
        neighbors: where the moves from each place lead, in the order of the successors: an int64 array
            (places, max_successors), -1 where there is none.
        make: `(cells, place, to)`: changes the cells as the move from one place to another does.
        is_goal: `(cells, place)`: whether the board is a goal.
        describe: `(cells, place, to)`: the numbers named in `PackedForm.move`, as a tuple, before the move is made.
        slides: whether the places are the cells, and a move does nothing but slide the tile on the cell it leads to
            onto the cell of the blank, the only tile 0. `sl.distances` finds patterns of such puzzles several times
            faster and in less memory.
    """

    place: Callable[..., int]
    neighbors: NDArray[np.int64]
    make: Callable[..., None]
    is_goal: Callable[..., bool]
    describe: Callable[..., tuple[int, ...]] | None = None
    slides: bool = False

    def __post_init__(self) -> None:
        import numpy as np

        wanted = {"place": ("cells",), "make": ("cells", "place", "to"), "is_goal": ("cells", "place")}
        for name, subjects in wanted.items():
            check_callable("InPlace", name, getattr(self, name), *subjects)
        if self.describe is not None:
            check_callable("InPlace", "describe", self.describe, "cells", "place", "to")
        check_types(self, bool, "True or False", "slides")
        table = np.asarray(self.neighbors)
        if table.ndim != 2 or table.dtype.kind not in "iu":
            msg = (
                f"InPlace: neighbors is an array (places, max_successors) of whole numbers, not {self.neighbors!r:.60}"
            )
            raise TypeError(msg)
        if table.size and not -1 <= int(table.min()) <= int(table.max()) < len(table):
            msg = f"InPlace: neighbors are places, 0 … {len(table) - 1}, or -1 where there is none"
            raise ValueError(msg)


@dataclass(frozen=True)
class Words(Declared):
    """The functions of a PackedForm on packed states, for experts: each takes the place of the one on tiles.

    They work on the uint64 words of a state, `words`, and write such words; everything else is as for the function of
    the same name of the PackedForm.

    Attributes:
        successors: `(words, out)`: out is (max_successors, words).
        is_goal: `(words)`.
        chances: `(words, out, probabilities)`: out is (most_chances, words).
        draws: `(words, out, random)`: out is (1, words).
        legal: `(words)`: in addition to the one on tiles, and compiled: the legal actions as a whole number with a bit
            for each, the first action in the lowest bit.
        outgrown: `(words)`: whether a state may come to hold values that the form has no room for, so that the domain
            would choose another form for it. By default none does.
    """

    successors: Callable[..., int] | None = None
    is_goal: Callable[..., bool] | None = None
    chances: Callable[..., int] | None = None
    draws: Callable[..., int] | None = None
    legal: Callable[..., int] | None = None
    outgrown: Callable[..., bool] | None = None

    def __post_init__(self) -> None:
        for name, subjects in ON_WORDS.items():
            if getattr(self, name) is not None:
                check_callable("Words", name, getattr(self, name), *subjects)


ON_WORDS = {
    "successors": ("words", "out"),
    "is_goal": ("words",),
    "chances": ("words", "out", "probabilities"),
    "draws": ("words", "out", "random"),
    "legal": ("words",),
    "outgrown": ("words",),
}
"""The arguments by position of the functions on words."""
ON_TILES = {name: ("tiles", *others) for name, (_, *others) in ON_WORDS.items() if name != "outgrown"}
"""The same of the functions on tiles."""
NO_WORDS = Words()
MOST_ACTIONS = 40
"""The names of moves that `PackedForm.legal` may speak of: legal ones and the chosen one are one number."""


@dataclass(frozen=True)
class PackedForm(Declared):
    """A domain's rules for the compiled engine, for boards of one shape.

    A state is a row of uint64 words into which the cells are packed row by row, from the lowest bits of the first
    word on, none across two words; bits left over are 0. A cell takes the bits its largest code needs, or `bits`;
    its code is its value, or where values are powers of two the exponent (0 for a blank). Where `cells` declares a
    range for each cell, it takes the bits its range needs, and its code is what it is above the lowest value. The
    functions are plain Python and are compiled; where a domain has no rules on boards, those are these functions,
    interpreted.

    Attributes:
        values: the number of values a cell takes: 0 … values - 1, or 0, 2, 4, … 2^(values - 1) if `powers_of_two`.
        max_successors: the most successors a state has; also the most predecessors, if `Domain.inverse` lists them.
        successors: `(tiles, out)`: tiles is the (rows, columns) int64 array of a state, out a
            (max_successors, rows, columns) array; it writes the k-th successor into `out[k]` and returns how many.
            It may also ask for `costs` (float64, one a successor, 1 unless written), `terminal` (uint8, 1 for
            a successor with which the game is over, 0 unless written) and `points` (float64, what `Chance.points`
            says of each, to be written for every successor; None where nobody wants to know).
        is_goal: `(tiles)`: whether the state is a goal. Without it the goals are those that the domain lists, see
            `Domain.goals`.
        powers_of_two: see `values`.
        bits: bits a cell, where more than `values` needs are wanted.
        move: what a move changes, for heuristics that can be updated: names of whole numbers. The successor
            function then asks for `moves`, an int64 array (max_successors, len(move)), and writes a row a successor.
        in_place: moves that can be made and taken back where a board lies, for searches that keep one path only.
        chances: `(tiles, out, probabilities)`: of a game of chance: writes the board after the k-th event to `out[k]`,
            out being a (most_chances, rows, columns) array, and its probability to `probabilities[k]` (float64), as
            `Chance.events` yields them and equal to the last bit; returns how many.
        most_chances: the most events there are.
        draws: `(tiles, out, random)`: of a game of chance that is played in compiled code: writes to `out[0]`, a
            (rows, columns) array, the board that `Chance.draw` makes with the same numbers, each of which is
            `searchlab.next_raw(random)`; returns 1, or 0 where nothing can appear.
        actions: the names of all moves of the game, in the domain's order; with `legal`.
        legal: `(tiles)`: of a game that is played in compiled code, in NumPy: for boards (boards, rows, columns) an
            array (boards, len(actions)) that says which moves are legal. It names the moves of a game without a look at
            each board; without it their names are those of `Domain.successors`.
        words: a Words: functions on packed states, for experts.
        tables: arrays and numbers these functions may ask for by name, besides the domain's parameters.
        cells: in place of `values`: the lowest and the highest value of each cell, row by row, as (low, high); they may
            be below 0.
    """

    values: int = 0
    max_successors: int = 0
    successors: Callable[..., int] = None  # type: ignore[assignment]  # needed, and checked as all fields are
    is_goal: Callable[..., bool] | None = None
    powers_of_two: bool = False
    bits: int = 0
    move: tuple[str, ...] = ()
    in_place: InPlace | None = None
    chances: Callable[..., int] | None = None
    most_chances: int = 0
    draws: Callable[..., int] | None = None
    tables: Mapping[str, Any] = field(default_factory=dict)
    cells: Sequence[tuple[int, int]] = ()
    actions: tuple[str, ...] = ()
    legal: Callable[..., Any] | None = None
    words: Words = NO_WORDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", _checked_ranges(self.cells))
        most_values = WORD_BITS - 1 if self.powers_of_two else 2 ** (WORD_BITS - 1)
        if not self.cells:
            _check_number("values", self.values, 1, most_values)
        elif self.values or self.bits or self.powers_of_two:
            msg = (
                "PackedForm: cells says which values there are: values, bits and powers_of_two are for cells all alike"
            )
            raise ValueError(msg)
        if self.max_successors == 0:
            msg = "PackedForm: max_successors is needed: the most successors a state has, a whole number from 1 on"
            raise ValueError(msg)
        _check_number("max_successors", self.max_successors, 1, MOST_SUCCESSORS)
        _check_number("bits", self.bits, 0, WORD_BITS)
        if 0 < self.bits < (self.values - 1).bit_length():
            msg = f"PackedForm: {self.values} values do not fit into bits={self.bits}"
            raise ValueError(msg)
        check_types(self, Words, "a Words(…)", "words")
        for name, subjects in ON_TILES.items():
            function = getattr(self, name)
            if function is not None or (name == "successors" and self.words.successors is None):
                check_callable("PackedForm", name, function, *subjects)
        if self.rule("chances"):
            _check_number("most_chances", self.most_chances, 1, MOST_CHANCES)
        elif self.most_chances != 0:
            msg = "PackedForm: most_chances is for chances, on tiles or on words, and there are none"
            raise ValueError(msg)
        if self.legal and not 0 < len(self.actions) <= MOST_ACTIONS:
            msg = f"PackedForm: legal says which of 1 to {MOST_ACTIONS} actions are moves, not of {len(self.actions)}"
            raise ValueError(msg)
        if self.words.legal and not self.legal:
            msg = "PackedForm: legal on words is in addition to legal on tiles, and there is none"
            raise ValueError(msg)
        check_types(self, tuple, "a tuple of names", "move", "actions")
        check_types(self, Mapping, "a dict of arrays and numbers by name", "tables")
        check_types(self, (InPlace, type(None)), "an InPlace", "in_place")

    @property
    def is_signed(self) -> bool:
        """Whether a cell may hold a value below 0."""
        return any(low < 0 for low, _ in self.cells)

    def why_no_room(self, tiles: NDArray[np.int64]) -> str:
        """Return which tile of a board this form has no room for, and which ones it has room for; `''` if none."""
        fits, room = self._fitting(tiles)
        if fits.all():
            return ""
        cell = int(fits.argmin())
        row, column = divmod(cell, tiles.shape[1])
        if self.cells:
            room = "a tile there is between {} and {}".format(*self.cells[cell])
        return f"the tile at row {row + 1}, column {column + 1} is {tiles[row, column]}: {room}"

    def _fitting(self, tiles: NDArray[np.int64]) -> tuple[NDArray[np.bool_], str]:
        """Return whether each cell of a board has room for its tile, and which tiles one has room for."""
        import numpy as np

        flat = tiles.ravel()
        if self.cells:
            lows, highs = np.array(self.cells, np.int64).T
            return (flat >= lows) & (flat <= highs), ""
        if not self.powers_of_two:
            return (flat >= 0) & (flat <= self.values - 1), f"a tile is between 0 and {self.values - 1}"
        is_power = (flat & (flat - 1) == 0) & (flat != 1) & (flat >= 0) & (flat <= 1 << (self.values - 1))
        return is_power, f"a tile is 0 or a power of two from 2 to 2^{self.values - 1}"

    def rule(self, name: str) -> Any:
        """Return the function of a name that is compiled: the one on words, or the one on tiles, or None."""
        return getattr(self.words, name) or getattr(self, name)


def is_listed_goal(tiles: NDArray[np.int64], listed_goals: NDArray[np.int64]) -> bool:
    """Return whether a state is one of the goals its domain lists: the goal test of forms without one."""
    for k in range(len(listed_goals)):
        same = True
        for row in range(tiles.shape[0]):
            for column in range(tiles.shape[1]):
                same &= tiles[row, column] == listed_goals[k, row, column]
        if same:
            return True
    return False


def trailing_zeros(value: int) -> int:
    """Return the number of zero bits below the lowest one of a 64-bit value, 64 for 0.

    For packed rules: in compiled code it is one instruction.

    >>> trailing_zeros(8), trailing_zeros(0)
    (3, 64)
    """
    value = int(value)
    return (value & -value).bit_length() - 1 if value else 64


def one_bits(value: int) -> int:
    """Return the number of bits of a 64-bit value that are 1.

    For packed rules and heuristics: in compiled code it is one instruction.

    >>> one_bits(11), one_bits(0)
    (3, 0)
    """
    return (int(value) & 0xFFFFFFFFFFFFFFFF).bit_count()


def _checked_ranges(ranges: Any) -> tuple[tuple[int, int], ...]:
    """Return the ranges of cells as pairs of whole numbers."""
    wanted = "cells is a list of pairs (low, high) of whole numbers, one a cell"
    try:
        checked = tuple((index(low), index(high)) for low, high in ranges)
    except (TypeError, ValueError):
        msg = f"PackedForm: {wanted}, not {shown(ranges)}"
        raise TypeError(msg) from None
    for cell, (low, high) in enumerate(checked):
        if not -LARGEST_VALUE <= low <= high <= LARGEST_VALUE:
            msg = f"PackedForm: {wanted}; cells[{cell}] is from {shown(low)} to {shown(high)}"
            raise ValueError(msg)
    return checked


def _check_number(field: str, value: Any, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        msg = f"PackedForm: {field} is a whole number from {least} to {most}, not {shown(value)}"
        raise ValueError(msg)
