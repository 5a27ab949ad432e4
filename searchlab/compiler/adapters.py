"""Adapters: generated functions that translate between a kernel's uniform signature and a plugin's plain function.

An adapter creates the arrays that a plugin's function takes, with *literal* shapes, which let LLVM unroll loops and
drop bounds checks. Numbers are passed in a block of float64 `params` and arrays in a block of bytes `tables`, large
arrays by address, so the same code serves other values. Strings are written into the source.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from searchlab.binding.bound import can_fill_arguments
from searchlab.compiler.compile_errors import CannotCompile
from searchlab.compiler.dependencies import ITEMS_OPTION, FunctionToCompile, UnsignedItems, without_sign_bit
from searchlab.compiler.global_arrays import LARGE
from searchlab.compiler.intrinsics import (
    address_of_field,
    carray,
    leading_zeros,
    local_words,
    pointer_to,
    prefetch,
    read_only,
    table_at,
    trailing_zeros,
)
from searchlab.model.component import extra_parameters
from searchlab.model.costs import LARGEST_COST
from searchlab.model.instance import StaticArray

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import CodeType

    from numpy.typing import NDArray

    from searchlab.compiler.packing import Packing
    from searchlab.model.packed import PackedForm
    from searchlab.model.strategies import Heuristic

ALIGNMENT = 64
PLUGIN_OPTIONS = {"boundscheck": True, "nogil": True, "_nrt": True}
"""The options of numba for plugin functions."""
ON_TILES = {**PLUGIN_OPTIONS, ITEMS_OPTION: UnsignedItems.SIGNED}
ON_WORDS = {**PLUGIN_OPTIONS, ITEMS_OPTION: UnsignedItems.OF_WORDS}
"""The same for their functions of tiles, and of the words of packed states."""
TOO_MANY = "a successor function returned a number that is below 0 or above max_successors"
TOO_MANY_CHANCES = "a function of chances returned a number that is below 0 or above most_chances"
TOO_MANY_DRAWN = "a function that draws returned something other than 0 or 1"
IS_NAN = " is NaN"
"""The end of the message about a function of a frontier strategy that returned NaN."""
EXACT_IN_FLOAT = 2**53
COSTS_CHECKED = f"""
    for k in range(count):
        if not (costs[k] >= 0.0 and costs[k] <= {LARGEST_COST}):
            raise ValueError('a move of the packed form costs something that is no number from 0 to {LARGEST_COST:g}')
