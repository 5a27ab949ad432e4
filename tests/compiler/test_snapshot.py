"""A snapshot of what a function was compiled from is current exactly as long as nothing has changed."""

from types import ModuleType

import numpy as np
import pytest

from searchlab.compiler.dependencies import Dependencies
from searchlab.compiler.global_arrays import LARGE

SCALE = 3
WEIGHTS = np.arange(4)
NESTED = [[1, 2], (3, [4])]
module = ModuleType("settings")
module.offset = 1


def helper(x):
    return SCALE * x


def made(factor):
    def function(tiles, table=WEIGHTS):
        total = module.offset + factor + NESTED[0][0] + table[0]
        for tile in WEIGHTS:
            total += helper(tile)
        return total

    return function


def snapshot_of(function):
    dependencies = Dependencies()
    dependencies.capture(function)
    return dependencies.snapshot


def test_a_snapshot_is_current_while_nothing_changes():
    """However often that is asked."""
    snapshot = snapshot_of(made(2))
    assert snapshot.is_current()
    assert snapshot.is_current()


def set_cell(function, monkeypatch):
    function.__closure__[0].cell_contents = 5


def empty_cell(function, monkeypatch):
    del function.__closure__[0].cell_contents


def set_global(function, monkeypatch):
    monkeypatch.setitem(globals(), "SCALE", 4)


def delete_global(function, monkeypatch):
    monkeypatch.delitem(globals(), "SCALE")


def shadow_builtin(function, monkeypatch):
    monkeypatch.setitem(globals(), "float", helper)


def define_helper_anew(function, monkeypatch):
    monkeypatch.setitem(globals(), "helper", lambda x: x)


def change_code_of_helper(function, monkeypatch):
    monkeypatch.setattr(helper, "__code__", (lambda x: x + 1).__code__)


def write_to_array(function, monkeypatch):
    WEIGHTS[2] += 1


def change_inner_list(function, monkeypatch):
    NESTED[1][1][0] += 1


def set_attribute_of_module(function, monkeypatch):
    monkeypatch.setattr(module, "offset", 2)


def delete_attribute_of_module(function, monkeypatch):
    monkeypatch.delattr(module, "offset")


def set_default(function, monkeypatch):
    function.__defaults__ = (np.arange(4),)


@pytest.mark.parametrize(
    "change",
    [
        set_cell,
        empty_cell,
        set_global,
        delete_global,
        define_helper_anew,
        change_code_of_helper,
        write_to_array,
        change_inner_list,
        set_attribute_of_module,
        delete_attribute_of_module,
        set_default,
    ],
)
def test_every_change_is_noticed(change, monkeypatch):
    """Of a global, a helper, a closure, a default, a module, and of what is in a list or an array."""
    function = made(2)
    snapshot = snapshot_of(function)
    change(function, monkeypatch)
    assert not snapshot.is_current()


def uses_builtin(tiles):
    return float(tiles[0])


def test_a_global_that_takes_the_place_of_a_builtin_is_noticed(monkeypatch):
    """A name that had no value in the module has one now."""
    snapshot = snapshot_of(uses_builtin)
    assert snapshot.is_current()
    shadow_builtin(uses_builtin, monkeypatch)
    assert not snapshot.is_current()


def test_nothing_large_is_kept():
    """A snapshot with a large array is of no use, so that nobody keeps the array with it."""
    table = np.zeros(LARGE // 8 + 1)

    def function(tiles):
        return table[tiles[0]]

    snapshot = snapshot_of(function)
    assert not snapshot.is_small
    assert not snapshot.is_current()
