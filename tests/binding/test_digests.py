"""The digest of a build function changes if and only if its results may change."""

from functools import partial
from types import ModuleType

import numpy as np
import pytest

import searchlab as sl
from searchlab.binding.digests import ContentDigest

SOURCE = """
SIZES = {"a": [1, 2], "b": {3, 4}}
WEIGHTS = np.arange(5)

class Kind:
    factor = 2
    def scaled(self, x):
        return self.factor * x

def helper(x):
    return x + len(SIZES)

def build(progress, n=3):
    '''Build it.'''
    total = [helper(k) for k in range(n)]
    return Kind().scaled(sum(total)) + WEIGHTS[0] + tools.add(1, 2)
"""
TOOLS = "def add(a, b):\n    return a + b\n\ndef unused():\n    return 1\n"


def digest(value):
    made = ContentDigest()
    made.feed(value)
    return made.hexdigest()


def build_of(source=SOURCE, tools=TOOLS):
    module, helpers = ModuleType("mine"), ModuleType("tools")
    exec(tools, vars(helpers))
    vars(module).update(np=np, tools=helpers)
    exec(source, vars(module))
    return module.build


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("k in range(n)", "k in range(n + 1)"),
        ("x + len", "x - len"),
        ("[1, 2]", "[1, 5]"),
        ("{3, 4}", "{3, 5}"),
        ("arange(5)", "arange(1, 6)"),
        ("factor = 2", "factor = 3"),
        ("self.factor * x", "self.factor + x"),
        ("n=3", "n=4"),
        ("tools.add(1, 2)", "tools.add(1, 3)"),
    ],
)
def test_changed_content_changes_the_digest(before, after):
    assert before in SOURCE
    assert digest(build_of(SOURCE.replace(before, after))) != digest(build_of())


def test_used_values_of_user_modules_change_the_digest():
    assert digest(build_of(tools=TOOLS.replace("a + b", "a - b"))) != digest(build_of())
    assert digest(build_of(tools=TOOLS.replace("return 1", "return 2"))) == digest(build_of())


@pytest.mark.parametrize(("before", "after"), [("Build it.", "Built."), ("\ndef build", "\n# why\n\n\ndef build")])
def test_comments_docstrings_and_line_numbers_do_not_change_the_digest(before, after):
    assert digest(build_of(SOURCE.replace(before, after))) == digest(build_of())


def test_different_values_have_different_digests():
    values = [1, 1.0, True, "1", b"1", None, (1,), [1], {1}, {1: 1}, np.array([1]), np.array([1.0]), np.uint8(1)]
    values += [partial(build_of(), 1), partial(build_of(), n=1), len, sum, np.add, np.zeros((0, 3)), np.zeros((3, 0))]
    values += [sl.domain("sliding-tile"), sl.domain("sliding-tile:goal=blank-first"), sl.domain("2048")]
    assert len({digest(value) for value in values}) == len(values)


def test_sets_are_sorted_and_circular_references_end():
    words = [str(k) for k in range(100)]
    assert digest(set(words)) == digest({*words[50:], *words[:50]})
    circle = [1]
    circle.append(circle)
    assert digest(circle) == digest(circle)


def test_a_domain_is_the_same_for_the_same_rules():
    assert digest(sl.domain("sliding-tile")) == digest(sl.domain("sliding-tile"))
