"""The examples in docstrings show what happens."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = {"searchlab": "searchlab", "plugins": "searchlab_plugins"}


def modules_with_examples():
    for folder, package in PACKAGES.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                yield ".".join((package, *path.relative_to(ROOT / folder).with_suffix("").parts)).removesuffix(
                    ".__init__"
                )


@pytest.mark.parametrize("name", list(modules_with_examples()))
def test_the_examples_of_a_module_are_true(name):
    """Run as they stand, they print what stands there."""
    tried = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert tried.failed == 0
    assert tried.attempted > 0
