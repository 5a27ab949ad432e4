"""Whole numbers in compiled plugin code: int64 that wraps around, for arrays of any type."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import searchlab as sl
from searchlab.compiler.functions import compile_priority
from searchlab.compiler.packing import Packing
from searchlab.search.state_space import CompiledEstimate

PACKING = Packing(3, 3, 9, 4, powers_of_two=False)
BOARDS = [sl.Board(np.roll(np.arange(9), k).reshape(3, 3)) for k in range(0, 9, 2)]
LEAST = -(2**63)
EDGES = [LEAST, LEAST + 1, -(2**62), -13, -1, 0, 1, 7, 64, 2**31, 2**62, 2**63 - 1]
UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
"""The types of the tables of unsigned numbers; that of int64 is `W`."""

operands = st.one_of(
    st.sampled_from(["tiles[0, 1]", "tiles[i, 2]", "x", "y", "W[i]", "W[x & 7]", "F8", "int(F[i])", "T.sum()"]),
    st.builds("{}[{}]".format, st.sampled_from("ABCD"), st.sampled_from(["i", "y & 7", "tiles[1, i]"])),
    st.builds("int({}[{}])".format, st.sampled_from("ABCD"), st.sampled_from(["i", "x & 7"])),
    st.integers(0, len(EDGES) - 1).map("E[{}]".format),
)
terms = st.recursive(
    operands,
    lambda inner: st.one_of(
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*&|^"), inner),
        st.builds("({} {} ({} | 1))".format, inner, st.sampled_from(["//", "%"]), inner),
        st.builds("({} {} ({} & 127))".format, inner, st.sampled_from(["<<", ">>"]), inner),
        st.builds("np.{}({}, {})".format, st.sampled_from(["add", "subtract", "multiply"]), inner, inner),
        st.builds("np.{}({}, {} | 1)".format, st.sampled_from(["remainder", "floor_divide", "fmod"]), inner, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["max", "min"]), inner, inner),
        st.builds("(T {} {})[1, i]".format, st.sampled_from(["+", "*", "-", "^", "<<"]), inner),
        st.builds("({}{})".format, st.sampled_from(["-", "~"]), inner),
        st.builds("abs({})".format, inner),
    ),
    max_leaves=6,
)
FUNCTION = """
def function(tiles):
    T, F8 = tiles * 1, np.full(1, 8)[0]
    x, y = W[tiles[0, 0]], W[tiles[2, 2]]
    for i in range(3):
        x = F8 * 0 + {}
        y += {}
        y {}= x
        T *= x
    x ^= y + T[0, 0]
    return ((x >> 31) ^ x) & 0xFFFFFFFF
