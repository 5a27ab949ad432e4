"""PackedForm, Words and InPlace: the rules of a domain for the compiled engine, as plain functions on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import index
from typing import TYPE_CHECKING, Any

from searchlab.errors import shown
from searchlab.model.component import Declared, check_callable, check_types, extra_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

WORD_BITS = 64
MOST_SUCCESSORS = 2**17
MOST_CHANCES = 2**32
LARGEST_VALUE = 2**63 - 1
"""The largest value of a cell; the lowest is its negative."""


@dataclass(frozen=True)
class InPlace(Declared):
    """Moves that change a board in place. Each move costs 1, and none ends the game.

    The moves of a board depend only on its *place*, such as the cell of the blank in the sliding-tile puzzle. Each move
    leads to another place, and the move back undoes it. Functions may ask for tables, parameters and values by name,
    like those of the PackedForm.

    Attributes:
        place: `(cells)`: returns the place of a board, 0 … places - 1. `cells` is an int64 array (rows × columns,).
        neighbors: an int64 array (places, max_successors). Row p lists the places to which the moves from place p lead,
            in the order of the successors, filled up with -1.
        make: `(cells, place, to)`: makes the move from one place to another by changing `cells`.
        is_goal: `(cells, place)`: returns whether the board is a goal.
        describe: `(cells, place, to)`: returns the numbers named in `PackedForm.move`, as a tuple. It is called before
            the move is made.
        slides: whether the places are the cells and each move only slides the tile on its target cell into the blank,
            the only tile 0. `sl.distances` then computes pattern databases several times faster and in less memory.
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
            msg = f"InPlace: neighbors are places, 0 … {len(table) - 1}, or -1 for none"
            raise ValueError(msg)


@dataclass(frozen=True)
class Words(Declared):
    """Functions on packed states, for experts: each replaces the function of the same name on tiles.

    Each takes `words`, the uint64 array (words,) of a state, in place of `tiles`, and writes states as such arrays.
    Everything else is as described in PackedForm.

    Attributes:
        successors: `(words, out)`: `out` has the shape (max_successors, words).
        is_goal: `(words)`.
        chances: `(words, out, probabilities)`: `out` has the shape (most_chances, words).
        draws: `(words, out, random)`: `out` has the shape (1, words).
        legal: `(words)`: returns the legal actions as an integer: bit k is 1 if action k is legal. Unlike
            `PackedForm.legal`, which is also required, it is compiled.
        outgrown: `(words)`: returns whether later states may have values that do not fit into this form, so that the
            domain must choose another one. By default this never happens.
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
"""The positional arguments of the functions on words."""
ON_TILES = {name: ("tiles", *others) for name, (_, *others) in ON_WORDS.items() if name != "outgrown"}
"""The positional arguments of the functions on tiles."""
NO_WORDS = Words()
MOST_ACTIONS = 40
"""The largest number of actions of `PackedForm.legal`: the legal ones and the chosen one are packed into one number."""


@dataclass(frozen=True)
class PackedForm(Declared):
    """The rules of a domain for the compiled engine, for boards of one shape.

    A state is packed into uint64 words, cell by cell and row by row, from the lowest bits of the first word on. No cell
    is split between two words, and unused bits are 0. Each cell has `bits` bits, by default as many as the largest code
    needs. The code of a cell is its value, or the exponent if values are powers of two (0 for a blank). If `cells`
    declares ranges, the code is the value minus the lowest value of the cell.

    The functions are plain Python and are compiled. If a domain has no functions on boards, these functions are
    interpreted in their place. They may ask by name for parameters of the domain and for `tables`.

    Attributes:
        values: the number of values of a cell: 0 … values - 1, or 0, 2, 4, … 2^(values - 1) if `powers_of_two`.
        max_successors: the largest number of successors of a state, and of predecessors if `Domain.inverse` lists them.
        successors: `(tiles, out)`: writes the k-th successor to `out[k]`, and returns the number of successors. `tiles`
            is the state, an int64 array (rows, columns); `out` is an int64 array (max_successors, rows, columns). The
            function may ask for further arrays to write to, all (max_successors,):

            - `costs`: float64, 1 by default.
            - `terminal`: uint8, 0 by default; 1 if the move ends the game.
            - `points`: float64, the points of each move as in `Chance.points`, without default. None if they are not
              needed.

            If the function asks for `chosen`, a uint8 array (max_successors,) or None, it writes `out[k]` only if
            `chosen is None or chosen[k]`. The returned number and the other arrays must not depend on `chosen`.
            Searches that select successors need this.
        is_goal: `(tiles)`: returns whether the state is a goal. By default the goals are those of `Domain.goals`.
        powers_of_two: see `values`.
        bits: the number of bits of a cell, if `values` needs fewer.
        move: the names of integers that describe a move, for heuristics with `incremental`. The successor function then
            asks for `moves`, an int64 array (max_successors, len(move)), and writes a row for each successor.
        in_place: an InPlace: moves that change a board in place and can be undone, for searches that keep only one
            path.
        chances: `(tiles, out, probabilities)`: for a game of chance: writes the board after the k-th event to `out[k]`
            and its probability to `probabilities[k]`, and returns the number of events. `out` is an int64 array
            (most_chances, rows, columns), `probabilities` a float64 array (most_chances,). Boards, probabilities and
            order equal those of `Chance.events` exactly.
        most_chances: the largest number of events.
        draws: `(tiles, out, random)`: for a game of chance that is played compiled: draws an event, writes the board
            after it to `out[0]`, and returns 1; returns 0 if no event can happen. `out` is an int64 array (1, rows,
            columns). The board equals the one that `Chance.draw` draws from the same random numbers,
            `searchlab.next_raw(random)`.
        actions: the names of all moves of the game, in the domain's order, for `legal`. If `move` has a number called
            `action`, this number is the index of the move's name in `actions`; the moves of a solution then get their
            names without the functions on boards.
        legal: `(tiles)`: for a game that is played compiled: returns the legal actions of each board, as a boolean
            array (boards, len(actions)). `tiles` is an array (boards, rows, columns). The function is written with
            NumPy and not compiled. By default the names of moves come from `Domain.successors`, board by board.
        words: functions on packed states, for experts.
        tables: arrays and numbers that the functions may ask for by name.
        cells: in place of `values`: a pair (lowest, highest) of values for each cell, row by row. Values may be
            negative.
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
            msg = "PackedForm: cells replaces values, bits and powers_of_two, which are for cells with equal ranges"
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
            msg = "PackedForm: most_chances needs a function chances, on tiles or on words"
            raise ValueError(msg)
        if self.legal and not 0 < len(self.actions) <= MOST_ACTIONS:
            msg = f"PackedForm: legal needs 1 to {MOST_ACTIONS} actions, not {len(self.actions)}"
            raise ValueError(msg)
        if self.words.legal and not self.legal:
            msg = "PackedForm: legal on words needs legal on tiles, too"
            raise ValueError(msg)
        check_types(self, tuple, "a tuple of names", "move", "actions")
        check_types(self, Mapping, "a dict of arrays and numbers by name", "tables")
        check_types(self, (InPlace, type(None)), "an InPlace", "in_place")

    @property
    def chooses(self) -> bool:
        """Whether the successor function asks for `chosen`, so that it can omit successors."""
        return any(parameter.name == "chosen" for parameter in extra_parameters(self.rule("successors"), 2))

    @property
    def is_signed(self) -> bool:
        """Whether the value of a cell may be negative."""
        return any(low < 0 for low, _ in self.cells)

    def why_no_room(self, tiles: NDArray[np.int64]) -> str:
        """Return an error message for the first tile that does not fit into this form, or `""`."""
        if self.values and not self.powers_of_two and int(tiles.view("u8").max()) < self.values:
            return ""  # read without a sign, a number below 0 is large
        fits, room = self._fitting(tiles)
        if fits.all():
            return ""
        cell = int(fits.argmin())
        row, column = divmod(cell, tiles.shape[1])
        if self.cells:
            room = "a tile there is between {} and {}".format(*self.cells[cell])
        return f"the tile at row {row + 1}, column {column + 1} is {tiles[row, column]}: {room}"

    def _fitting(self, tiles: NDArray[np.int64]) -> tuple[NDArray[np.bool_], str]:
        """Return whether each tile of a board fits into its cell, and a description of the tiles that fit."""
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
        """Return the function that is compiled under this name: on words if there is one, else on tiles, else None."""
        return getattr(self.words, name) or getattr(self, name)


