"""Constant dicts and sets outside a function: compiled code finds the same values as Python."""

import random
from itertools import count

import numpy as np
import pytest

import searchlab as sl
from searchlab.compiler.compile_errors import CannotCompile
from searchlab.compiler.dependencies import Dependencies
from searchlab.compiler.lookup_tables import NoTable, lookup_table
from searchlab.compiler.rewriting import rewritten
from searchlab.search.state_space import CompiledEstimate, wide_packing

BOARD = sl.Board([[8, 1, 3], [4, 0, 2], [7, 6, 5]])
PACKING = wide_packing(BOARD)
MISSING = object()


def some_keys(draw, width):
    """Return keys of one kind: that follow each other, of any size, powers of two, or the places of a grid."""
    one = draw.choice(
        [
            lambda: draw.randrange(-20, 20),
            lambda: draw.getrandbits(64) - 2**63,
            lambda: 2 ** draw.randrange(63),
            lambda: draw.randrange(1000) << 40,
        ]
    )
    made = [tuple(one() for _ in range(width)) if width else one() for _ in range(draw.choice([1, 2, 9, 40, 300]))]
    return [*dict.fromkeys(made)]


@pytest.mark.parametrize("seed", range(80))
def test_a_table_holds_what_the_dict_holds(seed):
    """Every key has its value and type, other keys have none, and the order is the dict's."""
    draw = random.Random(seed)
    width, values = draw.choice([0, 0, 1, 2, 3]), draw.choice(["int", "float", "mixed", "tuple"])
    number = {
        "int": lambda: draw.randrange(-99, 99),
        "float": lambda: draw.random(),
        "mixed": lambda: draw.choice([2, 0.5]),
    }
    one = number.get(values, number["float"])
    content = {
        key: (one(), draw.randrange(9)) if values == "tuple" else one() for key in some_keys(draw, width)
    }  # fmt: skip
    table = lookup_table(content)
    with np.errstate(over="ignore"):  # hashes wrap around
        item, has, get = (table.function(kind) for kind in ("item", "has", "get"))
        for key, value in content.items():
            given = tuple(map(np.int64, key)) if width else np.int64(key)
            assert item(given) == get(given, MISSING) == value
            assert has(given)
            if values == "int":
                assert isinstance(item(given), np.int64)
        for key in some_keys(draw, width):
            given = tuple(map(np.int64, key)) if width else np.int64(key)
            assert has(given) == (key in content)
            assert (get(given, MISSING) is MISSING) == (key not in content)
            if key not in content:
                with pytest.raises(KeyError):
                    item(given)
    source, arrays = table.items("items")
    gone_through = eval(source.format(name="d"), {name.format(name="d"): each for name, each in arrays.items()})
    assert [(k, v) for k, v in gone_through] == [*content.items()]
    assert table.longest <= 8


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({}, "empty"),
        ({"a": 1}, "keys"),
        ({1.5: 1}, "keys"),
        ({2**63: 1}, "keys"),
        ({1: 2, (1, 2): 3}, "keys"),
        ({(1, 2): 2, (1,): 3}, "keys"),
        ({(1, (2, 3)): 2}, "keys"),
        ({1: "a"}, "values"),
        ({1: None}, "values"),
        ({1: 2**63}, "values"),
        ({1: 2**53 + 1, 2: 0.5}, "values"),
        ({1: np.float32(0.1)}, "values"),
        ({1: {2: 3}}, "dicts"),
        ({"a", "b"}, "keys"),
    ],
)
def test_other_dicts_are_no_tables(content, what):
    """With the reason."""
    with pytest.raises(NoTable, match=what):
        lookup_table(content)


GOAL = {}
for place in range(9):
    GOAL[place] = divmod(place, 3)
POINTS = {0: 0, 1: 5, 2: 1.5, -3: 2, True + 6: False}
GRID = {(row, column): 3 * row + column for row in range(3) for column in range(3)}
ODD = {1, 3, 5, 7}
SETTINGS = {"weight": 3, "name": "high"}


def manhattan(tiles):
    total = 0
    for row in range(3):
        for column in range(3):
            goal_row, goal_column = GOAL[tiles[row, column]]
            total += abs(row - goal_row) + abs(column - goal_column)
    return total * SETTINGS["weight"]


def points(tiles):
    return sum(POINTS.get(tile, -1) for tile in tiles.ravel()) / len(POINTS) + POINTS.get(tiles[0, 0] > 3, 4)