"""


def tables(random):
    """Tables of every type; of the unsigned ones the numbers fit in int64."""
    found = {"np": np, "E": np.array(EDGES), "W": np.array([random.choice(EDGES) for _ in range(9)])}
    found["F"] = np.array([random.uniform(-9, 9) for _ in range(9)])
    for name, kind in zip("ABCD", UNSIGNED, strict=True):
        most = min(np.iinfo(kind).max, 2**63 - 1)
        found[name] = np.array([random.choice([0, 1, 7, most, most - 1]) for _ in range(9)], kind)
    return found


def function_of(source, scope):
    scope = dict(scope)
    exec(source, scope)
    return scope["function"]


def compiled(function, boards=BOARDS, **arguments):
    """The values of boards, compiled."""
    states = np.stack([PACKING.pack(board) for board in boards])
    return CompiledEstimate(function, arguments, PACKING).values(states).tolist()


def interpreted(function, boards=BOARDS, **arguments):
    """The values of boards, interpreted, with int64 in place of all unsigned types."""
    with np.errstate(over="ignore"):
        return [float(function(board.tiles, **arguments)) for board in boards]


@pytest.mark.slow
@settings(max_examples=12)
@given(terms, terms, st.sampled_from(["+", "-", "*", "^", "%1 +", "<<"]), st.randoms())
def test_compiled_integers_equal_interpreted_int64(one, other, assigning, random):
    """Of random functions over tiles, tables and their own arrays; what overflows wraps around."""
    assigning = "+" if assigning == "%1 +" else assigning
    source, scope = FUNCTION.format(one, other, assigning), tables(random)
    signed = {name: of.astype(np.int64) if name in "ABCD" else of for name, of in scope.items()} | {"int": np.int64}
    assert compiled(function_of(source, scope)) == interpreted(function_of(source, signed)), source


def tile_hash(tiles):
    product = 1
    for i in range(9):
        product = product * 1000003 + tiles[i // 3, i % 3]
    return product % 13


def shifted(tiles):
    return (tiles[0, 1] * 4611686018427387904) % 1000 + ((tiles[0, 2] << tiles[2, 2] * 10) >> tiles[1, 1] * 20)


@pytest.mark.parametrize("function", [tile_hash, shifted])
def test_overflow_wraps_around_despite_known_tile_ranges(function):
    assert compiled(function) == interpreted(function)


NUMBERS, STEPS = np.array([LEAST, 5, -7, LEAST]), np.array([-1, 2, 3, 0])


@pytest.mark.slow
def test_no_division_by_functions_of_numpy_ends_the_process():
    """The processor refuses to divide the lowest number by -1; by 0 these functions of NumPy give 0."""

    def remainders(tiles):
        a, b = NUMBERS + tiles[0, 0] * 0, STEPS.copy()
        c, d = a.copy(), a.copy()
        c %= b
        d //= b
        quotient, remainder = np.divmod(a, b)
        total = 0
        for found in (np.remainder(a, b), np.mod(a, b), np.fmod(a, b), c, d, quotient, remainder):
            for item in found:
                total = total * 31 + item
        for k in range(len(a)):
            both = np.divmod(a[k], b[k])
            total = total * 31 + np.remainder(a[k], b[k]) + 7 * np.mod(a[k], b[k]) + both[0] + 5 * both[1]
        return (total >> 31) ^ total

    with np.errstate(divide="ignore"):
        assert compiled(remainders) == interpreted(remainders)


def test_the_lowest_number_divided_by_minus_one_is_itself():
    def divided(tiles):
        quotient, remainder = divmod(NUMBERS[0], STEPS[tiles[0, 0] * 0])
        return (NUMBERS[0] // STEPS[0] == quotient) + (quotient == NUMBERS[0]) * 2 + (remainder == 0) * 4

    assert set(compiled(divided)) == {7}


def test_division_by_zero_is_an_error():
    for function in (lambda tiles: 7 // tiles[0, 0], lambda tiles: divmod(7, tiles[0, 0])[0]):
        with pytest.raises(ZeroDivisionError):
            compiled(function)


SMALL = np.array([3, 0, 7, 5, 1, 2, 6, 8, 4], np.uint8)


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNSIGNED)
def test_items_of_all_unsigned_arrays_are_signed(kind):
    """Parameters, globals of the module, arrays that the function makes, and what is computed from such arrays."""
    table = SMALL.astype(kind)

    def offsets(tiles, given):
        made = np.zeros(9, np.uint16)
        made[tiles[0, 0]] = 3
        total = 0
        for row in range(3):
            for column in range(3):
                tile = tiles[row, column]
                total += abs(int(table[tile]) - int(given[row * 3 + column])) + (table[tile] - given[tile - 1]) * 3
                total -= max(made[tile] - table[tile], -made[tile]) * 5
        for item, other in zip(given, table[1:]):  # noqa: B905 - numba has no `strict`
            total = total * 3 - item + min(other, item) - 4
        return total - int(table[:4].sum()) + table[:2].sum() - table.max() * 2 - int(max(given[0], given[1]))

    def with_int64(tiles, given):
        made = np.zeros(9, np.int64)
        made[tiles[0, 0]] = 3
        total = 0
        signed = table.astype(np.int64)
        for row in range(3):
            for column in range(3):
                tile = tiles[row, column]
                total += abs(signed[tile] - given[row * 3 + column]) + (signed[tile] - given[tile - 1]) * 3
                total -= max(made[tile] - signed[tile], -made[tile]) * 5
        for item, other in zip(given, signed[1:], strict=False):
            total = total * 3 - item + min(other, item) - 4
        return total - signed[:4].sum() + signed[:2].sum() - signed.max() * 2 - max(given[0], given[1])

    assert compiled(offsets, given=table) == interpreted(with_int64, given=table.astype(np.int64))


KEYS = np.array([2**63 + 5, 2**64 - 1, 3], np.uint64)


def test_arrays_of_uint64_with_numbers_beyond_int64_stay_unsigned():
    """Keys of a hash are such numbers."""

    def key(tiles):
        found = np.uint64(0)
        for k in range(3):
            found ^= KEYS[k] >> np.uint64(tiles[0, k])
        return found >> np.uint64(40)

    assert compiled(key) == interpreted(key)


def test_priorities_wrap_around():
    def priority(g, h):
        return float(np.remainder(NUMBERS, STEPS)[1]) + g + h

    assert compile_priority(priority, {}).row()
    result = sl.solve(BOARDS[0], domain="sliding-tile", heuristic="taxicab", frontier=sl.Frontier("mine", priority))
    assert result.status == "solved"


HEIGHTS = np.array([9, 8, 7, 6, 5, 4, 3], np.uint8)


def steps(board):
    cell = int(board.tiles[0, 0])
    for action, step in (("back", -1), ("on", 1)):
        if 0 <= cell + step < 6 and int(HEIGHTS[cell + step]) - int(HEIGHTS[cell]) < 1:
            yield action, sl.Board([[cell + step]])


def packed_steps(tiles, out):
    count, cell = 0, tiles[0, 0]
    for step in (-1, 1):
        if 0 <= cell + step < 6 and int(HEIGHTS[cell + step]) - int(HEIGHTS[cell]) < 1:
            out[count, 0, 0] = cell + step
            count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
def test_rules_of_domains_read_unsigned_arrays_as_signed(engine):
    """Compiled as they stand, each step down had a difference beyond 10^19."""
    form = sl.PackedForm(successors=packed_steps, is_goal=lambda tiles: tiles[0, 0] == 4, values=8, max_successors=2)
    domain = sl.Domain("heights", steps, lambda board: board.tiles[0, 0] == 4, packed=lambda board: form)
    result = sl.solve(sl.Board([[1]]), domain=domain, frontier="uniform-cost", engine=engine)
    assert (result.status, result.cost, result.expanded) == ("solved", 3, 3)
