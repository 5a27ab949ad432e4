"""Plain Python functions of plugins run compiled, as documented."""

import math

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler import cache, numba_private
from searchlab.compiler.arrays import Arrays, Pointer, addresses, allocate, array
from searchlab.compiler.functions import CannotCompile, compile_estimate, compile_kernel
from searchlab.compiler.intrinsics import address_of
from searchlab.compiler.packing import Packing
from searchlab.compiler.signatures import call_estimate

BOARD = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
SCALE = 3
ROWS = [0, 1, 2]
SETTINGS = {"scale": 3}
WEIGHTS = np.arange(9.0).reshape(3, 3)


class OneBoard(Arrays):
    """The arrays of a kernel that evaluates one board."""

    callees: Pointer = array(np.uint64, 1, 3)
    words: Pointer = array(np.uint64, "width")
    tiles: Pointer = array(np.int64, 9)
    out: Pointer = array(np.float64, 1)


def one_estimate(s: OneBoard) -> int:
    """A kernel that asks for the value of one board."""
    s.out[0] = call_estimate(s.callees, 0, (address_of(s.words, 0), address_of(s.tiles, 0)))
    return 0


def compiled_value(function, **values):
    packing = Packing(3, 3, 9, 4, powers_of_two=False)
    callee = compile_estimate(function, values, packing)
    s = allocate(OneBoard, {}, callees=np.array([callee.row()], np.uint64), words=packing.pack(BOARD))
    compile_kernel(one_estimate, OneBoard)(*addresses(s))
    return s.out[0]


def helper(x):
    return SCALE * x


def with_everything(tiles, corner=-1.0, steps=2, doubled=False, mode="sum", weights=WEIGHTS):
    score = 0.0
    for row in ROWS:
        for column in range(tiles.shape[1]):
            score += tiles[row, column] * weights[row, column]
    if mode == "sum":
        score += helper(tiles[0, 0])
    if doubled:
        score *= 2
    return score + corner * tiles[2, 2] + steps


@pytest.mark.slow
@pytest.mark.parametrize(
    "values",
    [
        {},
        {"corner": 0.25},
        {"steps": -7},
        {"doubled": True},
        {"mode": "other"},
        {"weights": np.full((3, 3), 0.5)},
        {"steps": 2**60 + 2**20},
        {"steps": np.int64(2**60 + 2**20)},
        {"steps": np.uint64(7)},
        {"doubled": np.True_},
        {"mode": np.str_("sum"), "corner": np.float32(0.1)},
        {"corner": np.longdouble(0.5)},
    ],
)
def test_every_kind_of_parameter_reaches_compiled_code(values):
    """Floats, whole numbers of any size, yes or no, texts and arrays have the values they were given, NumPy's, too."""
    assert compiled_value(with_everything, **values) == with_everything(BOARD.tiles, **values)


def test_numbers_of_numpy_are_passed_to_the_last_bit():
    """Beyond 2^53, where floating-point numbers have no room for them."""
    large = 2**60 + 1
    for kind in (int, np.int64, np.uint64):
        assert compiled_value(lambda tiles, bits: bits & 1, bits=kind(large)) == 1


def numpy_style(tiles):
    return (tiles * 2).sum() + tiles[:, 0].max() + np.abs(tiles - 4).min()


def counting_loop(tiles):
    total = 0
    for row in tiles:
        for tile in row:
            total += tile if tile % 2 else -tile
    return total


def of_len(tiles):
    return len(tiles) + math.sqrt(tiles[0, 0])


def truth(tiles):
    return tiles[0, 0] > 3


@pytest.mark.slow
@pytest.mark.parametrize("function", [numpy_style, counting_loop, of_len, truth])
def test_plain_python_and_numpy_compile(function):
    """What people write for an array runs compiled with the same value, a truth value counting as 0 or 1."""
    assert compiled_value(function) == function(BOARD.tiles)


def beyond(tiles):
    return tiles[3, 0]


def divides(tiles):
    return 1 // tiles[1, 1]


