"""The dependencies of a function are hashed by content, and the compiled function is a copy of the hashed one."""

import argparse
import dis
import math
from pathlib import Path
from types import CodeType, ModuleType

import numpy as np
import pytest

from searchlab.compiler.compile_errors import CannotCompile
from searchlab.compiler.dependencies import LOADS, OTHER, TRANSPARENT, Dependencies, _names_used
from searchlab.compiler.dispatchers import make_dispatcher
from searchlab.search.kernels import best_first

WEIGHTS = [1, 2, 3]
TABLE = np.arange(4.0)
NOT_COMPILABLE = {1: "2"}


def doubled(x):
    return 2 * x


def weighted(x):
    return doubled(x) + WEIGHTS[0] + TABLE[1] + math.floor(x)


def uses_a_dict(x):
    return NOT_COMPILABLE[x]


def yields(x):
    yield x


def digest(function):
    dependencies = Dependencies()
    dependencies.capture(function)
    return dependencies.digest_with()


def written(source, **scope):
    """A function of this source, in a module of its own."""
    scope["__builtins__"] = __builtins__
    exec(compile(source, "author.py", "exec"), scope)
    return scope["f"]


def test_the_same_content_has_the_same_digest():
    """Two functions of equal code and equal surroundings share their machine code."""
    source = "def g(x):\n    return K * x\ndef f(x):\n    return g(x) + 1\n"
    assert digest(written(source, K=3)) == digest(written(source, K=3))


@pytest.mark.parametrize(
    ("source", "scope"),
    [
        ("def g(x):\n    return K * x\ndef f(x):\n    return g(x) + 2\n", {"K": 3}),
        ("def g(x):\n    return K - x\ndef f(x):\n    return g(x) + 1\n", {"K": 3}),
        ("def g(x):\n    return K * x\ndef f(x):\n    return g(x) + 1\n", {"K": 4}),
        ("def g(x):\n    return K * x\ndef f(x):\n    return g(x) + 1\n", {"K": 3.0}),
    ],
)
def test_any_edit_changes_the_digest(source, scope):
    """An edit of the function, of a helper or of a constant gives another digest: stale code never runs."""
    original = written("def g(x):\n    return K * x\ndef f(x):\n    return g(x) + 1\n", K=3)
    assert digest(original) != digest(written(source, **scope))


def test_arrays_and_module_attributes_count():
    """The content of a table, and of a helper in another module, is part of the digest."""
    source = "def f(x):\n    return helpers.g(x) + T[0]\n"

    def made(value, factor):
        helpers = ModuleType("helpers")
        helpers.g = written("def f(x):\n    return K * x\n", K=factor)
        return written(source, helpers=helpers, T=np.array([value]))

    assert digest(made(1, 2)) == digest(made(1, 2))
    assert digest(made(1, 2)) != digest(made(9, 2))
    assert digest(made(1, 2)) != digest(made(1, 3))


def test_values_of_closures_change_the_digest():
    """The values of a closure are part of the digest."""

    def adder(k):
        return lambda x: x + k

    assert digest(adder(1)) != digest(adder(2))


def test_a_rebuilt_function_computes_the_same():
    """Helpers without decorators, lists, arrays and library functions compile along."""
    dependencies = Dependencies()
    compiled = make_dispatcher(dependencies.capture(weighted), {"boundscheck": True}, called=True)
    assert compiled(2.5) == weighted(2.5)


def test_a_rebuilt_function_uses_the_hashed_values():
    """Changing a global after the function was captured changes nothing."""
    function = written("def f(x):\n    return K * x\n", K=3)
    dependencies = Dependencies()
    captured = dependencies.capture(function)
    function.__globals__["K"] = 100
    assert make_dispatcher(captured, {}, called=True)(2) == 6


def test_recursion_is_captured_once():
    """A function that calls itself can be hashed and rebuilt."""
    source = "def f(x):\n    if x < 2:\n        return 1\n    return x * f(x - 1)\n"
    dependencies = Dependencies()
    assert make_dispatcher(dependencies.capture(written(source)), {}, called=True)(5) == 120


def test_a_helper_is_compiled_once_for_all_callers():
    """As long as it is the same: with another constant behind it, it is another one."""
    source = "def helper(x):\n    return K * x\n\ndef f(x):\n    return helper(x) + {}\n"

    def rebuilt(added, factor):
        scope = {"K": factor}
        exec(compile(source.format(added), "<helpers>", "exec"), scope)
        return make_dispatcher(Dependencies().capture(scope["f"]), {"boundscheck": True}, called=True)

    first, second, other = rebuilt(1, 3), rebuilt(2, 3), rebuilt(1, 4)
    assert [function(10) for function in (first, second, other)] == [31, 32, 41]
    helpers = [function.py_func.__globals__["helper"] for function in (first, second, other)]
    assert helpers[0] is helpers[1]
    assert helpers[0] is not helpers[2]


def test_uncompilable_values_are_named():
    """A dict is refused by the name it has in the function."""
    with pytest.raises(CannotCompile, match="it uses NOT_COMPILABLE, a dict"):
        Dependencies().capture(uses_a_dict)


def test_generators_are_refused():
    """Generators leak memory through function pointers, so they are not compiled."""
    with pytest.raises(CannotCompile, match="yield"):
        Dependencies().capture(yields)


def test_only_plain_functions_are_compiled():
    """A callable object is refused by its kind."""
    with pytest.raises(CannotCompile, match="not a plain function"):
        Dependencies().capture(print)


WIDTH = 10


def wide(tiles):
    return WIDTH * tiles


def test_constants_are_for_kernels():
    """A plugin's own global of the same name keeps its value."""
    assert Dependencies({"WIDTH": 2}).capture(wide).names == {"WIDTH": 10}
    assert Dependencies({"WIDTH": 2}, wide).capture(wide).names == {"WIDTH": 2}


def code_in(code):
    """A code object and all within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from code_in(constant)


@pytest.mark.parametrize("module", [argparse, best_first])
def test_used_names_equal_those_of_dis(module):
    """Also for arguments of more than a byte."""
    many = "\n".join(f"a{k} = b{k}.c{k}.d{k}(e{k}) + int(f{k}) + 1" for k in range(300))
    for source in (
        Path(module.__file__).read_text(),
        many,
        f"def f():\n    global a0\n    {many.replace(chr(10), ';')}",
    ):
        for code in code_in(compile(source, "source", "exec")):
            expected = []
            for one in dis.get_instructions(code):
                if one.opname in LOADS:
                    expected.append((one.opname, one.argval))
                elif one.opname not in TRANSPARENT and expected and expected[-1] != OTHER:
                    expected.append(OTHER)
            assert list(_names_used(code)) == expected
