"""Why a function cannot be compiled: the line, a reason in plain words, and a remedy."""

import functools
import itertools
import operator
import random
import time

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler.compile_errors import obstacle
from searchlab.compiler.functions import CannotCompile
from searchlab.search.state_space import CompiledEstimate, wide_packing

PACKING = wide_packing(sl.Board([[1, 2], [3, 0]]))
WEIGHTS = {2: [1.0]}
ODD = {1, 3}
NESTED = {0: {1: 2}}
KEPT: dict[int, float] = {1: 2.0}
GIVEN = {1: 2.0}
WORTH = {1: 2.0}
KINDS = {GIVEN[1]: GIVEN}
CALLS = 0


class Scale:
    factor = 2


SCALE = Scale()


@functools.lru_cache
def kept(tile):
    return tile


def of_a_dict(tiles):
    return WEIGHTS[2]  # here


def in_a_helper(tiles):
    return of_a_dict(tiles)


def of_a_set(tiles):
    return 1 if ODD else 0  # here


def of_dicts(tiles):
    return NESTED[0][1]  # here


def keeps(tiles):
    if 7 not in KEPT:  # here
        KEPT[7] = 2.0
    return KEPT[7]


def gives(tiles):
    return GIVEN[1]  # here


def gets_none(tiles):
    return WORTH.get(tiles[0, 0])  # here


def looks_up_a_fraction(tiles):
    return WORTH[tiles[0, 0] / 2]  # here


def with_a_key(tiles):
    return min(tiles[0], key=abs)  # here


def with_map(tiles):
    return sum(map(lambda tile: tile % 3, tiles[0]))  # noqa: C417 # here