def distances(tiles):
    total = 0
    for row in range(tiles.shape[0]):
        for column in range(tiles.shape[1]):
            if tiles[row, column]:
                total += abs(row - tiles[row, column] // tiles.shape[1])
    return total


@pytest.mark.shortcuts
def test_a_loop_over_the_board_is_compiled_for_its_shape(tmp_path, monkeypatch):
    """For any shape it would be 12 KB long, with divisions, and slower."""
    monkeypatch.setattr(cache, "_folder", lambda: tmp_path)
    assert compiled_value(distances) == 5.0
    (file,) = tmp_path.glob("distances-*")
    assert file.stat().st_size < 4096


def test_bounds_are_always_checked():
    """An index beyond the board is an error, never silent garbage."""
    with pytest.raises(IndexError):
        compiled_value(beyond)


def test_exceptions_reach_python():
    """An exception raised in compiled code has its own type."""
    with pytest.raises(ZeroDivisionError):
        compiled_value(divides)


def test_a_missing_private_reader_of_exceptions_is_an_error(monkeypatch):
    monkeypatch.setitem(numba_private.PARTS, "loads", "numba.core.gone")
    monkeypatch.delitem(vars(numba_private), "loads", raising=False)
    with pytest.raises(
        SystemError, match=r"raised an exception, and this version of numba has no numba\.core\.gone\.loads"
    ):
        compiled_value(divides)


def of_a_dict(tiles):
    return SETTINGS.get("scale")


def without_value(tiles):
    tiles.sum()


def sums_of_columns(tiles):
    return tiles.sum(axis=0)


def unknown_method(tiles):
    return tiles.average()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (of_a_dict, "of_a_dict cannot be compiled: it uses SETTINGS, a dict"),
        (without_value, "without_value cannot be compiled: what it returns is not always a number"),
        (
            sums_of_columns,
            "sums_of_columns .*: what it returns is not always a number .*; end every",
        ),
        (
            unknown_method,
            r"unknown_method .*: an array has no average in compiled code \(line \d+ of test_functions.py\)",
        ),
    ],
)
def test_uncompilable_functions_give_a_reason(function, reason):
    """One line names the function, the reason and the line."""
    with pytest.raises(CannotCompile, match=reason) as raised:
        compiled_value(function)
    assert "\n" not in str(raised.value)


def test_a_search_with_an_uncompilable_heuristic_is_interpreted_with_a_warning():
    """The search falls back to the readable driver and gives the same result."""
    arguments = {"domain": "sliding-tile", "heuristic": of_a_dict, "frontier": "ida-star"}
    with pytest.warns(sl.SearchlabWarning, match="SETTINGS, a dict.*interpreted"):
        result = sl.solve(BOARD, limits=sl.Limits(expansions=20), **arguments)
    assert (result.engine, result.expanded) == ("readable", 20)


def test_the_compiled_engine_refuses_functions_that_cannot_be_compiled():
    """With engine="compiled" a function that cannot be compiled is an error."""
    with pytest.raises(sl.UsageError, match="SETTINGS"):
        sl.solve(BOARD, domain="sliding-tile", heuristic=of_a_dict, frontier="ida-star", engine="compiled")


def fails_later(tiles):
    return 1 // abs(tiles[1, 1] - 1)


def not_a_number_later(tiles):
    if tiles[1, 1] == 1:
        return math.nan
    return 1.0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["astar", "ida-star", "greedy"])
def test_an_exception_ends_the_run_with_the_board(engine, frontier):
    """The status is `error`, the reason names exception, file, line and the board, and the figures are kept."""
    result = sl.solve(BOARD, domain="sliding-tile", heuristic=fails_later, frontier=frontier, engine=engine)
    line = fails_later.__code__.co_firstlineno + 1
    first, *board = result.reason.split("\n")
    assert result.status == "error"
    assert first.startswith("heuristic fails_later: FloatingPointError: divide by zero")
    assert f"test_functions.py, line {line}" in first
    assert sl.Board.parse("\n".join(board)).tile_at(1, 1) == 1
    assert result.expanded > 0


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["compiled", "readable"])
@pytest.mark.parametrize("frontier", ["astar", "ida-star"])
def test_nan_ends_the_run_with_the_board(engine, frontier):
    """NaN is no estimate: the run ends with `error` and shows the board."""
    result = sl.solve(BOARD, domain="sliding-tile", heuristic=not_a_number_later, frontier=frontier, engine=engine)
    first, *board = result.reason.split("\n")
    assert (result.status, first) == ("error", "heuristic not_a_number_later returned NaN, which is not an estimate")
    assert sl.Board.parse("\n".join(board)).tile_at(1, 1) == 1


def falls(row, i):
    if i + 1 >= len(row):
        return 0
    return (row[i] > row[i + 1]) + falls(row, i + 1)


def is_even(number):
    return True if number == 0 else is_odd(number - 1)


def is_odd(number):
    return False if number == 0 else is_even(number - 1)


def longest(row, i=0, best=0):
    return best if i == len(row) else longest(row, i + 1, max(best, row[i]))


@pytest.mark.slow
def test_helpers_may_call_themselves_and_each_other():
    """Beginning with a constant number, for which numba compiles them once more, with a variable, and by default."""

    def recursive(tiles):
        total = longest(tiles[0])
        for row in range(3):
            total = 10 * total + falls(tiles[row], 0) + falls(tiles[row], row)
        return total + 100_000 * is_even(4) + 200_000 * is_odd(tiles[0, 0])

    assert compiled_value(recursive) == recursive(BOARD.tiles)
