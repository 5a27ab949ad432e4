"""Properties of all hooks; `test_hooks.py` uses each."""

import inspect

import pytest

import searchlab as sl
from searchlab.model.component_types import COMPONENT_TYPES
from searchlab.plugins import hookspecs
from searchlab.plugins.hookspecs import HOOKS, NOTIFICATIONS


def test_every_kind_of_component_has_a_hook():
    """Called after the kind; besides there are commands, sections of reports, and the hooks that are notified."""
    asked = {f"searchlab_{kind}s" for kind in COMPONENT_TYPES} | {"searchlab_commands", "searchlab_report_sections"}
    assert set(HOOKS) - set(NOTIFICATIONS) == asked
    assert {hook.removeprefix("searchlab_") for hook in NOTIFICATIONS} == {
        *("run_started", "run_finished", "run_failed"),
        *("experiment_started", "experiment_finished"),
    }


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented(hook):
    """Each has a docstring and a return type, which is None for notifications."""
    function = getattr(hookspecs, hook)
    returned = inspect.signature(function).return_annotation
    first = inspect.getdoc(function).split()[0]
    assert (first, returned.split("[")[0]) == (("Called", "None") if hook in NOTIFICATIONS else ("Return", "Iterable"))
    assert hasattr(function, "searchlab_spec")


def test_the_mark_is_part_of_the_public_face():
    """`from searchlab import hookimpl` is all a plugin needs."""
    assert sl.hookimpl is hookspecs.hookimpl