def is_listed_goal(tiles: NDArray[np.int64], listed_goals: NDArray[np.int64]) -> bool:
    """Return whether a state equals one of the listed goals: the goal test of forms without `is_goal`.

    Args:
        tiles: the state, an array (rows, columns).
        listed_goals: the goals, an array (goals, rows, columns).
    """
    for k in range(len(listed_goals)):
        same = True
        for row in range(tiles.shape[0]):
            for column in range(tiles.shape[1]):
                same &= tiles[row, column] == listed_goals[k, row, column]
        if same:
            return True
    return False


def is_listed_goal_in_place(cells: NDArray[np.int64], place: int, listed_goals: NDArray[np.int64]) -> bool:
    """Return whether a board that is changed in place equals the only listed goal.

    Args:
        cells: the board, an array (rows × columns,).
        place: the place of the board; not used.
        listed_goals: the goal, an array (1, rows, columns).
    """
    columns = listed_goals.shape[2]
    cell = 0
    while cell < len(cells) and cells[cell] == listed_goals[0, cell // columns, cell % columns]:
        cell += 1
    return cell == len(cells)


def trailing_zeros(value: int) -> int:
    """Return the number of zero bits below the lowest one bit of a 64-bit value; 64 for the value 0.

    Compiled code does this in one instruction.

    >>> trailing_zeros(8), trailing_zeros(0)
    (3, 64)
    """
    value = int(value)
    return (value & -value).bit_length() - 1 if value else 64


def one_bits(value: int) -> int:
    """Return the number of one bits in a 64-bit value.

    Compiled code does this in one instruction.

    >>> one_bits(11), one_bits(0)
    (3, 0)
    """
    return (int(value) & 0xFFFFFFFFFFFFFFFF).bit_count()


def _checked_ranges(ranges: Any) -> tuple[tuple[int, int], ...]:
    """Return the ranges of cells as pairs of ints; raise an error for invalid ones."""
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