"""


def _no_nan(what: str, value: str) -> str:
    """Return the body of a function that returns a value and raises an error for NaN."""
    checked = f"    if value != value:\n        raise ValueError('{what}{IS_NAN}')\n"
    return f"\n    value = 1.0 * {value}\n{checked}    return value\n"


def supports_incremental(
    heuristic: Heuristic, form: PackedForm, values: Mapping[str, Any], *, in_place: bool = False
) -> bool:
    """Return whether a heuristic can be updated by the moves of a packed form.

    Args:
        in_place: whether the moves are made in place.
    """
    if heuristic.incremental is None or (in_place and not (form.in_place and form.in_place.describe)):
        return False
    starts = heuristic.carry is None or can_fill_arguments(heuristic.carry, 1, values)
    return starts and can_fill_arguments(heuristic.incremental, len(heuristic.updated), form.move, values)


def numbers_in(carried: tuple[Any, ...]) -> list[int]:
    """Return the numbers that a heuristic carries, integers and tuples of them, as a flat list.

    >>> numbers_in((7, (1, 2), ()))
    [7, 1, 2]
    """
    return [one for item in carried for one in (numbers_in(item) if isinstance(item, tuple) else (item,))]


def _places_in(carried: tuple[Any, ...]) -> Iterator[str]:
    """Yield the source of the index of each carried number, in the order of `numbers_in`."""
    for k, item in enumerate(carried):
        yield from (f"[{k}]{place}" for place in (_places_in(item) if isinstance(item, tuple) else ("",)))


def _tuple_source(carried: tuple[Any, ...], numbers: Iterator[int]) -> str:
    """Return the source of a tuple like this one, with its numbers taken from the array `carried` at these indices."""
    items = (_tuple_source(i, numbers) if isinstance(i, tuple) else f"carried[{next(numbers)}]" for i in carried)
    return f"({''.join(f'{item}, ' for item in items)})"


@lru_cache(maxsize=1024)
def parsed(source: str) -> CodeType:
    """Return generated source as code, cached because consecutive searches need the same."""
    return compile(source, "<string>", "exec")


FEW_SUCCESSORS = 256
"""Up to this many, the costs of all are reset at each expansion; with 1024, that made searches a tenth slower."""


def arrays_of_moves(form: PackedForm) -> set[str]:
    """Return which of the arrays `costs` and `terminal` the successor function asks for."""
    asked = {parameter.name for parameter in extra_parameters(form.rule("successors"), 2)}
    return asked & {"costs", "terminal"}


def has_unit_moves(form: PackedForm) -> bool:
    """Return whether every move costs 1 and none ends the game: the successor function writes neither array."""
    return not arrays_of_moves(form)


def has_unit_costs(form: PackedForm) -> bool:
    """Return whether every move costs 1: the successor function writes no costs."""
    return "costs" not in arrays_of_moves(form)


WHOLE, FRACTION = "I(I(-1) & {})", "1.0 * {}"
"""The conversions of h to an integer, which does not compile for other types, and to any number."""
ITEMS = {name: np.dtype(name) for name in ("float64", "uint8", "uint64", "int64")}
STEP_ARGUMENTS = """
    params = pointer_to(s.callees[{params}], float64)
    tables = pointer_to(s.callees[{tables}], uint8)
    words = pointer_to(words_at, uint64)
    parent = pointer_to(parent_at, uint64)
    out, estimates = s.out, s.out_estimates
    tiles, out_tiles = s.tiles, s.out_tiles
    terminal, costs, moves = s.terminal, s.edge_costs, s.moves
    progress = pointer_to(address_of_field(s.control, "successor"), int64)