def of_places(tiles):
    found = 0
    for place in ((0, 0), (1, 2), (2, 2), (5, 5)):
        if place in GRID and tiles[place] not in ODD:
            found += GRID[place] // 2
    return found + GRID.get((7, 7), 9) + len(ODD)


def loops(tiles):
    found = 0
    for row, column in GRID:
        found += row * tiles[row, column]
    for tile, (row, column) in GOAL.items():
        found -= tile * (tiles[row, column] == tile)
    return found + max(value + 0.5 for value in POINTS.values()) + sum([key for key in ODD if key > 1])


def made(extra):
    own = {key: key * extra for key in range(9)}

    def inner(tiles):
        def near(row, column):
            return own[tiles[row, column]] + abs(row - GOAL[tiles[row, column]][0])

        return sum(near(row, column) for row in range(3) for column in range(3))

    return inner


@pytest.mark.parametrize("function", [manhattan, points, of_places, loops, made(3)])
def test_lookups_compile_with_the_values_they_have_in_python(function):
    """On several boards: keys of NumPy, tuples, truth values, missing keys."""
    compiled = CompiledEstimate(function, {}, PACKING)
    boards = [sl.Board(rows) for rows in (BOARD.tiles, BOARD.tiles[::-1], [[0, 1, 2], [3, 4, 5], [6, 7, 8]])]
    values = compiled.values(np.array([PACKING.pack(board) for board in boards]))
    assert values.tolist() == [function(board.tiles) for board in boards]


FEW = {1: 2}


def misses(tiles):
    return FEW[tiles[0, 0]]


def test_a_missing_key_is_the_error_of_python():
    """With the key and the line of the file."""
    heuristic = sl.Heuristic("misses", misses, domains={"sliding-tile"})
    result = sl.solve(BOARD, domain="sliding-tile", heuristic=heuristic, frontier="greedy")
    assert (result.status, result.engine) == ("error", "compiled")
    assert "KeyError: np.int64(8)" in result.reason or "KeyError: 8" in result.reason
    assert f"line {misses.__code__.co_firstlineno + 1})" in result.reason


_numbers = count()


def written(folder, source, name="f", **scope):
    """A function of this source, in a file of its own."""
    file = folder / f"author{next(_numbers)}.py"
    file.write_text(source)
    exec(compile(source, str(file), "exec"), scope)
    return scope[name]


def digest(function):
    dependencies = Dependencies()
    dependencies.capture(function)
    return dependencies.digest_with()


def test_a_changed_dict_is_other_machine_code(tmp_path):
    """A value, its type, a key and the order each count."""
    source = "def f(tiles):\n    return sum(D.get(tile, 0) for tile in D) + D[1]\n"
    contents = [{1: 2, 3: 4}, {1: 2, 3: 5}, {1: 2.0, 3: 4.0}, {1: 2, 4: 4}, {3: 4, 1: 2}]
    scope = {}
    f = written(tmp_path, source, D={}, scope=scope)
    found = []
    for content in contents:
        f.__globals__["D"] = content
        found.append(digest(f))
    assert len({*found}) == len(contents)
    f.__globals__["D"] = {1: 2, 3: 4}
    assert digest(f) == found[0]


def test_a_search_has_the_dict_as_it_is_by_then(tmp_path):
    """The same function is compiled again for other values."""
    f = written(tmp_path, "D = {1: 7}\ndef f(tiles):\n    return D[1] * (tiles[0, 0] != 0)\n")
    heuristic = sl.Heuristic("f", f, domains={"sliding-tile"})
    values = []
    for value in (7, 9):
        f.__globals__["D"][1] = value
        result = sl.solve(
            BOARD, domain="sliding-tile", heuristic=heuristic, frontier="greedy", limits=sl.Limits(expansions=1)
        )
        assert result.engine == "compiled"
        values.append(CompiledEstimate(f, {}, PACKING).values(PACKING.pack(BOARD)[None])[0])
    assert values == [7, 9]


CONSTANT = [
    "D = {1: 2}\nD[3] = 4\nD.update({5: 6})\ndef f(t): return D[1]",
    "D = {}\nfor k in range(9):\n    D[k] = k\ndef f(t): return D[1]",
    "D = {1: 2}\nE = dict(D)\nE[1] = 3\ndef f(t): return D[1]",
    "D = {1: 2}\ndef g():\n    D = {}\n    D[1] = 3\ndef f(t): return D[1]",
    "D = {1: 2}\ndef g(D): D[1] = 3\ndef f(t): return D[1]",
    "D = {1: 2}\ndef g(): return sorted(D), D | {}, [*D], {**D}, D.copy(), f'{D}'\ndef f(t): return D[1]",
    "def make():\n    D = {}\n    D[1] = 2\n    def f(t): return D[1]\n    return f\nf = make()",
    "class C: D = {1: 2}\nC.D[1] = 3\nD = {1: 2}\ndef g(): C.D[1] = 4\ndef f(t): return D[1]",
]


