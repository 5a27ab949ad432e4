"""Every hook is documented, and has a plugin in the tests that implements it."""

import inspect
from pathlib import Path

import pytest

import searchlab as sl
from searchlab import hookspecs
from searchlab.loading import HOOKS
from searchlab.plugins import KINDS

PLUGINS = Path(__file__).parent / "plugins"


def test_the_hooks_are_those_of_the_kinds_of_components():
    """One a kind, and one for commands."""
    assert set(HOOKS) == {*(f"searchlab_{kind}s" for kind in KINDS), "searchlab_commands"}


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_says_what_it_is_for(hook):
    """A docstring, and the type of what it returns."""
    function = getattr(hookspecs, hook)
    assert inspect.getdoc(function).startswith("Return ")
    assert inspect.signature(function).return_annotation.startswith("Iterable[")
    assert hasattr(function, "searchlab_spec")


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_implemented_by_a_plugin_of_the_tests(hook):
    """The fixture plugin that brings something of every kind knows them all."""
    assert f"@hookimpl\ndef {hook}():" in (PLUGINS / "everything.py").read_text()


def test_the_mark_is_part_of_the_public_face():
    """`from searchlab import hookimpl` is all a plugin needs."""
    assert sl.hookimpl is hookspecs.hookimpl