"""
"""The arguments of a step, from those of `control.step`, for successors that begin at the front of the arrays."""


class Tables(np.ndarray[Any, Any]):
    """The block of bytes `tables`, which contains addresses of arrays.

    Attributes:
        kept: these arrays, which live as long as it does.
    """

    kept: tuple[NDArray[Any], ...] = ()


class Adapter:
    """The source of one adapter, and the argument values of its functions.

    Args:
        packing: the packing of the states it works on; a priority has none.

    Attributes:
        scope: the names that the source uses, and their values.
    """

    def __init__(self, packing: Packing | None = None) -> None:
        self.scope: dict[str, Any] = {
            "I": np.int64,
            "U": np.uint64,
            "carray": carray,
            "read_only": read_only,
            "table_at": table_at,
            "leading_zeros": leading_zeros,
            "trailing_zeros": trailing_zeros,
            "prefetch": prefetch,
            "local_words": local_words,
            "inf": inf,
        }
        self._packing: Packing = packing  # type: ignore[assignment]  # a priority needs none
        self._words = f"read_only(carray(words, ({packing.words},)))" if packing else ""
        self._tiles = f"read_only(carray(tiles, {packing.shape}))" if packing else ""
        self._numbers: list[float] = []
        self._blocks: list[bytes] = []
        self._kept: list[NDArray[Any]] = []

    @property
    def params(self) -> NDArray[np.float64]:
        """The values that are numbers."""
        return np.array([*self._numbers, 0.0])

    @property
    def tables(self) -> NDArray[np.uint8]:
        """The array values as bytes; large arrays by address, and kept alive by this object."""
        tables = np.frombuffer(b"".join([*self._blocks, bytes(ALIGNMENT)]), np.uint8).copy().view(Tables)
        tables.kept = tuple(self._kept)
        return tables

    def estimate(
        self,
        function: Callable[..., Any],
        values: Mapping[str, Any],
        packed: Callable[..., Any] | None = None,
        sign: float = 1.0,
    ) -> str:
        """Return the body that evaluates a heuristic `(tiles, …)`, or its packed form `(words, …)`, times `sign`."""
        unpacking, value = self._call_on_state("estimate", function, packed, values)
        return f"{unpacking}    return {sign} * {value}\n"

    def is_goal(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the body that tests a state for being a goal."""
        return f"{self._goal_test(form, values)}    return found\n"

    def _goal_test(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the lines that set `found`."""
        unpacking, test = self._call_on_state("is_goal", form.is_goal, form.words.is_goal, values)
        return f"{unpacking}    found = bool({test})\n"

    def _call_on_state(
        self,
        name: str,
        function: Callable[..., Any] | None,
        packed: Callable[..., Any] | None,
        values: Mapping[str, Any],
    ) -> tuple[str, str]:
        """Return the lines that unpack the state if necessary, and a call of a function of tiles or words."""
        if packed:
            return "\n", self.call(name, packed, values, [self._words], options=ON_WORDS)
        assert function is not None
        return self._packing.unpacking_source(), self.call(name, function, values, [self._tiles])

    def successors(
        self, form: PackedForm, values: Mapping[str, Any], *, earns: bool = False, chooses: bool = False
    ) -> str:
        """Return the body that writes the packed successors of a state and sets `count`.

        Args:
            earns: whether it also writes the points each move earns, to `points`.
            chooses: whether it writes only the states whose item of `chosen` is not 0.
        """
        most = form.max_successors
        arrays = {
            "points": f"carray(points, ({most},))" if earns else "None",
            "chosen": f"read_only(carray(chosen, ({most},)))" if chooses else "None",
            "terminal": f"carray(terminal, ({most},))",
            "costs": f"carray(costs, ({most},))",
            "moves": f"carray(moves, ({most}, {max(1, len(form.move))}))",
        }
        written = self._written(
            "successors", (form.successors, form.words.successors), values, most, [], TOO_MANY, arrays, chooses=chooses
        )
        if has_unit_moves(form):
            return written
        resets, end = "\n", ""
        if "terminal" in arrays_of_moves(form):
            resets += f"    for k in range({most}):\n        terminal[k] = 0\n"
        if "costs" in arrays_of_moves(form) and most <= FEW_SUCCESSORS:
            resets += f"    for k in range({most}):\n        costs[k] = 1.0\n"
        elif "costs" in arrays_of_moves(form):
            # Only a few of them are written: a cost below 0 marks the end of what the last call wrote here.
            resets += f"    for k in range({most}):\n        is_last = costs[k] < 0.0\n        costs[k] = 1.0\n"
            resets += "        if is_last:\n            break\n"
            end = f"    if count < {most}:\n        costs[count] = -1.0\n"
        return f"{resets}{written}{COSTS_CHECKED}{end}"

    def chances(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the body that writes the packed states after each chance event and sets `count`."""
        most = form.most_chances
        probabilities = f"carray(probabilities, ({most},))"
        return self._written(
            "chances", (form.chances, form.words.chances), values, most, [probabilities], TOO_MANY_CHANCES
        )

    def draws(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the body that draws an event with `random`, writes the state after it and sets `count` to 0 or 1."""
        return self._written(
            "draws", (form.draws, form.words.draws), values, 1, ["carray(random, (4,))"], TOO_MANY_DRAWN
        )

    def outgrown(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the body that tests whether a state needs another form."""
        if form.words.outgrown is None:
            return "\n    return False\n"
        called = self.call("outgrown", form.words.outgrown, values, [self._words], options=ON_WORDS)
        return f"\n    return bool({called})\n"

    def legal_moves(self, form: PackedForm, values: Mapping[str, Any]) -> str:
        """Return the body that returns the legal actions as bits, negative if the form cannot tell."""
        if form.words.legal is None:
            return "\n    return I(-1)\n"
        return f"\n    return I({self.call('legal', form.words.legal, values, [self._words], options=ON_WORDS)})\n"

    def _written(
        self,
        name: str,
        forms: tuple[Callable[..., int] | None, Callable[..., int] | None],
        values: Mapping[str, Any],
        most: int,
        further: list[str],
        too_many: str,
        arrays: Mapping[str, str] | None = None,
        *,
        chooses: bool = False,
    ) -> str:
        """Return the body that calls a function that writes states and sets `count` to their number.

        Args:
            forms: the function of tiles, and the function of words, which is preferred.
            most: the largest number of states it may write.
            further: the source of its arguments after the state and the written states.
        """
        packing, (on_tiles, on_words) = self._packing, forms
        # Nothing else prevents the kernel from reading this number of states.
        fits = f"    if count < 0 or count > {most}:\n        raise ValueError({too_many!r})\n"
        if on_words:
            subjects = [self._words, f"carray(out, ({most}, {packing.words}))"]
            written = self.call(name, on_words, values, [*subjects, *further], arrays, options=ON_WORDS)
            return f"\n    count = I({written})\n{fits}{packing.checking_source(most)}"
        assert on_tiles is not None
        subjects = [self._tiles, f"carray(out_tiles, ({most}, {packing.rows}, {packing.columns}))"]
        produced = self.call(name, on_tiles, values, [*subjects, *further], arrays)
        packed = packing.packing_source(skips="chosen[k] == 0" if chooses else "")
        return f"{packing.unpacking_source()}    count = I({produced})\n{fits}{packed}"

    def step(
        self,
        form: PackedForm,
        values: Mapping[str, Any],
        heuristic: Heuristic | None,
        heuristic_values: Mapping[str, Any],
        *,
        whole: bool = False,
    ) -> str:
        """Return the body that tests for a goal, expands and evaluates: one call a node instead of three or more.

        It returns -1 for a goal, else the number of successors at the front of `out`, without the parent, and their
        `estimates`.

        Args:
            whole: whether h must be an integer; other types do not compile.
        """
        words, plain = self._packing.words, has_unit_moves(form)
        kept_moves = "        costs[kept] = costs[k]\n        terminal[kept] = terminal[k]\n"
        test = self._goal_test(form, values)
        kept = "".join(f"        out[kept * {words} + {w}] = out[k * {words} + {w}]\n" for w in range(min(words, 8)))
        if words > 8:
            kept = f"        for w in range({words}):\n            out[kept * {words} + w] = out[k * {words} + w]\n"
        # Where h of a successor costs little, it is computed for the parent, too, which the next one then overwrites:
        # no branch is mispredicted because it is not known which one the parent is.
        skipped = heuristic is not None and not supports_incremental(heuristic, form, heuristic_values)
        return (
            f"{test}    if found:\n        return -1\n{self.successors(form, values)}"
            f"{self._carried(form, heuristic, heuristic_values)}"
            f"    kept = 0\n"
            f"    for k in range(count):\n"
            f"        same = has_parent != 0\n"
            f"        for w in range({words}):\n"
            f"            same &= out[k * {words} + w] == parent[w]\n"
            f"{'' if plain else '        same &= terminal[k] == 0' + chr(10)}"
            f"{'        if same:' + chr(10) + '            continue' + chr(10) if skipped else ''}"
            f"        progress[0] = k\n"
            f"{self._value_of_successor(form, heuristic, heuristic_values, whole=whole)}"
            f"{kept}"
            f"{'' if plain else kept_moves}"
            f"        kept += 1{'' if skipped else ' - I(same)'}\n"
            f"    return kept\n"
        )

    def _value_of_successor(
        self, form: PackedForm, heuristic: Heuristic | None, values: Mapping[str, Any], *, whole: bool
    ) -> str:
        """Return the lines that set `estimates[kept]` to h of the k-th successor."""
        packing, most = self._packing, form.max_successors
        if heuristic is None:
            return "        estimates[kept] = 0\n"
        assert heuristic.function is not None
        unpacking = ""
        if supports_incremental(heuristic, form, values):
            value = self._updated(form, heuristic, values)
        elif heuristic.packed and can_fill_arguments(heuristic.packed, 1, values):
            successor = f"read_only(carray(out, ({most}, {packing.words})))[k]"
            value = self.call("estimate", heuristic.packed, values, [successor], options=ON_WORDS)
        elif not form.words.successors:  # the tiles of the successors are still there
            successor = f"read_only(carray(out_tiles, ({most}, {packing.rows}, {packing.columns})))[k]"
            value = self.call("estimate", heuristic.function, values, [successor])
        else:
            lines = packing.unpacking_source(f"out[k * {packing.words} + word]").splitlines()
            unpacking = "".join(f"    {line}\n" for line in lines if line.strip())
            value = self.call("estimate", heuristic.function, values, [self._tiles])
        return f"{unpacking}        estimates[kept] = {(WHOLE if whole else FRACTION).format(value)}\n"

    def select(
        self,
        form: PackedForm,
        values: Mapping[str, Any],
        heuristic: Heuristic | None,
        heuristic_values: Mapping[str, Any],
    ) -> str:
        """Return the body that evaluates all successors of a state, and then writes those with an f from low to high.

        It returns the number of successors, and marks those that it wrote in `chosen`. One whose value is NaN is
        written, too, as the error shows its board.
        """
        sign = -1.0 if heuristic and heuristic.prefer == "high" else 1.0
        value = self._updated(form, heuristic, heuristic_values) if heuristic else "0.0"
        written = self.successors(form, values, chooses=True)
        return (
            f"\n    for k in range({form.max_successors}):\n"
            f"        chosen[k] = 0\n"
            f"{written}"
            f"{self._carried(form, heuristic, heuristic_values)}"
            f"    for k in range(count):\n"
            f"        estimates[k] = {FRACTION.format(value)}\n"
            f"        f = g + costs[k] + {sign} * estimates[k]\n"
            f"        chosen[k] = f != f or (low <= f and f <= high and f < inf)\n"
            f"{written}"
            f"    return count\n"
        )

    def update(self, form: PackedForm, heuristic: Heuristic, values: Mapping[str, Any]) -> str:
        """Return the body that computes h of the k-th successor from h of the expanded state."""
        return f"\n    return {FRACTION.format(self._updated(form, heuristic, values))}\n"

    def _updated(self, form: PackedForm, heuristic: Heuristic, values: Mapping[str, Any]) -> str:
        """Return the source of h of the k-th successor, computed from h of the expanded state."""
        assert heuristic.incremental is not None
        fields = {name: f"moves[k * {len(form.move)} + {at}]" for at, name in enumerate(form.move)}
        value = self.call("incremental", heuristic.incremental, values, list(heuristic.updated), fields)
        return f"{value}[0]" if heuristic.carry else value

    def _carried(self, form: PackedForm, heuristic: Heuristic | None, values: Mapping[str, Any]) -> str:
        """Return the lines that set `carried` to the numbers a heuristic keeps beside h, if it is updated by moves.

        They are recomputed from each expanded state: a node has no room for them, and all its successors share the
        work.
        """
        if heuristic is None or heuristic.carry is None or not supports_incremental(heuristic, form, values):
            return ""
        unpacking = self._packing.unpacking_source() if form.words.successors else ""
        return f"{unpacking}    carried = {self.call('carry', heuristic.carry, values, [self._tiles])}\n"

    def replacing(self, stand_in: Callable[..., Any], body: str, *, inlined: bool = True) -> FunctionToCompile:
        """Return a function with this body, to take the place of a kernel's function with the same parameters."""
        code, name = stand_in.__code__, stand_in.__name__
        exec(parsed(f"def {name}({', '.join(code.co_varnames[: code.co_argcount])}):{body}"), self.scope)
        return FunctionToCompile(self.scope.pop(name), {**PLUGIN_OPTIONS, "forceinline": inlined})

    def inlined_step(
        self,
        stand_in: Callable[..., Any],
        row: int,
        form: PackedForm,
        values: Mapping[str, Any],
        heuristic: Heuristic | None,
        heuristic_values: Mapping[str, Any],
        *,
        whole: bool,
    ) -> FunctionToCompile:
        """Return the function `control.step` with the body of `step` inlined instead of called by address.

        Args:
            stand_in: `control.step`.
            row: the row of `callees` with the addresses of the parameter values.
            whole: whether h must be an integer, before a move and after it; other types do not compile.
        """
        body = self.step(form, values, heuristic, heuristic_values, whole=whole)
        self.scope.update(address_of_field=address_of_field, pointer_to=pointer_to, **ITEMS)
        return self.replacing(stand_in, STEP_ARGUMENTS.format(params=3 * row + 1, tables=3 * row + 2) + body)

    def in_place(
        self,
        form: PackedForm,
        values: Mapping[str, Any],
        heuristic: Heuristic | None,
        heuristic_values: Mapping[str, Any],
        *,
        whole: bool,
        incremental: bool,
        carried: tuple[Any, ...],
    ) -> dict[str, str]:
        """Return the bodies, by name, of the functions that `kernels/in_place.py` is compiled with.

        Args:
            whole: whether h must be an integer; other types do not compile.
            incremental: whether h is computed from its value before the move.
            carried: the numbers kept beside h, for any board.
        """
        rules, packing = form.in_place, self._packing
        assert rules is not None
        cells = f"carray(cells, ({packing.cells},))"
        move = [f"read_only({cells})", "place", "to"]
        grid = f"read_only(carray(tiles, {packing.shape}))"
        returned = WHOLE if whole else FRACTION
        bodies = {
            "make": f"\n    {self.call('rule', rules.make, values, [cells, 'place', 'to'])}\n",
            "is_goal": f"\n    return bool({self.call('goal', rules.is_goal, values, move[:2])})\n",
        }
        if heuristic is None:
            bodies["follow"] = "\n    return h\n"
        elif incremental:
            assert rules.describe is not None
            assert heuristic.incremental is not None
            fields = {name: f"described[{at}]" for at, name in enumerate(form.move)}
            before = [_tuple_source(carried, iter(range(len(numbers_in(carried)))))] * bool(carried)
            value = self.call("incremental", heuristic.incremental, heuristic_values, ["h", *before], fields)
            described = f"\n    described = {self.call('describe', rules.describe, values, move)}\n"
            bodies["follow"] = described + self._followed(value, returned, carried)
        else:
            assert heuristic.function is not None
            value = self.call("estimate", heuristic.function, heuristic_values, [grid])
            bodies["evaluate"] = f"{packing.masking_source()}    return {returned.format(value)}\n"
        return bodies

    @staticmethod
    def _followed(value: str, returned: str, carried: tuple[Any, ...]) -> str:
        """Return the lines that return h after a move, and write the carried numbers."""
        if not carried:
            return f"    return {returned.format(value)}\n"
        places = enumerate(_places_in(carried))
        written = "".join(f"    after[{k}] = I(0) | numbers{place}\n" for k, place in places)
        return f"    updated = {value}\n    numbers = updated[1]\n{written}    return {returned.format('updated[0]')}\n"

    def priority(self, function: Callable[..., Any], values: Mapping[str, Any]) -> str:
        """Return the body that computes a priority `(g, h, …)`."""
        return _no_nan("the priority", self.call("priority", function, values, ["g", "h"]))

    def key(
        self,
        function: Callable[..., Any] | None,
        places: Mapping[str, int | tuple[int, ...]],
        values: Mapping[str, Any],
        what: str = "the priority",
    ) -> str:
        """Return the body that computes the priority of a queue from a node's values, or another number.

        Args:
            function: the priority, None for g + h, the first two of the values.
            places: where among the values its arguments are; several places for a tuple.
            values: its other arguments.
            what: what it computes, for messages.
        """
        if function is None:
            return "\n    return values[0] + values[1]\n"
        given = {
            name: f"({', '.join(f'values[{k}]' for k in at)},)" if isinstance(at, tuple) else f"values[{at}]"
            for name, at in places.items()
        }
        return _no_nan(what, self.call("priority", function, values, [], given))

    def call(
        self,
        name: str,
        function: Callable[..., Any],
        values: Mapping[str, Any],
        subjects: list[str],
        arrays: Mapping[str, str] | None = None,
        *,
        options: dict[str, Any] = ON_TILES,
    ) -> str:
        """Return the source of a call of a plugin's function, which gets this name in the scope.

        Args:
            subjects: the source of its first arguments.
            arrays: the source of the arguments that the kernel provides, by name.
            values: the values of the other arguments, by name.
        """
        plain = getattr(function, "py_func", function)
        # Inlined, so that the shape of the board is known where the function loops over it: that of a plain Manhattan
        # distance is a quarter as long, faster, and sooner compiled.
        self.scope[name] = FunctionToCompile(plain, options, is_inlined=True)
        arguments = list(subjects)
        for parameter in extra_parameters(function, len(subjects)):
            if arrays and parameter.name in arrays:
                arguments.append(arrays[parameter.name])
            else:
                value = values.get(parameter.name, parameter.default)
                if options is ON_TILES and isinstance(value, np.ndarray):
                    value = without_sign_bit(value)
                arguments.append(self.value(getattr(function, "__name__", name), parameter.name, value))
        return f"{name}({', '.join(arguments)})"

    def pointer(self, array: NDArray[Any]) -> str:
        """Return the source of a pointer to a contiguous array that is not copied; `tables` keeps it alive."""
        self._kept.append(array)
        address = self.value("pointer", "address", np.array([array.ctypes.data], np.uint64))
        self.scope.update({"pointer_to": pointer_to, array.dtype.name: array.dtype.type})
        return f"pointer_to({address}[0], {array.dtype.name})"

    def value(self, function: str, name: str, value: Any) -> str:
        """Return the source of a value, which is added to params or tables if it is a number or an array."""
        if isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, StaticArray):
            sides = ", ".join(self.value(function, name, side) for side in value.shape)
            return f"read_only(carray({self.pointer(value)}, ({sides},)))"
        if isinstance(value, np.ndarray) and value.nbytes > LARGE:
            return f"read_only(carray({self.pointer(np.ascontiguousarray(value))}, {value.shape}))"
        if isinstance(value, np.ndarray):
            offset = sum(map(len, self._blocks))
            content = np.ascontiguousarray(value).tobytes()
            self._blocks.append(content + bytes(-len(content) % ALIGNMENT))
            self.scope[value.dtype.name] = value.dtype.type
            return f"read_only(carray(table_at(tables, {offset}, {value.dtype.name}), {value.shape}))"
        if isinstance(value, str) or (isinstance(value, int) and abs(value) > EXACT_IN_FLOAT):
            return repr(value)
        if isinstance(value, bool | int | float | np.longdouble):  # which is its own item
            self._numbers.append(float(value))
            at = f"params[{len(self._numbers) - 1}]"
            if isinstance(value, bool):
                return f"({at} != 0.0)"
            return f"I({at})" if isinstance(value, int) else at
        kind = type(value).__name__
        msg = f"{function} cannot be compiled: its parameter {name} is a {kind}; compiled are numbers, texts and arrays"
        raise CannotCompile(msg)