def set_comprehension(tiles):
    return len({tile // 2 for tile in tiles[0]})  # here


def counts_inside(tiles):  # here
    def count(place):
        return 0 if place == 4 else tiles[0, 0] + count(place + 1)

    return count(0)


def of_an_object(tiles):
    return SCALE.factor * tiles[0, 0]  # here


def of_a_class(tiles):
    total = 0
    for row, column in itertools.product(range(2), range(2)):  # here
        total += tiles[row, column]
    return total


def of_a_cache(tiles):
    return kept(tiles[0, 0])  # here


def generator_expression(tiles):
    return sorted(tile for tile in tiles.ravel())[0]  # here


def in_the_helper(tiles):
    return sorted((tile for tile in tiles.ravel()), key=abs)[0]  # here


def asks_a_helper(tiles):
    return in_the_helper(tiles)


def average(tiles):
    return tiles.average()  # here


def asks_another(tiles):
    return 1 + average(tiles)


def asks_all(tiles):
    found = [tile > 0 for tile in tiles.ravel()]
    return 1 if all(found) else 0  # here


def masked(tiles):
    return tiles[tiles > 2].sum()  # here


def masks(tiles):
    tiles = tiles.copy()
    tiles[tiles == 0] = 9  # here
    return tiles.sum()


def gets(tiles):
    found = {}
    for tile in tiles.ravel():
        found[tile] = found.get(tile, 0) + 1  # here
    return len(found)


def makes_an_object(tiles):
    return Scale().factor  # here


def generator(tiles):
    yield 1  # here


def catches(tiles):
    try:
        return 1 / tiles[0, 0]
    except ZeroDivisionError:  # here
        return 0.0


def with_a_file(tiles):
    with open("x"):  # here
        return 1


def imports(tiles):
    import math  # here

    return math.sqrt(4)


def counts(tiles):
    global CALLS
    CALLS += 1  # here
    return CALLS


def clock(tiles):
    return time.time()  # here


def draws(tiles):
    return np.random.default_rng().random()  # here


def unknown_numpy(tiles):
    return np.apply_along_axis(np.sum, 0, tiles).sum()  # here


def with_an_axis(tiles):
    return tiles.max(axis=0).sum()  # here


def as_list(tiles):
    return tiles.tolist()[0][0]  # here


def unknown_method(tiles):
    return tiles.average()  # here


def two_types(tiles):
    x = 0
    if tiles[0, 0] > 1:
        x = "a"
    return 1 if x == 0 else 0  # here


def mixed(tiles):
    total = 0
    for _ in (1, "a", 2.0):  # here
        total += 1
    return total


def empty(tiles):
    found = []  # here
    return len(found)


def misspelt(tiles):
    return scor  # noqa: F821 # here


def endless(tiles):
    return endless(tiles)


def no_value(tiles):  # here
    tiles.sum()


def three_indices(tiles):
    return tiles[0, 0, 0]  # here


CASES = {
    of_a_dict: ("it uses WEIGHTS, a dict whose values are not numbers", "a tuple of numbers"),
    in_a_helper: ("it uses WEIGHTS, a dict whose values are not numbers", "a tuple of numbers"),
    of_a_set: ("it uses ODD, a set, for more than key in ODD", "these alone"),
    of_dicts: ("it uses NESTED, a dict of dicts", "D[row, column] in place of D[row][column]"),
    keeps: ("it uses KEPT, a dict that line", "leave it as it is"),
    gives: ("hands to other code, which may change it", "dict(GIVEN)"),
    gets_none: ("get and no default", "write `WORTH.get(tiles[0, 0], 0)`"),
    looks_up_a_fraction: ("a key or a default of another kind", "D[int(x)]"),
    with_a_key: ("min with key=", "a loop that keeps the best"),
    with_map: ("sum of map", "write `return sum(tile % 3 for tile in tiles[0])`"),
    set_comprehension: ("a set comprehension", "write `return len(set([tile // 2 for tile in tiles[0]]))`"),
    counts_inside: ("a function inside the function that calls itself", "def count(tiles, place)"),
    of_an_object: ("it uses SCALE, an object (Scale)", "as plain functions"),
    of_a_class: ("it uses itertools.product", "loops in place of what itertools makes"),
    of_a_cache: ("it uses kept", "take @cache off"),
    generator_expression: (
        "a generator expression outside sum",
        "`return sorted([tile for tile in tiles.ravel()])[0]`",
    ),
    asks_a_helper: ("a generator expression", "a loop that keeps the best"),
    asks_another: ("an array has no average", "np.average"),
    asks_all: ("all(…), which compiled code does not have", "a loop"),
    masked: ("a mask of more than one dimension", "flatten first"),
    masks: ("a mask of more than one dimension", "flatten first"),
    gets: ("a dictionary", "`counts[key] += 1`"),
    makes_an_object: ("it uses Scale, an object (type)", "methods as functions"),
    generator: ("it uses yield", "return one number"),
    catches: ("try … except", "ask first"),
    with_a_file: ("a with statement", "read files when the module is imported"),
    imports: ("an import inside the function", "top of the file"),
    counts: ("it assigns to a global variable", "keep nothing between calls"),
    clock: ("it reads the clock", "take it out"),
    draws: ("it draws random numbers", "take it out"),
    unknown_numpy: ("numpy.apply_along_axis, which compiled code does not have", "loop over rows"),
    with_an_axis: ("max with these arguments", "no axis="),
    as_list: ("tolist()", "write `return tiles[0][0]`"),
    unknown_method: ("an array has no average", "np.average"),
    two_types: ("the variable x is now one type and now another (a whole number, a text)", "one type of value"),
    mixed: ("a list or tuple of mixed types", "values of one type"),
    empty: ("the list found stays empty", "np.zeros(n)"),
    misspelt: ("scor is not defined", "mend its spelling"),
    no_value: ("what it returns is not always a number", "return and a number"),
    three_indices: ("an index that does not fit", "tiles[row, column]"),
}


@pytest.mark.slow
@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_obstacles_to_compiling_are_explained(function):
    """The message gives the line in the author's file, a reason in plain words, and a remedy."""
    with pytest.raises(CannotCompile) as raised:
        CompiledEstimate(function, {}, PACKING)
    found = obstacle(raised.value, function)
    what, instead = CASES[function]
    assert what in found.what
    assert instead in found.instead
    assert found.file == __file__
    assert found.source.endswith("# here")
    assert str(found).startswith(f"line {found.line}, `{found.source}`: ")
    assert what in str(raised.value)
    assert f"(line {found.line} of test_compile_errors.py); {found.instead}" in str(raised.value)


def test_recursion_without_an_end():
    """A function that only calls itself."""
    with pytest.raises(CannotCompile) as raised:
        CompiledEstimate(endless, {}, PACKING)
    assert "calls itself" in obstacle(raised.value, endless).what


def test_objects_other_than_python_functions_are_explained():
    """There is no line to name, and the reason stays as it was said."""
    with pytest.raises(CannotCompile) as raised:
        CompiledEstimate(operator.itemgetter((0, 0)), {}, PACKING)
    found = obstacle(raised.value, operator.itemgetter((0, 0)))
    assert (found.line, found.source) == (0, "")
    assert "itemgetter" in found.what


def test_unknown_numba_messages_are_shown():
    """It is reported as it was said, with where to read on."""
    found = obstacle(CannotCompile("f cannot be compiled: the moon is full"), random.random)
    assert (found.what, found.instead) == ("the moon is full", "docs/plugins.md lists what compiles")