@pytest.mark.parametrize("source", CONSTANT)
def test_a_dict_that_is_filled_when_the_file_is_read_is_constant(tmp_path, source):
    """Whatever functions read of it, and whatever else has its name."""
    f = written(tmp_path, source)
    assert rewritten(f) is not f


CHANGED = {
    "D = {1: 2}\ndef g(): D[1] = 3\ndef f(t): return D[1]": "line 2 changes",
    "D = {1: 2}\ndef g():\n    del D[1]\ndef f(t): return D[1]": "line 3 changes",
    "D = {1: 2}\ndef g(): D.update(x)\ndef f(t): return D[1]": "line 2 changes",
    "D = {1: 2}\ndef g(): return D.setdefault(3, 4)\ndef f(t): return D[1]": "line 2 changes",
    "D = {1: 2}\ndef g():\n    global D\n    D = {}\ndef f(t): return D[1]": "line 4 changes",
    "D = {1: 2}\ndef g():\n    D[1] += 1\ndef f(t): return D[1]": "line 3 changes",
    "D = {1: 2}\ng = lambda: D.clear()\ndef f(t): return D[1]": "line 2 changes",
    "D = {1: 2}\nclass C:\n    def g(self): D.pop(1)\ndef f(t): return D[1]": "line 3 changes",
    "D = {1: 2}\nE = D\ndef f(t): return D[1]": "line 2 hands to other code",
    "D = {1: 2}\ndef g(d): d[1] = 3\ng(D)\ndef f(t): return D[1]": "line 3 hands to other code",
    "D = {1: 2}\ndef g(): return D\ndef f(t): return D[1]": "line 2 hands to other code",
    "D = {1: 2}\ndef g(d=D): d[1] = 3\ndef f(t): return D[1]": "line 2 hands to other code",
    "D = {1: 2}\nE = [D, 3]\ndef f(t): return D[1]": "line 2 hands to other code",
    "def make(D):\n    def f(t): return D[1]\n    return f\nf = make({1: 2})": "line 2 hands to other code",
    "def make():\n    D = {1: 2}\n    def g(): D[1] = 3\n    return lambda t: D[1]\nf = make()": "line 3 changes",
}


@pytest.mark.parametrize("source", CHANGED)
def test_a_dict_that_may_change_stays_in_python(tmp_path, source):
    """With the line that changes it, or hands it to what could."""
    f = written(tmp_path, source)
    with pytest.raises(CannotCompile, match=f"it uses D, a dict that {CHANGED[source]}"):
        digest(f)


def test_a_dict_of_another_file_of_the_plugin(tmp_path, monkeypatch):
    """It may be imported by name or with its module; what changes it may be in either file."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "worths_of_mine.py").write_text("D = {1: 2}\nE = {1: 3}\ndef g():\n    E[1] = 4\n")
    start = "import worths_of_mine\nfrom worths_of_mine import D, E as own\n"
    f = written(tmp_path, f"{start}def f(t): return D[1] + worths_of_mine.D[1]\n")
    assert rewritten(f)(0) == 4
    f = written(tmp_path, f"{start}def f(t): return own[1]\n")
    with pytest.raises(CannotCompile, match=r"it uses own, a dict that line 4 of worths_of_mine[.]py changes"):
        digest(f)
    f = written(tmp_path, f"{start}def g(): worths_of_mine.D[1] = 3\ndef f(t): return worths_of_mine.D[1]\n")
    with pytest.raises(CannotCompile, match=r"it uses worths_of_mine[.]D, a dict that line 3 changes"):
        digest(f)


def test_a_large_dict_is_read_where_it_is(tmp_path):
    """A hundred thousand entries are not copied into the machine code."""
    large = {key * key: key for key in range(20000)}
    f = written(
        tmp_path, "def f(tiles):\n    return D[int(tiles[0, 0]) ** 2] + D.get(tiles[0, 1] + 10**12, 0.5)\n", D=large
    )
    compiled = CompiledEstimate(f, {}, PACKING)
    assert compiled.values(PACKING.pack(BOARD)[None]).tolist() == [8.5]
